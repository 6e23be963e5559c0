//! The trace of a factorisation by tasks. Records are made when they are read, from the schedule.

use heddle_model::{
    CommId, Definitions, LocationId, MessageEnd, Ns, Part, RecordBlock, RegionId, RequestId, Source, SourceError,
    TaskId, TaskInfo, Warnings,
};

use super::graph::{Factorisation, Graph, Kernel};
use super::options::TaskOptions;
use super::places::{Places, missing};
use super::schedule::{SUBMIT_NS, Schedule, schedule};
use crate::SimulateError;

/// So many tasks or ends of messages are a part.
const PART: usize = 1 << 16;
/// Bytes of a task on disk, about: how work and memory are planned.
const TASK_BYTES: u64 = 80;

impl Kernel {
    /// As the library calls it that the paper used.
    pub fn name(self, factorisation: Factorisation) -> &'static str {
        match (self, factorisation) {
            (Kernel::Generate, Factorisation::Lu) => "dplrnt",
            (Kernel::Generate, Factorisation::Cholesky) => "dcmg",
            (Kernel::Diagonal, Factorisation::Lu) => "dgetrf",
            (Kernel::Diagonal, Factorisation::Cholesky) => "dpotrf",
            (Kernel::Panel, _) => "dtrsm",
            (Kernel::Symmetric, _) => "dsyrk",
            (Kernel::Update, _) => "dgemm",
        }
    }
}

/// The trace of a factorisation by tasks.
pub struct Tasks {
    options: TaskOptions,
    graph: Graph,
    schedule: Schedule,
    /// Regions by position.
    kernels: Vec<Kernel>,
    places: Places,
    definitions: Definitions,
    /// Numbers of tasks by location, in the order of their starts.
    on_worker: Grouped,
    /// Ends of messages by node, in the order of time: twice the position, and 1 for the receiver's.
    ends: Grouped,
    parts: Vec<Part>,
    warnings: Warnings,
}

impl std::fmt::Debug for Tasks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tasks").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Things in groups, one group after the other.
struct Grouped {
    things: Vec<u32>,
    /// Where each group begins, and where the last ends.
    first: Vec<usize>,
}

impl Grouped {
    /// Puts things into groups and orders each by `key`.
    fn new<K: Ord>(count: u32, groups: usize, group: impl Fn(u32) -> usize, key: impl Fn(u32) -> K) -> Grouped {
        let mut first = vec![0; groups + 1];
        (0..count).for_each(|thing| first[group(thing) + 1] += 1);
        for at in 0..groups {
            first[at + 1] += first[at];
        }
        let (mut things, mut next) = (vec![0; count as usize], first.clone());
        for thing in 0..count {
            let place = &mut next[group(thing)];
            things[*place] = thing;
            *place += 1;
        }
        for of in first.windows(2) {
            things[of[0]..of[1]].sort_by_key(|thing| key(*thing));
        }
        Grouped { things, first }
    }

    fn of(&self, group: usize) -> &[u32] {
        &self.things[self.first[group]..self.first[group + 1]]
    }
}

