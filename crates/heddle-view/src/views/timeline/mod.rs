//! Timeline: locations over time, coloured by what they do.
//!
//! Three ways of drawing, by how much room there is:
//! * few spans in sight: every span a rectangle, calls nested inside their callers, messages as lines;
//! * more spans than can be told apart: a raster whose cells show the region that is innermost for most of
//!   the cell's time;
//! * more locations than pixel rows: the same, each row standing for several locations.
//!
//! Whatever is summarised, spans of rare regions are drawn on top one by one, at least a pixel each.

mod area;
mod blamed;
mod cause;
mod exchanged;
pub(crate) mod findings;
mod legend;
mod marks;
pub(crate) mod path;
mod pick;
mod pick_blamed;
mod places;
mod raster;
mod tracks;
mod valued;

use rayon::prelude::*;

use heddle_model::{LocationId, Ns, RegionId, SpanRow};
use heddle_options::{OptionError, Options};
use heddle_store::Store;

use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::lookup::enclosing::beginning_in;
use crate::questions::diagnosis::nothing_to_compare;
use crate::request::arranged::{clusters_urgency, logical_urgency, path_urgency, row_specs};
use crate::request::rows::Rows;
use crate::request::selection::SelectionKind;
use crate::request::window::rows_have_names;
use crate::request::{Emphasis, Framing, ViewRequest};
use crate::scene::blame::BlameInks;
use crate::scene::frame::{frame, plot_area, time_axis, x_of};
use crate::scene::ramp::Ramp;
use crate::scene::theme::Colours;
use crate::scene::ticks::{counted, grouped};
use crate::scene::{ColourId, Layer, Rect, RectMark, Scene};
use crate::views::cause::DrawnCause;
use crate::views::counters::{self, CountersOptions};
use crate::views::options::{
    ColourBy, DiagnosisOptions, DiagnosisShown, EventOptions, MetricOptions, check_timeline_colour,
};
use crate::views::selected::{message_named, selected_span};
use crate::views::{AxisKind, Picture, ViewModule, both};

use blamed::Blamed;
use tracks::{TrackOptions, Tracks};
use valued::Valued;

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "timeline",
    about: "Ranks over time, coloured by what they do",
    axes: (AxisKind::Time, AxisKind::Rows),
    options: || {
        let own = both::<EventOptions, MetricOptions>().into_iter().chain(DiagnosisOptions::specs());
        own.chain(both::<TrackOptions, CountersOptions>()).chain(row_specs()).collect()
    },
    check: Some(check),
    analyses: &[
        (AnalysisKind::Logical, urgency),
        (AnalysisKind::Clusters, clusters_urgency),
        (AnalysisKind::Diagnosis, diagnosis_urgency),
    ],
    selections: &[SelectionKind::Span, SelectionKind::Event, SelectionKind::Message],
    picture: Picture::Rows { scene, pick: pick::pick, area: area::area, edge: area::edge },
};

fn check(store: &Store, request: &ViewRequest) -> Result<(), OptionError> {
    check_timeline_colour(store, request)?;
    counters::check(store, request)
}

/// Colours by logical time, the latest rank first, and a window of steps cannot do without it. Where a lateness came from is drawn if it is known.
fn urgency(request: &ViewRequest) -> Option<Urgency> {
    let options: EventOptions = request.options.checked();
    if matches!(options.colour, ColourBy::Metric | ColourBy::Phase | ColourBy::Kind) {
        return Some(Urgency::Required);
    }
    logical_urgency(request).or_else(|| request.emphasis.selected.as_ref().map(|_| Urgency::Welcome))
}

/// Colours by who waits for whom, the path, higher rows, and rows of the path cannot do without it.
fn diagnosis_urgency(request: &ViewRequest) -> Option<Urgency> {
    let is_needed = DiagnosisShown::of(request).is_needed();
    path_urgency(request).or_else(|| is_needed.then_some(Urgency::Required))
}

/// Up to so many spans are drawn one by one.
const MOST_RECTS: u64 = 50_000;
/// Spans of more locations than this are counted on a sample: it decides how to draw, and takes time.
const MOST_COUNTED: usize = 2_048;
/// Lower rows are only filled, not nested.
const NESTING_HEIGHT: f32 = 9.0;
/// Visiting this many spans takes no longer than a glance.
const MOST_VISITED: u64 = 2_000_000;

