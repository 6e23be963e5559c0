//! Calls: every call of every rank in the window against time, whatever its rank.
//!
//! After Muelder, Gygi and Ma (2009). A call is a point, a line or an arch whose height is its duration (or its bytes, or
//! its rank); how many lie on each pixel decides how strong the pixel is. Calls are visited one by one while they are few
//! enough for that, and else taken from the index of calls: the counts are exact, and no call is more than a pixel from
//! its place. Where bytes, communicators or callers matter it is the index of their kinds, of chosen ranks an index of their calls, and
//! where heights are ranks the counts of groups of them, once those are there.

mod arches;
mod bands;
mod dense;
mod density;
mod drawn;
mod groups;
mod heights;
mod kinds;
mod longest;
mod looks;
mod margins;
mod measure;
pub(crate) mod options;
mod pick;
mod scatter;
mod selection;
mod shapes;
mod tally;
mod tiles;

use heddle_model::{LocationId, Ns};
use heddle_options::{OptionError, OptionSpec, Options};
use heddle_profile::chosen::ChosenCalls;
use heddle_store::Store;
use heddle_store::index::{CallEdge, CallIndex};

use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::lookup::communicators::check_communicator;
use crate::lookup::counters::{known_counters, metric_named};
use crate::lookup::enclosing::{beginning_in, spans_in};
use crate::lookup::traffic::Traffic;
use crate::request::print::PrintOptions;
use crate::request::rows::Rows;
use crate::request::selection::SelectionKind;
use crate::request::window::{Window, row_label, rows_have_names};
use crate::request::{Framing, ViewRequest};
use crate::scene::frame::{BESIDE, frame, has_beside, plot_area, time_axis};
use crate::scene::theme::Colours;
use crate::scene::ticks::{count_ticks, counted, grouped};
use crate::scene::{Axis, Extent, Layer, LegendEntry, OpacityMap, Rect, Scale, Scene, Spacing, Tick};
use crate::views::options::{ColourBy, EventOptions};
use crate::views::selected::selected_span;
use crate::views::stage_marks::mark_stages;
use crate::views::{AxisKind, Picture, ViewModule};

use bands::Bands;
use density::DensityBuffer;
use groups::ShownGroups;
use heights::{Heights, Unit};
use kinds::ShownKinds;
use looks::Looks;
use measure::Measure;
use options::{CallHeight, CallStyle, CallsOptions};
use tally::{Fine, Tally};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "calls",
    about: "Every call by time and duration, whatever its rank",
    axes: (AxisKind::Time, AxisKind::Values),
    options: specs,
    check: Some(check),
    analyses: &[
        (AnalysisKind::Kinds, |request| kinds::are_of_use(request).then_some(Urgency::Useful)),
        (AnalysisKind::ByRank, |request| groups::are_of_use(request).then_some(Urgency::Useful)),
        (AnalysisKind::Chosen, |request| is_chosen_of_use(request).then_some(Urgency::Useful)),
    ],
    selections: &[SelectionKind::Span, SelectionKind::Event],
    picture: Picture::Flat { scene, pick: pick::pick },
};

/// Its own options, and what colours mean, which other views have too.
fn specs() -> Vec<OptionSpec> {
    let colour = EventOptions::specs().into_iter().filter(|spec| spec.name == "colour");
    CallsOptions::specs().into_iter().chain(colour).collect()
}

/// Whether calls can be coloured as asked, and the trace has the counter and the communicator that are asked for.
pub(crate) fn check(store: &Store, request: &ViewRequest) -> Result<(), OptionError> {
    let options: CallsOptions = request.options.read()?;
    let wrong = |name: &str, why: String| Err(OptionError { name: name.to_owned(), why });
    let colour = request.options.read::<EventOptions>()?.colour;
    if !matches!(colour, ColourBy::Usual | ColourBy::Function | ColourBy::Caller) {
        return wrong("colour", "must be function or caller in the call view".to_owned());
    }
    if let CallHeight::Counter(name) = &options.y
        && metric_named(store, name).is_none()
    {
        return wrong("y", format!("must name a counter of the trace; {}", known_counters(store)));
    }
    check_communicator(store, "communicator", options.communicator)
}

