//! What a location's walk leaves for matching: plain records that can lie in a file.
//!
//! `span` counts on the location until the location's first row is known, then in the spans table.

use bytemuck::{Pod, Zeroable};
use heddle_model::{CollectiveOp, CommId, LocationId, MessageEnd, Ns, SpanRow};

/// What both ends of a message have: whose end it is, and what it is matched by.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
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
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SendEnd {
    pub(crate) envelope: Envelope,
    pub(crate) time: Ns,
    /// When a non-blocking send was complete.
    pub(crate) completed: Ns,
    pub(crate) span: SpanRow,
}

/// A receive, in the order of posting. Until a posted one completes, its partner is not known.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct RecvEnd {
    pub(crate) envelope: Envelope,
    /// Completion; while posted, the time of posting.
    pub(crate) time: Ns,
    pub(crate) posted: Ns,
    pub(crate) span: SpanRow,
    pub(crate) state: EndState,
    pub(crate) padding: u32,
}

/// One location's part in a collective, in the order of beginning or posting.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct MemberEnd {
    pub(crate) location: LocationId,
    pub(crate) comm: CommId,
    pub(crate) root: LocationId,
    pub(crate) op: CollectiveOp,
    pub(crate) padding: [u8; 3],
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct EndState(u32);

impl EndState {
    pub(crate) const OPEN: EndState = EndState(0);
    pub(crate) const COMPLETE: EndState = EndState(1);
    pub(crate) const CANCELLED: EndState = EndState(2);
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
