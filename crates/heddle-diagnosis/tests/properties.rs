//! What holds of every run whose clocks agree: runs by chance, and every program that can be simulated.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails")]

mod common;
#[path = "common/random.rs"]
mod random;

use common::stored;
use heddle_diagnosis::path::PathPiece;
use heddle_diagnosis::rows::Rows;
use heddle_diagnosis::run::{Replayable, Run};
use heddle_diagnosis::suspect::Cut;
use heddle_diagnosis::waits::WaitKind;
use heddle_model::{Ns, Source};
use heddle_simulate::{
    Eigen, EigenOptions, Halo, HaloOptions, Inverse, InverseOptions, Lu, LuOptions, Machine, Matmul, MatmulOptions,
    MergeTree, MergeTreeOptions, Multigrid, MultigridOptions, Nearest, NearestOptions, Orthogonalise,
    OrthogonaliseOptions, Pf3d, Pf3dOptions, Ring, RingOptions, Scalapack, ScalapackOptions, Train, TrainOptions,
    Uniform, UniformOptions, simulate,
};
use heddle_store::{NoProgress, Store};
use heddle_testkit::Hand;
use proptest::prelude::*;
use random::{Step, at_times, renumbered, step, written};

fn worked_through(source: &dyn Source) -> (tempfile::TempDir, Store, Run, Replayable) {
    let (directory, store) = stored(source);
    let (run, replay) = Run::new(&store, &NoProgress).unwrap();
    (directory, store, run, replay)
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1.0)
}

/// Waits lie in their calls, do not overlap, and are somebody else's fault.
fn waits_are_sound(store: &Store, run: &Run) {
    for row in 0..run.waits.first.len() - 1 {
        let own = run.waits.of(row);
        for wait in own {
            let (enter, leave) = (store.spans.start.get(wait.span.0).0, store.spans.end.get(wait.span.0).0);
            assert!(wait.wait > 0 && wait.enter >= enter && wait.end() <= leave, "{wait:?} in {enter} to {leave}");
            assert_ne!(wait.culprit, wait.location);
        }
        assert!(own.windows(2).all(|pair| pair[0].span < pair[1].span && pair[0].end() <= pair[1].enter));
    }
}

fn costs_are_waits(run: &Run) {
    let delays = &run.delays;
    assert!(delays.costs.iter().all(|(_, _, cost)| cost.short >= 0.0 && cost.long >= -1e-6));
    let (short, long) =
        delays.costs.iter().fold((0.0, 0.0), |sum, (_, _, cost)| (sum.0 + cost.short, sum.1 + cost.long));
    let all = run.waits.total() as f64;
    assert!(delays.unexplained.abs() <= 1e-6 * all.max(1.0), "{} of {all} unexplained", delays.unexplained);
    assert!(is_near(short + long, all), "{short} + {long} for {all}");
    assert!(is_near(short, delays.direct) && is_near(long, delays.indirect));
    let charged: f64 = delays.charges.iter().map(|charge| f64::from(charge.cost)).sum();
    assert!((charged - all).abs() <= 1e-4 * all.max(1.0), "{charged} charged for {all}");
}

fn path_is_whole(store: &Store, run: &Run) {
    let rows = Rows::new(store);
    let (first, last) = (run.path.first().unwrap(), run.path.last().unwrap());
    assert_eq!((first.start, last.end), rows.run);
    assert!(run.path.windows(2).all(|pair| pair[0].end == pair[1].start), "pieces touch");
    assert!(run.path.iter().all(|piece| piece.start < piece.end));
    for piece in &run.path {
        let row = rows.of(piece.location).unwrap();
        let own = run.waits.of(row);
        let from = own.partition_point(|wait| wait.end() <= piece.start.0);
        let waits = own[from..].iter().take_while(|wait| wait.enter < piece.end.0).count();
        assert_eq!(waits, 0, "nobody waits on the path: {piece:?}");
    }
    if run.waits.list.is_empty() {
        assert_eq!(run.path.len(), 1);
    }
}

