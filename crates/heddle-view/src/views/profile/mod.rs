//! Profile: how often and how long each function was called, as a table with bars, or as a tree of who calls whom.
//!
//! A row is a function, or a call path. Its solid bar is time of its own, the pale one also what it calls, over all ranks in
//! sight. What one rank differs from others by stands beside it, with the rank. As many rows are shown as have room, the
//! largest of what they are sorted by; of a tree those with most time, so that the way to where time is spent is always there.

mod table;

use heddle_model::{LocationId, Ns, SpanRow};
use heddle_options::{Options, Words, options};
use heddle_profile::{Folded, Spread};
use heddle_store::Store;

use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::request::picked::Picked;
use crate::request::selection::Selection;
use crate::request::window::{row_name, shortened};
use crate::request::{Framing, ViewRequest};
use crate::scene::frame::frame;
use crate::scene::theme::Colours;
use crate::scene::ticks::{counted, duration_text, grouped};
use crate::scene::{Anchor, Axis, ColourId, Label, Layer, Rect, RectMark, Scene};
use crate::views::{AxisKind, Picture, ViewModule};
use table::{Listed, Table};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "profile",
    about: "Time and calls of every function, as a list or as a tree of who calls whom",
    axes: (AxisKind::Values, AxisKind::Values),
    options: ProfileOptions::specs,
    check: None,
    analyses: &[(AnalysisKind::Profile, |_| Some(Urgency::Required))],
    selections: &[],
    picture: Picture::Flat { scene, pick },
};

options! {
    /// How a profile is listed.
    pub struct ProfileOptions {
        /// List call paths, each below what it was called from, rather than functions
        "tree" ("Call tree") tree: bool = false,
        /// What rows are sorted by; exclusive in a tree means inclusive, so that the way to where time is spent comes first
        "sort" ("Sort by") sort: SortBy = SortBy::Exclusive,
    }
}

/// What rows of a profile are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortBy {
    /// Time without what is called.
    Exclusive,
    /// Time with what is called.
    Inclusive,
    /// Number of calls.
    Calls,
    /// The longest call.
    Longest,
    /// How much more than the mean the rank with most exclusive time has.
    Imbalance,
    /// The name.
    Name,
}

impl Words for SortBy {
    const WORDS: &'static [(&'static str, SortBy)] = &[
        ("exclusive", SortBy::Exclusive),
        ("inclusive", SortBy::Inclusive),
        ("calls", SortBy::Calls),
        ("longest", SortBy::Longest),
        ("imbalance", SortBy::Imbalance),
        ("name", SortBy::Name),
    ];
}

const ROW: f32 = 22.0;
const HEAD: f32 = 24.0;
const TEXT: f32 = 11.5;
/// Width of a character of a name, about.
const CHARACTER: f32 = 7.0;
const INDENT: f32 = 14.0;
/// Notes below a figure.
const BELOW: f32 = 44.0;

/// Where things are.
struct Layout {
    area: Rect,
    /// Where names begin and how wide they are, and the same of bars.
    names: (f32, f32),
    bars: (f32, f32),
    /// Right edges of the columns of numbers, and what they say.
    columns: Vec<(f32, Column)>,
    /// How many rows have room.
    room: usize,
}

/// A column of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Exclusive,
    Share,
    Inclusive,
    Calls,
    Longest,
    Mean,
    Most,
    Least,
}

impl Column {
    /// Those that go last when there is little room stand last here; with their widths.
    const ALL: [(Column, f32); 8] = [
        (Column::Exclusive, 82.0),
        (Column::Share, 56.0),
        (Column::Inclusive, 82.0),
        (Column::Calls, 84.0),
        (Column::Most, 172.0),
        (Column::Mean, 104.0),
        (Column::Longest, 172.0),
        (Column::Least, 172.0),
    ];

    fn title(self) -> &'static str {
        match self {
            Column::Exclusive => "exclusive",
            Column::Share => "of all",
            Column::Inclusive => "inclusive",
            Column::Calls => "calls",
            Column::Longest => "longest call",
            Column::Mean => "mean per rank",
            Column::Most => "most, on rank",
            Column::Least => "least, on rank",
        }
    }
}

