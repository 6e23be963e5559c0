//! A torus in space: what stands where, what fades, how it is projected, and what one selects in it.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use heddle_options::Given;
use heddle_store::{NoProgress, Store};
use heddle_view::{
    BoxMark, Choosing, Framing, Pointed, Rect, Scene, Scene3, Selection, Size, SolidId, Solids, Subject, Trace,
    TubeMark, View, ViewRequest, Window,
};

use common::{Call, Calls, request};

/// A trace of so many ranks.
fn store(ranks: usize) -> (tempfile::TempDir, Store) {
    Calls::new(vec![vec![Call(0, 0, 100, Vec::new())]; ranks]).store()
}

/// A request with these options; every pair of ranks sends the same unless they say otherwise.
fn with(options: &[(&str, &str)]) -> ViewRequest {
    let mut all = vec![("topology".to_owned(), "4x4x4".to_owned()), ("pattern".to_owned(), "all-to-all".to_owned())];
    for (name, value) in options {
        all.retain(|(known, _)| known != name);
        all.push(((*name).to_owned(), (*value).to_owned()));
    }
    let size = Size { width: 800, height: 600 };
    ViewRequest { options: Given::by_program(all), size, ..request(Window::default()) }
}

fn selecting(request: ViewRequest, text: &str) -> ViewRequest {
    let mut request = request;
    request.emphasis.selected = Some(text.parse().unwrap());
    request
}

fn trace<'a>(store: &'a Store, request: &ViewRequest) -> Trace<'a> {
    Trace::prepare(store, View::Torus3d, request, |need, _| -> Result<_, heddle_options::OptionError> {
        Ok(Some(need.open(store, [], &NoProgress).unwrap()))
    })
    .unwrap()
}

fn scene(store: &Store, request: &ViewRequest) -> Scene3 {
    View::Torus3d.scene3(trace(store, request), request).unwrap()
}

fn boxes(scene: &Scene3, of: Subject) -> Vec<BoxMark> {
    let groups = scene.groups.iter().filter(|group| group.of == of);
    groups.flat_map(|group| if let Solids::Boxes(marks) = &group.solids { marks.clone() } else { Vec::new() }).collect()
}

fn tubes(scene: &Scene3) -> Vec<TubeMark> {
    let groups = scene.groups.iter();
    groups.flat_map(|group| if let Solids::Tubes(marks) = &group.solids { marks.clone() } else { Vec::new() }).collect()
}

fn opacity(scene: &Scene3, colour: heddle_view::ColourId) -> u8 {
    scene.flat.palette[usize::from(colour.0)].3
}

/// Whether a cable of the 4x4x4 torus ends beyond the last node.
fn is_open(cable: &TubeMark) -> bool {
    cable.to.iter().any(|at| *at > 1.7)
}

fn is_at(place: [f32; 3], at: f32) -> bool {
    place.iter().all(|coordinate| (coordinate - at).abs() < 1e-6)
}

#[test]
fn every_node_and_every_cable_stands_once_and_wrapping_ones_end_in_the_open() {
    let (_directory, store) = store(64);
    let scene = scene(&store, &with(&[]));
    let (nodes, cables) = (boxes(&scene, Subject::Node), tubes(&scene));
    assert_eq!((nodes.len(), cables.len()), (64, 192));
    // Centred on the origin, one unit apart.
    assert!(nodes.iter().any(|node| node.id == 0 && is_at(node.centre, -1.5)));
    assert!(nodes.iter().any(|node| node.id == 63 && is_at(node.centre, 1.5)));
    let open: Vec<&TubeMark> = cables.iter().filter(|cable| is_open(cable)).collect();
    assert_eq!(open.len(), 48, "one for each line of nodes");
    // Each begins at the side of a node, and all but those end at one.
    let touches = |at: heddle_view::Point3| {
        nodes.iter().any(|node| (0..3).all(|axis| (at[axis] - node.centre[axis]).abs() <= node.size[axis] / 2.0 + 1e-6))
    };
    assert!(cables.iter().all(|cable| touches(cable.from) && touches(cable.to) != is_open(cable)));
    assert!(scene.flat.palette.len() < 65_536 && nodes.iter().all(|node| opacity(&scene, node.colour) == 255));
}

