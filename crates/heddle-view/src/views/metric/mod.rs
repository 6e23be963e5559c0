//! Metric overview: the sum of a metric over the events of each step, over the whole run.
//!
//! Where a pixel stands for several steps, the bar is their mean (a box filter), and a paler one behind it reaches up to the
//! largest of them: a single late step does not drown.

use heddle_logical::Sum;
use heddle_model::{Ns, SpanRow};
use heddle_options::Options;
use heddle_store::Store;

use crate::analyses::{AnalysisKind, LogicalData, Trace, Urgency};
use crate::request::picked::Picked;
use crate::request::{Framing, ViewRequest};
use crate::scene::frame::{frame, plot_area};
use crate::scene::ramp::{Ramp, Tone};
use crate::scene::ticks::{counted, grouped, step_ticks, time_ticks};
use crate::scene::{Axis, Extent, Layer, Rect, RectMark, Rgba, Scene, Tick};
use crate::views::logical::missing;
use crate::views::options::MetricOptions;
use crate::views::valued::{sum_text, value_text};
use crate::views::{AxisKind, Picture, ViewModule};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "metric",
    about: "A metric summed over the events of each logical step",
    axes: (AxisKind::Steps, AxisKind::Values),
    options: MetricOptions::specs,
    check: None,
    analyses: &[(AnalysisKind::Logical, |_| Some(Urgency::Required))],
    selections: &[],
    picture: Picture::Flat { scene, pick },
};

/// Labels of sums are at least so far apart.
const LEAST_APART: f32 = 16.0;
/// Wider bars have a gap between them.
const GAP_WIDTH: f32 = 3.0;

/// The picture.
fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let Some(data) = trace.logical.as_ref().filter(|data| !data.logical.events.is_empty()) else {
        return missing(trace, request, "metric overview");
    };
    let store = trace.store;
    let asked: MetricOptions = request.options.checked();
    let colours = request.colours(store);
    let plot = plot_area(store, request);
    let title = format!("{} · {}, summed per step", store.name(), data.values.metric().title(store).to_lowercase());
    let bars = Bars::new(data, &asked, plot);
    let mut scene = frame(request, plot, title, bars.axes(store, request.framing), &colours, Vec::new());
    let ramp = Ramp::add(&mut scene.palette, request.theme, asked.palette);
    let mut marks = Vec::new();
    for (at, bar) in bars.heights().into_iter().enumerate() {
        let (x, width) = bars.place(at);
        let gap = if width > GAP_WIDTH { (width * 0.2).min(4.0) } else { 0.0 };
        let mut add = |from: f64, to: f64, share: f64, tone: Tone| {
            let height = (to - from) as f32 * plot.height;
            if height > 0.0 {
                let y = plot.y + plot.height - to as f32 * plot.height;
                let rect = Rect { x: x + gap / 2.0, y, width: width - gap, height };
                marks.push(RectMark { rect, colour: ramp.at(share as f32, tone), span: SpanRow::NONE });
            }
        };
        // Whatever is not zero is seen.
        let mean = if bar.mean > 0.0 { bar.mean.max(f64::from(1.0 / plot.height)) } else { 0.0 };
        add(0.0, mean, bar.mean, Tone::Full);
        add(mean, bar.largest, bar.largest, Tone::Pale);
    }
    scene.layers.push(Layer::Rects(marks));
    let of = if asked.aggregates { "events and the aggregates before them" } else { "events" };
    scene.notes.push(format!(
        "Sum over all {of} of each of {} steps; the largest is {}.",
        grouped(u64::from(bars.steps)),
        sum_text(store, data.values.metric(), bars.largest)
    ));
    if bars.largest.as_f64() > bars.top {
        scene.notes.push("Bars that reach the top may be cut off there.".to_owned());
    }
    if bars.is_filtered() {
        let each = f64::from(bars.steps) / f64::from(plot.width);
        scene.notes.push(format!(
            "A column stands for {each:.1} steps: the bar is their mean, the paler one reaches up to the largest of them."
        ));
    }
    scene
}

