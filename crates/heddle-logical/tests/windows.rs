//! Logical time window by window: whatever is taken together, the tables are the same to the byte, and say what is computed
//! from all events at once.

#![allow(clippy::expect_used, reason = "a helper that fails is a test that fails")]

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use common::chance::{damaged, valid};
use common::ops::store_of_program;
use common::stored::stored;
use common::{Program, slow};
use heddle_logical::extract::extract;
use heddle_logical::tables::EventTable;
use heddle_logical::{LogicalOptions, Memory, Stepping, WindowSize, build, structure};
use heddle_model::Source;
use heddle_simulate::{HaloOptions, Machine, MergeTree, MergeTreeOptions, halo, simulate};
use heddle_store::{NoProgress, Progress, Store, Work};
use heddle_testkit::Chance;

/// Counts how often something became final.
#[derive(Default)]
struct Counting {
    is_finding_phases: AtomicBool,
    windows: AtomicU64,
}

impl Progress for Counting {
    fn begin(&self, work: Work, _total: u64) {
        self.is_finding_phases.store(work.name() == "finding phases", Relaxed);
    }

    fn advance(&self, _done: u64) {
        self.windows.fetch_add(u64::from(self.is_finding_phases.load(Relaxed)), Relaxed);
    }

    fn waiting(&self) {}

    fn is_cancelled(&self) -> bool {
        false
    }
}

/// The files of a result, with in how many windows it was found.
fn result(store: &Store, options: &LogicalOptions, memory: Memory) -> (BTreeMap<String, Vec<u8>>, u64) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let counting = Counting::default();
    build(store, options, memory, directory.path(), &counting).expect("nobody cancels");
    (files(directory.path()), counting.windows.into_inner())
}

fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    entries.map(|path| (name(&path), std::fs::read(&path).expect("a file"))).collect()
}

fn windows(usual: u64, most: u64) -> Memory {
    Memory::Windows(WindowSize { usual, most, is_strict: false })
}

/// Options by chance, now and then those that need all events at once.
fn options(chance: &mut Chance) -> LogicalOptions {
    LogicalOptions {
        common_caller: chance.is(70),
        wait_all: chance.is(70),
        coalesce_isends: chance.is(70),
        leap_merge: chance.is(5),
        leap_skip: chance.is(5),
        same_size: chance.is(20),
        merge_overlapping: chance.is(30),
        collective_borders: chance.is(30),
        stepping: if chance.is(30) { Stepping::Earliest } else { Stepping::SendsFirst },
        phase_function: None,
    }
}

/// What windows say is what all events at once say. Gives the most windows that there were.
fn check(store: &Store, options: &LogicalOptions, sizes: &[(u64, u64)], what: &str) -> u64 {
    let extracted = extract(store, options, &NoProgress).expect("nobody cancels");
    let expected = structure(&extracted.events, options, &NoProgress).expect("nobody cancels");
    let (whole, _) = result(store, options, windows(u64::MAX / 4, u64::MAX / 4));
    assert!(whole.len() >= 5 && whole.contains_key("events.packed"), "{what}: {:?}", whole.keys());
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (name, bytes) in &whole {
        std::fs::write(directory.path().join(name), bytes).expect("space on disk");
    }
    let table = EventTable::open(directory.path()).expect("a table");
    assert_eq!(table.phase.iter(0..table.len()).collect::<Vec<_>>(), expected.phase, "{what}: {options:?}");
    assert_eq!(table.step.iter(0..table.len()).collect::<Vec<_>>(), expected.step, "{what}: {options:?}");
    assert_eq!(table.enter.iter(0..table.len()).collect::<Vec<_>>(), extracted.events.enter, "{what}: {options:?}");
    assert_eq!(table.leave.iter(0..table.len()).collect::<Vec<_>>(), extracted.events.leave, "{what}: {options:?}");
    if table.len() <= 300 {
        assert_eq!(expected, slow::structure(&extracted.events, options), "{what}: {options:?}");
    }
    let mut most = 0;
    for (usual, limit) in sizes {
        let (found, count) = result(store, options, windows(*usual, *limit));
        assert!(found == whole, "{what}: windows of {usual} to {limit} events give something else with {options:?}");
        most = most.max(count);
    }
    most
}

