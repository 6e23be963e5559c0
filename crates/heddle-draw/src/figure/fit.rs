//! Room around the plot of a figure: as much as its text takes, and no more.
//!
//! A view lays a figure out for a screen, with the same margins whatever is in them. Here its scene is measured, asked for again
//! at a size that leaves the plot what the text does not need, and moved to where it belongs. So every view fits onto a column of
//! a paper, and none knows of papers.

use heddle_view::{Anchor, Axis, Label, Layer, LegendEntry, Rect, RectMark, Scene, Size};

use super::FigureOptions;
use super::fine::refined;
use crate::furniture::{self, Text};
use crate::marks::Area;
use crate::sheet::Type;
use crate::text::{self, Weight};

/// Narrower figures have their legend below the plot, in pixels.
const BESIDE_FROM: f32 = 560.0;
/// The widest legend beside the plot.
const WIDEST_LEGEND: f32 = 190.0;
/// At most this share of a figure's height is legend, if that is below; and at most so many lines are notes.
const LEGEND_SHARE: f32 = 0.3;
const MOST_NOTES: usize = 3;
/// At most this share of the width is for labels of the vertical axis.
const LABELS_SHARE: f32 = 0.4;
/// What views leave free for legend, title and notes, roughly: the first guess.
const GUESS: (f32, f32) = (230.0, 90.0);
/// From the plot to the baseline of the labels below it, and of the axis' title.
const LABELS: f32 = 16.0;
const AXIS_TITLE: f32 = 31.0;
/// Below a baseline, for the feet of letters.
const FEET: f32 = 4.0;

/// Room around a plot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Room {
    left: f32,
    top: f32,
    right: f32,
    bottom: f32,
}

impl Room {
    /// What a scene has.
    pub(super) fn of(scene: &Scene) -> Room {
        let (plot, Size { width, height }) = (scene.plot, scene.size);
        let (right, bottom) = (width as f32 - plot.x - plot.width, height as f32 - plot.y - plot.height);
        Room { left: plot.x, top: plot.y, right, bottom }
    }

    /// Enough for both.
    fn and(self, other: Room) -> Room {
        Room {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    /// The size of a picture with a plot of so many pixels.
    pub(super) fn around(&self, (width, height): (f32, f32)) -> Size {
        let whole = |length: f32| length.round().max(1.0) as u32;
        Size { width: whole(self.left + width + self.right), height: whole(self.top + height + self.bottom) }
    }
}

/// The figure of this size, made of scenes of other sizes; with finer rasters if it is printed.
pub(super) fn fitted(
    size: Size,
    options: &FigureOptions,
    sizes: &Type,
    is_printed: bool,
    make: &mut dyn FnMut(Size) -> Scene,
) -> Scene {
    let (width, height) = (size.width as f32, size.height as f32);
    let fit = Fit { width, height, options, sizes };
    let mut scene = make(Size { width: (width + GUESS.0) as u32, height: (height + GUESS.1) as u32 });
    let mut room = fit.needs(&scene);
    // Labels may be wider at another size: then once more.
    for _ in 0..4 {
        let plot = ((width - room.left - room.right).max(1.0), (height - room.top - room.bottom).max(1.0));
        scene = make(Room::of(&scene).around(plot));
        let both = room.and(fit.needs(&scene));
        if both == room {
            break;
        }
        room = both;
    }
    let scene = if is_printed { refined(scene, make) } else { scene };
    fit.placed(scene, size, room)
}

struct Fit<'a> {
    width: f32,
    height: f32,
    options: &'a FigureOptions,
    sizes: &'a Type,
}

/// What a view put beside its legend: a line of its key, with what it says.
struct KeyRow {
    label: Label,
    pieces: Vec<RectMark>,
}

impl Fit<'_> {
    fn is_below(&self) -> bool {
        self.width < BESIDE_FROM
    }

