//! Which rows stand out, each for itself: how far, from when to when, and in what shape.

use heddle_model::SystemNodeId;
use heddle_store::{Progress, StoreError};
use rayon::prelude::*;

use super::interrupted::{Against, Counted, Long, rhythms};
use super::rhythm::Rhythm;
use super::shape::{Observed, Stretch, level, longest_stretch, score, slope};
use super::stats::{lower_mode, median, normal_above, quantile, spread};
use super::table::Table;
use super::usual::Chance;
use super::visits::walk;
use crate::finding::FindingKind;
use crate::rows::Rows;

/// A rank is slow if it takes so much longer, as a logarithm: 5 %.
const LEAST_EXCESS: f64 = 0.0488;
/// And so much for a part of the run only: 8 %.
const LEAST_PART_EXCESS: f64 = 0.077;
/// More than so many times as much work is other work, not slowness.
const MOST_EXCESS: f64 = 2.5;
/// Visits that it takes to be sure; of fewer, each must be longer by [`FEW_EXCESS`].
const LEAST_VISITS: usize = 5;
const FEWEST_VISITS: usize = 3;
const FEW_EXCESS: f64 = 0.14;
/// How likely anybody is accused by chance, over all rows, places and stretches.
const ERROR: f64 = 0.0003;
/// Never fewer deviations than this.
const LEAST_SCORE: f64 = 3.5;
/// Visits of a slow row vary by chance, not more than so many times as much as those of others.
const MOST_SPREAD: f64 = 4.0;
/// All places explain as well as one if their evidence is nearly as strong.
const PREFER_ALL: f64 = 1.1;
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
    level: f64,
    /// How far chance may move the level.
    error: f64,
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
    /// Some visits of the stretch are not longer at all.
    is_mixed: bool,
}

/// How much longer than usual a row computes, as a logarithm.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowLevel {
    pub(super) visits: usize,
    pub(super) level: f64,
    /// How far chance may move that.
    pub(super) error: f64,
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
    /// Of interruptions.
    pub(super) rhythm: Option<Rhythm>,
}

/// What a row says altogether.
#[derive(Debug)]
struct Summary {
    said: Vec<Said>,
    tops: Vec<Top>,
    /// Visits that are long beyond chance, and beyond what other rows show.
    long: (usize, usize),
    /// And beyond what the row takes undisturbed.
    undisturbed: usize,
    since: i64,
    until: i64,
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
        usual.reserve(table.visits.of(row, place).keys.len());
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
    // What is much slower varies more, too.
    let varies = |visit: &Observed| chances[visit.place as usize].deviation.max(0.1 * middle);
    let mut apart: Vec<f64> = inside.iter().map(|visit| (visit.excess - middle) / varies(visit)).collect();
    let mut deviations: Vec<f64> = inside.iter().map(|visit| chances[visit.place as usize].deviation).collect();
    let low = quantile(&mut inside.iter().map(|visit| visit.excess).collect::<Vec<f64>>(), 0.2);
    let is_mixed = low < middle - (2.5 * median(&mut deviations)).max(0.5 * middle);
    Said {
        place,
        is_mixed,
        visits: visits.len(),
        score: score(visits),
        level: level(visits),
        error: {
            let squares: f64 = visits.iter().map(|visit| chances[visit.place as usize].deviation.powi(2)).sum();
            1.2533 * squares.sqrt() / visits.len().max(1) as f64
        },
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
    let count = |against: Against| {
        let long = Long::new(&seen, chances, against);
        seen.iter().filter(|visit| long.excess(visit).is_some()).count()
    };
    Summary {
        tops,
        long: (count(Against::Usual), count(Against::Others)),
        undisturbed: count(Against::Undisturbed),
        since: seen.first().map_or(0, |visit| visit.start),
        until: seen.last().map_or(0, |visit| visit.end),
        said,
    }
}

/// Scores have a deviation of 1 by chance; those of slow rows, whose visits all count the same, may have less.
const SCORES_APART: f64 = 2.5;

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
        let of = |score: fn(&Said) -> f64| {
            let mut scores: Vec<f64> = with().map(score).collect();
            (lower_mode(&mut scores, SCORES_APART).0, lower_mode(&mut scores, 0.0).1)
        };
        let (usual, spread) = of(|said| said.score);
        let (stretch_usual, stretch_spread) = of(|said| said.stretch.score);
        Scale { usual: usual.max(0.0), spread: spread.max(1.0), stretch_usual, stretch_spread: stretch_spread.max(1.0) }
    }
}

