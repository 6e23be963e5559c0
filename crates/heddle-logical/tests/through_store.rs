//! From records through a store to phases and steps: what becomes an event, and the worked examples once more.

#![allow(clippy::expect_used, reason = "a helper that fails is a test that fails")]
#![allow(dead_code, reason = "test programs share helpers")]

mod common;

use common::stored::{check, stored};
use heddle_logical::extract::{Extracted, extract};
use heddle_logical::tables::flags;
use heddle_logical::{Kind, Logical, LogicalOptions};
use heddle_store::{NoProgress, Store};
use heddle_testkit::{Act, Call, Hand};

use Act::{Begin, Collective, Complete, End, Isend, LongRecv, Post, Recv, Send, SendComplete};
use Kind::{Collective as C, Receive as R, Send as S};

fn call(name: &'static str, enter: i64, leave: i64, acts: Vec<Act>) -> Call {
    Call(name, enter, leave, acts)
}

fn inside(name: &'static str, enter: i64, leave: i64, calls: Vec<Call>) -> Call {
    Call(name, enter, leave, calls.into_iter().map(Act::Call).collect())
}

fn events_of(store: &Store, options: &LogicalOptions) -> Extracted {
    extract(store, options, &NoProgress).expect("nobody cancels")
}

/// Kinds of the events of a row, and whether each belongs to the one before.
fn row(extracted: &Extracted, row: usize) -> Vec<(Kind, bool)> {
    let events = &extracted.events;
    let range = events.first_of_row[row] as usize..events.first_of_row[row + 1] as usize;
    range.map(|event| (events.kind[event], events.is_joined[event])).collect()
}

/// Step, phase, row, enter, leave, lateness and that of the aggregate, in phases, by step.
fn lines(logical: &Logical) -> Vec<(u32, u32, u32, i64, i64, i64, i64)> {
    let mut lines: Vec<_> = (0..logical.events.len())
        .map(|event| {
            (
                logical.events.step.get(event),
                logical.events.phase.get(event),
                logical.row_of(event),
                logical.events.enter.get(event).0,
                logical.events.leave.get(event).0,
                logical.phase_lateness(event),
                logical.phase_aggregate_lateness(event),
            )
        })
        .collect();
    lines.sort_unstable_by_key(|line| (line.0, line.2));
    lines
}

