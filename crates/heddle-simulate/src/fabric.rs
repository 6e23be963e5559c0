//! Links that messages share.
//!
//! Every link, one way, and every node's way onto the network is a queue that carries what comes to it piece by piece, at its
//! bandwidth. A message is cut into pieces. A piece asks all links of its route at once, when its first byte leaves the sender's
//! network card, and each keeps a place for the share of its bytes that goes this way; it is through when the last of them has
//! carried its share. Then the next piece follows, so that a sender feels what is in its way, and messages that meet on a link
//! share it in turns. The last byte is there a latency after it was through. Messages are long against the way through a
//! node, so a piece flows through all its links at the same time; how many these are makes no difference by itself.
//!
//! Two ranks of one node talk without any of this. Neither requests to send, which are short, nor collectives that are worked out as
//! a whole load a link. There is no limit to what waits in front of a link, so nothing can lock up.
//!
//! Whoever asks must do so in the order of time. Then no piece is through earlier because of one that was added.

use std::sync::Arc;

use heddle_topology::routing::{Routing, routing};
use heddle_topology::{Element, Link, Placement};

use crate::SimulateError;
use crate::interconnect::Interconnect;
use crate::machine::{LATEST, LogGp};

/// The links of a machine, and until when each is busy.
pub(crate) struct Fabric<'a> {
    pub(crate) network: LogGp,
    placement: &'a Placement,
    routing: Arc<dyn Routing>,
    links: Vec<Pipe>,
    /// By node: its way onto the network.
    injections: Vec<Pipe>,
}

/// The way of a message.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    /// Where it begins.
    node: Element,
    /// Its links, each with its share of the bytes; none within a node.
    links: Vec<(Link, f64)>,
}

impl Default for Route {
    fn default() -> Route {
        Route { node: Element(0), links: Vec::new() }
    }
}

/// Something that carries bytes one after the other.
#[derive(Clone, Copy, Debug)]
struct Pipe {
    gap_per_byte: f64,
    /// Until when it is busy.
    free: i64,
}

/// A stretch of a message: from this byte to that one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) from: u64,
    pub(crate) to: u64,
}

impl Pipe {
    /// Keeps a place for a share of a piece that comes at some time; tells when the last byte is through.
    ///
    /// What a piece takes is what the message takes up to its end less what it takes up to its start, in whole nanoseconds: so
    /// pieces take together what the message does.
    fn carry(&mut self, at: i64, piece: Piece, share: f64) -> i64 {
        let until = |byte: u64| ((byte as f64 * share * self.gap_per_byte).round() as i64).min(LATEST);
        self.free = self.free.max(at) + until(piece.to) - until(piece.from);
        self.free
    }
}

