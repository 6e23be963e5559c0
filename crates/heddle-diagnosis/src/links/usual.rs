//! What messages usually take, by class.
//!
//! The usual time of a class is the middle over pairs of the pairs' medians: a pair that sends much counts once, and those that
//! a slow card may be at the end of are left out ([`Ground::middle`]). Classes that few pairs have are read off a line through the others, fitted as Theil and Sen do.

use heddle_store::{Progress, StoreError};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::pairs::SLOW;
use super::way::{Class, Ground, bytes_of, ways};
use crate::histogram::Histogram;
use crate::rows::Rows;

/// The part of the messages of a class that are its fastest.
const FASTEST: f64 = 0.2;
/// Fewer pairs do not make a usual time.
const LEAST_PAIRS: u64 = 4;
/// A line: what no bytes take, each byte, and each byte that was sent just before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) latency: f64,
    pub(super) per_byte: f64,
    per_byte_ahead: f64,
    /// Nearly all classes are near it.
    is_tight: bool,
}

/// Classes are this near to a tight line, in the middle.
const TIGHT: f64 = 0.1;
/// Fewer classes fit any line.
const LEAST_CLASSES: usize = 4;

impl Line {
    /// Through points of bytes and times: the median of the slopes between any two, and of what is left.
    pub(super) fn through(points: &[(f64, f64)]) -> Option<Line> {
        let mut slopes: Vec<f64> = Vec::new();
        for (at, a) in points.iter().enumerate() {
            let later = points[at + 1..].iter().filter(|b| (b.0 - a.0).abs() > 0.0);
            slopes.extend(later.map(|b| (b.1 - a.1) / (b.0 - a.0)));
        }
        let per_byte = median(&mut slopes)?.max(0.0);
        let mut rest: Vec<f64> = points.iter().map(|point| point.1 - per_byte * point.0).collect();
        Some(Line { latency: median(&mut rest)?.max(0.0), per_byte, per_byte_ahead: per_byte, is_tight: false })
    }

    fn at(self, class: Class) -> f64 {
        self.latency + self.per_byte * bytes_of(class.length) + self.per_byte_ahead * class.bytes_ahead()
    }
}

/// The line through the classes of a distance.
fn line(classes: &FxHashMap<Class, f64>, is_far: bool, is_met: bool) -> Option<Line> {
    let mut alike: Vec<(Class, f64)> = classes.iter().map(|(class, time)| (*class, *time)).collect();
    alike.retain(|(class, _)| class.is_far == is_far && class.is_met == is_met);
    alike.sort_by_key(|(class, _)| *class);
    let alone: Vec<(f64, f64)> = alike
        .iter()
        .filter(|(class, _)| class.ahead == 0)
        .map(|(class, time)| (bytes_of(class.length), *time))
        .collect();
    let mut line = Line::through(&alone)?;
    let behind = alike.iter().filter(|(class, _)| class.ahead > 0);
    let per_byte =
        |(class, time): &(Class, f64)| (time - line.at(Class { ahead: 0, ..*class })) / bytes_of(class.ahead);
    if let Some(middle) = median(&mut behind.map(per_byte).collect::<Vec<_>>()) {
        line.per_byte_ahead = middle.max(0.0);
    }
    let mut off: Vec<f64> = alike.iter().map(|(class, time)| (line.at(*class) / time - 1.0).abs()).collect();
    line.is_tight = off.len() >= LEAST_CLASSES && median(&mut off).is_some_and(|off| off <= TIGHT);
    Some(line)
}

/// The middle of some values, which are put in another order.
pub(super) fn median(values: &mut [f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The value below which a part of some lies; they are put in another order.
pub(super) fn quantile(values: &mut [f64], part: f64) -> Option<f64> {
    let at = (values.len() as f64 * part) as usize;
    (at < values.len()).then(|| *values.select_nth_unstable_by(at, f64::total_cmp).1)
}

/// What messages usually take.
#[derive(Debug, Default)]
pub(super) struct Usual {
    classes: FxHashMap<Class, f64>,
    /// What the fastest fifth of the messages takes at most.
    fastest: FxHashMap<Class, f64>,
    /// By distance, and whether the send had to wait for its receive.
    lines: [[Option<Line>; 2]; 2],
}

/// What is expected of a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Expected {
    /// How long it takes.
    pub(super) time: f64,
    /// How long it would take with nothing sent just before: what a slower way is a multiple of.
    pub(super) alone: f64,
}

type Classes = FxHashMap<Class, Seen>;

/// What is seen of a class: by pair, what its messages take; and between whom.
#[derive(Clone, Debug, Default)]
struct Seen {
    times: Histogram,
    /// Of single messages.
    messages: Histogram,
    senders: Ends,
    receivers: Ends,
}

/// Rows and nodes at one end of some messages: the lowest and the highest, which tell one from several.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    rows: Option<(u32, u32)>,
    nodes: Option<(u32, u32)>,
}

