//! Where things happened: the system tree and the order and names of locations.

use heddle_model::{Definitions, Location, LocationId, LocationKind, Rank, SystemNode, SystemNodeId};
use rustc_hash::FxHashMap;

use super::category::Class;
use super::reading::Reading;
use super::rows::{Id, TrackKey};

/// A track with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// Number of the track.
    pub(super) track: u32,
    /// Location of its first row; further rows follow it.
    pub(super) location: LocationId,
}

/// Gives locations to all tracks that have rows, and fills system tree, locations and world.
pub(super) fn place(trace: &Reading, rows: &[usize], world: u32, definitions: &mut Definitions) -> Vec<Placed> {
    let mut order: Vec<u32> = (0..rows.len() as u32).filter(|track| rows[*track as usize] > 0).collect();
    let mut threads: FxHashMap<(u32, Id, Id, bool), u32> = FxHashMap::default();
    let mut processes: FxHashMap<(u32, Id), u32> = FxHashMap::default();
    for track in &order {
        let key = &trace.tables.tracks[*track as usize];
        threads.entry((key.file, key.pid, key.tid, key.class.is_device())).or_insert(*track);
        processes.entry((key.file, key.pid)).or_insert(*track);
    }
    // By rank, then processes and threads by first use, the main thread first; streams behind them.
    order.sort_by_key(|track| {
        let key = &trace.tables.tracks[*track as usize];
        let file = &trace.files[key.file as usize];
        let device = key.class.is_device();
        let is_main = trace.stated.is_empty() && key.pid == key.tid && !device;
        let process = if file.is_kineto { 0 } else { processes[&(key.file, key.pid)] };
        (
            (file.rank, key.file, process, matches!(key.class, Class::Overhead), device),
            (matches!(key.class, Class::Async(_) | Class::Counters), !is_main),
            (threads[&(key.file, key.pid, key.tid, device)], key.class, *track),
        )
    });
    definitions.system_tree.push(SystemNode { name: "machine".into(), class: "machine".into(), parent: None });
    let mut tree = Tree { trace, nodes: FxHashMap::default() };
    let mut placed = Vec::new();
    for track in order {
        let key = trace.tables.tracks[track as usize];
        let parent = tree.node(&key, definitions);
        let location = LocationId(definitions.locations.len() as u32);
        placed.push(Placed { track, location });
        let (name, kind) = title(trace, &key);
        let kind = trace.stated.locations.get(&track).copied().unwrap_or(kind);
        for row in 0..rows[track as usize] {
            definitions.locations.push(Location {
                file_id: definitions.locations.len() as u64,
                name: if row == 0 { name.clone().into() } else { format!("{name} · row {}", row + 1).into() },
                kind,
                parent: Some(parent),
                rank: if world > 0 { rank(trace, &key) } else { Rank::NONE },
            });
        }
    }
    if world > 0 {
        definitions.world = vec![LocationId::NONE; world as usize];
        for (at, location) in definitions.locations.iter().enumerate() {
            if let Some(main) = definitions.world.get_mut(location.rank.index())
                && !main.is_some()
            {
                *main = LocationId(at as u32);
            }
        }
        for Placed { track, location } in &placed {
            let key = &trace.tables.tracks[*track as usize];
            let stated = trace.stated.processes.get(&key.pid).filter(|(_, main)| key.tid == Id::Number((*main).into()));
            if let Some(main) = stated.and_then(|(rank, _)| definitions.world.get_mut(*rank as usize))
                && trace.files.len() == 1
            {
                *main = *location;
            }
        }
    }
    placed
}

/// The rank of a track: of its file, or of its process where that is stated.
fn rank(trace: &Reading, key: &TrackKey) -> Rank {
    let of_file = trace.files[key.file as usize].rank;
    let stated = || trace.stated.processes.get(&key.pid).map(|(rank, _)| *rank);
    Rank::from(of_file.or_else(|| if key.file == 0 { stated() } else { None }).map(Rank))
}

/// Builds the system tree as tracks need it.
struct Tree<'t> {
    trace: &'t Reading<'t>,
    nodes: FxHashMap<(u32, Option<Id>, bool), SystemNodeId>,
}

impl Tree<'_> {
    fn node(&mut self, key: &TrackKey, definitions: &mut Definitions) -> SystemNodeId {
        let file = &self.trace.files[key.file as usize];
        let trace = self.trace;
        // A file of PyTorch is one process, whatever numbers its rows have.
        let pid = (!file.is_kineto).then_some(key.pid);
        let process = *self.nodes.entry((key.file, pid, false)).or_insert_with(|| {
            let given = trace.names.get(&(key.file, key.pid, None)).map(|name| trace.tables.text(*name));
            let name = match (file.is_kineto, file.rank) {
                (true, Some(rank)) => format!("rank {rank}"),
                _ => given
                    .filter(|name| !name.is_empty())
                    .unwrap_or_else(|| format!("process {}", id_text(trace, key.pid))),
            };
            push(definitions, name, SystemNode::PROCESS, SystemNodeId(0))
        });
        if !key.class.is_device() {
            return process;
        }
        let device = (key.file, Some(key.pid), true);
        let name = format!("GPU {}", id_text(trace, key.pid));
        *self.nodes.entry(device).or_insert_with(|| push(definitions, name, SystemNode::ACCELERATOR, process))
    }
}

fn id_text(trace: &Reading, id: Id) -> String {
    match id {
        Id::Number(number) => number.to_string(),
        Id::Text(text) => trace.tables.text(text),
    }
}

fn push(definitions: &mut Definitions, name: String, class: &str, parent: SystemNodeId) -> SystemNodeId {
    definitions.system_tree.push(SystemNode { name: name.into(), class: class.into(), parent: Some(parent) });
    SystemNodeId(definitions.system_tree.len() as u32 - 1)
}

/// What a track is called, and what kind of location it is.
fn title(trace: &Reading, key: &TrackKey) -> (String, LocationKind) {
    let given = trace.names.get(&(key.file, key.pid, Some(key.tid))).map(|name| trace.tables.text(*name));
    let given = given.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    let tid = id_text(trace, key.tid);
    let thread = || given.clone().unwrap_or_else(|| format!("thread {tid}"));
    let stream = format!("GPU {} stream {tid}", id_text(trace, key.pid));
    let [annotations, python] = Location::DESCRIBING;
    match key.class {
        Class::Thread => (thread(), LocationKind::CpuThread),
        Class::Annotations => (format!("{}{annotations}", thread()), LocationKind::CpuThread),
        Class::Python => (format!("{}{python}", thread()), LocationKind::CpuThread),
        Class::Stream => (stream, LocationKind::AcceleratorStream),
        Class::StreamAnnotations => (format!("{stream}{annotations}"), LocationKind::AcceleratorStream),
        Class::StreamSyncs => (format!("{stream} · waits"), LocationKind::AcceleratorStream),
        Class::Async(category) => {
            let category = trace.tables.text(category);
            let name = if category.is_empty() { "asynchronous".to_owned() } else { format!("asynchronous {category}") };
            (name, LocationKind::Unknown)
        }
        Class::Counters => ("counters".to_owned(), LocationKind::Metric),
        Class::Overhead => ("profiler overhead".to_owned(), LocationKind::Unknown),
    }
}
