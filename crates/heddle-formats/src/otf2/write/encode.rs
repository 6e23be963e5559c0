//! The writing half of OTF2's bytes: variable-length numbers, records with a length, and files cut in chunks.
//!
//! A chunk is kept in memory until it is full, because its header says how many events it holds. That
//! is also all the memory a file needs, however long it becomes.

use std::io::Write;

use crate::{FileSink, WriteError};

/// First byte of every chunk and of the anchor.
pub(super) const CHUNK_HEADER: u8 = 3;
/// Mark of a file whose numbers have their low byte first.
pub(super) const LITTLE_ENDIAN: u8 = 0x42;
/// What stands at the end of every file: end of file, end of buffer.
pub(super) const END_OF_FILE: [u8; 2] = [2, 1];
/// Bytes of a chunk's header: two marks, number of the first and of the last event.
const HEADER_BYTES: usize = 18;

/// A number of up to 4 bytes: how many, then the low ones that matter. All ones is one byte.
pub(super) fn put_u32(out: &mut Vec<u8>, value: u32) {
    put_u64(out, if value == u32::MAX { u64::MAX } else { u64::from(value) });
}

/// A number of up to 8 bytes, in the same way.
#[inline]
pub(super) fn put_u64(out: &mut Vec<u8>, value: u64) {
    if value == u64::MAX {
        out.push(0xff);
        return;
    }
    let count = number_bytes(value) - 1;
    let mut bytes = [0; 9];
    bytes[0] = count as u8;
    bytes[1..].copy_from_slice(&value.to_le_bytes());
    out.extend_from_slice(&bytes[..=count]);
}

/// How many bytes [`put_u64`] takes for a value.
pub(super) fn number_bytes(value: u64) -> usize {
    if value == u64::MAX { 1 } else { 1 + (64 - value.leading_zeros() as usize).div_ceil(8) }
}

/// Eight bytes as they are.
pub(super) fn put_raw64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// Text and a zero byte. The format cannot hold a zero inside a text, so it ends at the first.
pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend(text.bytes().take_while(|byte| *byte != 0));
    out.push(0);
}

/// An event record that says its length. All of them are far below the 255 bytes of the short form.
#[inline]
pub(super) fn put_short_record(out: &mut Vec<u8>, id: u8, payload: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(&[id, 0]);
    let start = out.len();
    payload(out);
    let length = out.len() - start;
    out[start - 1] = length as u8;
}

/// A record of any length: one byte for it below 255, else a mark and eight.
pub(super) fn put_record(out: &mut Vec<u8>, id: u8, payload: &[u8]) {
    out.push(id);
    match u8::try_from(payload.len()) {
        Ok(length) if length != u8::MAX => out.push(length),
        _ => {
            out.push(0xff);
            put_raw64(out, payload.len() as u64);
        }
    }
    out.extend_from_slice(payload);
}

/// A file of chunks, all but the last of one size.
pub(super) struct ChunkedFile<'a> {
    name: String,
    out: Box<dyn Write + Send + 'a>,
    chunk_size: usize,
    chunk: Vec<u8>,
    events: u64,
}

impl<'a> ChunkedFile<'a> {
    /// Creates the file and begins its first chunk.
    pub(super) fn create(sink: &'a dyn FileSink, name: String, chunk_size: usize) -> Result<Self, WriteError> {
        let out = sink.create(&name).map_err(|cause| WriteError::Io { file: name.clone(), cause })?;
        let mut file = ChunkedFile { name, out, chunk_size, chunk: Vec::new(), events: 0 };
        file.begin_chunk();
        Ok(file)
    }

    fn begin_chunk(&mut self) {
        self.chunk.clear();
        self.chunk.extend_from_slice(&[CHUNK_HEADER, LITTLE_ENDIAN]);
        put_raw64(&mut self.chunk, self.events + 1);
        // The number of the last event is put right when the chunk is full.
        put_raw64(&mut self.chunk, self.events);
    }

    /// Makes room for a record of up to `bytes`, in a new chunk if need be; whether it did so.
    #[inline]
    pub(super) fn make_room(&mut self, bytes: usize) -> Result<bool, WriteError> {
        // The last chunk needs two bytes more for the end of the file, and any may be the last.
        if self.chunk.len() + bytes + END_OF_FILE.len() <= self.chunk_size {
            return Ok(self.chunk.len() == HEADER_BYTES);
        }
        if HEADER_BYTES + bytes + END_OF_FILE.len() > self.chunk_size {
            return Err(WriteError::RecordTooLarge { file: self.name.clone(), bytes });
        }
        self.chunk.resize(self.chunk_size, 0);
        self.write_chunk()?;
        self.begin_chunk();
        Ok(true)
    }

