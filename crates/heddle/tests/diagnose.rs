//! `heddle diagnose`, `info --efficiency` and the tables of a diagnosis, as a user meets them.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod common;
use common::Place;
use heddle_testkit::sample_traces;

use serde_json::Value;

/// Numbers of a column of a table in CSV.
fn column(csv: &str, name: &str) -> Vec<f64> {
    let mut lines = csv.lines();
    let at = lines.next().unwrap().split(',').position(|head| head == name).unwrap();
    lines.map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
}

#[test]
fn a_slow_rank_is_named_with_its_cost_and_evidence() {
    let place = Place::new();
    place.simulate("run", &["--ranks", "16", "--iterations", "60", "--slow-rank", "5"]);
    let told = place.json(&["diagnose", "run.otf2", "--json"]);
    assert_eq!(told["verdict"], "faulty", "{told:#}");
    let first = &told["findings"][0];
    assert_eq!((&first["kind"], &first["ranks"]), (&"slow-ranks".into(), &serde_json::json!([5])), "{first:#}");
    assert_eq!(first["function"], "compute");
    let length = told["efficiency"][0]["to_ns"].as_i64().unwrap() - told["efficiency"][0]["from_ns"].as_i64().unwrap();
    assert!(first["without_ns"].as_i64().unwrap() < length, "{first:#}");
    assert!(first["cost_share"].as_f64().unwrap() > 0.02);
    assert!(first["text"].as_str().unwrap().starts_with("Rank 5 computes slowly"));
    for key in ["since_ns", "until_ns"] {
        assert!(first[key].is_i64(), "{key}");
    }
    assert!(first["nodes"].as_array().unwrap().is_empty(), "a rank accuses no node");
    let shares: f64 = told["split"].as_array().unwrap().iter().map(|part| part["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-9);
    // The same in words and as Markdown, and first among the findings of `info`.
    let text = place.ok(&["diagnose", "run.otf2"]);
    assert!(text.starts_with("Rank 5 computes slowly: that costs "), "{text}");
    assert!(text.contains("Without it: ") && text.contains("parallel efficiency"), "{text}");
    let markdown = place.ok(&["diagnose", "run.otf2", "--markdown"]);
    assert!(markdown.starts_with("# Diagnosis\n") && markdown.contains("## 1. Rank 5 computes slowly"), "{markdown}");
    let info = place.json(&["info", "run.otf2", "--findings", "--json"]);
    assert_eq!(info["diagnosis"]["verdict"], "faulty");
    assert!(info["diagnosis"]["sentences"][0].as_str().unwrap().contains("ank 5"));
    assert_eq!(place.ok(&["diagnose", "run.otf2", "--json"]), place.ok(&["diagnose", "run.otf2", "--json"]));
}

#[test]
fn a_clean_run_is_balanced() {
    let place = Place::new();
    place.simulate("run", &["--ranks", "16", "--iterations", "60"]);
    let told = place.json(&["diagnose", "run.otf2", "--json"]);
    assert_eq!((&told["verdict"], &told["findings"]), (&"balanced".into(), &Value::Array(Vec::new())), "{told:#}");
    assert!(told["headline"].as_str().unwrap().contains("nobody stands out"));
    let info = place.ok(&["info", "run.otf2", "--findings"]);
    assert!(!info.contains("comes last") && !info.contains("to blame"), "{info}");
}

#[test]
fn tables_agree_with_each_other() {
    let place = Place::new();
    place.simulate("run", &["--ranks", "8", "--iterations", "20", "--slow-rank", "3"]);
    let waits = place.ok(&["export", "run.otf2", "--table", "waits"]);
    let head = "rank,region,kind,start_ns,wait_ns,culprit_rank,culprit_region,location,culprit_location,is_capped";
    assert_eq!(waits.lines().next().unwrap(), head);
    let delays = place.ok(&["export", "run.otf2", "--table", "delays"]);
    assert!(delays.starts_with("rank,region,short_ns,long_ns,location\n"), "{delays}");
    // Costs add up to all waiting.
    let waiting: f64 = column(&waits, "wait_ns").iter().sum();
    let costs: f64 = column(&delays, "short_ns").iter().chain(&column(&delays, "long_ns")).sum();
    assert!(waiting > 0.0 && (waiting - costs).abs() < 1e-3 * waiting, "{waiting} {costs}");
    // The path touches, and is as long as the run.
    let path = place.ok(&["export", "run.otf2", "--table", "critical-path"]);
    let (starts, ends) = (column(&path, "start_ns"), column(&path, "end_ns"));
    assert!(starts.iter().skip(1).zip(&ends).all(|(start, end)| (start - end).abs() < 0.5), "{path}");
    let info = place.json(&["info", "run.otf2", "--json"]);
    let length = info["end_ns"].as_f64().unwrap() - info["start_ns"].as_f64().unwrap();
    assert!((ends.last().unwrap() - starts[0] - length).abs() < 0.5, "{length}");
    place.ok(&["export", "run.otf2", "--table", "critical-path", "--to", "arrow", "-o", "path.arrow"]);
    assert!(place.path("path.arrow").metadata().unwrap().len() > 0);
}

#[test]
fn efficiencies_multiply_and_runs_are_compared() {
    let place = Place::new();
    for ranks in ["4", "16"] {
        place.simulate(&format!("r{ranks}"), &["--ranks", ranks, "--iterations", "30"]);
    }
    let told = place.json(&["info", "--efficiency", "r16.otf2", "--against", "r4.otf2", "--json"]);
    let run = &told["efficiencies"][0];
    let of = |key: &str| run[key].as_f64().unwrap();
    assert!((of("parallel") - of("load_balance") * of("communication")).abs() < 1e-9, "{run:#}");
    assert!((of("communication") - of("serialisation") * of("transfer")).abs() < 1e-9, "{run:#}");
    let scaling = &told["scaling"];
    assert_eq!(scaling["scaling"], "weak", "every rank computes as much as before: {scaling:#}");
    let ranks: Vec<u64> =
        scaling["runs"].as_array().unwrap().iter().map(|run| run["ranks"].as_u64().unwrap()).collect();
    assert_eq!(ranks, [4, 16]);
    let text = place.ok(&["info", "--efficiency", "r16.otf2", "--against", "r4.otf2", "--scaling", "strong"]);
    assert!(
        text.contains("strong scaling") && text.contains("speed-up") && text.contains("computation scaling"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_diagnosed_is_said_and_wrong_arguments_are_refused() {
    let place = Place::new();
    place.simulate("one", &["--ranks", "1", "--iterations", "5"]);
    let told = place.json(&["diagnose", "one.otf2", "--json"]);
    assert_eq!(told["verdict"], "unknown");
    assert!(told["headline"].as_str().unwrap().contains("nobody to compare"), "{told:#}");
    place.fails(&["diagnose"], 2, &["TRACE"]);
    place.fails(&["diagnose", "one.otf2", "--json", "--markdown"], 2, &["--markdown"]);
    place.fails(&["info", "one.otf2", "--against", "one.otf2"], 2, &["--efficiency"]);
    place.fails(&["diagnose", "none.otf2"], 1, &["none.otf2"]);
    place.fails(&["export", "one.otf2", "--table", "waits", "--leap-merge"], 2, &["leap-merge"]);
}

#[test]
fn clocks_alone_are_not_blamed_where_ends_of_messages_have_no_partner() {
    let Some(folder) = sample_traces("simgrid") else { return };
    let place = Place::new();
    let trace = folder.join("grid3d-fattree64-internals.trace.gz");
    // One clock, and receives that end twice.
    let told = place.json(&["diagnose", trace.to_str().unwrap(), "--json"]);
    assert_eq!((&told["verdict"], &told["findings"]), (&"unknown".into(), &Value::Array(Vec::new())), "{told:#}");
    let headline = told["headline"].as_str().unwrap();
    assert!(headline.starts_with("Times contradict each other: "), "{headline}");
    assert!(headline.contains("or messages are paired wrongly (384 ends without a partner)."), "{headline}");
}

#[test]
fn broken_clocks_make_it_silent() {
    let place = Place::new();
    let fault = ["--ranks", "16", "--iterations", "40", "--fault", "clock:rank=3,offset=40ms"];
    place.simulate("run", &fault);
    let told = place.json(&["diagnose", "run.otf2", "--json"]);
    assert_eq!(told["verdict"], "unknown", "{told:#}");
    assert_eq!((&told["clocks"]["is_broken"], &told["findings"]), (&true.into(), &Value::Array(Vec::new())));
    assert!(told["headline"].as_str().unwrap().starts_with("The clocks disagree: "), "{told:#}");
    assert!(told["efficiency"].as_array().unwrap().is_empty(), "they rest on time");
    assert!(told["split"][0]["share"].as_f64().unwrap() > 0.1, "what was useful is known: {told:#}");
    let info = place.ok(&["info", "run.otf2", "--findings"]);
    assert!(info.contains("Clocks disagree") && !info.contains("begin apart"), "{info}");
}

#[test]
fn a_trace_that_was_cut_short_is_diagnosed_as_far_as_it_goes() {
    let place = Place::new();
    place.simulate("run", &["--ranks", "8", "--iterations", "40", "--slow-rank", "2"]);
    let mut events: Vec<_> = walk(&place.path(".")).into_iter().filter(|path| path.ends_with("3.evt")).collect();
    let cut = events.pop().unwrap();
    let bytes = std::fs::read(&cut).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let told = place.json(&["diagnose", "run.otf2", "--json"]);
    assert!(["faulty", "balanced", "uneven", "unknown"].contains(&told["verdict"].as_str().unwrap()));
    for finding in told["findings"].as_array().unwrap() {
        assert_ne!(finding["ranks"], serde_json::json!([3]), "a rank whose records end is not slow: {told:#}");
    }
    let shares = told["split"].as_array().unwrap().iter().map(|part| part["share"].as_f64().unwrap());
    assert!(shares.clone().all(|share| (0.0..=1.0).contains(&share)) && (shares.sum::<f64>() - 1.0).abs() < 1e-9);
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(walk(&path)) } else { found.push(path) }
    }
    found
}

#[test]
fn a_trace_that_is_not_whole_is_never_called_balanced() {
    let place = Place::new();
    place.simulate("run", &["--ranks", "8", "--iterations", "40"]);
    let cut = walk(&place.path(".")).into_iter().find(|path| path.ends_with("3.evt")).unwrap();
    let bytes = std::fs::read(&cut).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let told = place.json(&["diagnose", "run.otf2", "--json"]);
    assert_ne!(told["verdict"], "balanced");
    let headline = told["headline"].as_str().unwrap();
    assert!(
        headline.starts_with("The trace is not whole: it breaks off at ") && headline.contains("3.evt"),
        "{headline}"
    );
}

#[test]
fn where_clocks_disagree_there_are_no_efficiencies() {
    let place = Place::new();
    place.simulate("good", &["--ranks", "16", "--iterations", "40"]);
    place.simulate("bad", &["--ranks", "16", "--iterations", "40", "--fault", "clock:rank=3,offset=40ms"]);
    let text = place.ok(&["info", "bad.otf2", "--efficiency"]);
    assert!(text.contains("not told, since the clocks disagree") && !text.contains("serialisation"), "{text}");
    let against = ["info", "good.otf2", "--efficiency", "--against", "bad.otf2"];
    place.fails(&against, 1, &["bad.otf2", "the clocks of this run disagree", "leave it out"]);
}