/// Programs one after the other on the same rows.
fn long(seed: u64, parts: u64) -> Program {
    let mut all = Program::default();
    let mut clock = Vec::new();
    for part in 0..parts {
        let is_damaged = seed.is_multiple_of(4);
        let seed = seed * 1000 + part;
        let mut program = if is_damaged { damaged(seed) } else { valid(seed) };
        let rows = program.rows.len().max(all.rows.len());
        all.rows.resize(rows, Vec::new());
        clock.resize(rows, 0);
        let before: Vec<usize> = all.rows.iter().map(Vec::len).collect();
        // Often all begin a part together, else rows drift apart.
        let latest = clock.iter().copied().max().unwrap_or(0);
        for (row, events) in program.rows.iter_mut().enumerate() {
            let start = if seed.is_multiple_of(5) { clock[row] } else { latest };
            for event in events.iter_mut() {
                event.enter += start;
                event.leave += start;
                clock[row] = event.leave;
            }
            all.rows[row].append(events);
        }
        let at = |(row, event): (usize, usize)| (row, before[row] + event);
        all.messages.extend(program.messages.iter().map(|(send, receive)| (at(*send), at(*receive))));
        all.collectives.extend(program.collectives.iter().map(|members| members.iter().map(|m| at(*m)).collect()));
    }
    all
}

const SIZES: [(u64, u64); 6] = [(1, 1), (1, 1 << 40), (2, 9), (5, 40), (12, 1 << 40), (40, 70)];

#[test]
fn windows_give_what_all_events_at_once_give() {
    let mut several = 0;
    for seed in 0..150 {
        let mut chance = Chance(seed ^ 0xa1d0);
        let (_directory, store) = store_of_program(&long(seed, 3 + chance.below(8) as u64));
        let options = options(&mut chance);
        several += u64::from(check(&store, &options, &SIZES, &format!("seed {seed}")) > 2);
    }
    assert!(several > 60, "most programs can be cut: {several}");
}

/// Clocks that are off make messages arrive before they were sent: rows are then cut at different points of the program.
#[test]
fn clocks_that_are_off_change_nothing() {
    let mut several = 0;
    for seed in 0..60 {
        let mut program = long(seed, 4);
        let mut chance = Chance(seed);
        let shifts: Vec<i64> = program.rows.iter().map(|_| chance.below(400) as i64).collect();
        for (row, shift) in program.rows.iter_mut().zip(&shifts) {
            for event in row {
                event.enter += shift;
                event.leave += shift;
            }
        }
        let (_directory, store) = store_of_program(&program);
        several += u64::from(check(&store, &options(&mut chance), &SIZES, &format!("seed {seed}")) > 1);
    }
    assert!(several > 10, "some can be cut all the same: {several}");
}

#[test]
fn simulated_programs_are_cut_and_stay_the_same() {
    let halo_options = HaloOptions { ranks: 12, iterations: 30, ..HaloOptions::default() };
    let tree_options = MergeTreeOptions { ranks: 16, rounds: 8, ..MergeTreeOptions::default() };
    let tree = MergeTree::new(&tree_options).expect("options that make sense");
    let sources: [(&str, Box<dyn Source>); 2] = [
        ("halo", Box::new(halo(&halo_options, &Machine::default()).expect("a simulation"))),
        ("tree", Box::new(simulate(tree, &Machine::default()).expect("a simulation"))),
    ];
    for (name, source) in &sources {
        let (_directory, store) = stored(&**source);
        let mut chance = Chance(7);
        for round in 0..6 {
            let options = if round == 0 { LogicalOptions::default() } else { options(&mut chance) };
            let sizes = [(1, 1 << 40), (50, 200), (300, 2000), (1000, 4000)];
            let count = check(&store, &options, &sizes, name);
            assert!(count > 3 || options.leap_merge || options.leap_skip, "{name}: {count} windows, {options:?}");
        }
    }
}

#[test]
fn any_number_of_threads_and_any_window_gives_the_same_bytes() {
    let pools = [1, 2, 7].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
    for seed in 0..20 {
        let (_directory, store) = store_of_program(&long(seed, 4));
        let options = options(&mut Chance(seed));
        let memory = [windows(3, 100), windows(20, 50), Memory::About(1 << 30)];
        let found =
            pools.each_ref().map(|pool| pool.install(|| memory.map(|memory| result(&store, &options, memory).0)));
        let first = &found[0][0];
        assert!(found.iter().flatten().all(|other| other == first), "seed {seed}");
    }
}

/// A phase that is larger than a window may be is taken whole, or refused.
#[test]
fn what_fits_no_window_is_taken_whole_or_refused() {
    let mut program = Program::new(2);
    let send = program.send(0, 0, 1);
    for at in 1..40 {
        let other = program.send(1, 10 * at, 10 * at + 1);
        program.receive(0, 10 * at + 2, 10 * at + 3, &[other]);
    }
    program.receive(1, 1000, 1001, &[send]);
    let (_directory, store) = store_of_program(&program);
    let options = LogicalOptions::default();
    assert_eq!(check(&store, &options, &[(4, 20)], "one phase"), 1);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let strict = Memory::Windows(WindowSize { usual: 4, most: 20, is_strict: true });
    let error = build(&store, &options, strict, directory.path(), &NoProgress).expect_err("80 events are too many");
    assert!(error.to_string().contains("too large"), "{error}");
    assert!(Memory::About(1) != Memory::AtMost(1));
}
