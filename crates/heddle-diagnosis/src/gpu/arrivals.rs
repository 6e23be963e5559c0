//! Who comes late to collectives of accelerators.
//!
//! How long a collective takes on a rank says nothing about that rank: most of it is waiting for the last. So the last is
//! named, and only if it is last much more often than by chance. Clocks of different machines differ; but all leave such a
//! collective together, so who comes last by the clocks must also stay shortest, else it does not count.

use heddle_model::{CollectiveOp, LocationId, Paradigm, Rank, SpanRow};
use heddle_store::{Progress, Store, StoreError};
use rustc_hash::FxHashMap;

use crate::tasks::robust::median;

/// A straggler is last in at least this share of its collectives.
const LEAST_LAST: f64 = 0.3;
/// And it would be so by chance, on any rank, with less than this probability.
const MOST_CHANCE: f64 = 0.01;
/// Of fewer collectives nothing is said.
const LEAST_COLLECTIVES: u64 = 5;

/// How a rank comes to collectives.
#[derive(Clone, Debug, PartialEq)]
pub struct RankArrivals {
    /// The rank.
    pub rank: Rank,
    /// The location of its first collective.
    pub location: LocationId,
    /// Collectives in which others take part as well.
    pub collectives: u64,
    /// Of those whose members are all known: how many there are.
    pub whole: u64,
    /// In how many of those it is last.
    pub last: u64,
    /// In how many it is first.
    pub first: u64,
    /// How long it waits for the last, altogether.
    pub waited: i64,
    /// How much longer than for the last but one others wait for it, altogether.
    pub made_wait: i64,
    /// The chance to be last so often among equals, times the number of ranks.
    pub chance: f64,
    /// What it usually takes from the end of one collective to its next.
    pub between: f64,
}

/// How ranks come to collectives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrivals {
    /// By rank; empty where no collective has several members.
    pub ranks: Vec<RankArrivals>,
    /// How many collectives there are.
    pub collectives: u64,
    /// What most collectives take the last who comes, in nanoseconds: hardly any of that is waiting.
    pub communication: f64,
    /// By how much most of them are apart, from the first who comes to the last.
    pub skew: f64,
}

impl Arrivals {
    /// The rank that the others wait for, if there is one: a position among the ranks.
    pub fn straggler(&self) -> Option<usize> {
        let is_straggler = |of: &RankArrivals| {
            of.whole >= LEAST_COLLECTIVES && of.last as f64 >= LEAST_LAST * of.whole as f64 && of.chance < MOST_CHANCE
        };
        let least = self.ranks.iter().map(|of| of.waited).min()?;
        let found = self.ranks.iter().position(is_straggler)?;
        (self.ranks[found].waited == least).then_some(found)
    }
}

/// Collectives that nobody leaves before all have come.
fn synchronises(op: CollectiveOp) -> bool {
    let name = op.name();
    op == CollectiveOp::BARRIER || name.starts_with("all") && !name.starts_with("alloc") || name.starts_with("reduce_")
}

/// A member of a collective.
#[derive(Clone, Copy)]
struct Member {
    rank: Rank,
    location: LocationId,
    start: i64,
    end: i64,
}

/// Sums of a rank while collectives are read.
#[derive(Default)]
struct Sums {
    location: Option<LocationId>,
    collectives: u64,
    whole: u64,
    last: u64,
    first: u64,
    waited: i64,
    made_wait: i64,
    /// Sum of the chances to be last in each.
    chances: f64,
    between: Vec<f64>,
}

/// How ranks come to collectives of NCCL, Gloo and their like.
pub fn arrivals(store: &Store, progress: &dyn Progress) -> Result<Arrivals, StoreError> {
    let table = &store.collectives;
    let mut ranks: FxHashMap<Rank, Sums> = FxHashMap::default();
    let (mut communication, mut skews) = (Vec::new(), Vec::new());
    let mut ended: FxHashMap<Rank, i64> = FxHashMap::default();
    let (mut comm, mut members) = (None, Vec::new());
    for row in 0..table.len() {
        if row % 4096 == 0 {
            progress.check()?;
        }
        if comm.replace(table.comm.get(row)) != Some(table.comm.get(row)) {
            ended.clear();
        }
        if !synchronises(table.op.get(row)) {
            continue;
        }
        read_members(store, row, &mut members);
        if members.len() > 1 {
            let is_whole = table.doubtful.get(row) == 0;
            skews.push(add(&members, is_whole, &mut ranks) as f64);
            communication
                .extend(members.iter().map(|member| member.end - member.start).min().map(|least| least as f64));
        }
        for member in &members {
            let sums = ranks.entry(member.rank).or_default();
            if let Some(before) = ended.insert(member.rank, member.end) {
                sums.between.push((member.start - before) as f64);
            }
        }
    }
    let mut ranks: Vec<(Rank, Sums)> = ranks.into_iter().filter(|(_, sums)| sums.collectives > 0).collect();
    ranks.sort_unstable_by_key(|(rank, _)| *rank);
    let count = ranks.len() as f64;
    let ranks = ranks.into_iter().map(|(rank, sums)| sums.finish(rank, count)).collect();
    Ok(Arrivals {
        ranks,
        collectives: skews.len() as u64,
        communication: median(&mut communication).unwrap_or(0.0),
        skew: median(&mut skews).unwrap_or(0.0),
    })
}

