//! The program under test: what it is asked to do, and what it answers.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::process::{self, Output, Run, TIME_LIMIT};

/// How often `heddle info` is asked: it is short, and its median is what people feel.
const INFO_RUNS: usize = 20;
/// Threads that the import may use.
pub(crate) const THREADS: &str = "2";

/// Events, and the seconds it took to get through them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rate {
    pub(crate) events: u64,
    pub(crate) seconds: f64,
}

impl Rate {
    /// From `{"events":N,"seconds":S}`.
    pub(crate) fn parse(text: &str) -> Result<Rate> {
        let json = parse_json(text)?;
        let seconds = json["seconds"].as_f64().context("no `seconds` in the answer")?;
        Ok(Rate { events: number(&json, "events")?, seconds })
    }

    /// Events per second.
    pub(crate) fn per_second(&self) -> f64 {
        self.events as f64 / self.seconds.max(1e-9)
    }
}

/// Seconds that `heddle info` took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Info {
    pub(crate) best: f64,
    pub(crate) median: f64,
}

/// The program under test.
pub(crate) struct Heddle {
    pub(crate) program: PathBuf,
}

/// A finished import.
pub(crate) struct Imported {
    pub(crate) events: u64,
    pub(crate) spans: u64,
    pub(crate) stages: Vec<Stage>,
    pub(crate) run: Run,
}

/// A stage of an import: seconds on the clock, of all threads on processors, and on the clock with a single thread at work.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stage {
    pub(crate) name: String,
    pub(crate) wall: f64,
    pub(crate) cpu: f64,
    pub(crate) serial: f64,
}

impl Stage {
    fn parse(json: &Value) -> Result<Stage> {
        let seconds = |key: &str| json[key].as_f64().with_context(|| format!("no number `{key}` of a stage"));
        let name = json["name"].as_str().context("a stage without a name")?.to_owned();
        let wall = seconds("seconds")?;
        // A stage may be too short for a share.
        let serial = wall * json["serial_share"].as_f64().unwrap_or(0.0);
        Ok(Stage { name, wall, cpu: seconds("cpu_seconds")?, serial })
    }
}

impl Imported {
    /// The share of the time in which a single thread had work.
    pub(crate) fn serial_share(&self) -> f64 {
        self.stages.iter().map(|stage| stage.serial).sum::<f64>() / self.run.wall.as_secs_f64().max(1e-9)
    }
}

impl Heddle {
    /// `heddle simulate halo` into `folder/name`.
    pub(crate) fn simulate(&self, ranks: u64, iterations: u64, folder: &Path, name: &str) -> Result<PathBuf> {
        let file = folder.join(name);
        let mut command = self.command(&["simulate", "halo", "--seed", "1"]);
        command.args(["--ranks", &ranks.to_string(), "--iterations", &iterations.to_string()]).arg("-o").arg(&file);
        process::run(&mut command, Output::Discard, TIME_LIMIT)?;
        Ok(file)
    }

    /// `heddle import`: everything, from bytes to indexes.
    pub(crate) fn import(&self, trace: &Path, store: &Path, budget: Option<&str>) -> Result<Imported> {
        self.import_with(trace, store, budget, THREADS)
    }

    /// The same with a number of threads.
    pub(crate) fn import_with(
        &self,
        trace: &Path,
        store: &Path,
        budget: Option<&str>,
        threads: &str,
    ) -> Result<Imported> {
        if store.exists() {
            fs::remove_dir_all(store)?;
        }
        let mut command = self.command(&["import"]);
        command.arg(trace).arg("-o").arg(store).args(["--threads", threads, "--json"]);
        if let Some(budget) = budget {
            command.args(["--memory", budget]);
        }
        let run = process::run(&mut command, Output::Keep, TIME_LIMIT)?;
        let answer = parse_json(&run.stdout).context("`heddle import --json`")?;
        let stages = answer["stages"].as_array().context("no `stages` in the answer")?;
        Ok(Imported {
            events: number(&answer, "events")?,
            spans: number(&answer, "spans")?,
            stages: stages.iter().map(Stage::parse).collect::<Result<_>>()?,
            run,
        })
    }

    /// `heddle bench-decode`: one thread, decoding only.
    pub(crate) fn decode(&self, trace: &Path) -> Result<Rate> {
        let run = process::run(self.command(&["bench-decode"]).arg(trace), Output::Keep, TIME_LIMIT)?;
        Rate::parse(&run.stdout).context("`heddle bench-decode`")
    }

