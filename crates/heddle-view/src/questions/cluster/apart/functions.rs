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
use crate::questions::cluster::courses::Courses;
use crate::questions::cluster::members::Everyone;
use crate::questions::cluster::{Asked, Group};
use crate::scene::ticks::duration_text;

/// Ranks that are looked at, of the cluster and of the others, and events of each.
const RANKS: usize = 256;
const EVENTS: u64 = 32;
/// Calls before an event that are looked at.
const CALLS: u64 = 256;
/// What ranks bring along carries a difference if it makes up this share of it.
const CARRIED: f64 = 0.5;
/// A function takes longer if it takes so many times what it takes on the others, and if that is so much of the difference.
const LONGER: f64 = 1.2;
const EXPLAINED: f64 = 0.25;

/// The function that a difference has to do with.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "when", rename_all = "kebab-case")]
pub enum Mostly {
    /// Most of the difference lies in events that are calls of it.
    In {
        /// Its number.
        region: u32,
        /// Its name. Hostile text.
        name: String,
        /// Which share of the squared difference.
        share: f64,
    },
    /// Between events ranks spend another time in it than the others do.
    Before {
        /// Its number.
        region: u32,
        /// Its name. Hostile text.
        name: String,
        /// Nanoseconds in the stretch, of a rank of the cluster on average.
        ns: i64,
        /// The same of another rank.
        rest_ns: i64,
    },
    /// The difference was there before, whatever made it.
    Brought {
        /// Which share of it.
        share: f64,
    },
}

/// A share that begins a sentence.
fn percent(share: f64) -> String {
    if share >= 0.995 { "All".to_owned() } else { format!("{:.0} %", 100.0 * share) }
}

impl Mostly {
    /// In words, for a cluster of one rank or of several.
    pub(super) fn sentence(&self, is_single: bool) -> String {
        match self {
            Mostly::In { name, share, .. } => {
                format!("{} of the difference there lies in {name}.", percent(*share))
            }
            Mostly::Before { name, ns, rest_ns, .. } => {
                let [own, rest] = [duration_text(*ns), duration_text(*rest_ns)];
                if is_single {
                    format!("There it spends {own} in {name}, another rank {rest} on average.")
                } else {
                    format!("There a member spends {own} in {name} on average, another rank {rest}.")
                }
            }
            Mostly::Brought { share } => {
                format!("{} of the difference was there before the events began.", percent(*share))
            }
        }
    }
}

pub(super) fn mostly(
    asked: &Asked,
    everyone: &Everyone,
    group: &Group,
    courses: &Courses,
    stretch: &Stretch,
) -> Option<Mostly> {
    let steps = stretch.first..stretch.last + 1;
    let squares = courses.squares();
    let looked = |members: bool| {
        Looked::of(asked, everyone, group, members, &steps, &squares[(stretch.first - courses.first) as usize..])
    };
    let places = [stretch.first, stretch.last + 1].map(|step| (step - courses.first) as usize);
    match courses.carried(places[0]..places[1]).filter(|carried| *carried >= CARRIED) {
        Some(carried) => {
            let apart = stretch.mean.value - stretch.rest_mean.value;
            let of_time = asked.metric().is_time().then_some(apart);
            let longer = || looked(true).longer(asked.store, &looked(false), apart > 0.0, of_time);
            let longer = if stretch.is_mixed() { None } else { longer() };
            longer.or(Some(Mostly::Brought { share: carried.min(1.0) }))
        }
        None => looked(true).most_different(asked.store),
    }
}

/// What some events are calls of, and what their ranks did before them.
#[derive(Default)]
struct Looked {
    ranks: u64,
    /// How much of the squared difference lies in calls of each function.
    calls: FxHashMap<RegionId, f64>,
    /// Nanoseconds in each function between events.
    before: FxHashMap<RegionId, f64>,
}

