//! What the messages and collectives of a trace would put on the links of a machine.
//!
//! In three steps, so that mappings and machines can be changed without reading the trace again: what ranks send each other
//! ([`Sends`]), where that goes ([`place`]), and over which links ([`predict`]).

mod collectives;
mod sections;
mod sends;

pub use collectives::CollectiveModel;
pub(crate) use collectives::binomial;
pub(crate) use sections::Callers;
pub use sends::{Filter, RankFlow, SectionSends, Sends};
pub(crate) use sends::{MessageSent, collective_groups};

use heddle_topology::mapping::Placement;
use heddle_topology::routing::{Flow, Routing};
use heddle_topology::{Element, Topology};
use rayon::prelude::*;

use crate::traffic::{Origin, Section, Traffic, Unit};

/// Flows between nodes of a placement: those between the same two are one; those inside a node use no link and are left out.
pub fn place(flows: &[RankFlow], placement: &Placement) -> Vec<Flow> {
    let node = |rank: u32| (rank < placement.ranks()).then(|| placement.node(rank));
    let ends = flows.iter().filter_map(|flow| Some((node(flow.from)?, node(flow.to)?, flow.bytes)));
    let mut flows: Vec<(Element, Element, f64)> = ends.filter(|(from, to, _)| from != to).collect();
    // Stable: equal pairs keep their order, so sums of fractions do not depend on the sort.
    flows.par_sort_by_key(|(from, to, _)| (*from, *to));
    let mut joined: Vec<Flow> = Vec::new();
    for (from, to, bytes) in flows {
        match joined.last_mut() {
            Some(last) if (last.from, last.to) == (from, to) => last.bytes += bytes,
            _ => joined.push(Flow { from, to, bytes }),
        }
    }
    joined
}

/// What `sends` put on the links if ranks sit as placed and messages travel as routed.
pub fn predict(sends: &Sends, topology: &dyn Topology, placement: &Placement, routing: &dyn Routing) -> Traffic {
    let of_section = |section: usize| {
        let mut loads = vec![0.0; topology.links() as usize];
        routing.load(&place(sends.flows_of(section), placement), &mut loads);
        let about = &sends.sections[section];
        Section { name: about.name.clone(), operations: about.operations, sent: about.bytes, loads }
    };
    let sections = (0..sends.sections.len()).map(of_section).collect();
    Traffic { origin: Origin::Predicted, unit: Unit::Bytes, sections, notes: sends.notes.clone() }
}