impl Layout {
    fn new(request: &ViewRequest) -> Layout {
        let (width, height) = (request.size.width as f32, request.size.height as f32);
        let is_figure = request.framing == Framing::Figure;
        let (top, bottom) = if is_figure { (34.0, BELOW) } else { (2.0, 4.0) };
        let area = Rect { x: 14.0, y: top, width: (width - 28.0).max(1.0), height: (height - top - bottom).max(1.0) };
        let name = (area.width * 0.26).clamp(120.0, 420.0);
        let least_bar = (area.width * 0.16).clamp(60.0, 220.0);
        let mut left = area.width - name - least_bar;
        let fits = |(_, wide): &&(Column, f32)| {
            left -= wide;
            left >= 0.0
        };
        let shown: Vec<(Column, f32)> = Column::ALL.iter().take_while(fits).copied().collect();
        let numbers: f32 = shown.iter().map(|(_, wide)| wide).sum();
        let bars = (area.x + name, area.width - name - numbers - 10.0);
        let mut right = area.x + area.width - numbers;
        let columns = shown.into_iter().map(|(column, wide)| {
            right += wide;
            (right - 4.0, column)
        });
        let columns = columns.collect();
        let room = ((area.height - HEAD) / ROW).max(1.0) as usize;
        Layout { area, names: (area.x, name), bars, columns, room }
    }

    fn row(&self, at: usize) -> Rect {
        Rect { y: self.area.y + HEAD + at as f32 * ROW, height: ROW, ..self.area }
    }
}

/// Who spends most, or least: a number and the location.
fn at_location(store: &Store, locations: &[LocationId], (ns, at): (i64, usize)) -> String {
    match locations.get(at) {
        Some(location) => format!("{} on {}", duration_text(ns), row_name(store, *location)),
        None => duration_text(ns),
    }
}

/// The same for a column whose head says "on rank".
fn of_rank(store: &Store, locations: &[LocationId], (ns, at): (i64, usize)) -> String {
    let Some(location) = locations.get(at) else { return duration_text(ns) };
    let name = row_name(store, *location);
    let short = name.strip_prefix("rank ").unwrap_or(&name);
    format!("{}, {}", duration_text(ns), shortened(short, 14))
}

fn mean(spread: &Spread, locations: usize) -> i64 {
    spread.total / locations.max(1) as i64
}

fn share(ns: i64, all: f64) -> String {
    let percent = 100.0 * ns as f64 / all.max(1.0);
    if percent >= 10.0 { format!("{percent:.0} %") } else { format!("{percent:.1} %") }
}

/// What stands in a column.
fn text(store: &Store, table: &Table, row: &Folded, column: Column) -> String {
    match column {
        Column::Exclusive => duration_text(row.exclusive.total),
        Column::Share => share(row.exclusive.total, table.all),
        Column::Inclusive => duration_text(row.inclusive.total),
        Column::Calls => grouped(row.count),
        Column::Longest => of_rank(store, &table.locations, row.longest),
        Column::Mean => duration_text(mean(&row.exclusive, table.locations.len())),
        Column::Most => of_rank(store, &table.locations, row.exclusive.most),
        Column::Least => of_rank(store, &table.locations, row.exclusive.least),
    }
}

fn mark(rect: Rect, colour: ColourId) -> RectMark {
    RectMark { rect, colour, span: SpanRow::NONE }
}

/// The picture.
fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let store = trace.store;
    let colours = request.colours(store);
    let layout = Layout::new(request);
    let title = format!("{} · profile", store.name());
    let mut scene = frame(request, layout.area, title, (Axis::default(), Axis::default()), &colours, Vec::new());
    let Some(table) = Table::of(trace, request) else { return scene };
    let listed = table.listed(layout.room);
    let (mut marks, mut labels) = (Vec::new(), Vec::new());
    head(&layout, &scene, &mut labels);
    let longest = listed.iter().map(|listed| table.folded(listed).inclusive.total).max().unwrap_or(0);
    for (at, listed) in listed.iter().enumerate() {
        let place = layout.row(at);
        if at % 2 == 1 {
            marks.push(mark(place, scene.ink.grid));
        }
        draw_row(store, request, &colours, &layout, &table, listed, (place, longest), &mut marks, &mut labels, &scene);
    }
    scene.layers.push(Layer::Rects(marks));
    scene.labels = labels;
    scene.notes = notes(&table, &listed);
    scene
}

fn head(layout: &Layout, scene: &Scene, labels: &mut Vec<Label>) {
    let y = layout.area.y + HEAD - 8.0;
    let mut add = |x: f32, text: &str, anchor: Anchor| {
        labels.push(Label { at: (x, y), text: text.to_owned(), size: TEXT, colour: scene.ink.faint, anchor });
    };
    add(layout.names.0, "function", Anchor::Start);
    let long = "time of its own, and with what it calls";
    let has_room = layout.bars.1 >= long.len() as f32 * CHARACTER;
    add(layout.bars.0, if has_room { long } else { "time" }, Anchor::Start);
    for (right, column) in &layout.columns {
        add(*right, column.title(), Anchor::End);
    }
}

