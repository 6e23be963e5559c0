//! How many calls lie on each pixel, and what colour they are on average.
//!
//! Cells are kept column by column: calls come in order of time, so that neighbours in a list are neighbours in memory.

use rayon::prelude::*;

use crate::scene::{Density, OpacityMap};

/// Calls at a cell and the sums of their red, green and blue. All four wrap: a line is its start added, its end taken
/// away, and everything between them follows from adding up.
pub(super) type Cell = [u32; 4];

/// Colours of more calls than this at one cell are not added up: the sums would overflow, and the average is known.
pub(super) const MOST_AVERAGED: u32 = 1 << 24;

/// Columns that are worked on together, so that their cells fit into the cache.
const COLUMNS: usize = 16;

/// Many calls: how many, and the sums of their red, green and blue; wrapping.
pub(super) type Sum = [u64; 4];

/// Adds so many calls of a colour, or takes them away.
#[inline]
pub(super) fn add_calls(sum: &mut Sum, colour: [u8; 3], count: u64, by: impl Fn(u64, u64) -> u64) {
    sum[0] = by(sum[0], count);
    for (sum, part) in sum[1..].iter_mut().zip(colour) {
        *sum = by(*sum, u64::from(part) * count);
    }
}

/// The cell on which all of them lie.
pub(super) fn cell_of(sum: &Sum) -> Cell {
    let count = sum[0].min(u64::from(u32::MAX)) as u32;
    let averaged = u64::from(count.min(MOST_AVERAGED));
    let part = |total: u64| (u128::from(total) * u128::from(averaged) / u128::from(sum[0].max(1))) as u32;
    [count, part(sum[1]), part(sum[2]), part(sum[3])]
}

/// A grid of cells to add calls to.
#[derive(Clone, Debug)]
pub(super) struct DensityBuffer {
    columns: u32,
    rows: u32,
    /// Column by column, from the upper left.
    cells: Vec<Cell>,
}

impl DensityBuffer {
    pub(super) fn new(columns: u32, rows: u32) -> DensityBuffer {
        DensityBuffer { columns, rows, cells: vec![[0; 4]; columns as usize * rows as usize] }
    }

    /// One more call of a colour at a cell.
    #[inline]
    pub(super) fn add(&mut self, column: u32, row: u32, colour: [u8; 3]) {
        if column >= self.columns || row >= self.rows {
            return;
        }
        let cell = &mut self.cells[column as usize * self.rows as usize + row as usize];
        cell[0] = cell[0].saturating_add(1);
        if cell[0] <= MOST_AVERAGED {
            for (sum, part) in cell[1..].iter_mut().zip(colour) {
                *sum += u32::from(part);
            }
        }
    }

    /// One more call at all cells of a row from a column up to another, which may lie behind the last. Must be followed
    /// by [`Self::add_up`].
    #[inline]
    pub(super) fn add_line(&mut self, columns: std::ops::Range<u32>, row: u32, colour: [u8; 3]) {
        if columns.start >= self.columns || row >= self.rows {
            return;
        }
        let place = |column: u32| column as usize * self.rows as usize + row as usize;
        let (first, after) = (place(columns.start), place(columns.end));
        change(&mut self.cells[first], colour, u32::wrapping_add);
        if columns.end < self.columns {
            change(&mut self.cells[after], colour, u32::wrapping_sub);
        }
    }

    /// Fills lines between their starts and their ends.
    pub(super) fn add_up_across(&mut self) {
        let rows = self.rows as usize;
        for column in 1..self.columns as usize {
            let (before, here) = self.cells.split_at_mut(column * rows);
            for (cell, left) in here[..rows].iter_mut().zip(&before[(column - 1) * rows..]) {
                for (sum, more) in cell.iter_mut().zip(left) {
                    *sum = sum.wrapping_add(*more);
                }
            }
        }
    }

    /// One more call at all cells of a column in a range of rows. Must be followed by [`Self::add_up_column`].
    #[inline]
    pub(super) fn add_to_column(column: &mut [Cell], rows: std::ops::Range<u32>, colour: [u8; 3]) {
        if let Some(cell) = column.get_mut(rows.start as usize) {
            change(cell, colour, u32::wrapping_add);
        }
        if let Some(cell) = column.get_mut(rows.end as usize) {
            change(cell, colour, u32::wrapping_sub);
        }
    }

    /// Fills a column between the upper and the lower ends of what was added to it.
    pub(super) fn add_up_column(column: &mut [Cell]) {
        let mut reached: Cell = [0; 4];
        for cell in column {
            for (sum, more) in reached.iter_mut().zip(cell.iter()) {
                *sum = sum.wrapping_add(*more);
            }
            *cell = reached;
        }
    }

    /// Lays strips of the same length, each a single row of cells, on so many rows.
    pub(super) fn lay(&mut self, strips: &[(std::ops::Range<u32>, &[Cell])]) {
        let rows = self.rows as usize;
        self.cells.par_chunks_mut((COLUMNS * rows).max(1)).enumerate().for_each(|(piece, cells)| {
            for (on, strip) in strips {
                let strip = strip.iter().skip(piece * COLUMNS);
                for (column, cell) in cells.chunks_mut(rows).zip(strip) {
                    column[on.start as usize..on.end as usize].fill(*cell);
                }
            }
        });
    }

