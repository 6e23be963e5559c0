//! Tiles: blocks of rows by blocks of steps, with how many events they hold and the largest values among them.
//!
//! A picture of more events than can be visited is put together from tiles no larger than its pixels, so that one late
//! rank in a million stays visible and the cost grows with the pixels. Blocks have 2^k rows and 2^j steps; pictures may be
//! wide or tall, so k and j vary independently. Only tiles with events exist, in the order of steps for each row of tiles:
//! sparse programs cost no more than dense ones. What hardly saves anything over a finer level is left out.

mod build;

use std::ops::Range;
use std::path::Path;

use heddle_store::table::{lie_within, require};
use heddle_store::{Columns, StoreError, table};

pub(crate) use build::{FEW_EVENTS, build};

table! {
    /// The levels.
    LevelRows, LevelTable = "tile_levels" {
        /// A tile stands for 2^k rows.
        rows_log2: u32 => "rows_log2",
        /// And for 2^j steps.
        steps_log2: u32 => "steps_log2",
        /// Its first row in the index of places.
        first_place: u64 => "first_place",
        /// Tiles of this level.
        tiles: u64 => "tiles",
        /// Rows of tiles.
        rows: u32 => "rows",
        /// A row of tiles is stored in pieces of 2^c steps.
        piece_log2: u32 => "piece_log2",
        /// Number of pieces per row.
        pieces: u32 => "pieces",
    }
}

table! {
    /// Where the tiles of a piece of a row lie, by level, then row, then piece.
    PieceRows, PieceTable = "tile_places" packed {
        /// The first one.
        first: u64 => "first_tile",
        /// How many.
        count: u32 => "tiles",
    }
}

table! {
    /// The tiles. Within a piece of a row they are in the order of their steps.
    TileRows, TileTable = "tiles" packed {
        /// Which block of steps.
        block: u32 => "block",
        /// How many events.
        count: u32 => "events",
        /// The largest value of an event.
        largest: f32 => "largest",
        /// The largest value of an aggregate.
        aggregate: f32 => "largest_aggregate",
    }
}

/// Where values come from: events in rows and steps, at most one of a row in a step.
pub(super) trait Grid: Sync {
    /// Number of rows.
    fn rows(&self) -> u32;

    /// Number of steps.
    fn steps(&self) -> u32;

    /// How many events a row has in some of the steps.
    fn count(&self, row: u32, steps: Range<u32>) -> u64;

    /// Visits them in the order of their steps: the step, the value of the event, that of its aggregate.
    fn visit(&self, row: u32, steps: Range<u32>, visit: impl FnMut(u32, f32, f32));
}

/// What a block of rows and steps holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tile {
    pub(crate) block: u32,
    pub(crate) count: u32,
    pub(crate) largest: f32,
    pub(crate) aggregate: f32,
}

impl Tile {
    pub(crate) fn join(&mut self, other: &Tile) {
        self.count = self.count.saturating_add(other.count);
        // The maximum of a number and none is the number.
        self.largest = self.largest.max(other.largest);
        self.aggregate = self.aggregate.max(other.aggregate);
    }
}

/// One level of the tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TileLevel {
    pub(crate) rows_log2: u32,
    pub(crate) steps_log2: u32,
    pub(crate) tiles: u64,
    rows: u32,
    first_place: u64,
    piece_log2: u32,
    pieces: u32,
}

/// All tiles of a metric, open.
#[derive(Debug)]
pub(crate) struct Tiles {
    levels: Vec<TileLevel>,
    places: PieceTable,
    table: TileTable,
}

impl Tiles {
    pub(crate) fn open(directory: &Path) -> Result<Tiles, StoreError> {
        let table = LevelTable::open(directory)?;
        let levels = (0..table.len())
            .map(|row| TileLevel {
                rows_log2: table.rows_log2.get(row).min(31),
                steps_log2: table.steps_log2.get(row).min(31),
                tiles: table.tiles.get(row),
                rows: table.rows.get(row),
                first_place: table.first_place.get(row),
                piece_log2: table.piece_log2.get(row).min(32),
                pieces: table.pieces.get(row),
            })
            .collect::<Vec<TileLevel>>();
        let (mut places, table) = (PieceTable::open(directory)?, TileTable::open(directory)?);
        let pieces = |level: &TileLevel| (level.first_place, u64::from(level.rows) * u64::from(level.pieces));
        require::<LevelRows>(directory, lie_within(levels.iter().map(pieces), places.len()))?;
        let most = table.len() + 1;
        let fits = places.first.must_be_below(most) && places.count.must_be_below(most);
        require::<PieceRows>(directory, fits)?;
        Ok(Tiles { levels, places, table })
    }

    pub(crate) fn levels(&self) -> &[TileLevel] {
        &self.levels
    }

    /// Visits the tiles of a row that hold any of these steps, in order.
    pub(crate) fn visit(&self, level: &TileLevel, row: u32, steps: Range<u32>, mut visit: impl FnMut(Tile)) {
        if row >= level.rows || steps.is_empty() {
            return;
        }
        let blocks = steps.start >> level.steps_log2..=(steps.end - 1) >> level.steps_log2;
        let piece = |step: u32| (u64::from(step) >> level.piece_log2).min(u64::from(level.pieces.saturating_sub(1)));
        for piece in piece(steps.start)..=piece(steps.end - 1) {
            let place = level.first_place + u64::from(row) * u64::from(level.pieces) + piece;
            if place >= self.places.len() {
                return;
            }
            let all =
                self.places.first.get(place)..self.places.first.get(place) + u64::from(self.places.count.get(place));
            let first = self.table.block.partition_point(all.clone(), |block| block < *blocks.start());
            let last = self.table.block.partition_point(first..all.end, |block| block <= *blocks.end());
            let columns = (&self.table.block, &self.table.count, &self.table.largest, &self.table.aggregate);
            columns.for_each(first..last, |(block, count, largest, aggregate)| {
                visit(Tile { block, count, largest, aggregate });
            });
        }
    }
}
