//! Patterns of messages in programs whose pattern is known: simulated and recorded ones.
//!
//! `HEDDLE_TRACES` names the folder of the traces; without it those tests are skipped.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![allow(dead_code, reason = "test programs share helpers")]

mod common;

use common::stored::stored;
use heddle_logical::cluster::Scope;
use heddle_logical::pattern::{Flavour, Pattern, Way, detect};
use heddle_logical::{Logical, LogicalOptions};
use heddle_simulate::{
    Dimensions, Halo, HaloOptions, Machine, MergeTree, MergeTreeOptions, MergeTreeOrder, Pf3d, Pf3dOptions, Program,
    Ring, RingOptions, Train, TrainOptions, simulate,
};
use heddle_store::{ImportOptions, NoProgress, Store, StorePlace, open_or_import};
use heddle_testkit::sample_traces;
use tempfile::TempDir;

fn simulated<P: Program + 'static>(program: P, options: &LogicalOptions) -> (TempDir, Store, Logical) {
    let simulation = simulate(program, &Machine::default()).unwrap();
    let (directory, store) = stored(&simulation);
    let logical = Logical::open(&store, options, &NoProgress).unwrap();
    (directory, store, logical)
}

fn patterns_of_phases(store: &Store, logical: &Logical) -> Vec<Option<Pattern>> {
    let phases = 0..logical.phases.len() as u32;
    phases.map(|phase| detect(store, logical, &Scope::Phase(phase), &NoProgress).unwrap()).collect()
}

#[test]
fn simulated_halos_exchange_with_one_wait() {
    for (ranks, dimensions, periodic, partners) in [
        (16, Dimensions::Two, true, (4, 4)),
        (16, Dimensions::Two, false, (2, 4)),
        (27, Dimensions::Three, true, (6, 6)),
    ] {
        for allreduce_every in [0, 2] {
            let options =
                HaloOptions { ranks, iterations: 4, dimensions, periodic, allreduce_every, ..HaloOptions::default() };
            let (_directory, store, logical) = simulated(Halo::new(&options).unwrap(), &LogicalOptions::default());
            let wait_all = |rounds| Flavour::SendsThenWaitAll { rounds, largest: partners.1, is_one_wait: true };
            let mut exchanges = 0;
            for pattern in patterns_of_phases(&store, &logical).into_iter().flatten() {
                let Pattern::Exchange(exchange) = pattern else { panic!("{pattern:?}") };
                assert_eq!((exchange.ranks, exchange.partners), (ranks, partners));
                assert_eq!(exchange.flavour, wait_all(1));
                exchanges += 1;
            }
            // An allreduce belongs to the phase of the exchange before it, as both have one caller.
            assert_eq!(exchanges, if allreduce_every == 0 { 4 } else { 2 });
            let run = detect(&store, &logical, &Scope::run(&logical), &NoProgress).unwrap();
            let run = run.and_then(|pattern| pattern.flavour().cloned());
            assert_eq!(run, (allreduce_every == 0).then(|| wait_all(4)));
        }
    }
}

#[test]
fn simulated_merge_trees() {
    for (ranks, arity, order) in [
        (64, 8, MergeTreeOrder::Original),
        (64, 8, MergeTreeOrder::Improved),
        (100, 4, MergeTreeOrder::Improved),
        (81, 3, MergeTreeOrder::Original),
    ] {
        let options = MergeTreeOptions { ranks, arity, order, rounds: 2, ..MergeTreeOptions::default() };
        let (_directory, store, logical) = simulated(MergeTree::new(&options).unwrap(), &LogicalOptions::default());
        let found = detect(&store, &logical, &Scope::run(&logical), &NoProgress).unwrap();
        let Some(Pattern::Tree(tree)) = found else { panic!("{found:?}") };
        let levels = (1..9).find(|levels| arity.pow(*levels) >= ranks).unwrap();
        assert_eq!((tree.levels, tree.arity, tree.is_overloaded), (levels, arity, true), "{tree:?}");
        assert_eq!((tree.root_rank, tree.answered, tree.way), (0, ranks - 1, Way::Gather));
    }
}

