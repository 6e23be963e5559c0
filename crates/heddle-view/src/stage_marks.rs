//! Stages of a run in a figure: thin lines where they change, and their names above the plot. The page draws its own.

use heddle_model::SpanRow;
use heddle_store::Store;

use crate::frame::x_of;
use crate::scene::{Anchor, Extent, Label, Layer, Rect, RectMark, Scene};
use crate::stages::stages;
use crate::theme::Colours;
use crate::window::Window;

/// Height of text, and the width of a letter of it, about.
const TEXT: f32 = 11.0;
const LETTER: f32 = 6.3;

/// Draws the stages of a window onto a picture of it, with names where they fit.
pub(crate) fn mark_stages(store: &Store, window: &Window, colours: &Colours, has_names: bool, scene: &mut Scene) {
    let Extent::Time(from, to) = scene.x_axis.extent else { return };
    let stages = stages(store, window);
    if stages.len() < 2 {
        return;
    }
    let (plot, ink) = (scene.plot, colours.ink());
    let mut marks = Vec::new();
    for (at, stage) in stages.iter().enumerate() {
        let [left, right] = [stage.start, stage.end].map(|moment| x_of((from, to), plot, moment));
        if at > 0 {
            let rect = Rect { x: left.round(), y: plot.y, width: 1.0, height: plot.height };
            marks.push(RectMark { rect, colour: ink.faint, span: SpanRow::NONE });
        }
        let room = ((right - left - 8.0) / LETTER) as usize;
        if has_names && stage.name.chars().count() <= room {
            let (at, text) = ((left + 4.0, plot.y - 5.0), stage.name.clone());
            scene.labels.push(Label { at, text, size: TEXT, colour: ink.text, anchor: Anchor::Start });
        }
    }
    scene.layers.push(Layer::Rects(marks));
}
