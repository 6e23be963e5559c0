//! Minima and sums of steps and phases: what lateness is measured from.
//!
//! An event is late by how much longer it lasts than the first of its peers to end: those of the same step, or those of
//! the same phase and step, which share a **cell**. Cells are counted phase by phase, step by step. Results do not
//! depend on the number of threads.
//!
//! Events are stored row by row, but phases and cells are counted along steps. A pass over whole rows would touch all of them
//! for every row; so all rows are taken a band of phases at a time: what they share stays in the cache, and what was
//! measured can be written before the next band.

use std::ops::Range;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};

use heddle_model::Ns;
use rayon::prelude::*;

use crate::{Events, Structure};

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

/// What the events of a phase have in one of its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// When the first of them was left: phase lateness is measured from here.
    pub least_leave: Ns,
    /// When the first of them was entered, which is where the aggregate before it ends.
    pub least_enter: Ns,
    /// The shortest of their calls.
    pub least_duration: i64,
    /// The shortest of the aggregates before them: 0 for the first event of a row, and for events at one call.
    pub least_gap: i64,
}

/// What a phase has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseMeasures {
    /// When its first event was entered.
    pub first_enter: Ns,
    /// When its last event was left.
    pub last_leave: Ns,
    /// How many rows have events in it.
    pub rows: u32,
    /// How many events it has.
    pub events: u64,
    /// The largest lateness in it.
    pub max_lateness: i64,
    /// The sum of the lateness in it; it wraps around.
    pub total_lateness: i64,
    /// The largest phase lateness in it.
    pub max_phase_lateness: i64,
}

/// Some phases that follow each other by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// Which.
    pub phases: Range<u32>,
    /// Their cells.
    pub cells: Vec<Cell>,
    /// Themselves.
    pub measures: Vec<PhaseMeasures>,
}

/// Minima, counts and ends of the steps.
pub fn step_measures(events: &Events, structure: &Structure) -> StepMeasures {
    let steps = structure.steps as usize;
    let (least_enter, least_leave, last_leave) =
        (filled(steps, i64::MAX), filled(steps, i64::MAX), filled(steps, i64::MIN));
    let count: Vec<AtomicU32> = (0..steps).map(|_| AtomicU32::new(0)).collect();
    events.first_of_row.par_windows(2).for_each(|row| {
        for event in row[0] as usize..row[1] as usize {
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

/// All phases, band by band: there may be many, and few are needed at a time. `steps` as from [`step_measures`].
pub fn bands<'a>(events: &'a Events, structure: &'a Structure, steps: &'a StepMeasures) -> Bands<'a> {
    let rows = events.first_of_row.len().saturating_sub(1);
    Bands { events, structure, steps, next: events.first_of_row[..rows].to_vec(), phase: 0 }
}

/// Cells that are measured at a time, about.
const BAND: u32 = 1 << 18;

/// Goes through phases. Along each row phases ascend, so a place on each row says where the next band begins.
#[derive(Clone, Debug)]
pub struct Bands<'a> {
    events: &'a Events,
    structure: &'a Structure,
    steps: &'a StepMeasures,
    /// The next event of each row.
    next: Vec<u32>,
    /// The next phase.
    phase: u32,
}

impl Iterator for Bands<'_> {
    type Item = Band;

    fn next(&mut self) -> Option<Band> {
        let all = &self.structure.phases;
        let (mut end, mut cells, mut first_cells) = (self.phase, 0, Vec::new());
        while (end as usize) < all.len() && cells < BAND {
            first_cells.push(cells);
            let phase = all[end as usize];
            cells += phase.last_step - phase.first_step + 1;
            end += 1;
        }
        let phases = std::mem::replace(&mut self.phase, end)..end;
        if phases.is_empty() {
            return None;
        }
        let ends: Vec<u32> = (self.next.par_iter().zip(self.events.first_of_row.par_windows(2)))
            .map(|(&next, row)| {
                let rest = &self.structure.phase[next as usize..row[1] as usize];
                next + rest.iter().take_while(|&&phase| phase < end).count() as u32
            })
            .collect();
        let starts = std::mem::replace(&mut self.next, ends);
        let band = OpenBand { bands: self, phases, starts: &starts, first_cells };
        let cells = band.cells(cells);
        let measures = band.measures(&cells);
        Some(Band { phases: band.phases, cells, measures })
    }
}

/// A band that is being measured.
struct OpenBand<'a> {
    bands: &'a Bands<'a>,
    phases: Range<u32>,
    /// The first event of each row.
    starts: &'a [u32],
    /// The first cell of each phase.
    first_cells: Vec<u32>,
}

