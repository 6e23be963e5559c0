//! Real traces against what the reference printer says of them.
//!
//! The traces are not part of this repository: `HEDDLE_TRACES` names the folder that holds them. Without
//! it these tests are skipped; with it a trace that is missing is a failure.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

mod common;

use std::collections::BTreeMap;

use common::read_archive;
use heddle_model::{Event, RecordBlock, TickClock, WarningKind};
use heddle_testkit::{Folder, ReadTrace, sample_traces};
use serde_json::Value;

/// The traces that must be there. More are welcome: every folder with a `truth.json` is read.
const EXPECTED: [&str; 8] = [
    "eztrace-halo2d-16",
    "eztrace-masterworker-8",
    "eztrace-mergetree-32",
    "recorder-halo2d-16",
    "recorder-halo2d-long-4",
    "scorep-mi300-metrics-32",
    "scorep-pingpong-2",
    "scorep-pingpong-papi-2",
];

/// Every trace with what is true of it; `None`, and a note, if they are not to be had.
fn traces() -> Option<Vec<(String, ReadTrace, Value)>> {
    let root = sample_traces("otf2")?;
    let mut names: Vec<String> = EXPECTED.map(str::to_owned).to_vec();
    for entry in std::fs::read_dir(&root).unwrap_or_else(|error| panic!("{}: {error}", root.display())) {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if root.join(&name).join("truth.json").exists() && !names.contains(&name) {
            names.push(name);
        }
    }
    let open = |name: String| {
        let folder = root.join(&name);
        let truth = std::fs::read(folder.join("truth.json")).unwrap_or_else(|error| panic!("{name}: {error}"));
        let anchor = std::fs::read_dir(&folder).unwrap().find_map(|entry| {
            let file = entry.unwrap().file_name().into_string().unwrap();
            file.strip_suffix(".otf2").map(str::to_owned)
        });
        let anchor = anchor.unwrap_or_else(|| panic!("{name}: no anchor"));
        let trace = read_archive(&Folder(folder), &anchor).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, trace, serde_json::from_slice(&truth).unwrap())
    };
    Some(names.into_iter().map(open).collect())
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// The printer's name of an event, where each makes exactly one record.
fn printed_name(event: &Event) -> Option<&'static str> {
    Some(match event {
        Event::Enter(_) => "ENTER",
        Event::Leave(_) => "LEAVE",
        Event::Send(_) => "MPI_SEND",
        Event::Isend(_) => "MPI_ISEND",
        Event::SendComplete(_) => "MPI_ISEND_COMPLETE",
        Event::RecvRequest(_) => "MPI_IRECV_REQUEST",
        Event::Recv(_) => "MPI_RECV",
        Event::Irecv(_) => "MPI_IRECV",
        Event::RequestCancelled(_) => "MPI_REQUEST_CANCELLED",
        Event::CollectiveBegin => "MPI_COLLECTIVE_BEGIN",
        Event::CollectiveEnd(_) => "MPI_COLLECTIVE_END",
        Event::CollectiveRequest(_) => "NON_BLOCKING_COLLECTIVE_REQUEST",
        Event::CollectiveComplete(_) => "NON_BLOCKING_COLLECTIVE_COMPLETE",
        Event::Metric(_) | Event::Mark(_) | Event::Task(_) | Event::DependsOn(_) => return None,
    })
}

/// Events of the printer that make no record, or not one each.
const NOT_COUNTED: [&str; 7] =
    ["METRIC", "PROGRAM_BEGIN", "PROGRAM_END", "THREAD_BEGIN", "THREAD_END", "PARAMETER_UINT64", "PARAMETER_INT64"];

#[test]
fn every_location_has_its_events_and_its_span() {
    for (name, trace, truth) in traces().into_iter().flatten() {
        let total: u64 = trace.blocks.iter().map(|block| block.events).sum();
        assert_eq!(total, number(&truth["events_total"]), "{name}");
        // Times are told from the earliest event on, whatever the clock properties say.
        let clock = TickClock::new(number(&truth["first_timestamp"]), number(&truth["clock"]["ticks_per_second"]));
        let locations = truth["locations"].as_array().unwrap();
        assert_eq!(trace.definitions.locations.len(), locations.len(), "{name}");
        for truth in locations {
            let id = number(&truth["id"]);
            let at = trace.definitions.locations.iter().position(|location| location.file_id == id).unwrap();
            let block = &trace.blocks[at];
            assert_eq!(trace.definitions.locations[at].name.as_str(), truth["name"], "{name}, location {id}");
            assert_eq!(block.events, number(&truth["events"]), "{name}, location {id}");
            let Some(last) = truth["last"].as_u64() else { continue };
            assert_eq!(block.last, Some(clock.ns(last)), "{name}, location {id}");
            let first = clock.ns(number(&truth["first"]));
            assert!(block.iter().all(|(time, _)| first <= time && time <= clock.ns(last)), "{name}, location {id}");
        }
        let last = trace.blocks.iter().filter_map(|block| block.last).max();
        assert_eq!(last, Some(clock.ns(number(&truth["last_timestamp"]))), "{name}");
    }
}

