//! A metric reduced to the pixels of a picture: the largest values, and how much of a cell is filled.

use std::ops::Range;

use rayon::prelude::*;

use super::tiles::{Grid, Tile, TileLevel, Tiles};

/// More events than this are not visited one by one where there are tiles: a picture would take longer than it takes to
/// drag it, and tiles no larger than a cell show the same.
pub(super) const MOST_VISITED: u64 = 1 << 18;
/// Rows on which events are counted: it decides how to draw, and takes time.
const MOST_COUNTED: usize = 2_048;

/// Which part of logical time to reduce, and to how many cells.
#[derive(Clone, Debug)]
pub struct Cells<'a> {
    /// The row of each line of the picture; `u32::MAX` for lines without events.
    pub lines: &'a [u32],
    /// First and last step; step s takes from s to s + 1.
    pub steps: (f64, f64),
    /// Cells from left to right.
    pub columns: u32,
    /// Cells from top to bottom, at most one per line.
    pub rows: u32,
    /// Which part of its step an event takes, from 0 to 1, where a step is wider than a cell.
    pub event: (f64, f64),
    /// And its aggregate.
    pub aggregate: (f64, f64),
}

/// A metric in the cells of a picture, row by row.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The largest value of an event; minus infinity where none is known.
    pub largest: Vec<f32>,
    /// The largest value of an aggregate.
    pub aggregate: Vec<f32>,
    /// Events in each cell.
    pub count: Vec<u32>,
    /// Aggregates in each cell.
    pub aggregates: Vec<u32>,
    /// Steps that a column stands for, as far as there are any.
    pub steps_of_column: Vec<Range<u32>>,
    /// Lines that a row stands for.
    pub lines_of_row: Vec<u32>,
    /// Rows and steps of the tiles that it was made from; none if it was made from the events.
    pub tile: Option<(u32, u32)>,
}

impl Reduced {
    /// How much of a cell is filled, from 0 to 1.
    pub fn coverage(&self, row: usize, column: usize, count: u32) -> f32 {
        let steps = self.steps_of_column[column].len().max(1);
        let cells = steps as f32 * self.lines_of_row[row].max(1) as f32;
        (count as f32 / cells).min(1.0)
    }
}

/// Columns of cells on which something lies.
#[derive(Clone, Copy)]
struct ColumnRange {
    first: u32,
    /// The one after the last.
    end: u32,
}

impl ColumnRange {
    /// The columns whose middle is between two places, or else the one in the middle of them; none out of sight.
    fn new(from: f64, to: f64, columns: u32) -> ColumnRange {
        let (first, end) = ((from - 0.5).ceil(), (to - 0.5).ceil());
        let middle = f64::midpoint(from, to).floor();
        let (first, end) = if end > first { (first, end) } else { (middle, middle + 1.0) };
        let clamp = |at: f64| at.clamp(0.0, f64::from(columns)) as u32;
        ColumnRange { first: clamp(first), end: clamp(end) }
    }

