//! Communication matrix: who sent how much to whom, ranks by ranks; how fast, and how long it was waited for.
//!
//! Rows send, columns receive. With more ranks than pixels a cell stands for several of either and shows what all of their
//! messages come to, so nothing is lost: a single pair among millions is still a cell of its own colour. Numbers come from the
//! sums of messages that are kept with the store, and are those that a look at each message would give.

mod area;
mod grid;

use heddle_model::{CommId, SpanRow};
use heddle_options::{OptionError, Options, options};
use heddle_profile::messages::Exchanged;
use heddle_store::Store;

use crate::analyses::{AnalysisKind, Trace, Urgency};
use crate::lookup::communicators::check_communicator;
use crate::questions::details::communicator_name;
use crate::request::ViewRequest;
use crate::request::arranged::{clusters_urgency, logical_urgency, path_urgency, row_specs};
use crate::request::picked::Picked;
use crate::request::selection::SelectionKind;
use crate::request::window::Window;
use crate::scene::frame::frame;
use crate::scene::ramp::{Palette, Ramp, Tone};
use crate::scene::theme::Colours;
use crate::scene::ticks::{bytes_text, counted, duration_text, grouped};
use crate::scene::{Anchor, ColourBar, ColourId, Label, Layer, Raster, RectMark, Scene};
use crate::views::{AxisKind, Picture, ViewModule};

use grid::Grid;
use grid::Volume;
pub(crate) use grid::bandwidth_text;

pub(crate) static VIEW: ViewModule = ViewModule {
    name: "matrix",
    about: "Who sent how much to whom, how fast, and who waited for it: senders by receivers",
    axes: (AxisKind::Columns, AxisKind::Rows),
    options: || MatrixOptions::specs().into_iter().chain(row_specs()).collect(),
    check: Some(check),
    analyses: &[
        (AnalysisKind::Messages, |_| Some(Urgency::Required)),
        (AnalysisKind::Logical, logical_urgency),
        (AnalysisKind::Clusters, clusters_urgency),
        (AnalysisKind::Diagnosis, path_urgency),
    ],
    selections: &[SelectionKind::Messages],
    picture: Picture::Areas { scene, pick, area: area::area },
};

options! {
    /// What the communication matrix shows.
    pub(crate) struct MatrixOptions {
        /// What cells show: bytes or messages that were sent; bandwidth, bytes per second from sending to completed receive; or wait, for how long a receive waited for its message
        "volume" ("Cells") volume: Volume = Volume::Bytes,
        /// Only calls, or messages, in this communicator, by its number
        "communicator" communicator: Option<CommId> = None,
    }
}

fn check(store: &Store, request: &ViewRequest) -> Result<(), OptionError> {
    check_communicator(store, "communicator", request.options.read::<MatrixOptions>()?.communicator)
}

/// The part of the colour scale that is left out at its lower end, so that the least value is still seen, on a cell of
/// one pixel.
const LEAST: f32 = 0.38;
/// Larger cells are told apart by lines between them.
const APART: f32 = 8.0;
/// Cells with room for their number: width and height in pixels.
const ROOM: (f32, f32) = (58.0, 18.0);
/// Bandwidths are longer.
const ROOM_FOR_BANDWIDTH: f32 = 72.0;
const TEXT: f32 = 11.0;

/// The picture.
fn scene(trace: &Trace<'_>, request: &ViewRequest) -> Scene {
    let store = trace.store;
    let MatrixOptions { volume, .. } = request.options.checked();
    let grid = Grid::new(trace, request);
    let cells = grid.cells();
    let colours = request.colours(store);
    let title = format!("{} · communication matrix", store.name());
    let mut scene = frame(request, grid.plot, title, grid.axes(request.framing), &colours, Vec::new());
    let ramp = Ramp::add(&mut scene.palette, request.theme, Palette::Sequential);
    let most = cells.iter().filter_map(|(_, sum)| volume.of(sum)).fold(0.0, f64::max);
    let share = |value: f64| LEAST + (1.0 - LEAST) * if most > 0.0 { (value / most) as f32 } else { 0.0 };
    let colour = |sum: &Exchanged| match volume.of(sum) {
        Some(value) => ramp.at(share(value), Tone::Full),
        None => ramp.missing(Tone::Full),
    };
    let all = grid.across as usize * grid.down as usize;
    let (mut shades, mut strength) = (vec![ColourId(0); all], vec![0; all]);
    for (at, sum) in &cells {
        shades[*at as usize] = colour(sum);
        strength[*at as usize] = u8::MAX;
    }
    scene.layers.push(Layer::Rects(vec![RectMark { rect: grid.plot, colour: colours.compute(), span: SpanRow::NONE }]));
    scene.layers.push(Layer::Raster(Raster { columns: grid.across, rows: grid.down, colours: shades, strength }));
    let scale = ramp.scale();
    let first = (LEAST * scale.len() as f32) as usize;
    scene.colour_bar = (most > 0.0).then(|| ColourBar {
        title: volume.title().to_owned(),
        colours: scale[first..].to_vec(),
        from: (0.0, "0".to_owned()),
        to: (most, volume.text(most)),
    });
    let (width, height) = grid.cell_size();
    if width >= APART && height >= APART {
        scene.layers.push(Layer::Rects(grid.lines(colours.background())));
    }
    let room = if volume == Volume::Bandwidth { ROOM_FOR_BANDWIDTH } else { ROOM.0 };
    if width >= room && height >= ROOM.1 {
        let numbers = cells.iter().filter_map(|(at, sum)| Some((at, sum, volume.of(sum)?)));
        let numbers = numbers.map(|(at, sum, value)| {
            let rect = grid.rect(at / grid.across, at % grid.across);
            Label {
                at: (rect.x + rect.width / 2.0, rect.y + rect.height / 2.0 + TEXT * 0.36),
                text: volume.text(value),
                size: TEXT,
                colour: Colours::ink_on(scene.palette[usize::from(colour(sum).0)]),
                anchor: Anchor::Middle,
            }
        });
        scene.labels = numbers.collect();
    }
    scene.layers.extend(area::marks(&grid, request, colours.accent()).map(Layer::Rects));
    scene.notes = notes(&grid, request, &cells);
    scene
}

