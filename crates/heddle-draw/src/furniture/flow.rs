//! A legend below the plot: a scale of colours and entries one after the other, in lines. Narrow figures have no room for one
//! beside the plot; numbers behind names are left out there.

use heddle_view::{Anchor, LegendEntry, Scene};

use super::{Block, HALF_CAPITAL, Layout};
use crate::marks::Area;
use crate::sheet::Type;
use crate::text::{self, Weight};

/// Between a swatch and its name, and between an entry and the next.
const INDENT: f32 = 4.0;
const GAP: f32 = 12.0;
/// Length and height of a bar of colours.
const BAR: (f32, f32) = (72.0, 8.0);

/// Whether the legend of a scene lies below its plot.
pub(crate) fn below(scene: &Scene) -> bool {
    scene.legend_area.height > 0.0 && scene.legend_area.y >= scene.plot.y + scene.plot.height
}

/// Line and left end of things of these widths, one after the other, in lines of so much room.
pub(crate) fn lines_below(widths: &[f32], room: f32) -> Vec<(usize, f32)> {
    let (mut line, mut x) = (0, 0.0);
    let place = |width: &f32| {
        if x > 0.0 && x + width > room {
            (line, x) = (line + 1, 0.0);
        }
        let at = (line, x);
        x += width + GAP;
        at
    };
    widths.iter().map(place).collect()
}

/// How wide the scale of colours and the entries of a legend are.
pub(crate) fn widths(scene: &Scene, sizes: &Type) -> Vec<f32> {
    let bar = bar_parts(scene, sizes).map(|parts| parts.iter().sum());
    bar.into_iter().chain(scene.legend.iter().map(|entry| entry_width(entry, sizes))).collect()
}

pub(crate) fn entry_width(entry: &LegendEntry, sizes: &Type) -> f32 {
    sizes.swatch + INDENT + text::width(&text::clean(&entry.name), sizes.legend, Weight::Regular)
}

/// Widths of the title, the lower end, the bar and the upper end of the scale of colours, each with the gap behind it.
fn bar_parts(scene: &Scene, sizes: &Type) -> Option<[f32; 4]> {
    let bar = scene.colour_bar.as_ref().filter(|bar| !bar.colours.is_empty())?;
    let width = |says: &str| text::width(&text::clean(says), sizes.legend, Weight::Regular);
    let title = width(&bar.title);
    let title = if title > 0.0 { title + GAP } else { 0.0 };
    Some([title, width(&bar.from.1) + INDENT, BAR.0 + INDENT, width(&bar.to.1)])
}

impl Layout<'_> {
    pub(super) fn legend_below(&mut self) {
        let area = Area::of(&self.scene.legend_area);
        let (sizes, ink) = (self.sizes, self.scene.ink);
        let mut places = lines_below(&widths(self.scene, &sizes), area.width()).into_iter();
        let middle = |line: usize| area.top + (line as f32 + 0.5) * sizes.legend_row;
        let baseline = |line: usize| middle(line) + sizes.legend * HALF_CAPITAL;
        let fit = |says: &str, x: f32| text::fit(says, sizes.legend, Weight::Regular, area.right - x);
        if let (Some(bar), Some(parts)) = (&self.scene.colour_bar, bar_parts(self.scene, &sizes)) {
            let (line, x) = places.next().unwrap_or_default();
            let [title, from, length, _] = parts;
            let (left, count) = (area.left + x, bar.colours.len());
            let start = left + title + from;
            let edge = |at: usize| start + (length - INDENT) * at as f32 / count as f32;
            for (at, colour) in bar.colours.iter().enumerate() {
                let block = Area::new(edge(at), middle(line) - BAR.1 / 2.0, edge(at + 1) - edge(at), BAR.1);
                self.made.over.push(Block { area: block, colour: *colour });
            }
            let texts = [
                (left, &bar.title, ink.text),
                (left + title, &bar.from.1, ink.faint),
                (start + length, &bar.to.1, ink.faint),
            ];
            for (x, says, colour) in texts {
                let text = self.small((x, baseline(line)), fit(says, x), colour, Anchor::Start);
                self.made.texts.push(text);
            }
        }
        for (entry, (line, x)) in self.scene.legend.iter().zip(places) {
            let left = area.left + x;
            let swatch = Area::new(left, middle(line) - sizes.swatch / 2.0, sizes.swatch, sizes.swatch);
            self.made.over.push(Block { area: swatch, colour: entry.colour });
            let left = left + sizes.swatch + INDENT;
            let name = self.small((left, baseline(line)), fit(&entry.name, left), ink.text, Anchor::Start);
            self.made.texts.push(name);
        }
    }
}
