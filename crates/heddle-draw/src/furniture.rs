//! Everything that is not data: grid, frame, ticks, legend and all text, with its place.
//!
//! No two texts lie on each other, and none reaches out of the picture.
//!
//! What this module lays out is drawn in this order: [`Furniture::under`], the data, [`Furniture::over`],
//! [`Furniture::texts`].

use heddle_view::{Anchor, Axis, ColourId, Scene};

use crate::marks::Area;
use crate::sheet::Type;
use crate::text::{self, Weight};

mod flow;

pub(crate) use flow::{below, entry_width, lines_below, widths};

/// Half the height of a capital, as a share of the font's size.
const HALF_CAPITAL: f32 = 0.365;
/// Free space between texts that stand on one line.
const APART: f32 = 8.0;
const TICK: f32 = 4.0;
/// Height of a bar of colours, and of everything around it.
const BAR: f32 = 12.0;
const BAR_ROOM: f32 = 58.0;

/// A filled rectangle with crisp edges.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) area: Area,
    pub(crate) colour: ColourId,
}

/// A clean text and its place on the baseline.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) at: (f32, f32),
    pub(crate) says: String,
    pub(crate) size: f32,
    pub(crate) weight: Weight,
    pub(crate) colour: ColourId,
    pub(crate) anchor: Anchor,
}

impl Text {
    /// Where it begins and ends.
    pub(crate) fn extent(&self) -> (f32, f32) {
        let width = text::width(&self.says, self.size, self.weight);
        let start = match self.anchor {
            Anchor::Start => self.at.0,
            Anchor::Middle => self.at.0 - width / 2.0,
            Anchor::End => self.at.0 - width,
        };
        (start, start + width)
    }

    /// What it covers, from the top of its capitals to the feet of its letters.
    pub(crate) fn area(&self) -> Area {
        let (left, right) = self.extent();
        Area { left, top: self.at.1 - self.size * 0.76, right, bottom: self.at.1 + self.size * 0.2 }
    }
}

/// What lies around the data.
#[derive(Debug, Default)]
pub(crate) struct Furniture {
    /// Grid lines.
    pub(crate) under: Vec<Block>,
    /// Frame, ticks, swatches.
    pub(crate) over: Vec<Block>,
    /// Text, above everything.
    pub(crate) texts: Vec<Text>,
}

/// The furniture of a scene, in these sizes of text.
pub(crate) fn lay_out(scene: &Scene, sizes: &Type) -> Furniture {
    let mut layout = Layout { scene, sizes: *sizes, plot: Area::of(&scene.plot), made: Furniture::default() };
    if layout.plot.width() >= 1.0 && layout.plot.height() >= 1.0 {
        layout.lines();
    }
    layout.titles();
    let x_title = layout.x_axis_title();
    layout.x_labels(x_title.as_ref());
    layout.y_labels();
    if below(scene) {
        layout.legend_below();
    } else {
        layout.legend();
    }
    layout.notes(x_title.as_ref());
    layout.made.texts.extend(x_title);
    layout.labels();
    let texts = std::mem::take(&mut layout.made.texts);
    layout.made.texts = settled(texts, layout.width(), layout.height());
    layout.made
}

/// Texts one after the other, as far as there is room: each inside the picture and clear of those before it. One that is in
/// the way of another gives way by a line; where that does not help it is left out, which reads better than two on each
/// other.
fn settled(texts: Vec<Text>, width: f32, height: f32) -> Vec<Text> {
    let mut kept: Vec<(Area, Text)> = Vec::with_capacity(texts.len());
    for mut text in texts.into_iter().filter(|text| !text.says.is_empty()) {
        let place = text.area();
        if !place.meets(&Area::new(0.0, 0.0, width, height)) {
            // Whoever put it there does not want it seen.
            kept.push((place, text));
            continue;
        }
        let left = (place.left + (width - place.right).min(0.0)).max(0.0);
        let top = (place.top + (height - place.bottom).min(0.0)).max(0.0);
        text.at = (text.at.0 + left - place.left, text.at.1 + top - place.top);
        let line = text.size + 1.0;
        let free = [0.0, -line, line].into_iter().find_map(|aside| {
            let moved = Text { at: (text.at.0, text.at.1 + aside), ..text.clone() };
            let area = moved.area();
            let is_inside = aside == 0.0 || (area.top >= 0.0 && area.bottom <= height);
            (is_inside && !kept.iter().any(|(other, _)| other.meets(&area))).then_some((area, moved))
        });
        kept.extend(free);
    }
    kept.into_iter().map(|(_, text)| text).collect()
}

