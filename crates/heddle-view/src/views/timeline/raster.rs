//! The timeline as a grid of cells, each showing what dominates it.
//!
//! A row of the grid is added up from what its locations did. What fills whole columns is kept as changes, what fills
//! parts of a column in the column's cell: however far one zooms in, the work grows with what happened and with the
//! pixels, never with their product.

use rayon::prelude::*;

use heddle_model::{LocationId, Ns, RegionId};
use heddle_store::Store;
use heddle_store::index::{Busiest, TileLevel};

use super::{Count, MOST_VISITED, TimelinePicture};
use crate::lookup::enclosing::spans_in;
use crate::scene::ticks::{duration_text, grouped};
use crate::scene::{ColourId, Raster};

/// Opacity of the faintest cell that holds anything, of a highlighted one, and of one that recedes.
const FAINTEST: f32 = 0.35;
const STRESSED: f32 = 0.5;
const RECEDING: f32 = 0.22;

impl TimelinePicture<'_> {
    /// Cells with what dominates them, from the spans if they are few, else from tiles.
    pub(super) fn raster(&self, count: &Count) -> (Raster, String) {
        let columns = self.plot.width as u32;
        let rows = self.rows.bands(self.plot.height);
        let level = if count.spans > MOST_VISITED { self.level(columns, rows) } else { None };
        let bins = level.map(|level| Bins::new(level, self.time, columns));
        let mut colours = vec![ColourId(0); columns as usize * rows as usize];
        let mut strength = vec![0u8; colours.len()];
        colours
            .par_chunks_mut(columns as usize)
            .zip(strength.par_chunks_mut(columns as usize))
            .enumerate()
            .for_each_init(
                || Row::new(self.time, columns),
                |sums, (row, (colours, strength))| {
                    let locations = self.rows.band(row as u32, rows);
                    match &bins {
                        Some(bins) => sums.add_tiles(self.store, bins, locations),
                        None => locations.iter().for_each(|location| sums.add_spans(self.store, *location)),
                    }
                    sums.take(|at, times| (colours[at], strength[at]) = self.cell_colour(times, locations.len()));
                },
            );
        let each = self.rows.len().div_ceil(rows as usize);
        let mut what = "Cells show the region that is innermost for most of their time".to_owned();
        if each > 1 {
            what = format!(
                "Each row stands for up to {} locations; cells show the region that is innermost for most of their time",
                grouped(each as u64)
            );
        }
        if !self.emphasis.highlighted.is_empty() {
            what.push_str(", or the highlighted one where there is any");
        }
        let how = level.map_or_else(String::new, |level| {
            format!(
                " (from tiles of {} locations by {})",
                grouped(u64::from(level.locations)),
                duration_text(level.bin_ns)
            )
        });
        (Raster { columns, rows, colours, strength }, format!("{what}{how}; {} spans in sight.", count.text()))
    }

    /// The level whose tiles come closest to a cell: the coarsest of those no larger than one, else the one that is
    /// least too large in either direction.
    fn level(&self, columns: u32, rows: u32) -> Option<TileLevel> {
        let column_ns = self.time.1.since(self.time.0) as f64 / f64::from(columns.max(1));
        // Tiles are of neighbours: in another order, those of several locations are of the wrong ones.
        let each = if self.rows.is_arranged() { 1.0 } else { (self.rows.len() as f64 / f64::from(rows)).max(1.0) };
        let excess = |level: &TileLevel| {
            let (tall, wide) = (f64::from(level.locations) / each, level.bin_ns as f64 / column_ns.max(1.0));
            (tall.max(wide).max(1.0), 1.0 / (tall * wide))
        };
        let by_excess = |a: &&TileLevel, b: &&TileLevel| {
            let ((a, a_tiles), (b, b_tiles)) = (excess(a), excess(b));
            a.total_cmp(&b).then(a_tiles.total_cmp(&b_tiles))
        };
        self.store.tiles.levels().iter().min_by(by_excess).copied()
    }

    /// The dominant region of a cell, or the highlighted one; its strength says how much of the cell is used at all,
    /// but is never too faint to see.
    fn cell_colour(&self, times: &[(RegionId, f32)], locations: usize) -> (ColourId, u8) {
        // Sums of shares do not cancel exactly: what is left of them is no time.
        let nothing = (RegionId::NONE, 1e-4);
        let (mut covered, mut first, mut stressed) = (0.0, nothing, nothing);
        for (region, time) in times.iter().copied().filter(|(region, _)| !self.emphasis.hides(*region)) {
            covered += time;
            if time > first.1 {
                first = (region, time);
            }
            if time > stressed.1 && !self.emphasis.fades(region) {
                stressed = (region, time);
            }
        }
        if !first.0.is_some() {
            return (self.colours.compute(), 0);
        }
        let all = locations.max(1) as f32;
        let visible = |time: f32| FAINTEST + (1.0 - FAINTEST) * (time / all).clamp(0.0, 1.0);
        let (region, opacity) = if self.emphasis.highlighted.is_empty() {
            (first.0, visible(covered))
        } else if stressed.0.is_some() {
            (stressed.0, visible(stressed.1).max(STRESSED))
        } else {
            (first.0, visible(covered) * RECEDING)
        };
        (self.colours.region(region), (opacity * 255.0) as u8)
    }
}

