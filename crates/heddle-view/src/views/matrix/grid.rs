//! What lies in the cells of the matrix: messages of a band of senders to a band of receivers, and what they are measured by.

use std::ops::Range;

use heddle_model::{LocationId, Ns, SpanRow};
use heddle_options::Words;
use heddle_profile::messages::{Exchanged, Messages, Parts, Wanted};
use heddle_store::Store;
use rayon::prelude::*;

use super::MatrixOptions;
use crate::analyses::Trace;
use crate::request::rows::Rows;
use crate::request::{Framing, ViewRequest};
use crate::scene::frame::plot_area;
use crate::scene::ticks::{bytes_text, duration_text, grouped};
use crate::scene::{Axis, ColourId, Rect, RectMark};

/// What cells show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Volume {
    /// Bytes that were sent.
    Bytes,
    /// Messages that were sent.
    Messages,
    /// Bytes per second while messages were on their way.
    Bandwidth,
    /// How long a message was waited for.
    Wait,
}

impl Words for Volume {
    const WORDS: &'static [(&'static str, Volume)] = &[
        ("bytes", Volume::Bytes),
        ("messages", Volume::Messages),
        ("bandwidth", Volume::Bandwidth),
        ("wait", Volume::Wait),
    ];
}

impl Volume {
    /// What is measured, as a title.
    pub(super) fn title(self) -> &'static str {
        match self {
            Volume::Bytes => "Bytes sent",
            Volume::Messages => "Messages sent",
            Volume::Bandwidth => "Mean bandwidth",
            Volume::Wait => "Mean wait",
        }
    }

    /// The value of some messages; none if there are none, or nobody knows.
    pub(super) fn of(self, sum: &Exchanged) -> Option<f64> {
        if sum.messages == 0 {
            return None;
        }
        match self {
            Volume::Bytes => Some(sum.bytes as f64),
            Volume::Messages => Some(sum.messages as f64),
            Volume::Bandwidth => sum.bandwidth(),
            Volume::Wait => sum.mean_wait(),
        }
    }

    /// What it takes to tell.
    fn parts(self) -> Parts {
        match self {
            Volume::Bytes | Volume::Messages => Parts::Lengths,
            Volume::Bandwidth => Parts::All,
            Volume::Wait => Parts::Wait,
        }
    }

    pub(super) fn text(self, value: f64) -> String {
        match self {
            Volume::Bytes => bytes_text(value as u64),
            Volume::Messages => grouped(value as u64),
            Volume::Bandwidth => bandwidth_text(value),
            Volume::Wait => duration_text(value.round() as i64),
        }
    }
}

/// Bytes per second.
pub(crate) fn bandwidth_text(bandwidth: f64) -> String {
    format!("{}/s", bytes_text(bandwidth.round() as u64))
}

/// Stands for a location that has no column in sight.
const NOWHERE: u32 = u32::MAX;

/// What is to be drawn, and where.
pub(super) struct Grid<'a> {
    pub(super) store: &'a Store,
    messages: Option<&'a Messages>,
    pub(super) wanted: Wanted,
    pub(super) time: (Ns, Ns),
    pub(super) senders: Rows,
    pub(super) receivers: Rows,
    pub(super) plot: Rect,
    /// Rows and columns of cells.
    pub(super) down: u32,
    pub(super) across: u32,
    /// The column of cells of each location.
    columns: Vec<u32>,
}

