//! `heddle demo`: case studies for somebody who has no trace yet.
//!
//! A case is simulated once and kept. Its store is used again by the same program only: whoever changes the simulator, or
//! a case, sees the change.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::Context;

use heddle_store::{FORMAT_VERSION, Store, create_private_directory, store_simulation};

use super::{Usage, cache_directory, use_threads};
use crate::args::DemoArgs;
use crate::cases::{self, CASES, Case, Run};
use crate::progress::TerminalProgress;
#[cfg(not(feature = "page"))]
use crate::text::printable;
use crate::text::{grouped, write_path};

/// The file in a store that says which program simulated it.
const STAMP: &str = "simulated-by";

pub(super) fn run(args: &DemoArgs) -> anyhow::Result<()> {
    if args.list {
        return list(args.json);
    }
    let case = match &args.name {
        Some(name) => cases::find(name).ok_or_else(|| Usage(unknown(name)))?,
        None => CASES[0],
    };
    use_threads(&args.store.machine)?;
    let directory = args.store.store.clone().or_else(cache_directory);
    let directory =
        directory.context("neither XDG_CACHE_HOME nor HOME is set; say where to keep the demo with --store DIR")?;
    if args.store.store.is_none() {
        // If it cannot be made, making the store says so.
        let _ = create_private_directory(&directory);
    }
    eprintln!("{}: {}", case.name, case.summary);
    let kept = |run: &Run| kept(run, &directory.join("demo"), args.store.machine.memory());
    let stores = case.runs.iter().map(kept).collect::<anyhow::Result<Vec<Store>>>()?;
    if args.prepare {
        let mut out = std::io::stdout().lock();
        for store in &stores {
            write_path(&mut out, store.path())?;
        }
        return Ok(());
    }
    show(args, case, &stores)
}

fn list(json: bool) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::to_string_pretty(CASES)?)?;
    } else {
        write!(out, "{}", table())?;
    }
    Ok(())
}

fn table() -> String {
    let width = CASES.iter().map(|case| case.name.len()).max().unwrap_or(0);
    CASES.iter().fold(String::new(), |mut text, case| {
        let _ = writeln!(text, "{:width$}  {}", case.name, case.summary);
        text
    })
}

fn unknown(name: &str) -> String {
    format!("there is no case study `{name}`; choose one of these:\n{}", table().trim_end())
}

/// The store of a run: the one that is there, if this very program made it, or a new one.
fn kept(run: &Run, directory: &Path, memory: u64) -> anyhow::Result<Store> {
    let target = directory.join(format!("{}.heddle", run.name));
    let stamp = stamp();
    if std::fs::read_to_string(target.join(STAMP)).is_ok_and(|found| found == stamp)
        && let Ok(store) = Store::open(&target)
    {
        return Ok(store);
    }
    let simulation = (run.simulate)()?;
    let progress = TerminalProgress::new();
    let store = store_simulation(&*simulation, run.name, &target, memory, &progress)?;
    drop(progress);
    // Without it the store is made again the next time, which is no reason to fail.
    let _ = std::fs::write(target.join(STAMP), stamp);
    let summary = store.summary();
    eprintln!("{}: {} ranks, {} events", run.name, grouped(summary.ranks), grouped(summary.events));
    Ok(store)
}

/// What tells this program from others: its version, and the length and time of its file.
fn stamp() -> String {
    let file = std::env::current_exe().and_then(std::fs::metadata);
    let (length, modified) = file.map_or((0, 0), |file| {
        let modified = file.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        (file.len(), modified.map_or(0, |time| time.as_nanos()))
    });
    format!("heddle {} store {FORMAT_VERSION} program {length} {modified}\n", env!("CARGO_PKG_VERSION"))
}

fn paths(stores: &[Store]) -> Vec<PathBuf> {
    stores.iter().map(|store| store.path().to_owned()).collect()
}

#[cfg(feature = "page")]
fn show(args: &DemoArgs, case: &Case, stores: &[Store]) -> anyhow::Result<()> {
    if CASES.len() > 1 {
        eprintln!("`heddle demo --list` lists the other case studies");
    }
    let stop = |stop: &cases::Stop| heddle_server::Stop {
        title: stop.title.to_owned(),
        text: stop.text.to_owned(),
        view: stop.view.to_owned(),
    };
    let tour = heddle_server::Tour { title: case.title.to_owned(), stops: case.stops.iter().map(stop).collect() };
    super::serve::run(
        &paths(stores),
        (Some(tour), heddle_options::Given::default()),
        super::import_options(&args.store),
        &args.serve,
    )
}

/// Built without the page: there is still much to do with a store.
#[cfg(not(feature = "page"))]
#[expect(clippy::unnecessary_wraps, reason = "with the page it can fail")]
fn show(_args: &DemoArgs, _case: &Case, stores: &[Store]) -> anyhow::Result<()> {
    eprintln!("this build has no page for the browser; look at the store with");
    for path in paths(stores) {
        let path = printable(&path.display().to_string());
        eprintln!("  heddle info {path}");
        eprintln!("  heddle render timeline {path} -o timeline.png");
        eprintln!("  heddle export {path} --table messages | head");
    }
    Ok(())
}