/// What all rows say, and what of it is usual.
struct Judged<'a> {
    summaries: &'a [Summary],
    scales: &'a [Scale],
    node_hypotheses: f64,
}

/// Who stands out.
pub(super) fn accused(
    rows: &Rows<'_>,
    table: &Table,
    chances: &[Chance],
    nodes: &[(SystemNodeId, Vec<usize>)],
    progress: &dyn Progress,
) -> Result<(Vec<Accused>, Vec<RowLevel>), StoreError> {
    let of_row = |row: usize| -> Result<Summary, StoreError> {
        progress.check()?;
        let summary = summary(rows, table, chances, row);
        progress.advance(1);
        Ok(summary)
    };
    let summaries: Vec<Summary> = (0..rows.len()).into_par_iter().map(of_row).collect::<Result<_, _>>()?;
    let Some(scopes) = summaries.first().map(|summary| summary.said.len()) else { return Ok(Default::default()) };
    let scales: Vec<Scale> = (0..scopes).map(|which| Scale::new(&summaries, which)).collect();
    let hypotheses = (summaries.len() * scopes) as f64;
    let judged =
        Judged { summaries: &summaries, scales: &scales, node_hypotheses: (nodes.len() * scopes).max(1) as f64 };
    let mut found = Vec::new();
    for (row, summary) in summaries.iter().enumerate() {
        let verdicts = summary.said.iter().zip(&scales).filter_map(|(said, scale)| slow(row, said, scale, hypotheses));
        let rank = |one: &Accused| if one.place.is_none() { PREFER_ALL * one.score } else { one.score };
        let best = verdicts.max_by(|a: &Accused, b| rank(a).total_cmp(&rank(b)));
        found.extend(best);
    }
    for (_, members) in nodes {
        let said = |which: usize| whole_node(members, &judged, which, &found);
        let best = (0..scopes).filter_map(said).max_by(|a, b| a.score.total_cmp(&b.score));
        let is_new = |row: &&usize| found.iter().all(|other: &Accused| other.row != **row);
        let new: Vec<usize> =
            if best.is_some() { members.iter().filter(is_new).copied().collect() } else { Vec::new() };
        found.extend(best.iter().flat_map(|best| new.iter().map(|row| Accused { row: *row, ..*best })));
    }
    let counts: Vec<Counted> = summaries
        .iter()
        .map(|summary| Counted {
            long: summary.long,
            undisturbed: summary.undisturbed,
            since: summary.since,
            until: summary.until,
        })
        .collect();
    let rhythms = rhythms(&counts, |row| observe(rows, table, chances, row).0, chances, &found);
    found.retain(|one| rhythms.iter().all(|other| other.row != one.row));
    found.extend(rhythms);
    let stalls = stalls(rows, table, &summaries, chances, &found);
    found.extend(stalls);
    let level = |summary: &Summary| {
        let said = &summary.said[0];
        RowLevel { visits: said.visits, level: said.level, error: said.error }
    };
    Ok((found, summaries.iter().map(level).collect()))
}