    /// `heddle bench-decode`: seconds from bytes to records, opening included.
    pub(crate) fn read(&self, trace: &Path) -> Result<f64> {
        let run = process::run(self.command(&["bench-decode"]).arg(trace), Output::Keep, TIME_LIMIT)?;
        let answer = parse_json(&run.stdout).context("`heddle bench-decode`")?;
        let seconds = |key: &str| answer[key].as_f64().with_context(|| format!("no `{key}` in the answer"));
        Ok(seconds("open_seconds")? + seconds("seconds")?)
    }

    /// `heddle info --json`, often.
    pub(crate) fn info(&self, store: &Path) -> Result<Info> {
        let mut times = Vec::with_capacity(INFO_RUNS);
        for _ in 0..INFO_RUNS {
            let run = process::run(self.command(&["info"]).arg(store).arg("--json"), Output::Keep, TIME_LIMIT)?;
            times.push(run.wall.as_secs_f64());
            parse_json(&run.stdout).context("`heddle info --json`")?;
        }
        Ok(best_and_median(times))
    }

    /// How many spans a store has.
    pub(crate) fn spans(&self, store: &Path) -> Result<u64> {
        let run = process::run(self.command(&["info"]).arg(store).arg("--json"), Output::Keep, TIME_LIMIT)?;
        number(&parse_json(&run.stdout).context("`heddle info --json`")?, "spans")
    }

    /// A call of the program.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(words);
        command
    }
}

/// The stencil code as somebody would type it.
pub(crate) fn halo(ranks: u64, iterations: u64, file: &str) -> String {
    format!("heddle simulate halo --seed 1 --ranks {ranks} --iterations {iterations} -o {file}")
}

/// Removes all traces and stores from the benchmark's folder; the peers' programs stay.
pub(crate) fn clear(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("otf2_loop") {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn best_and_median(mut times: Vec<f64>) -> Info {
    times.sort_by(f64::total_cmp);
    let middle = times.len() / 2;
    let median =
        if times.len().is_multiple_of(2) { f64::midpoint(times[middle - 1], times[middle]) } else { times[middle] };
    Info { best: times[0], median }
}

pub(crate) fn parse_json(text: &str) -> Result<Value> {
    serde_json::from_str(text.trim())
        .with_context(|| format!("expected JSON, got {:?}", text.get(..80).unwrap_or(text)))
}

pub(crate) fn number(json: &Value, key: &str) -> Result<u64> {
    json[key].as_u64().with_context(|| format!("no number `{key}` in the answer"))
}

/// Reads every trace file below `folder` once, so that the first program has no colder files than the
/// last; returns their bytes.
pub(crate) fn warm(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for file in files(folder)? {
        if !file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("otf2_loop")) {
            bytes += io::copy(&mut File::open(file)?, &mut io::sink())?;
        }
    }
    Ok(bytes)
}

pub(crate) fn folder_bytes(folder: &Path) -> Result<u64> {
    files(folder)?.iter().map(|file| Ok(fs::metadata(file)?.len())).sum()
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() { open.push(entry.path()) } else { found.push(entry.path()) }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_from_json() {
        let rate = Rate::parse("{\"events\":10,\"seconds\":0.5}\n").expect("well-formed");
        assert_eq!(rate, Rate { events: 10, seconds: 0.5 });
        assert!((rate.per_second() - 20.0).abs() < 1e-9);
        assert!(Rate::parse("{\"events\":10}").is_err());
        assert!(format!("{:#}", Rate::parse("oops").expect_err("no JSON")).contains("oops"));
    }

    #[test]
    fn median_of_an_even_number_is_between() {
        let info = best_and_median(vec![4.0, 1.0, 2.0, 3.0]);
        assert_eq!(info, Info { best: 1.0, median: 2.5 });
    }

    #[test]
    fn all_files_count_and_clearing_leaves_the_peers() {
        let folder = tempfile::tempdir().expect("temporary folder");
        fs::create_dir(folder.path().join("x")).expect("folder");
        for (name, bytes) in [("x/0.evt", 3), ("x.otf2", 4), ("otf2_loop", 100)] {
            fs::write(folder.path().join(name), vec![0; bytes]).expect("write");
        }
        assert_eq!(warm(folder.path()).expect("readable"), 7);
        assert_eq!(folder_bytes(&folder.path().join("x")).expect("readable"), 3);
        clear(folder.path()).expect("removable");
        assert_eq!(files(folder.path()).expect("readable"), [folder.path().join("otf2_loop")]);
    }
}
