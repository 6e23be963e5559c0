//! Faults that are planted into a run: what a diagnosis should find, with the truth known.
//!
//! A fault changes what computations take, what messages take, or what a clock shows. All its times are those of the run, before
//! clocks are put wrong. A run with faults depends on its options alone, like one without; and a fault that would change nothing
//! is refused, since whoever plants it wants to see it.
//!
//! - **Computations.** A factor holds for a computation that begins while it is in force, and for the whole of it. Factors
//!   multiply. Computations are stopped by periodic noise, and prolonged by a stall. Calls of MPI, and the time between calls, are not:
//!   whoever waits has time to spare.
//! - **Messages.** A factor multiplies latency and time per byte, not the processor's overhead. Of a slow link and slow cards at
//!   both ends the slowest decides; a slow network slows them all. A slow card is busy with a message for longer; what leaves
//!   a fast card is slow behind it, and holds up no other message.
//! - **Clocks.** The records of a rank show another time than that of the run. They are moved together so that the first is at 0.

mod computing;
mod planted;
mod spec;
mod wires;

use std::sync::Arc;

pub(crate) use computing::{Computation, Stalled};
pub(crate) use planted::{Clock, Planted};
pub(crate) use wires::Wires;

/// Something that is wrong with a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// Once, a computation takes longer: of each of these ranks the first that ends after a time.
    Stall {
        /// Whom it befalls.
        who: Who,
        /// The time.
        at_ns: u64,
        /// How much longer.
        for_ns: u64,
    },
    /// Computations take a multiple of their time.
    Slow {
        /// Whose.
        who: Who,
        /// How many times as long.
        factor: f64,
        /// Those that begin then.
        when: When,
        /// Those in this function of the program; without it all.
        function: Option<String>,
    },
    /// Computations take longer and longer.
    Drift {
        /// Whose.
        who: Who,
        /// How the factor grows from 1.
        growth: Growth,
    },
    /// Messages between two places are slow, both ways.
    Link {
        /// The two places.
        between: Between,
        /// How many times as long latency and each byte take.
        factor: f64,
    },
    /// All messages to and from some ranks are slow, or those that leave or reach a node.
    Card {
        /// Whose card it is.
        who: Who,
        /// How many times as long latency and each byte take.
        factor: f64,
    },
    /// All messages are slow.
    Network {
        /// How many times as long latency and each byte take.
        factor: f64,
        /// Messages that are sent then.
        when: When,
    },
    /// At regular intervals, something else takes the processor away.
    Noise {
        /// From whom.
        who: Who,
        /// How often.
        every_ns: u64,
        /// For how long; shorter than the interval.
        for_ns: u64,
        /// When it first does; without it every rank has a time of its own, by chance.
        at_ns: Option<u64>,
    },
    /// Each rank computes for a multiple of its time.
    Factors {
        /// As many as there are ranks.
        by_rank: Arc<[f64]>,
    },
    /// Work that is not evenly cut: it changes smoothly over the ranks.
    Imbalance {
        /// The largest share against the smallest.
        to: f64,
        /// Who has more.
        shape: Slope,
    },
    /// A clock that is wrong.
    Clock {
        /// Whose.
        who: Who,
        /// How far it is ahead at the start of the run.
        offset_ns: i64,
        /// How much it gains, per nanosecond.
        drift: f64,
    },
}

/// Ranks that something befalls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// All.
    All,
    /// These.
    Ranks(Vec<u32>),
    /// All on these nodes.
    Nodes(Vec<u32>),
}

/// Between whom a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Two ranks.
    Ranks(u32, u32),
    /// All ranks of one node and all of another.
    Nodes(u32, u32),
}

/// A stretch of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct When {
    /// Its start.
    pub from_ns: u64,
    /// Its end, which is not part of it; without one it lasts to the end of the run.
    pub until_ns: Option<u64>,
}

impl When {
    fn contains(&self, time: i64) -> bool {
        let time = u64::try_from(time).unwrap_or(0);
        time >= self.from_ns && self.until_ns.is_none_or(|until| time < until)
    }
}

/// How a factor grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Growth {
    /// With the stages of the rank's program (its iterations, mostly), to this in the last.
    To(f64),
    /// With time, by this much every second.
    PerSecond(f64),
}

/// How work changes over the ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Slope {
    /// It grows from the first rank to the last.
    #[default]
    Linear,
    /// It grows to the middle and falls to the end, as a parabola.
    Hill,
}

impl Fault {
    /// All kinds of faults, as they are written.
    pub const KINDS: [&'static str; 10] =
        ["stall", "slow", "drift", "link", "card", "network", "noise", "factors", "imbalance", "clock"];

    /// Its kind, as it is written.
    pub fn kind(&self) -> &'static str {
        match self {
            Fault::Stall { .. } => "stall",
            Fault::Slow { .. } => "slow",
            Fault::Drift { .. } => "drift",
            Fault::Link { .. } => "link",
            Fault::Card { .. } => "card",
            Fault::Network { .. } => "network",
            Fault::Noise { .. } => "noise",
            Fault::Factors { .. } => "factors",
            Fault::Imbalance { .. } => "imbalance",
            Fault::Clock { .. } => "clock",
        }
    }
}
