//! Eigenvalues: a reduction in which ever fewer ranks take part, and a broadcast for which the others wait.
//!
//! After Muelder et al. 2009, Figures 6(e) and 6(f). Columns of processes work through the matrix from left to right; a
//! column whose part is done goes on to the `MPI_Bcast` of the result, whose root is in the last column. So the broadcast
//! gradually locks more processes, beside clusters of short calls of `MPI_Reduce` and `MPI_Recv`, until the last column is
//! through: some ranks are in it for more than half of the run. Then all transform back together, with `MPI_Reduce`,
//! `MPI_Recv` and now and then `MPI_Allreduce`.
//!
//! # The program of a rank
//!
//! ```text
//! reduce_matrix:  while its column has work:
//!                     reflect  MPI_Reduce (column)  MPI_Recv from the left  MPI_Send to the right
//! MPI_Bcast from the last column
//! back:           { transform  MPI_Reduce (column)  MPI_Send, MPI_Recv round its row  [MPI_Allreduce] }*
//! ```

use super::checks::{self, MOST_BYTES, MOST_NS, MOST_STEPS};
use super::matrix_program::{MatrixOptions, MatrixProgram, MatrixSetting};
use super::process_grid::{everybody, owner};
use crate::{CollectiveKind, Comm, Ops, SimulateError};

/// An `MPI_Allreduce` after so many steps back.
const SUM_EVERY: u32 = 4;

/// What eigenvalue problem to solve.
#[derive(Clone, Debug, PartialEq)]
pub struct EigenOptions {
    /// Number of ranks; any, though a prime number makes one long row of them.
    pub ranks: u32,
    /// Steps in which the matrix is reduced; ranks drop out meanwhile.
    pub steps: u32,
    /// Steps in which the vectors are transformed back.
    pub back_steps: u32,
    /// Bytes of a message and of a sum.
    pub bytes: u64,
    /// Bytes of the long broadcast.
    pub result_bytes: u64,
    /// Mean time of a step, in nanoseconds.
    pub compute_ns: u64,
}

impl Default for EigenOptions {
    fn default() -> EigenOptions {
        EigenOptions {
            ranks: 64,
            steps: 40,
            back_steps: 12,
            bytes: 16 * 1024,
            result_bytes: 1 << 20,
            compute_ns: 1_500_000,
        }
    }
}

/// The program; see the module.
pub type Eigen = MatrixProgram<EigenOptions>;

impl EigenOptions {
    /// The first column that still has work.
    fn first_column(&self, at: &MatrixSetting, step: u32) -> u32 {
        (u64::from(step) * u64::from(at.grid.columns) / u64::from(self.steps)) as u32
    }

    fn reduce(&self, at: &MatrixSetting, rank: u32, step: u32, ops: &mut Ops) {
        let (row, column) = (at.grid.row(rank), at.grid.column(rank));
        let (first, bytes) = (self.first_column(at, step), self.bytes);
        if row.at < first {
            return;
        }
        ops.compute(at.own(3), self.compute_ns);
        column.collective(CollectiveKind::Reduce, owner(step, self.steps, column.length), bytes, ops);
        if row.at > first {
            ops.recv(row.rank(row.at - 1), step, bytes, row.comm);
        }
        if row.at + 1 < row.length {
            ops.send(row.rank(row.at + 1), step, bytes, row.comm);
        }
    }

    fn back(&self, at: &MatrixSetting, rank: u32, step: u32, ops: &mut Ops) {
        let (row, column) = (at.grid.row(rank), at.grid.column(rank));
        let bytes = self.bytes;
        let turn = |length| owner(step, self.back_steps, length);
        ops.compute(at.own(4), self.compute_ns);
        column.collective(CollectiveKind::Reduce, turn(column.length), bytes, ops);
        row.ring_broadcast(turn(row.length), self.steps + step, bytes, ops);
        if (step + 1).is_multiple_of(SUM_EVERY) {
            ops.collective(everybody(CollectiveKind::Allreduce, 0, bytes), Comm::WORLD);
        }
    }
}

impl MatrixOptions for EigenOptions {
    const NAME: &'static str = "eigen";
    const REGIONS: &'static [&'static str] = &["eigen", "reduce_matrix", "back", "reflect", "transform"];

    fn ranks(&self) -> u32 {
        self.ranks
    }

    fn check(&self) -> Result<(), SimulateError> {
        checks::within("steps", u64::from(self.steps), 1, MOST_STEPS)?;
        checks::within("steps back", u64::from(self.back_steps), 0, MOST_STEPS)?;
        checks::within("bytes", self.bytes, 0, MOST_BYTES)?;
        checks::within("bytes of the result", self.result_bytes, 0, MOST_BYTES)?;
        checks::within("compute time", self.compute_ns, 0, MOST_NS)
    }

    fn parts(&self) -> u32 {
        self.steps + 1 + self.back_steps
    }

    fn part(&self, at: &MatrixSetting, rank: u32, stage: u32, ops: &mut Ops) {
        let steps = self.steps;
        if stage == 0 {
            ops.enter(at.own(1));
        }
        match stage.checked_sub(steps) {
            None => self.reduce(at, rank, stage, ops),
            Some(0) => {
                ops.leave(at.own(1));
                let root = at.grid.columns - 1;
                ops.collective(everybody(CollectiveKind::Bcast, root, self.result_bytes), Comm::WORLD);
                ops.enter(at.own(2));
            }
            Some(next) => self.back(at, rank, next - 1, ops),
        }
        if stage == steps + self.back_steps {
            ops.leave(at.own(2));
        }
    }
}
