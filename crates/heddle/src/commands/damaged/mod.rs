//! A store is input: whatever its bytes are, every command ends, says so or shows something, does not panic, and keeps within
//! its memory. Stores of several programs, with results of all analyses in them, are damaged in thousands of ways, and then
//! gone through by all commands.
//!
//! `HEDDLE_DAMAGED_STORES` says how many stores are damaged, and `HEDDLE_DAMAGED_FIRST` which is the first: all of what
//! happens to a store follows from its number.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

mod harm;

use std::collections::BTreeMap;
use std::io::sink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use clap::Parser;

use heddle_model::{
    CommId, Communicator, Definitions, Location, LocationId, LocationKind, MarkText, MessageEnd, MetricDefinition,
    MetricId, MetricMode, MetricValue, Ns, Paradigm, Part, Rank, RecordBlock, Region, RegionId, RequestId, Role,
    SystemNode, SystemNodeId,
};
use heddle_profile::by_rank::CallsByRank;
use heddle_profile::chosen::{Choice, ChosenCalls};
use heddle_profile::kinds::CallKinds;
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_testkit::{Chance, MadeRun, MadeSource, Measuring};

use super::{diagnose, info, run};
use crate::args::{Args, Command};
use harm::{Harm, harm};

/// Stores that an ordinary test run damages.
const USUALLY: u64 = 300;
/// Whoever takes longer hangs: a command on such a store takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(120);
/// No command needs more for such stores; a picture takes some tens of megabytes.
const MEMORY: usize = 384 << 20;
/// Commands that are tried on each store.
const TRIED: usize = 4;

/// A sound store, with what can be asked of it.
struct Sound {
    name: &'static str,
    path: PathBuf,
    commands: Vec<Vec<&'static str>>,
}

/// Commands for any store. What does not suit a store is refused, which is fine.
const EVERYWHERE: [&str; 30] = [
    "info --json",
    "info --findings",
    "info --efficiency",
    "diagnose",
    "diagnose --json",
    "render activity",
    "render timeline",
    "render timeline --time 20us:300us",
    "render calls",
    "render calls --style lines",
    "render calls --style lines --ranks 0-3",
    "render calls --style lines --y rank",
    "render calls --y bytes --bytes 1:100K --colour caller",
    "render histogram --function MPI_Waitall",
    "render profile",
    "render counters",
    "render matrix",
    "render ranks",
    "render torus --topology 2x2x2",
    "export --table spans",
    "export --table messages",
    "export --table collectives",
    "export --table marks",
    "export --table metrics",
    "export --table profile",
    "export --table matrix",
    "export --table links --topology 2x2x2",
    "export --to otf2",
    "export --to paraver",
    "export --to chrome",
];

/// Ranks that some commands choose.
const CHOSEN: [u32; 4] = [0, 1, 2, 3];

const COMMUNICATION: [&str; 14] = [
    "render logical",
    "render logical --metric phase-lateness",
    "render clusters",
    "render metric",
    "render metric --metric differential",
    "render fattree --topology fat-tree:2x2x2",
    "export --table steps",
    "export --table phases",
    "export --table clusters",
    "export --table waits",
    "export --table delays",
    "export --table critical-path",
    "render slices --topology 2x2x2x2",
    "render mappings --topology 2x2x2",
];

const TASKS: [&str; 8] = [
    "render progress",
    "render density",
    "render gantt",
    "render distribution",
    "export --table progress",
    "export --table bounds",
    "export --table tasks",
    "export --table dependencies",
];

const NETWORK: [&str; 5] =
    ["render torus", "render minimaps", "render torus3d", "render slices", "export --table links"];

/// Runs a command; what it writes goes to a folder.
fn command(words: &[&str], store: &Path, folder: &Path) -> anyhow::Result<()> {
    let mut args = vec!["heddle", words[0]];
    let given = words.iter().position(|word| word.starts_with("--")).unwrap_or(words.len());
    args.extend(&words[1..given]);
    args.push(store.to_str().unwrap());
    args.extend(&words[given..]);
    let ending = match words {
        ["render", ..] => Some("figure.svg"),
        [.., "otf2"] => Some("trace.otf2"),
        [.., "paraver"] => Some("trace.prv"),
        [.., "chrome"] => Some("trace.json"),
        ["export", ..] => Some("table.csv"),
        _ => None,
    };
    let output = ending.map(|ending| folder.join(ending));
    if let Some(output) = &output {
        args.extend(["-o", output.to_str().unwrap()]);
    }
    let whole = words.starts_with(&["export", "--to"]);
    args.extend(whole.then_some("--force"));
    match Args::try_parse_from(args)?.command {
        Command::Info(args) => info::run(&args, &mut sink()),
        Command::Diagnose(args) => diagnose::run(&args, &mut sink()),
        other => run(other),
    }
}

