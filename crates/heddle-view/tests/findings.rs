//! What stands out, on small traces made for each rule, and what does not on traces where nothing should.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

use std::sync::Arc;

use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, Communicator, Definitions, Location, LocationId, LocationKind, Ns, Paradigm,
    Part, Rank, RecordBlock, Region, RegionId, RequestId, Role, Source, SourceError, SystemNode, SystemNodeId,
    Warnings,
};
use heddle_simulate::{HaloOptions, Machine, Multigrid, MultigridOptions, Train, TrainOptions, halo, simulate};
use heddle_store::{ImportOptions, NoProgress, Store, StorePlace, open_or_import, store_simulation};
use heddle_view::{Finding, FindingKind, Window, efficiency, findings, stages};

mod common;
use common::{Call, Calls, within};

const RECV: u32 = 1;
const BCAST: u32 = 2;
const MS: i64 = 1_000_000;

/// Ranks that make calls; a broadcast is a collective of all, of the root given.
struct Run {
    definitions: Definitions,
    of_ranks: Vec<Vec<(u32, i64, i64)>>,
    root: Option<u32>,
    parts: Vec<Part>,
    warnings: Warnings,
}

impl Run {
    fn new(of_ranks: Vec<Vec<(u32, i64, i64)>>, root: Option<u32>) -> Run {
        let count = of_ranks.len() as u32;
        let world: Arc<[LocationId]> = (0..count).map(LocationId).collect();
        let node = SystemNode { name: "p".into(), class: SystemNode::PROCESS.into(), parent: None };
        let location = |rank: u32| Location {
            file_id: u64::from(rank),
            name: format!("rank {rank}").into(),
            kind: LocationKind::CpuThread,
            parent: Some(SystemNodeId(rank)),
            rank: Rank(rank),
        };
        let regions = [
            ("main", Paradigm::User, Role::Function),
            ("MPI_Recv", Paradigm::Mpi, Role::Receive),
            ("MPI_Bcast", Paradigm::Mpi, Role::Collective),
        ];
        let comm = Communicator {
            name: "world".into(),
            members: Arc::clone(&world),
            remote: None,
            parent: None,
            is_self: false,
        };
        let definitions = Definitions {
            system_tree: (0..count).map(|_| node.clone()).collect(),
            locations: (0..count).map(location).collect(),
            regions: regions.map(|(name, paradigm, role)| Region::named(name, paradigm, role)).to_vec(),
            communicators: vec![comm],
            world: world.to_vec(),
            ..Definitions::default()
        };
        let part = |at| Part { location: LocationId(at), index: 0, bytes: 100 };
        Run { definitions, of_ranks, root, parts: (0..count).map(part).collect(), warnings: Warnings::default() }
    }

    fn store(&self) -> (tempfile::TempDir, Store) {
        let directory = tempfile::tempdir().unwrap();
        let store = store_simulation(self, "run", &directory.path().join("x.heddle"), 1 << 28, &NoProgress).unwrap();
        (directory, store)
    }

    fn findings(&self) -> Vec<Finding> {
        findings(&self.store().1, &Window::default()).findings
    }
}

impl Source for Run {
    fn format(&self) -> &'static str {
        "run"
    }

    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn read(&self, part: &Part, out: &mut RecordBlock) -> Result<(), SourceError> {
        for (region, start, end) in &self.of_ranks[part.location.index()] {
            let (start, end) = (Ns(*start), Ns(*end));
            out.enter(start, RegionId(*region));
            if let Some(root) = self.root.filter(|_| *region == BCAST) {
                out.collective_begin(start);
                out.collective_end(
                    end,
                    CollectiveEnd {
                        op: CollectiveOp(1),
                        comm: CommId(0),
                        root: LocationId(root),
                        sent: 8,
                        received: 8,
                        request: RequestId::NONE,
                        number: None,
                    },
                );
            }
            out.leave(end, Some(RegionId(*region)));
            out.last = Some(end);
        }
        Ok(())
    }

    fn warnings(&self) -> &Warnings {
        &self.warnings
    }
}

/// The one finding of a kind.
fn the(kind: FindingKind, found: &[Finding]) -> &Finding {
    let mut of_kind = found.iter().filter(|finding| finding.kind == kind);
    let first = of_kind.next().unwrap_or_else(|| panic!("no {kind:?} among {:#?}", sentences(found)));
    assert!(of_kind.next().is_none(), "one {kind:?} expected: {:#?}", sentences(found));
    first
}

