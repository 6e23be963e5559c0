//! Steps of the events of each phase, counted from the phase's first.
//!
//! All phases are walked at once, stride by stride. What has the same stride is visited row by row, so memory is read in
//! order wherever phases are short, and threads have enough to share.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use heddle_store::{Progress, StoreError};
use rayon::prelude::*;

use super::collectives::Collectives;
use super::order::{Contradictions, resolve};
use super::partitions::Partitions;
use crate::{Events, Kind, Stepping};

const NONE: u32 = u32::MAX;

/// Nodes that are worth another thread.
const GRAIN: usize = 1 << 11;

/// Steps inside phases.
pub(super) struct LocalSteps {
    /// The step of each event, counted from 1 in its phase.
    pub(super) step: Vec<u32>,
    /// How many steps each phase has.
    pub(super) length: Vec<u32>,
    /// Phases in which collectives were taken apart, ascending.
    pub(super) split: Vec<u32>,
}

/// Steps of all phases.
pub(super) fn steps(
    events: &Events,
    parts: &Partitions,
    stepping: Stepping,
    progress: &dyn Progress,
) -> Result<LocalSteps, StoreError> {
    let mut stepper = Stepper::new(events, parts, stepping == Stepping::Earliest);
    let rows: Vec<Range<u32>> = events.first_of_row.windows(2).map(|row| row[0]..row[1]).collect();
    let mut split = Vec::new();
    let mut stuck = stepper.walk(&rows, progress)?;
    // Collectives are taken apart first; if that is not enough, messages contradict each other.
    for _ in 0..2 {
        if stuck.is_empty() {
            break;
        }
        if split.is_empty() {
            split.clone_from(&stuck);
        }
        let found: Vec<Vec<(u32, u32)>> = stuck.par_iter().map(|&part| resolve(&stepper, part)).collect();
        stepper.contradictions = Contradictions::new(found.concat());
        let runs = stuck.iter().flat_map(|&part| parts.starts(part));
        let mut runs: Vec<Range<u32>> = runs.map(|&start| start..parts.run_end(start)).collect();
        runs.par_sort_unstable_by_key(|run| run.start);
        stuck = stepper.walk(&runs, progress)?;
    }
    let plain = |values: Vec<AtomicU32>| values.into_iter().map(AtomicU32::into_inner).collect();
    Ok(LocalSteps { step: plain(stepper.step), length: plain(stepper.top), split })
}

/// The order inside phases: nodes, and how many others each waits for.
///
/// A node is a send, or a collective with all its members. Receives are not, unless every event is to come as early as
/// possible. A node is named by its event, of several the first.
pub(super) struct Stepper<'a> {
    events: &'a Events,
    parts: &'a Partitions<'a>,
    collectives: Collectives<'a>,
    contradictions: Contradictions,
    is_earliest: bool,
    /// Where the messages of each event begin.
    first_message: Vec<u32>,
    /// The step, from 1. Of a receive that has none yet: the largest of its senders', 0 if none.
    step: Vec<AtomicU32>,
    /// Of a node: how many others it waits for; of a receive: the node behind it; of a collective event: its slot.
    link: Vec<AtomicU32>,
    /// The largest step of each phase so far.
    top: Vec<AtomicU32>,
}

