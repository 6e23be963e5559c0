//! Views: pure functions `(store, parameters, size) -> Scene`.
//!
//! One module a view. No view does input or output of its own, asks a clock, or keeps state: the same
//! question gives the same scene, to the browser and to a file.

mod activity;
mod enclosing;
mod frame;
mod scene;
mod theme;
mod ticks;
mod timeline;
mod window;

pub use activity::{ActivityColumns, activity};
pub use scene::{
    Anchor, Axis, Band, ColourId, Ink, Label, Layer, LegendEntry, Raster, Rect, RectMark, Rgba, Scene, SegmentMark,
    Size, Tick,
};
pub use theme::{Colours, Theme};
pub use ticks::grouped;
pub use timeline::timeline;
pub use window::{RankSet, RankSetError, Window};
