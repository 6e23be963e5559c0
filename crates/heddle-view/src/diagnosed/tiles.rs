//! Waiting and its causes in tiles of some rows by some time: what pictures of a hundred million calls are made of.
//!
//! A tile holds the mean share of waiting of its rows, and the largest rate of any of them: one rank that makes others wait
//! is still there among thousands. There are several levels, of ever more rows and ever shorter bins, each of at most
//! [`CELLS`] tiles of four bytes; a picture takes the level that comes closest to its cells.

use heddle_model::Ns;

/// Tiles of a level, at most.
const CELLS: usize = 1 << 22;
/// Rows of a tile grow by this factor from level to level.
const FACTOR: usize = 8;
/// Levels with fewer rows of tiles, or fewer bins, are of no use.
const LEAST_BLOCKS: usize = 256;
const LEAST_BINS: usize = 128;
/// More bins are finer than any screen.
const MOST_BINS: usize = 1 << 16;

/// How large tiles are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    /// Rows of a tile.
    pub(crate) rows: usize,
    /// Bins of the run.
    pub(crate) bins: usize,
}

/// A share of waiting, and a rate, in 16 bits each.
#[derive(Clone, Copy, Debug, Default)]
struct Tile {
    waiting: u16,
    rate: u16,
}

impl Tile {
    fn new(waiting: f32, rate: f32) -> Tile {
        // The upper half of a float is a float of fewer digits.
        let rate = (rate.to_bits().saturating_add(0x8000) >> 16) as u16;
        Tile { waiting: (waiting.clamp(0.0, 1.0) * f32::from(u16::MAX)) as u16, rate }
    }

    fn values(self) -> (f32, f32) {
        (f32::from(self.waiting) / f32::from(u16::MAX), f32::from_bits(u32::from(self.rate) << 16))
    }
}

/// All levels, finished.
#[derive(Debug)]
pub(crate) struct Tiles {
    run: (Ns, Ns),
    levels: Vec<(Level, Vec<Tile>)>,
}

/// Levels while they are made.
pub(super) struct Made {
    run: (Ns, Ns),
    levels: Vec<Level>,
}

/// The tiles of some neighbouring rows, while they are made.
pub(super) struct Part {
    run: (Ns, Ns),
    levels: Vec<(Level, Vec<Tile>)>,
    /// Of the current row, by level: waiting and cost of each bin, as shares of it.
    row: Vec<(Vec<f32>, Vec<f32>)>,
    /// Of the current tiles, by level: sum of waiting and largest rate.
    open: Vec<(Vec<f32>, Vec<f32>)>,
    done: usize,
    rows: usize,
}

impl Made {
    pub(super) fn new(rows: usize, run: (Ns, Ns)) -> Made {
        let mut levels = Vec::new();
        let mut each = 1;
        loop {
            let blocks = rows.div_ceil(each).max(1);
            if each > 1 && blocks < LEAST_BLOCKS {
                break;
            }
            let bins = (CELLS / blocks).min(MOST_BINS);
            if bins >= LEAST_BINS {
                levels.push(Level { rows: each, bins });
            }
            each *= FACTOR;
        }
        Made { run, levels }
    }

    /// How many rows belong together.
    pub(super) fn rows_at_once(&self) -> usize {
        self.levels.iter().map(|level| level.rows).max().unwrap_or(1)
    }

    pub(super) fn part(&self, rows: usize) -> Part {
        let empty = || self.levels.iter().map(|level| (vec![0.0; level.bins], vec![0.0; level.bins])).collect();
        let levels = self.levels.iter().map(|level| (*level, Vec::new())).collect();
        Part { run: self.run, levels, row: empty(), open: empty(), done: 0, rows }
    }

    pub(super) fn finish(self, parts: Vec<Part>) -> Tiles {
        let mut levels: Vec<(Level, Vec<Tile>)> = self.levels.iter().map(|level| (*level, Vec::new())).collect();
        for part in parts {
            for ((_, all), (_, more)) in levels.iter_mut().zip(part.levels) {
                all.extend(more);
            }
        }
        Tiles { run: self.run, levels }
    }
}