#[allow(clippy::too_many_arguments, reason = "a row of the picture needs all that the picture is made of")]
fn draw_row(
    store: &Store,
    request: &ViewRequest,
    colours: &Colours,
    layout: &Layout,
    table: &Table,
    listed: &Listed,
    (place, longest): (Rect, i64),
    marks: &mut Vec<RectMark>,
    labels: &mut Vec<Label>,
    scene: &Scene,
) {
    let (region, folded) = (table.region(listed), table.folded(listed));
    let fades = request.emphasis.fades(region);
    let own = colours.region(region);
    let (solid, pale) = (if fades { colours.faded(own) } else { own }, colours.faded(own));
    let bar = |ns: i64, inset: f32, colour: ColourId| {
        let width = (ns as f64 / longest.max(1) as f64) as f32 * layout.bars.1;
        let rect = Rect { x: layout.bars.0, y: place.y + inset, width, height: ROW - 2.0 * inset };
        let end = Rect { x: rect.x + width.max(1.0) - 1.0, width: 1.0, ..rect };
        // Some colours recede: the end of a bar is seen in any case.
        let bar = [mark(Rect { width: width.max(1.0), ..rect }, colour), mark(end, scene.ink.faint)];
        bar.into_iter().filter(move |_| width > 0.0)
    };
    marks.extend(bar(folded.inclusive.total, 5.0, pale));
    marks.extend(bar(folded.exclusive.total, 5.0, solid));
    let indent = (listed.depth as f32 * INDENT).min(layout.names.1 * 0.5);
    let x = layout.names.0 + indent;
    marks.push(mark(Rect { x, y: place.y + 6.0, width: 10.0, height: 10.0 }, solid));
    let y = place.y + ROW - 7.0;
    let room = ((layout.names.1 - indent - 22.0) / CHARACTER).max(4.0) as usize;
    let name = shortened(store.regions.name.get(u64::from(region.0)), room);
    let ink = if fades { scene.ink.faint } else { scene.ink.text };
    labels.push(Label { at: (x + 16.0, y), text: name, size: TEXT, colour: ink, anchor: Anchor::Start });
    for (right, column) in &layout.columns {
        let text = text(store, table, folded, *column);
        labels.push(Label { at: (*right, y), text, size: TEXT, colour: ink, anchor: Anchor::End });
    }
}

fn notes(table: &Table, listed: &[Listed]) -> Vec<String> {
    let (all, ranks) = (table.len(), table.locations.len() as u64);
    if all == 0 {
        return vec!["No call has a part in this window.".to_owned()];
    }
    let what = if table.is_tree { "call path" } else { "function" };
    let mut notes = vec![format!(
        "{} of {} together; numbers of one rank are exclusive times. Calls count that have a part in the window, their time as far as it lies in it.",
        counted(all as u64, what),
        counted(ranks, "rank"),
    )];
    let left = all - listed.len().min(all);
    if left > 0 {
        let time = table.left_out(listed);
        notes.push(format!(
            "{} have no room here: {} of exclusive time.",
            counted(left as u64, &format!("further {what}")),
            duration_text(time)
        ));
    }
    notes
}

/// The row at a place.
fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let store = trace.store;
    let layout = Layout::new(request);
    let row = (at.1 - layout.area.y - HEAD) / ROW;
    if !layout.area.contains(at) || row < 0.0 {
        return None;
    }
    let table = Table::of(trace, request)?;
    let listed = table.listed(layout.room);
    let listed = listed.get(row as usize)?;
    let (region, folded) = (table.region(listed), table.folded(listed));
    let name = store.regions.name.get(u64::from(region.0)).to_owned();
    let (locations, ranks) = (&table.locations, table.locations.len());
    let mut lines = vec![
        format!(
            "exclusive {}, {} of the time of all",
            duration_text(folded.exclusive.total),
            share(folded.exclusive.total, table.all)
        ),
        format!("inclusive {}", duration_text(folded.inclusive.total)),
        format!(
            "{}, the shortest {}, the longest {}",
            counted(folded.count, "call"),
            duration_text(folded.shortest.0),
            at_location(store, locations, folded.longest)
        ),
    ];
    if ranks > 1 {
        lines.push(format!(
            "exclusive: least {}, mean {}, most {}",
            at_location(store, locations, folded.exclusive.least),
            duration_text(mean(&folded.exclusive, ranks)),
            at_location(store, locations, folded.exclusive.most)
        ));
    }
    Some(Picked {
        title: table.path_text(store, listed),
        colour: request.colours(store).rgba(region),
        lines,
        select: Some(Selection::Function(name)),
        toggles: None,
        sets: None,
        area: Some(layout.row(row as usize)),
    })
}

/// The time of all locations in a window.
pub(crate) fn time_of_all(time: (Ns, Ns), locations: usize) -> f64 {
    time.1.since(time.0) as f64 * locations as f64
}
