//! The trace of a simulated run. Its records are made when they are read, from the program and the times that were kept.
//!
//! Most times follow from the program: computations from a hash, posts from their overhead. Kept are how long each
//! blocking call and each completed request took, in a stream of bytes for each rank: below a byte an event. A rank with
//! many events has several parts; where one begins, the stream's offset and the open requests are known ([`Cut`]).

use std::collections::VecDeque;

use heddle_model::{
    CollectiveEnd, CommId, Definitions, LocationId, MessageEnd, Part, RecordBlock, RequestId, Source, SourceError,
    Warnings,
};

use crate::collective::Collective;
use crate::engine::{finalize_end, init_end};
use crate::faults::{Clock, Computation, Planted, Stalled};
use crate::interconnect::Nodes;
use crate::machine::Machine;
use crate::members::Members;
use crate::places::{Call, Regions, definitions};
use crate::program::{Comm, Envelope, Op, Ops, Program};
use crate::rank::place_of;
use crate::state::{Cut, RankState};
use crate::stream::Durations;

/// Bytes of an event on disk, about: how work and memory are planned.
const EVENT_BYTES: u64 = 14;
/// `main`, `MPI_Init` and `MPI_Finalize`.
const OUTER_EVENTS: u64 = 6;

/// The trace of a simulated run.
pub struct Simulation {
    program: Box<dyn Program>,
    machine: Machine,
    planted: Planted,
    /// By rank.
    times: Vec<Times>,
    /// When the last rank entered `MPI_Finalize`.
    finalize: i64,
    regions: Regions,
    definitions: Definitions,
    parts: Vec<Part>,
    warnings: Warnings,
}

/// The times of a rank.
struct Times {
    bytes: Box<[u8]>,
    cuts: Box<[Cut]>,
    /// The stalls that it met.
    befallen: Box<[Stalled]>,
}

impl std::fmt::Debug for Simulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let program = (self.program.info().name, self.program.info().ranks);
        f.debug_struct("Simulation").field("program", &program).field("machine", &self.machine).finish_non_exhaustive()
    }
}

impl Simulation {
    pub(crate) fn new(
        program: Box<dyn Program>,
        machine: Machine,
        planted: Planted,
        nodes: &Nodes<'_>,
        comms: &[Members],
        ranks: Vec<RankState>,
    ) -> Simulation {
        let called = ranks.iter().fold(0, |called, rank| called | rank.called);
        let regions = Regions::new(program.info().regions, called);
        let finalize = ranks.iter().map(|rank| rank.now).max().unwrap_or(0);
        let mut parts = Vec::with_capacity(ranks.iter().map(|rank| rank.cuts.len() + 1).sum());
        let mut times = Vec::with_capacity(ranks.len());
        for (rank, state) in (0..).zip(ranks) {
            let events = state.cuts.iter().map(|cut| cut.events).chain([state.events]);
            parts.extend((0..).zip(events).map(|(index, events)| {
                let bytes = (u64::from(events) + OUTER_EVENTS) * EVENT_BYTES;
                Part { location: LocationId(rank), index, bytes }
            }));
            times.push(Times {
                bytes: state.times.into_boxed_slice(),
                cuts: state.cuts.into_boxed_slice(),
                befallen: state.befallen.into_boxed_slice(),
            });
        }
        let definitions = definitions(&*program, nodes, &regions, comms);
        let warnings = Warnings::default();
        Simulation { program, machine, planted, times, finalize, regions, definitions, parts, warnings }
    }

    /// The program that was simulated.
    pub fn program(&self) -> &dyn Program {
        &*self.program
    }

    /// The machine that it ran on.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Bytes of all times: what a simulation costs in memory.
    #[cfg(test)]
    pub(crate) fn kept_bytes(&self) -> usize {
        self.times.iter().map(|times| times.bytes.len()).sum()
    }
}

