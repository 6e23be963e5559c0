//! `heddle info --json` against what a plain JSON parser counted in real traces of PyTorch's profiler.
//!
//! The one row of category `Trace` is not a span here: it is the profiler's word about its own window.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use serde_json::Value;

use common::{Place, text};
use heddle_testkit::sample_traces;

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

fn sum(object: &Value, key: &str) -> u64 {
    object.as_object().unwrap().values().map(|entry| number(&entry[key])).sum()
}

fn check(info: &Value, truth: &Value, name: &str) {
    let window = &truth["spans_by_cat"]["Trace"];
    let rows = truth["communication_rows_on_cpu"].as_object().unwrap().iter();
    let gloo: u64 = rows.filter(|(row, _)| row.starts_with("gloo:")).map(|(_, count)| number(count)).sum();
    for (key, expected) in [
        ("spans", number(&truth["spans"]["total"]) - number(&window["count"])),
        ("events", number(&truth["events"])),
        ("collectives", sum(&truth["nccl_kernels"], "count") + gloo),
        ("messages", 0),
        ("unmatched_sends", 0),
        ("start_ns", 0),
    ] {
        assert_eq!(number(&info[key]), expected, "{name}: {key}");
    }
    assert_eq!(info["format"], "chrome", "{name}");
    if let Some(world) = truth["distributedInfo"]["world_size"].as_u64() {
        assert_eq!(number(&info["ranks"]), world, "{name}: ranks");
    }
    let regions = info["regions"].as_array().unwrap();
    let total = |key: &str| regions.iter().map(|region| number(&region[key])).sum::<u64>();
    assert_eq!(total("count"), number(&info["spans"]), "{name}: counts of regions");
    let time = sum(&truth["spans_by_cat"], "dur_ns") - number(&window["dur_ns"]);
    assert_eq!(total("total_ns"), time, "{name}: time in regions");
    let tracks = number(&truth["pid_tid_pairs_with_spans"]) - u64::from(window["count"].is_u64());
    assert!(number(&info["locations"]) >= tracks, "{name}: locations");
}

#[test]
fn info_agrees_with_the_truth_files() {
    let Some(folder) = sample_traces("kineto") else { return };
    let place = Place::new();
    let mut checked = 0;
    for file in common::names_in(&folder) {
        let Some(name) = file.strip_suffix(".json.gz") else { continue };
        let truth: Value =
            serde_json::from_slice(&std::fs::read(folder.join(format!("{name}.truth.json"))).unwrap()).unwrap();
        check(&place.json(&["info", "--json", text(&folder.join(&file))]), &truth, name);
        checked += 1;
    }
    assert!(checked > 0, "HEDDLE_TRACES is set, but {} has no traces", folder.display());
}

#[test]
fn files_of_several_ranks_are_one_trace() {
    let Some(folder) = sample_traces("kineto") else { return };
    let place = Place::new();
    let file = |name: &str| folder.join(name);
    let (first, second) = (file("sampled-128ranks-rank0.json.gz"), file("sampled-128ranks-rank1.json.gz"));
    let info = place.json(&["info", "--json", text(&first), text(&second)]);
    assert_eq!((number(&info["ranks"]), number(&info["spans"])), (128, 4_810 + 4_675));
    assert_eq!(number(&info["collectives"]), 15, "ten of each rank, five of them the same");
    place.fails(&["info", text(&first), text(&file("nccl-2ranks-rank0.json.gz"))], 1, &["rank 0", "nccl-2ranks"]);
    place.fails(&["info", text(&first), text(&first)], 1, &["named twice"]);
}

#[test]
fn files_that_are_not_one_trace_are_refused_with_words() {
    let place = Place::new();
    let (one, two) = (place.simulate("one", &["--ranks", "4"]), place.simulate("two", &["--ranks", "4"]));
    std::fs::write(place.path("a.json"), r#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]"#).unwrap();
    place.fails(&["info", text(&one), text(&two)], 1, &["two traces", "heddle open"]);
    place.fails(&["info", "a.json", text(&two)], 1, &["chrome", "otf2", "different formats"]);
    assert_eq!(number(&place.json(&["info", "--json", "a.json"])["spans"]), 1);
    // A directory of one OTF2 archive and some JSON that is no trace is still that archive.
    std::fs::create_dir(place.path("run")).unwrap();
    place.simulate("run/traces", &["--ranks", "4"]);
    std::fs::write(place.path("run/notes.json"), r#"{"a":1}"#).unwrap();
    assert_eq!(place.json(&["info", "--json", "run"])["format"], "otf2");
}
