//! What a hand marks off in a timeline: a rectangle of ranks and time, and where calls begin and end near the pointer.

use heddle_model::Ns;
use heddle_store::Store;

use crate::analyses::Trace;
use crate::lookup::enclosing::spans_in;
use crate::request::ViewRequest;
use crate::request::rows::Rows;
use crate::request::selection::Selection;
use crate::request::window::{RankSet, number_of};
use crate::scene::Rect;
use crate::scene::frame::{plot_area, time_at};
use crate::views::near::Near;

/// A longer list of ranks does not fit an address.
const LONGEST_RANKS: usize = 4_000;

/// The ranks and the time in a rectangle. Ranks are whole: a row that it touches is in it, and with it the rank's other rows.
pub(super) fn area(trace: &Trace<'_>, request: &ViewRequest, rect: Rect) -> Option<Selection> {
    let store = trace.store;
    let (plot, time) = (plot_area(store, request), request.window.time(store));
    let (left, right) = (rect.x.max(plot.x), (rect.x + rect.width).min(plot.x + plot.width));
    let (top, bottom) = (rect.y.max(plot.y), (rect.y + rect.height).min(plot.y + plot.height));
    if left > right || top > bottom {
        return None;
    }
    let (from, to) = (time_at(time, plot, left), time_at(time, plot, right));
    let ranks = ranks_between(store, request, ((top - plot.y) / plot.height, (bottom - plot.y) / plot.height))?;
    let is_short = ranks.to_string().len() <= LONGEST_RANKS;
    is_short.then_some(Selection::Area { time: (from, to.max(Ns(from.0.saturating_add(1)))), ranks })
}

/// The ranks of the rows between two shares of the height.
fn ranks_between(store: &Store, request: &ViewRequest, (top, bottom): (f32, f32)) -> Option<RankSet> {
    let rows = Rows::of(store, &request.window);
    if rows.is_empty() {
        return None;
    }
    let first = rows.row_at(top);
    let last = match rows.row_at(bottom) {
        // The edge between two rows belongs to the upper one.
        row if bottom <= rows.edge(row as f32) => row.saturating_sub(1).max(first),
        row => row.max(first),
    };
    let shown = &rows.locations()[first..=last];
    Some(rows.stood_for(shown).iter().map(|location| number_of(store, *location)).collect())
}

/// Where a call of the row at a place begins or ends, at any depth, the nearest within so many pixels.
pub(super) fn edge(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32), reach: f32) -> Option<Ns> {
    let (store, plot) = (trace.store, plot_area(trace.store, request));
    let rows = Rows::of(store, &request.window);
    if !plot.contains(at) || rows.is_empty() {
        return None;
    }
    let location = rows.locations()[rows.row_at((at.1 - plot.y) / plot.height)];
    let near = Near::of(request.window.time(store), plot, at.0, reach);
    let spans = &store.spans;
    let is_shown = |row: &u64| !request.emphasis.hides(spans.region.get(*row));
    let in_sight = spans_in(store, location, near.window()).rows().filter(is_shown);
    near.nearest(in_sight.flat_map(|row| [spans.start.get(row), spans.end.get(row)]))
}
