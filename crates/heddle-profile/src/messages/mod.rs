//! Who sent how much to whom in any window of time, exactly: messages, bytes, how long they were on their way, and how long
//! their receivers waited for them.
//!
//! A location's messages lie in the order in which they were sent, so those of a window are a run of rows. Sums of that run come
//! from blocks of messages that are kept with the store ([`blocks`]), by **channel**: who receives, in which communicator, from
//! which function. At both ends of the run, and where a location sends to so many others that sums would save nothing, messages
//! are looked at one by one. So every number is what a visit to each message would give.
//!
//! **Wait** of a message: from the beginning of the call that completes its receive to the beginning of the call that sends it, no
//! longer than to the completion; nothing if the send began before. That is the late sender of the diagnosis, message by
//! message: of a call that completes several receives, each of them has its own.

mod blocks;
mod make;

use std::ops::Range;
use std::path::Path;

use heddle_model::{CommId, LocationId, Ns, RegionId, SpanRow};
use heddle_store::{Cursor, Derived, Progress, Store, StoreError};

use blocks::{Blocks, WaitTable};

/// Number of this layout. Results of another are made again.
const FORMAT: u32 = 2;
/// What the place of a result is named after.
const KIND: &str = "messages";

/// Some messages together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exchanged {
    /// How many.
    pub messages: u64,
    /// Their lengths.
    pub bytes: u64,
    /// The lengths of those that were received after they were sent; where clocks disagree, others are there too.
    pub timed: u64,
    /// How long those were on their way, each from its sending to the completion of its receive.
    pub flight: u64,
    /// How long receivers waited for them.
    pub wait: u64,
}

impl Exchanged {
    /// Adds others to them.
    pub fn add(&mut self, other: &Exchanged) {
        self.messages += other.messages;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.timed = self.timed.saturating_add(other.timed);
        self.flight = self.flight.saturating_add(other.flight);
        self.wait = self.wait.saturating_add(other.wait);
    }

    /// Bytes per second while they were on their way; none if nobody knows how long that was.
    pub fn bandwidth(&self) -> Option<f64> {
        (self.flight > 0).then(|| self.timed as f64 / (self.flight as f64 / 1e9))
    }

    /// Nanoseconds that a message was waited for, on average.
    pub fn mean_wait(&self) -> Option<f64> {
        (self.messages > 0).then(|| self.wait as f64 / self.messages as f64)
    }
}

/// Which messages count.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Those of this communicator; of any if not given.
    pub communicator: Option<CommId>,
    /// None that a call of one of these functions sends.
    pub hidden: Vec<RegionId>,
}

impl Wanted {
    fn has(&self, comm: CommId, region: RegionId) -> bool {
        self.communicator.is_none_or(|wanted| wanted == comm) && !self.hidden.contains(&region)
    }
}

/// What is kept of a trace's messages.
#[derive(Debug)]
pub struct Messages {
    blocks: Blocks,
    waits: WaitTable,
}

impl Messages {
    /// The sums of a trace's messages, made if they are not kept yet.
    pub fn open(store: &Store, progress: &dyn Progress) -> Result<Messages, StoreError> {
        let read = |path: &Path| Messages::read(store, path);
        Derived::place(store, KIND, &key()).open_or_make(progress, read, |path| make::make(store, path, progress))
    }

    /// The same if they are at hand.
    pub fn find(store: &Store) -> Option<Messages> {
        Derived::existing(store, KIND, &key())?.find(|path| Messages::read(store, path))
    }

    fn read(store: &Store, path: &Path) -> Result<Messages, StoreError> {
        let (blocks, waits) = (Blocks::open(path, store)?, WaitTable::open(path)?);
        if waits.len() == store.messages.len() {
            return Ok(Messages { blocks, waits });
        }
        Err(StoreError::Damaged { path: path.to_owned(), what: "waits do not fit the trace".to_owned() })
    }

    /// What a location sent from a moment to another, both included: `add` gets who received it, perhaps several times.
    pub fn sent(
        &self,
        store: &Store,
        sender: LocationId,
        time: (Ns, Ns),
        wanted: &Wanted,
        add: impl FnMut(LocationId, &Exchanged),
    ) {
        self.sent_and_received(store, sender, (Some((time.0, after(time.1))), None), wanted, add);
    }

