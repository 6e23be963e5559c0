//! Metrics: one value for each event, and one for the stretch before it (its **aggregate**).

mod counters;
mod differential;
mod names;
mod reduce;
mod side;
mod sums;
mod tiles;
mod values;

#[cfg(test)]
mod tests;

use heddle_model::MetricId;

pub use names::UnknownMetric;
pub use reduce::{Cells, Reduced};
pub use sums::{Sum, Sums};
pub use values::{EventValue, MetricValues};

/// What is measured of events and aggregates. Comparisons are with the other events of the same step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Metric {
    /// How much later than the earliest event of its step an event ends, and an aggregate with it begins.
    #[default]
    Lateness,
    /// The same, compared with events of the same step and phase only.
    PhaseLateness,
    /// Lateness that an event did not inherit: not from what its rank did before, nor from who sent to it.
    Differential,
    /// The same, of phase lateness.
    PhaseDifferential,
    /// How much longer than the shortest event of its step and phase an event takes.
    Duration,
    /// When it begins.
    Enter,
    /// When it ends.
    Exit,
    /// What a counter says of it.
    Counter(MetricId),
}
