//! Merge trees: a gather up a k-ary tree, every result scattered back along it.
//!
//! After Isaacs et al. 2014, section 5.1 and Figures 9 to 12. Each rank computes the tree of its own part of the data, which is
//! more work for some than for others. Rank r gathers at level l if k^l divides r: it takes the trees of the k - 1 other ranks
//! r + j·k^(l-1) of that level, merges them with its own and tells everybody below about it, hop by hop down the tree. At the end
//! every rank has had the result of every level above it.
//!
//! # The program of a rank
//!
//! ```text
//! for each round:
//!     local_tree
//!     for each level l at which it gathers:
//!         MPI_Recv from each child of level l;  merge
//!         original:  MPI_Send the result to its children, leaves first;  MPI_Send its tree up (after its last level)
//!         improved:  MPI_Send its tree up (after its last level);  MPI_Send the result to its children, leaves last
//!     for each level l above, up to the root's:
//!         MPI_Recv the result from its parent;  integrate
//!         original:  MPI_Send it on to its children, leaves first
//!         improved:  MPI_Send it on to its children, leaves last
//! ```
//!
//! Nobody can finish before the root has, and a leaf has nobody to tell. So whoever serves leaves first keeps those waiting on
//! whom others depend: the parallelograms with a panhandle of Figure 11. The improved order puts the gather before the
//! scatter, and large subtrees before small ones.

use super::checks::{self, MOST_BYTES, MOST_NS};
use crate::chance::{Draw, uniform};
use crate::{Comm, Ops, Own, Program, ProgramInfo, SimulateError};

const LOCAL_TREE: Own = Own(0);
const MERGE: Own = Own(1);
const INTEGRATE: Own = Own(2);

/// In which order a rank sends what it has to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MergeTreeOrder {
    /// Leaves first, and the way up last.
    #[default]
    Original,
    /// The way up first, then large subtrees before small ones.
    Improved,
}

/// What merge trees to compute.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeTreeOptions {
    /// Number of ranks; any.
    pub ranks: u32,
    /// How many trees are merged into one at each level.
    pub arity: u32,
    /// How often trees are computed, each time of new data.
    pub rounds: u32,
    /// In which order messages are sent.
    pub order: MergeTreeOrder,
    /// Least time to compute a local tree, in nanoseconds.
    pub compute_ns: u64,
    /// How much longer the worst local tree takes: 1 doubles it. Few ranks come near to it.
    pub imbalance: f64,
    /// Mean time to merge the trees of one level.
    pub merge_ns: u64,
    /// Mean time to integrate a result from above.
    pub integrate_ns: u64,
    /// Bytes of a tree on its way up or down.
    pub bytes: u64,
    /// The seed that decides who has how much data.
    pub seed: u64,
}

impl Default for MergeTreeOptions {
    fn default() -> MergeTreeOptions {
        MergeTreeOptions {
            ranks: 64,
            arity: 8,
            rounds: 1,
            order: MergeTreeOrder::Original,
            compute_ns: 2_000_000,
            imbalance: 0.5,
            merge_ns: 200_000,
            integrate_ns: 100_000,
            bytes: 512 * 1024,
            seed: 1,
        }
    }
}

impl MergeTreeOptions {
    /// Whether there can be such a run.
    pub fn check(&self) -> Result<(), SimulateError> {
        checks::ranks(self.ranks)?;
        checks::within("arity", u64::from(self.arity), 2, 256)?;
        checks::within("rounds", u64::from(self.rounds), 1, 1_000_000)?;
        checks::within("compute time", self.compute_ns, 0, MOST_NS)?;
        checks::between("imbalance", self.imbalance, 0.0, 1000.0)?;
        checks::within("merge time", self.merge_ns, 0, MOST_NS)?;
        checks::within("integrate time", self.integrate_ns, 0, MOST_NS)?;
        checks::within("bytes", self.bytes, 0, MOST_BYTES)
    }
}

/// The program; see the module.
#[derive(Clone, Debug)]
pub struct MergeTree {
    options: MergeTreeOptions,
    /// The level of the root.
    top: u32,
}

impl MergeTree {
    /// The program with these options.
    pub fn new(options: &MergeTreeOptions) -> Result<MergeTree, SimulateError> {
        options.check()?;
        let top =
            (0..u32::BITS).find(|level| u64::from(options.arity).pow(*level) >= u64::from(options.ranks)).unwrap_or(0);
        Ok(MergeTree { options: options.clone(), top })
    }

