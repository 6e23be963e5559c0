//! Computes a result and writes its tables.

use std::collections::BTreeMap;
use std::path::Path;

use heddle_store::{BATCH_ROWS, Progress, Store, StoreError, TableWriter, write_table};
use rayon::prelude::*;

use crate::drawer::{Drawer, Piece};
use crate::extract::{Calls, Survey, survey};
use crate::hints::{PhaseSizes, hints};
use crate::measures::{Cell, bands, step_measures};
use crate::structure::{Numbered, Placed};
use crate::tables::{EventRows, EventTable, HintRows, PHASE_IS_SPLIT, PhaseRows, PhaseStepRows, RowRows, StepRows};
use crate::windows::{LaidOut, WindowSize, lay_out};
use crate::{LogicalOptions, structure, work};

/// How much memory computing may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// So many bytes, or more where a phase does not fit.
    About(u64),
    /// So many bytes; what does not fit is refused.
    AtMost(u64),
    /// Windows of a size.
    Windows(WindowSize),
}

/// Computes logical time and writes its tables to a directory. The result depends neither on the memory nor on the number of
/// threads.
pub fn build(
    store: &Store,
    options: &LogicalOptions,
    memory: Memory,
    directory: &Path,
    progress: &dyn Progress,
) -> Result<(), StoreError> {
    let survey = survey(store, options, progress)?;
    let size = match memory {
        Memory::About(bytes) => WindowSize::within(bytes, false, &survey),
        Memory::AtMost(bytes) => WindowSize::within(bytes, true, &survey),
        Memory::Windows(size) => size,
    };
    let LaidOut { drawer, numbered } = if options.leap_merge || options.leap_skip || options.phase_function.is_some() {
        size.allow(u64::from(survey.events()))?;
        lay_out_whole(&survey, options, directory, progress)?
    } else {
        lay_out(&survey, options, size, directory, progress)?
    };
    progress.begin(work::COMPARING, 3 * u64::from(survey.events()));
    write_events(&survey, &drawer, &numbered.number, directory, progress)?;
    drop(drawer);
    let mut output = ResultWriter { survey, numbered, directory, progress };
    output.numbered.number = Vec::new();
    let sizes = output.write_measures()?;
    output.write_rows()?;
    let text = hints(store, options, &output.survey, &sizes);
    write_table(directory, HintRows { text }).map(drop)
}

/// Phases and steps where every event may decide about every other.
fn lay_out_whole<'a>(
    survey: &'a Survey,
    options: &LogicalOptions,
    directory: &'a Path,
    progress: &dyn Progress,
) -> Result<LaidOut<'a>, StoreError> {
    let structure = structure(&survey.everything(progress)?, options, progress)?;
    let mut drawer = Drawer::create(directory, &survey.first_of_row)?;
    let cuts = survey.first_of_row[1..].to_vec();
    drawer.add(&survey.first_of_row, &Placed { cuts, phase: structure.phase, step: structure.step })?;
    let number = (0..structure.phases.len() as u32).collect();
    Ok(LaidOut { drawer, numbered: Numbered { phases: structure.phases, number, steps: structure.steps } })
}

fn write_events(
    survey: &Survey,
    drawer: &Drawer,
    number: &[u32],
    directory: &Path,
    progress: &dyn Progress,
) -> Result<(), StoreError> {
    let rows_of = |piece: &Piece| -> Result<EventRows, StoreError> {
        let placed = drawer.read(piece)?;
        let (mut calls, mut rows) = (Calls::default(), EventRows::default());
        for (row, events) in placed.rows {
            rows.kind.extend(survey.kinds(events.clone()));
            survey.calls(row, events, &mut calls);
        }
        rows.phase.extend(placed.phase.iter().map(|&place| number[place as usize]));
        (rows.span, rows.enter, rows.leave, rows.step) = (calls.span, calls.enter, calls.leave, placed.step);
        Ok(rows)
    };
    let mut writer = TableWriter::<EventRows>::create(directory)?;
    for pieces in drawer.pieces().chunks(2 * rayon::current_num_threads()) {
        progress.check()?;
        let read: Vec<EventRows> = pieces.par_iter().map(rows_of).collect::<Result<_, StoreError>>()?;
        for mut rows in read {
            progress.advance(rows.kind.len() as u64);
            writer.append_from(&mut rows)?;
        }
    }
    writer.finish().map(drop)
}

/// What is written, and where.
struct ResultWriter<'a> {
    survey: Survey<'a>,
    numbered: Numbered,
    directory: &'a Path,
    progress: &'a dyn Progress,
}

impl ResultWriter<'_> {
    /// Measures the events that were written.
    fn write_measures(&self) -> Result<PhaseSizes, StoreError> {
        let ResultWriter { survey, numbered, directory, progress } = self;
        let events = EventTable::open(directory)?;
        let first_of_row = &survey.first_of_row;
        let steps = step_measures(first_of_row, &events, numbered.steps);
        let mut phase_writer = TableWriter::<PhaseRows>::create(directory)?;
        let mut cell_writer = TableWriter::<PhaseStepRows>::create(directory)?;
        let mut first_cell = 0;
        let mut sizes = PhaseSizes { phases: BTreeMap::new(), split: 0 };
        for band in bands(first_of_row, &events, &numbered.phases, &steps) {
            progress.check()?;
            let mut done = 0;
            for (phase, measures) in band.phases.zip(&band.measures) {
                let steps = numbered.phases[phase as usize];
                let (_, rows) = phase_writer.pending();
                rows.first_step.push(steps.first_step);
                rows.last_step.push(steps.last_step);
                rows.first_cell.push(first_cell);
                rows.first.push(measures.first_enter);
                rows.last.push(measures.last_leave);
                rows.rows.push(measures.rows);
                rows.events.push(measures.events);
                rows.max_lateness.push(measures.max_lateness);
                rows.total_lateness.push(measures.total_lateness);
                rows.max_phase_lateness.push(measures.max_phase_lateness);
                rows.flags.push(if steps.is_split { PHASE_IS_SPLIT } else { 0 });
                phase_writer.flush_full()?;
                first_cell += u64::from(steps.last_step - steps.first_step) + 1;
                done += measures.events;
                *sizes.phases.entry(measures.events).or_insert(0) += 1;
                sizes.split += u64::from(steps.is_split);
            }
            for cells in band.cells.chunks(BATCH_ROWS) {
                let (_, rows) = cell_writer.pending();
                rows.least_leave.extend(cells.iter().map(|cell| cell.least_leave));
                rows.least_enter.extend(cells.iter().map(|cell| cell.least_enter));
                rows.shortest_leave.extend(cells.iter().map(Cell::shortest_leave));
                rows.least_gap.extend(cells.iter().map(|cell| cell.least_gap));
                cell_writer.flush_full()?;
            }
            progress.advance(2 * done);
        }
        phase_writer.finish().map(drop)?;
        cell_writer.finish().map(drop)?;
        write_table(
            directory,
            StepRows {
                first_enter: steps.least_enter,
                last_leave: steps.last_leave,
                least_leave: steps.least_leave,
                events: steps.events,
            },
        )?;
        Ok(sizes)
    }

    fn write_rows(&self) -> Result<(), StoreError> {
        let location = self.survey.locations().to_vec();
        let first_event = self.survey.first_of_row.iter().take(location.len()).map(|first| u64::from(*first)).collect();
        write_table(self.directory, RowRows { location, first_event }).map(drop)
    }
}
