//! Large traces: how much one machine can take, and how import, size, memory and first pictures grow with spans and with ranks.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use super::Pilot;
use super::cells::{mib, milliseconds, none, per_span, percent, rate, seconds, table, thousands};
use super::measure::{self, Heddle, Info, Rate, Stage, THREADS};
use super::report::Section;
use super::scenes::Times;
use super::server::{PANE, Server, TRACE, store_in};
use crate::process::Memory;

/// Ranks, about how many spans, and the memory budget, if not the default. First spans grow, then ranks; the last one only with
/// `--billion`.
const CASES: [(u64, u64, Option<&str>); 10] = [
    (16_384, 1_000_000, None),
    (16_384, 10_000_000, None),
    (16_384, 100_000_000, None),
    (16_384, 100_000_000, Some("512M")),
    (1, 10_000_000, None),
    (64, 10_000_000, None),
    (1_024, 10_000_000, None),
    (131_072, 10_000_000, None),
    (1_048_576, 15_000_000, None),
    (16_384, 1_000_000_000, None),
];
/// A trace of more spans is imported with all threads only.
const MOST_ALONE: u64 = 500_000_000;
/// Longer than anybody waits for logical time.
const LONGEST_ANALYSIS: Duration = Duration::from_secs(600);

/// A trace, and how its import went.
#[derive(Debug)]
pub(super) struct Large {
    ranks: u64,
    iterations: u64,
    /// `--memory`, if given.
    budget: Option<&'static str>,
    spans: u64,
    /// Seconds with one thread, and those of its stages.
    alone: Option<(f64, Vec<Stage>)>,
    import: Rate,
    /// Seconds of all threads on processors.
    cpu: f64,
    /// The share of the import's time in which one thread had work.
    serial: f64,
    stages: Vec<Stage>,
    source_bytes: u64,
    store_bytes: u64,
    memory: Memory,
    info: Info,
    pictures: Pictures,
}

/// Seconds to pictures of the whole run, each the first of its kind.
#[derive(Debug)]
struct Pictures {
    /// From the start of the program.
    timeline: f64,
    calls: f64,
    /// Nothing if logical time was not there in time.
    logical: Option<f64>,
}

/// Imports them one after the other.
pub(super) fn run(heddle: &Heddle, pilot: &Pilot, billion: bool, folder: &Path) -> Result<Vec<Large>> {
    let case = |(ranks, spans, budget)| measure(heddle, ranks, pilot.spans_of(ranks).iterations(spans), budget, folder);
    CASES.into_iter().take(CASES.len() - usize::from(!billion)).map(case).collect()
}

fn measure(heddle: &Heddle, ranks: u64, iterations: u64, budget: Option<&'static str>, folder: &Path) -> Result<Large> {
    eprintln!("{ranks} ranks, {iterations} iterations: simulating");
    let trace = heddle.simulate(ranks, iterations, folder, "x.otf2")?;
    let source_bytes = measure::folder_bytes(folder)?;
    eprintln!("importing");
    let store = store_in(folder);
    let imported = heddle.import(&trace, &store, budget)?;
    let mut large = Large {
        ranks,
        iterations,
        budget,
        spans: imported.spans,
        alone: None,
        import: Rate { events: imported.events, seconds: imported.run.wall.as_secs_f64() },
        cpu: imported.run.cpu,
        serial: imported.serial_share(),
        stages: imported.stages,
        source_bytes,
        store_bytes: measure::folder_bytes(&store)?,
        memory: imported.run.peak,
        info: heddle.info(&store)?,
        pictures: Pictures::of(heddle, folder)?,
    };
    if budget.is_none() && large.spans < MOST_ALONE {
        let alone = heddle.import_with(&trace, &store, None, "1")?;
        large.alone = Some((alone.run.wall.as_secs_f64(), alone.stages));
    }
    measure::clear(folder)?;
    Ok(large)
}

impl Pictures {
    fn of(heddle: &Heddle, folder: &Path) -> Result<Pictures> {
        let mut server = Server::of(heddle, folder)?;
        let picture = |server: &mut Server, view: &str| -> Result<f64> {
            let mut times = Times::default();
            times.time(|| server.client.get(&format!("{TRACE}/scene/{view}?{PANE}")))?;
            Ok(times.share(1.0))
        };
        let calls = picture(&mut server, "calls")?;
        let there = server.wait_a_while_for("logical?metric=lateness", LONGEST_ANALYSIS)?;
        let logical = there.ok().map(|_| picture(&mut server, "logical")).transpose()?;
        Ok(Pictures { timeline: server.first, calls, logical })
    }

    fn cells(&self) -> [String; 3] {
        let logical = self.logical.map_or_else(none, milliseconds);
        [milliseconds(self.timeline), milliseconds(self.calls), logical]
    }
}

