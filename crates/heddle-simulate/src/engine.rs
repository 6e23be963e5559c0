//! The engine: runs a program's ranks until all have ended, or nobody can go on.
//!
//! It is a data flow. A rank runs until it needs something that is not there yet: a message, a receive for a message
//! that waits for it, the other members of a collective. So a round is: all ranks that can run do so, in parallel, and
//! collect what they have for others; then that is handed over, in the order of the ranks, and wakes others. The order is
//! a matter of ranks and rounds alone, so the number of threads changes nothing.
//!
//! Messages that do not get into each other's way may be handed over in any order. Those that do, on a machine with links that they
//! share, need the order of time: [`crate::ordered`].

use crate::SimulateError;
use crate::chance::Draw;
use crate::fabric::Fabric;
use crate::faults::{Planted, Wires};
use crate::gathering::{Entry, Gathering};
use crate::interconnect::Nodes;
use crate::machine::{LATEST, Machine};
use crate::matching::Key;
use crate::members::Members;
use crate::network::Transfer;
use crate::ordered::Ordered;
use crate::program::{Ops, Program};
use crate::rank::{Runner, Tuning, World};
use crate::simulation::Simulation;
use crate::state::{Arrived, Clear, How, Item, Met, Outbox, RankState, Until};
use crate::stuck;

/// Ranks that run before their messages are handed over, at most: bounds the memory for those.
const MOST_AT_ONCE: usize = 1 << 16;
/// Bytes of the exchange in `MPI_Init` and `MPI_Finalize`.
const ENDS_BYTES: u64 = 8;

/// Simulates a program.
///
/// The trace depends on program and machine alone. A program that cannot run to its end is an error that says why.
pub fn simulate<P: Program + 'static>(program: P, machine: &Machine) -> Result<Simulation, SimulateError> {
    simulate_tuned(Box::new(program), machine, Tuning::default())
}

/// The same with other sizes of work, which change nothing about the result.
pub(crate) fn simulate_tuned(
    program: Box<dyn Program>,
    machine: &Machine,
    tuning: Tuning,
) -> Result<Simulation, SimulateError> {
    let ranks = program.info().ranks;
    machine.check(ranks)?;
    let nodes = Nodes::new(machine, ranks)?;
    let comms = Members::of(&*program)?;
    let planted = Planted::new(machine, &nodes, &program.info())?;
    let world = World { program: &*program, machine, planted: &planted, comms: &comms, tuning };
    let states = (0..ranks).map(|rank| RankState::new(init_end(machine, &planted.wires, ranks, rank))).collect();
    let states = match &nodes {
        Nodes::Filled { .. } => Engine::new(&world, states).run()?,
        Nodes::Placed { placement, interconnect } => {
            Ordered::new(&world, states, Fabric::new(&machine.network, interconnect, placement)?).run()?
        }
    };
    planted.check_felt(machine, states.iter().map(|state| state.now).max().unwrap_or(0))?;
    Ok(Simulation::new(program, machine.clone(), planted, &nodes, &comms, states))
}

/// When a rank leaves `MPI_Init`: as from a collective that all enter at 0.
pub(crate) fn init_end(machine: &Machine, wires: &Wires, ranks: u32, rank: u32) -> i64 {
    wires.usual(0).synchronising(ranks as usize, ENDS_BYTES) + machine.jitter(Draw::Start, rank, 0)
}

/// When a rank leaves `MPI_Finalize`, which the last one entered at `last`.
pub(crate) fn finalize_end(machine: &Machine, wires: &Wires, ranks: u32, rank: u32, last: i64) -> i64 {
    last + wires.usual(last).synchronising(ranks as usize, ENDS_BYTES) + machine.jitter(Draw::End, rank, 0)
}

struct Engine<'a> {
    world: &'a World<'a>,
    ranks: Vec<RankState>,
    /// By communicator.
    gatherings: Vec<Gathering>,
    /// Ranks that can go on.
    woken: Vec<u32>,
    /// Data whose receive was found in the last round, and that receive's request.
    data: Vec<(Transfer, u32)>,
}

