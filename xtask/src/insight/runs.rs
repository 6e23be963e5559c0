//! Running `heddle`: runs with and without faults, how long they take, and what is said of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use super::plant::Fault;
use super::said::Said;
use super::settings::Setting;
use crate::process::{self, Output, TIME_LIMIT};

/// The program, and a folder for its traces.
#[derive(Debug)]
pub(super) struct Heddle {
    pub(super) program: PathBuf,
    pub(super) folder: PathBuf,
}

/// A simulated run. Its trace is removed with it.
#[derive(Debug)]
pub(super) struct Run {
    store: PathBuf,
    pub(super) measured: Measured,
    /// As a person would type it.
    pub(super) command: String,
}

/// What can be measured without any diagnosis.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    /// In nanoseconds.
    pub(super) length: i64,
    pub(super) ranks: f64,
    /// Time of all ranks in calls of MPI.
    pub(super) in_mpi: f64,
    /// The functions that compute, longest first.
    pub(super) functions: Vec<Function>,
}

/// A function of the program.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: String,
    /// Time of all ranks in it, without what it calls.
    pub(super) exclusive: f64,
    pub(super) count: f64,
}

impl Measured {
    fn parse(text: &str) -> Result<Measured> {
        let value: Value = serde_json::from_str(text).context("`heddle info --json` is no JSON")?;
        let length = value["end_ns"].as_i64().context("the run has no end")?;
        let ranks = value["ranks"].as_f64().context("the run has no ranks")?;
        let (mut in_mpi, mut functions) = (0.0, Vec::new());
        for region in value["regions"].as_array().into_iter().flatten() {
            let exclusive = region["exclusive_ns"].as_f64().unwrap_or(0.0);
            if region["paradigm"] == "mpi" {
                in_mpi += exclusive;
            } else if exclusive > 0.01 * length as f64 * ranks {
                let name = region["name"].as_str().unwrap_or_default().to_owned();
                functions.push(Function { name, exclusive, count: region["count"].as_f64().unwrap_or(1.0).max(1.0) });
            }
        }
        functions.sort_by(|one, other| other.exclusive.total_cmp(&one.exclusive));
        Ok(Measured { length, ranks, in_mpi, functions })
    }

    /// What a fault costs against the run without it: how much longer the run takes, or how much more of the time of all ranks
    /// is spent in MPI, whichever is more.
    pub(super) fn cost(&self, without: &Measured) -> f64 {
        let longer = self.length as f64 / without.length.max(1) as f64 - 1.0;
        let waiting = (self.in_mpi - without.in_mpi) / (self.ranks * self.length as f64).max(1.0);
        longer.max(waiting)
    }
}

impl Heddle {
    /// Simulates a run with faults. Fails if it cannot have them.
    pub(super) fn simulate(&self, setting: &Setting, faults: &[Fault], name: &str) -> Result<Run> {
        let store = self.folder.join(format!("{name}.heddle"));
        let (mut words, mut hints) = (setting.words(), String::new());
        for (number, fault) in faults.iter().enumerate() {
            match &fault.file {
                None => words.extend(fault.words.iter().cloned()),
                Some((text, how)) => {
                    hints = format!("  # factors: {how}");
                    let file = self.folder.join(format!("{name}-{number}.txt"));
                    fs::write(&file, text)?;
                    words.extend(["--fault".to_owned(), format!("factors:file={}", file.display())]);
                }
            }
        }
        let command = format!("heddle simulate {} -o run.heddle{hints}", words.join(" "));
        let command = command.replace(&format!("{}/", self.folder.display()), "");
        said_by(Command::new(&self.program).arg("simulate").args(&words).arg("--force").arg("-o").arg(&store))?;
        let info = said_by(Command::new(&self.program).arg("info").arg(&store).arg("--json"))?;
        Ok(Run { store, measured: Measured::parse(&info)?, command })
    }

    /// Pairs of ranks that exchange messages, busiest first.
    pub(super) fn pairs(&self, run: &Run) -> Result<Vec<(u32, u32)>> {
        let table = said_by(Command::new(&self.program).arg("export").arg(&run.store).args(["--table", "messages"]))?;
        let mut counts = BTreeMap::new();
        for line in table.lines().skip(1) {
            let mut ends = line.split(',').map_while(|word| word.parse::<u32>().ok());
            if let (Some(from), Some(to)) = (ends.next(), ends.next()) {
                *counts.entry((from.min(to), from.max(to))).or_insert(0_u64) += 1;
            }
        }
        let mut pairs: Vec<((u32, u32), u64)> = counts.into_iter().collect();
        pairs.sort_by_key(|(pair, count)| (std::cmp::Reverse(*count), *pair));
        Ok(pairs.into_iter().map(|(pair, _)| pair).collect())
    }

