//! What counts as work, and its runs: from where to when, on which worker of which node.

mod calls;
mod tasks;

use heddle_model::{LocationId, RegionId, TaskId, TaskInfo};
use heddle_store::Store;
use rustc_hash::FxHashSet;

pub use calls::CallRuns;
pub use tasks::TaskRuns;

use crate::{ProgressError, ProgressOptions};

/// What counts as work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkKind {
    /// Tasks.
    Tasks,
    /// Iterations of a node: one is done when its last task is.
    Iterations,
    /// Steps of logical time.
    Steps,
    /// Calls of the functions of this name.
    Calls(String),
}

impl WorkKind {
    /// What counts in a trace by these options: by default its tasks, and without any its steps.
    pub fn of(store: &Store, options: &ProgressOptions) -> Result<WorkKind, ProgressError> {
        match options.work.as_deref() {
            None if !store.tasks.is_empty() => Ok(WorkKind::Tasks),
            None if communicates(store) => Ok(WorkKind::Steps),
            None => Err(ProgressError::NoWork),
            Some("tasks") if store.tasks.is_empty() => Err(ProgressError::NoTasks),
            Some("tasks") => Ok(WorkKind::Tasks),
            Some("iterations") if !has_iterations(store) => Err(ProgressError::NoIterations),
            Some("iterations") => Ok(WorkKind::Iterations),
            Some("steps") if !communicates(store) => Err(ProgressError::NoSteps),
            Some("steps") => Ok(WorkKind::Steps),
            Some(name) => calls::regions(store, name).map(|_| WorkKind::Calls(name.to_owned())),
        }
    }

    /// What it is called: `tasks`, `calls of dgemm`.
    pub fn name(&self) -> String {
        match self {
            WorkKind::Tasks => "tasks".to_owned(),
            WorkKind::Iterations => "iterations".to_owned(),
            WorkKind::Steps => "logical steps".to_owned(),
            WorkKind::Calls(name) => format!("calls of {name}"),
        }
    }
}

fn communicates(store: &Store) -> bool {
    !store.messages.is_empty() || !store.collective_members.is_empty() || !store.unmatched.is_empty()
}

fn has_iterations(store: &Store) -> bool {
    store.tasks.iteration.iter(0..store.tasks.len()).any(|iteration| iteration != TaskInfo::UNKNOWN)
}

/// A run of a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its type, as a position among the crew's types.
    pub of: u32,
    /// When it began, in nanoseconds.
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// The task that it is a run of; or none, and it is a piece of work of its own.
    pub id: TaskId,
    /// The iteration that it belongs to, or [`TaskInfo::UNKNOWN`].
    pub iteration: u32,
}

/// Someone who works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worker {
    /// The location.
    pub location: LocationId,
    /// A position among the nodes.
    pub node: u32,
    /// A position among the kinds.
    pub kind: u32,
}

/// Who works where, and on what.
#[derive(Clone, Debug, Default)]
pub struct Crew {
    /// Types of work, ascending; none where work is not calls of a function.
    pub types: Vec<RegionId>,
    /// Kinds of workers, in the order of names.
    pub kinds: Vec<String>,
    /// Numbers of nodes, ascending: ranks of the world, or 0.
    pub nodes: Vec<u32>,
    /// By node, then location.
    pub workers: Vec<Worker>,
}

impl Crew {
    /// A crew of locations, each with the number of its node and its kind.
    pub fn new(types: Vec<RegionId>, workers: Vec<(LocationId, u32, String)>) -> Crew {
        let mut nodes: Vec<u32> = workers.iter().map(|(_, node, _)| *node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut kinds: Vec<String> = workers.iter().map(|(_, _, kind)| kind.clone()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let place = |(location, node, kind): (LocationId, u32, String)| Worker {
            location,
            node: nodes.partition_point(|other| *other < node) as u32,
            kind: kinds.partition_point(|other| *other < kind) as u32,
        };
        let mut workers: Vec<Worker> = workers.into_iter().map(place).collect();
        workers.sort_unstable_by_key(|worker| (worker.node, worker.location));
        Crew { types, kinds, nodes, workers }
    }

    /// The workers of each node.
    pub fn by_node(&self) -> Vec<&[Worker]> {
        self.workers.chunk_by(|a, b| a.node == b.node).collect()
    }
}

/// The number of the node of a location: its rank in the world.
pub fn node_of(store: &Store, location: LocationId) -> Option<u32> {
    store.locations.rank.get(u64::from(location.0)).some().map(|rank| rank.0)
}

/// Where runs come from. Each worker's are visited on their own, several workers' at once, and more than once.
pub trait Runs: Sync {
    /// Who works where, and on what.
    fn crew(&self) -> &Crew;

    /// Visits the runs of a worker.
    fn visit(&self, worker: &Worker, visit: impl FnMut(Run));

    /// The tasks that ran more than once on these workers: those are done when their last run is.
    fn repeated(&self, _workers: &[Worker]) -> FxHashSet<TaskId> {
        FxHashSet::default()
    }
}
