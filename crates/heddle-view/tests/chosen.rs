//! Calls of chosen ranks: pictures from an index of their calls against those that visit every call.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod common;
#[path = "common/densities.rs"]
mod densities;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use common::{Call, Calls, request, within};
use densities::{densities, nothing_is_far, sum, total};
use heddle_model::{CommId, LocationId, Ns, RegionId};
use heddle_profile::chosen::{Choice, ChosenCalls};
use heddle_store::index::CallEdge;
use heddle_store::{NoProgress, Store};
use heddle_view::{
    AnalysisKind, CallHeight, CallStyle, CallsOptions, Emphasis, Framing, Need, RankSet, Scene, Size, Trace, Urgency,
    View, ViewRequest, Window, calls_scene_from,
};
use proptest::prelude::*;

const RANKS: u32 = 240;
const STYLES: [CallStyle; 4] = [CallStyle::PointsStart, CallStyle::PointsEnd, CallStyle::Lines, CallStyle::Arches];

/// Ranks that do one of sixteen things each: calls of all lengths, waits that end together.
fn stored() -> (tempfile::TempDir, Store) {
    let mut random = 5u64;
    let mut chance = |below: i64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below.unsigned_abs()).cast_signed()
    };
    let mut list = || {
        let (mut calls, mut now) = (Vec::new(), chance(10_000));
        for round in 1..=500i64 {
            for _ in 0..8 {
                // Shorter ones would lie on several levels of a logarithmic axis.
                let length = 140 + chance(1 << (4 + round % 11));
                let inner = Call(2, now + 2, now + 2 + length / 2, vec![]);
                calls.push(Call(1, now, now + length, if round % 3 == 0 { vec![inner] } else { vec![] }));
                now += length + 1 + chance(2_000);
            }
            let together = (round * 40_000).max(now + 100);
            calls.push(Call(2, now, together, vec![]));
            now = together + chance(300);
        }
        Arc::new(calls)
    };
    let lists: Vec<_> = (0..16).map(|_| list()).collect();
    Calls::shared((0..RANKS).map(|rank| Arc::clone(&lists[(rank * rank / 7 % 16) as usize])).collect()).store()
}

fn store() -> &'static Store {
    static STORE: OnceLock<(tempfile::TempDir, Store)> = OnceLock::new();
    &STORE.get_or_init(stored).1
}

fn choice(store: &Store, ranks: &RankSet) -> Choice {
    let chosen = (0..RANKS).filter(|rank| ranks.contains(*rank)).map(LocationId);
    Choice::of(store, &chosen.collect::<Vec<_>>()).unwrap()
}

fn trace<'a>(store: &'a Store, ranks: &RankSet) -> Trace<'a> {
    let chosen = ChosenCalls::open(store, &choice(store, ranks), &NoProgress).unwrap();
    Trace { chosen: Some(Arc::new(chosen)), ..Trace::from(store) }
}

fn asked(ranks: &RankSet, window: Window, options: &CallsOptions) -> ViewRequest {
    let window = Window { ranks: Some(ranks.clone()), ..window };
    let size = Size { width: 600, height: 400 };
    ViewRequest { framing: Framing::Pane, size, options: options.into(), ..request(window) }
}

fn styled(style: CallStyle) -> CallsOptions {
    CallsOptions { style, ..CallsOptions::default() }
}

fn legend(scene: &Scene) -> Vec<(&str, &str)> {
    scene.legend.iter().map(|entry| (entry.name.as_str(), entry.value.as_str())).collect()
}

