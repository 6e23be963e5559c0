//! Logical time: how long it takes to find phases, steps and lateness in a finished store, and to draw them.
//!
//! `heddle info` with an option of logical time computes it, from the store's tables to its own. The stencil code grows with
//! its iterations, the merge tree with its rounds.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::cells::{mib, rate, seconds, spread, table, thousands};
use super::measure::{self, Heddle, Rate, THREADS};
use super::report::Section;
use super::scenes::{Chance, Times};
use super::server::{PANE, Server, TRACE, store_in};
use super::{Line, scenes};
use crate::process::{self, Memory, Output, TIME_LIMIT};

/// Communication events of a run; the last one only with `--large`.
pub(crate) const EVENTS: [u64; 3] = [1_000_000, 10_000_000, 100_000_000];
/// Ranks of one more run with `--large`, which makes few calls on each: what a rank costs then counts, not what an event does.
const MOST_RANKS: u64 = 1 << 20;
/// Windows for each zoom.
const WINDOWS: u32 = 6;
/// Each zoom in steps shows a quarter of the one before.
const STEP_ZOOMS: u32 = 8;
/// All rows, and these parts of them.
const ROW_ZOOMS: [u64; 4] = [1, 8, 64, 512];

/// What was measured on one store.
pub(crate) struct LogicalTime {
    /// How the store was made.
    pub(crate) simulated: String,
    pub(crate) phases: u64,
    pub(crate) steps: u64,
    /// Communication events, and the seconds from the store to the finished result.
    pub(crate) rate: Rate,
    pub(crate) memory: Memory,
    pub(crate) logical: Times,
    pub(crate) metric: Times,
    /// Seconds to cluster all ranks by the whole run, and pictures of that.
    pub(crate) clustering: f64,
    pub(crate) clusters: Times,
}

/// The programs, and what makes each of them longer.
const PROGRAMS: [(&str, &str); 2] = [("halo", "--iterations"), ("merge-tree", "--rounds")];

/// The stencil code and the merge tree, in growing sizes.
pub(crate) fn run(heddle: &Heddle, sizes: usize, folder: &Path) -> Result<Vec<LogicalTime>> {
    let mut found = Vec::new();
    for (program, length) in PROGRAMS {
        let line = pilot(heddle, program, length, folder)?;
        for events in &EVENTS[..sizes] {
            let rounds = line.iterations(*events).to_string();
            found.push(measure(heddle, program, scenes::RANKS, [length, &rounds], folder)?);
        }
    }
    if sizes == EVENTS.len() {
        found.push(measure(heddle, "halo", MOST_RANKS, ["--iterations", "3"], folder)?);
    }
    Ok(found)
}

/// How many communication events a round has.
fn pilot(heddle: &Heddle, program: &str, length: &str, folder: &Path) -> Result<Line> {
    let count = |rounds: u64| -> Result<u64> {
        let store = simulate(heddle, &words(program, scenes::RANKS, [length, &rounds.to_string()]), folder)?;
        let (found, _) = compute(heddle, &store)?;
        measure::clear(folder)?;
        Ok(found.events)
    };
    Ok(Line::through((1, count(1)?), (3, count(3)?)))
}

/// A program with its options.
fn words(program: &str, ranks: u64, length: [&str; 2]) -> Vec<String> {
    [program, "--ranks", &ranks.to_string(), length[0], length[1]].map(str::to_owned).to_vec()
}

fn simulate(heddle: &Heddle, program: &[String], folder: &Path) -> Result<PathBuf> {
    let store = store_in(folder);
    let mut command = heddle.command(&["simulate"]);
    command.args(program).args(["--seed", "1"]).arg("-o").arg(&store);
    process::run(&mut command, Output::Discard, TIME_LIMIT)?;
    Ok(store)
}

/// What `heddle info` says of logical time.
struct Computed {
    events: u64,
    phases: u64,
    steps: u64,
}

/// Computes logical time of a store.
fn compute(heddle: &Heddle, store: &Path) -> Result<(Computed, process::Run)> {
    let mut command = heddle.command(&["info", "--json", "--stepping", "sends-first"]);
    command.arg(store).env("RAYON_NUM_THREADS", THREADS);
    let run = process::run(&mut command, Output::Keep, TIME_LIMIT)?;
    let answer = measure::parse_json(&run.stdout).context("`heddle info --json`")?;
    let number = |key| measure::number(&answer["logical"], key);
    Ok((Computed { events: number("events")?, phases: number("phases")?, steps: number("steps")? }, run))
}

