//! Clustered logical time: ranks that behave alike as one row each, as high as they are many (Isaacs 2014, section 4.2).
//!
//! Above, the focus ranks: one rank and those that it exchanges messages with, event by event. Below, one row per cluster with
//! a box per step that says which part of its ranks sends, receives or does nothing. At the left the hierarchy, whose joints
//! open and close rows.

mod exchange;
mod focus;
mod glyphs;
mod hierarchy;
mod layout;
mod options;
mod pick;

use std::ops::Range;

use heddle_logical::Logical;
use heddle_logical::cluster::{Clusters, Scope};
use heddle_options::{Given, Options};
use heddle_store::Store;

use crate::analyses::{AnalysisKind, Clustered, LogicalData, Trace, Urgency, usually_open};
use crate::request::selection::{Selection, SelectionKind};
use crate::request::{Framing, ViewRequest};
use crate::scene::frame::{TREE, frame, outline, plot_area};
use crate::scene::ramp::Ramp;
use crate::scene::theme::Colours;
use crate::scene::ticks::{grouped, step_ticks};
use crate::scene::{Anchor, Axis, Extent, Label, Layer, Rect, Scene};
use crate::views::logical::missing;
use crate::views::options::{EventOptions, MetricOptions};
use crate::views::selected::{main_location, selected_event};
use crate::views::valued::Scaled;
use crate::views::{AxisKind, Picture, ViewModule, both};
use focus::{FocusRow, Neighbourhood};
use layout::{ClusterRow, cluster_rows, focus_area, room_for_focus};
use options::ClusterViewOptions;

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "clusters",
    about: "Ranks that behave alike as one row each over logical steps, and focus ranks above",
    axes: (AxisKind::Steps, AxisKind::Values),
    options: || both::<MetricOptions, EventOptions>().into_iter().chain(ClusterViewOptions::specs()).collect(),
    check: None,
    analyses: &[(AnalysisKind::Clusters, |_| Some(Urgency::Required))],
    selections: &[SelectionKind::Cluster, SelectionKind::Event],
    picture: Picture::Flat { scene, pick: pick::pick },
};

/// The clusters that have rows as the options say, from above.
pub fn shown_clusters(clusters: &Clusters, options: &Given) -> Vec<u32> {
    let open = open_joints(clusters, &options.checked());
    clusters.tree().shown(|node| open.contains(&node))
}

fn open_joints(clusters: &Clusters, options: &ClusterViewOptions) -> Vec<u32> {
    options.open.0.clone().unwrap_or_else(|| usually_open(clusters))
}

/// The picture.
fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let (Some(data), Some(clusters)) = (&trace.logical, &trace.clusters) else {
        return missing(trace, request, "clusters");
    };
    if data.logical.events.is_empty() {
        return missing(trace, request, "clusters");
    }
    let colours = request.colours(trace.store);
    let mut palette = colours.palette();
    let asked: MetricOptions = request.options.checked();
    let ramp = Ramp::add(&mut palette, request.theme, asked.palette);
    let picture = ClusterPicture::new(trace, data, clusters, request, &colours, ramp);
    let title = format!("{} · clusters of {}", trace.store.name(), picture.scope_text());
    let mut scene = frame(request, picture.plot, title, picture.axes(), &colours, Vec::new());
    scene.palette = palette;
    scene.colour_bar = Some(picture.scaled.bar(trace.store));
    picture.draw_clusters(&mut scene);
    picture.draw_focus(&mut scene);
    picture.draw_hierarchy(&mut scene);
    picture.mark_selected(&mut scene);
    picture.notes(&mut scene);
    scene
}

/// What is to be drawn, and where.
struct ClusterPicture<'a> {
    store: &'a Store,
    trace: &'a Trace<'a>,
    request: &'a ViewRequest,
    data: &'a LogicalData,
    logical: &'a Logical,
    clusters: &'a Clustered,
    asked: MetricOptions,
    drawn: EventOptions,
    shown: ClusterViewOptions,
    colours: &'a Colours,
    scaled: Scaled<'a>,
    ramp: Ramp,
    plot: Rect,
    steps: (f64, f64),
    /// Joints that are open.
    open: Vec<u32>,
    /// The selected cluster.
    selected: Option<u32>,
    cluster_rows: Vec<ClusterRow>,
    neighbourhood: Neighbourhood,
    focus_rows: Vec<FocusRow>,
}

