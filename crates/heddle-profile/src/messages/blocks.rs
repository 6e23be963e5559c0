//! What is kept of the messages of each sender, and how it is written: sums at the edges of **blocks** of neighbouring messages.
//!
//! At the end of each block stands, for each channel of the sender, what all of its messages up to there come to. So any run of
//! messages is the difference of two such sums and parts of the blocks at both ends of it, however many messages lie between.
//! A block has at least 32 messages, and at least four for each channel: of a rank with six neighbours there is a sum for each
//! five messages. A sender with so many partners that there is no such block has none, and its messages answer
//! themselves. When each message was received is kept as well, for the store keeps that with the calls of others; and of
//! every block between which moments that was, of its own messages and of all before or since: so messages that were received
//! in a window are found by blocks, too.

use std::path::Path;

use heddle_model::{CommId, LocationId, Ns, RegionId};
use heddle_store::{StoreError, TableWriter, table};

use super::{Channel, Exchanged};

/// log2 of the messages of the smallest blocks.
pub(super) const LEAST_BITS: u32 = 5;
/// A block has at least so many messages for each channel.
const SAVES: u64 = 4;

/// log2 of the messages of each block of a sender with so many channels and messages.
pub(super) fn bits(channels: u64, messages: u64) -> u32 {
    if is_worth_it(channels, messages) {
        (channels * SAVES).next_power_of_two().ilog2().max(LEAST_BITS)
    } else {
        LEAST_BITS
    }
}

/// Whether sums take less than the messages.
fn is_worth_it(channels: u64, messages: u64) -> bool {
    channels > 0 && channels <= messages / SAVES
}

table! {
    /// Where what belongs to each sender begins. One more row says where all ends.
    #[allow(clippy::struct_field_names)] // the first of each kind
    PlaceRows, PlaceTable = "places" packed {
        /// Its first message.
        first_message: u64 => "first_message",
        /// Its first channel.
        first_channel: u64 => "first_channel",
        /// Its first block.
        first_block: u64 => "first_block",
        /// Its first sum: of the first block, by channel. There are as many at the end of each block, or none at all.
        first_sum: u64 => "first_sum",
    }
}

table! {
    /// What messages of a sender are added up by.
    ChannelRows, ChannelTable = "channels" packed {
        /// Who receives them.
        receiver: LocationId => "receiver",
        /// Their communicator.
        comm: CommId => "comm",
        /// The function that sends them.
        region: RegionId => "region" nullable,
        /// 1 if they are received before they are sent.
        is_backward: u8 => "is_backward",
    }
}

table! {
    /// When the messages of a block are sent and received, by sender.
    BlockRows, BlockTable = "blocks" packed {
        /// When the first of them is sent.
        sent: Ns => "first_send_ns",
        /// The first of them.
        least: Ns => "least_recv_ns",
        /// The last of them.
        most: Ns => "most_recv_ns" - least,
        /// The first of them and of all that the sender sends later.
        since: Ns => "least_recv_since_ns" - least,
        /// The last of them and of all that the sender sends before.
        until: Ns => "most_recv_until_ns" - most,
    }
}

table! {
    /// What all messages of a sender up to the end of a block come to, by block, then channel.
    SumRows, SumTable = "sums" packed {
        /// Number of messages.
        count: u64 => "count",
        /// Their lengths.
        bytes: u64 => "bytes",
        /// How long they were on their way.
        flight: u64 => "flight_ns",
        /// How long they were waited for.
        wait: u64 => "wait_ns",
    }
}

table! {
    /// Of each message what its sender cannot know.
    ArrivalRows, ArrivalTable = "arrivals" packed {
        /// When it was received.
        recv: Ns => "recv_ns",
        /// How long it was waited for.
        wait: u64 => "wait_ns",
    }
}

/// Sums by number of the channel.
type Sums = Vec<(u32, Exchanged)>;

/// Neighbouring messages of a sender, as many as the smallest blocks have.
#[derive(Debug)]
pub(super) struct Few {
    /// In the order of the channels.
    sums: Sums,
    /// When the first of them is sent.
    sent: Ns,
    /// When the first and the last of them are received.
    received: (Ns, Ns),
}

impl Few {
    /// Some messages, the first of which is sent at a moment: number of the channel, what it comes to, and when it is received.
    pub(super) fn of(sent: Ns, messages: impl Iterator<Item = (u32, Exchanged, Ns)>) -> Few {
        let (mut sums, mut received) = (Vec::new(), NEVER);
        for (channel, sum, at) in messages {
            sums.push((channel, sum));
            received = both(received, (at, at));
        }
        merge(&mut sums);
        Few { sums, sent, received }
    }
}

