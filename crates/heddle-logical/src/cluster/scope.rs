//! Whose clusters: of a phase, of some steps, of the whole run.

use std::ops::Range;

use rayon::prelude::*;

use heddle_options::{Kind, OptionValue, Written};

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

    /// Whether it is the whole run.
    pub fn is_run(&self, logical: &Logical) -> bool {
        *self == Scope::run(logical)
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

    /// Whether an event belongs to it.
    pub fn contains(&self, logical: &Logical, event: u64) -> bool {
        match self {
            Scope::Phase(phase) => logical.events.phase.get(event) == *phase,
            Scope::Steps(steps) => steps.contains(&logical.events.step.get(event)),
        }
    }

    /// How many events belong to it.
    pub fn events(&self, logical: &Logical) -> u64 {
        match self {
            Scope::Phase(phase) if u64::from(*phase) < logical.phases.len() => {
                logical.phases.events.get(u64::from(*phase))
            }
            Scope::Phase(_) => 0,
            Scope::Steps(_) => {
                let steps = self.steps(logical);
                logical.steps.events.iter(u64::from(steps.start)..u64::from(steps.end)).map(u64::from).sum()
            }
        }
    }

    /// The rows that have events in it, ascending.
    pub fn rows(&self, logical: &Logical) -> Vec<u32> {
        let rows = (0..logical.rows.len() as u32).into_par_iter();
        rows.filter(|row| !self.events_of(logical, *row).is_empty()).collect()
    }
}

/// Which scope somebody asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ScopeChoice {
    /// The phase that holds the largest value if it has several steps and at least half of the ranks, else the whole run.
    #[default]
    Usual,
    /// The whole run.
    Run,
    /// A phase.
    Phase(u32),
    /// From one step to before another.
    Steps(u32, u32),
}

impl ScopeChoice {
    /// The scope itself.
    pub fn scope(self, logical: &Logical, values: &MetricValues) -> Scope {
        match self {
            ScopeChoice::Usual => usual(logical, values).map_or_else(|| Scope::run(logical), Scope::Phase),
            ScopeChoice::Run => Scope::run(logical),
            ScopeChoice::Phase(phase) => Scope::Phase(phase),
            ScopeChoice::Steps(from, to) => Scope::Steps(from..to),
        }
    }
}

/// The phase with the largest value, if it is a large one.
fn usual(logical: &Logical, values: &MetricValues) -> Option<u32> {
    let step = values.sums().largest_step()?;
    let (phases, rows) = (&logical.phases, logical.rows.len());
    // A single step has no course to compare.
    let is_here = |phase: &u64| {
        phases.last_step.get(*phase) >= step && phases.last_step.get(*phase) > phases.first_step.get(*phase)
    };
    // Phases are in the order of their first steps.
    let before = phases.first_step.partition_point(0..phases.len(), |first| first <= step);
    let largest = (0..before).filter(is_here).max_by_key(|phase| (phases.rows.get(*phase), u64::MAX - phase))?;
    (u64::from(phases.rows.get(largest)) * 2 >= rows).then_some(largest as u32)
}

const WORDS: &str = "must be run, phase:NUMBER or steps:FROM:TO";

impl OptionValue for ScopeChoice {
    fn kind() -> Kind {
        Kind::Text { longest: 40, value_name: "SCOPE" }
    }

    fn read(text: &str, _written: Written) -> Result<ScopeChoice, String> {
        let number = |text: &str| text.parse::<u32>().map_err(|_| WORDS.to_owned());
        match text.split(':').collect::<Vec<_>>()[..] {
            [""] => Ok(ScopeChoice::Usual),
            ["run"] => Ok(ScopeChoice::Run),
            ["phase", phase] => Ok(ScopeChoice::Phase(number(phase)?)),
            ["steps", from, to] => match (number(from)?, number(to)?) {
                (from, to) if from < to => Ok(ScopeChoice::Steps(from, to)),
                _ => Err("must begin before it ends".to_owned()),
            },
            _ => Err(WORDS.to_owned()),
        }
    }

    fn write(&self) -> String {
        match self {
            ScopeChoice::Usual => String::new(),
            ScopeChoice::Run => "run".to_owned(),
            ScopeChoice::Phase(phase) => format!("phase:{phase}"),
            ScopeChoice::Steps(from, to) => format!("steps:{from}:{to}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read_and_written_back() {
        for text in ["", "run", "phase:7", "steps:3:90"] {
            assert_eq!(ScopeChoice::read(text, Written::ByHand).map(|scope| scope.write()), Ok(text.to_owned()));
        }
        for wrong in ["phase", "phase:x", "steps:5:5", "steps:1", "all"] {
            assert!(ScopeChoice::read(wrong, Written::ByHand).is_err(), "{wrong}");
        }
    }
}