/// Halo exchange on a line of six: rank 3 begins 40 late in the first of two rounds.
#[test]
fn a_halo_exchange_with_waitall() {
    let leaves = [[160, 162, 175, 178, 176, 163], [260, 262, 264, 266, 265, 263]];
    let ranks = (0..6u32)
        .map(|rank| {
            let mut calls = Vec::new();
            for (round, leaves) in (0u32..).zip(leaves) {
                let late = if round == 0 && rank == 3 { 40 } else { 0 };
                let start = 100 + 100 * i64::from(round) + late;
                let peers: Vec<u32> =
                    [rank.checked_sub(1), Some(rank + 1)].into_iter().flatten().filter(|p| *p < 6).collect();
                let request = |at: usize, is_send: bool| u64::from(round * 100) + 10 * u64::from(is_send) + at as u64;
                for (at, _) in peers.iter().enumerate() {
                    let enter = start + 3 * at as i64;
                    calls.push(call("MPI_Irecv", enter, enter + 2, vec![Post(request(at, false))]));
                }
                for (at, peer) in peers.iter().enumerate() {
                    let enter = start + 10 + 4 * at as i64;
                    calls.push(call("MPI_Isend", enter, enter + 3, vec![Isend(*peer, round, request(at, true))]));
                }
                let mut acts: Vec<Act> = Vec::new();
                for (at, peer) in peers.iter().enumerate() {
                    acts.push(Complete(*peer, round, request(at, false)));
                    acts.push(SendComplete(request(at, true)));
                }
                let enter = if late > 0 { 160 } else { start + 20 };
                calls.push(call("MPI_Waitall", enter, leaves[rank as usize], acts));
            }
            calls
        })
        .collect();
    let (_directory, store) = stored(&Hand::new(ranks).source());
    let logical = check(&store, &LogicalOptions::default(), "halo");
    assert_eq!((logical.phases.len(), logical.steps.len(), logical.events.len()), (2, 4, 24));
    // Times count from the first event, at 100.
    let wanted = [
        (0, 0, 0, 10, 13, 0, 0),
        (0, 0, 1, 10, 17, 4, 0),
        (0, 0, 2, 10, 17, 4, 0),
        (0, 0, 3, 50, 57, 44, 40),
        (0, 0, 4, 10, 17, 4, 0),
        (0, 0, 5, 10, 13, 0, 0),
        (1, 0, 0, 20, 60, 0, 0),
        (1, 0, 1, 20, 62, 2, 0),
        (1, 0, 2, 20, 75, 15, 0),
        (1, 0, 3, 60, 78, 18, 40),
        (1, 0, 4, 20, 76, 16, 0),
        (1, 0, 5, 20, 63, 3, 0),
        (2, 1, 0, 110, 113, 0, 0),
        (2, 1, 1, 110, 117, 4, 0),
        (2, 1, 2, 110, 117, 4, 0),
        (2, 1, 3, 110, 117, 4, 0),
        (2, 1, 4, 110, 117, 4, 0),
        (2, 1, 5, 110, 113, 0, 0),
        (3, 1, 0, 120, 160, 0, 0),
        (3, 1, 1, 120, 162, 2, 0),
        (3, 1, 2, 120, 164, 4, 0),
        (3, 1, 3, 120, 166, 6, 0),
        (3, 1, 4, 120, 165, 5, 0),
        (3, 1, 5, 120, 163, 3, 0),
    ];
    let first = lines(&logical)[0].3 - 10;
    let found: Vec<_> =
        lines(&logical).into_iter().map(|l| (l.0, l.1, l.2, l.3 - first, l.4 - first, l.5, l.6)).collect();
    assert_eq!(found, wanted);
}

/// Pairs exchange, everybody reduces, other pairs exchange.
#[test]
fn an_allreduce_between_two_phases() {
    let times = [
        [(100, 104), (106, 112), (115, 160), (162, 166), (168, 176)],
        [(101, 105), (107, 113), (116, 161), (163, 167), (169, 177)],
        [(120, 124), (126, 134), (150, 158), (160, 164), (166, 172)],
        [(102, 106), (108, 132), (134, 159), (170, 174), (176, 184)],
    ];
    let ranks = (0..4u32)
        .map(|rank| {
            let (near, far) = (rank ^ 1, rank ^ 2);
            let what =
                [vec![Send(near, 1)], vec![Recv(near, 1)], vec![Collective], vec![Send(far, 2)], vec![Recv(far, 2)]];
            let names = ["MPI_Send", "MPI_Recv", "MPI_Allreduce", "MPI_Send", "MPI_Recv"];
            let calls = what.into_iter().zip(names).zip(times[rank as usize]);
            calls.map(|((acts, name), (enter, leave))| call(name, enter, leave, acts)).collect()
        })
        .collect();
    let (_directory, store) = stored(&Hand::new(ranks).source());
    let logical = check(&store, &LogicalOptions::default(), "allreduce");
    let found: Vec<_> = lines(&logical).into_iter().map(|line| (line.0, line.1, line.2, line.5, line.6)).collect();
    let wanted = [
        (0, 0, 0, 0, 0),
        (0, 0, 1, 1, 1),
        (0, 1, 2, 18, 18),
        (0, 1, 3, 0, 0),
        (1, 0, 0, 0, 0),
        (1, 0, 1, 1, 1),
        (1, 1, 2, 2, 18),
        (1, 1, 3, 0, 0),
        (2, 2, 0, 2, 0),
        (2, 2, 1, 3, 1),
        (2, 2, 2, 0, 35),
        (2, 2, 3, 1, 19),
        (3, 3, 0, 2, 2),
        (3, 4, 1, 0, 0),
        (3, 3, 2, 0, 0),
        (3, 4, 3, 7, 7),
        (4, 3, 0, 4, 2),
        (4, 4, 1, 0, 0),
        (4, 3, 2, 0, 0),
        (4, 4, 3, 7, 7),
    ];
    assert_eq!(found, wanted);
    // Globally rank 3's last receive is 12 late.
    let last = logical.event_at(3, 4).expect("rank 3 receives in step 4");
    assert_eq!((logical.lateness(last), logical.aggregate_lateness(last)), (12, 10));
}

