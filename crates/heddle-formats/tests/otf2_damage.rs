//! Archives cut short at every byte: what stood before the cut is kept, and the warning says where it is.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

mod common;

use common::bytes::{F, Handmade, Rec};
use common::made::{RANKS, ring};
use common::{read_archive, snapshot};
use heddle_formats::MemoryFiles;
use heddle_formats::otf2::{Archive, OpenError};
use heddle_model::{Ns, WarningKind};
use heddle_testkit::ReadTrace;

/// Calls `check(n, trace)` for every length `n` of `file`, from nothing to all of it.
fn cut_everywhere(files: &MemoryFiles, file: &str, mut check: impl FnMut(usize, &ReadTrace)) {
    let whole = files.get(file).unwrap();
    for length in 0..=whole.len() {
        files.insert(file, whole[..length].to_vec());
        check(length, &read_archive(files, "t").unwrap());
    }
    files.insert(file, whole);
}

/// The damage that a cut at `length` must be reported as: one, in that file, at or before the cut.
fn assert_told(trace: &ReadTrace, file: &str, length: usize) {
    let damage = trace.damage();
    let told = damage.iter().find(|w| w.kind == WarningKind::Truncated && w.place.starts_with(file));
    let told = told.unwrap_or_else(|| panic!("{file} cut at {length} is not told: {damage:?}"));
    let byte = told.place.strip_prefix(file).and_then(|rest| rest.strip_prefix(" byte ")).map(str::parse::<usize>);
    assert!(matches!(byte, Some(Ok(byte)) if byte <= length), "cut at {length}: {}", told.place);
}

/// Cuts an event file everywhere: the records are a prefix that grows with the file.
fn check_event_file(files: &MemoryFiles, location: usize, file: &str) {
    let whole = read_archive(files, "t").unwrap();
    assert!(whole.damage().is_empty(), "{:?}", whole.damage());
    let expected = whole.events(location);
    let length = files.get(file).unwrap().len();
    let mut kept = 0;
    cut_everywhere(files, file, |cut, trace| {
        let events = trace.events(location);
        assert!(events.len() >= kept, "cut at {cut}: fewer records than with fewer bytes");
        kept = events.len();
        assert_eq!(events, expected[..kept], "cut at {cut}");
        assert_eq!(trace.blocks[location].last, events.last().map(|(time, _)| *time), "cut at {cut}");
        for other in (0..whole.blocks.len()).filter(|other| *other != location) {
            assert_eq!(trace.blocks[other].len(), whole.blocks[other].len(), "others are not touched");
        }
        // The last byte is the end of a buffer, after the end of the file: nothing is missing without it.
        if cut >= length - 1 {
            assert!(trace.damage().is_empty(), "cut at {cut}: {:?}", trace.damage());
        } else {
            assert_told(trace, file, cut);
        }
    });
    assert_eq!(kept, expected.len());
}

#[test]
fn an_event_file_cut_anywhere_keeps_what_came_before() {
    let files = ring();
    let whole = read_archive(&files, "t").unwrap();
    assert!(whole.warnings.is_empty(), "{:?}", whole.warnings);
    assert!(whole.blocks[1].len() > 40, "{}", whole.blocks[1].len());
    check_event_file(&files, 1, "t/3.evt");
}

#[test]
fn a_cut_between_two_chunks_is_told_too() {
    let mut made = Handmade::ranks(2);
    made.event_chunk = 64;
    for step in 0..8 {
        made.on(10, &[Rec::time(100 + 10 * step), Rec::enter(0), Rec::time(105 + 10 * step), Rec::leave(0)]);
    }
    made.on(0, &[Rec::time(1), Rec::enter(0)]);
    let files = made.files();
    assert!(files.get("t/10.evt").unwrap().len() > 4 * 64);
    check_event_file(&files, 1, "t/10.evt");
}

#[test]
fn cut_global_definitions_keep_the_locations_before_the_cut() {
    let files = ring();
    let whole = read_archive(&files, "t").unwrap().definitions;
    let length = files.get("t.def").unwrap().len();
    let mut found = 0;
    cut_everywhere(&files, "t.def", |cut, trace| {
        let locations = &trace.definitions.locations;
        assert!(locations.len() >= found, "cut at {cut}");
        found = locations.len();
        for (cut_short, location) in locations.iter().zip(&whole.locations) {
            assert_eq!((cut_short.file_id, &cut_short.name), (location.file_id, &location.name), "cut at {cut}");
        }
        if cut < length - 1 {
            assert_told(trace, "t.def", cut);
        } else {
            assert!(trace.damage().is_empty(), "{:?}", trace.damage());
        }
    });
    assert_eq!(found, RANKS as usize);
}

