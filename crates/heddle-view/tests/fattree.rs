//! A fat-tree in seven representations: what stands where, what is coloured, what one selects, and what is said of it.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that cannot go on should say so and stop
#![allow(clippy::float_cmp, reason = "the end of one piece is the beginning of the next")]

mod common;

use std::sync::Arc;

use heddle_options::{Given, OptionError};
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_view::{
    BoxMark, Choosing, ColourId, Framing, NetworkTold, Pointed, Scene3, Selection, Size, SolidId, Solids, SpanName,
    SphereMark, Subject, Trace, TubeMark, View, ViewRequest, Window, about_network, machine_details, message_route,
};

use common::{Call, Calls, request};

const ALL: [&str; 7] = ["qs", "dl", "dc", "dr", "lb", "ht", "f1"];

fn store(ranks: usize) -> (tempfile::TempDir, Store) {
    Calls::new(vec![vec![Call(0, 0, 100, Vec::new())]; ranks]).store()
}

/// A request with these options; every pair of ranks on 64 nodes sends the same unless they say otherwise.
fn with(options: &[(&str, &str)]) -> ViewRequest {
    let usual = [("topology", "fat-tree:4x4x4"), ("pattern", "all-to-all")];
    let mut all: Vec<(String, String)> = usual.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    for (name, value) in options {
        all.retain(|(known, _)| known != name);
        all.push(((*name).to_owned(), (*value).to_owned()));
    }
    let size = Size { width: 900, height: 700 };
    ViewRequest { options: Given::by_program(all), size, framing: Framing::Pane, ..request(Window::default()) }
}

fn selecting(mut request: ViewRequest, text: &str) -> ViewRequest {
    request.emphasis.selected = Some(text.parse().unwrap());
    request
}

fn prepared<'a>(store: &'a Store, request: &ViewRequest) -> Result<Trace<'a>, OptionError> {
    Trace::prepare(store, View::Fattree, request, |need, _| -> Result<_, OptionError> {
        Ok(Some(need.open(store, [], &NoProgress).unwrap()))
    })
}

fn trace<'a>(store: &'a Store, request: &ViewRequest) -> Trace<'a> {
    prepared(store, request).unwrap()
}

fn scene(store: &Store, request: &ViewRequest) -> Scene3 {
    View::Fattree.scene3(trace(store, request), request).unwrap()
}

fn told(store: &Store, request: &ViewRequest) -> NetworkTold {
    about_network(&trace(store, request), request).unwrap()
}

fn boxes(scene: &Scene3, of: Subject) -> Vec<BoxMark> {
    let groups = scene.groups.iter().filter(|group| group.of == of);
    groups.flat_map(|group| if let Solids::Boxes(marks) = &group.solids { marks.clone() } else { Vec::new() }).collect()
}

fn spheres(scene: &Scene3, of: Subject) -> Vec<SphereMark> {
    let groups = scene.groups.iter().filter(|group| group.of == of);
    groups
        .flat_map(|group| if let Solids::Spheres(marks) = &group.solids { marks.clone() } else { Vec::new() })
        .collect()
}

fn tubes(scene: &Scene3) -> Vec<TubeMark> {
    let groups = scene.groups.iter();
    groups.flat_map(|group| if let Solids::Tubes(marks) = &group.solids { marks.clone() } else { Vec::new() }).collect()
}

