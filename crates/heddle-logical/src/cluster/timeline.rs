//! What is compared: the values of a metric along a rank's events, each at its step.

use std::ops::Range;

use rayon::prelude::*;

use crate::{Logical, MetricValues};

/// What is clustered: the events of one phase, or all in some steps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The events of a phase.
    Phase(u32),
    /// All events in some steps.
    Steps(Range<u32>),
}

impl Scope {
    /// All events of a run.
    pub fn run(logical: &Logical) -> Scope {
        Scope::Steps(0..logical.steps.len() as u32)
    }

    /// Its steps.
    pub fn steps(&self, logical: &Logical) -> Range<u32> {
        match self {
            Scope::Phase(phase) if u64::from(*phase) < logical.phases.len() => {
                let phase = u64::from(*phase);
                logical.phases.first_step.get(phase)..logical.phases.last_step.get(phase) + 1
            }
            Scope::Phase(_) => 0..0,
            Scope::Steps(steps) => {
                let all = logical.steps.len() as u32;
                steps.start.min(all)..steps.end.min(all)
            }
        }
    }

    /// The events of a row that belong to it: neighbours, as a rank's phases follow each other in the order of their numbers.
    pub fn events_of(&self, logical: &Logical, row: u32) -> Range<u64> {
        match self {
            Scope::Phase(phase) => {
                let (events, phases) = (logical.events_of(row), &logical.events.phase);
                let first = phases.partition_point(events.clone(), |other| other < *phase);
                first..phases.partition_point(first..events.end, |other| other <= *phase)
            }
            Scope::Steps(_) => logical.events_in(row, self.steps(logical)),
        }
    }

    /// The rows that have events in it, ascending.
    pub fn rows(&self, logical: &Logical) -> Vec<u32> {
        let rows = (0..logical.rows.len() as u32).into_par_iter();
        rows.filter(|row| !self.events_of(logical, *row).is_empty()).collect()
    }
}

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
