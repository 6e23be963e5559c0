//! Options that decide traffic: the machine, where ranks sit, the routes, and what is counted.

use heddle_options::{Count, Kind, OptionValue, Words, Written, options};
use heddle_topology::Shape;
use heddle_topology::routing::RoutingKind;

use crate::predict::CollectiveModel;
use crate::traffic::Origin;

options! {
    /// What decides the traffic on a machine.
    pub struct NetworkOptions {
        /// The machine: sizes of a torus such as 8x8x16; mesh:8x8x16 without links around; a fat-tree by the children of its switches, fat-tree:4x4x4 or fat-tree:4^6, thinner towards the top fat-tree:16x8;1x4; a dragonfly of groups, routers and nodes, dragonfly:9x4x2; or a file: Slurm's topology.conf or topology.yaml, what ibnetdiscover prints, or a SimGrid platform; by default what the trace says, else a torus that its nodes fill
        "topology" topology: String = String::new(),
        /// Ranks that share a node; by default as many as the trace says
        "ranks-per-node" ranks_per_node: Count<0, 1_000_000> = Count(0),
        /// Where ranks sit: TXYZ or another order of letters (first fastest; last fastest in five dimensions), tile, tiltZ or tiltZY (of 2x8x8 nodes: tile:2x8x8), block, round-robin, a map file or a list of hosts; by default as in the trace
        "mapping" mapping: String = String::new(),
        /// Which links messages take. On a torus asp, all shortest paths with equal shares (by default); dor, one dimension after the other; or dor-simgrid, the same as SimGrid decides halfway round a ring. On a fat-tree d-mod-k, up by the receiver's number (by default); or spread, over all ways up alike. On a dragonfly minimal, straight to the other group (by default); or valiant, by way of a third one
        "routing" routing: RouteChoice = RouteChoice::Usual,
        /// What a link carries one way, in GB/s, for its utilisation; by default what the topology file says, and if that says nothing, links are compared with the fullest
        "link-bandwidth" link_bandwidth: Bandwidth = Bandwidth(0.0),
        /// Traffic of a pattern instead of a trace: message:FROM:TO, all-to-all, uniform (every rank sends in equal parts to all others), nearest (in equal parts to its six neighbours on the most cubic closed grid of ranks; nearest:16x16x16 for another), broadcast:ROOT (a binomial tree) or deposit:ROOT (along each dimension in turn, every node on the way keeping a copy)
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

/// Gigabytes per second; 0 if nobody says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bandwidth(pub f64);

/// More than any link carries.
const MOST_BANDWIDTH: f64 = 1e9;

impl Bandwidth {
    /// Bytes per second, if somebody says.
    pub fn bytes_per_second(self) -> Option<f64> {
        (self.0 > 0.0).then_some(self.0 * 1e9)
    }
}

impl OptionValue for Bandwidth {
    fn kind() -> Kind {
        Kind::Number { is_whole: false, least: 0.0, most: MOST_BANDWIDTH }
    }

    fn read(text: &str, _written: Written) -> Result<Bandwidth, String> {
        let bandwidth = text.parse().ok().filter(|bandwidth| (0.0..=MOST_BANDWIDTH).contains(bandwidth));
        bandwidth.map(Bandwidth).ok_or_else(|| "must be a number of GB/s, for instance 12.5".to_owned())
    }

    fn write(&self) -> String {
        self.0.to_string()
    }
}

/// Which links messages take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RouteChoice {
    /// What is usual for the machine.
    Usual,
    /// One that somebody chose.
    This(RoutingKind),
}

impl Words for RouteChoice {
    const WORDS: &'static [(&'static str, RouteChoice)] = &[
        ("", RouteChoice::Usual),
        ("asp", RouteChoice::This(RoutingKind::Asp)),
        ("dor", RouteChoice::This(RoutingKind::Dor)),
        ("dor-simgrid", RouteChoice::This(RoutingKind::DorSimgrid)),
        ("d-mod-k", RouteChoice::This(RoutingKind::DModK)),
        ("spread", RouteChoice::This(RoutingKind::Spread)),
        ("minimal", RouteChoice::This(RoutingKind::Minimal)),
        ("valiant", RouteChoice::This(RoutingKind::Valiant)),
    ];
}

impl RouteChoice {
    /// The routing on a machine.
    pub fn kind(self, shape: &Shape) -> RoutingKind {
        match (self, shape) {
            (RouteChoice::This(kind), _) => kind,
            // Machines whose routers choose by themselves come close to it.
            (RouteChoice::Usual, Shape::Torus(_)) => RoutingKind::Asp,
            (RouteChoice::Usual, _) => RoutingKind::of(shape)[0],
        }
    }
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
