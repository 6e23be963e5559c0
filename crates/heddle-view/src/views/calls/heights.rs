//! Where a value lies along the vertical axis: exact edges between the rows of pixels, found without a logarithm.
//!
//! Levels are counted from the bottom. A level holds the values from its edge up to the next one; edges are whole
//! numbers, so that the same value is at the same level wherever it is asked for.

use crate::scene::Spacing;
use crate::scene::ticks::round_step;
use crate::scene::{Rect, Tick};

/// Room above the highest and below the lowest value, as a share of the axis.
const ROOM: f64 = 0.03;
/// Ticks closer than this many pixels cannot be read.
const APART: f32 = 15.0;

/// In what ticks are round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Nanoseconds,
    Bytes,
    /// Powers of ten.
    Counted,
}

/// The vertical axis of values.
#[derive(Clone, Debug)]
pub(super) struct Heights {
    spacing: Spacing,
    low: f64,
    high: f64,
    /// The least value of each level, and one more than the greatest of the last.
    edges: Vec<i64>,
    /// The level of the least value with given first nine bits.
    guesses: Vec<u16>,
}

const MANTISSA: u32 = 8;

/// The first bits of a number: its size and the eight bits after the first.
#[inline]
fn first_bits(value: i64) -> usize {
    let value = value.max(1).cast_unsigned();
    let size = value.ilog2();
    let rest = (value << (63 - size) >> (63 - MANTISSA)) as usize & ((1 << MANTISSA) - 1);
    ((size as usize) << MANTISSA) | rest
}

impl Heights {
    /// An axis over values from `low` to `high` on so many levels. With `whole`, there is some room around them.
    pub(super) fn new((low, high): (i64, i64), spacing: Spacing, levels: u32, whole: bool) -> Heights {
        let levels = levels.clamp(1, u32::from(u16::MAX));
        let (mut from, mut to) = (low.max(1) as f64, high.max(low).max(1) as f64);
        let room = if whole { ROOM } else { 0.0 };
        match spacing {
            Spacing::Logarithmic => {
                let factor = (to / from).max(2.0).powf(room);
                (from, to) = (from / factor, (to * factor).max(from * 1.5));
            }
            Spacing::Linear if whole => (from, to) = (0.0, to * (1.0 + room)),
            // A filter that nothing passes leaves a single value: ticks beside it would differ in the ninth digit only.
            Spacing::Linear => to = to.max(from * 1.01 + 1.0),
        }
        let mut heights = Heights { spacing, low: from, high: to, edges: Vec::new(), guesses: Vec::new() };
        let edge = |level: u32| heights.value(f64::from(level) / f64::from(levels)).ceil() as i64;
        let mut edges: Vec<i64> = (0..=levels).map(edge).collect();
        // Zero counts as one; the greatest value is inside.
        edges[0] = edges[0].min(low.max(1));
        edges[levels as usize] = edges[levels as usize].max(high.saturating_add(1));
        let mut guesses = Vec::with_capacity(64 << MANTISSA);
        let mut level = 0;
        for first in 0..64usize << MANTISSA {
            let (size, rest) = (first >> MANTISSA, (first & ((1 << MANTISSA) - 1)) as u128);
            let least = (((1u128 << MANTISSA) | rest) << size >> MANTISSA).min(i64::MAX as u128) as i64;
            while level + 1 < levels as usize && edges[level + 1] <= least {
                level += 1;
            }
            guesses.push(level as u16);
        }
        heights.edges = edges;
        heights.guesses = guesses;
        heights
    }

    /// The level of a value, if it is on the axis.
    #[inline]
    pub(super) fn level(&self, value: i64) -> Option<u32> {
        let value = value.max(1);
        let mut level = usize::from(self.guesses[first_bits(value)]);
        while level + 1 < self.edges.len() && value >= self.edges[level + 1] {
            level += 1;
        }
        (value >= self.edges[0] && level + 1 < self.edges.len()).then_some(level as u32)
    }

    /// Where a value lies, as a share of the axis from the bottom.
    pub(super) fn share(&self, value: f64) -> f64 {
        match self.spacing {
            Spacing::Logarithmic => (value.max(0.5) / self.low).ln() / (self.high / self.low).ln(),
            Spacing::Linear => (value - self.low) / (self.high - self.low),
        }
    }

    /// The value at a share of the axis.
    pub(super) fn value(&self, share: f64) -> f64 {
        match self.spacing {
            Spacing::Logarithmic => self.low * (self.high / self.low).powf(share),
            Spacing::Linear => self.low + share * (self.high - self.low),
        }
    }

    /// The least value of a level.
    pub(super) fn least(&self, level: u32) -> i64 {
        self.edges.get(level as usize).copied().unwrap_or(i64::MAX)
    }

    /// Ticks along an area.
    pub(super) fn ticks(&self, area: Rect, unit: Unit, text: impl Fn(i64) -> String) -> Vec<Tick> {
        let values = match self.spacing {
            Spacing::Logarithmic => self.powers(area, unit),
            Spacing::Linear => self.steps(area, unit),
        };
        let at = |value: i64| area.y + area.height * (1.0 - self.share(value as f64)) as f32;
        let ticks = values.into_iter().map(|value| Tick { at: at(value), label: label(value, unit, &text) });
        ticks.filter(|tick| (area.y - 0.5..=area.y + area.height + 0.5).contains(&tick.at)).collect()
    }

