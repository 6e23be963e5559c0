//! Which ends of messages belong together, which calls make up a collective, and what becomes of regions.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::collections::HashMap;

use common::{
    Hand, INTER, MAIN, RECV, REDUCE, SELF, SEND, TWIN, Timed, WAIT, WORK, WORLD, by, collective, end, enter, leave,
    location, on, table_differences, world,
};
use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, Event, LocationId, MessageEnd, Ns, RequestId, SpanRow, WarningKind,
};

use Event::{
    CollectiveBegin, CollectiveComplete, CollectiveRequest, Irecv, Isend, Leave, Recv, RecvRequest, RequestCancelled,
    Send, SendComplete,
};

fn stored(tracks: &[Vec<Timed>]) -> common::Stored {
    Hand::new(world(tracks.len() as u32), tracks).store()
}

fn unmatched(kind: &str, location: u32, time: i64) -> (String, u32, i64) {
    (kind.to_owned(), location, time)
}

#[test]
fn a_blocking_send_meets_its_receive() {
    let store = stored(&[
        vec![(0, enter(MAIN)), (1, enter(SEND)), (2, Send(end(1, 7))), (3, leave(SEND)), (9, leave(MAIN))],
        vec![(0, enter(RECV)), (5, Recv(end(0, 7))), (6, leave(RECV))],
    ]);
    assert_eq!(store.pairs(), [(0, 1, 2, 5, 7, WORLD)]);
    let messages = &store.messages;
    assert_eq!((messages.send_span.get(0), messages.recv_span.get(0)), (SpanRow(1), SpanRow(2)));
    assert_eq!((messages.posted.get(0), messages.completed.get(0)), (Ns::NONE, Ns::NONE));
    assert_eq!(messages.bytes.get(0), 8);
    assert!(store.unmatched().is_empty());
    let summary = store.summary();
    assert_eq!((summary.messages, summary.unmatched_sends, summary.unmatched_receives), (1, 0, 0));
    assert_eq!((summary.spans, summary.events, summary.end_ns, summary.communicators), (3, 8, 9, 1));
}

#[test]
fn the_communicator_is_part_of_the_key() {
    let store = stored(&[
        vec![(0, Send(on(TWIN, end(1, 7)))), (1, Send(end(1, 7)))],
        vec![(5, Recv(end(0, 7))), (6, Recv(on(TWIN, end(0, 7))))],
    ]);
    assert_eq!(store.pairs(), [(0, 1, 0, 6, 7, TWIN), (0, 1, 1, 5, 7, WORLD)]);
    assert_eq!(store.summary().communicators, 1, "two communicators, one list of members");
    // In the order of receiving the second message comes first.
    assert_eq!([0, 1].map(|row| store.messages_by_receive.message.get(row)), [1, 0]);
}

#[test]
fn receives_are_paired_as_they_were_posted_not_as_they_complete() {
    let store = stored(&[
        vec![(0, Isend(by(1, end(1, 7)))), (1, Isend(by(2, end(1, 7)))), (2, SendComplete(RequestId(2)))],
        vec![
            (0, RecvRequest(RequestId(10))),
            (1, RecvRequest(RequestId(11))),
            (5, Irecv(by(11, end(0, 7)))),
            (8, Irecv(by(10, end(0, 7)))),
        ],
    ]);
    assert_eq!(store.pairs(), [(0, 1, 0, 8, 7, WORLD), (0, 1, 1, 5, 7, WORLD)]);
    let messages = &store.messages;
    assert_eq!([0, 1].map(|row| messages.posted.get(row)), [Ns(0), Ns(1)]);
    assert_eq!([0, 1].map(|row| messages.completed.get(row)), [Ns::NONE, Ns(2)]);
    assert_eq!(store.warned(WarningKind::OpenRequests), 1, "the first send's completion is not recorded");
}

/// One rank sends all messages: to the others in turn, with three tags. They receive tag by tag, from the last to the first.
fn served(workers: u32, messages: u32) -> Vec<Vec<Timed>> {
    let receiver = |number: u32| 1 + number % workers;
    let sends = (0..messages).map(|number| (i64::from(number), Send(end(receiver(number), number % 3)))).collect();
    let receives = |worker: u32| {
        let of_tag = move |tag| (0..messages).filter(move |at| receiver(*at) == worker && at % 3 == tag);
        let all = (0..3).rev().flat_map(of_tag).map(|number| number % 3).enumerate();
        all.map(|(at, tag)| (i64::from(messages) + at as i64, Recv(end(0, tag)))).collect()
    };
    [sends].into_iter().chain((1..=workers).map(receives)).collect()
}

