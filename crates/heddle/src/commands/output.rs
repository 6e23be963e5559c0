//! What a command writes to files: whole, or not there.
//!
//! It is written beside its place and renamed when it is complete. Whoever writes holds a lock on what is not complete yet, so
//! that the next one can tell what a killed command left, and remove it.

use std::ffi::OsString;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::Context;

use heddle_store::StoreError;

use crate::progress::is_cancelled;

/// Writes a file. A pipe or device is written to as it is: there is nothing to rename.
pub(super) fn write_file(path: &Path, write: impl FnOnce(File) -> anyhow::Result<()>) -> anyhow::Result<()> {
    // A link stays one; what it leads to is replaced.
    let place =
        if path.is_symlink() { path.canonicalize().unwrap_or_else(|_| path.to_owned()) } else { path.to_owned() };
    let there = std::fs::metadata(&place).ok();
    let written = match &there {
        Some(there) if there.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory).into()),
        Some(there) if !there.is_file() => open_stream(path).and_then(write),
        _ => write_beside(&place, there.map(|there| there.permissions()), write),
    };
    // A full disk says nothing of files; stopping is nobody's fault.
    written.map_err(|error| {
        if error.is::<StoreError>() { error } else { error.context(format!("{}: cannot write", path.display())) }
    })
}

fn write_beside(
    place: &Path,
    permissions: Option<std::fs::Permissions>,
    write: impl FnOnce(File) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let temporary = Temporary::file(place)?;
    write(temporary.held.try_clone()?)?;
    // What was made of a damaged store is not true.
    heddle_store::check_all_read()?;
    // Who could read what was there can read what replaces it.
    if let Some(permissions) = permissions {
        std::fs::set_permissions(temporary.path(), permissions)?;
    }
    Ok(std::fs::rename(temporary.path(), place)?)
}

/// Opening a pipe waits for a reader; Ctrl-C ends the wait.
fn open_stream(path: &Path) -> anyhow::Result<File> {
    let (opened, is_opened) = channel();
    let path = path.to_owned();
    std::thread::Builder::new()
        .spawn(move || opened.send(File::options().write(true).open(path)))
        .context("cannot start a thread")?;
    loop {
        match is_opened.recv_timeout(Duration::from_millis(50)) {
            Ok(file) => return Ok(file?),
            Err(RecvTimeoutError::Timeout) if !is_cancelled() => {}
            Err(_) => return Err(StoreError::Cancelled.into()),
        }
    }
}

/// Something that is not complete yet, beside its place. It goes with this, unless it has been renamed.
pub(super) struct Temporary {
    path: PathBuf,
    held: File,
}

impl Temporary {
    /// A file beside `place`.
    fn file(place: &Path) -> io::Result<Temporary> {
        let path = make_way(place);
        Ok(Temporary::held(File::create(&path)?, path))
    }

    /// A directory beside `place`.
    pub(super) fn directory(place: &Path) -> io::Result<Temporary> {
        let path = make_way(place);
        DirBuilder::new().recursive(true).create(&path)?;
        Ok(Temporary::held(File::open(&path)?, path))
    }

    fn held(held: File, path: PathBuf) -> Temporary {
        // Where there are no locks, what the killed leave stays.
        let _ = held.try_lock();
        Temporary { path, held }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// The path for something temporary, after clearing what killed commands left of the same.
fn make_way(place: &Path) -> PathBuf {
    let directory = place.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut prefix = OsString::from(".");
    prefix.push(place.file_name().unwrap_or_default());
    prefix.push(".tmp-");
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let is_like = entry.file_name().as_bytes().starts_with(prefix.as_bytes());
        let is_ordinary = entry.file_type().is_ok_and(|kind| kind.is_file() || kind.is_dir());
        if is_like && is_ordinary && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            remove(&entry.path());
        }
    }
    prefix.push(std::process::id().to_string());
    directory.join(prefix)
}

/// What cannot be removed does no harm: nothing opens it.
fn remove(path: &Path) {
    let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
}