impl Source for Simulation {
    fn format(&self) -> &'static str {
        "simulated"
    }

    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn read(&self, part: &Part, out: &mut RecordBlock) -> Result<(), SourceError> {
        let missing = || {
            let place = format!("part {} of rank {}", part.index, part.location.0);
            SourceError { place, cause: std::io::ErrorKind::NotFound.into() }
        };
        let (rank, index) = (part.location.0, part.index as usize);
        let times = self.times.get(part.location.index()).filter(|times| index <= times.cuts.len());
        let times = times.ok_or_else(missing)?;
        let stages = self.program.stages(rank);
        let clock = self.planted.clock(rank);
        let end = times.cuts.get(index).map_or(stages, |cut| cut.stage);
        let before = out.len();
        out.reserve((part.bytes / EVENT_BYTES) as usize);
        let mut writer = match index.checked_sub(1).map(|cut| &times.cuts[cut]) {
            None => {
                let init = init_end(&self.machine, &self.planted.wires, self.program.info().ranks, rank);
                out.enter(clock.ns(0), self.regions.of_call(Call::MAIN));
                out.enter(clock.ns(0), self.regions.of_call(Call::INIT));
                out.leave(clock.ns(init), Some(self.regions.of_call(Call::INIT)));
                Writer::new(self, rank, init, &times.bytes, 0, &[], out)
            }
            Some(cut) => Writer::new(self, rank, cut.now, &times.bytes[cut.offset..], cut.opened, &cut.open, out),
        };
        let mut ops = Ops::default();
        for stage in index.checked_sub(1).map_or(0, |cut| times.cuts[cut].stage)..end {
            ops.list.clear();
            self.program.stage(rank, stage, &mut ops);
            for (at, op) in (0..).zip(&ops.list) {
                writer.write(op, place_of(stage, at));
            }
        }
        let mut last = writer.now;
        if end == stages {
            out.enter(clock.ns(last), self.regions.of_call(Call::FINALIZE));
            last = finalize_end(&self.machine, &self.planted.wires, self.program.info().ranks, rank, self.finalize);
            out.leave(clock.ns(last), Some(self.regions.of_call(Call::FINALIZE)));
            out.leave(clock.ns(last), Some(self.regions.of_call(Call::MAIN)));
        }
        out.events += (out.len() - before) as u64;
        out.last = out.last.max(Some(clock.ns(last)));
        Ok(())
    }

    fn warnings(&self) -> &Warnings {
        &self.warnings
    }
}

/// Makes the records of a stretch of one rank.
struct Writer<'a> {
    simulation: &'a Simulation,
    rank: u32,
    now: i64,
    clock: Clock,
    /// How many its rank goes through.
    stages: u32,
    overhead: i64,
    durations: Durations<'a>,
    opened: u64,
    open: VecDeque<(RequestId, Op)>,
    /// Memory for the completions of one wait.
    completions: Vec<(i64, RequestId, Op)>,
    out: &'a mut RecordBlock,
}

