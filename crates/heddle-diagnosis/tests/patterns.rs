//! Every pattern of waiting, in traces of a few calls whose numbers are worked out by hand.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails")]

mod common;

use common::stored;
use heddle_diagnosis::efficiency::Classes;
use heddle_diagnosis::run::Run;
use heddle_diagnosis::waits::WaitKind;
use heddle_model::{CollectiveOp, Ns};
use heddle_store::NoProgress;
use heddle_testkit::{Act, Call, Hand};

/// A wait, as far as a table of expectations goes: rank, function, amount, culprit, kind.
type Told = (u32, String, i64, u32, WaitKind);

struct Found {
    waits: Vec<Told>,
    violations: (u64, i64),
    unexplained: i64,
    capped: usize,
    classes: Classes,
    run: Run,
    costs: Vec<(u32, String, f64, f64)>,
}

fn found(ranks: Vec<Vec<Call>>) -> Found {
    let hand = Hand::new(ranks);
    let (_directory, store) = stored(&hand.source());
    let (run, _) = Run::new(&store, &NoProgress).unwrap();
    let name = |region: u64| store.regions.name.get(region).to_owned();
    let called = |span: u64| name(u64::from(store.spans.region.get(span).0));
    let told = run
        .waits
        .list
        .iter()
        .map(|wait| (wait.location.0, called(wait.span.0), wait.wait, wait.culprit.0, wait.kind()));
    let costs = run.delays.costs.iter().map(|(row, region, cost)| {
        let name = if region.is_some() { name(u64::from(region.0)) } else { String::new() };
        (*row, name, cost.short, cost.long)
    });
    Found {
        waits: told.collect(),
        violations: (run.waits.violations, run.waits.largest_violation),
        unexplained: run.waits.unexplained,
        capped: run.waits.list.iter().filter(|wait| wait.is_capped()).count(),
        costs: costs.collect(),
        classes: run.efficiency(&store, (Ns(0), Ns(1 << 40))).time,
        run,
    }
}

fn waits(ranks: Vec<Vec<Call>>) -> Vec<Told> {
    found(ranks).waits
}

fn told(rank: u32, function: &str, wait: i64, culprit: u32, kind: WaitKind) -> Told {
    (rank, function.to_owned(), wait, culprit, kind)
}

fn call(name: &'static str, enter: i64, leave: i64) -> Call {
    Call(name, enter, leave, Vec::new())
}

fn send(to: u32, enter: i64, leave: i64) -> Call {
    Call("MPI_Send", enter, leave, vec![Act::Send(to, 0)])
}

fn recv(from: u32, enter: i64, leave: i64) -> Call {
    Call("MPI_Recv", enter, leave, vec![Act::Recv(from, 0)])
}

fn joint(name: &'static str, op: CollectiveOp, root: Option<u32>, calls: &[(i64, i64)]) -> Vec<Vec<Call>> {
    joint_of(name, op, root, 8, calls)
}

fn joint_of(
    name: &'static str,
    op: CollectiveOp,
    root: Option<u32>,
    bytes: u64,
    calls: &[(i64, i64)],
) -> Vec<Vec<Call>> {
    let of = |(enter, leave): &(i64, i64)| vec![Call(name, *enter, *leave, vec![Act::Joint(op, root, bytes)])];
    calls.iter().map(of).collect()
}

/// What ranks waited in a collective, by rank, and for whom they did.
fn in_collective(ranks: Vec<Vec<Call>>) -> Vec<(i64, Option<u32>)> {
    let count = ranks.len() as u32;
    let found = waits(ranks);
    let of = |rank| {
        let own: Vec<&Told> = found.iter().filter(|told| told.0 == rank).collect();
        assert!(own.len() < 2, "one call waits once: {own:?}");
        own.first().map_or((0, None), |told| (told.2, Some(told.3)))
    };
    (0..count).map(of).collect()
}

#[test]
fn case_1_a_receive_waits_for_its_late_sender() {
    let found = found(vec![vec![send(1, 10, 12)], vec![recv(0, 4, 12)]]);
    assert_eq!(found.waits, [told(1, "MPI_Recv", 6, 0, WaitKind::LateSender)]);
    assert_eq!(found.violations, (0, 0));
    // The send takes 2, and what is left of the receive, too.
    assert_eq!((found.classes.communication, found.classes.waiting), (4, 6));
}

