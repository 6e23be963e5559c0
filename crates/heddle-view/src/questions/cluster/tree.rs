//! The tree that messages go along, if they go along one.

/// Ranks in a tree, or in several: by their places in the list of all ranks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tree {
    /// How far above the lowest leaf of its branch each rank is: 0 for leaves, and for ranks without messages.
    pub(super) levels: Vec<u32>,
    /// The highest level.
    pub(super) top: u32,
    /// The rank above each; itself if there is none.
    parents: Vec<u32>,
    /// Ranks from the leaves up: each comes before its parent.
    order: Vec<u32>,
}

/// Fewer ranks, or ones with fewer partners, are no tree to speak of: a pair or a chain.
const LEAST_RANKS: usize = 8;
const LEAST_PARTNERS: usize = 3;
/// So many of the ranks must have a place in it.
const LEAST_SHARE: f64 = 0.75;

impl Tree {
    /// The tree of ranks that are partners of each other: pairs, each at least once and in any direction. None if the
    /// pairs close a circle, or there are hardly any.
    pub(super) fn of(ranks: usize, pairs: &[(u32, u32)]) -> Option<Tree> {
        let mut edges: Vec<(u32, u32)> =
            pairs.iter().filter(|(a, b)| a != b).map(|(a, b)| (*a.min(b), *a.max(b))).collect();
        edges.sort_unstable();
        edges.dedup();
        if edges.len() >= ranks {
            return None;
        }
        let mut first = vec![0u32; ranks + 1];
        for (a, b) in &edges {
            first[*a as usize + 1] += 1;
            first[*b as usize + 1] += 1;
        }
        for at in 0..ranks {
            first[at + 1] += first[at];
        }
        let mut next = first.clone();
        let mut partners = vec![0u32; 2 * edges.len()];
        for (a, b) in &edges {
            for (from, to) in [(*a, *b), (*b, *a)] {
                partners[next[from as usize] as usize] = to;
                next[from as usize] += 1;
            }
        }
        let mut left: Vec<u32> = first.windows(2).map(|ends| ends[1] - ends[0]).collect();
        let joined = left.iter().filter(|count| **count > 0).count();
        let most = left.iter().max().copied().unwrap_or(0) as usize;
        if joined < LEAST_RANKS || (joined as f64) < LEAST_SHARE * ranks as f64 || most < LEAST_PARTNERS {
            return None;
        }
        // Ranks with one partner left are taken away, round by round: nothing is left of a tree.
        let (mut levels, mut parents) = (vec![0u32; ranks], (0..ranks as u32).collect::<Vec<u32>>());
        let mut order: Vec<u32> = (0..ranks as u32).filter(|at| left[*at as usize] == 1).collect();
        let (mut is_gone, mut at, mut cut) = (vec![false; ranks], 0, 0);
        while at < order.len() {
            let leaf = order[at] as usize;
            at += 1;
            is_gone[leaf] = true;
            let around = &partners[first[leaf] as usize..first[leaf + 1] as usize];
            let Some(parent) = around.iter().map(|other| *other as usize).find(|other| !is_gone[*other]) else {
                continue;
            };
            cut += 1;
            parents[leaf] = parent as u32;
            levels[parent] = levels[parent].max(levels[leaf] + 1);
            left[parent] -= 1;
            if left[parent] == 1 {
                order.push(parent as u32);
            }
        }
        let top = levels.iter().max().copied().unwrap_or(0);
        (cut == edges.len()).then_some(Tree { levels, top, parents, order })
    }

    /// For each rank how many of those below it, itself included, count, and how many of these are members.
    pub(super) fn below(&self, counts: impl Fn(usize) -> bool, is_member: impl Fn(usize) -> bool) -> Vec<(u32, u32)> {
        let mut found: Vec<(u32, u32)> =
            (0..self.levels.len()).map(|at| if counts(at) { (1, u32::from(is_member(at))) } else { (0, 0) }).collect();
        for at in &self.order {
            let parent = self.parents[*at as usize];
            if parent != *at {
                let (all, members) = found[*at as usize];
                found[parent as usize].0 += all;
                found[parent as usize].1 += members;
            }
        }
        found
    }

    /// A rank and all below it.
    pub(super) fn branch(&self, top: usize) -> Vec<bool> {
        let mut is_below = vec![false; self.levels.len()];
        is_below[top] = true;
        for at in self.order.iter().rev() {
            is_below[*at as usize] |= is_below[self.parents[*at as usize] as usize];
        }
        is_below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each rank with the one that gathers for it, in a tree of that arity.
    fn gathers(ranks: u32, arity: u32) -> Vec<(u32, u32)> {
        let parent = |rank: u32| {
            let mut width = arity;
            while rank.is_multiple_of(width) {
                width *= arity;
            }
            rank - rank % width
        };
        (1..ranks).map(|rank| (rank, parent(rank))).collect()
    }

    #[test]
    fn levels_are_those_of_the_gather() {
        let tree = Tree::of(512, &gathers(512, 8)).unwrap();
        assert_eq!((tree.top, tree.levels[0], tree.levels[64], tree.levels[72], tree.levels[73]), (3, 3, 2, 1, 0));
        assert_eq!(tree.levels.iter().filter(|level| **level == 0).count(), 448);
        let branch = tree.branch(64);
        assert_eq!((0..512).filter(|at| branch[*at]).collect::<Vec<_>>(), (64..128).collect::<Vec<_>>());
        let below = tree.below(|at| tree.levels[at] == 0, |at| at >= 72);
        assert_eq!((below[64], below[0]), ((56, 49), (448, 448 - 63)));
    }

    #[test]
    fn what_is_no_tree_is_none() {
        let ring: Vec<(u32, u32)> = (0..64).map(|rank| (rank, (rank + 1) % 64)).collect();
        assert_eq!(Tree::of(64, &ring), None);
        assert_eq!(Tree::of(64, &ring[..63]), None, "a chain");
        let pairs: Vec<(u32, u32)> = (0..32).map(|pair| (2 * pair, 2 * pair + 1)).collect();
        assert_eq!(Tree::of(64, &pairs), None);
        assert_eq!(Tree::of(0, &[]), None);
        let mut closed = gathers(64, 4);
        closed.push((5, 6));
        assert_eq!(Tree::of(64, &closed), None);
        assert!(Tree::of(64, &[gathers(64, 4), vec![(0, 4), (4, 0)]].concat()).is_some(), "both ways");
    }
}
