//! What is chance at a place: how rows differ there, and how visits of one row do.

use rayon::prelude::*;

use super::stats::{lower_mode, median, quantile, spread};
use super::table::Table;

/// Differences below this are no evidence: half a percent.
const LEAST_SPREAD: f64 = 0.005;
/// Beyond so many deviations a visit counts no more: one spike is not many slow visits.
pub(super) const CLIP: f64 = 3.0;
/// Rows within so many deviations of the usual decide what is usual.
const CORE: f64 = 3.0;
/// Visits that show how much a row varies by itself.
const VARYING: usize = 4;

/// Share of visits that are not among the longest.
const HIGH: f64 = 0.95;

/// What is usual at a place, in logarithms of ratios.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Chance {
    /// What rows usually take.
    pub(super) level: f64,
    /// How much a visit varies on one row.
    pub(super) deviation: f64,
    /// The same while nothing interrupts it, though half of the visits may be interrupted.
    pub(super) quiet: f64,
    /// What few visits of usual rows exceed.
    pub(super) most: f64,
    /// Mean and deviation of what visits count, on usual rows.
    mean: f64,
    counts: f64,
}

impl Chance {
    /// By how much a visit is longer than usual, as a logarithm.
    pub(super) fn excess(&self, time: f64, usual: f64) -> f64 {
        (time.max(1.0) / usual).ln() - self.level
    }

    /// What a visit counts as evidence: with mean 0 and deviation 1 on usual rows.
    pub(super) fn evidence(&self, excess: f64) -> f64 {
        ((excess / self.deviation).clamp(-CLIP, CLIP) - self.mean) / self.counts
    }
}

/// Visits, median and spread of a row at a place.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    visits: usize,
    level: f64,
    deviation: f64,
    quiet: f64,
}

/// What is usual, by place.
pub(super) fn chances(table: &Table) -> Vec<Chance> {
    (0..table.places.len()).into_par_iter().map(|place| chance(table, place)).collect()
}

fn logs(table: &Table, row: usize, place: usize) -> Vec<f64> {
    let mut logs = Vec::new();
    table.usual(row, place, |_, time, usual| {
        if usual > 0.0 {
            logs.push((time.max(1.0) / usual).ln());
        }
    });
    logs
}

fn chance(table: &Table, place: usize) -> Chance {
    let of_row = |row: usize| {
        let mut logs = logs(table, row, place);
        let (_, quiet) = lower_mode(&mut logs, LEAST_SPREAD);
        let level = median(&mut logs);
        Row { visits: logs.len(), level, quiet, deviation: spread(&mut logs, level) }
    };
    let rows: Vec<Row> = (0..table.visits.rows()).into_par_iter().map(of_row).collect();
    let visited: Vec<&Row> = rows.iter().filter(|row| row.visits > 0).collect();
    let mut own: Vec<f64> = visited.iter().filter(|row| row.visits >= VARYING).map(|row| row.deviation).collect();
    let varying = (own.len() * 2 >= visited.len() && !own.is_empty()).then(|| median(&mut own));
    let visits = median(&mut visited.iter().map(|row| row.visits as f64).collect::<Vec<f64>>()).max(1.0);
    let slack = LEAST_SPREAD.max(2.0 * varying.unwrap_or(0.0) / visits.sqrt());
    let (mode, between) = lower_mode(&mut visited.iter().map(|row| row.level).collect::<Vec<f64>>(), slack);
    let is_core = |row: &Row| {
        let error = 1.2533 * varying.unwrap_or(between).max(LEAST_SPREAD) / (row.visits as f64).sqrt();
        row.visits > 0 && row.level <= mode + CORE * between.max(error)
    };
    let mut levels: Vec<f64> = rows.iter().filter(|row| is_core(row)).map(|row| row.level).collect();
    let level = median(&mut levels);
    let between = spread(&mut levels, level);
    // Where rows differ by more than chance allows, so may any of them.
    let deviation = varying.unwrap_or(between).max(between).max(LEAST_SPREAD);
    let mut quiet: Vec<f64> = visited.iter().filter(|row| row.visits >= VARYING).map(|row| row.quiet).collect();
    let quiet = if quiet.is_empty() { deviation } else { median(&mut quiet).clamp(LEAST_SPREAD, deviation) };
    let mut chance = Chance { level, deviation, quiet, most: 0.0, mean: 0.0, counts: 1.0 };
    let high = |row: usize| {
        let mut logs = if is_core(&rows[row]) { logs(table, row, place) } else { Vec::new() };
        (!logs.is_empty()).then(|| quantile(&mut logs, HIGH) - level)
    };
    let mut high: Vec<f64> = (0..rows.len()).into_par_iter().filter_map(high).collect();
    chance.most = median(&mut high).max(0.0);
    let sums = |row: usize| {
        let mut sums = (0.0, 0.0, 0.0);
        if is_core(&rows[row]) {
            for log in logs(table, row, place) {
                let count = ((log - level) / deviation).clamp(-CLIP, CLIP);
                sums = (sums.0 + 1.0, sums.1 + count, sums.2 + count * count);
            }
        }
        sums
    };
    let sums: Vec<(f64, f64, f64)> = (0..rows.len()).into_par_iter().map(sums).collect();
    let (visits, sum, squares) = sums.into_iter().fold((0.0, 0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2));
    if visits > 0.0 {
        chance.mean = sum / visits;
        chance.counts = (squares / visits - chance.mean * chance.mean).max(0.0).sqrt().clamp(0.5, CLIP);
    }
    chance
}
