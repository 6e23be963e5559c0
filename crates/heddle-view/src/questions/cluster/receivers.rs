//! Whether a cluster is made of those that receive from another one: whoever waits for slow ranks is late with them.

use serde::Serialize;

use super::lists::list;
use super::members::Everyone;
use super::partners::Partners;
use super::who::{Hypotheses, WhoKind, fitting, who};
use super::{Asked, Group, LISTED};
use crate::scene::ticks::grouped;

/// More clusters are not looked at.
const MOST: usize = 64;

/// Another cluster, from whose ranks the members of this one receive messages, and hardly anybody else.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReceivesFrom {
    /// Which node of the hierarchy.
    pub node: u32,
    /// How many ranks receive from it that are not members.
    pub missing: usize,
    /// How many members do not receive from it.
    pub besides: usize,
    /// In words: `the ranks that receive messages from all 32 ranks of node 3`. Names in it are hostile text.
    pub text: String,
}

/// The other clusters that are shown, apart from each other.
pub(super) struct Others {
    nodes: Vec<u32>,
    /// Which of them each rank is in.
    group_of: Vec<Option<usize>>,
}

impl Others {
    /// `is_below` says which leaves are those of the cluster itself.
    pub(super) fn of(asked: &Asked, everyone: &Everyone, is_below: &[bool], shown: &[u32]) -> Others {
        let tree = asked.clusters.tree();
        let mut group_of_leaf: Vec<Option<usize>> = vec![None; is_below.len()];
        let mut nodes = Vec::new();
        for node in shown.iter().filter(|node| **node < tree.nodes()) {
            let leaves = tree.leaves_of(*node);
            let is_free = |leaf: &u32| !is_below[*leaf as usize] && group_of_leaf[*leaf as usize].is_none();
            // Most of all ranks: everybody receives from them.
            let is_small = 2 * (asked.clusters.size(*node) as usize) < everyone.ranks.len();
            if nodes.len() < MOST && is_small && leaves.iter().all(is_free) {
                for leaf in leaves {
                    group_of_leaf[leaf as usize] = Some(nodes.len());
                }
                nodes.push(*node);
            }
        }
        Others { nodes, group_of: everyone.leaves.iter().map(|leaf| group_of_leaf[*leaf as usize]).collect() }
    }

    /// Which group each rank is in, and how many there are.
    pub(super) fn groups(&self) -> (&[Option<usize>], usize) {
        (&self.group_of, self.nodes.len())
    }

    /// The one whose receivers are the members of a group.
    pub(super) fn received_by(
        &self,
        group: &Group,
        partners: &Partners,
        hypotheses: &Hypotheses,
    ) -> Option<ReceivesFrom> {
        let fits = partners.receivers_of.iter().enumerate().filter_map(|(at, receivers)| {
            let outside = receivers.iter().zip(&self.group_of).map(|(is, of)| *is && *of != Some(at)).collect();
            let (found, bits) = fitting(group, String::new(), outside, self.nodes.len())?;
            Some((at, found, bits))
        });
        let (at, fit, _) = fits.min_by(|a, b| a.2.total_cmp(&b.2))?;
        let senders = Group::new(group.ranks, self.group_of.iter().map(|of| *of == Some(at)).collect());
        let called = who(&senders, hypotheses);
        let called = if called.kind == WhoKind::None {
            format!("the cluster of {} ranks ({})", grouped(senders.size as u64), list(senders.members(), LISTED))
        } else {
            called.text
        };
        let text = format!("the ranks that receive messages from {called}{}", fit.text);
        Some(ReceivesFrom { node: self.nodes[at], missing: fit.missing, besides: fit.besides, text })
    }
}