/// Regions kept for the parts of a column.
const KEPT: usize = 4;

/// Time in regions over the columns of one row, in columns times locations.
struct Row {
    time: (Ns, Ns),
    columns_a_ns: f64,
    /// What fills a part of a column.
    parts: Vec<Busiest<KEPT>>,
    has_part: Vec<bool>,
    /// What begins (or, negative, ends) to fill whole columns.
    changes: Vec<Change>,
    /// The last change at each column, counted from one; 0 where there is none.
    last_change: Vec<u32>,
}

/// So many more locations are in a region from a column on.
struct Change {
    region: RegionId,
    weight: f32,
    /// The change before it at the same column, as in `last_change`: lists need no sorting.
    before: u32,
}

impl Row {
    fn new(time: (Ns, Ns), columns: u32) -> Row {
        Row {
            time,
            columns_a_ns: f64::from(columns) / time.1.since(time.0).max(1) as f64,
            parts: vec![Busiest::default(); columns as usize],
            has_part: vec![false; columns as usize],
            changes: Vec::new(),
            last_change: vec![0; columns as usize],
        }
    }

    #[inline]
    fn change(&mut self, column: usize, region: RegionId, weight: f32) {
        if let Some(last) = self.last_change.get_mut(column) {
            self.changes.push(Change { region, weight, before: *last });
            *last = self.changes.len() as u32;
        }
    }

    #[inline]
    fn add_part(&mut self, column: usize, region: RegionId, time: f64) {
        self.parts[column].add(region, time);
        self.has_part[column] = true;
    }

    #[inline]
    fn add(&mut self, region: RegionId, start: Ns, end: Ns, weight: f32) {
        let place = |time: Ns| time.since(self.time.0) as f64 * self.columns_a_ns;
        let (from, to) = (place(start).max(0.0), place(end).min(self.parts.len() as f64));
        if to <= from {
            return;
        }
        let (first, last) = (from as usize, to as usize);
        let weight_of = f64::from(weight);
        if first == last {
            self.add_part(first, region, (to - from) * weight_of);
            return;
        }
        self.add_part(first, region, ((first + 1) as f64 - from) * weight_of);
        if to > last as f64 {
            self.add_part(last, region, (to - last as f64) * weight_of);
        }
        if last > first + 1 {
            self.change(first + 1, region, weight);
            self.change(last, region, -weight);
        }
    }

    fn add_spans(&mut self, store: &Store, location: LocationId) {
        let time = self.time;
        spans_in(store, location, time).for_each_stretch(
            store,
            |_| true,
            |stretch| {
                if stretch.end > time.0 {
                    self.add(stretch.region, stretch.start, stretch.end, 1.0);
                }
            },
        );
    }

