//! Histogram: the calls of one function, by rank and duration, or the values of one counter, by rank and value.
//!
//! Rows are ranks, columns bins of duration: 32 for each doubling, or all equally wide. A cell says how many calls of that rank
//! take so long, or how long they take together. With more ranks than pixels a row shows the largest value of the ranks that it
//! stands for, so that one rank among thousands is seen. Calls count that have a part in the window, each with its whole duration.
//! Values of a counter count that are in force in the window, with the time that they hold inside of it: what accumulates as growth
//! per second.

mod across;
mod grid;

use heddle_model::{LocationId, SpanRow};
use heddle_options::{OptionError, Options, Words, options};
use heddle_profile::bins::bin_of;
use heddle_store::Store;
use heddle_store::index::Reading;
use rayon::prelude::*;

use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::request::names::SpanName;
use crate::request::picked::Picked;
use crate::request::selection::{CallRange, Selection, SelectionKind};
use crate::request::window::{RankSet, number_of, row_name, rows_have_names};
use crate::request::{Framing, ViewRequest};
use crate::scene::frame::{frame, outline, plot_area};
use crate::scene::ramp::{Palette, Ramp, Tone};
use crate::scene::ticks::{counted, duration_text, grouped};
use crate::scene::{Axis, ColourBar, ColourId, Layer, LegendEntry, Raster, Rect, RectMark, Scene};
use crate::views::selected::regions_named;
use crate::views::{AxisKind, Picture, ViewModule};

use grid::{Cell, Grid, Subject, counter_named};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "histogram",
    about: "Calls of one function by rank and duration, or values of one counter by rank: who differs, and how often",
    axes: (AxisKind::Values, AxisKind::Rows),
    options: HistogramOptions::specs,
    check: Some(check),
    analyses: &[
        (AnalysisKind::Profile, |request| (!is_of_counter(request)).then_some(Urgency::Required)),
        (AnalysisKind::Values, |request| is_of_counter(request).then_some(Urgency::Required)),
    ],
    selections: &[SelectionKind::Calls],
    picture: Picture::Areas { scene, pick, area },
};

options! {
    /// What a histogram counts, and how.
    pub struct HistogramOptions {
        /// Whose calls are counted; by default those of the function that is highlighted, or else that takes most time
        "function" ("Function") function: String = String::new(),
        /// The counter whose values are counted by their size, instead of calls by their duration: a name, or a part of one
        "counter" ("Counter") counter: String = String::new(),
        /// How durations or values are spaced
        "bins" ("Durations") bins: Bins = Bins::Logarithmic,
        /// What colours mean: how many calls or values, or how long they take together
        "shade" ("Colour") shade: Shade = Shade::Calls,
    }
}

/// How durations or values are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bins {
    /// By their logarithm.
    Logarithmic,
    /// Evenly.
    Linear,
}

impl Words for Bins {
    const WORDS: &'static [(&'static str, Bins)] = &[("log", Bins::Logarithmic), ("linear", Bins::Linear)];
}

/// What colours mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// How many calls.
    Calls,
    /// How long they take together.
    Time,
}

impl Words for Shade {
    const WORDS: &'static [(&'static str, Shade)] = &[("calls", Shade::Calls), ("time", Shade::Time)];
}

fn is_of_counter(request: &ViewRequest) -> bool {
    !request.options.checked::<HistogramOptions>().counter.is_empty()
}

fn check(store: &Store, request: &ViewRequest) -> Result<(), OptionError> {
    let HistogramOptions { function, counter, .. } = request.options.read()?;
    if !counter.is_empty() {
        let wrong = |why: String| OptionError { name: "counter".to_owned(), why };
        return counter_named(store, &counter).map(drop).map_err(wrong);
    }
    if function.is_empty() || !regions_named(store, &function).is_empty() {
        return Ok(());
    }
    let why = "must name a function of the trace; `heddle info` lists them".to_owned();
    Err(OptionError { name: "function".to_owned(), why })
}

/// The part of the colour scale that is left out at its lower end, so that a single call is still seen.
const LEAST: f32 = 0.3;

