//! `heddle demo`: a case study for somebody who has no trace yet.

use std::path::PathBuf;

use anyhow::Context;

use heddle_simulate::{HaloOptions, halo};
use heddle_store::store_simulation;

use super::{cache_directory, info, use_threads};
use crate::args::DemoArgs;
use crate::progress::TerminalProgress;
use crate::text::printable;

pub(super) fn run(args: &DemoArgs) -> anyhow::Result<()> {
    use_threads(&args.store.machine)?;
    let directory: PathBuf = args
        .store
        .store
        .clone()
        .or_else(cache_directory)
        .context("neither XDG_CACHE_HOME nor HOME is set; say where to keep the demo with --store DIR")?;
    let slow = 37;
    let options = HaloOptions { ranks: 256, iterations: 200, slow_ranks: vec![slow], ..HaloOptions::default() };
    eprintln!(
        "simulating a halo exchange of {} ranks, in which rank {slow} computes slower than the others",
        options.ranks
    );
    let simulation = halo(&options)?;
    let progress = TerminalProgress::new();
    let target = directory.join("demo-halo.heddle");
    let store = store_simulation(&simulation, "demo-halo", &target, args.store.machine.memory(), &progress)?;
    drop(progress);
    info::print(&store, &mut std::io::stdout().lock())?;
    let path = printable(&target.display().to_string());
    eprintln!("\nthe store is {path}; look at its numbers with");
    eprintln!("  heddle export {path} --table messages | head");
    Ok(())
}