/// What is at a place of it.
fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let (data, store) = (trace.logical.as_ref()?, trace.store);
    let asked: MetricOptions = request.options.checked();
    let plot = plot_area(store, request);
    let bars = Bars::new(data, &asked, plot);
    if !plot.contains(at) || bars.steps == 0 {
        return None;
    }
    let bar = (((at.0 - plot.x) / plot.width * bars.count() as f32) as usize).min(bars.count() - 1);
    let steps = bars.steps_of(bar);
    let mut sum = data.values.sums().of_step(steps.start, asked.aggregates);
    let mut most = (sum, steps.start);
    for step in steps.start + 1..steps.end {
        let one = data.values.sums().of_step(step, asked.aggregates);
        sum = sum.plus(one);
        if one.as_f64() > most.0.as_f64() {
            most = (one, step);
        }
    }
    let number = |step: u32| grouped(u64::from(step));
    let text = |sum: Sum| sum_text(store, data.values.metric(), sum);
    let events: u64 = data.logical.steps.events.iter(u64::from(steps.start)..u64::from(steps.end)).map(u64::from).sum();
    let title = match steps.len() {
        1 => format!("Step {}", number(steps.start)),
        _ => format!("Steps {} to {}", number(steps.start), number(steps.end - 1)),
    };
    let mut lines =
        vec![format!("{}: {} in all", data.values.metric().title(store), text(sum)), counted(events, "event")];
    if steps.len() > 1 {
        lines.push(format!("most in step {}: {}", number(most.1), text(most.0)));
    }
    let largest = data.values.sums().largest_in(steps.clone(), asked.aggregates);
    lines.push(format!("largest single value {}", value_text(store, data.values.metric(), f64::from(largest))));
    let (x, width) = bars.place(bar);
    let mut palette: Vec<Rgba> = Vec::new();
    let ramp = Ramp::add(&mut palette, request.theme, asked.palette);
    let share = bars.share(most.0.as_f64());
    Some(Picked {
        title,
        colour: palette[usize::from(ramp.at(share as f32, Tone::Full).0)],
        lines,
        select: None,
        toggles: None,
        sets: None,
        area: Some(Rect { x, width, ..plot }),
    })
}

/// A value with three digits, as there is little room beside the bars: `5.09 ms` for `5.090 ms`.
fn short(text: String) -> String {
    let Some((number, unit)) = text.split_once(' ') else { return text };
    let Ok(value) = number.parse::<f64>() else { return text };
    let whole = value.abs().log10().floor().max(0.0) as usize + 1;
    let rounded = format!("{value:.*}", 3usize.saturating_sub(whole));
    let plain = if rounded.contains('.') { rounded.trim_end_matches('0').trim_end_matches('.') } else { &rounded };
    format!("{plain} {unit}")
}

/// The sums as bars: one for each step or, if there are more steps, for each pixel column.
struct Bars<'a> {
    data: &'a LogicalData,
    asked: &'a MetricOptions,
    plot: Rect,
    steps: u32,
    /// The largest sum of a step.
    largest: Sum,
    /// The sums at the bottom and at the top.
    bottom: f64,
    top: f64,
}

/// Shares of the height.
struct Bar {
    mean: f64,
    largest: f64,
}

