//! The file that is written: sound JSON by the rules of browsers, and the same trace when it is read again.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod chrome_support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrome_support::read_files;
use heddle_formats::{Gather, Gathered, MemoryFiles, MemoryScratch, Output, chrome};
use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, Communicator, Definitions, Event, GlobalMark, Location, LocationId,
    LocationKind, MarkText, MessageEnd, MetricDefinition, MetricId, MetricMode, MetricValue, Ns, Paradigm, Rank,
    RecordBlock, Region, RegionId, RequestId, Role, Source, SystemNode, SystemNodeId, Warnings,
};
use serde_json::Value;

fn definitions() -> Definitions {
    let location = |at: u32, rank: u32, kind| Location {
        file_id: u64::from(at),
        name: format!("place \"{at}\"").into(),
        kind,
        parent: Some(SystemNodeId(rank)),
        rank: Rank(rank),
    };
    let region = |name: &str, role| Region { line: Some(7), ..Region::named(name, Paradigm::Threads, role) };
    let process = |rank| SystemNode { name: format!("process\n{rank}").into(), class: "process".into(), parent: None };
    let world: Arc<[LocationId]> = [LocationId(1), LocationId(2)].into();
    let comm = |name: &str, members: &Arc<[LocationId]>| Communicator::of(name, members.clone());
    Definitions {
        system_tree: vec![process(0), process(1)],
        // The main thread of rank 0 is not its first.
        locations: vec![
            location(0, 0, LocationKind::AcceleratorStream),
            location(1, 0, LocationKind::CpuThread),
            location(2, 1, LocationKind::CpuThread),
        ],
        regions: vec![
            region("main \\ \u{7f}\u{e9}", Role::Parallel),
            region("MPI_Isend", Role::Function),
            region("wait", Role::Wait),
        ],
        communicators: vec![comm("world", &world), comm("other", &world)],
        metrics: vec![MetricDefinition {
            name: "cache: misses".to_owned(),
            unit: "#".to_owned(),
            mode: MetricMode::Accumulated,
        }],
        world: world.to_vec(),
        marks: vec![GlobalMark {
            location: LocationId::NONE,
            time: Ns(5),
            name: "global".to_owned(),
            text: "for \"all\"".to_owned(),
        }],
        ..Definitions::default()
    }
}

fn end(peer: u32, tag: u32, bytes: u64, request: RequestId) -> MessageEnd {
    MessageEnd { peer: LocationId(peer), comm: CommId(1), tag, bytes, request }
}

fn collective(number: u32, request: RequestId) -> CollectiveEnd {
    let root = LocationId(2);
    CollectiveEnd { op: CollectiveOp(1), comm: CommId(0), root, sent: 1, received: 2, request, number: Some(number) }
}

/// Something of everything, with times that meet.
fn fill(gather: &mut Gather<'_>) {
    let (main, isend, wait) = (RegionId(0), RegionId(1), RegionId(2));
    let none = RequestId::NONE;
    let block = gather.block(LocationId(0));
    block.enter(Ns(0), main);
    block.metric(Ns(3), MetricValue { metric: MetricId(0), value: 0.1 });
    block.leave(Ns(10), Some(main));
    let block = gather.block(LocationId(1));
    block.enter(Ns(1), main);
    block.isend(Ns(2), end(2, 9, 100, RequestId(1)));
    block.enter(Ns(4), isend);
    block.isend(Ns(4), end(2, 9, 200, RequestId(2)));
    block.leave(Ns(6), Some(isend));
    block.send_complete(Ns(7), RequestId(2));
    block.mark(Ns(7), MarkText { name: "here".to_owned(), text: "now\tthen".to_owned() });
    block.collective_request(Ns(7), RequestId(3));
    block.send_complete(Ns(8), RequestId(1));
    // Two with the same times.
    block.enter(Ns(10), wait);
    block.enter(Ns(10), main);
    block.leave(Ns(12), Some(main));
    block.collective_complete(Ns(12), collective(0, RequestId(3)));
    block.leave(Ns(12), Some(wait));
    block.send(Ns(13), end(2, 1, 7, none));
    block.leave(Ns(20), Some(main));
    let block = gather.block(LocationId(2));
    block.recv_request(Ns(1), RequestId(1));
    block.recv_request(Ns(2), RequestId(2));
    block.enter(Ns(5), wait);
    // The second is done first.
    block.irecv(Ns(8), end(1, 9, 200, RequestId(2)));
    block.irecv(Ns(9), end(1, 9, 100, RequestId(1)));
    block.leave(Ns(9), Some(wait));
    block.enter(Ns(10), wait);
    block.collective_begin(Ns(11));
    block.collective_end(Ns(13), collective(0, none));
    block.leave(Ns(14), Some(wait));
}

