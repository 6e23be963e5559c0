//! LU decomposition: right-looking, block by block, on a matrix of processes.
//!
//! After Muelder et al. 2009, Figure 6(c): almost nothing but `MPI_Recv`, in a strict cycle of long calls and short ones, while
//! the sends are hardly to be seen. The column that owns the next panel factors it, and all others wait. Then
//! the panel goes along the rows and the updated block row down the columns, and all have work again. What is left of the matrix
//! shrinks with every panel: so do the panels, and the work between them faster still.
//!
//! # The program of a rank
//!
//! ```text
//! for each panel, with the share f of the matrix that is left:
//!     in the owning column:  the diagonal block goes down the column (tree of MPI_Send, MPI_Recv);  factor, as f
//!     the panel goes round its row (ring of MPI_Send, MPI_Recv), bytes as f
//!     in the owning row:     solve, as f
//!     the block row goes down its column (tree of MPI_Send, MPI_Recv), bytes as f
//!     update, as f²
//! ```

use super::checks::{self, MOST_BYTES, MOST_NS, MOST_STEPS, share};
use super::matrix_program::{MatrixOptions, MatrixProgram, MatrixSetting};
use super::process_grid::owner;
use crate::{Ops, SimulateError};

/// What to decompose.
#[derive(Clone, Debug, PartialEq)]
pub struct LuOptions {
    /// Number of ranks; any, though a prime number makes one long row of them.
    pub ranks: u32,
    /// How many panels the matrix has.
    pub panels: u32,
    /// Bytes of a rank's part of the first panel.
    pub bytes: u64,
    /// Mean time to factor the first panel, in nanoseconds. All but one column wait for it.
    pub factor_ns: u64,
    /// Mean time of the first update.
    pub update_ns: u64,
}

impl Default for LuOptions {
    fn default() -> LuOptions {
        LuOptions { ranks: 64, panels: 24, bytes: 256 * 1024, factor_ns: 1_500_000, update_ns: 2_500_000 }
    }
}

/// The program; see the module.
pub type Lu = MatrixProgram<LuOptions>;

impl MatrixOptions for LuOptions {
    const NAME: &'static str = "lu";
    const REGIONS: &'static [&'static str] = &["lu", "factor", "solve", "update"];

    fn ranks(&self) -> u32 {
        self.ranks
    }

    fn check(&self) -> Result<(), SimulateError> {
        checks::within("panels", u64::from(self.panels), 1, MOST_STEPS)?;
        checks::within("bytes", self.bytes, 0, MOST_BYTES)?;
        checks::within("time of a factorisation", self.factor_ns, 0, MOST_NS)?;
        checks::within("time of an update", self.update_ns, 0, MOST_NS)
    }

    fn parts(&self) -> u32 {
        self.panels
    }

    fn part(&self, at: &MatrixSetting, rank: u32, panel: u32, ops: &mut Ops) {
        let LuOptions { panels, bytes, factor_ns, update_ns, .. } = *self;
        let [factor, solve, update] = [1, 2, 3].map(|region| at.own(region));
        let (row, column) = (at.grid.row(rank), at.grid.column(rank));
        let (row_owner, column_owner) = (owner(panel, panels, row.length), owner(panel, panels, column.length));
        let left = panels - panel;
        let left_of = |value: u64| share(value, left, panels);
        let [diagonal_tag, panel_tag, row_tag] = [0, 1, 2].map(|kind| 3 * panel + kind);

        if row.at == row_owner {
            column.tree_broadcast(column_owner, diagonal_tag, bytes / 16, ops);
            ops.compute(factor, left_of(factor_ns));
        }
        row.ring_broadcast(row_owner, panel_tag, left_of(bytes), ops);
        if column.at == column_owner {
            ops.compute(solve, left_of(factor_ns) / 8);
        }
        column.tree_broadcast(column_owner, row_tag, left_of(bytes), ops);
        ops.compute(update, share(left_of(update_ns), left, panels));
    }
}
