//! Through a tree: up to the lowest layer from which the receiver can be reached, and down from there.
//!
//! A tree by rule is its own map: every link of a route follows from the numbers of the two nodes. In fabrics that somebody
//! found, routes follow the distances of switches from the receiver.

mod by_distance;
mod by_rule;

use std::sync::Arc;

use super::Routing;
use crate::FatTree;

pub(super) use by_distance::ByDistance;
pub(super) use by_rule::ByRule;

/// Which of the ways up is taken; down there is only one, but for parallel cables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// By the receiver's number: d-mod-k.
    ByReceiver,
    /// All of them alike.
    All,
}

/// The routes of a tree.
pub(super) fn up_down(tree: &FatTree, choice: Choice) -> Arc<dyn Routing> {
    match tree.rule() {
        Some(rule) => Arc::new(ByRule::new(rule, choice)),
        None => Arc::new(ByDistance::new(tree.clone(), choice)),
    }
}

/// A number of choices in one: each takes what it needs and leaves the rest to those that follow.
pub(super) fn take(choice: &mut u64, of: u64) -> u64 {
    let taken = *choice % of;
    *choice /= of;
    taken
}
