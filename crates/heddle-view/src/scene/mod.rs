//! What a view looks like at a given size: axes, layers of marks, a legend, notes.
//!
//! The browser and the file writers draw the same scene, so a figure in a paper is the picture on the
//! screen. Everything is in pixels of the picture (CSS pixels, y downwards), except what the axes say.
//! Colours are positions in the scene's palette: whoever draws needs no knowledge of functions or themes.

pub(crate) mod blame;
pub(crate) mod book;
pub(crate) mod frame;
pub(crate) mod opacity;
mod palette;
mod project;
pub(crate) mod ramp;
pub(crate) mod space;
pub(crate) mod theme;
pub(crate) mod ticks;

use heddle_model::{Ns, SpanRow};

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f32,
    /// Upper edge.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

impl Rect {
    /// Whether a point lies inside.
    pub fn contains(&self, (x, y): (f32, f32)) -> bool {
        (self.x..self.x + self.width).contains(&x) && (self.y..self.y + self.height).contains(&y)
    }
}

/// Red, green, blue, opacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgba(pub u8, pub u8, pub u8, pub u8);

impl Rgba {
    /// An opaque colour from its usual notation, `0x2563c9`.
    pub const fn hex(rgb: u32) -> Rgba {
        Rgba((rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8, 255)
    }
}

/// A position in the scene's palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColourId(pub u16);

/// A whole picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// How large.
    pub size: Size,
    /// Behind everything.
    pub background: ColourId,
    /// Colours, by [`ColourId`].
    pub palette: Vec<Rgba>,
    /// What it shows, above the plot.
    pub title: String,
    /// Where the marks are; axes lie around it.
    pub plot: Rect,
    /// Along the bottom.
    pub x_axis: Axis,
    /// Along the left.
    pub y_axis: Axis,
    /// What solids of a picture in space become on paper: drawn in order, below the layers. The page has the solids themselves.
    pub polygons: Vec<PolygonMark>,
    /// Drawn in order, clipped to the plot.
    pub layers: Vec<Layer>,
    /// Rectangles outside the plot, which stay where they are when it is moved.
    pub beside: Vec<RectMark>,
    /// Text over the plot, not clipped by marks.
    pub labels: Vec<Label>,
    /// What the colours mean, at the right.
    pub legend: Vec<LegendEntry>,
    /// What a scale of colours means, above the legend.
    pub colour_bar: Option<ColourBar>,
    /// Where the legend is.
    pub legend_area: Rect,
    /// What was summarised, in sentences; below the plot.
    pub notes: Vec<String>,
    /// Colours of text and lines of the frame.
    pub ink: Ink,
}

impl Scene {
    /// A picture of this size with nothing in it but a place for marks.
    pub fn empty(size: Size, plot: Rect, palette: Vec<Rgba>, ink: Ink) -> Scene {
        Scene {
            size,
            background: ColourId(0),
            palette,
            title: String::new(),
            plot,
            x_axis: Axis::default(),
            y_axis: Axis::default(),
            polygons: Vec::new(),
            layers: Vec::new(),
            beside: Vec::new(),
            labels: Vec::new(),
            legend: Vec::new(),
            colour_bar: None,
            legend_area: Rect { x: plot.x + plot.width, y: plot.y, width: 0.0, height: plot.height },
            notes: Vec::new(),
            ink,
        }
    }
}

/// Colours of everything that is not data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ink {
    /// Titles.
    pub strong: ColourId,
    /// Labels.
    pub text: ColourId,
    /// Notes.
    pub faint: ColourId,
    /// Frame of the plot.
    pub line: ColourId,
    /// Grid lines.
    pub grid: ColourId,
}

/// An axis: where its ticks are and what they say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What it measures; may be empty.
    pub title: String,
    /// In order of position.
    pub ticks: Vec<Tick>,
    /// What the plot's edges stand for.
    pub extent: Extent,
}

/// What an axis runs over: what zooming and panning along it change.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Extent {
    /// Values that are always shown whole.
    #[default]
    Values,
    /// The same, where a rectangle can be chosen by its values.
    Scaled(Scale),
    /// Time at the left and right edge.
    Time(Ns, Ns),
    /// The first row at the upper edge, and the one after the last; out of so many.
    Rows(usize, usize, usize),
    /// Lines of a list that scrolls: the first in sight, and the one after the last; out of so many.
    Lines(usize, usize, usize),
    /// Logical steps at the left and right edge, a box each; out of so many.
    Steps(f64, f64, u32),
    /// The first column at the left edge, and the one after the last; out of so many.
    Columns(usize, usize, usize),
    /// A plane: the place at the left edge and the one at the right, in thousandths of its unit, out of so many. Both
    /// directions have one scale, so more may be in sight.
    Across(usize, usize, usize),
    /// The same downwards.
    Down(usize, usize, usize),
}

/// How values are spaced along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spacing {
    /// By their logarithm.
    #[default]
    Logarithmic,
    /// Evenly.
    Linear,
}

