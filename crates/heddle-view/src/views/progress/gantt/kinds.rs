//! The aggregated chart: a row for the workers of one kind on a node.

use rayon::prelude::*;

use heddle_model::Ns;
use heddle_tasks::grid_edge;

use super::layout::{Item, Known, Layout};
use super::usage::Usage;
use super::workers::{Node, Worker, tasks_in};
use super::{GanttPicture, mark};
use crate::request::Framing;
use crate::request::rows::Rows;
use crate::request::window::RankSet;
use crate::scene::frame::{frame, outline, time_axis};
use crate::scene::ticks::{counted, duration_text, grouped, round_step};
use crate::scene::{Anchor, Axis, ColourId, Label, Layer, LegendEntry, Rect, RectMark, Rgba, Scene};
use crate::views::progress::options::NodeOrder;
use crate::views::progress::shown::percent;
use crate::views::progress::tints::group_tints;

/// Least width of a slice in pixels; the next finer grid would be below it.
const SLICE: f32 = 2.5;
/// So many marks at most: where there are many rows, slices are wider.
const MOST_MARKS: f32 = 60_000.0;
/// Marks that a slice of a row has, usually.
const MARKS_PER_SLICE: f32 = 3.0;
/// What is seen at all, in pixels: rounds to one.
const LEAST: f32 = 0.6;
/// Less than this is nothing, unless the type is rare.
const NOTHING: f32 = 0.1;
/// Types that take less of the time in tasks than this are rare: whatever there is of them is drawn.
const RARE: f64 = 0.01;

const TEXT: f32 = 11.0;
/// Least height of what has a name, or a number.
const NAMED: f32 = 11.0;
/// From the plot: bar of groups, names, and names of nodes beside those of kinds.
const BAR: f32 = 7.0;
const BAR_WIDTH: f32 = 4.0;
const NAMES: f32 = 12.0;
const KIND_NAMES: f32 = 40.0;
/// Room for a share.
const NUMBER: f32 = 48.0;
/// Width of the tick of a node's bound.
const TICK: f32 = 2.0;
/// Opacity of the stretch between the mean of several nodes and the busiest of them.
const REACH: u8 = 60;

/// Slices of time.
pub(super) struct Slices {
    /// Where they begin, and where the last one ends.
    pub(super) edges: Vec<Ns>,
    /// How often the run is halved, and the number of the first.
    halvings: u32,
    first: i64,
}

impl Slices {
    /// One of them.
    pub(super) fn only(&self, slice: usize) -> Slices {
        let edges = self.edges[slice..=slice + 1].to_vec();
        Slices { edges, halvings: self.halvings, first: self.first + slice as i64 }
    }
}

/// The rows of a picture with what they show, by item, then kind.
pub(super) struct KindRows {
    pub(super) layout: Layout,
    pub(super) edges: Vec<Ns>,
    pub(super) usage: Vec<Vec<KindUsage>>,
}

impl KindRows {
    /// All rows together.
    fn sum(&self, types: usize) -> Usage {
        let mut sum = Usage::none(types, self.edges.len() - 1);
        self.usage.iter().flatten().for_each(|row| sum.add(&row.usage));
        sum
    }
}

/// What the workers of a kind do, of all nodes that a row stands for.
pub(super) struct KindUsage {
    pub(super) usage: Usage,
    /// By slice: the share of the busiest node, where there are several.
    most: Vec<f32>,
    /// Slices in which a task runs that takes unusually long.
    outliers: Vec<(Ns, u64)>,
}

