//! Which locations are the rows of logical time: one for each rank.
//!
//! That is the rank's main location. Where that one has no communication but others of its rank do (streams of an
//! accelerator, threads that only communicate), the busiest of them takes its place. Without any ranks every location with
//! communication is a row.

use std::ops::Range;

use heddle_model::LocationId;
use heddle_store::{Column, Fixed, Store, pieces};
use rayon::prelude::*;

use super::rows_at_once;

/// No row.
pub(super) const NO_ROW: u32 = u32::MAX;

/// The rows, and which location is which.
#[derive(Debug)]
pub(crate) struct Rows {
    /// The location of each row.
    pub(crate) locations: Vec<LocationId>,
    row_of: Vec<u32>,
    /// Ranks whose main location is not their row.
    pub(super) replaced: u64,
    /// Ends of messages and collectives on locations that are no rows.
    pub(super) left_out: u64,
    /// Whether the trace has no ranks.
    pub(super) without_ranks: bool,
}

impl Rows {
    pub(super) fn of(store: &Store) -> Rows {
        let locations = store.locations.len();
        let mut ranks: Vec<(u32, bool, u64)> = (0..locations)
            .filter(|at| store.locations.rank.get(*at).is_some())
            .map(|at| (store.locations.rank.get(at).0, store.locations.is_main.get(at) != 1, at))
            .collect();
        ranks.sort_unstable();
        let only_mains = (0..locations).all(|at| {
            store.locations.spans.get(at) == 0
                || (store.locations.rank.get(at).is_some() && store.locations.is_main.get(at) == 1)
        });
        let busy = if only_mains { Vec::new() } else { ends(store) };
        let ends_of = |at: u64| busy.get(at as usize).copied().unwrap_or(0);
        let mut rows = Rows {
            locations: Vec::new(),
            row_of: vec![NO_ROW; locations as usize],
            replaced: 0,
            left_out: 0,
            without_ranks: ranks.is_empty(),
        };
        for of_rank in ranks.chunk_by(|left, right| left.0 == right.0) {
            let (_, is_other, main) = of_rank[0];
            let busiest = of_rank.iter().map(|(_, _, at)| *at).max_by_key(|at| (ends_of(*at), std::cmp::Reverse(*at)));
            let row = if is_other || ends_of(main) == 0 { busiest.filter(|at| ends_of(*at) > 0) } else { None };
            match row {
                Some(at) => {
                    rows.replaced += u64::from(at != main || is_other);
                    rows.push(at);
                }
                None if is_other => {}
                None => rows.push(main),
            }
        }
        if rows.without_ranks {
            (0..locations).filter(|at| ends_of(*at) > 0).for_each(|at| rows.push(at));
        }
        rows.left_out = busy.iter().zip(&rows.row_of).filter(|(_, row)| **row == NO_ROW).map(|(ends, _)| ends).sum();
        rows
    }

    fn push(&mut self, location: u64) {
        self.row_of[location as usize] = self.locations.len() as u32;
        self.locations.push(LocationId(location as u32));
    }

    /// The messages that each row sent. They lie by sender, so those of the next row are usually close.
    pub(super) fn sent(&self, store: &Store) -> Vec<Range<u64>> {
        let senders = &store.messages.send_location;
        let parts = self.locations.par_chunks(rows_at_once(self.locations.len())).map(|locations| {
            let (mut before, mut sent) = (LocationId(0), 0..0);
            let of_row = |location: &LocationId| {
                let from = if before <= *location { sent.start } else { 0 };
                let first = partition_point_from(senders, from..senders.len(), |other| other < *location);
                sent = first..partition_point_from(senders, first..senders.len(), |other| other <= *location);
                before = *location;
                sent.clone()
            };
            locations.iter().map(of_row).collect::<Vec<_>>()
        });
        parts.collect::<Vec<_>>().concat()
    }

    /// The row of a location.
    pub(super) fn of_location(&self, location: LocationId) -> Option<u32> {
        self.row_of.get(location.index()).copied().filter(|row| *row != NO_ROW)
    }
}

/// The first of some rows for which `is_before` is false, in sorted rows. Quick if it is close to where they begin.
pub(super) fn partition_point_from<T: Fixed>(
    column: &Column<T>,
    rows: Range<u64>,
    is_before: impl Fn(T) -> bool,
) -> u64 {
    let (mut from, mut width) = (rows.start, 8);
    while from + width < rows.end && is_before(column.get(from + width)) {
        from += width;
        width *= 2;
    }
    column.partition_point(from..rows.end.min(from + width), is_before)
}

/// How many messages and collectives each location takes part in.
fn ends(store: &Store) -> Vec<u64> {
    let empty = || vec![0u64; store.locations.len() as usize];
    let add = |mut left: Vec<u64>, right: Vec<u64>| {
        left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
        left
    };
    let count = |mut ends: Vec<u64>, locations: &mut dyn Iterator<Item = LocationId>| {
        for location in locations {
            if let Some(count) = ends.get_mut(location.index()) {
                *count += 1;
            }
        }
        ends
    };
    let messages = pieces(store.messages.len()).into_par_iter().fold(empty, |ends, rows| {
        let mut both = store.messages.send_location.iter(rows.clone()).chain(store.messages.recv_location.iter(rows));
        count(ends, &mut both)
    });
    let members = pieces(store.collective_members.len())
        .into_par_iter()
        .fold(empty, |ends, rows| count(ends, &mut store.collective_members.location.iter(rows)));
    let unmatched = count(empty(), &mut store.unmatched.location.iter(0..store.unmatched.len()));
    add(add(messages.reduce(empty, add), members.reduce(empty, add)), unmatched)
}
