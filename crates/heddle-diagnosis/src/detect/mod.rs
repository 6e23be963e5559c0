//! Who computes longer than its peers at the same place of the program, in what shape in time, and who belongs together.
//!
//! ```text
//! spans ─▶ visits ─▶ table: which visits are one step (pairing), what is usual at each
//!                      └▶ usual: what is chance ─▶ judge: which rows stand out, shape ─▶ group ─▶ suspects
//! ```
//!
//! Everything is a ratio to what is usual at the same step, in logarithms: a row that is slow by one factor is so in all of its
//! functions, short and long. Rows are gone through twice, once for their times and once for what these say; of those accused a
//! third time for what to take away. What is kept is eight bytes a visit.

mod group;
mod interrupted;
mod judge;
mod pairing;
mod rhythm;
mod serial;
mod shape;
mod stats;
mod table;
mod uneven;
mod usual;
mod visits;

use heddle_model::Ns;
use heddle_store::{Progress, StoreError, Work};

use crate::finding::FindingKind;
use crate::rows::Rows;
use crate::run::Run;
use crate::suspect::{Cut, Place, Suspect};
use group::{Together, nodes, together};
use interrupted::Long;
use judge::{Accused, RowLevel, accused, level_within, observe, supports};
use serial::serial_work;
use stats::median;
use table::Table;
pub(crate) use table::{SAMPLE_ROWS, SAMPLE_VISITS};
use uneven::{Uneven, is_smooth, uneven};
use usual::{Chance, chances};

/// Rows are compared.
pub const DETECTING: Work = Work::new("comparing ranks with their peers");

/// Fewer rows have no peers.
const LEAST_ROWS: usize = 4;

/// What takes a smaller share of a rank's run is not worth a word, however certain.
const LEAST_EXCESS: f64 = 0.000_8;

/// What comparing the ranks' computing gave.
#[derive(Debug, Default)]
pub struct Detected {
    /// Who differs beyond chance.
    pub suspects: Vec<Suspect>,
    /// How much computing varies by chance: where most time goes first.
    pub spreads: Vec<Spread>,
}

/// How much visits of a place vary from one to the next on ranks that nobody suspects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Where in the program.
    pub place: Place,
    /// Robust relative standard deviation.
    pub deviation: f64,
    /// Share of the time of all ranks that is spent there.
    pub share: f64,
}

/// Compares all ranks.
pub fn detect(rows: &Rows<'_>, run: &Run, progress: &dyn Progress) -> Result<Detected, StoreError> {
    if rows.len() < LEAST_ROWS || run.length <= 0 {
        return Ok(Detected::default());
    }
    progress.begin(DETECTING, 2 * rows.len() as u64);
    let table = Table::new(rows, progress)?;
    let chances = chances(&table);
    let nodes = nodes(rows);
    let (accused, levels) = accused(rows, &table, &chances, &nodes, progress)?;
    let belongs = |of: &Accused, row: usize| {
        matches!(of.kind, FindingKind::SlowRanks | FindingKind::Drift)
            && supports(&observe(rows, &table, &chances, row).0, of)
    };
    let mut found = together(rows, &nodes, &accused, belongs);
    // Many of whom nothing is in common are no culprits.
    found.retain(|one| {
        one.kind() != FindingKind::SlowRanks || one.is_whole_nodes || one.rows.len() <= most_of(rows.len())
    });
    found.retain(|one| one.kind() != FindingKind::SlowRanks || stands_out(one, &levels));
    // Nor are those at the ends of a smooth course.
    let is_slow = |one: &Together| one.kind() == FindingKind::SlowRanks && one.first.is_throughout;
    let slow: Vec<&[usize]> = found.iter().filter(|one| is_slow(one)).map(|one| one.rows.as_slice()).collect();
    if !slow.is_empty() && is_smooth(&levels, &slow) {
        found.retain(|one| !is_slow(one));
    }
    let mut suspects: Vec<Suspect> = found.iter().map(|found| suspect(rows, &table, &chances, found)).collect();
    suspects.retain(|one| one.excess() as f64 >= LEAST_EXCESS * run.length as f64 * one.locations.len() as f64);
    let named: Vec<Accused> =
        found.iter().flat_map(|found| found.rows.iter().map(|row| Accused { row: *row, ..found.first })).collect();
    if let Some(uneven) = uneven(&levels, &named) {
        suspects.push(unevenly(rows, &table, &chances, &uneven));
    }
    suspects.extend(serial_work(rows, run, &table.of_few));
    let all = run.length as f64 * rows.len() as f64;
    let mut spreads: Vec<Spread> = (table.places.iter().zip(&chances))
        .map(|(info, chance)| Spread {
            place: info.at.place(),
            deviation: chance.deviation,
            share: info.share * table.computing / all,
        })
        .collect();
    spreads.sort_by(|a, b| b.share.total_cmp(&a.share));
    Ok(Detected { suspects, spreads })
}

