//! Records as bytes: a header, then a body whose length depends only on the kind.
//!
//! Versions 02.10 and 02.20 have a shorter header without communicator and thread, and other bodies for messages and
//! communicators. Everything else is the same in all versions.

/// The log ends here.
pub(super) const END_LOG: i32 = 0;
/// The block ends here; what follows up to its end is left over from earlier use of the memory.
pub(super) const END_BLOCK: i32 = 1;
/// A state: two event ids, colour, name, format.
pub(super) const STATE: i32 = 2;
/// A solo event: id, colour, name, format.
pub(super) const EVENT: i32 = 3;
// 4 is a constant of the MPI library, such as its number for any source. Wildcards are resolved in the log.
/// An event.
pub(super) const BARE: i32 = 5;
/// An event with 32 bytes of the program's own.
pub(super) const CARGO: i32 = 6;
/// One end of a message.
pub(super) const MESSAGE: i32 = 7;
/// A collective with its root. The library never writes it.
pub(super) const COLLECTIVE: i32 = 8;
/// A communicator comes into being or goes.
pub(super) const COMMUNICATOR: i32 = 9;
/// A line of the program. The library never writes it.
pub(super) const SOURCE_LINE: i32 = 10;
/// The clock's correction from here on.
pub(super) const TIME_SHIFT: i32 = 11;

/// A block holds at least the longest record and its end.
pub(super) const SMALLEST_BLOCK: usize = 24 + 112 + 24;

/// Kind of a message record: sent.
pub(super) const SENT: i32 = -101;
/// Kind of a message record: received.
pub(super) const RECEIVED: i32 = -102;

/// In the place of a communicator: none, or not known yet.
pub(super) const NO_COMM: i32 = -999_999_999;

/// Byte order and generation of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Numbers have their highest byte first.
    pub(super) big: bool,
    /// Version 02.10 or 02.20.
    pub(super) old: bool,
}

/// Where an event is logged: communicator, rank in it, thread.
pub(super) type Line = (i32, i32, i32);

/// What every record begins with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Header {
    /// Seconds.
    pub(super) time: f64,
    /// Where.
    pub(super) line: Line,
}

/// One end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// [`SENT`] or [`RECEIVED`].
    pub(super) kind: i32,
    /// Communicator of the other side.
    pub(super) comm: i32,
    /// Rank of the other side in it.
    pub(super) rank: i32,
    pub(super) tag: i32,
    pub(super) size: i32,
}

impl Layout {
    /// Bytes of a header.
    #[inline]
    pub(super) fn header(self) -> usize {
        if self.old { 16 } else { 24 }
    }

    /// Bytes of a whole record, header included; `None` for a kind that does not exist.
    #[inline]
    pub(super) fn size(self, kind: i32) -> Option<usize> {
        const BODIES: [usize; 12] = [0, 0, 112, 104, 40, 8, 40, 24, 16, 48, 48, 8];
        let body = match kind {
            COMMUNICATOR if self.old => 16,
            _ => *BODIES.get(usize::try_from(kind).ok()?)?,
        };
        Some(self.header() + body)
    }

    /// The kind of the record that begins here, if the header is all there.
    #[inline]
    pub(super) fn kind(self, bytes: &[u8]) -> Option<i32> {
        (bytes.len() >= self.header()).then(|| self.i32(bytes, if self.old { 8 } else { 20 }))
    }

    /// The header of a whole record.
    #[inline]
    pub(super) fn read_header(self, record: &[u8]) -> Header {
        let line = if self.old {
            (0, self.i32(record, 12), 0)
        } else {
            (self.i32(record, 8), self.i32(record, 12), self.i32(record, 16))
        };
        Header { time: self.f64(record, 0), line }
    }

    /// What follows the header.
    #[inline]
    pub(super) fn body(self, record: &[u8]) -> &[u8] {
        record.get(self.header()..).unwrap_or_default()
    }

    /// The body of a message record on `line`.
    #[inline]
    pub(super) fn message(self, body: &[u8], line: Line) -> Message {
        let field = |at: usize| self.i32(body, at);
        if self.old {
            return Message { kind: field(0), tag: field(4), rank: field(8), comm: line.0, size: field(16) };
        }
        // A file of one process does not know the other side's communicator yet: it is its own.
        let comm = if field(4) == NO_COMM { line.0 } else { field(4) };
        Message { kind: field(0), comm, rank: field(8), tag: field(12), size: field(16) }
    }

    /// A number at a place; 0 where there is none, which whole records do not have.
    #[inline]
    pub(super) fn i32(self, bytes: &[u8], at: usize) -> i32 {
        let Some(field) = bytes.get(at..).and_then(<[u8]>::first_chunk::<4>) else { return 0 };
        if self.big { i32::from_be_bytes(*field) } else { i32::from_le_bytes(*field) }
    }

    /// The same for a floating number.
    #[inline]
    pub(super) fn f64(self, bytes: &[u8], at: usize) -> f64 {
        let Some(field) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) else { return 0.0 };
        if self.big { f64::from_be_bytes(*field) } else { f64::from_le_bytes(*field) }
    }
}

/// A text of fixed width: up to its first NUL, whatever stands behind.
pub(super) fn text(bytes: &[u8], at: usize, width: usize) -> String {
    let field = bytes.get(at..(at + width).min(bytes.len())).unwrap_or_default();
    String::from_utf8_lossy(field.split(|byte| *byte == 0).next().unwrap_or_default()).into_owned()
}
