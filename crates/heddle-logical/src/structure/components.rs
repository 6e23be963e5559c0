//! Strongly connected components of a small explicit graph.

const NONE: u32 = u32::MAX;

/// A graph as lists of successors.
pub(super) struct Graph {
    /// Where the successors of each node begin, and behind the last node their number.
    pub(super) first: Vec<u32>,
    /// The successors, node by node.
    pub(super) targets: Vec<u32>,
}

impl Graph {
    /// The component of each node: the same number for nodes on one cycle. Tarjan's, without recursion.
    pub(super) fn components(&self) -> Vec<u32> {
        let nodes = self.first.len() - 1;
        // A node's number in the order of discovery, or the lowest it can get back to; `component` doubles as "done".
        let mut low = vec![NONE; nodes];
        let mut component = vec![NONE; nodes];
        let mut open: Vec<u32> = Vec::new();
        // The way down: node, next edge to look at, its own number.
        let mut way: Vec<(u32, u32, u32)> = Vec::new();
        let (mut found, mut components) = (0, 0);
        for root in 0..nodes as u32 {
            if low[root as usize] != NONE {
                continue;
            }
            let mut enter = Some(root);
            loop {
                if let Some(node) = enter.take() {
                    low[node as usize] = found;
                    open.push(node);
                    way.push((node, self.first[node as usize], found));
                    found += 1;
                }
                let Some((node, edge, number)) = way.last_mut() else { break };
                if *edge < self.first[*node as usize + 1] {
                    let target = self.targets[*edge as usize];
                    *edge += 1;
                    if low[target as usize] == NONE {
                        enter = Some(target);
                    } else if component[target as usize] == NONE {
                        low[*node as usize] = low[*node as usize].min(low[target as usize]);
                    }
                    continue;
                }
                let (node, number) = (*node, *number);
                way.pop();
                let lowest = low[node as usize];
                if lowest == number {
                    while let Some(member) = open.pop() {
                        component[member as usize] = components;
                        if member == node {
                            break;
                        }
                    }
                    components += 1;
                }
                if let Some((above, _, _)) = way.last() {
                    low[*above as usize] = low[*above as usize].min(lowest);
                }
            }
        }
        component
    }
}
