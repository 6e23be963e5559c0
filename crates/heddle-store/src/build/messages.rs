//! Matches sends with receives.
//!
//! Key: communicator, sender, receiver, tag. Within a key the i-th send belongs to the i-th posted
//! receive, since MPI does not let messages overtake; clocks play no part. Keys are dealt out to classes
//! by a hash: classes are matched in parallel, and in several rounds when the queues of all would not fit
//! the memory budget. Each class gives its sends' receives in the order of sending; a last walk over all sends
//! takes from each class what is next.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use heddle_model::{CommId, LocationId, MessageEnd, Ns, SpanRow, WarningKind, Warnings};

use super::ends::{EndState, Envelope, RecvEnd, SendEnd};
use super::receives::write_by_receive;
use super::spill::{Spill, SpillWriter};
use super::{BuildContext, CommsInUse, Walked};
use crate::StoreError;
use crate::table::TableWriter;
use crate::tables::{LengthMismatchRows, MessageRows, UnmatchedRows};

/// Memory that a queued receive may take: its place, a link, and a key of its own in the worst case.
const BYTES_PER_RECEIVE: u64 = 64;

/// How the ends of messages came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MessageCounts {
    pub(crate) matched: u64,
    pub(crate) unmatched_sends: u64,
    pub(crate) unmatched_receives: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    comm: CommId,
    sender: LocationId,
    receiver: LocationId,
    tag: u32,
}

impl Key {
    /// Threads speak for their process: a key names main locations.
    fn of_send(context: &BuildContext, send: &SendEnd) -> Key {
        Key {
            comm: send.envelope.comm,
            sender: context.main_location(send.envelope.location),
            receiver: send.envelope.peer,
            tag: send.envelope.tag,
        }
    }

    fn of_receive(context: &BuildContext, recv: &RecvEnd) -> Key {
        Key {
            comm: recv.envelope.comm,
            sender: recv.envelope.peer,
            receiver: context.main_location(recv.envelope.location),
            tag: recv.envelope.tag,
        }
    }

    fn class(self, classes: u64) -> u64 {
        let mixed = (u64::from(self.comm.0) << 32 | u64::from(self.sender.0))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(u64::from(self.receiver.0) << 32 | u64::from(self.tag))
            .wrapping_mul(0xd6e8_feb8_6659_fd93);
        (mixed >> 40) % classes
    }
}

/// In the place of a receive's number, where a send has none.
const NO_RECEIVE: u64 = u64::MAX;

/// Sends whose receives are fetched together: reads from all over the memory do not wait for each other then.
const AT_ONCE: usize = 512;

/// Matches everything and writes the tables of messages, by sending and by receiving, and of unmatched ends.
pub(super) fn match_messages(
    context: &BuildContext,
    walked: &Walked,
    comms: &mut CommsInUse,
    warnings: &mut Warnings,
) -> Result<MessageCounts, StoreError> {
    let (sends, recvs) = (&walked.sends, &walked.recvs);
    let classes = match_classes(context, sends, recvs)?;
    // Each class gives its sends' receives in the order of sending, so one walk over the sends uses them up.
    let mut receives: Vec<_> = classes.iter().map(Spill::iter).collect();
    let mut output = MessageTables::create(context)?;
    let mut unmatched = UnmatchedEnds::create(context)?;
    let mut left = sends.iter().map(|send| {
        let class = Key::of_send(context, &send).class(classes.len() as u64);
        (send, receives[class as usize].next().filter(|recv| *recv != NO_RECEIVE))
    });
    let mut some: Vec<(SendEnd, Option<u64>)> = Vec::with_capacity(AT_ONCE);
    let mut ends: Vec<Option<RecvEnd>> = Vec::with_capacity(AT_ONCE);
    loop {
        context.progress.check()?;
        some.clear();
        some.extend(left.by_ref().take(AT_ONCE));
        if some.is_empty() {
            break;
        }
        ends.clear();
        ends.extend(some.iter().map(|(_, recv)| recv.map(|recv| recvs.get(recv))));
        for ((send, number), recv) in some.iter().zip(&ends) {
            comms.note(send.envelope.comm);
            match number.zip(recv.as_ref()) {
                Some((number, recv)) => output.matched(context, send, number, recv, warnings)?,
                None => unmatched.send(send)?,
            }
        }
    }
    let (matched, received) = output.finish()?;
    unmatched.counts.matched = matched;
    write_by_receive(context, walked, &received, |recv, is_received| {
        comms.note(recv.envelope.comm);
        let is_left = !is_received && recv.state != EndState::CANCELLED;
        if is_left { unmatched.receive(recv) } else { Ok(()) }
    })?;
    context.progress.advance(sends.len() + recvs.len());
    unmatched.finish(warnings)
}