    /// All that a run has recorded of calls and messages.
    pub(super) fn records(&self, run: &Run) -> Result<[String; 2]> {
        let table = |name| said_by(Command::new(&self.program).arg("export").arg(&run.store).args(["--table", name]));
        Ok([table("spans")?, table("messages")?])
    }

    pub(super) fn diagnose(&self, run: &Run) -> Result<Said> {
        let text = said_by(Command::new(&self.program).arg("diagnose").arg(&run.store).arg("--json"))?;
        Said::parse(&text, run.measured.length, &self.computed(run)?)
    }

    /// How long each rank computed: what it spent outside of calls of MPI.
    fn computed(&self, run: &Run) -> Result<BTreeMap<u32, i64>> {
        let table = said_by(Command::new(&self.program).arg("export").arg(&run.store).args(["--table", "profile"]))?;
        let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let head = lines.next().context("the profile is empty")?;
        let column = |name: &str| {
            head.iter().position(|column| *column == name).with_context(|| format!("the profile has no {name}"))
        };
        let (rank, region, time) = (column("rank")?, column("region")?, column("exclusive_ns")?);
        let mut computed = BTreeMap::new();
        for line in lines.filter(|line| line.get(region).is_some_and(|region| !region.starts_with("MPI_"))) {
            let number = |at: usize| line.get(at).and_then(|word| word.parse::<i64>().ok());
            if let (Some(rank), Some(time)) = (number(rank).and_then(|rank| u32::try_from(rank).ok()), number(time)) {
                *computed.entry(rank).or_insert(0) += time;
            }
        }
        Ok(computed)
    }

    /// The computations of a rank that begin in a stretch of time, as what each calls nobody else for: when, and for how long.
    pub(super) fn computations(&self, run: &Run, rank: u32, from: i64, until: i64) -> Result<Vec<(i64, i64)>> {
        let table = said_by(Command::new(&self.program).arg("export").arg(&run.store).args(["--table", "spans"]))?;
        let of_rank = table.lines().skip(1).filter_map(|line| {
            let words: Vec<&str> = line.split(',').collect();
            let [_, of, region, start, end, ..] = words.as_slice() else { return None };
            let is_its = of.parse::<u32>().ok()? == rank;
            is_its.then_some(((*region).to_owned(), start.parse::<i64>().ok()?, end.parse::<i64>().ok()?))
        });
        let spans: Vec<(String, i64, i64)> = of_rank.collect();
        let is_innermost = |at: usize| spans.get(at + 1).is_none_or(|next| next.1 >= spans[at].2);
        let computes = |at: &usize| !spans[*at].0.starts_with("MPI_") && is_innermost(*at);
        let computing = (0..spans.len()).filter(computes).map(|at| (spans[at].1, spans[at].2 - spans[at].1));
        Ok(computing.filter(|(start, _)| from <= *start && *start < until).collect())
    }
}

/// What a command writes.
fn said_by(command: &mut Command) -> Result<String> {
    Ok(process::run(command, Output::Keep, TIME_LIMIT)?.stdout)
}

impl Drop for Run {
    fn drop(&mut self) {
        // What is left goes with the folder.
        let _ = remove(&self.store);
    }
}

fn remove(store: &Path) -> std::io::Result<()> {
    if store.is_dir() { fs::remove_dir_all(store) } else { fs::remove_file(store) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_costs_what_the_run_takes_longer_or_waits_more() {
        let run = |length, in_mpi| Measured { length, ranks: 10.0, in_mpi, functions: Vec::new() };
        assert!((run(1_100, 0.0).cost(&run(1_000, 0.0)) - 0.1).abs() < 1e-9);
        assert!((run(1_000, 3_000.0).cost(&run(1_000, 1_000.0)) - 0.2).abs() < 1e-9);
        assert!(run(1_000, 500.0).cost(&run(1_000, 1_000.0)) <= 0.0);
    }
}
