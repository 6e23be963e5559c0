//! Quartiles of durations, and from them which runs are outliers.
//!
//! Quartiles are those of R's type 7: linear between the two values around the rank, exact as long as there are at most
//! [`MOST_KEPT`] values. Beyond that only counts in bins are kept: [`PER_OCTAVE`] bins for each doubling, so that a quartile
//! is off by less than a thousandth of itself and the memory does not depend on how many runs there are.

/// Values that are kept as they are.
const MOST_KEPT: usize = 1 << 21;

/// Bins for each doubling of the duration; durations below that have a bin each.
const PER_OCTAVE: u64 = 1 << OCTAVE_BITS;
const OCTAVE_BITS: u32 = 10;

/// Bins for all durations that there are: those below [`PER_OCTAVE`], and 53 doublings.
const BINS: usize = 54 << OCTAVE_BITS;

/// Durations of the runs of one type on one kind of workers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Durations {
    /// All of them, in no order, as long as they are few.
    kept: Vec<u64>,
    /// How many are in each bin, once they are many.
    bins: Option<Box<[u64]>>,
}

/// What is beyond 1.5 interquartile ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fences {
    /// Runs shorter than that, in nanoseconds, are outliers.
    pub low: i64,
    /// Runs longer than that, in nanoseconds, are outliers.
    pub high: i64,
    /// How many runs are shorter or longer.
    pub outliers: u64,
}

impl Durations {
    /// Adds a run.
    #[inline]
    pub fn add(&mut self, duration: i64) {
        let duration = duration.max(0) as u64;
        match &mut self.bins {
            None if self.kept.len() < MOST_KEPT => self.kept.push(duration),
            None => self.binned()[bin(duration)] += 1,
            Some(bins) => bins[bin(duration)] += 1,
        }
    }

    /// Adds the runs of another. The order in which several are added changes nothing in the end.
    pub fn merge(&mut self, other: &Durations) {
        if let Some(more) = &other.bins {
            self.binned().iter_mut().zip(more).for_each(|(sum, part)| *sum += part);
        } else if self.bins.is_some() || self.kept.len() + other.kept.len() > MOST_KEPT {
            let bins = self.binned();
            for duration in &other.kept {
                bins[bin(*duration)] += 1;
            }
        } else {
            self.kept.extend_from_slice(&other.kept);
        }
    }

    fn binned(&mut self) -> &mut [u64] {
        let kept = std::mem::take(&mut self.kept);
        self.bins.get_or_insert_with(|| {
            let mut bins = vec![0; BINS].into_boxed_slice();
            for duration in kept {
                bins[bin(duration)] += 1;
            }
            bins
        })
    }

    /// The fences; none without runs.
    pub fn fences(&mut self) -> Option<Fences> {
        match &self.bins {
            None => self.exact_fences(),
            Some(bins) => Some(binned_fences(bins)),
        }
    }

    fn exact_fences(&mut self) -> Option<Fences> {
        let last = self.kept.len().checked_sub(1)?;
        // Four times a quartile is whole: ranks are quarters.
        let mut quartile = |of: usize| -> i128 {
            let (rank, quarters) = (last * of / 4, last * of % 4);
            let (_, at, above) = self.kept.select_nth_unstable(rank);
            let at = i128::from(*at);
            let next = if quarters > 0 { above.iter().min().map_or(at, |next| i128::from(*next)) } else { at };
            4 * at + quarters as i128 * (next - at)
        };
        let (low, high) = around(quartile(1), quartile(3));
        let is_outlier = |duration: &&u64| i128::from(**duration) < low || i128::from(**duration) > high;
        let outliers = self.kept.iter().filter(is_outlier).count() as u64;
        Some(Fences { low: as_duration(low), high: as_duration(high), outliers })
    }
}

/// The shortest and the longest duration that is no outlier, by four times the quartiles.
///
/// Times are rounded to nanoseconds, so durations that are the same may differ by one: that makes no outlier.
fn around(first: i128, third: i128) -> (i128, i128) {
    let reach = 3 * (third - first);
    (-(reach - 2 * first).div_euclid(8) - 1, (2 * third + reach).div_euclid(8) + 1)
}

fn as_duration(value: i128) -> i64 {
    value.clamp(0, i128::from(i64::MAX)) as i64
}

/// The bin of a duration: one for each below [`PER_OCTAVE`], then as many for each doubling.
#[inline]
fn bin(duration: u64) -> usize {
    let octave = (u64::BITS - (duration >> OCTAVE_BITS).leading_zeros()).saturating_sub(1);
    let octave = if duration < PER_OCTAVE { 0 } else { octave + 1 };
    if octave == 0 {
        return duration as usize;
    }
    let within = (duration >> (octave - 1)) - PER_OCTAVE;
    (((u64::from(octave)) << OCTAVE_BITS) + within) as usize
}

