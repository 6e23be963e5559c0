//! Computes a result and writes its tables.

use std::path::Path;

use heddle_store::{BATCH_ROWS, Progress, Store, StoreError, TableWriter, write_table};

use crate::extract::{Extracted, extract};
use crate::hints::hints;
use crate::measures::{bands, step_measures};
use crate::tables::{EventRows, HintRows, PHASE_IS_SPLIT, PhaseRows, PhaseStepRows, RowRows, StepRows};
use crate::{LogicalOptions, Structure, structure, work};

/// Computes logical time and writes its tables to a directory.
pub(crate) fn build(
    store: &Store,
    options: &LogicalOptions,
    directory: &Path,
    progress: &dyn Progress,
) -> Result<(), StoreError> {
    let mut extracted = extract(store, options, progress)?;
    let structure = structure(&extracted.events, options, progress)?;
    // Hints look at phases and events; nobody needs messages and members any more, and they are many.
    extracted.events.messages = Vec::new();
    extracted.events.members = Vec::new();
    extracted.events.is_joined = Vec::new();
    let total = extracted.events.kind.len() as u64;
    progress.begin(work::COMPARING, 3 * total);
    let output = ResultWriter { extracted: &extracted, structure: &structure, directory, progress };
    // The events are most of what is written, and writing takes one core.
    let (events, others) = rayon::join(
        || output.write_events(store),
        || {
            output.write_measures()?;
            output.write_rows()?;
            let text = hints(store, options, &extracted, &structure);
            write_table(directory, HintRows { text }).map(drop)
        },
    );
    events.and(others)
}

/// What is written, and where.
#[derive(Clone, Copy)]
struct ResultWriter<'a> {
    extracted: &'a Extracted,
    structure: &'a Structure,
    directory: &'a Path,
    progress: &'a dyn Progress,
}

impl ResultWriter<'_> {
    fn write_measures(&self) -> Result<(), StoreError> {
        let ResultWriter { extracted, structure, directory, progress } = *self;
        let events = &extracted.events;
        let steps = step_measures(events, structure);
        let mut phase_writer = TableWriter::<PhaseRows>::create(directory)?;
        let mut cell_writer = TableWriter::<PhaseStepRows>::create(directory)?;
        let mut first_cell = 0;
        for band in bands(events, structure, &steps) {
            progress.check()?;
            let mut done = 0;
            for (phase, measures) in band.phases.zip(&band.measures) {
                let steps = structure.phases[phase as usize];
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
            }
            for cells in band.cells.chunks(BATCH_ROWS) {
                let (_, rows) = cell_writer.pending();
                rows.least_leave.extend(cells.iter().map(|cell| cell.least_leave));
                rows.least_enter.extend(cells.iter().map(|cell| cell.least_enter));
                rows.least_duration.extend(cells.iter().map(|cell| cell.least_duration));
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
        )
        .map(drop)
    }

    fn write_rows(&self) -> Result<(), StoreError> {
        let ResultWriter { extracted, directory, .. } = *self;

        let location = extracted.locations().to_vec();
        let first_event =
            extracted.events.first_of_row.iter().take(location.len()).map(|first| u64::from(*first)).collect();
        write_table(directory, RowRows { location, first_event }).map(drop)
    }

    fn write_events(&self, store: &Store) -> Result<(), StoreError> {
        let ResultWriter { extracted, structure, directory, progress } = *self;
        let events = &extracted.events;
        let mut writer = TableWriter::<EventRows>::create(directory)?;
        let mut spans = (0..extracted.locations().len()).flat_map(|row| extracted.spans_of_row(store, row));
        let total = events.kind.len();
        for first in (0..total).step_by(BATCH_ROWS) {
            progress.check()?;
            let part = first..(first + BATCH_ROWS).min(total);
            let (_, rows) = writer.pending();
            rows.span.extend(spans.by_ref().take(part.len()));
            rows.enter.extend_from_slice(&events.enter[part.clone()]);
            rows.leave.extend_from_slice(&events.leave[part.clone()]);
            rows.kind.extend(part.clone().map(|event| events.kind[event] as u8 | extracted.flags[event]));
            rows.phase.extend_from_slice(&structure.phase[part.clone()]);
            rows.step.extend_from_slice(&structure.step[part.clone()]);
            progress.advance(part.len() as u64);
            writer.flush_full()?;
        }
        writer.finish().map(drop)
    }
}
