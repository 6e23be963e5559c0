//! Where a lateness came from, over time.

use heddle_logical::Stop;
use heddle_model::Ns;

use super::TimelinePicture;
use crate::analyses::LogicalData;
use crate::scene::frame::outline;
use crate::scene::ramp::Ramp;
use crate::scene::{Layer, Rect, Scene, SegmentMark};
use crate::views::cause::DrawnCause;

impl TimelinePicture<'_> {
    /// A line from stop to stop, and a box around what took too long.
    pub(super) fn draw_cause(&self, data: &LogicalData, cause: &DrawnCause, ramp: Ramp, scene: &mut Scene) {
        let (logical, colour) = (&data.logical, ramp.cause());
        let row_of = |stop: &Stop| {
            let location = logical.rows.location.get(u64::from(logical.row_of(stop.event)));
            self.rows.row_of(location)
        };
        // Where a stop hands its lateness on: at its end.
        let end = |stop: &Stop| {
            let (enter, leave) = (logical.events.enter.get(stop.event), logical.events.leave.get(stop.event));
            if stop.is_aggregate { enter } else { leave }
        };
        let is_in_sight = |from: Ns, to: Ns| from <= self.time.1 && to >= self.time.0;
        let point = |stop: &Stop| Some((self.x(end(stop)), self.middle_of(row_of(stop)? as f32)));
        let lines = cause.stops().windows(2).filter_map(|pair| {
            let (to, from) = (&pair[0], &pair[1]);
            is_in_sight(end(from), end(to)).then_some(())?;
            Some(SegmentMark { from: point(from)?, to: point(to)?, width: 2.0, colour })
        });
        scene.layers.push(Layer::Segments(lines.collect()));
        let origin = cause.origin();
        if let Some(row) = row_of(&origin) {
            let event = origin.event;
            let is_first = logical.events_of(logical.row_of(event)).start == event;
            let start = match (origin.is_aggregate, is_first) {
                (false, _) => logical.events.enter.get(event),
                (true, true) => Ns(0),
                (true, false) => logical.events.leave.get(event - 1),
            };
            let (from, to) = (self.x(start), self.x(end(&origin)));
            if is_in_sight(start, end(&origin)) {
                let (y, height) = (self.y(row as f32), self.height_of(row));
                let area = Rect { x: from, y, width: (to - from).max(1.0), height };
                scene.layers.push(Layer::Rects(outline(area, colour)));
            }
        }
        scene.notes.splice(0..0, cause.note(self.store, data));
    }
}
