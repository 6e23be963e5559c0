//! A torus on a plane: what is drawn, what is said of the rest, what one picks, and what fades.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test that cannot go on should say so and stop

mod common;

use heddle_options::Given;
use heddle_simulate::{Machine, Pf3d, Pf3dOptions, Pf3dPart, simulate};
use heddle_store::{ImportOptions, NoProgress, Store, StorePlace, open_or_import, store_simulation};
use heddle_testkit::MadeRun;
use heddle_view::{
    Extent, Framing, Layer, Scene, SegmentMark, Size, Trace, View, ViewRequest, Window, about_network,
    compare_mappings, machine_details,
};

use common::request;

fn pf3d(ranks: u32) -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let options = Pf3dOptions { ranks, steps: 2, part: Pf3dPart::Fft, ..Pf3dOptions::default() };
    let simulation = simulate(Pf3d::new(&options).unwrap(), &Machine::default()).unwrap();
    let store = store_simulation(&simulation, "pf3d", &directory.path().join("x.heddle"), 1 << 28, &NoProgress);
    (directory, store.unwrap())
}

/// A measured run in which every link counted 500 packets, and one 271 million: more than it can carry.
fn planted() -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let run = MadeRun::torus(&[8, 8, 8]);
    let packets = |link: &heddle_testkit::MadeLink, _: i64| if link.id == 770 { 271_000_000 } else { 500 };
    let meta = run.write(directory.path(), "run", packets, |_, _| 1);
    let place = StorePlace::Under(directory.path().join("stores"));
    let options = ImportOptions { place, memory: 1 << 29, force: false };
    let store = open_or_import(&meta, &options, &NoProgress).unwrap().store;
    (directory, store)
}

fn with(options: &[(&str, &str)]) -> ViewRequest {
    let pairs = options.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let size = Size { width: 900, height: 800 };
    ViewRequest { options: Given::by_program(pairs), size, framing: Framing::Pane, ..request(Window::default()) }
}

fn selecting(mut request: ViewRequest, text: &str) -> ViewRequest {
    request.emphasis.selected = Some(text.parse().unwrap());
    request
}

fn trace<'a>(store: &'a Store, view: View, request: &ViewRequest) -> Trace<'a> {
    Trace::prepare(store, view, request, |need, _| -> Result<_, heddle_options::OptionError> {
        Ok(Some(need.open(store, [], &NoProgress).unwrap()))
    })
    .unwrap()
}

fn scene(store: &Store, request: &ViewRequest) -> Scene {
    View::Torus.scene(trace(store, View::Torus, request), request)
}

fn segments(scene: &Scene) -> Vec<SegmentMark> {
    let Layer::Segments(marks) = &scene.layers[0] else { panic!("links come first") };
    marks.clone()
}

/// A picture of which nobody said the machine.
fn unsaid(store: &Store) -> Scene {
    scene(store, &with(&[]))
}

const MACHINE: [(&str, &str); 3] = [("topology", "4x4x4"), ("ranks-per-node", "4"), ("mapping", "XYZT")];

fn machine(more: &[(&'static str, &'static str)]) -> ViewRequest {
    with(&[&MACHINE[..], more].concat())
}

#[test]
fn links_that_have_no_place_on_the_plane_are_counted_and_the_fullest_of_them_named() {
    let (_directory, store) = pf3d(256);
    let rings = scene(&store, &machine(&[]));
    // 48 diagonals, and half of the 96 links across and down; the wrapping ones twice, as stubs.
    assert_eq!(segments(&rings).len(), 48 + 64 + 2 * 48);
    assert!(
        rings.notes[0].starts_with("112 of 192 links drawn, 48 as stubs, 32 not shown (up to "),
        "{:?}",
        rings.notes
    );
    let across = scene(&store, &machine(&[("links", "horizontal"), ("stubs", "0")]));
    assert_eq!(segments(&across).len(), 48 + 48);
    let along_x = scene(&store, &machine(&[("along", "x"), ("diagonals", "0"), ("stubs", "0")]));
    assert_eq!(segments(&along_x).len(), 64);
    assert!(rings.notes.iter().any(|note| note.starts_with("Predicted, not measured")), "{:?}", rings.notes);
    let is_assumed = |scene: &Scene| scene.notes.iter().any(|note| note.contains("is assumed"));
    assert!(!is_assumed(&rings) && is_assumed(&unsaid(&store)), "what nobody said is said to be assumed");
}

