//! Timeline: locations over time, coloured by what they do.
//!
//! Three ways of drawing, by how much room there is:
//! * few spans in sight: every span a rectangle, calls nested inside their callers, messages as lines;
//! * more spans than can be told apart: a raster whose cells show the region that is innermost for most of
//!   the cell's time;
//! * more locations than pixel rows: the same, each row standing for several locations.
//!
//! Whatever is summarised, spans of rare regions are drawn on top one by one, at least a pixel each.

use rayon::prelude::*;

use heddle_model::{LocationId, Ns, RegionId, SpanRow};
use heddle_store::Store;
use heddle_store::index::{Busiest, TileLevel};

use crate::enclosing::spans_in;
use crate::frame::{frame, plot_area};
use crate::scene::{ColourId, Layer, LegendEntry, Raster, Rect, RectMark, Scene, SegmentMark, Size};
use crate::theme::{Colours, Theme, regions_by_time};
use crate::ticks::{count_ticks, grouped};
use crate::window::Window;

/// Up to so many spans are drawn one by one.
const MOST_RECTS: u64 = 50_000;
/// Up to so many messages are drawn as lines.
const MOST_LINES: usize = 4_000;
/// Visiting this many spans takes no longer than a glance.
const MOST_VISITED: u64 = 4_000_000;
/// Lower rows are only filled, not nested.
const NESTING_HEIGHT: f32 = 9.0;
/// A rare span around so many others (`main`, a phase) is not drawn on top of them.
const MANY_CALLS: u64 = 64;
/// Legend entries beyond this say nothing new.
const MOST_ENTRIES: usize = 16;

/// The picture.
pub fn timeline(store: &Store, window: &Window, theme: Theme, size: Size) -> Scene {
    let colours = Colours::of(store, theme);
    let plot = plot_area(size, 2, true);
    let view = View { store, colours: &colours, time: window.time(store), locations: window.locations(store), plot };
    let spans = view.spans_in_sight();
    let rows_are_single = view.locations.len() as f32 * 2.0 <= plot.height;
    // Spans thinner than a pixel are drawn a pixel wide: where many of them share a pixel the last one would
    // hide what takes the time.
    let cells = view.locations.len() as u64 * plot.width as u64;
    let spans_are_sparse = spans <= MOST_RECTS.min(cells / 3);
    let mut layers = vec![Layer::Rects(vec![RectMark { rect: plot, colour: colours.compute(), span: SpanRow::NONE }])];
    let mut notes = Vec::new();
    if rows_are_single && spans_are_sparse {
        layers.push(Layer::Rects(view.rects()));
        let locations = grouped(view.locations.len() as u64);
        notes.push(format!("{} spans of {locations} locations, each drawn.", grouped(spans)));
        match view.messages() {
            Some(lines) if lines.is_empty() => {}
            Some(lines) => layers.push(Layer::Segments(lines)),
            None => {
                notes.push("Message lines are left out: there are too many, or rows are too low for them.".to_owned());
            }
        }
    } else {
        let (raster, note) = view.raster(spans);
        layers.push(Layer::Raster(raster));
        notes.push(note);
        let rare = view.rare();
        if !rare.is_empty() {
            notes.push(format!(
                "{} spans of rare regions are drawn on top, at least a pixel wide each.",
                grouped(rare.len() as u64)
            ));
            layers.push(Layer::Rects(rare));
        }
    }
    let title = format!("{} · timeline", store.name());
    let mut scene = frame(size, plot, title, view.time, &colours, view.legend(), notes);
    scene.y_axis.ticks = count_ticks(view.locations.len(), plot.y, plot.height, 16.0, |row| view.row_name(row));
    let has_ranks = store.locations.rank.iter(0..1).any(heddle_model::Rank::is_some);
    scene.y_axis.title = String::from(if has_ranks { "rank" } else { "location" });
    scene.layers = layers;
    scene
}

struct View<'a> {
    store: &'a Store,
    colours: &'a Colours,
    time: (Ns, Ns),
    locations: Vec<LocationId>,
    plot: Rect,
}