/// Whether rows are slower than the way that work is cut among the others lets expect.
fn stands_out(found: &Together, levels: &[RowLevel]) -> bool {
    let these: Vec<Accused> = found.rows.iter().map(|row| Accused { row: *row, ..found.first }).collect();
    uneven(levels, &these).is_none_or(|others| found.first.level >= others.most + 0.5 * (others.most - others.least))
}

/// More rows than these are slow by the way that work is cut, unless they are those of nodes.
fn most_of(rows: usize) -> usize {
    (rows / 4).max(3)
}

/// Work that is unevenly cut, as seen on the rows with more than the average.
fn unevenly(rows: &Rows<'_>, table: &Table, chances: &[Chance], uneven: &Uneven) -> Suspect {
    let mut cuts = Vec::new();
    let mut by_place = vec![0.0; table.places.len()];
    let (mut locations, mut visits, mut times) = (Vec::new(), 0, Vec::new());
    for (row, beyond) in uneven.beyond.iter().enumerate().filter(|(_, beyond)| **beyond > 0.0) {
        let location = rows.locations[row];
        locations.push(location);
        for visit in observe(rows, table, chances, row).0 {
            let excess = visit.time * (1.0 - (-beyond).exp());
            visits += 1;
            times.push((visit.place, visit.usual));
            by_place[visit.place as usize] += excess;
            if excess >= 1.0 {
                cuts.push(Cut { location, start: Ns(visit.start), end: Ns(visit.end), excess: excess as i64 });
            }
        }
    }
    let place = (0..by_place.len()).max_by(|a, b| by_place[*a].total_cmp(&by_place[*b])).unwrap_or(0);
    let here = times.iter().filter(|(other, _)| *other as usize == place).map(|(_, usual)| *usual);
    let usual = median(&mut here.collect::<Vec<f64>>());
    cuts.sort();
    Suspect {
        kind: FindingKind::Imbalance,
        locations,
        group: None,
        pairs: Vec::new(),
        place: table.places[place].at.place(),
        since: rows.run.0,
        until: rows.run.1,
        is_throughout: true,
        usual: usual * uneven.least.exp(),
        found: usual * uneven.most.exp(),
        visits,
        slow_visits: visits,
        z: uneven.score,
        period: None,
        cuts,
    }
}

/// What a row did too much.
struct Excess {
    cuts: Vec<Cut>,
    /// By place.
    by_place: Vec<f64>,
    /// Visits, those in excess, and by place what they usually take and took.
    visits: u64,
    slow: u64,
    times: Vec<(u32, f64, f64)>,
}

