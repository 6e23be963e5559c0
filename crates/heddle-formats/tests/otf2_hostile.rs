//! Archives that lie: random damage and absurd claims. Reading them ends, does not panic, and takes no
//! more memory than the bytes that are there can justify.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod common;

use common::bytes::{F, GROUP, Handmade, LOCATIONS, MPI, NONE, Rec};
use common::made::ring;
use common::{read_archive, snapshot};
use heddle_formats::otf2::OpenError;
use heddle_formats::{MemoryFiles, fuzz};
use heddle_model::{SystemNode, WarningKind};
use heddle_testkit::{Chance, Counting, Measuring, ReadTrace};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn total(files: &MemoryFiles) -> usize {
    snapshot(files).iter().map(|(_, bytes)| bytes.len()).sum()
}

/// Reads everything within bounds that only the number of bytes decides.
fn read_bounded(measuring: &Measuring, files: &MemoryFiles, what: &dyn Fn() -> String) -> Result<ReadTrace, OpenError> {
    let bytes = total(files);
    let (read, peak) = measuring.peak_of(|| read_archive(files, "t"));
    assert!(peak < (64 << 20) + 40 * bytes, "{}: {peak} bytes of memory for {bytes} bytes of archive", what());
    if let Ok(trace) = &read {
        let records = trace.records() + trace.definitions.marks.len();
        assert!(records * 2 <= bytes, "{}: {records} records from {bytes} bytes", what());
        let falls = |location: usize| trace.blocks[location].iter().any(|(time, _)| !time.is_some());
        assert!(!(0..trace.blocks.len()).any(falls), "{}: a record without a time", what());
        for (at, node) in trace.definitions.system_tree.iter().enumerate() {
            assert!(node.parent.is_none_or(|parent| parent.index() < at), "{}: parents come first", what());
        }
    }
    read
}

/// Something of everything, in many small chunks.
fn handmade() -> Handmade {
    let mut made = Handmade::ranks(3);
    made.event_chunk = 128;
    made.definition_chunk = 256;
    let (unit, power) = (made.string("W"), made.string("power"));
    made.define(12, &[F::I(0), F::I(power), F::I(unit), F::I(NONE)]);
    made.define(19, &[F::I(0), F::I(power), F::I(NONE), F::U8(0), F::U8(1), F::U8(4), F::U8(1), F::V(3), F::I(unit)]);
    made.define(20, &[F::I(0), F::U8(1), F::I(0), F::U8(0), F::U8(0)]);
    made.define(21, &[F::I(1), F::I(0), F::V(0), F::U8(0), F::V(0)]);
    made.define(43, &[F::I(1), F::I(NONE), F::I(1), F::I(1), F::I(NONE), F::I(0)]);
    made.define(34, &[F::I(0), F::I(1), F::I(NONE), F::I(NONE)]);
    for rank in 0..3 {
        let message = [F::I(1), F::I(0), F::I(5), F::V(4096), F::V(9)];
        for step in 0..6 {
            made.on(10 * rank, &[Rec::time(1000 * step + rank), Rec::enter(0), Rec::bare(17, 9)]);
            made.on(10 * rank, &[Rec::of(6, &[F::I(1), F::I(0), F::U8(4), F::V(77)]), Rec::of(15, &message)]);
            made.on(10 * rank, &[Rec::of(31, &[F::I(1), F::U8(1), F::U8(4), F::V(70)]), Rec::of(19, &message)]);
            made.on(10 * rank, &[Rec::of(66, &[F::I(0), F::I(1)]), Rec::of(10, &[F::Raw(1000 * step + 500)])]);
            made.on(10 * rank, &[Rec::time(1000 * step + 600), Rec::of(67, &[F::I(0)]), Rec::leave(0)]);
        }
        let maps = [Handmade::dense_map(3, &[0, 1]), Handmade::sparse_map(6, &[(4, 0), (1 << 30, 0)])];
        made.own(10 * rank, &maps);
        made.own(10 * rank, &[Handmade::clock_offset(0, 5), Handmade::clock_offset(4000, -5)]);
    }
    made.markers.push(Rec::of(5, &[F::I(0), F::S("group"), F::S("category"), F::U8(1)]));
    made.markers.push(Rec::of(6, &[F::V(500), F::V(0), F::I(0), F::U8(1), F::V(10), F::S("text")]));
    made
}

