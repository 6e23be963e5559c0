//! What is kept of all senders, open: sums of any run of messages, from two edges of blocks and the messages beside them.

use std::ops::Range;
use std::path::Path;

use heddle_model::{LocationId, Ns};
use heddle_store::{Column, Store, StoreError};

use super::blocks::{ArrivalTable, BlockTable, ChannelTable, PlaceTable, SumTable, bits};
use super::single::Singles;
use super::{Exchanged, Wanted, Window};

/// The sums of all senders.
#[derive(Debug)]
pub(super) struct Kept {
    places: PlaceTable,
    channels: ChannelTable,
    blocks: BlockTable,
    sums: SumTable,
    pub(super) arrivals: ArrivalTable,
}

impl Kept {
    /// Opens what was written for a store; what does not fit it is refused.
    pub(super) fn open(directory: &Path, store: &Store) -> Result<Kept, StoreError> {
        let mut kept = Kept {
            places: PlaceTable::open(directory)?,
            channels: ChannelTable::open(directory)?,
            blocks: BlockTable::open(directory)?,
            sums: SumTable::open(directory)?,
            arrivals: ArrivalTable::open(directory)?,
        };
        if kept.leads_somewhere(store) && kept.fits(store) {
            return Ok(kept);
        }
        let what = "sums of messages do not fit the trace".to_owned();
        Err(StoreError::Damaged { path: directory.to_owned(), what })
    }

    fn leads_somewhere(&mut self, store: &Store) -> bool {
        let Kept { places, channels, blocks, sums, arrivals } = self;
        places.first_message.must_be_below(arrivals.len() + 1)
            && places.first_channel.must_be_below(channels.len() + 1)
            && places.first_block.must_be_below(blocks.len() + 1)
            && places.first_sum.must_be_below(sums.len() + 1)
            && channels.receiver.must_be_below(store.locations.len())
            && channels.region.must_be_below_or_none(store.regions.len())
            && arrivals.recv.must_be_times()
    }

    fn fits(&self, store: &Store) -> bool {
        let locations = store.locations.len();
        let places = |at: u64| {
            let PlaceTable { first_message, first_channel, first_block, first_sum, .. } = &self.places;
            [first_message.get(at), first_channel.get(at), first_block.get(at), first_sum.get(at)]
        };
        let mut first = places(0);
        let mut follows = |at: u64| {
            let next = places(at + 1);
            let [messages, channels, blocks, sums] = std::array::from_fn(|kind| next[kind].checked_sub(first[kind]));
            first = next;
            let (Some(messages), Some(channels), Some(sums)) = (messages, channels, sums) else { return false };
            let expected = messages.div_ceil(1 << bits(channels, messages));
            blocks == Some(expected) && (sums == 0 || Some(sums) == expected.checked_mul(channels))
        };
        self.places.len() == locations + 1
            && places(0) == [0; 4]
            && (0..locations).all(&mut follows)
            && places(locations) == [store.messages.len(), self.channels.len(), self.blocks.len(), self.sums.len()]
            && self.arrivals.len() == store.messages.len()
    }

    /// How many channels there are in all.
    pub(super) fn channels(&self) -> u64 {
        self.channels.len()
    }

    /// Who receives messages of a sender, some perhaps several times.
    pub(super) fn receivers(&self, sender: LocationId) -> impl Iterator<Item = LocationId> {
        let at = u64::from(sender.0).min(self.places.len().saturating_sub(2));
        let first = &self.places.first_channel;
        self.channels.receiver.iter(first.get(at)..first.get(at + 1))
    }

    /// The rows of a location's messages.
    pub(super) fn rows(&self, sender: LocationId) -> Range<u64> {
        let (at, first) = (u64::from(sender.0), &self.places.first_message);
        if at + 1 < self.places.len() { first.get(at)..first.get(at + 1) } else { 0..0 }
    }

