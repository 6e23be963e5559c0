//! The state of a rank between its turns, and what ranks hand to each other.
//!
//! All waiting is waiting for requests. A blocking call opens requests of its own and waits for those, so there is one
//! way to wait and one way to be woken.

use std::collections::VecDeque;

use crate::SimulateError;
use crate::collective::Collective;
use crate::faults::{Stalled, Wires};
use crate::matching::{Key, Queue};
use crate::network::{Nic, Transfer};
use crate::program::{Comm, Envelope, Op, Ops};

/// Something begun that is not over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// A send, a receive or a collective, blocking or not.
    pub(crate) op: Op,
    /// When it was over as far as others are concerned: the message was there, the data sent, the collective done.
    pub(crate) done: Option<i64>,
}

/// Which requests a rank waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// It does not wait.
    Running,
    /// The oldest.
    Front,
    /// All.
    All,
    /// The last ones, which a blocking call has opened.
    Back(usize),
    /// It is through.
    Ended,
}

/// A message, or the request to send one, that came before its receive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    pub(crate) bytes: u64,
    pub(crate) how: How,
}

/// How a message has come.
#[derive(Clone, Copy, Debug)]
pub(crate) enum How {
    /// It is there at this time.
    There(i64),
    /// It is on its way over links that it shares, with this number; nobody knows yet when it is there.
    Flying(u32),
    /// It has asked for its receive: when the request is there, and the sender's request.
    Asked(i64, u32),
}

/// A receive that came before its message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posted {
    pub(crate) bytes: u64,
    pub(crate) at: i64,
    pub(crate) request: u32,
}

/// Permission to send what waited for its receive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clear {
    pub(crate) sender: u32,
    pub(crate) send: u32,
    pub(crate) receiver: u32,
    pub(crate) receive: u32,
    pub(crate) bytes: u64,
    /// When the sender hears of it.
    pub(crate) there: i64,
}

/// What a message, or the request to send one, meets at its receiver.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Met {
    /// Nothing yet: it waits there.
    Nobody,
    /// The receive that is now over.
    Receive { request: u32, done: i64 },
    /// The receive that is over when the message on its way is there.
    Awaited { request: u32, flight: u32 },
    /// The receive for which the data is to be sent.
    Permission(Clear),
}

/// What a rank has for others.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item {
    /// A message.
    Eager { transfer: Transfer, tag: u32, comm: Comm },
    /// A request to send, which waits in the sender's request.
    Ask { from: u32, send: Envelope, request: u32, handed: i64 },
    /// The receive of a message that asked is posted.
    Clear(Clear),
    /// The receive of a message that is on its way is posted.
    Awaits { flight: u32, rank: u32, request: u32 },
    /// A collective is entered.
    Entered { rank: u32, op: Collective, comm: Comm, at: i64, request: u32 },
}

/// What ranks have for others, in order.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    pub(crate) items: Vec<Item>,
}

impl Outbox {
    /// Forgets everything but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.items.clear();
    }
}

/// What to say when the two ends of a message do not agree.
pub(crate) fn lengths_differ(key: &Key, sent: u64, expected: u64) -> String {
    format!("it expects {expected} bytes from rank {} (tag {}), which sends {sent}", key.from, key.tag)
}

/// Where a part begins that is not the first.
#[derive(Debug)]
pub(crate) struct Cut {
    pub(crate) stage: u32,
    /// In the stream of times.
    pub(crate) offset: usize,
    pub(crate) now: i64,
    /// Events of the part before.
    pub(crate) events: u32,
    /// How many requests had been opened before.
    pub(crate) opened: u64,
    /// The last of those, which were still open.
    pub(crate) open: Box<[Op]>,
}

