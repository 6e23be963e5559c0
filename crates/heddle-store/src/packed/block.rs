//! A block: how a few hundred neighbouring values of a column become bits, and bits values again.
//!
//! In the file a block is a base, a slope if it has one, and the codes. The value of row i of the block is
//! `base + slope * i / 256 + code`, all modulo 2^64, where a block with missing values keeps code 0 for those and counts the
//! others from 1.

use super::bits;

/// Rows of a block; the last one of a table may have fewer. A power of two, so that the block of a row is a shift.
pub(crate) const BLOCK_ROWS: usize = 1 << BLOCK_SHIFT;
pub(super) const BLOCK_SHIFT: usize = 8;

/// Slopes are multiples of 1/256: over a block the line strays by less than one.
const SLOPE_SHIFT: u32 = 8;

/// The place of a block in its chunk, and how to read it: a word in front of the chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// In words, from the beginning of the chunk.
    pub(crate) offset: u32,
    pub(crate) width: u32,
    pub(crate) is_sloped: bool,
    pub(crate) has_missing: bool,
    /// The block was written anew further back: its only word here is its place in the file, with an entry of its own there.
    pub(crate) is_moved: bool,
    /// Of the words of the block and of all the above.
    pub(crate) checksum: u32,
}

const OFFSET_BITS: u32 = 22;
const SLOPED: u64 = 1 << 29;
const MISSING: u64 = 1 << 30;
const MOVED: u64 = 1 << 31;

impl Entry {
    /// As it stands in the file: offset, width and three flags in the lower half, the checksum in the upper one.
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
    }

    /// Words of the block: base, slope, codes.
    pub(crate) fn words(self, rows: usize) -> usize {
        if self.is_moved { 1 } else { 1 + usize::from(self.is_sloped) + bits::words(rows, self.width) }
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
    /// Packs the values of a block. `missing` is the value that means "not there".
    pub(crate) fn of(values: &[u64], missing: u64) -> Encoded {
        let line = Line::through(values, missing);
        let entry = Entry {
            offset: 0,
            width: line.width,
            is_sloped: line.slope != 0,
            has_missing: line.has_missing,
            is_moved: false,
            checksum: 0,
        };
        let mut words = Vec::with_capacity(entry.words(values.len()));
        words.push(line.base);
        if entry.is_sloped {
            words.push(line.slope as u64);
        }
        let least = u64::from(line.has_missing);
        let mut codes = [0; BLOCK_ROWS];
        for (at, (code, value)) in codes.iter_mut().zip(values).enumerate() {
            if !(line.has_missing && *value == missing) {
                *code = value.wrapping_sub(line.at(at)).wrapping_add(least);
            }
        }
        bits::pack(&codes[..values.len()], line.width, &mut words);
        Encoded { entry: entry.sealed(&words), words }
    }
}

/// The line that the values of a block lie above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    base: u64,
    slope: i64,
    width: u32,
    has_missing: bool,
}

impl Line {
    fn at(&self, row: usize) -> u64 {
        self.base.wrapping_add(rise(self.slope, row))
    }

    /// The flat line or the one from the first value to the last, whichever takes fewer bits.
    fn through(values: &[u64], missing: u64) -> Line {
        let first = values.iter().position(|value| *value != missing);
        let last = values.iter().rposition(|value| *value != missing);
        let (Some(first), Some(last)) = (first, last) else {
            return Line { base: missing, slope: 0, width: 0, has_missing: false };
        };
        let has_missing = values.contains(&missing);
        let flat = Line::with_slope(values, missing, first, 0, has_missing);
        if flat.width == 0 || first == last {
            return flat;
        }
        let climb = values[last].wrapping_sub(values[first]) as i64;
        let slope = i128::from(climb) * (1 << SLOPE_SHIFT) / (last - first) as i128;
        let Ok(slope) = i64::try_from(slope) else { return flat };
        if slope == 0 {
            return flat;
        }
        let sloped = Line::with_slope(values, missing, first, slope, has_missing);
        let saved = bits::words(values.len(), flat.width).saturating_sub(bits::words(values.len(), sloped.width));
        // The slope takes a word itself, and reading it some time.
        if saved > 1 { sloped } else { flat }
    }

    fn with_slope(values: &[u64], missing: u64, first: usize, slope: i64, has_missing: bool) -> Line {
        let whole = Line { base: 0, slope: 0, width: 64, has_missing: false };
        let start = values[first].wrapping_sub(rise(slope, first));
        let (mut least, mut most) = (0i64, 0i64);
        for (row, value) in values.iter().enumerate() {
            if has_missing && *value == missing {
                continue;
            }
            let above = value.wrapping_sub(start.wrapping_add(rise(slope, row))) as i64;
            least = least.min(above);
            most = most.max(above);
        }
        // Values that far apart do not count from each other as signed numbers.
        let Some(range) = most.checked_sub(least).and_then(|range| u64::try_from(range).ok()) else { return whole };
        let Some(largest) = range.checked_add(u64::from(has_missing)) else { return whole };
        match bits::stored_width(u64::BITS - largest.leading_zeros()) {
            64 => whole,
            width => Line { base: start.wrapping_add(least as u64), slope, width, has_missing },
        }
    }
}

/// How far a line has risen at a row.
#[inline]
fn rise(slope: i64, row: usize) -> u64 {
    (slope.wrapping_mul(row as i64) >> SLOPE_SHIFT) as u64
}

/// A block in the file, ready to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedBlock<'a> {
    base: u64,
    slope: i64,
    width: u32,
    /// The value of code 0, if that means "not there".
    missing: Option<u64>,
    /// The codes, and at least seven bytes behind them.
    codes: &'a [u8],
}

impl<'a> PackedBlock<'a> {
    /// The block that an entry describes; `words` are its own and one more.
    #[inline]
    pub(crate) fn new(entry: Entry, words: &'a [u64], missing: u64) -> Option<PackedBlock<'a>> {
        let (base, rest) = words.split_first()?;
        let (slope, rest) = if entry.is_sloped { rest.split_first()? } else { (&0, rest) };
        Some(PackedBlock {
            base: *base,
            slope: *slope as i64,
            width: entry.width,
            missing: entry.has_missing.then_some(missing),
            codes: bytemuck::cast_slice(rest),
        })
    }

    /// The value of a row of the block.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> u64 {
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
    }
}
