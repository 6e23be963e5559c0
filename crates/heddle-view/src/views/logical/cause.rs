//! Where a lateness came from, over boxes or cells.

use heddle_logical::Stop;

use super::LogicalPicture;
use crate::scene::frame::outline;
use crate::scene::{Layer, Rect, Scene, SegmentMark};
use crate::views::cause::DrawnCause;

impl LogicalPicture<'_> {
    /// Where a stop is drawn, if its rank is in sight.
    fn stop_rect(&self, stop: &Stop) -> Option<Rect> {
        let row = self.row_of(self.logical.row_of(stop.event))?;
        let step = self.logical.events.step.get(stop.event);
        let is_beside = stop.is_aggregate && self.asked.aggregates;
        Some(if is_beside { self.aggregate_rect(row, step) } else { self.event_rect(row, step) })
    }

    /// A line from stop to stop, and a box around the one where most of the lateness arose.
    pub(super) fn draw_cause(&self, cause: &DrawnCause, scene: &mut Scene) {
        let colour = self.ramp.cause();
        let middle = |rect: Rect| (rect.x + rect.width / 2.0, rect.y + rect.height / 2.0);
        let places: Vec<Option<Rect>> = cause.stops().iter().map(|stop| self.stop_rect(stop)).collect();
        let picture = self.plot.x..=self.plot.x + self.plot.width;
        let lines = places.windows(2).filter_map(|pair| {
            // Stops go back in time.
            let (to, from) = (middle(pair[0]?), middle(pair[1]?));
            let is_in_sight = from.0.min(to.0) <= *picture.end() && from.0.max(to.0) >= *picture.start();
            is_in_sight.then_some(SegmentMark { from, to, width: 2.0, colour })
        });
        scene.layers.push(Layer::Segments(lines.collect()));
        let stop = cause.origin();
        let origin = self.stop_rect(&stop).and_then(|own| {
            let event = self.stop_rect(&Stop { is_aggregate: false, ..stop })?;
            let x = own.x.min(event.x);
            Some(Rect { x, width: event.x + event.width - x, ..event })
        });
        if let Some(area) = origin.filter(|area| picture.contains(&(area.x + area.width / 2.0))) {
            let wide = Rect { x: area.x - 2.0, y: area.y - 1.0, width: area.width + 4.0, height: area.height + 2.0 };
            scene.layers.push(Layer::Rects(outline(wide, colour)));
        }
        scene.notes.splice(0..0, cause.note(self.store, self.data));
    }
}
