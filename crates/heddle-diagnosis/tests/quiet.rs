//! Clean runs: no link, card, network or clock is accused of anything.

#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]

mod common;

use common::looked::{Looked, look};
use common::programs::{ALL, program};
use heddle_diagnosis::finding::FindingKind;
use heddle_simulate::{Interconnect, Machine, Seats, simulate};

fn run(name: &str, ranks: u32, machine: &Machine) -> Looked {
    look(&simulate(program(name, ranks, 1), machine).expect("a run"))
}

fn is_clean(name: &str, ranks: u32, machine: &Machine) -> Looked {
    let found = run(name, ranks, machine);
    assert!(found.suspects.is_empty(), "{name}, {ranks} ranks, {machine:?}: {:#?}", found.suspects);
    let (violations, checked) = (found.clocks.violations, found.clocks.checked);
    assert_eq!((violations, found.clocks.is_broken), (0, false), "{name}, {ranks} ranks");
    assert!(checked > 0, "{name}, {ranks} ranks: nothing was checked");
    found
}

#[test]
fn nothing_is_found_where_nothing_is_wrong() {
    for name in ALL {
        for (ranks, noise) in [(16, 0.0), (16, 0.2), (64, 0.0), (64, 0.05), (64, 0.2), (256, 0.1)] {
            is_clean(name, ranks, &Machine { noise, ranks_per_node: 8, ..Machine::default() });
        }
    }
}

#[test]
fn many_ranks_and_many_seeds_change_nothing() {
    for name in ["halo", "ring", "uniform", "multigrid"] {
        is_clean(name, 1024, &Machine { noise: 0.1, ..Machine::default() });
    }
    for seed in 2..8 {
        is_clean("multigrid", 64, &Machine { seed, noise: 0.2, ranks_per_node: 8, ..Machine::default() });
    }
}

#[test]
fn messages_that_get_into_each_others_way_are_nobodys_fault() {
    for (shape, mapping) in [("4x4", "block"), ("8x2", "round-robin"), ("fat-tree:4x4;1x2", "block")] {
        let interconnect = Interconnect {
            seats: Seats::Rule(mapping.parse().expect("a mapping")),
            ..Interconnect::new(shape.parse().expect("a shape"))
        };
        for (name, noise) in
            [("uniform", 0.05), ("nearest", 0.05), ("halo", 0.1), ("pf3d", 0.0), ("lu", 0.0), ("matmul", 0.0)]
        {
            let machine =
                Machine { noise, ranks_per_node: 4, interconnect: Some(interconnect.clone()), ..Machine::default() };
            let found = run(name, 64, &machine);
            assert!(found.suspects.is_empty(), "{name} on {shape}, {mapping}: {:#?}", found.suspects);
        }
    }
}

#[test]
fn patterns_are_those_of_the_programs() {
    let kinds = |name: &str, ranks: u32, noise: f64| -> Vec<FindingKind> {
        let found = run(name, ranks, &Machine { noise, ranks_per_node: 8, ..Machine::default() });
        found.patterns.iter().map(|found| found.suspect.kind).collect()
    };
    assert_eq!(kinds("ring", 64, 0.05), [FindingKind::SerialChain, FindingKind::ExposedCommunication]);
    assert!(kinds("pf3d", 64, 0.05).contains(&FindingKind::LateReceiver));
    for noise in [0.0, 0.05, 0.2] {
        assert_eq!(kinds("halo", 64, noise), [], "noise {noise}: chance is no chain");
        // Transfers that nothing hides are the program's; nothing else is.
        let mut uniform = kinds("uniform", 64, noise);
        uniform.retain(|kind| *kind != FindingKind::ExposedCommunication);
        assert_eq!(uniform, []);
    }
    let found = run("ring", 64, &Machine { noise: 0.0, ..Machine::default() });
    let chain = &found.patterns[0];
    // One rank of 64 works at a time; what is not transfer is lost to that.
    assert!((0.85..0.9).contains(&chain.share), "{}", chain.share);
    assert!(chain.suspect.visits >= 10 * 64 - 1, "every hop of ten laps: {}", chain.suspect.visits);
}