#[test]
fn more_messages_of_one_rank_than_fit_into_memory_are_matched_a_share_at_a_time() {
    let (workers, messages) = (7, 60_000);
    let tracks = served(workers, messages);
    let little = Hand::new(world(workers + 1), &tracks).store_within(1);
    // What the rules say: the i-th of a tag to a worker is the i-th of that tag that it receives.
    let mut next: HashMap<(u32, u32), i64> = HashMap::new();
    for (worker, track) in tracks.iter().enumerate().skip(1) {
        for (time, event) in track.iter().rev() {
            let Recv(received) = event else { continue };
            next.insert((worker as u32, received.tag), *time);
        }
    }
    let expected: Vec<_> = (0..messages)
        .map(|number| {
            let (worker, tag) = (1 + number % workers, number % 3);
            let time = next.get_mut(&(worker, tag)).unwrap();
            *time += 1;
            (0, worker, i64::from(number), *time - 1, tag, WORLD)
        })
        .collect();
    assert_eq!(little.pairs(), expected);
    let plenty = Hand::new(world(workers + 1), &tracks).store();
    assert_eq!(table_differences(plenty.path(), little.path()), Vec::<String>::new());
}

#[test]
fn one_call_may_send_and_receive_and_send_again() {
    let both = |peer| {
        vec![
            (0, enter(SEND)),
            (1, Send(end(peer, 1))),
            (2, Send(end(peer, 2))),
            (3, Recv(end(peer, 2))),
            (4, Recv(end(peer, 1))),
            (5, leave(SEND)),
        ]
    };
    let store = stored(&[both(1), both(0)]);
    let pairs = [(0, 1, 1, 4, 1, 0), (0, 1, 2, 3, 2, 0), (1, 0, 1, 4, 1, 0), (1, 0, 2, 3, 2, 0)];
    assert_eq!(store.pairs(), pairs);
    for row in 0..4 {
        assert_eq!(store.messages.send_span.get(row).0, row / 2);
        assert_eq!(store.messages.recv_span.get(row).0, 1 - row / 2);
    }
}

#[test]
fn ends_without_a_partner_are_kept() {
    let nobody = MessageEnd { peer: LocationId::NONE, ..end(0, 3) };
    let store = stored(&[
        vec![
            (1, Send(end(1, 7))),
            (2, Send(nobody)),
            (3, RecvRequest(RequestId(1))),
            (4, RecvRequest(RequestId(2))),
            (5, RequestCancelled(RequestId(2))),
        ],
        vec![(6, Recv(end(0, 8))), (7, Recv(nobody))],
    ]);
    assert!(store.pairs().is_empty());
    assert_eq!(
        store.unmatched(),
        [
            unmatched("send", 0, 1),
            unmatched("send", 0, 2),
            unmatched("posted-receive", 0, 3),
            unmatched("receive", 1, 6),
            unmatched("receive", 1, 7),
        ]
    );
    assert_eq!((store.summary().unmatched_sends, store.summary().unmatched_receives), (2, 3));
    assert_eq!(store.warned(WarningKind::UnmatchedSends), 2);
    assert_eq!(store.warned(WarningKind::UnmatchedReceives), 3);
    assert_eq!(store.warned(WarningKind::OpenRequests), 1);
    let table = &store.store.unmatched;
    assert_eq!((table.peer.get(0), table.tag.get(0), table.bytes.get(0)), (LocationId(1), 7, 8));
    assert_eq!((table.peer.get(2), table.comm.get(2)), (LocationId::NONE, CommId::NONE), "its partner is not known");
}

#[test]
fn messages_to_oneself_and_of_no_bytes_are_messages() {
    let empty = |peer, tag| MessageEnd { bytes: 0, ..end(peer, tag) };
    let store = stored(&[vec![
        (0, Isend(by(1, empty(0, 1)))),
        (1, Recv(empty(0, 1))),
        (2, SendComplete(RequestId(1))),
        (3, Send(on(SELF, end(0, 2)))),
        (4, Recv(on(SELF, end(0, 2)))),
    ]]);
    assert_eq!(store.pairs(), [(0, 0, 0, 1, 1, WORLD), (0, 0, 3, 4, 2, SELF)]);
    assert_eq!([0, 1].map(|row| store.messages.bytes.get(row)), [0, 8]);
    assert!(store.store.warnings().is_empty());
    assert_eq!(store.summary().communicators, 1, "self is not counted");
}

