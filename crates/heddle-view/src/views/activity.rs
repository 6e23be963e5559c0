//! Activity: which share of the ranks is inside each function, over time, stacked.
//!
//! Exact: a column shows the time that all rows spent in a function between the column's edges, divided by
//! the time they had. Where very many spans are in sight, its edges are those of the index that are next to the
//! pixel's. Rows that only describe what others do are left out, so that time counts once. What stays empty is
//! what [`Rest`] says; what is hidden is neither.

use heddle_model::{Ns, RegionId, SpanRow};
use heddle_store::Store;
use heddle_store::index::RegionTimes;

use crate::analyses::Trace;
use crate::lookup::call_regions::Rest;
use crate::request::picked::Picked;
use crate::request::rows::Rows;
use crate::request::selection::Selection;
use crate::request::window::Window;
use crate::request::{Emphasis, Framing, ViewRequest};
use crate::scene::frame::{column_time, frame, has_beside, plot_area, time_axis};
use crate::scene::theme::Colours;
use crate::scene::ticks::{counted, duration_text, grouped, time_text_between};
use crate::scene::{Anchor, Axis, Band, ColourId, Label, Layer, LegendEntry, Rect, RectMark, Rgba, Scene, Tick};
use crate::views::stage_marks::mark_stages;
use crate::views::{AxisKind, Picture, ViewModule, no_options};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "activity",
    about: "Share of the ranks in each function over time, stacked",
    axes: (AxisKind::Time, AxisKind::Values),
    options: no_options,
    check: None,
    analyses: &[],
    selections: &[],
    picture: Picture::Flat { scene, pick },
};

/// Functions with a band of their own; the others share one.
const MOST_BANDS: usize = 10;

/// Spans that are visited rather than that the edges of columns are moved to those of the index.
const MOST_VISITS: u64 = 1 << 21;

/// Time spent in each region in each column, summed over locations.
pub struct ActivityColumns {
    /// The edges of the columns: those of the pixels, or so close to them that nobody sees it.
    pub edges: Vec<Ns>,
    /// Regions, the ones with most time in the whole trace first, with nanoseconds for each column.
    pub regions: Vec<(RegionId, Vec<u64>)>,
    /// Nanoseconds that all locations together had, for each column.
    pub available: Vec<u64>,
    /// How many locations.
    pub locations: usize,
    /// What is known of the rest of the time.
    pub rest: Rest,
    /// The farthest that an edge is from its pixel's, in nanoseconds.
    pub moved: u64,
}

impl ActivityColumns {
    /// Computes `columns` columns of the window.
    pub fn of(store: &Store, window: &Window, columns: u32) -> ActivityColumns {
        let time = window.time(store);
        let asked: Vec<Ns> = (0..=columns).map(|column| column_time(time, columns, column)).collect();
        let locations = Rows::of(store, &Window { rows: None, ..window.clone() }).counted(store);
        let RegionTimes { edges, mut regions } = store.region_times(&locations, &asked, MOST_VISITS);
        let totals = &store.regions.total;
        regions.sort_by_key(|(region, _)| (std::cmp::Reverse(totals.get(u64::from(region.0))), *region));
        let available =
            edges.windows(2).map(|edge| edge[1].since(edge[0]).unsigned_abs() * locations.len() as u64).collect();
        let rest = Rest::of(store, &locations);
        let distance = |(edge, pixel): (&Ns, &Ns)| edge.0.abs_diff(pixel.0);
        let moved = edges.iter().zip(&asked).map(distance).max().unwrap_or(0);
        ActivityColumns { edges, regions, available, locations: locations.len(), rest, moved }
    }
}

/// A band of the picture: its colour, what it is called, its region unless it stands for several, its times.
struct Part {
    colour: ColourId,
    name: String,
    region: Option<RegionId>,
    times: Vec<u64>,
}

impl Part {
    fn share(&self, columns: &ActivityColumns) -> f64 {
        let all = columns.available.iter().sum::<u64>().max(1);
        self.times.iter().sum::<u64>() as f64 / all as f64
    }
}

impl ActivityColumns {
    /// The share of the time in regions that are hidden, for each column and in all.
    fn hidden(&self, emphasis: &Emphasis) -> (Vec<u64>, f64) {
        let mut times = vec![0u64; self.available.len()];
        for (_, hidden) in self.regions.iter().filter(|(region, _)| emphasis.hides(*region)) {
            times.iter_mut().zip(hidden).for_each(|(sum, time)| *sum += time);
        }
        let share = times.iter().sum::<u64>() as f64 / self.available.iter().sum::<u64>().max(1) as f64;
        (times, share)
    }
}

