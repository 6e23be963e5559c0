//! A collective worked out message by message, where some messages cost more than others.
//!
//! [`crate::algorithms`] has shorter ways for messages that all cost the same; the tests check that both come to the same there.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::collective::Collective;
use crate::faults::Wires;
use crate::members::Members;
use crate::steps::{Plan, Step};

/// A member at work.
struct Member {
    plan: Plan,
    /// Number of the step that is next.
    step: usize,
    /// Until when its network card is busy.
    card: i64,
}

/// Entries are replaced by when each member leaves. `root` is a position. Tells whether it could: not for a collective
/// without messages of its own, or with too many.
pub(crate) fn travel(op: &Collective, root: usize, members: &Members, wires: &Wires, times: &mut [i64]) -> bool {
    let plans = (0..members.len()).map(|position| Plan::new(op, root, members.len(), position));
    let Some(mut all) =
        plans.map(|plan| plan.map(|plan| Member { plan, step: 0, card: 0 })).collect::<Option<Vec<_>>>()
    else {
        return false;
    };
    // When messages are there that were not received yet, by sender, receiver and round.
    let mut arrived: FxHashMap<(usize, usize, u32), i64> = FxHashMap::default();
    let mut woken: VecDeque<usize> = (0..members.len()).collect();
    while let Some(position) = woken.pop_front() {
        let member = &mut all[position];
        let now = &mut times[position];
        let rank = members.rank(position);
        while let Some(step) = member.plan.step(member.step) {
            let round = member.plan.round(member.step);
            match step {
                Step::Send { to, bytes } => {
                    let peer = members.rank(to);
                    *now += wires.overhead();
                    let leaves = (*now).max(member.card);
                    let network = wires.between(rank, peer, leaves);
                    member.card = leaves + wires.injection((rank, peer), bytes, *now);
                    arrived.insert((position, to, round), leaves + network.transfer(bytes) + network.latency());
                    woken.push_back(to);
                }
                Step::Receive { from, .. } => {
                    let Some(there) = arrived.remove(&(from, position, round)) else { break };
                    *now = (*now).max(there) + wires.overhead();
                }
            }
            member.step += 1;
        }
    }
    true
}
