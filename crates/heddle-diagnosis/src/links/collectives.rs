//! What slow links and cards make collectives take longer.
//!
//! A trace has no messages of a collective, so nobody is named for one. But whoever's messages are slow is slow there too: a
//! member gives or gets at least one, whatever the algorithm. What a collective should take at most follows from what messages
//! of its length usually take, one after the other down a tree, or from others of its kind: those that no suspect is a member
//! of, and of a link all, since few need it. Who is inside for longer is held up, by no more than the suspect's messages are slower.

use heddle_model::{CollectiveOp, LocationId, Ns};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::blame::Slow;
use super::pairs::SLOW;
use super::together::{AT_ONCE, Over, over};
use super::usual::{Usual, quantile};
use super::way::{Ground, class_of};
use crate::finding::FindingKind;
use crate::rows::Rows;
use crate::suspect::{Cut, Suspect};
use crate::waits::{Dependence, dependence, has_payload, members_of};

/// Fewer collectives of a kind do not tell what is usual.
const LEAST_OTHERS: usize = 4;
/// So many of them take what is usual at most: in a tree it depends on who comes last.
const MOST: f64 = 0.75;

/// Where a row belongs to: to which suspect, and for links to which of its ends.
type Ends = Vec<Vec<(u32, u8)>>;

/// Collectives that should take equally long.
type Kind = (CollectiveOp, u32, u16);

/// A collective, how long it took after the last had come, and which suspect is a member.
#[derive(Clone, Copy, Debug)]
struct Timed {
    collective: u64,
    kind: Kind,
    bytes: u64,
    begin: i64,
    time: i64,
    suspect: Option<u32>,
}

/// By suspect, in their order: what its collectives took too long.
pub(super) fn cuts(
    rows: &Rows<'_>,
    ground: &Ground,
    usual: &Usual,
    slow: &[Slow],
    suspects: &[Suspect],
) -> Vec<Vec<Cut>> {
    let mut found: Vec<Vec<Cut>> = vec![Vec::new(); suspects.len()];
    if suspects.is_empty() {
        return found;
    }
    let ends = ends(rows, ground, slow);
    let (count, payload) = (rows.store.collectives.len(), has_payload(rows));
    let part = |part: u64| -> Vec<Timed> {
        let of_part = part * AT_ONCE..((part + 1) * AT_ONCE).min(count);
        of_part.filter_map(|collective| timed(rows, ground, &ends, suspects, collective, payload)).collect()
    };
    let all: Vec<Vec<Timed>> = (0..count.div_ceil(AT_ONCE)).into_par_iter().map(part).collect();
    let all = all.concat();
    let others = typical(all.iter().filter(|one| one.suspect.is_none()));
    let together = typical(all.iter());
    let late = |one: Timed| {
        let suspect = one.suspect?;
        let is_link = slow[suspect as usize].kind == FindingKind::SlowLink;
        let alike = others.get(&one.kind).or_else(|| together.get(&one.kind).filter(|_| is_link)).copied();
        let (expected, least) = match alike {
            Some(alike) => (alike, SLOW * alike),
            None => at_most(usual, &one).map(|at_most| (at_most, at_most))?,
        };
        let time = one.time as f64;
        let most = time * (1.0 - 1.0 / suspects[suspect as usize].factor().max(1.0));
        let excess = (time - expected).min(most) as i64;
        (time > least && excess > 0).then_some((suspect, one, excess))
    };
    let late: Vec<(u32, Timed, i64)> = all.into_iter().filter_map(late).collect();
    let of_late = |(suspect, one, excess): &(u32, Timed, i64)| {
        (*suspect, held_up(rows, &ends, slow[*suspect as usize].kind, *suspect, (one, *excess), payload))
    };
    let cuts: Vec<(u32, Vec<Cut>)> = late.par_iter().map(of_late).collect();
    for (suspect, cuts) in cuts {
        found[suspect as usize].extend(cuts);
    }
    found
}

/// What most collectives of a kind take at most, where there are enough.
fn typical<'a>(of: impl Iterator<Item = &'a Timed>) -> FxHashMap<Kind, f64> {
    let mut times: FxHashMap<Kind, Vec<f64>> = FxHashMap::default();
    for one in of {
        times.entry(one.kind).or_default().push(one.time as f64);
    }
    let enough = times.into_iter().filter(|(_, times)| times.len() >= LEAST_OTHERS);
    enough.filter_map(|(kind, mut times)| Some((kind, quantile(&mut times, MOST)?))).collect()
}

