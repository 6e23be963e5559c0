//! Who sent how much to whom in any window of time, exactly: messages, bytes, how long they were on their way, and how long
//! their receivers waited for them.
//!
//! A location's messages lie in the order in which they were sent, so those of a window are a run of rows. Sums of that run come
//! from two edges of blocks of messages that are kept with the store ([`blocks`]), by **channel**: who receives, in which
//! communicator, from which function. At both ends of the run, and where a location sends to so many others that sums would save
//! nothing, messages are looked at one by one. So every number is what a visit to each message would give.
//!
//! **Wait** of a message: from the beginning of the call that completes its receive to the beginning of the call that sends it, no
//! longer than to the completion; nothing if the send began before. That is the late sender of the diagnosis, message by
//! message: of a call that completes several receives, each of them has its own.

mod blocks;
mod kept;
mod make;
mod single;

use std::ops::Range;
use std::path::Path;

use heddle_model::{CommId, LocationId, Ns, RegionId};
use heddle_store::{Derived, Progress, Store, StoreError};

use kept::Kept;

/// Number of this layout. Results of another are made again.
const FORMAT: u32 = 3;
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
        self.messages = self.messages.saturating_add(other.messages);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.timed = self.timed.saturating_add(other.timed);
        self.flight = self.flight.saturating_add(other.flight);
        self.wait = self.wait.saturating_add(other.wait);
    }

    /// Whether one of the sums has no room for more.
    fn is_full(&self) -> bool {
        [self.messages, self.bytes, self.flight, self.wait].contains(&u64::MAX)
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
    /// What of them.
    pub parts: Parts,
}

impl Wanted {
    fn has_communicator(&self, comm: CommId) -> bool {
        self.communicator.is_none_or(|wanted| wanted == comm)
    }
}

/// What is asked of messages besides how many they are and their lengths. What is not asked is 0, and takes no time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parts {
    /// All there is.
    #[default]
    All,
    /// Nothing.
    Lengths,
    /// How long they were waited for.
    Wait,
}

impl Parts {
    fn has_flight(self) -> bool {
        self == Parts::All
    }

    fn has_wait(self) -> bool {
        self != Parts::Lengths
    }
}

/// What is kept of a trace's messages.
#[derive(Debug)]
pub struct Messages {
    kept: Kept,
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
        Ok(Messages { kept: Kept::open(path, store)? })
    }

    /// How many pairs of a sender and a receiver there are, or rather channels: what asking all senders takes.
    pub fn channels(&self) -> u64 {
        self.kept.channels()
    }

    /// Who receives messages of a location, some perhaps several times.
    pub fn receivers(&self, sender: LocationId) -> impl Iterator<Item = LocationId> {
        self.kept.receivers(sender)
    }

    /// The rows of all messages of a location, in the order in which it sent them.
    pub fn rows(&self, sender: LocationId) -> Range<u64> {
        self.kept.rows(sender)
    }

    /// Those of them that it sent in a window of time.
    pub fn rows_in(&self, store: &Store, sender: LocationId, (from, to): Window) -> Range<u64> {
        let rows = self.rows(sender);
        let first = if from.0 <= 0 { rows.start } else { self.kept.first_since(store, sender, from) };
        let is_end = to.0 > store.summary().end_ns;
        first..if is_end { rows.end } else { self.kept.first_since(store, sender, to).max(first) }
    }

    /// What a location sent from a moment to another, both included: `add` gets who received it, perhaps several times.
    pub fn sent(
        &self,
        store: &Store,
        sender: LocationId,
        time: (Ns, Ns),
        wanted: &Wanted,
        mut add: impl FnMut(LocationId, &Exchanged),
    ) {
        let run = self.rows_in(store, sender, (time.0, after(time.1)));
        self.kept.of(store, sender, run, wanted).all(&mut add);
    }

    /// What some of the messages of a location come to, given by their rows: of all, or of those that were received in a window.
    /// `add` gets who received it, perhaps several times.
    pub fn of_rows(
        &self,
        store: &Store,
        (sender, rows): (LocationId, Range<u64>),
        received: Option<Window>,
        wanted: &Wanted,
        mut add: impl FnMut(LocationId, &Exchanged),
    ) {
        let all = self.rows(sender);
        let first = rows.start.max(all.start);
        let run = self.kept.of(store, sender, first..rows.end.min(all.end).max(first), wanted);
        match received {
            Some(window) => run.received(window, &mut add),
            None => run.all(&mut add),
        }
    }
}

/// From a moment on, and before another.
pub type Window = (Ns, Ns);

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
    /// The function that sends; `NONE` if that is not known.
    region: RegionId,
    /// Received before it was sent: clocks disagree, and nobody knows how long it took.
    is_backward: bool,
}
