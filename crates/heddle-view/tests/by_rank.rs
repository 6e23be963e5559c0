//! Calls by rank: pictures from counts of groups of ranks against those that visit every call.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod common;
#[path = "common/densities.rs"]
mod densities;

use std::sync::{Arc, OnceLock};

use common::{Call, Calls, request, within};
use densities::{densities, nothing_is_far, sum, total};
use heddle_model::{Ns, RegionId};
use heddle_profile::by_rank::CallsByRank;
use heddle_store::{NoProgress, Store};
use heddle_view::{
    CallHeight, CallStyle, CallsOptions, Density, Emphasis, Framing, RankSet, Size, Trace, View, ViewRequest, Window,
    calls_scene_from,
};
use proptest::prelude::*;

const STYLES: [CallStyle; 3] = [CallStyle::PointsStart, CallStyle::PointsEnd, CallStyle::Lines];

/// A store, the directory that it lies in, and its counts.
type Counted = (tempfile::TempDir, Store, Arc<CallsByRank>);

/// Ranks in sixteen groups that share their calls: short ones and long ones, one in another, waits that end together.
fn counted(ranks: usize, rounds: i64) -> Counted {
    let mut random = 11u64;
    let mut chance = |below: i64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below.unsigned_abs()).cast_signed()
    };
    let mut list = || {
        let (mut calls, mut now) = (Vec::new(), chance(10_000));
        for round in 1..=rounds {
            for _ in 0..6 {
                let size = 4 + chance(10);
                let length = 20 + chance(1 << size);
                let inner = Call(2, now + 2, now + 2 + length / 2, vec![]);
                calls.push(Call(1, now, now + length, if chance(3) == 0 { vec![inner] } else { vec![] }));
                now += length + chance(2_000);
            }
            let together = (round * 30_000).max(now + 1);
            calls.push(Call(2, now, together, vec![]));
            now = together + chance(300);
        }
        Arc::new(calls)
    };
    let lists: Vec<_> = (0..16).map(|_| list()).collect();
    let (directory, store) = Calls::shared((0..ranks).map(|rank| Arc::clone(&lists[rank % 16])).collect()).store();
    let counts = Arc::new(CallsByRank::open(&store, &NoProgress).unwrap());
    (directory, store, counts)
}

/// Few ranks with narrow bins, hundreds, and more than have groups of their own.
fn all() -> &'static [Counted] {
    static ALL: OnceLock<Vec<Counted>> = OnceLock::new();
    ALL.get_or_init(|| vec![counted(2, 20_000), counted(300, 130), counted(2_500, 16)])
}

fn asked(window: Window, style: CallStyle) -> ViewRequest {
    let options = CallsOptions { style, y: CallHeight::Rank, ..CallsOptions::default() };
    let size = Size { width: 700, height: 420 };
    ViewRequest { framing: Framing::Pane, size, options: (&options).into(), ..request(window) }
}

fn trace((_, store, counts): &Counted) -> Trace<'_> {
    Trace { by_rank: Some(Arc::clone(counts)), ..Trace::from(store) }
}

/// Calls of each column, and of each row.
fn sums(density: &Density) -> [Vec<u64>; 2] {
    let columns = density.columns as usize;
    let mut sums = [vec![0; columns], vec![0; density.rows as usize]];
    for (at, count) in density.counts.iter().enumerate() {
        sums[0][at % columns] += u64::from(*count);
        sums[1][at / columns] += u64::from(*count);
    }
    sums
}

/// Whether the calls of one list can be paired with those of the other, none of them farther than so many places.
fn are_near(a: &[u64], b: &[u64], reach: usize) -> bool {
    let up_to = |list: &[u64], at: usize| list[..at.min(list.len())].iter().sum::<u64>();
    let covers = |a: &[u64], b: &[u64]| (0..=a.len()).all(|at| up_to(a, at) <= up_to(b, at + reach));
    covers(a, b) && covers(b, a)
}