/// By row: whose it is. A card's are those of its rank or node; a link's are both ends, or all of both nodes if several pairs
/// between them are slow.
fn ends(rows: &Rows<'_>, ground: &Ground, slow: &[Slow]) -> Ends {
    let mut ends: Ends = vec![Vec::new(); rows.len()];
    for (suspect, slow) in (0..).zip(slow) {
        if slow.kind == FindingKind::SlowCard {
            slow.ranks.iter().for_each(|row| ends[*row as usize].push((suspect, 0)));
            continue;
        }
        let Some(first) = slow.scores.first() else { continue };
        let (one, other) = (first.from.min(first.to), first.from.max(first.to));
        let is_one =
            slow.scores.iter().all(|score| score.from.min(score.to) == one && score.from.max(score.to) == other);
        if is_one || !first.is_far {
            ends[one as usize].push((suspect, 0));
            ends[other as usize].push((suspect, 1));
            continue;
        }
        let nodes = [one, other].map(|row| ground.node[row as usize]);
        for (row, node) in ground.node.iter().enumerate() {
            if let Some(end) = nodes.iter().position(|end| end == node) {
                ends[row].push((suspect, end as u8));
            }
        }
    }
    ends
}

fn timed(
    rows: &Rows<'_>,
    ground: &Ground,
    ends: &Ends,
    suspects: &[Suspect],
    collective: u64,
    payload: bool,
) -> Option<Timed> {
    // In a scan everybody waits for another number of members.
    dependence(rows.store.collectives.op.get(collective)).filter(|needs| *needs != Dependence::Lower)?;
    let (Over { op, bytes, begin, last, .. }, members) = over(rows, collective, payload, ground.overhead)?;
    let of: Vec<usize> = members.iter().filter_map(|member| rows.of(member.location)).collect();
    let touches = |suspect: u32| {
        let whose = &suspects[suspect as usize];
        if begin < whose.since.0 || whose.until.0 <= begin {
            return false;
        }
        let is_at = |row: &usize, end: u8| ends[*row].contains(&(suspect, end));
        match whose.kind {
            // What stays on a node does not go over its card.
            FindingKind::SlowCard => of.iter().any(|row| !is_at(row, 0)),
            _ => of.iter().any(|row| is_at(row, 0)) && of.iter().any(|row| is_at(row, 1)),
        }
    };
    let factor = |suspect: &u32| suspects[*suspect as usize].factor();
    let mut whose: Vec<u32> = of.iter().flat_map(|row| ends[*row].iter().map(|(suspect, _)| *suspect)).collect();
    whose.sort_unstable();
    whose.dedup();
    whose.retain(|suspect| touches(*suspect));
    let suspect = whose.into_iter().max_by(|a, b| factor(a).total_cmp(&factor(b)));
    let kind = (op, members.len() as u32, class_of(bytes));
    Some(Timed { collective, kind, bytes, begin, time: last - begin, suspect })
}

/// What a collective should take at most by what messages take.
fn at_most(usual: &Usual, one: &Timed) -> Option<f64> {
    let (op, members, _) = one.kind;
    match op.name() {
        "bcast" | "reduce" | "allreduce" | "barrier" => {
            let levels = members.next_power_of_two().trailing_zeros();
            Some(f64::from(levels) * usual.at_most(one.bytes as f64)?)
        }
        // With everybody in turn.
        _ => Some(f64::from(members) * usual.at_most(one.bytes as f64 / f64::from(members.max(1)))?),
    }
}

/// What members of a collective were in it after it should have been over. Of a slow link one end at least is among them.
fn held_up(
    rows: &Rows<'_>,
    ends: &Ends,
    kind: FindingKind,
    suspect: u32,
    (one, excess): (&Timed, i64),
    payload: bool,
) -> Vec<Cut> {
    let over = one.begin + one.time - excess;
    let (members, _) = members_of(rows, one.collective, payload);
    let is_end = |location: LocationId| {
        rows.of(location).is_some_and(|row| ends[row].iter().any(|(whose, _)| *whose == suspect))
    };
    let cuts: Vec<Cut> = members
        .iter()
        .filter_map(|member| {
            let (start, end) = (Ns(member.enter), Ns(member.leave));
            let excess = (member.leave - member.enter.max(over)).min(excess);
            (excess > 0).then_some(Cut { location: member.location, start, end, excess })
        })
        .collect();
    let is_its = kind == FindingKind::SlowCard || cuts.iter().any(|cut| is_end(cut.location));
    if is_its { cuts } else { Vec::new() }
}
