//! What sets a cluster apart from all others: how large the metric is, in which steps, and in which function.

mod functions;

use heddle_logical::Metric;
use rayon::prelude::*;
use serde::Serialize;

use super::courses::Courses;
use super::lists::range;
use super::members::{Everyone, rank_of};
use super::{Asked, Group, Value};
use crate::scene::ticks::grouped;
pub use functions::Mostly;

/// A stretch holds most of a difference if it holds this share of its squares.
const MOST: f64 = 0.8;
/// A stretch of this share of the steps is all of them to a reader.
const THROUGHOUT: f64 = 0.9;
/// A cluster lies on one side of the others if the means differ by this share of what they differ by from step to step.
const ONE_SIDED: f64 = 0.5;
/// What falls to this share has dropped.
const DROPPED: f64 = 0.25;
/// The others are said to be below what this share of them is below.
const NEARLY_ALL: f64 = 0.95;

/// What sets a cluster apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Apart {
    /// The mean over all its events; none if no value is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<Value>,
    /// The mean over the events of all other ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest_mean: Option<Value>,
    /// Its largest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest: Option<LargestValue>,
    /// Where it differs most from the others; none if it does not, or there is no step to compare them at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch: Option<Stretch>,
    /// The function that it has to do with there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mostly: Option<Mostly>,
    /// In words.
    pub sentences: Vec<String>,
}

/// A value, and where it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LargestValue {
    /// How large.
    #[serde(flatten)]
    pub value: Value,
    /// On which rank.
    pub rank: u32,
    /// At which step.
    pub step: u32,
}

/// Steps in which a cluster differs from the others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stretch {
    /// The first step.
    pub first: u32,
    /// The last step.
    pub last: u32,
    /// Which share of the squared difference lies there.
    pub share: f64,
    /// The cluster's mean there.
    pub mean: Value,
    /// That of the others.
    pub rest_mean: Value,
    /// How far the means are apart from step to step, above or below: the root of the mean of squares.
    pub apart: Value,
}

impl Stretch {
    /// Whether the cluster is above the others at some steps and below them at others, so that the means say little.
    fn is_mixed(&self) -> bool {
        (self.mean.value - self.rest_mean.value).abs() < ONE_SIDED * self.apart.value
    }
}

pub(super) fn apart(asked: &Asked, everyone: &Everyone, group: &Group, courses: &Courses) -> Apart {
    let all = 0..courses.own.len();
    let mean_of = |course| Courses::sum(course, all.clone()).mean().and_then(|mean| asked.value(mean));
    let (mean, rest_mean) = (mean_of(&courses.own), mean_of(&courses.rest));
    let largest = asked.clusters.largest(asked.node).and_then(|(value, row, step)| {
        Some(LargestValue { value: asked.value(value)?, rank: rank_of(asked.store, &asked.data.logical, row), step })
    });
    let metric = asked.metric_in_words();
    let mut found = Apart { mean, rest_mean, largest, ..Apart::default() };
    found.sentences.extend(how_large(&found, group, &metric));
    let Some((steps, share)) = courses.stretch(MOST) else {
        let is_compared = found.mean.is_some() && found.rest_mean.is_some();
        if is_compared {
            found.sentences.push(if courses.compared(all) > 0 {
                "At no step does its mean differ from that of the others.".to_owned()
            } else {
                "There is no step at which it can be compared with the others.".to_owned()
            });
        }
        return found;
    };
    let in_stretch = [&courses.own, &courses.rest].map(|course| Courses::sum(course, steps.clone()));
    let [Some(ours), Some(theirs)] = in_stretch.map(|sum| sum.mean().and_then(|mean| asked.value(mean))) else {
        return found;
    };
    let Some(apart) = courses.apart(steps.clone()).and_then(|apart| asked.value(apart)) else { return found };
    let number = |at: usize| courses.first + at as u32;
    let stretch = Stretch {
        first: number(steps.start),
        last: number(steps.end - 1),
        share,
        mean: ours,
        rest_mean: theirs,
        apart,
    };
    let is_all = courses.compared(steps.clone()) as f64 >= THROUGHOUT * courses.compared(all) as f64;
    found.sentences.push(where_it_is(&stretch, is_all));
    found.sentences.extend(first_events(asked, everyone, group));
    found.mostly = functions::mostly(asked, everyone, group, courses, &stretch);
    found.sentences.extend(found.mostly.as_ref().map(|mostly| mostly.sentence(group.size == 1)));
    let after = Courses::sum(&courses.own, steps.end..courses.own.len()).mean();
    let is_above = !stretch.is_mixed() && stretch.mean.value > stretch.rest_mean.value.max(0.0);
    if let Some(after) = after.filter(|after| is_above && *after <= DROPPED * stretch.mean.value)
        && let Some(after) = asked.value(after)
    {
        found.sentences.push(format!(
            "After step {} its mean drops to {}.",
            grouped(u64::from(stretch.last)),
            after.text
        ));
    }
    found.stretch = Some(stretch);
    found
}

