//! The programs that Heddle is compared with: `otf2-print`, and the OTF2 C library's bare reading loop.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::cells::none;
use super::measure::Rate;
use crate::process::{self, Output, TIME_LIMIT};

/// The loop itself; see there.
const LOOP_SOURCE: &str = include_str!("otf2_loop.c");

/// What a comparison needs and whether it is there.
pub(crate) struct Peers {
    otf2_print: bool,
    /// The compiled loop, or why there is none.
    otf2_loop: Result<PathBuf, String>,
    /// Version of the OTF2 library, if there is one.
    pub(crate) version: Option<String>,
}

/// A peer's result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Peer<T> {
    /// Its best round.
    Best(T),
    /// It is not here, or it failed: why.
    Absent(String),
}

impl<T> Peer<T> {
    /// The result, if there is one.
    pub(crate) fn best(&self) -> Option<&T> {
        match self {
            Peer::Best(result) => Some(result),
            Peer::Absent(_) => None,
        }
    }

    /// What stands in a table where there is no result.
    pub(crate) fn absent(&self) -> String {
        match self {
            Peer::Best(_) => none(),
            Peer::Absent(why) if why.contains("not installed") => "not installed".to_owned(),
            Peer::Absent(_) => "failed".to_owned(),
        }
    }

    /// Why there is no result.
    pub(crate) fn why(&self) -> Option<&str> {
        match self {
            Peer::Best(_) => None,
            // The first line names the command and its end; what a program said on its way may hold paths.
            Peer::Absent(why) => Some(why.lines().next().unwrap_or_default().trim_end_matches(':')),
        }
    }

    /// Counts another round: the better one stays, a failure stays a failure.
    pub(crate) fn add(&mut self, round: Result<T, String>, is_better: impl Fn(&T, &T) -> bool) {
        match (&*self, round) {
            (Peer::Best(best), Ok(new)) if is_better(&new, best) => *self = Peer::Best(new),
            (Peer::Best(_), Err(why)) => *self = Peer::Absent(why),
            _ => {}
        }
    }
}

/// A sentence on numbers that a table lacks, each reason once.
pub(super) fn missing<'a>(reasons: impl Iterator<Item = &'a str>) -> String {
    let mut reasons: Vec<&str> = reasons.collect();
    reasons.sort_unstable();
    reasons.dedup();
    if reasons.is_empty() { String::new() } else { format!("\nMissing numbers: {}.", reasons.join("; ")) }
}

impl Peers {
    /// Looks for the peers and compiles the loop into `folder`.
    pub(crate) fn find(folder: &Path) -> Result<Peers> {
        let version = config("--version").map(|text| text.replace("otf2-config: version", "").trim().to_owned());
        let peers = Peers { otf2_print: process::is_installed("otf2-print"), otf2_loop: compile(folder)?, version };
        if let Err(why) = &peers.otf2_loop {
            eprintln!("note: no comparison with the OTF2 C library: {why}");
        }
        Ok(peers)
    }

    /// `otf2-print x.otf2 > /dev/null`, in seconds.
    pub(crate) fn print(&self, trace: &Path) -> Result<f64, String> {
        if !self.otf2_print {
            return Err("otf2-print is not installed (Debian: otf2-tools)".to_owned());
        }
        let run = process::run(Command::new("otf2-print").arg(trace), Output::Discard, TIME_LIMIT);
        run.map(|run| run.wall.as_secs_f64()).map_err(|error| format!("{error:#}"))
    }

    /// The bare loop: events, and the seconds that reading them took.
    pub(crate) fn bare_loop(&self, trace: &Path) -> Result<Rate, String> {
        let program = self.otf2_loop.as_ref().map_err(Clone::clone)?;
        let run = process::run(Command::new(program).arg(trace), Output::Keep, TIME_LIMIT);
        run.and_then(|run| Rate::parse(&run.stdout)).map_err(|error| format!("{error:#}"))
    }
}

fn compile(folder: &Path) -> Result<Result<PathBuf, String>> {
    let flags = ["--cflags", "--ldflags", "--libs"].map(config);
    let [Some(cflags), Some(ldflags), Some(libs)] = flags else {
        return Ok(Err("otf2-config is not installed (Debian: libotf2-trace-dev)".to_owned()));
    };
    let (source, program) = (folder.join("otf2_loop.c"), folder.join("otf2_loop"));
    std::fs::write(&source, LOOP_SOURCE)?;
    let mut cc = Command::new("cc");
    cc.arg("-O2").args(cflags.split_whitespace()).arg(&source).arg("-o").arg(&program);
    cc.args(ldflags.split_whitespace()).args(libs.split_whitespace());
    let compiled = process::run(&mut cc, Output::Discard, TIME_LIMIT);
    Ok(compiled.map(|_| program).map_err(|error| format!("{error:#}")))
}

fn config(option: &str) -> Option<String> {
    let output = Command::new("otf2-config").arg(option).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_better_round_stays_and_a_failure_too() {
        let mut peer = Peer::Best(2.0);
        peer.add(Ok(3.0), |new, best| new < best);
        assert_eq!(peer, Peer::Best(2.0));
        peer.add(Ok(1.0), |new, best| new < best);
        assert_eq!(peer, Peer::Best(1.0));
        peer.add(Err("gone".to_owned()), |new, best| new < best);
        peer.add(Ok(0.5), |new, best| new < best);
        assert_eq!(peer, Peer::Absent("gone".to_owned()));
    }

    #[test]
    fn what_a_failed_peer_said_stays_out_of_the_report() {
        let failed: Peer<f64> =
            Peer::Absent("`otf2-print x.otf2` failed (exit code 7):\n[some/folder] broken".to_owned());
        let absent: Peer<f64> = Peer::Absent("otf2-print is not installed (Debian: otf2-tools)".to_owned());
        assert_eq!((failed.absent(), absent.absent()), ("failed".to_owned(), "not installed".to_owned()));
        let text = missing([&failed, &absent, &absent].into_iter().filter_map(|peer| peer.why()));
        let expected = "\nMissing numbers: `otf2-print x.otf2` failed (exit code 7); otf2-print is not installed (Debian: otf2-tools).";
        assert_eq!(text, expected);
        assert_eq!(missing(std::iter::empty()), "");
    }
}
