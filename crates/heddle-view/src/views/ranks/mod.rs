//! Ranks: what each costs the others, and how it spends its own time.
//!
//! Above, a bar per rank: how much waiting of others its work is charged with, as a share of the time of all ranks. Below, its
//! own time, stacked to 100 %. With more ranks than pixels a column stands for several: above the dearest of them counts, so
//! that one among thousands is seen, below their mean.

mod values;

use heddle_model::{LocationId, SpanRow};

use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::questions::diagnosis::label;
use crate::request::picked::Picked;
use crate::request::selection::Selection;
use crate::request::window::{RankSet, row_name};
use crate::request::{Framing, ViewRequest};
use crate::scene::blame::BlameInks;
use crate::scene::frame::{frame, plot_area};
use crate::scene::ticks::{duration_text, grouped};
use crate::scene::{Axis, ColourId, Layer, LegendEntry, Rect, RectMark, Rgba, Scene, Tick};
use crate::views::timeline::findings::{Badge, free_place};
use crate::views::{AxisKind, Picture, ViewModule, no_options};
use values::{Column, Values};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "ranks",
    about: "What each rank costs the others, and how it spends its own time",
    axes: (AxisKind::Columns, AxisKind::Values),
    options: no_options,
    check: None,
    analyses: &[(AnalysisKind::Diagnosis, |_| Some(Urgency::Required))],
    selections: &[],
    picture: Picture::Flat { scene, pick },
};

/// The part of the picture that the costs have, and the space below them.
const ABOVE: f32 = 0.44;
const APART: f32 = 14.0;
/// Wider columns have a gap between them.
const GAPPED: f32 = 8.0;
/// The least upper end of the scale of costs: a thousandth of the time of all ranks.
const LEAST_TOP: f64 = 0.001;
/// Costs below this part of the scale are not drawn, so that a rank without any has no bar.
const LEAST_BAR: f32 = 0.3;
const LEAST_WIDTH: f32 = 2.0;
/// Height of a label.
const LABEL: f32 = 20.0;

/// Where things are.
struct Layout {
    plot: Rect,
    above: Rect,
    below: Rect,
    columns: u32,
    /// The cost at the upper edge.
    top: f64,
}

impl Layout {
    fn new(plot: Rect, values: &Values) -> Layout {
        let high = ((plot.height - APART) * ABOVE).max(1.0);
        let above = Rect { height: high, ..plot };
        let below = Rect { y: plot.y + high + APART, height: (plot.height - high - APART).max(1.0), ..plot };
        let most = values.columns.iter().map(|column| column.cost).fold(0.0, f64::max);
        Layout { plot, above, below, columns: values.columns.len() as u32, top: rounded_up(most.max(LEAST_TOP)) }
    }

    /// A column from left to right, with a gap where there is room.
    fn column(&self, at: usize) -> (f32, f32) {
        let width = self.plot.width / self.columns.max(1) as f32;
        let gap = if width >= GAPPED { (width * 0.12).clamp(1.0, 3.0) } else { 0.0 };
        (self.plot.x + at as f32 * width, width - gap)
    }

    fn bar(&self, at: usize, cost: f64) -> Rect {
        let (x, width) = self.column(at);
        let height = (cost / self.top) as f32 * self.above.height;
        Rect { x, y: self.above.y + self.above.height - height, width, height }
    }

    fn axis(&self) -> Axis {
        let percent = |share: f64| format!("{} %", trimmed(100.0 * share));
        let (above, below) = (self.above, self.below);
        let tick = |at: f32, label: String| Tick { at, label };
        let cost = |share: f64| tick(above.y + above.height * (1.0 - share as f32), percent(self.top * share));
        let mut ticks = vec![cost(1.0), cost(0.5), cost(0.0)];
        ticks.push(tick(below.y, "100 %".to_owned()));
        ticks.push(tick(below.y + below.height, "0 %".to_owned()));
        // Two texts of neighbouring ends would lie on each other.
        let mut kept: Vec<Tick> = Vec::new();
        for tick in ticks {
            if kept.last().is_none_or(|last| tick.at - last.at >= 12.0) {
                kept.push(tick);
            }
        }
        Axis { ticks: kept, ..Axis::default() }
    }
}

