//! Collective operations and the ways to carry them out.

use heddle_model::CollectiveOp;

/// A collective as every member calls it. All members must give the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collective {
    /// What it does.
    pub kind: CollectiveKind,
    /// How.
    pub algorithm: Algorithm,
    /// The root's world rank; without meaning where there is none.
    pub root: u32,
    /// Bytes that one member gives to, or gets from, each of the others; of a reduction the length of its vector.
    pub bytes: u64,
}

/// What a collective does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectiveKind {
    /// Everybody waits for everybody.
    Barrier,
    /// The root's data goes to all.
    Bcast,
    /// Everybody's vectors are added up at the root.
    Reduce,
    /// Everybody's vectors are added up, and all get the sum.
    Allreduce,
    /// The root gets a piece from everybody.
    Gather,
    /// Everybody gets a piece from the root.
    Scatter,
    /// Everybody gets a piece from everybody, all the same ones.
    Allgather,
    /// Everybody gets a piece of its own from everybody.
    Alltoall,
    /// `MPI_Comm_split`: a new communicator is made.
    CommCreate,
}

/// How a collective is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// As one event: all leave together, some time after the last has come. Fits every kind.
    Synchronising,
    /// Along a binomial tree: bcast, reduce, gather, scatter. A late member delays its part of the tree only.
    Binomial,
    /// Pairs at distance 1, 2, 4 …: allreduce, allgather, barrier.
    RecursiveDoubling,
    /// From neighbour to neighbour in a ring: allreduce, allgather.
    Ring,
    /// With everybody in turn: alltoall.
    Pairwise,
    /// To everybody at once, then from everybody: alltoall.
    Direct,
}

impl Collective {
    /// Whether one member plays a part of its own.
    pub(crate) fn has_root(&self) -> bool {
        use CollectiveKind::{Bcast, Gather, Reduce, Scatter};
        matches!(self.kind, Bcast | Reduce | Gather | Scatter)
    }

    /// Whether the algorithm can do this.
    pub(crate) fn is_possible(&self) -> bool {
        use CollectiveKind::{Allgather, Allreduce, Alltoall, Barrier};
        match self.algorithm {
            Algorithm::Synchronising => true,
            Algorithm::Binomial => self.has_root(),
            Algorithm::RecursiveDoubling => matches!(self.kind, Allreduce | Allgather | Barrier),
            Algorithm::Ring => matches!(self.kind, Allreduce | Allgather),
            Algorithm::Pairwise | Algorithm::Direct => self.kind == Alltoall,
        }
    }

    /// Bytes that a member gives and gets, as a recorder would write them down.
    pub(crate) fn sent_and_received(&self, is_root: bool, members: u64) -> (u64, u64) {
        let (one, all) = (self.bytes, self.bytes.saturating_mul(members));
        let only_root = |bytes: u64| if is_root { bytes } else { 0 };
        match self.kind {
            CollectiveKind::Barrier | CollectiveKind::CommCreate => (0, 0),
            CollectiveKind::Bcast => (only_root(one), one - only_root(one)),
            CollectiveKind::Reduce => (one, only_root(one)),
            CollectiveKind::Allreduce => (one, one),
            CollectiveKind::Gather => (one, only_root(all)),
            CollectiveKind::Scatter => (only_root(all), one),
            CollectiveKind::Allgather => (one, all),
            CollectiveKind::Alltoall => (all, all),
        }
    }
}

impl CollectiveKind {
    /// The name in the model, whose numbers are those of OTF2.
    pub(crate) fn op(self) -> CollectiveOp {
        CollectiveOp(match self {
            CollectiveKind::Barrier => return CollectiveOp::BARRIER,
            CollectiveKind::Allreduce => return CollectiveOp::ALLREDUCE,
            CollectiveKind::Bcast => 1,
            CollectiveKind::Gather => 2,
            CollectiveKind::Scatter => 4,
            CollectiveKind::Allgather => 6,
            CollectiveKind::Alltoall => 8,
            CollectiveKind::Reduce => 12,
            CollectiveKind::CommCreate => 17,
        })
    }
}

impl Algorithm {
    /// In words, for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Algorithm::Synchronising => "one synchronising event",
            Algorithm::Binomial => "a binomial tree",
            Algorithm::RecursiveDoubling => "recursive doubling",
            Algorithm::Ring => "a ring",
            Algorithm::Pairwise => "pairwise exchanges",
            Algorithm::Direct => "direct sends",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_calls_them_by_the_same_names() {
        use CollectiveKind::{Allgather, Allreduce, Alltoall, Barrier, Bcast, CommCreate, Gather, Reduce, Scatter};
        for (kind, name) in [
            (Barrier, "barrier"),
            (Bcast, "bcast"),
            (Reduce, "reduce"),
            (Allreduce, "allreduce"),
            (Gather, "gather"),
            (Scatter, "scatter"),
            (Allgather, "allgather"),
            (Alltoall, "alltoall"),
            (CommCreate, "create_handle"),
        ] {
            assert_eq!(kind.op().name(), name);
        }
    }

    #[test]
    fn what_all_give_is_what_all_get() {
        use CollectiveKind::{Alltoall, Gather, Scatter};
        for kind in [Alltoall, Gather, Scatter] {
            let op = Collective { kind, algorithm: Algorithm::Synchronising, root: 2, bytes: 10 };
            let (sent, received) = (0..5)
                .map(|member| op.sent_and_received(member == 2, 5))
                .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            assert_eq!(sent, received, "{kind:?}");
        }
    }
}
