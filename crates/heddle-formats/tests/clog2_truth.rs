//! CLOG-2 and SLOG-2 logs of real runs against what the logging library's own tools print of them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say so and stop")]

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::plain::{Open, read, read_several};
use heddle_formats::{clog2, slog2};
use heddle_model::{Event, LocationId, WarningKind};
use heddle_testkit::{ReadTrace, sample_traces};
use serde_json::Value;

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// All samples with this ending and their truth.
fn samples(ending: &str) -> Vec<(PathBuf, Value)> {
    let Some(folder) = sample_traces("clog2") else { return Vec::new() };
    let mut paths: Vec<PathBuf> = [folder.clone(), folder.join("versions")]
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} has no {ending}", folder.display());
    let truth = |path: PathBuf| {
        let truth = std::fs::read(path.with_extension("truth.json")).unwrap();
        (path, serde_json::from_slice(&truth).unwrap())
    };
    paths.into_iter().map(truth).collect()
}

#[derive(Debug, Default)]
struct Found {
    /// How often and how long, by name.
    spans: BTreeMap<String, (u64, i64)>,
    marks: BTreeMap<String, u64>,
    sends: BTreeMap<u32, u64>,
    receives: u64,
    bytes_sent: u64,
    bytes_received: u64,
    matched: u64,
    collectives: u64,
    first: i64,
    last: i64,
}

/// Walks all locations with a stack each, and pairs messages first in, first out.
fn found(trace: &ReadTrace) -> Found {
    let mut found = Found { first: i64::MAX, ..Found::default() };
    let mut ends: BTreeMap<(u32, LocationId, LocationId, u32), [u64; 2]> = BTreeMap::new();
    for (at, block) in trace.blocks.iter().enumerate() {
        let mut stack = Vec::new();
        let me = trace.definitions.main_location(LocationId(at as u32));
        let mut before = i64::MIN;
        for (time, event) in block.iter() {
            assert!(time.0 >= before, "times fall on location {at}");
            before = time.0;
            found.first = found.first.min(time.0);
            match event {
                Event::Enter(region) => stack.push((region, time)),
                Event::Leave(region) => {
                    let (entered, start) = stack.pop().unwrap();
                    assert_eq!(Some(entered), region, "states cross on location {at}");
                    let entry = found.spans.entry(trace.region(entered).to_owned()).or_default();
                    *entry = (entry.0 + 1, entry.1 + time.since(start));
                }
                Event::Send(end) => {
                    *found.sends.entry(trace.definitions.locations[at].rank.0).or_default() += 1;
                    found.bytes_sent += end.bytes;
                    ends.entry((end.comm.0, me, end.peer, end.tag)).or_default()[0] += 1;
                }
                Event::Recv(end) => {
                    found.receives += 1;
                    found.bytes_received += end.bytes;
                    ends.entry((end.comm.0, end.peer, me, end.tag)).or_default()[1] += 1;
                }
                Event::Mark(mark) => *found.marks.entry(mark.name.clone()).or_default() += 1,
                Event::CollectiveEnd(end) => {
                    found.collectives += 1;
                    assert!(trace.definitions.communicators[end.comm.index()].size() > 0);
                }
                _ => {}
            }
        }
        assert!(stack.is_empty(), "location {at} ends inside {} states", stack.len());
        found.last = found.last.max(block.last.map_or(0, |last| last.0));
    }
    found.matched = ends.values().map(|[sent, received]| sent.min(received)).sum();
    found
}

