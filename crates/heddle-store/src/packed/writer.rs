//! Writes a packed file, a chunk of all columns at a time.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::block::{BLOCK_SHIFT, Encoded, Entry, PackedBlock, add};
use super::file::{Field, Footer, MAGIC};
use super::{BLOCK_ROWS, CHUNK_ROWS, CHUNK_SHIFT};
use crate::StoreError;

/// One column of a chunk: the entries of its blocks, then the blocks. `others` are the values of the column that this one is
/// relative to.
pub(crate) fn pack_chunk(values: &[u64], missing: u64, others: Option<&[u64]>) -> Vec<u64> {
    let mut others = others.map(|others| others.chunks(BLOCK_ROWS));
    let blocks = values.chunks(BLOCK_ROWS);
    let blocks: Vec<Encoded> =
        blocks.map(|block| Encoded::of(block, missing, others.as_mut().and_then(Iterator::next))).collect();
    let mut words = Vec::with_capacity(blocks.iter().map(|block| 1 + block.words.len()).sum());
    let mut offset = blocks.len();
    for block in &blocks {
        words.push(Entry { offset: offset as u32, ..block.entry }.sealed(&block.words).to_word());
        offset += block.words.len();
    }
    for block in &blocks {
        words.extend_from_slice(&block.words);
    }
    words
}

/// A packed file that is being written.
pub(crate) struct PackedWriter {
    path: PathBuf,
    file: BufWriter<File>,
    /// Words so far.
    words: u64,
    fields: Vec<Field>,
    /// Where the chunks of each column begin, in words.
    chunks: Vec<Vec<u64>>,
    rows: u64,
}

impl PackedWriter {
    pub(crate) fn create(path: &Path, fields: Vec<Field>) -> Result<PackedWriter, StoreError> {
        let failed = |cause| StoreError::write(path, cause);
        // What was written is read again where it is patched.
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path).map_err(failed)?;
        let mut file = BufWriter::with_capacity(1 << 20, file);
        file.write_all(&MAGIC).map_err(failed)?;
        let chunks = vec![Vec::new(); fields.len()];
        Ok(PackedWriter { path: path.to_owned(), file, words: 1, fields, chunks, rows: 0 })
    }

    /// Appends a chunk of `rows` rows: its columns, packed. All chunks but the last have [`CHUNK_ROWS`].
    pub(crate) fn append(&mut self, columns: &[Vec<u64>], rows: usize) -> Result<(), StoreError> {
        for (chunks, column) in self.chunks.iter_mut().zip(columns) {
            chunks.push(self.words);
            self.words += column.len() as u64;
            let bytes = bytemuck::cast_slice(column);
            self.file.write_all(bytes).map_err(|cause| StoreError::write(&self.path, cause))?;
        }
        self.rows += rows as u64;
        Ok(())
    }

    /// Sets values of a column that were already written, once: rows in ascending order, with their values. Their blocks are
    /// written anew at the end, and only their places stay where they were.
    pub(crate) fn patch(&mut self, column: &str, values: &[(u64, u64)]) -> Result<(), StoreError> {
        let Some(number) = self.fields.iter().position(|field| field.name == column) else { return Ok(()) };
        self.file.flush().map_err(|cause| StoreError::write(&self.path, cause))?;
        for of_block in values.chunk_by(|a, b| a.0 >> BLOCK_SHIFT == b.0 >> BLOCK_SHIFT) {
            self.patch_block(number, of_block).map_err(|cause| StoreError::write(&self.path, cause))?;
        }
        Ok(())
    }

    fn patch_block(&mut self, column: usize, values: &[(u64, u64)]) -> std::io::Result<()> {
        let Some((row, _)) = values.first() else { return Ok(()) };
        let first = row & !(BLOCK_ROWS as u64 - 1);
        let rows = (self.rows - first).min(BLOCK_ROWS as u64) as usize;
        let mut block = self.read_block(column, first)?;
        for (row, value) in values {
            block[(row - first) as usize] = *value;
        }
        let others = self.fields[column].relative_to.map(|other| self.read_block(other, first)).transpose()?;
        let others = others.as_ref().map(|others| &others[..rows]);
        let encoded = Encoded::of(&block[..rows], self.fields[column].missing, others);
        let (place, chunk) = self.place(column, first);
        let entry = Entry::from_word(self.read(place, 1)?[0]);
        let stub = [self.words];
        let moved = Entry { offset: entry.offset, is_moved: true, ..Entry::default() }.sealed(&stub);
        self.file.write_all(bytemuck::bytes_of(&encoded.entry.to_word()))?;
        self.file.write_all(bytemuck::cast_slice(&encoded.words))?;
        self.words += 1 + encoded.words.len() as u64;
        let file = self.file.get_ref();
        file.write_all_at(bytemuck::bytes_of(&moved.to_word()), 8 * place)?;
        file.write_all_at(bytemuck::cast_slice(&stub), 8 * (chunk + u64::from(entry.offset)))
    }

    /// Where the entry of the block that begins with a row is, and where its chunk begins.
    fn place(&self, column: usize, first: u64) -> (u64, u64) {
        let chunk = self.chunks[column][(first >> CHUNK_SHIFT) as usize];
        (chunk + ((first % CHUNK_ROWS as u64) >> BLOCK_SHIFT), chunk)
    }

    /// The values of a block as it was first written.
    fn read_block(&self, column: usize, first: u64) -> std::io::Result<[u64; BLOCK_ROWS]> {
        let (place, chunk) = self.place(column, first);
        let entry = Entry::from_word(self.read(place, 1)?[0]);
        let rows = (self.rows - first).min(BLOCK_ROWS as u64) as usize;
        // One more word, as the block of a whole file has behind it.
        let mut words = self.read(chunk + u64::from(entry.offset), entry.words(rows))?;
        words.push(0);
        let mut block = [0; BLOCK_ROWS];
        let missing = self.fields[column].missing;
        if let Some(packed) = PackedBlock::new(entry, &words, rows, missing) {
            packed.unpack(&mut block[..rows]);
        }
        if let Some(other) = self.fields[column].relative_to.filter(|_| entry.is_relative) {
            add(&mut block[..rows], &self.read_block(other, first)?, missing);
        }
        Ok(block)
    }

    fn read(&self, word: u64, count: usize) -> std::io::Result<Vec<u64>> {
        let mut words = vec![0; count];
        self.file.get_ref().read_exact_at(bytemuck::cast_slice_mut(&mut words), 8 * word)?;
        Ok(words)
    }

    /// Writes the places of the chunks and what the columns are.
    pub(crate) fn finish(mut self) -> Result<u64, StoreError> {
        let footer = Footer { rows: self.rows, fields: self.fields, chunks: self.chunks };
        let bytes = footer.to_bytes(8 * self.words);
        let written = self.file.write_all(&bytes).and_then(|()| self.file.flush());
        written.map_err(|cause| StoreError::write(&self.path, cause))?;
        Ok(self.rows)
    }
}
