//! Which links a message travels over, and what many messages put on each link.

mod dimension_order;
mod groups;
mod lines;
mod shifted;
mod shortest_paths;
mod up_down;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::{Element, Link, Shape};

use dimension_order::DimensionOrder;
use groups::Groups;
use shortest_paths::ShortestPaths;
use up_down::up_down;

/// Bytes from one element to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// Who sends.
    pub from: Element,
    /// Who receives.
    pub to: Element,
    /// How much.
    pub bytes: f64,
}

/// A way to choose routes.
pub trait Routing: Send + Sync {
    /// Visits each link that a message from one element to another may travel over, once, with the share of the message's
    /// bytes that it carries. Nothing for a message that does not leave its element. Where there is only one route, its links
    /// come in the order of travel.
    fn route(&self, from: Element, to: Element, visit: &mut dyn FnMut(Link, f64));

    /// One route that a message may take, link after link; where there are several, `choice` says which: the same one for the
    /// same number. Nothing for a message that does not leave its element, or that cannot get there.
    fn path(&self, from: Element, to: Element, choice: u64) -> Vec<Link> {
        let _ = choice;
        let mut path = Vec::new();
        self.route(from, to, &mut |link, _| path.push(link));
        path
    }

    /// Adds what flows put on each link to `loads`, one number per link.
    ///
    /// The same as adding up [`Routing::route`]; kinds of machines that know a shorter way take it. The result does not
    /// depend on the number of threads, and a link that no flow passes gets exactly nothing.
    fn load(&self, flows: &[Flow], loads: &mut [f64]) {
        for flow in flows {
            self.route(flow.from, flow.to, &mut |link, share| loads[link.index()] += flow.bytes * share);
        }
    }

    /// Adds what every host sends to every other: as many bytes as the product of their weights, one weight per host.
    ///
    /// The same as [`Routing::load`] of all these flows, which would be many; kinds of machines that know a shorter way take it.
    fn load_all_pairs(&self, weights: &[f64], loads: &mut [f64]) {
        load_pair_by_pair(weights, |flows| self.load(flows, loads));
    }
}

/// Flows that are held at once while hosts send to all others.
const AT_ONCE: usize = 1 << 20;

/// Writes out what every host sends to every other, a part at a time.
fn load_pair_by_pair(weights: &[f64], mut load: impl FnMut(&[Flow])) {
    let hosts = || (0..).map(Element).zip(weights).filter(|(_, weight)| **weight > 0.0);
    let mut flows = Vec::new();
    for (from, sent) in hosts() {
        let others = hosts().filter(|(to, _)| *to != from);
        flows.extend(others.map(|(to, weight)| Flow { from, to, bytes: sent * weight }));
        if flows.len() >= AT_ONCE {
            load(&flows);
            flows.clear();
        }
    }
    load(&flows);
}

/// The ways to choose routes that have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RoutingKind {
    /// One dimension after the other, in their order, the shorter way round; exactly half-way round towards larger coordinates.
    Dor,
    /// The same, but half-way round an even ring as SimGrid decides it: from the node in the middle of the ring to the first one
    /// it goes towards smaller coordinates.
    DorSimgrid,
    /// All shortest paths carry equal shares.
    Asp,
    /// Up a tree by the number of the receiver, layer by layer, and down the only way there is.
    DModK,
    /// Up a tree over all switches alike.
    Spread,
    /// To the other group of a dragonfly straight, over all cables between the two alike.
    Minimal,
    /// By way of a third group, over all of them alike.
    Valiant,
}

impl RoutingKind {
    /// All of them.
    pub const ALL: [RoutingKind; 7] = [
        RoutingKind::Dor,
        RoutingKind::DorSimgrid,
        RoutingKind::Asp,
        RoutingKind::DModK,
        RoutingKind::Spread,
        RoutingKind::Minimal,
        RoutingKind::Valiant,
    ];

    /// What it is called: `dor`, `dor-simgrid`, `asp`, `d-mod-k`, `spread`, `minimal`, `valiant`.
    pub fn name(self) -> &'static str {
        match self {
            RoutingKind::Dor => "dor",
            RoutingKind::DorSimgrid => "dor-simgrid",
            RoutingKind::Asp => "asp",
            RoutingKind::DModK => "d-mod-k",
            RoutingKind::Spread => "spread",
            RoutingKind::Minimal => "minimal",
            RoutingKind::Valiant => "valiant",
        }
    }

    /// Those that a machine can have; the first is what it has by itself.
    pub fn of(shape: &Shape) -> &'static [RoutingKind] {
        match shape {
            Shape::Torus(_) => &[RoutingKind::Dor, RoutingKind::DorSimgrid, RoutingKind::Asp],
            Shape::FatTree(_) => &[RoutingKind::DModK, RoutingKind::Spread],
            Shape::Dragonfly(_) => &[RoutingKind::Minimal, RoutingKind::Valiant],
        }
    }
}

/// No routing is called so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is not a routing; use dor, dor-simgrid or asp on a torus, d-mod-k or spread on a \
         fat-tree, minimal or valiant on a dragonfly", .0.escape_debug()
)]
pub struct UnknownRouting(pub String);

impl FromStr for RoutingKind {
    type Err = UnknownRouting;

    fn from_str(text: &str) -> Result<RoutingKind, UnknownRouting> {
        let named = |kind: &RoutingKind| kind.name().eq_ignore_ascii_case(text.trim());
        RoutingKind::ALL.into_iter().find(named).ok_or_else(|| UnknownRouting(text.to_owned()))
    }
}

impl fmt::Display for RoutingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A routing for another kind of machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} is no routing of a {machine}; use {}", .fitting.join(" or "))]
pub struct UnfitRouting {
    /// What was asked for.
    pub kind: RoutingKind,
    /// `torus`
    pub machine: &'static str,
    /// What fits.
    pub fitting: Vec<&'static str>,
}

/// A routing of that kind on a machine.
pub fn routing(kind: RoutingKind, shape: &Shape) -> Result<Arc<dyn Routing>, UnfitRouting> {
    Ok(match (shape, kind) {
        (Shape::Torus(torus), RoutingKind::Dor) => Arc::new(DimensionOrder::new(torus.clone(), lines::half_way_up)),
        (Shape::Torus(torus), RoutingKind::DorSimgrid) => {
            Arc::new(DimensionOrder::new(torus.clone(), lines::half_way_simgrid))
        }
        (Shape::Torus(torus), RoutingKind::Asp) => Arc::new(ShortestPaths::new(torus.clone())),
        (Shape::FatTree(tree), RoutingKind::DModK) => up_down(tree, up_down::Choice::ByReceiver),
        (Shape::FatTree(tree), RoutingKind::Spread) => up_down(tree, up_down::Choice::All),
        (Shape::Dragonfly(dragonfly), RoutingKind::Minimal) => Arc::new(Groups::new(dragonfly.clone(), false)),
        (Shape::Dragonfly(dragonfly), RoutingKind::Valiant) => Arc::new(Groups::new(dragonfly.clone(), true)),
        _ => {
            let fitting = RoutingKind::of(shape).iter().map(|kind| kind.name()).collect();
            return Err(UnfitRouting { kind, machine: shape.kind(), fitting });
        }
    })
}

#[cfg(test)]
mod tests;
