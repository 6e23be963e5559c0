//! Collectives as messages: which member sends how much to which.
//!
//! A trace says what each member gave and got, not how the library did it. These are the usual ways:
//!
//! | operation | messages |
//! |---|---|
//! | all-to-all, reduce-scatter | every member to every other its share of what it gave |
//! | broadcast, reduce | a binomial tree from, or to, the root |
//! | all-reduce | recursive doubling; in a group that is no power of two the members above the last power send to a partner first, and get the result from it |
//! | all-gather | a ring: every block goes once round |
//! | gather, scatter | each member to, or from, the root |
//! | scan | from each member to the next |
//! | barrier | nothing |
//!
//! A root that the trace does not name is taken to be the first member.

use heddle_model::CollectiveOp;
use heddle_options::Words;

/// How collectives are turned into messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CollectiveModel {
    /// Each in its usual way.
    #[default]
    Usual,
    /// Not at all: messages alone are counted.
    None,
    /// Every member to every other.
    Pairs,
    /// A binomial tree from, or to, the root; for operations without one there and back.
    Tree,
    /// Recursive doubling.
    Doubling,
    /// A ring.
    Ring,
}

impl Words for CollectiveModel {
    const WORDS: &'static [(&'static str, CollectiveModel)] = &[
        ("usual", CollectiveModel::Usual),
        ("none", CollectiveModel::None),
        ("pairs", CollectiveModel::Pairs),
        ("tree", CollectiveModel::Tree),
        ("doubling", CollectiveModel::Doubling),
        ("ring", CollectiveModel::Ring),
    ];
}

/// What a collective's members did, summed over any number of collectives of the same members, operation and root.
#[derive(Clone, Debug)]
pub(super) struct Collectives<'a> {
    /// What they do.
    pub(super) op: CollectiveOp,
    /// Position of the root among the members.
    pub(super) root: Option<usize>,
    /// What each member gave.
    pub(super) sent: &'a [f64],
    /// What each member got.
    pub(super) received: &'a [f64],
}

/// The ways in which members exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Nothing,
    Pairs,
    TreeFromRoot,
    TreeToRoot,
    Doubling,
    Ring,
    Gather,
    Scatter,
    Chain,
}

/// Whether members of such collectives send every other something: in large groups that is too much to list.
pub(super) fn is_between_all(op: CollectiveOp, model: CollectiveModel) -> bool {
    ways(op, model).contains(&Way::Pairs)
}

fn ways(op: CollectiveOp, model: CollectiveModel) -> &'static [Way] {
    let name = op.name();
    let is_for_data =
        !matches!(name, "barrier" | "collective") && !name.contains("handle") && !name.contains("allocate");
    if !is_for_data {
        return &[];
    }
    match model {
        CollectiveModel::None => &[],
        CollectiveModel::Pairs => &[Way::Pairs],
        CollectiveModel::Doubling => &[Way::Doubling],
        CollectiveModel::Ring => &[Way::Ring],
        CollectiveModel::Tree => match name {
            "bcast" | "scatter" | "scatterv" => &[Way::TreeFromRoot],
            "reduce" | "gather" | "gatherv" => &[Way::TreeToRoot],
            _ => &[Way::TreeToRoot, Way::TreeFromRoot],
        },
        CollectiveModel::Usual => match name {
            "alltoall" | "alltoallv" | "alltoallw" | "reduce_scatter" | "reduce_scatter_block" => &[Way::Pairs],
            "bcast" => &[Way::TreeFromRoot],
            "reduce" => &[Way::TreeToRoot],
            "allreduce" => &[Way::Doubling],
            "allgather" | "allgatherv" => &[Way::Ring],
            "gather" | "gatherv" => &[Way::Gather],
            "scatter" | "scatterv" => &[Way::Scatter],
            "scan" | "exscan" => &[Way::Chain],
            _ => &[Way::Nothing],
        },
    }
}

