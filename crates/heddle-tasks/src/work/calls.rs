//! Calls of a function as pieces of work, in any trace.

use heddle_model::{LocationId, RegionId, TaskId, TaskInfo};
use heddle_store::{Columns as _, Store};

use super::{Crew, Run, Runs, Worker, node_of};
use crate::ProgressError;

/// Kinds of locations that call nothing.
const METRIC: &str = "metric";

/// The calls of the functions of a name. A call inside another one of these is a part of it.
#[derive(Debug)]
pub struct CallRuns<'a> {
    store: &'a Store,
    crew: Crew,
}

impl<'a> CallRuns<'a> {
    /// The calls of the functions of a name.
    pub fn new(store: &'a Store, name: &str) -> Result<CallRuns<'a>, ProgressError> {
        let types = regions(store, name)?;
        let locations = (0..store.locations.len()).filter(|row| store.locations.kind.get(*row) != METRIC);
        let workers = locations.map(|row| {
            let kind = if store.locations.kind.get(row) == "accelerator-stream" { "GPU" } else { "CPU" };
            let location = LocationId(row as u32);
            (location, node_of(store, location).unwrap_or(0), kind.to_owned())
        });
        let crew = Crew::new(types, workers.collect());
        Ok(CallRuns { store, crew })
    }
}

impl Runs for CallRuns<'_> {
    fn crew(&self) -> &Crew {
        &self.crew
    }

    fn visit(&self, worker: &Worker, mut visit: impl FnMut(Run)) {
        let spans = &self.store.spans;
        // Calls come in the order of their begin, outer ones first; the depth at which the last one lies tells the rest.
        let mut within: Option<u16> = None;
        let columns = (&spans.region, &spans.depth, &spans.start, &spans.end);
        columns.for_each(self.store.spans_of(worker.location), |(region, depth, start, end)| {
            if within.is_some_and(|outer| depth <= outer) {
                within = None;
            }
            if within.is_none()
                && let Some(of) = self.crew.types.iter().position(|known| *known == region)
            {
                within = Some(depth);
                let (id, iteration) = (TaskId::NONE, TaskInfo::UNKNOWN);
                visit(Run { of: of as u32, start: start.0, end: end.0, id, iteration });
            }
        });
    }
}

/// The functions of a name.
pub(super) fn regions(store: &Store, name: &str) -> Result<Vec<RegionId>, ProgressError> {
    let names = || (0..store.regions.len()).map(|row| (row as u32, store.regions.name.get(row)));
    let found: Vec<RegionId> = names().filter(|(_, other)| *other == name).map(|(row, _)| RegionId(row)).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let words = ["tasks", "iterations", "steps"].into_iter();
    let nearest = names().map(|(_, other)| other).chain(words).min_by_key(|other| distance(name, other));
    Err(ProgressError::Unknown { name: name.to_owned(), nearest: nearest.unwrap_or("tasks").to_owned() })
}

/// How many letters have to be changed, put in or taken out, whatever their case.
fn distance(a: &str, b: &str) -> usize {
    // Names may be of any length; what differs does so early or is far anyway.
    let letters = |text: &str| -> Vec<char> { text.chars().flat_map(char::to_lowercase).take(200).collect() };
    let (a, b) = (letters(a), letters(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, letter) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (other, place) in b.iter().zip(1..) {
            let changed = diagonal + usize::from(letter != other);
            diagonal = row[place];
            row[place] = changed.min(row[place] + 1).min(row[place - 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances_count_letters() {
        assert_eq!(distance("dgem", "dgemm"), 1);
        assert_eq!(distance("DGEMM", "dgemm"), 0);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
