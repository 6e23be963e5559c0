//! What calls were made from: the nearest function around a call that neither communicates nor idles.
//!
//! Tools nest calls of MPI in each other, and a wait may lie in a library's own wrapper of it: none of these says where in
//! the program one is.

use heddle_model::{LocationId, Ns, Paradigm, RegionId};
use heddle_store::Store;
use rustc_hash::FxHashMap;

/// Locations that are looked at to learn which callers there are, and spans of each.
const SAMPLED: (usize, u64) = (64, 16_384);

/// Which regions count as callers.
#[derive(Debug)]
pub struct Callers {
    is_caller: Vec<bool>,
}

impl Callers {
    /// Of a trace.
    pub fn new(store: &Store) -> Callers {
        let regions = &store.regions;
        let talks = regions.communication();
        let is_caller = |region: u32| {
            let is_talk = talks.as_ref().is_some_and(|talks| talks[region as usize]);
            !is_talk && regions.paradigm_of(RegionId(region)) != Paradigm::Idle
        };
        Callers { is_caller: (0..regions.len() as u32).map(is_caller).collect() }
    }

    /// Begins to follow a location, or a part of it whose callers are entered first.
    pub fn walk(&self) -> CallerWalk<'_> {
        CallerWalk { is_caller: &self.is_caller, around: Vec::new() }
    }

    /// Callers of the trace, those whose calls take most time first: the same order whatever the window. It is taken from
    /// some of the locations.
    pub fn by_time(&self, store: &Store, is_call: &[bool]) -> Vec<RegionId> {
        let locations = store.locations.len();
        let each = (locations as usize).div_ceil(SAMPLED.0).max(1);
        let mut times = FxHashMap::<RegionId, i64>::default();
        for location in (0..locations as u32).step_by(each) {
            let rows = store.spans_of(LocationId(location));
            let mut walk = self.walk();
            for row in rows.start..rows.end.min(rows.start + SAMPLED.1) {
                let region = store.spans.region.get(row);
                let caller = walk.enter(store.spans.depth.get(row), region);
                if is_call.get(region.index()) == Some(&true) && caller != RegionId::NONE {
                    let [start, end]: [Ns; 2] = [store.spans.start.get(row), store.spans.end.get(row)];
                    let time = times.entry(caller).or_default();
                    *time = time.saturating_add(end.since(start));
                }
            }
        }
        let mut order: Vec<(RegionId, i64)> = times.into_iter().collect();
        order.sort_unstable_by_key(|(region, time)| (std::cmp::Reverse(*time), *region));
        order.into_iter().map(|(region, _)| region).collect()
    }
}

/// The callers of one location's spans, which are entered in their order.
#[derive(Debug)]
pub struct CallerWalk<'a> {
    is_caller: &'a [bool],
    around: Vec<(u16, RegionId)>,
}

impl CallerWalk<'_> {
    /// Enters a span and gives its caller; none if nothing that counts is around it.
    #[inline]
    pub fn enter(&mut self, depth: u16, region: RegionId) -> RegionId {
        while self.around.last().is_some_and(|(above, _)| *above >= depth) {
            self.around.pop();
        }
        let caller = self.around.last().map_or(RegionId::NONE, |(_, caller)| *caller);
        if self.is_caller.get(region.index()) == Some(&true) {
            self.around.push((depth, region));
        }
        caller
    }
}
