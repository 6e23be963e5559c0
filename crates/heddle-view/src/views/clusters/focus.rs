//! Focus ranks: a rank and those that it exchanges messages with, drawn event by event. Clusters cannot show who talks to
//! whom; these can.

use heddle_logical::Kind;
use heddle_model::SpanRow;

use super::ClusterPicture;
use super::options::Focus;
use crate::scene::ramp::Tone;
use crate::scene::ticks::grouped;
use crate::scene::{Anchor, Label, Layer, Rect, RectMark, Scene, SegmentMark};
use crate::views::valued::value_text;

/// Ranks that are looked at to find neighbours: a rank that talks to all would bring all.
const MOST_NEIGHBOURS: usize = 4_000;
/// Messages between focus ranks are left out where there is no room for them.
const LEAST_COLUMN: f32 = 4.0;
const MOST_LINES: usize = 6_000;

/// A rank in focus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FocusRow {
    /// Its row of logical time.
    pub(super) row: u32,
    pub(super) top: f32,
    pub(super) height: f32,
}

/// Whom to show: the rank in the middle, and those around it.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbourhood {
    pub(super) middle: Option<u32>,
    /// Rows, ascending, the middle included.
    pub(super) rows: Vec<u32>,
    /// How many there are in all.
    pub(super) all: usize,
}

