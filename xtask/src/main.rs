//! Heddle's own chores, run as `cargo xtask …`: the whole test suite, the checks of layering and
//! documents that it contains, the benchmarks, the gallery, and how well the diagnosis finds what is wrong.
//!
//! Exit codes are those of Heddle itself: 0 done, 1 something was found wrong, 2 the command line was.

mod bench;
mod deps;
mod docs;
mod gallery;
mod imports;
mod insight;
#[path = "../../crates/heddle-server/installed.rs"]
mod installed;
mod process;
mod root;
mod suite;
mod tools;
mod web;

use std::process::ExitCode;

use anyhow::Result;

const HELP: &str = "\
Chores of the Heddle project.

Usage: cargo xtask COMMAND

Commands:
  test          everything a change must pass: format, lints, checks below, all tests
  test-page     only the end-to-end tests of the page, in Chromium
  check-deps    crates, and folders of the page, depend on each other in one direction only
  check-docs    documents name every crate, their links resolve, no file holds a path of somebody's machine
  bench         measure the import against the peers that are installed, print a table
                  --spans N       one size of about N spans instead of the series
                  --quick         the two smaller sizes, each once
                  --large         also about 100 million spans, and up to 1,048,576 ranks
                  --billion       the same, and a trace and a store of 10^9 spans: 50 GB of disk
                  --only A,B      some of import, formats, large, scenes, logical, progression
                  --heddle FILE   measure this program instead of building one
                  --write         put what was measured into docs/benchmarks.md
  gallery       draw the figures of docs/gallery and write its page; HEDDLE_TRACES says where the sample traces are
                  --check         change nothing, fail if something would change
                  --heddle FILE   use this program instead of building one
  insight       plant faults into simulated runs and see whether `heddle diagnose` finds them, and nothing else
                  --quick         one size of every program instead of four
                  --kind K        only faults of this kind, or `clean`
                  --program P     only runs of this program
                  --seed N        the first of the seeds (default 1000; those below 100 are for tuning)
                  --json          all cases as JSON
                  --heddle FILE   use this program instead of building one
  help          this text

Examples:
  cargo xtask test
  cargo xtask bench --quick
";

/// The command line made no sense: exit code 2 and a pointer to the help.
#[derive(Debug)]
struct UsageError(String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n  `cargo xtask help` lists commands and options", self.0)
    }
}

impl std::error::Error for UsageError {}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(if error.is::<UsageError>() { 2 } else { 1 })
        }
    }
}

fn run(args: &[String]) -> Result<()> {
    let Some((command, rest)) = args.split_first() else {
        return Err(UsageError("which chore?".to_owned()).into());
    };
    if rest.iter().any(|arg| arg == "--help" || arg == "-h") {
        print!("{HELP}");
        return Ok(());
    }
    match command.as_str() {
        "test" => {
            no_options(command, rest)?;
            suite::run()
        }
        "test-page" => {
            no_options(command, rest)?;
            let root = root::find()?;
            web::packages(&root)?;
            web::end_to_end(&root, "cargo build -p heddle")
        }
        "check-deps" => {
            no_options(command, rest)?;
            deps::check(&root::find()?)
        }
        "check-docs" => {
            no_options(command, rest)?;
            docs::check(&root::find()?)
        }
        "bench" => bench::run(&bench::Options::parse(rest)?),
        "insight" => insight::run(&insight::Options::parse(rest)?),
        "gallery" => gallery::run(&gallery::Options::parse(rest)?),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(UsageError(format!("there is no chore `{other}`")).into()),
    }
}

fn no_options(command: &str, rest: &[String]) -> Result<(), UsageError> {
    match rest.first() {
        None => Ok(()),
        Some(arg) => Err(UsageError(format!("`{command}` takes no options, but got `{arg}`"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn nonsense_is_a_usage_error_and_names_the_word() {
        for words in [
            &[][..],
            &["tset"],
            &["test", "--fast"],
            &["bench", "--span"],
            &["bench", "--spans", "many"],
            &["gallery", "--chek"],
            &["insight", "--kind", "stal"],
        ] {
            let error = run(&args(words)).expect_err("nonsense");
            assert!(error.is::<UsageError>(), "{words:?}: {error}");
            if let Some(last) = words.last() {
                assert!(error.to_string().contains(last), "{words:?}: {error}");
            }
        }
    }
}
