//! Which section of the traffic a message or collective belongs to: who called for it, what it is, and among how many.
//!
//! Programs alternate between few kinds of communication, and these are what people call phases: the all-to-alls of the
//! rows, those of the columns, the exchange with neighbours. They are told apart by the function around the call, the
//! operation and the size of the group.

use heddle_model::{CollectiveOp, LocationId, Paradigm, RegionId, SpanRow};
use heddle_store::Store;

/// What a section is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SectionKey {
    /// The function that the call was made from, or none.
    pub(super) caller: RegionId,
    /// The collective; none for messages.
    pub(super) op: Option<CollectiveOp>,
    /// Members of the collective's group.
    pub(super) members: u32,
}

/// Finds callers.
#[derive(Debug)]
pub(crate) struct Callers<'a> {
    store: &'a Store,
    /// Which regions say where in the program one is.
    tells: Vec<bool>,
}

impl<'a> Callers<'a> {
    pub(crate) fn new(store: &'a Store) -> Callers<'a> {
        let regions = &store.regions;
        let tells = |region: u32| {
            let paradigm = regions.paradigm_of(RegionId(region));
            // What each location enters once is around everything, and tells nothing.
            let is_around_all = regions.count.get(u64::from(region)) <= store.locations.len();
            !paradigm.is_communication() && paradigm != Paradigm::Idle && !is_around_all
        };
        Callers { store, tells: (0..regions.len() as u32).map(tells).collect() }
    }

    /// The nearest function around a call that neither communicates nor idles nor is around everything.
    pub(super) fn of(&self, location: LocationId, span: SpanRow) -> RegionId {
        let spans = &self.store.spans;
        if !span.is_some() || span.0 >= spans.len() {
            return RegionId::NONE;
        }
        let first = self.store.spans_of(location).start;
        let mut at = span.0;
        loop {
            let depth = spans.depth.get(at);
            let Some(depth) = depth.checked_sub(1) else { return RegionId::NONE };
            let Some(caller) = self.store.depths.last_at_most(first..at, depth, &spans.depth) else {
                return RegionId::NONE;
            };
            let region = spans.region.get(caller);
            if self.tells.get(region.index()) == Some(&true) {
                return region;
            }
            at = caller;
        }
    }
}

impl SectionKey {
    /// What it is called.
    pub(super) fn name(self, store: &Store) -> String {
        let what = match self.op {
            None => "messages".to_owned(),
            Some(op) => format!("{} of {} ranks", words(op), self.members),
        };
        if self.caller == RegionId::NONE {
            return what;
        }
        format!("{} · {what}", store.regions.name.get(u64::from(self.caller.0)))
    }
}

/// What people call an operation.
fn words(op: CollectiveOp) -> &'static str {
    match op.name() {
        "bcast" => "broadcast",
        "allgather" | "allgatherv" => "all-gather",
        "alltoall" | "alltoallv" | "alltoallw" => "all-to-all",
        "allreduce" => "all-reduce",
        "reduce_scatter" | "reduce_scatter_block" => "reduce-scatter",
        "gatherv" => "gather",
        "scatterv" => "scatter",
        name => name,
    }
}
