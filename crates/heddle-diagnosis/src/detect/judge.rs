//! Which rows stand out, each for itself: how far, from when to when, and in what shape.

use heddle_store::{Progress, StoreError};
use rayon::prelude::*;

use super::shape::{Observed, Stretch, level, longest_stretch, score, slope};
use super::stats::{lower_mode, normal_above, quantile, spread};
use super::table::Table;
use super::usual::Chance;
use super::visits::walk;
use crate::finding::FindingKind;
use crate::rows::Rows;

/// A rank is slow if it takes so much longer, as a logarithm: 5 %.
const LEAST_EXCESS: f64 = 0.0488;
/// And so much for a part of the run only: 8 %.
const LEAST_PART_EXCESS: f64 = 0.077;
/// Visits that it takes to be sure; of fewer, each must be longer by [`FEW_EXCESS`].
const LEAST_VISITS: usize = 5;
const FEWEST_VISITS: usize = 3;
const FEW_EXCESS: f64 = 0.14;
/// How likely anybody is accused by chance, over all rows, places and stretches.
const ERROR: f64 = 0.001;
/// Never fewer deviations than this.
const LEAST_SCORE: f64 = 3.5;
/// Visits of a slow row vary by chance, not more than so many times as much as those of others.
const MOST_SPREAD: f64 = 4.0;
/// The longest visits that are kept of each row.
const MOST_TOP: usize = 3;

/// A visit that took much longer than usual.
#[derive(Clone, Copy, Debug)]
pub(super) struct Top {
    pub(super) visit: Observed,
    pub(super) excess: f64,
}

/// What the visits of a row say, at one place or at all of them.
#[derive(Clone, Copy, Debug)]
struct Said {
    place: Option<u32>,
    visits: usize,
    score: f64,
    stretch: Stretch,
    /// When the stretch begins and ends.
    since: i64,
    until: i64,
    is_whole: bool,
    slope: Option<(f64, f64)>,
    /// The least excess, where visits are few.
    least: f64,
    /// How much visits of the stretch vary, against chance.
    varies: f64,
}

/// A row that stands out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accused {
    pub(super) row: usize,
    pub(super) kind: FindingKind,
    /// One place, or all.
    pub(super) place: Option<u32>,
    pub(super) since: i64,
    pub(super) until: i64,
    pub(super) is_throughout: bool,
    /// Median excess, as a logarithm; of a drift its last.
    pub(super) level: f64,
    pub(super) score: f64,
    /// Of a stall.
    pub(super) top: Option<Top>,
}

/// What a row says altogether.
#[derive(Debug)]
struct Summary {
    said: Vec<Said>,
    tops: Vec<Top>,
}

/// The visits of a row that have peers, in the order of time, and those that are there on this row only.
pub(super) fn observe(
    rows: &Rows<'_>,
    table: &Table,
    chances: &[Chance],
    row: usize,
) -> (Vec<Observed>, Vec<Observed>) {
    let places = table.places.len();
    let mut usual: Vec<Vec<f32>> = vec![Vec::new(); places];
    for (place, usual) in usual.iter_mut().enumerate() {
        usual.reserve(table.rows[row][place].keys.len());
        table.usual(row, place, |_, _, found| usual.push(found as f32));
    }
    let mut next = vec![0_usize; places];
    let (mut seen, mut alone) = (Vec::new(), Vec::new());
    walk(rows, &table.is_anchor, row, |visit| {
        let Some(place) = table.place_of.get(&visit.at).map(|place| *place as usize) else { return };
        if visit.time == 0 && !visit.at.is_whole() {
            return;
        }
        let Some(found) = usual[place].get(next[place]).map(|usual| f64::from(*usual)) else { return };
        next[place] += 1;
        if found.is_nan() {
            return;
        }
        let (chance, time) = (&chances[place], visit.time as f64);
        let mut observed = Observed {
            place: place as u32,
            start: visit.start,
            end: visit.end,
            time,
            usual: found * chance.level.exp(),
            excess: 0.0,
            evidence: 0.0,
        };
        if found > 0.0 {
            observed.excess = chance.excess(time, found);
            observed.evidence = chance.evidence(observed.excess);
            seen.push(observed);
        } else if time > 0.0 {
            alone.push(observed);
        }
    });
    seen.sort_by_key(|visit| (visit.start, visit.end));
    (seen, alone)
}

