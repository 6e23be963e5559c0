//! The timeline as a grid of cells, each showing what dominates it.

use rayon::prelude::*;

use heddle_model::{LocationId, Ns, RegionId};
use heddle_store::Store;
use heddle_store::index::{Busiest, TileLevel};

use super::{Count, Sight};
use crate::enclosing::spans_in;
use crate::scene::{ColourId, Raster};
use crate::ticks::grouped;

/// Visiting this many spans takes no longer than a glance.
const MOST_VISITED: u64 = 2_000_000;
/// Opacity of the faintest cell that holds anything, and of one that recedes.
const FAINTEST: f64 = 0.35;
const RECEDING: f64 = 0.22;

impl Sight<'_> {
    /// Cells with what dominates them, from tiles where they are fine enough, else from the spans.
    pub(super) fn raster(&self, count: &Count) -> (Raster, String) {
        let columns = self.plot.width as u32;
        let rows = self.raster_rows();
        let level = if count.spans > MOST_VISITED { self.level(columns, rows) } else { None };
        let mut colours = vec![ColourId(0); columns as usize * rows as usize];
        let mut strength = vec![0u8; colours.len()];
        colours
            .par_chunks_mut(columns as usize)
            .zip(strength.par_chunks_mut(columns as usize))
            .enumerate()
            .for_each_init(
                || Row::new(self.time, columns),
                |cells, (row, (colours, strength))| {
                    let locations = self.locations_of(row as u32, rows);
                    cells.clear();
                    match &level {
                        Some(level) => cells.add_tiles(self.store, level, locations),
                        None => locations.iter().for_each(|location| cells.add_spans(self.store, *location)),
                    }
                    for (at, cell) in cells.cells.iter().enumerate() {
                        (colours[at], strength[at]) = self.cell_colour(cell, locations.len());
                    }
                },
            );
        let each = self.locations.len().div_ceil(rows as usize);
        let mut what = "Cells show the region that is innermost for most of their time".to_owned();
        if each > 1 {
            let each = grouped(each as u64);
            what = format!(
                "Each row stands for up to {each} locations; cells show the region that is innermost for most of their time"
            );
        }
        if !self.emphasis.highlighted.is_empty() {
            what.push_str(", or the highlighted one where there is any");
        }
        let how = if level.is_some() { " (from tiles)" } else { "" };
        (Raster { columns, rows, colours, strength }, format!("{what}{how}; {} spans in sight.", count.text()))
    }

    /// Rows of the raster: one for each location, or for each pixel.
    pub(super) fn raster_rows(&self) -> u32 {
        (self.locations.len() as u32).min(self.plot.height as u32).max(1)
    }

    /// The locations that a row of the raster stands for.
    pub(super) fn locations_of(&self, row: u32, rows: u32) -> &[LocationId] {
        let first_of = |row: u32| (u64::from(row) * self.locations.len() as u64 / u64::from(rows)) as usize;
        let first = first_of(row).min(self.locations.len());
        &self.locations[first..first_of(row + 1).max(first + 1).min(self.locations.len())]
    }

    /// The coarsest level that still has a bin a column and a row of tiles a row.
    fn level(&self, columns: u32, rows: u32) -> Option<TileLevel> {
        let column_ns = self.time.1.since(self.time.0) / i64::from(columns.max(1));
        let each = (self.locations.len() as u32 / rows).max(1);
        let fits = |level: &&TileLevel| level.bin_ns <= column_ns.max(1) && level.locations <= each;
        self.store.tiles.levels().iter().filter(fits).max_by_key(|level| (level.locations, level.bin_ns)).copied()
    }

    /// The dominant region of a cell, or the highlighted one; its strength says how much of the cell is used at all,
    /// but is never too faint to see.
    fn cell_colour(&self, cell: &Cell, locations: usize) -> (ColourId, u8) {
        let (mut covered, mut first, mut stressed) = (0.0, (RegionId::NONE, 0.0), (RegionId::NONE, 0.0));
        for (region, time) in cell.times().filter(|(region, _)| !self.emphasis.hides(*region)) {
            covered += time;
            if time > first.1 {
                first = (region, time);
            }
            if !self.emphasis.fades(region) && time > stressed.1 {
                stressed = (region, time);
            }
        }
        if !first.0.is_some() {
            return (self.colours.compute(), 0);
        }
        let all = locations.max(1) as f64;
        let visible = |time: f64| FAINTEST + (1.0 - FAINTEST) * (time / all).clamp(0.0, 1.0);
        let (region, opacity) = if self.emphasis.highlighted.is_empty() {
            (first.0, visible(covered))
        } else if stressed.0.is_some() {
            (stressed.0, visible(stressed.1).max(0.5))
        } else {
            (first.0, visible(covered) * RECEDING)
        };
        (self.colours.region(region), (opacity * 255.0) as u8)
    }
}

/// Regions kept for a cell of which one is shown.
type Cell = Busiest<6>;

/// Time in regions, for the columns of one row.
struct Row {
    time: (Ns, Ns),
    cells: Vec<Cell>,
    column_ns: f64,
}

impl Row {
    fn new(time: (Ns, Ns), columns: u32) -> Row {
        let column_ns = time.1.since(time.0) as f64 / f64::from(columns.max(1));
        Row { time, cells: vec![Cell::default(); columns as usize], column_ns }
    }

    fn clear(&mut self) {
        self.cells.fill(Cell::default());
    }

    fn add(&mut self, region: RegionId, start: Ns, end: Ns, weight: f64) {
        let from = start.max(self.time.0).since(self.time.0) as f64 / self.column_ns;
        let to = end.min(self.time.1).since(self.time.0) as f64 / self.column_ns;
        let last = self.cells.len().min(to.ceil() as usize);
        for column in from as usize..last {
            let inside = to.min(column as f64 + 1.0) - from.max(column as f64);
            if inside > 0.0 {
                self.cells[column].add(region, inside * weight);
            }
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

    fn add_tiles(&mut self, store: &Store, level: &TileLevel, locations: &[LocationId]) {
        let (Some(first), Some(last)) = (locations.first(), locations.last()) else { return };
        let bins = (self.time.0.0 / level.bin_ns).max(0)..=(self.time.1.0 / level.bin_ns);
        for row in first.0 / level.locations..=last.0 / level.locations {
            for bin in bins.clone() {
                let Some(tile) = store.tiles.tile(level, row, bin as u32) else { continue };
                let (start, end) = (Ns(bin * level.bin_ns), Ns((bin + 1) * level.bin_ns));
                for (region, share) in
                    tile.regions.into_iter().filter(|(region, share)| region.is_some() && *share > 0.0)
                {
                    self.add(region, start, end, f64::from(share) * f64::from(level.locations));
                }
            }
        }
    }
}
