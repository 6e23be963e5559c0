//! Where the checkout is, and which cargo to call in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// The folder of the workspace: the one above this package.
pub(crate) fn find() -> Result<PathBuf> {
    // Set by `cargo run`; what was true at build time is only the second choice, since checkouts move.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let package = PathBuf::from(package);
    let package = package.canonicalize().with_context(|| format!("{}: no such folder", package.display()))?;
    let root = package.parent().context("xtask must lie in a folder of the workspace")?;
    Ok(root.to_path_buf())
}

/// The cargo that started us, working in the checkout.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    // What `cargo run` says about this package is not true of those that we build.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
            command.env_remove(name);
        }
    }
    command
}

/// Builds a program with a line as a person would type it, and says where cargo put it.
pub(crate) fn build(root: &Path, line: &str, program: &str) -> Result<PathBuf> {
    eprintln!("$ {line}");
    let mut cargo = cargo(root);
    cargo.args(line.split(' ').skip(1)).args(["--message-format", "json-render-diagnostics"]);
    let output = cargo.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("`{line}` failed");
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let built = messages
        .filter(|message| message["target"]["name"] == program && message["profile"]["test"] == false)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from));
    built.with_context(|| format!("cargo built no program named {program}"))
}