impl Tasks {
    /// Runs a factorisation.
    pub fn new(options: &TaskOptions) -> Result<Tasks, SimulateError> {
        options.check()?;
        let generates = options.generation != super::Generation::None;
        let graph = Graph::new(options.factorisation, options.tiles, generates);
        let schedule = schedule(options, &graph)?;
        let places = Places::new(options.nodes.iter().map(|node| [node.cpus, node.gpus]));
        let location = |number: u32| {
            let node = schedule.node(&graph, graph.task(number));
            places.worker(node, schedule.runs[number as usize].worker).index()
        };
        let on_worker =
            Grouped::new(graph.len(), places.len(), location, |number| schedule.runs[number as usize].start);
        let message = |end: u32| &schedule.messages[end as usize / 2];
        let is_arrival = |end: u32| end % 2 == 1;
        let node = |end: u32| if is_arrival(end) { message(end).to } else { message(end).from } as usize;
        let time = |end: u32| if is_arrival(end) { message(end).arrived } else { message(end).sent };
        let ends = Grouped::new(2 * schedule.messages.len() as u32, options.nodes.len(), node, time);
        let used = |kernel: &Kernel| generates || *kernel != Kernel::Generate;
        let kernels: Vec<Kernel> = options.factorisation.kernels().filter(used).collect();
        let regions: Vec<&str> = kernels.iter().map(|kernel| kernel.name(options.factorisation)).collect();
        let definitions = places.definitions(&regions);
        let mut parts = Vec::new();
        for location in (0..places.len() as u32).map(LocationId) {
            let count = match places.network_of(location) {
                Some(node) => ends.of(node as usize).len(),
                None => on_worker.of(location.index()).len(),
            };
            parts.extend((0..count.div_ceil(PART)).map(|index| {
                let bytes = PART.min(count - index * PART) as u64 * TASK_BYTES;
                Part { location, index: index as u32, bytes }
            }));
        }
        let warnings = Warnings::default();
        let options = options.clone();
        Ok(Tasks { options, graph, schedule, kernels, places, definitions, on_worker, ends, parts, warnings })
    }

    #[cfg(test)]
    pub(super) fn inside(&self) -> (&TaskOptions, &Graph, &Schedule) {
        (&self.options, &self.graph, &self.schedule)
    }

    /// The name of a task: its node, and its number in the order of submission.
    fn id(&self, number: u32) -> TaskId {
        TaskId::new(self.schedule.node(&self.graph, self.graph.task(number)), number.into())
    }

    /// Writes the run of a task; tells when it ended.
    fn write_task(&self, number: u32, out: &mut RecordBlock) -> Ns {
        let task = self.graph.task(number);
        let run = &self.schedule.runs[number as usize];
        let kernel = self.graph.kernel(task);
        let region = RegionId(self.kernels.iter().take_while(|other| **other != kernel).count() as u32);
        out.enter(Ns(run.start), region);
        let info = TaskInfo {
            id: self.id(number),
            submitted: Ns(i64::from(number) * SUBMIT_NS),
            ready: Ns(run.ready),
            iteration: task.step.unwrap_or(TaskInfo::UNKNOWN),
            tile: [task.row, task.column],
        };
        out.task(Ns(run.start), info);
        for dependency in self.graph.dependencies(task) {
            out.depends_on(Ns(run.start), self.id(self.graph.number(dependency)));
        }
        out.leave(Ns(run.end), Some(region));
        Ns(run.end)
    }

    /// Writes an end of a message; tells when that was.
    fn write_end(&self, end: u32, out: &mut RecordBlock) -> Ns {
        let message = &self.schedule.messages[end as usize / 2];
        let task = self.graph.task(message.task);
        let peer = if end % 2 == 1 { message.from } else { message.to };
        let at = MessageEnd {
            peer: self.places.network(peer),
            comm: CommId(0),
            // A tile goes from one node to another once.
            tag: task.row * self.graph.tiles() + task.column,
            bytes: self.options.tile_bytes(),
            request: RequestId::NONE,
        };
        if end % 2 == 1 {
            out.recv(Ns(message.arrived), at);
            return Ns(message.arrived);
        }
        out.send(Ns(message.sent), at);
        Ns(message.sent)
    }
}

impl Source for Tasks {
    fn format(&self) -> &'static str {
        "simulated"
    }

    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn read(&self, part: &Part, out: &mut RecordBlock) -> Result<(), SourceError> {
        let location = part.location;
        if location.index() >= self.places.len() {
            return Err(missing(part));
        }
        let network = self.places.network_of(location);
        let all = network.map_or_else(|| self.on_worker.of(location.index()), |node| self.ends.of(node as usize));
        let things = all.chunks(PART).nth(part.index as usize).ok_or_else(|| missing(part))?;
        let before = out.len();
        for thing in things {
            let time = if network.is_some() { self.write_end(*thing, out) } else { self.write_task(*thing, out) };
            out.last = out.last.max(Some(time));
        }
        out.events += (out.len() - before) as u64;
        Ok(())
    }

    fn warnings(&self) -> &Warnings {
        &self.warnings
    }
}
