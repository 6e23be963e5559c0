//! Builds the index of counters from the table of their values, location by location.
//!
//! Values of a location are mixed, in the order of time. Counters are taken out together as long as their values fit into the
//! budget; one that does not fit by itself is read from the table as often as it is needed. Besides that there are 2 bytes for
//! each value of the longest series, and the bins.

use std::ops::Range;

use rustc_hash::FxHashMap;

use heddle_model::{LocationId, MetricId, MetricMode, Ns};

use super::{
    BinListRows, BinRows, Counted, FAN, MANY_SERIES, Reading, RunRows, SampleRows, SeriesRows, runs_of, value_of,
};
use crate::StoreError;
use crate::block::Columns;
use crate::index::IndexContext;
use crate::table::{TableWriter, write_table};
use crate::tables::{MetricTable, MetricValueTable};

/// log2 of the bins of a counter of many locations, unless there are too many counters for the budget.
const BINS_LOG2: u32 = 12;
/// Fewer would be wider than anybody wants to see.
const LEAST_BINS_LOG2: u32 = 6;

/// A value and when it was recorded.
type Sample = (Ns, f64);

pub(crate) fn build(context: &IndexContext) -> Result<(), StoreError> {
    let values = MetricValueTable::open(context.directory)?;
    let metrics = MetricTable::open(context.directory)?;
    let mut writer = Writer::create(context, &metrics)?;
    let mut first = 0;
    while first < values.len() {
        context.progress.check()?;
        let location = values.location.get(first);
        let after = values.location.partition_point(first..values.len(), |other| other <= location);
        write_location(context, &values, (location, first..after), &mut writer)?;
        first = after;
    }
    writer.finish()
}

/// All series of a location, as many at once as fit.
fn write_location(
    context: &IndexContext,
    values: &MetricValueTable,
    (location, rows): (LocationId, Range<u64>),
    writer: &mut Writer,
) -> Result<(), StoreError> {
    let mut counts: FxHashMap<MetricId, u64> = FxHashMap::default();
    for metric in values.metric.iter(rows.clone()).filter(|metric| metric.index() < writer.modes.len()) {
        *counts.entry(metric).or_default() += 1;
    }
    let mut counts: Vec<(MetricId, u64)> = counts.into_iter().collect();
    counts.sort_unstable();
    let room = (context.memory / 4 / size_of::<Sample>() as u64).max(1);
    let mut rest = &counts[..];
    while let Some(((metric, count), _)) = rest.split_first() {
        if *count > room {
            let each = |visit: &mut dyn FnMut(Sample)| {
                let columns = (&values.metric, &values.time, &values.value);
                columns.for_each(rows.clone(), |(other, time, value)| {
                    if other == *metric {
                        visit((time, value));
                    }
                });
            };
            writer.write(location, *metric, &each)?;
            rest = &rest[1..];
            continue;
        }
        let mut sum = 0;
        let fitting = rest.iter().take_while(|(_, count)| {
            sum += count;
            sum <= room
        });
        let (some, others) = rest.split_at(fitting.count());
        let mut of_metric: FxHashMap<MetricId, Vec<Sample>> =
            some.iter().map(|(metric, count)| (*metric, Vec::with_capacity(*count as usize))).collect();
        (&values.metric, &values.time, &values.value).for_each(rows.clone(), |(metric, time, value)| {
            if let Some(samples) = of_metric.get_mut(&metric) {
                samples.push((time, value));
            }
        });
        for (metric, _) in some {
            let samples = of_metric.remove(metric).unwrap_or_default();
            writer.write(location, *metric, &|visit| samples.iter().copied().for_each(visit))?;
        }
        rest = others;
    }
    Ok(())
}

/// Visits samples in the order of time, as often as it is called.
type Each<'a> = &'a dyn Fn(&mut dyn FnMut(Sample));

/// What is known of a counter of all locations.
struct Bins {
    series: u64,
    of_readings: [Vec<Counted>; 2],
}

struct Writer<'a> {
    context: &'a IndexContext<'a>,
    modes: Vec<MetricMode>,
    series: TableWriter<SeriesRows>,
    samples: TableWriter<SampleRows>,
    runs: TableWriter<RunRows>,
    runs_written: u64,
    bins_log2: u32,
    bin_ns: i64,
    bins: FxHashMap<MetricId, Bins>,
}

