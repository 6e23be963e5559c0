//! Why a simulation cannot be had.

/// Why a simulation cannot be had: options that make no sense, or a program that could not run to its end.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SimulateError {
    /// A count that must be at least one.
    #[error("{what} must be at least 1")]
    None {
        /// Which option.
        what: &'static str,
    },
    /// A number outside its limits.
    #[error("{what} is {value}; it must be from {least} to {most}")]
    OutOfRange {
        /// Which option.
        what: &'static str,
        /// What was given.
        value: f64,
        /// The least that makes sense.
        least: f64,
        /// The most.
        most: f64,
    },
    /// A slow rank that is none.
    #[error("slow rank {rank} does not exist: the last of {ranks} ranks is {}", ranks - 1)]
    NoSuchRank {
        /// The one asked for.
        rank: u32,
        /// How many there are.
        ranks: u32,
    },
    /// A slow node that is none.
    #[error("slow node {node} does not exist: the last of {nodes} nodes is {}", nodes - 1)]
    NoSuchNode {
        /// The one asked for.
        node: u32,
        /// How many there are.
        nodes: u32,
    },
    /// Options of a program that do not fit each other.
    #[error("{0}")]
    Options(String),
    /// It would run past the end of time.
    #[error("the simulated run would take more than nine years; times end there")]
    TooLong,
    /// The program does what no program can do.
    #[error("rank {rank}, stage {stage}: {what}")]
    Invalid {
        /// Who.
        rank: u32,
        /// In which stage.
        stage: u32,
        /// What is wrong.
        what: String,
    },
    /// Ranks wait for each other, or for one that has ended: the program cannot go on.
    #[error("the program cannot go on: {}", describe(.waits))]
    Deadlock {
        /// Each waits for the next, and the last for the first, or for one that has ended.
        waits: Vec<Wait>,
    },
    /// A message that nobody receives.
    #[error("rank {from} sends a message to rank {to} (tag {tag}) that is never received")]
    Unreceived {
        /// The sender.
        from: u32,
        /// The receiver that does not care.
        to: u32,
        /// The message's tag.
        tag: u32,
    },
    /// A request without a wait.
    #[error("rank {rank} ends without waiting for {what}")]
    LeftOpen {
        /// Who.
        rank: u32,
        /// What it has begun.
        what: String,
    },
}

/// A rank that waits for another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Who waits.
    pub rank: u32,
    /// For whom.
    pub on: u32,
    /// In which call and for what, in words: `waits in MPI_Recv for a message from rank 1 (tag 3)`.
    pub text: String,
    /// Whether the other has ended.
    pub has_ended: bool,
}

/// So many ranks of a long cycle are named.
const MOST_NAMED: usize = 8;

fn describe(waits: &[Wait]) -> String {
    let mut parts: Vec<String> = waits.iter().take(MOST_NAMED).map(|w| format!("rank {} {}", w.rank, w.text)).collect();
    if waits.len() > MOST_NAMED {
        parts.push(format!("and so on, {} ranks in all", waits.len()));
    }
    if let Some(wait) = waits.last().filter(|wait| wait.has_ended) {
        parts.push(format!("rank {} has ended", wait.on));
    }
    parts.join("; ")
}
