//! What happened on one location, in order: compact records that a reader fills and a consumer walks.
//!
//! A record is 16 bytes. Enter and leave, nine tenths of a trace, need no more; the others keep their
//! fields in side lists, so that a block of a million records stays small and is walked in order.

use crate::{CollectiveOp, CommId, LocationId, MetricId, Ns, RegionId, RequestId, TaskId, TaskInfo, Warnings};

/// What a record says. [`Event`] is the readable form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RecordKind {
    /// A region is entered; the argument is the region.
    Enter,
    /// A region is left; the argument is the region, or none: whatever is innermost.
    Leave,
    /// A blocking send starts.
    Send,
    /// A non-blocking send is posted.
    Isend,
    /// A non-blocking send is complete.
    SendComplete,
    /// A non-blocking receive is posted.
    RecvRequest,
    /// A blocking receive is complete.
    Recv,
    /// A non-blocking receive is complete.
    Irecv,
    /// A request will never complete.
    RequestCancelled,
    /// A blocking collective begins.
    CollectiveBegin,
    /// It ends, and says what it was.
    CollectiveEnd,
    /// A non-blocking collective is posted.
    CollectiveRequest,
    /// It is complete, and says what it was.
    CollectiveComplete,
    /// A counter has a value.
    Metric,
    /// An instant with a name.
    Mark,
    /// The innermost open region is the run of a task.
    Task,
    /// The task before this record waits for another.
    DependsOn,
}

/// All kinds, in the order of their numbers.
const KINDS: [RecordKind; 17] = [
    RecordKind::Enter,
    RecordKind::Leave,
    RecordKind::Send,
    RecordKind::Isend,
    RecordKind::SendComplete,
    RecordKind::RecvRequest,
    RecordKind::Recv,
    RecordKind::Irecv,
    RecordKind::RequestCancelled,
    RecordKind::CollectiveBegin,
    RecordKind::CollectiveEnd,
    RecordKind::CollectiveRequest,
    RecordKind::CollectiveComplete,
    RecordKind::Metric,
    RecordKind::Mark,
    RecordKind::Task,
    RecordKind::DependsOn,
];

/// One thing that happened. 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// When.
    pub time: Ns,
    /// A region, or a position in the side list of the kind.
    pub arg: u32,
    /// What.
    pub kind: RecordKind,
}

/// One end of a message as its own side sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageEnd {
    /// The other side, or [`LocationId::NONE`] if its rank is not in the communicator.
    pub peer: LocationId,
    /// The communicator.
    pub comm: CommId,
    /// The tag.
    pub tag: u32,
    /// Length in bytes.
    pub bytes: u64,
    /// The request of a non-blocking operation, else [`RequestId::NONE`].
    pub request: RequestId,
}

impl MessageEnd {
    /// A length that the trace does not tell: many recorders give it at the sender only.
    pub const UNKNOWN_LENGTH: u64 = u64::MAX;
}

/// What a collective says when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectiveEnd {
    /// What it does.
    pub op: CollectiveOp,
    /// On which communicator.
    pub comm: CommId,
    /// Its root, or [`LocationId::NONE`] where it has none.
    pub root: LocationId,
    /// Bytes this location gave. Recorders count differently: never add up across recorders.
    pub sent: u64,
    /// Bytes this location got.
    pub received: u64,
    /// The request of a non-blocking one, else [`RequestId::NONE`].
    pub request: RequestId,
    /// Which operation of its communicator this is, where the reader knows better than by counting: members with the
    /// same number belong together. Numbers of a communicator are dense from 0, and either all of its members have one
    /// or none has.
    pub number: Option<u32>,
}

/// A counter's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetricValue {
    /// Which counter.
    pub metric: MetricId,
    /// Its value in the metric's unit. Integers above 2^53 are rounded.
    pub value: f64,
}

/// Name and text of a mark.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MarkText {
    /// What kind of instant.
    pub name: String,
    /// What it says.
    pub text: String,
}

impl MarkText {
    /// The name of marks that say where in the source a call was made: they stand at the time of its entry, and their texts have
    /// callers from the outermost to the innermost, each with file and line as far as known.
    pub const CALL_SITE: &str = "call site";
}

