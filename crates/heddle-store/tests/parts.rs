//! However a location's records are cut into parts and however little memory there is, the store is the same;
//! and it is the one that a slow, plain reading of the rules gives.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;

use common::{
    Hand, MAIN, Member, Operation, PLENTY, Pair, Timed, WORK, by, collective, differences, end, enter, leave, on,
    table_differences, world,
};
use heddle_model::{CollectiveEnd, Event, LocationId, MessageEnd, Ns, RegionId, RequestId, WarningKind};

use Event::{
    CollectiveBegin, CollectiveComplete, CollectiveRequest, Irecv, Isend, Leave, Recv, RecvRequest, RequestCancelled,
    Send, SendComplete,
};

/// Larger than the smallest wave, so that every part is a wave of its own when memory is short.
const LARGE: u64 = 2 << 20;

/// Two ranks, each with a region around everything, that post all receives, send, and complete much later.
fn long_open(messages: u64) -> Vec<Vec<Timed>> {
    (0..2u32)
        .map(|rank| {
            let mut track = vec![(0, enter(MAIN))];
            let mut time = 0;
            let mut add = |event| {
                time += 1;
                track.push((time, event));
            };
            for number in 0..messages {
                add(enter(WORK));
                add(RecvRequest(RequestId(2 * number)));
                add(leave(WORK));
            }
            add(CollectiveRequest(RequestId(u64::MAX - 1)));
            for number in 0..messages {
                add(Isend(by(2 * number + 1, end(1 - rank, (number % 5) as u32))));
                add(CollectiveBegin);
                add(Event::CollectiveEnd(collective(1)));
            }
            // Backwards, and every tenth never.
            for number in (0..messages).rev().filter(|number| number % 10 != 9) {
                add(SendComplete(RequestId(2 * number + 1)));
                add(Irecv(by(2 * number, end(1 - rank, (number % 5) as u32))));
            }
            add(CollectiveComplete(CollectiveEnd { request: RequestId(u64::MAX - 1), ..collective(0) }));
            add(leave(MAIN));
            track
        })
        .collect()
}

#[test]
fn what_is_open_over_many_parts_comes_out_as_in_one() {
    let tracks = long_open(12_000);
    let whole = Hand::new(world(2), &tracks).store();
    assert_eq!(whole.summary().messages, 2 * 10_800);
    assert_eq!((whole.summary().unmatched_sends, whole.summary().unmatched_receives), (2 * 1_200, 2 * 1_200));
    assert_eq!(whole.summary().collectives, 12_001);
    let end = tracks[0].last().unwrap().0;
    assert_eq!(whole.spans()[0], (0, end, MAIN, 0));
    assert_eq!(whole.warned(WarningKind::DoubtfulCollectives), 0);

    let cut = |bytes| Hand::cut(world(2), &tracks, bytes, |_| (0..tracks[0].len()).step_by(7_001).collect());
    let same = cut(64).store();
    assert_eq!(differences(whole.path(), same.path()), Vec::<String>::new(), "parts, one wave");
    for memory in [1, 64 << 20] {
        let little = cut(LARGE).store_within(memory);
        assert_eq!(table_differences(whole.path(), little.path()), Vec::<String>::new(), "memory {memory}");
        assert_eq!(little.summary(), whole.summary());
    }
}

#[test]
fn a_span_that_is_on_disk_already_still_gets_its_end() {
    // More spans than a batch has, so the outer ones are written before they end.
    let mut track = vec![(0, enter(MAIN)), (1, enter(WORK))];
    let inner = heddle_store::BATCH_ROWS as i64 + 10;
    for number in 0..inner {
        track.push((2 + 2 * number, enter(MAIN)));
        track.push((3 + 2 * number, leave(MAIN)));
    }
    let last = 2 + 2 * inner;
    track.extend([(last, leave(WORK)), (last + 1, leave(MAIN))]);
    let store = Hand::cut(world(1), &[track], LARGE, |_| vec![2, 1_000_000, 2_097_160]).store_within(1);
    assert_eq!(store.summary().spans, inner as u64 + 2);
    let spans = &store.spans;
    assert_eq!((spans.end.get(0), spans.end.get(1), spans.depth.get(1)), (Ns(last + 1), Ns(last), 1));
    assert!((2..spans.len()).all(|row| spans.end.get(row).0 == spans.start.get(row).0 + 1));
    assert!(store.store.warnings().is_empty());
}

// The rules, read plainly and slowly.

