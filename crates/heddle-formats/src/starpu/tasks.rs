//! `tasks.rec` as a trace of its own: who ran what when, without the states of the runtime and without messages.
//!
//! It is a few times smaller than the Paje trace of the same run and has all that progression needs, but for what kind of
//! resource a worker is. `activity.data` beside it tells that; without it all workers are of one unknown kind.
//!
//! The clock is that of the Paje trace, whose zero is the zero of the file.

use heddle_model::{Ns, TaskId, TaskInfo, WarningKind, Warnings};
use rustc_hash::{FxHashMap, FxHashSet};

use super::activity;
use super::beside::{Beside, STARPU};
use super::jobs::Job;
use crate::paje::pj_dump::{State, Table};
use crate::runs::{Row, Runs};
use crate::{Gathered, Input, OpenError, starpu};

/// What StarPU's converter calls the file.
pub(super) const MAIN: &str = "tasks.rec";

/// Keys that records of jobs begin with.
const FIRST_KEYS: [&[u8]; 5] = [b"Name:", b"Control:", b"Model:", b"JobId:", b"SubmitOrder:"];

/// Whether the beginning of a file is that of records of jobs.
pub fn recognise(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let begins = |line: &[u8]| FIRST_KEYS.iter().any(|key| line.starts_with(key));
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#") && !line.starts_with(b"%"));
    first.is_some_and(begins)
        && head.split(|byte| *byte == b'\n').take(64).any(|line| line.trim_ascii().starts_with(b"JobId: "))
}

/// A run of a task.
#[derive(Clone, Copy, Debug)]
struct Run {
    rank: u32,
    worker: u32,
    start: Ns,
    end: Ns,
    id: TaskId,
    name: u32,
}

impl Row for Run {
    type Key = (u32, u32, Ns, Ns, TaskId);
    type Bytes = [u8; Run::BYTES];
    const BYTES: usize = 36;

    fn key(&self) -> Self::Key {
        (self.rank, self.worker, self.start, self.end, self.id)
    }

    fn to_bytes(self) -> Self::Bytes {
        let mut bytes = [0; Run::BYTES];
        bytes[0..4].copy_from_slice(&self.rank.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.worker.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.start.0.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.end.0.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.id.0.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.name.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Run {
        let four = |at: usize| std::array::from_fn(|byte| bytes[at + byte]);
        let eight = |at: usize| std::array::from_fn(|byte| bytes[at + byte]);
        Run {
            rank: u32::from_le_bytes(four(0)),
            worker: u32::from_le_bytes(four(4)),
            start: Ns(i64::from_le_bytes(eight(8))),
            end: Ns(i64::from_le_bytes(eight(16))),
            id: TaskId(u64::from_le_bytes(eight(24))),
            name: u32::from_le_bytes(four(32)),
        }
    }
}

/// Runs as they are collected.
struct Collected<'a> {
    input: &'a Input<'a>,
    runs: Runs<Run>,
    /// How many may be in memory.
    most: usize,
    names: Vec<Box<[u8]>>,
    name_index: FxHashMap<Box<[u8]>, u32>,
    ranks: FxHashSet<u32>,
    has_ranks: bool,
    backwards: u64,
    first_backwards: u64,
    failure: Option<std::io::Error>,
}

impl Collected<'_> {
    fn add(&mut self, line: u64, job: &Job) {
        self.has_ranks |= job.has_rank;
        self.ranks.insert(job.rank);
        let Some(worker) = job.worker.filter(|_| job.ran()) else { return };
        if job.end < job.start {
            if self.backwards == 0 {
                self.first_backwards = line;
            }
            self.backwards += 1;
        }
        let name = *self.name_index.entry(job.name.into()).or_insert_with(|| {
            self.names.push(job.name.into());
            self.names.len() as u32 - 1
        });
        let Job { id, rank, start, end, .. } = *job;
        self.runs.push(Run { rank, worker, start, end: end.max(start), id, name });
        if let Err(cause) = self.runs.put_aside_beyond(self.most, self.input.scratch) {
            self.failure = Some(cause);
        }
    }
}