#[test]
fn a_call_that_sends_and_receives_is_two_events() {
    let exchange = |peer| vec![call("MPI_Sendrecv", 10, 20, vec![Send(peer, 0), Recv(peer, 0)])];
    let (_directory, store) = stored(&Hand::new(vec![exchange(1), exchange(0)]).source());
    let logical = check(&store, &LogicalOptions::default(), "sendrecv");
    let extracted = events_of(&store, &LogicalOptions::default());
    assert_eq!(row(&extracted, 0), [(S, false), (R, false)]);
    assert!(extracted.flags.iter().all(|flag| flag & flags::SPLIT != 0));
    assert_eq!((logical.phases.len(), logical.steps.len()), (1, 2));
    let events = logical.events_of_span(&store, logical.events.span.get(0));
    assert_eq!(events, 0..2, "both are found at the call");
}

#[test]
fn a_call_may_send_several_messages_and_complete_several_things() {
    let ranks = vec![
        vec![
            call("MPI_Startall", 1, 3, vec![Isend(1, 0, 1), Isend(1, 1, 2), Begin(3), Begin(4)]),
            call("MPI_Waitall", 5, 9, vec![SendComplete(1), SendComplete(2), End(3), End(4)]),
        ],
        vec![
            call("MPI_Irecv", 1, 2, vec![Post(1), Post(2), Begin(3), Begin(4)]),
            call("MPI_Testall", 2, 3, vec![]),
            call("MPI_Waitall", 5, 9, vec![Complete(0, 0, 1), Complete(0, 1, 2), End(3), End(4)]),
        ],
    ];
    let (_directory, store) = stored(&Hand::new(ranks).source());
    check(&store, &LogicalOptions::default(), "several");
    let extracted = events_of(&store, &LogicalOptions::default());
    let kinds = |at| row(&extracted, at).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>();
    assert_eq!(kinds(0), [S, C, C]);
    assert_eq!(kinds(1), [R, C, C]);
    assert_eq!(extracted.events.messages, [(0, 3), (0, 3)]);
    assert_eq!(extracted.events.members, [1, 4, 2, 5]);
    assert!(extracted.flags[0] & flags::SEVERAL != 0 && extracted.flags[3] & flags::SEVERAL != 0);
}

#[test]
fn ends_without_a_partner_stay_events() {
    let ranks = vec![
        vec![call("MPI_Send", 1, 2, vec![Send(1, 0)]), call("MPI_Send", 3, 4, vec![Send(1, 7)])],
        vec![
            call("MPI_Irecv", 1, 2, vec![Post(5)]),
            call("MPI_Recv", 2, 4, vec![Recv(0, 9)]),
            call("MPI_Recv", 5, 6, vec![Recv(0, 0)]),
        ],
    ];
    let (_directory, store) = stored(&Hand::new(ranks).source());
    let logical = check(&store, &LogicalOptions::default(), "unmatched");
    let extracted = events_of(&store, &LogicalOptions::default());
    assert_eq!(extracted.events.messages, [(0, 3)]);
    let unmatched: Vec<bool> = extracted.flags.iter().map(|flag| flag & flags::UNMATCHED != 0).collect();
    assert_eq!(unmatched, [false, true, true, false]);
    let hints = logical.hints().join(" ");
    assert!(hints.contains("1 send has no receive") && hints.contains("1 receive has no send"), "{hints}");
    assert!(hints.contains("1 receive was posted"), "{hints}");
}

