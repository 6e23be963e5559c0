//! Multigrid: V-cycles over a hierarchy of grids, as in the NAS benchmark MG.
//!
//! Ranks are in a box, with a cube of points each. On the finest levels all of them work, and each level down has an eighth
//! of the points. When a rank is left with too few, every second rank of an axis hands its part to the one before it and
//! waits for the way up: the coarsest level is one rank's alone. So in the middle of every cycle most ranks wait in
//! `MPI_Recv`, and the longer, the more ranks there are. The cycle ends with the norm of the residual, an `MPI_Allreduce`.
//!
//! # The program of a rank
//!
//! ```text
//! for each cycle:
//!     down:  for each level, finest first, while it takes part:
//!                smooth  exchange { per axis: MPI_Irecv, MPI_Send below and above, MPI_Waitall }
//!                restrict;  hand over with MPI_Send, or MPI_Recv from those that do
//!     up:    the same levels, coarsest first:
//!                MPI_Recv from, or MPI_Send to those that had handed over;  prolong
//!                smooth  exchange
//!     MPI_Allreduce
//! ```

use heddle_topology::most_cubic;

use super::block::{AXES, Block};
use super::checks::{self, MOST_BYTES, MOST_NS, MOST_STEPS};
use super::process_grid::everybody;
use crate::{CollectiveKind, Comm, Ops, Own, Program, ProgramInfo, SimulateError};

const CYCLE: Own = Own(0);
const SMOOTH: Own = Own(1);
const RESTRICT: Own = Own(2);
const PROLONG: Own = Own(3);
const EXCHANGE: Own = Own(4);

/// Messages of one level have tags from here on: six directions, handing over, handing back.
const TAGS_PER_LEVEL: u32 = 8;
const HAND_OVER: u32 = 6;
const HAND_BACK: u32 = 7;

/// What grid to solve on.
#[derive(Clone, Debug, PartialEq)]
pub struct MultigridOptions {
    /// Number of ranks; any.
    pub ranks: u32,
    /// Number of V-cycles.
    pub cycles: u32,
    /// Levels on which all ranks work. Below them, each level has half the ranks along every axis.
    pub local_levels: u32,
    /// Bytes of a face on the finest level; a quarter on each level down.
    pub bytes: u64,
    /// Mean time of a smoothing on the finest level, in nanoseconds; an eighth on each level down.
    pub compute_ns: u64,
    /// Least time of a smoothing, however few points are left.
    pub least_ns: u64,
}

impl Default for MultigridOptions {
    fn default() -> MultigridOptions {
        MultigridOptions {
            ranks: 64,
            cycles: 4,
            local_levels: 3,
            bytes: 128 * 1024,
            compute_ns: 400_000,
            least_ns: 50_000,
        }
    }
}

impl MultigridOptions {
    /// Whether there can be such a run.
    pub fn check(&self) -> Result<(), SimulateError> {
        checks::ranks(self.ranks)?;
        checks::within("cycles", u64::from(self.cycles), 1, MOST_STEPS)?;
        checks::within("local levels", u64::from(self.local_levels), 1, 20)?;
        checks::within("bytes", self.bytes, 0, MOST_BYTES)?;
        checks::within("compute time", self.compute_ns, 0, MOST_NS)?;
        checks::within("least time", self.least_ns, 0, MOST_NS)
    }
}

/// The program; see the module.
#[derive(Clone, Debug)]
pub struct Multigrid {
    options: MultigridOptions,
    block: Block,
    /// All levels; 0 is the finest.
    levels: u32,
}

impl Multigrid {
    /// The program with these options.
    pub fn new(options: &MultigridOptions) -> Result<Multigrid, SimulateError> {
        options.check()?;
        let block = Block { lengths: most_cubic(options.ranks) };
        let longest = block.lengths.into_iter().max().unwrap_or(1);
        let shared = longest.next_power_of_two().trailing_zeros();
        Ok(Multigrid { options: options.clone(), block, levels: options.local_levels + shared })
    }

    /// Distance between the ranks that work on a level.
    fn stride(&self, level: u32) -> u32 {
        1 << (level + 1).saturating_sub(self.options.local_levels)
    }

    fn takes_part(&self, rank: u32, level: u32) -> bool {
        let stride = self.stride(level);
        self.block.place(rank).into_iter().all(|at| at.is_multiple_of(stride))
    }

    /// The coarsest level on which a rank works.
    fn last_level(&self, rank: u32) -> u32 {
        (0..self.levels).rev().find(|level| self.takes_part(rank, *level)).unwrap_or(0)
    }

