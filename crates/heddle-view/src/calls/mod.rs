//! Calls: every call of every rank in the window against time, whatever its rank.

mod density;

use heddle_store::Store;

use crate::frame::{frame, plot_area};
use crate::picked::Picked;
use crate::request::ViewRequest;
use crate::scene::{Layer, Scene};
use crate::theme::Colours;

use density::DensityBuffer;

/// The picture.
pub(crate) fn scene(store: &Store, request: &ViewRequest) -> Scene {
    let colours = Colours::of(store, request.theme);
    let plot = plot_area(store, request);
    let title = format!("{} · calls", store.name());
    let mut scene = frame(request, plot, title, request.window.time(store), &colours, Vec::new());
    let buffer = DensityBuffer::new(plot.width as u32, plot.height as u32);
    scene.layers.push(Layer::Density(buffer.finish(request.calls.opacity, request.calls.least)));
    scene
}

/// The call at a place.
pub(crate) fn pick(_store: &Store, _request: &ViewRequest, _at: (f32, f32)) -> Option<Picked> {
    None
}
