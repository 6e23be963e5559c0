//! What suspects cost: which part of the delay charges is of their making.
//!
//! A charge says how much longer a culprit was in a function than who waited for it. Only that part of it counts against a
//! suspect which is in excess of its peers, by its [cuts](crate::suspect::Cut): who waited may have been quick by chance.
//! Several suspects on one row share a charge in proportion, so that no waiting is counted twice and costs never add up to
//! more than all waiting.
//!
//! Slow messages cost twice: whoever receives them spends longer in the call, and others wait for who received late.

use heddle_model::{LocationId, Ns, RegionId};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::finding::FindingKind;
use crate::rows::Rows;
use crate::run::Run;
use crate::suspect::{Cut, Suspect};

/// What a suspect costs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Costed {
    pub(crate) suspect: Suspect,
    /// Waiting of others, in nanoseconds of all ranks.
    pub(crate) waiting: f64,
    /// Time in excess inside calls that communicate.
    pub(crate) own: f64,
    /// Rows that waited, directly or as those who handed the delay on.
    pub(crate) waiters: u64,
    /// The stretch that cost most.
    pub(crate) dearest: Option<(Ns, Ns)>,
    /// The waiting of others by function that it is charged to, in their order.
    pub(crate) functions: Vec<(RegionId, f64)>,
}

impl Costed {
    /// Shares of the run by function: of the waiting as charges have it, of time in excess by where it is. Where nothing is
    /// charged, all waiting is that of the function that the suspect is suspected of.
    pub(crate) fn shares(&self, waiting: f64, own: f64) -> Vec<(RegionId, f64)> {
        let charged: f64 = self.functions.iter().map(|(_, cost)| cost).sum();
        let (scale, uncharged) = if charged > 0.0 { (waiting / charged, 0.0) } else { (0.0, waiting) };
        let mut shares: Vec<(RegionId, f64)> =
            self.functions.iter().map(|(region, cost)| (*region, scale * cost)).collect();
        let place = self.suspect.place.region;
        match shares.iter_mut().find(|(region, _)| *region == place) {
            Some((_, share)) => *share += own + uncharged,
            None => shares.push((place, own + uncharged)),
        }
        shares.retain(|(_, share)| *share > 0.0);
        shares.sort_by_key(|(region, _)| *region);
        shares
    }

    /// All of it.
    pub(crate) fn total(&self) -> f64 {
        self.waiting + self.own
    }
}

/// Whether a suspect is one of messages: then its excess lies in calls that communicate.
pub(crate) fn is_of_messages(kind: FindingKind) -> bool {
    use FindingKind::{ExposedCommunication, SlowCard, SlowLink, SlowNetwork};
    matches!(kind, SlowLink | SlowCard | SlowNetwork | ExposedCommunication)
}

/// A suspect's cuts on one row, with sums: what is in excess in a stretch is a difference.
struct Claim<'a> {
    suspect: usize,
    of_messages: bool,
    cuts: &'a [Cut],
    /// Excess of all cuts before.
    sums: Vec<i64>,
}

impl Claim<'_> {
    /// The excess that lies in a stretch. A cut that sticks out counts with its part inside.
    fn within(&self, from: i64, to: i64) -> f64 {
        let first = self.cuts.partition_point(|cut| cut.end.0 <= from);
        let end = self.cuts.partition_point(|cut| cut.start.0 < to).max(first);
        let inside = |cut: &Cut| {
            let length = (cut.end.0 - cut.start.0).max(1) as f64;
            let common = (cut.end.0.min(to) - cut.start.0.max(from)).max(0) as f64;
            cut.excess as f64 * (common / length).min(1.0)
        };
        match end - first {
            0 => 0.0,
            1 => inside(&self.cuts[first]),
            _ => {
                let whole = self.sums[end - 1] - self.sums[first + 1];
                inside(&self.cuts[first]) + whole as f64 + inside(&self.cuts[end - 1])
            }
        }
    }
}

/// What charges come to for one suspect.
struct Share {
    suspect: usize,
    cost: f64,
    waiters: Vec<LocationId>,
    /// The dearest charge, and its stretch.
    dearest: Option<(f64, (Ns, Ns))>,
    functions: FxHashMap<RegionId, f64>,
}

impl Share {
    fn new(suspect: usize) -> Share {
        Share { suspect, cost: 0.0, waiters: Vec::new(), dearest: None, functions: FxHashMap::default() }
    }
}

