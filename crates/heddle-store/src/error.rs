//! What can go wrong with a store, in words for the person at the terminal.

use std::io;
use std::path::{Path, PathBuf};

use arrow_schema::ArrowError;

/// Why a store could not be made or opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Writing failed: no space, no permission.
    #[error("{}: cannot write: {cause}{}", path.display(), advice(cause))]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// Reading failed.
    #[error("{}: cannot read: {cause}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// A table is not what it should be.
    #[error("{}: this part of the store is damaged: {what}; delete the store and import the trace again", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// Damage was found while a store was read.
    #[error(
        "{}: this part of the store is damaged: some of it is not what was written, so nothing that was made of it is true; import the trace again, and its store is built anew; if there is only the store, delete it", .0.display()
    )]
    Spoilt(PathBuf),
    /// Not a store, or an unfinished one.
    #[error("{}: not a Heddle store: {what}", path.display())]
    NotAStore {
        /// The directory.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// Written by another version.
    #[error("{}: store format {found}, this program reads {expected}; import the trace again to rebuild it", path.display())]
    Version {
        /// The directory.
        path: PathBuf,
        /// What it says.
        found: u32,
        /// What we read.
        expected: u32,
    },
    /// The trace could not be opened.
    #[error("{0}")]
    Trace(String),
    /// The trace changed while it was read.
    #[error("{}: the trace changed while it was being imported; import it again when the program that writes it is done", .0.display())]
    SourceChanged(PathBuf),
    /// A file of an open store became shorter.
    #[error(
        "{}: another program has cut this file of the open store short, so nothing more can be shown of the trace; import it again with `heddle import --force TRACE`, and open it again", .0.display()
    )]
    Cut(PathBuf),
    /// It takes more memory than it may.
    #[error("{0}; allow more with --memory")]
    Memory(String),
    /// The user stopped it.
    #[error("cancelled; nothing was left behind")]
    Cancelled,
}

impl StoreError {
    /// Writing a file failed.
    pub fn write(path: &Path, cause: io::Error) -> StoreError {
        StoreError::Write { path: path.to_owned(), cause }
    }

    /// Reading a file failed.
    pub fn read(path: &Path, cause: io::Error) -> StoreError {
        StoreError::Read { path: path.to_owned(), cause }
    }

    /// A file is not what it should be.
    pub fn damaged(path: &Path, what: &str) -> StoreError {
        StoreError::Damaged { path: path.to_owned(), what: what.to_owned() }
    }

    /// Arrow wraps the disk's errors in its own; a full disk should still say so.
    pub(crate) fn arrow(path: &Path, cause: ArrowError) -> StoreError {
        match cause {
            ArrowError::IoError(_, cause) => StoreError::write(path, cause),
            other => StoreError::damaged(path, &other.to_string()),
        }
    }
}

fn advice(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space, or keep the store elsewhere with --store DIR or HEDDLE_STORE"
        }
        io::ErrorKind::FileTooLarge => "; there is a limit on the length of files here (`ulimit -f` shows it)",
        io::ErrorKind::PermissionDenied
        | io::ErrorKind::ReadOnlyFilesystem
        | io::ErrorKind::NotFound
        | io::ErrorKind::NotADirectory => "; choose a place you may write to with --store DIR or HEDDLE_STORE",
        _ => "",
    }
}
