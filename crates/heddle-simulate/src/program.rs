//! What a simulated program is: for every rank a number of stages, and for every stage a list of operations.
//!
//! A stage is a pure function of rank and number. So the engine holds one stage's operations of a rank at a time,
//! forgets them while the rank waits, and makes them again when records are read. That is why a stage should be short:
//! a few to a few hundred operations, at most some thousand.
//!
//! ```
//! use heddle_simulate::{Comm, Machine, Ops, Own, Program, ProgramInfo, simulate};
//!
//! /// Rank 0 computes, then sends what it found to rank 1.
//! struct Pair;
//!
//! impl Program for Pair {
//!     fn info(&self) -> ProgramInfo {
//!         ProgramInfo { name: "pair", ranks: 2, regions: &["compute"] }
//!     }
//!     fn stages(&self, _rank: u32) -> u32 {
//!         1
//!     }
//!     fn stage(&self, rank: u32, _stage: u32, ops: &mut Ops) {
//!         if rank == 0 {
//!             ops.compute(Own(0), 10_000);
//!             ops.send(1, 0, 800, Comm::WORLD);
//!         } else {
//!             ops.recv(0, 0, 800, Comm::WORLD);
//!         }
//!     }
//! }
//!
//! let trace = simulate(Pair, &Machine::default())?;
//! # use heddle_model::Source;
//! assert_eq!(trace.definitions().ranks(), 2);
//! # Ok::<(), heddle_simulate::SimulateError>(())
//! ```

use crate::Collective;

/// A program that can be simulated. The engine wraps what a rank does in `main { MPI_Init … MPI_Finalize }`.
pub trait Program: Send + Sync {
    /// Its name, size and functions.
    fn info(&self) -> ProgramInfo;

    /// Communicators besides the world, each a name and its members: world ranks, in the order of the communicator.
    /// [`Comm`] `1 + i` is the i-th.
    fn communicators(&self) -> Vec<(String, Vec<u32>)> {
        Vec::new()
    }

    /// How many stages a rank goes through.
    fn stages(&self, rank: u32) -> u32;

    /// Appends the operations of one stage: the same ones, however often it is asked.
    fn stage(&self, rank: u32, stage: u32, ops: &mut Ops);
}

/// What a program says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramInfo {
    /// As on the command line: `halo`, `merge-tree` …
    pub name: &'static str,
    /// How many processes it runs on.
    pub ranks: u32,
    /// Names of the program's own functions; [`Own`] counts through them. MPI functions are the engine's.
    pub regions: &'static [&'static str],
}

/// A function of the program: a position in [`ProgramInfo::regions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own(pub u16);

/// A communicator: 0 is the world, `1 + i` the i-th of [`Program::communicators`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Comm(pub u32);

impl Comm {
    /// All ranks.
    pub const WORLD: Comm = Comm(0);
}

/// One end of a message: the other side, as a world rank, and what the message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Envelope {
    pub(crate) peer: u32,
    pub(crate) tag: u32,
    pub(crate) comm: Comm,
    pub(crate) bytes: u64,
}

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Enter(Own),
    Leave(Own),
    Compute {
        region: Own,
        mean_ns: u64,
    },
    Idle {
        ns: u64,
    },
    Send(Envelope),
    Recv(Envelope),
    Isend(Envelope),
    Irecv(Envelope),
    Wait,
    Waitall,
    /// The envelope is that of the send; the receive differs in its peer.
    Sendrecv {
        send: Envelope,
        from: u32,
    },
    Collective {
        op: Collective,
        comm: Comm,
    },
    Icollective {
        op: Collective,
        comm: Comm,
    },
}

/// What a stage does, in order. Peers and roots are world ranks.
#[derive(Clone, Debug, Default)]
pub struct Ops {
    pub(crate) list: Vec<Op>,
}

impl Ops {
    /// Enters a function of the program. Calls nest; they may go on over several stages.
    pub fn enter(&mut self, region: Own) {
        self.list.push(Op::Enter(region));
    }

    /// Leaves the function that was entered last.
    pub fn leave(&mut self, region: Own) {
        self.list.push(Op::Leave(region));
    }

    /// A call that computes. The engine applies noise, slow ranks and slow nodes to its mean time.
    pub fn compute(&mut self, region: Own, mean_ns: u64) {
        self.list.push(Op::Compute { region, mean_ns });
    }

    /// Time that passes in no call of its own: exactly so long, whatever the machine.
    pub fn idle(&mut self, ns: u64) {
        self.list.push(Op::Idle { ns });
    }

    /// `MPI_Send`.
    pub fn send(&mut self, to: u32, tag: u32, bytes: u64, comm: Comm) {
        self.list.push(Op::Send(Envelope { peer: to, tag, comm, bytes }));
    }

    /// `MPI_Recv`.
    pub fn recv(&mut self, from: u32, tag: u32, bytes: u64, comm: Comm) {
        self.list.push(Op::Recv(Envelope { peer: from, tag, comm, bytes }));
    }

    /// `MPI_Isend`: opens a request.
    pub fn isend(&mut self, to: u32, tag: u32, bytes: u64, comm: Comm) {
        self.list.push(Op::Isend(Envelope { peer: to, tag, comm, bytes }));
    }

    /// `MPI_Irecv`: opens a request.
    pub fn irecv(&mut self, from: u32, tag: u32, bytes: u64, comm: Comm) {
        self.list.push(Op::Irecv(Envelope { peer: from, tag, comm, bytes }));
    }

    /// `MPI_Wait` for the rank's oldest open request.
    pub fn wait(&mut self) {
        self.list.push(Op::Wait);
    }

    /// `MPI_Waitall` for all open requests of the rank, also those of earlier stages.
    pub fn waitall(&mut self) {
        self.list.push(Op::Waitall);
    }

    /// `MPI_Sendrecv`: the same tag and length both ways.
    pub fn sendrecv(&mut self, to: u32, from: u32, tag: u32, bytes: u64, comm: Comm) {
        self.list.push(Op::Sendrecv { send: Envelope { peer: to, tag, comm, bytes }, from });
    }

    /// A blocking collective: `MPI_Allreduce` and its like. All members call the same, in the same order.
    pub fn collective(&mut self, op: Collective, comm: Comm) {
        self.list.push(Op::Collective { op, comm });
    }

    /// A non-blocking collective: `MPI_Iallreduce` and its like. Opens a request.
    pub fn icollective(&mut self, op: Collective, comm: Comm) {
        self.list.push(Op::Icollective { op, comm });
    }
}