/// The bands from the bottom up: the functions with most time each on its own, the rest together.
fn parts(store: &Store, columns: &ActivityColumns, colours: &Colours, emphasis: &Emphasis) -> Vec<Part> {
    let (own, rest) = columns.regions.split_at(columns.regions.len().min(MOST_BANDS));
    let colour = |region: RegionId| {
        let colour = colours.region(region);
        if emphasis.fades(region) { colours.faded(colour) } else { colour }
    };
    let is_shown = |(region, _): &&(RegionId, Vec<u64>)| !emphasis.hides(*region);
    let mut parts: Vec<Part> = own
        .iter()
        .filter(is_shown)
        .map(|(region, times)| Part {
            colour: colour(*region),
            name: store.regions.name.get(u64::from(region.0)).to_owned(),
            region: Some(*region),
            times: times.clone(),
        })
        .collect();
    if !rest.is_empty() {
        let mut times = vec![0; columns.available.len()];
        for (_, part) in rest.iter().filter(is_shown) {
            times.iter_mut().zip(part).for_each(|(sum, time)| *sum += time);
        }
        let colour = colour(RegionId::NONE);
        parts.push(Part { colour, name: format!("{} others", rest.len()), region: None, times });
    }
    parts
}

/// The picture.
fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let store = trace.store;
    let colours = request.colours(store);
    let time = request.window.time(store);
    let plot = plot_area(store, request);
    let columns = ActivityColumns::of(store, &request.window, plot.width as u32);
    let stack = parts(store, &columns, &colours, &request.emphasis);
    let (hidden_times, hidden) = columns.hidden(&request.emphasis);
    let rest = 1.0 - hidden - stack.iter().map(|part| part.share(&columns)).sum::<f64>();
    let mut legend: Vec<LegendEntry> = stack
        .iter()
        .map(|part| LegendEntry { colour: part.colour, name: part.name.clone(), value: percent(part.share(&columns)) })
        .collect();
    let mut others = vec![(colours.compute(), columns.rest.name(), rest)];
    if hidden > 0.0 {
        others.push((colours.background(), "hidden", hidden));
    }
    legend.extend(others.into_iter().map(|(colour, name, share)| LegendEntry {
        colour,
        name: name.to_owned(),
        value: percent(share),
    }));
    let title = format!("{} · activity", store.name());
    let mut scene = frame(request, plot, title, (time_axis(time, plot), Axis::default()), &colours, legend);
    let rows = columns.locations;
    let is_blank = hidden <= 0.0 && stack.iter().all(|part| part.share(&columns) <= 0.0);
    scene.notes.push(if is_blank {
        let all = request.window.locations(store).len();
        let without =
            if all > rows { "; rows that only annotate others are not counted, the timeline has them" } else { "" };
        format!("No time is spent in the functions that are counted here{without}.")
    } else {
        let they = if rows == 1 { "it" } else { "they" };
        let those = counted(rows as u64, "location");
        format!(
            "Height is the exact share of the time of {those} that {they} spent in each function, column by column."
        )
    });
    if columns.moved > 0 {
        let moved = duration_text(columns.moved.cast_signed());
        scene
            .notes
            .push(format!("Columns begin up to {moved} beside their pixels, by less than a fifth of their width."));
    }
    if let Some(efficiency) = efficiency_of(&columns) {
        if has_beside(request) {
            say_efficiency(efficiency, &colours, &mut scene);
        }
        scene.notes.push(format!("Efficiency: {} of their time is not spent in communication.", percent(efficiency)));
    }
    if request.framing != Framing::Strip {
        let parts: &[u16] = if plot.height > 150.0 { &[0, 25, 50, 75, 100] } else { &[0, 50, 100] };
        scene.y_axis.ticks = parts
            .iter()
            .map(|part| Tick {
                at: plot.y + plot.height * (1.0 - f32::from(*part) / 100.0),
                label: format!("{part} %"),
            })
            .collect();
    }
    scene.layers.push(Layer::Rects(vec![RectMark { rect: plot, colour: colours.compute(), span: SpanRow::NONE }]));
    let mut drawn = bands(&stack, &columns.available, plot);
    if hidden > 0.0 {
        drawn.push(gone(&hidden_times, &columns.available, plot, colours.background()));
    }
    scene.layers.push(Layer::Bands(drawn));
    if request.framing == Framing::Figure {
        mark_stages(store, &request.window, &colours, &mut scene);
    }
    scene
}

