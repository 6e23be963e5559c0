//! What the critical path consists of: which functions decide how long the run takes (Böhme et al. 2012).
//!
//! A function that takes more of the path than it takes on average is why others wait. Each row's waiting is shared out over
//! the functions that the path has more of than the row: their impact. What rows do beyond the path changes nothing: making
//! it faster gains nothing. Activity, impact and what is off the path add up to the time of all rows.

use heddle_model::RegionId;
use rayon::prelude::*;

use crate::path::PathPiece;
use crate::profile::{Profile, Profiles};

/// A function on the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FunctionOnPath {
    /// Which; `NONE` outside of all.
    pub region: RegionId,
    /// How much of the path is spent there, in nanoseconds.
    pub on_path: i64,
    /// What a row spends there on average, without waiting.
    pub mean: f64,
    /// Waiting of all rows that is due to it.
    pub impact: f64,
}

impl FunctionOnPath {
    /// How much more of it is on the path than a row spends on average.
    pub fn imbalance(&self) -> f64 {
        (self.on_path as f64 - self.mean).max(0.0)
    }
}

/// The path by function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OnPath {
    /// Functions that anybody spends time in, by number.
    pub functions: Vec<FunctionOnPath>,
    /// Time of all rows as on the path.
    pub activity: f64,
    /// Time of all rows beyond that.
    pub off_path: f64,
}

/// What one row adds.
struct Part {
    /// By function: time, and waiting due to it.
    functions: Vec<(RegionId, i64, f64)>,
    activity: i64,
    off_path: i64,
}

/// What a path consists of.
pub(crate) fn on_path(profiles: &Profiles<'_>, path: &[PathPiece]) -> OnPath {
    let rows = profiles.rows;
    let mut on_path = Profile::new(rows);
    for piece in path {
        if let Some(row) = rows.of(piece.location) {
            profiles.add(row, piece.start.0, piece.end.0, &mut on_path);
        }
    }
    let place = |region: RegionId| region.index().min(rows.region_count());
    let mut sums = vec![(0i64, 0.0f64); rows.region_count() + 1];
    let mut all = OnPath::default();
    for batch in rows.batches() {
        let of_row = |profile: &mut Profile, row: usize| part(profiles, &on_path, row, profile);
        let parts: Vec<Part> = batch.into_par_iter().map_init(|| Profile::new(rows), of_row).collect();
        for part in parts {
            for (region, time, impact) in part.functions {
                let sum = &mut sums[place(region)];
                (sum.0, sum.1) = (sum.0 + time, sum.1 + impact);
            }
            all.activity += part.activity as f64;
            all.off_path += part.off_path as f64;
        }
    }
    let count = rows.len().max(1) as f64;
    for (at, (time, impact)) in sums.into_iter().enumerate() {
        let region = if at == rows.region_count() { RegionId::NONE } else { RegionId(at as u32) };
        let on_path = on_path.get(region);
        if time != 0 || on_path != 0 {
            all.functions.push(FunctionOnPath { region, on_path, mean: time as f64 / count, impact });
        }
    }
    all
}

fn part(profiles: &Profiles<'_>, on_path: &Profile, row: usize, profile: &mut Profile) -> Part {
    let (start, end) = (profiles.rows.run.0.0, profiles.rows.run.1.0);
    profile.clear();
    profiles.add(row, start, end, profile);
    let mut part = Part {
        functions: profile.iter().map(|(region, time)| (region, time, 0.0)).collect(),
        activity: 0,
        off_path: 0,
    };
    let mut busy = 0;
    for (region, time) in profile.iter() {
        busy += time;
        part.activity += time.min(on_path.get(region));
        part.off_path += (time - on_path.get(region)).max(0);
    }
    let lacks = |region: RegionId, time: i64| (time - profile.get(region)).max(0) as f64;
    let lacking: f64 = on_path.iter().map(|(region, time)| lacks(region, time)).sum();
    if lacking > 0.0 {
        let each = (end - start - busy).max(0) as f64 / lacking;
        let due = on_path.iter().map(|(region, time)| (region, 0, lacks(region, time) * each));
        part.functions.extend(due);
    }
    part
}
