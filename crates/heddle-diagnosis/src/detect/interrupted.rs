//! Rows that are interrupted at equal distances in time: one of them, or all.

use rayon::prelude::*;

use super::judge::Accused;
use super::rhythm::{LEAST_LONG, Rhythm, rhythm};
use super::shape::Observed;
use super::stats::{median, quantile};
use super::usual::Chance;
use crate::finding::FindingKind;

/// A visit beyond chance: so many deviations, and so much longer.
const LONG_SCORE: f64 = 3.5;
const LONG_EXCESS: f64 = 0.1;
/// So many times longer than nearly all visits of other rows.
const LONG_BEYOND: f64 = 1.2;
/// Where more visits are long than this, they are not interrupted: they are slow.
const MOST_LONG: f64 = 0.7;
/// What visits of a row usually take there: what so many of them stay below.
const USUAL: f64 = 0.25;
/// A quarter of normal values is so many deviations below the middle.
const QUARTILE: f64 = 0.6745;
/// A row has so many times more long visits than nearly all others.
const BEYOND_OTHERS: f64 = 3.0;
/// A rhythm must predict so much more than slowness does.
const MARGIN: f64 = 0.05;
/// Rows that are asked whether all have a rhythm; how many must say so, and how far their periods may be apart.
const ASKED: usize = 24;
const LEAST_OF_ASKED: f64 = 0.34;
const SAME_PERIOD: f64 = 0.05;

/// What visits must be longer than.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Against {
    /// What is usual for the row, or for all rows if that is more.
    #[default]
    Usual,
    /// And nearly all visits of other rows.
    Others,
    /// What the row takes undisturbed. Where most visits of most rows are interrupted, what is usual among them is more.
    Undisturbed,
}

/// Which visits of a row are longer than chance makes them, against what is usual for the row itself.
pub(super) struct Long<'a> {
    chances: &'a [Chance],
    usual: Vec<Option<f64>>,
    against: Against,
}

impl<'a> Long<'a> {
    pub(super) fn new(visits: &[Observed], chances: &'a [Chance], against: Against) -> Long<'a> {
        let mut by_place: Vec<Vec<f64>> = vec![Vec::new(); chances.len()];
        for visit in visits {
            by_place[visit.place as usize].push(visit.excess);
        }
        let usual_of = |(excess, chance): (&mut Vec<f64>, &Chance)| {
            let low = quantile(excess, USUAL);
            let least = if against == Against::Undisturbed { (low + QUARTILE * chance.quiet).min(0.0) } else { 0.0 };
            (!excess.is_empty()).then(|| low.max(least))
        };
        let usual = by_place.iter_mut().zip(chances).map(usual_of).collect();
        let mut long = Long { chances, usual, against };
        let mut counts = vec![(0_usize, 0_usize); chances.len()];
        for visit in visits {
            let count = &mut counts[visit.place as usize];
            *count = (count.0 + 1, count.1 + usize::from(long.excess(visit).is_some()));
        }
        for (usual, (all, found)) in long.usual.iter_mut().zip(counts) {
            *usual = usual.filter(|_| found as f64 <= MOST_LONG * all as f64);
        }
        long
    }

    /// What a visit takes more than is usual for its row, in nanoseconds.
    fn beyond(&self, visit: &Observed) -> f64 {
        visit.time - visit.usual * self.usual[visit.place as usize].unwrap_or(0.0).exp()
    }

    /// The excess of a long visit in nanoseconds; none of others.
    pub(super) fn excess(&self, visit: &Observed) -> Option<f64> {
        let (chance, usual) = (&self.chances[visit.place as usize], self.usual[visit.place as usize]?);
        let most = if self.against == Against::Others { LONG_BEYOND * chance.most } else { 0.0 };
        let is_long = visit.excess - usual >= LONG_EXCESS.max(LONG_SCORE * chance.quiet).max(most);
        is_long.then(|| self.beyond(visit))
    }
}

/// Long visits of a row, beyond chance and beyond what other rows show, and when it computes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    pub(super) long: (usize, usize),
    /// Those beyond what the row takes undisturbed.
    pub(super) undisturbed: usize,
    pub(super) since: i64,
    pub(super) until: i64,
}

