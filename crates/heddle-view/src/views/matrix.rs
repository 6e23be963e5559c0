//! Communication matrix: who sent how much to whom, ranks by ranks.
//!
//! Rows send, columns receive. With more ranks than pixels a cell stands for several of either and shows their sum, so
//! nothing is lost: a single pair among millions is still a cell of its own colour.

use rayon::prelude::*;

use heddle_model::{LocationId, Ns, SpanRow};
use heddle_options::{Options, Words, options};
use heddle_store::Store;

use crate::analyses::{AnalysisKind, Trace};
use crate::lookup::messages::sent_between;
use crate::request::arranged::{clusters_urgency, logical_urgency, path_urgency, row_specs};
use crate::request::picked::Picked;
use crate::request::rows::Rows;
use crate::request::selection::Selection;
use crate::request::window::{RankSet, Window, row_name};
use crate::request::{Emphasis, Framing, ViewRequest};
use crate::scene::frame::{frame, plot_area};
use crate::scene::ramp::{Palette, Ramp, Tone};
use crate::scene::theme::Colours;
use crate::scene::ticks::{bytes_text, counted, grouped};
use crate::scene::{Anchor, Axis, ColourBar, ColourId, Label, Layer, Raster, Rect, RectMark, Scene};
use crate::views::{AxisKind, Picture, ViewModule};

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "matrix",
    about: "Who sent how much to whom: senders by receivers",
    axes: (AxisKind::Columns, AxisKind::Rows),
    options: || MatrixOptions::specs().into_iter().chain(row_specs()).collect(),
    check: None,
    analyses: &[
        (AnalysisKind::Logical, logical_urgency),
        (AnalysisKind::Clusters, clusters_urgency),
        (AnalysisKind::Diagnosis, path_urgency),
    ],
    selections: &[],
    picture: Picture::Flat { scene, pick },
};

options! {
    /// What the communication matrix counts.
    pub(crate) struct MatrixOptions {
        /// What cells add up
        "volume" volume: Volume = Volume::Bytes,
    }
}

/// What cells add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Volume {
    /// Bytes that were sent.
    Bytes,
    /// Messages that were sent.
    Messages,
}

impl Words for Volume {
    const WORDS: &'static [(&'static str, Volume)] = &[("bytes", Volume::Bytes), ("messages", Volume::Messages)];
}

/// The part of the colour scale that is left out at its lower end, so that the least volume is still seen, on a cell of
/// one pixel.
const LEAST: f32 = 0.38;
/// Larger cells are told apart by lines between them.
const APART: f32 = 8.0;
/// Cells with room for their number: width and height in pixels.
const ROOM: (f32, f32) = (58.0, 18.0);
const TEXT: f32 = 11.0;

/// Messages from some ranks to others.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    messages: u64,
    bytes: u64,
}

impl Sum {
    fn of(self, volume: Volume) -> u64 {
        match volume {
            Volume::Bytes => self.bytes,
            Volume::Messages => self.messages,
        }
    }
}

fn text(volume: Volume, value: u64) -> String {
    match volume {
        Volume::Bytes => bytes_text(value),
        Volume::Messages => grouped(value),
    }
}

/// What is to be drawn, and where.
struct Grid<'a> {
    store: &'a Store,
    emphasis: &'a Emphasis,
    time: (Ns, Ns),
    senders: Rows,
    receivers: Rows,
    plot: Rect,
    /// Rows and columns of cells.
    down: u32,
    across: u32,
}

