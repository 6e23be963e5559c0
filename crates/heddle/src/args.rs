//! What can be typed.

#[cfg(feature = "page")]
use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use heddle_store::default_memory;

use crate::logical_args::{ClusterArgs, LogicalArgs};
use crate::network_args::{NetworkArgs, NetworkCommand};
use crate::programs::SimulateCommand;
use crate::progress_args::ProgressArgs;
use crate::render_args::RenderArgs;

/// Shows what a massively parallel program did.
#[derive(Debug, Parser)]
#[command(name = "heddle", version, arg_required_else_help = true, propagate_version = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show traces in the browser, importing them if needed
    #[cfg(feature = "page")]
    #[command(
        after_help = "Examples:\n  heddle open run/traces.otf2\n  heddle open before.otf2 after.otf2 --no-browser --port 7710"
    )]
    Open(OpenArgs),
    /// List the running servers of this user, with their addresses
    #[cfg(feature = "page")]
    #[command(after_help = "Example:\n  heddle list")]
    List(ListArgs),
    /// Simulate a built-in case study and show it, with a tour
    #[command(
        after_help = "Examples:\n  heddle demo\n  heddle demo --list\n  heddle demo halo\n  heddle render activity $(heddle demo halo --prepare) -o activity.png"
    )]
    Demo(DemoArgs),
    /// Show what is in a trace
    #[command(
        after_help = "Examples:\n  heddle info run/traces.otf2\n  heddle info run/traces.otf2 --json | jq .regions\n  heddle info run/traces.otf2 --findings\n  heddle info --efficiency run64.otf2 --against run128.otf2 run256.otf2"
    )]
    Info(InfoArgs),
    /// Say what is wrong with a run: who or what costs time, since when, how much; or that nothing does
    #[command(
        after_help = "Examples:\n  heddle diagnose run/traces.otf2\n  heddle diagnose run/traces.otf2 --json | jq .verdict\n  heddle diagnose run/traces.otf2 --markdown > diagnosis.md"
    )]
    Diagnose(DiagnoseArgs),
    /// List what people wrote down about a trace, or write something down: views with a name and a few sentences
    #[command(
        after_help = "Examples:\n  heddle notes run/traces.otf2\n  heddle notes run/traces.otf2 --markdown > notes.md\n  heddle notes run/traces.otf2 --add \"Rank 37 is late\" --text \"It computes more slowly.\" --link \"http://localhost:7700/#v=1&layout=timeline&time=0:5000000\"\n  heddle notes run/traces.otf2 --remove 3f9a0c12"
    )]
    Notes(NotesArgs),
    /// Build the store of a trace
    #[command(
        after_help = "Examples:\n  heddle import run/traces.otf2\n  heddle import run/traces.otf2 -o run.heddle --memory 2G"
    )]
    Import(ImportArgs),
    /// Draw a view of a trace as a figure
    #[command(
        after_help = "Examples:\n  heddle render activity run/traces.otf2 -o activity.png\n  heddle render timeline run/traces.otf2 -o fig.svg --time 1.2s:1.5s --ranks 0-63 --size 1200x600\n  heddle render calls run/traces.otf2 -o calls.png --style lines --highlight MPI_Recv --opacity log --omin 0.3"
    )]
    #[command(subcommand)]
    Render(RenderArgs),
    /// Write one table of a trace or all of its store, or the whole trace in another format
    #[command(
        after_help = "Examples:\n  heddle export run/traces.otf2 --table spans --to csv -o spans.csv\n  heddle export run/traces.otf2 --table messages --to arrow -o messages.arrow\n  heddle export run/traces.otf2 --table phases --leap-merge\n  heddle export run/traces.otf2 --table waits -o waits.csv\n  heddle export run_meta.yaml --table links -o links.csv\n  heddle export run/traces.otf2 --all --to arrow -o tables\n  heddle export run/traces.otf2 --to paraver -o run.prv\n  heddle export run/traces.otf2 --to chrome -o run.json.gz"
    )]
    Export(ExportArgs),
    /// Say what the links of a machine carry, compare mappings of ranks, search for better ones
    #[command(
        subcommand,
        after_help = "Examples:\n  heddle network predict run/traces.otf2 --topology 8x8x8 --ranks-per-node 4\n  heddle network compare run/traces.otf2 --topology 8x8x8 --ranks-per-node 4 -o mappings.png\n  heddle network optimize run/traces.otf2 --topology 8x8x8 --ranks-per-node 4 -o better.map"
    )]
    Network(NetworkCommand),
    /// Write a synthetic trace
    #[command(
        subcommand,
        after_help = "Examples:\n  heddle simulate halo --ranks 256 --iterations 100 --slow-rank 37 -o halo.otf2\n  heddle simulate pf3d --ranks 1024 --order original -o pf3d.heddle\n  heddle simulate scalapack --ranks 16384 -o scalapack.heddle"
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
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    memory: Option<u64>,
    /// Number of threads (default: one per core)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

