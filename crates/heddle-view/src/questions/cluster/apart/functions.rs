//! The function that a difference has to do with: the one that events are in, or the one that ranks are in before them.

use std::ops::Range;

use heddle_logical::Logical;
use heddle_model::{Ns, RegionId};
use heddle_store::Store;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::Stretch;
use crate::lookup::enclosing::{beginning_in, parent};
use crate::questions::cluster::courses::Sum;
use crate::questions::cluster::members::Everyone;
use crate::questions::cluster::{Asked, Group};
use crate::scene::ticks::duration_text;

/// Ranks that are looked at, of the cluster and of the others, and events of each.
const RANKS: usize = 256;
const EVENTS: usize = 32;
/// Calls before an event that are looked at.
const CALLS: u64 = 256;
/// What ranks bring along carries a difference if it makes up this share of it.
const CARRIED: f64 = 0.5;
/// A function takes longer if it takes so many times what it takes on the others, and if that explains so much of
/// the difference.
const LONGER: f64 = 1.2;
const EXPLAINED: f64 = 0.05;

/// The function that a difference has to do with.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "when", rename_all = "kebab-case")]
pub enum Mostly {
    /// Most events are calls of it.
    In {
        /// Its number.
        region: u32,
        /// Its name. Hostile text.
        name: String,
        /// The share of the events.
        share: f64,
    },
    /// Before events ranks spend another time in it than the others do.
    Before {
        /// Its number.
        region: u32,
        /// Its name. Hostile text.
        name: String,
        /// Mean nanoseconds before an event.
        ns: i64,
        /// The same on the others.
        rest_ns: i64,
    },
    /// The difference was there before, whatever made it.
    Brought {
        /// Which share of it.
        share: f64,
    },
}

impl Mostly {
    pub(super) fn sentence(&self) -> String {
        match self {
            Mostly::In { name, share, .. } => {
                let percent = 100.0 * share;
                format!("There {percent:.0} % of its events are {name}.")
            }
            Mostly::Before { name, ns, rest_ns, .. } => {
                let [own, rest] = [duration_text(*ns), duration_text(*rest_ns)];
                format!("Before an event there it spends {own} in {name} on average, the others {rest}.")
            }
            Mostly::Brought { share } => {
                format!("{:.0} % of that was there before the events began.", 100.0 * share)
            }
        }
    }
}

/// `sums` are those of the cluster and of the others in the stretch.
pub(super) fn mostly(
    asked: &Asked,
    everyone: &Everyone,
    group: &Group,
    stretch: &Stretch,
    sums: &[Sum; 2],
) -> Option<Mostly> {
    let apart = stretch.mean.value - stretch.rest_mean.value;
    let carried = sums[0].aggregate_mean().zip(sums[1].aggregate_mean()).map(|(own, rest)| (own - rest) / apart);
    let steps = stretch.first..stretch.last + 1;
    let own = Looked::of(asked, everyone, group, true, &steps);
    match carried.filter(|carried| carried.is_finite() && *carried >= CARRIED) {
        Some(carried) => {
            let rest = Looked::of(asked, everyone, group, false, &steps);
            let of_time = asked.metric().is_time().then_some(apart);
            own.longer(asked.store, &rest, apart > 0.0, of_time).or(Some(Mostly::Brought { share: carried.min(1.0) }))
        }
        None => own.most_frequent(asked.store),
    }
}

/// What some events are calls of, and what their ranks did before them.
#[derive(Default)]
struct Looked {
    events: u64,
    calls: FxHashMap<RegionId, u64>,
    before: FxHashMap<RegionId, i64>,
}

impl Looked {
    fn of(asked: &Asked, everyone: &Everyone, group: &Group, members: bool, steps: &Range<u32>) -> Looked {
        let rows: Vec<u32> =
            everyone.rows.iter().zip(&group.is_member).filter(|(_, is)| **is == members).map(|(row, _)| *row).collect();
        let some: Vec<u32> = rows.iter().step_by(rows.len().div_ceil(RANKS).max(1)).copied().collect();
        let each = |row: &u32| {
            let logical = &asked.data.logical;
            let mut events = asked.clusters.scope().events_of(logical, *row);
            events.start = logical.events.step.partition_point(events.clone(), |step| step < steps.start);
            events.end = logical.events.step.partition_point(events.clone(), |step| step < steps.end);
            let mut looked = Looked::default();
            let apart = (events.end - events.start).div_ceil(EVENTS as u64).max(1) as usize;
            for event in events.step_by(apart) {
                looked.add(asked.store, logical, *row, event);
            }
            looked
        };
        some.par_iter().map(each).reduce(Looked::default, |mut a, b| {
            a.events += b.events;
            for (region, count) in b.calls {
                *a.calls.entry(region).or_default() += count;
            }
            for (region, ns) in b.before {
                *a.before.entry(region).or_default() += ns;
            }
            a
        })
    }

