//! `heddle simulate uniform`.

use clap::Args as ClapArgs;

use heddle_simulate::{Machine, SimulateError, Simulation, Uniform, UniformOptions, simulate};

use super::{SimulatedProgram, US, microseconds};

const EXAMPLES: &str = "Examples:
  heddle simulate uniform --ranks 64 -o uniform.otf2
  heddle simulate uniform --ranks 256 --ranks-per-node 1 --topology fat-tree:4^4 --link-bandwidth 2 -o tree.heddle";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct UniformArgs {
    /// Number of ranks
    #[arg(long, value_name = "N", default_value_t = UniformOptions::default().ranks)]
    ranks: u32,
    /// How often each rank sends to another
    #[arg(long, value_name = "N", default_value_t = UniformOptions::default().rounds)]
    rounds: u32,
    /// Bytes of one message
    #[arg(long, value_name = "BYTES", default_value_t = UniformOptions::default().bytes)]
    bytes: u64,
    /// Mean time of the computation before it, in microseconds
    #[arg(long, value_name = "US", default_value_t = UniformOptions::default().compute_ns / US)]
    compute: u64,
}

impl SimulatedProgram for UniformArgs {
    fn simulate(&self, machine: &Machine) -> Result<Simulation, SimulateError> {
        let options = UniformOptions {
            ranks: self.ranks,
            rounds: self.rounds,
            bytes: self.bytes,
            compute_ns: microseconds(self.compute),
            seed: machine.seed,
        };
        simulate(Uniform::new(&options)?, machine)
    }
}
