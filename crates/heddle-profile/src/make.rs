//! The one pass over all calls that makes what is kept: each location for itself, several at once.

use std::path::Path;

use heddle_model::{LocationId, RegionId};
use heddle_store::{Columns, Progress, Store, StoreError, Work, table, write_table};
use rayon::prelude::*;

use crate::bins::bin_of;
use crate::paths::{Paths, Walk};
use crate::pyramid::{Blocks, PyramidWriter, Sum};
use crate::{DURATIONS, VISITS};

/// Counting calls.
const COUNTING: Work = Work::new("counting calls");
/// Calls, and locations, that are worked on at a time.
const AT_A_TIME: (u64, u32) = (1 << 23, 1 << 14);

table! {
    /// Call paths; a caller stands before what it calls.
    PathRows, PathTable = "paths" {
        /// What it was called from.
        caller: u32 => "caller",
        /// Its function.
        region: RegionId => "region",
    }
}

/// What is kept of one location.
#[derive(Default)]
struct Counted {
    paths: Paths,
    visits: Blocks,
    durations: Blocks,
}

/// The key of a function's calls in a bin of duration.
pub(crate) fn duration_key(region: RegionId, bin: u16) -> u64 {
    (u64::from(region.0) << 16) | u64::from(bin)
}

/// What a key is of.
#[inline]
pub(crate) fn of_duration_key(key: u64) -> (RegionId, u16) {
    (RegionId((key >> 16) as u32), key as u16)
}

/// Makes it all in an empty directory.
pub(crate) fn make(store: &Store, directory: &Path, progress: &dyn Progress) -> Result<(), StoreError> {
    progress.begin(COUNTING, store.spans.len());
    let mut paths = Paths::default();
    let mut visits = PyramidWriter::create(&directory.join(VISITS.0), true)?;
    let mut durations = PyramidWriter::create(&directory.join(DURATIONS.0), false)?;
    let locations = store.locations.len() as u32;
    let mut first = 0;
    while first < locations {
        progress.check()?;
        let (mut after, mut calls) = (first, 0);
        while after < locations && (after == first || (calls < AT_A_TIME.0 && after - first < AT_A_TIME.1)) {
            calls += store.locations.spans.get(u64::from(after));
            after += 1;
        }
        let some: Vec<Counted> =
            (first..after).into_par_iter().map(|location| count(store, LocationId(location))).collect();
        for mut counted in some {
            counted.visits.rename(&paths.take(&counted.paths));
            visits.append(&counted.visits)?;
            durations.append(&counted.durations)?;
        }
        progress.advance(calls);
        first = after;
    }
    visits.finish()?;
    durations.finish()?;
    let (callers, regions) = paths.columns();
    write_table(directory, PathRows { caller: callers.to_vec(), region: regions.to_vec() }).map(drop)
}

/// Counts the calls of a location.
fn count(store: &Store, location: LocationId) -> Counted {
    let spans = &store.spans;
    let mut counted = Counted::default();
    let (mut walk, mut caller) = (Walk::default(), Paths::OUTSIDE);
    let (mut by_path, mut by_duration) = (Vec::new(), Vec::new());
    // Where in the open block each path has its sum.
    let mut places: Vec<u32> = Vec::new();
    let mut calls = 0u64;
    let Counted { paths, visits, durations } = &mut counted;
    let mut close = |by_path: &mut Vec<Sum>, places: &mut Vec<u32>, caller| {
        for sum in by_path.iter() {
            places[sum.key as usize] = u32::MAX;
        }
        visits.push(by_path, caller);
    };
    (&spans.start, &spans.end, &spans.region, &spans.depth).for_each(
        store.spans_of(location),
        |(start, end, region, depth)| {
            if calls.trailing_zeros() >= VISITS.1 {
                if calls > 0 {
                    close(&mut by_path, &mut places, caller);
                }
                caller = walk.caller(depth);
            }
            if calls > 0 && calls.trailing_zeros() >= DURATIONS.1 {
                durations.push(&mut by_duration, Paths::OUTSIDE);
            }
            calls += 1;
            let ns = end.since(start);
            let path = paths.enter(walk.caller(depth), region);
            walk.enter(depth, path);
            let one = Sum::of_call(u64::from(path), ns);
            if path as usize >= places.len() {
                places.resize(path as usize + 1, u32::MAX);
            }
            if let Some(sum) = by_path.get_mut(places[path as usize] as usize) {
                one.add_to(sum);
            } else {
                places[path as usize] = by_path.len() as u32;
                by_path.push(one);
            }
            by_duration.push(Sum { key: duration_key(region, bin_of(ns)), ..one });
        },
    );
    if calls > 0 {
        close(&mut by_path, &mut places, caller);
        durations.push(&mut by_duration, Paths::OUTSIDE);
    }
    visits.finish();
    durations.finish();
    counted
}