/// The next number of one digit, or 1.5 or 2.5 of them, at or above a share.
fn rounded_up(share: f64) -> f64 {
    let unit = 10f64.powi(share.log10().floor() as i32);
    let steps = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps.into_iter().map(|step| step * unit).find(|top| *top >= share * 1.02).unwrap_or(12.0 * unit)
}

/// A number without zeros that say nothing.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The picture.
fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let store = trace.store;
    let colours = request.colours(store);
    let plot = plot_area(store, request);
    let values = Values::new(trace, request, plot);
    let layout = Layout::new(plot, &values);
    let title = format!("{} · ranks", store.name());
    let across = Axis { title: String::new(), ..values.ranks.axis_across(store, plot, request.framing) };
    let down = if request.framing == Framing::Strip { Axis::default() } else { layout.axis() };
    let mut scene = frame(request, plot, title, (across, down), &colours, Vec::new());
    let inks = BlameInks::add(&mut scene.palette, request.theme);
    let mark = |rect: Rect, colour: ColourId| RectMark { rect, colour, span: SpanRow::NONE };
    let ground = mark(layout.below, inks.useful());
    let line = Rect { y: layout.above.y + layout.above.height - 0.5, height: 1.0, ..layout.above };
    scene.layers.push(Layer::Rects(vec![ground, mark(line, scene.ink.line)]));
    let mut marks = Vec::new();
    for (at, column) in values.columns.iter().enumerate() {
        let bar = layout.bar(at, column.cost);
        if bar.height >= LEAST_BAR {
            // One rank among thousands is still a bar.
            let wide = (LEAST_WIDTH - bar.width).max(0.0);
            let (height, width) = (bar.height.max(1.0), bar.width + wide);
            let rect = Rect { x: bar.x - wide / 2.0, y: bar.y + bar.height - height, width, height };
            marks.push(mark(rect, inks.makes(0.75)));
        }
        marks.extend(stacked(&layout, at, column, &inks, scene.ink.faint).map(|(rect, colour)| mark(rect, colour)));
    }
    scene.layers.push(Layer::Rects(marks));
    scene.legend = if request.framing == Framing::Strip { Vec::new() } else { key(&values, inks, scene.ink.faint) };
    draw_labels(trace, request, &values, &layout, inks, &mut scene);
    scene.notes = values.notes();
    scene
}

/// What a rank's own time consists of, from above: waiting, communication, anything else that is not useful.
fn stacked(
    layout: &Layout,
    at: usize,
    column: &Column,
    inks: &BlameInks,
    other: ColourId,
) -> impl Iterator<Item = (Rect, ColourId)> {
    let (x, width) = layout.column(at);
    let below = layout.below;
    let mut y = below.y;
    let parts = [(column.waiting, inks.waits(1.0)), (column.communication, inks.own()), (column.other, other)];
    parts.into_iter().filter_map(move |(share, colour)| {
        let height = share as f32 * below.height;
        let rect = Rect { x, y, width, height };
        y += height;
        (height > 0.0).then_some((rect, colour))
    })
}

fn key(values: &Values, inks: BlameInks, other: ColourId) -> Vec<LegendEntry> {
    let entry = |colour, name: &str| LegendEntry { colour, name: name.to_owned(), value: String::new() };
    let mut key = vec![
        entry(inks.makes(0.75), "makes others wait"),
        entry(inks.waits(1.0), "waits"),
        entry(inks.own(), "communicates"),
    ];
    if values.columns.iter().any(|column| column.other > 0.001) {
        key.push(entry(other, "files, waiting for work"));
    }
    key.push(entry(inks.useful(), "useful"));
    key
}

