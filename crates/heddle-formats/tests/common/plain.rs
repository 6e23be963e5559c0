//! Traces of one file, or a few, read at once.

use heddle_formats::{Gathered, Input, MemoryFiles, OpenError};
use heddle_testkit::{ReadTrace, with_input};

/// How a format is opened.
pub(crate) type Open = for<'a> fn(&Input<'a>) -> Result<Gathered<'a>, OpenError>;

/// Reads files within a budget of memory.
pub(crate) fn read_files(open: Open, files: &[(&str, &[u8])], memory: u64) -> Result<ReadTrace, OpenError> {
    let all = MemoryFiles::default();
    for (name, bytes) in files {
        all.insert(name, bytes.to_vec());
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    with_input(&all, &names, memory, |input| open(input).map(|source| ReadTrace::of(&source)))
}

/// Reads files that are called 0, 1, 2 … within a budget of memory.
pub(crate) fn read_several(open: Open, files: &[&[u8]], memory: u64) -> Result<ReadTrace, OpenError> {
    let names: Vec<String> = (0..files.len()).map(|at| at.to_string()).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(String::as_str).zip(files.iter().copied()).collect();
    read_files(open, &files, memory)
}

pub(crate) fn read(open: Open, bytes: &[u8]) -> Result<ReadTrace, OpenError> {
    read_several(open, &[bytes], 1 << 30)
}