/// Whether an index of the calls of chosen ranks is of use to a picture.
fn is_chosen_of_use(request: &ViewRequest) -> bool {
    let is_plain = || request.options.checked::<CallsOptions>().y == CallHeight::Duration;
    request.window.is_filtered() && is_plain() && !kinds::are_of_use(request)
}

/// Visiting this many calls takes no longer than a glance.
const MOST_VISITED: u64 = 3_000_000;
/// With more than this many the index takes less time, where its bins are narrow enough for the picture.
const MANY_CALLS: u64 = 500_000;
/// Visiting this many calls by rank takes little longer than a glance.
const MOST_BY_RANK: u64 = 8_000_000;
/// Visiting this many ranks takes long, however few calls they make.
const MANY_LOCATIONS: usize = 1 << 16;
/// More arches than this are not drawn one by one.
const MOST_ARCHES: u64 = 200_000;
/// Up to so many calls are drawn on cells of so many pixels: a single pixel is easily overlooked.
const CELLS: [(u64, u32); 2] = [(50_000, 3), (500_000, 2)];
/// Up to so many points are drawn on larger ones still. Lines are seen as they are.
const POINTS: [(u64, u32); 2] = [(300, 6), (3_000, 4)];
/// Levels among which percentiles are found.
const FINE: u32 = 2_048;
/// Room above the calls for how many there are along time, in pixels.
const HEADROOM: u32 = 34;
/// Lower plots have no such room.
const LEAST_HEIGHT: u32 = 140;

/// The picture.
fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let store = trace.store;
    let colours = request.colours(store);
    let picture = CallsPicture::new(trace, request, &colours, false);
    let is_arches = picture.options.style == CallStyle::Arches;
    if is_arches
        && picture.estimate <= 2 * MOST_ARCHES
        && !(picture.takes_whole_bins() && picture.has_tiles())
        && picture.certain_calls(MOST_ARCHES) <= MOST_ARCHES
        && let Some(arches) = picture.arches(MOST_ARCHES)
    {
        return picture.scene(trace, request, &colours, CallStyle::Arches, How::OneByOne, arches);
    }
    // Arches as high as something else than their duration are not in the index: they need their own width each.
    let style =
        if is_arches && picture.options.y != CallHeight::Duration { CallStyle::Lines } else { picture.options.style };
    let how = picture.how();
    picture.scene(trace, request, &colours, style, how, picture.find(style, how))
}

/// The picture made in one of two ways, whatever the number of calls, and for arches also each drawn by itself: for tests
/// that compare them. None if there are no tiles that could tell.
#[doc(hidden)]
pub fn calls_scene_from(trace: &Trace<'_>, request: &ViewRequest, tiles: bool) -> Option<Scene> {
    let colours = request.colours(trace.store);
    let picture = CallsPicture::new(trace, request, &colours, !tiles);
    let how = if tiles { How::Tiles } else { How::OneByOne };
    let style = picture.options.style;
    (!tiles || picture.has_tiles())
        .then(|| picture.scene(trace, request, &colours, style, how, picture.find(style, how)))
}

/// How the calls in sight were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    OneByOne,
    Tiles,
}

/// What is to be drawn, and where.
struct CallsPicture<'a> {
    store: &'a Store,
    options: CallsOptions,
    looks: Looks,
    plot: Rect,
    /// There is room beside the plot.
    has_beside: bool,
    time: (Ns, Ns),
    /// About how many calls are in sight.
    estimate: u64,
    /// Cells of the picture; its uppermost rows are kept free.
    columns: u32,
    rows: u32,
    headroom: u32,
    bands: Bands,
    columns_a_ns: f64,
    heights: Heights,
    /// The same values by their logarithm, finely: where percentiles are found.
    fine: Heights,
    calls_of: Rows,
    /// All locations are shown.
    is_whole: bool,
    /// The calls of those that are, where they are some and it is at hand.
    chosen: Option<&'a ChosenCalls>,
    /// Of the calls in sight, where they are visited and it takes messages to know them.
    traffic: Option<Traffic<'a>>,
    /// Kinds of calls, where they are of use and at hand.
    kinds: Option<ShownKinds<'a>>,
    /// Counts of groups of ranks, where they can tell what is asked for and are at hand.
    groups: Option<ShownGroups<'a>>,
    /// The least bytes above zero of a call in sight, where heights are bytes.
    least_bytes: u64,
    measure: Measure,
}

