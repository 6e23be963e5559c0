//! The messages of a collective, member by member, as textbooks have its algorithms.
//!
//! Where messages get into each other's way a collective cannot be worked out as a whole, as [`crate::algorithms`] does: its
//! messages travel one by one. Without contention both ways lead to the same nanosecond, which the tests check.

use crate::collective::{Algorithm, Collective, CollectiveKind};

/// A collective of more messages than this is worked out as a whole in any case, past the links.
const MOST_MESSAGES: u64 = 1 << 24;

/// What a member does next. Others are positions in the communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Send { to: usize, bytes: u64 },
    Receive { from: usize, bytes: u64 },
}

/// All that one member does in a collective, in order.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    /// Few steps: as many as a tree has levels.
    List(Vec<Step>),
    /// Rounds of a send and a receive, more than one would want to write down for every member of a large communicator.
    Rounds { members: usize, position: usize, rounds: usize, bytes: u64, partners: Partners, sends_first: bool },
}

/// With whom a member exchanges in a round.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Partners {
    /// The next one and the one before, in every round.
    Neighbours,
    /// Those as far away as the number of the round, which counts from 1.
    AsFarAsTheRound,
}

impl Plan {
    /// What the member at a position does; `root` is a position too. None for a collective without messages of its own: one
    /// that counts as one event, or has too many.
    pub(crate) fn new(op: &Collective, root: usize, members: usize, position: usize) -> Option<Plan> {
        let rounds = |rounds: usize, bytes: u64, partners| {
            let is_small = members as u64 * rounds as u64 <= MOST_MESSAGES;
            let sends_first = op.algorithm == Algorithm::Direct;
            is_small.then_some(Plan::Rounds { members, position, rounds, bytes, partners, sends_first })
        };
        match (op.algorithm, op.kind) {
            (Algorithm::Synchronising, _) => None,
            (Algorithm::Ring, CollectiveKind::Allgather) => rounds(members - 1, op.bytes, Partners::Neighbours),
            (Algorithm::Ring, _) => rounds(2 * (members - 1), op.bytes.div_ceil(members as u64), Partners::Neighbours),
            (Algorithm::Pairwise | Algorithm::Direct, _) => rounds(members - 1, op.bytes, Partners::AsFarAsTheRound),
            (Algorithm::Binomial, CollectiveKind::Bcast | CollectiveKind::Scatter) => {
                Some(Plan::List(away_from_root(op, root, members, position)))
            }
            (Algorithm::Binomial, _) => Some(Plan::List(towards_root(op, root, members, position))),
            (Algorithm::RecursiveDoubling, _) => Some(Plan::List(doubling(op, members, position))),
        }
    }

    /// Tells messages of one collective between the same two members apart: the same number at both ends.
    pub(crate) fn round(&self, step: usize) -> u32 {
        let round = match *self {
            // There is one message each way at most.
            Plan::List(_) => 0,
            Plan::Rounds { sends_first: false, .. } => step / 2,
            Plan::Rounds { sends_first: true, rounds, .. } => step % rounds.max(1),
        };
        round as u32
    }

    /// The step with this number, if there are so many.
    pub(crate) fn step(&self, number: usize) -> Option<Step> {
        match *self {
            Plan::List(ref list) => list.get(number).copied(),
            Plan::Rounds { members, position, rounds, bytes, partners, sends_first } => {
                if number >= 2 * rounds {
                    return None;
                }
                let distance = match partners {
                    Partners::Neighbours => 1,
                    Partners::AsFarAsTheRound => 1 + self.round(number) as usize,
                };
                let is_send = if sends_first { number < rounds } else { number.is_multiple_of(2) };
                let (to, from) = ((position + distance) % members, (position + members - distance) % members);
                Some(if is_send { Step::Send { to, bytes } } else { Step::Receive { from, bytes } })
            }
        }
    }
}

/// What goes over the edge above the member at a distance from the root, whose subtree has at most `most` members: for gather and
/// scatter the pieces of all of them.
fn over_the_edge(op: &Collective, members: usize, distance: usize, most: usize) -> u64 {
    match op.kind {
        CollectiveKind::Gather | CollectiveKind::Scatter => {
            op.bytes.saturating_mul(most.min(members - distance) as u64)
        }
        _ => op.bytes,
    }
}

fn away_from_root(op: &Collective, root: usize, members: usize, position: usize) -> Vec<Step> {
    let distance = (position + members - root) % members;
    let at = |distance: usize| (distance + root) % members;
    let bytes = |distance, most| over_the_edge(op, members, distance, most);
    let mut steps = Vec::new();
    let mut mask = 1;
    while mask < members && distance & mask == 0 {
        mask <<= 1;
    }
    if distance > 0 {
        steps.push(Step::Receive { from: at(distance - mask), bytes: bytes(distance, mask) });
    }
    while mask > 1 {
        mask >>= 1;
        if distance + mask < members {
            steps.push(Step::Send { to: at(distance + mask), bytes: bytes(distance + mask, mask) });
        }
    }
    steps
}

fn towards_root(op: &Collective, root: usize, members: usize, position: usize) -> Vec<Step> {
    let distance = (position + members - root) % members;
    let at = |distance: usize| (distance + root) % members;
    let bytes = |distance, most| over_the_edge(op, members, distance, most);
    let mut steps = Vec::new();
    let mut mask = 1;
    while mask < members {
        if distance & mask != 0 {
            steps.push(Step::Send { to: at(distance - mask), bytes: bytes(distance, mask) });
            break;
        }
        if distance + mask < members {
            steps.push(Step::Receive { from: at(distance + mask), bytes: bytes(distance + mask, mask) });
        }
        mask <<= 1;
    }
    steps
}

/// Where the members are no power of two, of the first few the even ones hand theirs to the odd ones and wait for the result.
fn doubling(op: &Collective, members: usize, position: usize) -> Vec<Step> {
    let grows = op.kind == CollectiveKind::Allgather;
    let power = 1 << members.ilog2();
    let folded = members - power;
    let result = if grows { op.bytes.saturating_mul(members as u64) } else { op.bytes };
    let is_folded = position < 2 * folded;
    if is_folded && position.is_multiple_of(2) {
        let partner = position + 1;
        return vec![Step::Send { to: partner, bytes: op.bytes }, Step::Receive { from: partner, bytes: result }];
    }
    let mut steps = Vec::new();
    if is_folded {
        steps.push(Step::Receive { from: position - 1, bytes: op.bytes });
    }
    let active = if is_folded { position / 2 } else { position - folded };
    let mut mask = 1;
    while mask < power {
        let peer = active ^ mask;
        let peer = if peer < folded { 2 * peer + 1 } else { peer + folded };
        let bytes = if grows { op.bytes.saturating_mul(mask as u64) } else { op.bytes };
        steps.extend([Step::Send { to: peer, bytes }, Step::Receive { from: peer, bytes }]);
        mask <<= 1;
    }
    if is_folded {
        steps.push(Step::Send { to: position - 1, bytes: result });
    }
    steps
}
