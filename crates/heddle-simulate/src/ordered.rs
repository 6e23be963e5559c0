//! The engine in the order of time, for machines whose messages share links.
//!
//! The queue of what happens next is the heart of it: messages that reach their sender's network card, and pieces of messages that are
//! through the network ([`crate::fabric`]). Everything else follows from these: a message that is through tells its receiver when
//! it is there; who waits for nothing more runs on, ahead of time, until something is missing again, and what it sends on the way
//! goes into the queue. What follows never lies before its cause, so cards and links are asked in the order of time, and there is
//! one such order: by time, then by rank, then by who came first. All is done by one thread.
//!
//! A network card takes messages in the order of time, each as long as without contention; a message that the links keep waiting
//! is then on its way beside the next. A request to send waits its turn at the card, since receives meet messages in the order in
//! which they were sent: that happens when a message leaves its card, and the receive is over when it is there.
//!
//! Collectives travel message by message ([`crate::steps`]). Each member of a communicator has an **agent** that takes the steps of one
//! collective after the other; a blocking call waits for its agent. Messages of collectives are eager, whatever their length.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rustc_hash::FxHashMap;

use crate::SimulateError;
use crate::collective::Collective;
use crate::engine::check_end;
use crate::fabric::{Fabric, Piece, Route};
use crate::faults::Wires;
use crate::gathering::{Entry, Gathering, work_out};
use crate::machine::{LATEST, LogGp};
use crate::matching::Key;
use crate::network::Transfer;
use crate::program::{Comm, Ops};
use crate::rank::{Runner, World};
use crate::state::{Arrived, Clear, How, Item, Met, Outbox, RankState};
use crate::steps::{Plan, Step};

pub(crate) struct Ordered<'a> {
    world: &'a World<'a>,
    ranks: Vec<RankState>,
    fabric: Fabric<'a>,
    /// By rank: until when its network card is busy.
    cards: Vec<i64>,
    /// Messages on their way, and those that are there but not awaited yet. Places are used again.
    flights: Vec<Flight>,
    /// Places of flights that are free.
    landed: Vec<u32>,
    /// By communicator: that all call the same, and who is missing.
    gatherings: Vec<Gathering>,
    /// By communicator, once it is used, and by position.
    agents: Vec<Vec<Agent>>,
    /// By communicator: those who have come to a collective that is worked out as a whole.
    meetings: Vec<Meeting>,
    next: BinaryHeap<Reverse<Event>>,
    /// Number of events so far.
    events: u64,
    /// Ranks that can go on.
    woken: Vec<u32>,
    /// Agents that can: communicator and position.
    released: Vec<(Comm, usize)>,
}

/// A message of more bytes is cut into pieces of this size.
const PIECE: u64 = 8 * 1024;
/// But into no more than this: the pieces of a longer message are longer.
const MOST_PIECES: u64 = 64;

/// Something that happens at a time.
#[derive(Clone, Copy, Debug)]
struct Event {
    at: i64,
    rank: u32,
    number: u64,
    what: Happening,
}

#[derive(Clone, Copy, Debug)]
enum Happening {
    /// A piece of a message on its way is through. Before what leaves a card at the same time, so that its next piece is not
    /// always the last in the queue.
    Through { flight: u32 },
    /// A message leaves its card. Before what reaches it at the same time, or else it would be overtaken.
    Leaves(Message),
    /// A message reaches its card.
    Reaches(Message),
}

/// A message on its way.
#[derive(Debug)]
struct Flight {
    message: Message,
    route: Route,
    /// When its first byte left the card: what it costs is what such messages cost then.
    left: i64,
    /// Bytes that have been sent.
    sent: u64,
    /// The receive that waits for it, of an eager message.
    awaited: Option<u32>,
    /// When it is there, of an eager message that nobody awaits.
    there: Option<i64>,
}

/// What is sent.
#[derive(Clone, Copy, Debug)]
struct Message {
    from: u32,
    to: u32,
    bytes: u64,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    /// A message for a receive.
    Eager { tag: u32, comm: Comm },
    /// The request to send one, of so many bytes.
    Ask { tag: u32, comm: Comm, request: u32, bytes: u64 },
    /// What was asked for: the requests of both ends.
    Data { send: u32, receive: u32 },
    /// A step of a collective: which one on its communicator, and which of the messages between the two.
    Step { comm: Comm, collective: u32, round: u32 },
}

