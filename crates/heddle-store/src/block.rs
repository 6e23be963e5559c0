//! Columns in blocks: how everything that goes through a large table reads it.
//!
//! A block is a run of neighbouring rows of one column, as a slice. Of an Arrow file it borrows the mapping and costs nothing;
//! of a packed one it owns a few hundred rows that were unpacked into it. So that nothing above this crate has to know which,
//! a reader picks one of four ways to a value and assumes nothing about the length of a block or where it begins:
//!
//! * all rows of a range: [`Column::blocks`] for one column, [`Columns::for_each`] for several side by side;
//! * rows in ascending order, with gaps: a [`Cursor`];
//! * a search in sorted rows: [`Column::partition_point`];
//! * a single value, now and then: [`Column::get`], which costs a packed column some ten times as much as a value of a block.
//!
//! In return the columns of a table are all cut at the same rows, and no slice outlives its block.

use std::ops::{Deref, Range};

use crate::column::{Column, Fixed};

/// Neighbouring rows of a column.
#[derive(Debug)]
pub struct Block<'a, T> {
    values: Rows<'a, T>,
}

#[derive(Debug)]
enum Rows<'a, T> {
    Borrowed(&'a [T]),
    Owned(Vec<T>),
}

impl<'a, T> Block<'a, T> {
    pub(crate) fn borrowed(values: &'a [T]) -> Block<'a, T> {
        Block { values: Rows::Borrowed(values) }
    }

    pub(crate) fn owned(values: Vec<T>) -> Block<'a, T> {
        Block { values: Rows::Owned(values) }
    }

    /// Memory for the next block.
    pub(crate) fn into_memory(self) -> Vec<T> {
        match self.values {
            Rows::Borrowed(_) => Vec::new(),
            Rows::Owned(values) => values,
        }
    }
}

// The slice lives as long as this borrow, not as long as the column: a packed block owns its rows.
impl<T> Deref for Block<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.values {
            Rows::Borrowed(values) => values,
            Rows::Owned(values) => values,
        }
    }
}

impl<'b, T> IntoIterator for &'b Block<'_, T> {
    type Item = &'b T;
    type IntoIter = std::slice::Iter<'b, T>;

    #[inline]
    fn into_iter(self) -> std::slice::Iter<'b, T> {
        self.iter()
    }
}

impl<'a, T: Copy> IntoIterator for Block<'a, T> {
    type Item = T;
    type IntoIter = BlockValues<'a, T>;

    #[inline]
    fn into_iter(self) -> BlockValues<'a, T> {
        BlockValues { block: self, at: 0 }
    }
}

/// The values of a block, one by one.
#[derive(Debug)]
pub struct BlockValues<'a, T> {
    block: Block<'a, T>,
    at: usize,
}

impl<T: Copy> Iterator for BlockValues<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let value = self.block.get(self.at).copied();
        self.at += 1;
        value
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.block.len().saturating_sub(self.at);
        (left, Some(left))
    }

    // Sums and minima run as fast over this as over the slice.
    #[inline]
    fn fold<B, F: FnMut(B, T) -> B>(self, init: B, fold: F) -> B {
        self.block[self.at.min(self.block.len())..].iter().copied().fold(init, fold)
    }
}

/// The rows of a range, one by one.
pub struct Values<'a, T: Fixed> {
    column: &'a Column<T>,
    block: Block<'a, T>,
    /// The next value in the block.
    at: usize,
    /// What comes after the block.
    rest: Range<u64>,
}

impl<'a, T: Fixed> Values<'a, T> {
    /// Of rows that there are.
    pub(crate) fn new(column: &'a Column<T>, rows: Range<u64>) -> Values<'a, T> {
        Values { column, block: Block::borrowed(&[]), at: 0, rest: rows }
    }

    #[cold]
    fn next_block(&mut self) -> Option<T> {
        if self.rest.is_empty() {
            return None;
        }
        let memory = std::mem::replace(&mut self.block, Block::borrowed(&[])).into_memory();
        self.block = self.column.read(self.rest.clone(), memory);
        self.rest.start += self.block.len() as u64;
        self.at = 1;
        self.block.first().copied()
    }
}

impl<T: Fixed> Iterator for Values<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        match self.block.get(self.at) {
            Some(value) => {
                self.at += 1;
                Some(*value)
            }
            None => self.next_block(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rows = self.block.len() - self.at.min(self.block.len()) + self.rest.clone().count();
        (rows, Some(rows))
    }

    // Sums and minima run as fast over this as over slices.
    #[inline]
    fn fold<B, F: FnMut(B, T) -> B>(self, init: B, mut fold: F) -> B {
        let Values { column, mut block, mut at, mut rest } = self;
        let mut folded = init;
        loop {
            folded = block[at.min(block.len())..].iter().copied().fold(folded, &mut fold);
            if rest.is_empty() {
                return folded;
            }
            block = column.read(rest.clone(), block.into_memory());
            rest.start += block.len() as u64;
            at = 0;
        }
    }
}

/// Single values in ascending order: keeps the block of the last one at hand. Any order is right, ascending is fast.
pub struct Cursor<'a, T: Fixed> {
    column: &'a Column<T>,
    /// The first row of the block.
    first: u64,
    block: Block<'a, T>,
}

