//! Which regions are calls: those that communicate; where nothing does, all in which something is done.

use heddle_model::{Paradigm, RegionId};
use heddle_store::Store;

/// Whether anything in the trace communicates.
pub(crate) fn has_communication(store: &Store) -> bool {
    store.regions.communication().is_some()
}

/// For each region, whether its spans are calls.
pub(crate) fn call_regions(store: &Store) -> Vec<bool> {
    let regions = &store.regions;
    let is_busy =
        |region: u64| regions.count.get(region) > 0 && regions.paradigm_of(RegionId(region as u32)) != Paradigm::Idle;
    regions.communication().unwrap_or_else(|| (0..regions.len()).map(is_busy).collect())
}
