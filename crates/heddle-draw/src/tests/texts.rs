//! Text of whole figures: of every view, at several widths, nothing lies on anything else and nothing is cut by the edge.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::sync::Arc;

use heddle_logical::cluster::{ClusterOptions, Clusters};
use heddle_logical::{Logical, LogicalOptions, Metric, MetricValues};
use heddle_options::Given;
use heddle_simulate::{
    HaloOptions, Machine, MergeTree, MergeTreeOptions, Program, Scalapack, ScalapackOptions, Train, TrainOptions, halo,
    simulate,
};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_view::{
    Analysis, AnalysisKind, Anchor, Clustered, ColourId, Emphasis, Framing, Ink, Label, LogicalData, Rect, Rgba, Scene,
    Size, Steps, Theme, Trace, View, ViewRequest, Window,
};

use crate::furniture::{Text, lay_out};
use crate::sheet::Type;
use crate::{Figure, Format};

const INK: Ink =
    Ink { strong: ColourId(1), text: ColourId(2), faint: ColourId(3), line: ColourId(4), grid: ColourId(5) };

fn stores() -> Vec<(tempfile::TempDir, Store)> {
    let stored = |source: &dyn heddle_model::Source| {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.heddle");
        let store = store_simulation(source, "a trace with a name", &path, 1 << 28, &NoProgress).unwrap();
        (directory, store)
    };
    let machine = Machine::default();
    let programs: [Box<dyn Program>; 3] = [
        Box::new(Train::new(&TrainOptions { ranks: 8, ..TrainOptions::default() }).unwrap()),
        Box::new(MergeTree::new(&MergeTreeOptions { ranks: 1_024, ..MergeTreeOptions::default() }).unwrap()),
        Box::new(Scalapack::new(&ScalapackOptions { ranks: 16, ..ScalapackOptions::default() }).unwrap()),
    ];
    let halo = halo(&HaloOptions { ranks: 4, iterations: 20, ..HaloOptions::default() }, &machine).unwrap();
    let mut all = vec![stored(&halo)];
    all.extend(programs.into_iter().map(|program| stored(&simulate(program, &machine).unwrap())));
    all
}

fn check(scene: &Scene, sizes: &Type, what: &str) {
    let texts = lay_out(scene, sizes).texts;
    let (width, height) = (scene.size.width as f32, scene.size.height as f32);
    for (at, text) in texts.iter().enumerate() {
        let area = text.area();
        let is_inside =
            area.left >= -0.5 && area.top >= -0.5 && area.right <= width + 0.5 && area.bottom <= height + 0.5;
        assert!(is_inside, "{what}: {:?} is cut by the edge: {area:?}", text.says);
        for other in &texts[at + 1..] {
            assert!(!area.meets(&other.area()), "{what}: {:?} lies on {:?}", text.says, other.says);
        }
    }
    // Ticks and names inside the plot may give way to others. What says what is shown may be shortened, but not vanish.
    let is_said = |what: &str| {
        let says = |text: &Text| {
            let says = text.says.strip_prefix("↑ ").unwrap_or(&text.says);
            says.strip_suffix('…').map_or(says == what, |begin| what.starts_with(begin))
        };
        what.is_empty() || texts.iter().any(says)
    };
    for (part, says) in [("title", &scene.title), ("x axis", &scene.x_axis.title), ("y axis", &scene.y_axis.title)] {
        assert!(is_said(says), "{what}: {part} {says:?} is left out");
    }
    let legend: Vec<&str> = scene.legend.iter().map(|entry| entry.name.as_str()).collect();
    let notes: Vec<&str> = scene.notes.iter().map(String::as_str).collect();
    for (part, all) in [("legend", legend), ("notes", notes)] {
        let unsaid: Vec<&str> = all.into_iter().filter(|says| !is_said(says)).collect();
        let more = unsaid.len().to_string();
        let is_counted = texts.iter().any(|text| text.says.contains(&more) && text.says.contains("more"));
        assert!(unsaid.is_empty() || is_counted, "{what}: {part}: {unsaid:?} are left out without a word");
    }
    // Axes are labelled with numbers, and half a number is wrong.
    let beside = |text: &&Text| text.anchor == Anchor::End && text.at.0 < scene.plot.x;
    let cut: Vec<&str> =
        texts.iter().filter(beside).map(|text| text.says.as_str()).filter(|says| says.ends_with('…')).collect();
    assert!(cut.is_empty(), "{what}: labels are cut short: {cut:?}");
    let labels = scene.x_axis.ticks.len().min(2);
    let said = scene.x_axis.ticks.iter().filter(|tick| texts.iter().any(|text| text.says == tick.label)).count();
    assert!(said >= labels, "{what}: the axis says nothing");
}