#[test]
fn every_kind_of_event_is_there_as_often_as_it_was_written() {
    for (name, trace, truth) in traces().into_iter().flatten() {
        let mut found: BTreeMap<&str, u64> = BTreeMap::new();
        for (_, event) in trace.blocks.iter().flat_map(RecordBlock::iter) {
            if let Some(kind) = printed_name(&event) {
                *found.entry(kind).or_default() += 1;
            }
        }
        let events = truth["events"].as_object().unwrap();
        let expected: BTreeMap<&str, u64> = events
            .iter()
            .filter(|(kind, _)| !NOT_COUNTED.contains(&kind.as_str()))
            .map(|(kind, count)| (kind.as_str(), number(count)))
            .collect();
        assert_eq!(found, expected, "{name}");
        let by_name = |wanted: &str| {
            let entered = (0..trace.blocks.len()).flat_map(|location| trace.entered(location));
            entered.filter(|region| *region == wanted).count() as u64
        };
        for (region, visited) in truth["regions_visited"].as_object().unwrap() {
            assert_eq!(by_name(region), number(&visited["visits"]), "{name}, {region}");
        }
        let names = trace.definitions.regions.len() as u64 - 1; // the one for what nothing defines
        assert_eq!(names, number(&truth["distinct_region_names"]), "{name}");
    }
}

#[test]
fn messages_and_collectives_say_what_was_printed() {
    for (name, trace, truth) in traces().into_iter().flatten() {
        let (mut sent, mut received, mut strangers) = (0, 0, 0);
        let mut operations: BTreeMap<String, u64> = BTreeMap::new();
        for (_, event) in trace.blocks.iter().flat_map(RecordBlock::iter) {
            match event {
                Event::Send(end) | Event::Isend(end) => {
                    sent += end.bytes;
                    strangers += u64::from(!end.peer.is_some());
                }
                Event::Recv(end) | Event::Irecv(end) => {
                    received += end.bytes;
                    strangers += u64::from(!end.peer.is_some());
                }
                Event::CollectiveEnd(end) => *operations.entry(end.op.name().to_uppercase()).or_default() += 1,
                _ => {}
            }
        }
        let messages = &truth["messages"];
        assert_eq!((sent, received), (number(&messages["bytes_sent"]), number(&messages["bytes_received"])), "{name}");
        assert_eq!(strangers, 0, "{name}: every partner is known");
        let expected = truth["collectives"]["end_records_by_operation"].as_object().unwrap();
        let expected = expected.iter().map(|(operation, count)| (operation.clone(), number(count)));
        assert_eq!(operations, expected.collect(), "{name}");
    }
}

#[test]
fn metrics_have_their_values() {
    for (name, trace, truth) in traces().into_iter().flatten() {
        let mut found: BTreeMap<&str, (u64, f64, f64)> = BTreeMap::new();
        for (_, event) in trace.blocks.iter().flat_map(RecordBlock::iter) {
            if let Event::Metric(value) = event {
                let metric = &trace.definitions.metrics[value.metric.index()].name;
                let entry = found.entry(metric).or_insert((0, f64::INFINITY, f64::NEG_INFINITY));
                *entry = (entry.0 + 1, entry.1.min(value.value), entry.2.max(value.value));
            }
        }
        let empty = serde_json::Map::new();
        let expected = truth["metrics"].as_object().unwrap_or(&empty);
        let expected: BTreeMap<&str, (u64, f64, f64)> = expected
            .iter()
            .map(|(metric, t)| {
                (&**metric, (number(&t["values"]), t["min"].as_f64().unwrap(), t["max"].as_f64().unwrap()))
            })
            .collect();
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{name}");
        for (metric, truth) in expected {
            let value = found[metric];
            // The printer rounds reals to a few digits.
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-5 * b.abs();
            assert_eq!(value.0, truth.0, "{name}, {metric}");
            assert!(near(value.1, truth.1) && near(value.2, truth.2), "{name}, {metric}: {value:?} {truth:?}");
        }
    }
}

#[test]
fn sound_traces_are_not_called_damaged() {
    for (name, trace, _) in traces().into_iter().flatten() {
        assert!(trace.damage().is_empty(), "{name}: {:?}", trace.damage());
        assert_eq!(trace.warned(WarningKind::UndefinedReference), 0, "{name}: {:?}", trace.warnings);
        assert_eq!(trace.warned(WarningKind::UnknownRecords), 0, "{name}");
    }
}