impl<'a> Stepper<'a> {
    fn new(events: &'a Events, parts: &'a Partitions<'a>, is_earliest: bool) -> Stepper<'a> {
        let zeros = |count: usize| (0..count).into_par_iter().map(|_| AtomicU32::new(0)).collect();
        let count = events.kind.len();
        let link: Vec<AtomicU32> = zeros(count);
        Stepper {
            events,
            parts,
            collectives: Collectives::new(events, &link),
            contradictions: Contradictions::default(),
            is_earliest,
            first_message: first_messages(events),
            step: zeros(count),
            link,
            top: zeros(parts.len() as usize),
        }
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
        let messages = &self.events.messages[if is_send { range } else { 0..0 }];
        messages.iter().map(|&(_, receive)| receive).filter(|&receive| self.kind(receive) == Kind::Receive)
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

    /// The node that an event belongs to.
    pub(super) fn node_of(&self, event: u32) -> u32 {
        self.slot_of(event).map_or(event, |slot| self.collectives.event(slot))
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

    /// Calls `visit` for each event of a node.
    fn for_events(&self, node: u32, mut visit: impl FnMut(u32)) {
        match self.slot_of(node) {
            Some(slot) => self.collectives.members(slot).for_each(visit),
            None => visit(node),
        }
    }

    /// The nodes among some events.
    fn nodes(&self, events: Range<u32>) -> impl Iterator<Item = u32> {
        events.filter(|&event| self.is_node(event) && self.node_of(event) == event)
    }

    /// The nodes of a phase.
    pub(super) fn nodes_of(&self, part: u32) -> impl Iterator<Item = u32> {
        self.parts.starts(part).iter().flat_map(|&start| self.nodes(start..self.parts.run_end(start)))
    }

    /// Calls `visit` for each event whose node has to come after a node; for each receive of what it sends, with the event
    /// whose node has to wait for it, if any.
    pub(super) fn for_edges(&self, node: u32, mut visit: impl FnMut(Option<u32>, Option<u32>)) {
        self.for_events(node, |event| {
            if let Some(next) = self.node_behind(event) {
                visit(Some(next), None);
            }
            for receive in self.receives(event) {
                let target = self.node_at(receive);
                if self.contradictions.is_empty()
                    || target.is_none_or(|target| !self.contradictions.contain(node, self.node_of(target)))
                {
                    visit(target, Some(receive));
                }
            }
        });
    }

    /// Gives steps to the phases that have all their events in `ranges`. Gives the phases in which nodes wait in vain,
    /// ascending.
    fn walk(&self, ranges: &[Range<u32>], progress: &dyn Progress) -> Result<Vec<u32>, StoreError> {
        ranges.par_iter().try_for_each(|range| self.prepare(range.clone(), progress))?;
        ranges.par_iter().try_for_each(|range| {
            for node in self.nodes(range.clone()) {
                self.for_edges(node, |target, _| {
                    if let Some(target) = target {
                        self.waits(target).fetch_add(1, Relaxed);
                    }
                });
            }
            progress.check()
        })?;
        let is_free = |&node: &u32| self.waits(node).load(Relaxed) == 0;
        let nodes: usize = ranges.par_iter().map(|range| self.nodes(range.clone()).count()).sum();
        let free = ranges.par_iter().flat_map_iter(|range| self.nodes(range.clone()).filter(is_free));
        let mut now: Vec<u32> = free.collect();
        let (mut done, mut told, mut strides) = (0, 0, 0u32);
        while !now.is_empty() {
            strides += 1;
            if strides.is_multiple_of(1 << 10) || now.len() > 1 << 16 {
                progress.check()?;
                progress.advance((done - told) as u64);
                told = done;
            }
            done += now.len();
            now = self.stride(&now, strides);
        }
        ranges.par_iter().try_for_each(|range| {
            self.finish(range.clone());
            progress.check()
        })?;
        if done == nodes {
            return Ok(Vec::new());
        }
        let stuck = ranges.par_iter().flat_map_iter(|range| self.nodes(range.clone()).filter(|node| !is_free(node)));
        let mut stuck: Vec<u32> = stuck.map(|node| self.parts.of[node as usize]).collect();
        stuck.par_sort_unstable();
        stuck.dedup();
        Ok(stuck)
    }

    /// Clears the steps of events, and links receives to the nodes behind them.
    fn prepare(&self, events: Range<u32>, progress: &dyn Progress) -> Result<(), StoreError> {
        let mut behind = NONE;
        for event in events.rev() {
            self.step[event as usize].store(0, Relaxed);
            if self.is_node(event) {
                self.waits(event).store(0, Relaxed);
                behind = event;
            } else {
                self.link[event as usize].store(behind, Relaxed);
            }
            if !self.parts.continues(event) {
                self.top[self.parts.of[event as usize] as usize].store(0, Relaxed);
                behind = NONE;
            }
        }
        progress.check()
    }

    /// Gives a step to nodes that wait for nothing. Gives the nodes that then wait for nothing.
    ///
    /// Every one of these nodes but the first of a phase waited for one that has just got the largest step of the phase.
    /// So that step reaches `top` with the receives before the node, or with the node before it.
    fn stride(&self, now: &[u32], strides: u32) -> Vec<u32> {
        let fit_in = |&node: &u32| {
            let mut top = 0;
            self.for_events(node, |event| {
                if self.parts.continues(event) {
                    top = top.max(self.step_receives(event - 1));
                }
            });
            raise(&self.top[self.parts.of[node as usize] as usize], top);
        };
        let put = |nodes: &[u32]| {
            let mut next = Vec::new();
            for &node in nodes {
                let top = self.top[self.parts.of[node as usize] as usize].load(Relaxed);
                let step = if self.is_earliest { strides } else { top + 1 };
                self.for_events(node, |event| self.step[event as usize].store(step, Relaxed));
                self.for_edges(node, |target, receive| {
                    if let Some(receive) = receive {
                        raise(&self.step[receive as usize], step);
                    }
                    if let Some(target) = target
                        && self.waits(target).fetch_sub(1, Relaxed) == 1
                    {
                        next.push(self.node_of(target));
                    }
                });
            }
            next
        };
        let is_small = now.len() < 2 * GRAIN;
        match (self.is_earliest, is_small) {
            (true, _) => {}
            (false, true) => now.iter().for_each(fit_in),
            (false, false) => now.par_iter().with_min_len(GRAIN).for_each(fit_in),
        }
        if is_small { put(now) } else { now.par_chunks(GRAIN).flat_map_iter(put).collect() }
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

    /// Gives steps to receives that no node follows, and notes how many steps phases have.
    fn finish(&self, events: Range<u32>) {
        for event in events.clone() {
            let own = &self.step[event as usize];
            if !self.is_node(event) && self.link[event as usize].load(Relaxed) == NONE {
                let before = if self.parts.continues(event) { self.step[event as usize - 1].load(Relaxed) } else { 0 };
                own.store(1 + before.max(own.load(Relaxed)), Relaxed);
            }
            if event + 1 == events.end || !self.parts.continues(event + 1) {
                raise(&self.top[self.parts.of[event as usize] as usize], own.load(Relaxed));
            }
        }
    }
}

/// Most values change nothing, and looking is cheaper than writing.
fn raise(most: &AtomicU32, value: u32) {
    if value > most.load(Relaxed) {
        most.fetch_max(value, Relaxed);
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