fn efficiencies_fit(store: &Store, run: &Run, window: (Ns, Ns)) {
    let found = run.efficiency(store, window);
    assert!(found.most_useful <= found.ideal && found.ideal <= found.elapsed, "{found:?}");
    assert!(is_near(found.parallel(), found.load_balance() * found.communication()));
    assert!(is_near(found.communication(), found.serialisation() * found.transfer()));
    assert!(is_near(1.0 - found.parallel(), found.lost().iter().sum()));
    for part in [found.parallel(), found.load_balance(), found.serialisation(), found.transfer()] {
        assert!((0.0..=1.0 + 1e-9).contains(&part), "{found:?}");
    }
    let time = found.time;
    assert!(time.useful >= 0 && time.waiting >= 0 && time.communication >= 0 && time.other >= 0, "{found:?}");
}

/// All that holds of any run.
fn is_sound(store: &Store, run: &Run, replay: &Replayable) {
    waits_are_sound(store, run);
    assert_eq!((run.waits.violations, run.unmet), (0, 0));
    costs_are_waits(run);
    path_is_whole(store, run);
    let (from, to) = Rows::new(store).run;
    efficiencies_fit(store, run, (from, to));
    let length = to.0 - from.0;
    for part in 1..5 {
        efficiencies_fit(store, run, (Ns(from.0 + length * (part - 1) / 7), Ns(from.0 + length * (part + 1) / 7)));
    }
    assert_eq!((run.replayed, replay.without(&[])), (run.length, run.length));
    let on_path = run.on_path(store);
    let (ranks, waits) = (run.waits.first.len() - 1, run.waits.total() as f64);
    let impact: f64 = on_path.functions.iter().map(|function| function.impact).sum();
    assert!(is_near(impact, waits), "{impact} for {waits}");
    assert!(is_near(on_path.activity + on_path.off_path + impact, ranks as f64 * run.length as f64));
    assert_eq!(on_path.functions.iter().map(|function| function.on_path).sum::<i64>(), run.length);
}

fn run_of(hand: &Hand) -> (tempfile::TempDir, Store, Run, Replayable) {
    worked_through(&hand.source())
}

/// Kinds and amounts of waits, and costs by function.
type Essence = (Vec<(WaitKind, i64)>, Vec<(String, i64)>);

/// What is left of waits when times and numbers of ranks are: kind, amount, and costs by function.
fn essence(store: &Store, run: &Run) -> Essence {
    let mut waits: Vec<(WaitKind, i64)> = run.waits.list.iter().map(|wait| (wait.kind(), wait.wait)).collect();
    waits.sort_unstable();
    let mut costs: Vec<(String, i64)> = Vec::new();
    for (_, region, cost) in &run.delays.costs {
        let name =
            if region.is_some() { store.regions.name.get(u64::from(region.0)).to_owned() } else { String::new() };
        match costs.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += cost.total().round() as i64,
            None => costs.push((name, cost.total().round() as i64)),
        }
    }
    costs.sort();
    (waits, costs)
}

