//! The one pass over all messages that makes what is kept: each sender for itself, several at once.

use std::ops::Range;
use std::path::Path;

use heddle_model::{CommId, LocationId, Ns, RegionId, SpanRow};
use heddle_store::{Cursor, Progress, Store, StoreError, Work};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::blocks::{BlocksWriter, Few, LEAST_BITS, OfSender};
use super::{Channel, Exchanged};

/// Adding up messages.
const ADDING: Work = Work::new("adding up messages");
/// Messages, and senders, that are worked on at a time.
const AT_A_TIME: (u64, u32) = (1 << 22, 1 << 14);

/// Makes it all in an empty directory.
pub(super) fn make(store: &Store, directory: &Path, progress: &dyn Progress) -> Result<(), StoreError> {
    progress.begin(ADDING, store.messages.len());
    let mut writer = BlocksWriter::create(directory)?;
    let (senders, messages) = (&store.messages.send_location, store.messages.len());
    let locations = store.locations.len() as u32;
    let (mut first, mut row) = (0, 0);
    while first < locations {
        progress.check()?;
        let (mut some, begun): (Vec<Range<u64>>, u64) = (Vec::new(), row);
        while first + (some.len() as u32) < locations && row - begun < AT_A_TIME.0 && (some.len() as u32) < AT_A_TIME.1
        {
            let sender = LocationId(first + some.len() as u32);
            let after = senders.partition_point(row..messages, |other| other <= sender);
            some.push(row..after);
            row = after;
        }
        let added: Vec<OfSender> = some.par_iter().map(|rows| add_up(store, rows.clone())).collect();
        for sender in added {
            writer.append(sender)?;
        }
        progress.advance(row - begun);
        first += some.len() as u32;
    }
    writer.finish()
}

/// Adds up the messages of a sender.
fn add_up(store: &Store, rows: Range<u64>) -> OfSender {
    let mut sender = OfSender::default();
    let mut numbers: FxHashMap<Channel, u32> = FxHashMap::default();
    let mut reader = Reader::new(store);
    let mut few = Vec::new();
    let mut row = rows.start;
    while row < rows.end {
        let after = (row + (1 << LEAST_BITS)).min(rows.end);
        few.push(Few::of(
            store.messages.send.get(row),
            (row..after).map(|message| {
                let (channel, sum, recv) = reader.message(message);
                sender.arrivals.recv.push(recv);
                sender.arrivals.wait.push(sum.wait);
                let number = *numbers.entry(channel).or_insert_with(|| {
                    sender.channels.push(channel);
                    sender.channels.len() as u32 - 1
                });
                (number, sum, recv)
            }),
        ));
        row = after;
    }
    sender.finish(&few);
    sender
}

/// Reads messages one by one, in the order of their rows.
struct Reader<'a> {
    store: &'a Store,
    receiver: Cursor<'a, LocationId>,
    send: Cursor<'a, Ns>,
    recv: Cursor<'a, Ns>,
    bytes: Cursor<'a, u64>,
    comm: Cursor<'a, CommId>,
    send_span: Cursor<'a, SpanRow>,
    recv_span: Cursor<'a, SpanRow>,
    region: Cursor<'a, RegionId>,
}

impl<'a> Reader<'a> {
    fn new(store: &'a Store) -> Reader<'a> {
        let messages = &store.messages;
        Reader {
            store,
            receiver: messages.recv_location.cursor(),
            send: messages.send.cursor(),
            recv: messages.recv.cursor(),
            bytes: messages.bytes.cursor(),
            comm: messages.comm.cursor(),
            send_span: messages.send_span.cursor(),
            recv_span: messages.recv_span.cursor(),
            region: store.spans.region.cursor(),
        }
    }

    /// The message of a row by itself, and when it is received.
    fn message(&mut self, row: u64) -> (Channel, Exchanged, Ns) {
        let (send, recv, bytes) = (self.send.get(row), self.recv.get(row), self.bytes.get(row));
        let flight = recv.since(send);
        let is_backward = flight <= 0;
        let sends = self.send_span.get(row).some();
        let region = sends.map_or(RegionId::NONE, |span| self.region.get(span.0));
        let channel = Channel { receiver: self.receiver.get(row), comm: self.comm.get(row), region, is_backward };
        let (timed, flight) = if is_backward { (0, 0) } else { (bytes, flight.unsigned_abs()) };
        let starts = &self.store.spans.start;
        let begins = sends.map_or(send, |span| starts.get(span.0));
        let waited = |span: SpanRow| begins.min(recv).since(starts.get(span.0)).max(0).unsigned_abs();
        let wait = self.recv_span.get(row).some().map_or(0, waited);
        (channel, Exchanged { messages: 1, bytes, timed, flight, wait }, recv)
    }
}
