//! How far the nodes of a program have come, after Nesi et al. (2023): lines of nodes, points of groups, lower bounds; and
//! what belongs to it: the density by which nodes are grouped, the work of each node over time, the tiles of the matrix.

pub(crate) mod compare;
pub(crate) mod density;
pub(crate) mod distribution;
pub(crate) mod gantt;
mod inks;
mod key;
mod labels;
mod marks;
pub(crate) mod options;
mod pick;
pub(crate) mod shown;
mod tints;

use heddle_model::Ns;
use heddle_options::{OptionSpec, Options};
use heddle_tasks::{GroupOptions, Progression};

use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::request::selection::{Selection, SelectionKind};
use crate::request::{Framing, ViewRequest};
use crate::scene::frame::{frame, plot_area, time_axis, whole_area};
use crate::scene::theme::Colours;
use crate::scene::ticks::counted;
use crate::scene::{Anchor, Axis, Label, LegendEntry, Rect, Scene, Tick};
use crate::views::logical::missing;
use crate::views::{AxisKind, Picture, ViewModule};
use inks::Inks;
use options::ProgressionOptions;
use shown::{Shown, ranges};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "progress",
    about: "Share of its own work that each node has done over time, with groups of nodes and lower bounds",
    axes: (AxisKind::Time, AxisKind::Values),
    options: shared_options,
    check: None,
    analyses: &[(AnalysisKind::Progress, |_| Some(Urgency::Required))],
    selections: &[SelectionKind::Ranks],
    picture: Picture::Flat { scene, pick: pick::pick },
};

/// Size of a sentence that stands for a picture.
const SENTENCE: f32 = 12.0;

/// A sentence where a picture would have nothing to show.
fn said(request: &ViewRequest, colours: &Colours, title: String, why: &str) -> Scene {
    let area = whole_area(request);
    let mut scene = frame(request, area, title, (Axis::default(), Axis::default()), colours, Vec::new());
    // A page says it in words of its own.
    if request.framing == Framing::Figure {
        scene.labels.push(Label {
            at: (area.x + area.width / 2.0, area.y + area.height / 2.0),
            text: why.to_owned(),
            size: SENTENCE,
            colour: colours.ink().faint,
            anchor: Anchor::Middle,
        });
    }
    scene.notes.push(why.to_owned());
    scene
}

/// Options that all views of progression heed.
fn shared_options() -> Vec<OptionSpec> {
    ProgressionOptions::specs().into_iter().chain(GroupOptions::specs()).collect()
}

fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let Some(progression) = trace.progress.as_deref() else { return missing(trace, request, "progression") };
    let shown = Shown::of(progression, request);
    let places = Places::of(trace, request);
    let colours = request.colours(trace.store);
    let asked: ProgressionOptions = request.options.checked();
    let axes = (time_axis(places.time, places.plot), share_axis(places.plot));
    let title = format!("{} · share of its own work that each node has done", trace.store.name());
    let legend = shown.clusters(shown.instant).iter().enumerate();
    let mut scene = frame(request, places.plot, title, axes, &colours, Vec::new());
    let mut inks = Inks::new(std::mem::take(&mut scene.palette), &colours, request.theme);
    let chosen = Chosen::of(progression, request);
    draw(&shown, &places, &chosen, &asked, &mut scene, &mut inks);
    if request.framing == Framing::Figure {
        scene.legend = legend
            .map(|(group, cluster)| LegendEntry {
                colour: inks.of(shown.rgba(group)),
                name: shown.short_names(&cluster.members),
                value: counted(cluster.members.len() as u64, "node"),
            })
            .collect();
        key::add(&shown, &mut scene, &inks);
    }
    notes(&shown, &mut scene);
    scene.palette = inks.palette;
    scene
}

/// All marks and texts of a run.
fn draw(
    shown: &Shown<'_>,
    places: &Places,
    chosen: &Chosen,
    asked: &ProgressionOptions,
    scene: &mut Scene,
    inks: &mut Inks,
) {
    let before = scene.layers.len();
    let drawn = marks::Drawn { shown, places, chosen };
    drawn.nodes(scene, inks);
    drawn.bounds(scene, inks);
    drawn.step(scene, inks);
    drawn.groups(scene, inks);
    labels::add(&drawn, before, scene, inks, asked.labels);
}

/// What was left out, or is not seen.
fn notes(shown: &Shown<'_>, scene: &mut Scene) {
    let progression = shown.progression;
    if marks::has_ribbons(progression) {
        scene.notes.push(format!(
            "{} are too many for a line each: the ribbons hold all of them and the middle 80 %, the grey line is their median.",
            counted(progression.nodes.len() as u64, "node")
        ));
    }
    if !progression.idle.is_empty() {
        let idle = progression.idle.iter().copied();
        scene.notes.push(format!("No work, and so no line: {}.", numbered(idle, progression.idle.len())));
    }
    scene.notes.extend(progression.notes.iter().cloned());
}

