//! Traffic between neighbours: ranks on a closed grid of three dimensions, and in every round each sends to its six neighbours.
//!
//! ```text
//! main { MPI_Init  exchange { compute  MPI_Irecv*  MPI_Isend*  MPI_Waitall }*  MPI_Finalize }
//! ```
//!
//! What [`Uniform`](super::Uniform) is compared with: most of it stays near, and leaves the upper layers of a tree almost idle.

use super::checks::{self, MOST_BYTES, MOST_NS, MOST_STEPS};
use super::grid::Grid;
use crate::SimulateError;
use crate::program::{Comm, Ops, Own, Program, ProgramInfo};

const EXCHANGE: Own = Own(0);
const COMPUTE: Own = Own(1);

/// What traffic between neighbours is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct NearestOptions {
    /// How many processes.
    pub ranks: u32,
    /// How often each sends to its neighbours.
    pub rounds: u32,
    /// Bytes of one message: each rank sends six in a round.
    pub bytes: u64,
    /// Mean nanoseconds of the computation before them.
    pub compute_ns: u64,
    /// Lengths of the grid, the last varying fastest with the rank; none for the most cubic one.
    pub grid: Option<[u32; 3]>,
}

impl Default for NearestOptions {
    fn default() -> NearestOptions {
        NearestOptions { ranks: 64, rounds: 50, bytes: 64 * 1024, compute_ns: 100_000, grid: None }
    }
}

/// The program.
#[derive(Debug)]
pub struct Nearest {
    options: NearestOptions,
    grid: Grid,
}

impl Nearest {
    /// Refuses options that make no sense.
    pub fn new(options: &NearestOptions) -> Result<Nearest, SimulateError> {
        checks::ranks(options.ranks)?;
        checks::within("rounds", options.rounds.into(), 1, MOST_STEPS)?;
        checks::within("bytes", options.bytes, 0, MOST_BYTES)?;
        checks::within("compute time", options.compute_ns, 0, MOST_NS)?;
        let lengths = options.grid.unwrap_or_else(|| heddle_topology::most_cubic(options.ranks));
        if lengths.iter().map(|length| u128::from(*length)).product::<u128>() != u128::from(options.ranks) {
            let [a, b, c] = lengths;
            return Err(SimulateError::Options(format!("a grid of {a}x{b}x{c} does not hold {} ranks", options.ranks)));
        }
        Ok(Nearest { options: options.clone(), grid: Grid::of(lengths, true) })
    }
}

impl Program for Nearest {
    fn info(&self) -> ProgramInfo {
        ProgramInfo { name: "nearest", ranks: self.options.ranks, regions: &["exchange", "compute"] }
    }

    fn stages(&self, _rank: u32) -> u32 {
        self.options.rounds
    }

    /// All receives, then all sends, by direction. The tag is the direction in which a message travels.
    fn stage(&self, rank: u32, _round: u32, ops: &mut Ops) {
        let neighbours = self.grid.neighbours(rank);
        let NearestOptions { bytes, compute_ns, .. } = self.options;
        ops.enter(EXCHANGE);
        ops.compute(COMPUTE, compute_ns);
        for neighbour in neighbours.iter() {
            ops.irecv(neighbour.rank, neighbour.opposite(), bytes, Comm::WORLD);
        }
        for neighbour in neighbours.iter() {
            ops.isend(neighbour.rank, neighbour.direction, bytes, Comm::WORLD);
        }
        if !neighbours.is_empty() {
            ops.waitall();
        }
        ops.leave(EXCHANGE);
    }
}
