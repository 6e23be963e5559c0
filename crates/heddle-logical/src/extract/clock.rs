//! When events are entered, as counts: where to cut time so that so many events lie before the cut.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use heddle_model::Ns;
use heddle_store::Store;

/// Most bins of time.
const BINS: u64 = 1 << 17;

/// Events by bins of time. Bins are counted by many threads at once, in any order.
#[derive(Debug)]
pub(super) struct Clock {
    first: i64,
    width: u64,
    bins: Vec<AtomicU32>,
}

impl Clock {
    pub(super) fn of(store: &Store) -> Clock {
        let (first, last) = (store.summary().start_ns, store.summary().end_ns);
        let length = last.abs_diff(first) + 1;
        let width = length.div_ceil(BINS).max(1);
        let bins = (0..length.div_ceil(width)).map(|_| AtomicU32::new(0)).collect();
        Clock { first, width, bins }
    }

    /// Some events are entered.
    #[inline]
    pub(super) fn count(&self, enter: Ns, events: usize) {
        let bin = (enter.0.saturating_sub(self.first).max(0) as u64 / self.width).min(self.bins.len() as u64 - 1);
        self.bins[bin as usize].fetch_add(events as u32, Relaxed);
    }

    /// The edges of bins, each with how many events are entered before it.
    pub(super) fn edges(&self) -> Vec<(Ns, u64)> {
        let mut before = 0;
        let edges = self.bins.iter().zip(1..).map(|(bin, number)| {
            before += u64::from(bin.load(Relaxed));
            (Ns(self.first.saturating_add_unsigned(self.width.saturating_mul(number))), before)
        });
        edges.collect()
    }
}
