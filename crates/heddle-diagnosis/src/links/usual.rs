//! What messages usually take, by class.
//!
//! The usual time of a class is the median over pairs of the pairs' medians: a pair that sends much counts once. Classes that
//! few pairs have are read off a line through the others, fitted as Theil and Sen do.

use heddle_store::{Progress, StoreError};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::way::{Class, Ground, bytes_of, ways};
use crate::histogram::Histogram;
use crate::rows::Rows;

/// Fewer pairs do not make a usual time.
const LEAST_PAIRS: u64 = 5;
/// A line: what no bytes take, and each byte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) latency: f64,
    pub(super) per_byte: f64,
}

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
        Some(Line { latency: median(&mut rest)?.max(0.0), per_byte })
    }

    fn at(self, bytes: f64) -> f64 {
        self.latency + self.per_byte * bytes
    }
}

/// The middle of some values, which are put in another order.
pub(super) fn median(values: &mut [f64]) -> Option<f64> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// What messages usually take.
#[derive(Debug, Default)]
pub(super) struct Usual {
    classes: FxHashMap<Class, f64>,
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

type Classes = FxHashMap<Class, Histogram>;

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
            for (class, histogram) in part {
                all.entry(class).or_default().merge(histogram);
            }
            Ok(all)
        })?;
        Ok(Usual::of(&merged))
    }

    fn of(merged: &Classes) -> Usual {
        let is_known = |histogram: &Histogram| histogram.total() >= LEAST_PAIRS;
        let known = merged.iter().filter(|(_, histogram)| is_known(histogram));
        let classes: FxHashMap<Class, f64> =
            known.filter_map(|(class, histogram)| Some((*class, histogram.quantile(0.5)?))).collect();
        let line = |is_far: bool, is_met: bool| {
            let alike = |class: &Class| class.is_far == is_far && class.is_met == is_met && class.ahead == 0;
            let mut points: Vec<(u16, f64)> =
                classes.iter().filter(|(class, _)| alike(class)).map(|(class, time)| (class.length, *time)).collect();
            points.sort_by_key(|point| point.0);
            let points: Vec<(f64, f64)> = points.iter().map(|(length, time)| (bytes_of(*length), *time)).collect();
            Line::through(&points)
        };
        let lines = [[line(false, false), line(false, true)], [line(true, false), line(true, true)]];
        Usual { classes, lines }
    }

    /// What a message of a class should take; none if too few are like it.
    pub(super) fn of_class(&self, class: Class) -> Option<Expected> {
        let line = self.lines[usize::from(class.is_far)][usize::from(class.is_met)];
        let off_line = line.map(|line| line.at(bytes_of(class.length)));
        let time = self.classes.get(&class).copied();
        let alone = self.classes.get(&Class { ahead: 0, ..class }).copied().or(off_line);
        let time = if class.ahead == 0 { time.or(off_line) } else { time }?;
        // No way is shorter than alone.
        let alone = alone.map_or(time, |alone| alone.min(time));
        (alone > 0.0).then_some(Expected { time, alone })
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

/// For each class of the messages that a row received: what its pairs take.
fn of_row(rows: &Rows<'_>, ground: &Ground, row: usize) -> Classes {
    let mut exact: Vec<(Class, u32, f64)> =
        ways(rows, ground, row).iter().filter_map(|way| Some((way.class, way.sender, way.exact()? as f64))).collect();
    exact.sort_by_key(|way| (way.0, way.1));
    let mut classes = Classes::default();
    for pair in exact.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let mut times: Vec<f64> = pair.iter().map(|way| way.2).collect();
        if let (Some(first), Some(time)) = (pair.first(), median(&mut times)) {
            classes.entry(first.0).or_default().add(time);
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
