//! `heddle simulate`: writes a synthetic trace as a store or an OTF2 archive.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use heddle_formats::otf2;
use heddle_model::Source;
use heddle_simulate::{Dimensions, HaloOptions};
use heddle_store::{DiskFiles, StoreError, store_simulation};

use super::{Usage, use_threads};
use crate::args::HaloArgs;
use crate::progress::{TerminalProgress, is_cancelled};
use crate::text::{grouped, printable};

pub(super) fn halo(args: &HaloArgs) -> anyhow::Result<()> {
    use_threads(&args.machine)?;
    let defaults = HaloOptions::default();
    let options = HaloOptions {
        ranks: args.ranks,
        iterations: args.iterations,
        seed: args.seed,
        dimensions: if args.dimensions == 3 { Dimensions::Three } else { Dimensions::Two },
        bytes: args.bytes,
        compute_ns: args.compute.saturating_mul(1000),
        noise: args.noise,
        slow_ranks: args.slow_rank.clone(),
        slow_factor: args.slow_factor,
        allreduce_every: args.allreduce_every,
        ranks_per_node: args.ranks_per_node,
        periodic: args.periodic,
        ..defaults
    };
    let target = Target::of(&args.output)?;
    if !args.force {
        target.check_free()?;
    }
    let simulation = heddle_simulate::halo(&options).map_err(|error| Usage(error.to_string()))?;
    let events = match &target {
        Target::Store { path, name } => {
            let progress = TerminalProgress::new();
            store_simulation(&simulation, name, path, args.machine.memory(), &progress)?.summary().events
        }
        Target::Otf2 { directory, name } => write_archive(&simulation, directory, name)?,
    };
    let path = printable(&args.output.display().to_string());
    if args.json {
        writeln!(
            std::io::stdout(),
            "{}",
            serde_json::json!({ "output": path, "events": events, "ranks": args.ranks })
        )?;
    } else {
        eprintln!("{} events of {} ranks", grouped(events), grouped(u64::from(args.ranks)));
        writeln!(std::io::stdout(), "{path}")?;
    }
    Ok(())
}

/// What to write, told from the name's ending.
enum Target {
    Store { path: PathBuf, name: String },
    Otf2 { directory: PathBuf, name: String },
}

impl Target {
    fn of(output: &Path) -> anyhow::Result<Target> {
        let file = output.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let directory = match output.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        match file.rsplit_once('.') {
            Some((name, "otf2")) if !name.is_empty() => Ok(Target::Otf2 { directory, name: name.to_owned() }),
            Some((name, "heddle")) if !name.is_empty() => {
                Ok(Target::Store { path: output.to_owned(), name: name.to_owned() })
            }
            _ => Err(Usage(format!(
                "-o {}: the name must end in .otf2 for an OTF2 archive or in .heddle for a store",
                output.display()
            ))
            .into()),
        }
    }

    /// The files and directories that will come into being.
    fn pieces(&self) -> Vec<PathBuf> {
        match self {
            Target::Store { path, .. } => vec![path.clone()],
            Target::Otf2 { directory, name } => archive_pieces(directory, name),
        }
    }

    fn check_free(&self) -> anyhow::Result<()> {
        match self.pieces().iter().find(|piece| piece.exists()) {
            Some(there) => Err(Usage(format!("{} is there already; --force replaces it", there.display())).into()),
            None => Ok(()),
        }
    }
}

fn archive_pieces(directory: &Path, name: &str) -> Vec<PathBuf> {
    ["", ".def", ".marker", ".otf2"].iter().map(|ending| directory.join(format!("{name}{ending}"))).collect()
}

/// Writes the archive beside its place and moves it there once it is whole, the anchor last.
fn write_archive(source: &dyn Source, directory: &Path, name: &str) -> anyhow::Result<u64> {
    let temporary = directory.join(format!(".{name}.otf2.tmp-{}", std::process::id()));
    let written = write_pieces(source, directory, name, &temporary);
    // After a failure this clears what was written; after success it is empty.
    let _ = std::fs::remove_dir_all(&temporary);
    written
}

fn write_pieces(source: &dyn Source, directory: &Path, name: &str, temporary: &Path) -> anyhow::Result<u64> {
    std::fs::create_dir_all(temporary).with_context(|| format!("{}: cannot write", directory.display()))?;
    let summary =
        otf2::write(source, name, &DiskFiles::below(temporary), &|_| !is_cancelled()).map_err(|error| match error {
            otf2::WriteError::Cancelled => anyhow::Error::from(StoreError::Cancelled),
            other => anyhow::Error::from(other).context(format!("{}", directory.display())),
        })?;
    for (there, made) in archive_pieces(directory, name).iter().zip(archive_pieces(temporary, name)) {
        if there.is_dir() {
            std::fs::remove_dir_all(there).with_context(|| format!("{}: cannot replace", there.display()))?;
        }
        if made.exists() {
            std::fs::rename(&made, there).with_context(|| format!("{}: cannot write", there.display()))?;
        }
    }
    Ok(summary.events)
}
