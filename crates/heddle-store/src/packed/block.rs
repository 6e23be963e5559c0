//! A block: how a few hundred neighbouring values of a column become bits, and bits values again.
//!
//! In the file a block is a base, a slope if it has one, the codes, and the strays. The value of row i of the block is
//! `base + slope * i / 256 + code`, all modulo 2^64, where a block with missing values keeps code 0 for those and counts the
//! others from 1. Strays are the few values that would make all codes wider: their rows, a byte each, then the values whole.
//!
//! A block may be relative to another column of its table: then what it holds is the difference to the values there.

use super::bits;
use super::line::{Line, rise};
use super::relative::differences;

/// Rows of a block; the last one of a table may have fewer. A power of two, so that the block of a row is a shift.
pub(crate) const BLOCK_ROWS: usize = 1 << BLOCK_SHIFT;
pub(super) const BLOCK_SHIFT: usize = 8;

/// Strays of a block, at most: four bits count them, and whoever reads a value looks through all of them.
pub(super) const MOST_STRAYS: usize = 15;

/// The place of a block in its chunk, and how to read it: a word in front of the chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    /// In words, from the beginning of the chunk.
    pub(crate) offset: u32,
    pub(crate) width: u32,
    pub(crate) is_sloped: bool,
    pub(crate) has_missing: bool,
    /// The block was written anew further back: its only word here is its place in the file, with an entry of its own there.
    pub(crate) is_moved: bool,
    /// The block holds differences to the column that its own is relative to.
    pub(crate) is_relative: bool,
    pub(crate) strays: usize,
    /// Of the words of the block and of all the above.
    pub(crate) checksum: u32,
}

/// A chunk has fewer than 2^17 words: 256 entries, and blocks of 258 words at most.
const OFFSET_BITS: u32 = 17;
const SLOPED: u64 = 1 << 24;
const MISSING: u64 = 1 << 25;
const MOVED: u64 = 1 << 26;
const RELATIVE: u64 = 1 << 27;
const STRAYS_SHIFT: u32 = 28;

impl Entry {
    /// As it stands in the file: what it says in the lower half, the checksum in the upper one.
    pub(crate) fn to_word(self) -> u64 {
        self.description() | u64::from(self.checksum) << 32
    }

    pub(crate) fn from_word(word: u64) -> Entry {
        Entry {
            offset: (word & ((1 << OFFSET_BITS) - 1)) as u32,
            width: ((word >> OFFSET_BITS) & 0x7f) as u32,
            is_sloped: word & SLOPED != 0,
            has_missing: word & MISSING != 0,
            is_moved: word & MOVED != 0,
            is_relative: word & RELATIVE != 0,
            strays: (word >> STRAYS_SHIFT) as usize & MOST_STRAYS,
            checksum: (word >> 32) as u32,
        }
    }

    fn description(self) -> u64 {
        let flag = |flag, is_set| if is_set { flag } else { 0 };
        u64::from(self.offset)
            | u64::from(self.width) << OFFSET_BITS
            | flag(SLOPED, self.is_sloped)
            | flag(MISSING, self.has_missing)
            | flag(MOVED, self.is_moved)
            | flag(RELATIVE, self.is_relative)
            | (self.strays as u64) << STRAYS_SHIFT
    }

    /// Words of the block: base, slope, codes, strays.
    pub(crate) fn words(self, rows: usize) -> usize {
        if self.is_moved {
            1
        } else {
            1 + usize::from(self.is_sloped) + bits::words(rows, self.width) + stray_words(self.strays)
        }
    }

    /// The same with the checksum of these words.
    pub(crate) fn sealed(self, words: &[u64]) -> Entry {
        Entry { checksum: checksum(self.description(), words), ..self }
    }

    /// Whether these words are what was written. A width that no block has is damage too.
    pub(crate) fn is_intact(self, words: &[u64]) -> bool {
        (self.width <= bits::WIDEST || self.width == 64) && self.checksum == checksum(self.description(), words)
    }
}

/// Words that strays take: their rows, eight to a word, and their values.
pub(super) fn stray_words(strays: usize) -> usize {
    strays.div_ceil(8) + strays
}

fn checksum(description: u64, words: &[u64]) -> u32 {
    xxhash_rust::xxh3::xxh3_64_with_seed(bytemuck::cast_slice(words), description) as u32
}

/// A block as it is written: its entry, with offset 0, and its words.
#[derive(Debug)]
pub(crate) struct Encoded {
    pub(crate) entry: Entry,
    pub(crate) words: Vec<u64>,
}

impl Encoded {
    pub(crate) fn of(values: &[u64], missing: u64, others: Option<&[u64]>) -> Encoded {
        let mut words = Vec::new();
        let entry = append_block(values, missing, others, &mut words);
        Encoded { entry: entry.sealed(&words), words }
    }
}

/// Packs the values of a block, or their differences to the values of another column, whichever takes less, behind the words
/// of others. `missing` is the value that means "not there". The entry has no offset and no checksum yet.
pub(super) fn append_block(values: &[u64], missing: u64, others: Option<&[u64]>, words: &mut Vec<u64>) -> Entry {
    let rows = values.len();
    let line = Line::through(values, missing);
    let whole = entry_along(&line);
    let differences = others.and_then(|others| differences(values, others, missing));
    if let Some(differences) = &differences {
        let differences = &differences[..rows];
        let nearer = Line::through(differences, missing);
        let relative = Entry { is_relative: true, ..entry_along(&nearer) };
        if relative.words(rows) < whole.words(rows) {
            append_along(&nearer, differences, missing, words);
            return relative;
        }
    }
    append_along(&line, values, missing, words);
    whole
}

