//! How far an import, or what follows it, has come, and whether the user still wants it.

use crate::StoreError;

/// The steps of an import, and of what is computed after it, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The trace is opened; one in which all locations are mixed is read for it, counted in bytes of its files.
    Opening,
    /// Events are decoded and spans written; counted in bytes of the trace.
    Reading,
    /// Messages and collectives are matched and the views' indexes built, side by side.
    Matching,
    /// Communication events are found among the calls.
    Events,
    /// Events are put together to phases.
    Phases,
    /// Phases and their events get steps.
    Steps,
    /// Events are compared with their peers.
    Metrics,
}

impl Stage {
    /// What to show beside the bar.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Opening => "opening the trace",
            Stage::Reading => "reading events",
            Stage::Matching => "matching and indexing",
            Stage::Events => "finding communication",
            Stage::Phases => "finding phases",
            Stage::Steps => "giving steps",
            Stage::Metrics => "comparing events",
        }
    }
}

/// Told about long work as it goes; asked whether to go on.
pub trait Progress: Sync {
    /// A stage begins; `total` is 0 where nobody knows.
    fn stage(&self, stage: Stage, total: u64);

    /// Some of the stage's total is done.
    fn advance(&self, done: u64);

    /// Somebody else is making the same; we wait for it.
    fn waiting(&self);

    /// Whether the user wants to stop.
    fn is_cancelled(&self) -> bool;
}

impl dyn Progress + '_ {
    /// An error if the user wants to stop. Called often enough that stopping feels immediate.
    pub fn check(&self) -> Result<(), StoreError> {
        if self.is_cancelled() { Err(StoreError::Cancelled) } else { Ok(()) }
    }
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn stage(&self, _stage: Stage, _total: u64) {}

    fn advance(&self, _done: u64) {}

    fn waiting(&self) {}

    fn is_cancelled(&self) -> bool {
        false
    }
}
