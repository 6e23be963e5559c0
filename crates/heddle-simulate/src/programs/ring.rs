//! A token that goes round: everybody receives it from the rank before, works on it and hands it on.
//!
//! ```text
//! main { MPI_Init  lap { [MPI_Recv]  compute  MPI_Send  [MPI_Recv] }*  MPI_Finalize }
//! ```
//!
//! Rank 0 has the token first, and gets it back at the end of a lap. So one rank works at a time, and the timeline is a
//! staircase: the simplest program whose waiting is all of its own making.

use super::at_least_one;
use crate::program::{Comm, Ops, Own, Program, ProgramInfo};
use crate::{Machine, SimulateError, Simulation, simulate};

const LAP: Own = Own(0);
const COMPUTE: Own = Own(1);
const TAG: u32 = 0;

/// What a ring does. See [`ring`].
#[derive(Clone, Debug, PartialEq)]
pub struct RingOptions {
    /// How many processes.
    pub ranks: u32,
    /// How often the token goes round.
    pub laps: u32,
    /// Bytes of the token.
    pub bytes: u64,
    /// Mean nanoseconds of the work on it.
    pub compute_ns: u64,
}

impl Default for RingOptions {
    fn default() -> RingOptions {
        RingOptions { ranks: 16, laps: 10, bytes: 1024, compute_ns: 20_000 }
    }
}

/// Simulates a token that goes round.
pub fn ring(options: &RingOptions, machine: &Machine) -> Result<Simulation, SimulateError> {
    simulate(Ring::new(options)?, machine)
}

/// The program of [`ring`].
#[derive(Debug)]
pub struct Ring {
    options: RingOptions,
}

impl Ring {
    /// Refuses options that make no sense.
    pub fn new(options: &RingOptions) -> Result<Ring, SimulateError> {
        at_least_one("ranks", options.ranks)?;
        at_least_one("laps", options.laps)?;
        Ok(Ring { options: options.clone() })
    }
}

impl Program for Ring {
    fn info(&self) -> ProgramInfo {
        ProgramInfo { name: "ring", ranks: self.options.ranks, regions: &["lap", "compute"] }
    }

    fn stages(&self, _rank: u32) -> u32 {
        self.options.laps
    }

    fn stage(&self, rank: u32, _lap: u32, ops: &mut Ops) {
        let RingOptions { ranks, bytes, compute_ns, .. } = self.options;
        let (before, after) = ((rank + ranks - 1) % ranks, (rank + 1) % ranks);
        ops.enter(LAP);
        if rank > 0 {
            ops.recv(before, TAG, bytes, Comm::WORLD);
        }
        ops.compute(COMPUTE, compute_ns);
        if ranks > 1 {
            ops.send(after, TAG, bytes, Comm::WORLD);
            if rank == 0 {
                ops.recv(before, TAG, bytes, Comm::WORLD);
            }
        }
        ops.leave(LAP);
    }
}
