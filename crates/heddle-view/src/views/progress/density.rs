//! The density by which the nodes of a step are grouped, with its cuts; or those of several steps.
//!
//! It is turned: shares of the work go upwards as in the picture of progression beside it, so that a hill stands where the
//! lines of its nodes are.

use heddle_model::SpanRow;
use heddle_options::{OptionSpec, Options};
use heddle_tasks::{Density, GroupOptions};

use super::inks::Inks;
use super::labels::text_width;
use super::options::DensityOptions;
use super::pick::{around, group_lines, picked, select, title};
use super::shown::{Shown, percent};
use super::{Chosen, share_axis, share_y};
use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::request::picked::Picked;
use crate::request::selection::SelectionKind;
use crate::request::{Framing, ViewRequest};
use crate::scene::frame::{frame, plot_area};
use crate::scene::theme::Colours;
use crate::scene::ticks::counted;
use crate::scene::{Anchor, Axis, ColourId, Label, Layer, Rect, RectMark, Rgba, Scene, SegmentMark};
use crate::views::logical::missing;
use crate::views::{AxisKind, Picture, ViewModule};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "density",
    about: "Density of the nodes' progress at a step, with the cuts that make groups of it",
    axes: (AxisKind::Values, AxisKind::Values),
    options,
    check: None,
    analyses: &[(AnalysisKind::Progress, |_| Some(Urgency::Required))],
    selections: &[SelectionKind::Ranks],
    picture: Picture::Flat { scene, pick },
};

/// Left edge of the plot: there are no names of rows here.
const LEFT: f32 = 46.0;
/// What is free at the right of a figure.
const RIGHT: f32 = 16.0;
/// Width of the ticks of nodes, and of what is free beside them.
const RUG: f32 = 10.0;
const BESIDE_RUG: f32 = 4.0;
/// What the highest hill leaves free of the width.
const FREE: f32 = 0.06;
/// Narrower panels of several steps are not drawn: a part of the steps is, then.
const LEAST_PANEL: f32 = 42.0;
/// Opacity of hills: of all, of the chosen one, of the others then.
const HILL: [u8; 3] = [78, 140, 30];
/// Lower hills are not outlined: it would be a line along the axis.
const LEAST: f64 = 2e-3;
const TEXT: f32 = 11.0;
/// Dashes of cuts: length and gap.
const DASH: (f32, f32) = (4.0, 3.0);

fn options() -> Vec<OptionSpec> {
    super::shared_options().into_iter().chain(DensityOptions::specs()).collect()
}

/// Narrower plots have no room for the name of their axis, in pixels.
const LEAST_TITLED: f32 = 130.0;

fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let Some(progression) = trace.progress.as_deref() else { return missing(trace, request, "density") };
    let shown = Shown::of(progression, request);
    let (plot, panels) = panels(trace, request, &shown);
    let colours = request.colours(trace.store);
    let what = if panels.len() > 1 {
        "densities of progress, step by step".to_owned()
    } else {
        format!("density of progress, {}", shown.instant_text(shown.instant))
    };
    let title = if plot.width >= LEAST_TITLED { "density →".to_owned() } else { String::new() };
    let across = Axis { title, ..Axis::default() };
    let title = format!("{} · {what}", trace.store.name());
    let mut scene = frame(request, plot, title, (across, share_axis(plot)), &colours, Vec::new());
    let chosen = Chosen::of(progression, request);
    let mut inks = Inks::new(std::mem::take(&mut scene.palette), &colours, request.theme);
    let asked: GroupOptions = request.options.checked();
    let mut taken = Vec::new();
    for panel in &panels {
        let hills = Hills::of(&shown, panel, asked.bandwidth.0);
        hills.draw(&chosen, &colours, &mut scene, &mut inks, &mut taken);
        if panels.len() > 1 {
            hills.number(&colours, &mut scene);
        }
    }
    scene.palette = inks.palette;
    scene.labels.extend(taken.into_iter().map(|(_, label)| label));
    let wanted = wanted(request, &shown);
    if wanted > panels.len() {
        scene.notes.push(format!("Of {} there is room for {}.", counted(wanted as u64, "step"), panels.len()));
    }
    scene
}

fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let progression = trace.progress.as_deref()?;
    let shown = Shown::of(progression, request);
    let (_, panels) = panels(trace, request, &shown);
    let panel = panels.iter().find(|panel| panel.area.contains(at))?;
    let (bottom, top) = (share_y(panel.area, 0.0), share_y(panel.area, 1.0));
    let share = f64::from((bottom - at.1) / (bottom - top));
    let modes = &shown.groups.at[panel.instant];
    let line = |cut: f64| share_y(panel.area, cut);
    // On a tick of the rug one means the node.
    if at.0 < panel.base() {
        let near = |node: &u32| (share_y(panel.area, progression.line(*node as usize)[panel.instant]) - at.1).abs();
        let nodes = 0..progression.nodes.len() as u32;
        let node = nodes.min_by(|a, b| near(a).total_cmp(&near(b))).filter(|node| near(node) <= 3.0)?;
        let group = modes.clusters.iter().position(|cluster| cluster.members.binary_search(&node).is_ok())?;
        let here = progression.line(node as usize)[panel.instant];
        let lines = vec![format!("{} of its work done at {}", percent(here), shown.instant_text(panel.instant))];
        let place = around((panel.area.x + RUG / 2.0, line(here)), 4.0);
        return Some(picked(
            title(&shown, &[node]),
            shown.colour(panel.instant, group),
            lines,
            select(&shown, &[node]),
            place,
        ));
    }
    if let Some(cut) = modes.cuts.iter().find(|cut| (line(**cut) - at.1).abs() <= 2.5) {
        let below: usize = modes.clusters.iter().filter(|cluster| cluster.mean < *cut).map(|of| of.members.len()).sum();
        let lines = vec![
            format!("{} below it, {} above", counted(below as u64, "node"), progression.nodes.len() - below),
            "where the density has a minimum".to_owned(),
        ];
        let colours = request.colours(trace.store);
        let ink = colours.palette()[usize::from(colours.ink().text.0)];
        let area = Rect { y: line(*cut) - 2.0, height: 4.0, ..panel.area };
        return Some(picked(format!("Cut at {}", percent(*cut)), ink, lines, None, area));
    }
    let group = modes.cuts.partition_point(|cut| *cut < share).min(modes.clusters.len().checked_sub(1)?);
    let nodes = &modes.clusters[group].members;
    let edge = |at: Option<&f64>, other: f32| at.map_or(other, |cut| line(*cut));
    let upper = edge(modes.cuts.get(group), panel.area.y);
    let lower = edge(group.checked_sub(1).and_then(|before| modes.cuts.get(before)), panel.area.y + panel.area.height);
    let area = Rect { y: upper, height: lower - upper, ..panel.area };
    let lines = group_lines(&shown, panel.instant, group);
    let title = format!("{} · {}", title(&shown, nodes), counted(nodes.len() as u64, "node"));
    Some(picked(title, shown.colour(panel.instant, group), lines, select(&shown, nodes), area))
}

/// How many steps are asked for; one if it is the shown one alone.
fn wanted(request: &ViewRequest, shown: &Shown<'_>) -> usize {
    let asked: DensityOptions = request.options.checked();
    (asked.densities.0 as usize).min(shown.progression.times.len()).max(1)
}

/// The place of one instant's density.
struct Panel {
    instant: usize,
    area: Rect,
}

impl Panel {
    /// Where density is nothing.
    fn base(&self) -> f32 {
        self.area.x + RUG.min(self.area.width / 5.0) + BESIDE_RUG
    }
}

/// The plot, and the panels in it.
fn panels(trace: &Trace<'_>, request: &ViewRequest, shown: &Shown<'_>) -> (Rect, Vec<Panel>) {
    let usual = plot_area(trace.store, request);
    let plot = match request.framing {
        Framing::Strip => usual,
        // There is nothing to explain at the right.
        Framing::Figure => Rect { x: LEFT, width: (request.size.width as f32 - LEFT - RIGHT).max(1.0), ..usual },
        _ => Rect { x: LEFT, width: (usual.x + usual.width - LEFT).max(1.0), ..usual },
    };
    let wanted = wanted(request, shown);
    let asked: DensityOptions = request.options.checked();
    if asked.densities.0 == 0 {
        return (plot, vec![Panel { instant: shown.instant, area: plot }]);
    }
    let count = wanted.min(((plot.width / LEAST_PANEL) as usize).max(1));
    let width = plot.width / count as f32;
    // Nobody has done anything at instant 0: the first step ends at instant 1.
    let first = usize::from(wanted < shown.progression.times.len());
    let panel = |at: usize| Panel { instant: at + first, area: Rect { x: plot.x + at as f32 * width, width, ..plot } };
    (plot, (0..count).map(panel).collect())
}

/// The density of an instant, row of pixels by row.
struct Hills<'a> {
    shown: &'a Shown<'a>,
    panel: &'a Panel,
    /// From the upper edge: the highest density within each row of pixels.
    rows: Vec<f64>,
    most: f64,
}

