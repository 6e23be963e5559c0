//! What dominates where and when: a pyramid of tiles over (locations x time).
//!
//! Level k has rows of 4^k neighbouring locations, down to a few hundred rows: fewer than a screen has, so
//! that a view can put them together itself. Each level has as many time bins as make about one tile for
//! eight spans, and halvings of that down to a screen's width: a view finds a level with at least one tile
//! per pixel, or has so few spans in sight that it can visit them. A tile tells the two regions that are
//! innermost for most of its area, and the longest span that is innermost somewhere in it: whatever encloses
//! the whole run would hide the call that stalled.

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use heddle_model::{LocationId, RegionId};

use super::IndexContext;
use super::busiest::Busiest;
use super::spans_times;
use super::stretches::{Stretch, Stretches};
use crate::StoreError;
use crate::table::{TableWriter, lie_within, require, table, write_table};
use crate::tables::LocationTable;

/// Spans per tile, on average, at the finest level.
const SPANS_PER_TILE: u64 = 8;
/// No level has more time bins than 2^16.
const MOST_BINS_LOG2: u32 = 16;
/// With so few rows no coarser level is needed.
const FEW_ROWS: u64 = 256;
/// A coarser level in time than this is never asked for: a screen is wider.
const LEAST_BINS: u64 = 1024;

table! {
    /// The levels, finest time first within each k.
    LevelRows, LevelTable = "index/tile_levels" {
        /// Rows stand for this many locations.
        locations: u32 => "locations_a_row",
        /// Number of rows.
        rows: u32 => "rows",
        /// Number of time bins.
        bins: u32 => "bins",
        /// Width of a bin.
        bin_ns: i64 => "bin_ns",
        /// First tile of the first row.
        first: u64 => "first_tile",
        /// Tiles from one row to the next: those of all levels with the same rows lie together.
        stride: u64 => "row_stride",
    }
}

table! {
    /// Tiles, by size of row, then row, then level, then time. Regions beyond 65,534 are 65,535.
    TileRows, TileTable = "index/tiles" packed {
        /// The region innermost for most of the tile's area.
        first: u16 => "first_region",
        /// The next one.
        second: u16 => "second_region",
        /// Longest span that is innermost somewhere in the tile, as the upper 16 bits of its duration in an f32 of nanoseconds.
        longest: u16 => "longest",
        /// Share of the area, in 255ths, rounded up.
        first_share: u8 => "first_share",
        /// Share of the second one.
        second_share: u8 => "second_share",
    }
}

/// One level of the pyramid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileLevel {
    /// A row stands for this many locations.
    pub locations: u32,
    /// Number of rows.
    pub rows: u32,
    /// Number of time bins.
    pub bins: u32,
    /// Width of a bin in nanoseconds.
    pub bin_ns: i64,
    first: u64,
    stride: u64,
}

impl TileLevel {
    /// Whether its tiles are there, its rows stand for so many locations, and its bins reach to a time.
    fn fits(&self, locations: u64, tiles: u64) -> bool {
        let last_row = u64::from(self.rows.saturating_sub(1)).checked_mul(self.stride);
        let last_row = last_row.and_then(|last| last.checked_add(self.first));
        self.locations > 0
            && u64::from(self.rows) == locations.div_ceil(u64::from(self.locations))
            && spans_times(self.bins, self.bin_ns)
            && last_row.is_some_and(|last| lie_within([(last, u64::from(self.bins))], tiles))
    }

    fn place(&self, row: u32, bin: u32) -> u64 {
        self.first + u64::from(row) * self.stride + u64::from(bin)
    }
}

/// What a tile tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tile {
    /// The two regions that are innermost for most of the area, with their share of it (0 to 1).
    pub regions: [(RegionId, f32); 2],
    /// Duration of the longest span that is innermost somewhere in the tile, in nanoseconds, to three digits.
    pub longest_ns: f32,
}

/// The pyramid, open.
#[derive(Debug)]
pub struct TileIndex {
    levels: Vec<TileLevel>,
    tiles: TileTable,
}

