//! The parameters of `heddle simulate merge-tree`.

use clap::{Args as ClapArgs, ValueEnum};

use heddle_simulate::{Machine, MergeTree, MergeTreeOptions, MergeTreeOrder, SimulateError, Simulation, simulate};

use super::{SimulatedProgram, US, microseconds};

const EXAMPLES: &str = "Examples:\n  heddle simulate merge-tree --ranks 1024 -o original.heddle\n  heddle simulate merge-tree --ranks 1024 --order improved -o improved.heddle";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MergeTreeArgs {
    /// Number of ranks
    #[arg(long, value_name = "N", default_value_t = MergeTreeOptions::default().ranks)]
    ranks: u32,
    /// How many trees are merged into one at each level
    #[arg(long, value_name = "K", default_value_t = MergeTreeOptions::default().arity)]
    arity: u32,
    /// How often trees are computed, each time from new data
    #[arg(long, value_name = "N", default_value_t = MergeTreeOptions::default().rounds)]
    rounds: u32,
    /// In which order a rank sends
    #[arg(long, value_enum, default_value_t = MergeTreeOrderArg::Original)]
    order: MergeTreeOrderArg,
    /// Least time to compute a local tree, in microseconds
    #[arg(long, value_name = "US", default_value_t = MergeTreeOptions::default().compute_ns / US)]
    compute: u64,
    /// How much longer the worst local tree takes; 1 doubles it
    #[arg(long, value_name = "SHARE", default_value_t = MergeTreeOptions::default().imbalance)]
    imbalance: f64,
    /// Mean time to merge the trees of one level, in microseconds
    #[arg(long, value_name = "US", default_value_t = MergeTreeOptions::default().merge_ns / US)]
    merge: u64,
    /// Mean time to integrate a result from above, in microseconds
    #[arg(long, value_name = "US", default_value_t = MergeTreeOptions::default().integrate_ns / US)]
    integrate: u64,
    /// Bytes of a tree on its way up or down
    #[arg(long, value_name = "BYTES", default_value_t = MergeTreeOptions::default().bytes)]
    bytes: u64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MergeTreeOrderArg {
    /// Leaves first, the way up last: inner ranks wait
    Original,
    /// The way up first, leaves last
    Improved,
}

impl SimulatedProgram for MergeTreeArgs {
    fn simulate(&self, machine: &Machine) -> Result<Simulation, SimulateError> {
        let options = MergeTreeOptions {
            ranks: self.ranks,
            arity: self.arity,
            rounds: self.rounds,
            order: match self.order {
                MergeTreeOrderArg::Original => MergeTreeOrder::Original,
                MergeTreeOrderArg::Improved => MergeTreeOrder::Improved,
            },
            compute_ns: microseconds(self.compute),
            imbalance: self.imbalance,
            merge_ns: microseconds(self.merge),
            integrate_ns: microseconds(self.integrate),
            bytes: self.bytes,
            seed: machine.seed,
        };
        simulate(MergeTree::new(&options)?, machine)
    }
}
