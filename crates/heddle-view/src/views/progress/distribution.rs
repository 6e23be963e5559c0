//! Which node has which tile of the matrix: the pattern that repeats, if one does, and the whole matrix below it. Tiles are
//! tinted by the groups of the shown step.

use heddle_model::SpanRow;
use heddle_options::OptionSpec;
use heddle_tasks::{Overview, Owner, Period, Progression, Tiles};

use super::labels::text_width;
use super::said;
use super::shown::{Shown, percent};
use super::tints::group_tints;
use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::request::picked::Picked;
use crate::request::selection::{Selection, SelectionKind};
use crate::request::window::RankSet;
use crate::request::{Framing, ViewRequest};
use crate::scene::frame::{frame, whole_area};
use crate::scene::theme::Colours;
use crate::scene::ticks::{count_ticks, counted, duration_text, grouped};
use crate::scene::{Anchor, Axis, ColourId, Label, Layer, LegendEntry, Raster, Rect, RectMark, Scene};
use crate::views::logical::missing;
use crate::views::{AxisKind, Picture, ViewModule};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "distribution",
    about: "Which node has which tile of the matrix that tasks work on",
    axes: (AxisKind::Values, AxisKind::Values),
    options,
    check: None,
    analyses: &[(AnalysisKind::Progress, |_| Some(Urgency::Required))],
    selections: &[SelectionKind::Ranks],
    picture: Picture::Flat { scene, pick },
};

/// Room for headings at the left and above, and at the other sides.
const LEFT: f32 = 36.0;
const TOP: f32 = 24.0;
const REST: f32 = 12.0;
/// Room for the numbers of columns below the matrix.
const BELOW: f32 = 18.0;
/// Room for the formula between pattern and matrix.
const FORMULA: f32 = 26.0;
/// Height of a cell of the pattern: usual, and least, which has room for a number still; and its least width.
const CELL: f32 = 25.0;
const LEAST_CELL: (f32, f32) = (20.0, 15.0);
/// More tiles than this, or smaller ones, are a raster.
const MOST_RECTS: usize = 20_000;
const LEAST_TILE: f32 = 2.0;
const TEXT: f32 = 11.0;
/// Width of a digit.
const DIGIT: f32 = 7.0;

/// How much of a group's colour a node has: chosen, beside a chosen one in the pattern, or in the slow groups where none
/// is chosen; all others. In the pattern, and in the matrix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strength {
    Chosen,
    Beside,
    Other,
}
const IN_PATTERN: [u8; 3] = [120, 87, 33];
const IN_MATRIX: [u8; 3] = [255, 153, 46];
const OF_BARS: [u8; 3] = [255, 255, 140];

fn options() -> Vec<OptionSpec> {
    super::shared_options()
}

/// Where things are.
struct Places {
    area: Rect,
    /// The pattern, if there is one and it has room.
    pattern: Option<Rect>,
    matrix: Rect,
}

impl Places {
    fn new(request: &ViewRequest, tiles: &Tiles, period: Option<&Period>) -> Places {
        let area = whole_area(request);
        let (x, width) = (area.x + LEFT, (area.width - LEFT - REST).max(1.0));
        // Whole pixels: a raster of them must fit.
        let area = Rect {
            x: area.x.round(),
            y: area.y.round(),
            width: area.width.floor().max(1.0),
            height: area.height.floor().max(1.0),
        };
        let pattern = period.and_then(|period| {
            let height = CELL.min(0.5 * area.height / period.rows as f32);
            let cell = (width / period.columns as f32, height);
            let has_room = cell.0 >= LEAST_CELL.0 && cell.1 >= LEAST_CELL.1;
            has_room.then(|| Rect { x, y: area.y + TOP, width, height: height.floor() * period.rows as f32 })
        });
        let top = pattern.map_or(area.y + if period.is_some() { FORMULA } else { REST }, |pattern| {
            pattern.y + pattern.height + FORMULA
        });
        let free = (area.y + area.height - top - BELOW).max(1.0);
        let tile = (width / tiles.columns as f32).min(free / tiles.rows as f32);
        let matrix = Rect {
            x,
            y: top.round(),
            width: (tile * tiles.columns as f32).floor().max(1.0),
            height: (tile * tiles.rows as f32).floor().max(1.0),
        };
        Places { area, pattern, matrix }
    }

