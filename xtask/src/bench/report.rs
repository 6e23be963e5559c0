//! The report: Markdown tables of what was measured, with ratios, and how to repeat it.

use super::cells::{mib, milliseconds, rate, ratio, seconds, section, thousands};
use super::logical::LogicalTime;
use super::machine;
use super::measure::{Large, Size, THREADS};
use super::peers::{Peer, Peers};
use super::progress::Progressed;
use super::readers::Reader;
use super::scenes::{self, Scenes};
use super::simulations::Simulated;

/// Everything that the report shows.
pub(crate) struct Report {
    machine: String,
    otf2: Option<String>,
    rounds: usize,
    pub(crate) sizes: Vec<Size>,
    pub(crate) readers: Vec<Reader>,
    pub(crate) large: Vec<Large>,
    pub(crate) scenes: Vec<Scenes>,
    pub(crate) simulations: Vec<Simulated>,
    pub(crate) logical: Vec<LogicalTime>,
    pub(crate) progress: Vec<Progressed>,
}

impl Report {
    /// An empty report on this machine.
    pub(crate) fn new(rounds: usize, peers: &Peers) -> Report {
        let (machine, otf2) = (machine::describe(), peers.version.clone());
        let (sizes, readers, large, scenes, simulations) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Report {
            machine,
            otf2,
            rounds,
            sizes,
            readers,
            large,
            scenes,
            simulations,
            logical: Vec::new(),
            progress: Vec::new(),
        }
    }

    /// The whole text.
    pub(crate) fn to_markdown(&self) -> String {
        let mut text = format!(
            "# Benchmarks\n\n\
             Written by `cargo xtask bench --write`, which builds Heddle for release, simulates its input and runs\n\
             Heddle and its peers on it in turn, with a warm file cache. {}\n\n\
             - Machine: {}\n\
             - OTF2 library: {}\n\n",
            if self.rounds == 1 { "Each ran once.".to_owned() } else { format!("Best of {} rounds.", self.rounds) },
            self.machine,
            self.otf2.as_deref().unwrap_or("not installed"),
        );
        text += &self.import();
        text += &self.decode();
        text += &self.growth();
        text += &self.info();
        text += &self.readers();
        if !self.scenes.is_empty() {
            text += &self.scenes();
        }
        if !self.simulations.is_empty() {
            text += &self.simulations();
        }
        if !self.logical.is_empty() {
            text += &self.logical();
        }
        if !self.progress.is_empty() {
            text += &self.progress();
        }
        if !self.large.is_empty() {
            text += &self.stores();
        }
        text += &self.notes();
        text += &self.commands();
        text
    }

    fn import(&self) -> String {
        let rows = self.sizes.iter().map(|size| {
            let print = size.print.best();
            vec![
                thousands(size.import.events),
                thousands(size.spans),
                mib(size.source_bytes),
                seconds(size.import.seconds),
                rate(&size.import),
                print.map_or_else(|| absent(&size.print), |print| seconds(*print)),
                print.map_or_else(none, |print| ratio(print / size.import.seconds)),
            ]
        });
        section(
            "Import",
            &format!(
                "`heddle import` does everything (decoding, matching, store, indexes) with {THREADS} threads;\n\
                 `otf2-print` writes the events as text to the null device. The ratio is how many times faster\n\
                 the import is."
            ),
            &["events", "spans", "OTF2 files", "import", "events/s", "otf2-print", "ratio"],
            rows,
        )
    }

    fn decode(&self) -> String {
        let rows = self.sizes.iter().map(|size| {
            let theirs = size.bare_loop.best();
            vec![
                thousands(size.decode.events),
                seconds(size.decode.seconds),
                rate(&size.decode),
                theirs.map_or_else(|| absent(&size.bare_loop), |theirs| seconds(theirs.seconds)),
                theirs.map_or_else(none, rate),
                theirs.map_or_else(none, |theirs| ratio(theirs.seconds / size.decode.seconds)),
            ]
        });
        section(
            "Decoding alone, one core",
            "`heddle bench-decode` turns bytes into records; the peer is the OTF2 C library with an empty\n\
             callback for every event (`xtask/src/bench/otf2_loop.c`). Both time the events only, without process start\n\
             and definitions. The ratio is how many times faster ours is.",
            &["events", "Heddle", "events/s", "C library", "events/s", "ratio"],
            rows,
        )
    }

