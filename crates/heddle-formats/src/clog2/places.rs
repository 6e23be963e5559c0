//! Who took part: processes and their threads, on their machines.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use heddle_model::{Location, LocationId, LocationKind, Rank, SystemNode, SystemNodeId, WarningKind, Warnings};
use rustc_hash::FxHashMap;

use super::comms::{Comms, FileComms};
use super::preamble::Preamble;
use super::record::Line;
use super::scan::Scan;

/// A world of this size is believed without seeing its members.
const BELIEVABLE_WORLD: usize = 1 << 16;

/// Lines whose process is not known get rows of their own, up to this many; the others share one.
const MOST_STRAY: usize = 1 << 10;

/// Size of the world that the files say or show.
pub(super) fn world_size(files: &[(&Preamble, &Scan)], place: &str, warnings: &mut Warnings) -> u32 {
    let lines: usize = files.iter().map(|(_, scan)| scan.lines.len() + scan.comm_events.len()).sum();
    let most = BELIEVABLE_WORLD.max(lines) as u32;
    let mut size = 0;
    for (preamble, scan) in files {
        match preamble.world {
            Some(claimed) if claimed > most => {
                let text = "the size of the world cannot be right; the ranks that appear were used instead";
                warnings.add(WarningKind::Corrupt, || format!("{place} byte 0"), text);
            }
            claimed => size = size.max(claimed.unwrap_or(0)),
        }
        let has_world = scan.comm_events.iter().any(|event| event.kind == 0) && !preamble.layout.old;
        let in_world = scan.comm_events.iter().filter(|_| has_world).map(|event| event.world);
        // Without the records that introduce the world, its number is 0, as it is in every log that we have seen.
        let on_lines = scan.lines.iter().filter(|line| !has_world && line.0 == 0).map(|line| line.1);
        let partner = Some(scan.highest_partner).filter(|_| preamble.layout.old);
        let ranks = in_world.chain(on_lines).chain(partner).filter_map(|rank| u32::try_from(rank).ok());
        size = size.max(ranks.filter(|rank| *rank < most).max().map_or(0, |rank| rank + 1));
    }
    size
}

/// All locations.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) system_tree: Vec<SystemNode>,
    pub(super) locations: Vec<Location>,
    /// The main thread of every rank.
    pub(super) main: Arc<[LocationId]>,
    /// For each file, which location a line is.
    pub(super) lines: Vec<FxHashMap<Line, LocationId>>,
}

impl Places {
    /// A location for every thread that was seen and every rank there is.
    pub(super) fn of(files: &[(&Preamble, &Scan)], all: &Comms, comms: &[FileComms], world: u32) -> Places {
        let mut threads: BTreeSet<(u32, u32)> = (0..world).map(|rank| (rank, 0)).collect();
        // Lines whose process nothing tells: by file, then line.
        let mut stray: BTreeSet<(usize, Line)> = BTreeSet::new();
        let known = |file: usize, line: Line| {
            let rank = all.world_rank(comms.get(file)?, line.0, line.1)?;
            Some((rank, u32::try_from(line.2).ok()?))
        };
        for (file, (_, scan)) in files.iter().enumerate() {
            for line in &scan.lines {
                match known(file, *line) {
                    Some(thread) => _ = threads.insert(thread),
                    None => _ = stray.insert((file, *line)),
                }
            }
        }
        let mut places = Places::default();
        let processes = places.add_processes(files, world);
        let ids: BTreeMap<(u32, u32), LocationId> = threads.iter().copied().zip((0..).map(LocationId)).collect();
        let said = files.iter().map(|(preamble, _)| preamble.threads).max().unwrap_or(1);
        let stride = u64::from(threads.iter().map(|(_, thread)| thread + 1).max().unwrap_or(1).max(said));
        for (rank, thread) in &threads {
            places.locations.push(Location {
                file_id: u64::from(*rank) * stride + u64::from(*thread),
                name: if stride == 1 {
                    format!("rank {rank}").into()
                } else {
                    format!("rank {rank} thread {thread}").into()
                },
                kind: LocationKind::CpuThread,
                parent: processes.get(*rank as usize).copied(),
                rank: Rank(*rank),
            });
        }
        places.main = (0..world).filter_map(|rank| ids.get(&(rank, 0)).copied()).collect();
        let first_stray = places.locations.len();
        for (at, (_, line)) in stray.iter().enumerate().take(MOST_STRAY + 1) {
            let name = if at == MOST_STRAY {
                "other unknown processes".to_owned()
            } else {
                format!("communicator {} rank {} thread {}", line.0, line.1, line.2)
            };
            places.locations.push(Location {
                file_id: u64::from(world) * stride + at as u64,
                name: name.into(),
                kind: LocationKind::Unknown,
                parent: None,
                rank: Rank::NONE,
            });
        }
        let stray: FxHashMap<(usize, Line), usize> = stray.into_iter().zip(0..).collect();
        places.lines = files
            .iter()
            .enumerate()
            .map(|(file, (_, scan))| {
                let id = |line: Line| match known(file, line) {
                    Some(thread) => ids.get(&thread).copied().into(),
                    None => stray
                        .get(&(file, line))
                        .map_or(LocationId::NONE, |at| LocationId((first_stray + (*at).min(MOST_STRAY)) as u32)),
                };
                scan.lines.iter().map(|line| (*line, id(*line))).collect()
            })
            .collect();
        places
    }

    /// Whether nothing tells which process a line of a file is of.
    pub(super) fn is_stray(&self, file: usize, line: Line) -> bool {
        let location = self.lines.get(file).and_then(|lines| lines.get(&line));
        location.and_then(|location| self.locations.get(location.index())).is_none_or(|l| !l.rank.is_some())
    }

    /// Machines and the processes on them. A process' own communicator carries the name of its machine.
    fn add_processes(&mut self, files: &[(&Preamble, &Scan)], world: u32) -> Vec<SystemNodeId> {
        let mut machines: FxHashMap<u32, String> = FxHashMap::default();
        for (_, scan) in files.iter().filter(|(preamble, _)| !preamble.layout.old) {
            for event in scan.comm_events.iter().filter(|event| event.kind == 1) {
                if let Ok(rank) = u32::try_from(event.world) {
                    machines.insert(rank, event.machine());
                }
            }
        }
        let mut nodes: FxHashMap<&str, SystemNodeId> = FxHashMap::default();
        for rank in 0..world {
            let machine = machines.get(&rank).map_or("", String::as_str);
            if !machine.is_empty() && !nodes.contains_key(machine) {
                nodes.insert(machine, SystemNodeId(self.system_tree.len() as u32));
                let class = "node".to_owned();
                self.system_tree.push(SystemNode { name: machine.into(), class: class.into(), parent: None });
            }
        }
        (0..world)
            .map(|rank| {
                self.system_tree.push(SystemNode {
                    name: format!("rank {rank}").into(),
                    class: SystemNode::PROCESS.into(),
                    parent: machines.get(&rank).and_then(|machine| nodes.get(machine.as_str()).copied()),
                });
                SystemNodeId(self.system_tree.len() as u32 - 1)
            })
            .collect()
    }
}
