//! Bins of duration: 32 for each doubling, each as wide as the others of its doubling.
//!
//! The widths are powers of two, and wider bins begin where narrower ones end: so neighbouring bins make up any column of a
//! logarithmic axis, and also the columns of a linear one that are as wide as the widest bin of it. Both are exact.

use std::ops::Range;
use std::sync::Arc;

use heddle_model::{LocationId, Ns, RegionId};
use heddle_store::Store;
use rayon::prelude::*;

use crate::CallProfile;

/// log2 of the bins of a doubling.
const FINE: u32 = 5;

/// How many bins there are: the highest bit of a duration is number 62.
pub const BINS: u16 = ((62 - FINE) << FINE) as u16 + (2 << FINE);

/// The bin of a duration.
#[inline]
pub fn bin_of(ns: i64) -> u16 {
    let ns = ns.max(0).cast_unsigned();
    // Below 64 every nanosecond has a bin.
    let shift = ns.checked_ilog2().unwrap_or(0).saturating_sub(FINE);
    (u64::from(shift << FINE) + (ns >> shift)) as u16
}

/// The least duration of a bin. That of the bin after the last is beyond all durations.
pub fn least_of(bin: u16) -> i64 {
    let shift = (u32::from(bin) >> FINE).saturating_sub(1);
    let within = u64::from(bin) - (u64::from(shift) << FINE);
    (u128::from(within) << shift).min(i64::MAX as u128) as i64
}

/// Calls of a bin, or values of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// Which bin.
    pub bin: u32,
    /// How many.
    pub count: u64,
    /// Their durations together.
    pub ns: i64,
}

/// Calls of a location by bin, some of them taken back. One serves for many locations, one after the other.
#[derive(Debug, Default)]
pub struct Tally {
    /// Count, and durations together.
    sums: Vec<(i64, i64)>,
    /// The bins that anything was added to lie among these.
    touched: Range<usize>,
}

impl Tally {
    /// Adds calls to a bin, or takes them back.
    #[inline]
    pub fn add(&mut self, bin: u16, count: i64, ns: i64) {
        let at = usize::from(bin);
        if self.sums.len() <= at {
            self.sums.resize(usize::from(BINS).max(at + 1), (0, 0));
        }
        let sum = &mut self.sums[at];
        *sum = (sum.0.saturating_add(count), sum.1.saturating_add(ns));
        let Range { start, end } = self.touched.clone();
        self.touched = if start == end { at..at + 1 } else { start.min(at)..end.max(at + 1) };
    }

    /// The bins that have any calls, ascending. Leaves none.
    pub fn take(&mut self) -> impl Iterator<Item = Bin> {
        let touched = std::mem::take(&mut self.touched);
        self.sums[touched.clone()].iter_mut().zip(touched).filter_map(|(sum, bin)| {
            let (count, ns) = std::mem::take(sum);
            (count > 0).then(|| Bin { bin: bin as u32, count: count.cast_unsigned(), ns })
        })
    }
}

/// Puts bins in their order, each once.
pub(crate) fn merge(bins: &mut Vec<Bin>) {
    bins.sort_unstable_by_key(|bin| bin.bin);
    bins.dedup_by(|next, kept| {
        let is_same = next.bin == kept.bin;
        if is_same {
            kept.count += next.count;
            kept.ns = kept.ns.saturating_add(next.ns);
        }
        is_same
    });
}

/// Whether so many bins may be kept for the next question.
pub(crate) fn are_few(all: &[Vec<Bin>]) -> bool {
    all.len() + all.iter().map(Vec::len).sum::<usize>() < MOST_KEPT
}

/// Whose calls are counted, when, and of which function.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    locations: Vec<LocationId>,
    time: (Ns, Ns),
    region: RegionId,
}

/// As many bins are kept at once.
const MOST_KEPT: usize = 1 << 20;

/// Calls of a function that have a part in a window: for each of some locations the bins that have any, ascending.
pub fn binned(
    profile: &CallProfile,
    store: &Store,
    locations: &[LocationId],
    time: (Ns, Ns),
    region: RegionId,
) -> Arc<Vec<Vec<Bin>>> {
    let of = |tally: &mut Tally, location: &LocationId| {
        profile.durations(store, *location, time, region, |bin, count, ns| tally.add(bin, count, ns));
        tally.take().collect()
    };
    let asked = Asked { locations: locations.to_vec(), time, region };
    let find = |asked: &Asked| asked.locations.par_iter().map_init(Tally::default, of).collect();
    profile.binned.get(asked, find, |all: &Vec<Vec<Bin>>| are_few(all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_duration_lies_in_its_bin(ns in 0i64.., shift in 0u32..63) {
            let ns = ns >> shift;
            let bin = bin_of(ns);
            prop_assert!(bin < BINS);
            prop_assert!(least_of(bin) <= ns);
            prop_assert!(ns < least_of(bin + 1) || ns == i64::MAX);
            // No wider than a 32nd of what it holds.
            prop_assert!((least_of(bin + 1) - least_of(bin)) <= 1 + least_of(bin) / 32);
        }
    }

    #[test]
    fn short_durations_have_bins_of_their_own() {
        for ns in 0..64 {
            assert_eq!((i64::from(bin_of(ns)), least_of(ns as u16)), (ns, ns));
        }
        assert_eq!([64, 65, 66, 127, 128].map(bin_of), [64, 64, 65, 95, 96]);
        assert_eq!(bin_of(i64::MAX), BINS - 1);
    }
}
