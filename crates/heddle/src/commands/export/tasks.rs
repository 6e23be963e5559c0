//! The tables of tasks: their runs, and what they wait for.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray, UInt32Array};
use rayon::prelude::*;

use heddle_model::{LocationId, Ns, SpanRow, TaskId, TaskInfo};
use heddle_store::Store;

use super::tables::{Column, Exported, times};

/// When each task was done: with its last run.
pub(super) struct TaskEnds(Vec<(TaskId, Ns)>);

impl TaskEnds {
    pub(super) fn of(store: &Store) -> TaskEnds {
        let row = |row: u64| (store.tasks.id.get(row), store.spans.end.get(store.tasks.span.get(row).0));
        let mut ends: Vec<(TaskId, Ns)> =
            (0..store.tasks.len()).into_par_iter().map(row).filter(|(id, _)| id.is_some()).collect();
        ends.par_sort_unstable();
        TaskEnds(ends)
    }

    fn get(&self, task: TaskId) -> Option<Ns> {
        let after = self.0.partition_point(|(id, _)| *id <= task);
        self.0[..after].last().filter(|(id, _)| *id == task).map(|(_, end)| *end)
    }

    /// When all that a task waits for was there: as the trace says, or the latest end of what it waits for if all of that
    /// is in the trace.
    fn ready(&self, store: &Store, row: u64) -> Option<Ns> {
        if let known @ Ns(_) = store.tasks.ready.get(row)
            && known.is_some()
        {
            return Some(known);
        }
        let ends: Option<Vec<Ns>> = waits_for(store, row).map(|on| self.get(on)).collect();
        ends?.into_iter().max()
    }
}

/// What the task of a row waits for.
fn waits_for(store: &Store, row: u64) -> impl Iterator<Item = TaskId> {
    let table = &store.dependencies;
    let first = table.task.partition_point(0..table.len(), |task| task < row);
    (first..table.len()).take_while(move |at| table.task.get(*at) == row).map(|at| table.on.get(at))
}

fn location(store: &Store, row: u64) -> LocationId {
    store.locations.of_span(SpanRow(store.tasks.span.get(row).0))
}

fn numbers(numbers: impl Iterator<Item = u32>) -> ArrayRef {
    Arc::new(numbers.map(|number| (number != TaskInfo::UNKNOWN).then_some(number)).collect::<UInt32Array>())
}

fn texts<T: AsRef<str>>(texts: impl Iterator<Item = Option<T>>) -> ArrayRef {
    Arc::new(texts.collect::<StringArray>())
}

pub(super) fn tasks(from: &Exported, rows: Range<u64>) -> Vec<Column> {
    let (store, table) = (from.store, &from.store.tasks);
    let locations: Vec<LocationId> = rows.clone().map(|row| location(store, row)).collect();
    let each = || locations.iter().map(|location| u64::from(location.0));
    let kind = |location: LocationId| {
        let workers = &store.workers;
        let at = workers.location.partition_point(0..workers.len(), |known| known < location);
        (at < workers.len() && workers.location.get(at) == location)
            .then(|| workers.kind.get(at))
            .filter(|kind| !kind.is_empty())
    };
    let span = |row: u64| table.span.get(row).0;
    let region = |row: u64| store.regions.name.get(u64::from(store.spans.region.get(span(row)).0));
    let ready = |row: u64| from.ends.and_then(|ends| ends.ready(store, row)).unwrap_or(Ns::NONE);
    vec![
        ("task", texts(table.id.iter(rows.clone()).map(|id| id.some().map(|id| id.to_string())))),
        ("type", texts(rows.clone().map(|row| Some(region(row))))),
        ("node", numbers(each().map(|location| store.locations.rank.get(location).some().map_or(0, |rank| rank.0)))),
        ("worker", texts(each().map(|location| Some(store.locations.name.get(location))))),
        ("kind", texts(locations.iter().map(|location| kind(*location)))),
        ("submit_ns", times(table.submitted.iter(rows.clone()))),
        ("ready_ns", times(rows.clone().map(ready))),
        ("start_ns", times(rows.clone().map(|row| store.spans.start.get(span(row))))),
        ("end_ns", times(rows.clone().map(|row| store.spans.end.get(span(row))))),
        ("iteration", numbers(table.iteration.iter(rows.clone()))),
        ("tile_row", numbers(table.tile_row.iter(rows.clone()))),
        ("tile_column", numbers(table.tile_column.iter(rows))),
    ]
}

pub(super) fn dependencies(from: &Exported, rows: Range<u64>) -> Vec<Column> {
    let (tasks, table) = (&from.store.tasks, &from.store.dependencies);
    let text = |id: TaskId| id.some().map(|id| id.to_string());
    vec![
        ("task", texts(table.task.iter(rows.clone()).map(|row| text(tasks.id.get(row))))),
        ("on", texts(table.on.iter(rows).map(text))),
    ]
}
