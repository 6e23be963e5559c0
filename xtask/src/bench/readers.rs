//! The readers of other formats: `heddle import` of one large file each, beside what else reads such files.
//!
//! Heddle does not write these formats, so an example of the formats' crate makes the files.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::cells::{mib, none, ratio, seconds, table, thousands};
use super::measure::{self, Heddle, THREADS};
use super::peers::{Peer, missing};
use super::report::Section;
use crate::process::{self, Memory, Output, TIME_LIMIT};
use crate::root;

/// A format to be measured.
struct Case {
    format: &'static str,
    file: &'static str,
    megabytes: u64,
    peer: Option<(&'static str, &'static [&'static str])>,
}

const CASES: [Case; 3] = [
    Case { format: "paje", file: "x.trace", megabytes: 150, peer: Some(("pj_dump", &[])) },
    Case {
        format: "chrome",
        file: "x.json",
        megabytes: 600,
        peer: Some(("python3", &["-c", "import json, sys; json.load(open(sys.argv[1]))"])),
    },
    Case { format: "clog2", file: "x.clog2", megabytes: 600, peer: None },
];

/// How an import of one file went.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) format: &'static str,
    pub(crate) bytes: u64,
    /// Lines or records of events in the file.
    pub(crate) events: u64,
    pub(crate) spans: u64,
    /// From bytes to records: seconds of the best round.
    pub(crate) read: f64,
    /// The whole import: seconds of the best round.
    pub(crate) import: f64,
    /// Most memory in any round.
    pub(crate) memory: Memory,
    /// The other program's name, and seconds of its best round.
    pub(crate) peer: Option<(&'static str, Peer<f64>)>,
}

/// Measures every format; `share` makes the files smaller.
pub(crate) fn run(heddle: &Heddle, maker: &Path, rounds: usize, share: u64, folder: &Path) -> Result<Vec<Reader>> {
    CASES.iter().map(|case| case.run(heddle, maker, rounds, share, folder)).collect()
}

impl Case {
    fn run(&self, heddle: &Heddle, maker: &Path, rounds: usize, share: u64, folder: &Path) -> Result<Reader> {
        eprintln!("{}: writing {} MB", self.format, self.megabytes / share);
        let (file, store) = (folder.join(self.file), folder.join("x.heddle"));
        let bytes = (self.megabytes * 1_000_000 / share).to_string();
        let made = process::run(Command::new(maker).arg(self.format).arg(&file).arg(bytes), Output::Keep, TIME_LIMIT)?;
        let made: serde_json::Value = serde_json::from_str(&made.stdout).context("the maker of large traces")?;
        let count = |key: &str| made[key].as_u64().with_context(|| format!("no `{key}` from the maker"));
        io::copy(&mut File::open(&file)?, &mut io::sink())?;
        let mut reader = Reader {
            format: self.format,
            bytes: count("bytes")?,
            events: count("events")?,
            spans: 0,
            read: f64::INFINITY,
            import: f64::INFINITY,
            memory: Memory::default(),
            peer: None,
        };
        for round in 1..=rounds {
            eprintln!("round {round} of {rounds}");
            let imported = heddle.import(&file, &store, None)?;
            reader.spans = imported.spans;
            reader.read = reader.read.min(heddle.read(&file)?);
            reader.import = reader.import.min(imported.run.wall.as_secs_f64());
            reader.memory = reader.memory.max(imported.run.peak);
            if let Some((program, words)) = self.peer {
                let theirs = peer(program, words, &file);
                match &mut reader.peer {
                    Some((_, best)) => best.add(theirs, |new, best| new < best),
                    None => reader.peer = Some((program, theirs.map_or_else(Peer::Absent, Peer::Best))),
                }
            }
        }
        measure::clear(folder)?;
        Ok(reader)
    }
}

/// Another program on the same file, its output thrown away, in seconds.
fn peer(program: &str, words: &[&str], file: &Path) -> Result<f64, String> {
    if !process::is_installed(program) {
        return Err(format!("{program} is not installed"));
    }
    let run = process::run(Command::new(program).args(words).arg(file), Output::Discard, TIME_LIMIT);
    run.map(|run| run.wall.as_secs_f64()).map_err(|error| format!("{error:#}"))
}

/// The example that makes the files, built.
pub(crate) fn maker(root: &Path) -> Result<PathBuf> {
    root::build(root, "cargo build --release -p heddle-formats --example large_trace", "large_trace")
}

/// What is said of them.
pub(crate) fn section(readers: &[Reader]) -> Section {
    let rows = readers.iter().map(|reader| {
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
                (Some(peer), None) => format!("{name}: {}", peer.absent()),
            },
            best.map_or_else(none, |best| format!("{} / {}", ratio(best / reader.read), ratio(best / reader.import))),
        ]
    });
    let about = format!(
        "One large file each, made by the example `large_trace` of `heddle-formats`. Reading turns bytes into records (`heddle\n\
         bench-decode`, all cores); `heddle import` does everything, with {THREADS} threads. Beside it is what others do with the same file: `pj_dump` writes it as a table to the null\n\
         device; Python's `json.load`, which notebooks begin with, only builds its objects. For CLOG-2 there is no\n\
         such tool. Events are lines or records of the file; MB are 10^6 bytes. Ratios: of\n\
         reading, and of the import.{}",
        missing(readers.iter().filter_map(|reader| reader.peer.as_ref()?.1.why())),
    );
    let head = ["format", "file", "events", "spans", "reading", "import", "peak anonymous", "other", "ratios"];
    let mut commands: Vec<String> = CASES
        .iter()
        .map(|case| format!("large_trace {} {} {}", case.format, case.file, case.megabytes * 1_000_000))
        .collect();
    commands.extend(["heddle bench-decode x.trace", "heddle import x.trace -o x.heddle"].map(str::to_owned));
    Section::new("Other formats", &about, &table(&head, rows), &commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_ratios_are_right() {
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
        let text = format!("{:?}", section(&[reader]));
        let row = "| paje | 47.7 MiB | 1,000,000 | 400,000 | 0.125 s (400 MB/s) | 0.250 s (200 MB/s) | 7.0 MiB | pj_dump: 5.000 s | 40.00 / 20.00 |";
        assert!(text.contains(row), "{text}");
    }
}
