//! Tasks by chance: a trace of any size that takes no memory, for measuring what reads tasks.

use heddle_model::{
    Definitions, LocationId, Ns, Part, RecordBlock, RegionId, Source, SourceError, TaskId, TaskInfo, Warnings,
};

use super::places::{Places, missing};
use crate::SimulateError;
use crate::chance::{Draw, bits, uniform};
use crate::programs::checks;

/// Types of tasks, and how long one takes on a core and on a GPU, in nanoseconds.
const TYPES: [(&str, [i64; 2]); 6] = [
    ("dcmg", [90_000, 90_000]),
    ("dpotrf", [40_000, 60_000]),
    ("dtrsm", [60_000, 12_000]),
    ("dsyrk", [80_000, 8_000]),
    ("dgemm", [120_000, 12_000]),
    ("dlacpy", [10_000, 10_000]),
];
/// Bytes of a task on disk, about.
const TASK_BYTES: u64 = 40;
/// A node in this many is slow.
const SLOW: u64 = 16;

/// How many tasks, where.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomTasksOptions {
    /// Nodes.
    pub nodes: u32,
    /// Cores of each.
    pub cpus: u32,
    /// GPUs of each.
    pub gpus: u32,
    /// Tasks of all nodes together, about: every worker has as many as every other.
    pub tasks: u64,
    /// Where chance begins.
    pub seed: u64,
}

impl Default for RandomTasksOptions {
    fn default() -> RandomTasksOptions {
        RandomTasksOptions { nodes: 1_000, cpus: 4, gpus: 2, tasks: 1_000_000, seed: 1 }
    }
}

/// A trace of tasks by chance: workers run one after the other, of types and lengths drawn by a hash, some nodes more
/// slowly than others. No task waits for another, and nothing is sent.
pub struct RandomTasks {
    options: RandomTasksOptions,
    of_worker: u64,
    places: Places,
    definitions: Definitions,
    parts: Vec<Part>,
    warnings: Warnings,
}

impl std::fmt::Debug for RandomTasks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RandomTasks").field("options", &self.options).finish_non_exhaustive()
    }
}

impl RandomTasks {
    /// Refuses options that make no sense.
    pub fn new(options: &RandomTasksOptions) -> Result<RandomTasks, SimulateError> {
        checks::within("nodes", options.nodes.into(), 1, 1 << 20)?;
        checks::within("CPUs", options.cpus.into(), 0, 1 << 10)?;
        checks::within("GPUs", options.gpus.into(), 0, 1 << 10)?;
        let workers = u64::from(options.nodes) * u64::from(options.cpus + options.gpus);
        checks::within("workers", workers, 1, 1 << 24)?;
        checks::within("tasks", options.tasks, workers, workers << 22)?;
        let of_worker = options.tasks / workers;
        let places = Places::new((0..options.nodes).map(|_| [options.cpus, options.gpus]));
        let definitions = places.definitions(&TYPES.map(|(name, _)| name));
        let parts = (definitions.workers.iter())
            .map(|worker| Part { location: worker.location, index: 0, bytes: of_worker * TASK_BYTES })
            .collect();
        let options = options.clone();
        Ok(RandomTasks { options, of_worker, places, definitions, parts, warnings: Warnings::default() })
    }
}

impl Source for RandomTasks {
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
        let LocationId(location) = part.location;
        let known = (location as usize) < self.places.len() && part.index == 0;
        let (kind, worker) = known.then(|| self.places.kind(part.location)).flatten().ok_or_else(|| missing(part))?;
        let node = self.places.node(part.location);
        let seed = self.options.seed;
        let is_slow = bits(seed, Draw::Data, node, 0).is_multiple_of(SLOW);
        let place = u64::from(if kind == 0 { worker } else { self.options.cpus + worker });
        let mut now = (uniform(seed, Draw::Start, location, 0) * 1e6) as i64;
        let before = out.len();
        out.reserve(3 * self.of_worker as usize);
        for at in 0..self.of_worker {
            let drawn = bits(seed, Draw::Compute, location, at);
            let of = (drawn % TYPES.len() as u64) as usize;
            let mean = TYPES[of].1[kind] * if is_slow { 5 } else { 4 };
            // From a half to one and a half of the mean.
            let time = mean / 8 + (((drawn >> 32) as i64 * mean / 4) >> 32);
            let start = now + (drawn >> 8 & 0xfff) as i64;
            out.enter(Ns(start), RegionId(of as u32));
            let id = TaskId::new(node, place * self.of_worker + at);
            out.task(Ns(start), TaskInfo { iteration: at as u32, ..TaskInfo::new(id) });
            now = start + time;
            out.leave(Ns(now), Some(RegionId(of as u32)));
        }
        out.events += (out.len() - before) as u64;
        out.last = out.last.max(Some(Ns(now)));
        Ok(())
    }

    fn warnings(&self) -> &Warnings {
        &self.warnings
    }
}
