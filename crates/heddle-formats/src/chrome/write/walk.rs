//! The records of one location, turned into events.

use std::collections::VecDeque;

use heddle_model::{
    CollectiveEnd, CommId, Definitions, Event, LocationId, MarkText, MessageEnd, MetricValue, Ns, RegionId, RequestId,
};
use rustc_hash::FxHashMap;

use super::super::flows::mix;
use super::define::{Places, tid};
use super::text::{self, member, string, time_member};

/// Messages of one process so far, by communicator, partner, tag and direction: both ends of a message count alike.
#[derive(Default)]
pub(super) struct Channels {
    process: Option<LocationId>,
    counts: FxHashMap<(CommId, LocationId, u32, bool), u64>,
}

/// A region that is open.
struct Open {
    region: RegionId,
    start: Ns,
    collective: Option<Collective>,
}

struct Collective {
    end: CollectiveEnd,
    from: Option<Ns>,
    to: Ns,
    posted: Option<Ns>,
}

/// An end of a message while it is put together.
#[derive(Default)]
struct End {
    message: Option<MessageEnd>,
    is_send: bool,
    id: u64,
    time: Ns,
    /// Where it is placed, once that is known.
    at: Option<Ns>,
    /// When it was complete, or posted.
    other: Option<Ns>,
    /// Its completion will come.
    awaited: bool,
}

