//! The way back from locations to ranks.
//!
//! The model names the two ends of a message by location; OTF2 by rank in the communicator. Communicators
//! share their groups (most equal the world), so groups are kept once and the table from location to
//! rank is made when an event first needs it: a group that nothing uses costs nothing.

use std::sync::{Arc, OnceLock};

use heddle_model::{CommId, Communicator, Definitions, LocationId};
use rustc_hash::FxHashMap;

/// What a rank is when there is none.
pub(super) const NO_RANK: u32 = u32::MAX;

/// One list of members, rank to location.
pub(super) struct Group {
    pub(super) members: Arc<[LocationId]>,
    ranks: OnceLock<FxHashMap<LocationId, u32>>,
}

impl Group {
    fn rank(&self, location: LocationId) -> Option<u32> {
        let ranks = self.ranks.get_or_init(|| {
            let mut ranks = FxHashMap::with_capacity_and_hasher(self.members.len(), rustc_hash::FxBuildHasher);
            for (rank, member) in self.members.iter().enumerate() {
                ranks.entry(*member).or_insert(rank as u32);
            }
            ranks
        });
        ranks.get(&location).copied()
    }
}

/// Which groups a communicator has; positions in [`Groups::lists`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommGroups {
    /// Everybody alone.
    Alone,
    /// One group.
    Intra(u32),
    /// The two sides of an inter-communicator.
    Inter(u32, u32),
}

/// The groups of all communicators.
pub(super) struct Groups<'a> {
    definitions: &'a Definitions,
    /// Every location that a communicator reaches: the world first, in its order, then what is not in it.
    pub(super) reached: Vec<LocationId>,
    /// Distinct groups in the order of their first use.
    pub(super) lists: Vec<Group>,
    /// For each communicator.
    pub(super) of_comm: Vec<CommGroups>,
}

impl<'a> Groups<'a> {
    pub(super) fn of(definitions: &'a Definitions) -> Self {
        let mut collector = Collector::default();
        let of_comm = definitions.communicators.iter().map(|comm| collector.comm(comm)).collect();
        let mut groups = Groups { definitions, reached: definitions.world.clone(), lists: collector.lists, of_comm };
        groups.reach_members();
        groups
    }

    /// Adds members outside the world: a group of the format can only list what the world list has.
    fn reach_members(&mut self) {
        let mut reached = vec![false; self.definitions.locations.len()];
        for location in &self.reached {
            if let Some(seen) = reached.get_mut(location.index()) {
                *seen = true;
            }
        }
        for location in self.lists.iter().flat_map(|group| group.members.iter()) {
            if let Some(seen) = reached.get_mut(location.index()).filter(|seen| !**seen) {
                *seen = true;
                self.reached.push(*location);
            }
        }
    }

    /// The rank by which `caller` knows `peer` in a communicator, or [`NO_RANK`].
    pub(super) fn rank(&self, caller: LocationId, peer: LocationId, comm: CommId) -> u32 {
        let Some(groups) = self.of_comm.get(comm.index()).filter(|_| peer.is_some()) else { return NO_RANK };
        let group = match *groups {
            CommGroups::Alone => return 0,
            CommGroups::Intra(group) => group,
            CommGroups::Inter(a, b) => {
                if self.rank_in(a, caller).is_some() {
                    b
                } else {
                    a
                }
            }
        };
        self.rank_in(group, peer).unwrap_or(NO_RANK)
    }

    fn rank_in(&self, group: u32, location: LocationId) -> Option<u32> {
        let group = &self.lists[group as usize];
        // In the world, and all that equals it, the rank is known without a table.
        let world_rank = self.definitions.locations.get(location.index())?.rank;
        if group.members.get(world_rank.index()) == Some(&location) {
            return Some(world_rank.0);
        }
        // A thread is not a member itself: messages are addressed to its process.
        group.rank(location).or_else(|| group.rank(self.definitions.main_location(location)))
    }
}

#[derive(Default)]
struct Collector {
    lists: Vec<Group>,
    by_members: FxHashMap<Arc<[LocationId]>, u32>,
    /// By address, so that the thousandth communicator equal to a large world is not compared again.
    by_address: FxHashMap<*const LocationId, (usize, u32)>,
}

impl Collector {
    fn comm(&mut self, comm: &Communicator) -> CommGroups {
        match &comm.remote {
            _ if comm.is_self => CommGroups::Alone,
            Some(remote) => CommGroups::Inter(self.group(&comm.members), self.group(remote)),
            None => CommGroups::Intra(self.group(&comm.members)),
        }
    }

    fn group(&mut self, members: &Arc<[LocationId]>) -> u32 {
        match self.by_address.get(&members.as_ptr()) {
            Some((length, group)) if *length == members.len() => return *group,
            _ => {}
        }
        let next = self.lists.len() as u32;
        let group = *self.by_members.entry(Arc::clone(members)).or_insert(next);
        if group == next {
            self.lists.push(Group { members: Arc::clone(members), ranks: OnceLock::new() });
        }
        self.by_address.insert(members.as_ptr(), (members.len(), group));
        group
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_model::{Location, LocationKind, Rank};

    fn comm(members: &[u32], remote: Option<&[u32]>) -> Communicator {
        let list = |ids: &[u32]| ids.iter().map(|id| LocationId(*id)).collect::<Arc<[_]>>();
        let (members, remote) = (list(members), remote.map(list));
        Communicator { name: String::new(), members, remote, parent: None, is_self: false }
    }

    /// Four ranks with a helper thread each: locations 0 2 4 6 are the main ones.
    fn definitions() -> Definitions {
        let location = |i: u64| Location {
            file_id: i,
            name: String::new().into(),
            kind: LocationKind::CpuThread,
            parent: None,
            rank: Rank(i as u32 / 2),
        };
        Definitions {
            locations: (0..9).map(location).collect(),
            world: [0, 2, 4, 6].map(LocationId).to_vec(),
            communicators: vec![
                comm(&[0, 2, 4, 6], None),
                comm(&[6, 2], None),
                comm(&[0, 2], Some(&[6, 4])),
                Communicator { is_self: true, ..comm(&[], None) },
                comm(&[6, 2], None),
                comm(&[8], None),
            ],
            ..Definitions::default()
        }
    }

    #[test]
    fn equal_groups_are_one() {
        let definitions = definitions();
        let groups = Groups::of(&definitions);
        assert_eq!(groups.of_comm[4], groups.of_comm[1]);
        assert_eq!(groups.lists.len(), 5);
        assert_eq!(groups.reached, [0, 2, 4, 6, 8].map(LocationId));
    }

    #[test]
    fn ranks_count_in_the_communicator() {
        let definitions = definitions();
        let groups = Groups::of(&definitions);
        let rank = |caller, peer, comm| groups.rank(LocationId(caller), LocationId(peer), CommId(comm));
        assert_eq!(rank(0, 4, 0), 2);
        assert_eq!(rank(0, 5, 0), 2, "a thread stands for its process");
        assert_eq!(rank(2, 6, 1), 0);
        assert_eq!(rank(2, 4, 1), NO_RANK, "not a member");
        assert_eq!(rank(0, 4, 2), 1, "from the first group into the second");
        assert_eq!(rank(7, 2, 2), 1, "and back, from a thread");
        assert_eq!(rank(3, 3, 3), 0, "alone");
        assert_eq!(rank(0, u32::MAX, 0), NO_RANK);
        assert_eq!(rank(0, 2, u32::MAX), NO_RANK);
    }
}
