//! The detailed chart: a row for each worker, its tasks one by one or, where they are too many, what takes most of each
//! cell's time.

use rayon::prelude::*;

use heddle_model::{LocationId, Ns, SpanRow};

use super::usage::Usage;
use super::workers::{Worker, tasks_in};
use super::{GanttPicture, mark};
use crate::request::Framing;
use crate::request::rows::Rows;
use crate::request::window::{row_label, shortened};
use crate::scene::frame::{column_time, frame, outline, time_axis};
use crate::scene::theme::Colours;
use crate::scene::ticks::{counted, grouped};
use crate::scene::{Anchor, ColourId, Label, Layer, Raster, Rect, RectMark, Scene};
use crate::views::progress::options::NodeOrder;
use crate::views::progress::shown::percent;
use crate::views::progress::tints::group_tints;

/// Up to so many tasks are drawn one by one, in rows of at least this height.
const MOST_RECTS: u64 = 40_000;
const LEAST_ROW: f32 = 2.0;
/// Least width of a task.
const LEAST: f32 = 1.0;
/// Wider ones leave a pixel free at their ends.
const APART: f32 = 4.0;
/// Room between nodes, if rows are high.
const GAP: f32 = 4.0;
/// Names in tasks: size of the font, room for a character, least that is legible, and how many are still read.
const TEXT: f32 = 11.0;
const CHARACTER: f32 = 7.2;
const LEAST_CHARACTERS: usize = 8;
const MOST_NAMES: usize = 400;
/// Least height of a row with a name.
const NAMED: f32 = 11.0;
/// Room for the share of time in which a worker is idle.
const IDLE_WIDTH: f32 = 72.0;
/// Least opacity of a cell in which something runs.
const LEAST_STRENGTH: f64 = 70.0;

/// A worker's row.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorkerRow {
    pub(super) worker: Worker,
    pub(super) y: f32,
    pub(super) height: f32,
    is_faded: bool,
}

