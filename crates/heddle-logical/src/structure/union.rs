//! Which events belong together, found by many threads at once.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

/// Disjoint sets of events. The smallest member stands for its set, so the result does not depend on who unites first.
pub(super) struct DisjointSets {
    /// A smaller member of the same set, or itself.
    parent: Vec<AtomicU32>,
}

impl DisjointSets {
    /// Every event alone.
    pub(super) fn new(events: u32) -> DisjointSets {
        DisjointSets { parent: (0..events).into_par_iter().map(AtomicU32::new).collect() }
    }

    /// The smallest member so far of the set of `event`; halves the way there.
    fn find(&self, mut event: u32) -> u32 {
        loop {
            let parent = self.parent[event as usize].load(Relaxed);
            if parent == event {
                return event;
            }
            let above = self.parent[parent as usize].load(Relaxed);
            if above == parent {
                return parent;
            }
            self.parent[event as usize].store(above, Relaxed);
            event = above;
        }
    }

    /// Two sets become one.
    pub(super) fn unite(&self, mut a: u32, mut b: u32) {
        loop {
            a = self.find(a);
            b = self.find(b);
            if a == b {
                return;
            }
            let (low, high) = (a.min(b), a.max(b));
            if self.parent[high as usize].compare_exchange(high, low, Relaxed, Relaxed).is_ok() {
                return;
            }
        }
    }

    /// A label for each event, the same for all of a set: 0, 1, … in the order of their smallest members. And how many.
    pub(super) fn into_labels(self) -> (Vec<u32>, u32) {
        let DisjointSets { parent } = &self;
        (0..parent.len() as u32).into_par_iter().for_each(|event| {
            let root = self.find(event);
            parent[event as usize].store(root, Relaxed);
        });
        // Roots as bits, and how many stand before each word: a root's label is a count of bits, without a second array.
        let is_root: Vec<u64> = parent
            .par_chunks(64)
            .enumerate()
            .map(|(word, parents)| {
                let first = word as u32 * 64;
                (0..).zip(parents).fold(0, |bits, (bit, p)| bits | u64::from(p.load(Relaxed) == first + bit) << bit)
            })
            .collect();
        let mut roots = 0;
        let before: Vec<u32> = is_root
            .iter()
            .map(|bits| {
                let before = roots;
                roots += bits.count_ones();
                before
            })
            .collect();
        let mut labels: Vec<u32> = self.parent.into_iter().map(AtomicU32::into_inner).collect();
        labels.par_iter_mut().for_each(|label| {
            let (word, bit) = (*label as usize / 64, *label % 64);
            *label = before[word] + (is_root[word] & ((1 << bit) - 1)).count_ones();
        });
        (labels, roots)
    }
}