/// Makes the sound stores, and all results that commands leave in them.
fn sound(folder: &Path) -> Vec<Sound> {
    let simulated = |name: &'static str, program: &str, more: &[&[&'static str]]| {
        let path = folder.join(format!("{name}.heddle"));
        let mut args: Vec<&str> = vec!["heddle", "simulate"];
        args.extend(program.split(' '));
        args.extend(["-o", path.to_str().unwrap()]);
        run(Args::try_parse_from(args).unwrap().command).unwrap();
        Sound { name, path, commands: commands(more) }
    };
    let all = vec![
        simulated("halo", "halo --ranks 8 --iterations 12 --allreduce-every 4", &[&COMMUNICATION]),
        simulated("merge-tree", "merge-tree --ranks 16", &[&COMMUNICATION]),
        simulated("tasks", "tasks-cholesky --tiles 6 --nodes 2x2 --gpus 1", &[&TASKS, &COMMUNICATION]),
        counters(folder),
        network(folder),
    ];
    for sound in &all {
        // The only results that commands make use of and do not make.
        let store = Store::open(&sound.path).unwrap();
        let _ = CallKinds::open(&store, &NoProgress);
        let _ = CallsByRank::open(&store, &NoProgress);
        if let Some(choice) = Choice::of(&store, &CHOSEN.map(LocationId)) {
            let _ = ChosenCalls::open(&store, &choice, &NoProgress);
        }
        for words in &sound.commands {
            // Some do not suit; what they leave is there.
            let _ = command(words, &sound.path, folder);
        }
    }
    all
}

/// A ring of locations with counters, marks, two communicators, lengths that differ and ends without a partner.
fn counters(folder: &Path) -> Sound {
    const LOCATIONS: u32 = 70;
    let node = |name: &str, class: &str, parent| SystemNode { name: name.into(), class: class.into(), parent };
    let location = |at: u32| Location {
        file_id: u64::from(at),
        name: format!("rank {at}").into(),
        kind: LocationKind::CpuThread,
        parent: Some(SystemNodeId(1 + at % 2)),
        rank: Rank(at),
    };
    let metric = |name: &str, mode| MetricDefinition { name: name.into(), unit: "#".into(), mode };
    let world: Arc<[LocationId]> = (0..LOCATIONS).map(LocationId).collect();
    let half = Communicator { parent: Some(CommId(0)), ..Communicator::of("half", world[..35].into()) };
    let regions = [("main", Paradigm::User), ("MPI_Send", Paradigm::Mpi), ("MPI_Recv", Paradigm::Mpi)];
    let definitions = Definitions {
        system_tree: vec![
            node("machine", "machine", None),
            node("a", "node", Some(SystemNodeId(0))),
            node("b", "node", Some(SystemNodeId(0))),
        ],
        locations: (0..LOCATIONS).map(location).collect(),
        regions: regions.map(|(name, paradigm)| Region::named(name, paradigm, Role::Function)).to_vec(),
        communicators: vec![Communicator::of("world", world.clone()), half],
        metrics: vec![metric("ticks", MetricMode::Accumulated), metric("heat", MetricMode::Absolute)],
        world: world.to_vec(),
        ..Definitions::default()
    };
    let parts = MadeSource::part_per_location(&definitions, 4096);
    let records = |part: &Part, out: &mut RecordBlock| {
        let (at, mut chance) = (part.location.0, Chance(u64::from(part.location.0)));
        let end = |peer: u32, bytes| MessageEnd {
            peer: LocationId(peer % LOCATIONS),
            comm: CommId(0),
            tag: 7,
            bytes,
            request: RequestId::NONE,
        };
        let mut now = i64::from(at) * 100;
        out.enter(Ns(now), RegionId(0));
        for round in 0..40 {
            now += 1_000 + chance.below(500) as i64;
            let value = |metric, value| MetricValue { metric: MetricId(metric), value };
            out.metric(Ns(now), value(0, f64::from(round) * 10.0));
            out.metric(Ns(now), value(1, chance.below(90) as f64));
            out.enter(Ns(now), RegionId(1));
            out.send(Ns(now + 10), end(at + 1, 64));
            out.leave(Ns(now + 50), Some(RegionId(1)));
            out.enter(Ns(now + 60), RegionId(2));
            out.recv(Ns(now + 5_000), end(at + LOCATIONS - 1, 60));
            now += 5_010;
            out.leave(Ns(now), Some(RegionId(2)));
            if round % 9 == 0 {
                out.mark(Ns(now), MarkText { name: "round".into(), text: round.to_string() });
                out.send(Ns(now), end(at + 3, 8));
            }
        }
        out.leave(Ns(now), Some(RegionId(0)));
        out.last = Some(Ns(now));
    };
    let path = folder.join("counters.heddle");
    store_simulation(&MadeSource::new(definitions, parts, records), "counters", &path, 1 << 28, &NoProgress).unwrap();
    Sound { name: "counters", path, commands: commands(&[&COMMUNICATION]) }
}

