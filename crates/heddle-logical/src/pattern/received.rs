//! How many messages the waits of clusters received: what the pies of an exchange with wait-alls are filled by.

use std::ops::Range;

use heddle_store::{Progress, Store, StoreError};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::cluster::Clusters;
use crate::tables::kind_of;
use crate::{Kind, Logical, work};

/// Rows that are read at once.
const ROWS_AT_ONCE: usize = 1 << 10;

/// Receives of a step, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// How many events receive.
    pub events: u64,
    /// How many messages they received.
    pub messages: u64,
}

impl Waits {
    /// How many messages one of them received on average; none if there are none.
    pub fn mean(&self) -> Option<f64> {
        (self.events > 0).then(|| self.messages as f64 / self.events as f64)
    }

    fn plus(&mut self, other: &Waits) {
        self.events += other.events;
        self.messages += other.messages;
    }
}

/// How many messages the members of each leaf received at each step.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// By leaf, then by step; only where there is something.
    of: Vec<Vec<(u32, Waits)>>,
}

impl Received {
    /// Counts the messages of all clusters of a scope.
    pub fn read(
        store: &Store,
        logical: &Logical,
        clusters: &Clusters,
        progress: &dyn Progress,
    ) -> Result<Received, StoreError> {
        progress.begin(work::RECOGNISING, clusters.rows());
        let members: Vec<(u32, u32)> = clusters.members().collect();
        let count = |members: &[(u32, u32)]| {
            progress.check()?;
            let mut sums: FxHashMap<(u32, u32), Waits> = FxHashMap::default();
            for (row, leaf) in members {
                let events = clusters.scope().events_of(logical, *row);
                let kinds = logical.events.kind.iter(events.clone()).zip(logical.events.step.iter(events.clone()));
                let received = logical.messages_received(store, *row, events);
                for ((cell, step), messages) in kinds.zip(received) {
                    if kind_of(cell) == Kind::Receive {
                        let waits = Waits { events: 1, messages: u64::from(messages) };
                        sums.entry((*leaf, step)).or_default().plus(&waits);
                    }
                }
            }
            progress.advance(members.len() as u64);
            Ok(sums)
        };
        let sums = members.par_chunks(ROWS_AT_ONCE).map(count).try_reduce(FxHashMap::default, |mut one, other| {
            for (place, waits) in other {
                one.entry(place).or_default().plus(&waits);
            }
            Ok(one)
        })?;
        let mut of = vec![Vec::new(); clusters.leaves().len()];
        for ((leaf, step), waits) in sums {
            of[leaf as usize].push((step, waits));
        }
        for steps in &mut of {
            steps.sort_unstable_by_key(|(step, _)| *step);
        }
        Ok(Received { of })
    }

    /// What the members of a node received at a step.
    pub fn at(&self, clusters: &Clusters, node: u32, step: u32) -> Waits {
        let mut sum = Waits::default();
        self.for_each(clusters, node, step..step.saturating_add(1), |_, waits| sum.plus(waits));
        sum
    }

    /// Visits what the members of a node received in some steps, one leaf after the other: a step may come several times.
    pub fn for_each(&self, clusters: &Clusters, node: u32, steps: Range<u32>, mut visit: impl FnMut(u32, &Waits)) {
        for leaf in clusters.tree().leaves_of(node) {
            let of = self.of.get(leaf as usize).map_or(&[][..], Vec::as_slice);
            let first = of.partition_point(|(step, _)| *step < steps.start);
            of[first..].iter().take_while(|(step, _)| *step < steps.end).for_each(|(step, waits)| visit(*step, waits));
        }
    }
}
