//! `meta.json`: what a store is, whether it is whole, and what it was made from.
//!
//! It has the length of every table, and a checksum of every small one and of itself. So damage of those is noticed when a store
//! is opened; large tables have a checksum for each of their blocks. Derived results have a list of the same kind.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Component, Path};

use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::StoreError;
use crate::map::{Mapped, NOT_AS_WRITTEN};
use crate::packed;

/// Version of the on-disk format. A store of another version is rebuilt, never guessed at.
pub const FORMAT_VERSION: u32 = 12;

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
    /// XXH3 of it, as a hexadecimal number, unless it is packed and has checksums of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    xxh3: Option<String>,
}

/// Table files by name.
pub(crate) type TableFiles = BTreeMap<String, TableFile>;

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
    pub(crate) tables: TableFiles,
}

impl Meta {
    /// Reads and checks `meta.json`, and that every table has its length.
    pub(crate) fn read(directory: &Path) -> Result<Meta, StoreError> {
        let path = directory.join(META_FILE);
        let not_a_store = |what: &str| StoreError::NotAStore { path: directory.to_owned(), what: what.to_owned() };
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(cause) if cause.kind() == ErrorKind::NotFound => {
                return Err(not_a_store("it has no meta.json; the import did not finish, or this is something else"));
            }
            Err(cause) => return Err(StoreError::read(&path, cause)),
        };
        // The version stands before everything else may change.
        let version: VersionOnly = serde_json::from_slice(&text)
            .map_err(|_| StoreError::damaged(&path, "it does not say the version of the store"))?;
        if version.heddle_store != FORMAT_VERSION {
            return Err(StoreError::Version {
                path: directory.to_owned(),
                found: version.heddle_store,
                expected: FORMAT_VERSION,
            });
        }
        let meta: Meta = read_sealed(&path, &text)?;
        check_lengths(directory, &meta.tables)?;
        Ok(meta)
    }

    /// Notes what every table below `directory` is like and writes `meta.json`.
    pub(crate) fn write(mut self, directory: &Path) -> Result<(), StoreError> {
        collect_tables(directory, "", &mut self.tables)?;
        write_sealed(&directory.join(META_FILE), &self)
    }
}

#[derive(Deserialize)]
struct VersionOnly {
    heddle_store: u32,
}

/// The file with the tables of a derived result.
const TABLES_FILE: &str = "tables.json";

/// Notes what every table of a derived result is like.
pub(crate) fn write_tables_file(directory: &Path) -> Result<(), StoreError> {
    let mut tables = TableFiles::default();
    collect_tables(directory, "", &mut tables)?;
    write_sealed(&directory.join(TABLES_FILE), &tables)
}

/// Checks that a derived result is as it was written.
pub(crate) fn check_tables_file(directory: &Path) -> Result<(), StoreError> {
    let path = directory.join(TABLES_FILE);
    let text = std::fs::read(&path).map_err(|cause| StoreError::read(&path, cause))?;
    let tables: TableFiles = read_sealed(&path, &text)?;
    check_unmarked(directory)?;
    check_lengths(directory, &tables)?;
    check_content(directory, &tables)
}

/// Lies in a store or result in which damage was found while it was read: it is made again as soon as it can be.
const DAMAGED_FILE: &str = "damaged";

/// Remembers that a file of a store or result is damaged.
pub(crate) fn mark_damaged(file: &Path) {
    let is_whole = |folder: &&Path| [META_FILE, TABLES_FILE].iter().any(|list| folder.join(list).is_file());
    if let Some(folder) = file.ancestors().skip(1).find(is_whole) {
        // Where nothing can be written, the next one finds the damage as well.
        let _ = std::fs::write(folder.join(DAMAGED_FILE), "");
    }
}

/// Fails if damage was found in a store or result.
pub(crate) fn check_unmarked(directory: &Path) -> Result<(), StoreError> {
    let is_marked = directory.join(DAMAGED_FILE).exists();
    if is_marked { Err(StoreError::damaged(directory, NOT_AS_WRITTEN)) } else { Ok(()) }
}