#[test]
fn cut_definitions_of_many_chunks_are_told_at_the_borders_too() {
    let mut made = Handmade::ranks(3);
    made.definition_chunk = 64;
    made.on(0, &[Rec::time(1), Rec::enter(0)]);
    let files = made.files();
    let length = files.get("t.def").unwrap().len();
    assert!(length > 5 * 64);
    cut_everywhere(&files, "t.def", |cut, trace| {
        if cut < length - 1 {
            assert_told(trace, "t.def", cut);
        }
    });
}

#[test]
fn cut_local_definitions_keep_the_maps_before_the_cut() {
    let mut made = Handmade::ranks(2);
    made.region(5, "solve", 1, 1);
    made.on(0, &[Rec::time(1), Rec::enter(0)]);
    made.on(10, &[Rec::time(1000), Rec::enter(0), Rec::time(2000), Rec::leave(0)]);
    let map = Handmade::dense_map(3, &[5]);
    made.own(10, &[map, Handmade::clock_offset(1000, 0), Handmade::clock_offset(2000, 100)]);
    let files = made.files();
    let length = files.get("t/10.def").unwrap().len();
    let mut states = Vec::new();
    cut_everywhere(&files, "t/10.def", |cut, trace| {
        let end = trace.events(1)[1].0;
        states.push((trace.entered(1)[0].to_owned(), end));
        if cut < length - 1 {
            assert_told(trace, "t/10.def", cut);
        } else {
            assert!(trace.damage().is_empty(), "{:?}", trace.damage());
        }
    });
    states.dedup();
    // Without the map the id is global; without two offsets there is no correction. Nothing in between.
    let state = |name: &str, end| (name.to_owned(), Ns(end));
    assert_eq!(states, [state("main", 1999), state("solve", 1999), state("solve", 2099)]);
}

#[test]
fn a_cut_marker_file_keeps_the_markers_before_the_cut() {
    let files = ring();
    let whole = read_archive(&files, "t").unwrap().definitions.marks;
    assert_eq!(whole.len(), 3);
    let length = files.get("t.marker").unwrap().len();
    let mut found = 0;
    cut_everywhere(&files, "t.marker", |cut, trace| {
        let marks = &trace.definitions.marks;
        assert!(marks.len() >= found, "cut at {cut}");
        found = marks.len();
        assert_eq!(*marks, whole[..found], "cut at {cut}");
        if cut < length - 1 {
            assert_told(trace, "t.marker", cut);
        }
    });
    assert_eq!(found, 3);
}

#[test]
fn a_cut_anchor_does_not_hide_the_trace() {
    let files = ring();
    let whole = read_archive(&files, "t").unwrap();
    let anchor = files.get("t.otf2").unwrap();
    // Everything after the description is of no use to a reader.
    let needed = anchor.windows(6).position(|bytes| bytes == b"Heddle").unwrap() + "Heddle 0.1.0".len() + 2;
    for length in 0..=anchor.len() {
        files.insert("t.otf2", anchor[..length].to_vec());
        let read = read_archive(&files, "t");
        if length < 7 {
            let error = read.unwrap_err();
            assert!(matches!(error, OpenError::Anchor { .. }), "{error:?}");
            let message = error.to_string();
            assert!(message.starts_with("t.otf2: ") && message.contains(".otf2"), "{message}");
            continue;
        }
        let trace = read.unwrap_or_else(|error| panic!("cut at {length}: {error}"));
        for location in 0..RANKS as usize {
            assert_eq!(trace.events(location), whole.events(location), "cut at {length}");
        }
        assert_eq!(trace.definitions.marks, whole.definitions.marks);
        if length < needed {
            assert_told(&trace, "t.otf2", length);
        } else {
            assert!(trace.damage().is_empty(), "cut at {length}: {:?}", trace.damage());
        }
    }
}