/// The band at a place.
fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let store = trace.store;
    let plot = plot_area(store, request);
    if !plot.contains(at) {
        return None;
    }
    let time = request.window.time(store);
    let column = ((at.0 - plot.x) as u32).min(plot.width as u32 - 1);
    let edges = [0, 1].map(|edge| column_time(time, plot.width as u32, column + edge));
    let window = Window { time: Some((edges[0], edges[1])), ..request.window.clone() };
    let columns = ActivityColumns::of(store, &window, 1);
    let colours = request.colours(store);
    let stack = parts(store, &columns, &colours, &Emphasis { highlighted: Vec::new(), ..request.emphasis.clone() });
    let height = f64::from((plot.y + plot.height - at.1) / plot.height);
    let mut reached = 0.0;
    let found = stack.iter().find(|part| {
        reached += part.share(&columns);
        height <= reached
    });
    let (_, hidden) = columns.hidden(&request.emphasis);
    let (title, colour, share) = match found {
        Some(part) => (part.name.as_str(), part.colour, part.share(&columns)),
        None if height > 1.0 - hidden => ("hidden", colours.background(), hidden),
        None => {
            let shown: f64 = stack.iter().map(|part| part.share(&columns)).sum();
            (columns.rest.name(), colours.compute(), 1.0 - hidden - shown)
        }
    };
    let (title, colour) = (title.to_owned(), scene_colour(&colours, colour));
    let ranks = share * columns.locations as f64;
    let lines = vec![
        format!("{} of the ranks, {ranks:.1} of {}", percent(share), grouped(columns.locations as u64)),
        time_text_between(edges[0], edges[1]),
    ];
    let select = found.filter(|part| part.region.is_some()).map(|part| Selection::Function(part.name.clone()));
    Some(Picked { title, colour, lines, select, toggles: None, sets: None, area: None })
}

fn scene_colour(colours: &Colours, colour: ColourId) -> Rgba {
    colours.palette()[usize::from(colour.0)]
}

/// Time in functions, summed over a window: the numbers beside a legend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Nanoseconds that all locations together had.
    pub available: u64,
    /// Nanoseconds they spent in each region that communicates; in all regions if none does.
    pub regions: Vec<(RegionId, u64)>,
    /// What is known of the rest.
    pub rest: Rest,
}

/// The efficiency of a window: the exact share of its time that the locations did not spend in communication. There is
/// none where that does not mean that they compute.
pub fn efficiency(store: &Store, window: &Window) -> Option<f64> {
    let columns = ActivityColumns::of(store, window, 1);
    efficiency_of(&columns)
}

fn efficiency_of(columns: &ActivityColumns) -> Option<f64> {
    let available: u64 = columns.available.iter().sum();
    let spent: u64 = columns.regions.iter().flat_map(|(_, times)| times).sum();
    let is_known = available > 0 && columns.rest == Rest::Computing;
    is_known.then(|| 1.0 - spent as f64 / available as f64)
}

/// The exact times of a window.
pub fn profile(store: &Store, window: &Window) -> Profile {
    let columns = ActivityColumns::of(store, window, 1);
    Profile {
        available: columns.available.iter().sum(),
        regions: columns.regions.iter().map(|(region, times)| (*region, times.iter().sum())).collect(),
        rest: columns.rest,
    }
}

/// Stacks the functions from the bottom up.
fn bands(stack: &[Part], available: &[u64], plot: Rect) -> Vec<Band> {
    let bottom = plot.y + plot.height;
    let mut reached = vec![0u64; available.len()];
    stack
        .iter()
        .map(|part| {
            let edge = |reached: &[u64]| -> Vec<f32> {
                let heights = reached.iter().zip(available).map(|(sum, all)| *sum as f64 / (*all).max(1) as f64);
                heights.map(|height| bottom - (height.min(1.0) as f32) * plot.height).collect()
            };
            let lower = edge(&reached);
            reached.iter_mut().zip(&part.times).for_each(|(sum, time)| *sum += time);
            Band { upper: edge(&reached), lower, colour: part.colour }
        })
        .collect()
}

/// What is hidden: bare ground from the top down.
fn gone(times: &[u64], available: &[u64], plot: Rect, colour: ColourId) -> Band {
    let share = |(time, all): (&u64, &u64)| (*time as f64 / (*all).max(1) as f64).min(1.0) as f32;
    let lower = times.iter().zip(available).map(|both| plot.y + share(both) * plot.height).collect();
    Band { upper: vec![plot.y; times.len()], lower, colour }
}

const EFFICIENCY_TEXT: f32 = 22.0;

/// The number that matters most, large, beside the plot.
fn say_efficiency(efficiency: f64, colours: &Colours, scene: &mut Scene) {
    let (ink, plot) = (colours.ink(), scene.plot);
    let x = plot.x + plot.width + 10.0;
    let mut say = |y: f32, text: &str, size: f32, colour: ColourId| {
        scene.labels.push(Label { at: (x, y), text: text.to_owned(), size, colour, anchor: Anchor::Start });
    };
    // In the middle of the plot, but not beside the axis below it, whose last label may reach as far.
    let lowest = plot.y + plot.height + 2.0;
    let all = ["efficiency:", "share of ranks", "that compute"];
    let room = |lines: usize| 4.0 + 14.0 * lines as f32;
    let words = if lowest - room(all.len()) >= EFFICIENCY_TEXT { &all[..] } else { &["efficiency"] };
    let y = (plot.y + plot.height / 2.0).min(lowest - room(words.len())).max(EFFICIENCY_TEXT - 4.0);
    say(y, &percent(efficiency), EFFICIENCY_TEXT, ink.strong);
    for (line, word) in words.iter().enumerate() {
        say(y + room(line + 1), word, 11.0, ink.text);
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share.max(0.0) * 100.0)
}
