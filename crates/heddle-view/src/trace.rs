//! What views look at: a store, and logical time where it is known.

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

/// Logical time, open.
#[derive(Debug)]
pub struct LogicalData {}
