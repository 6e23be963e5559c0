//! Values of counters: how often each location had which, and for how long, in any window of time.
//!
//! A counter is constant from step to step, as its index reads it: what accumulates as growth per second. The steps of a series that
//! lie wholly in a window are a run, whose sums by **bin** of value are those of a few blocks ([`pyramid`](crate::pyramid)) that are
//! kept with the store's derived results, and of the steps at both ends of the run. The first and the last step with a part in the
//! window count as far as they lie inside. So every number is what a visit to each value would give.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use heddle_model::Ns;
use heddle_store::index::Series;
use heddle_store::{Derived, Progress, Store, StoreError, Work};
use rayon::prelude::*;

use crate::bins::{Bin, are_few, merge};
use crate::memo::Memo;
use crate::pyramid::{Blocks, Pyramid, PyramidWriter, Sum};

/// Number of this layout. Results of another are made again.
const FORMAT: u32 = 1;
/// What the place of a result is named after.
const KIND: &str = "values";
/// Sorting values into bins.
const SORTING: Work = Work::new("counting values of counters");
/// log2 of the steps of the smallest blocks.
const BITS: u32 = 10;
/// Values, and series, that are worked on at a time.
const AT_A_TIME: (u64, usize) = (1 << 22, 1 << 14);

/// Bits that a value loses to its bin: of those behind the point eight are left, so there are 256 bins for each doubling.
const COARSE: u32 = 44;
/// The bin of zero: those of positive values follow it, those of negative ones stand before it.
pub const ZERO: u32 = 1 << 20;

/// The bin of a value that is a number.
pub fn bin_of(value: f64) -> u32 {
    let size = (value.abs().to_bits() >> COARSE) as u32;
    match value {
        value if value > 0.0 => ZERO + 1 + size,
        value if value < 0.0 => ZERO - 1 - size,
        _ => ZERO,
    }
}

/// The ends of a bin. Its values lie between them; where two bins meet, the end belongs to the one that is farther from zero.
pub fn ends_of(bin: u32) -> (f64, f64) {
    // Beyond the largest number there is nothing.
    let edge = |size: u32| f64::from_bits(u64::from(size) << COARSE).min(f64::MAX);
    match bin {
        ZERO => (0.0, 0.0),
        bin if bin > ZERO => (edge(bin - ZERO - 1), edge(bin - ZERO)),
        bin => (-edge(ZERO - bin), -edge(ZERO - bin - 1)),
    }
}

/// What is kept of a trace's counters.
#[derive(Debug)]
pub struct CounterValues {
    sums: Pyramid,
    /// What was last asked for.
    binned: Memo<Asked, Vec<Vec<Bin>>>,
}

/// Which series count for each row, and when.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    rows: Vec<Vec<Series>>,
    time: (Ns, Ns),
}

impl CounterValues {
    /// The values of a trace's counters, sorted if that is not kept yet.
    pub fn open(store: &Store, progress: &dyn Progress) -> Result<CounterValues, StoreError> {
        let read = |path: &Path| CounterValues::read(store, path);
        Derived::place(store, KIND, &key()).open_or_make(progress, read, |path| make(store, path, progress))
    }

    /// The same if it is at hand.
    pub fn find(store: &Store) -> Option<CounterValues> {
        Derived::existing(store, KIND, &key())?.find(|path| CounterValues::read(store, path))
    }

    fn read(store: &Store, path: &Path) -> Result<CounterValues, StoreError> {
        let steps = store.counters.series().map(|series| steps_of(store, &series));
        Ok(CounterValues { sums: Pyramid::open(path, steps, BITS, false)?, binned: Memo::default() })
    }

    /// Values of a series with a part in a window, by bin: `add` gets how many there are and for how long they hold in it. A bin
    /// may come several times.
    pub fn values(&self, store: &Store, series: &Series, time: (Ns, Ns), mut add: impl FnMut(Bin)) {
        let (counters, reading) = (&store.counters, store.counters.usual_reading(series.metric));
        // What is recorded at the very end belongs to a window that reaches it.
        let is_end = time.1.0 >= store.summary().end_ns;
        let until = if is_end { Ns(time.1.0.saturating_add(1)) } else { time.1 };
        let steps = counters.steps_in(series, reading, (time.0, until));
        let mut one = |steps: Range<u64>| {
            counters.for_each_step(series, reading, steps, |value, start, end| {
                if value.is_finite() {
                    let ns = end.min(time.1).since(start.max(time.0)).max(0);
                    add(Bin { bin: bin_of(value), count: 1, ns });
                }
            });
        };
        if steps.end - steps.start <= 2 {
            return one(steps);
        }
        one(steps.start..steps.start + 1);
        one(steps.end - 1..steps.end);
        let all = (series.number, 0..steps_of(store, series));
        let run = steps.start + 1..steps.end - 1;
        let rest = self.sums.for_each(all, run, None, |sum| {
            add(Bin { bin: sum.key as u32, count: u64::from(sum.count), ns: sum.total });
        });
        for steps in rest {
            counters.for_each_step(series, reading, steps, |value, start, end| {
                if value.is_finite() {
                    add(Bin { bin: bin_of(value), count: 1, ns: end.since(start) });
                }
            });
        }
    }

