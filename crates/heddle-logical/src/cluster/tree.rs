//! The hierarchy of clusters: leaves joined two by two, up to one root.

/// Two nodes that join. Nodes are numbered: leaves first, then joints in their order, so the last one is the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Merge {
    /// Which nodes.
    pub children: [u32; 2],
    /// How far they are apart.
    pub height: f64,
}

/// A hierarchy of clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    leaves: u32,
    merges: Vec<Merge>,
}

/// Heights that grow by less than this factor show no groups: the values are spread evenly.
const CLEAR_GAP: f64 = 4.0;

impl Tree {
    /// A hierarchy over so many leaves. Children stand in the order in which they are to be shown.
    pub(super) fn new(leaves: u32, merges: Vec<Merge>) -> Tree {
        Tree { leaves, merges }
    }

    /// How many leaves there are.
    pub fn leaves(&self) -> u32 {
        self.leaves
    }

    /// Leaves and joints.
    pub fn nodes(&self) -> u32 {
        self.leaves + self.merges.len() as u32
    }

    /// The node above all; none if there are no leaves.
    pub fn root(&self) -> Option<u32> {
        self.nodes().checked_sub(1)
    }

    /// Joints, from the nearest pair to the root.
    pub fn merges(&self) -> &[Merge] {
        &self.merges
    }

    /// The joint that a node is; none for leaves.
    pub fn merge(&self, node: u32) -> Option<&Merge> {
        self.merges.get(node.checked_sub(self.leaves)? as usize)
    }

    /// At which distance a node's clusters hold together; 0 for leaves.
    pub fn height(&self, node: u32) -> f64 {
        self.merge(node).map_or(0.0, |merge| merge.height)
    }

    /// The joint above a node; none for the root.
    pub fn parent(&self, node: u32) -> Option<u32> {
        let at = self.merges.iter().position(|merge| merge.children.contains(&node))?;
        Some(self.leaves + at as u32)
    }

    /// The leaves below a node, in the order in which they are shown.
    pub fn leaves_of(&self, node: u32) -> Vec<u32> {
        let (mut leaves, mut open) = (Vec::new(), vec![node]);
        while let Some(node) = open.pop() {
            match self.merge(node) {
                Some(merge) => open.extend(merge.children.iter().rev()),
                None if node < self.leaves => leaves.push(node),
                None => {}
            }
        }
        leaves
    }

    /// How far a node is from what it joins next; none for the root.
    pub fn distance_to_next(&self, node: u32) -> Option<f64> {
        self.parent(node).map(|parent| self.height(parent))
    }

    /// The clusters that a reader sees first, in the order in which they are shown: those between which the heights
    /// of joints first leap, which is where noise ends. Between one and `most` of them; where nothing stands out, those that
    /// join last. `within` is how far ranks are from the medoids of their leaves, as a mean of squares;
    /// none if every leaf is a single rank.
    pub fn natural(&self, most: usize, within: Option<f64>) -> Vec<u32> {
        let heights: Vec<f64> = self.merges.iter().map(|merge| merge.height).collect();
        // Joints below the cut stay closed. With j of them closed there are leaves - j clusters.
        let first = (self.leaves as usize).saturating_sub(most.max(1));
        let farthest = heights.iter().rev().find(|height| height.is_finite()).copied().unwrap_or(0.0);
        // What is nearer than ranks of one leaf are to each other is no distance.
        let floor = within.unwrap_or(0.0).max(farthest * 1e-9);
        let below = |closed: usize| closed.checked_sub(1).map_or(within.unwrap_or(heights[0]), |last| heights[last]);
        let is_leap = |closed: &usize| {
            let height = heights[*closed];
            height > 0.0 && height / below(*closed).max(floor) > CLEAR_GAP
        };
        // Without a clear gap the highest joints are open, as far as they say anything.
        let nothing = heights.iter().take_while(|height| **height <= 0.0).count();
        self.cut((first..heights.len()).find(is_leap).unwrap_or(first.max(nothing)))
    }

    /// The clusters that are left when the first so many joints are closed, in the order in which they are shown.
    pub fn cut(&self, closed: usize) -> Vec<u32> {
        let is_open = |node: u32| node.checked_sub(self.leaves).is_some_and(|joint| joint as usize >= closed);
        self.shown(is_open)
    }

    /// The nodes that are shown as one, from the top: those that are not open below open ones.
    pub fn shown(&self, is_open: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut shown = Vec::new();
        let mut left: Vec<u32> = self.root().into_iter().collect();
        while let Some(node) = left.pop() {
            match self.merge(node) {
                Some(merge) if is_open(node) => left.extend(merge.children.iter().rev()),
                _ => shown.push(node),
            }
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merge(a: u32, b: u32, height: f64) -> Merge {
        Merge { children: [a, b], height }
    }

    #[test]
    fn groups_are_where_heights_leap() {
        // 0 and 1 are near, 2 and 3 too, 4 stands far off.
        let tree = Tree::new(5, vec![merge(0, 1, 1.0), merge(2, 3, 1.5), merge(5, 6, 40.0), merge(4, 7, 90.0)]);
        assert_eq!(tree.natural(8, None), vec![4, 5, 6]);
        assert_eq!(tree.natural(8, Some(0.9)), vec![4, 5, 6]);
        assert_eq!(tree.natural(8, Some(0.0)), vec![4, 0, 1, 2, 3], "leaves whose ranks do not differ at all");
        assert_eq!(tree.natural(2, None), vec![4, 7], "no more than there is room for");
        assert_eq!(tree.leaves_of(7), vec![0, 1, 2, 3]);
        assert_eq!((tree.root(), tree.parent(5), tree.distance_to_next(4)), (Some(8), Some(7), Some(90.0)));
        let even = Tree::new(4, vec![merge(0, 1, 1.0), merge(2, 4, 1.2), merge(3, 5, 1.5)]);
        assert_eq!(even.natural(3, None), vec![3, 2, 4], "of what is spread evenly, those that join last");
        let equal = Tree::new(3, vec![merge(0, 1, 0.0), merge(2, 3, 0.0)]);
        assert_eq!(equal.natural(8, Some(0.0)), vec![4], "what does not differ stays together");
    }

    #[test]
    fn a_single_leaf_is_the_root() {
        let tree = Tree::new(1, Vec::new());
        assert_eq!((tree.root(), tree.natural(8, None), tree.leaves_of(0)), (Some(0), vec![0], vec![0]));
        let none = Tree::new(0, Vec::new());
        assert_eq!((none.root(), none.natural(8, None)), (None, Vec::new()));
    }
}
