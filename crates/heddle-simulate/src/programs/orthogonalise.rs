//! Orthogonalisation of many long vectors: block Gram-Schmidt on a matrix of processes.
//!
//! One of the operations of Muelder et al. 2009 (their Figure 6 shows matrix operations of an electronic-structure code one
//! after the other). A block of vectors is spread down a column of processes. For every block all columns sum up how far
//! their own vectors lie along it, and the sums are small: what counts is how many ranks must agree. The more ranks in a
//! column, the larger the share of `MPI_Allreduce`.
//!
//! # The program of a rank
//!
//! ```text
//! for each block:
//!     in the owning column:  normalise  MPI_Allreduce (column)
//!     MPI_Bcast of the block (row)
//!     twice, since once is not exact enough:  project  MPI_Allreduce (column)  subtract
//! ```

use super::checks::{self, MOST_BYTES, MOST_NS, MOST_STEPS};
use super::matrix_program::{MatrixOptions, MatrixProgram, MatrixSetting};
use super::process_grid::owner;
use crate::{CollectiveKind, Ops, SimulateError};

/// How often a block is taken out of the others.
const PASSES: u32 = 2;

/// What to make orthogonal.
#[derive(Clone, Debug, PartialEq)]
pub struct OrthogonaliseOptions {
    /// Number of ranks; any, though a prime number makes one long row of them.
    pub ranks: u32,
    /// How many blocks of vectors there are.
    pub blocks: u32,
    /// Bytes of a rank's part of a block.
    pub bytes: u64,
    /// Bytes of a sum.
    pub sum_bytes: u64,
    /// Mean time to work on one block, in nanoseconds.
    pub compute_ns: u64,
}

impl Default for OrthogonaliseOptions {
    fn default() -> OrthogonaliseOptions {
        OrthogonaliseOptions { ranks: 64, blocks: 24, bytes: 64 * 1024, sum_bytes: 64 * 1024, compute_ns: 300_000 }
    }
}

/// The program; see the module.
pub type Orthogonalise = MatrixProgram<OrthogonaliseOptions>;

impl MatrixOptions for OrthogonaliseOptions {
    const NAME: &'static str = "orthogonalise";
    const REGIONS: &'static [&'static str] = &["orthogonalise", "normalise", "project", "subtract"];

    fn ranks(&self) -> u32 {
        self.ranks
    }

    fn check(&self) -> Result<(), SimulateError> {
        checks::within("blocks", u64::from(self.blocks), 1, MOST_STEPS)?;
        checks::within("bytes", self.bytes, 0, MOST_BYTES)?;
        checks::within("bytes of a sum", self.sum_bytes, 0, MOST_BYTES)?;
        checks::within("compute time", self.compute_ns, 0, MOST_NS)
    }

    fn parts(&self) -> u32 {
        self.blocks
    }

    fn part(&self, at: &MatrixSetting, rank: u32, block: u32, ops: &mut Ops) {
        let OrthogonaliseOptions { blocks, bytes, sum_bytes, compute_ns, .. } = *self;
        let [normalise, project, subtract] = [1, 2, 3].map(|region| at.own(region));
        let (row, column) = (at.grid.row(rank), at.grid.column(rank));
        let turn = owner(block, blocks, row.length);
        if row.at == turn {
            ops.compute(normalise, compute_ns / 16);
            column.collective(CollectiveKind::Allreduce, 0, 8, ops);
        }
        row.collective(CollectiveKind::Bcast, turn, bytes, ops);
        for _ in 0..PASSES {
            ops.compute(project, compute_ns / 2);
            column.collective(CollectiveKind::Allreduce, 0, sum_bytes, ops);
            ops.compute(subtract, compute_ns / 4);
        }
    }
}