    fn add_tiles(&mut self, store: &Store, bins: &Bins, locations: &[LocationId]) {
        let level = &bins.level;
        // Each row of tiles once, whatever the order of the locations.
        let mut rows: Vec<u32> = locations.iter().map(|location| location.0 / level.locations).collect();
        if !rows.is_sorted() {
            rows.sort_unstable();
        }
        rows.dedup();
        // A row of tiles taller than this row counts as one that is as tall.
        let weight = locations.len() as f64 / rows.len().max(1) as f64;
        for row in rows {
            let tiles = store.tiles.regions(level, row, bins.first..bins.first + bins.places.len() as u32);
            for (place, regions) in bins.places.iter().zip(tiles) {
                for (region, share) in regions {
                    if share <= 0.0 || !region.is_some() {
                        continue;
                    }
                    let whole = f64::from(share) * weight;
                    match *place {
                        BinPlace::Narrow(column, here, next) => {
                            self.add_part(column as usize, region, whole * here);
                            if next > 0.0 {
                                self.add_part(column as usize + 1, region, whole * next);
                            }
                        }
                        BinPlace::Wide(start, end) => self.add(region, start, end, whole as f32),
                    }
                }
            }
        }
    }

    /// Calls `visit` for every column with the time of its regions, and forgets everything.
    fn take(&mut self, mut visit: impl FnMut(usize, &[(RegionId, f32)])) {
        let mut filling: Vec<(RegionId, f32)> = Vec::new();
        let mut here: Vec<(RegionId, f32)> = Vec::new();
        for column in 0..self.parts.len() {
            let mut at = std::mem::take(&mut self.last_change[column]);
            while let Some(change) = (at as usize).checked_sub(1).and_then(|at| self.changes.get(at)) {
                match filling.iter_mut().find(|(other, _)| *other == change.region) {
                    Some((_, sum)) => *sum += change.weight,
                    None => filling.push((change.region, change.weight)),
                }
                at = change.before;
            }
            if !self.has_part[column] {
                visit(column, &filling);
                continue;
            }
            here.clone_from(&filling);
            for (region, time) in self.parts[column].times() {
                match here.iter_mut().find(|(other, _)| *other == region) {
                    Some((_, sum)) => *sum += time as f32,
                    None => here.push((region, time as f32)),
                }
            }
            visit(column, &here);
            self.parts[column] = Busiest::default();
            self.has_part[column] = false;
        }
        self.changes.clear();
    }
}

/// Where the bins of a level lie on the columns: worked out once for all rows.
struct Bins {
    level: TileLevel,
    first: u32,
    places: Vec<BinPlace>,
}

enum BinPlace {
    /// A column, the part of it that the bin fills, and the part of the next one.
    Narrow(u32, f64, f64),
    /// From when to when.
    Wide(Ns, Ns),
}

impl Bins {
    fn new(level: TileLevel, time: (Ns, Ns), columns: u32) -> Bins {
        let first = (time.0.0 / level.bin_ns).max(0);
        let last = (time.1.0 - 1).max(0) / level.bin_ns;
        let columns_a_ns = f64::from(columns) / time.1.since(time.0).max(1) as f64;
        let place = |bin: i64| {
            let edges = [bin, bin + 1].map(|edge| edge * level.bin_ns);
            let [from, to] = edges.map(|edge| ((edge - time.0.0) as f64 * columns_a_ns).clamp(0.0, f64::from(columns)));
            let column = from as u32;
            let beyond = to - f64::from(column + 1);
            if column >= columns || beyond > 1.0 {
                BinPlace::Wide(Ns(edges[0]), Ns(edges[1]))
            } else {
                let next = if column + 1 < columns { beyond.max(0.0) } else { 0.0 };
                BinPlace::Narrow(column, to - from - beyond.max(0.0), next)
            }
        };
        Bins { level, first: first as u32, places: (first..=last).map(place).collect() }
    }
}
