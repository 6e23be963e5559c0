//! Options that decide traffic: the machine, where ranks sit, the routes, and what is counted.

use heddle_options::{Count, Words, options};
use heddle_topology::routing::RoutingKind;

use crate::predict::CollectiveModel;
use crate::traffic::Origin;

options! {
    /// What decides the traffic on a machine.
    pub struct NetworkOptions {
        /// The machine: sizes of a torus such as 8x8x16, mesh:8x8x16 without links around, or a SimGrid platform file; by default what the trace says, else a torus that its nodes fill
        "topology" topology: String = String::new(),
        /// Ranks that share a node; by default as many as the trace says
        "ranks-per-node" ranks_per_node: Count<0, 1_000_000> = Count(0),
        /// Where ranks sit: TXYZ or another order of letters (first fastest; last fastest in five dimensions), tile, tiltZ or tiltZY (of 2x8x8 nodes: tile:2x8x8), block, round-robin, a map file or a list of hosts; by default as in the trace
        "mapping" mapping: String = String::new(),
        /// Which links messages take: asp, all shortest paths with equal shares; dor, one dimension after the other; dor-simgrid, the same as SimGrid decides halfway round a ring
        "routing" routing: RouteChoice = RouteChoice(RoutingKind::Asp),
        /// Traffic of a pattern instead of a trace: message:FROM:TO, all-to-all, broadcast:ROOT (a binomial tree) or deposit:ROOT (along each dimension in turn, every node on the way keeping a copy)
        "pattern" pattern: String = String::new(),
        /// How collectives become messages. usual: all-to-all and reduce-scatter between all pairs, broadcast and reduce along binomial trees, all-reduce by recursive doubling (ranks beyond the last power of two hand over to a partner first), all-gather round a ring, gather and scatter straight to and from the root, scan from each rank to the next, barriers nothing; an unknown root is the first rank. pairs, tree, doubling and ring do all of them so, none leaves them out
        "collectives" collectives: CollectiveModel = CollectiveModel::Usual,
        /// Where loads come from; by default the first of measured, simulated and predicted that the trace has
        "traffic" traffic: TrafficChoice = TrafficChoice::Best,
        /// Which counter of a measurement; by default its first
        "link-counter" counter: String = String::new(),
        /// Only these sections of the traffic, by number from 0, separated by commas; by default all
        "sections" sections: String = String::new(),
    }
}

/// Which links messages take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RouteChoice(pub RoutingKind);

impl Words for RouteChoice {
    const WORDS: &'static [(&'static str, RouteChoice)] = &[
        ("asp", RouteChoice(RoutingKind::Asp)),
        ("dor", RouteChoice(RoutingKind::Dor)),
        ("dor-simgrid", RouteChoice(RoutingKind::DorSimgrid)),
    ];
}

/// Where loads come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TrafficChoice {
    /// The first that the trace has.
    Best,
    /// One of them.
    This(Origin),
}

impl Words for TrafficChoice {
    const WORDS: &'static [(&'static str, TrafficChoice)] = &[
        ("", TrafficChoice::Best),
        ("measured", TrafficChoice::This(Origin::Measured)),
        ("simulated", TrafficChoice::This(Origin::Simulated)),
        ("predicted", TrafficChoice::This(Origin::Predicted)),
    ];
}

impl NetworkOptions {
    /// The sections that are wanted; none for all.
    pub fn wanted_sections(&self) -> Option<Vec<usize>> {
        let numbers: Vec<usize> = self.sections.split(',').filter_map(|number| number.trim().parse().ok()).collect();
        (!self.sections.trim().is_empty()).then_some(numbers)
    }
}