    fn growth(&self) -> String {
        let rows = self.sizes.iter().map(|size| {
            let first = self.sizes.first().unwrap_or(size);
            vec![
                thousands(size.import.events),
                rate(&size.import),
                format!("{:.2}", size.time_against_linear(first)),
                mib(size.memory.anonymous),
                mib(size.memory.resident),
                mib(size.store_bytes),
            ]
        });
        section(
            "Growth with size",
            "Time against linear: the import's time per event over that of the smallest size; 1 is linear, less is\n\
             better. Peak memory is the most seen in any round: anonymous memory (RssAnon, sampled every 5 ms), which\n\
             `--memory` bounds, and all resident pages (VmHWM), those of mapped files included.",
            &["events", "events/s", "time against linear", "peak anonymous", "peak resident", "store"],
            rows,
        )
    }

    fn info(&self) -> String {
        let rows = self
            .sizes
            .iter()
            .map(|size| vec![thousands(size.spans), milliseconds(size.info.best), milliseconds(size.info.median)]);
        section("`heddle info` on a store", "Whole process, 20 runs.", &["spans", "best", "median"], rows)
    }

    fn readers(&self) -> String {
        let rows = self.readers.iter().map(|reader| {
            let (name, peer) = reader.peer.as_ref().map_or(("", None), |(name, peer)| (*name, Some(peer)));
            let best = peer.and_then(Peer::best);
            vec![
                reader.format.to_owned(),
                mib(reader.bytes),
                thousands(reader.events),
                thousands(reader.spans),
                format!("{} ({:.0} MB/s)", seconds(reader.read), reader.bytes as f64 / 1e6 / reader.read),
                format!("{} ({:.0} MB/s)", seconds(reader.import), reader.bytes as f64 / 1e6 / reader.import),
                mib(reader.memory.anonymous),
                match (peer, best) {
                    (None, _) => none(),
                    (Some(_), Some(best)) => format!("{name}: {}", seconds(*best)),
                    (Some(peer), None) => format!("{name}: {}", absent(peer)),
                },
                best.map_or_else(none, |best| {
                    format!("{} / {}", ratio(best / reader.read), ratio(best / reader.import))
                }),
            ]
        });
        section(
            "Other formats",
            &format!(
                "One large file each, made by the example `large_trace` of `heddle-formats`. Reading turns bytes into records (`heddle\n\
                 bench-decode`, all cores); `heddle import` does everything, with {THREADS} threads. Beside it is what others do with the same file: `pj_dump` writes it as a table to the null\n\
                 device; Python's `json.load`, which notebooks begin with, only builds its objects. For CLOG-2 there is no\n\
                 such tool. Events are lines or records of the file; MB are 10^6 bytes. Ratios: of\n\
                 reading, and of the import."
            ),
            &["format", "file", "events", "spans", "reading", "import", "peak anonymous", "other", "ratios"],
            rows,
        )
    }

    fn scenes(&self) -> String {
        let stores = self.scenes.iter().map(|scenes| {
            let analyses = scenes.analyses.iter().map(|(name, wall)| format!("{name} {}", seconds(*wall)));
            vec![
                thousands(scenes.spans),
                milliseconds(scenes.first),
                mib(scenes.bytes as u64),
                analyses.collect::<Vec<_>>().join(", "),
            ]
        });
        let stores = section(
            "Scenes",
            &format!(
                "`heddle open` on a store of {} ranks, asked over HTTP as the page asks, for pictures of 1600 x 900 pixels. First: from\n\
                 the start of the program to the first scene. Size: the largest scene as it was sent. Analyses: until what some pictures\n\
                 rest on was computed, once for a store.",
                thousands(scenes::RANKS),
            ),
            &["spans", "first", "size", "analyses"],
            stores,
        );
        stores + &self.scenes.iter().map(scene_times).collect::<String>()
    }

