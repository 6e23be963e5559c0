//! A rank at work: it runs through its operations until it needs what is not there yet.

use crate::SimulateError;
use crate::collective::Collective;
use crate::faults::{Computation, Planted};
use crate::machine::{LATEST, LogGp, Machine};
use crate::matching::Key;
use crate::members::{self, Members};
use crate::network::Transfer;
use crate::places::Call;
use crate::program::{Comm, Envelope, Op, Ops, Program};
use crate::state::{Arrived, Clear, Cut, How, Item, Outbox, Posted, RankState, Request, Until, lengths_differ};
use crate::stream;

/// Longer lists of operations are kept while a rank waits; shorter ones are cheaper made again than held.
const LEAST_KEPT: usize = 64;

/// What all ranks share.
pub(crate) struct World<'a> {
    pub(crate) program: &'a dyn Program,
    pub(crate) machine: &'a Machine,
    pub(crate) planted: &'a Planted,
    pub(crate) comms: &'a [Members],
    pub(crate) tuning: Tuning,
}

/// Sizes that decide how the work is cut, but nothing about the result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tuning {
    /// Events of a part, about, so that a reader's memory stays small.
    pub(crate) part_events: u32,
    /// Ranks that one task runs: enough to be worth a thread's while.
    pub(crate) grain: usize,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning { part_events: 60_000, grain: 128 }
    }
}

/// A rank at work, with what it needs for that.
pub(crate) struct Runner<'a> {
    pub(crate) world: &'a World<'a>,
    pub(crate) rank: u32,
    pub(crate) state: &'a mut RankState,
    pub(crate) out: &'a mut Outbox,
}