fn say(visits: &[Observed], place: Option<u32>, chances: &[Chance]) -> Said {
    let stretch = longest_stretch(visits);
    let inside = &visits[stretch.from..stretch.to];
    let middle = stretch.level;
    let mut apart: Vec<f64> =
        inside.iter().map(|visit| (visit.excess - middle) / chances[visit.place as usize].deviation).collect();
    Said {
        place,
        visits: visits.len(),
        score: score(visits),
        since: inside.first().map_or(0, |visit| visit.start),
        until: inside.last().map_or(0, |visit| visit.end),
        is_whole: stretch.from == 0 && stretch.to == visits.len(),
        slope: slope(visits),
        least: inside.iter().map(|visit| visit.excess).fold(f64::INFINITY, f64::min),
        varies: spread(&mut apart, 0.0),
        stretch,
    }
}

fn summary(rows: &Rows<'_>, table: &Table, chances: &[Chance], row: usize) -> Summary {
    let (seen, alone) = observe(rows, table, chances, row);
    let mut said = vec![say(&seen, None, chances)];
    let places = table.places.len();
    if places > 1 {
        let mut by_place: Vec<Vec<Observed>> = vec![Vec::new(); places];
        for visit in &seen {
            by_place[visit.place as usize].push(*visit);
        }
        said.extend((0..).zip(&by_place).map(|(place, visits)| say(visits, Some(place), chances)));
    }
    let mut tops: Vec<Top> = Vec::new();
    for visit in seen.iter().chain(&alone) {
        let excess = visit.time - visit.usual;
        if tops.len() < MOST_TOP || excess > tops[tops.len() - 1].excess {
            let at = tops.partition_point(|top| top.excess >= excess);
            tops.insert(at, Top { visit: *visit, excess });
            tops.truncate(MOST_TOP);
        }
    }
    Summary { said, tops }
}

/// Scores of all rows at one place or at all, against what is usual there.
struct Scale {
    usual: f64,
    spread: f64,
    stretch_usual: f64,
    stretch_spread: f64,
}

impl Scale {
    fn new(summaries: &[Summary], which: usize) -> Scale {
        let with = || summaries.iter().map(move |summary| &summary.said[which]).filter(|said| said.visits > 0);
        let (usual, spread) = lower_mode(&mut with().map(|said| said.score).collect::<Vec<f64>>());
        let (stretch_usual, stretch_spread) =
            lower_mode(&mut with().map(|said| said.stretch.score).collect::<Vec<f64>>());
        Scale { usual, spread: spread.max(1.0), stretch_usual, stretch_spread: stretch_spread.max(1.0) }
    }
}

/// Who stands out.
pub(super) fn accused(
    rows: &Rows<'_>,
    table: &Table,
    chances: &[Chance],
    progress: &dyn Progress,
) -> Result<Vec<Accused>, StoreError> {
    let of_row = |row: usize| -> Result<Summary, StoreError> {
        progress.check()?;
        let summary = summary(rows, table, chances, row);
        progress.advance(1);
        Ok(summary)
    };
    let summaries: Vec<Summary> = (0..rows.len()).into_par_iter().map(of_row).collect::<Result<_, _>>()?;
    let Some(scopes) = summaries.first().map(|summary| summary.said.len()) else { return Ok(Vec::new()) };
    let scales: Vec<Scale> = (0..scopes).map(|which| Scale::new(&summaries, which)).collect();
    let hypotheses = (summaries.len() * scopes) as f64;
    let mut found = Vec::new();
    for (row, summary) in summaries.iter().enumerate() {
        let verdicts = summary.said.iter().zip(&scales).filter_map(|(said, scale)| slow(row, said, scale, hypotheses));
        let best = verdicts.max_by(|a: &Accused, b| a.score.total_cmp(&b.score));
        found.extend(best);
    }
    found.extend(stalls(rows, &summaries, chances));
    Ok(found)
}

