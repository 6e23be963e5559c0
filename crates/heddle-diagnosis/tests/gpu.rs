//! Accelerators: interval arithmetic by hand, and who comes late to collectives.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod common;

use std::sync::Arc;

use common::stored;
use heddle_diagnosis::finding::{Finding, FindingKind};
use heddle_diagnosis::gpu::{arrivals, device_efficiency, device_times, gpu};
use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, Communicator, Definitions, Location, LocationId, LocationKind, Ns, Paradigm,
    Part, Rank, RecordBlock, Region, RegionId, RequestId, Role, SystemNode, SystemNodeId,
};
use heddle_store::{NoProgress, Store};
use heddle_testkit::{Chance, MadeSource};
use tempfile::TempDir;

/// A row of a stream: function, stream of its rank, start, end.
type Row = (u32, u32, i64, i64);

const GEMM: u32 = 0;
const ALLREDUCE: u32 = 1;
const COPY: u32 = 2;
const WAIT: u32 = 3;
/// Streams of a rank; the last only describes the others.
const STREAMS: u32 = 4;

/// Ranks of a thread and four streams each.
fn made(ranks: &[Vec<Row>]) -> (TempDir, Store) {
    let count = ranks.len() as u32;
    let main = |rank: u32| LocationId(rank * (STREAMS + 1));
    let mut system_tree = vec![SystemNode { name: "m".into(), class: "machine".into(), parent: None }];
    let mut locations = Vec::new();
    for rank in 0..count {
        let node = |name: String, class: &str, parent| SystemNode {
            name: name.into(),
            class: class.into(),
            parent: Some(parent),
        };
        let process = SystemNodeId(system_tree.len() as u32);
        system_tree.push(node(format!("rank {rank}"), SystemNode::PROCESS, SystemNodeId(0)));
        system_tree.push(node(format!("GPU {rank}"), SystemNode::ACCELERATOR, process));
        for at in 0..=STREAMS {
            let kind = if at == 0 { LocationKind::CpuThread } else { LocationKind::AcceleratorStream };
            let end = if at == STREAMS { " · annotations" } else { "" };
            locations.push(Location {
                file_id: locations.len() as u64,
                name: format!("rank {rank} stream {at}{end}").into(),
                kind,
                parent: Some(SystemNodeId(process.0 + u32::from(at > 0))),
                rank: Rank(rank),
            });
        }
    }
    let world: Arc<[LocationId]> = (0..count).map(main).collect();
    let definitions = Definitions {
        system_tree,
        locations,
        regions: vec![
            Region::named("gemm", Paradigm::Accelerator, Role::Function),
            Region::named("ncclDevKernel_AllReduce", Paradigm::Communication, Role::Collective),
            Region::named("Memcpy DtoH", Paradigm::Accelerator, Role::Transfer),
            Region::named("Event Sync", Paradigm::Accelerator, Role::Wait),
        ],
        communicators: vec![Communicator::of("default_pg", Arc::clone(&world))],
        world: world.to_vec(),
        ..Definitions::default()
    };
    let parts = MadeSource::part_per_location(&definitions, 64);
    let source = MadeSource::new(definitions, parts, |part: &Part, out: &mut RecordBlock| {
        let (rank, stream) = (part.location.0 / (STREAMS + 1), part.location.0 % (STREAMS + 1));
        let rows = ranks[rank as usize].iter().filter(|row| row.1 + 1 == stream);
        for (region, _, start, end) in rows {
            out.enter(Ns(*start), RegionId(*region));
            if *region == ALLREDUCE {
                out.collective_begin(Ns(*start));
                let (root, request) = (LocationId::NONE, RequestId::NONE);
                let op = CollectiveOp::ALLREDUCE;
                let told = CollectiveEnd { op, comm: CommId(0), root, sent: 8, received: 8, request, number: None };
                out.collective_end(Ns(*end), told);
            }
            out.leave(Ns(*end), Some(RegionId(*region)));
            out.last = out.last.max(Some(Ns(*end)));
            out.events += 2;
        }
    });
    stored(&source)
}

fn found(ranks: &[Vec<Row>]) -> Vec<(Finding, Vec<u32>)> {
    let (_directory, store) = made(ranks);
    let ranks = |finding: &Finding| {
        let of = finding.suspect.locations.iter().map(|at| store.locations.rank.get(u64::from(at.0)).0);
        let mut ranks: Vec<u32> = of.collect();
        ranks.dedup();
        ranks
    };
    let findings = gpu(&store, &NoProgress).unwrap();
    findings.into_iter().map(|finding| (finding.clone(), ranks(&finding))).collect()
}

/// K = [0,10] [12,20], N = [8,15] [18,24], Y = [26,28], the kernels on several streams and overlapping on one.
fn example() -> Vec<Row> {
    vec![
        (GEMM, 0, 0, 6),
        (GEMM, 0, 4, 10),
        (GEMM, 2, 12, 20),
        (GEMM, 0, 13, 14),
        (ALLREDUCE, 1, 8, 15),
        (ALLREDUCE, 1, 18, 24),
        (WAIT, 2, 20, 26),
        (COPY, 0, 26, 28),
        // What only describes other rows is no work.
        (GEMM, 3, 0, 28),
    ]
}

#[test]
fn one_rank_is_split_as_by_hand() {
    let (_directory, store) = made(&[example()]);
    let times = device_times(&store, None, &NoProgress).unwrap();
    let [time] = &times[..] else { panic!("{times:?}") };
    assert_eq!((time.window, time.length()), ((Ns(0), Ns(28)), 28));
    assert_eq!((time.computing, time.communication, time.copies), (18, 13, 2));
    assert_eq!((time.hidden, time.exposed_communication, time.exposed_copies, time.idle()), (7, 6, 2, 2));
    assert!((time.overlap().unwrap() - 0.538_462).abs() < 1e-6);
    assert_eq!(time.communications, 2);

    let times = device_times(&store, Some((Ns(9), Ns(30))), &NoProgress).unwrap();
    let time = &times[0];
    assert_eq!((time.computing, time.exposed_communication, time.exposed_copies, time.idle()), (9, 6, 2, 4));
}

