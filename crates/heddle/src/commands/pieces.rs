//! Traces, of one file or several: written beside their place, and moved there once they are whole.

use std::path::{Path, PathBuf};

use anyhow::Context;

use heddle_formats::{WriteError, chrome, otf2, paraver};
use heddle_model::Source;
use heddle_store::{DiskFiles, StoreError};

use super::Usage;
use crate::progress::is_cancelled;

/// A format that traces are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TraceFormat {
    /// `NAME.otf2` with its files and folder.
    Otf2,
    /// `NAME.prv` with `NAME.pcf` and `NAME.row`.
    Paraver,
    /// `NAME.json`, or `NAME.json.gz`.
    Chrome,
}

impl TraceFormat {
    /// Endings of the main file.
    fn main_endings(self) -> &'static [&'static str] {
        match self {
            TraceFormat::Otf2 => &[".otf2"],
            TraceFormat::Paraver => &[".prv"],
            TraceFormat::Chrome => &[".json", ".json.gz"],
        }
    }

    /// Endings of what comes into being before the main file, which makes it a trace.
    fn other_endings(self) -> &'static [&'static str] {
        match self {
            TraceFormat::Otf2 => &["", ".def", ".marker"],
            TraceFormat::Paraver => &[".pcf", ".row"],
            TraceFormat::Chrome => &[],
        }
    }

    fn title(self) -> &'static str {
        match self {
            TraceFormat::Otf2 => "an OTF2 archive",
            TraceFormat::Paraver => "a Paraver trace",
            TraceFormat::Chrome => "a file of trace events",
        }
    }
}

/// A trace to be written.
pub(super) struct TracePieces {
    format: TraceFormat,
    directory: PathBuf,
    name: String,
    /// Of the main file.
    ending: &'static str,
}

impl TracePieces {
    /// The trace `DIRECTORY/NAME`, whose main file is `output`.
    pub(super) fn of(output: &Path, format: TraceFormat) -> Result<TracePieces, Usage> {
        let file = output.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let endings = format.main_endings();
        let found = endings.iter().find_map(|ending| Some((file.strip_suffix(ending)?, *ending)));
        let Some((name, ending)) = found.filter(|(name, _)| !name.is_empty()) else {
            let (output, title, endings) = (output.display(), format.title(), endings.join(" or "));
            return Err(Usage(format!("-o {output}: the name of {title} must end in {endings}")));
        };
        let directory = match output.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        Ok(TracePieces { format, directory, name: name.to_owned(), ending })
    }

    /// The files and directories that will come into being.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.below(&self.directory)
    }

    fn below(&self, directory: &Path) -> Vec<PathBuf> {
        let endings = self.format.other_endings().iter().chain([&self.ending]);
        endings.map(|ending| directory.join(format!("{}{ending}", self.name))).collect()
    }

    /// Refuses to write over what is there.
    pub(super) fn check_free(&self) -> Result<(), Usage> {
        match self.paths().iter().find(|piece| piece.exists()) {
            Some(there) => {
                let (file, there) = (format!("{}{}", self.name, self.ending), there.display());
                Err(Usage(format!("{file} is not written: {there} already exists; --force replaces it")))
            }
            None => Ok(()),
        }
    }

    /// Writes the trace; returns how many events it has.
    pub(super) fn write(&self, source: &dyn Source) -> anyhow::Result<u64> {
        let temporary = self.directory.join(format!(".{}{}.tmp-{}", self.name, self.ending, std::process::id()));
        let written = self.write_pieces(source, &temporary);
        // After a failure this clears what was written; after success it is empty.
        let _ = std::fs::remove_dir_all(&temporary);
        written
    }

    fn write_pieces(&self, source: &dyn Source, temporary: &Path) -> anyhow::Result<u64> {
        std::fs::create_dir_all(temporary).with_context(|| format!("{}: cannot write", self.directory.display()))?;
        let sink = DiskFiles::below(temporary);
        let go_on = |_| !is_cancelled();
        let failed = |error: anyhow::Error| error.context(format!("{}", self.directory.display()));
        let events = match self.format {
            TraceFormat::Otf2 => match otf2::write(source, &self.name, &sink, &go_on) {
                Ok(summary) => summary.events,
                Err(otf2::WriteError::Cancelled) => return Err(StoreError::Cancelled.into()),
                Err(error) => return Err(failed(error.into())),
            },
            TraceFormat::Paraver => match paraver::write(source, &self.name, &sink, &go_on) {
                Ok(summary) => {
                    if summary.left_out > 0 {
                        eprintln!(
                            "note: {} ends of messages without a partner, collectives outside of calls and marks of the \
                             whole trace have no place in this format and were left out",
                            summary.left_out
                        );
                    }
                    summary.records
                }
                Err(WriteError::Cancelled) => return Err(StoreError::Cancelled.into()),
                Err(error) => return Err(failed(error.into())),
            },
            TraceFormat::Chrome => {
                match chrome::write(source, &format!("{}{}", self.name, self.ending), &sink, &go_on) {
                    Ok(summary) => {
                        if summary.left_out > 0 {
                            eprintln!(
                                "note: {} receives that never complete and collectives without a call of their own have \
                                 no place in this format and were left out",
                                summary.left_out
                            );
                        }
                        summary.events
                    }
                    Err(WriteError::Cancelled) => return Err(StoreError::Cancelled.into()),
                    Err(error) => return Err(failed(error.into())),
                }
            }
        };
        for (there, made) in self.paths().iter().zip(self.below(temporary)) {
            if there.is_dir() {
                std::fs::remove_dir_all(there).with_context(|| format!("{}: cannot replace", there.display()))?;
            }
            if made.exists() {
                std::fs::rename(&made, there).with_context(|| format!("{}: cannot write", there.display()))?;
            }
        }
        Ok(events)
    }
}
