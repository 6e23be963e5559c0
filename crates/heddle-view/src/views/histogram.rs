//! Histogram: the calls of one function, by rank and duration.
//!
//! Rows are ranks, columns bins of duration: 32 for each doubling, or all equally wide. A cell says how many calls of that rank
//! take so long, or how long they take together. With more ranks than pixels a row shows the largest value of the ranks that it
//! stands for, so that one rank among thousands is seen. Calls count that have a part in the window, each with its whole duration.

use std::sync::Arc;

use heddle_model::{LocationId, Ns, RegionId, SpanRow};
use heddle_options::{OptionError, Options, Words, options};
use heddle_profile::Bin;
use heddle_profile::bins::{bin_of, binned, least_of};
use heddle_store::{Columns, Store};
use rayon::prelude::*;

use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::lookup::enclosing::spans_in;
use crate::request::names::SpanName;
use crate::request::picked::Picked;
use crate::request::rows::Rows;
use crate::request::selection::{CallRange, Selection, SelectionKind};
use crate::request::window::{RankSet, number_of, row_name, rows_have_names};
use crate::request::{Framing, ViewRequest};
use crate::scene::frame::{frame, outline, plot_area};
use crate::scene::ramp::{Palette, Ramp, Tone};
use crate::scene::theme::regions_by_time;
use crate::scene::ticks::{counted, duration_text, grouped, round_step};
use crate::scene::{Axis, ColourBar, ColourId, Extent, Layer, Raster, Rect, RectMark, Scene, Spacing, Tick};
use crate::views::selected::regions_named;
use crate::views::{AxisKind, Picture, ViewModule};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "histogram",
    about: "Calls of one function by rank and duration: who takes longer, and how often",
    axes: (AxisKind::Values, AxisKind::Rows),
    options: HistogramOptions::specs,
    check: Some(check),
    analyses: &[(AnalysisKind::Profile, |_| Some(Urgency::Required))],
    selections: &[SelectionKind::Calls],
    picture: Picture::Areas { scene, pick, area },
};

options! {
    /// What a histogram counts, and how.
    pub struct HistogramOptions {
        /// Whose calls are counted; by default those of the function that is highlighted, or else that takes most time
        "function" ("Function") function: String = String::new(),
        /// How durations are spaced
        "bins" ("Durations") bins: Bins = Bins::Logarithmic,
        /// What colours mean: how many calls, or how long they take together
        "shade" ("Colour") shade: Shade = Shade::Calls,
    }
}

/// How durations are spaced.
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

fn check(store: &Store, request: &ViewRequest) -> Result<(), OptionError> {
    let HistogramOptions { function, .. } = request.options.read()?;
    if function.is_empty() || !regions_named(store, &function).is_empty() {
        return Ok(());
    }
    let why = "must name a function of the trace; `heddle info` lists them".to_owned();
    Err(OptionError { name: "function".to_owned(), why })
}

/// The part of the colour scale that is left out at its lower end, so that a single call is still seen.
const LEAST: f32 = 0.3;
/// The fewest columns: bins around those with calls are shown too.
const FEWEST: u16 = 8;
const TICKS_APART: f32 = 84.0;

/// Calls of some duration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cell {
    calls: u64,
    ns: i64,
}

impl Cell {
    fn of(self, shade: Shade) -> u64 {
        match shade {
            Shade::Calls => self.calls,
            Shade::Time => self.ns.max(0).cast_unsigned(),
        }
    }
}

/// Columns of durations: which bins each has.
#[derive(Clone, Debug)]
struct Across {
    spacing: Spacing,
    /// Least duration of the first column, and of the one after the last.
    ends: (i64, i64),
    /// The first bin, where a column is a bin.
    first: u16,
    /// Width of a column, where all are equal.
    width: i64,
    columns: u32,
}

impl Across {
    /// Columns for bins from one to another, both included.
    fn new(bins: (u16, u16), spacing: Bins) -> Across {
        match spacing {
            Bins::Logarithmic => {
                let missing = FEWEST.saturating_sub(bins.1 - bins.0 + 1);
                let first = bins.0.saturating_sub(missing / 2);
                let last = bins.1.max(first + FEWEST - 1);
                let ends = (least_of(first), least_of(last + 1));
                Across { spacing: Spacing::Logarithmic, ends, first, width: 0, columns: u32::from(last - first) + 1 }
            }
            Bins::Linear => {
                // Narrower bins make up whole columns of the widest.
                let width = (least_of(bins.1 + 1) - least_of(bins.1)).max(1);
                let columns = (least_of(bins.1 + 1) / width).max(i64::from(FEWEST));
                let ends = (0, columns * width);
                Across { spacing: Spacing::Linear, ends, first: 0, width, columns: columns as u32 }
            }
        }
    }

