//! What all views of a machine share, whatever its shape: loads and their colours, what is selected, what things are called.

pub(crate) mod chosen;
pub(crate) mod loads;
pub(crate) mod motion;
pub(crate) mod nodes;
pub(crate) mod options;
pub(crate) mod process_grid;
pub(crate) mod told;

use crate::request::selection::SelectionKind;
use crate::request::{Framing, ViewRequest};
use crate::scene::theme::Colours;
use crate::scene::{Rect, Rgba, Scene};

/// What pictures of a machine show by themselves when it is selected, where ways of messages are drawn.
pub(crate) const WITH_MESSAGES: &[SelectionKind] = &[
    SelectionKind::Nodes,
    SelectionKind::Link,
    SelectionKind::Ranks,
    SelectionKind::Cluster,
    SelectionKind::Phase,
    SelectionKind::Event,
    SelectionKind::Span,
    SelectionKind::Message,
];

/// The same where they are not.
pub(crate) const SELECTIONS: &[SelectionKind] = match WITH_MESSAGES.split_last() {
    Some((_, others)) => others,
    None => &[],
};

/// An empty picture with everything around the plot.
pub(crate) fn frame(request: &ViewRequest, plot: Rect, title: String, colours: &Colours, palette: Vec<Rgba>) -> Scene {
    let left = plot.x + plot.width + 24.0;
    let width = (request.size.width as f32 - left - 16.0).max(0.0);
    Scene {
        background: colours.background(),
        title: if request.framing == Framing::Figure { title } else { String::new() },
        legend_area: Rect { x: left, y: plot.y, width, height: plot.height },
        ..Scene::empty(request.size, plot, palette, colours.ink())
    }
}
