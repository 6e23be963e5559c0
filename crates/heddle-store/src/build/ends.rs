//! What a location's walk leaves for matching: records that can lie in a file.
//!
//! `span` counts on the location until the location's first row is known, then in the spans table.

use heddle_model::{CollectiveOp, CommId, LocationId, MessageEnd, Ns, SpanRow};

use super::spill::Record;
use crate::column::Fixed;

/// What both ends of a message have: whose end it is, and what it is matched by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Envelope {
    pub(crate) location: LocationId,
    pub(crate) peer: LocationId,
    pub(crate) comm: CommId,
    pub(crate) tag: u32,
    pub(crate) bytes: u64,
}

impl Envelope {
    /// Of an end on a location.
    pub(crate) fn of(location: LocationId, end: &MessageEnd) -> Envelope {
        Envelope { location, peer: end.peer, comm: end.comm, tag: end.tag, bytes: end.bytes }
    }

    /// Of a receive that is not complete: only then does its partner show.
    pub(crate) fn unknown(location: LocationId) -> Envelope {
        Envelope { location, peer: LocationId::NONE, comm: CommId::NONE, tag: u32::MAX, bytes: u64::MAX }
    }
}

/// A send, blocking or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SendEnd {
    pub(crate) envelope: Envelope,
    pub(crate) time: Ns,
    /// When a non-blocking send was complete.
    pub(crate) completed: Ns,
    pub(crate) span: SpanRow,
}

/// A receive, in the order of posting. Until a posted one completes, its partner is not known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecvEnd {
    pub(crate) envelope: Envelope,
    /// Completion; while posted, the time of posting.
    pub(crate) time: Ns,
    pub(crate) posted: Ns,
    pub(crate) span: SpanRow,
    pub(crate) state: EndState,
}

/// One location's part in a collective, in the order of beginning or posting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemberEnd {
    pub(crate) location: LocationId,
    pub(crate) comm: CommId,
    pub(crate) root: LocationId,
    pub(crate) op: CollectiveOp,
    pub(crate) sent: u64,
    pub(crate) received: u64,
    pub(crate) start: Ns,
    pub(crate) end: Ns,
    pub(crate) span: SpanRow,
    pub(crate) state: EndState,
    /// Which operation of its communicator, if the reader knows; else [`UNNUMBERED`].
    pub(crate) number: u32,
}

/// A member whose operation is found by counting.
pub(crate) const UNNUMBERED: u32 = u32::MAX;

/// How far a posted operation came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EndState(u32);

impl EndState {
    pub(crate) const OPEN: EndState = EndState(0);
    pub(crate) const COMPLETE: EndState = EndState(1);
    pub(crate) const CANCELLED: EndState = EndState(2);
}

/// The columns of an envelope: the first four are what ends are matched by.
const ENVELOPE: usize = 5;

impl Envelope {
    fn to_words(self, words: &mut [u64]) {
        let ids = [self.location.0, self.peer.0, self.comm.0, self.tag];
        words.iter_mut().zip(ids).for_each(|(word, id)| *word = u64::from(id));
        words[4] = self.bytes;
    }

    fn from_words(words: &[u64]) -> Envelope {
        let id = |at: usize| words[at] as u32;
        Envelope {
            location: LocationId(id(0)),
            peer: LocationId(id(1)),
            comm: CommId(id(2)),
            tag: id(3),
            bytes: words[4],
        }
    }
}

/// A time as a distance to another one, which is smaller; a time that is not known stays as it is.
fn to_distance(time: Ns, from: Ns) -> u64 {
    if time.is_some() { time.0.wrapping_sub(from.0).cast_unsigned() } else { time.0.cast_unsigned() }
}

fn from_distance(word: u64, from: Ns) -> Ns {
    let time = Ns(word.cast_signed());
    if time.is_some() { Ns(time.0.wrapping_add(from.0)) } else { time }
}

