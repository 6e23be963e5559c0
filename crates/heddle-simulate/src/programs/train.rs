//! Data-parallel training of a neural network: gradients are summed over all ranks while they are still being computed.
//!
//! Every rank goes forward through its own samples and then back through the layers, the last first. The gradients of a few
//! layers make a bucket; as soon as a bucket is full, a non-blocking all-reduce of it begins, beside the computation of the
//! next. The optimiser needs all of them, so the step ends with a wait. As long as all ranks are equally fast, that wait is
//! only what could not be hidden. From some step on one rank is slow, a straggler, say because it is throttled: then every other
//! rank spends the difference in `MPI_Waitall`, and the straggler alone does not wait.
//!
//! # The program of a rank
//!
//! ```text
//! for each step:  step { forward  { backward  MPI_Iallreduce }*  MPI_Waitall  optimise }
//! ```

use super::checks::{self, MOST_BYTES, MOST_NS, MOST_STEPS};
use crate::{Algorithm, Collective, CollectiveKind, Comm, Ops, Own, Program, ProgramInfo, SimulateError};

const STEP: Own = Own(0);
const FORWARD: Own = Own(1);
const BACKWARD: Own = Own(2);
const OPTIMISE: Own = Own(3);

/// What to train.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainOptions {
    /// Number of ranks; any.
    pub ranks: u32,
    /// Number of training steps.
    pub steps: u32,
    /// How many buckets the gradients are cut into.
    pub buckets: u32,
    /// Bytes of one bucket.
    pub bytes: u64,
    /// Mean time to go forward, in nanoseconds. Going back takes twice as long.
    pub forward_ns: u64,
    /// The rank that becomes slow; none for the one in the middle.
    pub straggler: Option<u32>,
    /// How many times longer it computes; 1 for no straggler.
    pub straggler_factor: f64,
    /// The step from which on it is slow.
    pub straggler_from: u32,
}

impl Default for TrainOptions {
    fn default() -> TrainOptions {
        TrainOptions {
            ranks: 64,
            steps: 16,
            buckets: 6,
            bytes: 25 << 20,
            forward_ns: 20_000_000,
            straggler: None,
            straggler_factor: 1.8,
            straggler_from: 6,
        }
    }
}

impl TrainOptions {
    /// Whether there can be such a run.
    pub fn check(&self) -> Result<(), SimulateError> {
        checks::ranks(self.ranks)?;
        checks::within("steps", u64::from(self.steps), 1, MOST_STEPS)?;
        checks::within("buckets", u64::from(self.buckets), 1, 1000)?;
        checks::within("bytes", self.bytes, 0, MOST_BYTES)?;
        checks::within("forward time", self.forward_ns, 0, MOST_NS)?;
        checks::between("straggler factor", self.straggler_factor, 0.0, 1000.0)?;
        match self.straggler {
            Some(rank) if rank >= self.ranks => Err(SimulateError::NoSuchRank { rank, ranks: self.ranks }),
            _ => Ok(()),
        }
    }

    /// Who becomes slow.
    pub fn straggler(&self) -> u32 {
        self.straggler.unwrap_or(self.ranks / 2)
    }
}

/// The program; see the module.
#[derive(Clone, Debug)]
pub struct Train {
    options: TrainOptions,
}

impl Train {
    /// The program with these options.
    pub fn new(options: &TrainOptions) -> Result<Train, SimulateError> {
        options.check()?;
        Ok(Train { options: options.clone() })
    }

    fn time(&self, rank: u32, step: u32, mean_ns: u64) -> u64 {
        let is_slow = rank == self.options.straggler() && step >= self.options.straggler_from;
        if is_slow { (mean_ns as f64 * self.options.straggler_factor) as u64 } else { mean_ns }
    }
}

impl Program for Train {
    fn info(&self) -> ProgramInfo {
        ProgramInfo { name: "train", ranks: self.options.ranks, regions: &["step", "forward", "backward", "optimise"] }
    }

    fn stages(&self, _rank: u32) -> u32 {
        self.options.steps
    }

    fn stage(&self, rank: u32, stage: u32, ops: &mut Ops) {
        let TrainOptions { buckets, bytes, forward_ns, .. } = self.options;
        let time = |mean_ns| self.time(rank, stage, mean_ns);
        let sum = Collective { kind: CollectiveKind::Allreduce, algorithm: Algorithm::Ring, root: 0, bytes };
        ops.enter(STEP);
        ops.compute(FORWARD, time(forward_ns));
        for _ in 0..buckets {
            ops.compute(BACKWARD, time(2 * forward_ns / u64::from(buckets)));
            ops.icollective(sum, Comm::WORLD);
        }
        ops.waitall();
        ops.compute(OPTIMISE, time(forward_ns / 10));
        ops.leave(STEP);
    }
}
