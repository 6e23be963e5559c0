//! What members do: how many send, receive, only take part in collectives; leaves and inner ranks of a tree.

use heddle_logical::Kind;
use heddle_logical::tables::kind_of;
use rayon::prelude::*;
use serde::Serialize;

use super::members::Everyone;
use super::partners::Partners;
use super::{Asked, Group};
use crate::scene::ticks::grouped;

/// How many members do what. Each is counted once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Roles {
    /// Those that send and receive.
    pub send_and_receive: u32,
    /// Those that send and do not receive.
    pub only_send: u32,
    /// Those that receive and do not send.
    pub only_receive: u32,
    /// Those that only take part in collectives.
    pub only_collectives: u32,
    /// Their places in the tree that messages go along, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<TreeRoles>,
    /// In words: `448 leaves, 58 gathers`.
    pub text: String,
}

/// Places in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TreeRoles {
    /// Ranks with a single partner.
    pub leaves: u32,
    /// All others.
    pub inner: u32,
    /// Whether inner ranks receive from below: they gather.
    pub gathers: bool,
}

pub(super) fn roles(asked: &Asked, everyone: &Everyone, group: &Group, partners: &Partners) -> Roles {
    let (logical, scope) = (&asked.data.logical, asked.clusters.scope());
    let of_row = |row: u32| {
        let events = scope.events_of(logical, row);
        let (mut sends, mut receives) = (false, false);
        for kind in logical.events.kind.iter(events).map(kind_of) {
            sends |= kind == Kind::Send;
            receives |= kind == Kind::Receive;
            if sends && receives {
                break;
            }
        }
        [u32::from(sends && receives), u32::from(sends && !receives), u32::from(receives && !sends), 1]
    };
    let rows = everyone.rows.par_iter().zip(&group.is_member).filter(|(_, is)| **is);
    let counts = rows.map(|(row, _)| of_row(*row)).reduce(
        || [0; 4],
        |mut a, b| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        },
    );
    let [send_and_receive, only_send, only_receive, all] = counts;
    let tree = partners.tree.as_ref().map(|tree| {
        let leaves = tree.levels.iter().zip(&group.is_member).filter(|(level, is)| **is && **level == 0).count() as u32;
        TreeRoles { leaves, inner: all - leaves, gathers: partners.gathers }
    });
    let only_collectives = all - send_and_receive - only_send - only_receive;
    let roles = Roles { send_and_receive, only_send, only_receive, only_collectives, tree, text: String::new() };
    Roles { text: text(&roles), ..roles }
}

fn text(roles: &Roles) -> String {
    let counted = |number: u32, one: &str, several: &str| {
        let words = if number == 1 { one } else { several };
        (number > 0).then(|| format!("{} {words}", grouped(u64::from(number))))
    };
    let pieces = match roles.tree {
        Some(TreeRoles { leaves, inner, gathers }) => {
            let inner_words = if gathers { ("gather", "gathers") } else { ("inner rank", "inner ranks") };
            vec![counted(leaves, "leaf", "leaves"), counted(inner, inner_words.0, inner_words.1)]
        }
        None => vec![
            counted(roles.send_and_receive, "sends and receives", "send and receive"),
            counted(roles.only_send, "only sends", "only send"),
            counted(roles.only_receive, "only receives", "only receive"),
            counted(roles.only_collectives, "only takes part in collectives", "only take part in collectives"),
        ],
    };
    pieces.into_iter().flatten().collect::<Vec<String>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_does_is_not_said() {
        let roles = Roles { send_and_receive: 30, only_collectives: 1, ..Roles::default() };
        assert_eq!(text(&roles), "30 send and receive, 1 only takes part in collectives");
        let tree = Some(TreeRoles { leaves: 448, inner: 58, gathers: true });
        assert_eq!(text(&Roles { tree, ..roles }), "448 leaves, 58 gathers");
        assert_eq!(text(&Roles::default()), "");
    }
}
