//! Equal timelines, found once: in bulk-synchronous programs a million ranks have a few hundred different ones.
//!
//! Folding decides only how often a distance is worked out, never a result: samples, medoids and costs are those of all
//! timelines.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

use super::timeline::{Timeline, Timelines};

/// No class: the timeline has no values.
const NONE: u32 = u32::MAX;

/// Which timelines are equal.
pub(super) struct Folded {
    /// The first of each kind.
    distinct: Vec<usize>,
    /// For each timeline its kind.
    class_of: Vec<u32>,
}

impl Folded {
    pub(super) fn new<T: Timelines + ?Sized>(timelines: &T) -> Folded {
        let digests: Vec<Option<u128>> = (0..timelines.count())
            .into_par_iter()
            .map_init(Timeline::default, |timeline, at| {
                timelines.read(at, timeline);
                (!timeline.is_empty()).then(|| digest(timeline))
            })
            .collect();
        let mut classes: FxHashMap<u128, u32> = FxHashMap::default();
        let (mut distinct, mut class_of) = (Vec::new(), Vec::with_capacity(digests.len()));
        for (at, digest) in digests.into_iter().enumerate() {
            let Some(digest) = digest else {
                class_of.push(NONE);
                continue;
            };
            let class = *classes.entry(digest).or_insert_with(|| {
                distinct.push(at);
                distinct.len() as u32 - 1
            });
            class_of.push(class);
        }
        Folded { distinct, class_of }
    }

    /// The first of each kind, ascending.
    pub(super) fn distinct(&self) -> &[usize] {
        &self.distinct
    }

    /// The kind of a timeline; none if it has no values.
    pub(super) fn class_of(&self, at: usize) -> Option<usize> {
        let class = self.class_of[at];
        (class != NONE).then_some(class as usize)
    }

    pub(super) fn is_empty(&self, at: usize) -> bool {
        self.class_of[at] == NONE
    }
}

/// 128 bits: by chance two of a million differ and agree here once in 10^26 runs.
fn digest(timeline: &Timeline) -> u128 {
    let mut hasher = Xxh3::new();
    hasher.update(bytemuck::cast_slice(&timeline.steps));
    hasher.update(bytemuck::cast_slice(&timeline.values));
    hasher.digest128()
}

#[cfg(test)]
impl Folded {
    /// Every timeline alone, equal or not.
    pub(super) fn none<T: Timelines + ?Sized>(timelines: &T) -> Folded {
        let count = timelines.count();
        Folded { distinct: (0..count).collect(), class_of: (0..count as u32).collect() }
    }
}