/// Ends that name different lengths belong together, unless the options ask for the same.
#[test]
fn lengths_decide_only_if_asked_to() {
    let ranks = vec![
        vec![call("MPI_Send", 1, 2, vec![Send(1, 0)]), call("MPI_Send", 3, 4, vec![Send(1, 0)])],
        vec![call("MPI_Recv", 1, 5, vec![LongRecv(0, 0)]), call("MPI_Recv", 6, 7, vec![Recv(0, 0)])],
    ];
    let (_directory, store) = stored(&Hand::new(ranks).source());
    let same = LogicalOptions { same_size: true, ..LogicalOptions::default() };
    assert_eq!(events_of(&store, &LogicalOptions::default()).events.messages, [(0, 2), (1, 3)]);
    assert_eq!(events_of(&store, &same).events.messages, [(1, 3)]);
    let logical = check(&store, &same, "different lengths");
    assert_eq!((logical.senders(&store, 2), logical.senders(&store, 3)), (vec![], vec![1]));
    assert!(logical.receivers(&store, 0).is_empty());
    let hints = logical.hints().join(" ");
    assert!(hints.contains("ends of 1 message name different lengths"), "{hints}");
}

/// A run of non-blocking sends is one event, until another call is left.
#[test]
fn runs_of_sends_are_one_event() {
    let sends = |at: i64, tag| call("MPI_Isend", at, at + 1, vec![Isend(1, tag, u64::from(tag))]);
    let ranks = vec![
        vec![sends(1, 0), sends(3, 1), call("work", 5, 6, vec![]), sends(7, 2), call("MPI_Wait", 9, 10, vec![])],
        (0..3)
            .map(|tag| call("MPI_Recv", 20 + 2 * i64::from(tag), 21 + 2 * i64::from(tag), vec![Recv(0, tag)]))
            .collect(),
    ];
    let (_directory, store) = stored(&Hand::new(ranks).source());
    let logical = check(&store, &LogicalOptions::default(), "runs");
    assert_eq!(logical.events_of(0), 0..2);
    assert_eq!((logical.events.enter.get(0), logical.events.leave.get(0)), (heddle_model::Ns(1), heddle_model::Ns(4)));
    assert!(logical.events.kind.get(0) & flags::COALESCED != 0 && logical.events.kind.get(1) & flags::COALESCED == 0);
    assert_eq!(logical.events_of_span(&store, heddle_model::SpanRow(1)), 0..1, "a later part is found too");
    assert_eq!(logical.events_of_span(&store, heddle_model::SpanRow(2)), 1..1, "what lies between is no event");
    let apart = LogicalOptions { coalesce_isends: false, ..LogicalOptions::default() };
    assert_eq!(check(&store, &apart, "runs apart").events_of(0), 0..3);
}

/// Events with one caller belong together; what is around nearly everything is no caller.
#[test]
fn the_outermost_calls_are_no_callers() {
    let step = |at: i64, me: u32| {
        let other = 1 - me;
        let (first, second) = if me == 0 { (Send(other, 0), Recv(other, 0)) } else { (Recv(other, 0), Send(other, 0)) };
        inside(
            "exchange",
            at,
            at + 9,
            vec![call("MPI_A", at + 1, at + 3, vec![first]), call("MPI_B", at + 4, at + 6, vec![second])],
        )
    };
    let rank = |me: u32| {
        let steps = (0..4).map(|number| step(10 + 10 * number, me)).collect();
        vec![inside("tool", 0, 99, vec![inside("main", 1, 98, steps)])]
    };
    let (_directory, store) = stored(&Hand::new(vec![rank(0), rank(1)]).source());
    let logical = check(&store, &LogicalOptions::default(), "callers");
    assert_eq!(logical.phases.len(), 4, "a phase for each call of exchange");
    assert_eq!(row(&events_of(&store, &LogicalOptions::default()), 0)[..3], [(S, false), (R, true), (S, false)]);
    let without = LogicalOptions { common_caller: false, ..LogicalOptions::default() };
    assert_eq!(check(&store, &without, "no callers").phases.len(), 8, "a phase for each message");
}

