//! What the sample traces lack, in small files written by hand.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

mod chrome_support;

use chrome_support::{Trace, read, read_files};
use heddle_formats::{OpenError, chrome, recognise};
use heddle_model::{LocationKind, Paradigm, Role, WarningKind};

fn x(name: &str, tid: u32, ts: &str, dur: &str) -> String {
    format!(
        r#"{{"ph":"X","name":"{name}","cat":"c","pid":1,"tid":{tid},"ts":{ts},"dur":{dur},"args":{{"k":[{{"a":"}}"}}]}}}}"#
    )
}

fn names(trace: &Trace) -> Vec<(String, i64, i64, usize)> {
    trace.spans().into_iter().map(|span| (span.region, span.start, span.end, span.depth)).collect()
}

#[test]
fn arrays_and_objects_ended_or_not_are_the_same_trace() {
    let events = [x("outer", 1, "10", "10"), x("inner", 1, "12.5", "2")].join(",\n");
    let expected = [("outer".to_owned(), 0, 10_000, 0), ("inner".to_owned(), 2_500, 4_500, 1)];
    for (text, cut) in [
        (format!("[{events}]"), false),
        (format!("[\n{events},\n]"), false),
        (format!("[{events}"), true),
        (format!("[{events},\n"), true),
        (format!("{{\"traceEvents\":[{events}]}}"), false),
        (format!("{{\"a\":{{\"b\":[1]}},\"traceEvents\" : [{events}],\"c\":\"]\"}}\n"), false),
        (format!("{{\"traceEvents\":[{events}"), true),
        (format!("{{\"traceEvents\":[{events}]"), true),
        (format!("\u{feff} [{events}]"), false),
    ] {
        assert!(chrome::recognise(text.as_bytes()), "{text}");
        assert_eq!(recognise(text.as_bytes()).unwrap().name, "chrome");
        let trace = read(&text);
        assert_eq!(names(&trace), expected, "{text}");
        assert_eq!(trace.warned(WarningKind::Truncated), u64::from(cut), "{text}");
        assert_eq!(trace.events(), 2);
    }
}

#[test]
fn other_json_is_no_trace() {
    for text in [
        "[]",
        "{}",
        "[1,2]",
        r#"{"schema":"1.0","nodes":[{"name":"a"}]}"#,
        r#"{"top_level_keys":["traceEvents"],"distributedInfo":{}}"#,
        "[[",
        "plain text",
        "",
    ] {
        assert!(!chrome::recognise(text.as_bytes()), "{text}");
    }
}

#[test]
fn a_cut_at_any_byte_loses_nothing_before_it() {
    let events: Vec<String> = (0..6).map(|at| x(&format!("e{at}"), 1, &format!("{}", at * 10), "5")).collect();
    for (head, tail) in [("[", "]"), ("{\"traceEvents\": [", "],\"distributedInfo\":{\"rank\":3}}")] {
        let whole = format!("{head}{}{tail}", events.join(", "));
        for cut in head.len()..=whole.len() {
            let trace = read(&whole[..cut]);
            let complete = (0..6)
                .filter(|at| {
                    let event = &events[*at];
                    whole.find(event.as_str()).unwrap() + event.len() <= cut
                })
                .count();
            assert_eq!(trace.spans().len(), complete, "cut at {cut}");
            let whole_file = cut == whole.len();
            assert_eq!(trace.warnings.is_empty() || tail.len() > 1, whole_file || tail.len() > 1, "cut at {cut}");
        }
    }
}

#[test]
fn begins_and_ends_pair_in_the_order_of_time() {
    let trace = read(
        r#"[{"ph":"E","pid":1,"tid":1,"ts":1},
        {"ph":"B","name":"inner","pid":1,"tid":1,"ts":20},
        {"ph":"B","name":"outer","pid":1,"tid":1,"ts":10},
        {"ph":"E","pid":1,"tid":1,"ts":40},
        {"ph":"E","pid":1,"tid":1,"ts":30},
        {"ph":"X","name":"x","pid":1,"tid":1,"ts":22,"dur":3},
        {"ph":"B","name":"same","pid":1,"tid":1,"ts":41},{"ph":"B","name":"time","pid":1,"tid":1,"ts":41},
        {"ph":"E","pid":1,"tid":1,"ts":42},{"ph":"E","pid":1,"tid":1,"ts":42},
        {"ph":"B","name":"open","pid":1,"tid":1,"ts":50},{"ph":"X","name":"last","pid":1,"tid":1,"ts":55,"dur":5},
        {"ph":"B","name":"other thread","pid":1,"tid":"1","ts":10},{"ph":"E","pid":1,"tid":"1","ts":11}]"#,
    );
    let row = |name: &str, start: i64, end: i64, depth| (name.to_owned(), start * 1000, end * 1000, depth);
    assert_eq!(
        names(&trace),
        [
            row("outer", 0, 30, 0),
            row("inner", 10, 20, 1),
            row("x", 12, 15, 2),
            row("same", 31, 32, 0),
            row("time", 31, 32, 1),
            row("open", 40, 50, 0),
            row("last", 45, 50, 1),
            row("other thread", 0, 1, 0),
        ]
    );
    assert_eq!(trace.definitions.locations.len(), 2, "a number and the same as text are different");
    assert_eq!((trace.warned(WarningKind::OpenRegions), trace.warned(WarningKind::StrayLeaves)), (1, 1));
}

