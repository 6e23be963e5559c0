//! Clusters of ranks through a store: what must hold for any trace, metric and scope.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a helper that fails is a test that fails")]
#![allow(dead_code, reason = "test programs share helpers")]

mod common;

use std::collections::BTreeMap;

use common::ops::{Op, store_of, store_of_program};
use common::stored::stored;
use heddle_logical::cluster::{ClusterOptions, Clusters, Distance, Scope, StepTotals, Timeline, distance};
use heddle_logical::{Kind, Logical, LogicalOptions, Metric, MetricValues};
use heddle_options::Count;
use heddle_simulate::{
    Halo, HaloOptions, Machine, MergeTree, MergeTreeOptions, Multigrid, MultigridOptions, Pf3d, Pf3dOptions, Program,
    simulate,
};
use heddle_store::{NoProgress, Progress, Store, StoreError, Work};
use heddle_testkit::Chance;

/// A trace with what clusters are made of.
struct Trace<'a> {
    store: &'a Store,
    logical: Logical,
    values: MetricValues,
}

impl Trace<'_> {
    fn new(store: &Store, metric: Metric) -> Trace<'_> {
        let logical = Logical::open(store, &LogicalOptions::default(), &NoProgress).unwrap();
        let values = MetricValues::open(store, &logical, metric, &NoProgress).unwrap();
        Trace { store, logical, values }
    }

    fn clusters(&self, scope: &Scope, options: &ClusterOptions) -> Clusters {
        Clusters::open(&self.logical, &self.values, scope, options, &NoProgress).unwrap()
    }

    /// A whole run, some windows, and some phases, the largest first.
    fn scopes(&self) -> Vec<Scope> {
        let steps = self.logical.steps.len() as u32;
        let mut phases: Vec<u32> = (0..self.logical.phases.len() as u32).collect();
        phases.sort_by_key(|phase| std::cmp::Reverse(self.logical.phases.events.get(u64::from(*phase))));
        phases.truncate(3);
        let windows = [0..steps, 0..steps / 2, steps / 3..steps, 1..2, steps..steps + 9].map(Scope::Steps);
        windows.into_iter().chain(phases.into_iter().map(Scope::Phase)).collect()
    }

    /// Everything that must hold.
    fn check(&self, scope: &Scope, options: &ClusterOptions, what: &str) -> Clusters {
        let clusters = self.clusters(scope, options);
        self.check_members(&clusters, what);
        check_tree(&clusters, what);
        self.check_totals(&clusters, what);
        self.check_distances(&clusters, what);
        clusters
    }

    /// Every row of the scope is in exactly one leaf, and what stands for a leaf is one of its rows.
    fn check_members(&self, clusters: &Clusters, what: &str) {
        let (scope, tree) = (clusters.scope(), clusters.tree());
        let has_events = |row: &u32| !scope.events_of(&self.logical, *row).is_empty();
        let rows: Vec<u32> = (0..self.logical.rows.len() as u32).filter(has_events).collect();
        let members: BTreeMap<u32, u32> = clusters.members().collect();
        assert!(members.keys().copied().eq(rows.iter().copied()), "{what}");
        assert_eq!((clusters.rows(), clusters.members().count()), (rows.len() as u64, rows.len()), "{what}");
        for row in 0..=self.logical.rows.len() as u32 {
            assert_eq!(clusters.leaf_of(row), members.get(&row).copied(), "{what}: row {row}");
        }
        assert_eq!(tree.leaves() as usize, clusters.leaves().len(), "{what}");
        for (leaf, of) in (0..).zip(clusters.leaves()) {
            assert_eq!(members.get(&of.medoid), Some(&leaf), "{what}: the medoid of {leaf}");
            assert_eq!(of.members as usize, members.values().filter(|other| **other == leaf).count(), "{what}");
            assert!(of.members > 0, "{what}");
        }
        for node in 0..tree.nodes() {
            let of_node = clusters.rows_of(node);
            assert_eq!(of_node.len() as u32, clusters.size(node), "{what}");
            let medoid = clusters.medoid(&self.logical, &self.values, node);
            assert!(medoid.is_some_and(|medoid| of_node.contains(&medoid)), "{what}: the medoid of node {node}");
        }
        match tree.root() {
            Some(root) => assert_eq!(clusters.rows_of(root), rows, "{what}: all rows are below the root"),
            None => assert!(rows.is_empty(), "{what}"),
        }
        // As many again for odd ranks, and one for rows without values.
        let most = (2 * clusters.options().clusters.0 as usize + 1).min(rows.len());
        assert!(clusters.leaves().len() <= most, "{what}: {} leaves", clusters.leaves().len());
        let natural = clusters.natural(8);
        assert!(natural.len() <= 8, "{what}");
        let sizes: u32 = natural.iter().map(|node| clusters.size(*node)).sum();
        assert_eq!(sizes as usize, rows.len(), "{what}: what is seen first is everybody");
    }

    /// What all leaves do in a step is what the events of the scope do.
    fn check_totals(&self, clusters: &Clusters, what: &str) {
        let scope = clusters.scope();
        let mut expected: BTreeMap<u32, (u32, u32, u32, f64)> = BTreeMap::new();
        let mut largest = f64::NEG_INFINITY;
        for row in scope.rows(&self.logical) {
            for event in scope.events_of(&self.logical, row) {
                let of = expected.entry(self.logical.events.step.get(event)).or_default();
                match self.logical.kind(event) {
                    Kind::Send => of.0 += 1,
                    Kind::Receive => of.1 += 1,
                    Kind::Collective => of.2 += 1,
                }
                let value = self.values.value(&self.logical, event);
                if value.is_finite() {
                    of.3 += value;
                    largest = largest.max(value);
                }
            }
        }
        let mut found: BTreeMap<u32, StepTotals> = BTreeMap::new();
        if let Some(root) = clusters.tree().root() {
            clusters.for_each_total(root, 0..u32::MAX, |step, totals| found.entry(step).or_default().plus(totals));
            let value = clusters.largest(root).map(|(value, row, step)| {
                let event = self.logical.event_at(row, step).unwrap();
                assert!((self.values.value(&self.logical, event) - value).abs() < 1e-9, "{what}: the largest");
                value
            });
            assert_eq!(value.unwrap_or(f64::NEG_INFINITY).to_bits(), largest.to_bits(), "{what}");
        }
        assert!(found.keys().eq(expected.keys()), "{what}: steps");
        for (step, of) in &found {
            let (sends, receives, collectives, sum) = expected[step];
            let counts = (of.sends.count, of.receives.count, of.collectives.count);
            assert_eq!(counts, (sends, receives, collectives), "{what}: step {step}");
            let found = of.sends.sum + of.receives.sum + of.collectives.sum;
            assert!((found - sum).abs() <= 1e-9 * sum.abs().max(1.0), "{what}: step {step}: {found}, {sum}");
        }
        // Joints are what their children are.
        for (joint, merge) in (clusters.tree().leaves()..).zip(clusters.tree().merges()) {
            let active = |node: u32| {
                let mut sum = 0;
                clusters.for_each_total(node, 0..u32::MAX, |_, totals| sum += totals.active());
                sum
            };
            assert_eq!(active(joint), active(merge.children[0]) + active(merge.children[1]), "{what}");
        }
    }

    /// Symmetric, 0 between equals, never negative; and no rank is nearer to another leaf's medoid than to its own.
    fn check_distances(&self, clusters: &Clusters, what: &str) {
        let scope = clusters.scope().steps(&self.logical);
        let which = clusters.options().distance;
        let timeline = |row: u32| clusters.timeline(&self.logical, &self.values, row);
        let apart = |one: &Timeline, other: &Timeline| distance(which, &scope, one, other);
        let rows: Vec<u32> = clusters.members().map(|(row, _)| row).take(40).collect();
        let timelines: Vec<Timeline> = rows.iter().map(|row| timeline(*row)).collect();
        for one in &timelines {
            for other in &timelines {
                let far = apart(one, other);
                assert!(far >= 0.0, "{what}: {far}");
                assert_eq!(far.to_bits(), apart(other, one).to_bits(), "{what}: another way back");
                if one == other && !one.is_empty() {
                    assert!(far <= 0.0, "{what}: {far} from itself");
                }
            }
        }
        let medoids: Vec<Timeline> = clusters.leaves().iter().map(|leaf| timeline(leaf.medoid)).collect();
        for (row, of_row) in rows.iter().zip(&timelines) {
            let own = apart(of_row, &medoids[clusters.leaf_of(*row).unwrap() as usize]);
            let nearest = medoids.iter().map(|medoid| apart(of_row, medoid)).fold(f64::INFINITY, f64::min);
            assert!(of_row.is_empty() || own <= nearest * (1.0 + 1e-9), "{what}: row {row}: {own}, {nearest}");
        }
    }
}

