//! Mapping the store's files into memory: the one place in Heddle with `unsafe`.
//!
//! A mapping is sound as long as nobody shortens the file underneath. The files mapped here are written
//! once, in a directory of our own, and replaced by renaming a new directory over the old one, never by
//! writing into them; a reader keeps the old inodes. Traces themselves are read, not mapped: they are
//! other people's files and may be cut or rewritten at any moment.
//!
//! Only scratch files are written through their mapping: they have no name, so that nobody else can open them.
//!
//! Somebody may cut a file of a store all the same, by accident. Reading beyond its end would then end the process by a
//! signal. So it is known which files are mapped ([`cut_short`]), and whoever answers questions for hours asks before each
//! of them. Between asking and reading a moment remains; the program says in words what happened then.
//!
//! The same list knows which files turned out to be damaged while they were read ([`damaged`]): packed tables are compared
//! with their checksums in the middle of analyses that have no way to fail there.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use arrow_buffer::Buffer;
use bytes::Bytes;
use memmap2::{Mmap, MmapMut};

use crate::StoreError;
use crate::meta::mark_damaged;

/// A whole file in memory, shared and cheap to clone. Only for files that nobody shortens: those of a store.
#[derive(Clone, Debug)]
pub(crate) struct Mapped {
    bytes: Bytes,
    /// Its number in the list of what is mapped; none of an empty file.
    number: Option<u64>,
}

impl Mapped {
    /// Maps a file. An empty one is no mapping but no error either.
    pub(crate) fn open(path: &Path) -> io::Result<Mapped> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.len() == 0 {
            return Ok(Mapped { bytes: Bytes::new(), number: None });
        }
        // SAFETY: see the module's comment: nobody but us writes these files, and we never shorten one.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(&file)? };
        let known = Known::new(map, path, &metadata);
        Ok(Mapped { number: Some(known.number), bytes: Bytes::from_owner(known) })
    }

    /// Its content.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes as an Arrow buffer over the same memory.
    pub(crate) fn buffer(&self) -> Buffer {
        Buffer::from(self.bytes.clone())
    }

    /// Notes that something in the file is not what was written.
    pub(crate) fn note_damage(&self) {
        let files = mapped();
        if let Some(file) = self.number.and_then(|number| files.1.get(&number)) {
            let mut found = found();
            if found.iter().all(|known| known.1 != file.written) {
                found.push((file.path.clone(), file.written));
                mark_damaged(&file.path);
            }
        }
    }
}

/// A file without a name, as memory that can be written to. What is in it is told the system's own way: pages that are needed
/// elsewhere go to the disk and come back.
#[derive(Debug)]
pub(crate) struct Scribbled {
    map: MmapMut,
}

impl Scribbled {
    /// Maps a whole file that this process alone has, whose blocks are all on the disk: a page that finds no place there
    /// would end the process.
    pub(crate) fn map(file: &File) -> io::Result<Scribbled> {
        // SAFETY: the file has no name, so nobody else can write to it or shorten it, and whoever has it only makes it longer.
        #[allow(unsafe_code)]
        let map = unsafe { MmapMut::map_mut(file)? };
        Ok(Scribbled { map })
    }

    /// Its content.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// The same, to be changed.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.map
    }
}

/// What is mapped now: by a number of its own, where from.
static MAPPED: Mutex<(u64, BTreeMap<u64, MappedFile>)> = Mutex::new((0, BTreeMap::new()));

fn mapped() -> MutexGuard<'static, (u64, BTreeMap<u64, MappedFile>)> {
    MAPPED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
struct MappedFile {
    path: PathBuf,
    identity: (u64, u64),
    written: Written,
    length: u64,
}

/// A mapping that is in the list for as long as it is there.
struct Known {
    map: Mmap,
    number: u64,
}

impl Known {
    fn new(map: Mmap, path: &Path, metadata: &Metadata) -> Known {
        let identity = (metadata.dev(), metadata.ino());
        let file = MappedFile { path: path.to_owned(), identity, written: written(metadata), length: map.len() as u64 };
        let (last, files) = &mut *mapped();
        *last += 1;
        files.insert(*last, file);
        Known { map, number: *last }
    }
}

impl AsRef<[u8]> for Known {
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        mapped().1.remove(&self.number);
    }
}

/// The mapped files that have become shorter since. One that was replaced by another of its name has not.
pub(crate) fn cut_short() -> Vec<PathBuf> {
    let is_cut = |file: &&MappedFile| {
        std::fs::metadata(&file.path)
            .is_ok_and(|found| (found.dev(), found.ino()) == file.identity && found.len() < file.length)
    };
    mapped().1.values().filter(is_cut).map(|file| file.path.clone()).collect()
}

/// Device, inode and time of modification: a later file of the same path has others.
type Written = (u64, u64, i64, i64);

fn written(metadata: &Metadata) -> Written {
    (metadata.dev(), metadata.ino(), metadata.mtime(), metadata.mtime_nsec())
}

/// The files in which damage was found, whether they are still mapped or not.
static FOUND: Mutex<Vec<(PathBuf, Written)>> = Mutex::new(Vec::new());

fn found() -> MutexGuard<'static, Vec<(PathBuf, Written)>> {
    FOUND.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Fails if any file that was read turned out to be damaged: what was made of it is not true. For programs that do one thing
/// and end; others ask [`crate::Store::check`].
pub fn check_all_read() -> Result<(), StoreError> {
    found().first().map_or(Ok(()), |(path, _)| Err(StoreError::Spoilt(path.clone())))
}

/// What is wrong with a file that does not have its checksums.
pub(crate) const NOT_AS_WRITTEN: &str = "some of it is not what was written";

/// The files in which damage was found, as long as nothing has taken their places.
pub(crate) fn damaged() -> Vec<PathBuf> {
    let is_there = |file: &&(PathBuf, Written)| std::fs::metadata(&file.0).is_ok_and(|there| written(&there) == file.1);
    found().iter().filter(is_there).map(|(path, _)| path.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_cut_is_noticed_as_long_as_it_is_mapped() {
        let directory = tempfile::tempdir().unwrap();
        let (path, other) = (directory.path().join("a"), directory.path().join("b"));
        let ours = || cut_short().into_iter().filter(|cut| cut.starts_with(directory.path())).collect::<Vec<_>>();
        std::fs::write(&path, [1; 100]).unwrap();
        let map = Mapped::open(&path).unwrap();
        let clone = map.clone();
        // Another file in its place is none of our business: the mapping keeps the old one.
        std::fs::write(&other, [1; 10]).unwrap();
        std::fs::rename(&path, directory.path().join("c")).unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert_eq!(ours(), [] as [PathBuf; 0]);
        std::fs::rename(directory.path().join("c"), &path).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(50).unwrap();
        let cut = std::slice::from_ref(&path);
        assert_eq!(ours(), cut);
        drop(map);
        assert_eq!(ours(), cut);
        drop(clone);
        assert_eq!(ours(), [] as [PathBuf; 0]);
    }
}
