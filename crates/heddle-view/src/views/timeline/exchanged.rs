//! The lines of selected messages: those from some ranks to others, wherever there is room for lines or not.

use super::TimelinePicture;
use crate::lookup::messages::{received_in, sent_in};
use crate::questions::messages::{ends_of, wanted};
use crate::request::ViewRequest;
use crate::request::selection::{Between, Selection};
use crate::scene::ticks::grouped;
use crate::scene::{Layer, Scene, SegmentMark};

/// More lines than these cover the calls below them.
const MOST_LINES: usize = 2_000;
/// Width of a line; of many, of each.
const WIDTHS: (f32, f32) = (1.8, 1.0);
const MANY: usize = 200;

impl TimelinePicture<'_> {
    /// Draws the selected messages that are on their way in the window.
    pub(super) fn draw_exchanged(&self, request: &ViewRequest, scene: &mut Scene) {
        let Some(Selection::Messages(between)) = &request.emphasis.selected else { return };
        let (found, is_all) = self.exchanged(request, between);
        if !is_all {
            let drawn = grouped(found.len() as u64);
            scene.notes.push(format!("Lines of {drawn} selected messages; there are more: zoom in to see them."));
        }
        let width = if found.len() > MANY { WIDTHS.1 } else { WIDTHS.0 };
        let lines: Vec<SegmentMark> =
            found.into_iter().map(|message| self.line(message, width, self.colours.accent())).collect();
        scene.layers.push(Layer::Segments(lines));
    }

    /// The selected messages in the window, and whether that is all of them. Of many senders each has its share.
    fn exchanged(&self, request: &ViewRequest, between: &Between) -> (Vec<u64>, bool) {
        let (store, messages) = (self.store, &self.store.messages);
        let wanted = wanted(between, &request.emphasis);
        let (senders, receivers) = ends_of(store, &request.window, between);
        let is_meant = |message: &u64| {
            let call = messages.send_span.get(*message);
            wanted.communicator.is_none_or(|comm| messages.comm.get(*message) == comm)
                && !(call.is_some() && self.emphasis.hides(store.spans.region.get(call.0)))
        };
        let share = (MOST_LINES / senders.len().max(1)).max(1);
        let (mut found, mut is_all) = (Vec::new(), true);
        for sender in &senders {
            let mut sent = sent_in(store, *sender, self.time)
                .filter(|message| receivers.binary_search(&messages.recv_location.get(*message)).is_ok())
                .filter(is_meant);
            found.extend(sent.by_ref().take(share));
            is_all &= sent.next().is_none();
            if found.len() >= MOST_LINES {
                return (found, false);
            }
        }
        // What was sent before the window and is received in it; what passes by is found above.
        for receiver in &receivers {
            let mut received = received_in(store, *receiver, self.time)
                .filter(|message| messages.send.get(*message) < self.time.0)
                .filter(|message| senders.binary_search(&messages.send_location.get(*message)).is_ok())
                .filter(is_meant);
            found.extend(received.by_ref().take(MOST_LINES - found.len()));
            if received.next().is_some() {
                return (found, false);
            }
        }
        (found, is_all)
    }
}
