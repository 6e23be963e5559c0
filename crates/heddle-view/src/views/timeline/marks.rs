//! What is drawn one by one: spans, their names, messages, rare spans, the selection.

use rayon::prelude::*;

use heddle_model::{LocationId, RegionId, SpanRow};

use super::TimelinePicture;
use super::places::Places;
use crate::lookup::enclosing::children;
use crate::lookup::messages::{messages_of, received_in, sent_in};
use crate::request::window::shortened;
use crate::scene::frame::outline;
use crate::scene::theme::Colours;
use crate::scene::{Anchor, ColourId, Label, Rect, RectMark, Rgba, SegmentMark};

/// More lines than this are fainter and have no rim: calls must be seen between them.
const CROWD: usize = 500;
/// Width of the rim of a message's line.
const RIM: f32 = 3.0;
/// Up to so many messages are drawn as lines.
const MOST_LINES: usize = 4_000;
/// Rows lower than this have no room for lines between them.
const LINE_HEIGHT: f32 = 5.0;
/// A rare span around so many others (`main`, a phase) is not drawn on top of them.
const MANY_CALLS: u64 = 64;
/// Names inside spans: size of the font, room a character takes at most, and how many are still read.
const NAME_SIZE: f32 = 11.0;
const NAME_CHARACTER: f32 = 7.2;
const MOST_NAMES: usize = 400;
/// A longer name is shortened to what fits, but not to less than this.
const LEAST_CHARACTERS: usize = 8;

