//! What was found, over a timeline: numbered labels beside the rows that they are about, bars at their left.
//!
//! A label stands where nothing is wrong yet, left of the onset, or else above or below its rows; never on another one,
//! never out of the picture. One that finds no place is left out: its number is in the list beside the picture.

use heddle_model::{LocationId, SpanRow};

use super::TimelinePicture;
use crate::diagnosed::Diagnosed;
use crate::questions::diagnosis::label;
use crate::request::arranged::{Fold, RowOptions};
use crate::request::{Framing, ViewRequest};
use crate::scene::blame::BlameInks;
use crate::scene::{Anchor, DiscMark, Label, Layer, Rect, RectMark, Scene};
use crate::views::options::DiagnosisShown;

/// Height of a label, size of its text, and room of the badge with the number.
const HEIGHT: f32 = 20.0;
const SIZE: f32 = 11.0;
const BADGE: f32 = 20.0;
const RADIUS: f32 = 7.5;
/// Space inside a label, and between it and what it is about.
const PADDING: f32 = 8.0;
const APART: f32 = 6.0;
/// The bar beside the axis.
const BAR: f32 = 3.0;

/// A label with a number, where it shall stand.
pub(crate) struct Badge {
    pub(crate) number: usize,
    pub(crate) text: String,
}

impl Badge {
    /// How wide it is.
    pub(crate) fn width(&self) -> f32 {
        // As wide as in the font of page and figures, or a little more.
        let width = |character: char| match character {
            'i' | 'j' | 'l' | '\'' | '.' | ',' | ':' | ' ' | '|' => 3.6,
            'f' | 't' | 'r' | '-' | '(' | ')' => 4.7,
            'm' | 'w' | 'M' | 'W' | '%' => 10.8,
            'A'..='Z' | '×' | '±' | '_' => 7.8,
            _ => 7.0,
        };
        self.text.chars().map(width).sum::<f32>() + BADGE + 2.0 * PADDING
    }

    /// Draws it.
    pub(crate) fn draw(&self, area: Rect, inks: BlameInks, scene: &mut Scene) {
        let middle = area.y + area.height / 2.0;
        let badge = (area.x + area.width - PADDING / 2.0 - RADIUS, middle);
        let (ink, background) = (scene.ink.strong, scene.background);
        scene.layers.push(Layer::Rects(vec![RectMark { rect: area, colour: inks.behind(), span: SpanRow::NONE }]));
        scene.layers.push(Layer::Discs(vec![DiscMark { at: badge, radius: RADIUS, colour: ink }]));
        let text = (badge.0 - RADIUS - 5.0, middle + SIZE * 0.36);
        let piece = |at, text: String, size, colour, anchor| Label { at, text, size, colour, anchor };
        scene.labels.push(piece(text, self.text.clone(), SIZE, ink, Anchor::End));
        let number = (badge.0, middle + 3.6);
        scene.labels.push(piece(number, self.number.to_string(), 10.0, background, Anchor::Middle));
    }
}

/// The first of some places for a label that is free and in the picture.
pub(crate) fn free_place(
    places: impl IntoIterator<Item = (f32, f32)>,
    size: (f32, f32),
    plot: Rect,
    taken: &[Rect],
) -> Option<Rect> {
    if size.0 > plot.width || size.1 > plot.height {
        return None;
    }
    let inside = |(x, y): (f32, f32)| Rect {
        x: x.clamp(plot.x, plot.x + plot.width - size.0),
        y: y.clamp(plot.y, plot.y + plot.height - size.1),
        width: size.0,
        height: size.1,
    };
    let meets = |a: &Rect, b: &Rect| {
        a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height + 1.0 && b.y < a.y + a.height + 1.0
    };
    places.into_iter().map(inside).find(|place| !taken.iter().any(|other| meets(place, other)))
}

