//! Visits by function or by call path, of one location or of many together.

use std::sync::Arc;

use heddle_model::{LocationId, Ns, RegionId};
use heddle_store::Store;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::paths::Paths;
use crate::{CallProfile, Visited, Visits};

/// A tree of so many rows is kept few times at once.
const MANY_ROWS: usize = 1 << 16;

/// What call paths are counted under: their functions, or themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grouping {
    rows: Vec<Row>,
    /// The row of each path; none if its function is hidden.
    row_of: Vec<Option<u32>>,
    /// Whether no call around it is of the same row: its time is not counted by another.
    is_outermost: Vec<bool>,
}

/// A row of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its function.
    pub region: RegionId,
    /// The row that it was called from, in a tree; smaller than its own.
    pub caller: Option<u32>,
}

impl Grouping {
    /// One row per function.
    pub fn by_function(paths: &Paths, is_hidden: impl Fn(RegionId) -> bool) -> Grouping {
        let mut numbers: FxHashMap<RegionId, u32> = FxHashMap::default();
        let mut rows = Vec::new();
        let mut row_of = Vec::with_capacity(paths.len());
        for path in 0..paths.len() as u32 {
            let region = paths.region(path);
            row_of.push((!is_hidden(region)).then(|| {
                *numbers.entry(region).or_insert_with(|| {
                    rows.push(Row { region, caller: None });
                    rows.len() as u32 - 1
                })
            }));
        }
        Grouping { rows, row_of, is_outermost: paths.outermost() }
    }

    /// One row per call path. What a hidden function calls moves up to its caller.
    pub fn by_path(paths: &Paths, is_hidden: impl Fn(RegionId) -> bool) -> Grouping {
        let mut shown = Paths::default();
        // The row that what a path calls is under.
        let mut under: Vec<u32> = Vec::with_capacity(paths.len());
        let mut row_of = Vec::with_capacity(paths.len());
        for path in 0..paths.len() as u32 {
            let caller = under.get(paths.caller(path) as usize).copied().unwrap_or(Paths::OUTSIDE);
            let region = paths.region(path);
            let row = (!is_hidden(region)).then(|| shown.enter(caller, region));
            under.push(row.unwrap_or(caller));
            row_of.push(row);
        }
        let known = |caller: u32| (caller != Paths::OUTSIDE).then_some(caller);
        let row = |row: u32| Row { region: shown.region(row), caller: known(shown.caller(row)) };
        Grouping { rows: (0..shown.len() as u32).map(row).collect(), row_of, is_outermost: vec![true; paths.len()] }
    }

    /// All rows; a caller stands before what it calls.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }
}

/// Visits of one location by row. One serves for many locations, one after the other.
#[derive(Debug, Default)]
pub struct RowSums {
    sums: Vec<Visited>,
    met: Vec<u32>,
    visits: Visits,
}

impl RowSums {
    /// Counts what a location visits in a window.
    pub fn count(&mut self, profile: &CallProfile, store: &Store, location: LocationId, time: (Ns, Ns), by: &Grouping) {
        for row in self.met.drain(..) {
            self.sums[row as usize] = Visited::NONE;
        }
        self.sums.resize(by.rows.len(), Visited::NONE);
        profile.visits(store, location, time, &mut self.visits);
        for (path, visited) in self.visits.iter() {
            let Some(row) = by.row_of[path as usize] else { continue };
            let sum = &mut self.sums[row as usize];
            if sum.count == 0 {
                self.met.push(row);
            }
            sum.take(visited, by.is_outermost[path as usize]);
        }
        self.met.sort_unstable();
    }

    /// The rows that were visited, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Visited)> {
        self.met.iter().map(|row| (*row, &self.sums[*row as usize]))
    }
}

/// A number of each location: the sum, the least and the largest, and where these are, as places in the list of locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Over all locations.
    pub total: i64,
    /// The least, and the first location that has it.
    pub least: (i64, usize),
    /// The largest, and the first location that has it.
    pub most: (i64, usize),
}

impl Spread {
    const NONE: Spread = Spread { total: 0, least: (i64::MAX, usize::MAX), most: (i64::MIN, usize::MAX) };

    fn add(&mut self, value: i64, at: usize) {
        self.take(Spread { total: value, least: (value, at), most: (value, at) });
    }

    /// Takes in later locations.
    fn take(&mut self, other: Spread) {
        self.total = self.total.saturating_add(other.total);
        if other.least.0 < self.least.0 {
            self.least = other.least;
        }
        if other.most.0 > self.most.0 {
            self.most = other.most;
        }
    }
}

/// A row of many locations together. Locations that do not visit it have spent no time there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folded {
    /// Number of visits.
    pub count: u64,
    /// Inclusive time.
    pub inclusive: Spread,
    /// Exclusive time.
    pub exclusive: Spread,
    /// Durations of all visits together, as a whole.
    pub durations: i64,
    /// The shortest visit, and where.
    pub shortest: (i64, usize),
    /// The longest.
    pub longest: (i64, usize),
    /// Locations with a visit.
    pub locations: usize,
    /// The first location without one.
    gap: usize,
}

impl Folded {
    /// Of locations from a place on, none of which was looked at yet.
    fn from(first: usize) -> Folded {
        Folded {
            count: 0,
            inclusive: Spread::NONE,
            exclusive: Spread::NONE,
            durations: 0,
            shortest: (i64::MAX, usize::MAX),
            longest: (i64::MIN, usize::MAX),
            locations: 0,
            gap: first,
        }
    }

