//! Ranks in classes: those of a node, a row, a residue. A set may be all ranks of one class, or of several.

use super::{Group, WhoKind, bits};

/// Says what some classes are called, which ascend.
pub(in super::super) type Namer<'a> = Box<dyn Fn(&[u32]) -> String + 'a>;

/// Every rank has a class.
pub(in super::super) struct Classes<'a> {
    /// What they are.
    pub(in super::super) kind: WhoKind,
    /// Bits to say that this division is meant.
    pub(in super::super) bits: f64,
    /// The class of each rank, in the order of the list of all ranks.
    pub(in super::super) class_of: Vec<u32>,
    /// How many classes there are.
    pub(in super::super) count: usize,
    /// What some classes are called, ascending.
    pub(in super::super) name: Namer<'a>,
}

/// Runs of classes beyond this are no name.
pub(super) const MOST_RUNS: usize = 4;

impl Classes<'_> {
    /// Those classes most of whose ranks are members, and the bits to say which; none if there is no way to say it.
    pub(super) fn chosen(&self, group: &Group) -> Option<(Vec<u32>, f64)> {
        if self.count < 2 || self.count >= group.ranks.len() {
            return None;
        }
        let mut counts = vec![(0u32, 0u32); self.count];
        for (class, is_member) in self.class_of.iter().zip(&group.is_member) {
            let count = &mut counts[*class as usize];
            count.0 += u32::from(*is_member);
            count.1 += 1;
        }
        let chosen: Vec<u32> =
            (0..).zip(&counts).filter(|(_, (members, all))| 2 * members > *all).map(|(class, _)| class).collect();
        if chosen.is_empty() || chosen.len() == self.count {
            return None;
        }
        let runs = 1 + chosen.windows(2).filter(|pair| pair[1] != pair[0] + 1).count();
        let which = match chosen.len() {
            1 => bits::one_of(self.count),
            several => bits::runs(self.count, several, runs),
        };
        let bits = self.bits + bits::rarely(chosen.len() - 1) + which;
        (runs <= MOST_RUNS).then_some((chosen, bits))
    }

    /// The ranks of some classes, which ascend.
    pub(super) fn ranks_of(&self, chosen: &[u32]) -> Vec<bool> {
        let mut is_chosen = vec![false; self.count];
        for class in chosen {
            is_chosen[*class as usize] = true;
        }
        self.class_of.iter().map(|class| is_chosen[*class as usize]).collect()
    }
}
