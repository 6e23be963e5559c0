//! pF3D, a laser in a plasma: six-neighbour exchanges in a box of ranks, and Fourier transforms in its slabs.
//!
//! The neighbours are after Isaacs et al. 2014, section 5.2 and Figures 13 to 17, the transforms after Landge et al. 2012,
//! section 5. Ranks are in a box, x fastest and z, the way of the laser, slowest; a slab is one xy plane of it.
//!
//! A transform along x or y moves the whole local volume V of a rank, so each message of its all-to-all is V over the number of
//! ranks of the line: in the slabs of that paper, 16 by 8 ranks, V/16 along x and V/8 along y. Along z a rank exchanges
//! V/16 with the slabs before and behind it.
//!
//! # The program of a rank
//!
//! ```text
//! for each step:
//!   fft:         fft_x  MPI_Alltoall (its x line)  fft_y  MPI_Alltoall (its y line)
//!                MPI_Irecv below, above  MPI_Isend above, below  MPI_Waitall             along z
//!   neighbours:  hydro
//!     for axis in z, y, x, and for up, down:
//!       original:  MPI_Send onwards  MPI_Recv from behind
//!       fixed:     MPI_Irecv from behind  MPI_Send onwards  MPI_Wait
//! ```
//!
//! Messages between neighbours are large, so a send ends only when its receive is posted. In the original order a rank
//! receives only after it has sent, and so it can send only after the next has sent: from the edge, where nobody sends, the
//! exchange runs back through the box plane by plane (Figure 16). The way down does the same in the other direction. In the
//! fixed order all receives are there in time, and nobody waits for more than a neighbour.

use heddle_topology::divisor_below_root;

use super::block::{AXES, Block};
use super::checks::{self, MOST_BYTES, MOST_NS, MOST_STEPS};
use crate::{Algorithm, Collective, CollectiveKind, Comm, Ops, Own, Program, ProgramInfo, SimulateError};

const HYDRO: Own = Own(0);
const EXCHANGE: Own = Own(1);
const LIGHT: Own = Own(2);
const FFT_X: Own = Own(3);
const FFT_Y: Own = Own(4);

/// The axis of the laser.
const Z: usize = 0;
/// Tags of the light on its way up and down.
const LIGHT_UP: u32 = 6;
const LIGHT_DOWN: u32 = 7;

/// Ranks of a slab of the transforms: 16 along x, 8 along y.
const SLAB: u32 = 16 * 8;
/// A message along z is this part of a rank's volume.
const Z_PART: u64 = 16;

/// What of the program to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pf3dPart {
    /// The exchange with the six neighbours.
    #[default]
    Neighbours,
    /// The transforms in the slabs.
    Fft,
    /// In every step the transforms, then the exchange.
    Both,
}

/// In which order neighbours exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pf3dOrder {
    /// Send, then receive: sends wait for each other in a chain.
    #[default]
    Original,
    /// The receive is posted before the send.
    Fixed,
}

/// What of pF3D to simulate.
#[derive(Clone, Debug, PartialEq)]
pub struct Pf3dOptions {
    /// Number of ranks; any.
    pub ranks: u32,
    /// Number of slabs along z, a divisor of the ranks. 0 chooses: with transforms slabs of 128 ranks, 16 by 8, if the ranks
    /// can be cut so; else about the root of the ranks.
    pub slabs: u32,
    /// Number of time steps.
    pub steps: u32,
    /// What to run.
    pub part: Pf3dPart,
    /// In which order neighbours exchange.
    pub order: Pf3dOrder,
    /// Bytes of a face between neighbours. Above the network's eager limit, else nobody waits.
    pub bytes: u64,
    /// Mean time of the hydrodynamics before an exchange, in nanoseconds.
    pub compute_ns: u64,
    /// V, the bytes of a rank's volume: what it sends, its own piece counted, in an all-to-all.
    pub fft_bytes: u64,
    /// Mean time of the transforms along one axis, in nanoseconds.
    pub fft_ns: u64,
}

impl Default for Pf3dOptions {
    fn default() -> Pf3dOptions {
        Pf3dOptions {
            ranks: 64,
            slabs: 0,
            steps: 3,
            part: Pf3dPart::Neighbours,
            order: Pf3dOrder::Original,
            bytes: 512 * 1024,
            compute_ns: 1_000_000,
            fft_bytes: 512 * 1024,
            fft_ns: 200_000,
        }
    }
}

impl Pf3dOptions {
    /// Whether there can be such a run.
    pub fn check(&self) -> Result<(), SimulateError> {
        checks::ranks(self.ranks)?;
        checks::within("steps", u64::from(self.steps), 1, MOST_STEPS)?;
        for (what, bytes) in [("bytes", self.bytes), ("bytes of the transforms", self.fft_bytes)] {
            checks::within(what, bytes, 0, MOST_BYTES)?;
        }
        for (what, time) in [("compute time", self.compute_ns), ("time of the transforms", self.fft_ns)] {
            checks::within(what, time, 0, MOST_NS)?;
        }
        if self.slabs != 0 && !self.ranks.is_multiple_of(self.slabs) {
            return Err(SimulateError::Options(format!(
                "{} ranks cannot be cut into {} slabs",
                self.ranks, self.slabs
            )));
        }
        Ok(())
    }
}

/// The program; see the module.
#[derive(Clone, Debug)]
pub struct Pf3d {
    options: Pf3dOptions,
    block: Block,
}

