//! Large traces, each imported once: how much one machine can take, and how that grows with spans and with ranks.

use std::path::Path;

use anyhow::Result;

use super::Pilot;
use super::cells::{mib, milliseconds, per_span, rate, seconds, table, thousands};
use super::measure::{self, Heddle, Info, Rate, THREADS};
use super::report::Section;
use crate::process::Memory;

/// Ranks, about how many spans, and the memory budget, if not the default. First spans grow, then ranks.
const CASES: [(u64, u64, Option<&str>); 9] = [
    (16_384, 1_000_000, None),
    (16_384, 10_000_000, None),
    (16_384, 100_000_000, None),
    (16_384, 100_000_000, Some("512M")),
    (1, 10_000_000, None),
    (64, 10_000_000, None),
    (1_024, 10_000_000, None),
    (131_072, 10_000_000, None),
    (1_048_576, 15_000_000, None),
];

/// A trace, and how its import went.
#[derive(Debug)]
pub(super) struct Large {
    ranks: u64,
    iterations: u64,
    /// `--memory`, if given.
    budget: Option<&'static str>,
    spans: u64,
    import: Rate,
    /// Seconds of all threads on processors.
    cpu: f64,
    source_bytes: u64,
    store_bytes: u64,
    memory: Memory,
    info: Info,
}

/// Imports them one after the other.
pub(super) fn run(heddle: &Heddle, pilot: &Pilot, folder: &Path) -> Result<Vec<Large>> {
    let case = |(ranks, spans, budget)| measure(heddle, ranks, pilot.spans_of(ranks).iterations(spans), budget, folder);
    CASES.into_iter().map(case).collect()
}

fn measure(heddle: &Heddle, ranks: u64, iterations: u64, budget: Option<&'static str>, folder: &Path) -> Result<Large> {
    eprintln!("{ranks} ranks, {iterations} iterations: simulating");
    let trace = heddle.simulate(ranks, iterations, folder, "x.otf2")?;
    let source_bytes = measure::folder_bytes(folder)?;
    eprintln!("importing, once");
    let store = folder.join("x.heddle");
    let imported = heddle.import(&trace, &store, budget)?;
    let large = Large {
        ranks,
        iterations,
        budget,
        spans: imported.spans,
        import: Rate { events: imported.events, seconds: imported.run.wall.as_secs_f64() },
        cpu: imported.run.cpu,
        source_bytes,
        store_bytes: measure::folder_bytes(&store)?,
        memory: imported.run.peak,
        info: heddle.info(&store)?,
    };
    measure::clear(folder)?;
    Ok(large)
}

/// What is said of them.
pub(super) fn section(all: &[Large]) -> Section {
    let rows = all.iter().map(|large| {
        vec![
            thousands(large.ranks),
            thousands(large.spans),
            thousands(large.import.events),
            large.budget.unwrap_or("default").to_owned(),
            seconds(large.import.seconds),
            seconds(large.cpu),
            rate(&large.import),
            mib(large.memory.anonymous),
            mib(large.store_bytes),
            format!("{} / {}", per_span(large.source_bytes, large.spans), per_span(large.store_bytes, large.spans)),
            milliseconds(large.info.median),
        ]
    });
    let head = [
        "ranks",
        "spans",
        "events",
        "`--memory`",
        "import",
        "processors",
        "events/s",
        "peak anonymous",
        "store",
        "bytes per span",
        "info",
    ];
    let mut commands: Vec<String> =
        all.iter().map(|large| measure::halo(large.ranks, large.iterations, "x.otf2")).collect();
    commands.push(format!("heddle import x.otf2 -o x.heddle --threads {THREADS} --json"));
    Section::new(
        "Large traces",
        "Imported once. First spans grow, then ranks. By default `--memory` is a quarter of the machine's. Logical time is\n\
         part of the import where it fits into that, and of the store then. Processors, memory and bytes per span as above.",
        &table(&head, rows),
        &commands,
    )
}
