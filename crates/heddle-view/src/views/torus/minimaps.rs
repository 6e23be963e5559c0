//! Small maps of a torus: one for each way to look at it, with the mean of each bundle of links as one line.

use heddle_topology::layout::{Axes, Bundle, Drawing, MiniMap, Spacing};
use heddle_topology::{Coordinates, Torus};

use super::loads::TorusLoads;
use super::shown::{self, Part};
use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::request::picked::Picked;
use crate::request::{Framing, ViewRequest};
use crate::scene::ramp::{Palette, Ramp, Tone};
use crate::scene::theme::Colours;
use crate::scene::{Anchor, Label, Layer, Rect, Rgba, Scene, SegmentMark};
use crate::views::{AxisKind, Picture, ViewModule};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "minimaps",
    about: "A small map of a torus for each way to look at it: each line is the mean of a bundle of links",
    axes: (AxisKind::Values, AxisKind::Values),
    options: super::options,
    check: Some(shown::check),
    analyses: &[(AnalysisKind::Network, |_| Some(Urgency::Required))],
    selections: crate::views::machine::SELECTIONS,
    picture: Picture::Flat { scene, pick },
};

/// Room above each map for its name, and between maps.
#[derive(Clone, Copy)]
pub(super) struct Room {
    name: f32,
    apart: f32,
}

impl Room {
    /// For maps with names.
    pub(super) const NAMED: Room = Room { name: 16.0, apart: 14.0 };
    /// For many small ones without.
    pub(super) const TIGHT: Room = Room { name: 0.0, apart: 5.0 };
}

/// Room around the lines of a map.
const EDGE: f32 = 5.0;

/// A map and where it lies.
pub(super) struct Placed {
    pub(super) axes: Axes,
    pub(super) map: MiniMap,
    pub(super) area: Rect,
    scale: f32,
}

impl Placed {
    fn at(&self, place: [f64; 2]) -> (f32, f32) {
        let [width, height] = self.map.extent();
        let (x, y) = (
            self.area.x + (self.area.width - width as f32 * self.scale) / 2.0,
            self.area.y + (self.area.height - height as f32 * self.scale) / 2.0,
        );
        (x + place[0] as f32 * self.scale, y + place[1] as f32 * self.scale)
    }
}

/// The map of each way to look at a torus, over all slices.
pub(super) fn placed(torus: &Torus, part: &Part, area: Rect, room: Room) -> Vec<Placed> {
    let map = |axes: Axes| {
        let slice = part.slice(torus, axes.dims());
        let places: Vec<Coordinates> = axes.slices(torus);
        (axes, MiniMap::new(&slice, &places, Spacing::default()))
    };
    arranged(Axes::all(torus).into_iter().map(map).collect(), area, room)
}

/// Maps side by side or one below the other, whichever makes them larger.
pub(super) fn arranged(maps: Vec<(Axes, MiniMap)>, area: Rect, room: Room) -> Vec<Placed> {
    let Room { name, apart } = room;
    let count = maps.len().max(1);
    let fits = |columns: usize| {
        let rows = count.div_ceil(columns);
        let cell = (
            (area.width - apart * (columns - 1) as f32) / columns as f32,
            (area.height - apart * (rows - 1) as f32) / rows as f32 - name,
        );
        let scale = maps.iter().map(|(_, map)| scale_in(map, cell)).fold(f32::INFINITY, f32::min);
        (scale, columns, cell)
    };
    let best = (1..=count).map(fits).max_by(|a, b| a.0.total_cmp(&b.0));
    let Some((scale, columns, cell)) = best else { return Vec::new() };
    // Rows are as high as their maps, so that maps stay together in a high area.
    let height = |map: &MiniMap| (map.extent()[1] as f32 * scale + 2.0 * EDGE).clamp(1.0, cell.1.max(1.0));
    let heights: Vec<f32> =
        maps.chunks(columns).map(|row| row.iter().map(|(_, map)| height(map)).fold(0.0, f32::max)).collect();
    let place = |(at, (axes, map)): (usize, (Axes, MiniMap))| {
        let (row, column) = (at / columns, at % columns);
        let above: f32 = heights[..row].iter().map(|height| height + name + apart).sum();
        let area = Rect {
            x: area.x + column as f32 * (cell.0 + apart),
            y: area.y + above + name,
            width: cell.0,
            height: heights[row],
        };
        Placed { axes, map, area, scale }
    };
    maps.into_iter().enumerate().map(place).collect()
}

/// Pixels per unit such that a map fits, with a little room for its lines.
fn scale_in(map: &MiniMap, (width, height): (f32, f32)) -> f32 {
    let [across, down] = map.extent();
    let fit = |room: f32, extent: f64| {
        if extent > 0.0 { (room - 2.0 * EDGE).max(1.0) / extent as f32 } else { f32::INFINITY }
    };
    fit(width, across).min(fit(height, down)).min(24.0)
}

/// Lines of one map in a range of colours.
pub(super) fn lines(
    placed: &Placed,
    values: &[f64],
    share: &dyn Fn(f64) -> Option<f32>,
    ramp: Ramp,
) -> Vec<SegmentMark> {
    let means = placed.map.means(values);
    let width = (placed.scale * 1.1).clamp(1.2, 7.0);
    let mut marks: Vec<(f32, SegmentMark)> = Vec::new();
    for (bundle, mean) in placed.map.bundles().iter().zip(means) {
        if bundle.drawing != Drawing::Line {
            continue;
        }
        let Some(share) = share(mean) else { continue };
        let colour = if share.is_nan() { ramp.missing(Tone::Dimmed) } else { ramp.at(share, Tone::Full) };
        let mark = SegmentMark { from: placed.at(bundle.from), to: placed.at(bundle.to), width, colour };
        marks.push((if share.is_nan() { -1.0 } else { share }, mark));
    }
    marks.sort_by(|a, b| a.0.total_cmp(&b.0));
    marks.into_iter().map(|(_, mark)| mark).collect()
}

fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let colours = request.colours(trace.store);
    let plot = plot_area(request);
    let Some(loads) = TorusLoads::of(trace, request) else { return super::nothing(request, plot, &colours) };
    let mut palette = colours.palette();
    let ramp = Ramp::add(&mut palette, request.theme, Palette::Loads);
    let Ok(part) = Part::of(loads.torus, &loads.shown) else { return super::nothing(request, plot, &colours) };
    let maps = placed(loads.torus, &part, plot, Room::NAMED);
    let mut marks = Vec::new();
    let mut labels = Vec::new();
    for placed in &maps {
        let is_current = placed.axes == part.axes && request.framing != Framing::Figure;
        marks.extend(outline(placed.area, is_current, &colours));
        marks.extend(lines(placed, &loads.cables, &|mean| loads.share(mean), ramp));
        labels.push(name(placed, loads.torus, is_current, &colours));
    }
    let mut scene =
        super::frame(request, plot, format!("{} · {}", trace.store.name(), loads.title()), &colours, palette);
    scene.layers = vec![Layer::Segments(marks)];
    scene.labels = labels;
    if request.framing == Framing::Figure {
        scene.colour_bar = Some(loads.bar(ramp));
    }
    scene.notes.push(
        "Each line is the mean of the links behind each other; those around the torus and between rings are left out."
            .to_owned(),
    );
    scene.notes.extend(loads.notes.iter().cloned());
    scene
}

pub(super) fn plot_area(request: &ViewRequest) -> Rect {
    match request.framing {
        Framing::Figure => super::plot_area(request),
        _ => Rect {
            x: 8.0,
            y: 4.0,
            width: (request.size.width as f32 - 16.0).max(1.0),
            height: (request.size.height as f32 - 10.0).max(1.0),
        },
    }
}

/// The name of a map: what one looks along.
fn name(placed: &Placed, torus: &Torus, is_current: bool, colours: &Colours) -> Label {
    let dim = |dim: Option<usize>| dim.map_or("-", |dim| torus.dimensions()[dim].name.as_str());
    let text = if torus.dimensions().len() <= 3 {
        format!("along {}", dim(placed.axes.axis))
    } else {
        format!("along {}: {}, {}", dim(placed.axes.axis), dim(placed.axes.across), dim(placed.axes.down))
    };
    let colour = if is_current { colours.accent() } else { colours.ink().text };
    Label { at: (placed.area.x, placed.area.y - 4.0), text, size: 11.5, colour, anchor: Anchor::Start }
}

/// A frame around a map; thicker around the one that is shown.
pub(super) fn outline(area: Rect, is_current: bool, colours: &Colours) -> Vec<SegmentMark> {
    let (width, colour) = if is_current { (2.5, colours.accent()) } else { (1.0, colours.ink().line) };
    let (left, right) = (area.x, area.x + area.width);
    let (top, bottom) = (area.y, area.y + area.height);
    let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
    (0..4).map(|side| SegmentMark { from: corners[side], to: corners[(side + 1) % 4], width, colour }).collect()
}

fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let loads = TorusLoads::of(trace, request)?;
    let maps = placed(loads.torus, &Part::of(loads.torus, &loads.shown).ok()?, plot_area(request), Room::NAMED);
    let placed = maps.iter().find(|placed| placed.area.contains(at))?;
    let means = placed.map.means(&loads.cables);
    let distance = |bundle: &Bundle| {
        let (from, to) = (placed.at(bundle.from), placed.at(bundle.to));
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let along = (((at.0 - from.0) * dx + (at.1 - from.1) * dy) / (dx * dx + dy * dy).max(1e-6)).clamp(0.0, 1.0);
        (at.0 - from.0 - along * dx).hypot(at.1 - from.1 - along * dy)
    };
    let bundles = placed.map.bundles().iter().zip(&means).filter(|(bundle, _)| bundle.drawing == Drawing::Line);
    let nearest = bundles.map(|(bundle, mean)| (distance(bundle), bundle, *mean)).min_by(|a, b| a.0.total_cmp(&b.0));
    let names: Vec<String> =
        placed.axes.dims().into_iter().flatten().map(|dim| loads.torus.dimensions()[dim].name.clone()).collect();
    let mut lines = Vec::new();
    if let Some((_, bundle, mean)) = nearest.filter(|(distance, ..)| *distance < 6.0) {
        let count = placed.map.cables(bundle).count();
        let value = if mean.is_nan() { "not known".to_owned() } else { loads.text(mean) };
        lines.push(format!("{value} on average over {count} links behind each other"));
    }
    lines.push("a click shows this view".to_owned());
    Some(Picked {
        title: format!("Looking along {}", names.first().map_or("", String::as_str)),
        colour: Rgba(0, 0, 0, 0),
        lines,
        select: None,
        toggles: None,
        sets: Some(shown::axes_options(&placed.axes, loads.torus)),
        area: Some(placed.area),
    })
}
