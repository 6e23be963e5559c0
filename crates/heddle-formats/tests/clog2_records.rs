//! CLOG-2 logs made by hand: what the sample traces lack.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod common;

use common::plain::{read, read_several};
use heddle_formats::OpenError;
use heddle_formats::clog2::write::{Log, Style};
use heddle_formats::clog2::{open, recognise};
use heddle_model::{Event, LocationId, WarningKind};
use heddle_testkit::ReadTrace;

type Bytes = Log<Vec<u8>>;

/// A log of processes that know the world and themselves.
fn log(style: Style, fill: impl FnOnce(&mut Bytes)) -> Vec<u8> {
    let mut log = Log::begin(Vec::new(), style).unwrap();
    if style.finalised && style.minor >= 30 {
        for rank in 0..style.world as i32 {
            log.comm((0.0, 0, rank, 0), [0, 0, rank, rank], 7, "node").unwrap();
            log.comm((0.0, 0, rank, 0), [1, 100 + rank, 0, rank], 70 + rank, &format!("node{}", rank / 2)).unwrap();
        }
    }
    fill(&mut log);
    log.finish().unwrap()
}

fn words(trace: &ReadTrace, location: usize) -> Vec<String> {
    let describe = |(time, event): (heddle_model::Ns, Event)| {
        let what = match event {
            Event::Enter(region) => format!("enter {}", trace.region(region)),
            Event::Leave(region) => format!("leave {}", trace.region(region.unwrap())),
            Event::Send(end) => format!("send {} {} {} {}", end.comm.0, end.peer.0, end.tag, end.bytes),
            Event::Recv(end) => format!("recv {} {} {} {}", end.comm.0, end.peer.0, end.tag, end.bytes),
            Event::CollectiveBegin => "begin".to_owned(),
            Event::CollectiveEnd(end) => format!("end {} {} {}", end.op.name(), end.comm.0, end.root.is_some()),
            Event::Mark(mark) => format!("mark {}|{}", mark.name, mark.text),
            other => format!("{other:?}"),
        };
        format!("{} {what}", time.0)
    };
    trace.events(location).into_iter().map(describe).collect()
}

/// The same small run in a version and byte order.
fn small(style: Style) -> Vec<u8> {
    log(style, |log| {
        for rank in 0..2 {
            let at = |ms: f64| (ms / 1000.0 + f64::from(rank) * 1e-4, 0, rank, 0);
            log.event(at(1.0), 600).unwrap();
            if rank == 0 {
                log.event(at(2.0), 160).unwrap();
                log.message(at(2.5), true, [0, 1, 9, 64]).unwrap();
                log.event(at(3.0), 161).unwrap();
            } else {
                log.event(at(2.0), 154).unwrap();
                log.message(at(3.5), false, [0, 0, 9, 64]).unwrap();
                log.event(at(4.0), 155).unwrap();
            }
            log.event(at(5.0), 10).unwrap();
            log.event(at(6.0), 11).unwrap();
            log.event(at(7.0), 601).unwrap();
        }
        let last = (0.008, 0, 0, 0);
        log.state(last, (300, 600, 601), "work", "").unwrap();
        for (id, name) in [(80, "MPI_Send"), (77, "MPI_Recv"), (5, "MPI_Barrier")] {
            log.state(last, (id, 2 * id, 2 * id + 1), name, "").unwrap();
        }
    })
}

#[test]
fn every_version_and_byte_order_tells_the_same() {
    let mut seen = Vec::new();
    for minor in [10, 20, 30, 40, 41, 42, 43, 44] {
        for big in [true, false] {
            for block in [160, 1024, 1 << 20] {
                let bytes = small(Style { minor, big, block, ..Style::default() });
                assert!(recognise(&bytes));
                let trace = read(open, &bytes).unwrap();
                assert!(trace.warnings.is_empty(), "{minor} {big} {block}: {:?}", trace.warnings);
                assert_eq!(trace.definitions.ranks(), 2);
                // The times before the first event differ: old logs introduce no communicators.
                let shift = |line: &String| line.split_once(' ').unwrap().1.to_owned();
                let lines: Vec<Vec<String>> = (0..2).map(|at| words(&trace, at).iter().map(shift).collect()).collect();
                seen.push(lines);
            }
        }
    }
    assert_eq!(
        seen[0][0],
        ["enter work", "enter MPI_Send", "send 0 1 9 64", "leave MPI_Send", "enter MPI_Barrier", "begin"]
            .into_iter()
            .chain(["end barrier 0 false", "leave MPI_Barrier", "leave work"])
            .collect::<Vec<_>>()
    );
    assert_eq!(seen[0][1][2], "recv 0 0 9 64");
    assert!(seen.iter().all(|lines| *lines == seen[0]));
}

