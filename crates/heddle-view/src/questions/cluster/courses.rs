//! The mean of the metric along the steps: of a cluster, of all others together, and of each cluster that is shown.

use std::ops::Range;

use heddle_logical::cluster::{StepTotals, Total};
use serde::Serialize;

use super::Asked;

/// Points of a course: as many as a small plot has room for.
const POINTS: usize = 200;

/// The steps that points stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CourseSteps {
    /// The first step.
    pub first: u32,
    /// The last step.
    pub last: u32,
    /// How many steps a point stands for; the last one may stand for fewer.
    pub each: u32,
}

/// The mean of a cluster along the steps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Course {
    /// Which node of the hierarchy.
    pub node: u32,
    /// How many ranks it has.
    pub size: u32,
    /// Its means; null where no value is known.
    pub points: Vec<Option<f64>>,
}

/// What happens at a step, of all kinds of events.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    total: Total,
}

impl Sum {
    fn add(&mut self, totals: &StepTotals) {
        for total in [&totals.sends, &totals.receives, &totals.collectives] {
            self.total.plus(total);
        }
    }

    fn plus(&mut self, other: &Sum) {
        self.total.plus(&other.total);
    }

    /// Of how many events the value is known.
    pub(super) fn known(&self) -> u32 {
        self.total.known
    }

    /// The mean of these.
    pub(super) fn mean(&self) -> Option<f64> {
        Some(self.total.mean()).filter(|mean| mean.is_finite())
    }

    /// The mean of the aggregates before them.
    pub(super) fn aggregate_mean(&self) -> Option<f64> {
        Some(self.total.aggregate_mean()).filter(|mean| mean.is_finite())
    }
}

/// The courses of a cluster and of what it is compared with.
pub(super) struct Courses {
    /// The first step.
    pub(super) first: u32,
    /// The cluster, step by step.
    pub(super) own: Vec<Sum>,
    /// All others.
    pub(super) rest: Vec<Sum>,
    /// What is shown, the cluster itself first.
    pub(super) shown: Vec<Course>,
    pub(super) steps: CourseSteps,
}

impl Courses {
    /// `is_below` says which leaves are those of the cluster.
    pub(super) fn of(asked: &Asked, is_below: &[bool], shown: &[u32]) -> Courses {
        let (clusters, tree) = (asked.clusters, asked.clusters.tree());
        let steps = clusters.scope().steps(&asked.data.logical);
        let each = steps.len().div_ceil(POINTS).max(1);
        let mut nodes = vec![asked.node];
        nodes.extend(shown.iter().filter(|node| **node != asked.node && **node < tree.nodes()));
        nodes.dedup();
        let mut points = vec![vec![Sum::default(); steps.len().div_ceil(each)]; nodes.len()];
        let (mut own, mut rest) = (vec![Sum::default(); steps.len()], vec![Sum::default(); steps.len()]);
        let mut shown_by: Vec<Vec<usize>> = vec![Vec::new(); is_below.len()];
        for (at, node) in nodes.iter().enumerate() {
            for leaf in tree.leaves_of(*node) {
                shown_by[leaf as usize].push(at);
            }
        }
        for (leaf, is_own) in (0..).zip(is_below) {
            clusters.for_each_total(leaf, steps.clone(), |step, totals| {
                let at = (step - steps.start) as usize;
                if *is_own {
                    own[at].add(totals);
                } else {
                    rest[at].add(totals);
                }
                for course in &shown_by[leaf as usize] {
                    points[*course][at / each].add(totals);
                }
            });
        }
        let shown = nodes.iter().zip(points).map(|(node, points)| Course {
            node: *node,
            size: clusters.size(*node),
            points: points.iter().map(Sum::mean).collect(),
        });
        Courses {
            first: steps.start,
            own,
            rest,
            shown: shown.collect(),
            steps: CourseSteps { first: steps.start, last: steps.end.max(steps.start + 1) - 1, each: each as u32 },
        }
    }

    /// All of some steps, counted from the first.
    pub(super) fn sum(course: &[Sum], steps: Range<usize>) -> Sum {
        course[steps].iter().fold(Sum::default(), |mut sum, step| {
            sum.plus(step);
            sum
        })
    }

    /// How far the cluster is from the others at each step, with how many events it has there: nothing where they cannot be
    /// compared.
    fn differences(&self) -> impl Iterator<Item = Option<(f64, f64)>> {
        self.own.iter().zip(&self.rest).map(|(own, rest)| Some((own.mean()? - rest.mean()?, f64::from(own.known()))))
    }

