//! What the tests of several readers share: archives, and files read at once.
//!
//! `bytes` puts OTF2 archives together by hand in the documented byte form; `made` is a small source for the crate's own
//! writer; `plain` reads formats that are one file.

#![allow(dead_code, reason = "each test binary uses a part of this")]
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

pub(crate) mod bytes;
pub(crate) mod made;
pub(crate) mod plain;

use heddle_formats::otf2::{Archive, OpenError};
use heddle_formats::{Files, MemoryFiles};
use heddle_testkit::ReadTrace;

/// Reads an OTF2 archive whole.
pub(crate) fn read_archive(files: &dyn Files, name: &str) -> Result<ReadTrace, OpenError> {
    Archive::open(files, name).map(|archive| ReadTrace::of(&archive))
}

/// All files of an archive, to be damaged one at a time.
pub(crate) fn snapshot(files: &MemoryFiles) -> Vec<(String, Vec<u8>)> {
    files.names().into_iter().map(|name| (name.clone(), files.get(&name).unwrap())).collect()
}