/// Heights do not fall towards the root, and every node but the root has one parent.
fn check_tree(clusters: &Clusters, what: &str) {
    let tree = clusters.tree();
    let mut parents = vec![0; tree.nodes() as usize];
    let mut before = 0.0;
    for (joint, merge) in (tree.leaves()..).zip(tree.merges()) {
        assert!(merge.height >= before, "{what}: {} after {before}", merge.height);
        before = merge.height;
        for child in merge.children {
            assert!(child < joint && tree.height(child) <= merge.height, "{what}");
            parents[child as usize] += 1;
            assert_eq!(tree.parent(child), Some(joint), "{what}");
        }
    }
    if let Some(root) = tree.root() {
        assert_eq!(parents.pop(), Some(0), "{what}");
        assert_eq!(tree.parent(root), None, "{what}");
        assert!(parents.iter().all(|parents| *parents == 1), "{what}");
    }
}

/// All that is told of clusters.
fn everything(clusters: &Clusters) -> String {
    let mut totals = Vec::new();
    for node in 0..clusters.tree().leaves() {
        clusters.for_each_total(node, 0..u32::MAX, |step, of| totals.push((node, step, *of)));
    }
    let members: Vec<(u32, u32)> = clusters.members().collect();
    format!("{members:?} {:?} {:?} {totals:?}", clusters.leaves(), clusters.tree())
}

