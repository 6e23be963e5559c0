//! What the producers of Paje files have their own ways about: SimGrid with SMPI, StarPU, and everybody else.

use heddle_model::{CollectiveOp, LocationKind, Paradigm, Region, Role, SystemNode};

use super::number::Unit;

/// Who wrote the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Generic,
    SimGrid,
    StarPu,
}

/// Names that only StarPU's converter gives to types.
const STARPU_TYPES: [&[u8]; 4] =
    [b"\"Worker State\"", b"Communication Thread State", b" Worker State,", b", MPI Program,"];

impl Dialect {
    /// Tells the producer from the beginning of a file.
    pub(super) fn of(head: &[u8]) -> Dialect {
        let has = |text: &[u8]| head.windows(text.len()).any(|window| window == text);
        if has(b"generated using SimGrid") || has(b"MPI_STATE") {
            Dialect::SimGrid
        } else if STARPU_TYPES.iter().any(|text| has(text)) {
            Dialect::StarPu
        } else {
            Dialect::Generic
        }
    }

    /// The unit that the producer writes dates in.
    pub(super) fn unit(self) -> Unit {
        match self {
            Dialect::Generic | Dialect::SimGrid => Unit::Seconds,
            Dialect::StarPu => Unit::Milliseconds,
        }
    }

    /// The producer's name where the file does not say it.
    pub(super) fn creator(self) -> &'static str {
        match self {
            Dialect::Generic => "",
            Dialect::SimGrid => "SimGrid",
            Dialect::StarPu => "StarPU",
        }
    }

    /// The region of a state.
    pub(super) fn region(self, name: String) -> Region {
        let (paradigm, role) = match self {
            Dialect::SimGrid => match mpi_name(&name) {
                Some(mpi) => (Paradigm::Mpi, Role::of_mpi(&mpi).unwrap_or(Role::Function)),
                None => (Paradigm::User, Role::Function),
            },
            Dialect::StarPu => match name.as_str() {
                "Idle" | "Sleeping" | "Blocked" | "Polling" => (Paradigm::Idle, Role::Function),
                "FetchingInput" | "PushingOutput" => (Paradigm::Other, Role::Transfer),
                "Waiting task" | "Waiting all tasks" => (Paradigm::Idle, Role::Wait),
                _ => (Paradigm::Other, Role::Function),
            },
            Dialect::Generic if name.eq_ignore_ascii_case("idle") => (Paradigm::Idle, Role::Function),
            Dialect::Generic => (Paradigm::Unknown, Role::Function),
        };
        Region::named(name, paradigm, role)
    }

    /// The blocking collective that a state of this name is.
    pub(super) fn collective(self, name: &str) -> Option<CollectiveOp> {
        if self != Dialect::SimGrid {
            return None;
        }
        let mpi = mpi_name(name)?;
        let word = mpi.strip_prefix("MPI_")?.to_ascii_lowercase();
        (0..=16).map(CollectiveOp).find(|op| op.name() == word)
    }

    /// Whether states of a type are left out because they repeat those of another: StarPU writes a worker's state
    /// once more for each scheduling context.
    pub(super) fn repeats(self, state_type: &str) -> bool {
        self == Dialect::StarPu && state_type.strip_prefix("InCtx").is_some_and(|rest| rest.parse::<u32>().is_ok())
    }

    /// The rank of a container that stands for a process.
    pub(super) fn rank(self, name: &str, type_name: &str) -> Option<u32> {
        let digits = match self {
            Dialect::SimGrid => name.strip_prefix("rank-")?,
            Dialect::StarPu if type_name == "Program" => name.strip_suffix("_program")?,
            Dialect::StarPu => return None,
            Dialect::Generic => {
                let lower = name.to_ascii_lowercase();
                let rest = lower.strip_prefix("mpi").unwrap_or(&lower).trim_start_matches([' ', '_', '-']);
                let rest = rest.strip_prefix("rank").or_else(|| rest.strip_prefix("p#"))?;
                return plain_number(rest.trim_start_matches([' ', '_', '-', '#']));
            }
        };
        plain_number(digits)
    }

    /// What a container is in the system tree.
    pub(super) fn class(self, type_name: &str, has_rank: bool) -> String {
        if has_rank {
            return SystemNode::PROCESS.to_owned();
        }
        match (self, type_name) {
            (Dialect::SimGrid, "HOST") => "node".to_owned(),
            (Dialect::StarPu, "MPI Program") => "machine".to_owned(),
            (Dialect::StarPu, "Program") => SystemNode::PROCESS.to_owned(),
            _ => type_name.to_ascii_lowercase(),
        }
    }

    /// What kind of stream a container's states are.
    pub(super) fn location_kind(self, container: &str) -> LocationKind {
        let is_accelerator =
            self == Dialect::StarPu && ["CUDA", "OpenCL", "HIP"].iter().any(|word| container.contains(word));
        if is_accelerator { LocationKind::AcceleratorStream } else { LocationKind::CpuThread }
    }

    /// The unit of a variable.
    pub(super) fn metric_unit(self, name: &str) -> String {
        match (self, name) {
            (Dialect::SimGrid, "bandwidth" | "bandwidth_used") => "B/s".to_owned(),
            (Dialect::SimGrid, "speed" | "speed_used") => "flop/s".to_owned(),
            (Dialect::SimGrid, "latency") => "s".to_owned(),
            // "Used (MB)"
            _ => match (name.find('('), name.strip_suffix(')')) {
                (Some(open), Some(inner)) => inner[open + 1..].to_owned(),
                _ if name.ends_with("GFlop/s") => "GFlop/s".to_owned(),
                _ => String::new(),
            },
        }
    }
}

