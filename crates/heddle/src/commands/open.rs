//! `heddle open`: traces in the browser.

use std::path::Path;

use anyhow::{Context, bail};

use super::{import_options, serve, use_threads};
use crate::args::OpenArgs;

pub(super) fn run(args: &OpenArgs) -> anyhow::Result<()> {
    for trace in &args.traces {
        check(trace)?;
    }
    use_threads(&args.store.machine)?;
    serve::run(&args.traces, None, import_options(&args.store), &args.serve)
}

/// What can be seen to be wrong at once is said at once, before a browser opens.
fn check(trace: &Path) -> anyhow::Result<()> {
    let found = std::fs::metadata(trace).with_context(|| format!("{}: cannot read", trace.display()))?;
    // Reading from a pipe or a device could wait for ever.
    if !found.is_file() && !found.is_dir() {
        bail!("{}: neither a file nor a directory", trace.display());
    }
    Ok(())
}
