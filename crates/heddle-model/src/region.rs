//! Regions: functions and states, with what kind of thing they are.

/// Who a region belongs to: the programming model that a function is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Paradigm {
    /// Not said.
    Unknown,
    /// The program itself, instrumented by hand.
    User,
    /// The program itself, instrumented by the compiler or sampled.
    Compiler,
    /// MPI.
    Mpi,
    /// OpenMP.
    OpenMp,
    /// Pthreads and other thread libraries.
    Threads,
    /// CUDA, HIP, Kokkos and their like: work given to an accelerator.
    Accelerator,
    /// One-sided models: SHMEM, GASPI, UPC.
    OneSided,
    /// Other communication libraries: NCCL, RCCL, Gloo.
    Communication,
    /// A task of a task-based runtime.
    Task,
    /// Reading and writing files.
    Io,
    /// Waiting for work.
    Idle,
    /// The recorder itself.
    Measurement,
    /// Something else that the file names.
    Other,
}

impl Paradigm {
    /// The word used in exports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Paradigm::Unknown => "unknown",
            Paradigm::User => "user",
            Paradigm::Compiler => "compiler",
            Paradigm::Mpi => "mpi",
            Paradigm::OpenMp => "openmp",
            Paradigm::Threads => "threads",
            Paradigm::Accelerator => "accelerator",
            Paradigm::OneSided => "one-sided",
            Paradigm::Communication => "communication",
            Paradigm::Task => "task",
            Paradigm::Io => "io",
            Paradigm::Idle => "idle",
            Paradigm::Measurement => "measurement",
            Paradigm::Other => "other",
        }
    }

    /// The inverse of [`Paradigm::name`].
    pub fn from_name(name: &str) -> Paradigm {
        ALL_PARADIGMS.into_iter().find(|p| p.name() == name).unwrap_or(Paradigm::Unknown)
    }

    /// Whether time spent here is communication: what the activity view stacks.
    pub fn is_communication(self) -> bool {
        matches!(self, Paradigm::Mpi | Paradigm::OneSided | Paradigm::Communication)
    }
}

const ALL_PARADIGMS: [Paradigm; 14] = [
    Paradigm::Unknown,
    Paradigm::User,
    Paradigm::Compiler,
    Paradigm::Mpi,
    Paradigm::OpenMp,
    Paradigm::Threads,
    Paradigm::Accelerator,
    Paradigm::OneSided,
    Paradigm::Communication,
    Paradigm::Task,
    Paradigm::Io,
    Paradigm::Idle,
    Paradigm::Measurement,
    Paradigm::Other,
];

/// What a region does in its paradigm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// An ordinary function, or nothing known.
    Function,
    /// Posts or makes a send.
    Send,
    /// Posts or makes a receive.
    Receive,
    /// Sends and receives in one call.
    SendReceive,
    /// Waits for requests.
    Wait,
    /// Asks whether requests are done.
    Test,
    /// A collective operation that synchronises or moves data.
    Collective,
    /// A barrier, of any paradigm.
    Barrier,
    /// One-sided access.
    OneSided,
    /// A loop, parallel or not.
    Loop,
    /// A parallel region, its workshares and sections.
    Parallel,
    /// A task body, its creation or the wait for it.
    Task,
    /// A lock or critical section.
    Lock,
    /// Reading, writing, opening files.
    FileIo,
    /// Allocating and freeing memory.
    Memory,
    /// Moving data between memories.
    Transfer,
    /// Made by the recorder, not by the program.
    Artificial,
}

