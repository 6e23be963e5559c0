//! Real traces of SimGrid and StarPU against what a plain script and the reference reader found in them.
//!
//! `HEDDLE_TRACES` names the folder of the traces; without it these tests are skipped.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

#[path = "common/paje.rs"]
mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use common::{Read, read};
use heddle_model::{Paradigm, RecordBlock, WarningKind};
use heddle_testkit::sample_traces;
use serde_json::Value;

fn truth(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn open(path: &Path) -> Read {
    read(&std::fs::read(path).unwrap())
}

/// Count and nanoseconds by state.
fn states(read: &Read) -> BTreeMap<String, (u64, i64)> {
    let mut states: BTreeMap<String, (u64, i64)> = BTreeMap::new();
    for span in read.spans() {
        let entry = states.entry(span.region).or_default();
        *entry = (entry.0 + 1, entry.1 + span.end - span.start);
    }
    states
}

fn check_simgrid(name: &str, read: &Read, truth: &Value) {
    let found = states(read);
    let expected = truth["states"].as_object().unwrap();
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{name}");
    for (state, (count, ns)) in &found {
        assert_eq!(Some(*count), expected[state]["count"].as_u64(), "{name}: {state}");
        let seconds = expected[state]["seconds"].as_f64().unwrap();
        assert!((*ns as f64 - seconds * 1e9).abs() <= 1.0, "{name}: {state}: {ns} ns, {seconds} s");
    }
    assert_eq!(read.definitions.ranks() as u64, truth["ranks"].as_u64().unwrap(), "{name}");
    let span = &truth["span_seconds"];
    let seconds = span[1].as_f64().unwrap() - span[0].as_f64().unwrap();
    let end = read.blocks.iter().filter_map(|block| block.last).max().unwrap();
    assert!((end.0 as f64 - seconds * 1e9).abs() <= 1.0, "{name}: the trace ends at {end:?}, not {seconds}");

    let (messages, sends, receives) = read.messages();
    let fifo = |key: &str| truth["messages_fifo"][key].as_u64().unwrap();
    let counts = (messages.len() as u64, sends as u64, receives as u64);
    assert_eq!(counts, (fifo("matched"), fifo("starts_left"), fifo("ends_left")), "{name}: messages");
    assert_eq!(messages.iter().map(|message| message.bytes).sum::<u64>(), fifo("bytes"), "{name}: bytes");
    let mut pairs: BTreeMap<(u64, u64), (u64, u64)> = BTreeMap::new();
    let rank = |name: &str| name.strip_prefix("rank-").unwrap().parse::<u64>().unwrap();
    for message in &messages {
        let pair = pairs.entry((rank(&message.from), rank(&message.to))).or_default();
        *pair = (pair.0 + 1, pair.1 + message.bytes);
    }
    let told: Vec<Value> =
        pairs.iter().map(|((from, to), (count, bytes))| serde_json::json!([from, to, count, bytes])).collect();
    let mut expected = truth["pairs_fifo_src_dst_count_bytes"].as_array().unwrap().clone();
    expected.sort_by_key(|row| (row[0].as_u64(), row[1].as_u64()));
    assert_eq!(told, expected, "{name}: who sent how much to whom");
    check_links(name, read, truth);
}

/// The integral of the bandwidth used on each network link.
fn check_links(name: &str, read: &Read, truth: &Value) {
    let Some(links) = truth["network_links"]["per_link"].as_object() else { return };
    let names: BTreeSet<&str> = read.definitions.locations.iter().map(|l| l.name.as_str()).collect();
    for (link, expected) in links.iter().step_by(1 + links.len() / 200) {
        let track = format!("{link}: variables");
        assert!(names.contains(track.as_str()), "{name}: {link}");
        let values = read.values(&track, "bandwidth_used");
        let area = |pair: &[(i64, f64)]| (pair[1].0 - pair[0].0) as f64 * 1e-9 * pair[0].1;
        let bytes: f64 = values.windows(2).map(area).sum();
        let expected = expected["bytes"].as_f64().unwrap();
        assert!((bytes - expected).abs() <= 1.0 + 1e-6 * expected, "{name}: {link}: {bytes} bytes, not {expected}");
    }
    let changes: u64 = truth["variable_changes"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
    let is_metric = |event: &heddle_model::Event| matches!(event, heddle_model::Event::Metric(_));
    let found = read.blocks.iter().flat_map(RecordBlock::iter).filter(|(_, event)| is_metric(event)).count();
    assert_eq!(found as u64, changes, "{name}: changes of variables");
}

#[test]
fn simgrid_agrees_with_its_truth_files() {
    let Some(folder) = sample_traces("simgrid") else { return };
    let mut checked = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let Some(name) = file.strip_suffix(".truth.json") else { continue };
        let read = open(&folder.join(format!("{name}.trace.gz")));
        assert!(read.definitions.creator.starts_with("SimGrid-3.32"), "{name}");
        check_simgrid(name, &read, &truth(&folder.join(&file)));
        assert_eq!(read.warned(WarningKind::TimeFalls), 0, "{name}: steps back in the file are of different ranks");
        assert_eq!(read.warned(WarningKind::Truncated), u64::from(name == "quirks-truncated"), "{name}");
        checked += 1;
    }
    assert_eq!(checked, 16);
}

#[test]
fn collectives_are_told_apart_only_where_that_is_certain() {
    let Some(folder) = sample_traces("simgrid") else { return };
    // Calls of all ranks: quirks makes two barriers, a broadcast, a reduction and an allgather on the world; grid3d
    // makes its alltoalls on rows and columns of a grid.
    for (name, calls) in [("quirks-plain", 5 * 4), ("grid3d-torus444", 0), ("halo-fattree64-grouped", 16 * 64)] {
        let read = open(&folder.join(format!("{name}.trace.gz")));
        assert_eq!(read.collectives(), calls, "{name}");
        assert_eq!(read.warned(WarningKind::DoubtfulCollectives), u64::from(calls == 0), "{name}");
    }
}

/// Tasks and other spans on workers: worker, task type, start and end in nanoseconds.
fn worker_states(read: &Read) -> Vec<(String, String, i64, i64)> {
    let states = read.spans().into_iter().map(|span| (span.location, span.region, span.start, span.end));
    let mut states: Vec<_> =
        states.filter(|(location, ..)| location.contains("_C") && !location.contains(':')).collect();
    states.sort();
    states
}

#[test]
fn starpu_tasks_are_those_of_the_truth_files() {
    let Some(folder) = sample_traces("starpu") else { return };
    for name in ["normal", "slow0", "gpu01", "nogpu01", "allslow"] {
        let folder = folder.join(format!("lu30_{name}"));
        let (read, truth) = (open(&folder.join("paje.trace.gz")), truth(&folder.join("truth.json")));
        let tasks: Vec<&str> =
            read.definitions.regions.iter().filter(|r| r.paradigm == Paradigm::Task).map(|r| r.name.as_str()).collect();
        assert_eq!(tasks.len(), 4, "{name}: {tasks:?}");
        let runs: Vec<_> =
            worker_states(&read).into_iter().filter(|(_, region, ..)| tasks.contains(&region.as_str())).collect();
        assert_eq!(runs.len() as u64, truth["tasks"].as_u64().unwrap(), "{name}");
        let first = runs.iter().map(|run| run.2).min().unwrap();
        let last = runs.iter().map(|run| run.3).max().unwrap();
        let close = |ns: i64, ms: &Value| (ns as f64 / 1e6 - ms.as_f64().unwrap()).abs() < 2e-6;
        assert!(close(first, &truth["time_shift_ms"]), "{name}: first task at {first}");
        assert!(close(last - first, &truth["makespan_ms"]), "{name}: from {first} to {last}");
        assert_eq!(read.definitions.ranks(), 30, "{name}");
        assert_eq!(read.warned(WarningKind::OpenRegions), 0, "{name}: workers go with their threads");
        let (_, sends, receives) = read.messages();
        assert_eq!((sends, receives), (0, 0), "{name}");
    }
}

#[test]
fn the_reference_readers_table_says_the_same_as_the_trace() {
    let Some(folder) = sample_traces("starpu") else { return };
    let folder = folder.join("lu30_normal");
    let (trace, table) = (open(&folder.join("paje.trace.gz")), open(&folder.join("pj_dump.csv.gz")));
    assert_eq!((trace.format, table.format), ("paje", "pj_dump"));
    let (from_trace, from_table) = (worker_states(&trace), worker_states(&table));
    assert_eq!(from_trace.len(), 35_057 + 9_455 - 9_455, "one span for each task and its twin");
    assert_eq!(from_trace.len(), from_table.len());
    for (one, other) in from_trace.iter().zip(&from_table) {
        // The table has six decimals of a millisecond.
        assert!((one.2 - other.2).abs() <= 1 && (one.3 - other.3).abs() <= 1, "{one:?} {other:?}");
        assert_eq!((&one.0, &one.1), (&other.0, &other.1));
    }
    let tasks = |read: &Read| {
        let of_workers = ["7_CUDA0_0", "7_CPU2"].iter().flat_map(|worker| read.tasks(worker));
        let mut tasks: Vec<_> = of_workers.map(|(_, task)| (task.id, task.iteration, task.tile)).collect();
        tasks.sort_unstable();
        tasks
    };
    assert!(!tasks(&trace).is_empty());
    assert_eq!(tasks(&trace), tasks(&table), "fields of tasks");
    // Both ends of every link, with keys: the pairs of the reference reader.
    let rounded = |read: &Read| {
        let rows = read.messages().0.into_iter();
        let row = |m: common::Message| (m.from, m.to, (m.send + 5) / 10, (m.recv + 5) / 10, m.bytes);
        let mut rows: Vec<_> = rows.map(row).collect();
        rows.sort();
        rows
    };
    let (one, other) = (rounded(&trace), rounded(&table));
    assert_eq!((one.len(), other.len()), (16_792, 16_792));
    let differing = one
        .iter()
        .zip(&other)
        .filter(|(one, other)| {
            (&one.0, &one.1, one.4) != (&other.0, &other.1, other.4)
                || (one.2 - other.2).abs() > 1
                || (one.3 - other.3).abs() > 1
        })
        .count();
    assert_eq!(differing, 0);
    // Of several values at one instant the reference reader keeps the last.
    let steps = |read: &Read| {
        let mut steps = read.values("7_scheduler: Number of Ready Tasks", "Number of Ready Tasks");
        steps.reverse();
        steps.dedup_by_key(|(time, _)| *time);
        steps
    };
    assert!(steps(&trace).len() > 100);
    assert_eq!(steps(&trace), steps(&table));
    assert_eq!(trace.warned(WarningKind::ReceiveBeforeSend), 0);
}

#[test]
fn tables_of_starvz_are_read_too() {
    let Some(folder) = sample_traces("starpu") else { return };
    for (name, tasks) in [("starvz_lu2", 268), ("starvz_qr", 4_839)] {
        let read = open(&folder.join(name).join("paje.worker_state.csv.gz"));
        let is_task =
            |name: &str| read.definitions.regions.iter().any(|r| r.name == name && r.paradigm == Paradigm::Task);
        assert_eq!(read.spans().iter().filter(|span| is_task(&span.region)).count(), tasks, "{name}");
    }
}
