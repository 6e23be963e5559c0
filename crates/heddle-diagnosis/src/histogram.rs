//! Values by their logarithm: quantiles of as many as one likes, in little memory, whatever the order they came in.

use rustc_hash::FxHashMap;

/// Steps of a histogram for each doubling: times are known to 1 %.
const STEPS: f64 = 64.0;

/// Times by their logarithm.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histogram {
    counts: FxHashMap<i32, u64>,
    total: u64,
}

impl Histogram {
    pub(crate) fn add(&mut self, value: f64) {
        let step = (value.max(1e-6).log2() * STEPS).round() as i32;
        *self.counts.entry(step).or_default() += 1;
        self.total += 1;
    }

    pub(crate) fn merge(&mut self, other: Histogram) {
        for (step, count) in other.counts {
            *self.counts.entry(step).or_default() += count;
        }
        self.total += other.total;
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The value below which a part of all lie.
    pub(crate) fn quantile(&self, part: f64) -> Option<f64> {
        let rank = ((self.total as f64 * part) as u64).min(self.total.checked_sub(1)?);
        let mut steps: Vec<(i32, u64)> = self.counts.iter().map(|(step, count)| (*step, *count)).collect();
        steps.sort_unstable();
        let mut below = 0;
        for (step, count) in steps {
            below += count;
            if below > rank {
                return Some((f64::from(step) / STEPS).exp2());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_known_to_a_percent() {
        let mut histogram = Histogram::default();
        (1..=1000).for_each(|value| histogram.add(f64::from(value)));
        let middle = histogram.quantile(0.5).unwrap();
        assert!((middle / 500.0 - 1.0).abs() < 0.011, "{middle}");
    }
}
