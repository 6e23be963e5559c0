//! Bytes of calls: what a call sends and receives in messages and collectives, perhaps in one communicator only.
//!
//! Messages are found by location and time. Collectives are listed by communicator, so those of the window are gathered
//! first.

use rayon::prelude::*;

use heddle_model::{CommId, LocationId, Ns};
use heddle_store::Store;

use crate::messages::{received_in, sent_in};

/// Rows of a table that are looked at together.
const AT_ONCE: u64 = 1 << 16;

/// What calls of a window send and receive.
#[derive(Debug)]
pub(super) struct Traffic {
    communicator: Option<CommId>,
    /// Calls and their bytes in collectives, by call.
    collectives: Vec<(u64, u64)>,
}

impl Traffic {
    pub(super) fn new(store: &Store, time: (Ns, Ns), communicator: Option<CommId>) -> Traffic {
        let (collectives, members) = (&store.collectives, &store.collective_members);
        let rows = match communicator {
            Some(comm) => {
                let all = 0..collectives.len();
                let first = collectives.comm.partition_point(all.clone(), |other| other < comm);
                let last = collectives.comm.partition_point(all, |other| other <= comm);
                let end = |row: u64| collectives.first_member.get(row) + u64::from(collectives.members.get(row));
                if first < last { collectives.first_member.get(first)..end(last - 1) } else { 0..0 }
            }
            None => 0..members.len(),
        };
        let pieces: Vec<u64> = rows.clone().step_by(AT_ONCE as usize).collect();
        let of_piece = |first: u64| {
            let in_sight = |row: &u64| {
                members.span.get(*row).is_some() && members.start.get(*row) < time.1 && members.end.get(*row) >= time.0
            };
            let bytes = |row: u64| members.sent.get(row).saturating_add(members.received.get(row));
            let some = (first..(first + AT_ONCE).min(rows.end)).filter(in_sight);
            some.map(|row| (members.span.get(row).0, bytes(row))).collect::<Vec<_>>()
        };
        let mut collectives: Vec<(u64, u64)> = pieces.into_par_iter().flat_map_iter(of_piece).collect();
        collectives.par_sort_unstable();
        Traffic { communicator, collectives }
    }

    /// The calls of a location that send or receive anything, and how much, by call. `around` are calls that began before
    /// the window.
    pub(super) fn of_location(
        &self,
        store: &Store,
        location: LocationId,
        time: (Ns, Ns),
        around: &[u64],
    ) -> Vec<(u64, u64)> {
        let messages = &store.messages;
        let from = around.first().map_or(time.0, |first| store.spans.start.get(*first));
        let wanted = |message: &u64| self.communicator.is_none_or(|comm| messages.comm.get(*message) == comm);
        let sent = sent_in(store, location, (from, time.1)).map(|row| (row, messages.send_span.get(row)));
        let received = received_in(store, location, (from, time.1)).map(|row| (row, messages.recv_span.get(row)));
        let mut calls: Vec<(u64, u64)> = sent
            .chain(received)
            .filter(|(row, span)| span.is_some() && wanted(row))
            .map(|(row, span)| (span.0, messages.bytes.get(row)))
            .collect();
        let rows = store.spans_of(location);
        let first = self.collectives.partition_point(|(span, _)| *span < rows.start);
        calls.extend(self.collectives[first..].iter().take_while(|(span, _)| *span < rows.end));
        calls.sort_unstable();
        calls.dedup_by(|next, sum| {
            let is_same = next.0 == sum.0;
            if is_same {
                sum.1 = sum.1.saturating_add(next.1);
            }
            is_same
        });
        calls
    }

    /// The most bytes of any call of some locations in a window.
    pub(super) fn most(&self, store: &Store, locations: &[LocationId], time: (Ns, Ns)) -> u64 {
        let of_location = |location: &LocationId| {
            let calls = self.of_location(store, *location, time, &[]);
            calls.into_iter().map(|(_, bytes)| bytes).max().unwrap_or(0)
        };
        locations.par_iter().map(of_location).max().unwrap_or(0)
    }
}
