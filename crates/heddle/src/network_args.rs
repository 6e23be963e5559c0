//! Options that decide the traffic on a machine: the same for every command that shows it.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use heddle_network::NetworkOptions;
use heddle_options::{Given, OptionSpec, Options, units};

use crate::args::StoreArgs;
use crate::option_args::{OptionArgs, OptionGroup, with_files};

/// Options of the machine.
#[derive(Clone, Copy)]
pub(crate) struct NetworkGroup;

impl OptionGroup for NetworkGroup {
    const HEADING: &'static str = "Options of the machine";

    fn specs() -> Vec<OptionSpec> {
        NetworkOptions::specs()
    }
}

pub(crate) type NetworkArgs = OptionArgs<NetworkGroup>;

impl NetworkArgs {
    /// The same with another value of one option.
    pub(crate) fn with(&self, name: &str, text: &str) -> NetworkArgs {
        OptionArgs::new(self.options.clone().with(name, text))
    }

    /// The options, with the files that they name.
    pub(crate) fn with_files(&self) -> anyhow::Result<Given> {
        with_files(self.options.clone())
    }
}

/// `heddle network …`.
#[derive(Debug, Subcommand)]
pub(crate) enum NetworkCommand {
    /// Say what the links of a machine carry: measured, simulated, or predicted from the messages of a trace
    #[command(
        after_help = "Examples:\n  heddle network predict run/traces.otf2 --topology 8x8x8 --mapping TXYZ --ranks-per-node 4\n  heddle network predict run_meta.yaml --json\n  heddle network predict --topology 5x5 --pattern all-to-all\n  heddle network predict run/traces.otf2 --topology topology.conf --link-bandwidth 12.5"
    )]
    Predict(PredictArgs),
    /// Compare mappings of ranks, machines or patterns: what each puts on the links
    #[command(
        after_help = "Examples:\n  heddle network compare run/traces.otf2 --topology 8x8x8 --ranks-per-node 4 --mappings 'TXYZ;tile;tiltZ' -o mappings.png\n  heddle network compare run/traces.otf2 --topologies 8x8x8,fat-tree:8x8x8 --link-bandwidth 12.5\n  heddle network compare --topologies fat-tree:4^6 --patterns uniform,nearest"
    )]
    Compare(CompareArgs),
    /// Search for a better mapping and write its map file
    #[command(
        after_help = "Example:\n  heddle network optimize run/traces.otf2 --topology 8x8x8 --ranks-per-node 4 -o better.map"
    )]
    Optimize(OptimizeArgs),
}

/// What these commands share.
#[derive(Debug, Args)]
pub(crate) struct TrafficArgs {
    /// A trace, or a store; none for a --pattern
    #[arg(value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    /// Window of time, for instance 1.2s:1.5s, 300ms: or :40us
    #[arg(long, value_name = "A:B", value_parser = units::time_window)]
    pub(crate) time: Option<(Option<i64>, Option<i64>)>,
    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    pub(crate) traffic: TrafficArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) traffic: TrafficArgs,
    /// Mappings to compare, separated by semicolons [default: TXYZ;XYZT;tile;tiltZ;tiltZY in three dimensions]
    #[arg(long, value_name = "NAMES", default_value = "", hide_default_value = true)]
    pub(crate) mappings: String,
    /// Instead of mappings compare machines: shapes or files, separated by commas
    #[arg(long, value_name = "A,B", default_value = "", hide_default_value = true, conflicts_with = "mappings")]
    pub(crate) topologies: String,
    /// Instead of mappings compare patterns, for instance uniform,nearest
    #[arg(long, value_name = "A,B", default_value = "", hide_default_value = true, conflicts_with = "mappings")]
    pub(crate) patterns: String,
    /// Also draw them side by side: FIG.png, FIG.svg or FIG.pdf
    #[arg(short, long, value_name = "FIG")]
    pub(crate) output: Option<PathBuf>,
}

/// Names separated by commas.
pub(crate) fn names(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// What a search makes small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ObjectiveArg {
    /// The load of the fullest link
    Max,
    /// Bytes times hops
    HopBytes,
}

#[derive(Debug, Args)]
pub(crate) struct OptimizeArgs {
    #[command(flatten)]
    pub(crate) traffic: TrafficArgs,
    /// Swaps of two ranks to try after all rules
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(crate) swaps: u64,
    /// Where chance begins
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// What to make small
    #[arg(long, value_name = "WHAT", default_value = "max")]
    pub(crate) objective: ObjectiveArg,
    /// The map file to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
