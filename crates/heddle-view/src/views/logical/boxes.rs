//! Every event as a box.

use super::LogicalPicture;
use crate::scene::ramp::Tone;
use crate::scene::{Layer, Rect, RectMark, Scene};
use crate::views::cause::DrawnCause;
use crate::views::options::ColourBy;

/// Wider columns than this, and higher lines, have gaps; boxes with gaps on all sides have borders.
const GAP_SIDE: f32 = 12.0;

impl LogicalPicture<'_> {
    /// Aggregates, messages, boxes, marks of collectives: in this order, one over the other.
    pub(super) fn boxes(&self, scene: &mut Scene) {
        let (mut events, mut aggregates, mut marks) = (Vec::new(), Vec::new(), Vec::new());
        let bright = self.bright();
        let tones = |event: u64| match &bright {
            Some(bright) if bright.binary_search(&event).is_err() => (Tone::Dimmed, Tone::DimmedPale),
            _ => (Tone::Full, Tone::Pale),
        };
        let has_borders = self.row_height() > GAP_SIDE && self.column_width() > 2.0 * GAP_SIDE;
        let (regions, emphasis) = (&self.store.spans.region, &self.request.emphasis);
        let mut drawn: Vec<(usize, u64)> = Vec::new();
        for (row, events_of) in self.event_rows.iter().enumerate().filter(|(_, events_of)| **events_of != u32::MAX) {
            for event in self.logical.events_in(*events_of, self.steps_in_sight()) {
                let span = self.logical.events.span.get(event);
                let region = regions.get(span.0);
                if emphasis.hides(region) {
                    continue;
                }
                let step = self.logical.events.step.get(event);
                let (mut tone, mut pale) = tones(event);
                if emphasis.fades(region) {
                    (tone, pale) = (Tone::Dimmed, Tone::DimmedPale);
                }
                if self.asked.aggregates {
                    let colour = match self.colour_by() {
                        ColourBy::Metric => self.scaled.colour(self.data.aggregate(event) as f32, step..step + 1, pale),
                        ColourBy::Phase => self.ramp.phase(self.logical.events.phase.get(event), pale),
                        _ => self.ramp.depth(0, pale),
                    };
                    aggregates.push(RectMark { rect: self.aggregate_rect(row, step), colour, span });
                }
                let rect = self.event_rect(row, step);
                if has_borders {
                    let border =
                        Rect { x: rect.x - 1.0, y: rect.y - 1.0, width: rect.width + 2.0, height: rect.height + 2.0 };
                    events.push(RectMark { rect: border, colour: self.ramp.border(), span });
                    // What lies beneath must not show through.
                    events.push(RectMark { rect, colour: self.colours.background(), span });
                }
                events.push(RectMark { rect, colour: self.event_colour(event, tone), span });
                drawn.push((row, event));
            }
        }
        scene.notes.push(self.count_note(drawn.len() as u64));
        scene.layers.push(Layer::Rects(aggregates));
        if self.drawn.messages {
            match self.links(&drawn) {
                Some(links) => {
                    scene.layers.push(Layer::Segments(links.lines));
                    marks = links.dots;
                }
                None => scene.notes.push(
                    "Messages and collectives are left out: there are too many, or there is no room for them."
                        .to_owned(),
                ),
            }
        }
        scene.layers.push(Layer::Rects(events));
        if !marks.is_empty() {
            scene.layers.push(Layer::Rects(marks));
        }
    }

    /// The events that stay bright while one is selected, ascending: itself, its partners, and where its
    /// lateness came from. None if nothing is selected.
    fn bright(&self) -> Option<Vec<u64>> {
        let (_, events) = self.selected()?;
        let mut bright: Vec<u64> = events.clone().collect();
        for event in events {
            bright.extend(self.logical.senders(self.store, event));
            bright.extend(self.logical.receivers(self.store, event));
            bright.extend(self.logical.members(self.store, event));
        }
        bright.extend(self.cause.iter().flat_map(DrawnCause::stops).map(|stop| stop.event));
        bright.sort_unstable();
        bright.dedup();
        // While none of them is in sight nothing fades: it would only make the picture pale.
        let steps = self.steps_in_sight();
        let is_in_sight = |event: &u64| {
            let is_here = steps.contains(&self.logical.events.step.get(*event));
            is_here && self.row_of(self.logical.row_of(*event)).is_some()
        };
        bright.iter().any(is_in_sight).then_some(bright)
    }
}
