//! Metric overview: the sum of a metric over the events of each step, over the whole run.

use crate::picked::Picked;
use crate::request::ViewRequest;
use crate::scene::Scene;
use crate::trace::Trace;

/// The picture.
pub(crate) fn scene(trace: Trace<'_>, request: &ViewRequest) -> Scene {
    crate::logical::missing(trace, request, "metric overview")
}

/// What is at a place of it.
pub(crate) fn pick(_trace: Trace<'_>, _request: &ViewRequest, _at: (f32, f32)) -> Option<Picked> {
    None
}
