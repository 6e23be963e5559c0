//! Phases whose order contradicts itself.
//!
//! A collective taken as one point in time may contradict messages: not every library waits for everybody in every
//! collective. Damaged traces have messages that contradict each other.

use std::sync::atomic::Ordering::Relaxed;

use super::components::Graph;
use super::steps::Stepper;

/// Nodes on cycles that only messages make, with the cycle they are on. Messages between nodes of one cycle order nothing.
#[derive(Default)]
pub(super) struct Contradictions(Vec<(u32, u32)>);

impl Contradictions {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether two nodes are on one cycle.
    pub(super) fn contain(&self, a: u32, b: u32) -> bool {
        let cycle = |node| self.0.binary_search_by_key(&node, |&(node, _)| node).ok().map(|place| self.0[place].1);
        matches!((cycle(a), cycle(b)), (Some(a), Some(b)) if a == b)
    }
}

/// Takes collectives on cycles apart, and if there are none, notes the cycles. Called when nodes of a phase wait in vain.
/// Whether anything changed.
pub(super) fn resolve(stepper: &Stepper, part: u32, contradictions: &mut Contradictions) -> bool {
    let mut nodes = Vec::new();
    stepper.for_nodes(part, |node| {
        if stepper.waits(node).load(Relaxed) > 0 {
            nodes.push(node);
        }
    });
    let mut graph = Graph { first: vec![0], targets: Vec::new() };
    let mut in_cycle = vec![false; nodes.len()];
    for (place, &node) in nodes.iter().enumerate() {
        stepper.for_edges(node, contradictions, |target, _| {
            // What follows a node that waits, waits too.
            if let Some(Ok(target)) = target.map(|target| nodes.binary_search(&stepper.node_of(target))) {
                graph.targets.push(target as u32);
                in_cycle[place] |= target == place;
            }
        });
        graph.first.push(graph.targets.len() as u32);
    }
    let component = graph.components();
    let mut size = vec![0; nodes.len()];
    for &component in &component {
        size[component as usize] += 1;
    }
    let mut is_changed = false;
    for (place, &node) in nodes.iter().enumerate() {
        in_cycle[place] |= size[component[place] as usize] > 1;
        if in_cycle[place] {
            is_changed |= stepper.split(node);
        }
    }
    if is_changed {
        return true;
    }
    let cycles = (0..nodes.len()).filter(|&place| in_cycle[place]).map(|place| (nodes[place], component[place]));
    let is_new = contradictions.is_empty();
    *contradictions = Contradictions(cycles.collect());
    is_new && !contradictions.is_empty()
}
