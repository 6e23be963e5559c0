//! Counters: how much one grew during an event, and between it and the event before.

use std::path::Path;

use heddle_model::{LocationId, MetricId, Ns};
use heddle_store::{Columns, Progress, Store, StoreError};

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
    write_rows(directory, logical, progress, |row, add| {
        let readings = Readings::of(store, logical.rows.location.get(u64::from(row)), counter);
        let mut before = None;
        (&logical.events.enter, &logical.events.leave).for_each(logical.events_of(row), |(enter, leave)| {
            let aggregate = before.map_or(f64::NAN, |before: Ns| readings.growth(before.min(enter), enter));
            add(readings.growth(enter, leave), aggregate);
            before = Some(leave);
        });
    })
}

/// The readings of a counter on a location, as totals.
struct Readings(Vec<(Ns, f64)>);

impl Readings {
    fn of(store: &Store, location: LocationId, counter: MetricId) -> Readings {
        let table = &store.metric_values;
        let first = table.location.partition_point(0..table.len(), |other| other < location);
        let last = table.location.partition_point(first..table.len(), |other| other <= location);
        let is_relative = store.metrics.mode.get(u64::from(counter.0)) == "relative";
        let mut total = 0.0;
        let mut readings = Vec::new();
        (&table.metric, &table.time, &table.value).for_each(first..last, |(metric, time, value)| {
            if metric == counter {
                total = if is_relative { total + value } else { value };
                readings.push((time, total));
            }
        });
        Readings(readings)
    }

    /// The last reading up to a moment; before the first one nobody knows.
    fn at(&self, moment: Ns) -> f64 {
        let after = self.0.partition_point(|(time, _)| *time <= moment);
        after.checked_sub(1).map_or(f64::NAN, |last| self.0[last].1)
    }

    fn growth(&self, from: Ns, to: Ns) -> f64 {
        self.at(to) - self.at(from)
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;

    #[test]
    fn a_counter_grows_from_reading_to_reading() {
        let readings = Readings(vec![(Ns(10), 5.0), (Ns(20), 7.0), (Ns(20), 8.0), (Ns(30), 20.0)]);
        assert_eq!(readings.growth(Ns(10), Ns(19)), 0.0);
        assert_eq!(readings.growth(Ns(10), Ns(20)), 3.0);
        assert_eq!(readings.growth(Ns(25), Ns(99)), 12.0);
        assert!(readings.growth(Ns(0), Ns(20)).is_nan(), "nothing was read before 10");
    }
}
