//! The start of a run: communicators are made, and one rank hands out the data.
//!
//! After Muelder et al. 2009, Figures 7 and 8. Rank 0 sends every other rank its part, one after the other, so the start takes
//! as long as there are ranks. The rows of processes are set up in a few groups: the ranks of a group make their
//! communicator as soon as all of them have their data, and then go on, whether or not the others are that far. With 64
//! ranks that is soon over. With 16,384 the first groups have long begun to compute while the last are still waiting
//! for their data, and soon wait for them in turn.
//!
//! # The program of a rank
//!
//! ```text
//! startup { MPI_Comm_split (all)   MPI_Recv   MPI_Comm_split (its group) }
//! rank 0:  startup { MPI_Comm_split (all)   MPI_Send to its group   MPI_Comm_split (its group)   MPI_Send to the others }
//! ```

use super::process_grid::{ProcessGrid, everybody};
use crate::{CollectiveKind, Comm, Ops, Own};

/// Rows of processes are set up in so many groups, if there are as many.
const GROUPS: u32 = 8;
/// Rank 0 sends to so many in one stage.
const SENDS_PER_STAGE: u32 = 1024;
/// Bytes about one rank that all learn when a communicator is made.
const BYTES_PER_MEMBER: u64 = 16;
const TAG: u32 = 1 << 20;

/// The start of a run on a matrix of processes; its communicators come after those of the matrix.
#[derive(Clone, Debug)]
pub(super) struct Startup {
    grid: ProcessGrid,
    bytes: u64,
    first_communicator: u32,
    first_region: u16,
}

impl Startup {
    pub(super) fn new(grid: ProcessGrid, bytes: u64, first_region: u16) -> Startup {
        Startup { grid, bytes, first_communicator: 1 + grid.communicators().len() as u32, first_region }
    }

    fn groups(&self) -> u32 {
        self.grid.rows.min(GROUPS)
    }

    fn group_of(&self, rank: u32) -> u32 {
        (u64::from(self.grid.row_of(rank)) * u64::from(self.groups()) / u64::from(self.grid.rows)) as u32
    }

    /// A group's ranks: whole rows, so they follow each other.
    fn members(&self, group: u32) -> Vec<u32> {
        let ranks = self.grid.ranks();
        (0..ranks).filter(|rank| self.group_of(*rank) == group).collect()
    }

    pub(super) fn communicators(&self) -> Vec<(String, Vec<u32>)> {
        (0..self.groups()).map(|group| (format!("group {group}"), self.members(group))).collect()
    }

    pub(super) fn stages(&self, rank: u32) -> u32 {
        if rank == 0 { 2 + (self.grid.ranks() - 1).div_ceil(SENDS_PER_STAGE) } else { 3 }
    }

    /// How many ranks are in the group of rank 0: it sends to them first, and then makes a communicator with them.
    fn first_group(&self) -> u32 {
        self.grid.rows.div_ceil(self.groups()) * self.grid.columns
    }

    pub(super) fn stage(&self, rank: u32, stage: u32, ops: &mut Ops) {
        let ranks = self.grid.ranks();
        let whole = Own(self.first_region);
        let split = |members: u32, comm: Comm, ops: &mut Ops| {
            let bytes = BYTES_PER_MEMBER * u64::from(members);
            ops.collective(everybody(CollectiveKind::CommCreate, 0, bytes), comm);
        };
        let group = Comm(self.first_communicator + self.group_of(rank));
        if stage == 0 {
            ops.enter(whole);
            split(ranks, Comm::WORLD, ops);
        } else if stage + 1 == self.stages(rank) {
            if rank > 0 || self.first_group() == ranks {
                split(ranks / self.groups(), group, ops);
            }
            ops.leave(whole);
        } else if rank == 0 {
            let first = 1 + (stage - 1) * SENDS_PER_STAGE;
            for to in first..ranks.min(first + SENDS_PER_STAGE) {
                if to == self.first_group() {
                    split(ranks / self.groups(), group, ops);
                }
                ops.send(to, TAG, self.bytes, Comm::WORLD);
            }
        } else {
            ops.recv(0, TAG, self.bytes, Comm::WORLD);
        }
    }
}