fn made(scratch: &MemoryScratch) -> Gathered<'_> {
    let mut gather = Gather::new(scratch, 1 << 30);
    fill(&mut gather);
    gather.finish("test", definitions(), Warnings::default())
}

fn written() -> Vec<u8> {
    let (scratch, files) = (MemoryScratch::default(), MemoryFiles::default());
    let summary = chrome::write(&made(&scratch), &Output::new("t.json", &files, &MemoryScratch::default())).unwrap();
    assert_eq!(summary.left_out, 0);
    files.get("t.json").unwrap()
}

#[test]
fn it_is_json_as_browsers_want_it() {
    let json: Value = serde_json::from_slice(&written()).unwrap();
    assert_eq!(json["displayTimeUnit"], "ns");
    let mut ids: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut slices: Vec<(i64, i64, i64)> = Vec::new();
    let ns = |value: &Value| (value.as_f64().unwrap() * 1000.0).round() as i64;
    let events = json["traceEvents"].as_array().unwrap();
    for event in events {
        match event["ph"].as_str().unwrap() {
            "X" => slices.push((event["tid"].as_i64().unwrap(), ns(&event["ts"]), ns(&event["dur"]))),
            phase @ ("s" | "f") => {
                let id = event["id"].as_str().unwrap();
                assert!(u64::from_str_radix(id.strip_prefix("0x").unwrap(), 16).is_ok());
                ids.entry(id.to_owned()).or_default().push(phase.to_owned());
                assert_eq!(event["bp"] == "e", phase == "f");
            }
            "i" => assert!(["t", "g"].contains(&event["s"].as_str().unwrap())),
            "C" => assert!(event["args"]["value"].is_number()),
            other => assert_eq!(other, "M"),
        }
        assert!(event["pid"].is_u64() && event["tid"].is_u64());
    }
    // Every flow that has both ends stands on slices.
    for event in events.iter().filter(|event| event["ph"] == "f") {
        let (tid, at) = (event["tid"].as_i64().unwrap(), ns(&event["ts"]));
        assert!(slices.iter().any(|(of, start, length)| *of == tid && *start <= at && at < start + length), "{event}");
    }
    assert_eq!(ids.values().filter(|ends| ends.len() == 2 && ends.contains(&"s".to_owned())).count(), 2);
    assert_eq!(ids.values().filter(|ends| ends.len() == 1).count(), 1, "one was never received");
    let tids: BTreeSet<i64> = slices.iter().map(|slice| slice.0).collect();
    assert_eq!(tids.into_iter().collect::<Vec<_>>(), [1, 2, 3]);
    for (tid, start, length) in &slices {
        let crosses = |other: &&(i64, i64, i64)| {
            other.0 == *tid && *start < other.1 && other.1 < start + length && other.1 + other.2 > start + length
        };
        assert_eq!(slices.iter().find(crosses), None);
    }
    let text = String::from_utf8(written()).unwrap();
    assert!(text.contains("\"ts\":0.010,\"dur\":0.002"), "three decimals");
}

