//! Pictures of clusters: rows as high as they are many, what they do at each step, focus ranks, and what lies under the
//! pointer.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a helper that fails is a test that fails")]

mod common;

use common::request;
use heddle_logical::cluster::Scope;
use heddle_model::Source;
use heddle_options::Given;
use heddle_simulate::{HaloOptions, Machine, MergeTree, MergeTreeOptions, Pf3d, Pf3dOptions, halo, simulate};
use heddle_store::{NoProgress, Store, StoreError, store_simulation};
use heddle_view::{
    Analysis, ClusterData, ColourId, Emphasis, Extent, Framing, Layer, RectMark, Scene, Selection, Trace, View,
    ViewRequest, Window, cluster_details,
};

struct Run {
    _directory: tempfile::TempDir,
    store: Store,
}

impl Run {
    fn of(source: &dyn Source) -> Run {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.heddle");
        let store = store_simulation(source, "run", &path, 1 << 28, &NoProgress).unwrap();
        Run { _directory: directory, store }
    }

    /// A stencil code one of whose ranks is slow.
    fn halo(ranks: u32) -> Run {
        let options = HaloOptions { ranks, iterations: 6, allreduce_every: 3, ..HaloOptions::default() };
        let machine = Machine { slow_ranks: vec![ranks / 3], slow_factor: 3.0, ..Machine::default() };
        Run::of(&halo(&options, &machine).unwrap())
    }

    fn tree(ranks: u32) -> Run {
        let options = MergeTreeOptions { ranks, ..MergeTreeOptions::default() };
        Run::of(&simulate(MergeTree::new(&options).unwrap(), &Machine::default()).unwrap())
    }

    fn trace(&self, request: &ViewRequest) -> Trace<'_> {
        let get =
            |need: &heddle_view::Need, _| need.open(&self.store, [], &NoProgress).map(Some).map_err(Failed::Store);
        Trace::prepare(&self.store, View::Clusters, request, get).unwrap()
    }

    fn scene(&self, request: &ViewRequest) -> Scene {
        View::Clusters.scene(self.trace(request), request)
    }

    fn clusters(&self, options: &str) -> ClusterData {
        let kind = heddle_view::AnalysisKind::Clusters;
        let need = kind.need(&self.store, &given(options)).unwrap();
        let Analysis::Clusters(data) = need.open(&self.store, [], &NoProgress).unwrap() else {
            unreachable!("clusters were asked for")
        };
        data
    }
}