    /// The column of a bin.
    fn column(&self, bin: u16) -> u32 {
        let column = match self.spacing {
            Spacing::Logarithmic => u32::from(bin.saturating_sub(self.first)),
            Spacing::Linear => (least_of(bin) / self.width) as u32,
        };
        column.min(self.columns - 1)
    }

    /// Least duration of a column, and that of the next.
    fn range(&self, column: u32) -> (i64, i64) {
        let edge = |column: u32| match self.spacing {
            Spacing::Logarithmic => least_of(self.first + column as u16),
            Spacing::Linear => i64::from(column) * self.width,
        };
        (edge(column), edge(column + 1))
    }

    /// Ticks at round durations.
    fn axis(&self, plot: Rect) -> Axis {
        let each = plot.width / self.columns as f32;
        let place = |ns: i64| {
            let column = match self.spacing {
                Spacing::Logarithmic => self.column(bin_of(ns)),
                Spacing::Linear => ((ns / self.width) as u32).min(self.columns - 1),
            };
            let (from, to) = self.range(column);
            plot.x + (column as f32 + (ns - from) as f32 / (to - from).max(1) as f32) * each
        };
        let mut ticks: Vec<Tick> = Vec::new();
        let is_in = |ns: &i64| (self.ends.0..=self.ends.1).contains(ns);
        for ns in self.round().into_iter().filter(is_in) {
            let at = place(ns);
            if at <= plot.x + plot.width && ticks.iter().all(|tick| (tick.at - at).abs() >= TICKS_APART) {
                ticks.push(Tick { at, label: round_text(ns) });
            }
        }
        ticks.sort_by(|a, b| a.at.total_cmp(&b.at));
        Axis { title: "duration".to_owned(), ticks, extent: Extent::Values }
    }

    /// Round durations, the roundest first.
    fn round(&self) -> Vec<i64> {
        let (from, to) = self.ends;
        let step = round_step(((to - from) / 10).max(1));
        let even = (from / step..=to / step).map(|times| times * step);
        if self.spacing == Spacing::Linear {
            return even.collect();
        }
        let tens = || (0..18).map(|power| 10i64.pow(power));
        let times = |digits: &'static [i64]| tens().flat_map(move |ten| digits.iter().map(move |digit| digit * ten));
        // Durations that hardly differ have none of these between them.
        times(&[1]).chain(times(&[5])).chain(times(&[2, 3])).chain(times(&[4, 6, 7, 8])).chain(even).collect()
    }
}

/// A round duration without zeros behind the point.
fn round_text(ns: i64) -> String {
    let text = duration_text(ns);
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

/// What is to be drawn, and where.
struct Grid<'a> {
    store: &'a Store,
    region: RegionId,
    time: (Ns, Ns),
    rows: Rows,
    plot: Rect,
    down: u32,
    across: Across,
    shade: Shade,
    /// What each rank has, by row in sight: bins, ascending.
    cells: Arc<Vec<Vec<Bin>>>,
}