    fn cell(of: Rect, (rows, columns): (u32, u32), row: u32, column: u32) -> Rect {
        let (width, height) = (of.width / columns as f32, of.height / rows as f32);
        Rect { x: of.x + column as f32 * width, y: of.y + row as f32 * height, width, height }
    }

    /// The row and column at a place.
    fn at(of: Rect, (rows, columns): (u32, u32), at: (f32, f32)) -> Option<(u32, u32)> {
        let place = |at: f32, from: f32, length: f32, count: u32| {
            (((at - from) / length * count as f32) as u32).min(count.saturating_sub(1))
        };
        of.contains(at).then(|| (place(at.1, of.y, of.height, rows), place(at.0, of.x, of.width, columns)))
    }
}

struct DistributionPicture<'a> {
    request: &'a ViewRequest,
    colours: &'a Colours,
    shown: Shown<'a>,
    tiles: &'a Tiles,
    period: Option<&'a Period>,
    places: Places,
}

/// Where the formula of owners begins, from the left of the picture.
const FORMULA_LEFT: f32 = 10.0;

fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let Some(progression) = &trace.progress else { return missing(trace, request, "distribution") };
    let colours = request.colours(trace.store);
    let title = format!("{} · distribution", trace.store.name());
    let Some(tiles) = tiles(trace) else {
        return said(request, &colours, title, "No task says which tile of a matrix it writes.");
    };
    let picture = DistributionPicture::new(progression, request, &colours, tiles);
    picture.scene(title)
}

/// The tiles that tasks write, if they say so.
fn tiles<'a>(trace: &'a Trace<'_>) -> Option<&'a Tiles> {
    let overview: &Overview = trace.tasks.as_ref()?;
    overview.tiles.as_ref()
}