impl<'a> CallsPicture<'a> {
    /// With `visits`, calls are to be visited whatever their number.
    fn new(trace: &'a Trace<'_>, request: &'a ViewRequest, colours: &Colours, visits: bool) -> CallsPicture<'a> {
        let store = trace.store;
        let mut plot = plot_area(store, request);
        if request.framing == Framing::Figure {
            plot.width = (plot.width - BESIDE).max(1.0);
        }
        let has_beside = request.framing == Framing::Figure || has_beside(request);
        let options: CallsOptions = request.options.checked();
        let time = request.window.time(store);
        let calls_of = Rows::of(store, &Window { rows: None, ..request.window.clone() });
        let choice = request.window.choice(store);
        let chosen = trace.chosen.as_deref().filter(|chosen| Some(chosen.choice()) == choice.as_ref());
        let locations = calls_of.locations();
        let estimate = estimate(store, locations, time);
        let sizes: &[&[(u64, u32)]] = match options.style {
            // Arches are strong enough as they are.
            CallStyle::Arches => &[],
            CallStyle::Lines => &[&CELLS],
            CallStyle::PointsStart | CallStyle::PointsEnd => &[&POINTS, &CELLS],
        };
        let size = sizes.concat().into_iter().find(|(most, _)| estimate <= *most).map_or(1, |(_, size)| size);
        let cells = |pixels: f32| (pixels as u32 / size).max(1);
        let (columns, rows) = (cells(plot.width), cells(plot.height));
        let has_room = request.framing != Framing::Strip && plot.height as u32 >= LEAST_HEIGHT;
        let headroom = if has_room { HEADROOM / size } else { 0 };
        let looks = Looks::new(store, colours, &request.emphasis);
        let is_by_caller = request.options.checked::<EventOptions>().colour == ColourBy::Caller;
        let looks = if is_by_caller { looks.by_caller(store, colours, request) } else { looks };
        let counts = trace.by_rank.as_deref().filter(|_| groups::suit(store, &options, &looks, locations));
        let groups = counts.and_then(|counts| ShownGroups::new(counts, time.1.since(time.0), columns));
        let (bands, rows, headroom) = if options.y == CallHeight::Rank {
            let least = groups.as_ref().map_or(1, ShownGroups::size);
            let (bands, levels) = Bands::of(locations.len(), rows - headroom, least);
            // As many pixels as before, in levels of another height.
            let headroom = (headroom * levels).div_ceil((rows - headroom).max(1));
            (bands, levels + headroom, headroom)
        } else {
            (Bands::NONE, rows, headroom)
        };
        let measure = Measure::new(store, &options.y, &looks, locations, time);
        let kinds = trace.kinds.as_deref().filter(|_| kinds::are_of_use(request));
        let kinds = kinds.and_then(|kinds| ShownKinds::new(kinds, &looks, &options));
        let traffic = || Traffic::new(store, time, options.communicator);
        let traffic = (options.needs_traffic() && kinds.is_none()).then(traffic);
        let mut least_bytes = 1;
        let (range, is_all) = match (&options.y, options.durations, options.bytes) {
            (CallHeight::Counter(_), ..) => (measure.range(), true),
            (CallHeight::Duration, Some((least, most)), _) => {
                let longest = store.calls.durations().last().map_or(most.0, |after| after - 1);
                ((least.0, most.0.min(longest).max(least.0)), false)
            }
            (CallHeight::Bytes, _, filter) => {
                let (least, most) = match (&kinds, &traffic) {
                    (Some(kinds), _) => kinds.bytes_in(options.communicator, (time.0.0, time.1.0)),
                    (None, Some(traffic)) => bytes_range(store, traffic, &looks, locations, time),
                    (None, None) => (1, 1),
                };
                least_bytes = least;
                let (from, to) = filter.unwrap_or((1, most));
                let [from, to] = [from, to.min(most).max(from)].map(|bytes| bytes.min(1 << 60).cast_signed());
                ((from, to), filter.is_none())
            }
            _ => match store.calls.durations() {
                [shortest, .., after] if options.spacing() == Spacing::Linear => {
                    let longest = longest::longest(store, &looks, locations, time);
                    ((*shortest, longest.unwrap_or(after - 1).max(*shortest)), true)
                }
                [shortest, .., after] => ((*shortest, after - 1), true),
                _ => ((1, 1_000_000), true),
            },
        };
        let mut picture = CallsPicture {
            store,
            looks,
            plot,
            has_beside,
            time,
            estimate,
            columns,
            rows,
            headroom,
            bands,
            columns_a_ns: f64::from(columns) / time.1.since(time.0) as f64,
            fine: Heights::new(range, Spacing::Logarithmic, FINE, true),
            heights: Heights::new(range, options.spacing(), rows - headroom, is_all),
            options,
            calls_of,
            is_whole: choice.is_none(),
            chosen,
            least_bytes,
            traffic,
            kinds,
            groups,
            measure,
        };
        // Calls of the selected one's process are visited in any case.
        let visits = visits || picture.how() == How::OneByOne || request.emphasis.selected.is_some();
        if picture.traffic.is_none() && picture.lacks_traffic() && visits {
            picture.traffic = Some(Traffic::new(store, time, picture.options.communicator));
        }
        picture
    }

    /// Whether visiting calls takes messages and collectives, as kinds do not say all of their bytes.
    fn lacks_traffic(&self) -> bool {
        self.options.needs_traffic() && !self.kinds.as_ref().is_some_and(ShownKinds::is_exact)
    }

    /// Finds the calls in one of two ways.
    fn find(&self, style: CallStyle, how: How) -> Tally {
        if let (Some(groups), How::Tiles) = (&self.groups, how) {
            return self.bands_of_groups(groups, style);
        }
        match (style, how) {
            (CallStyle::Arches, How::OneByOne) => self.dense_arches_from_visits(),
            (CallStyle::Arches, How::Tiles) => self.dense_arches_from_tiles(),
            (_, How::OneByOne) if self.options.y == CallHeight::Rank => self.bands(style),
            (_, How::OneByOne) => self.scatter(style),
            (_, How::Tiles) => self.tiles(style),
        }
    }

    /// The picture of what was found.
    fn scene(
        &self,
        trace: &Trace<'_>,
        request: &ViewRequest,
        colours: &Colours,
        style: CallStyle,
        how: How,
        tally: Tally,
    ) -> Scene {
        let is_by_caller = self.looks.callers().is_some();
        // A key names what is in sight. The page has its own list of functions, and takes their numbers from here.
        let has_all = request.framing.is_pane() && !is_by_caller;
        let legend = self.looks.entries.iter().zip(&tally.calls).filter(|(_, calls)| has_all || **calls > 0);
        let legend = legend.map(|(entry, calls)| LegendEntry {
            colour: entry.colour,
            name: entry.name.clone(),
            value: grouped(*calls),
        });
        let legend: Vec<LegendEntry> = legend.collect();
        let title = format!("{} · calls", self.store.name());
        let mut scene = frame(
            request,
            self.plot,
            title,
            (time_axis(self.time, self.plot), Axis::default()),
            colours,
            legend.clone(),
        );
        if request.framing.is_pane() {
            scene.legend = legend;
        }
        scene.palette.extend_from_slice(self.looks.more_colours());
        let (total, without, zeros) = (tally.total(), tally.without, tally.stressed[0]);
        self.axis(zeros, &mut scene);
        let mut lines = Vec::new();
        if request.framing != Framing::Strip {
            margins::along(self, &tally, colours, &mut scene);
            margins::histogram(self, &tally, colours, &mut scene);
            lines = margins::percentiles(self, &tally, colours, &mut scene);
        }
        if request.framing == Framing::Figure {
            scene.legend_area.x += BESIDE;
            scene.legend_area.width -= BESIDE;
        }
        let (map, least) = (self.options.opacity, self.options.least.0);
        let layers: Vec<_> = tally.layers.into_iter().map(|grid| grid.finish(map, least)).collect();
        let most = layers.iter().map(|layer| layer.most).max().unwrap_or(0);
        let is_printed = request.options.checked::<PrintOptions>().shapes;
        // Whoever wants opacity in proportion wants counts.
        let are_shapes = is_printed && total <= shapes::MOST && how == How::OneByOne && map != OpacityMap::Linear;
        if are_shapes {
            self.shapes(style, &mut scene);
        } else {
            scene.layers.extend(layers.into_iter().map(Layer::Density));
        }
        scene.layers.push(Layer::Rects(lines));
        if let Some(span) = selected_span(trace, request) {
            self.select(span, style, colours, &mut scene);
        }
        scene.notes = self.notes(total, (!are_shapes).then_some(most), style, how, request.framing);
        if without > 0 {
            let name = self.measure.title();
            let are = if without == 1 { "is" } else { "are" };
            scene.notes.push(format!("{} without a value of {name} {are} not drawn.", counted(without, "call")));
        }
        // Figures have room for two or three lines.
        if let (Some(last), Some(more)) = (scene.notes.last_mut(), self.measure.note(zeros)) {
            *last = format!("{last} {more}");
        }
        if request.framing == Framing::Figure {
            mark_stages(self.store, &request.window, colours, &mut scene);
        }
        scene
    }

    /// How to find the calls.
    fn how(&self) -> How {
        if let Some(groups) = &self.groups {
            let is_fine = groups.bin_columns(self.columns_a_ns) <= 1.0;
            let most = if is_fine { MANY_CALLS } else { MOST_BY_RANK };
            return if self.estimate > most { How::Tiles } else { How::OneByOne };
        }
        let finest = self.index().levels(CallEdge::Start).first();
        let is_fine = finest.is_some_and(|level| level.bin_ns as f64 * self.columns_a_ns <= 1.0);
        let most = if is_fine { MANY_CALLS } else { MOST_VISITED };
        let is_long = self.estimate > most || self.takes_whole_bins();
        if is_long && self.has_tiles() { How::Tiles } else { How::OneByOne }
    }

    /// Whether nobody is visited, not even for the bins that the window's edges cut: there are very many ranks, and those
    /// bins are less than half a pixel.
    fn takes_whole_bins(&self) -> bool {
        let finest = self.index().levels(CallEdge::Start).first();
        self.calls_of.locations().len() > MANY_LOCATIONS
            && finest.is_some_and(|level| level.bin_ns as f64 * self.columns_a_ns <= 0.5)
    }

    /// In which style they are drawn.
    fn style(&self) -> CallStyle {
        let wanted = self.options.style;
        let is_duration = self.options.y == CallHeight::Duration;
        let has_many = || self.estimate > 2 * MOST_ARCHES || self.count() > MOST_ARCHES;
        if wanted == CallStyle::Arches && !is_duration && has_many() { CallStyle::Lines } else { wanted }
    }

    /// How many calls have a part in the window.
    fn count(&self) -> u64 {
        use rayon::prelude::*;
        let of_location = |at: usize| {
            let mut count = 0;
            self.visit(at, self.time_in_sight(), scatter::Having::Part, |_| count += 1);
            count
        };
        (0..self.calls_of.locations().len()).into_par_iter().map(of_location).sum()
    }

    /// The index that calls are taken from if there are many.
    fn index(&self) -> &'a CallIndex {
        let plain = self.chosen.map_or(&self.store.calls, ChosenCalls::index);
        self.kinds.as_ref().map_or(plain, ShownKinds::index)
    }