fn sentences(found: &[Finding]) -> Vec<String> {
    found.iter().map(Finding::sentence).collect()
}

#[test]
fn calls_that_begin_together_and_end_along_a_logarithm() {
    // Rank r leaves after log2 of its place in the queue, as if served by a tree; then all work on to 100 ms.
    let rank = |rank: u32| {
        let end = 10 * MS + (5.0 * 1e6 * f64::from(rank + 1).log2()) as i64 + 1_000;
        vec![(BCAST, 10 * MS + i64::from(rank) * 100, end), (0, 99 * MS, 100 * MS)]
    };
    for root in [None, Some(0)] {
        let found = Run::new((0..64).map(rank).collect(), root).findings();
        let finding = the(FindingKind::EndsApart, &found);
        let which = if root.is_some() { "one MPI_Bcast" } else { "MPI_Bcast for the 1st time" };
        assert_eq!(
            finding.sentence(),
            format!(
                "All 64 ranks enter {which} within 6.300 µs and leave it over 30.00 ms, along a logarithm of their \
                 order, as from a tree of 6 levels."
            )
        );
        assert_eq!(finding.window, Some((Ns(10 * MS), Ns(40 * MS + 1_000))));
        assert_eq!(
            (finding.region, finding.select.as_ref().unwrap().to_string()),
            (Some(RegionId(BCAST)), "span:63:0".to_owned())
        );
        let linked: Vec<&str> = finding
            .text
            .iter()
            .filter(|piece| piece.region.is_some() || piece.window.is_some())
            .map(|p| &*p.text)
            .collect();
        assert_eq!(linked, ["MPI_Bcast", "30.00 ms"]);
    }
}

#[test]
fn calls_that_end_apart_by_chance_are_no_tree() {
    let rank = |rank: i64| vec![(RECV, 10 * MS, 11 * MS + rank * MS / 2), (0, 99 * MS, 100 * MS)];
    let found = Run::new((0..64).map(rank).collect(), None).findings();
    assert_eq!(
        the(FindingKind::EndsApart, &found).sentence(),
        "All 64 ranks enter MPI_Recv for the 1st time within 0 ns and leave it over 31.50 ms."
    );
}

#[test]
fn who_comes_last_to_a_round_is_not_accused() {
    // Fifteen ranks wait in a broadcast for rank 3. Why it comes late is not known here: it may have waited itself.
    let rank = |rank: i64| {
        let start = if rank == 3 { 60 * MS } else { 20 * MS + rank * 10_000 };
        vec![(BCAST, start, 60 * MS + 2_000 + rank), (0, 99 * MS, 100 * MS)]
    };
    let ranks: Vec<_> = (0..16).map(rank).collect();
    let found = Run::new(ranks.clone(), Some(3)).findings();
    let finding = the(FindingKind::EndsTogether, &found);
    assert_eq!(
        finding.sentence(),
        "All 16 ranks enter one MPI_Bcast over 40.00 ms and leave it within 15 ns; the first are in it for up to \
         40.00 ms."
    );
    assert_eq!(finding.select.as_ref().unwrap().to_string(), "span:0:0", "the longest call");
    assert!(finding.text.iter().all(|piece| piece.ranks.is_none()) && finding.ranks.is_none());
    // Without collectives in the trace the order of the calls says as much.
    let found = Run::new(ranks, None).findings();
    let sentence = the(FindingKind::EndsTogether, &found).sentence();
    assert!(sentence.ends_with("the first are in it for up to 40.00 ms."), "{sentence}");
}

#[test]
fn not_even_a_rank_that_always_comes_last() {
    let rank = |rank: i64| {
        let round = |k: i64| {
            let late = if rank == 5 { 4 * MS } else { rank * 1_000 };
            (BCAST, k * 10 * MS + late, k * 10 * MS + 4 * MS + 3_000)
        };
        (0..10).map(round).collect()
    };
    let found = Run::new((0..8).map(rank).collect(), Some(0)).findings();
    assert_eq!(
        the(FindingKind::EndsTogether, &found).sentence(),
        "10 of 10 rounds of MPI_Bcast begin apart and end together, which costs 37.2 % of all time. The worst: all 8 \
         ranks enter one MPI_Bcast over 4.000 ms and leave it within 0 ns; the first are in it for up to 4.003 ms."
    );
    assert_eq!(the(FindingKind::EndsTogether, &found).ranks, None);
}