impl Runner<'_> {
    /// Goes on until something is missing, or the program ends. `ops` is memory to work in.
    pub(crate) fn run(&mut self, ops: &mut Ops) -> Result<(), SimulateError> {
        self.state.is_woken = false;
        let stages = self.world.program.stages(self.rank);
        while self.state.stage < stages {
            if let Some(kept) = self.state.kept.take() {
                *ops = *kept;
            } else {
                ops.list.clear();
                self.world.program.stage(self.rank, self.state.stage, ops);
            }
            while let Some(op) = ops.list.get(self.state.at as usize) {
                if !self.step(op)? {
                    if ops.list.len() >= LEAST_KEPT {
                        self.state.kept = Some(Box::new(std::mem::take(ops)));
                    }
                    return Ok(());
                }
                self.state.at += 1;
            }
            self.state.stage += 1;
            self.state.at = 0;
            if self.state.events >= self.world.tuning.part_events && self.state.stage < stages {
                self.cut();
            }
        }
        self.end()
    }

    /// One operation, or the rest of it. Tells whether it is over.
    fn step(&mut self, op: &Op) -> Result<bool, SimulateError> {
        if self.state.until == Until::Running {
            self.begin(op)?;
        }
        if !self.state.is_ready() {
            return Ok(false);
        }
        self.finish(op);
        self.state.until = Until::Running;
        if self.state.now > LATEST || self.state.nic.last() > LATEST { Err(SimulateError::TooLong) } else { Ok(true) }
    }

    fn network(&self) -> &LogGp {
        &self.world.machine.network
    }

    /// Does what can be done at once, and says what is to be waited for.
    fn begin(&mut self, op: &Op) -> Result<(), SimulateError> {
        if let Some(call) = Call::of(op) {
            self.state.called |= call.bit();
            self.state.events += 2;
        }
        let overhead = self.network().overhead();
        match op {
            Op::Enter(region) => {
                self.check_region(region.0)?;
                self.state.open_regions.push(region.0);
                self.state.events += 1;
            }
            Op::Leave(region) => {
                if self.state.open_regions.pop() != Some(region.0) {
                    return Err(self.wrong(format!("function {} is left, but it is not the innermost one", region.0)));
                }
                self.state.events += 1;
            }
            Op::Compute { region, mean_ns } => {
                self.check_region(region.0)?;
                let (rank, place) = (self.rank, place_of(self.state.stage, self.state.at));
                let (mean_ns, start) = (*mean_ns, self.state.now);
                let computation = Computation { rank, region: *region, mean_ns, place, start };
                let World { planted, machine, program, .. } = self.world;
                self.state.now +=
                    planted.compute(machine, &computation, program.stages(rank), &mut self.state.befallen);
                self.state.events += 2;
            }
            Op::Idle { ns } => self.state.now += i64::try_from(*ns).unwrap_or(LATEST).min(LATEST),
            Op::Isend(send) => {
                let at = self.state.now;
                self.send(op, send, at)?;
                self.state.opened += 1;
                self.state.now += overhead;
                self.state.events += 2;
            }
            Op::Irecv(receive) => {
                self.state.opened += 1;
                self.state.now += overhead;
                self.receive(op, receive, self.state.now)?;
                self.state.events += 2;
            }
            Op::Send(send) => {
                let at = self.state.now;
                self.send(op, send, at)?;
                self.state.until = Until::Back(1);
                self.state.events += 1;
            }
            Op::Recv(receive) => {
                self.receive(op, receive, self.state.now)?;
                self.state.until = Until::Back(1);
                self.state.events += 1;
            }
            Op::Sendrecv { send, from } => {
                let at = self.state.now;
                self.send(&Op::Send(*send), send, at)?;
                let receive = Envelope { peer: *from, ..*send };
                self.receive(&Op::Recv(receive), &receive, at + 2 * overhead)?;
                self.state.until = Until::Back(2);
                self.state.events += 2;
            }
            Op::Wait => {
                if self.state.requests.is_empty() {
                    return Err(self.wrong("a wait without an open request".to_owned()));
                }
                self.state.until = Until::Front;
                self.state.events += 1;
            }
            Op::Waitall => {
                self.state.until = Until::All;
                self.state.events += self.state.requests.len() as u32;
            }
            Op::Collective { op: collective, comm } => {
                self.enter_collective(op, *collective, *comm, self.state.now)?;
                self.state.until = Until::Back(1);
                self.state.events += 2;
            }
            Op::Icollective { op: collective, comm } => {
                self.state.opened += 1;
                self.state.now += overhead;
                self.enter_collective(op, *collective, *comm, self.state.now)?;
                self.state.events += 2;
            }
        }
        Ok(())
    }

    /// What was waited for is there: takes the requests out and works out the end of the call.
    fn finish(&mut self, op: &Op) {
        let (overhead, state) = (self.world.machine.network.overhead(), &mut *self.state);
        let count = match state.until {
            Until::Running | Until::Ended => return,
            Until::Front => 1,
            Until::All => state.requests.len(),
            Until::Back(count) => count,
        };
        if matches!(state.until, Until::Front | Until::All) {
            let entered = state.now;
            for request in state.requests.drain(..count) {
                if let Some(wait) = wait_of(&request, entered, overhead, &self.world.machine.network) {
                    stream::put(&mut state.times, wait);
                    state.now = state.now.max(entered + wait);
                }
            }
            state.first = state.first.wrapping_add(count as u32);
            return;
        }
        // Both halves of a Sendrecv are posted one after the other, and then waited for.
        let entered = if count == 2 { state.now + 2 * overhead } else { state.now };
        let mut end = entered;
        let rest = state.requests.len() - count;
        let mut is_known = true;
        for request in state.requests.drain(rest..) {
            match wait_of(&request, entered, overhead, &self.world.machine.network) {
                Some(wait) => {
                    is_known = false;
                    end = end.max(entered + wait);
                }
                None => end = end.max(entered + if count == 2 { 0 } else { overhead }),
            }
        }
        debug_assert_eq!(is_known, matches!(op, Op::Send(send) if self.world.machine.network.is_eager(send.bytes)));
        if !is_known {
            stream::put(&mut state.times, end - state.now);
        }
        state.now = end;
    }

    fn send(&mut self, op: &Op, send: &Envelope, at: i64) -> Result<(), SimulateError> {
        self.check_peer(send)?;
        let network = *self.network();
        let handed = at + network.overhead();
        let request = self.state.number(self.state.requests.len());
        let is_eager = network.is_eager(send.bytes);
        if is_eager {
            let injected = if self.world.machine.interconnect.is_some() {
                handed
            } else {
                let length = self.world.planted.wires.injection((self.rank, send.peer), send.bytes, handed);
                self.state.nic.inject(handed, length)
            };
            let transfer = Transfer { from: self.rank, to: send.peer, bytes: send.bytes, injected };
            self.out.items.push(Item::Eager { transfer, tag: send.tag, comm: send.comm });
        } else {
            self.state.nic.open();
            self.state.pending += 1;
            self.out.items.push(Item::Ask { from: self.rank, send: *send, request, handed });
        }
        self.state.requests.push_back(Request { op: *op, done: is_eager.then_some(handed) });
        Ok(())
    }

    fn receive(&mut self, op: &Op, receive: &Envelope, at: i64) -> Result<(), SimulateError> {
        self.check_peer(receive)?;
        let (key, bytes) = (Key::of(receive), receive.bytes);
        let request = self.state.number(self.state.requests.len());
        let mut done = None;
        match self.state.messages.take(&key) {
            None => self.state.posted.push(key, Posted { bytes, at, request }),
            Some(arrived) if arrived.bytes != bytes => {
                return Err(self.wrong(lengths_differ(&key, arrived.bytes, bytes)));
            }
            Some(Arrived { how: How::There(there), .. }) => done = Some(there),
            Some(Arrived { how: How::Flying(flight), .. }) => {
                self.out.items.push(Item::Awaits { flight, rank: self.rank, request });
            }
            Some(Arrived { how: How::Asked(there, send), .. }) => {
                let (sender, receiver, met) = (receive.peer, self.rank, there.max(at));
                let there = met + self.world.planted.wires.latency(receiver, sender, met);
                self.out.items.push(Item::Clear(Clear { sender, send, receiver, receive: request, bytes, there }));
            }
        }
        self.state.pending += u32::from(done.is_none());
        self.state.requests.push_back(Request { op: *op, done });
        Ok(())
    }

    fn enter_collective(&mut self, op: &Op, collective: Collective, comm: Comm, at: i64) -> Result<(), SimulateError> {
        let members = self.check_comm(comm)?;
        if collective.has_root() && members.position(collective.root).is_none() {
            return Err(self.wrong(format!("root {} is not in {}", collective.root, members.name)));
        }
        if !collective.is_possible() {
            let name = Call::blocking(collective.kind).name();
            return Err(self.wrong(format!("{name} cannot be done by {}", collective.algorithm.name())));
        }
        let request = self.state.number(self.state.requests.len());
        self.out.items.push(Item::Entered { rank: self.rank, op: collective, comm, at, request });
        self.state.pending += 1;
        self.state.requests.push_back(Request { op: *op, done: None });
        Ok(())
    }

    /// A part ends here, between two stages.
    fn cut(&mut self) {
        let state = &mut *self.state;
        state.cuts.push(Cut {
            stage: state.stage,
            offset: state.times.len(),
            now: state.now,
            events: std::mem::take(&mut state.events),
            opened: state.opened,
            open: state.requests.iter().map(|request| request.op).collect(),
        });
    }

    fn end(&mut self) -> Result<(), SimulateError> {
        if let Some(region) = self.state.open_regions.last() {
            return Err(self.wrong(format!("function {region} is not left before the end")));
        }
        if let Some(request) = self.state.requests.front() {
            let what = Call::of(&request.op).map_or("", Call::name);
            return Err(SimulateError::LeftOpen { rank: self.rank, what: format!("its {what}") });
        }
        self.state.until = Until::Ended;
        self.state.times.shrink_to_fit();
        Ok(())
    }

    fn wrong(&self, what: String) -> SimulateError {
        SimulateError::Invalid { rank: self.rank, stage: self.state.stage, what }
    }

    fn check_region(&self, region: u16) -> Result<(), SimulateError> {
        let regions = self.world.program.info().regions.len();
        if usize::from(region) < regions {
            return Ok(());
        }
        Err(self.wrong(format!("there is no function {region}: the program has {regions}")))
    }

    fn check_comm(&self, comm: Comm) -> Result<&Members, SimulateError> {
        let members = members::find(self.world.comms, comm)
            .ok_or_else(|| self.wrong(format!("there is no communicator {}", comm.0)))?;
        if members.position(self.rank).is_none() {
            return Err(self.wrong(format!("it is not in {}", members.name)));
        }
        Ok(members)
    }

    fn check_peer(&self, envelope: &Envelope) -> Result<(), SimulateError> {
        let members = self.check_comm(envelope.comm)?;
        if members.position(envelope.peer).is_none() {
            return Err(self.wrong(format!("rank {} is not in {}", envelope.peer, members.name)));
        }
        Ok(())
    }
}

/// Names a computation among those of its rank.
pub(crate) fn place_of(stage: u32, at: u32) -> u64 {
    u64::from(stage) << 32 | u64::from(at)
}

/// How long a wait takes for a request; `None` for an eager send, which needs no waiting.
fn wait_of(request: &Request, entered: i64, overhead: i64, network: &LogGp) -> Option<i64> {
    let rest = (request.done.unwrap_or(entered) - entered).max(0);
    match request.op {
        Op::Send(send) | Op::Isend(send) if network.is_eager(send.bytes) => None,
        Op::Collective { .. } | Op::Icollective { .. } => Some(rest),
        _ => Some(rest + overhead),
    }
}