    /// The values that rows have in a window: for each the bins that have any, ascending. A row may have several series.
    pub fn binned(&self, store: &Store, rows: Vec<Vec<Series>>, time: (Ns, Ns)) -> Arc<Vec<Vec<Bin>>> {
        let of = |series: &Vec<Series>| {
            let mut bins: Vec<Bin> = Vec::new();
            for one in series {
                self.values(store, one, time, |bin| bins.push(bin));
            }
            merge(&mut bins);
            bins
        };
        let find = |asked: &Asked| asked.rows.par_iter().map(of).collect();
        self.binned.get(Asked { rows, time }, find, |all: &Vec<Vec<Bin>>| are_few(all))
    }
}

/// How many steps a series has, read as it usually is.
fn steps_of(store: &Store, series: &Series) -> u64 {
    series.steps(store.counters.usual_reading(series.metric))
}

/// Makes it all in an empty directory.
fn make(store: &Store, directory: &Path, progress: &dyn Progress) -> Result<(), StoreError> {
    progress.begin(SORTING, store.metric_values.len());
    let mut writer = PyramidWriter::create(directory, false)?;
    let mut all = store.counters.series().peekable();
    while all.peek().is_some() {
        progress.check()?;
        let (mut some, mut samples): (Vec<Series>, u64) = (Vec::new(), 0);
        while samples < AT_A_TIME.0 && some.len() < AT_A_TIME.1 {
            let Some(series) = all.next() else { break };
            samples += series.samples;
            some.push(series);
        }
        let sorted: Vec<Blocks> = some.par_iter().map(|series| sort(store, series)).collect();
        for blocks in &sorted {
            writer.append(blocks)?;
        }
        progress.advance(samples);
    }
    writer.finish()
}

/// The values of a series.
fn sort(store: &Store, series: &Series) -> Blocks {
    let reading = store.counters.usual_reading(series.metric);
    let (mut blocks, mut sums, mut seen) = (Blocks::default(), Vec::new(), 0u64);
    store.counters.for_each_step(series, reading, 0..series.steps(reading), |value, start, end| {
        if seen > 0 && seen.trailing_zeros() >= BITS {
            blocks.push(&mut sums, u32::MAX);
        }
        seen += 1;
        if value.is_finite() {
            sums.push(Sum::of_call(u64::from(bin_of(value)), end.since(start)));
        }
    });
    if seen > 0 {
        blocks.push(&mut sums, u32::MAX);
    }
    blocks.finish();
    blocks
}

/// All that decides a result.
fn key() -> String {
    format!("{KIND} {FORMAT}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_value_lies_in_its_bin(bits in any::<u64>(), other in any::<u64>()) {
            let (value, other) = (f64::from_bits(bits), f64::from_bits(other));
            prop_assume!(value.is_finite() && other.is_finite());
            let (bin, (least, most)) = (bin_of(value), ends_of(bin_of(value)));
            prop_assert!(least <= value && value <= most, "{least} {value} {most}");
            // No wider than a 256th of what it holds, unless that is all but zero.
            prop_assert!(value.abs() < 1e-300 || most / 256.0 - least / 256.0 <= value.abs() / 65_536.0 * 1.01);
            // In the order of values.
            prop_assert!((value < other) == (bin < bin_of(other)) || bin == bin_of(other));
        }
    }

    #[test]
    fn small_numbers_have_bins_of_their_own() {
        for number in -256i32..=256 {
            let (least, most) = ends_of(bin_of(f64::from(number)));
            assert_eq!((if number < 0 { most } else { least }).to_bits(), f64::from(number).to_bits());
            assert!(most - least < 2.0);
        }
        assert_eq!((bin_of(0.0), bin_of(-0.0), ends_of(ZERO)), (ZERO, ZERO, (0.0, 0.0)));
        assert_eq!(ends_of(bin_of(f64::MAX)).1.to_bits(), f64::MAX.to_bits());
    }
}
