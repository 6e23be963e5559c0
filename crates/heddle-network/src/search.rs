//! Better places for ranks: rules that people use, then swaps of two ranks.
//!
//! All orders of letters, tiles of many shapes and their tilts are tried first; the best of them, or the given placement if it
//! is better, is where swapping begins. A swap is worked out by the flows of its two ranks alone: what they put on links is taken
//! away and put back from their new places, and everything is undone if that was no gain.
//!
//! What is made small is the load of the fullest link, and among equals the sum of squares, so that a search does not stand
//! still on a plateau of equal maxima. The usual measure, bytes times hops, is there to be compared with: it runs against
//! what was measured on Blue Gene/P (Landge et al. 2012, Table 1).

use std::sync::Arc;

use heddle_topology::mapping::{Mapping, Placement};
use heddle_topology::routing::{Flow, Routing};
use heddle_topology::{Element, Shape};
use rustc_hash::FxHashMap;

use crate::predict::{RankFlow, place};

/// What a search makes small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// The load of the fullest link.
    #[default]
    Max,
    /// Bytes times hops.
    HopBytes,
}

/// Values that differ by less than this share are equal.
const ROUNDING: f64 = 1e-9;

/// How good a placement is: smaller is better.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Worth {
    /// The objective.
    pub value: f64,
    /// The sum of squares of loads, where the objective is equal.
    pub squares: f64,
}

impl Worth {
    fn of(objective: Objective, loads: &[f64]) -> Worth {
        let value = match objective {
            Objective::Max => loads.iter().copied().fold(0.0, f64::max),
            Objective::HopBytes => loads.iter().sum(),
        };
        Worth { value, squares: loads.iter().map(|load| load * load).sum() }
    }

    /// Whether this is better than another by more than rounding.
    fn beats(&self, other: &Worth) -> bool {
        let (value, least) = (self.value, other.value * ROUNDING);
        if (value - other.value).abs() > least {
            value < other.value
        } else {
            self.squares < other.squares * (1.0 - ROUNDING)
        }
    }
}

/// A placement that was tried.
#[derive(Clone, Debug)]
pub struct Tried {
    /// What it is called.
    pub name: String,
    /// Where ranks sit.
    pub placement: Arc<Placement>,
    /// How good that is.
    pub worth: Worth,
}

/// Rules to try on a machine: letters in all orders, tiles and tilts, block and round-robin.
pub fn rules(shape: &Shape, ranks: u32, ranks_per_node: u32) -> Vec<(String, Placement)> {
    let mut names: Vec<String> = vec!["block".to_owned(), "round-robin".to_owned()];
    if let Some(torus) = shape.torus() {
        let mut letters: Vec<String> = torus.dimensions().iter().map(|d| d.name.to_uppercase()).collect();
        letters.push("T".to_owned());
        // More letters have thousands of orders.
        if letters.len() <= 5 {
            permutations(&mut letters, 0, &mut names);
        }
        if let [x, y, z] = torus.dimensions() {
            let tilts = ["tile", "tiltZ", "tiltZY"];
            names.extend(tilts.map(str::to_owned));
            let divisors = |size: u32| (1..=size).filter(move |part| size.is_multiple_of(*part));
            for w in divisors(x.size) {
                for h in divisors(y.size) {
                    for d in divisors(z.size).filter(|d| (16..=1024).contains(&(w * h * d))) {
                        names.extend(tilts.map(|tilt| format!("{tilt}:{w}x{h}x{d}")));
                    }
                }
            }
        }
    }
    let place = |name: String| {
        let placement = name.parse::<Mapping>().ok()?.place(shape, ranks, ranks_per_node).ok()?;
        Some((name, placement))
    };
    names.into_iter().filter_map(place).collect()
}

fn permutations(letters: &mut Vec<String>, fixed: usize, out: &mut Vec<String>) {
    if fixed == letters.len() {
        out.push(letters.concat());
        return;
    }
    for other in fixed..letters.len() {
        letters.swap(fixed, other);
        permutations(letters, fixed + 1, out);
        letters.swap(fixed, other);
    }
}