impl View<'_> {
    fn row_name(&self, row: usize) -> String {
        let at = u64::from(self.locations[row].0);
        let rank = self.store.locations.rank.get(at);
        if rank.is_some() { grouped(u64::from(rank.0)) } else { grouped(at) }
    }

    /// Regions with most time of their own in the whole trace: colours stay the same while zooming.
    fn legend(&self) -> Vec<LegendEntry> {
        let regions = &self.store.regions;
        let order = regions_by_time(self.store);
        let all: i64 = order.iter().map(|region| regions.exclusive.get(*region)).sum::<i64>().max(1);
        order
            .into_iter()
            .filter(|region| regions.exclusive.get(*region) > 0)
            .take(MOST_ENTRIES)
            .map(|region| LegendEntry {
                colour: self.colours.region(RegionId(region as u32)),
                name: regions.name.get(region).to_owned(),
                value: format!("{:.1} %", 100.0 * regions.exclusive.get(region) as f64 / all as f64),
            })
            .collect()
    }

    fn spans_in_sight(&self) -> u64 {
        self.locations.par_iter().map(|location| spans_in(self.store, *location, self.time).len()).sum()
    }

    fn x(&self, time: Ns) -> f32 {
        let part = time.since(self.time.0) as f64 / self.time.1.since(self.time.0) as f64;
        self.plot.x + (part.clamp(0.0, 1.0) * f64::from(self.plot.width)) as f32
    }

    fn row_height(&self) -> f32 {
        self.plot.height / self.locations.len().max(1) as f32
    }

    /// Every span in sight; calls lie inside their callers.
    fn rects(&self) -> Vec<RectMark> {
        let height = self.row_height();
        let gap = if height >= 6.0 { 1.0 } else { 0.0 };
        let spans = &self.store.spans;
        self.locations
            .par_iter()
            .enumerate()
            .flat_map_iter(|(row, location)| {
                let top = self.plot.y + row as f32 * height;
                spans_in(self.store, *location, self.time)
                    .rows()
                    .map(|span| {
                        let (from, to) = (self.x(spans.start.get(span)), self.x(spans.end.get(span)));
                        let depth = f32::from(spans.depth.get(span));
                        // Each level of calls is inset from above, so that callers stay visible as a rim.
                        let inset = if height >= NESTING_HEIGHT { (depth * 2.5).min(height * 0.6) } else { 0.0 };
                        RectMark {
                            rect: Rect {
                                x: from,
                                y: top + inset,
                                width: (to - from).max(0.5),
                                height: (height - gap - inset).max(1.0),
                            },
                            colour: self.colours.region(spans.region.get(span)),
                            span: SpanRow(span),
                        }
                    })
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    /// Lines of the messages between locations in sight; `None` if they are too many, or rows too low, to tell
    /// them apart.
    fn messages(&self) -> Option<Vec<SegmentMark>> {
        let messages = &self.store.messages;
        if self.row_height() < 5.0 && !messages.is_empty() {
            return None;
        }
        let height = self.row_height();
        let middle = |location: LocationId| {
            let row = self.locations.binary_search(&location).ok()?;
            Some(self.plot.y + (row as f32 + 0.5) * height)
        };
        let mut lines = Vec::new();
        for location in &self.locations {
            let first = messages.send_location.partition_point(0..messages.len(), |sender| sender < *location);
            let last = messages.send_location.partition_point(first..messages.len(), |sender| sender <= *location);
            for row in first..last {
                let (send, recv) = (messages.send.get(row), messages.recv.get(row));
                if send.max(recv) < self.time.0 || send.min(recv) > self.time.1 {
                    continue;
                }
                let ends = (middle(messages.send_location.get(row)), middle(messages.recv_location.get(row)));
                let (Some(from), Some(to)) = ends else { continue };
                if lines.len() >= MOST_LINES {
                    return None;
                }
                lines.push(SegmentMark {
                    from: (self.x(send), from),
                    to: (self.x(recv), to),
                    width: 1.0,
                    colour: self.colours.message(),
                });
            }
        }
        Some(lines)
    }

    /// Cells with what dominates them, from tiles where they are fine enough, else from the spans.
    fn raster(&self, spans: u64) -> (Raster, String) {
        let columns = self.plot.width as u32;
        let rows = (self.locations.len() as u32).min(self.plot.height as u32).max(1);
        let level = if spans > MOST_VISITED { self.level(columns, rows) } else { None };
        let cells: Vec<Vec<(ColourId, u8)>> = (0..rows)
            .into_par_iter()
            .map_init(
                || Row::new(self.time, columns),
                |cells, row| {
                    let (first, last) = (self.first_of(row, rows), self.first_of(row + 1, rows));
                    let locations = &self.locations[first..last.max(first + 1).min(self.locations.len())];
                    cells.clear();
                    match &level {
                        Some(level) => cells.add_tiles(self.store, level, locations),
                        None => locations.iter().for_each(|location| cells.add_spans(self.store, *location)),
                    }
                    cells.colours(self.colours, locations.len()).collect()
                },
            )
            .collect();
        let cells = cells.concat();
        let each = self.locations.len().div_ceil(rows as usize);
        let what = if each > 1 {
            format!(
                "Each row stands for up to {} locations; cells show the region that is innermost for most of their time",
                grouped(each as u64)
            )
        } else {
            "Cells show the region that is innermost for most of their time".to_owned()
        };
        let how = if level.is_some() { " (from tiles)" } else { "" };
        let raster = Raster {
            columns,
            rows,
            colours: cells.iter().map(|(colour, _)| *colour).collect(),
            strength: cells.iter().map(|(_, strength)| *strength).collect(),
        };
        (raster, format!("{what}{how}; {} spans in sight.", grouped(spans)))
    }

    fn first_of(&self, row: u32, rows: u32) -> usize {
        (u64::from(row) * self.locations.len() as u64 / u64::from(rows)) as usize
    }

    /// The coarsest level that still has a bin a column and a row of tiles a row.
    fn level(&self, columns: u32, rows: u32) -> Option<TileLevel> {
        let column_ns = self.time.1.since(self.time.0) / i64::from(columns.max(1));
        let each = (self.locations.len() as u32 / rows).max(1);
        let fits = |level: &&TileLevel| level.bin_ns <= column_ns.max(1) && level.locations <= each;
        self.store.tiles.levels().iter().filter(fits).max_by_key(|level| (level.locations, level.bin_ns)).copied()
    }

    /// Whether many calls are made inside a span: then they are what happened, and it is only where.
    fn encloses_many(&self, span: SpanRow, location: LocationId) -> bool {
        let depths = &self.store.spans.depth;
        let last = span.0 + MANY_CALLS;
        last < self.store.spans_of(location).end
            && depths.iter(span.0 + 1..last + 1).all(|depth| depth > depths.get(span.0))
    }

    /// Spans of rare regions in sight.
    fn rare(&self) -> Vec<RectMark> {
        let (spans, rows) = (&self.store.spans, self.locations.len().max(1));
        let height = self.row_height();
        self.store
            .rare
            .spans()
            .filter_map(|(region, span, location)| {
                let row = self.locations.binary_search(&location).ok()?;
                let (start, end) = (spans.start.get(span.0), spans.end.get(span.0));
                let in_sight = end >= self.time.0 && start <= self.time.1;
                (in_sight && !self.encloses_many(span, location)).then(|| {
                    let (from, to) = (self.x(start), self.x(end));
                    let top = self.plot.y + row as f32 * self.plot.height / rows as f32;
                    RectMark {
                        rect: Rect { x: from, y: top, width: (to - from).max(1.0), height: height.max(1.0) },
                        colour: self.colours.region(region),
                        span,
                    }
                })
            })
            .collect()
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

    /// The dominant region of each column; its share of the time is its strength, but never too faint to see.
    fn colours<'a>(&'a self, colours: &'a Colours, locations: usize) -> impl Iterator<Item = (ColourId, u8)> + 'a {
        const FAINTEST: f64 = 0.35;
        self.cells.iter().map(move |cell| {
            let [(region, time), _] = cell.first_two();
            if !region.is_some() {
                return (colours.compute(), 0);
            }
            let share = (time / locations.max(1) as f64).clamp(0.0, 1.0);
            (colours.region(region), ((FAINTEST + (1.0 - FAINTEST) * share) * 255.0) as u8)
        })
    }
}
