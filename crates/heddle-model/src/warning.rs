//! What was odd about a trace: counted by kind, with the first place it was met.
//!
//! Traces cut short by a crash or recorded with skewed clocks are normal in this field. A reader goes
//! on and says here what it did; millions of the same oddity are one line with a count.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Kinds of oddity. The names are part of `info --json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarningKind {
    /// Definitions, perhaps, but not a single event.
    Empty,
    /// A file ends in the middle: the run was killed, or the copy was.
    Truncated,
    /// Bytes that make no sense: what follows in that file or chunk was not read.
    Corrupt,
    /// A file that should be there is not, or cannot be read.
    MissingFile,
    /// An id that nothing defines.
    UndefinedReference,
    /// Definitions that contradict each other; the last one is used.
    DuplicateDefinition,
    /// Records of kinds that a newer writer has added.
    UnknownRecords,
    /// Records that were read but that nothing shows yet.
    UnusedRecords,
    /// Times that fall within a location; they were raised to the one before.
    TimeFalls,
    /// Leaves that close regions entered after theirs: crossing, not nesting.
    CrossingRegions,
    /// Leaves of regions that are not open.
    StrayLeaves,
    /// Regions still open at the end of their location.
    OpenRegions,
    /// Messages that arrive before they are sent: clocks are not aligned.
    ReceiveBeforeSend,
    /// Sends without a receive.
    UnmatchedSends,
    /// Receives without a send, and posted receives that never complete.
    UnmatchedReceives,
    /// Non-blocking operations whose end was never recorded.
    OpenRequests,
    /// Partners that are not members of the communicator.
    PartnerOutsideCommunicator,
    /// Matched messages whose two ends give different lengths.
    LengthMismatch,
    /// Collectives with missing members, or whose members disagree.
    DoubtfulCollectives,
    /// Collectives that begin and never end.
    OpenCollectives,
    /// Counters with values that cannot be; they are kept, and left out of ranges.
    ImpossibleValues,
    /// Something that the trace does not say and that had to be assumed.
    Assumed,
}

impl WarningKind {
    /// The name used in `info --json` and in the store.
    pub fn name(self) -> String {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::String(name)) => name,
            _ => String::new(),
        }
    }

    /// The inverse of [`WarningKind::name`].
    pub fn from_name(name: &str) -> Option<WarningKind> {
        serde_json::from_value(serde_json::Value::String(name.to_owned())).ok()
    }
}

/// One kind of oddity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// What kind.
    pub kind: WarningKind,
    /// How often.
    pub count: u64,
    /// Where it was first met: file and byte, or location.
    #[serde(rename = "where")]
    pub place: String,
    /// What happened and what was done about it, for a person.
    pub text: String,
}

/// A collection of oddities, one entry for each kind and text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings {
    by_kind: BTreeMap<(WarningKind, String), (u64, String)>,
}

impl Warnings {
    /// Counts one oddity. Only the first `place` of each is kept.
    pub fn add(&mut self, kind: WarningKind, place: impl FnOnce() -> String, text: &str) {
        self.add_many(kind, 1, place, text);
    }

    /// Counts `count` of them; none is no entry.
    pub fn add_many(&mut self, kind: WarningKind, count: u64, place: impl FnOnce() -> String, text: &str) {
        if count == 0 {
            return;
        }
        if let Some(entry) = self.by_kind.get_mut(&(kind, text.to_owned())) {
            entry.0 += count;
        } else {
            self.by_kind.insert((kind, text.to_owned()), (count, place()));
        }
    }

    /// Adds what another collection has seen after this one.
    pub fn merge(&mut self, later: &Warnings) {
        for ((kind, text), (count, place)) in &later.by_kind {
            self.add_many(*kind, *count, || place.clone(), text);
        }
    }

    /// Whether nothing was odd.
    pub fn is_empty(&self) -> bool {
        self.by_kind.is_empty()
    }

    /// How many of a kind were met.
    pub fn count(&self, kind: WarningKind) -> u64 {
        self.by_kind.iter().filter(|((k, _), _)| *k == kind).map(|(_, (count, _))| count).sum()
    }

    /// All of them, by kind.
    pub fn to_vec(&self) -> Vec<Warning> {
        self.by_kind
            .iter()
            .map(|((kind, text), (count, place))| Warning {
                kind: *kind,
                count: *count,
                place: place.clone(),
                text: text.clone(),
            })
            .collect()
    }
}
