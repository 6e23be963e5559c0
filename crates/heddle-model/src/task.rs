//! Tasks of task-based programs: what a runtime says about a task besides when and where it ran.
//!
//! The run of a task is an ordinary span on the location of its worker; its type is the span's region. What lies beside it
//! is here.

use crate::{LocationId, Ns, TaskId};

impl TaskId {
    /// Numbers of one process have this many bits, so that a process has some 10^12 tasks and a program 2^24 processes.
    const NUMBER_BITS: u32 = 40;

    /// Numbers that a process gives to its tasks are below this.
    pub const MOST: u64 = (1 << TaskId::NUMBER_BITS) - 1;

    /// The task that a process knows by this number.
    pub fn new(process: u32, number: u64) -> TaskId {
        TaskId(u64::from(process) << TaskId::NUMBER_BITS | number & ((1 << TaskId::NUMBER_BITS) - 1))
    }

    /// The process that it belongs to.
    pub fn process(self) -> u32 {
        (self.0 >> TaskId::NUMBER_BITS) as u32
    }

    /// Its number there.
    pub fn number(self) -> u64 {
        self.0 & ((1 << TaskId::NUMBER_BITS) - 1)
    }
}

/// As runtimes write it: `3_1426`, process and number.
impl std::fmt::Display for TaskId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}_{}", self.process(), self.number())
    }
}

/// What is known of a task besides its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskInfo {
    /// Which task. One that runs on several workers at once has several runs.
    pub id: TaskId,
    /// When it was handed to the runtime, or [`Ns::NONE`].
    pub submitted: Ns,
    /// When all that it waits for was there, or [`Ns::NONE`].
    pub ready: Ns,
    /// The iteration that the program says it belongs to, or [`TaskInfo::UNKNOWN`].
    pub iteration: u32,
    /// Row and column of the tile that it writes, or [`TaskInfo::UNKNOWN`] both.
    pub tile: [u32; 2],
}

impl TaskInfo {
    /// An iteration or a tile that is not known.
    pub const UNKNOWN: u32 = u32::MAX;

    /// A task of which nothing else is known.
    pub fn new(id: TaskId) -> TaskInfo {
        TaskInfo {
            id,
            submitted: Ns::NONE,
            ready: Ns::NONE,
            iteration: TaskInfo::UNKNOWN,
            tile: [TaskInfo::UNKNOWN; 2],
        }
    }
}

/// A location that runs tasks, whether it ever got one or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// Which.
    pub location: LocationId,
    /// The kind of resource that it is: `CPU`, `CUDA` …; empty if that is not known.
    pub kind: String,
}
