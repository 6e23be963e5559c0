//! Steps of the events of each phase, counted from the phase's first.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use heddle_store::{Progress, StoreError};
use rayon::prelude::*;

use super::collectives::Collectives;
use super::order::{self, Contradictions};
use super::partitions::Partitions;
use crate::{Events, Kind, Stepping};

const NONE: u32 = u32::MAX;

/// Steps inside phases.
pub(super) struct LocalSteps {
    /// The step of each event, counted from 1 in its phase.
    pub(super) step: Vec<u32>,
    /// How many steps each phase has.
    pub(super) length: Vec<u32>,
    /// Phases in which collectives were taken apart, ascending.
    pub(super) split: Vec<u32>,
}

/// Steps of all phases; they are independent of each other and done side by side.
pub(super) fn steps(
    events: &Events,
    parts: &Partitions,
    stepping: Stepping,
    progress: &dyn Progress,
) -> Result<LocalSteps, StoreError> {
    let stepper = Stepper::new(events, parts, stepping == Stepping::Earliest, progress);
    let split = Mutex::new(Vec::new());
    let mut length = vec![0; parts.len() as usize];
    let open = AtomicU64::new(0);
    length.par_iter_mut().enumerate().with_min_len(64).try_for_each_init(
        Scratch::default,
        |scratch, (part, length)| {
            let part = part as u32;
            let outcome = stepper.step(part, scratch)?;
            *length = outcome.length;
            if outcome.is_split
                && let Ok(mut split) = split.lock()
            {
                split.push(part);
            }
            // Told in lumps: there may be millions of phases.
            let done = open.fetch_add(u64::from(outcome.events), Relaxed);
            if done >= 1 << 18 {
                progress.advance(open.swap(0, Relaxed));
                progress.check()?;
            }
            Ok(())
        },
    )?;
    let mut split = split.into_inner().unwrap_or_default();
    split.sort_unstable();
    Ok(LocalSteps { step: stepper.step.into_iter().map(AtomicU32::into_inner).collect(), length, split })
}

/// What a thread needs for one phase, kept for the next.
#[derive(Default)]
struct Scratch {
    /// Nodes of one stride.
    now: Vec<u32>,
    /// Nodes of the next.
    next: Vec<u32>,
    contradictions: Contradictions,
}

struct Outcome {
    length: u32,
    events: u32,
    is_split: bool,
}

/// The order inside phases: nodes, and how many others each waits for.
///
/// A node is a send, or a collective with all its members. Receives are not, unless every event is to come as early as
/// possible. Each event is touched by the thread of its phase only: the atomics cost nothing and never contend.
pub(super) struct Stepper<'a> {
    events: &'a Events,
    parts: &'a Partitions<'a>,
    collectives: Collectives<'a>,
    is_earliest: bool,
    /// Where the messages of each event begin.
    first_message: Vec<u32>,
    /// The step, from 1. Of a receive that has none yet: the largest of its senders', 0 if none.
    step: Vec<AtomicU32>,
    /// Of a node: how many others it waits for; of a receive: the node behind it; of a collective event: its slot.
    link: Vec<AtomicU32>,
    progress: &'a dyn Progress,
}

