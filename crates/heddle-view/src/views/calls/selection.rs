//! The selected call and all calls of its process, on top of the others.

use heddle_model::{Ns, SpanRow};
use rustc_hash::FxHashSet;

use super::CallsPicture;
use super::arches::Arch;
use super::options::CallStyle;
use super::scatter::{Having, Seen};
use crate::scene::frame::outline;
use crate::scene::theme::Colours;
use crate::scene::{ColourId, Layer, Rect, RectMark, Scene};

/// Width of a point and of a line.
const POINT: f32 = 2.0;
/// Half the width of what the pointer finds.
const HALF: f32 = 3.0;

impl CallsPicture<'_> {
    /// Draws the calls of the selected one's process, one mark a pixel at most, and a box around it.
    pub(super) fn select(&self, span: SpanRow, style: CallStyle, colours: &Colours, scene: &mut Scene) {
        let location = self.store.locations.of_span(span);
        let Some(at) = self.calls_of.row_of(location) else { return };
        let ink = colours.ink().strong;
        let mut marks = Vec::new();
        let mut taken = FxHashSet::default();
        let mut selected = None;
        self.visit(at, self.time_in_sight(), Having::of(style), |call| {
            if call.span == span.0 {
                selected = Some(call);
            }
            let place = [self.column(call.start), self.column(call.end), self.row(call.level)];
            if taken.insert(place) {
                self.mark(&call, style, ink, POINT, &mut marks);
            }
        });
        scene.layers.push(Layer::Rects(marks));
        if let Some(call) = selected {
            let mut marks = Vec::new();
            if matches!(style, CallStyle::Lines | CallStyle::Arches) {
                self.mark(&call, style, colours.accent(), POINT + 1.0, &mut marks);
            } else {
                marks = outline(self.box_of(&call, style), colours.accent());
            }
            scene.layers.push(Layer::Rects(marks));
        }
    }

    /// A call as marks of one colour.
    fn mark(&self, call: &Seen, style: CallStyle, colour: ColourId, size: f32, marks: &mut Vec<RectMark>) {
        let mut add = |rect: Rect| marks.push(RectMark { rect, colour, span: SpanRow(call.span) });
        if style == CallStyle::Arches {
            let [from, to] = [call.start, call.end].map(|time| self.place(time));
            let floor = self.plot.y + self.plot.height;
            let (across, down) = self.cell();
            let arch = Arch { from, to, height: f64::from(call.level) + 0.5 };
            arch.for_each_column(0..self.columns, |column, heights| {
                let height = (heights.end - heights.start) as f32 * down;
                let (x, y) = (self.plot.x + column as f32 * across, floor - heights.end as f32 * down);
                add(Rect { x, y, width: across.max(size / 1.5), height });
            });
            return;
        }
        let area = self.box_of(call, style);
        let (x, width) = match style {
            CallStyle::Lines => (area.x, area.width.max(1.0)),
            _ => (area.x + HALF - size / 2.0, size),
        };
        let height = size.max(self.band_height());
        add(Rect { x, y: self.y(call.level) - height / 2.0, width, height });
    }

    /// Where a call is drawn, a little larger than it is.
    pub(super) fn box_of(&self, call: &Seen, style: CallStyle) -> Rect {
        let right = self.plot.x + self.plot.width;
        let x = |time: Ns| self.x(time).clamp(self.plot.x, right);
        let y = self.y(call.level);
        let height = (2.0 * HALF).max(self.band_height());
        let point = |x: f32| Rect { x: x - HALF, y: y - height / 2.0, width: 2.0 * HALF, height };
        match style {
            CallStyle::PointsStart => point(x(call.start)),
            CallStyle::PointsEnd => point(x(call.end)),
            CallStyle::Lines => {
                Rect { x: x(call.start), y: y - height / 2.0, width: x(call.end) - x(call.start), height }
            }
            CallStyle::Arches => {
                let bottom = self.plot.y + self.plot.height;
                Rect { x: x(call.start), y, width: x(call.end) - x(call.start), height: bottom - y }
            }
        }
    }
}
