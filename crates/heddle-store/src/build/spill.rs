//! Ends of messages and members of collectives on their way to being matched.
//!
//! They are kept in memory while they are few. Beyond their share of the budget they go to a file in the store's temporary
//! directory and are read back through a mapping, so that their number is bounded by the disk and not by memory. In the file
//! they are packed like tables ([`crate::packed`]): block by block, column by column. A block in which something changes that
//! is only known later (a request's completion) is written again behind the others.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::StoreError;
use crate::map::Mapped;
use crate::packed::{BLOCK_ROWS, append_record_column, read_record, unpack_record_columns};

/// What can be kept and spilled.
pub(crate) trait Record: Copy + Send + Sync {
    /// Columns of a record in a file.
    const COLUMNS: usize;
    /// Those that [`Spill::keys`] reads, a bit each.
    const KEYS: u32 = u32::MAX;

    /// The record as words, one for each column.
    fn to_words(&self, words: &mut [u64]);

    /// The same back. Columns that were not read are 0.
    fn from_words(words: &[u64]) -> Self;
}

impl Record for u64 {
    const COLUMNS: usize = 1;

    fn to_words(&self, words: &mut [u64]) {
        words[0] = *self;
    }

    fn from_words(words: &[u64]) -> u64 {
        words[0]
    }
}

/// Records that are packed together once they spill: enough for all threads.
const AT_ONCE: usize = 64 * BLOCK_ROWS;

/// From so many records of a block on all of it is unpacked to get them.
const WORTH_A_BLOCK: usize = 24;

/// An append-only list of records.
pub(crate) struct SpillWriter<T> {
    path: PathBuf,
    /// All records, or those that the file does not have yet.
    held: Vec<T>,
    /// Most records to hold in memory.
    most: usize,
    file: Option<PackedRecords>,
    len: u64,
}

/// A file that is being written.
struct PackedRecords {
    file: BufWriter<File>,
    /// Words so far.
    words: u64,
    /// Where each block begins.
    places: Vec<u64>,
}

impl PackedRecords {
    fn append(&mut self, block: &[u64]) -> std::io::Result<()> {
        self.file.write_all(bytemuck::cast_slice(block))?;
        self.words += block.len() as u64;
        Ok(())
    }

    /// Writes whole blocks, and at the end what is left.
    fn append_records<T: Record>(&mut self, records: &[T]) -> std::io::Result<()> {
        let blocks: Vec<Vec<u64>> = records.par_chunks(BLOCK_ROWS).map(packed).collect();
        for block in blocks {
            self.places.push(self.words);
            self.append(&block)?;
        }
        Ok(())
    }

    /// Changes records of one block, by their numbers.
    fn patch<T: Record>(&mut self, patches: &[(u64, T)]) -> std::io::Result<()> {
        let Some(number) = patches.first().map(|(index, _)| *index as usize / BLOCK_ROWS) else { return Ok(()) };
        self.file.flush()?;
        let start = self.places[number];
        // However long the block is: its columns say so.
        let most = (T::COLUMNS * (3 + BLOCK_ROWS)) as u64;
        let mut words = vec![0; most.min(self.words - start) as usize];
        self.file.get_ref().read_exact_at(bytemuck::cast_slice_mut(&mut words), 8 * start)?;
        words.push(0);
        let mut block = unpacked::<T>(&words, BLOCK_ROWS, u32::MAX);
        for (index, record) in patches {
            block[*index as usize % BLOCK_ROWS] = *record;
        }
        self.places[number] = self.words;
        self.append(&packed(&block))
    }
}

/// A block of records as it stands in a file.
fn packed<T: Record>(records: &[T]) -> Vec<u64> {
    let mut columns = vec![0; T::COLUMNS * records.len()];
    let mut of_record = [0; 16];
    for (at, record) in records.iter().enumerate() {
        record.to_words(&mut of_record[..T::COLUMNS]);
        for (column, word) in of_record[..T::COLUMNS].iter().enumerate() {
            columns[column * records.len() + at] = *word;
        }
    }
    let mut words = Vec::new();
    columns.chunks(records.len().max(1)).for_each(|column| append_record_column(column, &mut words));
    words
}

/// The records of a block that begins these words, in the columns that are wanted.
fn unpacked<T: Record>(words: &[u64], rows: usize, wanted: u32) -> Vec<T> {
    let columns = unpack_record_columns(words, T::COLUMNS, rows, wanted);
    let mut of_record = [0; 16];
    let record = |row: usize| {
        for (column, word) in of_record[..T::COLUMNS].iter_mut().enumerate() {
            *word = columns[column * rows + row];
        }
        T::from_words(&of_record[..T::COLUMNS])
    };
    (0..rows).map(record).collect()
}