/// SMPI traces the profiling names (`PMPI_Send`); a replay has `action_send`.
fn mpi_name(name: &str) -> Option<String> {
    if let Some(call) = name.strip_prefix("PMPI_").or_else(|| name.strip_prefix("action_")) {
        return Some(format!("MPI_{call}"));
    }
    name.starts_with("MPI_").then(|| name.to_owned())
}

fn plain_number(digits: &str) -> Option<u32> {
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok()).flatten()
}

/// The ends of a message as SMPI's key has them: `sender_receiver_tag_serial`, ranks counted from 1.
pub(super) fn smpi_key(key: &[u8]) -> Option<(i64, i64, i64)> {
    let (sender, rest) = number_before_bar(key)?;
    let (receiver, rest) = number_before_bar(rest)?;
    let (tag, _) = number_before_bar(rest)?;
    Some((sender, receiver, tag))
}

/// A number that ends at `_`, and what follows.
#[inline]
fn number_before_bar(text: &[u8]) -> Option<(i64, &[u8])> {
    let is_negative = text.first() == Some(&b'-');
    let mut number = 0i64;
    for (at, byte) in text.iter().enumerate().skip(usize::from(is_negative)) {
        match byte {
            b'0'..=b'9' => number = number.checked_mul(10)?.checked_add(i64::from(byte - b'0'))?,
            b'_' if at > usize::from(is_negative) => {
                return Some((if is_negative { -number } else { number }, &text[at + 1..]));
            }
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_told_by_name() {
        for (dialect, name, type_name, rank) in [
            (Dialect::SimGrid, "rank-17", "MPI", Some(17)),
            (Dialect::SimGrid, "node-17", "HOST", None),
            (Dialect::StarPu, "29_program", "Program", Some(29)),
            (Dialect::StarPu, "program", "Program", None),
            (Dialect::StarPu, "29_CPU0", "Worker", None),
            (Dialect::Generic, "MPI Rank 3", "process", Some(3)),
            (Dialect::Generic, "rank0", "process", Some(0)),
            (Dialect::Generic, "P#12", "process", Some(12)),
            (Dialect::Generic, "ranking", "process", None),
            (Dialect::Generic, "rank99999999999", "process", None),
        ] {
            assert_eq!(dialect.rank(name, type_name), rank, "{name}");
        }
    }

    #[test]
    fn collectives_and_units_are_told_by_name() {
        assert_eq!(Dialect::SimGrid.collective("PMPI_Allreduce"), Some(CollectiveOp::ALLREDUCE));
        assert_eq!(Dialect::SimGrid.collective("action_allreduce"), Some(CollectiveOp::ALLREDUCE));
        assert_eq!(Dialect::SimGrid.collective("PMPI_Iallreduce"), None);
        assert_eq!(Dialect::Generic.collective("MPI_Barrier"), None);
        assert_eq!(Dialect::StarPu.metric_unit("Bandwidth In (MB/s)"), "MB/s");
        assert_eq!(Dialect::Generic.metric_unit(") odd ("), "");
        assert_eq!(smpi_key(b"-1_4_12_23"), Some((-1, 4, 12)));
        assert_eq!(smpi_key(b"1_2_-444_3"), Some((1, 2, -444)));
        for odd in [&b"com_1"[..], b"", b"1", b"1_2", b"1_2_", b"1__2_3", b"-_1_2_3", b"99999999999999999999_1_2_3"] {
            assert_eq!(smpi_key(odd), None, "{}", String::from_utf8_lossy(odd));
        }
    }
}
