//! What can be asked for, and what cannot.

/// How the ranks are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimensions {
    /// A plane: up to four neighbours.
    Two,
    /// A block: up to six.
    Three,
}

use crate::{LogGp, SimulateError};

/// A stencil program. See [`crate::halo`] for what it does.
#[derive(Clone, Debug, PartialEq)]
pub struct HaloOptions {
    /// How many processes.
    pub ranks: u32,
    /// How often each computes and exchanges.
    pub iterations: u32,
    /// Where all chance comes from.
    pub seed: u64,
    /// How the ranks are laid out.
    pub dimensions: Dimensions,
    /// Bytes of one message.
    pub bytes: u64,
    /// Mean nanoseconds of one computation.
    pub compute_ns: u64,
    /// Relative spread of the computations, 0 to 1; 0 also takes the jitter from collectives.
    pub noise: f64,
    /// Ranks that compute more slowly than the others.
    pub slow_ranks: Vec<u32>,
    /// How many times longer they take.
    pub slow_factor: f64,
    /// An allreduce of 8 bytes after every so many iterations; 0 is never.
    pub allreduce_every: u32,
    /// How many ranks share a node.
    pub ranks_per_node: u32,
    /// Whether the grid is closed around its edges.
    pub periodic: bool,
    /// What messages cost.
    pub network: LogGp,
}

impl Default for HaloOptions {
    fn default() -> HaloOptions {
        HaloOptions {
            ranks: 64,
            iterations: 100,
            seed: 1,
            dimensions: Dimensions::Two,
            bytes: 64 * 1024,
            compute_ns: 1_000_000,
            noise: 0.05,
            slow_ranks: Vec::new(),
            slow_factor: 2.0,
            allreduce_every: 10,
            ranks_per_node: 32,
            periodic: true,
            network: LogGp::default(),
        }
    }
}

impl HaloOptions {
    pub(crate) fn check(&self) -> Result<(), SimulateError> {
        for (what, count) in
            [("ranks", self.ranks), ("iterations", self.iterations), ("ranks per node", self.ranks_per_node)]
        {
            if count == 0 {
                return Err(SimulateError::None { what });
            }
        }
        for (what, value, least, most) in [
            ("ranks", f64::from(self.ranks), 1.0, f64::from(1_u32 << 30)),
            ("noise", self.noise, 0.0, 1.0),
            ("slow factor", self.slow_factor, 0.0, 1e9),
            ("gap per byte", self.network.gap_per_byte, 0.0, 1e9),
        ] {
            // Not a number is in no range.
            if !(least..=most).contains(&value) {
                return Err(SimulateError::OutOfRange { what, value, least, most });
            }
        }
        if let Some(rank) = self.slow_ranks.iter().find(|rank| **rank >= self.ranks) {
            return Err(SimulateError::NoSuchRank { rank: *rank, ranks: self.ranks });
        }
        let years = self.longest_ns() / (1e9 * 3600.0 * 24.0 * 365.25);
        // A quarter of what fits, so that no sum of times on the way can overflow.
        if years > 292.0 / 4.0 { Err(SimulateError::TooLong) } else { Ok(()) }
    }

    /// More than the run can take.
    fn longest_ns(&self) -> f64 {
        let network = &self.network;
        let hop = network.latency_ns as f64 + 2.0 * network.overhead_ns as f64 + 8.0 * network.gap_per_byte;
        let message = hop + 16.0 * network.overhead_ns as f64 + self.bytes as f64 * network.gap_per_byte;
        // The largest factor that chance gives is below e^(2 * sqrt 3 * noise), thus 32.
        let compute = self.compute_ns as f64 * 32.0 * self.slow_factor.max(1.0);
        (f64::from(self.iterations) + 2.0) * (compute + message + 64.0 * hop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_refused_in_words() {
        let base = HaloOptions::default;
        for (options, words) in [
            (HaloOptions { ranks: 0, ..base() }, "ranks must be at least 1"),
            (HaloOptions { iterations: 0, ..base() }, "iterations must be at least 1"),
            (HaloOptions { ranks_per_node: 0, ..base() }, "ranks per node must be at least 1"),
            (HaloOptions { noise: -0.1, ..base() }, "noise is -0.1; it must be from 0 to 1"),
            (HaloOptions { noise: f64::NAN, ..base() }, "noise is NaN; it must be from 0 to 1"),
            (
                HaloOptions { slow_ranks: vec![3, 64], ..base() },
                "slow rank 64 does not exist: the last of 64 ranks is 63",
            ),
            (
                HaloOptions { compute_ns: u64::MAX, ..base() },
                "the simulated run could take 3815890 years, and times end at 292",
            ),
        ] {
            assert_eq!(options.check().unwrap_err().to_string(), words);
        }
        assert_eq!(base().check(), Ok(()));
    }
}
