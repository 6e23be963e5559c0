//! `meta.json`: what a store is, whether it is whole, and what it was made from.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::StoreError;
use crate::packed;

/// Version of the on-disk format. A store of another version is rebuilt, never guessed at.
pub const FORMAT_VERSION: u32 = 10;

/// The file that makes a directory a store. It is written last.
pub(crate) const META_FILE: &str = "meta.json";

/// The head of `info`: counts over the whole trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Short name of the format it was read from.
    pub format: String,
    /// Who recorded it.
    pub creator: String,
    /// Size of the world; without MPI the number of processes.
    pub ranks: u64,
    /// All locations that are defined, those with counters only included.
    pub locations: u64,
    /// Event records in the trace.
    pub events: u64,
    /// Stays in regions.
    pub spans: u64,
    /// Matched pairs.
    pub messages: u64,
    /// Sends without a receive.
    pub unmatched_sends: u64,
    /// Receives without a send, posted ones that never completed included.
    pub unmatched_receives: u64,
    /// Collective operations, non-blocking ones included.
    pub collectives: u64,
    /// Distinct member lists in use, self communicators left out.
    pub communicators: u64,
    /// Always zero: the earliest event.
    pub start_ns: i64,
    /// The last event.
    pub end_ns: i64,
}

/// A file of the trace that decides whether the store is up to date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SourceFile {
    pub(crate) name: String,
    pub(crate) length: u64,
    /// Modification time in nanoseconds since 1970.
    pub(crate) modified_ns: i64,
}

/// What the store was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SourceState {
    /// Main files, definitions and files of names.
    pub(crate) files: Vec<SourceFile>,
    /// Event files in a folder of their own: how many, their total length, and a hash over names, lengths and times.
    pub(crate) event_files: u64,
    pub(crate) event_bytes: u64,
    pub(crate) event_hash: String,
    /// Of inodes and times of change. Stores of earlier versions have none, and are taken for those of another trace.
    #[serde(default)]
    pub(crate) touched: String,
    /// Of the content, or of samples of it.
    #[serde(default)]
    pub(crate) content: String,
}

/// A table file, as it must be found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableFile {
    pub(crate) bytes: u64,
}

/// The content of `meta.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Meta {
    pub(crate) heddle_store: u32,
    pub(crate) written_by: String,
    /// The trace's name, for titles.
    pub(crate) name: String,
    pub(crate) summary: Summary,
    /// `None` for a store that was simulated: there is nothing it could be older than.
    pub(crate) source: Option<SourceState>,
    pub(crate) tables: BTreeMap<String, TableFile>,
}

impl Meta {
    /// Reads and checks `meta.json`, and that every table has its length.
    pub(crate) fn read(directory: &Path) -> Result<Meta, StoreError> {
        let path = directory.join(META_FILE);
        let not_a_store = |what: &str| StoreError::NotAStore { path: directory.to_owned(), what: what.to_owned() };
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => {
                return Err(not_a_store("it has no meta.json; the import did not finish, or this is something else"));
            }
            Err(cause) => return Err(StoreError::read(&path, cause)),
        };
        // The version stands before everything else may change.
        let version: VersionOnly =
            serde_json::from_slice(&text).map_err(|_| not_a_store("its meta.json has no `heddle_store` version"))?;
        if version.heddle_store != FORMAT_VERSION {
            return Err(StoreError::Version {
                path: directory.to_owned(),
                found: version.heddle_store,
                expected: FORMAT_VERSION,
            });
        }
        let meta: Meta = serde_json::from_slice(&text)
            .map_err(|cause| StoreError::damaged(&path, &format!("it cannot be understood ({cause})")))?;
        for (name, table) in &meta.tables {
            let path = directory.join(name);
            let length = std::fs::metadata(&path).map_err(|cause| StoreError::read(&path, cause))?.len();
            if length != table.bytes {
                return Err(StoreError::damaged(&path, &format!("it has {length} bytes, not {}", table.bytes)));
            }
        }
        Ok(meta)
    }

    /// Notes the length of every table below `directory` and writes `meta.json`.
    pub(crate) fn write(mut self, directory: &Path) -> Result<(), StoreError> {
        collect_tables(directory, "", &mut self.tables)?;
        let path = directory.join(META_FILE);
        let text = serde_json::to_vec_pretty(&self).map_err(|cause| StoreError::damaged(&path, &cause.to_string()))?;
        std::fs::write(&path, text).map_err(|cause| StoreError::write(&path, cause))
    }
}

#[derive(Deserialize)]
struct VersionOnly {
    heddle_store: u32,
}

fn collect_tables(directory: &Path, prefix: &str, tables: &mut BTreeMap<String, TableFile>) -> Result<(), StoreError> {
    let failed = |cause| StoreError::read(directory, cause);
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() {
            collect_tables(&entry.path(), &format!("{name}/"), tables)?;
        } else if entry.path().extension().is_some_and(|ending| ending == "arrow" || ending == packed::ENDING) {
            tables.insert(name, TableFile { bytes: entry.metadata().map_err(failed)?.len() });
        }
    }
    Ok(())
}