/// The members of a collective that is not of MPI, one of each rank.
fn read_members(store: &Store, row: u64, members: &mut Vec<Member>) {
    let (table, of) = (&store.collectives, &store.collective_members);
    members.clear();
    let first = table.first_member.get(row);
    for at in first..first + u64::from(table.members.get(row)) {
        let (location, span) = (of.location.get(at), of.span.get(at));
        let rank = store.locations.rank.get(u64::from(location.0));
        let is_ours = |span: SpanRow| {
            span.is_some() && store.regions.paradigm_of(store.spans.region.get(span.0)) == Paradigm::Communication
        };
        if rank.is_some() && is_ours(span) {
            members.push(Member { rank, location, start: of.start.get(at).0, end: of.end.get(at).0 });
        }
    }
    members.sort_unstable_by_key(|member| (member.rank, member.start));
    members.dedup_by_key(|member| member.rank);
}

/// Adds a collective to the sums of its members; tells how far they are apart.
fn add(members: &[Member], is_whole: bool, ranks: &mut FxHashMap<Rank, Sums>) -> i64 {
    let latest = members.iter().map(|member| member.start).max().unwrap_or(0);
    let earliest = members.iter().map(|member| member.start).min().unwrap_or(0);
    let shortest = members.iter().map(|member| member.end - member.start).min().unwrap_or(0);
    let mut starts: Vec<i64> = members.iter().map(|member| member.start).collect();
    starts.sort_unstable();
    let second = starts[starts.len() - 2];
    for member in members {
        let sums = ranks.entry(member.rank).or_default();
        sums.location.get_or_insert(member.location);
        sums.collectives += 1;
        sums.waited += latest - member.start;
        if !is_whole {
            continue;
        }
        sums.whole += 1;
        sums.chances += 1.0 / members.len() as f64;
        sums.first += u64::from(member.start == earliest && latest > earliest);
        if member.start == latest && second < latest && member.end - member.start == shortest {
            sums.last += 1;
            sums.made_wait += (latest - second) * (members.len() as i64 - 1);
        }
    }
    latest - earliest
}

impl Sums {
    fn finish(mut self, rank: Rank, ranks: f64) -> RankArrivals {
        let chance =
            if self.whole > 0 { at_least(self.whole, self.chances / self.whole as f64, self.last) } else { 1.0 };
        RankArrivals {
            rank,
            location: self.location.unwrap_or(LocationId::NONE),
            collectives: self.collectives,
            whole: self.whole,
            last: self.last,
            first: self.first,
            waited: self.waited,
            made_wait: self.made_wait,
            chance: (chance * ranks).min(1.0),
            between: median(&mut self.between).unwrap_or(0.0),
        }
    }
}

/// The probability that of `count` things of probability `p` at least `least` happen.
fn at_least(count: u64, p: f64, least: u64) -> f64 {
    if least == 0 || p >= 1.0 {
        return 1.0;
    }
    // From the first term, by logarithms, each follows from the one before.
    let choose: f64 = (0..least).map(|at| ((count - at) as f64 / (least - at) as f64).ln()).sum();
    let mut term = (choose + least as f64 * p.ln() + (count - least) as f64 * (1.0 - p).ln()).exp();
    let mut sum = term;
    for at in least..count {
        term *= (count - at) as f64 / (at + 1) as f64 * p / (1.0 - p);
        sum += term;
        if term < sum * 1e-12 && (at as f64) > p * count as f64 {
            break;
        }
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_those_of_the_binomial_distribution() {
        assert!((at_least(20, 1.0 / 64.0, 3) - 0.003_563_65).abs() < 1e-7);
        assert!((64.0 * at_least(20, 1.0 / 64.0, 4) - 0.015_125).abs() < 1e-5);
        assert!((at_least(3, 0.5, 1) - 0.875).abs() < 1e-12);
        assert!((at_least(3, 0.5, 0) - 1.0).abs() < 1e-12 && (at_least(3, 0.5, 3) - 0.125).abs() < 1e-12);
        assert!(at_least(100_000, 0.001, 50_000) < 1e-300);
    }

    #[test]
    fn only_what_all_wait_in_counts() {
        let waits = |name: &str| synchronises(CollectiveOp::from_name(name));
        assert!(["barrier", "allreduce", "alltoallv", "allgather", "reduce_scatter"].into_iter().all(waits));
        assert!(!["bcast", "reduce", "gather", "allocate", "scan"].into_iter().any(waits));
    }
}
