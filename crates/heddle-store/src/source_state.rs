//! What a trace looked like when its store was made: how a later change is noticed.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::UNIX_EPOCH;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::meta::{SourceFile, SourceState};

/// Bytes at the beginning of a large file that are looked at: the rest is known by length and time.
const LOOKED_AT: u64 = 1 << 20;

/// The state of a trace that is a few files.
pub(crate) fn files_state(directory: &Path, names: &[String]) -> io::Result<SourceState> {
    let files = names.iter().map(|name| file_state(directory, name.clone(), LOOKED_AT));
    Ok(SourceState { files: files.collect::<io::Result<_>>()?, ..SourceState::default() })
}

fn file_state(directory: &Path, name: String, looked_at: u64) -> io::Result<SourceFile> {
    let file = File::open(directory.join(&name))?;
    let metadata = file.metadata()?;
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let mut bytes = Vec::new();
    file.take(looked_at).read_to_end(&mut bytes)?;
    Ok(SourceFile {
        length: metadata.len(),
        modified_ns: modified.map_or(0, |since| since.as_nanos() as i64),
        hash: format!("{:016x}", xxh3_64(&bytes)),
        name,
    })
}

/// The state of the OTF2 archive `NAME` in `directory`: anchor, definitions and markers by length, time and
/// content; event files, which may be a million, by name and length.
pub(crate) fn otf2_state(directory: &Path, name: &str) -> io::Result<SourceState> {
    let mut state = SourceState::default();
    for ending in ["otf2", "def", "marker"] {
        let file = format!("{name}.{ending}");
        match file_state(directory, file, u64::MAX) {
            Ok(file) => state.files.push(file),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
            Err(cause) => return Err(cause),
        }
    }
    let mut events: Vec<(std::ffi::OsString, u64)> = Vec::new();
    match std::fs::read_dir(directory.join(name)) {
        Ok(entries) => {
            for entry in entries {
                let entry = entry?;
                events.push((entry.file_name(), entry.metadata()?.len()));
            }
        }
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
        Err(cause) => return Err(cause),
    }
    events.sort_unstable();
    let mut hash = Xxh3::new();
    for (file, length) in &events {
        hash.update(file.as_encoded_bytes());
        hash.update(&length.to_le_bytes());
        state.event_bytes += length;
    }
    state.event_files = events.len() as u64;
    state.event_hash = format!("{:016x}", hash.digest());
    Ok(state)
}
