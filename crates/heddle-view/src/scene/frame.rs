//! The frame that views share: margins, title, axes, legend and notes around a plot.

use heddle_model::{Ns, SpanRow};
use heddle_store::Store;

use crate::request::window::rows_have_names;
use crate::request::{Framing, ViewRequest};
use crate::scene::theme::Colours;
use crate::scene::ticks::{grouped, time_ticks};
use crate::scene::{Axis, ColourId, Extent, LegendEntry, Rect, RectMark, Scene, Size};

const LEGEND: f32 = 190.0;
const AXIS: f32 = 30.0;
const NOTE: f32 = 15.0;
/// Notes that a figure has room for, and one without axes.
const NOTES: usize = 2;
const NOTES_ALONE: usize = 3;

/// More room on the left, for the names of locations.
const NAMES: f32 = 112.0;

/// More room on the left, for a hierarchy of rows.
pub(crate) const TREE: f32 = 118.0;

/// Room beside the plot, in wide panes.
pub(crate) const BESIDE: f32 = 100.0;
/// Narrower panes have no such room.
const LEAST_WIDE: u32 = 520;

/// Whether a pane has room beside its plot.
pub(crate) fn has_beside(request: &ViewRequest) -> bool {
    request.framing == Framing::Wide && request.size.width >= LEAST_WIDE
}

/// Room around the plot: left, top, right, bottom. Panes on one time axis have the same left and right, so it is the
/// trace that decides and not the view.
fn margins(store: &Store, request: &ViewRequest) -> [f32; 4] {
    let own = if rows_have_names(store) { NAMES } else { number_room(store.locations.len()) };
    let is_folded = request.window.arranged.as_ref().is_some_and(|arranged| arranged.is_folded());
    let names = if is_folded || request.has_names { NAMES } else { own };
    match request.framing {
        Framing::Figure => [64.0 + names, 34.0, LEGEND + 32.0, AXIS + NOTES as f32 * NOTE + 8.0],
        Framing::Wide if has_beside(request) => [58.0 + names, 20.0, BESIDE + 6.0, 24.0],
        Framing::Pane | Framing::Wide => [58.0 + names, 8.0, 14.0, 24.0],
        // Where there is a hierarchy elsewhere, there is room for names here.
        Framing::Tree => [58.0 + own + TREE, 8.0, 14.0, 24.0],
        Framing::Nodes => [60.0 + number_width(store.summary().ranks), 8.0, 14.0, 24.0],
        Framing::Strip => [12.0, 4.0, 12.0, 18.0],
    }
}

/// More room on the left for the numbers of so many rows: those of a million have nine characters.
fn number_room(rows: u64) -> f32 {
    const USUAL: f32 = 48.0;
    (number_width(rows) - USUAL).max(0.0)
}

/// How wide the last number of so many is.
fn number_width(count: u64) -> f32 {
    let width = |character: char| if character == ',' { 3.6 } else { 7.1 };
    grouped(count.saturating_sub(1)).chars().map(width).sum::<f32>().ceil()
}

/// Where the plot lies in a picture.
pub(crate) fn plot_area(store: &Store, request: &ViewRequest) -> Rect {
    let size = request.size;
    let [left, top, right, bottom] = margins(store, request);
    Rect {
        x: left,
        y: top,
        // Whole pixels: marks are computed for pixel columns.
        width: (size.width as f32 - left - right).max(1.0).floor(),
        height: (size.height as f32 - top - bottom).max(1.0).floor(),
    }
}

/// Where a picture without axes lies: all of a pane.
pub(crate) fn whole_area(request: &ViewRequest) -> Rect {
    let [left, top, right, bottom] = match request.framing {
        Framing::Figure => [16.0, 34.0, LEGEND + 32.0, NOTES_ALONE as f32 * NOTE + 26.0],
        Framing::Pane | Framing::Wide | Framing::Tree | Framing::Nodes | Framing::Strip => [0.0; 4],
    };
    let Size { width, height } = request.size;
    let (width, height) = ((width as f32 - left - right).max(1.0), (height as f32 - top - bottom).max(1.0));
    Rect { x: left, y: top, width, height }
}

/// The axis of physical time along the bottom.
pub(crate) fn time_axis(time: (Ns, Ns), plot: Rect) -> Axis {
    let ticks = time_ticks(time.0, time.1, plot.x, plot.width, 90.0);
    Axis { title: String::new(), ticks, extent: Extent::Time(time.0, time.1) }
}

/// An empty scene with everything around the plot.
pub(crate) fn frame(
    request: &ViewRequest,
    plot: Rect,
    title: String,
    (x_axis, y_axis): (Axis, Axis),
    colours: &Colours,
    legend: Vec<LegendEntry>,
) -> Scene {
    let size = request.size;
    let left = plot.x + plot.width + 16.0;
    let legend_area =
        Rect { x: left, y: plot.y, width: (size.width as f32 - left - 16.0).max(0.0), height: plot.height };
    let is_figure = request.framing == Framing::Figure;
    Scene {
        background: colours.background(),
        title: if is_figure { title } else { String::new() },
        x_axis,
        y_axis,
        legend: if is_figure { legend } else { Vec::new() },
        legend_area,
        ..Scene::empty(size, plot, colours.palette(), colours.ink())
    }
}

/// A box around something, as four thin rectangles; never so small that it is overlooked.
pub(crate) fn outline(area: Rect, colour: ColourId) -> Vec<RectMark> {
    const THICK: f32 = 2.0;
    const LEAST: f32 = 7.0;
    let (width, height) = (area.width.max(LEAST), area.height.max(LEAST));
    let (x, y) = (area.x - (width - area.width) / 2.0, area.y - (height - area.height) / 2.0);
    let side = |x, y, width, height| RectMark { rect: Rect { x, y, width, height }, colour, span: SpanRow::NONE };
    vec![
        side(x - THICK, y - THICK, width + 2.0 * THICK, THICK),
        side(x - THICK, y + height, width + 2.0 * THICK, THICK),
        side(x - THICK, y, THICK, height),
        side(x + width, y, THICK, height),
    ]
}

/// The x of a moment, clamped to the plot.
pub(crate) fn x_of(time: (Ns, Ns), plot: Rect, at: Ns) -> f32 {
    let part = at.since(time.0) as f64 / time.1.since(time.0) as f64;
    plot.x + (part.clamp(0.0, 1.0) * f64::from(plot.width)) as f32
}

/// The moment at an x, clamped to the plot.
pub(crate) fn time_at(time: (Ns, Ns), plot: Rect, x: f32) -> Ns {
    let part = (f64::from(x - plot.x) / f64::from(plot.width)).clamp(0.0, 1.0);
    Ns(time.0.0 + (part * time.1.since(time.0) as f64) as i64)
}

/// The moment of a pixel column's left edge.
pub(crate) fn column_time(time: (Ns, Ns), columns: u32, column: u32) -> Ns {
    let window = i128::from(time.1.since(time.0));
    Ns(time.0.0 + (window * i128::from(column) / i128::from(columns.max(1))) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_millions_of_rows_have_room() {
        assert!([4, 256, 16_384, 999_999, 1_000_000].iter().all(|rows| number_room(*rows) < f32::EPSILON));
        // As wide as in the font of page and figures, at 11 pixels.
        assert!((9.0..=12.0).contains(&number_room(1_048_576)), "{}", number_room(1_048_576));
        assert!(number_room(20_000_000) > number_room(1_048_576));
    }
}
