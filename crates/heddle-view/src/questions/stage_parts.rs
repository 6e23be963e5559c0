//! What a stage of a run is made of: the function of the program around it, and rounds that repeat.
//!
//! Both are read off a few ranks, at a cost that does not grow with the trace.

use std::collections::BTreeMap;

use heddle_model::{LocationId, Ns, Paradigm, RegionId};
use heddle_store::Store;
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::lookup::enclosing::{beginning_in, spans_in};
use crate::request::names::time_text;

/// Ranks that are asked for their callers, and how often in a stage.
const MOST_ASKED: usize = 48;
const TIMES_ASKED: i64 = 12;
/// Where so many of them are inside a function, the stage is called after it; where no more than so many are, it is not there.
const INSIDE: f64 = 0.6;
const ABSENT: f64 = 0.3;
/// So many are inside it when the stage begins: else it only follows what the stage begins with.
const FROM_THE_BEGINNING: f64 = 0.5;

/// Ranks that are asked for rounds; all must agree.
const WITNESSES: usize = 3;
/// Fewer rounds are no repetition.
const LEAST_ROUNDS: usize = 4;
/// Nine of ten rounds are within this factor of the middle one.
const ALIKE: f64 = 1.25;
/// So many rounds are as long as the next, where rounds are looked for in a whole window.
const EVEN: f64 = 0.8;
/// They fill so much of the stage.
const FILLED: f64 = 0.8;
/// Calls of a rank that are looked at.
const MOST_VISITED: u64 = 200_000;

/// Something that repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Rounds {
    /// How often.
    pub count: u32,
    /// From the beginning of one to the beginning of the next, on average.
    #[serde(rename = "each_ns", serialize_with = "time_text")]
    pub each: Ns,
}

/// How much of a part of the time ranks are inside a function.
#[derive(Default)]
struct Inside {
    /// Of all ranks, on average.
    share: f64,
    /// The same when the part begins.
    at_first: f64,
}

/// For each part of the time the outermost function of the program that most ranks are in, and that is not everywhere.
pub(super) fn callers(store: &Store, locations: &[LocationId], parts: &[(Ns, Ns)]) -> Vec<Option<RegionId>> {
    let regions = &store.regions;
    let is_own = |region: RegionId| {
        !regions.communicates(region) && regions.paradigm_of(region) != Paradigm::Idle && region.is_some()
    };
    let busy: Vec<LocationId> =
        locations.iter().copied().filter(|row| store.locations.spans.get(u64::from(row.0)) > 0).collect();
    let asked: Vec<LocationId> = busy.iter().copied().step_by(busy.len().div_ceil(MOST_ASKED).max(1)).collect();
    let inside = |&(from, to): &(Ns, Ns)| {
        let mut counts: FxHashMap<RegionId, Inside> = FxHashMap::default();
        let each = 1.0 / asked.len().max(1) as f64;
        for location in &asked {
            for time in 0..TIMES_ASKED {
                let at = Ns(from.0 + to.since(from) / TIMES_ASKED * time + to.since(from) / (2 * TIMES_ASKED));
                let mut stack: Vec<RegionId> = spans_in(store, *location, (at, Ns(at.0 + 1)))
                    .rows()
                    .map(|span| store.spans.region.get(span))
                    .filter(|region| is_own(*region))
                    .collect();
                stack.sort_unstable();
                stack.dedup();
                for region in stack {
                    let inside = counts.entry(region).or_default();
                    inside.share += each / TIMES_ASKED as f64;
                    inside.at_first += if time == 0 { each } else { 0.0 };
                }
            }
        }
        counts
    };
    let counts: Vec<FxHashMap<RegionId, Inside>> = parts.iter().map(inside).collect();
    let share = |part: usize, region: RegionId| counts[part].get(&region).map_or(0.0, |inside| inside.share);
    let in_all = |region: RegionId| (0..parts.len()).map(|part| share(part, region)).sum::<f64>();
    let is_somewhere_absent = |region: RegionId| (0..parts.len()).any(|part| share(part, region) <= ABSENT);
    (0..parts.len())
        .map(|part| {
            let is_name = |inside: &Inside| inside.share >= INSIDE && inside.at_first >= FROM_THE_BEGINNING;
            let here = counts[part].iter().filter(|(region, inside)| is_name(inside) && is_somewhere_absent(**region));
            here.map(|(region, _)| *region).max_by(|a, b| in_all(*a).total_cmp(&in_all(*b)).then(b.cmp(a)))
        })
        .collect()
}

/// The longest regular repetition in a stretch of time, if ranks agree on it.
pub(super) fn rounds(store: &Store, locations: &[LocationId], time: (Ns, Ns)) -> Option<Rounds> {
    let mut agreed: Option<BTreeMap<RegionId, Rounds>> = None;
    for location in witnesses(store, locations) {
        let found = regular(store, location, time);
        let both = match agreed {
            None => found,
            Some(before) => before.into_iter().filter(|(region, rounds)| agrees(found.get(region), rounds)).collect(),
        };
        agreed = Some(both);
    }
    agreed?.into_values().max_by_key(|rounds| (rounds.each, std::cmp::Reverse(rounds.count)))
}