#[test]
fn the_longest_call_and_whom_it_holds() {
    // Rank 7 sits in a receive for 30 ms; ranks 0 to 3 as well most of that time, 4 and 5 in short broadcasts, 6 works.
    let rank = |rank: u32| match rank {
        0..=3 => vec![(RECV, (11 + i64::from(rank)) * MS, (36 + i64::from(rank)) * MS)],
        4 | 5 => (0..30).map(|k| (BCAST, (10 + k) * MS, (10 + k) * MS + 700_000)).collect(),
        6 => vec![(BCAST, 5 * MS, 6 * MS), (0, 99 * MS, 100 * MS)],
        _ => vec![(RECV, 10 * MS, 40 * MS + 1)],
    };
    let found = Run::new((0..8).map(rank).collect(), None).findings();
    let finding = the(FindingKind::LongestCall, &found);
    assert_eq!(
        finding.sentence(),
        "The longest call is one of MPI_Recv on rank 7: 30.00 ms, 30.0 % of the run. Meanwhile 6 of the 7 others are in \
         communication, 4 of them in MPI_Recv."
    );
    assert_eq!(finding.window, Some((Ns(10 * MS), Ns(40 * MS + 1))));
    // Where all who wait do so in the same function, their number is said once.
    let found = Run::new((0..8).filter(|at| !matches!(at, 4 | 5)).map(rank).collect(), None).findings();
    assert_eq!(
        the(FindingKind::LongestCall, &found).sentence(),
        "The longest call is one of MPI_Recv on rank 5: 30.00 ms, 30.0 % of the run. Meanwhile 4 of the 5 others are in \
         MPI_Recv too."
    );
}

#[test]
fn unusual_calls_gathered_in_time_or_on_few_ranks() {
    // Receives of 10 µs every ms; on ranks 4 to 11 five of them take 3 ms, one after the other around 50 ms.
    let rank = |slow: std::ops::Range<i64>, at: std::ops::Range<i64>, rank: i64| {
        let call = |k: i64| {
            let start = k * 4 * MS + rank * 20_000;
            let is_slow = slow.contains(&rank) && at.contains(&k);
            (RECV, start, start + if is_slow { 3 * MS + rank } else { 10_000 })
        };
        (0..250).map(call).collect::<Vec<_>>()
    };
    let found = Run::new((0..16).map(|r| rank(0..16, 100..108, r)).collect(), None).findings();
    let finding = the(FindingKind::UnusualCalls, &found);
    assert_eq!(
        finding.sentence(),
        "128 calls of MPI_Recv (3.2 %) take 3.000 ms where about 10 µs is usual, most of it in \
         400.85 – 428.10 ms."
    );
    assert!(finding.window.unwrap().0 >= Ns(380 * MS) && finding.window.unwrap().1 <= Ns(450 * MS));
    assert_eq!(finding.ranks, None);

    let found = Run::new((0..64).map(|r| rank(9..10, 0..150, r)).collect(), None).findings();
    let finding = the(FindingKind::UnusualCalls, &found);
    assert_eq!(
        finding.sentence(),
        "150 calls of MPI_Recv (0.9 %) take 3.000 ms where about 10 µs is usual, most of it on rank 9."
    );
    assert_eq!(finding.ranks.as_deref(), Some("9"));
}

#[test]
fn a_broadcast_that_locks_rank_after_rank() {
    // Rank r works until 10 + r ms and then waits in the broadcast; all are freed at 80 ms.
    let rank = |rank: i64| {
        let work = (0..10 + rank).map(|k| (RECV, k * MS, k * MS + 50_000));
        work.chain([(BCAST, (10 + rank) * MS, 80 * MS + rank * 100), (0, 99 * MS, 100 * MS)]).collect::<Vec<_>>()
    };
    for root in [None, Some(63)] {
        let found = Run::new((0..64).map(rank).collect(), root).findings();
        assert_eq!(
            the(FindingKind::LocksRanks, &found).sentence(),
            "MPI_Bcast locks rank after rank, all 64 ranks in the end, for up to 70.00 ms, and frees them within \
             6.300 µs."
        );
        assert!(
            found.iter().all(|finding| finding.kind != FindingKind::EndsTogether),
            "said once: {:#?}",
            sentences(&found)
        );
    }
}