#[test]
fn a_mesh_has_no_cables_in_the_open_and_rolling_moves_the_seam() {
    let (_directory, store) = store(64);
    let mesh = scene(&store, &with(&[("topology", "mesh:4x4x4")]));
    assert_eq!(tubes(&mesh).len(), 144);
    assert!(!tubes(&mesh).iter().any(is_open));
    let rolled = scene(&store, &with(&[("roll", "1,0,0")]));
    let first = boxes(&rolled, Subject::Node).into_iter().find(|node| node.id == 1).unwrap();
    assert!(is_at(first.centre, -1.5), "{:?}", first.centre);
}

#[test]
fn what_is_not_selected_fades_to_a_fifth() {
    let (_directory, store) = store(64);
    let plane = scene(&store, &selecting(with(&[]), "nodes:*,*,2"));
    let (full, faded): (Vec<BoxMark>, Vec<BoxMark>) =
        boxes(&plane, Subject::Node).into_iter().partition(|node| opacity(&plane, node.colour) == 255);
    assert_eq!((full.len(), faded.len()), (16, 48));
    assert!(full.iter().all(|node| (node.centre[2] - 0.5).abs() < 1e-6));
    assert!(faded.iter().all(|node| opacity(&plane, node.colour) == 51));
    // The cables within it.
    let full_cables = |scene: &Scene3| tubes(scene).iter().filter(|cable| opacity(scene, cable.colour) == 255).count();
    assert_eq!(full_cables(&plane), 32);
    assert_eq!(full_cables(&scene(&store, &selecting(with(&[]), "nodes:1,1,1"))), 6, "of one node all its cables");

    let link = scene(&store, &selecting(with(&[]), "link:1,2,3>2,2,3"));
    assert_eq!(full_cables(&link), 1);
    assert_eq!(boxes(&link, Subject::Node).iter().filter(|node| opacity(&link, node.colour) == 255).count(), 2);

    let ranks = scene(&store, &selecting(with(&[]), "ranks:0-3"));
    assert_eq!(boxes(&ranks, Subject::Node).iter().filter(|node| opacity(&ranks, node.colour) == 255).count(), 4);

    let kept = scene(&store, &selecting(with(&[("fade", "0")]), "nodes:*,*,2"));
    assert!(boxes(&kept, Subject::Node).iter().all(|node| opacity(&kept, node.colour) == 255));
}

#[test]
fn cables_below_the_scale_are_left_out_and_said() {
    let (_directory, store) = store(64);
    // One message along x alone.
    let one = with(&[("pattern", "message:0:1"), ("loads", "1:1000")]);
    let scene = scene(&store, &one);
    assert_eq!(tubes(&scene).len(), 1);
    assert!(scene.flat.notes.iter().any(|note| note.starts_with("191 links below")), "{:?}", scene.flat.notes);
}

#[test]
fn only_the_links_of_the_projected_view_if_that_is_asked_for() {
    let (_directory, store) = store(64);
    let scene = scene(&store, &with(&[("links-in-2d", "1")]));
    // Along z 4x4 columns of 4 with their stubs; of the rest 12 + 4 of the two rings in each of 4 planes, and 8 stubs.
    assert_eq!(tubes(&scene).len(), 64 + 4 * (16 + 8));
    let bare = with(&[("links-in-2d", "1"), ("stubs", "0"), ("diagonals", "0")]);
    assert_eq!(tubes(&self::scene(&store, &bare)).len(), 4 * 16);
}

