//! Programs to simulate, one module each: what their ranks do, and what can be asked of them.

mod block;
pub(crate) mod checks;
mod eigen;
mod grid;
mod halo;
mod inverse;
mod lu;
mod matmul;
mod matrix_program;
mod merge_tree;
mod multigrid;
mod nearest;
mod orthogonalise;
mod pf3d;
mod process_grid;
mod ring;
mod scalapack;
mod startup;
#[cfg(test)]
mod tests;
mod train;
mod uniform;

pub use halo::{Dimensions, Halo, HaloOptions, halo, spans_of};
pub use ring::{Ring, RingOptions, ring};

pub use eigen::{Eigen, EigenOptions};
pub use inverse::{Inverse, InverseOptions};
pub use lu::{Lu, LuOptions};
pub use matmul::{Matmul, MatmulForm, MatmulOptions};
pub use merge_tree::{MergeTree, MergeTreeOptions, MergeTreeOrder};
pub use multigrid::{Multigrid, MultigridOptions};
pub use nearest::{Nearest, NearestOptions};
pub use orthogonalise::{Orthogonalise, OrthogonaliseOptions};
pub use pf3d::{Pf3d, Pf3dOptions, Pf3dOrder, Pf3dPart};
pub use scalapack::{MatrixOperation, Scalapack, ScalapackOptions};
pub use train::{Train, TrainOptions};
pub use uniform::{Uniform, UniformOptions};

use crate::{Ops, Program, ProgramInfo, SimulateError};

/// A program that is chosen at run time.
impl Program for Box<dyn Program> {
    fn info(&self) -> ProgramInfo {
        (**self).info()
    }

    fn communicators(&self) -> Vec<(String, Vec<u32>)> {
        (**self).communicators()
    }

    fn stages(&self, rank: u32) -> u32 {
        (**self).stages(rank)
    }

    fn stage(&self, rank: u32, stage: u32, ops: &mut Ops) {
        (**self).stage(rank, stage, ops);
    }
}

/// Refuses a count of zero.
fn at_least_one(what: &'static str, count: u32) -> Result<(), SimulateError> {
    if count == 0 { Err(SimulateError::None { what }) } else { Ok(()) }
}
