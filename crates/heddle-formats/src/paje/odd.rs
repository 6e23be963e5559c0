//! Oddities of what the lines say, counted with the line where each was first met.

use heddle_model::{WarningKind, Warnings};

/// What can be odd about events that are well written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Oddity {
    UndefinedContainer,
    UndefinedType,
    WrongType,
    AliasAgain,
    UndefinedParent,
    TimeFalls,
    StrayPop,
    OpenAtEnd,
    TaskTwin,
    RepeatedState,
    Topology,
    UserField,
    Included,
    LinksWaiting,
    LinksOverflow,
    BadKey,
    ShortRow,
    Overlap,
}

const COUNT: usize = 18;

const DESCRIPTIONS: [(WarningKind, &str); COUNT] = [
    (WarningKind::UndefinedReference, "events of containers that nothing creates were left out"),
    (WarningKind::UndefinedReference, "events of types that nothing defines were left out"),
    (
        WarningKind::UndefinedReference,
        "events whose type is of another kind, such as a state set on a variable, were left out",
    ),
    (WarningKind::DuplicateDefinition, "an alias is given to something else; from there on it means the new thing"),
    (
        WarningKind::UndefinedReference,
        "containers or types below something that nothing defines were put below the root",
    ),
    (WarningKind::TimeFalls, "times go backwards within a row; they were raised to the time before"),
    (WarningKind::StrayLeaves, "states end that have not begun; these ends were dropped"),
    (WarningKind::OpenRegions, "states were still open at the end; they end with the trace"),
    (
        WarningKind::UnusedRecords,
        "a task's state is set twice at the same instant, first without its fields; the two are one span",
    ),
    (WarningKind::UnusedRecords, "states by scheduling context repeat those of the workers and were left out"),
    (WarningKind::UnusedRecords, "links that describe the platform's topology are not messages and were left out"),
    (WarningKind::UnusedRecords, "fields beside the standard ones were left out"),
    (WarningKind::MissingFile, "the trace includes other files, which were not read; open them on their own"),
    (
        WarningKind::UnusedRecords,
        "links waited for their other end longer than memory allows; both ends are shown as unmatched",
    ),
    (
        WarningKind::TimeFalls,
        "more links than fit in memory for sorting; their times were raised where they go backwards",
    ),
    (WarningKind::UndefinedReference, "messages whose key does not name two ranks and a tag were kept as unmatched"),
    (WarningKind::Corrupt, "rows with too few columns, or times that are not numbers, were left out"),
    (
        WarningKind::CrossingRegions,
        "states overlap within a row; the later one begins where the earlier one ends, or lies inside of it",
    ),
];

/// Counts by oddity.
#[derive(Debug, Default)]
pub(super) struct Oddities {
    counts: [u64; COUNT],
    first_line: [u64; COUNT],
    /// The line that is being applied.
    pub(super) line: u64,
}

impl Oddities {
    #[inline]
    pub(super) fn count(&mut self, oddity: Oddity) {
        self.count_many(oddity, 1);
    }

    pub(super) fn count_many(&mut self, oddity: Oddity, many: u64) {
        let at = oddity as usize;
        if self.counts[at] == 0 {
            self.first_line[at] = self.line;
        }
        self.counts[at] += many;
    }

    /// Says all of them and begins anew: another file has lines of its own.
    pub(super) fn report_and_forget(&mut self, name: &str, warnings: &mut Warnings) {
        self.report(name, warnings);
        *self = Oddities { line: self.line, ..Oddities::default() };
    }

    /// Says all of them.
    pub(super) fn report(&self, name: &str, warnings: &mut Warnings) {
        for (at, (kind, text)) in DESCRIPTIONS.into_iter().enumerate() {
            warnings.add_many(kind, self.counts[at], || format!("{name}, line {}", self.first_line[at]), text);
        }
    }
}
