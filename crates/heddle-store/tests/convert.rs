//! A store written in another format and read again is the same store, as far as the format can carry it.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

use std::path::Path;

use heddle_formats::{MemoryScratch, Output, chrome, otf2, paraver};
use heddle_model::LocationId;
use heddle_simulate::{Dimensions, HaloOptions, LogGp, Machine, halo};
use heddle_store::{DiskFiles, ImportOptions, NoProgress, Store, StorePlace, StoreSource, import, store_simulation};
use proptest::prelude::*;

/// Memory for parts.
const PLENTY: u64 = 1 << 28;

type MessageRow = (u32, u32, i64, i64, u64, u32, i64, i64, String, String);
type MemberRow = (u8, u32, u32, i64, i64, u64, u64, u32);

/// What must survive: spans, messages and collectives with ranks for locations and names for regions.
#[derive(Clone, Debug, PartialEq)]
struct Content {
    spans: Vec<(u32, String, i64, i64, u16)>,
    messages: Vec<MessageRow>,
    collectives: Vec<MemberRow>,
}

fn content(store: &Store) -> Content {
    let rank = |location: LocationId| {
        location.some().map_or(u32::MAX, |location| store.locations.rank.get(u64::from(location.0)).0)
    };
    let region = |row: u64| store.regions.name.get(u64::from(store.spans.region.get(row).0)).to_owned();
    let mut spans: Vec<_> = (0..store.spans.len())
        .map(|row| {
            let location = store.locations.of_span(heddle_model::SpanRow(row));
            let table = &store.spans;
            (rank(location), region(row), table.start.get(row).0, table.end.get(row).0, table.depth.get(row))
        })
        .collect();
    let table = &store.messages;
    let mut messages: Vec<_> = (0..table.len())
        .map(|row| {
            let name = |span: heddle_model::SpanRow| span.some().map(|span| region(span.0)).unwrap_or_default();
            (
                rank(table.send_location.get(row)),
                rank(table.recv_location.get(row)),
                table.send.get(row).0,
                table.recv.get(row).0,
                table.bytes.get(row),
                table.tag.get(row),
                table.posted.get(row).0,
                table.completed.get(row).0,
                name(table.send_span.get(row)),
                name(table.recv_span.get(row)),
            )
        })
        .collect();
    let (table, members) = (&store.collectives, &store.collective_members);
    let mut collectives: Vec<_> = (0..table.len())
        .flat_map(|row| {
            let first = table.first_member.get(row);
            (first..first + u64::from(table.members.get(row))).map(move |member| {
                let span = (members.start.get(member).0, members.end.get(member).0);
                let bytes = (members.sent.get(member), members.received.get(member));
                let (op, root) = (table.op.get(row).0, rank(table.root.get(row)));
                (op, root, rank(members.location.get(member)), span.0, span.1, bytes.0, bytes.1, table.members.get(row))
            })
        })
        .collect();
    spans.sort();
    messages.sort();
    collectives.sort_unstable();
    Content { spans, messages, collectives }
}

fn reimported(trace: &Path, store: &Path) -> Store {
    let options = ImportOptions { place: StorePlace::Exactly(store.to_owned()), memory: 64 << 20, force: false };
    import(trace, &options, &NoProgress).unwrap().store
}

/// Writes the store in all formats, reads them, and compares.
fn check(store: &Store, directory: &Path) {
    let before = content(store);
    let sink = DiskFiles::below(directory);
    let source = StoreSource::new(store, PLENTY);
    otf2::write(&source, &Output::new("o", &sink, &MemoryScratch::default())).unwrap();
    let again = reimported(&directory.join("o.otf2"), &directory.join("o.heddle"));
    assert_eq!(content(&again), before);
    assert_eq!(again.summary().unmatched_receives, store.summary().unmatched_receives);

    paraver::write(&source, &Output::new("p", &sink, &MemoryScratch::default())).unwrap();
    let again = reimported(&directory.join("p.prv"), &directory.join("p.heddle"));
    assert_eq!(content(&again), before);
    assert_eq!(again.summary().unmatched_receives, store.summary().unmatched_receives);
    assert_eq!(again.summary().ranks, store.summary().ranks);

    for name in ["c.json", "z.json.gz"] {
        let summary = chrome::write(&source, &Output::new(name, &sink, &MemoryScratch::default())).unwrap();
        assert_eq!(summary.left_out, 0);
        let again = reimported(&directory.join(name), &directory.join(format!("{name}.heddle")));
        assert_eq!(nested(content(&again)), nested(before.clone()));
        assert_eq!(communicators(&again), communicators(store));
        assert_eq!(again.warnings(), store.warnings());
        assert_eq!(again.summary().unmatched_receives, store.summary().unmatched_receives);
        assert_eq!(again.summary().ranks, store.summary().ranks);
    }
}

/// A trace event of no length may lie inside or beside one that ends or begins at its time: the file does not say. Where
/// there are such, how spans nest is not compared.
fn nested(mut content: Content) -> Content {
    if content.spans.iter().any(|(_, _, start, end, _)| start == end) {
        content.spans.iter_mut().for_each(|span| span.4 = 0);
    }
    content
}

/// The communicator of each message and collective, by name and members.
fn communicators(store: &Store) -> Vec<(String, u64)> {
    let names = |at: u32| store.communicators.name.get(u64::from(at)).to_owned();
    let mut counts = std::collections::BTreeMap::<String, u64>::new();
    let messages = (0..store.messages.len()).map(|row| store.messages.comm.get(row));
    for comm in messages.chain((0..store.collectives.len()).map(|row| store.collectives.comm.get(row))) {
        *counts.entry(names(comm.0)).or_default() += 1;
    }
    counts.into_iter().collect()
}

fn runs() -> impl Strategy<Value = (HaloOptions, Machine)> {
    (1..20u32, 1..30u32, any::<u64>(), any::<bool>(), 0..4u32, 1..5u32, any::<bool>(), 0..2u32).prop_map(
        |(ranks, iterations, seed, three, allreduce_every, ranks_per_node, periodic, quiet)| {
            let dimensions = if three { Dimensions::Three } else { Dimensions::Two };
            let options =
                HaloOptions { ranks, iterations, dimensions, allreduce_every, periodic, ..HaloOptions::default() };
            let noise = if quiet == 0 { 0.0 } else { 0.3 };
            // Some runs send their messages by rendezvous.
            let network = LogGp { eager_bytes: if seed.is_multiple_of(2) { 0 } else { 1 << 20 }, ..LogGp::default() };
            (options, Machine { seed, noise, ranks_per_node, network, ..Machine::default() })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_converted_trace_is_the_same_trace((options, machine) in runs()) {
        let directory = tempfile::tempdir().unwrap();
        let simulation = halo(&options, &machine).unwrap();
        let target = directory.path().join("s.heddle");
        let store = store_simulation(&simulation, "s", &target, 64 << 20, &NoProgress).unwrap();
        check(&store, directory.path());
    }
}

/// Enough locations that a part has few spans: stretches must fit together.
#[test]
fn many_parts_are_one_trace() {
    let directory = tempfile::tempdir().unwrap();
    let options = HaloOptions { ranks: 2, iterations: 20_000, allreduce_every: 7, ..HaloOptions::default() };
    let simulation = halo(&options, &Machine::default()).unwrap();
    let store = store_simulation(&simulation, "s", &directory.path().join("s.heddle"), 64 << 20, &NoProgress).unwrap();
    assert!(heddle_model::Source::parts(&StoreSource::new(&store, PLENTY)).len() > 2);
    check(&store, directory.path());
}
