//! When the members of a collective leave it, from when they entered it.
//!
//! Every algorithm is worked out message by message with the costs of eager messages ([`crate::machine`]): a send takes
//! the processor o, a receive is over at max(entry, arrival) + o, and a member's network card takes one message at a time.
//! Three algorithms have a number of messages that grows with the square of the members. The ring is solved without
//! looking at each of them; the exchanges of everybody with everybody are, up to [`MOST_PAIRWISE`] members.

use crate::collective::{Algorithm, Collective, CollectiveKind};
use crate::machine::LogGp;

/// With more members than this an exchange of everybody with everybody counts as one event that takes as long.
const MOST_PAIRWISE: usize = 16_384;

/// Entries are replaced by when each member leaves. `root` is a position.
pub(crate) fn run(op: &Collective, root: usize, network: &LogGp, times: &mut [i64]) {
    let members = times.len();
    match (op.algorithm, op.kind) {
        (Algorithm::Synchronising, _) => synchronise(times, network.synchronising(members, op.bytes)),
        (Algorithm::Binomial, CollectiveKind::Bcast) => away_from_root(times, root, network, |_| op.bytes),
        (Algorithm::Binomial, CollectiveKind::Scatter) => {
            away_from_root(times, root, network, |below| op.bytes.saturating_mul(below));
        }
        (Algorithm::Binomial, CollectiveKind::Gather) => {
            towards_root(times, root, network, |below| op.bytes.saturating_mul(below));
        }
        (Algorithm::Binomial, _) => towards_root(times, root, network, |_| op.bytes),
        (Algorithm::RecursiveDoubling, kind) => doubling(times, network, op.bytes, kind == CollectiveKind::Allgather),
        (Algorithm::Ring, CollectiveKind::Allgather) => ring(times, network, op.bytes, members - 1),
        // The vector goes round in pieces: once to be added up, once to be handed out.
        (Algorithm::Ring, _) => ring(times, network, op.bytes.div_ceil(members as u64), 2 * (members - 1)),
        (Algorithm::Pairwise, _) if members <= MOST_PAIRWISE => pairwise(times, network, op.bytes),
        (Algorithm::Direct, _) if members <= MOST_PAIRWISE => direct(times, network, op.bytes),
        (Algorithm::Pairwise | Algorithm::Direct, _) => {
            let (steps, costs) = (members as i64 - 1, Costs::new(network, op.bytes));
            synchronise(times, steps * costs.injection.max(2 * costs.overhead) + costs.flight);
        }
    }
}

/// More than any algorithm takes after its last entry.
pub(crate) fn longest(op: &Collective, members: usize, network: &LogGp) -> f64 {
    let step = network.latency_ns + 2 * network.overhead_ns + network.gap_ns;
    4.0 * members as f64 * (step as f64 + op.bytes as f64 * network.gap_per_byte)
}

/// All leave together.
fn synchronise(times: &mut [i64], after: i64) {
    let last = times.iter().copied().max().unwrap_or(0);
    times.fill(last + after);
}

/// What a message of some length costs.
#[derive(Clone, Copy)]
struct Costs {
    overhead: i64,
    /// How long it keeps the network card.
    injection: i64,
    /// From there to its arrival.
    flight: i64,
}

impl Costs {
    fn new(network: &LogGp, bytes: u64) -> Costs {
        let flight = network.transfer(bytes) + network.latency();
        Costs { overhead: network.overhead(), injection: network.injection(bytes), flight }
    }

    /// Sends a message and tells when it arrives. `free` is when the network card is.
    fn send(&self, now: &mut i64, free: &mut i64) -> i64 {
        *now += self.overhead;
        let injected = (*now).max(*free);
        *free = injected + self.injection;
        injected + self.flight
    }

    /// Receives a message.
    fn receive(&self, now: &mut i64, arrival: i64) {
        *now = (*now).max(arrival) + self.overhead;
    }
}

/// How many members the subtree of the member at a distance from the root has: itself and those behind it, up to where
/// the next one of the same level begins.
fn below(distance: usize, members: usize) -> usize {
    let full = if distance == 0 { members } else { 1 << distance.trailing_zeros() };
    full.min(members - distance)
}

/// The members that the one at a distance from the root sends to or receives from: largest subtree first.
fn children(distance: usize, members: usize) -> impl DoubleEndedIterator<Item = usize> {
    let levels = if distance == 0 { members.next_power_of_two().trailing_zeros() } else { distance.trailing_zeros() };
    (0..levels).rev().map(move |level| distance + (1 << level)).filter(move |child| *child < members)
}

/// Binomial tree: everybody receives from its parent, then sends to its children. `bytes` is a function of the size of
/// the child's subtree.
fn away_from_root(times: &mut [i64], root: usize, network: &LogGp, bytes: impl Fn(u64) -> u64) {
    let members = times.len();
    let at = |distance: usize| (root + distance) % members;
    let mut arrivals = vec![0; members];
    // Parents come before their children.
    for distance in 0..members {
        let (mut now, mut free) = (times[at(distance)], 0);
        if distance > 0 {
            Costs::new(network, 0).receive(&mut now, arrivals[distance]);
        }
        for child in children(distance, members) {
            let costs = Costs::new(network, bytes(below(child, members) as u64));
            arrivals[child] = costs.send(&mut now, &mut free);
        }
        times[at(distance)] = now;
    }
}