impl<'a> Writer<'a> {
    fn new(
        simulation: &'a Simulation,
        rank: u32,
        now: i64,
        times: &'a [u8],
        opened: u64,
        open: &[Op],
        out: &'a mut RecordBlock,
    ) -> Writer<'a> {
        let oldest = opened - open.len() as u64;
        Writer {
            simulation,
            rank,
            now,
            clock: simulation.planted.clock(rank),
            stages: simulation.program.stages(rank),
            overhead: simulation.machine.network.overhead(),
            durations: Durations::new(times),
            opened,
            open: (oldest..).map(RequestId).zip(open.iter().copied()).collect(),
            completions: Vec::new(),
            out,
        }
    }

    fn write(&mut self, op: &Op, place: u64) {
        match op {
            Op::Enter(region) => self.out.enter(self.clock.ns(self.now), Regions::of_own(*region)),
            Op::Leave(region) => self.out.leave(self.clock.ns(self.now), Some(Regions::of_own(*region))),
            Op::Compute { region, mean_ns } => {
                self.out.enter(self.clock.ns(self.now), Regions::of_own(*region));
                let (rank, region, mean_ns, start) = (self.rank, *region, *mean_ns, self.now);
                let computation = Computation { rank, region, mean_ns, place, start };
                let Simulation { planted, machine, times, .. } = self.simulation;
                let befallen = &times[rank as usize].befallen;
                self.now += planted.recompute(machine, &computation, self.stages, befallen);
                self.out.leave(self.clock.ns(self.now), Some(Regions::of_own(region)));
            }
            Op::Idle { ns } => self.now += *ns as i64,
            _ => {
                let Some(call) = Call::of(op) else { return };
                let region = self.simulation.regions.of_call(call);
                self.out.enter(self.clock.ns(self.now), region);
                self.call(op);
                self.out.leave(self.clock.ns(self.now), Some(region));
            }
        }
    }

    /// What a function of MPI does between its enter and its leave.
    fn call(&mut self, op: &Op) {
        let entered = self.clock.ns(self.now);
        match op {
            Op::Isend(send) => {
                let request = self.open(op);
                self.out.isend(entered, message(send, request));
                self.now += self.overhead;
            }
            Op::Irecv(_) => {
                let request = self.open(op);
                self.out.recv_request(entered, request);
                self.now += self.overhead;
            }
            Op::Icollective { .. } => {
                let request = self.open(op);
                self.out.collective_request(entered, request);
                self.now += self.overhead;
            }
            Op::Send(send) => {
                self.out.send(entered, message(send, RequestId::NONE));
                let is_eager = self.simulation.machine.network.is_eager(send.bytes);
                self.now += if is_eager { self.overhead } else { self.durations.next() };
            }
            Op::Recv(receive) => {
                self.now += self.durations.next();
                self.out.recv(self.clock.ns(self.now), message(receive, RequestId::NONE));
            }
            Op::Sendrecv { send, from } => {
                self.out.send(entered, message(send, RequestId::NONE));
                self.now += self.durations.next();
                self.out.recv(self.clock.ns(self.now), message(&Envelope { peer: *from, ..*send }, RequestId::NONE));
            }
            Op::Collective { op, comm } => {
                self.out.collective_begin(entered);
                self.now += self.durations.next();
                self.out.collective_end(self.clock.ns(self.now), self.collective(op, *comm, RequestId::NONE));
            }
            Op::Wait => self.wait(1),
            Op::Waitall => self.wait(self.open.len()),
            Op::Enter(_) | Op::Leave(_) | Op::Compute { .. } | Op::Idle { .. } => {}
        }
    }

    fn open(&mut self, op: &Op) -> RequestId {
        let request = RequestId(self.opened);
        self.open.push_back((request, *op));
        self.opened += 1;
        request
    }

    /// The oldest requests are over, each in its time.
    fn wait(&mut self, count: usize) {
        let entered = self.now;
        let network = &self.simulation.machine.network;
        self.completions.clear();
        for (request, op) in self.open.drain(..count.min(self.open.len())) {
            let needs_no_wait = matches!(op, Op::Isend(send) if network.is_eager(send.bytes));
            let time = if needs_no_wait { entered } else { entered + self.durations.next() };
            self.now = self.now.max(time);
            self.completions.push((time, request, op));
        }
        self.completions.sort_unstable_by_key(|(time, request, _)| (*time, *request));
        let completions = std::mem::take(&mut self.completions);
        for (time, request, op) in &completions {
            let (time, request) = (self.clock.ns(*time), *request);
            match op {
                Op::Irecv(receive) => self.out.irecv(time, message(receive, request)),
                Op::Icollective { op, comm } => {
                    let end = self.collective(op, *comm, request);
                    self.out.collective_complete(time, end);
                }
                _ => self.out.send_complete(time, request),
            }
        }
        self.completions = completions;
    }

    fn collective(&self, op: &Collective, comm: Comm, request: RequestId) -> CollectiveEnd {
        let members = self.simulation.definitions.communicators[comm.0 as usize].members.len();
        let is_root = op.has_root() && op.root == self.rank;
        let (sent, received) = op.sent_and_received(is_root, members as u64);
        let root = if op.has_root() { LocationId(op.root) } else { LocationId::NONE };
        CollectiveEnd { op: op.kind.op(), comm: CommId(comm.0), root, sent, received, request, number: None }
    }
}

fn message(envelope: &Envelope, request: RequestId) -> MessageEnd {
    let Envelope { peer, tag, comm, bytes } = *envelope;
    MessageEnd { peer: LocationId(peer), comm: CommId(comm.0), tag, bytes, request }
}