impl<'a> Stepper<'a> {
    fn new(
        events: &'a Events,
        parts: &'a Partitions<'a>,
        is_earliest: bool,
        progress: &'a dyn Progress,
    ) -> Stepper<'a> {
        let count = events.kind.len();
        let zeros = || (0..count).into_par_iter().map(|_| AtomicU32::new(0)).collect();
        let link: Vec<AtomicU32> = zeros();
        let collectives = Collectives::new(events, &link);
        let first_message = first_messages(events);
        Stepper { events, parts, collectives, is_earliest, first_message, step: zeros(), link, progress }
    }

    fn kind(&self, event: u32) -> Kind {
        self.events.kind[event as usize]
    }

    /// Whether an event is a node or part of one.
    fn is_node(&self, event: u32) -> bool {
        self.is_earliest || self.kind(event) != Kind::Receive
    }

    /// The receives of what an event sends.
    fn receives(&self, event: u32) -> impl Iterator<Item = u32> {
        let range = self.first_message[event as usize] as usize..self.first_message[event as usize + 1] as usize;
        let is_send = self.kind(event) == Kind::Send;
        self.events.messages[if is_send { range } else { 0..0 }]
            .iter()
            .map(|&(_, receive)| receive)
            .filter(|&receive| self.kind(receive) == Kind::Receive)
    }

    /// The event at which the first node at or behind an event stands, in the same run.
    fn node_at(&self, event: u32) -> Option<u32> {
        if self.is_node(event) {
            return Some(event);
        }
        let node = self.link[event as usize].load(Relaxed);
        (node != NONE).then_some(node)
    }

    /// The event at which the next node behind an event stands, in the same run.
    fn node_behind(&self, event: u32) -> Option<u32> {
        let next = event + 1;
        ((next as usize) < self.events.kind.len() && self.parts.continues(next)).then(|| self.node_at(next)).flatten()
    }

    /// The event that stands for the node an event belongs to.
    pub(super) fn node_of(&self, event: u32) -> u32 {
        if self.kind(event) != Kind::Collective {
            return event;
        }
        let standing = self.collectives.standing(self.link[event as usize].load(Relaxed));
        self.collectives.members(standing).next().unwrap_or(event)
    }

    /// The slot that stands for the node of a collective event.
    fn slot_of(&self, event: u32) -> Option<u32> {
        (self.kind(event) == Kind::Collective)
            .then(|| self.collectives.standing(self.link[event as usize].load(Relaxed)))
    }

    /// Takes a node apart if it is a collective of several. Whether it was.
    pub(super) fn split(&self, node: u32) -> bool {
        self.slot_of(node).is_some_and(|slot| self.collectives.split(slot))
    }

    /// How many others the node of an event waits for.
    pub(super) fn waits(&self, event: u32) -> &AtomicU32 {
        match self.slot_of(event) {
            Some(slot) => &self.collectives.waits[slot as usize],
            None => &self.link[event as usize],
        }
    }

    /// Calls `visit` for each event of the node that an event stands for.
    fn for_events(&self, node: u32, mut visit: impl FnMut(u32)) {
        match self.slot_of(node) {
            Some(slot) => self.collectives.members(slot).for_each(visit),
            None => visit(node),
        }
    }

    /// The steps of a phase.
    fn step(&self, part: u32, scratch: &mut Scratch) -> Result<Outcome, StoreError> {
        scratch.contradictions.clear();
        let mut is_split = false;
        loop {
            let (nodes, events) = self.prepare(part, scratch);
            let (done, length) = self.walk(part, scratch)?;
            if done == nodes {
                return Ok(Outcome { length, events, is_split });
            }
            is_split = true;
            if !order::resolve(self, part, &mut scratch.contradictions) {
                // Nothing is left to take apart: cannot be, and if it were, what is done is all there is.
                return Ok(Outcome { length, events, is_split });
            }
        }
    }

    /// Counts what each node of a phase waits for. Gives how many nodes and events there are; nodes that wait for nothing
    /// are in `scratch.now`.
    fn prepare(&self, part: u32, scratch: &mut Scratch) -> (usize, u32) {
        let starts = self.parts.starts(part);
        let mut events = 0;
        for &start in starts {
            let end = self.parts.run_end(start);
            events += end - start;
            let mut behind = NONE;
            for event in (start..end).rev() {
                self.step[event as usize].store(0, Relaxed);
                if self.is_node(event) {
                    self.waits(event).store(0, Relaxed);
                    behind = event;
                } else {
                    self.link[event as usize].store(behind, Relaxed);
                }
            }
        }
        self.for_nodes(part, |node| {
            self.for_edges(node, &scratch.contradictions, |target, _| {
                if let Some(target) = target {
                    let waits = self.waits(target);
                    waits.store(waits.load(Relaxed) + 1, Relaxed);
                }
            });
        });
        scratch.now.clear();
        let mut nodes = 0;
        self.for_nodes(part, |node| {
            nodes += 1;
            if self.waits(node).load(Relaxed) == 0 {
                scratch.now.push(node);
            }
        });
        (nodes, events)
    }

    /// Calls `visit` for each node of a phase, by the event that stands for it.
    pub(super) fn for_nodes(&self, part: u32, mut visit: impl FnMut(u32)) {
        for &start in self.parts.starts(part) {
            for event in start..self.parts.run_end(start) {
                if self.is_node(event) && self.node_of(event) == event {
                    visit(event);
                }
            }
        }
    }

    /// Calls `visit` for each node that has to come after a node; for each receive of what it sends, with the node that has
    /// to wait for it, if any.
    pub(super) fn for_edges(
        &self,
        node: u32,
        contradictions: &Contradictions,
        mut visit: impl FnMut(Option<u32>, Option<u32>),
    ) {
        self.for_events(node, |event| {
            if let Some(next) = self.node_behind(event) {
                visit(Some(next), None);
            }
            for receive in self.receives(event) {
                let target = self.node_at(receive);
                if contradictions.is_empty()
                    || target.is_none_or(|target| !contradictions.contain(node, self.node_of(target)))
                {
                    visit(target, Some(receive));
                }
            }
        });
    }

    /// Gives steps, stride by stride. Gives how many nodes got one, and how many steps there are.
    fn walk(&self, part: u32, scratch: &mut Scratch) -> Result<(usize, u32), StoreError> {
        let Scratch { now, next, contradictions } = scratch;
        let (mut done, mut top, mut strides) = (0, 0, 0u32);
        while !now.is_empty() {
            strides += 1;
            if strides.is_multiple_of(1 << 10) {
                self.progress.check()?;
            }
            done += now.len();
            if !self.is_earliest {
                for &node in &*now {
                    self.for_events(node, |event| {
                        if self.parts.continues(event) {
                            top = top.max(self.step_receives(event - 1));
                        }
                    });
                }
            }
            top += 1;
            next.clear();
            for &node in &*now {
                self.for_events(node, |event| self.step[event as usize].store(top, Relaxed));
                self.for_edges(node, contradictions, |target, receive| {
                    if let Some(receive) = receive {
                        let sender = &self.step[receive as usize];
                        sender.store(top.max(sender.load(Relaxed)), Relaxed);
                    }
                    if let Some(target) = target {
                        let waits = self.waits(target);
                        let left = waits.load(Relaxed) - 1;
                        waits.store(left, Relaxed);
                        if left == 0 {
                            next.push(self.node_of(target));
                        }
                    }
                });
            }
            std::mem::swap(now, next);
        }
        if !self.is_earliest {
            for &start in self.parts.starts(part) {
                top = top.max(self.step_receives(self.parts.run_end(start) - 1));
            }
        }
        Ok((done, top))
    }

    /// Gives steps to the receives up to and including `last`, behind the node before them. Gives the last step.
    fn step_receives(&self, last: u32) -> u32 {
        let (mut first, mut step) = (last + 1, 0);
        loop {
            if self.kind(first - 1) != Kind::Receive {
                step = self.step[first as usize - 1].load(Relaxed);
                break;
            }
            first -= 1;
            if !self.parts.continues(first) {
                break;
            }
        }
        for receive in first..=last {
            let own = &self.step[receive as usize];
            step = 1 + step.max(own.load(Relaxed));
            own.store(step, Relaxed);
        }
        step
    }
}

/// Where the messages of each event begin, and behind the last event their number.
fn first_messages(events: &Events) -> Vec<u32> {
    let mut first = vec![0; events.kind.len() + 1];
    let mut event = 0;
    for (message, &(send, _)) in (0..).zip(&events.messages) {
        while event <= send {
            first[event as usize] = message;
            event += 1;
        }
    }
    first[event as usize..].fill(events.messages.len() as u32);
    first
}