/// The picture.
fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let store = trace.store;
    let colours = request.colours(store);
    let mut palette = colours.palette();
    let drawn: EventOptions = request.options.checked();
    let asked: MetricOptions = request.options.checked();
    let inks = BlameInks::add(&mut palette, request.theme);
    let ramp = Ramp::add(&mut palette, request.theme, asked.palette);
    let picture = TimelinePicture::new(trace, request, &colours, (ramp, inks));
    let (valued, blamed) = (picture.valued.as_ref(), picture.blamed.as_ref());
    let plot = picture.plot;
    let title = format!("{} · timeline", store.name());
    let names = rows_have_names(store);
    let axes = (time_axis(picture.time, plot), picture.rows.axis(store, plot, request.framing, names));
    let count = picture.count();
    let is_explained = valued.is_none() && blamed.is_none() && request.framing == Framing::Figure;
    let legend = if is_explained { picture.legend(&count) } else { Vec::new() };
    let mut scene = frame(request, plot, title, axes, &colours, legend);
    scene.palette = palette;
    scene.legend.extend(valued.into_iter().flat_map(Valued::key));
    scene.colour_bar = valued.filter(|valued| valued.is_metric()).map(|valued| valued.scaled.bar(store));
    scene.colour_bar = scene.colour_bar.or_else(|| blamed.and_then(Blamed::bar));
    let is_single = picture.is_drawn_one_by_one(&count);
    if request.framing != Framing::Strip {
        scene.legend.extend(blamed.into_iter().flat_map(|blamed| blamed.key(is_single)));
    }
    scene.layers.push(Layer::Rects(if (valued.is_some() || blamed.is_some()) && is_single {
        picture.lanes()
    } else {
        vec![RectMark { rect: plot, colour: colours.compute(), span: SpanRow::NONE }]
    }));
    match blamed {
        Some(blamed) => picture.draw_blamed(blamed, &count, &mut scene),
        None if is_single => picture.draw_spans(&drawn, &count, &mut scene),
        None => picture.draw_cells(&count, &mut scene),
    }
    picture.draw_tracks(&mut scene);
    match trace.diagnosis.as_deref() {
        Some(diagnosed) => picture.draw_diagnosis(diagnosed, request, inks, &mut scene),
        None if DiagnosisShown::of(request).colour.is_some() => scene.notes.push(why_undiagnosed(store)),
        None => {}
    }
    if let Some(data) = &trace.logical
        && let Some(cause) = DrawnCause::of(trace, request)
    {
        picture.draw_cause(data, &cause, ramp, &mut scene);
    }
    if let Some(message) = request.emphasis.selected.as_ref().and_then(|selected| message_named(store, selected)) {
        scene.layers.push(Layer::Segments(vec![picture.selected_message(message)]));
    }
    picture.draw_exchanged(request, &mut scene);
    if let Some(span) = selected_span(trace, request) {
        scene.layers.push(Layer::Segments(picture.messages_of(span)));
        scene.layers.push(Layer::Rects(picture.selection(span)));
    }
    scene
}

impl TimelinePicture<'_> {
    /// Every span by itself, with messages between them.
    fn draw_spans(&self, drawn: &EventOptions, count: &Count, scene: &mut Scene) {
        let (rects, lost) = self.rects();
        scene.labels = self.names(&rects, &scene.palette);
        scene.layers.push(Layer::Rects(rects));
        scene.notes.push(self.drawn_note(count, lost));
        match if drawn.messages { self.messages() } else { Some(Vec::new()) } {
            Some(lines) if lines.is_empty() => {}
            Some(lines) => scene.layers.push(Layer::Segments(lines)),
            None => scene
                .notes
                .push("Message lines are left out: there are too many, or rows are too low for them.".to_owned()),
        }
    }

    /// Cells that stand for several spans, and rare ones on top.
    fn draw_cells(&self, count: &Count, scene: &mut Scene) {
        let (raster, note) = match &self.valued {
            Some(valued) => self.valued_raster(valued),
            None => self.raster(count),
        };
        scene.layers.push(Layer::Raster(raster));
        scene.notes.push(note);
        let rare = if self.valued.is_some() { Vec::new() } else { self.rare() };
        if !rare.is_empty() {
            scene.notes.push(format!(
                "{} spans of rare regions are drawn on top, at least a pixel wide each.",
                grouped(rare.len() as u64)
            ));
            scene.layers.push(Layer::Rects(rare));
        }
    }

    /// Who waits for whom.
    fn draw_blamed(&self, blamed: &Blamed<'_>, count: &Count, scene: &mut Scene) {
        if blamed.diagnosed.run.waits.list.is_empty() {
            scene.notes.push(nothing_to_compare(self.store).unwrap_or("No call waits for another rank.").to_owned());
        }
        if blamed.is_path() {
            scene.layers.push(Layer::Rects(self.path_marks(blamed.diagnosed, blamed.inks)));
        } else if self.is_drawn_one_by_one(count) {
            scene.layers.push(Layer::Rects(self.blamed_rects(blamed)));
        } else {
            let (raster, note) = self.blamed_raster(blamed, count);
            scene.layers.push(Layer::Raster(raster));
            scene.notes.push(note);
        }
    }
}

/// Why colours by who waits for whom are not there.
fn why_undiagnosed(store: &Store) -> String {
    nothing_to_compare(store).unwrap_or("The run is not diagnosed yet: colours are those of functions.").to_owned()
}