#[test]
fn other_simulated_programs() {
    let run = |store: &Store, logical: &Logical| detect(store, logical, &Scope::run(logical), &NoProgress).unwrap();
    let usual = LogicalOptions::default();
    let (_directory, store, logical) = simulated(Ring::new(&RingOptions::default()).unwrap(), &usual);
    let found = run(&store, &logical);
    let Some(Pattern::Ring(ring)) = found else { panic!("{found:?}") };
    assert_eq!((ring.ranks, ring.shift), (16, 1));
    assert!(matches!(ring.flavour, Flavour::Alternating(_)), "{ring:?}");
    let (_directory, store, logical) =
        simulated(Train::new(&TrainOptions { ranks: 8, ..TrainOptions::default() }).unwrap(), &usual);
    assert_eq!(run(&store, &logical), None, "nothing but collectives");
    let (_directory, store, logical) =
        simulated(Pf3d::new(&Pf3dOptions { ranks: 64, ..Pf3dOptions::default() }).unwrap(), &usual);
    let found = run(&store, &logical);
    let Some(Pattern::Exchange(exchange)) = found else { panic!("{found:?}") };
    assert_eq!((exchange.ranks, exchange.partners), (64, (3, 5)));
    let Flavour::Alternating(lanes) = &exchange.flavour else { panic!("{exchange:?}") };
    assert!(lanes.different > 2);
}

fn recorded(path: &str) -> Option<(TempDir, Store)> {
    let path = sample_traces(path)?;
    let directory = tempfile::tempdir().unwrap();
    let place = StorePlace::Under(directory.path().to_owned());
    let options = ImportOptions { place, memory: 1 << 29, force: false };
    let imported =
        open_or_import(&path, &options, &NoProgress).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some((directory, imported.store))
}

/// `mergetree.c`: gather and scatter along a binary tree, six rounds, and a barrier at the end.
#[test]
fn a_recorded_merge_tree() {
    let Some((_directory, store)) = recorded("otf2/eztrace-mergetree-32/eztrace_log.otf2") else { return };
    let logical = Logical::open(&store, &LogicalOptions::default(), &NoProgress).unwrap();
    let found = detect(&store, &logical, &Scope::run(&logical), &NoProgress).unwrap();
    let Some(Pattern::Tree(tree)) = found else { panic!("{found:?}") };
    assert_eq!((tree.way, tree.ranks, tree.answered), (Way::Gather, 32, 31));
    assert_eq!((tree.root_rank, tree.levels, tree.arity, tree.is_overloaded), (0, 5, 2, true));
}

/// `halo2d.c`: four by four ranks with open edges, receives posted before sends, one wait for all.
#[test]
fn a_recorded_halo() {
    let Some((_directory, store)) = recorded("otf2/recorder-halo2d-16/traces.otf2") else { return };
    let logical = Logical::open(&store, &LogicalOptions::default(), &NoProgress).unwrap();
    let found: Vec<Pattern> = patterns_of_phases(&store, &logical).into_iter().flatten().collect();
    for pattern in &found {
        let Pattern::Exchange(exchange) = pattern else { panic!("{pattern:?}") };
        assert_eq!((exchange.ranks, exchange.partners), (16, (2, 4)));
        assert_eq!(exchange.flavour, Flavour::SendsThenWaitAll { rounds: 1, largest: 4, is_one_wait: true });
    }
    // 1,920 messages, 48 in each iteration.
    assert_eq!(found.len(), 1920 / 48);
}

/// `ktree.c 8 448 6`: 448 leaves, gatherers of eight each that are ranks of their own, the last one the root.
#[test]
fn a_foreign_tree() {
    let Some((_directory, store)) = recorded("simgrid/ktree-torus888.trace.gz") else { return };
    let logical = Logical::open(&store, &LogicalOptions::default(), &NoProgress).unwrap();
    let found = detect(&store, &logical, &Scope::run(&logical), &NoProgress).unwrap();
    let Some(Pattern::Tree(tree)) = found else { panic!("{found:?}") };
    assert_eq!((tree.way, tree.ranks, tree.answered), (Way::Gather, 512, 511));
    assert_eq!((tree.root_rank, tree.levels, tree.arity, tree.is_overloaded), (511, 3, 8, false));
}
