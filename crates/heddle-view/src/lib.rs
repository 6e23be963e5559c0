//! Views: pure functions `(store, parameters, size) -> Scene`.
//!
//! One module a view. No view does input or output of its own, asks a clock, or keeps state: the same
//! question gives the same scene, to the browser and to a file.

mod analyses;
mod diagnosed;
mod harmless;
mod lookup;
mod questions;
mod request;
mod scene;
mod step_runs;
mod views;

pub use analyses::{
    Analysis, AnalysisKind, ClusterData, Clustered, LogicalData, LogicalNeed, Need, Steps, Trace, Urgency,
    has_steps_in_sight, latest_event, latest_of_call,
};
pub use diagnosed::Diagnosed;
pub use harmless::{harmless_json, printable, printable_name};
pub use lookup::call_regions::Rest;
pub use questions::area::area_told;
pub use questions::brush::{
    Brush, Brushed, BrushedCall, BrushedFunction, BrushedMessages, MessageSum, Summed, brush_rests_on_profile, brushed,
};
pub use questions::cause::{CauseAnswer, CausePath, CauseStop, cause_of};
pub use questions::cluster::{self, ClusterAbout, about_cluster};
pub use questions::details::{Details, Fact, cluster_details, communicator_name, details};
pub use questions::diagnosis::{
    Check, DiagnosisTold, EfficiencyColumn, EfficiencyTold, FindingTold, FunctionCost, FunctionPart, LostTold,
    PathPart, PathTold, ReplayTold, ScalingKind, ScalingRun, ScalingTold, ShareTold, SplitPart, WaitsTold,
    diagnosis_markdown, diagnosis_sentences, diagnosis_text, diagnosis_told, efficiency_lines, efficiency_told,
    label as finding_label, path_stretches, scaling_told, stage_efficiencies,
};
pub use questions::find::{Direction, find};
pub use questions::findings::{Finding, FindingKind, Findings, Piece, findings};
pub use questions::largest::largest_in_sight;
pub use questions::lasting::calls_told;
pub use questions::messages::messages_told;
pub use questions::network::{
    LayerTold, MappingRow, NetworkTold, SwitchesTold, about_network, compare_mappings, machine_details, message_route,
};
pub use questions::notes::{notes_markdown, notes_text};
pub use questions::progress::{
    BoundsTold, GroupTold, InstantTold, KindTold, ProgressTold, ProgressWords, SelectedTold, TypeTold, about_progress,
    progress_sentences,
};
pub use questions::search::{Hit, HitKind, communicator_ranks, search};
pub use questions::stage_parts::Rounds;
pub use questions::stages::{Stage, stages};
pub use questions::target::Target;
pub use request::arranged::{Arranged, Fold, RowOptions, RowOrder, arrange, row_needs, row_options};
pub use request::names::SpanName;
pub use request::picked::Picked;
pub use request::print::PrintOptions;
pub use request::selection::{Between, CallRange, Selection, SelectionError, SelectionKind};
pub use request::tall::Tall;
pub use request::window::{RankSet, RankSetError, Window};
pub use request::{Emphasis, Framing, ViewRequest};
pub use scene::book::ColourBook;
pub use scene::opacity::opacity;
pub use scene::ramp::Palette;
pub use scene::space::{
    Aim, Axis3, Bounds, BoxMark, Camera, CameraOptions, Group, Label3, Point3, Scene3, SolidError, SolidId, Solids,
    SphereMark, Subject, TubeMark, Turn, Zoom,
};
pub use scene::theme::{Colours, Theme, regions_by_time};
pub use scene::ticks::{counted, duration_text, grouped};
pub use scene::{
    Anchor, Axis, Band, ColourBar, ColourId, Density, DiscMark, Extent, Ink, Label, Layer, LegendEntry, OpacityMap,
    PolygonMark, Raster, Rect, RectMark, Rgba, Scale, Scene, SegmentMark, Size, Spacing, Tick,
};
pub use views::activity::{ActivityColumns, Profile, efficiency, profile};
#[doc(hidden)]
pub use views::calls::calls_scene_from;
pub use views::calls::options::{CallHeight, CallStyle, CallsOptions, HeightScale};
pub use views::clusters::shown_clusters;
pub use views::dragonfly::{DragonflyOptions, GroupsAs};
pub use views::fattree::options::{ByLayer, ByTraffic, FatTreeOptions, SwitchesBy, Wires};
pub use views::histogram::{Bins, HistogramOptions, Shade};
pub use views::machine::loads::load_text;
pub use views::machine::motion::{
    Activity as MotionActivity, ActivityShown, MessagesBy, MotionKind, MotionOptions, Moving, MovingMessage,
    PlaneMarks, Shares, name_of_message,
};
pub use views::machine::options::{CableValue, MachineOptions};
pub use views::options::{ColourBy, DiagnosisOptions, EventOptions, MetricOptions, Shown};
pub use views::profile::{ProfileOptions, SortBy};
pub use views::progress::compare::compare_progress;
pub use views::progress::options::{
    DensityOptions, GanttOptions, GanttRows, GroupColour, Instant, NodeOrder, ProgressionOptions,
};
pub use views::selected::{event_at, regions_named};
pub use views::torus::mappings::MappingsOptions;
pub use views::torus::options::{LinksShown, TorusOptions};
pub use views::torus::space::SpaceOptions;
pub use views::{AxisKind, Choosing, Pointed, Step, UnknownView, View};