/// Adds a stretch to the bins of a run, as shares of them.
fn spread(run: (Ns, Ns), bins: &mut [f32], from: Ns, to: Ns, weight: f32) {
    let per_ns = bins.len() as f64 / run.1.since(run.0).max(1) as f64;
    let place = |time: Ns| (time.since(run.0) as f64 * per_ns).clamp(0.0, bins.len() as f64);
    let (from, to) = (place(from), place(to));
    let (first, last) = (from as usize, (to as usize).min(bins.len() - 1));
    for (at, bin) in bins.iter_mut().enumerate().take(last + 1).skip(first) {
        let inside = to.min((at + 1) as f64) - from.max(at as f64);
        *bin += inside.max(0.0) as f32 * weight;
    }
}

impl Part {
    pub(super) fn add_cost(&mut self, from: Ns, to: Ns, rate: f32) {
        for (_, cost) in &mut self.row {
            spread(self.run, cost, from, to, rate);
        }
    }

    pub(super) fn add_wait(&mut self, from: Ns, to: Ns) {
        for (waiting, _) in &mut self.row {
            spread(self.run, waiting, from, to, 1.0);
        }
    }

    /// A row is complete.
    pub(super) fn end_row(&mut self) {
        self.done += 1;
        for (((level, tiles), (waiting, cost)), (sum, largest)) in
            self.levels.iter_mut().zip(&mut self.row).zip(&mut self.open)
        {
            let is_last = self.done.is_multiple_of(level.rows) || self.done == self.rows;
            let rows = if self.done.is_multiple_of(level.rows) { level.rows } else { self.done % level.rows };
            for bin in 0..level.bins {
                sum[bin] += std::mem::take(&mut waiting[bin]);
                largest[bin] = largest[bin].max(std::mem::take(&mut cost[bin]));
                if is_last {
                    tiles.push(Tile::new(
                        std::mem::take(&mut sum[bin]) / rows as f32,
                        std::mem::take(&mut largest[bin]),
                    ));
                }
            }
        }
    }
}

impl Tiles {
    /// All levels.
    pub(crate) fn levels(&self) -> impl Iterator<Item = Level> {
        self.levels.iter().map(|(level, _)| *level)
    }

    /// The level whose tiles come closest to a cell of so many rows by so many nanoseconds.
    pub(crate) fn level(&self, rows: f64, column_ns: f64) -> Option<Level> {
        let length = self.run.1.since(self.run.0) as f64;
        let excess = |level: &Level| {
            let (tall, wide) = (level.rows as f64 / rows.max(1.0), length / level.bins as f64 / column_ns.max(1.0));
            (tall.max(wide).max(1.0), 1.0 / (tall * wide))
        };
        let order = |a: &Level, b: &Level| {
            let (a, b) = (excess(a), excess(b));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        };
        self.levels().min_by(order)
    }

    /// Where a stretch of time lies among the bins of a level.
    pub(crate) fn bins(&self, level: Level, from: Ns, to: Ns) -> Bins {
        let per_ns = level.bins as f64 / self.run.1.since(self.run.0).max(1) as f64;
        let place = |time: Ns| (time.since(self.run.0) as f64 * per_ns).clamp(0.0, level.bins as f64);
        let (from, to) = (place(from), place(to));
        let first = (from as usize).min(level.bins - 1);
        Bins { from, to, first, last: (to.ceil() as usize).clamp(first + 1, level.bins) }
    }

    /// A row of tiles.
    pub(crate) fn row(&self, level: Level, block: usize) -> TileRow<'_> {
        let tiles = self.levels.iter().find(|(other, _)| *other == level).map_or(&[][..], |(_, tiles)| tiles);
        TileRow { tiles: tiles.get(block * level.bins..(block + 1) * level.bins).unwrap_or_default() }
    }
}

/// A stretch of time among the bins of a level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bins {
    from: f64,
    to: f64,
    first: usize,
    last: usize,
}

/// The tiles of some rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileRow<'a> {
    tiles: &'a [Tile],
}

impl TileRow<'_> {
    /// Mean waiting and largest rate in a stretch of time.
    #[inline]
    pub(crate) fn between(&self, bins: &Bins) -> (f32, f32) {
        let Some(tiles) = self.tiles.get(bins.first..bins.last) else { return (0.0, 0.0) };
        if let [one] = tiles {
            return one.values();
        }
        let (mut waiting, mut cost, mut whole) = (0.0, 0.0, 0.0);
        for (tile, bin) in tiles.iter().zip(bins.first..) {
            let part = (bins.to.min((bin + 1) as f64) - bins.from.max(bin as f64)).max(1e-6) as f32;
            let (share, rate) = tile.values();
            (waiting, cost, whole) = (waiting + share * part, cost + rate * part, whole + part);
        }
        (waiting / whole, cost / whole)
    }
}
