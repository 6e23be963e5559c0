//! Columns: typed values of one field, read from the mapped file: straight from it where it is Arrow, unpacked block by
//! block where it is packed ([`crate::packed`]).

use std::fmt;
use std::ops::Range;

use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray, StringArray};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;
use bytemuck::Pod;

use heddle_model::{
    CollectiveOp, CommId, LocationId, MetricId, Name, Ns, Rank, RegionId, SpanRow, SystemNodeId, TaskId,
};

use crate::block::{Block, Cursor, Values};
use crate::packed::{BLOCK_ROWS, FEW, Limits, PackedColumn, Words};
use crate::table::Opened;

/// Every batch but the last has this many rows, so a row's place is a shift and a mask.
pub const BATCH_ROWS: usize = 1 << BATCH_SHIFT;
const BATCH_SHIFT: usize = 20;

/// Cuts the rows of a table into pieces, each worth a task of its own. All but the last have [`BATCH_ROWS`] rows.
pub fn pieces(rows: u64) -> Vec<Range<u64>> {
    (0..rows).step_by(BATCH_ROWS).map(|first| first..(first + BATCH_ROWS as u64).min(rows)).collect()
}

/// What can stand in a column of a table.
pub trait Cell: Sized {
    /// The readable form of a column of these.
    type Column;

    /// The Arrow type that outsiders see.
    fn data_type() -> DataType;

    /// One batch. In a nullable column the type's `NONE` becomes a null; its bits stay beneath.
    fn to_array(values: Vec<Self>, nullable: bool) -> ArrayRef;

    /// An empty vector in the memory of a batch, if nobody else holds it.
    fn from_buffer(buffer: Buffer) -> Vec<Self>;

    /// What outsiders are told of a packed column of these: its type, and the word that means "not there". None for text,
    /// which is never packed.
    fn packed_as() -> Option<(&'static str, u64)>;

    /// The words of values, as many as there is room for, to be packed.
    fn fill_words(values: &[Self], out: &mut [u64]);

    /// A column of a table, by its place among them; `None` if it is of another type.
    fn column(table: &Opened, column: usize) -> Option<Self::Column>;

    /// The cells of some rows of a column.
    fn cells(column: &Self::Column, rows: Range<u64>) -> Vec<Self>;
}

impl<T: Cell + Sync> Words for Vec<T> {
    fn fill(&self, first: usize, out: &mut [u64]) {
        T::fill_words(self.get(first..).unwrap_or_default(), out);
    }
}

/// Cells of a fixed size, which are read without being touched.
pub trait Fixed: Pod + PartialEq {
    /// How Arrow stores it.
    type Arrow: ArrowPrimitiveType<Native: Pod>;
    /// The value that means "not there".
    const NONE: Self;
    /// What packed files call the type of its bits.
    const KIND: &'static str;
    /// A word with all the bits that it has.
    const BITS: u64;

    /// Its bits. Signed numbers keep their order among neighbours: differences are taken modulo 2^64.
    fn to_word(self) -> u64;

    /// From its bits; those that it does not have are dropped.
    fn from_word(word: u64) -> Self;
}

macro_rules! fixed {
    ($($type:ty, $arrow:ty, $native:ident as $bits:ident, $none:expr;)*) => {$(
        impl Fixed for $type {
            type Arrow = $arrow;
            const NONE: Self = $none;
            const KIND: &'static str = stringify!($native);
            const BITS: u64 = u64::MAX >> (64 - 8 * size_of::<$type>());

            #[inline]
            #[allow(clippy::useless_conversion, trivial_numeric_casts, clippy::cast_lossless, clippy::unnecessary_cast)] // one line for all widths
            fn to_word(self) -> u64 {
                bytemuck::cast::<$type, $bits>(self) as u64
            }

            #[inline]
            #[allow(trivial_numeric_casts, clippy::unnecessary_cast)]
            fn from_word(word: u64) -> Self {
                bytemuck::cast::<$bits, $type>(word as $bits)
            }
        }
    )*};
}

fixed! {
    u8, UInt8Type, u8 as u8, u8::MAX;
    u16, UInt16Type, u16 as u16, u16::MAX;
    u32, UInt32Type, u32 as u32, u32::MAX;
    u64, UInt64Type, u64 as u64, u64::MAX;
    i64, Int64Type, i64 as u64, i64::MIN;
    f32, Float32Type, f32 as u32, f32::NAN;
    f64, Float64Type, f64 as u64, f64::NAN;
    Ns, Int64Type, i64 as u64, Ns::NONE;
    LocationId, UInt32Type, u32 as u32, LocationId::NONE;
    RegionId, UInt32Type, u32 as u32, RegionId::NONE;
    CommId, UInt32Type, u32 as u32, CommId::NONE;
    MetricId, UInt32Type, u32 as u32, MetricId::NONE;
    SystemNodeId, UInt32Type, u32 as u32, SystemNodeId::NONE;
    Rank, UInt32Type, u32 as u32, Rank::NONE;
    SpanRow, UInt64Type, u64 as u64, SpanRow::NONE;
    TaskId, UInt64Type, u64 as u64, TaskId::NONE;
    CollectiveOp, UInt8Type, u8 as u8, CollectiveOp::UNKNOWN;
}

impl<T: Fixed> Cell for T {
    type Column = Column<T>;