    fn add(&mut self, visited: &Visited, at: usize) {
        self.count += visited.count;
        self.inclusive.add(visited.inclusive, at);
        self.exclusive.add(visited.exclusive, at);
        self.durations = self.durations.saturating_add(visited.durations);
        self.extremes((visited.shortest, at), (visited.longest, at));
        self.locations += 1;
        if self.gap == at {
            self.gap += 1;
        }
    }

    fn extremes(&mut self, shortest: (i64, usize), longest: (i64, usize)) {
        if shortest.0 < self.shortest.0 {
            self.shortest = shortest;
        }
        if longest.0 > self.longest.0 {
            self.longest = longest;
        }
    }

    /// Takes in later locations, which begin at a place.
    fn take(&mut self, other: &Folded, first: usize) {
        self.count += other.count;
        self.inclusive.take(other.inclusive);
        self.exclusive.take(other.exclusive);
        self.durations = self.durations.saturating_add(other.durations);
        self.extremes(other.shortest, other.longest);
        self.locations += other.locations;
        if self.gap == first {
            self.gap = other.gap;
        }
    }

    /// Who does not visit it has spent no time in it.
    fn finish(mut self, locations: usize) -> Folded {
        if self.locations > 0 && self.locations < locations {
            let none = Spread { total: 0, least: (0, self.gap), most: (i64::MIN, usize::MAX) };
            self.inclusive.take(none);
            self.exclusive.take(none);
        }
        self
    }
}

/// Whose visits are counted, when, and how they are put together.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    locations: Vec<LocationId>,
    time: (Ns, Ns),
    by: Grouping,
    whole: Whole,
}

/// What an answer has an entry for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whole {
    /// Rows, over all locations.
    Rows,
    /// Locations, each with a row, or with all rows together.
    Locations(Option<u32>),
}

/// What some locations visit in a window, together: one entry per row. Rows that nobody visits have a count of zero.
pub fn fold(
    profile: &CallProfile,
    store: &Store,
    locations: &[LocationId],
    time: (Ns, Ns),
    by: &Grouping,
) -> Arc<Vec<Folded>> {
    let asked = Asked { locations: locations.to_vec(), time, by: by.clone(), whole: Whole::Rows };
    let find = |Asked { locations, time, by, .. }: &Asked| folded(profile, store, locations, *time, by);
    profile.folded.get(asked, find, |rows| rows.len() <= MANY_ROWS)
}

fn folded(
    profile: &CallProfile,
    store: &Store,
    locations: &[LocationId],
    time: (Ns, Ns),
    by: &Grouping,
) -> Vec<Folded> {
    let threads = rayon::current_num_threads();
    let chunks = if by.rows.len() > MANY_ROWS { threads } else { 8 * threads };
    let each = locations.len().div_ceil(chunks).max(1);
    let of_chunk = |(chunk, some): (usize, &[LocationId])| {
        let first = chunk * each;
        let mut rows = vec![Folded::from(first); by.rows.len()];
        let mut sums = RowSums::default();
        for (at, location) in (first..).zip(some) {
            sums.count(profile, store, *location, time, by);
            sums.iter().for_each(|(row, visited)| rows[row as usize].add(visited, at));
        }
        rows
    };
    let parts: Vec<Vec<Folded>> = locations.par_chunks(each).enumerate().map(of_chunk).collect();
    let mut all = vec![Folded::from(0); by.rows.len()];
    for (chunk, part) in parts.iter().enumerate() {
        for (sum, other) in all.iter_mut().zip(part) {
            sum.take(other, chunk * each);
        }
    }
    all.into_iter().map(|row| row.finish(locations.len())).collect()
}

/// What each of some locations visits in a window: one entry per location, of one row, or of all rows together. `by` has call
/// paths where all are wanted: what the outermost call takes is then the time in any.
pub fn each(
    profile: &CallProfile,
    store: &Store,
    locations: &[LocationId],
    time: (Ns, Ns),
    by: &Grouping,
    row: Option<u32>,
) -> Arc<Vec<Folded>> {
    let asked = Asked { locations: locations.to_vec(), time, by: by.clone(), whole: Whole::Locations(row) };
    let find = |Asked { locations, time, by, .. }: &Asked| of_each(profile, store, locations, *time, by, row);
    profile.folded.get(asked, find, |all| all.len() <= MANY_ROWS)
}

fn of_each(
    profile: &CallProfile,
    store: &Store,
    locations: &[LocationId],
    time: (Ns, Ns),
    by: &Grouping,
    row: Option<u32>,
) -> Vec<Folded> {
    let chunk = locations.len().div_ceil(8 * rayon::current_num_threads()).max(1);
    let of_chunk = |(number, some): (usize, &[LocationId])| -> Vec<Folded> {
        let mut sums = RowSums::default();
        let one = |(at, location): (usize, &LocationId)| {
            sums.count(profile, store, *location, time, by);
            let mut all = Visited::NONE;
            for (of, visited) in sums.iter().filter(|(of, _)| row.is_none_or(|row| row == *of)) {
                all.take(visited, row.is_some() || by.rows[of as usize].caller.is_none());
            }
            let mut folded = Folded::from(at);
            folded.add(&all, at);
            folded
        };
        (number * chunk..).zip(some).map(one).collect()
    };
    locations.par_chunks(chunk).enumerate().flat_map_iter(of_chunk).collect()
}
