//! Small Paraver traces, written by hand: what the sample traces lack, and damage.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::io::Write;

use heddle_formats::{MemoryFiles, OpenError, paraver};
use heddle_model::{CollectiveOp, Event, LocationId, Ns, Rank, WarningKind};
use heddle_testkit::{ReadTrace, with_input};

fn read(files: &MemoryFiles, name: &str, memory: u64) -> Result<ReadTrace, OpenError> {
    with_input(files, &[name], memory, |input| paraver::open(input).map(|source| ReadTrace::of(&source)))
}

fn trace(text: &str) -> ReadTrace {
    let files = MemoryFiles::default();
    files.insert("t.prv", text.as_bytes().to_vec());
    files.insert("t.row", b"LEVEL NODE SIZE 2\nleft\nright\n".to_vec());
    files.insert(
        "t.pcf",
        b"STATES\n0 Idle\n1 Running\nEVENT_TYPE\n0 60000019 User function\nVALUES\n0 End\n1 main\n2 solve\n\
          EVENT_TYPE\n0 1000 Phase\nVALUES\n1 warm up\nEVENT_TYPE\n7 42000050 PAPI_TOT_INS\n"
            .to_vec(),
    );
    read(&files, "t.prv", 1 << 30).unwrap()
}

/// Enter as `+name`, leave as `-name`, the rest by kind.
fn story(trace: &ReadTrace, location: usize) -> Vec<String> {
    let name = |region: heddle_model::RegionId| trace.definitions.regions[region.index()].name.clone();
    let event = |(time, event): (Ns, Event<'_>)| {
        let what = match event {
            Event::Enter(region) => format!("+{}", name(region)),
            Event::Leave(Some(region)) => format!("-{}", name(region)),
            Event::Leave(None) => "-".to_owned(),
            Event::Send(end) | Event::Isend(end) => format!("send to {} #{}", end.peer.0 as i32, end.comm.0),
            Event::Recv(end) | Event::Irecv(end) => format!("recv from {} #{}", end.peer.0 as i32, end.comm.0),
            Event::RecvRequest(_) => "post".to_owned(),
            Event::SendComplete(_) => "sent".to_owned(),
            Event::Metric(value) => format!("metric {}", value.value),
            Event::Mark(mark) => format!("{}: {}", mark.name, mark.text),
            Event::CollectiveBegin => "begin".to_owned(),
            Event::CollectiveEnd(end) => format!("{} on {} root {}", end.op.name(), end.comm.0, end.root.0 as i32),
            other => format!("{other:?}"),
        };
        format!("{} {what}", time.0)
    };
    trace.blocks[location].iter().map(event).collect()
}

/// Two nodes, three tasks, the second with two threads, microseconds.
const HEAD: &str = "#Paraver (15/11/2026 at 09:30):5000:2(2,2):1:3(1:1,2:1,1:2),2\nc:1:1:3:1:2:3\nc:1:2:2:1:3\n";

#[test]
fn places_units_and_functions() {
    let trace = trace(&format!(
        "{HEAD}2:1:1:1:1:10:60000019:1:42000050:7\n2:1:1:1:1:20:60000019:2:1000:1\n2:1:1:1:1:30:60000019:0\n\
         2:1:1:1:1:40:60000019:0\n1:3:1:3:1:10:30:1\n1:3:1:3:1:30:-1:0\n"
    ));
    assert_eq!(
        story(&trace, 0),
        ["0 +main", "0 metric 7", "10000 +solve", "10000 Phase: warm up", "20000 -solve", "30000 -main"]
    );
    assert_eq!(story(&trace, 3), ["0 +Running", "20000 -", "20000 +Idle"], "a thread without calls shows its states");
    let names: Vec<&str> = trace.definitions.system_tree.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["machine", "left", "right", "TASK 1.1", "TASK 1.2", "TASK 1.3"]);
    assert_eq!(trace.definitions.locations[2].name, "THREAD 1.2.2");
    assert_eq!(trace.definitions.locations[3].parent.map(|parent| parent.0), Some(5));
    assert!(trace.definitions.world.is_empty(), "nobody uses MPI");
}