impl Ends {
    fn of(row: u32, node: u32) -> Ends {
        Ends { rows: Some((row, row)), nodes: Some((node, node)) }
    }

    fn merge(&mut self, other: Ends) {
        let join = |a: Option<(u32, u32)>, b: Option<(u32, u32)>| match (a, b) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        (self.rows, self.nodes) = (join(self.rows, other.rows), join(self.nodes, other.nodes));
    }

    /// Whether they are several, also as nodes if the run has several of these.
    fn are_several(self, has_nodes: bool) -> bool {
        let several = |ends: Option<(u32, u32)>| ends.is_some_and(|(low, high)| low < high);
        several(self.rows) && (several(self.nodes) || !has_nodes)
    }
}

impl Seen {
    fn merge(&mut self, other: Seen) {
        self.times.merge(other.times);
        self.messages.merge(other.messages);
        self.senders.merge(other.senders);
        self.receivers.merge(other.receivers);
    }
}

impl Usual {
    /// Looks at all messages.
    pub(super) fn new(rows: &Rows<'_>, ground: &Ground, progress: &dyn Progress) -> Result<Usual, StoreError> {
        let of_row = |row: usize| -> Result<Classes, StoreError> {
            progress.check()?;
            let found = of_row(rows, ground, row);
            progress.advance(1);
            Ok(found)
        };
        let merged = (0..rows.len()).into_par_iter().map(of_row).try_reduce(Classes::default, |mut all, part| {
            for (class, seen) in part {
                all.entry(class).or_default().merge(seen);
            }
            Ok(all)
        })?;
        Ok(Usual::of(&merged, ground))
    }

    fn of(merged: &Classes, ground: &Ground) -> Usual {
        let has_nodes = ground.node.iter().any(|node| *node != ground.node[0]);
        let known = merged.iter().filter(|(_, seen)| seen.times.total() >= LEAST_PAIRS);
        let known = known.filter_map(|(class, seen)| Some((*class, seen.times.quantile(ground.middle(class.is_far))?)));
        let mut classes: FxHashMap<Class, f64> = known.collect();
        // Alone none takes longer than all of its length do together. A slow card spreads its own messages, so that they may be
        // the only ones that have nothing before them.
        for (class, seen) in whatever_is_ahead(merged).iter().filter(|(_, seen)| seen.times.total() >= LEAST_PAIRS) {
            if let Some(together) = seen.times.quantile(ground.middle(class.is_far)) {
                let alone = classes.entry(*class).or_insert(together);
                *alone = alone.min(together);
            }
        }
        let lines =
            [[false, true].map(|met| line(&classes, false, met)), [false, true].map(|met| line(&classes, true, met))];
        // What only one node or rank sends or receives is no measure of itself.
        for (class, time) in &mut classes {
            let is_narrow = merged.get(class).is_some_and(|seen| {
                !seen.senders.are_several(has_nodes && class.is_far)
                    || !seen.receivers.are_several(has_nodes && class.is_far)
            });
            let line = lines[usize::from(class.is_far)][usize::from(class.is_met)];
            if let Some(line) = line.filter(|line| is_narrow && line.is_tight) {
                *time = time.min(line.at(*class));
            }
        }
        let fastest = merged.iter().filter_map(|(class, seen)| Some((*class, seen.messages.quantile(FASTEST)?)));
        Usual { classes, fastest: fastest.collect(), lines }
    }