    fn simulations(&self) -> String {
        let rows = self.simulations.iter().map(|simulated| {
            vec![
                thousands(simulated.ranks),
                thousands(simulated.rate.events),
                seconds(simulated.rate.seconds),
                rate(&simulated.rate),
                mib(simulated.memory.anonymous),
                mib(simulated.memory.resident),
                mib(simulated.store_bytes),
            ]
        });
        section(
            "Simulation",
            &format!(
                "`heddle simulate halo` with {THREADS} threads, once: the simulation itself, and the store written with all its\n\
                 indexes. Memory as above."
            ),
            &["ranks", "events", "time", "events/s", "peak anonymous", "peak resident", "store"],
            rows,
        )
    }

    fn logical(&self) -> String {
        let three = |times: &scenes::Times| [0.5, 0.95, 1.0].map(|share| milliseconds(times.share(share))).join(" / ");
        let program = |one: &LogicalTime| one.simulated.split(' ').nth(2).unwrap_or_default().to_owned();
        let rows = self.logical.iter().map(|one| {
            let first = self.logical.iter().find(|other| program(other) == program(one)).unwrap_or(one);
            vec![
                program(one),
                thousands(one.rate.events),
                thousands(one.phases),
                thousands(one.steps),
                seconds(one.rate.seconds),
                rate(&one.rate),
                format!("{:.2}", first.rate.per_second() / one.rate.per_second()),
                mib(one.memory.anonymous),
                three(&one.logical),
                three(&one.metric),
                seconds(one.clustering),
                three(&one.clusters),
            ]
        });
        section(
            "Logical time",
            &format!(
                "From a finished store of 16,384 ranks to phases, steps and lateness of its communication events, kept beside it,\n\
                 with {THREADS} threads; once. Time against linear and memory as above. Then pictures of the logical timeline and of the\n\
                 metric over steps at every zoom, over HTTP: median / 95 % / most. Then all ranks are clustered by the whole run, and drawn."
            ),
            &[
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
            ],
            rows,
        )
    }

    fn progress(&self) -> String {
        let rows = self.progress.iter().map(|one| {
            vec![
                thousands(one.nodes),
                thousands(one.rate.events),
                seconds(one.rate.seconds),
                rate(&one.rate),
                mib(one.memory.anonymous),
                [0.5, 0.95, 1.0].map(|share| milliseconds(one.slider.share(share))).join(" / "),
            ]
        });
        section(
            "Progression",
            &format!(
                "From a finished store of random tasks to a picture of how far nodes are at 101 instants: progression, groups and\n\
                 bounds, with {THREADS} threads; once. Memory as above. Then the same picture at other bandwidths, over HTTP:\n\
                 median / 95 % / most."
            ),
            &["nodes", "tasks", "time", "tasks/s", "peak anonymous", "other bandwidths"],
            rows,
        )
    }

    fn stores(&self) -> String {
        let rows = self.large.iter().map(|large| {
            vec![
                thousands(large.ranks),
                thousands(large.import.events),
                thousands(large.spans),
                large.budget.unwrap_or("default").to_owned(),
                seconds(large.import.seconds),
                rate(&large.import),
                mib(large.memory.anonymous),
                mib(large.store_bytes),
                milliseconds(large.info.best),
                milliseconds(large.info.median),
            ]
        });
        section(
            "Large traces",
            "Imported once. By default `--memory` is a quarter of the machine's.",
            &[
                "ranks",
                "events",
                "spans",
                "`--memory`",
                "import",
                "events/s",
                "peak anonymous",
                "store",
                "info, best",
                "info, median",
            ],
            rows,
        )
    }

    /// Why a peer has no numbers.
    fn notes(&self) -> String {
        let print = self.sizes.iter().filter_map(|size| why(&size.print));
        let bare_loop = self.sizes.iter().filter_map(|size| why(&size.bare_loop));
        let readers = self.readers.iter().filter_map(|reader| why(&reader.peer.as_ref()?.1));
        // The first line names the command and its end; what a program said on its way may hold paths.
        let first_line = |why: &str| why.lines().next().unwrap_or_default().trim_end_matches(':').to_owned();
        let mut notes: Vec<String> =
            print.chain(bare_loop).chain(readers).map(|why| format!("- {}\n", first_line(why))).collect();
        notes.sort();
        notes.dedup();
        if notes.is_empty() { String::new() } else { format!("## Missing numbers\n\n{}\n", notes.concat()) }
    }

