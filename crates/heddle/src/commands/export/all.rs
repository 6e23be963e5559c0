//! `heddle export --all`: every table of a store as it is, for programs that read Arrow, Parquet or CSV.
//!
//! Ids are rows of other tables, as `docs/stores.md` says. Indexes and results of analyses are left out: the former follow from
//! the tables, the latter depend on options.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;

use heddle_store::table::Table;

use super::{open_store, to_file, write_batches};
use crate::args::{ExportArgs, ExportFormat};
use crate::commands::Usage;

pub(super) fn run(args: &ExportArgs) -> anyhow::Result<()> {
    if let Some(option) = given(args) {
        return Err(Usage(format!("{option}: --all writes tables as they are; name one with --table")).into());
    }
    let Some(directory) = args.output.as_deref().filter(|path| *path != Path::new("-")) else {
        return Err(Usage("--all needs a directory to write to: -o DIR".to_owned()).into());
    };
    let store = open_store(&args.traces, &args.store)?;
    let files: Vec<(&dyn Table, PathBuf)> =
        store.tables().into_iter().map(|table| (table, file(directory, table, args.to))).collect();
    if let Some((_, there)) = files.iter().find(|(_, path)| path.exists()).filter(|_| !args.force) {
        let there = there.display();
        return Err(Usage(format!("nothing is written: {there} already exists; --force replaces it")).into());
    }
    for (table, path) in files {
        let folder = path.parent().unwrap_or(directory);
        std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot write", folder.display()))?;
        let schema = Arc::new(table.schema());
        to_file(&path, args.to, &schema, |sink| write_batches(table.rows(), |rows| table.arrays(rows), &schema, sink))?;
    }
    Ok(())
}

/// An option that only some tables depend on.
fn given(args: &ExportArgs) -> Option<String> {
    let window = [("--time", args.time.is_some()), ("--ranks", args.ranks.is_some())];
    let window = window.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option.to_owned());
    window
        .or_else(|| args.logical.given())
        .or_else(|| args.clusters.given())
        .or_else(|| args.network.given())
        .or_else(|| args.progress.given())
}

/// The file of a table.
fn file(directory: &Path, table: &dyn Table, format: ExportFormat) -> PathBuf {
    let ending = match format {
        ExportFormat::Arrow => "arrow",
        ExportFormat::Parquet => "parquet",
        _ => "csv",
    };
    directory.join(format!("{}.{ending}", table.name()))
}
