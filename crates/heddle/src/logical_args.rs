//! Options that decide phases, steps and clusters: the same for every command that shows them.

use heddle_logical::cluster::ClusterOptions;
use heddle_logical::extract::{phase_function, size};
use heddle_logical::{Logical, LogicalOptions, Metric};
use heddle_options::{OptionSpec, Options};
use heddle_store::{Progress, Store};
use heddle_view::MetricOptions;

use crate::commands::Usage;
use crate::option_args::{OptionArgs, OptionGroup};

/// Ends of messages and members of collectives up to which logical time is computed in a moment: some seconds.
const QUICK: u64 = 5_000_000;

/// Options of logical time.
#[derive(Clone, Copy)]
pub(crate) struct LogicalGroup;

impl OptionGroup for LogicalGroup {
    const HEADING: &'static str = "Options of logical time";

    fn specs() -> Vec<OptionSpec> {
        LogicalOptions::specs()
    }
}

pub(crate) type LogicalArgs = OptionArgs<LogicalGroup>;

/// Options that decide clusters, with the metric that ranks are compared by.
#[derive(Clone, Copy)]
pub(crate) struct ClusterGroup;

impl OptionGroup for ClusterGroup {
    const HEADING: &'static str = "Options of clusters";

    fn specs() -> Vec<OptionSpec> {
        let metric = MetricOptions::specs().into_iter().filter(|spec| spec.name == "metric");
        metric.chain(ClusterOptions::specs()).collect()
    }
}

pub(crate) type ClusterArgs = OptionArgs<ClusterGroup>;

impl ClusterArgs {
    /// The metric and how to cluster by it.
    pub(crate) fn checked(&self, store: &Store) -> Result<(Metric, ClusterOptions), Usage> {
        let metric = Metric::find(store, &self.options.read::<MetricOptions>()?.metric);
        Ok((metric.map_err(|error| Usage(format!("--metric: {error}")))?, self.options.read()?))
    }
}

/// Whether options of logical time make sense, and fit a trace.
pub(crate) fn check(store: &Store, options: &LogicalOptions) -> Result<(), Usage> {
    if options.leap_skip && !options.leap_merge {
        return Err(Usage("--leap-skip says how --leap-merge goes on: give both".to_owned()));
    }
    if let Some(name) = &options.phase_function {
        phase_function(store, name).map_err(|error| Usage(format!("--phase-function: {error}")))?;
    }
    Ok(())
}

impl LogicalArgs {
    fn checked(&self, store: &Store) -> Result<LogicalOptions, Usage> {
        let options = self.options.read()?;
        check(store, &options)?;
        Ok(options)
    }

    /// Logical time with these options, computed if it is not there.
    pub(crate) fn open(&self, store: &Store, progress: &dyn Progress) -> anyhow::Result<Logical> {
        Ok(Logical::open(store, &self.checked(store)?, progress)?)
    }

    /// The same if it is there or takes a moment only; `None` else, and for a trace without communication.
    pub(crate) fn open_if_quick(&self, store: &Store, progress: &dyn Progress) -> anyhow::Result<Option<Logical>> {
        let options = self.checked(store)?;
        let logical = match Logical::find(store, &options)? {
            Some(there) => Some(there),
            None if size(store) <= QUICK || self.given().is_some() => Some(Logical::open(store, &options, progress)?),
            None => None,
        };
        Ok(logical.filter(|logical| !logical.events.is_empty()))
    }
}
