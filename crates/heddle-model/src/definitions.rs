//! What a trace defines before anything happens: places, regions, communicators, counters.

use std::sync::Arc;

use crate::{CommId, LocationId, Name, Ns, Rank, Region, SystemNodeId, Worker};

/// Everything a trace defines. Ids are positions in these lists.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    /// Who recorded it ("Score-P 7.1"); empty if not said.
    pub creator: String,
    /// Parents come before their children.
    pub system_tree: Vec<SystemNode>,
    /// In the order of the file.
    pub locations: Vec<Location>,
    /// Merged by name.
    pub regions: Vec<Region>,
    /// All communicators, used or not.
    pub communicators: Vec<Communicator>,
    /// Counters.
    pub metrics: Vec<MetricDefinition>,
    /// The world: position is the rank, value the main location of that rank. Empty without MPI.
    pub world: Vec<LocationId>,
    /// Instants that belong to the whole trace or were kept outside the locations' own records.
    pub marks: Vec<GlobalMark>,
    /// Locations that run tasks, in the order of locations. Empty for programs without tasks.
    pub workers: Vec<Worker>,
}

impl Definitions {
    /// Size of the world; without MPI the number of processes.
    pub fn ranks(&self) -> usize {
        if self.world.is_empty() {
            self.system_tree.iter().filter(|node| node.class == SystemNode::PROCESS).count()
        } else {
            self.world.len()
        }
    }

    /// The location that stands for `location` in message matching: its process' main one.
    ///
    /// A thread's messages are addressed to its process, not to the thread.
    pub fn main_location(&self, location: LocationId) -> LocationId {
        let rank = self.locations.get(location.index()).map_or(Rank::NONE, |l| l.rank);
        self.world.get(rank.index()).copied().unwrap_or(location)
    }
}

/// A place in the machine: rack, node, process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemNode {
    /// Its name.
    pub name: Name,
    /// What it is: `machine`, `node`, [`SystemNode::PROCESS`], [`SystemNode::ACCELERATOR`], or the file's word.
    pub class: Name,
    /// What it is a part of.
    pub parent: Option<SystemNodeId>,
}

impl SystemNode {
    /// Class of an operating system process.
    pub const PROCESS: &'static str = "process";
    /// Class of an accelerator context.
    pub const ACCELERATOR: &'static str = "accelerator";
}

/// What kind of stream a location is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocationKind {
    /// Not said.
    Unknown,
    /// A thread of a process; the main one for plain MPI.
    CpuThread,
    /// A stream of an accelerator.
    AcceleratorStream,
    /// Holds counters only.
    Metric,
}

impl LocationKind {
    /// The word used in tables.
    pub fn name(self) -> &'static str {
        match self {
            LocationKind::Unknown => "unknown",
            LocationKind::CpuThread => "cpu-thread",
            LocationKind::AcceleratorStream => "accelerator-stream",
            LocationKind::Metric => "metric",
        }
    }
}

/// One stream of execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Its id in the file: the name by which it is known outside a store.
    pub file_id: u64,
    /// Its name.
    pub name: Name,
    /// What kind of stream it is.
    pub kind: LocationKind,
    /// The process or accelerator context that it belongs to.
    pub parent: Option<SystemNodeId>,
    /// Rank of its process in the world, or [`Rank::NONE`]. Threads share their process' rank.
    pub rank: Rank,
}

impl Location {
    /// How the names of locations end that only describe what others do (notes on a thread or stream, its interpreter's
    /// frames): their time is the others' time.
    pub const DESCRIBING: [&'static str; 2] = [" · annotations", " · Python"];

    /// Whether a location of this name only describes others. Where such notes overlap they have further rows, numbered
    /// from 2.
    pub fn describes_others(name: &str) -> bool {
        let (first, row) = name.rsplit_once(" · row ").unwrap_or((name, ""));
        let name = if row.bytes().all(|digit| digit.is_ascii_digit()) { first } else { name };
        Location::DESCRIBING.iter().any(|end| name.ends_with(end))
    }
}

/// A group of ranks that communicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Communicator {
    /// Its name, often empty.
    pub name: String,
    /// Rank in the communicator to location. Shared, since many communicators equal the world.
    /// Empty for a self communicator.
    pub members: Arc<[LocationId]>,
    /// The other group of an inter-communicator.
    pub remote: Option<Arc<[LocationId]>>,
    /// What it was made from.
    pub parent: Option<CommId>,
    /// Every member is alone in a communicator of its own.
    pub is_self: bool,
}

impl Communicator {
    /// A communicator of one group, made from nothing.
    pub fn of(name: impl Into<String>, members: Arc<[LocationId]>) -> Communicator {
        Communicator { name: name.into(), members, remote: None, parent: None, is_self: false }
    }

    /// The location of `rank` as `caller` means it: in an inter-communicator ranks count in the other group.
    pub fn resolve(&self, caller: LocationId, rank: u32) -> Option<LocationId> {
        if self.is_self {
            return (rank == 0).then_some(caller);
        }
        let group = match &self.remote {
            Some(remote) if self.members.contains(&caller) => remote,
            _ => &self.members,
        };
        group.get(rank as usize).copied()
    }

    /// How many locations take part in one of its collectives.
    pub fn size(&self) -> usize {
        if self.is_self { 1 } else { self.members.len() + self.remote.as_ref().map_or(0, |remote| remote.len()) }
    }
}

/// How a counter's values are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricMode {
    /// Grows from the start: show its rate.
    Accumulated,
    /// A level at a point in time.
    Absolute,
    /// A difference to the value before.
    Relative,
}

impl MetricMode {
    /// The word used in tables.
    pub fn name(self) -> &'static str {
        match self {
            MetricMode::Accumulated => "accumulated",
            MetricMode::Absolute => "absolute",
            MetricMode::Relative => "relative",
        }
    }
}

/// A counter.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricDefinition {
    /// Its name.
    pub name: String,
    /// Unit of the values in the store; the recorder's scale (10^3, 2^10 …) has been applied.
    pub unit: String,
    /// How to read it.
    pub mode: MetricMode,
}

/// An instant that no location's own records hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalMark {
    /// Where, or [`LocationId::NONE`] for the whole trace.
    pub location: LocationId,
    /// When.
    pub time: Ns,
    /// What kind.
    pub name: String,
    /// What it says.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_told_from_what_they_describe_in_all_their_rows() {
        assert!(Location::describes_others("GPU 2 stream 4 · annotations"));
        assert!(Location::describes_others("GPU 2 stream 4 · annotations · row 2"));
        assert!(Location::describes_others("thread 7 · Python · row 13"));
        assert!(!Location::describes_others("GPU 2 stream 4 · row 2"));
        assert!(!Location::describes_others("GPU 2 stream 4 · annotations · row x"));
    }
}