#[test]
fn phases_begin_where_a_function_is_entered() {
    let rank = |me: u32| {
        let other = 1 - me;
        let exchange = |at: i64| {
            let acts = if me == 0 { Send(other, 0) } else { Recv(other, 0) };
            call("MPI_X", at, at + 2, vec![acts])
        };
        vec![
            exchange(1),
            call("timestep", 10, 11, vec![]),
            exchange(12),
            exchange(15),
            call("timestep", 20, 21, vec![]),
            exchange(22),
        ]
    };
    let (_directory, store) = stored(&Hand::new(vec![rank(0), rank(1)]).source());
    let given = |name: &str| LogicalOptions { phase_function: Some(name.to_owned()), ..LogicalOptions::default() };
    let logical = check(&store, &given("time"), "given");
    let phases: Vec<u32> = logical.events_of(0).map(|event| logical.events.phase.get(event)).collect();
    assert_eq!(phases, [0, 1, 1, 2]);
    let error = Logical::open(&store, &given("timestamp"), &NoProgress).expect_err("no such function").to_string();
    assert!(error.contains("`timestamp`") && error.contains("close to it are timestep"), "{error}");
}

/// Many short rows are taken together. What one of them leaves open (a run of sends, a wait, a caller, a phase) ends with it.
#[test]
fn rows_that_are_taken_together_are_what_they_are_alone() {
    let sends = |at: i64, to: u32, tag: u32| call("MPI_Isend", at, at + 1, vec![Isend(to, tag, u64::from(tag))]);
    let group = |first: u32| -> Vec<Vec<Call>> {
        let (one, two, three) = (first, first + 1, first + 2);
        vec![
            vec![
                call("timestep", 0, 1, vec![]),
                inside("spread", 2, 20, vec![sends(3, two, 0), sends(5, two, 1), sends(7, three, 2)]),
                call("MPI_Waitall", 21, 22, vec![]),
                inside("gather", 23, 40, vec![call("MPI_Recv", 24, 39, vec![Recv(three, 3)])]),
                sends(41, two, 4),
            ],
            vec![
                sends(1, three, 5),
                inside("gather", 2, 30, vec![call("MPI_Recv", 3, 9, vec![Recv(one, 0)]), sends(10, three, 6)]),
                call("timestep", 31, 32, vec![]),
                call("MPI_Recv", 33, 35, vec![Recv(one, 1)]),
                call("MPI_Recv", 36, 50, vec![Recv(one, 4)]),
                call("timestep", 51, 52, vec![]),
            ],
            vec![
                call("MPI_Recv", 1, 9, vec![Recv(two, 5)]),
                call("MPI_Recv", 10, 13, vec![Recv(one, 2)]),
                sends(14, one, 3),
                call("MPI_Waitall", 16, 17, vec![]),
                call("MPI_Recv", 18, 19, vec![Recv(two, 6)]),
            ],
        ]
    };
    // Two thousand rows are taken a few at a time, and never three.
    let groups = 700;
    let (_alone, alone) = stored(&Hand::new(group(0)).source());
    let (_many, many) = stored(&Hand::new((0..groups).flat_map(|number| group(3 * number)).collect()).source());
    let given = LogicalOptions { phase_function: Some("timestep".to_owned()), ..LogicalOptions::default() };
    for options in [LogicalOptions::default(), given] {
        let (alone, many) = (events_of(&alone, &options).events, events_of(&many, &options).events);
        let events = alone.kind.len() as u32;
        assert!(events >= 10 && alone.messages.len() == 7, "{events} events");
        let copies = groups as usize;
        assert_eq!(many.kind, alone.kind.repeat(copies));
        assert_eq!(many.enter, alone.enter.repeat(copies));
        assert_eq!(many.leave, alone.leave.repeat(copies));
        assert_eq!(many.is_joined, alone.is_joined.repeat(copies));
        assert_eq!(many.given_phase, alone.given_phase.repeat(copies));
        let shifted =
            |number: u32| alone.messages.iter().map(move |(from, to)| (from + number * events, to + number * events));
        assert_eq!(many.messages, (0..groups).flat_map(shifted).collect::<Vec<_>>());
    }
}