#[test]
fn nothing_stands_out_where_all_is_balanced() {
    let options = HaloOptions { ranks: 64, iterations: 100, ..HaloOptions::default() };
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("halo.heddle");
    let store =
        store_simulation(&halo(&options, &Machine::default()).unwrap(), "halo", &target, 1 << 28, &NoProgress).unwrap();
    let found = findings(&store, &Window::default());
    assert_eq!(sentences(&found.findings), Vec::<String>::new());
    assert!(found.efficiency.unwrap() > 0.7, "{:?}", found.efficiency);
    assert_eq!(found.stages.len(), 1, "{:?}", found.stages);
}

#[test]
fn a_slow_rank_of_a_halo_is_found() {
    let options = HaloOptions { ranks: 16, iterations: 40, allreduce_every: 1, ..HaloOptions::default() };
    let machine = Machine { slow_ranks: vec![5], ..Machine::default() };
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("halo.heddle");
    let store = store_simulation(&halo(&options, &machine).unwrap(), "halo", &target, 1 << 28, &NoProgress).unwrap();
    let found = findings(&store, &Window::default());
    let sentence = the(FindingKind::EndsTogether, &found.findings).sentence();
    assert!(sentence.contains("rounds of MPI_Allreduce begin apart and end together"), "{sentence}");
}

#[test]
fn a_wait_that_completes_several_collectives_is_lost_once() {
    let options = TrainOptions { ranks: 16, ..TrainOptions::default() };
    let directory = tempfile::tempdir().unwrap();
    let source = simulate(Train::new(&options).unwrap(), &Machine::default()).unwrap();
    let target = directory.path().join("train.heddle");
    let store = store_simulation(&source, "train", &target, 1 << 28, &NoProgress).unwrap();
    let found = findings(&store, &Window::default());
    // In each step one MPI_Waitall completes all the sums of the gradients.
    let finding = the(FindingKind::EndsTogether, &found.findings);
    let rounds = format!("of {} rounds of MPI_Waitall", options.steps);
    assert!(finding.sentence().contains(&rounds), "{}", finding.sentence());
    assert!(finding.lost < 1.0 - found.efficiency.unwrap(), "{}: {:?}", finding.lost, found.efficiency);
}

#[test]
fn no_share_exceeds_the_whole() {
    for ranks in [8, 64] {
        let options = TrainOptions { ranks, ..TrainOptions::default() };
        let directory = tempfile::tempdir().unwrap();
        let machine = Machine { slow_ranks: vec![3], ..Machine::default() };
        let source = simulate(Train::new(&options).unwrap(), &machine).unwrap();
        let target = directory.path().join("train.heddle");
        let store = store_simulation(&source, "train", &target, 1 << 28, &NoProgress).unwrap();
        let found = findings(&store, &Window::default());
        let communicating = 1.0 - found.efficiency.unwrap();
        for finding in &found.findings {
            assert!(finding.lost <= communicating + 1e-9, "{} > {communicating}: {}", finding.lost, finding.sentence());
        }
    }
}

#[test]
fn the_broadcast_of_a_real_eigen_solver_is_found() {
    let Some(traces) = std::env::var_os("HEDDLE_TRACES") else {
        println!("HEDDLE_TRACES is not set; nothing was looked for");
        return;
    };
    let path = std::path::Path::new(&traces).join("clog2").join("eig_r64.clog2");
    let directory = tempfile::tempdir().unwrap();
    let place = StorePlace::Under(directory.path().to_owned());
    let options = ImportOptions { place, memory: 1 << 28, force: false };
    let store = open_or_import(&path, &options, &NoProgress).unwrap().store;
    let found = findings(&store, &Window::default());
    assert_eq!(
        the(FindingKind::LocksRanks, &found.findings).sentence(),
        "MPI_Bcast locks rank after rank, all 64 ranks in the end, for up to 1.108 s, and frees them within 28.08 ms."
    );
    assert!(found.stages.iter().any(|stage| stage.name == "MPI_Bcast" && stage.end.since(stage.start) > 1_000 * MS));
    // Nothing is said twice, whatever the window.
    for window in [within(2_000 * MS, 4_000 * MS), within(3_000 * MS, 3_100 * MS), within(0, 1)] {
        let found = findings(&store, &window);
        assert!(found.findings.len() <= 8 && !found.stages.is_empty(), "{:?}", sentences(&found.findings));
    }
}

