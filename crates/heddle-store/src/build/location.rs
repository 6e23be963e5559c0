//! Walks one location's records in order: a stack of open regions becomes spans, open requests become
//! ends of messages and members of collectives.
//!
//! Nothing is assumed to balance. A leave closes its region and everything entered after it; a leave of a
//! region that is not open is dropped; what is open at the end is closed at the location's last event; a
//! request id that is posted again closes the older request silently.

use rustc_hash::FxHashMap;

use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, Event, LocationId, MessageEnd, Ns, RecordBlock, RegionId, RequestId, SpanRow,
    TaskInfo, WarningKind, Warnings,
};

use super::ends::{EndState, Ends, Envelope, MemberEnd, RecvEnd, SendEnd, UNNUMBERED};
use super::requests::OpenRequests;
use crate::table::Rows;
use crate::tables::{DependencyRows, MarkRows, MetricValueRows, SpanRows, TaskRows};

/// Deeper nesting is not kept: a depth has 16 bits, and only broken traces reach it.
const DEEPEST: usize = u16::MAX as usize;

struct OpenSpan {
    region: RegionId,
    start: Ns,
    ordinal: u64,
    /// Time spent in spans directly inside.
    inside: i64,
}

/// A request in flight keeps its record, so that completing it can write the record whole.
enum OpenRequest {
    Send(u64, SendEnd),
    Recv(u64, RecvEnd),
    Collective(u64, MemberEnd),
}

/// How often and how long a region was visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegionTotals {
    pub(crate) count: u64,
    pub(crate) total: i64,
    pub(crate) exclusive: i64,
    pub(crate) shortest: i64,
    pub(crate) longest: i64,
}

impl Default for RegionTotals {
    fn default() -> RegionTotals {
        RegionTotals { count: 0, total: 0, exclusive: 0, shortest: i64::MAX, longest: 0 }
    }
}

impl RegionTotals {
    pub(crate) fn add(&mut self, other: RegionTotals) {
        self.count += other.count;
        self.total = self.total.wrapping_add(other.total);
        self.exclusive = self.exclusive.wrapping_add(other.exclusive);
        self.shortest = self.shortest.min(other.shortest);
        self.longest = self.longest.max(other.longest);
    }
}

/// What one stretch of a location's records gave.
#[derive(Default)]
pub(crate) struct LocationOutput {
    pub(crate) spans: SpanRows,
    /// Ends of spans of earlier stretches: position on the location, time.
    pub(crate) span_ends: Vec<(u64, Ns)>,
    pub(crate) sends: Ends<SendEnd>,
    pub(crate) recvs: Ends<RecvEnd>,
    pub(crate) members: Ends<MemberEnd>,
    pub(crate) metric_values: MetricValueRows,
    pub(crate) marks: MarkRows,
    /// Spans are positions on the location.
    pub(crate) tasks: TaskRows,
    /// Tasks are positions on the location.
    pub(crate) dependencies: DependencyRows,
    pub(crate) totals: FxHashMap<RegionId, RegionTotals>,
    pub(crate) warnings: Warnings,
    pub(crate) events: u64,
    /// The last event, if there was any.
    pub(crate) last: Option<Ns>,
}

impl LocationOutput {
    /// Forgets everything but keeps the memory, for another location.
    pub(crate) fn clear(&mut self) {
        self.spans.clear();
        self.span_ends.clear();
        self.sends.clear();
        self.recvs.clear();
        self.members.clear();
        self.metric_values.clear();
        self.marks.clear();
        self.tasks.clear();
        self.dependencies.clear();
        self.totals.clear();
        self.warnings = Warnings::default();
        self.events = 0;
        self.last = None;
    }
}

/// The walk over one location, which may be fed in several stretches.
pub(crate) struct LocationWalk {
    location: LocationId,
    /// How warnings call it.
    name: String,
    stack: Vec<OpenSpan>,
    requests: OpenRequests<OpenRequest>,
    open_collective: Option<(u64, MemberEnd)>,
    spans_before: u64,
    tasks_before: u64,
    last: Ns,
    out: LocationOutput,
}

impl LocationWalk {
    /// A walk that has not begun. `out` is empty; its memory may have served another location.
    pub(crate) fn new(location: LocationId, name: String, out: LocationOutput) -> LocationWalk {
        LocationWalk {
            location,
            name,
            stack: Vec::new(),
            requests: OpenRequests::default(),
            open_collective: None,
            spans_before: 0,
            tasks_before: 0,
            // Times never fall on a location, and none is before the trace's zero.
            last: Ns(0),
            out,
        }
    }

    pub(crate) fn location(&self) -> LocationId {
        self.location
    }