/// Which value is where on a vertical axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The value at `top`.
    pub upper: f64,
    /// The value at `bottom`.
    pub lower: f64,
    /// How values are spaced between them.
    pub spacing: Spacing,
    /// Place of the upper end, in the picture's coordinates.
    pub top: f32,
    /// Place of the lower end.
    pub bottom: f32,
}

/// A tick and its label.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Place in pixels along the axis' direction, in the picture's coordinates.
    pub at: f32,
    /// What it says.
    pub label: String,
}

/// Marks of one kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Layer {
    /// Filled rectangles.
    Rects(Vec<RectMark>),
    /// Straight lines.
    Segments(Vec<SegmentMark>),
    /// Filled discs, which keep their size when the picture is zoomed.
    Discs(Vec<DiscMark>),
    /// Filled bands, each with an upper and a lower edge sampled at every pixel column.
    Bands(Vec<Band>),
    /// A grid of cells that fills the plot.
    Raster(Raster),
    /// How many calls are at each pixel of the plot.
    Density(Density),
}

/// A filled rectangle and the span it stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RectMark {
    /// Where.
    pub rect: Rect,
    /// Colour.
    pub colour: ColourId,
    /// What it stands for, or [`SpanRow::NONE`] for several.
    pub span: SpanRow,
}

/// A line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentMark {
    /// From, x and y.
    pub from: (f32, f32),
    /// To.
    pub to: (f32, f32),
    /// Width in pixels.
    pub width: f32,
    /// Colour.
    pub colour: ColourId,
}

/// A filled disc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiscMark {
    /// Its middle, x and y.
    pub at: (f32, f32),
    /// Radius in pixels.
    pub radius: f32,
    /// Colour.
    pub colour: ColourId,
}

/// A filled polygon without holes, its corners in order; all of a scene the same way round.
#[derive(Clone, Debug, PartialEq)]
pub struct PolygonMark {
    /// x and y of each corner.
    pub corners: Vec<(f32, f32)>,
    /// Colour.
    pub colour: ColourId,
}

/// An area between two curves that share their x: column i of the plot is at `plot.x + i`.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// y of the upper edge, one value for each pixel column.
    pub upper: Vec<f32>,
    /// y of the lower edge.
    pub lower: Vec<f32>,
    /// Colour.
    pub colour: ColourId,
}

/// Cells in rows, from the upper left. Empty cells have strength 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Raster {
    /// Cells in a row; the plot's width is divided evenly.
    pub columns: u32,
    /// Rows; the plot's height is divided evenly.
    pub rows: u32,
    /// Colour of each cell.
    pub colours: Vec<ColourId>,
    /// Opacity of each cell, 0 to 255.
    pub strength: Vec<u8>,
}

/// How many calls lie on each cell of a grid that fills the plot, and their average colour.
///
/// Opacity is left to whoever draws, so that a slider needs no new scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Density {
    /// Cells in a row; the plot's width is divided evenly.
    pub columns: u32,
    /// Rows; the plot's height is divided evenly.
    pub rows: u32,
    /// Calls at each cell, row by row from the upper left.
    pub counts: Vec<u32>,
    /// The average colour of the calls at each cell; zeros where there are none.
    pub colours: Vec<[u8; 3]>,
    /// Calls at the fullest cell.
    pub most: u32,
    /// How a figure turns counts into opacity; the page has controls of its own.
    pub map: OpacityMap,
    /// The opacity of a single call, 0 to 1.
    pub least: f32,
}

/// How counts become opacity: [`opacity`](crate::opacity()).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OpacityMap {
    /// By the logarithm: many orders of magnitude can be told apart.
    Logarithmic,
    /// In proportion.
    Linear,
    /// So much for each call, blended in 8 bits.
    Alpha(f32),
}

impl OpacityMap {
    /// The opacity of a call unless another one is asked for.
    pub const ALPHA: f32 = 0.1;
}

/// Where the text of a label stands relative to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Begins there.
    Start,
    /// Is centred there.
    Middle,
    /// Ends there.
    End,
}

/// A piece of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Where, on the baseline.
    pub at: (f32, f32),
    /// What it says. Hostile text: escape it.
    pub text: String,
    /// Height of the font in pixels.
    pub size: f32,
    /// Colour.
    pub colour: ColourId,
    /// How it stands at its place.
    pub anchor: Anchor,
}

/// Colours of a range of values.
#[derive(Clone, Debug, PartialEq)]
pub struct ColourBar {
    /// What is measured. Hostile text.
    pub title: String,
    /// Colours from the lower end to the upper one, evenly spaced.
    pub colours: Vec<ColourId>,
    /// What the ends of the bar stand for: values and what to write there.
    pub from: (f64, String),
    /// The upper end.
    pub to: (f64, String),
}

/// A colour and what it means.
#[derive(Clone, Debug, PartialEq)]
pub struct LegendEntry {
    /// The colour.
    pub colour: ColourId,
    /// The name.
    pub name: String,
    /// A number beside it, or empty.
    pub value: String,
}
