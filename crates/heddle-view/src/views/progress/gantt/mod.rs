//! Utilisation of each node and kind of worker over time by type of task, or every task of chosen nodes.
//!
//! A row of workers of one kind shows which share of them, all declared ones, runs tasks of each type, slice by slice; what
//! stays empty is idle. Slices lie on a fixed grid of the run, so that moving the window does not change them.

mod kinds;
mod layout;
mod pick;
mod tasks;
mod usage;
pub(crate) mod workers;

use heddle_model::{Ns, SpanRow};
use heddle_options::{OptionSpec, Options};
use heddle_store::Store;
use heddle_tasks::{FEW_TASKS, Grid, Overview, Progression};

use super::options::{GanttOptions, GanttRows};
use super::said;
use super::shown::Shown;
use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::request::ViewRequest;
use crate::request::selection::{Selection, SelectionKind};
use crate::request::window::RankSet;
use crate::scene::frame::{has_beside, plot_area, time_at, x_of};
use crate::scene::theme::Colours;
use crate::scene::ticks::{duration_text, grouped};
use crate::scene::{Anchor, ColourId, Rect, RectMark, Rgba, Scene};
use crate::views::logical::missing;
use crate::views::{AxisKind, Picture, ViewModule};

use workers::{Types, Workers};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "gantt",
    about: "Tasks over time: how busy each node and kind of worker is, or every task of each worker",
    axes: (AxisKind::Time, AxisKind::Rows),
    options,
    check: None,
    analyses: &[(AnalysisKind::Progress, |_| Some(Urgency::Required))],
    selections: &[SelectionKind::Ranks, SelectionKind::Span],
    picture: Picture::Flat { scene, pick: pick::pick },
};

/// Room at the left that names need.
const LEFT: f32 = 90.0;
/// Opacity of what is not chosen.
const FADED: u8 = 140;

fn options() -> Vec<OptionSpec> {
    super::shared_options().into_iter().chain(GanttOptions::specs()).collect()
}

fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let Some(progression) = &trace.progress else { return missing(trace, request, "utilisation") };
    let colours = request.colours(trace.store);
    if trace.store.tasks.is_empty() {
        let title = format!("{} · utilisation", trace.store.name());
        return said(request, &colours, title, "The trace has no tasks; the timeline shows what its ranks did.");
    }
    let picture = GanttPicture::new(trace, progression, request, &colours);
    if picture.has_worker_rows() {
        return picture.workers_scene();
    }
    let mut scene = picture.kinds_scene();
    if picture.asked.rows == GanttRows::Workers {
        scene.notes.insert(
            0,
            format!(
                "{} tasks are too many for rows of workers, so those of a kind share one: choose nodes, or zoom in.",
                grouped(picture.tasks)
            ),
        );
    }
    scene
}

/// What is to be drawn, and where.
struct GanttPicture<'a> {
    store: &'a Store,
    progression: &'a Progression,
    request: &'a ViewRequest,
    colours: &'a Colours,
    asked: GanttOptions,
    time: (Ns, Ns),
    plot: Rect,
    workers: Workers,
    types: Types,
    shown: Shown<'a>,
    /// How many tasks are in sight; about, if workers are many.
    tasks: u64,
    /// Where to look instead of visiting them, if they are many, and where the types are there.
    grid: Option<(&'a Grid, Vec<usize>)>,
}

impl<'a> GanttPicture<'a> {
    fn new(
        trace: &'a Trace<'_>,
        progression: &'a Progression,
        request: &'a ViewRequest,
        colours: &'a Colours,
    ) -> GanttPicture<'a> {
        let store = trace.store;
        let (time, workers) = (request.window.time(store), Workers::of(store, &request.window));
        let types = Types::of(store, progression);
        let tasks = workers.tasks_in(store, time);
        let grid = trace.tasks.as_deref().and_then(|overview: &Overview| overview.grid.as_ref());
        GanttPicture {
            grid: grid.filter(|_| tasks > FEW_TASKS).and_then(|grid| {
                let places: Option<Vec<usize>> = types.regions().iter().map(|region| grid.type_at(*region)).collect();
                Some((grid, places?))
            }),
            tasks,
            store,
            progression,
            request,
            colours,
            asked: request.options.checked(),
            time,
            plot: plot_area(store, request),
            workers,
            types,
            shown: Shown::of(progression, request),
        }
    }

    /// Whether each worker has a row: if that is asked for, and tasks are not far too many.
    fn has_worker_rows(&self) -> bool {
        self.asked.rows == GanttRows::Workers && self.tasks <= FEW_TASKS
    }

    /// The selected task.
    fn selected_span(&self) -> Option<SpanRow> {
        match &self.request.emphasis.selected {
            Some(Selection::Span(name)) => name.find(self.store),
            _ => None,
        }
    }

    /// The part of the window in which tasks run: between the first one's start and the last one's end.
    fn time_of_run(&self) -> (Ns, Ns) {
        let from = self.time.0.max(self.progression.span.0);
        (from, self.time.1.min(self.progression.span.1).max(Ns(from.0 + 1)))
    }

    fn x(&self, time: Ns) -> f32 {
        x_of(self.time, self.plot, time)
    }

    /// The chosen nodes, if any are.
    fn chosen(&self) -> Option<&RankSet> {
        match &self.request.emphasis.selected {
            Some(Selection::Ranks(ranks)) => Some(ranks),
            _ => None,
        }
    }

    /// The group of a node by its number; none if it had no work.
    fn group_of(&self, number: u32) -> Option<usize> {
        self.progression.nodes.binary_search(&number).ok().map(|at| self.shown.group(at))
    }

    /// Types from the bottom of a stack up: those that take most time first, hidden ones left out.
    fn stacked(&self) -> Vec<usize> {
        let time = |of: &usize| self.progression.types[*of].on_kind.iter().map(|on| on.total).sum::<i64>();
        let mut order: Vec<usize> =
            (0..self.types.len()).filter(|of| !self.request.emphasis.hides(self.types.regions()[*of])).collect();
        order.sort_by_key(|of| (std::cmp::Reverse(time(of)), *of));
        order
    }

    /// Colours of types, receding where others stand out; and the same of nodes that are not chosen.
    fn type_colours(&self, palette: &mut Vec<Rgba>) -> Vec<[ColourId; 2]> {
        let of = |region: &heddle_model::RegionId| {
            let colour = self.colours.region(*region);
            if self.request.emphasis.fades(*region) {
                return [self.colours.faded(colour); 2];
            }
            let Rgba(red, green, blue, _) = palette[usize::from(colour.0)];
            palette.push(Rgba(red, green, blue, FADED));
            [colour, ColourId(palette.len() as u16 - 1)]
        };
        self.types.regions().iter().map(of).collect()
    }

    fn name(&self, of: usize) -> &str {
        self.store.regions.name.get(u64::from(self.types.regions()[of].0))
    }
}

