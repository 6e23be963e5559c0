//! `heddle demo`: a case study for somebody who has no trace yet.

use std::path::PathBuf;

use anyhow::Context;

use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::{Store, store_simulation};

use super::{cache_directory, use_threads};
use crate::args::DemoArgs;
use crate::progress::TerminalProgress;
#[cfg(not(feature = "page"))]
use crate::text::{grouped, printable};

pub(super) fn run(args: &DemoArgs) -> anyhow::Result<()> {
    use_threads(&args.store.machine)?;
    let directory: PathBuf = args
        .store
        .store
        .clone()
        .or_else(cache_directory)
        .context("neither XDG_CACHE_HOME nor HOME is set; say where to keep the demo with --store DIR")?;
    let slow = 37;
    let options = HaloOptions { ranks: 256, iterations: 200, ..HaloOptions::default() };
    let machine = Machine { slow_ranks: vec![slow], ..Machine::default() };
    eprintln!(
        "simulating a halo exchange of {} ranks, in which rank {slow} computes slower than the others",
        options.ranks
    );
    let simulation = halo(&options, &machine)?;
    let progress = TerminalProgress::new();
    let target = directory.join("demo-halo.heddle");
    let store = store_simulation(&simulation, "demo-halo", &target, args.store.machine.memory(), &progress)?;
    drop(progress);
    show(args, &store)
}

#[cfg(feature = "page")]
fn show(args: &DemoArgs, store: &Store) -> anyhow::Result<()> {
    super::serve::run(&[store.path().to_owned()], super::import_options(&args.store), &args.serve)
}

/// Built without the page: there is still much to do with a store.
#[cfg(not(feature = "page"))]
#[expect(clippy::unnecessary_wraps, reason = "with the page it can fail")]
fn show(_args: &DemoArgs, store: &Store) -> anyhow::Result<()> {
    let (summary, path) = (store.summary(), printable(&store.path().display().to_string()));
    eprintln!("{path}: {} ranks, {} spans", grouped(summary.ranks), grouped(summary.spans));
    eprintln!("this program was built without the page in the browser; look at the store with");
    eprintln!("  heddle info {path}");
    eprintln!("  heddle render timeline {path} -o timeline.png");
    eprintln!("  heddle export {path} --table messages | head");
    Ok(())
}
