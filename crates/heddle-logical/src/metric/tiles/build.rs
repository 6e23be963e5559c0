//! Building tiles, a part of the grid at a time: memory stays bounded, all cores work, and every event is read once.

use std::path::Path;

use rayon::prelude::*;

use heddle_store::{Progress, StoreError, TableWriter, write_table};

use super::{Grid, LevelRows, PieceRows, Tile, TileRows};

/// With fewer events no tiles are needed: visiting them takes no longer than a glance.
pub(crate) const FEW_EVENTS: u64 = 1 << 20;
/// Events of a part, about.
const PART_LOG2: u32 = 20;
/// Blocks of more rows than 2^10 are put together by who reads them.
const MOST_ROWS_LOG2: u32 = 10;
/// No picture is so low, or so narrow, that it needs fewer rows or columns of tiles.
const LEAST_ROWS: u32 = 128;
const LEAST_COLUMNS: u32 = 256;
/// Parts looked at to see which levels save anything.
const SAMPLE: usize = 8;

/// How the grid is cut.
struct GridCut {
    rows_log2: u32,
    steps_log2: u32,
    across: u32,
    down: u32,
}

impl GridCut {
    fn new(grid: &impl Grid, events: u64, most_rows_log2: u32, most_steps_log2: u32) -> GridCut {
        let cells = u64::from(grid.rows()) * u64::from(grid.steps());
        // Steps of a part, so that it has about 2^20 events.
        let cells_an_event = (cells / events.max(1)).max(1);
        let wanted = (PART_LOG2 + cells_an_event.ilog2()).saturating_sub(most_rows_log2);
        let steps_log2 = wanted.clamp(most_steps_log2, 31).min(grid.steps().max(1).next_power_of_two().ilog2().min(31));
        let steps_log2 = steps_log2.max(most_steps_log2);
        let parts = |count: u32, log2: u32| (count >> log2) + u32::from(count & ((1 << log2) - 1) != 0);
        GridCut {
            rows_log2: most_rows_log2,
            steps_log2,
            across: parts(grid.steps(), steps_log2),
            down: parts(grid.rows(), most_rows_log2),
        }
    }

    /// The single events of a part.
    fn read(&self, grid: &impl Grid, down: u32, across: u32) -> TileLines {
        let end = |at: u32, log2: u32, all: u32| (u64::from(at + 1) << log2).min(u64::from(all)) as u32;
        let rows = down << self.rows_log2..end(down, self.rows_log2, grid.rows());
        let steps = across << self.steps_log2..end(across, self.steps_log2, grid.steps());
        let mut lines = TileLines::default();
        for row in rows {
            grid.visit(row, steps.clone(), |block, largest, aggregate| {
                lines.tiles.push(Tile { block, count: 1, largest, aggregate });
            });
            lines.ends.push(lines.tiles.len());
        }
        lines
    }
}

/// Rows of tiles, one behind the other: a row often has only a few.
#[derive(Clone, Default)]
struct TileLines {
    tiles: Vec<Tile>,
    /// Where each row ends.
    ends: Vec<usize>,
}

impl TileLines {
    fn len(&self) -> u64 {
        self.tiles.len() as u64
    }

    /// Joins 2^`rows_log2` rows and 2^`steps_log2` blocks each.
    fn coarser(&self, rows_log2: u32, steps_log2: u32) -> TileLines {
        let mut out = TileLines::default();
        let mut start = 0;
        for ends in self.ends.chunks(1 << rows_log2) {
            let (from, end) = (out.tiles.len(), ends[ends.len() - 1]);
            let these = self.tiles[start..end].iter();
            out.tiles.extend(these.map(|tile| Tile { block: tile.block >> steps_log2, ..*tile }));
            // Sorted runs, one per row: a stable sort only merges them.
            if ends.len() > 1 {
                out.tiles[from..].sort_by_key(|tile| tile.block);
            }
            let mut kept = from;
            for at in from + 1..out.tiles.len() {
                let tile = out.tiles[at];
                if tile.block == out.tiles[kept].block {
                    out.tiles[kept].join(&tile);
                } else {
                    kept += 1;
                    out.tiles[kept] = tile;
                }
            }
            out.tiles.truncate(kept + usize::from(start < end));
            out.ends.push(out.tiles.len());
            start = end;
        }
        out
    }
}

/// Rows and steps of a level, as logarithms.
type Level = (u32, u32);

/// All levels that there could be: 2 by 2, and powers of four.
fn levels(most_rows_log2: u32, most_steps_log2: u32) -> Vec<Level> {
    let even = |most: u32| (0..=most).step_by(2);
    let mut levels: Vec<Level> = even(most_rows_log2)
        .flat_map(|rows| even(most_steps_log2).map(move |steps| (rows, steps)))
        .filter(|(rows, steps)| rows + steps >= 4)
        .collect();
    if most_rows_log2 > 0 && most_steps_log2 > 0 {
        levels.push((1, 1));
    }
    levels.sort_unstable_by_key(|(rows, steps)| (rows + steps, *rows));
    levels
}

