//! The page in the browser: its packages, its checks, and the end-to-end tests.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::installed::is_installed;
use crate::{process, root, tools};

/// Installs the packages that the lock file asks for, unless they are there.
pub(crate) fn packages(root: &Path) -> Result<()> {
    tools::node()?;
    let web = root.join("web");
    if is_installed(&web) {
        println!("as package-lock.json asks for");
        return Ok(());
    }
    npm(root, &["ci", "--no-audit", "--no-fund"], &[])
}

/// Runs one of the scripts of `web/package.json`.
pub(crate) fn script(root: &Path, name: &str) -> Result<()> {
    npm(root, &["run", "--silent", name], &[])
}

/// Builds Heddle with a line for cargo and lets a real browser use it.
pub(crate) fn end_to_end(root: &Path, build: &str) -> Result<()> {
    let chromium = tools::chromium()?;
    let heddle = root::build(root, build, "heddle")?;
    npm(root, &["run", "--silent", "e2e"], &[("HEDDLE_BIN", &heddle), (tools::CHROMIUM_VARIABLE, &chromium)])
}

fn npm(root: &Path, args: &[&str], variables: &[(&str, &Path)]) -> Result<()> {
    let line = format!("npm {}", args.join(" "));
    println!("$ cd web && {line}");
    let mut npm = Command::new("npm");
    npm.current_dir(root.join("web")).args(args).envs(variables.iter().copied());
    let status = npm.status().context("cannot start npm")?;
    if !status.success() {
        bail!("`{line}` ended with {}", process::describe(status));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn installed(there: &str) -> bool {
        let web = tempfile::tempdir().expect("temporary folder");
        let wanted = r#"{"packages": {"": {}, "a": {"version": "1.0"}, "b": {"version": "2.0", "optional": true}}}"#;
        fs::create_dir(web.path().join("node_modules")).expect("folder");
        fs::write(web.path().join("package-lock.json"), wanted).expect("write");
        fs::write(web.path().join("node_modules/.package-lock.json"), there).expect("write");
        is_installed(web.path())
    }

    #[test]
    fn packages_are_installed_when_something_is_missing_left_over_or_old() {
        assert!(installed(r#"{"packages": {"a": {"version": "1.0"}}}"#));
        assert!(installed(r#"{"packages": {"a": {"version": "1.0"}, "b": {"version": "2.0"}}}"#));
        for there in [
            "",
            r#"{"packages": {}}"#,
            r#"{"packages": {"a": {"version": "0.9"}}}"#,
            r#"{"packages": {"a": {"version": "1.0"}, "b": {"version": "1.0"}}}"#,
            r#"{"packages": {"a": {"version": "1.0"}, "c": {"version": "1.0"}}}"#,
        ] {
            assert!(!installed(there), "{there}");
        }
    }
}
