//! Who communicated with whom: found in the store's tables, so that nothing of them is kept twice.

use std::ops::Range;

use heddle_model::{LocationId, Ns, SpanRow};
use heddle_store::Store;

use crate::{Kind, Logical};

/// A message that an event received.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReceivedMessage {
    pub(crate) receive: u64,
    /// The event that sent it.
    pub(crate) send: u64,
    /// The row of that event.
    pub(crate) sender: u32,
}

impl Logical {
    /// The events that sent what an event received, ascending.
    pub fn senders(&self, store: &Store, event: u64) -> Vec<u64> {
        if self.kind(event) != Kind::Receive {
            return Vec::new();
        }
        let table = &store.messages;
        let received = received_in(store, self.location(event), self.time(event));
        let messages = store.messages_by_receive.message.iter(received);
        let mut senders: Vec<u64> = messages
            .filter(|at| self.joins(store, *at))
            .filter(|at| {
                let end = (table.recv_location.get(*at), table.recv.get(*at));
                self.call(store, table.recv_span.get(*at), end) == Some(self.events.span.get(event))
            })
            .filter_map(|at| self.sender(store, at))
            .collect();
        senders.sort_unstable();
        senders.dedup();
        senders
    }

    /// All messages that a row received, as the events that received and sent them, ascending. For passes over everything:
    /// a row's messages lie one behind the other, so nothing but the senders has to be looked for.
    pub fn received_by(&self, store: &Store, row: u32) -> Vec<(u64, u64)> {
        let mut pairs = Vec::new();
        let all = self.events_of(row);
        self.for_each_received(store, row, all, |message| pairs.push((message.receive, message.send)));
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// How many messages each of some neighbouring events of a row received.
    pub fn messages_received(&self, store: &Store, row: u32, events: Range<u64>) -> Vec<u32> {
        let mut counts = vec![0; events.end.saturating_sub(events.start) as usize];
        self.for_each_received(store, row, events.clone(), |message| {
            counts[(message.receive - events.start) as usize] += 1;
        });
        counts
    }

    /// Visits every message that some neighbouring events of a row received, in the order of receives.
    pub(crate) fn for_each_received(
        &self,
        store: &Store,
        row: u32,
        wanted: Range<u64>,
        mut visit: impl FnMut(ReceivedMessage),
    ) {
        let (events, table) = (self.events_of(row), &store.messages);
        if wanted.is_empty() {
            return;
        }
        let location = self.rows.location.get(u64::from(row));
        let time = if wanted == events {
            (Ns(i64::MIN), Ns::MAX)
        } else {
            let last_leave = self.events.leave.iter(wanted.clone()).max();
            (self.events.enter.get(wanted.start), last_leave.unwrap_or(Ns::MAX))
        };
        let mut last = wanted.start;
        let mut spans = self.events.span.cursor();
        for message in store.messages_by_receive.message.iter(received_in(store, location, time)) {
            if !self.joins(store, message) {
                continue;
            }
            let end = (location, table.recv.get(message));
            let Some(span) = self.call(store, table.recv_span.get(message), end) else { continue };
            if spans.get(last) > span {
                last = self.last_up_to(events.clone(), span);
            }
            while last + 1 < events.end && spans.get(last + 1) <= span {
                last += 1;
            }
            let receive = self.back_to(events.start..last + 1, Kind::Receive, |of| of == span);
            let Some(receive) = receive.filter(|receive| wanted.contains(receive)) else { continue };
            let send = (table.send_location.get(message), table.send.get(message));
            let Some(sender) = self.row_of_location(send.0) else { continue };
            let Some(span) = self.call(store, table.send_span.get(message), send) else { continue };
            let events = self.events_of(sender);
            if events.is_empty() {
                continue;
            }
            let last = self.last_up_to(events.clone(), span);
            // A later part of a run of sends has no event of its own: the run's comes last before it.
            let of = self.events.span.get(last);
            let send = self.back_to(events.start..last + 1, Kind::Send, |other| other == of);
            let Some(send) = send.filter(|send| row != sender || *send < receive) else { continue };
            visit(ReceivedMessage { receive, send, sender });
        }
    }

    /// The last of a row's events whose call begins no later than a span; the first if none does.
    fn last_up_to(&self, events: Range<u64>, span: SpanRow) -> u64 {
        self.events.span.partition_point(events.clone(), |other| other <= span).saturating_sub(1).max(events.start)
    }

    /// The last event of a kind among those at the end of a range whose calls are wanted.
    fn back_to(&self, events: Range<u64>, kind: Kind, is_wanted: impl Fn(SpanRow) -> bool) -> Option<u64> {
        events.rev().take_while(|event| is_wanted(self.events.span.get(*event))).find(|event| self.kind(*event) == kind)
    }

    /// The events that received what an event sent, ascending.
    pub fn receivers(&self, store: &Store, event: u64) -> Vec<u64> {
        if self.kind(event) != Kind::Send {
            return Vec::new();
        }
        let mut receivers: Vec<u64> = sent_in(store, self.location(event), self.time(event))
            .filter(|at| self.joins(store, *at) && self.sender(store, *at) == Some(event))
            .filter_map(|at| self.receiver(store, at))
            .collect();
        receivers.sort_unstable();
        receivers.dedup();
        receivers
    }

    /// Whether a message joins its events: unless its ends name different lengths and the options ask for the same.
    fn joins(&self, store: &Store, message: u64) -> bool {
        !(self.options().same_size && store.length_mismatches.contains(message))
    }

    /// The event that sent a message.
    pub fn sender(&self, store: &Store, message: u64) -> Option<u64> {
        let table = &store.messages;
        let (location, time) = (table.send_location.get(message), table.send.get(message));
        self.event_of(store, table.send_span.get(message), (location, time), Kind::Send)
    }

    /// The event that received a message.
    pub fn receiver(&self, store: &Store, message: u64) -> Option<u64> {
        let table = &store.messages;
        let (location, time) = (table.recv_location.get(message), table.recv.get(message));
        self.event_of(store, table.recv_span.get(message), (location, time), Kind::Receive)
    }

    /// The events of an event's collective, itself included, ascending; alone if its collective is not known.
    pub fn members(&self, store: &Store, event: u64) -> Vec<u64> {
        if self.kind(event) != Kind::Collective {
            return Vec::new();
        }
        let Some(collective) = self.collective_of(store, event) else { return vec![event] };
        let mut members: Vec<u64> =
            members_of(store, collective).filter_map(|member| self.member_event(store, member, collective)).collect();
        members.sort_unstable();
        members.dedup();
        members
    }

    /// The operation that an event took part in, as a row of the collectives table.
    pub fn collective_of(&self, store: &Store, event: u64) -> Option<u64> {
        if self.kind(event) != Kind::Collective {
            return None;
        }
        let (location, span) = (self.location(event), self.events.span.get(event));
        let at_call = self.events_of_span(store, span);
        let collectives = at_call.clone().filter(|at| self.kind(*at) == Kind::Collective).collect::<Vec<_>>();
        let place = collectives.iter().position(|at| *at == event)?;
        let mut found = completed_at(self, store, location, span, self.time(event));
        found.sort_unstable();
        found.get(place).map(|(_, _, collective)| *collective)
    }

    /// The event of a member of an operation.
    fn member_event(&self, store: &Store, member: u64, collective: u64) -> Option<u64> {
        let table = &store.collective_members;
        let at = (table.location.get(member), table.end.get(member));
        let first = self.event_of(store, table.span.get(member), at, Kind::Collective)?;
        let others = self.events_of_span(store, self.events.span.get(first));
        if others.end - first <= 1 {
            return Some(first);
        }
        (first..others.end).find(|event| self.collective_of(store, *event) == Some(collective))
    }

    /// The first event of a kind at the call of an end.
    fn event_of(&self, store: &Store, span: SpanRow, end: (LocationId, Ns), kind: Kind) -> Option<u64> {
        let mut events = self.events_of_span(store, self.call(store, span, end)?);
        events.find(|event| self.kind(*event) == kind)
    }

    fn location(&self, event: u64) -> LocationId {
        self.rows.location.get(u64::from(self.row_of(event)))
    }

    fn time(&self, event: u64) -> (Ns, Ns) {
        (self.events.enter.get(event), self.events.leave.get(event))
    }
}

/// How far around its place in order something may be.
const NEAR: u64 = 64;

/// Messages that a location sent in a stretch of time.
fn sent_in(store: &Store, location: LocationId, time: (Ns, Ns)) -> Range<u64> {
    let table = &store.messages;
    let all = 0..table.len();
    let first = table.send_location.partition_point(all.clone(), |other| other < location);
    let end = table.send_location.partition_point(first..all.end, |other| other <= location);
    let from = table.send.partition_point(first..end, |send| send < time.0);
    from..table.send.partition_point(from..end, |send| send <= time.1)
}

/// What a location received in a stretch of time, as rows of the table by receive.
fn received_in(store: &Store, location: LocationId, time: (Ns, Ns)) -> Range<u64> {
    let (order, table) = (&store.messages_by_receive.message, &store.messages);
    let all = 0..order.len();
    let first = order.partition_point(all.clone(), |message| {
        let other = table.recv_location.get(message);
        other < location || (other == location && table.recv.get(message) < time.0)
    });
    let end = order.partition_point(first..all.end, |message| {
        table.recv_location.get(message) == location && table.recv.get(message) <= time.1
    });
    first..end
}

/// What a call of a location completed: when each began, the member, the operation.
fn completed_at(
    logical: &Logical,
    store: &Store,
    location: LocationId,
    span: SpanRow,
    time: (Ns, Ns),
) -> Vec<(Ns, u64, u64)> {
    let (table, all) = (&store.collectives, 0..store.collectives.len());
    let mut found = Vec::new();
    let mut first = 0;
    while first < all.end {
        let comm = table.comm.get(first);
        let end = table.comm.partition_point(first..all.end, |other| other <= comm);
        // Members end their operations in the order of the communicator, non-blocking ones nearly so.
        let ended = |at: u64| member_at(store, at, location).map(|member| store.collective_members.end.get(member));
        if ended(first).is_some() || ended(end - 1).is_some() {
            let near = partition_point(first..end, |at| ended(at).is_none_or(|end| end < time.0));
            let around = near.saturating_sub(NEAR).max(first)..(near + NEAR).min(end);
            found.extend(around.filter_map(|at| {
                let member = member_at(store, at, location)?;
                let end = (location, store.collective_members.end.get(member));
                let is_here = logical.call(store, store.collective_members.span.get(member), end) == Some(span);
                is_here.then(|| (store.collective_members.start.get(member), member, at))
            }));
        }
        first = end;
    }
    found
}

fn members_of(store: &Store, collective: u64) -> Range<u64> {
    let first = store.collectives.first_member.get(collective);
    first..first + u64::from(store.collectives.members.get(collective))
}

/// The member of a collective on a location.
fn member_at(store: &Store, collective: u64, location: LocationId) -> Option<u64> {
    let (members, locations) = (members_of(store, collective), &store.collective_members.location);
    let at = locations.partition_point(members.clone(), |other| other < location);
    (at < members.end && locations.get(at) == location).then_some(at)
}

/// The first of some numbers for which `before` is false, if it is true for all before it.
fn partition_point(range: Range<u64>, before: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
