//! What a histogram counts, and its cells.

use std::sync::Arc;

use heddle_model::{LocationId, MetricId, Ns, RegionId, SpanRow};
use heddle_profile::Bin;
use heddle_profile::bins::binned;
use heddle_store::index::{Reading, Series};
use heddle_store::{Columns, Store};

use super::across::{Across, Scale};
use super::{HistogramOptions, Shade};
use crate::analyses::Trace;
use crate::lookup::counter_rows::{CounterRow, CounterRows};
use crate::lookup::counters::{exact_with_unit, metrics_named};
use crate::lookup::enclosing::spans_in;
use crate::request::ViewRequest;
use crate::request::rows::Rows;
use crate::request::window::shortened;
use crate::scene::Rect;
use crate::scene::frame::plot_area;
use crate::scene::theme::regions_by_time;
use crate::scene::ticks::{counted, duration_text, grouped};
use crate::views::counters::lanes::unit_of;
use crate::views::selected::regions_named;

/// Characters of the name of a counter.
const MOST_NAME: usize = 60;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// Calls of a function, by duration.
    Calls(RegionId),
    /// Values of a counter, by size.
    Values(MetricId),
}

/// Calls of some duration, or values of some size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) count: u64,
    pub(super) ns: i64,
}

impl Cell {
    pub(super) fn of(self, shade: Shade) -> u64 {
        match shade {
            Shade::Calls => self.count,
            Shade::Time => self.ns.max(0).cast_unsigned(),
        }
    }

    pub(super) fn and(self, bin: &Bin) -> Cell {
        Cell { count: self.count + bin.count, ns: self.ns.saturating_add(bin.ns) }
    }
}

/// What is to be drawn, and where.
pub(super) struct Grid<'a> {
    pub(super) store: &'a Store,
    pub(super) subject: Subject,
    time: (Ns, Ns),
    pub(super) rows: Rows,
    pub(super) plot: Rect,
    /// Rows of the picture.
    pub(super) down: u32,
    pub(super) across: Across,
    pub(super) shade: Shade,
    /// What each rank has, by row in sight: bins, ascending.
    pub(super) cells: Arc<Vec<Vec<Bin>>>,
    /// Places that recorded the counter and belong to no row.
    pub(super) elsewhere: usize,
}

