//! The inverse of a matrix from its triangular factors, in two sections.
//!
//! After Muelder et al. 2009, Figure 6(d). Each section begins with large calls of `MPI_Reduce`, which all ranks enter together;
//! there follow many short, staggered calls: `MPI_Bcast` in the first section, `MPI_Recv` in the second. The expense
//! is the sum: it goes up a binomial tree, hop by hop, so that half of the ranks are through after one hop, a quarter
//! needs two, and the root is in it for log2 of the ranks. Its ends follow a logarithmic trend.
//!
//! # The program of a rank
//!
//! ```text
//! triangular:  MPI_Allreduce  MPI_Reduce*   { invert  MPI_Bcast (row)  MPI_Bcast (column) }*
//! combine:     MPI_Allreduce  MPI_Reduce*   { apply   MPI_Send, MPI_Recv round its row or its column }*
//! ```

use super::checks::{self, MOST_BYTES, MOST_NS, MOST_STEPS};
use super::matrix_program::{MatrixOptions, MatrixProgram, MatrixSetting};
use super::process_grid::{everybody, owner};
use crate::{CollectiveKind, Comm, Ops, SimulateError};

/// What to invert.
#[derive(Clone, Debug, PartialEq)]
pub struct InverseOptions {
    /// Number of ranks; any, though a prime number makes one long row of them.
    pub ranks: u32,
    /// How many panels each section goes through.
    pub panels: u32,
    /// How many pieces the large sums have, one after the other, each with another root.
    pub pieces: u32,
    /// Bytes of one such piece.
    pub reduce_bytes: u64,
    /// Bytes of a rank's part of a panel.
    pub bytes: u64,
    /// Mean time to compute with one panel, in nanoseconds.
    pub compute_ns: u64,
}

impl Default for InverseOptions {
    fn default() -> InverseOptions {
        InverseOptions {
            ranks: 64,
            panels: 12,
            pieces: 8,
            reduce_bytes: 4 << 20,
            bytes: 32 * 1024,
            compute_ns: 1_000_000,
        }
    }
}

/// The program; see the module.
pub type Inverse = MatrixProgram<InverseOptions>;

impl InverseOptions {
    fn sum(&self, ops: &mut Ops) {
        ops.collective(everybody(CollectiveKind::Allreduce, 0, 8), Comm::WORLD);
        for piece in 0..self.pieces {
            // Who is a leaf of one tree and through at once has ranks below it in the next.
            let root = (owner(piece, self.pieces, self.ranks) + piece) % self.ranks;
            ops.collective(everybody(CollectiveKind::Reduce, root, self.reduce_bytes), Comm::WORLD);
        }
    }

    fn triangular(&self, at: &MatrixSetting, rank: u32, panel: u32, ops: &mut Ops) {
        let (row, column) = (at.grid.row(rank), at.grid.column(rank));
        ops.compute(at.own(3), self.compute_ns);
        for line in [row, column] {
            let root = owner(panel, self.panels, line.length);
            line.collective(CollectiveKind::Bcast, root, self.bytes, ops);
        }
    }

    fn combine(&self, at: &MatrixSetting, rank: u32, panel: u32, ops: &mut Ops) {
        let line = if panel.is_multiple_of(2) { at.grid.row(rank) } else { at.grid.column(rank) };
        ops.compute(at.own(4), self.compute_ns);
        line.ring_broadcast(owner(panel, self.panels, line.length), panel, self.bytes, ops);
    }
}

impl MatrixOptions for InverseOptions {
    const NAME: &'static str = "inverse";
    const REGIONS: &'static [&'static str] = &["inverse", "triangular", "combine", "invert", "apply"];

    fn ranks(&self) -> u32 {
        self.ranks
    }

    fn check(&self) -> Result<(), SimulateError> {
        checks::within("panels", u64::from(self.panels), 1, MOST_STEPS)?;
        checks::within("pieces", u64::from(self.pieces), 1, 1000)?;
        checks::within("bytes of a sum", self.reduce_bytes, 0, MOST_BYTES)?;
        checks::within("bytes", self.bytes, 0, MOST_BYTES)?;
        checks::within("compute time", self.compute_ns, 0, MOST_NS)
    }

    fn parts(&self) -> u32 {
        2 * self.panels
    }

    fn part(&self, at: &MatrixSetting, rank: u32, stage: u32, ops: &mut Ops) {
        let (section, panel) = (stage / self.panels, stage % self.panels);
        let name = at.own(1 + section as u16);
        if panel == 0 {
            ops.enter(name);
            self.sum(ops);
        }
        if section == 0 {
            self.triangular(at, rank, panel, ops);
        } else {
            self.combine(at, rank, panel, ops);
        }
        if panel + 1 == self.panels {
            ops.leave(name);
        }
    }
}
