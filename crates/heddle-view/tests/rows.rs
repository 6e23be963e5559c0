//! Rows in other orders, and folded: each rank has its row, picks name what is drawn there, and what is selected is framed
//! on the row that stands for it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a helper that fails is a test that fails")]

mod common;

use std::collections::BTreeSet;

use common::request;
use heddle_model::Ns;
use heddle_options::{Given, OptionError};
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::{NoProgress, Store, StoreError, store_simulation};
use heddle_view::{
    ColourBook, Colours, Emphasis, Extent, Framing, Layer, Need, Scene, Selection, Size, Theme, Trace, Urgency, View,
    ViewRequest, Window, arrange, details, find, row_needs, search, shown_clusters,
};

const RANKS: u32 = 64;
const SLOW: u32 = 21;
const VIEWS: [View; 2] = [View::Timeline, View::Logical];

struct Run {
    _directory: tempfile::TempDir,
    store: Store,
}

impl Run {
    /// A stencil code one of whose ranks is slow, on nodes of sixteen.
    fn new() -> Run {
        let options = HaloOptions { ranks: RANKS, iterations: 6, allreduce_every: 3, ..HaloOptions::default() };
        let machine = Machine { slow_ranks: vec![SLOW], slow_factor: 3.0, ranks_per_node: 16, ..Machine::default() };
        let directory = tempfile::tempdir().unwrap();
        let source = halo(&options, &machine).unwrap();
        let store = store_simulation(&source, "run", &directory.path().join("x.heddle"), 1 << 28, &NoProgress).unwrap();
        Run { _directory: directory, store }
    }

    fn get(&self, need: &Need) -> Result<Option<heddle_view::Analysis>, Failed> {
        need.open(&self.store, [], &NoProgress).map(Some).map_err(Failed::Store)
    }

    fn trace(&self, view: View, request: &ViewRequest) -> Trace<'_> {
        Trace::prepare(&self.store, view, request, |need, urgency| match urgency {
            Urgency::Required => self.get(need),
            Urgency::Welcome | Urgency::Useful => Ok(None),
        })
        .unwrap()
    }

    fn scene(&self, view: View, request: &ViewRequest) -> Scene {
        view.scene(self.trace(view, request), request)
    }

    /// The window that questions are asked with.
    fn window(&self, options: &str) -> Window {
        let options = given(options);
        let needs = row_needs(&self.store, &options).unwrap();
        let trace = Trace::with(&self.store, needs, |need, _| self.get(need)).unwrap();
        arrange(&trace, Window::default(), &options)
    }

    /// The shown clusters from above: their ranks and medoids.
    fn clusters(&self) -> Vec<(Vec<u32>, u32)> {
        let trace = self.trace(View::Clusters, &asked(""));
        let (data, clusters) = (trace.logical.unwrap(), trace.clusters.unwrap());
        let of = |node: u32| (clusters.rows_of(node), clusters.medoid(&data.logical, &data.values, node).unwrap());
        // In a simulation rows of logical time are ranks.
        shown_clusters(&clusters, &Given::default()).into_iter().map(of).collect()
    }
}

