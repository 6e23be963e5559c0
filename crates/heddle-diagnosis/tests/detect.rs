//! Nobody is accused in clean runs, and those who are slow are named, whatever the program.

mod common;

use common::stored;
use heddle_diagnosis::detect::{Detected, detect};
use heddle_diagnosis::finding::FindingKind;
use heddle_diagnosis::rows::Rows;
use heddle_diagnosis::run::Run;
use heddle_simulate::{
    Dimensions, Eigen, EigenOptions, Halo, HaloOptions, Inverse, InverseOptions, Lu, LuOptions, Machine, Matmul,
    MatmulOptions, MergeTree, MergeTreeOptions, Multigrid, MultigridOptions, Nearest, NearestOptions, Orthogonalise,
    OrthogonaliseOptions, Pf3d, Pf3dOptions, Pf3dPart, Program, Ring, RingOptions, Scalapack, ScalapackOptions, Train,
    TrainOptions, Uniform, UniformOptions, simulate,
};
use heddle_store::NoProgress;

const PROGRAMS: [&str; 15] = [
    "halo",
    "open-halo",
    "ring",
    "merge-tree",
    "pf3d",
    "matmul",
    "lu",
    "inverse",
    "eigen",
    "orthogonalise",
    "multigrid",
    "train",
    "uniform",
    "nearest",
    "scalapack",
];

fn program(name: &str, ranks: u32) -> Box<dyn Program> {
    match name {
        "halo" => Box::new(Halo::new(&HaloOptions { ranks, iterations: 40, ..HaloOptions::default() }).unwrap()),
        "open-halo" => Box::new(
            Halo::new(&HaloOptions {
                ranks,
                iterations: 30,
                periodic: false,
                dimensions: Dimensions::Three,
                ..HaloOptions::default()
            })
            .unwrap(),
        ),
        "ring" => Box::new(Ring::new(&RingOptions { ranks, ..RingOptions::default() }).unwrap()),
        "merge-tree" => {
            Box::new(MergeTree::new(&MergeTreeOptions { ranks, rounds: 6, ..MergeTreeOptions::default() }).unwrap())
        }
        "pf3d" => Box::new(
            Pf3d::new(&Pf3dOptions { ranks, steps: 8, part: Pf3dPart::Both, ..Pf3dOptions::default() }).unwrap(),
        ),
        "matmul" => Box::new(Matmul::new(&MatmulOptions { ranks, ..MatmulOptions::default() }).unwrap()),
        "lu" => Box::new(Lu::new(&LuOptions { ranks, ..LuOptions::default() }).unwrap()),
        "inverse" => Box::new(Inverse::new(&InverseOptions { ranks, ..InverseOptions::default() }).unwrap()),
        "eigen" => Box::new(Eigen::new(&EigenOptions { ranks, ..EigenOptions::default() }).unwrap()),
        "orthogonalise" => {
            Box::new(Orthogonalise::new(&OrthogonaliseOptions { ranks, ..OrthogonaliseOptions::default() }).unwrap())
        }
        "multigrid" => Box::new(Multigrid::new(&MultigridOptions { ranks, ..MultigridOptions::default() }).unwrap()),
        "train" => {
            Box::new(Train::new(&TrainOptions { ranks, straggler_factor: 1.0, ..TrainOptions::default() }).unwrap())
        }
        "uniform" => Box::new(Uniform::new(&UniformOptions { ranks, ..UniformOptions::default() }).unwrap()),
        "nearest" => Box::new(Nearest::new(&NearestOptions { ranks, ..NearestOptions::default() }).unwrap()),
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
    let ranks: Vec<u32> =
        std::env::var("RANKS").unwrap_or("16,64".into()).split(',').map(|n| n.parse().unwrap()).collect();
    let noises: Vec<f64> =
        std::env::var("NOISES").unwrap_or("0,0.05,0.2".into()).split(',').map(|n| n.parse().unwrap()).collect();
    let factors: Vec<f64> =
        std::env::var("FACTORS").unwrap_or("1.2,1.5,2,4".into()).split(',').map(|n| n.parse().unwrap()).collect();
    let seeds: u64 = std::env::var("SEEDS").unwrap_or("2".into()).parse().unwrap();
    let only = std::env::var("ONLY").ok();
    let verbose = std::env::var("VERBOSE").is_ok();
    for name in
        PROGRAMS.iter().filter(|name| only.as_deref().is_none_or(|only| only.split(',').any(|one| one == **name)))
    {
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
                                println!(
                                    "  CLEAN {name} {ranks} ranks noise {noise} seed {seed}: {:?} {:?} {:?} throughout {} {:.2} z {:.1} visits {}",
                                    suspect.kind,
                                    suspect.locations,
                                    suspect.place,
                                    suspect.is_throughout,
                                    suspect.factor(),
                                    suspect.z,
                                    suspect.visits
                                );
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
                            (
                                "rank",
                                Machine { slow_ranks: vec![one], slow_factor: *factor, ..base.clone() },
                                vec![one],
                            ),
                            (
                                "two",
                                Machine { slow_ranks: both.clone(), slow_factor: *factor, ..base.clone() },
                                both.clone(),
                            ),
                            (
                                "node",
                                Machine { slow_nodes: vec![node], slow_factor: *factor, ..base.clone() },
                                of_node.clone(),
                            ),
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
                                println!(
                                    "  {verdict} {name} {ranks} ranks noise {noise} seed {seed} {what} {factor} {truth:?}"
                                );
                                for suspect in &found.suspects {
                                    println!(
                                        "      {:?} {:?} {:?} since {} until {} throughout {} {:.2} z {:.1} visits {}",
                                        suspect.kind,
                                        suspect.locations,
                                        suspect.place,
                                        suspect.since.0,
                                        suspect.until.0,
                                        suspect.is_throughout,
                                        suspect.factor(),
                                        suspect.z,
                                        suspect.visits
                                    );
                                }
                            }
                        }
                    }
                }
            }
        }
        println!(
            "{name:14} clean {clean:3} blamed {blamed:3} | right {right:4} partly {partly:3} wrong {wrong:3} silent {silent:3}"
        );
    }
}
