//! What a trace looked like when its store was made: how a later change is noticed.

use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::meta::{SourceFile, SourceState};

/// The state of the OTF2 archive `NAME` in `directory`: anchor, definitions and markers by length, time and
/// content; event files, which may be a million, by name and length.
pub(crate) fn otf2_state(directory: &Path, name: &str) -> io::Result<SourceState> {
    let mut state = SourceState::default();
    for ending in ["otf2", "def", "marker"] {
        let file = format!("{name}.{ending}");
        match std::fs::metadata(directory.join(&file)) {
            Ok(metadata) => {
                let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
                state.files.push(SourceFile {
                    length: metadata.len(),
                    modified_ns: modified.map_or(0, |since| since.as_nanos() as i64),
                    hash: format!("{:016x}", xxh3_64(&std::fs::read(directory.join(&file))?)),
                    name: file,
                });
            }
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