/// Nodes by their numbers: `node 3`, `nodes 0-1`.
pub(crate) fn numbered(nodes: impl Iterator<Item = u32>, count: usize) -> String {
    format!("{} {}", if count == 1 { "node" } else { "nodes" }, ranges(nodes))
}

/// Where times and shares are in the picture.
pub(super) struct Places {
    pub(super) plot: Rect,
    pub(super) time: (Ns, Ns),
}

impl Places {
    fn of(trace: &Trace<'_>, request: &ViewRequest) -> Places {
        Places { plot: share_area(trace, request), time: request.window.time(trace.store) }
    }

    /// The x of a moment, also outside of the plot.
    pub(super) fn x(&self, at: f64) -> f32 {
        let (from, to) = (self.time.0.0 as f64, self.time.1.0 as f64);
        self.plot.x + ((at - from) / (to - from) * f64::from(self.plot.width)) as f32
    }

    pub(super) fn y(&self, share: f64) -> f32 {
        share_y(self.plot, share)
    }

    /// The moment and the share at a place.
    pub(super) fn at(&self, (x, y): (f32, f32)) -> (f64, f64) {
        let (from, to) = (self.time.0.0 as f64, self.time.1.0 as f64);
        let time = from + f64::from((x - self.plot.x) / self.plot.width) * (to - from);
        let (bottom, top) = (share_y(self.plot, 0.0), share_y(self.plot, 1.0));
        (time, f64::from((bottom - y) / (bottom - top)))
    }
}

/// Where the plot is: as in other views on the axis of time, but for the room that these leave for names of rows in figures.
fn share_area(trace: &Trace<'_>, request: &ViewRequest) -> Rect {
    const LEFT: f32 = 64.0;
    let usual = plot_area(trace.store, request);
    match request.framing {
        Framing::Figure => Rect { x: LEFT, width: (usual.x + usual.width - LEFT).max(1.0), ..usual },
        _ => usual,
    }
}

/// Room in the plot above 100 % and below 0 %: half a point has to be seen, and the ends of lines.
const ABOVE: f32 = 12.0;
const BELOW: f32 = 6.0;

/// The y of a share of the work: the same in all pictures of one height.
pub(super) fn share_y(plot: Rect, share: f64) -> f32 {
    let (top, bottom) = (plot.y + ABOVE, plot.y + plot.height - BELOW);
    bottom - share as f32 * (bottom - top).max(1.0)
}

/// The axis of shares.
pub(super) fn share_axis(plot: Rect) -> Axis {
    let tick =
        |quarter: u32| Tick { at: share_y(plot, f64::from(quarter) / 4.0), label: format!("{} %", quarter * 25) };
    Axis { ticks: (0..=4).map(tick).collect(), ..Axis::default() }
}

/// Which nodes stand out.
pub(super) struct Chosen {
    /// By node; none if nothing is selected.
    is: Option<Vec<bool>>,
    /// How many.
    count: usize,
}

impl Chosen {
    fn of(progression: &Progression, request: &ViewRequest) -> Chosen {
        let ranks = match &request.emphasis.selected {
            Some(Selection::Ranks(ranks)) => Some(ranks),
            _ => request.window.ranks.as_ref(),
        };
        let is: Option<Vec<bool>> =
            ranks.map(|ranks| progression.nodes.iter().map(|node| ranks.contains(*node)).collect());
        let count = is.iter().flatten().filter(|is| **is).count();
        Chosen { is: is.filter(|_| count > 0), count }
    }

    /// Whether one of these nodes is chosen.
    pub(super) fn has(&self, nodes: &[u32]) -> bool {
        self.is.as_ref().is_some_and(|is| nodes.iter().any(|node| is[*node as usize]))
    }

    /// Whether they are the chosen ones, all of them and no others.
    pub(super) fn is_all(&self, nodes: &[u32]) -> bool {
        self.count == nodes.len() && self.is.as_ref().is_some_and(|is| nodes.iter().all(|node| is[*node as usize]))
    }

    /// Whether these nodes recede because others stand out.
    pub(super) fn fades(&self, nodes: &[u32]) -> bool {
        self.is.is_some() && !self.has(nodes)
    }

    /// The chosen nodes.
    pub(super) fn nodes(&self) -> impl Iterator<Item = u32> + '_ {
        self.is.iter().flatten().zip(0..).filter(|(is, _)| **is).map(|(_, node)| node)
    }
}