#[derive(Debug)]
enum Failed {
    Store(#[expect(dead_code, reason = "printed when a test fails")] StoreError),
    Option(#[expect(dead_code, reason = "printed when a test fails")] heddle_options::OptionError),
}

impl From<heddle_options::OptionError> for Failed {
    fn from(error: heddle_options::OptionError) -> Failed {
        Failed::Option(error)
    }
}

fn given(options: &str) -> Given {
    let pairs = options.split('&').filter_map(|pair| pair.split_once('='));
    Given::by_program(pairs.map(|(name, text)| (name.to_owned(), text.to_owned())))
}

fn asked(options: &str) -> ViewRequest {
    ViewRequest { options: given(options), framing: Framing::Pane, ..request(Window::default()) }
}

fn labels(scene: &Scene) -> Vec<&str> {
    scene.labels.iter().map(|label| label.text.as_str()).collect()
}

/// The number before a word in a list of labels: the ranks that rows say that they have.
fn ranks_in_rows(scene: &Scene) -> u64 {
    let number = |text: &str| text.replace(',', "").parse::<u64>().unwrap();
    labels(scene)
        .iter()
        .map(|text| match (text.strip_suffix(" ranks"), text.strip_prefix("rank ")) {
            (Some(many), _) => number(many),
            (None, Some(_)) => 1,
            (None, None) => 0,
        })
        .sum()
}

#[test]
fn rows_stand_for_all_ranks_however_many_are_open() {
    let run = Run::halo(64);
    let data = run.clusters("");
    let tree = data.clusters.tree();
    let joints: Vec<String> = (tree.leaves()..tree.nodes()).map(|node| node.to_string()).collect();
    for open in ["", "open=none", &format!("open={}", joints.join(","))] {
        let mut request = asked(open);
        request.size.height = 1_400;
        let scene = run.scene(&request);
        assert_eq!(ranks_in_rows(&scene), 64, "{open}: {:?}", labels(&scene));
        assert!(scene.notes[0].contains("64 ranks"), "{:?}", scene.notes);
    }
    let closed = run.scene(&asked("open=none"));
    assert!(labels(&closed).contains(&"64 ranks"), "{:?}", labels(&closed));
}

/// What a picture says last.
fn focused_note(run: &Run, options: &str) -> String {
    run.scene(&asked(options)).notes.pop().unwrap()
}

#[test]
fn the_rank_with_the_largest_value_is_in_focus_with_its_neighbours() {
    let run = Run::halo(64);
    let scene = run.scene(&asked(""));
    assert_eq!(labels(&scene).iter().filter(|text| **text == "largest").count(), 1);
    let note = scene.notes.iter().find(|note| note.starts_with("Focus")).unwrap();
    assert!(note.contains("rank 21") && note.contains("4 around it"), "{note}");
    let focused =
        |options: &str| run.scene(&asked(options)).notes.into_iter().find(|note| note.starts_with("Focus")).unwrap();
    assert!(!focused("radius=0").contains("around it"), "{}", focused("radius=0"));
    assert!(focused("focus=5").contains("rank 5;"), "{}", focused("focus=5"));
    assert!(focused("focus=medoid").contains("stands for its cluster"), "{}", focused("focus=medoid"));
    assert_eq!(focused_note(&run, "focus=64"), "There is no rank 64 to focus on.");
    // Twelve ranks are within two messages of one in a grid, besides itself.
    assert!(focused("radius=2").contains("12 around it"), "{}", focused("radius=2"));
}

#[test]
fn a_click_opens_a_joint_and_selects_a_row() {
    let run = Run::halo(64);
    let request = asked("open=none");
    let trace = run.trace(&request);
    let scene = View::Clusters.scene(trace.clone(), &request);
    let row = scene.labels.iter().find(|label| label.text == "64 ranks").unwrap();
    let root = run.clusters("").clusters.tree().root().unwrap();
    let across =
        (0..scene.plot.x as u32).map(|x| View::Clusters.pick(trace.clone(), &request, (x as f32, row.at.1 - 4.0)));
    let picked: Vec<_> = across.flatten().collect();
    assert!(picked.iter().any(|picked| picked.toggles == Some(root)), "the knob");
    assert!(picked.iter().any(|picked| picked.toggles.is_none() && picked.select == Some(Selection::Cluster(root))));
    let inside = (scene.plot.x + scene.plot.width * 0.4, row.at.1);
    let cell = View::Clusters.pick(trace, &request, inside).unwrap();
    assert_eq!(cell.select, Some(Selection::Cluster(root)));
    assert!(cell.lines.iter().any(|line| line.starts_with("step ")), "{:?}", cell.lines);
}

#[test]
fn what_members_do_adds_up_to_the_events_of_the_scope() {
    let run = Run::tree(64);
    for options in ["scope=run", "scope=steps:3:12", "scope=phase:2", "scope=phase:99999"] {
        let data = run.clusters(options);
        let (clusters, logical) = (&data.clusters, &data.logical.logical);
        let mut events = 0;
        for row in 0..logical.rows.len() as u32 {
            let of_row = clusters.scope().events_of(logical, row);
            events += of_row.end - of_row.start;
            assert_eq!(clusters.leaf_of(row).is_some(), !of_row.is_empty(), "{options}, row {row}");
        }
        let mut counted = 0;
        if let Some(root) = clusters.tree().root() {
            clusters.for_each_total(root, 0..u32::MAX, |_, total| counted += u64::from(total.active()));
        }
        assert_eq!(counted, events, "{options}");
        assert_eq!(clusters.scope().events(logical), events, "{options}");
        let heights: Vec<f64> = clusters.tree().merges().iter().map(|merge| merge.height).collect();
        assert!(heights.is_sorted(), "{heights:?}");
    }
}

#[test]
fn a_cluster_of_many_places_is_not_hidden_behind_frames() {
    let run = Run::halo(256);
    // Every second rank: 128 frames would cover all rows.
    let ranks = (0..256).step_by(2).map(|rank| rank.to_string()).collect::<Vec<_>>().join(",");
    let emphasis = Emphasis { selected: Some(format!("ranks:{ranks}").parse().unwrap()), ..Emphasis::default() };
    let request = ViewRequest { emphasis, ..asked("") };
    let scene = View::Logical.scene(run.trace(&request), &request);
    let Some(Layer::Rects(marks)) = scene.layers.last() else { unreachable!("nothing is marked") };
    let opacity = |colour: ColourId| scene.palette[usize::from(colour.0)].3;
    let (veils, bars): (Vec<&RectMark>, Vec<&RectMark>) = marks.iter().partition(|mark| opacity(mark.colour) < 255);
    assert_eq!((veils.len(), bars.len()), (128, 128));
    assert!(bars.iter().all(|bar| bar.rect.width < 6.0), "bars cover nothing");
    let covered: f32 = veils.iter().map(|veil| veil.rect.height).sum();
    assert!((covered - scene.plot.height / 2.0).abs() < 2.0, "{covered}");
}

#[test]
fn exchanges_are_drawn_by_how_they_go() {
    let options =
        HaloOptions { ranks: 64, iterations: 6, allreduce_every: 3, periodic: false, ..HaloOptions::default() };
    let halo = Run::of(&halo(&options, &Machine::default()).unwrap());
    let logical = halo.clusters("").logical;
    let is_exchange = |phase: &u32| halo.clusters(&format!("scope=phase:{phase}")).clusters.pattern().is_some();
    let phase = (0..logical.logical.phases.len() as u32).find(is_exchange).unwrap();
    let scene = halo.scene(&asked(&format!("scope=phase:{phase}&open=none")));
    assert!(scene.notes[0].contains("Pattern: exchange"), "{:?}", scene.notes);
    // Between 2 neighbours in a corner and 4 inside: 36 × 4 + 24 × 3 + 4 × 2 messages in 64 waits.
    assert!(labels(&scene).contains(&"3.5"), "{:?}", labels(&scene));
    let without = halo.scene(&asked(&format!("scope=phase:{phase}&open=none&messages=0")));
    assert!(!labels(&without).contains(&"3.5"), "pies belong to the messages");
    // Sends and receives in turn: boxes of neighbouring steps are in two lanes.
    let options = Pf3dOptions { ranks: 512, ..Pf3dOptions::default() };
    let turns = Run::of(&simulate(Pf3d::new(&options).unwrap(), &Machine::default()).unwrap());
    let scene = turns.scene(&asked("open=none&aggregates=0"));
    assert!(scene.notes[0].contains("sends and receives in turn"), "{:?}", scene.notes);
    let heights = |marks: &[RectMark]| {
        let mut tops: Vec<i32> = marks.iter().map(|mark| mark.rect.y as i32).collect();
        tops.sort_unstable();
        tops.dedup();
        tops.len()
    };
    let is_laned = |layer: &Layer| matches!(layer, Layer::Rects(marks) if marks.len() >= 4 && heights(marks) == 2);
    assert!(scene.layers.iter().any(is_laned));
}

#[test]
fn the_usual_scope_is_a_phase_of_many_ranks_or_the_run() {
    let halo = Run::halo(64).clusters("");
    assert!(matches!(halo.clusters.scope(), Scope::Phase(_)), "{:?}", halo.clusters.scope());
    let tree = Run::tree(64).clusters("");
    assert!(tree.clusters.scope().is_run(&tree.logical.logical), "messages of a tree are phases of their own");
}

#[test]
fn nothing_to_show_is_said_and_nothing_is_not_a_number() {
    let run = Run::tree(8);
    let empty = run.scene(&asked("scope=phase:99999"));
    assert!(empty.labels.iter().any(|label| label.text.starts_with("No events here")), "{:?}", labels(&empty));
    let away =
        ViewRequest { window: Window { steps: Some((0.0, 1.0)), ..Window::default() }, ..asked("scope=steps:5:9") };
    let away = run.scene(&away);
    assert!(away.labels.iter().any(|label| label.text.contains("out of sight")), "{:?}", labels(&away));
    for (make, ranks, options) in
        [(Run::halo as fn(u32) -> Run, 1, ""), (Run::tree, 2, ""), (Run::halo, 4, "scope=run&aggregates=0&idle=0")]
    {
        let run = make(ranks);
        let scene = run.scene(&asked(options));
        assert!(matches!(scene.x_axis.extent, Extent::Steps(..)));
        for layer in &scene.layers {
            let is_finite = match layer {
                Layer::Rects(marks) => marks.iter().all(|mark| mark.rect.y.is_finite() && mark.rect.height.is_finite()),
                Layer::Segments(lines) => lines.iter().all(|line| line.to.1.is_finite() && line.width.is_finite()),
                _ => true,
            };
            assert!(is_finite, "{options}");
        }
        assert!(scene.notes.iter().all(|note| !note.contains("NaN") && !note.contains("inf")), "{:?}", scene.notes);
    }
}

#[test]
fn a_selected_cluster_is_framed_in_other_views_and_has_details() {
    let run = Run::halo(64);
    let data = run.clusters("");
    let tree = data.clusters.tree();
    let alone = (0..tree.leaves()).find(|leaf| data.clusters.size(*leaf) == 1).unwrap();
    let emphasis = Emphasis { selected: Some(Selection::Cluster(alone)), ..Emphasis::default() };
    let request = ViewRequest { emphasis, ..asked("") };
    let trace = run.trace(&request);
    let plain = View::Logical.scene(trace.clone(), &asked(""));
    let framed = View::Logical.scene(trace, &request);
    assert_eq!(framed.layers.len(), plain.layers.len() + 1, "{:?}", framed.notes);
    let details = cluster_details(&run.store, &data, alone, &[]).unwrap();
    assert!(details.title.contains("alone"), "{}", details.title);
    assert!(details.parent.is_some() && details.child.is_none());
    assert!(cluster_details(&run.store, &data, tree.nodes(), &[]).is_none());
    let emphasis = Emphasis { selected: Some(Selection::Cluster(9_999)), ..Emphasis::default() };
    let notes = run.scene(&ViewRequest { emphasis, ..asked("") }).notes;
    assert!(notes.iter().any(|note| note == "There is no cluster 9,999 here."), "{notes:?}");
    let root = cluster_details(&run.store, &data, tree.root().unwrap(), &[]).unwrap();
    assert!(root.facts.iter().any(|fact| fact.label == "Medoid"), "{:?}", root.facts);
}
