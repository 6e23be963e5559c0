//! Nobody is accused in clean runs, and those who are slow are named, whatever the program.

mod common;

use common::stored;
use heddle_diagnosis::detect::{Detected, detect};
use heddle_diagnosis::finding::FindingKind;
use heddle_diagnosis::rows::Rows;
use heddle_diagnosis::run::Run;
use heddle_simulate::{
    Dimensions, Eigen, EigenOptions, Fault, Growth, Slope, When, Who, Halo, HaloOptions, Inverse, InverseOptions, Lu, LuOptions, Machine, Matmul,
    MatmulOptions, MergeTree, MergeTreeOptions, Multigrid, MultigridOptions, Nearest, NearestOptions, Orthogonalise,
    OrthogonaliseOptions, Pf3d, Pf3dOptions, Pf3dPart, Program, Ring, RingOptions, Scalapack, ScalapackOptions, Train,
    TrainOptions, Uniform, UniformOptions, simulate,
};
use heddle_store::NoProgress;

const PROGRAMS: [&str; 15] = [
    "halo", "open-halo", "ring", "merge-tree", "pf3d", "matmul", "lu", "inverse", "eigen", "orthogonalise",
    "multigrid", "train", "uniform", "nearest", "scalapack",
];

fn program(name: &str, ranks: u32) -> Box<dyn Program> {
    match name {
        "halo" => Box::new(Halo::new(&HaloOptions { ranks, iterations: 40, ..HaloOptions::default() }).unwrap()),
        "open-halo" => Box::new(
            Halo::new(&HaloOptions { ranks, iterations: 30, periodic: false, dimensions: Dimensions::Three, ..HaloOptions::default() }).unwrap(),
        ),
        "ring" => Box::new(Ring::new(&RingOptions { ranks, laps: 30, ..RingOptions::default() }).unwrap()),
        "merge-tree" => Box::new(MergeTree::new(&MergeTreeOptions { ranks, rounds: 30, ..MergeTreeOptions::default() }).unwrap()),
        "pf3d" => Box::new(Pf3d::new(&Pf3dOptions { ranks, steps: 30, part: Pf3dPart::Both, ..Pf3dOptions::default() }).unwrap()),
        "matmul" => Box::new(Matmul::new(&MatmulOptions { ranks, panels: 32, ..MatmulOptions::default() }).unwrap()),
        "lu" => Box::new(Lu::new(&LuOptions { ranks, panels: 40, ..LuOptions::default() }).unwrap()),
        "inverse" => Box::new(Inverse::new(&InverseOptions { ranks, panels: 24, ..InverseOptions::default() }).unwrap()),
        "eigen" => Box::new(Eigen::new(&EigenOptions { ranks, ..EigenOptions::default() }).unwrap()),
        "orthogonalise" => Box::new(Orthogonalise::new(&OrthogonaliseOptions { ranks, blocks: 30, ..OrthogonaliseOptions::default() }).unwrap()),
        "multigrid" => Box::new(Multigrid::new(&MultigridOptions { ranks, cycles: 20, ..MultigridOptions::default() }).unwrap()),
        "train" => Box::new(Train::new(&TrainOptions { ranks, steps: 30, straggler_factor: 1.0, ..TrainOptions::default() }).unwrap()),
        "uniform" => Box::new(Uniform::new(&UniformOptions { ranks, rounds: 60, ..UniformOptions::default() }).unwrap()),
        "nearest" => Box::new(Nearest::new(&NearestOptions { ranks, rounds: 60, ..NearestOptions::default() }).unwrap()),
        "scalapack" => Box::new(Scalapack::new(&ScalapackOptions { ranks, ..ScalapackOptions::default() }).unwrap()),
        _ => panic!("{name}"),
    }
}

fn detected(program: Box<dyn Program>, machine: &Machine) -> Detected {
    let simulation = simulate(program, machine).unwrap();
    let (_directory, store) = stored(&simulation);
    let rows = Rows::new(&store);
    let (run, _) = Run::new(&store, &NoProgress).unwrap();
    detect(&rows, &run, &NoProgress).unwrap()
}

