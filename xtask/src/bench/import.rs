//! The import of OTF2 traces in growing sizes, beside the peers that are installed.

use std::path::Path;

use anyhow::{Context, Result, bail};

use super::cells::{mib, milliseconds, none, per_span, percent, rate, ratio, seconds, table, thousands};
use super::measure::{self, Heddle, Info, Rate, Stage, THREADS};
use super::peers::{Peer, Peers, missing};
use super::report::Section;
use crate::process::Memory;

/// Everything measured at one size.
#[derive(Debug)]
pub(super) struct Size {
    pub(super) ranks: u64,
    pub(super) iterations: u64,
    pub(super) spans: u64,
    /// Bytes of the OTF2 archive.
    pub(super) source_bytes: u64,
    /// Bytes of the store.
    pub(super) store_bytes: u64,
    /// `heddle import`: best round.
    pub(super) import: Rate,
    /// Seconds of all its threads on processors: best round.
    pub(super) cpu: f64,
    /// Stages of an import with one thread and with two: the last round.
    pub(super) stages: [Vec<Stage>; 2],
    /// Most memory in any round of the import.
    pub(super) memory: Memory,
    /// `heddle bench-decode`: best round.
    pub(super) decode: Rate,
    /// `otf2-print`: seconds of the best round.
    pub(super) print: Peer<f64>,
    /// The C library's bare loop: best round.
    pub(super) bare_loop: Peer<Rate>,
    /// `heddle info`.
    pub(super) info: Info,
}

/// One size to be measured.
pub(super) struct Case {
    pub(super) ranks: u64,
    pub(super) iterations: u64,
    pub(super) rounds: usize,
}

impl Case {
    /// Simulates the trace, then gives every program its turn in every round.
    pub(super) fn run(&self, heddle: &Heddle, peers: &Peers, folder: &Path) -> Result<Size> {
        eprintln!("{} ranks, {} iterations: simulating", self.ranks, self.iterations);
        let trace = heddle.simulate(self.ranks, self.iterations, folder, "x.otf2")?;
        let store = folder.join("x.heddle");
        let source_bytes = measure::warm(folder)?;
        let mut size: Option<Size> = None;
        for round in 1..=self.rounds {
            eprintln!("round {round} of {}", self.rounds);
            let alone = heddle.import_with(&trace, &store, None, "1")?;
            let imported = heddle.import(&trace, &store, None)?;
            let print = peers.print(&trace);
            let bare_loop = peers.bare_loop(&trace);
            for why in print.as_ref().err().into_iter().chain(bare_loop.as_ref().err()) {
                eprintln!("note: {why}");
            }
            let decode = heddle.decode(&trace)?;
            let import = Rate { events: imported.events, seconds: imported.run.wall.as_secs_f64() };
            if let Ok(theirs) = &bare_loop
                && theirs.events != import.events
            {
                bail!("the import counts {} events, the OTF2 library {}: one is wrong", import.events, theirs.events);
            }
            if decode.events != import.events {
                bail!("the import counts {} events, decoding alone {}: one is wrong", import.events, decode.events);
            }
            if let Some(size) = &mut size {
                size.import = faster(size.import, import);
                size.cpu = size.cpu.min(imported.run.cpu);
                size.stages = [alone.stages, imported.stages];
                size.decode = faster(size.decode, decode);
                size.memory = size.memory.max(imported.run.peak);
                size.print.add(print, |new, best| new < best);
                size.bare_loop.add(bare_loop, |new, best| new.seconds < best.seconds);
            } else {
                size = Some(Size {
                    ranks: self.ranks,
                    iterations: self.iterations,
                    spans: imported.spans,
                    source_bytes,
                    store_bytes: measure::folder_bytes(&store)?,
                    import,
                    cpu: imported.run.cpu,
                    stages: [alone.stages, imported.stages],
                    memory: imported.run.peak,
                    decode,
                    print: print.map_or_else(Peer::Absent, Peer::Best),
                    bare_loop: bare_loop.map_or_else(Peer::Absent, Peer::Best),
                    info: Info { best: 0.0, median: 0.0 },
                });
            }
        }
        let mut size = size.context("no rounds")?;
        size.info = heddle.info(&store)?;
        measure::clear(folder)?;
        Ok(size)
    }
}

