//! `heddle network`: traffic predicted, mappings compared and searched for, and what is wrong said in words.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use common::Place;

const MACHINE: [&str; 4] = ["--topology", "4x4x4", "--ranks-per-node", "4"];

fn run(place: &Place) -> &'static str {
    place.ok(&["simulate", "pf3d", "--ranks", "256", "--part", "fft", "--steps", "1", "-o", "x.heddle"]);
    "x.heddle"
}

fn with<'a>(words: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [words, &MACHINE, more].concat()
}

#[test]
fn links_are_told_in_figures_and_the_kind_of_traffic_is_named() {
    let place = Place::new();
    let trace = run(&place);
    let said = place.ok(&with(&["network", "predict", trace], &["--mapping", "TXYZ"]));
    for words in [
        "4x4x4 torus",
        "ranks placed by TXYZ, up to 4 per node",
        "predicted bytes",
        "all-to-all of 16 ranks",
        "fullest",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let told = place.json(&with(&["network", "predict", trace, "--json"], &["--mapping", "TXYZ"]));
    assert_eq!((&told["origin"], &told["is_bytes"]), (&"predicted".into(), &true.into()));
    assert_eq!(told["sections"].as_array().unwrap().len(), 3);
    let table = place.ok(&with(&["export", trace, "--table", "links"], &["--mapping", "TXYZ"]));
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows[0], "source,src,dst,class,dim,dir,section,packets,bytes");
    assert_eq!(rows.len(), 1 + 3 * 384, "each link in each section");
    assert!(rows[1].starts_with("predicted,\"(0,0,0)\",\"(1,0,0)\",torus,x,+,"), "{}", rows[1]);
    // What is not said is assumed, and that is said.
    assert!(place.ok(&["network", "predict", trace]).contains("(assumed: the trace does not say"));
}

#[test]
fn a_pattern_needs_no_trace() {
    let place = Place::new();
    let told = place.json(&["network", "predict", "--topology", "5x5", "--pattern", "all-to-all", "--json"]);
    assert_eq!(told["all"]["links"], 100);
    let message =
        place.ok(&["network", "predict", "--topology", "mesh:5x5", "--pattern", "message:0:4", "--routing", "dor"]);
    assert!(message.contains("y links carry nothing"), "{message}");
    place.ok(&["render", "torus", "--topology", "5x5", "--pattern", "deposit:12", "-o", "d.svg", "--size", "600x500"]);
    for (args, words) in [
        (&["render", "torus", "-o", "x.png"][..], "which trace? Only a --pattern is shown without one"),
        (&["network", "predict", "--pattern", "all-to-all"], "needs a --topology"),
        (
            &["network", "predict", "--topology", "5x5", "--pattern", "broadcast:25"],
            "names rank 25, but the last rank is 24",
        ),
        (&["network", "predict", "--topology", "5x5", "--pattern", "gossip"], "must be message:FROM:TO"),
    ] {
        place.fails(args, 2, &[words]);
    }
}

#[test]
fn mappings_are_compared_and_a_proposed_one_is_never_worse() {
    let place = Place::new();
    let trace = run(&place);
    let rows =
        place.json(&with(&["network", "compare", trace, "--json"], &["--mappings", "TXYZ;XYZT;block;tile:3x3x3"]));
    assert_eq!(rows[0]["max"], rows[2]["max"], "block is TXYZ by another name");
    assert!(rows[3]["error"].as_str().unwrap().contains("does not fill 4x4x4"));
    let said = place.json(&with(
        &["network", "optimize", trace, "--json", "--swaps", "5000", "-o", "better.map"],
        &["--mapping", "TXYZ"],
    ));
    let (before, best, after) = (&said["before"]["value"], &said["best_rule"]["value"], &said["after"]["value"]);
    assert!(after.as_f64() <= best.as_f64() && best.as_f64() <= before.as_f64(), "{said}");
    // The map file is read back, and does what was promised.
    let told = place.json(&with(&["network", "predict", trace, "--json"], &["--mapping", "better.map"]));
    let compared = place
        .json(&with(&["network", "compare", trace, "--json"], &["--mapping", "better.map", "--mappings", ";TXYZ"]));
    assert_eq!(compared[0]["name"], "better.map");
    let proposed = compared[0]["max"].as_f64().unwrap();
    assert!((proposed - after.as_f64().unwrap()).abs() <= proposed * 1e-6, "{proposed} {after}");
    assert!(told["all"]["max"].is_string());
}

#[test]
fn what_does_not_fit_is_named_with_its_line() {
    let place = Place::new();
    let trace = run(&place);
    std::fs::write(place.path("double.map"), "0 0 0 0\n# a remark\n0 0 0 0\n").unwrap();
    std::fs::write(place.path("hosts.txt"), "0 node-7\n1 elsewhere\n").unwrap();
    std::fs::write(
        place.path("tree.xml"),
        "<platform>\n<cluster radical=\"0-15\" topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,2\"/>",
    )
    .unwrap();
    for (more, words) in [
        (
            &["--mapping", "double.map"][..],
            "--mapping: double.map: line 3: (0,0,0), core 0 is given twice, first in line 1",
        ),
        (&["--mapping", "hosts.txt"], "--mapping: hosts.txt: line 1: `node-7` is no host of this machine"),
        (&["--mapping", "TXYQ"], "--mapping: "),
        (&["--mapping", "tile:3x3x3"], "does not fill 4x4x4"),
        (&["--routing", "luck"], "must be one of asp, dor, dor-simgrid"),
    ] {
        place.fails(&with(&["network", "predict", trace], more), 2, &[words]);
    }
    let tree = ["network", "predict", trace, "--topology", "tree.xml"];
    place.fails(&tree, 2, &["--topology: tree.xml: line 2: topo_parameters are `2;4,4;1,2`; expected levels, children, parents and cables"]);
    place.fails(&["network", "predict", trace, "--topology", "2x2"], 2, &["nodes"]);
    place.fails(
        &["export", trace, "--table", "spans", "--topology", "4x4x4"],
        2,
        &["only --table links depends on it"],
    );
}
