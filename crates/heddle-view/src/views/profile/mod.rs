//! Profile: how often and how long each function was called, as a table with bars, or as a tree of who calls whom, or rank by rank.
//!
//! A row is a function, a call path, or a rank. Its solid bar is time of its own, the pale one also what it calls, over all
//! ranks in sight. What one rank differs from others by stands beside it, with the rank. Rows are in the order of any column;
//! a search leaves what it finds, in a tree with the way there. What has no room is reached by scrolling; how far, what is
//! open and which row one is at are options like all others, so a link brings them back.

mod branches;
mod columns;
mod hands;
mod table;

use heddle_model::{Ns, SpanRow};
use heddle_options::{Count, Options, Words, options};

use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::request::window::shortened;
use crate::request::{Framing, ViewRequest};
use crate::scene::frame::{frame, outline};
use crate::scene::theme::Colours;
use crate::scene::ticks::{counted, duration_text};
use crate::scene::{Anchor, Axis, ColourId, Extent, Label, Layer, Rect, RectMark, Scene};
use crate::views::{AxisKind, Picture, ViewModule};
use branches::Line;
use columns::{HEAD, INDENT, KNOB, Layout, ROW, SCROLL};
use table::{Kind, Table};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "profile",
    about: "Time and calls of every function, as a list, as a tree of who calls whom, or rank by rank",
    axes: (AxisKind::Values, AxisKind::Values),
    options: ProfileOptions::specs,
    check: None,
    analyses: &[(AnalysisKind::Profile, |_| Some(Urgency::Required))],
    selections: &[],
    picture: Picture::Lines { scene, pick: hands::pick, step: hands::step },
};

options! {
    /// How a profile is listed.
    pub struct ProfileOptions {
        /// List call paths, each below what it was called from, rather than functions
        "tree" ("Call tree") tree: bool = false,
        /// List ranks, with the numbers of the selected or highlighted function, else of all calls
        "by-rank" ("By rank") by_rank: bool = false,
        /// What rows are sorted by, the largest first; time is exclusive in a list and inclusive in a tree
        "sort" ("Sort by") sort: SortBy = SortBy::Time,
        /// Sort the other way round
        "reverse" ("Reverse") reverse: bool = false,
        /// Only rows whose names contain this text, whatever the case; in a tree with the way to them
        "search" ("Search") search: String = String::new(),
        /// What is open in a tree: all, none, or what has room if neither is said; then +KEY and -KEY for call paths that are open or closed all the same
        "branches" ("Open call paths") branches: String = String::new(),
        /// Rows that are scrolled over
        "first-row" ("First row") first_row: Count<0, 100_000_000> = Count(0),
        /// The row that one is at, as the page writes it
        "row" ("Row") row: String = String::new(),
    }
}

/// What rows of a profile are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortBy {
    /// Exclusive time in a list, inclusive in a tree, so that the way to where time is spent comes first.
    Time,
    /// Time without what is called.
    Exclusive,
    /// Time with what is called.
    Inclusive,
    /// Number of calls.
    Calls,
    /// The mean duration of a call.
    Mean,
    /// The shortest call.
    Shortest,
    /// The longest call.
    Longest,
    /// Exclusive time of the rank that has most.
    Most,
    /// Exclusive time of the rank that has least.
    Least,
    /// How much more than the mean the rank with most exclusive time has.
    Imbalance,
    /// The name.
    Name,
}

impl Words for SortBy {
    const WORDS: &'static [(&'static str, SortBy)] = &[
        ("time", SortBy::Time),
        ("exclusive", SortBy::Exclusive),
        ("inclusive", SortBy::Inclusive),
        ("calls", SortBy::Calls),
        ("mean", SortBy::Mean),
        ("shortest", SortBy::Shortest),
        ("longest", SortBy::Longest),
        ("most", SortBy::Most),
        ("least", SortBy::Least),
        ("imbalance", SortBy::Imbalance),
        ("name", SortBy::Name),
    ];
}

const TEXT: f32 = 11.5;
/// Width of a character of a name, about.
const CHARACTER: f32 = 7.0;

/// The rows, and the first of them that is in sight.
fn laid_out(trace: &Trace<'_>, request: &ViewRequest, layout: &Layout) -> Option<(Table, usize)> {
    let options: ProfileOptions = request.options.checked();
    let table = Table::of(trace, request, layout.room)?;
    let first = layout.first(options.first_row.0, table.lines.len());
    Some((table, first))
}

/// How far to the right a row of a tree begins.
fn indent(layout: &Layout, depth: usize) -> f32 {
    (depth as f32 * INDENT).min(layout.names.1 * 0.5)
}