impl ClusterPicture<'_> {
    /// The rank in focus.
    fn focus(&self) -> Option<u32> {
        let node = self.selected.or(self.clusters.tree().root())?;
        match self.shown.focus {
            Focus::Max => self.clusters.largest(node).map(|(_, row, _)| row),
            Focus::Medoid => self.clusters.medoid(self.logical, &self.data.values, node),
            Focus::Rank(rank) => self.row_of_rank(rank),
        }
    }

    /// The rank in focus and those around it, as many as there is room for: the nearest first.
    pub(super) fn neighbourhood(&self, room: usize) -> Neighbourhood {
        let Some(middle) = self.focus() else { return Neighbourhood::default() };
        let mut found = vec![middle];
        let mut next = 0..1;
        for _ in 0..self.shown.radius.0 {
            let mut around: Vec<u32> = Vec::new();
            for row in &found[next.clone()] {
                around.extend(self.partners(*row));
            }
            around.sort_unstable();
            around.dedup();
            around.retain(|row| !found.contains(row));
            next = found.len()..found.len() + around.len();
            found.extend(around);
            if next.is_empty() || found.len() > MOST_NEIGHBOURS {
                break;
            }
        }
        let all = found.len();
        found.truncate(room.max(1));
        found.sort_unstable();
        Neighbourhood { middle: Some(middle), rows: found, all }
    }

    /// The rows that a row exchanges messages with in the scope, ascending.
    fn partners(&self, row: u32) -> Vec<u32> {
        let scope = self.clusters.scope();
        let received = self.logical.received_by(self.store, row).into_iter();
        let received = received.filter(|(receive, _)| scope.contains(self.logical, *receive));
        let mut partners: Vec<u32> = received.map(|(_, send)| self.logical.row_of(send)).collect();
        for event in scope.events_of(self.logical, row) {
            partners.extend(self.logical.receivers(self.store, event).into_iter().map(|to| self.logical.row_of(to)));
        }
        partners.sort_unstable();
        partners.dedup();
        partners.retain(|partner| *partner != row);
        partners
    }

    pub(super) fn draw_focus(&self, scene: &mut Scene) {
        let (mut boxes, mut lines, mut ticks, mut grid) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let has_lines = self.drawn.messages && self.column_width() >= LEAST_COLUMN;
        for focus in &self.focus_rows {
            let middle = focus.top + focus.height / 2.0;
            let line = Rect { x: self.plot.x, y: middle - 0.5, width: self.plot.width, height: 1.0 };
            grid.push(RectMark { rect: line, colour: self.colours.ink().grid, span: SpanRow::NONE });
            self.draw_events(focus.row, |step| self.focus_rect(focus, step), &mut boxes);
            if has_lines {
                self.focus_messages(focus, &mut lines, &mut ticks);
            }
            self.focus_label(focus, scene);
        }
        scene.layers.push(Layer::Rects(grid));
        if lines.len() <= MOST_LINES {
            scene.layers.push(Layer::Segments(lines));
        } else {
            scene.notes.push("Messages between focus ranks are left out: there are too many.".to_owned());
        }
        scene.layers.push(Layer::Rects(boxes));
        scene.layers.push(Layer::Segments(ticks));
    }

    pub(super) fn focus_rect(&self, focus: &FocusRow, step: u32) -> Rect {
        let gap = if focus.height > 12.0 { 3.0 } else { 1.0 };
        self.step_rect(step, focus.top + gap / 2.0, focus.height - gap)
    }

    /// The events of a row as boxes, by their values. Where steps are narrower than pixels, the largest of a pixel.
    pub(super) fn draw_events(&self, row: u32, place: impl Fn(u32) -> Rect, boxes: &mut Vec<RectMark>) {
        let tone = if self.is_faded_row(row) { Tone::Dimmed } else { Tone::Full };
        let is_narrow = self.column_width() < 1.0;
        let mut last: Option<(i32, f64)> = None;
        let mut event = self.events_in_sight(row).start;
        let spans = &self.logical.events.span;
        self.data.values.for_each(self.logical, row, self.events_in_sight(row), |value| {
            let rect = place(value.step);
            let colour = self.scaled.colour(value.event as f32, value.step..value.step + 1, tone);
            let mark = RectMark { rect, colour, span: spans.get(event) };
            event += 1;
            let pixel = rect.x as i32;
            match (&mut last, boxes.last_mut()) {
                (Some((at, largest)), Some(box_before)) if is_narrow && *at == pixel => {
                    if value.event > *largest {
                        (*largest, *box_before) = (value.event, mark);
                    }
                }
                _ => {
                    boxes.push(mark);
                    last = Some((pixel, value.event));
                }
            }
        });
    }

    /// Lines to ranks that are shown, ticks towards those that are not.
    fn focus_messages(&self, focus: &FocusRow, lines: &mut Vec<SegmentMark>, ticks: &mut Vec<SegmentMark>) {
        let colour = self.colours.message();
        for event in self.events_in_sight(focus.row) {
            let own = self.focus_rect(focus, self.logical.events.step.get(event));
            let centre = (own.x + own.width / 2.0, own.y + own.height / 2.0);
            let kind = self.logical.kind(event);
            let partners = match kind {
                Kind::Send => self.logical.receivers(self.store, event),
                Kind::Receive => self.logical.senders(self.store, event),
                Kind::Collective => continue,
            };
            for partner in partners {
                let row = self.logical.row_of(partner);
                let shown = self.focus_rows.iter().find(|other| other.row == row);
                match (shown, kind) {
                    (Some(other), Kind::Send) => {
                        let to = self.focus_rect(other, self.logical.events.step.get(partner));
                        lines.push(SegmentMark {
                            from: (own.x + own.width, centre.1),
                            to: (to.x, to.y + to.height / 2.0),
                            width: 1.2,
                            colour,
                        });
                    }
                    (Some(_), _) => {}
                    (None, kind) => {
                        let x = if kind == Kind::Send { own.x + own.width } else { own.x };
                        let y = if row < focus.row { own.y } else { own.y + own.height };
                        let tick = SegmentMark { from: centre, to: (x, y), width: 1.2, colour };
                        if !ticks.contains(&tick) {
                            ticks.push(tick);
                        }
                    }
                }
            }
        }
    }

    fn focus_label(&self, focus: &FocusRow, scene: &mut Scene) {
        let is_middle = self.neighbourhood.middle == Some(focus.row);
        let colour = if is_middle { self.ramp.cause() } else { self.colours.ink().text };
        let baseline = focus.top + focus.height / 2.0 + 4.0;
        let label = |x: f32, text: String| Label { at: (x, baseline), text, size: 11.0, colour, anchor: Anchor::End };
        // Where rows are lower than text, every other one has a name, and the middle.
        let place = self.focus_rows.iter().position(|other| other.row == focus.row).unwrap_or(0);
        let middle = self.focus_rows.iter().position(|other| Some(other.row) == self.neighbourhood.middle);
        let every = (12.0 / focus.height).ceil() as usize;
        if every > 1 && place.abs_diff(middle.unwrap_or(0)) % every != 0 {
            return;
        }
        scene.labels.push(label(self.plot.x - 8.0, self.rank_text(focus.row)));
        if is_middle {
            let what = match self.shown.focus {
                Focus::Max => "largest",
                Focus::Medoid => "medoid",
                Focus::Rank(_) => "focus",
            };
            scene.labels.push(label(self.plot.x - 58.0, what.to_owned()));
        }
    }

    /// Who is in focus, in words.
    pub(super) fn focus_note(&self) -> Option<String> {
        let Some(middle) = self.neighbourhood.middle else {
            // Without a value there is no largest; the picture says so.
            let Focus::Rank(rank) = self.shown.focus else { return None };
            return Some(format!("There is no rank {} to focus on.", grouped(u64::from(rank))));
        };
        let rank = self.rank_text(middle);
        let why = match (self.shown.focus, self.clusters.largest(self.selected.or(self.clusters.tree().root())?)) {
            (Focus::Max, Some((value, ..))) => {
                let value = value_text(self.store, self.data.values.metric(), value);
                format!(" with the largest {} ({value})", self.data.values.metric().title(self.store).to_lowercase())
            }
            (Focus::Medoid, _) => ", which stands for its cluster".to_owned(),
            _ => String::new(),
        };
        let (shown, all) = (self.neighbourhood.rows.len() as u64 - 1, self.neighbourhood.all as u64 - 1);
        let around = match (shown, all) {
            (_, 0) => "it exchanges no messages here".to_owned(),
            (shown, all) if shown == all => format!("{} around it", grouped(all)),
            (shown, all) => format!("{} of the {} around it", grouped(shown), grouped(all)),
        };
        Some(format!("Focus: rank {rank}{why}; {around}."))
    }
}
