//! All shortest paths carry equal shares: what adaptive routing on minimal paths tends to.
//!
//! With `r` steps left in each dimension, the share of the remaining shortest paths that go along dimension `e` next is
//! `r_e / Σ r` (the multinomials of the paths cancel out). So the shares of all places between two nodes follow from one another,
//! by products that neither overflow nor lose digits, and depend on the displacement alone. Where both ways round a ring are as
//! short, each carries half.
//!
//! Many flows are sorted by displacement; the pattern of each is found once, and added for every source, line by line of the
//! box between its ends, where links are neighbours in memory. Each direction of each dimension has its own links and goes through
//! the displacements in their order by itself. So they can be summed up at once, and every link's sum has one order.

use std::ops::Range;

use rayon::prelude::*;

use super::lines::{Way, first_cable, shortest};
use super::shifted::{Shifted, cable_strides};
use super::{Flow, Routing};
use crate::{Cable, Coordinates, Direction, Element, Link, MOST_DIMENSIONS, Topology, Torus};

pub(super) struct ShortestPaths {
    torus: Torus,
    shifted: Shifted,
}

/// Steps in each dimension.
type Steps = [u32; MOST_DIMENSIONS];

/// Flows that go equally far in every dimension.
struct Group {
    ways: [Way; MOST_DIMENSIONS],
    /// Their sources with the bytes that each sends, in a list for all groups.
    sources: Range<usize>,
}

impl ShortestPaths {
    pub(super) fn new(torus: Torus) -> ShortestPaths {
        let end_of_keys = torus.dimensions().iter().map(|dimension| 2 * u64::from(dimension.size)).product();
        ShortestPaths { shifted: Shifted::new(&torus, end_of_keys), torus }
    }

    fn dimensions(&self) -> usize {
        self.torus.dimensions().len()
    }

    fn ways(&self, from: Element, to: Element) -> [Way; MOST_DIMENSIONS] {
        let mut ways = [Way { direction: Direction::Plus, steps: 0, tie: false }; MOST_DIMENSIONS];
        for ((dim, dimension), way) in self.torus.dimensions().iter().enumerate().zip(&mut ways) {
            *way = shortest(dimension, self.torus.coordinate(from, dim), self.torus.coordinate(to, dim));
        }
        ways
    }

    /// A number for the ways, the same for the same displacement.
    fn key(&self, ways: &[Way; MOST_DIMENSIONS]) -> u64 {
        // Less than twice the size in each of at most eight dimensions.
        self.torus.dimensions().iter().zip(ways).fold(0, |key, (dimension, way)| {
            key * 2 * u64::from(dimension.size)
                + 2 * u64::from(way.steps)
                + u64::from(way.direction == Direction::Minus)
        })
    }

    /// Flows by displacement, those of one source added up.
    fn groups(&self, flows: &[Flow]) -> (Vec<Group>, Vec<(Element, f64)>) {
        // The number of a node is below 2^26, and that of a displacement below 2^34.
        const NODE_BITS: u32 = 26;
        let mut keyed: Vec<(u64, f64, Element)> = Vec::with_capacity(flows.len());
        for flow in flows {
            let key = self.key(&self.ways(flow.from, flow.to));
            if key > 0 {
                keyed.push((key << NODE_BITS | u64::from(flow.from.0), flow.bytes, flow.to));
            }
        }
        // Stable, so that the bytes of equal keys are added up in the order of flows.
        keyed.par_sort_by_key(|(key, ..)| *key);
        let mut groups: Vec<Group> = Vec::new();
        let mut sources: Vec<(Element, f64)> = Vec::new();
        for group in keyed.chunk_by(|(one, ..), (next, ..)| one >> NODE_BITS == next >> NODE_BITS) {
            let from = |key: u64| Element((key & ((1 << NODE_BITS) - 1)) as u32);
            let start = sources.len();
            for flows in group.chunk_by(|(one, ..), (next, ..)| one == next) {
                sources.push((from(flows[0].0), flows.iter().map(|(_, bytes, _)| bytes).sum()));
            }
            groups.push(Group { ways: self.ways(from(group[0].0), group[0].2), sources: start..sources.len() });
        }
        (groups, sources)
    }

    /// Every choice of directions, both ways where both are as short, with the share of each.
    fn choices(&self, ways: &[Way; MOST_DIMENSIONS]) -> impl Iterator<Item = ([Way; MOST_DIMENSIONS], f64)> {
        let ties: Vec<usize> = (0..self.dimensions()).filter(|dim| ways[*dim].tie).collect();
        let ways = *ways;
        let share = 1.0 / f64::from(1_u32 << ties.len());
        (0..1_u32 << ties.len()).map(move |choice| {
            let mut chosen = ways;
            for (bit, dim) in ties.iter().enumerate() {
                chosen[*dim].direction = Direction::BOTH[(choice >> bit & 1) as usize];
            }
            (chosen, share)
        })
    }

