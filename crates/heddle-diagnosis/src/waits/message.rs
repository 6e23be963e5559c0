//! Waits of messages, and what is left of a call's several candidates.

use std::collections::VecDeque;

use heddle_model::SpanRow;
use heddle_store::Columns;

use super::{Wait, WaitKind};
use crate::rows::Rows;

/// Late senders that are remembered, to see whether something that was sent earlier is received later.
const REMEMBERED: usize = 100;

/// The waits of one row.
#[derive(Default)]
pub(super) struct RowWaits {
    pub(super) waits: Vec<Wait>,
    pub(super) violations: u64,
    pub(super) largest_violation: i64,
    pub(super) unexplained: i64,
    pub(super) tests: u64,
    /// Messages that the row sent and whose sends waited for their receives.
    pub(super) late_receivers: Vec<u64>,
}

/// All waits of a row; `together` are those in collectives, by call.
pub(super) fn of_row(rows: &Rows<'_>, row: usize, together: &[Wait]) -> RowWaits {
    let mut found = RowWaits::default();
    let mut late_senders = late_senders(rows, row, &mut found);
    let late_receivers = late_receivers(rows, row, &mut found.late_receivers);
    // A call that had to wait for a sender is not asked about its sends.
    late_senders.sort_by_key(|wait| wait.span);
    let senders: Vec<Wait> = late_senders;
    let is_late = |span: SpanRow| senders.binary_search_by_key(&span, |wait| wait.span).is_ok();
    let is_both = |wait: &Wait| is_both_ways(rows, wait.span);
    let mut all: Vec<Wait> = late_receivers.into_iter().filter(|wait| is_both(wait) || !is_late(wait.span)).collect();
    all.extend(senders);
    all.extend_from_slice(together);
    all.sort_by_key(|wait| (wait.span, std::cmp::Reverse(wait.wait), wait.culprit));
    all.dedup_by_key(|wait| wait.span);
    found.waits = all;
    let unmatched = &rows.store.unmatched;
    let location = rows.locations[row];
    let from = unmatched.location.partition_point(0..unmatched.len(), |other| other < location);
    let to = unmatched.location.partition_point(from..unmatched.len(), |other| other <= location);
    let mut calls: Vec<SpanRow> = unmatched.span.iter(from..to).filter(|span| span.is_some()).collect();
    calls.sort_unstable();
    calls.dedup();
    let known = |span: &SpanRow| found.waits.binary_search_by_key(span, |wait| wait.span).is_ok();
    let unexplained = calls.iter().filter(|span| !known(span)).map(|span| rows.call(*span)).map(|call| call.1 - call.0);
    found.unexplained = unexplained.sum();
    found
}

/// Whether a call sends and receives by itself, as `MPI_Sendrecv` does: then it may wait for both.
fn is_both_ways(rows: &Rows<'_>, span: SpanRow) -> bool {
    let region = rows.store.spans.region.get(span.0);
    rows.store.regions.role.get(u64::from(region.0)) == heddle_model::Role::SendReceive.name()
}

fn late_senders(rows: &Rows<'_>, row: usize, found: &mut RowWaits) -> Vec<Wait> {
    let (messages, order) = (&rows.store.messages, &rows.store.messages_by_receive);
    let location = rows.locations[row];
    let mut waits: Vec<Wait> = Vec::new();
    // Position in `waits`, and when its message was sent.
    let mut remembered: VecDeque<(usize, i64)> = VecDeque::new();
    let mut call = SpanRow::NONE;
    let mut pending: Option<Wait> = None;
    let mut earliest_sent = i64::MAX;
    let mut finish = |pending: &mut Option<Wait>, earliest_sent: &mut i64, waits: &mut Vec<Wait>| {
        let sent = std::mem::replace(earliest_sent, i64::MAX);
        remembered.retain(|(at, later)| {
            if *later > sent {
                waits[*at].sort[0] = WaitKind::WrongOrder as u32;
            }
            *later <= sent
        });
        if let Some(wait) = pending.take() {
            if remembered.len() == REMEMBERED {
                remembered.pop_front();
            }
            remembered.push_back((waits.len(), wait.arrival));
            waits.push(wait);
        }
    };
    let (mut enter, mut leave, mut tests) = (0, 0, false);
    for message in order.message.iter(rows.received(location)) {
        let Some(span) = messages.recv_span.get(message).some() else { continue };
        if span != call {
            finish(&mut pending, &mut earliest_sent, &mut waits);
            call = span;
            (enter, leave) = rows.call(span);
            tests = rows.class(rows.store.spans.region.get(span.0)).tests;
            found.tests += u64::from(tests);
        }
        let sender = messages.send_location.get(message);
        let send_span = messages.send_span.get(message);
        let arrival = rows.sent_by(send_span, message);
        earliest_sent = earliest_sent.min(arrival);
        if tests || sender == location || rows.of(sender).is_none() {
            continue;
        }
        let asking = rows.asking(location, span, arrival);
        let (enter, leave) = if asking == span { (enter, leave) } else { rows.call(asking) };
        if arrival > leave {
            found.violations += 1;
            found.largest_violation = found.largest_violation.max(arrival - leave);
        }
        let wait = arrival.min(leave) - enter;
        let is_longer = pending.is_none_or(|known| {
            wait > known.wait
                || (wait == known.wait
                    && (arrival, std::cmp::Reverse(sender)) > (known.arrival, std::cmp::Reverse(known.culprit)))
        });
        if wait > 0 && is_longer {
            pending = Some(Wait {
                span: asking,
                enter,
                wait,
                culprit_span: send_span,
                arrival,
                location,
                culprit: sender,
                sort: Wait::sort(WaitKind::LateSender, arrival > leave),
            });
        }
    }
    finish(&mut pending, &mut earliest_sent, &mut waits);
    waits
}

