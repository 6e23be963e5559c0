//! What pictures of calls and messages say under the pointer, against plain scans, whatever the window, the ranks, the functions that are
//! hidden and the communicator: the same filter in all of them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use heddle_model::{CommId, LocationId, Ns, RegionId};
use heddle_options::Given;
use heddle_profile::CallProfile;
use heddle_profile::messages::Messages;
use heddle_simulate::{Machine, Pf3d, Pf3dOptions, simulate};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_view::{
    Emphasis, Framing, Layer, RankSet, Raster, Scene, Size, Trace, View, ViewRequest, Window, area_told, duration_text,
};
use proptest::prelude::*;

mod common;
#[path = "common/profiles.rs"]
mod profiles;
use common::{request, within};
use profiles::{Scanned, scan};

/// A run of several communicators, with what pictures of it rest on.
fn whole() -> Trace<'static> {
    static WHOLE: OnceLock<(tempfile::TempDir, Store, Arc<CallProfile>, Arc<Messages>)> = OnceLock::new();
    let (_, store, profile, messages) = WHOLE.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        let options = Pf3dOptions { ranks: 16, steps: 2, ..Pf3dOptions::default() };
        let simulation = simulate(Pf3d::new(&options).unwrap(), &Machine::default()).unwrap();
        let place = directory.path().join("x.heddle");
        let store = store_simulation(&simulation, "pf3d", &place, 1 << 28, &NoProgress).unwrap();
        let profile = Arc::new(CallProfile::open(&store, &NoProgress).unwrap());
        let messages = Arc::new(Messages::open(&store, &NoProgress).unwrap());
        (directory, store, profile, messages)
    });
    Trace { profile: Some(Arc::clone(profile)), messages: Some(Arc::clone(messages)), ..Trace::from(store) }
}

/// What pictures are limited to.
#[derive(Clone, Debug)]
struct Filter {
    time: (i64, i64),
    ranks: RankSet,
    hidden: Vec<RegionId>,
    communicator: Option<u32>,
}

fn filter() -> impl Strategy<Value = Filter> {
    let ranks = proptest::collection::btree_set(0u32..16, 1..10);
    (0u16.., 0u16.., ranks, 0usize..12, 0u32..6).prop_map(|(a, b, ranks, hide, communicator)| {
        let store = whole().store;
        let at = |share: u16| i64::from(share) * store.summary().end_ns / 65_535;
        let regions = store.regions.len() as usize;
        Filter {
            time: (at(a.min(b)), at(a.max(b)) + 1),
            ranks: ranks.into_iter().collect(),
            hidden: (hide < regions).then_some(RegionId(hide as u32)).into_iter().collect(),
            communicator: Some(communicator).filter(|number| u64::from(*number) < store.communicators.len()),
        }
    })
}

impl Filter {
    fn asked(&self, options: &[(&str, &str)]) -> ViewRequest {
        let window = Window { ranks: Some(self.ranks.clone()), ..within(self.time.0, self.time.1) };
        let emphasis = Emphasis { hidden: self.hidden.clone(), ..Emphasis::default() };
        let options = Given::by_program(options.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
        let size = Size { width: 1200, height: 900 };
        ViewRequest { framing: Framing::Pane, options, emphasis, size, ..request(window) }
    }

    /// All calls of the chosen ranks with a part in the window, rank by rank.
    fn calls(&self, store: &Store) -> Vec<Scanned> {
        let (from, to) = self.time;
        let is_in = |call: &Scanned| {
            (call.start < to || to >= store.summary().end_ns) && (call.start >= from || call.end > from)
        };
        let of = |rank: u32| scan(store, LocationId(rank)).into_iter().filter(is_in);
        (0..16).filter(|rank| self.ranks.contains(*rank)).flat_map(of).collect()
    }
}

fn raster(scene: &Scene) -> Option<&Raster> {
    scene.layers.iter().find_map(|layer| if let Layer::Raster(raster) = layer { Some(raster) } else { None })
}

/// What is said in the middle of every cell that is drawn.
fn told(view: View, asked: &ViewRequest) -> Vec<(u32, u32, Vec<String>)> {
    let scene = view.scene(whole(), asked);
    let Some(cells) = raster(&scene) else { return Vec::new() };
    let (width, height) = (scene.plot.width / cells.columns as f32, scene.plot.height / cells.rows as f32);
    let mut all = Vec::new();
    for row in 0..cells.rows {
        for column in (0..cells.columns).filter(|column| cells.strength[(row * cells.columns + column) as usize] > 0) {
            let at = (scene.plot.x + (column as f32 + 0.5) * width, scene.plot.y + (row as f32 + 0.5) * height);
            all.extend(view.pick(whole(), asked, at).map(|picked| (row, column, picked.lines)));
        }
    }
    all
}

/// The number before a word.
fn number(text: &str, word: &str) -> u64 {
    let words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|one| one.starts_with(word)).unwrap_or_else(|| panic!("no {word} in {text}"));
    // Thousands were taken apart.
    let digits = words[..at].iter().rev().take_while(|part| part.chars().all(|c| c.is_ascii_digit()));
    digits.copied().collect::<Vec<_>>().into_iter().rev().collect::<String>().parse().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn rows_of_the_profile(filter in filter()) {
        let store = whole().store;
        let mut expected: BTreeMap<u32, (u64, i64)> = BTreeMap::new();
        let within = |(start, end): (i64, i64)| (end.min(filter.time.1) - start.max(filter.time.0)).max(0);
        for call in filter.calls(store) {
            let region = *call.path.last().unwrap();
            let inside: i64 = call.children.iter().copied().map(within).sum();
            let sum = expected.entry(region).or_default();
            *sum = (sum.0 + 1, sum.1 + within((call.start, call.end)) - inside);
        }
        expected.retain(|region, _| !filter.hidden.contains(&RegionId(*region)));
        let asked = filter.asked(&[]);
        let scene = View::Profile.scene(whole(), &asked);
        let mut seen: BTreeMap<u32, (u64, i64)> = BTreeMap::new();
        for line in 0..30 {
            let at = (scene.plot.x + 60.0, scene.plot.y + 24.0 + 11.0 + 22.0 * line as f32);
            let Some(picked) = View::Profile.pick(whole(), &asked, at) else { break };
            let region = (0..store.regions.len()).find(|row| store.regions.name.get(*row) == picked.title).unwrap() as u32;
            let (calls, own) = expected.get(&region).copied().unwrap_or_default();
            let text = picked.lines.join("\n");
            prop_assert!(text.contains(&duration_text(own)), "{} of {}: {text}", duration_text(own), picked.title);
            seen.insert(region, (number(&text.replace('\n', " "), "call"), own));
            prop_assert_eq!(seen[&region].0, calls, "{}: {}", picked.title, text);
        }
        prop_assert_eq!(seen, expected);
    }

