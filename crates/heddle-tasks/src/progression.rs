//! How far each node had come at some instants, with the lower bounds of the run.

use heddle_model::{Ns, RegionId, grouped};
use heddle_store::{Derived, Progress, Store, StoreError};

use crate::durations::Durations;
use crate::kept;
use crate::metric::{Line, weights};
use crate::tally::{Tally, TypeOnKind};
use crate::work::{CallRuns, Crew, Runs, TaskRuns};
use crate::{Bounds, ProgressOptions, WorkKind};

/// Why there is no progression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgressError {
    /// The trace has neither tasks nor communication.
    #[error(
        "The trace has neither tasks nor communication, so nothing in it counts as work by itself; --work NAME counts the calls of a function."
    )]
    NoWork,
    /// Tasks were asked for.
    #[error("The trace has no tasks; --work NAME counts the calls of a function instead, --work steps logical steps.")]
    NoTasks,
    /// Iterations were asked for.
    #[error("The trace does not say which iterations its tasks belong to.")]
    NoIterations,
    /// Steps were asked for.
    #[error("The trace has no messages and no collectives, so it has no logical steps.")]
    NoSteps,
    /// The calls of an unknown function were asked for.
    #[error("--work: no function is called {name}; did you mean {nearest}?")]
    Unknown {
        /// The name.
        name: String,
        /// The most similar name that there is.
        nearest: String,
    },
    /// The calls of a function were asked for that is defined but never called.
    #[error("The trace has no {0}.")]
    NoRuns(String),
}

/// A type of work: tasks of one name.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkType {
    /// Its region; none where work is not calls of a function.
    pub region: RegionId,
    /// How many tasks.
    pub tasks: u64,
    /// How often and how long it ran, by kind of workers.
    pub on_kind: Vec<TypeOnKind>,
    /// By kind of workers: durations beyond which a run is an outlier, in nanoseconds. Below the first or above the second.
    pub fences: Vec<Option<(i64, i64)>>,
    /// How many runs are shorter or longer than that, by kind of workers.
    pub outliers: Vec<u64>,
}

/// A kind of workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerKind {
    /// Its name: `CPU`; empty if not known. Hostile text.
    pub name: String,
    /// How many there are.
    pub declared: u64,
    /// How many ran a task.
    pub observed: u64,
}

/// How far each node had come at some instants.
#[derive(Clone, Debug, PartialEq)]
pub struct Progression {
    /// What counts as work.
    pub work: WorkKind,
    /// The first task's start, which is time 0 of pictures and bounds, and the last one's end.
    pub span: (Ns, Ns),
    /// The instants: one more than there are steps.
    pub times: Vec<Ns>,
    /// Numbers of the nodes that had work.
    pub nodes: Vec<u32>,
    /// Numbers of those that had none: they are neither early nor late.
    pub idle: Vec<u32>,
    /// Of each node in `nodes`: how many tasks it ran.
    pub tasks: Vec<u64>,
    /// Types of tasks, in the order of their regions.
    pub types: Vec<WorkType>,
    /// Kinds of workers, in the order of their names.
    pub kinds: Vec<WorkerKind>,
    /// By node in `nodes`, then kind: number of workers, and time in tasks in nanoseconds.
    pub on_node: Vec<Vec<(u64, i64)>>,
    /// By node, then instant.
    pub(crate) values: Vec<f64>,
    /// Of all nodes together, by instant: what bounds are drawn at, so it counts on the workers that those count on.
    pub pooled: Vec<f64>,
    /// How fast the machine could have been.
    pub bounds: Bounds,
    /// What a reader should know: what was left out, or assumed.
    pub notes: Vec<String>,
}

impl Progression {
    /// What the place of a result is named after.
    const KIND: &'static str = "progress";

    /// Why a trace has no progression, if that is so.
    pub fn impossible(store: &Store, options: &ProgressOptions) -> Option<String> {
        WorkKind::of(store, options).err().map(|error| error.to_string())
    }

    /// The progression of a trace if it is at hand.
    pub fn find(store: &Store, options: &ProgressOptions) -> Option<Progression> {
        let work = WorkKind::of(store, options).ok()?;
        let place = Derived::existing(store, Progression::KIND, &key(options))?;
        place.find(|directory| kept::read(directory, &work))
    }