    /// Adds to the links of one direction of one dimension what groups put on them. `loads` has a number per cable.
    fn load_direction(
        &self,
        dim: usize,
        direction: Direction,
        groups: &[Group],
        sources: &[(Element, f64)],
        loads: &mut [f64],
    ) {
        let dimension = &self.torus.dimensions()[dim];
        let cables = dimension.cables_per_line();
        let mut lines = Lines::new(&self.torus, dim);
        let mut pattern = Pattern::default();
        for group in groups {
            let way = group.ways[dim];
            if way.steps == 0 || (way.direction != direction && !way.tie) {
                continue;
            }
            pattern.fill(group.ways.map(|way| way.steps), self.dimensions(), dim, direction);
            for (ways, share) in self.choices(&group.ways).filter(|(ways, _)| ways[dim].direction == direction) {
                for (source, bytes) in &sources[group.sources.clone()] {
                    let at = self.torus.coordinates(*source);
                    let first = first_cable(dimension, at[dim], ways[dim]);
                    let before_end = ways[dim].steps.min(cables - first) as usize;
                    let bytes = bytes * share;
                    for (line, shares) in
                        lines.between(&at, &ways).iter().zip(pattern.shares.chunks_exact(way.steps as usize))
                    {
                        let (head, tail) = shares.split_at(before_end);
                        add(&mut loads[(line + first) as usize..], head, bytes);
                        add(&mut loads[*line as usize..], tail, bytes);
                    }
                }
            }
        }
    }

    /// One shortest path. Of the steps that are left, any one is next: every path is as likely as any other.
    fn walk(&self, from: Element, mut ways: [Way; MOST_DIMENSIONS], choice: u64) -> Vec<Link> {
        let mut chance = Chance(choice);
        for way in ways.iter_mut().filter(|way| way.tie) {
            way.direction = Direction::BOTH[chance.below(2) as usize];
        }
        let mut at = from;
        let mut path = Vec::new();
        for left in (1..=ways.iter().map(|way| way.steps).sum()).rev() {
            let mut nth = chance.below(left);
            let mut dim = 0;
            while nth >= ways[dim].steps {
                nth -= ways[dim].steps;
                dim += 1;
            }
            path.extend(self.torus.link_from(at, dim, ways[dim].direction));
            at = self.torus.beyond(at, dim, if ways[dim].direction == Direction::Plus { 1 } else { -1 });
            ways[dim].steps -= 1;
        }
        path
    }

    /// Visits the links of a message, dimension by dimension.
    fn find(&self, from: Element, ways: &[Way; MOST_DIMENSIONS], visit: &mut dyn FnMut(Link, f64)) {
        if ways.iter().filter(|way| way.steps > 0).count() == 1 && ways.iter().all(|way| !way.tie) {
            return self.walk(from, *ways, 0).into_iter().for_each(|link| visit(link, 1.0));
        }
        let at = self.torus.coordinates(from);
        let mut pattern = Pattern::default();
        for (dim, dimension) in self.torus.dimensions().iter().enumerate().filter(|(dim, _)| ways[*dim].steps > 0) {
            let mut lines = Lines::new(&self.torus, dim);
            let mut links: Vec<(Link, f64)> = Vec::new();
            for (ways, choice) in self.choices(ways) {
                let Way { direction, steps, .. } = ways[dim];
                pattern.fill(ways.map(|way| way.steps), self.dimensions(), dim, direction);
                let first = first_cable(dimension, at[dim], ways[dim]);
                let found = lines.between(&at, &ways);
                for (line, shares) in found.iter().zip(pattern.shares.chunks_exact(steps as usize)) {
                    let cables = (first..first + steps).map(|cable| cable % dimension.cables_per_line());
                    let cables = cables.map(|cable| Cable(self.torus.cables_of(dim).start + line + cable));
                    links.extend(
                        cables.zip(shares).map(|(cable, share)| (Torus::link(cable, direction), share * choice)),
                    );
                }
            }
            // Half-way round, the two ways meet: links across that dimension were found twice there.
            links.sort_unstable_by_key(|(link, _)| *link);
            for same in links.chunk_by(|(one, _), (next, _)| one == next) {
                visit(same[0].0, same.iter().map(|(_, share)| share).sum());
            }
        }
    }
}

/// Numbers that look drawn by chance, the same for the same start: `SplitMix64`.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % u64::from(end)) as u32
    }
}

fn add(loads: &mut [f64], shares: &[f64], bytes: f64) {
    for (load, share) in loads.iter_mut().zip(shares) {
        *load += bytes * share;
    }
}

/// Shares of the links of one dimension between two nodes.
#[derive(Default)]
struct Pattern {
    /// For every line of the box between the nodes, its links in the order of coordinates. Lines in the order of [`Lines`].
    shares: Vec<f64>,
    /// Share of the paths that pass each place of the box.
    places: Vec<f64>,
}

