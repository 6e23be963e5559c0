//! Sums over blocks of neighbouring messages of a sender: blocks of 64, then of eight times as many, up to one for all of its
//! messages. Any run of messages is a few blocks, and parts of the smallest at both ends.
//!
//! A block is kept only where it has at most a quarter as many sums as messages; else it has none, and smaller blocks or the
//! messages themselves answer for it. So there are at most `8/7 n / 4` sums of 32 bytes for `n` messages, however many partners
//! there are; of a rank with six neighbours it is one for each nine messages. Waits take four bytes for each message. Of every
//! block, kept or not, it is known when the first and the last of its messages were received, so that messages that were
//! received in a window are blocks, too: those at its ends are looked into, the others lie in it as a whole or not at all.

use std::cell::OnceCell;
use std::ops::Range;
use std::path::Path;

use heddle_model::{CommId, LocationId, Ns, RegionId};
use heddle_store::{Columns, Store, StoreError, TableWriter, table};

use super::{Channel, Exchanged, Wanted};

/// log2 of the messages of a smallest block, and of how many blocks make up one of the next level.
pub(super) const BITS: u32 = 6;
const FAN: u32 = 3;
/// A kept block has at least so many messages for each of its sums.
const SAVES: u64 = 4;

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
    /// Blocks, by sender, then level, the smallest first. One more row says where the sums end.
    BlockRows, BlockTable = "blocks" packed {
        /// Its first sum; those of a block that is not kept are none.
        first_sum: u64 => "first_sum",
        /// When the first of its messages is received.
        least_recv: Ns => "least_recv_ns",
        /// When the last one is.
        most_recv: Ns => "most_recv_ns",
    }
}

table! {
    /// Sums of a block, by channel.
    SumRows, SumTable = "sums" packed {
        /// The channel, counted from the first of the sender.
        channel: u32 => "channel",
        /// Number of messages.
        count: u32 => "count",
        /// Their lengths.
        bytes: u64 => "bytes",
        /// How long they were on their way.
        flight: u64 => "flight_ns",
        /// How long they were waited for.
        wait: u64 => "wait_ns",
    }
}

table! {
    /// How long each message was waited for.
    WaitRows, WaitTable = "waits" packed {
        /// In nanoseconds; the largest number if it is longer than four seconds.
        wait: u32 => "wait_ns",
    }
}

/// How many blocks a sender of so many messages has on each level, from the smallest on.
fn levels(messages: u64) -> impl Iterator<Item = u64> {
    let first = (messages > 0).then(|| messages.div_ceil(1 << BITS));
    std::iter::successors(first, |blocks| (*blocks > 1).then(|| blocks.div_ceil(1 << FAN)))
}

/// Sums by number of the channel.
type Sums = Vec<(u32, Exchanged)>;

/// Neighbouring messages of a sender.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) messages: u64,
    /// By number of the channel.
    pub(super) sums: Sums,
    /// When the first and the last of them are received.
    pub(super) received: (Ns, Ns),
}

/// What is kept of one sender, in the order it is written.
#[derive(Debug, Default)]
pub(super) struct OfSender {
    pub(super) channels: Vec<Channel>,
    pub(super) waits: Vec<u32>,
    /// Where the sums of each block end.
    ends: Vec<usize>,
    /// When the first and the last message of each are received.
    received: Vec<(Ns, Ns)>,
    sums: Sums,
}

impl OfSender {
    /// Makes the blocks of all levels from the smallest ones.
    pub(super) fn finish(&mut self, smallest: Vec<Block>) {
        let mut level = smallest;
        while !level.is_empty() {
            for Block { messages, sums, received } in &level {
                let fits = sums.iter().all(|(_, sum)| u32::try_from(sum.messages).is_ok());
                if fits && sums.len() as u64 * SAVES <= *messages {
                    self.sums.extend_from_slice(sums);
                }
                self.ends.push(self.sums.len());
                self.received.push(*received);
            }
            if level.len() == 1 {
                break;
            }
            level = level.chunks(1 << FAN).map(joined).collect();
        }
    }
}

/// Blocks of a level as one of the next.
fn joined(blocks: &[Block]) -> Block {
    let mut sums: Sums = blocks.iter().flat_map(|block| block.sums.iter().copied()).collect();
    merge(&mut sums);
    let wider = |a: (Ns, Ns), b: (Ns, Ns)| (a.0.min(b.0), a.1.max(b.1));
    Block {
        messages: blocks.iter().map(|block| block.messages).sum(),
        sums,
        received: blocks.iter().map(|block| block.received).reduce(wider).unwrap_or((Ns(0), Ns(0))),
    }
}

/// Puts sums in the order of their channels, each once.
pub(super) fn merge(sums: &mut Sums) {
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
    waits: TableWriter<WaitRows>,
}

impl BlocksWriter {
    /// Into an empty directory.
    pub(super) fn create(directory: &Path) -> Result<BlocksWriter, StoreError> {
        Ok(BlocksWriter {
            places: TableWriter::create(directory)?,
            channels: TableWriter::create(directory)?,
            blocks: TableWriter::create(directory)?,
            sums: TableWriter::create(directory)?,
            waits: TableWriter::create(directory)?,
        })
    }

