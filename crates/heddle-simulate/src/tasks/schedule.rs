//! The run of a factorisation: who did what when, worked out event by event.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::cards::{Cards, Message};
use super::distribution::owners;
use super::graph::{Graph, Task};
use super::options::{Generation, KINDS, TaskOptions};
use super::workers::Workers;
use crate::SimulateError;
use crate::chance::{Draw, factor};
use crate::programs::checks::MOST_NS;

/// Nanoseconds that the program needs to submit a task; every node submits all of them, as StarPU's programs do.
pub(crate) const SUBMIT_NS: i64 = 1_000;

/// The run of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// When all that it waits for was on its node.
    pub(crate) ready: i64,
    pub(crate) start: i64,
    pub(crate) end: i64,
    /// Which worker of its node.
    pub(crate) worker: u32,
}

/// What happened.
#[derive(Debug, PartialEq)]
pub(crate) struct Schedule {
    /// Owners of the tiles, row by row.
    pub(crate) owners: Vec<u32>,
    /// Who generates them.
    pub(crate) generators: Vec<u32>,
    /// By number of the task.
    pub(crate) runs: Vec<Run>,
    /// In the order in which they were sent.
    pub(crate) messages: Vec<Message>,
}

impl Schedule {
    /// The node that runs a task.
    pub(crate) fn node(&self, graph: &Graph, task: Task) -> u32 {
        let of = if task.step.is_none() { &self.generators } else { &self.owners };
        of[(task.row * graph.tiles() + task.column) as usize]
    }
}

/// What happens next. Of two at the same time the one that was known of first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A task has been submitted whose data is there.
    Ready(u32),
    /// A task has ended.
    Ended(u32),
    /// A node's card has sent a message.
    Sent(u32),
    /// A message is there, by its position.
    Arrived(u32),
}

struct Engine<'a> {
    options: &'a TaskOptions,
    graph: &'a Graph,
    schedule: Schedule,
    workers: Vec<Workers>,
    cards: Cards,
    events: BinaryHeap<Reverse<(i64, u64, Event)>>,
    known: u64,
    now: i64,
    /// By number of the task: how much it waits for.
    waits: Vec<u8>,
    /// Tiles that are not generated yet.
    ungenerated: u32,
    /// Tasks that have all they need but the end of the generation.
    held: Vec<u32>,
    /// By node: the last task whose tile was sent there, so that it is sent once.
    sent_to: Vec<u32>,
}

/// Runs the factorisation.
pub(crate) fn schedule(options: &TaskOptions, graph: &Graph) -> Result<Schedule, SimulateError> {
    let of = |loads: &[f64]| owners(options.distribution, options.grid, loads, graph.tiles());
    let owners = of(&options.loads);
    let generators = if options.generation_loads.is_empty() { owners.clone() } else { of(&options.generation_loads) };
    let tasks = graph.len() as usize;
    let unknown = Run { ready: -1, start: -1, end: -1, worker: 0 };
    let schedule = Schedule { owners, generators, runs: vec![unknown; tasks], messages: Vec::new() };
    let mut engine = Engine {
        options,
        graph,
        schedule,
        workers: options.nodes.iter().map(|node| Workers::new(node, graph.urgencies())).collect(),
        cards: Cards::new(options.nodes.iter().map(|node| node.gbit), options.tile_bytes(), options.latency_ns),
        events: BinaryHeap::new(),
        known: 0,
        now: 0,
        waits: vec![0; tasks],
        ungenerated: if options.generation == Generation::Before { graph.generated() } else { 0 },
        held: Vec::new(),
        sent_to: vec![u32::MAX; options.nodes.len()],
    };
    engine.run()?;
    Ok(engine.schedule)
}