    /// Room that a scene's text takes, in whole pixels.
    fn needs(&self, scene: &Scene) -> Room {
        let (plot, edge, sizes) = (Area::of(&scene.plot), self.sizes.edge, self.sizes);
        let around = outside(scene, sizes);
        let labels = scene.y_axis.ticks.iter().map(|tick| width(&tick.label, sizes.small) + sizes.beside_plot + 2.0);
        let left = labels.fold(edge.max(plot.left - around.left + edge), f32::max).min(self.width * LABELS_SHARE);
        let has_title = self.options.title && !scene.title.is_empty();
        let line = if has_title { sizes.title } else { sizes.small };
        let top = if has_title || !scene.y_axis.title.is_empty() {
            line + sizes.below_title
        } else if scene.y_axis.ticks.is_empty() {
            edge
        } else {
            // Half a label may stand above the plot.
            sizes.small / 2.0
        };
        let mut right = edge.max(around.right - plot.right + edge);
        // A label below the right end of the plot.
        if let Some(last) = scene.x_axis.ticks.iter().rfind(|tick| tick.at <= plot.right + 0.5) {
            right =
                right.max(last.at + width(&last.label, sizes.small) / 2.0 - plot.right + edge).min(self.width / 4.0);
        }
        let mut bottom = self.below_plot(scene).max(around.bottom - plot.bottom + edge);
        if self.options.legend && self.is_below() {
            bottom += lines_of(&self.legend_places(scene)).min(self.most_lines()) as f32 * sizes.legend_row;
        } else if self.options.legend && has_legend(scene) {
            let legend = scene.legend_area.x - plot.right;
            right = right.max(legend + self.legend_width(scene) + edge);
        }
        if self.options.notes {
            bottom += self.notes(scene).len() as f32 * sizes.note_row;
        }
        let top = top.max(plot.top - around.top + edge);
        Room { left: left.ceil(), top: top.ceil(), right: right.ceil(), bottom: bottom.ceil() }
    }

    /// From the plot to below the axis.
    fn below_plot(&self, scene: &Scene) -> f32 {
        match &scene.x_axis {
            axis if !axis.title.is_empty() => AXIS_TITLE + FEET,
            axis if *axis == Axis::default() => self.sizes.edge,
            axis if axis.ticks.is_empty() => FEET,
            _ => LABELS + FEET,
        }
    }

    fn legend_width(&self, scene: &Scene) -> f32 {
        let (size, beside) = (self.sizes.legend, self.sizes.swatch + 6.0);
        let entry = |entry: &LegendEntry| {
            let value = if entry.value.is_empty() { 0.0 } else { width(&entry.value, size) + 8.0 };
            beside + width(&entry.name, size) + value
        };
        let bar = scene.colour_bar.iter().map(|bar| width(&bar.title, size).max(120.0));
        let rows = key_rows(scene);
        let key = rows.iter().map(|row| self.key_width(scene, row));
        scene.legend.iter().map(entry).chain(bar).chain(key).fold(0.0, f32::max).min(WIDEST_LEGEND)
    }

    /// Notes in lines of the figure's width.
    fn notes(&self, scene: &Scene) -> Vec<String> {
        let room = self.width - 2.0 * self.sizes.edge;
        let mut lines: Vec<String> =
            scene.notes.iter().flat_map(|note| wrapped(note, self.sizes.small, room)).collect();
        if lines.len() > MOST_NOTES {
            lines.truncate(MOST_NOTES);
            if let Some(last) = lines.last_mut() {
                *last = text::fit(&format!("{last} …"), self.sizes.small, Weight::Regular, room);
            }
        }
        lines
    }

    fn legend_room(&self) -> f32 {
        self.width - 2.0 * self.sizes.edge
    }

    fn most_lines(&self) -> usize {
        ((self.height * LEGEND_SHARE / self.sizes.legend_row) as usize).max(1)
    }

    /// Where everything of the legend is below the plot: the scale of colours, the entries, the key.
    fn legend_places(&self, scene: &Scene) -> Vec<(usize, f32)> {
        let mut widths = furniture::widths(scene, self.sizes);
        widths.extend(key_rows(scene).iter().map(|row| self.key_width(scene, row)));
        furniture::lines_below(&widths, self.legend_room())
    }

    fn key_width(&self, scene: &Scene, row: &KeyRow) -> f32 {
        row.label.at.0 - scene.legend_area.x + width(&row.label.text, self.sizes.legend)
    }

