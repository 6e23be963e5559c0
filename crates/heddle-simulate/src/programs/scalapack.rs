//! Matrix operations one after the other, after a start that grows with the number of ranks.
//!
//! After Muelder et al. 2009, section 4: multiplication, LU decomposition, inversion, eigenvalues and orthogonalisation, each of
//! which looks unlike the others (Figure 6, on 256 processes), and what happens to the first of them when the run is
//! scaled up to 16,384 processes (Figures 7 and 8). There is no barrier between them.
//!
//! # The program of a rank
//!
//! ```text
//! startup   matmul   lu   inverse   eigen   orthogonalise
//! ```
//!
//! Each is described in its own module.

use super::checks::{self, MOST_BYTES, MOST_STEPS};
use super::eigen::{Eigen, EigenOptions};
use super::inverse::{Inverse, InverseOptions};
use super::lu::{Lu, LuOptions};
use super::matmul::{Matmul, MatmulOptions};
use super::orthogonalise::{Orthogonalise, OrthogonaliseOptions};
use super::process_grid::ProcessGrid;
use super::startup::Startup;
use crate::{Ops, Program, ProgramInfo, SimulateError};

/// Regions of the start and of each operation, in this order.
const REGIONS: &[&str] = &[
    "startup",
    "matmul",
    "multiply",
    "lu",
    "factor",
    "solve",
    "update",
    "inverse",
    "triangular",
    "combine",
    "invert",
    "apply",
    "eigen",
    "reduce_matrix",
    "back",
    "reflect",
    "transform",
    "orthogonalise",
    "scale",
    "syrk",
    "overlap",
    "potrf",
    "triangle",
    "trsm",
    "substitute",
];

/// A matrix operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixOperation {
    /// [`Matmul`].
    Matmul,
    /// [`Lu`].
    Lu,
    /// [`Inverse`].
    Inverse,
    /// [`Eigen`].
    Eigen,
    /// [`Orthogonalise`].
    Orthogonalise,
}

impl MatrixOperation {
    /// All of them, in the order of Figure 6.
    pub const ALL: [MatrixOperation; 5] = [
        MatrixOperation::Matmul,
        MatrixOperation::Lu,
        MatrixOperation::Inverse,
        MatrixOperation::Eigen,
        MatrixOperation::Orthogonalise,
    ];
}

/// What to compute.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalapackOptions {
    /// Number of ranks; any, though a prime number makes one long row of them.
    pub ranks: u32,
    /// Which operations, one after the other.
    pub operations: Vec<MatrixOperation>,
    /// Panels, blocks or steps of an operation. More make a longer run.
    pub panels: u32,
    /// Bytes that each rank gets at the start.
    pub startup_bytes: u64,
    /// The matrices that are multiplied grow only so far that a rank computes as much as one of 64: more panels on more
    /// ranks, each with less to compute. Else every rank has as much data, and as much to compute in each panel.
    pub same_work: bool,
}

impl Default for ScalapackOptions {
    fn default() -> ScalapackOptions {
        ScalapackOptions {
            ranks: 256,
            operations: MatrixOperation::ALL.to_vec(),
            panels: 12,
            startup_bytes: 96 * 1024,
            same_work: false,
        }
    }
}

impl ScalapackOptions {
    /// Whether there can be such a run.
    pub fn check(&self) -> Result<(), SimulateError> {
        checks::ranks(self.ranks)?;
        checks::within("operations", self.operations.len() as u64, 1, 100)?;
        checks::within("panels", u64::from(self.panels), 1, MOST_STEPS)?;
        checks::within("bytes of the start", self.startup_bytes, 0, MOST_BYTES)
    }
}

/// The program; see the module.
pub struct Scalapack {
    grid: ProcessGrid,
    startup: Startup,
    operations: Vec<Box<dyn Program>>,
}

impl Scalapack {
    /// The program with these options.
    pub fn new(options: &ScalapackOptions) -> Result<Scalapack, SimulateError> {
        options.check()?;
        let grid = ProcessGrid::of(options.ranks);
        let operations = options.operations.iter().map(|operation| part(*operation, options));
        Ok(Scalapack {
            grid,
            startup: Startup::new(grid, options.startup_bytes, 0),
            operations: operations.collect::<Result<_, _>>()?,
        })
    }
}

/// One operation, with as many steps as it needs to look like itself.
fn part(operation: MatrixOperation, options: &ScalapackOptions) -> Result<Box<dyn Program>, SimulateError> {
    let ScalapackOptions { ranks, panels, .. } = *options;
    Ok(match operation {
        MatrixOperation::Matmul => {
            let matmul = MatmulOptions { ranks, panels: panels.saturating_mul(2), ..MatmulOptions::default() };
            let matmul = if options.same_work { matmul.with_work_of(64) } else { matmul };
            Box::new(Matmul::among(&matmul, 1)?)
        }
        MatrixOperation::Lu => Box::new(Lu::among(&LuOptions { ranks, panels, ..LuOptions::default() }, 3)?),
        MatrixOperation::Inverse => {
            let panels = panels.div_ceil(2);
            Box::new(Inverse::among(&InverseOptions { ranks, panels, ..InverseOptions::default() }, 7)?)
        }
        MatrixOperation::Eigen => {
            let eigen = EigenOptions {
                ranks,
                steps: panels.saturating_mul(2),
                back_steps: panels.div_ceil(2),
                ..EigenOptions::default()
            };
            Box::new(Eigen::among(&eigen, 12)?)
        }
        MatrixOperation::Orthogonalise => {
            let blocks = panels.div_ceil(2);
            Box::new(Orthogonalise::among(
                &OrthogonaliseOptions { ranks, blocks, ..OrthogonaliseOptions::default() },
                17,
            )?)
        }
    })
}

impl Program for Scalapack {
    fn info(&self) -> ProgramInfo {
        ProgramInfo { name: "scalapack", ranks: self.grid.ranks(), regions: REGIONS }
    }

    fn communicators(&self) -> Vec<(String, Vec<u32>)> {
        let mut all = self.grid.communicators();
        all.extend(self.startup.communicators());
        all
    }

    fn stages(&self, rank: u32) -> u32 {
        let operations: u32 = self.operations.iter().map(|operation| operation.stages(rank)).sum();
        self.startup.stages(rank) + operations
    }

    fn stage(&self, rank: u32, stage: u32, ops: &mut Ops) {
        let mut before = self.startup.stages(rank);
        if stage < before {
            self.startup.stage(rank, stage, ops);
            return;
        }
        for operation in &self.operations {
            let stages = operation.stages(rank);
            if stage - before < stages {
                operation.stage(rank, stage - before, ops);
                return;
            }
            before += stages;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::matrix_program::MatrixOptions;
    use super::*;

    #[test]
    fn regions_are_those_of_the_parts() {
        let parts = [
            &["startup"],
            MatmulOptions::REGIONS,
            LuOptions::REGIONS,
            InverseOptions::REGIONS,
            EigenOptions::REGIONS,
            OrthogonaliseOptions::REGIONS,
        ];
        assert_eq!(REGIONS, parts.concat());
    }
}
