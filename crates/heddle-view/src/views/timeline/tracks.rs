//! Counters as tracks below the rows of the timeline: a lane for each counter of a row, with a scale of its own.
//!
//! A counter is below the row that it belongs to (`counter_rows`), and what belongs to no row is below the last one. Rows that stand
//! for several locations show all of theirs together. Each row has as many tracks as leave room for its calls; a note says what is left out.

use heddle_model::{MetricId, SpanRow};
use heddle_options::options;
use heddle_store::Store;
use heddle_store::index::Series;

use super::TimelinePicture;
use crate::lookup::counter_rows::{CounterRow, CounterRows};
use crate::lookup::counters::{metrics_named, value_with_unit};
use crate::request::ViewRequest;
use crate::request::picked::Picked;
use crate::request::rows::Rows;
use crate::request::window::shortened;
use crate::scene::theme::Colours;
use crate::scene::ticks::{counted, grouped};
use crate::scene::{Anchor, Label, Layer, Rect, RectMark, Scene};
use crate::views::counters::CountersOptions;
use crate::views::counters::lanes::{Inks, Lane, Lanes, Scale, draw};

options! {
    /// Whether counters are drawn below rows.
    pub(crate) struct TrackOptions {
        /// Draw counters as tracks below the rows of their locations, as many as there is room for; --metrics chooses which
        "tracks" tracks: bool = false,
    }
}

/// A track is at least, and at most, so high.
const HEIGHTS: (f32, f32) = (18.0, 46.0);
/// What calls keep of a row with tracks, at least.
const CALLS: f32 = 14.0;
/// Of higher rows tracks take no more than this share.
const SHARE: f32 = 0.65;
/// Size of names and ends of scales, and the height of their line.
const TEXT: f32 = 10.0;
const LINE: f32 = 12.0;

/// Tracks below the rows in sight.
pub(super) struct Tracks<'a> {
    lanes: Lanes<'a>,
    /// What all tracks of a row in sight take of its height.
    heights: Vec<f32>,
    /// How many rows could have tracks at once; none if those in sight do.
    too_many: Option<usize>,
}