    fn add(&mut self, store: &Store, logical: &Logical, row: u32, event: u64) {
        self.events += 1;
        *self.calls.entry(store.spans.region.get(logical.events.span.get(event).0)).or_default() += 1;
        let location = logical.rows.location.get(u64::from(row));
        let spans = store.spans_of(location);
        let from = if event > logical.events_of(row).start {
            logical.events.leave.get(event - 1)
        } else if spans.is_empty() {
            return;
        } else {
            store.spans.start.get(spans.start)
        };
        let to = logical.events.enter.get(event);
        if to <= from {
            return;
        }
        let mut calls = beginning_in(store, location, (from, to));
        calls.end = calls.end.min(calls.start + CALLS);
        // What is around all of them has the time that none of them takes.
        let around = calls.start.checked_sub(1).filter(|before| *before >= spans.start);
        let around = around.and_then(|before| {
            std::iter::successors(Some(before), |row| parent(store, *row)).find(|row| store.spans.end.get(*row) > from)
        });
        let mut open: Vec<(u16, RegionId)> =
            around.map(|row| (store.spans.depth.get(row), store.spans.region.get(row))).into_iter().collect();
        if let Some((_, region)) = open.first() {
            *self.before.entry(*region).or_default() += to.since(from);
        }
        for row in calls {
            let (start, end): (Ns, Ns) = (store.spans.start.get(row), store.spans.end.get(row).min(to));
            let (depth, region) = (store.spans.depth.get(row), store.spans.region.get(row));
            while open.last().is_some_and(|(above, _)| *above >= depth) {
                open.pop();
            }
            if let Some((_, caller)) = open.last() {
                *self.before.entry(*caller).or_default() -= end.since(start);
            }
            *self.before.entry(region).or_default() += end.since(start);
            open.push((depth, region));
        }
    }

    /// The function that takes longer than on the others, or shorter, by most; none if that is too little to explain it.
    fn longer(&self, store: &Store, rest: &Looked, is_more: bool, of_time: Option<f64>) -> Option<Mostly> {
        let mean = |looked: &Looked, region: &RegionId| {
            looked.before.get(region).copied().unwrap_or(0) as f64 / looked.events.max(1) as f64
        };
        let sign = if is_more { 1.0 } else { -1.0 };
        let mut regions: Vec<RegionId> = self.before.keys().chain(rest.before.keys()).copied().collect();
        regions.sort_unstable();
        regions.dedup();
        let excess = |region: &RegionId| sign * (mean(self, region) - mean(rest, region));
        let candidates = regions.iter().filter(|region| !store.regions.communicates(**region));
        let region = *candidates.max_by(|a, b| excess(a).total_cmp(&excess(b)))?;
        let (own, others) = (mean(self, &region), mean(rest, &region));
        let (larger, smaller) = if is_more { (own, others) } else { (others, own) };
        let explains = of_time.is_none_or(|apart| excess(&region) >= EXPLAINED * apart.abs());
        (rest.events > 0 && larger >= LONGER * smaller.max(1.0) && explains).then(|| Mostly::Before {
            region: region.0,
            name: store.regions.name.get(u64::from(region.0)).to_owned(),
            ns: own.round() as i64,
            rest_ns: others.round() as i64,
        })
    }

    fn most_frequent(&self, store: &Store) -> Option<Mostly> {
        let (region, count) = self.calls.iter().max_by_key(|(region, count)| (**count, std::cmp::Reverse(**region)))?;
        Some(Mostly::In {
            region: region.0,
            name: store.regions.name.get(u64::from(region.0)).to_owned(),
            share: *count as f64 / self.events.max(1) as f64,
        })
    }
}