    /// What a location sent in a window of time that was received in another one, their ends excluded; whenever that was, if a
    /// window is not given. `add` gets who received it, perhaps several times.
    pub fn sent_and_received(
        &self,
        store: &Store,
        sender: LocationId,
        (sent, received): (Option<Window>, Option<Window>),
        wanted: &Wanted,
        mut add: impl FnMut(LocationId, &Exchanged),
    ) {
        let Some(rows) = self.blocks.rows(sender).filter(|rows| !rows.is_empty()) else { return };
        let sends = &store.messages.send;
        let (from, to) = sent.unwrap_or((Ns(i64::MIN), Ns(i64::MAX)));
        let first = if from.0 <= 0 { rows.start } else { sends.first_since(rows.clone(), from) };
        let is_end = to.0 > store.summary().end_ns;
        let last = if is_end { rows.end } else { sends.first_since(first..rows.end, to) };
        let rest = |rows: Range<u64>, add: &mut dyn FnMut(LocationId, &Exchanged)| {
            let mut reader = Reader::new(store, Some(&self.waits), !wanted.hidden.is_empty());
            for row in rows {
                let is_received = received.is_none_or(|(from, to)| (from..to).contains(&reader.received(row)));
                if !is_received {
                    continue;
                }
                let (channel, sum) = reader.message(row);
                if wanted.has(channel.comm, channel.region) {
                    add(channel.receiver, &sum);
                }
            }
        };
        self.blocks.for_each(sender, (first..last, received), wanted, &mut add, rest);
    }
}

/// From a moment on, and before another.
type Window = (Ns, Ns);

/// The moment after another.
fn after(moment: Ns) -> Ns {
    Ns(moment.0.saturating_add(1))
}

/// All that decides a result.
fn key() -> String {
    format!("{KIND} {FORMAT}")
}

/// What messages are added up by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Channel {
    receiver: LocationId,
    comm: CommId,
    /// The function that sends; `NONE` if that is not known or not asked for.
    region: RegionId,
    /// Received before it was sent: clocks disagree, and nobody knows how long it took.
    is_backward: bool,
}

/// Reads messages one by one, in the order of their rows.
struct Reader<'a> {
    store: &'a Store,
    receiver: Cursor<'a, LocationId>,
    send: Cursor<'a, Ns>,
    recv: Cursor<'a, Ns>,
    bytes: Cursor<'a, u64>,
    comm: Cursor<'a, CommId>,
    send_span: Cursor<'a, SpanRow>,
    region: Cursor<'a, RegionId>,
    wait: Option<Cursor<'a, u32>>,
    has_regions: bool,
}

impl<'a> Reader<'a> {
    fn new(store: &'a Store, waits: Option<&'a WaitTable>, has_regions: bool) -> Reader<'a> {
        let messages = &store.messages;
        Reader {
            store,
            receiver: messages.recv_location.cursor(),
            send: messages.send.cursor(),
            recv: messages.recv.cursor(),
            bytes: messages.bytes.cursor(),
            comm: messages.comm.cursor(),
            send_span: messages.send_span.cursor(),
            region: store.spans.region.cursor(),
            wait: waits.map(|waits| waits.wait.cursor()),
            has_regions,
        }
    }

    /// When the message of a row was received.
    fn received(&mut self, row: u64) -> Ns {
        self.recv.get(row)
    }

    /// The message of a row by itself.
    fn message(&mut self, row: u64) -> (Channel, Exchanged) {
        let flight = self.recv.get(row).since(self.send.get(row));
        let bytes = self.bytes.get(row);
        let is_backward = flight <= 0;
        let region = match self.has_regions.then(|| self.send_span.get(row)).and_then(SpanRow::some) {
            Some(span) => self.region.get(span.0),
            None => RegionId::NONE,
        };
        let channel = Channel { receiver: self.receiver.get(row), comm: self.comm.get(row), region, is_backward };
        let kept = self.wait.as_mut().map_or(LONG, |wait| wait.get(row));
        let wait = if kept == LONG { waited_for(self.store, row) } else { u64::from(kept) };
        let (timed, flight) = if is_backward { (0, 0) } else { (bytes, flight.unsigned_abs()) };
        (channel, Exchanged { messages: 1, bytes, timed, flight, wait })
    }
}

/// Stands for a wait that has no room in its column, and is looked up in the calls.
const LONG: u32 = u32::MAX;

/// How long a message was waited for, from the calls at its ends.
fn waited_for(store: &Store, row: u64) -> u64 {
    let (messages, starts) = (&store.messages, &store.spans.start);
    let Some(receives) = messages.recv_span.get(row).some() else { return 0 };
    let sent = match messages.send_span.get(row).some() {
        Some(sends) => starts.get(sends.0),
        None => messages.send.get(row),
    };
    let until = sent.min(messages.recv.get(row));
    until.since(starts.get(receives.0)).max(0).unsigned_abs()
}
