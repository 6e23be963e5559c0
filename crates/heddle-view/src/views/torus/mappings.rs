//! Mappings side by side under one colour scale (Landge et al. 2012, Figures 8 and 9): the small maps of each, and its figures.

use std::collections::BTreeMap;
use std::sync::Arc;

use heddle_network::Network;
use heddle_options::{Options, options};

use super::loads::TorusLoads;
use super::minimaps::{self, Placed, Room};
use super::shown::{self, Part};
use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::questions::network::{MappingRow, compare_mappings, networks};
use crate::request::picked::Picked;
use crate::request::{Framing, ViewRequest};
use crate::scene::ramp::{Palette, Ramp};
use crate::scene::theme::Colours;
use crate::scene::{Anchor, ColourId, Label, Layer, Rect, Rgba, Scene};
use crate::views::machine::loads::share;
use crate::views::{AxisKind, Picture, ViewModule};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "mappings",
    about: "Mappings of ranks to a torus side by side: small maps under one colour scale, and figures",
    axes: (AxisKind::Values, AxisKind::Values),
    options: || [MappingsOptions::specs(), super::options()].into_iter().flatten().collect(),
    check: Some(shown::check),
    analyses: &[(AnalysisKind::Network, |_| Some(Urgency::Required))],
    selections: crate::views::machine::SELECTIONS,
    picture: Picture::Flat { scene, pick },
};

options! {
    /// Which mappings are compared.
    pub struct MappingsOptions {
        /// Mappings to compare, separated by semicolons; by default TXYZ;XYZT;tile;tiltZ;tiltZY in three dimensions
        "mappings" mappings: String = String::new(),
    }
}

/// Most mappings in one picture.
const MOST: usize = 12;
/// Columns with room for a figure's name and its value.
const LEAST_WITH_FIGURES: f32 = 104.0;
const TITLE: f32 = 18.0;
const LINE: f32 = 15.0;
const APART: f32 = 18.0;

impl MappingsOptions {
    /// The names of the mappings.
    pub fn names(&self, dimensions: usize) -> Vec<String> {
        let usual = if dimensions == 3 { "TXYZ;XYZT;tile;tiltZ;tiltZY" } else { ";block;round-robin" };
        let text = if self.mappings.trim().is_empty() { usual } else { self.mappings.as_str() };
        text.split(';').map(|name| name.trim().to_owned()).take(MOST).collect()
    }
}

/// A mapping with its place in the picture.
struct Column {
    name: String,
    network: Result<Arc<Network>, String>,
    row: MappingRow,
    area: Rect,
    is_shown: bool,
}

fn columns(trace: &Trace<'_>, request: &ViewRequest) -> Vec<Column> {
    let Some(network) = &trace.network else { return Vec::new() };
    let dimensions = network.machine.shape.torus().map_or(0, |torus| torus.dimensions().len());
    let names = request.options.checked::<MappingsOptions>().names(dimensions);
    let rows = compare_mappings(trace, request, &names);
    let plot = plot_area(request);
    let count = names.len().max(1) as f32;
    let width = (plot.width - APART * (count - 1.0)) / count;
    let areas = (0..names.len()).map(|at| Rect {
        x: plot.x + at as f32 * (width + APART),
        y: plot.y,
        width,
        height: plot.height,
    });
    let all = networks(trace, &names).into_iter().zip(rows).zip(areas);
    all.map(|(((name, other), row), area)| {
        let is_shown = name == network.machine.mapping;
        Column { name, network: other, row, area, is_shown }
    })
    .collect()
}

fn plot_area(request: &ViewRequest) -> Rect {
    let (width, height) = (request.size.width as f32, request.size.height as f32);
    let [left, top, right, bottom] = match request.framing {
        Framing::Figure => [20.0, 40.0, 222.0, 46.0],
        _ => [10.0, 6.0, 10.0, 6.0],
    };
    Rect { x: left, y: top, width: (width - left - right).max(1.0), height: (height - top - bottom).max(1.0) }
}

/// Whether figures stand beside the maps, where columns are wide, or below them.
/// Maps in less width than this have no names: they would be smaller for them.
const NAMED_FROM: f32 = 200.0;

fn maps_area(area: Rect, is_beside: bool) -> Rect {
    let y = area.y + TITLE;
    if is_beside {
        return Rect { x: area.x, y, width: area.width - 92.0, height: area.height - TITLE };
    }
    Rect { x: area.x, y, width: area.width, height: (area.height - TITLE - 6.0 * LINE).max(1.0) }
}

fn is_beside(area: Rect) -> bool {
    area.height < area.width * 1.2 && area.width > 190.0
}

fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let colours = request.colours(trace.store);
    let plot = plot_area(request);
    let columns = columns(trace, request);
    let loads: Vec<Option<TorusLoads<'_>>> = columns
        .iter()
        .map(|one| one.network.as_ref().ok().and_then(|network| TorusLoads::on(trace, network, request)))
        .collect();
    // One scale for all: what is darker here is fuller, whichever mapping it is of.
    let known = || loads.iter().flatten();
    let low = known().map(|loads| loads.full.0).fold(f64::INFINITY, f64::min);
    let high = known().map(|loads| loads.full.1).fold(f64::NEG_INFINITY, f64::max);
    let Some(first) = known().next() else { return super::nothing(request, plot, &colours) };
    let range = first.options.loads.map_or((low, high), |range| (range.low, range.high));
    let mut palette = colours.palette();
    let ramp = Ramp::add(&mut palette, request.theme, Palette::Loads);
    let mut scene = super::frame(
        request,
        plot,
        format!("{} · {}", trace.store.name(), first.title_without_mapping()),
        &colours,
        palette,
    );
    let best = Best::of(&columns);
    let mut marks = Vec::new();
    for (column, loads) in columns.iter().zip(&loads) {
        let beside = is_beside(column.area);
        scene.labels.extend(texts(column, &best, beside, &colours));
        let Some(loads) = loads else { continue };
        let Ok(part) = Part::of(loads.torus, &loads.shown) else { continue };
        let area = maps_area(column.area, beside);
        let has_names = request.framing == Framing::Figure || area.width >= NAMED_FROM;
        let room = if has_names { Room::NAMED } else { Room::TIGHT };
        for map in minimaps::placed(loads.torus, &part, area, room) {
            marks.extend(minimaps::lines(&map, &loads.cables, &|mean| share(mean, range), ramp));
            if has_names {
                scene.labels.push(map_name(&map, loads, &colours));
            }
        }
    }
    scene.layers = vec![Layer::Segments(marks)];
    if request.framing == Framing::Figure {
        scene.colour_bar = Some(first.bar_of(ramp, range));
    }
    scene.notes.push(
        "One colour scale; each line is the mean of the links behind each other. Blue: the best of each figure."
            .to_owned(),
    );
    scene
}

fn map_name(map: &Placed, loads: &TorusLoads<'_>, colours: &Colours) -> Label {
    let name = map.axes.axis.map_or("", |dim| loads.torus.dimensions()[dim].name.as_str());
    let at = (map.area.x, map.area.y - 3.0);
    Label { at, text: name.to_owned(), size: 11.0, colour: colours.ink().faint, anchor: Anchor::Start }
}

/// The least of each figure: where loads are spread best.
struct Best {
    max: f64,
    cv: f64,
    gini: f64,
    idle: f64,
    phase_sum: f64,
}

impl Best {
    fn of(columns: &[Column]) -> Best {
        let least = |value: fn(&MappingRow) -> f64| {
            columns
                .iter()
                .filter(|one| one.row.error.is_none())
                .map(|one| value(&one.row))
                .fold(f64::INFINITY, f64::min)
        };
        Best {
            max: least(|row| row.max),
            cv: least(|row| row.cv),
            gini: least(|row| row.gini),
            idle: least(|row| row.idle),
            phase_sum: least(|row| row.phase_sum),
        }
    }
}

fn texts(column: &Column, best: &Best, is_beside: bool, colours: &Colours) -> Vec<Label> {
    let ink = colours.ink();
    let (area, row) = (column.area, &column.row);
    let label =
        |at: (f32, f32), text: String, colour: ColourId, anchor: Anchor| Label { at, text, size: 11.5, colour, anchor };
    let name = if column.is_shown { format!("{} (shown)", column.name) } else { column.name.clone() };
    let name = shortened(&name, area.width, 13.0);
    let mut labels = vec![Label { size: 13.0, ..label((area.x, area.y + 11.0), name, ink.strong, Anchor::Start) }];
    if let Some(error) = &row.error {
        let error = shortened(error, area.width, 11.5);
        labels.push(label((area.x, area.y + 11.0 + LINE), error, ink.text, Anchor::Start));
        return labels;
    }
    // Narrower ones have the maps alone.
    if area.width < LEAST_WITH_FIGURES {
        return labels;
    }
    let (right, top) = if is_beside {
        (area.x + area.width, area.y + TITLE + 16.0)
    } else {
        (area.x + area.width.min(170.0), area.y + area.height - 5.0 * LINE + 4.0)
    };
    let left = if is_beside { right - 84.0 } else { (right - 130.0).max(area.x) };
    let close = |value: f64, best: f64| (value - best).abs() <= best.abs() * 1e-9;
    let figures = [
        ("max", row.max_text.clone(), close(row.max, best.max)),
        ("CV", format!("{:.2}", row.cv), close(row.cv, best.cv)),
        ("Gini", format!("{:.2}", row.gini), close(row.gini, best.gini)),
        ("idle", format!("{:.1} %", row.idle * 100.0), close(row.idle, best.idle)),
        ("phases", row.phase_sum_text.clone(), close(row.phase_sum, best.phase_sum)),
    ];
    for (at, (name, value, is_best)) in figures.into_iter().enumerate() {
        let y = top + at as f32 * LINE;
        labels.push(label((left, y), name.to_owned(), ink.faint, Anchor::Start));
        let colour = if is_best { colours.accent() } else { ink.text };
        labels.push(label((right, y), value, colour, Anchor::End));
    }
    labels
}

/// A text cut to a width; a letter takes some six tenths of its height.
fn shortened(text: &str, width: f32, size: f32) -> String {
    let most = (width / (0.62 * size)) as usize;
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let columns = columns(trace, request);
    let column = columns.into_iter().find(|column| column.area.contains(at))?;
    let row = column.row;
    let sets = row.error.is_none().then(|| BTreeMap::from([("mapping", column.name.clone())]));
    let mut lines = match row.error {
        Some(error) => vec![error],
        None => vec![
            format!("fullest link {}, mean {}", row.max_text, row.mean_text),
            format!("coefficient of variation {:.2}, Gini {:.2}", row.cv, row.gini),
            format!("{:.1} % of the links carry nothing", row.idle * 100.0),
            format!("sum of the fullest links of all sections {}", row.phase_sum_text),
        ],
    };
    if sets.is_some() && !column.is_shown {
        lines.push("a click shows this mapping".to_owned());
    }
    let colour = Rgba(0, 0, 0, 0);
    Some(Picked { title: column.name, colour, lines, select: None, toggles: None, sets, area: Some(column.area) })
}