#[derive(Debug)]
enum Failed {
    Store(#[expect(dead_code, reason = "printed when a test fails")] StoreError),
    Option(#[expect(dead_code, reason = "printed when a test fails")] OptionError),
}

impl From<OptionError> for Failed {
    fn from(error: OptionError) -> Failed {
        Failed::Option(error)
    }
}

fn given(options: &str) -> Given {
    let pairs = options.split('&').filter_map(|pair| pair.split_once('='));
    Given::by_program(pairs.map(|(name, text)| (name.to_owned(), text.to_owned())))
}

/// A picture in which every row has a label.
fn asked(options: &str) -> ViewRequest {
    let size = Size { width: 1_000, height: 64 * 24 };
    ViewRequest { options: given(options), framing: Framing::Pane, size, ..request(Window::default()) }
}

fn selecting(selected: Selection, options: &str) -> ViewRequest {
    ViewRequest { emphasis: Emphasis { selected: Some(selected), ..Emphasis::default() }, ..asked(options) }
}

/// Labels of rows from above, and the y of their middles.
fn labels(scene: &Scene) -> Vec<(String, f32)> {
    scene.y_axis.ticks.iter().map(|tick| (tick.label.clone(), tick.at)).collect()
}

fn ranks(scene: &Scene) -> Vec<u32> {
    labels(scene).iter().map(|(label, _)| label.parse().unwrap()).collect()
}

#[test]
fn every_order_holds_each_rank_once() {
    let run = Run::new();
    let clusters = run.clusters();
    let by_cluster: Vec<u32> = clusters.iter().flat_map(|(ranks, _)| ranks.clone()).collect();
    for view in VIEWS {
        let in_order = |order: &str| ranks(&run.scene(view, &asked(order)));
        let all: Vec<u32> = (0..RANKS).collect();
        assert_eq!(in_order(""), all);
        assert_eq!(in_order("order=node"), all, "nodes have neighbouring ranks");
        assert_eq!(in_order("order=cluster"), by_cluster);
        assert_ne!(by_cluster, all, "the slow rank is in a cluster of its own");
        let late = in_order("order=lateness");
        assert_eq!(late[0], SLOW);
        assert_eq!(late.iter().copied().collect::<BTreeSet<_>>(), all.iter().copied().collect());
    }
}

#[test]
fn folded_rows_are_medoids_and_say_whom_they_stand_for() {
    let run = Run::new();
    let clusters = run.clusters();
    let expected: Vec<String> = clusters
        .iter()
        .map(|(ranks, medoid)| match ranks.len() {
            1 => format!("rank {medoid}"),
            many => format!("{many} ranks · {medoid}"),
        })
        .collect();
    for view in VIEWS {
        let scene = run.scene(view, &asked("fold=cluster"));
        assert_eq!(labels(&scene).into_iter().map(|(label, _)| label).collect::<Vec<_>>(), expected);
        let note =
            format!("Each row shows the rank that stands for its cluster: {} rows for {RANKS} ranks.", clusters.len());
        assert!(scene.notes.contains(&note), "{:?}", scene.notes);
        let nodes = run.scene(view, &asked("fold=node"));
        let named: Vec<String> = labels(&nodes).into_iter().map(|(label, _)| label).collect();
        assert_eq!(named, ["node 0 · 0", "node 1 · 16", "node 2 · 32", "node 3 · 48"]);
        // The latest node first.
        let late = run.scene(view, &asked("fold=node&order=lateness"));
        assert_eq!(labels(&late)[0].0, "node 1 · 16");
    }
}

#[test]
fn a_filter_leaves_its_ranks_in_their_rows() {
    let run = Run::new();
    let only = |options: &str| {
        let window = Window { ranks: Some("16-31".parse().unwrap()), ..Window::default() };
        run.scene(View::Timeline, &ViewRequest { window, ..asked(options) })
    };
    let by_cluster: BTreeSet<u32> = ranks(&only("order=cluster")).into_iter().collect();
    assert_eq!(by_cluster, (16..32).collect());
    assert_eq!(labels(&only("fold=node"))[0].0, "node 1 · 16");
    let folded = only("fold=cluster");
    assert!(folded.notes[0].ends_with("for 16 ranks."), "{:?}", folded.notes);
}

#[test]
fn picks_name_the_rank_that_is_drawn_there() {
    let run = Run::new();
    for (view, options) in VIEWS.iter().flat_map(|view| ["order=cluster", "order=lateness"].map(|by| (*view, by))) {
        let request = asked(options);
        let trace = run.trace(view, &request);
        let scene = view.scene(trace.clone(), &request);
        for (label, y) in labels(&scene).iter().step_by(5) {
            let mut across = (0..200).map(|at| scene.plot.x + scene.plot.width * at as f32 / 200.0);
            let picked = across.find_map(|x| view.pick(trace.clone(), &request, (x, *y))).unwrap();
            let said = picked.lines.iter().any(|line| line.starts_with(&format!("rank {label} ")));
            assert!(said, "{options}: {label}: {:?}", picked.lines);
        }
    }
}

/// The middle of the frame that a selection adds to a picture.
fn framed(run: &Run, view: View, selected: Selection, options: &str) -> f32 {
    let scene = run.scene(view, &selecting(selected, options));
    let Some(Layer::Rects(marks)) = scene.layers.last() else { unreachable!("a selection adds a frame") };
    let top = marks.iter().map(|mark| mark.rect.y).fold(f32::MAX, f32::min);
    let bottom = marks.iter().map(|mark| mark.rect.y + mark.rect.height).fold(f32::MIN, f32::max);
    f32::midpoint(top, bottom)
}

#[test]
fn what_is_selected_is_framed_on_its_row() {
    let run = Run::new();
    let (ranks, medoid) = run.clusters().into_iter().find(|(ranks, _)| ranks.len() > 1).unwrap();
    let other = *ranks.iter().find(|rank| **rank != medoid).unwrap();
    for view in VIEWS {
        for rank in [SLOW, other] {
            let chosen = || Selection::Ranks([rank].into_iter().collect());
            let rows = labels(&run.scene(view, &asked("order=cluster")));
            let (_, y) = rows.iter().find(|(label, _)| *label == rank.to_string()).unwrap();
            assert!((framed(&run, view, chosen(), "order=cluster") - y).abs() < 2.0, "{rank}");
        }
        // A rank without a row of its own is in the row of its cluster, and so is an event of it.
        let rows = labels(&run.scene(view, &asked("fold=cluster&order=lateness")));
        let (_, y) = rows.iter().find(|(label, _)| *label == format!("{} ranks · {medoid}", ranks.len())).unwrap();
        for selected in [Selection::Ranks([other].into_iter().collect()), Selection::Event { rank: other, step: 2 }] {
            let at = framed(&run, view, selected.clone(), "fold=cluster&order=lateness&colour=metric");
            assert!((at - y).abs() < 2.0, "{selected}: {at} {y}");
        }
    }
}

#[test]
fn questions_name_the_rows_of_the_pictures() {
    let run = Run::new();
    for options in ["order=cluster", "order=lateness", "fold=cluster", "fold=node"] {
        let scene = run.scene(View::Timeline, &asked(options));
        let Extent::Rows(_, _, all) = scene.y_axis.extent else { unreachable!("it has rows") };
        let window = run.window(options);
        let own = |label: &str| label.rsplit([' ', '·']).next().unwrap().parse::<u32>().unwrap();
        let rows: Vec<u32> = labels(&scene).iter().map(|(label, _)| own(label)).collect();
        assert_eq!(rows.len(), all);
        let colours = Colours::of(&run.store, &ColourBook::default(), Theme::Light);
        for (row, rank) in rows.into_iter().enumerate() {
            let hit = search(&run.store, &window, &colours, &rank.to_string());
            assert!(hit.iter().any(|hit| hit.rows == Some((row, row + 1))), "{options}: {rank}: {hit:?}");
            let chosen = Selection::Ranks([rank].into_iter().collect());
            let known = details(&run.store, None, &window, &colours, &chosen).unwrap();
            assert_eq!(known.rows, Some(Some((row, row + 1))), "{options}: {rank}");
        }
        let region = heddle_view::regions_named(&run.store, "MPI_Waitall")[0];
        let found = find(&run.store, &window, region, Ns(0), heddle_view::Direction::Longest).unwrap();
        let known = details(&run.store, None, &window, &colours, &found.select).unwrap();
        assert_eq!(known.rows, Some(found.row.map(|row| (row, row + 1))), "{options}");
    }
}

#[test]
fn a_folded_matrix_adds_up_all_ranks() {
    let run = Run::new();
    let all = run.scene(View::Matrix, &asked(""));
    let messages = |scene: &Scene| scene.notes.iter().find(|note| note.contains("in all")).cloned().unwrap();
    for options in ["order=cluster", "fold=cluster", "fold=node"] {
        assert_eq!(messages(&run.scene(View::Matrix, &asked(options))), messages(&all), "{options}");
    }
}