/// The levels of a part out of its events.
fn all_levels(events: TileLines, levels: &[Level]) -> Vec<(Level, TileLines)> {
    let mut made = Vec::new();
    if levels.contains(&(1, 1)) {
        made.push(((1, 1), events.coarser(1, 1)));
    }
    let most = |pick: fn(&Level) -> u32| levels.iter().map(pick).max().unwrap_or(0);
    let (most_rows, most_steps) = (most(|level| level.0), most(|level| level.1));
    let mut tall = events;
    for rows in (0..=most_rows).step_by(2) {
        if rows > 0 {
            tall = tall.coarser(2, 0);
        }
        let mut wide: Option<TileLines> = None;
        for steps in (2..=most_steps).step_by(2) {
            let next = wide.as_ref().unwrap_or(&tall).coarser(0, 2);
            if levels.contains(&(rows, steps)) {
                made.push(((rows, steps), next.clone()));
            }
            wide = Some(next);
        }
        if levels.contains(&(rows, 0)) {
            made.push(((rows, 0), tall.clone()));
        }
    }
    made
}

/// The levels that save enough, judged by some parts of the grid.
fn worthwhile(grid: &impl Grid, cut: &GridCut, levels: &[Level]) -> Vec<Level> {
    let parts = cut.across as usize * cut.down as usize;
    let sample: Vec<usize> = (0..parts).step_by(parts.div_ceil(SAMPLE).max(1)).collect();
    let counted: Vec<(u64, Vec<(Level, u64)>)> = sample
        .into_par_iter()
        .map(|part| {
            let events = cut.read(grid, (part / cut.across as usize) as u32, (part % cut.across as usize) as u32);
            let count = events.len();
            (count, all_levels(events, levels).into_iter().map(|(level, lines)| (level, lines.len())).collect())
        })
        .collect();
    let events: u64 = counted.iter().map(|(events, _)| events).sum();
    let of = |level: Level| -> u64 {
        counted.iter().flat_map(|(_, sizes)| sizes).filter(|(other, _)| *other == level).map(|(_, size)| size).sum()
    };
    let mut kept: Vec<(Level, u64)> = Vec::new();
    for level in levels {
        let tiles = of(*level);
        let finer = kept.iter().filter(|((rows, steps), _)| *rows <= level.0 && *steps <= level.1);
        let least = finer.map(|(_, tiles)| *tiles).min().unwrap_or(events);
        let most = if *level == (1, 1) { events * 2 / 5 } else { (events / 6).min(least * 3 / 5) };
        if tiles <= most {
            kept.push((*level, tiles));
        }
    }
    kept.into_iter().map(|(level, _)| level).collect()
}

/// Writes the tiles of a grid into a directory; none if it has no more events than `few`.
pub(crate) fn build(
    directory: &Path,
    grid: &impl Grid,
    events: u64,
    few: u64,
    progress: &dyn Progress,
) -> Result<(), StoreError> {
    let log2 = |count: u32, least: u32, most: u32| ((count / least).max(1).ilog2() & !1).min(most);
    let most_rows = log2(grid.rows(), LEAST_ROWS, MOST_ROWS_LOG2);
    let most_steps = log2(grid.steps(), LEAST_COLUMNS, 30);
    let mut tiles = TableWriter::<TileRows>::create(directory)?;
    let (mut level_rows, mut places) = (LevelRows::default(), PieceRows::default());
    let cut = GridCut::new(grid, events, most_rows, most_steps);
    let kept = if events > few { worthwhile(grid, &cut, &levels(most_rows, most_steps)) } else { Vec::new() };
    // Places of all levels: level, row, piece.
    for (rows_log2, steps_log2) in &kept {
        let rows = ((grid.rows() - 1) >> rows_log2) + 1;
        level_rows.rows_log2.push(*rows_log2);
        level_rows.steps_log2.push(*steps_log2);
        level_rows.first_place.push(places.first.len() as u64);
        level_rows.tiles.push(0);
        level_rows.rows.push(rows);
        level_rows.piece_log2.push(cut.steps_log2);
        level_rows.pieces.push(cut.across);
        let more = rows as usize * cut.across as usize;
        places.first.resize(places.first.len() + more, 0);
        places.count.resize(places.count.len() + more, 0);
    }
    let parts: Vec<(u32, u32)> =
        (0..cut.down).flat_map(|down| (0..cut.across).map(move |across| (down, across))).collect();
    // As many parts at a time as there are cores, or more where they are small.
    let small = ((parts.len() as u64) << PART_LOG2) / events.max(1);
    for some in parts.chunks(rayon::current_num_threads().max(1) * small.clamp(1, 64) as usize) {
        if kept.is_empty() {
            break;
        }
        progress.check()?;
        let made: Vec<_> = some
            .par_iter()
            .map(|(down, across)| {
                let events = cut.read(grid, *down, *across);
                (events.len(), all_levels(events, &kept))
            })
            .collect();
        for ((down, across), (events, levels)) in some.iter().zip(made) {
            for (level, lines) in levels {
                let Some(number) = kept.iter().position(|other| *other == level) else { continue };
                let first_row = (u64::from(*down) << cut.rows_log2) >> level.0;
                level_rows.tiles[number] += lines.len();
                let (mut start, first) = (0, tiles.rows());
                for (row, end) in (first_row..).zip(&lines.ends) {
                    let place = level_rows.first_place[number] + row * u64::from(cut.across) + u64::from(*across);
                    places.first[place as usize] = first + start as u64;
                    places.count[place as usize] = (end - start) as u32;
                    start = *end;
                }
                tiles.append(TileRows {
                    block: lines.tiles.iter().map(|tile| tile.block).collect(),
                    count: lines.tiles.iter().map(|tile| tile.count).collect(),
                    largest: lines.tiles.iter().map(|tile| tile.largest).collect(),
                    aggregate: lines.tiles.iter().map(|tile| tile.aggregate).collect(),
                })?;
            }
            progress.advance(events);
        }
    }
    tiles.finish()?;
    write_table(directory, places)?;
    write_table(directory, level_rows).map(drop)
}