    /// Whether the index can tell what is asked for.
    fn has_tiles(&self) -> bool {
        if self.groups.is_some() {
            return true;
        }
        let index = self.index();
        let is_of_all = self.is_whole || (self.chosen.is_some() && self.kinds.is_none());
        let has_levels = !index.levels(CallEdge::Start).is_empty() && is_of_all;
        match (&self.kinds, &self.options.y) {
            (Some(_), CallHeight::Duration | CallHeight::Bytes) => has_levels,
            (None, CallHeight::Duration) => {
                let numbered = index.regions().len() < usize::from(u8::MAX) || self.looks.layers == 1;
                has_levels && numbered && self.looks.callers().is_none() && !self.options.needs_traffic()
            }
            _ => false,
        }
    }

    fn empty_tally(&self) -> Tally {
        Tally::new(&self.looks, self.columns, self.rows, self.levels())
    }

    /// The window; at the end of the run with what ends there.
    fn time_in_sight(&self) -> (Ns, Ns) {
        let is_end = self.time.1.0 >= self.store.summary().end_ns;
        (self.time.0, if is_end { Ns(i64::MAX) } else { self.time.1 })
    }

    /// Where a moment is, in columns.
    #[inline]
    fn place(&self, time: Ns) -> f64 {
        time.since(self.time.0) as f64 * self.columns_a_ns
    }