/// The picture from the index is that of all calls visited, as far as the view promises.
fn compare(trace: &Trace<'_>, request: &ViewRequest, style: CallStyle) {
    let what = format!("{:?} {:?} {style:?}", request.window.ranks, request.window.time);
    let tiles = calls_scene_from(trace, request, true).unwrap();
    let visits = calls_scene_from(&Trace::from(trace.store), request, false).unwrap();
    let promised = "From tiles of the index: the count is exact, no call is more than a pixel from its place.";
    assert_eq!(tiles.notes[1], promised, "{what}");
    assert_eq!(visits.notes[1], "Every call was visited.");
    assert_eq!((total(&tiles), legend(&tiles)), (total(&visits), legend(&visits)), "{what}");
    assert_eq!(tiles.y_axis.extent, visits.y_axis.extent, "{what}");
    let (got, wanted) = (densities(&tiles)[0], densities(&visits)[0]);
    match style {
        CallStyle::PointsStart | CallStyle::PointsEnd => {
            assert_eq!(sum(got), sum(wanted), "{what}");
            assert!(nothing_is_far(got, wanted), "{what}");
        }
        CallStyle::Lines | CallStyle::Arches => {
            let [got, wanted] = [got, wanted].map(|density| sum(density) as f64);
            assert!((got - wanted).abs() <= 0.03 * wanted, "{what}: {got} instead of {wanted}");
        }
    }
    // What is drawn does not depend on threads.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let alone = pool.install(|| calls_scene_from(trace, request, true).unwrap());
    assert_eq!(densities(&alone), densities(&tiles), "{what}");
}

fn ranks(text: &str) -> RankSet {
    text.parse().unwrap()
}

#[test]
fn half_of_the_ranks_are_what_a_visit_tells() {
    let (store, ranks) = (store(), ranks("0-119"));
    let (trace, end) = (trace(store, &ranks), store.summary().end_ns);
    for style in STYLES {
        for (from, to) in [(0, end), (0, end / 2), (1_234_567, end / 3 * 2 + 77), (end / 3 + 5, end)] {
            compare(&trace, &asked(&ranks, within(from, to), &styled(style)), style);
        }
    }
}

/// Counted anew by a plain scan of the spans.
#[test]
fn the_index_counts_the_calls_of_the_choice() {
    let (store, ranks) = (store(), ranks("3,17-90,200-"));
    let trace = trace(store, &ranks);
    let index = trace.chosen.as_deref().unwrap().index();
    assert_eq!((index.regions(), index.durations()), (store.calls.regions(), store.calls.durations()));
    let calls: Vec<u16> = index.numbers(&store.regions).into_iter().map(|number| number.unwrap_or(u16::MAX)).collect();
    for edge in [CallEdge::Start, CallEdge::End] {
        let level = index.levels(edge)[0];
        let (mut told, mut wanted) = (BTreeMap::new(), BTreeMap::new());
        for bin in 0..level.bins {
            index.for_each(&level, bin, |duration, number, count| {
                *told.entry((bin, duration, number)).or_insert(0u64) += u64::from(count);
            });
        }
        for rank in (0..RANKS).filter(|rank| ranks.contains(*rank)) {
            for row in store.spans_of(LocationId(rank)) {
                let (start, end) = (store.spans.start.get(row), store.spans.end.get(row));
                let number = calls[store.spans.region.get(row).index()];
                if number == u16::MAX {
                    continue;
                }
                let moment = if edge == CallEdge::Start { start } else { end };
                let duration = index.durations().partition_point(|least| *least <= end.since(start).max(1)) - 1;
                *wanted.entry(((moment.0 / level.bin_ns) as u32, duration as u16, number)).or_insert(0u64) += 1;
            }
        }
        assert!(told == wanted, "{edge:?}");
    }
}