impl<'a> Grid<'a> {
    pub(super) fn new(trace: &'a Trace<'_>, request: &ViewRequest) -> Option<Grid<'a>> {
        let store = trace.store;
        let HistogramOptions { function, counter, bins, shade } = request.options.checked();
        let time = request.window.time(store);
        let rows = Rows::of(store, &request.window);
        let mut elsewhere = 0;
        let (subject, scale, cells) = if counter.is_empty() {
            let region = function_of(store, request, &function)?;
            let cells = binned(trace.profile.as_deref()?, store, rows.locations(), time, region);
            (Subject::Calls(region), Scale::Durations, cells)
        } else {
            let metric = counter_named(store, &counter).ok()?;
            let (series, others) = series_of(store, request, &rows, metric);
            elsewhere = others;
            (Subject::Values(metric), Scale::Values, trace.values.as_deref()?.binned(store, series, time))
        };
        let across = Across::new(scale, bins, cells.iter().flatten().map(|bin| bin.bin))?;
        let plot = plot_area(store, request);
        let down = rows.bands(plot.height);
        Some(Grid { store, subject, time, rows, plot, down, across, shade, cells, elsewhere })
    }

    /// What a row in sight has in each column that has any, from the first column on.
    fn columns_of(&self, row: usize) -> impl Iterator<Item = (u32, Cell)> {
        let columns = self.cells[row].iter().scan(0, |column, bin| {
            *column = self.across.column_from(*column, bin.bin);
            Some((*column, Cell::default().and(bin)))
        });
        // Bins of a column are neighbours.
        let mut columns = columns.peekable();
        std::iter::from_fn(move || {
            let (column, mut cell) = columns.next()?;
            while let Some((_, more)) = columns.next_if(|(next, _)| *next == column) {
                cell = Cell { count: cell.count + more.count, ns: cell.ns.saturating_add(more.ns) };
            }
            Some((column, cell))
        })
    }

    /// Columns of a row of the picture, each with the largest value of its ranks, and that rank's row.
    pub(super) fn band(&self, band: u32) -> Vec<(Cell, usize)> {
        let mut largest = vec![(Cell::default(), 0); self.across.columns() as usize];
        for location in self.rows.band(band, self.down) {
            let Some(row) = self.rows.row_of(*location) else { continue };
            for (column, cell) in self.columns_of(row) {
                let largest = &mut largest[column as usize];
                if largest.0.count == 0 || cell.of(self.shade) > largest.0.of(self.shade) {
                    *largest = (cell, row);
                }
            }
        }
        largest
    }

    /// How many of some ranks have anything in a column.
    pub(super) fn with(&self, locations: &[LocationId], column: u32) -> u64 {
        let has = |location: &&LocationId| {
            self.rows.row_of(**location).is_some_and(|row| self.columns_of(row).any(|(own, _)| own == column))
        };
        locations.iter().filter(has).count() as u64
    }

    /// All cells together, and how many ranks have any.
    pub(super) fn all(&self) -> (Cell, u64) {
        let all = self.cells.iter().flatten().fold(Cell::default(), Cell::and);
        (all, self.cells.iter().filter(|cells| !cells.is_empty()).count() as u64)
    }

    /// The longest call of a column among some locations.
    pub(super) fn longest(&self, locations: &[LocationId], column: u32) -> Option<SpanRow> {
        let Subject::Calls(of) = self.subject else { return None };
        let (from, to) = self.across.range(column);
        let spans = &self.store.spans;
        let of_location = |location: &LocationId| {
            let mut longest: Option<(i64, u64)> = None;
            let mut look = |row: u64, ns: i64, region: RegionId| {
                if region == of && (from as i64..to as i64).contains(&ns) && longest.is_none_or(|(most, _)| ns > most) {
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

    pub(super) fn cell_size(&self) -> (f32, f32) {
        (self.plot.width / self.across.columns() as f32, self.plot.height / self.down as f32)
    }

    /// The name of the function or the counter. Hostile text.
    pub(super) fn name(&self) -> String {
        match self.subject {
            Subject::Calls(region) => self.store.regions.name.get(u64::from(region.0)).to_owned(),
            Subject::Values(metric) => shortened(self.store.metrics.name.get(u64::from(metric.0)), MOST_NAME),
        }
    }

    /// What the horizontal axis is of.
    pub(super) fn axis_title(&self) -> String {
        match self.subject {
            Subject::Calls(_) => "duration".to_owned(),
            Subject::Values(metric) => {
                let unit = unit_of(self.store, metric, self.reading(metric));
                if unit.is_empty() { self.name() } else { format!("{}, {unit}", self.name()) }
            }
        }
    }

    /// How the values of a counter are read.
    pub(super) fn reading(&self, metric: MetricId) -> Reading {
        self.store.counters.usual_reading(metric)
    }

    /// So many calls, or values.
    pub(super) fn counted(&self, count: u64) -> String {
        counted(count, if matches!(self.subject, Subject::Calls(_)) { "call" } else { "value" })
    }

    /// A duration or a value at a tick.
    pub(super) fn edge_text(&self, edge: f64) -> String {
        match self.subject {
            Subject::Calls(_) => round_text(edge as i64),
            Subject::Values(metric) => exact_with_unit(self.store, metric, edge),
        }
    }

    /// Durations or values of a column.
    pub(super) fn range_text(&self, column: u32) -> String {
        let (from, to) = self.across.range(column);
        match self.subject {
            Subject::Calls(_) => format!("{} to {}", duration_text(from as i64), duration_text(to as i64 - 1)),
            Subject::Values(metric) => {
                let per = if self.reading(metric) == Reading::Rate { "/s" } else { "" };
                let text = |value: f64| format!("{}{per}", exact_with_unit(self.store, metric, value));
                format!("{} to {}", text(from), text(to))
            }
        }
    }

    /// What a colour stands for.
    pub(super) fn value_text(&self, value: u64) -> String {
        match self.shade {
            Shade::Calls => grouped(value),
            Shade::Time => duration_text(value.min(i64::MAX as u64) as i64),
        }
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

/// The function whose calls are counted.
fn function_of(store: &Store, request: &ViewRequest, name: &str) -> Option<RegionId> {
    let emphasis = &request.emphasis;
    let named = if name.is_empty() { emphasis.highlighted.clone() } else { regions_named(store, name) };
    let usual = || regions_by_time(store).into_iter().map(|region| RegionId(region as u32));
    named.into_iter().next().or_else(|| usual().find(|region| !emphasis.hides(*region)))
}

/// The counter whose values are counted: the one of this name, or the only one with that in its name.
pub(super) fn counter_named(store: &Store, name: &str) -> Result<MetricId, String> {
    let some = metrics_named(store, name)?;
    let called = |metric: &MetricId| store.metrics.name.get(u64::from(metric.0));
    match some.as_slice() {
        [first, others @ ..] if others.iter().all(|other| called(other) == called(first)) => Ok(*first),
        several => {
            let names: Vec<&str> = several.iter().take(4).map(called).collect();
            Err(format!("must name one counter; `{name}` is in the names of {}", names.join(", ")))
        }
    }
}

/// The series of each row in sight, and how many belong to no row.
fn series_of(store: &Store, request: &ViewRequest, rows: &Rows, metric: MetricId) -> (Vec<Vec<Series>>, usize) {
    let places = CounterRows::new(store, &request.window, rows);
    let mut of_rows: Vec<Vec<Series>> = vec![Vec::new(); rows.len()];
    let mut others = 0;
    for series in store.counters.series().filter(|series| series.metric == metric) {
        match places.row_of(&series) {
            CounterRow::Own(row) | CounterRow::OfProcess(row) => of_rows[row].push(series),
            CounterRow::OfNone => others += 1,
            CounterRow::Elsewhere => {}
        }
    }
    (of_rows, others)
}