#[derive(Default)]
struct Plain {
    spans: Vec<(i64, i64, u32, u16)>,
    pairs: Vec<Pair>,
    unmatched: Vec<(String, u32, i64)>,
    collectives: Vec<Operation>,
}

struct PlainReceive {
    location: u32,
    posted: i64,
    is_cancelled: bool,
    /// Completion time and what it says.
    end: Option<(i64, MessageEnd)>,
}

#[derive(Clone, Copy)]
enum Open {
    Send,
    Receive(usize),
    Collective(usize),
}

fn plain(tracks: &[Vec<Timed>]) -> Plain {
    let mut plain = Plain::default();
    let (mut sends, mut receives) = (Vec::new(), Vec::<PlainReceive>::new());
    let mut operations: BTreeMap<(u32, usize), Vec<Member>> = BTreeMap::new();
    for (location, track) in tracks.iter().enumerate() {
        let location = location as u32;
        let mut open_spans: Vec<usize> = Vec::new();
        let mut requests: HashMap<u64, Open> = HashMap::new();
        let mut members: Vec<(i64, Option<(i64, u32)>)> = Vec::new();
        let mut begun: Option<usize> = None;
        for (time, event) in track {
            let time = *time;
            let close = |spans: &mut Vec<(i64, i64, u32, u16)>, open: &mut Vec<usize>| {
                let row = open.pop().unwrap();
                spans[row].1 = time;
            };
            match event {
                Event::Enter(RegionId(region)) => {
                    open_spans.push(plain.spans.len());
                    plain.spans.push((time, time, *region, open_spans.len() as u16 - 1));
                }
                Leave(None) if !open_spans.is_empty() => close(&mut plain.spans, &mut open_spans),
                Leave(Some(RegionId(region))) => {
                    if open_spans.iter().any(|row| plain.spans[*row].2 == *region) {
                        while plain.spans[*open_spans.last().unwrap()].2 != *region {
                            close(&mut plain.spans, &mut open_spans);
                        }
                        close(&mut plain.spans, &mut open_spans);
                    }
                }
                Send(end) | Isend(end) => {
                    sends.push((location, time, *end));
                    if end.request.is_some() {
                        requests.insert(end.request.0, Open::Send);
                    }
                }
                SendComplete(request) => drop(requests.remove(&request.0)),
                RecvRequest(request) => {
                    requests.insert(request.0, Open::Receive(receives.len()));
                    receives.push(PlainReceive { location, posted: time, is_cancelled: false, end: None });
                }
                Recv(end) | Irecv(end) => {
                    let request = end.request.some().and_then(|request| requests.remove(&request.0));
                    match request {
                        Some(Open::Receive(at)) => receives[at].end = Some((time, *end)),
                        _ => receives.push(PlainReceive {
                            location,
                            posted: time,
                            is_cancelled: false,
                            end: Some((time, *end)),
                        }),
                    }
                }
                RequestCancelled(request) => match requests.remove(&request.0) {
                    Some(Open::Receive(at)) => receives[at].is_cancelled = true,
                    Some(Open::Collective(_) | Open::Send) | None => {}
                },
                CollectiveBegin => {
                    begun = Some(members.len());
                    members.push((time, None));
                }
                Event::CollectiveEnd(end) => {
                    let at = begun.take().unwrap_or_else(|| {
                        members.push((open_spans.last().map_or(time, |row| plain.spans[*row].0), None));
                        members.len() - 1
                    });
                    members[at].1 = Some((time, end.comm.0));
                }
                CollectiveRequest(request) => {
                    requests.insert(request.0, Open::Collective(members.len()));
                    members.push((time, None));
                }
                CollectiveComplete(end) => {
                    let at = if let Some(Open::Collective(at)) = requests.remove(&end.request.0) {
                        at
                    } else {
                        members.push((time, None));
                        members.len() - 1
                    };
                    members[at].1 = Some((time, end.comm.0));
                }
                Leave(None) | Event::Metric(_) | Event::Mark(_) | Event::Task(_) | Event::DependsOn(_) => {}
            }
        }
        let last = track.last().map_or(0, |(time, _)| *time);
        for row in open_spans {
            plain.spans[row].1 = last;
        }
        let mut counts: HashMap<u32, usize> = HashMap::new();
        for (start, ended) in members {
            let Some((time, comm)) = ended else { continue };
            let number = counts.entry(comm).or_insert(0);
            operations.entry((comm, *number)).or_default().push((location, start, time));
            *number += 1;
        }
    }
    let mut taken = vec![false; receives.len()];
    for (location, time, sent) in &sends {
        let partner = receives.iter().enumerate().position(|(at, receive)| {
            let fits = |(_, end): (i64, MessageEnd)| {
                (end.comm, end.tag, end.peer) == (sent.comm, sent.tag, LocationId(*location))
            };
            !taken[at] && LocationId(receive.location) == sent.peer && receive.end.is_some_and(fits)
        });
        if let Some(at) = partner {
            taken[at] = true;
            let received = receives[at].end.unwrap().0;
            plain.pairs.push((*location, receives[at].location, *time, received, sent.tag, sent.comm.0));
        } else {
            plain.unmatched.push(("send".to_owned(), *location, *time));
        }
    }
    for (receive, taken) in receives.iter().zip(taken) {
        let (kind, time) = match receive.end {
            None if receive.is_cancelled => continue,
            None => ("posted-receive", receive.posted),
            Some((time, _)) => ("receive", time),
        };
        if !taken {
            plain.unmatched.push((kind.to_owned(), receive.location, time));
        }
    }
    let all = tracks.len();
    plain.collectives =
        operations.into_iter().map(|((comm, _), members)| (comm, members.len() != all, members)).collect();
    plain
}