impl Event {
    fn key(&self) -> (i64, u8, u32, u64) {
        let order = match self.what {
            Happening::Through { .. } => 0,
            Happening::Leaves(_) => 1,
            Happening::Reaches(_) => 2,
        };
        (self.at, order, self.rank, self.number)
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Event) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Event {}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Event) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    fn cmp(&self, other: &Event) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// Takes the steps of a member's collectives, one collective after the other.
#[derive(Debug, Default)]
struct Agent {
    /// When the last step was over.
    now: i64,
    /// Entered and not over.
    queue: VecDeque<(Collective, Entry)>,
    /// How the first in the queue goes on, if it has begun.
    doing: Doing,
    /// Arrivals that were not received yet, by sender, collective and round.
    arrived: FxHashMap<(u32, u32, u32), i64>,
    /// Number of collectives that are over.
    over: u32,
}

/// What an agent does.
#[derive(Debug, Default)]
enum Doing {
    /// It has not begun what is next.
    #[default]
    Nothing,
    /// The step that is next of those that it has planned.
    Step(Plan, usize),
    /// It waits for the others, for a collective that is worked out as a whole.
    Meeting,
}

/// The members who have come to a collective that is worked out as a whole. There is never more than one on a communicator.
#[derive(Debug, Default)]
struct Meeting {
    missing: usize,
    /// When each began.
    times: Vec<i64>,
}

