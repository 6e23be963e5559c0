//! What a row did in a stretch of time: exclusive time in each function, without waiting.
//!
//! Short stretches are walked through. Of long ones the middle comes from sums that are kept at every so many calls, so that
//! a stretch costs about the same whatever its length.

use std::ops::Range;

use heddle_model::RegionId;
use heddle_store::index::SpansInSight;
use heddle_store::{LongList, StoreError};
use rayon::prelude::*;

use crate::rows::Rows;
use crate::waits::Waits;

/// Calls between two sums, at least; and for each function, so that sums take half a byte per call.
const STRIDE: u64 = 128;
const STRIDE_PER_REGION: u64 = 16;

/// How many calls are between two sums.
fn stride(rows: &Rows<'_>) -> u64 {
    STRIDE.max(STRIDE_PER_REGION * (rows.region_count() as u64 + 1))
}

/// Time by function, with a list of those that have any. The last place is time outside of all functions.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    times: Vec<i64>,
    touched: Vec<u32>,
    is_touched: Vec<bool>,
}

impl Profile {
    pub(crate) fn new(rows: &Rows<'_>) -> Profile {
        let places = rows.region_count() + 1;
        Profile { times: vec![0; places], touched: Vec::new(), is_touched: vec![false; places] }
    }

    #[inline]
    fn add(&mut self, place: usize, time: i64) {
        if !self.is_touched[place] {
            self.is_touched[place] = true;
            self.touched.push(place as u32);
        }
        self.times[place] += time;
    }

    pub(crate) fn clear(&mut self) {
        for place in self.touched.drain(..) {
            self.times[place as usize] = 0;
            self.is_touched[place as usize] = false;
        }
    }

    /// Functions that were visited, in no order, with their time.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (RegionId, i64)> + '_ {
        let outside = self.times.len() as u32 - 1;
        let region = move |place: u32| if place == outside { RegionId::NONE } else { RegionId(place) };
        self.touched.iter().map(move |place| (region(*place), self.times[*place as usize]))
    }

    /// Time in a function.
    #[inline]
    pub(crate) fn get(&self, region: RegionId) -> i64 {
        self.times[self.place(region)]
    }

    #[inline]
    fn place(&self, region: RegionId) -> usize {
        region.index().min(self.times.len() - 1)
    }
}

/// Sums of profiles, kept with the results.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    /// Where a row's begin, and where the last one's end.
    pub(crate) first: Vec<usize>,
    /// By row: when they were taken.
    pub(crate) times: LongList<i64>,
    /// By row and time: how much by function, and outside of all.
    pub(crate) by_function: LongList<i64>,
}

impl Sums {
    pub(crate) fn new(rows: &Rows<'_>, waits: &Waits) -> Result<Sums, StoreError> {
        let none = Sums { first: vec![0; rows.len() + 1], ..Sums::default() };
        let profiles = Profiles { rows, waits, sums: &none };
        let stride = stride(rows);
        let (times, by_function) = (LongList::new(&rows.room), LongList::new(&rows.room));
        let mut all = Sums { first: vec![0], times, by_function };
        for batch in rows.batches() {
            let found: Vec<(Vec<i64>, Vec<i64>)> = batch.into_par_iter().map(|row| profiles.sum(row, stride)).collect();
            let (mut times, mut by_function) = (Vec::new(), Vec::new());
            for (of_row, sums) in found {
                times.extend(of_row);
                by_function.extend(sums);
                all.first.push(all.times.len() + times.len());
            }
            all.times.extend(&times)?;
            all.by_function.extend(&by_function)?;
        }
        Ok(all)
    }

    /// When the sums of a row were taken, and the sums, one after the other.
    fn of(&self, row: usize, places: usize) -> (&[i64], &[i64]) {
        let of = self.first[row]..self.first[row + 1];
        (&self.times[of.clone()], &self.by_function[of.start * places..of.end * places])
    }
}

/// Profiles of all rows, at any time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Profiles<'a> {
    pub(crate) rows: &'a Rows<'a>,
    pub(crate) waits: &'a Waits,
    pub(crate) sums: &'a Sums,
}

