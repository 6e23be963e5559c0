//! Notes that people keep about a trace: views with a name and a few sentences, in an order.
//!
//! They are in a small JSON file beside the trace, named as its store is: `run.otf2` and `run.heddle` both have
//! `run.notes.json`. So they outlive a store that is built again, and move along with the trace. Where the folder cannot be
//! written to they are kept where the store would be then, under the user's cache directory. What somebody else left beside
//! the trace is still listed there, before one's own. A note is changed in the file that it is in.
//!
//! Promises: a file is replaced as a whole, by one writer at a time, who reads it again first; so what two people or two
//! servers write at once is all there. A file that cannot be understood is told in words and never written to.

mod file;
mod note;
mod turn;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::access::{Access, create_private_directory};
use crate::meta::META_FILE;
use crate::place::{StorePlace, is_writable, parent_of};
use crate::trace_files::{only_store_in, open_traces, shown_name};

pub use self::file::notes_json;
pub use self::note::{Draft, Note};
use self::turn::Turn;

/// How the files of notes end. A folder's only trace is not taken for one of them, nor they for a trace.
pub(crate) const ENDING: &str = ".notes.json";

/// Why notes could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotesError {
    /// The file is not what it should be. It stays as it is.
    #[error(
        "{}: these notes cannot be read{}: {what}. The file stays as it is: repair it, or move it away to begin anew", path.display(), at(*line, *column)
    )]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// The line, from 1; 0 if it is about no single one.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What was expected, or found.
        what: String,
    },
    /// Written by a later version.
    #[error(
        "{}: these notes are of format {found}, and this program knows format {}. The file stays as it is: use a newer Heddle, or move it away to begin anew", path.display(), file::VERSION
    )]
    Newer {
        /// Which file.
        path: PathBuf,
        /// What it says.
        found: u64,
    },
    /// Reading failed.
    #[error("{}: cannot read: {cause}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// Writing failed; what was there is still there.
    #[error("{}: cannot write: {cause}; nothing was changed{}", path.display(), advice(cause))]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// Somebody else has been writing for longer than that takes.
    #[error("{}: somebody else is writing; nothing was changed. If nobody is, remove this file", path.display())]
    Busy {
        /// What tells so.
        path: PathBuf,
    },
    /// What should be written down is not fit for it.
    #[error("{0}")]
    Wrong(String),
    /// There is no such note.
    #[error("there is no note `{0}`; somebody may have deleted it")]
    Unknown(String),
}

fn at(line: usize, column: usize) -> String {
    if line == 0 { String::new() } else { format!(" (line {line}, column {column})") }
}

fn advice(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            ". Ask the owner of the folder, or work on a copy of the trace"
        }
        _ => "",
    }
}

/// The notes of one trace.
#[derive(Clone, Debug)]
pub struct Notes {
    name: String,
    /// Where they may be: beside the trace, and for folders that cannot be written to.
    places: Vec<Place>,
}

#[derive(Clone, Debug)]
struct Place {
    path: PathBuf,
    /// Who may read a new file.
    access: Access,
}

impl Notes {
    /// The notes of the trace or store at these paths, of which `place` says where its store goes. No file is opened yet but
    /// those that tell which trace it is.
    pub fn of(paths: &[PathBuf], place: &StorePlace) -> Result<Notes, StoreError> {
        let (directory, stem, name) = owner(paths)?;
        let found = paths.iter().filter_map(|path| std::fs::metadata(path).ok());
        let access = found.map(|found| Access::of(&found)).fold(Access::USUAL, Access::and);
        let beside = Place { path: directory.join(with_ending(&stem)), access };
        let elsewhere = place.elsewhere(&directory, &stem).map(|mut path| {
            path.set_extension("");
            let name = with_ending(path.file_name().unwrap_or_default());
            Place { path: path.with_file_name(name), access: Access::PRIVATE }
        });
        Ok(Notes { name, places: std::iter::once(beside).chain(elsewhere).collect() })
    }

    /// The trace's name for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where a new note goes, and whether that is beside the trace.
    pub fn home(&self) -> (&Path, bool) {
        let at = self.home_index();
        (&self.places[at].path, at == 0)
    }

    fn home_index(&self) -> usize {
        let last = self.places.len() - 1;
        let is_open = |place: &Place| is_writable(parent_of(&place.path));
        self.places[..last].iter().position(is_open).unwrap_or(last)
    }

