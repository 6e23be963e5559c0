//! Drawings of their own for clusters of an exchange (Isaacs 2014, section 4.2.1).
//!
//! * All sends, then one wait: instead of the line that enters below, a quarter of a pie says how many messages a wait receives
//!   on average, out of the most that any does, and a number says it too.
//! * In turn: the row has two lanes between which messages go back and forth. Each step has a box in one of them; one that no
//!   rank of the cluster is active in is dashed.

use std::f32::consts::{FRAC_PI_2, TAU};

use heddle_logical::cluster::{StepTotals, Total};
use heddle_logical::pattern::{Flavour, Lanes, Waits};
use heddle_model::SpanRow;

use super::ClusterPicture;
use super::layout::ClusterRow;
use crate::scene::ramp::Tone;
use crate::scene::{Anchor, ColourId, Label, Rect, RectMark, SegmentMark};

/// Radius of a pie, and the room that it takes below a box.
const PIE: f32 = 9.0;
pub(super) const PIE_ROOM: f32 = 13.0;
/// Rows at least so high, and columns so wide, have pies; wider ones have numbers beside them.
const PIE_ROW: f32 = 38.0;
const PIE_COLUMN: f32 = 16.0;
const NUMBER_COLUMN: f32 = 44.0;
/// Rows at least so high have two lanes, and columns so wide have room for the messages between them.
const LANED_ROW: f32 = 22.0;
const LANED_COLUMN: f32 = 6.0;
/// Length of a dash, and from one to the next.
const DASH: (f32, f32) = (3.0, 6.0);

/// What is drawn.
#[derive(Default)]
pub(super) struct Drawn {
    pub(super) rects: Vec<RectMark>,
    pub(super) lines: Vec<SegmentMark>,
    pub(super) labels: Vec<Label>,
}

impl ClusterPicture<'_> {
    fn flavour(&self) -> Option<&Flavour> {
        self.clusters.pattern()?.flavour()
    }

    /// The most messages of a wait, if the row's receives are drawn as pies.
    pub(super) fn has_pies(&self, row: &ClusterRow) -> Option<u32> {
        let Flavour::SendsThenWaitAll { largest, .. } = self.flavour()? else { return None };
        let has_room = row.height >= PIE_ROW && self.column_width() >= PIE_COLUMN;
        (self.drawn.messages && has_room).then_some(*largest)
    }

    /// How many messages the waits of a step receive, below the box of the step.
    pub(super) fn pie(&self, node: u32, step: u32, rect: Rect, most: u32, drawn: &mut Drawn) {
        let Some(received) = self.clusters.received() else { return };
        let waits: Waits = received.at(self.clusters, node, step);
        let Some(mean) = waits.mean() else { return };
        let share = (mean as f32 / most.max(1) as f32).clamp(0.0, 1.0);
        let (x, y) = (rect.x + 1.0, rect.y + rect.height + 2.0);
        let (ink, line) = (self.colours.ink().text, self.colours.message());
        // The part that is full, in columns of a pixel.
        let slope = (share * FRAC_PI_2).tan();
        for column in 0..PIE as u32 {
            let across = column as f32 + 0.5;
            let circle = (PIE * PIE - across * across).max(0.0).sqrt();
            let height = if share >= 1.0 { circle } else { circle.min(across * slope) };
            let rect = Rect { x: x + column as f32, y, width: 1.0, height };
            drawn.rects.push(RectMark { rect, colour: ink, span: SpanRow::NONE });
        }
        let at = |part: f32| (x + PIE * (part * TAU / 4.0).cos(), y + PIE * (part * TAU / 4.0).sin());
        let arc = (0..6).map(|part| (at(part as f32 / 6.0), at((part + 1) as f32 / 6.0)));
        let sides = [((x, y), (x + PIE, y)), ((x, y), (x, y + PIE))];
        drawn.lines.extend(arc.chain(sides).map(|(from, to)| SegmentMark { from, to, width: 1.0, colour: line }));
        if self.column_width() >= NUMBER_COLUMN {
            let text = if mean >= 10.0 { format!("{mean:.0}") } else { format!("{mean:.1}") };
            let place = (x + PIE + 4.0, y + PIE);
            drawn.labels.push(Label { at: place, text, size: 11.0, colour: ink, anchor: Anchor::Start });
        }
    }

    /// The two lanes of a row, if its scope is an exchange in turn.
    pub(super) fn lanes(&self, row: &ClusterRow) -> Option<&Lanes> {
        let Flavour::Alternating(lanes) = self.flavour()? else { return None };
        let has_room = row.height >= LANED_ROW && self.column_width() >= LANED_COLUMN;
        has_room.then_some(lanes)
    }

    /// A row as two lanes: `totals` are those of the steps in sight.
    pub(super) fn draw_lanes(&self, row: &ClusterRow, lanes: &Lanes, totals: &[(u32, StepTotals)], drawn: &mut Drawn) {
        let tone = if self.is_faded_node(row.node) { Tone::Dimmed } else { Tone::Full };
        let height = (row.height * 0.34).min(26.0);
        let place = |step: u32, lane: usize| {
            let middle = row.middle() + if lane == 0 { -0.22 } else { 0.22 } * row.height;
            self.step_rect(step, middle - height / 2.0, height)
        };
        for (step, total) in totals {
            let rect = place(*step, lanes.lane(*step));
            if total.active() == 0 {
                drawn.lines.extend(dashed(rect, self.colours.ink().faint));
                continue;
            }
            let mut all = Total::default();
            for part in [&total.sends, &total.receives, &total.collectives] {
                all.plus(part);
            }
            let colour = self.scaled.colour(all.mean() as f32, *step..*step + 1, tone);
            drawn.rects.push(RectMark { rect, colour, span: SpanRow::NONE });
            if total.sends.count > 0 && self.drawn.messages {
                let to = place(*step + 1, 1 - lanes.lane(*step));
                let share = total.sends.count as f32 / row.members.max(1) as f32;
                drawn.lines.push(SegmentMark {
                    from: (rect.x + rect.width, rect.y + rect.height / 2.0),
                    to: (to.x, to.y + to.height / 2.0),
                    width: (2.0 * share).max(0.5),
                    colour: self.colours.message(),
                });
            }
        }
    }
}

/// A box of dashes.
fn dashed(rect: Rect, colour: ColourId) -> Vec<SegmentMark> {
    let (right, foot) = (rect.x + rect.width, rect.y + rect.height);
    let mut lines = Vec::new();
    let mut dash = |from: (f32, f32), to: (f32, f32)| lines.push(SegmentMark { from, to, width: 1.0, colour });
    let mut x = rect.x;
    while x < right {
        let end = (x + DASH.0).min(right);
        dash((x, rect.y), (end, rect.y));
        dash((x, foot), (end, foot));
        x += DASH.1;
    }
    let mut y = rect.y;
    while y < foot {
        let end = (y + DASH.0).min(foot);
        dash((rect.x, y), (rect.x, end));
        dash((right, y), (right, end));
        y += DASH.1;
    }
    lines
}
