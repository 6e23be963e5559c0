//! What `heddle simulate` writes as OTF2 is a sound archive for the format's own reader, and the same trace as
//! the simulation stored directly.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::path::Path;
use std::process::Command;

use common::{Place, text};

/// What otf2-print counts, or `None` if it is not installed.
fn otf2_print(anchor: &Path) -> Option<(u64, u64)> {
    let printed = match Command::new("otf2-print").arg(anchor).output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            println!("skipped: otf2-print is not on the PATH");
            return None;
        }
        printed => printed.unwrap(),
    };
    assert!(printed.status.success(), "{}", anchor.display());
    assert_eq!(String::from_utf8_lossy(&printed.stderr), "", "{}", anchor.display());
    let text = String::from_utf8(printed.stdout).unwrap();
    let is_event = |line: &&str| {
        let mut words = line.split_whitespace();
        words.next().is_some_and(|word| word.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
            && words.next().is_some_and(|word| word.parse::<u64>().is_ok())
            && words.next().is_some_and(|word| word.parse::<u64>().is_ok())
    };
    let events: Vec<&str> = text.lines().filter(is_event).collect();
    let enters = events.iter().filter(|line| line.starts_with("ENTER")).count() as u64;
    Some((events.len() as u64, enters))
}

/// Simulates a program as an archive and as a store, and compares them with each other and with otf2-print.
fn agree(program: &str, options: &[&str]) {
    let place = Place::new();
    let what = format!("{program} {options:?}");
    for output in ["run.otf2", "run.heddle"] {
        place.ok(&[&["simulate", program, "-o", output], options].concat());
    }
    let anchor = place.path("run.otf2");
    let mut archived = place.json(&["info", "--json", text(&anchor)]);
    let mut direct = place.json(&["info", "--json", "run.heddle"]);
    if let Some((events, enters)) = otf2_print(&anchor) {
        assert_eq!(archived["events"].as_u64(), Some(events), "{what}");
        assert_eq!(archived["spans"].as_u64(), Some(enters), "{what}");
    }
    for info in [&mut archived, &mut direct] {
        for key in ["format", "creator", "name"] {
            info.as_object_mut().unwrap().remove(key);
        }
    }
    assert_eq!(archived, direct, "{what}");
    assert_eq!(archived["warnings"].as_array().map(Vec::len), Some(0), "{what}");
    for key in ["unmatched_sends", "unmatched_receives"] {
        assert_eq!(archived[key], 0, "{what}");
    }
}

#[test]
fn otf2_print_and_the_store_see_the_same_trace() {
    for options in [
        &["--ranks", "16"][..],
        &["--ranks", "16", "--eager", "0", "--slow-node", "0", "--ranks-per-node", "4"],
        &["--ranks", "12", "--periodic", "--slow-rank", "3"],
        &["--ranks", "8", "--dimensions", "3", "--bytes", "0"],
        &["--ranks", "27", "--dimensions", "3", "--periodic"],
        &["--ranks", "1"],
        &["--ranks", "1", "--periodic", "--allreduce-every", "0"],
        &["--ranks", "2", "--periodic", "--ranks-per-node", "1"],
        &["--ranks", "64", "--noise", "0"],
    ] {
        agree("halo", &[options, &["--iterations", "12"]].concat());
    }
}

#[test]
fn otf2_print_accepts_every_program() {
    for (program, more) in [
        ("ring", &["--laps", "3"][..]),
        ("merge-tree", &["--arity", "3"]),
        ("merge-tree", &["--arity", "2", "--order", "improved"]),
        ("pf3d", &["--part", "both"]),
        ("pf3d", &["--part", "neighbours", "--order", "fixed"]),
        ("pf3d", &["--part", "fft", "--steps", "1"]),
        ("matmul", &["--panels", "5"]),
        ("matmul", &["--panels", "5", "--form", "plain"]),
        ("lu", &["--panels", "5"]),
        ("inverse", &["--panels", "3", "--pieces", "2"]),
        ("eigen", &["--steps", "7", "--back-steps", "5"]),
        ("orthogonalise", &["--blocks", "5"]),
        ("multigrid", &["--cycles", "2"]),
        ("train", &["--steps", "3", "--straggler", "0"]),
        ("scalapack", &["--panels", "3"]),
        ("scalapack", &["--panels", "3", "--operations", "lu,matmul"]),
    ] {
        for ranks in ["1", "12"] {
            agree(program, &[&["--ranks", ranks], more].concat());
        }
    }
}
