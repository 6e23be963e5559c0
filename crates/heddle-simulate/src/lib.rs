//! Synthetic parallel programs: traces of any size, without a machine to run on.
//!
//! A simulated trace is a [`heddle_model::Source`] like a file, so everything that reads traces can be
//! tried, tested and measured with it. Its times follow from a cost model and a seed alone: the same
//! options make the same records on every machine and with any number of threads.
//!
//! A [`Program`] says what every rank does; a [`Machine`] what that costs, and with an [`Interconnect`] which links messages share;
//! [`simulate`] brings them together. A [`Fault`] is something that is wrong with the run. [`halo`] is a
//! stencil code: ranks on a grid that compute, exchange their borders with their neighbours and now and then agree on a
//! sum. [`ring`] is a token that goes round.
//!
//! The other programs are after case studies of the literature, and show by default what those found: a gather
//! whose messages go out in the wrong order ([`MergeTree`]), sends that wait for each other in a chain ([`Pf3d`]), matrix
//! operations each of which has a face of its own ([`Matmul`], [`Lu`], [`Inverse`], [`Eigen`], [`Orthogonalise`], and one
//! after the other [`Scalapack`]), coarse grids that leave most ranks idle ([`Multigrid`]), and a straggler for whom all wait
//! ([`Train`]).
//!
//! Programs of tasks have an engine of their own: [`Tasks`] are factorisations on nodes with cores and GPUs, where a scheduler
//! decides who does what when.
//!
//! ```
//! use heddle_model::{RecordBlock, Source};
//! use heddle_simulate::{HaloOptions, Machine, halo};
//!
//! let trace = halo(&HaloOptions { ranks: 4, iterations: 10, ..HaloOptions::default() }, &Machine::default())?;
//! let mut block = RecordBlock::default();
//! trace.read(&trace.parts()[0], &mut block).expect("a simulation is always there");
//! assert_eq!(block.iter().next().map(|(time, _)| time.0), Some(0));
//! # Ok::<(), heddle_simulate::SimulateError>(())
//! ```

mod algorithms;
mod chance;
mod collective;
mod engine;
mod error;
mod fabric;
mod faults;
mod gathering;
mod interconnect;
mod machine;
mod matching;
mod members;
mod network;
mod ordered;
mod places;
mod program;
mod programs;
mod rank;
mod simulation;
mod state;
mod steps;
mod stream;
mod stuck;
mod tasks;
#[cfg(test)]
mod tests;
mod travel;

pub use collective::{Algorithm, Collective, CollectiveKind};
pub use engine::simulate;
pub use error::{SimulateError, Wait};
pub use faults::{Between, Fault, Growth, Slope, When, Who};
pub use interconnect::{Interconnect, Seats};
pub use machine::{LogGp, Machine};
pub use program::{Comm, Ops, Own, Program, ProgramInfo};
pub use programs::{
    Dimensions, Eigen, EigenOptions, Halo, HaloOptions, Inverse, InverseOptions, Lu, LuOptions, Matmul, MatmulForm,
    MatmulOptions, MatrixOperation, MergeTree, MergeTreeOptions, MergeTreeOrder, Multigrid, MultigridOptions, Nearest,
    NearestOptions, Orthogonalise, OrthogonaliseOptions, Pf3d, Pf3dOptions, Pf3dOrder, Pf3dPart, Ring, RingOptions,
    Scalapack, ScalapackOptions, Train, TrainOptions, Uniform, UniformOptions, halo, ring, spans_of,
};
pub use simulation::Simulation;
pub use tasks::{
    Distribution, Factorisation, Generation, Kernel, KernelTimes, RandomTasks, RandomTasksOptions, TaskNode,
    TaskOptions, Tasks,
};
