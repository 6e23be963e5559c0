//! The links between the nodes of a machine, and where its ranks sit.

use std::sync::Arc;

use heddle_topology::routing::RoutingKind;
use heddle_topology::{Element, Mapping, Placement, Shape};

use crate::SimulateError;
use crate::machine::Machine;

/// Links that messages share. What they do to each other there is in [`crate::fabric`].
#[derive(Clone, Debug, PartialEq)]
pub struct Interconnect {
    /// Nodes and links.
    pub shape: Shape,
    /// Where ranks sit.
    pub seats: Seats,
    /// Which links a message travels over.
    pub routing: RoutingKind,
    /// What a link carries one way, in bytes per nanosecond, which is GB/s; none for what the shape says, and if it says nothing
    /// for as much as a rank's network card sends.
    pub link_bandwidth: Option<f64>,
    /// What the ranks of a node can together put on the network, in bytes per nanosecond; none for as much as the node's links
    /// carry together.
    pub injection_bandwidth: Option<f64>,
}

/// Where ranks sit.
#[derive(Clone, Debug, PartialEq)]
pub enum Seats {
    /// By a rule. A node has as many seats as the machine has ranks per node.
    Rule(Mapping),
    /// Rank by rank.
    Listed(Arc<Placement>),
}

impl Interconnect {
    /// Ranks that fill node after node, messages that take the machine's usual way, links as fast as a rank's network card.
    pub fn new(shape: Shape) -> Interconnect {
        Interconnect {
            routing: RoutingKind::of(&shape)[0],
            shape,
            seats: Seats::Rule(Mapping::Block),
            link_bandwidth: None,
            injection_bandwidth: None,
        }
    }

    pub(crate) fn place(&self, ranks: u32, ranks_per_node: u32) -> Result<Placement, SimulateError> {
        let placement = self.seat(ranks, ranks_per_node)?;
        let part = |rank: u32| self.shape.part(placement.node(rank));
        match (1..ranks).find(|rank| part(*rank) != part(0)) {
            Some(rank) => Err(SimulateError::Options(format!(
                "no cable joins the parts of the machine that ranks 0 and {rank} sit on; say with a mapping where ranks sit"
            ))),
            None => Ok(placement),
        }
    }

    fn seat(&self, ranks: u32, ranks_per_node: u32) -> Result<Placement, SimulateError> {
        match &self.seats {
            Seats::Rule(mapping) => mapping
                .place(&self.shape, ranks, ranks_per_node)
                .map_err(|error| SimulateError::Options(error.to_string())),
            Seats::Listed(placement) if placement.ranks() != ranks => Err(SimulateError::Options(format!(
                "the mapping places {} ranks, but the program has {ranks}",
                placement.ranks()
            ))),
            Seats::Listed(placement) if placement.hosts() != self.shape.hosts() => Err(SimulateError::Options(
                format!("the mapping is for {} nodes, but the machine has {}", placement.hosts(), self.shape.hosts()),
            )),
            Seats::Listed(placement) => Ok(Placement::clone(placement)),
        }
    }
}

/// Which node each rank is on, and what nodes are called.
#[derive(Debug)]
pub(crate) enum Nodes<'a> {
    /// One after the other, full.
    Filled { ranks_per_node: u32, ranks: u32 },
    /// Somewhere on a machine with links.
    Placed { placement: Placement, interconnect: &'a Interconnect },
}

impl<'a> Nodes<'a> {
    pub(crate) fn new(machine: &'a Machine, ranks: u32) -> Result<Nodes<'a>, SimulateError> {
        let ranks_per_node = machine.ranks_per_node;
        Ok(match &machine.interconnect {
            None => Nodes::Filled { ranks_per_node, ranks },
            Some(interconnect) => Nodes::Placed { placement: interconnect.place(ranks, ranks_per_node)?, interconnect },
        })
    }

    /// How many there are, whether ranks are on them or not.
    pub(crate) fn count(&self) -> u32 {
        match self {
            Nodes::Filled { ranks_per_node, ranks } => ranks.div_ceil(*ranks_per_node),
            Nodes::Placed { placement, .. } => placement.hosts(),
        }
    }

    /// The node of a rank.
    pub(crate) fn of(&self, rank: u32) -> u32 {
        match self {
            Nodes::Filled { ranks_per_node, .. } => rank / ranks_per_node,
            Nodes::Placed { placement, .. } => placement.node(rank).0,
        }
    }

    /// What a node is called.
    pub(crate) fn name(&self, node: u32) -> String {
        match self {
            Nodes::Filled { .. } => format!("node {node}"),
            Nodes::Placed { interconnect, .. } => match interconnect.shape.label(Element(node)) {
                coordinates if interconnect.shape.torus().is_some() => format!("node {coordinates}"),
                label => label,
            },
        }
    }
}
