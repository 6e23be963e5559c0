//! Which links a message travels over, and what many messages put on each link.

mod dimension_order;
mod lines;
mod shifted;
mod shortest_paths;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::{Element, Link, Shape};

use dimension_order::DimensionOrder;
use shortest_paths::ShortestPaths;

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

    /// Adds what flows put on each link to `loads`, one number per link.
    ///
    /// The same as adding up [`Routing::route`]; kinds of machines that know a shorter way take it. The result does not
    /// depend on the number of threads, and a link that no flow passes gets exactly nothing.
    fn load(&self, flows: &[Flow], loads: &mut [f64]) {
        for flow in flows {
            self.route(flow.from, flow.to, &mut |link, share| loads[link.index()] += flow.bytes * share);
        }
    }
}

/// The ways to choose routes that have names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RoutingKind {
    /// One dimension after the other, in their order, the shorter way round; exactly half-way round towards larger coordinates.
    #[default]
    Dor,
    /// The same, but half-way round an even ring as SimGrid decides it: from the node in the middle of the ring to the first one
    /// it goes towards smaller coordinates.
    DorSimgrid,
    /// All shortest paths carry equal shares.
    Asp,
}

impl RoutingKind {
    /// All of them.
    pub const ALL: [RoutingKind; 3] = [RoutingKind::Dor, RoutingKind::DorSimgrid, RoutingKind::Asp];

    /// What it is called: `dor`, `dor-simgrid`, `asp`.
    pub fn name(self) -> &'static str {
        match self {
            RoutingKind::Dor => "dor",
            RoutingKind::DorSimgrid => "dor-simgrid",
            RoutingKind::Asp => "asp",
        }
    }
}

/// No routing is called so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a routing; use dor, dor-simgrid or asp", .0.escape_debug())]
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

/// A routing of that kind on a machine.
pub fn routing(kind: RoutingKind, shape: &Shape) -> Arc<dyn Routing> {
    match shape {
        Shape::Torus(torus) => match kind {
            RoutingKind::Dor => Arc::new(DimensionOrder::new(torus.clone(), lines::half_way_up)),
            RoutingKind::DorSimgrid => Arc::new(DimensionOrder::new(torus.clone(), lines::half_way_simgrid)),
            RoutingKind::Asp => Arc::new(ShortestPaths::new(torus.clone())),
        },
    }
}

#[cfg(test)]
mod tests;