/// How good a placement is for some flows.
pub fn worth(
    flows: &[RankFlow],
    shape: &Shape,
    placement: &Placement,
    routing: &dyn Routing,
    objective: Objective,
) -> Worth {
    let mut loads = vec![0.0; shape.links() as usize];
    routing.load(&place(flows, placement), &mut loads);
    Worth::of(objective, &loads)
}

/// Routes between nodes as they were last worked out: links, and the share of each.
#[derive(Debug)]
struct RouteBook {
    hosts: u32,
    index: RouteIndex,
    /// Where each route begins in `links`; it ends where the next begins.
    starts: Vec<u32>,
    links: Vec<(u32, f32)>,
}

/// The number of the route between two nodes, from 1.
#[derive(Debug)]
enum RouteIndex {
    /// By sender and receiver.
    Table(Vec<u32>),
    /// Machines too large for a table.
    Map(FxHashMap<u64, u32>),
}

impl RouteBook {
    /// Machines up to this many nodes have a table of 16 MB.
    const MOST_TABLED: u32 = 2_048;
    /// Links of routes that are kept at most: 256 MB.
    const MOST_KEPT: usize = 1 << 25;

    fn new(hosts: u32) -> RouteBook {
        let index = if hosts <= RouteBook::MOST_TABLED {
            RouteIndex::Table(vec![0; hosts as usize * hosts as usize])
        } else {
            RouteIndex::Map(FxHashMap::default())
        };
        RouteBook { hosts, index, starts: vec![0], links: Vec::new() }
    }

    fn route(&mut self, routing: &dyn Routing, from: Element, to: Element) -> &[(u32, f32)] {
        let at = from.index() * self.hosts as usize + to.index();
        let known = match &self.index {
            RouteIndex::Table(table) => table[at],
            RouteIndex::Map(map) => map.get(&(at as u64)).copied().unwrap_or(0),
        };
        let number = if known > 0 { known } else { self.add(routing, from, to, at) } as usize;
        &self.links[self.starts[number - 1] as usize..self.starts[number] as usize]
    }

    #[cold]
    fn add(&mut self, routing: &dyn Routing, from: Element, to: Element, at: usize) -> u32 {
        if self.links.len() > RouteBook::MOST_KEPT {
            *self = RouteBook::new(self.hosts);
        }
        let links = &mut self.links;
        routing.route(from, to, &mut |link, share| links.push((link.0, share as f32)));
        self.starts.push(self.links.len() as u32);
        let number = self.starts.len() as u32 - 1;
        match &mut self.index {
            RouteIndex::Table(table) => table[at] = number,
            RouteIndex::Map(map) => drop(map.insert(at as u64, number)),
        }
        number
    }
}

/// Swaps of ranks on a machine.
pub struct Swaps<'a> {
    routing: &'a dyn Routing,
    objective: Objective,
    hosts: u32,
    /// Flows of each rank: the other rank, bytes to it and bytes from it.
    first: Vec<u32>,
    partners: Vec<(u32, f64, f64)>,
    nodes: Vec<Element>,
    cores: Vec<u32>,
    loads: Vec<f64>,
    worth: Worth,
    routes: RouteBook,
    /// What links carried before the swap that is being tried.
    before: Vec<(u32, f64)>,
    touched: Vec<bool>,
}

