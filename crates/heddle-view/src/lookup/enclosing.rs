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

/// The rows of the spans that begin in the window, by bisection.
pub(crate) fn beginning_in(store: &Store, location: LocationId, time: (Ns, Ns)) -> Range<u64> {
    let rows = store.spans_of(location);
    let first = store.spans.start.partition_point(rows.clone(), |start| start < time.0);
    first..store.spans.start.partition_point(first..rows.end, |start| start < time.1)
}

/// Those, and the ones around them: callers of callers of whatever came last before the window.
pub(crate) fn spans_in(store: &Store, location: LocationId, time: (Ns, Ns)) -> SpansInSight {
    let rows = store.spans_of(location);
    let inside = beginning_in(store, location, time);
    let mut around = Vec::new();
    let mut at = Some(inside.start).filter(|first| *first > rows.start).map(|first| first - 1);
    while let Some(row) = at {
        if store.spans.end.get(row) > time.0 {
            around.push(row);
        }
        at = parent(store, row);
    }
    around.reverse();
    SpansInSight { around, inside }
}

/// The caller of a span.
pub(crate) fn parent(store: &Store, span: u64) -> Option<u64> {
    let depth = store.spans.depth.get(span).checked_sub(1)?;
    // The first span of a location has depth 0, so the way back ends there at the latest.
    store.depths.last_at_most(0..span, depth, &store.spans.depth)
}

/// The calls made by a span itself, in order.
pub(crate) fn children(store: &Store, span: u64) -> impl Iterator<Item = u64> + '_ {
    let depths = &store.spans.depth;
    let depth = depths.get(span);
    let end = store.spans_of(store.locations.of_span(heddle_model::SpanRow(span))).end;
    let next = move |after: u64| {
        store.depths.first_at_most(after + 1..end, depth + 1, depths).filter(|row| depths.get(*row) > depth)
    };
    std::iter::successors(next(span), move |row| next(*row))
}
