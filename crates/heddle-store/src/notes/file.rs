//! The file of notes: read with suspicion, written whole.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::NotesError;
use super::note::Note;
use crate::access::Access;
use crate::place::parent_of;

/// What the file says it is.
const FORMAT: &str = "heddle-notes";
pub(super) const VERSION: u64 = 1;
/// Larger files are no notes of ours.
const MOST_BYTES: usize = 1 << 20;
const MOST_NOTES: usize = 1000;

/// What every version has.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u64,
}

/// All of it. What is not known is refused rather than lost at the next change.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    #[serde(rename = "format")]
    _format: String,
    #[serde(rename = "version")]
    _version: u64,
    notes: Vec<Note>,
}

#[derive(Serialize)]
struct Written<'a> {
    format: &'static str,
    version: u64,
    notes: &'a [Note],
}

/// Notes as their file has them.
pub fn notes_json(notes: &[Note]) -> Result<String, NotesError> {
    let written = Written { format: FORMAT, version: VERSION, notes };
    let text = serde_json::to_string_pretty(&written);
    text.map(|text| text + "\n").map_err(|error| NotesError::Wrong(error.to_string()))
}

/// The notes in a file; none if it is not there.
pub(super) fn read(path: &Path) -> Result<Vec<Note>, NotesError> {
    let failed = |cause| NotesError::Read { path: path.to_owned(), cause };
    let damaged = |what: String| NotesError::Damaged { path: path.to_owned(), line: 0, column: 0, what };
    match std::fs::metadata(path) {
        // Opening a pipe could wait for ever.
        Ok(found) if !found.is_file() => return Err(damaged("this is not a file".to_owned())),
        Ok(_) => {}
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        // Below something that is no folder there is nothing.
        Err(cause) if cause.kind() == io::ErrorKind::NotADirectory => return Ok(Vec::new()),
        Err(cause) => return Err(failed(cause)),
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)).map_err(failed)?;
    if bytes.len() > MOST_BYTES {
        return Err(damaged(format!("it is larger than {} KiB", MOST_BYTES >> 10)));
    }
    let wrong = |error: serde_json::Error| {
        // The place is told beside the words.
        let what = error.to_string();
        let what = what.rsplit_once(" at line ").map_or(what.as_str(), |(what, _)| what).to_owned();
        NotesError::Damaged { path: path.to_owned(), line: error.line(), column: error.column().max(1), what }
    };
    if bytes.is_empty() {
        return Err(damaged("the file is empty".to_owned()));
    }
    let head: Head = serde_json::from_slice(&bytes).map_err(wrong)?;
    if head.format != FORMAT {
        return Err(damaged(format!("its `format` is not `{FORMAT}`")));
    }
    if head.version != VERSION {
        return Err(NotesError::Newer { path: path.to_owned(), found: head.version });
    }
    let Whole { notes, .. } = serde_json::from_slice(&bytes).map_err(wrong)?;
    check(&notes).map_err(damaged)?;
    Ok(notes)
}

fn check(notes: &[Note]) -> Result<(), String> {
    if notes.len() > MOST_NOTES {
        return Err(format!("there are more than {MOST_NOTES} notes"));
    }
    let mut ids = HashSet::new();
    for (number, note) in (1..).zip(notes) {
        note.check().map_err(|what| format!("note {number}: {what}"))?;
        if !ids.insert(&note.id) {
            return Err(format!("note {number} has the id of another one"));
        }
    }
    Ok(())
}

/// Replaces a file, or makes it for those who may read it. Whoever calls has the turn.
pub(super) fn write(path: &Path, notes: &[Note], access: Access) -> Result<(), NotesError> {
    let text = notes_json(notes)?;
    if notes.len() > MOST_NOTES || text.len() > MOST_BYTES {
        let most = format!("{MOST_NOTES} notes and {} KiB", MOST_BYTES >> 10);
        return Err(NotesError::Wrong(format!("{}: there is no room for more than {most}", path.display())));
    }
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".tmp");
    let temporary = parent_of(path).join(name);
    // One name, which only who has the turn uses: what the killed leave does not pile up.
    let _ = std::fs::remove_file(&temporary);
    let written = write_beside(&temporary, path, text.as_bytes(), access);
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written.map_err(|cause| NotesError::Write { path: path.to_owned(), cause })
}

fn write_beside(temporary: &Path, path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(temporary)?;
    file.write_all(bytes)?;
    // Words of people cannot be computed again.
    file.sync_all()?;
    match std::fs::metadata(path) {
        Ok(found) => {
            // There are file systems without modes.
            let _ = std::fs::set_permissions(temporary, found.permissions());
        }
        Err(_) => access.apply_to_file(temporary)?,
    }
    std::fs::rename(temporary, path)
}