#[test]
fn calls_have_the_places_in_the_source_that_they_were_made_at() {
    let files = MemoryFiles::default();
    let line = "2:1:1:1:1:10:50000003:19:70000001:2:80000001:2:70000002:3:80000002:1:70000003:1\n\
                2:1:1:1:1:20:50000003:0:70000001:0:80000001:0\n\
                2:1:1:1:1:30:50000003:19:70000001:1:80000001:1\n2:1:1:1:1:40:50000003:0\n2:1:1:1:1:50:70000001:2:80000001:2\n";
    files.insert("t.prv", format!("{HEAD}{line}").into_bytes());
    files.insert("t.row", b"LEVEL NODE SIZE 2\nleft\nright\n".to_vec());
    files.insert(
        "t.pcf",
        b"EVENT_TYPE\n0 70000001 Caller at level 1\n0 70000002 Caller at level 2\n0 70000003 Caller at level 3\nVALUES\n\
          0 End\n1 Unresolved\n2 Domain::..ndexSets [Domain::CreateIndexSets]\n3 main\n\
          EVENT_TYPE\n0 80000001 Caller line at level 1\n0 80000002 Caller line at level 2\nVALUES\n\
          0 End\n1 0 (Unresolved)\n2 101 (lulesh-comm.cc, lulesh2.0)\n"
            .to_vec(),
    );
    let trace = read(&files, "t.prv", 1 << 30).unwrap();
    let expected = [
        "0 +MPI_Comm_rank",
        "0 call site: main › Domain::CreateIndexSets (lulesh-comm.cc:101)",
        "10000 -MPI_Comm_rank",
        "20000 +MPI_Comm_rank",
        "30000 -MPI_Comm_rank",
    ];
    assert_eq!(story(&trace, 0), expected, "what is not resolved, or beside no call, says nothing");
}

#[test]
fn messages_lie_in_their_calls_whatever_the_order_of_lines() {
    let trace = trace(&format!(
        "{HEAD}2:1:1:1:1:10:50000001:1\n2:3:1:3:1:5:50000001:4\n2:3:1:3:1:8:50000001:0\n2:1:1:1:1:20:50000001:0\n\
         3:1:1:1:1:10:20:3:1:3:1:8:40:64:9\n2:3:1:3:1:30:50000001:5\n2:3:1:3:1:40:50000001:0\n"
    ));
    assert_eq!(story(&trace, 0), ["5000 +MPI_Send", "5000 send to 3 #0", "15000 sent", "15000 -MPI_Send"]);
    assert_eq!(
        story(&trace, 3),
        ["0 +MPI_Irecv", "3000 post", "3000 -MPI_Irecv", "25000 +MPI_Wait", "35000 recv from 0 #0", "35000 -MPI_Wait"]
    );
    assert_eq!(trace.definitions.world, [LocationId(0), LocationId(1), LocationId(3)]);
    assert_eq!(trace.definitions.locations[2].rank, Rank(1), "threads share their task's rank");
}

#[test]
fn messages_that_overtake_keep_their_partners() {
    let message = |sent: u64, posted: u64, size: u64| format!("3:1:1:1:1:{sent}:{sent}:3:1:3:1:{posted}:90:{size}:9\n");
    let trace = trace(&format!("{HEAD}{}{}{}", message(10, 50, 1), message(20, 40, 2), message(30, 60, 3)));
    let lanes: Vec<String> = story(&trace, 0);
    assert_eq!(lanes, ["0 send to 3 #0", "10000 send to 3 #2", "20000 send to 3 #0"], "a communicator of its own");
    assert_eq!(trace.definitions.communicators[2].members, trace.definitions.communicators[0].members);
}

#[test]
fn calls_without_a_message_have_ends_without_a_partner() {
    let trace = trace(&format!(
        "{HEAD}2:1:1:1:1:10:50000001:3\n2:1:1:1:1:11:50000001:0\n2:1:1:1:1:12:50000001:4\n2:1:1:1:1:13:50000001:0\n"
    ));
    assert_eq!(
        story(&trace, 0),
        ["0 +MPI_Isend", "1000 send to -1 #0", "1000 -MPI_Isend", "2000 +MPI_Irecv", "3000 post", "3000 -MPI_Irecv"]
    );
}