#[test]
fn half_a_chunk_size_is_not_taken_for_a_substrate() {
    let mut made = Handmade::ranks(1);
    made.on(0, &[Rec::time(1), Rec::enter(0)]);
    // 02 02 at the place of the sizes: read as substrate and compression they would refuse the archive.
    made.event_chunk = 0x10_0202;
    let files = made.files();
    let anchor = made.anchor();
    for length in 12..30 {
        files.insert("t.otf2", anchor[..length].to_vec());
        let trace = read_archive(&files, "t").unwrap_or_else(|error| panic!("cut at {length}: {error}"));
        assert_eq!(trace.entered(0), ["main"], "cut at {length}");
    }
}

#[test]
fn damage_in_one_chunk_leaves_the_next_alone() {
    let mut made = Handmade::ranks(1);
    made.event_chunk = 128;
    for step in 0..40 {
        made.on(0, &[Rec::time(10 * step), Rec::enter(0), Rec::time(10 * step + 5), Rec::leave(0)]);
    }
    let files = made.files();
    let whole = read_archive(&files, "t").unwrap();
    let bytes = files.get("t/0.evt").unwrap();
    for chunk in 0..bytes.len() / 128 {
        for damage in [0xfe, 0x03] {
            // In the place of a record's id: one claims 254 bytes, the other is a header where none belongs.
            let mut bytes = bytes.clone();
            let at = chunk * 128 + 18 + 9;
            bytes[at..at + 2].copy_from_slice(&[damage, 0xfe]);
            files.insert("t/0.evt", bytes);
            let trace = read_archive(&files, "t").unwrap();
            let expected: Vec<_> = whole
                .events(0)
                .into_iter()
                .enumerate()
                .filter(|(position, _)| !chunk_range(&whole_chunks(&made), chunk).contains(position))
                .map(|(_, event)| event)
                .collect();
            assert_eq!(trace.events(0), expected, "chunk {chunk}");
            let damage = trace.damage();
            assert_eq!(damage.len(), 1);
            assert_eq!(damage[0].place, format!("t/0.evt byte {at}"));
        }
    }
}

/// How many events each chunk of the first location has, from the numbers in the headers.
fn whole_chunks(made: &Handmade) -> Vec<(usize, usize)> {
    let bytes = made.files().get("t/0.evt").unwrap();
    let number = |chunk: &[u8], at: usize| u64::from_le_bytes(chunk[at..at + 8].try_into().unwrap()) as usize;
    bytes.chunks(128).map(|chunk| (number(chunk, 2) - 1, number(chunk, 10))).collect()
}

fn chunk_range(chunks: &[(usize, usize)], chunk: usize) -> std::ops::Range<usize> {
    chunks[chunk].0..chunks[chunk].1
}

#[test]
fn events_before_the_first_time_have_a_time() {
    let mut made = Handmade::ranks(1);
    made.on(0, &[Rec::enter(0), Rec::time(1000), Rec::leave(0)]);
    let trace = read_archive(&made.files(), "t").unwrap();
    assert_eq!(trace.blocks[0].len(), 2);
    assert!(trace.blocks[0].iter().all(|(time, _)| time.is_some()), "{:?}", trace.events(0));
    assert_eq!(trace.warned(WarningKind::Corrupt), 1, "{:?}", trace.warnings);
}

#[test]
fn an_empty_archive_is_an_archive() {
    let files = Handmade::empty().files();
    let trace = read_archive(&files, "t").unwrap();
    assert_eq!((trace.blocks.len(), trace.warnings.is_empty()), (0, true));
    for (name, _) in snapshot(&files) {
        files.insert(&name, Vec::new());
    }
    assert!(Archive::open(&files, "t").is_err(), "nothing at all is not");
}

#[test]
fn a_definition_with_nonsense_inside_costs_only_itself() {
    let mut made = Handmade::ranks(1);
    let name = made.string("after");
    // A location whose name is a number of seven bytes: more than an id has.
    made.definitions.push(Rec::of(14, &[F::V(77), F::U8(7)]));
    made.define(14, &[F::V(78), F::I(name), F::U8(1), F::V(0), F::I(0)]);
    let trace = read_archive(&made.files(), "t").unwrap();
    let ids: Vec<u64> = trace.definitions.locations.iter().map(|location| location.file_id).collect();
    assert_eq!(ids, [0, 78]);
    assert_eq!(trace.warned(WarningKind::Corrupt), 1);
}
