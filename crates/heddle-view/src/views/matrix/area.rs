//! What is marked off in the matrix: the messages of some senders to some receivers, and how a selection of such is shown.

use std::ops::Range;

use heddle_model::LocationId;
use heddle_store::Store;

use super::grid::Grid;
use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::request::rows::Rows;
use crate::request::selection::{Between, Selection};
use crate::request::window::{RankSet, number_of, row_name};
use crate::scene::frame::outline;
use crate::scene::{ColourId, Rect, RectMark};

/// A longer list of ranks does not fit an address, and there are two.
const LONGEST_RANKS: usize = 2_000;
/// More boxes than these are not drawn: then bars at the edges say which rows and columns it is.
const MOST_BOXES: usize = 64;
/// Width of these bars.
const BAR: f32 = 4.0;

/// The messages in a rectangle of the picture. Cells are whole: one that it touches is in it.
pub(super) fn area(trace: &Trace<'_>, request: &ViewRequest, rect: Rect) -> Option<Selection> {
    let grid = Grid::new(trace, request);
    let plot = grid.plot;
    let (left, right) = (rect.x.max(plot.x), (rect.x + rect.width).min(plot.x + plot.width));
    let (top, bottom) = (rect.y.max(plot.y), (rect.y + rect.height).min(plot.y + plot.height));
    if left > right || top > bottom {
        return None;
    }
    // The edge between two cells belongs to the first of them.
    let within = |from: f32, to: f32| to.max(from + 0.01) - 0.01;
    let (row, column) = grid.cell_at((left, top))?;
    let (last_row, last_column) = grid.cell_at((within(left, right), within(top, bottom)))?;
    messages(&grid, row..last_row.max(row) + 1, column..last_column.max(column) + 1)
}

/// The messages of some cells; none if their ranks are too scattered to be named.
pub(super) fn messages(grid: &Grid<'_>, rows: Range<u32>, columns: Range<u32>) -> Option<Selection> {
    let (senders, receivers) = grid.ends(rows, columns);
    let [from, to] = [senders, receivers].map(|some| ranks(grid.store, &some));
    let is_short = |ranks: &RankSet| ranks.to_string().len() <= LONGEST_RANKS;
    let communicator = grid.wanted.communicator.map(|comm| comm.0);
    (is_short(&from) && is_short(&to)).then_some(Selection::Messages(Between { from, to, communicator }))
}

fn ranks(store: &Store, locations: &[LocationId]) -> RankSet {
    locations.iter().map(|at| number_of(store, *at)).collect()
}

/// Whom a row or column of cells stands for.
pub(super) fn who(store: &Store, rows: &Rows, locations: &[LocationId]) -> String {
    let [one] = locations else { return format!("ranks {}", ranks(store, locations)) };
    match rows.group_label(*one) {
        Some(label) if rows.is_folded() => label.to_owned(),
        Some(number) => format!("{number} ({})", row_name(store, *one)),
        None => row_name(store, *one),
    }
}

/// Boxes around the cells of selected messages; bars beside their rows and columns where there are too many boxes.
pub(super) fn marks(grid: &Grid<'_>, request: &ViewRequest, colour: ColourId) -> Option<Vec<RectMark>> {
    let Some(Selection::Messages(Between { from, to, .. })) = &request.emphasis.selected else { return None };
    let (plot, store) = (grid.plot, grid.store);
    let stretches = |rows: &Rows, ranks: &RankSet, length: f32| -> Vec<(f32, f32)> {
        let is_chosen = |_, at: LocationId| ranks.contains(number_of(store, at));
        let each = length / rows.len().max(1) as f32;
        let some = rows.stretches(store, is_chosen);
        some.into_iter().map(|stretch| (stretch.start as f32 * each, stretch.len() as f32 * each)).collect()
    };
    let (down, across) = (stretches(&grid.senders, from, plot.height), stretches(&grid.receivers, to, plot.width));
    if down.len() * across.len() <= MOST_BOXES {
        let boxes = down.iter().flat_map(|row| across.iter().map(move |column| (row, column)));
        let rect = |((y, height), (x, width)): (&(f32, f32), &(f32, f32))| Rect {
            x: plot.x + x,
            y: plot.y + y,
            width: *width,
            height: *height,
        };
        return Some(boxes.flat_map(|cell| outline(rect(cell), colour)).collect());
    }
    let mark = |rect: Rect| RectMark { rect, colour, span: heddle_model::SpanRow::NONE };
    let beside = |(y, height): &(f32, f32)| mark(Rect { y: plot.y + y, height: height.max(1.0), width: BAR, ..plot });
    let below = |(x, width): &(f32, f32)| {
        let y = plot.y + plot.height - BAR;
        mark(Rect { x: plot.x + x, width: width.max(1.0), y, height: BAR })
    };
    Some(down.iter().map(beside).chain(across.iter().map(below)).collect())
}