impl GanttPicture<'_> {
    pub(super) fn layout(&self) -> Layout {
        let chosen = self.chosen();
        let known = |node: &Node| Known {
            number: node.number,
            group: self.group_of(node.number),
            is_chosen: chosen.is_some_and(|ranks| ranks.contains(node.number)),
        };
        let known: Vec<Known> = self.workers.nodes.iter().map(known).collect();
        Layout::new(self.plot, &known, self.asked.order, self.workers.kinds.len())
    }

    /// Slices: the run halved again and again, as often as there is room. They cover the window.
    pub(super) fn slices(&self, rows: usize) -> Slices {
        let run = self.store.summary().end_ns.max(1);
        let (from, to) = (i128::from(self.time.0.0), i128::from(self.time.1.0));
        let most = (self.plot.width / SLICE).min(MOST_MARKS / (MARKS_PER_SLICE * rows.max(1) as f32)).max(1.0);
        let wanted = f64::from(most) * run as f64 / (to - from) as f64;
        let finest = self.grid.as_ref().map_or(run.ilog2(), |(grid, _)| grid.halvings());
        let halvings = (wanted.max(1.0).log2() as u32).min(finest);
        let place = |time: i128| (time << halvings).div_euclid(i128::from(run));
        let (first, last) = (place(from) as i64, -place(-to) as i64);
        let edges = (first..=last.max(first + 1)).map(|at| grid_edge(run, halvings, at)).collect();
        Slices { edges, halvings, first }
    }

    pub(super) fn kind_rows(&self) -> KindRows {
        let layout = self.layout();
        let slices = self.slices(layout.items.len() * self.workers.kinds.len());
        let usage = layout
            .items
            .par_iter()
            .map(|item| (0..self.workers.kinds.len()).map(|kind| self.usage_of(&layout, item, kind, &slices)).collect())
            .collect();
        KindRows { layout, edges: slices.edges, usage }
    }

    pub(super) fn usage_of(&self, layout: &Layout, item: &Item, kind: usize, of: &Slices) -> KindUsage {
        let (edges, slices) = (&of.edges, of.edges.len() - 1);
        let mut all =
            KindUsage { usage: Usage::none(self.types.len(), slices), most: Vec::new(), outliers: Vec::new() };
        for at in &layout.order[item.nodes.clone()] {
            let node = &self.workers.nodes[*at];
            let workers = self.workers.of_kind(node, kind as u32);
            if workers.is_empty() {
                continue;
            }
            let from_grid = self.grid.as_ref().and_then(|(grid, types)| {
                let row = grid.row(node.number, &self.workers.kinds[kind])?;
                let busy = grid.busy(row, types, of.halvings, of.first, slices);
                Some(Usage { busy, workers: row.workers })
            });
            let usage = from_grid.unwrap_or_else(|| Usage::of(self.store, workers, &self.types, edges));
            if item.nodes.len() > 1 {
                all.most.resize(slices, 0.0);
                for (slice, most) in all.most.iter_mut().enumerate() {
                    let share = usage.in_slice(slice) as f64
                        / (usage.workers as f64 * edges[slice + 1].since(edges[slice]).max(1) as f64);
                    // Shares of the grid are rounded upwards, type by type.
                    *most = most.max(share.min(1.0) as f32);
                }
            }
            all.usage.add(&usage);
            if self.grid.is_none() {
                all.outliers.extend(workers.iter().flat_map(|worker| self.outliers_of(worker)));
            }
        }
        all
    }

    /// When tasks of a worker begin that take unusually long, as far as they are in sight.
    fn outliers_of(&self, worker: &Worker) -> Vec<(Ns, u64)> {
        if !self.asked.outliers || !self.has_fences() {
            return Vec::new();
        }
        let spans = &self.store.spans;
        let is_outlier = |row: &u64| {
            let span = self.store.tasks.span.get(*row).0;
            let of = self.types.at(spans.region.get(span));
            let fence = of.and_then(|of| self.fence(of, worker.kind as usize));
            fence.is_some_and(|fence| spans.end.get(span).since(spans.start.get(span)) > fence)
                && of.is_some_and(|of| !self.request.emphasis.hides(self.types.regions()[of]))
        };
        let rows = tasks_in(self.store, worker.location, self.time);
        rows.filter(is_outlier).map(|row| (spans.start.get(self.store.tasks.span.get(row).0), row)).collect()
    }

    pub(super) fn kinds_scene(&self) -> Scene {
        let rows = self.kind_rows();
        let colours = self.colours;
        let title = format!("{} · utilisation", self.store.name());
        let axes = (time_axis(self.time, self.plot), self.axis());
        let mut scene = frame(
            self.request,
            self.plot,
            title,
            axes,
            colours,
            self.legend_of(&rows.sum(self.types.len()), self.run_between(&rows.edges)),
        );
        let of_type = self.type_colours(&mut scene.palette);
        self.draw_lanes(&rows, &mut scene);
        self.draw_stacks(&rows, &of_type, &mut scene);
        self.draw_outliers(&rows, &mut scene);
        self.mark_span_in(&rows.layout, &mut scene);
        self.draw_bounds(&rows.layout, &mut scene);
        self.draw_lines(&mut scene);
        self.draw_groups(&rows.layout, &mut scene);
        if self.request.framing != Framing::Strip {
            self.label_nodes(&rows.layout, &mut scene);
            self.label_shares(&rows, &mut scene);
        }
        scene.notes = self.kind_notes(&rows);
        scene
    }

    /// Rows follow those of locations while nodes are in their order; then both can be zoomed together.
    pub(super) fn axis(&self) -> Axis {
        if self.asked.order == NodeOrder::Group {
            return Axis::default();
        }
        let rows = Rows::of(self.store, &self.request.window);
        rows.axis(self.store, self.plot, Framing::Strip, false)
    }

    fn lane(&self, layout: &Layout, item: &Item, kind: usize) -> Rect {
        let (y, height) = layout.lane(item, kind);
        Rect { x: self.plot.x, y, width: self.plot.width, height }
    }

    /// What stays empty: idle workers.
    fn draw_lanes(&self, rows: &KindRows, scene: &mut Scene) {
        let mut lanes = Vec::new();
        for (item, kinds) in rows.layout.items.iter().zip(&rows.usage) {
            for (kind, usage) in kinds.iter().enumerate() {
                if usage.usage.workers > 0 {
                    lanes.push(mark(self.lane(&rows.layout, item, kind), self.colours.compute()));
                }
            }
        }
        scene.layers.push(Layer::Rects(lanes));
    }

    fn is_faded(&self, item: &Item) -> bool {
        self.chosen().is_some() && !item.is_chosen
    }

    fn draw_stacks(&self, rows: &KindRows, of_type: &[[ColourId; 2]], scene: &mut Scene) {
        let order = self.stacked();
        let all: f64 = self.progression.types.iter().flat_map(|of| &of.on_kind).map(|on| on.total as f64).sum();
        let is_rare: Vec<bool> = (self.progression.types.iter())
            .map(|of| of.on_kind.iter().map(|on| on.total as f64).sum::<f64>() < RARE * all)
            .collect();
        let Rgba(red, green, blue, _) = scene.palette[usize::from(self.colours.ink().faint.0)];
        scene.palette.push(Rgba(red, green, blue, REACH));
        let reach = ColourId(scene.palette.len() as u16 - 1);
        let marks = rows.layout.items.par_iter().zip(&rows.usage).flat_map_iter(|(item, kinds)| {
            let is_faded = usize::from(self.is_faded(item));
            let (order, is_rare) = (&order, &is_rare);
            kinds.iter().enumerate().flat_map(move |(kind, usage)| {
                let lane = self.lane(&rows.layout, item, kind);
                let mut marks = Vec::new();
                // By type, and at last the busiest node: the mark that goes on while its height stays.
                let mut open: Vec<Option<usize>> = vec![None; order.len() + 1];
                for slice in 0..rows.edges.len() - 1 {
                    let (left, right) = (self.x(rows.edges[slice]), self.x(rows.edges[slice + 1]));
                    let length = rows.edges[slice + 1].since(rows.edges[slice]);
                    let shares: Vec<f64> = usage.usage.shares(slice, length).collect();
                    let heights = heights(order.iter().map(|of| (shares[*of], is_rare[*of])), lane.height);
                    let mut bottom = lane.y + lane.height;
                    let reached: f32 = heights.iter().sum();
                    let most = usage.most.get(slice).map_or(0.0, |most| (most * lane.height - reached).max(0.0));
                    let colours = order.iter().map(|of| of_type[*of][is_faded]).chain([reach]);
                    for ((height, colour), open) in heights.iter().chain([&most]).zip(colours).zip(&mut open) {
                        if *height <= 0.0 {
                            *open = None;
                            continue;
                        }
                        let rect = Rect { x: left, y: bottom - height, width: right - left, height: *height };
                        bottom -= height;
                        let goes_on = |at: &usize| {
                            let before: &RectMark = &marks[*at];
                            (before.rect.y - rect.y).abs() < 0.01 && (before.rect.height - rect.height).abs() < 0.01
                        };
                        if let Some(at) = open.filter(goes_on) {
                            marks[at].rect.width = right - marks[at].rect.x;
                        } else {
                            *open = Some(marks.len());
                            marks.push(mark(rect, colour));
                        }
                    }
                }
                marks
            })
        });
        scene.layers.push(Layer::Rects(marks.collect()));
    }

    /// Ticks at the upper edges of rows where a task begins that takes unusually long.
    fn draw_outliers(&self, rows: &KindRows, scene: &mut Scene) {
        let mut ticks = Vec::new();
        for (item, kinds) in rows.layout.items.iter().zip(&rows.usage) {
            for (kind, usage) in kinds.iter().enumerate() {
                let lane = self.lane(&rows.layout, item, kind);
                let height = (lane.height * 0.4).clamp(1.0, 4.0);
                let mut places: Vec<i32> = usage.outliers.iter().map(|(at, _)| self.x(*at) as i32).collect();
                places.sort_unstable();
                places.dedup();
                ticks.extend(places.into_iter().map(|x| {
                    let x = (x as f32).min(lane.x + lane.width - 1.0).max(lane.x);
                    mark(Rect { x, width: 1.0, height, ..lane }, self.colours.ink().strong)
                }));
            }
        }
        if !ticks.is_empty() {
            scene.layers.push(Layer::Rects(ticks));
        }
    }

    /// When each node alone would be done if its workers were never idle: a tick in its rows, where they are high.
    fn draw_bounds(&self, layout: &Layout, scene: &mut Scene) {
        if !self.has_bound() {
            return;
        }
        let mut ticks = Vec::new();
        for item in layout.items.iter().filter(|item| item.nodes.len() == 1 && item.height >= NAMED) {
            let number = self.workers.nodes[layout.order[item.nodes.start]].number;
            let Ok(at) = self.progression.nodes.binary_search(&number) else { continue };
            let Some(bound) = self.progression.bounds.node.get(at).filter(|bound| **bound > 0.0) else { continue };
            let time = Ns(self.progression.span.0.0.saturating_add(*bound as i64));
            if (self.time.0..self.time.1).contains(&time) {
                let x = self.x(time).min(self.plot.x + self.plot.width - TICK);
                let (first, last) = (layout.lane(item, 0), layout.lane(item, self.workers.kinds.len().max(1) - 1));
                let height = last.0 + last.1 - first.0;
                ticks.push(mark(Rect { x, y: first.0, width: TICK, height }, self.colours.ink().strong));
            }
        }
        if !ticks.is_empty() {
            scene.layers.push(Layer::Rects(ticks));
        }
    }

    /// A frame in the row in which the selected task runs.
    fn mark_span_in(&self, layout: &Layout, scene: &mut Scene) {
        let Some(span) = self.selected_span() else { return };
        let location = self.store.locations.of_span(span);
        let Some(worker) = self.workers.all.iter().find(|worker| worker.location == location) else { return };
        let is_of = |place: &usize| self.workers.nodes[*place].number == worker.node;
        let item = layout.items.iter().find(|item| layout.order[item.nodes.clone()].iter().any(is_of));
        let lane = item.map(|item| self.lane(layout, item, worker.kind as usize));
        if let Some(rect) = lane.and_then(|lane| self.place_of(span, lane)) {
            scene.layers.push(Layer::Rects(outline(rect, self.colours.accent())));
        }
    }

    /// The group of each row's nodes, beside it.
    fn draw_groups(&self, layout: &Layout, scene: &mut Scene) {
        if self.shown.groups() == 0 || self.request.framing == Framing::Strip {
            return;
        }
        let full = group_tints(&self.shown, &mut scene.palette, u8::MAX);
        let pale = group_tints(&self.shown, &mut scene.palette, super::FADED);
        for item in &layout.items {
            let of = if self.is_faded(item) { &pale } else { &full };
            let colour = item.group.map_or(self.colours.ink().line, |group| of[group]);
            let (first, last) = (layout.lane(item, 0), layout.lane(item, self.workers.kinds.len().max(1) - 1));
            let rect = Rect {
                x: self.plot.x - BAR,
                y: first.0,
                width: BAR_WIDTH,
                height: (last.0 + last.1 - first.0).max(1.0),
            };
            scene.beside.push(mark(rect, colour));
        }
    }

    fn numbers(&self, layout: &Layout, item: &Item) -> RankSet {
        layout.order[item.nodes.clone()].iter().map(|at| self.workers.nodes[*at].number).collect()
    }

    /// Numbers of nodes beside their rows: each, or a range of several that are too low for numbers of their own.
    fn label_nodes(&self, layout: &Layout, scene: &mut Scene) {
        let ink = self.colours.ink();
        let mut add = |text: String, x: f32, middle: f32, colour: ColourId| {
            let at = (x, middle + TEXT * 0.36);
            scene.labels.push(Label { at, text, size: TEXT, colour, anchor: Anchor::End });
        };
        let right = self.plot.x - NAMES;
        let mut run: Vec<&Item> = Vec::new();
        for (at, item) in layout.items.iter().enumerate() {
            let colour = if item.is_chosen { ink.strong } else { ink.text };
            let (_, lane) = layout.lane(item, 0);
            let has_kinds = lane >= NAMED && self.workers.kinds.iter().any(|kind| !kind.is_empty());
            let middle = item.y + (item.height - 1.0) / 2.0;
            if has_kinds {
                let right = right - self.room_left(NUMBER);
                for (kind, name) in self.workers.kinds.iter().enumerate() {
                    let (top, height) = layout.lane(item, kind);
                    let name = crate::request::window::shortened(name, 5);
                    add(name, right, top + height / 2.0, ink.faint);
                }
                add(self.named(layout, item), right - KIND_NAMES, middle, colour);
            } else if item.height >= NAMED {
                add(self.named(layout, item), right, middle, colour);
            } else {
                run.push(item);
                let goes_on = layout.items.get(at + 1).is_some_and(|next| self.goes_on(layout, item, next));
                if !goes_on {
                    for (text, middle) in self.run_labels(layout, &run) {
                        add(text, right, middle, if self.is_faded(run[0]) { ink.faint } else { ink.text });
                    }
                    run.clear();
                }
            }
        }
    }

    /// What stands beside a row: the nodes' numbers.
    fn named(&self, layout: &Layout, item: &Item) -> String {
        let numbers = self.numbers(layout, item);
        let text = numbers.to_string();
        if text.chars().count() <= 12 { text } else { counted(item.nodes.len() as u64, "node") }
    }

    /// Whether the next low row belongs to the same run of numbers.
    fn goes_on(&self, layout: &Layout, item: &Item, next: &Item) -> bool {
        let number = |place: usize| self.workers.nodes[layout.order[place]].number;
        next.height < NAMED
            && next.is_chosen == item.is_chosen
            && (self.asked.order == NodeOrder::Number || next.group == item.group)
            && (next.y - item.y - item.height).abs() < 0.5
            && (number(next.nodes.start) == number(item.nodes.end - 1) + 1 || self.asked.order == NodeOrder::Number)
    }

    /// Labels of a run of low rows: one for all of them, or where it is long those of round numbers.
    fn run_labels(&self, layout: &Layout, run: &[&Item]) -> Vec<(String, f32)> {
        let ([first, ..], [.., last]) = (run, run) else { return Vec::new() };
        let height = last.y + last.height - first.y;
        if height < NAMED - 1.0 {
            return Vec::new();
        }
        let place = |at: usize| self.workers.nodes[layout.order[at]].number;
        let (low, high) = (place(first.nodes.start), place(last.nodes.end - 1));
        if height < 4.0 * NAMED {
            let text = if low == high { low.to_string() } else { format!("{low}-{high}") };
            return vec![(text, first.y + height / 2.0)];
        }
        let each = (f64::from(high - low) + 1.0) / f64::from(height);
        let step = round_step((each * 18.0).ceil() as i64).max(1) as u32;
        let mut labels = Vec::new();
        let mut next = low.next_multiple_of(step);
        for item in run {
            if place(item.nodes.start) >= next || (place(item.nodes.start)..=place(item.nodes.end - 1)).contains(&next)
            {
                let number = next.max(place(item.nodes.start));
                labels.push((grouped(u64::from(number)), item.y + item.height / 2.0));
                next = (place(item.nodes.end - 1) + 1).max(number + 1).next_multiple_of(step);
            }
        }
        labels
    }

    /// The share of the time in sight that workers are busy, beside rows that are high enough.
    fn label_shares(&self, rows: &KindRows, scene: &mut Scene) {
        for (item, kinds) in rows.layout.items.iter().zip(&rows.usage) {
            for (kind, usage) in kinds.iter().enumerate() {
                let lane = self.lane(&rows.layout, item, kind);
                if lane.height < NAMED || usage.usage.workers == 0 {
                    continue;
                }
                let is_free = |from: Ns| {
                    let first = rows.edges.partition_point(|edge| *edge <= from).saturating_sub(1);
                    (first..rows.edges.len() - 1).all(|slice| usage.usage.in_slice(slice) == 0)
                };
                let Some((x, anchor)) = self.beside(NUMBER, is_free) else { continue };
                scene.labels.push(Label {
                    at: (x, lane.y + lane.height / 2.0 + TEXT * 0.36),
                    text: percent(self.busy_share(&usage.usage, &rows.edges)),
                    size: TEXT,
                    colour: if self.is_faded(item) { self.colours.ink().faint } else { self.colours.ink().text },
                    anchor,
                });
            }
        }
    }

    /// Time in tasks by the time that workers had, between the first task's start and the last one's end.
    fn busy_share(&self, usage: &Usage, edges: &[Ns]) -> f64 {
        let (from, to) = self.run_between(edges);
        usage.total() as f64 / (usage.workers as f64 * to.since(from) as f64)
    }

    /// The part of all slices in which tasks run.
    fn run_between(&self, edges: &[Ns]) -> (Ns, Ns) {
        let from = edges[0].max(self.progression.span.0);
        (from, edges[edges.len() - 1].min(self.progression.span.1).max(Ns(from.0 + 1)))
    }

    /// Types of tasks with their shares of the time of all workers in sight.
    pub(super) fn legend_of(&self, sum: &Usage, (from, to): (Ns, Ns)) -> Vec<LegendEntry> {
        let all = (sum.workers as f64 * to.since(from) as f64).max(1.0);
        let share = |of: usize| sum.busy[of].iter().sum::<i64>() as f64 / all;
        let mut entries: Vec<LegendEntry> = self
            .stacked()
            .into_iter()
            .map(|of| LegendEntry {
                colour: self.colours.region(self.types.regions()[of]),
                name: self.name(of).to_owned(),
                value: percent(share(of)),
            })
            .collect();
        entries.push(LegendEntry {
            colour: self.colours.compute(),
            name: "idle".to_owned(),
            value: percent((1.0 - sum.total() as f64 / all).max(0.0)),
        });
        entries
    }

    fn kind_notes(&self, rows: &KindRows) -> Vec<String> {
        let length = rows.edges.get(1).map_or(0, |edge| edge.since(rows.edges[0]));
        let most = rows.layout.most();
        let busiest = rows.usage.iter().flatten().flat_map(|usage| &usage.most).copied().fold(0.0, f32::max);
        let several = if most > 1 {
            format!(
                "a row stands for up to {} and shows their mean, pale up to the busiest (at most {})",
                counted(most as u64, "node"),
                percent(f64::from(busiest))
            )
        } else {
            "idle ones counted".to_owned()
        };
        let what = format!(
            "{}, {}; height and numbers: share of a row's workers in tasks, {several}, in slices of {}.",
            counted(self.workers.nodes.len() as u64, "node"),
            counted(self.workers.all.len() as u64, "worker"),
            duration_text(length)
        );
        let outliers = rows.usage.iter().flatten().map(|usage| usage.outliers.len()).sum();
        let mut lines = self.lines_note(self.grid.is_none().then_some(outliers));
        if self.grid.is_some() {
            lines.push_str(&format!(
                " About {} tasks are in sight: shares are in 255ths, and outliers are marked once fewer are.",
                grouped(self.tasks)
            ));
        }
        vec![what, lines]
    }
}

/// Heights in pixels of the parts of a stack: whatever is seen has a pixel, at the cost of the largest.
fn heights(shares: impl Iterator<Item = (f64, bool)>, room: f32) -> Vec<f32> {
    let mut heights: Vec<f32> = Vec::new();
    let mut over = 0.0;
    for (share, is_rare) in shares {
        let exact = (share * f64::from(room)) as f32;
        let is_seen = exact >= NOTHING || (is_rare && share > 0.0);
        let height = if is_seen { exact.max(LEAST) } else { 0.0 };
        over += height - exact;
        heights.push(height);
    }
    // Rounding up must not make a stack higher than its row.
    let sum: f32 = heights.iter().sum();
    let excess = (sum - room).max(0.0).min(over.max(0.0));
    if excess > 0.0
        && let Some(largest) = heights.iter_mut().max_by(|a, b| a.total_cmp(b))
    {
        *largest = (*largest - excess).max(0.0);
    }
    heights
}
