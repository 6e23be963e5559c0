//! Clusters in words, of simulated programs.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

mod common;

use std::ops::Range;
use std::sync::Arc;

use heddle_logical::cluster::{ClusterOptions, Clusters, Scope};
use heddle_logical::{Logical, LogicalOptions, Metric, MetricValues};
use heddle_model::{
    Definitions, MetricDefinition, MetricId, MetricMode, Part, RecordBlock, Source, SourceError, Warnings,
};
use heddle_options::{Given, OptionError};
use heddle_simulate::{
    Algorithm, Collective, CollectiveKind, Comm, Dimensions, HaloOptions, Machine, MergeTree, MergeTreeOptions, Ops,
    Own, Program, ProgramInfo, Simulation, halo, simulate,
};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_view::cluster::{Mostly, WhoKind};
use heddle_view::{ClusterAbout, LogicalData, Need, RankSet, Steps, Trace, View, ViewRequest, Window, about_cluster};

struct Run {
    _directory: tempfile::TempDir,
    store: Store,
    data: LogicalData,
    clusters: Clusters,
}

impl Run {
    fn of(source: &dyn Source, options: &LogicalOptions, metric: Metric, scope: Option<Scope>) -> Run {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.heddle");
        let store = store_simulation(source, "run", &path, 1 << 28, &NoProgress).unwrap();
        let logical = Logical::open(&store, options, &NoProgress).unwrap();
        let values = MetricValues::open(&store, &logical, metric, &NoProgress).unwrap();
        let scope = scope.unwrap_or_else(|| Scope::run(&logical));
        let clusters = Clusters::open(&logical, &values, &scope, &ClusterOptions::default(), &NoProgress).unwrap();
        let data = LogicalData::new(Steps::from(logical), Arc::new(values));
        Run { _directory: directory, store, data, clusters }
    }

    /// All clusters that a reader sees first, in words.
    fn natural(&self) -> Vec<ClusterAbout> {
        let shown = self.clusters.natural(8);
        shown.iter().map(|node| self.about(*node, &shown)).collect()
    }

    fn about(&self, node: u32, shown: &[u32]) -> ClusterAbout {
        let about = about_cluster(&self.store, &self.data, &self.clusters, node, shown);
        let json = serde_json::to_string(&about).unwrap();
        assert!(!json.contains("NaN") && !json.contains("inf"), "{json}");
        about
    }
}

/// A stencil on 32 x 32 ranks, nodes of 16, some of them slow.
fn stencil(slow_nodes: &[u32], slow_ranks: &[u32]) -> Run {
    let options = HaloOptions {
        ranks: 1_024,
        iterations: 6,
        allreduce_every: 1,
        dimensions: Dimensions::Two,
        ..HaloOptions::default()
    };
    let machine = Machine {
        slow_nodes: slow_nodes.to_vec(),
        slow_ranks: slow_ranks.to_vec(),
        slow_factor: 3.0,
        ranks_per_node: 16,
        ..Machine::default()
    };
    Run::of(&halo(&options, &machine).unwrap(), &LogicalOptions::default(), Metric::Lateness, None)
}

/// The cluster of exactly these ranks, among those that a reader sees first.
fn cluster_of(run: &Run, ranks: &[u32]) -> ClusterAbout {
    let wanted: String = ranks.iter().copied().collect::<RankSet>().to_string();
    let found = run.natural();
    let sizes: Vec<(u32, String)> = found.iter().map(|about| (about.size, about.members.clone())).collect();
    found.into_iter().find(|about| about.ranks.as_ref() == Some(&wanted)).unwrap_or_else(|| panic!("{sizes:?}"))
}