fn notes(grid: &Grid<'_>, request: &ViewRequest, cells: &[(u32, Exchanged)]) -> Vec<String> {
    let mut all = Exchanged::default();
    for (_, sum) in cells {
        all.add(sum);
    }
    if all.messages == 0 {
        return vec![why_empty(grid.store, request)];
    }
    let comm = grid.wanted.communicator.map(|comm| format!(" in {}", communicator_name(grid.store, comm)));
    let mut notes = vec![format!(
        "{}{}, {} in all; rows send, columns receive.",
        counted(all.messages, "message"),
        comm.unwrap_or_default(),
        bytes_text(all.bytes)
    )];
    let each = |rows: usize, bands: u32| rows.div_ceil(bands as usize) as u64;
    let (senders, receivers) = (each(grid.senders.len(), grid.down), each(grid.receivers.len(), grid.across));
    let MatrixOptions { volume, .. } = request.options.checked();
    if senders > 1 || receivers > 1 {
        let does = match volume {
            Volume::Bytes | Volume::Messages => "adds up to",
            Volume::Bandwidth | Volume::Wait => "shows all messages of up to",
        };
        let words = format!("Each cell {does} {} senders and {} receivers.", grouped(senders), grouped(receivers));
        notes.push(words);
    }
    match volume {
        Volume::Bytes | Volume::Messages => {}
        Volume::Bandwidth => notes.push(
            "Bandwidth: bytes by the time from sending to completed receive, that of several messages added up.".to_owned(),
        ),
        Volume::Wait => notes.push(
            "Wait of a message: from the beginning of the call that completes its receive to that of the call that sends it."
                .to_owned(),
        ),
    }
    notes
}

/// Why there is no message in sight.
fn why_empty(store: &Store, request: &ViewRequest) -> String {
    let Window { time, rows, columns, ranks, main_only, .. } = &request.window;
    let MatrixOptions { communicator, .. } = request.options.checked();
    let is_limited = *main_only || time.is_some() || rows.is_some() || columns.is_some() || ranks.is_some();
    let summary = store.summary();
    if store.messages.is_empty() {
        let is_known = summary.unmatched_sends + summary.unmatched_receives == 0;
        let what = if is_known { "messages" } else { "message whose sender and receiver are both known" };
        return format!("The trace has no {what}.");
    }
    if let Some(comm) = communicator {
        let name = communicator_name(store, comm);
        return format!("No message in {name} goes from one of these rows to another in this window.");
    }
    if is_limited || request.window.arranged.is_some() || !request.emphasis.hidden.is_empty() {
        return "No message goes from one of these rows to another in this window.".to_owned();
    }
    // Every location with calls is a row here, all of the time.
    let messages = grouped(store.messages.len());
    format!("The trace has {messages} messages, but each begins or ends at a place without calls, which has no row.")
}

/// What is said of some messages, a line each.
fn lines(sum: &Exchanged) -> Vec<String> {
    let mut lines = vec![
        format!("{} in {}", bytes_text(sum.bytes), counted(sum.messages, "message")),
        format!("{} per message", bytes_text(sum.bytes / sum.messages.max(1))),
    ];
    lines.extend(sum.bandwidth().map(|bandwidth| format!("{} on the way", bandwidth_text(bandwidth))));
    lines.extend(sum.mean_wait().map(|wait| match wait.round() as i64 {
        0 => "No receive waited for them".to_owned(),
        wait => format!("{} of waiting per message", duration_text(wait)),
    }));
    lines
}

/// The cell at a place.
fn pick(trace: &Trace<'_>, request: &ViewRequest, at: (f32, f32)) -> Option<Picked> {
    let store = trace.store;
    let grid = Grid::new(trace, request);
    let (row, column) = grid.cell_at(at)?;
    let sum = grid.sum(row, column);
    if sum.messages == 0 {
        return None;
    }
    let mut palette = request.colours(store).palette();
    let colour = Ramp::add(&mut palette, request.theme, Palette::Sequential).at(1.0, Tone::Full);
    let (senders, receivers) = (grid.senders.band(row, grid.down), grid.receivers.band(column, grid.across));
    Some(Picked {
        title: format!(
            "{} to {}",
            area::who(store, &grid.senders, senders),
            area::who(store, &grid.receivers, receivers)
        ),
        colour: palette[usize::from(colour.0)],
        lines: lines(&sum),
        select: area::messages(&grid, row..row + 1, column..column + 1),
        toggles: None,
        sets: None,
        area: Some(grid.rect(row, column)),
    })
}