#[test]
fn rows_that_do_not_nest_get_a_row_of_their_own() {
    let rows = [x("a", 7, "0.5", "10"), x("b", 7, "5", "10"), x("c", 7, "6", "2"), x("d", 7, "12", "1")];
    let trace = read(&format!("[{}]", rows.join(",")));
    let spans = trace.spans();
    assert_eq!(spans.len(), 4, "nothing is lost");
    let span = |region: &str| spans.iter().find(|span| span.region == region).unwrap();
    let (b, c) = (span("b"), span("c"));
    assert_eq!((b.location.as_str(), b.start, b.end, b.depth), ("thread 7 · row 2", 4_500, 14_500, 0));
    assert_eq!((c.location.as_str(), c.start, c.end, c.depth), ("thread 7", 5_500, 7_500, 1));
    // Whole microseconds: a child may seem to end one too late.
    let rows = [x("a", 7, "0", "10"), x("b", 7, "5", "6"), x("c", 7, "6", "6")];
    let trace = read(&format!("[{}]", rows.join(",")));
    assert_eq!(trace.definitions.locations.len(), 2, "b is clipped, c is not");
    assert_eq!(trace.warned(WarningKind::CrossingRegions), 1);
}

#[test]
fn asynchronous_events_pair_by_their_key() {
    let event = |ph: &str, id: &str, name: &str, ts: u32| {
        format!(r#"{{"ph":"{ph}","cat":"net","id":{id},"name":"{name}","pid":3,"tid":{ts},"ts":{ts}}}"#)
    };
    let events = [
        event("b", "1", "fetch", 0),
        event("b", "\"0x2\"", "load", 5),
        event("b", "1", "parse", 6),
        event("n", "1", "half way", 7),
        event("e", "1", "parse", 8),
        event("e", "1", "fetch", 10),
        event("e", "\"0x2\"", "load", 20),
        event("S", "9", "old", 30),
        event("T", "9", "old", 31),
        event("F", "9", "old", 33),
    ];
    let trace = read(&format!("[{}]", events.join(",")));
    let mut spans = names(&trace);
    spans.sort();
    let row = |name: &str, start, end, depth| (name.to_owned(), start, end, depth);
    assert_eq!(
        spans,
        [
            row("fetch", 0, 10_000, 0),
            row("load", 5_000, 20_000, 0),
            row("old", 30_000, 33_000, 0),
            row("parse", 6_000, 8_000, 1)
        ]
    );
    assert_eq!(trace.marks(), ["half way"]);
    assert_eq!(trace.warned(WarningKind::UnusedRecords), 1, "the step");
    assert!(trace.definitions.locations.iter().all(|location| location.name.starts_with("asynchronous net")));
}

#[test]
fn counters_are_series_of_their_process() {
    let trace = read(
        r#"[{"ph":"C","name":"mem","pid":1,"tid":5,"ts":2,"args":{"used":3,"free":1.5,"odd":"x"}},
        {"ph":"C","name":"mem","pid":1,"tid":6,"ts":1,"args":{"used":2}},
        {"ph":"C","name":"mem","id":"7","pid":1,"ts":3,"args":{"used":NaN,"free":4}},
        {"ph":"M","name":"process_name","pid":1,"args":{"name":"the \"one\""}},
        {"ph":"M","name":"process_name","pid":9,"args":{"name":"without events"}}]"#,
    );
    let value = |metric: &str, time, value| ("counters".to_owned(), metric.to_owned(), time, value);
    assert_eq!(
        trace.values(),
        [
            value("mem: used", 0, 2.0),
            value("mem: used", 1_000, 3.0),
            value("mem: free", 1_000, 1.5),
            value("mem[7]: free", 2_000, 4.0)
        ]
    );
    assert_eq!(trace.definitions.locations.len(), 1);
    assert_eq!(trace.definitions.locations[0].kind, LocationKind::Metric);
    assert_eq!(trace.definitions.system_tree[1].name, "the \"one\"");
    assert_eq!(trace.warned(WarningKind::UnusedRecords), 2, "values that are no numbers");
}

