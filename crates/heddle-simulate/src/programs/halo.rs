//! A stencil code on a grid of ranks: compute, exchange borders, sum up now and then.
//!
//! ```text
//! main { MPI_Init  iterate { compute  MPI_Irecv*  MPI_Isend*  MPI_Waitall  [MPI_Allreduce] }*  MPI_Finalize }
//! ```

use super::at_least_one;
use super::grid::Grid;
use crate::collective::{Algorithm, Collective, CollectiveKind};
use crate::program::{Comm, Ops, Own, Program, ProgramInfo};
use crate::{Machine, SimulateError, Simulation, simulate};

const ITERATE: Own = Own(0);
const COMPUTE: Own = Own(1);

/// An allreduce sums one number.
const SUM: Collective =
    Collective { kind: CollectiveKind::Allreduce, algorithm: Algorithm::Synchronising, root: 0, bytes: 8 };

/// How the ranks are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimensions {
    /// A plane: up to four neighbours.
    Two,
    /// A block: up to six.
    Three,
}

/// What a stencil program does. See [`halo`].
#[derive(Clone, Debug, PartialEq)]
pub struct HaloOptions {
    /// How many processes.
    pub ranks: u32,
    /// How often each computes and exchanges.
    pub iterations: u32,
    /// How the ranks are laid out.
    pub dimensions: Dimensions,
    /// Bytes of one message.
    pub bytes: u64,
    /// Mean nanoseconds of one computation.
    pub compute_ns: u64,
    /// An allreduce of 8 bytes after every so many iterations; 0 is never.
    pub allreduce_every: u32,
    /// Whether the grid is closed around its edges.
    pub periodic: bool,
}

impl Default for HaloOptions {
    fn default() -> HaloOptions {
        HaloOptions {
            ranks: 64,
            iterations: 100,
            dimensions: Dimensions::Two,
            bytes: 64 * 1024,
            compute_ns: 1_000_000,
            allreduce_every: 10,
            periodic: true,
        }
    }
}

/// Simulates a stencil code: ranks on a grid that compute, exchange their borders with their neighbours and now and then
/// agree on a sum.
pub fn halo(options: &HaloOptions, machine: &Machine) -> Result<Simulation, SimulateError> {
    simulate(Halo::new(options)?, machine)
}

/// How many spans a simulation will have, without simulating it.
pub fn spans_of(options: &HaloOptions) -> u64 {
    let (ranks, iterations) = (u64::from(options.ranks), u64::from(options.iterations));
    if ranks == 0 {
        return 0;
    }
    let messages = Grid::new(options.ranks, options.dimensions, options.periodic).messages();
    let exchange = if messages == 0 { 0 } else { 2 * messages + ranks };
    let sums = iterations.checked_div(u64::from(options.allreduce_every)).unwrap_or(0);
    3 * ranks + iterations * (2 * ranks + exchange) + sums * ranks
}

/// The program of [`halo`].
#[derive(Debug)]
pub struct Halo {
    options: HaloOptions,
    grid: Grid,
}

impl Halo {
    /// Refuses options that make no sense.
    pub fn new(options: &HaloOptions) -> Result<Halo, SimulateError> {
        at_least_one("ranks", options.ranks)?;
        at_least_one("iterations", options.iterations)?;
        let grid = Grid::new(options.ranks, options.dimensions, options.periodic);
        Ok(Halo { options: options.clone(), grid })
    }
}

impl Program for Halo {
    fn info(&self) -> ProgramInfo {
        ProgramInfo { name: "halo", ranks: self.options.ranks, regions: &["iterate", "compute"] }
    }

    fn stages(&self, _rank: u32) -> u32 {
        self.options.iterations
    }

    /// All receives, then all sends, by direction. The tag is the direction in which a message travels.
    fn stage(&self, rank: u32, iteration: u32, ops: &mut Ops) {
        let neighbours = self.grid.neighbours(rank);
        ops.enter(ITERATE);
        ops.compute(COMPUTE, self.options.compute_ns);
        for neighbour in neighbours.iter() {
            ops.irecv(neighbour.rank, neighbour.opposite(), self.options.bytes, Comm::WORLD);
        }
        for neighbour in neighbours.iter() {
            ops.isend(neighbour.rank, neighbour.direction, self.options.bytes, Comm::WORLD);
        }
        if !neighbours.is_empty() {
            ops.waitall();
        }
        if (iteration + 1).checked_rem(self.options.allreduce_every) == Some(0) {
            ops.collective(SUM, Comm::WORLD);
        }
        ops.leave(ITERATE);
    }
}
