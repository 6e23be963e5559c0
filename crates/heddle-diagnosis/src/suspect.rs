//! Who or what differs from its peers beyond chance.
//!
//! Detection compares like with like: visits of one function at the same place of the program, messages of one length between
//! ranks at one distance. What stands out becomes a [`Suspect`], whether or not anybody had to wait for it; whether it costs
//! anything is decided later, from delays and a replay.

use heddle_model::{LocationId, Ns, RegionId, SystemNodeId};

use crate::finding::FindingKind;

/// What suspects are together, where that is shorter than their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Group {
    /// All locations of a place in the system tree.
    Node(SystemNodeId),
    /// A row or a column of a process grid: ranks from `first` on, `count` of them, `stride` apart.
    Stride {
        /// The first rank.
        first: u32,
        /// The distance of neighbours.
        stride: u32,
        /// How many.
        count: u32,
    },
}

/// Where in the program: exclusive time of a function, or time between calls where only those are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The function whose time it is; `NONE` outside of all functions.
    pub region: RegionId,
    /// The communication call that follows, where the function has many stretches between such calls.
    pub before: Option<RegionId>,
}

/// Time that a location would not have taken, had it been as fast as its peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cut {
    /// Whose time.
    pub location: LocationId,
    /// It lies in this stretch.
    pub start: Ns,
    /// Its end.
    pub end: Ns,
    /// How much of the stretch is in excess.
    pub excess: i64,
}

/// Somebody who differs from peers beyond chance.
#[derive(Clone, Debug, PartialEq)]
pub struct Suspect {
    /// What it is suspected of.
    pub kind: FindingKind,
    /// Who, in the order of locations: those who are slow, or the ends of the pairs.
    pub locations: Vec<LocationId>,
    /// What they are together.
    pub group: Option<Group>,
    /// For links: which pairs, sender first, sorted.
    pub pairs: Vec<(LocationId, LocationId)>,
    /// Where in the program; for links the call that receives.
    pub place: Place,
    /// From when on.
    pub since: Ns,
    /// Until when.
    pub until: Ns,
    /// Whether that is the whole run, as far as visits go.
    pub is_throughout: bool,
    /// What a visit or message usually takes, in nanoseconds.
    pub usual: f64,
    /// What it takes here: the median; of a stall the longest; of a drift the last.
    pub found: f64,
    /// How many visits or messages that rests on.
    pub visits: u64,
    /// How many of them are in excess.
    pub slow_visits: u64,
    /// How far from its peers, in robust standard deviations.
    pub z: f64,
    /// For periodic ones, the distance in nanoseconds.
    pub period: Option<f64>,
    /// What to take away to make them like their peers, by location, then start. Of calls that communicate only what they do
    /// beyond waiting.
    pub cuts: Vec<Cut>,
}

impl Suspect {
    /// Something about a whole stretch of time, with nobody and nothing told of it yet.
    pub(crate) fn throughout(kind: FindingKind, (since, until): (Ns, Ns)) -> Suspect {
        Suspect {
            kind,
            locations: Vec::new(),
            group: None,
            pairs: Vec::new(),
            place: Place { region: RegionId::NONE, before: None },
            since,
            until,
            is_throughout: true,
            usual: 0.0,
            found: 0.0,
            visits: 0,
            slow_visits: 0,
            z: 0.0,
            period: None,
            cuts: Vec::new(),
        }
    }

    /// How many times longer than usual.
    pub fn factor(&self) -> f64 {
        if self.usual > 0.0 { self.found / self.usual } else { f64::INFINITY }
    }

    /// All time in excess, in nanoseconds.
    pub fn excess(&self) -> i64 {
        self.cuts.iter().map(|cut| cut.excess).sum()
    }
}
