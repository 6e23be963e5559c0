//! One dimension after the other, in their order.
//!
//! A message's cables in a dimension are a stretch of one line. Many messages are added up by noting where stretches begin and
//! end, and then going along each line once: the work is flows times dimensions plus links, however long the ways are.

use super::lines::{HalfWay, Way, first_cable, shortest};
use super::{Flow, Routing};
use crate::{Cable, Direction, Element, Link, Topology, Torus};

pub(super) struct DimensionOrder {
    torus: Torus,
    half_way: HalfWay,
    /// The most steps that a route has.
    diameter: u64,
}

/// Bytes that begin at a link less those that end before it, and the same of flows.
///
/// Bytes that are no whole numbers leave a rest behind where they should cancel out. Flows do not, so they tell which links
/// nobody passes.
#[derive(Clone, Copy, Default)]
struct Change {
    bytes: f64,
    flows: i64,
}

impl DimensionOrder {
    pub(super) fn new(torus: Torus, half_way: HalfWay) -> DimensionOrder {
        let diameter = torus.dimensions().iter().map(|dimension| u64::from(dimension.size)).sum();
        DimensionOrder { torus, half_way, diameter }
    }

    /// For each dimension that a message has to travel: the dimension, the first cable of its line, the place in the
    /// line, and the way from there.
    fn stretches(&self, from: Element, to: Element, mut visit: impl FnMut(usize, u32, u32, Way)) {
        let mut node = from;
        for (dim, dimension) in self.torus.dimensions().iter().enumerate() {
            let (here, there) = (self.torus.coordinate(node, dim), self.torus.coordinate(to, dim));
            if here == there {
                continue;
            }
            let mut way = shortest(dimension, here, there);
            if way.tie {
                way.direction = (self.half_way)(dimension.size, here, there);
            }
            visit(dim, self.torus.first_cable_of_line(node, dim), here, way);
            node = Element(node.0 - here * self.torus.stride(dim) + there * self.torus.stride(dim));
        }
    }
}

impl Routing for DimensionOrder {
    fn route(&self, from: Element, to: Element, visit: &mut dyn FnMut(Link, f64)) {
        self.stretches(from, to, |dim, line, here, way| {
            let size = self.torus.dimensions()[dim].size;
            for step in 0..way.steps {
                let at = match way.direction {
                    Direction::Plus => here + step,
                    Direction::Minus => here + size - 1 - step,
                };
                visit(Torus::link(Cable(line + at % size), way.direction), 1.0);
            }
        });
    }

    fn load(&self, flows: &[Flow], loads: &mut [f64]) {
        if flows.len() as u64 * self.diameter < u64::from(self.torus.links()) {
            for flow in flows {
                self.route(flow.from, flow.to, &mut |link, share| loads[link.index()] += flow.bytes * share);
            }
            return;
        }
        let mut changes = vec![Change::default(); loads.len()];
        for flow in flows {
            self.stretches(flow.from, flow.to, |dim, line, here, way| {
                let dimension = &self.torus.dimensions()[dim];
                let mut change = |at: u32, sign: i64| {
                    let change = &mut changes[Torus::link(Cable(line + at), way.direction).index()];
                    change.bytes += flow.bytes * sign as f64;
                    change.flows += sign;
                };
                let (first, cables) = (first_cable(dimension, here, way), dimension.cables_per_line());
                change(first, 1);
                let end = first + way.steps;
                if end > cables {
                    change(0, 1);
                }
                if end != cables {
                    change(end % cables, -1);
                }
            });
        }
        for (dim, dimension) in self.torus.dimensions().iter().enumerate() {
            // Both directions of each cable of a line, one line after the other.
            let (cables, range) = (self.torus.cables_of(dim), 2 * dimension.cables_per_line() as usize);
            let links = 2 * cables.start as usize..2 * cables.end as usize;
            let lines = loads[links.clone()].chunks_mut(range.max(1)).zip(changes[links].chunks(range.max(1)));
            for (loads, changes) in lines {
                let mut sums = [Change::default(); 2];
                for (at, (load, change)) in loads.iter_mut().zip(changes).enumerate() {
                    let sum = &mut sums[at % 2];
                    sum.bytes += change.bytes;
                    sum.flows += change.flows;
                    if sum.flows > 0 {
                        *load += sum.bytes;
                    }
                }
            }
        }
    }
}
