//! `heddle info --json` against what otf2-print and a plain script found in real traces.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::path::Path;

use serde_json::Value;

use common::{Place, text};
use heddle_testkit::sample_traces;

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// Ticks as nanoseconds.
fn nanoseconds(ticks: i128, rate: u64) -> f64 {
    ticks as f64 * 1e9 / rate as f64
}

fn check(info: &Value, truth: &Value, name: &str) {
    let locations = truth["locations"].as_array().unwrap();
    let regions = truth["regions_visited"].as_object().unwrap();
    let messages = |key: &str| number(&truth["messages"][key]);
    let events = |key: &str| number(&truth["events"][key]);
    let never_completed = events("MPI_IRECV_REQUEST").saturating_sub(events("MPI_IRECV"));
    let sent = messages("send_records") - messages("matched");
    let received = messages("receive_records") - messages("matched") + never_completed;
    for (key, expected) in [
        ("locations", locations.len() as u64),
        ("events", number(&truth["events_total"])),
        ("spans", regions.values().map(|region| number(&region["visits"])).sum()),
        ("messages", messages("matched")),
        ("unmatched_sends", sent),
        ("unmatched_receives", received),
        ("collectives", number(&truth["collectives"]["operations"])),
        ("start_ns", 0),
    ] {
        assert_eq!(number(&info[key]), expected, "{name}: {key}");
    }
    assert_eq!(info["format"], "otf2", "{name}");
    assert_eq!(info["creator"], truth["anchor"]["creator"], "{name}");

    let rate = number(&truth["clock"]["ticks_per_second"]);
    let ticks = i128::from(number(&truth["last_timestamp"])) - i128::from(number(&truth["first_timestamp"]));
    let end = info["end_ns"].as_f64().unwrap();
    assert!((end - nanoseconds(ticks, rate)).abs() <= 1.0, "{name}: {end} ns, {ticks} ticks");

    let told = info["regions"].as_array().unwrap();
    assert_eq!(told.len(), regions.len(), "{name}: regions that were visited");
    for region in told {
        let title = region["name"].as_str().unwrap();
        let expected = &regions[title];
        let visits = number(&expected["visits"]);
        assert_eq!(number(&region["count"]), visits, "{name}: {title}");
        // Time of one's own lacks that of the calls inside, each rounded too. Nanosecond clocks need no rounding.
        let all_visits = number(&info["spans"]);
        for (key, ticks, roundings) in
            [("total_ns", "inclusive_ticks", visits), ("exclusive_ns", "exclusive_ticks", all_visits)]
        {
            let exact = nanoseconds(i128::from(expected[ticks].as_i64().unwrap()), rate);
            let off = (region[key].as_f64().unwrap() - exact).abs();
            let most = if rate == 1_000_000_000 { 0.001 } else { 0.5 * roundings as f64 + 1.0 };
            assert!(off <= most, "{name}: {title} {key} is off by {off}");
        }
    }
    assert_eq!(warned(info, "receive-before-send"), messages("received_before_sent"), "{name}");
    assert_eq!(warned(info, "length-mismatch"), messages("length_mismatch"), "{name}");
    assert_eq!(warned(info, "unmatched-sends"), sent, "{name}");
    assert_eq!(warned(info, "unmatched-receives"), received, "{name}");
    let nesting = |key: &str| number(&truth["nesting"][key]);
    assert_eq!(warned(info, "crossing-regions"), nesting("leaves_that_cross"), "{name}");
    assert_eq!(warned(info, "stray-leaves"), nesting("leaves_dropped"), "{name}");
    assert_eq!(warned(info, "open-regions"), nesting("open_at_end"), "{name}");
    for kind in ["truncated", "corrupt", "missing-file", "time-falls"] {
        assert_eq!(warned(info, kind), 0, "{name}: {kind} in a sound trace");
    }
}