impl<'a, T: Fixed> Cursor<'a, T> {
    pub(crate) fn new(column: &'a Column<T>) -> Cursor<'a, T> {
        Cursor { column, first: 0, block: Block::borrowed(&[]) }
    }

    /// The value in a row; `NONE` beyond the end.
    #[inline]
    pub fn get(&mut self, row: u64) -> T {
        match self.block.get(row.wrapping_sub(self.first) as usize) {
            Some(value) => *value,
            None => self.move_to(row),
        }
    }

    #[cold]
    fn move_to(&mut self, row: u64) -> T {
        let memory = std::mem::replace(&mut self.block, Block::borrowed(&[])).into_memory();
        (self.first, self.block) = self.column.block_with(row, memory);
        self.block.get(row.wrapping_sub(self.first) as usize).copied().unwrap_or(T::NONE)
    }
}

/// Several columns of one table, read side by side: a tuple of references to them.
///
/// ```
/// use heddle_store::{Columns, tables::SpanTable};
///
/// fn longest(spans: &SpanTable) -> i64 {
///     let mut longest = 0;
///     (&spans.start, &spans.end).for_each(0..spans.len(), |(start, end)| longest = longest.max(end.since(start)));
///     longest
/// }
/// ```
pub trait Columns {
    /// A value of each.
    type Row;

    /// Visits the rows of a range in order.
    fn for_each(self, rows: Range<u64>, visit: impl FnMut(Self::Row));
}

macro_rules! columns {
    ($($name:ident: $type:ident),+) => {
        impl<$($type: Fixed),+> Columns for ($(&Column<$type>,)+) {
            type Row = ($($type,)+);

            #[inline]
            #[allow(non_snake_case)] // the memory of a block is named by its type
            fn for_each(self, rows: Range<u64>, mut visit: impl FnMut(Self::Row)) {
                let ($($name,)+) = self;
                let end = rows.end$(.min($name.len()))+;
                let mut at = rows.start;
                $(let mut $type = Vec::new();)+
                while at < end {
                    $(let $name = $name.read(at..end, std::mem::take(&mut $type));)+
                    // One length for all, so that the loop checks no bounds.
                    let length = usize::MAX$(.min($name.len()))+;
                    {
                        $(let $name = &$name[..length];)+
                        for at in 0..length {
                            visit(($($name[at],)+));
                        }
                    }
                    at += length.max(1) as u64;
                    $($type = $name.into_memory();)+
                }
            }
        }
    };
}

columns!(a: A, b: B);
columns!(a: A, b: B, c: C);
columns!(a: A, b: B, c: C, d: D);
columns!(a: A, b: B, c: C, d: D, e: E);
columns!(a: A, b: B, c: C, d: D, e: E, f: F);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::{BATCH_ROWS, Cell, plain};

    /// A column of more than one batch.
    fn column(value: impl Fn(u64) -> u32) -> Column<u32> {
        let rows = BATCH_ROWS as u64 + 1000;
        let values: Vec<u32> = (0..rows).map(value).collect();
        let batches: Vec<_> = values.chunks(BATCH_ROWS).map(|batch| u32::to_array(batch.to_vec(), false)).collect();
        plain(&batches).unwrap()
    }

    #[test]
    fn all_ways_to_a_value_agree() {
        let (first, second) = (column(|row| row as u32), column(|row| 7 * row as u32));
        let edge = BATCH_ROWS as u64;
        for rows in [0..0, 0..3, edge - 2..edge + 2, edge - 1..edge, edge..edge + 5, edge + 990..edge + 2000] {
            let expected: Vec<u32> = rows.clone().filter(|row| *row < first.len()).map(|row| first.get(row)).collect();
            let blocks: Vec<u32> = first.blocks(rows.clone()).flat_map(|block| block.to_vec()).collect();
            assert_eq!(blocks, expected);
            assert_eq!(first.iter(rows.clone()).collect::<Vec<_>>(), expected);
            let mut cursor = first.cursor();
            let read: Vec<u32> = rows.clone().map(|row| cursor.get(row)).filter(|value| *value != u32::MAX).collect();
            assert_eq!(read, expected);
            let mut pairs = Vec::new();
            (&first, &second).for_each(rows, |pair| pairs.push(pair));
            assert_eq!(pairs, expected.iter().map(|value| (*value, 7 * value)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_cursor_goes_back_too() {
        let column = column(|row| row as u32);
        let mut cursor = column.cursor();
        for row in [5, BATCH_ROWS as u64 + 3, 4, u64::MAX, 0, BATCH_ROWS as u64 - 1] {
            assert_eq!(cursor.get(row), column.get(row), "{row}");
        }
    }
}
