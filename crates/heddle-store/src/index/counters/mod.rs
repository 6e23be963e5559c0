//! Counters over time: the least, the largest and the mean value of any stretch, exactly, at the cost of a few dozen reads.
//!
//! The values that a location recorded of a counter are a **series**. Read as a *level*, a value holds until the next one,
//! the last until the end of the trace. Read as a *rate*, what was counted from one value to the next is spread evenly over
//! the time between them, per second; a counter that falls was begun anew, and has no rate there. Either way a series is a
//! function that is constant from **step** to step, and 16 steps, 256 and so on are summarised as **runs**. A stretch of
//! time is some single steps at its ends and whole runs between them, so nothing depends on how far one has zoomed.
//!
//! Values that a counter has at one instant become one for rates (the last, or the sum of differences), since nothing can be
//! counted in no time; levels keep all.
//!
//! Where many locations record a counter, a picture cannot ask them one by one. For these **bins** hold the same numbers of all
//! locations together, for some thousand stretches of the run.
//!
//! Size: 16 bytes for each value, 32/15 for each of its readings, and 32 for each bin.

mod build;

use std::ops::Range;
use std::path::Path;

use heddle_model::{LocationId, MetricId, MetricMode, Ns};

use crate::StoreError;
use crate::block::Columns;
use crate::index::spans_times;
use crate::table::{lie_within, require, table};
use crate::tables::{LocationTable, MetricTable};

pub(crate) use build::build;

/// Steps of a run, and runs of the next larger one.
const FAN: u64 = 16;
/// Counters of more locations than this have bins.
pub const MANY_SERIES: u64 = 64;
/// Nanoseconds of a second.
const SECOND: f64 = 1e9;

table! {
    /// Series, by location, then counter.
    SeriesRows, SeriesTable = "index/counters" {
        /// Where it was recorded.
        location: LocationId => "location",
        /// Which counter.
        metric: MetricId => "metric",
        /// Its first sample.
        first: u64 => "first_sample",
        /// How many there are.
        samples: u64 => "samples",
        /// Its first run: those of levels, then those of rates, the shortest runs first.
        first_run: u64 => "first_run",
    }
}

table! {
    /// Values by series, then time.
    SampleRows, SampleTable = "index/counter_samples" packed {
        /// When.
        time: Ns => "time_ns",
        /// The value.
        value: f64 => "value",
    }
}

table! {
    /// What neighbouring steps come to.
    RunRows, RunTable = "index/counter_runs" packed {
        /// The least value.
        least: f64 => "least",
        /// The largest.
        most: f64 => "most",
        /// Values times nanoseconds, added up.
        area: f64 => "area",
        /// For how long values are known.
        known: i64 => "known_ns",
    }
}

table! {
    /// The bins of a counter of many locations, by counter, then reading.
    BinListRows, BinListTable = "index/counter_bin_lists" {
        /// Which counter.
        metric: MetricId => "metric",
        /// 1 for rates, 0 for levels.
        is_rate: u8 => "is_rate",
        /// The first bin.
        first: u64 => "first_bin",
        /// How many there are.
        bins: u32 => "bins",
        /// How long each is.
        bin_ns: i64 => "bin_ns",
    }
}

table! {
    /// What all locations come to in a stretch of time.
    BinRows, BinTable = "index/counter_bins" packed {
        /// The least value.
        least: f64 => "least",
        /// The largest.
        most: f64 => "most",
        /// Values times nanoseconds, added up.
        area: f64 => "area",
        /// For how long values are known, added up over locations.
        known: i64 => "known_ns",
    }
}

/// How values are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As they were recorded; each holds until the next.
    Level,
    /// As growth per second.
    Rate,
}

/// The values of a counter at a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Series {
    /// Where it was recorded.
    pub location: LocationId,
    /// Which counter.
    pub metric: MetricId,
    /// How many values.
    pub samples: u64,
    /// Its place among all series.
    pub number: u64,
    mode: MetricMode,
    first: u64,
    first_run: u64,
}

impl Series {
    /// How many steps a reading has: a rate takes two values.
    pub fn steps(&self, reading: Reading) -> u64 {
        match reading {
            Reading::Level => self.samples,
            Reading::Rate => self.samples.saturating_sub(1),
        }
    }

