//! What a simulated program defines: machine, nodes, processes, regions and the world.

use std::sync::Arc;

use heddle_model::{
    CommId, Communicator, Definitions, Location, LocationId, LocationKind, Paradigm, Rank, Region, RegionId, Role,
    SystemNode, SystemNodeId,
};

use crate::HaloOptions;

pub(crate) const WORLD: CommId = CommId(0);

pub(crate) const MAIN: RegionId = RegionId(0);
pub(crate) const ITERATE: RegionId = RegionId(1);
pub(crate) const COMPUTE: RegionId = RegionId(2);
pub(crate) const INIT: RegionId = RegionId(3);
pub(crate) const IRECV: RegionId = RegionId(4);
pub(crate) const ISEND: RegionId = RegionId(5);
pub(crate) const WAITALL: RegionId = RegionId(6);
pub(crate) const ALLREDUCE: RegionId = RegionId(7);
pub(crate) const FINALIZE: RegionId = RegionId(8);

/// By id.
const REGIONS: [&str; 9] = [
    "main",
    "iterate",
    "compute",
    "MPI_Init",
    "MPI_Irecv",
    "MPI_Isend",
    "MPI_Waitall",
    "MPI_Allreduce",
    "MPI_Finalize",
];

/// Everything but the records. A location has the number of its rank.
pub(crate) fn definitions(options: &HaloOptions) -> Definitions {
    let node = |name: String, class: &str, parent| SystemNode { name, class: class.to_owned(), parent };
    let nodes = options.ranks.div_ceil(options.ranks_per_node);
    let machine = SystemNodeId(0);
    let mut system_tree = vec![node("simulated machine".to_owned(), "machine", None)];
    system_tree.extend((0..nodes).map(|at| node(format!("node {at}"), "node", Some(machine))));
    system_tree.extend((0..options.ranks).map(|rank| {
        let parent = SystemNodeId(1 + rank / options.ranks_per_node);
        node(format!("MPI Rank {rank}"), SystemNode::PROCESS, Some(parent))
    }));
    let locations = (0..options.ranks).map(|rank| Location {
        file_id: u64::from(rank),
        name: "Master thread".to_owned(),
        kind: LocationKind::CpuThread,
        parent: Some(SystemNodeId(1 + nodes + rank)),
        rank: Rank(rank),
    });
    let world: Arc<[LocationId]> = (0..options.ranks).map(LocationId).collect();
    Definitions {
        creator: concat!("Heddle ", env!("CARGO_PKG_VERSION")).to_owned(),
        system_tree,
        locations: locations.collect(),
        regions: REGIONS.map(|name| Region::named(name, Paradigm::User, Role::Function)).to_vec(),
        communicators: vec![Communicator {
            name: "MPI_COMM_WORLD".to_owned(),
            members: Arc::clone(&world),
            remote: None,
            parent: None,
            is_self: false,
        }],
        world: world.to_vec(),
        ..Definitions::default()
    }
}
