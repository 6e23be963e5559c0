//! Where a function is called: the next call, the one before, the longest.
//!
//! Regions with few spans have a list of them. For the others every location is looked through from the moment asked
//! for, no further than the best that is known: what is common is found at once.

use std::sync::atomic::{AtomicI64, Ordering};

use rayon::prelude::*;

use heddle_model::{LocationId, Ns, RegionId, SpanRow};
use heddle_store::Store;
use heddle_store::index::RARE_SPANS;

use crate::questions::target::Target;
use crate::request::rows::Rows;
use crate::request::window::Window;

/// Which call of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The first that begins after a moment.
    Next,
    /// The last that begins before it.
    Previous,
    /// The longest of all.
    Longest,
}

/// Finds a call of a region among the locations in sight; after the last one comes the first again.
pub fn find(store: &Store, window: &Window, region: RegionId, from: Ns, direction: Direction) -> Option<Target> {
    if store.regions.count.get(u64::from(region.0)) == 0 {
        return None;
    }
    // On all ranks, whether or not they have rows of their own.
    let rows = Rows::of(store, &Window { rows: None, arranged: None, ..window.clone() });
    let search = Search { store, rows: &rows, region };
    let span = match direction {
        Direction::Next => search.next(from).or_else(|| search.next(Ns(-1))),
        Direction::Previous => search.previous(from).or_else(|| search.previous(Ns::MAX)),
        Direction::Longest => search.longest(),
    };
    span.map(|span| Target::of(store, window, span))
}

struct Search<'a> {
    store: &'a Store,
    rows: &'a Rows,
    region: RegionId,
}

impl Search<'_> {
    /// The spans of a rare region; none for the others.
    fn listed(&self) -> Option<Vec<SpanRow>> {
        if self.store.regions.count.get(u64::from(self.region.0)) > RARE_SPANS {
            return None;
        }
        let in_sight = |location: &LocationId| self.rows.row_of(*location).is_some();
        let spans = self.store.rare.spans();
        Some(
            spans
                .filter(|(region, _, location)| *region == self.region && in_sight(location))
                .map(|(_, span, _)| span)
                .collect(),
        )
    }

    fn start(&self, span: SpanRow) -> Ns {
        self.store.spans.start.get(span.0)
    }

    fn next(&self, after: Ns) -> Option<SpanRow> {
        if let Some(listed) = self.listed() {
            let later = listed.into_iter().filter(|span| self.start(*span) > after);
            return later.min_by_key(|span| (self.start(*span), *span));
        }
        let (spans, best) = (&self.store.spans, AtomicI64::new(i64::MAX));
        let first_of = |location: &LocationId| {
            let rows = self.store.spans_of(*location);
            let from = spans.start.partition_point(rows.clone(), |start| start <= after);
            for row in from..rows.end {
                let start = spans.start.get(row).0;
                if start > best.load(Ordering::Relaxed) {
                    return None;
                }
                if spans.region.get(row) == self.region {
                    best.fetch_min(start, Ordering::Relaxed);
                    return Some(SpanRow(row));
                }
            }
            None
        };
        self.rows.locations().par_iter().filter_map(first_of).min_by_key(|span| (self.start(*span), *span))
    }

    fn previous(&self, before: Ns) -> Option<SpanRow> {
        if let Some(listed) = self.listed() {
            let earlier = listed.into_iter().filter(|span| self.start(*span) < before);
            return earlier.max_by_key(|span| (self.start(*span), *span));
        }
        let (spans, best) = (&self.store.spans, AtomicI64::new(i64::MIN));
        let last_of = |location: &LocationId| {
            let rows = self.store.spans_of(*location);
            let until = spans.start.partition_point(rows.clone(), |start| start < before);
            for row in (rows.start..until).rev() {
                let start = spans.start.get(row).0;
                if start < best.load(Ordering::Relaxed) {
                    return None;
                }
                if spans.region.get(row) == self.region {
                    best.fetch_max(start, Ordering::Relaxed);
                    return Some(SpanRow(row));
                }
            }
            None
        };
        self.rows.locations().par_iter().filter_map(last_of).max_by_key(|span| (self.start(*span), *span))
    }

    fn longest(&self) -> Option<SpanRow> {
        let spans = &self.store.spans;
        let length = |span: &SpanRow| spans.end.get(span.0).since(spans.start.get(span.0));
        let key = |span: &SpanRow| (length(span), std::cmp::Reverse(*span));
        if let Some(listed) = self.listed() {
            return listed.into_iter().max_by_key(key);
        }
        let longest_of = |location: &LocationId| {
            let rows = self.store.spans_of(*location);
            let regions = spans.region.iter(rows.clone()).zip(rows);
            regions.filter(|(region, _)| *region == self.region).map(|(_, row)| SpanRow(row)).max_by_key(key)
        };
        self.rows.locations().par_iter().filter_map(longest_of).max_by_key(key)
    }
}
