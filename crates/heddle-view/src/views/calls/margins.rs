//! What stands beside the calls: how many there are along time, how their heights are distributed, and lines at the
//! median and the 99th percentile of what stands out.

use heddle_model::SpanRow;

use super::CallsPicture;
use super::options::CallHeight;
use super::tally::Tally;
use crate::scene::frame::BESIDE;
use crate::scene::theme::Colours;
use crate::scene::{Anchor, Band, ColourId, Label, Layer, Rect, RectMark, Scene};

/// Height of a bar of the histogram in pixels, about.
const BAR: u32 = 4;
/// The longest bar, and how far bars are from the plot, in pixels.
const LONGEST: f32 = 58.0;
const GAP: f32 = 8.0;
/// Length of a dash, and from one to the next.
const DASH: (f32, f32) = (4.0, 9.0);
/// Height of text, and of a line of it.
const LINE: f32 = 12.0;
const TEXT: f32 = 11.0;
/// Between the words of two lines that stand beside each other.
const APART: f32 = 110.0;

/// How many calls there are along time, in the headroom.
pub(super) fn along(picture: &CallsPicture, tally: &Tally, colours: &Colours, scene: &mut Scene) {
    if picture.headroom == 0 {
        return;
    }
    let most = tally.across.iter().copied().max().unwrap_or(0).max(1) as f32;
    let (floor, height) = (picture.area().y - 6.0, picture.area().y - picture.plot.y - 8.0);
    let pixels = 0..picture.plot.width as usize;
    let calls = pixels.map(|x| tally.across[x * tally.across.len() / picture.plot.width as usize]);
    let upper: Vec<f32> = calls.map(|calls| floor - calls as f32 / most * height).collect();
    let lower = vec![floor; upper.len()];
    scene.layers.push(Layer::Bands(vec![Band { upper, lower, colour: colours.ink().faint }]));
    let line = Rect { x: picture.plot.x, y: floor, width: picture.plot.width, height: 1.0 };
    scene.layers.push(Layer::Rects(vec![RectMark { rect: line, colour: colours.ink().line, span: SpanRow::NONE }]));
    let at = (picture.plot.x - 8.0, floor - 2.0);
    scene.labels.push(label(at, "calls".to_owned(), colours.ink().text, Anchor::End));
}

/// How heights are distributed, beside the plot: bars of calls by function, and a line of the time they take. Both grow
/// with the square root, so that one common duration does not flatten all others.
pub(super) fn histogram(picture: &CallsPicture, tally: &Tally, colours: &Colours, scene: &mut Scene) {
    if !picture.has_beside {
        return;
    }
    let height = picture.cell().1;
    // Whole bands where heights are ranks.
    let band = picture.bands.levels;
    let levels = band * (BAR as f32 / (height * band as f32)).round().max(1.0) as u32;
    let bars = picture.levels().div_ceil(levels);
    let in_bar = |bar: u32| bar * levels..((bar + 1) * levels).min(picture.levels());
    let sums = |bar: u32| {
        let mut sums = vec![0u64; picture.looks.entries.len()];
        for level in in_bar(bar) {
            sums.iter_mut().zip(tally.at_level(level)).for_each(|(sum, calls)| *sum += calls);
        }
        sums
    };
    let time = |bar: u32| {
        let of_level =
            |level: u32| tally.at_level(level).iter().sum::<u64>() as f64 * picture.heights.least(level) as f64;
        in_bar(bar).map(of_level).sum::<f64>() as f32
    };
    let sums: Vec<Vec<u64>> = (0..bars).map(sums).collect();
    let length = |bar: &Vec<u64>| (bar.iter().sum::<u64>() as f32).sqrt();
    let longest = sums.iter().map(length).fold(1.0, f32::max);
    let (area, floor) = (picture.area(), picture.plot.x + picture.plot.width + GAP);
    // As high as what it stands beside: a rank does not fill its band.
    let (apart, drawn) = if levels == band { (band - picture.bands.filled, picture.bands.filled) } else { (0, levels) };
    let upper =
        |bar: u32| picture.plot.y + ((picture.rows - in_bar(bar).end) as f32 + (apart - apart / 2) as f32) * height;
    let thick = drawn as f32 * height;
    let mut add = |rect: Rect, colour: ColourId| scene.beside.push(RectMark { rect, colour, span: SpanRow::NONE });
    for (bar, sums) in (0..).zip(&sums) {
        let calls = sums.iter().sum::<u64>().max(1) as f32;
        let mut left = floor;
        for (entry, some) in picture.looks.entries.iter().zip(sums).filter(|(_, some)| **some > 0) {
            let width = length(sums) / longest * LONGEST * (*some as f32 / calls);
            add(Rect { x: left, y: upper(bar), width, height: thick - 1.0 }, entry.colour);
            left += width;
        }
    }
    let ink = colours.ink();
    // At the far end: the last moment of the axis stands below the near one.
    let below = (floor - GAP + BESIDE, picture.plot.y + picture.plot.height + 16.0);
    scene.labels.push(label(below, "calls".to_owned(), ink.text, Anchor::End));
    if picture.options.y == CallHeight::Duration {
        let times: Vec<f32> = (0..bars).map(|bar| time(bar).sqrt()).collect();
        let most = times.iter().copied().fold(1.0, f32::max);
        let mut before = floor;
        for (bar, time) in (0..).zip(&times) {
            let x = floor + time / most * LONGEST;
            add(Rect { x, y: upper(bar), width: 1.0, height: thick }, ink.strong);
            let across = Rect { x: x.min(before), y: upper(bar) + thick - 1.0, width: (x - before).abs(), height: 1.0 };
            add(across, ink.strong);
            before = x;
        }
        scene.labels.push(label((floor, area.y - 6.0), "time".to_owned(), ink.text, Anchor::Start));
    }
    add(Rect { x: floor - 1.0, y: area.y, width: 1.0, height: area.height }, ink.line);
}