impl GanttPicture<'_> {
    /// The rows of workers in sight.
    pub(super) fn worker_rows(&self) -> Vec<WorkerRow> {
        let rows = Rows::of(self.store, &self.request.window);
        let is_shown = |worker: &&Worker| {
            let has_spans = self.store.locations.spans.get(u64::from(worker.location.0)) > 0;
            self.request.window.rows.is_none() || !has_spans || rows.row_of(worker.location).is_some()
        };
        let mut workers: Vec<Worker> = self.workers.all.iter().filter(is_shown).copied().collect();
        if self.asked.order == NodeOrder::Group {
            workers.sort_by_key(|worker| (self.group_of(worker.node).unwrap_or(usize::MAX), worker.node));
        }
        let nodes = workers.chunk_by(|a, b| a.node == b.node).count();
        let even = self.plot.height / workers.len().max(1) as f32;
        let gap = if even >= 5.0 { GAP } else { 0.0 };
        let height = (self.plot.height - gap * nodes.saturating_sub(1) as f32) / workers.len().max(1) as f32;
        let mut y = self.plot.y;
        let mut placed: Vec<WorkerRow> = Vec::with_capacity(workers.len());
        for worker in workers {
            if placed.last().is_some_and(|before| before.worker.node != worker.node) {
                y += gap;
            }
            let is_faded = self.chosen().is_some_and(|ranks| !ranks.contains(worker.node));
            placed.push(WorkerRow { worker, y, height, is_faded });
            y += height;
        }
        placed
    }

    fn worker_lane(&self, row: &WorkerRow) -> Rect {
        let gap = if row.height >= 4.0 { 1.0 } else { 0.0 };
        let (top, bottom) = (row.y.round(), (row.y + row.height - gap).round());
        Rect { x: self.plot.x, y: top, width: self.plot.width, height: (bottom - top).max(1.0) }
    }

    pub(super) fn workers_scene(&self) -> Scene {
        let rows = self.worker_rows();
        let title = format!("{} · tasks", self.store.name());
        let axes = (time_axis(self.time, self.plot), self.axis());
        let legend = self.legend_of(&self.time_in_types(&rows), self.time_of_run());
        let mut scene = frame(self.request, self.plot, title, axes, self.colours, legend);
        let of_type = self.type_colours(&mut scene.palette);
        let count = self.tasks;
        let even = self.plot.height / rows.len().max(1) as f32;
        if even >= LEAST_ROW {
            let lanes = rows.iter().map(|row| mark(self.worker_lane(row), self.colours.compute()));
            scene.layers.push(Layer::Rects(lanes.collect()));
        } else {
            scene.layers.push(Layer::Rects(vec![mark(self.plot, self.colours.compute())]));
        }
        let is_single = even >= LEAST_ROW && count <= MOST_RECTS;
        let mut outliers = 0;
        if is_single {
            outliers = self.draw_tasks(&rows, &of_type, &mut scene);
        } else {
            scene.layers.push(Layer::Raster(self.raster(&rows, &of_type)));
        }
        self.mark_span(&rows, &mut scene);
        self.draw_lines(&mut scene);
        if self.request.framing != Framing::Strip && even >= LEAST_ROW {
            self.label_workers(&rows, &mut scene);
            self.label_idle(&rows, &mut scene);
        }
        scene.notes = vec![self.tasks_note(&rows, count, is_single), self.lines_note(is_single.then_some(outliers))];
        scene
    }

    fn draw_tasks(&self, rows: &[WorkerRow], of_type: &[[ColourId; 2]], scene: &mut Scene) -> usize {
        let spans = &self.store.spans;
        let of_row = |row: &WorkerRow| {
            let lane = self.worker_lane(row);
            let mut marks: Vec<(RectMark, bool)> = Vec::new();
            for task in tasks_in(self.store, row.worker.location, self.time) {
                let span = self.store.tasks.span.get(task);
                let (start, end) = (spans.start.get(span.0), spans.end.get(span.0));
                let Some(of) = self.types.at(spans.region.get(span.0)) else { continue };
                if self.request.emphasis.hides(self.types.regions()[of]) {
                    continue;
                }
                let left = self.x(start).min(lane.x + lane.width - LEAST);
                let width = self.x(end) - left;
                // Neighbours of one type are told apart.
                let width = if width >= APART { width - 1.0 } else { width.max(LEAST) };
                let rect = Rect { x: left, width, ..lane };
                let is_outlier = self.asked.outliers
                    && self.fence(of, row.worker.kind as usize).is_some_and(|fence| end.since(start) > fence);
                marks.push((RectMark { rect, colour: of_type[of][usize::from(row.is_faded)], span }, is_outlier));
            }
            marks
        };
        let drawn: Vec<(RectMark, bool)> = rows.par_iter().flat_map_iter(of_row).collect();
        let strong = self.colours.ink().strong;
        let mut around = Vec::new();
        for (drawn, _) in drawn.iter().filter(|(_, is_outlier)| *is_outlier) {
            let Rect { x, y, width, height } = drawn.rect;
            let side = |x, y, width, height| mark(Rect { x, y, width, height }, strong);
            if width < 4.0 || height < 5.0 {
                around.push(side(x, y, width, (height * 0.4).clamp(1.0, 4.0)));
                continue;
            }
            around.extend([
                side(x, y, width, 1.0),
                side(x, y + height - 1.0, width, 1.0),
                side(x, y, 1.0, height),
                side(x + width - 1.0, y, 1.0, height),
            ]);
        }
        let outliers = drawn.iter().filter(|(_, is_outlier)| *is_outlier).count();
        let marks: Vec<RectMark> = drawn.into_iter().map(|(drawn, _)| drawn).collect();
        self.name_tasks(&marks, scene);
        scene.layers.push(Layer::Rects(marks));
        scene.layers.push(Layer::Rects(around));
        outliers
    }

    /// Names of types inside the tasks that have room for them.
    fn name_tasks(&self, marks: &[RectMark], scene: &mut Scene) {
        let mut names = 0;
        for drawn in marks {
            let room = ((drawn.rect.width - 8.0) / CHARACTER).max(0.0) as usize;
            let region = self.store.spans.region.get(drawn.span.0);
            let name = self.store.regions.name.get(u64::from(region.0));
            let is_legible = room >= name.chars().count() || room >= LEAST_CHARACTERS;
            if drawn.rect.height < TEXT + 1.0 || !is_legible || names >= MOST_NAMES {
                continue;
            }
            names += 1;
            let colour = scene.palette[usize::from(drawn.colour.0)];
            let at = (drawn.rect.x + 4.0, drawn.rect.y + drawn.rect.height / 2.0 + TEXT * 0.36);
            let colour = if colour.3 < u8::MAX { self.colours.ink().text } else { Colours::ink_on(colour) };
            scene.labels.push(Label { at, text: shortened(name, room), size: TEXT, colour, anchor: Anchor::Start });
        }
    }

    /// What takes most of the time of each cell in tasks, the stronger the more time it is.
    fn raster(&self, rows: &[WorkerRow], of_type: &[[ColourId; 2]]) -> Raster {
        let (columns, down) = (self.plot.width as u32, (rows.len() as u32).min(self.plot.height as u32).max(1));
        let edges: Vec<Ns> = (0..=columns).map(|column| column_time(self.time, columns, column)).collect();
        let order = self.stacked();
        let cells: Vec<(ColourId, u8)> = (0..down)
            .into_par_iter()
            .flat_map_iter(|row| {
                let part = |at: u32| at as usize * rows.len() / down as usize;
                let inside = &rows[part(row)..part(row + 1)];
                let workers: Vec<Worker> = inside.iter().map(|row| row.worker).collect();
                let is_faded = usize::from(inside.iter().all(|row| row.is_faded));
                let usage = Usage::of(self.store, &workers, &self.types, &edges);
                let edges = &edges;
                let order = &order;
                (0..columns as usize).map(move |slice| {
                    let shares: Vec<f64> = usage.shares(slice, edges[slice + 1].since(edges[slice])).collect();
                    let all: f64 = order.iter().map(|of| shares[*of]).sum();
                    let most = order.iter().copied().max_by(|a, b| shares[*a].total_cmp(&shares[*b]));
                    match most.filter(|_| all > 0.0) {
                        Some(of) => {
                            let strength = LEAST_STRENGTH + (255.0 - LEAST_STRENGTH) * all.min(1.0);
                            (of_type[of][is_faded], strength as u8)
                        }
                        None => (ColourId(0), 0),
                    }
                })
            })
            .collect();
        let (colours, strength) = cells.into_iter().unzip();
        Raster { columns, rows: down, colours, strength }
    }

    fn label_workers(&self, rows: &[WorkerRow], scene: &mut Scene) {
        let ink = self.colours.ink();
        let numbers = if has_idle(rows) { self.room_left(IDLE_WIDTH) } else { 0.0 };
        let right = self.plot.x - 12.0 - numbers;
        let most = ((right - 6.0) / CHARACTER).max(4.0) as usize;
        let full = group_tints(&self.shown, &mut scene.palette, u8::MAX);
        for node in rows.chunk_by(|a, b| a.worker.node == b.worker.node) {
            let ([first, ..], [.., last]) = (node, node) else { continue };
            let (top, bottom) = (self.worker_lane(first).y, self.worker_lane(last));
            let bottom = bottom.y + bottom.height;
            let group = self.group_of(first.worker.node);
            let bar = Rect { x: self.plot.x - 7.0, y: top, width: 4.0, height: bottom - top };
            scene.beside.push(mark(bar, group.map_or(ink.line, |group| full[group])));
            let mut add = |text: String, middle: f32| {
                let colour = if first.is_faded { ink.faint } else { ink.text };
                let at = (right, middle + TEXT * 0.36);
                scene.labels.push(Label { at, text, size: TEXT, colour, anchor: Anchor::End });
            };
            if first.height >= NAMED {
                for row in node {
                    add(shortened(&self.worker_name(row.worker.location), most), row.y + row.height / 2.0);
                }
            } else if bottom - top >= NAMED {
                add(first.worker.node.to_string(), f32::midpoint(top, bottom));
            }
        }
    }

    /// What a worker is called beside its row.
    pub(super) fn worker_name(&self, location: LocationId) -> String {
        row_label(self.store, location, true)
    }

    /// The share of the time in sight in which workers run no task, beside rows that are high enough.
    fn label_idle(&self, rows: &[WorkerRow], scene: &mut Scene) {
        if !has_idle(rows) {
            return;
        }
        let (from, to) = self.time_of_run();
        let idle = |row: &WorkerRow| {
            let usage = Usage::of(self.store, &[row.worker], &self.types, &[from, to]);
            1.0 - usage.total() as f64 / to.since(from) as f64
        };
        let shares: Vec<f64> = rows.par_iter().map(idle).collect();
        for (row, share) in rows.iter().zip(shares) {
            let lane = self.worker_lane(row);
            let is_free = |from: Ns| tasks_in(self.store, row.worker.location, (from, self.time.1)).is_empty();
            let Some((x, anchor)) = self.beside(IDLE_WIDTH, is_free) else { continue };
            let colour = if row.is_faded { self.colours.ink().faint } else { self.colours.ink().text };
            let at = (x, lane.y + lane.height / 2.0 + TEXT * 0.36);
            scene.labels.push(Label { at, text: format!("{} idle", percent(share)), size: TEXT, colour, anchor });
        }
    }

    /// A frame around the selected task.
    fn mark_span(&self, rows: &[WorkerRow], scene: &mut Scene) {
        let Some(span) = self.selected_span() else { return };
        let location = self.store.locations.of_span(span);
        let Some(row) = rows.iter().find(|row| row.worker.location == location) else { return };
        if let Some(rect) = self.place_of(span, self.worker_lane(row)) {
            scene.layers.push(Layer::Rects(outline(rect, self.colours.accent())));
        }
    }

    /// Where a span is in a row, if it is in sight.
    pub(super) fn place_of(&self, span: SpanRow, lane: Rect) -> Option<Rect> {
        let (start, end) = (self.store.spans.start.get(span.0), self.store.spans.end.get(span.0));
        let is_in_sight = start < self.time.1 && end > self.time.0;
        let left = self.x(start);
        is_in_sight.then(|| Rect { x: left, width: (self.x(end) - left).max(LEAST), ..lane })
    }

    fn time_in_types(&self, rows: &[WorkerRow]) -> Usage {
        let (from, to) = self.time_of_run();
        let of_row = |row: &WorkerRow| Usage::of(self.store, &[row.worker], &self.types, &[from, to]);
        let add = |mut sum: Usage, part: Usage| {
            sum.add(&part);
            sum
        };
        rows.par_iter().map(of_row).reduce(|| Usage::none(self.types.len(), 1), add)
    }

    fn tasks_note(&self, rows: &[WorkerRow], count: u64, is_single: bool) -> String {
        let nodes = rows.chunk_by(|a, b| a.worker.node == b.worker.node).count() as u64;
        let all = format!(
            "{} of {} on {}",
            counted(count, "task"),
            counted(rows.len() as u64, "worker"),
            counted(nodes, "node")
        );
        if is_single {
            return format!("{all}, each drawn; at least a pixel wide.");
        }
        let each = rows.len().div_ceil((self.plot.height as usize).max(1));
        let several = if each > 1 { format!(", a row up to {} workers", grouped(each as u64)) } else { String::new() };
        format!("{all}; a cell shows the type that takes most of its time, paler where workers are idle{several}.")
    }
}

/// Whether rows are high enough for numbers beside them.
fn has_idle(rows: &[WorkerRow]) -> bool {
    rows.first().is_some_and(|row| row.height >= NAMED)
}
