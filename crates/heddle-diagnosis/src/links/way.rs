//! What each message says about its way: the least and the most that it can have taken.
//!
//! A receive that was waiting when its message came shows when that was. From the send, or from the posting of a receive that
//! the send had to wait for, to there is the whole way. A receive that came after its message shows only an upper bound, which
//! still clears a way of suspicion. Of several messages that one call completes in the same moment only the last one's
//! arrival shows, and nobody says which that was: [`Way::shares`] marks them.
//!
//! Ways are compared with those of the same [`Class`]: the same length at the same distance, and as much sent just before.
//! A network card sends one message after the other, so the fourth of four takes four times as long, on every rank alike.

use heddle_model::{LocationId, Ns, SpanRow};
use rustc_hash::FxHashSet;

use crate::rows::Rows;
use crate::waits::late_receiver;

/// More messages of a row are not looked at: every so many calls are left out.
const MOST_MESSAGES: u64 = 1 << 18;
/// Messages of the same sender that are looked at for what was sent just before.
const MOST_AHEAD: usize = 16;
/// Nanoseconds after a message of no length, and for each byte, in which the next one counts as sent just behind it. Slower
/// than any card of today, so that what waited for the card is seen.
const BEHIND: f64 = 2_000.0;
const BEHIND_PER_BYTE: f64 = 0.25;
/// Classes of lengths for each doubling.
const LENGTHS: f64 = 8.0;

/// Messages that should take equally long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Class {
    /// Between nodes.
    pub(super) is_far: bool,
    /// The send had to wait for its receive: the way begins there.
    pub(super) is_met: bool,
    /// How long it is, in classes.
    pub(super) length: u16,
    /// How much its sender sent just before, in classes; 0 for nothing.
    pub(super) ahead: u16,
}

impl Class {
    /// How much its sender sent just before.
    pub(super) fn bytes_ahead(self) -> f64 {
        if self.ahead == 0 { 0.0 } else { bytes_of(self.ahead) }
    }
}

/// What a message says about its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) message: u64,
    /// The sender's row.
    pub(super) sender: u32,
    /// The call that received it.
    pub(super) call: SpanRow,
    pub(super) class: Class,
    pub(super) bytes: u64,
    /// When its receive was over.
    pub(super) end: i64,
    /// The least that it took; 0 if nothing is known.
    pub(super) least: i64,
    /// The most that it took.
    pub(super) most: i64,
    /// The receive was waiting in its call since.
    pub(super) waiting_since: i64,
    /// Others were completed in the same moment of the same call.
    pub(super) shares: bool,
}

impl Way {
    /// How long it took, if that is known well enough: receives are often posted a moment after the send that they meet.
    pub(super) fn exact(&self) -> Option<i64> {
        (self.least >= self.most - self.most.abs() / 5 && !self.shares).then_some(self.most)
    }
}

/// The class of a number of bytes; a power of two is the last of its class, for limits of protocols are.
pub(super) fn class_of(bytes: u64) -> u16 {
    let bytes = bytes.max(1) as f64;
    (bytes.log2() * LENGTHS).ceil() as u16 + 1
}

/// A typical length of a class.
pub(super) fn bytes_of(length: u16) -> f64 {
    (f64::from(length.saturating_sub(1)) / LENGTHS).exp2()
}

/// What has to be known of the machine.
#[derive(Debug)]
pub(super) struct Ground {
    /// By row: its node, as a number; equal numbers are one node.
    pub(super) node: Vec<u32>,
    /// What a call takes that has nothing to wait for, in nanoseconds.
    pub(super) overhead: i64,
    /// How many nodes.
    nodes: usize,
}

impl Ground {
    /// Looks at the nodes, and at short calls.
    pub(super) fn new(rows: &Rows<'_>) -> Ground {
        let node = |location: &LocationId| rows.store.node_of(*location).map_or(u32::MAX, |node| node.0);
        let node: Vec<u32> = rows.locations.iter().map(node).collect();
        let nodes = node.iter().collect::<FxHashSet<_>>().len();
        Ground { node, overhead: overhead(rows), nodes }
    }

    /// Which part of all pairs, or messages, lies below the middle of those that one slow card leaves alone: half of them on a
    /// large machine. On a small one the card is at one end of many: of two in `n`, if there are so many ends.
    pub(super) fn middle(&self, is_far: bool) -> f64 {
        let ends = if is_far && self.nodes > 1 { self.nodes } else { self.node.len() };
        (0.5 - 1.0 / ends.max(1) as f64).max(LEAST_MIDDLE)
    }
}

/// With so few ends that less is left alone, nobody can tell the slow from the others.
const LEAST_MIDDLE: f64 = 0.25;
/// What is thought of calls in a run without messages, in nanoseconds.
const WITHOUT_MESSAGES: i64 = 1_000;
/// Calls that are asked how short they can be.
const ASKED: u64 = 1 << 14;

