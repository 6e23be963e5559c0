//! A trace read whole, and plain questions about it.

use heddle_formats::{Files, Input, MemoryScratch};
use heddle_model::{Definitions, Event, Ns, RecordBlock, RegionId, Source, Warning, WarningKind, Warnings};

/// A trace as a consumer gets it: one block for each location.
#[derive(Debug)]
pub struct ReadTrace {
    /// What the source says of itself.
    pub definitions: Definitions,
    /// The records of each location.
    pub blocks: Vec<RecordBlock>,
    /// Of the source and of all its parts.
    pub warnings: Warnings,
    /// The name of the format.
    pub format: &'static str,
}

/// A stay in a region.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Name of the location.
    pub location: String,
    /// When it began.
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// How many others it is in.
    pub depth: usize,
    /// Name of the region.
    pub region: String,
}

/// Opens files of a trace with scratch space in memory and within a budget.
pub fn with_input<T>(files: &dyn Files, names: &[&str], memory: u64, open: impl FnOnce(&Input<'_>) -> T) -> T {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let scratch = MemoryScratch::default();
    open(&Input { files, names: &names, scratch: &scratch, memory, go_on: &|_| true, say: &|_| {} })
}

impl ReadTrace {
    /// Reads all parts of a source.
    pub fn of(source: &dyn Source) -> ReadTrace {
        let definitions = source.definitions().clone();
        let mut blocks: Vec<_> = definitions.locations.iter().map(|_| RecordBlock::default()).collect();
        for part in source.parts() {
            source.read(part, &mut blocks[part.location.index()]).unwrap();
        }
        let mut warnings = source.warnings().clone();
        for block in &blocks {
            warnings.merge(&block.warnings);
        }
        ReadTrace { definitions, blocks, warnings, format: source.format() }
    }

    /// All that happened on a location.
    pub fn events(&self, location: usize) -> Vec<(Ns, Event<'_>)> {
        self.blocks[location].iter().collect()
    }

    /// How many records all locations have together.
    pub fn records(&self) -> usize {
        self.blocks.iter().map(RecordBlock::len).sum()
    }

    /// Name of a region.
    pub fn region(&self, id: RegionId) -> &str {
        &self.definitions.regions[id.index()].name
    }

    /// Names of the regions that a location enters, in order.
    pub fn entered(&self, location: usize) -> Vec<&str> {
        let names = self.blocks[location].iter().filter_map(|(_, event)| match event {
            Event::Enter(region) => Some(self.region(region)),
            _ => None,
        });
        names.collect()
    }

    /// All stays, by location and in the order they began. Panics on what does not nest, and on times that fall.
    pub fn spans(&self) -> Vec<Span> {
        let mut spans = Vec::new();
        for (location, block) in self.definitions.locations.iter().zip(&self.blocks) {
            let mut open: Vec<usize> = Vec::new();
            let mut last = i64::MIN;
            for (time, event) in block.iter() {
                assert!(time.0 >= last, "{}: time falls", location.name);
                last = time.0;
                match event {
                    Event::Enter(region) => {
                        let depth = open.len();
                        open.push(spans.len());
                        let (location, region) = (location.name.to_string(), self.region(region).to_owned());
                        spans.push(Span { location, start: time.0, end: time.0, depth, region });
                    }
                    Event::Leave(region) => {
                        let span = &mut spans[open.pop().unwrap()];
                        let is_same = region.is_none_or(|id| self.region(id) == span.region);
                        assert!(is_same, "{}: stays cross", location.name);
                        span.end = time.0;
                    }
                    _ => {}
                }
            }
            assert!(open.is_empty(), "{}: the reader leaves something open", location.name);
        }
        spans
    }

    /// How often the reader warned of something.
    pub fn warned(&self, kind: WarningKind) -> u64 {
        self.warnings.count(kind)
    }

    /// Warnings of damage: the ones that must name a file and a byte.
    pub fn damage(&self) -> Vec<Warning> {
        let is_damage = |w: &Warning| matches!(w.kind, WarningKind::Truncated | WarningKind::Corrupt);
        self.warnings.to_vec().into_iter().filter(is_damage).collect()
    }
}
