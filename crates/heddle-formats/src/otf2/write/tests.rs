//! Whole archives from a source made by hand, looked at byte by byte and with the reference's printer.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, Communicator, Definitions, GlobalMark, Location, LocationKind, MarkText,
    MessageEnd, MetricDefinition, MetricId, MetricMode, MetricValue, Ns, Paradigm, Rank, Region, RegionId, RequestId,
    Role, SystemNode, SystemNodeId,
};
use heddle_testkit::MadeSource;

use super::*;
use crate::{Files, MemoryFiles, MemoryScratch, Output};

const COMPUTE: RegionId = RegionId(0);
const WAITALL: RegionId = RegionId(1);
const WORLD: CommId = CommId(0);

/// Two ranks on a node, a helper thread on the second, and a location that nothing happened on. The first rank goes
/// through `compute` so many times.
fn made(steps: i64) -> MadeSource<'static> {
    let node = |name: &str, class: &str, parent: Option<u32>| SystemNode {
        name: name.into(),
        class: class.into(),
        parent: parent.map(SystemNodeId),
    };
    let location = |file_id, name: &str, parent: Option<u32>, rank| Location {
        file_id,
        name: name.into(),
        kind: LocationKind::CpuThread,
        parent: parent.map(SystemNodeId),
        rank,
    };
    let comm = |name: &str, members: &[LocationId], remote: Option<&[LocationId]>| Communicator {
        name: name.to_owned(),
        members: members.into(),
        remote: remote.map(Arc::from),
        parent: (name != "MPI_COMM_WORLD").then_some(WORLD),
        is_self: name == "MPI_COMM_SELF",
    };
    let (first, second) = (LocationId(0), LocationId(1));
    let mut compute = Region::named("compute", Paradigm::User, Role::Function);
    compute.file = Some("solver.f90".to_owned());
    compute.line = Some(17);
    let definitions = Definitions {
        system_tree: vec![
            node("toy", "machine", None),
            node("node 0", "node", Some(0)),
            node("MPI Rank 0", SystemNode::PROCESS, Some(1)),
            node("MPI Rank 1", SystemNode::PROCESS, Some(1)),
            node("GPU", SystemNode::ACCELERATOR, Some(3)),
        ],
        locations: vec![
            location(0, "Master thread", Some(2), Rank(0)),
            location(1 << 33, "Master thread", Some(3), Rank(1)),
            location(7, "helper", Some(3), Rank(1)),
            location(9, "lost", None, Rank::NONE),
        ],
        regions: vec![compute, Region::named("MPI_Waitall", Paradigm::Mpi, Role::Function)],
        communicators: vec![
            comm("MPI_COMM_WORLD", &[first, second], None),
            comm("MPI_COMM_SELF", &[], None),
            comm("reversed", &[second, first], None),
            comm("bridge", &[first], Some(&[second])),
        ],
        metrics: vec![
            MetricDefinition { name: "power".to_owned(), unit: "W".to_owned(), mode: MetricMode::Absolute },
            MetricDefinition { name: "energy".to_owned(), unit: "J".to_owned(), mode: MetricMode::Accumulated },
        ],
        world: vec![first, second],
        marks: vec![GlobalMark {
            location: LocationId::NONE,
            time: Ns(5),
            name: "phase".to_owned(),
            text: "warm up".to_owned(),
        }],
        ..Definitions::default()
    };
    let parts = [(0, 0), (0, 1), (1, 0), (2, 0)]
        .map(|(location, index)| Part { location: LocationId(location), index, bytes: 100 })
        .to_vec();
    MadeSource::new(definitions, parts, move |part, out| match part.location.0 {
        0 => first_rank(steps, part.index, out),
        1 => {
            out.recv_request(Ns(0), RequestId(1));
            out.irecv(Ns(2_000_000), message(0, WORLD, RequestId(1)));
            out.recv(Ns(2_000_000), message(0, CommId(2), RequestId::NONE));
        }
        _ => out.recv(Ns(3), message(0, CommId(3), RequestId::NONE)),
    })
}

fn message(peer: u32, comm: CommId, request: RequestId) -> MessageEnd {
    MessageEnd { peer: LocationId(peer), comm, tag: 3, bytes: 4096, request }
}

