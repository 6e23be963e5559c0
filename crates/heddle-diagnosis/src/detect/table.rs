//! All visits of all rows, by place, and what is usual at each step.

use std::cmp::Reverse;

use heddle_model::{RegionId, Role};
use heddle_store::{LongList, Progress, StoreError};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::pairing::{Count, LEAST_PEERS, Pairing, Sampled, choose, usual};
use super::serial::of_few;
use super::stats::median;
use super::visits::{At, Visit, walk};
use crate::rows::Rows;

/// Rows that decide how visits are paired, at most, and how many visits of them.
pub(crate) const SAMPLE_ROWS: usize = 1024;
pub(crate) const SAMPLE_VISITS: usize = 1 << 22;
/// Places with less of all computing are not looked at.
const LEAST_SHARE: f64 = 0.005;
/// Counts from an anchor or a turn on get so many bits of a key.
const STEP_BITS: u32 = 8;
/// Steps of a place whose peers are found at once.
const BLOCK: usize = 1 << 16;

/// Visits that are shorter than this share of typical ones are not compared: they take time by chance.
const LEAST_VISIT: f64 = 0.01;

/// A visit that has no peers.
pub(super) const NO_KEY: u32 = u32::MAX;

/// A place that is looked at.
#[derive(Clone, Debug)]
pub(super) struct PlaceInfo {
    pub(super) at: At,
    pub(super) pairing: Pairing,
    /// Share of all computing.
    pub(super) share: f64,
}

/// Visits of a row at a place: which step, and how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowVisits<'a> {
    pub(super) keys: &'a [u32],
    pub(super) times: &'a [f32],
    /// How often the place was passed, visits of no length too.
    pub(super) passed: u32,
}

/// All visits.
#[derive(Debug)]
pub(super) struct Visits {
    keys: LongList<u32>,
    times: LongList<f32>,
    /// By row, then place: where they begin, and how often the place was passed. Behind the last, where that ends.
    parts: Vec<(usize, u32)>,
    places: usize,
}

/// Visits of a row at a place, while they are found.
#[derive(Clone, Debug, Default)]
struct Found {
    keys: Vec<u32>,
    times: Vec<f32>,
    passed: u32,
}

impl Visits {
    /// Goes through all rows.
    fn new(
        rows: &Rows<'_>,
        places: usize,
        of_row: impl Fn(usize) -> Result<Vec<Found>, StoreError> + Sync,
    ) -> Result<Visits, StoreError> {
        let (keys, times) = (LongList::new(&rows.room), LongList::new(&rows.room));
        let mut visits = Visits { keys, times, parts: Vec::new(), places };
        for batch in rows.batches() {
            let found: Vec<Vec<Found>> = batch.into_par_iter().map(&of_row).collect::<Result<_, _>>()?;
            let (mut keys, mut times) = (Vec::new(), Vec::new());
            for part in found.into_iter().flatten() {
                visits.parts.push((visits.keys.len() + keys.len(), part.passed));
                keys.extend(part.keys);
                times.extend(part.times);
            }
            visits.keys.extend(&keys)?;
            visits.times.extend(&times)?;
        }
        visits.parts.push((visits.keys.len(), 0));
        Ok(visits)
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        (self.parts.len() - 1) / self.places.max(1)
    }

    /// Those of a row at a place.
    pub(super) fn of(&self, row: usize, place: usize) -> RowVisits<'_> {
        let at = row * self.places + place;
        let ((from, passed), (to, _)) = (self.parts[at], self.parts[at + 1]);
        RowVisits { keys: &self.keys[from..to], times: &self.times[from..to], passed }
    }
}

/// What is usual at each step of a place, among rows of one class.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    pub(super) keys: Vec<u32>,
    pub(super) usual: Vec<f32>,
}

