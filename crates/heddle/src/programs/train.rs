//! The parameters of `heddle simulate train`.

use clap::Args as ClapArgs;

use heddle_simulate::{Machine, SimulateError, Simulation, Train, TrainOptions, simulate};

use super::{SimulatedProgram, US, microseconds};

const EXAMPLES: &str = "Examples:\n  heddle simulate train --ranks 128 -o train.heddle\n  heddle simulate train --ranks 128 --straggler 17 --straggler-factor 1.3 --straggler-from 0 -o slow.otf2";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TrainArgs {
    /// Number of ranks
    #[arg(long, value_name = "N", default_value_t = TrainOptions::default().ranks)]
    ranks: u32,
    /// Number of training steps
    #[arg(long, value_name = "N", default_value_t = TrainOptions::default().steps)]
    steps: u32,
    /// How many buckets the gradients are split into
    #[arg(long, value_name = "N", default_value_t = TrainOptions::default().buckets)]
    buckets: u32,
    /// Bytes of one bucket
    #[arg(long, value_name = "BYTES", default_value_t = TrainOptions::default().bytes)]
    bytes: u64,
    /// Mean time of a forward pass, in microseconds; a backward pass takes twice as long
    #[arg(long, value_name = "US", default_value_t = TrainOptions::default().forward_ns / US)]
    forward: u64,
    /// The rank that becomes slow [default: the one in the middle]
    #[arg(long, value_name = "RANK")]
    straggler: Option<u32>,
    /// How many times longer it computes; 1 for no straggler
    #[arg(long, value_name = "FACTOR", default_value_t = TrainOptions::default().straggler_factor)]
    straggler_factor: f64,
    /// The step from which it is slow, counted from 0
    #[arg(long, value_name = "STEP", default_value_t = TrainOptions::default().straggler_from)]
    straggler_from: u32,
}

impl SimulatedProgram for TrainArgs {
    fn simulate(&self, machine: &Machine) -> Result<Simulation, SimulateError> {
        let options = TrainOptions {
            ranks: self.ranks,
            steps: self.steps,
            buckets: self.buckets,
            bytes: self.bytes,
            forward_ns: microseconds(self.forward),
            straggler: self.straggler,
            straggler_factor: self.straggler_factor,
            straggler_from: self.straggler_from,
        };
        simulate(Train::new(&options)?, machine)
    }
}
