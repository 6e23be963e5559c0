//! Lists that may be longer than memory is large: in memory as long as there is room for them, else in a file.
//!
//! An analysis that goes to and fro in what it found, as the diagnosis does from wait to wait, wants a slice, and tables
//! that are written once are none. So a list that finds no more room lies in a file without a name, which is mapped: the system keeps
//! in memory what it has place for. Which of the two it is shows in nothing but time. All blocks of the file are written
//! before they are mapped, so that a full disk is an error in words and not a signal.

use std::fmt;
use std::fs::File;
use std::io;
use std::ops::{Deref, DerefMut};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Pod;

use crate::derived::in_cache;
use crate::disk::nameless_file;
use crate::map::Scribbled;
use crate::{Store, StoreError};

/// Zeros that are written at once.
const ZEROS: usize = 1 << 14;

/// What some lists may take of memory together, and where those go that find no more of it.
#[derive(Clone, Debug)]
pub struct Room {
    directories: Arc<[PathBuf]>,
    left: Arc<AtomicU64>,
}

impl Room {
    /// Room of so many bytes; what needs more goes to the disk that holds the store or, if that cannot be written to, its
    /// other results.
    pub fn beside(store: &Store, bytes: u64) -> Room {
        let places = [Some(store.path().to_owned()), in_cache(store), Some(std::env::temp_dir())];
        Room { directories: places.into_iter().flatten().collect(), left: Arc::new(AtomicU64::new(bytes)) }
    }

    /// Takes some of it, if there is as much.
    fn take(&self, bytes: u64) -> bool {
        let less = |left: u64| left.checked_sub(bytes);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    /// A file without a name in the first place that may be written to.
    fn file(&self) -> Result<(File, PathBuf), StoreError> {
        let mut refused: Option<StoreError> = None;
        for directory in self.directories.iter() {
            match nameless_file(directory) {
                Ok(file) => return Ok((file, directory.clone())),
                Err(cause) => refused = refused.or(Some(StoreError::write(directory, cause))),
            }
        }
        Err(refused.unwrap_or_else(|| StoreError::write(Path::new("."), io::ErrorKind::NotFound.into())))
    }
}

/// What was taken of the room for lists, until it is given back.
#[derive(Debug)]
struct Taken {
    room: Room,
    bytes: u64,
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.room.left.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

/// A list that grows at its end and can be changed anywhere, as a slice.
pub struct LongList<T> {
    taken: Taken,
    held: Held<T>,
}

enum Held<T> {
    Memory(Vec<T>),
    File(OnDisk),
}

/// A list in a file.
#[derive(Debug)]
struct OnDisk {
    file: File,
    directory: PathBuf,
    bytes: u64,
    /// None of an empty file.
    map: Option<Scribbled>,
}

impl<T: Pod> LongList<T> {
    /// An empty one.
    pub fn new(room: &Room) -> LongList<T> {
        LongList { taken: Taken { room: room.clone(), bytes: 0 }, held: Held::Memory(Vec::new()) }
    }

    /// One of so many zeros.
    pub fn zeroed(room: &Room, len: usize) -> Result<LongList<T>, StoreError> {
        let mut list = LongList::new(room);
        if list.has_room(len) {
            list.held = Held::Memory(vec![T::zeroed(); len]);
            return Ok(list);
        }
        let mut zeros = OnDisk::new(room)?;
        let mut left = len * size_of::<T>();
        while left > 0 {
            let now = left.min(ZEROS);
            zeros.append(&[0; ZEROS][..now])?;
            left -= now;
        }
        zeros.map()?;
        list.held = Held::File(zeros);
        Ok(list)
    }

    /// Puts some more behind the others. Costs something each time, so many at a time.
    pub fn extend(&mut self, more: &[T]) -> Result<(), StoreError> {
        let has_room = matches!(self.held, Held::Memory(_)) && self.has_room(more.len());
        match &mut self.held {
            Held::Memory(list) if has_room => list.extend_from_slice(more),
            Held::Memory(list) => {
                let mut file = OnDisk::new(&self.taken.room)?;
                file.append(bytemuck::cast_slice(list))?;
                file.append(bytemuck::cast_slice(more))?;
                file.map()?;
                self.held = Held::File(file);
                self.taken = Taken { room: self.taken.room.clone(), bytes: 0 };
            }
            Held::File(file) => {
                file.append(bytemuck::cast_slice(more))?;
                file.map()?;
            }
        }
        Ok(())
    }

