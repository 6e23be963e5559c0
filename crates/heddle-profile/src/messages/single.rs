//! Messages one by one: those beside the edges of blocks, and those of senders that have no sums. Columns that do not matter to a
//! question are not read.

use std::ops::Range;

use heddle_model::{LocationId, RegionId, SpanRow};
use heddle_store::Store;

use super::blocks::ArrivalTable;
use super::{Exchanged, Wanted, Window};

/// Which messages are looked at, and where they are.
pub(super) struct Singles<'a> {
    pub(super) store: &'a Store,
    pub(super) arrivals: &'a ArrivalTable,
    pub(super) wanted: &'a Wanted,
    /// Only those that are received in this window, if one is given.
    pub(super) received: Option<Window>,
}

impl Singles<'_> {
    /// Calls `add` for the messages of some rows.
    pub(super) fn for_each(&self, rows: Range<u64>, add: &mut impl FnMut(LocationId, &Exchanged)) {
        let (messages, wanted) = (&self.store.messages, self.wanted);
        let parts = wanted.parts;
        let mut recv = (parts.has_flight() || self.received.is_some()).then(|| self.arrivals.recv.iter(rows.clone()));
        let mut send = parts.has_flight().then(|| messages.send.iter(rows.clone()));
        let mut wait = parts.has_wait().then(|| self.arrivals.wait.iter(rows.clone()));
        let mut comm = wanted.communicator.is_some().then(|| messages.comm.iter(rows.clone()));
        let mut send_span = (!wanted.hidden.is_empty()).then(|| messages.send_span.iter(rows.clone()));
        let mut regions = self.store.spans.region.cursor();
        let receivers = messages.recv_location.iter(rows.clone());
        for (receiver, bytes) in receivers.zip(messages.bytes.iter(rows)) {
            let recv = recv.as_mut().and_then(Iterator::next);
            let flight = send.as_mut().and_then(Iterator::next).zip(recv).map_or(0, |(send, recv)| recv.since(send));
            let wait = wait.as_mut().and_then(Iterator::next).unwrap_or(0);
            let comm = comm.as_mut().and_then(Iterator::next);
            let sends = send_span.as_mut().and_then(Iterator::next).and_then(SpanRow::some);
            let region = sends.map_or(RegionId::NONE, |span| regions.get(span.0));
            let is_received = self.received.zip(recv).is_none_or(|((from, to), recv)| (from..to).contains(&recv));
            if is_received && comm.is_none_or(|comm| wanted.has_communicator(comm)) && !wanted.hidden.contains(&region)
            {
                let (timed, flight) = if flight > 0 { (bytes, flight.unsigned_abs()) } else { (0, 0) };
                add(receiver, &Exchanged { messages: 1, bytes, timed, flight, wait });
            }
        }
    }
}
