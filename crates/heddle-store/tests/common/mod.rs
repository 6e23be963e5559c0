//! Traces written by hand, one record after another, and what their stores hold.

// Every test file is a crate of its own and uses some of this.
#![allow(dead_code)]
#![allow(clippy::unwrap_used, clippy::panic)] // a test that cannot go on should say so and stop

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, Communicator, Definitions, Event, Location, LocationId, LocationKind,
    MessageEnd, Ns, Paradigm, Part, Rank, RecordBlock, Region, RegionId, RequestId, Role, SourceError, SystemNode,
    SystemNodeId, WarningKind,
};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_testkit::MadeSource;
use tempfile::TempDir;

pub(crate) const MAIN: u32 = 0;
pub(crate) const WORK: u32 = 1;
pub(crate) const SEND: u32 = 2;
pub(crate) const RECV: u32 = 3;
pub(crate) const WAIT: u32 = 4;
pub(crate) const REDUCE: u32 = 5;

pub(crate) const WORLD: u32 = 0;
pub(crate) const TWIN: u32 = 1;
pub(crate) const SELF: u32 = 2;
/// Even ranks on one side, odd ones on the other.
pub(crate) const INTER: u32 = 3;

/// Enough memory for everything.
pub(crate) const PLENTY: u64 = 1 << 30;

/// A record and when it happened.
pub(crate) type Timed = (i64, Event<'static>);

/// `ranks` processes with one location each, six regions, four communicators.
pub(crate) fn world(ranks: u32) -> Definitions {
    let members: Arc<[LocationId]> = (0..ranks).map(LocationId).collect();
    let side = |parity| (0..ranks).filter(|rank| rank % 2 == parity).map(LocationId).collect::<Arc<[LocationId]>>();
    let comm = |name: &str, members: &Arc<[LocationId]>| Communicator::of(name, Arc::clone(members));
    let names = ["main", "work", "MPI_Send", "MPI_Recv", "MPI_Wait", "MPI_Allreduce"];
    Definitions {
        creator: "by hand".to_owned(),
        system_tree: (0..ranks)
            .map(|rank| SystemNode {
                name: format!("process {rank}").into(),
                class: SystemNode::PROCESS.into(),
                parent: None,
            })
            .collect(),
        locations: (0..ranks).map(|rank| location(u64::from(rank), rank)).collect(),
        regions: names.map(|name| Region::named(name, Paradigm::User, Role::Function)).to_vec(),
        communicators: vec![
            comm("world", &members),
            Communicator { parent: Some(CommId(WORLD)), ..comm("twin", &members) },
            Communicator { is_self: true, ..comm("self", &Arc::default()) },
            Communicator { remote: Some(side(1)), ..comm("inter", &side(0)) },
        ],
        world: members.to_vec(),
        ..Definitions::default()
    }
}

/// A location of the process of `rank`.
pub(crate) fn location(file_id: u64, rank: u32) -> Location {
    Location {
        file_id,
        name: format!("location {file_id}").into(),
        kind: LocationKind::CpuThread,
        parent: Some(SystemNodeId(rank)),
        rank: Rank(rank),
    }
}

pub(crate) fn enter(region: u32) -> Event<'static> {
    Event::Enter(RegionId(region))
}

pub(crate) fn leave(region: u32) -> Event<'static> {
    Event::Leave(Some(RegionId(region)))
}

/// One end of a message of 8 bytes on the world.
pub(crate) fn end(peer: u32, tag: u32) -> MessageEnd {
    MessageEnd { peer: LocationId(peer), comm: CommId(WORLD), tag, bytes: 8, request: RequestId::NONE }
}

pub(crate) fn on(comm: u32, end: MessageEnd) -> MessageEnd {
    MessageEnd { comm: CommId(comm), ..end }
}

pub(crate) fn by(request: u64, end: MessageEnd) -> MessageEnd {
    MessageEnd { request: RequestId(request), ..end }
}

/// An allreduce, without a request.
pub(crate) fn collective(comm: u32) -> CollectiveEnd {
    CollectiveEnd {
        op: CollectiveOp::ALLREDUCE,
        comm: CommId(comm),
        root: LocationId::NONE,
        sent: 8,
        received: 8,
        request: RequestId::NONE,
        number: None,
    }
}

/// A trace written by hand.
pub(crate) struct Hand {
    pub(crate) definitions: Definitions,
    pub(crate) parts: Vec<Part>,
    records: BTreeMap<(LocationId, u32), Vec<Timed>>,
    /// A part that cannot be read.
    pub(crate) broken: Option<Part>,
}

impl Hand {
    /// The records of location 0, 1 …, one part each.
    pub(crate) fn new(definitions: Definitions, tracks: &[Vec<Timed>]) -> Hand {
        Hand::cut(definitions, tracks, 64, |_| Vec::new())
    }

    /// The same, cut into parts of `bytes` each before the positions that `cuts` gives for each location.
    pub(crate) fn cut(
        definitions: Definitions,
        tracks: &[Vec<Timed>],
        bytes: u64,
        cuts: impl Fn(usize) -> Vec<usize>,
    ) -> Hand {
        let mut hand = Hand { definitions, parts: Vec::new(), records: BTreeMap::new(), broken: None };
        for (at, track) in tracks.iter().enumerate() {
            let location = LocationId(at as u32);
            let mut edges: Vec<usize> = cuts(at).into_iter().map(|cut| cut.min(track.len())).collect();
            edges.extend([0, track.len()]);
            edges.sort_unstable();
            for (index, pair) in edges.windows(2).enumerate() {
                let index = index as u32;
                hand.parts.push(Part { location, index, bytes });
                hand.records.insert((location, index), track[pair[0]..pair[1]].to_vec());
            }
        }
        hand
    }

