//! A run of tasks, replayed with some tasks or messages shorter.
//!
//! Traces seldom say which message a task waited for. So a task begins, as it did, some time after the last thing that
//! happened before it on its node: the end of a task or the arrival of a message; and never before its worker is free.
//! Whatever came earlier of the same sort must have come earlier in the replay as well. That is more than the program asks
//! for, so what a replay gains is rather too little than too much. Unchanged, it gives the run back to the nanosecond.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use heddle_store::{Cursor, Progress, StoreError};
use rustc_hash::FxHashMap;

use super::scene::Scene;

/// What is to be shorter, as factors.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// By node: its tasks.
    pub(crate) tasks: Vec<f64>,
    /// By node: messages from it and to it; the shorter of both ends counts.
    pub(crate) cards: Vec<f64>,
    /// Messages between two nodes, the smaller first.
    pub(crate) pairs: FxHashMap<(u32, u32), f64>,
    /// All messages.
    pub(crate) network: f64,
}

impl Change {
    /// The run as it was.
    pub(crate) fn none(nodes: usize) -> Change {
        Change { tasks: vec![1.0; nodes], cards: vec![1.0; nodes], pairs: FxHashMap::default(), network: 1.0 }
    }

    /// Both.
    pub(crate) fn and(&self, other: &Change) -> Change {
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).collect();
        let mut pairs = self.pairs.clone();
        for (pair, factor) in &other.pairs {
            *pairs.entry(*pair).or_insert(1.0) *= factor;
        }
        Change {
            tasks: product(&self.tasks, &other.tasks),
            cards: product(&self.cards, &other.cards),
            pairs,
            network: self.network * other.network,
        }
    }

    fn of_message(&self, from: u32, to: u32) -> f64 {
        let card = self.cards[from as usize].min(self.cards[to as usize]);
        let pair = if self.pairs.is_empty() { None } else { self.pairs.get(&(from.min(to), from.max(to))) };
        self.network * card * pair.copied().unwrap_or(1.0)
    }
}

/// What happens next, in the order in which it is looked at if several things happen at once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Ended,
    Arrived,
    Starts,
    Sends,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    time: i64,
    what: What,
    /// A worker, or a sender.
    stream: u32,
    /// A row of the tasks or messages; of what ends the node.
    row: u64,
    /// When it is in the replay, of what ends.
    replayed: i64,
}

/// When something was, and when it is in the replay.
type Twice = (i64, i64);

/// Events between two questions whether to go on.
const CHECK_EVERY: u64 = 1 << 18;

struct Engine<'a> {
    scene: &'a Scene<'a>,
    change: &'a Change,
    events: BinaryHeap<Reverse<Event>>,
    spans: Vec<Spans<'a>>,
    /// By node: the last task that ended, the last message that came, the last that was sent.
    ended: Vec<Twice>,
    arrived: Vec<Twice>,
    sent: Vec<Option<Twice>>,
    /// By worker: its last task's end.
    free: Vec<Option<Twice>>,
    last: i64,
}

/// Columns of a worker's tasks.
struct Spans<'a> {
    span: Cursor<'a, heddle_model::SpanRow>,
    start: Cursor<'a, heddle_model::Ns>,
    end: Cursor<'a, heddle_model::Ns>,
}

/// How long the run takes with a change.
pub(crate) fn replay(
    scene: &Scene<'_>,
    begin: i64,
    change: &Change,
    progress: &dyn Progress,
) -> Result<i64, StoreError> {
    let (store, nodes) = (scene.store, scene.nodes());
    let spans = |_: &_| Spans {
        span: store.tasks.span.cursor(),
        start: store.spans.start.cursor(),
        end: store.spans.end.cursor(),
    };
    let mut engine = Engine {
        scene,
        change,
        events: BinaryHeap::new(),
        spans: scene.rows.iter().map(spans).collect(),
        ended: vec![(begin, begin); nodes],
        arrived: vec![(begin, begin); nodes],
        sent: vec![None; nodes],
        free: vec![None; scene.rows.len()],
        last: begin,
    };
    for worker in 0..scene.rows.len() {
        engine.expect_task(worker, scene.rows[worker].start);
    }
    for (sender, (_, rows)) in scene.senders.iter().enumerate() {
        engine.expect_message(sender, rows.start);
    }
    let mut count = 0;
    while let Some(Reverse(event)) = engine.events.pop() {
        if count % CHECK_EVERY == 0 {
            progress.check()?;
        }
        count += 1;
        engine.step(event);
    }
    Ok(engine.last - begin)
}