/// For each class the receives of its sends, in the order of sending; [`NO_RECEIVE`] where there is none.
fn match_classes(
    context: &BuildContext,
    sends: &Spill<SendEnd>,
    recvs: &Spill<RecvEnd>,
) -> Result<Vec<Spill<u64>>, StoreError> {
    let at_once = rayon::current_num_threads().max(1) as u64;
    let share = (context.memory / 2 / at_once).max(1 << 20);
    let classes = (recvs.len() * BYTES_PER_RECEIVE).div_ceil(share).clamp(at_once, 4096);
    (0..classes)
        .into_par_iter()
        .map(|class| {
            context.progress.check()?;
            match_class(context, sends, recvs, class, classes)
        })
        .collect()
}

/// First and last receive in a queue of one key.
struct Queue {
    head: u32,
    tail: u32,
}

const END_OF_QUEUE: u32 = u32::MAX;

fn match_class(
    context: &BuildContext,
    sends: &Spill<SendEnd>,
    recvs: &Spill<RecvEnd>,
    class: u64,
    classes: u64,
) -> Result<Spill<u64>, StoreError> {
    let mut queues: FxHashMap<Key, Queue> = FxHashMap::default();
    let mut members: Vec<u64> = Vec::new();
    let mut next: Vec<u32> = Vec::new();
    for (number, recv) in recvs.keys().enumerate() {
        let key = Key::of_receive(context, &recv);
        if recv.state != EndState::COMPLETE || !recv.envelope.peer.is_some() || key.class(classes) != class {
            continue;
        }
        let at = members.len() as u32;
        members.push(number as u64);
        next.push(END_OF_QUEUE);
        let queue = queues.entry(key).or_insert(Queue { head: at, tail: at });
        if queue.tail != at {
            if queue.head == END_OF_QUEUE {
                queue.head = at;
            } else {
                next[queue.tail as usize] = at;
            }
            queue.tail = at;
        }
    }
    let memory = context.memory / 8 / classes;
    let mut receives = SpillWriter::create(context.directory, &format!("receives-{class}.tmp"), memory);
    for send in sends.keys() {
        let key = Key::of_send(context, &send);
        if key.class(classes) != class {
            continue;
        }
        let queue = queues.get_mut(&key).filter(|queue| queue.head != END_OF_QUEUE);
        let recv = queue.map_or(NO_RECEIVE, |queue| {
            let head = queue.head as usize;
            queue.head = next[head];
            members[head]
        });
        receives.append(&[recv])?;
    }
    receives.finish()
}

/// The tables being written.
struct MessageTables {
    messages: TableWriter<MessageRows>,
    mismatches: TableWriter<LengthMismatchRows>,
    /// For each message the number of its receive.
    received: SpillWriter<u64>,
}

impl MessageTables {
    fn create(context: &BuildContext) -> Result<MessageTables, StoreError> {
        let directory = context.directory;
        Ok(MessageTables {
            messages: TableWriter::create(directory)?,
            mismatches: TableWriter::create(directory)?,
            received: SpillWriter::create(directory, "received.tmp", context.memory / 8),
        })
    }

