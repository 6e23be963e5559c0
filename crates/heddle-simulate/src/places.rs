//! What a simulated program defines: machine, nodes, processes, regions and communicators.

use heddle_model::{
    CommId, Communicator, Definitions, Location, LocationId, LocationKind, Paradigm, Rank, Region, RegionId, Role,
    SystemNode, SystemNodeId,
};

use crate::collective::CollectiveKind;
use crate::interconnect::Nodes;
use crate::members::Members;
use crate::program::{Op, Own, Program};

/// A region that the engine knows: `main` and the functions of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call(u8);

/// By number. The non-blocking collectives stand in the order of the blocking ones.
const CALLS: [&str; 28] = [
    "main",
    "MPI_Init",
    "MPI_Irecv",
    "MPI_Isend",
    "MPI_Recv",
    "MPI_Send",
    "MPI_Sendrecv",
    "MPI_Wait",
    "MPI_Waitall",
    "MPI_Barrier",
    "MPI_Bcast",
    "MPI_Reduce",
    "MPI_Allreduce",
    "MPI_Gather",
    "MPI_Scatter",
    "MPI_Allgather",
    "MPI_Alltoall",
    "MPI_Comm_split",
    "MPI_Ibarrier",
    "MPI_Ibcast",
    "MPI_Ireduce",
    "MPI_Iallreduce",
    "MPI_Igather",
    "MPI_Iscatter",
    "MPI_Iallgather",
    "MPI_Ialltoall",
    "MPI_Comm_idup",
    "MPI_Finalize",
];

impl Call {
    pub(crate) const MAIN: Call = Call(0);
    pub(crate) const INIT: Call = Call(1);
    pub(crate) const IRECV: Call = Call(2);
    pub(crate) const ISEND: Call = Call(3);
    pub(crate) const RECV: Call = Call(4);
    pub(crate) const SEND: Call = Call(5);
    pub(crate) const SENDRECV: Call = Call(6);
    pub(crate) const WAIT: Call = Call(7);
    pub(crate) const WAITALL: Call = Call(8);
    pub(crate) const FINALIZE: Call = Call(27);

    pub(crate) fn blocking(kind: CollectiveKind) -> Call {
        Call(9 + kind as u8)
    }

    pub(crate) fn non_blocking(kind: CollectiveKind) -> Call {
        Call(18 + kind as u8)
    }

    /// The function of MPI that an operation calls.
    pub(crate) fn of(op: &Op) -> Option<Call> {
        Some(match op {
            Op::Enter(_) | Op::Leave(_) | Op::Compute { .. } | Op::Idle { .. } => return None,
            Op::Send(_) => Call::SEND,
            Op::Recv(_) => Call::RECV,
            Op::Isend(_) => Call::ISEND,
            Op::Irecv(_) => Call::IRECV,
            Op::Wait => Call::WAIT,
            Op::Waitall => Call::WAITALL,
            Op::Sendrecv { .. } => Call::SENDRECV,
            Op::Collective { op, .. } => Call::blocking(op.kind),
            Op::Icollective { op, .. } => Call::non_blocking(op.kind),
        })
    }

    pub(crate) fn name(self) -> &'static str {
        CALLS[usize::from(self.0)]
    }

    /// One bit for each call.
    pub(crate) fn bit(self) -> u32 {
        1 << self.0
    }
}

/// The ids of the regions: `main`, the program's own, and those functions of MPI that are called.
#[derive(Debug)]
pub(crate) struct Regions {
    calls: [RegionId; CALLS.len()],
    names: Vec<&'static str>,
}

impl Regions {
    pub(crate) fn new(own: &[&'static str], called: u32) -> Regions {
        let called = called | Call::MAIN.bit() | Call::INIT.bit() | Call::FINALIZE.bit();
        let mut names = vec![Call::MAIN.name()];
        names.extend(own);
        let mut calls = [RegionId(0); CALLS.len()];
        for (at, name) in CALLS.iter().enumerate().skip(1).filter(|(at, _)| called >> at & 1 == 1) {
            calls[at] = RegionId(names.len() as u32);
            names.push(name);
        }
        Regions { calls, names }
    }

    pub(crate) fn of_call(&self, call: Call) -> RegionId {
        self.calls[usize::from(call.0)]
    }

    pub(crate) fn of_own(own: Own) -> RegionId {
        RegionId(1 + u32::from(own.0))
    }
}

/// Everything but the records. A location has the number of its rank.
pub(crate) fn definitions(
    program: &dyn Program,
    nodes: &Nodes<'_>,
    regions: &Regions,
    comms: &[Members],
) -> Definitions {
    let ranks = program.info().ranks;
    let node = |name: String, class: &str, parent| SystemNode { name: name.into(), class: class.into(), parent };
    let root = SystemNodeId(0);
    let mut system_tree = vec![node("simulated machine".to_owned(), "machine", None)];
    // Of a large machine, only the nodes that ranks are on.
    let mut in_tree = vec![None; nodes.count() as usize];
    for rank in 0..ranks {
        in_tree[nodes.of(rank) as usize] = Some(root);
    }
    for (at, place) in (0..).zip(&mut in_tree).filter(|(_, place)| place.is_some()) {
        *place = Some(SystemNodeId(system_tree.len() as u32));
        system_tree.push(node(nodes.name(at), "node", Some(root)));
    }
    let first_rank = system_tree.len() as u32;
    system_tree.extend(
        (0..ranks).map(|rank| node(format!("MPI Rank {rank}"), SystemNode::PROCESS, in_tree[nodes.of(rank) as usize])),
    );
    let locations = (0..ranks).map(|rank| Location {
        file_id: u64::from(rank),
        name: "Master thread".into(),
        kind: LocationKind::CpuThread,
        parent: Some(SystemNodeId(first_rank + rank)),
        rank: Rank(rank),
    });
    let communicators = comms.iter().enumerate().map(|(at, comm)| {
        let members = (0..comm.len()).map(|position| LocationId(comm.rank(position))).collect();
        Communicator { parent: (at > 0).then_some(CommId(0)), ..Communicator::of(comm.name.clone(), members) }
    });
    // The name tells the role of an MPI function, but not of this one.
    let role = |name: &str| if name.starts_with("MPI_Comm_") { Role::Collective } else { Role::Function };
    Definitions {
        creator: concat!("Heddle ", env!("CARGO_PKG_VERSION")).to_owned(),
        system_tree,
        locations: locations.collect(),
        regions: regions.names.iter().map(|name| Region::named(*name, Paradigm::User, role(name))).collect(),
        communicators: communicators.collect(),
        world: (0..ranks).map(LocationId).collect(),
        ..Definitions::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_the_names_of_their_kinds() {
        for (call, name) in [
            (Call::FINALIZE, "MPI_Finalize"),
            (Call::WAITALL, "MPI_Waitall"),
            (Call::blocking(CollectiveKind::Barrier), "MPI_Barrier"),
            (Call::blocking(CollectiveKind::Alltoall), "MPI_Alltoall"),
            (Call::blocking(CollectiveKind::CommCreate), "MPI_Comm_split"),
            (Call::non_blocking(CollectiveKind::Barrier), "MPI_Ibarrier"),
            (Call::non_blocking(CollectiveKind::Allreduce), "MPI_Iallreduce"),
            (Call::non_blocking(CollectiveKind::CommCreate), "MPI_Comm_idup"),
        ] {
            assert_eq!(call.name(), name);
        }
    }
}
