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
use heddle_store::Columns;
use rayon::prelude::*;

use crate::tables::EventTable;
use crate::{Events, PhaseSteps, Structure};

/// An event as it is compared with others.
#[derive(Clone, Copy, Debug)]
pub struct PlacedEvent {
    /// When it was entered.
    pub enter: Ns,
    /// When it was left.
    pub leave: Ns,
    /// Its phase.
    pub phase: u32,
    /// Its step.
    pub step: u32,
}

/// Events with phases and steps, in memory or as they are kept.
pub trait PlacedColumns: Sync {
    /// Visits neighbouring events.
    fn for_each(&self, events: Range<u32>, visit: impl FnMut(PlacedEvent));

    /// The first of some events of a row whose phase is not below `end`.
    fn first_of(&self, events: Range<u32>, end: u32) -> u32;
}

impl PlacedColumns for (&Events, &Structure) {
    fn for_each(&self, range: Range<u32>, mut visit: impl FnMut(PlacedEvent)) {
        let (events, structure) = self;
        for event in range.start as usize..range.end as usize {
            let (enter, leave) = (events.enter[event], events.leave[event]);
            visit(PlacedEvent { enter, leave, phase: structure.phase[event], step: structure.step[event] });
        }
    }

    fn first_of(&self, range: Range<u32>, end: u32) -> u32 {
        let phases = &self.1.phase[range.start as usize..range.end as usize];
        range.start + phases.partition_point(|&phase| phase < end) as u32
    }
}

impl PlacedColumns for EventTable {
    fn for_each(&self, range: Range<u32>, mut visit: impl FnMut(PlacedEvent)) {
        let rows = u64::from(range.start)..u64::from(range.end);
        (&self.enter, &self.leave, &self.phase, &self.step)
            .for_each(rows, |(enter, leave, phase, step)| visit(PlacedEvent { enter, leave, phase, step }));
    }

    fn first_of(&self, range: Range<u32>, end: u32) -> u32 {
        // Bands are short, rows are long.
        let (mut from, mut width) = (u64::from(range.start), 8);
        while from + width < u64::from(range.end) && self.phase.get(from + width) < end {
            from += width;
            width *= 2;
        }
        self.phase.partition_point(from..u64::from(range.end).min(from + width), |phase| phase < end) as u32
    }
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

impl Cell {
    /// When the shortest of the calls would have been left, had it been entered with the first.
    pub(crate) fn shortest_leave(&self) -> Ns {
        Ns(self.least_enter.0.wrapping_add(self.least_duration))
    }
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

/// Minima, counts and ends of the steps, of which there are `steps`.
pub fn step_measures(first_of_row: &[u32], events: &impl PlacedColumns, steps: u32) -> StepMeasures {
    let steps = steps as usize;
    let (least_enter, least_leave, last_leave) =
        (filled(steps, i64::MAX), filled(steps, i64::MAX), filled(steps, i64::MIN));
    let count: Vec<AtomicU32> = (0..steps).map(|_| AtomicU32::new(0)).collect();
    first_of_row.par_windows(2).for_each(|row| {
        events.for_each(row[0]..row[1], |event| {
            let step = event.step as usize;
            lower(&least_enter[step], event.enter.0);
            lower(&least_leave[step], event.leave.0);
            raise(&last_leave[step], event.leave.0);
            count[step].fetch_add(1, Relaxed);
        });
    });
    StepMeasures {
        least_enter: times(least_enter),
        least_leave: times(least_leave),
        last_leave: times(last_leave),
        events: count.into_iter().map(AtomicU32::into_inner).collect(),
    }
}

/// All phases, band by band: there may be many, and few are needed at a time. `steps` as from [`step_measures`].
pub fn bands<'a, E: PlacedColumns>(
    first_of_row: &'a [u32],
    events: &'a E,
    phases: &'a [PhaseSteps],
    steps: &'a StepMeasures,
) -> Bands<'a, E> {
    let rows = first_of_row.len().saturating_sub(1);
    Bands { first_of_row, events, phases, steps, next: first_of_row[..rows].to_vec(), phase: 0 }
}

/// Cells that are measured at a time, about.
const BAND: u32 = 1 << 18;

/// Goes through phases. Along each row phases ascend, so a place on each row says where the next band begins.
#[derive(Clone, Debug)]
pub struct Bands<'a, E> {
    first_of_row: &'a [u32],
    events: &'a E,
    phases: &'a [PhaseSteps],
    steps: &'a StepMeasures,
    /// The next event of each row.
    next: Vec<u32>,
    /// The next phase.
    phase: u32,
}

impl<E: PlacedColumns> Iterator for Bands<'_, E> {
    type Item = Band;

    fn next(&mut self) -> Option<Band> {
        let (mut end, mut cells, mut first_cells) = (self.phase, 0, Vec::new());
        while (end as usize) < self.phases.len() && cells < BAND {
            first_cells.push(cells);
            let phase = self.phases[end as usize];
            cells += phase.last_step - phase.first_step + 1;
            end += 1;
        }
        let phases = std::mem::replace(&mut self.phase, end)..end;
        if phases.is_empty() {
            return None;
        }
        let ends: Vec<u32> = (self.next.par_iter().zip(self.first_of_row.par_windows(2)))
            .map(|(&next, row)| self.events.first_of(next..row[1], end))
            .collect();
        let starts = std::mem::replace(&mut self.next, ends);
        let band = OpenBand { bands: self, phases, starts: &starts, first_cells };
        let cells = band.cells(cells);
        let measures = band.measures(&cells);
        Some(Band { phases: band.phases, cells, measures })
    }
}

