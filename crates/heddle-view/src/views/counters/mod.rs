//! Counters over time: one lane for each counter and location, or for all locations of a counter where there is no room.
//!
//! A pixel column shows the least and the largest value in its time as a band, and the mean over it as a line: nothing is
//! left out, however many values a column stands for. What accumulates is shown per second. Values are those of
//! [`CounterIndex`](heddle_store::index::CounterIndex), so they equal what a scan of all values finds. A lane of more
//! locations than can be asked one by one shows the bins of that index instead.

pub(crate) mod lanes;

use heddle_model::{MetricId, SpanRow};
use heddle_options::{OptionError, Options, options};
use heddle_store::Store;
use heddle_store::index::{Reading, Series};

use crate::analyses::Trace;
use crate::lookup::counters::{metrics_named, value_with_unit};
use crate::request::picked::Picked;
use crate::request::window::shortened;
use crate::request::{Framing, ViewRequest};
use crate::scene::frame::{frame, plot_area, time_axis};
use crate::scene::ticks::{counted, duration_text, grouped};
use crate::scene::{Anchor, Axis, ColourId, Label, Layer, Rect, RectMark, Scene, Tick};
use crate::views::{AxisKind, Picture, ViewModule};

use lanes::{Inks, LINE, Lane, Lanes, NAME_HEIGHT, Scale, Shown, draw};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "counters",
    about: "Counters over time: least, mean and largest value of every pixel column",
    axes: (AxisKind::Time, AxisKind::Values),
    options: CountersOptions::specs,
    check: Some(check),
    analyses: &[],
    selections: &[],
    picture: Picture::Flat { scene, pick },
};

options! {
    /// Which counters are shown, and how.
    pub(crate) struct CountersOptions {
        /// Which counters: names, or parts of names, separated by commas; all if not given
        "metrics" metrics: String = String::new(),
        /// Show what accumulates as it grows per second
        "rates" rates: bool = true,
    }
}

impl CountersOptions {
    /// How values of a counter are read.
    pub(crate) fn reading(&self, store: &Store, metric: MetricId) -> Reading {
        match store.counters.usual_reading(metric) {
            Reading::Rate if self.rates => Reading::Rate,
            _ => Reading::Level,
        }
    }
}

/// A lane is at least so high, in pixels.
const LEAST_HEIGHT: f32 = 20.0;
/// In higher ones the lower end of the scale is written too.
const BOTH_ENDS: f32 = 44.0;
/// Size of names.
const TEXT: f32 = 11.0;

pub(crate) fn check(store: &Store, request: &ViewRequest) -> Result<(), OptionError> {
    let options: CountersOptions = request.options.read()?;
    metrics_named(store, &options.metrics).map(drop).map_err(|why| OptionError { name: "metrics".to_owned(), why })
}

impl<'a> Lanes<'a> {
    fn new(store: &'a Store, request: &'a ViewRequest) -> Lanes<'a> {
        let plot = plot_area(store, request);
        let asked: CountersOptions = request.options.checked();
        let wanted = metrics_named(store, &asked.metrics).unwrap_or_default();
        let mut of_metric: Vec<(MetricId, Vec<Series>)> = wanted.into_iter().map(|one| (one, Vec::new())).collect();
        for series in store.counters.series().filter(|series| request.window.has_rank(store, series.location)) {
            if let Some((_, known)) = of_metric.iter_mut().find(|(metric, _)| *metric == series.metric) {
                known.push(series);
            }
        }
        of_metric.retain(|(_, series)| !series.is_empty());
        let room = ((plot.height / LEAST_HEIGHT) as usize).max(1);
        let left_out = of_metric.len().saturating_sub(room);
        of_metric.truncate(room);
        let all: usize = of_metric.iter().map(|(_, series)| series.len()).sum();
        let is_single = all <= room;
        let reading = |metric: MetricId| asked.reading(store, metric);
        let mut lanes: Vec<Lane> = Vec::new();
        for (metric, series) in of_metric {
            let each: Vec<Vec<Series>> =
                if is_single { series.into_iter().map(|one| vec![one]).collect() } else { vec![series] };
            lanes.extend(each.into_iter().map(|series| Lane { metric, reading: reading(metric), series, rect: plot }));
        }
        let height = plot.height / lanes.len().max(1) as f32;
        for (at, lane) in lanes.iter_mut().enumerate() {
            lane.rect = Rect { y: plot.y + at as f32 * height, height, ..plot };
        }
        Lanes { store, time: request.window.time(store), plot, all: lanes, left_out }
    }
}

