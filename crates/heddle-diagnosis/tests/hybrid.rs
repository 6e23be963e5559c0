//! Efficiencies of processes with threads, by hand.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod common;

use std::sync::Arc;

use common::stored;
use heddle_diagnosis::hybrid::hybrid;
use heddle_diagnosis::run::Run;
use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, Communicator, Definitions, Location, LocationId, LocationKind, Ns, Paradigm,
    Part, Rank, RecordBlock, Region, RegionId, RequestId, Role, SystemNode, SystemNodeId,
};
use heddle_store::{NoProgress, Store};
use heddle_testkit::MadeSource;
use tempfile::TempDir;

const WORK: u32 = 0;
const PARALLEL: u32 = 1;
const THREAD_BARRIER: u32 = 2;
const MPI_BARRIER: u32 = 3;

/// Calls of a thread, outer ones first: function, enter, leave.
type Calls = Vec<(u32, i64, i64)>;

/// Processes of so many threads each, the first of which is the main one.
fn made(threads: u32, calls: &[Calls]) -> (TempDir, Store) {
    let location = |at: u32| Location {
        file_id: at.into(),
        name: format!("thread {at}").into(),
        kind: LocationKind::CpuThread,
        parent: Some(SystemNodeId(0)),
        rank: Rank(at / threads),
    };
    let count = calls.len() as u32;
    let world: Arc<[LocationId]> = (0..count / threads).map(|rank| LocationId(rank * threads)).collect();
    let definitions = Definitions {
        system_tree: vec![SystemNode { name: "p".into(), class: SystemNode::PROCESS.into(), parent: None }],
        locations: (0..count).map(location).collect(),
        regions: vec![
            Region::named("work", Paradigm::User, Role::Function),
            Region::named("parallel", Paradigm::OpenMp, Role::Parallel),
            Region::named("implicit barrier", Paradigm::OpenMp, Role::Barrier),
            Region::named("MPI_Barrier", Paradigm::Mpi, Role::Barrier),
        ],
        communicators: vec![Communicator::of("world", Arc::clone(&world))],
        world: world.to_vec(),
        ..Definitions::default()
    };
    let parts = MadeSource::part_per_location(&definitions, 64);
    let source = MadeSource::new(definitions, parts, |part: &Part, out: &mut RecordBlock| {
        let mut open: Vec<(u32, i64)> = Vec::new();
        let close = |out: &mut RecordBlock, (region, end): (u32, i64)| {
            if region == MPI_BARRIER {
                let (op, root, request) = (CollectiveOp::BARRIER, LocationId::NONE, RequestId::NONE);
                let told = CollectiveEnd { op, comm: CommId(0), root, sent: 0, received: 0, request, number: None };
                out.collective_end(Ns(end), told);
            }
            out.leave(Ns(end), Some(RegionId(region)));
            out.last = out.last.max(Some(Ns(end)));
            out.events += 2;
        };
        for (region, enter, leave) in &calls[part.location.index()] {
            while let Some(inner) = open.pop_if(|(_, end)| *end <= *enter) {
                close(out, inner);
            }
            out.enter(Ns(*enter), RegionId(*region));
            if *region == MPI_BARRIER {
                out.collective_begin(Ns(*enter));
            }
            open.push((*region, *leave));
        }
        while let Some(inner) = open.pop() {
            close(out, inner);
        }
    });
    stored(&source)
}

#[test]
fn what_mpi_and_what_threads_lose_is_as_by_hand() {
    let (_directory, store) = made(
        2,
        &[
            vec![(WORK, 0, 50), (PARALLEL, 50, 80), (THREAD_BARRIER, 70, 80), (MPI_BARRIER, 80, 100)],
            vec![(PARALLEL, 50, 80), (THREAD_BARRIER, 60, 80)],
            vec![(WORK, 0, 50), (PARALLEL, 50, 90), (MPI_BARRIER, 90, 100)],
            vec![(PARALLEL, 50, 90)],
        ],
    );
    let (run, _) = Run::new(&store, &NoProgress).unwrap();
    let found = hybrid(&store, &run, (Ns(0), Ns(100))).unwrap();
    assert_eq!((found.processes, found.threads, found.elapsed), (2, 4, 100));
    // 70 and 10, 90 and 40; outside of MPI 80 and 90; all could leave the barrier at 90.
    assert_eq!((found.useful, found.outside, found.most_outside, found.ideal), (210, 170, 90, 90));
    for (found, expected) in [
        (found.parallel(), 0.525),
        (found.mpi_parallel(), 0.85),
        (found.mpi_load_balance(), 85.0 / 90.0),
        (found.mpi_serialisation(), 1.0),
        (found.mpi_transfer(), 0.9),
        (found.thread_parallel(), 0.525 / 0.85),
        (found.mpi_load_balance() * found.mpi_serialisation() * found.mpi_transfer(), found.mpi_parallel()),
        (found.mpi_parallel() * found.thread_parallel(), found.parallel()),
    ] {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    let part = hybrid(&store, &run, (Ns(55), Ns(75))).unwrap();
    // From 55 to 75: 15 and 5, 20 and 20.
    assert_eq!((part.useful, part.outside, part.most_outside), (60, 40, 20));
}

#[test]
fn processes_of_one_thread_are_not_hybrid() {
    let calls = vec![(WORK, 0, 50), (MPI_BARRIER, 50, 60)];
    let (_directory, store) = made(1, &[calls.clone(), calls]);
    let (run, _) = Run::new(&store, &NoProgress).unwrap();
    assert_eq!(hybrid(&store, &run, (Ns(0), Ns(60))), None);
}