    pub(crate) fn source(&self) -> MadeSource<'_> {
        MadeSource::fallible(self.definitions.clone(), self.parts.clone(), |part, out| {
            if self.broken == Some(*part) {
                return Err(SourceError { place: "part 0".to_owned(), cause: std::io::ErrorKind::NotFound.into() });
            }
            for (time, event) in &self.records[&(part.location, part.index)] {
                push(out, Ns(*time), event);
                out.events += 1;
                out.last = out.last.max(Some(Ns(*time)));
            }
            Ok(())
        })
    }

    pub(crate) fn store(&self) -> Stored {
        self.store_within(PLENTY)
    }

    pub(crate) fn store_within(&self, memory: u64) -> Stored {
        let directory = tempfile::tempdir().unwrap();
        let store =
            store_simulation(&self.source(), "hand", &directory.path().join("hand.heddle"), memory, &NoProgress)
                .unwrap();
        let left: Vec<_> =
            std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["hand.heddle"], "nothing else is left");
        Stored { store, _directory: directory }
    }
}

fn push(out: &mut RecordBlock, time: Ns, event: &Event<'static>) {
    match event.clone() {
        Event::Enter(region) => out.enter(time, region),
        Event::Leave(region) => out.leave(time, region),
        Event::Send(end) => out.send(time, end),
        Event::Isend(end) => out.isend(time, end),
        Event::SendComplete(request) => out.send_complete(time, request),
        Event::RecvRequest(request) => out.recv_request(time, request),
        Event::Recv(end) => out.recv(time, end),
        Event::Irecv(end) => out.irecv(time, end),
        Event::RequestCancelled(request) => out.request_cancelled(time, request),
        Event::CollectiveBegin => out.collective_begin(time),
        Event::CollectiveEnd(end) => out.collective_end(time, end),
        Event::CollectiveRequest(request) => out.collective_request(time, request),
        Event::CollectiveComplete(end) => out.collective_complete(time, end),
        Event::Metric(value) => out.metric(time, value),
        Event::Mark(mark) => out.mark(time, mark.clone()),
        Event::Task(task) => out.task(time, task),
        Event::DependsOn(on) => out.depends_on(time, on),
    }
}

/// A store that goes when it is no longer looked at.
pub(crate) struct Stored {
    pub(crate) store: Store,
    _directory: TempDir,
}

impl std::ops::Deref for Stored {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.store
    }
}

/// A matched message, without its spans: sender, receiver, sent, received, tag, communicator.
pub(crate) type Pair = (u32, u32, i64, i64, u32, u32);

/// What a location did in a collective: location, start, end.
pub(crate) type Member = (u32, i64, i64);

/// A collective: communicator, whether it is doubtful, members.
pub(crate) type Operation = (u32, bool, Vec<Member>);

impl Stored {
    /// Start, end, region, depth of every span.
    pub(crate) fn spans(&self) -> Vec<(i64, i64, u32, u16)> {
        let spans = &self.spans;
        (0..spans.len())
            .map(|row| (spans.start.get(row).0, spans.end.get(row).0, spans.region.get(row).0, spans.depth.get(row)))
            .collect()
    }

    pub(crate) fn pairs(&self) -> Vec<Pair> {
        let table = &self.messages;
        (0..table.len())
            .map(|row| {
                (
                    table.send_location.get(row).0,
                    table.recv_location.get(row).0,
                    table.send.get(row).0,
                    table.recv.get(row).0,
                    table.tag.get(row),
                    table.comm.get(row).0,
                )
            })
            .collect()
    }

    /// Kind, location and time of every end without a partner.
    pub(crate) fn unmatched(&self) -> Vec<(String, u32, i64)> {
        let table = &self.store.unmatched;
        (0..table.len())
            .map(|row| (table.kind.get(row).to_owned(), table.location.get(row).0, table.time.get(row).0))
            .collect()
    }

    /// Every collective, in order.
    pub(crate) fn collectives(&self) -> Vec<Operation> {
        let (table, members) = (&self.store.collectives, &self.collective_members);
        (0..table.len())
            .map(|row| {
                let first = table.first_member.get(row);
                let of_this = first..first + u64::from(table.members.get(row));
                let member = |at| (members.location.get(at).0, members.start.get(at).0, members.end.get(at).0);
                (table.comm.get(row).0, table.doubtful.get(row) == 1, of_this.map(member).collect())
            })
            .collect()
    }

    pub(crate) fn warned(&self, kind: WarningKind) -> u64 {
        self.store.warnings().iter().filter(|warning| warning.kind == kind).map(|warning| warning.count).sum()
    }
}

/// Every file below a directory by its name there.
pub(crate) fn files_below(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            files.extend(files_below(&path).into_iter().map(|(file, bytes)| (format!("{name}/{file}"), bytes)));
        } else {
            files.insert(name, std::fs::read(path).unwrap());
        }
    }
    files
}

/// Files that one has and the other has not, or that differ.
pub(crate) fn differences(one: &Path, other: &Path) -> Vec<String> {
    let (one, other) = (files_below(one), files_below(other));
    let names: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    names.into_iter().filter(|name| one.get(*name) != other.get(*name)).cloned().collect()
}

/// What differs outside the indexes, which may be cut differently under another budget.
pub(crate) fn table_differences(one: &Path, other: &Path) -> Vec<String> {
    let mut names = differences(one, other);
    names.retain(|name| !name.starts_with("index/") && name != "meta.json");
    names
}
