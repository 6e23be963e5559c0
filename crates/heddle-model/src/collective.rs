//! Collective operations by name.

use bytemuck::{Pod, Zeroable};

/// What a collective does. The numbers are those of OTF2; other formats map to them by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct CollectiveOp(pub u8);

const NAMES: [&str; 23] = [
    "barrier",
    "bcast",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "allreduce",
    "reduce",
    "reduce_scatter",
    "scan",
    "exscan",
    "reduce_scatter_block",
    "create_handle",
    "destroy_handle",
    "allocate",
    "deallocate",
    "create_handle_and_allocate",
    "destroy_handle_and_deallocate",
];

impl CollectiveOp {
    /// Everybody waits for everybody.
    pub const BARRIER: CollectiveOp = CollectiveOp(0);
    /// Everybody gets the reduction of everybody's values.
    pub const ALLREDUCE: CollectiveOp = CollectiveOp(11);
    /// Not yet known: a collective that has begun but not said what it is.
    pub const UNKNOWN: CollectiveOp = CollectiveOp(u8::MAX);

    /// The inverse of [`CollectiveOp::name`].
    pub fn from_name(name: &str) -> CollectiveOp {
        let number = NAMES.iter().position(|known| *known == name);
        number.map_or(CollectiveOp::UNKNOWN, |number| CollectiveOp(number as u8))
    }

    /// The lower-case MPI name, or `collective` for a number nobody has defined yet.
    pub fn name(self) -> &'static str {
        NAMES.get(self.0 as usize).copied().unwrap_or("collective")
    }
}
