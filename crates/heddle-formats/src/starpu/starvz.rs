//! The tables that StarVZ makes of a StarPU trace in its first phase: one CSV file for each nature of things, in a folder.
//!
//! `paje.worker_state.csv` is the main one; the others are read where they are there. Their rows are those of `pj_dump`,
//! whose reader takes them. `entities.csv` says which workers there were, also those that never did anything; it is
//! believed only if it knows all those that did something, since folders are put together by hand.

use std::collections::BTreeSet;

use heddle_model::{WarningKind, Warnings};

use super::beside::{Beside, STARVZ, find};
use super::text::{Headings, columns, for_each_line_beside};
use crate::paje::pj_dump::Table;
use crate::{Gathered, Input, OpenError, head, starpu};

/// The main table.
pub(super) const MAIN: &str = "paje.worker_state.csv";

/// Further tables with rows of `pj_dump`.
const ROWS: [&str; 6] = [
    "paje.comm_state.csv",
    "paje.memory_state.csv",
    "paje.other_state.csv",
    "paje.variable.csv",
    "paje.link.csv",
    "paje.events.csv",
];

/// All that may lie beside the main table.
pub(super) const TABLES: [&str; 10] = [
    ROWS[0],
    ROWS[1],
    ROWS[2],
    ROWS[3],
    ROWS[4],
    ROWS[5],
    "rec.tasks.csv",
    "dag.csv",
    "rec.data_handles.csv",
    "entities.csv",
];

/// Whether the beginning of a file is that of StarVZ's table of workers' states.
pub fn recognise(head: &[u8]) -> bool {
    let first = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).find(|line| !line.is_empty());
    let columns = first.map(columns).unwrap_or_default();
    let has = |name: &[u8]| columns.contains(&name);
    columns.first() == Some(&&b"Nature"[..]) && has(b"ResourceId") && has(b"Depth") && has(b"JobId")
}

/// Reads the tables of a folder.
pub fn open<'a>(input: &Input<'a>) -> Result<Gathered<'a>, OpenError> {
    let [name] = input.names else {
        return Err(OpenError::Wrong {
            place: input.names.first().cloned().unwrap_or_default(),
            what: format!(
                "tables of StarVZ are one folder, and {} were given; open them one by one",
                input.names.len()
            ),
        });
    };
    if !recognise(&head(input.files, name, crate::HEAD).map_err(OpenError::unreadable(name))?) {
        let what = "not StarVZ's table of workers' states: its first line should have the columns Nature, ResourceId, Depth \
                    and JobId";
        return Err(OpenError::Wrong { place: name.clone(), what: what.to_owned() });
    }
    let is_folder = super::beside::plain_name(name) == MAIN;
    let mut warnings = Warnings::default();
    let beside = if is_folder { Beside::read(input, name, STARVZ, &mut warnings)? } else { None };
    let mut table = Table::of_starpu(input, beside);
    table.read(input, name, true, &mut warnings)?;
    if is_folder {
        declare_workers(&mut table, input, name, &mut warnings)?;
        for file in ROWS.iter().filter_map(|file| find(input.files, name, file)) {
            match table.read(input, &file, false, &mut warnings) {
                Err(OpenError::Unreadable { place, cause }) => {
                    let text =
                        format!("a table beside the main one could not be read ({cause}); the trace is without it");
                    warnings.add(WarningKind::MissingFile, || place, &text);
                }
                read => read?,
            }
        }
    }
    Ok(table.finish("starvz", name, warnings))
}

/// Workers that never did anything.
fn declare_workers(table: &mut Table, input: &Input, main: &str, warnings: &mut Warnings) -> Result<(), OpenError> {
    let Some(name) = find(input.files, main, "entities.csv") else { return Ok(()) };
    let mut headings = Headings::default();
    let mut declared: Vec<String> = Vec::new();
    for_each_line_beside(input, &name, warnings, |_, line| {
        headings.with(line, |fields| {
            let is_worker = fields.get("Type") == Some(b"Worker") && fields.get("Nature") == Some(b"Container");
            if let Some(worker) = fields.get("Name").filter(|_| is_worker) {
                declared.push(String::from_utf8_lossy(worker).into_owned());
            }
        });
    })?;
    let seen = table.containers_of_type("Worker");
    declare_known(table, &name, declared, &seen, warnings);
    Ok(())
}

/// Adds workers that a file lists to those that were seen doing something, if it is of the same run: then it knows these.
pub(super) fn declare_known(
    table: &mut Table,
    file: &str,
    mut declared: Vec<String>,
    seen: &[String],
    warnings: &mut Warnings,
) {
    let known: BTreeSet<&str> = declared.iter().map(String::as_str).collect();
    if let Some(stranger) = seen.iter().find(|worker| !known.contains(worker.as_str())) {
        let text = "the workers that this file lists are not those of the states, so it is of another run; only workers that \
                    did something are shown";
        warnings.add(WarningKind::Assumed, || format!("{file}, without {stranger}"), text);
        return;
    }
    declared.sort_by_key(|worker| starpu::of_process(worker).0);
    for worker in &declared {
        table.worker(worker);
    }
}
