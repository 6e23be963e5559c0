//! Logical timeline: ranks over steps, as equal boxes coloured by a metric.

use crate::frame::{frame, plot_area};
use crate::picked::Picked;
use crate::request::ViewRequest;
use crate::scene::Scene;
use crate::theme::Colours;
use crate::trace::Trace;

/// The picture.
pub(crate) fn scene(trace: Trace<'_>, request: &ViewRequest) -> Scene {
    missing(trace, request, "logical timeline")
}

/// What is at a place of it.
pub(crate) fn pick(_trace: Trace<'_>, _request: &ViewRequest, _at: (f32, f32)) -> Option<Picked> {
    None
}

/// An empty picture that says why it is empty.
pub(crate) fn missing(trace: Trace<'_>, request: &ViewRequest, what: &str) -> Scene {
    let colours = Colours::of(trace.store, request.theme);
    let plot = plot_area(trace.store, request);
    let title = format!("{} · {what}", trace.store.name());
    let time = request.window.time(trace.store);
    let mut scene = frame(request, plot, title, time, &colours, Vec::new());
    scene.x_axis.ticks.clear();
    scene.notes.push("This trace has no logical time: there is no communication to order.".to_owned());
    scene
}