/// Rows that are interrupted at equal distances in time.
pub(super) fn rhythms(
    rows: &[Counted],
    visits: impl Fn(usize) -> Vec<Observed> + Sync,
    chances: &[Chance],
    slow: &[Accused],
) -> Vec<Accused> {
    let of_row = |row: usize, against: Against| {
        let visits = visits(row);
        let long = Long::new(&visits, chances, against);
        let places: Vec<bool> = long.usual.iter().map(Option::is_some).collect();
        let asked: Vec<Observed> = visits.iter().filter(|visit| places[visit.place as usize]).copied().collect();
        let found = rhythm(&asked, |visit| (long.beyond(visit), long.excess(visit).is_some()))?;
        let otherwise = slow.iter().filter(|one| one.row == row).map(|one| slowness_predicts(&asked, &long, one));
        (found.predicted > otherwise.fold(0.0, f64::max) + MARGIN).then_some(Rhythm { against, ..found })
    };
    let with_long = |long: fn(&Counted) -> usize| -> Vec<usize> {
        (0..rows.len()).filter(|row| long(&rows[*row]) >= LEAST_LONG).collect()
    };
    let of_all =
        [(Against::Usual, with_long(|row| row.long.0)), (Against::Undisturbed, with_long(|row| row.undisturbed))];
    for (against, with_long) in of_all {
        if with_long.len() <= 2 || (with_long.len() as f64) < LEAST_OF_ASKED * rows.len() as f64 {
            continue;
        }
        let asked: Vec<usize> = (0..with_long.len().min(ASKED))
            .map(|at| with_long[at * with_long.len() / ASKED.min(with_long.len())])
            .collect();
        let found: Vec<Rhythm> = asked.par_iter().filter_map(|row| of_row(*row, against)).collect();
        if let Some(common) = common(&found, asked.len()) {
            // What befalls many befalls all: some show it better than others.
            return (0..rows.len()).map(|row| accused(row, &rows[row], common)).collect();
        }
    }
    let usual = quantile(&mut rows.iter().map(|row| row.long.1 as f64).collect::<Vec<f64>>(), 0.85);
    let is_alone = |row: &usize| {
        let long = rows[*row].long.1;
        long >= LEAST_LONG && long as f64 > BEYOND_OTHERS * usual + 2.0
    };
    let alone: Vec<usize> = (0..rows.len()).filter(is_alone).collect();
    let of_alone = |row: &usize| {
        let rhythm = of_row(*row, Against::Others)?;
        Some(accused(*row, &rows[*row], Rhythm { against: Against::Usual, ..rhythm }))
    };
    alone.par_iter().filter_map(of_alone).collect()
}

/// How much of a row's excess slowness predicts, in squares.
fn slowness_predicts(visits: &[Observed], long: &Long<'_>, slow: &Accused) -> f64 {
    let excess: Vec<f64> = visits.iter().map(|visit| long.beyond(visit)).collect();
    let mean = excess.iter().sum::<f64>() / excess.len().max(1) as f64;
    let (mut missed, mut whole) = (0.0, 0.0);
    for (visit, excess) in visits.iter().zip(&excess) {
        let is_then = slow.is_throughout || visit.start >= slow.since && visit.end <= slow.until;
        let predicted = if is_then { visit.usual * (slow.level.exp() - 1.0) } else { 0.0 };
        missed += (excess - predicted).powi(2);
        whole += (excess - mean).powi(2);
    }
    1.0 - missed / f64::max(whole, 1.0)
}

/// The rhythm that enough of those who were asked have.
fn common(found: &[Rhythm], asked: usize) -> Option<Rhythm> {
    let period = median(&mut found.iter().map(|rhythm| rhythm.period).collect::<Vec<f64>>());
    let is_same = |rhythm: &&Rhythm| (rhythm.period / period - 1.0).abs() < SAME_PERIOD;
    let same = found.iter().filter(is_same).count();
    let is_common = same > 2 && same as f64 >= LEAST_OF_ASKED * asked as f64;
    found.iter().find(is_same).filter(|_| is_common).map(|rhythm| Rhythm { period, ..*rhythm })
}

fn accused(row: usize, counted: &Counted, rhythm: Rhythm) -> Accused {
    Accused {
        row,
        kind: FindingKind::PeriodicNoise,
        place: None,
        since: counted.since,
        until: counted.until,
        is_throughout: true,
        level: 1.0,
        score: rhythm.predicted * (rhythm.long as f64).sqrt(),
        top: None,
        rhythm: Some(rhythm),
    }
}
