//! Flow events in the documented forms, in small files written by hand: which of them are messages, and between whom.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod chrome_support;

use chrome_support::{Trace, read, read_files};
use heddle_model::{Event, MessageEnd, WarningKind};

/// Rows of two processes: `a` on process 1 from 10 to 20, `b` on process 2 from 30 to 40, `c` there from 50 to 60.
const ROWS: &str = r#"{"ph":"X","name":"a","pid":1,"tid":1,"ts":10,"dur":10},
    {"ph":"X","name":"b","pid":2,"tid":2,"ts":30,"dur":10},{"ph":"X","name":"c","pid":2,"tid":2,"ts":50,"dur":10}"#;

fn with(flows: &str) -> Trace {
    read(&format!("[{ROWS},{flows}]"))
}

/// One end of a message: region around it, time in microseconds, tag (for each kind of end its own) and length.
type End = (String, i64, u32, u64);

/// All ends by location: sends, then receives.
fn ends(trace: &Trace) -> (Vec<End>, Vec<End>) {
    let (mut sent, mut received) = (Vec::new(), Vec::new());
    for block in &trace.blocks {
        let mut open = vec!["nothing".to_owned()];
        for (time, event) in block.iter() {
            let end = |end: MessageEnd| (open.last().unwrap().clone(), time.0 / 1000 + 10, end.tag / 2, end.bytes);
            match event {
                Event::Enter(region) => open.push(trace.definitions.regions[region.index()].name.clone()),
                Event::Leave(_) => _ = open.pop(),
                Event::Send(message) => sent.push(end(message)),
                Event::Recv(message) => received.push(end(message)),
                _ => {}
            }
        }
    }
    (sent, received)
}

fn one(sent: (&str, i64), received: (&str, i64)) -> (Vec<End>, Vec<End>) {
    let unknown = MessageEnd::UNKNOWN_LENGTH;
    (vec![(sent.0.to_owned(), sent.1, 0, unknown)], vec![(received.0.to_owned(), received.1, 0, unknown)])
}

#[test]
fn an_arrow_between_processes_is_a_message() {
    for (id, other) in [("7", "7"), ("\"0x7\"", "\"0x7\""), ("-1", "-1"), ("\"a b\"", "\"a b\"")] {
        let trace = with(&format!(
            r#"{{"ph":"s","id":{id},"name":"n","cat":"k","pid":1,"tid":1,"ts":12}},
            {{"ph":"f","bp":"e","id":{other},"name":"n","cat":"k","pid":2,"tid":2,"ts":35}}"#
        ));
        assert_eq!(ends(&trace), one(("a", 12), ("b", 35)), "{id}");
        assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
        let (sent, received) = trace.messages();
        assert_eq!((sent[0].peer.0, received[0].peer.0), (1, 0));
        let members = &trace.definitions.communicators[sent[0].comm.index()].members;
        assert_eq!(members.len(), 2);
        assert_eq!(trace.events(), 5);
    }
}

#[test]
fn without_a_binding_point_it_ends_where_the_next_row_begins() {
    let end = |ts: u32| {
        with(&format!(
            r#"{{"ph":"s","id":1,"name":"n","pid":1,"tid":1,"ts":12}},{{"ph":"f","id":1,"name":"n","pid":2,"tid":2,"ts":{ts}}}"#
        ))
    };
    assert_eq!(ends(&end(25)), one(("a", 12), ("b", 30)), "in front of a row");
    assert_eq!(ends(&end(30)), one(("a", 12), ("b", 30)), "a row that begins then is the next one");
    assert_eq!(ends(&end(35)), one(("a", 12), ("c", 50)), "inside of a row");
    assert_eq!(ends(&end(55)), one(("a", 12), ("nothing", 60)), "there is none");
    assert_eq!(ends(&end(70)), one(("a", 12), ("nothing", 70)), "behind everything");
}

