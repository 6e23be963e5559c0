//! What a file that Heddle wrote states beside its events, so that reading it gives the same trace: metadata events whose
//! names begin with `heddle_`. Other readers pass over metadata that they do not know.
//!
//! | event | of | arguments |
//! |---|---|---|
//! | `heddle_trace` | the trace | `version`: 1 |
//! | `heddle_process` | a process | `rank`, and `main`: the number of the thread that messages are addressed to |
//! | `heddle_location` | a thread | `kind` |
//! | `heddle_region` | the trace | `name`, `paradigm`, `role`, `file`, `line` |
//! | `heddle_metric` | the trace | `name`, `unit`, `mode` |
//! | `heddle_communicator` | the trace | `name`, `members`, `remote`: numbers of threads; `parent`, `self` |
//!
//! Communicators are numbered in their order. Threads have different numbers throughout the file.

use std::sync::Arc;

use heddle_model::{CommId, Communicator, LocationId, LocationKind, MetricMode, Paradigm, Role};
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::bound::Meanings;
use super::info::MOST_RANKS;
use super::rows::Id;

/// How metadata of ours begins.
pub(super) const PREFIX: &[u8] = b"heddle_";

/// A metadata event of ours.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) pid: Id,
    pub(super) track: u32,
    /// Its name without the beginning.
    pub(super) what: Box<[u8]>,
    pub(super) arguments: Box<[u8]>,
}

/// What is stated.
#[derive(Debug, Default)]
pub(super) struct Stated {
    /// Rank and main thread of a process.
    pub(super) processes: FxHashMap<Id, (u32, u32)>,
    /// By track.
    pub(super) locations: FxHashMap<u32, LocationKind>,
    pub(super) regions: FxHashMap<String, StatedRegion>,
    pub(super) metrics: FxHashMap<String, (String, MetricMode)>,
    pub(super) communicators: Vec<StatedCommunicator>,
    numbers: Vec<Numbers>,
    /// Whether numbers of other communicators were met.
    unknown: bool,
    bytes: usize,
    pub(super) refused: u64,
}

#[derive(Debug)]
pub(super) struct StatedRegion {
    pub(super) paradigm: Paradigm,
    pub(super) role: Role,
    pub(super) file: Option<String>,
    pub(super) line: Option<u32>,
}

#[derive(Debug)]
pub(super) struct StatedCommunicator {
    name: String,
    members: Vec<u32>,
    remote: Option<Vec<u32>>,
    parent: Option<u32>,
    is_self: bool,
}

/// Which numbers the collectives of a communicator have.
#[derive(Debug, Default)]
struct Numbers {
    seen: Vec<u64>,
    members: u64,
    /// One that has none, or is far beyond all others.
    odd: bool,
}

impl Stated {
    pub(super) fn is_empty(&self) -> bool {
        self.locations.is_empty()
    }

    /// Ranks of the world.
    pub(super) fn world(&self) -> u32 {
        self.processes.values().map(|(rank, _)| rank + 1).max().unwrap_or(0)
    }

    /// Takes one statement; `most` is how many bytes they may have together.
    pub(super) fn take(&mut self, statement: &Statement, track: u32, pid: Id, most: usize) {
        self.bytes += statement.arguments.len() * 2 + 64;
        let Some(said) = serde_json::from_slice::<Value>(&statement.arguments).ok().filter(|_| self.bytes < most)
        else {
            self.refused += 1;
            return;
        };
        let text = |key: &str| said[key].as_str().unwrap_or("").to_owned();
        let short = |value: &Value| value.as_u64().and_then(|number| u32::try_from(number).ok());
        let list = |value: &Value| -> Option<Vec<u32>> {
            Some(value.as_array()?.iter().map(|one| short(one).unwrap_or(u32::MAX)).collect())
        };
        match &*statement.what {
            b"process" => {
                let rank = short(&said["rank"]).filter(|rank| u64::from(*rank) < MOST_RANKS);
                if let (Some(rank), Some(main)) = (rank, short(&said["main"])) {
                    self.processes.insert(pid, (rank, main));
                }
            }
            b"location" => {
                let kinds = [LocationKind::CpuThread, LocationKind::AcceleratorStream, LocationKind::Metric];
                let kind = kinds.into_iter().find(|kind| kind.name() == text("kind"));
                self.locations.insert(track, kind.unwrap_or(LocationKind::Unknown));
            }
            b"region" => {
                let paradigm = Paradigm::from_name(&text("paradigm"));
                let file = Some(text("file")).filter(|file| !file.is_empty());
                let role = Role::from_name(&text("role"));
                self.regions.insert(text("name"), StatedRegion { paradigm, role, file, line: short(&said["line"]) });
            }
            b"metric" => {
                let modes = [MetricMode::Accumulated, MetricMode::Relative];
                let mode = modes.into_iter().find(|mode| mode.name() == text("mode")).unwrap_or(MetricMode::Absolute);
                self.metrics.insert(text("name"), (text("unit"), mode));
            }
            b"communicator" => self.communicators.push(StatedCommunicator {
                name: text("name"),
                members: list(&said["members"]).unwrap_or_default(),
                remote: list(&said["remote"]),
                parent: short(&said["parent"]),
                is_self: said["self"].as_bool().unwrap_or(false),
            }),
            // Which version of all this.
            b"trace" if said["version"] == 1 => {}
            _ => self.refused += 1,
        }
    }

