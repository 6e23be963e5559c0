//! Tiles and what is reduced from them, on made-up grids.

#![allow(clippy::float_cmp, reason = "the largest of some numbers is one of them")]

use std::ops::Range;

use heddle_store::NoProgress;
use proptest::prelude::*;

use super::reduce::{Cells, MOST_VISITED, Reduced, reduce};
use super::tiles::{Grid, Tiles, build};

/// A grid whose events are a function of row and step.
struct Made<F> {
    rows: u32,
    steps: u32,
    /// The values, where there is an event.
    event: F,
}

impl<F: Fn(u32, u32) -> Option<(f32, f32)> + Sync> Grid for Made<F> {
    fn rows(&self) -> u32 {
        self.rows
    }

    fn steps(&self) -> u32 {
        self.steps
    }

    fn count(&self, row: u32, steps: Range<u32>) -> u64 {
        steps.filter(|step| (self.event)(row, *step).is_some()).count() as u64
    }

    fn visit(&self, row: u32, steps: Range<u32>, mut visit: impl FnMut(u32, f32, f32)) {
        for step in steps {
            if let Some((value, aggregate)) = (self.event)(row, step) {
                visit(step, value, aggregate);
            }
        }
    }
}

fn tiles_of(grid: &impl Grid) -> (tempfile::TempDir, Tiles) {
    let directory = tempfile::tempdir().unwrap();
    let events = (0..grid.rows()).map(|row| grid.count(row, 0..grid.steps())).sum();
    build(directory.path(), grid, events, 0, &NoProgress).unwrap();
    let tiles = Tiles::open(directory.path()).unwrap();
    (directory, tiles)
}

