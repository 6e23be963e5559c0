//! How much time workers spend in each type of task, slice by slice of time.
//!
//! Exact where tasks are visited. Where tasks lie inside each other the inner one counts, so no worker is ever busy for more
//! than a slice has.

use heddle_model::Ns;
use heddle_store::Store;
use heddle_tasks::SliceSums;

use super::workers::{Types, Worker};
use crate::lookup::enclosing::spans_in;

/// Nanoseconds in each type, by type, then slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Usage {
    /// By type, then slice.
    pub(crate) busy: Vec<Vec<i64>>,
    /// How many workers that is the time of.
    pub(crate) workers: u64,
}

impl Usage {
    pub(crate) fn none(types: usize, slices: usize) -> Usage {
        Usage { busy: vec![vec![0; slices]; types], workers: 0 }
    }

    /// The time of some workers between edges, which ascend.
    pub(crate) fn of(store: &Store, workers: &[Worker], types: &Types, edges: &[Ns]) -> Usage {
        let slices = edges.len().saturating_sub(1);
        let mut sums: Vec<SliceSums> = (0..types.len()).map(|_| SliceSums::new(slices)).collect();
        for worker in workers {
            let spans = spans_in(store, worker.location, (edges[0], edges[slices]));
            spans.for_each_stretch(
                store,
                |region| types.at(region).is_some(),
                |stretch| {
                    if let Some(of) = types.at(stretch.region) {
                        sums[of].add(edges, stretch.start, stretch.end);
                    }
                },
            );
        }
        Usage { busy: sums.into_iter().map(|sums| sums.finish(edges)).collect(), workers: workers.len() as u64 }
    }

    /// Adds the time of other workers.
    pub(crate) fn add(&mut self, other: &Usage) {
        for (sum, part) in self.busy.iter_mut().flatten().zip(other.busy.iter().flatten()) {
            *sum += part;
        }
        self.workers += other.workers;
    }

    /// The share of the workers' time in each type in a slice of some length.
    pub(crate) fn shares(&self, slice: usize, length: i64) -> impl Iterator<Item = f64> + '_ {
        let all = (self.workers as f64 * length as f64).max(1.0);
        self.busy.iter().map(move |busy| busy[slice] as f64 / all)
    }

    /// Time in all types in a slice.
    pub(crate) fn in_slice(&self, slice: usize) -> i64 {
        self.busy.iter().map(|busy| busy[slice]).sum()
    }

    /// Time in all types.
    pub(crate) fn total(&self) -> i64 {
        self.busy.iter().flatten().sum()
    }
}