/// The walk over one location.
pub(super) struct Walk<'a> {
    location: LocationId,
    definitions: &'a Definitions,
    places: &'a Places,
    channels: &'a mut Channels,
    pub(super) out: &'a mut Vec<u8>,
    pub(super) events: u64,
    pub(super) left_out: u64,
    pub(super) last: Option<Ns>,
    open: Vec<Open>,
    begun: Option<Ns>,
    asked: FxHashMap<RequestId, Ns>,
    /// A span with those inside that have the same times: they come after it.
    held: Vec<u8>,
    held_as: Option<(Ns, Ns, usize)>,
    ends: FxHashMap<u64, End>,
    serial: u64,
    /// Ends at the time of the last record, with the depth they are at: the call may be over at that time.
    due: Vec<(usize, u64)>,
    requests: FxHashMap<RequestId, u64>,
    /// Receives in the order of posting.
    receives: VecDeque<u64>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        location: LocationId,
        definitions: &'a Definitions,
        places: &'a Places,
        channels: &'a mut Channels,
        out: &'a mut Vec<u8>,
    ) -> Walk<'a> {
        let process = definitions.main_location(location);
        if channels.process != Some(process) {
            *channels = Channels { process: Some(process), ..Channels::default() };
        }
        Walk {
            location,
            definitions,
            places,
            channels,
            out,
            events: 0,
            left_out: 0,
            last: None,
            open: Vec::new(),
            begun: None,
            asked: FxHashMap::default(),
            held: Vec::new(),
            held_as: None,
            ends: FxHashMap::default(),
            serial: 0,
            due: Vec::new(),
            requests: FxHashMap::default(),
            receives: VecDeque::new(),
        }
    }

    pub(super) fn event(&mut self, time: Ns, event: &Event<'_>) {
        if self.last.is_none_or(|last| last < time) {
            self.settle_due();
            self.last = Some(time);
        }
        match event {
            Event::Enter(region) => self.open.push(Open { region: *region, start: time, collective: None }),
            Event::Leave(None) => self.leave(time),
            Event::Leave(Some(region)) => {
                if let Some(depth) = self.open.iter().rposition(|open| open.region == *region) {
                    while self.open.len() > depth {
                        self.leave(time);
                    }
                }
            }
            Event::Send(end) | Event::Isend(end) => self.send(time, *end, matches!(event, Event::Isend(_))),
            Event::SendComplete(request) => {
                if let Some(serial) = self.requests.remove(request)
                    && let Some(end) = self.ends.get_mut(&serial).filter(|end| end.is_send)
                {
                    (end.other, end.awaited) = (Some(time), false);
                    self.put_if_known(serial);
                }
            }
            Event::RecvRequest(request) => {
                let serial = self.new_end(End { other: Some(time), ..End::default() });
                self.receives.push_back(serial);
                self.requests.insert(*request, serial);
            }
            Event::Recv(end) | Event::Irecv(end) => self.receive(time, *end),
            Event::RequestCancelled(request) => {
                self.asked.remove(request);
                if let Some(serial) = self.requests.remove(request) {
                    match self.ends.get_mut(&serial) {
                        Some(end) if end.is_send => {
                            end.awaited = false;
                            self.put_if_known(serial);
                        }
                        _ => _ = self.ends.remove(&serial),
                    }
                }
            }
            Event::CollectiveBegin => self.begun = Some(time),
            Event::CollectiveRequest(request) => _ = self.asked.insert(*request, time),
            Event::CollectiveEnd(end) => {
                let from = self.begun.take();
                self.collective(Collective { end: *end, from, to: time, posted: None });
            }
            Event::CollectiveComplete(end) => {
                let posted = Some(self.asked.remove(&end.request).unwrap_or(time));
                self.collective(Collective { end: *end, from: None, to: time, posted });
            }
            Event::Metric(value) => self.metric(time, value),
            Event::Mark(MarkText { name, text }) => {
                self.events += 1;
                text::mark(self.out, time, name, text, "t", self.places.suffix(self.location));
            }
            // A task is its span; the format has no place for the rest.
            Event::Task(_) | Event::DependsOn(_) => {}
        }
    }

    /// Ends what is open.
    pub(super) fn finish(&mut self) {
        let end = self.last.unwrap_or(Ns(0));
        while !self.open.is_empty() {
            self.leave(end);
        }
        self.settle_due();
        self.flush_held();
        let mut sends: Vec<u64> = self.ends.iter().filter(|(_, end)| end.is_send).map(|(serial, _)| *serial).collect();
        sends.sort_unstable();
        for serial in sends {
            if let Some(end) = self.ends.remove(&serial) {
                self.put(&end);
            }
        }
        for serial in std::mem::take(&mut self.receives) {
            match self.ends.remove(&serial) {
                Some(end) if end.message.is_some() => self.put_receive(end),
                Some(_) => self.left_out += 1,
                None => {}
            }
        }
    }

    fn leave(&mut self, time: Ns) {
        let depth = self.open.len();
        let Some(open) = self.open.pop() else { return };
        // A slice is not open at its end: what happens then is placed before.
        let at = Ns(time.0.saturating_sub(1)).max(open.start);
        let mut settled = Vec::new();
        self.due.retain(|(within, serial)| {
            let is_here = *within == depth;
            if is_here {
                settled.push(*serial);
            }
            !is_here
        });
        for serial in settled {
            if let Some(end) = self.ends.get_mut(&serial) {
                end.at = Some(at.min(end.time));
            }
            self.put_if_known(serial);
        }
        let depth = depth - 1;
        let is_around =
            self.held_as.is_some_and(|(start, end, held)| (start, end) == (open.start, time) && depth < held);
        let inside = if is_around {
            std::mem::take(&mut self.held)
        } else {
            self.flush_held();
            Vec::new()
        };
        self.span(&open, time);
        self.held.extend_from_slice(&inside);
        self.held_as = Some((open.start, time, depth));
    }

    fn flush_held(&mut self) {
        self.out.append(&mut self.held);
        self.held_as = None;
    }

    fn span(&mut self, open: &Open, end: Ns) {
        self.events += 1;
        let out = &mut self.held;
        out.extend_from_slice(b",\n{\"ph\":\"X\",");
        match self.places.regions.get(open.region.index()) {
            Some(region) => out.extend_from_slice(region),
            None => out.extend_from_slice(b"\"name\":\"?\""),
        }
        out.extend_from_slice(self.places.suffix(self.location));
        time_member(out, "ts", open.start.0);
        time_member(out, "dur", end.0.saturating_sub(open.start.0).max(0));
        if let Some(Collective { end: said, from, to, posted }) = &open.collective {
            out.extend_from_slice(b",\"args\":{\"collective\":");
            string(out, said.op.name());
            member(out, "communicator", said.comm.0.into());
            if let Some(number) = said.number {
                member(out, "number", number.into());
            }
            if said.root.is_some() {
                member(out, "root", tid(said.root));
            }
            member(out, "sent", said.sent);
            member(out, "received", said.received);
            if let Some(from) = from.filter(|from| *from != open.start) {
                time_member(out, "from", from.0);
            }
            if *to != end {
                time_member(out, "to", to.0);
            }
            if let Some(posted) = posted {
                time_member(out, "posted", posted.0);
            }
            out.push(b'}');
        }
        out.push(b'}');
    }

    fn collective(&mut self, collective: Collective) {
        match self.open.last_mut() {
            Some(open) if open.collective.is_none() => open.collective = Some(collective),
            _ => self.left_out += 1,
        }
    }

    fn metric(&mut self, time: Ns, value: &MetricValue) {
        let Some(metric) = self.definitions.metrics.get(value.metric.index()).filter(|_| value.value.is_finite())
        else {
            self.left_out += 1;
            return;
        };
        self.events += 1;
        self.out.extend_from_slice(b",\n{\"ph\":\"C\",\"cat\":\"heddle\",\"name\":");
        string(self.out, &metric.name);
        if !self.places.is_alone(self.location) {
            member(self.out, "id", tid(self.location));
        }
        self.out.extend_from_slice(self.places.suffix(self.location));
        time_member(self.out, "ts", time.0);
        self.out.extend_from_slice(format!(",\"args\":{{\"value\":{}}}}}", value.value).as_bytes());
    }

    fn new_end(&mut self, end: End) -> u64 {
        self.serial += 1;
        self.ends.insert(self.serial, end);
        self.serial
    }

    fn send(&mut self, time: Ns, message: MessageEnd, is_posted: bool) {
        let id = self.id(&message, true);
        let awaited = is_posted && message.request.is_some();
        let end = End { message: Some(message), is_send: true, id, time, at: None, other: None, awaited };
        let serial = self.new_end(end);
        if awaited {
            self.requests.insert(message.request, serial);
        }
        self.due.push((self.open.len(), serial));
    }

    fn receive(&mut self, time: Ns, message: MessageEnd) {
        let posted = self.requests.remove(&message.request).filter(|serial| self.ends.contains_key(serial));
        let serial = posted.unwrap_or_else(|| {
            let serial = self.new_end(End::default());
            self.receives.push_back(serial);
            serial
        });
        if let Some(end) = self.ends.get_mut(&serial) {
            (end.message, end.time) = (Some(message), time);
        }
        self.due.push((self.open.len(), serial));
    }

    /// Time has gone on: what happened before was inside of whatever was open.
    fn settle_due(&mut self) {
        for (_, serial) in std::mem::take(&mut self.due) {
            if let Some(end) = self.ends.get_mut(&serial) {
                end.at = Some(end.time);
            }
            self.put_if_known(serial);
        }
    }

    fn put_if_known(&mut self, serial: u64) {
        match self.ends.get(&serial) {
            Some(end) if end.is_send => {
                if end.at.is_some()
                    && !end.awaited
                    && let Some(end) = self.ends.remove(&serial)
                {
                    self.put(&end);
                }
            }
            _ => self.put_receives(),
        }
    }

    /// Writes receives as long as the next in the order of posting is known.
    fn put_receives(&mut self) {
        while let Some(serial) = self.receives.front() {
            if self.ends.get(serial).is_some_and(|end| end.at.is_none()) {
                return;
            }
            if let Some(end) = self.ends.remove(serial) {
                self.put_receive(end);
            }
            self.receives.pop_front();
        }
    }

    fn put_receive(&mut self, mut end: End) {
        if let Some(message) = &end.message {
            end.id = self.id(message, false);
        }
        self.put(&end);
    }

    /// The same for both ends of a message: the how-manieth it is on its way.
    fn id(&mut self, message: &MessageEnd, is_send: bool) -> u64 {
        let own = self.channels.process.unwrap_or(self.location);
        let MessageEnd { peer, comm, tag, .. } = *message;
        let count = self.channels.counts.entry((comm, peer, tag, is_send)).or_insert(0);
        *count += 1;
        let (sender, receiver) = if is_send { (own, peer) } else { (peer, own) };
        [comm.0, sender.0, receiver.0, tag].iter().fold(mix(0, *count), |hash, part| mix(hash, u64::from(*part)))
    }

    fn put(&mut self, end: &End) {
        let Some(message) = end.message else { return };
        self.events += 1;
        let phase: &[u8] = if end.is_send { b"s" } else { b"f\",\"bp\":\"e" };
        self.out.extend_from_slice(b",\n{\"ph\":\"");
        self.out.extend_from_slice(phase);
        self.out.extend_from_slice(
            format!("\",\"id\":\"{:#x}\",\"name\":\"message\",\"cat\":\"message\"", end.id).as_bytes(),
        );
        self.out.extend_from_slice(self.places.suffix(self.location));
        let at = end.at.unwrap_or(end.time);
        time_member(self.out, "ts", at.0);
        self.out.extend_from_slice(b",\"args\":{\"tag\":");
        text::number(self.out, message.tag.into());
        if message.bytes != MessageEnd::UNKNOWN_LENGTH {
            member(self.out, "bytes", message.bytes);
        }
        member(self.out, "communicator", message.comm.0.into());
        if message.peer.is_some() {
            member(self.out, "peer", tid(message.peer));
        }
        if at != end.time {
            time_member(self.out, "time", end.time.0);
        }
        if let Some(other) = end.other {
            time_member(self.out, if end.is_send { "completed" } else { "posted" }, other.0);
        }
        self.out.extend_from_slice(b"}}");
    }
}