fn accused(found: &Detected) -> Vec<(FindingKind, Vec<u32>)> {
    let blamed = found.suspects.iter().filter(|suspect| suspect.kind.blames());
    blamed.map(|suspect| (suspect.kind, suspect.locations.iter().map(|location| location.0).collect())).collect()
}

#[test]
#[ignore = "a table to tune by"]
fn table() {
    let ranks: Vec<u32> = std::env::var("RANKS").unwrap_or("16,64".into()).split(',').map(|n| n.parse().unwrap()).collect();
    let noises: Vec<f64> = std::env::var("NOISES").unwrap_or("0,0.05,0.2".into()).split(',').map(|n| n.parse().unwrap()).collect();
    let factors: Vec<f64> = std::env::var("FACTORS").unwrap_or("1.2,1.5,2,4".into()).split(',').filter(|n| !n.is_empty()).map(|n| n.parse().unwrap()).collect();
    let seeds: u64 = std::env::var("SEEDS").unwrap_or("2".into()).parse().unwrap();
    let only = std::env::var("ONLY").ok();
    let verbose = std::env::var("VERBOSE").is_ok();
    for name in PROGRAMS.iter().filter(|name| only.as_deref().is_none_or(|only| only.split(',').any(|one| one == **name))) {
        let (mut clean, mut blamed) = (0, 0);
        let (mut right, mut partly, mut wrong, mut silent) = (0, 0, 0, 0);
        for ranks in &ranks {
            for noise in &noises {
                for seed in 1..=seeds {
                    let per_node = if *ranks <= 32 { 4 } else { 16 };
                    let base = Machine { seed, noise: *noise, ranks_per_node: per_node, ..Machine::default() };
                    let found = detected(program(name, *ranks), &base);
                    clean += 1;
                    if !accused(&found).is_empty() {
                        blamed += 1;
                        if verbose {
                            for suspect in &found.suspects {
                                println!("  CLEAN {name} {ranks} ranks noise {noise} seed {seed}: {:?} {:?} {:?} throughout {} {:.2} z {:.1} visits {}", suspect.kind, suspect.locations, suspect.place, suspect.is_throughout, suspect.factor(), suspect.z, suspect.visits);
                            }
                        }
                    }
                    for factor in &factors {
                        let one = ((seed * 7919 + 13) % u64::from(*ranks)) as u32;
                        let two = ((seed * 104_729 + 5) % u64::from(*ranks)) as u32;
                        let node = (seed % u64::from(ranks / per_node)) as u32;
                        let mut both = vec![one, two];
                        both.sort_unstable();
                        both.dedup();
                        let of_node: Vec<u32> = (node * per_node..(node + 1) * per_node).collect();
                        for (what, machine, truth) in [
                            ("rank", Machine { slow_ranks: vec![one], slow_factor: *factor, ..base.clone() }, vec![one]),
                            ("two", Machine { slow_ranks: both.clone(), slow_factor: *factor, ..base.clone() }, both.clone()),
                            ("node", Machine { slow_nodes: vec![node], slow_factor: *factor, ..base.clone() }, of_node.clone()),
                        ] {
                            let found = detected(program(name, *ranks), &machine);
                            let named = accused(&found);
                            let verdict = if named.is_empty() {
                                silent += 1;
                                "SILENT"
                            } else if named.len() == 1 && named[0] == (FindingKind::SlowRanks, truth.clone()) {
                                right += 1;
                                "right"
                            } else if named.iter().all(|(_, ranks)| ranks.iter().all(|rank| truth.contains(rank))) {
                                partly += 1;
                                "PARTLY"
                            } else {
                                wrong += 1;
                                "WRONG"
                            };
                            if verbose && verdict != "right" {
                                println!("  {verdict} {name} {ranks} ranks noise {noise} seed {seed} {what} {factor} {truth:?}");
                                for suspect in &found.suspects {
                                    println!("      {:?} {:?} {:?} since {} until {} throughout {} {:.2} z {:.1} visits {}", suspect.kind, suspect.locations, suspect.place, suspect.since.0, suspect.until.0, suspect.is_throughout, suspect.factor(), suspect.z, suspect.visits);
                                }
                            }
                        }
                    }
                }
            }
        }
        println!("{name:14} clean {clean:3} blamed {blamed:3} | right {right:4} partly {partly:3} wrong {wrong:3} silent {silent:3}");
    }
}