#[test]
fn every_cut_keeps_what_was_before_it() {
    let bytes = small(Style { block: 160, ..Style::default() });
    let whole = read(open, &bytes).unwrap().records();
    let mut most = 0;
    for length in 1024..bytes.len() {
        let trace = read(open, &bytes[..length]).unwrap();
        let records = trace.records();
        assert!(records >= most && records <= whole, "{length}: {records} after {most}");
        most = records;
        let leftovers = length > bytes.len() - 160 && trace.damage().is_empty();
        assert!(leftovers || trace.warned(WarningKind::Truncated) == 1, "{length}: {:?}", trace.warnings);
    }
    assert_eq!(most, whole);
    for length in 0..1024 {
        let read = read(open, &bytes[..length]);
        assert!(read.is_err() || read.unwrap().records() == 0, "{length}");
    }
    assert!(matches!(read(open, b"CLOG-01.00"), Err(OpenError::Wrong { .. })));
}

#[test]
fn behind_damage_the_next_block_is_read() {
    let bytes = small(Style { block: 256, ..Style::default() });
    let whole = read(open, &bytes).unwrap();
    let mut damaged = bytes.clone();
    // The kind of the first record of the second block.
    damaged[1024 + 256 + 20..1024 + 256 + 24].copy_from_slice(&77i32.to_be_bytes());
    let trace = read(open, &damaged).unwrap();
    assert_eq!(trace.damage()[0].place, format!("0 byte {}", 1024 + 256));
    assert_eq!(trace.damage().len(), 1);
    assert!(trace.records() < whole.records() + 1 && trace.records() + 8 > whole.records());
    // A preamble that lies about the byte order.
    let at = bytes.windows(5).position(|window| window == b"TRUE ").unwrap();
    let mut lying = bytes.clone();
    lying[at..at + 5].copy_from_slice(b"FALSE");
    let trace = read(open, &lying).unwrap();
    assert_eq!((trace.records(), trace.warned(WarningKind::Corrupt)), (whole.records(), 1));
}

#[test]
fn ranks_of_other_communicators_are_resolved_and_intercommunicators_are_one() {
    let style = Style { world: 4, ..Style::default() };
    let bytes = log(style, |log| {
        // Evens and odds, counted backwards; then a bridge between them, with a number on each side.
        for rank in 0..4 {
            let (group, inside) = (2 + rank % 2, 1 - rank / 2);
            let at = (0.001, 0, rank, 0);
            log.comm(at, [100, group, inside, rank], 900 + group, "node").unwrap();
            let at = (0.002, group, inside, 0);
            log.comm(at, [1000, 10 + group, inside, rank], 950, "node").unwrap();
            log.comm(at, [101, group, inside, rank], 900 + group, "node").unwrap();
            log.comm(at, [102, 5 - group, -1, rank], 905 - group, "node").unwrap();
        }
        // Rank 0 of the evens is rank 2 of the world; rank 1 of the odds is rank 1.
        log.message((0.003, 2, 0, 0), true, [3, 1, 5, 8]).unwrap();
        log.message((0.004, 3, 1, 0), false, [2, 0, 5, 8]).unwrap();
        log.message((0.005, 2, 1, 0), true, [2, 0, 6, -2_147_483_648]).unwrap();
        log.event((0.006, 12, 0, 0), -9).unwrap();
        log.comm((0.007, 12, 0, 0), [10, -999_999_999, -1, -1], 0, "").unwrap();
    });
    let trace = read(open, &bytes).unwrap();
    assert_eq!(trace.warned(WarningKind::UndefinedReference), 1, "only the solo event: {:?}", trace.warnings);
    let comms = &trace.definitions.communicators;
    let ids = |members: &[LocationId]| members.iter().map(|member| member.0).collect::<Vec<_>>();
    assert_eq!(comms.len(), 2 + 2 + 1);
    assert_eq!((ids(&comms[2].members), ids(&comms[3].members)), (vec![2, 0], vec![3, 1]));
    let inter = comms.iter().position(|comm| comm.remote.is_some()).unwrap();
    assert_eq!(comms[inter].size(), 4);
    assert!(words(&trace, 2).contains(&format!("3000000 send {inter} 1 5 8")), "{:?}", words(&trace, 2));
    assert!(words(&trace, 1).contains(&format!("4000000 recv {inter} 2 5 8")));
    assert!(words(&trace, 0).contains(&"5000000 send 2 2 6 2147483648".to_owned()), "two gigabytes have wrapped");
    assert!(words(&trace, 2).contains(&"6000000 mark MPE_Comm_finalize|".to_owned()));
    let parents: Vec<&str> = trace
        .definitions
        .locations
        .iter()
        .map(|location| trace.definitions.system_tree[location.parent.unwrap().index()].parent.unwrap())
        .map(|node| trace.definitions.system_tree[node.index()].name.as_str())
        .collect();
    assert_eq!(parents, ["node0", "node0", "node1", "node1"]);
}

