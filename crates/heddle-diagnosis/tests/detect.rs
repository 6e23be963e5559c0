//! Nobody is accused in clean runs, and those who are slow are named, whatever the program.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use common::stored;
use heddle_diagnosis::detect::{Detected, detect};
use heddle_diagnosis::finding::FindingKind;
use heddle_diagnosis::rows::Rows;
use heddle_diagnosis::run::Run;
use heddle_diagnosis::suspect::{Group, Suspect};
use heddle_simulate::{
    Dimensions, Eigen, EigenOptions, Fault, Growth, Halo, HaloOptions, Inverse, InverseOptions, Lu, LuOptions, Machine,
    Matmul, MatmulOptions, MergeTree, MergeTreeOptions, Multigrid, MultigridOptions, Nearest, NearestOptions,
    Orthogonalise, OrthogonaliseOptions, Pf3d, Pf3dOptions, Pf3dPart, Program, Ring, RingOptions, Scalapack,
    ScalapackOptions, Slope, Train, TrainOptions, Uniform, UniformOptions, When, Who, simulate,
};
use heddle_store::{NoProgress, Store};

/// All programs. A few have longer runs than usual: two or three visits of a place show nothing.
fn programs(ranks: u32) -> Vec<Box<dyn Program>> {
    let halo = HaloOptions { ranks, iterations: 40, ..HaloOptions::default() };
    let open = HaloOptions { periodic: false, dimensions: Dimensions::Three, ..halo.clone() };
    let pf3d = Pf3dOptions { ranks, steps: 20, part: Pf3dPart::Both, ..Pf3dOptions::default() };
    let train = TrainOptions { ranks, straggler_factor: 1.0, ..TrainOptions::default() };
    vec![
        Box::new(Halo::new(&halo).unwrap()),
        Box::new(Halo::new(&open).unwrap()),
        Box::new(Ring::new(&RingOptions { ranks, laps: 30, ..RingOptions::default() }).unwrap()),
        Box::new(MergeTree::new(&MergeTreeOptions { ranks, rounds: 20, ..MergeTreeOptions::default() }).unwrap()),
        Box::new(Pf3d::new(&pf3d).unwrap()),
        Box::new(Matmul::new(&MatmulOptions { ranks, ..MatmulOptions::default() }).unwrap()),
        Box::new(Lu::new(&LuOptions { ranks, ..LuOptions::default() }).unwrap()),
        Box::new(Inverse::new(&InverseOptions { ranks, ..InverseOptions::default() }).unwrap()),
        Box::new(Eigen::new(&EigenOptions { ranks, ..EigenOptions::default() }).unwrap()),
        Box::new(Orthogonalise::new(&OrthogonaliseOptions { ranks, ..OrthogonaliseOptions::default() }).unwrap()),
        Box::new(Multigrid::new(&MultigridOptions { ranks, cycles: 12, ..MultigridOptions::default() }).unwrap()),
        Box::new(Train::new(&train).unwrap()),
        Box::new(Uniform::new(&UniformOptions { ranks, ..UniformOptions::default() }).unwrap()),
        Box::new(Nearest::new(&NearestOptions { ranks, ..NearestOptions::default() }).unwrap()),
        Box::new(Scalapack::new(&ScalapackOptions { ranks, ..ScalapackOptions::default() }).unwrap()),
    ]
}

fn halo(ranks: u32) -> Box<dyn Program> {
    programs(ranks).swap_remove(0)
}

fn detected(store: &Store) -> Detected {
    let (run, _) = Run::new(store, &NoProgress).unwrap();
    detect(&Rows::new(store), &run, &NoProgress).unwrap()
}

/// What is found in a run, and how long it took.
fn found(program: Box<dyn Program>, machine: &Machine) -> (Vec<Suspect>, i64) {
    let (_directory, store) = stored(&simulate(program, machine).unwrap());
    let summary = store.summary();
    (detected(&store).suspects, summary.end_ns - summary.start_ns)
}

fn machine(seed: u64, noise: f64) -> Machine {
    Machine { seed, noise, ranks_per_node: 8, ..Machine::default() }
}

fn ranks(suspect: &Suspect) -> Vec<u32> {
    suspect.locations.iter().map(|location| location.0).collect()
}