/// A function of the program that takes much of the time.
fn main_function(name: &str) -> &'static str {
    match name {
        "halo" | "open-halo" | "ring" | "uniform" | "nearest" => "compute",
        "merge-tree" => "local_tree",
        "pf3d" => "hydro",
        "matmul" => "multiply",
        "lu" => "update",
        "inverse" => "apply",
        "eigen" => "reflect",
        "orthogonalise" => "substitute",
        "multigrid" => "smooth",
        "train" => "backward",
        _ => "multiply",
    }
}

/// How long a visit of that takes, about.
fn visit(name: &str) -> u64 {
    match name {
        "ring" => 20_000,
        "merge-tree" => 2_100_000,
        "lu" => 850_000,
        "eigen" => 1_500_000,
        "orthogonalise" => 300_000,
        "multigrid" => 130_000,
        "train" => 6_700_000,
        "uniform" | "nearest" => 100_000,
        _ => 1_000_000,
    }
}

#[test]
#[ignore = "a table to tune by"]
fn kinds() {
    let ranks: Vec<u32> = std::env::var("RANKS").unwrap_or("16,64".into()).split(',').map(|n| n.parse().unwrap()).collect();
    let noises: Vec<f64> = std::env::var("NOISES").unwrap_or("0,0.05,0.1".into()).split(',').map(|n| n.parse().unwrap()).collect();
    let seeds: u64 = std::env::var("SEEDS").unwrap_or("1".into()).parse().unwrap();
    let only = std::env::var("ONLY").ok();
    let kinds = std::env::var("KINDS").ok();
    let verbose = std::env::var("VERBOSE").is_ok();
    let mut sums: std::collections::BTreeMap<&str, [u32; 5]> = std::collections::BTreeMap::new();
    for name in PROGRAMS.iter().filter(|name| only.as_deref().is_none_or(|only| only.split(',').any(|one| one == **name))) {
        for ranks in &ranks {
            for noise in &noises {
                for seed in 1..=seeds {
                    let per_node = if *ranks <= 32 { 4 } else { 16 };
                    let base = Machine { seed, noise: *noise, ranks_per_node: per_node, ..Machine::default() };
                    let length = {
                        let (_directory, store) = stored(&simulate(program(name, *ranks), &base).unwrap());
                        let rows = Rows::new(&store);
                        (rows.run.1.0 - rows.run.0.0) as u64
                    };
                    let one = ((seed * 7919 + 13) % u64::from(*ranks)) as u32;
                    let node = (seed % u64::from(ranks / per_node)) as u32;
                    let of_node: Vec<u32> = (node * per_node..(node + 1) * per_node).collect();
                    let ns = |share: f64| (length as f64 * share) as u64;
                    let slow = |who: &Who, from: f64, until: Option<f64>| Fault::Slow { who: who.clone(), factor: 2.0, when: When { from_ns: ns(from), until_ns: until.map(ns) }, function: None };
                    let rank = Who::Ranks(vec![one]);
                    let on_node = Who::Nodes(vec![node]);
                    let every: Vec<u32> = (0..*ranks).collect();
                    let cases: Vec<(&str, Fault, FindingKind, Vec<u32>)> = vec![
                        ("stall", Fault::Stall { who: rank.clone(), at_ns: ns(0.4), for_ns: ns(0.1) }, FindingKind::Stall, vec![one]),
                        ("from", slow(&rank, 0.4, None), FindingKind::SlowRanks, vec![one]),
                        ("interval", slow(&rank, 0.3, Some(0.8)), FindingKind::SlowRanks, vec![one]),
                        ("node from", slow(&on_node, 0.4, None), FindingKind::SlowRanks, of_node.clone()),
                        ("function", Fault::Slow { who: rank.clone(), factor: 2.0, when: When::default(), function: Some(main_function(name).to_owned()) }, FindingKind::SlowRanks, vec![one]),
                        ("drift", Fault::Drift { who: rank.clone(), growth: Growth::To(2.5) }, FindingKind::Drift, vec![one]),
                        ("noise one", Fault::Noise { who: rank.clone(), every_ns: visit(name) * 4, for_ns: visit(name) * 4 / 5, at_ns: None }, FindingKind::PeriodicNoise, vec![one]),
                        ("noise all", Fault::Noise { who: Who::All, every_ns: visit(name) * 4, for_ns: visit(name) * 4 / 5, at_ns: None }, FindingKind::PeriodicNoise, every),
                        ("linear", Fault::Imbalance { to: 1.6, shape: Slope::Linear }, FindingKind::Imbalance, vec![]),
                        ("hill", Fault::Imbalance { to: 1.6, shape: Slope::Hill }, FindingKind::Imbalance, vec![]),
                        ("network", Fault::Network { factor: 10.0, when: When::default() }, FindingKind::SlowNetwork, vec![]),
                        ("card", Fault::Card { who: rank.clone(), factor: 5.0 }, FindingKind::SlowNetwork, vec![]),
                    ];
                    for (what, fault, kind, truth) in cases {
                        if kinds.as_deref().is_some_and(|kinds| kinds.split(',').all(|one| one != what)) {
                            continue;
                        }
                        let sum = sums.entry(what).or_default();
                        let machine = Machine { faults: vec![fault], ..base.clone() };
                        let Ok(simulation) = simulate(program(name, *ranks), &machine) else { continue };
                        let (_directory, store) = stored(&simulation);
                        let rows = Rows::new(&store);
                        let (run, _) = Run::new(&store, &NoProgress).unwrap();
                        let found = detect(&rows, &run, &NoProgress).unwrap();
                        let named = accused(&found);
                        let is_imbalance = found.suspects.iter().any(|suspect| suspect.kind == FindingKind::Imbalance);
                        let verdict = if kind == FindingKind::Imbalance && named.is_empty() && is_imbalance || !kind.blames() && kind != FindingKind::Imbalance && named.is_empty() || kind == FindingKind::SlowNetwork && named.is_empty() {
                            sum[0] += 1;
                            "right"
                        } else if named.is_empty() {
                            sum[4] += 1;
                            "SILENT"
                        } else if named.len() == 1 && named[0] == (kind, truth.clone()) {
                            sum[0] += 1;
                            "right"
                        } else if named.iter().any(|one| one.1.iter().any(|rank| !truth.contains(rank))) {
                            sum[3] += 1;
                            "WRONG"
                        } else if named.iter().any(|one| one.1 == truth) {
                            sum[1] += 1;
                            "OTHER KIND"
                        } else {
                            sum[2] += 1;
                            "PARTLY"
                        };
                        if verbose && verdict != "right" {
                            println!("  {verdict} {name} {ranks} ranks noise {noise} seed {seed} {what} {} length {length}", if truth.len() < 5 { format!("{truth:?}") } else { format!("{} ranks", truth.len()) });
                            for suspect in &found.suspects {
                                println!("      {:?} {:?} {:?} since {} until {} throughout {} {:.2} z {:.1} visits {} of {} period {:?} usual {:.0}", suspect.kind, suspect.locations.iter().map(|location| location.0).take(20).collect::<Vec<u32>>(), suspect.place, suspect.since.0, suspect.until.0, suspect.is_throughout, suspect.factor(), suspect.z, suspect.slow_visits, suspect.visits, suspect.period, suspect.usual);
                            }
                        }
                    }
                }
            }
        }
        println!("{name} done");
    }
    for (what, [right, other, partly, wrong, silent]) in sums {
        println!("{what:12} right {right:4} other kind {other:3} partly {partly:3} wrong {wrong:3} silent {silent:3}");
    }
}
