//! The parameters of `heddle simulate multigrid`.

use clap::Args as ClapArgs;

use heddle_simulate::{Machine, Multigrid, MultigridOptions, SimulateError, Simulation, simulate};

use super::{SimulatedProgram, US, microseconds};

const EXAMPLES: &str = "Example:\n  heddle simulate multigrid --ranks 512 --cycles 8 -o multigrid.heddle";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MultigridArgs {
    /// Number of ranks
    #[arg(long, value_name = "N", default_value_t = MultigridOptions::default().ranks)]
    ranks: u32,
    /// Number of V-cycles
    #[arg(long, value_name = "N", default_value_t = MultigridOptions::default().cycles)]
    cycles: u32,
    /// Levels on which all ranks work; below, each has half of the ranks along every axis
    #[arg(long, value_name = "N", default_value_t = MultigridOptions::default().local_levels)]
    local_levels: u32,
    /// Bytes of a face on the finest level; a quarter on each level down
    #[arg(long, value_name = "BYTES", default_value_t = MultigridOptions::default().bytes)]
    bytes: u64,
    /// Mean time of a smoothing on the finest level, in microseconds; an eighth on each level down
    #[arg(long, value_name = "US", default_value_t = MultigridOptions::default().compute_ns / US)]
    compute: u64,
    /// Least time of a smoothing, however few points are left, in microseconds
    #[arg(long, value_name = "US", default_value_t = MultigridOptions::default().least_ns / US)]
    least: u64,
}

impl SimulatedProgram for MultigridArgs {
    fn simulate(&self, machine: &Machine) -> Result<Simulation, SimulateError> {
        let options = MultigridOptions {
            ranks: self.ranks,
            cycles: self.cycles,
            local_levels: self.local_levels,
            bytes: self.bytes,
            compute_ns: microseconds(self.compute),
            least_ns: microseconds(self.least),
        };
        simulate(Multigrid::new(&options)?, machine)
    }
}
