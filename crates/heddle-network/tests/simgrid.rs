//! What SimGrid wrote down of its links, and what is predicted of them: two ways to the same bytes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a helper that fails is a test that fails")]

use heddle_model::Ns;
use heddle_network::{Network, Origin, Part, Tests};
use heddle_options::Given;
use heddle_store::{ImportOptions, NoProgress, Store, StorePlace, open_or_import};
use heddle_testkit::sample_traces;
use heddle_topology::dragonfly::{CableKind, Wiring};
use heddle_topology::routing::{RoutingKind, routing};
use heddle_topology::{Element, Link, Topology};

fn open(name: &str, directory: &std::path::Path) -> Option<(Store, serde_json::Value)> {
    let folder = sample_traces("simgrid")?;
    let options = ImportOptions { place: StorePlace::Under(directory.to_owned()), memory: 1 << 29, force: false };
    let trace = folder.join(format!("{name}.trace.gz"));
    let store = open_or_import(&trace, &options, &NoProgress).expect("the trace can be read").store;
    let truth = std::fs::read(folder.join(format!("{name}.truth.json"))).expect("the truth is beside it");
    Some((store, serde_json::from_slice(&truth).expect("the truth is JSON")))
}

fn network(store: &Store, options: &[(&str, &str)]) -> Network {
    let pairs = options.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    Network::open(store, &Given::by_program(pairs)).expect("the machine is known")
}

fn loads(store: &Store, network: &Network) -> (Origin, Vec<f64>) {
    let traffic = network.traffic(store, &Part::of_time((Ns(i64::MIN), Ns(i64::MAX))), Tests::default());
    (traffic.origin, traffic.loads(&**network.machine.shape, |_| true))
}

#[test]
fn simulated_links_carry_what_the_file_says() {
    let directory = tempfile::tempdir().unwrap();
    let Some((store, truth)) = open("courier-torus444", directory.path()) else { return };
    let network = network(&store, &[]);
    let torus = network.machine.shape.torus().expect("the links are those of a torus");
    assert_eq!(torus.sizes(), "4x4x4");
    let (origin, loads) = loads(&store, &network);
    assert_eq!(origin, Origin::Simulated);
    let links = truth["network_links"]["per_link"].as_object().unwrap();
    assert_eq!(links.len(), 384);
    for (name, link) in links {
        let (_, ends) = name.split_once("_from_").unwrap();
        let parts: Vec<&str> = ends.split('_').collect();
        let (from, to) = (parts[0].parse().unwrap(), parts[2].parse().unwrap());
        let (from, to) = if parts[3] == "UP" { (from, to) } else { (to, from) };
        let link_id = torus.link_between(Element(from), Element(to)).unwrap();
        let bytes = link["bytes"].as_f64().unwrap();
        assert!(
            (loads[link_id.index()] - bytes).abs() <= 2.0 + bytes * 1e-6,
            "{name}: {} {bytes}",
            loads[link_id.index()]
        );
    }
}

#[test]
fn predicted_links_carry_what_was_simulated() {
    let directory = tempfile::tempdir().unwrap();
    let Some((store, _)) = open("courier-torus444", directory.path()) else { return };
    let (_, simulated) = loads(&store, &network(&store, &[]));
    let (origin, predicted) = loads(&store, &network(&store, &[("traffic", "predicted"), ("routing", "dor-simgrid")]));
    assert_eq!(origin, Origin::Predicted);
    for (predicted, simulated) in predicted.iter().zip(&simulated) {
        // One message in flight at a time, so nothing is lost; rates are rounded to nanoseconds.
        assert!((predicted - simulated).abs() <= simulated * 1e-3 + 16.0, "{predicted} {simulated}");
    }
    let (_, plain) = loads(&store, &network(&store, &[("traffic", "predicted"), ("routing", "dor")]));
    let differing = plain.iter().zip(&simulated).filter(|(a, b)| (*a - *b).abs() > *b * 1e-2).count();
    assert_eq!(differing, 192, "halfway round a ring SimGrid decides otherwise");
}

