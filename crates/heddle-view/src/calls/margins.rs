//! What stands beside the calls: how many there are along time, how their heights are distributed, and lines at the
//! median and the 99th percentile of what stands out.

use heddle_model::SpanRow;

use super::Sight;
use super::tally::Tally;
use crate::request::CallHeight;
use crate::scene::{Anchor, Band, ColourId, Label, Layer, Rect, RectMark};
use crate::theme::Colours;

/// Height of a bar of the histogram in pixels, about.
const BAR: u32 = 4;
/// The longest bar, as a part of the plot's width, and in pixels.
const LONGEST: (f32, f32) = (0.12, 90.0);
/// Length of a dash, and from one to the next.
const DASH: (f32, f32) = (4.0, 9.0);
/// Height of text.
const TEXT: f32 = 10.0;

/// What lies beneath the calls: their number along time in the headroom, and their heights by function as bars from the
/// right edge.
pub(super) fn beneath(sight: &Sight, tally: &Tally, colours: &Colours) -> Vec<Layer> {
    let mut layers = Vec::new();
    if sight.headroom > 0 {
        let most = tally.across.iter().copied().max().unwrap_or(0).max(1) as f32;
        let (floor, height) = (sight.area().y - 6.0, sight.area().y - sight.plot.y - 10.0);
        let pixels = 0..sight.plot.width as usize;
        let calls = pixels.map(|x| tally.across[x * tally.across.len() / sight.plot.width as usize]);
        let upper: Vec<f32> = calls.map(|calls| floor - calls as f32 / most * height).collect();
        let lower = vec![floor; upper.len()];
        layers.push(Layer::Bands(vec![Band { upper, lower, colour: colours.ink().faint }]));
    }
    if sight.options.y != CallHeight::Rank {
        layers.push(Layer::Rects(histogram(sight, tally, colours)));
    }
    layers
}

fn histogram(sight: &Sight, tally: &Tally, colours: &Colours) -> Vec<RectMark> {
    let height = sight.cell().1;
    let levels = (BAR as f32 / height).round().max(1.0) as u32;
    let bars = sight.levels().div_ceil(levels);
    let sums = |bar: u32| {
        let mut sums = vec![0u64; sight.looks.entries.len()];
        for level in bar * levels..((bar + 1) * levels).min(sight.levels()) {
            sums.iter_mut().zip(tally.at_level(level)).for_each(|(sum, calls)| *sum += calls);
        }
        sums
    };
    let sums: Vec<Vec<u64>> = (0..bars).map(sums).collect();
    let most = sums.iter().map(|bar| bar.iter().sum::<u64>()).max().unwrap_or(0).max(1) as f32;
    let longest = longest(sight);
    let mut marks = Vec::new();
    for (bar, sums) in (0..).zip(&sums) {
        let y = sight.y(((bar + 1) * levels).min(sight.levels()) - 1) - height / 2.0;
        let mut right = sight.plot.x + sight.plot.width;
        for (entry, calls) in sight.looks.entries.iter().zip(sums).filter(|(_, calls)| **calls > 0) {
            let width = *calls as f32 / most * longest;
            right -= width;
            let rect = Rect { x: right, y, width, height: levels as f32 * height - 1.0 };
            marks.push(RectMark { rect, colour: colours.faded(entry.colour), span: SpanRow::NONE });
        }
    }
    marks
}

/// The value below which this share of the calls that stand out lies, to a two-thousandth of the axis.
fn percentile(sight: &Sight, tally: &Tally, share: f64) -> Option<i64> {
    let all: u64 = tally.stressed.iter().sum();
    let wanted = (all as f64 * share).ceil() as u64;
    let mut reached = 0;
    let found = tally.stressed.iter().position(|calls| {
        reached += calls;
        reached >= wanted.max(1)
    });
    found.map(|level| sight.fine.least(level as u32).max(1))
}

/// Dashes at the median and the 99th percentile of what stands out, or else of all, with what they are.
pub(super) fn percentiles(sight: &Sight, tally: &Tally, colours: &Colours) -> (Vec<RectMark>, Vec<Label>) {
    let (mut marks, mut labels) = (Vec::new(), Vec::new());
    if sight.options.y == CallHeight::Rank {
        return (marks, labels);
    }
    for (name, share) in [("median", 0.5), ("p99", 0.99)] {
        let Some(value) = percentile(sight, tally, share) else { continue };
        let area = sight.area();
        let y = area.y + area.height * (1.0 - sight.heights.share(value as f64).clamp(0.0, 1.0)) as f32;
        let mut x = sight.plot.x;
        while x < sight.plot.x + sight.plot.width {
            marks.push(dash(x, y, colours.ink().text));
            x += DASH.1;
        }
        let text = match sight.options.y {
            CallHeight::Duration => short_duration(value),
            _ => sight.measure.text(value),
        };
        labels.push(Label {
            at: (sight.plot.x + sight.plot.width - longest(sight) - 6.0, y - 3.0),
            text: format!("{name} {text}"),
            size: TEXT,
            colour: colours.ink().text,
            anchor: Anchor::End,
        });
    }
    (marks, labels)
}

fn dash(x: f32, y: f32, colour: ColourId) -> RectMark {
    RectMark { rect: Rect { x, y: y - 0.5, width: DASH.0, height: 1.0 }, colour, span: SpanRow::NONE }
}

/// Length of the longest bar.
fn longest(sight: &Sight) -> f32 {
    (sight.plot.width * LONGEST.0).min(LONGEST.1)
}

/// A duration to as many digits as a row of pixels deserves: `66.1 ms`.
fn short_duration(ns: i64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")];
    let (unit, name) = units.into_iter().find(|(unit, _)| ns as f64 >= *unit).unwrap_or(units[3]);
    let value = ns as f64 / unit;
    let decimals = if unit <= 1.0 || value >= 100.0 { 0 } else { 1 + usize::from(value < 10.0) };
    format!("{value:.decimals$} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits() {
        assert_eq!([7, 1_321, 66_100_000, 131_000_000].map(short_duration), ["7 ns", "1.32 µs", "66.1 ms", "131 ms"]);
    }
}
