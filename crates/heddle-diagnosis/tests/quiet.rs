//! Clean runs: nobody is accused.

mod common;

use common::programs::{ALL, program};
use common::stored;
use heddle_diagnosis::links::{Linked, links};
use heddle_diagnosis::rows::Rows;
use heddle_diagnosis::run::Run;
use heddle_simulate::{Machine, simulate};
use heddle_store::NoProgress;

fn linked(name: &str, ranks: u32, machine: &Machine) -> Linked {
    let (_directory, store) = stored(&simulate(program(name, ranks, 1), machine).expect("a run"));
    let (run, _) = Run::new(&store, &NoProgress).expect("a run");
    links(&Rows::new(&store), &run, &NoProgress).expect("links")
}

#[test]
fn explore() {
    for name in ALL {
        for ranks in [16, 64, 256] {
            for noise in [0.0, 0.05, 0.2] {
                let found = linked(name, ranks, &Machine { noise, ranks_per_node: 8, ..Machine::default() });
                for s in &found.suspects {
                    println!(
                        "{name} {ranks} {noise}: {:?} {:?} pairs {} {:.2} z {:.1} {}/{} {}",
                        s.kind,
                        &s.locations[..s.locations.len().min(4)],
                        s.pairs.len(),
                        s.factor(),
                        s.z,
                        s.slow_visits,
                        s.visits,
                        s.excess()
                    );
                }
            }
        }
    }
}

#[test]
fn look() {
    linked("multigrid", 64, &Machine { noise: 0.2, ranks_per_node: 8, ..Machine::default() });
}