    fn width(&self, level: u32) -> u64 {
        u64::from(self.options.arity).pow(level)
    }

    /// The highest level at which a rank gathers.
    fn height(&self, rank: u32) -> u32 {
        (0..self.top).find(|level| !u64::from(rank).is_multiple_of(self.width(level + 1))).unwrap_or(self.top)
    }

    /// Who gathers for a rank at a level.
    fn gatherer(&self, rank: u32, level: u32) -> u32 {
        rank - (u64::from(rank) % self.width(level)) as u32
    }

    fn children(&self, rank: u32, level: u32) -> impl Iterator<Item = u32> + use<> {
        let (ranks, step) = (u64::from(self.options.ranks), self.width(level - 1));
        (1..u64::from(self.options.arity))
            .map(move |number| u64::from(rank) + number * step)
            .take_while(move |child| *child < ranks)
            .map(|child| child as u32)
    }

    /// A gatherer at the edge may have nobody to gather from at a level; then there is no result of that level.
    fn gathers(&self, gatherer: u32, level: u32) -> bool {
        self.children(gatherer, level).next().is_some()
    }

    fn send_up(&self, rank: u32, ops: &mut Ops) {
        let height = self.height(rank);
        if height < self.top {
            ops.send(self.gatherer(rank, height + 1), up(height + 1), self.options.bytes, Comm::WORLD);
        }
    }

    /// Tells the children of all levels up to `levels` about the result of level `result`.
    fn send_down(&self, rank: u32, levels: u32, result: u32, ops: &mut Ops) {
        for step in 1..=levels {
            let level = match self.options.order {
                MergeTreeOrder::Original => step,
                MergeTreeOrder::Improved => levels + 1 - step,
            };
            for child in self.children(rank, level) {
                ops.send(child, down(result), self.options.bytes, Comm::WORLD);
            }
        }
    }

    fn local(&self, rank: u32, round: u32) -> u64 {
        // The fourth power leaves most ranks near the least, and a few far above it.
        let square = |x: f64| x * x;
        let data = square(square(uniform(self.options.seed, Draw::Data, rank, u64::from(round))));
        (self.options.compute_ns as f64 * (1.0 + self.options.imbalance * data)) as u64
    }

    fn gather(&self, rank: u32, level: u32, is_last: bool, ops: &mut Ops) {
        let gathers = self.gathers(rank, level);
        if gathers {
            for child in self.children(rank, level) {
                ops.recv(child, up(level), self.options.bytes, Comm::WORLD);
            }
            ops.compute(MERGE, self.options.merge_ns);
        }
        let up_first = self.options.order == MergeTreeOrder::Improved;
        if is_last && up_first {
            self.send_up(rank, ops);
        }
        if gathers {
            self.send_down(rank, level, level, ops);
        }
        if is_last && !up_first {
            self.send_up(rank, ops);
        }
    }

    fn learn(&self, rank: u32, level: u32, ops: &mut Ops) {
        let height = self.height(rank);
        if self.gathers(self.gatherer(rank, level), level) {
            ops.recv(self.gatherer(rank, height + 1), down(level), self.options.bytes, Comm::WORLD);
            ops.compute(INTEGRATE, self.options.integrate_ns);
            self.send_down(rank, height, level, ops);
        }
    }
}

fn up(level: u32) -> u32 {
    2 * level
}

fn down(level: u32) -> u32 {
    2 * level + 1
}

impl Program for MergeTree {
    fn info(&self) -> ProgramInfo {
        ProgramInfo { name: "merge-tree", ranks: self.options.ranks, regions: &["local_tree", "merge", "integrate"] }
    }

    fn communicators(&self) -> Vec<(String, Vec<u32>)> {
        Vec::new()
    }

    fn stages(&self, _rank: u32) -> u32 {
        self.options.rounds * (self.top + 1)
    }

    fn stage(&self, rank: u32, stage: u32, ops: &mut Ops) {
        let height = self.height(rank);
        let (round, stage) = (stage / (self.top + 1), stage % (self.top + 1));
        if stage == 0 {
            ops.compute(LOCAL_TREE, self.local(rank, round));
            if height == 0 {
                self.send_up(rank, ops);
            }
        } else if stage <= height {
            self.gather(rank, stage, stage == height, ops);
        } else {
            self.learn(rank, stage, ops);
        }
    }
}