/// The numbers of findings, beside the bars of their ranks.
fn draw_labels(
    trace: &Trace<'_>,
    request: &ViewRequest,
    values: &Values,
    layout: &Layout,
    inks: BlameInks,
    scene: &mut Scene,
) {
    let Some(diagnosed) = trace.diagnosis.as_ref().filter(|_| request.framing != Framing::Strip) else { return };
    let time = request.window.time(trace.store);
    let mut taken: Vec<Rect> = Vec::new();
    for (at, finding) in diagnosed.findings.iter().enumerate() {
        let suspect = &finding.suspect;
        let of =
            |location: &LocationId| values.ranks.row_of(*location).map(|row| values.ranks.band_of(row, layout.columns));
        let mut columns: Vec<usize> = suspect.locations.iter().filter_map(of).map(|column| column as usize).collect();
        columns.sort_unstable();
        columns.dedup();
        let dearest = columns
            .iter()
            .copied()
            .max_by(|a, b| values.columns[*a].cost.total_cmp(&values.columns[*b].cost).then(b.cmp(a)));
        let Some(dearest) = dearest.filter(|_| suspect.since < time.1 && suspect.until > time.0) else { continue };
        // The stretch of neighbours that it belongs to.
        let run = columns.chunk_by(|a, b| a + 1 == *b).find(|run| run.contains(&dearest)).unwrap_or(&[]);
        let (first, last) = (run.first().copied().unwrap_or(dearest), run.last().copied().unwrap_or(dearest));
        let (left, right) = (layout.column(first).0, layout.column(last).0 + layout.column(last).1);
        let badge = Badge { number: at + 1, text: label(trace.store, finding) };
        let size = (badge.width(), LABEL);
        let peak = layout.bar(dearest, values.columns[dearest].cost).y;
        let mut places = Vec::new();
        for step in 0..8 {
            let y = peak + step as f32 * (LABEL + 2.0);
            places.extend([(right + 6.0, y), (left - size.0 - 6.0, y)]);
        }
        places.retain(|(x, _)| *x >= layout.above.x && x + size.0 <= layout.above.x + layout.above.width);
        places.push((left, layout.above.y));
        if let Some(area) = free_place(places, size, layout.above, &taken) {
            badge.draw(area, inks, scene);
            taken.push(area);
        }
    }
}

/// The column at a place.
fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let store = trace.store;
    let plot = plot_area(store, request);
    if !plot.contains(at) {
        return None;
    }
    let values = Values::new(trace, request, plot);
    let layout = Layout::new(plot, &values);
    let count = values.columns.len();
    let place = ((((at.0 - plot.x) / plot.width) * count as f32) as usize).min(count.checked_sub(1)?);
    let column = values.columns.get(place)?;
    let members = values.ranks.band(place as u32, layout.columns);
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let number = |at: &LocationId| {
        let rank = store.locations.rank.get(u64::from(at.0));
        if rank.is_some() { rank.0 } else { at.0 }
    };
    let (title, whose) = match (members, column.dearest) {
        ([one], _) => (row_name(store, *one), String::new()),
        (several, dearest) => {
            let whose = dearest.map_or_else(String::new, |at| format!(" ({}, the dearest)", row_name(store, at)));
            (format!("ranks {}", several.iter().map(number).collect::<RankSet>()), whose)
        }
    };
    let mut lines = vec![format!(
        "costs others {:.2} % of the time of all ranks, {}{whose}",
        100.0 * column.cost,
        duration_text((column.cost * values.all) as i64)
    )];
    lines.push(format!(
        "useful {}, communicates {}, waits {}",
        percent(column.useful()),
        percent(column.communication),
        percent(column.waiting)
    ));
    if members.len() > 1 {
        lines.push(format!("mean of {} ranks", grouped(members.len() as u64)));
    }
    let mut palette: Vec<Rgba> = Vec::new();
    let inks = BlameInks::add(&mut palette, request.theme);
    let (x, width) = layout.column(place);
    Some(Picked {
        title,
        colour: palette[usize::from(if column.cost > 0.0 { inks.makes(0.75) } else { inks.waits(1.0) }.0)],
        lines,
        select: Some(Selection::Ranks(members.iter().map(number).collect())),
        toggles: None,
        sets: None,
        area: Some(Rect { x, width, ..plot }),
    })
}
