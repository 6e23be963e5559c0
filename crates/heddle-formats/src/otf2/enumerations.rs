//! The format's enumerations, as the model names them.

use heddle_model::{LocationKind, Paradigm, Role};

/// Paradigm number of MPI.
pub(crate) const MPI: u8 = 4;

pub(crate) fn paradigm(number: u8) -> Paradigm {
    match number {
        0 => Paradigm::Unknown,
        1 => Paradigm::User,
        2 | 21 => Paradigm::Compiler,
        3 => Paradigm::OpenMp,
        4 => Paradigm::Mpi,
        5 | 8 | 18 | 19 | 23 | 24 => Paradigm::Accelerator,
        6 => Paradigm::Measurement,
        7 | 14..=16 => Paradigm::Threads,
        9 | 17 | 20 => Paradigm::Task,
        11..=13 => Paradigm::OneSided,
        _ => Paradigm::Other,
    }
}

/// The inverse of [`paradigm`], for writing.
pub(crate) fn paradigm_number(paradigm: Paradigm) -> u8 {
    match paradigm {
        Paradigm::Unknown | Paradigm::Other | Paradigm::Idle | Paradigm::Io => 0,
        Paradigm::User => 1,
        Paradigm::Compiler => 2,
        Paradigm::OpenMp => 3,
        Paradigm::Mpi => MPI,
        Paradigm::Accelerator => 5,
        Paradigm::Measurement => 6,
        Paradigm::Threads => 7,
        Paradigm::Task => 9,
        Paradigm::OneSided | Paradigm::Communication => 13,
    }
}

pub(crate) fn role(number: u8) -> Role {
    match number {
        3 => Role::Loop,
        5..=11 => Role::Parallel,
        12..=14 | 17..=19 => Role::Lock,
        15 | 16 => Role::Barrier,
        20..=22 | 32..=34 => Role::Task,
        23..=26 => Role::Collective,
        27 | 38 => Role::FileIo,
        29 => Role::OneSided,
        30 => Role::Transfer,
        31 => Role::Artificial,
        35..=37 => Role::Memory,
        _ => Role::Function,
    }
}

/// Role and paradigm of a region from a writer too old to say them itself.
pub(crate) fn legacy_region(kind: u8) -> (u8, u8) {
    const OPENMP: u8 = 3;
    const USER: u8 = 1;
    match kind {
        4 => (27, USER),
        5..=21 => {
            const ROLES: [u8; 17] = [5, 3, 6, 7, 8, 9, 11, 12, 14, 15, 16, 17, 13, 10, 2, 20, 22];
            (ROLES[kind as usize - 5], OPENMP)
        }
        22 => (15, MPI),
        23 => (23, MPI),
        24 => (24, MPI),
        25 => (25, MPI),
        26 => (26, MPI),
        27..=29 => (4, USER),
        2 | 30 | 32 => (3, USER),
        31 => (1, USER),
        33 => (21, OPENMP),
        34 => (18, OPENMP),
        35 => (19, OPENMP),
        _ => (1, 0),
    }
}

/// Kinds of group.
pub(crate) mod group {
    pub(crate) const LOCATIONS: u8 = 1;
    pub(crate) const COMM_LOCATIONS: u8 = 4;
    pub(crate) const COMM_GROUP: u8 = 5;
    pub(crate) const COMM_SELF: u8 = 6;
    /// Flag: members are not listed, they are all of the paradigm's locations.
    pub(crate) const GLOBAL_MEMBERS: u32 = 1;
}

/// Group type and paradigm from a writer too old to say them itself.
pub(crate) fn legacy_group(kind: u8) -> (u8, u8) {
    match kind {
        4 => (group::COMM_GROUP, MPI),
        5 => (group::COMM_SELF, MPI),
        6 => (group::COMM_LOCATIONS, MPI),
        other => (other, 0),
    }
}

pub(crate) fn location_kind(number: u8) -> LocationKind {
    match number {
        1 => LocationKind::CpuThread,
        2 => LocationKind::AcceleratorStream,
        3 => LocationKind::Metric,
        _ => LocationKind::Unknown,
    }
}
