//! Ends of messages and members of collectives on their way to being matched.
//!
//! They are kept in memory while they are few. Beyond their share of the budget they go to a plain file in
//! the store's temporary directory and are read back through a mapping, so that their number is bounded
//! by the disk and not by memory. What is only known later (a request's completion) is patched in place.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use bytemuck::Pod;

use crate::StoreError;
use crate::map::Mapped;

/// An append-only list of records.
pub(crate) struct SpillWriter<T> {
    path: PathBuf,
    /// All records, or those that the file does not have yet.
    held: Vec<T>,
    /// Most records to hold in memory.
    most: usize,
    file: Option<BufWriter<File>>,
    len: u64,
}

impl<T: Pod> SpillWriter<T> {
    /// A list that may take `memory` bytes before it goes to the file `name`.
    pub(crate) fn create(directory: &Path, name: &str, memory: u64) -> SpillWriter<T> {
        let most = (memory as usize / size_of::<T>()).max(1024);
        SpillWriter { path: directory.join(name), held: Vec::new(), most, file: None, len: 0 }
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn append(&mut self, records: &[T]) -> Result<(), StoreError> {
        self.len += records.len() as u64;
        if self.file.is_none() && self.held.len() + records.len() > self.most {
            self.spill()?;
        }
        if let Some(file) = &mut self.file {
            return file.write_all(bytemuck::cast_slice(records)).map_err(|cause| StoreError::write(&self.path, cause));
        }
        if self.held.capacity() == 0 {
            // All it may ever take: untouched memory costs nothing, growing would copy. If there is not so
            // much, growing must do.
            let _ = self.held.try_reserve_exact(self.most);
        }
        self.held.extend_from_slice(records);
        Ok(())
    }

    /// Moves what is held to the file; from now on everything goes there.
    fn spill(&mut self) -> Result<(), StoreError> {
        let failed = |cause| StoreError::write(&self.path, cause);
        let file =
            File::options().read(true).write(true).create(true).truncate(true).open(&self.path).map_err(failed)?;
        let mut file = BufWriter::with_capacity(1 << 18, file);
        file.write_all(bytemuck::cast_slice(&self.held)).map_err(failed)?;
        self.held = Vec::new();
        self.file = Some(file);
        Ok(())
    }

    /// Changes records that were appended before.
    pub(crate) fn patch(&mut self, patches: &[(u64, T)]) -> Result<(), StoreError> {
        let Some(file) = &mut self.file else {
            for (index, record) in patches {
                self.held[*index as usize] = *record;
            }
            return Ok(());
        };
        if patches.is_empty() {
            return Ok(());
        }
        let failed = |cause| StoreError::write(&self.path, cause);
        file.flush().map_err(failed)?;
        for (index, record) in patches {
            let place = index * size_of::<T>() as u64;
            file.get_ref().write_all_at(bytemuck::bytes_of(record), place).map_err(failed)?;
        }
        Ok(())
    }

    /// Ends writing.
    pub(crate) fn finish(self) -> Result<Spill<T>, StoreError> {
        let Some(mut file) = self.file else { return Ok(Spill::Held(self.held)) };
        file.flush().map_err(|cause| StoreError::write(&self.path, cause))?;
        let mapped = Mapped::open(&self.path).map_err(|cause| StoreError::read(&self.path, cause))?;
        // The mapping outlives the name, so nothing is left to clean up.
        std::fs::remove_file(&self.path).map_err(|cause| StoreError::write(&self.path, cause))?;
        Ok(Spill::Mapped(mapped))
    }
}

/// The finished list.
pub(crate) enum Spill<T> {
    Held(Vec<T>),
    Mapped(Mapped),
}

impl<T: Pod> Spill<T> {
    pub(crate) fn records(&self) -> &[T] {
        match self {
            Spill::Held(records) => records,
            // A mapping begins at a page, so alignment holds, and the file has whole records.
            Spill::Mapped(mapped) => bytemuck::try_cast_slice(mapped.bytes()).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_survive_going_to_disk_and_being_patched_there() {
        let directory = tempfile::tempdir().unwrap();
        for memory in [0, 1 << 20] {
            let mut writer = SpillWriter::<u64>::create(directory.path(), "x.tmp", memory);
            for start in (0..5000).step_by(100) {
                writer.append(&(start..start + 100).collect::<Vec<u64>>()).unwrap();
            }
            writer.patch(&[(7, 70), (4999, 1)]).unwrap();
            assert_eq!(writer.len(), 5000);
            let spill = writer.finish().unwrap();
            assert_eq!(matches!(spill, Spill::Mapped(_)), memory == 0);
            assert_eq!((spill.records()[7], spill.records()[8], spill.records()[4999]), (70, 8, 1));
            assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "the file has no name any more");
        }
    }
}