    #[test]
    fn cells_of_the_histogram(filter in filter(), of in 0usize..40) {
        let store = whole().store;
        let region = (of as u64 % store.regions.len()) as u32;
        let name = store.regions.name.get(u64::from(region));
        let mut expected = filter.calls(store);
        expected.retain(|call| call.path.last() == Some(&region));
        let found = told(View::Histogram, &filter.asked(&[("function", name)]));
        let calls: u64 = found.iter().map(|(_, _, lines)| number(&lines[1], "call")).sum();
        prop_assert_eq!(calls, expected.len() as u64, "{}: what is named is counted, hidden or not", name);
    }

    #[test]
    fn cells_of_the_matrix(filter in filter()) {
        let (store, messages) = (whole().store, &whole().store.messages);
        let ranks: Vec<u32> = (0..16).filter(|rank| filter.ranks.contains(*rank)).collect();
        let place = |at: LocationId| ranks.iter().position(|rank| *rank == at.0).map(|place| place as u32);
        let mut expected: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for row in 0..messages.len() {
            let (send, span) = (messages.send.get(row), messages.send_span.get(row));
            let is_in = (Ns(filter.time.0)..=Ns(filter.time.1)).contains(&send)
                && filter.communicator.is_none_or(|comm| messages.comm.get(row) == CommId(comm))
                && !filter.hidden.contains(&store.spans.region.get(span.0));
            let pair = place(messages.send_location.get(row)).zip(place(messages.recv_location.get(row)));
            if let (true, Some(pair)) = (is_in, pair) {
                *expected.entry(pair).or_default() += 1;
            }
        }
        let number_of = filter.communicator.map(|comm| comm.to_string());
        let options: Vec<(&str, &str)> = number_of.iter().map(|comm| ("communicator", comm.as_str())).collect();
        let found = told(View::Matrix, &filter.asked(&options));
        let found: BTreeMap<(u32, u32), u64> =
            found.into_iter().map(|(row, column, lines)| ((row, column), number(&lines[0], "message"))).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn an_area_of_the_timeline(filter in filter()) {
        let store = whole().store;
        let asked = filter.asked(&[]);
        let time = (Ns(filter.time.0), Ns(filter.time.1));
        let told = area_told(&Trace::from(store), &asked.window, &asked.emphasis, (time, &filter.ranks));
        let mut calls = filter.calls(store);
        calls.retain(|call| call.start < filter.time.1 && !filter.hidden.contains(&RegionId(*call.path.last().unwrap())));
        prop_assert_eq!(told.calls, calls.len() as u64);
        let inside: i64 = calls.iter().map(|call| (call.end.min(filter.time.1) - call.start.max(filter.time.0)).max(0)).sum();
        prop_assert_eq!(told.by_function.iter().map(|one| one.total).sum::<u64>(), inside as u64);
    }
}
