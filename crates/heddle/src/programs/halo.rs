//! `heddle simulate halo`.

use clap::Args as ClapArgs;

use heddle_simulate::{Dimensions, HaloOptions, Machine, SimulateError, Simulation};

use super::{SimulatedProgram, microseconds};

const EXAMPLES: &str = "Examples:
  heddle simulate halo --ranks 64 -o halo.otf2
  heddle simulate halo --ranks 16384 --iterations 50 --slow-rank 77,78 -o halo.heddle
  heddle simulate halo --fault slow:node=2,factor=1.8,from=20ms --fault stall:rank=5,at=30ms,for=14ms -o faulty.heddle";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HaloArgs {
    /// Number of ranks
    #[arg(long, value_name = "N", default_value_t = 64)]
    ranks: u32,
    /// Number of iterations
    #[arg(long, value_name = "N", default_value_t = 50)]
    iterations: u32,
    /// Dimensions of the grid
    #[arg(long, value_name = "2|3", default_value_t = 2, value_parser = clap::value_parser!(u8).range(2..=3))]
    dimensions: u8,
    /// The grid wraps around
    #[arg(long)]
    periodic: bool,
    /// Bytes of one halo message
    #[arg(long, value_name = "BYTES", default_value_t = 8192)]
    bytes: u64,
    /// Mean time of one compute phase, in microseconds
    #[arg(long, value_name = "US", default_value_t = 1000)]
    compute: u64,
    /// An Allreduce after every N iterations; 0 for none
    #[arg(long, value_name = "N", default_value_t = 5)]
    allreduce_every: u32,
}

impl SimulatedProgram for HaloArgs {
    fn simulate(&self, machine: &Machine) -> Result<Simulation, SimulateError> {
        let options = HaloOptions {
            ranks: self.ranks,
            iterations: self.iterations,
            dimensions: if self.dimensions == 3 { Dimensions::Three } else { Dimensions::Two },
            bytes: self.bytes,
            compute_ns: microseconds(self.compute),
            allreduce_every: self.allreduce_every,
            periodic: self.periodic,
        };
        heddle_simulate::halo(&options, machine)
    }
}