fn measure(heddle: &Heddle, program: &str, ranks: u64, length: [&str; 2], folder: &Path) -> Result<LogicalTime> {
    let program = words(program, ranks, length);
    let simulated = format!("heddle simulate {} --seed 1 -o x.heddle", program.join(" "));
    eprintln!("logical time: {simulated}");
    let store = simulate(heddle, &program, folder)?;
    let (found, run) = compute(heddle, &store)?;
    let mut result = LogicalTime {
        simulated,
        phases: found.phases,
        steps: found.steps,
        rate: Rate { events: found.events, seconds: run.wall.as_secs_f64() },
        memory: run.peak,
        logical: Times::default(),
        metric: Times::default(),
        clustering: 0.0,
        clusters: Times::default(),
    };
    let asked = Server::of(heddle, folder).and_then(|mut server| ask(&mut server, ranks, &mut result));
    measure::clear(folder)?;
    asked.map(|()| result)
}

/// Asks for pictures at every zoom.
fn ask(server: &mut Server, ranks: u64, result: &mut LogicalTime) -> Result<()> {
    server.wait_for("logical?metric=lateness")?;
    result.clustering = server.wait_for("clusters?metric=lateness&scope=run")?;
    let mut chance = Chance::new();
    for row_zoom in ROW_ZOOMS {
        for step_zoom in 0..STEP_ZOOMS {
            for _ in 0..WINDOWS {
                let width = (result.steps >> (2 * step_zoom)).max(4).min(result.steps);
                let from = chance.below(result.steps - width + 1);
                let rows = (ranks / row_zoom).max(1);
                let row = chance.below(ranks - rows + 1);
                let window =
                    format!("{PANE}&main=1&metric=lateness&steps={from}:{}&rows={row}:{}", from + width, row + rows);
                let views = [
                    ("logical", &mut result.logical, ""),
                    ("metric", &mut result.metric, ""),
                    ("clusters", &mut result.clusters, "&scope=run"),
                ];
                // The rows do not matter to the sum over all ranks, nor to clusters of them.
                for (view, times, more) in views.into_iter().take(if row_zoom == 1 { 3 } else { 1 }) {
                    times.time(|| server.client.get(&format!("{TRACE}/scene/{view}?{window}{more}")))?;
                }
            }
        }
    }
    Ok(())
}

/// What is said of them.
pub(crate) fn section(all: &[LogicalTime]) -> Section {
    let program = |one: &LogicalTime| one.simulated.split(' ').nth(2).unwrap_or_default().to_owned();
    let rows = all.iter().map(|one| {
        let first = all.iter().find(|other| program(other) == program(one)).unwrap_or(one);
        vec![
            program(one),
            thousands(one.rate.events),
            thousands(one.phases),
            thousands(one.steps),
            seconds(one.rate.seconds),
            rate(&one.rate),
            format!("{:.2}", first.rate.per_second() / one.rate.per_second()),
            mib(one.memory.anonymous),
            spread(&one.logical),
            spread(&one.metric),
            seconds(one.clustering),
            spread(&one.clusters),
        ]
    });
    let about = format!(
        "From a finished store, of 16,384 ranks but for the last line, to phases, steps and lateness of its communication events, kept beside it,\n\
         with {THREADS} threads; once. Time against linear and memory as above. Then pictures of the logical timeline and of the\n\
         metric over steps at every zoom, over HTTP: median / 95 % / most. Then all ranks are clustered by the whole run, and drawn."
    );
    let head = [
        "program",
        "events",
        "phases",
        "steps",
        "time",
        "events/s",
        "time against linear",
        "peak anonymous",
        "logical timeline",
        "metric",
        "clustering",
        "clusters",
    ];
    let mut commands: Vec<String> = all.iter().map(|one| one.simulated.clone()).collect();
    commands.push("heddle info x.heddle --json --stepping sends-first".to_owned());
    Section::new("Logical time", &about, &table(&head, rows), &commands)
}