    fn data_type() -> DataType {
        T::Arrow::DATA_TYPE
    }

    fn to_array(values: Vec<T>, nullable: bool) -> ArrayRef {
        let nulls = (nullable && values.contains(&T::NONE))
            .then(|| values.iter().map(|value| *value != T::NONE).collect::<NullBuffer>());
        let values: Vec<<T::Arrow as ArrowPrimitiveType>::Native> = bytemuck::cast_vec(values);
        std::sync::Arc::new(PrimitiveArray::<T::Arrow>::new(ScalarBuffer::from(values), nulls))
    }

    fn from_buffer(buffer: Buffer) -> Vec<T> {
        let values: Vec<<T::Arrow as ArrowPrimitiveType>::Native> = buffer.into_vec().unwrap_or_default();
        let mut values: Vec<T> = bytemuck::cast_vec(values);
        values.clear();
        values
    }

    fn packed_as() -> Option<(&'static str, u64)> {
        Some((T::KIND, T::NONE.to_word()))
    }

    fn fill_words(values: &[T], out: &mut [u64]) {
        out.iter_mut().zip(values).for_each(|(word, value)| *word = value.to_word());
    }

    fn column(table: &Opened, column: usize) -> Option<Column<T>> {
        match table {
            Opened::Arrow(columns, _) => plain(columns.get(column)?),
            Opened::Packed(file) => {
                let packed = PackedColumn::of(file, column)?;
                Some(Column { rows: file.rows(), cells: Cells::Packed(packed) })
            }
        }
    }

    fn cells(column: &Column<T>, rows: Range<u64>) -> Vec<T> {
        column.iter(rows).collect()
    }
}

/// A column over the batches of an Arrow file.
pub(crate) fn plain<T: Fixed>(batches: &[ArrayRef]) -> Option<Column<T>> {
    let arrays = batches.iter().map(|batch| batch.as_any().downcast_ref::<PrimitiveArray<T::Arrow>>());
    let batches = arrays.map(|array| array.map(|array| array.values().clone())).collect::<Option<Vec<_>>>()?;
    Some(Column { rows: batches.iter().map(|batch| batch.len() as u64).sum(), cells: Cells::Plain(batches) })
}

/// A column of fixed-size cells.
#[derive(Debug)]
pub struct Column<T: Fixed> {
    cells: Cells<T>,
    rows: u64,
}

enum Cells<T: Fixed> {
    Plain(Vec<ScalarBuffer<<T::Arrow as ArrowPrimitiveType>::Native>>),
    Packed(PackedColumn),
}

// The Arrow type of a cell has no text form, so nothing can be derived.
impl<T: Fixed> fmt::Debug for Cells<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cells::Plain(_) => "plain",
            Cells::Packed(_) => "packed",
        })
    }
}

/// A guess this near is as good as the next one.
const NEAR: u64 = 16;

/// Rows of a packed column that are read at once: few enough for the nearest cache, enough that a block costs little.
const READ_ROWS: u64 = 1024;

/// What the values of a column are checked against before anybody uses them: at once where the column is Arrow, else block by
/// block on first touch. Each says whether the column may be used at all.
impl<T: Fixed> Column<T> {
    /// Its values are rows of a table with so many.
    #[must_use]
    pub fn must_be_below(&mut self, rows: u64) -> bool {
        self.limit(Limits::below(rows, T::BITS, None))
    }

