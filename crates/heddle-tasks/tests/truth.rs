//! What StarVZ and R say about the sample traces, and what we say.
//!
//! `HEDDLE_TRACES` names the folder of the traces; without it these tests are skipped.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::path::Path;

use heddle_options::Share;
use heddle_store::{ImportOptions, NoProgress, Store, StorePlace, import};
use heddle_tasks::{
    Bandwidth, BoundWorkers, Density, GroupOptions, Groups, Modes, ProgressOptions, Progression, Weights,
};
use heddle_testkit::sample_traces;
use serde_json::Value;

/// Runs that StarPU simulated.
const LU30: [&str; 5] = ["lu30_normal", "lu30_slow0", "lu30_gpu01", "lu30_nogpu01", "lu30_allslow"];
/// Sample tables of StarVZ.
const STARVZ: [&str; 2] = ["starvz_qr", "starvz_lu2"];

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn matrix(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn truth(root: &Path, run: &str) -> Value {
    serde_json::from_slice(&std::fs::read(root.join(run).join("truth.json")).unwrap()).unwrap()
}

/// The trace of a run; the directory lives as long as its store.
fn open(root: &Path, run: &str) -> (tempfile::TempDir, Store) {
    let file = if STARVZ.contains(&run) { "paje.worker_state.csv.gz" } else { "paje.trace.gz" };
    let directory = tempfile::tempdir().unwrap();
    let place = StorePlace::Under(directory.path().to_owned());
    let options = ImportOptions { place, memory: 1 << 29, force: false };
    let store = import(&root.join(run).join(file), &options, &NoProgress).unwrap().store;
    (directory, store)
}

/// As StarVZ counts.
fn as_starvz() -> ProgressOptions {
    ProgressOptions { weights: Weights::Worker, bound_workers: BoundWorkers::Observed, ..ProgressOptions::default() }
}

fn worst(a: impl IntoIterator<Item = f64>, b: impl IntoIterator<Item = f64>) -> f64 {
    a.into_iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// How far they are apart at most, in parts of the second.
fn worst_share(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(0.0, f64::max)
}

#[test]
fn progress_and_bounds_are_those_of_the_truth() {
    let Some(root) = sample_traces("starpu") else { return };
    for run in LU30.into_iter().chain(STARVZ) {
        let truth = truth(&root, run);
        let (_directory, store) = open(&root, run);
        let ms = |value: &Value| value.as_f64().unwrap() * 1e6;

        let starvz = Progression::open(&store, &as_starvz(), &NoProgress).unwrap();
        assert_eq!(starvz.tasks.iter().sum::<u64>(), truth["tasks"].as_u64().unwrap(), "{run}");
        assert!((starvz.makespan() as f64 - ms(&truth["makespan_ms"])).abs() < 1.0, "{run}");
        let metric = matrix(&truth["metric"]);
        assert_eq!(starvz.nodes.len(), metric.len(), "{run}");
        for (node, line) in metric.iter().enumerate() {
            // The reference misses the last task at the last instant: it multiplies a rounded step.
            let apart = worst(starvz.line(node)[..20].iter().copied(), line.iter().copied());
            assert!(apart < 1e-9, "{run}, node {node}: {apart}");
            assert_eq!((starvz.line(node)[0], starvz.line(node)[20]), (0.0, 1.0), "{run}, node {node}");
        }
        let bounds = &starvz.bounds;
        assert!((bounds.area / ms(&truth["abe_global_ms"]) - 1.0).abs() < 1e-6, "{run}");
        let nanoseconds = |value: &Value| numbers(value).iter().map(|ms| ms * 1e6).collect::<Vec<f64>>();
        let steps = nanoseconds(&truth["abe_per_step_ms"]);
        assert!(worst_share(&bounds.steps, &steps) < 1e-6, "{run}: {:?} {steps:?}", bounds.steps);
        let cumulative = nanoseconds(&truth["abe_cumulative_ms"]);
        assert!(worst_share(&bounds.cumulative()[1..], &cumulative) < 1e-6, "{run}");

        let ours = Progression::open(&store, &ProgressOptions::default(), &NoProgress).unwrap();
        for (node, line) in matrix(&truth["metric_weights_by_resource_type"]).into_iter().enumerate() {
            let apart = worst(ours.line(node).iter().copied(), line);
            assert!(apart < 1e-9, "{run}, node {node}: {apart}");
        }
        let observed = ProgressOptions { bound_workers: BoundWorkers::Observed, ..ProgressOptions::default() };
        let observed = Progression::open(&store, &observed, &NoProgress).unwrap();
        let apart = worst(observed.pooled, numbers(&truth["global_progress_final_weights"]));
        assert!(apart < 1e-9, "{run}: {apart}");
        let declared = ms(&truth["abe_global_declared_workers_ms"]);
        assert!((ours.bounds.area / declared - 1.0).abs() < 1e-6, "{run}");
        for kind in &ours.kinds {
            assert_eq!(kind.declared, truth["workers_declared"][&kind.name].as_u64().unwrap(), "{run}");
        }
        assert_eq!(Progression::find(&store, &ProgressOptions::default()), Some(ours), "{run}: kept as it is");
    }
}

/// Groups of some values, from 1, by a direct sum on a grid of step h/64 and nothing clever: what `group_exact` is.
fn plain_groups(values: &[f64], h: f64) -> Vec<usize> {
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
    let density = |x: f64| values.iter().map(|v| (-0.5 * ((x - v) / h).powi(2)).exp()).sum::<f64>();
    let step = h / 64.0;
    let count = ((high - low) / step) as u32 + 2;
    let places: Vec<f64> = (0..count).map(|at| low + step * f64::from(at)).collect();
    let heights: Vec<f64> = places.iter().map(|x| density(*x)).collect();
    let mut cuts = Vec::new();
    // Each stretch of equal heights that is lower than both its neighbours.
    let mut first = 0;
    while first < heights.len() {
        let equal = heights[first..].iter().take_while(|height| height.total_cmp(&heights[first]).is_eq()).count();
        let end = first + equal;
        if first > 0 && end < heights.len() && heights[first - 1] > heights[first] && heights[end] > heights[first] {
            cuts.push(0.5 * (places[first] + places[end - 1]));
        }
        first = end;
    }
    let groups: Vec<usize> = values.iter().map(|value| cuts.partition_point(|cut| cut < value)).collect();
    numbered(&groups)
}

/// Groups without empty ones, from 1.
fn numbered(groups: &[usize]) -> Vec<usize> {
    let mut used = groups.to_vec();
    used.sort_unstable();
    used.dedup();
    groups.iter().map(|group| used.partition_point(|other| other < group) + 1).collect()
}

fn groups_of(modes: &Modes, values: usize) -> Vec<usize> {
    let mut groups = vec![0; values];
    for (at, cluster) in modes.clusters.iter().enumerate() {
        cluster.members.iter().for_each(|member| groups[*member as usize] = at + 1);
    }
    groups
}

#[test]
fn groups_are_those_of_the_exact_density() {
    let Some(root) = sample_traces("starpu") else { return };
    let truth: Value = serde_json::from_slice(&std::fs::read(root.join("kde_truth.json")).unwrap()).unwrap();
    let cases = truth["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 23);
    for case in cases {
        let (values, h) = (numbers(&case["values"]), case["bandwidth"].as_f64().unwrap());
        let modes = Modes::of(&values, h, 0.0);
        let groups = groups_of(&modes, values.len());
        let theirs = |field: &str| numbers(&case[field]).iter().map(|group| *group as usize).collect::<Vec<usize>>();
        assert_eq!(groups, theirs("group_exact"), "{}", case["name"]);
        if case["exact_equals_starvz"].as_bool().unwrap() {
            assert_eq!(groups, theirs("group_starvz"), "{}", case["name"]);
        }
        let (from, to) = (case["from"].as_f64().unwrap(), case["to"].as_f64().unwrap());
        let density = Density::new(&values, h);
        let curve: Vec<f64> = density.curve(from..to, 512).iter().step_by(16).map(|(_, height)| *height).collect();
        let exact = numbers(&case["exact_every_16"]);
        let apart = worst(curve, exact.iter().copied());
        assert!(apart < 1e-9 * case["max_density"].as_f64().unwrap(), "{}: {apart}", case["name"]);
    }
}

/// Nowhere in these runs does R's grid of 512 points, or the instant that it misses by rounding, change a group.
#[test]
fn groups_of_runs_are_those_of_the_truth() {
    let Some(root) = sample_traces("starpu") else { return };
    for run in LU30.into_iter().chain(STARVZ) {
        let truth = truth(&root, run);
        let (_directory, store) = open(&root, run);
        let progression = Progression::open(&store, &as_starvz(), &NoProgress).unwrap();
        for (h, field) in [(0.01, "group"), (0.03, "group_h003")] {
            let options = GroupOptions { bandwidth: Bandwidth(h), min_depth: Share(0.0) };
            let groups = Groups::of(&progression, &options);
            let theirs = matrix(&truth[field]);
            for (instant, modes) in groups.at.iter().enumerate() {
                let ours = groups_of(modes, progression.nodes.len());
                assert_eq!(ours, plain_groups(&progression.at(instant), h), "{run}, h = {h}, instant {instant}");
                let theirs: Vec<usize> = theirs.iter().map(|node| node[instant] as usize).collect();
                assert_eq!(ours, theirs, "{run}, h = {h}, instant {instant}");
            }
        }
    }
}

#[test]
fn where_all_are_equally_late_there_is_one_group() {
    let Some(root) = sample_traces("starpu") else { return };
    for (run, late) in [("lu30_normal", 1.87), ("lu30_allslow", 18.7)] {
        let (_directory, store) = open(&root, run);
        let progression = Progression::open(&store, &as_starvz(), &NoProgress).unwrap();
        let options = GroupOptions { bandwidth: Bandwidth(0.03), min_depth: Share(0.0) };
        let groups = Groups::of(&progression, &options);
        assert!(groups.at.iter().all(|modes| modes.clusters.len() == 1), "{run}");
        assert_eq!(groups.at.len(), 21);
        let ratio = progression.makespan() as f64 / progression.bounds.area;
        assert!((ratio / late - 1.0).abs() < 0.003, "{run}: {ratio}");
    }
}