fn corrupt(files: &MemoryFiles, seed: u64, times: usize) {
    let measuring = Measuring::alone();
    let whole = snapshot(files);
    let mut chance = Chance(seed);
    let mut unharmed = 0;
    for round in 0..times {
        let (name, bytes) = &whole[chance.below(whole.len())];
        let mut damaged = bytes.clone();
        for _ in 0..=chance.below(3) {
            chance.damage(&mut damaged);
        }
        files.insert(name, damaged);
        let read = read_bounded(&measuring, files, &|| format!("seed {seed}, round {round}, {name}"));
        unharmed += usize::from(read.is_ok());
        files.insert(name, bytes.clone());
    }
    assert!(unharmed > times * 9 / 10, "only damage to the head of the anchor keeps an archive shut: {unharmed}");
}

#[test]
fn random_damage_to_a_written_archive() {
    corrupt(&ring(), 1, 6000);
}

#[test]
fn random_damage_to_an_archive_of_many_chunks() {
    corrupt(&handmade().files(), 2, 2000);
    let mut big = handmade();
    big.big = true;
    corrupt(&big.files(), 3, 2000);
}

#[test]
fn the_fuzz_target_survives_mutated_seeds() {
    let measuring = Measuring::alone();
    let files = handmade().files();
    let get = |name: &str| files.get(name).unwrap();
    let sections = ["t.otf2", "t.def", "t/0.def", "t/0.evt", "t.marker"].map(get);
    let seed = fuzz::container(sections.each_ref().map(Vec::as_slice));
    for length in 0..20 {
        fuzz::otf2_archive(&seed[..length]);
    }
    let mut chance = Chance(4);
    for _ in 0..2000 {
        let mut bytes = seed.clone();
        for _ in 0..=chance.below(4) {
            chance.damage(&mut bytes);
        }
        let ((), peak) = measuring.peak_of(|| fuzz::otf2_archive(&bytes));
        assert!(peak < (64 << 20) + 40 * bytes.len());
    }
}

/// Opens an archive of three ranks with one lie in it; the others' records must all be there.
fn lie(what: &str, change: impl FnOnce(&mut Handmade)) -> ReadTrace {
    let measuring = Measuring::alone();
    let mut made = Handmade::ranks(3);
    for location in [0, 10, 20] {
        made.on(location, &[Rec::time(100), Rec::enter(0), Rec::time(200), Rec::leave(0)]);
    }
    change(&mut made);
    let trace = read_bounded(&measuring, &made.files(), &|| what.to_owned()).unwrap();
    assert_eq!(trace.blocks[2].len(), 2, "{what}: {:?}", trace.warnings);
    trace
}

/// A record whose payload ends right after a claim.
fn claim(id: u8, fields: &[F]) -> Rec {
    Rec::of(id, fields)
}

