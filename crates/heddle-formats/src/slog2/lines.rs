//! Lines become locations and communicators, by the tables that say what they are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use heddle_model::{CommId, Communicator, Location, LocationId, LocationKind, Rank, SystemNode, SystemNodeId};
use rustc_hash::FxHashMap;

use super::tables::LineMap;

/// A world of this size is believed without seeing its members.
const BELIEVABLE_WORLD: usize = 1 << 16;

/// Lines that no table has get rows of their own, up to this many; the others share the last.
const MOST_STRAY: usize = 1 << 10;

/// Whose line it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineOwner {
    pub(super) location: LocationId,
    /// What messages are addressed to: the main thread of its process.
    pub(super) main: LocationId,
    pub(super) comm: CommId,
}

/// All lines; more are added as they are met.
#[derive(Debug, Default)]
pub(super) struct Lines {
    places: FxHashMap<i32, LineOwner>,
    pub(super) locations: Vec<Location>,
    pub(super) system_tree: Vec<SystemNode>,
    pub(super) communicators: Vec<Communicator>,
    pub(super) world: Vec<LocationId>,
    between: FxHashMap<(CommId, CommId), CommId>,
    /// Lines that no table has.
    pub(super) strays: u64,
}

const WORLD: CommId = CommId(0);

impl Lines {
    pub(super) fn of(maps: &[LineMap]) -> Lines {
        let mut lines = Lines::default();
        let mut processes: BTreeMap<i32, (u32, u32)> = BTreeMap::new();
        let column = |map: &LineMap, name: &str| map.columns.iter().position(|column| column == name);
        if let Some((map, rank)) = maps.iter().find_map(|map| Some((map, column(map, "world_rank")?))) {
            let thread = column(map, "thread");
            let most = BELIEVABLE_WORLD.max(map.rows.len()) as u32;
            for (line, values) in &map.rows {
                let number = |at: usize| u32::try_from(values[at]).ok().filter(|number| *number < most);
                if let (Some(rank), Some(thread)) = (number(rank), thread.map_or(Some(0), number)) {
                    processes.insert(*line, (rank, thread));
                }
            }
        } else if let Some(map) = maps.first() {
            // Logs of other sources have the identity map alone: a line is a process.
            let dense = map.rows.iter().map(|(line, _)| *line).collect::<BTreeSet<i32>>();
            if dense.iter().copied().eq(0..dense.len() as i32) {
                processes = dense.into_iter().map(|line| (line, (line as u32, 0))).collect();
            }
        }
        lines.add_processes(&processes);
        lines.add_communicators(maps, &processes);
        lines
    }

    fn add_processes(&mut self, processes: &BTreeMap<i32, (u32, u32)>) {
        let world = processes.values().map(|(rank, _)| rank + 1).max().unwrap_or(0);
        let stride = processes.values().map(|(_, thread)| thread + 1).max().unwrap_or(1);
        let mut threads: BTreeSet<(u32, u32)> = processes.values().copied().collect();
        threads.extend((0..world).map(|rank| (rank, 0)));
        let mut ids = FxHashMap::default();
        for (rank, thread) in threads {
            let location = LocationId(self.locations.len() as u32);
            if thread == 0 {
                let class = SystemNode::PROCESS.to_owned();
                self.system_tree.push(SystemNode {
                    name: format!("rank {rank}").into(),
                    class: class.into(),
                    parent: None,
                });
                self.world.push(location);
            }
            ids.insert((rank, thread), location);
            self.locations.push(Location {
                file_id: u64::from(rank) * u64::from(stride) + u64::from(thread),
                name: if stride == 1 {
                    format!("rank {rank}").into()
                } else {
                    format!("rank {rank} thread {thread}").into()
                },
                kind: LocationKind::CpuThread,
                parent: Some(SystemNodeId(self.system_tree.len() as u32 - 1)),
                rank: Rank(rank),
            });
        }
        for (line, thread) in processes {
            let place = LineOwner { location: ids[thread], main: ids[&(thread.0, 0)], comm: WORLD };
            self.places.insert(*line, place);
        }
        let members: Arc<[LocationId]> = self.world.clone().into();
        self.communicators.push(communicator("MPI_COMM_WORLD".to_owned(), members, None));
    }

    /// Communicators with the members that the table names.
    fn add_communicators(&mut self, maps: &[LineMap], processes: &BTreeMap<i32, (u32, u32)>) {
        let columns = |map: &LineMap| {
            let column = |name: &str| map.columns.iter().position(|column| column == name);
            Some((column("commID")?, column("comm_rank")?))
        };
        let Some((map, (comm, comm_rank))) = maps.iter().find_map(|map| Some((map, columns(map)?))) else { return };
        let mut groups: BTreeMap<i32, BTreeMap<i32, LocationId>> = BTreeMap::new();
        for (line, values) in &map.rows {
            if let Some(place) = self.places.get(line).filter(|_| processes.contains_key(line)) {
                groups.entry(values[comm]).or_default().insert(values[comm_rank], place.main);
            }
        }
        let mut ids = FxHashMap::default();
        for (number, group) in groups {
            let members: Arc<[LocationId]> = group.into_values().collect();
            // Number 0 is the world, of which only those who did something are listed.
            if number == 0 || members[..] == self.world[..] && !ids.values().any(|id| *id == WORLD) {
                ids.insert(number, WORLD);
                continue;
            }
            ids.insert(number, CommId(self.communicators.len() as u32));
            self.communicators.push(communicator(format!("communicator {number}"), members, None));
        }
        for (line, values) in &map.rows {
            if let (Some(place), Some(id)) = (self.places.get_mut(line), ids.get(&values[comm])) {
                place.comm = *id;
            }
        }
    }

    /// What a line is; one that no table has becomes a row of its own.
    pub(super) fn get(&mut self, line: i32) -> LineOwner {
        if let Some(place) = self.places.get(&line) {
            return *place;
        }
        if self.strays < MOST_STRAY as u64 {
            self.locations.push(Location {
                // Behind the ids that ranks have.
                file_id: (1 << 40) + u64::from(line as u32),
                name: format!("line {line}").into(),
                kind: LocationKind::Unknown,
                parent: None,
                rank: Rank::NONE,
            });
        }
        self.strays += 1;
        let location = LocationId(self.locations.len() as u32 - 1);
        let place = LineOwner { location, main: location, comm: WORLD };
        self.places.insert(line, place);
        place
    }

    /// The communicator of a message between two lines.
    pub(super) fn between(&mut self, one: CommId, other: CommId) -> CommId {
        if one == other {
            return one;
        }
        let sides = (one.min(other), one.max(other));
        if let Some(known) = self.between.get(&sides) {
            return *known;
        }
        let group = |comm: CommId| self.communicators.get(comm.index()).map(|comm| comm.members.clone());
        let (members, remote) = (group(sides.0).unwrap_or_else(|| Arc::new([])), group(sides.1));
        let comm = CommId(self.communicators.len() as u32);
        self.communicators.push(communicator(String::new(), members, remote));
        self.between.insert(sides, comm);
        comm
    }
}

fn communicator(name: String, members: Arc<[LocationId]>, remote: Option<Arc<[LocationId]>>) -> Communicator {
    Communicator { name, members, remote, parent: None, is_self: false }
}