#[test]
fn below_the_range_nothing_is_drawn_and_above_it_all_looks_alike() {
    let (_directory, store) = planted();
    let request = with(&[("stubs", "0")]);
    let all = segments(&scene(&store, &request)).len();
    let told = about_network(&trace(&store, View::Torus, &request), &request).unwrap();
    assert!(told.full.1 > 1e8, "the impossible count is in the range: {:?}", told.full);
    assert_eq!(told.top[0].links, 1);
    // One link is left when the lower end is raised.
    let raised = with(&[("stubs", "0"), ("loads", "1000:271000000"), ("links", "concentric")]);
    let left: usize = ["x", "y", "z"]
        .iter()
        .map(|along| {
            segments(&scene(&store, &with(&[("stubs", "0"), ("loads", "1000:271000000"), ("along", along)]))).len()
        })
        .max()
        .unwrap();
    assert_eq!(left, 1, "of {all}");
    // A lowered upper end gives everything above it one colour.
    let clamped = segments(&scene(&store, &with(&[("stubs", "0"), ("loads", "0:500")])));
    assert!(clamped.iter().all(|mark| mark.colour == clamped[0].colour));
    // And its name, its plane and the reason why nobody can be blamed for it are one click away.
    let select = told.top[0].select.to_string();
    let chosen = selecting(raised, &select);
    let details = machine_details(&trace(&store, View::Torus, &chosen), &chosen, &told.top[0].select).unwrap();
    let facts: Vec<String> = details.facts.iter().map(|fact| format!("{}: {}", fact.label, fact.text)).collect();
    assert!(facts.iter().any(|fact| fact == "Load: 271,000,000 packets, measured"), "{facts:?}");
    assert!(facts.iter().any(|fact| fact.starts_with("Made by: not known")), "{facts:?}");
}

#[test]
fn a_plane_is_picked_beside_the_plot_and_everything_else_fades() {
    let (_directory, store) = pf3d(256);
    let request = machine(&[]);
    let plain = scene(&store, &request);
    let at = plain.x_axis.ticks.iter().find(|tick| tick.label == "2").unwrap().at;
    let below = (at, plain.plot.y + plain.plot.height + 8.0);
    let picked = View::Torus.pick(trace(&store, View::Torus, &request), &request, below).unwrap();
    assert_eq!(picked.select.as_ref().unwrap().to_string(), "nodes:2,*,*");
    let chosen = scene(&store, &selecting(request, "nodes:2,*,*"));
    let opaque = |scene: &Scene| {
        let is_opaque = |mark: &SegmentMark| scene.palette[usize::from(mark.colour.0)].3 == 255;
        segments(scene).iter().filter(|mark| is_opaque(mark)).count()
    };
    assert_eq!(segments(&chosen).len(), segments(&plain).len(), "what is not selected fades, it does not vanish");
    assert!(opaque(&chosen) > 0 && opaque(&chosen) < opaque(&plain) / 3, "{} of {}", opaque(&chosen), opaque(&plain));
}

#[test]
fn a_link_leads_to_its_makers_and_a_phase_to_its_traffic() {
    let (_directory, store) = pf3d(256);
    let request = machine(&[]);
    let told = about_network(&trace(&store, View::Torus, &request), &request).unwrap();
    let link = told.top[0].select.clone();
    let request = selecting(request, &link.to_string());
    let details = machine_details(&trace(&store, View::Torus, &request), &request, &link).unwrap();
    let labels: Vec<&str> = details.facts.iter().map(|fact| fact.label).collect();
    for label in ["Load", "Section", "Senders", "Ranks", "Function", "Collective"] {
        assert!(labels.contains(&label), "{labels:?}");
    }
    assert!(details.facts.iter().any(|fact| fact.label == "Collective" && fact.target.is_some()), "it leads to a call");
    let of_phase = scene(&store, &selecting(machine(&[]), "phase:0"));
    assert!(of_phase.notes.contains(&"Only what phase 0 sends.".to_owned()), "{:?}", of_phase.notes);
}

