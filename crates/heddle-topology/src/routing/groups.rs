//! Through a dragonfly: within a group along a row and then a column, between groups over a cable that joins them.
//!
//! Many flows are added up by the router at one end and the group at the other: from there on all of them travel alike. By way
//! of a third group, those of each two groups arrive there at the same routers and leave it from the same ones.

use super::up_down::take;
use super::{Flow, Routing};
use crate::{Dragonfly, Element, Link, Topology};

pub(super) struct Groups {
    fly: Dragonfly,
    /// Whether messages go by way of a third group.
    by_third: bool,
}

/// Sums for no more pairs of a router and a group than this are made, 256 megabytes.
const MOST_PAIRS: usize = 1 << 24;

impl Groups {
    pub(super) fn new(fly: Dragonfly, by_third: bool) -> Groups {
        // Of two groups there is no third.
        let by_third = by_third && fly.plan().groups > 2;
        Groups { fly, by_third }
    }

    fn group(&self, router: u32) -> u32 {
        router / self.fly.per_group()
    }

    /// From a router to another of its group: along the row to its column, then along the column.
    fn within(&self, from: u32, to: u32, visit: &mut impl FnMut(Link)) {
        let columns = self.fly.plan().columns;
        let turn = from / columns * columns + to % columns;
        self.fly.local_link(from, turn).into_iter().for_each(&mut *visit);
        self.fly.local_link(turn, to).into_iter().for_each(visit);
    }

    /// The cables from a group to another: the link, and the routers from which and to which it leads.
    fn gates(&self, from: u32, to: u32) -> impl ExactSizeIterator<Item = (Link, u32, u32)> {
        self.fly.global_links(from, to).map(|link| {
            let (gate, arrival) = self.fly.ends(link);
            (link, self.fly.router_of(gate), self.fly.router_of(arrival))
        })
    }

    /// From a router to another group over one of the cables between the two; tells where it arrives.
    fn across(&self, from: u32, to_group: u32, cable: usize, path: &mut Vec<Link>) -> u32 {
        let Some((link, gate, arrival)) = self.gates(self.group(from), to_group).nth(cable) else { return from };
        self.within(from, gate, &mut |link| path.push(link));
        path.push(link);
        arrival
    }

    /// The third groups that messages between two may go by.
    fn thirds(&self, from: u32, to: u32) -> impl Iterator<Item = u32> {
        (0..self.fly.plan().groups).filter(move |third| *third != from && *third != to)
    }

    fn is_travel(&self, from: Element, to: Element) -> bool {
        from != to && from.0 < self.fly.hosts() && to.0 < self.fly.hosts()
    }

    /// The way by that third group, or straight, over these cables.
    fn way(&self, from: Element, to: Element, third: Option<u32>, cables: [usize; 2]) -> Vec<Link> {
        let mut path = vec![Link(2 * from.0)];
        let (mut at, end) = (self.fly.router_of(from), self.fly.router_of(to));
        if let Some(third) = third {
            at = self.across(at, third, cables[0], &mut path);
        }
        if self.group(at) != self.group(end) {
            at = self.across(at, self.group(end), cables[1], &mut path);
        }
        self.within(at, end, &mut |link| path.push(link));
        path.push(Link(2 * to.0 + 1));
        path
    }
}

impl Routing for Groups {
    fn route(&self, from: Element, to: Element, visit: &mut dyn FnMut(Link, f64)) {
        if !self.is_travel(from, to) {
            return;
        }
        let (group, to_group) = (self.fly.group_of(from), self.fly.group_of(to));
        let cables = if group == to_group { 1 } else { self.fly.plan().global as usize };
        let ways: Vec<Vec<Link>> = if self.by_third && group != to_group {
            let both = (0..cables).flat_map(|first| (0..cables).map(move |second| [first, second]));
            let way = |third| both.clone().map(move |cables| self.way(from, to, Some(third), cables));
            self.thirds(group, to_group).flat_map(way).collect()
        } else {
            (0..cables).map(|cable| self.way(from, to, None, [0, cable])).collect()
        };
        if let [only] = &ways[..] {
            return only.iter().for_each(|link| visit(*link, 1.0));
        }
        // The same link is on several of them.
        let share = 1.0 / ways.len() as f64;
        let mut links: Vec<Link> = ways.into_iter().flatten().collect();
        links.sort_unstable();
        for same in links.chunk_by(|one, next| one == next) {
            visit(same[0], same.len() as f64 * share);
        }
    }

