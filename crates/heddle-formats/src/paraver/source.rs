//! The trace once all of it was read: the streams of a thread put together in the order of time.
//!
//! One stream carries the others: calls, or states where a thread has no calls. Its pieces are the parts. What lies
//! beside it is brought in by time. Where times are equal, a send belongs into the call that begins then, a receive into
//! the one that ends then: that is how tracers take these times.

use std::io;

use rustc_hash::FxHashMap;

use heddle_model::{
    CollectiveEnd, CommId, Definitions, Event, LocationId, MessageEnd, Ns, Paradigm, Part, RecordBlock, RegionId,
    RequestId, Source, SourceError, Warnings,
};

use super::pieces::{Piece, Stream};
use super::thread::{Thread, WHOLE};
use crate::Scratch;

/// What an MPI call should have done, where the file lacks the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// Not a call of MPI.
    NotMpi,
    /// Nothing.
    Nothing,
    /// A message was sent.
    Send,
    /// A message was received.
    Receive,
    /// A receive was posted.
    Post,
}

impl Expected {
    pub(super) fn of(region: &heddle_model::Region) -> Expected {
        if region.paradigm != Paradigm::Mpi {
            return Expected::NotMpi;
        }
        match region.name.as_str() {
            "MPI_Send" | "MPI_Bsend" | "MPI_Ssend" | "MPI_Rsend" | "MPI_Isend" | "MPI_Ibsend" | "MPI_Issend"
            | "MPI_Irsend" => Expected::Send,
            "MPI_Recv" | "MPI_Mrecv" => Expected::Receive,
            "MPI_Irecv" | "MPI_Imrecv" => Expected::Post,
            _ => Expected::Nothing,
        }
    }
}

/// How ids that stood for something until the end of the file are to be read.
#[derive(Debug, Default)]
pub(super) struct Resolved {
    /// The communicator of messages in each lane.
    pub(super) lanes: Vec<CommId>,
    /// The communicator of all tasks of an application.
    pub(super) whole: Vec<CommId>,
    /// Roots of collectives: communicator as threads call it, and how-manieth of it.
    pub(super) roots: FxHashMap<(CommId, u64), LocationId>,
    /// Of each region.
    pub(super) expected: Vec<Expected>,
}

impl Resolved {
    fn message(&self, end: MessageEnd) -> MessageEnd {
        MessageEnd { comm: self.lanes.get(end.comm.index()).copied().unwrap_or(CommId::NONE), ..end }
    }

    fn collective(&self, end: CollectiveEnd) -> CollectiveEnd {
        let root = self.roots.get(&(end.comm, end.request.0)).copied().unwrap_or(LocationId::NONE);
        let comm = match end.comm.0.checked_sub(WHOLE) {
            Some(application) => self.whole.get(application as usize).copied().unwrap_or(CommId::NONE),
            None => end.comm,
        };
        CollectiveEnd { root, comm, request: RequestId::NONE, ..end }
    }

    fn expects(&self, region: RegionId) -> Expected {
        self.expected.get(region.index()).copied().unwrap_or(Expected::NotMpi)
    }
}

/// A Paraver trace.
pub struct Paraver<'a> {
    pub(super) scratch: &'a dyn Scratch,
    pub(super) definitions: Definitions,
    pub(super) warnings: Warnings,
    pub(super) threads: Vec<Option<Box<Thread>>>,
    pub(super) parts: Vec<Part>,
    pub(super) origin: i64,
    pub(super) resolved: Resolved,
}

impl Source for Paraver<'_> {
    fn format(&self) -> &'static str {
        "paraver"
    }

    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn read(&self, part: &Part, out: &mut RecordBlock) -> Result<(), SourceError> {
        let failed = |cause: io::Error| SourceError { place: format!("location {}", part.location.0), cause };
        let thread = self.threads.get(part.location.index()).and_then(Option::as_deref);
        let thread = thread.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        self.merge(thread, part, out).map_err(failed)
    }

    fn warnings(&self) -> &Warnings {
        &self.warnings
    }
}

impl Thread {
    /// The stream that carries the others, and the others.
    fn carrier(&self) -> (&Stream, [&Stream; 2]) {
        if self.has_spans || self.states.is_empty() {
            (&self.main, [&self.ends, &self.ends])
        } else {
            (&self.states, [&self.main, &self.ends])
        }
    }

    /// How many parts it has: one at least, for what was counted and not shown.
    pub(super) fn parts(&self) -> impl Iterator<Item = u64> + '_ {
        let pieces = &self.carrier().0.pieces;
        let beside = if pieces.is_empty() { Some(self.ends.pieces.iter().map(Piece::bytes).sum()) } else { None };
        pieces.iter().map(Piece::bytes).chain(beside)
    }
}