    /// The scene on a figure of its size, with this room around the plot.
    fn placed(&self, mut scene: Scene, size: Size, room: Room) -> Scene {
        let before = Room::of(&scene);
        shift(&mut scene, (room.left - before.left, room.top - before.top));
        scene.size = size;
        if !self.options.title {
            scene.title.clear();
        }
        scene.notes = if self.options.notes { self.notes(&scene) } else { Vec::new() };
        if !self.options.legend {
            take_key(&mut scene);
            scene.legend.clear();
            scene.colour_bar = None;
        } else if self.is_below() {
            self.legend_below(&mut scene);
        } else {
            scene.legend_area.width = (self.width - self.sizes.edge - scene.legend_area.x).max(0.0);
        }
        scene
    }

    /// Moves the legend, and the key beside it, below the plot and above the notes.
    fn legend_below(&self, scene: &mut Scene) {
        let (sizes, most) = (self.sizes, self.most_lines());
        let places = self.legend_places(scene);
        let (old_left, key) = (scene.legend_area.x, take_key(scene));
        let own = places.len() - key.len();
        let shown = places.iter().take_while(|(line, _)| *line < most).count();
        let height = lines_of(&places).min(most) as f32 * sizes.legend_row;
        let y = self.height - sizes.edge - scene.notes.len() as f32 * sizes.note_row - height;
        scene.legend_area = Rect { x: sizes.edge, y, width: self.legend_room(), height };
        self.cut_legend(scene, shown);
        for (mut row, (line, x)) in key.into_iter().zip(&places[own..]).take(shown.saturating_sub(own)) {
            let middle = y + (*line as f32 + 0.5) * sizes.legend_row;
            row.shift((sizes.edge + x - old_left, middle - row.middle()));
            row.add_to(scene);
        }
    }

    /// Only so many things of the legend; the last place says how many more there are.
    fn cut_legend(&self, scene: &mut Scene, shown: usize) {
        let bars = usize::from(scene.colour_bar.is_some());
        let (all, mut fits) = (scene.legend.len(), shown.saturating_sub(bars));
        if fits >= all {
            return;
        }
        let more = |left: usize| LegendEntry {
            colour: scene.background,
            name: format!("… and {} more", all - left),
            value: String::new(),
        };
        // The words take the place of as many entries as they are wide.
        loop {
            let mut entries: Vec<LegendEntry> = scene.legend.iter().take(fits).cloned().collect();
            entries.push(more(fits));
            let bar = furniture::widths(scene, self.sizes).into_iter().take(bars);
            let widths: Vec<f32> =
                bar.chain(entries.iter().map(|entry| furniture::entry_width(entry, self.sizes))).collect();
            let places = furniture::lines_below(&widths, self.legend_room());
            if fits == 0 || places.last().is_none_or(|(line, _)| *line < self.most_lines()) {
                scene.legend = entries;
                return;
            }
            fits -= 1;
        }
    }
}

fn width(says: &str, size: f32) -> f32 {
    text::width(&text::clean(says), size, Weight::Regular)
}

/// How many lines things at these places take.
fn lines_of(places: &[(usize, f32)]) -> usize {
    places.last().map_or(0, |(line, _)| line + 1)
}

fn has_legend(scene: &Scene) -> bool {
    !scene.legend.is_empty() || scene.colour_bar.is_some() || !key_rows(scene).is_empty()
}

/// What labels and marks beside the plot cover together with it, without those of the legend.
fn outside(scene: &Scene, sizes: &Type) -> Area {
    let plot = Area::of(&scene.plot);
    let mut all = plot;
    let mut add = |area: Area| {
        all = Area {
            left: all.left.min(area.left),
            top: all.top.min(area.top),
            right: all.right.max(area.right),
            bottom: all.bottom.max(area.bottom),
        };
    };
    let picture = Area::new(0.0, 0.0, scene.size.width as f32, scene.size.height as f32);
    let is_seen = |area: &Area| area.meets(&picture);
    let is_key = |x: f32| is_in_legend(scene, x);
    scene
        .beside
        .iter()
        .filter(|mark| !is_key(mark.rect.x))
        .map(|mark| Area::of(&mark.rect))
        .filter(is_seen)
        .for_each(&mut add);
    for label in scene.labels.iter().filter(|label| !is_key(label.at.0)) {
        let size = text::sound_size(label.size).min(sizes.largest);
        let (at, colour, anchor, weight) = (label.at, label.colour, label.anchor, Weight::Regular);
        let area = Text { at, says: text::clean(&label.text), size, weight, colour, anchor }.area();
        // Over the plot it is kept inside of the figure anyway.
        let is_over = label.at.0 >= plot.left
            && label.at.0 <= plot.right
            && label.at.1 >= plot.top
            && label.at.1 <= plot.bottom + FEET;
        if is_seen(&area) && !is_over {
            add(area);
        }
    }
    all
}

