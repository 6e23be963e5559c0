//! Minima and sums of steps and phases: what lateness is measured from.
//!
//! An event is late by how much longer it lasts than the first of its peers to end: those of the same step, or those of
//! the same phase and step, which share a **cell**. Cells are counted phase by phase, step by step. Every function is one
//! pass over the events, row by row and side by side; results do not depend on the number of threads.

use std::ops::Range;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};

use heddle_model::Ns;
use rayon::prelude::*;

use crate::{Events, Structure};

/// What is measured of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// When the call was left: lateness is measured from its minimum.
    Leave,
    /// When the call was entered, which is where the aggregate before it ends.
    Enter,
    /// How long the call took.
    Duration,
    /// How long the aggregate before it took: from the event before it on its row, 0 if there is none or at the same call.
    Gap,
}

/// What steps have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepMeasures {
    /// When the first event of each step was entered.
    pub least_enter: Vec<Ns>,
    /// When the first event of each step was left.
    pub least_leave: Vec<Ns>,
    /// When the last event of each step was left.
    pub last_leave: Vec<Ns>,
    /// How many events each step has.
    pub events: Vec<u32>,
}

/// What phases have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseMeasures {
    /// When the first event of each phase was entered.
    pub first_enter: Vec<Ns>,
    /// When the last event of each phase was left.
    pub last_leave: Vec<Ns>,
    /// How many rows have events in each phase.
    pub rows: Vec<u32>,
    /// How many events each phase has.
    pub events: Vec<u64>,
    /// The largest lateness in each phase.
    pub max_lateness: Vec<i64>,
    /// The sum of the lateness in each phase; it wraps around.
    pub total_lateness: Vec<i64>,
    /// The largest phase lateness in each phase.
    pub max_phase_lateness: Vec<i64>,
}

/// Minima, counts and ends of the steps.
pub fn step_measures(events: &Events, structure: &Structure) -> StepMeasures {
    let steps = structure.steps as usize;
    let (least_enter, least_leave, last_leave) =
        (filled(steps, i64::MAX), filled(steps, i64::MAX), filled(steps, i64::MIN));
    let count: Vec<AtomicU32> = (0..steps).map(|_| AtomicU32::new(0)).collect();
    rows(events).for_each(|row| {
        for event in row {
            let step = structure.step[event] as usize;
            lower(&least_enter[step], events.enter[event].0);
            lower(&least_leave[step], events.leave[event].0);
            raise(&last_leave[step], events.leave[event].0);
            count[step].fetch_add(1, Relaxed);
        }
    });
    StepMeasures {
        least_enter: times(least_enter),
        least_leave: times(least_leave),
        last_leave: times(last_leave),
        events: count.into_iter().map(AtomicU32::into_inner).collect(),
    }
}

/// The first cell of each phase, and behind the last phase their number.
pub fn first_cells(structure: &Structure) -> Vec<u32> {
    let mut cells = 0;
    let lengths = structure.phases.iter().map(|phase| phase.last_step - phase.first_step + 1);
    std::iter::once(0)
        .chain(lengths.map(|length| {
            cells += length;
            cells
        }))
        .collect()
}

/// The smallest value in each cell. `first_cells` as from [`first_cells()`].
pub fn least_of_cells(events: &Events, structure: &Structure, first_cells: &[u32], measure: Measure) -> Vec<i64> {
    let least = filled(first_cells.last().map_or(0, |&cells| cells as usize), i64::MAX);
    rows(events).for_each(|row| {
        let first = row.start;
        for event in row {
            let (enter, leave) = (events.enter[event].0, events.leave[event].0);
            let value = match measure {
                Measure::Leave => leave,
                Measure::Enter => enter,
                Measure::Duration => leave - enter,
                Measure::Gap if event == first => 0,
                Measure::Gap => (enter - events.leave[event - 1].0).max(0),
            };
            lower(&least[cell_of(structure, first_cells, event)], value);
        }
    });
    least.into_iter().map(AtomicI64::into_inner).collect()
}