impl<'a> Grid<'a> {
    fn new(trace: &'a Trace<'_>, request: &ViewRequest) -> Option<Grid<'a>> {
        let (store, profile) = (trace.store, trace.profile.as_deref()?);
        let HistogramOptions { function, bins, shade } = request.options.checked();
        let region = function_of(store, request, &function)?;
        let time = request.window.time(store);
        let rows = Rows::of(store, &request.window);
        let cells = binned(profile, store, rows.locations(), time, region);
        let least = cells.iter().filter_map(|cells| Some(cells.first()?.bin)).min()?;
        let most = cells.iter().filter_map(|cells| Some(cells.last()?.bin)).max()?;
        let plot = plot_area(store, request);
        let down = rows.bands(plot.height);
        let across = Across::new((least, most), bins);
        Some(Grid { store, region, time, rows, plot, down, across, shade, cells })
    }

    /// Columns of a row of the picture, each with the largest value of its ranks, and that rank's row.
    fn band(&self, band: u32) -> Vec<(Cell, usize)> {
        let mut largest = vec![(Cell::default(), 0); self.across.columns as usize];
        for location in self.rows.band(band, self.down) {
            let Some(row) = self.rows.row_of(*location) else { continue };
            // Bins of a column are neighbours.
            for same in self.cells[row].chunk_by(|a, b| self.across.column(a.bin) == self.across.column(b.bin)) {
                let Some(column) = same.first().map(|bin| self.across.column(bin.bin)) else { continue };
                let sum = |sum: Cell, bin: &Bin| Cell { calls: sum.calls + bin.calls, ns: sum.ns + bin.ns };
                let cell = same.iter().fold(Cell::default(), sum);
                let largest = &mut largest[column as usize];
                if largest.0.calls == 0 || cell.of(self.shade) > largest.0.of(self.shade) {
                    *largest = (cell, row);
                }
            }
        }
        largest
    }

    /// The longest call of a column among some locations.
    fn longest(&self, locations: &[LocationId], column: u32) -> Option<SpanRow> {
        let (from, to) = self.across.range(column);
        let spans = &self.store.spans;
        let of_location = |location: &LocationId| {
            let mut longest: Option<(i64, u64)> = None;
            let mut look = |row: u64, ns: i64, region: RegionId| {
                if region == self.region && (from..to).contains(&ns) && longest.is_none_or(|(most, _)| ns > most) {
                    longest = Some((ns, row));
                }
            };
            let in_sight = spans_in(self.store, *location, self.time);
            for row in in_sight.around {
                look(row, spans.end.get(row).since(spans.start.get(row)), spans.region.get(row));
            }
            let mut row = in_sight.inside.start;
            (&spans.start, &spans.end, &spans.region).for_each(in_sight.inside, |(start, end, region)| {
                look(row, end.since(start), region);
                row += 1;
            });
            longest
        };
        locations
            .iter()
            .filter_map(of_location)
            .max_by_key(|(ns, row)| (*ns, std::cmp::Reverse(*row)))
            .map(|(_, row)| SpanRow(row))
    }

    fn cell_size(&self) -> (f32, f32) {
        (self.plot.width / self.across.columns as f32, self.plot.height / self.down as f32)
    }

    fn name(&self) -> &'a str {
        self.store.regions.name.get(u64::from(self.region.0))
    }

    fn value_text(&self, value: u64) -> String {
        match self.shade {
            Shade::Calls => grouped(value),
            Shade::Time => duration_text(value.min(i64::MAX as u64) as i64),
        }
    }
}

/// The function whose calls are counted.
fn function_of(store: &Store, request: &ViewRequest, name: &str) -> Option<RegionId> {
    let emphasis = &request.emphasis;
    let named = if name.is_empty() { emphasis.highlighted.clone() } else { regions_named(store, name) };
    let usual = || regions_by_time(store).into_iter().map(|region| RegionId(region as u32));
    named.into_iter().next().or_else(|| usual().find(|region| !emphasis.hides(*region)))
}

/// The picture.
fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let store = trace.store;
    let colours = request.colours(store);
    let Some(grid) = Grid::new(trace, request) else {
        let title = format!("{} · histogram", store.name());
        let plot = plot_area(store, request);
        let mut scene = frame(request, plot, title, (Axis::default(), Axis::default()), &colours, Vec::new());
        scene.notes = vec!["No call of this function has a part in this window.".to_owned()];
        return scene;
    };
    let title = format!("{} · calls of {} by rank and duration", store.name(), grid.name());
    let down = grid.rows.axis(store, grid.plot, request.framing, rows_have_names(store));
    let across = grid.across.axis(grid.plot);
    let is_figure = request.framing == Framing::Figure;
    let untitled = |axis: Axis| if is_figure { axis } else { Axis { title: String::new(), ..axis } };
    let mut scene = frame(request, grid.plot, title, (untitled(across), untitled(down)), &colours, Vec::new());
    let ramp = Ramp::add(&mut scene.palette, request.theme, Palette::Sequential);
    let cells: Vec<(Cell, usize)> = (0..grid.down).into_par_iter().flat_map_iter(|band| grid.band(band)).collect();
    let most = cells.iter().map(|(cell, _)| cell.of(grid.shade)).max().unwrap_or(0);
    // By the logarithm: a single call among thousands is what one looks for.
    let share = |value: u64| ((value + 1) as f64).ln() / ((most + 1) as f64).ln().max(1e-9);
    let colour = |cell: &Cell| match cell.calls {
        0 => ColourId(0),
        _ => ramp.at(LEAST + (1.0 - LEAST) * share(cell.of(grid.shade)) as f32, Tone::Full),
    };
    scene.layers.push(Layer::Rects(vec![RectMark { rect: grid.plot, colour: colours.compute(), span: SpanRow::NONE }]));
    scene.layers.push(Layer::Raster(Raster {
        columns: grid.across.columns,
        rows: grid.down,
        colours: cells.iter().map(|(cell, _)| colour(cell)).collect(),
        strength: cells.iter().map(|(cell, _)| if cell.calls > 0 { u8::MAX } else { 0 }).collect(),
    }));
    let scale = ramp.scale();
    let first = (LEAST * scale.len() as f32) as usize;
    let title = if grid.shade == Shade::Calls { "Calls" } else { "Time together" };
    let least = cells.iter().map(|(cell, _)| cell).filter(|cell| cell.calls > 0).map(|cell| cell.of(grid.shade)).min();
    let least = least.unwrap_or(0);
    scene.colour_bar = Some(ColourBar {
        title: format!("{title} (log)"),
        colours: scale[first..].to_vec(),
        from: (least as f64, grid.value_text(least)),
        to: (most as f64, grid.value_text(most)),
    });
    scene.layers.extend(marks(&grid, request, colours.accent()).map(Layer::Rects));
    scene.notes = notes(&grid);
    scene
}