/// The picture.
fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let store = trace.store;
    let colours = request.colours(store);
    let Some(grid) = Grid::new(trace, request) else {
        let title = format!("{} · histogram", store.name());
        let plot = plot_area(store, request);
        let mut scene = frame(request, plot, title, (Axis::default(), Axis::default()), &colours, Vec::new());
        let nothing = if is_of_counter(request) {
            "None of these ranks has a value of this counter in this window."
        } else {
            "No call of this function has a part in this window."
        };
        scene.notes = vec![nothing.to_owned()];
        return scene;
    };
    let title = match grid.subject {
        Subject::Calls(_) => format!("{} · calls of {} by rank and duration", store.name(), grid.name()),
        Subject::Values(_) => format!("{} · values of {} by rank", store.name(), grid.name()),
    };
    let down = grid.rows.axis(store, grid.plot, request.framing, rows_have_names(store));
    let across = grid.across.axis(grid.plot, grid.axis_title(), |edge| grid.edge_text(edge));
    let is_figure = request.framing == Framing::Figure;
    let untitled = |axis: Axis| if is_figure { axis } else { Axis { title: String::new(), ..axis } };
    let mut scene = frame(request, grid.plot, title, (untitled(across), untitled(down)), &colours, Vec::new());
    let ramp = Ramp::add(&mut scene.palette, request.theme, Palette::Sequential);
    let cells: Vec<(Cell, usize)> = (0..grid.down).into_par_iter().flat_map_iter(|band| grid.band(band)).collect();
    let most = cells.iter().map(|(cell, _)| cell.of(grid.shade)).max().unwrap_or(0);
    // By the logarithm: a single call among thousands is what one looks for.
    let share = |value: u64| ((value + 1) as f64).ln() / ((most + 1) as f64).ln().max(1e-9);
    let colour = |cell: &Cell| match cell.count {
        0 => ColourId(0),
        _ => ramp.at(LEAST + (1.0 - LEAST) * share(cell.of(grid.shade)) as f32, Tone::Full),
    };
    scene.layers.push(Layer::Rects(vec![RectMark { rect: grid.plot, colour: colours.compute(), span: SpanRow::NONE }]));
    scene.layers.push(Layer::Raster(Raster {
        columns: grid.across.columns(),
        rows: grid.down,
        colours: cells.iter().map(|(cell, _)| colour(cell)).collect(),
        strength: cells.iter().map(|(cell, _)| if cell.count > 0 { u8::MAX } else { 0 }).collect(),
    }));
    let scale = ramp.scale();
    let first = (LEAST * scale.len() as f32) as usize;
    let title = match (grid.shade, grid.subject) {
        (Shade::Calls, Subject::Calls(_)) => "Calls",
        (Shade::Calls, Subject::Values(_)) => "Values",
        (Shade::Time, _) => "Time together",
    };
    let least = cells.iter().map(|(cell, _)| cell).filter(|cell| cell.count > 0).map(|cell| cell.of(grid.shade)).min();
    let least = least.unwrap_or(0);
    scene.colour_bar = Some(ColourBar {
        title: format!("{title} (log)"),
        colours: scale[first..].to_vec(),
        from: (least as f64, grid.value_text(least)),
        to: (most as f64, grid.value_text(most)),
    });
    scene.layers.extend(marks(&grid, request, colours.accent()).map(Layer::Rects));
    scene.notes = notes(&grid);
    // Figures have a title; whose calls these are a pane says in its head.
    if request.framing.is_pane() {
        let colour = match grid.subject {
            Subject::Calls(region) => colours.region(region),
            Subject::Values(_) => colours.accent(),
        };
        scene.legend = vec![LegendEntry { colour, name: grid.name(), value: grouped(grid.all().0.count) }];
    }
    scene
}

/// A longer list of ranks does not fit an address.
const LONGEST_RANKS: usize = 2_000;

/// The calls in a rectangle. Columns and rows are whole: one that it touches is in it.
fn area(trace: &Trace<'_>, request: &ViewRequest, rect: Rect) -> Option<Selection> {
    let grid = Grid::new(trace, request).filter(|grid| matches!(grid.subject, Subject::Calls(_)))?;
    let (left, top) = (rect.x.max(grid.plot.x), rect.y.max(grid.plot.y));
    let right = (rect.x + rect.width).min(grid.plot.x + grid.plot.width);
    let bottom = (rect.y + rect.height).min(grid.plot.y + grid.plot.height);
    if left > right || top > bottom {
        return None;
    }
    // The edge between two cells belongs to the first of them.
    let cells = |from: f32, to: f32, start: f32, each: f32, count: u32| {
        let at = |place: f32| (((place - start) / each).max(0.0) as u32).min(count - 1);
        (at(from), at((to - 0.01).max(from)))
    };
    let (width, height) = grid.cell_size();
    let (first, last) = cells(left, right, grid.plot.x, width, grid.across.columns());
    let (upper, lower) = cells(top, bottom, grid.plot.y, height, grid.down);
    let shown: Vec<LocationId> =
        (upper..=lower).flat_map(|band| grid.rows.band(band, grid.down).iter().copied()).collect();
    let ranks: RankSet = grid.rows.stood_for(&shown).iter().map(|at| number_of(trace.store, *at)).collect();
    let lasting = (grid.across.range(first).0 as i64, grid.across.range(last).1 as i64);
    let is_short = ranks.to_string().len() <= LONGEST_RANKS;
    is_short.then(|| Selection::Calls(CallRange { lasting, ranks, function: grid.name() }))
}