    /// Appends the next sender, the first of whose messages is in a row.
    pub(super) fn append(&mut self, first_message: u64, sender: OfSender) -> Result<(), StoreError> {
        self.place(first_message)?;
        let (first, OfSender { channels, waits, ends, received, sums }) = (self.sums.rows(), sender);
        let starts = std::iter::once(0).chain(ends.iter().copied()).take(ends.len());
        self.blocks.append(BlockRows {
            first_sum: starts.map(|start| first + start as u64).collect(),
            least_recv: received.iter().map(|received| received.0).collect(),
            most_recv: received.iter().map(|received| received.1).collect(),
        })?;
        self.channels.append(ChannelRows {
            receiver: channels.iter().map(|channel| channel.receiver).collect(),
            comm: channels.iter().map(|channel| channel.comm).collect(),
            region: channels.iter().map(|channel| channel.region).collect(),
            is_backward: channels.iter().map(|channel| u8::from(channel.is_backward)).collect(),
        })?;
        self.sums.append(SumRows {
            channel: sums.iter().map(|(channel, _)| *channel).collect(),
            // What does not fit is not kept.
            count: sums.iter().map(|(_, sum)| sum.messages as u32).collect(),
            bytes: sums.iter().map(|(_, sum)| sum.bytes).collect(),
            flight: sums.iter().map(|(_, sum)| sum.flight).collect(),
            wait: sums.iter().map(|(_, sum)| sum.wait).collect(),
        })?;
        self.waits.append(WaitRows { wait: waits })
    }

    fn place(&mut self, first_message: u64) -> Result<(), StoreError> {
        self.places.append(PlaceRows {
            first_message: vec![first_message],
            first_channel: vec![self.channels.rows()],
            first_block: vec![self.blocks.rows()],
        })
    }

    /// After the last sender, of so many messages in all.
    pub(super) fn finish(mut self, messages: u64) -> Result<(), StoreError> {
        self.place(messages)?;
        let end = BlockRows { first_sum: vec![self.sums.rows()], least_recv: vec![Ns(0)], most_recv: vec![Ns(0)] };
        self.blocks.append(end)?;
        self.places.finish()?;
        self.channels.finish()?;
        self.blocks.finish()?;
        self.sums.finish()?;
        self.waits.finish().map(drop)
    }
}

/// The blocks of all senders, open.
#[derive(Debug)]
#[allow(clippy::struct_field_names, reason = "named like their tables")]
pub(super) struct Blocks {
    places: PlaceTable,
    channels: ChannelTable,
    blocks: BlockTable,
    sums: SumTable,
}

impl Blocks {
    /// Opens what was written for a store; what does not fit it is refused.
    pub(super) fn open(directory: &Path, store: &Store) -> Result<Blocks, StoreError> {
        let mut kept = Blocks {
            places: PlaceTable::open(directory)?,
            channels: ChannelTable::open(directory)?,
            blocks: BlockTable::open(directory)?,
            sums: SumTable::open(directory)?,
        };
        if kept.leads_somewhere(store) && kept.fits(store) {
            return Ok(kept);
        }
        let what = "sums of messages do not fit the trace".to_owned();
        Err(StoreError::Damaged { path: directory.to_owned(), what })
    }

    fn leads_somewhere(&mut self, store: &Store) -> bool {
        let Blocks { places, channels, blocks, sums } = self;
        places.first_message.must_be_below(store.messages.len() + 1)
            && places.first_channel.must_be_below(channels.len() + 1)
            && places.first_block.must_be_below(blocks.len())
            && channels.receiver.must_be_below(store.locations.len())
            && channels.region.must_be_below_or_none(store.regions.len())
            && blocks.first_sum.must_be_below(sums.len() + 1)
    }

    fn fits(&self, store: &Store) -> bool {
        let locations = store.locations.len();
        let places = |at: u64| {
            let PlaceTable { first_message, first_channel, first_block, .. } = &self.places;
            (first_message.get(at), first_channel.get(at), first_block.get(at))
        };
        let follows = |at: u64| {
            let ((messages, channels, blocks), next) = (places(at), places(at + 1));
            next.0 >= messages && next.1 >= channels && next.2 == blocks + levels(next.0 - messages).sum::<u64>()
        };
        self.places.len() == locations + 1
            && places(0) == (0, 0, 0)
            && (0..locations).all(follows)
            && places(locations) == (store.messages.len(), self.channels.len(), self.blocks.len().saturating_sub(1))
            && self.blocks.first_sum.get(places(locations).2) == self.sums.len()
    }

    /// The rows of a location's messages.
    pub(super) fn rows(&self, sender: LocationId) -> Option<Range<u64>> {
        let (at, first) = (u64::from(sender.0), &self.places.first_message);
        (at + 1 < self.places.len()).then(|| first.get(at)..first.get(at + 1))
    }