    /// Walks the next records.
    pub(crate) fn feed(&mut self, block: &mut RecordBlock) {
        self.out.events += block.events;
        // About every third record is an enter; growing step by step would copy what is there again and again.
        self.out.spans.reserve(block.len() / 3);
        self.out.warnings.merge(&block.warnings);
        let mut falls = 0;
        for (time, event) in block.iter() {
            if time < self.last {
                falls += u64::from(time.is_some());
            } else {
                self.last = time;
            }
            self.event(self.last, &event);
        }
        for mark in block.take_marks() {
            self.out.marks.name.push(mark.name);
            self.out.marks.text.push(mark.text);
        }
        if let Some(last) = block.last {
            self.last = self.last.max(last);
            self.out.last = Some(self.last);
        }
        self.warn(WarningKind::TimeFalls, falls, "times fall within a location; they were raised to the time before");
    }

    /// Hands over what the records so far gave; the walk can go on.
    pub(crate) fn take(&mut self) -> LocationOutput {
        self.spans_before += self.out.spans.start.len() as u64;
        self.tasks_before += self.out.tasks.len() as u64;
        // The next stretch goes on counting where this one ends.
        let next = LocationOutput {
            sends: self.out.sends.next(),
            recvs: self.out.recvs.next(),
            members: self.out.members.next(),
            ..LocationOutput::default()
        };
        std::mem::replace(&mut self.out, next)
    }

    /// Closes what is still open. Call before the last [`Self::take`].
    pub(crate) fn finish(&mut self) {
        let open = self.stack.len() as u64;
        while !self.stack.is_empty() {
            self.close_top(self.last);
        }
        self.warn(
            WarningKind::OpenRegions,
            open,
            "regions were still open at the end; they end at their location's last event",
        );
        let unfinished = self.requests.clear() as u64;
        self.warn(WarningKind::OpenRequests, unfinished, OPEN_REQUESTS);
    }

    fn warn(&mut self, kind: WarningKind, count: u64, text: &str) {
        // The collection leaves out what never happened.
        self.out.warnings.add_many(kind, count, || self.name.clone(), text);
    }

    #[inline]
    fn event(&mut self, time: Ns, event: &Event) {
        match event {
            Event::Enter(region) => self.enter(time, *region),
            Event::Leave(region) => self.leave(time, *region),
            Event::Send(end) | Event::Isend(end) => self.send(time, end),
            Event::Recv(end) | Event::Irecv(end) => self.receive(time, end),
            Event::RecvRequest(request) => self.post_receive(time, *request),
            Event::SendComplete(request) => {
                if let Some(OpenRequest::Send(at, end)) = self.requests.close(*request) {
                    self.out.sends.replace(at, SendEnd { completed: time, ..end });
                }
            }
            Event::RequestCancelled(request) => match self.requests.close(*request) {
                Some(OpenRequest::Recv(at, end)) => {
                    self.out.recvs.replace(at, RecvEnd { state: EndState::CANCELLED, ..end });
                }
                Some(OpenRequest::Collective(at, end)) => {
                    self.out.members.replace(at, MemberEnd { state: EndState::CANCELLED, ..end });
                }
                _ => {}
            },
            Event::CollectiveBegin => self.collective_begin(time),
            Event::CollectiveEnd(end) => self.collective_end(time, end),
            Event::CollectiveRequest(request) => {
                let member = self.member(time);
                let at = self.out.members.push(member);
                self.open_request(*request, OpenRequest::Collective(at, member));
            }
            Event::CollectiveComplete(end) => self.collective_complete(time, end),
            Event::Metric(value) => {
                let rows = &mut self.out.metric_values;
                rows.location.push(self.location);
                rows.metric.push(value.metric);
                rows.time.push(time);
                rows.value.push(value.value);
            }
            // Its text moves here once all records are walked.
            Event::Mark(_) => {
                self.out.marks.location.push(self.location);
                self.out.marks.time.push(time);
            }
            Event::Task(task) => self.task(task),
            Event::DependsOn(on) => {
                let before = self.tasks_before + self.out.tasks.len() as u64;
                if let Some(task) = before.checked_sub(1) {
                    self.out.dependencies.task.push(task);
                    self.out.dependencies.on.push(*on);
                }
            }
        }
    }

    /// A task without a run says nothing that could be shown.
    fn task(&mut self, task: &TaskInfo) {
        let span = self.span();
        if span.is_some() {
            let rows = &mut self.out.tasks;
            rows.span.push(span);
            rows.id.push(task.id);
            rows.submitted.push(task.submitted);
            rows.ready.push(task.ready);
            rows.iteration.push(task.iteration);
            rows.tile_row.push(task.tile[0]);
            rows.tile_column.push(task.tile[1]);
        }
    }

    #[inline]
    fn enter(&mut self, time: Ns, region: RegionId) {
        if self.stack.len() >= DEEPEST {
            self.warn(WarningKind::OpenRegions, 1, "regions nested deeper than 65,535 were left out");
            return;
        }
        let rows = &mut self.out.spans;
        let ordinal = self.spans_before + rows.start.len() as u64;
        rows.start.push(time);
        rows.end.push(time);
        rows.region.push(region);
        rows.depth.push(self.stack.len() as u16);
        self.stack.push(OpenSpan { region, start: time, ordinal, inside: 0 });
    }

    #[inline]
    fn leave(&mut self, time: Ns, region: Option<RegionId>) {
        match (self.stack.last(), region) {
            (Some(top), Some(region)) if top.region == region => self.close_top(time),
            (Some(_), None) => self.close_top(time),
            _ => self.leave_unbalanced(time, region),
        }
    }

