//! `cargo xtask test`: everything a change must pass, step by step, stopping at the first failure.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::{deps, docs, process, root};

/// Package with `otf2-print`, which some tests compare with.
const OTF2_PACKAGE: &str = "otf2-tools";

/// Runs all steps in order.
pub(crate) fn run() -> Result<()> {
    let root = root::find()?;
    let mut steps = Steps { done: Vec::new(), start: Instant::now() };
    steps.step("set-up", "cargo xtask test", || {
        set_up();
        Ok(())
    })?;
    steps.cargo(&root, "format", "cargo fmt --all --check", "`cargo fmt --all` puts it right")?;
    steps.cargo(
        &root,
        "lints",
        "cargo clippy --workspace --all-targets -- -D warnings",
        "the lints are policy: CONTRIBUTING.md says how to make an exception",
    )?;
    steps.step("direction of dependencies", "cargo xtask check-deps", || deps::check(&root))?;
    steps.step("documents", "cargo xtask check-docs", || docs::check(&root))?;
    steps.cargo(&root, "tests", "cargo test --workspace", "`cargo test -p CRATE NAME` runs one of them")?;
    steps.summary();
    if std::env::var_os("HEDDLE_TRACES").is_none() {
        println!("{} conformance tests skipped: HEDDLE_TRACES is not set", conformance_tests(&root)?);
    }
    Ok(())
}

/// How many tests compare with sample traces: those of the test programs with `truth` in their name.
fn conformance_tests(root: &Path) -> Result<usize> {
    let mut cargo = root::cargo(root);
    cargo.args(["test", "--quiet", "--workspace", "--test", "*truth*", "--", "--list"]);
    let output = cargo.output().context("cannot start cargo")?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter(|line| line.ends_with(": test")).count())
}

/// What has been done so far, with times.
struct Steps {
    done: Vec<(&'static str, Duration)>,
    start: Instant,
}

impl Steps {
    fn step(&mut self, name: &'static str, rerun: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        println!("\n=== {name}");
        let start = Instant::now();
        let result = work();
        let took = start.elapsed();
        println!("=== {name}: {} in {}", if result.is_ok() { "passed" } else { "FAILED" }, seconds(took));
        self.done.push((name, took));
        result.with_context(|| format!("the step \"{name}\" failed. Run it again with\n  {rerun}\nWhat went wrong"))
    }

    /// A step that is one call of cargo, given as the line a person would type.
    fn cargo(&mut self, root: &Path, name: &'static str, line: &str, hint: &str) -> Result<()> {
        self.step(name, line, || {
            println!("$ {line}");
            let status = root::cargo(root).args(line.split(' ').skip(1)).status().context("cannot start cargo")?;
            if status.success() {
                return Ok(());
            }
            bail!("`{line}` ended with {}; {hint}", process::describe(status))
        })
    }

    fn summary(&self) {
        println!("\n=== all passed");
        for (name, took) in &self.done {
            println!("{:>9}  {name}", seconds(*took));
        }
        println!("{:>9}  in total", seconds(self.start.elapsed()));
    }
}

/// What tests need beyond cargo. Nothing here can fail the suite: tests skip what they cannot compare.
fn set_up() {
    match std::env::var_os("HEDDLE_TRACES") {
        Some(folder) => println!("sample traces: {}", folder.to_string_lossy()),
        None => println!("note: HEDDLE_TRACES is not set: the conformance tests will count as skipped"),
    }
    if process::is_installed("otf2-print") {
        println!("otf2-print: installed");
    } else if can_install() {
        println!("otf2-print: missing, installing {OTF2_PACKAGE}");
        if let Err(error) = install() {
            println!("{error:#}");
        }
        if !process::is_installed("otf2-print") {
            say_what_is_skipped();
        }
    } else {
        say_what_is_skipped();
    }
}

fn say_what_is_skipped() {
    println!(
        "note: otf2-print is missing: comparisons with it are skipped.\n      \
         On Debian and Ubuntu: sudo apt-get install --no-install-recommends {OTF2_PACKAGE}"
    );
}

fn can_install() -> bool {
    let is_root = || Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    process::is_installed("apt-get") && is_root()
}

fn install() -> Result<()> {
    for arguments in [&["update"][..], &["install", "-y", "--no-install-recommends", OTF2_PACKAGE]] {
        let mut apt = Command::new("apt-get");
        apt.arg("-qq").args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        process::run(&mut apt, process::Output::Discard, Duration::from_secs(180))?;
    }
    Ok(())
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_says_how_to_run_it_again() {
        let mut steps = Steps { done: Vec::new(), start: Instant::now() };
        let error = steps.step("lints", "cargo clippy", || bail!("warnings")).expect_err("failed");
        let text = format!("{error:#}");
        assert!(text.contains("lints") && text.contains("cargo clippy") && text.contains("warnings"), "{text}");
        assert_eq!(steps.done.len(), 1);
    }
}