impl Pf3d {
    /// The program with these options.
    pub fn new(options: &Pf3dOptions) -> Result<Pf3d, SimulateError> {
        options.check()?;
        let slabs = match options.slabs {
            0 if options.part != Pf3dPart::Neighbours && options.ranks.is_multiple_of(SLAB) => options.ranks / SLAB,
            0 => options.ranks / divisor_below_root(options.ranks),
            slabs => slabs,
        };
        let slab = options.ranks / slabs;
        let short = divisor_below_root(slab);
        Ok(Pf3d { options: options.clone(), block: Block { lengths: [slabs, short, slab / short] } })
    }

    /// Ranks along z, y and x.
    pub fn lengths(&self) -> [u32; 3] {
        self.block.lengths
    }

    fn exchange(&self, rank: u32, ops: &mut Ops) {
        ops.compute(HYDRO, self.options.compute_ns);
        ops.enter(EXCHANGE);
        for axis in AXES {
            let (above, below) = (self.block.above(rank, axis, 1), self.block.below(rank, axis, 1));
            self.pair(above, below, 2 * axis as u32, ops);
            self.pair(below, above, 2 * axis as u32 + 1, ops);
        }
        ops.leave(EXCHANGE);
    }

    /// One send onwards and one receive from behind, where there is somebody.
    fn pair(&self, onwards: Option<u32>, behind: Option<u32>, tag: u32, ops: &mut Ops) {
        let bytes = self.options.bytes;
        let fixed = self.options.order == Pf3dOrder::Fixed;
        if let (true, Some(from)) = (fixed, behind) {
            ops.irecv(from, tag, bytes, Comm::WORLD);
        }
        if let Some(to) = onwards {
            ops.send(to, tag, bytes, Comm::WORLD);
        }
        match behind {
            Some(_) if fixed => ops.wait(),
            Some(from) => ops.recv(from, tag, bytes, Comm::WORLD),
            None => {}
        }
    }

    fn transforms(&self, rank: u32, ops: &mut Ops) {
        ops.enter(LIGHT);
        let [_, rows, columns] = self.block.lengths;
        let volume = self.options.fft_bytes;
        for (region, comm, length) in [(FFT_X, self.x_line(rank), columns), (FFT_Y, self.y_line(rank), rows)] {
            ops.compute(region, self.options.fft_ns);
            if let Some(comm) = comm {
                let (kind, algorithm) = (CollectiveKind::Alltoall, Algorithm::Direct);
                ops.collective(Collective { kind, algorithm, root: 0, bytes: volume / u64::from(length) }, comm);
            }
        }
        let (above, below) = (self.block.above(rank, Z, 1), self.block.below(rank, Z, 1));
        for (from, tag) in [(below, LIGHT_UP), (above, LIGHT_DOWN)] {
            if let Some(from) = from {
                ops.irecv(from, tag, volume / Z_PART, Comm::WORLD);
            }
        }
        for (to, tag) in [(above, LIGHT_UP), (below, LIGHT_DOWN)] {
            if let Some(to) = to {
                ops.isend(to, tag, volume / Z_PART, Comm::WORLD);
            }
        }
        if above.or(below).is_some() {
            ops.waitall();
        }
        ops.leave(LIGHT);
    }

    fn with_transforms(&self) -> bool {
        self.options.part != Pf3dPart::Neighbours
    }

    /// How many lines there are along x: none if each has one rank only.
    fn x_lines(&self) -> u32 {
        let [slabs, rows, columns] = self.block.lengths;
        if columns > 1 { slabs * rows } else { 0 }
    }

    fn x_line(&self, rank: u32) -> Option<Comm> {
        let columns = self.block.lengths[2];
        (columns > 1).then(|| Comm(1 + rank / columns))
    }

    fn y_line(&self, rank: u32) -> Option<Comm> {
        let [_, rows, columns] = self.block.lengths;
        let [z, _, x] = self.block.place(rank);
        (rows > 1).then(|| Comm(1 + self.x_lines() + z * columns + x))
    }
}

impl Program for Pf3d {
    fn info(&self) -> ProgramInfo {
        ProgramInfo {
            name: "pf3d",
            ranks: self.options.ranks,
            regions: &["hydro", "exchange", "light", "fft_x", "fft_y"],
        }
    }

    fn communicators(&self) -> Vec<(String, Vec<u32>)> {
        let [slabs, rows, columns] = self.block.lengths;
        let mut all = Vec::new();
        if !self.with_transforms() {
            return all;
        }
        if columns > 1 {
            for (z, y) in (0..slabs).flat_map(|z| (0..rows).map(move |y| (z, y))) {
                let members = (0..columns).map(|x| self.block.rank([z, y, x])).collect();
                all.push((format!("slab {z} row {y}"), members));
            }
        }
        if rows > 1 {
            for (z, x) in (0..slabs).flat_map(|z| (0..columns).map(move |x| (z, x))) {
                let members = (0..rows).map(|y| self.block.rank([z, y, x])).collect();
                all.push((format!("slab {z} column {x}"), members));
            }
        }
        all
    }

    fn stages(&self, _rank: u32) -> u32 {
        self.options.steps
    }

    fn stage(&self, rank: u32, _stage: u32, ops: &mut Ops) {
        if self.with_transforms() {
            self.transforms(rank, ops);
        }
        if self.options.part != Pf3dPart::Fft {
            self.exchange(rank, ops);
        }
    }
}
