//! What views look at: a store, and logical time where it is known.

use std::sync::Arc;

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