/// A stretch of one location's records, in the order of the file, times never falling.
#[derive(Debug, Default)]
pub struct RecordBlock {
    records: Vec<Record>,
    messages: Vec<MessageEnd>,
    requests: Vec<RequestId>,
    collectives: Vec<CollectiveEnd>,
    metric_values: Vec<MetricValue>,
    marks: Vec<MarkText>,
    tasks: Vec<TaskInfo>,
    dependencies: Vec<TaskId>,
    /// Time of the last event of the file in this stretch, also of those that make no record here.
    pub last: Option<Ns>,
    /// How many events the file has in this stretch, also those that make no record here.
    pub events: u64,
    /// What was odd.
    pub warnings: Warnings,
}

/// The readable form of a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    /// A region is entered.
    Enter(RegionId),
    /// A region is left; `None` is the innermost one.
    Leave(Option<RegionId>),
    /// A blocking send starts.
    Send(MessageEnd),
    /// A non-blocking send is posted.
    Isend(MessageEnd),
    /// It is complete.
    SendComplete(RequestId),
    /// A non-blocking receive is posted.
    RecvRequest(RequestId),
    /// A blocking receive is complete.
    Recv(MessageEnd),
    /// A non-blocking receive is complete.
    Irecv(MessageEnd),
    /// A request will never complete.
    RequestCancelled(RequestId),
    /// A blocking collective begins.
    CollectiveBegin,
    /// It ends.
    CollectiveEnd(CollectiveEnd),
    /// A non-blocking collective is posted.
    CollectiveRequest(RequestId),
    /// It is complete.
    CollectiveComplete(CollectiveEnd),
    /// A counter has a value.
    Metric(MetricValue),
    /// An instant with a name.
    Mark(&'a MarkText),
    /// The innermost open region is the run of this task.
    Task(TaskInfo),
    /// The task before this record waits for that one.
    DependsOn(TaskId),
}

