//! What lies under the pointer in a chart of tasks.

use heddle_model::{Ns, TaskInfo};

use super::GanttPicture;
use super::layout::{Item, Layout};
use super::workers::{Worker, tasks_in};
use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::request::names::SpanName;
use crate::request::picked::Picked;
use crate::request::selection::Selection;
use crate::request::window::RankSet;
use crate::scene::Rect;
use crate::scene::frame::time_at;
use crate::scene::ticks::{counted, duration_text, time_text_between};
use crate::views::progress::shown::percent;

/// Types that the words under the pointer name.
const MOST_TYPES: usize = 6;
/// How far beside a task the pointer may be, in pixels.
const REACH: f32 = 2.0;

pub(super) fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let progression = trace.progress.as_ref()?;
    let colours = request.colours(trace.store);
    let picture = GanttPicture::new(trace, progression, request, &colours);
    if picture.has_worker_rows() { picture.pick_worker(at) } else { picture.pick_kind(at) }
}

impl GanttPicture<'_> {
    /// The task of a worker, the pause between two, or the name of a node.
    fn pick_worker(&self, at: (f32, f32)) -> Option<Picked> {
        let rows = self.worker_rows();
        let row = rows.iter().find(|row| (row.y..row.y + row.height).contains(&at.1))?;
        let worker = &row.worker;
        let who = format!("{} · node {}", self.worker_name(worker.location), worker.node);
        let lane = Rect { x: self.plot.x, y: row.y, width: self.plot.width, height: row.height };
        let ranks = Selection::Ranks([worker.node].into_iter().collect());
        let idle = self.colours.palette()[usize::from(self.colours.compute().0)];
        let picked = |title: String, lines: Vec<String>, area: Rect| Picked {
            title,
            colour: idle,
            lines,
            select: Some(ranks.clone()),
            toggles: None,
            sets: None,
            area: Some(area),
        };
        if at.0 < self.plot.x {
            let tasks = tasks_in(self.store, worker.location, self.time);
            let lines = vec![format!("{} in sight", counted(tasks.end - tasks.start, "task"))];
            return Some(picked(who, lines, lane));
        }
        if !self.plot.contains(at) {
            return None;
        }
        let reach = [-REACH, REACH].map(|beside| time_at(self.time, self.plot, at.0 + beside));
        let time = time_at(self.time, self.plot, at.0);
        let spans = &self.store.spans;
        let ends = |task: u64| {
            let span = self.store.tasks.span.get(task).0;
            (spans.start.get(span), spans.end.get(span))
        };
        let distance = |task: &u64| {
            let (start, end) = ends(*task);
            (start.since(time).max(time.since(end)).max(0), std::cmp::Reverse(*task))
        };
        let near = tasks_in(self.store, worker.location, (reach[0], Ns(reach[1].0.max(reach[0].0 + 1))));
        if let Some(task) = near.min_by_key(distance) {
            return Some(self.picked_task(task, worker, lane));
        }
        let all = tasks_in(self.store, worker.location, (Ns(i64::MIN / 2), Ns(i64::MAX / 2)));
        let after = self.store.tasks.span.partition_point(all.clone(), |span| spans.start.get(span.0) <= time);
        let (run_from, run_to) = self.progression.span;
        let from = if after > all.start { ends(after - 1).1 } else { run_from.min(time) };
        let to = if after < all.end { ends(after).0 } else { run_to.max(time) };
        let x = self.x(from);
        let area = Rect { x, width: (self.x(to) - x).max(1.0), ..lane };
        let lines = vec![who, format!("{} · {}", duration_text(to.since(from)), time_text_between(from, to))];
        Some(picked("no task".to_owned(), lines, area))
    }

    fn picked_task(&self, task: u64, worker: &Worker, lane: Rect) -> Picked {
        let (tasks, spans) = (&self.store.tasks, &self.store.spans);
        let span = tasks.span.get(task);
        let (start, end) = (spans.start.get(span.0), spans.end.get(span.0));
        let region = spans.region.get(span.0);
        let mut lines = vec![format!("{} · node {}", self.worker_name(worker.location), worker.node)];
        if let Some(id) = tasks.id.get(task).some() {
            lines.push(format!("task {id}"));
        }
        let duration = end.since(start);
        lines.push(format!("{} · {}", duration_text(duration), time_text_between(start, end)));
        if let Some(of) = self.types.at(region) {
            let kind = &self.workers.kinds[worker.kind as usize];
            let place = self.progression.kinds.iter().position(|known| known.name == *kind);
            let mean = place.and_then(|kind| self.progression.types[of].on_kind[kind].mean());
            if let Some(mean) = mean {
                let on = if kind.is_empty() { String::new() } else { format!(" on {kind}") };
                let is_outlier = self.fence(of, worker.kind as usize).is_some_and(|fence| duration > fence);
                let far = if is_outlier { ", unusually long" } else { "" };
                lines.push(format!("mean{on}: {}{far}", duration_text(mean as i64)));
            }
        }
        let (iteration, row, column) =
            (tasks.iteration.get(task), tasks.tile_row.get(task), tasks.tile_column.get(task));
        if iteration != TaskInfo::UNKNOWN {
            lines.push(format!("iteration {iteration}"));
        }
        if row != TaskInfo::UNKNOWN {
            lines.push(format!("tile ({row}, {column})"));
        }
        let waited = [(tasks.submitted.get(task), "submitted"), (tasks.ready.get(task), "ready")];
        for (since, what) in waited.into_iter().filter(|(since, _)| since.is_some()) {
            lines.push(format!("{what} {} before it began", duration_text(start.since(since))));
        }
        Picked {
            title: self.store.regions.name.get(u64::from(region.0)).to_owned(),
            colour: self.colours.rgba(region),
            lines,
            select: Some(Selection::Span(SpanName::of(self.store, span))),
            toggles: None,
            sets: None,
            area: self.place_of(span, lane),
        }
    }

    /// The slice of a kind's row, or the name of a node beside it.
    fn pick_kind(&self, at: (f32, f32)) -> Option<Picked> {
        let layout = self.layout();
        let item = layout.items.iter().find(|item| (item.y..item.y + item.height).contains(&at.1))?;
        if at.0 < self.plot.x {
            return Some(self.picked_node(&layout, item));
        }
        if !self.plot.contains(at) {
            return None;
        }
        let all = self.slices(layout.items.len() * self.workers.kinds.len());
        let time = time_at(self.time, self.plot, at.0);
        let slice = all.edges.partition_point(|edge| *edge <= time).clamp(1, all.edges.len() - 1) - 1;
        let one = all.only(slice);
        let edges = &one.edges;
        let lane = |kind: &usize| {
            let (top, height) = layout.lane(item, *kind);
            at.1 < top + height + 1.0
        };
        let kind = (0..self.workers.kinds.len()).find(lane).unwrap_or(self.workers.kinds.len() - 1);
        let usage = self.usage_of(&layout, item, kind, &one).usage;
        let (top, height) = layout.lane(item, kind);
        let shares: Vec<f64> = usage.shares(0, edges[1].since(edges[0])).collect();
        let who = counted(usage.workers, format!("{} worker", self.workers.kinds[kind]).trim_start());
        let mut lines =
            vec![who, format!("{} busy · {}", percent(shares.iter().sum()), time_text_between(edges[0], edges[1]))];
        let mut types: Vec<usize> = (0..self.types.len()).filter(|of| shares[*of] > 0.0).collect();
        types.sort_by(|a, b| shares[*b].total_cmp(&shares[*a]));
        lines.extend(types.iter().take(MOST_TYPES).map(|of| format!("{} {}", self.name(*of), percent(shares[*of]))));
        let colour = types.first().map(|of| self.colours.rgba(self.types.regions()[*of]));
        let x = self.x(edges[0]);
        let picked = self.picked_node(&layout, item);
        Some(Picked {
            lines,
            colour: colour.unwrap_or(self.colours.palette()[usize::from(self.colours.compute().0)]),
            area: Some(Rect { x, y: top, width: self.x(edges[1]) - x, height }),
            ..picked
        })
    }

    /// Who a row stands for.
    fn picked_node(&self, layout: &Layout, item: &Item) -> Picked {
        let ranks: RankSet = layout.order[item.nodes.clone()].iter().map(|at| self.workers.nodes[*at].number).collect();
        let is_one = item.nodes.len() == 1;
        let mut lines = Vec::new();
        if let Some(group) = item.group {
            let of = self.shown.clusters(self.shown.instant)[group].members.len();
            lines.push(format!("group of {} at step {}", counted(of as u64, "node"), self.shown.instant));
        }
        if is_one {
            let node = &self.workers.nodes[layout.order[item.nodes.start]];
            match self.progression.nodes.binary_search(&node.number) {
                Ok(at) => {
                    let done = self.progression.line(at)[self.shown.instant];
                    lines.push(format!("{} of its work done by then", percent(done)));
                    lines.push(counted(self.progression.tasks[at], "task"));
                }
                Err(_) => lines.push("ran no task".to_owned()),
            }
        }
        let faint = self.colours.palette()[usize::from(self.colours.ink().faint.0)];
        Picked {
            title: if is_one { format!("node {ranks}") } else { format!("nodes {ranks}") },
            colour: item.group.map_or(faint, |group| self.shown.rgba(group)),
            lines,
            select: Some(Selection::Ranks(ranks)),
            toggles: None,
            sets: None,
            area: Some(Rect { x: self.plot.x, y: item.y, width: self.plot.width, height: item.height }),
        }
    }
}
