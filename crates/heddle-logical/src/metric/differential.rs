//! Differential lateness: what an event adds to the lateness that it inherits.

use std::path::Path;

use heddle_store::{Progress, Store, StoreError};

use super::side::write_rows;
use crate::event_times::EventTimes;
use crate::{Logical, measures};

/// Writes the values of all events.
pub(super) fn write(
    directory: &Path,
    store: &Store,
    logical: &Logical,
    of_phase: bool,
    progress: &dyn Progress,
) -> Result<(), StoreError> {
    let lateness = |event: u64| if of_phase { logical.phase_lateness(event) } else { logical.lateness(event) };
    let both = |event: &EventTimes| {
        if of_phase {
            (event.phase_lateness(logical), event.phase_aggregate_lateness(logical))
        } else {
            (event.lateness(logical), event.aggregate_lateness(logical))
        }
    };
    write_rows(directory, logical, progress, |row, add| {
        let mut previous = None;
        let mut received = logical.received_by(store, row).into_iter().peekable();
        let events = logical.events_of(row);
        let mut at = events.start;
        logical.for_each_event(row, events, |event| {
            let (late, late_aggregate) = both(&event);
            let senders = std::iter::from_fn(|| received.next_if(|(receive, _)| *receive <= at));
            let own = measures::differential(late, late_aggregate, senders.map(|(_, sender)| lateness(sender)));
            add(own as f64, measures::aggregate_differential(late_aggregate, previous) as f64);
            previous = Some(late);
            at += 1;
        });
    })
}