#[test]
fn instants_flows_and_unknown_phases_are_counted_or_shown() {
    let trace = read(
        r#"[{"ph":"i","name":"here","pid":1,"tid":1,"ts":5},{"ph":"I","s":"g","name":"everywhere","pid":1,"tid":1,"ts":4},
        {"ph":"s","id":1,"name":"f","pid":1,"tid":1,"ts":5},{"ph":"f","id":1,"name":"f","pid":1,"tid":1,"ts":6},
        {"ph":"O","pid":1,"ts":1},{"ph":"Z","ts":1},{"name":"no phase"},{"ph":"X","name":"no time","pid":1},
        7, null, {"ph":"X","name":"a "b" c","ts":1},
        {"ph":"X","name":"last","pid":1,"tid":1,"ts":"9","dur":-1}]"#,
    );
    assert_eq!(trace.marks(), ["here", "everywhere"]);
    assert_eq!(trace.warned(WarningKind::UnusedRecords), 3, "{:?}", trace.warnings);
    assert_eq!(trace.warned(WarningKind::UnknownRecords), 2);
    assert_eq!(trace.warned(WarningKind::Corrupt), 5, "two values, a broken row, no time, a negative duration");
    assert_eq!(names(&trace), [("last".to_owned(), 5_000, 5_000, 0)]);
}

/// A file of one rank with one stream; kernels are (start, duration, more arguments).
fn rank(rank: u32, size: u32, kernels: &[(u32, u32, &str)]) -> String {
    let kernels: Vec<String> = kernels
        .iter()
        .map(|(ts, dur, more)| {
            format!(
                r#"{{"ph":"X","cat":"kernel","name":"ncclDevKernel_Generic(x)","pid":0,"tid":7,"ts":{ts}.5,"dur":{dur},
                "args":{{"dtype":"Float","In msg nelems":10,"Process Group Name":"0","Group size":{size}{more}}}}}"#
            )
        })
        .collect();
    format!(
        r#"{{"schemaVersion":1,"traceEvents":[{}],"distributedInfo":{{"rank":{rank},"world_size":{size}}}}}"#,
        kernels.join(",")
    )
}

