//! Phases window by window: what nothing behind a window can change is laid out, and numbered at the end.
//!
//! A set of events that a message, a collective, a wait or a caller joins is **open** if one of them has to do with what comes
//! behind the window. Each row is cut before its first event of an open set, and what then lies behind a cut is open with all
//! of its set. No way leads from behind the cuts to before them, so no cycle crosses them: what lies before is final.

use heddle_store::{Progress, StoreError};
use rayon::prelude::*;

use super::number::{offsets, unite_overlapping};
use super::partitions::{Bits, Partitions};
use super::{PhaseSteps, cycles, join, steps};
use crate::LogicalOptions;
use crate::extract::Found;

/// Phases so far.
#[derive(Debug)]
pub(crate) struct Layout {
    /// Behind the last step of the phase that each row was in last.
    next_step: Vec<u32>,
    phases: Vec<FinalPhase>,
}

/// A phase that is final but for its number.
#[derive(Clone, Copy, Debug)]
struct FinalPhase {
    first_step: u32,
    last_step: u32,
    /// Among all events.
    first_event: u32,
    /// How many phases were final before it; the highest bit says whether collectives were taken apart.
    place: u32,
}

const IS_SPLIT: u32 = 1 << 31;

/// What was taken out of a window.
#[derive(Debug)]
pub(crate) struct Placed {
    /// Behind the last final event of each row, in the window.
    pub(crate) cuts: Vec<u32>,
    /// The phase of each event, by how many phases were final before it. Anything for events behind the cuts.
    pub(crate) phase: Vec<u32>,
    /// The step of each event.
    pub(crate) step: Vec<u32>,
}

/// The phases of everything.
#[derive(Debug, Default)]
pub(crate) struct Numbered {
    /// The phases, by their first step, then by their smallest row.
    pub(crate) phases: Vec<PhaseSteps>,
    /// The number of each phase, by how many were final before it.
    pub(crate) number: Vec<u32>,
    /// How many steps there are.
    pub(crate) steps: u32,
}

impl Layout {
    pub(crate) fn new(rows: usize) -> Layout {
        Layout { next_step: vec![0; rows], phases: Vec::new() }
    }

    /// Bytes of memory that it holds.
    pub(crate) fn memory(&self) -> u64 {
        (self.phases.capacity() * size_of::<FinalPhase>() + self.next_step.len() * 4) as u64
    }

    /// Takes what is final in a window, if at least so many events are.
    pub(crate) fn take(
        &mut self,
        found: &Found,
        options: &LogicalOptions,
        least: u32,
        progress: &dyn Progress,
    ) -> Result<Option<Placed>, StoreError> {
        let events = &found.events;
        if events.messages.len().max(events.members.len()) >= u32::MAX as usize {
            return Err(StoreError::Trace("logical time: more than 4 billion messages at a time".to_owned()));
        }
        let row_starts = Bits::row_starts(events);
        let (of, parts) = join(events, options, false, progress)?;
        let parts = Partitions::new(of, parts, &row_starts);
        let cuts = cuts(&parts, &events.first_of_row, &found.open);
        let taken: u32 = cuts.iter().zip(&events.first_of_row).map(|(cut, first)| cut - first).sum();
        if taken < least {
            return Ok(None);
        }
        let (parts, order) = cycles::merge_cycles(parts, progress)?;
        let mut local = steps::steps(events, &parts, options.stepping, progress)?;
        let rows = || events.first_of_row.iter().zip(&cuts).enumerate().filter(|(_, (first, cut))| first < cut);
        let mut first_step = vec![0; local.length.len()];
        for (row, (&first, _)) in rows() {
            let least = &mut first_step[parts.of[first as usize] as usize];
            *least = self.next_step[row].max(*least);
        }
        let first_step = offsets(&parts, &order, &local.length, first_step);
        drop(order);
        for (row, (_, &cut)) in rows() {
            let last = parts.of[cut as usize - 1] as usize;
            self.next_step[row] = first_step[last] + local.length[last];
        }
        (local.step.par_iter_mut().zip(&parts.of))
            .for_each(|(step, &part)| *step = *step + first_step[part as usize] - 1);
        if self.phases.len() + parts.len() as usize >= IS_SPLIT as usize {
            return Err(StoreError::Trace("logical time: more than 2 billion phases".to_owned()));
        }
        let place = self.add(found, &parts, &cuts, (&first_step, &local.length), &local.split);
        let mut phase = parts.of;
        phase.par_iter_mut().for_each(|phase| *phase = place[*phase as usize]);
        Ok(Some(Placed { cuts, phase, step: local.step }))
    }

    /// Adds the phases that are final. Gives the place of each part.
    fn add(
        &mut self,
        found: &Found,
        parts: &Partitions,
        cuts: &[u32],
        (first_step, length): (&[u32], &[u32]),
        split: &[u32],
    ) -> Vec<u32> {
        let firsts = &found.events.first_of_row;
        let mut split = split.iter().copied().peekable();
        let add = |part: u32| {
            let is_split = split.next_if_eq(&part).is_some();
            let place = self.phases.len() as u32;
            let first = parts.starts(part)[0];
            let row = firsts.partition_point(|&other| other <= first) - 1;
            if first < cuts[row] {
                self.phases.push(FinalPhase {
                    first_step: first_step[part as usize],
                    last_step: first_step[part as usize] + length[part as usize] - 1,
                    first_event: found.from[row] + (first - firsts[row]),
                    place: if is_split { place | IS_SPLIT } else { place },
                });
            }
            place
        };
        (0..parts.len()).map(add).collect()
    }

    /// Numbers all phases. Two on one row never begin at the same step, and events are numbered by row: so first step and
    /// first event decide.
    pub(crate) fn finish(self, merge_overlapping: bool) -> Numbered {
        let Layout { mut phases, .. } = self;
        phases.par_sort_unstable_by_key(|phase| (phase.first_step, phase.first_event));
        let mut number = vec![0; phases.len()];
        for (phase, at) in phases.iter().zip(0..) {
            number[(phase.place & !IS_SPLIT) as usize] = at;
        }
        let steps_of = |phase: FinalPhase| PhaseSteps {
            first_step: phase.first_step,
            last_step: phase.last_step,
            is_split: phase.place & IS_SPLIT != 0,
        };
        let mut phases: Vec<PhaseSteps> = phases.into_iter().map(steps_of).collect();
        if merge_overlapping {
            let merged = unite_overlapping(&mut phases);
            number.par_iter_mut().for_each(|number| *number = merged[*number as usize]);
        }
        let steps = phases.iter().map(|phase| phase.last_step + 1).max().unwrap_or(0);
        Numbered { phases, number, steps }
    }
}

/// Where each row is cut if the sets of some events are open.
fn cuts(parts: &Partitions, first_of_row: &[u32], open: &[u32]) -> Vec<u32> {
    let mut cuts = first_of_row[1..].to_vec();
    let mut is_open = vec![false; parts.len() as usize];
    let mut next: Vec<u32> = Vec::new();
    for &event in open {
        let part = parts.of[event as usize];
        if !std::mem::replace(&mut is_open[part as usize], true) {
            next.push(part);
        }
    }
    while let Some(part) = next.pop() {
        for &start in parts.starts(part) {
            let row = first_of_row.partition_point(|&first| first <= start) - 1;
            if start >= cuts[row] {
                continue;
            }
            for event in start..std::mem::replace(&mut cuts[row], start) {
                let behind = parts.of[event as usize];
                if !std::mem::replace(&mut is_open[behind as usize], true) {
                    next.push(behind);
                }
            }
        }
    }
    cuts
}
