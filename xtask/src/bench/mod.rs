//! `cargo xtask bench`: how fast Heddle imports, beside the peers that are installed, in the same run; and how fast it
//! draws and simulates.
//!
//! Input is simulated by Heddle itself, so that anybody can repeat it. Each size is read once, so that
//! the file cache is warm for everybody; then every program takes its turn, several rounds, and the
//! best of each counts. Everything lies in a temporary folder under `.bench/`, removed at the end.

mod cells;
mod http;
mod import;
mod large;
mod logical;
mod machine;
mod measure;
mod peers;
mod progress;
mod readers;
mod report;
mod scenes;
mod server;
mod simulations;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::{UsageError, root};
use measure::Heddle;
use peers::Peers;
use report::Report;

/// Events of the size series.
const SERIES: [u64; 3] = [200_000, 2_000_000, 20_000_000];
/// Ranks of the size series.
const RANKS: u64 = 64;
/// Spans of the stores whose scenes are timed; the third only with `--large`, the last only with `--billion`.
const SCENES: [u64; 4] = [1_000_000, 10_000_000, 100_000_000, 1_000_000_000];
/// Ranks and about how many events of the simulations that are timed besides; the last one only with `--large`.
const SIMULATIONS: [(u64, u64); 2] = [(1_024, 5_000_000), (1_048_576, 60_000_000)];
/// What can be measured by itself.
const PARTS: [&str; 6] = ["import", "formats", "large", "scenes", "logical", "progression"];

/// What the command line asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    spans: Option<u64>,
    quick: bool,
    large: bool,
    billion: bool,
    only: Vec<String>,
    write: bool,
    heddle: Option<PathBuf>,
}

impl Options {
    /// Understands the words after `bench`.
    pub(crate) fn parse(args: &[String]) -> Result<Options> {
        let mut options = Options::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = |what: &str| args.next().ok_or_else(|| UsageError(format!("`{arg}` needs {what}")));
            match arg.as_str() {
                "--quick" => options.quick = true,
                "--large" => options.large = true,
                // It ends the series of the large ones.
                "--billion" => (options.large, options.billion) = (true, true),
                "--write" => options.write = true,
                "--only" => {
                    let words = value("parts, such as `import,scenes`")?;
                    options.only = words.split(',').map(str::to_owned).collect();
                    if let Some(wrong) = options.only.iter().find(|part| !PARTS.contains(&part.as_str())) {
                        let text = format!("`--only` knows {}, not `{wrong}`", PARTS.join(", "));
                        return Err(UsageError(text).into());
                    }
                }
                "--spans" => {
                    let word = value("a number of spans")?;
                    let number = word.replace('_', "").parse().ok().filter(|spans| *spans > 0);
                    let wrong = || UsageError(format!("`--spans` needs a number of spans, not `{word}`"));
                    options.spans = Some(number.ok_or_else(wrong)?);
                }
                "--heddle" => options.heddle = Some(PathBuf::from(value("the program's file")?)),
                other => return Err(UsageError(format!("`bench` has no option `{other}`")).into()),
            }
        }
        if options.write && options.heddle.is_some() {
            let text = "`--write` publishes what this checkout builds: it does not go with `--heddle`";
            return Err(UsageError(text.to_owned()).into());
        }
        Ok(options)
    }

    fn rounds(&self) -> usize {
        if self.quick { 1 } else { 3 }
    }

    fn wants(&self, part: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|wanted| wanted == part)
    }

    /// How many of the sizes of a growing series.
    fn sizes(&self) -> usize {
        if self.large { 3 } else { 2 - usize::from(self.quick) }
    }
}

/// Runs the benchmarks and prints the report.
pub(crate) fn run(options: &Options) -> Result<()> {
    let root = root::find()?;
    let program = match &options.heddle {
        Some(file) => file.canonicalize().with_context(|| format!("{}: no such program", file.display()))?,
        None => root::build(&root, "cargo build --release -p heddle", "heddle")?,
    };
    let shelf = root.join(".bench");
    fs::create_dir_all(&shelf).context("cannot create .bench/")?;
    let folder = tempfile::Builder::new().prefix("run-").tempdir_in(&shelf)?;
    let result = measure_all(options, &Heddle { program }, &root, folder.path());
    folder.close().context("cannot remove the benchmark's files in .bench/")?;
    // Fails, rightly, while another run has its folder there.
    let _ = fs::remove_dir(&shelf);

    let mut report = result?;
    let page = root.join("docs/benchmarks.md");
    if options.write {
        report.keep(&fs::read_to_string(&page).unwrap_or_default());
    }
    let text = report.to_markdown();
    println!("{text}");
    if options.write {
        fs::write(&page, text).context("cannot write docs/benchmarks.md")?;
        eprintln!("written to docs/benchmarks.md");
    }
    Ok(())
}