fn check_clog2(path: &Path, truth: &Value, trace: &ReadTrace) {
    let name = path.display();
    let found = found(trace);
    assert_eq!(trace.definitions.ranks() as u64, number(&truth["ranks"]), "{name}");
    let defined = truth["states"].as_object().unwrap();
    for (state, expected) in defined {
        let count = found.spans.get(state).map_or(0, |span| span.0);
        assert_eq!(count, number(&expected["starts"]), "{name}: {state}");
    }
    let others: u64 =
        found.spans.iter().filter(|(state, _)| !defined.contains_key(*state)).map(|(_, span)| span.0).sum();
    // Without definitions the even ids below 600 begin states that are known by their numbers.
    let undefined = truth["events_without_definition"].as_object();
    let begin = |id: &String| (0..600).contains(&id.parse::<i32>().unwrap()) && id.parse::<i32>().unwrap() % 2 == 0;
    let expected = undefined.map_or(0, |ids| ids.iter().filter(|(id, _)| begin(id)).map(|(_, n)| number(n)).sum());
    assert_eq!(others, expected, "{name}: states without a definition");
    for (event, expected) in truth["solo_events"].as_object().unwrap() {
        assert_eq!(found.marks.get(event).copied().unwrap_or(0), number(&expected["count"]), "{name}: {event}");
    }
    let messages = &truth["messages"];
    assert_eq!(found.sends.values().sum::<u64>(), number(&messages["send_records"]), "{name}");
    assert_eq!(found.receives, number(&messages["recv_records"]), "{name}");
    assert_eq!(found.bytes_sent, number(&messages["bytes_sent"]), "{name}");
    if let Some(received) = messages["bytes_received"].as_u64() {
        assert_eq!(found.bytes_received, received, "{name}");
    }
    let is_merged = truth["preamble"]["is_finalized"].as_bool() != Some(false);
    let arrows = messages["matched_arrows"].as_u64().unwrap_or(if is_merged { found.receives } else { 0 });
    assert_eq!(found.matched, arrows, "{name}");
    for key in ["sends_per_world_rank", "sends_per_rank"] {
        for (rank, count) in messages[key].as_array().into_iter().flatten().enumerate() {
            let sent = found.sends.get(&(rank as u32)).copied().unwrap_or(0);
            assert_eq!(sent, number(count), "{name}: rank {rank}");
        }
    }
    let times = |key: &str| truth["time_span_seconds"][key].as_f64().unwrap();
    let span = (times("last_record") - times("first_record")) * 1e9;
    assert!((found.last as f64 - span).abs() <= 1_000.0, "{name}: {} is not {span}", found.last);
    for warning in trace.warnings.to_vec() {
        assert!(!is_merged, "{name} is sound, but: {warning:?}");
        assert_eq!(warning.kind, WarningKind::UndefinedReference, "{name}: {warning:?}");
    }
}

#[test]
fn clog2_agrees_with_the_print_tool() {
    for (path, truth) in samples("clog2") {
        let bytes = std::fs::read(&path).unwrap();
        let trace = read(clog2::open, &bytes).unwrap();
        check_clog2(&path, &truth, &trace);
        // Little memory gives the same, by another way.
        let aside = read_several(clog2::open, &[&bytes], 10_000).unwrap();
        for (block, other) in trace.blocks.iter().zip(&aside.blocks) {
            assert!(block.iter().eq(other.iter()), "{}", path.display());
        }
    }
}

fn check_slog2(path: &Path, truth: &Value, trace: &ReadTrace) {
    let name = path.display();
    let found = found(trace);
    assert_eq!(trace.definitions.ranks() as u64, number(&truth["ranks"]), "{name}");
    let mut drawables = 0;
    for (category, expected) in truth["slog2"]["categories"].as_object().unwrap() {
        let count = number(&expected["count"]);
        drawables += count;
        let seconds = expected["total_seconds"].as_f64().unwrap();
        match expected["topology"].as_str().unwrap() {
            "arrow" if category == "message" => {
                assert_eq!((found.receives, found.matched), (count, count), "{name}");
            }
            "state" if count > 0 => {
                let (spans, total) = found.spans[category];
                assert_eq!(spans, count, "{name}: {category}");
                let off = (total as f64 - seconds * 1e9).abs();
                assert!(off <= count as f64 + 1.0, "{name}: {category} is off by {off} ns");
            }
            "event" if count > 0 => assert_eq!(found.marks[category], count, "{name}: {category}"),
            _ => {}
        }
    }
    assert_eq!(drawables, number(&truth["slog2"]["drawables"]), "{name}");
    let times = |key: &str| truth["slog2"]["time_span_seconds"][key].as_f64().unwrap();
    let span = (times("last") - times("first")) * 1e9;
    assert!((found.last as f64 - span).abs() <= 1_000.0, "{name}: {} is not {span}", found.last);
    assert!(trace.warnings.is_empty(), "{name} is sound, but: {:?}", trace.warnings);
}

