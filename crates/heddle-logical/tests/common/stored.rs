//! Traces kept as stores, and what must hold for the logical time of any store.

use std::collections::BTreeSet;

use heddle_logical::extract::extract;
use heddle_logical::{Events, Kind, Logical, LogicalOptions, Memory, Structure, WindowSize, build, structure};
use heddle_model::Source;
use heddle_store::{NoProgress, Store, store_simulation};
use tempfile::TempDir;

use super::{rows_of, slow};

/// A source as a store that goes with the directory.
pub(crate) fn stored(source: &dyn Source) -> (TempDir, Store) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let store = store_simulation(source, "made", &directory.path().join("made.heddle"), 1 << 29, &NoProgress);
    (directory, store.expect("a store"))
}

/// The slow way takes so many events in a moment.
const FEW: usize = 400;

/// Everything that must hold for the logical time of a store, whatever the trace.
pub(crate) fn check(store: &Store, options: &LogicalOptions, what: &str) -> Logical {
    let extracted = extract(store, options, &NoProgress).expect("nobody cancels");
    let events = &extracted.events;
    let structure = structure(events, options, &NoProgress).expect("nobody cancels");
    check_structure(events, &structure, what);
    if events.kind.len() <= FEW {
        assert_eq!(structure, slow::structure(events, options), "{what}: the slow way gives something else");
    }
    let logical = Logical::open(store, options, &NoProgress).expect(what);
    check_reading(store, events, &structure, &logical, what);
    if events.kind.len() <= MANY {
        check_windows(store, options, &logical, what);
    }
    logical
}

/// Events that are few enough to compute with them again.
const MANY: usize = 300_000;

/// Window by window the tables are the same to the byte.
fn check_windows(store: &Store, options: &LogicalOptions, logical: &Logical, what: &str) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let size = WindowSize { usual: logical.events.len() / 9 + 1, most: u64::MAX / 4, is_strict: false };
    build(store, options, Memory::Windows(size), directory.path(), &NoProgress).expect(what);
    for entry in std::fs::read_dir(directory.path()).expect("a directory") {
        let path = entry.expect("an entry").path();
        let other = logical.path().join(path.file_name().expect("a name"));
        let (here, there) = (std::fs::read(&path).expect("a file"), std::fs::read(&other).expect("a file"));
        assert!(here == there, "{what}: {} differs window by window", path.display());
    }
}

fn check_structure(events: &Events, structure: &Structure, what: &str) {
    let rows = rows_of(events);
    let count = events.kind.len();
    assert_eq!((structure.phase.len(), structure.step.len()), (count, count), "{what}");
    let mut sizes = vec![0; structure.phases.len()];
    for event in 0..count {
        let phase = structure.phases[structure.phase[event] as usize];
        assert!((phase.first_step..=phase.last_step).contains(&structure.step[event]), "{what}: {event}");
        sizes[structure.phase[event] as usize] += 1;
    }
    assert!(sizes.iter().all(|size| *size > 0), "{what}: an empty phase");
    for event in (1..count).filter(|event| rows[*event] == rows[event - 1]) {
        assert!(structure.step[event - 1] < structure.step[event], "{what}: steps fall at {event}");
        assert!(structure.phase[event - 1] <= structure.phase[event], "{what}: phases fall at {event}");
        assert!(events.enter[event - 1] <= events.enter[event], "{what}: order of {event}");
    }
    assert!(events.messages.is_sorted(), "{what}");
    for (send, receive) in &events.messages {
        let (send, receive) = (*send as usize, *receive as usize);
        assert_eq!((events.kind[send], events.kind[receive]), (Kind::Send, Kind::Receive), "{what}");
        assert_eq!(structure.phase[send], structure.phase[receive], "{what}: a message between phases");
        // Where the order of the records contradicts itself, some message must go back.
        let is_split = structure.phases[structure.phase[send] as usize].is_split;
        assert!(is_split || structure.step[send] < structure.step[receive], "{what}: a message back in steps");
    }
    for ends in events.first_of_collective.windows(2) {
        let members = &events.members[ends[0] as usize..ends[1] as usize];
        let first = members[0] as usize;
        assert!(members.is_sorted_by(|left, right| left < right), "{what}");
        for member in members.iter().map(|member| *member as usize) {
            assert_eq!(events.kind[member], Kind::Collective, "{what}");
            assert_eq!(structure.phase[member], structure.phase[first], "{what}: a collective in two phases");
            let is_split = structure.phases[structure.phase[first] as usize].is_split;
            assert!(is_split || structure.step[member] == structure.step[first], "{what}: a collective in two steps");
        }
    }
}

/// The reading side says what was computed, and finds partners in the store's tables.
fn check_reading(store: &Store, events: &Events, structure: &Structure, logical: &Logical, what: &str) {
    let count = events.kind.len() as u64;
    assert_eq!((logical.events.len(), logical.phases.len()), (count, structure.phases.len() as u64), "{what}");
    assert_eq!(logical.steps.len(), u64::from(structure.steps), "{what}");
    let mut is_on_time = vec![false; logical.steps.len() as usize];
    for event in 0..count {
        let (lateness, of_phase) = (logical.lateness(event), logical.phase_lateness(event));
        assert!(0 <= of_phase && of_phase <= lateness, "{what}: {event} is late by {lateness}, {of_phase}");
        assert!(0 <= logical.phase_aggregate_lateness(event), "{what}");
        assert!(logical.phase_aggregate_lateness(event) <= logical.aggregate_lateness(event), "{what}");
        assert!(logical.duration(event) >= 0 && logical.gap(event) >= 0, "{what}");
        let step = logical.events.step.get(event);
        is_on_time[step as usize] |= lateness == 0;
        let row = logical.row_of(event);
        assert_eq!(logical.event_at(row, step), Some(event), "{what}");
        assert!(logical.events_of_span(store, logical.events.span.get(event)).contains(&event), "{what}");
    }
    assert!(is_on_time.iter().all(|is| *is), "{what}: a step in which all are late");
    for row in 0..logical.rows.len().min(20) as u32 {
        let of_row = logical.events_of(row);
        let turned = events.messages.iter().map(|(from, to)| (u64::from(*to), u64::from(*from)));
        let received: BTreeSet<(u64, u64)> = turned.filter(|(to, _)| of_row.contains(to)).collect();
        assert_eq!(logical.received_by(store, row), received.into_iter().collect::<Vec<_>>(), "{what}: row {row}");
    }
    // Looking for partners takes long in large traces: some are as good as all.
    for event in (0..count).step_by((count as usize / 200).max(1)) {
        let of = |message: &(u32, u32)| (u64::from(message.0), u64::from(message.1));
        let senders: BTreeSet<u64> =
            events.messages.iter().map(of).filter(|(_, to)| *to == event).map(|(from, _)| from).collect();
        let receivers: BTreeSet<u64> =
            events.messages.iter().map(of).filter(|(from, _)| *from == event).map(|(_, to)| to).collect();
        assert_eq!(
            logical.senders(store, event),
            senders.into_iter().collect::<Vec<_>>(),
            "{what}: senders of {event}"
        );
        assert_eq!(logical.receivers(store, event), receivers.into_iter().collect::<Vec<_>>(), "{what}: {event}");
        let members = events.first_of_collective.windows(2).map(|ends| ends[0] as usize..ends[1] as usize);
        let members = members.map(|range| &events.members[range]).find(|of| of.contains(&(event as u32)));
        let members: Vec<u64> = members.unwrap_or(&[]).iter().map(|member| u64::from(*member)).collect();
        assert_eq!(logical.members(store, event), members, "{what}: members of the collective of {event}");
    }
}