impl<'a> Hills<'a> {
    fn of(shown: &'a Shown<'a>, panel: &'a Panel, bandwidth: f64) -> Hills<'a> {
        let density = Density::new(&shown.progression.at(panel.instant), bandwidth);
        let (bottom, top) = (share_y(panel.area, 0.0), share_y(panel.area, 1.0));
        let each = 1.0 / f64::from(bottom - top);
        // Hills may be narrower than a pixel.
        let parts = ((each / (bandwidth / 4.0)).ceil() as usize).clamp(1, 16);
        let row = |row: usize| {
            let upper = f64::from(bottom - panel.area.y - row as f32) * each;
            let at = |part: usize| density.at(upper - each * (part as f64 + 0.5) / parts as f64);
            (0..parts).map(at).fold(0.0, f64::max)
        };
        let rows: Vec<f64> = (0..panel.area.height as usize).map(row).collect();
        let most = rows.iter().copied().fold(0.0, f64::max);
        Hills { shown, panel, rows, most }
    }

    /// The x of a density.
    fn x(&self, density: f64) -> f32 {
        let (base, right) = (self.panel.base(), self.panel.area.x + self.panel.area.width);
        let share = if self.most > 0.0 { density / self.most } else { 0.0 };
        base + share as f32 * (right - base) * (1.0 - FREE)
    }

    /// The group at a row of pixels.
    fn group(&self, row: usize) -> usize {
        let area = self.panel.area;
        let (bottom, top) = (share_y(area, 0.0), share_y(area, 1.0));
        let share = f64::from((bottom - area.y - row as f32 - 0.5) / (bottom - top));
        let modes = &self.shown.groups.at[self.panel.instant];
        modes.cuts.partition_point(|cut| *cut < share).min(modes.clusters.len().saturating_sub(1))
    }

    fn draw(
        &self,
        chosen: &Chosen,
        colours: &Colours,
        scene: &mut Scene,
        inks: &mut Inks,
        taken: &mut Vec<(Rect, Label)>,
    ) {
        let (instant, area) = (self.panel.instant, self.panel.area);
        let modes = &self.shown.groups.at[instant];
        let clusters = &modes.clusters;
        let fades: Vec<bool> = clusters.iter().map(|cluster| chosen.fades(&cluster.members)).collect();
        let full: Vec<ColourId> =
            (0..clusters.len()).map(|group| inks.dot(self.shown.colour(instant, group), fades[group])).collect();
        let pale: Vec<ColourId> = (clusters.iter().enumerate())
            .map(|(group, cluster)| {
                let opacity = if fades[group] { HILL[2] } else { HILL[usize::from(chosen.has(&cluster.members))] };
                let Rgba(red, green, blue, _) = self.shown.colour(instant, group);
                inks.of(Rgba(red, green, blue, opacity))
            })
            .collect();
        scene.layers.push(Layer::Rects(self.fill(&pale)));
        scene.layers.push(Layer::Segments(self.outline(&full)));
        scene.layers.push(Layer::Segments(self.rug(&full)));
        let mut cuts = Vec::new();
        for cut in &modes.cuts {
            let y = share_y(area, *cut);
            let mut x = area.x;
            while x < area.x + area.width {
                let to = (x + DASH.0).min(area.x + area.width);
                cuts.push(SegmentMark { from: (x, y), to: (to, y), width: 1.0, colour: colours.ink().text });
                x += DASH.0 + DASH.1;
            }
        }
        scene.layers.push(Layer::Segments(cuts));
        self.labels(colours, &full, taken);
    }

    /// Hills, as a rectangle for each row of pixels.
    fn fill(&self, colours: &[ColourId]) -> Vec<RectMark> {
        let base = self.panel.base();
        let mark = |(row, density): (usize, &f64)| {
            let width = self.x(*density) - base;
            let rect = Rect { x: base, y: self.panel.area.y + row as f32, width, height: 1.0 };
            Some(RectMark { rect, colour: *colours.get(self.group(row))?, span: SpanRow::NONE })
                .filter(|_| *density >= self.most * LEAST)
        };
        self.rows.iter().enumerate().filter_map(mark).collect()
    }

    /// The line along the hills.
    fn outline(&self, colours: &[ColourId]) -> Vec<SegmentMark> {
        let place = |row: usize| (self.x(self.rows[row]), self.panel.area.y + row as f32 + 0.5);
        let line = |row: usize| {
            let is_seen = self.rows[row - 1].max(self.rows[row]) >= self.most * LEAST;
            let colour = *colours.get(self.group(row))?;
            is_seen.then(|| SegmentMark { from: place(row - 1), to: place(row), width: 1.3, colour })
        };
        (1..self.rows.len()).filter_map(line).collect()
    }

    /// A tick for each node; where many lie on one row of pixels, one for all of them.
    fn rug(&self, colours: &[ColourId]) -> Vec<SegmentMark> {
        let (area, instant) = (self.panel.area, self.panel.instant);
        let mut ticks: Vec<(i32, u32, f32)> = Vec::new();
        for (group, cluster) in self.shown.clusters(instant).iter().enumerate() {
            ticks.extend(cluster.members.iter().map(|node| {
                let y = share_y(area, self.shown.progression.line(*node as usize)[instant]);
                ((y * 2.0) as i32, group as u32, y)
            }));
        }
        ticks.sort_unstable_by_key(|(row, group, _)| (*row, *group));
        ticks.dedup_by_key(|(row, group, _)| (*row, *group));
        let tick = |(_, group, y): (i32, u32, f32)| SegmentMark {
            from: (area.x + 1.0, y),
            to: (self.panel.base() - BESIDE_RUG, y),
            width: 1.2,
            colour: colours[group as usize],
        };
        ticks.into_iter().map(tick).collect()
    }

    /// How many nodes a hill has, above it; where cuts are, at the right.
    fn labels(&self, colours: &Colours, full: &[ColourId], taken: &mut Vec<(Rect, Label)>) {
        let (area, modes) = (self.panel.area, &self.shown.groups.at[self.panel.instant]);
        let right = area.x + area.width;
        let is_narrow = area.width < 120.0;
        let mut put = |at: (f32, f32), text: String, colour: ColourId, anchor: Anchor| {
            let width = text_width(&text, TEXT);
            let left = if anchor == Anchor::End { at.0 - width } else { at.0 };
            let place = Rect { x: left, y: at.1 - TEXT * 0.8, width, height: TEXT };
            let meets = |other: &Rect| {
                place.x < other.x + other.width
                    && other.x < place.x + place.width
                    && place.y < other.y + other.height
                    && other.y < place.y + place.height
            };
            let is_inside = place.x >= area.x
                && place.x + width <= right
                && place.y >= area.y
                && place.y + place.height <= area.y + area.height;
            let is_free = is_inside && !taken.iter().any(|(other, _)| meets(other));
            if is_free {
                taken.push((place, Label { at, text, size: TEXT, colour, anchor }));
            }
            is_free
        };
        for (group, cluster) in modes.clusters.iter().enumerate() {
            let rows = || (0..self.rows.len()).filter(|row| self.group(*row) == group);
            let Some(peak) = rows().max_by(|a, b| self.rows[*a].total_cmp(&self.rows[*b])) else { continue };
            let (x, y) = (self.x(self.rows[peak]), area.y + peak as f32);
            let count = cluster.members.len() as u64;
            let text = if is_narrow { count.to_string() } else { counted(count, "node") };
            // Right of the summit, or above where its side has come half way back.
            let half =
                rows().take_while(|row| *row < peak).filter(|row| self.rows[*row] < self.rows[peak] * 0.5).last();
            let above = half.map_or(y - 6.0, |row| area.y + row as f32 - 4.0);
            let colour = full[group];
            let _ = put((x + 5.0, y + TEXT * 0.36), text.clone(), colour, Anchor::Start)
                || put((right - 2.0, above), text.clone(), colour, Anchor::End)
                || put((right - 2.0, above - TEXT - 2.0), text, colour, Anchor::End);
        }
        if is_narrow {
            return;
        }
        for cut in &modes.cuts {
            let (y, text) = (share_y(area, *cut), format!("cut {}", percent(*cut)));
            let colour = colours.ink().text;
            let _ = put((right - 2.0, y - 4.0), text.clone(), colour, Anchor::End)
                || put((right - 2.0, y + TEXT + 1.0), text, colour, Anchor::End);
        }
    }

    /// Which step it is, at the upper edge.
    fn number(&self, colours: &Colours, scene: &mut Scene) {
        let Rect { x, y, width, .. } = self.panel.area;
        let text = self.panel.instant.to_string();
        let colour = if self.panel.instant == self.shown.instant { colours.accent() } else { colours.ink().text };
        let at = (x + width / 2.0, y + TEXT - 1.0);
        scene.labels.push(Label { at, text, size: TEXT, colour, anchor: Anchor::Middle });
        let edge =
            SegmentMark { from: (x, y), to: (x, y + self.panel.area.height), width: 1.0, colour: colours.ink().line };
        scene.layers.push(Layer::Segments(vec![edge]));
    }
}