/// Boxes around selected calls of the function.
fn marks(grid: &Grid<'_>, request: &ViewRequest, colour: ColourId) -> Option<Vec<RectMark>> {
    let Some(Selection::Calls(CallRange { lasting, ranks, function })) = &request.emphasis.selected else {
        return None;
    };
    let (from, to) = grid.across.ends();
    let (from, to) = (from as i64, to as i64);
    let is_of_calls = matches!(grid.subject, Subject::Calls(_));
    if !is_of_calls || *function != grid.name() || lasting.1 <= from || lasting.0 >= to {
        return None;
    }
    let (plot, (width, _)) = (grid.plot, grid.cell_size());
    let column = |ns: i64| grid.across.column(u32::from(bin_of(ns.clamp(from, to - 1))));
    let (first, last) = (column(lasting.0), column(lasting.1 - 1));
    let x = plot.x + first as f32 * width;
    let boxed = |stretch: std::ops::Range<usize>| {
        let [from, to] = [stretch.start, stretch.end].map(|row| plot.height * grid.rows.edge(row as f32));
        Rect { x, y: plot.y + from, width: (last - first + 1) as f32 * width, height: to - from }
    };
    let stretches = grid.rows.stretches(grid.store, |_, at| ranks.contains(number_of(grid.store, at)));
    Some(stretches.into_iter().flat_map(|stretch| outline(boxed(stretch), colour)).collect())
}

fn notes(grid: &Grid<'_>) -> Vec<String> {
    let (all, with) = grid.all();
    let (count, name, time) = (grid.counted(all.count), grid.name(), duration_text(all.ns));
    let on = format!("on {} of {}", grouped(with), counted(grid.rows.len() as u64, "rank"));
    let mut notes = match grid.subject {
        Subject::Calls(_) => vec![format!("{count} of {name}, {time} in all, {on}.")],
        Subject::Values(metric) => {
            let per = if grid.reading(metric) == Reading::Rate { ", per second" } else { "" };
            vec![format!("{count} of {name}{per}, which hold for {time} in all, {on}.")]
        }
    };
    if grid.elsewhere > 0 {
        let places = counted(grid.elsewhere as u64, "place");
        notes.push(format!("It was recorded at {places} of no rank too: see the view of counters."));
    }
    let each = grid.rows.len().div_ceil(grid.down.max(1) as usize) as u64;
    if each > 1 {
        notes.push(format!("Each row stands for up to {} ranks: the largest value of one is shown.", grouped(each)));
    }
    notes
}

/// The cell at a place.
fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let store = trace.store;
    let plot = plot_area(store, request);
    if !plot.contains(at) {
        return None;
    }
    let grid = Grid::new(trace, request)?;
    let (width, height) = grid.cell_size();
    let row = (((at.1 - plot.y) / height) as u32).min(grid.down - 1);
    let column = (((at.0 - plot.x) / width) as u32).min(grid.across.columns() - 1);
    let (cell, dearest) = *grid.band(row).get(column as usize)?;
    if cell.count == 0 {
        return None;
    }
    let members = grid.rows.band(row, grid.down);
    let ranks = || members.iter().map(|at| number_of(store, *at)).collect::<RankSet>();
    let (who, whose) = if let [one] = members {
        (row_name(store, *one), String::new())
    } else {
        let whose = grid.rows.locations().get(dearest).map(|at| format!(" on {}", row_name(store, *at)));
        (format!("ranks {}", ranks()), whose.unwrap_or_default())
    };
    let together = match grid.subject {
        Subject::Calls(_) => format!("{} together", duration_text(cell.ns)),
        Subject::Values(_) => format!("held for {}", duration_text(cell.ns)),
    };
    let mut lines = vec![grid.range_text(column), format!("{}{whose}, {together}", grid.counted(cell.count))];
    if members.len() > 1 {
        let (with, all) = (grouped(grid.with(members, column)), counted(members.len() as u64, "rank"));
        lines.push(format!("{with} of {all} have such {}", if is_of_counter(request) { "values" } else { "calls" }));
    }
    let colours = request.colours(store);
    let (colour, select) = match grid.subject {
        Subject::Calls(region) => {
            lines.push("A click selects the longest of them".to_owned());
            let longest = grid.longest(members, column);
            (colours.rgba(region), longest.map(|span| Selection::Span(SpanName::of(store, span))))
        }
        Subject::Values(_) => {
            let ranks = Some(ranks()).filter(|ranks| ranks.to_string().len() <= LONGEST_RANKS);
            (colours.palette()[usize::from(colours.accent().0)], ranks.map(Selection::Ranks))
        }
    };
    Some(Picked {
        title: format!("{} · {who}", grid.name()),
        colour,
        lines,
        select,
        toggles: None,
        sets: None,
        area: Some(Rect { x: plot.x + column as f32 * width, y: plot.y + row as f32 * height, width, height }),
    })
}