/// How many spans are in sight.
struct Count {
    spans: u64,
    is_exact: bool,
}

impl Count {
    fn text(&self) -> String {
        if self.is_exact {
            return grouped(self.spans);
        }
        // Three digits of a sample are more than it deserves, and enough.
        let digits = 10u64.pow(self.spans.max(1).ilog10().saturating_sub(2));
        format!("about {}", grouped(self.spans / digits * digits))
    }
}

/// What is to be drawn, and where.
struct TimelinePicture<'a> {
    store: &'a Store,
    colours: &'a Colours,
    emphasis: &'a Emphasis,
    time: (Ns, Ns),
    rows: Rows,
    plot: Rect,
    /// Colours by logical time, if they are asked for.
    valued: Option<Valued<'a>>,
    /// Colours by who waits for whom, if they are asked for.
    blamed: Option<Blamed<'a>>,
    /// Counters below rows, if they are asked for.
    tracks: Option<Tracks<'a>>,
}

impl<'a> TimelinePicture<'a> {
    /// `ramp` has the colours of values in the palette of the scene, `inks` those of who waits for whom.
    fn new(
        trace: &'a Trace<'_>,
        request: &'a ViewRequest,
        colours: &'a Colours,
        (ramp, inks): (Ramp, BlameInks),
    ) -> TimelinePicture<'a> {
        let store = trace.store;
        let plot = plot_area(store, request);
        let time = request.window.time(store);
        let rows = Rows::of(store, &request.window);
        let valued = Valued::new(trace.logical.as_ref(), request, ramp);
        let diagnosed = trace.diagnosis.as_deref();
        let blamed = Blamed::new(diagnosed, diagnosed.map(|diagnosed| diagnosed.index(store)), request, inks);
        let tracks = Tracks::new(store, request, &rows, plot);
        TimelinePicture { store, colours, emphasis: &request.emphasis, time, rows, plot, valued, blamed, tracks }
    }

    /// What one sees where spans are drawn one by one.
    fn drawn_note(&self, count: &Count, lost: usize) -> String {
        let spans = if count.spans == 1 { "span" } else { "spans" };
        let all = format!("{} {spans} of {}", count.text(), counted(self.rows.len() as u64, "location"));
        let callers = self.valued.as_ref().map_or("", |_| self.callers_words());
        match lost {
            0 => format!("{all}, each drawn{callers}."),
            1 => format!(
                "{all}, drawn one by one{callers}; one is too close to others for a pixel of its own: zoom in to see it."
            ),
            lost => format!(
                "{all}, drawn one by one{callers}; {} are too close to others for a pixel of their own: zoom in to see them.",
                grouped(lost as u64)
            ),
        }
    }

    /// Spans that begin in the window: those around it are as few as callers.
    fn count(&self) -> Count {
        let step = self.rows.len().div_ceil(MOST_COUNTED).max(1);
        let counted = |location: &LocationId| {
            let rows = beginning_in(self.store, *location, self.time);
            rows.end - rows.start
        };
        let sample: Vec<&LocationId> = self.rows.locations().iter().step_by(step).collect();
        let spans = sample.into_par_iter().map(counted).sum::<u64>() * step as u64;
        Count { spans, is_exact: step == 1 }
    }

    /// Whether every span becomes a rectangle. Spans thinner than a pixel are drawn a pixel wide: where they are a large part
    /// of all pixels they take the place of what takes the time. Where calls lie inside their callers, each has pixels of its
    /// own, and more of them can be told apart.
    fn is_drawn_one_by_one(&self, count: &Count) -> bool {
        let rows_are_single = self.rows.len() as f32 * 2.0 <= self.plot.height;
        let cells = self.rows.len() as u64 * self.plot.width as u64;
        let crowd = if self.row_height() >= NESTING_HEIGHT { cells / 2 } else { cells / 8 };
        rows_are_single && count.spans <= MOST_RECTS.min(crowd)
    }

    fn x(&self, time: Ns) -> f32 {
        x_of(self.time, self.plot, time)
    }

    /// The height of the calls of a usual row.
    fn row_height(&self) -> f32 {
        self.plot.height / self.rows.len().max(1) as f32 - self.tracks.as_ref().map_or(0.0, Tracks::most)
    }

    /// The upper edge of a row, or a place inside it.
    fn y(&self, row: f32) -> f32 {
        self.plot.y + self.plot.height * self.rows.edge(row)
    }

    /// The height of the calls of a row.
    fn height_of(&self, row: usize) -> f32 {
        let tracks = self.tracks.as_ref().map_or(0.0, |tracks| tracks.height(row));
        self.y(row as f32 + 1.0) - self.y(row as f32) - tracks
    }

    /// The colour of a region, receding where others stand out.
    fn colour(&self, region: RegionId) -> ColourId {
        let colour = self.colours.region(region);
        if self.emphasis.fades(region) { self.colours.faded(colour) } else { colour }
    }
}
