//! The sum of a metric over each step, exactly.

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use heddle_store::table::require;
use heddle_store::{Progress, StoreError, TableWriter, table};

use super::tiles::Grid;
use super::values::EventGrid;

/// Steps that are added up at once.
const AT_ONCE: u32 = 1 << 20;

/// Rows that are worth another thread.
const LEAST_ROWS: u32 = 1 << 10;

table! {
    /// One row per step. A sum of nanoseconds has 96 bits; of a counter, the low 64 are a double.
    SumRows, SumTable = "sums" packed {
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
            Sum::Time(sum) if value.is_finite() => *sum += i128::from(value as i64),
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
    /// The sums of so many steps.
    pub(super) fn open(directory: &Path, is_time: bool, steps: u64) -> Result<Sums, StoreError> {
        let table = SumTable::open(directory)?;
        require::<SumRows>(directory, table.len() == steps)?;
        Ok(Sums { table, is_time })
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
        // Each core has its own steps, and goes through the rows in order: sums do not depend on their number. Where
        // steps are few, rows are shared too, but not for counters: what doubles add up to depends on the order.
        let wanted = 4 * rayon::current_num_threads() as u32;
        let each = (end - first).div_ceil(wanted).max(64);
        let groups = wanted.div_ceil((end - first).div_ceil(each));
        let rows_each = if is_time { grid.rows().div_ceil(groups).max(LEAST_ROWS) } else { u32::MAX };
        let cut = |all: Range<u32>, each: u32| -> Vec<Range<u32>> {
            all.clone().step_by(each as usize).map(|from| from..from.saturating_add(each).min(all.end)).collect()
        };
        let made: Vec<PartSums> = cut(first..end, each)
            .into_par_iter()
            .map(|steps| {
                let rows = cut(0..grid.rows(), rows_each);
                let parts = rows.into_par_iter().map(|rows| PartSums::of(grid, steps.clone(), rows, is_time));
                parts.reduce(|| PartSums::none(&steps, is_time), PartSums::plus)
            })
            .collect();
        for part in made {
            let largest = |pick: fn(&StepSums) -> f64| part.steps.iter().map(pick).fold(f64::NEG_INFINITY, f64::max);
            extremes.largest = extremes.largest.max(largest(|sums| sums.largest));
            extremes.largest_aggregate = extremes.largest_aggregate.max(largest(|sums| sums.largest_aggregate));
            extremes.least = extremes.least.min(part.least);
            writer.append(part.rows())?;
            progress.advance(part.events);
        }
        first = end;
    }
    writer.finish()?;
    Ok(extremes)
}

/// What the events of a step add up to.
#[derive(Clone, Copy)]
struct StepSums {
    event: Sum,
    aggregate: Sum,
    largest: f64,
    largest_aggregate: f64,
}

/// Sums over some steps of some rows.
struct PartSums {
    steps: Vec<StepSums>,
    least: f64,
    events: u64,
}

impl PartSums {
    fn none(steps: &Range<u32>, is_time: bool) -> PartSums {
        let zero = if is_time { Sum::Time(0) } else { Sum::Count(0.0) };
        let none = f64::NEG_INFINITY;
        let sums = StepSums { event: zero, aggregate: zero, largest: none, largest_aggregate: none };
        PartSums { steps: vec![sums; steps.len()], least: f64::INFINITY, events: 0 }
    }

    fn of(grid: &EventGrid<'_>, steps: Range<u32>, rows: Range<u32>, is_time: bool) -> PartSums {
        let mut part = PartSums::none(&steps, is_time);
        for row in rows {
            grid.visit_exactly(row, steps.clone(), |step, value, aggregate| {
                let sums = &mut part.steps[(step - steps.start) as usize];
                sums.event.add(value);
                sums.aggregate.add(aggregate);
                sums.largest = sums.largest.max(value);
                sums.largest_aggregate = sums.largest_aggregate.max(aggregate);
                part.least = part.least.min(value).min(aggregate);
                part.events += 1;
            });
        }
        part
    }

    fn plus(mut self, other: PartSums) -> PartSums {
        for (sums, other) in self.steps.iter_mut().zip(other.steps) {
            *sums = StepSums {
                event: sums.event.plus(other.event),
                aggregate: sums.aggregate.plus(other.aggregate),
                largest: sums.largest.max(other.largest),
                largest_aggregate: sums.largest_aggregate.max(other.largest_aggregate),
            };
        }
        PartSums { steps: self.steps, least: self.least.min(other.least), events: self.events + other.events }
    }

    fn rows(&self) -> SumRows {
        let sums = &self.steps;
        SumRows {
            low: sums.iter().map(|sums| sums.event.bits().0).collect(),
            high: sums.iter().map(|sums| sums.event.bits().1).collect(),
            aggregate_low: sums.iter().map(|sums| sums.aggregate.bits().0).collect(),
            aggregate_high: sums.iter().map(|sums| sums.aggregate.bits().1).collect(),
            largest: sums.iter().map(|sums| sums.largest as f32).collect(),
            largest_aggregate: sums.iter().map(|sums| sums.largest_aggregate as f32).collect(),
        }
    }
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
