//! What can be typed.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use heddle_store::default_memory;

/// Shows what a massively parallel program did.
#[derive(Debug, Parser)]
#[command(name = "heddle", version, arg_required_else_help = true, propagate_version = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate a built-in case study and show what is in it
    #[command(after_help = "Example:\n  heddle demo")]
    Demo(DemoArgs),
    /// Tell what is in a trace
    #[command(
        after_help = "Examples:\n  heddle info run/traces.otf2\n  heddle info run/traces.otf2 --json | jq .regions"
    )]
    Info(InfoArgs),
    /// Build the store of a trace
    #[command(
        after_help = "Examples:\n  heddle import run/traces.otf2\n  heddle import run/traces.otf2 -o run.heddle --memory 2G"
    )]
    Import(ImportArgs),
    /// Write one table of a trace, for other programs
    #[command(
        after_help = "Examples:\n  heddle export run/traces.otf2 --table spans --to csv -o spans.csv\n  heddle export run/traces.otf2 --table messages --to arrow -o messages.arrow"
    )]
    Export(ExportArgs),
    /// Write a synthetic trace
    #[command(
        subcommand,
        after_help = "Example:\n  heddle simulate halo --ranks 256 --iterations 100 --slow-rank 37 -o halo.otf2"
    )]
    Simulate(SimulateCommand),
    /// List what can be read, and how each format is recognised
    #[command(after_help = "Example:\n  heddle formats")]
    Formats(FormatsArgs),
    /// Decode a trace on one core and throw the records away, for benchmarks
    #[command(hide = true)]
    BenchDecode(BenchDecodeArgs),
}

/// Where stores are kept and what an import may use.
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct StoreArgs {
    /// Keep stores in this directory (default: beside the trace, else the user's cache)
    #[arg(long, value_name = "DIR", env = "HEDDLE_STORE")]
    pub(crate) store: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

/// How much of the machine to use.
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct MachineArgs {
    /// Most memory to use, for instance 512M or 2G (default: a quarter of the machine's)
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Number of threads (default: one a core)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

impl MachineArgs {
    /// The memory budget in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.memory.unwrap_or_else(default_memory)
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct InfoArgs {
    /// A trace (for OTF2 the file that ends in .otf2), or a store
    pub(crate) trace: PathBuf,
    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ImportArgs {
    /// A trace (for OTF2 the file that ends in .otf2)
    pub(crate) trace: PathBuf,
    /// The store to make, by convention NAME.heddle; goes before --store
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Build it anew even if it is there and still true
    #[arg(long)]
    pub(crate) force: bool,
    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// The tables that `export` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Table {
    /// Stays in regions
    Spans,
    /// Matched messages
    Messages,
    /// Every participant of every collective
    Collectives,
    /// Instants with a name
    Marks,
    /// Counter values
    Metrics,
}

/// The formats that `export` writes a table in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// Text, one line a row, with a header
    Csv,
    /// Arrow IPC: a file with -o, a stream without
    Arrow,
    /// Parquet (needs the feature `parquet`)
    Parquet,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ExportArgs {
    /// A trace, or a store
    pub(crate) trace: PathBuf,
    /// Which table
    #[arg(long, value_name = "TABLE")]
    pub(crate) table: Table,
    /// In which format
    #[arg(long, value_name = "FORMAT", default_value = "csv")]
    pub(crate) to: TableFormat,
    /// File to write (default: stdout)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SimulateCommand {
    /// A halo exchange on a grid: compute, Irecv, Isend, Waitall, now and then an Allreduce
    #[command(
        after_help = "Examples:\n  heddle simulate halo --ranks 64 -o halo.otf2\n  heddle simulate halo --ranks 16384 --iterations 50 --slow-rank 77,78 -o halo.heddle"
    )]
    Halo(HaloArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct HaloArgs {
    /// Number of ranks
    #[arg(long, default_value_t = 64)]
    pub(crate) ranks: u32,
    /// Number of iterations
    #[arg(long, default_value_t = 50)]
    pub(crate) iterations: u32,
    /// The same seed gives the same trace
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Dimensions of the grid
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(2..=3))]
    pub(crate) dimensions: u8,
    /// Bytes of one halo message
    #[arg(long, default_value_t = 8192)]
    pub(crate) bytes: u64,
    /// Mean time of one compute phase, in microseconds
    #[arg(long, value_name = "US", default_value_t = 1000)]
    pub(crate) compute: u64,
    /// Relative noise of the compute time
    #[arg(long, default_value_t = 0.05)]
    pub(crate) noise: f64,
    /// Ranks that compute slower, for instance 3,17
    #[arg(long, value_name = "RANKS", value_delimiter = ',')]
    pub(crate) slow_rank: Vec<u32>,
    /// How many times slower they are
    #[arg(long, default_value_t = 1.5)]
    pub(crate) slow_factor: f64,
    /// An Allreduce after every N iterations; 0 for none
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) allreduce_every: u32,
    /// Ranks on one node
    #[arg(long, default_value_t = 16)]
    pub(crate) ranks_per_node: u32,
    /// The grid wraps around
    #[arg(long)]
    pub(crate) periodic: bool,
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
pub(crate) struct FormatsArgs {
    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BenchDecodeArgs {
    /// A trace
    pub(crate) trace: PathBuf,
}

/// Least memory that an import can work with.
const LEAST_MEMORY: u64 = 384 << 20;

fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        "T" | "TB" | "TIB" => 1u64 << 40,
        other => return Err(format!("`{other}` is no unit; use K, M, G or T")),
    };
    let number: f64 =
        digits.parse().map_err(|_| "a size is a number and a unit, for instance 512M or 2G".to_owned())?;
    let bytes = number * unit as f64;
    if bytes < LEAST_MEMORY as f64 {
        return Err("at least 384M is needed: batches of a million rows are put together in memory".to_owned());
    }
    Ok(bytes as u64)
}