    #[cold]
    fn leave_unbalanced(&mut self, time: Ns, region: Option<RegionId>) {
        match self.stack.iter().rposition(|open| Some(open.region) == region) {
            Some(depth) => {
                while self.stack.len() > depth {
                    self.close_top(time);
                }
                self.warn(
                    WarningKind::CrossingRegions,
                    1,
                    "regions cross instead of nesting; a leave closed those entered after its own",
                );
            }
            None => self.warn(WarningKind::StrayLeaves, 1, "leaves of regions that are not open were dropped"),
        }
    }

    #[inline]
    fn close_top(&mut self, time: Ns) {
        let Some(open) = self.stack.pop() else { return };
        match open.ordinal.checked_sub(self.spans_before) {
            Some(row) => self.out.spans.end[row as usize] = time,
            None => self.out.span_ends.push((open.ordinal, time)),
        }
        let duration = time.since(open.start);
        if let Some(around) = self.stack.last_mut() {
            around.inside = around.inside.wrapping_add(duration);
        }
        let exclusive = duration.wrapping_sub(open.inside);
        let visit = RegionTotals { count: 1, total: duration, exclusive, shortest: duration, longest: duration };
        self.out.totals.entry(open.region).or_default().add(visit);
    }

    /// The innermost open call, as a position on this location.
    fn span(&self) -> SpanRow {
        self.stack.last().map_or(SpanRow::NONE, |open| SpanRow(open.ordinal))
    }

    fn open_request(&mut self, request: RequestId, open: OpenRequest) {
        let gone = self.requests.open(request, open);
        if gone > 0 {
            self.warn(WarningKind::OpenRequests, gone as u64, OPEN_REQUESTS);
        }
    }

    fn send(&mut self, time: Ns, end: &MessageEnd) {
        let send = SendEnd { envelope: Envelope::of(self.location, end), time, completed: Ns::NONE, span: self.span() };
        let at = self.out.sends.push(send);
        if end.request.is_some() {
            self.open_request(end.request, OpenRequest::Send(at, send));
        }
    }

    fn post_receive(&mut self, time: Ns, request: RequestId) {
        let posted = RecvEnd {
            envelope: Envelope::unknown(self.location),
            time,
            posted: time,
            span: self.span(),
            state: EndState::OPEN,
        };
        let at = self.out.recvs.push(posted);
        self.open_request(request, OpenRequest::Recv(at, posted));
    }

    fn receive(&mut self, time: Ns, end: &MessageEnd) {
        let mut received = RecvEnd {
            envelope: Envelope::of(self.location, end),
            time,
            posted: Ns::NONE,
            span: self.span(),
            state: EndState::COMPLETE,
        };
        let request = end.request.some().and_then(|request| self.requests.close(request));
        if let Some(OpenRequest::Recv(at, posted)) = request {
            received.posted = posted.posted;
            self.out.recvs.replace(at, received);
        } else {
            // Without a record of its posting a receive is taken to be posted where it completes.
            self.out.recvs.push(received);
        }
    }

    /// A member that has begun and not yet said what it is.
    fn member(&self, time: Ns) -> MemberEnd {
        MemberEnd {
            location: self.location,
            comm: CommId::NONE,
            root: LocationId::NONE,
            op: CollectiveOp::UNKNOWN,
            sent: 0,
            received: 0,
            start: time,
            end: time,
            span: self.span(),
            state: EndState::OPEN,
            number: UNNUMBERED,
        }
    }

    fn collective_begin(&mut self, time: Ns) {
        // A begin that never got its end is left open: recorders write some for non-blocking collectives.
        let member = self.member(time);
        self.open_collective = Some((self.out.members.push(member), member));
    }

    fn collective_end(&mut self, time: Ns, end: &CollectiveEnd) {
        let (at, member) = self.open_collective.take().unwrap_or_else(|| {
            let mut member = self.member(time);
            member.start = self.stack.last().map_or(time, |open| open.start);
            (self.out.members.push(member), member)
        });
        self.out.members.replace(at, completed(member, time, end));
    }

    fn collective_complete(&mut self, time: Ns, end: &CollectiveEnd) {
        let request = self.requests.close(end.request);
        let (at, mut member) = if let Some(OpenRequest::Collective(at, member)) = request {
            (at, member)
        } else {
            let member = self.member(time);
            (self.out.members.push(member), member)
        };
        member.span = self.span();
        self.out.members.replace(at, completed(member, time, end));
    }
}

const OPEN_REQUESTS: &str = "non-blocking operations whose completion was not recorded; when they ended is not known";

fn completed(member: MemberEnd, time: Ns, end: &CollectiveEnd) -> MemberEnd {
    MemberEnd {
        comm: end.comm,
        root: end.root,
        op: end.op,
        sent: end.sent,
        received: end.received,
        end: time,
        state: EndState::COMPLETE,
        number: end.number.unwrap_or(UNNUMBERED),
        ..member
    }
}