impl OpenBand<'_> {
    /// The events of each row, with the first event of the whole row.
    fn rows(&self) -> impl ParallelIterator<Item = (usize, Range<usize>)> {
        let Bands { next, events, .. } = self.bands;
        let rows = self.starts.par_iter().zip(next).zip(&events.first_of_row);
        rows.map(|((&start, &end), &first)| (first as usize, start as usize..end as usize))
            .filter(|(_, row)| !row.is_empty())
    }

    fn cell_of(&self, event: usize) -> usize {
        let structure = self.bands.structure;
        let phase = structure.phase[event];
        let first = self.first_cells[(phase - self.phases.start) as usize];
        (first + structure.step[event] - structure.phases[phase as usize].first_step) as usize
    }

    fn cells(&self, count: u32) -> Vec<Cell> {
        let least: Vec<[AtomicI64; 4]> = (0..count).map(|_| [const { AtomicI64::new(i64::MAX) }; 4]).collect();
        let events = self.bands.events;
        self.rows().for_each(|(first, row)| {
            for event in row {
                let (enter, leave) = (events.enter[event].0, events.leave[event].0);
                let gap = if event == first { 0 } else { (enter - events.leave[event - 1].0).max(0) };
                let least = &least[self.cell_of(event)];
                for (least, value) in least.iter().zip([leave, enter, leave - enter, gap]) {
                    lower(least, value);
                }
            }
        });
        let cell = |least: [AtomicI64; 4]| {
            let [leave, enter, least_duration, least_gap] = least.map(AtomicI64::into_inner);
            Cell { least_leave: Ns(leave), least_enter: Ns(enter), least_duration, least_gap }
        };
        least.into_iter().map(cell).collect()
    }

    fn measures(&self, cells: &[Cell]) -> Vec<PhaseMeasures> {
        let open: Vec<OpenPhase> = self.phases.clone().map(|_| OpenPhase::default()).collect();
        let Bands { events, structure, steps, .. } = self.bands;
        self.rows().for_each(|(_, row)| {
            let mut start = row.start;
            while start < row.end {
                // The events of a phase are neighbours on a row.
                let phase = structure.phase[start];
                let end = (start..row.end).find(|&event| structure.phase[event] != phase).unwrap_or(row.end);
                let (mut total, mut max, mut max_of_phase) = (0i64, 0, 0);
                for event in start..end {
                    let leave = events.leave[event].0;
                    let lateness = leave - steps.least_leave[structure.step[event] as usize].0;
                    total = total.wrapping_add(lateness);
                    max = max.max(lateness);
                    max_of_phase = max_of_phase.max(leave - cells[self.cell_of(event)].least_leave.0);
                }
                let open = &open[(phase - self.phases.start) as usize];
                let (enters, leaves) = (&events.enter[start..end], &events.leave[start..end]);
                lower(&open.first_enter, enters.iter().min().map_or(i64::MAX, |enter| enter.0));
                raise(&open.last_leave, leaves.iter().max().map_or(i64::MIN, |leave| leave.0));
                raise(&open.max_lateness, max);
                raise(&open.max_phase_lateness, max_of_phase);
                open.total_lateness.fetch_add(total, Relaxed);
                open.events.fetch_add((end - start) as u64, Relaxed);
                open.rows.fetch_add(1, Relaxed);
                start = end;
            }
        });
        open.into_iter().map(OpenPhase::close).collect()
    }
}

/// A phase that is being measured.
struct OpenPhase {
    first_enter: AtomicI64,
    last_leave: AtomicI64,
    rows: AtomicU32,
    events: AtomicU64,
    max_lateness: AtomicI64,
    total_lateness: AtomicI64,
    max_phase_lateness: AtomicI64,
}

impl Default for OpenPhase {
    fn default() -> OpenPhase {
        OpenPhase {
            first_enter: AtomicI64::new(i64::MAX),
            last_leave: AtomicI64::new(i64::MIN),
            rows: AtomicU32::new(0),
            events: AtomicU64::new(0),
            max_lateness: AtomicI64::new(0),
            total_lateness: AtomicI64::new(0),
            max_phase_lateness: AtomicI64::new(0),
        }
    }
}

impl OpenPhase {
    fn close(self) -> PhaseMeasures {
        PhaseMeasures {
            first_enter: Ns(self.first_enter.into_inner()),
            last_leave: Ns(self.last_leave.into_inner()),
            rows: self.rows.into_inner(),
            events: self.events.into_inner(),
            max_lateness: self.max_lateness.into_inner(),
            total_lateness: self.total_lateness.into_inner(),
            max_phase_lateness: self.max_phase_lateness.into_inner(),
        }
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
