//! Real traces of PyTorch's profiler against what a plain JSON parser with decimal arithmetic counted in them.
//!
//! The traces are not part of this repository: `HEDDLE_TRACES` names the folder that holds them. Without it these tests
//! are skipped; with it a trace that is missing is a failure.
//!
//! The one row of category `Trace` is not a span here but two marks, so that everything is compared less that row.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

mod chrome_support;

use chrome_support::{Trace, read_files};
use heddle_model::WarningKind;
use heddle_testkit::sample_traces;
use serde_json::Value;

const EXPECTED: [&str; 10] = [
    "b200-8ranks-rank0-python-stacks",
    "gloo-300ranks-rank34-cpu-only",
    "h100-bert-memory-instants",
    "mi250-no-distributed-info",
    "nccl-2ranks-rank0",
    "old-categories-rank1",
    "rank-missing-cpu-only",
    "rccl-8ranks-rank0-mi300-resnet",
    "sampled-128ranks-rank0",
    "sampled-128ranks-rank1",
];

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// Sum of a number over all entries of an object.
fn sum(object: &Value, key: &str) -> u64 {
    object.as_object().unwrap().values().map(|entry| number(&entry[key])).sum()
}

fn file(folder: &std::path::Path, name: &str) -> (String, Vec<u8>) {
    let file = format!("{name}.json.gz");
    let bytes = std::fs::read(folder.join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    (file, bytes)
}

fn check(name: &str, trace: &Trace, truth: &Value) {
    let window = &truth["spans_by_cat"]["Trace"];
    let spans = trace.spans();
    assert_eq!(spans.len() as u64, number(&truth["spans"]["total"]) - number(&window["count"]), "{name}: spans");
    let total: i64 = spans.iter().map(|span| span.end - span.start).sum();
    assert_eq!(total as u64, sum(&truth["spans_by_cat"], "dur_ns") - number(&window["dur_ns"]), "{name}: time");
    assert_eq!(trace.events(), number(&truth["events"]), "{name}: events");
    if let Some(world) = truth["distributedInfo"]["world_size"].as_u64() {
        assert_eq!(trace.definitions.ranks() as u64, world, "{name}: ranks");
    }
    let rank = truth["distributedInfo"]["rank"].as_u64().unwrap_or(0);
    assert!(trace.definitions.locations.iter().all(|location| u64::from(location.rank.0) == rank), "{name}: rank");
    let rows_of_window = u64::from(window["count"].is_u64());
    let tracks = number(&truth["pid_tid_pairs_with_spans"]) - rows_of_window;
    assert!(trace.definitions.locations.len() as u64 >= tracks, "{name}: locations");
    let streams = truth["gpu_streams"].as_array().unwrap();
    for stream in streams {
        let title = format!("GPU {} stream {}", stream[0].as_str().unwrap(), stream[1].as_str().unwrap());
        assert!(trace.definitions.locations.iter().any(|location| location.name == title), "{name}: {title}");
    }
    let gloo = truth["communication_rows_on_cpu"].as_object().unwrap().iter();
    let gloo: u64 = gloo.filter(|(row, _)| row.starts_with("gloo:")).map(|(_, count)| number(count)).sum();
    let kernels = sum(&truth["nccl_kernels"], "count");
    assert_eq!(trace.collectives().len() as u64, kernels + gloo, "{name}: collectives");
    let (sent, received) = trace.messages();
    assert!(sent.is_empty() && received.is_empty(), "{name}: messages");
    let flows = sum(&truth["flows"], "s") + sum(&truth["flows"], "t") + sum(&truth["flows"], "f");
    assert_eq!(trace.warned(WarningKind::UnusedRecords), flows, "{name}: flows");
    for kind in
        [WarningKind::Corrupt, WarningKind::Truncated, WarningKind::UnknownRecords, WarningKind::CrossingRegions]
    {
        assert_eq!(trace.warned(kind), 0, "{name}: {kind:?} in a sound trace");
    }
    for (kernel, said) in truth["nccl_kernels"].as_object().unwrap() {
        let expected = number(&said["count"]);
        let count = spans.iter().filter(|span| span.region == *kernel).count() as u64;
        assert_eq!(count, expected, "{name}: {kernel}");
    }
    // Time zero is the earliest of all, the window's own row included.
    let earliest =
        spans.iter().map(|span| span.start).chain(trace.definitions.marks.iter().map(|mark| mark.time.0)).min();
    assert_eq!(earliest, Some(0), "{name}: time zero");
    let whole = truth["span_last_end_ns"].as_i64().unwrap() - truth["span_first_start_ns"].as_i64().unwrap();
    let marks = trace.definitions.marks.iter().filter(|mark| mark.name.ends_with(" ends")).map(|mark| mark.time.0);
    let last = spans.iter().map(|span| span.end).chain(marks).max();
    assert_eq!(last, Some(whole), "{name}: the last end");
}

#[test]
fn every_sample_agrees_with_its_truth() {
    let Some(folder) = sample_traces("kineto") else { return };
    for name in EXPECTED {
        let truth = std::fs::read(folder.join(format!("{name}.truth.json"))).unwrap_or_else(|e| panic!("{name}: {e}"));
        let truth: Value = serde_json::from_slice(&truth).unwrap();
        let (file, bytes) = file(&folder, name);
        for memory in [1 << 30, 1 << 20] {
            let trace = read_files(&[(&file, &bytes)], memory).unwrap();
            check(name, &trace, &truth);
        }
    }
}

#[test]
fn two_ranks_of_one_run_are_matched_as_the_truth_says() {
    let Some(folder) = sample_traces("kineto") else { return };
    let truth = std::fs::read(folder.join("sampled-128ranks.cross-rank.truth.json")).unwrap();
    let truth: Value = serde_json::from_slice(&truth).unwrap();
    let (first, second) = (file(&folder, "sampled-128ranks-rank0"), file(&folder, "sampled-128ranks-rank1"));
    // The order of the files does not matter.
    for files in [[&first, &second], [&second, &first]] {
        let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        let trace = read_files(&files, 1 << 30).unwrap();
        let collectives = trace.collectives();
        assert_eq!(trace.definitions.ranks(), 128);
        assert_eq!(collectives.len(), 15, "ten of each rank, five of them the same");
        let origin = 1_682_725_897_226_747_000i64;
        let kernel = |rank: &str, at: &Value| {
            let kernel = &truth[rank][at.as_u64().unwrap() as usize];
            (kernel["start_us"].as_i64().unwrap() * 1000 - origin, kernel["end_us"].as_i64().unwrap() * 1000 - origin)
        };
        let both: Vec<_> = collectives.values().filter(|members| members.len() == 2).collect();
        let pairs = truth["overlapping_pairs"].as_array().unwrap();
        assert_eq!(both.len(), pairs.len());
        for pair in pairs {
            let (a, b) = (kernel("rank0", &pair["rank0"]), kernel("rank1", &pair["rank1"]));
            let op = match pair["op"].as_str().unwrap() {
                "nccl:all_to_all" => "alltoall",
                "nccl:all_reduce" => "allreduce",
                _ => "allgather",
            };
            let expected = vec![(0, op, a.0, a.1), (1, op, b.0, b.1)];
            assert!(both.contains(&&expected), "{expected:?} is not among {both:?}");
        }
    }
}