impl<T: Record> SpillWriter<T> {
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
        if self.held.capacity() == 0 {
            // All it may ever take: untouched memory costs nothing, growing would copy. If there is not so
            // much, growing must do.
            let _ = self.held.try_reserve_exact(if self.file.is_some() { AT_ONCE } else { self.most });
        }
        self.held.extend_from_slice(records);
        if self.file.is_some() && self.held.len() >= AT_ONCE {
            self.write_blocks()?;
        }
        Ok(())
    }

    /// Begins a file; from now on everything goes there.
    fn spill(&mut self) -> Result<(), StoreError> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&self.path);
        let file = file.map_err(|cause| StoreError::write(&self.path, cause))?;
        let file = BufWriter::with_capacity(1 << 18, file);
        self.file = Some(PackedRecords { file, words: 0, places: Vec::new() });
        self.write_blocks()?;
        // What is left is less than a block: the memory of all is not needed any more.
        self.held.shrink_to_fit();
        Ok(())
    }

    /// Moves whole blocks to the file.
    fn write_blocks(&mut self) -> Result<(), StoreError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let whole = self.held.len() / BLOCK_ROWS * BLOCK_ROWS;
        file.append_records(&self.held[..whole]).map_err(|cause| StoreError::write(&self.path, cause))?;
        self.held.drain(..whole);
        Ok(())
    }

    /// Changes records that were appended before.
    pub(crate) fn patch(&mut self, patches: &mut [(u64, T)]) -> Result<(), StoreError> {
        let first_held = self.len - self.held.len() as u64;
        // Of changes to one record the last one counts, so their order must stay.
        patches.sort_by_key(|(index, _)| *index);
        let (written, held) = patches.split_at(patches.partition_point(|(index, _)| *index < first_held));
        for (index, record) in held {
            self.held[(index - first_held) as usize] = *record;
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        for of_block in written.chunk_by(|a, b| a.0 / BLOCK_ROWS as u64 == b.0 / BLOCK_ROWS as u64) {
            file.patch(of_block).map_err(|cause| StoreError::write(&self.path, cause))?;
        }
        Ok(())
    }

    /// Ends writing.
    pub(crate) fn finish(self) -> Result<Spill<T>, StoreError> {
        let Some(mut file) = self.file else { return Ok(Spill { len: self.len, records: Kept::Held(self.held) }) };
        // Behind every block there is a word.
        let rest = file.append_records(&self.held).and_then(|()| file.append(&[0]));
        let written = rest.and_then(|()| file.file.flush());
        written.map_err(|cause| StoreError::write(&self.path, cause))?;
        let mapped = Mapped::open(&self.path).map_err(|cause| StoreError::read(&self.path, cause))?;
        // The mapping outlives the name, so nothing is left to clean up.
        std::fs::remove_file(&self.path).map_err(|cause| StoreError::write(&self.path, cause))?;
        Ok(Spill { len: self.len, records: Kept::Packed { mapped, places: file.places } })
    }
}

/// The finished list.
pub(crate) struct Spill<T> {
    len: u64,
    records: Kept<T>,
}

enum Kept<T> {
    Held(Vec<T>),
    Packed { mapped: Mapped, places: Vec<u64> },
}

impl<T: Record> Spill<T> {
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// All records in order.
    pub(crate) fn iter(&self) -> Records<'_, T> {
        self.iter_from(0)
    }

    /// The records from one on.
    pub(crate) fn iter_from(&self, first: u64) -> Records<'_, T> {
        self.records(first, u32::MAX)
    }

    fn records(&self, first: u64, wanted: u32) -> Records<'_, T> {
        let (number, row) = place_of(first);
        Records { spill: self, wanted, block: self.block_of(number, wanted), at: row, next: number + 1 }
    }

    /// All records, with only those of their fields that are keys.
    pub(crate) fn keys(&self) -> Records<'_, T> {
        self.keys_from(0)
    }

    /// The same from one on.
    pub(crate) fn keys_from(&self, first: u64) -> Records<'_, T> {
        self.records(first, T::KEYS)
    }

    /// Blocks that the records lie in, the last of which may be shorter.
    pub(crate) fn blocks(&self) -> usize {
        self.len.div_ceil(BLOCK_ROWS as u64) as usize
    }

    /// The records of a block, with only those of their fields that are keys.
    pub(crate) fn keys_of_block(&self, number: usize) -> Cow<'_, [T]> {
        self.block_of(number, T::KEYS)
    }

    /// Something of each block's keys.
    pub(crate) fn map_blocks<R: Send>(&self, of: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
        (0..self.blocks()).into_par_iter().map(|number| of(&self.keys_of_block(number))).collect()
    }

    /// One record, which there is.
    #[inline]
    pub(crate) fn get(&self, index: u64) -> T {
        match &self.records {
            Kept::Held(records) => records[index as usize],
            Kept::Packed { mapped, places } => {
                let (number, row) = place_of(index);
                let mut words = [0; 16];
                read_record(block(mapped, places, number), self.rows_of(number), row, &mut words[..T::COLUMNS]);
                T::from_words(&words[..T::COLUMNS])
            }
        }
    }

    /// Several records, which there are: a block that many of them lie in is unpacked once.
    pub(crate) fn get_each(&self, indexes: &[u64]) -> Vec<T> {
        if let Kept::Held(records) = &self.records {
            return indexes.iter().map(|index| records[*index as usize]).collect();
        }
        let mut order: Vec<(u64, u32)> = indexes.iter().copied().zip(0..).collect();
        order.sort_unstable();
        let mut records = vec![T::from_words(&[0; 16][..T::COLUMNS]); indexes.len()];
        for of_block in order.chunk_by(|a, b| place_of(a.0).0 == place_of(b.0).0) {
            let block = (of_block.len() >= WORTH_A_BLOCK).then(|| self.block_of(place_of(of_block[0].0).0, u32::MAX));
            for (index, at) in of_block {
                records[*at as usize] = match &block {
                    Some(block) => block[place_of(*index).1],
                    None => self.get(*index),
                };
            }
        }
        records
    }

    /// The records of a block, none behind the last one.
    fn block_of(&self, number: usize, wanted: u32) -> Cow<'_, [T]> {
        if number >= self.blocks() {
            return Cow::Borrowed(&[]);
        }
        match &self.records {
            Kept::Held(records) => Cow::Borrowed(&records[number * BLOCK_ROWS..][..self.rows_of(number)]),
            Kept::Packed { mapped, places } => {
                Cow::Owned(unpacked(block(mapped, places, number), self.rows_of(number), wanted))
            }
        }
    }

    /// Rows of a block.
    fn rows_of(&self, block: usize) -> usize {
        (self.len - first_of_block(block)).min(BLOCK_ROWS as u64) as usize
    }
}

