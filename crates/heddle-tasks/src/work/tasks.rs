//! Runs of tasks.

use std::ops::Range;

use heddle_model::{LocationId, RegionId, TaskId};
use heddle_store::{Columns as _, Progress, Store, StoreError};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Crew, Run, Runs, Worker, node_of};

/// The runs of all tasks of a trace. Types are the functions that tasks ran.
#[derive(Debug)]
pub struct TaskRuns<'a> {
    store: &'a Store,
    crew: Crew,
    /// By region: its position among the types.
    type_of: Vec<u32>,
    has_iterations: bool,
}

impl<'a> TaskRuns<'a> {
    /// The tasks of a trace; with the iterations that they belong to if those are asked for.
    pub fn new(store: &'a Store, has_iterations: bool, progress: &dyn Progress) -> Result<TaskRuns<'a>, StoreError> {
        let mut kinds: FxHashMap<LocationId, String> = (0..store.workers.len())
            .map(|row| (store.workers.location.get(row), store.workers.kind.get(row).to_owned()))
            .collect();
        // Who runs a task is a worker, whether the trace says so or not.
        for location in (0..store.locations.len() as u32).map(LocationId) {
            if !rows_of(store, location).is_empty() {
                kinds.entry(location).or_default();
            }
        }
        // Who has no rank belongs to the process that its tasks are numbered by.
        let process = |location: LocationId| {
            let ids = store.tasks.id.iter(rows_of(store, location));
            ids.filter(|id| id.is_some()).map(TaskId::process).next()
        };
        let node = |location: LocationId| node_of(store, location).or_else(|| process(location)).unwrap_or(0);
        let workers: Vec<(LocationId, u32, String)> =
            kinds.into_iter().map(|(location, kind)| (location, node(location), kind)).collect();
        let used = workers
            .par_iter()
            .map(|(location, _, _)| {
                progress.check()?;
                let mut used = vec![false; store.regions.len() as usize];
                let mut regions = store.spans.region.cursor();
                for span in store.tasks.span.iter(rows_of(store, *location)) {
                    if let Some(used) = used.get_mut(regions.get(span.0).index()) {
                        *used = true;
                    }
                }
                Ok(used)
            })
            .try_reduce(Vec::new, |a, b| {
                let (mut longer, shorter) = if a.len() < b.len() { (b, a) } else { (a, b) };
                longer.iter_mut().zip(shorter).for_each(|(sum, part)| *sum |= part);
                Ok::<Vec<bool>, StoreError>(longer)
            })?;
        let mut type_of = vec![u32::MAX; used.len()];
        let mut types = Vec::new();
        for region in (0..used.len()).filter(|region| used[*region]) {
            type_of[region] = types.len() as u32;
            types.push(RegionId(region as u32));
        }
        Ok(TaskRuns { store, crew: Crew::new(types, workers), type_of, has_iterations })
    }
}

/// The rows of a location in the tasks table.
fn rows_of(store: &Store, location: LocationId) -> Range<u64> {
    let spans = store.spans_of(location);
    let at = |span: u64| store.tasks.span.partition_point(0..store.tasks.len(), |row| row.0 < span);
    at(spans.start)..at(spans.end)
}

impl Runs for TaskRuns<'_> {
    fn crew(&self) -> &Crew {
        &self.crew
    }

    fn visit(&self, worker: &Worker, mut visit: impl FnMut(Run)) {
        let (spans, tasks) = (&self.store.spans, &self.store.tasks);
        let (mut starts, mut ends, mut regions) = (spans.start.cursor(), spans.end.cursor(), spans.region.cursor());
        let mut run = |span: u64, id: TaskId, iteration: u32| {
            let of = self.type_of.get(regions.get(span).index()).copied().unwrap_or(u32::MAX);
            if of != u32::MAX {
                visit(Run { of, start: starts.get(span).0, end: ends.get(span).0, id, iteration });
            }
        };
        let rows = rows_of(self.store, worker.location);
        if self.has_iterations {
            let columns = (&tasks.span, &tasks.id, &tasks.iteration);
            columns.for_each(rows, |(span, id, iteration)| run(span.0, id, iteration));
        } else {
            (&tasks.span, &tasks.id).for_each(rows, |(span, id)| run(span.0, id, u32::MAX));
        }
    }

    fn repeated(&self, workers: &[Worker]) -> FxHashSet<TaskId> {
        let rows: Vec<Range<u64>> = workers.iter().map(|worker| rows_of(self.store, worker.location)).collect();
        let ids = || {
            let ids = rows.iter().flat_map(|rows| self.store.tasks.id.iter(rows.clone()));
            ids.filter(|id| id.is_some()).map(|id| id.0)
        };
        repeated(ids).into_iter().map(TaskId).collect()
    }
}

/// The numbers that occur more than once. Runtimes count, so a bit for each number is mostly enough to tell.
fn repeated<I: Iterator<Item = u64>>(numbers: impl Fn() -> I) -> Vec<u64> {
    let (mut least, mut largest, mut count) = (u64::MAX, 0, 0u64);
    for number in numbers() {
        (least, largest, count) = (least.min(number), largest.max(number), count + 1);
    }
    let mut twice = Vec::new();
    if count == 0 {
        return twice;
    }
    let range = (largest - least).saturating_add(1);
    if range / 64 <= count {
        let mut seen = vec![0u64; (range / 64 + 1) as usize];
        for number in numbers() {
            let (word, bit) = (((number - least) / 64) as usize, (number - least) % 64);
            if seen[word] >> bit & 1 == 1 {
                twice.push(number);
            }
            seen[word] |= 1 << bit;
        }
    } else {
        let mut sorted: Vec<u64> = numbers().collect();
        sorted.sort_unstable();
        twice.extend(sorted.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]));
    }
    twice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_numbers_are_found_whether_they_are_dense_or_not() {
        for numbers in [vec![7, 5, 6, 5, 9], vec![1 << 50, 5, 1 << 30, 5, 0], vec![u64::MAX - 1, 0, 5, 5]] {
            assert_eq!(repeated(|| numbers.iter().copied()), [5]);
        }
        assert!(repeated(std::iter::empty).is_empty());
        assert!(repeated(|| 3..1000).is_empty());
    }
}
