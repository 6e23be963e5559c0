//! Puts messages together from their ends and writes the tables of them.
//!
//! Which receive a send got is found out for a group of senders at a time ([`super::matching`]). Then their messages are put
//! together in pieces, several at once, and written in the order of sending.

use std::ops::Range;

use rayon::prelude::*;

use heddle_model::{MessageEnd, Ns, SpanRow, WarningKind, Warnings};

use super::ends::{EndState, Envelope, RecvEnd, SendEnd};
use super::matching::{Matching, NO_RECEIVE, Senders};
use super::receives::write_by_receive;
use super::spill::{Records, Spill, SpillWriter};
use super::{BuildContext, CommsInUse, Walked};
use crate::StoreError;
use crate::table::{Rows, TableWriter};
use crate::tables::{LengthMismatchRows, MessageRows, UnmatchedRows};

/// How the ends of messages came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MessageCounts {
    pub(crate) matched: u64,
    pub(crate) unmatched_sends: u64,
    pub(crate) unmatched_receives: u64,
}

/// Matches everything and writes the tables of messages, by sending and by receiving, and of unmatched ends.
pub(super) fn match_messages(
    context: &BuildContext,
    walked: &Walked,
    comms: &mut CommsInUse,
    warnings: &mut Warnings,
) -> Result<MessageCounts, StoreError> {
    let matching = Matching::new(context, walked);
    let mut output = MessageTables::create(context)?;
    let mut unmatched = UnmatchedEnds::create(context)?;
    let at_once = rayon::current_num_threads().max(1);
    // What was put together is written while what follows is.
    let mut done: Vec<Piece> = Vec::new();
    for groups in matching.senders.chunks(at_once) {
        let receives = groups.par_iter().map(|senders| matching.receives_of(senders));
        let receives: Vec<Spill<u64>> = receives.collect::<Result<_, _>>()?;
        let pieces: Vec<(&Senders, &Spill<u64>, Range<u64>)> = groups
            .iter()
            .zip(&receives)
            .flat_map(|(senders, receives)| pieces_of(senders).map(move |sends| (senders, receives, sends)))
            .collect();
        for pieces in pieces.chunks(2 * at_once) {
            context.progress.check()?;
            let piece = |(senders, receives, sends): &(&Senders, &Spill<u64>, Range<u64>)| {
                let receives = receives.iter_from(sends.start - senders.sends.start);
                Piece::new(context, walked, sends.clone(), receives)
            };
            let mut write = |done: Vec<Piece>| {
                done.into_iter().try_for_each(|piece| piece.write(&mut output, &mut unmatched, comms, warnings))
            };
            let previous = std::mem::take(&mut done);
            let written;
            (done, written) = rayon::join(|| pieces.par_iter().map(piece).collect(), || write(previous));
            written?;
        }
    }
    done.into_iter().try_for_each(|piece| piece.write(&mut output, &mut unmatched, comms, warnings))?;
    let (matched, received) = output.finish()?;
    unmatched.counts.matched = matched;
    write_by_receive(context, walked, &received, |of_round, left| {
        comms.merge(of_round);
        left.iter().try_for_each(|recv| unmatched.receive(recv))
    })?;
    context.progress.advance(walked.sends.len() + walked.recvs.len());
    unmatched.finish(warnings)
}

/// Sends whose messages are put together by one thread.
const PIECE: u64 = 1 << 14;

/// The sends of a group in pieces.
fn pieces_of(senders: &Senders) -> impl Iterator<Item = Range<u64>> {
    let sends = senders.sends.clone();
    sends.clone().step_by(PIECE as usize).map(move |first| first..(first + PIECE).min(sends.end))
}

/// Some sends with what became of them, on the way to the tables.
#[derive(Default)]
struct Piece {
    messages: MessageRows,
    /// For each message the number of its receive.
    received: Vec<u64>,
    /// Row among these messages, and length as the receiver says.
    mismatches: Vec<(u64, u64)>,
    unmatched: Vec<SendEnd>,
    comms: CommsInUse,
    warnings: Warnings,
}

impl Piece {
    /// Puts the messages of some sends together; `receives` begins with the first one's.
    fn new(context: &BuildContext, walked: &Walked, sends: Range<u64>, receives: Records<u64>) -> Piece {
        let mut piece = Piece::default();
        let count = (sends.end - sends.start) as usize;
        piece.messages.reserve(count);
        let numbers: Vec<u64> = receives.take(count).collect();
        piece.received = numbers.iter().copied().filter(|number| *number != NO_RECEIVE).collect();
        let mut ends = walked.recvs.get_each(&piece.received).into_iter();
        for (send, number) in walked.sends.iter_from(sends.start).zip(&numbers) {
            piece.comms.note(send.envelope.comm);
            match (*number != NO_RECEIVE).then(|| ends.next()).flatten() {
                Some(recv) => piece.matched(context, &send, &recv),
                None => piece.unmatched.push(send),
            }
        }
        piece
    }

    fn matched(&mut self, context: &BuildContext, send: &SendEnd, recv: &RecvEnd) {
        let place = || {
            format!("message from {} to {}", context.name(send.envelope.location), context.name(recv.envelope.location))
        };
        if recv.time < send.time {
            self.warnings.add(
                WarningKind::ReceiveBeforeSend,
                place,
                "messages arrive before they are sent: the clocks of the locations are not aligned",
            );
        }
        let rows = &mut self.messages;
        if recv.envelope.bytes != send.envelope.bytes && recv.envelope.bytes != MessageEnd::UNKNOWN_LENGTH {
            self.warnings.add(
                WarningKind::LengthMismatch,
                place,
                "sender and receiver give different lengths; the sender's is used",
            );
            self.mismatches.push((rows.len() as u64, recv.envelope.bytes));
        }
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
    }

    fn write(
        self,
        output: &mut MessageTables,
        unmatched: &mut UnmatchedEnds,
        comms: &mut CommsInUse,
        warnings: &mut Warnings,
    ) -> Result<(), StoreError> {
        comms.merge(&self.comms);
        warnings.merge(&self.warnings);
        self.unmatched.iter().try_for_each(|send| unmatched.send(send))?;
        output.append(self.messages, &self.mismatches, &self.received)
    }
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

    fn append(&mut self, messages: MessageRows, mismatches: &[(u64, u64)], received: &[u64]) -> Result<(), StoreError> {
        let first = self.messages.rows();
        if !mismatches.is_empty() {
            self.mismatches.append(LengthMismatchRows {
                message: mismatches.iter().map(|(row, _)| first + row).collect(),
                received: mismatches.iter().map(|(_, bytes)| *bytes).collect(),
            })?;
        }
        self.received.append(received)?;
        self.messages.append(messages)
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
