//! Counters over time: one lane for each counter and location, or for all locations of a counter where there is no room.
//!
//! A pixel column shows the least and the largest value in its time as a band, and the mean over it as a line: nothing is
//! left out, however many values a column stands for. What accumulates is shown per second. Values are those of
//! [`CounterIndex`](heddle_store::index::CounterIndex), so they equal what a scan of all values finds. A lane of more
//! locations than can be asked one by one shows the bins of that index instead.

use rayon::prelude::*;

use heddle_model::{MetricId, Ns, SpanRow};
use heddle_options::{OptionError, Options, options};
use heddle_store::Store;
use heddle_store::index::{Counted, Reading, Series};

use crate::analyses::Trace;
use crate::lookup::counters::{metrics_named, value_with_unit};
use crate::request::picked::Picked;
use crate::request::window::{Window, row_name, shortened};
use crate::request::{Framing, ViewRequest};
use crate::scene::frame::{column_time, frame, plot_area, time_axis};
use crate::scene::theme::Colours;
use crate::scene::ticks::{counted, duration_text, grouped, time_text_between};
use crate::scene::{Anchor, Axis, Band, ColourId, Label, Layer, Rect, RectMark, Rgba, Scene, Tick};
use crate::views::{AxisKind, Picture, ViewModule};

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

/// A lane is at least so high, in pixels.
const LEAST_HEIGHT: f32 = 20.0;
/// In higher ones the name has a line of its own above the values.
const NAME_HEIGHT: f32 = 34.0;
/// In higher ones the lower end of the scale is written too.
const BOTH_ENDS: f32 = 44.0;
/// Size of names, and the height of their line.
const TEXT: f32 = 11.0;
const LINE: f32 = 15.0;
/// Characters of a name, and of a place behind it.
const MOST_NAME: usize = 60;
/// Values are looked up one location after the other up to so many in sight; beyond, bins stand for all.
const MOST_SAMPLES: u64 = 2_000_000;
/// A scale begins at zero unless values differ by less than this part of the largest.
const NARROW: f64 = 0.1;

fn check(store: &Store, request: &ViewRequest) -> Result<(), OptionError> {
    let options: CountersOptions = request.options.read()?;
    metrics_named(store, &options.metrics).map(drop).map_err(|why| OptionError { name: "metrics".to_owned(), why })
}

/// What a lane shows.
struct Lane {
    metric: MetricId,
    reading: Reading,
    /// One, or all locations of the counter.
    series: Vec<Series>,
    rect: Rect,
}

/// What is to be drawn, and where.
struct Lanes<'a> {
    store: &'a Store,
    window: &'a Window,
    time: (Ns, Ns),
    plot: Rect,
    all: Vec<Lane>,
    /// Counters for which there is no room.
    left_out: usize,
}

