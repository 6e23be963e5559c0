//! The line that the values of a block lie above, and how many bits take what they lie above it.

use super::BLOCK_ROWS;
use super::bits;
use super::block::{MOST_STRAYS, stray_words};

/// Slopes are multiples of 1/256: over a block the line deviates by less than one.
const SLOPE_SHIFT: u32 = 8;

/// How far a line has risen at a row.
#[inline]
pub(super) fn rise(slope: i64, row: usize) -> u64 {
    (slope.wrapping_mul(row as i64) >> SLOPE_SHIFT) as u64
}

/// A line, and the width of what lies above it. Values that do not fit are strays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) base: u64,
    pub(super) slope: i64,
    pub(super) width: u32,
    pub(super) has_missing: bool,
    pub(super) strays: usize,
}

impl Line {
    /// What values need that lie anywhere.
    const ANYWHERE: Line = Line { base: 0, slope: 0, width: 64, has_missing: false, strays: 0 };

    /// The flat line or the one from the first value to the last, whichever takes less.
    pub(super) fn through(values: &[u64], missing: u64) -> Line {
        let first = values.iter().position(|value| *value != missing);
        let last = values.iter().rposition(|value| *value != missing);
        let (Some(first), Some(last)) = (first, last) else {
            return Line { base: missing, width: 0, ..Line::ANYWHERE };
        };
        let has_missing = values.contains(&missing);
        let flat = Heights::above(values, missing, first, 0, has_missing);
        let rows = values.len();
        if flat.line.width == 0 || first == last {
            return flat.line;
        }
        let climb = values[last].wrapping_sub(values[first]) as i64;
        let slope = i128::from(climb) * (1 << SLOPE_SHIFT) / (last - first) as i128;
        let Some(slope) = i64::try_from(slope).ok().filter(|slope| *slope != 0) else {
            return flat.without_strays(rows);
        };
        let sloped = Heights::above(values, missing, first, slope, has_missing);
        // The slope takes a word itself, and reading it some time.
        let is_sloped = bits::words(rows, sloped.line.width) + 1 < bits::words(rows, flat.line.width);
        if is_sloped { sloped.without_strays(rows) } else { flat.without_strays(rows) }
    }

    /// The code of a value, or none if it is a stray. Not for a value that is missing.
    #[inline]
    pub(super) fn code(&self, row: usize, value: u64) -> Option<u64> {
        let least = u64::from(self.has_missing);
        let code = value.wrapping_sub(self.base).wrapping_sub(rise(self.slope, row)).wrapping_add(least);
        (self.strays == 0 || (code >> self.width == 0 && code >= least)).then_some(code)
    }
}

/// How far the values of a block lie above a line, and the line below all of them.
struct Heights {
    line: Line,
    /// Of those that are not missing, counted from one of them.
    all: [i64; BLOCK_ROWS],
    count: usize,
    least: i64,
    most: i64,
}

impl Heights {
    fn above(values: &[u64], missing: u64, first: usize, slope: i64, has_missing: bool) -> Heights {
        let start = values[first].wrapping_sub(rise(slope, first));
        let mut found = Heights { line: Line::ANYWHERE, all: [0; BLOCK_ROWS], count: 0, least: 0, most: 0 };
        for (row, value) in values.iter().enumerate() {
            if has_missing && *value == missing {
                continue;
            }
            let height = value.wrapping_sub(start.wrapping_add(rise(slope, row))) as i64;
            found.all[found.count] = height;
            found.count += 1;
            found.least = found.least.min(height);
            found.most = found.most.max(height);
        }
        // Values that far apart do not count from each other as signed numbers.
        let range = found.most.checked_sub(found.least).and_then(|range| u64::try_from(range).ok());
        let Some(largest) = range.and_then(|range| range.checked_add(u64::from(has_missing))) else { return found };
        let width = bits::stored_width(u64::BITS - largest.leading_zeros());
        if width < 64 {
            let base = start.wrapping_add(found.least as u64);
            found.line = Line { base, slope, width, has_missing, strays: 0 };
        }
        found
    }

    /// A line for most of the values, with few of them as strays, if that takes less.
    fn without_strays(&self, rows: usize) -> Line {
        let all = self.line;
        if all.width <= 1 || all.width == 64 {
            return all;
        }
        // A bit less leaves out one half of the range.
        let heights = &self.all[..self.count];
        let middle = self.least + (self.most - self.least) / 2;
        let upper = heights.iter().filter(|height| **height > middle).count();
        let is_low = upper <= MOST_STRAYS;
        if !is_low && self.count - upper > MOST_STRAYS {
            return all;
        }
        let edge = if is_low { self.least } else { self.most };
        let least_code = u64::from(all.has_missing);
        let narrow = narrowest(heights.iter().map(|height| height.abs_diff(edge) + least_code), rows);
        let Some((width, strays)) = narrow else { return all };
        let words = bits::words(rows, width) + stray_words(strays);
        // Looking through strays takes time: they must save a sixteenth of the words.
        if words * 16 > bits::words(rows, all.width) * 15 {
            return all;
        }
        let down = if is_low { 0 } else { self.most.abs_diff(self.least).wrapping_sub((1 << width) - 1 - least_code) };
        Line { base: all.base.wrapping_add(down), width, strays, ..all }
    }
}

/// The width with which codes and strays take least, and how many strays there are then; none if there are too many with any.
fn narrowest(codes: impl Iterator<Item = u64>, rows: usize) -> Option<(u32, usize)> {
    let mut of_bits = [0usize; 65];
    for code in codes {
        of_bits[(u64::BITS - code.leading_zeros()) as usize] += 1;
    }
    let widest = bits::WIDEST as usize;
    let mut strays = of_bits[widest + 1..].iter().sum::<usize>();
    let (mut best, mut least) = (None, usize::MAX);
    for width in (0..=widest).rev() {
        if strays > MOST_STRAYS {
            break;
        }
        let words = bits::words(rows, width as u32) + stray_words(strays);
        if words < least {
            (best, least) = (Some((width as u32, strays)), words);
        }
        strays += of_bits[width];
    }
    best
}