impl TimelinePicture<'_> {
    /// The path, bars beside rows with findings, and the labels of these.
    pub(super) fn draw_diagnosis(
        &self,
        diagnosed: &Diagnosed,
        request: &ViewRequest,
        inks: BlameInks,
        scene: &mut Scene,
    ) {
        let shown = DiagnosisShown::of(request);
        if shown.path && request.framing != Framing::Strip {
            self.draw_path(diagnosed, inks, scene);
        }
        if request.framing == Framing::Strip || !shown.is_needed() {
            return;
        }
        let is_close = request.options.checked::<RowOptions>().fold == Fold::Path;
        let mut taken: Vec<Rect> = Vec::new();
        for (at, finding) in diagnosed.findings.iter().enumerate() {
            let stretches = self.stretches_of(&finding.suspect.locations);
            if !is_close {
                scene.beside.extend(stretches.iter().map(|(top, bottom)| RectMark {
                    rect: Rect { x: self.plot.x - BAR - 1.0, y: *top, width: BAR, height: (bottom - top).max(2.0) },
                    colour: inks.makes(0.75),
                    span: SpanRow::NONE,
                }));
            }
            let is_in_sight = finding.suspect.since < self.time.1 && finding.suspect.until > self.time.0;
            let Some((top, bottom)) = stretches.into_iter().max_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0))) else {
                continue;
            };
            if !is_in_sight {
                continue;
            }
            let badge = Badge { number: at + 1, text: label(self.store, finding) };
            let size = (badge.width(), HEIGHT);
            let places = self.label_places(finding.suspect.since, (top, bottom), size);
            if let Some(area) = free_place(places, size, self.plot, &taken) {
                badge.draw(area, inks, scene);
                taken.push(area);
            }
        }
        if is_close {
            self.mark_path_rows(diagnosed, inks, scene);
        }
        if self.rows.are_unequal() {
            scene.notes.push("Rows of whom something was found are higher than the others.".to_owned());
        }
    }

    /// Where a label may stand, the best place first.
    fn label_places(&self, since: heddle_model::Ns, (top, bottom): (f32, f32), size: (f32, f32)) -> Vec<(f32, f32)> {
        let onset = self.x(since);
        let middle = (top + bottom - size.1) / 2.0;
        let mut places = Vec::new();
        if onset - size.0 - APART >= self.plot.x {
            places.push((onset - size.0 - APART, middle));
        }
        let x = onset.max(self.plot.x) + APART;
        for away in 0..6 {
            let away = away as f32 * (size.1 + 2.0);
            places.extend([(x, top - APART - size.1 - away), (x, bottom + APART + away)]);
        }
        // Never on its own rows, unless they fill the picture.
        let is_beside = |(x, y): &(f32, f32)| *x + size.0 <= onset || *y + size.1 <= top || *y >= bottom;
        let inside = |(_, y): &(f32, f32)| *y >= self.plot.y && *y + size.1 <= self.plot.y + self.plot.height;
        let mut kept: Vec<(f32, f32)> = places.iter().copied().filter(|at| is_beside(at) && inside(at)).collect();
        kept.push((x, middle));
        kept
    }

    /// The stretches of rows that stand for some locations: upper and lower edges.
    fn stretches_of(&self, locations: &[LocationId]) -> Vec<(f32, f32)> {
        let mut rows: Vec<usize> = locations.iter().filter_map(|at| self.rows.row_for(*at)).collect();
        rows.sort_unstable();
        rows.dedup();
        let edges = |run: &[usize]| {
            let (first, last) = (self.lane(run[0]), self.lane(run[run.len() - 1]));
            (first.y, last.y + last.height)
        };
        rows.chunk_by(|a, b| a + 1 == *b).map(edges).collect()
    }

    /// Bars beside the rows that the path visits.
    fn mark_path_rows(&self, diagnosed: &Diagnosed, inks: BlameInks, scene: &mut Scene) {
        let visited: Vec<LocationId> =
            super::path::pieces_in(diagnosed, self.time).iter().map(|piece| piece.location).collect();
        scene.beside.extend(self.stretches_of(&visited).into_iter().map(|(top, bottom)| RectMark {
            rect: Rect { x: self.plot.x - BAR - 1.0, y: top, width: BAR, height: (bottom - top).max(2.0) },
            colour: inks.path(),
            span: SpanRow::NONE,
        }));
    }
}
