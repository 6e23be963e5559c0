//! Logical timeline: ranks over steps, as equal boxes coloured by a metric.
//!
//! Two ways of drawing, by how much room there is:
//! * every event a box, the aggregate before it a smaller and paler one, messages as lines and collectives as dots on a
//!   thread; with gaps between boxes, and borders, where they fit;
//! * a raster whose cells show the largest value of the events in them: what is late stays visible at every zoom.

mod boxes;
mod cause;
mod links;
mod pick;
mod raster;

use heddle_logical::Logical;
use heddle_model::{LocationId, SpanRow};
use heddle_store::Store;

use crate::analyses::{AnalysisKind, LogicalData, Trace, Urgency};
use crate::request::arranged::{clusters_urgency, path_urgency, row_specs};
use crate::request::rows::Rows;
use crate::request::selection::SelectionKind;
use crate::request::window::Window;
use crate::request::{Framing, ViewRequest};
use crate::scene::frame::{frame, outline, plot_area};
use crate::scene::ramp::{Ramp, Tone};
use crate::scene::theme::Colours;
use crate::scene::ticks::{counted, step_ticks};
use crate::scene::{Axis, ColourId, Extent, Layer, Rect, RectMark, Scene};
use crate::views::cause::DrawnCause;
use crate::views::kinds::{self, EventKind};
use crate::views::options::{ColourBy, EventOptions, MetricOptions, check_colour};
use crate::views::selected::{selected_event, selected_span};
use crate::views::valued::Scaled;
use crate::views::{AxisKind, Picture, ViewModule, both};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "logical",
    about: "Ranks over logical steps, coloured by how late each event is",
    axes: (AxisKind::Steps, AxisKind::Rows),
    options: || both::<MetricOptions, EventOptions>().into_iter().chain(row_specs()).collect(),
    check: Some(check_colour),
    analyses: &[
        (AnalysisKind::Logical, |_| Some(Urgency::Required)),
        (AnalysisKind::Clusters, clusters_urgency),
        (AnalysisKind::Diagnosis, path_urgency),
    ],
    selections: &[SelectionKind::Span, SelectionKind::Event],
    picture: Picture::Flat { scene, pick: pick::pick },
};

/// Lower rows, and narrower columns, have no room for boxes.
const LEAST_SIDE: f32 = 3.0;
/// Boxes lie down: with few ranks they are not higher than this share of their width, but high enough to be hit.
const HIGHEST_SHARE: f32 = 0.6;
const HIGH_ENOUGH: f32 = 18.0;
/// Up to so many boxes are drawn one by one.
const MOST_BOXES: f64 = 50_000.0;

/// The picture.
fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let Some(data) = trace.logical.as_ref().filter(|data| !data.logical.events.is_empty()) else {
        return missing(trace, request, "logical timeline");
    };
    let store = trace.store;
    let colours = request.colours(store);
    let mut palette = colours.palette();
    let asked: MetricOptions = request.options.checked();
    let ramp = Ramp::add(&mut palette, request.theme, asked.palette);
    let picture = LogicalPicture::new(trace, data, request, &colours, ramp);
    let plot = picture.plot;
    let title = format!("{} · logical timeline", store.name());
    let mut scene = frame(request, plot, title, picture.axes(), &colours, Vec::new());
    scene.palette = palette;
    match picture.colour_by() {
        ColourBy::Metric => scene.colour_bar = Some(picture.scaled.bar(store)),
        ColourBy::Phase => scene.notes.push("Colours tell phases apart.".to_owned()),
        ColourBy::Kind => scene.legend = kinds::key(ramp),
        _ => {}
    }
    if picture.has_boxes() {
        picture.boxes(&mut scene);
    } else {
        picture.raster(&mut scene);
    }
    if let Some(cause) = &picture.cause {
        picture.draw_cause(cause, &mut scene);
    }
    picture.mark_selected(&mut scene);
    scene
}