#[test]
fn claims_about_lengths_are_not_believed() {
    let corrupt = |trace: ReadTrace| trace.warned(WarningKind::Corrupt) + trace.warned(WarningKind::Truncated);
    let members =
        claim(18, &[F::I(9), F::I(0), F::U8(0), F::U8(4), F::U8(0xff), F::U8(0xff), F::U8(0xff), F::U8(0xff)]);
    assert_eq!(corrupt(lie("2^32 - 1 members", |made| made.definitions.push(members))), 1);
    let members = claim(18, &[F::I(9), F::I(0), F::U8(0), F::I(NONE)]);
    assert_eq!(corrupt(lie("undefined members", |made| made.definitions.push(members))), 1);
    let text = Rec::of(10, &[F::I(900), F::U8(b'x')]);
    assert_eq!(corrupt(lie("a string without an end", |made| made.definitions.push(text))), 1);
    for mode in [0, 1] {
        let map = claim(5, &[F::U8(3), F::V(u64::MAX), F::U8(mode), F::V(0), F::V(0)]);
        assert_eq!(corrupt(lie("2^64 - 1 entries", |made| _ = made.own(0, &[map]))), 1);
        let map = claim(5, &[F::U8(3), F::V(1 << 40), F::U8(mode), F::V(0), F::V(0)]);
        assert_eq!(corrupt(lie("2^40 entries", |made| _ = made.own(0, &[map]))), 1);
    }
    // Far ids must not make a table with a place for each.
    let far = Handmade::sparse_map(3, &[(0, 0), (u64::MAX - 1, 1), (1 << 62, 1), (u64::from(NONE), 1)]);
    assert_eq!(corrupt(lie("far ids", |made| _ = made.own(0, &[far]))), 0);
    for length in [1 << 63, u64::MAX, 1 << 40, 1 << 20] {
        let bytes = |id: u8| [&[id, 0xff][..], &length.to_le_bytes()].concat();
        let endless = |id: u8| Rec::verbatim(&bytes(id));
        assert_eq!(corrupt(lie("a long definition", |made| made.definitions.push(endless(10)))), 1);
        assert_eq!(corrupt(lie("a long map", |made| _ = made.own(0, &[endless(5)]))), 1);
        assert_eq!(corrupt(lie("a long marker", |made| made.markers.push(endless(6)))), 1);
        for id in [6, 14, 31, 200] {
            let trace = lie("a long event", |made| _ = made.on(10, &[endless(id), Rec::enter(1)]));
            assert_eq!(trace.blocks[1].len(), 2, "what came before is kept, what follows cannot be found");
            assert_eq!(corrupt(trace), 1);
        }
    }
    let values = claim(31, &[F::I(0), F::U8(255), F::U8(4), F::V(1)]);
    let trace = lie("255 values", |made| {
        made.define(20, &[F::I(0), F::U8(1), F::I(0), F::U8(0)]);
        made.on(10, &[values, Rec::enter(1)]);
    });
    assert_eq!(trace.entered(1), ["main", "MPI_Recv"], "only the record itself is lost");
    // After the header, two times, an enter and a leave.
    assert_eq!(trace.damage()[0].place, format!("t/10.evt byte {}", 18 + 9 + 2 + 9 + 2));
    assert_eq!(corrupt(trace), 1);
    let class = claim(20, &[F::I(0), F::U8(255), F::I(0)]);
    assert_eq!(corrupt(lie("255 members", |made| made.definitions.push(class))), 1);
}

#[test]
fn absurd_chunk_sizes_are_told_from_the_files_instead() {
    for size in [0, 1, 17, 63, (16 << 20) + 1, 1 << 63, u64::MAX] {
        let measuring = Measuring::alone();
        let mut made = Handmade::ranks(3);
        made.on(0, &[Rec::time(100), Rec::enter(0)]);
        let files = made.files();
        (made.event_chunk, made.definition_chunk) = (size, size);
        files.insert("t.otf2", made.anchor());
        let trace = read_bounded(&measuring, &files, &|| format!("chunks of {size}")).unwrap();
        assert_eq!((trace.blocks.len(), trace.entered(0)), (3, vec!["main"]), "chunks of {size}");
        assert_eq!(trace.warned(WarningKind::Corrupt), 2, "{:?}", trace.warnings);
    }
}

