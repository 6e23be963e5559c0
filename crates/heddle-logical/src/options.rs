//! What decides phases and steps.

/// How steps are given to the events of a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stepping {
    /// Sends and collectives are aligned first, receives are fitted in: patterns stay recognisable.
    #[default]
    SendsFirst,
    /// Every event as early as its predecessors allow.
    Earliest,
}

impl Stepping {
    /// Both, by their names on the command line and in addresses.
    pub const WORDS: [(&str, Stepping); 2] = [("sends-first", Stepping::SendsFirst), ("earliest", Stepping::Earliest)];
}

/// What decides phases and steps. The same options give the same result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LogicalOptions {
    /// Consecutive events with one caller belong together. The outermost region never counts as a caller.
    pub common_caller: bool,
    /// Sends belong together up to the call that waits for them.
    pub wait_all: bool,
    /// Consecutive `MPI_Isend` are one event.
    pub coalesce_isends: bool,
    /// Phases side by side are merged until each covers all ranks, as far as possible.
    pub leap_merge: bool,
    /// The same, but what cannot be completed is left as it is.
    pub leap_skip: bool,
    /// Only messages whose sender and receiver name the same length join phases.
    pub same_size: bool,
    /// Phases whose steps overlap count as one for phase lateness.
    pub merge_overlapping: bool,
    /// Collectives are not joined with what stands around them.
    pub collective_borders: bool,
    /// How steps are given.
    pub stepping: Stepping,
    /// Phases begin where a function is entered: the one with the shortest name that contains this.
    pub phase_function: Option<String>,
}

impl LogicalOptions {
    /// The switches by their names in addresses, with what they are unless told otherwise.
    fn switches(&self) -> [(&'static str, bool, bool); 8] {
        [
            ("common-caller", self.common_caller, true),
            ("wait-all", self.wait_all, true),
            ("coalesce-isends", self.coalesce_isends, true),
            ("leap-merge", self.leap_merge, false),
            ("leap-skip", self.leap_skip, false),
            ("same-size", self.same_size, false),
            ("merge-overlapping", self.merge_overlapping, false),
            ("collective-borders", self.collective_borders, false),
        ]
    }

    /// What differs from the default, as in an address: `leap-merge=1&stepping=earliest`. Names of functions stand last and
    /// as they are.
    pub fn to_query(&self) -> String {
        let switches = self.switches().into_iter().filter(|(_, is, otherwise)| is != otherwise);
        let mut words: Vec<String> = switches.map(|(name, is, _)| format!("{name}={}", u8::from(is))).collect();
        if self.stepping != Stepping::default() {
            let name = Stepping::WORDS.iter().find(|(_, stepping)| *stepping == self.stepping);
            words.extend(name.map(|(name, _)| format!("stepping={name}")));
        }
        words.extend(self.phase_function.as_ref().map(|name| format!("phase-function={name}")));
        words.join("&")
    }
}

impl Default for LogicalOptions {
    fn default() -> LogicalOptions {
        LogicalOptions {
            common_caller: true,
            wait_all: true,
            coalesce_isends: true,
            leap_merge: false,
            leap_skip: false,
            same_size: false,
            merge_overlapping: false,
            collective_borders: false,
            stepping: Stepping::SendsFirst,
            phase_function: None,
        }
    }
}
