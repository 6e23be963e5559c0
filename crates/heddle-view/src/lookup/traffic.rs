//! Bytes of calls: what a call sends and receives in messages and collectives, perhaps in one communicator only.
//!
//! Messages are found by location, between two of its calls. Collectives are listed by communicator, so those of the
//! window are gathered first.

use rayon::prelude::*;

use heddle_model::{CommId, LocationId, Ns, SpanRow};
use heddle_store::Store;

use crate::lookup::enclosing::SpansInSight;
use crate::lookup::messages::{received_by_spans, sent_between};

/// Rows of a table that are looked at together.
const AT_ONCE: u64 = 1 << 16;

/// What calls of a window send and receive.
#[derive(Debug)]
pub(crate) struct Traffic<'a> {
    store: &'a Store,
    communicator: Option<CommId>,
    /// Calls and their bytes in collectives, by call.
    collectives: Vec<(u64, u64)>,
}

impl<'a> Traffic<'a> {
    /// Of calls with a part in the window, its edges included.
    pub(crate) fn new(store: &'a Store, time: (Ns, Ns), communicator: Option<CommId>) -> Traffic<'a> {
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
                members.span.get(*row).is_some() && members.start.get(*row) <= time.1 && members.end.get(*row) >= time.0
            };
            let bytes = |row: u64| members.sent.get(row).saturating_add(members.received.get(row));
            let some = (first..(first + AT_ONCE).min(rows.end)).filter(in_sight);
            some.map(|row| (members.span.get(row).0, bytes(row))).collect::<Vec<_>>()
        };
        let mut collectives: Vec<(u64, u64)> = pieces.into_par_iter().flat_map_iter(of_piece).collect();
        collectives.par_sort_unstable();
        Traffic { store, communicator, collectives }
    }

    /// The calls of a location among those in sight that take part in anything, and their bytes, by call.
    pub(crate) fn of_spans(&self, location: LocationId, in_sight: &SpansInSight) -> Vec<(u64, u64)> {
        let SpansInSight { around, inside } = in_sight;
        let first = around.first().copied().unwrap_or(inside.start);
        let last = if inside.is_empty() { around.last().copied() } else { Some(inside.end - 1) };
        let Some(last) = last else { return Vec::new() };
        let ends = &self.store.spans.end;
        let of_those = ends.blocks(inside.clone()).filter_map(|some| some.iter().max().copied());
        let end = around.iter().map(|row| ends.get(*row)).chain(of_those).max().unwrap_or(Ns(0));
        self.between(location, (first, last), end)
    }

    /// The calls of a location from a row to another, both included, that take part in anything, and their bytes, by
    /// call. The last of them to end does so at `end`.
    fn between(&self, location: LocationId, (first, last): (u64, u64), end: Ns) -> Vec<(u64, u64)> {
        let (store, messages) = (self.store, &self.store.messages);
        let wanted = |message: &u64| self.communicator.is_none_or(|comm| messages.comm.get(*message) == comm);
        let sent = sent_between(store, location, (store.spans.start.get(first), end));
        let sent = sent.filter(wanted).map(|row| (messages.send_span.get(row), messages.bytes.get(row)));
        let received = received_by_spans(store, location, (SpanRow(first), SpanRow(last)));
        let received = received.filter(wanted).map(|row| (messages.recv_span.get(row), messages.bytes.get(row)));
        let mut calls: Vec<(u64, u64)> = sent
            .chain(received)
            .filter(|(span, _)| (first..=last).contains(&span.0))
            .map(|(span, bytes)| (span.0, bytes))
            .collect();
        let begin = self.collectives.partition_point(|(span, _)| *span < first);
        calls.extend(self.collectives[begin..].iter().take_while(|(span, _)| *span <= last));
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
}