/// What the shortest calls of messages take: the twentieth part, for some records are odd.
fn overhead(rows: &Rows<'_>) -> i64 {
    let messages = &rows.store.messages;
    let step = (messages.len() / ASKED).max(1);
    let mut of_sends: Vec<i64> = Vec::new();
    let mut of_receives: Vec<i64> = Vec::new();
    for message in (0..messages.len()).step_by(step as usize) {
        if let Some(span) = messages.send_span.get(message).some() {
            let (enter, leave) = rows.call(span);
            of_sends.push(leave - enter);
        }
        if let Some(span) = messages.recv_span.get(message).some() {
            of_receives.push(messages.recv.get(message).0 - rows.call(span).0);
        }
    }
    let short = |times: &mut Vec<i64>| {
        let at = times.len() / 20;
        if times.is_empty() { i64::MAX } else { *times.select_nth_unstable(at).1 }
    };
    let shortest = short(&mut of_sends).min(short(&mut of_receives));
    if shortest == i64::MAX { WITHOUT_MESSAGES } else { shortest.max(0) }
}

/// The ways of the messages that a row received, in the order of receiving.
pub(super) fn ways(rows: &Rows<'_>, ground: &Ground, row: usize) -> Vec<Way> {
    let (messages, order) = (&rows.store.messages, &rows.store.messages_by_receive);
    let location = rows.locations[row];
    let received = rows.received(location);
    let every = (received.end - received.start).div_ceil(MOST_MESSAGES).max(1);
    let mut ways: Vec<Way> = Vec::with_capacity(((received.end - received.start) / every) as usize);
    let (mut call, mut first, mut number) = (SpanRow::NONE, 0, 0);
    let (mut enter, mut leave, mut tests) = (0, 0, false);
    for message in order.message.iter(received) {
        let Some(span) = messages.recv_span.get(message).some() else { continue };
        if span != call {
            share(&mut ways[first..]);
            (call, first, number) = (span, ways.len(), number + 1);
            (enter, leave) = rows.call(span);
            tests = rows.class(rows.store.spans.region.get(span.0)).tests;
        }
        let sender = messages.send_location.get(message);
        let Some(sender) = rows.of(sender).filter(|sender| *sender != row && !tests && number % every == 0) else {
            continue;
        };
        ways.push(way(rows, ground, (row, sender), message, span, (enter, leave)));
    }
    share(&mut ways[first..]);
    ways
}

fn way(
    rows: &Rows<'_>,
    ground: &Ground,
    (row, sender): (usize, usize),
    message: u64,
    call: SpanRow,
    (enter, leave): (i64, i64),
) -> Way {
    let messages = &rows.store.messages;
    let (sent, bytes) = (rows.sent_at(message), messages.bytes.get(message));
    let posted = Some(messages.posted.get(message)).filter(|posted| posted.is_some()).map_or(enter, |posted| posted.0);
    let met = late_receiver(rows, message).map(|late| late.arrival);
    let end = messages.recv.get(message).0.clamp(enter, leave);
    let start = met.unwrap_or(sent);
    let was_waiting = start >= enter || end - enter > 2 * ground.overhead;
    let most = end - start;
    // Whether a send waits for its receive to be posted is not known if nobody had to wait for that.
    let least = if was_waiting { end - start.max(posted) } else { 0 };
    let class = Class {
        is_far: ground.node[row] != ground.node[sender],
        is_met: met.is_some(),
        length: class_of(bytes),
        ahead: ahead(rows, message, start, met.is_some()),
    };
    let least = if met.is_some() && was_waiting { most } else { least };
    Way { message, sender: sender as u32, call, class, bytes, end, least, most, waiting_since: enter, shares: false }
}

/// How much the sender of a message sent just before it, in classes.
fn ahead(rows: &Rows<'_>, message: u64, start: i64, is_met: bool) -> u16 {
    let messages = &rows.store.messages;
    let sender = messages.send_location.get(message);
    let begins = |other: u64| {
        let sent = messages.send.get(other).0;
        let posted = if is_met { messages.posted.get(other) } else { Ns::NONE };
        if posted.is_some() { sent.max(posted.0) } else { sent }
    };
    let mut bytes = 0u64;
    let mut count = 0u64;
    let mut next = start;
    for other in (0..message).rev().take(MOST_AHEAD) {
        if messages.send_location.get(other) != sender {
            break;
        }
        let (begin, length) = (begins(other), messages.bytes.get(other));
        if begin > start {
            continue;
        }
        if (next - begin) as f64 > BEHIND + length as f64 * BEHIND_PER_BYTE {
            break;
        }
        bytes = bytes.saturating_add(length);
        count += 1;
        next = begin;
    }
    if count == 0 { 0 } else { class_of(bytes + count) }
}

/// Marks messages of one call that were completed in the same moment.
fn share(ways: &mut [Way]) {
    for at in 1..ways.len() {
        if ways[at].end == ways[at - 1].end {
            ways[at].shares = true;
            ways[at - 1].shares = true;
        }
    }
}
