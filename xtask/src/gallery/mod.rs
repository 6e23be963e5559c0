//! `cargo xtask gallery`: the figures of `docs/gallery/` and the page about them, from the program itself.
//!
//! The case studies come from `heddle demo --list --json`, the sample traces from [`samples`], the figures of papers,
//! which have pages of their own, from [`PAPERS`]. Figures are the same bytes on every machine, so a regenerated one differs
//! only when the code does; each is drawn twice to be sure. A figure whose trace is not here stays as it was committed.

mod calls;
mod fat_trees;
mod logical;
mod network;
mod page;
mod plate;
mod progression;
mod samples;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process::{self, Output, TIME_LIMIT};
use crate::{UsageError, root};
use plate::{Origin, Plate, PlateFigure};
use samples::SAMPLES;

/// A gallery is looked at over the network: a larger figure shows too much at once.
const LARGEST_FIGURE: usize = 200_000;

/// Pages with figures of a paper: file, head, figures.
static PAPERS: [(&str, &str, &[Plate]); 5] = [
    ("calls.md", page::CALLS, calls::PLATES),
    ("logical.md", page::LOGICAL, logical::PLATES),
    ("network.md", page::NETWORK, network::PLATES),
    ("fat-trees.md", page::FAT_TREES, fat_trees::PLATES),
    ("progression.md", page::PROGRESSION, progression::PLATES),
];

/// How to go about it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Change nothing; fail if something would change.
    check: bool,
    /// The program to use instead of building one.
    heddle: Option<PathBuf>,
}

impl Options {
    /// From the words after `gallery`.
    pub(crate) fn parse(args: &[String]) -> Result<Options, UsageError> {
        let mut options = Options::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--check" => options.check = true,
                "--heddle" => {
                    let file = args.next().ok_or_else(|| UsageError("`--heddle` needs a file".to_owned()))?;
                    options.heddle = Some(PathBuf::from(file));
                }
                other => return Err(UsageError(format!("`gallery` has no option `{other}`"))),
            }
        }
        Ok(options)
    }
}

/// What has a heading of its own.
struct Entry {
    title: String,
    about: String,
    /// What to type in order to see it.
    command: String,
    figures: Vec<Figure>,
}

/// A figure, and how it is drawn.
struct Figure {
    /// Its file, without the ending.
    file: String,
    caption: String,
    /// View and options of `heddle render`.
    render: String,
    /// What is drawn; nothing if it is not here.
    input: Option<PathBuf>,
}

/// Draws everything and writes the page.
pub(crate) fn run(options: &Options) -> Result<()> {
    let root = root::find()?;
    let heddle = match &options.heddle {
        Some(file) => std::path::absolute(file)?,
        None => root::build(&root, "cargo build --release -p heddle", "heddle")?,
    };
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let easel = Easel { heddle, stores: scratch.path().to_owned() };
    let mut shelf = Shelf { folder: root.join("docs/gallery"), check: options.check, changed: Vec::new() };
    let cases = cases(&easel)?;
    let samples = sampled();
    let papers = PAPERS.iter().map(|(_, _, figures)| plates(&easel, figures)).collect::<Result<Vec<Vec<Entry>>>>()?;
    let all = || cases.iter().chain(&samples).chain(papers.iter().flatten());
    for figure in all().flat_map(|entry| &entry.figures) {
        let name = format!("{}.png", figure.file);
        match &figure.input {
            Some(input) => shelf.put(&name, &easel.draw(figure, input)?)?,
            None => println!("{name}: its trace is not here, the figure stays as it is"),
        }
    }
    let text = page::page(&cases, &samples, &is_there(&shelf.folder));
    shelf.put("README.md", text.as_bytes())?;
    for ((name, head, _), entries) in PAPERS.iter().zip(&papers) {
        let text = page::plates(head, entries, &is_there(&shelf.folder));
        shelf.put(name, text.as_bytes())?;
    }
    let figures = all().flat_map(|entry| &entry.figures);
    shelf.tidy(&figures.map(|figure| format!("{}.png", figure.file)).collect())?;
    shelf.end()
}

/// Whether a figure has been drawn, now or before.
fn is_there(folder: &Path) -> impl Fn(&Figure) -> bool + use<'_> {
    |figure| folder.join(format!("{}.png", figure.file)).is_file()
}