fn agrees(other: Option<&Rounds>, rounds: &Rounds) -> bool {
    other.is_some_and(|other| other.count.abs_diff(rounds.count) <= 1)
}

fn witnesses(store: &Store, locations: &[LocationId]) -> Vec<LocationId> {
    let busy: Vec<LocationId> =
        locations.iter().copied().filter(|row| store.locations.spans.get(u64::from(row.0)) > 0).collect();
    let step = busy.len().div_ceil(WITNESSES).max(1);
    busy.into_iter().skip(step / 2).step_by(step).collect()
}

/// When rounds may begin: times at which functions are entered that follow each other evenly nearly everywhere, those with
/// the fewest and longest rounds first. Rounds may become longer on the way; whether the same happens in them is another question.
pub(super) fn beginnings(store: &Store, locations: &[LocationId], time: (Ns, Ns)) -> Vec<Vec<i64>> {
    let mut witnesses = witnesses(store, locations).into_iter().map(|location| entered(store, location, time));
    let Some(mut found) = witnesses.next() else { return Vec::new() };
    found.retain(|_, starts| starts.len() >= LEAST_ROUNDS && follow_evenly(starts));
    for other in witnesses {
        found.retain(|region, starts| other.get(region).is_some_and(|others| others.len().abs_diff(starts.len()) <= 1));
    }
    let mut found: Vec<Vec<i64>> = found.into_values().collect();
    // Of those that are entered equally often, what is entered first begins the round.
    found.sort_by_key(|starts| (starts.len(), starts[0]));
    found
}

/// Whether the distance to the next is alike that to the one after, but for a few.
fn follow_evenly(starts: &[i64]) -> bool {
    let gaps: Vec<f64> = starts.windows(2).map(|two| (two[1] - two[0]) as f64).collect();
    let alike = gaps.windows(2).filter(|two| two[0] <= two[1] * ALIKE && two[1] <= two[0] * ALIKE).count();
    alike as f64 >= EVEN * (gaps.len() as f64 - 1.0)
}

/// The regions that a rank enters at regular times.
fn regular(store: &Store, location: LocationId, time: (Ns, Ns)) -> BTreeMap<RegionId, Rounds> {
    let length = time.1.since(time.0) as f64;
    let starts = entered(store, location, time).into_iter();
    starts.filter_map(|(region, starts)| Some((region, regularity(&starts, length)?))).collect()
}

/// When a rank enters each region.
fn entered(store: &Store, location: LocationId, time: (Ns, Ns)) -> BTreeMap<RegionId, Vec<i64>> {
    let rows = beginning_in(store, location, time);
    if rows.end - rows.start > MOST_VISITED {
        return BTreeMap::new();
    }
    let mut starts: BTreeMap<RegionId, Vec<i64>> = BTreeMap::new();
    for span in rows {
        starts.entry(store.spans.region.get(span)).or_default().push(store.spans.start.get(span).0);
    }
    starts
}

/// The rounds that begin at these times, if they are alike and fill the length.
fn regularity(starts: &[i64], length: f64) -> Option<Rounds> {
    if starts.len() < LEAST_ROUNDS {
        return None;
    }
    let mut gaps: Vec<i64> = starts.windows(2).map(|two| two[1] - two[0]).collect();
    let each = (starts[starts.len() - 1] - starts[0]) / gaps.len() as i64;
    gaps.sort_unstable();
    let middle = gaps[gaps.len() / 2] as f64;
    let is_alike = |gap: i64| gap as f64 <= middle * ALIKE && gap as f64 * ALIKE >= middle;
    let are_alike = is_alike(gaps[gaps.len() / 20]) && is_alike(gaps[gaps.len() - 1 - gaps.len() / 20]);
    let fills = each as f64 * starts.len() as f64 >= FILLED * length;
    let count = u32::try_from(starts.len()).ok()?;
    (each > 0 && are_alike && fills).then_some(Rounds { count, each: Ns(each) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_starts_are_rounds_and_others_are_not() {
        let even: Vec<i64> = (0..20).map(|at| at * 1_970 + at % 3).collect();
        assert_eq!(regularity(&even, 40_000.0), Some(Rounds { count: 20, each: Ns(1_970) }));
        assert_eq!(regularity(&even[..3], 6_000.0), None, "three are no repetition");
        assert_eq!(regularity(&even, 100_000.0), None, "they end in the middle");
        let pairs: Vec<i64> = (0..20).map(|at| at / 2 * 4_000 + at % 2 * 10).collect();
        assert_eq!(regularity(&pairs, 40_000.0), None, "two close to each other, then a pause");
    }
}
