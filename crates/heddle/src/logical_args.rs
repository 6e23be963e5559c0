//! Options that decide phases and steps: the same for every command that shows them.

use clap::Args as ClapArgs;

use heddle_logical::extract::{phase_function, size};
use heddle_logical::{Logical, LogicalOptions, Stepping};
use heddle_store::{Progress, Store};

use crate::commands::Usage;

/// Ends of messages and members of collectives up to which logical time is computed in a moment: some seconds.
const QUICK: u64 = 5_000_000;

#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "Options of logical time")]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct LogicalArgs {
    /// Events with one caller need not belong together
    #[arg(long)]
    no_common_caller: bool,
    /// Sends need not belong together up to the call that waits for them
    #[arg(long)]
    no_wait_all: bool,
    /// Consecutive `MPI_Isend` are events of their own
    #[arg(long)]
    no_coalesce_isends: bool,
    /// Merge phases side by side until each covers all ranks
    #[arg(long)]
    leap_merge: bool,
    /// With --leap-merge: leave what cannot be completed as it is
    #[arg(long)]
    leap_skip: bool,
    /// Only messages of the same length at both ends join phases
    #[arg(long)]
    same_size: bool,
    /// Phases whose steps overlap count as one for phase lateness
    #[arg(long)]
    merge_overlapping: bool,
    /// Do not join collectives with what stands around them
    #[arg(long)]
    collective_borders: bool,
    /// How steps are given: sends-first (the default) aligns sends and fits receives in, earliest takes every event as
    /// early as possible
    #[arg(long, value_name = "HOW", value_parser = stepping)]
    stepping: Option<Stepping>,
    /// Phases begin where this function is entered: the one with the shortest name that contains NAME
    #[arg(long, value_name = "NAME")]
    phase_function: Option<String>,
}

impl LogicalArgs {
    /// The first option that was given, by name.
    pub(crate) fn given(&self) -> Option<&'static str> {
        [
            (self.no_common_caller, "--no-common-caller"),
            (self.no_wait_all, "--no-wait-all"),
            (self.no_coalesce_isends, "--no-coalesce-isends"),
            (self.leap_merge, "--leap-merge"),
            (self.leap_skip, "--leap-skip"),
            (self.same_size, "--same-size"),
            (self.merge_overlapping, "--merge-overlapping"),
            (self.collective_borders, "--collective-borders"),
            (self.stepping.is_some(), "--stepping"),
            (self.phase_function.is_some(), "--phase-function"),
        ]
        .into_iter()
        .find_map(|(is_given, name)| is_given.then_some(name))
    }

    /// All of them.
    pub(crate) fn options(&self) -> LogicalOptions {
        LogicalOptions {
            common_caller: !self.no_common_caller,
            wait_all: !self.no_wait_all,
            coalesce_isends: !self.no_coalesce_isends,
            leap_merge: self.leap_merge,
            leap_skip: self.leap_skip,
            same_size: self.same_size,
            merge_overlapping: self.merge_overlapping,
            collective_borders: self.collective_borders,
            stepping: self.stepping.unwrap_or_default(),
            phase_function: self.phase_function.clone(),
        }
    }

    /// The options, after a look whether they fit a trace.
    fn checked(&self, store: &Store) -> anyhow::Result<LogicalOptions> {
        if self.leap_skip && !self.leap_merge {
            return Err(Usage("--leap-skip says how --leap-merge goes on: give both".to_owned()).into());
        }
        if let Some(name) = &self.phase_function {
            phase_function(store, name).map_err(|error| Usage(format!("--phase-function: {error}")))?;
        }
        Ok(self.options())
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

fn stepping(word: &str) -> Result<Stepping, String> {
    let found = Stepping::WORDS.iter().find(|(name, _)| *name == word).map(|(_, stepping)| *stepping);
    found.ok_or_else(|| format!("there is {}", Stepping::WORDS.map(|(name, _)| name).join(" and ")))
}
