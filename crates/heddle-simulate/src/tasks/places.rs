//! The locations of programs of tasks: on every node one for its messages, then its cores, then its GPUs.

use heddle_model::{
    Communicator, Definitions, Location, LocationId, LocationKind, Paradigm, Part, Rank, Region, Role, SourceError,
    SystemNode, SystemNodeId, Worker,
};

use super::options::KINDS;

/// Where things are.
#[derive(Debug)]
pub(crate) struct Places {
    /// By node: cores and GPUs.
    workers: Vec<[u32; KINDS.len()]>,
    /// By node: its first location; and one beyond the last.
    first: Vec<u32>,
}

impl Places {
    /// Nodes with so many cores and GPUs.
    pub(crate) fn new(workers: impl Iterator<Item = [u32; KINDS.len()]>) -> Places {
        let workers: Vec<[u32; KINDS.len()]> = workers.collect();
        let mut first = vec![0];
        first.extend(workers.iter().scan(0, |end, of| {
            *end += 1 + of.iter().sum::<u32>();
            Some(*end)
        }));
        Places { workers, first }
    }

    /// How many locations there are.
    pub(crate) fn len(&self) -> usize {
        self.first[self.workers.len()] as usize
    }

    /// Where a node's messages are.
    pub(crate) fn network(&self, node: u32) -> LocationId {
        LocationId(self.first[node as usize])
    }

    /// Where a worker is.
    pub(crate) fn worker(&self, node: u32, worker: u32) -> LocationId {
        LocationId(self.first[node as usize] + 1 + worker)
    }

    /// The node of a location.
    pub(crate) fn node(&self, location: LocationId) -> u32 {
        self.first.partition_point(|first| *first <= location.0) as u32 - 1
    }

    /// The node whose messages are at a location; `None` if it is a worker.
    pub(crate) fn network_of(&self, location: LocationId) -> Option<u32> {
        Some(self.node(location)).filter(|node| self.network(*node) == location)
    }

    /// The kind of a worker, and its number in it.
    pub(crate) fn kind(&self, location: LocationId) -> Option<(usize, u32)> {
        let node = self.node(location);
        let worker = (location.0 - self.first[node as usize]).checked_sub(1)?;
        let cpus = self.workers[node as usize][0];
        Some(if worker < cpus { (0, worker) } else { (1, worker - cpus) })
    }

    /// Everything but the records. Regions are the types of tasks.
    pub(crate) fn definitions(&self, types: &[&str]) -> Definitions {
        let nodes = self.workers.len() as u32;
        let root = SystemNodeId(0);
        let system = |name: String, class: &str, parent| SystemNode { name: name.into(), class: class.into(), parent };
        let mut system_tree = vec![system("simulated machine".to_owned(), "machine", None)];
        system_tree.extend((0..nodes).map(|node| system(format!("node {node}"), "node", Some(root))));
        let processes = (0..nodes)
            .map(|node| system(format!("MPI Rank {node}"), SystemNode::PROCESS, Some(SystemNodeId(1 + node))));
        system_tree.extend(processes);
        let mut locations = Vec::with_capacity(self.len());
        let mut workers = Vec::with_capacity(self.len() - nodes as usize);
        for location in (0..self.len() as u32).map(LocationId) {
            let node = self.node(location);
            let kind = self.kind(location);
            locations.push(Location {
                file_id: location.0.into(),
                name: kind.map_or_else(|| "network".to_owned(), |(kind, at)| format!("{}{at}", KINDS[kind])).into(),
                kind: match kind {
                    Some((1, _)) => LocationKind::AcceleratorStream,
                    _ => LocationKind::CpuThread,
                },
                parent: Some(SystemNodeId(1 + nodes + node)),
                rank: Rank(node),
            });
            workers.extend(kind.map(|(kind, _)| Worker { location, kind: KINDS[kind].to_owned() }));
        }
        let world: Vec<LocationId> = (0..nodes).map(|node| self.network(node)).collect();
        Definitions {
            creator: concat!("Heddle ", env!("CARGO_PKG_VERSION")).to_owned(),
            system_tree,
            locations,
            regions: types.iter().map(|name| Region::named(*name, Paradigm::Task, Role::Function)).collect(),
            communicators: vec![Communicator::of("MPI_COMM_WORLD", world.clone().into())],
            world,
            workers,
            ..Definitions::default()
        }
    }
}

/// The error for a part that is none.
pub(crate) fn missing(part: &Part) -> SourceError {
    let place = format!("part {} of location {}", part.index, part.location.0);
    SourceError { place, cause: std::io::ErrorKind::NotFound.into() }
}
