//! Many nodes and tasks, drawn at random: what they take in memory, and how long in a release build.
//!
//! `HEDDLE_TASKS=100000000 HEDDLE_NODES=10000 cargo test --release -p heddle-tasks --test scale -- --nocapture` measures at
//! full size; the store stays in `HEDDLE_SCALE` if that names a directory, and is used again.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a helper that fails is a test that fails")]

use std::path::Path;
use std::time::{Duration, Instant};

use heddle_model::{
    Definitions, Location, LocationId, LocationKind, Ns, Paradigm, Part, Rank, RecordBlock, Region, RegionId, Role,
    TaskId, TaskInfo, Worker,
};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_tasks::{Bandwidth, GroupOptions, Groups, ProgressOptions, Progression};
use heddle_testkit::{Chance, Counting, MadeSource, Measuring};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Workers of a node: three CPUs and two GPUs.
const KINDS: [&str; 5] = ["CPU", "CPU", "CPU", "CUDA", "CUDA"];
const TYPES: [&str; 4] = ["potrf", "trsm", "syrk", "gemm"];

/// Tasks drawn at random: nodes are a little faster or slower than each other, and some begin late.
fn random_tasks(nodes: u32, tasks: u64, target: &Path) -> Store {
    let workers = nodes as usize * KINDS.len();
    let each = tasks / workers as u64;
    let definitions = Definitions {
        locations: (0..workers)
            .map(|at| Location {
                file_id: at as u64,
                name: format!("{}_{}{}", at / KINDS.len(), KINDS[at % KINDS.len()], at % KINDS.len()).into(),
                kind: LocationKind::CpuThread,
                parent: None,
                rank: Rank((at / KINDS.len()) as u32),
            })
            .collect(),
        regions: TYPES.map(|name| Region::named(name, Paradigm::Task, Role::Function)).to_vec(),
        workers: (0..workers)
            .map(|at| Worker { location: LocationId(at as u32), kind: KINDS[at % KINDS.len()].to_owned() })
            .collect(),
        ..Definitions::default()
    };
    let parts = MadeSource::part_per_location(&definitions, 48 * each);
    let records = |part: &Part, out: &mut RecordBlock| {
        let (node, worker) = (part.location.0 as usize / KINDS.len(), part.location.0 as usize % KINDS.len());
        let mut of_node = Chance(node as u64);
        let slow = 1000 + of_node.below(60) as i64 + if of_node.is(3) { 200 } else { 0 };
        let mut chance = Chance(u64::from(part.location.0) << 20);
        let mut now = (node % 7) as i64 * 1000;
        for task in 0..each {
            let of = chance.below(TYPES.len());
            let usual = [400, 900, 1200, 2000][of] * slow / if KINDS[worker] == "CUDA" { 10 } else { 1 };
            now += chance.below(2000) as i64;
            out.enter(Ns(now), RegionId(of as u32));
            let number = task * KINDS.len() as u64 + worker as u64;
            out.task(Ns(now), TaskInfo::new(TaskId::new(node as u32, number)));
            now += usual + chance.below(usual as usize / 10) as i64;
            out.leave(Ns(now), None);
        }
        out.last = Some(Ns(now));
        out.events = 2 * each;
    };
    let source = MadeSource::new(definitions.clone(), parts, records);
    store_simulation(&source, "random tasks", target, 1 << 30, &NoProgress).unwrap()
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn memory_does_not_grow_with_tasks() {
    let (nodes, tasks) = (number("HEDDLE_NODES", 200) as u32, number("HEDDLE_TASKS", 1_000_000));
    let directory = tempfile::tempdir().unwrap();
    let place = std::env::var_os("HEDDLE_SCALE").map_or_else(|| directory.path().to_owned(), Into::into);
    let target = place.join(format!("{nodes}-{tasks}"));
    let began = Instant::now();
    let store = Store::open(&target).unwrap_or_else(|_| random_tasks(nodes, tasks, &target));
    eprintln!("store: {:.1?}", began.elapsed());

    let options = ProgressOptions { time_steps: heddle_options::Count(100), ..ProgressOptions::default() };
    let _ = std::fs::remove_dir_all(target.join("derived"));
    let (began, cpu) = (Instant::now(), processor());
    let work = || Progression::open(&store, &options, &NoProgress).unwrap();
    let (progression, peak) = Measuring::alone().peak_of(work);
    let (took, cpu) = (began.elapsed(), processor().saturating_sub(cpu));
    eprintln!(
        "progression and bounds: {took:.1?}, {cpu:.1?} of processors, {} MiB at most, bound {:.3}",
        peak >> 20,
        progression.bounds.area / progression.makespan() as f64
    );
    // Durations are kept up to some millions of each type; lines take eight bytes for a node and instant.
    assert!(peak < (512 << 20) + 3 * 8 * 101 * nodes as usize, "{peak}");
    assert_eq!(progression.tasks.iter().sum::<u64>(), tasks / (u64::from(nodes) * 5) * 5 * u64::from(nodes));

    let began = Instant::now();
    let again = Progression::find(&store, &options).unwrap();
    eprintln!("found again: {:.1?}", began.elapsed());
    assert_eq!(again.pooled, progression.pooled);
    for h in [0.1, 0.03, 0.01, 0.005, 0.0005] {
        let options = GroupOptions { bandwidth: Bandwidth(h), ..GroupOptions::default() };
        let (began, cpu) = (Instant::now(), processor());
        let mut groups = Groups::of(&progression, &options);
        for _ in 1..ROUNDS {
            groups = Groups::of(&progression, &options);
        }
        let most = groups.at.iter().map(|modes| modes.clusters.len()).max();
        let each = |of: Duration| of / ROUNDS;
        let (wall, cpu) = (each(began.elapsed()), each(processor().saturating_sub(cpu)));
        eprintln!("h = {h}: {wall:.1?}, {cpu:.1?} of processors, {most:?} groups, {} ways", groups.segments.len());
    }
}

/// How often groups are made for a time.
const ROUNDS: u32 = 10;

/// Time of processors that this program has used, in steps of ten milliseconds: what counts where others work too.
fn processor() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = text.rsplit(')').next().unwrap_or_default();
    let ticks: u64 = after.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}