#[test]
fn a_slow_node_is_named_with_what_it_does() {
    let run = stencil(&[5], &[]);
    let about = cluster_of(&run, &(80..96).collect::<Vec<_>>());
    assert_eq!((about.who.kind, about.who.text.as_str()), (WhoKind::Place, "all 16 ranks of node 5"));
    assert_eq!((about.size, about.of, about.members.as_str()), (16, 1_024, "80–95"));
    assert_eq!(about.roles.text, "16 send and receive");
    let stretch = about.apart.stretch.as_ref().unwrap();
    assert!(stretch.mean.value > 5.0 * stretch.rest_mean.value && stretch.share >= 0.8, "{stretch:?}");
    // Three times a millisecond in each of the five rounds whose steps these are.
    let Some(Mostly::Before { name, ns, rest_ns, .. }) = &about.apart.mostly else { panic!("{:?}", about.apart) };
    assert_eq!(name, "compute");
    assert!((13_500_000..16_500_000).contains(ns) && (4_500_000..5_500_000).contains(rest_ns), "{ns} {rest_ns}");
    let largest = about.apart.largest.as_ref().unwrap();
    assert!((80..96).contains(&largest.rank) && largest.step < 18, "{largest:?}");
    let medoid = about.medoid.as_ref().unwrap();
    assert!((80..96).contains(&medoid.rank));
    assert!(medoid.spread.as_ref().unwrap().value < 0.3 * medoid.next.as_ref().unwrap().value, "{medoid:?}");
    assert_eq!(about.sentences[0], "All 16 ranks of node 5.");
    assert!(
        about.sentences.iter().any(|text| text.starts_with("At its first event each was late by 1.8")),
        "{about:?}"
    );
    // Those that wait for it: neighbours on the grid, in the call that waits.
    let waiting = run.natural().into_iter().find(|about| about.size == 34).unwrap();
    assert!(matches!(&waiting.apart.mostly, Some(Mostly::In { name, .. }) if name == "MPI_Waitall"), "{waiting:?}");
    let from = waiting.receives_from.as_ref().unwrap();
    assert_eq!((from.node, from.missing, from.besides), (about.node, 0, 0));
    assert_eq!(from.text, "the ranks that receive messages from all 16 ranks of node 5");
    assert_eq!(about.receives_from, None);
    // The others, as a picture of small multiples has them.
    assert_eq!(about.courses.len(), 3);
    assert_eq!((about.courses[0].node, about.courses[0].size), (about.node, 16));
}

#[test]
fn planted_ranks_get_their_names() {
    let column: Vec<u32> = (0..32).map(|row| 32 * row + 7).collect();
    let run = stencil(&[], &column);
    assert_eq!(cluster_of(&run, &column).who.text, "column 7 of the 32 × 32 process grid");
    let beside: Vec<u32> = (0..1_024).filter(|rank| [6, 8].contains(&(rank % 32))).collect();
    assert_eq!(cluster_of(&run, &beside).who.text, "columns 6 and 8 of the 32 × 32 process grid");
    let rest = run.natural().into_iter().find(|about| about.size == 928).unwrap();
    assert_eq!(rest.who.text, "all ranks except columns 6–8 of the 32 × 32 process grid");
    for (planted, kind, text) in [
        ((0..1_024).filter(|rank| rank % 96 == 41).collect(), WhoKind::Residue, "one in 96 ranks: 41, 137, 233 …"),
        ((205..=231).collect::<Vec<u32>>(), WhoKind::Ranges, "ranks 205–231"),
        (vec![300], WhoKind::Single, "rank 300"),
        ((320..352).chain(640..672).collect(), WhoKind::Grid, "rows 10 and 20 of the 32 × 32 process grid"),
    ] {
        let found = cluster_of(&stencil(&[], &planted), &planted);
        assert_eq!((found.who.kind, found.who.text.as_str()), (kind, text));
        assert_eq!((found.who.missing, found.who.besides), (0, 0));
    }
}

#[test]
fn slow_ranks_drawn_by_chance_get_no_name() {
    let mut drawn: Vec<u32> = (1..=30u32).map(|at| at.wrapping_mul(2_654_435_761) >> 22).collect();
    drawn.sort_unstable();
    drawn.dedup();
    let found = cluster_of(&stencil(&[], &drawn), &drawn);
    assert_eq!((found.who.kind, found.who.text.as_str()), (WhoKind::None, "no pattern in the ranks"));
    assert!(found.sentences[0].ends_with("of 1,024 ranks, with no pattern in their numbers."), "{:?}", found.sentences);
    assert!(matches!(&found.apart.mostly, Some(Mostly::Before { name, .. }) if name == "compute"), "{:?}", found.apart);
    assert_eq!(found.receives_from, None);
}

/// A ring some of whose ranks, which have no other pattern, also meet among themselves.
struct Team(Vec<u32>);

impl Program for Team {
    fn info(&self) -> ProgramInfo {
        ProgramInfo { name: "team", ranks: 256, regions: &["compute"] }
    }
    fn communicators(&self) -> Vec<(String, Vec<u32>)> {
        let strangers = (0..256).filter(|rank| rank % 11 == 3).collect();
        vec![("strangers".to_owned(), strangers), ("team".to_owned(), self.0.clone())]
    }
    fn stages(&self, _rank: u32) -> u32 {
        5
    }
    fn stage(&self, rank: u32, _stage: u32, ops: &mut Ops) {
        let meet = |kind| Collective { kind, algorithm: Algorithm::Synchronising, root: 0, bytes: 8 };
        ops.compute(Own(0), 1_000_000);
        ops.irecv((rank + 255) % 256, 0, 800, Comm::WORLD);
        ops.isend((rank + 1) % 256, 0, 800, Comm::WORLD);
        ops.waitall();
        if self.0.contains(&rank) {
            ops.collective(meet(CollectiveKind::Barrier), Comm(2));
        }
        ops.collective(meet(CollectiveKind::Allreduce), Comm::WORLD);
    }
}