#[test]
fn circles_do_not_hang_the_reader() {
    let node = |id: u32, parent: u32| Rec::of(12, &[F::I(id), F::I(0), F::I(0), F::I(parent)]);
    let trace = lie("a circle of places", |made| {
        made.definitions.extend([node(1, 2), node(2, 3), node(3, 1), node(4, 4), node(5, 1)]);
    });
    assert_eq!(trace.definitions.system_tree.len(), 5 + 3);
    let is_process = |node: &&SystemNode| node.class == SystemNode::PROCESS;
    assert_eq!(trace.definitions.system_tree.iter().filter(is_process).count(), 3);
    lie("a long chain of places, children first", |made| {
        made.definitions.extend((0..5000).map(|id| node(id, id + 1)));
    });
    let context = |id: u32, parent: u32| Rec::of(34, &[F::I(id), F::I(1), F::I(NONE), F::I(parent)]);
    let trace = lie("a circle of calling contexts", |made| {
        made.definitions.extend([context(1, 2), context(2, 1), context(3, 3)]);
        made.on(0, &[Rec::of(66, &[F::I(1), F::I(1)])]);
    });
    assert_eq!(trace.entered(0), ["main", "MPI_Recv"]);
    let comm = |id: u32, parent: u32| Rec::of(22, &[F::I(id), F::I(NONE), F::I(1), F::I(parent), F::I(0)]);
    let trace = lie("communicators that are their own parents", |made| {
        made.definitions.extend([comm(5, 5), comm(6, 7), comm(7, 6)]);
    });
    assert_eq!(trace.definitions.communicators.len(), 4);
    for (at, communicator) in trace.definitions.communicators.iter().enumerate() {
        assert!(communicator.parent.is_none_or(|parent| parent.index() != at), "nobody is his own parent");
    }
}

#[test]
fn one_long_name_used_a_thousand_times_is_not_copied_a_thousand_times() {
    let long = "n".repeat(1 << 18);
    let trace = lie("shared names", |made| {
        made.definition_chunk = 1 << 20;
        let name = made.string(&long);
        for id in 0..3000 {
            made.define(12, &[F::I(id), F::I(name), F::I(name), F::I(NONE)]);
            let file = made.string(&format!("region {id}"));
            let none = F::I(NONE);
            made.define(15, &[F::I(id + 10), F::I(file), none, F::U8(1), F::I(name), F::I(1), F::I(2)]);
        }
        made.markers.push(Rec::of(5, &[F::I(0), F::S(""), F::S(&long), F::U8(1)]));
        for _ in 0..3000 {
            made.markers.push(Rec::of(6, &[F::V(500), F::V(0), F::I(0), F::U8(0), F::V(0), F::S("")]));
        }
    });
    assert!(trace.warned(WarningKind::Corrupt) > 0);
    assert!(trace.definitions.regions.iter().any(|region| region.name == "region 2999"));
}

#[test]
fn references_to_nothing_are_counted_not_followed() {
    let trace = lie("undefined everything", |made| {
        made.group(7, LOCATIONS, MPI, 0, &[0, 10, 20, 999]);
        made.group(8, GROUP, MPI, 0, &[0, 3, 4, u64::MAX]);
        made.comm(8, 8);
        made.comm(9, 77);
        made.define(20, &[F::I(3), F::U8(1), F::I(55), F::U8(0)]);
        let send = |rank, comm| Rec::of(14, &[F::I(rank), F::I(comm), F::I(0), F::V(0)]);
        made.on(0, &[send(1, 8), send(2, 8), send(3, 8), send(9, 8), send(0, 9), send(0, 555)]);
        made.on(0, &[Rec::of(31, &[F::I(3), F::U8(1), F::U8(4), F::V(1)]), Rec::enter(4444)]);
        made.on(0, &[Rec::of(31, &[F::I(66), F::U8(1), F::U8(4), F::V(1)]), Rec::leave(NONE)]);
    });
    assert_eq!(trace.warned(WarningKind::PartnerOutsideCommunicator), 5, "{:?}", trace.warnings);
    // A communicator, a region, and two metrics of which one has no members.
    assert_eq!(trace.warned(WarningKind::UndefinedReference), 4, "{:?}", trace.warnings);
    assert_eq!(trace.entered(0), ["main", "(undefined region)"]);
    let kinds = trace.events(0).into_iter().filter(|(_, event)| matches!(event, heddle_model::Event::Metric(_)));
    assert_eq!(kinds.count(), 0, "no values of metrics that do not exist");
}
