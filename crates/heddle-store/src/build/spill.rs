//! Ends of messages and members of collectives on their way to being matched.
//!
//! They are appended to a plain file in the store's temporary directory and read back through a mapping,
//! so that their number is bounded by the disk and not by memory. What is only known later (a request's
//! completion) is patched in place.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use bytemuck::Pod;

use crate::StoreError;
use crate::map::Mapped;

/// An append-only file of records.
pub(crate) struct SpillWriter<T> {
    path: PathBuf,
    writer: BufWriter<File>,
    len: u64,
    record: PhantomData<T>,
}

impl<T: Pod> SpillWriter<T> {
    pub(crate) fn create(directory: &Path, name: &str) -> Result<SpillWriter<T>, StoreError> {
        let path = directory.join(name);
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .map_err(|cause| StoreError::write(&path, cause))?;
        Ok(SpillWriter { path, writer: BufWriter::with_capacity(1 << 18, file), len: 0, record: PhantomData })
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn append(&mut self, records: &[T]) -> Result<(), StoreError> {
        self.len += records.len() as u64;
        self.writer.write_all(bytemuck::cast_slice(records)).map_err(|cause| StoreError::write(&self.path, cause))
    }

    /// Changes records that were appended before.
    pub(crate) fn patch(&mut self, patches: &[(u64, T)]) -> Result<(), StoreError> {
        if patches.is_empty() {
            return Ok(());
        }
        let failed = |cause| StoreError::write(&self.path, cause);
        self.writer.flush().map_err(failed)?;
        for (index, record) in patches {
            self.writer
                .get_ref()
                .write_all_at(bytemuck::bytes_of(record), index * size_of::<T>() as u64)
                .map_err(failed)?;
        }
        Ok(())
    }

    /// Ends writing; the file is deleted when the result is dropped.
    pub(crate) fn finish(mut self) -> Result<Spill<T>, StoreError> {
        self.writer.flush().map_err(|cause| StoreError::write(&self.path, cause))?;
        drop(self.writer);
        let mapped = Mapped::open(&self.path).map_err(|cause| StoreError::read(&self.path, cause))?;
        // The mapping outlives the name, so nothing is left to clean up.
        std::fs::remove_file(&self.path).map_err(|cause| StoreError::write(&self.path, cause))?;
        Ok(Spill { mapped, record: PhantomData })
    }
}

/// The finished file, as a slice.
pub(crate) struct Spill<T> {
    mapped: Mapped,
    record: PhantomData<T>,
}

impl<T: Pod> Spill<T> {
    pub(crate) fn records(&self) -> &[T] {
        // A mapping begins at a page, so alignment holds; a length that does not fit means an empty file.
        bytemuck::try_cast_slice(self.mapped.bytes()).unwrap_or_default()
    }
}
