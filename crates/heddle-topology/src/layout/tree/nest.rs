//! Pods within pods, and things in squares.

use crate::{FatTree, Topology};

/// Which pod is in which, layer by layer; nodes are the pods of layer 0.
pub(super) struct Nest {
    /// By layer, for each pod: which child of its parent it is.
    index: Vec<Vec<u32>>,
    /// By layer, for each pod: the pod above.
    parent: Vec<Vec<u32>>,
    /// By layer: the most children of a pod; of layer 0 none.
    pub(super) most_children: Vec<u32>,
    /// By layer: the most switches of that layer in a pod.
    pub(super) most_switches: Vec<u32>,
}

impl Nest {
    pub(super) fn of(tree: &FatTree) -> Nest {
        let (mut index, mut parent) = (Vec::new(), Vec::new());
        let (mut most_children, mut most_switches) = (vec![0], vec![0]);
        let mut firsts: Vec<u32> = (0..tree.hosts()).collect();
        for layer in 1..=tree.layers() {
            let pods = tree.pods(layer).all();
            let (mut of_layer, mut parents, mut most) = (Vec::with_capacity(firsts.len()), Vec::new(), 0);
            let (mut pod, mut child) = (0, 0);
            for first in &firsts {
                while pods[pod as usize].nodes.end <= *first {
                    (pod, child) = (pod + 1, 0);
                }
                of_layer.push(child);
                parents.push(pod);
                child += 1;
                most = most.max(child);
            }
            index.push(of_layer);
            parent.push(parents);
            most_children.push(most);
            most_switches.push(pods.iter().map(|pod| pod.switches.len() as u32).max().unwrap_or(0));
            firsts = pods.iter().map(|pod| pod.nodes.start).collect();
        }
        Nest { index, parent, most_children, most_switches }
    }

    /// From a pod to the top: for each layer above, which child of the pod there it, or what it is in, is.
    pub(super) fn path(&self, layer: u32, pod: usize) -> impl Iterator<Item = u32> + '_ {
        let mut at = pod;
        (layer as usize..self.index.len()).map(move |layer| {
            let index = self.index[layer][at];
            at = self.parent[layer][at] as usize;
            index
        })
    }
}

/// How many there are along the edge of a square with room for so many.
pub(super) fn edge(count: u32) -> u32 {
    let mut edge = f64::from(count).sqrt() as u32;
    while u64::from(edge) * u64::from(edge) < u64::from(count) {
        edge += 1;
    }
    edge
}

/// Where one of so many stands in a square: column and row. Powers of four keep four neighbours together.
pub(super) fn in_square(at: u32, count: u32) -> (u32, u32) {
    let is_power_of_four = count.is_power_of_two() && count.trailing_zeros().is_multiple_of(2);
    if !is_power_of_four {
        let edge = edge(count).max(1);
        return (at % edge, at / edge);
    }
    let (mut column, mut row) = (0, 0);
    for digit in 0..count.trailing_zeros() / 2 {
        let here = at >> (2 * digit) & 3;
        column |= (here & 1) << digit;
        row |= (here >> 1) << digit;
    }
    (column, row)
}