/// Whether an event at a time belongs to a part.
struct Window {
    /// For what belongs before an end at the same time.
    after: Ns,
    upto: Ns,
    /// For the rest.
    from: Ns,
    before: Ns,
}

const ALWAYS: Ns = Ns(i64::MAX);

impl Window {
    fn of(pieces: &[Piece], index: usize) -> Window {
        let end = pieces.len().saturating_sub(1);
        let piece = |at: usize| pieces.get(at);
        Window {
            after: index.checked_sub(1).and_then(piece).map_or(Ns::NONE, |piece| piece.last),
            upto: if index >= end { ALWAYS } else { pieces[index].last },
            from: if index == 0 { Ns::NONE } else { piece(index).map_or(Ns::NONE, |piece| piece.first) },
            before: if index >= end { ALWAYS } else { pieces[index + 1].first },
        }
    }

    fn has(&self, time: Ns, event: &Event<'_>) -> bool {
        if is_late(event) {
            (self.after < time || self.after == Ns::NONE) && time <= self.upto
        } else {
            self.from <= time && (time < self.before || self.before == ALWAYS)
        }
    }
}

/// Ends of operations, which are recorded at the end of the call that brought them.
fn is_late(event: &Event<'_>) -> bool {
    matches!(event, Event::Recv(_) | Event::Irecv(_) | Event::RecvRequest(_) | Event::SendComplete(_))
}

fn is_post(event: &Event<'_>) -> bool {
    matches!(event, Event::RecvRequest(_))
}

fn is_end(event: &Event<'_>) -> bool {
    is_late(event) && !is_post(event)
}

fn is_send(event: &Event<'_>) -> bool {
    matches!(event, Event::Send(_) | Event::Isend(_))
}

impl Paraver<'_> {
    fn merge(&self, thread: &Thread, part: &Part, out: &mut RecordBlock) -> io::Result<()> {
        let (carrier, others) = thread.carrier();
        let index = part.index as usize;
        let piece = carrier.pieces.get(index);
        let window = Window::of(&carrier.pieces, index);
        if index == 0 {
            out.events += thread.events;
            out.warnings.merge(&thread.warnings);
        }
        let mut carried = RecordBlock::default();
        if let Some(piece) = piece {
            piece.load(self.scratch, &mut carried)?;
        }
        // A call that was open before this part needs what belongs to it from there on.
        let call = piece.and_then(|piece| piece.call).filter(|_| thread.has_spans);
        let since = call.map_or(ALWAYS, |(_, since)| since).min(window.after).min(window.from);
        let mut beside = RecordBlock::default();
        let same = std::ptr::eq(others[0], others[1]);
        for stream in &others[usize::from(same)..] {
            let upto = window.upto.max(window.before);
            for piece in stream.pieces.iter().filter(|piece| piece.last >= since && piece.first <= upto) {
                piece.load(self.scratch, &mut beside)?;
            }
        }
        let mut merger = Merger { source: self, out, call: None, posted: 0, part: part.index };
        if let Some((region, since)) = call {
            merger.call = Some(Open { region, sent: false, received: false });
            let earlier = |time: Ns, event: &Event<'_>| time >= since && !window.has(time, event);
            let earlier = beside.iter().filter(|(time, event)| earlier(*time, event) && *time <= window.upto);
            earlier.for_each(|(_, event)| merger.note(&event));
        }
        let mut beside: Vec<(Ns, Event<'_>)> = beside.iter().filter(|(time, event)| window.has(*time, event)).collect();
        beside.sort_by_key(|(time, _)| *time);
        merger.run(&carried, &beside);
        if index + 1 >= carrier.pieces.len() {
            out.last = out.last.max(thread.last.map(|last| Ns(last.0 - self.origin)));
        }
        Ok(())
    }
}

/// An MPI call while it is walked over.
struct Open {
    region: RegionId,
    sent: bool,
    received: bool,
}

struct Merger<'a, 'b> {
    source: &'a Paraver<'b>,
    out: &'a mut RecordBlock,
    call: Option<Open>,
    posted: u64,
    part: u32,
}

