//! What each column of ranks costs the others, and how it spends its own time.

use rayon::prelude::*;

use heddle_diagnosis::efficiency::Classes;
use heddle_model::{LocationId, Ns};

use crate::analyses::Trace;
use crate::diagnosed::{Diagnosed, Index};
use crate::questions::diagnosis::nothing_to_compare;
use crate::request::ViewRequest;
use crate::request::rows::Rows;
use crate::request::window::Window;
use crate::scene::Rect;
use crate::scene::ticks::{counted, grouped};

/// Ranks whose own time is worked out: of columns of more, some stand for all.
const MOST_ASKED: usize = 4_096;
/// Calls in a window that are visited for costs; of more they come from tiles.
const MOST_VISITED: u64 = 2_000_000;

/// One rank, or several.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Column {
    /// What the dearest of them costs the others, as a share of the time of all ranks.
    pub(super) cost: f64,
    /// Which that is, if it costs anything.
    pub(super) dearest: Option<LocationId>,
    /// Mean shares of their own time.
    pub(super) waiting: f64,
    pub(super) communication: f64,
    pub(super) other: f64,
}

impl Column {
    pub(super) fn useful(&self) -> f64 {
        (1.0 - self.waiting - self.communication - self.other).max(0.0)
    }
}

/// All that is to be drawn.
pub(super) struct Values {
    pub(super) ranks: Rows,
    pub(super) columns: Vec<Column>,
    /// The time of all ranks in the window.
    pub(super) all: f64,
    notes: Vec<String>,
}

impl Values {
    pub(super) fn new(trace: &Trace<'_>, request: &ViewRequest, plot: Rect) -> Values {
        let window = Window { main_only: trace.store.summary().ranks > 0, ..request.window.clone() };
        let ranks = Rows::columns_of(trace.store, &window);
        let time = request.window.time(trace.store);
        let count = ranks.bands(plot.width);
        let Some(diagnosed) = trace.diagnosis.as_deref() else {
            let notes = vec![nothing_to_compare(trace.store).unwrap_or("The run is not diagnosed yet.").to_owned()];
            return Values { ranks, columns: Vec::new(), all: 1.0, notes };
        };
        let index = diagnosed.index(trace.store);
        let all = (time.1.since(time.0) as f64 * index.locations.len() as f64).max(1.0);
        let costs = Costs { trace, diagnosed, index, time };
        let of_ranks = costs.of(ranks.locations());
        let mut columns = vec![Column::default(); if ranks.is_empty() { 0 } else { count as usize }];
        for (row, (cost, location)) in of_ranks.iter().zip(ranks.locations()).enumerate() {
            let column = &mut columns[ranks.band_of(row, count) as usize];
            if cost / all > column.cost {
                (column.cost, column.dearest) = (cost / all, Some(*location));
            }
        }
        let each = ranks.len().div_ceil(MOST_ASKED.max(columns.len())).max(1);
        costs.add_own(&ranks, &mut columns, each);
        let mut values = Values { ranks, columns, all, notes: Vec::new() };
        values.notes = values.told(diagnosed, each, trace);
        values
    }

    pub(super) fn notes(self) -> Vec<String> {
        self.notes
    }

    fn told(&self, diagnosed: &Diagnosed, each: usize, trace: &Trace<'_>) -> Vec<String> {
        if diagnosed.run.waits.list.is_empty() {
            return vec![nothing_to_compare(trace.store).unwrap_or("No call waits for another rank.").to_owned()];
        }
        let mut notes =
            vec!["Above: what each costs the others, in % of the time of all ranks; below: its own time.".to_owned()];
        let most = self.ranks.len().div_ceil(self.columns.len().max(1));
        if most > 1 {
            let sample = if each > 1 { format!(", of one in {}", grouped(each as u64)) } else { String::new() };
            notes.push(format!(
                "Each column stands for up to {}: above the dearest, below the mean{sample}.",
                counted(most as u64, "rank")
            ));
        }
        notes
    }
}

/// What costs are made of.
struct Costs<'a> {
    trace: &'a Trace<'a>,
    diagnosed: &'a Diagnosed,
    index: &'a Index,
    time: (Ns, Ns),
}

impl Costs<'_> {
    /// What each of some locations costs the others in the window, in nanoseconds.
    fn of(&self, locations: &[LocationId]) -> Vec<f64> {
        let store = self.trace.store;
        let is_whole = self.time == Window::default().time(store);
        if is_whole {
            let mut sums = vec![0.0; self.index.locations.len()];
            for (row, _, cost) in &self.diagnosed.run.delays.costs {
                sums[*row as usize] += cost.total();
            }
            return locations.iter().map(|at| self.index.row_of(*at).map_or(0.0, |row| sums[row])).collect();
        }
        let span = self.time.1.since(self.time.0) as f64 / (store.summary().end_ns.max(1)) as f64;
        let tiles = self.index.tiles.as_ref().filter(|_| store.spans.len() as f64 * span > MOST_VISITED as f64);
        let of_location = |location: &LocationId| {
            let Some(row) = self.index.row_of(*location) else { return 0.0 };
            if let Some((tiles, level)) = tiles.and_then(|tiles| Some((tiles, tiles.level(1.0, 1e18)?))) {
                let bins = tiles.bins(level, self.time.0, self.time.1);
                let (_, rate) = tiles.row(level, row / level.rows).between(&bins);
                return f64::from(rate) * self.time.1.since(self.time.0) as f64;
            }
            let mut cost = 0.0;
            let waits = self.diagnosed.run.waits.of(row);
            self.index.rates(row).for_each(
                store,
                (waits, *location),
                self.time,
                |_| true,
                |from, to, rate| {
                    cost += f64::from(rate) * to.since(from) as f64;
                },
            );
            cost
        };
        locations.par_iter().map(of_location).collect()
    }

    /// Adds how ranks spend their own time: the mean of one in `each`.
    fn add_own(&self, ranks: &Rows, columns: &mut [Column], each: usize) {
        let asked: Vec<(usize, usize)> = (ranks.locations().iter().enumerate().step_by(each))
            .filter_map(|(row, at)| Some((row, self.index.row_of(*at)?)))
            .collect();
        let rows: Vec<usize> = asked.iter().map(|(_, row)| *row).collect();
        let own = self.diagnosed.run.classes(self.trace.store, &rows, self.time);
        let mut counts = vec![0.0; columns.len()];
        let bands = columns.len() as u32;
        for ((row, _), classes) in asked.into_iter().zip(own) {
            let Classes { useful, waiting, communication, other } = classes;
            let all = (useful + waiting + communication + other).max(1) as f64;
            let at = ranks.band_of(row, bands) as usize;
            counts[at] += 1.0;
            columns[at].waiting += waiting as f64 / all;
            columns[at].communication += communication as f64 / all;
            columns[at].other += other as f64 / all;
        }
        for (column, count) in columns.iter_mut().zip(counts) {
            if count > 0.0 {
                column.waiting /= count;
                column.communication /= count;
                column.other /= count;
            }
        }
    }
}
