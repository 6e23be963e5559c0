//! How long `heddle open` takes to its first scene, and every picture and question after it, over HTTP as the page asks.
//!
//! Windows are drawn by chance, but the same ones for every picture and in every run: at every zoom from the whole run down to a
//! millionth of it; of all ranks, of neighbouring rows, and of chosen ranks, which are the same for all windows of so many.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::cells::{mib, milliseconds, seconds, table, thousands};
use super::measure::{self, Heddle};
use super::report::Section;
use super::server::{PANE, Server, TRACE, store_in};
use super::simulations::{self, Simulated};

/// Ranks of all these stores.
pub(crate) const RANKS: u64 = 16_384;
/// Each zoom in time shows a quarter of the one before.
const TIME_ZOOMS: u32 = 11;
/// Longer than a question is worth: after that much time nothing more of its kind is asked.
const ENOUGH: Duration = Duration::from_secs(20);
/// Longer than anybody waits for an analysis.
const LONGEST_ANALYSIS: Duration = Duration::from_secs(600);

/// Whose part of the trace is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ranks {
    All,
    /// Neighbouring rows, as one sees them after zooming in.
    Rows,
    /// Those that a filter names.
    Chosen,
}

impl Ranks {
    pub(crate) fn name(self) -> &'static str {
        match self {
            All => "all",
            Rows => "some rows",
            Chosen => "chosen",
        }
    }

    /// Which parts of all ranks, and how many windows at each zoom.
    fn parts(self) -> (&'static [u64], u32) {
        match self {
            All => (&[1], 6),
            Rows => (&[8, 64, 512, 4_096], 3),
            Chosen => (&[2, 16, 128, 1_024], 2),
        }
    }
}

/// Something that the page asks.
struct Question {
    name: &'static str,
    /// What is asked of the trace; braces stand for the window, a place in the picture, and selections.
    path: &'static str,
    ranks: &'static [Ranks],
}

use Ranks::{All, Chosen, Rows};

const fn question(name: &'static str, path: &'static str, ranks: &'static [Ranks]) -> Question {
    Question { name, path, ranks }
}

/// An analysis of ranks: there is one for each choice of them.
const CHOSEN: &str = "chosen";

/// All that is asked, by the analysis that it rests on.
const QUESTIONS: [(Option<&str>, &[Question]); 7] = [
    (
        None,
        &[
            question("timeline", "scene/timeline?{window}", &[All, Rows, Chosen]),
            question("timeline: pick", "pick/timeline?{window}&{place}", &[All, Rows]),
            question("activity", "scene/activity?{window}", &[All, Chosen]),
            question("calls: points", "scene/calls?{window}&style=points-end", &[All]),
            question("calls: lines", "scene/calls?{window}&style=lines", &[All]),
            question("calls: arches", "scene/calls?{window}&style=arches", &[All]),
            question("calls: durations", "scene/calls?{window}&durations=1000:100000", &[All]),
            question("calls: pick", "pick/calls?{window}&{place}", &[All]),
            question("time by function", "profile?{window}", &[All, Chosen]),
        ],
    ),
    (
        Some(CHOSEN),
        &[
            question("calls: points", "scene/calls?{window}&style=points-end", &[Chosen]),
            question("calls: lines", "scene/calls?{window}&style=lines", &[Chosen]),
            question("calls: arches", "scene/calls?{window}&style=arches", &[Chosen]),
        ],
    ),
    (Some("by-rank"), &[question("calls: by rank", "scene/calls?{window}&y=rank", &[All])]),
    (
        Some("kinds"),
        &[
            question("calls: bytes", "scene/calls?{window}&bytes=1000:100000", &[All]),
            question("calls: communicator", "scene/calls?{window}&communicator=0", &[All]),
            question("calls: by bytes", "scene/calls?{window}&y=bytes", &[All]),
            question("calls: callers", "scene/calls?{window}&colour=caller", &[All]),
        ],
    ),
    (
        Some("profile"),
        &[
            question("calls: brush", "brush?{window}&select={brush}", &[All]),
            question("profile", "scene/profile?{window}", &[All, Chosen]),
            question("profile: tree", "scene/profile?{window}&tree=1", &[All, Chosen]),
            question("profile: by rank", "scene/profile?{window}&by-rank=1", &[All, Chosen]),
            question("histogram", "scene/histogram?{window}", &[All, Rows, Chosen]),
            question(
                "histogram: linear",
                "scene/histogram?{window}&function=MPI_Waitall&bins=linear",
                &[All, Rows, Chosen],
            ),
        ],
    ),
    (
        Some("messages"),
        &[
            question("matrix: bytes", "scene/matrix?{window}", &[All, Rows, Chosen]),
            question("matrix: wait", "scene/matrix?{window}&volume=wait", &[All, Rows, Chosen]),
            question("matrix: communicator", "scene/matrix?{window}&communicator=0", &[All]),
            question("area", "brush?{window}&select={area}", &[All, Chosen]),
        ],
    ),
    (
        Some("diagnosis"),
        &[
            question("timeline: waits", "scene/timeline?{window}&colour=waits", &[All, Rows, Chosen]),
            question("timeline: cost", "scene/timeline?{window}&colour=cost", &[All, Rows, Chosen]),
            question("timeline: path", "scene/timeline?{window}&colour=path", &[All, Rows, Chosen]),
            question("ranks", "scene/ranks?{window}", &[All, Rows, Chosen]),
            question("efficiency", "efficiency?{window}", &[All, Chosen]),
            question("diagnosis", "diagnosis?{window}", &[All]),
        ],
    ),
];

