//! The command line of Heddle.
//!
//! Contract: data goes to stdout, messages and progress to stderr; exit 0 done, 1 the input was at fault,
//! 2 the command line was, 130 stopped with Ctrl-C.

mod args;
mod cases;
mod commands;
mod logical_args;
mod network_args;
mod option_args;
mod programs;
mod progress;
mod progress_args;
mod render_args;
mod signals;
mod stage_times;
mod text;

use std::io;
use std::process::ExitCode;

use clap::Parser;

use heddle_store::StoreError;

#[cfg(test)]
#[global_allocator]
static ALLOCATOR: heddle_testkit::Counting = heddle_testkit::Counting;

fn main() -> ExitCode {
    signals::prepare();
    let args = args::Args::parse();
    progress::catch_interrupt();
    let done = commands::run(args.command);
    // Damage shows while a store is read. Whatever came of it, good or bad, that is the thing to say.
    match heddle_store::check_all_read().map_err(anyhow::Error::from).and(done) {
        Ok(()) => ExitCode::SUCCESS,
        // `heddle export … | head` is a fine thing to do.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("heddle: {}", text::printable(&format!("{error:#}")));
            if matches!(error.downcast_ref(), Some(StoreError::Cancelled)) {
                ExitCode::from(130)
            } else if error.is::<commands::Usage>() {
                ExitCode::from(2)
            } else {
                ExitCode::from(1)
            }
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