    /// The same where some may not be there.
    #[must_use]
    pub fn must_be_below_or_none(&mut self, rows: u64) -> bool {
        self.limit(Limits::below(rows, T::BITS, Some(T::NONE.to_word())))
    }

    fn limit(&mut self, limits: Limits) -> bool {
        if let Cells::Packed(packed) = &mut self.cells {
            packed.limit(limits);
            return self.rows == 0 || limits.allow_damage();
        }
        self.iter(0..self.rows).all(|value| limits.has(value.to_word(), 0))
    }
}

impl Column<Ns> {
    /// Its values are times since the first event.
    #[must_use]
    pub fn must_be_times(&mut self) -> bool {
        self.limit(Limits::times(None))
    }

    /// The same where some may not be there.
    #[must_use]
    pub fn must_be_times_or_none(&mut self) -> bool {
        self.limit(Limits::times(Some(Ns::NONE.to_word())))
    }

    /// None of its times is before that of the column that it is declared as relative to.
    #[must_use]
    pub fn must_be_later_times(&mut self) -> bool {
        self.limit(Limits::later_times())
    }

    /// How far its times lie behind those of the column that it is declared as relative to, in a packed table: in most blocks that
    /// is what is kept, so one column is read and not two.
    pub(crate) fn differences(&self) -> Option<Column<i64>> {
        match &self.cells {
            Cells::Plain(_) => None,
            Cells::Packed(packed) => Some(Column { cells: Cells::Packed(packed.differences()), rows: self.rows }),
        }
    }
}

impl<T: Fixed> Column<T> {
    /// Number of rows.
    pub fn len(&self) -> u64 {
        self.rows
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The value in a row; `NONE` beyond the end.
    #[inline]
    pub fn get(&self, row: u64) -> T {
        match &self.cells {
            Cells::Plain(batches) => {
                let batch = batches.get(row as usize >> BATCH_SHIFT);
                batch
                    .and_then(|batch| batch.get(row as usize & (BATCH_ROWS - 1)))
                    .map_or(T::NONE, |v| bytemuck::cast(*v))
            }
            Cells::Packed(packed) if row < self.rows => T::from_word(packed.get(row)),
            Cells::Packed(_) => T::NONE,
        }
    }

    /// The rows of a range, block by block. See [`crate::block`] for what a reader may rely on.
    #[inline]
    pub fn blocks(&self, rows: Range<u64>) -> impl Iterator<Item = Block<'_, T>> {
        let end = rows.end.min(self.rows);
        let mut at = rows.start.min(end);
        std::iter::from_fn(move || {
            let block = (at < end).then(|| self.read(at..end, Vec::new()))?;
            at += block.len() as u64;
            Some(block)
        })
    }