/// What was measured on one store. Times in seconds.
pub(crate) struct Scenes {
    pub(crate) spans: u64,
    pub(crate) iterations: u64,
    /// From the start of the program to the first scene of the whole run.
    pub(crate) first: f64,
    /// In the order of the questions.
    pub(crate) answers: Vec<Answers>,
    /// Analyses and the seconds until they were there, or why they are not.
    pub(crate) analyses: Vec<(&'static str, Result<f64, String>)>,
    /// The largest scene as it was sent.
    pub(crate) bytes: usize,
}

/// Answers to one question.
pub(crate) struct Answers {
    pub(crate) name: &'static str,
    pub(crate) ranks: Ranks,
    pub(crate) times: Times,
    /// Time of all cores in the server for one of them, on average, in seconds.
    pub(crate) cpu: f64,
}

/// Many times of the same thing.
#[derive(Default)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    /// The time that this share of them does not exceed.
    pub(crate) fn share(&self, share: f64) -> f64 {
        let mut times = self.0.clone();
        times.sort_by(f64::total_cmp);
        let at = (times.len() as f64 * share).ceil() as usize;
        times.get(at.saturating_sub(1)).copied().unwrap_or_default()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    fn sum(&self) -> f64 {
        self.0.iter().sum()
    }

    /// Notes how long something takes that can fail.
    pub(crate) fn time<T>(&mut self, run: impl FnOnce() -> Result<T>) -> Result<T> {
        let start = Instant::now();
        let result = run()?;
        self.0.push(start.elapsed().as_secs_f64());
        Ok(result)
    }
}

/// Simulates a store, serves it, and asks.
pub(crate) fn run(heddle: &Heddle, iterations: u64, folder: &Path) -> Result<(Simulated, Scenes)> {
    let simulated = simulations::run(heddle, RANKS, iterations, &store_in(folder))?;
    eprintln!("scenes");
    let result = Server::of(heddle, folder).and_then(|mut server| ask(&mut server, iterations));
    measure::clear(folder)?;
    Ok((simulated, result?))
}

fn ask(server: &mut Server, iterations: u64) -> Result<Scenes> {
    let info = server.client.get_json(TRACE)?;
    let number = |key: &str| info[key].as_str().and_then(|text| text.parse::<u64>().ok()).context(key.to_owned());
    let (end, spans) = (number("end_ns")?, number("spans")?);
    let first = server.first;
    let mut scenes = Scenes { spans, iterations, first, answers: Vec::new(), analyses: Vec::new(), bytes: 0 };
    for (analysis, questions) in QUESTIONS {
        if let Some(analysis) = analysis {
            let took = wait_for(server, analysis, end)?;
            let is_there = took.is_ok();
            scenes.analyses.push((analysis, took));
            if !is_there {
                continue;
            }
        }
        for question in questions {
            for ranks in question.ranks {
                let mut times = Times::default();
                let before = server.cpu_seconds()?;
                for window in windows(end, *ranks) {
                    let path = window.path(question);
                    let body = times.time(|| server.client.get(&path))?;
                    scenes.bytes = scenes.bytes.max(body.len());
                    if times.sum() > ENOUGH.as_secs_f64() {
                        break;
                    }
                }
                let cpu = (server.cpu_seconds()? - before) / times.len().max(1) as f64;
                scenes.answers.push(Answers { name: question.name, ranks: *ranks, times, cpu });
            }
        }
    }
    Ok(scenes)
}

/// The seconds until an analysis is there, or why it is not.
fn wait_for(server: &mut Server, analysis: &str, end: u64) -> Result<Result<f64, String>> {
    let mut questions = vec![analysis.to_owned()];
    if analysis == CHOSEN {
        questions = windows(end, Chosen).iter().map(|window| format!("{CHOSEN}?{}", window.chosen())).collect();
        questions.dedup();
    }
    let mut took = 0.0;
    for question in questions {
        match server.wait_a_while_for(&question, LONGEST_ANALYSIS)? {
            Ok(seconds) => took += seconds,
            Err(why) => return Ok(Err(why)),
        }
    }
    Ok(Ok(took))
}

/// A part of the trace, and a place in its picture.
struct Window {
    from: u64,
    to: u64,
    /// First and last.
    ranks: (u64, u64),
    shown: Ranks,
    place: (u64, u64),
}

/// The windows that are asked about: the same for every question.
fn windows(end: u64, shown: Ranks) -> Vec<Window> {
    let mut chance = Chance::new();
    let (parts, count) = shown.parts();
    let mut windows = Vec::new();
    for part in parts {
        let ranks = (RANKS / part).max(1);
        // Who chooses ranks goes on looking at them.
        let chosen = (shown == Chosen).then(|| chance.below(RANKS - ranks + 1));
        for zoom in 0..TIME_ZOOMS {
            for _ in 0..count {
                let width = (end >> (2 * zoom)).max(20);
                let from = chance.below(end.saturating_sub(width).max(1));
                let first = chosen.unwrap_or_else(|| chance.below(RANKS - ranks + 1));
                let place = (60 + chance.below(1500), 10 + chance.below(860));
                windows.push(Window { from, to: from + width, ranks: (first, first + ranks - 1), shown, place });
            }
        }
    }
    windows
}

impl Window {
    /// The ranks that are chosen.
    fn chosen(&self) -> String {
        let (first, last) = self.ranks;
        format!("ranks={first}-{last}")
    }