/// A document with the checksum of its text.
#[derive(Deserialize, Serialize)]
struct Sealed<T> {
    #[serde(flatten)]
    content: T,
    xxh3: String,
}

fn write_sealed(path: &Path, content: &impl Serialize) -> Result<(), StoreError> {
    let xxh3 = seal(path, content)?;
    let text = serde_json::to_vec_pretty(&Sealed { content, xxh3 });
    let text = text.map_err(|cause| StoreError::damaged(path, &cause.to_string()))?;
    std::fs::write(path, text).map_err(|cause| StoreError::write(path, cause))
}

fn read_sealed<T: DeserializeOwned + Serialize>(path: &Path, text: &[u8]) -> Result<T, StoreError> {
    let Sealed::<T> { content, xxh3 } = serde_json::from_slice(text)
        .map_err(|cause| StoreError::damaged(path, &format!("it cannot be understood ({cause})")))?;
    if seal(path, &content)? == xxh3 { Ok(content) } else { Err(StoreError::damaged(path, NOT_AS_WRITTEN)) }
}

/// The checksum of a document, whatever the space between its words.
fn seal(path: &Path, content: &impl Serialize) -> Result<String, StoreError> {
    let text = serde_json::to_vec(content).map_err(|cause| StoreError::damaged(path, &cause.to_string()))?;
    Ok(hexadecimal(&text))
}

fn hexadecimal(bytes: &[u8]) -> String {
    format!("{:016x}", xxh3_64(bytes))
}

fn check_lengths(directory: &Path, tables: &TableFiles) -> Result<(), StoreError> {
    for (name, table) in tables {
        let path = directory.join(name);
        let found = std::fs::metadata(&path).map_err(|cause| match cause.kind() {
            ErrorKind::NotFound => StoreError::damaged(&path, "it is not there"),
            _ => StoreError::read(&path, cause),
        })?;
        // What is no file, or lies elsewhere, may be a pipe that never gives anything.
        if !found.is_file() || !Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(StoreError::damaged(&path, "it is no file of the store"));
        }
        let length = found.len();
        if length != table.bytes {
            return Err(StoreError::damaged(&path, &format!("it has {length} bytes, not {}", table.bytes)));
        }
    }
    Ok(())
}

/// Compares the small tables with their checksums.
pub(crate) fn check_content(directory: &Path, tables: &TableFiles) -> Result<(), StoreError> {
    let small: Vec<(&String, &String)> =
        tables.iter().filter_map(|(name, table)| Some((name, table.xxh3.as_ref()?))).collect();
    small.into_par_iter().try_for_each(|(name, xxh3)| {
        let path = directory.join(name);
        let file = Mapped::open(&path).map_err(|cause| StoreError::read(&path, cause))?;
        if hexadecimal(file.bytes()) == *xxh3 { Ok(()) } else { Err(StoreError::damaged(&path, NOT_AS_WRITTEN)) }
    })
}

fn collect_tables(directory: &Path, prefix: &str, tables: &mut TableFiles) -> Result<(), StoreError> {
    let failed = |cause| StoreError::read(directory, cause);
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, name) = (entry.path(), format!("{prefix}{}", entry.file_name().to_string_lossy()));
        let kind = entry.file_type().map_err(failed)?;
        let ending = path.extension().unwrap_or_default();
        if kind.is_dir() {
            collect_tables(&path, &format!("{name}/"), tables)?;
        } else if ending == packed::ENDING {
            tables.insert(name, TableFile { bytes: entry.metadata().map_err(failed)?.len(), xxh3: None });
        } else if ending == "arrow" {
            let file = Mapped::open(&path).map_err(|cause| StoreError::read(&path, cause))?;
            let (bytes, xxh3) = (file.bytes().len() as u64, Some(hexadecimal(file.bytes())));
            tables.insert(name, TableFile { bytes, xxh3 });
        }
    }
    Ok(())
}