impl<'a> Engine<'a> {
    fn new(world: &'a World<'a>, ranks: Vec<RankState>) -> Engine<'a> {
        let gatherings = world.comms.iter().map(|_| Gathering::default()).collect();
        Engine { world, ranks, gatherings, woken: Vec::new(), data: Vec::new() }
    }

    /// Gives the states of the ranks, which have all ended.
    fn run(mut self) -> Result<Vec<RankState>, SimulateError> {
        self.woken = (0..self.ranks.len() as u32).collect();
        let (mut round, mut leaf) = (Vec::new(), Leaf::default());
        while !self.woken.is_empty() || !self.data.is_empty() {
            std::mem::swap(&mut round, &mut self.woken);
            self.woken.clear();
            round.sort_unstable();
            // Also without ranks to run there may be data to hand over.
            let chunks = round.chunks(MOST_AT_ONCE).chain(round.is_empty().then_some(&[][..]));
            for chunk in chunks {
                let more = if chunk.len() <= self.world.tuning.grain {
                    leaf.run(self.world, &mut self.ranks, 0, chunk)?;
                    Vec::new()
                } else {
                    run_all(self.world, &mut self.ranks, 0, chunk)?
                };
                let data = std::mem::take(&mut self.data);
                for outbox in std::iter::once(&leaf.outbox).chain(&more) {
                    self.deliver(outbox)?;
                }
                leaf.outbox.clear();
                for (transfer, request) in data {
                    self.wake(transfer.to, request, transfer.arrival(&self.world.planted.wires));
                }
            }
        }
        check_end(self.world, &self.ranks, &self.gatherings)?;
        Ok(self.ranks)
    }

    fn wake(&mut self, rank: u32, request: u32, done: i64) {
        if self.ranks[rank as usize].complete(request, done) {
            self.woken.push(rank);
        }
    }

    fn deliver(&mut self, outbox: &Outbox) -> Result<(), SimulateError> {
        for item in &outbox.items {
            match *item {
                Item::Eager { transfer, tag, comm } => {
                    let key = Key { from: transfer.from, tag, comm };
                    let there = transfer.arrival(&self.world.planted.wires);
                    self.arrive(transfer.to, key, Arrived { bytes: transfer.bytes, how: How::There(there) })?;
                }
                Item::Ask { from, send, request, handed } => {
                    let key = Key { from, tag: send.tag, comm: send.comm };
                    let there = handed + self.world.planted.wires.latency(from, send.peer, handed);
                    self.arrive(send.peer, key, Arrived { bytes: send.bytes, how: How::Asked(there, request) })?;
                }
                Item::Clear(clear) => self.send_data(&clear)?,
                // Here the end of a flight is known when it begins.
                Item::Awaits { .. } => {}
                Item::Entered { rank, op, comm, at, request } => {
                    let (members, entry) = (&self.world.comms[comm.0 as usize], Entry { rank, at, request });
                    let gathering = &mut self.gatherings[comm.0 as usize];
                    for left in gathering.enter((comm, members), op, entry, self.world)? {
                        self.wake(left.rank, left.request, left.at);
                    }
                }
            }
        }
        Ok(())
    }

    /// A message, or the request to send one, reaches its receiver.
    fn arrive(&mut self, to: u32, key: Key, arrived: Arrived) -> Result<(), SimulateError> {
        match self.ranks[to as usize].arrive(to, key, arrived, &self.world.planted.wires)? {
            Met::Nobody | Met::Awaited { .. } => Ok(()),
            Met::Receive { request, done } => {
                self.wake(to, request, done);
                Ok(())
            }
            Met::Permission(clear) => self.send_data(&clear),
        }
    }

    /// The sender hears that its receive is posted, and sends the data, which arrives in the next round.
    fn send_data(&mut self, clear: &Clear) -> Result<(), SimulateError> {
        let wires = &self.world.planted.wires;
        let (from, to, bytes) = (clear.sender, clear.receiver, clear.bytes);
        let nic = &mut self.ranks[from as usize].nic;
        let injected = nic.close(clear.there, wires.injection((from, to), bytes, clear.there));
        if injected > LATEST {
            return Err(SimulateError::TooLong);
        }
        self.data.push((Transfer { from, to, bytes, injected }, clear.receive));
        self.wake(from, clear.send, injected + wires.transfer((from, to), bytes, injected));
        Ok(())
    }
}

/// Nobody can run: all must have ended, and nothing may be left over.
pub(crate) fn check_end(world: &World<'_>, ranks: &[RankState], gatherings: &[Gathering]) -> Result<(), SimulateError> {
    if ranks.iter().any(|rank| rank.until != Until::Ended) {
        return Err(stuck::report(world, ranks, gatherings));
    }
    for (rank, state) in (0..).zip(ranks) {
        if let Some(key) = state.messages.any() {
            return Err(SimulateError::Unreceived { from: key.from, to: rank, tag: key.tag });
        }
    }
    Ok(())
}

/// Some ranks, run one after the other, and the memory for that.
#[derive(Default)]
struct Leaf {
    ops: Ops,
    outbox: Outbox,
}

impl Leaf {
    /// `states` are those of the ranks from `first` on.
    fn run(
        &mut self,
        world: &World<'_>,
        states: &mut [RankState],
        first: u32,
        ranks: &[u32],
    ) -> Result<(), SimulateError> {
        for rank in ranks {
            let state = &mut states[(rank - first) as usize];
            Runner { world, rank: *rank, state, out: &mut self.outbox }.run(&mut self.ops)?;
        }
        Ok(())
    }
}

/// Runs many ranks in parallel. The error, if any, is that of the first rank that has one.
fn run_all(
    world: &World<'_>,
    states: &mut [RankState],
    first: u32,
    ranks: &[u32],
) -> Result<Vec<Outbox>, SimulateError> {
    if ranks.len() <= world.tuning.grain {
        let mut leaf = Leaf::default();
        leaf.run(world, states, first, ranks)?;
        return Ok(vec![leaf.outbox]);
    }
    let (left, right) = ranks.split_at(ranks.len() / 2);
    let middle = right[0];
    let (left_states, right_states) = states.split_at_mut((middle - first) as usize);
    let (done, more) =
        rayon::join(|| run_all(world, left_states, first, left), || run_all(world, right_states, middle, right));
    let mut done = done?;
    done.append(&mut more?);
    Ok(done)
}