    /// The progression of a trace by its tasks or calls, worked out unless it is at hand. Logical steps are somebody else's:
    /// see [`Progression::open_with`].
    pub fn open(store: &Store, options: &ProgressOptions, watch: &dyn Progress) -> Result<Progression, StoreError> {
        let work = WorkKind::of(store, options).map_err(told)?;
        match &work {
            WorkKind::Tasks | WorkKind::Iterations => Progression::kept(store, options, &work, watch, || {
                TaskRuns::new(store, work == WorkKind::Iterations, watch)
            }),
            WorkKind::Calls(name) => {
                Progression::kept(store, options, &work, watch, || CallRuns::new(store, name).map_err(told))
            }
            WorkKind::Steps => Err(told(ProgressError::NoTasks)),
        }
    }

    /// The progression of a trace by runs that somebody else knows of; `options` name them.
    pub fn open_with<R: Runs>(
        store: &Store,
        options: &ProgressOptions,
        watch: &dyn Progress,
        runs: impl FnOnce() -> Result<R, StoreError>,
    ) -> Result<Progression, StoreError> {
        let work = WorkKind::of(store, options).map_err(told)?;
        Progression::kept(store, options, &work, watch, runs)
    }

    fn kept<R: Runs>(
        store: &Store,
        options: &ProgressOptions,
        work: &WorkKind,
        watch: &dyn Progress,
        runs: impl FnOnce() -> Result<R, StoreError>,
    ) -> Result<Progression, StoreError> {
        let place = Derived::place(store, Progression::KIND, &key(options));
        place.open_or_make(
            watch,
            |directory| kept::read(directory, work),
            |directory| {
                let progression = Progression::of(store, &runs()?, work, options, watch)?;
                kept::write(directory, &progression)
            },
        )
    }

    /// The progression by some runs, worked out.
    pub fn of(
        store: &Store,
        runs: &impl Runs,
        work: &WorkKind,
        options: &ProgressOptions,
        watch: &dyn Progress,
    ) -> Result<Progression, StoreError> {
        let crew = runs.crew();
        let tally = Tally::of(runs, work, options, watch)?;
        let mut tally = tally.ok_or_else(|| told(ProgressError::NoRuns(work.name())))?;
        let mut bounds = Bounds::of(&tally, crew.types.len(), work, options);
        if matches!(work, WorkKind::Tasks | WorkKind::Iterations) {
            bounds.follow(store, &tally, &crew.types, watch)?;
        }
        let notes = notes(crew, &tally, &bounds);
        let pool = &tally.pool;
        // What the bounds stand beside counts on the same workers.
        let pooled_by = Line { on_kind: &pool.on_kind, workers: &bounds.workers, rates: &pool.rates };
        let pooled_weights =
            if *work == WorkKind::Iterations { vec![1.0] } else { weights(&pooled_by, options.weights) };
        let pooled = pool.counts.progress(&pooled_weights).unwrap_or_default();
        let kinds = crew.kinds.iter().zip(&pool.declared).zip(&pool.observed);
        let kinds = kinds.map(|((name, declared), observed)| WorkerKind {
            name: name.clone(),
            declared: *declared,
            observed: *observed,
        });
        let times: Vec<Ns> = tally.steps.times.iter().map(|time| Ns(*time)).collect();
        let mut progression = Progression {
            work: work.clone(),
            span: (times[0], times[times.len() - 1]),
            nodes: Vec::new(),
            idle: Vec::new(),
            tasks: Vec::new(),
            types: Vec::new(),
            kinds: kinds.collect(),
            on_node: Vec::new(),
            values: Vec::new(),
            pooled,
            bounds,
            notes,
            times,
        };
        progression.types = work_types(crew, &mut tally);
        for (number, node) in crew.nodes.iter().zip(tally.nodes) {
            match node.line {
                Some(line) => {
                    progression.nodes.push(*number);
                    progression.tasks.push(node.tasks);
                    progression.on_node.push(node.on_kind);
                    progression.values.extend(line);
                }
                None => progression.idle.push(*number),
            }
        }
        Ok(progression)
    }

    /// The line of a node: its progress at each instant. `node` is a position.
    pub fn line(&self, node: usize) -> &[f64] {
        let instants = self.times.len();
        &self.values[node * instants..(node + 1) * instants]
    }

