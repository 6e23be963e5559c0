//! Simulating: how long `heddle simulate` takes from nothing to a finished store, how much memory, and how large the store is.

use std::path::Path;

use anyhow::{Context, Result};

use super::cells::{mib, per_span, rate, seconds, table, thousands};
use super::measure::{self, Heddle, Rate, THREADS};
use super::report::Section;
use crate::process::{self, Memory, Output, TIME_LIMIT};

/// A simulation, made once.
#[derive(Debug)]
pub(super) struct Simulated {
    pub(super) ranks: u64,
    pub(super) iterations: u64,
    /// Simulating and writing the store.
    pub(super) rate: Rate,
    /// Seconds of all threads on processors.
    pub(super) cpu: f64,
    pub(super) spans: u64,
    pub(super) store_bytes: u64,
    pub(super) memory: Memory,
}

/// Simulates the stencil code into a store, which is left there.
pub(super) fn run(heddle: &Heddle, ranks: u64, iterations: u64, store: &Path) -> Result<Simulated> {
    eprintln!("{ranks} ranks, {iterations} iterations: simulating into a store, once");
    let mut command = heddle.command(&["simulate", "halo", "--seed", "1", "--threads", THREADS, "--json"]);
    command.args(["--ranks", &ranks.to_string(), "--iterations", &iterations.to_string()]).arg("-o").arg(store);
    let run = process::run(&mut command, Output::Keep, TIME_LIMIT)?;
    let answer = measure::parse_json(&run.stdout).context("`heddle simulate --json`")?;
    let rate = Rate { events: measure::number(&answer, "events")?, seconds: run.wall.as_secs_f64() };
    let spans = heddle.spans(store)?;
    let store_bytes = measure::folder_bytes(store)?;
    Ok(Simulated { ranks, iterations, rate, cpu: run.cpu, spans, store_bytes, memory: run.peak })
}

/// What is said of them.
pub(super) fn section(all: &[Simulated]) -> Section {
    let rows = all.iter().map(|simulated| {
        vec![
            thousands(simulated.ranks),
            thousands(simulated.spans),
            thousands(simulated.rate.events),
            seconds(simulated.rate.seconds),
            seconds(simulated.cpu),
            rate(&simulated.rate),
            mib(simulated.memory.anonymous),
            mib(simulated.store_bytes),
            per_span(simulated.store_bytes, simulated.spans),
        ]
    });
    let head =
        ["ranks", "spans", "events", "time", "processors", "events/s", "peak anonymous", "store", "bytes per span"];
    let commands: Vec<String> = all.iter().map(|one| measure::halo(one.ranks, one.iterations, "x.heddle")).collect();
    Section::new(
        "Simulation",
        &format!(
            "`heddle simulate halo` with {THREADS} threads, once: the simulation itself, and the store written with all its\n\
             indexes, without logical time. Processors and memory as above."
        ),
        &table(&head, rows),
        &commands,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_per_span_are_of_the_store() {
        let simulated = Simulated {
            ranks: 16_384,
            iterations: 80,
            rate: Rate { events: 50_000_000, seconds: 20.0 },
            cpu: 38.0,
            spans: 1 << 27,
            store_bytes: 1 << 30,
            memory: Memory { anonymous: 3 << 20, resident: 5 << 20 },
        };
        let text = format!("{:?}", section(&[simulated]));
        let row = "| 16,384 | 134,217,728 | 50,000,000 | 20.000 s | 38.000 s | 2.50 M | 3.0 MiB | 1024.0 MiB | 8.0 |";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("heddle simulate halo --seed 1 --ranks 16384 --iterations 80 -o x.heddle"), "{text}");
    }
}