/// The state of a rank.
#[derive(Debug)]
pub(crate) struct RankState {
    pub(crate) now: i64,
    pub(crate) stage: u32,
    /// Position in the stage of the operation that is next, or waits.
    pub(crate) at: u32,
    pub(crate) until: Until,
    /// Whether it has been woken, but not run since.
    pub(crate) is_woken: bool,
    pub(crate) requests: VecDeque<Request>,
    /// Number of the oldest of them.
    pub(crate) first: u32,
    pub(crate) pending: u32,
    pub(crate) messages: Queue<Arrived>,
    pub(crate) posted: Queue<Posted>,
    pub(crate) nic: Nic,
    pub(crate) kept: Option<Box<Ops>>,
    pub(crate) open_regions: Vec<u16>,
    pub(crate) called: u32,
    pub(crate) opened: u64,
    pub(crate) events: u32,
    pub(crate) times: Vec<u8>,
    pub(crate) cuts: Vec<Cut>,
    /// Stalls that it has met.
    pub(crate) befallen: Vec<Stalled>,
}

impl RankState {
    pub(crate) fn new(start: i64) -> RankState {
        RankState {
            now: start,
            stage: 0,
            at: 0,
            until: Until::Running,
            is_woken: true,
            requests: VecDeque::new(),
            first: 0,
            pending: 0,
            messages: Queue::default(),
            posted: Queue::default(),
            nic: Nic::default(),
            kept: None,
            open_regions: Vec::new(),
            called: 0,
            opened: 0,
            events: 0,
            times: Vec::new(),
            cuts: Vec::new(),
            befallen: Vec::new(),
        }
    }

    /// The number by which others know a request.
    pub(crate) fn number(&self, position: usize) -> u32 {
        self.first.wrapping_add(position as u32)
    }

    /// A request is over. Tells whether the rank can run again.
    pub(crate) fn complete(&mut self, request: u32, done: i64) -> bool {
        let position = request.wrapping_sub(self.first) as usize;
        if let Some(request) = self.requests.get_mut(position) {
            request.done = Some(done);
            self.pending -= 1;
        }
        let wakes = !self.is_woken && self.is_ready();
        self.is_woken |= wakes;
        wakes
    }

    /// A message, or the request to send one, reaches this rank, which is `to`.
    pub(crate) fn arrive(&mut self, to: u32, key: Key, arrived: Arrived, wires: &Wires) -> Result<Met, SimulateError> {
        let Some(posted) = self.posted.take(&key) else {
            self.messages.push(key, arrived);
            return Ok(Met::Nobody);
        };
        if posted.bytes != arrived.bytes {
            let what = lengths_differ(&key, arrived.bytes, posted.bytes);
            return Err(SimulateError::Invalid { rank: to, stage: self.stage, what });
        }
        Ok(match arrived.how {
            How::There(done) => Met::Receive { request: posted.request, done },
            How::Flying(flight) => Met::Awaited { request: posted.request, flight },
            How::Asked(there, send) => {
                let met = there.max(posted.at);
                Met::Permission(Clear {
                    sender: key.from,
                    send,
                    receiver: to,
                    receive: posted.request,
                    bytes: arrived.bytes,
                    there: met + wires.latency(to, key.from, met),
                })
            }
        })
    }

    pub(crate) fn is_ready(&self) -> bool {
        let is_done = |request: Option<&Request>| request.is_none_or(|request| request.done.is_some());
        match self.until {
            Until::Running => true,
            Until::Ended => false,
            Until::Front => is_done(self.requests.front()),
            Until::All => self.pending == 0,
            Until::Back(count) => self.requests.iter().rev().take(count).all(|request| request.done.is_some()),
        }
    }

    /// The requests that the rank waits for and that are not over, with their numbers.
    pub(crate) fn waits_for(&self) -> impl Iterator<Item = (u32, &Request)> {
        let set = match self.until {
            Until::Running | Until::Ended => 0..0,
            Until::Front => 0..self.requests.len().min(1),
            Until::All => 0..self.requests.len(),
            Until::Back(count) => self.requests.len() - count..self.requests.len(),
        };
        let numbered = set.map(|position| (self.number(position), &self.requests[position]));
        numbered.filter(|(_, request)| request.done.is_none())
    }
}