impl Record for SendEnd {
    const COLUMNS: usize = ENVELOPE + 3;
    const KEYS: u32 = 0b1111;

    fn to_words(&self, words: &mut [u64]) {
        self.envelope.to_words(words);
        let rest = [self.time.0.cast_unsigned(), to_distance(self.completed, self.time), self.span.0];
        words[ENVELOPE..].copy_from_slice(&rest);
    }

    fn from_words(words: &[u64]) -> SendEnd {
        let time = Ns(words[5].cast_signed());
        let completed = from_distance(words[6], time);
        SendEnd { envelope: Envelope::from_words(words), time, completed, span: SpanRow(words[7]) }
    }
}

impl Record for RecvEnd {
    const COLUMNS: usize = ENVELOPE + 4;
    const KEYS: u32 = 0b1111 | 1 << 8;

    fn to_words(&self, words: &mut [u64]) {
        self.envelope.to_words(words);
        let time = self.time.0.cast_unsigned();
        let rest = [time, to_distance(self.posted, self.time), self.span.0, u64::from(self.state.0)];
        words[ENVELOPE..].copy_from_slice(&rest);
    }

    fn from_words(words: &[u64]) -> RecvEnd {
        let time = Ns(words[5].cast_signed());
        RecvEnd {
            envelope: Envelope::from_words(words),
            time,
            posted: from_distance(words[6], time),
            span: SpanRow(words[7]),
            state: EndState(words[8] as u32),
        }
    }
}

impl Record for MemberEnd {
    const COLUMNS: usize = 11;
    const KEYS: u32 = 0b11 | 1 << 9 | 1 << 10;

    fn to_words(&self, words: &mut [u64]) {
        words.copy_from_slice(&[
            u64::from(self.location.0),
            u64::from(self.comm.0),
            u64::from(self.root.0),
            self.op.to_word(),
            self.sent,
            self.received,
            self.start.0.cast_unsigned(),
            to_distance(self.end, self.start),
            self.span.0,
            u64::from(self.state.0),
            u64::from(self.number),
        ]);
    }

    fn from_words(words: &[u64]) -> MemberEnd {
        let start = Ns(words[6].cast_signed());
        MemberEnd {
            location: LocationId(words[0] as u32),
            comm: CommId(words[1] as u32),
            root: LocationId(words[2] as u32),
            op: CollectiveOp::from_word(words[3]),
            sent: words[4],
            received: words[5],
            start,
            end: from_distance(words[7], start),
            span: SpanRow(words[8]),
            state: EndState(words[9] as u32),
            number: words[10] as u32,
        }
    }
}

/// Records of one kind made by one location: those new in this stretch, and changes to earlier ones.
#[derive(Debug)]
pub(crate) struct Ends<T> {
    /// How many the location had before this stretch.
    before: u64,
    pub(crate) new: Vec<T>,
    /// Position on the location, and the new content.
    pub(crate) patches: Vec<(u64, T)>,
}

impl<T> Default for Ends<T> {
    fn default() -> Ends<T> {
        Ends { before: 0, new: Vec::new(), patches: Vec::new() }
    }
}

impl<T: Copy> Ends<T> {
    /// Adds a record; returns its position on the location.
    pub(crate) fn push(&mut self, end: T) -> u64 {
        self.new.push(end);
        self.before + self.new.len() as u64 - 1
    }

    /// Puts `end` in the place of an earlier record.
    pub(crate) fn replace(&mut self, position: u64, end: T) {
        match position.checked_sub(self.before) {
            Some(at) => self.new[at as usize] = end,
            None => self.patches.push((position, end)),
        }
    }

    /// The list for the stretch that follows this one.
    pub(crate) fn next(&self) -> Ends<T> {
        Ends { before: self.before + self.new.len() as u64, ..Ends::default() }
    }

    /// Forgets everything but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.before = 0;
        self.new.clear();
        self.patches.clear();
    }
}