    /// The column of a moment, or the nearest one.
    #[inline]
    fn column(&self, time: Ns) -> u32 {
        (self.place(time).max(0.0) as u32).min(self.columns - 1)
    }

    /// Levels of height, from the bottom of the plot.
    fn levels(&self) -> u32 {
        self.rows - self.headroom
    }

    /// The row of a level.
    #[inline]
    fn row(&self, level: u32) -> u32 {
        self.rows - 1 - level
    }

    /// Width and height of a cell in pixels.
    fn cell(&self) -> (f32, f32) {
        (self.plot.width / self.columns as f32, self.plot.height / self.rows as f32)
    }

    /// The x of a moment, in pixels of the picture.
    fn x(&self, time: Ns) -> f32 {
        self.plot.x + self.place(time) as f32 * self.cell().0
    }

    /// Where calls are drawn.
    fn area(&self) -> Rect {
        let headroom = self.headroom as f32 * self.cell().1;
        Rect { y: self.plot.y + headroom, height: self.plot.height - headroom, ..self.plot }
    }

    /// The levels that a call at a level is drawn on.
    #[inline]
    fn levels_of(&self, level: u32) -> std::ops::Range<u32> {
        let first = level + (self.bands.levels - self.bands.filled) / 2;
        first..first + self.bands.filled
    }