/// Extent, size and lateness of the phases. `least_leave` of the cells as from [`least_of_cells`].
pub fn phase_measures(
    events: &Events,
    structure: &Structure,
    steps: &StepMeasures,
    first_cells: &[u32],
    least_leave: &[i64],
) -> PhaseMeasures {
    let phases = structure.phases.len();
    let (first_enter, last_leave) = (filled(phases, i64::MAX), filled(phases, i64::MIN));
    let (max_lateness, total_lateness, max_phase_lateness) = (filled(phases, 0), filled(phases, 0), filled(phases, 0));
    let row_count: Vec<AtomicU32> = (0..phases).map(|_| AtomicU32::new(0)).collect();
    let count: Vec<AtomicU64> = (0..phases).map(|_| AtomicU64::new(0)).collect();
    rows(events).for_each(|row| {
        // The events of a phase are neighbours, unless overlapping phases were united.
        let mut start = row.start;
        let mut seen = 0;
        while start < row.end {
            let phase = structure.phase[start];
            let end = (start..row.end).find(|&event| structure.phase[event] != phase).unwrap_or(row.end);
            let (mut total, mut max, mut max_of_phase) = (0i64, 0, 0);
            for event in start..end {
                let leave = events.leave[event].0;
                let lateness = leave - steps.least_leave[structure.step[event] as usize].0;
                total = total.wrapping_add(lateness);
                max = max.max(lateness);
                max_of_phase = max_of_phase.max(leave - least_leave[cell_of(structure, first_cells, event)]);
                raise(&last_leave[phase as usize], leave);
                lower(&first_enter[phase as usize], events.enter[event].0);
            }
            let phase = phase as usize;
            raise(&max_lateness[phase], max);
            raise(&max_phase_lateness[phase], max_of_phase);
            total_lateness[phase].fetch_add(total, Relaxed);
            count[phase].fetch_add((end - start) as u64, Relaxed);
            if phase >= seen {
                row_count[phase].fetch_add(1, Relaxed);
                seen = phase + 1;
            }
            start = end;
        }
    });
    let plain = |values: Vec<AtomicI64>| values.into_iter().map(AtomicI64::into_inner).collect();
    PhaseMeasures {
        first_enter: times(first_enter),
        last_leave: times(last_leave),
        rows: row_count.into_iter().map(AtomicU32::into_inner).collect(),
        events: count.into_iter().map(AtomicU64::into_inner).collect(),
        max_lateness: plain(max_lateness),
        total_lateness: plain(total_lateness),
        max_phase_lateness: plain(max_phase_lateness),
    }
}

/// How much of an event's lateness arose in the event itself: what neither the aggregate before it nor the senders of what
/// it received brought along.
pub fn differential(lateness: i64, aggregate: i64, senders: impl IntoIterator<Item = i64>) -> i64 {
    (lateness - senders.into_iter().fold(aggregate, i64::max)).max(0)
}

/// How much of an aggregate's lateness arose in the aggregate itself: what the event before it on its row did not bring.
pub fn aggregate_differential(aggregate: i64, previous: Option<i64>) -> i64 {
    (aggregate - previous.unwrap_or(0)).max(0)
}

fn cell_of(structure: &Structure, first_cells: &[u32], event: usize) -> usize {
    let phase = structure.phase[event] as usize;
    (first_cells[phase] + structure.step[event] - structure.phases[phase].first_step) as usize
}

/// The events of each row.
fn rows(events: &Events) -> impl ParallelIterator<Item = Range<usize>> {
    events.first_of_row.par_windows(2).map(|row| row[0] as usize..row[1] as usize)
}

fn filled(count: usize, value: i64) -> Vec<AtomicI64> {
    (0..count).map(|_| AtomicI64::new(value)).collect()
}

fn times(values: Vec<AtomicI64>) -> Vec<Ns> {
    values.into_iter().map(|value| Ns(value.into_inner())).collect()
}

/// Most values change nothing, and looking is cheaper than writing.
fn lower(least: &AtomicI64, value: i64) {
    if value < least.load(Relaxed) {
        least.fetch_min(value, Relaxed);
    }
}

fn raise(most: &AtomicI64, value: i64) {
    if value > most.load(Relaxed) {
        most.fetch_max(value, Relaxed);
    }
}
