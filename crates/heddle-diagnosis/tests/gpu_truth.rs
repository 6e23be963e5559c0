//! What is found in real traces of PyTorch.
//!
//! `HEDDLE_TRACES` names the folder of the traces; without it these tests are skipped.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::path::{Path, PathBuf};

use heddle_diagnosis::finding::FindingKind;
use heddle_diagnosis::gpu::{arrivals, device_times, gpu};
use heddle_store::{ImportOptions, NoProgress, Store, StorePlace, import_all};
use heddle_testkit::sample_traces;
use serde_json::Value;

fn open(root: &Path, names: &[&str]) -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let place = StorePlace::Under(directory.path().to_owned());
    let options = ImportOptions { place, memory: 1 << 29, force: false };
    let files: Vec<PathBuf> = names.iter().map(|name| root.join(format!("{name}.json.gz"))).collect();
    let store = import_all(&files, &options, &NoProgress).unwrap().store;
    (directory, store)
}

/// Window, computing, communication, copies, exposed communication, exposed copies: counted by a sweep over the events of
/// the files, without us.
const TIMES: [(&str, [i64; 6]); 8] = [
    ("b200-8ranks-rank0-python-stacks", [84_487_178, 10_771_685, 21_953, 802_844, 21_953, 802_844]),
    ("h100-bert-memory-instants", [3_907_825, 307_197, 0, 2_240, 0, 2_240]),
    ("mi250-no-distributed-info", [8_911_887, 110_881, 0, 38_161, 0, 38_161]),
    ("nccl-2ranks-rank0", [660_551_005, 115_655_847, 46_876_493, 2_653_498, 39_559_468, 2_284_699]),
    ("old-categories-rank1", [1_629_000, 30_000, 0, 0, 0, 0]),
    ("rccl-8ranks-rank0-mi300-resnet", [86_567_708, 25_739_303, 71_516_523, 2_974_246, 55_625_224, 2_637_529]),
    ("sampled-128ranks-rank0", [1_222_847_000, 210_320_000, 396_199_000, 1_325_000, 336_983_000, 353_000]),
    ("sampled-128ranks-rank1", [1_231_186_000, 271_973_000, 379_053_000, 16_504_000, 303_523_000, 4_554_000]),
];

#[test]
fn times_of_devices_are_those_of_the_files() {
    let Some(root) = sample_traces("kineto") else { return };
    for (name, [window, computing, communication, copies, exposed, exposed_copies]) in TIMES {
        let (_directory, store) = open(&root, &[name]);
        let times = device_times(&store, None, &NoProgress).unwrap();
        let [time] = &times[..] else { panic!("{name}: {times:?}") };
        assert_eq!((time.length(), time.computing, time.communication), (window, computing, communication), "{name}");
        assert_eq!(time.copies, copies, "{name}");
        assert_eq!((time.exposed_communication, time.exposed_copies), (exposed, exposed_copies), "{name}");
        assert_eq!(time.computing + exposed + exposed_copies + time.idle(), window, "{name}");
        let truth: Value =
            serde_json::from_slice(&std::fs::read(root.join(format!("{name}.truth.json"))).unwrap()).unwrap();
        let kernels = truth["nccl_kernels"].as_object().unwrap().values();
        let kernels: u64 = kernels.map(|kernel| kernel["count"].as_u64().unwrap()).sum();
        assert_eq!(time.communications, kernels, "{name}");
    }
}

#[test]
fn exposed_communication_is_told_where_it_is_and_nobody_is_blamed() {
    let Some(root) = sample_traces("kineto") else { return };
    // Shares of the run, from the first row to the last: 55.6 of 87.0 ms; 337.0 and 303.5 of 2,091 ms twice.
    for (names, expected) in [
        (&["rccl-8ranks-rank0-mi300-resnet"][..], Some(55_625_224.0 / 86_992_478.0)),
        (&["sampled-128ranks-rank0", "sampled-128ranks-rank1"], Some(640_506.0 / 2.0 / 2_091_330.0)),
        (&["nccl-2ranks-rank0"], None),
        (&["b200-8ranks-rank0-python-stacks"], None),
        (&["h100-bert-memory-instants"], None),
        (&["gloo-300ranks-rank34-cpu-only"], None),
        (&["rank-missing-cpu-only"], None),
        (&["mi250-no-distributed-info"], None),
        (&["old-categories-rank1"], None),
    ] {
        let (_directory, store) = open(&root, names);
        let findings = gpu(&store, &NoProgress).unwrap();
        let shares: Vec<(FindingKind, f64)> = findings.iter().map(|found| (found.kind(), found.cost_share)).collect();
        match (expected, &shares[..]) {
            (None, []) => {}
            (Some(share), [(FindingKind::ExposedCommunication, found)]) if (found - share).abs() < 1e-6 => {}
            _ => panic!("{names:?}: {shares:?}, not {expected:?}"),
        }
    }
}

/// Five collectives of the two files are the same; of 128 ranks 126 are not there, so that nobody can be called last.
#[test]
fn two_of_many_ranks_come_to_collectives_as_the_files_say() {
    let Some(root) = sample_traces("kineto") else { return };
    let truth = std::fs::read(root.join("sampled-128ranks.cross-rank.truth.json")).unwrap();
    let truth: Value = serde_json::from_slice(&truth).unwrap();
    let (_directory, store) = open(&root, &["sampled-128ranks-rank0", "sampled-128ranks-rank1"]);
    let found = arrivals(&store, &NoProgress).unwrap();
    let start = |rank: &str, at: &Value| truth[rank][at.as_u64().unwrap() as usize]["start_us"].as_i64().unwrap();
    let pairs = truth["overlapping_pairs"].as_array().unwrap();
    let apart = pairs.iter().map(|pair| start("rank1", &pair["rank1"]) - start("rank0", &pair["rank0"]));
    let waited: Vec<i64> = [1, -1].map(|sign| apart.clone().map(|us| (sign * us).max(0) * 1_000).sum()).to_vec();
    assert_eq!(found.collectives, pairs.len() as u64);
    assert_eq!(found.ranks.iter().map(|of| of.waited).collect::<Vec<_>>(), waited);
    assert!(found.ranks.iter().all(|of| (of.whole, of.last) == (0, 0)));
    assert_eq!(found.straggler(), None);
}
