//! Who is in which communicator.

use crate::SimulateError;
use crate::program::{Comm, Program};

/// The members of one communicator.
#[derive(Debug)]
pub(crate) struct Members {
    pub(crate) name: String,
    /// `None` for the world.
    group: Option<Group>,
    count: u32,
}

#[derive(Debug)]
struct Group {
    /// World ranks in the order of the communicator.
    ranks: Vec<u32>,
    /// World rank and position, by world rank.
    sorted: Vec<(u32, u32)>,
}

impl Members {
    /// All communicators of a program, the world first.
    pub(crate) fn of(program: &dyn Program) -> Result<Vec<Members>, SimulateError> {
        let ranks = program.info().ranks;
        let mut all = vec![Members { name: "MPI_COMM_WORLD".to_owned(), group: None, count: ranks }];
        for (name, members) in program.communicators() {
            let mut sorted: Vec<(u32, u32)> = members.iter().zip(0..).map(|(rank, at)| (*rank, at)).collect();
            sorted.sort_unstable();
            let twice = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0).map(|pair| pair[0].0);
            let wrong = match (sorted.last(), twice) {
                (None, _) => "has no members".to_owned(),
                (Some((rank, _)), _) if *rank >= ranks => format!("has rank {rank}, but there are only {ranks} ranks"),
                (_, Some(rank)) => format!("has rank {rank} twice"),
                _ => {
                    let count = members.len() as u32;
                    all.push(Members { name, group: Some(Group { ranks: members, sorted }), count });
                    continue;
                }
            };
            return Err(SimulateError::Options(format!("communicator {name} {wrong}")));
        }
        Ok(all)
    }

    pub(crate) fn len(&self) -> usize {
        self.count as usize
    }

    /// The position of a world rank, if it is a member.
    pub(crate) fn position(&self, rank: u32) -> Option<u32> {
        let Some(group) = &self.group else { return (rank < self.count).then_some(rank) };
        let at = group.sorted.binary_search_by_key(&rank, |entry| entry.0).ok()?;
        Some(group.sorted[at].1)
    }

    /// The world ranks of all, by position.
    pub(crate) fn ranks(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).map(|position| self.rank(position))
    }

    /// The world rank at a position.
    pub(crate) fn rank(&self, position: usize) -> u32 {
        self.group.as_ref().map_or(position as u32, |group| group.ranks[position])
    }
}

/// The communicator, if there is one with that number.
pub(crate) fn find(all: &[Members], comm: Comm) -> Option<&Members> {
    all.get(comm.0 as usize)
}