#[test]
fn case_2_with_clocks_that_disagree_the_wait_is_capped_and_counted() {
    let found = found(vec![vec![send(1, 15, 16)], vec![recv(0, 4, 12)]]);
    assert_eq!(found.waits, [told(1, "MPI_Recv", 8, 0, WaitKind::LateSender)]);
    assert_eq!((found.violations, found.capped), ((1, 3), 1));
}

fn not_blocking(completes: &'static str, enter: i64) -> Vec<Vec<Call>> {
    vec![
        vec![Call("MPI_Isend", 10, 11, vec![Act::Isend(1, 0, 1)])],
        vec![
            Call("MPI_Irecv", 1, 2, vec![Act::Post(7)]),
            call("work", 2, enter),
            Call(completes, enter, 13, vec![Act::Complete(0, 0, 7)]),
        ],
    ]
}

#[test]
fn case_3_what_does_not_block_waits_where_it_completes() {
    let late = [told(1, "MPI_Wait", 3, 0, WaitKind::LateSender)];
    assert_eq!(waits(not_blocking("MPI_Wait", 7)), late);
    assert_eq!(waits(not_blocking("MPI_Wait", 11)), [], "hidden behind computing");
}

#[test]
fn case_4_of_several_senders_the_last_is_waited_for() {
    let sends = |enter: i64| vec![send(1, enter, enter + 1)];
    let posts = (0..3).map(Act::Post).collect();
    let completes = [0, 2, 3].into_iter().zip(0..).map(|(from, request)| Act::Complete(from, 0, request)).collect();
    let waiter = vec![Call("MPI_Irecv", 1, 2, posts), Call("MPI_Waitall", 5, 20, completes)];
    let found = waits(vec![sends(9), waiter, sends(16), sends(3)]);
    assert_eq!(found, [told(1, "MPI_Waitall", 11, 2, WaitKind::LateSender)]);
}

#[test]
fn case_5_a_test_does_not_wait() {
    assert_eq!(waits(not_blocking("MPI_Test", 7)), []);
}

#[test]
fn case_6_a_send_waits_for_its_late_receiver() {
    let found = waits(vec![vec![send(1, 3, 14)], vec![recv(0, 10, 14)]]);
    assert_eq!(found, [told(0, "MPI_Send", 7, 1, WaitKind::LateReceiver)]);
}

#[test]
fn case_7_an_eager_send_does_not() {
    assert_eq!(waits(vec![vec![send(1, 3, 5)], vec![recv(0, 10, 12)]]), []);
}

#[test]
fn case_8_a_send_that_does_not_block_waits_where_it_completes() {
    let found = waits(vec![
        vec![
            Call("MPI_Isend", 1, 2, vec![Act::Isend(1, 0, 1)]),
            call("work", 2, 6),
            Call("MPI_Wait", 6, 13, vec![Act::SendComplete(1)]),
        ],
        vec![
            Call("MPI_Irecv", 9, 10, vec![Act::Post(7)]),
            call("work", 10, 20),
            Call("MPI_Wait", 20, 21, vec![Act::Complete(0, 0, 7)]),
        ],
    ]);
    assert_eq!(found, [told(0, "MPI_Wait", 3, 1, WaitKind::LateReceiver)]);
}

#[test]
fn case_9_and_10_messages_received_in_another_order_than_sent() {
    let other = waits(vec![vec![send(1, 10, 11)], vec![recv(0, 2, 11), recv(2, 11, 12)], vec![send(1, 5, 6)]]);
    assert_eq!(other, [told(1, "MPI_Recv", 8, 0, WaitKind::WrongOrder)]);
    let tagged = |name, enter, leave, act| Call(name, enter, leave, vec![act]);
    let same = waits(vec![
        vec![tagged("MPI_Send", 5, 6, Act::Send(1, 1)), tagged("MPI_Send", 10, 11, Act::Send(1, 2))],
        vec![tagged("MPI_Recv", 2, 11, Act::Recv(0, 2)), tagged("MPI_Recv", 11, 12, Act::Recv(0, 1))],
    ]);
    assert_eq!(same, [told(1, "MPI_Recv", 8, 0, WaitKind::WrongOrder)]);
    let in_order = waits(vec![vec![send(1, 10, 11)], vec![recv(0, 2, 11), recv(2, 12, 13)], vec![send(1, 11, 12)]]);
    assert_eq!(in_order, [told(1, "MPI_Recv", 8, 0, WaitKind::LateSender)]);
}