/// The value up to which this share of the calls that stand out lies, to a two-thousandth of the axis.
fn percentile(tally: &Tally, share: f64) -> Option<i64> {
    let all: u64 = tally.stressed.iter().sum();
    let wanted = (all as f64 * share).ceil() as u64;
    let mut reached = 0;
    let found = tally.stressed.iter().position(|calls| {
        reached += calls;
        reached >= wanted.max(1)
    });
    found.map(|place| tally.greatest[place].max(0))
}

/// Dashes at the median and the 99th percentile of what stands out, or else of all, with what they are.
pub(super) fn percentiles(
    picture: &CallsPicture,
    tally: &Tally,
    colours: &Colours,
    scene: &mut Scene,
) -> Vec<RectMark> {
    let mut marks = Vec::new();
    if picture.options.y == CallHeight::Rank {
        return marks;
    }
    let colour = picture.looks.stressed_colour().unwrap_or(colours.ink().text);
    let right = picture.plot.x + picture.plot.width;
    let end = if picture.has_beside { right + BESIDE } else { right };
    let (area, ink) = (picture.area(), colours.ink());
    let found = [("median", 0.5), ("p99", 0.99)].map(|(name, share)| {
        let value = percentile(tally, share)?;
        let y = area.y + area.height * (1.0 - picture.heights.share(value as f64).clamp(0.0, 1.0)) as f32;
        let text = match picture.options.y {
            CallHeight::Duration => short_duration(value),
            _ => picture.measure.text(value),
        };
        Some((name, y, text))
    });
    let [Some((_, lower, _)), Some((_, upper, _))] = &found else { return marks };
    let (lower, upper) = (*lower, *upper);
    // The lower line has its words below it unless there is no room; the upper one has them above it, and above those.
    let is_low = lower + 2.0 * LINE > area.y + area.height;
    let median = if is_low { lower - LINE - 4.0 } else { lower + LINE };
    let p99 = if is_low { (upper - LINE - 4.0).min(lower - 3.0 * LINE - 6.0) } else { upper - LINE - 4.0 };
    // Without room beside the plot, words stand above their line, unless that is where calls are counted, and within the plot.
    let bottom = picture.plot.y + picture.plot.height;
    let placed = |y: f32| if y - LINE < area.y { y + LINE } else { (y - 3.0).min(bottom - 3.0) };
    for ((name, y, text), first) in found.into_iter().flatten().zip([median, p99]) {
        let mut x = picture.plot.x;
        while x < end {
            let list = if x < right { &mut marks } else { &mut scene.beside };
            list.push(dash(x, y, colour));
            x += DASH.1;
        }
        if picture.has_beside {
            // Bars and the line of time must not run through the words.
            scene.beside.push(behind((end, first), name, colours));
            scene.beside.push(behind((end, first + LINE), &text, colours));
            scene.labels.push(label((end, first), name.to_owned(), ink.text, Anchor::End));
            scene.labels.push(label((end, first + LINE), text, ink.strong, Anchor::End));
        } else {
            // Words that would lie on each other stand beside each other, if there is room.
            let is_beside = name == "p99" && placed(lower) - placed(upper) < LINE;
            if is_beside && picture.plot.width < 2.0 * APART {
                continue;
            }
            let at = (if is_beside { right - APART } else { right - 6.0 }, placed(y));
            let text = format!("{name} {text}");
            marks.push(behind(at, &text, colours));
            scene.labels.push(label(at, text, ink.text, Anchor::End));
        }
    }
    marks
}

fn label(at: (f32, f32), text: String, colour: ColourId, anchor: Anchor) -> Label {
    Label { at, text, size: TEXT, colour, anchor }
}

/// The ground of a word that ends at a place: a little wider than it, by the average width of a letter.
fn behind(at: (f32, f32), text: &str, colours: &Colours) -> RectMark {
    let width = text.chars().count() as f32 * TEXT * 0.58 + 4.0;
    let rect = Rect { x: at.0 - width, y: at.1 - TEXT + 1.0, width: width + 2.0, height: LINE };
    RectMark { rect, colour: colours.background(), span: SpanRow::NONE }
}

fn dash(x: f32, y: f32, colour: ColourId) -> RectMark {
    RectMark { rect: Rect { x, y: y - 0.5, width: DASH.0, height: 1.0 }, colour, span: SpanRow::NONE }
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