impl<'a> Grid<'a> {
    fn new(store: &'a Store, request: &'a ViewRequest) -> Grid<'a> {
        let plot = plot_area(store, request);
        let senders = Rows::of(store, &request.window);
        let receivers = Rows::columns_of(store, &request.window);
        let (down, across) = (senders.bands(plot.height), receivers.bands(plot.width));
        let time = request.window.time(store);
        Grid { store, emphasis: &request.emphasis, time, senders, receivers, plot, down, across }
    }

    /// Calls `add` with the column and bytes of every message that some locations sent to columns in sight.
    fn for_each(&self, senders: &[LocationId], mut add: impl FnMut(u32, u64)) {
        let (messages, regions) = (&self.store.messages, &self.store.spans.region);
        for sender in self.senders.stood_for(senders).iter() {
            for message in sent_between(self.store, *sender, self.time) {
                let Some(column) = self.receivers.row_for(messages.recv_location.get(message)) else { continue };
                let call = messages.send_span.get(message);
                let is_hidden =
                    !self.emphasis.hidden.is_empty() && call.is_some() && self.emphasis.hides(regions.get(call.0));
                if !is_hidden {
                    add(self.receivers.band_of(column, self.across), messages.bytes.get(message));
                }
            }
        }
    }

    /// The sums of all cells, row by row.
    fn sums(&self) -> Vec<Sum> {
        let mut sums = vec![Sum::default(); self.down as usize * self.across as usize];
        sums.par_chunks_mut(self.across as usize).enumerate().for_each(|(row, sums)| {
            self.for_each(self.senders.band(row as u32, self.down), |column, bytes| {
                let sum = &mut sums[column as usize];
                sum.messages += 1;
                sum.bytes = sum.bytes.saturating_add(bytes);
            });
        });
        sums
    }

    fn cell(&self) -> (f32, f32) {
        (self.plot.width / self.across as f32, self.plot.height / self.down as f32)
    }

    /// Where a cell is.
    fn rect(&self, row: u32, column: u32) -> Rect {
        let (width, height) = self.cell();
        Rect { x: self.plot.x + column as f32 * width, y: self.plot.y + row as f32 * height, width, height }
    }

    /// Lines between cells.
    fn lines(&self, colour: ColourId) -> Vec<RectMark> {
        let plot = self.plot;
        let line = |rect: Rect| RectMark { rect, colour, span: SpanRow::NONE };
        let down = (1..self.down).map(|row| Rect { y: self.rect(row, 0).y - 0.5, height: 1.0, ..plot });
        let across = (1..self.across).map(|column| Rect { x: self.rect(0, column).x - 0.5, width: 1.0, ..plot });
        down.chain(across).map(line).collect()
    }

    fn axes(&self, framing: Framing) -> (Axis, Axis) {
        let across = self.receivers.axis_across(self.store, self.plot, framing);
        let down = self.senders.axis(self.store, self.plot, framing, false);
        let is_figure = framing == Framing::Figure;
        let title = |what: &str| if is_figure { what.to_owned() } else { String::new() };
        (Axis { title: title("receiver"), ..across }, Axis { title: title("sender"), ..down })
    }

    fn notes(&self, sums: &[Sum]) -> Vec<String> {
        let messages = sums.iter().map(|sum| sum.messages).sum();
        let bytes = sums.iter().fold(0u64, |all, sum| all.saturating_add(sum.bytes));
        let mut notes = vec![format!(
            "{}, {} in all; rows send, columns receive.",
            counted(messages, "message"),
            bytes_text(bytes)
        )];
        let each = |rows: &Rows, bands: u32| rows.len().div_ceil(bands as usize) as u64;
        let (senders, receivers) = (each(&self.senders, self.down), each(&self.receivers, self.across));
        if senders > 1 || receivers > 1 {
            notes.push(format!(
                "Each cell adds up to {} senders and {} receivers.",
                grouped(senders),
                grouped(receivers)
            ));
        }
        notes
    }
}

/// The picture.
fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let store = trace.store;
    let MatrixOptions { volume } = request.options.checked();
    let grid = Grid::new(store, request);
    let sums = grid.sums();
    let colours = request.colours(store);
    let title = format!("{} · communication matrix", store.name());
    let mut scene = frame(request, grid.plot, title, grid.axes(request.framing), &colours, Vec::new());
    let ramp = Ramp::add(&mut scene.palette, request.theme, Palette::Sequential);
    let most = sums.iter().map(|sum| sum.of(volume)).max().unwrap_or(0);
    let share = |value: u64| LEAST + (1.0 - LEAST) * (value as f64 / most.max(1) as f64) as f32;
    let colour = |value: u64| if value > 0 { ramp.at(share(value), Tone::Full) } else { ColourId(0) };
    scene.layers.push(Layer::Rects(vec![RectMark { rect: grid.plot, colour: colours.compute(), span: SpanRow::NONE }]));
    scene.layers.push(Layer::Raster(Raster {
        columns: grid.across,
        rows: grid.down,
        colours: sums.iter().map(|sum| colour(sum.of(volume))).collect(),
        strength: sums.iter().map(|sum| if sum.messages > 0 { u8::MAX } else { 0 }).collect(),
    }));
    let scale = ramp.scale();
    let first = (LEAST * scale.len() as f32) as usize;
    let name = if volume == Volume::Bytes { "Bytes sent" } else { "Messages sent" };
    scene.colour_bar = (most > 0).then(|| ColourBar {
        title: name.to_owned(),
        colours: scale[first..].to_vec(),
        from: (0.0, "0".to_owned()),
        to: (most as f64, text(volume, most)),
    });
    let (width, height) = grid.cell();
    if width >= APART && height >= APART {
        scene.layers.push(Layer::Rects(grid.lines(colours.background())));
    }
    if width >= ROOM.0 && height >= ROOM.1 {
        let numbers = sums.iter().enumerate().filter(|(_, sum)| sum.messages > 0).map(|(at, sum)| {
            let (row, column) = (at as u32 / grid.across, at as u32 % grid.across);
            let (rect, value) = (grid.rect(row, column), sum.of(volume));
            Label {
                at: (rect.x + rect.width / 2.0, rect.y + rect.height / 2.0 + TEXT * 0.36),
                text: text(volume, value),
                size: TEXT,
                colour: Colours::ink_on(scene.palette[usize::from(colour(value).0)]),
                anchor: Anchor::Middle,
            }
        });
        scene.labels = numbers.collect();
    }
    scene.notes = if most > 0 || sums.iter().any(|sum| sum.messages > 0) {
        grid.notes(&sums)
    } else {
        vec![why_empty(store, request)]
    };
    scene
}

