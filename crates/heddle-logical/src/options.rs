//! What decides phases and steps.

use heddle_options::{Options, Words, options};

/// How steps are given to the events of a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stepping {
    /// Sends and collectives are aligned first, receives are fitted in: patterns stay recognisable.
    #[default]
    SendsFirst,
    /// Every event as early as its predecessors allow.
    Earliest,
}

impl Words for Stepping {
    const WORDS: &'static [(&'static str, Stepping)] =
        &[("sends-first", Stepping::SendsFirst), ("earliest", Stepping::Earliest)];
}

options! {
    /// What decides phases and steps. The same options give the same result.
    #[derive(Eq, Hash)]
    pub struct LogicalOptions {
        /// Put consecutive events with the same caller into one phase; the outermost region never counts as a caller
        "common-caller" ("Same caller, same phase") common_caller: bool = true,
        /// Put sends into one phase up to the call that waits for them
        "wait-all" ("Sends until their wait, one phase") wait_all: bool = true,
        /// Treat consecutive MPI_Isend calls as one event
        "coalesce-isends" ("MPI_Isend in a row, one event") coalesce_isends: bool = true,
        /// Merge neighbouring phases until each covers all ranks, as far as possible
        "leap-merge" ("Grow phases to all ranks") leap_merge: bool = false,
        /// With --leap-merge: leave what cannot be completed as it is
        "leap-skip" ("Leave those that cannot grow") leap_skip: bool = false,
        /// Let only messages whose two ends name the same length join phases
        "same-size" ("Join by equal lengths only") same_size: bool = false,
        /// Count phases whose steps overlap as one for phase lateness
        "merge-overlapping" ("Overlapping phases count as one") merge_overlapping: bool = false,
        /// Never join collectives with what stands around them
        "collective-borders" ("Collectives stand alone") collective_borders: bool = false,
        /// How steps are given: sends-first aligns sends and fits receives in, earliest takes every event as early as possible
        "stepping" ("Steps") stepping: Stepping = Stepping::SendsFirst,
        /// Begin a phase wherever this function is entered: the one with the shortest name that contains NAME
        "phase-function" ("Phases begin with function") phase_function: Option<String> = None,
    }
}

impl LogicalOptions {
    /// What differs from the default, as in a link: `leap-merge=1&stepping=earliest`. Names of functions stand last and as
    /// they are.
    pub fn to_query(&self) -> String {
        let words = self.given().into_iter().map(|(name, text)| format!("{name}={text}"));
        words.collect::<Vec<_>>().join("&")
    }
}