    /// The middle of what is drawn at a level, in pixels of the picture.
    fn y(&self, level: u32) -> f32 {
        let levels = self.levels_of(level);
        self.plot.y + (self.rows as f32 - levels.start as f32 - self.bands.filled as f32 / 2.0) * self.cell().1
    }

    /// The height of a band, in pixels; nothing where there are none.
    fn band_height(&self) -> f32 {
        if self.options.y == CallHeight::Rank { self.bands.filled as f32 * self.cell().1 } else { 0.0 }
    }

    /// Where a value is counted among those that stand out: first what is zero or less, then by fine level.
    #[inline]
    fn fine_level(&self, value: i64) -> Option<Fine> {
        let place = if value <= 0 { Some(0) } else { self.fine.level(value).map(|level| level + 1) };
        place.map(|place| Fine { place, value })
    }

    /// Ticks and title of the vertical axis.
    /// The vertical axis; there are so many calls of nothing.
    fn axis(&self, zeros: u64, scene: &mut Scene) {
        let area = self.area();
        let ticks = |unit| self.heights.ticks(area, unit, |value| self.measure.text(value));
        let ticks = match self.options.y {
            CallHeight::Duration => ticks(Unit::Nanoseconds),
            CallHeight::Bytes => self.bytes_ticks(zeros, ticks(Unit::Bytes)),
            CallHeight::Counter(_) => ticks(Unit::Counted),
            CallHeight::Rank => {
                let names = rows_have_names(self.store);
                let label = |row: usize| row_label(self.store, self.calls_of.locations()[row], names);
                count_ticks(0..self.calls_of.locations().len(), area.y, area.height, 16.0, label)
            }
        };
        let value = |share: f64| self.heights.value(share) / self.measure.scale();
        let (upper, lower, spacing) = match self.options.y {
            CallHeight::Rank => (0.0, self.calls_of.locations().len() as f64, Spacing::Linear),
            _ => (value(1.0), value(0.0), self.options.spacing()),
        };
        let (top, bottom) = (area.y, area.y + area.height);
        scene.y_axis.extent = Extent::Scaled(Scale { upper, lower, spacing, top, bottom });
        scene.y_axis.ticks = ticks;
        self.measure.title().clone_into(&mut scene.y_axis.title);
    }