/// Kind and ranks of those that blame somebody.
fn accused(suspects: &[Suspect]) -> Vec<(FindingKind, Vec<u32>)> {
    suspects.iter().filter(|suspect| suspect.kind.blames()).map(|suspect| (suspect.kind, ranks(suspect))).collect()
}

#[test]
fn nobody_is_accused_in_clean_runs() {
    for (number, (count, noise)) in [(16, 0.0), (16, 0.2), (36, 0.05), (64, 0.02), (64, 0.2)].into_iter().enumerate() {
        for program in programs(count) {
            let name = program.info().name;
            let (suspects, _) = found(program, &machine(10 + number as u64, noise));
            assert_eq!(accused(&suspects), [], "{name} on {count} ranks with noise {noise}");
        }
    }
}

/// In between the rank computes nothing: two visits are all that there is to see of it.
#[test]
fn two_slow_visits_in_a_row_are_no_stall() {
    let options = EigenOptions { ranks: 16, steps: 40, ..EigenOptions::default() };
    for (seed, rank, from, until) in [(20408, 0, 34_716_000, 69_433_000), (20588, 1, 35_212_000, 70_425_000)] {
        let when = When { from_ns: from, until_ns: Some(until) };
        let fault = Fault::Slow { who: Who::Ranks(vec![rank]), factor: 2.0, function: None, when };
        let machine = Machine { seed, noise: 0.1, ranks_per_node: 4, faults: vec![fault], ..Machine::default() };
        let (suspects, _) = found(Box::new(Eigen::new(&options).unwrap()), &machine);
        assert_eq!(accused(&suspects), [(FindingKind::SlowRanks, vec![rank])], "seed {seed}");
        let slow = suspects.iter().find(|suspect| suspect.kind.blames()).unwrap();
        assert!(!slow.is_throughout && slow.visits == 2 && slow.since.0 > 65_000_000, "{slow:#?}");
    }
}

#[test]
fn slow_ranks_are_named_in_every_program() {
    for (count, noise, factor, slow) in [(16, 0.0, 1.2, vec![5]), (64, 0.05, 1.5, vec![9, 60]), (64, 0.1, 4.0, vec![0])]
    {
        for program in programs(count) {
            let name = program.info().name;
            let machine = Machine { slow_ranks: slow.clone(), slow_factor: factor, ..machine(3, noise) };
            let (suspects, _) = found(program, &machine);
            assert_eq!(accused(&suspects), [(FindingKind::SlowRanks, slow.clone())], "{name}, {factor} times");
            let told = &suspects[0];
            assert!(told.is_throughout, "{name}: {told:?}");
            assert!((told.factor() / factor - 1.0).abs() < 0.15, "{name}: {} for {factor}", told.factor());
        }
    }
}

#[test]
fn a_slow_node_is_named_as_such_even_if_it_is_half_of_the_machine() {
    for (count, node) in [(16, 1), (64, 5)] {
        for program in programs(count) {
            let name = program.info().name;
            let machine = Machine { slow_nodes: vec![node], slow_factor: 1.6, ..machine(4, 0.05) };
            let (suspects, _) = found(program, &machine);
            let expected = (node * 8..(node + 1) * 8).collect();
            assert_eq!(accused(&suspects), [(FindingKind::SlowRanks, expected)], "{name} on {count} ranks");
            assert!(matches!(suspects[0].group, Some(Group::Node(_))), "{name}: {:?}", suspects[0].group);
        }
    }
}

fn planted(fault: Fault) -> (Suspect, i64) {
    let (mut suspects, length) = found(halo(64), &Machine { faults: vec![fault], ..machine(5, 0.05) });
    assert_eq!(suspects.len(), 1, "{suspects:?}");
    (suspects.swap_remove(0), length)
}

