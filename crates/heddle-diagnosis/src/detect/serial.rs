//! Work that few rows do while the others wait: a file read by one rank, a solver that runs on the first of them.
//!
//! Whoever does it has no peers to compare with and is not slow: it is the program that leaves the others nothing to do. So it
//! is told by its function, and what it costs by what others waited for it.

use std::collections::BTreeMap;

use heddle_model::{Ns, Paradigm, RegionId};
use heddle_store::Columns;
use rustc_hash::FxHashMap;

use crate::finding::FindingKind;
use crate::rows::Rows;
use crate::run::Run;
use crate::suspect::{Cut, Place, Suspect};

/// Functions that at most one row of so many executes are those of few.
const ROWS_PER_CALLER: usize = 8;
/// What costs less of the time of all rows is not looked at.
const LEAST_COST: f64 = 0.005;

/// Which functions few rows execute, where so many rows call each.
pub(super) fn of_few(rows: &Rows<'_>, callers: &[u32]) -> Vec<bool> {
    let most = (rows.len() / ROWS_PER_CALLER).max(1);
    let works = |region: usize| {
        let paradigm = rows.store.regions.paradigm_of(RegionId(region as u32));
        !paradigm.is_communication() && !matches!(paradigm, Paradigm::Idle | Paradigm::Measurement)
    };
    let is_of_few = |(region, callers): (usize, &u32)| (1..=most).contains(&(*callers as usize)) && works(region);
    callers.iter().enumerate().map(is_of_few).collect()
}

/// What few rows do and others wait for: one suspect for all functions that the same rows execute.
pub(super) fn serial_work(rows: &Rows<'_>, run: &Run, of_few: &[bool]) -> Vec<Suspect> {
    let least = LEAST_COST * run.length as f64 * rows.len() as f64;
    let mut by_function: FxHashMap<RegionId, (f64, Vec<usize>)> = FxHashMap::default();
    for (row, region, cost) in &run.delays.costs {
        if of_few.get(region.index()).copied().unwrap_or(false) && cost.total() > 0.0 {
            let (sum, who) = by_function.entry(*region).or_default();
            *sum += cost.total();
            who.push(*row as usize);
        }
    }
    let mut by_rows: BTreeMap<Vec<usize>, Vec<(f64, RegionId)>> = BTreeMap::new();
    for (region, (cost, who)) in by_function {
        by_rows.entry(who).or_default().push((cost, region));
    }
    by_rows.retain(|_, functions| functions.iter().map(|(cost, _)| cost).sum::<f64>() >= least);
    by_rows.iter().map(|(who, functions)| suspect(rows, who, functions)).collect()
}

fn suspect(rows: &Rows<'_>, who: &[usize], functions: &[(f64, RegionId)]) -> Suspect {
    let is_one = |region: RegionId| functions.iter().any(|(_, other)| *other == region);
    let mut work = Work::default();
    for row in who {
        work.add(rows, *row, is_one);
    }
    let by_cost = |a: &&(f64, RegionId), b: &&(f64, RegionId)| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1));
    let dearest = functions.iter().max_by(by_cost).map_or(RegionId::NONE, |(_, region)| *region);
    let since = work.cuts.iter().map(|cut| cut.start).min().unwrap_or(rows.run.0);
    let until = work.cuts.iter().map(|cut| cut.end).max().unwrap_or(rows.run.1);
    let total: i64 = work.cuts.iter().map(|cut| cut.excess).sum();
    work.cuts.sort_unstable();
    Suspect {
        locations: who.iter().map(|row| rows.locations[*row]).collect(),
        place: Place { region: dearest, before: None },
        is_throughout: false,
        found: total as f64,
        visits: work.calls,
        slow_visits: work.calls,
        cuts: work.cuts,
        ..Suspect::throughout(FindingKind::SerialWork, (since, until))
    }
}

/// What rows did in some functions, with all that these called, but for communication.
#[derive(Debug, Default)]
struct Work {
    calls: u64,
    cuts: Vec<Cut>,
}

impl Work {
    fn add(&mut self, rows: &Rows<'_>, row: usize, is_one: impl Fn(RegionId) -> bool) {
        let location = rows.locations[row];
        let spans = &rows.store.spans;
        // Until when the outermost call lasts, and since when it has not communicated.
        let mut open: Option<(i64, i64)> = None;
        let cuts = &mut self.cuts;
        let mut cut = |from: i64, to: i64| {
            if to > from {
                cuts.push(Cut { location, start: Ns(from), end: Ns(to), excess: to - from });
            }
        };
        (&spans.start, &spans.end, &spans.region).for_each(rows.store.spans_of(location), |(start, end, region)| {
            if let Some((last, from)) = open.filter(|(last, _)| *last <= start.0) {
                cut(from, last);
                open = None;
            }
            match &mut open {
                None if is_one(region) => {
                    self.calls += 1;
                    open = Some((end.0, start.0));
                }
                Some((last, from)) if rows.class(region).communicates => {
                    cut(*from, start.0);
                    *from = end.0.clamp(*from, *last);
                }
                _ => {}
            }
        });
        if let Some((last, from)) = open {
            cut(from, last);
        }
    }
}