#[test]
fn steps_make_a_chain() {
    let trace = with(
        r#"{"ph":"f","bp":"e","id":1,"name":"n","pid":1,"tid":9,"ts":70},{"ph":"t","id":1,"name":"n","pid":2,"tid":2,"ts":33},
        {"ph":"s","id":1,"name":"n","pid":1,"tid":1,"ts":12},{"ph":"t","id":1,"name":"n","pid":2,"tid":2,"ts":55}"#,
    );
    let (sent, received) = ends(&trace);
    let names = |ends: &[End]| ends.iter().map(|end| (end.0.clone(), end.1)).collect::<Vec<_>>();
    // From 33 to 55 it stays in its process.
    assert_eq!(names(&sent), [("a".to_owned(), 12), ("c".to_owned(), 55)]);
    let mut received = names(&received);
    received.sort();
    assert_eq!(received, [("b".to_owned(), 33), ("nothing".to_owned(), 70)]);
    assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
}

#[test]
fn category_name_and_id_make_a_flow() {
    // Same ids, other names and categories: three messages, not a tangle.
    let mut flows = Vec::new();
    for (at, (name, cat)) in [("n", "k"), ("m", "k"), ("n", "l")].into_iter().enumerate() {
        flows.push(format!(
            r#"{{"ph":"s","id":1,"name":"{name}","cat":"{cat}","pid":1,"tid":1,"ts":{}}},
            {{"ph":"f","bp":"e","id":1,"name":"{name}","cat":"{cat}","pid":2,"tid":2,"ts":{},"args":{{"bytes":{at}}}}}"#,
            12 + at,
            39 - at
        ));
    }
    let trace = with(&flows.join(","));
    let (mut sent, mut received) = ends(&trace);
    // They overtake each other: tags keep them apart.
    sent.sort_by_key(|end| end.2);
    received.sort_by_key(|end| end.2);
    let pairs: Vec<_> = sent.iter().zip(&received).map(|(s, r)| (s.1, r.1, s.2 == r.2, s.3, r.3)).collect();
    assert_eq!(pairs, [(12, 39, true, 0, 0), (13, 38, true, 1, 1), (14, 37, true, 2, 2)]);
    assert_eq!(sent.iter().map(|end| end.2).collect::<std::collections::BTreeSet<_>>().len(), 3);
}

#[test]
fn an_id_may_be_used_again() {
    let trace = with(
        r#"{"ph":"s","id":1,"name":"n","pid":1,"tid":1,"ts":12},{"ph":"f","bp":"e","id":1,"name":"n","pid":2,"tid":2,"ts":33},
        {"ph":"s","id":1,"name":"n","pid":1,"tid":1,"ts":40},{"ph":"f","bp":"e","id":1,"name":"n","pid":2,"tid":2,"ts":55}"#,
    );
    let (sent, received) = ends(&trace);
    assert_eq!(sent.iter().map(|end| end.1).collect::<Vec<_>>(), [12, 40]);
    assert_eq!(received.iter().map(|end| (end.1, end.2)).collect::<Vec<_>>(), [(33, 0), (55, 0)], "one tag is enough");
}

