//! Clocks that agree, and clocks that do not.

#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]

mod common;

use common::looked::look;
use common::programs::program;
use heddle_diagnosis::clocks::Clocks;
use heddle_model::{CollectiveOp, LocationId};
use heddle_simulate::{Fault, Machine, Who, simulate};
use heddle_testkit::{Act, Call, Hand};

#[test]
fn a_receive_before_its_send_and_a_member_gone_before_the_last_are_counted() {
    let barrier = |enter, leave| Call("MPI_Barrier", enter, leave, vec![Act::Joint(CollectiveOp::BARRIER, None, 0)]);
    let hand = Hand::new(vec![
        vec![Call("MPI_Send", 15, 16, vec![Act::Send(1, 0)]), barrier(20, 27)],
        vec![Call("MPI_Recv", 4, 12, vec![Act::Recv(0, 0)]), barrier(30, 32)],
        vec![Call("work", 0, 10, Vec::new()), barrier(21, 33)],
    ]);
    let found = look(&hand.source()).clocks;
    // The message by 3; rank 0 left the barrier 3 before rank 1 came, rank 2 did not.
    let between = Some((LocationId(1), LocationId(0)));
    assert_eq!((found.violations, found.checked, found.largest, found.between), (2, 3, 3, between), "{found:?}");
    assert!(found.is_broken);
}

fn with_clock(offset_ns: i64, drift: f64) -> Clocks {
    let fault = Fault::Clock { who: Who::Ranks(vec![5]), offset_ns, drift };
    let machine = Machine { noise: 0.05, faults: vec![fault], ..Machine::default() };
    look(&simulate(program("halo", 16, 1), &machine).expect("a run")).clocks
}

#[test]
fn a_clock_that_is_off_by_more_than_waits_breaks_everything_and_one_that_is_not_does_not() {
    let far = with_clock(3_000_000, 0.0);
    assert!(far.is_broken && far.violations > 100, "{far:?}");
    assert!((2_500_000..=3_000_000).contains(&far.largest), "{far:?}");
    assert!(with_clock(-3_000_000, 0.0).is_broken);
    // Two microseconds: no message is that fast, and waits are of 50.
    let near = with_clock(2_000, 0.0);
    assert_eq!((near.violations, near.is_broken), (0, false), "{near:?}");
    let fast = with_clock(0, 0.01);
    assert!(fast.is_broken, "a clock that gains 1 ms in a run of 0.1 s: {fast:?}");
}

#[test]
fn one_wrong_clock_among_a_thousand_is_noticed() {
    let fault = Fault::Clock { who: Who::Ranks(vec![387]), offset_ns: 340_000, drift: 0.0 };
    let machine = Machine { noise: 0.05, faults: vec![fault], ..Machine::default() };
    let found = look(&simulate(program("uniform", 1024, 1), &machine).expect("a run")).clocks;
    assert!(found.violations > 0 && found.violations * 1_000 < found.checked, "less than a thousandth: {found:?}");
    assert!(found.is_broken, "{found:?}");
}

#[test]
fn a_wrong_clock_is_no_slow_link() {
    for offset_ns in [-20_000, 5_000, 20_000, 200_000] {
        for name in ["halo", "ring", "nearest", "pf3d"] {
            let fault = Fault::Clock { who: Who::Ranks(vec![5]), offset_ns, drift: 0.0 };
            let machine = Machine { noise: 0.05, ranks_per_node: 4, faults: vec![fault], ..Machine::default() };
            let found = look(&simulate(program(name, 16, 1), &machine).expect("a run"));
            assert!(found.suspects.is_empty(), "{name} {offset_ns}: {:#?}", found.suspects);
        }
    }
}