/// Before the first message is received, and after the last one.
const NEVER: (Ns, Ns) = (Ns(i64::MAX), Ns(i64::MIN));

/// The first and the last of both.
fn both(a: (Ns, Ns), b: (Ns, Ns)) -> (Ns, Ns) {
    (a.0.min(b.0), a.1.max(b.1))
}

/// What is kept of one sender, in the order it is written.
#[derive(Debug, Default)]
pub(super) struct OfSender {
    pub(super) channels: Vec<Channel>,
    pub(super) arrivals: ArrivalRows,
    blocks: BlockRows,
    sums: SumRows,
}

impl OfSender {
    /// Makes the blocks, once all channels and arrivals are known.
    pub(super) fn finish(&mut self, few: &[Few]) {
        let (channels, messages) = (self.channels.len() as u64, self.arrivals.wait.len() as u64);
        let each = 1 << (bits(channels, messages) - LEAST_BITS);
        let mut totals = is_worth_it(channels, messages).then(|| vec![Exchanged::default(); self.channels.len()]);
        let mut all = NEVER;
        for block in few.chunks(each) {
            let received = block.iter().map(|few| few.received).fold(NEVER, both);
            all = both(all, received);
            self.blocks.sent.extend(block.first().map(|few| few.sent));
            self.blocks.least.push(received.0);
            self.blocks.most.push(received.1);
            self.blocks.until.push(all.1);
            if let Some(totals) = &mut totals {
                for (channel, sum) in block.iter().flat_map(|few| &few.sums) {
                    totals[*channel as usize].add(sum);
                }
                self.push(totals);
            }
        }
        // What may be more than there is room for has no differences.
        if totals.is_some_and(|totals| totals.iter().any(Exchanged::is_full)) {
            self.sums = SumRows::default();
        }
        let since = self.blocks.least.iter().rev().scan(NEVER.0, |least, at| {
            *least = (*least).min(*at);
            Some(*least)
        });
        self.blocks.since = since.collect();
        self.blocks.since.reverse();
    }

    fn push(&mut self, totals: &[Exchanged]) {
        let SumRows { count, bytes, flight, wait } = &mut self.sums;
        for total in totals {
            count.push(total.messages);
            bytes.push(total.bytes);
            flight.push(total.flight);
            wait.push(total.wait);
        }
    }
}

/// Puts sums in the order of their channels, each once.
fn merge(sums: &mut Sums) {
    sums.sort_unstable_by_key(|(channel, _)| *channel);
    sums.dedup_by(|(next, sum), (kept, all)| {
        let is_same = next == kept;
        if is_same {
            all.add(sum);
        }
        is_same
    });
}

/// Writes what is kept of all senders.
pub(super) struct BlocksWriter {
    places: TableWriter<PlaceRows>,
    channels: TableWriter<ChannelRows>,
    blocks: TableWriter<BlockRows>,
    sums: TableWriter<SumRows>,
    arrivals: TableWriter<ArrivalRows>,
}

impl BlocksWriter {
    /// Into an empty directory.
    pub(super) fn create(directory: &Path) -> Result<BlocksWriter, StoreError> {
        Ok(BlocksWriter {
            places: TableWriter::create(directory)?,
            channels: TableWriter::create(directory)?,
            blocks: TableWriter::create(directory)?,
            sums: TableWriter::create(directory)?,
            arrivals: TableWriter::create(directory)?,
        })
    }

    /// Appends the next sender.
    pub(super) fn append(&mut self, sender: OfSender) -> Result<(), StoreError> {
        self.place()?;
        let OfSender { channels, arrivals, blocks, sums } = sender;
        self.channels.append(ChannelRows {
            receiver: channels.iter().map(|channel| channel.receiver).collect(),
            comm: channels.iter().map(|channel| channel.comm).collect(),
            region: channels.iter().map(|channel| channel.region).collect(),
            is_backward: channels.iter().map(|channel| u8::from(channel.is_backward)).collect(),
        })?;
        self.blocks.append(blocks)?;
        self.sums.append(sums)?;
        self.arrivals.append(arrivals)
    }

    fn place(&mut self) -> Result<(), StoreError> {
        self.places.append(PlaceRows {
            first_message: vec![self.arrivals.rows()],
            first_channel: vec![self.channels.rows()],
            first_block: vec![self.blocks.rows()],
            first_sum: vec![self.sums.rows()],
        })
    }

    /// After the last sender.
    pub(super) fn finish(mut self) -> Result<(), StoreError> {
        self.place()?;
        self.places.finish()?;
        self.channels.finish()?;
        self.blocks.finish()?;
        self.sums.finish()?;
        self.arrivals.finish().map(drop)
    }
}
