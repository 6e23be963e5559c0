//! What a diagnosis consists of.

use heddle_model::{Ns, RegionId};

use crate::suspect::Suspect;

/// What is to be said of a run as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nobody stands out, and what is lost is lost to chance.
    Balanced,
    /// Much is lost, by the way the work is cut or ordered: no one rank is to blame.
    Uneven,
    /// Somebody or something in particular costs time.
    Faulty,
    /// The trace does not allow a verdict.
    Unknown,
}

impl Verdict {
    /// Its word, in JSON and on the page.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Balanced => "balanced",
            Verdict::Uneven => "uneven",
            Verdict::Faulty => "faulty",
            Verdict::Unknown => "unknown",
        }
    }
}

/// What kind of thing was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// Ranks that compute slowly, throughout or from some time on.
    SlowRanks,
    /// Ranks that compute ever more slowly.
    Drift,
    /// A single long interruption.
    Stall,
    /// Interruptions at equal distances in time.
    PeriodicNoise,
    /// Messages between pairs of ranks are slow.
    SlowLink,
    /// All messages of a rank or node are slow.
    SlowCard,
    /// The network as a whole takes much of the run.
    SlowNetwork,
    /// Ranks work one after the other.
    SerialChain,
    /// A function that few ranks execute while the others wait.
    SerialWork,
    /// Work is unevenly cut over the ranks.
    Imbalance,
    /// Sends wait for their receives.
    LateReceiver,
    /// Messages are received in another order than they were sent.
    WrongOrder,
    /// Chance hits all ranks alike.
    Noise,
    /// Communication is not hidden behind computing.
    ExposedCommunication,
    /// Nodes or workers of a task-based run that the others wait for.
    SlowNodes,
}

impl FindingKind {
    /// All of them.
    pub const ALL: [FindingKind; 15] = [
        FindingKind::SlowRanks,
        FindingKind::Drift,
        FindingKind::Stall,
        FindingKind::PeriodicNoise,
        FindingKind::SlowLink,
        FindingKind::SlowCard,
        FindingKind::SlowNetwork,
        FindingKind::SerialChain,
        FindingKind::SerialWork,
        FindingKind::Imbalance,
        FindingKind::LateReceiver,
        FindingKind::WrongOrder,
        FindingKind::Noise,
        FindingKind::ExposedCommunication,
        FindingKind::SlowNodes,
    ];

    /// Its word, in JSON and on the page.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::SlowRanks => "slow-ranks",
            FindingKind::Drift => "drift",
            FindingKind::Stall => "stall",
            FindingKind::PeriodicNoise => "periodic-noise",
            FindingKind::SlowLink => "slow-link",
            FindingKind::SlowCard => "slow-card",
            FindingKind::SlowNetwork => "slow-network",
            FindingKind::SerialChain => "serial-chain",
            FindingKind::SerialWork => "serial-work",
            FindingKind::Imbalance => "imbalance",
            FindingKind::LateReceiver => "late-receiver",
            FindingKind::WrongOrder => "wrong-order",
            FindingKind::Noise => "noise",
            FindingKind::ExposedCommunication => "exposed-communication",
            FindingKind::SlowNodes => "slow-nodes",
        }
    }

    /// Whether it says that work is cut or ordered so that ranks wait, whoever they are.
    pub fn is_uneven(self) -> bool {
        use FindingKind::{Imbalance, LateReceiver, SerialChain, SerialWork, WrongOrder};
        matches!(self, Imbalance | SerialChain | SerialWork | LateReceiver | WrongOrder)
    }

    /// Whether it accuses somebody or something in particular.
    pub fn blames(self) -> bool {
        use FindingKind::{Drift, PeriodicNoise, SlowCard, SlowLink, SlowNetwork, SlowNodes, SlowRanks, Stall};
        matches!(self, SlowRanks | Drift | Stall | PeriodicNoise | SlowLink | SlowCard | SlowNetwork | SlowNodes)
    }
}

/// Something that costs time, with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What it is, who, where and when, and how much longer than usual. Of what blames nobody in particular the ranks that
    /// it shows on, if any.
    pub suspect: Suspect,
    /// What it makes others wait, as a share of the time of all ranks.
    pub cost_share: f64,
    /// The same by function whose time it is, in their order; empty where it is no function's.
    pub functions: Vec<(RegionId, f64)>,
    /// What the run would take without it, in nanoseconds; none where that cannot be replayed.
    pub without: Option<i64>,
    /// What it would take without this and all dearer findings: gains do not add up, and one fault can hide another.
    pub without_dearer: Option<i64>,
    /// How many ranks waited for it, directly or further on.
    pub waiting: u64,
    /// The time to look at: where it costs most.
    pub window: (Ns, Ns),
}

impl Finding {
    /// One that no function has caused and that cannot be replayed without.
    pub(crate) fn unreplayed(suspect: Suspect, cost_share: f64, waiting: u64, window: (Ns, Ns)) -> Finding {
        let functions = Vec::new();
        Finding { suspect, cost_share, functions, without: None, without_dearer: None, waiting, window }
    }

    /// What kind of thing it is.
    pub fn kind(&self) -> FindingKind {
        self.suspect.kind
    }
}
