//! Programs that the tests need beyond cargo: found, installed where we may, or named in words.
//!
//! What tests merely compare with may be missing: they skip it and say so. What they cannot do without fails the step
//! that needs it, with what to install.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::process;

/// Package with `otf2-print`, which some tests compare with.
const OTF2_PACKAGE: &str = "otf2-tools";
/// Package with Chromium, in which the page is tested.
const CHROMIUM_PACKAGE: &str = "chromium";
/// Names that Chromium goes by.
const CHROMIUM_PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// Where Chromium is, if it is not on the path.
pub(crate) const CHROMIUM_VARIABLE: &str = "HEDDLE_CHROMIUM";
/// The oldest Node that builds and tests the page, as `web/package.json` has it.
const LEAST_NODE: (u32, u32) = (20, 19);
/// An installation that takes longer has no network.
const INSTALL_LIMIT: Duration = Duration::from_secs(300);

/// Gets what can be got. Fails nothing: whoever needs a program says what is missing.
pub(crate) fn set_up() {
    match std::env::var_os("HEDDLE_TRACES") {
        Some(folder) => println!("sample traces: {}", folder.to_string_lossy()),
        None => println!("note: HEDDLE_TRACES is not set: the conformance tests will count as skipped"),
    }
    get("otf2-print", OTF2_PACKAGE, || process::is_installed("otf2-print"));
    if !process::is_installed("otf2-print") {
        println!(
            "note: otf2-print is missing: comparisons with it are skipped.\n      \
             On Debian and Ubuntu: sudo apt-get install --no-install-recommends {OTF2_PACKAGE}"
        );
    }
    get("Chromium", CHROMIUM_PACKAGE, || chromium().is_ok());
    match node() {
        Ok(version) => println!("Node: {version}"),
        Err(error) => println!("{error:#}"),
    }
}

/// Where Chromium is; else what to do about it.
pub(crate) fn chromium() -> Result<PathBuf> {
    if let Some(program) = std::env::var_os(CHROMIUM_VARIABLE).map(PathBuf::from) {
        if program.is_file() {
            return Ok(program);
        }
        bail!("{CHROMIUM_VARIABLE} is {}, where there is no file", program.display());
    }
    CHROMIUM_PROGRAMS.iter().find_map(|name| process::find(name)).with_context(|| {
        format!(
            "Chromium is missing: the page is tested in it.\n\
             On Debian: sudo apt-get install --no-install-recommends {CHROMIUM_PACKAGE}\n\
             Elsewhere: install Chromium or Google Chrome, and set {CHROMIUM_VARIABLE} to the program if it is none of \
             {} on the path",
            CHROMIUM_PROGRAMS.join(", ")
        )
    })
}

/// The version of Node; else what to do about it.
pub(crate) fn node() -> Result<String> {
    let (major, minor) = LEAST_NODE;
    let needed = format!(
        "the page needs Node {major}.{minor} or newer, and npm: https://nodejs.org, or the package of your system"
    );
    if !process::is_installed("node") || !process::is_installed("npm") {
        bail!("Node or npm is missing: {needed}");
    }
    let output = Command::new("node").arg("--version").output().context("cannot start node")?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if !is_new_enough(&version) {
        bail!("this is Node {version}: {needed}");
    }
    Ok(version)
}

fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.trim_start_matches('v').split('.').map_while(|word| word.parse::<u32>().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= LEAST_NODE
}

/// Installs the package of a program that is missing, where we may.
fn get(program: &str, package: &str, is_there: impl Fn() -> bool) {
    if is_there() {
        println!("{program}: installed");
    } else if can_install() {
        println!("{program}: missing, installing {package}");
        if let Err(error) = install(package) {
            println!("{error:#}");
        }
    } else {
        println!("{program}: missing");
    }
}

fn can_install() -> bool {
    let is_root = || Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    process::is_installed("apt-get") && is_root()
}

fn install(package: &str) -> Result<()> {
    for arguments in [&["update"][..], &["install", "-y", "--no-install-recommends", package]] {
        let mut apt = Command::new("apt-get");
        apt.arg("-qq").args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        process::run(&mut apt, process::Output::Discard, INSTALL_LIMIT)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        for version in ["v20.19.0", "v20.100.1", "v22.0.0", "v100.1.0"] {
            assert!(is_new_enough(version), "{version}");
        }
        for version in ["v20.18.9", "v20.2.0", "v9.99.0", "", "node"] {
            assert!(!is_new_enough(version), "{version}");
        }
    }
}