/// The largest part by which a prediction differs from what was simulated, of links that carry at least that much.
fn largest_difference(predicted: &[f64], simulated: &[f64], at_least: f64) -> f64 {
    assert_eq!(predicted.len(), simulated.len());
    let differences = predicted.iter().zip(simulated).filter(|(one, other)| one.max(**other) >= at_least);
    differences.map(|(one, other)| (one - other).abs() / one.max(*other)).fold(0.0, f64::max)
}

#[test]
fn a_tree_carries_what_was_simulated_link_by_link() {
    let directory = tempfile::tempdir().unwrap();
    let Some((store, truth)) = open("courier-fattree64", directory.path()) else { return };
    let plain = network(&store, &[]);
    let shape = &plain.machine.shape;
    assert_eq!(shape.to_string(), "fat-tree:4^3");
    assert!(shape.classes().iter().all(|class| class.capacity == Some(1e10)));
    let (origin, simulated) = loads(&store, &plain);
    assert_eq!(origin, Origin::Simulated);
    // Every link of the file is one of the machine, and carries what the file says.
    let links = truth["network_links"]["per_link"].as_object().unwrap();
    assert_eq!((links.len(), simulated.len()), (384, 384));
    let bytes = |name: String| links[&name]["bytes"].as_f64().unwrap();
    let tree = shape.fat_tree().unwrap();
    // Switches are counted down from twice the number of nodes.
    let number = |element: Element| if element.0 < 64 { element.0 } else { 3 * 64 - 1 - element.0 };
    for cable in 0..tree.cables() {
        let (lower, upper) = tree.cable(cable);
        for (way, load) in ["UP", "DOWN"].into_iter().zip(&simulated[2 * cable as usize..]) {
            let bytes = bytes(format!("link_from_{}_{}_{cable}_{way}", number(lower), number(upper)));
            assert!((load - bytes).abs() <= 2.0 + bytes * 1e-6, "cable {cable} {way}: {load} {bytes}");
        }
    }
    let (origin, predicted) = loads(&store, &network(&store, &[("traffic", "predicted"), ("routing", "d-mod-k")]));
    assert_eq!(origin, Origin::Predicted);
    // One message in flight at a time, so nothing is lost; rates are written with six digits.
    let difference = largest_difference(&predicted, &simulated, 0.0);
    assert!(difference < 3e-4, "{difference}");
    let (_, spread) = loads(&store, &network(&store, &[("traffic", "predicted"), ("routing", "spread")]));
    assert!(largest_difference(&spread, &simulated, 0.0) > 0.1, "the receiver's number makes a difference");
    let sums = |loads: &[f64]| {
        let mut sums = [0.0; 3];
        for (link, load) in (0..).map(Link).zip(loads) {
            sums[shape.class(link)] += load;
        }
        sums
    };
    let [spread, simulated] = [sums(&spread), sums(&simulated)];
    assert!(largest_difference(&spread, &simulated, 0.0) < 3e-4, "but not to layers: {spread:?} {simulated:?}");
}

