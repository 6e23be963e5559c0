//! Logical timeline: ranks over steps, as equal boxes coloured by a metric.
//!
//! Two ways of drawing, by how much room there is:
//! * every event a box, the aggregate before it a smaller and paler one, messages as lines and collectives as dots on a
//!   thread; with gaps between boxes, and borders, where they fit;
//! * a raster whose cells show the largest value of the events in them: what is late stays visible at every zoom.

mod boxes;
mod links;
mod path;
mod pick;
mod raster;

use heddle_logical::Logical;
use heddle_model::{LocationId, SpanRow};
use heddle_store::Store;

use crate::frame::{frame, outline, plot_area};
use crate::ramp::{Ramp, Tone};
use crate::request::{ColourBy, Framing, LogicalView, ViewRequest};
use crate::scene::{ColourId, Extent, Layer, Rect, RectMark, Scene};
use crate::theme::Colours;
use crate::ticks::{count_ticks, grouped, step_ticks};
use crate::trace::{LogicalData, Trace};
use crate::valued::Scaled;
use crate::way::Way;
use crate::window::{Window, row_label};

pub(crate) use pick::pick;

/// Lower rows, and narrower columns, have no room for boxes.
const LEAST_SIDE: f32 = 3.0;
/// Up to so many boxes are drawn one by one.
const MOST_BOXES: f64 = 50_000.0;

/// The picture.
pub(crate) fn scene(trace: Trace<'_>, request: &ViewRequest) -> Scene {
    let Some(data) = trace.logical.filter(|data| !data.logical.events.is_empty()) else {
        return missing(trace, request, "logical timeline");
    };
    let store = trace.store;
    let colours = Colours::of(store, request.theme);
    let mut palette = colours.palette();
    let ramp = Ramp::add(&mut palette, request.theme, request.logical.palette);
    let sight = Sight::new(store, data, request, &colours, ramp);
    let plot = sight.plot;
    let title = format!("{} · logical timeline", store.name());
    let mut scene = frame(request, plot, title, request.window.time(store), &colours, Vec::new());
    scene.palette = palette;
    sight.axes(request, &mut scene);
    match sight.colour_by() {
        ColourBy::Metric => scene.colour_bar = Some(sight.scaled.bar(store)),
        ColourBy::Phase => scene.notes.push("Colours tell phases apart.".to_owned()),
        ColourBy::Function => {}
    }
    if sight.has_boxes() {
        sight.boxes(&mut scene);
    } else {
        sight.raster(&mut scene);
    }
    if let Some(way) = &sight.way {
        sight.path(way, &mut scene);
    }
    sight.selection(&mut scene);
    scene
}

/// An empty picture that says why it is empty.
pub(crate) fn missing(trace: Trace<'_>, request: &ViewRequest, what: &str) -> Scene {
    let colours = Colours::of(trace.store, request.theme);
    let plot = plot_area(trace.store, request);
    let title = format!("{} · {what}", trace.store.name());
    let mut scene = frame(request, plot, title, request.window.time(trace.store), &colours, Vec::new());
    scene.x_axis.ticks.clear();
    scene.x_axis.extent = Extent::Steps(0.0, 1.0, 0);
    scene.notes.push("There is no logical time: the trace has no communication to put in order.".to_owned());
    scene
}

/// What is to be drawn, and where.
struct Sight<'a> {
    store: &'a Store,
    data: &'a LogicalData,
    logical: &'a Logical,
    asked: &'a LogicalView,
    request: &'a ViewRequest,
    colours: &'a Colours,
    scaled: Scaled<'a>,
    ramp: Ramp,
    plot: Rect,
    /// One for each line in sight.
    locations: Vec<LocationId>,
    /// Its row of events; `u32::MAX` if it has none.
    rows: Vec<u32>,
    /// The first line among all.
    first_line: usize,
    all_lines: usize,
    steps: (f64, f64),
    all_steps: u32,
    /// The way of the selected event's lateness, if it is asked for.
    way: Option<Way>,
}

