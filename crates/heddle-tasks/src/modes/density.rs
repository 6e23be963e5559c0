//! The density of values: a sum of Gaussians.
//!
//! Up to [`EXACT`] distinct values it is that sum. Of more, each is spread over the six nearest points of a grid of a
//! sixteenth of the bandwidth, such that all its moments up to the fifth are kept. The sum over the grid then differs from
//! the sum over the values by some 1e-9 of the peak (plain linear binning: 1e-3, which is enough to lose or make a shallow
//! valley), and costs no more the more values there are.

use std::f64::consts::PI;
use std::ops::Range;

/// Up to so many distinct values the density is the sum over all of them.
pub(super) const EXACT: usize = 2_000;

/// How far a Gaussian reaches, in bandwidths: beyond that it adds less than the rounding of its peak.
const REACH: f64 = 8.5;

/// Points of the grid for a bandwidth.
const FINE: usize = 16;

/// Points of the grid that one value is spread over.
const SPREAD: usize = 6;

/// Points of the grid within reach, on each side.
const TAPS: usize = (REACH * FINE as f64) as usize;

/// A density over values.
#[derive(Clone, Debug)]
pub struct Density {
    bandwidth: f64,
    /// Of all values.
    extent: Option<(f64, f64)>,
    values: f64,
    masses: Masses,
}

/// Where Gaussians stand, and how many on each other.
#[derive(Clone, Debug)]
enum Masses {
    /// Distinct values in ascending order, each with its number.
    Values(Vec<(f64, f64)>),
    /// Points from a place on, a sixteenth of a bandwidth apart.
    Grid { first: f64, masses: Vec<f64> },
}

impl Density {
    /// The density of some values. What is not a number is left out.
    pub fn new(values: &[f64], bandwidth: f64) -> Density {
        Density::with(values, bandwidth, EXACT)
    }

    /// The same with another limit for the sum over all values.
    pub(super) fn with(values: &[f64], bandwidth: f64, exact: usize) -> Density {
        let finite = || values.iter().copied().filter(|value| value.is_finite());
        let low = finite().fold(f64::INFINITY, f64::min);
        let high = finite().fold(f64::NEG_INFINITY, f64::max);
        let extent = (low <= high).then_some((low, high));
        let distinct = if values.len() <= exact { Some(distinct(values)) } else { few_distinct(values, exact) };
        let masses = match (distinct, extent) {
            (Some(distinct), _) => Masses::Values(distinct),
            (None, Some(extent)) => on_grid(finite(), extent, bandwidth),
            (None, None) => Masses::Values(Vec::new()),
        };
        Density { bandwidth, extent, values: finite().count().max(1) as f64, masses }
    }

    /// The bandwidth.
    pub fn bandwidth(&self) -> f64 {
        self.bandwidth
    }

    /// The least and the largest value.
    pub fn extent(&self) -> Option<(f64, f64)> {
        self.extent
    }

    /// Its value at a place.
    pub fn at(&self, place: f64) -> f64 {
        let norm = 1.0 / (self.values * self.bandwidth * (2.0 * PI).sqrt());
        norm * self.sum(place, |u| (-0.5 * u * u).exp())
    }

    /// The curve between two places, at points that are equally far apart.
    pub fn curve(&self, between: Range<f64>, points: usize) -> Vec<(f64, f64)> {
        let last = points.saturating_sub(1).max(1) as f64;
        let place = |at: usize| between.start + (between.end - between.start) * at as f64 / last;
        (0..points).map(|at| (place(at), self.at(place(at)))).collect()
    }

    /// Its slope at a place, but for a positive factor.
    pub(super) fn slope(&self, place: f64) -> f64 {
        self.sum(place, |u| u * (-0.5 * u * u).exp())
    }

    /// Adds up a kernel over everything in reach. It is told how far to the right something stands, in bandwidths.
    fn sum(&self, place: f64, kernel: impl Fn(f64) -> f64) -> f64 {
        let (h, reach) = (self.bandwidth, REACH * self.bandwidth);
        match &self.masses {
            Masses::Values(values) => {
                let first = values.partition_point(|(value, _)| *value < place - reach);
                let near = values[first..].iter().take_while(|(value, _)| *value <= place + reach);
                near.map(|(value, count)| count * kernel((value - place) / h)).sum()
            }
            Masses::Grid { first, masses } => {
                let fine = FINE as f64;
                let at = (place - first) / h * fine;
                let start = ((at - TAPS as f64).ceil().max(0.0) as usize).min(masses.len());
                let end = ((at + TAPS as f64).floor().max(-1.0) + 1.0).min(masses.len() as f64) as usize;
                let near = masses[start..end.max(start)].iter().zip(start..);
                near.filter(|(mass, _)| **mass != 0.0).map(|(mass, on)| mass * kernel((on as f64 - at) / fine)).sum()
            }
        }
    }

    /// Slopes on a grid of an eighth of the bandwidth, from a step below the least value to a step above the largest.
    /// Exactly 0 where nothing is in reach.
    pub(super) fn slopes(&self) -> Slopes {
        let Some((low, high)) = self.extent else { return Slopes { first: 0.0, step: 1.0, at: Vec::new() } };
        let step = self.bandwidth / (FINE / 2) as f64;
        match &self.masses {
            Masses::Values(values) => {
                let first = low - step;
                let points = ((high - first) / step).ceil() as usize + 2;
                Slopes { first, step, at: slopes_of_values(values, first, points, self.bandwidth) }
            }
            Masses::Grid { first, masses } => slopes_on_grid(*first, masses, self.bandwidth),
        }
    }
}

