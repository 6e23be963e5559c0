//! Timelines coloured by a metric or by phase: communication stands out, everything else is grey.
//!
//! A cell of the raster shows the largest value of the events in it. Up to some million events are visited. Beyond that
//! cells come from the tiles of logical time, and lie where their steps took place.

use rayon::prelude::*;

use heddle_logical::{Cells, Logical};
use heddle_model::{LocationId, Ns, SpanRow};

use super::TimelinePicture;
use crate::analyses::LogicalData;
use crate::scene::frame::column_time;
use crate::scene::ramp::{Ramp, Tone};
use crate::scene::ticks::grouped;
use crate::scene::{ColourId, Raster};
use crate::views::options::{ColourBy, MetricOptions};
use crate::views::valued::Scaled;

/// Visiting this many events takes no longer than a glance.
const MOST_VISITED: u64 = 3_000_000;
/// Rows on which events are counted: it decides how to draw, and takes time.
const MOST_COUNTED: usize = 2_048;
/// Opacity of the faintest cell that holds anything.
const FAINTEST: f32 = 0.35;
/// Ranks of a cell that are asked for an event to name it after.
const MOST_ASKED: usize = 8;

/// Colours by logical time.
pub(super) struct Valued<'a> {
    pub(super) data: &'a LogicalData,
    pub(super) scaled: Scaled<'a>,
    by: ColourBy,
}

impl<'a> Valued<'a> {
    /// Colours by what was asked for; none if that is functions.
    pub(super) fn new(
        data: Option<&'a LogicalData>,
        by: ColourBy,
        asked: MetricOptions,
        ramp: Ramp,
    ) -> Option<Valued<'a>> {
        if !matches!(by, ColourBy::Metric | ColourBy::Phase) {
            return None;
        }
        let data = data.filter(|data| !data.logical.events.is_empty())?;
        Some(Valued { data, scaled: Scaled::new(data, asked, ramp), by })
    }

    /// Whether colours are values.
    pub(super) fn is_metric(&self) -> bool {
        self.by == ColourBy::Metric
    }

    fn logical(&self) -> &Logical {
        &self.data.logical
    }

    /// The colour of an event with a value.
    fn colour(&self, event: u64, value: f32, tone: Tone) -> ColourId {
        let step = self.logical().events.step.get(event);
        match self.by {
            ColourBy::Phase => self.scaled.ramp.phase(self.logical().events.phase.get(event), tone),
            _ => self.scaled.colour(value, step..step + 1, tone),
        }
    }

    /// The events of a location that take place in a window of time.
    fn events_in(&self, location: LocationId, time: (Ns, Ns)) -> std::ops::Range<u64> {
        let (logical, events) = (self.logical(), &self.logical().events);
        let Some(row) = logical.row_of_location(location) else { return 0..0 };
        let all = logical.events_of(row);
        let first = events.leave.partition_point(all.clone(), |leave| leave < time.0);
        first..events.enter.partition_point(first..all.end, |enter| enter <= time.1)
    }
}