/// All of it.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) is_anchor: Vec<bool>,
    /// Functions that few rows execute.
    pub(super) of_few: Vec<bool>,
    pub(super) places: Vec<PlaceInfo>,
    pub(super) place_of: FxHashMap<At, u32>,
    pub(super) visits: Visits,
    /// By place, then class.
    pub(super) steps: Vec<FxHashMap<u32, Steps>>,
    /// Visits that usually take less are no evidence.
    least: f64,
    /// All computing of all rows at the places that are looked at, in nanoseconds.
    pub(super) computing: f64,
}

impl Table {
    pub(super) fn new(rows: &Rows<'_>, progress: &dyn Progress) -> Result<Table, StoreError> {
        let called = Called::new(rows, progress)?;
        let is_anchor = anchors(rows, &called.equally);
        let (places, computing) = places(rows, &is_anchor, progress)?;
        let place_of: FxHashMap<At, u32> = (0..).zip(&places).map(|(at, place)| (place.at, at)).collect();
        let of_row = |row: usize| -> Result<Vec<Found>, StoreError> {
            progress.check()?;
            let mut found = vec![Found::default(); places.len()];
            let mut counter = Counter::new(places.len());
            walk(rows, &is_anchor, row, |visit| {
                let Some(place) = place_of.get(&visit.at).map(|place| *place as usize) else { return };
                let info = &places[place];
                let key = counter.key(place, info.pairing.count, &visit);
                found[place].passed += 1;
                if visit.time > 0 || info.at.is_whole() {
                    found[place].keys.push(key);
                    found[place].times.push(visit.time as f32);
                }
            });
            progress.advance(1);
            Ok(found)
        };
        let visits = Visits::new(rows, places.len(), of_row)?;
        let steps = (0..places.len()).into_par_iter().map(|place| steps(&places[place], place, &visits)).collect();
        let least = LEAST_VISIT * typical(&visits);
        let of_few = of_few(rows, &called.callers);
        Ok(Table { is_anchor, of_few, places, place_of, visits, steps, least, computing })
    }

    /// Whether only few rows execute the function of a place.
    pub(super) fn is_of_few(&self, place: u32) -> bool {
        let region = self.places[place as usize].at.region;
        self.of_few.get(region.index()).copied().unwrap_or(false)
    }

    /// Who the peers of a row are at a place.
    pub(super) fn class(&self, row: usize, place: usize) -> u32 {
        class(&self.places[place], self.visits.of(row, place))
    }

    /// What is usual for the visits of a row at a place, one by one; not a number where that is not known.
    pub(super) fn usual(&self, row: usize, place: usize, mut each: impl FnMut(usize, f64, f64)) {
        let visits = self.visits.of(row, place);
        let none = Steps::default();
        let steps = self.steps[place].get(&self.class(row, place)).unwrap_or(&none);
        let mut at = 0;
        for (index, (key, time)) in visits.keys.iter().zip(visits.times).enumerate() {
            let found = if *key == NO_KEY {
                None
            } else {
                while at < steps.keys.len() && steps.keys[at] < *key {
                    at += 1;
                }
                steps.keys.get(at).filter(|found| *found == key).map(|_| at)
            };
            let usual = found.map_or(f64::NAN, |found| f64::from(steps.usual[found]));
            let usual = if usual > 0.0 && usual < self.least { f64::NAN } else { usual };
            each(index, f64::from(*time), usual);
        }
    }
}

/// How long the visit is that half of a row's computing is in longer ones of; the median over the rows, so that one who stalls
/// for long does not make the visits of all look short.
fn typical(visits: &Visits) -> f64 {
    let of_row = |row: usize| {
        let of_places = (0..visits.places).flat_map(|place| visits.of(row, place).times);
        let mut times: Vec<f64> = of_places.map(|time| f64::from(*time)).collect();
        times.sort_unstable_by(|a, b| b.total_cmp(a));
        let half = times.iter().sum::<f64>() / 2.0;
        let mut sum = 0.0;
        times.into_iter().find(|time| {
            sum += time;
            sum >= half
        })
    };
    let mut times: Vec<f64> = (0..visits.rows()).into_par_iter().filter_map(of_row).collect();
    if times.is_empty() { 0.0 } else { median(&mut times) }
}