impl Looked {
    /// `squares` are the squared differences from the first of the steps on.
    fn of(
        asked: &Asked,
        everyone: &Everyone,
        group: &Group,
        members: bool,
        steps: &Range<u32>,
        squares: &[f64],
    ) -> Looked {
        let rows: Vec<u32> =
            everyone.rows.iter().zip(&group.is_member).filter(|(_, is)| **is == members).map(|(row, _)| *row).collect();
        let some: Vec<u32> = rows.iter().step_by(rows.len().div_ceil(RANKS).max(1)).copied().collect();
        let each = |row: &u32| {
            let logical = &asked.data.logical;
            let mut events = asked.clusters.scope().events_of(logical, *row);
            events.start = logical.events.step.partition_point(events.clone(), |step| step < steps.start);
            events.end = logical.events.step.partition_point(events.clone(), |step| step < steps.end);
            let mut looked = Looked { ranks: 1, ..Looked::default() };
            let all = events.end - events.start;
            let every = all.div_ceil(EVENTS).max(1);
            // Each that is looked at stands for those that are not.
            let weight = all as f64 / all.div_ceil(every).max(1) as f64;
            for event in events.step_by(every as usize) {
                let square = squares[(logical.events.step.get(event) - steps.start) as usize];
                let region = asked.store.spans.region.get(logical.events.span.get(event).0);
                *looked.calls.entry(region).or_default() += weight * square;
                looked.before(asked.store, logical, *row, event, weight);
            }
            looked
        };
        // In the order of the rows, so that sums of fractions do not depend on threads.
        let each: Vec<Looked> = some.par_iter().map(each).collect();
        each.into_iter().fold(Looked::default(), |mut a, b| {
            a.ranks += b.ranks;
            for (all, one) in [(&mut a.calls, b.calls), (&mut a.before, b.before)] {
                for (region, amount) in one {
                    *all.entry(region).or_default() += amount;
                }
            }
            a
        })
    }

    /// Adds what a row did since the event before one of its events.
    fn before(&mut self, store: &Store, logical: &Logical, row: u32, event: u64, weight: f64) {
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
        let mut add = |region: RegionId, ns: i64| *self.before.entry(region).or_default() += weight * ns as f64;
        if let Some((_, region)) = open.first() {
            add(*region, to.since(from));
        }
        for row in calls {
            let (start, end): (Ns, Ns) = (store.spans.start.get(row), store.spans.end.get(row).min(to));
            let (depth, region) = (store.spans.depth.get(row), store.spans.region.get(row));
            while open.last().is_some_and(|(above, _)| *above >= depth) {
                open.pop();
            }
            if let Some((_, caller)) = open.last() {
                add(*caller, -end.since(start));
            }
            add(region, end.since(start));
            open.push((depth, region));
        }
    }

    /// The function that takes longer than on the others, or shorter, by most; none if that is too little to explain it.
    fn longer(&self, store: &Store, rest: &Looked, is_more: bool, of_time: Option<f64>) -> Option<Mostly> {
        let mean = |looked: &Looked, region: &RegionId| {
            looked.before.get(region).copied().unwrap_or(0.0) / looked.ranks.max(1) as f64
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
        (rest.ranks > 0 && larger >= LONGER * smaller.max(1.0) && explains).then(|| Mostly::Before {
            region: region.0,
            name: store.regions.name.get(u64::from(region.0)).to_owned(),
            ns: own.round() as i64,
            rest_ns: others.round() as i64,
        })
    }

    /// The function whose calls have most of the difference.
    fn most_different(&self, store: &Store) -> Option<Mostly> {
        let all: f64 = self.calls.values().sum();
        let most = |a: &(&RegionId, &f64), b: &(&RegionId, &f64)| a.1.total_cmp(b.1).then(b.0.cmp(a.0));
        let (region, amount) = self.calls.iter().max_by(most)?;
        (all > 0.0).then(|| Mostly::In {
            region: region.0,
            name: store.regions.name.get(u64::from(region.0)).to_owned(),
            share: amount / all,
        })
    }
}
