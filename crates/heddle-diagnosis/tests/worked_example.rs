//! The worked example: four ranks in a chain with a barrier at the end, every number of which is known.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails")]

mod common;

use common::stored;
use heddle_diagnosis::run::Run;
use heddle_diagnosis::suspect::Cut;
use heddle_model::{CollectiveOp, LocationId, Ns, RegionId};
use heddle_store::{NoProgress, Store};
use heddle_testkit::{Act, Call, Hand};

fn example() -> Hand {
    let call = |name, enter, leave| Call(name, enter, leave, Vec::new());
    let send = |to, enter, leave| Call("MPI_Send", enter, leave, vec![Act::Send(to, 0)]);
    let recv = |from, enter, leave| Call("MPI_Recv", enter, leave, vec![Act::Recv(from, 0)]);
    let barrier = |enter| Call("MPI_Barrier", enter, 28, vec![Act::Joint(CollectiveOp::BARRIER, None, 0)]);
    Hand::new(vec![
        vec![call("work", 0, 12), send(1, 12, 13), call("tail", 13, 18), barrier(18)],
        vec![call("work", 0, 4), recv(0, 4, 13), call("post", 13, 15), send(2, 15, 16), barrier(16)],
        vec![
            call("work", 0, 4),
            recv(1, 4, 16),
            call("post", 16, 18),
            send(3, 18, 19),
            call("tail", 19, 21),
            barrier(21),
        ],
        vec![call("work", 0, 4), recv(2, 4, 19), call("tail", 19, 27), barrier(27)],
    ])
}

fn region(store: &Store, name: &str) -> RegionId {
    let at = (0..store.regions.len()).find(|region| store.regions.name.get(*region) == name);
    RegionId(at.expect("a region") as u32)
}

#[test]
fn waits_costs_path_and_efficiencies_are_those_of_the_sheet() {
    let (_directory, store) = stored(&example().source());
    let (run, replay) = Run::new(&store, &NoProgress).unwrap();
    let by_rank: Vec<Vec<i64>> = (0..4).map(|row| run.waits.of(row).iter().map(|wait| wait.wait).collect()).collect();
    assert_eq!(by_rank, [vec![9], vec![8, 11], vec![11, 6], vec![14]]);
    assert_eq!(run.waits.total(), 59);

    let cost = |name: &str, rank: u32| {
        let region = region(&store, name);
        let found = run.delays.costs.iter().find(|(row, other, _)| *row == rank && *other == region);
        found.map_or((0.0, 0.0), |(_, _, cost)| (cost.short, cost.long))
    };
    for (name, rank, short, long) in [
        ("work", 0, 8.0, 24.0),
        ("MPI_Recv", 1, 1.0, 2.0),
        ("post", 1, 2.0, 4.0),
        ("MPI_Recv", 2, 1.0, 1.0),
        ("post", 2, 2.0, 2.0),
        ("MPI_Recv", 3, 0.5, 0.0),
        ("tail", 3, 11.5, 0.0),
    ] {
        let (found_short, found_long) = cost(name, rank);
        assert!(
            (found_short - short).abs() < 1e-9 && (found_long - long).abs() < 1e-9,
            "{name}@{rank}: {found_short} {found_long}"
        );
    }
    assert!((run.delays.total() - 59.0).abs() < 1e-9);
    assert!((run.delays.direct - 26.0).abs() < 1e-9 && (run.delays.indirect - 33.0).abs() < 1e-9);

    let path: Vec<(u32, i64, i64)> =
        run.path.iter().map(|piece| (piece.location.0, piece.start.0, piece.end.0)).collect();
    assert_eq!(path, [(0, 0, 12), (1, 12, 15), (2, 15, 18), (3, 18, 28)]);

    assert_eq!((run.length, run.replayed, run.unmet), (28, 28, 0));
    let whole = run.efficiency(&store, (Ns(0), Ns(28)));
    assert_eq!((whole.time.useful, whole.most_useful, whole.ideal), (43, 17, 24));
    for (found, expected) in [
        (whole.load_balance(), 0.632_353),
        (whole.serialisation(), 0.708_333),
        (whole.transfer(), 0.857_143),
        (whole.communication(), 0.607_143),
        (whole.parallel(), 0.383_929),
    ] {
        assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
    }
    let cut =
        |rank: u32, start, end, excess| Cut { location: LocationId(rank), start: Ns(start), end: Ns(end), excess };
    assert_eq!(replay.without(&[cut(0, 0, 12, 8)]), 20);
    // 3.5 does not fit whole nanoseconds: 4 taken off and 5 taken off lie on either side of 23.5.
    assert_eq!(replay.without(&[cut(3, 19, 27, 4)]), 24);
    assert_eq!(replay.without(&[cut(0, 0, 12, 8), cut(3, 19, 27, 4)]), 16);
}

#[test]
fn the_path_consists_of_what_the_sheet_says() {
    let (_directory, store) = stored(&example().source());
    let (run, _) = Run::new(&store, &NoProgress).unwrap();
    let on_path = run.on_path(&store);
    for (name, time, mean, imbalance, impact) in [
        ("work", 12, 6.0, 6.0, 23.1556),
        ("MPI_Recv", 3, 0.75, 2.25, 8.4889),
        ("post", 4, 1.0, 3.0, 11.3889),
        ("tail", 8, 3.75, 4.25, 15.9667),
        ("MPI_Barrier", 1, 1.0, 0.0, 0.0),
        ("MPI_Send", 0, 0.75, 0.0, 0.0),
    ] {
        let of = on_path.functions.iter().find(|function| function.region == region(&store, name)).unwrap();
        assert_eq!((of.on_path, of.mean, of.imbalance()), (time, mean, imbalance), "{name}");
        assert!((of.impact - impact).abs() < 1e-4, "{name}: {}", of.impact);
    }
    assert_eq!((on_path.activity, on_path.off_path), (50.0, 3.0));
}