/// What is said of all sizes.
pub(super) fn sections(sizes: &[Size]) -> Vec<Section> {
    let traces: Vec<String> = sizes.iter().map(|size| measure::halo(size.ranks, size.iterations, "x.otf2")).collect();
    let with = |words: &[&str]| -> Vec<String> {
        traces.iter().cloned().chain(words.iter().map(|word| (*word).to_owned())).collect()
    };
    let import = format!("heddle import x.otf2 -o x.heddle --threads {THREADS} --json");
    let mut sections = vec![
        Section::new(
            "Import",
            &about_import(sizes),
            &import_table(sizes),
            &with(&[&import, "otf2-print x.otf2 > /dev/null"]),
        ),
        Section::new(
            "Decoding alone, one core",
            "`heddle bench-decode` turns bytes into records; the peer is the OTF2 C library with an empty\n\
             callback for every event (`xtask/src/bench/otf2_loop.c`). Both time the events only, without process start\n\
             and definitions. The ratio is how many times faster ours is.",
            &decode_table(sizes),
            &with(&["heddle bench-decode x.otf2", "otf2_loop x.otf2"]),
        ),
        Section::new(
            "Growth with size",
            "Time against linear: the import's time per event over that of the smallest size; 1 is linear, less is\n\
             better. Peak memory is the most seen in any round: anonymous memory (RssAnon, sampled every 5 ms), which\n\
             `--memory` bounds, and all resident pages (VmHWM), those of mapped files included. Bytes per span: of the trace, and of the\n\
             store with all its indexes and logical time.",
            &growth_table(sizes),
            &with(&[&import]),
        ),
    ];
    if let Some(largest) = sizes.last() {
        let trace = traces.last().cloned().into_iter();
        let imports =
            ["1", THREADS].map(|threads| format!("heddle import x.otf2 -o x.heddle --threads {threads} --json"));
        sections.push(Section::new(
            "Threads and stages",
            "The largest of these traces with one thread and with two: seconds on the clock, and of all threads on processors. Serial is the share of\n\
             the whole import's time in which, in that stage, no more than one of two threads had work, found by looking every few milliseconds.",
            &stage_table(&largest.stages),
            &trace.chain(imports).collect::<Vec<_>>(),
        ));
    }
    let rows = sizes
        .iter()
        .map(|size| vec![thousands(size.spans), milliseconds(size.info.best), milliseconds(size.info.median)]);
    sections.push(Section::new(
        "`heddle info` on a store",
        "Whole process, 20 runs.",
        &table(&["spans", "best", "median"], rows),
        &["heddle info x.heddle --json".to_owned()],
    ));
    sections
}

fn about_import(sizes: &[Size]) -> String {
    format!(
        "`heddle import` does everything (decoding, matching, store, indexes, logical time) with {THREADS} threads;\n\
         `otf2-print` writes the events as text to the null device. The ratio is how many times faster\n\
         the import is. Processors: seconds of both threads on processors, which other work on the machine hardly changes.{}",
        missing(sizes.iter().flat_map(|size| [size.print.why(), size.bare_loop.why()]).flatten()),
    )
}

fn import_table(sizes: &[Size]) -> String {
    let rows = sizes.iter().map(|size| {
        let print = size.print.best();
        vec![
            thousands(size.import.events),
            thousands(size.spans),
            mib(size.source_bytes),
            seconds(size.import.seconds),
            seconds(size.cpu),
            rate(&size.import),
            print.map_or_else(|| size.print.absent(), |print| seconds(*print)),
            print.map_or_else(none, |print| ratio(print / size.import.seconds)),
        ]
    });
    table(&["events", "spans", "OTF2 files", "import", "processors", "events/s", "otf2-print", "ratio"], rows)
}

fn decode_table(sizes: &[Size]) -> String {
    let rows = sizes.iter().map(|size| {
        let theirs = size.bare_loop.best();
        vec![
            thousands(size.decode.events),
            seconds(size.decode.seconds),
            rate(&size.decode),
            theirs.map_or_else(|| size.bare_loop.absent(), |theirs| seconds(theirs.seconds)),
            theirs.map_or_else(none, rate),
            theirs.map_or_else(none, |theirs| ratio(theirs.seconds / size.decode.seconds)),
        ]
    });
    table(&["events", "Heddle", "events/s", "C library", "events/s", "ratio"], rows)
}