macro_rules! side_list_writers {
    ($($(#[$doc:meta])* $method:ident($value:ty) => $kind:ident in $list:ident;)*) => {$(
        $(#[$doc])*
        pub fn $method(&mut self, time: Ns, value: $value) {
            let arg = self.$list.len() as u32;
            self.$list.push(value);
            self.push(time, RecordKind::$kind, arg);
        }
    )*};
}

impl RecordBlock {
    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        self.records.clear();
        self.messages.clear();
        self.requests.clear();
        self.collectives.clear();
        self.metric_values.clear();
        self.marks.clear();
        self.tasks.clear();
        self.dependencies.clear();
        self.last = None;
        self.events = 0;
        self.warnings = Warnings::default();
    }

    /// Whether it keeps far more memory than its records take.
    pub fn is_roomy(&self) -> bool {
        self.records.capacity() > 8 * self.records.len() || self.messages.capacity() > 8 * self.records.len()
    }

    /// Makes room for `records` more.
    pub fn reserve(&mut self, records: usize) {
        self.records.reserve(records);
    }

    /// How many records.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    #[inline]
    fn push(&mut self, time: Ns, kind: RecordKind, arg: u32) {
        self.records.push(Record { time, arg, kind });
    }

    /// A region is entered.
    #[inline]
    pub fn enter(&mut self, time: Ns, region: RegionId) {
        self.push(time, RecordKind::Enter, region.0);
    }

    /// A region is left; `None` leaves whatever is innermost.
    #[inline]
    pub fn leave(&mut self, time: Ns, region: Option<RegionId>) {
        self.push(time, RecordKind::Leave, RegionId::from(region).0);
    }

    /// A blocking collective begins.
    pub fn collective_begin(&mut self, time: Ns) {
        self.push(time, RecordKind::CollectiveBegin, 0);
    }

    side_list_writers! {
        /// A blocking send starts.
        send(MessageEnd) => Send in messages;
        /// A non-blocking send is posted.
        isend(MessageEnd) => Isend in messages;
        /// A non-blocking send is complete.
        send_complete(RequestId) => SendComplete in requests;
        /// A non-blocking receive is posted.
        recv_request(RequestId) => RecvRequest in requests;
        /// A blocking receive is complete.
        recv(MessageEnd) => Recv in messages;
        /// A non-blocking receive is complete.
        irecv(MessageEnd) => Irecv in messages;
        /// A request will never complete.
        request_cancelled(RequestId) => RequestCancelled in requests;
        /// A blocking collective ends.
        collective_end(CollectiveEnd) => CollectiveEnd in collectives;
        /// A non-blocking collective is posted.
        collective_request(RequestId) => CollectiveRequest in requests;
        /// A non-blocking collective is complete.
        collective_complete(CollectiveEnd) => CollectiveComplete in collectives;
        /// A counter has a value.
        metric(MetricValue) => Metric in metric_values;
        /// An instant with a name.
        mark(MarkText) => Mark in marks;
        /// The innermost open region is the run of a task.
        task(TaskInfo) => Task in tasks;
        /// The task before this record waits for another.
        depends_on(TaskId) => DependsOn in dependencies;
    }

    /// Appends the records of another block of the same location, `earlier` taken off their times: for readers that
    /// learn only at the end when the trace began.
    pub fn append(&mut self, other: &RecordBlock, earlier: i64) {
        self.append_numbers(other, earlier);
        self.marks.extend_from_slice(&other.marks);
    }

    /// The same with a block that is cleared next: its text moves and is not copied.
    pub fn append_from(&mut self, other: &mut RecordBlock, earlier: i64) {
        self.append_numbers(other, earlier);
        self.marks.append(&mut other.marks);
    }

    /// Appends everything but the text of marks.
    fn append_numbers(&mut self, other: &RecordBlock, earlier: i64) {
        let shifted = |time: Ns| Ns(time.0.saturating_sub(earlier));
        let before = KINDS.map(|kind| self.listed(kind) as u32);
        self.records.extend(other.records.iter().map(|record| Record {
            time: shifted(record.time),
            // Positions in side lists are below 2^32 as long as blocks are; regions are not moved.
            arg: record.arg.wrapping_add(before[record.kind as usize]),
            kind: record.kind,
        }));
        self.messages.extend_from_slice(&other.messages);
        self.requests.extend_from_slice(&other.requests);
        self.collectives.extend_from_slice(&other.collectives);
        self.metric_values.extend_from_slice(&other.metric_values);
        self.tasks.extend(other.tasks.iter().map(|task| TaskInfo {
            submitted: if task.submitted.is_some() { shifted(task.submitted) } else { task.submitted },
            ready: if task.ready.is_some() { shifted(task.ready) } else { task.ready },
            ..*task
        }));
        self.dependencies.extend_from_slice(&other.dependencies);
        self.last = self.last.max(other.last.map(shifted));
        self.events += other.events;
        self.warnings.merge(&other.warnings);
    }

    /// The same with a block that is not needed any more: if there is nothing here yet, its records stay where they are.
    pub fn append_all(&mut self, mut other: RecordBlock, earlier: i64) {
        if !self.is_empty() || self.events > 0 || self.last.is_some() || !self.warnings.is_empty() {
            return self.append(&other, earlier);
        }
        if earlier != 0 {
            other.shift(earlier);
        }
        *self = other;
    }

    /// Takes `earlier` off all times.
    fn shift(&mut self, earlier: i64) {
        let shifted = |time: Ns| Ns(time.0.saturating_sub(earlier));
        self.records.iter_mut().for_each(|record| record.time = shifted(record.time));
        for task in &mut self.tasks {
            for time in [&mut task.submitted, &mut task.ready] {
                *time = if time.is_some() { shifted(*time) } else { *time };
            }
        }
        self.last = self.last.map(shifted);
    }

    /// How many entries the side list of a kind has; none if it has no list.
    fn listed(&self, kind: RecordKind) -> usize {
        match kind {
            RecordKind::Enter | RecordKind::Leave | RecordKind::CollectiveBegin => 0,
            RecordKind::Send | RecordKind::Isend | RecordKind::Recv | RecordKind::Irecv => self.messages.len(),
            RecordKind::SendComplete
            | RecordKind::RecvRequest
            | RecordKind::RequestCancelled
            | RecordKind::CollectiveRequest => self.requests.len(),
            RecordKind::CollectiveEnd | RecordKind::CollectiveComplete => self.collectives.len(),
            RecordKind::Metric => self.metric_values.len(),
            RecordKind::Mark => self.marks.len(),
            RecordKind::Task => self.tasks.len(),
            RecordKind::DependsOn => self.dependencies.len(),
        }
    }

    /// Lifts times before `earliest` to it, where the records of a block do not fall among themselves: for readers that
    /// find out at the seam of two blocks that time has gone back. Tells how many records that were.
    pub fn raise(&mut self, earliest: Ns) -> u64 {
        let mut raised = 0;
        for record in self.records.iter_mut().take_while(|record| record.time < earliest) {
            record.time = earliest;
            raised += 1;
        }
        self.last = self.last.map(|last| last.max(earliest));
        raised
    }

    /// Takes out all records of collectives: for readers that learn only at the end that they cannot be told apart.
    pub fn remove_collectives(&mut self) {
        self.records.retain(|record| {
            !matches!(
                record.kind,
                RecordKind::CollectiveBegin
                    | RecordKind::CollectiveEnd
                    | RecordKind::CollectiveRequest
                    | RecordKind::CollectiveComplete
            )
        });
    }

    /// Takes away which tiles tasks write: for readers that learn only at the end that none was ever set.
    pub fn forget_tiles(&mut self) {
        self.tasks.iter_mut().for_each(|task| task.tile = [TaskInfo::UNKNOWN; 2]);
    }

    /// Moves name and text of all marks out, in the order of their records, which keep their places.
    pub fn take_marks(&mut self) -> Vec<MarkText> {
        std::mem::take(&mut self.marks)
    }

    /// About how many bytes of memory the records take.
    pub fn bytes(&self) -> usize {
        let marks: usize = self.marks.iter().map(|mark| mark.name.len() + mark.text.len()).sum();
        size_of_val(&self.records[..])
            + size_of_val(&self.messages[..])
            + size_of_val(&self.requests[..])
            + size_of_val(&self.collectives[..])
            + size_of_val(&self.metric_values[..])
            + size_of_val(&self.marks[..])
            + size_of_val(&self.tasks[..])
            + size_of_val(&self.dependencies[..])
            + marks
    }

    /// The earliest time of any record.
    pub fn first(&self) -> Option<Ns> {
        self.records.iter().map(|record| record.time).min()
    }

    /// The records in order, readable.
    pub fn iter(&self) -> impl Iterator<Item = (Ns, Event<'_>)> {
        self.records.iter().map(|record| (record.time, self.event(record)))
    }

    #[inline]
    fn event(&self, record: &Record) -> Event<'_> {
        let at = record.arg as usize;
        match record.kind {
            RecordKind::Enter => Event::Enter(RegionId(record.arg)),
            RecordKind::Leave => Event::Leave(RegionId(record.arg).some()),
            RecordKind::Send => Event::Send(self.messages[at]),
            RecordKind::Isend => Event::Isend(self.messages[at]),
            RecordKind::SendComplete => Event::SendComplete(self.requests[at]),
            RecordKind::RecvRequest => Event::RecvRequest(self.requests[at]),
            RecordKind::Recv => Event::Recv(self.messages[at]),
            RecordKind::Irecv => Event::Irecv(self.messages[at]),
            RecordKind::RequestCancelled => Event::RequestCancelled(self.requests[at]),
            RecordKind::CollectiveBegin => Event::CollectiveBegin,
            RecordKind::CollectiveEnd => Event::CollectiveEnd(self.collectives[at]),
            RecordKind::CollectiveRequest => Event::CollectiveRequest(self.requests[at]),
            RecordKind::CollectiveComplete => Event::CollectiveComplete(self.collectives[at]),
            RecordKind::Metric => Event::Metric(self.metric_values[at]),
            RecordKind::Mark => Event::Mark(&self.marks[at]),
            RecordKind::Task => Event::Task(self.tasks[at]),
            RecordKind::DependsOn => Event::DependsOn(self.dependencies[at]),
        }
    }
}

#[cfg(test)]
mod tests;
