//! Stages of a run in a figure: thin lines where they change. The page draws its own, with names.

use heddle_model::SpanRow;
use heddle_store::Store;

use crate::questions::stages::stages;
use crate::request::window::Window;
use crate::scene::frame::x_of;
use crate::scene::theme::Colours;
use crate::scene::{Extent, Layer, Rect, RectMark, Scene};

/// Draws the borders between the stages of a window onto a picture of it.
pub(crate) fn mark_stages(store: &Store, window: &Window, colours: &Colours, scene: &mut Scene) {
    let Extent::Time(from, to) = scene.x_axis.extent else { return };
    let plot = scene.plot;
    let border = |x: f32| RectMark {
        rect: Rect { x: x.round(), y: plot.y, width: 1.0, height: plot.height },
        colour: colours.ink().faint,
        span: SpanRow::NONE,
    };
    let stages = stages(store, window);
    if stages.len() > 1 {
        let borders = stages.iter().skip(1).map(|stage| border(x_of((from, to), plot, stage.start)));
        scene.layers.push(Layer::Rects(borders.collect()));
        // Figures have room for few notes: it goes with the last.
        if let Some(note) = scene.notes.last_mut() {
            note.push_str(" Vertical lines: where stages of the run begin.");
        }
    }
}