#[test]
fn slog2_agrees_with_the_recursive_printer() {
    for (path, truth) in samples("slog2") {
        let bytes = std::fs::read(&path).unwrap();
        let trace = read(slog2::open, &bytes).unwrap();
        check_slog2(&path, &truth, &trace);
        let aside = read_several(slog2::open, &[&bytes], 10_000).unwrap();
        for (block, other) in trace.blocks.iter().zip(&aside.blocks) {
            assert!(block.iter().eq(other.iter()), "{}", path.display());
        }
    }
}

/// Spans of every location by start, end and name: whatever the format, the run was the same.
fn spans(trace: &ReadTrace) -> Vec<Vec<(i64, i64, String)>> {
    let first = |block: &heddle_model::RecordBlock| block.iter().next().map(|(time, _)| time.0);
    let zero = trace.blocks.iter().filter_map(first).min().unwrap_or(0);
    let of_block = |block: &heddle_model::RecordBlock| {
        let (mut stack, mut spans) = (Vec::new(), Vec::new());
        for (time, event) in block.iter() {
            match event {
                Event::Enter(region) => stack.push((time.0, region)),
                Event::Leave(_) => {
                    let (start, region) = stack.pop().unwrap();
                    spans.push((start - zero, time.0 - zero, trace.region(region).to_owned()));
                }
                _ => {}
            }
        }
        spans.sort();
        spans
    };
    trace.blocks.iter().map(of_block).collect()
}

#[test]
fn both_formats_tell_the_same_run() {
    for (path, _) in samples("slog2") {
        let open = |open: Open, path: &Path| read(open, &std::fs::read(path).unwrap()).unwrap();
        let (one, other) = (open(slog2::open, &path), open(clog2::open, &path.with_extension("clog2")));
        assert_eq!(spans(&one), spans(&other), "{}", path.display());
        let (mut one, mut other) = (found(&one), found(&other));
        // A span without words in the log has none either way, and a converter loses some lengths.
        assert_eq!((one.marks.len(), one.collectives), (other.marks.len(), other.collectives), "{}", path.display());
        assert_eq!(std::mem::take(&mut one.sends), std::mem::take(&mut other.sends), "{}", path.display());
    }
}

#[test]
fn colours_are_those_that_the_converter_made_of_their_names() {
    let mut compared = 0;
    for (path, truth) in samples("clog2") {
        let other = path.with_extension("slog2");
        if !other.exists() {
            continue;
        }
        let colour = |trace: &ReadTrace, name: &str| {
            let region = trace.definitions.regions.iter().find(|region| region.name == *name);
            region.and_then(|region| region.colour)
        };
        let open = |open: Open, path: &Path| read(open, &std::fs::read(path).unwrap()).unwrap();
        let (log, converted) = (open(clog2::open, &path), open(slog2::open, &other));
        for (name, state) in truth["states"].as_object().unwrap() {
            // Numbers stand for shades, of which ours are only near.
            let is_plain = state["color"].as_str().is_some_and(|colour| !colour.contains(|c: char| c.is_ascii_digit()));
            if let Some(theirs) = colour(&converted, name).filter(|_| is_plain) {
                assert_eq!(colour(&log, name), Some(theirs), "{}: {name} is {}", path.display(), state["color"]);
                compared += 1;
            }
        }
    }
    assert!(compared > 0 || std::env::var_os("HEDDLE_TRACES").is_none());
}