#[test]
fn case_11_a_barrier_waits_for_the_last() {
    let ranks = joint("MPI_Barrier", CollectiveOp::BARRIER, None, &[(1, 10), (5, 10), (8, 12), (3, 11)]);
    let expected = [(7, Some(2)), (3, Some(2)), (0, None), (5, Some(2))];
    assert_eq!(in_collective(ranks), expected);
}

#[test]
fn case_12_who_leaves_before_the_last_comes_violates_the_clocks() {
    let ranks = joint("MPI_Allreduce", CollectiveOp::ALLREDUCE, None, &[(1, 6), (5, 10), (8, 12), (3, 11)]);
    let found = found(ranks);
    let amounts: Vec<(u32, i64)> = found.waits.iter().map(|told| (told.0, told.2)).collect();
    assert_eq!(amounts, [(0, 5), (1, 3), (3, 5)]);
    assert_eq!((found.violations, found.capped), ((1, 2), 1));
}

#[test]
fn case_13_a_broadcast_waits_for_its_root() {
    let ranks = joint("MPI_Bcast", CollectiveOp::from_name("bcast"), Some(0), &[(6, 7), (2, 8), (9, 10), (4, 8)]);
    assert_eq!(in_collective(ranks), [(0, None), (4, Some(0)), (0, None), (2, Some(0))]);
}

#[test]
fn case_14_the_root_of_a_reduction_waits_for_the_last() {
    let ranks = joint("MPI_Reduce", CollectiveOp::from_name("reduce"), Some(0), &[(2, 13), (5, 6), (11, 12), (7, 8)]);
    assert_eq!(in_collective(ranks), [(9, Some(2)), (0, None), (0, None), (0, None)]);
}

#[test]
fn case_15_a_scan_waits_for_lower_ranks() {
    let ranks = joint("MPI_Scan", CollectiveOp::from_name("scan"), None, &[(4, 5), (9, 10), (2, 11), (6, 12)]);
    assert_eq!(in_collective(ranks), [(0, None), (0, None), (7, Some(1)), (3, Some(1))]);
}

#[test]
fn case_16_nobody_waits_without_payload_or_together() {
    let calls = [(1, 10), (5, 10), (8, 12), (3, 11)];
    let mut ranks = joint_of("MPI_Allreduce", CollectiveOp::ALLREDUCE, None, 0, &calls);
    // Something has to carry bytes, else the trace does not record them.
    for (rank, later) in ranks.iter_mut().zip(joint("MPI_Allreduce", CollectiveOp::ALLREDUCE, None, &[(20, 21); 4])) {
        rank.extend(later);
    }
    assert_eq!(waits(ranks), []);
    assert_eq!(waits(joint("MPI_Allreduce", CollectiveOp::ALLREDUCE, None, &[(5, 6); 4])), []);
}

#[test]
fn case_17_a_collective_that_does_not_block_waits_where_it_completes() {
    let rank = |(post, wait): (i64, i64)| {
        vec![Call("MPI_Iallreduce", post, post + 1, vec![Act::Begin(1)]), Call("MPI_Wait", wait, 12, vec![Act::End(1)])]
    };
    let found = waits([(1, 6), (5, 7), (8, 9), (3, 4)].map(rank).to_vec());
    let amounts: Vec<(u32, &str, i64, u32)> =
        found.iter().map(|told| (told.0, told.1.as_str(), told.2, told.3)).collect();
    assert_eq!(amounts, [(0, "MPI_Wait", 2, 2), (1, "MPI_Wait", 1, 2), (3, "MPI_Wait", 4, 2)]);
}

#[test]
fn a_sendrecv_that_waits_both_ways_counts_the_longer() {
    let both =
        |to: u32, from: u32, enter: i64| Call("MPI_Sendrecv", enter, 20, vec![Act::Send(to, 0), Act::Recv(from, 0)]);
    // Rank 1 is the last of the three that shift to the right: 0 waits for both sides, and only once.
    let found = waits(vec![vec![both(1, 2, 3)], vec![both(2, 0, 12)], vec![both(0, 1, 7)]]);
    let amounts: Vec<(u32, i64, u32)> = found.iter().map(|told| (told.0, told.2, told.3)).collect();
    assert_eq!(amounts, [(0, 9, 1), (2, 5, 1)]);
}