/// Whether a row is slow, at one place or at all.
fn slow(row: usize, said: &Said, scale: &Scale, hypotheses: f64) -> Option<Accused> {
    let stretch = &said.stretch;
    let visits = stretch.to - stretch.from;
    let enough = visits >= LEAST_VISITS || (visits >= FEWEST_VISITS && said.is_whole && said.least >= FEW_EXCESS);
    if !enough || said.varies > MOST_SPREAD {
        return None;
    }
    let bar = normal_above(ERROR / hypotheses).max(LEAST_SCORE);
    let bar_of_parts = normal_above(ERROR / hypotheses / said.visits as f64).max(LEAST_SCORE);
    let whole = (said.score - scale.usual) / scale.spread;
    let part = (stretch.score - scale.stretch_usual.min(stretch.score * 0.5)) / scale.spread.max(scale.stretch_spread);
    let is_slow = stretch.level >= LEAST_EXCESS && said.is_whole && whole >= bar
        || stretch.level >= LEAST_PART_EXCESS && part >= bar_of_parts && stretch.score >= bar_of_parts;
    if !is_slow {
        return None;
    }
    let (kind, level) = match said.slope {
        Some((from, to)) if to - from >= LEAST_EXCESS => (FindingKind::Drift, to),
        _ => (FindingKind::SlowRanks, stretch.level),
    };
    Some(Accused {
        row,
        kind,
        place: said.place,
        since: said.since,
        until: said.until,
        is_throughout: said.is_whole,
        level,
        score: whole.max(part),
        top: None,
    })
}

/// An interruption takes at least so much of the run.
const LEAST_STALL: f64 = 0.004;
/// It is so many times longer than what nearly all other rows have, and so many deviations from chance.
const STALL_BEYOND: f64 = 3.0;
const STALL_SCORE: f64 = 8.0;

/// Single interruptions.
fn stalls(rows: &Rows<'_>, summaries: &[Summary], chances: &[Chance]) -> Vec<Accused> {
    let mut most: Vec<f64> =
        summaries.iter().map(|summary| summary.tops.first().map_or(0.0, |top| top.excess)).collect();
    let beyond = STALL_BEYOND * quantile(&mut most, 0.85);
    let run = (rows.run.1.0 - rows.run.0.0) as f64;
    let is_stall = |top: &&Top| {
        let deviation = chances[top.visit.place as usize].deviation.max(0.01) * top.visit.usual;
        top.excess >= beyond && top.excess >= LEAST_STALL * run && top.excess >= STALL_SCORE * deviation
    };
    let mut found = Vec::new();
    for (row, summary) in summaries.iter().enumerate() {
        let long: Vec<&Top> = summary.tops.iter().filter(is_stall).collect();
        if long.len() >= MOST_TOP {
            continue;
        }
        for top in long {
            let deviation = chances[top.visit.place as usize].deviation.max(0.01) * top.visit.usual;
            found.push(Accused {
                row,
                kind: FindingKind::Stall,
                place: Some(top.visit.place),
                since: top.visit.start,
                until: top.visit.end,
                is_throughout: false,
                level: (top.visit.time / top.visit.usual.max(1.0)).ln(),
                score: (top.excess / deviation.max(1.0)).min(1e6),
                top: Some(*top),
            });
        }
    }
    found
}

/// The median excess of a row's visits at a place within some time.
pub(super) fn level_within(visits: &[Observed], place: u32, since: i64, until: i64) -> Option<f64> {
    let inside: Vec<Observed> = visits
        .iter()
        .filter(|visit| visit.place == place && visit.start >= since && visit.end <= until)
        .copied()
        .collect();
    (!inside.is_empty()).then(|| level(&inside))
}