/// Everyone computes and sends to the next, without waiting for anybody before the end; some take longer.
struct Planted {
    ranks: u32,
    /// Ranges of ranks, and how many milliseconds more each of their stages takes.
    groups: [(Range<u32>, u64); 3],
}

const SENDS: u32 = 12;

impl Program for Planted {
    fn info(&self) -> ProgramInfo {
        ProgramInfo { name: "planted", ranks: self.ranks, regions: &["compute"] }
    }
    fn stages(&self, _rank: u32) -> u32 {
        SENDS + 2
    }
    fn stage(&self, rank: u32, stage: u32, ops: &mut Ops) {
        let more = self.groups.iter().find(|(group, _)| group.contains(&rank)).map_or(0, |(_, more)| *more);
        match stage {
            0 => (0..SENDS).for_each(|tag| ops.irecv((rank + self.ranks - 1) % self.ranks, tag, 8, Comm::WORLD)),
            stage if stage <= SENDS => {
                ops.compute(Own(0), (1 + more) * 1_000_000);
                ops.send((rank + 1) % self.ranks, stage - 1, 8, Comm::WORLD);
            }
            _ => ops.waitall(),
        }
    }
}

#[test]
fn planted_groups_are_found_exactly_and_named_with_noise_on_every_event() {
    for ranks in [1_024, 16_384] {
        for seed in 0..5 {
            let groups = [(777..778, 4), (100..130, 2), (300..600, 1)];
            let machine = Machine { seed, noise: 0.1, ..Machine::default() };
            let trace = simulate(Planted { ranks, groups: groups.clone() }, &machine).unwrap();
            // The wait at the end is that for a neighbour, not one's own.
            let run = Run::of(&trace, &LogicalOptions::default(), Metric::Lateness, Some(Scope::Steps(0..SENDS)));
            assert_eq!(run.natural().len(), 4, "{ranks} ranks, seed {seed}");
            let names = groups.map(|(group, _)| cluster_of(&run, &group.collect::<Vec<_>>()).who.text);
            assert_eq!(names, ["rank 777", "ranks 100–129", "ranks 300–599"], "{ranks} ranks, seed {seed}");
        }
    }
}

#[test]
fn members_of_a_communicator_are_named_by_it() {
    let mut team: Vec<u32> = (1..=24u32).map(|at| at.wrapping_mul(2_654_435_761) >> 24).collect();
    team.sort_unstable();
    team.dedup();
    let machine = Machine { slow_ranks: team.clone(), slow_factor: 3.0, ..Machine::default() };
    let trace = simulate(Team(team.clone()), &machine).unwrap();
    let run = Run::of(&trace, &LogicalOptions::default(), Metric::Lateness, None);
    let found = cluster_of(&run, &team);
    let text = format!("the {} members of team", team.len());
    assert_eq!((found.who.kind, found.who.text), (WhoKind::Communicator, text));
}

#[test]
fn members_of_a_tree_are_leaves_and_gathers() {
    let options = MergeTreeOptions { ranks: 1_024, ..MergeTreeOptions::default() };
    let machine = Machine { slow_nodes: vec![5], slow_factor: 3.0, ranks_per_node: 64, ..Machine::default() };
    let simulation = simulate(MergeTree::new(&options).unwrap(), &machine).unwrap();
    let logical = LogicalOptions { leap_merge: true, ..LogicalOptions::default() };
    let run = Run::of(&simulation, &logical, Metric::Lateness, None);
    let root = run.clusters.tree().root().unwrap();
    let [first, second] = run.clusters.tree().merge(root).unwrap().children;
    let slow = [first, second].into_iter().find(|node| run.clusters.size(*node) == 64).unwrap();
    let about = run.about(slow, &[first, second]);
    assert_eq!(about.who.text, "all 64 ranks of node 5");
    assert_eq!(about.roles.text, "56 leaves, 8 gathers");
    // A joint says how far its members are from the rank that stands for all of it.
    assert!(about.medoid.as_ref().unwrap().spread.is_some());
    let all = run.about(root, &[]);
    assert_eq!((all.who.text.as_str(), all.roles.text.as_str()), ("all 1,024 ranks", "896 leaves, 128 gathers"));
    assert!(all.apart.rest_mean.is_none() && all.apart.stretch.is_none());
    assert!(all.medoid.is_some_and(|medoid| medoid.next.is_none()));
}

