//! How long `heddle open` takes to its first scene, and every scene and pick after it, over HTTP as the page asks.
//!
//! Windows are drawn by chance, but the same ones in every run, at every zoom from the whole run down to a millionth of
//! it and from all ranks down to a few.

use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result};

use super::cells::{mib, milliseconds, spread, table, thousands};
use super::http::Client;
use super::measure::{self, Heddle};
use super::report::Section;
use super::simulations::{self, Simulated};

/// Ranks of all these stores.
pub(crate) const RANKS: u64 = 16_384;
/// Windows for each zoom.
const WINDOWS: u32 = 6;
/// Each zoom in time shows a quarter of the one before.
const TIME_ZOOMS: u32 = 11;
/// How calls are drawn.
pub(crate) const STYLES: [&str; 3] = ["points-end", "lines", "arches"];
/// All rows, and these parts of them.
const ROW_ZOOMS: [u64; 5] = [1, 8, 64, 512, 4_096];

/// What was measured on one store. Times in seconds.
pub(crate) struct Scenes {
    pub(crate) spans: u64,
    pub(crate) iterations: u64,
    /// From the start of the program to the first scene of the whole run.
    pub(crate) first: f64,
    pub(crate) activity: Times,
    pub(crate) timeline: Times,
    pub(crate) picks: Times,
    /// By style.
    pub(crate) calls: [Times; STYLES.len()],
    pub(crate) call_picks: Times,
    /// The largest scene as it was sent.
    pub(crate) bytes: usize,
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
    let store = folder.join("scenes.heddle");
    let simulated = simulations::run(heddle, RANKS, iterations, &store)?;
    eprintln!("scenes");
    let start = Instant::now();
    let mut command = heddle.command(&["open", "--no-browser", "--port", "0"]);
    command.arg(&store).env("XDG_RUNTIME_DIR", folder).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = command.spawn().context("cannot start `heddle open`")?;
    let result = ask(&mut server, start, iterations);
    // It holds nothing that a sudden end could harm.
    server.kill().context("cannot stop `heddle open`")?;
    server.wait()?;
    measure::clear(folder)?;
    Ok((simulated, result?))
}

fn ask(server: &mut std::process::Child, start: Instant, iterations: u64) -> Result<Scenes> {
    let mut client = Client::of(server)?;
    let whole = "/api/v1/traces/scenes/scene/timeline?width=1600&height=900&frame=pane";
    // A store is ready at once, but not before the server is.
    while client.get("/api/v1/traces/scenes").is_err() && start.elapsed().as_secs() < 30 {}
    client.get(whole)?;
    let first = start.elapsed().as_secs_f64();
    let info = client.get_json("/api/v1/traces/scenes")?;
    let number = |key: &str| info[key].as_str().and_then(|text| text.parse::<u64>().ok()).context(key.to_owned());
    let (end, spans) = (number("end_ns")?, number("spans")?);
    let mut scenes = Scenes {
        spans,
        iterations,
        first,
        activity: Times::default(),
        timeline: Times::default(),
        picks: Times::default(),
        calls: STYLES.map(|_| Times::default()),
        call_picks: Times::default(),
        bytes: 0,
    };
    let mut chance = Chance::new();
    for row_zoom in ROW_ZOOMS {
        for time_zoom in 0..TIME_ZOOMS {
            for _ in 0..WINDOWS {
                let width = (end >> (2 * time_zoom)).max(20);
                let from = chance.below(end.saturating_sub(width).max(1));
                let rows = (RANKS / row_zoom).max(1);
                let row = chance.below(RANKS - rows + 1);
                let window =
                    format!("width=1600&height=900&frame=pane&time={from}:{}&rows={row}:{}", from + width, row + rows);
                let views = [("timeline", &mut scenes.timeline), ("activity", &mut scenes.activity)];
                // The rows do not matter to the activity of all ranks.
                for (view, times) in views.into_iter().take(if row_zoom == 1 { 2 } else { 1 }) {
                    let asked = Instant::now();
                    let body = client.get(&format!("/api/v1/traces/scenes/scene/{view}?{window}"))?;
                    times.0.push(asked.elapsed().as_secs_f64());
                    scenes.bytes = scenes.bytes.max(body.len());
                }
                let (x, y) = (60 + chance.below(1500), 10 + chance.below(860));
                let place = format!("{window}&at_x={x}&at_y={y}");
                let asked = Instant::now();
                client.get(&format!("/api/v1/traces/scenes/pick/timeline?{place}"))?;
                scenes.picks.0.push(asked.elapsed().as_secs_f64());
                if row_zoom == 1 {
                    ask_for_calls(&mut client, &window, &place, &mut scenes)?;
                }
            }
        }
    }
    Ok(scenes)
}

/// Asks for the calls of a window in all styles, and for the one at a place.
fn ask_for_calls(client: &mut Client, window: &str, place: &str, scenes: &mut Scenes) -> Result<()> {
    for (style, times) in STYLES.iter().zip(&mut scenes.calls) {
        let asked = Instant::now();
        let body = client.get(&format!("/api/v1/traces/scenes/scene/calls?{window}&style={style}"))?;
        times.0.push(asked.elapsed().as_secs_f64());
        scenes.bytes = scenes.bytes.max(body.len());
    }
    let asked = Instant::now();
    client.get(&format!("/api/v1/traces/scenes/pick/calls?{place}"))?;
    scenes.call_picks.0.push(asked.elapsed().as_secs_f64());
    Ok(())
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
    let rows = all.iter().map(|scenes| {
        vec![
            thousands(scenes.spans),
            milliseconds(scenes.first),
            spread(&scenes.timeline),
            spread(&scenes.activity),
            spread(&scenes.picks),
            spread(&scenes.calls[0]),
            spread(&scenes.calls[1]),
            spread(&scenes.calls[2]),
            spread(&scenes.call_picks),
            mib(scenes.bytes as u64),
        ]
    });
    let counts = all.first().map_or((0, 0), |scenes| (scenes.timeline.len(), scenes.activity.len()));
    let about = format!(
        "`heddle open` on a store of {} ranks, asked over HTTP as the page asks: {} timelines, {} activities and as\n\
         many pictures of calls in each of three styles, of 1600 x 900 pixels, and picks in them, at zooms from the whole run to a millionth of it and from all\n\
         ranks to a few. First: from the start of the program to the first scene. Times are median / 95 % / largest, with\n\
         drawing, encoding, compression and the connection in them. Size: the largest scene as it was sent.",
        thousands(RANKS),
        counts.0,
        counts.1,
    );
    let head = [
        "spans",
        "first",
        "timeline",
        "activity",
        "pick",
        "calls: points",
        "calls: lines",
        "calls: arches",
        "calls: pick",
        "size",
    ];
    let commands: Vec<String> = all.iter().map(|scenes| measure::halo(RANKS, scenes.iterations, "x.heddle")).collect();
    Section::new("Scenes", &about, &table(&head, rows), &commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_all_times() {
        let times = Times((1..=100).rev().map(f64::from).collect());
        assert_eq!([0.5, 0.95, 1.0].map(|share| times.share(share) as u32), [50, 95, 100]);
        assert_eq!(Times::default().share(0.95) as u32, 0);
    }
}
