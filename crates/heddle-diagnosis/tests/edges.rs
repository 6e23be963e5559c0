//! Traces with little in them, and traces that end early.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails")]

mod common;

use common::stored;
use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_diagnosis::finding::Verdict;
use heddle_model::CollectiveOp;
use heddle_store::NoProgress;
use heddle_testkit::{Act, Call, Hand};

fn diagnosed(ranks: Vec<Vec<Call>>) -> Diagnosis {
    let hand = Hand::new(ranks);
    let (_directory, store) = stored(&hand.source());
    let made = Diagnosis::open(&store, &NoProgress).unwrap();
    assert!(Diagnosis::find(&store).is_some(), "it is kept, however little it says");
    made
}

fn path_of(diagnosis: &Diagnosis) -> Vec<(u32, i64, i64)> {
    diagnosis.run.path.iter().map(|piece| (piece.location.0, piece.start.0, piece.end.0)).collect()
}

#[test]
fn an_empty_trace_has_nothing_to_say() {
    for ranks in [Vec::new(), vec![Vec::new(), Vec::new()]] {
        let found = diagnosed(ranks);
        assert_eq!((found.run.length, found.run.replayed, found.whole.ranks), (0, 0, 0));
        assert!(found.run.path.is_empty() && found.findings.is_empty());
        assert_ne!(found.verdict, Verdict::Faulty);
    }
}

#[test]
fn one_rank_is_its_own_path() {
    let found = diagnosed(vec![vec![Call("work", 5, 12, vec![]), Call("work", 14, 20, vec![])]]);
    assert_eq!(path_of(&found), [(0, 5, 20)]);
    assert_eq!((found.run.length, found.run.replayed), (15, 15));
    assert_eq!((found.whole.parallel(), found.whole.time.useful), (1.0, 15));
}

#[test]
fn ranks_that_never_speak_to_each_other_are_as_long_as_the_longest() {
    let found = diagnosed(vec![vec![Call("work", 0, 12, vec![])], vec![Call("work", 0, 20, vec![])]]);
    assert_eq!(path_of(&found), [(1, 0, 20)]);
    assert_eq!((found.run.replayed, found.whole.ideal, found.whole.most_useful), (20, 20, 20));
    assert_eq!(found.run.waits.total(), 0);
}

#[test]
fn calls_that_the_end_of_the_trace_cuts_wait_for_nobody_we_know() {
    let barrier = |enter, leave, last| Call("MPI_Barrier", enter, leave, vec![last]);
    let joint = || Act::Joint(CollectiveOp::BARRIER, None, 0);
    // Rank 1 receives what was never sent, and rank 2 never leaves the barrier that nobody else came to.
    let found = diagnosed(vec![
        vec![barrier(2, 5, joint()), Call("work", 5, 40, vec![])],
        vec![barrier(4, 5, joint()), Call("MPI_Recv", 9, 31, vec![Act::Unfinished])],
        vec![barrier(1, 5, joint()), Call("work", 5, 12, vec![]), barrier(12, 12, Act::Unfinished)],
    ]);
    let waits: Vec<(u32, i64)> = found.run.waits.list.iter().map(|wait| (wait.location.0, wait.wait)).collect();
    assert_eq!(waits, [(0, 2), (2, 3)]);
    assert_eq!((found.run.length, found.run.replayed, found.run.unmet), (39, 39, 0));
}