    /// Where the runs of a reading begin.
    fn first_run(&self, reading: Reading) -> u64 {
        match reading {
            Reading::Level => self.first_run,
            Reading::Rate => self.first_run + runs_of(self.steps(Reading::Level)),
        }
    }
}

/// How many runs so many steps have, at all levels.
fn runs_of(steps: u64) -> u64 {
    let level = |below: &u64| (*below > 1).then(|| below.div_ceil(FAN));
    std::iter::successors(level(&steps), level).sum()
}

/// How many runs all readings of so many values have: what is absolute has no rate.
fn all_runs_of(samples: u64, mode: MetricMode) -> u64 {
    let of_rates = if mode == MetricMode::Absolute { 0 } else { runs_of(samples.saturating_sub(1)) };
    runs_of(samples) + of_rates
}

/// What a counter comes to in a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted {
    /// The least value, and the largest; not numbers where nothing is known.
    pub least: f64,
    /// The largest value.
    pub most: f64,
    /// Values times nanoseconds, added up.
    pub area: f64,
    /// For how many nanoseconds values are known, added up over locations.
    pub known: i64,
}

impl Default for Counted {
    fn default() -> Counted {
        Counted { least: f64::NAN, most: f64::NAN, area: 0.0, known: 0 }
    }
}

impl Counted {
    /// A value that holds for so long.
    fn step(value: f64, length: i64) -> Counted {
        if !value.is_finite() {
            return Counted::default();
        }
        Counted { least: value, most: value, area: value * length as f64, known: length }
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Counted) -> Counted {
        Counted {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            area: self.area + other.area,
            known: self.known.saturating_add(other.known),
        }
    }

    /// Whether any value is known.
    pub fn is_known(&self) -> bool {
        self.least.is_finite()
    }

    /// The mean over the time for which values are known; of a value that held for no time, the value.
    pub fn mean(&self) -> Option<f64> {
        let mean = if self.known > 0 { self.area / self.known as f64 } else { self.most };
        // Rounding must not carry it beyond its ends.
        self.is_known().then(|| mean.clamp(self.least, self.most))
    }
}

/// The value of the step from one sample to the next.
fn value_of(mode: MetricMode, reading: Reading, from: (Ns, f64), to: (Ns, f64)) -> f64 {
    if reading == Reading::Level {
        return from.1;
    }
    let growth = if mode == MetricMode::Relative { to.1 } else { to.1 - from.1 };
    let is_reset = mode == MetricMode::Accumulated && growth < 0.0;
    if is_reset { f64::NAN } else { growth * SECOND / to.0.since(from.0).max(1) as f64 }
}

/// The index, open.
#[derive(Debug)]
pub struct CounterIndex {
    series: SeriesTable,
    samples: SampleTable,
    runs: RunTable,
    bin_lists: BinListTable,
    bins: BinTable,
    modes: Vec<MetricMode>,
    end: Ns,
}

impl CounterIndex {
    pub(crate) fn open(
        directory: &Path,
        locations: &LocationTable,
        metrics: &MetricTable,
        end: Ns,
    ) -> Result<CounterIndex, StoreError> {
        let (mut series, mut samples) = (SeriesTable::open(directory)?, SampleTable::open(directory)?);
        let runs = RunTable::open(directory)?;
        let rows = 0..series.len();
        let samples_of = |row| (series.first.get(row), series.samples.get(row));
        let runs_of = |row| {
            let mode = metrics.mode_of(series.metric.get(row));
            (series.first_run.get(row), all_runs_of(series.samples.get(row), mode))
        };
        let fits = lie_within(rows.clone().map(samples_of), samples.len())
            && lie_within(rows.map(runs_of), runs.len())
            && series.location.must_be_below(locations.len())
            && series.metric.must_be_below(metrics.len());
        require::<SeriesRows>(directory, fits)?;
        require::<SampleRows>(directory, samples.time.must_be_times())?;
        let (lists, bins) = (BinListTable::open(directory)?, BinTable::open(directory)?);
        let fits = |row: u64| {
            let count = lists.bins.get(row);
            spans_times(count, lists.bin_ns.get(row))
                && lie_within([(lists.first.get(row), u64::from(count))], bins.len())
        };
        require::<BinListRows>(directory, (0..lists.len()).all(fits))?;
        Ok(CounterIndex {
            series,
            samples,
            runs,
            bin_lists: lists,
            bins,
            modes: (0..metrics.len()).map(|row| metrics.mode_of(MetricId(row as u32))).collect(),
            end,
        })
    }

