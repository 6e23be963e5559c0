//! `heddle simulate ring`.

use clap::Args as ClapArgs;

use heddle_simulate::{Machine, RingOptions, SimulateError, Simulation};

use super::{SimulatedProgram, microseconds};

const EXAMPLES: &str = "Examples:
  heddle simulate ring --ranks 16 -o ring.otf2
  heddle simulate ring --ranks 64 --laps 5 --slow-rank 20 --slow-factor 8 -o ring.heddle";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RingArgs {
    /// Number of ranks
    #[arg(long, value_name = "N", default_value_t = 16)]
    ranks: u32,
    /// How often the token goes round
    #[arg(long, value_name = "N", default_value_t = 10)]
    laps: u32,
    /// Bytes of the token
    #[arg(long, value_name = "BYTES", default_value_t = 1024)]
    bytes: u64,
    /// Mean time of the work on the token, in microseconds
    #[arg(long, value_name = "US", default_value_t = 20)]
    compute: u64,
}

impl SimulatedProgram for RingArgs {
    fn simulate(&self, machine: &Machine) -> Result<Simulation, SimulateError> {
        let options = RingOptions {
            ranks: self.ranks,
            laps: self.laps,
            bytes: self.bytes,
            compute_ns: microseconds(self.compute),
        };
        heddle_simulate::ring(&options, machine)
    }
}
