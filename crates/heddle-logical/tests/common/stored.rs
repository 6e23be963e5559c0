//! Traces written call by call and kept as stores, and what must hold for the logical time of any store.

use std::collections::BTreeSet;
use std::sync::Arc;

use heddle_logical::extract::extract;
use heddle_logical::{Events, Kind, Logical, LogicalOptions, Structure, structure};
use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, Communicator, Definitions, Location, LocationId, LocationKind, MessageEnd, Ns,
    Paradigm, Part, Rank, RecordBlock, Region, RegionId, RequestId, Role, Source, SystemNode, SystemNodeId,
};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_testkit::MadeSource;
use tempfile::TempDir;

use super::{rows_of, slow};

/// What happens inside a call, at its end unless said otherwise.
#[derive(Clone)]
pub(crate) enum Act {
    /// A blocking send: to, tag.
    Send(u32, u32),
    /// A blocking receive: from, tag.
    Recv(u32, u32),
    /// A blocking receive of twice the usual length: from, tag.
    LongRecv(u32, u32),
    /// A non-blocking send: to, tag, request.
    Isend(u32, u32, u64),
    /// A posted receive: request.
    Post(u64),
    /// The completion of a posted receive: from, tag, request.
    Complete(u32, u32, u64),
    /// The completion of a non-blocking send: request.
    SendComplete(u64),
    /// A collective of all.
    Collective,
    /// The begin of a non-blocking collective: request.
    Begin(u64),
    /// The end of one: request.
    End(u64),
    /// A call inside.
    Call(Call),
}

/// A call: function, enter, leave, what happens in it.
#[derive(Clone)]
pub(crate) struct Call(pub(crate) &'static str, pub(crate) i64, pub(crate) i64, pub(crate) Vec<Act>);

/// A trace written by hand: the calls of each rank.
pub(crate) struct Hand {
    definitions: Definitions,
    ranks: Vec<Vec<Call>>,
    names: Vec<&'static str>,
}

fn names_in(calls: &[Call], names: &mut BTreeSet<&'static str>) {
    for Call(name, _, _, acts) in calls {
        names.insert(name);
        for act in acts {
            if let Act::Call(inside) = act {
                names_in(std::slice::from_ref(inside), names);
            }
        }
    }
}

impl Hand {
    pub(crate) fn new(ranks: Vec<Vec<Call>>) -> Hand {
        let count = ranks.len() as u32;
        let mut names = BTreeSet::new();
        for calls in &ranks {
            names_in(calls, &mut names);
        }
        let names: Vec<&'static str> = names.into_iter().collect();
        let members: Arc<[LocationId]> = (0..count).map(LocationId).collect();
        let paradigm = |name: &str| if name.starts_with("MPI_") { Paradigm::Mpi } else { Paradigm::User };
        let definitions = Definitions {
            system_tree: vec![SystemNode { name: "p".into(), class: SystemNode::PROCESS.into(), parent: None }],
            locations: (0..count)
                .map(|rank| Location {
                    file_id: u64::from(rank),
                    name: format!("rank {rank}"),
                    kind: LocationKind::CpuThread,
                    parent: Some(SystemNodeId(0)),
                    rank: Rank(rank),
                })
                .collect(),
            regions: names.iter().map(|name| Region::named(*name, paradigm(name), Role::Function)).collect(),
            communicators: vec![Communicator::of("world", Arc::clone(&members))],
            world: members.to_vec(),
            ..Definitions::default()
        };
        Hand { definitions, ranks, names }
    }

    pub(crate) fn store(&self) -> (TempDir, Store) {
        let parts = MadeSource::part_per_location(&self.definitions, 64);
        let records = |part: &Part, out: &mut RecordBlock| self.write(&self.ranks[part.location.index()], out);
        stored(&MadeSource::new(self.definitions.clone(), parts, records))
    }

    fn write(&self, calls: &[Call], out: &mut RecordBlock) {
        for Call(name, enter, leave, acts) in calls {
            let region = RegionId(self.names.iter().position(|known| known == name).expect("known") as u32);
            out.enter(Ns(*enter), region);
            // What is told of a call happens when it is over; posting and beginning when it begins.
            let (begin, end) = (Ns(*enter), Ns(*leave));
            for act in acts {
                match act {
                    Act::Send(to, tag) => out.send(end, message(*to, *tag, None)),
                    Act::Recv(from, tag) => out.recv(end, message(*from, *tag, None)),
                    Act::LongRecv(from, tag) => {
                        out.recv(end, MessageEnd { bytes: 16, ..message(*from, *tag, None) });
                    }
                    Act::Isend(to, tag, request) => out.isend(end, message(*to, *tag, Some(*request))),
                    Act::Post(request) => out.recv_request(begin, RequestId(*request)),
                    Act::Complete(from, tag, request) => out.irecv(end, message(*from, *tag, Some(*request))),
                    Act::SendComplete(request) => out.send_complete(end, RequestId(*request)),
                    Act::Collective => {
                        out.collective_begin(begin);
                        out.collective_end(end, collective(None));
                    }
                    Act::Begin(request) => out.collective_request(begin, RequestId(*request)),
                    Act::End(request) => out.collective_complete(end, collective(Some(*request))),
                    Act::Call(inside) => self.write(std::slice::from_ref(inside), out),
                }
            }
            out.leave(end, Some(region));
            out.last = out.last.max(Some(end));
            out.events += 2;
        }
    }
}

fn message(peer: u32, tag: u32, request: Option<u64>) -> MessageEnd {
    let request = request.map_or(RequestId::NONE, RequestId);
    MessageEnd { peer: LocationId(peer), comm: CommId(0), tag, bytes: 8, request }
}

fn collective(request: Option<u64>) -> CollectiveEnd {
    let request = request.map_or(RequestId::NONE, RequestId);
    let op = CollectiveOp::ALLREDUCE;
    CollectiveEnd { op, comm: CommId(0), root: LocationId::NONE, sent: 8, received: 8, request, number: None }
}

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
    logical
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
