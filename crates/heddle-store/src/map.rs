//! Mapping the store's files into memory: the one place in Heddle with `unsafe`.
//!
//! A mapping is sound as long as nobody shortens the file underneath. The files mapped here are written
//! once, in a directory of our own, and replaced by renaming a new directory over the old one, never by
//! writing into them; a reader keeps the old inodes. Traces themselves are read, not mapped: they are
//! other people's files and may be cut or rewritten at any moment.

use std::fs::File;
use std::io;
use std::path::Path;

use arrow_buffer::Buffer;
use bytes::Bytes;
use memmap2::Mmap;

/// A whole file in memory, shared and cheap to clone. Only for files that nobody shortens: those of a store.
#[derive(Clone, Debug)]
pub struct Mapped {
    bytes: Bytes,
}

impl Mapped {
    /// Maps a file. An empty one is no mapping but no error either.
    pub fn open(path: &Path) -> io::Result<Mapped> {
        let file = File::open(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(Mapped { bytes: Bytes::new() });
        }
        // SAFETY: see the module's comment: nobody but us writes these files, and we never shorten one.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(&file)? };
        Ok(Mapped { bytes: Bytes::from_owner(map) })
    }

    /// Its content.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes as an Arrow buffer over the same memory.
    pub(crate) fn buffer(&self) -> Buffer {
        Buffer::from(self.bytes.clone())
    }
}
