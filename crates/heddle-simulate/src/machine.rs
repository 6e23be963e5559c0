//! The machine that a program is simulated on: what computations and messages cost.
//!
//! Messages cost what the LogGP model says, in whole nanoseconds. With overhead o, latency L, gap g between messages
//! and G for each byte:
//!
//! - A message that the processor hands over at h enters the wire at i, when the sender's messages before it are off the
//!   network card; the next one can follow max(g, bytes·G) later. It is there at i + bytes·G + L.
//! - **Eager** (up to the limit): a send entered at t is left at t + o, and hands its message over then. A receive
//!   entered at r of a message that is there at a is left at max(r, a) + o.
//! - **Rendezvous** (above): the request to send is there at t + o + L; it meets the receive at m, when that is posted;
//!   the answer is back at m + L, and the data is handed over. The send is left at i + bytes·G + o.
//! - Non-blocking calls take o. What they began is complete in the wait entered at w, at max(w, …) + o, where … is the
//!   arrival of a received message, or the moment the last byte of a rendezvous send left. Overheads of several
//!   completions in one wait do not add up. Eager sends are complete when the wait is entered.
//!
//! That is for a network that every message has to itself. On a machine with an [`Interconnect`] the last byte is through when the
//! links have carried it ([`crate::fabric`]), which may be later than i + bytes·G.
//!
//! Computations take their mean time, times a factor of chance, times `slow_factor` on slow ranks and nodes, times what faults
//! do to them ([`crate::faults`]).

use crate::SimulateError;
use crate::chance::{Draw, factor, uniform};
use crate::faults::Fault;
use crate::interconnect::{Interconnect, Nodes};

/// The latest time of a simulated run, nine years: sums of a few such times do not overflow.
pub(crate) const LATEST: i64 = 1 << 58;

/// A machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Where all chance comes from.
    pub seed: u64,
    /// Relative spread of the computations, 0 to 1; 0 also removes the jitter of collectives.
    pub noise: f64,
    /// Ranks that compute more slowly than the others.
    pub slow_ranks: Vec<u32>,
    /// Nodes all of whose ranks do.
    pub slow_nodes: Vec<u32>,
    /// How many times longer they take.
    pub slow_factor: f64,
    /// How many ranks share a node.
    pub ranks_per_node: u32,
    /// What messages cost.
    pub network: LogGp,
    /// Links that messages share; without them every message has the network to itself.
    pub interconnect: Option<Interconnect>,
    /// What is wrong with the run.
    pub faults: Vec<Fault>,
}

/// What messages cost: the LogGP model, and from which length on a message waits for its receive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogGp {
    /// L: nanoseconds on the wire.
    pub latency_ns: u64,
    /// o: nanoseconds that a processor is busy with each message, at both ends.
    pub overhead_ns: u64,
    /// g: least nanoseconds between two messages of a sender.
    pub gap_ns: u64,
    /// G: nanoseconds for each byte.
    pub gap_per_byte: f64,
    /// Messages of at most so many bytes are sent at once; longer ones when their receive is posted.
    pub eager_bytes: u64,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine {
            seed: 1,
            noise: 0.05,
            slow_ranks: Vec::new(),
            slow_nodes: Vec::new(),
            slow_factor: 2.0,
            ranks_per_node: 32,
            network: LogGp::default(),
            interconnect: None,
            faults: Vec::new(),
        }
    }
}

impl Default for LogGp {
    /// A cluster of today: 1.5 µs, 12.5 GB/s, eager up to 64 KiB.
    fn default() -> LogGp {
        LogGp { latency_ns: 1_500, overhead_ns: 400, gap_ns: 100, gap_per_byte: 0.08, eager_bytes: 64 * 1024 }
    }
}

impl LogGp {
    pub(crate) fn latency(&self) -> i64 {
        self.latency_ns as i64
    }

    pub(crate) fn overhead(&self) -> i64 {
        self.overhead_ns as i64
    }

    /// bytes·G.
    pub(crate) fn transfer(&self, bytes: u64) -> i64 {
        ((bytes as f64 * self.gap_per_byte).round() as i64).min(LATEST)
    }

    /// How long a message keeps the sender's network card busy.
    pub(crate) fn injection(&self, bytes: u64) -> i64 {
        self.transfer(bytes).max(self.gap_ns as i64)
    }

    /// The same with messages that take a multiple of their time on the wire.
    pub(crate) fn slowed(&self, factor: f64) -> LogGp {
        let slowed = |ns: u64| (ns as f64 * factor).round() as u64;
        LogGp {
            latency_ns: slowed(self.latency_ns),
            gap_ns: slowed(self.gap_ns),
            gap_per_byte: self.gap_per_byte * factor,
            ..*self
        }
    }

    /// Whether a message is sent without waiting for its receive.
    pub(crate) fn is_eager(&self, bytes: u64) -> bool {
        bytes <= self.eager_bytes
    }

    /// What a collective takes after its last entry, as one event: a step for each level of a tree.
    pub(crate) fn synchronising(&self, members: usize, bytes: u64) -> i64 {
        let levels = i64::from(members.next_power_of_two().trailing_zeros());
        levels.saturating_mul(self.latency() + 2 * self.overhead() + self.transfer(bytes))
    }
}