#[test]
fn ids_of_a_process_are_its_own() {
    let local = |ph: &str, pid: u32, ts: u32| {
        format!(r#"{{"ph":"{ph}","bp":"e","id2":{{"local":"0x1"}},"name":"n","pid":{pid},"tid":{pid},"ts":{ts}}}"#)
    };
    let trace = with(&[local("s", 1, 12), local("f", 2, 35)].join(","));
    assert!(trace.messages().0.is_empty());
    assert_eq!(trace.warned(WarningKind::UnusedRecords), 2, "neither has a partner");
    let trace = with(&[local("s", 1, 12), local("f", 2, 35)].join(",").replace("local", "global"));
    assert_eq!(ends(&trace), one(("a", 12), ("b", 35)));
}

#[test]
fn inside_a_process_and_alone_they_are_counted() {
    let trace = with(
        r#"{"ph":"s","id":1,"name":"n","pid":1,"tid":1,"ts":12},{"ph":"f","id":1,"name":"n","pid":1,"tid":5,"ts":33},
        {"ph":"s","id":2,"name":"n","pid":1,"tid":1,"ts":12},{"ph":"s","id":2,"name":"n","pid":1,"tid":1,"ts":13},
        {"ph":"t","id":3,"name":"n","pid":1,"tid":1,"ts":12},{"ph":"f","id":4,"name":"n","pid":2,"tid":2,"ts":12},
        {"ph":"f","id":4,"name":"n","pid":2,"tid":2,"ts":14},{"ph":"s","name":"n","pid":1,"tid":1,"ts":"x"},
        {"ph":"s","id":5,"cat":"ac2g","name":"n","pid":1,"tid":1,"ts":12},{"ph":"f","id":5,"cat":"ac2g","name":"n","pid":2,"tid":2,"ts":35}"#,
    );
    assert_eq!(trace.messages(), (vec![], vec![]));
    assert_eq!(trace.warned(WarningKind::UnusedRecords), 9, "{:?}", trace.warnings);
    assert_eq!(trace.warned(WarningKind::Corrupt), 1, "the one without a time");
    assert_eq!(trace.definitions.locations.len(), 2, "flows alone make no location");
}

#[test]
fn clocks_that_differ_do_not_part_the_ends() {
    let trace = with(
        r#"{"ph":"s","id":1,"name":"n","pid":2,"tid":2,"ts":35},{"ph":"f","bp":"e","id":1,"name":"n","pid":1,"tid":1,"ts":12}"#,
    );
    let (sent, received) = ends(&trace);
    assert_eq!((sent[0].1, received[0].1), (35, 12));
}

#[test]
fn files_of_ranks_have_ids_of_their_own() {
    let file = |rank: u32, ph: &str| {
        format!(
            r#"{{"traceEvents":[{{"ph":"X","cat":"cpu_op","name":"a","pid":{rank},"tid":1,"ts":1,"dur":9}},
            {{"ph":"{ph}","id":1,"name":"n","pid":{rank},"tid":1,"ts":5}}],"distributedInfo":{{"rank":{rank}}}}}"#
        )
    };
    let trace = read_files(&[("a", file(0, "s").as_bytes()), ("b", file(1, "f").as_bytes())], 1 << 30).unwrap();
    assert!(trace.messages().0.is_empty());
    assert_eq!(trace.warned(WarningKind::UnusedRecords), 2);
}

#[test]
fn many_flows_pair_the_same_in_little_memory() {
    let mut events = Vec::new();
    for at in 0..20_000u32 {
        let (from, to, start) = (at % 4, (at * 7 + 1) % 5, at * 10);
        events.push(format!(r#"{{"ph":"X","name":"w","pid":{from},"tid":1,"ts":{start}.5,"dur":9}}"#));
        events.push(format!(r#"{{"ph":"s","id":{at},"name":"n","pid":{from},"tid":1,"ts":{start}.75}}"#));
        let end = start + 3 + at * 7_919 % 5_000;
        events.push(format!(
            r#"{{"ph":"f","bp":"e","id":{at},"name":"n","pid":{to},"tid":1,"ts":{end}.25,"args":{{"bytes":{at}}}}}"#
        ));
    }
    let json = format!("[{}]", events.join(",\n"));
    let all = read_files(&[("t", json.as_bytes())], 1 << 30).unwrap();
    // Whoever matches in order, by process, partner and tag, finds the two ends of each flow: their lengths are equal.
    let mut queues = std::collections::BTreeMap::<(u32, u32, u32), Vec<u64>>::new();
    for (at, block) in all.blocks.iter().enumerate() {
        for (_, event) in block.iter() {
            if let Event::Send(end) = event {
                queues.entry((at as u32, end.peer.0, end.tag)).or_default().push(end.bytes);
            }
        }
    }
    for (at, block) in all.blocks.iter().enumerate() {
        let mut next = std::collections::BTreeMap::<(u32, u32, u32), usize>::new();
        for (_, event) in block.iter() {
            if let Event::Recv(end) = event {
                let key = (end.peer.0, at as u32, end.tag);
                let place = next.entry(key).or_default();
                assert_eq!(queues[&key][*place], end.bytes);
                *place += 1;
            }
        }
    }
    let between = (0..20_000u32).filter(|at| at % 4 != (at * 7 + 1) % 5).count();
    assert_eq!(all.messages().0.len(), between);
    let little = read_files(&[("t", json.as_bytes())], 1 << 16).unwrap();
    assert_eq!(little.messages(), all.messages());
    assert!(little.spans() == all.spans());
}
