//! What the height of a call means: its duration, its bytes, its rank, or what a counter says of it.
//!
//! The axis works with whole numbers. Values of a counter, which may be of any size, are multiplied by a power of ten
//! first, so that what is round stays round.

use rayon::prelude::*;

use heddle_model::{LocationId, MetricId, Ns};
use heddle_store::Store;

use super::looks::Looks;
use super::options::CallHeight;
use crate::lookup::counters::{CounterAt, metric_named};
use crate::lookup::enclosing::spans_in;
use crate::scene::ticks::{bytes_text, duration_text};

/// Whole numbers up to here are exact as a float.
const MOST_EXACT: f64 = 4e15;

/// What is measured along the axis.
#[derive(Debug)]
pub(super) enum Measure {
    Duration,
    Bytes,
    Rank,
    Counter(Box<Counted>),
}

/// A counter, and how its values become whole numbers.
#[derive(Debug)]
pub(super) struct Counted {
    counter: CounterAt,
    scale: f64,
    /// The least value above zero and the greatest of all calls in sight, as whole numbers.
    range: (i64, i64),
    /// Some call has a value of zero or less.
    has_low: bool,
}

impl Measure {
    /// What a request asks for, of these calls.
    pub(super) fn new(
        store: &Store,
        y: &CallHeight,
        looks: &Looks,
        locations: &[LocationId],
        time: (Ns, Ns),
    ) -> Measure {
        match y {
            CallHeight::Duration => Measure::Duration,
            CallHeight::Bytes => Measure::Bytes,
            CallHeight::Rank => Measure::Rank,
            CallHeight::Counter(name) => metric_named(store, name).map_or(Measure::Duration, |metric| {
                Measure::Counter(Box::new(Counted::new(store, metric, looks, locations, time)))
            }),
        }
    }

    /// The value of a call, if it has one.
    #[inline]
    pub(super) fn value(&self, at: usize, (start, end): (Ns, Ns), bytes: Option<u64>) -> Option<i64> {
        match self {
            Measure::Duration | Measure::Rank => Some(end.since(start)),
            Measure::Bytes => Some(bytes.unwrap_or(0).min(i64::MAX as u64).cast_signed()),
            Measure::Counter(counted) => counted.value(at, (start, end)),
        }
    }

    /// A value in words.
    pub(super) fn text(&self, value: i64) -> String {
        match self {
            Measure::Duration | Measure::Rank => duration_text(value),
            Measure::Bytes => bytes_text(value.max(0).unsigned_abs()),
            Measure::Counter(counted) => counted.counter.text(value as f64 / counted.scale),
        }
    }

    /// What stands at the axis.
    pub(super) fn title(&self) -> &str {
        match self {
            Measure::Duration => "duration",
            Measure::Bytes => "bytes",
            Measure::Rank => "rank",
            Measure::Counter(counted) => counted.counter.name(),
        }
    }

    /// By how much whole numbers are larger than values.
    pub(super) fn scale(&self) -> f64 {
        if let Measure::Counter(counted) = self { counted.scale } else { 1.0 }
    }

    /// The least and the greatest value of a counter, as whole numbers.
    pub(super) fn range(&self) -> (i64, i64) {
        if let Measure::Counter(counted) = self { counted.range } else { (1, 1) }
    }

    /// What has to be said about values of zero or less, of which there are so many among what stands out.
    pub(super) fn note(&self, zeros: u64) -> Option<&'static str> {
        match self {
            Measure::Counter(counted) if counted.has_low => Some("Values of zero or less are at the lower edge."),
            Measure::Bytes if zeros > 0 => Some("Calls of 0 B are at the lower edge."),
            _ => None,
        }
    }
}

impl Counted {
    fn new(store: &Store, metric: MetricId, looks: &Looks, locations: &[LocationId], time: (Ns, Ns)) -> Counted {
        let counter = CounterAt::new(store, metric, locations);
        let spans = &store.spans;
        let of_location = |at: usize| {
            let mut found = (f64::INFINITY, 0.0f64, false);
            for row in spans_in(store, locations[at], time).rows() {
                if looks.of(spans.region.get(row)).is_none() {
                    continue;
                }
                match counter.value(at, (spans.start.get(row), spans.end.get(row))) {
                    Some(value) if value > 0.0 => found = (found.0.min(value), found.1.max(value), found.2),
                    Some(_) => found.2 = true,
                    None => {}
                }
            }
            found
        };
        let merged = |a: (f64, f64, bool), b: (f64, f64, bool)| (a.0.min(b.0), a.1.max(b.1), a.2 || b.2);
        let none = || (f64::INFINITY, 0.0, false);
        let (least, most, has_low) = (0..locations.len()).into_par_iter().map(of_location).reduce(none, merged);
        let scale =
            if most > 0.0 { 10f64.powi((MOST_EXACT / most).log10().floor().clamp(-300.0, 300.0) as i32) } else { 1.0 };
        let whole = |value: f64| ((value * scale).round() as i64).max(1);
        let range = if most > 0.0 { (whole(least), whole(most)) } else { (1, 1) };
        Counted { counter, scale, range, has_low }
    }

    /// Zero and what is below it is as low as the least above it.
    fn value(&self, at: usize, time: (Ns, Ns)) -> Option<i64> {
        let value = self.counter.value(at, time)?;
        Some(((value * self.scale).round() as i64).max(self.range.0))
    }
}