impl<'a> Tracks<'a> {
    /// None if they are not asked for.
    pub(super) fn new(store: &'a Store, request: &ViewRequest, rows: &Rows, plot: Rect) -> Option<Tracks<'a>> {
        let asked: CountersOptions = request.options.checked();
        if !request.options.checked::<TrackOptions>().tracks || rows.is_empty() {
            return None;
        }
        let wanted = metrics_named(store, &asked.metrics).unwrap_or_default();
        let of_rows = by_row(store, request, rows, &wanted);
        let height = plot.height / rows.len() as f32;
        let room = ((height - CALLS) / HEIGHTS.0).max(0.0) as usize;
        let most = of_rows.iter().map(Vec::len).max().unwrap_or(0);
        let lanes = Lanes { store, time: request.window.time(store), plot, all: Vec::new(), left_out: 0 };
        let mut tracks = Tracks { lanes, heights: vec![0.0; rows.len()], too_many: None };
        if most == 0 {
            return Some(tracks);
        }
        // Where some rows are higher than others for another reason, each of them may be too low.
        if room == 0 || rows.are_unequal() {
            tracks.too_many = Some((plot.height / (CALLS + HEIGHTS.0)) as usize);
            return Some(tracks);
        }
        let each = (height * SHARE / room.min(most) as f32).clamp(HEIGHTS.0, HEIGHTS.1);
        for (row, of_row) in of_rows.into_iter().enumerate() {
            let shown = of_row.len().min(room);
            tracks.lanes.left_out += of_row.len() - shown;
            tracks.heights[row] = each * shown as f32;
            let bottom = plot.y + height * (row + 1) as f32;
            for (at, (metric, series)) in of_row.into_iter().take(room).enumerate() {
                let rect = Rect { y: bottom - each * (shown - at) as f32, height: each, ..plot };
                tracks.lanes.all.push(Lane { metric, reading: asked.reading(store, metric), series, rect });
            }
        }
        Some(tracks)
    }

    /// What tracks take of the height of a row in sight.
    pub(super) fn height(&self, row: usize) -> f32 {
        self.heights.get(row).copied().unwrap_or(0.0)
    }

    /// The most that tracks take of any row.
    pub(super) fn most(&self) -> f32 {
        self.heights.iter().copied().fold(0.0, f32::max)
    }

    /// The value of a track at a place.
    pub(super) fn pick(&self, colours: &Colours, at: (f32, f32)) -> Option<Picked> {
        self.lanes.pick(colours, at)
    }

    /// Draws all of them.
    fn draw(&self, colours: &Colours, scene: &mut Scene) {
        let inks = Inks::add(&mut scene.palette, colours);
        let mark = |rect: Rect, colour| RectMark { rect, colour, span: SpanRow::NONE };
        let (mut grounds, mut bands) = (Vec::new(), Vec::new());
        for lane in &self.lanes.all {
            grounds.push(mark(lane.rect, colours.background()));
            grounds.push(mark(Rect { height: 1.0, ..lane.rect }, colours.ink().line));
            let shown = self.lanes.shown(lane);
            let ends = (lane.rect.y + 3.0, lane.rect.y + lane.rect.height - 2.0);
            let scale = Scale::within(&shown.columns, ends);
            if let Some(scale) = &scale {
                bands.extend(draw(&shown.columns, scale, &inks));
            }
            self.write(lane, scale.as_ref(), scene);
        }
        let papers: Vec<RectMark> = scene
            .labels
            .iter()
            .rev()
            .take_while(|label| (label.size - TEXT).abs() < f32::EPSILON)
            .map(|label| {
                let width = label.text.chars().count() as f32 * TEXT * 0.62 + 6.0;
                let x = if label.anchor == Anchor::End { label.at.0 - width + 3.0 } else { label.at.0 - 3.0 };
                mark(Rect { x, y: label.at.1 - LINE + 3.0, width, height: LINE }, inks.paper)
            })
            .collect();
        scene.layers.push(Layer::Rects(grounds));
        scene.layers.push(Layer::Bands(bands));
        scene.layers.push(Layer::Rects(papers));
    }

    /// The name at the left of a track, and the ends of its scale at the right.
    fn write(&self, lane: &Lane, scale: Option<&Scale>, scene: &mut Scene) {
        let (rect, colour) = (lane.rect, scene.ink.strong);
        let name = shortened(&self.lanes.name(lane), ((rect.width * 0.6 / (TEXT * 0.62)) as usize).max(8));
        let mut label = |x: f32, y: f32, text: String, anchor: Anchor| {
            scene.labels.push(Label { at: (x, y), text, size: TEXT, colour, anchor });
        };
        label(rect.x + 5.0, rect.y + LINE - 1.0, name, Anchor::Start);
        let Some(scale) = scale else { return };
        let end = |value: f64| value_with_unit(self.lanes.store, lane.metric, value);
        let right = rect.x + rect.width - 5.0;
        label(right, rect.y + LINE - 1.0, end(scale.high), Anchor::End);
        if rect.height >= 2.0 * LINE + 2.0 {
            label(right, rect.y + rect.height - 3.0, end(scale.low), Anchor::End);
        }
    }

    fn note(&self) -> String {
        if self.lanes.store.metric_values.is_empty() {
            return "The trace has no counters to draw as tracks.".to_owned();
        }
        if let Some(most) = self.too_many {
            let rows = grouped(most as u64);
            return format!("Rows are too low for tracks of counters: zoom in to {rows} rows or fewer, or fold rows.");
        }
        if self.lanes.all.is_empty() {
            return "None of these rows has such a counter.".to_owned();
        }
        let drawn = counted(self.lanes.all.len() as u64, "track");
        let words = format!("{drawn} of counters, each with a scale of its own: least to largest value, line: mean");
        match self.lanes.left_out {
            0 => format!("{words}."),
            out => {
                format!("{words}; no room for {} more: choose some with --metrics, or zoom in.", grouped(out as u64))
            }
        }
    }
}

/// Counters and their series.
type OfRow = Vec<(MetricId, Vec<Series>)>;

/// The counters of each row in sight, in the order of the trace.
fn by_row(store: &Store, request: &ViewRequest, rows: &Rows, wanted: &[MetricId]) -> Vec<OfRow> {
    let mut of_rows: Vec<OfRow> = vec![Vec::new(); rows.len()];
    let places = CounterRows::new(store, &request.window, rows);
    for metric in wanted {
        for series in store.counters.series().filter(|series| series.metric == *metric) {
            let (row, is_shared) = match places.row_of(&series) {
                CounterRow::Own(row) => (row, true),
                CounterRow::OfProcess(row) => (row, false),
                CounterRow::OfNone => (rows.len() - 1, false),
                CounterRow::Elsewhere => continue,
            };
            match of_rows[row].last_mut() {
                // Places of their own are told apart, and so are locations without a row of their own.
                Some((known, all)) if known == metric && is_shared => all.push(series),
                _ => of_rows[row].push((*metric, vec![series])),
            }
        }
    }
    of_rows
}

impl TimelinePicture<'_> {
    /// The counters below the rows, and what to say of them.
    pub(super) fn draw_tracks(&self, scene: &mut Scene) {
        let Some(tracks) = &self.tracks else { return };
        scene.notes.push(tracks.note());
        tracks.draw(self.colours, scene);
    }

    /// The middle of the calls of a row, also beyond those in sight.
    pub(super) fn middle_of(&self, row: f32) -> f32 {
        let is_in_sight = row >= 0.0 && (row as usize) < self.rows.len();
        if is_in_sight { self.y(row) + self.height_of(row as usize) / 2.0 } else { self.y(row + 0.5) }
    }
}
