//! Bytes that calls send and receive, for many calls of a location at once.

use rayon::prelude::*;

use heddle_model::{CommId, LocationId, SpanRow};
use heddle_store::Store;

use crate::messages::{received_by_spans, sent_between};

/// What calls took part in: bytes of their messages and collectives, of one communicator if one is given.
pub(crate) struct Traffic<'a> {
    store: &'a Store,
    comm: Option<CommId>,
    /// Calls of collectives with their bytes, by their row.
    collectives: Vec<(u64, u64)>,
}

impl<'a> Traffic<'a> {
    /// Looks through the collectives for calls whose row is `wanted`.
    pub(crate) fn new(store: &'a Store, comm: Option<CommId>, wanted: impl Fn(u64) -> bool + Sync) -> Traffic<'a> {
        let (table, members) = (&store.collectives, &store.collective_members);
        let of_collective = |row: u64| {
            let first = table.first_member.get(row);
            let of_this = first..first + u64::from(table.members.get(row));
            of_this.filter_map(|member| {
                let span = members.span.get(member).some()?.0;
                wanted(span).then(|| (span, members.sent.get(member) + members.received.get(member)))
            })
        };
        let mut collectives: Vec<(u64, u64)> = (0..table.len())
            .into_par_iter()
            .filter(|row| comm.is_none_or(|comm| table.comm.get(*row) == comm))
            .flat_map_iter(of_collective)
            .collect();
        collectives.par_sort_unstable();
        Traffic { store, comm, collectives }
    }

    /// The bytes of calls of one location, given by rows in order; none for those that took part in nothing.
    pub(crate) fn of(&self, location: LocationId, spans: &[u64]) -> Vec<Option<u64>> {
        let mut found = vec![None; spans.len()];
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else { return found };
        let mut add = |span: SpanRow, bytes: u64| {
            if let Ok(at) = spans.binary_search(&span.0) {
                *found[at].get_or_insert(0) += bytes;
            }
        };
        let (store, messages) = (self.store, &self.store.messages);
        let is_in = |message: &u64| self.comm.is_none_or(|comm| messages.comm.get(*message) == comm);
        let from = store.spans.start.get(*first);
        let to = spans.iter().map(|span| store.spans.end.get(*span)).max().unwrap_or(from);
        for message in sent_between(store, location, (from, to)).filter(is_in) {
            add(messages.send_span.get(message), messages.bytes.get(message));
        }
        for message in received_by_spans(store, location, (SpanRow(*first), SpanRow(*last))).filter(is_in) {
            add(messages.recv_span.get(message), messages.bytes.get(message));
        }
        let begin = self.collectives.partition_point(|(span, _)| span < first);
        for (span, bytes) in self.collectives[begin..].iter().take_while(|(span, _)| span <= last) {
            add(SpanRow(*span), *bytes);
        }
        found
    }
}