    /// Powers of ten, or of 32 for bytes; with some between them if they are few, fewer if they are many.
    fn powers(&self, area: Rect, unit: Unit) -> Vec<i64> {
        let base: i64 = if unit == Unit::Bytes { 32 } else { 10 };
        let all: Vec<i64> = (0..64).map_while(|power| base.checked_pow(power)).collect();
        let in_sight = |value: &i64| (self.low..=self.high).contains(&(*value as f64));
        let powers: Vec<i64> = all.iter().copied().filter(in_sight).collect();
        if powers.len() < 3 {
            let between: &[i64] = if unit == Unit::Bytes { &[1, 2, 4, 8, 16] } else { &[1, 2, 5] };
            let some = all.iter().flat_map(|value| between.iter().map(move |factor| value.saturating_mul(*factor)));
            return some.filter(in_sight).collect();
        }
        let room = area.height / APART;
        let step = (powers.len() as f32 / room.max(1.0)).ceil().max(1.0) as usize;
        powers.into_iter().step_by(step).collect()
    }

    fn steps(&self, area: Rect, unit: Unit) -> Vec<i64> {
        let wanted = (area.height / 60.0).max(2.0);
        let least = ((self.high - self.low) / f64::from(wanted)).ceil() as i64;
        let step = if unit == Unit::Bytes {
            least.max(1).cast_unsigned().next_power_of_two().cast_signed()
        } else {
            round_step(least)
        };
        let first = (self.low / step as f64).ceil() as i64;
        (first..=(self.high / step as f64) as i64).take(100).map(|count| count * step).collect()
    }
}

/// A round value in the largest unit that leaves it whole, or nearly so.
fn label(value: i64, unit: Unit, text: &impl Fn(i64) -> String) -> String {
    match unit {
        Unit::Bytes if value == 1024 => return "1 KiB".to_owned(),
        Unit::Bytes | Unit::Counted => return text(value),
        Unit::Nanoseconds => {}
    }
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns")];
    let (size, name) =
        units.into_iter().find(|(size, _)| value >= *size).unwrap_or(if value == 0 { units[0] } else { units[3] });
    if value % size == 0 {
        format!("{} {name}", value / size)
    } else {
        format!("{} {name}", value as f64 / size as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::ticks::bytes_text;
    use proptest::prelude::*;

    fn labels(low: i64, high: i64, spacing: Spacing, unit: Unit) -> Vec<String> {
        let area = Rect { x: 0.0, y: 0.0, width: 10.0, height: 300.0 };
        let text = |value: i64| bytes_text(value.unsigned_abs());
        Heights::new((low, high), spacing, 300, true)
            .ticks(area, unit, text)
            .into_iter()
            .map(|tick| tick.label)
            .collect()
    }

    #[test]
    fn the_axis_of_a_filter_that_nothing_passes_has_short_labels() {
        for (low, high) in [(8_000_000_000, 8_000_000_000), (1_234_567, 1_234_568), (1, 1)] {
            let area = Rect { x: 0.0, y: 0.0, width: 10.0, height: 300.0 };
            let heights = Heights::new((low, high), Spacing::Linear, 300, false);
            let labels = heights.ticks(area, Unit::Nanoseconds, |_| String::new());
            let labels: Vec<String> = labels.into_iter().map(|tick| tick.label).collect();
            assert!(labels.iter().all(|label| label.chars().count() <= 8), "{low}: {labels:?}");
        }
    }

    proptest! {
        #[test]
        fn a_value_lies_between_the_edges_of_its_level(
            low in 0i64..1_000_000,
            above in 0i64..1_000_000_000_000,
            share in 0.0f64..=1.0,
            levels in 1u32..2000,
            linear: bool,
        ) {
            let spacing = if linear { Spacing::Linear } else { Spacing::Logarithmic };
            let high = low + above;
            let heights = Heights::new((low, high), spacing, levels, true);
            let value = low + (share * above as f64) as i64;
            let level = heights.level(value).expect("it is on the axis");
            prop_assert!(heights.least(level) <= value.max(1) && value < heights.least(level + 1));
            let exact = heights.share(value.max(1) as f64) * f64::from(levels);
            prop_assert!((exact - f64::from(level) - 0.5).abs() <= 0.5 + 1e-6 || value - heights.least(level) < 2);
        }
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(
            labels(400, 3_000_000_000, Spacing::Logarithmic, Unit::Nanoseconds),
            ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s"]
        );
        assert_eq!(labels(1_500, 30_000, Spacing::Logarithmic, Unit::Nanoseconds), ["2 µs", "5 µs", "10 µs", "20 µs"]);
        assert_eq!(labels(0, 2_600_000_000, Spacing::Linear, Unit::Nanoseconds), ["0 s", "1 s", "2 s"]);
        assert_eq!(labels(1, 3 << 20, Spacing::Logarithmic, Unit::Bytes), ["1 B", "32 B", "1 KiB", "32 KiB", "1 MiB"]);
    }
}
