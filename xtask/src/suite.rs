//! `cargo xtask test`: everything a change must pass, step by step, stopping at the first failure.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::{deps, docs, process, root, tools, web};

/// Runs all steps in order.
pub(crate) fn run() -> Result<()> {
    let root = root::find()?;
    let mut steps = Steps { done: Vec::new(), start: Instant::now() };
    steps.step("set-up", "cargo xtask test", || {
        tools::set_up();
        Ok(())
    })?;
    steps.step("packages of the page", "cd web && npm ci", || web::packages(&root))?;
    for (name, script) in [("types of the page", "check"), ("lints of the page", "lint"), ("tests of the page", "test")]
    {
        steps.step(name, &format!("cd web && npm run {script}"), || web::script(&root, script))?;
    }
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
    // The very program that the tests have just built: another command might choose other features, and build anew.
    steps.step("end-to-end tests", "cargo xtask test-page", || {
        web::end_to_end(&root, "cargo test --workspace --no-run")
    })?;
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