impl TileIndex {
    /// Of a store with so many regions.
    pub(crate) fn open(directory: &Path, locations: &LocationTable, regions: u64) -> Result<TileIndex, StoreError> {
        let table = LevelTable::open(directory)?;
        let levels: Vec<TileLevel> = (0..table.len())
            .map(|row| TileLevel {
                locations: table.locations.get(row),
                rows: table.rows.get(row),
                bins: table.bins.get(row),
                bin_ns: table.bin_ns.get(row),
                first: table.first.get(row),
                stride: table.stride.get(row),
            })
            .collect();
        let mut tiles = TileTable::open(directory)?;
        let fits = levels.iter().all(|level| level.fits(locations.len(), tiles.len()));
        require::<LevelRows>(directory, fits)?;
        let named = tiles.first.must_be_below_or_none(regions) && tiles.second.must_be_below_or_none(regions);
        require::<TileRows>(directory, named)?;
        Ok(TileIndex { levels, tiles })
    }

    /// All levels: fewest locations per row first, finest time first among those.
    pub fn levels(&self) -> &[TileLevel] {
        &self.levels
    }

    /// One tile; `None` outside the level.
    pub fn tile(&self, level: &TileLevel, row: u32, bin: u32) -> Option<Tile> {
        let regions = self.regions(level, row, bin..bin + 1).next()?;
        let longest = self.tiles.longest.get(level.place(row, bin));
        Some(Tile { regions, longest_ns: f32::from_bits(u32::from(longest) << 16) })
    }

    /// The two regions of neighbouring tiles of a row with their shares of the area; bins beyond the level are left out.
    pub fn regions(
        &self,
        level: &TileLevel,
        row: u32,
        bins: Range<u32>,
    ) -> impl Iterator<Item = [(RegionId, f32); 2]> + '_ {
        let end = if row < level.rows { bins.end.min(level.bins) } else { 0 };
        let places = level.place(row, bins.start.min(end))..level.place(row, end);
        let region = |number: u16| if number == u16::MAX { RegionId::NONE } else { RegionId(u32::from(number)) };
        let share = |part: u8| f32::from(part) * (1.0 / 255.0);
        let (first, second) = (self.tiles.first.blocks(places.clone()), self.tiles.second.blocks(places.clone()));
        let (first_share, second_share) =
            (self.tiles.first_share.blocks(places.clone()), self.tiles.second_share.blocks(places));
        first.zip(second).zip(first_share.zip(second_share)).flat_map(move |((first, second), (one, two))| {
            let (regions, shares) = (first.into_iter().zip(second), one.into_iter().zip(two));
            regions
                .zip(shares)
                .map(move |((first, second), (one, two))| [(region(first), share(one)), (region(second), share(two))])
        })
    }
}

/// How many times the builder visits every span.
pub(crate) fn passes(context: &IndexContext) -> u64 {
    row_sizes(context).count() as u64
}

/// 1, 4, 16 … locations per row, as long as there are more rows than few.
fn row_sizes(context: &IndexContext) -> impl Iterator<Item = u32> {
    let locations = context.locations.len();
    std::iter::successors(Some(1u32), move |size| {
        (locations.div_ceil(u64::from(*size)) > FEW_ROWS).then(|| size.checked_mul(4)).flatten()
    })
    .filter(move |_| locations > 0)
}

/// log2 of the number of time bins of the finest level whose rows have `size` locations.
fn finest_bins_log2(context: &IndexContext, size: u32) -> u32 {
    let rows = context.locations.len().div_ceil(u64::from(size));
    (context.spans.len() / SPANS_PER_TILE / rows.max(1)).max(1).ilog2().min(MOST_BINS_LOG2)
}

