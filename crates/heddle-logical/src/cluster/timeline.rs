//! What is compared: the values of a metric along a rank's events, each at its step.

use std::ops::Range;

use super::scope::Scope;
use crate::{Logical, MetricValues};

/// A rank's values, by step. Events whose value is not known are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// Steps with events, ascending.
    pub steps: Vec<u32>,
    /// Their values.
    pub values: Vec<f64>,
}

impl Timeline {
    /// Whether no value is known.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.values.clear();
    }

    /// Appends a value unless it is not known.
    pub fn push(&mut self, step: u32, value: f64) {
        if value.is_finite() {
            self.steps.push(step);
            self.values.push(value);
        }
    }
}

/// Timelines to be clustered. They are read again whenever they are needed: those of a million ranks are more than there is
/// room for.
pub trait Timelines: Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// The steps that they may have.
    fn steps(&self) -> Range<u32>;

    /// Reads one of them.
    fn read(&self, at: usize, into: &mut Timeline);
}

impl Timelines for [Timeline] {
    fn count(&self) -> usize {
        self.len()
    }

    fn steps(&self) -> Range<u32> {
        let ends = self.iter().filter_map(|timeline| Some((*timeline.steps.first()?, *timeline.steps.last()?)));
        ends.fold(None, |all: Option<Range<u32>>, (first, last)| {
            let all = all.unwrap_or(first..last + 1);
            Some(all.start.min(first)..all.end.max(last + 1))
        })
        .unwrap_or(0..0)
    }

    fn read(&self, at: usize, into: &mut Timeline) {
        into.clone_from(&self[at]);
    }
}

/// The timelines of a trace's rows in a scope.
pub(super) struct RowTimelines<'a> {
    pub(super) logical: &'a Logical,
    pub(super) values: &'a MetricValues,
    pub(super) scope: &'a Scope,
    /// The rows that have events in it.
    pub(super) rows: &'a [u32],
}

impl Timelines for RowTimelines<'_> {
    fn count(&self) -> usize {
        self.rows.len()
    }

    fn steps(&self) -> Range<u32> {
        self.scope.steps(self.logical)
    }

    fn read(&self, at: usize, into: &mut Timeline) {
        into.clear();
        let row = self.rows[at];
        let events = self.scope.events_of(self.logical, row);
        self.values.for_each(self.logical, row, events, |value| into.push(value.step, value.event));
    }
}
