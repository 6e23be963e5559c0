//! Messages in motion: what a picture of a moment shows, and that the page gets the same.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use heddle_model::Ns;
use heddle_options::Given;
use heddle_simulate::{Halo, HaloOptions, Machine, simulate};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_view::{Moving, Point3, Scene3, Size, Solids, Subject, Trace, View, ViewRequest, Window, name_of_message};

use common::request;

fn store() -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let options = HaloOptions { ranks: 64, iterations: 2, ..HaloOptions::default() };
    let simulation = simulate(Halo::new(&options).unwrap(), &Machine::default()).unwrap();
    let store =
        store_simulation(&simulation, "halo", &directory.path().join("x.heddle"), 1 << 28, &NoProgress).unwrap();
    (directory, store)
}

fn with(options: &[(&str, &str)]) -> ViewRequest {
    let usual = [("topology", "4x4x4"), ("ranks-per-node", "1"), ("routing", "dor")];
    let all = usual.iter().chain(options).map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let size = Size { width: 800, height: 600 };
    ViewRequest { options: Given::by_program(all), size, ..request(Window::default()) }
}

fn trace<'a>(store: &'a Store, view: View, request: &ViewRequest) -> Trace<'a> {
    Trace::prepare(store, view, request, |need, _| -> Result<_, heddle_options::OptionError> {
        Ok(Some(need.open(store, [], &NoProgress).unwrap()))
    })
    .unwrap()
}

fn moving(store: &Store, view: View, request: &ViewRequest, from: Ns) -> Moving {
    view.moving(trace(store, view, request), request, from).unwrap()
}

fn spheres(scene: &Scene3) -> Vec<Point3> {
    let of = |group: &heddle_view::Group| match &group.solids {
        Solids::Spheres(marks) if group.of == Subject::Message => marks.iter().map(|mark| mark.centre).collect(),
        _ => Vec::new(),
    };
    scene.groups.iter().flat_map(of).collect()
}

/// A moment at which messages are on their way.
fn busy(store: &Store) -> Ns {
    let activity = View::Torus.activity(trace(store, View::Torus, &with(&[])), &with(&[])).unwrap();
    let (at, most) = activity.in_flight.iter().enumerate().max_by_key(|(_, count)| **count).unwrap();
    assert!(*most > 0);
    let (from, to) = activity.window;
    Ns(from.0 + (to.since(from) as f64 * (at as f64 + 0.0) / activity.bins as f64).ceil() as i64)
}

#[test]
fn a_picture_has_a_dot_for_each_message_that_the_page_has() {
    let (_directory, store) = store();
    let at = busy(&store);
    let request = with(&[("motion", "dots"), ("at", &at.0.to_string())]);
    let scene = View::Torus3d.scene3(trace(&store, View::Torus3d, &request), &request).unwrap();
    let list = moving(&store, View::Torus3d, &request, at);
    let in_flight = list.messages.iter().filter(|message| message.start <= at && at < message.end).count();
    assert!(in_flight > 0);
    assert_eq!(spheres(&scene).len(), in_flight);
    assert!(scene.flat.notes.iter().any(|note| note.contains(&format!("{in_flight} message"))));
    // Half a node beyond the grid where it wraps around, and never further.
    assert!(spheres(&scene).iter().flatten().all(|at| at.abs() <= 2.0));
    // The same in the picture of the page: no dots, which it draws by itself.
    let plain = View::Torus3d.scene3(trace(&store, View::Torus3d, &with(&[])), &with(&[])).unwrap();
    assert!(spheres(&plain).is_empty());
}

#[test]
fn links_show_what_they_carry_then_and_the_sum_ends_with_the_window() {
    let (_directory, store) = store();
    let last = store.summary().end_ns.to_string();
    let colours = |options: &[(&str, &str)]| {
        let request = with(options);
        let scene = View::Torus3d.scene3(trace(&store, View::Torus3d, &request), &request).unwrap();
        let of_link = |group: &&heddle_view::Group| group.of == Subject::Link;
        let tubes = scene.groups.iter().filter(of_link).flat_map(|group| match &group.solids {
            Solids::Tubes(marks) => marks.iter().map(|mark| (mark.id, mark.colour)).collect(),
            _ => Vec::new(),
        });
        tubes.collect::<Vec<_>>()
    };
    let loads = ("loads", "0:1e6");
    let whole = colours(&[loads, ("collectives", "none")]);
    let sum = colours(&[loads, ("motion", "dots"), ("activity", "sum"), ("at", &last)]);
    assert_eq!(whole, sum);
    let now = colours(&[loads, ("motion", "dots"), ("at", &last)]);
    assert_ne!(whole, now);
}

#[test]
fn the_selected_message_has_its_way_drawn_and_is_found_by_its_name() {
    let (_directory, store) = store();
    let at = busy(&store);
    let list = moving(&store, View::Torus3d, &with(&[]), at);
    let row = list.messages[list.messages.len() / 2].row;
    let mut request = with(&[]);
    request.emphasis.selected = name_of_message(&store, row);
    let list = moving(&store, View::Torus, &request, at);
    assert_eq!(list.selected, Some(row));
    assert!(list.selected_way.1 >= 2);
    let scene = View::Torus3d.scene3(trace(&store, View::Torus3d, &request), &request).unwrap();
    let ways = scene.groups.iter().filter(|group| group.of == Subject::Message);
    assert!(ways.map(|group| group.solids.len()).sum::<usize>() >= 1);
    for view in [View::Torus, View::Torus3d] {
        let notes = view.scene(trace(&store, view, &request), &request).notes;
        assert!(!notes.iter().any(|note| note.contains("does not show the selected")), "{notes:?}");
    }
    // Every message has a name of its own.
    for row in 0..store.messages.len() {
        let mut request = with(&[]);
        request.emphasis.selected = name_of_message(&store, row);
        assert_eq!(moving(&store, View::Torus, &request, Ns(0)).selected, Some(row));
        if row > 40 {
            break;
        }
    }
}

#[test]
fn a_pattern_has_no_times() {
    let (_directory, store) = store();
    let request = with(&[("pattern", "all-to-all")]);
    let activity = View::Torus.activity(trace(&store, View::Torus, &request), &request).unwrap();
    assert_eq!((activity.messages, moving(&store, View::Torus, &request, Ns(0)).messages.len()), (0, 0));
    assert!(View::Minimaps.activity(trace(&store, View::Minimaps, &request), &request).is_none());
}

#[test]
fn in_a_pod_messages_are_where_the_pod_is() {
    let (_directory, store) = store();
    let at = busy(&store).0.to_string();
    let tree = [("topology", "fat-tree:4^3"), ("routing", "d-mod-k"), ("as", "qs"), ("motion", "dots"), ("at", &at)];
    let dots = |within: &'static str| {
        let request = with(&[&tree[..], &[("within", within)]].concat());
        let scene = View::Fattree.scene3(trace(&store, View::Fattree, &request), &request).unwrap();
        let (low, high) = (scene.bounds.low, scene.bounds.high);
        let dots = spheres(&scene);
        let is_inside = |dot: &Point3| (0..2).all(|axis| (low[axis]..=high[axis]).contains(&dot[axis]));
        assert!(dots.iter().all(is_inside), "{within}: {low:?} {high:?} {dots:?}");
        dots.len()
    };
    let (pod, all) = (dots("2,1"), dots(""));
    assert!(0 < pod && pod < all, "{pod} of {all}");
}
