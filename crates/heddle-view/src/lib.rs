//! Views: pure functions `(store, parameters, size) -> Scene`.
//!
//! One module a view. No view does input or output of its own, asks a clock, or keeps state: the same
//! question gives the same scene, to the browser and to a file.

mod activity;
mod brush;
mod call_regions;
mod calls;
mod cause;
mod counters;
mod details;
mod enclosing;
mod find;
mod findings;
mod frame;
mod logical;
mod messages;
mod metric;
mod names;
mod opacity;
mod picked;
mod ramp;
mod request;
mod scene;
mod search;
mod stage_marks;
mod stages;
mod step_facts;
mod target;
mod theme;
mod ticks;
mod timeline;
mod trace;
mod traffic;
mod valued;
mod view;
mod way;
mod window;

pub use activity::{ActivityColumns, Profile, efficiency, profile};
pub use brush::{Brush, Brushed, BrushedCall, BrushedFunction, brushed};
#[doc(hidden)]
pub use calls::calls_scene_from;
pub use cause::{Explanation, Way, WayPoint, explain};
pub use counters::metric_named;
pub use details::{Details, Fact, communicator_name, details};
pub use find::{Direction, find};
pub use findings::{Finding, FindingKind, Findings, Piece, findings};
pub use names::{SpanName, SpanNameError};
pub use opacity::opacity;
pub use picked::Picked;
pub use request::{
    CallHeight, CallStyle, CallsOptions, ColourBy, Emphasis, Framing, LogicalView, Palette, Spacing, ViewRequest,
};
pub use scene::{
    Anchor, Axis, Band, ColourBar, ColourId, Density, Extent, Ink, Label, Layer, LegendEntry, OpacityMap, Raster, Rect,
    RectMark, Rgba, Scale, Scene, SegmentMark, Size, Tick,
};
pub use search::{Hit, HitKind, communicator_ranks, search};
pub use stages::{Stage, stages};
pub use step_facts::step_facts;
pub use target::Target;
pub use theme::{Colours, Theme, regions_by_time};
pub use ticks::{duration_text, grouped};
pub use trace::{LogicalData, Trace, latest_event};
pub use view::{UnknownView, View};
pub use window::{RankSet, RankSetError, Window};