fn options(clusters: u32, distance: Distance) -> ClusterOptions {
    ClusterOptions { clusters: Count(clusters), distance, ..ClusterOptions::default() }
}

#[test]
fn of_programs_by_chance() {
    for seed in 0..40 {
        let program = if seed % 2 == 0 { common::chance::valid(seed) } else { common::chance::damaged(seed) };
        let (_directory, store) = store_of_program(&program);
        let mut chance = Chance(seed);
        let metric = Metric::WORDS[chance.below(Metric::WORDS.len())].1;
        let trace = Trace::new(&store, metric);
        for scope in trace.scopes() {
            // With few clusters they are gathered, with many each rank is one.
            for clusters in [1, 3, 20] {
                let which = [Distance::Paper, Distance::Held][chance.below(2)];
                let what = format!("seed {seed}, {metric:?}, {scope:?}, {clusters}, {which:?}");
                trace.check(&scope, &options(clusters, which), &what);
            }
        }
    }
}

fn check_simulated<P: Program + 'static>(program: P, what: &str) {
    let machine = Machine { noise: 0.1, slow_ranks: vec![5], ..Machine::default() };
    let (_directory, store) = stored(&simulate(program, &machine).unwrap());
    for metric in [Metric::Lateness, Metric::PhaseDifferential] {
        let trace = Trace::new(&store, metric);
        for scope in trace.scopes() {
            for which in [Distance::Paper, Distance::Held] {
                trace.check(&scope, &options(6, which), &format!("{what}, {metric:?}, {scope:?}, {which:?}"));
            }
        }
    }
}

#[test]
fn of_simulated_programs() {
    check_simulated(Halo::new(&HaloOptions { ranks: 36, iterations: 6, ..HaloOptions::default() }).unwrap(), "halo");
    check_simulated(
        MergeTree::new(&MergeTreeOptions { ranks: 50, arity: 4, ..MergeTreeOptions::default() }).unwrap(),
        "merge-tree",
    );
    check_simulated(
        Multigrid::new(&MultigridOptions { ranks: 32, ..MultigridOptions::default() }).unwrap(),
        "multigrid",
    );
    check_simulated(Pf3d::new(&Pf3dOptions { ranks: 64, ..Pf3dOptions::default() }).unwrap(), "pf3d");
}

