//! Simulating: how long `heddle simulate` takes from nothing to a finished store, and how much memory.

use std::path::Path;

use anyhow::{Context, Result};

use super::measure::{self, Heddle, Rate, THREADS};
use crate::process::{self, Memory, Output, TIME_LIMIT};

/// A simulation, made once.
#[derive(Debug)]
pub(crate) struct Simulated {
    pub(crate) ranks: u64,
    pub(crate) iterations: u64,
    /// Simulating and writing the store.
    pub(crate) rate: Rate,
    pub(crate) store_bytes: u64,
    pub(crate) memory: Memory,
}

/// Simulates the stencil code into a store.
pub(crate) fn run(heddle: &Heddle, ranks: u64, iterations: u64, folder: &Path) -> Result<Simulated> {
    eprintln!("{ranks} ranks, {iterations} iterations: simulating into a store, once");
    let store = folder.join("x.heddle");
    let mut command = heddle.command(&["simulate", "halo", "--seed", "1", "--threads", THREADS, "--json"]);
    command.args(["--ranks", &ranks.to_string(), "--iterations", &iterations.to_string()]).arg("-o").arg(&store);
    let run = process::run(&mut command, Output::Keep, TIME_LIMIT)?;
    let answer = measure::parse_json(&run.stdout).context("`heddle simulate --json`")?;
    let events = measure::number(&answer, "events")?;
    let rate = Rate { events, seconds: run.wall.as_secs_f64() };
    let store_bytes = measure::folder_bytes(&store)?;
    measure::clear(folder)?;
    Ok(Simulated { ranks, iterations, rate, store_bytes, memory: run.peak })
}
