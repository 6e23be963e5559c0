//! Messages and collectives between boxes.

use heddle_logical::Kind;

use super::LogicalPicture;
use crate::scene::{Rect, RectMark, SegmentMark};

/// Up to so many lines can be told apart.
const MOST_LINES: usize = 6_000;
/// More lines than this are fainter.
const CROWD: usize = 500;
/// Lower rows, and narrower columns, have no room for links.
const LEAST_HEIGHT: f32 = 5.0;
const LEAST_WIDTH: f32 = 10.0;
/// With so few ranks lines are stronger.
const FEW_RANKS: usize = 32;
/// Collectives of one step have threads beside each other: so many, so far apart.
const THREADS: u64 = 3;
const APART: f32 = 4.0;

/// What connects boxes.
pub(super) struct Links {
    pub(super) lines: Vec<SegmentMark>,
    pub(super) dots: Vec<RectMark>,
}

impl LogicalPicture<'_> {
    /// Links between events in sight; `None` if they are too many to be told apart.
    pub(super) fn links(&self, drawn: &[(usize, u64)]) -> Option<Links> {
        if self.row_height() < LEAST_HEIGHT || self.column_width() < LEAST_WIDTH {
            return None;
        }
        let mut links = Links { lines: Vec::new(), dots: Vec::new() };
        let steps = self.steps_in_sight();
        for (row, event) in drawn {
            match self.logical.kind(*event) {
                Kind::Send => {
                    for receiver in self.logical.receivers(self.store, *event) {
                        self.message(*row, *event, receiver, &mut links.lines);
                    }
                }
                Kind::Receive => {
                    // What was sent in sight has its line already.
                    for sender in self.logical.senders(self.store, *event) {
                        let is_drawn = steps.contains(&self.logical.events.step.get(sender));
                        if let (false, Some(from)) = (is_drawn, self.row_of(self.logical.row_of(sender))) {
                            self.message(from, sender, *event, &mut links.lines);
                        }
                    }
                }
                Kind::Collective => self.member(*row, *event, &mut links),
            }
            if links.lines.len() > MOST_LINES {
                return None;
            }
        }
        if links.lines.len() > CROWD {
            // What lies close together is dark enough.
            for line in &mut links.lines {
                line.colour = self.colours.faded(line.colour);
            }
        }
        Some(links)
    }

    /// The line of a message, from the end of one box to the beginning of the other.
    fn message(&self, row: usize, sender: u64, receiver: u64, lines: &mut Vec<SegmentMark>) {
        let Some(to_row) = self.row_of(self.logical.row_of(receiver)) else { return };
        let from = self.event_rect(row, self.logical.events.step.get(sender));
        let to = self.event_rect(to_row, self.logical.events.step.get(receiver));
        lines.push(SegmentMark {
            from: (from.x + from.width, from.y + from.height / 2.0),
            to: (to.x, to.y + to.height / 2.0),
            width: if self.rows.len() <= FEW_RANKS { 1.3 } else { 1.0 },
            colour: self.colours.message(),
        });
    }

    /// A dot in the box of a member of a collective, hollow for its root, and a thread from the member above.
    fn member(&self, row: usize, event: u64, links: &mut Links) {
        let Some(collective) = self.logical.collective_of(self.store, event) else { return };
        let step = self.logical.events.step.get(event);
        let area = self.event_rect(row, step);
        let shift = (collective % THREADS) as f32 * APART - APART * (THREADS / 2) as f32;
        let shift = if area.width >= 4.0 * APART { shift } else { 0.0 };
        let middle = |rect: &Rect| (rect.x + rect.width / 2.0 + shift, rect.y + rect.height / 2.0);
        let at = middle(&area);
        // Members lie by location: the one above is the nearest before in sight.
        let table = &self.store.collective_members;
        let first = self.store.collectives.first_member.get(collective);
        let last = first + u64::from(self.store.collectives.members.get(collective));
        let own = self.rows.locations()[row];
        let place = table.location.partition_point(first..last, |location| location < own);
        let above = (first..place).rev().find_map(|member| self.rows.row_of(table.location.get(member)));
        if let Some(above) = above {
            let (_, y) = middle(&self.event_rect(above, step));
            links.lines.push(SegmentMark { from: (at.0, y), to: at, width: 1.0, colour: self.colours.message() });
        }
        let side = (area.height * 0.35).clamp(2.0, 5.0);
        let dot = |side: f32, colour| RectMark {
            rect: Rect { x: at.0 - side / 2.0, y: at.1 - side / 2.0, width: side, height: side },
            colour,
            span: self.logical.events.span.get(event),
        };
        links.dots.push(dot(side, self.colours.message()));
        if self.store.collectives.root.get(collective) == own && side >= 4.0 {
            links.dots.push(dot(side - 2.0, self.colours.background()));
        }
    }
}