/// What is said of them.
pub(super) fn section(all: &[Large]) -> Section {
    let rows = all.iter().map(|large| {
        let counts = [
            thousands(large.ranks),
            thousands(large.spans),
            thousands(large.import.events),
            large.budget.unwrap_or("default").to_owned(),
        ];
        let import = [
            large.alone.as_ref().map_or_else(none, |(wall, _)| seconds(*wall)),
            seconds(large.import.seconds),
            percent(large.serial),
            seconds(large.cpu),
            rate(&large.import),
        ];
        let sizes = [
            mib(large.memory.anonymous),
            mib(large.store_bytes),
            format!("{} / {}", per_span(large.source_bytes, large.spans), per_span(large.store_bytes, large.spans)),
        ];
        let times = [milliseconds(large.info.median)];
        [&counts[..], &import, &sizes, &times, &large.pictures.cells()].concat()
    });
    let head = [
        "ranks",
        "spans",
        "events",
        "`--memory`",
        "one thread",
        "import",
        "serial",
        "processors",
        "events/s",
        "peak anonymous",
        "store",
        "bytes per span",
        "info",
        "timeline",
        "calls",
        "logical",
    ];
    let tables = format!("{}\n{ABOUT_STAGES}\n\n{}", table(&head, rows), stage_table(all));
    let mut commands: Vec<String> =
        all.iter().map(|large| measure::halo(large.ranks, large.iterations, "x.otf2")).collect();
    commands.push(format!("heddle import x.otf2 -o x.heddle --threads {THREADS} --json"));
    Section::new(
        "Large traces",
        "Imported once with one thread and once with two. First spans grow, then ranks. By default `--memory` is a quarter of the\n\
         machine's. Logical time is part of the import where it fits into that, and of the store then. Serial: the share of the time of\n\
         two threads in which one had work. Processors, memory and bytes per span as above. Then `heddle open`: the first pictures of\n\
         the whole run, that of the timeline from the start of the program, those of calls and logical time from the question.",
        &tables,
        &commands,
    )
}

/// The stages before logical time, as `heddle import --json` calls them; all others belong to logical time.
const STAGES: [&str; 3] = ["opening the trace", "reading events", "matching and indexing"];

const ABOUT_STAGES: &str = "\
The same imports by stage: seconds with one thread, with two, and how many of those one thread was alone at work. Logical time: finding
communication and phases, and comparing events.";

/// Where the time of the imports goes.
fn stage_table(all: &[Large]) -> String {
    let rows = all.iter().map(|large| {
        let cell = |is_in: &dyn Fn(&str) -> bool| {
            let sum = |stages: &[Stage], of: fn(&Stage) -> f64| {
                seconds(stages.iter().filter(|stage| is_in(&stage.name)).map(of).fold(0.0, |sum, one| sum + one))
            };
            let alone = large.alone.as_ref().map_or_else(none, |(_, stages)| sum(stages, |stage| stage.wall));
            let both = &large.stages;
            [alone, sum(both, |stage| stage.wall), sum(both, |stage| stage.serial)].join(" / ")
        };
        let trace = [thousands(large.ranks), thousands(large.spans), large.budget.unwrap_or("default").to_owned()];
        let before = STAGES.map(|name| cell(&|other| other == name));
        [&trace[..], &before, &[cell(&|name| !STAGES.contains(&name))]].concat()
    });
    table(&["ranks", "spans", "`--memory`", "opening", "reading", "matching and indexing", "logical time"], rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_of_logical_time_are_added_up() {
        let stage = |name: &str, wall: f64, serial: f64| Stage { name: name.to_owned(), wall, cpu: wall, serial };
        let names = [STAGES[0], STAGES[1], STAGES[2], "finding phases", "comparing events"];
        let stages = (1..).zip(names).map(|(at, name)| stage(name, f64::from(at), f64::from(at) / 10.0)).collect();
        let large = Large {
            ranks: 64,
            iterations: 3,
            budget: None,
            spans: 1_000,
            alone: Some((20.0, vec![stage(names[1], 7.0, 7.0), stage(names[3], 2.0, 2.0), stage(names[4], 4.0, 4.0)])),
            import: Rate { events: 5_000, seconds: 15.0 },
            cpu: 20.0,
            serial: 0.1,
            stages,
            source_bytes: 1,
            store_bytes: 1,
            memory: Memory::default(),
            info: Info { best: 0.1, median: 0.1 },
            pictures: Pictures { timeline: 0.1, calls: 0.1, logical: None },
        };
        let last = stage_table(&[large]).lines().last().unwrap_or_default().to_owned();
        let cells: Vec<&str> = last.trim_matches('|').split(" | ").map(str::trim).collect();
        let cells = cells[4..].join(", ");
        assert_eq!(cells, "7.000 s / 2.000 s / 0.200 s, 0.000 s / 3.000 s / 0.300 s, 6.000 s / 9.000 s / 0.900 s");
    }
}