/// Reads the records of jobs.
pub fn open<'a>(input: &Input<'a>) -> Result<Gathered<'a>, OpenError> {
    let [name] = input.names else {
        return Err(OpenError::Wrong {
            place: input.names.first().cloned().unwrap_or_default(),
            what: format!("records of tasks are one file, and {} were given; open them one by one", input.names.len()),
        });
    };
    let mut warnings = Warnings::default();
    let mut beside = Beside::new(input.memory / 4);
    let mut collected = Collected {
        input,
        runs: Runs::default(),
        most: usize::try_from(input.memory / 8 / 48).unwrap_or(usize::MAX).max(1 << 10),
        names: Vec::new(),
        name_index: FxHashMap::default(),
        ranks: FxHashSet::default(),
        has_ranks: false,
        backwards: 0,
        first_backwards: 0,
        failure: None,
    };
    beside.read_data(input, name, STARPU, &mut warnings)?;
    beside.read_jobs(input, name, true, &mut warnings, &mut |line, job| collected.add(line, job))?;
    beside.read_graph(input, name, STARPU, &mut warnings)?;
    let workers = activity::workers(input, name, &mut warnings)?;
    let Collected { mut runs, names, ranks, has_ranks, backwards, first_backwards, failure, .. } = collected;
    if let Some(cause) = failure {
        return Err(OpenError::Unreadable { place: "scratch space".to_owned(), cause });
    }
    let text = "tasks that end before they begin were given no duration";
    warnings.add_many(WarningKind::TimeFalls, backwards, || format!("{name}, line {first_backwards}"), text);

    let mut table = Table::of_starpu(input, Some(beside.settled()));
    declare(&mut table, &ranks, has_ranks, workers.as_deref());
    let (mut of, mut place) = (None, (0, 0));
    let merged = runs.merged(input.scratch).map_err(OpenError::unreadable("scratch space"))?;
    for run in merged {
        let run = run.map_err(OpenError::unreadable("scratch space"))?;
        if of != Some((run.rank, run.worker)) {
            of = Some((run.rank, run.worker));
            let own = workers.as_ref().and_then(|workers| workers.get(run.rank as usize)?.get(run.worker as usize));
            let own = own.map_or_else(|| format!("{}{}", starpu::UNKNOWN_WORKER, run.worker), Clone::clone);
            place = table.worker(&worker_name(run.rank, has_ranks, &own));
            table.settle().map_err(OpenError::unreadable("scratch space"))?;
        }
        let value = names.get(run.name as usize).map_or(&b""[..], |name| name);
        // What has no name is called as StarPU calls it.
        let value = if value.is_empty() { &b"Executing"[..] } else { value };
        let task = Some(TaskInfo::new(run.id));
        table.state(place.0, place.1, State { start: run.start, end: run.end, depth: 0, value: value.into(), task });
        // The zero of the clock is that of the run.
        table.see(run.start.min(Ns(0)));
    }
    Ok(table.finish("starpu-tasks", name, warnings))
}

fn worker_name(rank: u32, has_ranks: bool, own: &str) -> String {
    if has_ranks { format!("{rank}_{own}") } else { own.to_owned() }
}

/// Processes and workers, in order, whether they ran tasks or not.
fn declare(table: &mut Table, ranks: &FxHashSet<u32>, has_ranks: bool, workers: Option<&[Vec<String>]>) {
    let mut ranks: Vec<u32> = ranks.iter().copied().collect();
    ranks.sort_unstable();
    for rank in ranks {
        table.process(has_ranks.then_some(rank));
        for own in workers.and_then(|workers| workers.get(rank as usize)).into_iter().flatten() {
            table.worker(&worker_name(rank, has_ranks, own));
        }
    }
}