/// A band that is being measured.
struct OpenBand<'a, E> {
    bands: &'a Bands<'a, E>,
    phases: Range<u32>,
    /// The first event of each row.
    starts: &'a [u32],
    /// The first cell of each phase.
    first_cells: Vec<u32>,
}

impl<E: PlacedColumns> OpenBand<'_, E> {
    /// The events of each row, with the first event of the whole row.
    fn rows(&self) -> impl ParallelIterator<Item = (u32, Range<u32>)> {
        let Bands { next, first_of_row, .. } = self.bands;
        let rows = self.starts.par_iter().zip(next).zip(*first_of_row);
        rows.map(|((&start, &end), &first)| (first, start..end)).filter(|(_, row)| !row.is_empty())
    }

    fn cell_of(&self, event: PlacedEvent) -> usize {
        let first = self.first_cells[(event.phase - self.phases.start) as usize];
        (first + event.step - self.bands.phases[event.phase as usize].first_step) as usize
    }

    fn cells(&self, count: u32) -> Vec<Cell> {
        let least: Vec<[AtomicI64; 4]> = (0..count).map(|_| [const { AtomicI64::new(i64::MAX) }; 4]).collect();
        self.rows().for_each(|(first, row)| {
            let mut before = None;
            if first < row.start {
                self.bands.events.for_each(row.start - 1..row.start, |event| before = Some(event.leave));
            }
            self.bands.events.for_each(row, |event| {
                let (enter, leave) = (event.enter.0, event.leave.0);
                let gap = before.replace(event.leave).map_or(0, |before| (enter - before.0).max(0));
                let least = &least[self.cell_of(event)];
                for (least, value) in least.iter().zip([leave, enter, leave - enter, gap]) {
                    lower(least, value);
                }
            });
        });
        let cell = |least: [AtomicI64; 4]| {
            let [leave, enter, least_duration, least_gap] = least.map(AtomicI64::into_inner);
            Cell { least_leave: Ns(leave), least_enter: Ns(enter), least_duration, least_gap }
        };
        least.into_iter().map(cell).collect()
    }

    fn measures(&self, cells: &[Cell]) -> Vec<PhaseMeasures> {
        let open: Vec<OpenPhase> = self.phases.clone().map(|_| OpenPhase::default()).collect();
        let Bands { events, steps, .. } = self.bands;
        self.rows().for_each(|(_, row)| {
            // The events of a phase are neighbours on a row.
            let mut run: Option<(u32, Run)> = None;
            events.for_each(row, |event| {
                if run.as_ref().is_some_and(|(phase, _)| *phase != event.phase)
                    && let Some((phase, run)) = run.take()
                {
                    run.add_to(&open[(phase - self.phases.start) as usize]);
                }
                let lateness = event.leave.0 - steps.least_leave[event.step as usize].0;
                let of_phase = event.leave.0 - cells[self.cell_of(event)].least_leave.0;
                run.get_or_insert_with(|| (event.phase, Run::default())).1.take(event, lateness, of_phase);
            });
            if let Some((phase, run)) = run {
                run.add_to(&open[(phase - self.phases.start) as usize]);
            }
        });
        open.into_iter().map(OpenPhase::close).collect()
    }
}

/// Neighbours on a row in one phase.
struct Run {
    first_enter: i64,
    last_leave: i64,
    events: u64,
    max_lateness: i64,
    total_lateness: i64,
    max_phase_lateness: i64,
}

impl Default for Run {
    fn default() -> Run {
        Run {
            first_enter: i64::MAX,
            last_leave: i64::MIN,
            events: 0,
            max_lateness: 0,
            total_lateness: 0,
            max_phase_lateness: 0,
        }
    }
}

impl Run {
    fn take(&mut self, event: PlacedEvent, lateness: i64, of_phase: i64) {
        self.first_enter = self.first_enter.min(event.enter.0);
        self.last_leave = self.last_leave.max(event.leave.0);
        self.events += 1;
        self.max_lateness = self.max_lateness.max(lateness);
        self.total_lateness = self.total_lateness.wrapping_add(lateness);
        self.max_phase_lateness = self.max_phase_lateness.max(of_phase);
    }

    fn add_to(self, phase: &OpenPhase) {
        lower(&phase.first_enter, self.first_enter);
        raise(&phase.last_leave, self.last_leave);
        raise(&phase.max_lateness, self.max_lateness);
        raise(&phase.max_phase_lateness, self.max_phase_lateness);
        phase.total_lateness.fetch_add(self.total_lateness, Relaxed);
        phase.events.fetch_add(self.events, Relaxed);
        phase.rows.fetch_add(1, Relaxed);
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