    /// The first of these rows, which there are: as many as are read at once. `memory` is used if they are unpacked.
    #[inline]
    pub(crate) fn read(&self, rows: Range<u64>, memory: Vec<T>) -> Block<'_, T> {
        match &self.cells {
            Cells::Plain(batches) => {
                let (batch, first) = (rows.start as usize >> BATCH_SHIFT, rows.start as usize & (BATCH_ROWS - 1));
                let batch = batches.get(batch).map_or(&[][..], |batch| batch);
                let last = batch.len().min(first + (rows.end - rows.start) as usize);
                Block::borrowed(bytemuck::cast_slice(&batch[first.min(last)..last]))
            }
            Cells::Packed(packed) => {
                let end = rows.end.min((rows.start / READ_ROWS + 1) * READ_ROWS);
                Block::owned(unpacked(packed, rows.start..end, memory))
            }
        }
    }

    /// The rows of a range, one by one.
    pub fn iter(&self, rows: Range<u64>) -> Values<'_, T> {
        Values::new(self, rows.start..rows.end.min(self.rows))
    }

    /// Reads single values in ascending order.
    pub fn cursor(&self) -> Cursor<'_, T> {
        Cursor::new(self)
    }

    /// The block with a row, and its first row; empty beyond the end. `memory` is used if it is unpacked.
    pub(crate) fn block_with(&self, row: u64, memory: Vec<T>) -> (u64, Block<'_, T>) {
        if row >= self.rows {
            return (row, Block::borrowed(&[]));
        }
        let size = match self.cells {
            Cells::Plain(_) => BATCH_ROWS as u64,
            Cells::Packed(_) => BLOCK_ROWS as u64,
        };
        let first = row / size * size;
        (first, self.read(first..(first + size).min(self.rows), memory))
    }

    /// The first row in `rows` for which `before` is false, if all rows before it are true.
    pub fn partition_point(&self, rows: Range<u64>, mut before: impl FnMut(T) -> bool) -> u64 {
        let (mut low, mut high) = (rows.start, rows.end.min(self.rows).max(rows.start));
        while low < high {
            let middle = low + (high - low) / 2;
            if before(self.get(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The same; its steps are few, and within a block or two, if it lies near a row.
    pub fn partition_point_near(&self, rows: Range<u64>, near: u64, mut before: impl FnMut(T) -> bool) -> u64 {
        let end = rows.end.min(self.rows);
        if rows.start >= end {
            return rows.start;
        }
        let near = near.clamp(rows.start, end - 1);
        // Further and further away until there is a row on either side.
        let (mut low, mut high, mut step) = (near, near, NEAR);
        if before(self.get(near)) {
            while high < end && before(self.get(high)) {
                (low, high) = (high + 1, high.saturating_add(step));
                step *= 2;
            }
        } else {
            while low > rows.start && !before(self.get(low)) {
                (high, low) = (low, low.saturating_sub(step).max(rows.start));
                step *= 2;
            }
        }
        self.partition_point(low..high.min(end), before)
    }
}

/// So few rows are bisected at once.
const FEW_ROWS: u64 = 64;
/// How often a place is looked for by what was found at the one before.
const GUESSES: u32 = 3;

impl Column<Ns> {
    /// The first row in `rows`, whose times ascend, that is not before a moment.
    pub fn first_since(&self, rows: Range<u64>, moment: Ns) -> u64 {
        self.rows_between(rows, (moment, Ns(i64::MAX))).start
    }

    /// The rows of `rows`, whose times ascend, that are not before the first of two moments, but before the second.
    ///
    /// Times pass rather evenly, so a place is guessed from where the moment lies between the first and the last, and the
    /// guess mended by what is found there. The last steps stay within a block or two, which costs much less than bisecting
    /// all rows: nearly each of those steps would fetch another piece of memory. The second place is looked for from the first one
    /// on, since most windows are short.
    pub fn rows_between(&self, rows: Range<u64>, (from, to): (Ns, Ns)) -> Range<u64> {
        let rows = rows.start..rows.end.min(self.rows).max(rows.start);
        if rows.end - rows.start <= FEW_ROWS {
            let start = self.partition_point(rows.clone(), |time| time < from);
            return start..self.partition_point(start..rows.end, |time| time < to);
        }
        let (first, last) = (self.get(rows.start), self.get(rows.end - 1));
        if last < from {
            return rows.end..rows.end;
        }
        let a_ns = (rows.end - rows.start) as f64 / (last.since(first) as f64 + 1.0);
        let start =
            if first >= from { rows.start } else { self.found_from(rows.clone(), (rows.start, first), from, a_ns) };
        let end =
            if last < to { rows.end } else { self.found_from(start..rows.end, (start, first.max(from)), to, a_ns) };
        start..end
    }

    /// The first of some rows that is not before a moment, which is looked for from a row on whose time is about known.
    fn found_from(&self, rows: Range<u64>, (mut guess, mut time): (u64, Ns), moment: Ns, a_ns: f64) -> u64 {
        let Some(last) = rows.end.checked_sub(1).filter(|last| rows.start <= *last) else { return rows.start };
        for _ in 0..GUESSES {
            let by = (moment.since(time) as f64 * a_ns) as i64;
            guess = guess.saturating_add_signed(by).clamp(rows.start, last);
            if by.unsigned_abs() < NEAR {
                break;
            }
            time = self.get(guess);
        }
        self.partition_point_near(rows, guess, |time| time < moment)
    }
}

/// Rows of a packed column, whose blocks are touched once.
fn unpacked<T: Fixed>(packed: &PackedColumn, rows: Range<u64>, mut values: Vec<T>) -> Vec<T> {
    values.clear();
    values.reserve((rows.end - rows.start) as usize);
    let mut at = rows.start;
    while at < rows.end {
        let (block, first) = (at / BLOCK_ROWS as u64, at as usize % BLOCK_ROWS);
        let count = (rows.end - at).min((BLOCK_ROWS - first) as u64) as usize;
        if first > 0 && count <= FEW {
            let mut words = [0; FEW];
            packed.read_few(at, &mut words[..count]);
            values.extend(words[..count].iter().map(|word| T::from_word(*word)));
        } else {
            let mut words = [0; BLOCK_ROWS];
            packed.unpack(block, &mut words[..first + count]);
            values.extend(words[first..first + count].iter().map(|word| T::from_word(*word)));
        }
        at += count as u64;
    }
    values
}

/// How texts become cells: both kinds of strings alike.
macro_rules! text_cell {
    ($text:ty) => {
        impl Cell for $text {
            type Column = TextColumn;

            fn data_type() -> DataType {
                DataType::Utf8
            }

            fn to_array(values: Vec<$text>, nullable: bool) -> ArrayRef {
                let texts = values.iter().map(|text| (!nullable || !text.is_empty()).then_some(text.as_str()));
                std::sync::Arc::new(texts.collect::<StringArray>())
            }

            fn from_buffer(_buffer: Buffer) -> Vec<$text> {
                Vec::new()
            }

            fn packed_as() -> Option<(&'static str, u64)> {
                None
            }

            fn fill_words(_values: &[$text], _out: &mut [u64]) {}

            fn column(table: &Opened, column: usize) -> Option<TextColumn> {
                TextColumn::of(table, column)
            }

            fn cells(column: &TextColumn, rows: Range<u64>) -> Vec<$text> {
                rows.map(|row| column.get(row).into()).collect()
            }
        }
    };
}

text_cell!(String);
text_cell!(Name);

/// A column of text.
#[derive(Clone, Debug)]
pub struct TextColumn {
    batches: Vec<StringArray>,
}

impl TextColumn {
    fn of(table: &Opened, column: usize) -> Option<TextColumn> {
        let Opened::Arrow(columns, _) = table else { return None };
        let batches = columns
            .get(column)?
            .iter()
            .map(|batch| batch.as_any().downcast_ref::<StringArray>().cloned())
            .collect::<Option<Vec<_>>>()?;
        Some(TextColumn { batches })
    }

    /// The text in a row; empty for null and beyond the end.
    pub fn get(&self, row: u64) -> &str {
        let (batch, at) = (row as usize >> BATCH_SHIFT, row as usize & (BATCH_ROWS - 1));
        match self.batches.get(batch) {
            Some(texts) if at < texts.len() && texts.is_valid(at) => texts.value(at),
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Times that pass evenly, in bursts, or hardly at all, as `pace` says.
    fn times(gaps: &[i64], pace: u8) -> Vec<Ns> {
        let gap = |(at, gap): (usize, &i64)| match pace {
            0 => *gap,
            1 if at.is_multiple_of(97) => gap * 1_000_000,
            1 => gap % 3,
            _ => 1_i64 << (at / 40).min(50),
        };
        let passed = gaps.iter().enumerate().map(gap).scan(-500, |time, gap| {
            *time += gap;
            Some(Ns(*time))
        });
        passed.collect()
    }

    proptest! {
        #[test]
        fn the_first_row_since_a_moment_is_the_one_that_bisection_finds(
            gaps in proptest::collection::vec(0i64..1000, 0..2_000),
            pace in 0u8..3,
            (from, to) in (0u64..2_100, 0u64..2_100),
            place in 0usize..2_000,
            by in -2i64..=2,
        ) {
            let times = times(&gaps, pace);
            let near = times.get(place).map_or(i64::MAX, |time| time.0 + by);
            let column = plain::<Ns>(&[Ns::to_array(times, false)]).expect("a column of times");
            let rows = from.min(to)..from.max(to);
            for moment in [near, i64::MIN, 0, i64::MAX].map(Ns) {
                let bisected = column.partition_point(rows.clone(), |time| time < moment);
                prop_assert_eq!(column.first_since(rows.clone(), moment), bisected);
                for until in [near.saturating_sub(1), near, near.saturating_add(700), i64::MIN, i64::MAX].map(Ns) {
                    let after = column.partition_point(bisected..rows.end, |time| time < until);
                    prop_assert_eq!(column.rows_between(rows.clone(), (moment, until)), bisected..after);
                }
            }
        }
    }
}
