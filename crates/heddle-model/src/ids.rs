//! Typed ids: an index into one table each, so that a rank cannot be taken for a location.
//!
//! Most ids are dense positions in the tables of a store, not the numbers a file uses: those may be sparse
//! and reach 2^37. `NONE` is the largest value; on disk it is a null.

use bytemuck::{Pod, Zeroable};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident($inner:ty);)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $name(pub $inner);

        impl $name {
            /// No such thing. Written as null.
            pub const NONE: Self = Self(<$inner>::MAX);

            /// The position in its table.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// Whether this is a real id and not [`Self::NONE`].
            #[inline]
            pub fn is_some(self) -> bool {
                self != Self::NONE
            }

            /// `None` for [`Self::NONE`].
            #[inline]
            pub fn some(self) -> Option<Self> {
                self.is_some().then_some(self)
            }
        }

        impl From<Option<$name>> for $name {
            #[inline]
            fn from(id: Option<$name>) -> $name {
                id.unwrap_or($name::NONE)
            }
        }
    )*};
}

ids! {
    /// One stream of execution: a row of the locations table.
    LocationId(u32);
    /// A function or state, merged by name over all processes.
    RegionId(u32);
    /// A communicator.
    CommId(u32);
    /// A counter.
    MetricId(u32);
    /// A node of the system tree: machine, rack, node, process.
    SystemNodeId(u32);
    /// A rank of the world (`MPI_COMM_WORLD`), never of a smaller communicator.
    Rank(u32);
    /// A non-blocking operation in flight. Unique on its location only, and only while open.
    RequestId(u64);
    /// A row of the spans table.
    SpanRow(u64);
    /// A task, by what its runtime calls it: the same number in every table and file of a run.
    TaskId(u64);
}