impl<'a> Ordered<'a> {
    pub(crate) fn new(world: &'a World<'a>, ranks: Vec<RankState>, fabric: Fabric<'a>) -> Ordered<'a> {
        fn by_comm<T: Default>(world: &World<'_>) -> Vec<T> {
            world.comms.iter().map(|_| T::default()).collect()
        }
        Ordered {
            world,
            cards: vec![0; ranks.len()],
            flights: Vec::new(),
            landed: Vec::new(),
            ranks,
            fabric,
            gatherings: by_comm(world),
            agents: by_comm(world),
            meetings: by_comm(world),
            next: BinaryHeap::new(),
            events: 0,
            woken: Vec::new(),
            released: Vec::new(),
        }
    }

    /// Gives the states of the ranks, which have all ended.
    pub(crate) fn run(mut self) -> Result<Vec<RankState>, SimulateError> {
        self.woken = (0..self.ranks.len() as u32).collect();
        let (mut ops, mut outbox) = (Ops::default(), Outbox::default());
        self.run_woken(&mut ops, &mut outbox)?;
        let mut now = 0;
        while let Some(Reverse(event)) = self.next.pop() {
            debug_assert!(event.at >= now, "{event:?} lies before {now}");
            now = event.at;
            self.happen(&event)?;
            self.run_woken(&mut ops, &mut outbox)?;
        }
        check_end(self.world, &self.ranks, &self.gatherings)?;
        Ok(self.ranks)
    }

    /// Runs all who can, and all who can because of that.
    fn run_woken(&mut self, ops: &mut Ops, outbox: &mut Outbox) -> Result<(), SimulateError> {
        loop {
            if let Some((comm, position)) = self.released.pop() {
                self.advance(comm, position)?;
                continue;
            }
            let Some(rank) = self.woken.pop() else { return Ok(()) };
            let state = &mut self.ranks[rank as usize];
            Runner { world: self.world, rank, state, out: outbox }.run(ops)?;
            for item in &outbox.items {
                self.take(item)?;
            }
            outbox.clear();
        }
    }

    fn wake(&mut self, rank: u32, request: u32, done: i64) {
        if self.ranks[rank as usize].complete(request, done) {
            self.woken.push(rank);
        }
    }

    fn push(&mut self, at: i64, rank: u32, what: Happening) -> Result<(), SimulateError> {
        if at > LATEST {
            return Err(SimulateError::TooLong);
        }
        self.events += 1;
        self.next.push(Reverse(Event { at, rank, number: self.events, what }));
        Ok(())
    }

    /// Hands a message to its sender's card.
    fn hand(&mut self, at: i64, message: Message) -> Result<(), SimulateError> {
        self.push(at, message.from, Happening::Reaches(message))
    }

    /// Takes what a rank has for others.
    fn take(&mut self, item: &Item) -> Result<(), SimulateError> {
        match *item {
            Item::Eager { transfer: Transfer { from, to, bytes, injected }, tag, comm } => {
                let message = Message { from, to, bytes, what: What::Eager { tag, comm } };
                self.hand(injected, message)
            }
            Item::Ask { from, send, request, handed } => {
                let what = What::Ask { tag: send.tag, comm: send.comm, request, bytes: send.bytes };
                self.hand(handed, Message { from, to: send.peer, bytes: 0, what })
            }
            Item::Clear(clear) => self.send_data(&clear),
            Item::Awaits { flight, rank, request } => {
                self.await_flight(flight, rank, request);
                Ok(())
            }
            Item::Entered { rank, op, comm, at, request } => {
                let (members, which) = (&self.world.comms[comm.0 as usize], comm.0 as usize);
                let entry = Entry { rank, at, request };
                self.gatherings[which].admit(members, op, entry)?;
                self.agents[which].resize_with(members.len(), Agent::default);
                let position = members.position(rank).unwrap_or(0) as usize;
                self.agents[which][position].queue.push_back((op, entry));
                self.advance(comm, position)
            }
        }
    }

    fn send_data(&mut self, clear: &Clear) -> Result<(), SimulateError> {
        let what = What::Data { send: clear.send, receive: clear.receive };
        let message = Message { from: clear.sender, to: clear.receiver, bytes: clear.bytes, what };
        self.hand(clear.there, message)
    }

    fn happen(&mut self, event: &Event) -> Result<(), SimulateError> {
        match event.what {
            Happening::Reaches(message) => {
                let card = &mut self.cards[message.from as usize];
                let leaves = event.at.max(*card);
                let is_request = matches!(message.what, What::Ask { .. });
                let Message { from, to, bytes, .. } = message;
                let wires = &self.world.planted.wires;
                let busy = if is_request { 0 } else { wires.injection((from, to), bytes, event.at) };
                *card = leaves + busy;
                if leaves > event.at {
                    return self.push(leaves, event.rank, Happening::Leaves(message));
                }
                self.leave_card(&message, event.at)
            }
            Happening::Leaves(message) => self.leave_card(&message, event.at),
            Happening::Through { flight } => self.go_on(flight, event.at),
        }
    }

    /// The first byte of a message leaves its card: it meets its receive, or waits for it, and is on its way.
    fn leave_card(&mut self, message: &Message, at: i64) -> Result<(), SimulateError> {
        let Message { from, to, bytes, what } = *message;
        if let What::Ask { tag, comm, request, bytes } = what {
            let there = at + self.world.planted.wires.latency(from, to, at);
            return self.arrive(to, Key { from, tag, comm }, Arrived { bytes, how: How::Asked(there, request) });
        }
        let flight = self.landed.pop().unwrap_or(self.flights.len() as u32);
        let mut route =
            self.flights.get_mut(flight as usize).map(|old| std::mem::take(&mut old.route)).unwrap_or_default();
        self.fabric.route((from, to), &mut route);
        let new = Flight { message: *message, route, left: at, sent: 0, awaited: None, there: None };
        match self.flights.get_mut(flight as usize) {
            Some(place) => *place = new,
            None => self.flights.push(new),
        }
        if let What::Eager { tag, comm } = what {
            self.arrive(to, Key { from, tag, comm }, Arrived { bytes, how: How::Flying(flight) })?;
        }
        self.go_on(flight, at)
    }

    /// The next piece of a message follows, or the whole is through.
    fn go_on(&mut self, number: u32, at: i64) -> Result<(), SimulateError> {
        let flight = &mut self.flights[number as usize];
        let Message { from, to, bytes, what } = flight.message;
        if flight.sent < bytes {
            let size = PIECE.max(bytes.div_ceil(MOST_PIECES));
            let piece = Piece { from: flight.sent, to: bytes.min(flight.sent + size) };
            flight.sent = piece.to;
            let through = carry(&mut self.fabric, &self.world.planted.wires, flight, piece, at);
            return self.push(through, from, Happening::Through { flight: number });
        }
        let there = at + self.world.planted.wires.latency(from, to, flight.left);
        match what {
            // Requests do not fly.
            What::Ask { .. } => {}
            What::Eager { .. } => {
                let Some(request) = flight.awaited else {
                    flight.there = Some(there);
                    return Ok(());
                };
                self.wake(to, request, there);
            }
            What::Data { send, receive } => {
                self.wake(from, send, at);
                self.wake(to, receive, there);
            }
            What::Step { comm, collective, round } => {
                let members = &self.world.comms[comm.0 as usize];
                let position = members.position(to).unwrap_or(0) as usize;
                let agents = &mut self.agents[comm.0 as usize];
                agents.resize_with(members.len(), Agent::default);
                agents[position].arrived.insert((from, collective, round), there);
                self.advance(comm, position)?;
            }
        }
        self.landed.push(number);
        Ok(())
    }

    /// A receive meets a message on its way.
    fn await_flight(&mut self, number: u32, rank: u32, request: u32) {
        let flight = &mut self.flights[number as usize];
        flight.awaited = Some(request);
        if let Some(there) = flight.there {
            self.landed.push(number);
            self.wake(rank, request, there);
        }
    }

    /// A message, or the request to send one, reaches its receiver.
    fn arrive(&mut self, to: u32, key: Key, arrived: Arrived) -> Result<(), SimulateError> {
        match self.ranks[to as usize].arrive(to, key, arrived, &self.world.planted.wires)? {
            Met::Nobody => Ok(()),
            Met::Receive { request, done } => {
                self.wake(to, request, done);
                Ok(())
            }
            Met::Awaited { request, flight } => {
                self.await_flight(flight, to, request);
                Ok(())
            }
            Met::Permission(clear) => self.send_data(&clear),
        }
    }

    /// Lets the agent of a member take all steps that it can.
    fn advance(&mut self, comm: Comm, position: usize) -> Result<(), SimulateError> {
        let members = &self.world.comms[comm.0 as usize];
        let overhead = self.world.machine.network.overhead();
        let rank = members.rank(position);
        loop {
            let agent = &mut self.agents[comm.0 as usize][position];
            let Some(&(op, entry)) = agent.queue.front() else { return Ok(()) };
            let (plan, number) = match &mut agent.doing {
                Doing::Step(plan, number) => (plan, number),
                Doing::Meeting => return Ok(()),
                Doing::Nothing => {
                    agent.now = agent.now.max(entry.at);
                    let root = members.position(op.root).unwrap_or(0) as usize;
                    let Some(plan) = Plan::new(&op, root, members.len(), position) else {
                        agent.doing = Doing::Meeting;
                        return self.meet(comm, position, &op);
                    };
                    agent.doing = Doing::Step(plan, 0);
                    continue;
                }
            };
            let round = plan.round(*number);
            match plan.step(*number) {
                Some(Step::Send { to, bytes }) => {
                    *number += 1;
                    agent.now += overhead;
                    let at = agent.now;
                    let what = What::Step { comm, collective: agent.over, round };
                    let message = Message { from: rank, to: members.rank(to), bytes, what };
                    self.hand(at, message)?;
                }
                Some(Step::Receive { from, .. }) => {
                    let key = (members.rank(from), agent.over, round);
                    let Some(there) = agent.arrived.remove(&key) else { return Ok(()) };
                    *number += 1;
                    agent.now = agent.now.max(there) + overhead;
                }
                None => {
                    agent.doing = Doing::Nothing;
                    agent.over += 1;
                    agent.queue.pop_front();
                    let now = agent.now;
                    self.wake(rank, entry.request, now);
                }
            }
        }
    }

    /// A member comes to a collective that is worked out as a whole.
    fn meet(&mut self, comm: Comm, position: usize, op: &Collective) -> Result<(), SimulateError> {
        let members = &self.world.comms[comm.0 as usize];
        let agents = &mut self.agents[comm.0 as usize];
        let meeting = &mut self.meetings[comm.0 as usize];
        if meeting.missing == 0 {
            meeting.missing = members.len();
            meeting.times.resize(members.len(), 0);
        }
        meeting.times[position] = agents[position].now;
        meeting.missing -= 1;
        if meeting.missing > 0 {
            return Ok(());
        }
        let (mut times, number) = (std::mem::take(&mut meeting.times), agents[position].over);
        work_out(op, (comm, number), members, self.world, &mut times)?;
        for (position, time) in times.iter().enumerate() {
            let agent = &mut self.agents[comm.0 as usize][position];
            agent.now = *time;
            agent.doing = Doing::Nothing;
            agent.over += 1;
            if let Some((_, entry)) = agent.queue.pop_front() {
                self.wake(entry.rank, entry.request, *time);
            }
        }
        // Some have entered the next one already.
        self.released.extend((0..members.len()).map(|position| (comm, position)));
        Ok(())
    }
}

/// Carries a piece of a message. What is slow about its own way prolongs what links make of it, and loads none of them.
fn carry(fabric: &mut Fabric<'_>, wires: &Wires, flight: &Flight, piece: Piece, at: i64) -> i64 {
    let everywhere = wires.everywhere(flight.left);
    let through = fabric.carry(&flight.route, piece, at, everywhere);
    let (own, usual) =
        (wires.between(flight.message.from, flight.message.to, flight.left), fabric.network.slowed(everywhere));
    let takes = |network: &LogGp| network.transfer(piece.to) - network.transfer(piece.from);
    through + takes(&own) - takes(&usual)
}
