//! Routes of fabrics without a rule: always one step nearer to the receiver.
//!
//! How far switches are from the receiver says all. The distances are the same for all hosts on a switch, so they are found
//! once for it, by a search over all cables between switches; hosts pass nothing on. Where several cables lead nearer, either
//! all carry equal shares, or the receiver's number chooses: neighbours by that number divided by the number of ways up of the
//! layers below, and parallel cables alike, so that a tree that only lacks a cable routes as if it followed its rule.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::{Choice, take};
use crate::routing::{Flow, Routing};
use crate::{Element, FatTree, Link, Topology};

/// Distances of no more switches than this are kept, 64 megabytes: from 4,096 switches to 4,096.
const MOST_KEPT: usize = 1 << 24;

/// Loads of no more links than this are summed up beside each other.
const MOST_SUMMED: usize = 1 << 25;

/// Not connected.
const NOWHERE: u32 = u32::MAX;

pub(in crate::routing) struct ByDistance {
    tree: FatTree,
    choice: Choice,
    /// By layer: by what the receiver's number is divided there.
    divisors: Vec<u64>,
    /// By host: those with the same distances have the same number here.
    ports: Vec<u32>,
    /// By that number: how many links away from such a host each switch is.
    kept: Vec<OnceLock<Arc<[u32]>>>,
}

impl ByDistance {
    pub(in crate::routing) fn new(tree: FatTree, choice: Choice) -> ByDistance {
        let divisors = divisors(&tree);
        let ports = ports(&tree);
        let count = ports.iter().max().map_or(0, |last| *last as usize + 1);
        let count = if count * tree.switches() as usize > MOST_KEPT { 0 } else { count };
        ByDistance { choice, divisors, ports, kept: (0..count).map(|_| OnceLock::new()).collect(), tree }
    }

    /// How far switches are from a host.
    fn distances(&self, to: Element) -> Arc<[u32]> {
        match self.kept.get(self.ports[to.index()] as usize) {
            Some(kept) => kept.get_or_init(|| self.search(to)).clone(),
            None => self.search(to),
        }
    }

    fn search(&self, to: Element) -> Arc<[u32]> {
        let hosts = self.tree.hosts();
        let mut distances = vec![NOWHERE; self.tree.switches() as usize];
        let mut reached = vec![to.0];
        let mut distance = 0;
        while !reached.is_empty() {
            distance += 1;
            let mut next = Vec::new();
            for at in reached {
                for (_, other) in beside(&self.tree, Element(at)) {
                    if other.0 >= hosts && distances[(other.0 - hosts) as usize] == NOWHERE {
                        distances[(other.0 - hosts) as usize] = distance;
                        next.push(other.0);
                    }
                }
            }
            reached = next;
        }
        distances.into()
    }

    /// The links that lead from an element one step nearer to a host, with where they lead to. Parallel ones are neighbours.
    fn nearer(&self, at: Element, to: Element, distances: &[u32], found: &mut Vec<(Link, Element)>) {
        let hosts = self.tree.hosts();
        let distance = |element: Element| match element.0.checked_sub(hosts) {
            Some(switch) => distances[switch as usize],
            None if element == to => 0,
            None => NOWHERE,
        };
        let limit = if at.0 < hosts { NOWHERE } else { distance(at) };
        let mut nearest = limit;
        found.clear();
        for (link, other) in beside(&self.tree, at) {
            let distance = distance(other);
            if distance < nearest {
                nearest = distance;
                found.clear();
            }
            if distance == nearest && distance < limit {
                found.push((link, other));
            }
        }
    }

    /// Leaves of the links that lead nearer the one that the receiver's number chooses.
    fn choose(&self, at: Element, to: Element, found: &mut Vec<(Link, Element)>) {
        let count = found.chunk_by(|(_, one), (_, next)| one == next).count() as u64;
        if count == 0 {
            return;
        }
        let number = |layer: u32| u64::from(to.0) / self.divisors[layer as usize];
        let mut neighbours = found.chunk_by(|(_, one), (_, next)| one == next);
        let parallel = neighbours.nth((number(self.tree.layer(at)) % count) as usize).unwrap_or(found);
        let upper = self.tree.layer(at).max(self.tree.layer(parallel[0].1));
        let chosen = parallel[(number(upper) % parallel.len() as u64) as usize];
        found.clear();
        found.push(chosen);
    }

