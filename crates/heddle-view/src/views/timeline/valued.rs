//! Timelines coloured by a metric, by phase or by kind: communication stands out, everything else is grey.
//!
//! An event takes the whole height of its row, however deep it lies: it is what one compares with the boxes of logical time.
//! Callers, and calls that do not communicate, are a thin band along the top of the row, or left out where it is low.
//!
//! A cell of the raster shows the largest value of the events in it. Up to some million events are visited. Beyond that
//! cells come from the tiles of logical time, and lie where their steps took place.

use rayon::prelude::*;

use heddle_logical::{Cells, Logical};
use heddle_model::{LocationId, Ns, SpanRow};
use heddle_store::Store;

use super::TimelinePicture;
use crate::analyses::LogicalData;
use crate::request::ViewRequest;
use crate::scene::frame::column_time;
use crate::scene::ramp::{Ramp, Tone};
use crate::scene::ticks::grouped;
use crate::scene::{ColourId, LegendEntry, Raster, Rect, RectMark};
use crate::views::kinds::{self, EventKind};
use crate::views::options::{ColourBy, EventOptions};
use crate::views::valued::{FAINT_WORDS, OPACITY_WORDS, Scaled, opacity};

/// Visiting this many events takes no longer than a glance.
const MOST_VISITED: u64 = 3_000_000;
/// Rows on which events are counted: it decides how to draw, and takes time.
const MOST_COUNTED: usize = 2_048;
/// Rows from this height on have gaps between them, and from this one on a band of callers.
const LEAST_GAPPED: f32 = 5.0;
const LEAST_BANDED: f32 = 9.0;
/// With few ranks rows are not filled: a call would be a pillar.
const HIGHEST_LANE: f32 = 36.0;
/// The same where one looks along the rows of few, not for single calls.
const HIGHEST_BLAMED: f32 = 72.0;
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
    pub(super) fn new(data: Option<&'a LogicalData>, request: &ViewRequest, ramp: Ramp) -> Option<Valued<'a>> {
        let by = request.options.checked::<EventOptions>().colour;
        if !matches!(by, ColourBy::Metric | ColourBy::Phase | ColourBy::Kind) {
            return None;
        }
        let data = data.filter(|data| !data.logical.events.is_empty())?;
        Some(Valued { data, scaled: Scaled::new(data, request.options.checked(), ramp), by })
    }

    /// Whether colours are values.
    pub(super) fn is_metric(&self) -> bool {
        self.by == ColourBy::Metric
    }

    fn logical(&self) -> &Logical {
        &self.data.logical
    }

    /// The colour of an event with a value.
    fn colour(&self, store: &Store, event: u64, value: f32, tone: Tone) -> ColourId {
        let step = self.logical().events.step.get(event);
        match self.by {
            ColourBy::Phase => self.scaled.ramp.phase(self.logical().events.phase.get(event), tone),
            ColourBy::Kind => self.scaled.ramp.kind(EventKind::of(store, self.logical(), event) as usize, tone),
            _ => self.scaled.colour(value, step..step + 1, tone),
        }
    }

    /// The colour of a cell, of which a part is covered and whose largest event is this; and how strongly it is drawn.
    fn cell(&self, store: &Store, (event, value): (u64, f32), coverage: f32) -> (ColourId, f32) {
        if self.is_metric() {
            let step = self.logical().events.step.get(event);
            return self.scaled.cell(value, step..step + 1, coverage);
        }
        (self.colour(store, event, value, Tone::Full), opacity(coverage, None))
    }

    /// The key to its colours, if they are no scale.
    pub(super) fn key(&self) -> Vec<LegendEntry> {
        if self.by == ColourBy::Kind { kinds::key(self.scaled.ramp) } else { Vec::new() }
    }

    /// Whether a call communicates.
    pub(super) fn is_event(&self, store: &Store, span: u64) -> bool {
        !self.logical().events_of_span(store, SpanRow(span)).is_empty()
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
    /// What a row has of the picture: not higher than it takes to see a call, with gaps to its neighbours.
    pub(super) fn lane(&self, row: usize) -> Rect {
        let height = self.height_of(row);
        let gap = if height >= LEAST_GAPPED { (height * 0.2).max(2.0) } else { 0.0 };
        let highest = if self.blamed.is_some() { HIGHEST_BLAMED } else { HIGHEST_LANE };
        let inside = (height - gap).min(highest);
        Rect { y: self.middle_of(row as f32) - inside / 2.0, height: inside, ..self.plot }
    }

    /// The ground of all rows: what is neither an event nor a caller.
    pub(super) fn lanes(&self) -> Vec<RectMark> {
        let ground = |row| RectMark { rect: self.lane(row), colour: self.colours.compute(), span: SpanRow::NONE };
        (0..self.rows.len()).map(ground).collect()
    }

    /// What became of calls that have no colour, in words that follow others.
    pub(super) fn callers_words(&self) -> &'static str {
        match self.band(0) {
            Some(_) => ", those that do not communicate as a thin band above their row",
            None => " if it communicates",
        }
    }

    /// The vertical place of an event.
    pub(super) fn event_lane(&self, row: usize) -> (f32, f32) {
        let lane = self.lane(row);
        (lane.y, lane.height)
    }

    /// The vertical place of a call that does not communicate; none if the row is too low for it.
    pub(super) fn band(&self, row: usize) -> Option<(f32, f32)> {
        let lane = self.lane(row);
        (lane.height >= LEAST_BANDED).then_some((lane.y, (lane.height * 0.14).clamp(2.0, 4.0)))
    }

    /// The colour of a call: of the event that it is, or grey by how deep it lies.
    pub(super) fn valued_colour(&self, valued: &Valued<'_>, span: u64) -> ColourId {
        let region = self.store.spans.region.get(span);
        let tone = if self.emphasis.fades(region) { Tone::Dimmed } else { Tone::Full };
        let events = valued.logical().events_of_span(self.store, SpanRow(span));
        let values = events.map(|event| (valued.data.value(event) as f32, event));
        match values.max_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((value, event)) => valued.colour(self.store, event, value, tone),
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
        let (what, faint) = match valued.by {
            ColourBy::Phase => ("show the phase of one of their events", FAINT_WORDS),
            ColourBy::Kind => ("show the kind of one of their events", FAINT_WORDS),
            _ => ("show the largest value of their events", OPACITY_WORDS),
        };
        let how = if is_visited { "" } else { ", placed by when their steps took place" };
        (raster, format!("{who} {what}{how}; {faint}."))
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
                    let coverage = count as f32 / locations.len().max(1) as f32;
                    let (colour, opacity) = valued.cell(self.store, (event, value), coverage);
                    (colours[at], strength[at]) = (colour, (opacity * 255.0) as u8);
                }
            },
        );
        Raster { columns, rows, colours, strength }
    }

    fn tiled_cells(&self, valued: &Valued<'_>, columns: u32, rows: u32) -> Raster {
        let logical = valued.logical();
        let steps = logical.step_map().steps_touching(self.time);
        let steps = (steps.0.floor(), steps.1.ceil().max(steps.0.floor() + 1.0));
        let lines: Vec<u32> =
            self.rows.locations().iter().map(|at| logical.row_of_location(*at).unwrap_or(u32::MAX)).collect();
        let whole = (0.0, 1.0);
        // One column per step is enough: of wider ones a column of time would look at many that hold the same.
        let across = columns.min((steps.1 - steps.0) as u32).max(1);
        let cells = Cells { lines: &lines, steps, columns: across, rows, event: whole, aggregate: whole };
        let reduced = valued.data.values.reduce(logical, &cells);
        // The columns of steps that lie in each column of time.
        let of_column: Vec<std::ops::Range<usize>> = (0..columns)
            .map(|column| {
                let time = [column, column + 1].map(|edge| column_time(self.time, columns, edge));
                let these = logical.step_map().steps_touching((time[0], time[1]));
                let place = |step: f64| ((step - steps.0) / (steps.1 - steps.0) * f64::from(across)).max(0.0) as usize;
                let first = place(these.0).min(across as usize - 1);
                first..(place(these.1) + 1).clamp(first + 1, across as usize)
            })
            .collect();
        let mut colours = vec![ColourId(0); columns as usize * rows as usize];
        let mut strength = vec![0u8; colours.len()];
        let width = columns.max(1) as usize;
        colours.par_chunks_mut(width).zip(strength.par_chunks_mut(width)).enumerate().for_each(
            |(row, (colours, strength))| {
                let locations = self.rows.band(row as u32, rows);
                let cell = |at: usize| row * across as usize + at;
                for column in 0..width {
                    let cells = of_column[column].clone();
                    let largest = cells.clone().map(|at| reduced.largest[cell(at)]).fold(f32::NEG_INFINITY, f32::max);
                    let covered = cells.clone().map(|at| reduced.coverage(row, at, reduced.count[cell(at)]));
                    let covered = covered.fold(0.0, f32::max);
                    if covered <= 0.0 {
                        continue;
                    }
                    let steps = reduced.steps_of_column[cells.start].start..reduced.steps_of_column[cells.end - 1].end;
                    let (colour, opacity) = if valued.is_metric() {
                        valued.scaled.cell(largest, steps, covered)
                    } else {
                        let time = [column as u32, column as u32 + 1].map(|edge| column_time(self.time, columns, edge));
                        let named =
                            locations.iter().take(MOST_ASKED).map(|at| valued.events_in(*at, (time[0], time[1])));
                        let event = named.into_iter().find(|events| !events.is_empty()).map(|events| events.start);
                        match event {
                            Some(event) => valued.cell(self.store, (event, 0.0), covered),
                            None => (valued.scaled.ramp.missing(Tone::Full), opacity(covered, None)),
                        }
                    };
                    (colours[column], strength[column]) = (colour, (opacity * 255.0) as u8);
                }
            },
        );
        Raster { columns, rows, colours, strength }
    }
}
