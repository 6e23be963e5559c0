//! The values of a metric, opened; made on first use and kept beside the steps they belong to.
//!
//! Most values follow from times and minima in a few instructions and are not stored. What takes longer (differential
//! lateness, counters) has columns of its own. Every metric has its sum over each step, exactly, and tiles.

use std::ops::Range;
use std::path::Path;

use heddle_store::table::require;
use heddle_store::{Derived, Progress, Store, StoreError, table, write_table};

use super::Metric;
use super::reduce::{Cells, MOST_VISITED, Reduced, reduce};
use super::sums::{Sums, write_sums};
use super::tiles::{FEW_EVENTS, Grid, Tiles, build};
use super::{counters, differential};
use crate::event_times::EventTimes;
use crate::{Logical, work};

table! {
    /// Values that are not worked out anew each time.
    SideRows, SideTable = "values" packed {
        /// Of the event.
        event: f64 => "value" nullable,
        /// Of the aggregate before it.
        aggregate: f64 => "aggregate_value" nullable,
    }
}

table! {
    /// What is known of the whole trace.
    SummaryRows, SummaryTable = "summary" {
        /// The largest value of an event; null if no event has one.
        largest: f64 => "largest" nullable,
        /// The largest value of an aggregate.
        largest_aggregate: f64 => "largest_aggregate" nullable,
        /// The least value of either.
        least: f64 => "least" nullable,
    }
}

/// What a metric says of an event.
#[derive(Clone, Copy, Debug)]
pub struct EventValue {
    /// The event's step.
    pub step: u32,
    /// Its value; not a number where it is not known.
    pub event: f64,
    /// The value of the aggregate before it.
    pub aggregate: f64,
}

/// The values of one metric.
#[derive(Debug)]
pub struct MetricValues {
    metric: Metric,
    side: Option<SideTable>,
    sums: Sums,
    tiles: Tiles,
    summary: SummaryTable,
    place: Derived,
}

impl MetricValues {
    /// Opens the values of a metric; makes them first if they are not there.
    pub fn open(
        store: &Store,
        logical: &Logical,
        metric: Metric,
        progress: &dyn Progress,
    ) -> Result<MetricValues, StoreError> {
        let place = place(logical, metric);
        place.open_or_make(
            progress,
            |directory| MetricValues::open_files(directory, logical, metric, &place),
            |directory| make(directory, store, logical, metric, progress),
        )
    }

    /// The same, only if they are there.
    pub fn find(logical: &Logical, metric: Metric) -> Option<MetricValues> {
        let place = place(logical, metric);
        place.find(|directory| MetricValues::open_files(directory, logical, metric, &place))
    }

    fn open_files(
        directory: &Path,
        logical: &Logical,
        metric: Metric,
        place: &Derived,
    ) -> Result<MetricValues, StoreError> {
        let side = if has_side(metric) { Some(SideTable::open(directory)?) } else { None };
        require::<SideRows>(directory, side.as_ref().is_none_or(|side| side.len() == logical.events.len()))?;
        Ok(MetricValues {
            metric,
            side,
            sums: Sums::open(directory, metric.is_time(), logical.steps.len())?,
            tiles: Tiles::open(directory)?,
            summary: SummaryTable::open(directory)?,
            place: place.clone(),
        })
    }

    /// Where they are kept: what belongs to them may be kept there too.
    pub(crate) fn place(&self) -> &Derived {
        &self.place
    }

    /// Which metric.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The value of an event, in nanoseconds or the counter's unit; not a number where it is not known.
    pub fn value(&self, logical: &Logical, event: u64) -> f64 {
        match &self.side {
            Some(side) => side.event.get(event),
            None => values(self.metric, logical, &logical.times(event)).0,
        }
    }

    /// The value of the aggregate before an event.
    pub fn aggregate(&self, logical: &Logical, event: u64) -> f64 {
        match (&self.side, self.metric) {
            (Some(side), _) => side.aggregate.get(event),
            (None, Metric::Duration | Metric::Enter) => values(self.metric, logical, &logical.times_since(event)).1,
            (None, _) => values(self.metric, logical, &logical.times(event)).1,
        }
    }

    /// Visits some events of a row in order, with their values.
    pub fn for_each(&self, logical: &Logical, row: u32, events: Range<u64>, visit: impl FnMut(EventValue)) {
        EventGrid { metric: self.metric, side: self.side.as_ref(), logical }.visit_events(row, events, visit);
    }

    /// The sums over each step, and the largest values in it.
    pub fn sums(&self) -> &Sums {
        &self.sums
    }

    /// The largest value of all events and, if asked for, aggregates; 0 if none is known.
    pub fn largest(&self, aggregates: bool) -> f64 {
        let (event, aggregate) = (self.summary.largest.get(0), self.summary.largest_aggregate.get(0));
        let largest = if aggregates { event.max(aggregate) } else { event };
        if largest.is_finite() { largest } else { 0.0 }
    }

