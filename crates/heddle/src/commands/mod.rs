//! One module a command.

mod bench_decode;
#[cfg(test)]
mod damaged;
mod demo;
mod diagnose;
mod export;
mod formats;
mod frames;
mod import;
mod info;
#[cfg(feature = "page")]
mod list;
mod network;
mod nobody;
mod notes;
#[cfg(feature = "page")]
mod open;
mod output;
mod render;
#[cfg(feature = "page")]
mod serve;
mod simulate;
mod write_trace;

use std::path::PathBuf;

use anyhow::Context;

use heddle_store::{ImportOptions, Store, StorePlace, open_or_import_all};

use crate::args::{Command, MachineArgs, StoreArgs};
use crate::progress::TerminalProgress;

/// The command line was at fault, in a way that its parser cannot see.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Runs a command to its end.
pub(crate) fn run(command: Command) -> anyhow::Result<()> {
    match command {
        #[cfg(feature = "page")]
        Command::Open(args) => open::run(&args),
        #[cfg(feature = "page")]
        Command::List(args) => list::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Info(args) => info::run(&args, &mut std::io::stdout().lock()),
        Command::Diagnose(args) => diagnose::run(&args, &mut std::io::stdout().lock()),
        Command::Notes(args) => notes::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Network(command) => network::run(&command),
        Command::Simulate(program) => simulate::run(&program),
        Command::Formats(args) => formats::run(&args),
        Command::BenchDecode(args) => bench_decode::run(&args),
    }
}

/// Sets the number of threads for the rest of the process.
fn use_threads(machine: &MachineArgs) -> anyhow::Result<()> {
    let Some(threads) = machine.threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build_global().context("cannot start threads")
}

fn import_options(args: &StoreArgs) -> ImportOptions {
    ImportOptions { place: store_place(args.store.as_ref()), memory: args.machine.memory(), force: false }
}

/// Where stores go, and what belongs to traces in folders that cannot be written to.
fn store_place(said: Option<&PathBuf>) -> StorePlace {
    match said {
        Some(directory) => StorePlace::Under(directory.clone()),
        None => StorePlace::Beside { cache: cache_directory() },
    }
}

/// The user's cache directory for Heddle.
fn cache_directory() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .map(|cache| cache.join("heddle"))
}

/// Opens the store of a trace, importing if needed.
fn open_store(traces: &[PathBuf], args: &StoreArgs) -> anyhow::Result<Store> {
    use_threads(&args.machine)?;
    let progress = TerminalProgress::new();
    Ok(open_or_import_all(traces, &import_options(args), &progress)?.store)
}