/// Figures of papers, from sample traces and from programs simulated for them.
fn plates(easel: &Easel, plates: &[Plate]) -> Result<Vec<Entry>> {
    let input = |origin: Origin| -> Result<Option<PathBuf>> {
        let program = match origin {
            Origin::Sample(trace) => return Ok(sample(trace)),
            Origin::Simulated(program) => program,
        };
        let store = easel.stores.join(format!("{}.heddle", program.replace(" --", "-").replace([' ', '/'], "-")));
        if !store.exists() {
            println!("simulating {program}");
            let output = store.to_string_lossy();
            let words: Vec<&str> = program.split(' ').collect();
            easel.run(&[&["simulate"], &words[..], &["-o", &*output]].concat())?;
        }
        Ok(Some(store))
    };
    let figure = |figure: &PlateFigure| -> Result<Figure> {
        Ok(Figure {
            file: figure.file.to_owned(),
            caption: figure.caption.to_owned(),
            render: figure.render.to_owned(),
            input: input(figure.origin)?,
        })
    };
    let entry = |plate: &Plate| -> Result<Entry> {
        let mut programs: Vec<String> = Vec::new();
        for figure in plate.figures {
            let line = match figure.origin {
                Origin::Sample(trace) => format!("heddle open {}", trace.rsplit('/').next().unwrap_or(trace)),
                Origin::Simulated(program) => format!("heddle simulate {program} -o x.heddle"),
            };
            if !programs.contains(&line) {
                programs.push(line);
            }
        }
        let figures = plate.figures.iter().map(figure).collect::<Result<Vec<Figure>>>()?;
        let (title, about) = (plate.title.to_owned(), plate.about.to_owned());
        Ok(Entry { title, about, command: programs.join("\n"), figures })
    };
    plates.iter().map(entry).collect()
}

/// A sample trace, if it is here.
fn sample(trace: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("HEDDLE_TRACES").and_then(|folder| std::path::absolute(folder).ok())?;
    Some(folder.join(trace)).filter(|trace| trace.exists())
}

/// The case studies, each simulated.
fn cases(easel: &Easel) -> Result<Vec<Entry>> {
    let listed: Value = serde_json::from_str(&easel.run(&["demo", "--list", "--json"])?)?;
    let word = |value: &Value, key: &str| -> Result<String> {
        Ok(value[key].as_str().with_context(|| format!("`heddle demo --list --json` has no `{key}`"))?.to_owned())
    };
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut entries = Vec::new();
    for case in list(&listed) {
        let name = word(&case, "name")?;
        println!("simulating {name}");
        let stores = easel.run(&["demo", &name, "--prepare"])?;
        let stores: Vec<PathBuf> = stores.lines().map(PathBuf::from).collect();
        let figures = list(&case["figures"]).into_iter().map(|figure| {
            let run = word(&figure, "run")?;
            let store = stores.iter().find(|store| store.file_stem().is_some_and(|stem| stem == run.as_str()));
            let store = store.with_context(|| format!("`heddle demo {name} --prepare` made no run {run}"))?;
            Ok(Figure {
                file: word(&figure, "file")?,
                caption: word(&figure, "caption")?,
                render: word(&figure, "render")?,
                input: Some(store.clone()),
            })
        });
        let figures = figures.collect::<Result<Vec<Figure>>>()?;
        let (title, about) = (word(&case, "title")?, word(&case, "about")?);
        entries.push(Entry { title, about, command: format!("heddle demo {name}"), figures });
    }
    Ok(entries)
}

/// The sample traces, as far as they are here.
fn sampled() -> Vec<Entry> {
    let entry = |sample: &samples::Sample| Entry {
        title: sample.title.to_owned(),
        about: sample.about.to_owned(),
        command: format!("heddle open {}", sample.trace.rsplit('/').next().unwrap_or(sample.trace)),
        figures: sample
            .figures
            .iter()
            .map(|figure| Figure {
                file: figure.file.to_owned(),
                caption: figure.caption.to_owned(),
                render: figure.render.to_owned(),
                input: self::sample(sample.trace),
            })
            .collect(),
    };
    SAMPLES.iter().map(entry).collect()
}