    /// Calls `add` for the sums of blocks that make up as much of a run of messages of a sender as blocks can, as far as they
    /// are wanted and received in a window, its end excluded, if one is given; and `rest` for the rows of messages that no
    /// block answers for.
    pub(super) fn for_each<A: FnMut(LocationId, &Exchanged)>(
        &self,
        sender: LocationId,
        (run, received): (Range<u64>, Option<(Ns, Ns)>),
        wanted: &Wanted,
        add: &mut A,
        rest: impl Fn(Range<u64>, &mut dyn FnMut(LocationId, &Exchanged)),
    ) {
        let Some(rows) = self.rows(sender) else { return };
        let at = u64::from(sender.0);
        let mut firsts = Vec::new();
        let mut first_block = self.places.first_block.get(at);
        for count in levels(rows.end - rows.start) {
            firsts.push(first_block);
            first_block += count;
        }
        let Some(top) = firsts.len().checked_sub(1) else { return };
        let channels = self.places.first_channel.get(at)..self.places.first_channel.get(at + 1);
        let walk = Walk { blocks: self, rows, firsts, channels, known: OnceCell::new(), run, received, wanted };
        let mut unanswered: Option<Range<u64>> = None;
        walk.visit(top, 0, add, &mut |rows, add| match &mut unanswered {
            // Neighbours are looked at together.
            Some(before) if before.end == rows.start => before.end = rows.end,
            _ => {
                if let Some(before) = unanswered.replace(rows) {
                    rest(before, add);
                }
            }
        });
        if let Some(last) = unanswered {
            rest(last, add);
        }
    }
}

/// A run of messages of a sender, on its way down from the largest block.
struct Walk<'a> {
    blocks: &'a Blocks,
    /// All messages of the sender.
    rows: Range<u64>,
    /// The first block of each level.
    firsts: Vec<u64>,
    /// Its channels: their rows; and, once they are asked for, the receiver of each that is wanted, and whether time counts.
    channels: Range<u64>,
    known: OnceCell<Vec<Option<(LocationId, bool)>>>,
    run: Range<u64>,
    received: Option<(Ns, Ns)>,
    wanted: &'a Wanted,
}

impl Walk<'_> {
    fn visit<A: FnMut(LocationId, &Exchanged)>(
        &self,
        level: usize,
        block: u64,
        add: &mut A,
        rest: &mut impl FnMut(Range<u64>, &mut dyn FnMut(LocationId, &Exchanged)),
    ) {
        let shift = BITS + FAN * level as u32;
        let from = self.rows.start + (block << shift);
        let to = (from + (1 << shift)).min(self.rows.end);
        let (first, after) = (from.max(self.run.start), to.min(self.run.end));
        if first >= after {
            return;
        }
        let Some(is_received) = self.received_of(self.firsts[level] + block) else { return };
        if is_received && (first, after) == (from, to) && self.add_sums(self.firsts[level] + block, add) {
            return;
        }
        if level == 0 {
            rest(first..after, add);
            return;
        }
        let inner = block << FAN..(block + 1) << FAN;
        for child in inner.take_while(|child| self.rows.start + (child << (shift - FAN)) < to) {
            self.visit(level - 1, child, add, rest);
        }
    }

    /// Whether all messages of a block are received in the window; none if no message is.
    fn received_of(&self, block: u64) -> Option<bool> {
        let Some((from, to)) = self.received else { return Some(true) };
        let BlockTable { least_recv, most_recv, .. } = &self.blocks.blocks;
        let (least, most) = (least_recv.get(block), most_recv.get(block));
        (most >= from && least < to).then_some(least >= from && most < to)
    }

    /// Adds the sums of a block; false if it is not kept.
    fn add_sums(&self, block: u64, add: &mut impl FnMut(LocationId, &Exchanged)) -> bool {
        let Blocks { blocks, sums, .. } = self.blocks;
        let rows = blocks.first_sum.get(block)..blocks.first_sum.get(block + 1);
        if rows.is_empty() {
            return false;
        }
        let channels = self.known.get_or_init(|| self.wanted_channels());
        let columns = (&sums.channel, &sums.count, &sums.bytes, &sums.flight, &sums.wait);
        columns.for_each(rows, |(channel, count, bytes, flight, wait)| {
            if let Some(Some((receiver, is_timed))) = channels.get(channel as usize) {
                let timed = if *is_timed { bytes } else { 0 };
                add(*receiver, &Exchanged { messages: u64::from(count), bytes, timed, flight, wait });
            }
        });
        true
    }

    fn wanted_channels(&self) -> Vec<Option<(LocationId, bool)>> {
        let ChannelTable { receiver, comm, region, is_backward, .. } = &self.blocks.channels;
        let mut all = Vec::new();
        (receiver, comm, region, is_backward).for_each(
            self.channels.clone(),
            |(receiver, comm, region, is_backward)| {
                all.push(self.wanted.has(comm, region).then_some((receiver, is_backward == 0)));
            },
        );
        all
    }
}