    fn commands(&self) -> String {
        let simulate = |ranks: u64, iterations: u64, file: &str| {
            format!("heddle simulate halo --seed 1 --ranks {ranks} --iterations {iterations} -o {file}\n")
        };
        let traces = self.sizes.iter().map(|size| simulate(size.ranks, size.iterations, "x.otf2"));
        let stores = self.large.iter().map(|large| simulate(large.ranks, large.iterations, "x.otf2"));
        let scenes = self.scenes.iter().map(|scenes| simulate(scenes::RANKS, scenes.iterations, "x.heddle"));
        let simulated = self.simulations.iter().map(|one| simulate(one.ranks, one.iterations, "x.heddle"));
        let mut simulations: Vec<String> = traces.chain(scenes).chain(simulated).chain(stores).collect();
        simulations.dedup();
        simulations.extend(self.logical.iter().map(|one| format!("{}\n", one.simulated)));
        simulations.extend(self.progress.iter().map(|one| format!("{}\n", one.simulated)));
        let simulations = simulations.concat();
        format!(
            "## Commands\n\n```sh\n{simulations}heddle import x.otf2 -o x.heddle --threads {THREADS} --json\n\
             otf2-print x.otf2 > /dev/null\notf2_loop x.otf2\nlarge_trace paje x.trace 150000000\nlarge_trace chrome x.json 600000000\n\
             large_trace clog2 x.clog2 600000000\nheddle bench-decode x.otf2\nheddle info x.heddle --json\n\
             heddle info x.heddle --json --stepping sends-first\n```\n"
        )
    }
}

impl Size {
    /// Time per event over that at `first`: 1 where the import is linear in events.
    fn time_against_linear(&self, first: &Size) -> f64 {
        first.import.per_second() / self.import.per_second()
    }
}

/// How long every picture of a store takes.
fn scene_times(scenes: &Scenes) -> String {
    let rows = scenes.answers.iter().map(|answers| {
        let times = [0.5, 0.95, 1.0].map(|share| milliseconds(answers.times.share(share)));
        let [median, most, largest] = times;
        let name = answers.name.to_owned();
        let (ranks, asked) = (answers.ranks.name().to_owned(), thousands(answers.times.len() as u64));
        vec![name, ranks, asked, median, most, largest, milliseconds(answers.cpu)]
    });
    section(
        &format!("Scenes of {} spans", thousands(scenes.spans)),
        "Windows at zooms from the whole run to a millionth of it: of all ranks, of neighbouring rows (an eighth of them to a few),\n\
         and with a filter of ranks (half of them to 16). Times have drawing, encoding, compression and the connection in them. CPU: of\n\
         all cores, for one of them on average.",
        &["picture", "ranks", "asked", "median", "95 %", "largest", "CPU"],
        rows,
    )
}

fn absent<T>(peer: &Peer<T>) -> String {
    why(peer).map_or_else(none, |why| if why.contains("not installed") { "not installed" } else { "failed" }.to_owned())
}

fn why<T>(peer: &Peer<T>) -> Option<&str> {
    match peer {
        Peer::Best(_) => None,
        Peer::Absent(why) => Some(why),
    }
}

