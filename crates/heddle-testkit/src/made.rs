//! Sources that a test makes up.

use std::fmt;

use heddle_model::{Definitions, LocationId, Part, RecordBlock, Source, SourceError, Warnings};

type Records<'a> = Box<dyn Fn(&Part, &mut RecordBlock) -> Result<(), SourceError> + Sync + 'a>;

/// Definitions and parts as given, and records from a function.
pub struct MadeSource<'a> {
    /// What the source says of itself.
    pub definitions: Definitions,
    parts: Vec<Part>,
    records: Records<'a>,
    warnings: Warnings,
}

impl<'a> MadeSource<'a> {
    /// A source that cannot fail.
    pub fn new(
        definitions: Definitions,
        parts: Vec<Part>,
        records: impl Fn(&Part, &mut RecordBlock) + Sync + 'a,
    ) -> MadeSource<'a> {
        MadeSource::fallible(definitions, parts, move |part, out| {
            records(part, out);
            Ok(())
        })
    }

    /// A source that may fail to read a part.
    pub fn fallible(
        definitions: Definitions,
        parts: Vec<Part>,
        records: impl Fn(&Part, &mut RecordBlock) -> Result<(), SourceError> + Sync + 'a,
    ) -> MadeSource<'a> {
        MadeSource { definitions, parts, records: Box::new(records), warnings: Warnings::default() }
    }

    /// One part of `bytes` for each location that is defined.
    pub fn part_per_location(definitions: &Definitions, bytes: u64) -> Vec<Part> {
        let locations = 0..definitions.locations.len() as u32;
        locations.map(|at| Part { location: LocationId(at), index: 0, bytes }).collect()
    }
}

impl fmt::Debug for MadeSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MadeSource").field("parts", &self.parts).finish_non_exhaustive()
    }
}

impl Source for MadeSource<'_> {
    fn format(&self) -> &'static str {
        "made"
    }

    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn read(&self, part: &Part, out: &mut RecordBlock) -> Result<(), SourceError> {
        (self.records)(part, out)
    }

    fn warnings(&self) -> &Warnings {
        &self.warnings
    }
}
