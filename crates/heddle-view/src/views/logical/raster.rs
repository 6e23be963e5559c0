//! More events than boxes have room for: cells that show the largest value in them.

use rayon::prelude::*;

use heddle_logical::{Cells, Reduced};

use super::LogicalPicture;
use crate::scene::ramp::Tone;
use crate::scene::ticks::{counted, grouped};
use crate::scene::{ColourId, Layer, Raster, Scene};
use crate::views::options::ColourBy;
use crate::views::valued::{FAINT_WORDS, OPACITY_WORDS, opacity};

/// Wider steps show aggregates beside events.
const BESIDE: f32 = 6.0;
/// The height of the parts that high rows are made of.
const PART: f32 = 3.0;
/// Ranks of a cell that are asked for an event to name it after.
const MOST_ASKED: usize = 8;

impl LogicalPicture<'_> {
    /// Whether steps are wide enough for aggregates beside events.
    fn has_parts(&self) -> bool {
        self.asked.aggregates && self.column_width() >= BESIDE
    }

    /// The cells of the picture.
    pub(super) fn reduced(&self) -> (Reduced, u32, u32) {
        let (columns, rows) = (self.plot.width as u32, self.rows.bands(self.plot.height));
        let whole = (0.0, 1.0);
        let [event, aggregate] = if self.has_parts() { [(0.36, 1.0), (0.0, 0.36)] } else { [whole, whole] };
        let cells = Cells { lines: &self.event_rows, steps: self.steps, columns, rows, event, aggregate };
        (self.data.values.reduce(self.logical, &cells), columns, rows)
    }

    pub(super) fn raster(&self, scene: &mut Scene) {
        let (reduced, columns, rows) = self.reduced();
        let (parts, filled) = self.parts_of_a_row();
        let mut colours = vec![ColourId(0); columns as usize * rows as usize * parts];
        let mut strength = vec![0u8; colours.len()];
        let width = columns.max(1) as usize;
        colours.par_chunks_mut(width * parts).zip(strength.par_chunks_mut(width * parts)).enumerate().for_each(
            |(row, (colours, strength))| {
                for column in 0..width {
                    if let Some((colour, opacity)) = self.cell(&reduced, row, column) {
                        for at in filled.clone().map(|part| part * width + column) {
                            colours[at] = colour;
                            strength[at] = (opacity * 255.0) as u8;
                        }
                    }
                }
            },
        );
        scene.layers.push(Layer::Raster(Raster { columns, rows: rows * parts as u32, colours, strength }));
        scene.notes.push(self.raster_note(&reduced, columns, rows));
        if !self.request.emphasis.highlighted.is_empty() || !self.request.emphasis.hidden.is_empty() {
            scene.notes.push("Functions are neither stressed nor hidden here: zoom in until boxes appear.".to_owned());
        }
    }

    /// Into how many parts a row is divided, and which of them are filled: rows of few ranks are high, and what is in them
    /// is not higher than boxes would be.
    fn parts_of_a_row(&self) -> (usize, std::ops::Range<usize>) {
        let (row, high) = (self.row_height(), self.box_height());
        if high >= row {
            return (1, 0..1);
        }
        let parts = (row / PART).floor().max(1.0) as usize;
        let filled = ((parts as f32 * high / row).round() as usize).clamp(1, parts);
        let before = (parts - filled) / 2;
        (parts, before..before + filled)
    }

    /// The colour of a cell, and its opacity; none if it is empty.
    fn cell(&self, reduced: &Reduced, row: usize, column: usize) -> Option<(ColourId, f32)> {
        let at = row * reduced.steps_of_column.len() + column;
        let (events, aggregates) = (reduced.count[at], reduced.aggregates[at]);
        let steps = reduced.steps_of_column[column].clone();
        let coverage = |count: u32| reduced.coverage(row, column, count);
        if events == 0 {
            // A part of a step in which only aggregates are drawn.
            let is_shown = self.has_parts() && aggregates > 0 && self.colour_by() == ColourBy::Metric;
            return is_shown.then(|| {
                let (colour, opacity) = self.scaled.cell(reduced.aggregate[at], steps, coverage(aggregates));
                (colour, opacity * 0.6)
            });
        }
        if self.colour_by() == ColourBy::Metric {
            let with_aggregates = self.asked.aggregates && !self.has_parts();
            let value =
                if with_aggregates { reduced.largest[at].max(reduced.aggregate[at]) } else { reduced.largest[at] };
            return Some(self.scaled.cell(value, steps, coverage(events)));
        }
        let event_rows = self.event_rows_of(row, reduced.lines_of_row.len());
        let named = event_rows.iter().take(MOST_ASKED).find_map(|event_row| {
            let events = self.logical.events_in(*event_row, steps.clone());
            (!events.is_empty()).then_some(events.start)
        });
        let colour = named.map_or(self.ramp.missing(Tone::Full), |event| self.event_colour(event, Tone::Full));
        Some((colour, opacity(coverage(events), None)))
    }

    /// The rows of events that a row of cells stands for.
    pub(super) fn event_rows_of(&self, row: usize, rows: usize) -> &[u32] {
        let first_of = |row: usize| (row * self.rows.len() / rows.max(1)).min(self.rows.len());
        &self.event_rows[first_of(row)..first_of(row + 1)]
    }

    fn raster_note(&self, reduced: &Reduced, columns: u32, rows: u32) -> String {
        let ranks = self.rows.len().div_ceil(rows as usize) as u64;
        let steps = ((self.steps.1 - self.steps.0) / f64::from(columns)).ceil() as u64;
        let mut parts = Vec::new();
        if ranks > 1 {
            parts.push(format!("{} ranks", grouped(ranks)));
        }
        if steps > 1 {
            parts.push(format!("{} steps", grouped(steps)));
        }
        let what = match self.colour_by() {
            ColourBy::Metric if self.asked.aggregates && !self.has_parts() => {
                "the largest value of its events and of the aggregates before them"
            }
            ColourBy::Metric => "the largest value of its events",
            ColourBy::Phase => "the phase of one of its events",
            ColourBy::Kind => "the kind of one of its events",
            _ => "the function of one of its events",
        };
        let tiles = reduced.tile.map_or_else(String::new, |(ranks, steps)| {
            format!(" (from tiles of {} by {})", counted(u64::from(ranks), "rank"), counted(u64::from(steps), "step"))
        });
        let how = match self.colour_by() {
            ColourBy::Metric => OPACITY_WORDS,
            _ => FAINT_WORDS,
        };
        if parts.is_empty() {
            return format!("Each cell shows {what}; messages are left out: there is no room for them.");
        }
        format!("Each cell stands for up to {} and shows {what}{tiles}; {how}.", parts.join(" and "))
    }
}
