//! Faults that are planted in simulated programs of tasks, and clean ones.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod common;

use heddle_diagnosis::finding::{Finding, FindingKind};
use heddle_diagnosis::tasks::tasks;
use heddle_simulate::{Distribution, Factorisation, TaskNode, TaskOptions, Tasks};
use heddle_store::{NoProgress, Store};
use heddle_tasks::node_of;

/// Kinds and nodes of what is found, and the findings.
fn found(options: &TaskOptions) -> (Vec<(FindingKind, Vec<u32>)>, Vec<Finding>) {
    let (_directory, store) = common::stored(&Tasks::new(options).unwrap());
    let findings = tasks(&store, &NoProgress).unwrap();
    (findings.iter().map(|finding| (finding.kind(), nodes(&store, finding))).collect(), findings)
}

/// How long a run takes.
fn length(options: &TaskOptions) -> f64 {
    let (_directory, store) = common::stored(&Tasks::new(options).unwrap());
    (store.summary().end_ns - store.summary().start_ns) as f64
}

fn nodes(store: &Store, finding: &Finding) -> Vec<u32> {
    let mut nodes: Vec<u32> = finding.suspect.locations.iter().filter_map(|at| node_of(store, *at)).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

fn plan(factorisation: Factorisation, grid: [u32; 2], tiles: u32, seed: u64) -> TaskOptions {
    TaskOptions { tiles, seed, ..TaskOptions::on_grid(factorisation, grid) }
}

const BOTH: [Factorisation; 2] = [Factorisation::Lu, Factorisation::Cholesky];
const GRIDS: [([u32; 2], u32); 4] = [([2, 2], 20), ([2, 3], 30), ([3, 4], 30), ([5, 6], 30)];

#[test]
fn nobody_is_named_in_clean_runs() {
    for factorisation in BOTH {
        for (grid, tiles) in GRIDS.into_iter().chain([([1, 1], 12), ([1, 2], 12), ([2, 2], 40)]) {
            for (noise, seed) in [(0.0, 11), (0.02, 12), (0.1, 13), (0.3, 14)] {
                let options = TaskOptions { noise, ..plan(factorisation, grid, tiles, seed) };
                assert_eq!(found(&options).0, [], "{factorisation:?} on {grid:?}, {tiles} tiles, noise {noise}");
            }
        }
    }
}

/// Plants something in all kinds of runs, expects one finding, and that it claims no more than what was lost.
fn plant(kind: FindingKind, nodes: &[u32], change: impl Fn(&mut [TaskNode]), factor: f64) {
    for factorisation in BOTH {
        for (grid, tiles) in GRIDS {
            let clean = plan(factorisation, grid, tiles, 21);
            let mut planted = clean.clone();
            change(&mut planted.nodes);
            let (what, findings) = found(&planted);
            let place = format!("{factorisation:?} on {grid:?}, {tiles} tiles");
            assert_eq!(what, [(kind, nodes.to_vec())], "{place}");
            let lost = 1.0 - length(&clean) / length(&planted);
            let cost = findings[0].cost_share;
            assert!(cost >= 0.02 && cost <= lost + 0.01, "{place}: {cost} of {lost}");
            assert!(findings[0].suspect.factor() >= factor, "{place}: {}", findings[0].suspect.factor());
        }
    }
}

#[test]
fn a_node_without_gpus_is_named() {
    plant(FindingKind::SlowNodes, &[2], |nodes| nodes[2].gpus = 0, 6.0);
}

#[test]
fn a_node_that_lost_a_gpu_is_named() {
    plant(FindingKind::SlowNodes, &[1], |nodes| nodes[1].gpus = 1, 1.6);
}

#[test]
fn a_node_of_slow_workers_is_named() {
    plant(FindingKind::SlowNodes, &[3], |nodes| nodes[3].speed = 0.5, 1.95);
}

#[test]
fn a_slow_card_is_named() {
    plant(FindingKind::SlowCard, &[1], |nodes| nodes[1].gbit = 1.0, 20.0);
}

#[test]
fn a_slow_network_is_named_and_no_node() {
    plant(FindingKind::SlowNetwork, &[], |nodes| nodes.iter_mut().for_each(|node| node.gbit = 1.0), f64::INFINITY);
}

#[test]
fn two_faults_are_told_apart_and_cost_no_more_than_there_is() {
    let mut options = plan(Factorisation::Lu, [3, 4], 30, 5);
    options.nodes[7].gpus = 0;
    options.nodes[1].gbit = 0.5;
    let (what, findings) = found(&options);
    let mut kinds = what.clone();
    kinds.sort();
    assert_eq!(kinds, [(FindingKind::SlowCard, vec![1]), (FindingKind::SlowNodes, vec![7])]);
    assert!(findings[0].cost_share >= findings[1].cost_share);
    let sum: f64 = findings.iter().map(|finding| finding.cost_share).sum();
    assert!(sum < 1.0, "{sum}");
}

#[test]
fn work_that_is_unevenly_dealt_is_no_slow_node() {
    let mut options = TaskOptions { distribution: Distribution::OneD, ..plan(Factorisation::Lu, [3, 4], 60, 3) };
    options.loads[0] = 2.5;
    let (what, _) = found(&options);
    assert_eq!(what, [(FindingKind::Imbalance, vec![0])]);
}

/// A node without GPUs that gets as much less to do holds nobody up.
#[test]
fn a_smaller_node_with_less_to_do_is_not_named() {
    let mut options = TaskOptions { distribution: Distribution::OneD, ..plan(Factorisation::Lu, [3, 4], 60, 3) };
    options.nodes[5].gpus = 1;
    options.loads[5] = 0.5;
    let (what, _) = found(&options);
    assert_eq!(what, []);
}
