//! The spans of a location that a window of time sees: those that begin in it, and those around its beginning.

use std::ops::Range;

use heddle_model::{Ns, RegionId};

use super::depths::DepthIndex;
use super::stretches::{Stretch, Stretches};
use crate::Store;
use crate::tables::SpanTable;

/// Rows of the spans table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpansInSight {
    /// Spans that began before the window and reach into it, the outermost first.
    pub around: Vec<u64>,
    /// Spans that begin in the window.
    pub inside: Range<u64>,
}

impl SpansInSight {
    /// Those of one location, whose spans are `rows`.
    pub fn of(spans: &SpanTable, depths: &DepthIndex, rows: Range<u64>, time: (Ns, Ns)) -> SpansInSight {
        let inside = SpansInSight::beginning_in(spans, rows.clone(), time);
        let mut around = Vec::new();
        let mut at = Some(inside.start).filter(|first| *first > rows.start).map(|first| first - 1);
        while let Some(row) = at {
            if spans.end.get(row) > time.0 {
                around.push(row);
            }
            at = SpansInSight::parent(spans, depths, &rows, row);
        }
        around.reverse();
        SpansInSight { around, inside }
    }

    /// The rows of the spans that begin in the window.
    pub fn beginning_in(spans: &SpanTable, rows: Range<u64>, time: (Ns, Ns)) -> Range<u64> {
        spans.start.rows_between(rows, time)
    }

    /// The caller of a span of a location, whose spans are `rows`.
    pub fn parent(spans: &SpanTable, depths: &DepthIndex, rows: &Range<u64>, span: u64) -> Option<u64> {
        SpansInSight::parent_from(spans, depths, rows, rows.start, span)
    }

    /// The same if it is not before a row.
    pub fn parent_from(spans: &SpanTable, depths: &DepthIndex, rows: &Range<u64>, from: u64, span: u64) -> Option<u64> {
        let depth = spans.depth.get(span).checked_sub(1)?;
        // Most programs are one function from beginning to end: nobody needs to look for that.
        if depth == 0 && rows.start < span && spans.end.get(rows.start) > spans.start.get(span) {
            return (from <= rows.start).then_some(rows.start);
        }
        depths.last_at_most(from..span, depth, &spans.depth)
    }

    /// All rows, in the order their spans were entered.
    pub fn rows(self) -> impl Iterator<Item = u64> {
        self.around.into_iter().chain(self.inside)
    }

    /// Calls `visit` for every stretch of them whose region is `wanted`.
    pub fn for_each_stretch(self, store: &Store, wanted: impl Fn(RegionId) -> bool, visit: impl FnMut(Stretch)) {
        self.for_each_stretch_of(&store.spans, wanted, visit);
    }

    pub(crate) fn for_each_stretch_of(
        self,
        spans: &SpanTable,
        wanted: impl Fn(RegionId) -> bool,
        visit: impl FnMut(Stretch),
    ) {
        let mut stretches = Stretches::new(visit);
        for row in self.around {
            let region = spans.region.get(row);
            if wanted(region) {
                stretches.feed(spans.start.get(row), spans.end.get(row), region);
            }
        }
        stretches.feed_rows(spans, self.inside, &wanted);
        stretches.finish();
    }
}