    fn path(&self, from: Element, to: Element, mut choice: u64) -> Vec<Link> {
        if !self.is_travel(from, to) {
            return Vec::new();
        }
        let (group, to_group) = (self.fly.group_of(from), self.fly.group_of(to));
        let mut third = None;
        if self.by_third && group != to_group {
            let nth = take(&mut choice, u64::from(self.fly.plan().groups) - 2) as usize;
            third = self.thirds(group, to_group).nth(nth);
        }
        let mut cable = || take(&mut choice, u64::from(self.fly.plan().global)) as usize;
        let cables = [cable(), cable()];
        self.way(from, to, third, if third.is_some() { cables } else { [0, cables[0]] })
    }

    fn load(&self, flows: &[Flow], loads: &mut [f64]) {
        let (routers, groups) = (self.fly.routers() as usize, self.fly.plan().groups as usize);
        let cables = self.fly.plan().global as usize;
        let ways = if self.by_third { (groups - 2) * cables * cables } else { cables };
        if routers * groups > MOST_PAIRS.min(32 * ways * flows.len()) {
            for flow in flows {
                self.route(flow.from, flow.to, &mut |link, share| loads[link.index()] += flow.bytes * share);
            }
            return;
        }
        // By router and group: what the router sends to the group, and what it gets from it.
        let (mut sent, mut got) = (vec![0.0; routers * groups], vec![0.0; routers * groups]);
        for flow in flows.iter().filter(|flow| self.is_travel(flow.from, flow.to)) {
            let (from, to) = (self.fly.router_of(flow.from), self.fly.router_of(flow.to));
            loads[2 * flow.from.index()] += flow.bytes;
            loads[2 * flow.to.index() + 1] += flow.bytes;
            let (group, to_group) = (self.group(from), self.group(to));
            if group == to_group {
                self.within(from, to, &mut |link| loads[link.index()] += flow.bytes);
            } else {
                sent[from as usize * groups + to_group as usize] += flow.bytes;
                got[to as usize * groups + group as usize] += flow.bytes;
            }
        }
        if self.by_third {
            self.load_thirds(&sent, loads);
            let thirds = (groups - 2) as f64;
            for (router, (sent, got)) in sent.chunks_mut(groups).zip(got.chunks_mut(groups)).enumerate() {
                let group = self.group(router as u32) as usize;
                // To a third group goes a part of all that does not go to it in the end; from it comes what did not start there.
                for sums in [sent, got] {
                    others(sums);
                    for sum in &mut *sums {
                        *sum /= thirds;
                    }
                    sums[group] = 0.0;
                }
            }
        }
        let cables = f64::from(self.fly.plan().global);
        for (router, (sent, got)) in (0..).zip(sent.chunks(groups).zip(got.chunks(groups))) {
            let group = self.group(router);
            for (other, (sent, got)) in (0..).zip(sent.iter().zip(got)) {
                if *sent > 0.0 {
                    for (link, gate, _) in self.gates(group, other) {
                        self.within(router, gate, &mut |link| loads[link.index()] += sent / cables);
                        loads[link.index()] += sent / cables;
                    }
                }
                if *got > 0.0 {
                    for (_, _, arrival) in self.gates(other, group) {
                        self.within(arrival, router, &mut |link| loads[link.index()] += got / cables);
                    }
                }
            }
        }
    }