struct Layout<'a> {
    scene: &'a Scene,
    sizes: Type,
    plot: Area,
    made: Furniture,
}

impl Layout<'_> {
    fn width(&self) -> f32 {
        self.scene.size.width as f32
    }

    fn height(&self) -> f32 {
        self.scene.size.height as f32
    }

    /// Grid, frame and tick marks, where there are axes. The frame lies outside of the plot: it covers no data.
    fn lines(&mut self) {
        if self.scene.x_axis == Axis::default() && self.scene.y_axis == Axis::default() {
            return;
        }
        let Area { left, top, right, bottom } = self.plot;
        let (width, height) = (self.plot.width(), self.plot.height());
        let ink = self.scene.ink;
        for at in self.scene.x_axis.ticks.iter().filter_map(|tick| pixel(tick.at, left, right)) {
            self.made.under.push(Block { area: Area::new(at, top, 1.0, height), colour: ink.grid });
            self.made.over.push(Block { area: Area::new(at, bottom + 1.0, 1.0, TICK), colour: ink.line });
        }
        for at in self.scene.y_axis.ticks.iter().filter_map(|tick| pixel(tick.at, top, bottom)) {
            self.made.under.push(Block { area: Area::new(left, at, width, 1.0), colour: ink.grid });
            self.made.over.push(Block { area: Area::new(left - 1.0 - TICK, at, TICK, 1.0), colour: ink.line });
        }
        self.made.over.push(Block { area: Area::new(left - 1.0, top, 1.0, height + 1.0), colour: ink.line });
        self.made.over.push(Block { area: Area::new(left - 1.0, bottom, width + 1.0, 1.0), colour: ink.line });
    }

    /// The title, and what the vertical axis measures: left of the title if there is room, else behind it.
    fn titles(&mut self) {
        let Type { title: size, small: size_of_axis, beside_plot, edge, below_title, .. } = self.sizes;
        let baseline = self.plot.top - below_title;
        let room = self.width() - self.plot.left - edge;
        let title = Text {
            at: (self.plot.left, baseline),
            says: text::fit(&self.scene.title, size, Weight::Bold, room),
            size,
            weight: Weight::Bold,
            colour: self.scene.ink.strong,
            anchor: Anchor::Start,
        };
        let axis = text::clean(&self.scene.y_axis.title);
        let faint = self.scene.ink.faint;
        let beside = text::width(&axis, size_of_axis, Weight::Regular) <= self.plot.left - beside_plot - 2.0;
        let axis = if beside || axis.is_empty() {
            self.small((self.plot.left - beside_plot, baseline), axis, faint, Anchor::End)
        } else {
            let start = if title.says.is_empty() { self.plot.left } else { title.extent().1 + 12.0 };
            let axis = text::fit(&format!("↑ {axis}"), size_of_axis, Weight::Regular, self.width() - edge - start);
            self.small((start, baseline), axis, faint, Anchor::Start)
        };
        self.made.texts.extend([title, axis]);
    }

    /// What the horizontal axis measures: below its labels, or at the end of their line in a low picture.
    fn x_axis_title(&self) -> Option<Text> {
        let below = self.plot.bottom + 31.0;
        let baseline = if below <= self.height() - 4.0 { below } else { self.plot.bottom + 16.0 };
        let title = text::fit(&self.scene.x_axis.title, self.sizes.small, Weight::Regular, self.plot.width());
        let title = self.small((self.plot.right, baseline), title, self.scene.ink.faint, Anchor::End);
        (!title.says.is_empty()).then_some(title)
    }

    /// Labels below the plot. One that would touch the label before it, or the axis' title, is left out.
    fn x_labels(&mut self, title: Option<&Text>) {
        let baseline = self.plot.bottom + 16.0;
        let end =
            title.filter(|title| title.at.1 <= baseline).map_or(self.width() - 2.0, |title| title.extent().0 - 6.0);
        let mut free = 2.0;
        for tick in &self.scene.x_axis.ticks {
            let Some(at) = pixel(tick.at, self.plot.left, self.plot.right) else { continue };
            let label = text::fit(&tick.label, self.sizes.small, Weight::Regular, self.width() - 4.0);
            let half = text::width(&label, self.sizes.small, Weight::Regular) / 2.0;
            let middle = (at + 0.5).min(self.width() - 2.0 - half).max(2.0 + half);
            if middle - half < free || middle + half > end {
                continue;
            }
            free = middle + half + 6.0;
            let label = self.small((middle, baseline), label, self.scene.ink.text, Anchor::Middle);
            self.made.texts.push(label);
        }
    }

    /// Labels left of the plot, as many as stand one above the other.
    fn y_labels(&mut self) {
        let mut last: Option<f32> = None;
        for tick in &self.scene.y_axis.ticks {
            let Some(at) = pixel(tick.at, self.plot.top, self.plot.bottom) else { continue };
            if last.is_some_and(|last| (at - last).abs() < self.sizes.small) {
                continue;
            }
            last = Some(at);
            let label = text::fit(
                &tick.label,
                self.sizes.small,
                Weight::Regular,
                self.plot.left - self.sizes.beside_plot - 2.0,
            );
            let place = (self.plot.left - self.sizes.beside_plot, at + 0.5 + self.sizes.small * HALF_CAPITAL);
            let label = self.small(place, label, self.scene.ink.text, Anchor::End);
            self.made.texts.push(label);
        }
    }

    fn labels(&mut self) {
        for label in &self.scene.labels {
            if !(label.at.0.is_finite() && label.at.1.is_finite()) {
                continue;
            }
            let size = text::sound_size(label.size).min(self.sizes.largest);
            let says = text::fit(&label.text, size, Weight::Regular, self.width());
            let (at, colour, anchor) = (label.at, label.colour, label.anchor);
            self.made.texts.push(Text { at, says, size, weight: Weight::Regular, colour, anchor });
        }
    }

    /// What a scale of colours means: its title, the bar, and the values at its ends. Gives the room that it takes.
    fn colour_bar(&mut self, area: &Area) -> f32 {
        let Some(bar) = &self.scene.colour_bar else { return 0.0 };
        let count = bar.colours.len();
        if area.width() < 20.0 || area.height() < BAR_ROOM || count == 0 {
            return 0.0;
        }
        let edge = |at: usize| (area.left + area.width() * at as f32 / count as f32).round();
        for (at, colour) in bar.colours.iter().enumerate() {
            let block = Area::new(edge(at), area.top + 20.0, edge(at + 1) - edge(at), BAR);
            self.made.over.push(Block { area: block, colour: *colour });
        }
        let ink = self.scene.ink;
        let title = text::fit(&bar.title, self.sizes.legend, Weight::Regular, area.width());
        let weight = Weight::Regular;
        self.made.texts.push(Text {
            at: (area.left, area.top + 13.0),
            says: title,
            size: self.sizes.legend,
            weight,
            colour: ink.text,
            anchor: Anchor::Start,
        });
        let baseline = area.top + 20.0 + BAR + 14.0;
        let upper = text::fit(&bar.to.1, self.sizes.small, weight, area.width());
        let room = area.width() - text::width(&upper, self.sizes.small, weight) - APART;
        let lower = text::fit(&bar.from.1, self.sizes.small, weight, room);
        self.made.texts.push(self.small((area.left, baseline), lower, ink.faint, Anchor::Start));
        self.made.texts.push(self.small((area.right, baseline), upper, ink.faint, Anchor::End));
        BAR_ROOM
    }

    fn legend(&mut self) {
        let mut area = Area::of(&self.scene.legend_area);
        area.top += self.colour_bar(&area);
        let ink = self.scene.ink;
        let indent = self.sizes.swatch + 6.0;
        let rows = (area.height() / self.sizes.legend_row).floor() as usize;
        let (shown, more) = as_fit(self.scene.legend.len(), rows);
        let legend = |at: (f32, f32), says: String, colour: ColourId, anchor: Anchor| Text {
            at: (at.0, at.1 + 13.0),
            says,
            size: self.sizes.legend,
            weight: Weight::Regular,
            colour,
            anchor,
        };
        let row_top = |row: usize| area.top + row as f32 * self.sizes.legend_row;
        for (row, entry) in self.scene.legend.iter().take(shown).enumerate() {
            let top = row_top(row);
            let swatch = Area::new(area.left, top + 4.0, self.sizes.swatch, self.sizes.swatch);
            self.made.over.push(Block { area: swatch, colour: entry.colour });
            let room = area.width() - indent;
            let value = text::fit(&entry.value, self.sizes.legend, Weight::Regular, room);
            let taken =
                if value.is_empty() { 0.0 } else { text::width(&value, self.sizes.legend, Weight::Regular) + APART };
            let name = text::fit(&entry.name, self.sizes.legend, Weight::Regular, room - taken);
            self.made.texts.push(legend((area.left + indent, top), name, ink.text, Anchor::Start));
            self.made.texts.push(legend((area.right, top), value, ink.faint, Anchor::End));
        }
        if let Some(more) = more {
            let more = text::fit(&more, self.sizes.legend, Weight::Regular, area.width());
            self.made.texts.push(legend((area.left, row_top(shown)), more, ink.faint, Anchor::Start));
        }
    }

    fn small(&self, at: (f32, f32), says: String, colour: ColourId, anchor: Anchor) -> Text {
        Text { at, says, size: self.sizes.small, weight: Weight::Regular, colour, anchor }
    }

    /// Notes at the foot. They end before the axis' title where they share its line.
    fn notes(&mut self, title: Option<&Text>) {
        let foot = self.height() - self.sizes.edge.max(4.0);
        let free = foot - (self.plot.bottom + 16.0);
        let rows = ((free / self.sizes.note_row).floor() as usize).max(1);
        let (shown, more) = as_fit(self.scene.notes.len(), rows);
        let lines: Vec<&str> = self.scene.notes.iter().take(shown).map(String::as_str).chain(more.as_deref()).collect();
        for (from_last, line) in lines.iter().rev().enumerate() {
            let baseline = foot - from_last as f32 * self.sizes.note_row;
            let beside = title.filter(|title| (title.at.1 - baseline).abs() < self.sizes.small + 2.0);
            let end = beside.map_or(self.width() - self.sizes.edge, |title| title.extent().0 - 12.0);
            let line = text::fit(line, self.sizes.small, Weight::Regular, end - self.sizes.edge);
            let note = self.small((self.sizes.edge, baseline), line, self.scene.ink.faint, Anchor::Start);
            self.made.texts.push(note);
        }
    }
}

/// The pixel of the plot in which a tick lies, if it is in the plot. The one on the far edge takes the last pixel.
fn pixel(at: f32, low: f32, high: f32) -> Option<f32> {
    let inside = at.is_finite() && at >= low - 0.5 && at <= high + 0.5;
    inside.then(|| at.floor().min(high.round() - 1.0).max(low.round()))
}

/// How many of `entries` to show in `rows`, and what the last row says about the others.
fn as_fit(entries: usize, rows: usize) -> (usize, Option<String>) {
    if entries <= rows || rows == 0 {
        return (entries.min(rows), None);
    }
    (rows - 1, Some(format!("… and {} more", entries - (rows - 1))))
}