impl<'a> Writer<'a> {
    fn create(context: &'a IndexContext<'a>, metrics: &MetricTable) -> Result<Writer<'a>, StoreError> {
        let of_one = |log2: u32| (2 * size_of::<Counted>() as u64 * metrics.len().max(1)) << log2;
        let fits = |log2: &u32| of_one(*log2) <= context.memory / 4;
        let bins_log2 = (LEAST_BINS_LOG2..=BINS_LOG2).rev().find(fits).unwrap_or(LEAST_BINS_LOG2);
        Ok(Writer {
            context,
            modes: (0..metrics.len()).map(|row| metrics.mode_of(MetricId(row as u32))).collect(),
            series: TableWriter::create(context.directory)?,
            samples: TableWriter::create(context.directory)?,
            runs: TableWriter::create(context.directory)?,
            runs_written: 0,
            bins_log2,
            bin_ns: (context.end.0.max(0) >> bins_log2) + 1,
            bins: FxHashMap::default(),
        })
    }

    /// A series, with the runs of its readings.
    fn write(&mut self, location: LocationId, metric: MetricId, each: Each<'_>) -> Result<(), StoreError> {
        let mode = self.modes[metric.index()];
        let first = self.samples.rows();
        let mut problem = Ok(());
        one_by_instant(mode, each, &mut |(time, value)| {
            let pending = self.samples.pending().1;
            pending.time.push(time);
            pending.value.push(value);
            if problem.is_ok() {
                problem = self.samples.flush_full();
            }
        });
        problem?;
        let (_, series) = self.series.pending();
        series.location.push(location);
        series.metric.push(metric);
        series.first.push(first);
        series.samples.push(self.samples.rows() - first);
        series.first_run.push(self.runs_written);
        self.series.flush_full()?;
        let bins = 1usize << self.bins_log2;
        let known = self.bins.entry(metric).or_insert_with(|| Bins { series: 0, of_readings: Default::default() });
        known.series += 1;
        let readings: &[Reading] =
            if mode == MetricMode::Absolute { &[Reading::Level] } else { &[Reading::Level, Reading::Rate] };
        for reading in readings {
            let bins_of = &mut known.of_readings[usize::from(*reading == Reading::Rate)];
            bins_of.resize(bins, Counted::default());
            let mut runs: Vec<Counted> = Vec::new();
            let (mut steps, bin_ns) = (0u64, self.bin_ns);
            let end = self.context.end;
            each_step(mode, *reading, end, each, &mut |value, from, to| {
                if steps.is_multiple_of(FAN) {
                    runs.push(Counted::default());
                }
                steps += 1;
                if let Some(run) = runs.last_mut() {
                    *run = run.and(Counted::step(value, to.since(from)));
                }
                add_to_bins(bins_of, bin_ns, value, from, to);
            });
            if steps <= 1 {
                // A single step needs no run.
                runs.clear();
            }
            let written = write_runs(&mut self.runs, runs)?;
            debug_assert_eq!(written, runs_of(steps), "the reader finds runs by counting");
            self.runs_written += written;
        }
        Ok(())
    }

    fn finish(self) -> Result<(), StoreError> {
        let Writer { context, series, samples, runs, bins, bin_ns, .. } = self;
        series.finish()?;
        samples.finish()?;
        runs.finish()?;
        let mut lists = BinListRows::default();
        let mut rows = TableWriter::<BinRows>::create(context.directory)?;
        let mut bins: Vec<(MetricId, Bins)> = bins.into_iter().filter(|(_, bins)| bins.series > MANY_SERIES).collect();
        bins.sort_by_key(|(metric, _)| *metric);
        for (metric, Bins { of_readings, .. }) in bins {
            for (is_rate, of_reading) in of_readings.into_iter().enumerate().filter(|(_, bins)| !bins.is_empty()) {
                lists.metric.push(metric);
                lists.is_rate.push(is_rate as u8);
                lists.first.push(rows.rows());
                lists.bins.push(of_reading.len() as u32);
                lists.bin_ns.push(bin_ns);
                let mut some = BinRows::default();
                for bin in of_reading {
                    some.least.push(bin.least);
                    some.most.push(bin.most);
                    some.area.push(bin.area);
                    some.known.push(bin.known);
                }
                rows.append(some)?;
            }
        }
        rows.finish()?;
        write_table(context.directory, lists).map(drop)
    }
}

/// Runs of all lengths, the shortest first.
fn write_runs(writer: &mut TableWriter<RunRows>, mut runs: Vec<Counted>) -> Result<u64, StoreError> {
    let mut written = 0;
    loop {
        for run in &runs {
            let (_, pending) = writer.pending();
            pending.least.push(run.least);
            pending.most.push(run.most);
            pending.area.push(run.area);
            pending.known.push(run.known);
            writer.flush_full()?;
        }
        written += runs.len() as u64;
        if runs.len() <= 1 {
            return Ok(written);
        }
        let longer = runs.chunks(FAN as usize).map(|some| some.iter().copied().fold(Counted::default(), Counted::and));
        runs = longer.collect();
    }
}

/// The samples as they are kept: times never go back, and what counts has one value at an instant.
fn one_by_instant(mode: MetricMode, each: Each<'_>, visit: &mut dyn FnMut(Sample)) {
    let mut waiting: Option<Sample> = None;
    each(&mut |(time, value)| {
        waiting = Some(match waiting {
            Some((before, sum)) if mode != MetricMode::Absolute && time <= before => {
                (before, if mode == MetricMode::Relative { sum + value } else { value })
            }
            Some((before, earlier)) => {
                visit((before, earlier));
                (time.max(before), value)
            }
            None => (time, value),
        });
    });
    if let Some(last) = waiting {
        visit(last);
    }
}

/// Value, begin and end of every step.
fn each_step(mode: MetricMode, reading: Reading, end: Ns, each: Each<'_>, visit: &mut dyn FnMut(f64, Ns, Ns)) {
    let mut before: Option<Sample> = None;
    one_by_instant(mode, each, &mut |next| {
        if let Some(from) = before.replace(next) {
            visit(value_of(mode, reading, from, next), from.0, next.0);
        }
    });
    if let Some((time, value)) = before.filter(|_| reading == Reading::Level) {
        visit(value, time, end.max(time));
    }
}

/// Adds a step to the bins that it touches: all that it lies in, and of one without length that of its instant.
fn add_to_bins(bins: &mut [Counted], bin_ns: i64, value: f64, from: Ns, to: Ns) {
    let last = bins.len() as i64 - 1;
    let bin_of = |time: i64| (time / bin_ns).clamp(0, last);
    // The end belongs to what follows.
    for bin in bin_of(from.0)..=bin_of((to.0 - 1).max(from.0)) {
        let (begin, end) = (bin * bin_ns, (bin + 1) * bin_ns);
        let length = to.0.min(end) - from.0.max(begin);
        bins[bin as usize] = bins[bin as usize].and(Counted::step(value, length.max(0)));
    }
}