#[test]
fn courses_are_means_of_all_events_and_bounded() {
    let options = HaloOptions { ranks: 16, iterations: 150, ..HaloOptions::default() };
    let run =
        Run::of(&halo(&options, &Machine::default()).unwrap(), &LogicalOptions::default(), Metric::Lateness, None);
    let root = run.clusters.tree().root().unwrap();
    let about = run.about(root, &[]);
    let (logical, values) = (&run.data.logical, &run.data.values);
    let (steps, points) = (about.course_steps, &about.courses[0].points);
    assert_eq!((steps.first, u64::from(steps.last) + 1), (0, logical.steps.len()));
    assert!(points.len() <= 200 && points.len() as u64 * u64::from(steps.each) >= logical.steps.len());
    for (at, point) in (0..).zip(points) {
        let of_point = |event: &u64| logical.events.step.get(*event) / steps.each == at;
        let found: Vec<f64> =
            (0..logical.events.len()).filter(of_point).map(|event| values.value(logical, event)).collect();
        let mean = found.iter().sum::<f64>() / found.len() as f64;
        assert!((point.unwrap() - mean).abs() <= 1e-6 * mean.max(1.0), "point {at}");
    }
}

/// A trace with a counter that nobody reads.
struct Uncounted {
    inner: Simulation,
    definitions: Definitions,
}

impl Source for Uncounted {
    fn format(&self) -> &'static str {
        self.inner.format()
    }
    fn definitions(&self) -> &Definitions {
        &self.definitions
    }
    fn parts(&self) -> &[Part] {
        self.inner.parts()
    }
    fn read(&self, part: &Part, out: &mut RecordBlock) -> Result<(), SourceError> {
        self.inner.read(part, out)
    }
    fn warnings(&self) -> &Warnings {
        self.inner.warnings()
    }
}

#[test]
fn a_counter_without_values_is_a_sentence() {
    let inner = halo(&HaloOptions { ranks: 64, iterations: 3, ..HaloOptions::default() }, &Machine::default()).unwrap();
    let counter = MetricDefinition { name: "misses".to_owned(), unit: "#".to_owned(), mode: MetricMode::Accumulated };
    let definitions = Definitions { metrics: vec![counter], ..inner.definitions().clone() };
    let source = Uncounted { inner, definitions };
    let run = Run::of(&source, &LogicalOptions::default(), Metric::Counter(MetricId(0)), None);
    let shown: Vec<u32> = (0..run.clusters.tree().nodes()).collect();
    let abouts: Vec<ClusterAbout> = shown.iter().map(|node| run.about(*node, &shown)).collect();
    assert!(!abouts.is_empty());
    for about in &abouts {
        assert!(about.apart.mean.is_none() && about.apart.largest.is_none() && about.apart.stretch.is_none());
        assert_eq!(about.sentences[1], "No value of misses is known for it.");
        let medoid = about.medoid.as_ref().unwrap();
        assert!(medoid.spread.is_none() && medoid.next.is_none());
        assert!(about.courses.iter().all(|course| course.points.iter().all(Option::is_none)));
    }
    // Nor is the picture a blank one.
    let options =
        [("metric", "counter:misses"), ("scope", "run")].map(|(name, text)| (name.to_owned(), text.to_owned()));
    let request = ViewRequest { options: Given::by_program(options), ..common::request(Window::default()) };
    let open = |need: &Need, _| -> Result<_, OptionError> { Ok(need.open(&run.store, [], &NoProgress).ok()) };
    let scene = View::Clusters.scene(Trace::prepare(&run.store, View::Clusters, &request, open).unwrap(), &request);
    let says = |text: &str| scene.labels.iter().any(|label| label.text == text);
    assert!(says("misses is not known for any event of the whole run."), "{:?}", scene.labels);
    let apart = abouts.iter().filter(|about| Some(about.node) != run.clusters.tree().root());
    for about in apart {
        let last = about.sentences.last().unwrap();
        assert!(last.starts_with("It cannot be compared with the next cluster"), "{last}");
    }
}

#[test]
fn one_rank_and_no_events_are_sentences() {
    let options = HaloOptions { ranks: 1, iterations: 3, allreduce_every: 1, ..HaloOptions::default() };
    let trace = halo(&options, &Machine::default()).unwrap();
    let run = Run::of(&trace, &LogicalOptions::default(), Metric::Lateness, None);
    let about = run.about(0, &[0]);
    assert_eq!((about.size, about.who.text.as_str(), about.members.as_str()), (1, "rank 0", "0"));
    assert_eq!(about.sentences[0], "Rank 0.");
    assert_eq!(about.roles.only_collectives, 1);
    let empty = Run::of(&trace, &LogicalOptions::default(), Metric::Lateness, Some(Scope::Phase(9_999)));
    let about = empty.about(0, &[0, 7]);
    assert_eq!((about.size, about.of, about.sentences.len()), (0, 0, 1));
    assert_eq!(about.sentences[0], "No rank of this cluster has an event here.");
    assert!(about.medoid.is_none() && about.ranks.is_none());
    // A node that there is none of.
    assert_eq!(run.about(77, &[]).size, 0);
}