    fn matched(
        &mut self,
        context: &BuildContext,
        send: &SendEnd,
        number: u64,
        recv: &RecvEnd,
        warnings: &mut Warnings,
    ) -> Result<(), StoreError> {
        let place = || {
            format!("message from {} to {}", context.name(send.envelope.location), context.name(recv.envelope.location))
        };
        if recv.time < send.time {
            warnings.add(
                WarningKind::ReceiveBeforeSend,
                place,
                "messages arrive before they are sent: the clocks of the locations are not aligned",
            );
        }
        if recv.envelope.bytes != send.envelope.bytes && recv.envelope.bytes != MessageEnd::UNKNOWN_LENGTH {
            warnings.add(
                WarningKind::LengthMismatch,
                place,
                "sender and receiver give different lengths; the sender's is used",
            );
            let message = self.messages.rows();
            self.mismatches
                .append(LengthMismatchRows { message: vec![message], received: vec![recv.envelope.bytes] })?;
        }
        self.received.append(&[number])?;
        let (_, rows) = self.messages.pending();
        rows.send_location.push(send.envelope.location);
        rows.recv_location.push(recv.envelope.location);
        rows.send.push(send.time);
        rows.recv.push(recv.time);
        rows.bytes.push(send.envelope.bytes);
        rows.tag.push(send.envelope.tag);
        rows.comm.push(send.envelope.comm);
        rows.send_span.push(send.span);
        rows.recv_span.push(recv.span);
        rows.posted.push(recv.posted);
        rows.completed.push(send.completed);
        self.messages.flush_full()
    }

    /// Ends the tables; returns how many messages there are, and for each its receive.
    fn finish(self) -> Result<(u64, Spill<u64>), StoreError> {
        let matched = self.messages.finish()?;
        self.mismatches.finish()?;
        Ok((matched, self.received.finish()?))
    }
}

/// The table of ends without a partner, being written.
struct UnmatchedEnds {
    rows: TableWriter<UnmatchedRows>,
    counts: MessageCounts,
    posted_only: u64,
}

impl UnmatchedEnds {
    fn create(context: &BuildContext) -> Result<UnmatchedEnds, StoreError> {
        let rows = TableWriter::create(context.directory)?;
        Ok(UnmatchedEnds { rows, counts: MessageCounts::default(), posted_only: 0 })
    }

    fn send(&mut self, send: &SendEnd) -> Result<(), StoreError> {
        self.counts.unmatched_sends += 1;
        self.end("send", &send.envelope, send.time, send.span)
    }

    fn receive(&mut self, recv: &RecvEnd) -> Result<(), StoreError> {
        self.counts.unmatched_receives += 1;
        self.posted_only += u64::from(recv.state == EndState::OPEN);
        let kind = if recv.state == EndState::OPEN { "posted-receive" } else { "receive" };
        self.end(kind, &recv.envelope, recv.time, recv.span)
    }

    fn end(&mut self, kind: &str, envelope: &Envelope, time: Ns, span: SpanRow) -> Result<(), StoreError> {
        let (_, rows) = self.rows.pending();
        rows.kind.push(kind.to_owned());
        rows.location.push(envelope.location);
        rows.time.push(time);
        rows.span.push(span);
        rows.peer.push(envelope.peer);
        rows.bytes.push(envelope.bytes);
        rows.tag.push(envelope.tag);
        rows.comm.push(envelope.comm);
        self.rows.flush_full()
    }

    fn finish(self, warnings: &mut Warnings) -> Result<MessageCounts, StoreError> {
        self.rows.finish()?;
        let all = || "messages".to_owned();
        let counts = self.counts;
        warnings.add_many(
            WarningKind::UnmatchedSends,
            counts.unmatched_sends,
            all,
            "sends without a receive; they are kept, but no line can be drawn",
        );
        warnings.add_many(
            WarningKind::UnmatchedReceives,
            counts.unmatched_receives - self.posted_only,
            all,
            "receives without a send; they are kept, but no line can be drawn",
        );
        warnings.add_many(
            WarningKind::UnmatchedReceives,
            self.posted_only,
            all,
            "receives were posted and never completed in the trace: where and when they ended is not known",
        );
        Ok(counts)
    }
}
