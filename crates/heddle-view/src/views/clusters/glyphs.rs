//! Rows of clusters: at each step a box whose upper part are the ranks that send, whose lower part are those that receive,
//! and whose blank rest does nothing. Lines leave above and enter below, as thick as the share of ranks that they stand for.

use std::ops::Range;

use heddle_logical::Kind;
use heddle_logical::cluster::{StepTotals, Total};
use heddle_model::SpanRow;

use super::ClusterPicture;
use super::exchange::{Drawn, PIE_ROOM};
use super::layout::ClusterRow;
use crate::scene::ramp::Tone;
use crate::scene::{Layer, Rect, RectMark, Scene, SegmentMark};

/// Rows at least so high, and columns so wide, have lines above and below.
const LINED_ROW: f32 = 30.0;
const LINED_COLUMN: f32 = 7.0;
/// Columns at least so wide have boxes of their own; narrower ones are added up by pixel.
const LEAST_COLUMN: f32 = 3.0;
/// A part of a cluster, however small, is so high.
const LEAST_PART: f32 = 2.0;
/// Room for the lines.
const LINES: f32 = 7.0;
/// Messages of ranks alone.
const MOST_LINES: usize = 4_000;

/// What is drawn of a row of clusters, from below to above.
#[derive(Default)]
struct Marks {
    idle: Vec<RectMark>,
    parts: Vec<RectMark>,
    lines: Vec<SegmentMark>,
    messages: Vec<SegmentMark>,
    exchange: Drawn,
}