/// The elements that boxes and spheres stand for.
fn elements(scene: &Scene3) -> Vec<u32> {
    let boxes = boxes(scene, Subject::Node).into_iter().map(|mark| mark.id);
    let mut all: Vec<u32> = boxes.chain(spheres(scene, Subject::Node).into_iter().map(|mark| mark.id)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The colour on top of a switch.
fn top_colour(scene: &Scene3, switch: u32) -> ColourId {
    let mut marks: Vec<BoxMark> = boxes(scene, Subject::Node).into_iter().filter(|mark| mark.id == switch).collect();
    marks.sort_by(|a, b| a.centre[2].total_cmp(&b.centre[2]));
    marks.last().unwrap().colour
}

#[test]
fn every_node_switch_and_card_stands_in_every_representation() {
    let (_directory, store) = store(64);
    for name in ALL {
        let scene = scene(&store, &with(&[("as", name)]));
        let nics = boxes(&scene, Subject::Nic);
        assert_eq!(nics.len(), 64, "{name}");
        if name == "lb" {
            // Pillars, and a block for each pod.
            assert_eq!(elements(&scene), (0..64).collect::<Vec<_>>());
            assert_eq!(boxes(&scene, Subject::Block).len(), 16 + 4 + 1);
        } else {
            assert_eq!(elements(&scene), (0..112).collect::<Vec<_>>(), "{name}");
        }
        assert_eq!(scene.is_plan, ["qs", "ht", "f1"].contains(&name), "{name}");
        assert_eq!(scene.is_plan, (scene.camera.turn.above - 90.0).abs() < 1e-6, "{name}");
        // All 192 cables; those of the 64 nodes pass their cards, so they have two pieces.
        let mut wires: Vec<u32> = tubes(&scene).iter().map(|tube| tube.id).collect();
        let has_wires = ["qs", "dl", "dc", "dr"].contains(&name);
        assert_eq!(wires.len(), if has_wires { 192 + 64 } else { 0 }, "{name}");
        wires.sort_unstable();
        wires.dedup();
        assert_eq!(wires.len(), if has_wires { 192 } else { 0 }, "{name}");
        // All is in view.
        let inside =
            |at: [f32; 3]| (0..3).all(|axis| (scene.bounds.low[axis]..=scene.bounds.high[axis]).contains(&at[axis]));
        assert!(boxes(&scene, Subject::Node).iter().all(|mark| inside(mark.centre)), "{name}");
    }
}

#[test]
fn a_plan_fills_the_plot_and_turning_and_values_in_the_third_dimension_make_it_a_landscape() {
    let (_directory, store) = store(64);
    let plan = with(&[("as", "ht")]);
    let flat = View::Fattree.scene(trace(&store, &plan), &plan);
    let across: Vec<f32> =
        flat.polygons.iter().flat_map(|polygon| polygon.corners.iter().map(|corner| corner.1)).collect();
    let (low, high) = across.iter().fold((f32::MAX, f32::MIN), |(low, high), at| (low.min(*at), high.max(*at)));
    assert!(high - low > 0.9 * flat.plot.height, "{low} to {high}");
    let landscape = scene(&store, &with(&[("as", "ht"), ("height-by", "traffic")]));
    assert!(!landscape.is_plan);
    let highest = boxes(&landscape, Subject::Node).iter().map(|mark| mark.size[2]).fold(0.0, f32::max);
    assert!(highest > 10.0, "{highest}");
    let turned = scene(&store, &with(&[("as", "dr"), ("turn", "10:20")]));
    assert!((turned.camera.turn.around - 10.0).abs() < 1e-6);
}

#[test]
fn on_paper_what_is_higher_covers_what_is_lower() {
    let (_directory, store) = store(64);
    let request = with(&[("as", "lb"), ("switches", "layer")]);
    let blocks = boxes(&scene(&store, &request), Subject::Block);
    let flat = View::Fattree.scene(trace(&store, &request), &request);
    let rgba = |colour: ColourId| flat.palette[usize::from(colour.0)];
    let at = |block: &BoxMark| {
        let is_its = |colour: ColourId| rgba(colour) == rgba(block.colour);
        let places = flat.polygons.iter().enumerate().filter(|(_, polygon)| is_its(polygon.colour)).map(|(at, _)| at);
        places.collect::<Vec<_>>()
    };
    let (first_layer, last_layer) = (at(&blocks[0]), at(&blocks[20]));
    assert!(!first_layer.is_empty() && !last_layer.is_empty());
    assert!(last_layer.iter().max() < first_layer.iter().min(), "the wide plate of layer 3 lies below all");
}

#[test]
fn small_trees_are_layers_large_ones_cells_and_several_stand_side_by_side() {
    let (_directory, store) = store(16);
    let words = |options: &[(&str, &str)]| {
        let request = ViewRequest { framing: Framing::Figure, ..with(options) };
        scene(&store, &request).flat.title
    };
    assert!(words(&[]).contains("layers of switches"), "{}", words(&[]));
    assert!(words(&[("topology", "fat-tree:4^4")]).contains("H tree"));
    let beside = scene(&store, &with(&[("as", "ht,f1,lb,dl,dr,dc")]));
    let (low, high) = (beside.bounds.low, beside.bounds.high);
    assert!(high[0] - low[0] > 300.0 && high[1] - low[1] > 200.0, "three columns, two rows");
    let texts: Vec<&str> = beside.labels.iter().map(|label| label.text.as_str()).collect();
    assert!(texts.contains(&"F1 · fractal") && texts.len() == 6, "{texts:?}");
    // The same element stands in all of them.
    assert_eq!(boxes(&beside, Subject::Node).iter().filter(|mark| mark.id == 64).count(), 2 + 2 + 2 + 2 + 2);
}

#[test]
fn full_switches_stand_out_and_idle_ones_are_empty() {
    let (_directory, store) = store(64);
    // One message from node 0 to node 63: up by the receiver's digits, and down.
    let one = with(&[("as", "ht"), ("pattern", "message:0:63"), ("routing", "d-mod-k")]);
    let scene = scene(&store, &one);
    let background = scene.flat.background;
    let used: Vec<u32> = (64..112).filter(|switch| top_colour(&scene, *switch) != background).collect();
    assert_eq!(used.len(), 5, "{used:?}");
    assert!(used.contains(&64) && used.contains(&79), "the first and the last of layer 1");
    assert!(scene.flat.notes.iter().any(|note| note.contains("43 of them idle")), "{:?}", scene.flat.notes);
    let bar = scene.flat.colour_bar.clone().unwrap();
    assert!(bar.title.contains("% of fullest link") && bar.title.contains("predicted"), "{}", bar.title);
    // By layer all have colours, and there is no scale.
    let by_layer = self::scene(&store, &with(&[("as", "ht"), ("switches", "layer")]));
    assert!(by_layer.flat.colour_bar.is_none());
    assert_eq!(top_colour(&by_layer, 64), top_colour(&by_layer, 70));
    assert_ne!(top_colour(&by_layer, 64), top_colour(&by_layer, 80));
}

#[test]
fn size_and_shape_can_say_something_too() {
    let (_directory, store) = store(64);
    let one = [("as", "f1"), ("pattern", "message:0:63")];
    let by_size = scene(&store, &with(&[&one[..], &[("size-by", "traffic")]].concat()));
    let width = |scene: &Scene3, id: u32| {
        let marks = boxes(scene, Subject::Node).into_iter().filter(|mark| mark.id == id);
        marks.max_by(|a, b| a.centre[2].total_cmp(&b.centre[2])).unwrap().size[0]
    };
    assert!(width(&by_size, 64) > 2.0 * width(&by_size, 66), "idle ones are small");
    let by_shape = scene(&store, &with(&[("as", "f1"), ("shape-by", "layer")]));
    let round: Vec<u32> = spheres(&by_shape, Subject::Node).iter().map(|mark| mark.id).filter(|id| *id >= 64).collect();
    assert_eq!(round, (80..96).collect::<Vec<_>>(), "those of layer 2");
}

#[test]
fn cells_of_ones_own_are_drawn_and_checked() {
    let (_directory, store) = store(64);
    let cells = |text: &str| {
        let mut request = with(&[("as", "cells"), ("cells", "own.txt")]);
        request.options = request.options.with_files(Arc::from([("own.txt".to_owned(), text.to_owned())]));
        request
    };
    let fractal = "a 0,1 1,0 0,-1 -1,0\nb -1,1 1,1 1,-1 -1,-1\nA 1 3\nB 1 3\n";
    let same = cells(fractal);
    let own = boxes(&scene(&store, &same), Subject::Node);
    assert_eq!(own, boxes(&scene(&store, &with(&[("as", "f1")])), Subject::Node));
    let error = |request: &ViewRequest| prepared(&store, request).map(drop).unwrap_err().to_string();
    let overlapping = error(&cells(&fractal.replace("1 3", "1 2")));
    assert!(overlapping.contains("puts switch 2.2 and switch 2.4 into the same place"), "{overlapping}");
    assert!(error(&cells("a 1")).contains("line 1"));
    assert!(error(&with(&[("as", "cells")])).contains("`cells` must name the file"));
    assert!(error(&with(&[("as", "f1"), ("topology", "fat-tree:4x8")])).contains("a pod of layer 2 has 8"));
    assert!(error(&with(&[("as", "zz")])).contains("qs, dl, dc"));
    assert!(error(&with(&[("within", "2,4")])).contains("it has 4"));
    assert!(error(&with(&[("within", "x")])).contains("3,7"));
    assert!(error(&with(&[("split", "3")])).contains("blocks"));
}

#[test]
fn one_pod_alone_has_its_nodes_and_switches() {
    let (_directory, store) = store(64);
    for name in ALL {
        let scene = scene(&store, &with(&[("as", name), ("within", "2,3")]));
        let expected: Vec<u32> = (48..64).chain(64 + 12..64 + 16).chain(80 + 12..80 + 16).collect();
        if name == "lb" {
            assert_eq!(boxes(&scene, Subject::Block).len(), 4 + 1);
        } else {
            assert_eq!(elements(&scene), expected, "{name}");
        }
    }
    let labels = scene(&store, &with(&[("as", "qs"), ("within", "2,3")])).labels;
    let texts: Vec<&str> = labels.iter().map(|label| label.text.as_str()).collect();
    for text in ["layer 1", "layer 2", "node 48", "63", "12", "15"] {
        assert!(texts.contains(&text), "{text} in {texts:?}");
    }
}

#[test]
fn blocks_split_into_switches_and_are_selected_whole() {
    let (_directory, store) = store(64);
    let split = with(&[("as", "lb"), ("split", "2,3")]);
    let drawn = scene(&store, &split);
    assert_eq!(boxes(&drawn, Subject::Block).len(), 20);
    let single: Vec<u32> = boxes(&drawn, Subject::Node).iter().map(|mark| mark.id).filter(|id| *id >= 64).collect();
    assert_eq!(single, (80 + 12..80 + 16).collect::<Vec<_>>());
    // Block 19 is the last one of layer 2.
    let solid = SolidId { of: Subject::Block, id: 19 };
    let whole = with(&[("as", "lb")]);
    let picked = View::Fattree.pick_solid(trace(&store, &whole), &whole, solid).unwrap();
    assert_eq!(picked.title, "Block 3 of layer 2");
    assert!(picked.lines[0].contains("4 switches above nodes 48–63"), "{:?}", picked.lines);
    assert_eq!(picked.sets.unwrap()["split"], "2,3");
    let back = View::Fattree.pick_solid(trace(&store, &split), &split, solid).unwrap();
    assert_eq!(back.sets.unwrap()["split"], "");
    let chosen = View::Fattree.choose(trace(&store, &whole), &whole, Pointed::Solid(solid), Choosing::Replace);
    assert_eq!(chosen.unwrap().to_string(), "nodes:2,12-15");
    // With groups as the paper's text has them.
    let grouped = scene(&store, &with(&[("as", "lb"), ("grouping", "1")]));
    assert_eq!(boxes(&grouped, Subject::Block).len(), 4 + 1 + 1);
}

#[test]
fn solids_are_named_and_selected() {
    let (_directory, store) = store(64);
    let request = with(&[("as", "ht")]);
    let trace = trace(&store, &request);
    let pick = |of: Subject, id: u32| View::Fattree.pick_solid(trace.clone(), &request, SolidId { of, id });
    let switch = pick(Subject::Node, 64 + 16 + 5).unwrap();
    assert_eq!(switch.title, "Switch 2.5");
    assert!(switch.lines[0].contains("the mean of layer 2 is"), "{:?}", switch.lines);
    assert!(!switch.lines.iter().any(|line| line.contains("rank")), "{:?}", switch.lines);
    assert_eq!(switch.select.unwrap().to_string(), "nodes:2,5");
    assert_eq!(pick(Subject::Node, 7).unwrap().lines[0], "rank 7");
    let nic = pick(Subject::Nic, 7).unwrap();
    assert_eq!((nic.title.as_str(), nic.select.unwrap().to_string()), ("NIC of node 7", "link:0,7>1,1".to_owned()));
    assert!(pick(Subject::Link, 100).unwrap().title.contains('↔'));
    for wrong in
        [(Subject::Node, 112), (Subject::Link, 192), (Subject::Nic, 192), (Subject::Block, 0), (Subject::Rank, 0)]
    {
        assert!(pick(wrong.0, wrong.1).is_none(), "{wrong:?}");
    }
    let of = |id: u32| Pointed::Solid(SolidId { of: Subject::Node, id });
    let both = selecting(request.clone(), "nodes:2,5");
    let added = View::Fattree.choose(self::trace(&store, &both), &both, of(7), Choosing::Add).unwrap();
    assert_eq!(added.to_string(), "nodes:0,7;2,5");
    let gone = View::Fattree.choose(self::trace(&store, &both), &both, of(64 + 16 + 5), Choosing::Toggle);
    assert_eq!(gone, None);
}

#[test]
fn the_cables_of_what_is_selected_are_drawn() {
    let (_directory, store) = store(64);
    let none = scene(&store, &with(&[("as", "ht")]));
    assert!(tubes(&none).is_empty());
    let one = scene(&store, &selecting(with(&[("as", "ht")]), "nodes:2,5"));
    assert_eq!(tubes(&one).len(), 8, "four up, four down");
    let link = scene(&store, &selecting(with(&[("as", "f1")]), "link:1,3>2,1"));
    assert_eq!(tubes(&link).len(), 1);
    let accent = tubes(&one)[0].colour;
    let ranks = scene(&store, &selecting(with(&[("as", "qs")]), "ranks:5"));
    assert_eq!(spheres(&ranks, Subject::Node).iter().find(|mark| mark.id == 5).unwrap().colour, accent);
}

/// A halo exchange of 64 ranks, one per node, and a message of it between nodes that meet at the top: its name, from and to.
fn with_message() -> (tempfile::TempDir, Store, String, (u32, u32)) {
    let directory = tempfile::tempdir().unwrap();
    let options = HaloOptions { ranks: 64, iterations: 2, ..HaloOptions::default() };
    let source = halo(&options, &Machine::default()).unwrap();
    let store = store_simulation(&source, "halo", &directory.path().join("x.heddle"), 1 << 28, &NoProgress).unwrap();
    let messages = &store.messages;
    let rank = |location: heddle_model::LocationId| store.locations.rank.get(u64::from(location.0)).0;
    let ends = |row: u64| (rank(messages.send_location.get(row)), rank(messages.recv_location.get(row)));
    let row = (0..messages.len()).find(|row| ends(*row).0 / 16 != ends(*row).1 / 16).unwrap();
    let span = messages.send_span.get(row);
    let index = (0..row).filter(|other| messages.send_span.get(*other) == span).count();
    let name = format!("message:{}:{index}", SpanName::of(&store, span));
    let ends = ends(row);
    (directory, store, name, ends)
}

#[test]
fn the_way_of_a_selected_message_is_drawn_everywhere_and_told_switch_by_switch() {
    let (_directory, store, message, (i, j)) = with_message();
    for name in ALL {
        let chosen =
            selecting(with(&[("as", name), ("pattern", ""), ("ranks-per-node", "1"), ("wires", "none")]), &message);
        let scene = scene(&store, &chosen);
        let way = tubes(&scene);
        // Six links, two of them with a card in between; in blocks down, along, across and up.
        assert_eq!(way.len(), if name == "lb" { 4 } else { 8 }, "{name}");
        assert!(way.windows(2).all(|pair| pair[0].to == pair[1].from), "{name}");
        if name == "lb" {
            let [first, along, across, last] = way[..] else { panic!() };
            assert!((first.from[0] - first.to[0]).abs() < 1e-3 && (last.from[1] - last.to[1]).abs() < 1e-3);
            assert!((along.from[1] - along.to[1]).abs() < 1e-3 && (across.from[0] - across.to[0]).abs() < 1e-3);
            // Just above layer 3, where they meet, and below layer 2.
            let depths: Vec<f32> = boxes(&scene, Subject::Block).iter().map(|mark| mark.centre[2]).collect();
            let lowest = depths.iter().copied().fold(0.0, f32::min);
            assert!(along.to[2] > lowest && along.to[2] < lowest * 2.0 / 3.0, "{} {lowest}", along.to[2]);
        }
        assert!(!scene.flat.notes.iter().any(|note| note.contains("does not show")), "{:?}", scene.flat.notes);
    }
    let request = with(&[("pattern", ""), ("ranks-per-node", "1")]);
    let facts = message_route(&trace(&store, &request), &message.parse().unwrap());
    let texts: Vec<&str> = facts.iter().map(|fact| fact.text.as_str()).collect();
    assert_eq!(texts[0], format!("6 links from node {i} to node {j}, turning at layer 3; predicted"));
    // Up by the digits of the receiver, down to it; down ports come after the four up ports.
    let (first, second, third) = (j % 4, j / 4 % 4, j / 16);
    let expected = [
        format!("1.{} ↑ port {first}", i / 4),
        format!("2.{} ↑ port {second}", i / 16 * 4 + first),
        format!("3.{} ↓ port {}", j % 16, 4 + third),
        format!("2.{} ↓ port {}", third * 4 + first, 4 + second),
        format!("1.{} ↓ port {}", j / 4, 4 + first),
    ];
    assert_eq!(&texts[1..], expected);
    assert_eq!(facts[3].select, Some(format!("nodes:3,{}", j % 16).parse().unwrap()));
}

#[test]
fn layers_are_told_and_the_details_of_a_switch() {
    let (_directory, store) = store(64);
    let uniform = told(&store, &with(&[]));
    assert_eq!(
        uniform.layers.iter().map(|layer| (layer.layer, layer.switches, layer.idle)).collect::<Vec<_>>(),
        [(1, 16, 0), (2, 16, 0), (3, 16, 0)]
    );
    // The share of pairs that reach a layer or a higher one: (4^L − 4^(l−1)) / (4^L − 1).
    for (layer, expected) in [(0, 1.0), (1, 60.0 / 63.0), (2, 48.0 / 63.0)] {
        assert!((uniform.layers[layer].reached.unwrap() - expected).abs() < 1e-12, "{:?}", uniform.layers[layer]);
    }
    assert!(
        uniform.words.iter().any(|word| word == "4.8 % of the bytes turn at layer 1; 76.2 % reach layer 3."),
        "{:?}",
        uniform.words
    );
    let near = told(&store, &with(&[("pattern", "message:0:1")]));
    assert!(near.words.iter().any(|word| word.contains("none goes beyond layer 1")), "{:?}", near.words);
    assert!(near.words.iter().any(|word| word == "47 of 48 switches are idle."), "{:?}", near.words);
    assert!(told(&store, &with(&[("topology", "4x4x4")])).layers.is_empty());

    let request = with(&[]);
    let selected: Selection = "nodes:2,5".parse().unwrap();
    let details = machine_details(&trace(&store, &request), &request, &selected).unwrap();
    let of = |label: &str| -> Vec<&str> {
        details.facts.iter().filter(|fact| fact.label == label).map(|fact| fact.text.as_str()).collect()
    };
    assert_eq!(details.title, "Switch 2.5");
    assert_eq!(of("Up to"), ["switch 3.1", "switch 3.5", "switch 3.9", "switch 3.13"]);
    assert_eq!(of("Down to"), ["switch 1.4", "switch 1.5", "switch 1.6", "switch 1.7"]);
    assert_eq!(of("Port").len(), 8);
    assert!(of("Port")[0].starts_with("0 ↑ switch 3.1: "), "{:?}", of("Port"));
    assert!(of("Utilisation")[0].contains("the mean of its layer is"));
    assert!(of("Ranks").is_empty());
}

#[test]
fn very_large_trees_are_summed_up_and_say_so() {
    let (_directory, store) = store(4);
    let large = with(&[("topology", "fat-tree:4^9"), ("pattern", "message:0:3"), ("as", "ht")]);
    let scene = scene(&store, &large);
    let solids: usize = scene.groups.iter().map(|group| group.solids.len()).sum();
    assert!(solids < 300_000, "{solids}");
    assert!(
        scene.flat.notes.iter().any(|note| note.contains("each solid stands for 4 nodes")),
        "{:?}",
        scene.flat.notes
    );
    let picked = View::Fattree.pick_solid(trace(&store, &large), &large, SolidId { of: Subject::Node, id: 0 }).unwrap();
    assert_eq!(picked.title, "4 nodes");
    assert_eq!(picked.select.unwrap().to_string(), "nodes:0,0-3");
}

#[test]
fn trees_of_other_numbers_are_drawn_too() {
    let (_directory, store) = store(24);
    for topology in ["fat-tree:16x8;1x4", "fat-tree:2x3x4;1x2x2", "fat-tree:24", "fat-tree:6x4;2x2"] {
        for name in ALL {
            let request = with(&[("topology", topology), ("as", name)]);
            if name == "f1" && prepared(&store, &request).is_err() {
                continue;
            }
            let scene = scene(&store, &request);
            assert!(!scene.groups.is_empty(), "{topology} as {name}");
            let finite = boxes(&scene, Subject::Node)
                .iter()
                .all(|mark| mark.centre.iter().chain(&mark.size).all(|at| at.is_finite()));
            assert!(finite, "{topology} as {name}");
        }
    }
    let torus = scene(&store, &with(&[("topology", "4x4x4")]));
    assert!(torus.groups.is_empty() && torus.flat.notes.iter().any(|note| note.contains("no fat-tree")));
}
