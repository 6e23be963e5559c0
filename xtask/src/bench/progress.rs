//! Progression: how long it takes from a finished store of tasks to a picture of how far nodes have come, and how soon the
//! picture follows when the bandwidth changes.
//!
//! Tasks are drawn at random instead of scheduled: only their number matters here.

use std::path::Path;

use anyhow::Result;

use super::cells::{mib, rate, seconds, spread, table, thousands};
use super::measure::{self, Heddle, Rate, THREADS};
use super::report::Section;
use super::scenes::Times;
use super::server::{PANE, Server, TRACE, store_in};
use crate::process::{self, Memory, Output, TIME_LIMIT};

/// Nodes and tasks; the last one only with `--large`.
const SIZES: [(u64, u64); 3] = [(1_000, 1_000_000), (10_000, 10_000_000), (10_000, 100_000_000)];
/// Time steps.
const STEPS: &str = "100";
/// Bandwidths that the slider goes through.
const BANDWIDTHS: [&str; 8] = ["0.1", "0.05", "0.03", "0.02", "0.01", "0.007", "0.005", "0.003"];

/// What was measured on one store.
pub(crate) struct Progressed {
    /// How the store was made.
    pub(crate) simulated: String,
    pub(crate) nodes: u64,
    /// Tasks, and the seconds from the store to the finished picture.
    pub(crate) rate: Rate,
    pub(crate) memory: Memory,
    /// Pictures at other bandwidths.
    pub(crate) slider: Times,
}

/// Random tasks, in growing numbers.
pub(crate) fn run(heddle: &Heddle, sizes: usize, folder: &Path) -> Result<Vec<Progressed>> {
    SIZES[..sizes].iter().map(|(nodes, tasks)| measure(heddle, *nodes, *tasks, folder)).collect()
}

fn measure(heddle: &Heddle, nodes: u64, tasks: u64, folder: &Path) -> Result<Progressed> {
    let program = format!("tasks-random --nodes {nodes} --tasks {tasks}");
    let simulated = format!("heddle simulate {program} --seed 1 -o x.heddle");
    eprintln!("progression: {simulated}");
    let store = store_in(folder);
    let mut command = heddle.command(&["simulate"]);
    command.args(program.split(' ')).args(["--seed", "1"]).arg("-o").arg(&store);
    process::run(&mut command, Output::Discard, TIME_LIMIT)?;

    let mut command = heddle.command(&["render", "progress", "--time-steps", STEPS]);
    command.arg(&store).arg("-o").arg(folder.join("progress.svg")).env("RAYON_NUM_THREADS", THREADS);
    let run = process::run(&mut command, Output::Discard, TIME_LIMIT)?;
    let rate = Rate { events: tasks, seconds: run.wall.as_secs_f64() };
    let mut result = Progressed { simulated, nodes, rate, memory: run.peak, slider: Times::default() };

    let asked = Server::of(heddle, folder).and_then(|mut server| slide(&mut server, &mut result.slider));
    measure::clear(folder)?;
    asked.map(|()| result)
}

/// Asks for pictures at one bandwidth after another.
fn slide(server: &mut Server, times: &mut Times) -> Result<()> {
    server.wait_for(&format!("progress?time-steps={STEPS}"))?;
    for bandwidth in BANDWIDTHS {
        let picture = format!("{PANE}&time-steps={STEPS}&bandwidth={bandwidth}");
        times.time(|| server.client.get(&format!("{TRACE}/scene/progress?{picture}")))?;
    }
    Ok(())
}

/// What is said of them.
pub(crate) fn section(all: &[Progressed]) -> Section {
    let rows = all.iter().map(|one| {
        vec![
            thousands(one.nodes),
            thousands(one.rate.events),
            seconds(one.rate.seconds),
            rate(&one.rate),
            mib(one.memory.anonymous),
            spread(&one.slider),
        ]
    });
    let about = format!(
        "From a finished store of random tasks to a picture of how far nodes are at 101 instants: progression, groups and\n\
         bounds, with {THREADS} threads; once. Memory as above. Then the same picture at other bandwidths, over HTTP:\n\
         median / 95 % / most."
    );
    let head = ["nodes", "tasks", "time", "tasks/s", "peak anonymous", "other bandwidths"];
    let commands: Vec<String> = all.iter().map(|one| one.simulated.clone()).collect();
    Section::new("Progression", &about, &table(&head, rows), &commands)
}
