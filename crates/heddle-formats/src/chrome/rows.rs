//! What events become before they are put in the order of time: small entries on tracks.

use rustc_hash::FxHashMap;

use super::category::{Category, Class};
use super::names::Names;
use crate::runs::Row;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// A stay in region `id`.
    Span,
    /// A stay that is a communication: row `id` of the communication rows.
    Communication,
    /// A counter `id`; the bits of its value are where ends are.
    Metric,
    /// An instant named `id`.
    Mark,
    /// Something begins in region `id`; `end` tells apart what runs side by side.
    Begin,
    /// It ends.
    Finish,
}

/// One thing on a track. 24 bytes: a file of 10 GB has some 30 million of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) id: u32,
    /// Which of two with the same start and end is around the other: the lower.
    pub(super) order: u16,
    pub(super) kind: Kind,
}

impl Row for Entry {
    type Key = (i64, std::cmp::Reverse<i64>, u16);
    type Bytes = [u8; Entry::BYTES];
    const BYTES: usize = 24;

    /// Where the entry stands among those of its track; equals stay in the order of the file.
    #[inline]
    fn key(&self) -> Self::Key {
        match self.kind {
            Kind::Span | Kind::Communication => (self.start, std::cmp::Reverse(self.end), self.order),
            _ => (self.start, std::cmp::Reverse(i64::MAX), 0),
        }
    }

    fn to_bytes(self) -> [u8; Entry::BYTES] {
        let mut bytes = [0; Entry::BYTES];
        bytes[..8].copy_from_slice(&self.start.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.end.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.id.to_le_bytes());
        bytes[20..22].copy_from_slice(&self.order.to_le_bytes());
        bytes[22] = self.kind as u8;
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Entry {
        let rest = word(bytes, 16);
        let kind = match (rest >> 48) as u8 {
            0 => Kind::Span,
            1 => Kind::Communication,
            2 => Kind::Metric,
            3 => Kind::Mark,
            4 => Kind::Begin,
            _ => Kind::Finish,
        };
        let (start, end) = (word(bytes, 0) as i64, word(bytes, 8) as i64);
        Entry { start, end, id: rest as u32, order: (rest >> 32) as u16, kind }
    }
}

/// Eight bytes as a number; zeros if there are fewer.
pub(super) fn word(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    if let Some(there) = bytes.get(at..at + 8) {
        word.copy_from_slice(there);
    }
    u64::from_le_bytes(word)
}

/// A process or thread by number, or by a text of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Id {
    Number(i64),
    Text(u32),
}

/// Rows of one class of one thread or stream of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TrackKey {
    pub(super) file: u32,
    pub(super) pid: Id,
    pub(super) tid: Id,
    pub(super) class: Class,
}

/// The tables that entries point into: of one block first, of the whole trace in the end.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) regions: Names,
    /// Category of each region's first row.
    pub(super) categories: Vec<Category>,
    pub(super) texts: Names,
    pub(super) tracks: Vec<TrackKey>,
    track_ids: FxHashMap<TrackKey, u32>,
}

impl Tables {
    #[inline]
    pub(super) fn region(&mut self, name: &[u8], category: Category) -> u32 {
        let id = self.regions.id(name);
        if self.categories.len() < self.regions.len() {
            self.categories.push(category);
        }
        id
    }

    /// The same within a budget of bytes.
    pub(super) fn region_within(&mut self, name: &[u8], category: Category, most: usize, refused: &mut u64) -> u32 {
        let id = self.regions.id_within(name, most, refused);
        if self.categories.len() < self.regions.len() {
            self.categories.push(category);
        }
        id
    }

    #[inline]
    pub(super) fn track(&mut self, key: TrackKey) -> u32 {
        let next = self.tracks.len() as u32;
        let id = *self.track_ids.entry(key).or_insert(next);
        if id == next {
            self.tracks.push(key);
        }
        id
    }

    /// A text as a person reads it.
    pub(super) fn text(&self, id: u32) -> String {
        String::from_utf8_lossy(self.texts.get(id)).into_owned()
    }
}

/// Which part a row has in a communication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// It is the operation itself: a kernel of the library, or a row of a library that works on the host.
    Execution,
    /// The row of the host that carries the parameters.
    Parameters,
    /// A row of the host that only says by its name what is launched inside.
    Scope,
}

/// A row that belongs to a communication, with the arguments that say what it does. Texts are ids.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommRow {
    pub(super) part: Part,
    pub(super) file: u32,
    /// The track of the row; for rows of the host that of the thread's operators.
    pub(super) track: u32,
    pub(super) region: u32,
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) arguments: CommArguments,
}

/// What the arguments of a communication row say.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CommArguments {
    pub(super) operation: Option<u32>,
    pub(super) group: Option<u32>,
    /// The text of the list of the group's ranks.
    pub(super) ranks: Option<u32>,
    pub(super) size: Option<u32>,
    pub(super) sent: Option<u64>,
    pub(super) received: Option<u64>,
    pub(super) element: Option<u32>,
    pub(super) sequence: Option<u64>,
    pub(super) key: Option<u32>,
    pub(super) external: Option<i64>,
    pub(super) correlation: Option<i64>,
    pub(super) rank: Option<u32>,
    pub(super) source: Option<u32>,
    pub(super) destination: Option<u32>,
}

/// A call that launches work on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Launch {
    pub(super) correlation: i64,
    pub(super) time: i64,
    /// Its thread's track of operators.
    pub(super) thread: u32,
}

/// A name given by a metadata event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given {
    pub(super) pid: Id,
    /// `None` names the process.
    pub(super) tid: Option<Id>,
    pub(super) name: u32,
}
