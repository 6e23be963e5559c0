//! Traces of one file, or a few, read at once.

use heddle_formats::{Gathered, Input, MemoryFiles, MemoryScratch, OpenError};
use heddle_model::{RecordBlock, Source};

use super::Trace;

/// How a format is opened.
pub(crate) type Open = for<'a> fn(&Input<'a>) -> Result<Gathered<'a>, OpenError>;

/// Reads files that are called 0, 1, 2 … within a budget of memory.
pub(crate) fn read_several(open: Open, files: &[&[u8]], memory: u64) -> Result<Trace, OpenError> {
    let all = MemoryFiles::default();
    let names: Vec<String> = (0..files.len()).map(|at| at.to_string()).collect();
    for (name, bytes) in names.iter().zip(files) {
        all.insert(name, bytes.to_vec());
    }
    let scratch = MemoryScratch::default();
    let input = Input { files: &all, names: &names, scratch: &scratch, memory, go_on: &|_| true };
    let source = open(&input)?;
    let definitions = source.definitions().clone();
    let mut blocks: Vec<_> = definitions.locations.iter().map(|_| RecordBlock::default()).collect();
    for part in source.parts() {
        source.read(part, &mut blocks[part.location.index()]).unwrap();
    }
    let mut warnings = source.warnings().clone();
    for block in &blocks {
        warnings.merge(&block.warnings);
    }
    Ok(Trace { definitions, blocks, warnings })
}

pub(crate) fn read(open: Open, bytes: &[u8]) -> Result<Trace, OpenError> {
    read_several(open, &[bytes], 1 << 30)
}