    fn path(&self, question: &Question) -> String {
        let Window { from, to, ranks: (first, last), place: (x, y), .. } = self;
        let part = match self.shown {
            All => String::new(),
            Rows => format!("&rows={first}:{}", last + 1),
            Chosen => format!("&{}", self.chosen()),
        };
        // What is answered in words has no size.
        let is_picture = question.path.starts_with("scene/") || question.path.starts_with("pick/");
        let size = if is_picture { format!("{PANE}&") } else { String::new() };
        let path = question
            .path
            .replace("{window}", &format!("{size}time={from}:{to}{part}"))
            .replace("{place}", &format!("at_x={x}&at_y={y}"))
            .replace("{area}", &format!("area:{from}:{to}:{first}-{last}"))
            .replace("{brush}", &format!("window:{from}:{to}:1000:100000"));
        format!("{TRACE}/{path}")
    }
}

/// Numbers by chance, the same in every run.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new() -> Chance {
        Chance(0x9e37_79b9_7f4a_7c15)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound.max(1)
    }
}

/// What is said of them.
pub(crate) fn section(all: &[Scenes]) -> Section {
    let stores = all.iter().map(|scenes| {
        let took = |took: &Result<f64, String>| took.as_ref().map_or_else(String::clone, |wall| seconds(*wall));
        let analyses = scenes.analyses.iter().map(|(name, wall)| format!("{name} {}", took(wall)));
        vec![
            thousands(scenes.spans),
            milliseconds(scenes.first),
            mib(scenes.bytes as u64),
            analyses.collect::<Vec<_>>().join(", "),
        ]
    });
    let about = format!(
        "`heddle open` on a store of {} ranks, asked over HTTP as the page asks, for pictures of 1600 x 900 pixels. First: from\n\
         the start of the program to the first scene. Size: the largest scene as it was sent. Analyses: until what some pictures\n\
         rest on was computed, once for a store; `chosen`, for each of the filters of ranks that keeps many calls. Below, for each store,\n\
         windows at zooms from the whole run to a millionth of it: of all ranks, of neighbouring rows (an eighth of them to a few), and\n\
         with a filter of ranks (half of them to 16). Times have drawing, encoding, compression and the connection in them.\n\
         Processors: of all cores, for one picture on average.",
        thousands(RANKS),
    );
    let mut tables = table(&["spans", "first", "size", "analyses"], stores);
    for scenes in all {
        tables += &format!("\n### Scenes of {} spans\n\n{}", thousands(scenes.spans), scenes.times());
    }
    let commands: Vec<String> = all.iter().map(|scenes| measure::halo(RANKS, scenes.iterations, "x.heddle")).collect();
    Section::new("Scenes", &about, &tables, &commands)
}