    /// How values of a counter are read unless somebody wants them as they were recorded: what accumulates, as rates.
    pub fn usual_reading(&self, metric: MetricId) -> Reading {
        match self.modes.get(metric.index()) {
            Some(MetricMode::Accumulated | MetricMode::Relative) => Reading::Rate,
            Some(MetricMode::Absolute) | None => Reading::Level,
        }
    }

    /// How many series there are.
    pub fn series_count(&self) -> u64 {
        self.series.len()
    }

    /// All series, by location, then counter.
    pub fn series(&self) -> impl Iterator<Item = Series> + '_ {
        (0..self.series.len()).map(|row| self.series_at(row))
    }

    /// The values of a counter at a location, if it recorded any.
    pub fn series_of(&self, location: LocationId, metric: MetricId) -> Option<Series> {
        let table = &self.series;
        let first = table.location.partition_point(0..table.len(), |other| other < location);
        let after = table.location.partition_point(first..table.len(), |other| other <= location);
        let row = table.metric.partition_point(first..after, |other| other < metric);
        (row < after && table.metric.get(row) == metric).then(|| self.series_at(row))
    }

    fn series_at(&self, row: u64) -> Series {
        let table = &self.series;
        let metric = table.metric.get(row);
        Series {
            location: table.location.get(row),
            metric,
            samples: table.samples.get(row),
            number: row,
            mode: self.modes.get(metric.index()).copied().unwrap_or(MetricMode::Absolute),
            first: table.first.get(row),
            first_run: table.first_run.get(row),
        }
    }

    /// How many values were recorded in a stretch of time, its end excluded.
    pub fn samples_in(&self, series: &Series, (from, to): (Ns, Ns)) -> u64 {
        self.before(series, to).saturating_sub(self.before(series, from))
    }

    /// How many values were recorded before a moment.
    fn before(&self, series: &Series, moment: Ns) -> u64 {
        let rows = series.first..series.first + series.samples;
        self.samples.time.partition_point(rows, |time| time < moment) - series.first
    }

    /// What a series comes to in the stretches between neighbouring edges. A stretch has what begins in it, and what is in
    /// force when it begins; its end belongs to the next one.
    pub fn between(&self, series: &Series, reading: Reading, edges: &[Ns]) -> Vec<Counted> {
        let rate_is_known = reading == Reading::Level || series.mode != MetricMode::Absolute;
        let steps = if rate_is_known { series.steps(reading) } else { 0 };
        let mut before = edges.first().map_or(0, |edge| self.before(series, *edge));
        let mut all = Vec::with_capacity(edges.len().saturating_sub(1));
        for pair in edges.windows(2) {
            let (from, to) = (pair[0], Ns(pair[1].0.max(pair[0].0 + 1)));
            let (first, after) = self.in_force(series, before, (from, to));
            all.push(self.within(series, reading, first..after.min(steps), (from, to)));
            before = if pair[1] >= to { after } else { before };
        }
        all
    }

    /// The first value in force in a stretch of time, and the one after the last that was recorded in it; so many were
    /// recorded before.
    fn in_force(&self, series: &Series, before: u64, (from, to): (Ns, Ns)) -> (u64, u64) {
        let rows = series.first + before..series.first + series.samples;
        let after = self.samples.time.partition_point(rows, |time| time < to) - series.first;
        // What is in force at `from`, unless something begins there.
        let begins_here = before < after && self.samples.time.get(series.first + before) == from;
        (if begins_here { before } else { before.saturating_sub(1) }, after)
    }

    /// The steps with a part in a stretch of time: what begins in it, and what is in force when it begins. Only the first and
    /// the last of them can reach beyond it.
    pub fn steps_in(&self, series: &Series, reading: Reading, (from, to): (Ns, Ns)) -> Range<u64> {
        let (first, after) = self.in_force(series, self.before(series, from), (from, to));
        let after = after.min(series.steps(reading));
        // The last value ends with the run, which may be before the stretch begins.
        let is_over = |step: u64| {
            let (_, start, end) = self.step(series, reading, step);
            start < from && end <= from
        };
        if first < after && !is_over(first) { first..after } else { 0..0 }
    }

    /// Calls `visit` with value, begin and end of some steps. Where a counter was begun anew the value is no number.
    pub fn for_each_step(
        &self,
        series: &Series,
        reading: Reading,
        steps: Range<u64>,
        mut visit: impl FnMut(f64, Ns, Ns),
    ) {
        let rows = series.first + steps.start..series.first + (steps.end + 1).min(series.samples);
        let mut waiting: Option<(Ns, f64)> = None;
        (&self.samples.time, &self.samples.value).for_each(rows, |(time, value)| {
            if let Some(from) = waiting.replace((time, value)) {
                visit(value_of(series.mode, reading, from, (time, value)), from.0, time);
            }
        });
        // The last value of all holds until the end.
        if let Some((time, value)) = waiting.filter(|_| !steps.is_empty() && steps.end == series.samples) {
            visit(value, time, self.end.max(time));
        }
    }

    /// What some steps come to within a stretch of time. Only the first and the last can reach beyond it.
    fn within(&self, series: &Series, reading: Reading, steps: Range<u64>, (from, to): (Ns, Ns)) -> Counted {
        let clipped = |at: u64| {
            let (value, start, end) = self.step(series, reading, at);
            let length = end.min(to).since(start.max(from)).max(0);
            if start < from && length == 0 { Counted::default() } else { Counted::step(value, length) }
        };
        if steps.is_empty() {
            return Counted::default();
        }
        let (first, last) = (steps.start, steps.end - 1);
        if first == last {
            return clipped(first);
        }
        clipped(first).and(self.whole(series, reading, first + 1..last)).and(clipped(last))
    }

    /// Value, begin and end of a step.
    fn step(&self, series: &Series, reading: Reading, at: u64) -> (f64, Ns, Ns) {
        let row = series.first + at;
        let sample = |row: u64| (self.samples.time.get(row), self.samples.value.get(row));
        let from = sample(row);
        if at + 1 < series.samples {
            let to = sample(row + 1);
            return (value_of(series.mode, reading, from, to), from.0, to.0);
        }
        (from.1, from.0, self.end.max(from.0))
    }

    /// What whole steps come to: single ones up to the next run, then runs, then longer runs.
    fn whole(&self, series: &Series, reading: Reading, steps: Range<u64>) -> Counted {
        let (mut from, mut to) = (steps.start, steps.end);
        let mut sum = Counted::default();
        let mut level: Option<u64> = None;
        let mut count = series.steps(reading);
        let mut first = series.first_run(reading);
        while from < to {
            let one = |at: u64| match level {
                None => {
                    let (value, start, end) = self.step(series, reading, at);
                    Counted::step(value, end.since(start))
                }
                Some(first) => self.run(first + at),
            };
            while from < to && !from.is_multiple_of(FAN) {
                sum = sum.and(one(from));
                from += 1;
            }
            while from < to && !to.is_multiple_of(FAN) {
                to -= 1;
                sum = sum.and(one(to));
            }
            (from, to) = (from / FAN, to / FAN);
            level = Some(first);
            count = count.div_ceil(FAN);
            first += count;
        }
        sum
    }

    fn run(&self, row: u64) -> Counted {
        let RunTable { least, most, area, known, .. } = &self.runs;
        Counted { least: least.get(row), most: most.get(row), area: area.get(row), known: known.get(row) }
    }

    /// What all locations of a counter come to, bin by bin from the beginning of the run, and how long a bin is; none for
    /// counters of few locations, which can be asked one by one.
    pub fn of_all(&self, metric: MetricId, reading: Reading) -> Option<(i64, Vec<Counted>)> {
        let lists = &self.bin_lists;
        let is_it = |row: &u64| {
            lists.metric.get(*row) == metric && (lists.is_rate.get(*row) != 0) == (reading == Reading::Rate)
        };
        let row = (0..lists.len()).find(is_it)?;
        let BinTable { least, most, area, known, .. } = &self.bins;
        let first = lists.first.get(row);
        let bin =
            |at: u64| Counted { least: least.get(at), most: most.get(at), area: area.get(at), known: known.get(at) };
        let bins = (first..first + u64::from(lists.bins.get(row))).map(bin).collect();
        Some((lists.bin_ns.get(row), bins))
    }
}