impl TimelinePicture<'_> {
    /// Every span in sight that has a place, and how many have no pixel of their own.
    pub(super) fn rects(&self) -> (Vec<RectMark>, usize) {
        let regions = &self.store.spans.region;
        let rows: Vec<Places> =
            self.rows.locations().par_iter().enumerate().map(|(row, location)| self.places(row, *location)).collect();
        let lost = rows.iter().map(|places| places.lost).sum();
        let mark = |(span, rect): (SpanRow, Rect)| {
            let colour = self.span_colour(span.0, regions.get(span.0));
            RectMark { rect, colour, span }
        };
        (rows.into_iter().flat_map(|places| places.drawn).map(mark).collect(), lost)
    }

    /// The colour of a span: by function, or by logical time where that is asked for.
    fn span_colour(&self, span: u64, region: RegionId) -> ColourId {
        match &self.valued {
            Some(valued) => self.valued_colour(valued, span),
            None => self.colour(region),
        }
    }

    /// The functions' names, inside the spans that have room for them.
    pub(super) fn names(&self, rects: &[RectMark], palette: &[Rgba]) -> Vec<Label> {
        let (mut names, depths) = (Vec::new(), &self.store.spans.depth);
        for (at, mark) in rects.iter().enumerate() {
            let region = self.store.spans.region.get(mark.span.0);
            let name = self.store.regions.name.get(u64::from(region.0));
            // The rim that calls inside leave free. What is deeper and next in the same row is such a call, what only touches
            // the right edge is not.
            let is_inside = |next: &&RectMark| {
                let is_deeper = depths.get(next.span.0) > depths.get(mark.span.0);
                is_deeper && (mark.rect.y..mark.rect.y + mark.rect.height).contains(&next.rect.y)
            };
            let inside = rects.get(at + 1).filter(|_| self.valued.is_none()).filter(is_inside);
            let free = inside.map_or(mark.rect.height, |next| next.rect.y - mark.rect.y);
            let room = ((mark.rect.width - 8.0) / NAME_CHARACTER).max(0.0) as usize;
            let is_legible = room >= name.chars().count() || room >= LEAST_CHARACTERS;
            if free < NAME_SIZE + 1.0 || !is_legible || names.len() >= MOST_NAMES {
                continue;
            }
            let middle = mark.rect.y + free.min(22.0) / 2.0;
            names.push(Label {
                at: (mark.rect.x + 4.0, middle + NAME_SIZE * 0.36),
                text: shortened(name, room),
                size: NAME_SIZE,
                colour: if self.emphasis.fades(region) {
                    self.colours.ink().faint
                } else {
                    Colours::ink_on(palette[usize::from(mark.colour.0)])
                },
                anchor: Anchor::Start,
            });
        }
        names
    }

    /// The y of a location's middle, also beyond the rows in sight.
    fn middle(&self, location: LocationId) -> f32 {
        // Out of sight: the line leaves the picture on the right side.
        self.middle_of(self.rows.row_or_beyond(location))
    }

    pub(super) fn line(&self, message: u64, width: f32, colour: ColourId) -> SegmentMark {
        let messages = &self.store.messages;
        SegmentMark {
            from: (self.x(messages.send.get(message)), self.middle(messages.send_location.get(message))),
            to: (self.x(messages.recv.get(message)), self.middle(messages.recv_location.get(message))),
            width,
            colour,
        }
    }

    /// Lines of the messages between locations in sight, but for those whose calls are hidden at both ends; `None` if they
    /// are too many, or rows too low, to tell them apart.
    pub(super) fn messages(&self) -> Option<Vec<SegmentMark>> {
        let messages = &self.store.messages;
        if self.row_height() < LINE_HEIGHT && !messages.is_empty() {
            return None;
        }
        let in_sight = |location: LocationId| self.rows.row_of(location).is_some();
        let mut lines = Vec::new();
        for location in self.rows.locations() {
            let sent = sent_in(self.store, *location, self.time);
            // What was sent before the window and is received in it.
            let received = received_in(self.store, *location, self.time)
                .filter(|message| messages.send.get(*message) < self.time.0)
                .filter(|message| in_sight(messages.send_location.get(*message)));
            let to_sight = sent.filter(|message| in_sight(messages.recv_location.get(*message)));
            for message in to_sight.chain(received).filter(|message| !self.hides_message(*message)) {
                if lines.len() >= MOST_LINES {
                    return None;
                }
                lines.push(self.line(message, 1.0, self.colours.message()));
            }
        }
        if lines.len() > CROWD {
            for line in &mut lines {
                line.colour = self.colours.message_crowd();
            }
            return Some(lines);
        }
        let rim = |line: &SegmentMark| SegmentMark { width: RIM, colour: self.colours.message_rim(), ..*line };
        Some(lines.iter().map(rim).chain(lines.iter().copied()).collect())
    }

    /// Whether the calls at both ends of a message are hidden: then nothing that is drawn has to do with it.
    fn hides_message(&self, message: u64) -> bool {
        let messages = &self.store.messages;
        let is_hidden = |span: SpanRow| span.is_some() && self.emphasis.hides(self.store.spans.region.get(span.0));
        !self.emphasis.hidden.is_empty()
            && is_hidden(messages.send_span.get(message))
            && is_hidden(messages.recv_span.get(message))
    }

    /// The messages of one span, also where others are left out.
    pub(super) fn messages_of(&self, span: SpanRow) -> Vec<SegmentMark> {
        let location = self.store.locations.of_span(span);
        let messages = &self.store.messages;
        messages_of(self.store, span, location)
            .filter(|(message, _)| {
                messages.send.get(*message) <= self.time.1 && messages.recv.get(*message) >= self.time.0
            })
            .take(MOST_LINES)
            .map(|(message, _)| self.line(message, 1.8, self.colours.accent()))
            .collect()
    }

    /// The line of the selected message.
    pub(super) fn selected_message(&self, message: u64) -> SegmentMark {
        self.line(message, 2.4, self.colours.accent())
    }

    /// A box around the selected span, if it is in sight.
    pub(super) fn selection(&self, span: SpanRow) -> Vec<RectMark> {
        let spans = &self.store.spans;
        let location = self.store.locations.of_span(span);
        let is_in_sight = spans.end.get(span.0) >= self.time.0 && spans.start.get(span.0) <= self.time.1;
        match self.rows.row_of(location) {
            Some(row) if is_in_sight => outline(self.rect(row, span), self.colours.accent()),
            _ => Vec::new(),
        }
    }

    /// Whether many calls are made inside a span: then they are what happened, and it is only where.
    fn encloses_many(&self, span: SpanRow, location: LocationId) -> bool {
        let depths = &self.store.spans.depth;
        let last = span.0 + MANY_CALLS;
        last < self.store.spans_of(location).end
            && depths.iter(span.0 + 1..last + 1).all(|depth| depth > depths.get(span.0))
    }

    /// Spans of rare regions in sight: where they are not in calls of their own, and at least a pixel of each.
    pub(super) fn rare(&self) -> Vec<RectMark> {
        let spans = &self.store.spans;
        let mut marks = Vec::new();
        for (region, span, location) in self.store.rare.spans() {
            let Some(row) = self.rows.row_of(location) else { continue };
            let (start, end) = (spans.start.get(span.0), spans.end.get(span.0));
            let is_in_sight = end >= self.time.0 && start <= self.time.1 && !self.emphasis.hides(region);
            if !is_in_sight || self.encloses_many(span, location) {
                continue;
            }
            let (y, height) = (self.y(row as f32), self.height_of(row));
            let colour = self.colour(region);
            marks.extend(self.own_stretches(span).into_iter().map(|(from, to)| RectMark {
                rect: Rect { x: from, y, width: (to - from).max(1.0), height: height.max(1.0) },
                colour,
                span,
            }));
        }
        marks
    }

    /// Where a span is itself what goes on, in pixels: painted over its calls it would hide what they show. Of stretches
    /// narrower than a pixel only the longest counts.
    fn own_stretches(&self, span: SpanRow) -> Vec<(f32, f32)> {
        let spans = &self.store.spans;
        let (start, end) = (spans.start.get(span.0), spans.end.get(span.0));
        let mut own = Vec::new();
        let mut free = start;
        for call in children(self.store, span.0) {
            let begins = spans.start.get(call);
            if begins > free {
                own.push((free, begins));
            }
            free = free.max(spans.end.get(call));
        }
        if end > free || free == start {
            own.push((free, end));
        }
        own.retain(|(from, to)| *to >= self.time.0 && *from <= self.time.1);
        let longest = own.iter().map(|(from, to)| to.0 - from.0).max().unwrap_or(0);
        let kept = own.into_iter().map(|(from, to)| (to.0 - from.0 == longest, self.x(from), self.x(to)));
        kept.filter(|(is_longest, from, to)| *is_longest || to - from >= 1.0).map(|(_, from, to)| (from, to)).collect()
    }
}
