//! Counters: what one says of an event, and of the time between it and the event before.

use std::path::Path;

use heddle_model::{MetricId, Ns};
use heddle_store::{Columns, Counter, Progress, Store, StoreError};

use super::side::write_rows;
use crate::Logical;

/// Writes the values of all events.
pub(super) fn write(
    directory: &Path,
    store: &Store,
    logical: &Logical,
    counter: MetricId,
    progress: &dyn Progress,
) -> Result<(), StoreError> {
    let counter = Counter::new(store, counter);
    write_rows(directory, logical, progress, |row, add| {
        let series = counter.at(logical.rows.location.get(u64::from(row)));
        let value = |from: Ns, to: Ns| series.value((from, to)).unwrap_or(f64::NAN);
        let mut before = None;
        (&logical.events.enter, &logical.events.leave).for_each(logical.events_of(row), |(enter, leave)| {
            let aggregate = before.map_or(f64::NAN, |before: Ns| value(before.min(enter), enter));
            add(value(enter, leave), aggregate);
            before = Some(leave);
        });
    })
}
