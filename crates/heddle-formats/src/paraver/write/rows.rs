//! What the first reading keeps for the second, as rows of a fixed size that can be put aside and sorted.

use heddle_model::{CommId, LocationId, Ns};

use crate::runs::Row;

/// Numbers as bytes.
fn bytes_of<const WORDS: usize, const BYTES: usize>(words: [u64; WORDS]) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// And back.
fn words_of<const WORDS: usize>(bytes: &[u8]) -> [u64; WORDS] {
    let mut words = bytes.chunks_exact(8).map(|bytes| bytes.try_into().map_or(0, u64::from_le_bytes));
    std::array::from_fn(|_| words.next().unwrap_or(0))
}

fn two(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn halves(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, word as u32)
}

fn time(word: u64) -> Ns {
    Ns(word as i64)
}

/// One end of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageRow {
    pub(super) comm: u32,
    /// Sending and receiving process, by their main locations.
    pub(super) from: u32,
    pub(super) into: u32,
    pub(super) tag: u32,
    pub(super) location: u32,
    /// Place among the ends of its location.
    pub(super) order: u64,
    /// Called, and complete.
    pub(super) times: (Ns, Ns),
    pub(super) bytes: u64,
}

impl MessageRow {
    /// What both ends of a message have in common.
    pub(super) fn channel(&self) -> (u32, u32, u32, u32) {
        (self.comm, self.from, self.into, self.tag)
    }
}

impl Row for MessageRow {
    type Key = ((u32, u32, u32, u32), u32, u64);
    type Bytes = [u8; Self::BYTES];
    const BYTES: usize = 7 * 8;

    fn key(&self) -> Self::Key {
        (self.channel(), self.location, self.order)
    }

    fn to_bytes(self) -> Self::Bytes {
        let MessageRow { comm, from, into, tag, location, order, times, bytes } = self;
        let (begin, end) = (times.0.0 as u64, times.1.0 as u64);
        bytes_of([two(comm, from), two(into, tag), u64::from(location), order, begin, end, bytes])
    }

    fn from_bytes(bytes: &[u8]) -> MessageRow {
        let [first, second, location, order, begin, end, bytes] = words_of(bytes);
        let ((comm, from), (into, tag)) = (halves(first), halves(second));
        let times = (time(begin), time(end));
        MessageRow { comm, from, into, tag, location: location as u32, order, times, bytes }
    }
}

/// An end of a message whose other end is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct MatchedEnd {
    pub(super) location: LocationId,
    pub(super) tag: u32,
    /// Called, and complete.
    pub(super) times: (Ns, Ns),
    pub(super) bytes: u64,
}

impl From<MessageRow> for MatchedEnd {
    fn from(row: MessageRow) -> MatchedEnd {
        MatchedEnd { location: LocationId(row.location), tag: row.tag, times: row.times, bytes: row.bytes }
    }
}

/// Both ends of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct MatchedRow {
    /// In the order they were matched.
    pub(super) number: u64,
    pub(super) send: MatchedEnd,
    pub(super) receive: MatchedEnd,
}

impl Row for MatchedRow {
    type Key = (Ns, u64);
    type Bytes = [u8; Self::BYTES];
    const BYTES: usize = 8 * 8;

    /// By the time of sending.
    fn key(&self) -> Self::Key {
        (self.send.times.1, self.number)
    }

    fn to_bytes(self) -> Self::Bytes {
        let MatchedRow { number, send, receive } = self;
        let ends = [send.times.0, send.times.1, receive.times.0, receive.times.1].map(|time| time.0 as u64);
        let [a, b, c, d] = ends;
        bytes_of([two(send.location.0, receive.location.0), u64::from(send.tag), number, a, b, c, d, send.bytes])
    }

    fn from_bytes(bytes: &[u8]) -> MatchedRow {
        let [locations, tag, number, a, b, c, d, bytes] = words_of(bytes);
        let (sender, receiver) = halves(locations);
        let end = |location: u32, begin: u64, end: u64| MatchedEnd {
            location: LocationId(location),
            tag: tag as u32,
            times: (time(begin), time(end)),
            bytes,
        };
        MatchedRow { number, send: end(sender, a, b), receive: end(receiver, c, d) }
    }
}

/// A call of a collective, with what it will have done.
#[derive(Clone, Copy, Debug)]
pub(super) struct CollectiveCall {
    pub(super) location: u32,
    /// Place among the calls of its location; those in which no collective ends have none.
    pub(super) order: u64,
    pub(super) comm: CommId,
    pub(super) root: LocationId,
    pub(super) sent: u64,
    pub(super) received: u64,
}

impl Row for CollectiveCall {
    type Key = (u32, u64);
    type Bytes = [u8; Self::BYTES];
    const BYTES: usize = 5 * 8;

    fn key(&self) -> Self::Key {
        (self.location, self.order)
    }

    fn to_bytes(self) -> Self::Bytes {
        let CollectiveCall { location, order, comm, root, sent, received } = self;
        bytes_of([u64::from(location), order, two(comm.0, root.0), sent, received])
    }

    fn from_bytes(bytes: &[u8]) -> CollectiveCall {
        let [location, order, places, sent, received] = words_of(bytes);
        let (comm, root) = halves(places);
        let (comm, root) = (CommId(comm), LocationId(root));
        CollectiveCall { location: location as u32, order, comm, root, sent, received }
    }
}
