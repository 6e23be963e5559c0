//! Where readers get their bytes and writers put them: named files of one trace, without paths.
//!
//! A trace may be many files (an OTF2 archive has two for each location), so a reader cannot simply be
//! given a slice. It asks for files by the name they have within the trace, and never learns whether
//! they lie on a disk, in memory or in an archive.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The files of a trace, to read.
pub trait Files: Sync {
    /// Length of a file, or `None` if there is none of that name.
    fn len(&self, name: &str) -> io::Result<Option<u64>>;

    /// Reads a stretch into `out`, replacing what it held. Shorter than asked if the file ends.
    fn read(&self, name: &str, range: Range<u64>, out: &mut Vec<u8>) -> io::Result<()>;

    /// Reads a whole file, or `None` if there is none of that name.
    fn read_all(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let Some(length) = self.len(name)? else { return Ok(None) };
        let mut bytes = Vec::new();
        self.read(name, 0..length, &mut bytes)?;
        Ok(Some(bytes))
    }
}

/// The files of a trace, to write. Several may be open at once, on several threads.
pub trait FileSink: Sync {
    /// Creates a file. Folders in the name (`traces/0.evt`) come into being as needed.
    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send + '_>>;
}

/// Counts the bytes that are read, for progress: those of the files, not those that are unpacked from them.
pub(crate) struct Counting<'a> {
    files: &'a dyn Files,
    bytes: AtomicU64,
}

impl<'a> Counting<'a> {
    pub(crate) fn new(files: &'a dyn Files) -> Counting<'a> {
        Counting { files, bytes: AtomicU64::new(0) }
    }

    /// How many it were so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

impl Files for Counting<'_> {
    fn len(&self, name: &str) -> io::Result<Option<u64>> {
        self.files.len(name)
    }

    fn read(&self, name: &str, range: Range<u64>, out: &mut Vec<u8>) -> io::Result<()> {
        self.files.read(name, range, out)?;
        self.bytes.fetch_add(out.len() as u64, Ordering::Relaxed);
        Ok(())
    }
}

/// Files in memory: for tests, fuzzing and small traces.
#[derive(Debug, Default)]
pub struct MemoryFiles {
    files: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl MemoryFiles {
    /// Puts a file there, replacing one of that name.
    pub fn insert(&self, name: &str, bytes: Vec<u8>) {
        self.lock().insert(name.to_owned(), bytes);
    }

    /// Takes a file away.
    pub fn remove(&self, name: &str) -> Option<Vec<u8>> {
        self.lock().remove(name)
    }

    /// A copy of a file.
    pub fn get(&self, name: &str) -> Option<Vec<u8>> {
        self.lock().get(name).cloned()
    }

    /// The names of all files, sorted.
    pub fn names(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        self.files.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Files for MemoryFiles {
    fn len(&self, name: &str) -> io::Result<Option<u64>> {
        Ok(self.lock().get(name).map(|bytes| bytes.len() as u64))
    }

    fn read(&self, name: &str, range: Range<u64>, out: &mut Vec<u8>) -> io::Result<()> {
        out.clear();
        let files = self.lock();
        let bytes = files.get(name).ok_or(io::ErrorKind::NotFound)?;
        let clamp = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
        out.extend_from_slice(&bytes[clamp(range.start)..clamp(range.end).max(clamp(range.start))]);
        Ok(())
    }
}

impl FileSink for MemoryFiles {
    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send + '_>> {
        Ok(Box::new(MemoryWriter { files: self, name: name.to_owned(), bytes: Vec::new() }))
    }
}

/// Keeps what is written and hands it over when dropped.
struct MemoryWriter<'a> {
    files: &'a MemoryFiles,
    name: String,
    bytes: Vec<u8>,
}

impl Write for MemoryWriter<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(buffer);
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for MemoryWriter<'_> {
    fn drop(&mut self) {
        self.files.insert(&self.name, std::mem::take(&mut self.bytes));
    }
}