#[test]
fn six_dimensions_are_cut_and_large_machines_become_blocks_that_show_the_maximum() {
    let (_directory, store) = store(64);
    let tofu = scene(&store, &with(&[("topology", "24x23x24x2x3x2"), ("pattern", "message:0:1"), ("slice", "c=1")]));
    assert_eq!(boxes(&tofu, Subject::Node).len(), 24 * 23 * 24);
    assert!(tofu.flat.notes.iter().any(|note| note.contains("a = 0, b = 0, c = 1")), "{:?}", tofu.flat.notes);

    let request = with(&[("topology", "64x64x64"), ("pattern", "message:0:1")]);
    let large = scene(&store, &request);
    let (nodes, cables) = (boxes(&large, Subject::Node), tubes(&large));
    assert!(nodes.len() + cables.len() <= 200_000, "{} + {}", nodes.len(), cables.len());
    assert!(large.flat.notes.iter().any(|note| note.contains("up to 8 nodes") && note.contains("maximum")));
    // The one link with a load is still the darkest, alone.
    let first = cables.iter().find(|cable| cable.id == 0).unwrap();
    assert_eq!(cables.iter().filter(|cable| cable.colour == first.colour).count(), 1);
    // A box stands for its eight nodes.
    let picked = View::Torus3d.pick_solid(trace(&store, &request), &request, SolidId { of: Subject::Node, id: 0 });
    assert_eq!(picked.unwrap().select.unwrap().to_string(), "nodes:0-1,0-1,0-1");
}

#[test]
fn the_process_grid_stands_beside_the_machine_and_shares_the_selection() {
    let (_directory, store) = store(64);
    let scene = scene(&store, &selecting(with(&[("process-grid", "1"), ("nodes", "rank")]), "ranks:5,6"));
    let blocks = boxes(&scene, Subject::Rank);
    assert_eq!(blocks.len(), 64);
    let left = boxes(&scene, Subject::Node).iter().map(|node| node.centre[0]).fold(f32::MAX, f32::min);
    assert!(blocks.iter().all(|block| block.centre[0] + block.size[0] / 2.0 < left - 1.0));
    let full: Vec<u32> =
        blocks.iter().filter(|block| opacity(&scene, block.colour) == 255).map(|block| block.id).collect();
    assert_eq!(full, [5, 6]);
    // One rank per node, in order: the node of rank 5 has its colour.
    let node = boxes(&scene, Subject::Node).into_iter().find(|node| node.id == 5).unwrap();
    assert_eq!(node.colour, blocks[5].colour);
    assert_ne!(blocks[5].colour, blocks[6].colour);
    assert!(scene.flat.notes.iter().any(|note| note.contains("rows of 8")), "{:?}", scene.flat.notes);
}

fn projected(store: &Store, request: &ViewRequest) -> Scene {
    View::Torus3d.scene(trace(store, request), request)
}

#[test]
fn figures_are_inside_their_frame_from_any_side() {
    let (_directory, store) = store(64);
    for turn in ["35:22", "0:0", "90:90", "-120:-45", "300:5"] {
        let figure = projected(&store, &with(&[("turn", turn)]));
        // Three sides at most of each box, and each cable.
        assert!((192 + 64..=192 + 3 * 64).contains(&figure.polygons.len()), "{turn}: {}", figure.polygons.len());
        for corner in figure.polygons.iter().flat_map(|polygon| &polygon.corners) {
            assert!(figure.plot.contains(*corner), "{turn}: {corner:?} of {:?}", figure.plot);
        }
        for polygon in &figure.polygons {
            let next = polygon.corners.iter().skip(1).chain(polygon.corners.first());
            let area: f32 = polygon.corners.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum();
            assert!(area >= 0.0, "all the same way round");
        }
    }
    let close = projected(&store, &with(&[("zoom", "40"), ("aim", "0.5:0.5:0.5")]));
    assert!(close.polygons.len() < 400 && close.polygons.iter().all(|polygon| polygon.corners.len() >= 4));
}