    /// Where a logarithm begins, at one byte, lie the calls of none: what nobody has is not said there.
    fn bytes_ticks(&self, zeros: u64, mut ticks: Vec<Tick>) -> Vec<Tick> {
        if self.least_bytes > 1 {
            let (one, none) = (self.measure.text(1), self.measure.text(0));
            ticks.retain(|tick| tick.label != one || zeros > 0);
            ticks.iter_mut().filter(|tick| tick.label == one).for_each(|tick| tick.label.clone_from(&none));
        }
        ticks
    }

    fn notes(&self, total: u64, most: Option<u32>, style: CallStyle, how: How, framing: Framing) -> Vec<String> {
        let what = match style {
            CallStyle::PointsStart => "calls start in the window, each a point at its start",
            CallStyle::PointsEnd => "calls end in the window, each a point at its end",
            CallStyle::Lines => "calls in the window, each a line from its start to its end",
            CallStyle::Arches => "calls in the window, each an arch from its start to its end",
        };
        let opacity = match self.options.opacity {
            // The page chooses by itself.
            _ if framing.is_pane() => "",
            OpacityMap::Logarithmic => ", opacity grows with the logarithm of their number",
            OpacityMap::Linear => ", opacity is proportional to their number",
            OpacityMap::Alpha(_) => ", each is blended over the others in 8 bits",
        };
        let mut notes = vec![match most {
            Some(most) => {
                format!("{} {what}; up to {} in one place{opacity}.", grouped(total), grouped(u64::from(most)))
            }
            None => format!("{} {what}.", grouped(total)),
        }];
        if self.options.style != style {
            let most = grouped(MOST_ARCHES);
            notes.push(format!(
                "Lines instead of arches: there are more than {most} calls, and y is not their duration."
            ));
        }
        let mut found = match how {
            How::OneByOne => String::from("Every call was visited."),
            How::Tiles => self.groups.as_ref().map_or_else(|| self.tiles_note(), |groups| self.groups_note(groups)),
        };
        if self.looks.callers().is_some() {
            found.push_str(" Its colour is that of the nearest function around it that does not communicate.");
        }
        notes.push(found);
        notes
    }
}

/// The least bytes above zero and the most of all calls that are drawn.
fn bytes_range(
    store: &Store,
    traffic: &Traffic,
    looks: &Looks,
    locations: &[LocationId],
    time: (Ns, Ns),
) -> (u64, u64) {
    use rayon::prelude::*;
    let of_location = |location: &LocationId| {
        let mut in_sight = spans_in(store, *location, time);
        in_sight.around.retain(|row| looks.of(store.spans.region.get(*row)).is_some());
        let calls = traffic.of_spans(*location, &in_sight);
        let bytes = calls.into_iter().map(|(_, bytes)| bytes).filter(|bytes| *bytes > 0);
        bytes.fold((u64::MAX, 1), |(least, most), bytes| (least.min(bytes), most.max(bytes)))
    };
    let merged = |a: (u64, u64), b: (u64, u64)| (a.0.min(b.0), a.1.max(b.1));
    locations.par_iter().map(of_location).reduce(|| (u64::MAX, 1), merged)
}

/// About how many calls begin in a window, before filters.
fn estimate(store: &Store, locations: &[LocationId], time: (Ns, Ns)) -> u64 {
    let Some(level) = store.calls.levels(CallEdge::Start).first() else {
        let count = |rows: std::ops::Range<u64>| rows.end - rows.start;
        return locations.iter().map(|location| count(beginning_in(store, *location, time))).sum();
    };
    let bin = |time: Ns| (time.0.max(0) / level.bin_ns).min(i64::from(level.bins)) as u32;
    let all = store.calls.calls(level, bin(time.0)..bin(time.1).saturating_add(1));
    (all as f64 * locations.len() as f64 / store.locations.len().max(1) as f64) as u64
}
