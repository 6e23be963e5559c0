//! The spans of a location that a window of time sees, and how spans are called by each other.

use std::ops::Range;

use heddle_model::{LocationId, Ns, SpanRow};
use heddle_store::Store;
pub(crate) use heddle_store::index::SpansInSight;

/// The rows of the spans that begin in the window.
pub(crate) fn beginning_in(store: &Store, location: LocationId, time: (Ns, Ns)) -> Range<u64> {
    SpansInSight::beginning_in(&store.spans, store.spans_of(location), time)
}

/// Those, and the ones around them: callers of callers of whatever came last before the window.
pub(crate) fn spans_in(store: &Store, location: LocationId, time: (Ns, Ns)) -> SpansInSight {
    SpansInSight::of(&store.spans, &store.depths, store.spans_of(location), time)
}

/// The caller of a span.
pub(crate) fn parent(store: &Store, span: u64) -> Option<u64> {
    let rows = store.spans_of(store.locations.of_span(SpanRow(span)));
    SpansInSight::parent(&store.spans, &store.depths, &rows, span)
}

/// The calls made by a span itself, in order.
pub(crate) fn children(store: &Store, span: u64) -> impl Iterator<Item = u64> + '_ {
    let depths = &store.spans.depth;
    let depth = depths.get(span);
    let end = store.spans_of(store.locations.of_span(SpanRow(span))).end;
    let next = move |after: u64| {
        store.depths.first_at_most(after + 1..end, depth + 1, depths).filter(|row| depths.get(*row) > depth)
    };
    std::iter::successors(next(span), move |row| next(*row))
}