/// The same tree upwards: everybody receives from its children, smallest subtree first, then sends to its parent.
fn towards_root(times: &mut [i64], root: usize, network: &LogGp, bytes: impl Fn(u64) -> u64) {
    let members = times.len();
    let at = |distance: usize| (root + distance) % members;
    let mut arrivals = vec![0; members];
    for distance in (0..members).rev() {
        let mut now = times[at(distance)];
        let costs = Costs::new(network, bytes(below(distance, members) as u64));
        for child in children(distance, members).rev() {
            costs.receive(&mut now, arrivals[child]);
        }
        if distance > 0 {
            arrivals[distance] = costs.send(&mut now, &mut 0);
        }
        times[at(distance)] = now;
    }
}

/// Recursive doubling. Where the members are no power of two, the first few fold in pairs before and unfold after.
/// `grows`: what is known doubles with every step.
fn doubling(times: &mut [i64], network: &LogGp, bytes: u64, grows: bool) {
    let members = times.len();
    let power = if members.is_power_of_two() { members } else { members.next_power_of_two() / 2 };
    let folded = members - power;
    let mut free = vec![0; members];
    let message = |times: &mut [i64], free: &mut [i64], from: usize, to: usize, bytes: u64| {
        let costs = Costs::new(network, bytes);
        let arrival = costs.send(&mut times[from], &mut free[from]);
        costs.receive(&mut times[to], arrival);
    };
    // Of the first 2 * folded members, the even ones hand theirs to the odd ones and wait.
    for pair in 0..folded {
        message(times, &mut free, 2 * pair, 2 * pair + 1, bytes);
    }
    let member = |active: usize| if active < folded { 2 * active + 1 } else { active + folded };
    let mut arrivals = vec![0; power];
    let mut distance = 1;
    while distance < power {
        let costs = Costs::new(network, if grows { bytes.saturating_mul(distance as u64) } else { bytes });
        for active in 0..power {
            let at = member(active);
            arrivals[active ^ distance] = costs.send(&mut times[at], &mut free[at]);
        }
        for (active, arrival) in arrivals.iter().enumerate() {
            costs.receive(&mut times[member(active)], *arrival);
        }
        distance *= 2;
    }
    let result = if grows { bytes.saturating_mul(members as u64) } else { bytes };
    for pair in 0..folded {
        message(times, &mut free, 2 * pair + 1, 2 * pair, result);
    }
}

/// Everybody sends to the next and receives from the one before, `steps` times.
///
/// Which wait decides? A chain of causes from the entry of a member `hops` places before to the end here passes `hops`
/// messages, and for the other steps stays with a member: 2o each, or as long as a network card is busy, if that is
/// longer. A member's own entry cannot profit from the latter. The longest of all chains is the end, so:
///
/// end(v) = max(entry(v) + steps·2o, max over hops from 1 to steps of entry(v − hops) + hops·hop + (steps − hops)·stay)
///
/// Only one lap of hops matters, the last one (or the first, should hops be cheaper than staying), and the maximum over a
/// window that slides around the ring costs a step for each member.
fn ring(times: &mut [i64], network: &LogGp, bytes: u64, steps: usize) {
    let members = times.len();
    if steps == 0 {
        return;
    }
    let costs = Costs::new(network, bytes);
    let own = 2 * costs.overhead;
    let (hop, stay) = (own + costs.flight, own.max(costs.injection));
    let window = steps.min(members);
    let most_hops = if hop >= stay { steps } else { window };
    let entry = |at: usize| times[at % members];
    // Over all chains of a window the entry that is best for one end is best for the next, until it falls out.
    let lead = hop - stay;
    let mut best: std::collections::VecDeque<(usize, i64)> = std::collections::VecDeque::new();
    let mut ends = vec![0; members];
    // `source` counts on around the ring; for the end at place `at` its hops are most_hops − (source − at).
    let laps = members * most_hops.div_ceil(members) - most_hops;
    for source in 0..members + window - 1 {
        let value = entry(source + laps) - lead * source as i64;
        while best.back().is_some_and(|(_, other)| *other <= value) {
            best.pop_back();
        }
        best.push_back((source, value));
        let Some(at) = (source + 1).checked_sub(window) else { continue };
        while best.front().is_some_and(|(place, _)| *place < at) {
            best.pop_front();
        }
        if let Some((_, value)) = best.front() {
            let hops = most_hops as i64 + at as i64;
            ends[at] = value + lead * hops + steps as i64 * stay;
        }
    }
    for (time, end) in times.iter_mut().zip(ends) {
        *time = (*time + steps as i64 * own).max(end);
    }
}

/// Step k: everybody sends to the k-th after it and receives from the k-th before it.
fn pairwise(times: &mut [i64], network: &LogGp, bytes: u64) {
    let costs = Costs::new(network, bytes);
    let mut free = vec![0; times.len()];
    let mut arrivals = vec![0; times.len()];
    for step in 1..times.len() {
        for ((now, free), arrival) in times.iter_mut().zip(&mut free).zip(&mut arrivals) {
            *arrival = costs.send(now, free);
        }
        arrivals.rotate_right(step);
        for (now, arrival) in times.iter_mut().zip(&arrivals) {
            costs.receive(now, *arrival);
        }
    }
}

/// Everybody sends to the first after it, the second and so on, and then receives from the first before it, the second and so on.
fn direct(times: &mut [i64], network: &LogGp, bytes: u64) {
    let costs = Costs::new(network, bytes);
    let members = times.len();
    // Nobody waits before all is sent, so all send in the same rhythm, each from its entry on.
    let entries = times.to_vec();
    let (mut now, mut free) = (0, 0);
    let rhythm: Vec<i64> = (1..members).map(|_| costs.send(&mut now, &mut free)).collect();
    for (at, time) in times.iter_mut().enumerate() {
        *time += now;
        for (distance, after) in (1..).zip(&rhythm) {
            costs.receive(time, entries[(at + members - distance) % members] + after);
        }
    }
}