/// An empty picture that says why it is empty.
pub(crate) fn missing(trace: &Trace<'_>, request: &ViewRequest, what: &str) -> Scene {
    let colours = request.colours(trace.store);
    let plot = plot_area(trace.store, request);
    let title = format!("{} · {what}", trace.store.name());
    let steps = Axis { extent: Extent::Steps(0.0, 1.0, 0), ..Axis::default() };
    let mut scene = frame(request, plot, title, (steps, Axis::default()), &colours, Vec::new());
    scene.notes.push("There is no logical time: the trace has no communication to put in order.".to_owned());
    scene
}

/// What is to be drawn, and where.
struct LogicalPicture<'a> {
    store: &'a Store,
    trace: &'a Trace<'a>,
    data: &'a LogicalData,
    logical: &'a Logical,
    asked: MetricOptions,
    drawn: EventOptions,
    request: &'a ViewRequest,
    colours: &'a Colours,
    scaled: Scaled<'a>,
    ramp: Ramp,
    plot: Rect,
    rows: Rows,
    /// For each row in sight, its row of events; `u32::MAX` if it has none.
    event_rows: Vec<u32>,
    steps: (f64, f64),
    all_steps: u32,
    /// Where the selected event's lateness came from.
    cause: Option<DrawnCause>,
}