impl<'a> Fabric<'a> {
    pub(crate) fn new(
        network: &LogGp,
        interconnect: &'a Interconnect,
        placement: &'a Placement,
    ) -> Result<Fabric<'a>, SimulateError> {
        let shape = &interconnect.shape;
        let gaps: Vec<f64> = shape
            .classes()
            .iter()
            .map(|class| match (interconnect.link_bandwidth, class.capacity) {
                (Some(bandwidth), _) => 1.0 / bandwidth,
                // Capacities are per second.
                (None, Some(capacity)) => 1e9 / capacity,
                (None, None) => network.gap_per_byte,
            })
            .collect();
        let links: Vec<Pipe> =
            (0..shape.links()).map(|link| Pipe { gap_per_byte: gaps[shape.class(Link(link))], free: 0 }).collect();
        // The bandwidth of each element: what its links carry together.
        let mut bandwidths = vec![0.0; shape.elements() as usize];
        for (link, pipe) in (0..).zip(&links) {
            bandwidths[shape.ends(Link(link)).0.index()] += 1.0 / pipe.gap_per_byte;
        }
        let pipe = |together: &f64| {
            let bandwidth = interconnect.injection_bandwidth.unwrap_or(*together);
            Pipe { gap_per_byte: 1.0 / bandwidth, free: 0 }
        };
        let injections = bandwidths.iter().take(shape.hosts() as usize).map(pipe).collect();
        let routing =
            routing(interconnect.routing, shape).map_err(|error| SimulateError::Options(error.to_string()))?;
        Ok(Fabric { network: *network, placement, routing, links, injections })
    }

    /// The way of a message from rank to rank, into memory that held another.
    pub(crate) fn route(&self, (from, to): (u32, u32), route: &mut Route) {
        let (from, to) = (self.placement.node(from), self.placement.node(to));
        route.node = from;
        route.links.clear();
        self.routing.route(from, to, &mut |link, share| route.links.push((link, share)));
    }

    /// Carries a piece of a message whose first byte leaves the network card at some time, when all are slow by a factor. Tells
    /// when its last byte is through.
    pub(crate) fn carry(&mut self, route: &Route, piece: Piece, at: i64, slow: f64) -> i64 {
        let network = self.network.slowed(slow);
        let mut through = at + network.transfer(piece.to) - network.transfer(piece.from);
        if !route.links.is_empty() {
            through = through.max(self.injections[route.node.index()].carry(at, piece, slow));
        }
        for (link, share) in &route.links {
            through = through.max(self.links[link.index()].carry(at, piece, *share * slow));
        }
        through
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Seats;

    /// Ranks one per node, a byte per nanosecond everywhere.
    fn links(shape: &str, kind: &str) -> Interconnect {
        let seats = Seats::Rule("block".parse().unwrap());
        Interconnect { seats, routing: kind.parse().unwrap(), ..Interconnect::new(shape.parse().unwrap()) }
    }

    const NETWORK: LogGp = LogGp { latency_ns: 0, overhead_ns: 0, gap_ns: 0, gap_per_byte: 1.0, eager_bytes: u64::MAX };

    /// Sender, receiver, bytes, and how much later than the one before.
    fn messages() -> impl Strategy<Value = Vec<(u32, u32, u64, i64)>> {
        prop::collection::vec((0..36_u32, 0..36_u32, 0..5_000_u64, 0..3_000_i64), 1..40)
    }

    fn kinds() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec!["dor", "dor-simgrid", "asp"])
    }

    proptest! {
        #[test]
        fn links_carry_what_the_routing_loads_them_with(messages in messages(), kind in kinds()) {
            let links = links("3x4x3", kind);
            let placement = links.place(36, 1).unwrap();
            let mut fabric = Fabric::new(&NETWORK, &links, &placement).unwrap();
            let mut loads = vec![0.0; links.shape.links() as usize];
            let mut route = Route::default();
            for (from, to, bytes, _) in &messages {
                fabric.route((*from, *to), &mut route);
                fabric.carry(&route, Piece { from: 0, to: *bytes }, 0, 1.0);
                fabric.routing.route(placement.node(*from), placement.node(*to), &mut |link, share| {
                    loads[link.index()] += share * *bytes as f64;
                });
            }
            // All came at 0, so a link is busy for as long as it carries; each message is rounded once.
            for (pipe, load) in fabric.links.iter().zip(&loads) {
                prop_assert!((pipe.free as f64 - load).abs() <= 0.5 * messages.len() as f64, "{} of {load}", pipe.free);
            }
        }

        #[test]
        fn nothing_is_through_earlier_because_of_another(
            messages in messages(),
            kind in kinds(),
            added in any::<prop::sample::Index>(),
        ) {
            let links = links("4x3x3", kind);
            let placement = links.place(36, 1).unwrap();
            let added = added.index(messages.len());
            let run = |with: bool| -> Vec<i64> {
                let mut fabric = Fabric::new(&NETWORK, &links, &placement).unwrap();
                let (mut at, mut route) = (0, Route::default());
                let mut through = Vec::new();
                for (number, (from, to, bytes, later)) in messages.iter().enumerate() {
                    at += later;
                    if number != added || with {
                        fabric.route((*from, *to), &mut route);
                        let time = fabric.carry(&route, Piece { from: 0, to: *bytes }, at, 1.0);
                        through.extend((number != added).then_some(time));
                    }
                }
                through
            };
            for (with, without) in run(true).iter().zip(run(false)) {
                prop_assert!(*with >= without);
            }
        }
    }
}