impl<'a> Swaps<'a> {
    /// Begins with a placement.
    pub fn new(
        flows: &[RankFlow],
        shape: &Shape,
        placement: &Placement,
        routing: &'a dyn Routing,
        objective: Objective,
    ) -> Swaps<'a> {
        let ranks = placement.ranks();
        let (first, partners) = partners(flows, ranks);
        let mut swaps = Swaps {
            routing,
            objective,
            hosts: shape.hosts(),
            first,
            partners,
            nodes: placement.nodes().to_vec(),
            cores: (0..ranks).map(|rank| placement.core(rank)).collect(),
            loads: vec![0.0; shape.links() as usize],
            worth: Worth { value: 0.0, squares: 0.0 },
            routes: RouteBook::new(shape.hosts()),
            before: Vec::new(),
            touched: vec![false; shape.links() as usize],
        };
        swaps.recompute();
        swaps
    }

    /// How good the placement is now.
    pub fn worth(&self) -> Worth {
        self.worth
    }

    /// What links carry now.
    pub fn loads(&self) -> &[f64] {
        &self.loads
    }

    /// The placement now.
    pub fn placement(&self) -> Placement {
        Placement::new(self.hosts, self.nodes.iter().copied().zip(self.cores.iter().copied()))
    }

    /// Adds everything up anew: rounding of many swaps does not pile up.
    pub fn recompute(&mut self) {
        let flows: Vec<Flow> = (0..self.nodes.len() as u32)
            .flat_map(|from| self.partners_of(from).iter().map(move |(to, bytes, _)| (from, *to, *bytes)))
            .filter(|(from, to, bytes)| *bytes > 0.0 && self.nodes[*from as usize] != self.nodes[*to as usize])
            .map(|(from, to, bytes)| Flow { from: self.nodes[from as usize], to: self.nodes[to as usize], bytes })
            .collect();
        self.loads.fill(0.0);
        self.routing.load(&flows, &mut self.loads);
        self.worth = Worth::of(self.objective, &self.loads);
    }

    fn partners_of(&self, rank: u32) -> &[(u32, f64, f64)] {
        &self.partners[self.first[rank as usize] as usize..self.first[rank as usize + 1] as usize]
    }

    /// Whether anything that a rank sends may go over a link.
    fn sends_over(&mut self, rank: u32, link: u32) -> bool {
        let here = self.nodes[rank as usize];
        (self.first[rank as usize]..self.first[rank as usize + 1]).any(|at| {
            let (partner, bytes, _) = self.partners[at as usize];
            let there = self.nodes[partner as usize];
            bytes > 0.0 && self.routes.route(self.routing, here, there).iter().any(|(known, _)| *known == link)
        })
    }

    /// Exchanges two ranks if that is a gain; says whether it was.
    pub fn attempt(&mut self, one: u32, other: u32) -> bool {
        if self.nodes[one as usize] == self.nodes[other as usize] {
            return false;
        }
        // A link that is fuller than the fullest is enough to give a swap up.
        let limit = match self.objective {
            Objective::Max => self.worth.value * (1.0 + ROUNDING),
            Objective::HopBytes => f64::INFINITY,
        };
        self.add_flows(one, other, -1.0, f64::INFINITY);
        self.exchange(one, other);
        let is_within = self.add_flows(one, other, 1.0, limit);
        let worth = if is_within { Some(self.worth_after()) } else { None };
        let gain = worth.filter(|worth| worth.beats(&self.worth));
        if let Some(worth) = gain {
            self.worth = worth;
        } else {
            self.exchange(one, other);
            for (link, load) in &self.before {
                self.loads[*link as usize] = *load;
            }
        }
        for (link, _) in self.before.drain(..) {
            self.touched[link as usize] = false;
        }
        gain.is_some()
    }

    /// How good the placement is after a swap, from the links that it touched. No link is fuller than the fullest was.
    fn worth_after(&self) -> Worth {
        let now = |link: u32| self.loads[link as usize];
        let squares = self.before.iter().map(|(link, load)| now(*link) * now(*link) - load * load).sum::<f64>();
        let value = match self.objective {
            Objective::HopBytes => {
                self.worth.value + self.before.iter().map(|(link, load)| now(*link) - load).sum::<f64>()
            }
            Objective::Max => {
                let was_fullest = |load: f64| load >= self.worth.value * (1.0 - ROUNDING);
                if self.before.iter().any(|(_, load)| was_fullest(*load)) {
                    self.loads.iter().copied().fold(0.0, f64::max)
                } else {
                    self.worth.value
                }
            }
        };
        Worth { value, squares: self.worth.squares + squares }
    }

    fn exchange(&mut self, one: u32, other: u32) {
        self.nodes.swap(one as usize, other as usize);
        self.cores.swap(one as usize, other as usize);
    }

    /// Adds, or takes away, what two ranks send and receive; what they send each other once. Stops, and says so, when a link
    /// carries more than `limit`.
    fn add_flows(&mut self, one: u32, other: u32, sign: f64, limit: f64) -> bool {
        for rank in [one, other] {
            for at in self.first[rank as usize]..self.first[rank as usize + 1] {
                let (partner, to, from) = self.partners[at as usize];
                if rank == other && partner == one {
                    continue;
                }
                let (here, there) = (self.nodes[rank as usize], self.nodes[partner as usize]);
                if here == there {
                    continue;
                }
                if to > 0.0 && !self.add(here, there, sign * to, limit) {
                    return false;
                }
                if from > 0.0 && !self.add(there, here, sign * from, limit) {
                    return false;
                }
            }
        }
        true
    }

    fn add(&mut self, from: Element, to: Element, bytes: f64, limit: f64) -> bool {
        let mut largest = 0.0_f64;
        for (link, share) in self.routes.route(self.routing, from, to) {
            let load = &mut self.loads[*link as usize];
            if !self.touched[*link as usize] {
                self.touched[*link as usize] = true;
                self.before.push((*link, *load));
            }
            *load += bytes * f64::from(*share);
            largest = largest.max(*load);
        }
        largest <= limit
    }
}