/// Any record at all; few requests, tags and partners, so that they meet.
fn record(ranks: u32) -> impl Strategy<Value = Event<'static>> {
    let message = (0..ranks + 1, 0..2u32, 0..2u32)
        .prop_map(move |(peer, comm, tag)| on(comm, end(if peer == ranks { LocationId::NONE.0 } else { peer }, tag)));
    let asked = (message.clone(), 0..4u64).prop_map(|(message, request)| by(request, message));
    let request = || (0..4u64).prop_map(RequestId);
    let comm = || 0..2u32;
    prop_oneof![
        4 => (0..4u32).prop_map(enter),
        3 => (0..4u32).prop_map(leave),
        1 => Just(Leave(None)),
        2 => message.clone().prop_map(Send),
        2 => message.prop_map(Recv),
        2 => asked.clone().prop_map(Isend),
        1 => request().prop_map(SendComplete),
        3 => request().prop_map(RecvRequest),
        3 => asked.prop_map(Irecv),
        1 => request().prop_map(RequestCancelled),
        2 => Just(CollectiveBegin),
        2 => comm().prop_map(|comm| Event::CollectiveEnd(collective(comm))),
        1 => request().prop_map(CollectiveRequest),
        1 => (comm(), request())
            .prop_map(|(comm, request)| CollectiveComplete(CollectiveEnd { request, ..collective(comm) })),
    ]
}

/// Records of one location; times stand still or go on.
fn track(ranks: u32) -> impl Strategy<Value = Vec<Timed>> {
    prop::collection::vec((0..3i64, record(ranks)), 0..120).prop_map(|steps| {
        let mut time = 0;
        steps
            .into_iter()
            .map(|(step, event)| {
                time += step;
                (time, event)
            })
            .collect()
    })
}

fn programs() -> impl Strategy<Value = Vec<Vec<Timed>>> {
    (1..4u32).prop_flat_map(|ranks| prop::collection::vec(track(ranks), ranks as usize))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_programs_come_out_as_the_rules_say(tracks in programs()) {
        let store = Hand::new(world(tracks.len() as u32), &tracks).store();
        let plain = plain(&tracks);
        prop_assert_eq!(store.spans(), plain.spans);
        prop_assert_eq!(store.pairs(), plain.pairs);
        prop_assert_eq!(store.unmatched(), plain.unmatched);
        prop_assert_eq!(store.collectives(), plain.collectives);
    }

    #[test]
    fn random_cuts_and_budgets_change_nothing(
        tracks in programs(),
        cuts in prop::collection::vec(prop::collection::vec(0..120usize, 0..6), 3),
        bytes in prop_oneof![Just(0), Just(700_000), Just(LARGE)],
        memory in prop_oneof![Just(0), Just(1), Just(64u64 << 20), Just(PLENTY)],
    ) {
        let definitions = || world(tracks.len() as u32);
        let whole = Hand::new(definitions(), &tracks).store();
        let cut = Hand::cut(definitions(), &tracks, bytes, |location| cuts[location].clone()).store_within(memory);
        prop_assert_eq!(table_differences(whole.path(), cut.path()), Vec::<String>::new());
        prop_assert_eq!(whole.summary(), cut.summary());
    }
}
