//! The frame that views share: margins, title, axes, legend and notes around a plot.

use heddle_model::Ns;

use crate::scene::{Axis, LegendEntry, Rect, Scene, Size};
use crate::theme::Colours;
use crate::ticks::time_ticks;

const TOP: f32 = 34.0;
const LEFT: f32 = 64.0;
const RIGHT: f32 = 16.0;
const LEGEND: f32 = 190.0;
const AXIS: f32 = 30.0;
const NOTE: f32 = 15.0;

/// Where the plot lies in a picture with so many notes and, perhaps, a legend.
pub(crate) fn plot_area(size: Size, notes: usize, has_legend: bool) -> Rect {
    let right = if has_legend { LEGEND + RIGHT } else { RIGHT };
    let bottom = AXIS + notes as f32 * NOTE + if notes > 0 { 8.0 } else { 0.0 };
    Rect {
        x: LEFT,
        y: TOP,
        // Whole pixels: marks are computed for pixel columns.
        width: (size.width as f32 - LEFT - right).max(1.0).floor(),
        height: (size.height as f32 - TOP - bottom).max(1.0).floor(),
    }
}

/// An empty scene with everything around the plot.
pub(crate) fn frame(
    size: Size,
    plot: Rect,
    title: String,
    time: (Ns, Ns),
    colours: &Colours,
    legend: Vec<LegendEntry>,
    notes: Vec<String>,
) -> Scene {
    let legend_area = Rect {
        x: plot.x + plot.width + 16.0,
        y: plot.y,
        width: (size.width as f32 - plot.x - plot.width - 16.0 - RIGHT).max(0.0),
        height: plot.height,
    };
    Scene {
        size,
        background: colours.background(),
        palette: colours.palette(),
        title,
        plot,
        x_axis: Axis { title: String::new(), ticks: time_ticks(time.0, time.1, plot.x, plot.width, 90.0) },
        y_axis: Axis::default(),
        time,
        layers: Vec::new(),
        labels: Vec::new(),
        legend,
        legend_area,
        notes,
        ink: colours.ink(),
    }
}

/// The moment of a pixel column's left edge.
pub(crate) fn column_time(time: (Ns, Ns), columns: u32, column: u32) -> Ns {
    let window = i128::from(time.1.since(time.0));
    Ns(time.0.0 + (window * i128::from(column) / i128::from(columns.max(1))) as i64)
}