impl<'a> Bars<'a> {
    fn new(data: &'a LogicalData, asked: &'a MetricOptions, plot: Rect) -> Bars<'a> {
        let sums = data.values.sums();
        let largest = sums.largest_sum(asked.aggregates);
        let (bottom, top) = asked.sums.map_or((0.0, largest.as_f64()), |range| (range.low, range.high));
        Bars { data, asked, plot, steps: sums.len(), largest, bottom, top }
    }

    /// How high a sum reaches, as a share of the plot.
    fn share(&self, sum: f64) -> f64 {
        if self.top > self.bottom { ((sum - self.bottom) / (self.top - self.bottom)).clamp(0.0, 1.0) } else { 0.0 }
    }

    fn is_filtered(&self) -> bool {
        self.steps > self.plot.width as u32
    }

    fn count(&self) -> usize {
        self.steps.min(self.plot.width as u32) as usize
    }

    fn step_width(&self) -> f32 {
        self.plot.width / self.steps.max(1) as f32
    }

    fn x(&self, step: f64) -> f32 {
        self.plot.x + (step / f64::from(self.steps.max(1)) * f64::from(self.plot.width)) as f32
    }

    /// Left edge and width of a bar.
    fn place(&self, bar: usize) -> (f32, f32) {
        let width = self.plot.width / self.count().max(1) as f32;
        (self.plot.x + bar as f32 * width, width)
    }

    /// The steps that begin in a bar; at least one.
    fn steps_of(&self, bar: usize) -> std::ops::Range<u32> {
        let edge = |bar: usize| (bar as u64 * u64::from(self.steps) / self.count().max(1) as u64) as u32;
        let first = edge(bar).min(self.steps.saturating_sub(1));
        first..edge(bar + 1).max(first + 1).min(self.steps)
    }

    /// All bars. A step that lies in two columns counts in each with the part that lies there.
    fn heights(&self) -> Vec<Bar> {
        let sums = self.data.values.sums();
        let each = f64::from(self.steps) / self.count().max(1) as f64;
        let bar = |bar: usize| {
            let (from, to) = (bar as f64 * each, (bar + 1) as f64 * each);
            let (mut mean, mut largest) = (0.0, 0.0f64);
            for step in from as u32..(to.ceil() as u32).min(self.steps) {
                let inside = (f64::from(step) + 1.0).min(to) - f64::from(step).max(from);
                let sum = self.share(sums.of_step(step, self.asked.aggregates).as_f64());
                mean += sum * inside.max(0.0) / each;
                // Of a step that is only touched by rounding nothing is shown.
                if inside > 1e-6 {
                    largest = largest.max(sum);
                }
            }
            Bar { mean: mean.clamp(0.0, 1.0), largest }
        };
        (0..self.count()).map(bar).collect()
    }

    /// Axes of steps and sums.
    fn axes(&self, store: &Store, framing: Framing) -> (Axis, Axis) {
        let across = Axis {
            title: String::from(if framing == Framing::Figure { "step" } else { "" }),
            ticks: step_ticks(0..self.steps, 60.0, self.step_width(), |step| self.x(f64::from(step) + 0.5)),
            extent: Extent::Steps(0.0, f64::from(self.steps), self.steps),
        };
        let down = match framing {
            Framing::Strip => Axis::default(),
            _ => Axis { title: "sum".to_owned(), ticks: self.value_ticks(store), ..Axis::default() },
        };
        (across, down)
    }

    /// Ticks of the sums: the ends always, as bars say nothing without them, and what fits between.
    fn value_ticks(&self, store: &Store) -> Vec<Tick> {
        if self.top <= self.bottom {
            return Vec::new();
        }
        let metric = self.data.values.metric();
        let place = |value: f64| self.plot.y + self.plot.height * (1.0 - self.share(value) as f32);
        let end = |value: f64| Tick { at: place(value), label: short(value_text(store, metric, value)) };
        let mut ticks = vec![end(self.bottom), end(self.top)];
        if metric.is_time() {
            let within = |value: f64| Ns(value.clamp(i64::MIN as f64 / 4.0, i64::MAX as f64 / 4.0) as i64);
            let mut between = time_ticks(within(self.bottom), within(self.top), 0.0, self.plot.height, 40.0);
            let bottom = self.plot.y + self.plot.height;
            for tick in &mut between {
                tick.at = bottom - tick.at;
            }
            between.retain(|tick| ticks.iter().all(|end| (end.at - tick.at).abs() >= LEAST_APART));
            ticks.extend(between);
        }
        ticks
    }
}