    /// The first of a location's messages that it did not send before a moment.
    pub(super) fn first_since(&self, store: &Store, sender: LocationId, moment: Ns) -> u64 {
        let (rows, bits) = (self.rows(sender), self.bits(sender));
        let first = self.places.first_block.get(u64::from(sender.0));
        let blocks = (rows.end - rows.start).div_ceil(1 << bits);
        // It is in the block before the first one that begins since then, behind its first message, or follows it.
        let after = self.blocks.sent.first_since(first..first + blocks, moment) - first;
        let Some(block) = after.checked_sub(1) else { return rows.start };
        let row = |block: u64| rows.start + (block << bits);
        store.messages.send.partition_point(row(block) + 1..row(after).min(rows.end), |send| send < moment)
    }

    /// log2 of the messages of each block of a sender.
    fn bits(&self, sender: LocationId) -> u32 {
        let (rows, at, first) = (self.rows(sender), u64::from(sender.0), &self.places.first_channel);
        bits(first.get(at + 1) - first.get(at), rows.end - rows.start)
    }

    /// What is kept of a sender, for some of its messages: those of a run of its rows.
    pub(super) fn of<'a>(
        &'a self,
        store: &'a Store,
        sender: LocationId,
        run: Range<u64>,
        wanted: &'a Wanted,
    ) -> Run<'a> {
        let (at, PlaceTable { first_channel, first_block, first_sum, .. }) = (u64::from(sender.0), &self.places);
        let (rows, channels) = (self.rows(sender), first_channel.get(at)..first_channel.get(at + 1));
        let bits = self.bits(sender);
        let (first, last) = (run.start - rows.start, run.end - rows.start);
        let blocks = (rows.end - rows.start).div_ceil(1 << bits);
        // The last block may be shorter.
        let after = if run.end == rows.end { blocks } else { last >> bits };
        let sums = first_sum.get(at)..first_sum.get(at + 1);
        Run {
            kept: self,
            store,
            wanted,
            whole: first.div_ceil(1 << bits)..after,
            touched: first >> bits..last.div_ceil(1 << bits),
            first_block: first_block.get(at),
            first_sum: (!sums.is_empty()).then_some(sums.start),
            rows,
            asked: run,
            channels,
            bits,
        }
    }
}

/// Some neighbouring messages of a sender.
pub(super) struct Run<'a> {
    kept: &'a Kept,
    store: &'a Store,
    wanted: &'a Wanted,
    /// All messages of the sender, and those that are asked for.
    rows: Range<u64>,
    asked: Range<u64>,
    /// The blocks of them that lie in the run as a whole, and those with any message of it.
    whole: Range<u64>,
    touched: Range<u64>,
    first_block: u64,
    first_sum: Option<u64>,
    channels: Range<u64>,
    /// log2 of the messages of a block.
    bits: u32,
}