/// The number of a block's first record.
pub(crate) fn first_of_block(block: usize) -> u64 {
    (block * BLOCK_ROWS) as u64
}

/// The block of a record, and its row there.
fn place_of(index: u64) -> (usize, usize) {
    (index as usize / BLOCK_ROWS, index as usize % BLOCK_ROWS)
}

/// The words of a file from a block on.
fn block<'a>(mapped: &'a Mapped, places: &[u64], number: usize) -> &'a [u64] {
    // A mapping begins at a page, so alignment holds, and the file has whole words.
    let words: &[u64] = bytemuck::try_cast_slice(mapped.bytes()).unwrap_or_default();
    places.get(number).and_then(|place| words.get(*place as usize..)).unwrap_or_default()
}

/// Records one by one.
pub(crate) struct Records<'a, T: Record> {
    spill: &'a Spill<T>,
    wanted: u32,
    block: Cow<'a, [T]>,
    at: usize,
    /// The number of the next block.
    next: usize,
}

impl<T: Record> Iterator for Records<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        if self.at >= self.block.len() {
            self.block = self.spill.block_of(self.next, self.wanted);
            self.next += 1;
            self.at = 0;
        }
        let record = self.block.get(self.at).copied();
        self.at += usize::from(record.is_some());
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn records_survive_going_to_disk_and_being_patched_there(
            stretches in prop::collection::vec(prop::collection::vec(any::<u64>(), 0..9000), 0..9),
            patches in prop::collection::vec((any::<prop::sample::Index>(), any::<u64>()), 0..20),
            memory in prop_oneof![Just(0), Just(20_000), Just(1u64 << 30)],
        ) {
            let directory = tempfile::tempdir().unwrap();
            let mut writer = SpillWriter::<u64>::create(directory.path(), "x.tmp", memory);
            let mut expected: Vec<u64> = Vec::new();
            for stretch in &stretches {
                writer.append(stretch).unwrap();
                expected.extend(stretch);
                if !expected.is_empty() {
                    let mut patches: Vec<(u64, u64)> =
                        patches.iter().map(|(at, value)| (at.index(expected.len()) as u64, *value)).collect();
                    for (at, value) in &patches {
                        expected[*at as usize] = *value;
                    }
                    writer.patch(&mut patches).unwrap();
                }
            }
            prop_assert_eq!(writer.len(), expected.len() as u64);
            let spill = writer.finish().unwrap();
            let is_spilled = expected.len() * 8 > (memory as usize).max(8192);
            prop_assert_eq!(matches!(spill.records, Kept::Packed { .. }), is_spilled);
            prop_assert_eq!((0..spill.len()).map(|at| spill.get(at)).collect::<Vec<_>>(), expected.clone());
            prop_assert_eq!(spill.iter().collect::<Vec<_>>(), expected.clone());
            let firsts = patches.iter().map(|(at, _)| at.index(expected.len() + 1));
            for first in firsts {
                prop_assert_eq!(spill.iter_from(first as u64).collect::<Vec<_>>(), &expected[first..]);
            }
            // Some blocks whole, of the others a record here and there, in any order.
            let some: Vec<u64> = (0..spill.len()).rev().filter(|at| at / 300 % 2 == 0 || at % 97 == 0).collect();
            let there: Vec<u64> = some.iter().map(|at| expected[*at as usize]).collect();
            prop_assert_eq!(spill.get_each(&some), there);
            prop_assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "the file has no name any more");
        }
    }
}