fn class(place: &PlaceInfo, visits: RowVisits<'_>) -> u32 {
    if place.pairing.same_number { visits.passed } else { 0 }
}

/// Numbers the steps of one row.
pub(super) struct Counter {
    passed: Vec<u32>,
    since_anchor: Vec<(u32, u32)>,
    since_turn: Vec<(u32, u32)>,
}

impl Counter {
    pub(super) fn new(places: usize) -> Counter {
        let none = vec![(u32::MAX, 0); places];
        Counter { passed: vec![0; places], since_anchor: none.clone(), since_turn: none }
    }

    /// The step of a visit, which becomes the last one of its place.
    pub(super) fn key(&mut self, place: usize, count: Count, visit: &Visit) -> u32 {
        self.passed[place] += 1;
        let (since, last) = match count {
            Count::Run => return self.passed[place] - 1,
            Count::Anchor => (visit.anchor, &mut self.since_anchor[place]),
            Count::Turn => (visit.turn, &mut self.since_turn[place]),
        };
        *last = if last.0 == since { (since, last.1 + 1) } else { (since, 0) };
        if last.1 >= 1 << STEP_BITS || since >= 1 << (31 - STEP_BITS) { NO_KEY } else { since << STEP_BITS | last.1 }
    }
}

/// Functions that are asked whether they mark the same steps on all rows, at most; and how many of their calls.
const MOST_ANCHORS: usize = 24;
const ANCHOR_CALLS: usize = 1 << 16;
const ANCHOR_ROWS: usize = 64;

/// Which functions mark the steps of the program: all rows call them equally often and in the same order. Messages do not:
/// who sends first is a matter of roles.
fn anchors(rows: &Rows<'_>, same: &[bool]) -> Vec<bool> {
    let regions = &rows.store.regions;
    let is_message = |region: usize| {
        rows.class(RegionId(region as u32)).communicates
            && !matches!(Role::from_name(regions.role.get(region as u64)), Role::Collective | Role::Barrier)
    };
    let mut candidates: Vec<usize> = (0..same.len()).filter(|region| same[*region] && !is_message(*region)).collect();
    let communicates = |region: usize| rows.class(RegionId(region as u32)).communicates;
    candidates.sort_by_key(|region| (communicates(*region), Reverse(regions.exclusive.get(*region as u64)), *region));
    candidates.truncate(MOST_ANCHORS);
    let mut number = vec![None; same.len()];
    for (at, region) in candidates.iter().enumerate() {
        number[*region] = Some(at as u8);
    }
    let calls = |row: &usize| {
        let own = rows.store.spans_of(rows.locations[*row]);
        let calls = rows.store.spans.region.iter(own).filter_map(|region| *number.get(region.index())?);
        calls.take(ANCHOR_CALLS).collect::<Vec<u8>>()
    };
    let sample = sample_rows(rows.len(), ANCHOR_ROWS);
    let calls: Vec<Vec<u8>> = sample.par_iter().map(calls).collect();
    let mut accepted = vec![false; candidates.len()];
    for at in 0..candidates.len() {
        accepted[at] = true;
        let order =
            |calls: &Vec<u8>| calls.iter().copied().filter(|call| accepted[usize::from(*call)]).collect::<Vec<u8>>();
        let first = calls.first().map(order);
        accepted[at] = calls.par_iter().all(|calls| Some(order(calls)) == first);
    }
    let mut is_anchor = vec![false; same.len()];
    for (region, accepted) in candidates.iter().zip(accepted) {
        is_anchor[*region] = accepted;
    }
    is_anchor
}

/// How rows call functions.
struct Called {
    /// Which functions all rows call equally often.
    equally: Vec<bool>,
    /// How many rows call each.
    callers: Vec<u32>,
}