fn measure_all(options: &Options, heddle: &Heddle, root: &Path, folder: &Path) -> Result<Report> {
    let peers = Peers::find(folder)?;
    let pilot = Pilot::run(heddle, folder)?;
    let mut report = Report::new(options.rounds(), &peers);
    if options.wants("import") {
        let sizes: Result<Vec<import::Size>> = import_sizes(options, &pilot)
            .into_iter()
            .map(|iterations| import::Case { ranks: RANKS, iterations, rounds: options.rounds() })
            .map(|case| case.run(heddle, &peers, folder))
            .collect();
        report.add(import::sections(&sizes?));
    }
    if options.wants("formats") {
        let (maker, share) = (readers::maker(root)?, if options.quick { 10 } else { 1 });
        report.add([readers::section(&readers::run(heddle, &maker, options.rounds(), share, folder)?)]);
    }
    if options.wants("large") && options.large {
        report.add([large::section(&large::run(heddle, &pilot, options.billion, folder)?)]);
    }
    if options.wants("scenes") {
        let (mut simulated, mut drawn) = (Vec::new(), Vec::new());
        for spans in &SCENES[..options.sizes() + usize::from(options.billion)] {
            let (simulation, scenes) = scenes::run(heddle, pilot.spans_of(scenes::RANKS).iterations(*spans), folder)?;
            simulated.push(simulation);
            drawn.push(scenes);
        }
        for (ranks, events) in &SIMULATIONS[..=usize::from(options.large)] {
            let iterations = pilot.events.iterations(events * RANKS / ranks);
            simulated.push(simulations::run(heddle, *ranks, iterations, &folder.join("x.heddle"))?);
            measure::clear(folder)?;
        }
        report.add([simulations::section(&simulated), scenes::section(&drawn)]);
    }
    if options.wants("logical") {
        report.add([logical::section(&logical::run(heddle, options.sizes(), folder)?)]);
    }
    if options.wants("progression") {
        report.add([progress::section(&progress::run(heddle, options.sizes(), folder)?)]);
    }
    Ok(report)
}

fn import_sizes(options: &Options, pilot: &Pilot) -> Vec<u64> {
    match options.spans {
        Some(spans) => vec![pilot.spans.iterations(spans)],
        None if options.quick => SERIES[..2].iter().map(|events| pilot.events.iterations(*events)).collect(),
        None => SERIES.iter().map(|events| pilot.events.iterations(*events)).collect(),
    }
}

/// How events and spans grow with the iterations, told from two small runs: the sizes hold whatever
/// the simulated program does in one iteration.
#[derive(Debug)]
struct Pilot {
    events: Line,
    spans: Line,
}

impl Pilot {
    fn run(heddle: &Heddle, folder: &Path) -> Result<Pilot> {
        eprintln!("pilot runs");
        let counts = |iterations| -> Result<(u64, u64)> {
            let trace = heddle.simulate(RANKS, iterations, folder, "pilot.otf2")?;
            let imported = heddle.import(&trace, &folder.join("pilot.heddle"), None)?;
            measure::clear(folder)?;
            Ok((imported.events, imported.spans))
        };
        let (few, many) = (counts(8)?, counts(24)?);
        Ok(Pilot { events: Line::through((8, few.0), (24, many.0)), spans: Line::through((8, few.1), (24, many.1)) })
    }
}

impl Pilot {
    /// The same for the spans of another number of ranks, each of which does about the same.
    fn spans_of(&self, ranks: u64) -> Line {
        let times = ranks as f64 / RANKS as f64;
        Line { base: self.spans.base * times, slope: self.spans.slope * times }
    }
}

/// `count = base + slope * iterations`.
#[derive(Debug)]
struct Line {
    base: f64,
    slope: f64,
}

impl Line {
    fn through(a: (u64, u64), b: (u64, u64)) -> Line {
        let slope = (b.1 as f64 - a.1 as f64) / (b.0 as f64 - a.0 as f64);
        Line { base: a.1 as f64 - slope * a.0 as f64, slope }
    }

    /// How many iterations give about `count`; at least one.
    fn iterations(&self, count: u64) -> u64 {
        if self.slope > 0.0 { ((count as f64 - self.base) / self.slope).round().max(1.0) as u64 } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_understood() {
        let words = ["--spans", "1_000_000", "--large", "--heddle", "x", "--only", "import,large"].map(str::to_owned);
        let options = Options::parse(&words).expect("good options");
        let only = vec!["import".to_owned(), "large".to_owned()];
        let expected =
            Options { spans: Some(1_000_000), large: true, heddle: Some("x".into()), only, ..Options::default() };
        assert_eq!(options, expected);
        assert!(options.wants("large") && !options.wants("scenes") && Options::default().wants("scenes"));
        let wrong: [&[&str]; 6] = [
            &["--spans"],
            &["--spans", "0"],
            &["--heddle"],
            &["--fast"],
            &["--write", "--heddle", "x"],
            &["--only", "import,everything"],
        ];
        for words in wrong {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert!(Options::parse(&words).expect_err("bad options").is::<UsageError>(), "{words:?}");
        }
    }

    #[test]
    fn iterations_follow_the_pilot_runs() {
        // 100 events before and after, 50 an iteration.
        let line = Line::through((8, 500), (24, 1300));
        assert_eq!(line.iterations(100 + 50 * 1234), 1234);
        assert_eq!(line.iterations(3), 1);
        assert_eq!(Line::through((8, 500), (24, 500)).iterations(1_000_000), 1);
    }
}
