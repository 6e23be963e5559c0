//! Options that decide phases, steps and clusters: the same for every command that shows them.

use clap::{ArgMatches, Args, Command, FromArgMatches};

use heddle_logical::cluster::ClusterOptions;
use heddle_logical::extract::{phase_function, size};
use heddle_logical::{Logical, LogicalOptions, Metric};
use heddle_options::{Given, OptionSpec, Options};
use heddle_store::{Progress, Store};
use heddle_view::MetricOptions;

use crate::commands::Usage;
use crate::option_args::{arguments, first_flag, given};

/// Ends of messages and members of collectives up to which logical time is computed in a moment: some seconds.
const QUICK: u64 = 5_000_000;

/// The options as they were given.
#[derive(Clone, Debug)]
pub(crate) struct LogicalArgs(Given);

impl Args for LogicalArgs {
    fn augment_args(command: Command) -> Command {
        command.args(arguments(&LogicalOptions::specs(), "Options of logical time"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        LogicalArgs::augment_args(command)
    }
}

impl FromArgMatches for LogicalArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<LogicalArgs, clap::Error> {
        Ok(LogicalArgs(given(&LogicalOptions::specs(), matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = LogicalArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Options that decide clusters, with the metric that ranks are compared by.
#[derive(Clone, Debug)]
pub(crate) struct ClusterArgs(Given);

impl ClusterArgs {
    fn specs() -> Vec<OptionSpec> {
        let metric = MetricOptions::specs().into_iter().filter(|spec| spec.name == "metric");
        metric.chain(ClusterOptions::specs()).collect()
    }

    /// The first option that was given, as it was typed.
    pub(crate) fn given(&self) -> Option<String> {
        first_flag(&ClusterArgs::specs(), &self.0)
    }

    /// The metric and how to cluster by it.
    pub(crate) fn checked(&self, store: &Store) -> Result<(Metric, ClusterOptions), Usage> {
        let metric = Metric::find(store, &self.0.read::<MetricOptions>()?.metric);
        Ok((metric.map_err(|error| Usage(format!("--metric: {error}")))?, self.0.read()?))
    }
}

impl Args for ClusterArgs {
    fn augment_args(command: Command) -> Command {
        command.args(arguments(&ClusterArgs::specs(), "Options of clusters"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        ClusterArgs::augment_args(command)
    }
}

impl FromArgMatches for ClusterArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ClusterArgs, clap::Error> {
        Ok(ClusterArgs(given(&ClusterArgs::specs(), matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = ClusterArgs::from_arg_matches(matches)?;
        Ok(())
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
    /// The first option that was given, as it was typed.
    pub(crate) fn given(&self) -> Option<String> {
        first_flag(&LogicalOptions::specs(), &self.0)
    }

    fn checked(&self, store: &Store) -> Result<LogicalOptions, Usage> {
        let options = self.0.read()?;
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