impl<'a> ClusterPicture<'a> {
    fn new(
        trace: &'a Trace<'a>,
        data: &'a LogicalData,
        clusters: &'a Clustered,
        request: &'a ViewRequest,
        colours: &'a Colours,
        ramp: Ramp,
    ) -> ClusterPicture<'a> {
        let logical = &*data.logical;
        let asked: MetricOptions = request.options.checked();
        let shown: ClusterViewOptions = request.options.checked();
        let of_scope = clusters.scope().steps(logical);
        let whole = (f64::from(of_scope.start), f64::from(of_scope.end));
        let (from, to) = request.window.steps.unwrap_or(whole);
        let mut plot = plot_area(trace.store, request);
        if request.framing != Framing::Tree {
            plot = Rect { x: plot.x + TREE, width: (plot.width - TREE).max(1.0), ..plot };
        }
        let nodes = clusters.tree().nodes();
        let selected = match request.emphasis.selected {
            Some(Selection::Cluster(node)) if node < nodes => Some(node),
            _ => None,
        };
        let mut picture = ClusterPicture {
            store: trace.store,
            trace,
            request,
            data,
            logical,
            clusters,
            scaled: Scaled::new(data, asked.clone(), ramp),
            asked,
            drawn: request.options.checked(),
            open: open_joints(clusters, &shown),
            shown,
            colours,
            ramp,
            plot,
            steps: (from, to.max(from + 1e-3)),
            selected,
            cluster_rows: Vec::new(),
            neighbourhood: Neighbourhood::default(),
            focus_rows: Vec::new(),
        };
        picture.place();
        picture
    }

    /// Puts rows in their places.
    fn place(&mut self) {
        self.neighbourhood = self.neighbourhood(room_for_focus(self.plot));
        let rows = &self.neighbourhood.rows;
        let (height, bottom) = focus_area(self.plot, rows.len());
        let focus = |(at, row): (usize, &u32)| FocusRow { row: *row, top: self.plot.y + at as f32 * height, height };
        self.focus_rows = rows.iter().enumerate().map(focus).collect();
        let nodes = self.clusters.tree().shown(|node| self.open.contains(&node));
        self.cluster_rows = cluster_rows(self.clusters, &nodes, bottom, self.plot.y + self.plot.height);
    }

    /// Where the hierarchy is.
    fn tree_area(&self) -> Rect {
        let x = 6.0;
        Rect { x, y: self.plot.y, width: (self.plot.x - hierarchy::NAMES - x).max(1.0), height: self.plot.height }
    }

    /// Pixels of a step.
    fn column_width(&self) -> f32 {
        (f64::from(self.plot.width) / (self.steps.1 - self.steps.0)) as f32
    }

    /// The x of a place in logical time.
    fn x(&self, step: f64) -> f32 {
        self.plot.x + ((step - self.steps.0) / (self.steps.1 - self.steps.0) * f64::from(self.plot.width)) as f32
    }

    /// The steps of the scope that are at least partly in sight.
    fn steps_in_sight(&self) -> Range<u32> {
        let of_scope = self.clusters.scope().steps(self.logical);
        let clamp = |step: f64| (step.max(0.0) as u32).clamp(of_scope.start, of_scope.end);
        clamp(self.steps.0.floor())..clamp(self.steps.1.ceil())
    }

    /// The events of a row that are in sight.
    fn events_in_sight(&self, row: u32) -> Range<u64> {
        let (events, steps) = (self.clusters.scope().events_of(self.logical, row), self.steps_in_sight());
        let column = &self.logical.events.step;
        let first = column.partition_point(events.clone(), |step| step < steps.start);
        first..column.partition_point(first..events.end, |step| step < steps.end)
    }

    /// Which part of its step an event takes, and the aggregate before it.
    fn step_parts(&self) -> [(f64, f64); 2] {
        if self.asked.aggregates { [(0.42, 0.94), (0.08, 0.38)] } else { [(0.1, 0.9), (0.1, 0.9)] }
    }

    /// The part of a step that events take.
    fn step_rect(&self, step: u32, y: f32, height: f32) -> Rect {
        let [(from, to), _] = self.step_parts();
        let (from, to) = (self.x(f64::from(step) + from), self.x(f64::from(step) + to));
        Rect { x: from, y, width: (to - from).max(1.0), height: height.max(1.0) }
    }

    fn row_of_rank(&self, rank: u32) -> Option<u32> {
        self.logical.row_of_location(main_location(self.store, rank)?)
    }

    /// The number of a row's rank.
    fn rank_text(&self, row: u32) -> String {
        let location = self.logical.rows.location.get(u64::from(row));
        let rank = self.store.locations.rank.get(u64::from(location.0));
        grouped(u64::from(if rank.is_some() { rank.0 } else { location.0 }))
    }

    /// The row of the cluster that a rank is in.
    fn cluster_row_of(&self, row: u32) -> Option<&ClusterRow> {
        let leaf = self.clusters.leaf_of(row)?;
        let tree = self.clusters.tree();
        let mut node = leaf;
        loop {
            if let Some(row) = self.cluster_rows.iter().find(|row| row.node == node) {
                return Some(row);
            }
            node = tree.parent(node)?;
        }
    }

    /// Whether a node fades because another is selected.
    fn is_faded_node(&self, node: u32) -> bool {
        let Some(selected) = self.selected else { return false };
        let tree = self.clusters.tree();
        let below = tree.leaves_of(selected);
        !tree.leaves_of(node).iter().any(|leaf| below.contains(leaf))
    }

    /// Whether a row fades because a cluster is selected that it is not in.
    fn is_faded_row(&self, row: u32) -> bool {
        let Some(selected) = self.selected else { return false };
        let leaf = self.clusters.leaf_of(row);
        !leaf.is_some_and(|leaf| self.clusters.tree().leaves_of(selected).contains(&leaf))
    }

    fn axes(&self) -> (Axis, Axis) {
        let [event, _] = self.step_parts();
        let middle = if self.column_width() >= 6.0 { f64::midpoint(event.0, event.1) } else { 0.5 };
        let all = self.logical.steps.len() as u32;
        let clamp = |step: f64| step.clamp(0.0, f64::from(all)) as u32;
        let in_sight = clamp(self.steps.0.floor())..clamp(self.steps.1.ceil());
        let mut ticks = step_ticks(in_sight, 44.0, self.column_width(), |step| self.x(f64::from(step) + middle));
        ticks.retain(|tick| (self.plot.x..=self.plot.x + self.plot.width).contains(&tick.at));
        let title = String::from(if self.request.framing == Framing::Figure { "step" } else { "" });
        let across = Axis { title, ticks, extent: Extent::Steps(self.steps.0, self.steps.1, all) };
        (across, Axis::default())
    }

    /// Whose clusters they are.
    fn scope_text(&self) -> String {
        let steps = self.clusters.scope().steps(self.logical);
        let last = steps.end.saturating_sub(1);
        match self.clusters.scope() {
            Scope::Phase(phase) => format!("phase {}", grouped(u64::from(*phase))),
            scope if scope.is_run(self.logical) => "the whole run".to_owned(),
            Scope::Steps(_) => format!("steps {} to {}", grouped(steps.start.into()), grouped(last.into())),
        }
    }

    fn notes(&self, scene: &mut Scene) {
        let rows = self.cluster_rows.len() as u64;
        let (ranks, leaves) = (self.clusters.rows(), u64::from(self.clusters.tree().leaves()));
        if ranks == 0 {
            scene.notes.insert(0, format!("There are no events in {}: nothing to cluster.", self.scope_text()));
            self.say("No events here: choose another phase, or other steps.", scene);
            return;
        }
        let open = if leaves > rows { format!(", {} when all are open", grouped(leaves)) } else { String::new() };
        let s = if rows == 1 { "" } else { "s" };
        let stand = if rows == 1 { "stands" } else { "stand" };
        scene.notes.insert(
            0,
            format!(
                "{} row{s} {stand} for the {} ranks of {}{open}.",
                grouped(rows),
                grouped(ranks),
                self.scope_text()
            ),
        );
        if let Some(pattern) = self.clusters.pattern() {
            scene.notes[0] = format!("{} Pattern: {}, {}.", scene.notes[0], pattern.name(), pattern.facts());
        }
        if let (Some(Selection::Cluster(node)), None) = (&self.request.emphasis.selected, self.selected) {
            scene.notes.push(format!("There is no cluster {} here.", grouped(u64::from(*node))));
        }
        scene.notes.extend(self.focus_note());
        if self.clusters.leaves().iter().all(|leaf| leaf.largest.is_none()) {
            let metric = self.data.values.metric().title(self.store);
            self.say(&format!("{metric} is not known for any event of {}.", self.scope_text()), scene);
        } else if self.steps_in_sight().is_empty() {
            let steps = self.clusters.scope().steps(self.logical);
            let (first, last) = (grouped(steps.start.into()), grouped(steps.end.saturating_sub(1).into()));
            let text =
                format!("These are the clusters of {}: steps {first} to {last}, out of sight.", self.scope_text());
            self.say(&text, scene);
        }
    }

    /// A sentence in the middle of the picture.
    fn say(&self, text: &str, scene: &mut Scene) {
        let at = (self.plot.x + self.plot.width / 2.0, self.plot.y + self.plot.height / 2.0);
        let colour = self.colours.ink().text;
        scene.labels.push(Label { at, text: text.to_owned(), size: 13.0, colour, anchor: Anchor::Middle });
    }

    /// Boxes around the selected cluster and the selected event.
    fn mark_selected(&self, scene: &mut Scene) {
        let accent = self.colours.accent();
        let mut boxes = Vec::new();
        let selected = self.cluster_rows.iter().filter(|row| Some(row.node) == self.selected);
        for row in selected {
            let area = Rect { x: self.plot.x, y: row.top, width: self.plot.width, height: row.height };
            let inside = Rect { x: area.x + 2.0, y: area.y + 2.0, width: area.width - 4.0, height: area.height - 4.0 };
            boxes.extend(outline(inside, accent));
        }
        if let Some(event) = selected_event(self.trace, self.request) {
            let (row, step) = (self.logical.row_of(event), self.logical.events.step.get(event));
            if self.steps_in_sight().contains(&step) && self.clusters.scope().contains(self.logical, event) {
                let focus = self.focus_rows.iter().find(|focus| focus.row == row);
                boxes.extend(focus.into_iter().flat_map(|focus| outline(self.focus_rect(focus, step), accent)));
                if let Some(cluster) = self.cluster_row_of(row) {
                    let area =
                        if cluster.members == 1 { self.alone_rect(cluster, step) } else { self.art(cluster, step) };
                    boxes.extend(outline(area, accent));
                }
            }
        }
        scene.layers.push(Layer::Rects(boxes));
    }
}
