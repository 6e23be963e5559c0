//! Writes a packed file, a chunk of all columns at a time.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::block::{BLOCK_SHIFT, Encoded, Entry, PackedBlock};
use super::file::{Footer, MAGIC};
use super::relative::add;
use super::{BLOCK_ROWS, CHUNK_ROWS, CHUNK_SHIFT, Field, PackedColumn, PackedFile, Relative};
use crate::StoreError;

/// One column of a chunk: the entries of its blocks, then the blocks. `others` are the values of the column that this one is
/// relative to.
fn pack_chunk(values: &[u64], missing: u64, others: Option<&[u64]>) -> Vec<u64> {
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
    /// The columns of other tables that columns are relative to.
    through: Vec<Option<PackedColumn>>,
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
        let siblings = PackedFile::siblings(path, &fields)?;
        let through = |field: &Field| {
            let Some(Relative::Through { table, column, .. }) = &field.relative_to else { return None };
            let (_, sibling) = siblings.iter().find(|(name, _)| name == table)?;
            PackedColumn::of(sibling, *column)
        };
        let through = fields.iter().map(through).collect();
        Ok(PackedWriter { path: path.to_owned(), file, words: 1, fields, through, chunks, rows: 0 })
    }

    /// Appends a chunk of `rows` rows, column by column. All chunks but the last have [`CHUNK_ROWS`].
    pub(crate) fn append(&mut self, columns: &[Vec<u64>], rows: usize) -> Result<(), StoreError> {
        let packed = (0..columns.len()).into_par_iter().map(|column| {
            let others = self.others(column, |other| columns[other].as_slice().into());
            pack_chunk(&columns[column], self.fields[column].missing, others.as_deref())
        });
        let packed: Vec<Vec<u64>> = packed.collect();
        for (chunks, column) in self.chunks.iter_mut().zip(&packed) {
            chunks.push(self.words);
            self.words += column.len() as u64;
            let bytes = bytemuck::cast_slice(column);
            self.file.write_all(bytes).map_err(|cause| StoreError::write(&self.path, cause))?;
        }
        self.rows += rows as u64;
        Ok(())
    }

    /// The values that those of a column are relative to, if they are; `values` gives those of other columns of the same rows.
    fn others<'a>(&self, column: usize, values: impl Fn(usize) -> Cow<'a, [u64]>) -> Option<Cow<'a, [u64]>> {
        match self.fields[column].relative_to.as_ref()? {
            Relative::Column(other) => Some(values(*other)),
            Relative::Through { row, .. } => {
                let there = self.through[column].as_ref()?;
                Some(values(*row).iter().map(|row| there.get_or_zero(*row)).collect())
            }
        }
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
        let mut block = self.read_block(column, first)?;
        for (row, value) in values {
            block[(row - first) as usize] = *value;
        }
        let others = self.others_of_block(column, first)?;
        let encoded = Encoded::of(&block, self.fields[column].missing, others.as_deref());
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
    fn read_block(&self, column: usize, first: u64) -> std::io::Result<Vec<u64>> {
        let (place, chunk) = self.place(column, first);
        let entry = Entry::from_word(self.read(place, 1)?[0]);
        let rows = (self.rows - first).min(BLOCK_ROWS as u64) as usize;
        // One more word, as the block of a whole file has behind it.
        let mut words = self.read(chunk + u64::from(entry.offset), entry.words(rows))?;
        words.push(0);
        let mut block = vec![0; rows];
        let missing = self.fields[column].missing;
        if let Some(packed) = PackedBlock::new(entry, &words, rows, missing) {
            packed.unpack(&mut block);
        }
        if entry.is_relative
            && let Some(others) = self.others_of_block(column, first)?
        {
            add(&mut block, &others, missing);
        }
        Ok(block)
    }

    /// What the values of a block that was written are relative to.
    fn others_of_block(&self, column: usize, first: u64) -> std::io::Result<Option<Cow<'static, [u64]>>> {
        let needed = match self.fields[column].relative_to {
            Some(Relative::Column(other) | Relative::Through { row: other, .. }) => self.read_block(other, first)?,
            None => return Ok(None),
        };
        Ok(self.others(column, |_| needed.clone().into()))
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