#[test]
fn states_nest_cargo_speaks_and_rare_records_are_marks() {
    let bytes = log(Style { threads: 2, ..Style::default() }, |log| {
        let at = |ms: f64| (ms / 1000.0, 0, 0, 1);
        for (time, id) in [(1.0, 700), (2.0, 700), (3.0, 701), (4.0, 701)] {
            log.event(at(time), id).unwrap();
        }
        log.cargo(at(5.0), 5000, &7i32.to_be_bytes()).unwrap();
        log.cargo(at(6.0), 700, &1i32.to_be_bytes()).unwrap();
        log.cargo(at(7.0), 701, &2i32.to_be_bytes()).unwrap();
        log.cargo(at(8.0), 800, &2i32.to_be_bytes()).unwrap();
        log.event(at(8.0), 801).unwrap();
        let collective = log.ints(&[3, 1, 64, 0]);
        log.record(8, at(9.0), &collective).unwrap();
        let mut line = log.ints(&[5, 42]);
        line.extend(b"main.c\0garbage");
        line.resize(48, 1);
        log.record(10, at(9.0), &line).unwrap();
        log.state(at(10.0), (350, 700, 701), "outer", "n=%d").unwrap();
        log.state(at(10.0), (400, 800, 801), "silent", "").unwrap();
        log.solo(at(10.0), 5000, "note", "value %d!").unwrap();
    });
    let trace = read(open, &bytes).unwrap();
    let second = trace.definitions.locations.iter().position(|l| l.name == "rank 0 thread 1").unwrap();
    assert_eq!(trace.definitions.locations[second].file_id, 1);
    let expected = [
        "1000000 enter outer",
        "2000000 enter outer",
        "3000000 leave outer",
        "4000000 leave outer",
        "5000000 mark note|value 7!",
        "6000000 enter outer",
        "6000000 mark outer|n=1",
        "7000000 mark outer|n=2",
        "7000000 leave outer",
        "8000000 enter silent",
        "8000000 leave silent",
        "9000000 mark collective|kind 3 root 1 size 64",
        "9000000 mark source line|main.c:42 (id 5)",
    ];
    assert_eq!(words(&trace, second), expected);
    assert_eq!(trace.blocks[second].last.unwrap().0, 10_000_000, "definitions have times too");
    assert_eq!(trace.warned(WarningKind::UnusedRecords), 1, "{:?}", trace.warnings);
}

/// The working file of one process of three: raw times, numbers of its own.
fn working_file(rank: i32, shift: f64) -> Vec<u8> {
    let style = Style { finalised: false, big: false, world: 3, ..Style::default() };
    log(style, |log| {
        let at = |ms: f64| (ms / 1000.0 - shift, 0, rank, 0);
        log.shift(at(0.0), shift).unwrap();
        log.comm(at(0.0), [0, 0, rank, rank], 7, "node").unwrap();
        // All three, counted backwards. The number differs from process to process.
        log.comm(at(1.0), [100, 4 + rank, 2 - rank, rank], 33, "node").unwrap();
        let at = |ms: f64| (ms / 1000.0 - shift, 4 + rank, 2 - rank, 0);
        log.event(at(2.0), 160).unwrap();
        log.message(at(2.5), true, [-999_999_999, (2 - rank + 1) % 3, 1, 10]).unwrap();
        log.event(at(3.0), 161).unwrap();
        log.message(at(4.0), false, [-999_999_999, (2 - rank + 2) % 3, 1, 10]).unwrap();
    })
}