/// What was counted on the links of a torus.
fn network(folder: &Path) -> Sound {
    let run = MadeRun { regions: vec![1, 2], ..MadeRun::torus(&[3, 2, 2]) };
    let meta =
        run.write(&folder.join("torus"), "run", |link, section| link.id as i64 * section, |node, _| node[0].into());
    let path = folder.join("network.heddle");
    let args = ["heddle", "import", meta.to_str().unwrap(), "-o", path.to_str().unwrap()];
    super::run(Args::try_parse_from(args).unwrap().command).unwrap();
    Sound { name: "network", path, commands: commands(&[&NETWORK]) }
}

fn commands(more: &[&[&'static str]]) -> Vec<Vec<&'static str>> {
    std::iter::once(&EVERYWHERE[..])
        .chain(more.iter().copied())
        .flatten()
        .map(|line| line.split(' ').collect())
        .collect()
}

/// What came of a damaged store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Came {
    /// It was not opened.
    Refused,
    /// It was opened, and while it was read somebody saw the damage.
    Noted,
    /// Nothing was seen: what is damaged was not read, or made again, or says something else that is possible.
    Harmless,
}

/// Damages a copy of a store and tries some commands on it.
fn try_one(number: u64, all: &[Sound], folder: &Path, say: &dyn Fn(String)) -> Option<(Came, &'static str)> {
    let mut chance = Chance(number);
    let sound = &all[chance.below(all.len())];
    let place = folder.join(format!("{number}"));
    std::fs::create_dir(&place).unwrap();
    let path = place.join("run.heddle");
    let store = harm::Store::linked(&sound.path, &path);
    let Harm { kind, what } = harm(&mut chance, &store)?;
    say(format!("{number}: {}: {kind}: {what}", sound.name));
    let open = Store::open(&path);
    for _ in 0..TRIED {
        let words = &sound.commands[chance.below(sound.commands.len())];
        say(format!("{number}: {}: {kind}: {what}: {}", sound.name, words.join(" ")));
        let _ = command(words, &path, &place);
    }
    let came = match open {
        Err(error) => {
            let error = error.to_string();
            assert!(error.contains("run.heddle"), "it does not say what is wrong: {error}");
            Came::Refused
        }
        Ok(open) if open.check().is_err() => Came::Noted,
        Ok(_) => Came::Harmless,
    };
    Some((came, kind))
}

fn number_of(variable: &str, usually: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(usually)
}

#[test]
fn damaged_stores_are_refused_or_noted_and_harm_nobody() {
    let alone = Measuring::alone();
    let folder = tempfile::tempdir().unwrap();
    let all = sound(folder.path());
    let first = number_of("HEDDLE_DAMAGED_FIRST", 0);
    let last = first + number_of("HEDDLE_DAMAGED_STORES", USUALLY);
    let mut counts: BTreeMap<(&str, Came), u32> = BTreeMap::new();
    let (mut slowest, mut largest) = ((Duration::ZERO, String::new()), (0, String::new()));
    let mut failed = Vec::new();
    for number in first..last {
        let (told, said) = channel();
        let (done, ended) = channel();
        let (began, mut doing) = (Instant::now(), String::new());
        let (result, peak) = alone.peak_of(|| {
            std::thread::scope(|scope| {
                let (all, folder) = (&all, folder.path());
                let trying = scope.spawn(move || {
                    let came = try_one(number, all, folder, &|text| told.send(text).unwrap());
                    let _ = done.send(());
                    came
                });
                if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    doing = said.try_iter().last().unwrap_or_default();
                    eprintln!("hangs: {doing}");
                    std::process::abort();
                }
                trying.join()
            })
        });
        doing = said.try_iter().last().unwrap_or(doing);
        let _ = std::fs::remove_dir_all(folder.path().join(number.to_string()));
        match result {
            Ok(Some((came, kind))) => *counts.entry((kind, came)).or_default() += 1,
            Ok(None) => {}
            Err(_) => failed.push(format!("panics: {doing}")),
        }
        if peak > MEMORY {
            failed.push(format!("takes {} MiB: {doing}", peak >> 20));
        }
        slowest = slowest.max((began.elapsed(), doing.clone()));
        largest = largest.max((peak, doing));
    }
    println!("{} damaged stores", last - first);
    for ((kind, came), count) in &counts {
        println!("{kind}: {came:?} {count}");
    }
    println!("slowest {:?}: {}", slowest.0, slowest.1);
    println!("most memory {} MiB: {}", largest.0 >> 20, largest.1);
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), last - first, failed.join("\n"));
}