#[test]
fn slowness_has_its_time() {
    let when = When { from_ns: 15_000_000, until_ns: Some(40_000_000) };
    let fault = Fault::Slow { who: Who::Ranks(vec![23]), factor: 1.8, when, function: None };
    let (told, length) = planted(fault);
    assert_eq!((told.kind, ranks(&told)), (FindingKind::SlowRanks, vec![23]));
    assert!(!told.is_throughout && length > 50_000_000);
    assert!((told.since.0 - 15_000_000).abs() < 3_000_000 && (told.until.0 - 40_000_000).abs() < 4_000_000, "{told:?}");
    // What is to be taken away is what was put on: 0.8 of 1 ms in each visit of 25 ms.
    let visits = told.cuts.len() as f64;
    assert!((told.excess() as f64 / visits / 800_000.0 - 1.0).abs() < 0.1, "{} in {visits}", told.excess());
}

#[test]
fn a_stall_is_one_visit() {
    let fault = Fault::Stall { who: Who::Ranks(vec![7]), at_ns: 20_000_000, for_ns: 6_000_000 };
    let (told, _) = planted(fault);
    assert_eq!((told.kind, ranks(&told), told.cuts.len()), (FindingKind::Stall, vec![7], 1));
    assert!(told.since.0 <= 20_000_000 && 20_000_000 <= told.until.0, "{told:?}");
    assert!((told.excess() as f64 / 6e6 - 1.0).abs() < 0.05, "{}", told.excess());
}

#[test]
fn growing_slowness_is_a_drift() {
    let (told, _) = planted(Fault::Drift { who: Who::Ranks(vec![31]), growth: Growth::To(2.4) });
    assert_eq!((told.kind, ranks(&told)), (FindingKind::Drift, vec![31]));
    assert!((told.factor() / 2.4 - 1.0).abs() < 0.15, "{}", told.factor());
}

#[test]
fn interruptions_have_a_period() {
    let noise = |who| Fault::Noise { who, every_ns: 4_000_000, for_ns: 900_000, at_ns: None };
    let (one, _) = planted(noise(Who::Ranks(vec![40])));
    let (all, _) = planted(noise(Who::All));
    assert_eq!((one.kind, ranks(&one)), (FindingKind::PeriodicNoise, vec![40]));
    assert_eq!((all.kind, all.locations.len()), (FindingKind::PeriodicNoise, 64));
    for told in [one, all] {
        assert!(told.period.is_some_and(|period| (period / 4e6 - 1.0).abs() < 0.03), "{:?}", told.period);
    }
}

#[test]
fn uneven_work_accuses_nobody() {
    for shape in [Slope::Linear, Slope::Hill] {
        let (told, _) = planted(Fault::Imbalance { to: 1.6, shape });
        assert_eq!(told.kind, FindingKind::Imbalance);
        assert!((told.factor() / 1.6 - 1.0).abs() < 0.12, "{}", told.factor());
    }
}

#[test]
fn a_slow_function_is_named() {
    for (function, slow) in [("factor", 12), ("update", 9)] {
        let who = Who::Ranks(vec![slow]);
        let fault = Fault::Slow { who, factor: 2.0, when: When::default(), function: Some(function.to_owned()) };
        let lu = Lu::new(&LuOptions { ranks: 16, panels: 40, ..LuOptions::default() }).unwrap();
        let machine = Machine { faults: vec![fault], ..machine(6, 0.05) };
        let (_directory, store) = stored(&simulate(lu, &machine).unwrap());
        let suspects = detected(&store).suspects;
        assert_eq!(accused(&suspects), [(FindingKind::SlowRanks, vec![slow])], "{function}");
        assert_eq!(store.regions.name.get(u64::from(suspects[0].place.region.0)), function);
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let machine = Machine { slow_ranks: vec![11], ..machine(7, 0.05) };
    let (_directory, store) = stored(&simulate(halo(64), &machine).unwrap());
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| detected(&store).suspects)
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn a_column_of_the_process_grid_is_named_as_such() {
    for (slow, expected) in [
        (vec![3, 11, 19, 27, 35, 43, 51, 59], Some(Group::Stride { first: 3, stride: 8, count: 8 })),
        (vec![20, 29, 50], None),
    ] {
        // A rank per node: no node holds two of them.
        let machine = Machine { ranks_per_node: 1, slow_ranks: slow.clone(), slow_factor: 1.5, ..machine(6, 0.03) };
        let (suspects, _) = found(halo(64), &machine);
        assert_eq!(accused(&suspects), [(FindingKind::SlowRanks, slow)]);
        assert_eq!(suspects[0].group, expected);
    }
}
