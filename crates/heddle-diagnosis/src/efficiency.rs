//! Efficiencies: which share of the ranks' time was useful, and what the rest was lost to (POP).
//!
//! Parallel efficiency is load balance times communication efficiency, and that is serialisation times transfer. What tells
//! the last two apart is the run on an ideal network, on which communication takes no time but its order stays: the longest
//! chain of computing through the messages of the trace ([`crate::replay`]).
//!
//! A window is compared with the part of that ideal run that falls into it: how far its foremost rank came. For windows
//! between two moments at which all ranks are together that is exact; others are cut, and the ideal time is kept between
//! the largest useful time and the window's length.

use rayon::prelude::*;

pub use crate::profile::Classes;
use crate::profile::{Profile, Profiles};
use crate::replay::FRONT;

/// How well a window, or the run, was used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Efficiency {
    /// How many ranks.
    pub ranks: u64,
    /// Length of the window.
    pub elapsed: i64,
    /// Time of all ranks by what it was spent on.
    pub time: Classes,
    /// Useful time of the rank that has most.
    pub most_useful: i64,
    /// Length of the window on an ideal network.
    pub ideal: i64,
}

impl Efficiency {
    fn mean_useful(self) -> f64 {
        self.time.useful as f64 / (self.ranks.max(1)) as f64
    }

    /// Share of the ranks' time that was useful.
    pub fn parallel(self) -> f64 {
        share(self.mean_useful(), self.elapsed as f64)
    }

    /// How evenly useful time is spread over the ranks.
    pub fn load_balance(self) -> f64 {
        share(self.mean_useful(), self.most_useful as f64)
    }

    /// Share of the window that the busiest rank computed.
    pub fn communication(self) -> f64 {
        share(self.most_useful as f64, self.elapsed as f64)
    }

    /// What communication would leave on an ideal network: what is lost to waiting in turn.
    pub fn serialisation(self) -> f64 {
        share(self.most_useful as f64, self.ideal as f64)
    }

    /// What the network and its library leave.
    pub fn transfer(self) -> f64 {
        share(self.ideal as f64, self.elapsed as f64)
    }

    /// Shares of the window that are lost to imbalance, serialisation and transfer: together all that is not useful.
    pub fn lost(self) -> [f64; 3] {
        let elapsed = self.elapsed.max(1) as f64;
        [
            (self.most_useful as f64 - self.mean_useful()) / elapsed,
            (self.ideal - self.most_useful) as f64 / elapsed,
            (self.elapsed - self.ideal) as f64 / elapsed,
        ]
    }
}

/// A part of a whole; of nothing all is used.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 1.0 }
}

/// The efficiency of a window; `front` says how far an ideal run had come at equal distances of the run.
pub(crate) fn efficiency(profiles: &Profiles<'_>, front: &[i64], from: i64, to: i64) -> Efficiency {
    let rows = profiles.rows;
    let (from, to) = (from.max(rows.run.0.0), to.min(rows.run.1.0).max(from));
    let per_row = |profile: &mut Profile, row: usize| profiles.classes(row, from, to, profile);
    let of_rows: Vec<Classes> = (0..rows.len()).into_par_iter().map_init(|| Profile::new(rows), per_row).collect();
    let mut time = Classes::default();
    for row in &of_rows {
        time.useful += row.useful;
        time.waiting += row.waiting;
        time.communication += row.communication;
        time.other += row.other;
    }
    let most_useful = of_rows.iter().map(|row| row.useful).max().unwrap_or(0);
    let elapsed = to - from;
    let ideal = front_at(rows, front, to) - front_at(rows, front, from);
    let ideal = (ideal.round() as i64).clamp(most_useful.min(elapsed), elapsed);
    Efficiency { ranks: rows.len() as u64, elapsed, time, most_useful, ideal }
}

/// How far the ideal run had come at a time of the recorded one.
fn front_at(rows: &crate::rows::Rows<'_>, front: &[i64], time: i64) -> f64 {
    let (start, end) = (rows.run.0.0, rows.run.1.0);
    if front.len() <= FRONT || end <= start {
        return (time - start) as f64;
    }
    let place = (time - start) as f64 / (end - start) as f64 * FRONT as f64;
    let (below, part) = (place.floor().clamp(0.0, FRONT as f64), place.fract());
    let at = |index: f64| front[(index as usize).min(FRONT)] as f64;
    at(below) + (at(below + 1.0) - at(below)) * part
}