/// How often `info` warns of a kind.
fn warned(info: &Value, kind: &str) -> u64 {
    let warnings = info["warnings"].as_array().unwrap();
    warnings.iter().filter(|warning| warning["kind"] == kind).map(|warning| number(&warning["count"])).sum()
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn info_agrees_with_the_truth_files() {
    let Some(folder) = sample_traces("otf2") else { return };
    let place = Place::new();
    let mut checked = 0;
    for name in common::names_in(&folder) {
        let truth = folder.join(&name).join("truth.json");
        if truth.is_file() {
            let info = place.json(&["info", "--json", text(&folder.join(&name))]);
            check(&info, &read(&truth), &name);
            checked += 1;
        }
    }
    assert!(checked > 0, "HEDDLE_TRACES is set, but {} has no traces", folder.display());
    assert_eq!(place.names("stores").len(), checked, "a store each, nothing else");
}

fn check_simgrid(info: &Value, truth: &Value, name: &str) {
    let states = truth["states"].as_object().unwrap();
    let fifo = |key: &str| number(&truth["messages_fifo"][key]);
    for (key, expected) in [
        ("ranks", number(&truth["ranks"])),
        ("spans", states.values().map(|state| number(&state["count"])).sum()),
        ("messages", fifo("matched")),
        ("unmatched_sends", fifo("starts_left")),
        ("unmatched_receives", fifo("ends_left")),
        ("start_ns", 0),
    ] {
        assert_eq!(number(&info[key]), expected, "{name}: {key}");
    }
    let span = &truth["span_seconds"];
    let seconds = span[1].as_f64().unwrap() - span[0].as_f64().unwrap();
    assert!((info["end_ns"].as_f64().unwrap() - seconds * 1e9).abs() <= 1.0, "{name}: end");
    let told = info["regions"].as_array().unwrap();
    assert_eq!(told.len(), states.len(), "{name}: states that were visited");
    for region in told {
        let expected = &states[region["name"].as_str().unwrap()];
        assert_eq!(region["count"], expected["count"], "{name}: {region}");
        let off = region["total_ns"].as_f64().unwrap() - expected["seconds"].as_f64().unwrap() * 1e9;
        assert!(off.abs() <= 1.0, "{name}: {region} is off by {off} ns");
    }
}

#[test]
fn info_agrees_with_the_truth_files_of_simgrid() {
    let Some(folder) = sample_traces("simgrid") else { return };
    let place = Place::new();
    let names = common::names_in(&folder);
    let names: Vec<&str> = names.iter().filter_map(|name| name.strip_suffix(".truth.json")).collect();
    for name in &names {
        let info = place.json(&["info", "--json", text(&folder.join(format!("{name}.trace.gz")))]);
        check_simgrid(&info, &read(&folder.join(format!("{name}.truth.json"))), name);
    }
    assert_eq!(names.len(), 16);
}

#[test]
fn info_counts_the_tasks_of_starpu() {
    let Some(traces) = sample_traces("starpu") else { return };
    let place = Place::new();
    for name in ["lu30_normal", "lu30_slow0", "lu30_gpu01", "lu30_nogpu01", "lu30_allslow"] {
        let folder = traces.join(name);
        let info = place.json(&["info", "--json", text(&folder.join("paje.trace.gz"))]);
        let regions = info["regions"].as_array().unwrap().iter();
        let tasks: u64 = regions.filter(|region| region["paradigm"] == "task").map(|r| number(&r["count"])).sum();
        assert_eq!(tasks, number(&read(&folder.join("truth.json"))["tasks"]), "{name}");
        assert_eq!((number(&info["ranks"]), number(&info["unmatched_sends"])), (30, 0), "{name}");
        assert_eq!(warned(&info, "receive-before-send"), 0, "{name}");
    }
}

#[test]
fn ranks_are_those_of_the_world() {
    let Some(traces) = sample_traces("otf2") else { return };
    let place = Place::new();
    for (name, ranks) in [("eztrace-halo2d-16", 16), ("recorder-halo2d-long-4", 4), ("scorep-pingpong-2", 2)] {
        let info = place.json(&["info", "--json", text(&traces.join(name))]);
        assert_eq!(number(&info["ranks"]), ranks, "{name}");
    }
}

/// Logs of MPE2 and what the converter made of them, by the same table.
#[test]
fn info_agrees_with_the_truth_of_clog2_and_slog2() {
    let Some(traces) = sample_traces("clog2") else { return };
    let place = Place::new();
    let folders = [traces.clone(), traces.join("versions")];
    let files = folders.iter().flat_map(|folder| common::names_in(folder).into_iter().map(|name| folder.join(name)));
    let mut checked = 0;
    for file in files.filter(|file| file.extension().is_some_and(|ending| ending == "clog2" || ending == "slog2")) {
        let name = file.display();
        let truth = read(&file.with_extension("truth.json"));
        let info = place.json(&["info", "--json", text(&file)]);
        let is_converted = file.extension().is_some_and(|ending| ending == "slog2");
        assert_eq!(info["format"], if is_converted { "slog2" } else { "clog2" }, "{name}");
        assert_eq!(number(&info["ranks"]), number(&truth["ranks"]), "{name}");
        let states = truth["states"].as_object().unwrap();
        let is_merged = truth["preamble"]["is_finalized"].as_bool() != Some(false);
        let messages = |key: &str| number(&truth["messages"][key]);
        if is_merged {
            let starts: u64 = states.values().map(|state| number(&state["starts"])).sum();
            assert_eq!(number(&info["spans"]), starts, "{name}");
            let matched = truth["messages"]["matched_arrows"].as_u64().unwrap_or(messages("send_records"));
            assert_eq!(number(&info["messages"]), matched, "{name}");
            assert_eq!(number(&info["unmatched_sends"]), messages("send_records") - matched, "{name}");
            for region in info["regions"].as_array().unwrap() {
                let title = region["name"].as_str().unwrap();
                assert_eq!(number(&region["count"]), number(&states[title]["starts"]), "{name}: {title}");
                if let Some(seconds) = truth["slog2"]["categories"][title]["total_seconds"].as_f64() {
                    let off = (region["total_ns"].as_f64().unwrap() - seconds * 1e9).abs();
                    assert!(off <= number(&region["count"]) as f64 + 1.0, "{name}: {title} is off by {off} ns");
                }
            }
        } else {
            // One process' end of three messages; its states are told from their numbers.
            assert_eq!(number(&info["unmatched_sends"]), messages("send_records"), "{name}");
            assert_eq!(number(&info["unmatched_receives"]), messages("recv_records"), "{name}");
        }
        let (times, keys) = if is_converted {
            (&truth["slog2"]["time_span_seconds"], ["first", "last"])
        } else {
            (&truth["time_span_seconds"], ["first_record", "last_record"])
        };
        let [first, last] = keys.map(|key| times[key].as_f64().unwrap());
        let off = info["end_ns"].as_f64().unwrap() - (last - first) * 1e9;
        assert!(off.abs() <= 1_000.0, "{name}: the end is off by {off} ns");
        for kind in ["truncated", "corrupt", "crossing-regions", "stray-leaves", "open-regions", "time-falls"] {
            assert_eq!(warned(&info, kind), 0, "{name}: {kind}");
        }
        checked += 1;
    }
    assert!(checked > 0, "HEDDLE_TRACES is set, but there are no logs");
}

/// By the table in the README beside the traces: calls as the events say, messages as the file has them.
#[test]
fn paraver_agrees_with_the_truth_files() {
    let Some(folder) = sample_traces("paraver") else { return };
    let place = Place::new();
    let mut checked = 0;
    for file in common::names_in(&folder).iter().filter_map(|name| name.strip_suffix(".truth.json")) {
        let truth = read(&folder.join(format!("{file}.truth.json")));
        let info = place.json(&["info", "--json", text(&folder.join(format!("{file}.prv")))]);
        let calls = truth["mpi_spans"].as_object().unwrap();
        let sum = |key: &str| calls.values().map(|call| number(&call[key])).sum::<u64>();
        let tasks = truth["header"]["tasks"].as_array().unwrap();
        let threads = |task: &Value| task["threads"].as_array().unwrap().iter().map(number).sum::<u64>();
        let messages = number(&truth["messages"]["count"]);
        let count = |name: &str| calls.get(name).map_or(0, |call| number(&call["count"]));
        for (key, expected) in [
            ("ranks", number(&tasks[0]["tasks"])),
            ("locations", tasks.iter().map(threads).sum()),
            ("spans", sum("count")),
            ("messages", messages),
            ("unmatched_sends", count("MPI_Isend") - messages),
            ("unmatched_receives", count("MPI_Irecv") - messages),
            ("collectives", count("MPI_Allreduce") / number(&tasks[0]["tasks"])),
            ("start_ns", 0),
            ("end_ns", number(&truth["time_max"]) - number(&truth["time_min"])),
        ] {
            assert_eq!(number(&info[key]), expected, "{file}: {key}");
        }
        assert_eq!(info["format"], "paraver");
        for region in info["regions"].as_array().unwrap() {
            let call = &calls[region["name"].as_str().unwrap()];
            assert_eq!((&region["count"], &region["total_ns"]), (&call["count"], &call["total"]), "{file}");
        }
        let stray: u64 = truth["mpi_end_without_begin"].as_object().unwrap().values().map(number).sum();
        assert_eq!(warned(&info, "stray-leaves"), stray, "{file}");
        assert_eq!(warned(&info, "receive-before-send"), 0, "{file}: physical times are those of the messages");
        let records = &truth["records"];
        let events = number(&records["1"]) + number(&truth["event_pairs"]) + 2 * number(&records["3"]);
        assert_eq!(number(&info["events"]), events, "{file}: nothing is dropped");
        assert_eq!(warned(&info, "truncated"), u64::from(file.starts_with("header-only")), "{file}");
        checked += 1;
    }
    assert!(checked > 0, "HEDDLE_TRACES is set, but {} has no traces", folder.display());
}