impl Pattern {
    /// `dim` varies fastest, the others in their order.
    fn fill(&mut self, steps: Steps, dimensions: usize, dim: usize, direction: Direction) {
        let others = (0..dimensions).filter(|other| *other != dim && steps[*other] > 0);
        let order: Vec<usize> = std::iter::once(dim).chain(others).collect();
        let mut strides = Vec::with_capacity(order.len());
        let mut size = 1;
        for other in &order {
            strides.push(size);
            size *= steps[*other] as usize + 1;
        }
        self.places.clear();
        self.places.resize(size, 0.0);
        self.places[0] = 1.0;
        self.shares.clear();
        self.shares.resize(size / (steps[dim] as usize + 1) * steps[dim] as usize, 0.0);
        let mut left = steps;
        let mut all_left: u32 = steps.iter().sum();
        let (run, mut line) = (steps[dim] as usize, 0);
        for place in 0..size {
            let passing = self.places[place];
            for (stride, other) in strides.iter().zip(&order).filter(|(_, other)| left[**other] > 0) {
                let share = passing * f64::from(left[*other]) / f64::from(all_left);
                self.places[place + stride] += share;
                if *other == dim {
                    let done = (steps[dim] - left[dim]) as usize;
                    let at = if direction == Direction::Plus { done } else { run - 1 - done };
                    self.shares[line * run + at] = share;
                }
            }
            // To the next place: one step further in the first dimension that has one left, from the start in those before.
            for other in &order {
                if left[*other] > 0 {
                    left[*other] -= 1;
                    all_left -= 1;
                    break;
                }
                left[*other] = steps[*other];
                all_left += steps[*other];
            }
            line += usize::from(left[dim] == steps[dim]);
        }
    }
}

/// Finds the lines along a dimension that run through the box between two nodes.
struct Lines<'a> {
    torus: &'a Torus,
    dim: usize,
    /// Cables between neighbouring lines, per dimension.
    strides: Steps,
    found: Vec<u32>,
}

impl<'a> Lines<'a> {
    fn new(torus: &'a Torus, dim: usize) -> Lines<'a> {
        Lines { torus, dim, strides: cable_strides(torus, dim), found: Vec::new() }
    }

    /// The first cable of each line, counted from the dimension's first one; earlier dimensions vary faster.
    fn between(&mut self, at: &Coordinates, ways: &[Way; MOST_DIMENSIONS]) -> &[u32] {
        self.found.clear();
        self.found.push(0);
        for (other, dimension) in self.torus.dimensions().iter().enumerate().filter(|(other, _)| *other != self.dim) {
            let (way, stride, lines) = (ways[other], self.strides[other], self.found.len());
            for step in 1..=way.steps {
                let place = match way.direction {
                    Direction::Plus => at[other] + step,
                    Direction::Minus => at[other] + dimension.size - step,
                };
                let place = if place >= dimension.size { place - dimension.size } else { place };
                self.found.extend_from_within(..lines);
                for line in &mut self.found[step as usize * lines..] {
                    *line += place * stride;
                }
            }
            for line in &mut self.found[..lines] {
                *line += at[other] * stride;
            }
        }
        &self.found
    }
}

impl Routing for ShortestPaths {
    /// Where all nodes send alike and a torus looks the same from each, the links of a dimension carry the same: what one node puts on
    /// them, times the nodes, by the links.
    fn load_all_pairs(&self, weights: &[f64], loads: &mut [f64]) {
        let is_closed = self.torus.dimensions().iter().all(|dimension| dimension.wraps || dimension.size <= 2);
        let weight = weights.first().copied().unwrap_or(0.0);
        if !is_closed || weights.iter().any(|other| other.to_bits() != weight.to_bits()) {
            return super::load_pair_by_pair(weights, |flows| self.load(flows, loads));
        }
        let mut sums = vec![(0.0, 0_u32); self.torus.classes().len()];
        for to in (1..self.torus.hosts()).map(Element) {
            self.route(Element(0), to, &mut |link, share| sums[self.torus.class(link)].0 += share);
        }
        let links = || (0..self.torus.links()).map(Link);
        links().for_each(|link| sums[self.torus.class(link)].1 += 1);
        for link in links() {
            let (sum, count) = sums[self.torus.class(link)];
            loads[link.index()] += weight * weight * sum * f64::from(self.torus.hosts()) / f64::from(count);
        }
    }

    fn route(&self, from: Element, to: Element, visit: &mut dyn FnMut(Link, f64)) {
        let ways = self.ways(from, to);
        self.shifted.visit(&self.torus, self.key(&ways), from, |visit| self.find(from, &ways, visit), visit);
    }

    fn path(&self, from: Element, to: Element, choice: u64) -> Vec<Link> {
        self.walk(from, self.ways(from, to), choice)
    }

    fn load(&self, flows: &[Flow], loads: &mut [f64]) {
        let (groups, sources) = self.groups(flows);
        let parts: Vec<(usize, Direction)> =
            (0..self.dimensions()).flat_map(|dim| Direction::BOTH.map(|direction| (dim, direction))).collect();
        let sums: Vec<Vec<f64>> = parts
            .par_iter()
            .map(|(dim, direction)| {
                let mut sums = vec![0.0; self.torus.cables_of(*dim).len()];
                self.load_direction(*dim, *direction, &groups, &sources, &mut sums);
                sums
            })
            .collect();
        for ((dim, direction), sums) in parts.iter().zip(sums) {
            for (cable, sum) in self.torus.cables_of(*dim).zip(sums) {
                loads[Torus::link(Cable(cable), *direction).index()] += sum;
            }
        }
    }
}