    /// What a message of a class should take; none if too few are like it.
    pub(super) fn of_class(&self, class: Class) -> Option<Expected> {
        let line = self.lines[usize::from(class.is_far)][usize::from(class.is_met)];
        let off_line = line.map(|line| line.at(Class { ahead: 0, ..class }));
        let time = self.classes.get(&class).copied();
        let alone = self.classes.get(&Class { ahead: 0, ..class }).copied().or(off_line);
        let time = if class.ahead == 0 { time.or(off_line) } else { time }?;
        // No way is shorter than alone.
        let alone = alone.map_or(time, |alone| alone.min(time));
        (alone > 0.0).then_some(Expected { time, alone })
    }

    /// What a message should take that nothing like it is known of: had nothing been sent just before it, what it would take
    /// then. Only of one that was as quick all the same, for the others may have had to wait.
    pub(super) fn as_if_alone(&self, class: Class, most: f64) -> Option<Expected> {
        let alone = self.of_class(Class { ahead: 0, ..class })?;
        (class.ahead > 0 && most < SLOW * alone.time).then_some(alone)
    }

    /// What the fastest of a class take; a few are left out, since some are odd.
    pub(super) fn fastest(&self, class: Class) -> Option<f64> {
        self.fastest.get(&class).map(|fastest| fastest.max(1.0))
    }

    /// What a message of some bytes should take at most, whatever its class: no byte of a longer one takes longer than those of
    /// a shorter one, and no shorter one as a whole. None if nothing is known.
    pub(super) fn at_most(&self, bytes: f64) -> Option<f64> {
        let of = |(class, time): (&Class, &f64)| time * (bytes / bytes_of(class.length)).max(1.0);
        self.classes.iter().map(of).min_by(f64::total_cmp)
    }

    /// What an empty message of its kind takes.
    pub(super) fn latency(&self, class: Class) -> Option<f64> {
        self.lines[usize::from(class.is_far)][usize::from(class.is_met)].map(|line| line.latency)
    }

    /// Usual times of messages between nodes or, if there are none, within them, that had nothing sent just before: length
    /// in bytes and nanoseconds, by length.
    pub(super) fn curve(&self) -> Vec<(f64, f64)> {
        let of = |is_far: bool| {
            let alike = |class: &Class| class.is_far == is_far && !class.is_met && class.ahead == 0;
            let mut points: Vec<(u16, f64)> =
                self.classes.iter().filter(|(class, _)| alike(class)).map(|(class, x)| (class.length, *x)).collect();
            points.sort_by_key(|point| point.0);
            points.into_iter().map(|(length, time)| (bytes_of(length), time)).collect::<Vec<_>>()
        };
        let far = of(true);
        if far.is_empty() { of(false) } else { far }
    }
}

/// All messages of a length, whatever was sent just before, as the class of those that had nothing before them.
fn whatever_is_ahead(merged: &Classes) -> Classes {
    let mut all = Classes::default();
    for (class, seen) in merged {
        all.entry(Class { ahead: 0, ..*class }).or_default().merge(seen.clone());
    }
    all
}

/// For each class of the messages that a row received: what its pairs take.
fn of_row(rows: &Rows<'_>, ground: &Ground, row: usize) -> Classes {
    let mut exact: Vec<(Class, u32, f64)> =
        ways(rows, ground, row).iter().filter_map(|way| Some((way.class, way.sender, way.exact()? as f64))).collect();
    exact.sort_by_key(|way| (way.0, way.1));
    let mut classes = Classes::default();
    for pair in exact.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let mut times: Vec<f64> = pair.iter().map(|way| way.2).collect();
        if let (Some((class, sender, _)), Some(time)) = (pair.first(), median(&mut times)) {
            let seen = classes.entry(*class).or_default();
            seen.times.add(time);
            for way in pair {
                seen.messages.add(way.2);
            }
            seen.senders.merge(Ends::of(*sender, ground.node[*sender as usize]));
            seen.receivers.merge(Ends::of(row as u32, ground.node[row]));
        }
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_not_bent_by_one_class() {
        let mut points: Vec<(f64, f64)> =
            (0..9).map(|at| (f64::from(at) * 1000.0, 500.0 + 80.0 * f64::from(at))).collect();
        points[4].1 *= 20.0;
        let line = Line::through(&points).unwrap();
        assert!((line.per_byte - 0.08).abs() < 1e-9 && (line.latency - 500.0).abs() < 1e-6, "{line:?}");
        assert_eq!(Line::through(&[(1.0, 1.0)]), None);
    }
}
