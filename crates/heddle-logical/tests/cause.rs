//! Where a lateness arose: programs with one slow rank, of which it must be the slow one's.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use heddle_logical::{Kind, Logical, LogicalOptions, cause};
use heddle_model::{LocationId, Source};
use heddle_simulate::{HaloOptions, Machine, RingOptions, halo, ring};
use heddle_store::{NoProgress, Store, default_memory, store_simulation};

struct Run {
    store: Store,
    logical: Logical,
    _directory: tempfile::TempDir,
}

impl Run {
    fn of(simulation: &dyn Source) -> Run {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("run.heddle");
        let store = store_simulation(simulation, "run", &target, default_memory(), &NoProgress).unwrap();
        let logical = Logical::open(&store, &LogicalOptions::default(), &NoProgress).unwrap();
        Run { store, logical, _directory: directory }
    }

    fn rank(&self, event: u64) -> u32 {
        let LocationId(rank) = self.logical.rows.location.get(u64::from(self.logical.row_of(event)));
        rank
    }

    /// The latest event that `is_asked` says yes to.
    fn latest(&self, is_asked: impl Fn(u64) -> bool) -> u64 {
        let events = (0..self.logical.events.len()).filter(|&event| is_asked(event));
        events.max_by_key(|&event| self.logical.lateness(event)).unwrap()
    }
}

/// One rank of sixteen computes three times as long.
fn slow_halo(allreduce_every: u32) -> Run {
    let options =
        HaloOptions { ranks: 16, iterations: 6, compute_ns: 1_000_000, allreduce_every, ..HaloOptions::default() };
    let machine = Machine { slow_ranks: vec![10], slow_factor: 3.0, noise: 0.01, ..Machine::default() };
    Run::of(&halo(&options, &machine).unwrap())
}

#[test]
fn a_neighbour_of_a_slow_rank_is_late_because_it_computed_longer() {
    let run = slow_halo(0);
    for step in 0..run.logical.steps.len() as u32 {
        let late = run.latest(|event| run.logical.events.step.get(event) == step);
        if run.logical.lateness(late) < 500_000 {
            continue;
        }
        let found = cause(&run.store, &run.logical, late).unwrap();
        let origin = found.origin();
        assert_eq!(run.rank(origin.event), 10, "step {step}: {found:?}");
        assert!(origin.is_aggregate, "it computed, it did not call: {found:?}");
        assert!(origin.own > 1_500_000 && origin.own < 2_500_000, "2 ms longer: {found:?}");
        assert_eq!(found.path[0].event, late);
    }
}

#[test]
fn a_delay_reaches_its_neighbours_first_and_then_theirs() {
    let run = slow_halo(0);
    let first = run.latest(|event| run.rank(event) == 10 && run.logical.events.step.get(event) == 0);
    let found = cause(&run.store, &run.logical, first).unwrap();
    assert_eq!((found.origin().event, found.origin().is_aggregate), (first, true));
    let reach = found.reach;
    assert!(reach.ranks >= 2 && reach.ranks <= 15, "{reach:?}");
    assert!(reach.messages >= u64::from(reach.ranks), "every rank was reached by a message: {reach:?}");
    assert_eq!(reach.first_step, 0);
    assert!(reach.steps > 2 && reach.last_step + 1 >= reach.steps, "{reach:?}");
    assert!(!reach.is_cut);
}

#[test]
fn a_collective_is_late_because_of_who_entered_last() {
    let run = slow_halo(1);
    let late = run.latest(|event| run.logical.kind(event) == Kind::Collective && run.rank(event) != 10);
    if let Some(found) = cause(&run.store, &run.logical, late) {
        assert!(found.path.iter().any(|stop| run.rank(stop.event) == 10), "{found:?}");
    }
    // What follows the collective is late no more: everybody waited for the same.
    let last = run.latest(|event| run.rank(event) == 10);
    assert_eq!(run.rank(cause(&run.store, &run.logical, last).unwrap().origin().event), 10);
}

#[test]
fn who_is_first_has_no_cause() {
    let run = slow_halo(0);
    for event in (0..run.logical.events.len()).filter(|&event| run.logical.lateness(event) == 0) {
        assert_eq!(cause(&run.store, &run.logical, event), None);
    }
    assert_eq!(cause(&run.store, &run.logical, u64::MAX), None, "there is no such event");
}

#[test]
fn a_path_goes_back_in_logical_time() {
    let run = slow_halo(2);
    for event in 0..run.logical.events.len() {
        let Some(found) = cause(&run.store, &run.logical, event) else { continue };
        let keys = found.path.iter().map(|stop| {
            let step = i64::from(run.logical.events.step.get(stop.event));
            2 * step + i64::from(!stop.is_aggregate)
        });
        let keys: Vec<i64> = keys.collect();
        assert!(keys.windows(2).all(|pair| pair[0] > pair[1]), "{found:?}");
        assert!(
            found.path.iter().all(|stop| stop.lateness > 0 && (0..=stop.lateness).contains(&stop.own)),
            "{found:?}"
        );
        assert!(found.origin().own > 0, "{found:?}");
    }
}

#[test]
fn a_ring_with_one_slow_rank_has_nobody_to_compare_with() {
    // One token: one event a step, so nobody is ever late.
    let machine = Machine { slow_ranks: vec![3], slow_factor: 5.0, ..Machine::default() };
    let run = Run::of(&ring(&RingOptions { ranks: 8, laps: 2, ..RingOptions::default() }, &machine).unwrap());
    let late = (0..run.logical.events.len()).filter(|&event| cause(&run.store, &run.logical, event).is_some());
    assert_eq!(late.count(), 0);
}