/// The shortest duration in a bin.
fn start_of(bin: usize) -> u64 {
    let (octave, within) = (bin as u64 >> OCTAVE_BITS, bin as u64 & (PER_OCTAVE - 1));
    if octave == 0 { within } else { (PER_OCTAVE + within) << (octave - 1) }
}

fn binned_fences(bins: &[u64]) -> Fences {
    let last = bins.iter().sum::<u64>().saturating_sub(1);
    // The middle of the bin that the rank lies in, four times.
    let quartile = |of: u64| -> i128 {
        let rank = last / 4 * of + last % 4 * of / 4;
        let mut before = 0;
        let found = bins.iter().position(|count| {
            before += count;
            before > rank
        });
        let at = found.unwrap_or(0);
        2 * (i128::from(start_of(at)) + i128::from(start_of(at + 1)) - 1)
    };
    let (low, high) = around(quartile(1), quartile(3));
    // Fences are moved outward to edges of bins: then the count of what lies beyond is exact.
    let first = bin(as_duration(low) as u64);
    let end = (bin(as_duration(high) as u64) + 1).min(bins.len());
    let outliers = bins[..first.min(end)].iter().chain(&bins[end..]).sum();
    Fences { low: as_duration(start_of(first).into()), high: as_duration(i128::from(start_of(end)) - 1), outliers }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(values: &[i64]) -> Durations {
        let mut durations = Durations::default();
        for value in values {
            durations.add(*value);
        }
        durations
    }

    #[test]
    fn fences_are_those_of_r() {
        // quantile(c(1, 2, 4, 8, 16, 32, 1000), c(.25, .75), type = 7) is 3 and 24: fences at -28.5 and 55.5.
        let fences = of(&[1000, 2, 4, 32, 8, 16, 1]).fences().unwrap();
        assert_eq!(fences, Fences { low: 0, high: 56, outliers: 1 });
        // quantile(c(100, 110, 120, 131), ...) is 107.5 and 122.75: fences at 84.625 and 145.625.
        let fences = of(&[131, 120, 110, 100]).fences().unwrap();
        assert_eq!((fences.low, fences.high, fences.outliers), (84, 146, 0));
        assert_eq!(Durations::default().fences(), None);
    }

    #[test]
    fn rounding_makes_no_outlier() {
        let mut values = vec![14_000_000; 100];
        values.extend([14_000_001, 13_999_999]);
        assert_eq!(of(&values).fences().unwrap().outliers, 0);
        values.extend([14_000_002, 13_999_998]);
        assert_eq!(of(&values).fences().unwrap().outliers, 2);
    }

    #[test]
    fn bins_are_in_order_and_cover_everything() {
        for bins in 0..BINS - 1 {
            let start = start_of(bins);
            assert_eq!(bin(start), bins);
            assert_eq!(bin(start_of(bins + 1) - 1), bins);
            let width = start_of(bins + 1) - start;
            assert!(width == 1 || width * PER_OCTAVE <= start);
        }
        assert_eq!(bin(i64::MAX as u64), BINS - 1);
    }

    #[test]
    fn memory_is_bounded() {
        let mut durations = Durations::default();
        for value in 0..MOST_KEPT as i64 + 10 {
            durations.add(value);
        }
        assert!(durations.kept.is_empty() && durations.kept.capacity() == 0 && durations.bins.is_some());
        assert_eq!(durations.bins.iter().flatten().sum::<u64>(), MOST_KEPT as u64 + 10);
    }

    proptest! {
        #[test]
        fn bins_say_what_values_say(values in prop::collection::vec(1i64..1 << 40, 1..400), long in 1i64..1 << 45) {
            let mut values = values;
            values.push(long);
            let mut exact = of(&values);
            let mut binned = of(&values);
            binned.binned();
            let (exact, binned) = (exact.fences().unwrap(), binned.fences().unwrap());
            // Ranks between two values are rounded down in bins, so the fences agree up to their gap.
            let mut sorted = values.clone();
            sorted.sort_unstable();
            let gap = sorted.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0) as f64;
            let most = 4.0 * gap + 0.01 * exact.high as f64 + 4.0;
            prop_assert!((exact.high as f64 - binned.high as f64).abs() <= most);
            let beyond = values.iter().filter(|value| **value < binned.low || **value > binned.high).count() as u64;
            prop_assert_eq!(binned.outliers, beyond);
        }

        #[test]
        fn the_order_of_merging_changes_nothing(a in prop::collection::vec(0i64..1000, 0..50), b in prop::collection::vec(0i64..1000, 1..50)) {
            let (mut one, mut other) = (of(&a), of(&b));
            one.merge(&of(&b));
            other.merge(&of(&a));
            prop_assert_eq!(one.fences(), other.fences());
        }
    }
}
