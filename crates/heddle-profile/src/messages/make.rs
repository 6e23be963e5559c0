//! The one pass over all messages that makes what is kept: each sender for itself, several at once.

use std::ops::Range;
use std::path::Path;

use heddle_model::{LocationId, Ns};
use heddle_store::{Progress, Store, StoreError, Work};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::blocks::{BITS, Block, BlocksWriter, OfSender, merge};
use super::{Channel, LONG, Reader};

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
        for (rows, sender) in some.iter().zip(added) {
            writer.append(rows.start, sender)?;
        }
        progress.advance(row - begun);
        first += some.len() as u32;
    }
    writer.finish(messages)
}

/// Adds up the messages of a sender.
fn add_up(store: &Store, rows: Range<u64>) -> OfSender {
    let mut sender = OfSender::default();
    let mut numbers: FxHashMap<Channel, u32> = FxHashMap::default();
    let mut reader = Reader::new(store, None, true);
    let mut smallest = Vec::new();
    let mut row = rows.start;
    while row < rows.end {
        let after = (row + (1 << BITS)).min(rows.end);
        let mut sums = Vec::new();
        let mut received = (Ns(i64::MAX), Ns(i64::MIN));
        for message in row..after {
            let (channel, sum) = reader.message(message);
            sender.waits.push(u32::try_from(sum.wait).unwrap_or(LONG));
            let number = *numbers.entry(channel).or_insert_with(|| {
                sender.channels.push(channel);
                sender.channels.len() as u32 - 1
            });
            sums.push((number, sum));
            let at = reader.received(message);
            received = (received.0.min(at), received.1.max(at));
        }
        merge(&mut sums);
        smallest.push(Block { messages: after - row, sums, received });
        row = after;
    }
    sender.finish(smallest);
    sender
}