impl Run<'_> {
    /// Calls `add` for all of them, as far as they are wanted.
    pub(super) fn all(&self, add: &mut impl FnMut(LocationId, &Exchanged)) {
        let whole = self.rows_of(self.whole.clone());
        if whole.is_empty() || self.first_sum.is_none() {
            return self.look_at(self.asked.clone(), None, add);
        }
        self.look_at(self.asked.start..whole.start, None, add);
        self.add_up(self.whole.clone(), add);
        self.look_at(whole.end..self.asked.end, None, add);
    }

    /// The same for those that are received in a window of time.
    pub(super) fn received(&self, window: Window, add: &mut impl FnMut(LocationId, &Exchanged)) {
        if self.asked.is_empty() {
            return;
        }
        let BlockTable { least, most, since, until, .. } = &self.kept.blocks;
        let first = self.first_block;
        let block_since = |column: &Column<Ns>, blocks: Range<u64>, moment: Ns| {
            column.partition_point(first + blocks.start..first + blocks.end, |time| time < moment) - first
        };
        // Everything before these blocks is received too early, and everything after them too late.
        let from = block_since(until, self.touched.clone(), window.0);
        let to = block_since(since, from..self.touched.end, window.1);
        // Nothing since the first of these is received too early, and nothing up to the last of them too late.
        let inner = block_since(since, from..to, window.0).max(self.whole.start)
            ..block_since(until, from..to, window.1).min(self.whole.end);
        let inner = if inner.is_empty() || self.first_sum.is_none() { to..to } else { inner };
        let mut unanswered = 0..0;
        for block in (from..inner.start).chain(inner.end..to) {
            let (least, most) = (least.get(first + block), most.get(first + block));
            let rows = self.rows_of(block..block + 1);
            if most < window.0 || least >= window.1 {
                continue;
            }
            let is_in = least >= window.0 && most < window.1 && self.whole.contains(&block);
            if is_in && self.first_sum.is_some() {
                self.add_up(block..block + 1, add);
            } else if unanswered.end == rows.start {
                // Neighbours are looked at together.
                unanswered.end = rows.end;
            } else {
                let before = std::mem::replace(&mut unanswered, rows);
                self.look_at(before, Some(window), add);
            }
        }
        self.look_at(unanswered, Some(window), add);
        self.add_up(inner, add);
    }

    /// The rows of some blocks, as far as they are in the run.
    fn rows_of(&self, blocks: Range<u64>) -> Range<u64> {
        let row = |block: u64| (self.rows.start + (block << self.bits)).clamp(self.asked.start, self.asked.end);
        row(blocks.start)..row(blocks.end)
    }

    fn look_at(&self, rows: Range<u64>, received: Option<Window>, add: &mut impl FnMut(LocationId, &Exchanged)) {
        if !rows.is_empty() {
            let singles = Singles { store: self.store, arrivals: &self.kept.arrivals, wanted: self.wanted, received };
            singles.for_each(rows, add);
        }
    }

    /// Adds the sums of blocks: those at their end without those at their beginning.
    fn add_up(&self, blocks: Range<u64>, add: &mut impl FnMut(LocationId, &Exchanged)) {
        let Some(first_sum) = self.first_sum.filter(|_| !blocks.is_empty()) else { return };
        let channels = self.channels.end - self.channels.start;
        // Where the sums up to the beginning of a block are; at the first there are none yet.
        let before = |block: u64| (block > 0).then(|| first_sum + (block - 1) * channels);
        let mut sums = vec![Exchanged::default(); channels as usize];
        let mut read = |column: &Column<u64>, part: fn(&mut Exchanged) -> &mut u64| {
            let at = |row: Option<u64>| row.map_or(0..0, |row| row..row + channels);
            for (sum, value) in sums.iter_mut().zip(column.iter(at(before(blocks.end)))) {
                *part(sum) = value;
            }
            for (sum, value) in sums.iter_mut().zip(column.iter(at(before(blocks.start)))) {
                *part(sum) = part(sum).saturating_sub(value);
            }
        };
        let (kept, parts) = (&self.kept.sums, self.wanted.parts);
        read(&kept.count, |sum| &mut sum.messages);
        read(&kept.bytes, |sum| &mut sum.bytes);
        if parts.has_flight() {
            read(&kept.flight, |sum| &mut sum.flight);
        }
        if parts.has_wait() {
            read(&kept.wait, |sum| &mut sum.wait);
        }
        self.drop_unwanted(&mut sums);
        let receivers = self.kept.channels.receiver.iter(self.channels.clone());
        for (receiver, sum) in receivers.zip(&sums).filter(|(_, sum)| sum.messages > 0) {
            add(receiver, sum);
        }
    }

    /// Leaves out channels that are not wanted, and says of the others whose time is known.
    fn drop_unwanted(&self, sums: &mut [Exchanged]) {
        let Kept { channels, .. } = self.kept;
        if self.wanted.parts.has_flight() {
            for (sum, is_backward) in sums.iter_mut().zip(channels.is_backward.iter(self.channels.clone())) {
                sum.timed = if is_backward == 0 { sum.bytes } else { 0 };
            }
        }
        if self.wanted.communicator.is_some() {
            for (sum, comm) in sums.iter_mut().zip(channels.comm.iter(self.channels.clone())) {
                if !self.wanted.has_communicator(comm) {
                    *sum = Exchanged::default();
                }
            }
        }
        if !self.wanted.hidden.is_empty() {
            for (sum, region) in sums.iter_mut().zip(channels.region.iter(self.channels.clone())) {
                if self.wanted.hidden.contains(&region) {
                    *sum = Exchanged::default();
                }
            }
        }
    }
}