/// A longer list of ranks does not fit an address.
const LONGEST_RANKS: usize = 2_000;

/// The calls in a rectangle. Columns and rows are whole: one that it touches is in it.
fn area(trace: &Trace<'_>, request: &ViewRequest, rect: Rect) -> Option<Selection> {
    let grid = Grid::new(trace, request)?;
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
    let (first, last) = cells(left, right, grid.plot.x, width, grid.across.columns);
    let (upper, lower) = cells(top, bottom, grid.plot.y, height, grid.down);
    let shown: Vec<LocationId> =
        (upper..=lower).flat_map(|band| grid.rows.band(band, grid.down).iter().copied()).collect();
    let ranks: RankSet = grid.rows.stood_for(&shown).iter().map(|at| number_of(trace.store, *at)).collect();
    let lasting = (grid.across.range(first).0, grid.across.range(last).1);
    let is_short = ranks.to_string().len() <= LONGEST_RANKS;
    is_short.then(|| Selection::Calls(CallRange { lasting, ranks, function: grid.name().to_owned() }))
}

/// Boxes around selected calls of the function.
fn marks(grid: &Grid<'_>, request: &ViewRequest, colour: ColourId) -> Option<Vec<RectMark>> {
    let Some(Selection::Calls(CallRange { lasting, ranks, function })) = &request.emphasis.selected else {
        return None;
    };
    if function != grid.name() || lasting.1 <= grid.across.ends.0 || lasting.0 >= grid.across.ends.1 {
        return None;
    }
    let (plot, (width, _)) = (grid.plot, grid.cell_size());
    let column = |ns: i64| grid.across.column(bin_of(ns.clamp(grid.across.ends.0, grid.across.ends.1 - 1)));
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
    let all = grid
        .cells
        .iter()
        .flatten()
        .fold(Cell::default(), |all, bin| Cell { calls: all.calls + bin.calls, ns: all.ns + bin.ns });
    let with = grid.cells.iter().filter(|cells| !cells.is_empty()).count() as u64;
    let mut notes = vec![format!(
        "{} of {}, {} in all, on {} of {}.",
        counted(all.calls, "call"),
        grid.name(),
        duration_text(all.ns),
        grouped(with),
        counted(grid.rows.len() as u64, "rank")
    )];
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
    let column = (((at.0 - plot.x) / width) as u32).min(grid.across.columns - 1);
    let (cell, dearest) = *grid.band(row).get(column as usize)?;
    if cell.calls == 0 {
        return None;
    }
    let members = grid.rows.band(row, grid.down);
    let (who, whose) = match members {
        [one] => (row_name(store, *one), String::new()),
        several => {
            let whose = grid.rows.locations().get(dearest).map(|at| format!(" on {}", row_name(store, *at)));
            (
                format!("ranks {}", several.iter().map(|at| number_of(store, *at)).collect::<RankSet>()),
                whose.unwrap_or_default(),
            )
        }
    };
    let (from, to) = grid.across.range(column);
    let mut lines = vec![
        format!("{} to {}", duration_text(from), duration_text(to - 1)),
        format!("{}{whose}, {} together", counted(cell.calls, "call"), duration_text(cell.ns)),
    ];
    if members.len() > 1 {
        let own = |location: &&LocationId| {
            let row = grid.rows.row_of(**location);
            row.is_some_and(|row| grid.cells[row].iter().any(|bin| grid.across.column(bin.bin) == column))
        };
        let with = members.iter().filter(own).count() as u64;
        lines.push(format!("{} of {} have such calls", grouped(with), counted(members.len() as u64, "rank")));
    }
    lines.push("A click selects the longest of them".to_owned());
    Some(Picked {
        title: format!("{} · {who}", grid.name()),
        colour: request.colours(store).rgba(grid.region),
        lines,
        select: grid.longest(members, column).map(|span| Selection::Span(SpanName::of(store, span))),
        toggles: None,
        sets: None,
        area: Some(Rect { x: plot.x + column as f32 * width, y: plot.y + row as f32 * height, width, height }),
    })
}
