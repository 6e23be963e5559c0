//! Pods: the parts of a tree that the switches up to a layer hold together.

use std::ops::Range;

/// A pod of a layer: nodes that the switches up to that layer hold together, and those of that layer among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pod {
    /// Its nodes, by number.
    pub nodes: Range<u32>,
    /// Its switches of that layer, by number there. A pod that the layer adds nothing to has none.
    pub switches: Range<u32>,
}

/// The pods of a layer, by their nodes: they follow each other without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pods {
    pods: Vec<Pod>,
}

impl Pods {
    pub(super) fn new(pods: Vec<Pod>) -> Pods {
        Pods { pods }
    }

    /// All of them, in the order of their nodes.
    pub fn all(&self) -> &[Pod] {
        &self.pods
    }

    /// The number of the pod that a node is in.
    pub fn of_node(&self, node: u32) -> usize {
        self.pods.partition_point(|pod| pod.nodes.end <= node)
    }

    /// The number of the pod that a switch of the layer is in.
    pub fn of_switch(&self, switch: u32) -> usize {
        self.pods.partition_point(|pod| pod.switches.end <= switch)
    }
}
