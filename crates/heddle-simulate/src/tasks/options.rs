//! What a factorisation by tasks is made of, and the nodes that it runs on.

use super::{Distribution, Factorisation, Kernel};
use crate::SimulateError;
use crate::programs::checks;

/// Beyond that, a graph would have more than forty million tasks.
const MOST_TILES: u64 = 512;
/// Nodes of a machine.
const MOST_NODES: u64 = 1 << 14;
/// Workers of a kind on a node.
const MOST_WORKERS: u64 = 1 << 10;

/// Kinds of workers, by what StarPU calls them.
pub(crate) const KINDS: [&str; 2] = ["CPU", "CUDA"];

/// A node of the machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskNode {
    /// Cores that run tasks.
    pub cpus: u32,
    /// GPUs.
    pub gpus: u32,
    /// How many times as fast its workers are as the others'.
    pub speed: f64,
    /// What its link carries in each direction, in Gb/s.
    pub gbit: f64,
}

impl Default for TaskNode {
    fn default() -> TaskNode {
        TaskNode { cpus: 4, gpus: 2, speed: 1.0, gbit: 25.0 }
    }
}

/// Whether the matrix is generated, and when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generation {
    /// It is there at the beginning.
    #[default]
    None,
    /// By tasks, and the factorisation begins when all of them have ended.
    Before,
    /// By tasks, and what does not wait for a tile begins.
    Beside,
}

/// Nanoseconds of a kernel on a core and on a GPU; `None` where it cannot run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelTimes {
    by_kernel: [[Option<u64>; KINDS.len()]; Kernel::ALL.len()],
}

impl KernelTimes {
    /// The time of a kernel on the workers of a kind.
    pub(crate) fn of(&self, kernel: Kernel, kind: usize) -> Option<u64> {
        self.by_kernel[kernel as usize][kind]
    }

    /// These times with those of a kernel changed.
    #[must_use]
    pub fn with(mut self, kernel: Kernel, cpu_ns: Option<u64>, gpu_ns: Option<u64>) -> KernelTimes {
        self.by_kernel[kernel as usize] = [cpu_ns, gpu_ns];
        self
    }
}

/// Those of tiles of 960 by 960 on a core of a Xeon E5-2620 v4 and on a GTX 1080 Ti, which are the machine of Nesi et al.
/// (2023), at about their peak rates: some 27 and 350 Gflop/s. GPUs are bad at factoring a tile.
impl Default for KernelTimes {
    fn default() -> KernelTimes {
        const MS: u64 = 1_000_000;
        let times = KernelTimes { by_kernel: Default::default() };
        times
            .with(Kernel::Generate, Some(40 * MS), None)
            .with(Kernel::Diagonal, Some(20 * MS), Some(12 * MS))
            .with(Kernel::Panel, Some(33 * MS), Some(3 * MS))
            .with(Kernel::Symmetric, Some(33 * MS), Some(3 * MS))
            .with(Kernel::Update, Some(65 * MS), Some(5 * MS))
    }
}

/// What is factored, by whom.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskOptions {
    /// What is done.
    pub factorisation: Factorisation,
    /// Tiles of the matrix in each direction.
    pub tiles: u32,
    /// Rows and columns of a tile, in numbers of eight bytes: how long its messages are.
    pub tile_size: u32,
    /// Rows and columns of the grid of nodes; their product is the number of nodes.
    pub grid: [u32; 2],
    /// The nodes.
    pub nodes: Vec<TaskNode>,
    /// How tiles are dealt to them.
    pub distribution: Distribution,
    /// What each node is to get, where the distribution heeds that; only their ratios count.
    pub loads: Vec<f64>,
    /// Whether and when the matrix is generated.
    pub generation: Generation,
    /// What generates on each node, as `loads`; each tile is then sent to its owner. Empty: owners generate.
    pub generation_loads: Vec<f64>,
    /// How long kernels take.
    pub times: KernelTimes,
    /// Nanoseconds that a message is on the wire.
    pub latency_ns: u64,
    /// Relative noise of the kernels' times.
    pub noise: f64,
    /// Where chance begins.
    pub seed: u64,
}

impl TaskOptions {
    /// A factorisation on a grid of equal nodes.
    pub fn on_grid(factorisation: Factorisation, grid: [u32; 2]) -> TaskOptions {
        let nodes = grid[0].saturating_mul(grid[1]).min(MOST_NODES as u32 + 1) as usize;
        TaskOptions {
            factorisation,
            tiles: 30,
            tile_size: 960,
            grid,
            nodes: vec![TaskNode::default(); nodes],
            distribution: Distribution::Cyclic,
            loads: vec![1.0; nodes],
            generation: Generation::None,
            generation_loads: Vec::new(),
            times: KernelTimes::default(),
            latency_ns: 10_000,
            noise: 0.02,
            seed: 1,
        }
    }

    /// Bytes of a tile.
    pub(crate) fn tile_bytes(&self) -> u64 {
        8 * u64::from(self.tile_size) * u64::from(self.tile_size)
    }

    /// Refuses what makes no sense.
    pub(crate) fn check(&self) -> Result<(), SimulateError> {
        let nodes = u64::from(self.grid[0]) * u64::from(self.grid[1]);
        checks::within("nodes", nodes, 1, MOST_NODES)?;
        let wrong = |text: String| Err(SimulateError::Options(text));
        let all = [("nodes", self.nodes.len()), ("loads", self.loads.len())];
        if let Some((what, count)) = all.into_iter().find(|(_, count)| *count as u64 != nodes) {
            return wrong(format!("{count} {what} for a grid of {nodes} nodes"));
        }
        if !self.generation_loads.is_empty() && self.generation_loads.len() as u64 != nodes {
            return wrong(format!("{} loads of generation for a grid of {nodes} nodes", self.generation_loads.len()));
        }
        checks::within("tiles", self.tiles.into(), 1, MOST_TILES)?;
        checks::within("tile size", self.tile_size.into(), 1, 1 << 16)?;
        checks::within("latency", self.latency_ns, 0, checks::MOST_NS)?;
        checks::between("noise", self.noise, 0.0, 1.0)?;
        for load in self.loads.iter().chain(&self.generation_loads) {
            checks::between("load", *load, 1e-3, 1e3)?;
        }
        for (number, node) in self.nodes.iter().enumerate() {
            checks::within("CPUs of a node", node.cpus.into(), 0, MOST_WORKERS)?;
            checks::within("GPUs of a node", node.gpus.into(), 0, MOST_WORKERS)?;
            checks::between("speed", node.speed, 1e-3, 1e3)?;
            checks::between("bandwidth of a link in Gb/s", node.gbit, 1e-3, 1e5)?;
            let workers = [node.cpus, node.gpus];
            let can = |kernel| (0..KINDS.len()).any(|kind| workers[kind] > 0 && self.times.of(kernel, kind).is_some());
            let needs = |kernel| kernel != Kernel::Generate || self.generation != Generation::None;
            if let Some(kernel) = Kernel::ALL.into_iter().find(|kernel| needs(*kernel) && !can(*kernel)) {
                let name = kernel.name(self.factorisation);
                return wrong(format!("node {number} has no worker for {name}"));
            }
        }
        for times in &self.times.by_kernel {
            for ns in times.iter().flatten() {
                checks::within("time of a kernel", *ns, 1, checks::MOST_NS)?;
            }
        }
        Ok(())
    }
}