    /// Time of a smoothing: a cube with half as many points along each axis takes an eighth.
    fn time(&self, level: u32) -> u64 {
        self.options.compute_ns.checked_shr(3 * level).unwrap_or(0).max(self.options.least_ns)
    }

    /// Bytes of a face: a quarter on each level down, and at least one number.
    fn bytes(&self, level: u32) -> u64 {
        self.options.bytes.checked_shr(2 * level).unwrap_or(0).max(8)
    }

    fn smooth(&self, rank: u32, level: u32, ops: &mut Ops) {
        ops.compute(SMOOTH, self.time(level));
        let (stride, bytes) = (self.stride(level), self.bytes(level));
        ops.enter(EXCHANGE);
        for axis in AXES {
            let (below, above) = (self.block.below(rank, axis, stride), self.block.above(rank, axis, stride));
            let tag = level * TAGS_PER_LEVEL + 2 * axis as u32;
            // A message's tag says which way it goes: down the axis or up.
            for (from, tag) in [(above, tag), (below, tag + 1)] {
                if let Some(from) = from {
                    ops.irecv(from, tag, bytes, Comm::WORLD);
                }
            }
            for (to, tag) in [(below, tag), (above, tag + 1)] {
                if let Some(to) = to {
                    ops.send(to, tag, bytes, Comm::WORLD);
                }
            }
            if below.or(above).is_some() {
                ops.waitall();
            }
        }
        ops.leave(EXCHANGE);
    }

    /// Who keeps the part of a rank that does not take part on a level.
    fn keeper(&self, rank: u32, level: u32) -> u32 {
        let stride = self.stride(level);
        self.block.rank(self.block.place(rank).map(|at| at - at % stride))
    }

    /// Whose parts a rank keeps on a level: those that took part on the one before, and do not on this one.
    fn kept(&self, rank: u32, level: u32) -> impl Iterator<Item = u32> + use<> {
        let (block, half) = (self.block, self.stride(level) / 2);
        let corners = if self.stride(level) > self.stride(level - 1) { 1..8 } else { 0..0 };
        corners.filter_map(move |corner: u32| {
            AXES.into_iter()
                .try_fold(rank, |at, axis| if corner >> axis & 1 == 1 { block.above(at, axis, half) } else { Some(at) })
        })
    }

    fn down(&self, rank: u32, level: u32, ops: &mut Ops) {
        let last = self.last_level(rank);
        if level > last {
            return;
        }
        self.smooth(rank, level, ops);
        if level + 1 == self.levels {
            return;
        }
        ops.compute(RESTRICT, self.time(level) / 8);
        let (tag, bytes) = self.handing(level, HAND_OVER);
        if level == last {
            ops.send(self.keeper(rank, level + 1), tag, bytes, Comm::WORLD);
        } else {
            for from in self.kept(rank, level + 1) {
                ops.recv(from, tag, bytes, Comm::WORLD);
            }
        }
    }

    fn up(&self, rank: u32, level: u32, ops: &mut Ops) {
        let last = self.last_level(rank);
        if level > last || level + 1 == self.levels {
            return;
        }
        let (tag, bytes) = self.handing(level, HAND_BACK);
        if level == last {
            ops.recv(self.keeper(rank, level + 1), tag, bytes, Comm::WORLD);
        } else {
            for to in self.kept(rank, level + 1) {
                ops.send(to, tag, bytes, Comm::WORLD);
            }
        }
        ops.compute(PROLONG, self.time(level) / 8);
        self.smooth(rank, level, ops);
    }

    /// Tag and bytes of what is handed over from a level to the next.
    fn handing(&self, level: u32, kind: u32) -> (u32, u64) {
        (level * TAGS_PER_LEVEL + kind, self.bytes(level))
    }
}

impl Program for Multigrid {
    fn info(&self) -> ProgramInfo {
        ProgramInfo {
            name: "multigrid",
            ranks: self.options.ranks,
            regions: &["cycle", "smooth", "restrict", "prolong", "exchange"],
        }
    }

    fn stages(&self, _rank: u32) -> u32 {
        self.options.cycles.saturating_mul(2 * self.levels)
    }

    fn stage(&self, rank: u32, stage: u32, ops: &mut Ops) {
        let step = stage % (2 * self.levels);
        if step == 0 {
            ops.enter(CYCLE);
        }
        if step < self.levels {
            self.down(rank, step, ops);
        } else {
            self.up(rank, 2 * self.levels - 1 - step, ops);
        }
        if step + 1 == 2 * self.levels {
            ops.collective(everybody(CollectiveKind::Allreduce, 0, 8), Comm::WORLD);
            ops.leave(CYCLE);
        }
    }
}