fn excess_of(rows: &Rows<'_>, table: &Table, chances: &[Chance], row: usize, of: &Accused) -> Excess {
    let (seen, alone) = observe(rows, table, chances, row);
    let (since, until) = if of.is_throughout { (i64::MIN, i64::MAX) } else { (of.since, of.until) };
    let places = table.places.len() as u32;
    let levels: Vec<Option<f64>> = (0..places).map(|place| level_within(&seen, place, since, until)).collect();
    let long = Long::new(&seen, chances, of.rhythm.map_or_else(Default::default, |rhythm| rhythm.against));
    let mut found =
        Excess { cuts: Vec::new(), by_place: vec![0.0; places as usize], visits: 0, slow: 0, times: Vec::new() };
    for visit in seen.iter().chain(alone.iter().filter(|_| of.kind == FindingKind::Stall)) {
        if visit.start < since || visit.end > until {
            continue;
        }
        let excess = match of.kind {
            FindingKind::SlowRanks => match levels[visit.place as usize] {
                Some(level) if level >= 0.5 * of.level => visit.time * (1.0 - (-level).exp()),
                _ => continue,
            },
            FindingKind::PeriodicNoise => {
                let Some(excess) = long.excess(visit) else {
                    found.visits += 1;
                    continue;
                };
                excess
            }
            FindingKind::Stall if of.place != Some(visit.place) => continue,
            _ => (visit.time - visit.usual).max(0.0),
        };
        found.visits += 1;
        found.slow += u64::from(visit.excess >= 0.5 * of.level || of.kind != FindingKind::SlowRanks);
        found.times.push((visit.place, visit.usual, visit.time));
        if excess >= 1.0 {
            found.by_place[visit.place as usize] += excess;
            let (start, end) = (Ns(visit.start), Ns(visit.end));
            found.cuts.push(Cut { location: rows.locations[row], start, end, excess: excess as i64 });
        }
    }
    found
}

fn suspect(rows: &Rows<'_>, table: &Table, chances: &[Chance], found: &Together) -> Suspect {
    let first = &found.first;
    let mut all =
        Excess { cuts: Vec::new(), by_place: vec![0.0; table.places.len()], visits: 0, slow: 0, times: Vec::new() };
    for row in &found.rows {
        let one = excess_of(rows, table, chances, *row, first);
        all.cuts.extend(one.cuts);
        all.visits += one.visits;
        all.slow += one.slow;
        all.times.extend(one.times);
        for (sum, excess) in all.by_place.iter_mut().zip(one.by_place) {
            *sum += excess;
        }
    }
    let place = match (first.kind, first.place) {
        (FindingKind::Stall, Some(place)) => place as usize,
        _ => (0..all.by_place.len()).max_by(|a, b| all.by_place[*a].total_cmp(&all.by_place[*b])).unwrap_or(0),
    };
    let here = || all.times.iter().filter(|(other, _, _)| *other as usize == place);
    let usual = median(&mut here().map(|(_, usual, _)| *usual).collect::<Vec<f64>>());
    let (usual, taken) = match (first.kind, first.top) {
        (FindingKind::Stall, Some(top)) => (top.visit.usual, top.visit.time),
        (FindingKind::Drift, _) => (usual, usual * first.level.exp()),
        // The ratio of each visit: what is usual may change from one to the next.
        _ => (usual, usual * median(&mut here().map(|(_, usual, time)| time / usual.max(1.0)).collect::<Vec<f64>>())),
    };
    all.cuts.sort();
    Suspect {
        kind: first.kind,
        locations: found.rows.iter().map(|row| rows.locations[*row]).collect(),
        group: found.group.clone(),
        pairs: Vec::new(),
        place: table.places[place].at.place(),
        since: if first.is_throughout { rows.run.0 } else { Ns(first.since) },
        until: if first.is_throughout { rows.run.1 } else { Ns(first.until) },
        is_throughout: first.is_throughout,
        usual,
        found: taken,
        visits: all.visits,
        slow_visits: all.slow,
        z: first.score,
        period: first.rhythm.map(|rhythm| rhythm.period),
        cuts: all.cuts,
    }
}
