//! Writes a packed file, a chunk of all columns at a time.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::block::{BLOCK_SHIFT, Encoded, Entry, PackedBlock, append_block};
use super::file::{Footer, MAGIC};
use super::relative::Step;
use super::{BLOCK_ROWS, CHUNK_ROWS, CHUNK_SHIFT, Field, PackedColumn, PackedFile, Relative};
use crate::StoreError;

/// A column of rows that are to be packed, as words.
pub trait Words: Sync {
    /// Fills `out` with the words from a row on.
    fn fill(&self, first: usize, out: &mut [u64]);
}

/// Blocks that are packed by one thread: some tens of kilobytes.
const PIECE_BLOCKS: usize = 32;

/// Some neighbouring blocks of a chunk.
struct Piece {
    entries: Vec<Entry>,
    words: Vec<u64>,
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
    pub(crate) fn append(&mut self, columns: &[&dyn Words], rows: usize) -> Result<(), StoreError> {
        let pack = |column: usize| {
            let firsts: Vec<usize> = (0..rows).step_by(PIECE_BLOCKS * BLOCK_ROWS).collect();
            let pieces = firsts.into_par_iter();
            let pieces: Vec<Piece> = pieces.map(|first| self.pack_piece(columns, column, first, rows)).collect();
            (sealed(&pieces, rows), pieces)
        };
        let packed: Vec<(Vec<u64>, Vec<Piece>)> = (0..columns.len()).into_par_iter().map(pack).collect();
        for (chunks, (entries, pieces)) in self.chunks.iter_mut().zip(&packed) {
            chunks.push(self.words);
            for words in [entries].into_iter().chain(pieces.iter().map(|piece| &piece.words)) {
                self.words += words.len() as u64;
                let bytes = bytemuck::cast_slice(words);
                self.file.write_all(bytes).map_err(|cause| StoreError::write(&self.path, cause))?;
            }
        }
        self.rows += rows as u64;
        Ok(())
    }

    /// Packs some blocks of a column, from a row on.
    fn pack_piece(&self, columns: &[&dyn Words], column: usize, first: usize, rows: usize) -> Piece {
        let last = (first + PIECE_BLOCKS * BLOCK_ROWS).min(rows);
        let mut piece = Piece { entries: Vec::with_capacity(PIECE_BLOCKS), words: Vec::new() };
        let (mut values, mut others) = ([0; BLOCK_ROWS], [0; BLOCK_ROWS]);
        for first in (first..last).step_by(BLOCK_ROWS) {
            let count = (last - first).min(BLOCK_ROWS);
            let (values, others) = (&mut values[..count], &mut others[..count]);
            columns[column].fill(first, values);
            let is_relative = self.others(column, |other, out| columns[other].fill(first, out), others);
            let others = is_relative.then_some(&*others);
            piece.entries.push(append_block(values, self.fields[column].missing, others, &mut piece.words));
        }
        piece
    }

    /// Gives the values that those of a column are relative to; `fill` gives those of other columns of the same rows. Says
    /// whether there are any.
    fn others(&self, column: usize, fill: impl Fn(usize, &mut [u64]), out: &mut [u64]) -> bool {
        match &self.fields[column].relative_to {
            None => false,
            Some(Relative::Column(other)) => {
                fill(*other, out);
                true
            }
            Some(Relative::Through { row, .. }) => {
                let Some(there) = &self.through[column] else { return false };
                fill(*row, out);
                there.look_up(out);
                true
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
            Step::Add.apply_all(&mut block, &others, missing);
        }
        Ok(block)
    }

    /// What the values of a block that was written are relative to.
    fn others_of_block(&self, column: usize, first: u64) -> std::io::Result<Option<Vec<u64>>> {
        let needed = match self.fields[column].relative_to {
            Some(Relative::Column(other) | Relative::Through { row: other, .. }) => self.read_block(other, first)?,
            None => return Ok(None),
        };
        let mut others = vec![0; needed.len()];
        Ok(self.others(column, |_, out| out.copy_from_slice(&needed), &mut others).then_some(others))
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

/// The entries of the blocks of a chunk, which lie behind them.
fn sealed(pieces: &[Piece], rows: usize) -> Vec<u64> {
    let blocks = rows.div_ceil(BLOCK_ROWS);
    let mut entries = Vec::with_capacity(blocks);
    let mut offset = blocks;
    for piece in pieces {
        let mut rest = &piece.words[..];
        for entry in &piece.entries {
            let rows = (rows - entries.len() * BLOCK_ROWS).min(BLOCK_ROWS);
            let (words, behind) = rest.split_at(entry.words(rows));
            entries.push(Entry { offset: offset as u32, ..*entry }.sealed(words).to_word());
            offset += words.len();
            rest = behind;
        }
    }
    entries
}
