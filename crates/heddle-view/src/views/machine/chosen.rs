//! What is selected, as far as it is on a machine: the same in all views of it.

use heddle_topology::{Cable, Element, Link};

use super::loads::{Loads, ranks_of};
use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::request::selection::Selection;
use crate::request::window::RankSet;

/// What is selected, as far as it is on a machine.
pub(crate) struct Chosen {
    /// Nodes, if any are; the ends of a link.
    nodes: Option<Vec<bool>>,
    /// Whether it is one node: then its cables are chosen with it.
    is_one: bool,
    cable: Option<Cable>,
    ranks: Option<RankSet>,
}

impl Chosen {
    pub(crate) fn of(loads: &Loads<'_>, trace: &Trace<'_>, request: &ViewRequest) -> Chosen {
        let selected = request.emphasis.selected.as_ref();
        let link = match selected {
            Some(Selection::Link(name)) => name.find(&**loads.shape),
            _ => None,
        };
        let nodes = match link {
            Some(link) => {
                let mut ends = vec![false; loads.shape.elements() as usize];
                let (from, to) = loads.shape.ends(link);
                for end in [from, to] {
                    ends[end.index()] = true;
                }
                Some(ends)
            }
            None => loads.selected(trace, request),
        };
        let is_one =
            nodes.as_ref().is_some_and(|nodes| nodes.iter().filter(|is_chosen| **is_chosen).take(2).count() == 1);
        let ranks = selected.and_then(|selected| ranks_of(trace, selected));
        Chosen { nodes, is_one, cable: link.map(Link::cable), ranks }
    }

    /// Whether anything on the machine is selected.
    pub(crate) fn is_any(&self) -> bool {
        self.nodes.is_some()
    }

    /// The selected link's cable.
    pub(crate) fn cable(&self) -> Option<Cable> {
        self.cable
    }

    pub(crate) fn has_node(&self, node: Element) -> bool {
        self.nodes.as_ref().is_some_and(|nodes| nodes[node.index()])
    }

    /// A selected link; or one between selected nodes, or from or to the only one.
    pub(crate) fn has_cable(&self, loads: &Loads<'_>, cable: Cable) -> bool {
        if let Some(chosen) = self.cable {
            return chosen == cable;
        }
        let (from, to) = loads.shape.ends(cable.links()[0]);
        let (from, to) = (self.has_node(from), self.has_node(to));
        if self.is_one { from || to } else { from && to }
    }

    pub(crate) fn has_rank(&self, loads: &Loads<'_>, rank: u32) -> bool {
        match &self.ranks {
            Some(ranks) => ranks.contains(rank),
            None => self.has_node(loads.network.machine.placement.node(rank)),
        }
    }
}