/// The picture.
fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let store = trace.store;
    let lanes = Lanes::new(store, request);
    let colours = request.colours(store);
    let title = format!("{} · counters", store.name());
    let all: Vec<Shown> = lanes.all.iter().map(|lane| lanes.shown(lane)).collect();
    let scales: Vec<Option<Scale>> =
        lanes.all.iter().zip(&all).map(|(lane, shown)| Scale::of(&shown.columns, lane.rect)).collect();
    let ticks = if request.framing == Framing::Strip { Vec::new() } else { lanes.ticks(&scales) };
    let axes = (time_axis(lanes.time, lanes.plot), Axis { ticks, ..Axis::default() });
    let mut scene = frame(request, lanes.plot, title, axes, &colours, Vec::new());
    let inks = Inks::add(&mut scene.palette, &colours);
    let mut bands = Vec::new();
    for (shown, scale) in all.iter().zip(&scales) {
        if let Some(scale) = scale {
            bands.extend(draw(&shown.columns, scale, &inks));
        }
    }
    scene.layers.push(Layer::Bands(bands));
    scene.layers.push(Layer::Rects(lanes.lines(colours.ink().line)));
    if request.framing != Framing::Strip {
        lanes.write_names(&mut scene, &inks);
    }
    scene.notes = lanes.notes(&all);
    scene
}

impl Lanes<'_> {
    /// The ends of the scales.
    fn ticks(&self, scales: &[Option<Scale>]) -> Vec<Tick> {
        let mut ticks = Vec::new();
        for (lane, scale) in self.all.iter().zip(scales) {
            let Some(scale) = scale else { continue };
            let short = |value: f64| value_with_unit(self.store, lane.metric, value);
            if lane.rect.height < BOTH_ENDS {
                ticks.push(Tick { at: lane.rect.y + lane.rect.height / 2.0, label: short(scale.high) });
            } else {
                ticks.push(Tick { at: scale.top + 3.0, label: short(scale.high) });
                ticks.push(Tick { at: scale.bottom - 3.0, label: short(scale.low) });
            }
        }
        ticks
    }

    /// Lines between lanes.
    fn lines(&self, colour: ColourId) -> Vec<RectMark> {
        let line = |lane: &Lane| RectMark {
            rect: Rect { y: lane.rect.y - 0.5, height: 1.0, ..lane.rect },
            colour,
            span: SpanRow::NONE,
        };
        self.all.iter().skip(1).map(line).collect()
    }

    /// Names at the left of the lanes, on paper where values lie behind them.
    fn write_names(&self, scene: &mut Scene, inks: &Inks) {
        let mut papers = Vec::new();
        for lane in &self.all {
            let most = (lane.rect.width / (TEXT * 0.63)) as usize;
            let text = shortened(&self.name(lane), most.max(8));
            let (x, y) = (lane.rect.x + 6.0, lane.rect.y + 12.0);
            if lane.rect.height < NAME_HEIGHT {
                let width = text.chars().count() as f32 * TEXT * 0.6 + 8.0;
                let rect = Rect { x: x - 4.0, y: lane.rect.y + 1.0, width: width.min(lane.rect.width), height: LINE };
                papers.push(RectMark { rect, colour: inks.paper, span: SpanRow::NONE });
            }
            let colour = scene.ink.strong;
            scene.labels.push(Label { at: (x, y), text, size: TEXT, colour, anchor: Anchor::Start });
        }
        scene.layers.push(Layer::Rects(papers));
    }

    fn notes(&self, shown: &[Shown]) -> Vec<String> {
        if self.store.metric_values.is_empty() {
            return vec!["The trace has no counters.".to_owned()];
        }
        if self.all.is_empty() {
            return vec!["None of these ranks recorded such a counter.".to_owned()];
        }
        let series: u64 = self.all.iter().map(|lane| lane.series.len() as u64).sum();
        let is_rate = self.all.iter().any(|lane| lane.reading == Reading::Rate);
        let rates = if is_rate { ", per second where it accumulates" } else { "" };
        let mut notes = vec![format!(
            "{} of counters{rates}. Band: least to largest value in a pixel column; line: mean over its time.",
            if series == 1 { "1 series".to_owned() } else { format!("{} series", grouped(series)) }
        )];
        if self.all.iter().any(|lane| lane.series.len() > 1) {
            let bin = shown.iter().find_map(|shown| shown.bin_ns);
            let steps = bin.map_or(String::new(), |ns| format!(", in steps of {}", duration_text(ns)));
            notes.push(format!(
                "A lane shows all locations of a counter together{steps}; fewer ranks have lanes of their own."
            ));
        }
        if self.left_out > 0 {
            let more = counted(self.left_out as u64, "more counter");
            let have = if self.left_out == 1 { "has" } else { "have" };
            notes.push(format!("{more} {have} no room here: choose some with --metrics."));
        }
        notes
    }
}

/// What is at a place of it.
fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    Lanes::new(trace.store, request).pick(&request.colours(trace.store), at)
}