/// Numbers that look like chance and are the same every time.
fn hash(seed: u64, row: u32, step: u32) -> u64 {
    let mut x = seed ^ (u64::from(row) << 32 | u64::from(step)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for _ in 0..2 {
        x = (x ^ (x >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    x ^ (x >> 29)
}

/// The cells of a picture, event by event, each put where its block of the size that was used has its middle.
fn plainly(grid: &impl Grid, cells: &Cells<'_>, tile: (u32, u32)) -> (Vec<f32>, Vec<f32>, Vec<u32>) {
    let all = (cells.columns * cells.rows) as usize;
    let (mut largest, mut aggregate, mut count) =
        (vec![f32::NEG_INFINITY; all], vec![f32::NEG_INFINITY; all], vec![0; all]);
    let steps = (cells.steps.0.floor().max(0.0) as u32)..(cells.steps.1.ceil() as u32).min(grid.steps());
    let columns_a_step = f64::from(cells.columns) / (cells.steps.1 - cells.steps.0);
    let first = cells.lines[0];
    let last = cells.lines[cells.lines.len() - 1];
    for line in first / tile.0 * tile.0..((last / tile.0 + 1) * tile.0).min(grid.rows()) {
        let block = (line / tile.0 * tile.0).max(first)..(line / tile.0 * tile.0 + tile.0).min(last + 1);
        let middle = f64::from(block.start - first + block.end - first) / 2.0;
        let y = if tile.0 == 1 {
            // As other views divide rows: the last whose first line is not below this one.
            ((line - first + 1) * cells.rows - 1) / cells.lines.len() as u32
        } else {
            (middle * f64::from(cells.rows) / cells.lines.len() as f64) as u32
        };
        let blocks = steps.start / tile.1 * tile.1..(steps.end.div_ceil(tile.1) * tile.1).min(grid.steps());
        grid.visit(line, blocks, |step, value, of_aggregate| {
            let from = (step / tile.1 * tile.1).max(steps.start);
            let to = (step / tile.1 * tile.1 + tile.1).min(steps.end);
            let place = |step: u32| (f64::from(step) - cells.steps.0) * columns_a_step;
            let inside: Vec<u32> =
                (0..cells.columns).filter(|x| (place(from)..place(to)).contains(&(f64::from(*x) + 0.5))).collect();
            let middle = f64::midpoint(place(from), place(to)).floor();
            let columns = if inside.is_empty() && (0.0..f64::from(cells.columns)).contains(&middle) {
                vec![middle as u32]
            } else {
                inside
            };
            for x in columns {
                let at = (y.min(cells.rows - 1) * cells.columns + x) as usize;
                largest[at] = largest[at].max(value);
                aggregate[at] = aggregate[at].max(of_aggregate);
                count[at] += 1;
            }
        });
    }
    (largest, aggregate, count)
}

fn cells(lines: &[u32], steps: (f64, f64), columns: u32, rows: u32) -> Cells<'_> {
    Cells { lines, steps, columns, rows: rows.min(lines.len() as u32), event: (0.0, 1.0), aggregate: (0.0, 1.0) }
}

fn check(grid: &impl Grid, cells: &Cells<'_>, reduced: &Reduced) {
    let (largest, aggregate, count) = plainly(grid, cells, reduced.tile.unwrap_or((1, 1)));
    assert_eq!(reduced.count, count, "{cells:?} {:?}", reduced.tile);
    assert_eq!(reduced.aggregates, count);
    assert_eq!(reduced.largest, largest);
    assert_eq!(reduced.aggregate, aggregate);
    for (row, column) in (0..cells.rows as usize).flat_map(|row| (0..cells.columns as usize).map(move |at| (row, at))) {
        let coverage = reduced.coverage(row, column, count[row * cells.columns as usize + column]);
        assert!((0.0..=1.0).contains(&coverage));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn cells_hold_the_maximum_and_the_number_of_their_events(
        seed: u64,
        share in 1u64..=8,
        rows in (1u32..1_500, 0.0f64..1.0, 0.0f64..1.0),
        steps in (1u32..3_000, 0.0f64..1.0, 0.0f64..1.0),
        size in (1u32..60, 1u32..40),
        may_visit: bool,
    ) {
        let event = |row, step| {
            let hash = hash(seed, row, step);
            (hash % 8 < share).then_some((f32::from((hash >> 8) as u16), f32::from((hash >> 24) as u16)))
        };
        let grid = Made { rows: rows.0, steps: steps.0, event };
        let (_directory, tiles) = tiles_of(&grid);
        let part = |(all, a, b): (u32, f64, f64)| {
            let (from, to) = (a.min(b) * f64::from(all), a.max(b) * f64::from(all));
            (from, to.max(from + 0.7).min(f64::from(all).max(from + 0.7)))
        };
        let (first, last) = part(rows);
        let lines: Vec<u32> = (first as u32..(last.ceil() as u32).clamp(first as u32 + 1, rows.0)).collect();
        prop_assume!(!lines.is_empty());
        let cells = cells(&lines, part(steps), size.0, size.1);
        let most = if may_visit { MOST_VISITED } else { 0 };
        check(&grid, &cells, &reduce(&grid, &tiles, &cells, most));
    }
}

#[test]
fn tiles_are_used_where_cells_are_large_and_hide_nothing() {
    let event = |row, step| Some((if (row, step) == (777, 1_234) { 9.0 } else { 1.0 }, 0.0));
    let grid = Made { rows: 1_024, steps: 4_096, event };
    let (_directory, tiles) = tiles_of(&grid);
    let lines: Vec<u32> = (0..1_024).collect();
    for (columns, rows, expected) in [(4_096, 1_024, None), (2_048, 512, Some((2, 2))), (64, 16, Some((4, 16)))] {
        let cells = cells(&lines, (0.0, 4_096.0), columns, rows);
        let reduced = reduce(&grid, &tiles, &cells, 0);
        assert_eq!(reduced.tile, expected);
        let at = (777 * rows / 1_024 * columns + 1_234 * columns / 4_096) as usize;
        assert_eq!(reduced.largest[at], 9.0);
        assert_eq!(reduced.largest.iter().filter(|value| **value == 9.0).count(), 1);
        assert_eq!(reduced.coverage(0, 0, reduced.count[0]), 1.0);
    }
    // Every other rank: such lines are no neighbours, so tiles of one rank are taken.
    let lines: Vec<u32> = (1..1_024).step_by(2).collect();
    let cells = cells(&lines, (0.0, 4_096.0), 64, 16);
    let reduced = reduce(&grid, &tiles, &cells, 0);
    assert_eq!(reduced.tile, Some((1, 16)));
    assert!(reduced.largest.contains(&9.0));
}

#[test]
fn one_late_rank_in_a_million_is_seen_at_every_zoom() {
    const LATE: (u32, u32) = (654_321, 3);
    let grid =
        Made { rows: 1_000_000, steps: 6, event: |row, step| Some((f32::from(u8::from((row, step) == LATE)), 0.0)) };
    let (_directory, tiles) = tiles_of(&grid);
    for half in [1_000_000, 200_000, 40_000, 3_000, 400, 20] {
        let lines: Vec<u32> = (LATE.0.saturating_sub(half)..(LATE.0 + half).min(1_000_000)).collect();
        let cells = cells(&lines, (0.0, 6.0), 90, 500);
        let reduced = reduce(&grid, &tiles, &cells, MOST_VISITED);
        // Some hundred thousand events are not visited for every picture: one drags it.
        assert_eq!(reduced.tile.is_some(), half >= 40_000, "{half}: {:?}", reduced.tile);
        let seen: Vec<usize> = (0..reduced.largest.len()).filter(|at| reduced.largest[*at] > 0.0).collect();
        assert_eq!(seen.len(), 15, "one row of cells, one step of 15 columns");
        let row = seen[0] / 90;
        let true_row = u64::from(LATE.0 - lines[0]) * u64::from(cells.rows) / lines.len() as u64;
        assert!((row as u64).abs_diff(true_row) <= 1, "{half}: {row} {true_row}");
        assert!(seen.iter().all(|at| at / 90 == row && (45..60).contains(&(at % 90))));
    }
}

#[test]
fn sparse_programs_have_few_tiles() {
    // A token goes round: one event a step.
    let grid = Made { rows: 2_000, steps: 8_000, event: |row, step| (step % 2_000 == row).then_some((1.0, 1.0)) };
    let (_directory, tiles) = tiles_of(&grid);
    let all: u64 = tiles.levels().iter().map(|level| level.tiles).sum();
    assert!(all < 8_000, "{all}");
}