impl Profiles<'_> {
    /// The sums of a row.
    fn sum(&self, row: usize, stride: u64) -> (Vec<i64>, Vec<i64>) {
        let own = self.rows.store.spans_of(self.rows.locations[row]);
        let (mut times, mut sums) = (Vec::new(), Vec::new());
        let mut profile = Profile::new(self.rows);
        let mut at = self.rows.run.0.0;
        let mut next = own.start + stride;
        while next < own.end {
            let time = self.rows.store.spans.start.get(next).0;
            self.walk(row, at, time, &mut profile);
            times.push(time);
            sums.extend_from_slice(&profile.times);
            at = time;
            next += stride;
        }
        (times, sums)
    }

    /// Adds what a row did from `from` to `to`.
    pub(crate) fn add(&self, row: usize, from: i64, to: i64, profile: &mut Profile) {
        if to <= from {
            return;
        }
        let places = profile.times.len();
        let (times, sums) = self.sums.of(row, places);
        let first = times.partition_point(|time| *time < from);
        let last = times.partition_point(|time| *time <= to);
        if last < first + 2 {
            return self.walk(row, from, to, profile);
        }
        let (first, last) = (first, last - 1);
        self.walk(row, from, times[first], profile);
        for place in 0..places {
            let time = sums[last * places + place] - sums[first * places + place];
            if time != 0 {
                profile.add(place, time);
            }
        }
        self.walk(row, times[last], to, profile);
    }

    /// The same, call by call.
    fn walk(&self, row: usize, from: i64, to: i64, profile: &mut Profile) {
        let (store, location) = (self.rows.store, self.rows.locations[row]);
        let (spans, own) = (&store.spans, store.spans_of(location));
        let outside = profile.times.len() - 1;
        let (mut starts, mut ends, mut regions) = (spans.start.cursor(), spans.end.cursor(), spans.region.cursor());
        let mut next = spans.start.partition_point(self.around(row, from), |start| start.0 <= from);
        let mut open = self.open_at(row, next, from);
        let mut time = from;
        let mut next_start = if next < own.end { starts.get(next).0 } else { i64::MAX };
        while time < to {
            let (place, end) = open.last().map_or((outside, i64::MAX), |(place, end)| (*place, *end));
            let until = end.min(next_start).min(to);
            if until > time {
                profile.add(place, until - time);
                time = until;
            }
            if time >= to {
                break;
            }
            if end <= time {
                open.pop();
            } else if next_start <= time {
                let place = profile.place(regions.get(next));
                open.push((place, ends.get(next).0));
                next += 1;
                next_start = if next < own.end { starts.get(next).0 } else { i64::MAX };
            }
        }
        let waits = self.waits.of(row);
        let first = waits.partition_point(|wait| wait.end() <= from);
        for wait in waits[first..].iter().take_while(|wait| wait.enter < to) {
            let waited = wait.end().min(to) - wait.enter.max(from);
            if waited > 0 {
                let place = profile.place(spans.region.get(wait.span.0));
                profile.add(place, -waited);
            }
        }
    }

    /// Calls of a row among which the first is that begins after a moment; sums say where, without looking at calls far away.
    fn around(&self, row: usize, time: i64) -> Range<u64> {
        let own = self.rows.store.spans_of(self.rows.locations[row]);
        let times = &self.sums.times[self.sums.first[row]..self.sums.first[row + 1]];
        // Sums are taken at the start of every so manyth call.
        let before = times.partition_point(|taken| *taken <= time) as u64;
        let stride = stride(self.rows);
        let from = (own.start + before * stride).min(own.end);
        let to = if before < times.len() as u64 { (from + stride).min(own.end) } else { own.end };
        from..to
    }

    /// The calls that are open at a moment, outermost first: place of their function, and end. `next` is the first call that
    /// begins later.
    fn open_at(&self, row: usize, next: u64, time: i64) -> Vec<(usize, i64)> {
        let (store, location) = (self.rows.store, self.rows.locations[row]);
        let (spans, own) = (&store.spans, store.spans_of(location));
        let mut open = Vec::new();
        let mut candidate = (next > own.start).then(|| next - 1);
        while let Some(at) = candidate {
            let end = spans.end.get(at).0;
            if end > time {
                let region = spans.region.get(at);
                open.push((region.index().min(self.rows.region_count()), end));
            }
            candidate = SpansInSight::parent(spans, &store.depths, &own, at);
        }
        open.reverse();
        open
    }

    /// What a row did from `from` to `to`, by class. Time before its first call and after its last is nobody's.
    pub(crate) fn classes(&self, row: usize, from: i64, to: i64, profile: &mut Profile) -> Classes {
        let location = self.rows.locations[row];
        let own = self.rows.store.spans_of(location);
        let first = self.rows.store.spans.start.get(own.start).0;
        let last = self.rows.last(location);
        profile.clear();
        let (from, to) = (from.max(first), to.min(last));
        self.add(row, from, to, profile);
        let mut classes = Classes::default();
        for (region, time) in profile.iter() {
            let class = self.rows.class(region);
            let into = if class.communicates {
                &mut classes.communication
            } else if class.is_other {
                &mut classes.other
            } else {
                &mut classes.useful
            };
            *into += time;
        }
        classes.waiting = (to - from).max(0) - classes.useful - classes.communication - classes.other;
        classes
    }
}

/// Time of a row, or of all, by what it was spent on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Classes {
    /// Computing.
    pub useful: i64,
    /// Waiting for others in communication.
    pub waiting: i64,
    /// The rest of communication: transfer and library.
    pub communication: i64,
    /// Waiting for work, files, the recorder.
    pub other: i64,
}