fn mark(rect: Rect, colour: ColourId) -> RectMark {
    RectMark { rect, colour, span: SpanRow::NONE }
}

/// The picture while it is made.
struct Drawing<'a> {
    trace: &'a Trace<'a>,
    request: &'a ViewRequest,
    colours: Colours,
    layout: Layout,
    table: Table,
    /// The most inclusive time of a row in sight: as long as the bars.
    longest: i64,
    marks: Vec<RectMark>,
    labels: Vec<Label>,
}

/// The picture.
fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let store = trace.store;
    let colours = request.colours(store);
    let options: ProfileOptions = request.options.checked();
    let layout = Layout::new(request, options.by_rank);
    let title = format!("{} · profile", store.name());
    let mut scene = frame(request, layout.area, title, (Axis::default(), Axis::default()), &colours, Vec::new());
    let Some((table, first)) = laid_out(trace, request, &layout) else { return scene };
    let shown: Vec<Line> = table.lines.iter().skip(first).take(layout.room).copied().collect();
    let longest = shown.iter().map(|line| table.folded(line.row).inclusive.total).max().unwrap_or(0);
    scene.y_axis.extent = Extent::Lines(first, first + shown.len(), table.lines.len());
    if let Some(subject) = table.subject(store).filter(|_| request.framing == Framing::Figure) {
        scene.title = format!("{} · {subject} by rank", store.name());
    }
    let (marks, labels) = (Vec::new(), Vec::new());
    let mut drawing = Drawing { trace, request, colours, layout, table, longest, marks, labels };
    drawing.head(&options);
    for (place, line) in shown.iter().enumerate() {
        drawing.row(place, line);
    }
    if request.framing.is_pane() {
        drawing.scroll(first, shown.len());
    }
    scene.notes = notes(&drawing.table, &shown, request.framing);
    scene.layers.push(Layer::Rects(drawing.marks));
    scene.labels = drawing.labels;
    scene
}