fn compare(made: &Counted, window: (i64, i64), style: CallStyle) {
    let what = format!("{} ranks, {window:?}, {style:?}", made.1.locations.len());
    let request = asked(within(window.0, window.1), style);
    let [groups, visits] = [true, false].map(|tiles| calls_scene_from(&trace(made), &request, tiles).unwrap());
    assert!(groups.notes[1].starts_with("From counts of the calls of "), "{what}: {:?}", groups.notes);
    assert_eq!(visits.notes[1], "Every call was visited.");
    assert_eq!(total(&groups), total(&visits), "{what}");
    let legend = |scene: &heddle_view::Scene| scene.legend.iter().map(|entry| entry.value.clone()).collect::<Vec<_>>();
    assert_eq!(legend(&groups), legend(&visits), "{what}");
    let (groups, visits) = (densities(&groups)[0], densities(&visits)[0]);
    let levels = made.2.levels();
    let column = (window.1 - window.0) / i64::from(groups.columns);
    let bin = levels.iter().rev().find(|level| level.bin_ns <= column).unwrap_or(&levels[0]).bin_ns;
    let reach = (bin as f64 / column as f64).ceil() as usize;
    if style == CallStyle::Lines {
        // Within a bin nobody knows which start belongs to which end.
        let [got, wanted] = [groups, visits].map(|density| sum(density) as f64);
        assert!(reach > 1 || (got - wanted).abs() <= 0.05 * wanted, "{what}: {got} instead of {wanted}");
        return;
    }
    let ([across, by_rank], [all_across, all_by_rank]) = (sums(groups), sums(visits));
    assert!(are_near(&across, &all_across, reach), "{what}: columns, {reach}");
    if made.2.group_size() == 1 {
        assert_eq!(by_rank, all_by_rank, "{what}");
    } else {
        assert!(are_near(&by_rank, &all_by_rank, 1), "{what}: rows");
    }
    if reach == 1 && made.2.group_size() == 1 {
        assert!(nothing_is_far(groups, visits), "{what}");
    }
}

#[test]
fn groups_are_as_large_as_they_must_be() {
    let sizes: Vec<usize> = all().iter().map(|(_, _, counts)| counts.group_size()).collect();
    assert_eq!(sizes, [1, 1, 4]);
    let levels: Vec<usize> = all().iter().map(|(_, _, counts)| counts.levels().len()).collect();
    assert!(levels[0] > 1 && levels[1] > 0 && levels[2] > 0, "{levels:?}");
}

#[test]
fn the_whole_run_is_what_a_visit_tells() {
    for made in all() {
        let end = made.1.summary().end_ns;
        for style in STYLES {
            for window in [(0, end), (0, end / 2), (end / 3, end), (end / 5 + 77, end / 2 + 3)] {
                compare(made, window, style);
            }
        }
    }
}

/// The counts against a plain scan.
#[test]
fn counts_are_those_of_the_calls() {
    for (_, store, counts) in all() {
        for (at, level) in counts.levels().iter().enumerate() {
            let group = counts.group_size() as u64;
            let bins = level.bins / 3..level.bins / 3 + 600.min(level.bins / 2);
            let found = counts.counted(at, 1, bins.clone());
            for (number, (started, open)) in found {
                let region = store.calls.regions()[usize::from(number)];
                let mut wanted = (vec![0u32; bins.len()], vec![0u32; bins.len() + 1]);
                for location in group..2 * group {
                    let first = store.locations.first_span.get(location);
                    for row in first..first + store.locations.spans.get(location) {
                        if store.spans.region.get(row) != region {
                            continue;
                        }
                        let [start, end] = [store.spans.start.get(row).0, store.spans.end.get(row).0]
                            .map(|time| time / level.bin_ns - i64::from(bins.start));
                        if (0..bins.len() as i64).contains(&start) {
                            wanted.0[start as usize] += 1;
                        }
                        for open in (start + 1).max(0)..=end.min(bins.len() as i64) {
                            wanted.1[open as usize] += 1;
                        }
                    }
                }
                assert!(started == wanted.0 && open == wanted.1, "level {at}, function {number}");
            }
        }
    }
}