fn runs() -> impl Strategy<Value = (u8, Vec<Step>)> {
    (2u8..7, proptest::collection::vec(step(), 1..60))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn of_any_run_costs_are_waits_the_path_is_whole_and_the_replay_is_the_run((ranks, steps) in runs()) {
        let calls = written(ranks, &steps);
        let (_directory, store, run, replay) = run_of(&at_times(&calls, |time| time));
        is_sound(&store, &run, &replay);
    }

    #[test]
    fn taking_time_away_never_makes_a_run_longer((ranks, steps) in runs(), which in any::<prop::sample::Index>()) {
        let calls = written(ranks, &steps);
        let (_directory, store, run, replay) = run_of(&at_times(&calls, |time| time));
        let computing: Vec<u64> = (0..store.spans.len())
            .filter(|span| !store.regions.name.get(u64::from(store.spans.region.get(*span).0)).starts_with("MPI_"))
            .collect();
        prop_assume!(!computing.is_empty());
        let span = *which.get(&computing);
        let (start, end) = (store.spans.start.get(span), store.spans.end.get(span));
        let location = Rows::new(&store).locations.iter().copied().find(|row| store.spans_of(*row).contains(&span)).unwrap();
        let mut before = run.length;
        for part in [4, 2, 1] {
            let excess = (end.0 - start.0) / part;
            let without = replay.without(&[Cut { location, start, end, excess }]);
            prop_assert!(without <= before && without >= run.length - excess, "{without} without {excess} of {before}");
            before = without;
        }
        // What lies off the path can only be gained where another chain is exactly as long.
        let overlaps = |piece: &PathPiece| piece.location == location && piece.start < end && start < piece.end;
        if !run.path.iter().any(overlaps) {
            prop_assert_eq!(before, run.length);
        }
    }

    #[test]
    fn neither_the_time_of_day_nor_the_unit_nor_numbers_of_ranks_matter((ranks, steps) in runs(), seed in any::<u64>()) {
        let steps: Vec<Step> = steps.into_iter().filter(|step| !matches!(step, Step::Together(op, _) if op % 5 == 4)).collect();
        let calls = written(ranks, &steps);
        let (_one, store, run, _) = run_of(&at_times(&calls, |time| time));
        let known = essence(&store, &run);
        let (_two, later_store, later, _) = run_of(&at_times(&calls, |time| time + 1_000_000_007));
        prop_assert_eq!(&essence(&later_store, &later), &known);
        prop_assert_eq!(later.length, run.length);
        let (_three, _, longer, _) = run_of(&at_times(&calls, |time| time * 8));
        let eightfold: Vec<i64> = run.waits.list.iter().map(|wait| wait.wait * 8).collect();
        prop_assert_eq!(longer.waits.list.iter().map(|wait| wait.wait).collect::<Vec<_>>(), eightfold);
        prop_assert!(is_near(longer.delays.total(), 8.0 * run.delays.total()));
        prop_assert_eq!(longer.path.len(), run.path.len());
        let order = heddle_testkit::Chance(seed).order(usize::from(ranks));
        let (_four, other_store, other, _) = run_of(&renumbered(&calls, &order));
        let (waits, costs) = essence(&other_store, &other);
        prop_assert_eq!(&waits, &known.0);
        prop_assert!(costs.iter().zip(&known.1).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() <= i64::from(ranks)), "{:?} {:?}", costs, known.1);
    }

    #[test]
    fn threads_do_not_matter((ranks, steps) in runs()) {
        let hand = at_times(&written(ranks, &steps), |time| time);
        let (_directory, store) = stored(&hand.source());
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (run, _) = pool.install(|| Run::new(&store, &NoProgress)).unwrap();
            format!("{run:?}")
        };
        prop_assert_eq!(with(1), with(3));
    }
}

#[test]
fn every_program_that_can_be_simulated_is_sound() {
    let machine = Machine { seed: 7, slow_ranks: vec![3], ..Machine::default() };
    macro_rules! sound {
        ($($program:ident { $($set:tt)* } of $options:ident,)*) => {$(
            let options = $options { $($set)*, ..$options::default() };
            let trace = simulate($program::new(&options).unwrap(), &machine).unwrap();
            let (_directory, store, run, replay) = worked_through(&trace);
            assert!(!run.waits.list.is_empty(), "{}", stringify!($program));
            is_sound(&store, &run, &replay);
        )*};
    }
    sound! {
        Halo { ranks: 16, iterations: 12 } of HaloOptions,
        Ring { ranks: 8, laps: 3 } of RingOptions,
        Nearest { ranks: 16 } of NearestOptions,
        Uniform { ranks: 16, rounds: 10 } of UniformOptions,
        MergeTree { ranks: 16 } of MergeTreeOptions,
        Multigrid { ranks: 16 } of MultigridOptions,
        Train { ranks: 16 } of TrainOptions,
        Pf3d { ranks: 32 } of Pf3dOptions,
        Matmul { ranks: 16, panels: 8 } of MatmulOptions,
        Lu { ranks: 16, panels: 8 } of LuOptions,
        Eigen { ranks: 16 } of EigenOptions,
        Inverse { ranks: 16, panels: 8 } of InverseOptions,
        Orthogonalise { ranks: 16 } of OrthogonaliseOptions,
        Scalapack { ranks: 16, panels: 4 } of ScalapackOptions,
    }
}