impl<'a> LogicalPicture<'a> {
    fn new(
        trace: &'a Trace<'a>,
        data: &'a LogicalData,
        request: &'a ViewRequest,
        colours: &'a Colours,
        ramp: Ramp,
    ) -> LogicalPicture<'a> {
        let logical = &*data.logical;
        let window = Window { main_only: true, ..request.window.clone() };
        let rows = Rows::of(trace.store, &window);
        let event_row = |at: &LocationId| logical.row_of_location(*at).unwrap_or(u32::MAX);
        let event_rows = rows.locations().iter().map(event_row).collect();
        let asked: MetricOptions = request.options.checked();
        let all_steps = logical.steps.len() as u32;
        let (from, to) = request.window.steps.unwrap_or((0.0, f64::from(all_steps)));
        LogicalPicture {
            store: trace.store,
            trace,
            data,
            logical,
            request,
            colours,
            scaled: Scaled::new(data, asked.clone(), ramp),
            asked,
            drawn: request.options.checked(),
            ramp,
            plot: plot_area(trace.store, request),
            rows,
            event_rows,
            // Narrower than a thousandth of a step nothing can be told apart any more.
            steps: (from, to.max(from + 1e-3)),
            all_steps,
            cause: DrawnCause::of(trace, request),
        }
    }

    fn row_height(&self) -> f32 {
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
        self.row_height() >= LEAST_SIDE && self.column_width() >= LEAST_SIDE * each as f32 && boxes <= MOST_BOXES
    }

    /// Which part of its step an event takes, and the aggregate before it.
    fn parts(&self) -> [(f64, f64); 2] {
        if self.asked.aggregates { [(0.42, 0.94), (0.08, 0.38)] } else { [(0.1, 0.9), (0.1, 0.9)] }
    }

    fn colour_by(&self) -> ColourBy {
        self.drawn.colour.or(ColourBy::Metric)
    }

    /// The row on the screen of a row of events, if it is in sight.
    fn row_of(&self, event_row: u32) -> Option<usize> {
        self.rows.row_of(self.logical.rows.location.get(u64::from(event_row)))
    }

    fn event_colour(&self, event: u64, tone: Tone) -> ColourId {
        let step = self.logical.events.step.get(event);
        match self.colour_by() {
            ColourBy::Metric => self.scaled.colour(self.data.value(event) as f32, step..step + 1, tone),
            ColourBy::Phase => self.ramp.phase(self.logical.events.phase.get(event), tone),
            ColourBy::Kind => self.ramp.kind(EventKind::of(self.store, self.logical, event) as usize, tone),
            _ => {
                let colour = self.colours.region(self.store.spans.region.get(self.logical.events.span.get(event).0));
                if tone == Tone::Full { colour } else { self.colours.faded(colour) }
            }
        }
    }

    /// Axes of steps and ranks.
    fn axes(&self) -> (Axis, Axis) {
        let (plot, framing) = (self.plot, self.request.framing);
        let [event, _] = self.parts();
        let middle = if self.column_width() >= 2.0 * LEAST_SIDE { f64::midpoint(event.0, event.1) } else { 0.5 };
        let mut ticks =
            step_ticks(self.steps_in_sight(), 44.0, self.column_width(), |step| self.x(f64::from(step) + middle));
        ticks.retain(|tick| (plot.x..=plot.x + plot.width).contains(&tick.at));
        let across = Axis {
            title: String::from(if framing == Framing::Figure { "step" } else { "" }),
            ticks,
            extent: Extent::Steps(self.steps.0, self.steps.1, self.all_steps),
        };
        let down = self.rows.axis(self.store, plot, framing, false);
        // All rows have ranks here, whatever else is in the trace.
        let title = if self.rows.is_folded() { down.title } else { "rank".to_owned() };
        let down = Axis { title, ..down };
        (across, down)
    }

    /// Where the box of an event is.
    fn event_rect(&self, row: usize, step: u32) -> Rect {
        self.rect(row, step, self.parts()[0], 1.0)
    }

    /// Where the box of the aggregate before it is: lower.
    fn aggregate_rect(&self, row: usize, step: u32) -> Rect {
        self.rect(row, step, self.parts()[1], 0.56)
    }

    /// A part of a step, with a gap between lines where there is room: `share` of the height of a box, in the middle of the
    /// row.
    fn rect(&self, row: usize, step: u32, part: (f64, f64), share: f32) -> Rect {
        let (from, to) = (self.x(f64::from(step) + part.0), self.x(f64::from(step) + part.1));
        let middle = self.plot.y + (row as f32 + 0.5) * self.row_height();
        let height = self.box_height() * share;
        Rect { x: from, y: middle - height / 2.0, width: (to - from).max(1.0), height }
    }

    /// How high the box of an event is.
    fn box_height(&self) -> f32 {
        let height = self.row_height();
        let gap = if height > 12.0 { (height * 0.25).clamp(3.0, 9.0) } else { 0.0 };
        let [(from, to), _] = self.parts();
        let width = self.column_width() * (to - from) as f32;
        (height - gap).clamp(1.0, (width * HIGHEST_SHARE).max(HIGH_ENOUGH))
    }

    /// The events of the selected call.
    fn selected(&self) -> Option<(SpanRow, std::ops::Range<u64>)> {
        let span = selected_span(self.trace, self.request)?;
        let events = match selected_event(self.trace, self.request) {
            Some(event) => event..event + 1,
            None => self.logical.events_of_span(self.store, span),
        };
        (!events.is_empty()).then_some((span, events))
    }

    /// A box around the selected events.
    fn mark_selected(&self, scene: &mut Scene) {
        let Some((_, events)) = self.selected() else { return };
        let around = |event: u64| {
            let row = self.row_of(self.logical.row_of(event))?;
            let step = self.logical.events.step.get(event);
            self.steps_in_sight().contains(&step).then(|| self.event_rect(row, step))
        };
        let boxes: Vec<RectMark> =
            events.filter_map(around).flat_map(|rect| outline(rect, self.colours.accent())).collect();
        scene.layers.push(Layer::Rects(boxes));
    }

    /// How many events and ranks are drawn, in words.
    fn count_note(&self, events: u64) -> String {
        let (steps, ranks) = (self.steps_in_sight().len() as u64, self.rows.len() as u64);
        let [events, ranks, steps] =
            [(events, "event"), (ranks, "rank"), (steps, "step")].map(|(of, one)| counted(of, one));
        format!("{events} of {ranks} in {steps}, each drawn.")
    }
}
