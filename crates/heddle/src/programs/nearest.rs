//! `heddle simulate nearest`.

use clap::Args as ClapArgs;

use heddle_simulate::{Machine, Nearest, NearestOptions, SimulateError, Simulation, simulate};

use super::{SimulatedProgram, US, microseconds};

const EXAMPLES: &str = "Examples:
  heddle simulate nearest --ranks 64 -o nearest.otf2
  heddle simulate nearest --ranks 256 --grid 8x8x4 --ranks-per-node 1 --topology fat-tree:4^4 --link-bandwidth 2 -o tree.heddle";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NearestArgs {
    /// Number of ranks
    #[arg(long, value_name = "N", default_value_t = NearestOptions::default().ranks)]
    ranks: u32,
    /// Lengths of the closed grid of ranks, the last varying fastest, for instance 8x8x4 [default: the most cubic one]
    #[arg(long, value_name = "AxBxC", value_parser = parse_grid)]
    grid: Option<[u32; 3]>,
    /// How often each rank sends to its six neighbours
    #[arg(long, value_name = "N", default_value_t = NearestOptions::default().rounds)]
    rounds: u32,
    /// Bytes of one message
    #[arg(long, value_name = "BYTES", default_value_t = NearestOptions::default().bytes)]
    bytes: u64,
    /// Mean time of the computation before them, in microseconds
    #[arg(long, value_name = "US", default_value_t = NearestOptions::default().compute_ns / US)]
    compute: u64,
}

fn parse_grid(text: &str) -> Result<[u32; 3], String> {
    let lengths: Option<Vec<u32>> =
        text.split('x').map(|length| length.trim().parse().ok().filter(|n| *n > 0)).collect();
    let lengths = lengths.and_then(|lengths| <[u32; 3]>::try_from(lengths).ok());
    lengths.ok_or_else(|| "a grid has three lengths, for instance 8x8x4".to_owned())
}

impl SimulatedProgram for NearestArgs {
    fn simulate(&self, machine: &Machine) -> Result<Simulation, SimulateError> {
        let options = NearestOptions {
            ranks: self.ranks,
            rounds: self.rounds,
            bytes: self.bytes,
            compute_ns: microseconds(self.compute),
            grid: self.grid,
        };
        simulate(Nearest::new(&options)?, machine)
    }
}