impl TimelinePicture<'_> {
    /// The colour of a call: of the event that it is, or grey by how deep it lies.
    pub(super) fn valued_colour(&self, valued: &Valued<'_>, span: u64) -> ColourId {
        let region = self.store.spans.region.get(span);
        let tone = if self.emphasis.fades(region) { Tone::Dimmed } else { Tone::Full };
        let events = valued.logical().events_of_span(self.store, SpanRow(span));
        let values = events.map(|event| (valued.data.value(event) as f32, event));
        match values.max_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((value, event)) => valued.colour(event, value, tone),
            None => valued.scaled.ramp.depth(self.store.spans.depth.get(span), tone),
        }
    }

    /// Cells with the largest value of their events.
    pub(super) fn valued_raster(&self, valued: &Valued<'_>) -> (Raster, String) {
        let (columns, rows) = (self.plot.width as u32, self.rows.bands(self.plot.height));
        let each = self.rows.len().div_ceil(MOST_COUNTED).max(1);
        let counted = |location: &LocationId| {
            let events = valued.events_in(*location, self.time);
            events.end - events.start
        };
        let sample: Vec<&LocationId> = self.rows.locations().iter().step_by(each).collect();
        let events = sample.into_par_iter().map(counted).sum::<u64>() * each as u64;
        let is_visited = events <= MOST_VISITED;
        let raster = if is_visited {
            self.visited_cells(valued, columns, rows)
        } else {
            self.tiled_cells(valued, columns, rows)
        };
        let ranks = self.rows.len().div_ceil(rows as usize) as u64;
        let who = if ranks > 1 {
            format!("Each row stands for up to {} locations; cells", grouped(ranks))
        } else {
            "Cells".to_owned()
        };
        let what = if valued.is_metric() {
            "show the largest value of their events"
        } else {
            "show the phase of one of their events"
        };
        let how = if is_visited { "" } else { ", placed by when their steps took place" };
        (raster, format!("{who} {what}{how}; the fewer events, the fainter."))
    }

    fn visited_cells(&self, valued: &Valued<'_>, columns: u32, rows: u32) -> Raster {
        let mut colours = vec![ColourId(0); columns as usize * rows as usize];
        let mut strength = vec![0u8; colours.len()];
        let width = columns.max(1) as usize;
        let events = &valued.logical().events;
        colours.par_chunks_mut(width).zip(strength.par_chunks_mut(width)).enumerate().for_each(
            |(row, (colours, strength))| {
                let locations = self.rows.band(row as u32, rows);
                let mut cells = vec![(f32::NEG_INFINITY, u64::MAX, 0u32); width];
                for location in locations {
                    for event in valued.events_in(*location, self.time) {
                        let value = valued.data.value(event) as f32;
                        let column = |time: Ns| ((self.x(time) - self.plot.x) as usize).min(width - 1);
                        for cell in &mut cells[column(events.enter.get(event))..=column(events.leave.get(event))] {
                            if cell.1 == u64::MAX || value > cell.0 {
                                (cell.0, cell.1) = (value, event);
                            }
                            cell.2 += 1;
                        }
                    }
                }
                for (at, (value, event, count)) in cells.into_iter().enumerate().filter(|(_, cell)| cell.2 > 0) {
                    colours[at] = valued.colour(event, value, Tone::Full);
                    let share = (count as f32 / locations.len().max(1) as f32).min(1.0);
                    strength[at] = (share.max(FAINTEST) * 255.0) as u8;
                }
            },
        );
        Raster { columns, rows, colours, strength }
    }

    fn tiled_cells(&self, valued: &Valued<'_>, columns: u32, rows: u32) -> Raster {
        let logical = valued.logical();
        let steps = logical.step_map().steps_touching(self.time);
        let steps = (steps.0, steps.1.max(steps.0 + 1e-3));
        let lines: Vec<u32> =
            self.rows.locations().iter().map(|at| logical.row_of_location(*at).unwrap_or(u32::MAX)).collect();
        let whole = (0.0, 1.0);
        let cells = Cells { lines: &lines, steps, columns, rows, event: whole, aggregate: whole };
        let reduced = valued.data.values.reduce(logical, &cells);
        // The columns of steps that lie in each column of time.
        let of_column: Vec<std::ops::Range<usize>> = (0..columns)
            .map(|column| {
                let time = [column, column + 1].map(|edge| column_time(self.time, columns, edge));
                let these = logical.step_map().steps_touching((time[0], time[1]));
                let place = |step: f64| ((step - steps.0) / (steps.1 - steps.0) * f64::from(columns)).max(0.0) as usize;
                let first = place(these.0).min(columns as usize - 1);
                first..(place(these.1) + 1).clamp(first + 1, columns as usize)
            })
            .collect();
        let mut colours = vec![ColourId(0); columns as usize * rows as usize];
        let mut strength = vec![0u8; colours.len()];
        let width = columns.max(1) as usize;
        colours.par_chunks_mut(width).zip(strength.par_chunks_mut(width)).enumerate().for_each(
            |(row, (colours, strength))| {
                let locations = self.rows.band(row as u32, rows);
                for column in 0..width {
                    let cells = of_column[column].clone();
                    let largest =
                        cells.clone().map(|at| reduced.largest[row * width + at]).fold(f32::NEG_INFINITY, f32::max);
                    let covered = cells.clone().map(|at| reduced.coverage(row, at, reduced.count[row * width + at]));
                    let covered = covered.fold(0.0, f32::max);
                    if covered <= 0.0 {
                        continue;
                    }
                    let steps = reduced.steps_of_column[cells.start].start..reduced.steps_of_column[cells.end - 1].end;
                    colours[column] = match valued.by {
                        ColourBy::Phase => {
                            let time =
                                [column as u32, column as u32 + 1].map(|edge| column_time(self.time, columns, edge));
                            let named =
                                locations.iter().take(MOST_ASKED).map(|at| valued.events_in(*at, (time[0], time[1])));
                            let event =
                                named.into_iter().find(|events| events.start < events.end).map(|events| events.start);
                            event.map_or(valued.scaled.ramp.missing(Tone::Full), |event| {
                                valued.colour(event, 0.0, Tone::Full)
                            })
                        }
                        _ => valued.scaled.colour(largest, steps, Tone::Full),
                    };
                    strength[column] = (covered.max(FAINTEST) * 255.0) as u8;
                }
            },
        );
        Raster { columns, rows, colours, strength }
    }
}
