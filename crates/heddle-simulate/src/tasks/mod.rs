//! Programs of tasks: tiled factorisations on nodes with cores and GPUs, as StarPU runs them.
//!
//! A matrix is cut into tiles, and every tile has an owner, the node that runs all tasks that write it. A task is ready when
//! all that it waits for has ended and the tiles that it reads have come from other nodes; each is sent once to each node
//! that needs it, straight from its owner. The [workers] of a node take what is ready as the scheduler `dmdas` would have it,
//! and the [cards] of nodes carry one message at a time in each direction.
//!
//! Not modelled are copies between the memory of a node and that of its GPUs, the memory itself, the time that scheduling
//! and the communication thread take, and switches that could be full.
//!
//! [`Tasks`] is the trace of such a run; [`RandomTasks`] is one of any size whose tasks are drawn by chance.

mod cards;
mod distribution;
mod graph;
mod options;
mod places;
mod random;
mod schedule;
#[cfg(test)]
mod tests;
mod trace;
mod workers;

pub use distribution::Distribution;
pub use graph::{Factorisation, Kernel};
pub use options::{Generation, KernelTimes, TaskNode, TaskOptions};
pub use random::{RandomTasks, RandomTasksOptions};
pub use trace::Tasks;