/// Whether a row is slow, at one place or at all.
fn slow(row: usize, said: &Said, scale: &Scale, hypotheses: f64) -> Option<Accused> {
    let stretch = &said.stretch;
    let visits = stretch.to - stretch.from;
    let enough = visits >= LEAST_VISITS || (visits >= FEWEST_VISITS && said.is_whole && said.least >= FEW_EXCESS);
    if !enough || said.slope.is_none() && (said.varies > MOST_SPREAD || said.is_mixed) {
        return None;
    }
    let bar = normal_above(ERROR / hypotheses).max(LEAST_SCORE);
    let bar_of_parts = normal_above(ERROR / hypotheses / said.visits as f64).max(LEAST_SCORE);
    let whole = (said.score - scale.usual) / scale.spread;
    let part = stretch.score / scale.spread;
    let is_beyond = stretch.score >= scale.stretch_usual + LEAST_SCORE * scale.stretch_spread;
    let is_slow = stretch.level >= LEAST_EXCESS && said.is_whole && whole >= bar
        || stretch.level >= LEAST_PART_EXCESS && part >= bar_of_parts && is_beyond;
    if !is_slow || stretch.level > MOST_EXCESS {
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
        rhythm: None,
    })
}

/// So many rows of a node must take part, each with so much evidence.
const MOST_OF_NODE: f64 = 0.75;
const LEAST_OF_MEMBER: f64 = 1.0;
/// The evidence of many adds up, and so does what is wrong with it.
const MORE_OF_NODE: f64 = 1.0;

/// Whether a node is slow as a whole, where its rows for themselves may not show it. Those that are accused already say how
/// slow it would be, and are not asked again.
fn whole_node(members: &[usize], judged: &Judged<'_>, which: usize, accused: &[Accused]) -> Option<Accused> {
    let is_accused = |row: &&usize| accused.iter().any(|one| one.row == **row);
    let levels = accused.iter().filter(|one| members.contains(&one.row)).map(|one| one.level);
    let known = median(&mut levels.collect::<Vec<f64>>());
    let scale = &judged.scales[which];
    let said: Vec<&Said> =
        members.iter().filter(|row| !is_accused(row)).map(|row| &judged.summaries[*row].said[which]).collect();
    if said.is_empty() || members.len() < 2 || said.iter().any(|said| said.visits < LEAST_VISITS) {
        return None;
    }
    let of = |said: &Said| (said.score - scale.usual) / scale.spread;
    let score = said.iter().map(|said| of(said)).sum::<f64>() / (said.len() as f64).sqrt();
    let level = median(&mut said.iter().map(|said| said.level).collect::<Vec<f64>>());
    let takes_part = |said: &&&Said| of(said) >= LEAST_OF_MEMBER && said.level >= 0.3 * level;
    let taking_part = said.iter().filter(takes_part).count();
    let bar = normal_above(ERROR / judged.node_hypotheses).max(LEAST_SCORE) + MORE_OF_NODE;
    let is_slow = score >= bar
        && level >= LEAST_EXCESS.max(0.5 * known)
        && taking_part as f64 >= MOST_OF_NODE * said.len() as f64;
    is_slow.then(|| Accused {
        row: members[0],
        kind: FindingKind::SlowRanks,
        place: said[0].place,
        since: said[0].since,
        until: said[0].until,
        is_throughout: true,
        level,
        score,
        top: None,
        rhythm: None,
    })
}

/// An interruption takes at least so much of the run.
const LEAST_STALL: f64 = 0.004;
/// It is so many times longer than what nearly all other rows have, and so many deviations from chance.
const STALL_BEYOND: f64 = 3.0;
const STALL_SCORE: f64 = 8.0;

