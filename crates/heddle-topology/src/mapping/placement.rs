//! Where each rank sits, and who sits on each node.

use crate::Element;

/// Which node and core each rank runs on.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    nodes: Vec<Element>,
    cores: Vec<u32>,
    /// The first of each node's ranks in `by_node`, and the end of the last.
    first: Vec<u32>,
    by_node: Vec<u32>,
    ranks_per_node: u32,
}

impl Placement {
    /// Ranks on a machine of so many nodes: of each rank the node, which must be one of them, and the core.
    pub fn new(hosts: u32, places: impl IntoIterator<Item = (Element, u32)>) -> Placement {
        let (nodes, cores): (Vec<Element>, Vec<u32>) = places.into_iter().unzip();
        let mut first = vec![0_u32; hosts as usize + 1];
        for node in &nodes {
            first[node.index() + 1] += 1;
        }
        let ranks_per_node = first.iter().copied().max().unwrap_or(0);
        for node in 0..hosts as usize {
            first[node + 1] += first[node];
        }
        let mut next = first.clone();
        let mut by_node = vec![0; nodes.len()];
        for (rank, node) in nodes.iter().enumerate() {
            by_node[next[node.index()] as usize] = rank as u32;
            next[node.index()] += 1;
        }
        Placement { nodes, cores, first, by_node, ranks_per_node }
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// The node of a rank.
    pub fn node(&self, rank: u32) -> Element {
        self.nodes[rank as usize]
    }

    /// The nodes of all ranks, in the order of ranks.
    pub fn nodes(&self) -> &[Element] {
        &self.nodes
    }

    /// The core of a rank on its node.
    pub fn core(&self, rank: u32) -> u32 {
        self.cores[rank as usize]
    }

    /// Number of nodes of the machine, whether ranks sit on them or not.
    pub fn hosts(&self) -> u32 {
        self.first.len() as u32 - 1
    }

    /// The ranks on a node, lowest first; none on a switch.
    pub fn ranks_of(&self, node: Element) -> &[u32] {
        match self.first.get(node.index()..node.index() + 2) {
            Some(ends) => &self.by_node[ends[0] as usize..ends[1] as usize],
            None => &[],
        }
    }

    /// The most ranks that sit on one node.
    pub fn ranks_per_node(&self) -> u32 {
        self.ranks_per_node
    }
}
