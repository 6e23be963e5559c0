//! The sum of a metric over each step, exactly.

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use heddle_store::{Progress, StoreError, TableWriter, table};

use super::tiles::Grid;
use super::values::EventGrid;

/// Steps that are added up at once.
const AT_ONCE: u32 = 1 << 20;

table! {
    /// One row per step. A sum of nanoseconds has 96 bits; of a counter, the low 64 are a double.
    SumRows, SumTable = "sums" {
        /// The sum over the events.
        low: u64 => "sum_low",
        /// Its upper 32 bits, in two's complement.
        high: u32 => "sum_high",
        /// The sum over the aggregates before them.
        aggregate_low: u64 => "aggregate_sum_low",
        /// Its upper 32 bits.
        aggregate_high: u32 => "aggregate_sum_high",
        /// The largest value of an event; minus infinity if none is known.
        largest: f32 => "largest",
        /// The largest value of an aggregate.
        largest_aggregate: f32 => "largest_aggregate",
    }
}

/// A sum over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sum {
    /// Nanoseconds.
    Time(i128),
    /// In the counter's unit.
    Count(f64),
}

impl Sum {
    /// As a number for a picture.
    pub fn as_f64(self) -> f64 {
        match self {
            Sum::Time(ns) => ns as f64,
            Sum::Count(count) => count,
        }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Sum) -> Sum {
        match (self, other) {
            (Sum::Time(a), Sum::Time(b)) => Sum::Time(a.saturating_add(b)),
            (a, b) => Sum::Count(a.as_f64() + b.as_f64()),
        }
    }

    fn add(&mut self, value: f64) {
        match self {
            // Whole numbers of nanoseconds below 2^53.
            Sum::Time(sum) if value.is_finite() => *sum += value as i128,
            Sum::Count(sum) if value.is_finite() => *sum += value,
            _ => {}
        }
    }

    fn bits(self) -> (u64, u32) {
        match self {
            Sum::Time(sum) => (sum as u64, (sum >> 64) as u32),
            Sum::Count(sum) => (sum.to_bits(), 0),
        }
    }

    fn from_bits(low: u64, high: u32, is_time: bool) -> Sum {
        if is_time {
            Sum::Time((i128::from(high as i32) << 64) | i128::from(low))
        } else {
            Sum::Count(f64::from_bits(low))
        }
    }
}

/// The sums of all steps, open.
#[derive(Debug)]
pub struct Sums {
    table: SumTable,
    is_time: bool,
}

impl Sums {
    pub(super) fn open(directory: &Path, is_time: bool) -> Result<Sums, StoreError> {
        Ok(Sums { table: SumTable::open(directory)?, is_time })
    }

    /// Number of steps.
    pub fn len(&self) -> u32 {
        self.table.len() as u32
    }

    /// Whether there are no steps.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The sum over a step's events and, if asked for, the aggregates before them.
    pub fn of_step(&self, step: u32, aggregates: bool) -> Sum {
        let (at, table) = (u64::from(step), &self.table);
        let events = Sum::from_bits(table.low.get(at), table.high.get(at), self.is_time);
        if !aggregates {
            return events;
        }
        events.plus(Sum::from_bits(table.aggregate_low.get(at), table.aggregate_high.get(at), self.is_time))
    }

    /// The largest sum of a step; nothing if there are no steps.
    pub fn largest_sum(&self, aggregates: bool) -> Sum {
        let all = (0..self.len()).map(|step| self.of_step(step, aggregates));
        all.reduce(|a, b| if b.as_f64() > a.as_f64() { b } else { a }).unwrap_or(Sum::Time(0))
    }

    /// The step that has the largest value of an event, the first of several; none if no value is known.
    pub fn largest_step(&self) -> Option<u32> {
        let largest = self.largest_in(0..self.len(), false);
        let is_there = |value: f32| largest.is_finite() && value >= largest;
        self.table.largest.iter(0..self.table.len()).position(is_there).map(|step| step as u32)
    }

