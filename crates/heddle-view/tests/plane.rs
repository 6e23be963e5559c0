//! A torus projected to a plane: what one selects in it, and what clicks on small maps set.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use heddle_options::Given;
use heddle_store::{NoProgress, Store};
use heddle_view::{Choosing, Pointed, Rect, Size, Trace, View, ViewRequest, Window, about_network};

use common::{Call, Calls, request};

fn store() -> (tempfile::TempDir, Store) {
    Calls::new(vec![vec![Call(0, 0, 100, Vec::new())]; 64]).store()
}

fn with(options: &[(&str, &str)]) -> ViewRequest {
    let is_usual = !options.iter().any(|(name, _)| *name == "topology");
    let usual = is_usual.then_some(("topology", "4x4x4")).into_iter().chain([("pattern", "all-to-all")]);
    let all = usual.chain(options.iter().copied()).map(|(name, value)| (name.to_owned(), value.to_owned()));
    let size = Size { width: 800, height: 600 };
    ViewRequest { options: Given::by_program(all), size, ..request(Window::default()) }
}

fn trace<'a>(store: &'a Store, view: View, request: &ViewRequest) -> Trace<'a> {
    Trace::prepare(store, view, request, |need, _| -> Result<_, heddle_options::OptionError> {
        Ok(Some(need.open(store, [], &NoProgress).unwrap()))
    })
    .unwrap()
}

#[test]
fn nodes_are_chosen_by_place_and_by_rectangle() {
    let (_folder, store) = store();
    let choose = |pointed: Pointed, choosing: Choosing, selected: &str| {
        let mut request = with(&[]);
        request.emphasis.selected = (!selected.is_empty()).then(|| selected.parse().unwrap());
        let chosen = View::Torus.choose(trace(&store, View::Torus, &request), &request, pointed, choosing);
        chosen.map(|selection| selection.to_string()).unwrap_or_default()
    };
    let picture = View::Torus.scene(trace(&store, View::Torus, &with(&[])), &with(&[]));
    let plot = picture.plot;
    let everything = Pointed::Area(plot);
    assert_eq!(choose(everything, Choosing::Replace, ""), "nodes:*,*,*");
    let upper = Pointed::Area(Rect { height: plot.height / 2.0, ..plot });
    assert_eq!(choose(upper, Choosing::Replace, "nodes:3,3,3"), "nodes:*,0-1,*");
    assert_eq!(choose(upper, Choosing::Add, "nodes:*,2,*"), "nodes:*,0-2,*");
    assert_eq!(choose(upper, Choosing::Toggle, "nodes:*,0-1,*"), "", "nothing is left");
    let nothing = Pointed::Area(Rect { x: 0.0, y: 0.0, width: 1.0, height: 1.0 });
    assert_eq!(choose(nothing, Choosing::Replace, "nodes:1,1,1"), "");
    assert_eq!(choose(nothing, Choosing::Add, "nodes:1,1,1"), "nodes:1,1,1");
    // A coordinate beside the plot adds its plane; a place without anything changes nothing.
    let tick = &picture.x_axis.ticks[2];
    let below = Pointed::At((tick.at, plot.y + plot.height + 6.0));
    assert_eq!(choose(below, Choosing::Replace, ""), "nodes:2,*,*");
    assert_eq!(choose(below, Choosing::Toggle, "nodes:1,*,*"), "nodes:1-2,*,*");
    let corner = Pointed::At((plot.x + plot.width / 2.0, plot.y + plot.height / 2.0));
    assert_eq!(choose(corner, Choosing::Toggle, "nodes:1,1,1"), "nodes:1,1,1");
}

#[test]
fn a_small_map_and_a_mapping_set_options() {
    let (_folder, store) = store();
    let request = with(&[]);
    let maps = trace(&store, View::Minimaps, &request);
    let scene = View::Minimaps.scene(maps, &request);
    for (label, along) in scene.labels.iter().zip(["x", "y", "z"]) {
        let at = (label.at.0 + 4.0, label.at.1 + 12.0);
        let picked = View::Minimaps.pick(trace(&store, View::Minimaps, &request), &request, at).unwrap();
        let sets = picked.sets.unwrap();
        assert_eq!((sets["along"].as_str(), sets["plane"].as_str()), (along, ""));
    }
    let picked = View::Mappings.pick(trace(&store, View::Mappings, &request), &request, (30.0, 60.0)).unwrap();
    assert_eq!(picked.sets.unwrap()["mapping"], "TXYZ");
}

#[test]
fn words_know_the_axes_the_cuts_and_where_links_lie() {
    let (_folder, store) = store();
    let request = with(&[("along", "x")]);
    let told = about_network(&trace(&store, View::Torus, &request), &request).unwrap();
    assert_eq!(told.axes, ["x", "z", "y"].map(str::to_owned));
    assert_eq!((told.views.len(), told.cuts.len()), (3, 0));
    assert!(told.top.iter().all(|top| top.place.is_some()));
    let request = with(&[("topology", "4x4x2x2"), ("slice", "d=1"), ("plane", "a,b"), ("along", "c")]);
    let told = about_network(&trace(&store, View::Torus, &request), &request).unwrap();
    assert_eq!(told.axes, ["c", "a", "b"].map(str::to_owned));
    assert_eq!(told.cuts, [("d".to_owned(), 1)]);
}
