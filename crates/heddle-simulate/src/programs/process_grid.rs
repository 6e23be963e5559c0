//! Ranks as a matrix of processes, the way `ScaLAPACK` places them: every rank is in one row and one column, and each
//! row and each column has a communicator of its own.
//!
//! The rows are the shorter side: 64 ranks are 8 by 8, 32 are 4 rows of 8, 7 are one row of 7. Ranks go along the rows. A row or
//! column of one rank has no communicator, since there is nobody to talk to.

use heddle_topology::divisor_below_root;

use crate::{Algorithm, Collective, CollectiveKind, Comm, Ops};

/// The matrix of processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcessGrid {
    pub(crate) rows: u32,
    pub(crate) columns: u32,
}

impl ProcessGrid {
    pub(crate) fn of(ranks: u32) -> ProcessGrid {
        let rows = divisor_below_root(ranks.max(1));
        ProcessGrid { rows, columns: ranks.max(1) / rows }
    }

    pub(crate) fn ranks(self) -> u32 {
        self.rows * self.columns
    }

    pub(crate) fn row_of(self, rank: u32) -> u32 {
        rank / self.columns
    }

    pub(crate) fn column_of(self, rank: u32) -> u32 {
        rank % self.columns
    }

    /// The row that a rank is in.
    pub(crate) fn row(self, rank: u32) -> Line {
        let row = self.row_of(rank);
        Line {
            first: row * self.columns,
            stride: 1,
            length: self.columns,
            at: self.column_of(rank),
            comm: Comm(1 + row),
        }
    }

    /// The column that a rank is in.
    pub(crate) fn column(self, rank: u32) -> Line {
        let column = self.column_of(rank);
        Line {
            first: column,
            stride: self.columns,
            length: self.rows,
            at: self.row_of(rank),
            comm: Comm(1 + self.rows_with_communicators() + column),
        }
    }

    fn rows_with_communicators(self) -> u32 {
        if self.columns > 1 { self.rows } else { 0 }
    }

    /// The communicators of the rows, then those of the columns.
    pub(crate) fn communicators(self) -> Vec<(String, Vec<u32>)> {
        let rows = (0..self.rows_with_communicators()).map(|row| {
            let line = self.row(row * self.columns);
            (format!("row {row}"), line.members())
        });
        let columns = (0..if self.rows > 1 { self.columns } else { 0 }).map(|column| {
            let line = self.column(column);
            (format!("column {column}"), line.members())
        });
        rows.chain(columns).collect()
    }
}

/// Who of `length` owns step `step` of `steps`: round and round, or evenly spread if there are fewer steps than owners.
pub(crate) fn owner(step: u32, steps: u32, length: u32) -> u32 {
    if steps >= length { step % length } else { (u64::from(step) * u64::from(length) / u64::from(steps)) as u32 }
}

/// A row or a column, as seen by one of its ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    first: u32,
    stride: u32,
    pub(crate) length: u32,
    /// Where the rank that looks stands.
    pub(crate) at: u32,
    pub(crate) comm: Comm,
}

impl Line {
    pub(crate) fn rank(self, position: u32) -> u32 {
        self.first + position * self.stride
    }

    fn members(self) -> Vec<u32> {
        (0..self.length).map(|position| self.rank(position)).collect()
    }

    /// How far behind another the rank that looks stands, going round.
    fn after(self, root: u32) -> u32 {
        (self.at + self.length - root) % self.length
    }

    fn rank_after(self, root: u32, distance: u32) -> u32 {
        self.rank((root + distance) % self.length)
    }

    /// A broadcast by sends and receives, each rank to the next: cheap for a root that has more to do, slow to the end.
    pub(crate) fn ring_broadcast(self, root: u32, tag: u32, bytes: u64, ops: &mut Ops) {
        let distance = self.after(root);
        if distance > 0 {
            ops.recv(self.rank_after(root, distance - 1), tag, bytes, self.comm);
        }
        if distance + 1 < self.length {
            ops.send(self.rank_after(root, distance + 1), tag, bytes, self.comm);
        }
    }

    /// A broadcast by sends and receives down a binomial tree.
    pub(crate) fn tree_broadcast(self, root: u32, tag: u32, bytes: u64, ops: &mut Ops) {
        let distance = self.after(root);
        // The root is above all levels; another rank is told at the level of its lowest bit.
        let level = if distance == 0 { self.length.next_power_of_two() } else { 1 << distance.trailing_zeros() };
        if distance > 0 {
            ops.recv(self.rank_after(root, distance - level), tag, bytes, self.comm);
        }
        let mut step = level / 2;
        while step > 0 {
            if distance + step < self.length {
                ops.send(self.rank_after(root, distance + step), tag, bytes, self.comm);
            }
            step /= 2;
        }
    }

    /// A collective call of the whole line; nothing on a line of one.
    pub(crate) fn collective(self, kind: CollectiveKind, root: u32, bytes: u64, ops: &mut Ops) {
        if self.length > 1 {
            let algorithm = usual_algorithm(kind);
            ops.collective(Collective { kind, algorithm, root: self.rank(root), bytes }, self.comm);
        }
    }
}

/// A collective call of all ranks.
pub(crate) fn everybody(kind: CollectiveKind, root: u32, bytes: u64) -> Collective {
    Collective { kind, algorithm: usual_algorithm(kind), root, bytes }
}

/// What MPI libraries take for messages of middle size.
fn usual_algorithm(kind: CollectiveKind) -> Algorithm {
    match kind {
        CollectiveKind::Bcast | CollectiveKind::Reduce | CollectiveKind::Gather | CollectiveKind::Scatter => {
            Algorithm::Binomial
        }
        CollectiveKind::Barrier | CollectiveKind::Allreduce | CollectiveKind::Allgather => Algorithm::RecursiveDoubling,
        CollectiveKind::Alltoall => Algorithm::Pairwise,
        CollectiveKind::CommCreate => Algorithm::Synchronising,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_is_in_one_row_and_one_column() {
        for ranks in [1, 2, 7, 12, 64, 96] {
            let grid = ProcessGrid::of(ranks);
            assert_eq!(grid.ranks(), ranks);
            let communicators = grid.communicators();
            for rank in 0..ranks {
                for line in [grid.row(rank), grid.column(rank)] {
                    assert_eq!(line.rank(line.at), rank);
                    if line.length > 1 {
                        assert_eq!(communicators[line.comm.0 as usize - 1].1, line.members());
                    }
                }
            }
            let members: usize = communicators.iter().map(|(_, members)| members.len()).sum();
            assert!(members <= 2 * ranks as usize);
        }
        assert_eq!(ProcessGrid::of(32), ProcessGrid { rows: 4, columns: 8 });
        assert_eq!(ProcessGrid::of(7), ProcessGrid { rows: 1, columns: 7 });
    }

    #[test]
    fn owners_take_turns_or_are_spread() {
        assert_eq!((0..5).map(|step| owner(step, 5, 3)).collect::<Vec<_>>(), [0, 1, 2, 0, 1]);
        assert_eq!((0..4).map(|step| owner(step, 4, 128)).collect::<Vec<_>>(), [0, 32, 64, 96]);
    }
}
