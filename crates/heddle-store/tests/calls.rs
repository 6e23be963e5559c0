//! The index of calls against a plain scan of the spans.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

use std::collections::BTreeMap;

use heddle_model::LocationId;
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::index::{CallEdge, CallIndex, call_regions};
use heddle_store::{NoProgress, Store, store_simulation};

fn simulated(directory: &std::path::Path, memory: u64, iterations: u32) -> Store {
    let options = HaloOptions { ranks: 64, iterations, ..HaloOptions::default() };
    let machine = Machine { noise: 0.3, slow_ranks: vec![5], ..Machine::default() };
    store_simulation(&halo(&options, &machine).unwrap(), "halo", &directory.join("x.heddle"), memory, &NoProgress)
        .unwrap()
}

/// Time bin, bin of duration and region of every call, with how many there are.
fn scanned(store: &Store, edge: CallEdge, bin_ns: i64) -> BTreeMap<(u32, u16, u32), u64> {
    let is_call = call_regions(&store.regions);
    let durations = store.calls.durations();
    let mut found = BTreeMap::new();
    for row in 0..store.spans.len() {
        let (start, end, region) = (store.spans.start.get(row), store.spans.end.get(row), store.spans.region.get(row));
        if is_call[region.index()] {
            let moment = if edge == CallEdge::Start { start } else { end };
            let duration = durations.partition_point(|least| *least <= end.since(start).max(1)) - 1;
            *found.entry(((moment.0 / bin_ns) as u32, duration as u16, region.0)).or_default() += 1;
        }
    }
    found
}

#[test]
fn every_level_counts_every_call() {
    let directory = tempfile::tempdir().unwrap();
    let store = simulated(directory.path(), 1 << 28, 500);
    let durations = store.calls.durations();
    assert!(durations.windows(2).all(|pair| pair[0] < pair[1]));
    for edge in [CallEdge::Start, CallEdge::End] {
        let levels = store.calls.levels(edge);
        assert!(levels.len() >= 4, "{} levels", levels.len());
        for level in levels {
            let mut told = BTreeMap::new();
            for bin in 0..level.bins {
                let mut calls = 0;
                store.calls.for_each(level, bin, |duration, number, count| {
                    let region = store.calls.regions()[usize::from(number)];
                    *told.entry((bin, duration, region.0)).or_default() += u64::from(count);
                    calls += u64::from(count);
                });
                assert_eq!(store.calls.calls(level, bin..bin + 1), calls);
            }
            assert!(told == scanned(&store, edge, level.bin_ns), "{edge:?} with {} bins", level.bins);
        }
    }
}

#[test]
fn the_index_is_the_same_with_little_memory_and_one_thread() {
    let bytes = |memory: u64, threads: usize| {
        let directory = tempfile::tempdir().unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let store = pool.install(|| simulated(directory.path(), memory, 500));
        ["calls.packed", "call_bins.packed", "call_levels.arrow", "call_durations.arrow", "call_regions.arrow"]
            .map(|name| std::fs::read(store.path().join("index").join(name)).unwrap())
    };
    assert!(bytes(1 << 28, 4) == bytes(1 << 22, 1));
}

#[test]
fn a_trace_with_few_calls_has_no_levels_but_knows_their_durations() {
    let directory = tempfile::tempdir().unwrap();
    let store = simulated(directory.path(), 1 << 28, 3);
    assert!(store.calls.levels(CallEdge::Start).is_empty());
    let is_call = call_regions(&store.regions);
    let calls = (0..store.spans.len()).filter(|row| is_call[store.spans.region.get(*row).index()]);
    let lengths: Vec<i64> =
        calls.map(|row| store.spans.end.get(row).since(store.spans.start.get(row)).max(1)).collect();
    let durations = store.calls.durations();
    assert_eq!(durations.first(), lengths.iter().min());
    assert!(durations.last().unwrap() > lengths.iter().max().unwrap());
}

#[test]
fn an_index_of_some_locations_is_the_same_with_little_memory_and_one_thread() {
    let directory = tempfile::tempdir().unwrap();
    let store = simulated(directory.path(), 1 << 28, 1_000);
    let bytes = |memory: u64, threads: usize| {
        let directory = tempfile::tempdir().unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let locations = (0..64).filter(|at| at % 4 != 1).map(LocationId);
        pool.install(|| CallIndex::make_chosen(&store, locations, directory.path(), memory, &NoProgress)).unwrap();
        let index = CallIndex::open_chosen(directory.path(), &store).unwrap();
        assert!(index.levels(CallEdge::End).len() >= 4 && index.regions() == store.calls.regions());
        ["calls.packed", "call_bins.packed", "call_levels.arrow"]
            .map(|name| std::fs::read(directory.path().join("index").join(name)).unwrap())
    };
    assert!(bytes(1 << 28, 4) == bytes(1 << 22, 1));
}
