//! Values of a counter for calls: what a call added to it, or where it stood.
//!
//! A value of an accumulated counter is that at the leave less that at the enter, each the last one that was recorded by
//! then. One of an absolute counter is the last one by the leave. Of a counter of differences, those recorded within the
//! call are added up. A location without values of its own has those of its process, where tools record what belongs to
//! no thread.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use heddle_model::{LocationId, LocationKind, MetricId, MetricMode, Ns};
use heddle_store::Store;

use crate::scene::ticks::bytes_text;

/// The first metric of this name.
pub(crate) fn metric_named(store: &Store, name: &str) -> Option<MetricId> {
    (0..store.metrics.len()).find(|row| store.metrics.name.get(*row) == name).map(|row| MetricId(row as u32))
}

/// Which counters there are, for messages.
pub(crate) fn known_counters(store: &Store) -> String {
    let metrics = store.metrics.len();
    let some: Vec<&str> = (0..metrics.min(8)).map(|row| store.metrics.name.get(row)).collect();
    match metrics {
        0 => "it has none".to_owned(),
        1..=8 => format!("it has {}", some.join(", ")),
        _ => format!("it has {metrics}, among them {}", some.join(", ")),
    }
}

/// A counter at some locations.
#[derive(Debug)]
pub(crate) struct Counter {
    mode: MetricMode,
    unit: String,
    name: String,
    /// Times and values, in order, by place of the location.
    series: Vec<Vec<(Ns, f64)>>,
}

impl Counter {
    pub(crate) fn new(store: &Store, metric: MetricId, locations: &[LocationId]) -> Counter {
        let row = u64::from(metric.0);
        let known = row < store.metrics.len();
        let word = |column: &heddle_store::TextColumn| if known { column.get(row).to_owned() } else { String::new() };
        let mode = word(&store.metrics.mode);
        let modes = [MetricMode::Accumulated, MetricMode::Absolute, MetricMode::Relative];
        let of_processes = of_processes(store);
        let of_location = |location: &LocationId| {
            let own = series(store, metric, *location);
            let parent = store.locations.parent.get(u64::from(location.0));
            match of_processes.get(&parent.0) {
                Some(others) if own.is_empty() => {
                    others.iter().map(|other| series(store, metric, *other)).find(|one| !one.is_empty()).unwrap_or(own)
                }
                _ => own,
            }
        };
        Counter {
            mode: modes.into_iter().find(|one| one.name() == mode).unwrap_or(MetricMode::Absolute),
            unit: word(&store.metrics.unit),
            name: word(&store.metrics.name),
            series: locations.par_iter().map(of_location).collect(),
        }
    }

    /// Its name. Hostile text.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The value of a call of a location, by the location's place.
    pub(crate) fn value(&self, at: usize, (start, end): (Ns, Ns)) -> Option<f64> {
        let series = self.series.get(at)?;
        let by = |moment: Ns| series.partition_point(|(time, _)| *time <= moment);
        let last = |count: usize| count.checked_sub(1).map(|last| series[last].1);
        let value = match self.mode {
            MetricMode::Accumulated => last(by(end))? - last(by(start))?,
            MetricMode::Absolute => last(by(end))?,
            MetricMode::Relative => {
                let within = &series[by(start)..by(end)];
                (!within.is_empty()).then(|| within.iter().map(|(_, value)| value).sum())?
            }
        };
        value.is_finite().then_some(value)
    }

    /// A value with its unit, in few digits.
    pub(crate) fn text(&self, value: f64) -> String {
        match self.unit.as_str() {
            "B" | "byte" | "bytes" | "Byte" | "Bytes" if value >= 0.0 => bytes_text(value as u64),
            "" | "#" => short(value),
            unit => {
                let unit: String = unit.chars().take(12).collect();
                format!("{} {unit}", short(value))
            }
        }
    }
}

/// Locations that hold the counters of a process, by process.
fn of_processes(store: &Store) -> FxHashMap<u32, Vec<LocationId>> {
    let locations = &store.locations;
    let mut found: FxHashMap<u32, Vec<LocationId>> = FxHashMap::default();
    for at in (0..locations.len()).filter(|at| locations.kind.get(*at) == LocationKind::Metric.name()) {
        found.entry(locations.parent.get(at).0).or_default().push(LocationId(at as u32));
    }
    found
}

fn series(store: &Store, metric: MetricId, location: LocationId) -> Vec<(Ns, f64)> {
    let values = &store.metric_values;
    let all = 0..values.len();
    let first = values.location.partition_point(all.clone(), |other| other < location);
    let after = values.location.partition_point(all, |other| other <= location);
    let rows = (first..after).filter(|row| values.metric.get(*row) == metric);
    rows.map(|row| (values.time.get(row), values.value.get(row))).collect()
}

/// A number in three digits: `1.25 M`, `320`, `0.05`.
fn short(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    let units = [(1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")];
    let Some((unit, name)) = units.into_iter().find(|(unit, _)| size >= *unit) else {
        return if size >= 1e-3 { trimmed(format!("{value:.6}")) } else { format!("{value:e}") };
    };
    let scaled = value / unit;
    let decimals = if scaled.abs() >= 100.0 { 0 } else { 1 + usize::from(scaled.abs() < 10.0) };
    let text = trimmed(format!("{scaled:.decimals$}"));
    if name.is_empty() { text } else { format!("{text} {name}") }
}

/// Without zeros behind the point.
fn trimmed(text: String) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter(mode: MetricMode) -> Counter {
        let series = vec![[(10, 100.0), (20, 130.0), (30, 170.0)].map(|(time, value)| (Ns(time), value)).to_vec()];
        Counter { mode, unit: String::from("#"), name: String::from("x"), series }
    }

    #[test]
    fn a_call_has_what_was_counted_in_it() {
        let value = |mode, start, end| counter(mode).value(0, (Ns(start), Ns(end)));
        assert_eq!(value(MetricMode::Accumulated, 10, 30), Some(70.0));
        assert_eq!(value(MetricMode::Accumulated, 21, 29), Some(0.0));
        assert_eq!(value(MetricMode::Accumulated, 5, 30), None, "nobody knows where it began");
        assert_eq!(value(MetricMode::Absolute, 5, 25), Some(130.0));
        assert_eq!(value(MetricMode::Absolute, 1, 5), None);
        assert_eq!(value(MetricMode::Relative, 10, 30), Some(300.0));
        assert_eq!(value(MetricMode::Relative, 21, 29), None);
        assert_eq!(counter(MetricMode::Absolute).value(7, (Ns(5), Ns(25))), None);
    }

    #[test]
    fn numbers_are_short() {
        let all = [0.0, 7.0, 0.05, 320.0, 1_254_000.0, 12_300.0, -4_000.0, 1e-9];
        assert_eq!(all.map(short), ["0", "7", "0.05", "320", "1.25 M", "12.3 k", "-4 k", "1e-9"]);
    }
}