/// A time by a factor; as it is where nothing changes.
fn scaled(time: i64, factor: f64) -> i64 {
    if factor < 1.0 { (time as f64 * factor) as i64 } else { time }
}

impl Engine<'_> {
    fn expect_task(&mut self, worker: usize, row: u64) {
        if row < self.scene.rows[worker].end {
            let spans = &mut self.spans[worker];
            let time = spans.start.get(spans.span.get(row).0).0;
            let event = Event { time, what: What::Starts, stream: worker as u32, row, replayed: 0 };
            self.events.push(Reverse(event));
        }
    }

    fn expect_message(&mut self, sender: usize, row: u64) {
        if row < self.scene.senders[sender].1.end {
            let time = self.scene.store.messages.send.get(row).0;
            self.events.push(Reverse(Event { time, what: What::Sends, stream: sender as u32, row, replayed: 0 }));
        }
    }

    fn step(&mut self, event: Event) {
        let Event { time, what, stream, row, replayed } = event;
        let at = stream as usize;
        match what {
            What::Ended => {
                let node = row as usize;
                self.free[at] = Some((time, replayed.max(self.free[at].map_or(replayed, |free| free.1))));
                self.ended[node] = (time, replayed.max(self.ended[node].1));
                self.last = self.last.max(replayed);
            }
            What::Arrived => self.arrived[row as usize] = (time, replayed.max(self.arrived[row as usize].1)),
            What::Starts => self.start(at, time, row),
            What::Sends => self.send(at, time, row),
        }
    }

    fn start(&mut self, worker: usize, time: i64, row: u64) {
        let node = self.scene.crew().workers[worker].node;
        let at = node as usize;
        let free = self.free[worker];
        let (before, since) = self.ended[at].max(self.arrived[at]).max(free.unwrap_or((i64::MIN, i64::MIN)));
        let since = since.max(free.map_or(i64::MIN, |free| free.1));
        let begins = since + (time - before).max(0);
        let spans = &mut self.spans[worker];
        let end = spans.end.get(spans.span.get(row).0).0.max(time);
        let replayed = begins + scaled(end - time, self.change.tasks[at]);
        let ends = Event { time: end, what: What::Ended, stream: worker as u32, row: node.into(), replayed };
        self.events.push(Reverse(ends));
        self.expect_task(worker, row + 1);
    }

    fn send(&mut self, sender: usize, time: i64, row: u64) {
        let from = self.scene.senders[sender].0;
        let messages = &self.scene.store.messages;
        if let Some(to) = self.scene.node(messages.recv_location.get(row)).filter(|to| *to != from) {
            let factor = self.change.of_message(from, to);
            let (ended, sent) = (self.ended[from as usize], self.sent[from as usize]);
            // A card that was busy sends the next one when it is done: sooner, if it is faster.
            let (before, since) = ended.max(sent.unwrap_or(ended));
            let queued = sent.is_some_and(|sent| sent.0 == before && sent.0 > ended.0);
            let since = since.max(ended.1);
            let lag = (time - before).max(0);
            let begins = since + if queued { scaled(lag, factor) } else { lag };
            self.sent[from as usize] = Some((time, begins));
            let arrival = messages.recv.get(row).0.max(time);
            let replayed = begins + scaled(arrival - time, factor);
            let arrives = Event { time: arrival, what: What::Arrived, stream: sender as u32, row: to.into(), replayed };
            self.events.push(Reverse(arrives));
        }
        self.expect_message(sender, row + 1);
    }
}