/// Slopes at places that are equally far apart.
#[derive(Clone, Debug)]
pub(super) struct Slopes {
    first: f64,
    step: f64,
    pub(super) at: Vec<f64>,
}

impl Slopes {
    pub(super) fn place(&self, at: usize) -> f64 {
        self.first + self.step * at as f64
    }
}

/// Distinct values in ascending order, each with its number.
fn distinct(values: &[f64]) -> Vec<(f64, f64)> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.chunk_by(|a, b| a.total_cmp(b).is_eq()).map(|same| (same[0], same.len() as f64)).collect()
}

/// The same if there are no more than so many: gives up as soon as there are.
fn few_distinct(values: &[f64], most: usize) -> Option<Vec<(f64, f64)>> {
    let mut seen = rustc_hash::FxHashSet::with_capacity_and_hasher(most + 1, rustc_hash::FxBuildHasher);
    for value in values {
        seen.insert(value.to_bits());
        if seen.len() > most {
            return None;
        }
    }
    Some(distinct(values))
}

/// Spreads values over a grid.
fn on_grid(values: impl Iterator<Item = f64>, (low, high): (f64, f64), bandwidth: f64) -> Masses {
    let step = bandwidth / FINE as f64;
    // A value is between the third and the fourth of its six points.
    let before = SPREAD / 2;
    let first = low - before as f64 * step;
    let mut masses = vec![0.0; ((high - low) / step).ceil() as usize + SPREAD + 1];
    let per_step = 1.0 / step;
    for value in values {
        let place = (value - first) * per_step;
        let at = (place as usize).clamp(before - 1, masses.len() - 1 - before);
        let weights = spread(place - at as f64);
        for (mass, weight) in masses[at + 1 - before..].iter_mut().zip(weights) {
            *mass += weight;
        }
    }
    Masses::Grid { first, masses }
}

/// Weights of six points at -2 … 3 for a value at a place between 0 and 1: Lagrange's polynomials.
#[expect(clippy::many_single_char_names, reason = "six distances, from left to right")]
fn spread(t: f64) -> [f64; SPREAD] {
    let [a, b, c, d, e, f] = [t + 2.0, t + 1.0, t, t - 1.0, t - 2.0, t - 3.0];
    let (ab, cd, ef) = (a * b, c * d, e * f);
    // Multiplied, not divided: this is what many nodes spend their time on.
    [
        b * cd * ef * (-1.0 / 120.0),
        a * cd * ef * (1.0 / 24.0),
        ab * d * ef * (-1.0 / 12.0),
        ab * c * ef * (1.0 / 12.0),
        ab * cd * f * (-1.0 / 24.0),
        ab * cd * e * (1.0 / 120.0),
    ]
}

/// The slopes of Gaussians on values. From point to point a Gaussian changes by a factor that changes by a factor, so that
/// it takes two multiplications instead of an exponential.
fn slopes_of_values(values: &[(f64, f64)], first: f64, points: usize, bandwidth: f64) -> Vec<f64> {
    let step = 2.0 / FINE as f64;
    let change = (-step * step).exp();
    let mut slopes = vec![0.0; points];
    for (value, count) in values {
        // Places count from the grid's first one, in bandwidths.
        let value = (value - first) / bandwidth;
        let start = ((value - REACH) / step).ceil().max(0.0) as usize;
        let end = (((value + REACH) / step).floor() as usize + 1).min(points);
        // From the middle outward: errors grow on the way, and what is far counts for little.
        let middle = ((value / step) as usize).clamp(start, end.max(start));
        let mut walk = |from: usize, backward: bool| {
            let sign = if backward { -step } else { step };
            let mut u = from as f64 * step - value;
            let mut gauss = count * (-0.5 * u * u).exp();
            let mut factor = (-u * sign - 0.5 * step * step).exp();
            let mut add = |slope: &mut f64| {
                *slope -= u * gauss;
                gauss *= factor;
                factor *= change;
                u += sign;
            };
            if backward {
                slopes[start..=from].iter_mut().rev().for_each(&mut add);
            } else {
                slopes[from..end].iter_mut().for_each(&mut add);
            }
        };
        walk(middle, false);
        if middle > start {
            walk(middle - 1, true);
        }
    }
    slopes
}

/// The same for a grid of masses: a convolution, at every second point.
fn slopes_on_grid(first: f64, masses: &[f64], bandwidth: f64) -> Slopes {
    let kernel: Vec<f64> =
        (0..=2 * TAPS).map(|tap| (tap as f64 - TAPS as f64) / FINE as f64).map(|u| u * (-0.5 * u * u).exp()).collect();
    let mut padded = vec![0.0; TAPS];
    padded.extend_from_slice(masses);
    padded.resize(masses.len() + 2 * TAPS, 0.0);
    // From a step of the coarse grid below the least value on, which is at the third point.
    let start = SPREAD / 2 - 2;
    let at = padded.windows(kernel.len()).skip(start).step_by(2).map(|near| dot(near, &kernel)).collect();
    let fine = bandwidth / FINE as f64;
    Slopes { first: first + start as f64 * fine, step: 2.0 * fine, at }
}

/// The sum of products, in eight sums that a processor can add up side by side.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}