fn mark(rect: Rect, colour: ColourId) -> RectMark {
    RectMark { rect, colour, span: SpanRow::NONE }
}

impl GanttPicture<'_> {
    /// Durations beyond which a task of a type on a kind of worker is an outlier.
    fn fence(&self, of: usize, kind: usize) -> Option<i64> {
        let name = self.workers.kinds.get(kind)?;
        let kind = self.progression.kinds.iter().position(|kind| kind.name == *name)?;
        self.progression.types[of].fences.get(kind).copied().flatten().map(|(_, high)| high)
    }

    fn has_fences(&self) -> bool {
        self.progression.types.iter().any(|of| of.fences.iter().any(Option::is_some))
    }

    /// Where numbers of rows stand that take so much room: at the right of the plot or, if there is room before the names, at
    /// the left. Else over the end of the plot, where nothing is drawn (`is_free`).
    fn beside(&self, width: f32, is_free: impl FnOnce(Ns) -> bool) -> Option<(f32, Anchor)> {
        let right = self.plot.x + self.plot.width;
        if has_beside(self.request) {
            return Some((right + 6.0, Anchor::Start));
        }
        if self.room_left(width) > 0.0 {
            return Some((self.plot.x - 12.0, Anchor::End));
        }
        let has_room = self.plot.width > 5.0 * width;
        (has_room && is_free(time_at(self.time, self.plot, right - width))).then_some((right - 4.0, Anchor::End))
    }

    /// How much of the room at the left numbers take.
    fn room_left(&self, width: f32) -> f32 {
        let is_left = !has_beside(self.request) && self.plot.x >= width + LEFT;
        if is_left { width } else { 0.0 }
    }

    /// Vertical lines: the shown step, and when the run would end if no worker were ever idle.
    fn draw_lines(&self, scene: &mut Scene) {
        let ink = self.colours.ink();
        let (start, plot) = (self.progression.span.0, self.plot);
        let is_in_sight = |time: &Ns| (self.time.0..=self.time.1).contains(time);
        let line = |time: Ns, width: f32, y: f32, height: f32, colour: ColourId| {
            let x = self.x(time).min(plot.x + plot.width - width);
            mark(Rect { x: x.floor(), y, width, height }, colour)
        };
        let mut lines = Vec::new();
        if let Some(shown) = self.shown_time().filter(is_in_sight) {
            lines.push(line(shown, 1.0, plot.y, plot.height, self.colours.accent()));
        }
        let bound = Ns(start.0.saturating_add(self.progression.bounds.area as i64));
        if self.has_bound() && is_in_sight(&bound) {
            const DASH: (f32, f32) = (6.0, 4.0);
            let mut y = plot.y;
            while y < plot.y + plot.height {
                lines.push(line(bound, 1.0, y, DASH.0.min(plot.y + plot.height - y), ink.strong));
                y += DASH.0 + DASH.1;
            }
        }
        let end = self.progression.span.1;
        if is_in_sight(&end) {
            lines.push(line(end, 1.0, plot.y, plot.height, ink.faint));
        }
        scene.layers.push(crate::scene::Layer::Rects(lines));
    }

    fn has_bound(&self) -> bool {
        self.progression.bounds.is_known && self.progression.bounds.area > 0.0
    }

    fn shown_time(&self) -> Option<Ns> {
        self.progression.times.get(self.shown.instant).copied()
    }

    /// What lines and ticks mean.
    fn lines_note(&self, outliers: Option<usize>) -> String {
        let since = |time: Ns| duration_text(time.since(self.progression.span.0));
        let mut words = Vec::new();
        if self.has_bound() {
            words.push(format!("Dashed: the area bound, {}", duration_text(self.progression.bounds.area as i64)));
        }
        words.push(format!(
            "{} the end, {}",
            if words.is_empty() { "Grey:" } else { "grey:" },
            since(self.progression.span.1)
        ));
        if let Some(shown) = self.shown_time() {
            words.push(format!("blue: step {}, {}", self.shown.instant, since(shown)));
        }
        let lines = format!("{}.", words.join("; "));
        let Some(outliers) = outliers.filter(|_| self.asked.outliers && self.has_fences()) else { return lines };
        let ticks = match outliers {
            0 => "No task in sight is an outlier among those of its type on its kind of worker.".to_owned(),
            1 => {
                "Marked dark: one task longer than 1.5 interquartile ranges above its type's upper quartile.".to_owned()
            }
            many => format!(
                "Marked dark: {} tasks longer than 1.5 interquartile ranges above their type's upper quartile.",
                grouped(many as u64)
            ),
        };
        format!("{ticks} {lines}")
    }
}