    /// The largest value in some steps, of events and, if asked for, aggregates; minus infinity if none is known.
    pub fn largest_in(&self, steps: Range<u32>, aggregates: bool) -> f32 {
        let rows = u64::from(steps.start)..u64::from(steps.end);
        let events = self.table.largest.iter(rows.clone()).fold(f32::NEG_INFINITY, f32::max);
        if !aggregates {
            return events;
        }
        self.table.largest_aggregate.iter(rows).fold(events, f32::max)
    }
}

/// The extreme values of the whole trace.
pub(super) struct Extremes {
    pub(super) largest: f64,
    pub(super) largest_aggregate: f64,
    pub(super) least: f64,
}

/// Adds up all steps, and writes the sums.
pub(super) fn write_sums(
    directory: &Path,
    grid: &EventGrid<'_>,
    is_time: bool,
    progress: &dyn Progress,
) -> Result<Extremes, StoreError> {
    let mut writer = TableWriter::<SumRows>::create(directory)?;
    let mut extremes =
        Extremes { largest: f64::NEG_INFINITY, largest_aggregate: f64::NEG_INFINITY, least: f64::INFINITY };
    let mut first = 0;
    while first < grid.steps() {
        progress.check()?;
        let end = first.saturating_add(AT_ONCE).min(grid.steps());
        // Each core has its own steps, and goes through the rows in order: sums do not depend on their number.
        let each = (end - first).div_ceil(4 * rayon::current_num_threads() as u32).max(64);
        let parts: Vec<Range<u32>> =
            (first..end).step_by(each as usize).map(|from| from..from.saturating_add(each).min(end)).collect();
        let made: Vec<(SumRows, Extremes, u64)> =
            parts.into_par_iter().map(|steps| sums_of(grid, steps, is_time)).collect();
        for (rows, part, events) in made {
            writer.append(rows)?;
            extremes.largest = extremes.largest.max(part.largest);
            extremes.largest_aggregate = extremes.largest_aggregate.max(part.largest_aggregate);
            extremes.least = extremes.least.min(part.least);
            progress.advance(events);
        }
        first = end;
    }
    writer.finish()?;
    Ok(extremes)
}

fn sums_of(grid: &EventGrid<'_>, steps: Range<u32>, is_time: bool) -> (SumRows, Extremes, u64) {
    let zero = if is_time { Sum::Time(0) } else { Sum::Count(0.0) };
    let mut sums = vec![(zero, zero, f64::NEG_INFINITY, f64::NEG_INFINITY); steps.len()];
    let (mut least, mut events) = (f64::INFINITY, 0);
    for row in 0..grid.rows() {
        grid.visit_exactly(row, steps.clone(), |step, value, aggregate| {
            let sum = &mut sums[(step - steps.start) as usize];
            sum.0.add(value);
            sum.1.add(aggregate);
            sum.2 = sum.2.max(value);
            sum.3 = sum.3.max(aggregate);
            least = least.min(value).min(aggregate);
            events += 1;
        });
    }
    let largest = |pick: fn(&(Sum, Sum, f64, f64)) -> f64| sums.iter().map(pick).fold(f64::NEG_INFINITY, f64::max);
    let extremes = Extremes { largest: largest(|sum| sum.2), largest_aggregate: largest(|sum| sum.3), least };
    let rows = SumRows {
        low: sums.iter().map(|sum| sum.0.bits().0).collect(),
        high: sums.iter().map(|sum| sum.0.bits().1).collect(),
        aggregate_low: sums.iter().map(|sum| sum.1.bits().0).collect(),
        aggregate_high: sums.iter().map(|sum| sum.1.bits().1).collect(),
        largest: sums.iter().map(|sum| sum.2 as f32).collect(),
        largest_aggregate: sums.iter().map(|sum| sum.3 as f32).collect(),
    };
    (rows, extremes, events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_beyond_64_bits_come_back() {
        for sum in [0, 5, -5, i128::from(i64::MAX) * 1_000_000, i128::from(i64::MIN) * 1_000_000] {
            let (low, high) = Sum::Time(sum).bits();
            assert_eq!(Sum::from_bits(low, high, true), Sum::Time(sum));
        }
        let (low, high) = Sum::Count(0.1).bits();
        assert_eq!(Sum::from_bits(low, high, false), Sum::Count(0.1));
    }
}