    /// The squared difference between the cluster and the others at each step, which weighs as much as the cluster has
    /// events there.
    pub(super) fn squares(&self) -> Vec<f64> {
        self.differences().map(|found| found.map_or(0.0, |(apart, events)| events * apart * apart)).collect()
    }

    /// Which share of the difference in some steps was there when their events began: what the aggregates before them have
    /// of it. None if that is not known.
    pub(super) fn carried(&self, steps: Range<usize>) -> Option<f64> {
        let (mut before, mut all) = (0.0, 0.0);
        for (at, found) in self.differences().enumerate().take(steps.end).skip(steps.start) {
            let aggregates = [&self.own, &self.rest].map(|course| course[at].aggregate_mean());
            if let (Some((apart, events)), [Some(own), Some(rest)]) = (found, aggregates) {
                before += events * apart * (own - rest);
                all += events * apart * apart;
            }
        }
        Some(before / all).filter(|share| share.is_finite())
    }

    /// How far the cluster is from the others in some steps, above or below: the root of the mean of squares.
    pub(super) fn apart(&self, steps: Range<usize>) -> Option<f64> {
        let found = self.differences().take(steps.end).skip(steps.start).flatten();
        let (squares, events) =
            found.fold((0.0, 0.0), |sum, (apart, events)| (sum.0 + events * apart * apart, sum.1 + events));
        Some((squares / events).sqrt()).filter(|apart: &f64| apart.is_finite())
    }

    /// At how many steps the cluster can be compared with the others.
    pub(super) fn compared(&self, steps: Range<usize>) -> usize {
        self.differences().take(steps.end).skip(steps.start).flatten().count()
    }

    /// The shortest stretch of steps, counted from the first, that holds a share of the squared differences; with the share
    /// that it holds.
    pub(super) fn stretch(&self, share: f64) -> Option<(Range<usize>, f64)> {
        let squares = self.squares();
        let all: f64 = squares.iter().sum();
        if !(all.is_finite() && all > 0.0) {
            return None;
        }
        let (mut best, mut start, mut held): (Option<(Range<usize>, f64)>, usize, f64) = (None, 0, 0.0);
        for end in 1..=squares.len() {
            held += squares[end - 1];
            while start + 1 < end && held - squares[start] >= share * all {
                held -= squares[start];
                start += 1;
            }
            let is_shorter = best.as_ref().is_none_or(|(known, _)| end - start < known.len());
            if held >= share * all && is_shorter {
                best = Some((start..end, (held / all).min(1.0)));
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn courses(pairs: &[(f64, f64)]) -> Courses {
        let sum = |value: f64| Sum { total: Total { count: 1, known: 1, sum: value, ..Total::default() } };
        Courses {
            first: 10,
            own: pairs.iter().map(|(own, _)| sum(*own)).collect(),
            rest: pairs.iter().map(|(_, rest)| sum(*rest)).collect(),
            shown: Vec::new(),
            steps: CourseSteps { first: 10, last: 10, each: 1 },
        }
    }

    #[test]
    fn the_stretch_is_where_the_difference_is() {
        let found = courses(&[(1.0, 1.0), (9.0, 1.0), (9.0, 2.0), (8.0, 1.0), (1.5, 1.0)]).stretch(0.8).unwrap();
        assert_eq!(found.0, 1..4);
        assert!(found.1 > 0.99, "{}", found.1);
        let mixed = courses(&[(5.0, 1.0), (1.0, 5.0)]);
        assert_eq!((mixed.apart(0..2), mixed.compared(0..2), mixed.apart(0..0)), (Some(4.0), 2, None));
        assert_eq!(courses(&[(1.0, 1.0), (2.0, 2.0)]).stretch(0.8), None, "no difference");
        assert_eq!(courses(&[(f64::NAN, 1.0)]).stretch(0.8), None, "nothing known");
        assert_eq!(courses(&[]).stretch(0.8), None);
    }

    #[test]
    fn what_was_there_before_counts_where_the_difference_is() {
        let mut course = courses(&[(9.0, 1.0), (1.0, 1.0)]);
        for (own, rest, before) in [(0, 0, (7.0, 1.0)), (1, 1, (90.0, 0.0))] {
            (course.own[own].total.aggregates_known, course.own[own].total.aggregate_sum) = (1, before.0);
            (course.rest[rest].total.aggregates_known, course.rest[rest].total.aggregate_sum) = (1, before.1);
        }
        assert_eq!(course.carried(0..2), Some(0.75));
        assert_eq!(course.carried(1..2), None, "no difference");
    }
}
