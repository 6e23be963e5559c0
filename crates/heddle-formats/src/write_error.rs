//! Why a trace that is one file, or a few of fixed names, could not be written.

use std::io;

use heddle_model::SourceError;

/// Why a trace could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A file cannot be created or written.
    #[error("cannot write {file}: {cause}")]
    Io {
        /// Its name.
        file: String,
        /// Why.
        cause: io::Error,
    },
    /// The source failed.
    #[error(transparent)]
    Read(#[from] SourceError),
    /// The caller said so.
    #[error("cancelled")]
    Cancelled,
}