/// What each suspect costs, in their order.
pub(crate) fn costs(rows: &Rows<'_>, run: &Run, suspects: Vec<Suspect>) -> Vec<Costed> {
    let mut claims: Vec<(usize, Vec<Claim<'_>>)> = Vec::new();
    for (at, suspect) in suspects.iter().enumerate() {
        let of_messages = is_of_messages(suspect.kind);
        for cuts in suspect.cuts.chunk_by(|a, b| a.location == b.location) {
            let Some(row) = rows.of(cuts[0].location) else { continue };
            let before = |sum: &mut i64, cut: &Cut| Some(std::mem::replace(sum, *sum + cut.excess));
            let sums = cuts.iter().scan(0, before).collect();
            claims.push((row, vec![Claim { suspect: at, of_messages, cuts, sums }]));
        }
    }
    claims.sort_by_key(|(row, claim)| (*row, claim[0].suspect));
    let by_row = claims.into_iter().fold(Vec::new(), |mut rows: Vec<(usize, Vec<Claim<'_>>)>, (row, claim)| {
        match rows.last_mut() {
            Some((last, claims)) if *last == row => claims.extend(claim),
            _ => rows.push((row, claim)),
        }
        rows
    });
    let shares: Vec<Vec<Share>> = by_row.par_iter().map(|(row, claims)| shares_of(run, rows, *row, claims)).collect();
    let mut found: Vec<Share> = (0..suspects.len()).map(Share::new).collect();
    for share in shares.into_iter().flatten() {
        let all = &mut found[share.suspect];
        all.cost += share.cost;
        all.waiters.extend(share.waiters);
        if share.dearest.map(|best| best.0) > all.dearest.map(|best| best.0) {
            all.dearest = share.dearest;
        }
        // One row after the other, so that sums do not depend on threads.
        for (region, cost) in share.functions {
            *all.functions.entry(region).or_default() += cost;
        }
    }
    let costed = |(suspect, mut share): (Suspect, Share)| {
        share.waiters.sort_unstable();
        share.waiters.dedup();
        let own = if is_of_messages(suspect.kind) { suspect.excess() as f64 } else { 0.0 };
        let dearest = share.dearest.map(|(_, stretch)| stretch);
        let mut functions: Vec<(RegionId, f64)> = share.functions.into_iter().collect();
        functions.sort_by_key(|(region, _)| *region);
        Costed { suspect, waiting: share.cost, own, waiters: share.waiters.len() as u64, dearest, functions }
    };
    suspects.into_iter().zip(found).map(costed).collect()
}

/// Deals out the charges of a row to those who claim a part of them.
fn shares_of(run: &Run, rows: &Rows<'_>, row: usize, claims: &[Claim<'_>]) -> Vec<Share> {
    let mut shares: Vec<Share> = claims.iter().map(|claim| Share::new(claim.suspect)).collect();
    for charges in run.delays.charges_of(row).chunk_by(|a, b| a.wait == b.wait) {
        let wait = &run.waits.list[charges[0].wait as usize];
        let (from, to) = (run.delays.since[charges[0].wait as usize], wait.arrival);
        for of_messages in [false, true] {
            let mine = || charges.iter().filter(|charge| rows.class(charge.region).communicates == of_messages);
            let (excess, cost) = mine().fold((0.0, 0.0), |(excess, cost), charge| {
                (excess + run.delays.excess(charge), cost + f64::from(charge.cost))
            });
            if excess <= 0.0 {
                continue;
            }
            let claimed = |claim: &Claim<'_>| {
                if claim.of_messages == of_messages { claim.within(from, to) } else { 0.0 }
            };
            let parts: Vec<f64> = claims.iter().map(claimed).collect();
            let whole = parts.iter().sum::<f64>().max(excess);
            for (share, part) in shares.iter_mut().zip(parts).filter(|(_, part)| *part > 0.0) {
                let own = cost * part / whole;
                share.cost += own;
                for charge in mine() {
                    *share.functions.entry(charge.region).or_default() += f64::from(charge.cost) * part / whole;
                }
                if share.waiters.last() != Some(&wait.location) {
                    share.waiters.push(wait.location);
                }
                if share.dearest.is_none_or(|(most, _)| own > most) {
                    share.dearest = Some((own, (Ns(from), Ns(wait.end().max(to)))));
                }
            }
        }
    }
    for share in &mut shares {
        share.waiters.sort_unstable();
        share.waiters.dedup();
    }
    shares
}