fn op(name: &str, more: &str) -> String {
    format!(r#","Collective name":"{name}"{more}"#)
}

fn two(first: &str, second: &str) -> Trace {
    read_files(&[("a.json", first.as_bytes()), ("b.json", second.as_bytes())], 1 << 30).unwrap()
}

/// Which ranks are in each collective.
fn members(trace: &Trace) -> Vec<Vec<u32>> {
    trace.collectives().into_values().map(|members| members.into_iter().map(|member| member.0).collect()).collect()
}

#[test]
fn sequence_numbers_decide_where_there_are_some() {
    let reduce = |seq: u32| op("allreduce", &format!(",\"Seq\":{seq}"));
    let first = rank(0, 2, &[(0, 5, &reduce(4)), (10, 5, &reduce(5)), (20, 5, &reduce(6))]);
    // The window opened later, the clock is elsewhere.
    let second = rank(1, 2, &[(1_000, 5, &reduce(5)), (1_010, 5, &reduce(6)), (1_020, 5, &reduce(7))]);
    let trace = two(&second, &first);
    assert_eq!(members(&trace), [vec![0], vec![0, 1], vec![0, 1], vec![1]]);
    assert_eq!(trace.definitions.world.len(), 2);
    assert_eq!(trace.definitions.communicators[0].members.len(), 2);
    let keyed = |key: &str| op("allreduce", &format!(",\"Seq\":1,\"Comms Id\":\"{key}\""));
    let first = rank(0, 2, &[(0, 5, &keyed("x")), (10, 5, &keyed("y"))]);
    let second = rank(1, 2, &[(0, 5, &keyed("y"))]);
    assert_eq!(members(&two(&first, &second)), [vec![0, 1], vec![0]].into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn sequence_numbers_that_lie_are_not_used() {
    let first = rank(0, 2, &[(0, 5, &op("allreduce", ",\"Seq\":1")), (10, 5, &op("barrier", ",\"Seq\":2"))]);
    let second = rank(1, 2, &[(1, 5, &op("allreduce", ",\"Seq\":2")), (11, 5, &op("barrier", ",\"Seq\":1"))]);
    let trace = two(&first, &second);
    assert_eq!(members(&trace), [vec![0, 1], vec![0, 1]]);
    assert_eq!(trace.warned(WarningKind::DoubtfulCollectives), 1);
}

#[test]
fn positions_count_after_one_shift_of_the_clock_else_time_does() {
    let reduce = op("allreduce", "");
    let first = rank(0, 2, &[(0, 5, &reduce), (100, 5, &reduce), (200, 5, &reduce)]);
    let skewed = rank(1, 2, &[(5_000, 5, &reduce), (5_100, 5, &reduce), (5_200, 5, &reduce)]);
    assert_eq!(members(&two(&first, &skewed)), [vec![0, 1], vec![0, 1], vec![0, 1]]);
    let thinned = rank(1, 2, &[(101, 5, &reduce), (300, 5, &reduce)]);
    let trace = two(&first, &thinned);
    assert_eq!(members(&trace), [vec![0], vec![0, 1], vec![0], vec![1]]);
    assert_eq!(trace.warned(WarningKind::DoubtfulCollectives), 1);
}

#[test]
fn sends_and_receives_are_messages_and_waits_are_nothing() {
    let first = rank(0, 2, &[(0, 5, &op("send", ",\"Dst Rank\":1,\"Seq\":3")), (9, 1, &op("wait", ""))]);
    let second = rank(1, 2, &[(0, 5, &op("recv", ",\"Src Rank\":0,\"Seq\":3"))]);
    let trace = two(&first, &second);
    let (sent, received) = trace.messages();
    assert_eq!((sent.len(), received.len()), (1, 1));
    assert_eq!(sent[0].peer, trace.definitions.world[1]);
    assert_eq!(received[0].peer, trace.definitions.world[0]);
    assert_eq!((sent[0].tag, sent[0].bytes, received[0].tag), (3, 40, 3));
    assert!(trace.collectives().is_empty());
    assert_eq!(trace.spans().len(), 3);
}

#[test]
fn unrecognised_kernels_are_said_aloud() {
    let trace = read(&rank(0, 4, &[(0, 5, ""), (10, 5, "")]));
    let warnings = trace.warnings.to_vec();
    assert!(warnings.iter().any(|w| w.text.starts_with("0 of 2 communication kernels recognised")), "{warnings:?}");
    assert_eq!(trace.collectives().len(), 2);
    let region = &trace.definitions.regions[0];
    assert_eq!((region.paradigm, region.role), (Paradigm::Communication, Role::Collective));
}

#[test]
fn ranks_are_never_guessed_in_silence() {
    let plain =
        r#"{"schemaVersion":1,"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":1}]}"#;
    let open = |names: &[&str]| read_files(&names.iter().map(|n| (*n, plain.as_bytes())).collect::<Vec<_>>(), 1 << 30);
    let ranks = |trace: &Trace| trace.definitions.locations.iter().map(|l| l.rank.0).collect::<Vec<_>>();
    let one = open(&["x-rank7.json"]).unwrap();
    assert_eq!((ranks(&one), one.warned(WarningKind::Assumed)), (vec![0], 1), "one file stands for itself");
    let named = open(&["x-rank1.json", "x-rank0.json"]).unwrap();
    assert_eq!((ranks(&named), named.warned(WarningKind::Assumed)), (vec![0, 1], 2));
    let unnamed = open(&["b.json", "a.json"]).unwrap();
    assert_eq!((ranks(&unnamed), unnamed.warned(WarningKind::Assumed)), (vec![0, 1], 2));
    let error = open(&["x-rank1.json", "y/x-rank1.json"]).unwrap_err();
    assert!(matches!(&error, OpenError::Wrong { .. }) && error.to_string().contains("rank 1"), "{error}");
}

#[test]
fn time_bases_are_added_before_files_are_compared() {
    let file = |rank: u32, base: &str, ts: &str| {
        format!(
            r#"{{"traceEvents":[{{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":{ts},"dur":0.001}}],
            "baseTimeNanoseconds":{base},"distributedInfo":{{"rank":{rank}}}}}"#
        )
    };
    let trace = two(&file(0, "1711964646000000000", "0.001"), &file(1, "0", "1711964646000000.003"));
    let starts: Vec<i64> = trace.spans().iter().map(|span| span.start).collect();
    assert_eq!(starts, [0, 2]);
}

#[test]
fn neither_blocks_nor_memory_change_anything() {
    // Arguments full of what looks like borders between events, over several rounds of reading.
    let mut events = Vec::new();
    for at in 0..60_000u32 {
        let inside: Vec<String> = (0..at % 9).map(|k| format!(r#"{{"name":"n{k}","ph":"X"}}"#)).collect();
        events.push(format!(
            r#"{{"name":"r{}","args":{{"list":[{}],"text":"}},{{\"ph\":1"}},"ph":"X","cat":"c","pid":1,"tid":{},"ts":{}.250,"dur":{}}}"#,
            at % 50,
            inside.join(","),
            at % 3,
            (at * 7_919) % 60_000 * 10,
            at % 10,
        ));
    }
    let json = format!("{{\"traceEvents\":[{}],\"x\":1}}", events.join(",\n  "));
    assert!(json.len() > 9 << 20);
    let files = [("t.json", json.as_bytes())];
    let all = read_files(&files, 1 << 30).unwrap();
    assert_eq!(all.spans().len(), 60_000);
    assert!(all.warnings.is_empty(), "{:?}", all.warnings);
    let little = read_files(&files, 1 << 20).unwrap();
    assert!(little.spans() == all.spans());
}
