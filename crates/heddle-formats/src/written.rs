//! What the writers of all formats have in common: how they are called, what they report and how they fail.

use std::io;

use heddle_model::{Part, Source, SourceError};

use crate::{FileSink, Scratch};

/// How a format is written.
pub type Write = fn(&dyn Source, &Output<'_>) -> Result<WriteSummary, WriteError>;

/// What a writer is given besides the records.
#[derive(Clone, Copy)]
pub struct Output<'a> {
    /// Name of the trace.
    pub name: &'a str,
    /// Where its files go.
    pub files: &'a dyn FileSink,
    /// Where things are put that do not fit the memory.
    pub scratch: &'a dyn Scratch,
    /// Budget of anonymous memory, in bytes, for what grows with the trace. Definitions and one part of each location, or of
    /// each thread, come on top: how large parts are is the source's choice.
    pub memory: u64,
    /// Told how many records were read so far, perhaps from several threads; whether to go on.
    pub go_on: &'a (dyn Fn(u64) -> bool + Sync),
}

impl<'a> Output<'a> {
    /// A trace of that name, with as much memory as there is, that nobody stops.
    pub fn new(name: &'a str, files: &'a dyn FileSink, scratch: &'a dyn Scratch) -> Output<'a> {
        Output { name, files, scratch, memory: u64::MAX, go_on: &|_| true }
    }
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteSummary {
    /// How many locations.
    pub locations: u64,
    /// How many events, as the format counts them; without definitions and metadata.
    pub events: u64,
    /// What the format has no place for: not in the files.
    pub left_out: u64,
}

/// Why a trace could not be written. The file that makes it a trace comes last, so that what was written until then is
/// not taken for one.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A file cannot be created or written.
    #[error("cannot write {file}: {cause}")]
    Io {
        /// Its name within the trace.
        file: String,
        /// Why.
        cause: io::Error,
    },
    /// The source failed.
    #[error(transparent)]
    Read(#[from] SourceError),
    /// Two locations would be one file of an OTF2 archive.
    #[error("two locations have the id {file_id}, but an OTF2 archive names its files by it")]
    DuplicateLocation {
        /// Their id.
        file_id: u64,
    },
    /// One text or group is more than an OTF2 archive can hold.
    #[error("{file}: a record of {bytes} bytes is more than an OTF2 archive can hold")]
    RecordTooLarge {
        /// Where it was to go.
        file: String,
        /// How long it is.
        bytes: usize,
    },
    /// The caller said so.
    #[error("cancelled")]
    Cancelled,
}

/// The parts of each location, none for those without records. Parts come by location.
pub(crate) fn parts_by_location(source: &dyn Source) -> Vec<&[Part]> {
    let mut by_location: Vec<&[Part]> = vec![&[]; source.definitions().locations.len()];
    for parts in source.parts().chunk_by(|a, b| a.location == b.location) {
        if let Some(slot) = by_location.get_mut(parts[0].location.index()) {
            *slot = parts;
        }
    }
    by_location
}
