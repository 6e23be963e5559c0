//! Collectives under way: who has entered, and what happens when the last one has.

use std::collections::VecDeque;

use crate::SimulateError;
use crate::algorithms;
use crate::chance::Draw;
use crate::collective::{Algorithm, Collective};
use crate::machine::LATEST;
use crate::members::Members;
use crate::places::Call;
use crate::program::Comm;
use crate::rank::World;
use crate::travel::travel;

/// A member that has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) rank: u32,
    pub(crate) at: i64,
    /// Its request, which is over when the collective is.
    pub(crate) request: u32,
}

/// One collective that some members have entered.
#[derive(Debug)]
pub(crate) struct Instance {
    op: Collective,
    /// Who came first, for messages.
    caller: u32,
    missing: usize,
    entries: Vec<Option<Entry>>,
}

/// The collectives of one communicator.
#[derive(Debug, Default)]
pub(crate) struct Gathering {
    /// How many each member has entered.
    entered: Vec<u32>,
    /// When each member's last one was over.
    over: Vec<i64>,
    /// How many are over for all.
    first: u32,
    open: VecDeque<Instance>,
}

impl Gathering {
    /// A member enters. Gives the members with the times at which they leave, if it was the last to come.
    pub(crate) fn enter(
        &mut self,
        (comm, members): (Comm, &Members),
        op: Collective,
        entry: Entry,
        world: &World<'_>,
    ) -> Result<Vec<Entry>, SimulateError> {
        let Some(mut entries) = self.admit(members, op, entry)? else { return Ok(Vec::new()) };
        // A collective begins for a member when its last one is over: they are not interleaved.
        self.over.resize(members.len(), 0);
        for (over, entry) in self.over.iter_mut().zip(&entries) {
            *over = entry.at.max(*over);
        }
        work_out(&op, (comm, self.first - 1), members, world, &mut self.over)?;
        for (over, entry) in self.over.iter().zip(&mut entries) {
            entry.at = *over;
        }
        Ok(entries)
    }

    /// Notes that a member enters, which must call what those before it did. Gives all entries, if it was the last to come.
    pub(crate) fn admit(
        &mut self,
        members: &Members,
        op: Collective,
        entry: Entry,
    ) -> Result<Option<Vec<Entry>>, SimulateError> {
        self.entered.resize(members.len(), 0);
        // Who is no member does not get here.
        let position = members.position(entry.rank).unwrap_or(0) as usize;
        let which = (self.entered[position] - self.first) as usize;
        self.entered[position] += 1;
        if which == self.open.len() {
            let entries = vec![None; members.len()];
            self.open.push_back(Instance { op, caller: entry.rank, missing: members.len(), entries });
        }
        let instance = &mut self.open[which];
        if instance.op != op {
            return Err(differ(instance, op, entry.rank, members));
        }
        instance.entries[position] = Some(entry);
        instance.missing -= 1;
        if instance.missing > 0 {
            return Ok(None);
        }
        // Everybody has entered the ones before this one too.
        self.first += 1;
        Ok(self.open.pop_front().map(|instance| instance.entries.into_iter().flatten().collect()))
    }

    /// Members that a rank waits for in the collective that a request of it stands for.
    pub(crate) fn missing(&self, members: &Members, rank: u32, request: u32) -> Vec<u32> {
        let Some(position) = members.position(rank) else { return Vec::new() };
        let is_his =
            |instance: &&Instance| instance.entries[position as usize].is_some_and(|entry| entry.request == request);
        let Some(instance) = self.open.iter().find(is_his) else { return Vec::new() };
        let absent = instance.entries.iter().enumerate().filter(|(_, entry)| entry.is_none());
        absent.map(|(position, _)| members.rank(position)).collect()
    }
}

/// When the members leave a collective that is worked out as a whole: the one with this number on its communicator. `times` are
/// when each begins, and then when each is through.
pub(crate) fn work_out(
    op: &Collective,
    (comm, number): (Comm, u32),
    members: &Members,
    world: &World<'_>,
    times: &mut [i64],
) -> Result<(), SimulateError> {
    let (machine, wires) = (world.machine, &world.planted.wires);
    let last = times.iter().copied().max().unwrap_or(0);
    if last as f64 + algorithms::longest(op, times.len(), &wires.slowest()) > LATEST as f64 {
        return Err(SimulateError::TooLong);
    }
    let root = members.position(op.root).unwrap_or(0) as usize;
    if !(wires.tells_apart(members) && travel(op, root, members, wires, times)) {
        algorithms::run(op, root, &wires.usual(last), times);
    }
    if op.algorithm == Algorithm::Synchronising {
        let which = u64::from(comm.0) << 32 | u64::from(number);
        let held_up = if members.len() > 1 { wires.held_up(members, op.bytes, last) } else { 0 };
        for (position, time) in times.iter_mut().enumerate() {
            *time += held_up + machine.jitter(Draw::Collective, members.rank(position), which);
        }
    }
    Ok(())
}

fn differ(instance: &Instance, op: Collective, rank: u32, members: &Members) -> SimulateError {
    let [one, other] = [instance.op, op].map(|op| {
        let root = if op.has_root() { format!(" with root {}", op.root) } else { String::new() };
        format!("{} of {} bytes{root} by {}", Call::blocking(op.kind).name(), op.bytes, op.algorithm.name())
    });
    let (first, name) = (instance.caller, &members.name);
    SimulateError::Options(format!("on {name}, rank {first} calls {one}, where rank {rank} calls {other}"))
}
