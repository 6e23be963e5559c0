//! Runs the real program in a directory of its own.

// Every test file is a crate of its own and uses some of this.
#![allow(dead_code)]
#![allow(clippy::unwrap_used, clippy::panic)] // a test that cannot go on should say so and stop

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A directory to work in; stores go to its folder `stores`.
pub(crate) struct Place {
    directory: TempDir,
}

/// What a run left on its three channels.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place { directory: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The program, to be run in this place.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
        command
            .args(args)
            .current_dir(self.directory.path())
            .env("HEDDLE_STORE", self.path("stores"))
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Done {
        Done::of(self.command(args).output().unwrap())
    }

    /// A run that must succeed; what it wrote to stdout.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let done = self.run(args);
        assert_eq!(done.code, Some(0), "{args:?}: {}", done.stderr);
        String::from_utf8(done.stdout).unwrap()
    }

    pub(crate) fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(args)).unwrap()
    }

    /// A run that must fail with this code and say all these words.
    pub(crate) fn fails(&self, args: &[&str], code: i32, words: &[&str]) -> String {
        let done = self.run(args);
        assert_eq!(done.code, Some(code), "{args:?}: {}", done.stderr);
        assert!(done.stdout.is_empty(), "{args:?} failed, yet wrote data");
        assert!(!done.stderr.contains("panicked"), "{args:?}: {}", done.stderr);
        for word in words {
            assert!(done.stderr.contains(word), "{args:?} does not say `{word}`: {}", done.stderr);
        }
        done.stderr
    }

    /// A small simulated archive `NAME.otf2` here.
    pub(crate) fn simulate(&self, name: &str, more: &[&str]) -> PathBuf {
        let file = format!("{name}.otf2");
        self.ok(&[&["simulate", "halo", "-o", &file], more].concat());
        self.path(&file)
    }

    /// Names of what is in a folder here, sorted.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        names_in(&self.path(folder))
    }
}

impl Done {
    pub(crate) fn of(output: Output) -> Done {
        Done {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