#[test]
fn devices_are_used_as_talp_counts() {
    let other = vec![(GEMM, 0, 0, 7), (COPY, 1, 5, 10)];
    let (_directory, store) = made(&[example(), other]);
    let used = device_efficiency(&store, (Ns(0), Ns(40)), &NoProgress).unwrap().unwrap();
    // Kernels: 24 and 7; with copies 26 and 10.
    assert_eq!((used.devices, used.kernels, used.most_kernels, used.most_busy), (2, 31, 24, 26));
    for (found, expected) in [
        (used.load_balance(), 31.0 / 48.0),
        (used.communication(), 24.0 / 26.0),
        (used.orchestration(), 26.0 / 40.0),
        (used.parallel(), 31.0 / 80.0),
        (used.useful(), 25.0 / 80.0),
    ] {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
    let product = used.load_balance() * used.communication() * used.orchestration();
    assert!((product - used.parallel()).abs() < 1e-12);
}

#[test]
fn communication_that_nothing_hides_is_told_and_blames_nobody() {
    let findings = found(&[example()]);
    let [(exposed, _)] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!(exposed.kind(), FindingKind::ExposedCommunication);
    assert!(!exposed.kind().blames());
    assert!((exposed.cost_share - 6.0 / 28.0).abs() < 1e-12, "{}", exposed.cost_share);
    assert_eq!((exposed.suspect.visits, exposed.suspect.found), (2, 6.5));

    let hidden = vec![(GEMM, 0, 0, 100), (ALLREDUCE, 1, 10, 80), (ALLREDUCE, 1, 95, 105)];
    assert!(found(&[hidden]).is_empty(), "5 of 105 are exposed");
}

/// Steps of computing and an allreduce that all leave at once, `transfer` after the last has come. `computing` is by step
/// and rank, `shift` what a rank's clock is ahead.
fn steps(
    ranks: u32,
    steps: u32,
    transfer: i64,
    computing: impl Fn(u32, u32) -> i64,
    shift: impl Fn(u32) -> i64,
) -> Vec<Vec<Row>> {
    let mut rows: Vec<Vec<Row>> = vec![Vec::new(); ranks as usize];
    let mut begin = 0;
    for step in 0..steps {
        let arrives = |rank: u32| begin + computing(step, rank);
        let end = (0..ranks).map(arrives).max().unwrap() + transfer;
        for rank in 0..ranks {
            let by = shift(rank);
            let of = &mut rows[rank as usize];
            of.push((GEMM, 0, begin + by, arrives(rank) + by));
            of.push((ALLREDUCE, 1, arrives(rank) + by, end + by));
        }
        begin = end;
    }
    rows
}

fn noise(step: u32, rank: u32) -> i64 {
    10_000 + Chance(u64::from(step) << 20 | u64::from(rank) << 3 | 5).below(1_500) as i64
}

#[test]
fn a_rank_that_always_comes_last_is_named_with_what_it_takes() {
    let slow = |step, rank| if rank == 5 { noise(step, rank) * 3 / 2 } else { noise(step, rank) };
    let trace = steps(8, 20, 500, slow, |_| 0);
    let findings = found(&trace);
    let (late, ranks) = &findings[0];
    assert_eq!((late.kind(), ranks.as_slice()), (FindingKind::SlowRanks, &[5][..]));
    assert_eq!((late.suspect.visits, late.suspect.slow_visits, late.waiting), (20, 20, 7));
    assert!((late.suspect.factor() - 1.5).abs() < 0.08, "{}", late.suspect.factor());
    // Seven of eight ranks wait some 4.5 of 16.5 µs.
    assert!((0.15..0.28).contains(&late.cost_share), "{}", late.cost_share);
    let sum: f64 = findings.iter().map(|(finding, _)| finding.cost_share).sum();
    assert!(sum < 0.4, "{sum}: waiting for it is not told again as exposed");

    let (_directory, store) = made(&trace);
    let found = arrivals(&store, &NoProgress).unwrap();
    assert_eq!((found.collectives, found.ranks.len()), (20, 8));
    assert!((found.communication - 500.0).abs() < 1e-9);
    assert_eq!((found.ranks[5].waited, found.ranks[5].last), (0, 20));
    assert!(found.ranks.iter().all(|of| of.rank.0 == 5 || of.last == 0 && of.waited > 20 * 3_000));
}

#[test]
fn nobody_is_named_among_equals_nor_for_a_clock() {
    let names = |trace: &[Vec<Row>]| -> Vec<FindingKind> { found(trace).iter().map(|(of, _)| of.kind()).collect() };
    let blames = |trace: &[Vec<Row>]| names(trace).into_iter().any(FindingKind::blames);
    for ranks in [2, 4, 8, 16] {
        for number in [5, 20, 100] {
            assert!(!blames(&steps(ranks, number, 500, noise, |_| 0)), "{ranks} ranks, {number} steps");
        }
    }
    // By its clock rank 3 comes last to all of them.
    let ahead = |rank| if rank == 3 { 5_000 } else { 0 };
    assert!(!blames(&steps(8, 40, 500, noise, ahead)));
    // Late to two of forty.
    let twice = |step, rank| noise(step, rank) + if rank == 1 && step % 20 == 7 { 40_000 } else { 0 };
    assert!(!blames(&steps(8, 40, 500, twice, |_| 0)));
}