impl ClusterPicture<'_> {
    pub(super) fn draw_clusters(&self, scene: &mut Scene) {
        let mut bands = Vec::new();
        for (at, row) in self.cluster_rows.iter().enumerate() {
            if at % 2 == 0 {
                let rect = Rect { x: self.plot.x, y: row.top, width: self.plot.width, height: row.height };
                bands.push(RectMark { rect, colour: self.colours.ink().grid, span: SpanRow::NONE });
            }
        }
        scene.layers.push(Layer::Rects(bands));
        let mut marks = Marks::default();
        for row in &self.cluster_rows {
            if row.members == 1 {
                self.alone(row, &mut marks);
            } else {
                self.together(row, &mut marks);
            }
        }
        scene.layers.push(Layer::Rects(marks.idle));
        if self.drawn.messages {
            let many = marks.messages.len();
            if many <= MOST_LINES {
                scene.layers.push(Layer::Segments(marks.messages));
            } else {
                scene.notes.push("Messages of single ranks are left out: there are too many.".to_owned());
            }
        }
        scene.layers.push(Layer::Rects(marks.parts));
        scene.layers.push(Layer::Segments(marks.lines));
        scene.layers.push(Layer::Rects(marks.exchange.rects));
        scene.layers.push(Layer::Segments(marks.exchange.lines));
        scene.labels.extend(marks.exchange.labels);
    }

    /// A rank alone: its events as they are, and lines to the clusters of those that it exchanges messages with.
    fn alone(&self, row: &ClusterRow, marks: &mut Marks) {
        let Some(leaf) = self.clusters.tree().leaves_of(row.node).first().copied() else { return };
        let rank = self.clusters.leaves()[leaf as usize].medoid;
        let place = |step: u32| self.alone_rect(row, step);
        self.draw_events(rank, place, &mut marks.parts);
        if !self.drawn.messages || self.column_width() < LEAST_COLUMN {
            return;
        }
        let colour = self.colours.message_crowd();
        for event in self.events_in_sight(rank) {
            let own = place(self.logical.events.step.get(event));
            let is_send = self.logical.kind(event) == Kind::Send;
            let partners = match self.logical.kind(event) {
                Kind::Send => self.logical.receivers(self.store, event),
                Kind::Receive => self.logical.senders(self.store, event),
                Kind::Collective => continue,
            };
            for partner in partners.into_iter().take(64) {
                let partner_row = self.logical.row_of(partner);
                let Some(to) = self.cluster_row_of(partner_row) else { continue };
                // Between two ranks alone the sender has the line.
                if to.node == row.node || (to.members == 1 && !is_send) {
                    continue;
                }
                let step = self.logical.events.step.get(partner);
                let other = if to.members == 1 { self.alone_rect(to, step) } else { self.art(to, step) };
                let y = match (to.members, to.top > row.top) {
                    (1, _) => other.y + other.height / 2.0,
                    (_, true) => other.y,
                    (_, false) => other.y + other.height,
                };
                let own_y = own.y + own.height / 2.0;
                let (from, to) = if is_send {
                    ((own.x + own.width, own_y), (other.x, y))
                } else {
                    ((other.x + other.width, y), (own.x, own_y))
                };
                marks.messages.push(SegmentMark { from, to, width: 1.0, colour });
            }
        }
    }

    pub(super) fn alone_rect(&self, row: &ClusterRow, step: u32) -> Rect {
        let height = (row.height - 4.0).clamp(2.0, 16.0);
        self.step_rect(step, row.middle() - height / 2.0, height)
    }

    /// Where the box of a cluster is at a step.
    pub(super) fn art(&self, row: &ClusterRow, step: u32) -> Rect {
        let pad = self.pad(row);
        self.step_rect(step, row.top + pad, row.height - 2.0 * pad)
    }

    fn pad(&self, row: &ClusterRow) -> f32 {
        if self.has_pies(row).is_some() {
            PIE_ROOM
        } else if self.has_lines(row) {
            LINES
        } else {
            (row.height * 0.1).min(3.0)
        }
    }

    fn has_lines(&self, row: &ClusterRow) -> bool {
        self.drawn.messages && row.height >= LINED_ROW && self.column_width() >= LINED_COLUMN
    }

    /// What the ranks of a cluster do, step by step, or by pixel where steps are narrow.
    fn together(&self, row: &ClusterRow, marks: &mut Marks) {
        let steps = self.steps_in_sight();
        let is_wide = self.column_width() >= LEAST_COLUMN;
        let columns = if is_wide { steps.len() } else { self.plot.width as usize };
        let column_of = |step: u32| {
            if is_wide {
                (step - steps.start) as usize
            } else {
                ((self.x(f64::from(step) + 0.5) - self.plot.x).max(0.0) as usize).min(columns.saturating_sub(1))
            }
        };
        // What is done in a column, and the steps that it stands for.
        let mut totals = vec![(StepTotals::default(), 0..0); columns];
        for step in steps.clone() {
            let known: &mut Range<u32> = &mut totals[column_of(step)].1;
            *known = if known.start == known.end { step..step + 1 } else { known.start..step + 1 };
        }
        self.clusters.for_each_total(row.node, steps.clone(), |step, total| totals[column_of(step)].0.plus(total));
        if let Some(lanes) = self.lanes(row) {
            let totals: Vec<(u32, StepTotals)> = totals.into_iter().map(|(total, many)| (many.start, total)).collect();
            self.draw_lanes(row, lanes, &totals, &mut marks.exchange);
            return;
        }
        let pad = self.pad(row);
        for (column, (total, many)) in totals.iter().enumerate().filter(|(_, (total, _))| total.active() > 0) {
            let rect = if is_wide {
                self.step_rect(steps.start + column as u32, row.top + pad, row.height - 2.0 * pad)
            } else {
                let x = self.plot.x + column as f32;
                Rect { x, y: row.top + pad, width: 1.0, height: row.height - 2.0 * pad }
            };
            self.glyph(row, total, many.clone(), rect, marks);
            if self.asked.aggregates && is_wide {
                self.aggregate_glyph(row, total, many.clone(), self.aggregate_rect(many.start, rect), marks);
            }
        }
    }

    fn glyph(&self, row: &ClusterRow, total: &StepTotals, steps: Range<u32>, rect: Rect, marks: &mut Marks) {
        let all = if self.shown.idle { row.members.saturating_mul(steps.len() as u32) } else { total.active() }.max(1);
        let share = |total: &Total| (total.count as f32 / all as f32).min(1.0);
        if self.shown.idle && self.column_width() >= LINED_COLUMN {
            let border = Rect { x: rect.x - 0.5, y: rect.y - 0.5, width: rect.width + 1.0, height: rect.height + 1.0 };
            marks.idle.push(RectMark { rect: border, colour: self.colours.ink().line, span: SpanRow::NONE });
            marks.idle.push(RectMark { rect, colour: self.colours.background(), span: SpanRow::NONE });
        }
        let tone = if self.is_faded_node(row.node) { Tone::Dimmed } else { Tone::Full };
        for (part, total) in parts(total, share, rect) {
            let colour = self.scaled.colour(total.mean() as f32, steps.clone(), tone);
            marks.parts.push(RectMark { rect: part, colour, span: SpanRow::NONE });
        }
        if !self.has_lines(row) {
            return;
        }
        let colour = self.colours.message();
        let width = |share: f32| (2.0 * share).max(0.5);
        let middle = rect.x + rect.width / 2.0;
        let reach = (self.column_width() * 0.45).min(14.0);
        if total.sends.count > 0 {
            let to = (middle + reach, rect.y - LINES + 1.0);
            marks.lines.push(SegmentMark { from: (middle, rect.y), to, width: width(share(&total.sends)), colour });
        }
        if total.receives.count > 0
            && let Some(most) = self.has_pies(row)
        {
            self.pie(row.node, steps.start, rect, most, &mut marks.exchange);
        } else if total.receives.count > 0 {
            let foot = rect.y + rect.height;
            let from = (middle - reach, foot + LINES - 1.0);
            marks.lines.push(SegmentMark { from, to: (middle, foot), width: width(share(&total.receives)), colour });
        }
    }

    fn aggregate_rect(&self, step: u32, rect: Rect) -> Rect {
        let [_, (from, to)] = self.step_parts();
        let (from, to) = (self.x(f64::from(step) + from), self.x(f64::from(step) + to));
        Rect { x: from, width: (to - from).max(1.0), ..rect }
    }

    /// The stretch before the events, in the same proportions, coloured by its own means.
    fn aggregate_glyph(&self, row: &ClusterRow, total: &StepTotals, steps: Range<u32>, rect: Rect, marks: &mut Marks) {
        let all = if self.shown.idle { row.members } else { total.active() }.max(1);
        let share = |total: &Total| (total.count as f32 / all as f32).min(1.0);
        let tone = if self.is_faded_node(row.node) { Tone::DimmedPale } else { Tone::Pale };
        for (part, total) in parts(total, share, rect) {
            let colour = self.scaled.colour(total.aggregate_mean() as f32, steps.clone(), tone);
            marks.parts.push(RectMark { rect: part, colour, span: SpanRow::NONE });
        }
    }
}

/// Sends above, collectives below them, receives at the bottom.
fn parts(totals: &StepTotals, share: impl Fn(&Total) -> f32, rect: Rect) -> impl Iterator<Item = (Rect, &Total)> {
    let least = LEAST_PART.min(rect.height / 3.0);
    let height = |total: &Total| if total.count == 0 { 0.0 } else { (share(total) * rect.height).max(least) };
    let [sends, collectives, receives] = [&totals.sends, &totals.collectives, &totals.receives].map(height);
    // Small parts that were made visible take from the others.
    let shrink = (rect.height / (sends + collectives + receives).max(1e-3)).min(1.0);
    let [sends, collectives, receives] = [sends * shrink, collectives * shrink, receives * shrink];
    let at = |y: f32, height: f32| Rect { y, height, ..rect };
    [
        (at(rect.y, sends), &totals.sends),
        (at(rect.y + sends, collectives), &totals.collectives),
        (at(rect.y + rect.height - receives, receives), &totals.receives),
    ]
    .into_iter()
    .filter(|(part, _)| part.height > 0.0)
}