    fn cells(self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// Where blocks of steps lie on the columns: worked out once for all rows.
struct ColumnsOfSteps {
    first: u32,
    steps_log2: u32,
    events: Vec<ColumnRange>,
    aggregates: Vec<ColumnRange>,
}

impl ColumnsOfSteps {
    fn new(cells: &Cells<'_>, steps: &Range<u32>, steps_log2: u32) -> ColumnsOfSteps {
        let blocks =
            if steps.is_empty() { 0..0 } else { steps.start >> steps_log2..((steps.end - 1) >> steps_log2) + 1 };
        let columns_a_step = f64::from(cells.columns) / (cells.steps.1 - cells.steps.0);
        let place = |step: f64| (step - cells.steps.0) * columns_a_step;
        let of = |block: u32, part: (f64, f64)| {
            let from = f64::from((block << steps_log2).max(steps.start));
            let end = ((u64::from(block) + 1) << steps_log2).min(u64::from(steps.end));
            let last = end as f64 - 1.0;
            ColumnRange::new(place(from + part.0), place(last + part.1), cells.columns)
        };
        ColumnsOfSteps {
            first: blocks.start,
            steps_log2,
            events: blocks.clone().map(|block| of(block, cells.event)).collect(),
            aggregates: blocks.map(|block| of(block, cells.aggregate)).collect(),
        }
    }

    fn steps_of_columns(&self, columns: u32, steps: &Range<u32>) -> Vec<Range<u32>> {
        let mut of_column = vec![0..0; columns as usize];
        for (at, (event, aggregate)) in self.events.iter().zip(&self.aggregates).enumerate() {
            let block = self.first + at as u32;
            let these = (block << self.steps_log2).max(steps.start)
                ..((u64::from(block) + 1) << self.steps_log2).min(u64::from(steps.end)) as u32;
            for column in event.cells().chain(aggregate.cells()) {
                let known: &mut Range<u32> = &mut of_column[column];
                *known = if known.start >= known.end {
                    these.clone()
                } else {
                    known.start.min(these.start)..known.end.max(these.end)
                };
            }
        }
        of_column
    }
}

/// One row of cells.
struct RowOfCells<'a> {
    largest: &'a mut [f32],
    aggregate: &'a mut [f32],
    count: &'a mut [u32],
    aggregates: &'a mut [u32],
}

impl RowOfCells<'_> {
    #[inline]
    fn add(&mut self, places: &ColumnsOfSteps, tile: &Tile) {
        let at = tile.block.wrapping_sub(places.first) as usize;
        let (Some(event), Some(aggregate)) = (places.events.get(at), places.aggregates.get(at)) else { return };
        for column in event.cells() {
            self.largest[column] = self.largest[column].max(tile.largest);
            self.count[column] += tile.count;
        }
        for column in aggregate.cells() {
            self.aggregate[column] = self.aggregate[column].max(tile.aggregate);
            self.aggregates[column] += tile.count;
        }
    }
}

/// Reduces values to cells: from the events while they are few, else from tiles no larger than a cell.
///
/// A tile belongs to the cell in which its middle lies. At the edges of the picture it may hold events that lie less than a
/// cell outside.
pub(super) fn reduce(grid: &impl Grid, tiles: &Tiles, cells: &Cells<'_>, most_visited: u64) -> Reduced {
    let clamp = |step: f64| step.clamp(0.0, f64::from(grid.steps())) as u32;
    let steps = clamp(cells.steps.0.floor())..clamp(cells.steps.1.ceil());
    let level = if events_in_sight(grid, cells, &steps) <= most_visited { None } else { level(tiles, cells) };
    let places = ColumnsOfSteps::new(cells, &steps, level.map_or(0, |level| level.steps_log2));
    let all = cells.columns as usize * cells.rows as usize;
    let lines = LinesOfRows::new(cells, level.map_or(0, |level| level.rows_log2));
    let mut reduced = Reduced {
        largest: vec![f32::NEG_INFINITY; all],
        aggregate: vec![f32::NEG_INFINITY; all],
        count: vec![0; all],
        aggregates: vec![0; all],
        steps_of_column: places.steps_of_columns(cells.columns, &steps),
        lines_of_row: lines.counts(),
        tile: level.map(|level| (1 << level.rows_log2, 1 << level.steps_log2)),
    };
    let width = cells.columns.max(1) as usize;
    let largest = reduced.largest.par_chunks_mut(width).zip(reduced.aggregate.par_chunks_mut(width));
    let counts = reduced.count.par_chunks_mut(width).zip(reduced.aggregates.par_chunks_mut(width));
    largest.zip(counts).enumerate().for_each(|(at, ((largest, aggregate), (count, aggregates)))| {
        let mut row = RowOfCells { largest, aggregate, count, aggregates };
        for line in lines.of_row(at) {
            match &level {
                Some(level) => tiles.visit(level, line, steps.clone(), |tile| row.add(&places, &tile)),
                None => grid.visit(line, steps.clone(), |block, largest, aggregate| {
                    row.add(&places, &Tile { block, count: 1, largest, aggregate });
                }),
            }
        }
    });
    reduced
}