#[test]
fn the_same_with_any_number_of_threads() {
    let merge_tree =
        || MergeTree::new(&MergeTreeOptions { ranks: 300, arity: 4, ..MergeTreeOptions::default() }).unwrap();
    let simulation = simulate(merge_tree(), &Machine { noise: 0.2, ..Machine::default() }).unwrap();
    let with = |threads: usize, seed: u32, distance: Distance| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        // A store of its own, as clusters are kept beside it.
        let (_directory, store) = stored(&simulation);
        pool.install(|| {
            let trace = Trace::new(&store, Metric::Lateness);
            let options = ClusterOptions { seed: Count(seed), distance, ..ClusterOptions::default() };
            everything(&trace.clusters(&Scope::run(&trace.logical), &options))
        })
    };
    for distance in [Distance::Paper, Distance::Held] {
        let one = with(1, 7, distance);
        assert_eq!(one, with(3, 7, distance));
        assert_ne!(one, with(1, 8, distance), "another seed takes other samples");
    }
}

#[test]
fn kept_and_found_again() {
    let options = HaloOptions { ranks: 36, iterations: 3, ..HaloOptions::default() };
    let (_directory, store) = stored(&simulate(Halo::new(&options).unwrap(), &Machine::default()).unwrap());
    let trace = Trace::new(&store, Metric::Lateness);
    let (scope, other) = (Scope::Phase(0), Scope::Steps(0..2));
    let options = self::options(4, Distance::Paper);
    assert!(Clusters::find(&trace.logical, &trace.values, &scope, &options).is_none());
    let made = everything(&trace.clusters(&scope, &options));
    let found = Clusters::find(&trace.logical, &trace.values, &scope, &options).unwrap();
    assert_eq!(everything(&found), made);
    assert!(Clusters::find(&trace.logical, &trace.values, &other, &options).is_none(), "another scope");
    assert!(
        Clusters::find(&trace.logical, &trace.values, &scope, &self::options(5, Distance::Paper)).is_none(),
        "other options"
    );
}

#[test]
fn of_hardly_anything() {
    let pair = vec![Op::S(1), Op::R(1)];
    for (ranks, rows) in [
        (vec![vec![], vec![]], 0),
        (vec![vec![Op::S(0), Op::R(0)]], 1),
        (vec![pair.clone(), vec![Op::S(0), Op::R(0)], vec![]], 2),
    ] {
        let (_directory, store) = store_of(&ranks);
        let trace = Trace::new(&store, Metric::Lateness);
        let run = Scope::run(&trace.logical);
        let clusters = trace.check(&run, &ClusterOptions::default(), "a whole run");
        assert_eq!(clusters.rows(), rows);
        for scope in [Scope::Phase(7), Scope::Steps(0..0), Scope::Steps(90..99)] {
            let clusters = trace.check(&scope, &ClusterOptions::default(), "no events");
            assert_eq!((clusters.rows(), clusters.tree().root(), clusters.natural(8)), (0, None, Vec::new()));
        }
    }
}

/// Stops when it is asked for the so manyth time.
struct Impatient(std::sync::atomic::AtomicU32);

impl Progress for Impatient {
    fn begin(&self, _work: Work, _total: u64) {}
    fn advance(&self, _done: u64) {}
    fn waiting(&self) {}
    fn is_cancelled(&self) -> bool {
        let left = self.0.load(std::sync::atomic::Ordering::Relaxed);
        self.0.store(left.saturating_sub(1), std::sync::atomic::Ordering::Relaxed);
        left == 0
    }
}

#[test]
fn cancelled() {
    let options = HaloOptions { ranks: 100, iterations: 3, ..HaloOptions::default() };
    let machine = Machine { noise: 0.1, ..Machine::default() };
    let (_directory, store) = stored(&simulate(Halo::new(&options).unwrap(), &machine).unwrap());
    let trace = Trace::new(&store, Metric::Lateness);
    let scope = Scope::run(&trace.logical);
    for times in [0, 2] {
        let impatient = Impatient(times.into());
        let stopped = Clusters::open(&trace.logical, &trace.values, &scope, &ClusterOptions::default(), &impatient);
        assert!(matches!(stopped, Err(StoreError::Cancelled)), "asked {times} times");
        assert!(
            Clusters::find(&trace.logical, &trace.values, &scope, &ClusterOptions::default()).is_none(),
            "nothing is left of it"
        );
    }
    trace.check(&scope, &ClusterOptions::default(), "after that");
}
