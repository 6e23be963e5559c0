//! The runs that faults are planted into: every program of ranks in several sizes, with and without noise, and a few of tasks.

/// Noises of computing times, in turn.
const NOISES: [&str; 4] = ["0", "0.02", "0.05", "0.1"];
/// How many sizes of every program.
pub(super) const SIZES: usize = 4;

/// Programs with their arguments and numbers of ranks. Those whose usual runs show a fault are told not to.
pub(super) const PROGRAMS: [(&str, &[&str], [u32; SIZES]); 14] = [
    ("halo", &["--iterations", "40"], [16, 64, 256, 4096]),
    ("ring", &["--laps", "30"], [16, 24, 32, 64]),
    ("merge-tree", &["--rounds", "30"], [16, 64, 128, 256]),
    ("pf3d", &["--steps", "30"], [16, 64, 128, 256]),
    ("matmul", &["--panels", "32"], [16, 36, 64, 256]),
    ("lu", &["--panels", "40"], [16, 36, 64, 144]),
    ("inverse", &["--panels", "24"], [16, 36, 64, 144]),
    ("eigen", &["--steps", "40"], [16, 36, 64, 144]),
    ("orthogonalise", &["--blocks", "30"], [16, 36, 64, 144]),
    ("multigrid", &["--cycles", "20"], [16, 64, 128, 512]),
    ("train", &["--straggler-factor", "1", "--steps", "30"], [16, 64, 256, 1024]),
    ("uniform", &["--rounds", "60"], [16, 64, 256, 1024]),
    ("nearest", &["--rounds", "60"], [27, 64, 125, 512]),
    ("scalapack", &[], [16, 36, 64, 144]),
];

/// Programs of tasks, on nodes of their own.
const TASKS: [(&str, &[&str]); 2] =
    [("tasks-lu", &["--tiles", "24", "--nodes", "2x3"]), ("tasks-cholesky", &["--tiles", "24", "--nodes", "2x2"])];
/// Nodes that both have.
pub(super) const TASK_NODES: u32 = 4;

/// A run without a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) program: &'static str,
    args: &'static [&'static str],
    /// None for programs of tasks.
    pub(super) machine: Option<Machine>,
    noise: &'static str,
    pub(super) seed: u64,
    /// Number of the program, and which of its sizes.
    pub(super) place: (usize, usize),
}

/// Ranks and nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Machine {
    pub(super) ranks: u32,
    pub(super) per_node: u32,
}

impl Machine {
    fn new(ranks: u32) -> Machine {
        let per_node = match ranks {
            ..32 => 4,
            32..128 => 8,
            _ => 16,
        };
        Machine { ranks, per_node }
    }

    pub(super) fn nodes(self) -> u32 {
        self.ranks.div_ceil(self.per_node)
    }

    pub(super) fn ranks_of(self, node: u32) -> std::ops::Range<u32> {
        node * self.per_node..self.ranks.min((node + 1) * self.per_node)
    }
}

impl Setting {
    /// What follows `heddle simulate`.
    pub(super) fn words(&self) -> Vec<String> {
        let mut words = vec![self.program.to_owned()];
        words.extend(self.args.iter().map(|word| (*word).to_owned()));
        if let Some(Machine { ranks, per_node }) = self.machine {
            words.extend([
                "--ranks".to_owned(),
                ranks.to_string(),
                "--ranks-per-node".to_owned(),
                per_node.to_string(),
            ]);
        }
        words.extend(["--noise".to_owned(), self.noise.to_owned(), "--seed".to_owned(), self.seed.to_string()]);
        words
    }

    /// How many ranks it has, or nodes.
    pub(super) fn size(&self) -> u32 {
        self.machine.map_or(TASK_NODES, |machine| machine.ranks)
    }
}

/// All of them, with seeds from one on; only one size of each program if it must be quick.
pub(super) fn all(seed: u64, is_quick: bool) -> Vec<Setting> {
    let mut settings = Vec::new();
    for (number, (program, args, sizes)) in PROGRAMS.iter().enumerate() {
        for (size, ranks) in sizes.iter().enumerate() {
            settings.push(Setting {
                program,
                args,
                machine: Some(Machine::new(*ranks)),
                noise: NOISES[(number + size) % NOISES.len()],
                seed: seed + (number * SIZES + size) as u64,
                place: (number, size),
            });
        }
    }
    for (number, (program, args)) in TASKS.iter().enumerate() {
        let seed = seed + (PROGRAMS.len() * SIZES + number) as u64;
        settings.push(Setting { program, args, machine: None, noise: "0.02", seed, place: (number, 0) });
    }
    // The second size is neither tiny nor slow.
    settings.retain(|setting| !is_quick || setting.machine.is_none() || setting.place.1 == 1);
    settings
}
