//! The line that the values of a block lie above, and how many bits take what they lie above it.

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
        let values = Values { all: values, missing, first, has_missing };
        let flat = Heights::above(&values, 0);
        let rows = values.all.len();
        if flat.line.width == 0 || first == last {
            return flat.line;
        }
        let climb = values.all[last].wrapping_sub(values.all[first]) as i64;
        let slope = match climb.checked_mul(1 << SLOPE_SHIFT) {
            Some(climb) => i128::from(climb / (last - first) as i64),
            None => i128::from(climb) * (1 << SLOPE_SHIFT) / (last - first) as i128,
        };
        // The slope takes a word itself, and reading it some time.
        let pays = |sloped: u32| bits::words(rows, sloped) + 1 < bits::words(rows, flat.line.width);
        let slope = i64::try_from(slope).ok().filter(|slope| *slope != 0);
        let sloped = slope.filter(|slope| pays(values.least_width(*slope))).map(|slope| Heights::above(&values, slope));
        let best = sloped.filter(|sloped| pays(sloped.line.width)).unwrap_or(flat);
        best.without_strays(&values)
    }

    /// What a value lies above the line.
    #[inline]
    pub(super) fn above(&self, row: usize, value: u64) -> u64 {
        value.wrapping_sub(self.base).wrapping_sub(rise(self.slope, row))
    }

    /// The code of a value, or none if it is a stray. Not for a value that is missing.
    #[inline]
    pub(super) fn code(&self, row: usize, value: u64) -> Option<u64> {
        let least = u64::from(self.has_missing);
        let code = self.above(row, value).wrapping_add(least);
        (self.strays == 0 || (code >> self.width == 0 && code >= least)).then_some(code)
    }
}

/// The values of a block. At least one is not missing.
struct Values<'a> {
    all: &'a [u64],
    missing: u64,
    /// The first one that is not missing.
    first: usize,
    has_missing: bool,
}

impl Values<'_> {
    /// Values of which every `step`-th is looked at tell much about all of them.
    const STEP: usize = 16;

    /// Where a line through the first value begins.
    fn start(&self, slope: i64) -> u64 {
        self.all[self.first].wrapping_sub(rise(slope, self.first))
    }

    /// Visits how far every `step`-th value lies above the line through the first one, those that are missing left out. By hand:
    /// as an iterator it takes several times as long.
    #[inline]
    fn for_heights(&self, slope: i64, step: usize, mut visit: impl FnMut(i64)) {
        let start = self.start(slope);
        let mut row = 0;
        while let Some(value) = self.all.get(row) {
            if !self.has_missing || *value != self.missing {
                visit(value.wrapping_sub(start.wrapping_add(rise(slope, row))) as i64);
            }
            row += step;
        }
    }

    /// The least and the greatest of them, 0 included.
    fn range(&self, slope: i64) -> (i64, i64) {
        if self.has_missing {
            let mut range = (0, 0);
            self.for_heights(slope, 1, |height| range = wider(range, height));
            return range;
        }
        let start = self.start(slope);
        if slope == 0 {
            return self.range_of(|_, value| value.wrapping_sub(start) as i64);
        }
        self.range_of(|row, value| value.wrapping_sub(start).wrapping_sub(rise(slope, row)) as i64)
    }

    /// The least and the greatest of some heights of all values, 0 included.
    #[inline]
    fn range_of(&self, height: impl Fn(usize, u64) -> i64) -> (i64, i64) {
        // Four ranges side by side do not wait for each other.
        let mut ranges = [(0, 0); 4];
        let (fours, rest) = self.all.as_chunks::<4>();
        for (at, four) in fours.iter().enumerate() {
            for (lane, range) in ranges.iter_mut().enumerate() {
                *range = wider(*range, height(4 * at + lane, four[lane]));
            }
        }
        for (at, value) in rest.iter().enumerate() {
            ranges[0] = wider(ranges[0], height(4 * fours.len() + at, *value));
        }
        ranges.iter().fold((0, 0), |all, range| wider(wider(all, range.0), range.1))
    }

    /// A width that the heights above a line take at least.
    fn least_width(&self, slope: i64) -> u32 {
        let (mut least, mut most) = (0, 0);
        self.for_heights(slope, Self::STEP, |height| (least, most) = (height.min(least), height.max(most)));
        width_of(least, most, self.has_missing).unwrap_or(64)
    }
}

/// A range that has one more height in it.
#[inline]
fn wider((least, most): (i64, i64), height: i64) -> (i64, i64) {
    (least.min(height), most.max(height))
}

/// The width of codes for heights in a range; none if they do not count from each other as signed numbers.
fn width_of(least: i64, most: i64, has_missing: bool) -> Option<u32> {
    let range = most.checked_sub(least).and_then(|range| u64::try_from(range).ok())?;
    let largest = range.checked_add(u64::from(has_missing))?;
    Some(bits::stored_width(u64::BITS - largest.leading_zeros()))
}

/// How far the values of a block lie above a line, and the line below all of them.
struct Heights {
    line: Line,
    /// Of the line that the heights are counted from: it goes through the first value.
    slope: i64,
    least: i64,
    most: i64,
}

impl Heights {
    fn above(values: &Values, slope: i64) -> Heights {
        let (least, most) = values.range(slope);
        let width = width_of(least, most, values.has_missing).filter(|width| *width < 64);
        let line = width.map(|width| {
            let base = values.start(slope).wrapping_add(least as u64);
            Line { base, slope, width, has_missing: values.has_missing, strays: 0 }
        });
        Heights { line: line.unwrap_or(Line::ANYWHERE), slope, least, most }
    }

    /// A line for most of the values, with few of them as strays, if that takes less.
    fn without_strays(&self, values: &Values) -> Line {
        let all = self.line;
        if all.width <= 1 || all.width == 64 {
            return all;
        }
        // A bit less leaves out one half of the range.
        let middle = self.least + (self.most - self.least) / 2;
        let halves = |step| {
            let (mut all, mut upper) = (0, 0);
            values
                .for_heights(self.slope, step, |height| (all, upper) = (all + 1, upper + usize::from(height > middle)));
            [all - upper, upper]
        };
        let has_many = |halves: [usize; 2]| halves.iter().all(|half| *half > MOST_STRAYS);
        if has_many(halves(Values::STEP / 4)) {
            return all;
        }
        let halves = halves(1);
        if has_many(halves) {
            return all;
        }
        let is_low = halves[1] <= MOST_STRAYS;
        let edge = if is_low { self.least } else { self.most };
        let rows = values.all.len();
        let least_code = u64::from(all.has_missing);
        let mut of_bits = [0usize; 65];
        values.for_heights(self.slope, 1, |height| {
            let code = height.abs_diff(edge) + least_code;
            of_bits[(u64::BITS - code.leading_zeros()) as usize] += 1;
        });
        let narrow = narrowest(&of_bits, rows);
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

/// The width with which codes, counted by their bits, and strays take least, and how many strays there are then; none if there are too many with any.
fn narrowest(of_bits: &[usize; 65], rows: usize) -> Option<(u32, usize)> {
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