    /// The links by which a message goes on, with where they lead to.
    fn onwards(&self, at: Element, to: Element, distances: &[u32], found: &mut Vec<(Link, Element)>) {
        self.nearer(at, to, distances, found);
        if self.choice == Choice::ByReceiver {
            self.choose(at, to, found);
        }
    }

    fn is_travel(&self, from: Element, to: Element) -> bool {
        from != to && from.0 < self.tree.hosts() && to.0 < self.tree.hosts()
    }
}

impl Routing for ByDistance {
    fn route(&self, from: Element, to: Element, visit: &mut dyn FnMut(Link, f64)) {
        if self.is_travel(from, to) {
            let flow = Flow { from, to, bytes: 1.0 };
            Spreading::new(self).spread(&[flow], visit);
        }
    }

    fn path(&self, from: Element, to: Element, mut choice: u64) -> Vec<Link> {
        let mut path = Vec::new();
        if !self.is_travel(from, to) {
            return path;
        }
        let distances = self.distances(to);
        let (mut at, mut found) = (from, Vec::new());
        while at != to {
            self.onwards(at, to, &distances, &mut found);
            if found.is_empty() {
                break;
            }
            let (link, next) = found[take(&mut choice, found.len() as u64) as usize];
            path.push(link);
            at = next;
        }
        path
    }

    fn load(&self, flows: &[Flow], loads: &mut [f64]) {
        let mut flows: Vec<Flow> = flows.iter().filter(|flow| self.is_travel(flow.from, flow.to)).copied().collect();
        // What goes on together: where all ways are taken alike, whatever goes to the same switch.
        let key = |flow: &Flow| match self.choice {
            Choice::ByReceiver => flow.to.0,
            Choice::All => self.ports[flow.to.index()],
        };
        // Stable, so that bytes are added up in the order of flows.
        flows.par_sort_by_key(key);
        let together: Vec<&[Flow]> = flows.chunk_by(|one, next| key(one) == key(next)).collect();
        // Parts of which the sums are found beside each other; how many, the machine says and not the number of threads.
        let parts = (MOST_SUMMED / loads.len().max(1)).clamp(1, 16);
        let parts: Vec<&[&[Flow]]> = together.chunks(together.len().div_ceil(parts).max(1)).collect();
        let sums: Vec<Vec<f64>> = parts
            .par_iter()
            .map(|part| {
                let mut sums = vec![0.0; loads.len()];
                let mut spreading = Spreading::new(self);
                for flows in *part {
                    spreading.spread(flows, &mut |link, bytes| sums[link.index()] += bytes);
                }
                sums
            })
            .collect();
        for sums in sums {
            loads.iter_mut().zip(sums).for_each(|(load, sum)| *load += sum);
        }
    }
}

/// Sends bytes on from the farthest switches to the nearest; what it needs for that is kept for the next time.
struct Spreading<'a> {
    routes: &'a ByDistance,
    /// By switch: bytes that have arrived there.
    arrived: Vec<f64>,
    /// By distance: switches where bytes have arrived.
    waiting: Vec<Vec<Element>>,
    is_waiting: Vec<bool>,
    found: Vec<(Link, Element)>,
}