    /// Takes room for some more.
    fn has_room(&mut self, more: usize) -> bool {
        let bytes = (more * size_of::<T>()) as u64;
        let has_room = self.taken.room.take(bytes);
        self.taken.bytes += if has_room { bytes } else { 0 };
        has_room
    }
}

impl<T: Pod> Default for LongList<T> {
    /// An empty one that stays in memory.
    fn default() -> LongList<T> {
        LongList::new(&Room { directories: Arc::new([]), left: Arc::new(AtomicU64::new(u64::MAX)) })
    }
}

impl<T: Pod + fmt::Debug> fmt::Debug for LongList<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Pod> Deref for LongList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.held {
            Held::Memory(list) => list,
            Held::File(file) => file.map.as_ref().map_or(&[], |map| bytemuck::cast_slice(map.bytes())),
        }
    }
}

impl<T: Pod> DerefMut for LongList<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.held {
            Held::Memory(list) => list,
            Held::File(file) => file.map.as_mut().map_or(&mut [], |map| bytemuck::cast_slice_mut(map.bytes_mut())),
        }
    }
}

impl OnDisk {
    fn new(room: &Room) -> Result<OnDisk, StoreError> {
        let (file, directory) = room.file()?;
        Ok(OnDisk { file, directory, bytes: 0, map: None })
    }

    /// Writes behind what is there.
    fn append(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.file.write_all_at(bytes, self.bytes).map_err(|cause| StoreError::write(&self.directory, cause))?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Maps all that was written.
    fn map(&mut self) -> Result<(), StoreError> {
        self.map = None;
        if self.bytes > 0 {
            let map = Scribbled::map(&self.file).map_err(|cause| StoreError::read(&self.directory, cause))?;
            self.map = Some(map);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(directory: &Path, bytes: u64) -> Room {
        Room { directories: [directory.to_owned()].into(), left: Arc::new(AtomicU64::new(bytes)) }
    }

    fn is_in_file<T>(list: &LongList<T>) -> bool {
        matches!(list.held, Held::File(_))
    }

    #[test]
    fn a_list_is_the_same_wherever_it_lies() {
        let directory = tempfile::tempdir().unwrap();
        for bytes in [0, 8, 100, 1 << 20] {
            let room = room(directory.path(), bytes);
            let (mut list, mut plain) = (LongList::new(&room), Vec::new());
            for step in 0..40_u64 {
                let more: Vec<u64> = (0..step).map(|at| at * at + step).collect();
                list.extend(&more).unwrap();
                plain.extend(more);
                if let Some(last) = list.last_mut() {
                    *last += 7;
                    *plain.last_mut().unwrap() += 7;
                }
                assert_eq!(*list, *plain);
            }
            assert_eq!(is_in_file(&list), bytes < 1 << 20);
            let mut zeros = LongList::<[u32; 3]>::zeroed(&room, 20_000).unwrap();
            assert!(zeros.len() == 20_000 && zeros.iter().all(|value| *value == [0; 3]));
            zeros[19_999] = [1, 2, 3];
            assert_eq!(zeros.iter().flatten().sum::<u32>(), 6);
            assert_eq!(is_in_file(&zeros), bytes < 1 << 20);
            drop((list, zeros));
            assert_eq!(room.left.load(Ordering::Relaxed), bytes, "all room is given back");
        }
        // Files have no names.
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_empty_list_that_finds_no_room_is_empty() {
        let directory = tempfile::tempdir().unwrap();
        let mut list = LongList::<u64>::zeroed(&room(directory.path(), 0), 0).unwrap();
        assert!(list.is_empty());
        list.extend(&[]).unwrap();
        assert_eq!(list.first_mut(), None);
    }

    #[test]
    fn where_nothing_can_be_written_it_is_said() {
        let nowhere = Path::new("/nowhere/at/all");
        let mut list = LongList::new(&room(nowhere, 8));
        list.extend(&[1_u64]).unwrap();
        let refused = list.extend(&[2]).unwrap_err().to_string();
        assert!(refused.contains("/nowhere/at/all: cannot write"), "{refused}");
    }
}
