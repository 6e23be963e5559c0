//! Matrix multiplication: SUMMA on a matrix of processes.
//!
//! After Muelder et al. 2009, Figure 6(b): many short, staggered calls of `MPI_Send`, `MPI_Recv` and `MPI_Reduce`, the receives
//! longest, and one `MPI_Allreduce` at the end that brings all together again. Figure 7 scales it from 64 to 16,384 processes: the
//! more processes, the longer a panel is under way, and the less of the time is left to compute.
//!
//! What grows with the processes decides how fast that goes. With as much data for each, a panel is as much to compute on any
//! number of them. With as much work for each, which keeps the run as long, the dimension grows with the cube root: there are
//! more panels, each with less to compute, while a sum over a row takes longer. Then communication wins, and whatever delays
//! one rank is no longer made up for by the computing of the others: the cycles of the panels drift apart.
//!
//! # The program of a rank
//!
//! ```text
//! for each panel:
//!     transposed, C = A·Bᵀ:   the panel of B goes round its column by MPI_Send, MPI_Recv;  multiply
//!                             MPI_Reduce of the products along its row, to the column that owns the panel of C
//!     plain, C = A·B:         the panel of A goes round its row, that of B round its column by MPI_Send, MPI_Recv;  multiply
//! MPI_Allreduce
//! ```

use super::checks::{self, MOST_BYTES, MOST_NS, MOST_STEPS};
use super::matrix_program::{MatrixOptions, MatrixProgram, MatrixSetting};
use super::process_grid::{everybody, owner};
use crate::{CollectiveKind, Comm, Ops, SimulateError};

/// Which product is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MatmulForm {
    /// C = A·Bᵀ: a broadcast and a sum per panel, as in the paper.
    #[default]
    Transposed,
    /// C = A·B: two broadcasts for each panel.
    Plain,
}

/// What to multiply.
#[derive(Clone, Debug, PartialEq)]
pub struct MatmulOptions {
    /// Number of ranks; any, though a prime number makes one long row of them.
    pub ranks: u32,
    /// How many panels the matrices have.
    pub panels: u32,
    /// Which product.
    pub form: MatmulForm,
    /// Bytes of a rank's part of a panel.
    pub bytes: u64,
    /// Mean time to multiply two panels, in nanoseconds.
    pub compute_ns: u64,
}

impl Default for MatmulOptions {
    fn default() -> MatmulOptions {
        MatmulOptions { ranks: 64, panels: 24, form: MatmulForm::Transposed, bytes: 256 * 1024, compute_ns: 1_000_000 }
    }
}

impl MatmulOptions {
    /// The same for larger matrices on more ranks, such that a rank computes as much in all as one of `base` ranks would. The
    /// dimension grows by the cube root of the ranks; a panel stays as wide.
    pub(super) fn with_work_of(self, base: u32) -> MatmulOptions {
        let ranks = f64::from(self.ranks) / f64::from(base.max(1));
        let dimension = ranks.cbrt();
        let scaled = |value: u64, factor: f64| (value as f64 * factor).round() as u64;
        MatmulOptions {
            panels: (f64::from(self.panels) * dimension).round().clamp(1.0, MOST_STEPS as f64) as u32,
            bytes: scaled(self.bytes, dimension / ranks.sqrt()),
            compute_ns: scaled(self.compute_ns, dimension * dimension / ranks),
            ..self
        }
    }
}

/// The program; see the module.
pub type Matmul = MatrixProgram<MatmulOptions>;

impl MatrixOptions for MatmulOptions {
    const NAME: &'static str = "matmul";
    const REGIONS: &'static [&'static str] = &["matmul", "multiply"];

    fn ranks(&self) -> u32 {
        self.ranks
    }

    fn check(&self) -> Result<(), SimulateError> {
        checks::within("panels", u64::from(self.panels), 1, MOST_STEPS)?;
        checks::within("bytes", self.bytes, 0, MOST_BYTES)?;
        checks::within("compute time", self.compute_ns, 0, MOST_NS)
    }

    fn parts(&self) -> u32 {
        self.panels
    }

    fn part(&self, at: &MatrixSetting, rank: u32, panel: u32, ops: &mut Ops) {
        let (row, column) = (at.grid.row(rank), at.grid.column(rank));
        let bytes = self.bytes;
        let row_owner = owner(panel, self.panels, row.length);
        let column_owner = owner(panel, self.panels, column.length);
        let multiply = at.own(1);
        match self.form {
            MatmulForm::Transposed => {
                column.ring_broadcast(column_owner, panel, bytes, ops);
                ops.compute(multiply, self.compute_ns);
                row.collective(CollectiveKind::Reduce, row_owner, bytes, ops);
            }
            MatmulForm::Plain => {
                row.ring_broadcast(row_owner, panel, bytes, ops);
                column.ring_broadcast(column_owner, panel, bytes, ops);
                ops.compute(multiply, self.compute_ns);
            }
        }
        if panel + 1 == self.panels {
            ops.collective(everybody(CollectiveKind::Allreduce, 0, 8), Comm::WORLD);
        }
    }
}
