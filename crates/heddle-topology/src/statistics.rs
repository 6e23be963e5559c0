//! How evenly links are loaded.

use crate::{Link, Topology};

/// Numbers about the loads of a set of links. Values that are missing (NaN) do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoadStatistics {
    /// Links with a value.
    pub links: usize,
    /// The largest value.
    pub max: f64,
    /// The mean.
    pub mean: f64,
    /// Standard deviation, of these links rather than estimated for others.
    pub std: f64,
    /// Standard deviation by mean.
    pub cv: f64,
    /// The coefficient of Gini: 0 if all links carry the same, towards 1 if few carry all.
    pub gini: f64,
    /// Links that carry nothing.
    pub unused: usize,
}

impl LoadStatistics {
    /// Of these values.
    pub fn of(values: &[f64]) -> LoadStatistics {
        LoadStatistics::of_present(values.iter().copied().filter(|value| !value.is_nan()).collect())
    }

    /// Of each class of links: one number per link of the machine in, one entry per class out.
    pub fn by_class(topology: &dyn Topology, values: &[f64]) -> Vec<LoadStatistics> {
        let mut classes = vec![Vec::new(); topology.classes().len()];
        for (link, value) in (0..topology.links()).map(Link).zip(values).filter(|(_, value)| !value.is_nan()) {
            classes[topology.class(link)].push(*value);
        }
        classes.into_iter().map(LoadStatistics::of_present).collect()
    }

    /// Part of the links that carry nothing, from 0 to 1.
    pub fn unused_part(&self) -> f64 {
        if self.links == 0 { 0.0 } else { self.unused as f64 / self.links as f64 }
    }

    fn of_present(mut values: Vec<f64>) -> LoadStatistics {
        let Some(links) = Some(values.len()).filter(|links| *links > 0) else { return LoadStatistics::default() };
        values.sort_unstable_by(f64::total_cmp);
        let count = links as f64;
        let sum: f64 = values.iter().sum();
        let mean = sum / count;
        let std = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
        let ranked: f64 =
            values.iter().zip(1_u32..).map(|(value, rank)| value * (2.0 * f64::from(rank) - count - 1.0)).sum();
        let by = |dividend: f64, divisor: f64| if divisor > 0.0 { dividend / divisor } else { 0.0 };
        LoadStatistics {
            links,
            max: values[links - 1],
            mean,
            std,
            cv: by(std, mean),
            gini: by(ranked, count * sum).max(0.0),
            unused: values.iter().filter(|value| **value == 0.0).count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_by_hand() {
        let found = LoadStatistics::of(&[4.0, 0.0, f64::NAN, 2.0, 2.0]);
        let std = 2.0_f64.sqrt();
        let expected = LoadStatistics { links: 4, max: 4.0, mean: 2.0, std, cv: std / 2.0, gini: 0.375, unused: 1 };
        assert_eq!(found, expected);
        assert_eq!(LoadStatistics::of(&[]), LoadStatistics::default());
        assert_eq!(
            LoadStatistics::of(&[0.0, 0.0]),
            LoadStatistics { links: 2, unused: 2, ..LoadStatistics::default() }
        );
    }
}
