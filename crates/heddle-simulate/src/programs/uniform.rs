//! Uniform traffic: in every round each rank sends to another one by chance, and gets from one.
//!
//! ```text
//! main { MPI_Init  exchange { compute  MPI_Irecv  MPI_Isend  MPI_Waitall }*  MPI_Finalize }
//! ```
//!
//! Who sends to whom is a permutation of the ranks without anybody left to itself: in each round they stand in a circle in an order
//! by chance, and each sends to the next. Over many rounds every rank sends as much to every other, which loads all layers of a
//! network alike.

use super::checks::{self, MOST_BYTES, MOST_NS, MOST_STEPS};
use crate::SimulateError;
use crate::chance::{Draw, bits};
use crate::program::{Comm, Ops, Own, Program, ProgramInfo};

const EXCHANGE: Own = Own(0);
const COMPUTE: Own = Own(1);
const TAG: u32 = 0;
/// Rounds of mixing of an order by chance.
const MIXING: u64 = 4;

/// What uniform traffic is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct UniformOptions {
    /// How many processes.
    pub ranks: u32,
    /// How often each sends to another.
    pub rounds: u32,
    /// Bytes of one message.
    pub bytes: u64,
    /// Mean nanoseconds of the computation before it.
    pub compute_ns: u64,
    /// Where chance begins.
    pub seed: u64,
}

impl Default for UniformOptions {
    fn default() -> UniformOptions {
        UniformOptions { ranks: 64, rounds: 50, bytes: 64 * 1024, compute_ns: 100_000, seed: 1 }
    }
}

/// The program.
#[derive(Debug)]
pub struct Uniform {
    options: UniformOptions,
}

impl Uniform {
    /// Refuses options that make no sense.
    pub fn new(options: &UniformOptions) -> Result<Uniform, SimulateError> {
        checks::ranks(options.ranks)?;
        checks::within("rounds", options.rounds.into(), 1, MOST_STEPS)?;
        checks::within("bytes", options.bytes, 0, MOST_BYTES)?;
        checks::within("compute time", options.compute_ns, 0, MOST_NS)?;
        Ok(Uniform { options: options.clone() })
    }

    /// Whom a rank sends to in a round, and whom it gets from.
    fn peers(&self, rank: u32, round: u32) -> (u32, u32) {
        let ranks = self.options.ranks;
        let order = Order::new(ranks, self.options.seed, round);
        let place = order.place_of(rank);
        (order.at((place + 1) % ranks), order.at((place + ranks - 1) % ranks))
    }
}

impl Program for Uniform {
    fn info(&self) -> ProgramInfo {
        ProgramInfo { name: "uniform", ranks: self.options.ranks, regions: &["exchange", "compute"] }
    }

    fn stages(&self, _rank: u32) -> u32 {
        self.options.rounds
    }

    fn stage(&self, rank: u32, round: u32, ops: &mut Ops) {
        let UniformOptions { ranks, bytes, compute_ns, .. } = self.options;
        ops.enter(EXCHANGE);
        ops.compute(COMPUTE, compute_ns);
        if ranks > 1 {
            let (to, from) = self.peers(rank, round);
            ops.irecv(from, TAG, bytes, Comm::WORLD);
            ops.isend(to, TAG, bytes, Comm::WORLD);
            ops.waitall();
        }
        ops.leave(EXCHANGE);
    }
}

/// An order of all ranks by chance that can be asked for any place and any rank without being written out: a stage is a pure function
/// of rank and round. Numbers are mixed by halves (a Feistel network), and again until they are ranks.
struct Order {
    ranks: u32,
    half_bits: u32,
    seed: u64,
    round: u64,
}

impl Order {
    fn new(ranks: u32, seed: u64, round: u32) -> Order {
        let bits = u32::BITS - ranks.saturating_sub(1).leading_zeros();
        Order { ranks, half_bits: bits.div_ceil(2).max(1), seed, round: round.into() }
    }

    /// The rank at a place.
    fn at(&self, place: u32) -> u32 {
        self.walk(place, |left, right, mixing| (right, left ^ self.mixed(right, mixing)), &(0..MIXING))
    }

    /// The place of a rank.
    fn place_of(&self, rank: u32) -> u32 {
        self.walk(rank, |left, right, mixing| (right ^ self.mixed(left, mixing), left), &(0..MIXING).rev())
    }

    /// Mixes until the number is below the number of ranks: both ways the same cycle.
    fn walk(
        &self,
        mut number: u32,
        step: impl Fn(u32, u32, u64) -> (u32, u32),
        order: &(impl Iterator<Item = u64> + Clone),
    ) -> u32 {
        let mask = (1 << self.half_bits) - 1;
        loop {
            let (mut left, mut right) = (number >> self.half_bits, number & mask);
            for mixing in order.clone() {
                (left, right) = step(left, right, mixing);
            }
            number = left << self.half_bits | right;
            if number < self.ranks {
                return number;
            }
        }
    }

    fn mixed(&self, half: u32, mixing: u64) -> u32 {
        bits(self.seed, Draw::Data, half, self.round * MIXING + mixing) as u32 & ((1 << self.half_bits) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_is_a_permutation_without_anybody_left_to_itself() {
        for ranks in [2, 3, 7, 64, 1000] {
            let program = Uniform::new(&UniformOptions { ranks, ..UniformOptions::default() }).unwrap();
            for round in 0..3 {
                let mut gets = vec![0; ranks as usize];
                for rank in 0..ranks {
                    let (to, from) = program.peers(rank, round);
                    assert!(to != rank && from != rank);
                    assert_eq!(program.peers(to, round).1, rank, "who gets knows who sends");
                    gets[to as usize] += 1;
                }
                assert!(gets.iter().all(|gets| *gets == 1), "{ranks} ranks, round {round}");
            }
        }
    }

    #[test]
    fn the_seed_and_the_round_decide_and_all_pairs_come_alike() {
        let program = |seed| Uniform::new(&UniformOptions { ranks: 16, seed, ..UniformOptions::default() }).unwrap();
        let round = |seed, round| (0..16).map(|rank| program(seed).peers(rank, round).0).collect::<Vec<u32>>();
        assert!(round(1, 0) != round(2, 0) && round(1, 0) != round(1, 1) && round(1, 0) == round(1, 0));
        let mut met = [0_u32; 16];
        for round in 0..1_500 {
            met[program(1).peers(0, round).0 as usize] += 1;
        }
        // A hundred each, give or take four standard deviations.
        assert!(met[0] == 0 && met[1..].iter().all(|met| (60..140).contains(met)), "{met:?}");
    }
}
