//! The files of a trace on disk.
//!
//! Read, not mapped: a trace is somebody else's file, and one that is cut while mapped would kill us.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use heddle_formats::{FileSink, Files, Scratch};

use crate::names::text_to_name;

/// Files below one directory, by their names relative to it.
#[derive(Clone, Debug)]
pub struct DiskFiles {
    directory: PathBuf,
}

impl DiskFiles {
    /// Files below `directory`.
    pub fn below(directory: &Path) -> DiskFiles {
        DiskFiles { directory: directory.to_owned() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(text_to_name(name))
    }

    /// Opens a file and tells its length.
    fn open(&self, name: &str) -> io::Result<(File, u64)> {
        // Opening a pipe would else wait until somebody writes to it, which may be never.
        let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(self.path(name))?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        Ok((file, metadata.len()))
    }
}

/// Reads a stretch of a file of this length. Memory is taken for what is there, not for what was asked, and what `out` has
/// is not made anew.
fn read_stretch(file: &File, length: u64, range: Range<u64>, out: &mut Vec<u8>) -> io::Result<()> {
    let end = range.end.min(length);
    out.resize(usize::try_from(end.saturating_sub(range.start)).map_err(io::Error::other)?, 0);
    let mut filled = 0;
    while filled < out.len() {
        match file.read_at(&mut out[filled..], range.start + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(cause),
        }
    }
    out.truncate(filled);
    Ok(())
}

impl Files for DiskFiles {
    fn len(&self, name: &str) -> io::Result<Option<u64>> {
        match std::fs::metadata(self.path(name)) {
            Ok(metadata) => Ok(Some(metadata.len())),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(cause),
        }
    }

    fn read(&self, name: &str, range: Range<u64>, out: &mut Vec<u8>) -> io::Result<()> {
        let (file, length) = self.open(name)?;
        read_stretch(&file, length, range, out)
    }

    fn read_all(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let (file, length) = match self.open(name) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let mut bytes = Vec::new();
        read_stretch(&file, length, 0..length, &mut bytes)?;
        Ok(Some(bytes))
    }
}

impl FileSink for DiskFiles {
    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send + '_>> {
        let path = self.path(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        Ok(Box::new(BufWriter::new(File::create(path)?)))
    }
}

/// Scratch space in a file that nobody else can see: it has no name, and is gone when we are.
#[derive(Debug)]
pub struct DiskScratch {
    file: File,
    end: Mutex<u64>,
}

impl DiskScratch {
    /// Scratch space on the disk that holds `directory`.
    pub fn create(directory: &Path) -> io::Result<DiskScratch> {
        Ok(DiskScratch { file: nameless_file(directory)?, end: Mutex::new(0) })
    }
}

/// A file on the disk that holds `directory` which nobody else can open, and which is gone when it is closed.
pub(crate) fn nameless_file(directory: &Path) -> io::Result<File> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let mut options = File::options();
    options.read(true).write(true);
    if let Ok(file) = options.clone().custom_flags(libc::O_TMPFILE).mode(0o600).open(directory) {
        return Ok(file);
    }
    // Not every file system has files that never had a name.
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = directory.join(format!(".scratch-{}-{number}", std::process::id()));
    let file = options.create_new(true).mode(0o600).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

impl Scratch for DiskScratch {
    fn append(&self, bytes: &[u8]) -> io::Result<u64> {
        let mut end = self.end.lock().map_err(|_| io::Error::other("a writer failed"))?;
        let start = *end;
        self.file.write_all_at(bytes, start)?;
        *end += bytes.len() as u64;
        Ok(start)
    }

    fn read(&self, range: Range<u64>, out: &mut Vec<u8>) -> io::Result<()> {
        out.resize(usize::try_from(range.end.saturating_sub(range.start)).map_err(io::Error::other)?, 0);
        self.file.read_exact_at(out, range.start)
    }
}