/// Single interruptions.
fn stalls(rows: &Rows<'_>, table: &Table, summaries: &[Summary], chances: &[Chance], slow: &[Accused]) -> Vec<Accused> {
    let mut most: Vec<f64> =
        summaries.iter().map(|summary| summary.tops.first().map_or(0.0, |top| top.excess)).collect();
    let beyond = STALL_BEYOND * quantile(&mut most, 0.85);
    let run = (rows.run.1.0 - rows.run.0.0) as f64;
    // What only few do takes its time: there is nothing usual that it is longer than.
    let is_stall = |top: &&Top| {
        let deviation = chances[top.visit.place as usize].deviation.max(0.01) * top.visit.usual;
        let is_long = top.excess >= beyond && top.excess >= LEAST_STALL * run && top.excess >= STALL_SCORE * deviation;
        is_long && !table.is_of_few(top.visit.place)
    };
    let mut found = Vec::new();
    for (row, summary) in summaries.iter().enumerate() {
        let is_explained = |top: &&Top| {
            let covers = |one: &Accused| {
                let is_then = one.is_throughout || one.since <= top.visit.start && top.visit.end <= one.until;
                one.row == row && is_then
            };
            slow.iter().any(|one| covers(one) && top.visit.excess < 2.0 * one.level + 0.5)
        };
        let long: Vec<&Top> = summary.tops.iter().filter(is_stall).filter(|top| !is_explained(top)).collect();
        if long.len() >= MOST_TOP {
            continue;
        }
        let seen = if long.is_empty() { Vec::new() } else { observe(rows, table, chances, row).0 };
        for one in long.into_iter().map(|top| interrupted(row, top, &seen, chances)) {
            // A stretch may hold several long visits.
            let is_known = |other: &Accused| (other.row, other.kind, other.since) == (row, one.kind, one.since);
            if !found.iter().any(is_known) {
                found.push(one);
            }
        }
    }
    found
}

/// A visit beside a long one is long itself if it is beyond chance, and in excess by so much of what that is.
const BESIDE_SCORE: f64 = 3.5;
const BESIDE_EXCESS: f64 = 0.5;

/// What a row is accused of for a long visit: a stall, if it is alone.
fn interrupted(row: usize, top: &Top, visits: &[Observed], chances: &[Chance]) -> Accused {
    let deviation = chances[top.visit.place as usize].deviation.max(0.01) * top.visit.usual;
    let alone = Accused {
        row,
        kind: FindingKind::Stall,
        place: Some(top.visit.place),
        since: top.visit.start,
        until: top.visit.end,
        is_throughout: false,
        level: (top.visit.time / top.visit.usual.max(1.0)).ln(),
        score: (top.excess / deviation.max(1.0)).min(1e6),
        top: Some(*top),
        rhythm: None,
    };
    match slow_around(visits, chances, top) {
        Some((since, until, level)) => {
            Accused { kind: FindingKind::SlowRanks, place: None, since, until, level, top: None, ..alone }
        }
        None => alone,
    }
}

/// Whether the visits just before or after a long one are long, too: then it is no single interruption, but the row was slow for
/// a while. Since when, until when, and by how much.
fn slow_around(visits: &[Observed], chances: &[Chance], top: &Top) -> Option<(i64, i64, f64)> {
    let is_top = |visit: &Observed| visit.place == top.visit.place && visit.start == top.visit.start;
    let at = visits.iter().position(is_top)?;
    let least = BESIDE_EXCESS * visits[at].excess;
    let is_long = |visit: &Observed| visit.excess >= least.max(BESIDE_SCORE * chances[visit.place as usize].deviation);
    let from = at - visits[..at].iter().rev().take_while(|visit| is_long(visit)).count();
    let to = at + 1 + visits[at + 1..].iter().take_while(|visit| is_long(visit)).count();
    let slow = &visits[from..to];
    (slow.len() > 1).then(|| (slow[0].start, slow[slow.len() - 1].end, level(slow)))
}

/// Less evidence than for an accusation: for a row among others that are accused.
const SUPPORTING: f64 = 2.0;

/// Whether a row that is not accused itself may belong to those that are.
pub(super) fn supports(visits: &[Observed], of: &Accused) -> bool {
    let is_inside = |visit: &&Observed| {
        (of.is_throughout || visit.start >= of.since && visit.end <= of.until)
            && of.place.is_none_or(|place| place == visit.place)
    };
    let inside: Vec<Observed> = visits.iter().filter(is_inside).copied().collect();
    !inside.is_empty() && score(&inside) >= SUPPORTING && level(&inside) >= 0.4 * of.level
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
