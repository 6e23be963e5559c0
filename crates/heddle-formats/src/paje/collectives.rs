//! Whether the collectives of a trace can be told apart.
//!
//! SMPI writes a state for each call and says nothing about the communicator. Where every rank makes the same calls
//! in the same order, the k-th call of all ranks is taken to be one operation of the world. Two things show that this
//! is wrong: another sequence on some rank, and a rank that leaves a call in which everybody waits for everybody before
//! another has entered it, which is what calls on smaller communicators look like. Then there are no collectives at
//! all: none are better than wrong ones.

use heddle_model::{CollectiveOp, Ns};
use rustc_hash::FxHashMap;

/// One operation, as far as it is known.
#[derive(Clone, Copy, Debug)]
struct Operation {
    op: CollectiveOp,
    latest_begin: Ns,
    earliest_end: Ns,
}

/// What the calls so far have shown.
#[derive(Debug)]
pub(super) struct Collectives {
    operations: Vec<Operation>,
    /// How many each track has made.
    made: FxHashMap<u32, usize>,
    most: usize,
    differ: bool,
}

/// What can be said about the collectives of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// There are none.
    None,
    /// Every call is one of the world.
    World,
    /// They cannot be told apart: why.
    Doubtful(&'static str),
}

impl Collectives {
    pub(super) fn new(memory: u64) -> Collectives {
        let most = usize::try_from(memory / 8 / size_of::<Operation>() as u64).unwrap_or(usize::MAX);
        Collectives { operations: Vec::new(), made: FxHashMap::default(), most: most.max(1 << 10), differ: false }
    }

    /// A track enters a collective.
    pub(super) fn begin(&mut self, track: u32, op: Option<CollectiveOp>, time: Ns) {
        let op = op.unwrap_or(CollectiveOp::UNKNOWN);
        let made = self.made.entry(track).or_insert(0);
        let at = *made;
        *made += 1;
        if let Some(operation) = self.operations.get_mut(at) {
            self.differ |= operation.op != op;
            operation.latest_begin = operation.latest_begin.max(time);
        } else if at < self.most {
            self.operations.push(Operation { op, latest_begin: time, earliest_end: Ns::MAX });
        } else {
            self.differ = true;
        }
    }

    /// It leaves the one that it entered last.
    pub(super) fn end(&mut self, track: u32, time: Ns) {
        let made = self.made.get(&track).copied().unwrap_or(0);
        if let Some(operation) = made.checked_sub(1).and_then(|at| self.operations.get_mut(at)) {
            operation.earliest_end = operation.earliest_end.min(time);
        }
    }

    /// To be asked at the end, with the number of ranks.
    pub(super) fn verdict(&self, ranks: usize) -> Verdict {
        if self.made.is_empty() {
            return Verdict::None;
        }
        let all = self.operations.len();
        if self.differ || self.made.len() != ranks || self.made.values().any(|made| *made != all) {
            return Verdict::Doubtful(
                "ranks make different sequences of collectives, and the file does not tell communicators apart; none is shown",
            );
        }
        let overlap =
            |operation: &Operation| !waits_for_all(operation.op) || operation.earliest_end >= operation.latest_begin;
        if self.operations.iter().all(overlap) {
            Verdict::World
        } else {
            Verdict::Doubtful(
                "ranks leave collectives before others enter them: they belong to smaller communicators, which the file does not name; none is shown",
            )
        }
    }
}

/// Whether nobody can leave before everybody has entered.
fn waits_for_all(op: CollectiveOp) -> bool {
    let name = op.name();
    name == "barrier" || name == "reduce_scatter" || name == "reduce_scatter_block" || name.starts_with("all")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks make calls `(op, begin, end)`.
    fn verdict(ranks: &[&[(u8, i64, i64)]]) -> Verdict {
        let mut collectives = Collectives::new(1 << 20);
        for (track, calls) in ranks.iter().enumerate() {
            for (op, begin, end) in *calls {
                collectives.begin(track as u32, Some(CollectiveOp(*op)), Ns(*begin));
                collectives.end(track as u32, Ns(*end));
            }
        }
        collectives.verdict(ranks.len())
    }

    #[test]
    fn only_what_can_be_of_the_world_is() {
        let (barrier, bcast) = (0, 1);
        assert_eq!(verdict(&[&[], &[]]), Verdict::None);
        assert_eq!(verdict(&[&[(barrier, 0, 9)], &[(barrier, 5, 8)]]), Verdict::World);
        assert!(matches!(verdict(&[&[(barrier, 0, 4)], &[(barrier, 5, 8)]]), Verdict::Doubtful(_)));
        assert_eq!(verdict(&[&[(bcast, 0, 4)], &[(bcast, 5, 8)]]), Verdict::World, "a root need not wait");
        assert!(matches!(verdict(&[&[(barrier, 0, 9)], &[]]), Verdict::Doubtful(_)));
        assert!(matches!(verdict(&[&[(barrier, 0, 9)], &[(bcast, 0, 9)]]), Verdict::Doubtful(_)));
    }
}