impl<'a> Sight<'a> {
    fn new(
        store: &'a Store,
        data: &'a LogicalData,
        request: &'a ViewRequest,
        colours: &'a Colours,
        ramp: Ramp,
    ) -> Sight<'a> {
        let logical = &*data.logical;
        let window = Window { main_only: true, ..request.window.clone() };
        let mut locations = window.locations(store);
        let all_lines = locations.len();
        let lines = window.rows(all_lines);
        locations.truncate(lines.end);
        locations.drain(..lines.start.min(locations.len()));
        let rows = locations.iter().map(|at| logical.row_of_location(*at).unwrap_or(u32::MAX)).collect();
        let all_steps = logical.steps.len() as u32;
        let (from, to) = request.logical.steps.unwrap_or((0.0, f64::from(all_steps)));
        Sight {
            store,
            data,
            logical,
            asked: &request.logical,
            request,
            colours,
            scaled: Scaled::new(data, &request.logical, ramp),
            ramp,
            plot: plot_area(store, request),
            locations,
            rows,
            first_line: lines.start,
            all_lines,
            // Narrower than a thousandth of a step nothing can be told apart any more.
            steps: (from, to.max(from + 1e-3)),
            all_steps,
            way: Way::of(store, data, request),
        }
    }

    fn line_height(&self) -> f32 {
        self.plot.height / self.rows.len().max(1) as f32
    }

    /// Pixels of a step.
    fn column_width(&self) -> f32 {
        (f64::from(self.plot.width) / (self.steps.1 - self.steps.0)) as f32
    }

    /// The x of a place in logical time.
    fn x(&self, step: f64) -> f32 {
        self.plot.x + ((step - self.steps.0) / (self.steps.1 - self.steps.0) * f64::from(self.plot.width)) as f32
    }

    /// The steps that are at least partly in sight.
    fn steps_in_sight(&self) -> std::ops::Range<u32> {
        let clamp = |step: f64| step.clamp(0.0, f64::from(self.all_steps)) as u32;
        clamp(self.steps.0.floor())..clamp(self.steps.1.ceil())
    }

    /// Whether events are drawn one by one.
    fn has_boxes(&self) -> bool {
        let each = if self.asked.aggregates { 2.0 } else { 1.0 };
        let boxes = (self.steps.1 - self.steps.0) * self.rows.len() as f64 * each;
        self.line_height() >= LEAST_SIDE && self.column_width() >= LEAST_SIDE * each as f32 && boxes <= MOST_BOXES
    }

    /// Which part of its step an event takes, and the aggregate before it.
    fn parts(&self) -> [(f64, f64); 2] {
        if self.asked.aggregates { [(0.42, 0.94), (0.08, 0.38)] } else { [(0.1, 0.9), (0.1, 0.9)] }
    }

    fn colour_by(&self) -> ColourBy {
        self.asked.colour.unwrap_or(ColourBy::Metric)
    }

    /// The line of a row of events, if it is in sight.
    fn line_of(&self, row: u32) -> Option<usize> {
        let location = self.logical.rows.location.get(u64::from(row));
        self.locations.binary_search(&location).ok()
    }

    fn event_colour(&self, event: u64, tone: Tone) -> ColourId {
        let step = self.logical.events.step.get(event);
        match self.colour_by() {
            ColourBy::Metric => self.scaled.colour(self.data.value(event) as f32, step..step + 1, tone),
            ColourBy::Phase => self.ramp.phase(self.logical.events.phase.get(event), tone),
            ColourBy::Function => {
                let colour = self.colours.region(self.store.spans.region.get(self.logical.events.span.get(event).0));
                if tone == Tone::Full { colour } else { self.colours.faded(colour) }
            }
        }
    }

    /// Axes of steps and ranks.
    fn axes(&self, request: &ViewRequest, scene: &mut Scene) {
        let plot = self.plot;
        let [event, _] = self.parts();
        let middle = if self.column_width() >= 2.0 * LEAST_SIDE { f64::midpoint(event.0, event.1) } else { 0.5 };
        scene.x_axis.extent = Extent::Steps(self.steps.0, self.steps.1, self.all_steps);
        scene.x_axis.ticks =
            step_ticks(self.steps_in_sight(), 44.0, self.column_width(), |step| self.x(f64::from(step) + middle));
        scene.x_axis.ticks.retain(|tick| (plot.x..=plot.x + plot.width).contains(&tick.at));
        scene.x_axis.title = String::from(if request.framing == Framing::Figure { "step" } else { "" });
        let lines = self.first_line..self.first_line + self.rows.len();
        scene.y_axis.extent = Extent::Rows(lines.start, lines.end, self.all_lines);
        if request.framing != Framing::Strip {
            let label =
                |line: usize| self.locations.get(line - self.first_line).map(|at| row_label(self.store, *at, false));
            scene.y_axis.ticks = count_ticks(lines, plot.y, plot.height, 16.0, |line| label(line).unwrap_or_default());
            scene.y_axis.title = String::from("rank");
        }
    }

    /// Where the box of an event is.
    fn event_rect(&self, line: usize, step: u32) -> Rect {
        self.rect(line, step, self.parts()[0], 1.0)
    }

    /// Where the box of the aggregate before it is: lower.
    fn aggregate_rect(&self, line: usize, step: u32) -> Rect {
        self.rect(line, step, self.parts()[1], 0.56)
    }

    /// A part of a step, with a gap between lines where there is room.
    fn rect(&self, line: usize, step: u32, part: (f64, f64), share: f32) -> Rect {
        let (from, to) = (self.x(f64::from(step) + part.0), self.x(f64::from(step) + part.1));
        let height = self.line_height();
        let gap = if height > 12.0 { (height * 0.25).clamp(3.0, 9.0) } else { 0.0 };
        let top = self.plot.y + line as f32 * height + gap / 2.0;
        let full = (height - gap).max(1.0);
        Rect { x: from, y: top + full * (1.0 - share) / 2.0, width: (to - from).max(1.0), height: full * share }
    }

    /// The events of the selected call.
    fn selected(&self) -> Option<(SpanRow, std::ops::Range<u64>)> {
        let span = self.request.emphasis.selected?;
        let events = self.logical.events_of_span(self.store, span);
        (!events.is_empty()).then_some((span, events))
    }

    /// A box around the selected events.
    fn selection(&self, scene: &mut Scene) {
        let Some((_, events)) = self.selected() else { return };
        let around = |event: u64| {
            let line = self.line_of(self.logical.row_of(event))?;
            let step = self.logical.events.step.get(event);
            self.steps_in_sight().contains(&step).then(|| self.event_rect(line, step))
        };
        let boxes: Vec<RectMark> =
            events.filter_map(around).flat_map(|rect| outline(rect, self.colours.accent())).collect();
        scene.layers.push(Layer::Rects(boxes));
    }

    /// How many events and ranks are drawn, in words.
    fn count_note(&self, events: u64) -> String {
        let (steps, ranks) = (self.steps_in_sight().len() as u64, self.rows.len() as u64);
        format!("{} events of {} ranks in {} steps, each drawn.", grouped(events), grouped(ranks), grouped(steps))
    }
}
