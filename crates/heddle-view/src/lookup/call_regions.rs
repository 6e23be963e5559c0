//! Which regions are calls: those that communicate; where nothing does, all in which something is done. And what is known of
//! the time outside of them.

use heddle_model::{LocationId, LocationKind, Paradigm, RegionId};
use heddle_store::Store;

/// What is known of the time outside of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Processes that pass messages compute when they do not.
    Computing,
    /// There are rows of accelerators, or collectives of a library that runs on them: a row that does not communicate may
    /// as well do nothing.
    Silent,
    /// Nothing communicates, every function counts, and this is what no function covers.
    Outside,
}

impl Rest {
    /// What is known in a trace, of these rows.
    pub(crate) fn of(store: &Store, locations: &[LocationId]) -> Rest {
        let Some(communication) = store.regions.communication() else { return Rest::Outside };
        let passes_messages =
            |region: u32| matches!(store.regions.paradigm_of(RegionId(region)), Paradigm::Mpi | Paradigm::OneSided);
        let streams = LocationKind::AcceleratorStream.name();
        let has_streams =
            || locations.iter().any(|location| store.locations.kind.get(u64::from(location.0)) == streams);
        let is_known = (0..).zip(communication).any(|(region, talks)| talks && passes_messages(region));
        if is_known && !has_streams() { Rest::Computing } else { Rest::Silent }
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Rest::Computing => "computing",
            Rest::Silent => "not communicating",
            Rest::Outside => "outside any function",
        }
    }
}

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
