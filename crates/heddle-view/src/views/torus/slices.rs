//! A torus of more than three dimensions, slice by slice: each place of the dimensions that are cut is a small map.

use std::collections::BTreeMap;

use heddle_topology::layout::{Axes, MiniMap, Slice, Spacing};
use heddle_topology::{Coordinates, Torus};

use super::loads::TorusLoads;
use super::minimaps::{Placed, Room, arranged, lines, outline, plot_area};
use super::shown::{self, Part};
use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::request::picked::Picked;
use crate::request::{Framing, ViewRequest};
use crate::scene::ramp::{Palette, Ramp};
use crate::scene::ticks::grouped;
use crate::scene::{Anchor, Label, Layer, Rgba, Scene};
use crate::views::{AxisKind, Picture, ViewModule};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "slices",
    about: "A torus of more than three dimensions, slice by slice, each as a small map",
    axes: (AxisKind::Values, AxisKind::Values),
    options: super::options,
    check: Some(shown::check),
    analyses: &[(AnalysisKind::Network, |_| Some(Urgency::Required))],
    selections: crate::views::machine::SELECTIONS,
    picture: Picture::Flat { scene, pick },
};

/// Slices in one picture; more cannot be told apart.
const MOST: usize = 144;

/// A slice with its place in the picture.
struct Shown {
    placed: Vec<Placed>,
    cuts: Vec<Coordinates>,
    /// Slices that there are.
    all: usize,
}

impl Shown {
    fn new(torus: &Torus, part: &Part, request: &ViewRequest) -> Shown {
        let axes: Axes = part.axes;
        let mut cuts = axes.slices(torus);
        let all = cuts.len();
        cuts.truncate(MOST);
        let map = |cut: &Coordinates| {
            let slice: Slice = part.slice(torus, axes.dims()).at(cut);
            (axes, MiniMap::new(&slice, &[], Spacing::default()))
        };
        let room = if all <= 40 { Room::NAMED } else { Room::TIGHT };
        Shown { placed: arranged(cuts.iter().map(map).collect(), plot_area(request), room), cuts, all }
    }
}

/// Where a slice is cut: `d=1,e=0`.
fn cut_text(torus: &Torus, axes: &Axes, cut: &Coordinates) -> String {
    let at = |dim: usize| format!("{}={}", torus.dimensions()[dim].name, cut[dim]);
    axes.others(torus).into_iter().map(at).collect::<Vec<_>>().join(",")
}

fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let colours = request.colours(trace.store);
    let plot = plot_area(request);
    let Some(loads) = TorusLoads::of(trace, request) else { return super::nothing(request, plot, &colours) };
    let Ok(part) = Part::of(loads.torus, &loads.shown) else { return super::nothing(request, plot, &colours) };
    let shown = Shown::new(loads.torus, &part, request);
    let mut palette = colours.palette();
    let ramp = Ramp::add(&mut palette, request.theme, Palette::Loads);
    let title = format!("{} · {}", trace.store.name(), loads.title());
    let mut scene = super::frame(request, plot, title, &colours, palette);
    let current = part.cut_text(loads.torus).replace(" = ", "=").replace(", ", ",");
    let mut marks = Vec::new();
    for (placed, cut) in shown.placed.iter().zip(&shown.cuts) {
        let text = cut_text(loads.torus, &part.axes, cut);
        let is_current = text == current && request.framing != Framing::Figure;
        marks.extend(outline(placed.area, is_current, &colours));
        marks.extend(lines(placed, &loads.cables, &|mean| loads.share(mean), ramp));
        if shown.all <= 40 {
            let colour = if is_current { colours.accent() } else { colours.ink().text };
            let at = (placed.area.x, placed.area.y - 4.0);
            scene.labels.push(Label { at, text: text.replace(',', ", "), size: 11.0, colour, anchor: Anchor::Start });
        }
    }
    scene.layers = vec![Layer::Segments(marks)];
    if request.framing == Framing::Figure {
        scene.colour_bar = Some(loads.bar(ramp));
    }
    scene.notes.push(match shown.all {
        1 => "Three dimensions are one slice.".to_owned(),
        all if all > shown.cuts.len() => {
            format!("The first {} of {} slices.", shown.cuts.len(), grouped(all as u64))
        }
        all => format!("All {all} slices; each line is the mean of the links behind each other."),
    });
    scene.notes.extend(loads.notes.iter().cloned());
    scene
}

fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let loads = TorusLoads::of(trace, request)?;
    let part = Part::of(loads.torus, &loads.shown).ok()?;
    let shown = Shown::new(loads.torus, &part, request);
    let (placed, cut) = shown.placed.iter().zip(&shown.cuts).find(|(placed, _)| placed.area.contains(at))?;
    let known: Vec<f64> = placed.map.means(&loads.cables).into_iter().filter(|mean| !mean.is_nan()).collect();
    let largest = known.iter().copied().fold(0.0, f64::max);
    let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
    let text = cut_text(loads.torus, &part.axes, cut);
    Some(Picked {
        title: format!("Slice {}", text.replace(',', ", ")),
        colour: Rgba(0, 0, 0, 0),
        lines: vec![
            format!("bundles carry {} on average, up to {}", loads.text(mean), loads.text(largest)),
            "a click shows this slice".to_owned(),
        ],
        select: None,
        toggles: None,
        sets: Some(BTreeMap::from([("slice", text)])),
        area: Some(placed.area),
    })
}
