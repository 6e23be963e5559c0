//! Where spans lie that are drawn one by one: every one of them has at least a pixel that no other paints over.
//!
//! Spans of a row are placed from left to right. One that is narrower than a pixel gets a whole one, and what follows gives
//! way, by no more than [`MOST_SHIFT`] pixels. What finds no room within that is not drawn, and counted. Edges lie on a grid
//! of [`GRID`] parts of a pixel: whoever draws rounds them to pixels, which keeps neighbours apart at every resolution.
//!
//! Where colours are of logical time only calls that communicate are placed like this, each as high as its row; the others
//! are a band behind them.

use heddle_model::{LocationId, SpanRow};

use super::{NESTING_HEIGHT, TimelinePicture};
use crate::lookup::enclosing::spans_in;
use crate::scene::Rect;

/// How far behind its end a span may be drawn, in pixels: too little to mislead, enough for a few short calls in a row.
const MOST_SHIFT: f32 = 3.0;
/// Parts of a pixel, a power of two: sums of them are exact.
const GRID: f32 = 8.0;
/// The least width of a span.
const LEAST: f32 = 1.0;
/// The same where colours are of logical time: one looks for the few that are late.
const LEAST_VALUED: f32 = 2.0;

/// The spans of a row, placed.
pub(super) struct Places {
    /// What is drawn, callers before the calls inside.
    pub(super) drawn: Vec<(SpanRow, Rect)>,
    /// How many spans have no pixel of their own.
    pub(super) lost: usize,
}

/// A placed span that others may lie inside of.
struct Open {
    depth: Option<u16>,
    right: f32,
    /// Where the next call inside may begin.
    free: f32,
    /// Whether the calls inside leave a pixel of it bare, and where the last of those ends that paint over it.
    is_bare: bool,
    covered: f32,
}

impl Open {
    /// A call inside paints over it.
    fn cover(&mut self, from: f32, to: f32) {
        self.is_bare |= from - self.covered >= LEAST;
        self.covered = to;
    }

    fn is_seen(&self) -> bool {
        self.is_bare || self.right - self.covered >= LEAST
    }
}

fn on_grid(x: f32) -> f32 {
    (x * GRID).round() / GRID
}

impl TimelinePicture<'_> {
    /// The vertical place of calls at a depth: each is inset from above, so that callers stay visible as a rim. Beyond the
    /// deepest that a row has room for, calls lie on each other.
    fn storey(&self, row: usize, depth: u16) -> (f32, f32) {
        if self.valued.is_some() || self.blamed.is_some() {
            return self.event_lane(row);
        }
        let height = self.height_of(row);
        let gap = if height >= 6.0 { (height * 0.05).clamp(1.0, 6.0) } else { 0.0 };
        let rim = on_grid((height * 0.12).clamp(2.5, 14.0));
        let deepest = if height >= NESTING_HEIGHT { (height * 0.6 / rim).floor() } else { 0.0 };
        let inset = f32::from(depth).min(deepest) * rim;
        (on_grid(self.y(row as f32)) + inset, (height - gap - inset).max(1.0))
    }

    fn least_width(&self) -> f32 {
        if self.valued.is_some() { LEAST_VALUED } else { LEAST }
    }

    /// Whether a span lies behind those that are coloured by logical time.
    fn is_band(&self, span: u64) -> bool {
        self.valued.as_ref().is_some_and(|valued| !valued.is_event(self.store, span))
    }

    /// Where a row's spans are drawn.
    pub(super) fn places(&self, row: usize, location: LocationId) -> Places {
        let spans = &self.store.spans;
        let mut places = Places { drawn: Vec::new(), lost: 0 };
        let mut placed = Vec::new();
        let (left, right, least) = (self.plot.x, self.plot.x + self.plot.width, self.least_width());
        let mut open = vec![Open { depth: None, right, free: left, is_bare: true, covered: left }];
        for span in spans_in(self.store, location, self.time).rows() {
            if self.emphasis.hides(spans.region.get(span)) {
                continue;
            }
            if self.is_band(span) {
                places.drawn.extend(self.band(row).map(|_| (SpanRow(span), self.natural_rect(row, SpanRow(span)))));
                continue;
            }
            let depth = spans.depth.get(span);
            while open.len() > 1 && open.last().is_some_and(|caller| caller.depth >= Some(depth)) {
                places.lost += usize::from(open.pop().is_some_and(|done| !done.is_seen()));
            }
            let Some(caller) = open.last_mut() else { break };
            let [from, to] = [spans.start.get(span), spans.end.get(span)].map(|time| on_grid(self.x(time)));
            // At the right end of its caller a short call moves to the left.
            let begin = from.min(caller.right - least).max(caller.free);
            let end = to.max(begin + least).min(caller.right.max(caller.free));
            if end - begin < least || begin + least > to + MOST_SHIFT {
                places.lost += 1;
                continue;
            }
            caller.free = end;
            let (y, height) = self.storey(row, depth);
            if caller.depth.is_some_and(|outer| self.storey(row, outer).0 >= y) {
                caller.cover(begin, end);
            }
            placed.push((SpanRow(span), Rect { x: begin, y, width: end - begin, height }));
            open.push(Open { depth: Some(depth), right: end, free: begin, is_bare: false, covered: begin });
        }
        places.lost += open.iter().filter(|done| !done.is_seen()).count();
        places.drawn.append(&mut placed);
        places
    }

    /// Where a span is drawn; one that is not drawn by itself, where it would be.
    pub(super) fn rect(&self, row: usize, span: SpanRow) -> Rect {
        if self.blamed.is_some() || !self.is_drawn_one_by_one(&self.count()) {
            return self.natural_rect(row, span);
        }
        let places = self.places(row, self.rows.locations()[row]);
        let drawn = places.drawn.into_iter().find(|(other, _)| *other == span);
        drawn.map_or_else(|| self.natural_rect(row, span), |(_, rect)| rect)
    }

    /// Where a span would lie if it were alone.
    fn natural_rect(&self, row: usize, span: SpanRow) -> Rect {
        let spans = &self.store.spans;
        let band = if self.is_band(span.0) { self.band(row) } else { None };
        let (y, height) = band.unwrap_or_else(|| self.storey(row, spans.depth.get(span.0)));
        let [from, to] = [spans.start.get(span.0), spans.end.get(span.0)].map(|time| self.x(time));
        Rect { x: from, y, width: (to - from).max(self.least_width()), height }
    }
}
