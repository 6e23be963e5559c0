//! Says why a program cannot go on.
//!
//! Every rank that has not ended waits for something that another has to do. Following these leads to one that has
//! ended, or around in a circle; of the circles, a short one is told.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::SimulateError;
use crate::error::Wait;
use crate::gathering::Gathering;
use crate::places::Call;
use crate::program::{Op, Ops};
use crate::rank::World;
use crate::state::{RankState, Until};

/// From so many ranks of a circle a shorter one is looked for.
const MOST_TRIED: usize = 64;

/// The error for ranks of which some have not ended and none can run.
pub(crate) fn report(world: &World<'_>, ranks: &[RankState], gatherings: &[Gathering]) -> SimulateError {
    let scene = Scene { world, ranks, gatherings };
    let mut path: Vec<Wait> = Vec::new();
    let mut seen = FxHashMap::default();
    let mut at = (0..).zip(ranks).find(|(_, state)| state.until != Until::Ended).map_or(0, |(rank, _)| rank);
    loop {
        if let Some(start) = seen.insert(at, path.len()) {
            return SimulateError::Deadlock { waits: scene.shorter(path.split_off(start)) };
        }
        let Some(wait) = scene.waits(at).into_iter().next() else { break };
        at = wait.on;
        let has_ended = wait.has_ended;
        path.push(wait);
        if has_ended {
            break;
        }
    }
    SimulateError::Deadlock { waits: path.pop().into_iter().collect() }
}

struct Scene<'a> {
    world: &'a World<'a>,
    ranks: &'a [RankState],
    gatherings: &'a [Gathering],
}

impl Scene<'_> {
    /// Everything that a rank waits for.
    fn waits(&self, rank: u32) -> Vec<Wait> {
        let state = &self.ranks[rank as usize];
        let mut ops = Ops::default();
        self.world.program.stage(rank, state.stage, &mut ops);
        let call = ops.list.get(state.at as usize).and_then(Call::of).map_or("", Call::name);
        let mut waits = Vec::new();
        let mut add = |on: u32, what: String| {
            let has_ended = self.ranks[on as usize].until == Until::Ended;
            waits.push(Wait { rank, on, text: format!("waits in {call} {what}"), has_ended });
        };
        for (number, request) in state.waits_for() {
            match request.op {
                Op::Send(send) | Op::Isend(send) => {
                    add(send.peer, format!("until rank {} posts a receive (tag {})", send.peer, send.tag));
                }
                Op::Recv(receive) | Op::Irecv(receive) => {
                    add(receive.peer, format!("for a message from rank {} (tag {})", receive.peer, receive.tag));
                }
                Op::Collective { op, comm } | Op::Icollective { op, comm } => {
                    let members = &self.world.comms[comm.0 as usize];
                    let name = Call::blocking(op.kind).name();
                    for absent in self.gatherings[comm.0 as usize].missing(members, rank, number) {
                        add(absent, format!("until rank {absent} comes to the {name} on {}", members.name));
                    }
                }
                _ => {}
            }
        }
        waits
    }

    /// A shortest circle through one of the ranks of this one, from its first rank on.
    fn shorter(&self, circle: Vec<Wait>) -> Vec<Wait> {
        let mut known: FxHashMap<u32, Vec<Wait>> = FxHashMap::default();
        let mut best = circle;
        for start in best.iter().map(|wait| wait.rank).take(MOST_TRIED).collect::<Vec<_>>() {
            if let Some(found) = self.around(start, &mut known).filter(|found| found.len() < best.len()) {
                best = found;
            }
        }
        let first = best.iter().enumerate().min_by_key(|(_, wait)| wait.rank).map_or(0, |(at, _)| at);
        best.rotate_left(first);
        best
    }

    /// The shortest way from a rank back to it.
    fn around(&self, start: u32, known: &mut FxHashMap<u32, Vec<Wait>>) -> Option<Vec<Wait>> {
        let mut came: FxHashMap<u32, Wait> = FxHashMap::default();
        let mut next = VecDeque::from([start]);
        while let Some(rank) = next.pop_front() {
            for wait in known.entry(rank).or_insert_with(|| self.waits(rank)).iter().filter(|wait| !wait.has_ended) {
                if came.contains_key(&wait.on) {
                    continue;
                }
                came.insert(wait.on, wait.clone());
                if wait.on != start {
                    next.push_back(wait.on);
                    continue;
                }
                let mut path = Vec::new();
                let mut at = start;
                while let Some(wait) = came.get(&at) {
                    path.push(wait.clone());
                    at = wait.rank;
                    if at == start {
                        break;
                    }
                }
                path.reverse();
                return Some(path);
            }
        }
        None
    }
}