impl Machine {
    pub(crate) fn check(&self, ranks: u32) -> Result<(), SimulateError> {
        for (what, count) in [("ranks", ranks), ("ranks per node", self.ranks_per_node)] {
            if count == 0 {
                return Err(SimulateError::None { what });
            }
        }
        let network = &self.network;
        for (what, value, least, most) in [
            ("ranks", f64::from(ranks), 1.0, f64::from(1_u32 << 30)),
            ("noise", self.noise, 0.0, 1.0),
            ("slow factor", self.slow_factor, 0.0, 1e9),
            ("latency", network.latency_ns as f64, 0.0, 1e12),
            ("overhead", network.overhead_ns as f64, 0.0, 1e12),
            ("gap", network.gap_ns as f64, 0.0, 1e12),
            ("gap per byte", network.gap_per_byte, 0.0, 1e9),
        ] {
            // Not a number is in no range.
            if !(least..=most).contains(&value) {
                return Err(SimulateError::OutOfRange { what, value, least, most });
            }
        }
        for (what, bandwidth) in self.interconnect.iter().flat_map(|interconnect| {
            [("link bandwidth", interconnect.link_bandwidth), ("injection bandwidth", interconnect.injection_bandwidth)]
        }) {
            let (least, most) = (1e-9, 1e9);
            if let Some(value) = bandwidth.filter(|bandwidth| !(least..=most).contains(bandwidth)) {
                return Err(SimulateError::OutOfRange { what, value, least, most });
            }
        }
        Ok(())
    }

    /// For every rank, whether it computes slowly.
    pub(crate) fn slow(&self, nodes: &Nodes<'_>, ranks: u32) -> Result<Vec<bool>, SimulateError> {
        let mut slow = vec![false; ranks as usize];
        for rank in &self.slow_ranks {
            *slow.get_mut(*rank as usize).ok_or(SimulateError::NoSuchRank { rank: *rank, ranks })? = true;
        }
        if let Some(node) = self.slow_nodes.iter().find(|node| **node >= nodes.count()) {
            return Err(SimulateError::NoSuchNode { node: *node, nodes: nodes.count() });
        }
        if !self.slow_nodes.is_empty() {
            for (rank, slow) in (0..).zip(&mut slow) {
                *slow |= self.slow_nodes.contains(&nodes.of(rank));
            }
        }
        Ok(slow)
    }

    /// How long a computation takes that faults slow by a factor: the one at a place of a stage of a rank.
    pub(crate) fn compute(&self, mean_ns: u64, is_slow: bool, faulty: f64, rank: u32, which: u64) -> i64 {
        let chance = if self.noise > 0.0 { factor(self.seed, Draw::Compute, rank, which, self.noise) } else { 1.0 };
        let slow = if is_slow { self.slow_factor } else { 1.0 };
        ((mean_ns as f64 * chance * slow * faulty).round() as i64).min(LATEST)
    }

    /// The little chance at the end of something that all ranks do together: below noise·L.
    pub(crate) fn jitter(&self, draw: Draw, rank: u32, which: u64) -> i64 {
        if self.noise > 0.0 {
            let most = self.noise * self.network.latency_ns as f64;
            (uniform(self.seed, draw, rank, which) * most) as i64
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_refused_in_words() {
        let base = Machine::default;
        for (ranks, machine, words) in [
            (0, base(), "ranks must be at least 1"),
            (64, Machine { ranks_per_node: 0, ..base() }, "ranks per node must be at least 1"),
            (64, Machine { noise: -0.1, ..base() }, "noise is -0.1; it must be from 0 to 1"),
            (64, Machine { noise: f64::NAN, ..base() }, "noise is NaN; it must be from 0 to 1"),
            (
                64,
                Machine { slow_ranks: vec![3, 64], ..base() },
                "slow rank 64 does not exist: the last of 64 ranks is 63",
            ),
            (64, Machine { slow_nodes: vec![1, 2], ..base() }, "slow node 2 does not exist: the last of 2 nodes is 1"),
        ] {
            let slow = |()| machine.slow(&Nodes::new(&machine, ranks)?, ranks);
            assert_eq!(machine.check(ranks).and_then(slow).unwrap_err().to_string(), words);
        }
        assert_eq!(base().check(1), Ok(()));
    }

    #[test]
    fn a_slow_node_is_slow_on_all_its_ranks() {
        let machine = Machine { ranks_per_node: 4, slow_nodes: vec![1, 2], slow_ranks: vec![0], ..Machine::default() };
        let slow = machine.slow(&Nodes::new(&machine, 10).unwrap(), 10).unwrap();
        let slow: Vec<u32> = (0..10).filter(|rank| slow[*rank as usize]).collect();
        assert_eq!(slow, [0, 4, 5, 6, 7, 8, 9]);
        let quiet = Machine { noise: 0.0, ..machine };
        assert_eq!((quiet.compute(1_000, false, 1.0, 1, 2), quiet.compute(1_000, true, 1.0, 1, 2)), (1_000, 2_000));
    }
}
