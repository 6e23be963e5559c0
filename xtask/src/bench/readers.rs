//! The readers of other formats: `heddle import` of one large file each, beside what else reads such files.
//!
//! Heddle does not write these formats, so an example of the formats' crate makes the files.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::measure::{self, Heddle};
use super::peers::Peer;
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