impl Role {
    /// The word used in exports.
    pub fn name(self) -> &'static str {
        match self {
            Role::Function => "function",
            Role::Send => "send",
            Role::Receive => "receive",
            Role::SendReceive => "send-receive",
            Role::Wait => "wait",
            Role::Test => "test",
            Role::Collective => "collective",
            Role::Barrier => "barrier",
            Role::OneSided => "one-sided",
            Role::Loop => "loop",
            Role::Parallel => "parallel",
            Role::Task => "task",
            Role::Lock => "lock",
            Role::FileIo => "file-io",
            Role::Memory => "memory",
            Role::Transfer => "transfer",
            Role::Artificial => "artificial",
        }
    }

    /// The inverse of [`Role::name`].
    pub fn from_name(name: &str) -> Role {
        ALL_ROLES.into_iter().find(|role| role.name() == name).unwrap_or(Role::Function)
    }

    /// What an MPI function does, told from its name; `None` if the name does not tell.
    ///
    /// Recorders say "point to point" for `MPI_Isend` and `MPI_Waitall` alike, and some say nothing at
    /// all; the name is the one thing that they share.
    pub fn of_mpi(name: &str) -> Option<Role> {
        let word = name.strip_prefix("MPI_")?.to_ascii_lowercase();
        let starts = |prefixes: &[&str]| prefixes.iter().any(|p| word.starts_with(p));
        Some(if starts(&["sendrecv", "isendrecv"]) {
            Role::SendReceive
        } else if starts(&["wait"]) {
            Role::Wait
        } else if starts(&["test"]) {
            Role::Test
        } else if starts(&["barrier", "ibarrier"]) {
            Role::Barrier
        } else if starts(&[
            "win_",
            "put",
            "get_accumulate",
            "accumulate",
            "fetch_and_op",
            "compare_and_swap",
            "rput",
            "rget",
        ]) || word == "get"
        {
            Role::OneSided
        } else if starts(&["file_"]) {
            Role::FileIo
        } else if starts(&["recv", "irecv", "mrecv", "imrecv", "precv"]) {
            Role::Receive
        } else if matches!(
            word.as_str(),
            "send"
                | "isend"
                | "bsend"
                | "ibsend"
                | "ssend"
                | "issend"
                | "rsend"
                | "irsend"
                | "start"
                | "startall"
                | "psend_init"
        ) {
            Role::Send
        } else if is_collective(word.strip_prefix('i').unwrap_or(&word)) || is_collective(&word) {
            Role::Collective
        } else {
            return None;
        })
    }
}

const ALL_ROLES: [Role; 17] = [
    Role::Function,
    Role::Send,
    Role::Receive,
    Role::SendReceive,
    Role::Wait,
    Role::Test,
    Role::Collective,
    Role::Barrier,
    Role::OneSided,
    Role::Loop,
    Role::Parallel,
    Role::Task,
    Role::Lock,
    Role::FileIo,
    Role::Memory,
    Role::Transfer,
    Role::Artificial,
];

fn is_collective(word: &str) -> bool {
    let word = word.strip_prefix("neighbor_").unwrap_or(word);
    ["bcast", "gather", "scatter", "allgather", "alltoall", "allreduce", "reduce", "scan", "exscan"]
        .iter()
        .any(|c| word.starts_with(c))
}

/// A function or state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Its name, as the file has it. Hostile text: never trust it in a terminal or a page.
    pub name: String,
    /// Who it belongs to.
    pub paradigm: Paradigm,
    /// What it does.
    pub role: Role,
    /// Source file, if known.
    pub file: Option<String>,
    /// First line in that file, if known.
    pub line: Option<u32>,
    /// The colour that whoever named it chose, as 0xRRGGBB.
    pub colour: Option<u32>,
}

impl Region {
    /// A region that is only a name; a name that begins with `MPI_` makes it an MPI function.
    pub fn named(name: impl Into<String>, paradigm: Paradigm, role: Role) -> Region {
        let name = name.into();
        let (paradigm, role) = if name.starts_with("MPI_") {
            (Paradigm::Mpi, Role::of_mpi(&name).unwrap_or(role))
        } else {
            (paradigm, role)
        };
        Region { name, paradigm, role, file: None, line: None, colour: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mpi_names_tell_their_role() {
        for (name, role) in [
            ("MPI_Isend", Some(Role::Send)),
            ("MPI_Sendrecv", Some(Role::SendReceive)),
            ("MPI_Sendrecv_replace", Some(Role::SendReceive)),
            ("MPI_Irecv", Some(Role::Receive)),
            ("MPI_Waitall", Some(Role::Wait)),
            ("MPI_Testsome", Some(Role::Test)),
            ("MPI_Ibarrier", Some(Role::Barrier)),
            ("MPI_Iallreduce", Some(Role::Collective)),
            ("MPI_Neighbor_alltoallv", Some(Role::Collective)),
            ("MPI_Get_count", None),
            ("MPI_Get", Some(Role::OneSided)),
            ("MPI_Init", None),
            ("compute", None),
        ] {
            assert_eq!(Role::of_mpi(name), role, "{name}");
        }
    }

    #[test]
    fn an_mpi_prefix_means_mpi_whatever_the_file_says() {
        assert_eq!(Region::named("MPI_Send", Paradigm::User, Role::Function).paradigm, Paradigm::Mpi);
        assert_eq!(Region::named("my_MPI_Send", Paradigm::User, Role::Function).paradigm, Paradigm::User);
    }
}
