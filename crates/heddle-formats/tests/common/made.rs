//! Four ranks that exchange messages around a ring: a source for the crate's own writer.

use heddle_formats::otf2::write;
use heddle_formats::{MemoryFiles, MemoryScratch, Output};
use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, Communicator, Definitions, GlobalMark, Location, LocationId, LocationKind,
    MessageEnd, MetricDefinition, MetricId, MetricMode, MetricValue, Ns, Paradigm, Rank, RecordBlock, Region, RegionId,
    RequestId, Role, SystemNode, SystemNodeId,
};
use heddle_testkit::MadeSource;

pub(crate) const RANKS: u32 = 4;
const STEPS: i64 = 3;

/// The archive `t` of the ring.
pub(crate) fn ring() -> MemoryFiles {
    let files = MemoryFiles::default();
    write(&source(), &Output::new("t", &files, &MemoryScratch::default())).unwrap();
    files
}

fn source() -> MadeSource<'static> {
    let node = |name: String, class: &str, parent: Option<u32>| SystemNode {
        name: name.into(),
        class: class.into(),
        parent: parent.map(SystemNodeId),
    };
    let metric = |name: &str, mode| MetricDefinition { name: name.to_owned(), unit: "W".to_owned(), mode };
    let mark = |location, time, text: &str| GlobalMark {
        location,
        time: Ns(time),
        name: "phase".to_owned(),
        text: text.to_owned(),
    };
    let mut system_tree = vec![node("toy".to_owned(), "machine", None)];
    system_tree.extend((0..RANKS).map(|rank| node(format!("rank {rank}"), SystemNode::PROCESS, Some(0))));
    let location = |rank: u32| Location {
        file_id: u64::from(rank) * 3,
        name: format!("thread of {rank}").into(),
        kind: LocationKind::CpuThread,
        parent: Some(SystemNodeId(rank + 1)),
        rank: Rank(rank),
    };
    let world: Vec<LocationId> = (0..RANKS).map(LocationId).collect();
    let definitions = Definitions {
        system_tree,
        locations: (0..RANKS).map(location).collect(),
        regions: vec![
            Region::named("compute", Paradigm::User, Role::Function),
            Region::named("MPI_Waitall", Paradigm::Mpi, Role::Wait),
            Region::named("MPI_Allreduce", Paradigm::Mpi, Role::Collective),
        ],
        communicators: vec![Communicator::of("MPI_COMM_WORLD", world.as_slice().into())],
        metrics: vec![metric("power", MetricMode::Absolute), metric("energy", MetricMode::Accumulated)],
        world,
        marks: vec![
            mark(LocationId::NONE, 40, "warm up"),
            mark(LocationId(2), 200, "odd"),
            mark(LocationId::NONE, 900, "end"),
        ],
        ..Definitions::default()
    };
    let parts = MadeSource::part_per_location(&definitions, 1000);
    MadeSource::new(definitions, parts, |part, out| records(part.location.0, out))
}

fn records(rank: u32, out: &mut RecordBlock) {
    let end = |peer: u32, request| MessageEnd {
        peer: LocationId(peer % RANKS),
        comm: CommId(0),
        tag: 300,
        bytes: 1 << 20,
        request: RequestId(request),
    };
    let sum = CollectiveEnd {
        op: CollectiveOp::ALLREDUCE,
        comm: CommId(0),
        root: LocationId::NONE,
        sent: 8,
        received: 8,
        request: RequestId::NONE,
        number: None,
    };
    for step in 0..STEPS {
        let at = |ns: i64| Ns(1000 * step + i64::from(rank) + ns);
        let (sent, received) = (2 * step as u64 + 1, 2 * step as u64 + 2);
        out.enter(at(0), RegionId(0));
        out.metric(at(5), MetricValue { metric: MetricId(0), value: 1.5 * f64::from(rank) });
        out.leave(at(10), Some(RegionId(0)));
        out.recv_request(at(11), RequestId(received));
        out.isend(at(12), end(rank + 1, sent));
        out.enter(at(13), RegionId(1));
        out.send_complete(at(20), RequestId(sent));
        out.irecv(at(30), end(rank + RANKS - 1, received));
        out.leave(at(31), Some(RegionId(1)));
        out.enter(at(40), RegionId(2));
        out.collective_begin(at(41));
        out.collective_end(at(60), sum);
        out.leave(at(61), Some(RegionId(2)));
        out.metric(at(61), MetricValue { metric: MetricId(1), value: 7.0 });
    }
    out.collective_request(Ns(5000), RequestId(99));
    out.collective_complete(Ns(5100), CollectiveEnd { root: LocationId(1), request: RequestId(99), ..sum });
}
