//! What happens inside a row: ends of messages and parts of collectives. They belong to the row that is open around them.

use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, Definitions, LocationId, MessageEnd, Ns, RecordBlock, RequestId,
};
use rustc_hash::FxHashMap;

use super::rows::word;
use crate::runs::Row;

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum What {
    Send,
    SendDone,
    Post,
    Receive,
    Begin,
    End,
    /// A collective that is not waited for is asked for, and done.
    Ask,
    Done,
}

const ALL: [What; 8] =
    [What::Send, What::SendDone, What::Post, What::Receive, What::Begin, What::End, What::Ask, What::Done];

/// In the place of a number, a communicator or a track: there is none.
pub(super) const NONE: u32 = u32::MAX;

/// Something that happens inside a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    /// It is in the innermost row that is open then.
    pub(super) at: i64,
    /// When it happened: then or later, while the row is open.
    pub(super) time: i64,
    pub(super) what: What,
    /// It happens when the next row begins.
    pub(super) next: bool,
    pub(super) op: u8,
    /// Of those that the file states; else that of all processes.
    pub(super) comm: u32,
    /// Tag of a message, number of a collective.
    pub(super) tag: u32,
    /// Track of the other side of a message, or the thread's number of it or of a root.
    pub(super) peer: Peer,
    pub(super) bytes: u64,
    pub(super) received: u64,
    pub(super) request: u64,
}

/// Who is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peer {
    Nobody,
    Track(u32),
    Thread(u32),
}

impl Row for Bound {
    /// What waits for a row comes before those that begin at its time.
    type Key = (i64, bool);
    type Bytes = [u8; Bound::BYTES];
    const BYTES: usize = 56;

    fn key(&self) -> Self::Key {
        (self.at, !self.next)
    }

    fn to_bytes(self) -> [u8; Bound::BYTES] {
        let mut bytes = [0; Bound::BYTES];
        let (kind, peer) = match self.peer {
            Peer::Nobody => (0u8, 0),
            Peer::Track(track) => (1, track),
            Peer::Thread(thread) => (2, thread),
        };
        let small = u64::from(peer) | u64::from(self.what as u8) << 32 | u64::from(self.op) << 40;
        let small = small | u64::from(kind) << 48 | u64::from(self.next) << 56;
        let both = u64::from(self.comm) | u64::from(self.tag) << 32;
        let words = [self.at as u64, self.time as u64, small, both, self.bytes, self.received, self.request];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Bound {
        let (small, both) = (word(bytes, 16), word(bytes, 24));
        Bound {
            at: word(bytes, 0) as i64,
            time: word(bytes, 8) as i64,
            what: ALL[usize::from((small >> 32) as u8) % ALL.len()],
            next: (small >> 56) != 0,
            op: (small >> 40) as u8,
            comm: both as u32,
            tag: (both >> 32) as u32,
            peer: match (small >> 48) as u8 {
                0 => Peer::Nobody,
                1 => Peer::Track(small as u32),
                _ => Peer::Thread(small as u32),
            },
            bytes: word(bytes, 32),
            received: word(bytes, 40),
            request: word(bytes, 48),
        }
    }
}

/// What numbers in a [`Bound`] stand for.
pub(super) struct Meanings {
    /// By track.
    pub(super) locations: Vec<LocationId>,
    /// By the number of the thread, in a file that states its locations.
    pub(super) threads: FxHashMap<u32, LocationId>,
    /// The first stated communicator, and how many there are.
    pub(super) first_comm: u32,
    pub(super) comms: u32,
    /// Whether the numbers of a stated communicator's collectives have no gaps.
    pub(super) numbered: Vec<bool>,
    /// The communicator of messages that name none.
    pub(super) everybody: CommId,
}

impl Meanings {
    fn comm(&self, comm: u32) -> CommId {
        if comm < self.comms { CommId(self.first_comm + comm) } else { self.everybody }
    }

    pub(super) fn location(&self, peer: Peer) -> LocationId {
        match peer {
            Peer::Nobody => None,
            Peer::Track(track) => self.locations.get(track as usize).copied(),
            Peer::Thread(thread) => self.threads.get(&thread).copied(),
        }
        .unwrap_or(LocationId::NONE)
    }

    /// Puts it into the block of its location.
    pub(super) fn put(&self, bound: &Bound, time: Ns, definitions: &Definitions, block: &mut RecordBlock) {
        let request = RequestId(bound.request);
        let message = || {
            let peer = definitions.main_location(self.location(bound.peer));
            MessageEnd { peer, comm: self.comm(bound.comm), tag: bound.tag, bytes: bound.bytes, request }
        };
        let collective = || CollectiveEnd {
            op: CollectiveOp(bound.op),
            comm: self.comm(bound.comm),
            root: self.location(bound.peer),
            sent: bound.bytes,
            received: bound.received,
            request,
            number: self.numbered.get(bound.comm as usize).is_some_and(|all| *all).then_some(bound.tag),
        };
        match bound.what {
            What::Send if request.is_some() => block.isend(time, message()),
            What::Send => block.send(time, message()),
            What::SendDone => block.send_complete(time, request),
            What::Post => block.recv_request(time, request),
            What::Receive if request.is_some() => block.irecv(time, message()),
            What::Receive => block.recv(time, message()),
            What::Begin => block.collective_begin(time),
            What::End => block.collective_end(time, collective()),
            What::Ask => block.collective_request(time, request),
            What::Done => block.collective_complete(time, collective()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_back() {
        for (at, what) in ALL.into_iter().enumerate() {
            let bound = Bound {
                at: -5,
                time: i64::MAX - 1,
                what,
                next: at % 2 == 0,
                op: 255 - at as u8,
                comm: NONE,
                tag: 7,
                peer: [Peer::Nobody, Peer::Track(9), Peer::Thread(NONE)][at % 3],
                bytes: u64::MAX,
                received: 1 << 40,
                request: at as u64,
            };
            let back = Bound::from_bytes(&bound.to_bytes());
            assert_eq!(back, bound);
        }
    }
}
