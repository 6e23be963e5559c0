//! What the values of a column must lie within: ids in the table that they point to, times where sums of them fit.
//!
//! A checksum tells what is not as it was written. A file that somebody made up has right ones, and a value beyond its limits
//! would lead out of some table. So limits are part of what is checked when a block is first touched, and everything behind
//! may rely on them. For most blocks line and width say enough, and nothing is unpacked.

use heddle_model::Ns;

/// The least and the largest value there may be, and whether a value may be missing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// As numbers of the column's type.
    least: i128,
    most: i128,
    /// The word of a missing value, if there may be any.
    none: Option<u64>,
    /// Bits of the column's type.
    mask: u64,
    is_signed: bool,
    /// Differences to the other column that are no reason to look at values.
    differences: Option<(i64, i64)>,
    /// No value may be less than that of the other column.
    is_ordered: bool,
}

impl Limits {
    /// Ids of a table with so many rows. `all` has the bits of the type.
    pub(crate) fn below(rows: u64, all: u64, none: Option<u64>) -> Limits {
        let most = i128::from(rows) - 1;
        Limits { least: 0, most, none, mask: all, is_signed: false, differences: None, is_ordered: false }
    }

    /// Times from the first event on. Those that are kept as differences may lie as far again from the others.
    pub(crate) fn times(none: Option<u64>) -> Limits {
        Limits {
            least: 0,
            most: i128::from(Ns::MAX.0),
            none,
            mask: u64::MAX,
            is_signed: true,
            differences: Some((-Ns::MAX.0, Ns::MAX.0)),
            is_ordered: false,
        }
    }

    /// Times that are never before those of the column that they may be differences to.
    pub(crate) fn later_times() -> Limits {
        Limits {
            differences: Some((0, Ns::MAX.0)),
            is_ordered: true,
            most: 2 * i128::from(Ns::MAX.0),
            ..Limits::times(None)
        }
    }

    /// The word of a missing value, if there may be any.
    pub(super) fn none(&self) -> Option<u64> {
        self.none
    }

    /// Whether what a damaged block reads as is within them.
    pub(crate) fn allow_damage(&self) -> bool {
        self.none.is_some() || self.has(0, 0)
    }

    fn number(&self, word: u64) -> i128 {
        if self.is_signed { i128::from(word.cast_signed()) } else { i128::from(word & self.mask) }
    }

    pub(super) fn is_ordered(&self) -> bool {
        self.is_ordered
    }

    pub(super) fn are_for_differences(&self) -> bool {
        self.differences.is_some()
    }

    /// Whether a value may be there beside that of the other column.
    pub(crate) fn has(&self, word: u64, other: u64) -> bool {
        let number = self.number(word);
        self.none.is_some_and(|none| word & self.mask == none)
            || ((self.least..=self.most).contains(&number) && (!self.is_ordered || number >= self.number(other)))
    }

    /// Whether a difference may be there.
    pub(super) fn has_difference(&self, word: u64) -> bool {
        self.none == Some(word)
            || self.differences.is_some_and(|(least, most)| (least..=most).contains(&word.cast_signed()))
    }

    /// Whether all values, or all differences, between these two may be there: both ends included, the first one as a word.
    pub(super) fn hold(&self, (first, extent): (u64, u64), are_differences: bool) -> bool {
        let between = |number: i128, (least, most): (i128, i128)| {
            number >= least && number.checked_add(i128::from(extent)).is_some_and(|last| last <= most)
        };
        match (are_differences, self.differences) {
            (true, Some((least, most))) => {
                between(i128::from(first.cast_signed()), (i128::from(least), i128::from(most)))
            }
            (true, None) => false,
            (false, _) => {
                let number = if self.is_signed { i128::from(first.cast_signed()) } else { i128::from(first) };
                !self.is_ordered && between(number, (self.least, self.most))
            }
        }
    }
}