/// Why there is no message in sight.
fn why_empty(store: &Store, request: &ViewRequest) -> String {
    let Window { time, rows, columns, ranks, main_only, .. } = &request.window;
    let is_limited = *main_only || time.is_some() || rows.is_some() || columns.is_some() || ranks.is_some();
    let summary = store.summary();
    if store.messages.is_empty() {
        let is_known = summary.unmatched_sends + summary.unmatched_receives == 0;
        let what = if is_known { "messages" } else { "message whose sender and receiver are both known" };
        return format!("The trace has no {what}.");
    }
    if is_limited || !request.emphasis.hidden.is_empty() {
        return "No message goes from one of these rows to another in this window.".to_owned();
    }
    // Every location with calls is a row here, all of the time.
    let messages = grouped(store.messages.len());
    format!("The trace has {messages} messages, but each begins or ends at a place without calls, which has no row.")
}

/// The cell at a place.
fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let store = trace.store;
    let grid = Grid::new(store, request);
    if !grid.plot.contains(at) || grid.senders.is_empty() || grid.receivers.is_empty() {
        return None;
    }
    let (width, height) = grid.cell();
    let row = (((at.1 - grid.plot.y) / height) as u32).min(grid.down - 1);
    let column = (((at.0 - grid.plot.x) / width) as u32).min(grid.across - 1);
    let (senders, receivers) = (grid.senders.band(row, grid.down), grid.receivers.band(column, grid.across));
    let mut sum = Sum::default();
    grid.for_each(senders, |to, bytes| {
        if to == column {
            sum.messages += 1;
            sum.bytes = sum.bytes.saturating_add(bytes);
        }
    });
    if sum.messages == 0 {
        return None;
    }
    let lines = vec![
        format!("{} in {}", bytes_text(sum.bytes), counted(sum.messages, "message")),
        format!("{} per message", bytes_text(sum.bytes / sum.messages)),
    ];
    let mut palette = request.colours(store).palette();
    let colour = Ramp::add(&mut palette, request.theme, Palette::Sequential).at(1.0, Tone::Full);
    Some(Picked {
        title: format!("{} to {}", who(store, &grid.senders, senders), who(store, &grid.receivers, receivers)),
        colour: palette[usize::from(colour.0)],
        lines,
        select: Some(Selection::Ranks(ranks(
            store,
            grid.senders.stood_for(senders).iter().chain(grid.receivers.stood_for(receivers).iter()),
        ))),
        toggles: None,
        sets: None,
        area: Some(grid.rect(row, column)),
    })
}

fn ranks<'a>(store: &Store, locations: impl Iterator<Item = &'a LocationId>) -> RankSet {
    let number = |at: &LocationId| {
        let rank = store.locations.rank.get(u64::from(at.0));
        if rank.is_some() { rank.0 } else { at.0 }
    };
    locations.map(number).collect()
}

fn who(store: &Store, rows: &Rows, locations: &[LocationId]) -> String {
    match locations {
        [one] => rows.group_label(*one).map_or_else(|| row_name(store, *one), str::to_owned),
        several => format!("ranks {}", ranks(store, several.iter())),
    }
}
