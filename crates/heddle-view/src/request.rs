//! What is asked of a view: which part of the trace, what to stress, how large, in which frame.

use heddle_logical::Metric;
use heddle_model::{CommId, MetricId, Ns, RegionId, SpanRow};

use crate::scene::{OpacityMap, Size};
use crate::theme::Theme;
use crate::window::Window;

/// A question to a view. The same question gives the same scene.
#[derive(Clone, Debug)]
pub struct ViewRequest {
    /// Which part of the trace.
    pub window: Window,
    /// What stands out, what recedes.
    pub emphasis: Emphasis,
    /// Light or dark.
    pub theme: Theme,
    /// What to draw around the plot.
    pub framing: Framing,
    /// Size of the picture.
    pub size: Size,
    /// What only the call view heeds.
    pub calls: CallsOptions,
    /// What only views of logical time, and colours by it, heed.
    pub logical: LogicalView,
}

/// How calls are drawn, and which.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallsOptions {
    /// What a call looks like.
    pub style: CallStyle,
    /// What its height means.
    pub y: CallHeight,
    /// How heights are spaced. Ranks are always spaced evenly.
    pub scale: Spacing,
    /// How a figure turns density into opacity.
    pub opacity: OpacityMap,
    /// Opacity of a single call.
    pub least: f32,
    /// Only calls that last at least the first and at most the second.
    pub durations: Option<(Ns, Ns)>,
    /// Only calls that send and receive at least the first and at most the second, in bytes.
    pub bytes: Option<(u64, u64)>,
    /// Only calls that send, receive or take part in a collective in this communicator.
    pub communicator: Option<CommId>,
}

impl CallsOptions {
    /// What `--omin` is if it is not given, here and on the page.
    pub const LEAST: f32 = 0.4;

    /// Whether it takes messages and collectives to know which calls are drawn, and where.
    pub(crate) fn needs_traffic(&self) -> bool {
        self.y == CallHeight::Bytes || self.bytes.is_some() || self.communicator.is_some()
    }

    /// Whether a call's traffic passes the filters. One without traffic has zero bytes, in no communicator.
    #[inline]
    pub(crate) fn has_traffic(&self, bytes: Option<u64>) -> bool {
        (self.communicator.is_none() || bytes.is_some())
            && self.bytes.is_none_or(|(least, most)| (least..=most).contains(&bytes.unwrap_or(0)))
    }

    /// Whether a call is long and short enough.
    #[inline]
    pub(crate) fn has_duration(&self, ns: i64) -> bool {
        self.durations.is_none_or(|(least, most)| (least.0..=most.0).contains(&ns))
    }
}

impl Default for CallsOptions {
    fn default() -> CallsOptions {
        CallsOptions {
            style: CallStyle::PointsEnd,
            y: CallHeight::Duration,
            scale: Spacing::Logarithmic,
            opacity: OpacityMap::Logarithmic,
            least: CallsOptions::LEAST,
            durations: None,
            bytes: None,
            communicator: None,
        }
    }
}

/// What a call looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallStyle {
    /// A point at its end.
    #[default]
    PointsEnd,
    /// A point at its start.
    PointsStart,
    /// A line from start to end.
    Lines,
    /// An arch from start to end, its top at the height of the call.
    Arches,
}

impl CallStyle {
    /// All of them, by their names on the command line and in addresses.
    pub const WORDS: [(&str, CallStyle); 4] = [
        ("points-end", CallStyle::PointsEnd),
        ("points-start", CallStyle::PointsStart),
        ("lines", CallStyle::Lines),
        ("arches", CallStyle::Arches),
    ];
}

/// What the height of a call means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallHeight {
    /// How long it lasts.
    #[default]
    Duration,
    /// Bytes that it sends and receives.
    Bytes,
    /// The rank that makes it.
    Rank,
    /// What a counter says of it.
    Metric(MetricId),
}

impl CallHeight {
    /// What stands before the name of a counter.
    pub const METRIC: &str = "metric:";

    /// All but counters, by their names on the command line and in addresses.
    pub const WORDS: [(&str, CallHeight); 3] =
        [("duration", CallHeight::Duration), ("bytes", CallHeight::Bytes), ("rank", CallHeight::Rank)];
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

impl Spacing {
    /// Both, by their names on the command line and in addresses.
    pub const WORDS: [(&str, Spacing); 2] = [("log", Spacing::Logarithmic), ("linear", Spacing::Linear)];
}

/// How logical time is drawn, and which part of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogicalView {
    /// From and to, in steps: step s takes from s to s + 1. All if not given.
    pub steps: Option<(f64, f64)>,
    /// What colours mean.
    pub metric: Metric,
    /// Values at the ends of the scale of colours; from 0 to the largest if not given.
    pub range: Option<(f64, f64)>,
    /// The scale of colours ends at the largest value of each step.
    pub relative: bool,
    /// Whether what lies between events is drawn.
    pub aggregates: bool,
    /// Whether messages and collectives are drawn.
    pub messages: bool,
    /// What calls are coloured by; if not given, by function in a timeline and by the metric in logical time.
    pub colour: Option<ColourBy>,
    /// Colours of the metric.
    pub palette: Palette,
    /// Whether the way is drawn on which the lateness of the selected call came.
    pub path: bool,
}

impl Default for LogicalView {
    fn default() -> LogicalView {
        LogicalView {
            steps: None,
            metric: Metric::Lateness,
            range: None,
            relative: false,
            aggregates: true,
            messages: true,
            colour: None,
            palette: Palette::Diverging,
            path: false,
        }
    }
}

/// What calls are coloured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourBy {
    /// Which function was called.
    Function,
    /// The metric.
    Metric,
    /// The phase.
    Phase,
}

impl ColourBy {
    /// All of them, by their names on the command line and in addresses.
    pub const WORDS: [(&str, ColourBy); 3] =
        [("function", ColourBy::Function), ("metric", ColourBy::Metric), ("phase", ColourBy::Phase)];
}

/// Colours of a range of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// From what recedes over a neutral middle to what stands out.
    #[default]
    Diverging,
    /// One hue, from what recedes to what stands out.
    Sequential,
}

impl Palette {
    /// Both, by their names on the command line and in addresses.
    pub const WORDS: [(&str, Palette); 2] = [("diverging", Palette::Diverging), ("sequential", Palette::Sequential)];
}

/// What the user pointed at: it stands out, the rest fades but does not vanish.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Emphasis {
    /// Regions that stand out; if there are none, nothing fades.
    pub highlighted: Vec<RegionId>,
    /// Regions that are not drawn.
    pub hidden: Vec<RegionId>,
    /// The span that is selected.
    pub selected: Option<SpanRow>,
}

impl Emphasis {
    /// Whether a region fades because others stand out.
    pub(crate) fn fades(&self, region: RegionId) -> bool {
        !self.highlighted.is_empty() && !self.highlighted.contains(&region)
    }

    /// Whether a region is not drawn.
    pub(crate) fn hides(&self, region: RegionId) -> bool {
        self.hidden.contains(&region)
    }
}

/// What stands around the plot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// Title, axes, legend and notes: a figure that explains itself.
    #[default]
    Figure,
    /// Axes only: the page has its own title and legend.
    Pane,
    /// The same with room at the right for what stands beside the plot, the same in all views on one axis of time.
    Wide,
    /// A thin time axis only.
    Strip,
}

impl Framing {
    /// Whether the page has title and legend of its own.
    pub(crate) fn is_pane(self) -> bool {
        matches!(self, Framing::Pane | Framing::Wide)
    }
}
