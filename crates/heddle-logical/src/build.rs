//! Computes a result and writes its tables.

use std::path::Path;

use heddle_model::Ns;
use heddle_store::{BATCH_ROWS, Progress, Stage, Store, StoreError, TableWriter, write_table};

use crate::extract::{Extracted, extract};
use crate::hints::hints;
use crate::measures::{Measure, first_cells, least_of_cells, phase_measures, step_measures};
use crate::tables::{EventRows, HintRows, PHASE_IS_SPLIT, PhaseRows, PhaseStepRows, RowRows, StepRows};
use crate::{LogicalOptions, Structure, structure};

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
    progress.stage(Stage::Metrics, 3 * total);
    write_measures(&extracted, &structure, directory)?;
    progress.advance(2 * total);
    progress.check()?;
    write_events(store, &extracted, &structure, directory, progress)?;
    write_rows(&extracted, directory)?;
    let text = hints(store, options, &extracted, &structure);
    write_table(directory, HintRows { text }).map(drop)
}

fn write_measures(extracted: &Extracted, structure: &Structure, directory: &Path) -> Result<(), StoreError> {
    let events = &extracted.events;
    let steps = step_measures(events, structure);
    let cells = first_cells(structure);
    let times = |values: Vec<i64>| -> Vec<Ns> { values.into_iter().map(Ns).collect() };
    let least = |measure| least_of_cells(events, structure, &cells, measure);
    let least_leave = least(Measure::Leave);
    let phases = phase_measures(events, structure, &steps, &cells, &least_leave);
    write_table(
        directory,
        PhaseStepRows {
            least_leave: times(least_leave),
            least_enter: times(least(Measure::Enter)),
            least_duration: least(Measure::Duration),
            least_gap: least(Measure::Gap),
        },
    )?;
    write_table(
        directory,
        StepRows {
            first_enter: steps.least_enter,
            last_leave: steps.last_leave,
            least_leave: steps.least_leave,
            events: steps.events,
        },
    )?;
    let flag = |is_split: bool| if is_split { PHASE_IS_SPLIT } else { 0 };
    write_table(
        directory,
        PhaseRows {
            first_step: structure.phases.iter().map(|phase| phase.first_step).collect(),
            last_step: structure.phases.iter().map(|phase| phase.last_step).collect(),
            first_cell: cells.iter().take(structure.phases.len()).map(|cell| u64::from(*cell)).collect(),
            first: phases.first_enter,
            last: phases.last_leave,
            rows: phases.rows,
            events: phases.events,
            max_lateness: phases.max_lateness,
            total_lateness: phases.total_lateness,
            max_phase_lateness: phases.max_phase_lateness,
            flags: structure.phases.iter().map(|phase| flag(phase.is_split)).collect(),
        },
    )
    .map(drop)
}

fn write_rows(extracted: &Extracted, directory: &Path) -> Result<(), StoreError> {
    let location = extracted.locations().to_vec();
    let first_event =
        extracted.events.first_of_row.iter().take(location.len()).map(|first| u64::from(*first)).collect();
    write_table(directory, RowRows { location, first_event }).map(drop)
}

fn write_events(
    store: &Store,
    extracted: &Extracted,
    structure: &Structure,
    directory: &Path,
    progress: &dyn Progress,
) -> Result<(), StoreError> {
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
