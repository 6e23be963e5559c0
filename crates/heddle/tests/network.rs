//! Boxfish runs through the program: imported, described, exported, and told apart from traces.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::collections::BTreeMap;

use common::{Place, text};
use heddle_testkit::{MadeRun, sample_traces};
use serde_json::Value;

/// A small run, and the argument that opens it.
fn made(place: &Place) -> String {
    let communicators = vec![("line".to_owned(), 0, vec![0, 1])];
    let run = MadeRun { regions: vec![-1, 4, 4], communicators, ..MadeRun::torus(&[4, 3, 2]) };
    let packets = |link: &heddle_testkit::MadeLink, region: i64| if region < 0 { 0 } else { 10 + link.id as i64 };
    run.write(&place.path("run"), "made", packets, |node, _| if node == [1, 2, 1] { -5 } else { 7 });
    "run/made_meta.yaml".to_owned()
}

#[test]
fn a_run_is_described_in_words_and_in_json() {
    let place = Place::new();
    let run = made(&place);
    let said = place.ok(&["info", &run]);
    for words in [
        "made (boxfish)",
        "a measured network: counters of its nodes and links, without times, calls or messages",
        "4x3x2 torus, made · 24 nodes · 120 links · 2 sections · 24 ranks · 1 communicator",
        "outside the marked regions",
        "impossible-values (3 times",
        "flops of node (1,2,1) in section 4: -5",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains("0 events") && !said.contains("empty"), "{said}");
    let info = place.json(&["info", &run, "--json", "--findings"]);
    assert_eq!((&info["format"], &info["ranks"], &info["spans"]), (&"boxfish".into(), &24.into(), &0.into()));
    let network = &info["network"];
    assert_eq!(
        (&network["source"], &network["nodes"], &network["links"]),
        (&"measured".into(), &24.into(), &120.into())
    );
    assert_eq!(network["dimensions"][2], serde_json::json!({"name": "z", "size": 2, "wraps": true}));
    assert_eq!(network["sections"][1]["visits"], 2);
    assert_eq!(info["communicators"], 1, "a measurement has no messages, and yet communicators that matter");
    let packets = &network["counters"][0];
    assert_eq!(
        (&packets["name"], &packets["of"], &packets["measured"]),
        (&"packets".into(), &"links".into(), &120.into())
    );
    assert_eq!((&packets["min"], &packets["max"]), (&20.0.into(), &(2.0 * (10.0 + 119.0)).into()));
    let flops = &network["counters"][1];
    assert_eq!((&flops["min"], &flops["max"], &flops["impossible"]), (&21.0.into(), &21.0.into(), &2.into()));
    // Traces say nothing of networks.
    place.simulate("halo", &["--ranks", "4", "--iterations", "2"]);
    assert!(place.json(&["info", "halo.otf2", "--json"]).get("network").is_none());
}

#[test]
fn links_are_exported_one_row_per_link_and_section() {
    let place = Place::new();
    let run = made(&place);
    let csv = place.ok(&["export", &run, "--table", "links"]);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "source,src,dst,class,dim,dir,section,packets,bytes");
    assert_eq!(lines.len(), 1 + 2 * 120);
    assert_eq!(lines[1], "measured,\"(0,0,0)\",\"(1,0,0)\",torus,x,+,-1,0,");
    assert_eq!(lines[121], "measured,\"(0,0,0)\",\"(1,0,0)\",torus,x,+,4,20,");
    assert_eq!(lines[122], "measured,\"(0,0,0)\",\"(3,0,0)\",torus,x,-,4,22,");
    place.ok(&["export", &run, "--table", "links", "--to", "arrow", "-o", "links.arrow"]);
    assert!(place.path("links.arrow").is_file());
    place.simulate("halo", &["--ranks", "4", "--iterations", "2"]);
    let machine = ["--topology", "2x2", "--ranks-per-node", "1"];
    let predicted = place.ok(&[&["export", "halo.otf2", "--table", "links"], &machine[..]].concat());
    assert!(
        predicted.lines().nth(1).unwrap().starts_with("predicted,"),
        "a trace has no counters: what links carry is predicted"
    );
}

#[test]
fn further_counters_are_further_columns() {
    let place = Place::new();
    let run = made(&place);
    let file = place.path("run/made_links.yaml");
    let links = std::fs::read_to_string(&file).unwrap();
    let (header, rows) = links.split_once("...\n").unwrap();
    let rows: String = rows.lines().map(|row| row.to_owned() + " 2.5 64\n").collect();
    std::fs::write(&file, format!("{header}- [stalls, float64]\n- [bytes, int64]\n...\n{rows}")).unwrap();
    let csv = place.ok(&["export", &run, "--table", "links"]);
    assert!(csv.starts_with("source,src,dst,class,dim,dir,section,packets,bytes,stalls\n"), "{csv}");
    assert!(csv.contains("measured,\"(0,0,0)\",\"(1,0,0)\",torus,x,+,4,20,128,5\n"), "{csv}");
}