impl Drawing<'_> {
    fn write(&mut self, at: (f32, f32), text: String, colour: ColourId, anchor: Anchor) {
        self.labels.push(Label { at, text, size: TEXT, colour, anchor });
    }

    /// The heads of the columns; that which rows are sorted by says so.
    fn head(&mut self, options: &ProfileOptions) {
        let y = self.layout.area.y + HEAD - 8.0;
        let ink = self.colours.ink();
        let is_ranks = options.by_rank;
        let sort = match options.sort {
            SortBy::Time if options.tree && !is_ranks => SortBy::Inclusive,
            SortBy::Time => SortBy::Exclusive,
            sort => sort,
        };
        let up = options.reverse != (sort == SortBy::Name);
        let titled = |title: &str, leads: bool| match (leads, up) {
            (false, _) => (title.to_owned(), ink.faint),
            (true, true) => (format!("{title} ▴"), ink.strong),
            (true, false) => (format!("{title} ▾"), ink.strong),
        };
        let of = self.table.subject(self.trace.store).unwrap_or_else(|| "all calls".to_owned());
        let name = match (is_ranks, options.tree) {
            (true, _) => shortened(&format!("rank, {of}"), (self.layout.names.1 / CHARACTER) as usize - 2),
            (_, true) => "call path".to_owned(),
            _ => "function".to_owned(),
        };
        let (text, colour) = titled(&name, sort == SortBy::Name);
        self.write((self.layout.names.0, y), text, colour, Anchor::Start);
        let long = "time of its own, and with what it calls";
        let has_room = self.layout.bars.1 >= long.len() as f32 * CHARACTER;
        let text = if has_room { long } else { "time" }.to_owned();
        self.write((self.layout.bars.0, y), text, ink.faint, Anchor::Start);
        for (_, right, column) in self.layout.columns.clone() {
            let (text, colour) = titled(column.title(is_ranks), column.leads(sort));
            self.write((right - 4.0, y), text, colour, Anchor::End);
        }
    }

    fn row(&mut self, place: usize, line: &Line) {
        let store = self.trace.store;
        let ink = self.colours.ink();
        let area = self.layout.row(place);
        if place % 2 == 1 {
            self.marks.push(mark(area, ink.grid));
        }
        let region = self.table.region(line.row);
        let emphasis = &self.request.emphasis;
        let is_ranks = region.is_none();
        let fades = region.is_some_and(|region| emphasis.fades(region)) || !self.table.is_found(line.row);
        let subject =
            if let Kind::Ranks(Some(row)) = self.table.kind { self.table.regions(row).last().copied() } else { None };
        let own = region.or(subject).map_or(self.colours.message(), |region| self.colours.region(region));
        let pale = self.colours.faded(own);
        let solid = if fades { pale } else { own };
        self.bars(line, area, (solid, pale));
        let x = self.layout.names.0 + indent(&self.layout, line.depth);
        let y = area.y + ROW - 7.0;
        let text = if fades { ink.faint } else { ink.text };
        if let Some(is_open) = line.is_open {
            self.write((x, y), if is_open { "▾" } else { "▸" }.to_owned(), ink.text, Anchor::Start);
        }
        let x = if self.table.kind == Kind::Paths { x + KNOB } else { x };
        if !is_ranks {
            self.marks.push(mark(Rect { x, y: area.y + 6.0, width: 10.0, height: 10.0 }, solid));
        }
        let x = if is_ranks { x } else { x + 16.0 };
        let room = ((self.layout.names.0 + self.layout.names.1 - x - 6.0) / CHARACTER).max(4.0) as usize;
        let name = shortened(&self.table.name(store, line.row), room);
        self.write((x, y), name, text, Anchor::Start);
        for (_, right, column) in self.layout.columns.clone() {
            let said = column.text(store, &self.table, self.table.folded(line.row));
            self.write((right - 4.0, y), said, text, Anchor::End);
        }
        if self.table.is_current(store, self.request, line.row) {
            let inner = Rect { x: area.x - 6.0, y: area.y + 2.0, width: area.width - SCROLL + 10.0, height: ROW - 4.0 };
            self.marks.extend(outline(inner, self.colours.accent()));
        }
    }

    fn bars(&mut self, line: &Line, area: Rect, (solid, pale): (ColourId, ColourId)) {
        let folded = *self.table.folded(line.row);
        for (ns, colour) in [(folded.inclusive.total, pale), (folded.exclusive.total, solid)] {
            let width = (ns as f64 / self.longest.max(1) as f64) as f32 * self.layout.bars.1;
            if width <= 0.0 {
                continue;
            }
            let rect = Rect { x: self.layout.bars.0, y: area.y + 5.0, width: width.max(1.0), height: ROW - 10.0 };
            // Some colours recede: the end of a bar is seen in any case.
            let end = Rect { x: rect.x + rect.width - 1.0, width: 1.0, ..rect };
            self.marks.extend([mark(rect, colour), mark(end, self.colours.ink().faint)]);
        }
    }

    /// Where in a list that has no room one is.
    fn scroll(&mut self, first: usize, shown: usize) {
        let all = self.table.lines.len();
        if shown >= all {
            return;
        }
        let Rect { x, y, width, height } = self.layout.area;
        let track = Rect { x: x + width - 5.0, y: y + HEAD, width: 4.0, height: height - HEAD };
        let ink = self.colours.ink();
        let part = |rows: usize| rows as f32 / all as f32 * track.height;
        let long = part(shown).max(12.0);
        let from = track.y + (part(first)).min(track.height - long);
        self.marks.extend([mark(track, ink.grid), mark(Rect { y: from, height: long, ..track }, ink.faint)]);
    }
}

fn notes(table: &Table, shown: &[Line], framing: Framing) -> Vec<String> {
    let (all, ranks) = (table.len(), table.locations.len() as u64);
    if all == 0 {
        return vec!["No call has a part in this window.".to_owned()];
    }
    let what = match table.kind {
        Kind::Functions => "function",
        Kind::Paths => "call path",
        Kind::Ranks(_) => "rank",
    };
    let counts = "Calls count that have a part in the window, their time as far as it lies in it.";
    let first = match table.kind {
        Kind::Ranks(_) => format!("{}. {counts}", counted(all as u64, what)),
        _ => format!(
            "{} of {} together; numbers of one rank are exclusive times. {counts}",
            counted(all as u64, what),
            counted(ranks, "rank"),
        ),
    };
    let mut notes = vec![first];
    if table.lines.is_empty() {
        notes.push("No name has the text that is searched for.".to_owned());
    }
    let left = all - shown.len().min(all);
    if left > 0 && (framing == Framing::Figure || !table.lines.is_empty()) {
        notes.push(format!(
            "{} {} not in sight: {} of exclusive time.",
            counted(left as u64, &format!("further {what}")),
            if left == 1 { "is" } else { "are" },
            duration_text(table.left_out(shown))
        ));
    }
    notes
}

/// The time of all locations in a window.
pub(crate) fn time_of_all(time: (Ns, Ns), locations: usize) -> f64 {
    time.1.since(time.0) as f64 * locations as f64
}