    /// The least value of all; 0 if none is known.
    pub fn least(&self) -> f64 {
        let least = self.summary.least.get(0);
        if least.is_finite() { least } else { 0.0 }
    }

    /// The metric in the cells of a picture.
    pub fn reduce(&self, logical: &Logical, cells: &Cells<'_>) -> Reduced {
        reduce(&EventGrid { metric: self.metric, side: self.side.as_ref(), logical }, &self.tiles, cells, MOST_VISITED)
    }
}

/// Where a metric's files are.
fn place(logical: &Logical, metric: Metric) -> Derived {
    let name = match metric {
        // Names of counters may be anything; their numbers are as good.
        Metric::Counter(counter) => format!("metric-counted-{}", counter.0),
        other => {
            let word = Metric::WORDS.into_iter().find(|(_, metric)| *metric == other).map_or("", |(word, _)| word);
            format!("metric-{word}")
        }
    };
    logical.place().part(&name)
}

fn has_side(metric: Metric) -> bool {
    matches!(metric, Metric::Differential | Metric::PhaseDifferential | Metric::Counter(_))
}

fn make(
    directory: &Path,
    store: &Store,
    logical: &Logical,
    metric: Metric,
    progress: &dyn Progress,
) -> Result<(), StoreError> {
    let events = logical.events.len();
    let passes = 2 + u64::from(has_side(metric));
    progress.begin(work::COMPARING, passes * events);
    let side = match metric {
        Metric::Differential => Some(differential::write(directory, store, logical, false, progress)?),
        Metric::PhaseDifferential => Some(differential::write(directory, store, logical, true, progress)?),
        Metric::Counter(counter) => Some(counters::write(directory, store, logical, counter, progress)?),
        _ => None,
    };
    let side = side.map(|()| SideTable::open(directory)).transpose()?;
    let grid = EventGrid { metric, side: side.as_ref(), logical };
    let extremes = write_sums(directory, &grid, metric.is_time(), progress)?;
    build(directory, &grid, events, FEW_EVENTS, progress)?;
    let known = |value: f64| if value.is_finite() { value } else { f64::NAN };
    let summary = SummaryRows {
        largest: vec![known(extremes.largest)],
        largest_aggregate: vec![known(extremes.largest_aggregate)],
        least: vec![known(extremes.least)],
    };
    write_table(directory, summary).map(drop)
}

/// The values of an event and of the aggregate before it, for metrics that are not stored.
#[inline]
fn values(metric: Metric, logical: &Logical, event: &EventTimes) -> (f64, f64) {
    let times = |event: i64, aggregate: i64| (event as f64, aggregate as f64);
    match metric {
        Metric::Lateness => times(event.lateness(logical), event.aggregate_lateness(logical)),
        Metric::PhaseLateness => times(event.phase_lateness(logical), event.phase_aggregate_lateness(logical)),
        Metric::Duration => times(event.duration(logical), event.gap(logical)),
        // An aggregate begins where the event before ends, and ends where its own begins.
        Metric::Enter => times(event.enter.0, event.before.map_or(0, |before| before.0)),
        Metric::Exit => times(event.leave.0, event.enter.0),
        Metric::Differential | Metric::PhaseDifferential | Metric::Counter(_) => (f64::NAN, f64::NAN),
    }
}

/// The events with their values.
pub(super) struct EventGrid<'a> {
    metric: Metric,
    side: Option<&'a SideTable>,
    logical: &'a Logical,
}

impl EventGrid<'_> {
    /// Visits events of a row with their exact values.
    pub(super) fn visit_exactly(&self, row: u32, steps: Range<u32>, mut visit: impl FnMut(u32, f64, f64)) {
        let events = self.logical.events_in(row, steps);
        self.visit_events(row, events, |value| visit(value.step, value.event, value.aggregate));
    }

    fn visit_events(&self, row: u32, events: Range<u64>, mut visit: impl FnMut(EventValue)) {
        let (metric, logical) = (self.metric, self.logical);
        let Some(side) = self.side else {
            logical.for_each_event(row, events, |times| {
                let (event, aggregate) = values(metric, logical, &times);
                visit(EventValue { step: times.step, event, aggregate });
            });
            return;
        };
        let values = side.event.iter(events.clone()).zip(side.aggregate.iter(events.clone()));
        for (step, (event, aggregate)) in logical.events.step.iter(events).zip(values) {
            visit(EventValue { step, event, aggregate });
        }
    }
}

impl Grid for EventGrid<'_> {
    fn rows(&self) -> u32 {
        self.logical.rows.len() as u32
    }

    fn steps(&self) -> u32 {
        self.logical.steps.len() as u32
    }

    fn count(&self, row: u32, steps: Range<u32>) -> u64 {
        let events = self.logical.events_in(row, steps);
        events.end - events.start
    }

    fn visit(&self, row: u32, steps: Range<u32>, mut visit: impl FnMut(u32, f32, f32)) {
        self.visit_exactly(row, steps, |step, value, aggregate| visit(step, value as f32, aggregate as f32));
    }
}