#[test]
fn an_empty_trace_and_one_without_communication_say_little() {
    let (_directory, store) = Calls::new(vec![Vec::new(), Vec::new()]).store();
    let found = findings(&store, &Window::default());
    assert_eq!((found.findings.len(), found.efficiency), (0, None));
    let only_main = |_| vec![Call(0, 0, 100, vec![Call(3, 10, 90, Vec::new())])];
    let (_directory, store) = Calls::new((0..8).map(only_main).collect()).store();
    let found = findings(&store, &Window::default());
    assert_eq!((found.findings.len(), found.efficiency), (0, None));
}

#[test]
fn efficiency_is_exact_and_heeds_window_and_ranks() {
    let calls = vec![vec![Call(1, 0, 25, Vec::new()), Call(2, 50, 100, Vec::new())], vec![Call(0, 0, 100, Vec::new())]];
    let (_directory, store) = Calls::new(calls).store();
    assert_eq!(efficiency(&store, &Window::default()), Some(0.625));
    assert_eq!(efficiency(&store, &within(0, 50)), Some(0.75));
    let first = Window { ranks: Some("0".parse().unwrap()), ..within(0, 50) };
    assert_eq!(efficiency(&store, &first), Some(0.5));
}

#[test]
fn stages_follow_each_other_and_have_names() {
    // Receives half of the time, then broadcasts nearly always, then work alone.
    let rank = |_: i64| {
        let first = (0..400).map(|k| (RECV, k * MS / 10, k * MS / 10 + 50_000));
        let second = (0..300).map(|k| (BCAST, 40 * MS + k * MS / 10, 40 * MS + k * MS / 10 + 90_000));
        first.chain(second).chain([(0, 99 * MS, 100 * MS)]).collect::<Vec<_>>()
    };
    let (_directory, store) = Run::new((0..4).map(rank).collect(), Some(0)).store();
    let found = stages(&store, &Window::default());
    let told: Vec<(&str, String)> =
        found.iter().map(|stage| (stage.name.as_str(), format!("{:.2}", stage.efficiency))).collect();
    assert_eq!(
        told,
        [("MPI_Recv", "0.50".to_owned()), ("MPI_Bcast", "0.10".to_owned()), ("computing", "1.00".to_owned())]
    );
    assert!(found.windows(2).all(|two| two[0].end == two[1].start));
    assert_eq!((found[0].start, found[2].end), (Ns(0), Ns(100 * MS)));
    assert!(found[0].end.since(Ns(40 * MS)).abs() < MS && found[1].end.since(Ns(70 * MS)).abs() < MS, "{found:?}");
}

#[test]
fn steps_of_training_and_cycles_of_multigrid_are_rounds_and_not_stages_of_their_own() {
    let said = |source: &dyn Source| {
        let directory = tempfile::tempdir().unwrap();
        let store = store_simulation(source, "x", &directory.path().join("x.heddle"), 1 << 28, &NoProgress).unwrap();
        let found = stages(&store, &Window::default());
        let told = |stage: &heddle_view::Stage| stage.rounds.map_or(0, |rounds| rounds.count);
        (found.iter().map(told).collect::<Vec<u32>>(), format!("{found:#?}"))
    };
    let machine = Machine::default();
    let train = Train::new(&TrainOptions { ranks: 8, steps: 16, ..TrainOptions::default() }).unwrap();
    let (rounds, all) = said(&simulate(train, &machine).unwrap());
    assert_eq!(rounds, [6, 10], "from the seventh step on one is slow: {all}");
    let multigrid = Multigrid::new(&MultigridOptions { ranks: 16, cycles: 6, ..MultigridOptions::default() }).unwrap();
    let (rounds, all) = said(&simulate(multigrid, &machine).unwrap());
    assert_eq!(rounds.iter().sum::<u32>(), 6, "{all}");
    assert!(rounds.len() <= 3, "{all}");
}
