//! What a counter says of a stretch of time on a location: the one meaning that it has in all views.
//!
//! A value of an accumulated counter is that at the end less that at the start, each the last one that was recorded by
//! then. One of an absolute counter is the last one by the end. Of a counter of differences, those recorded within the
//! stretch are added up. A location without values of its own has those of its process, where tools record what belongs to
//! no thread.

use rustc_hash::FxHashMap;

use heddle_model::{LocationId, LocationKind, MetricId, MetricMode, Ns};

use crate::Store;
use crate::block::Columns;

/// A counter of a trace.
#[derive(Debug)]
pub struct Counter<'a> {
    store: &'a Store,
    metric: MetricId,
    mode: MetricMode,
    /// Locations that hold the counters of a process, by process.
    of_processes: FxHashMap<u32, Vec<LocationId>>,
}

impl<'a> Counter<'a> {
    /// The counter of this number; one that the trace does not have says nothing.
    pub fn new(store: &'a Store, metric: MetricId) -> Counter<'a> {
        let (mode, locations) = (store.metrics.mode_of(metric), &store.locations);
        let mut of_processes: FxHashMap<u32, Vec<LocationId>> = FxHashMap::default();
        for at in (0..locations.len()).filter(|at| locations.kind.get(*at) == LocationKind::Metric.name()) {
            of_processes.entry(locations.parent.get(at).0).or_default().push(LocationId(at as u32));
        }
        Counter { store, metric, mode, of_processes }
    }

    /// Its values at a location.
    pub fn at(&self, location: LocationId) -> CounterSeries {
        let own = self.recorded(location);
        let parent = self.store.locations.parent.get(u64::from(location.0));
        let values = match self.of_processes.get(&parent.0) {
            Some(others) if own.is_empty() => {
                others.iter().map(|other| self.recorded(*other)).find(|one| !one.is_empty()).unwrap_or(own)
            }
            _ => own,
        };
        CounterSeries { mode: self.mode, values }
    }

    fn recorded(&self, location: LocationId) -> Vec<(Ns, f64)> {
        let table = &self.store.metric_values;
        let first = table.location.partition_point(0..table.len(), |other| other < location);
        let after = table.location.partition_point(first..table.len(), |other| other <= location);
        let mut values = Vec::new();
        (&table.metric, &table.time, &table.value).for_each(first..after, |(metric, time, value)| {
            if metric == self.metric {
                values.push((time, value));
            }
        });
        values
    }
}

/// The values of a counter at a location, in the order of time.
#[derive(Clone, Debug)]
pub struct CounterSeries {
    mode: MetricMode,
    values: Vec<(Ns, f64)>,
}

impl CounterSeries {
    /// What it says of a stretch of time, if anything.
    pub fn value(&self, (start, end): (Ns, Ns)) -> Option<f64> {
        let by = |moment: Ns| self.values.partition_point(|(time, _)| *time <= moment);
        let last = |count: usize| count.checked_sub(1).map(|last| self.values[last].1);
        let value = match self.mode {
            MetricMode::Accumulated => last(by(end))? - last(by(start))?,
            MetricMode::Absolute => last(by(end))?,
            MetricMode::Relative => {
                let within = self.values.get(by(start)..by(end)).unwrap_or_default();
                (!within.is_empty()).then(|| within.iter().map(|(_, value)| value).sum())?
            }
        };
        value.is_finite().then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_of_time_has_what_was_counted_in_it() {
        let value = |mode, start, end| {
            let values = [(10, 100.0), (20, 130.0), (30, 170.0)].map(|(time, value)| (Ns(time), value)).to_vec();
            CounterSeries { mode, values }.value((Ns(start), Ns(end)))
        };
        assert_eq!(value(MetricMode::Accumulated, 10, 30), Some(70.0));
        assert_eq!(value(MetricMode::Accumulated, 21, 29), Some(0.0));
        assert_eq!(value(MetricMode::Accumulated, 5, 30), None, "nobody knows where it began");
        assert_eq!(value(MetricMode::Absolute, 5, 25), Some(130.0));
        assert_eq!(value(MetricMode::Absolute, 1, 5), None);
        assert_eq!(value(MetricMode::Relative, 10, 30), Some(300.0));
        assert_eq!(value(MetricMode::Relative, 21, 29), None);
        assert_eq!(value(MetricMode::Relative, 29, 21), None, "a stretch that ends before it begins");
    }
}
