//! Views of a torus: projected to a plane, as three small maps, and in space.

pub(crate) mod chosen;
pub(crate) mod loads;
pub(crate) mod mappings;
pub(crate) mod minimaps;
pub(crate) mod nodes;
pub(crate) mod options;
pub(crate) mod process_grid;
pub(crate) mod projected;
pub(crate) mod shown;
pub(crate) mod slices;
pub(crate) mod space;
pub(crate) mod told;
mod words;

use crate::request::selection::SelectionKind;
use crate::request::{Framing, ViewRequest};
use crate::scene::theme::Colours;
use crate::scene::{Rect, Rgba, Scene};

/// What all pictures of a machine show by themselves when it is selected.
const SELECTIONS: &[SelectionKind] = &[
    SelectionKind::Nodes,
    SelectionKind::Link,
    SelectionKind::Ranks,
    SelectionKind::Cluster,
    SelectionKind::Phase,
    SelectionKind::Event,
    SelectionKind::Span,
];

/// Where the plot is: coordinates stand at its left and below it.
fn plot_area(request: &ViewRequest) -> Rect {
    let (width, height) = (request.size.width as f32, request.size.height as f32);
    let [left, top, right, bottom] = match request.framing {
        Framing::Figure => [44.0, 44.0, 222.0, 78.0],
        Framing::Strip => [2.0, 2.0, 2.0, 2.0],
        _ => [34.0, 18.0, 34.0, 26.0],
    };
    Rect { x: left, y: top, width: (width - left - right).max(1.0), height: (height - top - bottom).max(1.0) }
}

/// An empty picture with everything around the plot.
fn frame(request: &ViewRequest, plot: Rect, title: String, colours: &Colours, palette: Vec<Rgba>) -> Scene {
    let left = plot.x + plot.width + 24.0;
    let width = (request.size.width as f32 - left - 16.0).max(0.0);
    Scene {
        background: colours.background(),
        title: if request.framing == Framing::Figure { title } else { String::new() },
        legend_area: Rect { x: left, y: plot.y, width, height: plot.height },
        ..Scene::empty(request.size, plot, palette, colours.ink())
    }
}

/// A picture of no machine.
fn nothing(request: &ViewRequest, plot: Rect, colours: &Colours) -> Scene {
    let mut scene = frame(request, plot, String::new(), colours, colours.palette());
    scene.notes.push("There is no torus to show.".to_owned());
    scene
}