fn first_rank(steps: i64, index: u32, out: &mut RecordBlock) {
    if index == 0 {
        out.enter(Ns(-4), COMPUTE);
        out.leave(Ns(10), None);
        out.leave(Ns(11), None);
        for step in 1..=steps {
            out.enter(Ns(10 + step), COMPUTE);
            out.leave(Ns(10 + step), Some(COMPUTE));
        }
        out.enter(Ns(1_000_000), WAITALL);
        return;
    }
    let at = Ns(1_000_010);
    out.isend(at, message(1, WORLD, RequestId(77)));
    out.send(at, message(1, CommId(2), RequestId::NONE));
    out.send(at, message(1, CommId(3), RequestId::NONE));
    out.send_complete(at, RequestId(77));
    out.request_cancelled(at, RequestId(78));
    out.collective_begin(at);
    let end = CollectiveEnd {
        op: CollectiveOp::ALLREDUCE,
        comm: WORLD,
        root: LocationId::NONE,
        sent: 8,
        received: 8,
        request: RequestId::NONE,
        number: None,
    };
    out.collective_end(Ns(1_000_020), end);
    out.collective_request(Ns(1_000_020), RequestId(5));
    let op = CollectiveOp(1);
    out.collective_complete(Ns(1_000_030), CollectiveEnd { op, root: LocationId(1), request: RequestId(5), ..end });
    out.metric(Ns(1_000_030), MetricValue { metric: MetricId(0), value: 1.0 });
    out.mark(Ns(1_000_031), MarkText { name: "note".to_owned(), text: "here".to_owned() });
    out.leave(Ns(1_000_040), None);
}

/// A name, time and payload for every event; checks the chunks on the way.
fn decode(bytes: &[u8], chunk_size: usize) -> Vec<(u8, u64, Vec<u8>)> {
    let mut events = Vec::new();
    for chunk in bytes.chunks(chunk_size) {
        assert_eq!(chunk[..2], [3, 0x42]);
        assert_eq!(u64::from_le_bytes(chunk[2..10].try_into().unwrap()), events.len() as u64 + 1);
        let last = u64::from_le_bytes(chunk[10..18].try_into().unwrap());
        let (mut at, mut time) = (18, None);
        while chunk[at] > 2 {
            let id = chunk[at];
            let (start, length) = match id {
                5 => (at + 1, 8),
                12 | 13 | 16 | 17 | 20 | 21 if chunk[at + 1] == 0xff => (at + 1, 1),
                12 | 13 | 16 | 17 | 20 | 21 => (at + 1, 1 + chunk[at + 1] as usize),
                _ => (at + 2, chunk[at + 1] as usize),
            };
            at = start + length;
            if id == 5 {
                time = Some(u64::from_le_bytes(chunk[start..at].try_into().unwrap()));
            } else {
                events.push((id, time.expect("a chunk begins with a time"), chunk[start..at].to_vec()));
            }
        }
        assert_eq!(last, events.len() as u64);
        let is_last = chunk.as_ptr_range().end == bytes.as_ptr_range().end;
        assert_eq!(chunk[at..].to_vec(), if is_last { vec![2, 1] } else { vec![0; chunk_size - at] });
    }
    events
}

#[test]
fn an_archive_has_all_its_files() {
    let files = MemoryFiles::default();
    let summary = write(&made(2), &Output::new("t", &files, &MemoryScratch::default())).unwrap();
    // First rank: `compute` (its second leave has nothing to close), two steps, the wait, the second part;
    // then the second rank and its helper.
    assert_eq!(summary, WriteSummary { locations: 4, events: 2 + 4 + 1 + 11 + 3 + 1, left_out: 0 });
    let locations = ["0", "7", "8589934592", "9"];
    let mut expected: Vec<_> = locations.iter().flat_map(|id| [format!("t/{id}.def"), format!("t/{id}.evt")]).collect();
    expected.extend(["t.def", "t.marker", "t.otf2"].map(str::to_owned));
    expected.sort();
    assert_eq!(files.names(), expected);
    for empty in ["t/9.evt", "t/9.def", "t/0.def"] {
        assert_eq!(files.get(empty).unwrap().len(), 20, "{empty}");
    }
    let anchor = files.get("t.otf2").unwrap();
    assert_eq!(anchor[..12], *b"\x03\x42OTF2\0\x03\x02\x03\x00\x02");
    assert_eq!(anchor[12..20], (1_u64 << 20).to_le_bytes());
    assert_eq!(anchor[30..38], 4_u64.to_le_bytes());
    assert!(anchor.ends_with(&[2, 1, 0]));
}