fn entry_along(line: &Line) -> Entry {
    Entry {
        width: line.width,
        is_sloped: line.slope != 0,
        has_missing: line.has_missing,
        strays: line.strays,
        ..Entry::default()
    }
}

/// Appends base, slope, codes and strays.
fn append_along(line: &Line, values: &[u64], missing: u64, words: &mut Vec<u64>) {
    words.push(line.base);
    if line.slope != 0 {
        words.push(line.slope as u64);
    }
    let mut codes = [0; BLOCK_ROWS];
    let codes = &mut codes[..values.len().min(BLOCK_ROWS)];
    let (mut rows, mut strays) = ([0u8; MOST_STRAYS.next_multiple_of(8)], Vec::new());
    if line.strays == 0 && !line.has_missing {
        if line.width > 0 {
            codes.iter_mut().zip(values).enumerate().for_each(|(at, (code, value))| *code = line.above(at, *value));
        }
    } else {
        for (at, (code, value)) in codes.iter_mut().zip(values).enumerate() {
            if line.has_missing && *value == missing {
                continue;
            }
            if let Some(of_value) = line.code(at, *value) {
                *code = of_value;
            } else {
                rows[strays.len() % MOST_STRAYS] = at as u8;
                strays.push(*value);
            }
        }
    }
    bits::pack(codes, line.width, words);
    let rows = rows.as_chunks::<8>().0.iter().map(|rows| u64::from_le_bytes(*rows));
    words.extend(rows.take(strays.len().div_ceil(8)));
    words.extend_from_slice(&strays);
}

/// A block in the file, ready to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedBlock<'a> {
    base: u64,
    slope: i64,
    width: u32,
    /// The value of code 0, if that means "not there".
    missing: Option<u64>,
    /// What is read are differences to another column.
    pub(super) is_relative: bool,
    /// The codes, and at least seven bytes behind them.
    codes: &'a [u8],
    /// Rows and values of strays.
    strays: (&'a [u8], &'a [u64]),
}

impl<'a> PackedBlock<'a> {
    /// The block of so many rows that an entry describes; `words` are its own and one more.
    #[inline]
    pub(crate) fn new(entry: Entry, words: &'a [u64], rows: usize, missing: u64) -> Option<PackedBlock<'a>> {
        let (base, rest) = words.split_first()?;
        let (slope, rest) = if entry.is_sloped { rest.split_first()? } else { (&0, rest) };
        Some(PackedBlock {
            base: *base,
            slope: *slope as i64,
            width: entry.width,
            missing: entry.has_missing.then_some(missing),
            is_relative: entry.is_relative,
            codes: bytemuck::cast_slice(rest),
            strays: if entry.strays == 0 { (&[], &[]) } else { strays(entry, rest, rows)? },
        })
    }

    /// Between what its values lie, missing ones left out: the least, and how far the largest may be from it. None if that
    /// cannot be told without them.
    pub(super) fn range(&self, rows: usize) -> Option<(u64, u64)> {
        if self.width > bits::WIDEST || !self.strays.0.is_empty() || self.missing.is_some() {
            return None;
        }
        let end = rise(self.slope, rows.saturating_sub(1)).cast_signed();
        let above = (1u64 << self.width) - 1;
        Some((self.base.wrapping_add(end.min(0).cast_unsigned()), end.unsigned_abs().checked_add(above)?))
    }

    /// The value of a row of the block.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> u64 {
        if let Some(at) = self.strays.0.iter().position(|stray| usize::from(*stray) == row) {
            return self.strays.1[at];
        }
        let code = if self.width == 0 { 0 } else { bits::get(self.codes, self.width, row) };
        let above = self.base.wrapping_add(code);
        match self.missing {
            Some(missing) if code == 0 => missing,
            Some(_) => above.wrapping_add(rise(self.slope, row)).wrapping_sub(1),
            None => above.wrapping_add(rise(self.slope, row)),
        }
    }

    /// The first values, as many as there is room for.
    pub(crate) fn unpack(&self, out: &mut [u64]) {
        bits::unpack(self.codes, self.width, out);
        match self.missing {
            Some(missing) => {
                for (row, value) in out.iter_mut().enumerate() {
                    let above = self.base.wrapping_add(rise(self.slope, row)).wrapping_add(*value).wrapping_sub(1);
                    *value = if *value == 0 { missing } else { above };
                }
            }
            None if self.slope == 0 => out.iter_mut().for_each(|value| *value = value.wrapping_add(self.base)),
            None => {
                for (row, value) in out.iter_mut().enumerate() {
                    *value = value.wrapping_add(self.base).wrapping_add(rise(self.slope, row));
                }
            }
        }
        for (row, value) in self.strays.0.iter().zip(self.strays.1) {
            if let Some(stray) = out.get_mut(usize::from(*row)) {
                *stray = *value;
            }
        }
    }
}

/// Rows and values of the strays behind the codes.
#[cold]
fn strays(entry: Entry, rest: &[u64], rows: usize) -> Option<(&[u8], &[u64])> {
    let behind = rest.get(bits::words(rows, entry.width)..)?;
    let (at, values) = behind.split_at_checked(entry.strays.div_ceil(8))?;
    Some((bytemuck::cast_slice(at).get(..entry.strays)?, values.get(..entry.strays)?))
}
