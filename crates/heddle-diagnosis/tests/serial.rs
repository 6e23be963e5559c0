//! What one rank does while the others wait is told by its function, and nobody is blamed for it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails")]

mod common;

use common::stored;
use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_diagnosis::finding::{FindingKind, Verdict};
use heddle_model::{CollectiveOp, LocationId};
use heddle_store::NoProgress;
use heddle_testkit::{Act, Call, Hand};

/// Eight ranks compute for 100 and wait for each other, ten times. Before each time rank 0 reads for 40, of which it spends 10
/// in what all of them call.
fn program() -> Hand {
    let ranks = (0..8).map(|rank| {
        let mut calls = Vec::new();
        for round in 0..10 {
            let begin = round * 160;
            if rank == 0 {
                calls.push(Call("read_input", begin, begin + 30, Vec::new()));
                calls.push(Call("unpack", begin + 30, begin + 40, Vec::new()));
            }
            let cast = if rank == 0 { begin + 40 } else { begin };
            calls.push(Call(
                "MPI_Bcast",
                cast,
                begin + 41,
                vec![Act::Joint(CollectiveOp::from_name("bcast"), Some(0), 64)],
            ));
            calls.push(Call("compute", begin + 41, begin + 141, Vec::new()));
            calls.push(Call("MPI_Barrier", begin + 141, begin + 160, vec![Act::Joint(CollectiveOp::BARRIER, None, 0)]));
        }
        calls
    });
    Hand::new(ranks.collect())
}

#[test]
fn work_of_one_rank_is_told_by_its_function() {
    let (_directory, store) = stored(&program().source());
    let diagnosis = Diagnosis::new(&store, &NoProgress).unwrap();
    assert_eq!(diagnosis.verdict, Verdict::Uneven, "{:?}", diagnosis.findings);
    let first = &diagnosis.findings[0];
    assert_eq!(first.kind(), FindingKind::SerialWork);
    assert!(!first.kind().blames());
    assert_eq!(first.suspect.locations, [LocationId(0)]);
    assert_eq!(store.regions.name.get(u64::from(first.suspect.place.region.0)), "read_input");
    assert_eq!(first.suspect.excess(), 400, "both functions, as the same rank executes them");
    // Seven ranks wait 40 in each of ten rounds of 160.
    assert!((first.cost_share - 7.0 * 40.0 / (8.0 * 160.0)).abs() < 1e-3, "{}", first.cost_share);
    assert_eq!(first.without, Some(1_200));
    assert_eq!(first.functions.len(), 2);
    let sum: f64 = first.functions.iter().map(|(_, share)| share).sum();
    assert!((sum - first.cost_share).abs() < 1e-9, "{sum} of {}", first.cost_share);
}
