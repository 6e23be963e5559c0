//! A location's time, cut where the innermost span changes.
//!
//! Adding up whole spans would count a nested call twice. Stretches do not overlap: at every moment at
//! most one region is innermost, so their durations add up to the time that was really spent.

use std::ops::Range;

use heddle_model::{Ns, RegionId};

use crate::block::Columns;
use crate::tables::SpanTable;

/// A stretch of time whose innermost span, of those asked for, is in `region`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The region.
    pub region: RegionId,
    /// When it begins.
    pub start: Ns,
    /// When it ends.
    pub end: Ns,
    /// Duration of the whole span that the stretch is a piece of.
    pub span_ns: i64,
}

/// Cuts the spans of one location, which must be fed in the order they were entered, into stretches.
///
/// Fed by hand rather than from an iterator: the loops that build indexes run over blocks of columns, and
/// that is what makes them fast.
pub struct Stretches<V: FnMut(Stretch)> {
    open: Vec<Stretch>,
    reached: Ns,
    visit: V,
}

impl<V: FnMut(Stretch)> Stretches<V> {
    /// Calls `visit` for every stretch, in order of time. Empty ones are left out.
    pub fn new(visit: V) -> Stretches<V> {
        Stretches { open: Vec::new(), reached: Ns(0), visit }
    }

    /// The next span.
    #[inline]
    pub fn feed(&mut self, start: Ns, end: Ns, region: RegionId) {
        while let Some(top) = self.open.last().copied().filter(|top| top.end <= start) {
            self.until(&top, top.end);
            self.open.pop();
        }
        match self.open.last().copied() {
            Some(around) => self.until(&around, start),
            None => self.reached = self.reached.max(start),
        }
        self.open.push(Stretch { region, start, end, span_ns: end.since(start) });
    }

    /// Feeds some rows of the table, those of regions for which `wanted` holds.
    pub fn feed_rows(&mut self, spans: &SpanTable, rows: Range<u64>, wanted: impl Fn(RegionId) -> bool) {
        (&spans.start, &spans.end, &spans.region).for_each(rows, |(start, end, region)| {
            if wanted(region) {
                self.feed(start, end, region);
            }
        });
    }

    /// There are no more spans.
    pub fn finish(mut self) {
        while let Some(top) = self.open.pop() {
            self.until(&top, top.end);
        }
    }

    #[inline]
    fn until(&mut self, stretch: &Stretch, end: Ns) {
        if end > self.reached {
            (self.visit)(Stretch { start: self.reached, end, ..*stretch });
            self.reached = end;
        }
    }
}
