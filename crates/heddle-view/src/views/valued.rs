//! Values of a metric as colours and as words: what views of logical time share.

use std::ops::Range;

use heddle_logical::{Metric, Sum};
use heddle_store::Store;

use crate::analyses::LogicalData;
use crate::scene::ramp::{Ramp, Tone};
use crate::scene::ticks::{duration_text, grouped};
use crate::scene::{ColourBar, ColourId};
use crate::views::options::MetricOptions;

/// How values become colours.
pub(crate) struct Scaled<'a> {
    data: &'a LogicalData,
    asked: MetricOptions,
    pub(crate) ramp: Ramp,
    low: f32,
    high: f32,
}

impl<'a> Scaled<'a> {
    pub(crate) fn new(data: &'a LogicalData, asked: MetricOptions, ramp: Ramp) -> Scaled<'a> {
        let (low, high) = asked.range.map_or_else(
            || {
                // Moments have no natural zero: the first is where they begin.
                let least = data.values.least();
                let is_moment = matches!(data.values.metric(), Metric::Enter | Metric::Exit);
                (if is_moment { least } else { least.min(0.0) }, data.values.largest(asked.aggregates))
            },
            |range| (range.low, range.high),
        );
        Scaled { data, asked, ramp, low: low as f32, high: high as f32 }
    }

    /// The place of a value on the scale, from 0 to 1. `steps` are those it is compared with if each has its own scale.
    fn share(&self, value: f32, steps: Range<u32>) -> f32 {
        let high = if self.asked.relative {
            self.data.values.sums().largest_in(steps, self.asked.aggregates)
        } else {
            self.high
        };
        if high > self.low { (value - self.low) / (high - self.low) } else { 0.0 }
    }

    /// The colour of a value.
    pub(crate) fn colour(&self, value: f32, steps: Range<u32>, tone: Tone) -> ColourId {
        if value.is_finite() { self.ramp.at(self.share(value, steps), tone) } else { self.ramp.missing(tone) }
    }

    /// What the colours mean.
    pub(crate) fn bar(&self, store: &Store) -> ColourBar {
        let title = self.data.values.metric().title(store);
        let text = |value: f64| value_text(store, self.data.values.metric(), value);
        if self.asked.relative {
            let title = format!("{title}, relative to its step");
            let (from, to) = ((0.0, text(f64::from(self.low))), (1.0, "largest of its step".to_owned()));
            return ColourBar { title, colours: self.ramp.scale(), from, to };
        }
        let end = |value: f32| (f64::from(value), text(f64::from(value)));
        ColourBar { title, colours: self.ramp.scale(), from: end(self.low), to: end(self.high) }
    }
}

/// A value in the unit that fits.
pub(crate) fn value_text(store: &Store, metric: Metric, value: f64) -> String {
    if !value.is_finite() {
        return "not known".to_owned();
    }
    if metric.is_time() {
        return if value == 0.0 { "0".to_owned() } else { duration_text(value as i64) };
    }
    let number = if value.abs() >= 1e15 || (value != 0.0 && value.abs() < 1e-3) {
        format!("{value:.3e}")
    } else if value.fract() == 0.0 {
        let sign = if value < 0.0 { "-" } else { "" };
        format!("{sign}{}", grouped(value.abs() as u64))
    } else {
        format!("{value:.3}")
    };
    let unit = metric.unit(store);
    if unit.is_empty() { number } else { format!("{number} {unit}") }
}

/// A sum in the unit that fits.
pub(crate) fn sum_text(store: &Store, metric: Metric, sum: Sum) -> String {
    match sum {
        Sum::Time(ns) if i64::try_from(ns).is_ok() => value_text(store, metric, ns as f64),
        Sum::Time(ns) => format!("{} s", grouped((ns / 1_000_000_000).unsigned_abs() as u64)),
        Sum::Count(count) => value_text(store, metric, count),
    }
}