#[test]
fn a_run_is_found_by_its_folder_and_by_any_of_its_files() {
    let place = Place::new();
    let run = made(&place);
    for other in ["run", "run/made_links.yaml", "run/made_map.yaml"] {
        assert_eq!(place.json(&["info", other, "--json"])["name"], "made", "{other}");
    }
    std::fs::write(place.path("other.yaml"), "---\nanimal: boxfish\n...\n").unwrap();
    place.fails(&["info", "other.yaml"], 1, &["other.yaml", "not a trace", "boxfish"]);
    // A store is still found beside files that are only called like traces.
    place.ok(&["import", &run, "-o", "alone/made.heddle"]);
    std::fs::write(place.path("alone/notes.yaml"), "a: b\n").unwrap();
    assert_eq!(place.json(&["info", "alone", "--json"])["format"], "boxfish");
}

#[test]
fn a_change_of_any_table_is_noticed() {
    let place = Place::new();
    let run = made(&place);
    let most = || place.json(&["info", &run, "--json"])["network"]["counters"][1]["max"].clone();
    assert_eq!(most(), Value::from(21.0));
    let nodes = std::fs::read_to_string(place.path("run/made_nodes.yaml")).unwrap();
    std::fs::write(place.path("run/made_nodes.yaml"), nodes.replace("0 0 0 0 4 7 ", "0 0 0 0 4 9 ")).unwrap();
    assert_eq!(most(), Value::from(25.0));
}

#[test]
fn what_a_run_cannot_give_is_said() {
    let place = Place::new();
    let run = made(&place);
    let done = place.run(&["import", &run, "--force"]);
    assert!(done.stderr.contains("a measured network") && done.stderr.contains("120 links"), "{}", done.stderr);
    let done = place.run(&["export", &run, "--to", "otf2", "-o", "out.otf2"]);
    assert!(done.code == Some(0) && done.stderr.contains("counters of the network are left out"), "{}", done.stderr);
    for view in ["activity", "timeline", "calls", "matrix"] {
        place.ok(&["render", view, &run, "-o", "x.png"]);
    }
    std::fs::write(place.path("run/made_meta.yaml"), "hardware: {coords: [x], dim: {x: 4}\n").unwrap();
    place.fails(&["info", &run, "--store", "elsewhere"], 1, &["made_meta.yaml, line", "not YAML"]);
}

#[test]
fn the_store_and_the_export_of_real_runs_agree_with_truth() {
    let Some(folder) = sample_traces("network") else { return };
    let place = Place::new();
    for name in ["bgpc", "collex", "bgq_synthetic"] {
        let meta = folder.join(name).join(format!("{name}_meta.yaml"));
        let truth: Value =
            serde_json::from_slice(&std::fs::read(folder.join(name).join("truth.json")).unwrap()).unwrap();
        let packets = &truth["counters"]["packets"];
        let info = place.json(&["info", text(&meta), "--json"]);
        let network = &info["network"];
        assert_eq!((&network["nodes"], &network["links"]), (&truth["nodes"], &truth["links_directed"]), "{name}");
        let told = &network["counters"][0];
        for key in ["min", "max", "sum"] {
            assert_eq!(told[key].as_f64(), packets["per_link_summed_over_all_rows"][key].as_f64(), "{name} {key}");
        }
        assert_eq!(network["communicators"], truth["communicators"]["count"].as_u64().unwrap_or(0), "{name}");
        assert_eq!(info["ranks"], truth["rank_map"]["ranks"].as_u64().unwrap_or(0), "{name}");
        // Rows of the export, added up by direction.
        let csv = place.ok(&["export", text(&meta), "--table", "links"]);
        let mut sums: BTreeMap<String, f64> = BTreeMap::new();
        for line in csv.lines().skip(1) {
            let behind = line.split("torus,").nth(1).unwrap();
            let cells: Vec<&str> = behind.split(',').collect();
            *sums.entry(format!("{}{}", cells[1], cells[0])).or_default() += cells[3].parse::<f64>().unwrap();
        }
        for (way, truth) in packets["by_direction"].as_object().unwrap().iter().filter(|(way, _)| !way.contains(':')) {
            assert_eq!(Some(sums[way]), truth["sum"].as_f64(), "{name} {way}");
        }
        let sections = truth["code_regions_in_order_of_first_appearance"].as_array().unwrap().len();
        assert_eq!(
            csv.lines().count() as u64,
            1 + sections as u64 * truth["links_directed"].as_u64().unwrap(),
            "{name}"
        );
    }
}
