//! What views look at: a store, and logical time where it is known.

use std::sync::Arc;

use rayon::prelude::*;

use heddle_logical::{Logical, MetricValues};
use heddle_store::Store;

/// A trace to look at.
#[derive(Clone, Copy, Debug)]
pub struct Trace<'a> {
    /// The trace itself.
    pub store: &'a Store,
    /// Its logical time with the metric that was asked for.
    pub logical: Option<&'a LogicalData>,
}

impl<'a> From<&'a Store> for Trace<'a> {
    fn from(store: &'a Store) -> Trace<'a> {
        Trace { store, logical: None }
    }
}

/// Logical time, open, with the values of one metric. Cheap to clone.
#[derive(Clone, Debug)]
pub struct LogicalData {
    /// Phases and steps.
    pub logical: Arc<Logical>,
    /// The values of a metric: the one that requests name.
    pub values: Arc<MetricValues>,
}

impl LogicalData {
    /// The value of an event.
    pub(crate) fn value(&self, event: u64) -> f64 {
        self.values.value(&self.logical, event)
    }

    /// The value of the aggregate before an event.
    pub(crate) fn aggregate(&self, event: u64) -> f64 {
        self.values.aggregate(&self.logical, event)
    }
}

/// The event with the largest lateness, of several the first; none if no event is late.
pub fn latest_event(logical: &Logical) -> Option<u64> {
    let of_row =
        |row: u32| logical.events_of(row).map(|event| (logical.lateness(event), std::cmp::Reverse(event))).max();
    let latest = (0..logical.rows.len() as u32).into_par_iter().filter_map(of_row).max();
    latest.filter(|(lateness, _)| *lateness > 0).map(|(_, event)| event.0)
}