impl Collectives<'_> {
    /// Visits every message: from which position to which, and how many bytes.
    pub(super) fn messages(&self, model: CollectiveModel, mut visit: impl FnMut(usize, usize, f64)) {
        let members = self.sent.len();
        if members < 2 {
            return;
        }
        // Positions relative to the root, from which trees grow.
        let root = self.root.unwrap_or(0).min(members - 1);
        let absolute = |relative: usize| (relative + root) % members;
        // Everyone handles the same block in a tree and in doubling; recorders write it down with either end.
        let block = || self.sent.iter().chain(self.received).copied().fold(0.0, f64::max);
        for way in ways(self.op, model) {
            match way {
                Way::Nothing => {}
                Way::Pairs => {
                    for from in 0..members {
                        let share = self.sent[from] / members as f64;
                        for to in (0..members).filter(|to| *to != from) {
                            visit(from, to, share);
                        }
                    }
                }
                Way::TreeFromRoot => {
                    binomial(members, |parent, child| visit(absolute(parent), absolute(child), block()));
                }
                Way::TreeToRoot => binomial(members, |parent, child| visit(absolute(child), absolute(parent), block())),
                Way::Doubling => doubling(members, |from, to| visit(from, to, block())),
                Way::Ring => {
                    // The block of every member passes all links of the ring but the last before its owner.
                    let all: f64 = self.sent.iter().sum();
                    for from in 0..members {
                        let to = (from + 1) % members;
                        visit(from, to, all - self.sent[to]);
                    }
                }
                Way::Gather => {
                    for from in (0..members).filter(|from| *from != root) {
                        visit(from, root, self.sent[from]);
                    }
                }
                Way::Scatter => {
                    for to in (0..members).filter(|to| *to != root) {
                        visit(root, to, self.received[to]);
                    }
                }
                Way::Chain => {
                    for from in 0..members - 1 {
                        visit(from, from + 1, self.sent[from]);
                    }
                }
            }
        }
    }
}

/// Parents and children of a binomial tree whose root is 0: the largest step first, as broadcasts go.
pub(crate) fn binomial(members: usize, mut visit: impl FnMut(usize, usize)) {
    let mut step = members.next_power_of_two() / 2;
    while step > 0 {
        for parent in (0..members).step_by(2 * step).filter(|parent| parent + step < members) {
            visit(parent, parent + step);
        }
        step /= 2;
    }
}

/// Exchanges of recursive doubling. Members beyond the largest power of two hand over to a partner, and get the result back.
fn doubling(members: usize, mut visit: impl FnMut(usize, usize)) {
    let power = 1 << members.ilog2();
    for beyond in power..members {
        visit(beyond, beyond - power);
        visit(beyond - power, beyond);
    }
    let mut step = 1;
    while step < power {
        for member in 0..power {
            visit(member, member ^ step);
        }
        step *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(op: &str, root: Option<usize>, sent: &[f64], received: &[f64]) -> Vec<(usize, usize, f64)> {
        let mut all = Vec::new();
        let collectives = Collectives { op: CollectiveOp::from_name(op), root, sent, received };
        collectives.messages(CollectiveModel::Usual, |from, to, bytes| all.push((from, to, bytes)));
        all
    }

    #[test]
    fn a_broadcast_reaches_everyone_once() {
        for members in 2..40 {
            for root in [0, members - 1] {
                let mut sent = vec![0.0; members];
                sent[root] = 8.0;
                let mut has = vec![false; members];
                has[root] = true;
                for (from, to, bytes) in messages("bcast", Some(root), &sent, &vec![8.0; members]) {
                    assert!(has[from] && !std::mem::replace(&mut has[to], true), "{members} {root}: {from} to {to}");
                    assert!((bytes - 8.0).abs() < 1e-12);
                }
                assert!(has.iter().all(|has| *has), "{members}");
            }
        }
    }

    #[test]
    fn an_all_reduce_brings_everything_to_everyone() {
        for members in 2..20_usize {
            let mut has: Vec<u32> = (0..members).map(|member| 1 << member).collect();
            let power = 1 << members.ilog2();
            let all = messages("allreduce", None, &vec![8.0; members], &vec![8.0; members]);
            // First those beyond the power hand over, at the end they get the result: the list has both in pairs.
            let (beyond, exchange) = all.split_at(2 * (members - power));
            for (from, to, _) in beyond.iter().step_by(2) {
                has[*to] |= has[*from];
            }
            for round in exchange.chunks(power) {
                let before = has.clone();
                for (from, to, _) in round {
                    has[*to] |= before[*from];
                }
            }
            for (from, to, _) in beyond.iter().skip(1).step_by(2) {
                has[*to] |= has[*from];
            }
            assert!(has.iter().all(|has| *has == (1 << members) - 1), "{members}");
        }
    }

    #[test]
    fn an_all_gather_sends_every_block_once_round() {
        let all = messages("allgather", None, &[1.0, 2.0, 4.0], &[7.0; 3]);
        assert_eq!(all, [(0, 1, 5.0), (1, 2, 3.0), (2, 0, 6.0)]);
        assert!(messages("barrier", None, &[0.0; 4], &[0.0; 4]).is_empty());
        let pairs = messages("alltoall", None, &[4.0, 4.0], &[4.0, 4.0]);
        assert_eq!(pairs, [(0, 1, 2.0), (1, 0, 2.0)], "what a member keeps for itself is not sent");
    }
}
