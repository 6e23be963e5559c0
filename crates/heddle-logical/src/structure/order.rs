//! Phases whose order contradicts itself.
//!
//! A collective taken as one point in time may contradict messages: not every library waits for everybody in every
//! collective. Damaged traces have messages that contradict each other.

use std::sync::atomic::Ordering::Relaxed;

use super::components::Graph;
use super::steps::Stepper;

/// Nodes on cycles that only messages make, with a node that stands for the cycle. Messages between nodes of one cycle
/// order nothing.
#[derive(Default)]
pub(super) struct Contradictions(Vec<(u32, u32)>);

impl Contradictions {
    pub(super) fn new(mut nodes: Vec<(u32, u32)>) -> Contradictions {
        nodes.sort_unstable();
        Contradictions(nodes)
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

/// Takes the collectives on cycles of a phase apart; if there are none, gives the nodes on cycles, each with one that stands
/// for its cycle. Called when nodes of the phase wait in vain.
pub(super) fn resolve(stepper: &Stepper, part: u32) -> Vec<(u32, u32)> {
    let mut nodes: Vec<u32> = stepper.nodes_of(part).filter(|&node| stepper.waits(node).load(Relaxed) > 0).collect();
    nodes.sort_unstable();
    let mut graph = Graph { first: vec![0], targets: Vec::new() };
    let mut in_cycle = vec![false; nodes.len()];
    for (place, &node) in nodes.iter().enumerate() {
        stepper.for_edges(node, |target, _| {
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
    let mut first = vec![0; nodes.len()];
    for (&component, &node) in component.iter().zip(&nodes) {
        size[component as usize] += 1;
        first[component as usize] = node;
    }
    let mut is_split = false;
    for (place, &node) in nodes.iter().enumerate() {
        in_cycle[place] |= size[component[place] as usize] > 1;
        is_split |= in_cycle[place] && stepper.split(node);
    }
    if is_split {
        return Vec::new();
    }
    let cyclic = (0..nodes.len()).filter(|&place| in_cycle[place]);
    cyclic.map(|place| (nodes[place], first[component[place] as usize])).collect()
}
