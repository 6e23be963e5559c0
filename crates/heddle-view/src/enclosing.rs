//! The spans of a location that a window of time sees: those that begin in it, and those around its beginning.

use std::ops::Range;

use heddle_model::{LocationId, Ns, RegionId};
use heddle_store::Store;
use heddle_store::index::{Stretch, Stretches};

/// Rows of the spans table.
pub(crate) struct SpansInSight {
    /// Spans that began before the window and reach into it, the outermost first.
    pub(crate) around: Vec<u64>,
    /// Spans that begin in the window.
    pub(crate) inside: Range<u64>,
}

impl SpansInSight {
    /// All rows, in the order their spans were entered.
    pub(crate) fn rows(self) -> impl Iterator<Item = u64> {
        self.around.into_iter().chain(self.inside)
    }

    /// How many.
    pub(crate) fn len(&self) -> u64 {
        self.around.len() as u64 + self.inside.end - self.inside.start
    }

    /// Calls `visit` for every stretch of them whose region is `wanted`.
    pub(crate) fn for_each_stretch(self, store: &Store, wanted: impl Fn(RegionId) -> bool, visit: impl FnMut(Stretch)) {
        let mut stretches = Stretches::new(visit);
        for row in self.around {
            stretches.feed_rows(&store.spans, row..row + 1, &wanted);
        }
        stretches.feed_rows(&store.spans, self.inside, &wanted);
        stretches.finish();
    }
}

/// Finds them: the first that begins in the window by bisection, those around it by walking back to ever
/// smaller depths.
pub(crate) fn spans_in(store: &Store, location: LocationId, time: (Ns, Ns)) -> SpansInSight {
    let rows = store.spans_of(location);
    let spans = &store.spans;
    let first = spans.start.partition_point(rows.clone(), |start| start < time.0);
    let last = spans.start.partition_point(first..rows.end, |start| start < time.1);
    let mut around = Vec::new();
    let mut deepest = u16::MAX;
    let mut row = first;
    while row > rows.start && deepest > 0 {
        row -= 1;
        let depth = spans.depth.get(row);
        if depth < deepest {
            deepest = depth;
            if spans.end.get(row) > time.0 {
                around.push(row);
            }
        }
    }
    around.reverse();
    SpansInSight { around, inside: first..last }
}
