//! Communicators: which process is which rank of each.
//!
//! Records name a process by its rank in a communicator. The records of kind [`COMMUNICATOR`](super::record::COMMUNICATOR)
//! say who that is in the world. In a merged file numbers of communicators hold for all processes; in the working file
//! of one process they are its own, and files are brought together by the communicators' unique ids.

use std::collections::BTreeMap;
use std::sync::Arc;

use heddle_model::{CommId, Communicator, LocationId};
use rustc_hash::FxHashMap;

use super::preamble::Preamble;
use super::record::Line;
use super::scan::{CommEvent, Scan};

/// What the numbers of one file stand for.
#[derive(Debug, Default)]
pub(super) struct FileComms {
    /// Communicators.
    pub(super) ids: FxHashMap<i32, CommId>,
    /// Communicator and rank in it, to rank in the world.
    pub(super) ranks: FxHashMap<(i32, i32), u32>,
    /// The intercommunicator between two groups.
    pub(super) between: FxHashMap<(i32, i32), CommId>,
}

/// The world is the first communicator of every trace.
pub(super) const WORLD: CommId = CommId(0);
/// Each process' own is the second.
pub(super) const OWN: CommId = CommId(1);

/// Members of communicators that are not in the trace, all communicators together.
const MOST_GAPS: u32 = 1 << 20;

#[derive(Debug, Default)]
struct Group {
    /// Number in the file.
    number: i32,
    /// Rank in the world by rank in the group.
    members: BTreeMap<u32, u32>,
    /// The two groups of an intercommunicator.
    sides: Option<(CommId, CommId)>,
    parent: Option<CommId>,
}

/// All communicators of a trace.
#[derive(Debug)]
pub(super) struct Comms {
    groups: Vec<Group>,
    by_unique: FxHashMap<[u8; 32], CommId>,
    by_sides: FxHashMap<(CommId, CommId), CommId>,
    /// Size of the world.
    world: u32,
    /// Ranks that lie outside the world.
    pub(super) outside: u64,
}

impl Comms {
    /// None but the world and the processes' own.
    pub(super) fn new(world: u32) -> Comms {
        Comms {
            groups: vec![Group::default(), Group::default()],
            by_unique: FxHashMap::default(),
            by_sides: FxHashMap::default(),
            world,
            outside: 0,
        }
    }

    /// The rank in the world of a rank in a communicator of a file.
    #[inline]
    pub(super) fn world_rank(&self, file: &FileComms, comm: i32, rank: i32) -> Option<u32> {
        if let Some(world) = file.ranks.get(&(comm, rank)) {
            return Some(*world);
        }
        let (id, rank) = (*file.ids.get(&comm)?, u32::try_from(rank).ok()?);
        if id == WORLD {
            // Everybody knows the world, also the file of one process.
            return Some(rank).filter(|rank| *rank < self.world);
        }
        // In the file of one process the others' ranks are not known, but perhaps their files are here too.
        self.groups.get(id.index())?.members.get(&rank).copied()
    }

    fn add(&mut self, group: Group) -> CommId {
        self.groups.push(group);
        CommId(self.groups.len() as u32 - 1)
    }

    /// The communicators of one more file.
    pub(super) fn add_file(&mut self, preamble: &Preamble, scan: &Scan) -> FileComms {
        let mut file = FileComms::default();
        if preamble.layout.old {
            file.ids.insert(0, WORLD);
            return file;
        }
        if !scan.comm_events.iter().any(|event| event.kind == 0) {
            // The beginning is lost; the world has this number in every log that we have seen.
            file.ids.insert(0, WORLD);
        }
        // An intercommunicator is followed by its two groups, on the same line.
        let mut inter: FxHashMap<Line, (i32, Option<CommId>)> = FxHashMap::default();
        for event in &scan.comm_events {
            match event.kind {
                0 | 1 => {
                    file.ids.insert(event.comm, if event.kind == 0 { WORLD } else { OWN });
                    self.note_rank(&mut file, event, None);
                }
                100 | 101 => {
                    let comm = self.group(&mut file, event, preamble.finalised);
                    self.note_rank(&mut file, event, Some(comm));
                    if let Some((_, local)) = inter.get_mut(&event.line).filter(|_| event.kind == 101) {
                        *local = Some(comm);
                    }
                }
                1000 => {
                    self.note_rank(&mut file, event, None);
                    inter.insert(event.line, (event.comm, None));
                }
                102 => {
                    let remote = self.group(&mut file, event, preamble.finalised);
                    if let Some((number, Some(local))) = inter.remove(&event.line) {
                        let comm = self.between(local, remote, number);
                        file.ids.insert(number, comm);
                    }
                }
                _ => {}
            }
        }
        let mut pairs: Vec<(i32, i32)> = scan.pairs.iter().copied().collect();
        pairs.sort_unstable();
        for (one, other) in pairs {
            if let (Some(a), Some(b)) = (file.ids.get(&one).copied(), file.ids.get(&other).copied()) {
                let comm = self.between(a, b, one);
                file.between.insert((one, other), comm);
            }
        }
        file
    }

