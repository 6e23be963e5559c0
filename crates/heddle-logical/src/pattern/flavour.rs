//! In which order ranks send and receive: what decides how a cluster of them is drawn.

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use super::several;
use super::traffic::Traffic;
use super::votes::Order;
use crate::Kind;
use crate::tables::kind_of;

/// In which order ranks send and receive.
#[derive(Clone, Debug, PartialEq)]
pub enum Flavour {
    /// All sends, then one receive after the other.
    SendsThenReceives {
        /// How often, on the rank that does it most often.
        rounds: u32,
    },
    /// All sends, then waits for several receives at once.
    SendsThenWaitAll {
        /// How often, on the rank that does it most often.
        rounds: u32,
        /// Most messages that one wait received.
        largest: u32,
        /// Whether no rank waits twice in a round.
        is_one_wait: bool,
    },
    /// Sends and receives in turn.
    Alternating(Lanes),
    /// Ranks have no order in common.
    Unknown,
}

impl Flavour {
    pub(super) fn of(traffic: &Traffic<'_>) -> Flavour {
        let votes = &traffic.votes;
        let rounds = votes.most_rounds;
        match votes.order() {
            Order::SendsThenReceives => Flavour::SendsThenReceives { rounds },
            Order::SendsThenWaitAll => Flavour::SendsThenWaitAll {
                rounds,
                largest: votes.most_received,
                is_one_wait: !votes.has_several_waits,
            },
            Order::Alternating => Flavour::Alternating(Lanes::of(traffic)),
            Order::Unknown => Flavour::Unknown,
        }
    }

    /// It in words.
    pub fn facts(&self) -> String {
        let times = |rounds: u32| if rounds > 1 { format!(", {rounds} times") } else { String::new() };
        match self {
            Flavour::SendsThenReceives { rounds } => {
                format!("all sends, then one receive after the other{}", times(*rounds))
            }
            Flavour::SendsThenWaitAll { rounds, largest, is_one_wait } => {
                let waits =
                    if *is_one_wait { "one wait for all receives" } else { "waits for several receives at once" };
                format!("all sends, then {waits}{}; up to {largest} messages per wait", times(*rounds))
            }
            Flavour::Alternating(_) => "sends and receives in turn".to_owned(),
            Flavour::Unknown => "sends and receives in no common order".to_owned(),
        }
    }
}

/// Sends and receives in turn, as two lanes: what is sent in one is received in the other, one step later.
#[derive(Clone, Debug, PartialEq)]
pub struct Lanes {
    /// The first step of the scope.
    pub first_step: u32,
    /// Rows, ascending, each with what stands for the steps in which it sends.
    rows: Vec<(u32, u64)>,
    /// How many different sets of steps ranks send in.
    pub different: usize,
}

impl Lanes {
    fn of(traffic: &Traffic<'_>) -> Lanes {
        let events = &traffic.logical.events;
        let sends = |row: u32| {
            let of_row = traffic.scope.events_of(traffic.logical, row);
            let all = events.kind.iter(of_row.clone()).zip(events.step.iter(of_row));
            let steps: Vec<u32> = all.filter(|(cell, _)| kind_of(*cell) == Kind::Send).map(|(_, step)| step).collect();
            // A set of steps may be of any size; its hash is not.
            (row, xxh3_64(bytemuck::cast_slice(&steps)))
        };
        let rows: Vec<(u32, u64)> = traffic.rows().par_iter().map(|row| sends(*row)).collect();
        let different = different(rows.iter().map(|(_, sends)| *sends));
        Lanes { first_step: traffic.scope.steps(traffic.logical).start, rows, different }
    }

    /// The lane of a step, 0 or 1. The first step stands alone, then every two change the lane: 0, 1 1, 0 0, 1 1 …
    pub fn lane(&self, step: u32) -> usize {
        let column = u64::from(step.saturating_sub(self.first_step));
        (column.div_ceil(2) % 2) as usize
    }

    /// Whether some rows show at least half of the different sets of steps that ranks send in: enough to see how it goes.
    pub fn show_half(&self, rows: impl IntoIterator<Item = u32>) -> bool {
        let of = |row: u32| self.rows.binary_search_by_key(&row, |(other, _)| *other).ok().map(|at| self.rows[at].1);
        2 * different(rows.into_iter().filter_map(of)) >= self.different
    }
}

fn different(sends: impl Iterator<Item = u64>) -> usize {
    sends.collect::<FxHashSet<u64>>().len()
}

/// What ranks do, and in which order they send and receive for it.
pub(super) fn with_flavour(what: &str, flavour: &Flavour) -> String {
    format!("{what}; {}", flavour.facts())
}

/// How many others each has: `2 partners`, `2 to 4 partners`.
pub(super) fn partners((fewest, most): (u32, u32)) -> String {
    if fewest == most { several(u64::from(most), "partner") } else { format!("{fewest} to {most} partners") }
}