#[test]
fn a_request_posted_again_leaves_the_older_one_open() {
    let store = stored(&[
        vec![(0, Send(end(1, 7))), (1, Send(end(1, 7)))],
        vec![
            (0, RecvRequest(RequestId(5))),
            (2, RecvRequest(RequestId(5))),
            (4, Irecv(by(5, end(0, 7)))),
            (5, RecvRequest(RequestId(5))),
            (6, Irecv(by(5, end(0, 7)))),
        ],
    ]);
    assert_eq!(store.pairs(), [(0, 1, 0, 4, 7, WORLD), (0, 1, 1, 6, 7, WORLD)]);
    assert_eq!([0, 1].map(|row| store.messages.posted.get(row)), [Ns(2), Ns(5)]);
    assert_eq!(store.unmatched(), [unmatched("posted-receive", 1, 0)]);
    assert_eq!(store.warned(WarningKind::OpenRequests), 1);
}

#[test]
fn skewed_clocks_and_lengths_are_told_not_hidden() {
    let store = stored(&[
        vec![(10, Send(end(1, 7))), (20, Send(end(1, 8)))],
        vec![(5, Recv(MessageEnd { bytes: 4, ..end(0, 7) })), (20, Recv(end(0, 8)))],
    ]);
    assert_eq!(store.pairs(), [(0, 1, 10, 5, 7, WORLD), (0, 1, 20, 20, 8, WORLD)]);
    assert_eq!(store.warned(WarningKind::ReceiveBeforeSend), 1);
    assert_eq!(store.warned(WarningKind::LengthMismatch), 1);
    assert_eq!(store.messages.bytes.get(0), 8, "the sender knows");
    assert_eq!((store.length_mismatches.contains(0), store.length_mismatches.contains(1)), (true, false));
    assert_eq!(store.length_mismatches.received.get(0), 4);
}

#[test]
fn a_thread_speaks_for_its_process() {
    let mut definitions = world(2);
    definitions.locations.push(location(70, 0));
    definitions.locations.push(location(71, 1));
    let (idle, thread) = (LocationId(1), LocationId(2));
    assert_eq!(definitions.main_location(thread), LocationId(0));
    // Thread 2 of process 0 sends; thread 3 of process 1 receives. Both name the other process.
    let tracks = [vec![], vec![], vec![(1, Send(end(1, 7)))], vec![(2, Recv(end(0, 7)))]];
    let store = Hand::new(definitions, &tracks).store();
    assert_eq!(store.pairs(), [(2, 3, 1, 2, 7, WORLD)]);
    assert_eq!([0, 1, 2, 3].map(|row| store.locations.is_main.get(row)), [1, 1, 0, 0]);
    assert_eq!(store.spans_of(idle), 0..0);
}

#[test]
fn collectives_count_as_they_begin_whatever_ends_first() {
    let op = |op| CollectiveEnd { op: CollectiveOp(op), ..collective(WORLD) };
    let (slow, fast) = (CollectiveEnd { request: RequestId(9), ..op(0) }, op(11));
    // The non-blocking barrier is posted first and completed after the allreduce; rank 1 completes it before.
    let first = vec![
        (0, CollectiveRequest(RequestId(9))),
        (1, CollectiveBegin),
        (2, Event::CollectiveEnd(fast)),
        (3, enter(WAIT)),
        (4, CollectiveComplete(slow)),
        (5, leave(WAIT)),
    ];
    let second = vec![
        (10, CollectiveRequest(RequestId(9))),
        (11, CollectiveComplete(slow)),
        (12, CollectiveBegin),
        (13, Event::CollectiveEnd(fast)),
    ];
    let store = stored(&[first, second]);
    let expected = [(WORLD, false, vec![(0, 0, 4), (1, 10, 11)]), (WORLD, false, vec![(0, 1, 2), (1, 12, 13)])];
    assert_eq!(store.collectives(), expected);
    assert_eq!([0, 1].map(|row| store.store.collectives.op.get(row).name()), ["barrier", "allreduce"]);
    assert_eq!(store.collective_members.span.get(0), SpanRow(0), "the call that completed it");
    assert_eq!(store.collective_members.span.get(1), SpanRow::NONE);
    assert!(store.store.warnings().is_empty());
}

#[test]
fn a_collective_that_never_ends_is_left_out() {
    let ends = |time| (time, Event::CollectiveEnd(collective(WORLD)));
    let store = stored(&[
        vec![(0, CollectiveBegin), (1, CollectiveBegin), ends(2)],
        vec![(3, CollectiveBegin), ends(4), (5, CollectiveRequest(RequestId(1)))],
    ]);
    assert_eq!(store.collectives(), [(WORLD, false, vec![(0, 1, 2), (1, 3, 4)])]);
    assert_eq!(store.warned(WarningKind::OpenCollectives), 2);
    assert_eq!(store.summary().collectives, 1);
}