/// The columns of a lane, left edges and values.
struct Shown {
    /// One for each pixel column.
    columns: Vec<Counted>,
    /// How long a bin is, where bins stand for the values.
    bin_ns: Option<i64>,
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
        let reading = |metric: MetricId| match store.counters.usual_reading(metric) {
            Reading::Rate if asked.rates => Reading::Rate,
            _ => Reading::Level,
        };
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
        Lanes { store, window: &request.window, time: request.window.time(store), plot, all: lanes, left_out }
    }

    /// What a lane shows in every pixel column.
    fn shown(&self, lane: &Lane) -> Shown {
        let counters = &self.store.counters;
        let columns = self.plot.width as u32;
        let edges: Vec<Ns> = (0..=columns).map(|column| column_time(self.time, columns, column)).collect();
        let is_filtered = self.window.ranks.is_some();
        let many = !is_filtered && lane.series.len() > 1;
        let in_sight = || lane.series.par_iter().map(|series| counters.samples_in(series, self.time)).sum::<u64>();
        if many
            && in_sight() > MOST_SAMPLES
            && let Some((bin_ns, bins)) = counters.of_all(lane.metric, lane.reading)
        {
            return self.binned(bin_ns, &bins, &edges);
        }
        let of_one = |series: &Series| counters.between(series, lane.reading, &edges);
        let both = |mut sums: Vec<Counted>, more: Vec<Counted>| {
            sums.resize(sums.len().max(more.len()), Counted::default());
            sums.iter_mut().zip(more).for_each(|(sum, one)| *sum = sum.and(one));
            sums
        };
        Shown { columns: lane.series.par_iter().map(of_one).reduce(Vec::new, both), bin_ns: None }
    }

    /// Columns that show bins: as many as make a pixel, or one for several pixels.
    fn binned(&self, bin_ns: i64, bins: &[Counted], edges: &[Ns]) -> Shown {
        let pixel = (self.time.1.since(self.time.0) as f64 / f64::from(self.plot.width)).max(1.0);
        let mut each = 1usize;
        while ((each as i64).saturating_mul(bin_ns) as f64) < pixel && each < bins.len() {
            each *= 2;
        }
        let joined: Vec<Counted> =
            bins.chunks(each).map(|some| some.iter().copied().fold(Counted::default(), Counted::and)).collect();
        let long = bin_ns.saturating_mul(each as i64);
        let at = |edge: &Ns| joined.get((edge.0 / long).max(0) as usize).copied().unwrap_or_default();
        let columns = edges[..edges.len() - 1].iter().map(at).collect();
        Shown { columns, bin_ns: Some(long) }
    }

    fn unit(&self, lane: &Lane) -> String {
        let unit: String = self.store.metrics.unit.get(u64::from(lane.metric.0)).chars().take(12).collect();
        match (lane.reading, unit.as_str()) {
            (Reading::Level, "#") => String::new(),
            (Reading::Level, _) => unit,
            (Reading::Rate, "" | "#") => "per second".to_owned(),
            (Reading::Rate, _) => format!("{unit} per second"),
        }
    }

    /// A value with its unit.
    fn text(&self, lane: &Lane, value: f64) -> String {
        let text = value_with_unit(self.store, lane.metric, value);
        if lane.reading == Reading::Rate { format!("{text}/s") } else { text }
    }

    /// Whose values a lane has.
    fn who(&self, lane: &Lane) -> String {
        match lane.series.as_slice() {
            [one] => place_name(self.store, one),
            several => format!("all {} locations", grouped(several.len() as u64)),
        }
    }

    fn name(&self, lane: &Lane) -> String {
        let name = shortened(self.store.metrics.name.get(u64::from(lane.metric.0)), MOST_NAME);
        let mut parts = vec![name];
        parts.extend(Some(self.who(lane)).filter(|who| !who.is_empty()).map(|who| shortened(&who, MOST_NAME)));
        parts.extend(Some(self.unit(lane)).filter(|unit| !unit.is_empty()));
        parts.join(" · ")
    }
}

/// Where a series was recorded; nothing where that says nothing: tools give places of counters alone no names.
fn place_name(store: &Store, series: &Series) -> String {
    let at = u64::from(series.location.0);
    let rank = store.locations.rank.get(at);
    match (store.locations.name.get(at).is_empty(), rank.is_some()) {
        (true, true) => format!("rank {}", grouped(u64::from(rank.0))),
        (true, false) => String::new(),
        (false, _) => row_name(store, series.location),
    }
}

/// Which value is where in a lane.
struct Scale {
    low: f64,
    high: f64,
    top: f32,
    bottom: f32,
}

impl Scale {
    /// From what is in sight; none if there is nothing.
    fn of(columns: &[Counted], rect: Rect) -> Option<Scale> {
        let all = columns.iter().copied().fold(Counted::default(), Counted::and);
        if !all.is_known() {
            return None;
        }
        let size = all.least.abs().max(all.most.abs());
        let is_narrow = all.most > all.least && all.most - all.least < NARROW * size;
        let (mut low, mut high) =
            if is_narrow { (all.least, all.most) } else { (all.least.min(0.0), all.most.max(0.0)) };
        if high <= low {
            (low, high) = (low, low + 1.0);
        }
        let head = if rect.height >= NAME_HEIGHT { LINE } else { 2.0 };
        Some(Scale { low, high, top: rect.y + head, bottom: rect.y + rect.height - 3.0 })
    }

    fn y(&self, value: f64) -> f32 {
        let share = (value - self.low) / (self.high - self.low);
        self.bottom - (share * f64::from(self.bottom - self.top)) as f32
    }
}

