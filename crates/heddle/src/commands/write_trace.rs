//! Writes a trace, of one file or several, beside its place and moves it there once it is whole.

use std::path::{Path, PathBuf};

use anyhow::Context;

use heddle_formats::{Output, Write, WriteError, chrome, otf2, paraver};
use heddle_model::Source;
use heddle_store::{DiskFiles, DiskScratch, StoreError, name_to_text, text_to_name};

use super::Usage;
use super::output::Temporary;
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

    fn writer(self) -> Write {
        match self {
            TraceFormat::Otf2 => otf2::write,
            TraceFormat::Paraver => paraver::write,
            TraceFormat::Chrome => chrome::write,
        }
    }

    /// What the format has no place for.
    fn left_out(self) -> &'static str {
        match self {
            TraceFormat::Otf2 => "records",
            TraceFormat::Paraver => {
                "ends of messages without a partner, collectives outside of calls and marks of the whole trace"
            }
            TraceFormat::Chrome => "receives that never complete and collectives without a call of their own",
        }
    }
}

/// A trace to be written.
pub(super) struct TraceOutput {
    format: TraceFormat,
    directory: PathBuf,
    /// The text of the name.
    name: String,
    /// Of the main file.
    ending: &'static str,
}

impl TraceOutput {
    /// The trace `DIRECTORY/NAME`, whose main file is `output`.
    pub(super) fn of(output: &Path, format: TraceFormat) -> Result<TraceOutput, Usage> {
        let file = name_to_text(output.file_name().unwrap_or_default());
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
        Ok(TraceOutput { format, directory, name: name.to_owned(), ending })
    }

    /// The files and directories that will come into being.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.below(&self.directory)
    }

    fn below(&self, directory: &Path) -> Vec<PathBuf> {
        let endings = self.format.other_endings().iter().chain([&self.ending]);
        endings.map(|ending| directory.join(text_to_name(&format!("{}{ending}", self.name)))).collect()
    }

    /// Refuses to write over what is there.
    pub(super) fn check_free(&self) -> Result<(), Usage> {
        match self.paths().iter().find(|path| path.exists()) {
            Some(there) => {
                let (file, there) = (format!("{}{}", self.name, self.ending), there.display());
                Err(Usage(format!("{file} is not written: {there} already exists; --force replaces it")))
            }
            None => Ok(()),
        }
    }

    /// Writes the trace with as much memory; returns how many events it has.
    pub(super) fn write(&self, source: &dyn Source, memory: u64) -> anyhow::Result<u64> {
        let main = self.directory.join(text_to_name(&format!("{}{}", self.name, self.ending)));
        let temporary = Temporary::directory(&main);
        let temporary = temporary.with_context(|| format!("{}: cannot write", self.directory.display()))?;
        // What is left in it goes with it: after a failure all, after success nothing.
        self.write_files(source, temporary.path(), memory)
    }

    fn write_files(&self, source: &dyn Source, temporary: &Path, memory: u64) -> anyhow::Result<u64> {
        // A file of trace events is named whole, because its ending says whether it is packed.
        let name = match self.format {
            TraceFormat::Chrome => format!("{}{}", self.name, self.ending),
            TraceFormat::Otf2 | TraceFormat::Paraver => self.name.clone(),
        };
        let scratch =
            DiskScratch::create(temporary).with_context(|| format!("{}: cannot write", self.directory.display()))?;
        let (files, go_on) = (DiskFiles::below(temporary), |_| !is_cancelled());
        let output = Output { name: &name, files: &files, scratch: &scratch, memory, go_on: &go_on };
        let written = self.format.writer()(source, &output);
        let summary = written.map_err(|error| match error {
            WriteError::Cancelled => StoreError::Cancelled.into(),
            error => anyhow::Error::new(error).context(self.directory.display().to_string()),
        })?;
        if summary.left_out > 0 {
            let (count, what) = (summary.left_out, self.format.left_out());
            eprintln!("note: {count} {what} have no place in this format and were left out");
        }
        // What was made of a damaged store is not true.
        heddle_store::check_all_read()?;
        for (there, made) in self.paths().iter().zip(self.below(temporary)) {
            if there.is_dir() {
                std::fs::remove_dir_all(there).with_context(|| format!("{}: cannot replace", there.display()))?;
            }
            if made.exists() {
                std::fs::rename(&made, there).with_context(|| format!("{}: cannot write", there.display()))?;
            }
        }
        Ok(summary.events)
    }
}