#[test]
fn a_dragonfly_carries_what_was_simulated_but_for_simgrids_slip() {
    let directory = tempfile::tempdir().unwrap();
    let Some((store, truth)) = open("courier-dragonfly72", directory.path()) else { return };
    let plain = network(&store, &[]);
    let fly = plain.machine.shape.dragonfly().expect("the links are those of a dragonfly").clone();
    assert_eq!((fly.to_string().as_str(), fly.plan().wiring), ("dragonfly:3x3x4x2:1", Wiring::Simgrid));
    // Four cables between two groups, two in a column: SimGrid makes one link of them that is as wide.
    assert_eq!(fly.plan().capacity, [Some(1e10), Some(1e10), Some(2e10), Some(4e10)]);
    let (origin, simulated) = loads(&store, &plain);
    assert_eq!((origin, simulated.len()), (Origin::Simulated, 2 * (72 + 54 + 36 + 3)));
    let all: f64 = simulated.iter().sum();
    let bytes = truth["network_links"]["sum_bytes"].as_f64().unwrap();
    assert!((all - bytes).abs() < bytes * 1e-6, "{all} {bytes}");
    let (_, predicted) = loads(&store, &network(&store, &[("traffic", "predicted"), ("routing", "minimal")]));
    // Nodes, rows and groups: the same, link by link. Of small loads six digits of a rate over nanoseconds are not much.
    let of = |loads: &[f64], columns: bool| -> Vec<f64> {
        let is_column = |link: usize| fly.kind(link as u32 / 2) == CableKind::Column;
        loads.iter().enumerate().filter(|(link, _)| is_column(*link) == columns).map(|(_, load)| *load).collect()
    };
    let difference = largest_difference(&of(&predicted, false), &of(&simulated, false), 0.0);
    assert!(difference < 3e-3, "{difference}");
    let difference = largest_difference(&of(&predicted, false), &of(&simulated, false), 1e6);
    assert!(difference < 3e-4, "{difference}");
    // Columns: not.
    let [columns, simulated_columns] = [of(&predicted, true), of(&simulated, true)];
    let differing = columns.iter().zip(&simulated_columns).filter(|(a, b)| (*a - *b).abs() > 3e-3 * a.max(**b)).count();
    assert_eq!((columns.len(), differing), (72, 72));
    // SimGrid takes a message that has gone along a row to its receiver's column to be in the first row, wherever it is. With
    // the same slip the prediction is right.
    let minimal = routing(RoutingKind::Minimal, &plain.machine.shape).unwrap();
    let mut slipped = vec![0.0; simulated.len()];
    for row in truth["pairs_fifo_src_dst_count_bytes"].as_array().unwrap() {
        let [from, to] = [0, 1].map(|at| Element(row[at].as_u64().unwrap() as u32));
        let mut path = minimal.path(from, to, 0);
        let (columns, per_group) = (fly.plan().columns, fly.per_group());
        let end = fly.router_of(to);
        let last_row = path.iter().rposition(|link| fly.kind(link.0 / 2) == CableKind::Row);
        let is_final = |at: &usize| fly.router_of(fly.ends(path[*at]).1) % columns == end % columns;
        let in_group = |at: &usize| fly.group_of(fly.ends(path[*at]).1) == fly.group_of(to);
        if let Some(turn) = last_row.filter(|at| is_final(at) && in_group(at)) {
            path.truncate(turn + 1);
            let first_row = end / per_group * per_group + end % columns;
            path.extend(fly.local_link(first_row, end));
            path.push(Link(2 * to.0 + 1));
        }
        for link in path {
            slipped[link.index()] += row[3].as_f64().unwrap();
        }
    }
    let difference = largest_difference(&slipped, &simulated, 0.0);
    assert!(difference < 3e-3, "{difference}");
}

#[test]
fn trees_and_dragonflies_of_other_programs_open_too() {
    let directory = tempfile::tempdir().unwrap();
    for (name, shape) in [
        ("halo-fattree64-grouped", "fat-tree:4^3"),
        ("ktree-fattree64", "fat-tree:4^3"),
        ("grid3d-dragonfly72", "dragonfly:3x3x4x2:1"),
    ] {
        let Some((store, _)) = open(name, directory.path()) else { return };
        let plain = network(&store, &[]);
        assert_eq!(plain.machine.shape.to_string(), shape, "{name}");
        let (origin, simulated) = loads(&store, &plain);
        assert_eq!(origin, Origin::Simulated, "{name}");
        let (_, predicted) = loads(&store, &network(&store, &[("traffic", "predicted")]));
        let [simulated, predicted] = [simulated, predicted].map(|loads| loads.iter().sum::<f64>());
        // What shares a link is simulated as less than it is.
        assert!(simulated > 0.0 && simulated <= predicted * 1.001, "{name}: {simulated} {predicted}");
    }
}
