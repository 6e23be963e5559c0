//! `heddle open`: traces in the browser.

use heddle_store::check_kind;

use super::{import_options, serve, use_threads};
use crate::args::OpenArgs;

pub(super) fn run(args: &OpenArgs) -> anyhow::Result<()> {
    // What can be seen to be wrong at once is said at once, before a browser opens.
    for trace in &args.traces {
        check_kind(trace)?;
    }
    use_threads(&args.store.machine)?;
    let usual = args.network.with_files()?;
    serve::run(&args.traces, (None, usual), import_options(&args.store), &args.serve)
}