impl Called {
    fn new(rows: &Rows<'_>, progress: &dyn Progress) -> Result<Called, StoreError> {
        let count = |row: usize| -> Result<Vec<u32>, StoreError> {
            progress.check()?;
            let mut counts = vec![0_u32; rows.region_count()];
            for block in rows.store.spans.region.blocks(rows.store.spans_of(rows.locations[row])) {
                for region in &block {
                    if let Some(count) = counts.get_mut(region.index()) {
                        *count = count.saturating_add(1);
                    }
                }
            }
            Ok(counts)
        };
        let first = if rows.is_empty() { Vec::new() } else { count(0)? };
        let of_row = |row: usize| {
            let counts = count(row)?;
            let equally = counts.iter().zip(&first).map(|(own, first)| own == first && *own > 0).collect();
            Ok(Called { equally, callers: counts.iter().map(|count| u32::from(*count > 0)).collect() })
        };
        let none = || Called { equally: vec![true; first.len()], callers: vec![0; first.len()] };
        let both = |a: Called, b: Called| {
            let equally = a.equally.iter().zip(&b.equally).map(|(a, b)| *a && *b).collect();
            Ok(Called { equally, callers: a.callers.iter().zip(&b.callers).map(|(a, b)| a + b).collect() })
        };
        (0..rows.len()).into_par_iter().map(of_row).try_reduce(none, both)
    }
}

/// Since when each way of counting counts, and how far it is.
type Counts = [(u32, u32); 3];

/// Visits of a sampled row by place, and all its computing.
type SampledRow = (FxHashMap<At, Vec<Sampled>>, f64);

/// The visits of a row as the ways of pairing see them; of many the first.
fn sampled(rows: &Rows<'_>, is_anchor: &[bool], row: usize, most: usize) -> SampledRow {
    let mut found: FxHashMap<At, (Vec<Sampled>, Counts)> = FxHashMap::default();
    let (mut whole, mut visited) = (0.0, 0);
    walk(rows, is_anchor, row, |visit| {
        whole += visit.time as f64;
        visited += 1;
        if visited > most {
            return;
        }
        let (list, last) = found.entry(visit.at).or_insert((Vec::new(), [(0, u32::MAX); 3]));
        let since = [0, visit.anchor, visit.turn];
        let mut keys = [0; 3];
        for ((last, since), key) in last.iter_mut().zip(since).zip(&mut keys) {
            *last = if last.0 == since { (since, last.1.wrapping_add(1)) } else { (since, 0) };
            *key = u64::from(last.0) << 32 | u64::from(last.1);
        }
        list.push(Sampled { row: row as u32, keys, time: visit.time as f32 });
    });
    (found.into_iter().map(|(at, (list, _))| (at, list)).collect(), whole)
}

/// The places worth looking at, with how their visits are paired, and all computing of the sample, scaled to all rows.
fn places(rows: &Rows<'_>, is_anchor: &[bool], progress: &dyn Progress) -> Result<(Vec<PlaceInfo>, f64), StoreError> {
    let sample = sample_rows(rows.len(), SAMPLE_ROWS);
    let most = SAMPLE_VISITS / sample.len().max(1);
    let of_row = |row: &usize| -> Result<SampledRow, StoreError> {
        progress.check()?;
        Ok(sampled(rows, is_anchor, *row, most))
    };
    let found: Vec<SampledRow> = sample.par_iter().map(of_row).collect::<Result<_, StoreError>>()?;
    let whole: f64 = found.iter().map(|(_, whole)| *whole).sum();
    let mut by_place: FxHashMap<At, Vec<Sampled>> = FxHashMap::default();
    for (places, _) in found {
        for (at, list) in places {
            by_place.entry(at).or_default().extend(list);
        }
    }
    let mut by_place: Vec<(At, Vec<Sampled>)> = by_place.into_iter().collect();
    by_place.sort_by_key(|(at, _)| *at);
    let time = |list: &[Sampled]| list.iter().map(|visit| f64::from(visit.time)).sum::<f64>();
    let all: f64 = by_place.iter().map(|(_, list)| time(list)).sum();
    let info = |(at, list): &(At, Vec<Sampled>)| {
        let share = if all > 0.0 { time(list) / all } else { 0.0 };
        if share < LEAST_SHARE {
            return None;
        }
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        for visit in list {
            *numbers.entry(visit.row).or_default() += 1;
        }
        let pairing = choose(list, |row| numbers.get(&row).copied().unwrap_or(0))
            .unwrap_or(Pairing { count: Count::Run, same_number: false });
        Some(PlaceInfo { at: *at, pairing, share })
    };
    let places = by_place.par_iter().map(info).collect::<Vec<_>>().into_iter().flatten().collect();
    Ok((places, whole * rows.len() as f64 / sample.len().max(1) as f64))
}

