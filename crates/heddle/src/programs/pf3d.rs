//! The parameters of `heddle simulate pf3d`.

use clap::{Args as ClapArgs, ValueEnum};

use heddle_simulate::{Machine, Pf3d, Pf3dOptions, Pf3dOrder, Pf3dPart, SimulateError, Simulation, simulate};

use super::{SimulatedProgram, US, microseconds};

const EXAMPLES: &str = "Examples:\n  heddle simulate pf3d --ranks 1024 -o cascade.heddle\n  heddle simulate pf3d --ranks 1024 --order fixed -o fixed.heddle\n  heddle simulate pf3d --ranks 4096 --part fft -o fft.otf2\n  heddle simulate pf3d --ranks 2048 --part fft --topology 8x8x8 --ranks-per-node 4 --mapping TXYZ -o txyz.heddle";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Pf3dArgs {
    /// Number of ranks
    #[arg(long, value_name = "N", default_value_t = Pf3dOptions::default().ranks)]
    ranks: u32,
    /// Which part of the program to run
    #[arg(long, value_enum, default_value_t = Pf3dPartArg::Neighbours)]
    part: Pf3dPartArg,
    /// In which order neighbours exchange
    #[arg(long, value_enum, default_value_t = Pf3dOrderArg::Original)]
    order: Pf3dOrderArg,
    /// Number of slabs along z, a divisor of the ranks; 0 for slabs of 16 x 8 ranks with transforms, else about the square
    /// root of the ranks
    #[arg(long, value_name = "N", default_value_t = Pf3dOptions::default().slabs)]
    slabs: u32,
    /// Number of time steps
    #[arg(long, value_name = "N", default_value_t = Pf3dOptions::default().steps)]
    steps: u32,
    /// Bytes of a face between neighbours; up to the eager limit nobody waits
    #[arg(long, value_name = "BYTES", default_value_t = Pf3dOptions::default().bytes)]
    bytes: u64,
    /// Mean time of the hydrodynamics before an exchange, in microseconds
    #[arg(long, value_name = "US", default_value_t = Pf3dOptions::default().compute_ns / US)]
    compute: u64,
    /// V, the bytes of a rank's volume: a transform sends V over the ranks of its line to each of them (V/16 along x and V/8
    /// along y in slabs of 16 x 8), and V/16 goes to the slabs before and behind
    #[arg(long, value_name = "BYTES", default_value_t = Pf3dOptions::default().fft_bytes)]
    fft_bytes: u64,
    /// Mean time of the Fourier transforms along one axis, in microseconds
    #[arg(long, value_name = "US", default_value_t = Pf3dOptions::default().fft_ns / US)]
    fft_compute: u64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Pf3dPartArg {
    /// The exchange with the six neighbours
    Neighbours,
    /// The Fourier transforms: all-to-alls along x and y, messages both ways along z
    Fft,
    /// In every step the transforms, then the exchange
    Both,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Pf3dOrderArg {
    /// Send, then receive: sends wait for each other in a chain
    Original,
    /// The receive is posted before the send
    Fixed,
}

impl SimulatedProgram for Pf3dArgs {
    fn simulate(&self, machine: &Machine) -> Result<Simulation, SimulateError> {
        let options = Pf3dOptions {
            ranks: self.ranks,
            slabs: self.slabs,
            steps: self.steps,
            part: match self.part {
                Pf3dPartArg::Neighbours => Pf3dPart::Neighbours,
                Pf3dPartArg::Fft => Pf3dPart::Fft,
                Pf3dPartArg::Both => Pf3dPart::Both,
            },
            order: match self.order {
                Pf3dOrderArg::Original => Pf3dOrder::Original,
                Pf3dOrderArg::Fixed => Pf3dOrder::Fixed,
            },
            bytes: self.bytes,
            compute_ns: microseconds(self.compute),
            fft_bytes: self.fft_bytes,
            fft_ns: microseconds(self.fft_compute),
        };
        simulate(Pf3d::new(&options)?, machine)
    }
}