impl Engine<'_> {
    fn run(&mut self) -> Result<(), SimulateError> {
        for number in 0..self.graph.len() {
            let waits = self.graph.dependencies(self.graph.task(number)).count() as u8;
            self.waits[number as usize] = waits;
            if waits == 0 {
                self.expect(i64::from(number) * SUBMIT_NS, Event::Ready(number));
            }
        }
        while let Some(Reverse((time, _, event))) = self.events.pop() {
            self.now = time;
            if time > MOST_NS as i64 * 24 * 365 {
                return Err(SimulateError::TooLong);
            }
            match event {
                Event::Ready(number) => self.ready(number),
                Event::Ended(number) => self.ended(number),
                Event::Sent(node) => {
                    self.cards.sent(node);
                    self.send(node);
                }
                Event::Arrived(position) => {
                    let Message { task, to, .. } = self.schedule.messages[position as usize];
                    self.there(task, to);
                }
            }
        }
        Ok(())
    }

    fn expect(&mut self, time: i64, event: Event) {
        self.events.push(Reverse((time, self.known, event)));
        self.known += 1;
    }

    /// By kind of worker: how long the kernel of a task takes on a node, as its scheduler believes.
    fn times(&self, number: u32, node: u32) -> [Option<i64>; KINDS.len()] {
        times(self.options, self.graph, number, node)
    }

    fn ready(&mut self, number: u32) {
        let task = self.graph.task(number);
        let node = self.schedule.node(self.graph, task);
        self.schedule.runs[number as usize].ready = self.now;
        let times = self.times(number, node);
        let kind = self.workers[node as usize].push(number, task.urgency(), times, self.now);
        self.start(node, kind);
    }

    /// Lets a worker of a kind begin, if there is one and something to do.
    fn start(&mut self, node: u32, kind: usize) {
        let (options, graph) = (self.options, self.graph);
        let time = |number| times(options, graph, number, node)[kind].unwrap_or(0);
        let Some(given) = self.workers[node as usize].start(kind, time) else { return };
        let chance = factor(options.seed, Draw::Compute, node, given.task.into(), options.noise);
        let end = self.now + ((time(given.task) as f64 * chance) as i64).max(1);
        self.workers[node as usize].busy(given.kind, end);
        let run = &mut self.schedule.runs[given.task as usize];
        (run.start, run.end, run.worker) = (self.now, end, given.worker);
        self.expect(end, Event::Ended(given.task));
    }

    fn ended(&mut self, number: u32) {
        let task = self.graph.task(number);
        let node = self.schedule.node(self.graph, task);
        let worker = self.schedule.runs[number as usize].worker;
        let kind = self.workers[node as usize].ended(worker, self.now);
        self.there(number, node);
        self.post(number, task, node);
        if task.step.is_none() && self.ungenerated > 0 {
            self.ungenerated -= 1;
            if self.ungenerated == 0 {
                let held = std::mem::take(&mut self.held);
                for number in held {
                    self.has_all(number);
                }
            }
        }
        self.start(node, kind);
    }

    /// Sends the tile of a task to all nodes that read it, once to each.
    fn post(&mut self, number: u32, task: Task, node: u32) {
        let urgency = task.urgency();
        for after in task.next_on_tile().into_iter().chain(self.graph.readers(task)) {
            let to = self.schedule.node(self.graph, after);
            if to != node && std::mem::replace(&mut self.sent_to[to as usize], number) != number {
                self.cards.post(node, to, number, urgency);
            }
        }
        self.send(node);
    }

    fn send(&mut self, node: u32) {
        let Some((message, free)) = self.cards.send(node, self.now) else { return };
        let position = self.schedule.messages.len() as u32;
        self.schedule.messages.push(message);
        self.expect(free, Event::Sent(node));
        self.expect(message.arrived, Event::Arrived(position));
    }

    /// What a task wrote is on a node: tasks there that read it wait for one thing less.
    fn there(&mut self, number: u32, node: u32) {
        let task = self.graph.task(number);
        for after in task.next_on_tile().into_iter().chain(self.graph.readers(task)) {
            if self.schedule.node(self.graph, after) != node {
                continue;
            }
            let after = self.graph.number(after);
            let waits = &mut self.waits[after as usize];
            *waits -= 1;
            if *waits == 0 {
                self.has_all(after);
            }
        }
    }

    /// A task has all that it needs; it is ready as soon as it is submitted and generation is over, where that counts.
    fn has_all(&mut self, number: u32) {
        if self.ungenerated > 0 {
            self.held.push(number);
            return;
        }
        let submitted = i64::from(number) * SUBMIT_NS;
        if submitted > self.now { self.expect(submitted, Event::Ready(number)) } else { self.ready(number) }
    }
}

fn times(options: &TaskOptions, graph: &Graph, number: u32, node: u32) -> [Option<i64>; KINDS.len()] {
    let kernel = graph.kernel(graph.task(number));
    let speed = options.nodes[node as usize].speed;
    std::array::from_fn(|kind| options.times.of(kernel, kind).map(|ns| ((ns as f64 / speed) as i64).max(1)))
}