    /// Where the next record goes, after [`Self::make_room`].
    #[inline]
    pub(super) fn chunk(&mut self) -> &mut Vec<u8> {
        &mut self.chunk
    }

    /// Says that the record just written was an event.
    #[inline]
    pub(super) fn count_event(&mut self) {
        self.events += 1;
    }

    /// Appends a record that is complete.
    pub(super) fn append(&mut self, record: &[u8]) -> Result<(), WriteError> {
        self.make_room(record.len())?;
        self.chunk.extend_from_slice(record);
        Ok(())
    }

    /// Ends the file; how many events it has.
    pub(super) fn finish(mut self) -> Result<u64, WriteError> {
        self.chunk.extend_from_slice(&END_OF_FILE);
        self.write_chunk()?;
        self.out.flush().map_err(|cause| WriteError::Io { file: self.name.clone(), cause })?;
        Ok(self.events)
    }

    fn write_chunk(&mut self) -> Result<(), WriteError> {
        self.chunk[10..HEADER_BYTES].copy_from_slice(&self.events.to_le_bytes());
        self.out.write_all(&self.chunk).map_err(|cause| WriteError::Io { file: self.name.clone(), cause })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryFiles;

    fn u32_bytes(value: u32) -> Vec<u8> {
        let mut out = Vec::new();
        put_u32(&mut out, value);
        out
    }

    #[test]
    fn numbers_take_as_few_bytes_as_they_need() {
        assert_eq!(u32_bytes(0), [0]);
        assert_eq!(u32_bytes(42), [1, 0x2a]);
        assert_eq!(u32_bytes(16384), [2, 0x00, 0x40]);
        assert_eq!(u32_bytes(2_147_483_648), [4, 0, 0, 0, 0x80]);
        assert_eq!(u32_bytes(u32::MAX), [0xff]);
        for value in [0, 1, 255, 256, 0xffff_ffff, 1 << 32, u64::MAX - 1, u64::MAX] {
            let mut out = Vec::new();
            put_u64(&mut out, value);
            assert_eq!(out.len(), number_bytes(value), "{value}");
        }
        let mut out = Vec::new();
        put_u64(&mut out, u64::from(u32::MAX));
        assert_eq!(out, [4, 0xff, 0xff, 0xff, 0xff], "undefined only as a number of 4 bytes");
    }

    #[test]
    fn text_ends_at_its_first_zero() {
        let mut out = Vec::new();
        put_text(&mut out, "ab\0c");
        assert_eq!(out, b"ab\0");
    }

    #[test]
    fn long_records_have_a_long_length() {
        let (mut short, mut long) = (Vec::new(), Vec::new());
        put_record(&mut short, 10, &[7; 254]);
        put_record(&mut long, 10, &[7; 255]);
        assert_eq!(short[..3], [10, 254, 7]);
        assert_eq!(long[..11], [10, 0xff, 255, 0, 0, 0, 0, 0, 0, 0, 7]);
    }

    #[test]
    fn chunks_are_padded_and_numbered() {
        let files = MemoryFiles::default();
        let mut file = ChunkedFile::create(&files, "a".to_owned(), 32).unwrap();
        for byte in 0..5 {
            // 18 bytes header, 2 at the end: room for 12, so two records of 5 bytes a chunk.
            let new = file.make_room(5).unwrap();
            assert_eq!(new, byte % 2 == 0);
            file.chunk().extend_from_slice(&[100 + byte; 5]);
            file.count_event();
        }
        assert!(matches!(file.make_room(13), Err(WriteError::RecordTooLarge { bytes: 13, .. })));
        assert_eq!(file.finish().unwrap(), 5);
        let bytes = files.get("a").unwrap();
        assert_eq!(bytes.len(), 32 + 32 + 18 + 5 + 2);
        assert_eq!((bytes[2], bytes[10]), (1, 2));
        assert_eq!((bytes[34], bytes[42]), (3, 4));
        assert_eq!((bytes[66], bytes[74]), (5, 5));
        assert_eq!(bytes[28..32], [0; 4]);
        assert_eq!(bytes[87..], [2, 1]);
    }

    #[test]
    fn an_empty_file_is_twenty_bytes() {
        let files = MemoryFiles::default();
        ChunkedFile::create(&files, "a".to_owned(), 1 << 20).unwrap().finish().unwrap();
        let expected = [3, 0x42, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1];
        assert_eq!(files.get("a").unwrap(), expected);
    }
}