/// The program, and where it keeps its stores.
struct Easel {
    heddle: PathBuf,
    stores: PathBuf,
}

impl Easel {
    /// Runs it; what it wrote to stdout.
    fn run(&self, args: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.heddle);
        command.args(args).env("HEDDLE_STORE", &self.stores);
        Ok(process::run(&mut command, Output::Keep, TIME_LIMIT)?.stdout)
    }

    /// The bytes of a figure: drawn with all cores and with one, which must not make a difference.
    fn draw(&self, figure: &Figure, input: &Path) -> Result<Vec<u8>> {
        let path = self.stores.join("figure.png");
        let (input, output) = (input.to_string_lossy(), path.to_string_lossy());
        let options: Vec<&str> = figure.render.split(' ').collect();
        let (view, rest) = options.split_first().context("a figure without a view")?;
        let drawn = |more: &[&str]| -> Result<Vec<u8>> {
            self.run(&[&["render", view, &*input, "-o", &*output], rest, more].concat())?;
            Ok(fs::read(&path)?)
        };
        let (once, again) = (drawn(&[])?, drawn(&["--threads", "1"])?);
        if once != again {
            bail!("{}.png: drawn twice, it came out differently", figure.file);
        }
        if once.len() > LARGEST_FIGURE {
            bail!("{}.png has {} bytes, more than {LARGEST_FIGURE}: show less of it", figure.file, once.len());
        }
        Ok(once)
    }
}

/// The folder of the gallery.
struct Shelf {
    folder: PathBuf,
    check: bool,
    changed: Vec<String>,
}

impl Shelf {
    /// Puts a file there unless it is there already.
    fn put(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.folder.join(name);
        if fs::read(&path).is_ok_and(|found| found == bytes) {
            return Ok(());
        }
        self.changed.push(name.to_owned());
        if self.check {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        fs::write(&path, bytes).with_context(|| format!("{name}: cannot write"))
    }

    /// Removes figures that nobody names any more.
    fn tidy(&mut self, known: &HashSet<String>) -> Result<()> {
        for entry in fs::read_dir(&self.folder).into_iter().flatten() {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if Path::new(&name).extension().is_some_and(|end| end == "png") && !known.contains(&name) {
                if !self.check {
                    fs::remove_file(self.folder.join(&name))?;
                }
                self.changed.push(name);
            }
        }
        Ok(())
    }

    /// Says what has changed; when only checking, that is a fault.
    fn end(self) -> Result<()> {
        if self.changed.is_empty() {
            println!("docs/gallery is as the code draws it");
            return Ok(());
        }
        let list = self.changed.join("\n  ");
        if self.check {
            bail!("docs/gallery is not as the code draws it; `cargo xtask gallery` draws these again:\n  {list}");
        }
        println!("changed in docs/gallery:\n  {list}");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf(folder: &Path, check: bool) -> Shelf {
        Shelf { folder: folder.to_owned(), check, changed: Vec::new() }
    }

    #[test]
    fn only_what_differs_is_written_and_what_nobody_names_goes() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("old.png"), "old").expect("write");
        let mut first = shelf(folder.path(), false);
        first.put("a.png", b"a").expect("put");
        first.tidy(&HashSet::from(["a.png".to_owned()])).expect("tidy");
        assert_eq!(first.changed, ["a.png", "old.png"]);
        assert!(path("a.png").is_file() && !path("old.png").exists());
        let mut second = shelf(folder.path(), true);
        second.put("a.png", b"a").expect("put");
        assert!(second.changed.is_empty() && second.end().is_ok());
    }

    #[test]
    fn a_check_changes_nothing_and_names_what_would() {
        let folder = tempfile::tempdir().expect("temporary folder");
        fs::write(folder.path().join("a.png"), "a").expect("write");
        let mut shelf = shelf(folder.path(), true);
        shelf.put("a.png", b"b").expect("put");
        shelf.tidy(&HashSet::new()).expect("tidy");
        assert_eq!(fs::read(folder.path().join("a.png")).expect("read"), b"a");
        assert!(shelf.end().expect_err("changed").to_string().contains("a.png"));
    }

