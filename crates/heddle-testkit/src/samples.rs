//! Where the sample traces are, which are not part of the repository.

use std::io::Write;
use std::path::PathBuf;

/// A folder of the sample traces, below the one that `HEDDLE_TRACES` names; `None`, and a line that says so, without it.
pub fn sample_traces(folder: &str) -> Option<PathBuf> {
    let Some(root) = std::env::var_os("HEDDLE_TRACES") else {
        // Past the test harness, which would keep it to itself.
        std::io::stderr().write_all(b"skipped: HEDDLE_TRACES is not set\n").unwrap();
        return None;
    };
    Some(PathBuf::from(root).join(folder))
}
