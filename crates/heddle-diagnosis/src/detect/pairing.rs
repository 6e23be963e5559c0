//! Which visits of different rows are the same step of the program.
//!
//! The k-th visit of one row is compared with the k-th of the others where all rows do the same. Often they do not: in a
//! factorisation each column of processes has its turn, a coarse grid is worked on by few. Then other ways of counting keep like
//! with like: counting from the last call that all make equally often, or from turn to turn of computing and communication; or
//! only rows with as many visits are peers. Which of them holds is a property of the program, not known beforehand: a sample of
//! rows decides, by how well peers agree.

use super::stats::quantile;

/// How visits of a place count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// From the start of the run.
    Run,
    /// From the last call that all rows make equally often.
    Anchor,
    /// From turn to turn of computing and communication.
    Turn,
}

/// How visits of a place are paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pairing {
    pub(super) count: Count,
    /// Only rows with equally many visits are peers.
    pub(super) same_number: bool,
}

impl Pairing {
    /// In the order in which they are preferred.
    const ALL: [Pairing; 6] = [
        Pairing { count: Count::Run, same_number: false },
        Pairing { count: Count::Anchor, same_number: false },
        Pairing { count: Count::Turn, same_number: false },
        Pairing { count: Count::Run, same_number: true },
        Pairing { count: Count::Anchor, same_number: true },
        Pairing { count: Count::Turn, same_number: true },
    ];
}

/// Peers that are needed to say what is usual.
pub(super) const LEAST_PEERS: usize = 3;
/// What is usual is what so many of the peers stay below: half of them may be slow.
pub(super) const USUAL: f64 = 0.25;

/// A way of pairing must be better by so much to be taken instead of a simpler one.
const BETTER: f64 = 0.85;
const BETTER_BY: f64 = 0.004;
/// Share of the time that must have peers, of what the best way has.
const LEAST_COVERED: f64 = 0.75;
/// Disagreement beyond a factor of e^this counts as this.
const MOST_APART: f64 = 1.5;

/// A visit of the sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampled {
    pub(super) row: u32,
    /// By way of counting: run, anchor, turn.
    pub(super) keys: [u64; 3],
    pub(super) time: f32,
}

/// How the visits of a place are best paired; none where they have no peers. `numbers` has each row's number of visits.
pub(super) fn choose(visits: &[Sampled], number: impl Fn(u32) -> u32) -> Option<Pairing> {
    let mut keyed: Vec<(u32, u64, f32)> = Vec::with_capacity(visits.len());
    let whole: f64 = visits.iter().map(|visit| f64::from(visit.time)).sum();
    let mut found: Vec<(Pairing, f64, f64)> = Vec::new();
    for pairing in Pairing::ALL {
        keyed.clear();
        let class = |row: u32| if pairing.same_number { number(row) } else { 0 };
        let which = match pairing.count {
            Count::Run => 0,
            Count::Anchor => 1,
            Count::Turn => 2,
        };
        keyed.extend(visits.iter().map(|visit| (class(visit.row), visit.keys[which], visit.time)));
        let (apart, covered) = disagreement(&mut keyed);
        found.push((pairing, apart, if whole > 0.0 { covered / whole } else { 0.0 }));
    }
    let most = found.iter().map(|(_, _, covered)| *covered).fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    found.retain(|(_, _, covered)| *covered >= LEAST_COVERED * most);
    let mut best = found[0];
    for other in &found[1..] {
        if other.1 < BETTER * best.1 - BETTER_BY {
            best = *other;
        }
    }
    Some(best.0)
}

/// By how much peers differ, as a mean over time of the logarithm, and how much time has peers.
fn disagreement(keyed: &mut [(u32, u64, f32)]) -> (f64, f64) {
    keyed.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
    let (mut apart, mut weights, mut covered) = (0.0, 0.0, 0.0);
    for peers in keyed.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let middle = f64::from(peers[peers.len() / 2].2);
        if peers.len() < LEAST_PEERS || middle <= 0.0 {
            continue;
        }
        // The middle one is no distance from itself.
        let freedom = peers.len() as f64 / (peers.len() - 1) as f64;
        for (_, _, time) in peers {
            let log = (f64::from(*time).max(1.0) / middle.max(1.0)).ln().abs();
            apart += middle * log.min(MOST_APART) * freedom;
            weights += middle;
            covered += f64::from(*time);
        }
    }
    (if weights > 0.0 { apart / weights } else { f64::INFINITY }, covered)
}

/// What peers usually take; `absent` more of them took no time.
pub(super) fn usual(times: &mut [f64], absent: usize) -> f64 {
    let all = times.len() + absent;
    let at = (((all - 1) as f64) * USUAL) as usize;
    if at < absent { 0.0 } else { quantile_at(times, at - absent) }
}

fn quantile_at(times: &mut [f64], at: usize) -> f64 {
    let count = times.len();
    if count == 0 {
        return 0.0;
    }
    quantile(times, (at as f64 + 0.5) / count as f64)
}
