//! A dragonfly: what its groups send each other is drawn, picked, selected and said.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test that cannot go on should say so and stop

mod common;

use heddle_options::Given;
use heddle_simulate::{Machine, Ring, RingOptions, simulate};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_view::{
    Choosing, Framing, Layer, Pointed, Rect, Scene, Size, Trace, View, ViewRequest, Window, about_network,
};

use common::request;

/// A message from each rank to the next, round the machine.
fn ring(ranks: u32) -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let options = RingOptions { ranks, ..RingOptions::default() };
    let simulation = simulate(Ring::new(&options).unwrap(), &Machine::default()).unwrap();
    let store = store_simulation(&simulation, "ring", &directory.path().join("x.heddle"), 1 << 28, &NoProgress);
    (directory, store.unwrap())
}

/// Nine groups of four routers with two nodes each, one rank per node.
fn with(options: &[(&str, &str)]) -> ViewRequest {
    let machine = [("topology", "dragonfly:9x4x2:1"), ("ranks-per-node", "1")];
    let pairs = machine.iter().chain(options).map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let size = Size { width: 1000, height: 700 };
    ViewRequest { options: Given::by_program(pairs), size, framing: Framing::Pane, ..request(Window::default()) }
}

fn trace<'a>(store: &'a Store, request: &ViewRequest) -> Trace<'a> {
    Trace::prepare(store, View::Dragonfly, request, |need, _| -> Result<_, heddle_options::OptionError> {
        Ok(Some(need.open(store, [], &NoProgress).unwrap()))
    })
    .unwrap()
}

fn scene(store: &Store, request: &ViewRequest) -> Scene {
    View::Dragonfly.scene(trace(store, request), request)
}

/// The middle of the cell of a matrix of nine groups that fills the height.
fn cell(from: u32, to: u32) -> (f32, f32) {
    let each = 48.0;
    (38.0 + (to as f32 + 0.5) * each, 40.0 + (from as f32 + 0.5) * each)
}

#[test]
fn a_ring_of_ranks_loads_the_links_from_each_group_to_the_next() {
    let (_directory, store) = ring(72);
    let request = with(&[]);
    let pick = |at| View::Dragonfly.pick(trace(&store, &request), &request, at);
    let next = pick(cell(2, 3)).unwrap();
    assert_eq!(next.title, "Group 2 → group 3");
    assert!(next.lines[0].ends_with("on average over 1 link, predicted"), "{:?}", next.lines);
    assert!(!next.lines[0].starts_with("0 B"), "{:?}", next.lines);
    assert_eq!(next.select.unwrap().to_string(), "link:2,1>3,1");
    let far = pick(cell(2, 5)).unwrap();
    assert!(far.lines[0].starts_with("0 B"), "{:?}", far.lines);
    let own = pick(cell(4, 4)).unwrap();
    assert_eq!((own.title.as_str(), own.sets.unwrap()["group"].as_str()), ("Group 4", "4"));
    let told = about_network(&trace(&store, &request), &request).unwrap();
    let names: Vec<&str> = told.classes.iter().map(|class| class.name.as_str()).collect();
    assert_eq!(names, ["node", "local", "global"]);
}

#[test]
fn an_opened_group_shows_what_its_routers_send_each_other() {
    let (_directory, store) = ring(72);
    let closed = scene(&store, &with(&[]));
    let open = scene(&store, &with(&[("group", "3")]));
    let cells = |scene: &Scene| match &scene.layers[0] {
        Layer::Rects(marks) => marks.len(),
        _ => panic!("cells come first"),
    };
    assert_eq!(cells(&closed), 81);
    assert_eq!(cells(&open), 81 + 4 * 3, "every two routers of a group are joined");
    assert!(open.labels.iter().any(|label| label.text == "group 3: router sends → to router"));
}

#[test]
fn selections_are_those_of_all_views_and_can_be_put_together() {
    let (_directory, store) = ring(72);
    let mut request = with(&[]);
    let choose = |request: &ViewRequest, pointed, choosing| {
        View::Dragonfly.choose(trace(&store, request), request, pointed, choosing).map(|one| one.to_string())
    };
    let one = choose(&request, Pointed::At(cell(4, 4)), Choosing::Replace).unwrap();
    assert_eq!(one, "nodes:4,0,0-1;4,1,0-1;4,2,0-1;4,3,0-1;4,0-3");
    request.emphasis.selected = Some(one.parse().unwrap());
    let rows = Rect { x: 40.0, y: cell(5, 0).1, width: 20.0, height: 4.0 };
    let both = choose(&request, Pointed::Area(rows), Choosing::Add).unwrap();
    assert!(both.contains("4,0-3") && both.contains("5,0-3"), "{both}");
    let drawn = scene(&store, &request);
    let Layer::Rects(frames) = &drawn.layers[1] else { panic!("frames come second") };
    assert!(!frames.is_empty(), "the selected group is framed");
}

#[test]
fn the_ring_has_a_chord_for_every_two_groups_and_says_what_it_leaves_out() {
    let (_directory, store) = ring(72);
    let request = with(&[("groups-as", "ring")]);
    let drawn = scene(&store, &request);
    assert!(drawn.notes[0].starts_with("A chord is the mean of 2 links"), "{:?}", drawn.notes);
    let Layer::Segments(marks) = &drawn.layers[0] else { panic!("chords come first") };
    // Nine pairs of neighbours; what rank sends to the next one of its group or router needs no chord.
    assert!(drawn.notes[1].starts_with("27 of 36 pairs of groups send each other nothing"), "{:?}", drawn.notes);
    assert!(marks.len() > 9 * 14, "{}", marks.len());
    let large = with(&[("groups-as", "ring"), ("topology", "dragonfly:74x32x4")]);
    let large = scene(&store, &large);
    assert!(large.notes.iter().any(|note| note.contains("2,368 routers are too many")), "{:?}", large.notes);
}

#[test]
fn another_machine_is_no_dragonfly() {
    let (_directory, store) = ring(64);
    let drawn = scene(&store, &with(&[("topology", "4x4x4")]));
    assert_eq!(drawn.notes, ["There is no dragonfly to show."]);
}