#[test]
fn collectives_know_their_communicator_and_root() {
    let enter = |task: u32, time: u32, more: &str| format!("2:0:1:{task}:1:{time}:50000002:7{more}\n");
    let leave = |task: u32, time: u32| format!("2:0:1:{task}:1:{time}:50000002:0\n");
    let trace = trace(&format!(
        "{HEAD}{}{}{}{}{}{}",
        enter(1, 10, ":50100001:0:50100002:8:50100004:2"),
        enter(3, 11, ":50100001:8:50100002:8:50100004:2:50100003:1"),
        leave(1, 20),
        leave(3, 21),
        enter(2, 30, ""),
        leave(2, 40),
    ));
    assert_eq!(story(&trace, 0), ["0 +MPI_Bcast", "0 begin", "10000 bcast on 1 root 3", "10000 -MPI_Bcast"]);
    assert_eq!(story(&trace, 3)[2], "11000 bcast on 1 root 3");
    assert_eq!(story(&trace, 1)[2], "30000 bcast on 0 root -1", "without a communicator that of all tasks");
    assert_eq!(CollectiveOp(1).name(), "bcast");
}

#[test]
fn damage_is_counted_and_the_rest_is_kept() {
    let trace = trace(&format!(
        "{HEAD}\n# a comment\n2:1:1:1:1:10:50000003:31\n2:1:9:1:1:10:1:1\n2:1:1:1:1:-5:1:1\n9:1\n2:1:1:1:1:x:1:1\n\
         4:1:1:1:1:10:1:0:0:1:1\n2:1:1:1:1:20:50000003:0\r\n2:1:1:1:1:25:50000003:0\n2:1:1:1:1:3"
    ));
    assert_eq!(story(&trace, 0), ["0 +MPI_Init", "10000 -MPI_Init"]);
    let count = |kind| trace.warnings.count(kind);
    assert_eq!(count(WarningKind::UndefinedReference), 1);
    assert_eq!(count(WarningKind::Corrupt), 3);
    assert_eq!(
        (count(WarningKind::Truncated), count(WarningKind::UnusedRecords), count(WarningKind::StrayLeaves)),
        (1, 1, 1)
    );
    let places: Vec<String> = trace.warnings.to_vec().iter().map(|warning| warning.place.clone()).collect();
    assert!(places.contains(&"t.prv line 8".to_owned()), "{places:?}");
}

#[test]
fn compressed_and_without_names() {
    let files = MemoryFiles::default();
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(HEAD.as_bytes()).unwrap();
    packer.write_all(b"2:1:1:1:1:10:60000019:5\n2:1:1:1:1:20:60000019:0\n").unwrap();
    files.insert("t.prv.gz", packer.finish().unwrap());
    let trace = read(&files, "t.prv.gz", 1 << 30).unwrap();
    assert_eq!(story(&trace, 0), ["0 +function 5", "10000 -function 5"]);
    assert_eq!(trace.warnings.count(WarningKind::MissingFile), 2);
}

#[test]
fn the_second_kind_and_broken_headers_are_refused() {
    for text in ["new format\n#Paraver (x):1:0:1:1(1:0)\n", "#Paraver\n", "#Paraver (x):1_ns:1:1:"] {
        let files = MemoryFiles::default();
        files.insert("t.prv", text.as_bytes().to_vec());
        assert!(paraver::recognise(text.as_bytes()));
        assert!(matches!(read(&files, "t.prv", 1 << 30), Err(OpenError::Wrong { .. })), "{text}");
    }
}

/// However little memory there is, and however often streams are put aside, the records are the same.
#[test]
fn memory_does_not_matter() {
    let mut text = HEAD.to_owned();
    for step in 0..120_000u64 {
        let at = 10 * step + 10;
        text += &format!("2:1:1:1:1:{at}:50000001:1:42000050:{step}\n2:1:1:1:1:{}:50000001:0\n", at + 3);
        text += &format!("3:1:1:1:1:{at}:{}:2:1:3:1:{}:{}:8:1\n", at + 3, at + 2, at + 6);
        text += &format!("2:3:1:3:1:{}:50000001:2\n2:3:1:3:1:{}:50000001:0\n", at + 2, at + 6);
    }
    let files = MemoryFiles::default();
    files.insert("t.prv", text.into_bytes());
    let (much, little) = (read(&files, "t.prv", 1 << 40).unwrap(), read(&files, "t.prv", 1 << 20).unwrap());
    for location in [0, 3] {
        let (a, b) = (&much.blocks[location], &little.blocks[location]);
        assert_eq!((a.len(), a.events, a.last), (b.len(), b.events, b.last));
        assert!(a.iter().map(|(time, _)| time).eq(b.iter().map(|(time, _)| time)));
        assert_eq!(story(&much, location), story(&little, location));
    }
}
