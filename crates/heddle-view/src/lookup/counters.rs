//! Counters of the trace by name, and their values for calls, in words.

use rayon::prelude::*;

use heddle_model::{LocationId, MetricId, Ns};
use heddle_store::{Counter, CounterSeries, Store};

use crate::scene::ticks::bytes_text;

/// The first metric of this name.
pub(crate) fn metric_named(store: &Store, name: &str) -> Option<MetricId> {
    (0..store.metrics.len()).find(|row| store.metrics.name.get(*row) == name).map(|row| MetricId(row as u32))
}

/// The counters that a list names, in the order of the trace: by name, or by part of a name if none has it whole. All of an
/// empty list. Names may have commas themselves.
pub(crate) fn metrics_named(store: &Store, list: &str) -> Result<Vec<MetricId>, String> {
    let names: Vec<&str> = (0..store.metrics.len()).map(|row| store.metrics.name.get(row)).collect();
    let mut is_chosen = vec![list.trim().is_empty(); names.len()];
    let pieces: Vec<&str> = list.split(',').collect();
    let mut at = 0;
    while at < pieces.len() && !list.trim().is_empty() {
        // The longest stretch of pieces that is a name.
        let whole = |end: &usize| names.contains(&pieces[at..*end].join(",").trim());
        let end = (at + 1..=pieces.len()).rev().find(whole);
        let wanted = pieces[at..end.unwrap_or(at + 1)].join(",").trim().to_owned();
        let is_meant = |name: &str| if end.is_some() { name == wanted } else { name.contains(&wanted) };
        let found: Vec<usize> = (0..names.len()).filter(|row| is_meant(names[*row])).collect();
        if wanted.is_empty() || found.is_empty() {
            return Err(format!(
                "names the counter `{wanted}`, which the trace does not have; {}",
                known_counters(store)
            ));
        }
        for row in found {
            is_chosen[row] = true;
        }
        at = end.unwrap_or(at + 1);
    }
    Ok((0..names.len()).filter(|row| is_chosen[*row]).map(|row| MetricId(row as u32)).collect())
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
pub(crate) struct CounterAt {
    unit: String,
    name: String,
    /// By place of the location.
    series: Vec<CounterSeries>,
}

impl CounterAt {
    pub(crate) fn new(store: &Store, metric: MetricId, locations: &[LocationId]) -> CounterAt {
        let row = u64::from(metric.0);
        let known = row < store.metrics.len();
        let word = |column: &heddle_store::TextColumn| if known { column.get(row).to_owned() } else { String::new() };
        let counter = Counter::new(store, metric);
        CounterAt {
            unit: word(&store.metrics.unit),
            name: word(&store.metrics.name),
            series: locations.par_iter().map(|location| counter.at(*location)).collect(),
        }
    }

    /// Its name. Hostile text.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The value of a call of a location, by the location's place.
    pub(crate) fn value(&self, at: usize, stretch: (Ns, Ns)) -> Option<f64> {
        self.series.get(at)?.value(stretch)
    }

    /// A value with its unit, in few digits.
    pub(crate) fn text(&self, value: f64) -> String {
        text_in(&self.unit, value, FEW)
    }
}

/// Digits of a value that somebody reads, and of one that is told from its neighbours.
const FEW: usize = 3;
const SOME: usize = 5;

/// A value of a counter with its unit, in few digits.
pub(crate) fn value_with_unit(store: &Store, metric: MetricId, value: f64) -> String {
    text_in(store.metrics.unit.get(u64::from(metric.0)), value, FEW)
}

/// The same with as many digits as it takes to tell values apart that hardly differ.
pub(crate) fn exact_with_unit(store: &Store, metric: MetricId, value: f64) -> String {
    text_in(store.metrics.unit.get(u64::from(metric.0)), value, SOME)
}

fn text_in(unit: &str, value: f64, digits: usize) -> String {
    match unit {
        "B" | "byte" | "bytes" | "Byte" | "Bytes" if value >= 0.0 => bytes_text(value as u64),
        "" | "#" => short(value, digits),
        unit => {
            let unit: String = unit.chars().take(12).collect();
            format!("{} {unit}", short(value, digits))
        }
    }
}

/// A number in so many digits: `1.25 M`, `320`, `0.05`.
fn short(value: f64, digits: usize) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    let units = [(1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")];
    let Some((unit, name)) = units.into_iter().find(|(unit, _)| size >= *unit) else {
        return if size >= 1e-3 { trimmed(format!("{value:.6}")) } else { format!("{value:e}") };
    };
    let scaled = value / unit;
    let whole = 1 + usize::from(scaled.abs() >= 10.0) + usize::from(scaled.abs() >= 100.0);
    let decimals = digits.saturating_sub(whole);
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

    #[test]
    fn numbers_are_short() {
        let all = [0.0, 7.0, 0.05, 320.0, 1_254_000.0, 12_300.0, -4_000.0, 1e-9];
        let expected = ["0", "7", "0.05", "320", "1.25 M", "12.3 k", "-4 k", "1e-9"];
        assert_eq!(all.map(|value| short(value, FEW)), expected);
        assert_eq!([100.25, 290.0, 1_254_400.0].map(|value| short(value, SOME)), ["100.25", "290", "1.2544 M"]);
    }
}
