//! Clocks and links of real traces, as their documents describe them.
//!
//! `HEDDLE_TRACES` names the folder of the traces; without it these tests are skipped.

#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]

mod common;

use common::looked::{Looked, look_at};
use heddle_store::{ImportOptions, NoProgress, StorePlace, open_or_import};
use heddle_testkit::sample_traces;

fn of(folder: &str, name: &str) -> Option<Looked> {
    let path = sample_traces(folder)?.join(name);
    let directory = tempfile::tempdir().expect("a directory");
    let place = StorePlace::Under(directory.path().to_owned());
    let options = ImportOptions { place, memory: 1 << 28, force: false };
    Some(look_at(&open_or_import(&path, &options, &NoProgress).expect("a store").store))
}

#[test]
fn broken_clocks_are_called_broken() {
    // Messages that arrive before they are sent, as the documents of the traces count them.
    for (folder, name, least) in [
        ("clog2", "lu_r16_skew.clog2", 76),
        ("otf2", "eztrace-masterworker-8", 157),
        ("otf2", "eztrace-mergetree-32", 141),
    ] {
        let Some(found) = of(folder, name) else { return };
        assert!(found.clocks.is_broken && found.clocks.violations >= least, "{name}: {:?}", found.clocks);
    }
}

#[test]
fn clocks_that_were_put_right_are_right() {
    // With its clock offsets applied no message of the recorder's traces arrives before it is sent.
    for name in ["recorder-halo2d-16", "recorder-halo2d-long-4", "scorep-pingpong-2", "scorep-pingpong-papi-2"] {
        let Some(found) = of("otf2", name) else { return };
        assert_eq!((found.clocks.violations, found.clocks.is_broken), (0, false), "{name}: {:?}", found.clocks);
        assert!(found.clocks.checked > 0, "{name}");
    }
}

#[test]
fn ranks_that_share_few_processors_are_no_slow_network() {
    // All were recorded on one machine with more ranks than cores; what messages take is scheduling.
    for name in ["eig_r16", "eig_r64", "gemm_r16", "gemm_r64", "lu_r16", "lu_r64", "orth_r16", "orth_r64", "threads_r4"]
    {
        let Some(found) = of("clog2", &format!("{name}.clog2")) else { return };
        assert!(!found.clocks.is_broken, "{name}: {:?}", found.clocks);
        assert!(found.suspects.is_empty(), "{name}: {:#?} {:?}", found.suspects, found.network);
    }
}

#[test]
fn networks_of_another_simulator_are_as_fast_as_they_are() {
    for name in ["courier-torus444", "courier-fattree64", "courier-dragonfly72", "ktree-torus888", "halo-torus888"] {
        let Some(found) = of("simgrid", &format!("{name}.trace.gz")) else { return };
        assert_eq!((found.clocks.violations, found.clocks.is_broken), (0, false), "{name}");
        assert!(found.suspects.is_empty(), "{name}: {:#?} {:?}", found.suspects, found.network);
    }
}