/// The rows of events, or of tiles, that each row of cells stands for.
struct LinesOfRows<'a> {
    in_sight: &'a [u32],
    rows: u32,
    /// For tiles: the first one, and the first of each row of cells.
    blocks: Option<(u32, Vec<u32>, u32)>,
}

impl<'a> LinesOfRows<'a> {
    fn new(cells: &Cells<'a>, rows_log2: u32) -> LinesOfRows<'a> {
        let lines = cells.lines;
        let blocks = (rows_log2 > 0).then(|| {
            let (first, last) = (lines.first().copied().unwrap_or(0), lines.last().copied().unwrap_or(0));
            let (first_block, last_block) = (first >> rows_log2, last >> rows_log2);
            // The first block whose middle lies in each row of cells.
            let mut of_row = vec![last_block + 1; cells.rows as usize + 1];
            for block in (first_block..=last_block).rev() {
                let from = (block << rows_log2).max(first);
                let to = (((block + 1) << rows_log2) - 1).min(last);
                let middle = f64::from(from - first) / 2.0 + f64::from(to - first) / 2.0 + 0.5;
                let row = (middle / lines.len().max(1) as f64 * f64::from(cells.rows)) as usize;
                of_row[row.min(cells.rows.max(1) as usize - 1)] = block;
            }
            for row in (0..cells.rows as usize).rev() {
                of_row[row] = of_row[row].min(of_row[row + 1]);
            }
            (rows_log2, of_row, last - first + 1)
        });
        LinesOfRows { in_sight: lines, rows: cells.rows, blocks }
    }

    fn lines_of(&self, row: usize) -> &'a [u32] {
        let first_of = |row: usize| (row as u64 * self.in_sight.len() as u64 / u64::from(self.rows.max(1))) as usize;
        &self.in_sight[first_of(row).min(self.in_sight.len())..first_of(row + 1).min(self.in_sight.len())]
    }

    fn of_row(&self, row: usize) -> Box<dyn Iterator<Item = u32> + '_> {
        match &self.blocks {
            Some((_, of_row, _)) => Box::new(of_row[row]..of_row[row + 1]),
            None => Box::new(self.lines_of(row).iter().copied().filter(|line| *line != u32::MAX)),
        }
    }

    fn counts(&self) -> Vec<u32> {
        let count = |row: usize| match &self.blocks {
            Some((rows_log2, of_row, all)) => ((of_row[row + 1] - of_row[row]) << rows_log2).min(*all),
            None => self.lines_of(row).len() as u32,
        };
        (0..self.rows as usize).map(count).collect()
    }
}

/// How many events there are to be reduced, about.
fn events_in_sight(grid: &impl Grid, cells: &Cells<'_>, steps: &Range<u32>) -> u64 {
    let each = cells.lines.len().div_ceil(MOST_COUNTED).max(1);
    let sample: Vec<u32> = cells.lines.iter().copied().step_by(each).filter(|line| *line != u32::MAX).collect();
    let events: u64 = sample.into_par_iter().map(|line| grid.count(line, steps.clone())).sum();
    events * each as u64
}

/// The level with the fewest tiles among those no larger than a cell.
fn level(tiles: &Tiles, cells: &Cells<'_>) -> Option<TileLevel> {
    let are_neighbours = cells.lines.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
    let lines = cells.lines.len() as f64 / f64::from(cells.rows.max(1));
    let steps = (cells.steps.1 - cells.steps.0) / f64::from(cells.columns.max(1));
    let fits = |level: &&TileLevel| {
        let is_low = level.rows_log2 == 0 || (are_neighbours && f64::from(1u32 << level.rows_log2) <= lines);
        let is_narrow = level.steps_log2 == 0 || f64::from(1u32 << level.steps_log2) <= steps;
        is_low && is_narrow
    };
    tiles.levels().iter().filter(fits).min_by_key(|level| level.tiles).copied()
}
