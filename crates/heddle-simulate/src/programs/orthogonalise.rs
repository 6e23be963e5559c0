//! Orthogonalisation of many long vectors, the way electronic-structure codes do it: by a Cholesky factorisation.
//!
//! After Muelder et al. 2009, Figure 6(g): four matrix operations, of which one is trivially parallel and takes nearly no time.
//! The other three look much like a multiplication, many short sends, receives and sums, with gaps between them where all
//! ranks agree (`MPI_Allreduce`). In the middle of the last, the triangular solve, there is one cluster of sends and receives
//! that are substantially longer and do not end together.
//!
//! What makes them long here is a bottleneck: in each row one rank collects the others' blocks of the factor and hands the
//! inverse back. The blocks are large, so a send ends when its receive is posted, and the one rank posts its receives one
//! after the other; then its network card sends one block after the other. A straggler would make all of them end at once.
//!
//! # The program of a rank
//!
//! ```text
//! scale                                                                          nothing to tell anybody
//! syrk   { the block goes round its column by MPI_Send, MPI_Recv;  overlap;  MPI_Reduce (row) }*    MPI_Allreduce
//! potrf  { in the owning column:  triangle  MPI_Allreduce (column)
//!          the block goes round its row by MPI_Send, MPI_Recv;  triangle }*                         MPI_Allreduce
//! trsm   { the block goes round its row by MPI_Send, MPI_Recv;  substitute;  MPI_Reduce (column)
//!          in the middle:  MPI_Send of a large block to one rank of its row,  MPI_Recv of it back }*  MPI_Allreduce
//! ```

use super::checks::{self, MOST_BYTES, MOST_NS, MOST_STEPS};
use super::matrix_program::{MatrixOptions, MatrixProgram, MatrixSetting};
use super::process_grid::{Line, everybody, owner};
use crate::{CollectiveKind, Comm, Ops, SimulateError};

/// What to make orthogonal.
#[derive(Clone, Debug, PartialEq)]
pub struct OrthogonaliseOptions {
    /// Number of ranks; any, though a prime number makes one long row of them.
    pub ranks: u32,
    /// How many blocks of vectors there are.
    pub blocks: u32,
    /// Bytes of a rank's part of a block.
    pub bytes: u64,
    /// Bytes of a block that is collected on one rank, in the middle of the solve.
    pub collected_bytes: u64,
    /// Mean time to work on one block, in nanoseconds.
    pub compute_ns: u64,
}

impl Default for OrthogonaliseOptions {
    fn default() -> OrthogonaliseOptions {
        OrthogonaliseOptions { ranks: 64, blocks: 24, bytes: 128 * 1024, collected_bytes: 2 << 20, compute_ns: 300_000 }
    }
}

/// The program; see the module.
pub type Orthogonalise = MatrixProgram<OrthogonaliseOptions>;

impl OrthogonaliseOptions {
    /// One rank of a row collects a large block from each of the others, or hands it back.
    fn collect(&self, row: Line, collector: u32, tag: u32, is_back: bool, ops: &mut Ops) {
        let is_collector = row.at == collector;
        let others = (0..row.length).filter(|position| is_collector != (*position == collector));
        for other in others.map(|position| row.rank(position)) {
            if is_collector == is_back {
                ops.send(other, tag, self.collected_bytes, row.comm);
            } else {
                ops.recv(other, tag, self.collected_bytes, row.comm);
            }
        }
    }
}

impl MatrixOptions for OrthogonaliseOptions {
    const NAME: &'static str = "orthogonalise";
    const REGIONS: &'static [&'static str] =
        &["orthogonalise", "scale", "syrk", "overlap", "potrf", "triangle", "trsm", "substitute"];

    fn ranks(&self) -> u32 {
        self.ranks
    }

    fn check(&self) -> Result<(), SimulateError> {
        checks::within("blocks", u64::from(self.blocks), 1, MOST_STEPS)?;
        checks::within("bytes", self.bytes, 0, MOST_BYTES)?;
        checks::within("bytes of a collected block", self.collected_bytes, 0, MOST_BYTES)?;
        checks::within("compute time", self.compute_ns, 0, MOST_NS)
    }

    fn parts(&self) -> u32 {
        1 + 3 * self.blocks + 2
    }

    fn part(&self, at: &MatrixSetting, rank: u32, part: u32, ops: &mut Ops) {
        let OrthogonaliseOptions { blocks, bytes, compute_ns, .. } = *self;
        let [scale, syrk, overlap, potrf, triangle, trsm, substitute] =
            [1, 2, 3, 4, 5, 6, 7].map(|region| at.own(region));
        let (row, column) = (at.grid.row(rank), at.grid.column(rank));
        let turn = |block, length| owner(block, blocks, length);
        let Some(part) = part.checked_sub(1) else {
            ops.compute(scale, compute_ns / 8);
            return;
        };
        // In the middle of the solve are two parts more: a row may have many ranks, and a part should be short.
        let collecting = 2 * blocks + blocks / 2;
        if (collecting..collecting + 2).contains(&part) {
            // The rank on the diagonal has the block of the factor.
            self.collect(row, column.at % row.length, part, part > collecting, ops);
            return;
        }
        let part = if part > collecting { part - 2 } else { part };
        let (operation, block) = (part / blocks, part % blocks);
        let whole = [syrk, potrf, trsm][operation as usize];
        if block == 0 {
            ops.enter(whole);
        }
        match operation {
            0 => {
                column.ring_broadcast(turn(block, column.length), part, bytes, ops);
                ops.compute(overlap, compute_ns);
                row.collective(CollectiveKind::Reduce, turn(block, row.length), bytes, ops);
            }
            1 => {
                let owner = turn(block, row.length);
                if row.at == owner {
                    ops.compute(triangle, compute_ns / 8);
                    column.collective(CollectiveKind::Allreduce, 0, 8, ops);
                }
                row.ring_broadcast(owner, part, bytes, ops);
                // What is left of the matrix gets smaller.
                ops.compute(triangle, checks::share(compute_ns, blocks - block, blocks));
            }
            _ => {
                row.ring_broadcast(turn(block, row.length), part, bytes, ops);
                ops.compute(substitute, compute_ns);
                column.collective(CollectiveKind::Reduce, turn(block, column.length), bytes, ops);
            }
        }
        if block + 1 == blocks {
            ops.collective(everybody(CollectiveKind::Allreduce, 0, 8), Comm::WORLD);
            ops.leave(whole);
        }
    }
}