    /// The cells, so many at a time.
    pub(super) fn pieces(&mut self, cells: usize) -> impl Iterator<Item = &mut [Cell]> {
        self.cells.chunks_mut(cells.max(1))
    }

    /// The sum of two grids of one size.
    pub(super) fn merged(mut self, other: &DensityBuffer) -> DensityBuffer {
        for (cell, more) in self.cells.iter_mut().zip(&other.cells) {
            for (sum, more) in cell.iter_mut().zip(more) {
                *sum = sum.wrapping_add(*more);
            }
        }
        self
    }

    /// The layer, row by row as it is drawn.
    pub(super) fn finish(self, map: OpacityMap, least: f32) -> Density {
        let (columns, rows) = (self.columns as usize, self.rows as usize);
        let mut counts = vec![0; columns * rows];
        let mut colours = vec![[0; 3]; columns * rows];
        let by_row = counts.par_chunks_mut(columns.max(1)).zip(colours.par_chunks_mut(columns.max(1)));
        by_row.enumerate().for_each(|(row, (counts, colours))| {
            for (column, (count, colour)) in counts.iter_mut().zip(colours).enumerate() {
                let [calls, sums @ ..] = self.cells[column * rows + row];
                *count = calls;
                if calls > 0 {
                    let averaged = calls.min(MOST_AVERAGED);
                    *colour = sums.map(|sum| ((sum + averaged / 2) / averaged).min(255) as u8);
                }
            }
        });
        let most = counts.par_iter().copied().max().unwrap_or(0);
        Density { columns: self.columns, rows: self.rows, counts, colours, most, map, least }
    }
}

/// Adds a call to a cell, or takes it away.
#[inline]
fn change(cell: &mut Cell, colour: [u8; 3], by: impl Fn(u32, u32) -> u32) {
    cell[0] = by(cell[0], 1);
    for (sum, part) in cell[1..].iter_mut().zip(colour) {
        *sum = by(*sum, u32::from(part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: [u8; 3] = [255, 0, 0];
    const BLUE: [u8; 3] = [0, 0, 255];

    fn finished(buffer: DensityBuffer) -> Density {
        buffer.finish(OpacityMap::Logarithmic, 0.2)
    }

    #[test]
    fn calls_are_counted_where_they_are() {
        let mut buffer = DensityBuffer::new(3, 2);
        // The last two are outside.
        for (column, row) in [(0, 0), (2, 1), (2, 1), (3, 0), (0, 2)] {
            buffer.add(column, row, RED);
        }
        let density = finished(buffer);
        assert_eq!((density.counts, density.most), (vec![1, 0, 0, 0, 0, 2], 2));
        assert_eq!((density.colours[0], density.colours[1]), (RED, [0; 3]));
    }

    #[test]
    fn colours_average() {
        let mut buffer = DensityBuffer::new(1, 1);
        for colour in [RED, RED, RED, BLUE] {
            buffer.add(0, 0, colour);
        }
        assert_eq!(finished(buffer).colours, [[191, 0, 64]]);
    }

    #[test]
    fn an_outlier_keeps_its_colour_beside_a_million_calls() {
        let mut buffer = DensityBuffer::new(2, 1);
        (0..1_000_000).for_each(|_| buffer.add(0, 0, BLUE));
        buffer.add(1, 0, RED);
        let density = finished(buffer);
        assert_eq!(density.counts, [1_000_000, 1]);
        assert_eq!(density.colours, [BLUE, RED]);
        assert_eq!(density.most, 1_000_000);
    }

    #[test]
    fn lines_fill_what_lies_between() {
        let mut buffer = DensityBuffer::new(4, 2);
        buffer.add_line(0..2, 0, RED);
        buffer.add_line(1..4, 0, BLUE);
        buffer.add_line(3..9, 1, RED);
        let mut other = DensityBuffer::new(4, 2);
        other.add_line(2..3, 1, BLUE);
        let mut buffer = buffer.merged(&other);
        buffer.add_up_across();
        let density = finished(buffer);
        assert_eq!(density.counts, [1, 2, 1, 1, 0, 0, 1, 1]);
        assert_eq!(density.colours[..4], [RED, [128, 0, 128], BLUE, BLUE]);
        assert_eq!(density.colours[6..], [BLUE, RED]);
    }

    #[test]
    fn columns_fill_what_lies_between() {
        let mut buffer = DensityBuffer::new(2, 3);
        for (at, column) in buffer.pieces(3).enumerate() {
            let added: &[_] = if at == 0 { &[(0..2, RED), (1..9, BLUE)] } else { &[(2..3, BLUE)] };
            for (rows, colour) in added {
                DensityBuffer::add_to_column(column, rows.clone(), *colour);
            }
            DensityBuffer::add_up_column(column);
        }
        let density = finished(buffer);
        assert_eq!(density.counts, [1, 0, 2, 0, 1, 1]);
        assert_eq!((density.colours[2], density.colours[4]), ([128, 0, 128], BLUE));
    }
}
