//! The network between nodes: a card on each, and nothing in between that could be full.
//!
//! A card sends one message after the other, and takes in one after the other; both at once. What goes out is put in order
//! by urgency, as StarPU does it; what comes in keeps the order in which it was sent. A message is passed on while it
//! still comes in, so a fast card is not held up by a slow one at the other end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A tile on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// The task that wrote the tile.
    pub(crate) task: u32,
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// When the first byte left.
    pub(crate) sent: i64,
    /// When the last byte was there.
    pub(crate) arrived: i64,
}

/// A tile that is to be sent, in the order of sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Posted {
    urgency: u32,
    /// The how-manieth it is.
    number: u64,
    task: u32,
    to: u32,
}

/// The cards of all nodes.
pub(crate) struct Cards {
    latency: i64,
    /// By node: nanoseconds that its card needs for a tile.
    tile_ns: Vec<i64>,
    /// By node: until when it takes something in.
    busy_in: Vec<i64>,
    /// By node: what is to be sent.
    waiting: Vec<BinaryHeap<Reverse<Posted>>>,
    /// By node: whether it sends.
    is_sending: Vec<bool>,
    posted: u64,
}

impl Cards {
    /// Cards of these speeds, in Gb/s.
    pub(crate) fn new(gbit: impl Iterator<Item = f64>, tile_bytes: u64, latency_ns: u64) -> Cards {
        let tile_ns: Vec<i64> = gbit.map(|gbit| (tile_bytes as f64 * 8.0 / gbit).ceil() as i64).collect();
        let nodes = tile_ns.len();
        Cards {
            latency: latency_ns as i64,
            tile_ns,
            busy_in: vec![0; nodes],
            waiting: vec![BinaryHeap::new(); nodes],
            is_sending: vec![false; nodes],
            posted: 0,
        }
    }

    /// Puts a tile among those that a node is to send.
    pub(crate) fn post(&mut self, from: u32, to: u32, task: u32, urgency: u32) {
        self.waiting[from as usize].push(Reverse(Posted { urgency, number: self.posted, task, to }));
        self.posted += 1;
    }

    /// Begins to send what is most urgent, unless the card is at work or there is nothing. Gives also the time when the card
    /// is free again.
    pub(crate) fn send(&mut self, from: u32, now: i64) -> Option<(Message, i64)> {
        let sender = from as usize;
        if self.is_sending[sender] {
            return None;
        }
        let Reverse(Posted { task, to, .. }) = self.waiting[sender].pop()?;
        self.is_sending[sender] = true;
        let receiver = to as usize;
        let out = now + self.tile_ns[sender];
        let begins = self.busy_in[receiver].max(now + self.latency);
        let arrived = (begins + self.tile_ns[receiver]).max(out + self.latency);
        self.busy_in[receiver] = arrived;
        Some((Message { task, from, to, sent: now, arrived }, out))
    }

    /// The card has sent its message.
    pub(crate) fn sent(&mut self, from: u32) {
        self.is_sending[from as usize] = false;
    }
}