/// Colours of a lane: the area below, the band from least to largest, the line of means.
struct Inks {
    area: ColourId,
    band: ColourId,
    line: ColourId,
    paper: ColourId,
}

impl Inks {
    fn add(palette: &mut Vec<Rgba>, colours: &Colours) -> Inks {
        let Rgba(red, green, blue, _) = palette[usize::from(colours.accent().0)];
        let paper = palette[usize::from(colours.background().0)];
        let mut add = |colour: Rgba| {
            palette.push(colour);
            ColourId(palette.len() as u16 - 1)
        };
        Inks {
            area: add(Rgba(red, green, blue, 40)),
            band: add(Rgba(red, green, blue, 110)),
            line: add(Rgba(red, green, blue, 255)),
            paper: add(Rgba(paper.0, paper.1, paper.2, 200)),
        }
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

/// The area below the least value, the band up to the largest, and the mean.
fn draw(columns: &[Counted], scale: &Scale, inks: &Inks) -> [Band; 3] {
    const HALF: f32 = 0.75;
    let y = |value: f64| if value.is_finite() { scale.y(value) } else { f32::NAN };
    let means: Vec<f32> = columns.iter().map(|one| one.mean().map_or(f32::NAN, |mean| scale.y(mean))).collect();
    let zero = scale.y(0.0_f64.clamp(scale.low, scale.high));
    let band = |upper: Vec<f32>, lower: Vec<f32>, colour: ColourId| Band { upper, lower, colour };
    let near: Vec<f32> = columns
        .iter()
        .map(|one| if one.least < 0.0 && one.most < 0.0 { y(one.most) } else { y(one.least.max(0.0)) })
        .collect();
    let area = band(
        near.iter().map(|edge| if edge.is_nan() { f32::NAN } else { edge.min(zero) }).collect(),
        near.iter().map(|edge| if edge.is_nan() { f32::NAN } else { edge.max(zero) }).collect(),
        inks.area,
    );
    let range = band(
        columns.iter().map(|one| y(one.most)).collect(),
        columns.iter().map(|one| y(one.least)).collect(),
        inks.band,
    );
    let mean = band(means.iter().map(|y| y - HALF).collect(), means.iter().map(|y| y + HALF).collect(), inks.line);
    [area, range, mean]
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
    let store = trace.store;
    let lanes = Lanes::new(store, request);
    let lane = lanes.all.iter().find(|lane| lane.rect.contains(at))?;
    let columns = lanes.plot.width as u32;
    let column = ((at.0 - lanes.plot.x) as u32).min(columns.saturating_sub(1));
    let shown = lanes.shown(lane);
    let told = shown.columns.get(column as usize).copied().unwrap_or_default();
    let [from, to] = [column, column + 1].map(|edge| column_time(lanes.time, columns, edge));
    let (from, to) = match shown.bin_ns {
        Some(bin) => (Ns(from.0 / bin * bin), Ns((from.0 / bin + 1) * bin)),
        None => (from, Ns(to.0.max(from.0 + 1))),
    };
    let mut lines: Vec<String> = Some(lanes.who(lane)).filter(|who| !who.is_empty()).into_iter().collect();
    match told.mean() {
        Some(mean) if told.least < told.most => {
            lines.push(format!("{} on average", lanes.text(lane, mean)));
            lines.push(format!("{} to {}", lanes.text(lane, told.least), lanes.text(lane, told.most)));
        }
        Some(mean) => lines.push(lanes.text(lane, mean)),
        None => lines.push("no value".to_owned()),
    }
    lines.push(time_text_between(from, to));
    if shown.bin_ns.is_none() {
        let samples: u64 = lane.series.iter().map(|series| store.counters.samples_in(series, (from, to))).sum();
        lines.push(format!("{} recorded here", counted(samples, "value")));
    }
    let colours = request.colours(store);
    Some(Picked {
        title: store.metrics.name.get(u64::from(lane.metric.0)).to_owned(),
        colour: colours.palette()[usize::from(colours.accent().0)],
        lines,
        select: None,
        toggles: None,
        sets: None,
        area: Some(Rect { x: lanes.plot.x + column as f32, width: 1.0, ..lane.rect }),
    })
}