/// Records as a person reads them; requests are told by their order.
fn told(block: &RecordBlock) -> Vec<String> {
    let mut requests: Vec<RequestId> = Vec::new();
    let mut request = |id: RequestId| {
        let known = requests.iter().position(|known| *known == id);
        let at = known.unwrap_or(requests.len());
        if known.is_none() {
            requests.push(id);
        }
        if id.is_some() { RequestId(at as u64) } else { id }
    };
    let mut lines: Vec<String> = block
        .iter()
        .map(|(time, event)| {
            let event = match event {
                Event::Isend(end) => Event::Isend(MessageEnd { request: request(end.request), ..end }),
                Event::Irecv(end) => Event::Irecv(MessageEnd { request: request(end.request), ..end }),
                Event::RecvRequest(id) => Event::RecvRequest(request(id)),
                Event::SendComplete(id) => Event::SendComplete(request(id)),
                Event::CollectiveRequest(id) => Event::CollectiveRequest(request(id)),
                Event::CollectiveComplete(end) => {
                    Event::CollectiveComplete(CollectiveEnd { request: request(end.request), ..end })
                }
                other => other,
            };
            format!("{:>4} {event:?}", time.0)
        })
        .collect();
    // At one time there may be several orders.
    lines.sort();
    lines
}

/// Begins and ends of calls, in order.
fn calls(block: &RecordBlock, definitions: &Definitions) -> Vec<(i64, bool, String)> {
    let name = |region: RegionId| definitions.regions[region.index()].name.clone();
    let calls = block.iter().filter_map(|(time, event)| match event {
        Event::Enter(region) => Some((time.0, true, name(region))),
        Event::Leave(region) => Some((time.0, false, name(region.unwrap()))),
        _ => None,
    });
    calls.collect()
}

#[test]
fn what_is_written_is_read_again() {
    let bytes = written();
    let scratch = MemoryScratch::default();
    let source = made(&scratch);
    for memory in [1 << 30, 1 << 12] {
        let trace = read_files(&[("t.json", &bytes)], memory).unwrap();
        assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
        for part in source.parts() {
            let mut before = RecordBlock::default();
            source.read(part, &mut before).unwrap();
            let after = &trace.blocks[part.location.index()];
            assert_eq!(told(after), told(&before), "location {}", part.location.0);
            assert_eq!(calls(after, &trace.definitions), calls(&before, source.definitions()));
        }
        trace.spans();
        let (before, after) = (source.definitions(), &trace.definitions);
        assert_eq!(after.locations, before.locations_with_parents(&after.locations));
        let by_name = |regions: &[Region]| {
            let mut regions = regions.to_vec();
            regions.sort_by(|a, b| a.name.cmp(&b.name));
            regions
        };
        assert_eq!(by_name(&after.regions), by_name(&before.regions));
        assert_eq!(after.communicators, before.communicators);
        assert_eq!(after.metrics, before.metrics);
        assert_eq!(after.world, before.world);
        assert_eq!(after.marks, before.marks);
        let processes = |all: &Definitions| -> Vec<String> {
            let nodes = all.system_tree.iter().filter(|node| node.class == SystemNode::PROCESS);
            nodes.map(|node| node.name.to_string()).collect()
        };
        assert_eq!(processes(after), processes(before));
    }
}

trait WithParents {
    /// The same locations at other places of the system tree.
    fn locations_with_parents(&self, others: &[Location]) -> Vec<Location>;
}

impl WithParents for Definitions {
    fn locations_with_parents(&self, others: &[Location]) -> Vec<Location> {
        let pairs = self.locations.iter().zip(others);
        pairs.map(|(location, other)| Location { parent: other.parent, ..location.clone() }).collect()
    }
}

#[test]
fn a_change_of_mind_is_heard() {
    let (scratch, files) = (MemoryScratch::default(), MemoryFiles::default());
    let error =
        chrome::write(&made(&scratch), &Output { go_on: &|_| false, ..Output::new("t.json", &files, &scratch) })
            .unwrap_err();
    assert!(matches!(error, heddle_formats::WriteError::Cancelled));
}
