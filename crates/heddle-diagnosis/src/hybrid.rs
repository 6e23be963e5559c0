//! Efficiencies of processes with several threads: what MPI costs, and what is lost inside the processes.
//!
//! As POP counts them, multiplicatively: MPI sees a process as its first thread, which is either in MPI or outside; all
//! threads together give the efficiency of the whole, and what MPI does not explain of it is lost between threads.

use heddle_model::{Location, LocationId, LocationKind, Ns, Paradigm, RegionId, Role};
use heddle_store::{Columns as _, Store};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::rows::Rows;
use crate::run::Run;

/// How well the threads of all processes were used in a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HybridEfficiency {
    /// How many processes there are.
    pub processes: u64,
    /// How many threads they have together.
    pub threads: u64,
    /// Length of the window.
    pub elapsed: i64,
    /// Time that threads compute, all together.
    pub useful: i64,
    /// Time that first threads are outside of MPI, all together.
    pub outside: i64,
    /// The same of the one that has most.
    pub most_outside: i64,
    /// Length of the window on an ideal network.
    pub ideal: i64,
}

impl HybridEfficiency {
    /// Share of the time of all threads that is useful: MPI's part times that of the threads.
    pub fn parallel(self) -> f64 {
        share(self.useful as f64, self.threads as f64 * self.elapsed as f64)
    }

    /// What MPI leaves: its load balance times serialisation times transfer.
    pub fn mpi_parallel(self) -> f64 {
        share(self.outside as f64, self.processes as f64 * self.elapsed as f64)
    }

    /// How evenly time outside of MPI is spread over the processes.
    pub fn mpi_load_balance(self) -> f64 {
        share(self.outside as f64, self.processes as f64 * self.most_outside as f64)
    }

    /// What is left on an ideal network: what is lost to processes that wait in turn.
    pub fn mpi_serialisation(self) -> f64 {
        share(self.most_outside as f64, self.ideal as f64)
    }

    /// What the network and its library leave.
    pub fn mpi_transfer(self) -> f64 {
        share(self.ideal as f64, self.elapsed as f64)
    }

    /// What the threads of a process leave of what MPI leaves.
    pub fn thread_parallel(self) -> f64 {
        share(self.parallel(), self.mpi_parallel())
    }
}

fn share(part: f64, of: f64) -> f64 {
    if of > 0.0 { part / of } else { 1.0 }
}

/// What a function is to a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Computing,
    Communication,
    /// Waiting for threads, work or files.
    Other,
}

fn doing(store: &Store, region: RegionId) -> Doing {
    let role = Role::from_name(store.regions.role.get(region.0.into()));
    match store.regions.paradigm_of(region) {
        paradigm if paradigm.is_communication() => Doing::Communication,
        Paradigm::Idle | Paradigm::Io | Paradigm::Measurement => Doing::Other,
        Paradigm::OpenMp | Paradigm::Threads if matches!(role, Role::Barrier | Role::Wait | Role::Lock) => Doing::Other,
        _ => Doing::Computing,
    }
}

/// Time of a thread in a window.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    computing: i64,
    communication: i64,
    other: i64,
}

/// How well threads were used; none unless some process has several that do something.
pub fn hybrid(store: &Store, run: &Run, window: (Ns, Ns)) -> Option<HybridEfficiency> {
    let mains = Rows::new(store).locations;
    let row = |location: LocationId| u64::from(location.0);
    let processes: FxHashMap<u32, usize> = mains
        .iter()
        .enumerate()
        .filter_map(|(at, main)| store.locations.rank.get(row(*main)).some().map(|rank| (rank.0, at)))
        .collect();
    let is_thread = |location: &LocationId| {
        store.locations.kind.get(row(*location)) == LocationKind::CpuThread.name()
            && store.locations.spans.get(row(*location)) > 0
            && !Location::describes_others(store.locations.name.get(row(*location)))
            && store.locations.rank.get(row(*location)).some().is_some_and(|rank| processes.contains_key(&rank.0))
    };
    let threads: Vec<LocationId> = (0..store.locations.len() as u32).map(LocationId).filter(is_thread).collect();
    let elapsed = window.1.since(window.0);
    if threads.len() <= processes.len() || elapsed <= 0 {
        return None;
    }
    let regions: Vec<Doing> = (0..store.regions.len() as u32).map(|at| doing(store, RegionId(at))).collect();
    let times: Vec<Times> =
        threads.par_iter().map(|thread| times(store, &regions, *thread, window.0.0, window.1.0)).collect();
    let (mut useful, mut outside, mut most_outside) = (0, 0, 0);
    for (thread, times) in threads.iter().zip(&times) {
        useful += times.computing;
        if mains.binary_search(thread).is_ok() {
            // Between its functions the first thread is in the program itself; others have nothing to do then.
            let there = lifetime(store, *thread, window);
            let (of_mpi, in_calls) = (times.communication, times.computing + times.communication + times.other);
            useful += there - in_calls;
            outside += there - of_mpi;
            most_outside = most_outside.max(there - of_mpi);
        }
    }
    let ideal = run.efficiency(store, window).ideal.clamp(most_outside, elapsed);
    let (processes, threads) = (processes.len() as u64, threads.len() as u64);
    Some(HybridEfficiency { processes, threads, elapsed, useful, outside, most_outside, ideal })
}

/// How much of a window lies between a thread's first call and its last event.
fn lifetime(store: &Store, thread: LocationId, window: (Ns, Ns)) -> i64 {
    let first = store.spans.start.get(store.spans_of(thread).start);
    let last = Some(store.locations.last.get(u64::from(thread.0))).filter(|last| last.is_some());
    last.map_or(window.1, |last| last.min(window.1)).since(first.max(window.0)).max(0)
}

/// Time of a thread from `from` to `to`, by what its innermost function is.
fn times(store: &Store, regions: &[Doing], thread: LocationId, from: i64, to: i64) -> Times {
    let (spans, rows) = (&store.spans, store.spans_of(thread));
    let mut times = Times::default();
    let mut open: Vec<(i64, Doing)> = Vec::new();
    let mut at = i64::MIN;
    // Counts from where we are to `until` for the innermost call.
    let mut pass = |open: &[(i64, Doing)], at: &mut i64, until: i64| {
        let counted = until.min(to) - (*at).max(from);
        if let (Some((_, doing)), true) = (open.last(), counted > 0) {
            *match doing {
                Doing::Computing => &mut times.computing,
                Doing::Communication => &mut times.communication,
                Doing::Other => &mut times.other,
            } += counted;
        }
        *at = until.max(*at);
    };
    (&spans.start, &spans.end, &spans.region).for_each(rows, |(start, end, region)| {
        while let Some((ends, _)) = open.last().copied().filter(|(ends, _)| *ends <= start.0) {
            pass(&open, &mut at, ends);
            open.pop();
        }
        pass(&open, &mut at, start.0);
        open.push((end.0, regions.get(region.index()).copied().unwrap_or(Doing::Computing)));
    });
    while let Some((ends, _)) = open.last().copied() {
        pass(&open, &mut at, ends);
        open.pop();
    }
    times
}
