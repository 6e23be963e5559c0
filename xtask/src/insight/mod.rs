//! `cargo xtask insight`: does the diagnosis find what is wrong, and nothing else?
//!
//! Every program is simulated without a fault and with faults of all kinds, in several sizes and noises; the faults, and so the truth,
//! are known. What `heddle diagnose` says of each run is judged by [`truth`]. Seeds begin at 1000: whoever tunes the diagnosis uses
//! others. A fault counts only if it costs enough to matter, measured against the same run without it; otherwise it is planted
//! stronger, and if that does not help, listed as one that nobody could find.

mod cases;
mod plant;
mod report;
mod runs;
mod said;
mod settings;
mod truth;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};

use crate::{UsageError, root};
use cases::Case;
use plant::Kind;
use report::Report;
use runs::Heddle;

/// Seeds below are for tuning.
const FIRST_SEED: u64 = 1000;

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    quick: bool,
    json: bool,
    kind: Option<String>,
    program: Option<String>,
    seed: u64,
    heddle: Option<PathBuf>,
}

impl Options {
    /// Understands the words after `insight`.
    pub(crate) fn parse(args: &[String]) -> Result<Options, UsageError> {
        let mut options =
            Options { quick: false, json: false, kind: None, program: None, seed: FIRST_SEED, heddle: None };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = |what: &str| args.next().ok_or_else(|| UsageError(format!("`{arg}` needs {what}")));
            match arg.as_str() {
                "--quick" => options.quick = true,
                "--json" => options.json = true,
                "--kind" => {
                    let word = value("a kind of fault")?;
                    let known = || Kind::OF_RANKS.iter().map(|kind| kind.name()).chain(["tasks", "clean"]);
                    if !known().any(|kind| kind == word) {
                        let known: Vec<&str> = known().collect();
                        return Err(UsageError(format!("there is no kind `{word}`; there are {}", known.join(", "))));
                    }
                    options.kind = Some(word.clone());
                }
                "--program" => {
                    let word = value("a program")?;
                    if !plant::is_program(word) {
                        return Err(UsageError(format!("there is no program `{word}`")));
                    }
                    options.program = Some(word.clone());
                }
                "--seed" => {
                    let word = value("a number")?;
                    let wrong = |_| UsageError(format!("`--seed` needs a number, not `{word}`"));
                    options.seed = word.parse().map_err(wrong)?;
                }
                "--heddle" => options.heddle = Some(PathBuf::from(value("the program's file")?)),
                other => return Err(UsageError(format!("`insight` has no option `{other}`"))),
            }
        }
        Ok(options)
    }

    fn wants(&self, kind: &str) -> bool {
        self.kind.as_deref().is_none_or(|wanted| wanted == kind)
    }
}

/// Plants, diagnoses, judges, reports.
pub(crate) fn run(options: &Options) -> Result<()> {
    let program = match &options.heddle {
        Some(file) => file.canonicalize().with_context(|| format!("{}: no such program", file.display()))?,
        None => root::build(&root::find()?, "cargo build --release -p heddle", "heddle")?,
    };
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let heddle = Heddle { program, folder: folder.path().to_owned() };
    let mut settings = settings::all(options.seed, options.quick);
    settings.retain(|setting| options.program.as_deref().is_none_or(|program| program == setting.program));

    // The slowest are the largest: they begin first, so that nobody waits for them in the end.
    let mut order: Vec<usize> = (0..settings.len()).collect();
    order.sort_by_key(|number| std::cmp::Reverse(settings[*number].size()));
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(number) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let setting = &settings[*number];
                    let cases = cases::run(&heddle, setting, &|kind| options.wants(kind));
                    eprintln!("{} with {}: {} runs", setting.program, setting.size(), cases.len());
                    if let Ok(mut done) = done.lock() {
                        done.push((*number, cases));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().map_err(|_| anyhow::anyhow!("a worker has failed"))?;
    done.sort_by_key(|(number, _)| *number);
    let cases: Vec<Case> = done.into_iter().flat_map(|(_, cases)| cases).collect();
    let report = Report::new(&cases);
    print!("{}", if options.json { report.to_json()? } else { report.to_text() });
    let missed = report.missed();
    if missed.is_empty() { Ok(()) } else { bail!("the diagnosis misses its goals: {}", missed.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Options, UsageError> {
        Options::parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_understood() {
        let options = parse(&["--quick", "--kind", "stall", "--program", "halo", "--seed", "5000", "--json"]).unwrap();
        assert!(options.quick && options.json && options.wants("stall") && !options.wants("clean"));
        assert_eq!((options.program.as_deref(), options.seed), (Some("halo"), 5000));
        for words in [&["--kind", "stal"][..], &["--program", "hallo"], &["--seed", "x"], &["--fast"], &["--kind"]] {
            assert!(parse(words).is_err(), "{words:?}");
        }
    }

    #[test]
    fn there_are_enough_faults_of_every_kind_in_every_program() {
        let settings = settings::all(FIRST_SEED, false);
        let planted: Vec<(&str, Kind)> = settings
            .iter()
            .flat_map(|setting| plant::kinds(setting).into_iter().map(|kind| (setting.program, kind)))
            .collect();
        assert!(planted.len() >= 200 && settings.len() >= 50, "{} faults, {} clean", planted.len(), settings.len());
        for kind in Kind::OF_RANKS {
            for (program, ..) in settings::PROGRAMS {
                let there = planted.iter().filter(|case| **case == (program, kind)).count();
                assert_eq!(there, 1, "{} in {program}", kind.name());
            }
        }
        let mut seeds: Vec<u64> = settings.iter().map(|setting| setting.seed).collect();
        seeds.dedup();
        assert!(seeds.len() == settings.len() && seeds.iter().all(|seed| *seed >= FIRST_SEED));
    }
}
