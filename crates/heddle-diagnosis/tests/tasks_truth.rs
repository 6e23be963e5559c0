//! What the StarPU sample runs were planted with, and what is found.
//!
//! `HEDDLE_TRACES` names the folder of the traces; without it these tests are skipped.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::path::Path;

use heddle_diagnosis::finding::{Finding, FindingKind};
use heddle_diagnosis::tasks::{KindCount, network_evidence, node_evidence, tasks, worked};
use heddle_store::{ImportOptions, NoProgress, Store, StorePlace, import};
use heddle_tasks::node_of;
use heddle_testkit::sample_traces;

/// The trace of a run; the directory lives as long as its store.
fn open(root: &Path, run: &str) -> (tempfile::TempDir, Store) {
    let file = if run.starts_with("starvz") { "paje.worker_state.csv.gz" } else { "paje.trace.gz" };
    let directory = tempfile::tempdir().unwrap();
    let place = StorePlace::Under(directory.path().to_owned());
    let options = ImportOptions { place, memory: 1 << 29, force: false };
    let store = import(&root.join(run).join(file), &options, &NoProgress).unwrap().store;
    (directory, store)
}

/// Numbers of the nodes that a finding names.
fn nodes(store: &Store, finding: &Finding) -> Vec<u32> {
    let mut nodes: Vec<u32> = finding.suspect.locations.iter().filter_map(|at| node_of(store, *at)).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// What is found in a run.
fn found(root: &Path, run: &str, check: impl FnOnce(&Store, &[Finding])) {
    let (_directory, store) = open(root, run);
    let findings = tasks(&store, &NoProgress).unwrap();
    for finding in &findings {
        assert!(finding.cost_share > 0.0 && finding.cost_share <= 1.0, "{run}: {finding:?}");
        // One finding costs what the run would gain, from the first task to the last.
        let run_ns = store.summary().end_ns - store.summary().start_ns;
        let gain = (run_ns - finding.without.unwrap()) as f64;
        let span = finding.suspect.until.since(finding.suspect.since) as f64;
        assert!((gain / span - finding.cost_share).abs() < 1e-6, "{run}: {finding:?}");
    }
    let worked = worked(&store, &NoProgress).unwrap().unwrap();
    let told: f64 = findings.iter().map(|finding| finding.cost_share).sum();
    assert!(told <= worked.idle, "{run}: {told} of {}", worked.idle);
    check(&store, &findings);
}

/// What each run could gain at most: it would take as long as the one that nothing was planted in.
fn most_gain(run_ms: f64) -> f64 {
    1.0 - 3_420.0 / run_ms
}

#[test]
fn nobody_is_named_where_nothing_was_planted() {
    let Some(root) = sample_traces("starpu") else { return };
    for run in ["lu30_normal", "starvz_qr", "starvz_lu2"] {
        found(&root, run, |_, findings| assert_eq!(findings, [], "{run}"));
    }
}

#[test]
fn a_slow_link_of_a_node_is_its_card() {
    let Some(root) = sample_traces("starpu") else { return };
    found(&root, "lu30_slow0", |store, findings| {
        let [card] = findings else { panic!("{findings:?}") };
        assert_eq!((card.kind(), nodes(store, card)), (FindingKind::SlowCard, vec![0]));
        // 2.78 and 0.111 Gb/s: 25 times, and 9 mates in either direction.
        assert_eq!(card.suspect.pairs.len(), 18);
        assert!((25.0..35.0).contains(&card.suspect.factor()), "{}", card.suspect.factor());
        assert_eq!((card.suspect.visits, card.suspect.slow_visits), (254, 254));
        assert!((0.5..most_gain(11_087.0)).contains(&card.cost_share), "{}", card.cost_share);
    });
}

#[test]
fn nodes_that_lost_gpus_are_named_with_what_they_have() {
    let Some(root) = sample_traces("starpu") else { return };
    // What nodes 0 and 1 have left of 2 GPUs, how long the run took, and the least that is to be laid at their door.
    for (run, here, ms, least) in [("lu30_gpu01", 1, 3_594.0, 0.02), ("lu30_nogpu01", 0, 12_543.0, 0.5)] {
        found(&root, run, |store, findings| {
            let [slow] = findings else { panic!("{run}: {findings:?}") };
            assert_eq!((slow.kind(), nodes(store, slow)), (FindingKind::SlowNodes, vec![0, 1]), "{run}");
            assert!((least..most_gain(ms)).contains(&slow.cost_share), "{run}: {}", slow.cost_share);
            // 140 ms on each of 3 cores, 14 ms on each of 2, 1 or no GPU, and little else.
            let rate = |gpus: f64| 3.0 / 140.0 + gpus / 14.0;
            let expected = rate(2.0) / rate(here as f64);
            assert!((slow.suspect.factor() / expected - 1.0).abs() < 0.02, "{run}: {}", slow.suspect.factor());
            for node in node_evidence(store, slow, &NoProgress).unwrap() {
                let gpus = KindCount { kind: "CUDA".to_owned(), here, usual: 2 };
                assert!(node.workers.contains(&gpus), "{run}: {node:?}");
                assert!(node.busy > 1.5 * node.busy_elsewhere, "{run}: {node:?}");
            }
        });
    }
}

#[test]
fn links_that_are_all_slow_are_a_slow_network() {
    let Some(root) = sample_traces("starpu") else { return };
    found(&root, "lu30_allslow", |store, findings| {
        let [network] = findings else { panic!("{findings:?}") };
        assert_eq!((network.kind(), nodes(store, network)), (FindingKind::SlowNetwork, Vec::new()));
        assert_eq!(network.suspect.visits, 4_130);
        assert!((0.6..most_gain(35_819.0)).contains(&network.cost_share), "{}", network.cost_share);
        let evidence = network_evidence(store, &NoProgress).unwrap();
        assert_eq!(evidence.bytes, 4_130 * 819_200);
        // 0.111 Gb/s are 13.9 MB/s.
        assert!((10e6..13.9e6).contains(&evidence.rate), "{}", evidence.rate);
        assert!(evidence.on_the_way > 0.7, "{}", evidence.on_the_way);
    });
}

#[test]
fn what_is_found_does_not_depend_on_threads() {
    let Some(root) = sample_traces("starpu") else { return };
    let (_directory, store) = open(&root, "lu30_slow0");
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| tasks(&store, &NoProgress).unwrap())
    };
    assert_eq!(on(1), on(5));
}

#[test]
fn zz() {
    let Some(root) = sample_traces("starpu") else { return };
    for run in ["lu30_normal", "lu30_slow0", "lu30_gpu01", "lu30_nogpu01", "lu30_allslow", "starvz_qr", "starvz_lu2"] {
        let (_directory, store) = open(&root, run);
        let d = heddle_diagnosis::diagnosis::Diagnosis::new(&store, &NoProgress).unwrap();
        println!(
            "ZZ {run} {:?} {:?} {:?}",
            d.verdict,
            d.split,
            d.findings.iter().map(|f| (f.kind(), f.cost_share, f.without, f.without_dearer)).collect::<Vec<_>>()
        );
    }
}
