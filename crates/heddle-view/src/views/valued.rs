//! Values of a metric as colours and as words: what views of logical time share.

use std::ops::Range;

use heddle_logical::{Metric, Sum};
use heddle_store::Store;

use crate::analyses::LogicalData;
use crate::scene::ramp::{Ramp, Tone};
use crate::scene::ticks::{duration_text, grouped};
use crate::scene::{ColourBar, ColourId};
use crate::views::options::MetricOptions;

/// Opacity of a cell whose events are few and all on time: fainter than others, and still seen.
const FAINTEST: f32 = 0.7;
/// From this place on the scale on, a value is drawn in its full colour however few events of a cell have it.
const LATE: f32 = 0.2;

/// What the rule of [`opacity`] is in words, for the notes below a picture: of values, and of anything else.
pub(crate) const OPACITY_WORDS: &str = "the fewer events, the fainter, unless they are late";
pub(crate) const FAINT_WORDS: &str = "the fewer events, the fainter";

/// How strongly a cell is drawn, of which a part is covered by events: `share` is where the largest of them lies on the
/// scale of colours, or none if colours are no values. One looks for what is late, and that is rare: a cell that holds it
/// must not fade because there is little else in it.
pub(crate) fn opacity(coverage: f32, share: Option<f32>) -> f32 {
    let filled = FAINTEST + (1.0 - FAINTEST) * coverage.clamp(0.0, 1.0);
    let late = FAINTEST + (1.0 - FAINTEST) * (share.unwrap_or(0.0) / LATE).clamp(0.0, 1.0);
    filled.max(late)
}

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

    /// The colour of the largest value of a cell, and how strongly it is drawn.
    pub(crate) fn cell(&self, value: f32, steps: Range<u32>, coverage: f32) -> (ColourId, f32) {
        let share = if value.is_finite() { self.share(value, steps.clone()) } else { 0.0 };
        (self.colour(value, steps, Tone::Full), opacity(coverage, Some(share)))
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