pub(crate) fn build(context: &IndexContext) -> Result<(), StoreError> {
    let mut levels = LevelRows::default();
    let mut tiles = TableWriter::<TileRows>::create(context.directory)?;
    // All widths are the finest one times a power of two, so that bins of all levels nest.
    let finest_ns = (context.end.0.max(0) >> MOST_BINS_LOG2) + 1;
    for size in row_sizes(context) {
        let rows = context.locations.len().div_ceil(u64::from(size)) as u32;
        let finest = finest_bins_log2(context, size);
        let mut halvings: Vec<u32> = vec![finest];
        halvings.extend((0..finest).rev().take_while(|log2| 1 << log2 >= LEAST_BINS));
        let stride = halvings.iter().map(|log2| 1u64 << log2).sum();
        let mut first = tiles.rows();
        for log2 in &halvings {
            levels.locations.push(size);
            levels.rows.push(rows);
            levels.bins.push(1 << log2);
            levels.bin_ns.push(finest_ns << (MOST_BINS_LOG2 - log2));
            levels.first.push(first);
            levels.stride.push(stride);
            first += 1 << log2;
        }
        let row_numbers: Vec<u32> = (0..rows).collect();
        // Enough rows at once to keep the cores busy, few enough to stay small.
        let at_once = (2 * rayon::current_num_threads()).max((1 << 20) / stride as usize);
        for some in row_numbers.chunks(at_once) {
            context.progress.check()?;
            let built: Vec<TileRows> = some
                .par_iter()
                .map(|row| {
                    let locations = row * size..((row + 1).saturating_mul(size)).min(context.locations.len() as u32);
                    build_row(context, locations, &halvings, finest_ns)
                })
                .collect();
            for row in built {
                tiles.append(row)?;
            }
        }
        context.progress.advance(context.spans.len());
    }
    tiles.finish()?;
    write_table(context.directory, levels).map(drop)
}

/// The tiles of one row at all its levels.
fn build_row(context: &IndexContext, locations: Range<u32>, halvings: &[u32], finest_ns: i64) -> TileRows {
    let bins_log2 = halvings[0];
    let bin_ns = finest_ns << (MOST_BINS_LOG2 - bins_log2);
    let mut bins = vec![Shares::default(); 1 << bins_log2];
    for location in locations.clone() {
        // Stretches come in order, so the bin is nearly always the same as before or the next one.
        let (mut bin, mut bin_end) = (0usize, bin_ns);
        let mut stretches = Stretches::new(|stretch: Stretch| {
            let (mut start, end) = (stretch.start.0, stretch.end.0);
            if start >= bin_end {
                bin = (start / bin_ns) as usize;
                bin_end = (bin as i64 + 1) * bin_ns;
            }
            while start < end && bin < bins.len() {
                let until = end.min(bin_end);
                bins[bin].add(stretch.region, until - start, stretch.span_ns);
                start = until;
                if start == bin_end {
                    bin += 1;
                    bin_end += bin_ns;
                }
            }
        });
        stretches.feed_rows(&context.spans, context.spans_of(LocationId(location)), |_| true);
        stretches.finish();
    }
    let mut rows = TileRows::default();
    for log2 in halvings {
        while bins.len() > 1 << log2 {
            for at in 0..bins.len() / 2 {
                bins[at] = bins[2 * at].merged(&bins[2 * at + 1]);
            }
            bins.truncate(bins.len() / 2);
        }
        let area = (finest_ns << (MOST_BINS_LOG2 - log2)) as f64 * locations.len() as f64;
        for bin in &bins {
            bin.write(area, &mut rows);
        }
    }
    rows
}

/// What is known of a tile while adding up. Eight regions are kept, so that one that is second or third
/// everywhere still wins where it should.
#[derive(Clone, Copy, Default)]
struct Shares {
    busiest: Busiest<8>,
    longest: i64,
}

impl Shares {
    #[inline]
    fn add(&mut self, region: RegionId, ns: i64, span_ns: i64) {
        self.longest = self.longest.max(span_ns);
        self.busiest.add(region, ns as f64);
    }

    fn merged(&self, other: &Shares) -> Shares {
        let mut sum = *self;
        sum.longest = sum.longest.max(other.longest);
        for (region, time) in other.busiest.times() {
            sum.busiest.add(region, time);
        }
        sum
    }

    fn write(&self, area: f64, rows: &mut TileRows) {
        let [first, second] = self.busiest.first_two();
        let number = |region: RegionId| region.0.min(u32::from(u16::MAX)) as u16;
        let share = |time: f64| (time / area * 255.0).ceil().clamp(0.0, 255.0) as u8;
        rows.first.push(number(first.0));
        rows.second.push(number(second.0));
        rows.longest.push(((self.longest as f32).to_bits() >> 16) as u16);
        rows.first_share.push(share(first.1));
        rows.second_share.push(share(second.1));
    }
}