impl MachineArgs {
    /// The memory budget in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.memory.unwrap_or_else(default_memory)
    }
}

/// Where and how to serve the page.
#[cfg(feature = "page")]
#[derive(Debug, ClapArgs)]
pub(crate) struct ServeArgs {
    /// Port to listen on; 0 takes any that is free (default: the first free one from 7700 to 7720)
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,
    /// Address to listen on; any but a loopback address can be reached by others
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1", value_parser = parse_address)]
    pub(crate) host: IpAddr,
    /// Another name by which the page may be reached, for instance localhost:9000; can be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<heddle_server::AllowedHost>,
    /// Listen on this socket, which only you can open, and on no port
    #[arg(long, value_name = "PATH", conflicts_with_all = ["port", "host"])]
    pub(crate) socket: Option<PathBuf>,
    /// Do not open a browser
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// Do not cluster ranks: the page has no clusters
    #[arg(long)]
    pub(crate) no_clusters: bool,
}

#[cfg(feature = "page")]
#[derive(Debug, ClapArgs)]
pub(crate) struct OpenArgs {
    /// Traces (for OTF2 the file that ends in .otf2) or stores
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) serve: ServeArgs,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

#[cfg(feature = "page")]
#[derive(Debug, ClapArgs)]
pub(crate) struct ListArgs {
    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DemoArgs {
    /// Which case study (default: the first of --list)
    pub(crate) name: Option<String>,
    /// List the case studies
    #[arg(long, conflicts_with = "name")]
    pub(crate) list: bool,
    /// Write the list as JSON, with tours and figures
    #[arg(long, requires = "list")]
    pub(crate) json: bool,
    /// Only simulate, and print the paths of the stores
    #[arg(long)]
    pub(crate) prepare: bool,
    #[cfg(feature = "page")]
    #[command(flatten)]
    pub(crate) serve: ServeArgs,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// How work grows with the number of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScalingArg {
    /// The same work on more ranks
    Strong,
    /// As much more work as ranks
    Weak,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct InfoArgs {
    /// A trace (for OTF2 the file that ends in .otf2; for PyTorch one file per rank), or a store
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Also say what is wrong and what stands out: the diagnosis, stages of the run, calls that cost time
    #[arg(long)]
    pub(crate) findings: bool,
    /// Also say how well time was used: parallel efficiency, load balance, communication, of the run and its stages
    #[arg(long)]
    pub(crate) efficiency: bool,
    /// Other runs of the same program, one file or store each, to compare efficiencies with: how well it scales
    #[arg(long, value_name = "TRACE", num_args = 1.., requires = "efficiency")]
    pub(crate) against: Vec<PathBuf>,
    /// How work grows with the number of ranks (default: told from useful time)
    #[arg(long, value_name = "KIND", requires = "against")]
    pub(crate) scaling: Option<ScalingArg>,
    #[command(flatten)]
    pub(crate) logical: LogicalArgs,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiagnoseArgs {
    /// A trace (for OTF2 the file that ends in .otf2; for PyTorch one file per rank), or a store
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    /// Write JSON
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) json: bool,
    /// Write Markdown
    #[arg(long)]
    pub(crate) markdown: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NotesArgs {
    /// A trace (for OTF2 the file that ends in .otf2; for PyTorch one file per rank), or a store
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    /// Write JSON, as the file of the notes has it
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) json: bool,
    /// Write Markdown
    #[arg(long)]
    pub(crate) markdown: bool,
    /// Write down a note with this name, and print its id
    #[arg(long, value_name = "NAME", conflicts_with_all = ["json", "markdown"])]
    pub(crate) add: Option<String>,
    /// What the note says
    #[arg(long, value_name = "TEXT", requires = "add")]
    pub(crate) text: Option<String>,
    /// Which view it is about: a link that was copied from the page (default: the trace as it opens)
    #[arg(long, value_name = "LINK", requires = "add")]
    pub(crate) link: Option<String>,
    /// Remove the note with this id
    #[arg(long, value_name = "ID", conflicts_with_all = ["json", "markdown", "add"])]
    pub(crate) remove: Option<String>,
    /// Where notes are kept whose trace lies in a folder that cannot be written to (default: the user's cache)
    #[arg(long, value_name = "DIR", env = "HEDDLE_STORE")]
    pub(crate) store: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ImportArgs {
    /// A trace (for OTF2 the file that ends in .otf2; for PyTorch one file per rank)
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    /// The store to make, by convention NAME.heddle; takes precedence over --store
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Rebuild it even if it is up to date
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
    /// Communication events with phase, logical step and lateness
    Steps,
    /// Phases of logical time
    Phases,
    /// Ranks with their clusters: of every phase, or of --scope
    Clusters,
    /// What crossed each link of a machine, section by section: measured, simulated or predicted
    Links,
    /// How far each node had come at every time step, and its group there
    Progress,
    /// Lower bounds of every time step, and their sums
    Bounds,
    /// Runs of tasks with their types, workers and times
    Tasks,
    /// What tasks wait for
    Dependencies,
    /// Calls that waited, how long, and for whom
    Waits,
    /// What each rank's time in each function made others wait, directly and further on
    Delays,
    /// The chain of work and messages that decided how long the run took
    CriticalPath,
    /// How often and how long each rank was in each function
    Profile,
    /// Who sent how much to whom, how fast, and how long receivers waited for it
    Matrix,
}

/// The formats that `export` writes: a table in one of the first three, the whole trace in one of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Text, one line per row, with a header
    Csv,
    /// Arrow IPC: a file with -o, a stream without
    Arrow,
    /// Parquet (needs the feature `parquet`)
    Parquet,
    /// The whole trace as an OTF2 archive
    Otf2,
    /// The whole trace as Paraver files: .prv, .pcf, .row
    Paraver,
    /// The whole trace as Chrome trace events, for Perfetto: .json or .json.gz
    Chrome,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ExportArgs {
    /// A trace, or a store; several files of PyTorch are one trace
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    /// Which table; without it the whole trace, --to otf2, paraver or chrome
    #[arg(long, value_name = "TABLE")]
    pub(crate) table: Option<Table>,
    /// Every table of the store, definitions too, as a file each in the directory that -o names
    #[arg(long, conflicts_with = "table")]
    pub(crate) all: bool,
    /// In which format
    #[arg(long, value_name = "FORMAT", default_value = "csv")]
    pub(crate) to: ExportFormat,
    /// File to write (default for a table: stdout); with --all a directory
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace a trace that already exists, or with --all the files of tables
    #[arg(long)]
    pub(crate) force: bool,
    /// Window of time of the tables profile and matrix, for instance 1.2s:1.5s, 300ms: or :40us
    #[arg(long, value_name = "A:B", value_parser = heddle_options::units::time_window)]
    pub(crate) time: Option<(Option<i64>, Option<i64>)>,
    /// Ranks of the tables profile and matrix, for instance 0-15,100,200-
    #[arg(long, value_name = "SPEC")]
    pub(crate) ranks: Option<heddle_view::RankSet>,
    #[command(flatten)]
    pub(crate) logical: LogicalArgs,
    #[command(flatten)]
    pub(crate) clusters: ClusterArgs,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
    #[command(flatten)]
    pub(crate) progress: ProgressArgs,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// Colours of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ThemeArg {
    /// Dark on white
    Light,
    /// Light on black
    Dark,
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

fn parse_memory(text: &str) -> Result<u64, String> {
    let bytes = heddle_options::units::bytes(text)?;
    if bytes < LEAST_MEMORY {
        return Err("at least 384M is needed: batches of a million rows are assembled in memory".to_owned());
    }
    Ok(bytes)
}

#[cfg(feature = "page")]
fn parse_address(text: &str) -> Result<IpAddr, String> {
    if text == "localhost" {
        return Ok(std::net::Ipv4Addr::LOCALHOST.into());
    }
    text.parse().map_err(|_| "an address of this machine, for instance 127.0.0.1, ::1 or 0.0.0.0 for all".to_owned())
}

pub(crate) fn parse_picture_size(text: &str) -> Result<(u32, u32), String> {
    let wrong = || "a size is width x height, for instance 1600x900, each from 200 to 16384".to_owned();
    let (width, height) = text.split_once('x').ok_or_else(wrong)?;
    let side = |word: &str| word.parse().ok().filter(|side| (200..=16_384).contains(side)).ok_or_else(wrong);
    Ok((side(width)?, side(height)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_understood() {
        assert_eq!(parse_picture_size("1600x900"), Ok((1600, 900)));
        assert!(parse_picture_size("10x10").is_err() && parse_picture_size("1600").is_err());
        assert_eq!(parse_memory("2G"), Ok(2 << 30));
        assert!(parse_memory("12").is_err() && parse_memory("2X").is_err());
    }
}
