//! Machines of other kinds than the torus through the program: files, utilisation, comparisons, and what is wrong with them.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use common::Place;
use serde_json::Value;

const CONF: &str = include_str!("../../heddle-network/tests/data/slurm-tree.conf");
const FABRIC: &str = include_str!("../../heddle-network/tests/data/ibnetdiscover.txt");

/// The row of that name.
fn row<'a>(rows: &'a Value, name: &str) -> &'a Value {
    rows.as_array().unwrap().iter().find(|row| row["name"] == name).unwrap_or(&Value::Null)
}

#[test]
fn uniform_and_nearest_traffic_are_compared_layer_by_layer() {
    let place = Place::new();
    let args = ["network", "compare", "--topologies", "fat-tree:4^4", "--patterns", "uniform,nearest"];
    let said = place.ok(&args);
    for words in
        ["1  fat-tree:4^4, uniform: ", "256 nodes", "2  fat-tree:4^4, nearest: ", "layer 4", "of the fullest link"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    let told = place.json(&[&args[..], &["--json"]].concat());
    let carried =
        |column: usize, layer: &str| row(&told[column]["utilisation"]["links"], layer)["bytes"].as_f64().unwrap();
    // 256 ranks send a MiB each, up and down the cables of nodes; (256 - 64)/255 of it over the top, by the formula.
    assert!((carried(0, "layer 1") - 512.0 * 1_048_576.0).abs() < 1.0);
    assert!((carried(0, "layer 4") / carried(0, "layer 1") - 192.0 / 255.0).abs() < 1e-9);
    assert!(carried(1, "layer 4") < 0.3 * carried(1, "layer 1"), "neighbours stay below");
    assert!((carried(0, "layer 1") / carried(1, "layer 1") - 1.0).abs() < 1e-9, "as much is sent");
    let top = row(&told[0]["utilisation"]["layers"], "layer 4");
    assert_eq!((&top["count"], &top["idle"]), (&64.into(), &0.0.into()));
}

#[test]
fn a_trace_is_compared_on_several_machines_and_what_does_not_fit_is_told() {
    let place = Place::new();
    place.simulate("halo", &["--ranks", "64", "--iterations", "3", "--ranks-per-node", "1", "--periodic"]);
    let args = ["network", "compare", "halo.otf2", "--link-bandwidth", "12.5", "--topologies"];
    let told = place.json(&[&args[..], &["4x4x4,fat-tree:4x4x4,dragonfly:9x4x2,fat-tree:2x2", "--json"]].concat());
    assert_eq!(told[0]["utilisation"]["whole"], "of capacity");
    assert!(row(&told[0]["utilisation"]["links"], "x")["mean"].as_f64().unwrap() > 0.0);
    assert!(row(&told[1]["utilisation"]["links"], "layer 3")["mean"].as_f64().unwrap() > 0.0);
    assert!(row(&told[2]["utilisation"]["links"], "global")["mean"].as_f64().unwrap() > 0.0);
    assert!(told[3]["error"].as_str().unwrap().contains("the trace has 64 nodes and the machine 4"), "{}", told[3]);
    let said = place.ok(&[&args[..], &["4x4x4,fat-tree:4x4x4"]].concat());
    assert!(said.contains("per cent of capacity") && said.contains('–'), "{said}");
    place.fails(&[&args[..], &["fat-tree:2x2"]].concat(), 2, &["the trace has 64 nodes and the machine 4"]);
    place.fails(&[&args[..], &["4x4x4", "--mappings", "TXYZ"]].concat(), 2, &["--mappings"]);
    place.fails(&[&args[..], &["4x4x4", "-o", "x.png"]].concat(), 2, &["-o draws mappings"]);
}

#[test]
fn prediction_prints_utilisation_by_class_and_layer() {
    let place = Place::new();
    let args = ["network", "predict", "--topology", "fat-tree:4x4;1x2", "--pattern", "uniform"];
    let said = place.ok(&args);
    for words in
        ["fat-tree:4x4;1x2", "16 nodes", "utilisation, links", "nodes and switches", "layer 2", "--link-bandwidth says"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    // Half as many ways up as nodes: each carries twice as much of what goes there, 12 of 15 parts.
    let told = place.json(&[&args[..], &["--json"]].concat());
    let links = &told["utilisation"]["links"];
    let mean = |name: &str| row(links, name)["mean"].as_f64().unwrap();
    assert!((mean("layer 2") / mean("layer 1") - 2.0 * 12.0 / 15.0).abs() < 1e-9, "{links}");
    place.simulate("halo", &["--ranks", "16", "--iterations", "3", "--ranks-per-node", "1"]);
    let said = place.ok(&["network", "predict", "halo.otf2", "--topology", "fat-tree:4x4", "--link-bandwidth", "1"]);
    assert!(said.contains("per cent of capacity"), "{said}");
    place.fails(
        &["network", "predict", "halo.otf2", "--topology", "fat-tree:4x4", "--routing", "asp"],
        2,
        &["asp is no routing of a fat-tree; use d-mod-k or spread"],
    );
    place.fails(
        &["network", "predict", "halo.otf2", "--link-bandwidth", "fast"],
        2,
        &["--link-bandwidth", "a number of GB/s"],
    );
}

#[test]
fn files_describe_machines_for_prediction_and_simulation() {
    let place = Place::new();
    std::fs::write(place.path("topology.conf"), CONF).unwrap();
    std::fs::write(place.path("fabric.txt"), FABRIC).unwrap();
    let said = place.ok(&["network", "predict", "--topology", "topology.conf", "--pattern", "uniform"]);
    assert!(said.contains(" · 18 nodes") && said.contains("Slurm does not know cables"), "{said}");
    // A run on the fabric, ranks on the hosts of a list; the trace then says itself where they sit.
    std::fs::write(place.path("ranks.txt"), "n3\nn1\nn2\n").unwrap();
    let on = ["--topology", "fabric.txt", "--mapping", "ranks.txt", "--ranks-per-node", "1"];
    place.ok(&[&["simulate", "uniform", "--ranks", "3", "--rounds", "4", "-o", "run.heddle"], &on[..]].concat());
    let said = place.ok(&["network", "predict", "run.heddle", "--topology", "fabric.txt"]);
    assert!(said.contains("placed as in the trace") && said.contains("of capacity"), "{said}");
    let csv = place.ok(&["export", "run.heddle", "--table", "links", "--topology", "fabric.txt"]);
    assert!(csv.contains("n3") && csv.contains("spine 1"), "{csv}");
    // What is wrong is told with its file and line.
    std::fs::write(place.path("bad.conf"), "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[2-3]\n").unwrap();
    let line = ["bad.conf", "line 2", "host `n2` is on `b` and, in line 1, on `a`"];
    place.fails(&["network", "predict", "run.heddle", "--topology", "bad.conf"], 2, &line);
    place.fails(&["simulate", "uniform", "--ranks", "3", "--topology", "bad.conf", "-o", "x.heddle"], 2, &line);
    std::fs::write(place.path("other.conf"), "SwitchName=a Nodes=n[1-2]\n").unwrap();
    let missing = ["other.conf", "no host n3", "which the trace has"];
    place.fails(&["network", "predict", "run.heddle", "--topology", "other.conf"], 2, &missing);
    std::fs::write(place.path("parts.conf"), "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n3\n").unwrap();
    let said = place.ok(&["network", "predict", "run.heddle", "--topology", "parts.conf"]);
    assert!(said.contains("falls into 2 parts") && said.contains("cannot get there"), "{said}");
    let apart = ["no cable joins the parts"];
    let args =
        ["simulate", "uniform", "--ranks", "3", "--ranks-per-node", "1", "--topology", "parts.conf", "-o", "x.heddle"];
    place.fails(&args, 2, &apart);
    place.fails(
        &["simulate", "uniform", "--topology", "nowhere.conf", "-o", "x.heddle"],
        2,
        &["--topology", "nowhere.conf"],
    );
}

#[test]
fn the_two_programs_make_the_traffic_that_they_are_called_by() {
    let place = Place::new();
    place.ok(&["simulate", "uniform", "--ranks", "16", "--rounds", "5", "--bytes", "1000", "-o", "u.heddle"]);
    let info = place.json(&["info", "u.heddle", "--json"]);
    assert_eq!((&info["ranks"], &info["messages"]), (&16.into(), &80.into()), "{info}");
    place.ok(&["simulate", "nearest", "--ranks", "24", "--grid", "2x3x4", "--rounds", "2", "-o", "n.heddle"]);
    assert_eq!(place.json(&["info", "n.heddle", "--json"])["messages"], 24 * 6 * 2);
    place.fails(
        &["simulate", "nearest", "--ranks", "24", "--grid", "5x5x1", "-o", "x.heddle"],
        2,
        &["5x5x1", "24 ranks"],
    );
    place.fails(&["simulate", "nearest", "--grid", "5x5", "-o", "x.heddle"], 2, &["three lengths"]);
}