#[test]
fn working_files_of_several_processes_make_one_trace() {
    let files: Vec<Vec<u8>> = (0..3).map(|rank| working_file(rank, f64::from(rank) * 5.0)).collect();
    let all: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
    let trace = read_several(open, &all, 1 << 30).unwrap();
    assert_eq!(trace.definitions.communicators.len(), 3, "world, self, and the one that all three made");
    assert_eq!(trace.definitions.communicators[2].members[..], [LocationId(2), LocationId(1), LocationId(0)]);
    for rank in 0..3usize {
        let (to, from) = ((rank + 2) % 3, (rank + 1) % 3);
        let expected = [
            "2000000 enter MPI_Send".to_owned(),
            format!("2500000 send 2 {to} 1 10"),
            "3000000 leave MPI_Send".to_owned(),
            format!("4000000 recv 2 {from} 1 10"),
        ];
        assert_eq!(words(&trace, rank), expected, "rank {rank}");
    }
    let alone = read(open, &files[1]).unwrap();
    assert_eq!(alone.definitions.ranks(), 3, "the run had three ranks, also where only one is seen");
    assert_eq!(alone.records(), 4);
    assert_eq!(alone.warned(WarningKind::PartnerOutsideCommunicator), 2, "{:?}", alone.warnings);
}

#[test]
fn falling_times_are_raised_also_where_stretches_meet() {
    let rounds = 20_000;
    let bytes = log(Style::default(), |log| {
        for round in 0..rounds {
            // Every hundredth pair goes back a little.
            let time = f64::from(round) * 1e-3 - if round % 100 == 99 { 0.0105 } else { 0.0 };
            log.event((time, 0, round % 2, 0), 600).unwrap();
            log.event((time, 0, round % 2, 0), 601).unwrap();
        }
    });
    let trace = read_several(open, &[&bytes], 1).unwrap();
    assert_eq!(trace.records(), 2 * rounds as usize);
    assert_eq!(trace.warned(WarningKind::TimeFalls), 2 * 200, "{:?}", trace.warnings);
    for block in &trace.blocks {
        assert!(block.iter().map(|(time, _)| time).is_sorted());
    }
}

#[test]
fn processes_that_nothing_introduces_get_rows_of_their_own() {
    let bytes = log(Style::default(), |log| {
        log.event((0.001, 55, 3, 0), 600).unwrap();
        log.event((0.002, 55, 3, 0), 601).unwrap();
        log.event((0.003, 0, 9, 0), 600).unwrap();
        log.event((f64::NAN, 0, 1, 0), 600).unwrap();
        log.message((0.004, 0, 0, 0), true, [0, 17, 1, 1]).unwrap();
    });
    let trace = read(open, &bytes).unwrap();
    let names: Vec<&str> = trace.definitions.locations.iter().map(|location| location.name.as_str()).collect();
    assert_eq!(names[2..], ["communicator 0 rank 9 thread 0", "communicator 55 rank 3 thread 0"]);
    assert_eq!(trace.records(), 5);
    assert_eq!(trace.warned(WarningKind::PartnerOutsideCommunicator), 1);
    assert_eq!(trace.warned(WarningKind::Corrupt), 1, "a time that is no number");
}

#[test]
fn old_logs_with_communicators_of_unknown_numbers_have_no_collectives() {
    for (made, collectives) in [(101, 1), (103, 0)] {
        let bytes = log(Style { minor: 20, ..Style::default() }, |log| {
            let body = log.ints(&[made, 0, 5, 0]);
            log.record(9, (0.0, 0, 0, 0), &body).unwrap();
            log.event((0.001, 0, 0, 0), 10).unwrap();
            log.event((0.002, 0, 0, 0), 11).unwrap();
        });
        let trace = read(open, &bytes).unwrap();
        let ends = trace.blocks[0].iter().filter(|(_, event)| matches!(event, Event::CollectiveEnd(_))).count();
        assert_eq!((ends, trace.entered(0)), (collectives, vec!["MPI_Barrier"]), "{made}");
        assert_eq!(trace.warned(WarningKind::DoubtfulCollectives), 1 - collectives as u64);
    }
}
