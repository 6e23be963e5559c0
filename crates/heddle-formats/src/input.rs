//! What a reader of a mixed trace is given, and how it fails.

use std::io;

use crate::{Files, Scratch};

/// A trace to be read once, from its beginning to its end.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// Where the files are.
    pub files: &'a dyn Files,
    /// The files of the trace by name, in the order the user gave them: nearly always one. Formats in which every process
    /// writes a file of its own have several.
    pub names: &'a [String],
    /// Where records are put that do not fit the memory.
    pub scratch: &'a dyn Scratch,
    /// Budget of anonymous memory, in bytes, for records and tables of names together. Unpacking comes on top of it:
    /// [`crate::Format::open`] has set that aside.
    pub memory: u64,
    /// Told how many more bytes of the files have been read; whether to go on.
    pub go_on: &'a (dyn Fn(u64) -> bool + Sync),
    /// Told what the user should know before it begins.
    pub say: &'a (dyn Fn(&str) + Sync),
}

/// A trace that cannot be read at all. Damage inside one is a warning, not this.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The system does not give us the file.
    #[error("{place}: cannot be read: {cause}")]
    Unreadable {
        /// Which file.
        place: String,
        /// Why.
        cause: io::Error,
    },
    /// It is not what it seemed to be.
    #[error("{place}: {what}")]
    Wrong {
        /// File, and byte or line.
        place: String,
        /// What was expected, what was found, what to do.
        what: String,
    },
    /// Unpacking it takes more memory than there is.
    #[error(
        "{place}: unpacking it takes {} of memory, because it was packed to refer back that far; the budget is {}. Allow more \
         with --memory {}, or unpack the file first",
        size(*.needed), size(*.budget), at_least(*.needed)
    )]
    NeedsMemory {
        /// Which file.
        place: String,
        /// Bytes to unpack it and to read what is in it.
        needed: u64,
        /// Bytes that are allowed.
        budget: u64,
    },
    /// An OTF2 archive has more to say about itself.
    #[error(transparent)]
    Otf2(#[from] crate::otf2::OpenError),
    /// The user does not want it any more.
    #[error("stopped")]
    Cancelled,
}

/// Bytes for people.
pub(crate) fn size(bytes: u64) -> String {
    let (unit, name) = if bytes < 1 << 30 { (20, "MiB") } else { (30, "GiB") };
    let tenths = (u128::from(bytes) * 10).div_ceil(1 << unit);
    if tenths % 10 == 0 || tenths >= 1000 {
        format!("{} {name}", tenths.div_ceil(10))
    } else {
        format!("{}.{} {name}", tenths / 10, tenths % 10)
    }
}

/// What to give to `--memory` for at least so many bytes.
fn at_least(bytes: u64) -> String {
    if bytes < 1 << 30 { format!("{}M", bytes.div_ceil(1 << 20)) } else { format!("{}G", bytes.div_ceil(1 << 30)) }
}

impl OpenError {
    /// For `map_err` on reading a file.
    pub fn unreadable(place: impl Into<String>) -> impl FnOnce(io::Error) -> OpenError {
        let place = place.into();
        move |cause| OpenError::Unreadable { place, cause }
    }
}