    /// The progress of all nodes at an instant.
    pub fn at(&self, instant: usize) -> Vec<f64> {
        self.values.iter().skip(instant).step_by(self.times.len()).copied().collect()
    }

    /// The progress of all nodes at each instant, in one go: much faster than instant by instant.
    pub fn by_instant(&self) -> Vec<Vec<f64>> {
        let mut all: Vec<Vec<f64>> = self.times.iter().map(|_| Vec::with_capacity(self.nodes.len())).collect();
        for line in self.values.chunks_exact(self.times.len()) {
            all.iter_mut().zip(line).for_each(|(at, value)| at.push(*value));
        }
        all
    }

    /// How long the run took, from the first task's start to the last one's end.
    pub fn makespan(&self) -> i64 {
        self.span.1.since(self.span.0)
    }

    /// One that a test makes up: lines by node, then instant.
    #[cfg(test)]
    pub(crate) fn made(nodes: u32, values: Vec<f64>) -> Progression {
        let instants = values.len() / nodes as usize;
        Progression {
            work: WorkKind::Tasks,
            span: (Ns(0), Ns(instants as i64 - 1)),
            times: (0..instants as i64).map(Ns).collect(),
            nodes: (0..nodes).collect(),
            idle: Vec::new(),
            tasks: vec![1; nodes as usize],
            types: Vec::new(),
            kinds: Vec::new(),
            on_node: vec![Vec::new(); nodes as usize],
            values,
            pooled: Vec::new(),
            bounds: Bounds::default(),
            notes: Vec::new(),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what errors are mapped by")]
fn told(error: ProgressError) -> StoreError {
    StoreError::Trace(error.to_string())
}

/// All that decides a result.
fn key(options: &ProgressOptions) -> String {
    format!("progress {} {options:?}", kept::FORMAT)
}

fn work_types(crew: &Crew, tally: &mut Tally) -> Vec<WorkType> {
    let (kinds, pool) = (crew.kinds.len(), &mut tally.pool);
    let mut types = Vec::with_capacity(crew.types.len());
    for (of, region) in crew.types.iter().enumerate() {
        let range = of * kinds..(of + 1) * kinds;
        let fences: Vec<_> = pool.durations[range.clone()].iter_mut().map(Durations::fences).collect();
        types.push(WorkType {
            region: *region,
            tasks: pool.tasks[of],
            on_kind: pool.on_kind[range].to_vec(),
            fences: fences.iter().map(|fences| fences.map(|fences| (fences.low, fences.high))).collect(),
            outliers: fences.iter().map(|fences| fences.map_or(0, |fences| fences.outliers)).collect(),
        });
    }
    types
}

/// A number with what it is of, as a subject and its verb.
fn many(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { several })
}

fn notes(crew: &Crew, tally: &Tally, bounds: &Bounds) -> Vec<String> {
    let mut notes = Vec::new();
    let pool = &tally.pool;
    if pool.backward > 0 {
        let runs = many(pool.backward, "task ends before it begins", "tasks end before they begin");
        notes.push(format!("{runs}, by the clocks of the trace; such tasks count as taking no time."));
    }
    if pool.shared > 0 {
        let tasks = many(pool.shared, "task ran", "tasks ran");
        notes.push(format!("{tasks} on several workers at once; each counts once, when its last run ended."));
    }
    if let Some(kind) = crew.kinds.iter().position(String::is_empty) {
        let workers = many(pool.declared[kind], "worker is", "workers are");
        notes.push(format!("{workers} of unknown kind; they count as a kind of their own."));
    }
    if let Some(chain) = &bounds.dependencies {
        if chain.cyclic > 0 {
            let tasks = many(chain.cyclic, "task waits", "tasks wait");
            let names: Vec<String> = chain.circle.iter().map(ToString::to_string).collect();
            let names = names.join(", ");
            notes.push(format!("{tasks} for themselves, if only through others, for example {names}; the longest chain leaves them out."));
        }
        if chain.missing > 0 {
            let dependencies = many(chain.missing, "dependency is", "dependencies are");
            notes.push(format!("{dependencies} on tasks that are not in the trace."));
        }
    }
    notes
}