impl Scenes {
    /// How long every picture of a store takes.
    fn times(&self) -> String {
        let rows = self.answers.iter().map(|answers| {
            let [median, most, largest] = [0.5, 0.95, 1.0].map(|share| milliseconds(answers.times.share(share)));
            let (ranks, asked) = (answers.ranks.name().to_owned(), thousands(answers.times.len() as u64));
            vec![answers.name.to_owned(), ranks, asked, median, most, largest, milliseconds(answers.cpu)]
        });
        table(&["picture", "ranks", "asked", "median", "95 %", "largest", "processors"], rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_of_a_store_have_a_table() {
        let scenes = Scenes {
            spans: 90_000,
            iterations: 5,
            first: 0.25,
            answers: vec![Answers {
                name: "matrix",
                ranks: Chosen,
                times: Times(vec![0.003, 0.001, 0.002]),
                cpu: 0.004,
            }],
            analyses: vec![
                ("profile", Ok(1.5)),
                ("messages", Ok(2.0)),
                ("diagnosis", Err("not in 10 minutes".to_owned())),
            ],
            bytes: 3 << 20,
        };
        let text = format!("{:?}", section(&[scenes]));
        for part in [
            "| 90,000 | 250.0 ms | 3.0 MiB | profile 1.500 s, messages 2.000 s, diagnosis not in 10 minutes |",
            "### Scenes of 90,000 spans",
            "| matrix | chosen | 3 | 2.0 ms | 3.0 ms | 3.0 ms | 4.0 ms |",
        ] {
            assert!(text.contains(part), "{part}\nis not in\n{text}");
        }
    }

    #[test]
    fn shares_are_of_all_times() {
        let times = Times((1..=100).rev().map(f64::from).collect());
        assert_eq!([0.5, 0.95, 1.0].map(|share| times.share(share) as u32), [50, 95, 100]);
        assert_eq!(Times::default().share(0.95) as u32, 0);
    }

    #[test]
    fn questions_are_about_their_windows() {
        let window = Window { from: 5, to: 25, ranks: (64, 127), shown: Chosen, place: (70, 80) };
        let asked = |path| window.path(&question("", path, &[]));
        assert_eq!(
            asked("pick/calls?{window}&{place}"),
            "/api/v1/traces/served/pick/calls?width=1600&height=900&frame=pane&time=5:25&ranks=64-127&at_x=70&at_y=80"
        );
        assert_eq!(
            asked("brush?{window}&select={area}"),
            "/api/v1/traces/served/brush?time=5:25&ranks=64-127&select=area:5:25:64-127"
        );
        for shown in [All, Rows, Chosen] {
            let windows = windows(1_000_000_000, shown);
            assert!(windows.iter().all(|window| window.to <= 1_000_000_000 && window.ranks.1 < RANKS));
            assert_eq!((windows[0].from, windows[0].to), (0, 1_000_000_000));
        }
        let mut chosen: Vec<String> = windows(1_000_000_000, Chosen).iter().map(Window::chosen).collect();
        chosen.dedup();
        assert_eq!(chosen.len(), Chosen.parts().0.len(), "as many choices as are kept");
    }
}