impl<'a> DistributionPicture<'a> {
    fn new(
        progression: &'a Progression,
        request: &'a ViewRequest,
        colours: &'a Colours,
        tiles: &'a Tiles,
    ) -> DistributionPicture<'a> {
        let period = tiles.period();
        let places = Places::new(request, tiles, period);
        let shown = Shown::of(progression, request);
        DistributionPicture { request, colours, shown, tiles, period, places }
    }

    fn scene(&self, title: String) -> Scene {
        let (matrix, ink) = (self.places.matrix, self.colours.ink());
        let axes = (Axis::default(), Axis::default());
        let mut scene = frame(self.request, self.places.area, title, axes, self.colours, Vec::new());
        scene.legend = self.legend(&mut scene);
        self.draw_matrix(&mut scene);
        self.number_matrix(&mut scene);
        if let (Some(period), Some(pattern)) = (self.period, self.places.pattern) {
            self.draw_pattern(period, pattern, &mut scene);
        }
        if let Some(period) = self.period
            && let Some(formula) = period.formula()
            && let Some(text) = self.fitting(&formula)
        {
            scene.labels.push(Label {
                at: (self.places.area.x + FORMULA_LEFT, matrix.y - 9.0),
                text: text.to_owned(),
                size: TEXT,
                colour: ink.text,
                anchor: Anchor::Start,
            });
        }
        scene.notes = self.notes();
        scene
    }

    /// A formula as far as there is room for it: whole, without what is the same in all, or not at all.
    fn fitting<'b>(&self, formula: &'b str) -> Option<&'b str> {
        let room = self.places.area.width - 2.0 * FORMULA_LEFT;
        let short = formula.strip_prefix("Tile (i, j) on ").unwrap_or(formula);
        [formula, short].into_iter().find(|text| text_width(text, TEXT) <= room)
    }

    /// Numbers of rows and columns of tiles.
    fn number_matrix(&self, scene: &mut Scene) {
        let matrix = self.places.matrix;
        let label = |at: usize| grouped(at as u64);
        let mut text = |at: (f32, f32), text: String, anchor: Anchor| {
            scene.labels.push(Label { at, text, size: TEXT, colour: self.colours.ink().faint, anchor });
        };
        for tick in count_ticks(0..self.tiles.rows as usize, matrix.y, matrix.height, 18.0, label) {
            text((matrix.x - 6.0, tick.at + TEXT * 0.36), tick.label, Anchor::End);
        }
        for tick in count_ticks(0..self.tiles.columns as usize, matrix.x, matrix.width, 36.0, label) {
            text((tick.at, matrix.y + matrix.height + 13.0), tick.label, Anchor::Middle);
        }
    }

    fn chosen(&self) -> Option<&RankSet> {
        match &self.request.emphasis.selected {
            Some(Selection::Ranks(ranks)) => Some(ranks),
            _ => None,
        }
    }

    /// The cell of the pattern that is chosen, if it is just one.
    fn chosen_cell(&self) -> Option<(u32, u32)> {
        let (ranks, period) = (self.chosen()?, self.period?);
        let is_chosen = |node: &Option<u32>| node.is_some_and(|node| ranks.contains(node));
        let mut cells = (0u32..).zip(&period.nodes).filter(|(_, node)| is_chosen(node)).map(|(at, _)| at);
        let (first, next) = (cells.next()?, cells.next());
        next.is_none().then_some((first / period.columns, first % period.columns))
    }

    fn position(&self, node: u32) -> Option<usize> {
        self.shown.progression.nodes.binary_search(&node).ok()
    }

    /// How much a tile or a cell stands out, by its node and its place in the pattern.
    fn strength(&self, node: u32, (row, column): (u32, u32), chosen_cell: Option<(u32, u32)>) -> Strength {
        let is_beside = |cell: (u32, u32)| cell.0 == row || cell.1 == column;
        match self.chosen() {
            Some(ranks) if ranks.contains(node) => Strength::Chosen,
            Some(_) if chosen_cell.is_some_and(is_beside) => Strength::Beside,
            Some(_) => Strength::Other,
            None => {
                // What is behind stands out of those that are not.
                let is_fastest = |at: usize| self.shown.groups() > 1 && self.shown.group(at) + 1 == self.shown.groups();
                if self.position(node).is_some_and(is_fastest) { Strength::Other } else { Strength::Beside }
            }
        }
    }

    /// Colours of groups by strength.
    fn tints(&self, scene: &mut Scene, opacities: [u8; 3]) -> [Vec<ColourId>; 3] {
        opacities.map(|opacity| group_tints(&self.shown, &mut scene.palette, opacity))
    }

    fn tint(&self, tints: &[Vec<ColourId>; 3], node: u32, strength: Strength) -> ColourId {
        let group = self.position(node).map(|at| self.shown.group(at));
        group.map_or(self.colours.compute(), |group| tints[strength as usize][group])
    }

    fn in_pattern(&self, row: u32, column: u32) -> (u32, u32) {
        self.period.map_or((row, column), |period| (row % period.rows, column % period.columns))
    }

    fn draw_matrix(&self, scene: &mut Scene) {
        let (tiles, matrix) = (self.tiles, self.places.matrix);
        let size = (tiles.rows, tiles.columns);
        let tints = self.tints(scene, IN_MATRIX);
        let chosen_cell = self.chosen_cell();
        let colour = |row: u32, column: u32, owner: Owner| {
            let strength = self.strength(owner.node, self.in_pattern(row, column), chosen_cell);
            self.tint(&tints, owner.node, strength)
        };
        let first = Places::cell(matrix, size, 0, 0);
        if tiles.owners.len() <= MOST_RECTS && first.width >= LEAST_TILE && first.height >= LEAST_TILE {
            let gap = if first.width >= 4.0 { 1.0 } else { 0.0 };
            let mut marks = Vec::new();
            for row in 0..tiles.rows {
                for column in 0..tiles.columns {
                    if let Some(owner) = tiles.at(row, column) {
                        let cell = Places::cell(matrix, size, row, column);
                        let rect = Rect { width: cell.width - gap, height: cell.height - gap, ..cell };
                        marks.push(mark(rect, colour(row, column, owner)));
                    }
                }
            }
            scene.layers.push(Layer::Rects(marks));
        } else {
            scene.layers.push(Layer::Raster(self.raster(&colour)));
        }
        if let Some(period) = self.period {
            let last = Places::cell(matrix, size, period.rows - 1, period.columns - 1);
            let one = Rect { width: last.x + last.width - matrix.x, height: last.y + last.height - matrix.y, ..matrix };
            scene.layers.push(Layer::Rects(framed(one, 1.0, self.colours.ink().strong)));
        } else {
            self.name_parts(scene);
        }
    }

    /// A cell for each pixel of the plot. One that stands for several tiles shows the one whose node is farthest behind.
    fn raster(&self, colour: &impl Fn(u32, u32, Owner) -> ColourId) -> Raster {
        let (tiles, matrix, area) = (self.tiles, self.places.matrix, self.places.area);
        let (rows, columns) = (area.height as u32, area.width as u32);
        let mut raster = Raster { columns, rows, colours: Vec::new(), strength: Vec::new() };
        let chosen = self.chosen();
        // The tiles that begin within a pixel, or the one around it.
        let tiles_at = |pixel: u32, from: f32, length: f32, count: u32| {
            let place = |pixel: u32| (pixel as f32 - from) / length * count as f32;
            let (first, end) = (place(pixel), place(pixel + 1));
            let is_inside = end > 0.001 && first < count as f32 - 0.001;
            let first = (first + 0.001).max(0.0) as u32;
            let end = ((end - 0.001).ceil().max(0.0) as u32).min(count);
            if is_inside { first..end.max(first + 1).min(count) } else { 0..0 }
        };
        for row in 0..rows {
            let down = tiles_at(row, matrix.y - area.y, matrix.height, tiles.rows);
            for column in 0..columns {
                let across = tiles_at(column, matrix.x - area.x, matrix.width, tiles.columns);
                let inside = down.clone().flat_map(|row| {
                    across.clone().filter_map(move |column| tiles.at(row, column).map(|owner| (row, column, owner)))
                });
                let first = inside.min_by_key(|(.., owner)| {
                    let is_chosen = chosen.is_some_and(|ranks| ranks.contains(owner.node));
                    (!is_chosen, self.position(owner.node).map_or(usize::MAX, |at| self.shown.group(at)))
                });
                raster.colours.push(first.map_or(ColourId(0), |(row, column, owner)| colour(row, column, owner)));
                raster.strength.push(if first.is_some() { u8::MAX } else { 0 });
            }
        }
        raster
    }

    /// Numbers of nodes on their parts of a matrix without a pattern, where they fit.
    fn name_parts(&self, scene: &mut Scene) {
        let (tiles, matrix) = (self.tiles, self.places.matrix);
        let size = (tiles.rows, tiles.columns);
        let node_at = |row: u32, column: u32| tiles.at(row, column).map(|owner| owner.node);
        let mut named: rustc_hash::FxHashMap<u32, Rect> = rustc_hash::FxHashMap::default();
        for row in 0..tiles.rows {
            let mut column = 0;
            while column < tiles.columns {
                let Some(node) = node_at(row, column) else {
                    column += 1;
                    continue;
                };
                let end = (column..tiles.columns).find(|at| node_at(row, *at) != Some(node)).unwrap_or(tiles.columns);
                let is_whole = |row: &u32| (column..end).all(|at| node_at(*row, at) == Some(node));
                let is_new = row == 0 || node_at(row - 1, column) != Some(node);
                if is_new {
                    let last = (row..tiles.rows).take_while(is_whole).last().unwrap_or(row);
                    let (from, to) =
                        (Places::cell(matrix, size, row, column), Places::cell(matrix, size, last, end - 1));
                    let part = Rect { width: to.x + to.width - from.x, height: to.y + to.height - from.y, ..from };
                    let room = |rect: &Rect| rect.width.min(60.0) * rect.height.min(30.0);
                    let known = named.entry(node).or_insert(part);
                    if room(&part) > room(known) {
                        *known = part;
                    }
                }
                column = end;
            }
        }
        let mut named: Vec<(u32, Rect)> = named.into_iter().collect();
        named.sort_by_key(|(node, _)| *node);
        for (node, rect) in named {
            let text = node.to_string();
            if rect.width >= text.len() as f32 * DIGIT + 4.0 && rect.height >= TEXT + 1.0 {
                let colour = self.number_colour(node);
                scene.labels.push(Label {
                    at: (rect.x + rect.width / 2.0, rect.y + rect.height / 2.0 + TEXT * 0.36),
                    text,
                    size: TEXT,
                    colour,
                    anchor: Anchor::Middle,
                });
            }
        }
    }

    fn number_colour(&self, node: u32) -> ColourId {
        let ink = self.colours.ink();
        if self.chosen().is_none_or(|ranks| ranks.contains(node)) { ink.strong } else { ink.text }
    }

    fn draw_pattern(&self, period: &Period, pattern: Rect, scene: &mut Scene) {
        let size = (period.rows, period.columns);
        let (cells, bars) = (self.tints(scene, IN_PATTERN), self.tints(scene, OF_BARS));
        let ink = self.colours.ink();
        let chosen_cell = self.chosen_cell();
        let mut text = |at: (f32, f32), text: String, colour: ColourId, anchor: Anchor| {
            scene.labels.push(Label { at: (at.0, at.1 + TEXT * 0.36), text, size: TEXT, colour, anchor });
        };
        let cell = |row: u32, column: u32| Places::cell(pattern, size, row, column);
        for column in 0..period.columns {
            let cell = cell(0, column);
            text((cell.x + cell.width / 2.0, pattern.y - 9.0), column.to_string(), ink.faint, Anchor::Middle);
        }
        for row in 0..period.rows {
            let cell = cell(row, 0);
            text((pattern.x - 9.0, cell.y + cell.height / 2.0), row.to_string(), ink.faint, Anchor::End);
        }
        let left = self.places.area.x + 10.0;
        text((left, pattern.y - 9.0), "j".to_owned(), ink.faint, Anchor::Start);
        text((left, pattern.y + pattern.height / 2.0), "i".to_owned(), ink.faint, Anchor::Start);
        for (at, node) in (0..).zip(&period.nodes) {
            let Some(node) = *node else { continue };
            let (row, column) = (at / period.columns, at % period.columns);
            let strength = self.strength(node, (row, column), chosen_cell);
            let cell = cell(row, column);
            let inner = Rect { x: cell.x + 1.0, y: cell.y + 1.0, width: cell.width - 2.0, height: cell.height - 2.0 };
            scene.beside.push(mark(inner, self.tint(&cells, node, strength)));
            if let Some(position) = self.position(node) {
                let done = self.shown.progression.line(position)[self.shown.instant].clamp(0.0, 1.0) as f32;
                let bar = Rect { y: inner.y + inner.height - 3.0, width: inner.width * done, height: 3.0, ..inner };
                scene.beside.push(mark(bar, self.tint(&bars, node, strength)));
            }
            let is_plain = strength == Strength::Other && self.chosen().is_some();
            let middle = (cell.x + cell.width / 2.0, cell.y + cell.height / 2.0 - 1.0);
            text(middle, node.to_string(), if is_plain { ink.text } else { ink.strong }, Anchor::Middle);
        }
        if let Some((row, column)) = chosen_cell {
            let own = cell(row, column);
            let group = self.chosen_group(period, (row, column));
            let colour = group.map_or(self.colours.accent(), |group| {
                scene.palette.push(self.shown.rgba(group));
                ColourId(scene.palette.len() as u16 - 1)
            });
            scene.beside.extend(framed(Rect { y: own.y, height: own.height, ..pattern }, 1.5, colour));
            scene.beside.extend(framed(Rect { x: own.x, width: own.width, ..pattern }, 1.5, colour));
        }
    }

    fn chosen_group(&self, period: &Period, (row, column): (u32, u32)) -> Option<usize> {
        let node = period.nodes[(row * period.columns + column) as usize]?;
        self.position(node).map(|at| self.shown.group(at))
    }

    /// The groups with their nodes and how far they are.
    fn legend(&self, scene: &mut Scene) -> Vec<LegendEntry> {
        if self.request.framing != Framing::Figure {
            return Vec::new();
        }
        let colours = group_tints(&self.shown, &mut scene.palette, u8::MAX);
        let entry = |(cluster, colour): (&heddle_tasks::Cluster, &ColourId)| {
            let nodes: RankSet = cluster.members.iter().map(|at| self.shown.progression.nodes[*at as usize]).collect();
            let text = nodes.to_string();
            LegendEntry {
                colour: *colour,
                name: if text.len() <= 18 { text } else { counted(cluster.members.len() as u64, "node") },
                value: percent(cluster.mean),
            }
        };
        self.shown.clusters(self.shown.instant).iter().zip(&colours).map(entry).collect()
    }

    fn notes(&self) -> Vec<String> {
        let tiles = self.tiles.owners.iter().flatten().count() as u64;
        let mut nodes: Vec<u32> = self.tiles.owners.iter().flatten().map(|owner| owner.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let all = format!("{} on {}", counted(tiles, "tile"), counted(nodes.len() as u64, "node"));
        let how = match self.period {
            Some(period) => format!("{} × {} cyclic: {all}.", period.rows, period.columns),
            None if nodes.len() == 1 => format!("{}, all on node {}.", counted(tiles, "tile"), nodes[0]),
            None => format!("{all}; they follow no pattern that repeats."),
        };
        let since = self.shown.progression.times[self.shown.instant].since(self.shown.progression.span.0);
        let mut notes = vec![how];
        notes.push(format!(
            "Colours: groups of step {}, {}{}.",
            self.shown.instant,
            duration_text(since),
            if self.places.pattern.is_some() {
                "; bars: the share of its work that a node has done by then"
            } else {
                ""
            }
        ));
        match self.tiles.on_several() {
            0 => {}
            1 => notes.push(
                "One tile is written on several nodes; it counts for the one that runs most of its tasks.".to_owned(),
            ),
            many => notes.push(format!(
                "{} tiles are written on several nodes; each counts for the one that runs most of its tasks.",
                grouped(many as u64)
            )),
        }
        notes
    }

    fn picked(&self, owner: Owner, title: String, area: Rect) -> Picked {
        let mut lines = vec![format!("on node {}", owner.node)];
        lines.push(counted(u64::from(owner.tasks), "task"));
        if owner.nodes > 1 {
            lines.push(format!("written on {} nodes", owner.nodes));
        }
        self.picked_node(owner.node, title, lines, area)
    }

    fn picked_node(&self, node: u32, title: String, mut lines: Vec<String>, area: Rect) -> Picked {
        let position = self.position(node);
        if let Some(at) = position {
            let done = self.shown.progression.line(at)[self.shown.instant];
            lines.push(format!("{} of its work done at step {}", percent(done), self.shown.instant));
        }
        let faint = self.colours.palette()[usize::from(self.colours.ink().faint.0)];
        Picked {
            title,
            colour: position.map_or(faint, |at| self.shown.rgba(self.shown.group(at))),
            lines,
            select: Some(Selection::Ranks([node].into_iter().collect())),
            toggles: None,
            sets: None,
            area: Some(area),
        }
    }
}