#[test]
fn the_nearest_is_drawn_last_and_what_fades_first() {
    let (_directory, store) = store(64);
    // Seen from the front: one looks along y, whose first plane is the nearest.
    let front = projected(&store, &with(&[("turn", "0:0"), ("loads", "1e12:2e12")]));
    let reach = |polygon: &heddle_view::PolygonMark| {
        let xs = polygon.corners.iter().map(|corner| corner.0);
        xs.clone().fold(f32::MIN, f32::max) - xs.fold(f32::MAX, f32::min)
    };
    // Boxes that are nearer are larger.
    let sizes: Vec<f32> = front.polygons.iter().map(reach).filter(|width| *width > 2.0).collect();
    assert!(sizes.len() >= 64);
    assert!(sizes[sizes.len() - 1] > sizes[0] * 1.1, "{} before {}", sizes[0], sizes[sizes.len() - 1]);

    let plane = projected(&store, &selecting(with(&[]), "nodes:*,3,*"));
    let is_full = |polygon: &heddle_view::PolygonMark| plane.palette[usize::from(polygon.colour.0)].3 == 255;
    let first = plane.polygons.iter().position(is_full).unwrap();
    assert!(first > 100 && plane.polygons[first..].iter().all(is_full), "the far plane lies over what fades before it");
}

#[test]
fn what_one_points_at_is_said_and_selected() {
    let (_directory, store) = store(64);
    let mut request = with(&[]);
    request.framing = Framing::Pane;
    let solid = |of: Subject, id: u32| SolidId { of, id };
    let pick = |of: Subject, id: u32| View::Torus3d.pick_solid(trace(&store, &request), &request, solid(of, id));
    let node = pick(Subject::Node, 22).unwrap();
    assert_eq!((node.title.as_str(), node.lines[0].as_str()), ("Node (2, 1, 1)", "rank 22"));
    assert_eq!(node.select.unwrap().to_string(), "nodes:2,1,1");
    let link = pick(Subject::Link, 0).unwrap();
    assert_eq!(link.title, "(0, 0, 0) ↔ (1, 0, 0)");
    assert!(link.lines[0].contains("each way · bytes, predicted"), "{:?}", link.lines);
    assert_eq!(link.select.unwrap().to_string(), "link:0,0,0>1,0,0");
    assert_eq!(pick(Subject::Rank, 9).unwrap().lines, ["on node (1, 2, 0)"]);
    assert!(pick(Subject::Node, 64).is_none() && pick(Subject::Link, 192).is_none());

    let choose = |pointed: Pointed, choosing: Choosing, selected: &str| {
        let request = if selected.is_empty() { request.clone() } else { selecting(request.clone(), selected) };
        let chosen = View::Torus3d.select_solids(trace(&store, &request), &request, pointed, choosing);
        chosen.as_ref().map(Selection::to_string).unwrap_or_default()
    };
    let one = Pointed::Solid(solid(Subject::Node, 0));
    assert_eq!(choose(one, Choosing::Replace, "nodes:*,*,3"), "nodes:0,0,0");
    assert_eq!(choose(one, Choosing::Add, "nodes:1,0,0"), "nodes:0-1,0,0");
    assert_eq!(choose(one, Choosing::Toggle, "nodes:0-1,0,0"), "nodes:1,0,0");
    assert_eq!(choose(one, Choosing::Toggle, "nodes:0,0,0"), "", "nothing is left");
    let everything = Pointed::Area(Rect { x: 0.0, y: 0.0, width: 800.0, height: 600.0 });
    assert_eq!(choose(everything, Choosing::Replace, ""), "nodes:*,*,*");
    let nothing = Pointed::Area(Rect { x: 0.0, y: 0.0, width: 5.0, height: 5.0 });
    assert_eq!(choose(nothing, Choosing::Replace, "nodes:1,1,1"), "");
    assert_eq!(choose(nothing, Choosing::Add, "nodes:1,1,1"), "nodes:1,1,1");
}

#[test]
fn wrong_options_are_named() {
    let (_directory, store) = store(64);
    for (name, value) in
        [("slice", "q=1"), ("roll", "9,9,9"), ("along", "w"), ("nodes", "moon"), ("nodes", "counter:x")]
    {
        let request = with(&[(name, value)]);
        let error = View::Torus3d.needs(&store, &request).unwrap_err();
        assert_eq!(error.name, name, "{error}");
    }
}