    /// All nodes of a router send over the same links, so routers send to each other instead; links to nodes have their own.
    fn load_all_pairs(&self, weights: &[f64], loads: &mut [f64]) {
        let per_router = self.fly.plan().nodes as usize;
        let of_router: Vec<f64> = weights.chunks(per_router).map(|nodes| nodes.iter().sum()).collect();
        let node = |router: usize| Element((router * per_router) as u32);
        let mut sums = vec![0.0; loads.len()];
        let mut flows = Vec::new();
        for (from, sent) in of_router.iter().enumerate().filter(|(_, sent)| **sent > 0.0) {
            let others = of_router.iter().enumerate().filter(|(to, weight)| *to != from && **weight > 0.0);
            flows.extend(others.map(|(to, weight)| Flow { from: node(from), to: node(to), bytes: sent * weight }));
            if flows.len() >= super::AT_ONCE {
                self.load(&flows, &mut sums);
                flows.clear();
            }
        }
        self.load(&flows, &mut sums);
        let all: f64 = weights.iter().sum();
        for (node, weight) in weights.iter().enumerate() {
            sums[2 * node] = weight * (all - weight);
            sums[2 * node + 1] = weight * (all - weight);
        }
        loads.iter_mut().zip(sums).for_each(|(load, sum)| *load += sum);
    }
}

impl Groups {
    /// Adds what flows between groups put on the links of third groups, and on those from there to where they go. `sent` says by
    /// router what goes to each group.
    fn load_thirds(&self, sent: &[f64], loads: &mut [f64]) {
        let (groups, per_group) = (self.fly.plan().groups as usize, self.fly.per_group() as usize);
        let cables = self.fly.plan().global as usize;
        let mut between = vec![0.0; groups * groups];
        for (router, sent) in (0..).zip(sent.chunks(groups)) {
            let group = self.group(router) as usize;
            between[group * groups..][..groups].iter_mut().zip(sent).for_each(|(sum, sent)| *sum += sent);
        }
        let part = (groups - 2) as f64;
        // By the router where it arrives and the one from which it leaves.
        let mut passing = vec![0.0; per_group * per_group];
        let mut leaving = vec![0.0; per_group];
        for third in 0..groups as u32 {
            let first = third * per_group as u32;
            passing.fill(0.0);
            let mut onwards = vec![0.0; groups];
            for from in (0..groups as u32).filter(|from| *from != third) {
                leaving.fill(0.0);
                for to in self.thirds(third, from) {
                    let bytes = between[from as usize * groups + to as usize] / part;
                    onwards[to as usize] += bytes;
                    if bytes > 0.0 {
                        for (_, gate, _) in self.gates(third, to) {
                            leaving[(gate - first) as usize] += bytes / cables as f64;
                        }
                    }
                }
                for (_, _, arrival) in self.gates(from, third) {
                    let passing = &mut passing[(arrival - first) as usize * per_group..][..per_group];
                    passing.iter_mut().zip(&leaving).for_each(|(sum, bytes)| *sum += bytes / cables as f64);
                }
            }
            for (arrival, passing) in (first..).zip(passing.chunks(per_group)) {
                for (gate, bytes) in (first..).zip(passing).filter(|(_, bytes)| **bytes > 0.0) {
                    self.within(arrival, gate, &mut |link| loads[link.index()] += bytes);
                }
            }
            for (to, bytes) in (0..).zip(onwards).filter(|(_, bytes)| *bytes > 0.0) {
                self.gates(third, to).for_each(|(link, ..)| loads[link.index()] += bytes / cables as f64);
            }
        }
    }
}

/// Puts in the place of each number the sum of all others. Nothing is taken away again, so that nothing is left where the others
/// are nothing.
fn others(numbers: &mut [f64]) {
    let mut before = 0.0;
    let own = numbers.to_vec();
    for number in &mut *numbers {
        before += std::mem::replace(number, before);
    }
    let mut after = 0.0;
    for (number, own) in numbers.iter_mut().zip(own).rev() {
        *number += after;
        after += own;
    }
}