impl Merger<'_, '_> {
    fn run(&mut self, carried: &RecordBlock, mut beside: &[(Ns, Event<'_>)]) {
        let records: Vec<(Ns, Event<'_>)> = carried.iter().collect();
        let mut rest = &records[..];
        while let Some((time, _)) = rest.first() {
            let time = *time;
            let earlier = beside.partition_point(|(at, _)| *at < time);
            beside[..earlier].iter().for_each(|(time, event)| self.put(*time, event));
            beside = &beside[earlier..];
            let now = beside.partition_point(|(at, _)| *at <= time);
            let group = rest.iter().take_while(|(at, _)| *at == time).count();
            self.group(time, &rest[..group], &beside[..now]);
            (rest, beside) = (&rest[group..], &beside[now..]);
        }
        for (time, event) in beside {
            self.put(*time, event);
        }
    }

    /// Puts what happened at one time into order.
    fn group(&mut self, time: Ns, carried: &[(Ns, Event<'_>)], beside: &[(Ns, Event<'_>)]) {
        if beside.is_empty() {
            for (time, event) in carried {
                self.put(*time, event);
            }
            return;
        }
        let is_mpi = |region: RegionId| self.source.resolved.expects(region) != Expected::NotMpi;
        let leave =
            carried.iter().position(|(_, event)| matches!(event, Event::Leave(Some(region)) if is_mpi(*region)));
        let enter = carried.iter().rposition(|(_, event)| matches!(event, Event::Enter(region) if is_mpi(*region)));
        let put_all = |merger: &mut Self, which: fn(&Event<'_>) -> bool| {
            beside.iter().filter(|(_, event)| which(event)).for_each(|(time, event)| merger.put(*time, event));
        };
        put_all(self, |event| !is_late(event) && !is_send(event));
        let mut posts_later = false;
        for (at, (_, event)) in carried.iter().enumerate() {
            if leave == Some(at) {
                put_all(self, is_end);
                // Some tracers post at the entry of the call: that is so if the call that ends here has posted already.
                posts_later = enter.is_some() && self.call.as_ref().is_some_and(|call| call.received);
                if !posts_later {
                    put_all(self, is_post);
                }
                if enter.is_none() {
                    put_all(self, is_send);
                }
            }
            self.put(time, event);
            if enter == Some(at) {
                put_all(self, is_send);
                if posts_later {
                    put_all(self, is_post);
                }
            }
        }
        if leave.is_none() {
            put_all(self, is_end);
            put_all(self, is_post);
            if enter.is_none() {
                put_all(self, is_send);
            }
        }
    }

    /// Notes what a call did.
    fn note(&mut self, event: &Event<'_>) {
        if let Some(call) = &mut self.call {
            call.sent |= is_send(event);
            call.received |= matches!(event, Event::Recv(_) | Event::Irecv(_) | Event::RecvRequest(_));
        }
    }

    fn put(&mut self, time: Ns, event: &Event<'_>) {
        let at = Ns(time.0 - self.source.origin);
        let resolved = &self.source.resolved;
        self.note(event);
        match event {
            Event::Enter(region) => {
                if resolved.expects(*region) != Expected::NotMpi && self.call.is_none() {
                    self.call = Some(Open { region: *region, sent: false, received: false });
                }
                self.out.enter(at, *region);
            }
            Event::Leave(region) => {
                if self.call.as_ref().is_some_and(|call| Some(call.region) == *region) {
                    self.end_call(at);
                }
                self.out.leave(at, *region);
            }
            Event::Send(end) => self.out.send(at, resolved.message(*end)),
            Event::Isend(end) => self.out.isend(at, resolved.message(*end)),
            Event::Recv(end) => self.out.recv(at, resolved.message(*end)),
            Event::Irecv(end) => self.out.irecv(at, resolved.message(*end)),
            Event::SendComplete(request) => self.out.send_complete(at, *request),
            Event::RecvRequest(request) => self.out.recv_request(at, *request),
            Event::RequestCancelled(request) => self.out.request_cancelled(at, *request),
            Event::CollectiveBegin => self.out.collective_begin(at),
            Event::CollectiveEnd(end) => self.out.collective_end(at, resolved.collective(*end)),
            Event::CollectiveRequest(request) => self.out.collective_request(at, *request),
            Event::CollectiveComplete(end) => self.out.collective_complete(at, resolved.collective(*end)),
            Event::Metric(value) => self.out.metric(at, *value),
            Event::Mark(mark) => self.out.mark(at, (*mark).clone()),
            // Nothing in this format tells of tasks.
            Event::Task(_) | Event::DependsOn(_) => {}
        }
    }

    /// A call that should have sent or received, and has no message: its partner was cut off, was not traced, or is
    /// nobody (`MPI_PROC_NULL`). The file does not tell which, so the end is kept without a partner.
    fn end_call(&mut self, at: Ns) {
        let Some(call) = self.call.take() else { return };
        let comm = self.source.resolved.lanes.first().copied().unwrap_or(CommId::NONE);
        let end = MessageEnd { peer: LocationId::NONE, comm, tag: u32::MAX, bytes: 0, request: RequestId::NONE };
        match self.source.resolved.expects(call.region) {
            Expected::Send if !call.sent => self.out.send(at, end),
            Expected::Receive if !call.received => self.out.recv(at, end),
            Expected::Post if !call.received => {
                self.posted += 1;
                self.out.recv_request(at, RequestId((1 << 62) + (u64::from(self.part) << 32) + self.posted));
            }
            _ => {}
        }
    }
}
