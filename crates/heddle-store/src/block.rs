//! Columns in blocks: how everything that goes through a large table reads it.
//!
//! A block is a run of neighbouring rows of one column, as a slice. Today it borrows the mapped file and costs nothing; a
//! packed column will unpack a few hundred rows into it instead. So that nothing above this crate has to change on that day,
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
    values: &'a [T],
}

impl<'a, T> Block<'a, T> {
    pub(crate) fn borrowed(values: &'a [T]) -> Block<'a, T> {
        Block { values }
    }
}

// The slice lives as long as this borrow, not as long as the column: a packed block will own its rows.
impl<T> Deref for Block<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.values
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
        BlockValues { values: self.values.iter() }
    }
}

/// The values of a block, one by one.
#[derive(Debug)]
pub struct BlockValues<'a, T> {
    values: std::slice::Iter<'a, T>,
}

impl<T: Copy> Iterator for BlockValues<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.values.next().copied()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.values.size_hint()
    }

    // Sums and minima run as fast over this as over the slice.
    #[inline]
    fn fold<B, F: FnMut(B, T) -> B>(self, init: B, fold: F) -> B {
        self.values.copied().fold(init, fold)
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
        (self.first, self.block) = self.column.block_with(row);
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
            fn for_each(self, rows: Range<u64>, mut visit: impl FnMut(Self::Row)) {
                let ($($name,)+) = self;
                $(let mut $name = $name.blocks(rows.clone());)+
                while let ($(Some($name),)+) = ($($name.next(),)+) {
                    // One length for all, so that the loop checks no bounds.
                    let length = usize::MAX$(.min($name.len()))+;
                    $(let $name = &$name[..length];)+
                    for at in 0..length {
                        visit(($($name[at],)+));
                    }
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
    use crate::column::{BATCH_ROWS, Cell};

    /// A column of more than one batch.
    fn column(value: impl Fn(u64) -> u32) -> Column<u32> {
        let rows = BATCH_ROWS as u64 + 1000;
        let values: Vec<u32> = (0..rows).map(value).collect();
        let batches: Vec<_> = values.chunks(BATCH_ROWS).map(|batch| u32::to_array(batch.to_vec(), false)).collect();
        u32::column(&batches).unwrap()
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