#[test]
fn both_sides_of_an_intercommunicator_take_part() {
    let call = |time, root| {
        let ended = CollectiveEnd { root: LocationId(root), ..collective(INTER) };
        vec![(time, enter(REDUCE)), (time, CollectiveBegin), (time + 5, Event::CollectiveEnd(ended))]
    };
    let store = stored(&[call(0, 0), call(1, 1), call(2, u32::MAX)]);
    let members = vec![(0, 0, 5), (1, 1, 6), (2, 2, 7)];
    assert_eq!(store.collectives(), [(INTER, false, members)], "the sides may name the root differently");
}

#[test]
fn every_call_on_self_is_an_operation() {
    let call = |time| [(time, CollectiveBegin), (time + 1, Event::CollectiveEnd(collective(SELF)))];
    let store = stored(&[[call(0), call(2)].concat(), call(1).to_vec()]);
    let alone = |location, start| (SELF, false, vec![(location, start, start + 1)]);
    assert_eq!(store.collectives(), [alone(0, 0), alone(0, 2), alone(1, 1)]);
    assert_eq!(store.summary().communicators, 0);
}

#[test]
fn a_missing_member_and_a_quarrel_make_a_collective_doubtful() {
    let call = |time, comm, op| {
        let ended = CollectiveEnd { op: CollectiveOp(op), ..collective(comm) };
        [(time, CollectiveBegin), (time + 1, Event::CollectiveEnd(ended))]
    };
    let store = stored(&[
        [call(0, WORLD, 11), call(10, WORLD, 11), call(20, TWIN, 11)].concat(),
        [call(1, WORLD, 11), call(21, TWIN, 0)].concat(),
    ]);
    let expected = [
        (WORLD, false, vec![(0, 0, 1), (1, 1, 2)]),
        (WORLD, true, vec![(0, 10, 11)]),
        (TWIN, true, vec![(0, 20, 21), (1, 21, 22)]),
    ];
    assert_eq!(store.collectives(), expected);
    assert_eq!(store.warned(WarningKind::DoubtfulCollectives), 2);
}

#[test]
fn an_end_without_a_begin_takes_its_call_for_the_begin() {
    let store = stored(&[vec![(3, enter(REDUCE)), (5, Event::CollectiveEnd(collective(WORLD))), (6, leave(REDUCE))]]);
    assert_eq!(store.collectives(), [(WORLD, false, vec![(0, 3, 5)])]);
}

#[test]
fn regions_need_not_balance() {
    let store = stored(&[
        // A leave of MAIN closes WORK too; then WORK's own leave is a stray one.
        vec![(0, enter(MAIN)), (1, enter(WORK)), (4, leave(MAIN)), (5, leave(WORK)), (6, Leave(None))],
        // The innermost one, then the other; one more stays open until the last event.
        vec![
            (0, enter(MAIN)),
            (1, enter(MAIN)),
            (2, Leave(None)),
            (3, enter(WORK)),
            (3, leave(WORK)),
            (9, enter(WORK)),
        ],
    ]);
    let first = [(0, 4, MAIN, 0), (1, 4, WORK, 1)];
    let second = [(0, 9, MAIN, 0), (1, 2, MAIN, 1), (3, 3, WORK, 1), (9, 9, WORK, 1)];
    assert_eq!(store.spans(), [&first[..], &second[..]].concat());
    assert_eq!(store.warned(WarningKind::CrossingRegions), 1);
    assert_eq!(store.warned(WarningKind::StrayLeaves), 2);
    assert_eq!(store.warned(WarningKind::OpenRegions), 2);
    let regions = &store.regions;
    assert_eq!((regions.count.get(0), regions.total.get(0), regions.exclusive.get(0)), (3, 14, 1 + 9 - 1 + 1));
    assert_eq!((regions.count.get(1), regions.total.get(1), regions.exclusive.get(1)), (3, 3, 3));
    assert_eq!(store.spans_of(LocationId(1)), 2..6);
}

#[test]
fn times_that_fall_are_raised() {
    let store = stored(&[vec![(5, enter(MAIN)), (3, enter(WORK)), (4, leave(WORK)), (8, leave(MAIN))]]);
    assert_eq!(store.spans(), [(5, 8, MAIN, 0), (5, 5, WORK, 1)]);
    assert_eq!(store.warned(WarningKind::TimeFalls), 2);
}

#[test]
fn a_part_that_cannot_be_read_costs_its_events_only() {
    let tracks = [vec![(0, enter(MAIN)), (2, leave(MAIN))], vec![(0, enter(WORK)), (9, leave(WORK))]];
    let mut hand = Hand::new(world(2), &tracks);
    hand.broken = hand.parts.first().copied();
    let store = hand.store();
    assert_eq!(store.spans(), [(0, 9, WORK, 0)]);
    assert_eq!(store.warned(WarningKind::MissingFile), 1);
    assert_eq!(store.spans_of(LocationId(1)), 0..1);
}