fn growth_table(sizes: &[Size]) -> String {
    let rows = sizes.iter().map(|size| {
        let first = sizes.first().unwrap_or(size);
        vec![
            thousands(size.import.events),
            rate(&size.import),
            format!("{:.2}", size.time_against_linear(first)),
            mib(size.memory.anonymous),
            mib(size.memory.resident),
            mib(size.store_bytes),
            format!("{} / {}", per_span(size.source_bytes, size.spans), per_span(size.store_bytes, size.spans)),
        ]
    });
    let head =
        ["events", "events/s", "time against linear", "peak anonymous", "peak resident", "store", "bytes per span"];
    table(&head, rows)
}

fn stage_table([alone, both]: &[Vec<Stage>; 2]) -> String {
    let (all_alone, all) = (together(alone), together(both));
    let row = |stage: &Stage, alone: Option<&Stage>| {
        let one = alone.map_or_else(|| [none(), none()], |alone| [seconds(alone.wall), seconds(alone.cpu)]);
        let two = [seconds(stage.wall), seconds(stage.cpu), percent(stage.serial / all.wall.max(1e-9))];
        [&[stage.name.clone()][..], &one, &two].concat()
    };
    let rows = both.iter().map(|stage| row(stage, alone.iter().find(|other| other.name == stage.name)));
    let head = ["stage", "one thread", "processors", "two threads", "processors", "serial"];
    table(&head, rows.chain([row(&all, Some(&all_alone))]))
}

/// All stages as one.
fn together(stages: &[Stage]) -> Stage {
    let sum = |of: fn(&Stage) -> f64| stages.iter().map(of).sum();
    Stage {
        name: "all".to_owned(),
        wall: sum(|stage| stage.wall),
        cpu: sum(|stage| stage.cpu),
        serial: sum(|stage| stage.serial),
    }
}

impl Size {
    /// Time per event over that at `first`: 1 where the import is linear in events.
    fn time_against_linear(&self, first: &Size) -> f64 {
        first.import.per_second() / self.import.per_second()
    }
}

fn faster(a: Rate, b: Rate) -> Rate {
    if b.seconds < a.seconds { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(events: u64, seconds: f64, print: Peer<f64>) -> Size {
        let stages = |cpu: f64, wall: f64| {
            ["reading", "matching"].map(|name| Stage { name: name.to_owned(), wall, cpu, serial: wall / 5.0 }).to_vec()
        };
        Size {
            ranks: 64,
            iterations: events / 100,
            spans: events / 2,
            source_bytes: events * 10,
            store_bytes: events * 20,
            import: Rate { events, seconds },
            cpu: 1.5 * seconds,
            stages: [stages(1.5, 1.5), stages(1.6, 1.0)],
            memory: Memory { anonymous: 3 << 20, resident: 5 << 20 },
            decode: Rate { events, seconds: seconds / 4.0 },
            print,
            bare_loop: Peer::Best(Rate { events, seconds: seconds / 2.0 }),
            info: Info { best: 0.002, median: 0.003 },
        }
    }

    fn text(print: &Peer<f64>) -> String {
        let sizes = [size(1_000_000, 1.0, print.clone()), size(10_000_000, 15.0, print.clone())];
        format!("{:?}", sections(&sizes))
    }

    #[test]
    fn ratios_growth_and_serial_shares_are_right() {
        let text = text(&Peer::Best(30.0));
        for part in [
            "| 1,000,000 | 500,000 | 9.5 MiB | 1.000 s | 1.500 s | 1.00 M | 30.000 s | 30.00 |",
            "| 10,000,000 | 5,000,000 | 95.4 MiB | 15.000 s | 22.500 s | 0.67 M | 30.000 s | 2.00 |",
            "| 10,000,000 | 3.750 s | 2.67 M | 7.500 s | 1.33 M | 2.00 |",
            "| 10,000,000 | 0.67 M | 1.50 | 3.0 MiB | 5.0 MiB | 190.7 MiB | 20.0 / 40.0 |",
            "| 500,000 | 2.0 ms | 3.0 ms |",
            // Of two seconds, 0.2 of each stage had one thread at work.
            "| matching | 1.500 s | 1.500 s | 1.000 s | 1.600 s | 10.0 % |",
            "| all | 3.000 s | 3.000 s | 2.000 s | 3.200 s | 20.0 % |",
        ] {
            assert!(text.contains(part), "{part}\nis not in\n{text}");
        }
    }

    #[test]
    fn a_missing_peer_is_said() {
        let text = text(&Peer::Absent("otf2-print is not installed (Debian: otf2-tools)".to_owned()));
        assert!(text.contains("| 1.00 M | not installed | - |"), "{text}");
        assert_eq!(text.matches("Missing numbers: otf2-print is not installed").count(), 1, "{text}");
    }
}
