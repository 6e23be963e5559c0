//! What every trace offers, whatever it is made of: definitions, then records part by part.

use crate::{Definitions, LocationId, MeasuredNetwork, RecordBlock, Warnings};

/// A piece of one location's records that can be read on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Whose records.
    pub location: LocationId,
    /// The how-manieth piece of that location, from 0.
    pub index: u32,
    /// About how many bytes it has in the source: how work and memory are planned.
    pub bytes: u64,
}

/// A trace. Parts are independent: any may be read at any time, several at once.
pub trait Source: Sync {
    /// Short name of the format: `otf2`, `simulated` …
    fn format(&self) -> &'static str;

    /// What the trace defines.
    fn definitions(&self) -> &Definitions;

    /// All parts, by location, then position. Locations without records have none.
    fn parts(&self) -> &[Part];

    /// Appends the records of one part to `out`.
    ///
    /// Damage inside is not an error: records before it are kept and `out.warnings` names the place.
    fn read(&self, part: &Part, out: &mut RecordBlock) -> Result<(), SourceError>;

    /// The same for whoever reads each part once and no part again: a source that holds its records in memory lets go of them.
    fn read_once(&self, part: &Part, out: &mut RecordBlock) -> Result<(), SourceError> {
        self.read(part, out)
    }

    /// What was measured on the machine's network, if anything was. A measurement may come without any records.
    fn network(&self) -> Option<&MeasuredNetwork> {
        None
    }

    /// What was odd about the trace as a whole.
    fn warnings(&self) -> &Warnings;
}

/// A part could not be had at all: the file went away, or the disk failed.
#[derive(Debug)]
pub struct SourceError {
    /// Which file or part.
    pub place: String,
    /// Why.
    pub cause: std::io::Error,
}

impl std::fmt::Display for SourceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.cause)
    }
}

impl std::error::Error for SourceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}
