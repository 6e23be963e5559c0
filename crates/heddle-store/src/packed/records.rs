//! Blocks of several columns, one behind the other, for records that wait in a temporary file: the entry of each column, then
//! its words. There are no chunks and no checksums: who writes such a file reads it, once, and removes it.

use super::BLOCK_ROWS;
use super::block::{Entry, PackedBlock, append_block};

/// The word that is rare enough among records to have a code of its own: that of no time.
const MISSING: u64 = i64::MIN as u64;

/// Appends a column of a block.
pub(crate) fn append_record_column(values: &[u64], words: &mut Vec<u64>) {
    let at = words.len();
    words.push(0);
    words[at] = append_block(values, MISSING, None, words).to_word();
}

/// The columns of a block of so many rows that begins these words. Behind the block there is another word.
fn columns(mut words: &[u64], rows: usize) -> impl Iterator<Item = PackedBlock<'_>> {
    std::iter::from_fn(move || {
        let (entry, rest) = words.split_first()?;
        let entry = Entry::from_word(*entry);
        let length = entry.words(rows);
        words = rest.get(length..)?;
        PackedBlock::new(entry, rest.get(..=length)?, rows, MISSING)
    })
}

/// The wanted columns of a block, a bit for each, one behind the other; the others are zeros.
pub(crate) fn unpack_record_columns(words: &[u64], count: usize, rows: usize, wanted: u32) -> Vec<u64> {
    let rows = rows.min(BLOCK_ROWS);
    let mut values = vec![0; count * rows];
    for ((number, out), block) in values.chunks_mut(rows.max(1)).enumerate().zip(columns(words, rows)) {
        if wanted & (1 << number) != 0 {
            block.unpack(out);
        }
    }
    values
}

/// One row of all columns of a block.
pub(crate) fn read_record(words: &[u64], rows: usize, row: usize, out: &mut [u64]) {
    out.iter_mut().zip(columns(words, rows)).for_each(|(value, block)| *value = block.get(row));
}
