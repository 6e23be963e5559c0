//! What the calls of a location send and receive, by communicator.
//!
//! Messages lie by location, in two orders. Members of collectives do not, so those of many locations are gathered at once.

use std::ops::Range;

use heddle_model::{CommId, LocationId, SpanRow};
use heddle_store::{Columns, Store};

/// Bytes of a call in a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Share {
    pub(super) span: u64,
    pub(super) comm: CommId,
    pub(super) bytes: u64,
}

/// The parts that neighbouring locations take in collectives, by call.
pub(super) fn of_collectives(store: &Store, locations: Range<u32>) -> Vec<Share> {
    let (collectives, members) = (&store.collectives, &store.collective_members);
    let mut shares = Vec::new();
    (&collectives.comm, &collectives.first_member, &collectives.members).for_each(
        0..collectives.len(),
        |(comm, first, count)| {
            let rows = first..first.saturating_add(u64::from(count));
            (&members.location, &members.span, &members.sent, &members.received).for_each(
                rows,
                |(location, span, sent, received)| {
                    if locations.contains(&location.0) && span.is_some() {
                        shares.push(Share { span: span.0, comm, bytes: sent.saturating_add(received) });
                    }
                },
            );
        },
    );
    shares.sort_unstable();
    shares
}

/// What the calls of a location send and receive, by call and communicator, each once. `collectives` are its parts in those.
pub(super) fn of_location(store: &Store, location: LocationId, collectives: &[Share]) -> Vec<Share> {
    let messages = &store.messages;
    let rows = store.spans_of(location);
    let mut shares = collectives.to_vec();
    let mut add = |span: SpanRow, comm: CommId, bytes: u64| {
        if rows.contains(&span.0) {
            shares.push(Share { span: span.0, comm, bytes });
        }
    };
    let (all, senders) = (0..messages.len(), &messages.send_location);
    let first = senders.partition_point(all.clone(), |sender| sender < location);
    let after = senders.partition_point(first..all.end, |sender| sender <= location);
    (&messages.send_span, &messages.comm, &messages.bytes).for_each(first..after, |(span, comm, bytes)| {
        add(span, comm, bytes);
    });
    let order = &store.messages_by_receive.message;
    let receiver = |message: u64| messages.recv_location.get(message);
    let first = order.partition_point(0..order.len(), |message| receiver(message) < location);
    let after = order.partition_point(first..order.len(), |message| receiver(message) <= location);
    for message in order.iter(first..after) {
        add(messages.recv_span.get(message), messages.comm.get(message), messages.bytes.get(message));
    }
    shares.sort_unstable();
    shares.dedup_by(|next, sum| {
        let is_same = (next.span, next.comm) == (sum.span, sum.comm);
        if is_same {
            sum.bytes = sum.bytes.saturating_add(next.bytes);
        }
        is_same
    });
    shares
}