/// What counts cannot tell is visited, and comes out as without them.
#[test]
fn what_counts_cannot_tell_is_visited() {
    let made = &all()[1];
    let ranks: RankSet = "3-90".parse().unwrap();
    let chosen = asked(Window { ranks: Some(ranks), ..Window::default() }, CallStyle::Lines);
    let options =
        CallsOptions { y: CallHeight::Rank, durations: Some((Ns(100), Ns(2_000))), ..CallsOptions::default() };
    let filtered = ViewRequest { options: (&options).into(), ..asked(Window::default(), CallStyle::PointsEnd) };
    for request in [chosen, filtered] {
        let [with, without] = [trace(made), Trace::from(&made.1)].map(|trace| View::Calls.scene(trace, &request));
        assert_eq!(with.notes, without.notes);
        assert_eq!(densities(&with), densities(&without));
        assert!(calls_scene_from(&trace(made), &request, true).is_none());
    }
}

#[test]
fn hidden_functions_are_gone_and_highlighted_ones_stand_out() {
    let made = &all()[1];
    let plain = asked(within(1_000_000, 3_000_000), CallStyle::Lines);
    let hidden = Emphasis { hidden: vec![RegionId(1)], ..Emphasis::default() };
    let highlighted = Emphasis { highlighted: vec![RegionId(2)], ..Emphasis::default() };
    for (emphasis, layers) in [(hidden, 1), (highlighted, 2)] {
        let request = ViewRequest { emphasis, ..plain.clone() };
        let [groups, visits] = [true, false].map(|tiles| calls_scene_from(&trace(made), &request, tiles).unwrap());
        assert_eq!((total(&groups), densities(&groups).len()), (total(&visits), layers));
    }
}

/// With very many ranks none of them is visited: what the window's edges cut is divided, too.
#[test]
fn a_crowd_of_ranks_is_not_visited() {
    let calls = |turn: i64| {
        let one = |at: i64| Call(1, at * 20_000 + turn * 300, at * 20_000 + turn * 300 + 3_000 + at * 100, vec![]);
        Arc::new((0..4).map(one).collect::<Vec<Call>>())
    };
    let turns: Vec<_> = (0..64).map(calls).collect();
    let (_directory, store) = Calls::shared((0..70_000).map(|rank| Arc::clone(&turns[rank % 64])).collect()).store();
    let trace =
        Trace { by_rank: Some(Arc::new(CallsByRank::open(&store, &NoProgress).unwrap())), ..Trace::from(&store) };
    let end = store.summary().end_ns;
    for style in STYLES {
        for (from, to) in [(0, end), (12_345, 67_890)] {
            let request = asked(within(from, to), style);
            let [groups, visits] = [true, false].map(|tiles| calls_scene_from(&trace, &request, tiles).unwrap());
            assert!(groups.notes[1].contains("exact but for the window's very edges"), "{:?}", groups.notes);
            let [got, wanted] = [groups, visits].map(|scene| total(&scene).replace(',', "").parse::<f64>().unwrap());
            let most = if to == end { 0.0 } else { 0.02 * wanted };
            assert!((got - wanted).abs() <= most, "{style:?} {from}:{to}: {got} instead of {wanted}");
        }
    }
}

/// A result that is not of this trace's form is made again.
#[test]
fn damaged_counts_are_made_again() {
    let (_directory, store, counts) = counted(300, 130);
    let places = std::fs::read_dir(store.path().join("derived")).unwrap();
    let place =
        places.map(|entry| entry.unwrap().path()).find(|path| path.to_string_lossy().contains("by_rank")).unwrap();
    let levels = place.join("levels.arrow");
    std::fs::write(&levels, &std::fs::read(&levels).unwrap()[..100]).unwrap();
    assert!(CallsByRank::find(&store).is_none());
    let again = CallsByRank::open(&store, &NoProgress).unwrap();
    assert_eq!(again.levels(), counts.levels());
    assert!(CallsByRank::find(&store).is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_window_is_what_a_visit_tells(which in 0usize..3, style in 0usize..3, from in 0.0f64..0.9, length in 0.05f64..1.0) {
        let made = &all()[which];
        let end = made.1.summary().end_ns;
        let from = (end as f64 * from) as i64;
        let to = (from + (end as f64 * length) as i64).min(end);
        compare(made, (from, to), STYLES[style]);
    }
}