impl Spreading<'_> {
    fn new(routes: &ByDistance) -> Spreading<'_> {
        let switches = routes.tree.switches() as usize;
        let (arrived, is_waiting) = (vec![0.0; switches], vec![false; switches]);
        Spreading { routes, arrived, waiting: Vec::new(), is_waiting, found: Vec::new() }
    }

    /// Visits the links that flows travel over, with the bytes that they carry: those between switches once, and those of a
    /// flow's own ends once for each flow. All flows go to hosts with the same distances, and to one host where its number
    /// chooses the way.
    fn spread(&mut self, flows: &[Flow], visit: &mut dyn FnMut(Link, f64)) {
        let Some(first) = flows.first() else { return };
        let distances = self.routes.distances(first.to);
        let only_switch = only_switch(&self.routes.tree, first.to);
        let sent: Vec<&Flow> =
            flows.iter().filter(|flow| self.send_on(flow.from, flow.to, flow.bytes, &distances, visit)).collect();
        // The farthest first: what is nearer has everything that it gets by then.
        while let Some(switches) = self.waiting.pop() {
            for at in switches {
                let switch = (at.0 - self.routes.tree.hosts()) as usize;
                self.is_waiting[switch] = false;
                let bytes = std::mem::take(&mut self.arrived[switch]);
                if only_switch == Some(at) {
                    // All receivers are plugged in here, and only here: each gets its own.
                    for flow in &sent {
                        self.send_on(at, flow.to, flow.bytes, &distances, visit);
                    }
                } else {
                    self.send_on(at, first.to, bytes, &distances, visit);
                }
            }
        }
    }

    /// Tells whether there is a way on.
    fn send_on(
        &mut self,
        at: Element,
        to: Element,
        bytes: f64,
        distances: &[u32],
        visit: &mut dyn FnMut(Link, f64),
    ) -> bool {
        self.routes.onwards(at, to, distances, &mut self.found);
        let share = bytes / self.found.len() as f64;
        for (link, next) in &self.found {
            visit(*link, share);
            let Some(switch) = next.0.checked_sub(self.routes.tree.hosts()) else { continue };
            let (switch, distance) = (switch as usize, distances[switch as usize] as usize);
            self.arrived[switch] += share;
            if !std::mem::replace(&mut self.is_waiting[switch], true) {
                if self.waiting.len() < distance {
                    self.waiting.resize_with(distance, Vec::new);
                }
                self.waiting[distance - 1].push(*next);
            }
        }
        !self.found.is_empty()
    }
}

/// The links that leave an element, with where they lead to.
fn beside(tree: &FatTree, element: Element) -> impl Iterator<Item = (Link, Element)> {
    let up = tree.up(element).iter().map(|cable| (Link(2 * cable), tree.cable(*cable).1));
    up.chain(tree.down(element).iter().map(|cable| (Link(2 * cable + 1), tree.cable(*cable).0)))
}

/// For each layer, the product of the most parents that elements of each layer below it have.
fn divisors(tree: &FatTree) -> Vec<u64> {
    let mut divisors = vec![1_u64];
    for layer in 0..tree.layers() {
        let parents = |element| {
            let cables = tree.up(element).chunk_by(|one, next| tree.cable(*one).1 == tree.cable(*next).1);
            cables.filter(|cables| tree.layer(tree.cable(cables[0]).1) > layer).count() as u64
        };
        let most = (0..tree.in_layer(layer)).map(|number| parents(tree.element(layer, number))).max();
        divisors.push(divisors[layer as usize].saturating_mul(most.unwrap_or(1).max(1)));
    }
    divisors
}

/// The switch that a host is plugged into, if there is only one.
fn only_switch(tree: &FatTree, host: Element) -> Option<Element> {
    let mut switches = tree.up(host).iter().map(|cable| tree.cable(*cable).1);
    let first = switches.next()?;
    switches.all(|switch| switch == first).then_some(first)
}

/// A number for every host, the same for those that are plugged into one switch, and that one only.
fn ports(tree: &FatTree) -> Vec<u32> {
    let mut of_switch = vec![None; tree.switches() as usize];
    let mut next = 0;
    let mut new = || {
        next += 1;
        next - 1
    };
    let number = |host| match only_switch(tree, host) {
        Some(switch) => *of_switch[(switch.0 - tree.hosts()) as usize].get_or_insert_with(&mut new),
        None => new(),
    };
    (0..tree.hosts()).map(Element).map(number).collect()
}