impl<'a> Grid<'a> {
    pub(super) fn new(trace: &'a Trace<'_>, request: &ViewRequest) -> Grid<'a> {
        let store = trace.store;
        let plot = plot_area(store, request);
        let senders = Rows::of(store, &request.window);
        let receivers = Rows::columns_of(store, &request.window);
        let (down, across) = (senders.bands(plot.height), receivers.bands(plot.width));
        let columns = (0..store.locations.len() as u32)
            .map(|at| receivers.row_for(LocationId(at)).map_or(NOWHERE, |column| receivers.band_of(column, across)));
        let MatrixOptions { communicator, volume } = request.options.checked();
        Grid {
            store,
            messages: trace.messages.as_deref(),
            wanted: Wanted { communicator, hidden: request.emphasis.hidden.clone(), parts: volume.parts() },
            time: request.window.time(store),
            columns: columns.collect(),
            senders,
            receivers,
            plot,
            down,
            across,
        }
    }

    /// Calls `add` with the column of what a band of senders sent to columns in sight.
    fn for_each(&self, band: u32, wanted: &Wanted, mut add: impl FnMut(u32, &Exchanged)) {
        let Some(messages) = self.messages else { return };
        for sender in self.senders.stood_for(self.senders.band(band, self.down)).iter() {
            messages.sent(self.store, *sender, self.time, wanted, |receiver, sum| {
                match self.columns.get(receiver.index()) {
                    Some(column) if *column != NOWHERE => add(*column, sum),
                    _ => {}
                }
            });
        }
    }

    /// The cells with any message, in their order: row by row, each from left to right.
    pub(super) fn cells(&self) -> Vec<(u32, Exchanged)> {
        // There are far more cells than pairs that exchange anything.
        let of_row = |(sums, met): &mut (Vec<Exchanged>, Vec<u32>), row: u32| {
            sums.resize(self.across as usize, Exchanged::default());
            self.for_each(row, &self.wanted, |column, sum| {
                let all = &mut sums[column as usize];
                if all.messages == 0 {
                    met.push(column);
                }
                all.add(sum);
            });
            met.sort_unstable();
            let cell = |column: u32| (row * self.across + column, std::mem::take(&mut sums[column as usize]));
            met.drain(..).map(cell).collect::<Vec<_>>()
        };
        let rows: Vec<Vec<(u32, Exchanged)>> =
            (0..self.down).into_par_iter().map_init(Default::default, of_row).collect();
        rows.concat()
    }

    /// All that there is to say of one cell.
    pub(super) fn sum(&self, row: u32, column: u32) -> Exchanged {
        let mut all = Exchanged::default();
        let wanted = Wanted { parts: Parts::All, ..self.wanted.clone() };
        self.for_each(row, &wanted, |to, sum| {
            if to == column {
                all.add(sum);
            }
        });
        all
    }

    /// Width and height of a cell.
    pub(super) fn cell_size(&self) -> (f32, f32) {
        (self.plot.width / self.across as f32, self.plot.height / self.down as f32)
    }

    /// Where a cell is.
    pub(super) fn rect(&self, row: u32, column: u32) -> Rect {
        let (width, height) = self.cell_size();
        Rect { x: self.plot.x + column as f32 * width, y: self.plot.y + row as f32 * height, width, height }
    }

    /// The row and the column of the cell at a place.
    pub(super) fn cell_at(&self, at: (f32, f32)) -> Option<(u32, u32)> {
        if !self.plot.contains(at) || self.senders.is_empty() || self.receivers.is_empty() {
            return None;
        }
        let (width, height) = self.cell_size();
        let place = |offset: f32, each: f32, count: u32| ((offset.max(0.0) / each) as u32).min(count - 1);
        Some((place(at.1 - self.plot.y, height, self.down), place(at.0 - self.plot.x, width, self.across)))
    }

    /// All that the rows, and the columns, of some cells stand for.
    pub(super) fn ends(&self, rows: Range<u32>, columns: Range<u32>) -> (Vec<LocationId>, Vec<LocationId>) {
        let all = |of: &Rows, cells: Range<u32>, count: u32| {
            let shown: Vec<LocationId> = cells.flat_map(|band| of.band(band, count).iter().copied()).collect();
            of.stood_for(&shown).into_owned()
        };
        (all(&self.senders, rows, self.down), all(&self.receivers, columns, self.across))
    }

    /// Lines between cells.
    pub(super) fn lines(&self, colour: ColourId) -> Vec<RectMark> {
        let plot = self.plot;
        let line = |rect: Rect| RectMark { rect, colour, span: SpanRow::NONE };
        let down = (1..self.down).map(|row| Rect { y: self.rect(row, 0).y - 0.5, height: 1.0, ..plot });
        let across = (1..self.across).map(|column| Rect { x: self.rect(0, column).x - 0.5, width: 1.0, ..plot });
        down.chain(across).map(line).collect()
    }

    pub(super) fn axes(&self, framing: Framing) -> (Axis, Axis) {
        let across = self.receivers.axis_across(self.store, self.plot, framing);
        let down = self.senders.axis(self.store, self.plot, framing, false);
        let is_figure = framing == Framing::Figure;
        let title = |what: &str| if is_figure { what.to_owned() } else { String::new() };
        (Axis { title: title("receiver"), ..across }, Axis { title: title("sender"), ..down })
    }
}
