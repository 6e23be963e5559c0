//! All views by name: the one place where the command line, the server and the tests find them.

use std::str::FromStr;

use crate::picked::Picked;
use crate::request::{ColourBy, ViewRequest};
use crate::scene::Scene;
use crate::trace::Trace;
use crate::{activity, calls, logical, metric, timeline};

/// A view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Share of ranks inside each function over time.
    Activity,
    /// Calls by time and duration, whatever their rank.
    Calls,
    /// Ranks over logical steps.
    Logical,
    /// The sum of a metric over each logical step.
    Metric,
    /// Locations over time.
    Timeline,
}

/// There is no view of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no view `{0}`; there are {views}", views = View::ALL.map(View::name).join(", "))]
pub struct UnknownView(String);

impl FromStr for View {
    type Err = UnknownView;

    fn from_str(name: &str) -> Result<View, UnknownView> {
        View::ALL.into_iter().find(|view| view.name() == name).ok_or_else(|| UnknownView(name.to_owned()))
    }
}

impl View {
    /// All of them.
    pub const ALL: [View; 5] = [View::Activity, View::Calls, View::Logical, View::Metric, View::Timeline];

    /// Its name on the command line and in addresses.
    pub const fn name(self) -> &'static str {
        match self {
            View::Activity => "activity",
            View::Calls => "calls",
            View::Logical => "logical",
            View::Metric => "metric",
            View::Timeline => "timeline",
        }
    }

    /// Whether the picture needs logical time: without it there is only a note that says so.
    pub fn needs_logical(self, request: &ViewRequest) -> bool {
        match self {
            View::Activity | View::Calls => false,
            View::Logical | View::Metric => true,
            View::Timeline => {
                request.logical.path || matches!(request.logical.colour, Some(ColourBy::Metric | ColourBy::Phase))
            }
        }
    }

    /// The picture.
    pub fn scene<'a>(self, trace: impl Into<Trace<'a>>, request: &ViewRequest) -> Scene {
        let trace = trace.into();
        match self {
            View::Activity => activity::scene(trace.store, request),
            View::Calls => calls::scene(trace.store, request),
            View::Logical => logical::scene(trace, request),
            View::Metric => metric::scene(trace, request),
            View::Timeline => timeline::scene(trace, request),
        }
    }

    /// What is drawn at a place of that picture.
    pub fn pick<'a>(self, trace: impl Into<Trace<'a>>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
        let trace = trace.into();
        match self {
            View::Activity => activity::pick(trace.store, request, at),
            View::Calls => calls::pick(trace.store, request, at),
            View::Logical => logical::pick(trace, request, at),
            View::Metric => metric::pick(trace, request, at),
            View::Timeline => timeline::pick(trace, request, at),
        }
    }
}