#[test]
fn events_are_as_the_format_wants_them() {
    let files = MemoryFiles::default();
    write(&made(0), &Output::new("t", &files, &MemoryScratch::default())).unwrap();
    let events = decode(&files.get("t/0.evt").unwrap(), EVENT_CHUNK);
    let (ids, times): (Vec<_>, Vec<_>) = events.iter().map(|(id, time, _)| (*id, *time)).unzip();
    assert_eq!(ids, [12, 13, 12, 15, 14, 14, 16, 21, 22, 23, 85, 86, 31, 13]);
    assert_eq!(times[..3], [0, 10, 1_000_000], "a time before zero is raised to it");
    assert_eq!(events[1].2, [0], "a leave without a name is that of the innermost region");
    assert_eq!(events[3].2, [1, 1, 0, 1, 3, 2, 0, 16, 1, 77], "rank 1, comm 0, tag 3, 4096 bytes, request 77");
    assert_eq!(events[4].2, [0, 1, 2, 1, 3, 2, 0, 16], "location 1 is rank 0 of the reversed communicator");
    assert_eq!(events[5].2, [0, 1, 3, 1, 3, 2, 0, 16], "and rank 0 of the other group");
    assert_eq!(events[9].2, [11, 0, 0xff, 1, 8, 1, 8], "no root");
    assert_eq!(events[11].2, [1, 0, 1, 1, 1, 8, 1, 8, 1, 5]);
    assert_eq!(events[12].2, [0, 1, 10, 8, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
    assert_eq!(events[13].2, [1, 1], "the wait was entered in another part");
    let helper = decode(&files.get("t/7.evt").unwrap(), EVENT_CHUNK);
    assert_eq!(helper[0].2[..3], [0, 1, 3], "a thread of the second group names ranks of the first");
}

#[test]
fn records_do_not_cross_chunks() {
    let files = MemoryFiles::default();
    let summary = write_in_chunks(&made(500), &Output::new("t", &files, &MemoryScratch::default()), 256).unwrap();
    assert_eq!(summary.events, 1000 + 18);
    let bytes = files.get("t/0.evt").unwrap();
    assert!(bytes.len() > 20 * 256);
    assert_eq!(decode(&bytes, 256).len(), 1014);
}

#[test]
fn the_same_source_makes_the_same_bytes() {
    let (one, two) = (MemoryFiles::default(), MemoryFiles::default());
    for files in [&one, &two] {
        write(&made(20), &Output::new("t", files, &MemoryScratch::default())).unwrap();
    }
    for name in one.names() {
        assert_eq!(one.read_all(&name).unwrap(), two.read_all(&name).unwrap(), "{name}");
    }
}

#[test]
fn no_means_no() {
    let files = MemoryFiles::default();
    let told = AtomicU64::new(0);
    let go_on = |events| {
        told.fetch_max(events, Ordering::Relaxed);
        false
    };
    let scratch = MemoryScratch::default();
    let result = write(&made(2), &Output { go_on: &go_on, ..Output::new("t", &files, &scratch) });
    assert!(matches!(result, Err(WriteError::Cancelled)));
    assert!(told.into_inner() > 0);
    assert_eq!(files.get("t.otf2"), None, "without an anchor nobody takes it for an archive");
}

#[test]
fn two_locations_cannot_share_a_file() {
    let mut source = made(0);
    source.definitions.locations[3].file_id = 7;
    let result = write(&source, &Output::new("t", &MemoryFiles::default(), &MemoryScratch::default()));
    assert!(matches!(result, Err(WriteError::DuplicateLocation { file_id: 7 })));
}

#[test]
fn the_world_must_fit_in_a_chunk() {
    let mut source = made(0);
    source.definitions.regions[0].name = "x".repeat(5 << 20);
    let files = MemoryFiles::default();
    write(&source, &Output::new("t", &files, &MemoryScratch::default())).unwrap();
    assert_eq!(files.get("t.otf2").unwrap()[20..28], (8_u64 << 20).to_le_bytes());
    source.definitions.regions[0].name = "x".repeat(17 << 20);
    let result = write(&source, &Output::new("t", &files, &MemoryScratch::default()));
    assert!(matches!(result, Err(WriteError::RecordTooLarge { .. })));
}

#[test]
fn the_reference_printer_has_nothing_to_complain_about() {
    if Command::new("otf2-print").arg("--version").output().is_err() {
        println!("skipped: no otf2-print on the PATH");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // Enough for three chunks of a mebibyte.
    let files = MemoryFiles::default();
    let summary = write(&made(100_000), &Output::new("t", &files, &MemoryScratch::default())).unwrap();
    std::fs::create_dir(folder.path().join("t")).unwrap();
    for name in files.names() {
        std::fs::write(folder.path().join(&name), files.get(&name).unwrap()).unwrap();
    }
    let print = |options: &[&str]| {
        let output = Command::new("otf2-print").args(options).arg(folder.path().join("t.otf2")).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && errors.is_empty(), "{errors}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let definitions = print(&["-G", "-Werror"]);
    for word in ["\"MPI_COMM_WORLD\"", "\"solver.f90\"", "INTER_COMM", "COMM_SELF", "ABSOLUTE_POINT", "\"machine\""] {
        assert!(definitions.contains(word), "{word} in\n{definitions}");
    }
    let events = print(&["-Werror"]);
    let count = events.lines().filter(|line| line.contains("  ") && line.contains("Region: \"compute\"")).count();
    assert_eq!(count, 200_002);
    assert_eq!(summary.events, 200_000 + 18);
    let undefined = definitions.lines().filter(|line| line.contains("UNKNOWN") && !line.contains("Kind: UNKNOWN"));
    assert_eq!(undefined.count(), 0, "{definitions}");
    let markers = Command::new("otf2-marker").arg(folder.path().join("t.otf2")).output().unwrap();
    assert!(markers.status.success() && markers.stderr.is_empty());
    let markers = String::from_utf8_lossy(&markers.stdout).into_owned();
    assert!(markers.contains("Time: 5, Duration 0, Scope: GLOBAL, Text: \"warm up\""), "{markers}");
    assert!(markers.contains("Time: 1000031, Duration 0, Scope: LOCATION:0, Text: \"here\""), "{markers}");
}