    #[test]
    fn names_of_figures_of_samples_are_different() {
        let mut taken = HashSet::new();
        let samples = SAMPLES.iter().flat_map(|sample| sample.figures).map(|figure| figure.file);
        let plates = PAPERS.iter().flat_map(|(_, _, plates)| *plates);
        for file in samples.chain(plates.flat_map(|plate| plate.figures).map(|figure| figure.file)) {
            assert!(taken.insert(file), "two are called {file}");
        }
    }

    #[test]
    fn pages_of_papers_cite_them_and_show_their_figures() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/gallery");
        let papers = [
            (
                "calls.md",
                "*Visual analysis of inter-process communication for large-scale parallel computing* (2009)",
                // 6f, 6g and 7.
                vec!["calls-6-back", "calls-6-orthogonalise", "calls-6-orthogonalise-recorded", "calls-7-16k"],
            ),
            (
                "logical.md",
                "*Combing the communication hairball: visualizing parallel execution traces using logical time* (2014)",
                // 1, 6 to 8, 12, 13, 14b and 15.
                vec![
                    "logical-1-clusters",
                    "logical-6-root",
                    "logical-7-glyphs",
                    "logical-8-waits",
                    "logical-12-16k",
                    "logical-13-filled",
                    "logical-14-later",
                    "logical-15-all",
                    "logical-15-some",
                ],
            ),
            (
                "network.md",
                "*Visualizing network traffic to understand the performance of massively parallel simulations* (2012)",
                // 2 to 10.
                vec![
                    "network-2-measured",
                    "network-3-plane",
                    "network-4-plane",
                    "network-5-rings",
                    "network-6-plane",
                    "network-7-tiltz",
                    "network-8-512-x",
                    "network-9-plane",
                    "network-10-hot",
                ],
            ),
            (
                "fat-trees.md",
                "*Graph visualization for the analysis of the structure and dynamics of extreme-scale supercomputers* (2002)",
                // 1 to 6, and the machine of 4,096 nodes in all seven.
                vec![
                    "fat-tree-1-qs",
                    "fat-tree-2-all",
                    "fat-tree-3-blocks",
                    "fat-tree-4-ht",
                    "fat-tree-4-f1",
                    "fat-tree-5-6",
                    "fat-tree-6-6",
                    "fat-tree-4k-qs",
                    "fat-tree-4k-dl",
                    "fat-tree-4k-dc",
                    "fat-tree-4k-dr",
                    "fat-tree-4k-lb",
                ],
            ),
            (
                "progression.md",
                "*Summarizing task-based applications behavior over many nodes through progression clustering* (2023)",
                // 1 to 9.
                vec![
                    "progress-1-gantt",
                    "progress-2-lines",
                    "progress-3-densities",
                    "progress-4-groups",
                    "progress-5-slow-link",
                    "progress-5-gantt",
                    "progress-5-distribution",
                    "progress-6-loads",
                    "progress-6-gantt",
                    "progress-7-all-slow",
                    "progress-8-phases",
                    "progress-8-gantt",
                    "progress-9-workers",
                ],
            ),
        ];
        assert_eq!(papers.len(), PAPERS.len());
        for (page, title, wanted) in papers {
            let plates = PAPERS.iter().find(|(name, _, _)| *name == page).map(|(_, _, plates)| *plates).expect(page);
            let text = fs::read_to_string(folder.join(page)).expect(page).replace('\n', " ");
            assert!(text.contains(title), "{page} does not cite {title}");
            let files: Vec<&str> = plates.iter().flat_map(|plate| plate.figures).map(|figure| figure.file).collect();
            for file in &files {
                let drawn = format!("{file}.png");
                assert!(text.contains(&format!("]({drawn})")), "{page} does not show {drawn}");
                assert!(folder.join(&drawn).is_file(), "{drawn} is not drawn yet");
            }
            for file in wanted {
                assert!(files.contains(&file), "{page} has no {file}");
            }
        }
    }

    #[test]
    fn options_are_understood() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
        let options = Options::parse(&words(&["--check", "--heddle", "x"])).expect("fine");
        assert_eq!(options, Options { check: true, heddle: Some("x".into()) });
        assert!(Options::parse(&words(&["--heddle"])).is_err() && Options::parse(&words(&["halo"])).is_err());
    }
}
