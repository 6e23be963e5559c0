//! Neighbours of a call on its own level, so that whoever steps through calls does not end up in their callers.

use std::ops::Range;

use heddle_store::Store;

/// The calls of a location that one call is stepped through with.
///
/// A call that communicates and calls nothing is one of all such calls, wherever they were made: libraries call from
/// different depths. Any other call is one of those of its depth.
pub(crate) struct Level<'a> {
    store: &'a Store,
    span: u64,
    end: u64,
    depth: u16,
    /// For each region whether it communicates, if calls are alike by that.
    communication: Option<Vec<bool>>,
}

impl<'a> Level<'a> {
    /// The level of a call among the spans of its location.
    pub(crate) fn of(store: &'a Store, span: u64, rows: &Range<u64>) -> Level<'a> {
        let depth = store.spans.depth.get(span);
        let mut level = Level { store, span, end: rows.end, depth, communication: None };
        if level.calls_nothing(span) && store.regions.communicates(store.spans.region.get(span)) {
            level.communication = store.regions.communication();
        }
        level
    }

    /// The last call of the level before it, not before `first`.
    pub(crate) fn previous(&self, first: u64) -> Option<u64> {
        if self.communication.is_some() {
            return (first..self.span).rev().find(|row| self.is_alike(*row));
        }
        let depths = &self.store.spans.depth;
        let before = |row: u64| self.store.depths.last_at_most(first..row, self.depth, depths);
        std::iter::successors(before(self.span), |row| before(*row)).find(|row| depths.get(*row) == self.depth)
    }

    /// The first call of the level after it, before `end`.
    pub(crate) fn next(&self, end: u64) -> Option<u64> {
        if self.communication.is_some() {
            return (self.span + 1..end).find(|row| self.is_alike(*row));
        }
        let depths = &self.store.spans.depth;
        let after = |row: u64| self.store.depths.first_at_most(row + 1..end, self.depth, depths);
        std::iter::successors(after(self.span), |row| after(*row)).find(|row| depths.get(*row) == self.depth)
    }

    fn is_alike(&self, row: u64) -> bool {
        let region = self.store.spans.region.get(row).0 as usize;
        let communicates = self.communication.as_ref().and_then(|all| all.get(region)).copied();
        communicates == Some(true) && self.calls_nothing(row)
    }

    fn calls_nothing(&self, row: u64) -> bool {
        let depths = &self.store.spans.depth;
        row + 1 >= self.end || depths.get(row + 1) <= depths.get(row)
    }
}