fn none() -> String {
    "-".to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::measure::{Info, Rate};
    use super::super::scenes::{Answers, Ranks, Times};
    use super::*;
    use crate::process::Memory;

    fn size(events: u64, seconds: f64, print: Peer<f64>) -> Size {
        Size {
            ranks: 64,
            iterations: events / 100,
            spans: events / 2,
            source_bytes: events * 10,
            store_bytes: events * 20,
            import: Rate { events, seconds },
            memory: Memory { anonymous: 3 << 20, resident: 5 << 20 },
            decode: Rate { events, seconds: seconds / 4.0 },
            print,
            bare_loop: Peer::Best(Rate { events, seconds: seconds / 2.0 }),
            info: Info { best: 0.002, median: 0.003 },
        }
    }

    fn report(print: &Peer<f64>) -> Report {
        let sizes = vec![size(1_000_000, 1.0, print.clone()), size(10_000_000, 15.0, print.clone())];
        let reader = Reader {
            format: "paje",
            bytes: 50_000_000,
            events: 1_000_000,
            spans: 400_000,
            read: 0.125,
            import: 0.25,
            memory: Memory { anonymous: 7 << 20, resident: 9 << 20 },
            peer: Some(("pj_dump", Peer::Best(5.0))),
        };
        Report {
            machine: "a machine".to_owned(),
            otf2: Some("3.0".to_owned()),
            rounds: 3,
            sizes,
            readers: vec![reader],
            large: Vec::new(),
            scenes: vec![Scenes {
                spans: 90_000,
                iterations: 5,
                first: 0.25,
                answers: vec![Answers {
                    name: "matrix",
                    ranks: Ranks::Chosen,
                    times: Times(vec![0.003, 0.001, 0.002]),
                    cpu: 0.004,
                }],
                analyses: vec![("profile", 1.5), ("messages", 2.0)],
                bytes: 3 << 20,
            }],
            simulations: vec![Simulated {
                ranks: 16_384,
                iterations: 80,
                rate: Rate { events: 50_000_000, seconds: 20.0 },
                store_bytes: 1 << 30,
                memory: Memory { anonymous: 3 << 20, resident: 5 << 20 },
            }],
            logical: Vec::new(),
            progress: Vec::new(),
        }
    }

    #[test]
    fn ratios_and_growth_are_right() {
        let text = report(&Peer::Best(30.0)).to_markdown();
        for part in [
            "| 1,000,000 | 500,000 | 9.5 MiB | 1.000 s | 1.00 M | 30.000 s | 30.00 |",
            "| 10,000,000 | 5,000,000 | 95.4 MiB | 15.000 s | 0.67 M | 30.000 s | 2.00 |",
            "| 10,000,000 | 3.750 s | 2.67 M | 7.500 s | 1.33 M | 2.00 |",
            "| 10,000,000 | 0.67 M | 1.50 | 3.0 MiB | 5.0 MiB |",
            "| 500,000 | 2.0 ms | 3.0 ms |",
            "| paje | 47.7 MiB | 1,000,000 | 400,000 | 0.125 s (400 MB/s) | 0.250 s (200 MB/s) | 7.0 MiB | pj_dump: 5.000 s | 40.00 / 20.00 |",
            "| 16,384 | 50,000,000 | 20.000 s | 2.50 M | 3.0 MiB | 5.0 MiB | 1024.0 MiB |",
            "heddle simulate halo --seed 1 --ranks 16384 --iterations 80 -o x.heddle\n",
            "| 90,000 | 250.0 ms | 3.0 MiB | profile 1.500 s, messages 2.000 s |",
            "## Scenes of 90,000 spans\n",
            "| matrix | chosen | 3 | 2.0 ms | 3.0 ms | 3.0 ms | 4.0 ms |",
            "Best of 3 rounds",
        ] {
            assert!(text.contains(part), "{part}\nis not in\n{text}");
        }
        assert!(!text.contains("Missing numbers"), "{text}");
    }

    #[test]
    fn a_missing_peer_is_named_once() {
        let text = report(&Peer::Absent("otf2-print is not installed (Debian: otf2-tools)".to_owned())).to_markdown();
        assert!(text.contains("| 1.00 M | not installed | - |"), "{text}");
        assert_eq!(text.matches("Debian: otf2-tools").count(), 1, "{text}");
    }

    #[test]
    fn what_a_failed_peer_said_stays_out_of_the_report() {
        let text = report(&Peer::Absent("`otf2-print x.otf2` failed (exit code 7):\n[some/folder] broken".to_owned()));
        let text = text.to_markdown();
        assert!(
            text.contains("| failed | - |") && text.contains("- `otf2-print x.otf2` failed (exit code 7)\n"),
            "{text}"
        );
        assert!(!text.contains("some/folder"), "{text}");
    }
}