/// With a filter of durations the index keeps whole bins, as that of all ranks does; functions are hidden or stand out.
#[test]
fn other_filters_that_an_index_heeds_go_along() {
    let (store, ranks) = (store(), ranks("60-"));
    let trace = trace(store, &ranks);
    let options = CallsOptions { durations: Some((Ns(300), Ns(20_000))), ..CallsOptions::default() };
    let filtered = asked(&ranks, within(4_000_000, 12_000_000), &options);
    let [tiles, visits] = [true, false].map(|tiles| calls_scene_from(&trace, &filtered, tiles).unwrap());
    assert!(tiles.notes[1].contains("The filter keeps the bins of "), "{:?}", tiles.notes);
    let [got, wanted] = [tiles, visits].map(|scene| total(&scene).replace(',', "").parse::<f64>().unwrap());
    assert!((got - wanted).abs() <= 0.02 * wanted && wanted > 1e4, "{got} instead of {wanted}");
    let hidden = Emphasis { hidden: vec![RegionId(1)], ..Emphasis::default() };
    let highlighted = Emphasis { highlighted: vec![RegionId(2)], ..Emphasis::default() };
    for (emphasis, layers) in [(hidden, 1), (highlighted, 2)] {
        let plain = asked(&ranks, within(4_000_000, 12_000_000), &styled(CallStyle::PointsEnd));
        let request = ViewRequest { emphasis, ..plain };
        let [tiles, visits] = [true, false].map(|tiles| calls_scene_from(&trace, &request, tiles).unwrap());
        assert_eq!((total(&tiles), densities(&tiles).len()), (total(&visits), layers));
    }
}

/// What the index does not know is visited, and so are the calls of other ranks than those that it is of.
#[test]
fn what_the_index_cannot_tell_is_visited() {
    let (store, ranks) = (store(), ranks("0-119"));
    let trace = trace(store, &ranks);
    let usual = CallsOptions::default;
    let whole = |ranks: &RankSet, options: &CallsOptions| asked(ranks, Window::default(), options);
    for request in [
        whole(&ranks, &CallsOptions { y: CallHeight::Rank, ..usual() }),
        whole(&ranks, &CallsOptions { bytes: Some((0, 5)), ..usual() }),
        whole(&ranks, &CallsOptions { communicator: Some(CommId(0)), ..usual() }),
        whole(&"0-120".parse().unwrap(), &usual()),
    ] {
        let [with, without] = [trace.clone(), Trace::from(store)].map(|trace| View::Calls.scene(trace, &request));
        assert_eq!((&with.notes, densities(&with)), (&without.notes, densities(&without)));
        assert!(calls_scene_from(&trace, &request, true).is_none());
    }
    // All ranks by another name are all ranks.
    let all = whole(&"0-".parse().unwrap(), &usual());
    let plain = ViewRequest { window: Window::default(), ..all.clone() };
    let [named, plain] = [all, plain].map(|request| View::Calls.scene(store, &request));
    assert_eq!((&named.notes, densities(&named)), (&plain.notes, densities(&plain)));
    assert!(named.notes[1].starts_with("From tiles"), "{:?}", named.notes);
}

/// It is asked for where it is of use, and refused where few calls are to be visited.
#[test]
fn an_index_is_wanted_of_many_calls_of_some_ranks() {
    let store = store();
    let needs = |ranks: Option<&str>, options: &CallsOptions| {
        let window = Window { ranks: ranks.map(|text| text.parse().unwrap()), ..Window::default() };
        let request = ViewRequest { options: options.into(), ..request(window) };
        View::Calls.needs(store, &request).unwrap()
    };
    let usual = CallsOptions::default();
    assert_eq!(needs(None, &usual), []);
    assert_eq!(needs(Some("3-9"), &CallsOptions { y: CallHeight::Rank, ..usual.clone() }), []);
    let chosen = choice(store, &ranks("3-9"));
    assert_eq!(needs(Some("3-9"), &usual), [(Need::Chosen(Some(chosen.clone())), Urgency::Useful)]);
    assert_eq!(Need::Chosen(Some(chosen)).impossible(store).as_deref(), Some("These ranks make few calls."));
    let of_all = AnalysisKind::Chosen.need(store, &heddle_options::Given::default()).unwrap();
    assert_eq!(of_all.impossible(store).as_deref(), Some("All ranks are shown."));
}