/// The means and the largest value.
fn how_large(apart: &Apart, group: &Group, metric: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    match (&apart.mean, &apart.rest_mean) {
        (Some(mean), Some(rest)) => {
            sentences.push(format!("Its mean {metric} is {}, that of the others {}.", mean.text, rest.text));
        }
        (Some(mean), None) if group.size == group.ranks.len() => {
            sentences.push(format!("Its mean {metric} is {}. There are no other ranks.", mean.text));
        }
        (Some(mean), None) => {
            sentences.push(format!("Its mean {metric} is {}; of the others no value is known.", mean.text));
        }
        (None, _) if group.size > 0 => sentences.push(format!("No value of {metric} is known for it.")),
        (None, _) => {}
    }
    if let Some(LargestValue { value, rank, step }) = &apart.largest {
        let (rank, step) = (grouped(u64::from(*rank)), grouped(u64::from(*step)));
        sentences.push(format!("The largest is {}, on rank {rank} at step {step}.", value.text));
    }
    sentences
}

fn where_it_is(stretch: &Stretch, is_all: bool) -> String {
    let Stretch { first, last, mean, rest_mean, apart, .. } = stretch;
    let steps = if first == last { "step" } else { "steps" };
    let which = range(*first, *last);
    let there = if is_all && first != last {
        format!("It differs throughout, in {steps} {which}")
    } else {
        format!("Most of the difference lies in {steps} {which}")
    };
    if stretch.is_mixed() {
        format!("{there}, where it is now above the others and now below them, by {} on average.", apart.text)
    } else {
        format!("{there}: {} there, the others {}.", mean.text, rest_mean.text)
    }
}

/// How late each was from the beginning, if that tells the members from nearly all others.
fn first_events(asked: &Asked, everyone: &Everyone, group: &Group) -> Option<String> {
    if !matches!(asked.metric(), Metric::Lateness | Metric::PhaseLateness) {
        return None;
    }
    let (logical, scope) = (&asked.data.logical, asked.clusters.scope());
    let firsts: Vec<(f64, bool)> = everyone
        .rows
        .par_iter()
        .zip(&group.is_member)
        .filter_map(|(row, is_member)| {
            let events = scope.events_of(logical, *row);
            (!events.is_empty()).then(|| (asked.data.value(events.start), *is_member))
        })
        .filter(|(value, _)| value.is_finite())
        .collect();
    let of = |member: bool| firsts.iter().filter(move |(_, is)| *is == member).map(|(value, _)| *value);
    let (least, most) =
        of(true).fold((f64::INFINITY, 0.0f64), |(least, most), value| (least.min(value), most.max(value)));
    let mut others: Vec<f64> = of(false).collect();
    if others.is_empty() || !least.is_finite() {
        return None;
    }
    let at = ((others.len() - 1) as f64 * NEARLY_ALL) as usize;
    let (_, usual, _) = others.select_nth_unstable_by(at, f64::total_cmp);
    if least <= *usual {
        return None;
    }
    let [least, most, usual] = [asked.value(least)?.text, asked.value(most)?.text, asked.value(*usual)?.text];
    let late = if least == most { least } else { format!("{least} to {most}") };
    let who = if group.size == 1 { "it" } else { "each" };
    Some(format!("At its first event {who} was late by {late}; 95 % of the others by at most {usual}."))
}