    /// A member of a collective has this number.
    pub(super) fn note_number(&mut self, comm: u32, number: u32) {
        let comm = comm as usize;
        if comm >= self.communicators.len() {
            // It may be stated later; nobody knows its numbers then.
            self.unknown = true;
            return;
        }
        if comm >= self.numbers.len() {
            self.numbers.resize_with(comm + 1, Numbers::default);
        }
        let numbers = &mut self.numbers[comm];
        numbers.members += 1;
        let place = (number / 64) as usize;
        // What is there must justify the memory: numbers have no gaps, so they are about as many as the members.
        if number == u32::MAX || place as u64 > numbers.members + 1024 {
            numbers.odd = true;
            return;
        }
        if place >= numbers.seen.len() {
            numbers.seen.resize(place + 1, 0);
        }
        numbers.seen[place] |= 1 << (number % 64);
    }

    /// Of each communicator whether its numbers can be used: all from 0 on, without gaps.
    pub(super) fn numbered(&self) -> Vec<bool> {
        let whole = |numbers: &Numbers| {
            let (last, full) = match numbers.seen.split_last() {
                Some((last, full)) => (*last, full),
                None => return true,
            };
            !self.unknown
                && !numbers.odd
                && full.iter().all(|word| *word == u64::MAX)
                && last & last.wrapping_add(1) == 0
        };
        let mut all: Vec<bool> = self.numbers.iter().map(whole).collect();
        all.resize(self.communicators.len(), !self.unknown);
        all
    }

    /// The communicators, with their places in the trace; numbers of members mean what `meanings` says.
    pub(super) fn define(&self, meanings: &Meanings, out: &mut Vec<Communicator>) {
        let list = |threads: &[u32]| -> Arc<[LocationId]> {
            threads.iter().map(|one| meanings.threads.get(one).copied().unwrap_or(LocationId::NONE)).collect()
        };
        let count = self.communicators.len() as u32;
        for (at, comm) in self.communicators.iter().enumerate() {
            let parent = comm.parent.filter(|parent| *parent < count && *parent as usize != at);
            out.push(Communicator {
                name: comm.name.clone(),
                members: list(&comm.members),
                remote: comm.remote.as_deref().map(list),
                parent: parent.map(|parent| CommId(meanings.first_comm + parent)),
                is_self: comm.is_self,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_gaps_are_not_used() {
        for (numbers, whole) in [
            (vec![], true),
            ((0..200).chain(0..200).collect::<Vec<u32>>(), true),
            ((0..64).collect(), true),
            ((1..64).collect(), false),
            ((0..63).chain([64]).collect(), false),
            (vec![0, u32::MAX - 1], false),
            (vec![0, u32::MAX], false),
        ] {
            let mut stated = Stated::default();
            let arguments = br#"{"members":[1,2]}"#[..].into();
            let statement = Statement { pid: Id::Number(0), track: 0, what: b"communicator"[..].into(), arguments };
            stated.take(&statement, 0, Id::Number(0), 1 << 20);
            for number in &numbers {
                stated.note_number(0, *number);
            }
            assert_eq!(stated.numbered(), [whole], "{numbers:?}");
        }
    }
}