/// The places of what is kept of choices.
fn places(store: &Store) -> Vec<PathBuf> {
    let all = std::fs::read_dir(store.path().join("derived")).unwrap().map(|entry| entry.unwrap().path());
    all.filter(|path| path.to_string_lossy().contains("chosen-")).collect()
}

#[test]
fn the_choices_that_were_used_last_are_kept() {
    let (_directory, store) = stored();
    let choices: Vec<Choice> = (0..5).map(|at| choice(&store, &ranks(&format!("{at}-99")))).collect();
    let open = |at: usize| ChosenCalls::open(&store, &choices[at], &NoProgress).unwrap();
    // Times of files are only so fine.
    let wait = || std::thread::sleep(std::time::Duration::from_millis(20));
    let first: Vec<ChosenCalls> = (0..4).map(|at| (open(at), wait()).0).collect();
    assert_eq!(places(&store).len(), 4);
    assert!(ChosenCalls::find(&store, &choices[0]).is_some());
    wait();
    open(4);
    let is_there: Vec<bool> = choices.iter().map(|choice| ChosenCalls::find(&store, choice).is_some()).collect();
    assert_eq!(is_there, [true, false, true, true, true]);
    // Who has one open goes on with it.
    let request = asked(&ranks("1-99"), within(1_000_000, 9_000_000), &styled(CallStyle::Lines));
    let removed = first.into_iter().nth(1).unwrap();
    let trace = Trace { chosen: Some(Arc::new(removed)), ..Trace::from(&store) };
    compare(&trace, &request, CallStyle::Lines);
}

/// A result that is damaged, or another choice's, is made again.
#[test]
fn damaged_results_are_made_again() {
    let (_directory, store) = stored();
    let [one, other] = ["0-99", "100-199"].map(|text| choice(&store, &ranks(text)));
    ChosenCalls::open(&store, &one, &NoProgress).unwrap();
    let place = places(&store).remove(0);
    let levels = place.join("index/call_levels.arrow");
    std::fs::write(&levels, &std::fs::read(&levels).unwrap()[..100]).unwrap();
    assert!(ChosenCalls::find(&store, &one).is_none());
    ChosenCalls::open(&store, &one, &NoProgress).unwrap();
    assert!(ChosenCalls::find(&store, &one).is_some());
    // As if both had the same place.
    std::fs::remove_dir_all(&place).unwrap();
    ChosenCalls::open(&store, &other, &NoProgress).unwrap();
    std::fs::rename(places(&store).remove(0), &place).unwrap();
    assert!(ChosenCalls::find(&store, &one).is_none());
    assert_eq!(*ChosenCalls::open(&store, &one, &NoProgress).unwrap().choice(), one);
}

/// Some ranks: neighbours, every so many, or any.
fn any_ranks() -> impl Strategy<Value = RankSet> {
    let neighbours = (0..RANKS - 110, 100..RANKS / 2).prop_map(|(first, count)| (first..first + count).collect());
    let every = (2u32..4, 0u32..2).prop_map(|(step, first)| (first..RANKS).step_by(step as usize).collect());
    let any = proptest::sample::subsequence((0..RANKS).collect::<Vec<_>>(), 90..RANKS as usize - 1)
        .prop_map(|ranks| ranks.into_iter().collect());
    prop_oneof![neighbours, every, any]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_choice_is_what_a_visit_tells(
        ranks in any_ranks(),
        style in 0usize..4,
        from in 0.0f64..0.9,
        length in 0.05f64..1.0,
    ) {
        let (store, style) = (store(), STYLES[style]);
        let trace = trace(store, &ranks);
        let end = store.summary().end_ns;
        let from = (end as f64 * from) as i64;
        let to = (from + (end as f64 * length) as i64).min(end);
        compare(&trace, &asked(&ranks, within(from, to), &styled(style)), style);
    }
}