fn is_in_legend(scene: &Scene, x: f32) -> bool {
    let area = scene.legend_area;
    area.x >= scene.plot.x + scene.plot.width && x >= area.x - 0.5
}

/// The lines of the key that a view put beside its legend.
fn key_rows(scene: &Scene) -> Vec<KeyRow> {
    let labels = scene.labels.iter().filter(|label| is_in_legend(scene, label.at.0) && label.anchor == Anchor::Start);
    let row = |label: &Label| {
        let middle = label.at.1 - label.size * 0.36;
        let is_here = |mark: &&RectMark| {
            is_in_legend(scene, mark.rect.x) && (mark.rect.y + mark.rect.height / 2.0 - middle).abs() < 6.0
        };
        KeyRow { label: label.clone(), pieces: scene.beside.iter().filter(is_here).copied().collect() }
    };
    labels.map(row).collect()
}

fn take_key(scene: &mut Scene) -> Vec<KeyRow> {
    let rows = key_rows(scene);
    let (mut labels, mut beside) = (std::mem::take(&mut scene.labels), std::mem::take(&mut scene.beside));
    labels.retain(|label| !is_in_legend(scene, label.at.0));
    beside.retain(|mark| !is_in_legend(scene, mark.rect.x));
    (scene.labels, scene.beside) = (labels, beside);
    rows
}

impl KeyRow {
    /// Where the middle of its letters is.
    fn middle(&self) -> f32 {
        self.label.at.1 - self.label.size * 0.36
    }

    fn shift(&mut self, by: (f32, f32)) {
        self.label.at = moved(self.label.at, by);
        self.pieces.iter_mut().for_each(|piece| shift_rect(&mut piece.rect, by));
    }

    fn add_to(self, scene: &mut Scene) {
        scene.labels.push(self.label);
        scene.beside.extend(self.pieces);
    }
}

fn moved(at: (f32, f32), by: (f32, f32)) -> (f32, f32) {
    (at.0 + by.0, at.1 + by.1)
}

fn shift_rect(rect: &mut Rect, by: (f32, f32)) {
    (rect.x, rect.y) = moved((rect.x, rect.y), by);
}

/// Moves everything in a scene.
fn shift(scene: &mut Scene, by: (f32, f32)) {
    shift_rect(&mut scene.plot, by);
    shift_rect(&mut scene.legend_area, by);
    scene.x_axis.ticks.iter_mut().for_each(|tick| tick.at += by.0);
    scene.y_axis.ticks.iter_mut().for_each(|tick| tick.at += by.1);
    scene.polygons.iter_mut().flat_map(|polygon| &mut polygon.corners).for_each(|corner| *corner = moved(*corner, by));
    scene.beside.iter_mut().for_each(|mark| shift_rect(&mut mark.rect, by));
    scene.labels.iter_mut().for_each(|label| label.at = moved(label.at, by));
    for layer in &mut scene.layers {
        match layer {
            Layer::Rects(marks) => marks.iter_mut().for_each(|mark| shift_rect(&mut mark.rect, by)),
            Layer::Segments(marks) => {
                for mark in marks {
                    (mark.from, mark.to) = (moved(mark.from, by), moved(mark.to, by));
                }
            }
            Layer::Discs(marks) => marks.iter_mut().for_each(|mark| mark.at = moved(mark.at, by)),
            Layer::Bands(bands) => {
                let edges = bands.iter_mut().flat_map(|band| band.upper.iter_mut().chain(&mut band.lower));
                edges.for_each(|y| *y += by.1);
            }
            // They fill the plot, wherever it is.
            Layer::Raster(_) | Layer::Density(_) => {}
        }
    }
}

/// A text in lines that are no wider than `room`, broken at spaces.
fn wrapped(says: &str, size: f32, room: f32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text::clean(says).split_whitespace() {
        match lines.last_mut() {
            Some(line) if text::width(&format!("{line} {word}"), size, Weight::Regular) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