    /// The intercommunicator of two groups; both sides mean the same one, whatever its numbers.
    fn between(&mut self, one: CommId, other: CommId, number: i32) -> CommId {
        let sides = (one.min(other), one.max(other));
        if let Some(known) = self.by_sides.get(&sides) {
            return *known;
        }
        let comm = self.add(Group { number, sides: Some(sides), ..Group::default() });
        self.by_sides.insert(sides, comm);
        comm
    }

    fn group(&mut self, file: &mut FileComms, event: &CommEvent, finalised: bool) -> CommId {
        if let Some(known) = file.ids.get(&event.comm) {
            return *known;
        }
        let shared = self.by_unique.get(&event.unique).filter(|_| !finalised).copied();
        let comm = shared.unwrap_or_else(|| {
            let parent = file.ids.get(&event.line.0).copied();
            self.add(Group { number: event.comm, parent, ..Group::default() })
        });
        if event.unique != [0; 32] {
            self.by_unique.insert(event.unique, comm);
        }
        file.ids.insert(event.comm, comm);
        comm
    }

    fn note_rank(&mut self, file: &mut FileComms, event: &CommEvent, group: Option<CommId>) {
        let (Ok(rank), Ok(world)) = (u32::try_from(event.rank), u32::try_from(event.world)) else { return };
        if rank >= self.world || world >= self.world {
            self.outside += 1;
            return;
        }
        file.ranks.insert((event.comm, event.rank), world);
        if let Some(group) = group.and_then(|group| self.groups.get_mut(group.index())) {
            group.members.insert(rank, world);
        }
    }

    /// As the model has them. `main` is the location of every rank of the world.
    pub(super) fn define(&self, main: &Arc<[LocationId]>) -> Vec<Communicator> {
        let none: Arc<[LocationId]> = Arc::new([]);
        // Gaps cost memory that only a claim stands behind, so there is an end to them.
        let mut gaps_left = MOST_GAPS;
        let members: Vec<Arc<[LocationId]>> = self
            .groups
            .iter()
            .enumerate()
            .map(|(at, group)| match CommId(at as u32) {
                WORLD => main.clone(),
                OWN => none.clone(),
                _ => {
                    // Members that are not in the trace leave a gap, so that ranks stay what they are.
                    let location = |world: &u32| LocationId::from(main.get(*world as usize).copied());
                    let size = group.members.last_key_value().map_or(0, |(rank, _)| rank + 1);
                    let gaps = size - group.members.len() as u32;
                    if gaps > gaps_left {
                        return group.members.values().map(location).collect();
                    }
                    gaps_left -= gaps;
                    (0..size).map(|rank| group.members.get(&rank).map_or(LocationId::NONE, location)).collect()
                }
            })
            .collect();
        let of = |comm: CommId| members.get(comm.index()).cloned().unwrap_or_else(|| none.clone());
        let communicator = |at: usize, group: &Group| {
            let comm = CommId(at as u32);
            let name = match comm {
                WORLD => "MPI_COMM_WORLD".to_owned(),
                OWN => "MPI_COMM_SELF".to_owned(),
                _ => format!("communicator {}", group.number),
            };
            Communicator {
                name,
                members: of(group.sides.map_or(comm, |(one, _)| one)),
                remote: group.sides.map(|(_, other)| of(other)),
                parent: group.parent,
                is_self: comm == OWN,
            }
        };
        self.groups.iter().enumerate().map(|(at, group)| communicator(at, group)).collect()
    }
}
