//! The fuzz target of Paraver traces.

use super::read_all;
use crate::{Input, MemoryFiles, MemoryScratch, paraver};

/// What separates the three files in one input.
pub const PARAVER_BORDER: &[u8] = b"\n----\n";

/// Reads a trace whose three files come from one input: `.prv`, border, `.pcf`, border, `.row`.
pub fn paraver(bytes: &[u8]) {
    let files = MemoryFiles::default();
    let mut rest = bytes;
    for name in ["t.prv", "t.pcf", "t.row"] {
        let border = rest.windows(PARAVER_BORDER.len()).position(|at| at == PARAVER_BORDER);
        let (file, after) = rest.split_at(border.unwrap_or(rest.len()));
        files.insert(name, file.to_vec());
        rest = after.get(PARAVER_BORDER.len()..).unwrap_or_default();
    }
    let scratch = MemoryScratch::default();
    let names = ["t.prv".to_owned()];
    let input =
        Input { files: &files, names: &names, scratch: &scratch, memory: 1 << 20, go_on: &|_| true, say: &|_| {} };
    let Ok(trace) = paraver::open(&input) else { return };
    read_all(&trace);
}
