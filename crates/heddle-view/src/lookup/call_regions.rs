//! Which regions are calls: those that communicate; where nothing does, all in which something is done.

use heddle_model::Paradigm;
use heddle_store::Store;

/// Whether a region was visited and communicates.
pub(crate) fn communicates(store: &Store, region: u64) -> bool {
    store.regions.count.get(region) > 0 && Paradigm::from_name(store.regions.paradigm.get(region)).is_communication()
}

/// Whether anything in the trace communicates.
pub(crate) fn has_communication(store: &Store) -> bool {
    (0..store.regions.len()).any(|region| communicates(store, region))
}

/// For each region, whether its spans are calls.
pub(crate) fn call_regions(store: &Store) -> Vec<bool> {
    let regions = &store.regions;
    let is_idle = |region: u64| Paradigm::from_name(regions.paradigm.get(region)) == Paradigm::Idle;
    if has_communication(store) {
        (0..regions.len()).map(|region| communicates(store, region)).collect()
    } else {
        (0..regions.len()).map(|region| regions.count.get(region) > 0 && !is_idle(region)).collect()
    }
}