#[test]
fn a_window_keeps_one_scale_and_says_what_it_is_of() {
    let (_directory, store) = pf3d(256);
    let whole = scene(&store, &machine(&[]));
    let Extent::Across(0, end, all) = whole.x_axis.extent else { panic!("{:?}", whole.x_axis.extent) };
    assert_eq!(end, all);
    let mut request = machine(&[]);
    request.window.across = Some((0, all / 2));
    request.window.down = Some((0, all / 2));
    let half = scene(&store, &request);
    let length = |mark: &SegmentMark| (mark.to.0 - mark.from.0).hypot(mark.to.1 - mark.from.1);
    let longest = |scene: &Scene| segments(scene).iter().map(length).fold(0.0, f32::max);
    assert!((longest(&half) / longest(&whole) - 2.0).abs() < 0.05, "{} {}", longest(&half), longest(&whole));
}

#[test]
fn mappings_are_compared_by_the_same_figures_and_what_does_not_fit_says_so() {
    let (_directory, store) = pf3d(2_048);
    let request = with(&[("topology", "8x8x8"), ("ranks-per-node", "4"), ("sections", "0,1")]);
    let trace = trace(&store, View::Mappings, &request);
    let names = ["TXYZ", "XYZT", "tiltZ", "tile:3x3x3"].map(str::to_owned);
    let rows = compare_mappings(&trace, &request, &names);
    let near = |value: f64, expected: f64| (value - expected).abs() < 6e-4;
    assert!(near(rows[0].cv, 0.9943) && near(rows[0].idle, 0.4167), "{:?}", rows[0]);
    assert!(near(rows[1].gini, 0.3) && near(rows[1].idle, 0.1667), "{:?}", rows[1]);
    assert!(rows[2].cv < rows[1].cv && rows[2].max < rows[0].max);
    assert!(rows[3].error.as_ref().unwrap().contains("does not fill"), "{:?}", rows[3].error);
    let scene = View::Mappings.scene(trace, &request);
    assert!(scene.labels.iter().any(|label| label.text == "41.7 %"), "figures stand beside the maps");
}

#[test]
fn large_and_many_dimensional_machines_are_shown_slice_by_slice() {
    let (_directory, store) = pf3d(256);
    let request = with(&[("topology", "6x5x4x3x2"), ("pattern", "message:0:200"), ("mapping", "block")]);
    let scene = scene(&store, &request);
    assert!(scene.notes[0].contains(" of other slices"), "{:?}", scene.notes);
    assert!(!segments(&scene).is_empty());
    let slices = View::Slices.scene(trace(&store, View::Slices, &request), &request);
    assert!(slices.notes[0].starts_with("All 6 slices"), "{:?}", slices.notes);
    assert_eq!(slices.labels.iter().filter(|label| label.text.contains("e=")).count(), 6);
    let area = slices.plot;
    let at = (area.x + area.width - 20.0, area.y + area.height - 20.0);
    let picked = View::Slices.pick(trace(&store, View::Slices, &request), &request, at);
    assert!(picked.is_none_or(|picked| picked.sets.unwrap().contains_key("slice")));
}

#[test]
fn a_machine_of_two_dimensions_is_seen_from_above_with_all_its_links() {
    let (_directory, store) = pf3d(256);
    let request = with(&[("topology", "mesh:16x16"), ("mapping", "block"), ("ranks-per-node", "1")]);
    let scene = scene(&store, &request);
    assert_eq!(segments(&scene).len(), 2 * 15 * 16);
    assert!(scene.notes[0].starts_with("480 of 480 links drawn."), "{:?}", scene.notes);
}

#[test]
fn a_phase_of_other_options_is_another_phase() {
    let (_directory, store) = pf3d(256);
    let plain = selecting(machine(&[]), "phase:0");
    let apart = selecting(machine(&[("common-caller", "0")]), "phase:0");
    let sent = |trace: &Trace<'_>, request: &ViewRequest| about_network(trace, request).unwrap().sections;
    let alone = sent(&trace(&store, View::Torus, &apart), &apart);
    // The same machine, which keeps the traffic of the phases that it was asked for.
    let first = trace(&store, View::Torus, &plain);
    assert_ne!(sent(&first, &plain), alone, "else this shows nothing");
    let second = Trace { network: first.network.clone(), ..trace(&store, View::Torus, &apart) };
    assert_eq!(sent(&second, &apart), alone);
}
