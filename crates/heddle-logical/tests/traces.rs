//! Invariants on simulated programs and on recorded traces.
//!
//! `HEDDLE_TRACES` names the folder of the traces; without it those tests are skipped.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![allow(dead_code, reason = "test programs share helpers")]

mod common;

use std::path::{Path, PathBuf};

use common::stored::{check, stored};
use heddle_logical::{LogicalOptions, Stepping};
use heddle_simulate::{
    Eigen, EigenOptions, Halo, HaloOptions, Inverse, InverseOptions, Lu, LuOptions, Machine, Matmul, MatmulOptions,
    MergeTree, MergeTreeOptions, Multigrid, MultigridOptions, Orthogonalise, OrthogonaliseOptions, Pf3d, Pf3dOptions,
    Program, Ring, RingOptions, Scalapack, ScalapackOptions, SimulateError, Train, TrainOptions, simulate,
};
use heddle_store::{ImportOptions, NoProgress, Store, StorePlace, open_or_import};
use heddle_testkit::sample_traces;

/// Options that give different structure.
fn choices() -> [LogicalOptions; 4] {
    let usual = LogicalOptions::default;
    [
        usual(),
        LogicalOptions { common_caller: false, wait_all: false, coalesce_isends: false, ..usual() },
        LogicalOptions { leap_merge: true, stepping: Stepping::Earliest, ..usual() },
        LogicalOptions { collective_borders: true, ..usual() },
    ]
}

fn check_all(store: &Store, what: &str) {
    for options in choices() {
        check(store, &options, &format!("{what} {}", options.to_query()));
    }
}

fn check_program<P: Program + 'static>(program: Result<P, SimulateError>, what: &str) {
    let simulation = simulate(program.unwrap(), &Machine::default()).unwrap();
    let (_directory, store) = stored(&simulation);
    check_all(&store, what);
}

#[test]
fn simulated_programs() {
    check_program(Ring::new(&RingOptions::default()), "ring");
    check_program(Halo::new(&HaloOptions { ranks: 16, iterations: 6, ..HaloOptions::default() }), "halo");
    check_program(MergeTree::new(&MergeTreeOptions { ranks: 32, ..MergeTreeOptions::default() }), "merge-tree");
    check_program(Multigrid::new(&MultigridOptions { ranks: 16, ..MultigridOptions::default() }), "multigrid");
    check_program(Pf3d::new(&Pf3dOptions { ranks: 64, ..Pf3dOptions::default() }), "pf3d");
    check_program(Train::new(&TrainOptions { ranks: 8, ..TrainOptions::default() }), "train");
    check_program(Lu::new(&LuOptions { ranks: 16, ..LuOptions::default() }), "lu");
    check_program(Matmul::new(&MatmulOptions { ranks: 16, ..MatmulOptions::default() }), "matmul");
    check_program(Eigen::new(&EigenOptions { ranks: 16, ..EigenOptions::default() }), "eigen");
    check_program(Inverse::new(&InverseOptions { ranks: 16, ..InverseOptions::default() }), "inverse");
    check_program(
        Orthogonalise::new(&OrthogonaliseOptions { ranks: 16, ..OrthogonaliseOptions::default() }),
        "orthogonalise",
    );
    check_program(Scalapack::new(&ScalapackOptions { ranks: 16, ..ScalapackOptions::default() }), "scalapack");
}

fn import(path: &Path, directory: &Path) -> Store {
    let place = StorePlace::Under(directory.to_owned());
    let options = ImportOptions { place, memory: 1 << 29, force: false };
    open_or_import(path, &options, &NoProgress).unwrap_or_else(|error| panic!("{}: {error}", path.display())).store
}

/// Files below a directory whose names end so.
fn ending(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(self::ending(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// No phase holds more than this part of a recorded trace's events, unless they are few.
fn is_swallowed(store: &Store) -> bool {
    let logical = check(store, &LogicalOptions::default(), "largest phase");
    let largest = (0..logical.phases.len()).map(|phase| logical.phases.events.get(phase)).max().unwrap_or(0);
    logical.events.len() > 100 && largest * 10 > logical.events.len() * 9
}

#[test]
fn recorded_traces() {
    let Some(root) = sample_traces("") else { return };
    let directory = tempfile::tempdir().unwrap();
    let folders = [("otf2", ".otf2"), ("clog2", ".clog2"), ("simgrid", ".trace.gz"), ("paraver", ".prv")];
    for (folder, of_format) in folders {
        let found = ending(&root.join(folder), of_format);
        assert!(!found.is_empty(), "{folder} has no traces");
        for path in found {
            // A trace that is told to be broken in its own folder is tested by its reader.
            let name = path.display().to_string();
            if name.contains("versions") {
                continue;
            }
            let store = import(&path, &directory.path().join(folder));
            check_all(&store, &name);
            assert!(!is_swallowed(&store), "{name}: one phase for nearly everything");
        }
    }
}

/// What is left of a trace when its files end early.
#[test]
fn cut_traces() {
    let Some(root) = sample_traces("") else { return };
    let source = root.join("otf2/recorder-halo2d-16");
    for part in [3, 5, 9] {
        let directory = tempfile::tempdir().unwrap();
        for path in ending(&source, "") {
            let target = directory.path().join("cut").join(path.strip_prefix(&source).unwrap());
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            let is_events = path.extension().is_some_and(|ending| ending == "evt");
            let kept = if is_events { bytes.len() * part / 10 } else { bytes.len() };
            std::fs::write(&target, &bytes[..kept]).unwrap();
        }
        let anchor = ending(&directory.path().join("cut"), ".otf2").remove(0);
        let store = import(&anchor, &directory.path().join("stores"));
        check_all(&store, &format!("{part} tenths of a trace"));
    }
}
