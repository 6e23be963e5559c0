//! Phases and steps of events.
//!
//! Events that a message, a collective, a wait or a caller joins are a partition. Program order leads from one partition
//! to the next; partitions on a cycle become one, and what is left are **phases** that follow each other. Inside a phase
//! sends and collectives are put into columns first and receives fitted in; phases are then laid out one after the other.
//!
//! Every stage is a pass or two over columns: the time grows with the events, not with their square.

mod collectives;
mod components;
mod cycles;
mod given;
mod layout;
mod leaps;
mod number;
mod order;
mod partitions;
mod steps;
mod union;

use heddle_store::{Progress, StoreError};
use rayon::prelude::*;

use crate::{Events, Kind, LogicalOptions, work};
pub(crate) use layout::{Layout, Numbered, Placed};
use partitions::{Bits, Partitions};
use union::DisjointSets;

/// Events that are taken between two looks at whether the user wants to stop.
const CHUNK: usize = 1 << 18;

/// The steps of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseSteps {
    /// The first step that one of its events has.
    pub first_step: u32,
    /// The last one. Every step between is some event's.
    pub last_step: u32,
    /// Whether the order of its events contradicts itself if collectives are taken as one point in time, so that some
    /// were taken apart: their members have steps of their own.
    pub is_split: bool,
}

/// The phase and the step of every event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// The phase of each event.
    pub phase: Vec<u32>,
    /// The step of each event; ascending on each row.
    pub step: Vec<u32>,
    /// The phases, by their first step, then by their smallest row.
    pub phases: Vec<PhaseSteps>,
    /// How many steps there are.
    pub steps: u32,
}

/// Computes phases and steps. The result does not depend on the number of threads.
///
/// Messages must lead from sends to receives; others order nothing.
pub fn structure(events: &Events, options: &LogicalOptions, progress: &dyn Progress) -> Result<Structure, StoreError> {
    let count = events.kind.len();
    if count.max(events.messages.len()).max(events.members.len()) >= u32::MAX as usize {
        return Err(StoreError::Trace("logical time: more than 4 billion events or messages".to_owned()));
    }
    if count == 0 {
        return Ok(Structure::default());
    }
    // Joined, gathered, ordered.
    progress.begin(work::FINDING_PHASES, 3 * count as u64);
    let row_starts = Bits::row_starts(events);
    let is_given = !events.given_phase.is_empty();
    let (of, parts) = join(events, options, is_given, progress)?;
    progress.advance(count as u64);
    let mut parts = Partitions::new(of, parts, &row_starts);
    progress.advance(count as u64);
    progress.check()?;
    if is_given {
        parts = given::given_phases(parts, &events.given_phase, progress)?;
    }
    let (mut parts, mut order) = cycles::merge_cycles(parts, progress)?;
    if (options.leap_merge || options.leap_skip) && !is_given {
        drop(order);
        parts = leaps::merge_leaps(parts, events, options.leap_skip, progress)?;
        (parts, order) = cycles::merge_cycles(parts, progress)?;
    }
    progress.advance(count as u64);
    progress.begin(work::ASSIGNING_STEPS, count as u64);
    let steps = steps::steps(events, &parts, options.stepping, progress)?;
    Ok(number::number(parts, &order, steps, options.merge_overlapping))
}

/// Which events belong together without a look at cycles: a label for each, and how many labels.
fn join(
    events: &Events,
    options: &LogicalOptions,
    is_given: bool,
    progress: &dyn Progress,
) -> Result<(Vec<u32>, u32), StoreError> {
    let sets = DisjointSets::new(events.kind.len() as u32);
    if !is_given {
        let is_border = |event: usize| options.collective_borders && events.kind[event] == Kind::Collective;
        events.is_joined.par_chunks(CHUNK).enumerate().try_for_each(|(chunk, joined)| {
            for (event, _) in (chunk * CHUNK..).zip(joined).filter(|&(event, &joined)| joined && event > 0) {
                if !is_border(event) && !is_border(event - 1) {
                    sets.unite(event as u32 - 1, event as u32);
                }
            }
            progress.check()
        })?;
    }
    events.messages.par_chunks(CHUNK).try_for_each(|messages| {
        for &(send, receive) in messages {
            sets.unite(send, receive);
        }
        progress.check()
    })?;
    events.first_of_collective.par_windows(2).try_for_each(|collective| {
        let members = &events.members[collective[0] as usize..collective[1] as usize];
        for pair in members.windows(2) {
            sets.unite(pair[0], pair[1]);
        }
        progress.check()
    })?;
    Ok(sets.into_labels())
}