#[test]
fn no_text_of_a_figure_lies_on_another_or_is_cut() {
    for (_directory, store) in stores() {
        let logical = Logical::open(&store, &LogicalOptions::default(), &NoProgress).unwrap();
        let values = MetricValues::open(&store, &logical, Metric::Lateness, &NoProgress).unwrap();
        let data = LogicalData::new(Steps::from(logical), Arc::new(values));
        let options = ClusterOptions::default();
        let scope = options.scope.scope(&data.logical, &data.values);
        let clusters = Clusters::open(&data.logical, &data.values, &scope, &options, &NoProgress).unwrap();
        let clusters = Clustered::of(&store, &data.logical, clusters, &NoProgress).unwrap();
        let clusters = Some(Arc::new(clusters));
        let need = AnalysisKind::Network.need(&store, &Given::default()).unwrap();
        let Analysis::Network(network) = need.open(&store, [], &NoProgress).unwrap() else {
            panic!("a machine is a machine")
        };
        let sizes = [(700, 400), (1_000, 500), (1_600, 900)];
        let pictures = View::ALL.iter().flat_map(|view| sizes.map(|size| (*view, size)));
        for (view, size, theme) in
            pictures.flat_map(|(view, size)| [Theme::Light, Theme::Dark].map(|theme| (view, size, theme)))
        {
            let request = ViewRequest {
                window: Window::default(),
                emphasis: Emphasis::default(),
                theme,
                book: Arc::default(),
                framing: Framing::Figure,
                has_names: false,
                size: Size { width: size.0, height: size.1 },
                options: Given::default(),
            };
            let (logical, clusters, network) = (Some(data.clone()), clusters.clone(), Some(Arc::clone(&network)));
            let trace = Trace { logical, clusters, network, ..Trace::from(&store) };
            let what = format!("{} of {} ranks, {size:?}, {theme:?}", view.name(), store.summary().ranks);
            check(&view.scene(trace.clone(), &request), &Type::SCREEN, &what);
            if size.0 == 700 && theme == Theme::Light {
                let column = Given::by_hand([("width".to_owned(), "88mm".to_owned())]).read().unwrap();
                let make = |request: &ViewRequest| view.scene(trace.clone(), request);
                let figure = Figure::of(view, &request, &column, Format::Pdf, 1.0, make).unwrap();
                check(figure.scene(), &Type::PAPER, &format!("{what} on a column"));
            }
        }
    }
}

/// Whatever a view asks for: what is in the way of another text gives way, what reaches out of the picture is moved into it.
#[test]
fn texts_that_a_view_puts_on_each_other_or_over_the_edge_are_settled() {
    let size = Size { width: 700, height: 400 };
    let mut scene =
        Scene::empty(size, Rect { x: 60.0, y: 30.0, width: 500.0, height: 300.0 }, vec![Rgba::hex(0); 8], INK);
    let label = |text: &str, at: (f32, f32)| Label {
        at,
        text: text.to_owned(),
        size: 11.0,
        colour: ColourId(0),
        anchor: Anchor::Start,
    };
    scene.labels = vec![
        label("median", (200.0, 100.0)),
        label("p99", (205.0, 103.0)),
        label("beyond the edge", (690.0, 200.0)),
        label("above the edge", (300.0, 2.0)),
    ];
    check(&scene, &Type::SCREEN, "texts at unhappy places");
    let said = lay_out(&scene, &Type::SCREEN).texts;
    for label in &scene.labels {
        assert!(said.iter().any(|text| text.says == label.text), "{} is left out", label.text);
    }
}
