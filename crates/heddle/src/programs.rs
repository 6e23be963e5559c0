//! The programs that `heddle simulate` knows, and what can be said about the machine that they run on.
//!
//! A program is a struct with its arguments and examples in a module below, which says how to simulate it, and a line in the
//! list here. The arguments of output are the same for all, and those of the machine for all programs of ranks; programs of
//! tasks run on nodes of their own.

mod halo;
mod interconnect;
mod matrix;
mod merge_tree;
mod multigrid;
mod nearest;
mod pf3d;
mod ring;
mod tasks;
mod train;
mod uniform;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use heddle_model::Source;
use heddle_simulate::{Fault, LogGp, Machine, SimulateError, Simulation};

use crate::args::MachineArgs;
use interconnect::InterconnectArgs;

/// All that the command line says about a simulation.
pub(crate) trait Simulated {
    /// Runs it. What is wrong with the arguments is a [`SimulateError`].
    fn simulate(&self) -> anyhow::Result<Box<dyn Source>>;

    /// What to write.
    fn output(&self) -> &OutputArgs;
}

/// Arguments that say what ranks do.
pub(crate) trait SimulatedProgram {
    fn simulate(&self, machine: &Machine) -> Result<Simulation, SimulateError>;
}

/// A subcommand for each program.
macro_rules! programs {
    ($($(#[$attribute:meta])* $name:ident($args:ty),)*) => {
        #[derive(Debug, Subcommand)]
        pub(crate) enum SimulateCommand {
            $($(#[$attribute])* $name($args),)*
        }

        impl SimulateCommand {
            pub(crate) fn simulated(&self) -> &dyn Simulated {
                match self {
                    $(SimulateCommand::$name(simulated) => simulated,)*
                }
            }
        }
    };
}

programs! {
    /// A halo exchange on a grid: compute, Irecv, Isend, Waitall, now and then an Allreduce
    Halo(OnMachine<halo::HaloArgs>),
    /// A token that goes round: receive it, work on it, send it on
    Ring(OnMachine<ring::RingArgs>),
    /// Merge trees: a gather up a tree, every result scattered back along it
    MergeTree(OnMachine<merge_tree::MergeTreeArgs>),
    /// A laser in a plasma: six-neighbour exchanges in a box, Fourier transforms in its slabs
    #[command(name = "pf3d")]
    Pf3d(OnMachine<pf3d::Pf3dArgs>),
    /// Matrix multiplication on a matrix of processes: panels go round, products are summed
    Matmul(OnMachine<matrix::MatmulArgs>),
    /// LU decomposition: all wait for one column to factor the next panel
    Lu(OnMachine<matrix::LuArgs>),
    /// Inversion from triangular factors: large sums that all enter together and leave one by one
    Inverse(OnMachine<matrix::InverseArgs>),
    /// Eigenvalues: a broadcast that gradually locks more ranks
    Eigen(OnMachine<matrix::EigenArgs>),
    /// Orthogonalisation of vectors: three operations with gaps between them, and a bottleneck in the last
    Orthogonalise(OnMachine<matrix::OrthogonaliseArgs>),
    /// Multigrid V-cycles: few ranks work on the coarse grids
    Multigrid(OnMachine<multigrid::MultigridArgs>),
    /// Data-parallel training: all-reduces beside the computation, and a straggler
    Train(OnMachine<train::TrainArgs>),
    /// Uniform traffic: in every round each rank sends to another by chance
    Uniform(OnMachine<uniform::UniformArgs>),
    /// Traffic between neighbours: in every round each rank sends to the six beside it on a closed grid
    Nearest(OnMachine<nearest::NearestArgs>),
    /// Matrix operations one after the other, after a start that grows with the ranks
    Scalapack(OnMachine<matrix::ScalapackArgs>),
    /// LU factorisation by tasks, on nodes with cores and GPUs
    TasksLu(tasks::OnNodes<tasks::LuTaskArgs>),
    /// Cholesky factorisation by tasks, on nodes with cores and GPUs
    TasksCholesky(tasks::OnNodes<tasks::CholeskyTaskArgs>),
    /// Tasks drawn by chance, of any number: for measuring what reads them
    #[command(hide = true)]
    TasksRandom(tasks::RandomTaskArgs),
}

/// A program's arguments, and those of the machine that its ranks run on.
#[derive(Debug, ClapArgs)]
pub(crate) struct OnMachine<P: ClapArgs> {
    #[command(flatten)]
    program: P,
    #[command(flatten)]
    output: OutputArgs,
    // Last, because its heading would go on over what follows.
    #[command(flatten)]
    simulated: SimulatedMachineArgs,
    #[command(flatten)]
    links: InterconnectArgs,
}

impl<P: ClapArgs + SimulatedProgram> Simulated for OnMachine<P> {
    fn simulate(&self) -> anyhow::Result<Box<dyn Source>> {
        let interconnect = self.links.interconnect(self.simulated.ranks_per_node)?;
        let machine = Machine { interconnect, ..self.simulated.machine() };
        Ok(Box::new(self.program.simulate(&machine)?))
    }

    fn output(&self) -> &OutputArgs {
        &self.output
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct OutputArgs {
    /// What to write: NAME.otf2 for an OTF2 archive, NAME.heddle for a store
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Replace what is there
    #[arg(long)]
    pub(crate) force: bool,
    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Simulated machine")]
struct SimulatedMachineArgs {
    /// The same seed gives the same trace
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Relative noise of computing times, 0 to 1; 0 also removes the jitter of collectives
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    noise: f64,
    /// Ranks that compute more slowly, for instance 3,17
    #[arg(long, value_name = "RANKS", value_delimiter = ',')]
    slow_rank: Vec<u32>,
    /// Nodes whose ranks all compute more slowly
    #[arg(long, value_name = "NODES", value_delimiter = ',')]
    slow_node: Vec<u32>,
    /// How many times slower they are
    #[arg(long, value_name = "FACTOR", default_value_t = 1.5)]
    slow_factor: f64,
    /// Ranks per node
    #[arg(long, value_name = "N", default_value_t = 16)]
    ranks_per_node: u32,
    /// L of the LogGP model: nanoseconds that a message is on the wire
    #[arg(long, value_name = "NS", default_value_t = LogGp::default().latency_ns)]
    latency: u64,
    /// o: nanoseconds that a processor is busy with a message, at both ends
    #[arg(long, value_name = "NS", default_value_t = LogGp::default().overhead_ns)]
    overhead: u64,
    /// g: least nanoseconds between two messages of a sender
    #[arg(long, value_name = "NS", default_value_t = LogGp::default().gap_ns)]
    gap: u64,
    /// 1/G: bytes that a sender's network card sends per nanosecond, which is GB/s
    #[arg(long, value_name = "GB/S", default_value_t = 12.5, value_parser = parse_bandwidth)]
    bandwidth: f64,
    /// Messages up to this size are sent at once; longer ones wait until their receive is posted
    #[arg(long, value_name = "BYTES", default_value_t = LogGp::default().eager_bytes)]
    eager: u64,
    /// Something that is wrong with the run, KIND:KEY=VALUE,…; may be given several times.
    ///
    /// stall:rank=5,at=120ms,for=14ms: once, a computation takes longer.
    /// slow:rank=5,factor=1.8[,from=310ms][,until=500ms][,function=NAME]: computations take longer.
    /// drift:rank=5,to=2: they take longer and longer (or per-second=0.5).
    /// link:ranks=3-17,factor=4: messages between two ranks are slow; nodes=A-B for two nodes.
    /// card:rank=5,factor=2.6: all messages of a rank or node are slow.
    /// network:factor=20[,from=…][,until=…]: all messages are slow.
    /// noise:every=10ms,for=1ms[,rank=5]: at regular intervals the processor is taken away.
    /// factors:file=FILE: a factor for each rank, one per line.
    /// imbalance:to=1.6[,shape=hill]: work grows over the ranks.
    /// clock:rank=5,offset=3ms[,drift=1e-5]: a clock is wrong.
    ///
    /// Where it says rank, ranks=5-9+12 and node=2 will do as well.
    #[arg(long, value_name = "FAULT", value_parser = parse_fault, verbatim_doc_comment)]
    fault: Vec<Fault>,
}

impl SimulatedMachineArgs {
    fn machine(&self) -> Machine {
        Machine {
            seed: self.seed,
            noise: self.noise,
            slow_ranks: self.slow_rank.clone(),
            slow_nodes: self.slow_node.clone(),
            slow_factor: self.slow_factor,
            ranks_per_node: self.ranks_per_node,
            network: LogGp {
                latency_ns: self.latency,
                overhead_ns: self.overhead,
                gap_ns: self.gap,
                gap_per_byte: 1.0 / self.bandwidth,
                eager_bytes: self.eager,
            },
            interconnect: None,
            faults: self.fault.clone(),
        }
    }
}

fn parse_bandwidth(text: &str) -> Result<f64, String> {
    let wrong = || "a bandwidth is a number of GB/s above 0, for instance 12.5".to_owned();
    text.parse().ok().filter(|bandwidth| (1e-9..=1e9).contains(bandwidth)).ok_or_else(wrong)
}

fn parse_fault(text: &str) -> Result<Fault, String> {
    Fault::parse(text, &|file| std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}")))
}

/// Nanoseconds in a microsecond.
const US: u64 = 1000;

/// Microseconds of the command line as nanoseconds.
fn microseconds(us: u64) -> u64 {
    us.saturating_mul(US)
}