#[test]
fn the_earlier_of_several_equally_late_is_the_lowest_rank() {
    let ranks = joint("MPI_Barrier", CollectiveOp::BARRIER, None, &[(1, 10), (8, 10), (8, 10), (8, 10)]);
    assert_eq!(in_collective(ranks), [(9 - 2, Some(1)), (0, None), (0, None), (0, None)]);
}

#[test]
fn ends_without_partner_are_no_waits_but_unexplained_time() {
    let found = found(vec![
        vec![call("work", 0, 4), send(1, 4, 6), call("work", 6, 30)],
        vec![recv(0, 2, 6), recv(0, 7, 29), call("work", 29, 30)],
    ]);
    assert_eq!(found.waits, [told(1, "MPI_Recv", 2, 0, WaitKind::LateSender)]);
    assert_eq!(found.unexplained, 22);
    assert_eq!((found.run.length, found.run.replayed, found.run.unmet), (30, 30, 0));
}

#[test]
fn nobody_waits_for_a_message_to_itself() {
    let own = vec![
        Call("MPI_Irecv", 0, 1, vec![Act::Post(1)]),
        call("work", 1, 5),
        Call("MPI_Send", 5, 9, vec![Act::Send(0, 0)]),
        Call("MPI_Wait", 9, 12, vec![Act::Complete(0, 0, 1)]),
    ];
    let found = found(vec![own, vec![call("work", 0, 12)]]);
    assert_eq!(found.waits, []);
    assert_eq!((found.run.replayed, found.run.unmet), (12, 0));
}

#[test]
fn a_probe_waits_for_the_message_that_the_next_receive_takes() {
    let found =
        waits(vec![vec![call("work", 0, 10), send(1, 10, 11)], vec![call("MPI_Probe", 4, 12), recv(0, 12, 13)]]);
    assert_eq!(found, [told(1, "MPI_Probe", 6, 0, WaitKind::LateSender)]);
    let not_its = waits(vec![
        vec![call("work", 0, 10), send(1, 10, 11)],
        vec![call("MPI_Probe", 4, 8), call("work", 8, 9), call("MPI_Probe", 9, 12), recv(0, 12, 13)],
    ]);
    assert_eq!(not_its, [told(1, "MPI_Probe", 1, 0, WaitKind::LateSender)], "only the probe that found it");
}

#[test]
fn a_call_inside_another_is_the_one_that_waits() {
    let inside = Call("MPI_Recv", 5, 12, vec![Act::Recv(0, 0)]);
    let found = waits(vec![vec![send(1, 10, 12)], vec![Call("MPI_Allreduce", 4, 13, vec![Act::Call(inside)])]]);
    assert_eq!(found, [told(1, "MPI_Recv", 5, 0, WaitKind::LateSender)]);
}

#[test]
fn waits_in_finalize_are_for_the_last_to_come() {
    let end = |enter: i64, leave: i64| vec![call("work", 0, enter), call("MPI_Finalize", enter, leave)];
    let found = waits(vec![end(3, 10), end(9, 10), end(5, 11)]);
    assert_eq!(
        found,
        [told(0, "MPI_Finalize", 6, 1, WaitKind::Finalize), told(2, "MPI_Finalize", 4, 1, WaitKind::Finalize),]
    );
    assert_eq!(waits(vec![end(3, 4), end(9, 10)]), [], "who is gone before did not wait");
}

#[test]
fn what_nobody_waits_for_costs_nothing_and_the_path_stays() {
    let found = found(vec![vec![call("work", 0, 9), send(1, 9, 10)], vec![call("work", 0, 20), recv(0, 20, 21)]]);
    assert_eq!((found.waits, found.costs), (Vec::new(), Vec::new()));
    let path: Vec<_> = found.run.path.iter().map(|piece| (piece.location.0, piece.start.0, piece.end.0)).collect();
    assert_eq!(path, [(1, 0, 21)]);
}
