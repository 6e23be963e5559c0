//! The shape in time of a row's excess: where it lies, and whether it grows.

use super::stats::median;

/// A visit with what it says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observed {
    pub(super) place: u32,
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) time: f64,
    /// What it would take on a usual row.
    pub(super) usual: f64,
    /// Logarithm of their ratio.
    pub(super) excess: f64,
    /// That as evidence.
    pub(super) evidence: f64,
}

/// A run of visits that are longer than usual.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Stretch {
    /// From which visit to which.
    pub(super) from: usize,
    pub(super) to: usize,
    /// The median excess, as a logarithm.
    pub(super) level: f64,
    /// How far from chance, in standard deviations.
    pub(super) score: f64,
}

/// How far from chance all visits together are.
pub(super) fn score(visits: &[Observed]) -> f64 {
    let sum: f64 = visits.iter().map(|visit| visit.evidence).sum();
    sum / (visits.len() as f64).sqrt().max(1.0)
}

/// The median excess.
pub(super) fn level(visits: &[Observed]) -> f64 {
    median(&mut visits.iter().map(|visit| visit.excess).collect::<Vec<f64>>())
}

/// The run of visits that stands out most.
pub(super) fn longest_stretch(visits: &[Observed]) -> Stretch {
    let mut best = Stretch::default();
    for toll in [0.4, 1.0, 1.8] {
        let (from, to) = dearest(visits, toll);
        if to <= from {
            continue;
        }
        let score = score(&visits[from..to]);
        if score > best.score {
            best = Stretch { from, to, level: 0.0, score };
        }
    }
    if best.to > best.from {
        // Between two levels the best toll is half way.
        let inside = &visits[best.from..best.to];
        let mean = inside.iter().map(|visit| visit.evidence).sum::<f64>() / inside.len() as f64;
        let (from, to) = dearest(visits, 0.5 * mean);
        if to > from {
            best = Stretch { from, to, level: 0.0, score: score(&visits[from..to]) };
        }
        widen(visits, &mut best);
        best.level = level(&visits[best.from..best.to]);
    }
    best
}

/// The run with the largest sum of evidence, where each visit costs a toll.
fn dearest(visits: &[Observed], toll: f64) -> (usize, usize) {
    let (mut best, mut best_sum) = ((0, 0), 0.0);
    let (mut from, mut sum) = (0, 0.0);
    for (at, visit) in visits.iter().enumerate() {
        if sum <= 0.0 {
            (from, sum) = (at, 0.0);
        }
        sum += visit.evidence - toll;
        if sum > best_sum {
            (best, best_sum) = ((from, at + 1), sum);
        }
    }
    best
}

/// Visits before and after that may as well belong to it do.
fn widen(visits: &[Observed], stretch: &mut Stretch) {
    let mean = |visits: &[Observed]| visits.iter().map(|visit| visit.evidence).sum::<f64>() / visits.len() as f64;
    let inside = mean(&visits[stretch.from..stretch.to]);
    let differs = |outside: &[Observed]| {
        outside.len() >= 2
            && (inside - mean(outside)) * (outside.len() as f64).sqrt() >= 4.5
            && mean(outside) < 0.5 * inside
    };
    if !differs(&visits[..stretch.from]) {
        stretch.from = 0;
    }
    if !differs(&visits[stretch.to..]) {
        stretch.to = visits.len();
    }
}

/// The mean excess, which of few visits is less by chance than the median.
fn mean_level(visits: &[Observed]) -> f64 {
    visits.iter().map(|visit| visit.excess).sum::<f64>() / visits.len().max(1) as f64
}

/// Bins of a slope.
const BINS: usize = 48;

/// How excess grows over all visits, if it does so steadily: from which level to which.
pub(super) fn slope(visits: &[Observed]) -> Option<(f64, f64)> {
    let bins = (visits.len() / 2).min(BINS);
    if bins < 6 {
        return None;
    }
    let bounds = |bin: usize| bin * visits.len() / bins..(bin + 1) * visits.len() / bins;
    // Growth is steady in the ratio, not in its logarithm.
    let levels: Vec<f64> = (0..bins).map(|bin| mean_level(&visits[bounds(bin)]).exp()).collect();
    let mut slopes = Vec::new();
    let mut sign = 0.0;
    for later in 1..bins {
        for earlier in 0..later {
            let rise = levels[later] - levels[earlier];
            sign += if rise > 0.0 {
                1.0
            } else if rise < 0.0 {
                -1.0
            } else {
                0.0
            };
            slopes.push(rise / (later - earlier) as f64);
        }
    }
    let rise = median(&mut slopes);
    let count = bins as f64;
    let kendall = sign / (count * (count - 1.0) * (2.0 * count + 5.0) / 18.0).sqrt();
    let offset =
        median(&mut levels.iter().zip(0..).map(|(level, bin)| level - rise * f64::from(bin)).collect::<Vec<_>>());
    let line: f64 = levels.iter().zip(0..).map(|(level, bin)| (level - offset - rise * f64::from(bin)).abs()).sum();
    let step = best_step(&levels);
    let (first, last) = (offset.max(0.5), offset + rise * (count - 1.0));
    (kendall >= 3.5 && line < 0.85 * step && last > first).then(|| (first.ln(), last.ln()))
}

/// What two levels leave, at the best cut, or one raised piece in the middle.
fn best_step(levels: &[f64]) -> f64 {
    let left = |part: &[f64]| {
        let middle = median(&mut part.to_vec());
        part.iter().map(|level| (level - middle).abs()).sum::<f64>()
    };
    (1..levels.len()).map(|cut| left(&levels[..cut]) + left(&levels[cut..])).fold(f64::INFINITY, f64::min)
}
