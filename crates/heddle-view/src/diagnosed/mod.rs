//! A diagnosis as pictures need it: what any row did to others at any time, without a pass over all waits.
//!
//! A diagnosis says what each wait cost and which work of whom it is charged to. Pictures ask the other way round: whom did
//! this row make wait just then? [`rates`] has the answer per row, as a rate that changes now and then; [`tiles`] has sums of
//! it for pictures of more than can be visited. Both are made once per opened diagnosis.

pub(crate) mod rates;
pub(crate) mod tiles;

use std::sync::OnceLock;

use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_diagnosis::rows::Rows as DiagnosedRows;
use heddle_diagnosis::waits::Wait;
use heddle_model::{LocationId, Ns};
use heddle_store::Store;
use rayon::prelude::*;

use rates::RowRates;
use tiles::{Made, Tiles};

/// A diagnosis, and what pictures of it rest on.
#[derive(Debug)]
pub struct Diagnosed {
    diagnosis: Diagnosis,
    index: OnceLock<Index>,
}

impl From<Diagnosis> for Diagnosed {
    fn from(diagnosis: Diagnosis) -> Diagnosed {
        Diagnosed { diagnosis, index: OnceLock::new() }
    }
}

impl std::ops::Deref for Diagnosed {
    type Target = Diagnosis;

    fn deref(&self) -> &Diagnosis {
        &self.diagnosis
    }
}

impl Diagnosed {
    /// What pictures rest on; made when it is first asked for.
    pub(crate) fn index(&self, store: &Store) -> &Index {
        self.index.get_or_init(|| Index::new(store, &self.diagnosis))
    }

    /// Makes what pictures rest on now, so that the first of them need not wait for it.
    pub fn prepare(&self, store: &Store) {
        self.index(store);
    }
}

/// Who made whom wait, by row and time.
#[derive(Debug)]
pub(crate) struct Index {
    /// The location of each row of the diagnosis.
    pub(crate) locations: Vec<LocationId>,
    row_of: Vec<u32>,
    rates: Vec<RowRates>,
    /// Sums for pictures of very much; none if all of it can be visited.
    pub(crate) tiles: Option<Tiles>,
    /// How many ranks wait at a time for what is drawn in the strongest colour.
    pub(crate) top: f32,
}

/// Some rows while the index is made: their rates, costs by how many ranks wait, and tiles.
type Part = (Vec<RowRates>, [f64; rates::BUCKETS], Option<tiles::Part>);

const NO_ROW: u32 = u32::MAX;
/// A run with fewer calls is visited for every picture.
const MOST_VISITED: u64 = 3_000_000;
/// The part of all costs that lies below the upper end of the scale.
const BELOW_TOP: f64 = 0.8;

impl Index {
    fn new(store: &Store, diagnosis: &Diagnosis) -> Index {
        let rows = DiagnosedRows::new(store);
        let locations = rows.locations.clone();
        let mut row_of = vec![NO_ROW; store.locations.len() as usize];
        for (row, location) in locations.iter().enumerate() {
            row_of[location.index()] = row as u32;
        }
        let run = (rows.run.0, Ns(rows.run.1.0.max(rows.run.0.0 + 1)));
        let made = (store.spans.len() > MOST_VISITED).then(|| Made::new(locations.len(), run));
        let chunk = made.as_ref().map_or(1, Made::rows_at_once);
        let of_chunk = |rows: std::ops::Range<usize>| -> Part {
            let mut costs = [0.0; rates::BUCKETS];
            let mut part = made.as_ref().map(|made| made.part(rows.len()));
            let of_row = |row: usize| {
                let rates = RowRates::new(store, &diagnosis.run, row, locations[row]);
                let waits = diagnosis.run.waits.of(row);
                rates.for_each(
                    store,
                    (waits, locations[row]),
                    run,
                    |_| true,
                    |from, to, rate| {
                        costs[rates::bucket(rate)] += f64::from(rate) * to.since(from) as f64;
                        if let Some(part) = &mut part {
                            part.add_cost(from, to, rate);
                        }
                    },
                );
                if let Some(part) = &mut part {
                    for wait in waits {
                        part.add_wait(Ns(wait.enter), Ns(wait.end()));
                    }
                    part.end_row();
                }
                rates
            };
            let rates = rows.map(of_row).collect();
            (rates, costs, part)
        };
        let chunks = locations.len().div_ceil(chunk);
        let ranges = (0..chunks).into_par_iter().map(|at| at * chunk..((at + 1) * chunk).min(locations.len()));
        let parts: Vec<Part> = ranges.map(of_chunk).collect();
        let mut costs = [0.0; rates::BUCKETS];
        let (mut rates, mut tiled) = (Vec::with_capacity(locations.len()), Vec::new());
        for (more, of_part, part) in parts {
            rates.extend(more);
            costs.iter_mut().zip(of_part).for_each(|(sum, more)| *sum += more);
            tiled.extend(part);
        }
        Index { locations, row_of, rates, tiles: made.map(|made| made.finish(tiled)), top: top(&costs) }
    }

    /// The row of a location in the diagnosis.
    pub(crate) fn row_of(&self, location: LocationId) -> Option<usize> {
        self.row_of.get(location.index()).filter(|row| **row != NO_ROW).map(|row| *row as usize)
    }

    /// What a row made others wait.
    pub(crate) fn rates(&self, row: usize) -> &RowRates {
        &self.rates[row]
    }
}

/// The rate below which most of all costs lie, as a round number.
fn top(costs: &[f64; rates::BUCKETS]) -> f32 {
    let all: f64 = costs.iter().sum();
    let mut below = 0.0;
    for (at, cost) in costs.iter().enumerate() {
        below += cost;
        if all > 0.0 && below >= BELOW_TOP * all {
            let found = rates::upper(at).max(2.0);
            let unit = 10f32.powi(found.log10().floor() as i32);
            return (found / unit).round() * unit;
        }
    }
    2.0
}

/// Waiting in a window, of waits in the order of time.
pub(crate) fn waiting_in(waits: &[Wait], window: (Ns, Ns)) -> i64 {
    let first = waits.partition_point(|wait| wait.end() <= window.0.0);
    let inside = |wait: &Wait| wait.end().min(window.1.0) - wait.enter.max(window.0.0);
    waits[first..].iter().take_while(|wait| wait.enter < window.1.0).map(inside).sum()
}