    /// All of them, in their order.
    pub fn list(&self) -> Result<Vec<Note>, NotesError> {
        let mut all: Vec<Note> = Vec::new();
        for place in &self.places {
            for note in file::read(&place.path)? {
                // A file that was copied beside the trace by hand still has its twin.
                if all.iter().all(|known| known.id != note.id) {
                    all.push(note);
                }
            }
        }
        Ok(all)
    }

    /// Writes down a new one, behind the others.
    pub fn add(&self, draft: Draft) -> Result<Note, NotesError> {
        let draft = draft.checked()?;
        let known = self.list()?;
        self.change(self.home_index(), |notes| {
            let id = note::new_id(|id| known.iter().chain(&*notes).any(|note| note.id == id));
            let note = draft.with_id(id);
            notes.push(note.clone());
            Ok(note)
        })
    }

    /// Gives a note other words or another view. One that somebody deleted meanwhile is there again: the last writer wins.
    pub fn put(&self, id: &str, draft: Draft) -> Result<Note, NotesError> {
        let note = draft.checked()?.with_id(note::checked_id(id)?);
        let at = self.holder(id)?.unwrap_or_else(|| self.home_index());
        self.change(at, |notes| {
            match notes.iter_mut().find(|known| known.id == note.id) {
                Some(known) => *known = note.clone(),
                None => notes.push(note.clone()),
            }
            Ok(note)
        })
    }

    /// Removes a note. One that is gone already is no error.
    pub fn remove(&self, id: &str) -> Result<(), NotesError> {
        // Twins of one file in the other go too, or it would seem to come back.
        while let Some(at) = self.holder(id)? {
            self.change(at, |notes| {
                notes.retain(|note| note.id != id);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Moves a note up (-1) or down (1) among those of its file; at an end it stays.
    pub fn shift(&self, id: &str, by: i32) -> Result<(), NotesError> {
        let unknown = || NotesError::Unknown(id.to_owned());
        let at = self.holder(id)?.ok_or_else(unknown)?;
        self.change(at, |notes| {
            let from = notes.iter().position(|note| note.id == id).ok_or_else(unknown)?;
            let by = isize::try_from(by).unwrap_or_default();
            let to = from.saturating_add_signed(by).min(notes.len() - 1);
            let note = notes.remove(from);
            notes.insert(to, note);
            Ok(())
        })
    }

    /// Which file has a note.
    fn holder(&self, id: &str) -> Result<Option<usize>, NotesError> {
        for (at, place) in self.places.iter().enumerate() {
            if file::read(&place.path)?.iter().any(|note| note.id == id) {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Reads a file, changes its notes and writes it, while nobody else does.
    fn change<T>(
        &self,
        at: usize,
        change: impl FnOnce(&mut Vec<Note>) -> Result<T, NotesError>,
    ) -> Result<T, NotesError> {
        // Not next to a damaged one either: whoever repairs it finds everything in one place.
        for place in &self.places {
            file::read(&place.path)?;
        }
        let place = &self.places[at];
        if at > 0 {
            let folder = parent_of(&place.path);
            let failed = |cause| NotesError::Write { path: folder.to_owned(), cause };
            create_private_directory(folder).map_err(failed)?;
        }
        // A link stays one; what it leads to is replaced.
        let path = place.path.canonicalize().unwrap_or_else(|_| place.path.clone());
        let _turn = Turn::take(&path)?;
        let before = file::read(&path)?;
        let mut notes = before.clone();
        let changed = change(&mut notes)?;
        if notes != before {
            file::write(&path, &notes, place.access)?;
        }
        Ok(changed)
    }
}

/// The folder, the stem and the name of a trace, or of a store, which shares them with its trace.
fn owner(paths: &[PathBuf]) -> Result<(PathBuf, OsString, String), StoreError> {
    if let [path] = paths {
        let store = if path.join(META_FILE).is_file() { Some(path.clone()) } else { only_store_in(path) };
        if let Some(store) = store {
            // Only a full path of `.` or `..` has a name.
            let full = if store.file_name().is_some() { store } else { store.canonicalize().unwrap_or(store) };
            let stem = match full.extension() {
                Some(ending) if ending == "heddle" => full.file_stem(),
                _ => full.file_name(),
            };
            let stem = stem.unwrap_or_else(|| OsStr::new("store")).to_owned();
            let folder = parent_of(&full).to_owned();
            let name = shown_name(&stem.to_string_lossy(), &folder);
            return Ok((folder, stem, name));
        }
    }
    let trace = open_traces(paths)?;
    Ok((trace.directory().to_owned(), trace.stem().to_owned(), trace.name().to_owned()))
}

fn with_ending(stem: &OsStr) -> OsString {
    let mut name = stem.to_owned();
    name.push(ENDING);
    name
}