/// The tile, or the cell of the pattern, at a place.
fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let progression = trace.progress.as_ref()?;
    let colours = request.colours(trace.store);
    let picture = DistributionPicture::new(progression, request, &colours, tiles(trace)?);
    let (tiles, places) = (picture.tiles, &picture.places);
    if let (Some(period), Some(pattern)) = (picture.period, places.pattern) {
        let size = (period.rows, period.columns);
        if let Some((row, column)) = Places::at(pattern, size, at) {
            let node = period.nodes[(row * period.columns + column) as usize]?;
            let area = Places::cell(pattern, size, row, column);
            let lines = vec![format!("row {row}, column {column} of {} × {}", period.rows, period.columns)];
            return Some(picture.picked_node(node, format!("node {node}"), lines, area));
        }
    }
    let size = (tiles.rows, tiles.columns);
    let (row, column) = Places::at(places.matrix, size, at)?;
    let area = Places::cell(places.matrix, size, row, column);
    tiles.at(row, column).map(|owner| picture.picked(owner, format!("tile ({row}, {column})"), area))
}

fn mark(rect: Rect, colour: ColourId) -> RectMark {
    RectMark { rect, colour, span: SpanRow::NONE }
}

/// A frame just inside an area.
fn framed(area: Rect, thick: f32, colour: ColourId) -> Vec<RectMark> {
    let Rect { x, y, width, height } = area;
    let side = |x, y, width, height| mark(Rect { x, y, width, height }, colour);
    vec![
        side(x, y, width, thick),
        side(x, y + height - thick, width, thick),
        side(x, y, thick, height),
        side(x + width - thick, y, thick, height),
    ]
}