/// Rows that stand for all: not at equal distances, since those may all have the same role.
fn sample_rows(rows: usize, most: usize) -> Vec<usize> {
    if rows <= most {
        return (0..rows).collect();
    }
    // Multiples of the golden ratio fill evenly, whatever the number of rows.
    let place = |at: u64| ((u128::from(at.wrapping_mul(0x9e37_79b9) % (1 << 32)) * rows as u128) >> 32) as usize;
    let mut sample: Vec<usize> = (0..most as u64).map(place).collect();
    sample.push(0);
    sample.sort_unstable();
    sample.dedup();
    sample
}

/// What is usual at each step of a place.
fn steps(info: &PlaceInfo, place: usize, visits: &Visits) -> FxHashMap<u32, Steps> {
    let mut classes: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for row in 0..visits.rows() {
        let of_row = visits.of(row, place);
        if of_row.passed > 0 {
            classes.entry(class(info, of_row)).or_default().push(row);
        }
    }
    let steps_of = |members: Vec<usize>| {
        let visits: Vec<RowVisits<'_>> = members.iter().map(|row| visits.of(*row, place)).collect();
        steps_of(info, &visits)
    };
    classes.into_iter().map(|(class, members)| (class, steps_of(members))).collect()
}

fn steps_of(info: &PlaceInfo, members: &[RowVisits<'_>]) -> Steps {
    let mut cursors = vec![0_usize; members.len()];
    let mut steps = Steps::default();
    let mut found: Vec<(u32, f64)> = Vec::new();
    let mut from = 0_u32;
    let longest = members.iter().map(|visits| visits.keys.len()).max().unwrap_or(0).max(1);
    let last = members.iter().filter_map(|visits| last_key(visits.keys)).max().unwrap_or(0);
    let per_block = (BLOCK / members.len().max(1)).max(1) as u64;
    // Keys per visit, where steps are numbered with gaps.
    let sparse = (u64::from(last) / longest as u64 + 1).min(1 << 20);
    loop {
        let to = (u64::from(from) + per_block * sparse).min(u64::from(NO_KEY)) as u32;
        found.clear();
        for (visits, cursor) in members.iter().zip(&mut cursors) {
            while *cursor < visits.keys.len() {
                let at = *cursor;
                if visits.keys[at] >= to && visits.keys[at] != NO_KEY {
                    break;
                }
                if visits.keys[at] != NO_KEY {
                    found.push((visits.keys[at], f64::from(visits.times[at])));
                }
                *cursor += 1;
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        for peers in found.chunk_by(|a, b| a.0 == b.0) {
            let absent = if info.at.is_whole() { 0 } else { members.len().saturating_sub(peers.len()) };
            if peers.len() + absent < LEAST_PEERS {
                continue;
            }
            let mut times: Vec<f64> = peers.iter().map(|(_, time)| *time).collect();
            steps.keys.push(peers[0].0);
            steps.usual.push(usual(&mut times, absent) as f32);
        }
        if to > last {
            return steps;
        }
        from = to;
    }
}

fn last_key(keys: &[u32]) -> Option<u32> {
    keys.iter().filter(|key| **key != NO_KEY).max().copied()
}
