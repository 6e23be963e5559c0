//! The share of its own work that a node has done: equations 1 to 3 of Nesi et al. (2023).

use crate::Weights;
use crate::tally::TypeOnKind;

/// How many pieces of work were done at each instant, by type.
#[derive(Clone, Debug)]
pub(crate) struct Counts {
    types: usize,
    /// By instant, then type: those that ended at it or after the one before; once added up, all until it.
    ended: Vec<u64>,
    /// By instant, then type: the shares of those that were running, if those count.
    running: Vec<f64>,
}

impl Counts {
    pub(crate) fn new(types: usize, instants: usize) -> Counts {
        Counts { types, ended: vec![0; types * instants], running: Vec::new() }
    }

    /// One more has ended.
    #[inline]
    pub(crate) fn add(&mut self, instant: usize, of: usize) {
        self.ended[instant * self.types + of] += 1;
    }

    /// A share of one that is running.
    pub(crate) fn add_part(&mut self, instant: usize, of: usize, share: f64) {
        self.running.resize(self.ended.len(), 0.0);
        self.running[instant * self.types + of] += share;
    }

    /// Makes counts per instant counts until each instant.
    pub(crate) fn add_up(&mut self) {
        for at in self.types..self.ended.len() {
            self.ended[at] += self.ended[at - self.types];
        }
    }

    /// Adds those of another.
    pub(crate) fn merge(&mut self, other: &Counts) {
        self.ended.iter_mut().zip(&other.ended).for_each(|(sum, part)| *sum += part);
        if !other.running.is_empty() {
            self.running.resize(self.ended.len(), 0.0);
            self.running.iter_mut().zip(&other.running).for_each(|(sum, part)| *sum += part);
        }
    }

    /// The share of work done at each instant, from all that was done at the last; `None` without work.
    pub(crate) fn progress(&self, weights: &[f64]) -> Option<Vec<f64>> {
        let last = self.ended.len() - self.types;
        let all = &self.ended[last..];
        // Tasks that take no time have no weight. If there are no others, all weigh the same.
        let has_weight = all.iter().zip(weights).any(|(count, weight)| *count > 0 && *weight > 0.0);
        // The largest is 1: then work of a single type is counted without rounding.
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let weight = |of: usize| if has_weight { weights[of] / largest } else { 1.0 };
        let weights: Vec<f64> = (0..self.types).map(weight).collect();
        // Both sums add up in the same order, so that the last quotient is exactly 1.
        let sum = |from: usize| -> f64 {
            let running = |of: usize| self.running.get(from + of).copied().unwrap_or(0.0);
            let done = |of: usize| self.ended[from + of] as f64 + running(of);
            (0..self.types).map(|of| done(of) * weights[of]).sum()
        };
        let total = sum(last);
        if total <= 0.0 {
            return None;
        }
        let mut before: f64 = 0.0;
        let lines = (0..self.ended.len()).step_by(self.types).map(|from| {
            // What rounding takes from the shares of running tasks must not make a line fall.
            before = before.max((sum(from) / total).min(1.0));
            before
        });
        Some(lines.collect())
    }
}

/// What the weights of a node, or of the machine, rest on.
pub(crate) struct Line<'a> {
    /// By type, then kind.
    pub(crate) on_kind: &'a [TypeOnKind],
    /// Workers by kind.
    pub(crate) workers: &'a [u64],
    /// By type: what the workers do per nanosecond, each at its own pace.
    pub(crate) rates: &'a [f64],
}

/// Weights of the types: the time between two pieces of work of the type if all capable workers did nothing else, which is
/// the inverse of what they do per nanosecond together.
pub(crate) fn weights(line: &Line<'_>, by: Weights) -> Vec<f64> {
    let kinds = line.workers.len();
    let rate = |of: usize| -> f64 {
        match by {
            Weights::None => 1.0,
            Weights::Worker => line.rates[of],
            Weights::Type => {
                let on_kinds = line.on_kind[of * kinds..(of + 1) * kinds].iter().zip(line.workers);
                on_kinds.filter_map(|(on, workers)| on.mean().map(|mean| *workers as f64 / mean)).sum()
            }
        }
    };
    // Something per no time is without bound, so it weighs nothing.
    (0..line.rates.len()).map(rate).map(|rate| if rate > 0.0 { 1.0 / rate } else { 0.0 }).collect()
}

/// Adds what a worker does of each type per nanosecond, by its own mean.
pub(crate) fn rates(on_worker: &[TypeOnKind], rates: &mut [f64]) {
    for (rate, on) in rates.iter_mut().zip(on_worker) {
        if let Some(mean) = on.mean() {
            *rate += 1.0 / mean;
        }
    }
}
