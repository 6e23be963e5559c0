//! Jobs as `tasks.rec` and StarVZ's table of them describe them, and the data that they work on.

use heddle_model::{Ns, TaskId, TaskInfo};

use super::text::Fields;
use super::{JOB, job_id, natural};
use crate::paje::number::{Unit, date};

/// A job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job<'a> {
    pub(super) id: TaskId,
    pub(super) rank: u32,
    /// Whether the file says the rank: programs of one process write -1.
    pub(super) has_rank: bool,
    pub(super) name: &'a [u8],
    /// The worker that ran it, by its number in the process.
    pub(super) worker: Option<u32>,
    pub(super) submitted: Ns,
    pub(super) start: Ns,
    pub(super) end: Ns,
    pub(super) iteration: u32,
    pub(super) depends_on: &'a [u8],
    handles: &'a [u8],
    modes: &'a [u8],
}

/// What a record says.
pub(super) enum Said<'a> {
    Job(Job<'a>),
    /// Advice to the runtime, or nothing of interest.
    Else,
    /// A job without a number, or with times that are none.
    Nonsense,
}

impl<'a> Job<'a> {
    pub(super) fn of(fields: &Fields<'a>) -> Said<'a> {
        if fields.get("Control").is_some() {
            return Said::Else;
        }
        let Some(number) = fields.get(JOB) else {
            return if fields.get("Name").is_some() { Said::Nonsense } else { Said::Else };
        };
        let Some(mut id) = job_id(number) else { return Said::Nonsense };
        let rank = fields.get("MPIRank").map(natural).filter(|rank| *rank < super::graph::MESSAGES);
        if let Some(rank) = rank.filter(|_| !number.contains(&b'_')) {
            id = TaskId::new(rank, id.number());
        }
        let mut is_time = true;
        let mut time = |name: &str| match fields.get(name).map(|text| date(text, Unit::Milliseconds)) {
            None => Ns::NONE,
            Some(time) => time.unwrap_or_else(|| {
                is_time = false;
                Ns::NONE
            }),
        };
        let (submitted, start, end) = (time("SubmitTime"), time("StartTime"), time("EndTime"));
        if !is_time {
            return Said::Nonsense;
        }
        Said::Job(Job {
            id,
            rank: rank.unwrap_or(id.process()),
            has_rank: rank.is_some() || number.contains(&b'_'),
            name: fields.get("Name").unwrap_or_default(),
            worker: fields.get("WorkerId").map(natural).filter(|worker| *worker != TaskInfo::UNKNOWN),
            submitted,
            start,
            end,
            // Two numbers where there are iterations inside of iterations.
            iteration: fields.get("Iteration").and_then(first_word).map_or(TaskInfo::UNKNOWN, natural),
            depends_on: fields.get("DependsOn").unwrap_or_default(),
            handles: fields.get("Handles").unwrap_or_default(),
            modes: fields.get("Modes").unwrap_or_default(),
        })
    }

    /// Whether a worker ran it.
    pub(super) fn ran(&self) -> bool {
        self.worker.is_some() && self.start.is_some() && self.end.is_some() && !self.name.starts_with(b"_starpu_")
    }

    /// The data that it writes.
    pub(super) fn written(&self) -> impl Iterator<Item = u64> {
        let pairs = words(self.handles).zip(words(self.modes));
        pairs.filter(|(_, mode)| mode.contains(&b'W')).filter_map(|(text, _)| handle(text))
    }
}

/// Words between blanks.
pub(super) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty())
}

fn first_word(text: &[u8]) -> Option<&[u8]> {
    words(text).next()
}

fn handle(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok()
}

/// A piece of data that has a place in the matrix: process, handle, row and column.
pub(super) fn datum(fields: &Fields) -> Option<(u32, u64, [u32; 2])> {
    let rank = fields.get("MPIRank").map(natural).filter(|rank| *rank != TaskInfo::UNKNOWN).unwrap_or(0);
    let mut coordinates = words(fields.get("Coordinates")?).map(natural);
    let tile = [coordinates.next()?, coordinates.next()?];
    (!tile.contains(&TaskInfo::UNKNOWN)).then_some((rank, handle(fields.get("Handle")?)?, tile))
}