/// Partners of each rank, in one list: both directions of a pair together.
fn partners(flows: &[RankFlow], ranks: u32) -> (Vec<u32>, Vec<(u32, f64, f64)>) {
    let mut pairs: Vec<(u32, u32, f64, f64)> = Vec::with_capacity(2 * flows.len());
    for flow in flows.iter().filter(|flow| flow.from != flow.to && flow.from < ranks && flow.to < ranks) {
        pairs.push((flow.from, flow.to, flow.bytes, 0.0));
        pairs.push((flow.to, flow.from, 0.0, flow.bytes));
    }
    pairs.sort_by_key(|(rank, partner, ..)| (*rank, *partner));
    let mut first = vec![0_u32; ranks as usize + 1];
    let mut partners = Vec::new();
    for pair in pairs.chunk_by(|one, next| (one.0, one.1) == (next.0, next.1)) {
        let (to, from) = pair.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.2, sum.1 + one.3));
        partners.push((pair[0].1, to, from));
        first[pair[0].0 as usize + 1] += 1;
    }
    for rank in 0..ranks as usize {
        first[rank + 1] += first[rank];
    }
    (first, partners)
}

/// How long to search.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Swaps to try.
    pub swaps: u64,
    /// Where chance begins.
    pub seed: u64,
}

/// Tries swaps, most of them of ranks at the fullest link. `go_on` is asked now and then, with the swaps tried so far.
pub fn improve(swaps: &mut Swaps<'_>, effort: Effort, shape: &Shape, mut go_on: impl FnMut(u64, Worth) -> bool) -> u64 {
    /// Swaps between two questions whether to go on, and between two choices of the fullest link.
    const AT_ONCE: u64 = 4_096;
    let ranks = swaps.nodes.len() as u32;
    if ranks < 2 {
        return 0;
    }
    let mut chance = Chance(effort.seed.wrapping_mul(2).wrapping_add(1));
    let mut near: Vec<u32> = Vec::new();
    for tried in 0..effort.swaps {
        if tried.is_multiple_of(AT_ONCE) {
            if !go_on(tried, swaps.worth) {
                return tried;
            }
            near = near_fullest(swaps, shape);
        }
        // Half of them begin at the fullest link: what is there must move for the maximum to fall.
        let one = if near.is_empty() || chance.next().is_multiple_of(2) {
            chance.below(ranks)
        } else {
            near[chance.below(near.len() as u32) as usize]
        };
        swaps.attempt(one, chance.below(ranks));
    }
    swaps.recompute();
    effort.swaps
}

/// Ranks on the nodes at the ends of the fullest link; where it joins switches, those that send over it.
fn near_fullest(swaps: &mut Swaps<'_>, shape: &Shape) -> Vec<u32> {
    let fullest = (0..shape.links()).max_by(|a, b| swaps.loads[*a as usize].total_cmp(&swaps.loads[*b as usize]));
    let Some(fullest) = fullest else { return Vec::new() };
    let (from, to) = shape.ends(heddle_topology::Link(fullest));
    let ranks = swaps.nodes.len() as u32;
    if from.0 < swaps.hosts || to.0 < swaps.hosts {
        return (0..ranks).filter(|rank| [from, to].contains(&swaps.nodes[*rank as usize])).collect();
    }
    (0..ranks).filter(|rank| swaps.sends_over(*rank, fullest)).collect()
}

/// A small generator: the same swaps for the same seed, on every machine.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u32) -> u32 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u32
    }
}

#[cfg(test)]
mod tests;