fn late_receivers(rows: &Rows<'_>, row: usize, late_messages: &mut Vec<u64>) -> Vec<Wait> {
    let messages = &rows.store.messages;
    let location = rows.locations[row];
    let mut waits: Vec<Wait> = Vec::new();
    let sent = rows.sent(location);
    let mut candidates: Vec<u64> = Vec::new();
    let mut message = sent.start;
    // Most receives are posted before their sends, and then nobody waited; columns side by side tell so quickly.
    (&messages.recv_location, &messages.send, &messages.posted).for_each(sent, |(to, send, posted)| {
        if to != location && (!posted.is_some() || posted > send) {
            candidates.push(message);
        }
        message += 1;
    });
    for message in candidates {
        let Some(late) = late_receiver(rows, message) else { continue };
        late_messages.push(message);
        waits.push(Wait {
            span: late.completes,
            enter: late.enter,
            wait: late.arrival - late.enter,
            culprit_span: late.posts,
            arrival: late.arrival,
            location,
            culprit: messages.recv_location.get(message),
            sort: Wait::sort(WaitKind::LateReceiver, false),
        });
    }
    waits
}

/// A send that was still open when its receive was posted.
pub(crate) struct LateReceiver {
    /// The call that completes the send.
    pub(crate) completes: SpanRow,
    /// When that was entered.
    pub(crate) enter: i64,
    /// The call that posts the receive.
    pub(crate) posts: SpanRow,
    /// When that was entered.
    pub(crate) arrival: i64,
}

/// Whether a row's send waited for its receive to be posted.
pub(crate) fn late_receiver(rows: &Rows<'_>, message: u64) -> Option<LateReceiver> {
    if !rows.may_be_late(message) {
        return None;
    }
    let messages = &rows.store.messages;
    let (from, to) = (messages.send_location.get(message), messages.recv_location.get(message));
    if from == to {
        return None;
    }
    rows.of(to)?;
    let (posted, completed) = (messages.posted.get(message), messages.completed.get(message));
    let send_span = messages.send_span.get(message).some()?;
    // A send that blocks completes itself. Where the receive was posted before, nobody waited for it; that is told first,
    // for to find calls around moments takes time.
    let blocking = (!completed.is_some()).then(|| rows.call(send_span));
    let known_posted = posted.is_some().then_some(posted.0);
    if let (Some((enter, _)), Some(posted)) = (blocking, known_posted)
        && posted <= enter
    {
        return None;
    }
    if let Some(posted) = known_posted
        && posted <= messages.send.get(message).0
    {
        return None;
    }
    let completes = if blocking.is_some() { send_span } else { rows.call_around(from, completed, send_span)? };
    let (enter, leave) = rows.call(completes);
    if known_posted.is_some_and(|posted| posted <= enter) {
        return None;
    }
    let posts = match known_posted {
        Some(posted) => rows.call_around(to, heddle_model::Ns(posted), messages.recv_span.get(message))?,
        None => messages.recv_span.get(message).some()?,
    };
    let arrival = rows.call(posts).0;
    // One that was over before did not wait, whatever else its call waited for.
    let is_over = completed.is_some() && completed.0 < arrival;
    (enter < arrival && arrival < leave && !is_over).then_some(LateReceiver { completes, enter, posts, arrival })
}
