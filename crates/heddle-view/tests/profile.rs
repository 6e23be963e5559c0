//! Profile and histogram against a plain scan of the spans, whatever the window, the ranks and what is hidden.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

use std::collections::BTreeMap;

use heddle_model::{LocationId, Ns, RegionId};
use heddle_profile::bins::{bin_of, least_of};
use heddle_profile::{CallProfile, Folded, Grouping, RowSums, each, fold};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_view::{Choosing, Emphasis, Extent, Layer, Pointed, Rect, Selection, View, ViewRequest, Window, calls_told};
use proptest::prelude::*;

mod common;
#[path = "common/profiles.rs"]
mod profiles;
use common::{Call, Calls};
use profiles::{Scanned, asked, halo_store, scan, with_profile};

/// What a scan finds of a call path: count, inclusive, exclusive, shortest, longest, durations.
type Found = (u64, i64, i64, i64, i64, i64);

fn is_in(call: &Scanned, (from, to): (i64, i64), end: i64) -> bool {
    (call.start < to || to >= end) && (call.start >= from || call.end > from)
}

fn within((start, end): (i64, i64), (from, to): (i64, i64)) -> i64 {
    (end.min(to) - start.max(from)).max(0)
}

fn add(found: &mut Found, call: &Scanned, time: (i64, i64), is_outermost: bool) {
    let inclusive = within((call.start, call.end), time);
    let inside: i64 = call.children.iter().map(|child| within(*child, time)).sum();
    found.0 += 1;
    found.1 += if is_outermost { inclusive } else { 0 };
    found.2 += inclusive - inside;
    found.3 = found.3.min(call.end - call.start);
    found.4 = found.4.max(call.end - call.start);
    found.5 += call.end - call.start;
}

const NOTHING: Found = (0, 0, 0, i64::MAX, i64::MIN, 0);

/// By call path without what is hidden, or by function.
fn scanned(
    store: &Store,
    location: LocationId,
    time: (i64, i64),
    tree: bool,
    hidden: &[u32],
) -> BTreeMap<Vec<u32>, Found> {
    let end = store.summary().end_ns;
    let mut all: BTreeMap<Vec<u32>, Found> = BTreeMap::new();
    for call in scan(store, location).iter().filter(|call| is_in(call, time, end)) {
        let own = *call.path.last().unwrap();
        if hidden.contains(&own) {
            continue;
        }
        let is_outermost = tree || !call.path[..call.path.len() - 1].contains(&own);
        let path: Vec<u32> = if tree {
            call.path.iter().copied().filter(|region| !hidden.contains(region)).collect()
        } else {
            vec![own]
        };
        add(all.entry(path).or_insert(NOTHING), call, time, is_outermost);
    }
    all
}

fn grouping(profile: &CallProfile, tree: bool, hidden: &[u32]) -> Grouping {
    let is_hidden = |region: RegionId| hidden.contains(&region.0);
    if tree { Grouping::by_path(profile.paths(), is_hidden) } else { Grouping::by_function(profile.paths(), is_hidden) }
}

fn path_of(by: &Grouping, row: u32) -> Vec<u32> {
    let mut path: Vec<u32> = std::iter::successors(Some(row), |row| by.rows()[*row as usize].caller)
        .map(|row| by.rows()[row as usize].region.0)
        .collect();
    path.reverse();
    path
}

fn check_rows(store: &Store, profile: &CallProfile, time: (i64, i64), tree: bool, hidden: &[u32]) {
    let by = grouping(profile, tree, hidden);
    let locations: Vec<LocationId> = (0..store.locations.len() as u32).map(LocationId).collect();
    let mut of_all: Vec<BTreeMap<Vec<u32>, Found>> = Vec::new();
    let mut sums = RowSums::default();
    let window = (Ns(time.0), Ns(time.1));
    for location in &locations {
        sums.count(profile, store, *location, window, &by);
        let found: BTreeMap<Vec<u32>, Found> = sums
            .iter()
            .map(|(row, v)| {
                (path_of(&by, row), (v.count, v.inclusive, v.exclusive, v.shortest, v.longest, v.durations))
            })
            .collect();
        let expected = scanned(store, *location, time, tree, hidden);
        assert_eq!(found, expected, "location {location:?}, {time:?}, tree {tree}, hidden {hidden:?}");
        of_all.push(expected);
    }
    for (row, folded) in fold(profile, store, &locations, window, &by).iter().enumerate() {
        check_folded(folded, &of_all, &path_of(&by, row as u32));
        for (at, one) in each(profile, store, &locations, window, &by, Some(row as u32)).iter().enumerate() {
            let found = of_all[at].get(&path_of(&by, row as u32)).unwrap_or(&NOTHING);
            check_one(one, found);
        }
    }
    if tree {
        for (one, found) in each(profile, store, &locations, window, &by, None).iter().zip(&of_all) {
            let mut all = NOTHING;
            for (path, found) in found {
                all.0 += found.0;
                all.1 += if path.len() == 1 { found.1 } else { 0 };
                all.2 += found.2;
                all.3 = all.3.min(found.3);
                all.4 = all.4.max(found.4);
                all.5 += found.5;
            }
            check_one(one, &all);
        }
    }
}

/// Numbers of one location alone.
fn check_one(one: &Folded, found: &Found) {
    let spreads = [one.inclusive, one.exclusive].map(|spread| (spread.total, spread.least.0, spread.most.0));
    assert_eq!(spreads, [(found.1, found.1, found.1), (found.2, found.2, found.2)]);
    assert_eq!((one.count, one.shortest.0, one.longest.0, one.durations), (found.0, found.3, found.4, found.5));
}

fn check_folded(folded: &Folded, of_all: &[BTreeMap<Vec<u32>, Found>], path: &Vec<u32>) {
    let of = |field: fn(&Found) -> i64| -> Vec<i64> {
        of_all.iter().map(|found| found.get(path).map_or(0, field)).collect()
    };
    let count: u64 = of_all.iter().filter_map(|found| Some(found.get(path)?.0)).sum();
    assert_eq!(folded.count, count);
    if count == 0 {
        return;
    }
    for (spread, values) in [(folded.inclusive, of(|found| found.1)), (folded.exclusive, of(|found| found.2))] {
        assert_eq!(spread.total, values.iter().sum::<i64>());
        let least = *values.iter().min().unwrap();
        let most = *values.iter().max().unwrap();
        assert_eq!((spread.least.0, spread.most.0), (least, most), "{path:?}");
        assert_eq!(values[spread.least.1], least);
        assert_eq!(values[spread.most.1], most);
    }
    let longest = of_all.iter().filter_map(|found| Some(found.get(path)?.4)).max();
    let shortest = of_all.iter().filter_map(|found| Some(found.get(path)?.3)).min();
    assert_eq!((Some(folded.longest.0), Some(folded.shortest.0)), (longest, shortest));
    assert_eq!(folded.durations, of(|found| found.5).iter().sum::<i64>());
}

fn check_durations(store: &Store, profile: &CallProfile, time: (i64, i64)) {
    let end = store.summary().end_ns;
    for location in (0..store.locations.len() as u32).map(LocationId) {
        for region in 0..store.regions.len() as u32 {
            let mut found: BTreeMap<u16, (i64, i64)> = BTreeMap::new();
            profile.durations(store, location, (Ns(time.0), Ns(time.1)), RegionId(region), |bin, calls, ns| {
                let sum = found.entry(bin).or_default();
                *sum = (sum.0 + calls, sum.1 + ns);
                assert!(sum.0 >= 0, "what is taken back was counted before");
            });
            found.retain(|_, sum| sum.0 != 0);
            let mut expected: BTreeMap<u16, (i64, i64)> = BTreeMap::new();
            for call in scan(store, location).iter().filter(|call| is_in(call, time, end)) {
                if call.path.last() == Some(&region) {
                    let sum = expected.entry(bin_of(call.end - call.start)).or_default();
                    *sum = (sum.0 + 1, sum.1 + call.end - call.start);
                }
            }
            assert_eq!(found, expected, "{location:?} {region} {time:?}");
        }
    }
}

/// Calls inside of each other, of four functions that call each other and themselves.
fn nested(lengths: &[(u8, u8, u8)]) -> Vec<Call> {
    let mut open: Vec<Call> = Vec::new();
    let mut done: Vec<Call> = Vec::new();
    let mut now = 0;
    let close = |open: &mut Vec<Call>, done: &mut Vec<Call>, now: i64| {
        if let Some(mut call) = open.pop() {
            call.2 = now;
            open.last_mut().map_or(done, |around| &mut around.3).push(call);
        }
    };
    for (region, step, closes) in lengths {
        now += i64::from(step % 5) * 7;
        open.push(Call(u32::from(region % 4), now, now, Vec::new()));
        now += i64::from(step % 3) * 5;
        for _ in 0..closes % 4 {
            close(&mut open, &mut done, now);
            now += i64::from(step % 2);
        }
    }
    while !open.is_empty() {
        close(&mut open, &mut done, now);
    }
    done
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn numbers_are_those_of_a_scan(
        ranks in proptest::collection::vec(proptest::collection::vec(any::<(u8, u8, u8)>(), 1..400), 1..4),
        long in proptest::collection::vec(any::<(u8, u8, u8)>(), 2500..4500),
        ends in any::<(u16, u16)>(),
        hidden in proptest::collection::vec(0u32..4, 0..2),
    ) {
        let mut ranks: Vec<Vec<Call>> = ranks.iter().map(|lengths| nested(lengths)).collect();
        // Long enough for blocks of several levels.
        ranks.push(nested(&long));
        let directory = tempfile::tempdir().unwrap();
        let source = Calls::new(ranks);
        let store = store_simulation(&source, "x", &directory.path().join("x.heddle"), 1 << 28, &NoProgress).unwrap();
        let profile = CallProfile::open(&store, &NoProgress).unwrap();
        let end = store.summary().end_ns;
        let at = |share: u16| i64::from(share) * end / 65_535;
        let (from, to) = (at(ends.0.min(ends.1)), at(ends.0.max(ends.1)));
        let some = (from, to.max(from + 1));
        for time in [(0, end.max(1)), some, (from, from + 1), (from, end.max(from + 1)), (0, to.max(1))] {
            check_rows(&store, &profile, time, false, &hidden);
            check_rows(&store, &profile, time, true, &hidden);
            check_durations(&store, &profile, time);
        }
        let kept = CallProfile::find(&store).unwrap();
        prop_assert_eq!(kept.paths(), profile.paths());
    }
}

#[test]
fn rows_of_a_profile_are_what_lies_under_the_pointer() {
    let (_directory, store) = halo_store(8);
    let trace = with_profile(&store);
    for (options, by_name) in [(&[][..], false), (&[("sort", "name")][..], true), (&[("tree", "1")][..], false)] {
        let request = asked(Window::default(), options);
        let scene = View::Profile.scene(trace.clone(), &request);
        let mut names: Vec<String> = Vec::new();
        let mut y = scene.plot.y + 24.0 + 11.0;
        while let Some(picked) = View::Profile.pick(trace.clone(), &request, (scene.plot.x + 30.0, y)) {
            let name = picked.title.rsplit(" › ").next().unwrap().to_owned();
            assert!(scene.labels.iter().any(|label| label.text == name), "{name}");
            assert_eq!(picked.select, Some(Selection::Function(name.clone())));
            names.push(name);
            y += 22.0;
        }
        assert!(names.len() >= 4, "{names:?}");
        if by_name {
            assert!(names.is_sorted(), "{names:?}");
        }
    }
}

#[test]
fn hidden_functions_have_no_row_and_change_no_number() {
    let (_directory, store) = halo_store(4);
    let trace = with_profile(&store);
    let request = asked(Window::default(), &[]);
    let labels = |request: &ViewRequest| -> Vec<String> {
        View::Profile.scene(trace.clone(), request).labels.into_iter().map(|label| label.text).collect()
    };
    let all = labels(&request);
    let row = (0..store.regions.len()).find(|row| store.regions.name.get(*row) == "MPI_Waitall").unwrap();
    let emphasis = Emphasis { hidden: vec![RegionId(row as u32)], ..Emphasis::default() };
    let some = labels(&ViewRequest { emphasis, ..request });
    assert!(all.contains(&"MPI_Waitall".to_owned()) && !some.contains(&"MPI_Waitall".to_owned()));
    assert!(some.iter().all(|text| all.contains(text)), "{all:?} {some:?}");
}

#[test]
fn cells_of_a_histogram_hold_what_a_scan_finds() {
    let (_directory, store) = halo_store(6);
    let trace = with_profile(&store);
    let end = store.summary().end_ns;
    let region = (0..store.regions.len()).find(|row| store.regions.name.get(*row) == "MPI_Waitall").unwrap() as u32;
    for (bins, time) in [("log", None), ("linear", None), ("log", Some((Ns(end / 3), Ns(end / 2))))] {
        let request = asked(Window { time, ..Window::default() }, &[("function", "MPI_Waitall"), ("bins", bins)]);
        let scene = View::Histogram.scene(trace.clone(), &request);
        assert_eq!(scene.y_axis.extent, Extent::Rows(0, 6, 6));
        let Some(Layer::Raster(raster)) = scene.layers.last() else { panic!("a raster") };
        let window = request.window.time(&store);
        let (width, height) = (scene.plot.width / raster.columns as f32, scene.plot.height / 6.0);
        for row in 0..6u32 {
            let calls: Vec<i64> = scan(&store, LocationId(row))
                .iter()
                .filter(|call| is_in(call, (window.0.0, window.1.0), end) && call.path.last() == Some(&region))
                .map(|call| call.end - call.start)
                .collect();
            let mut seen = 0;
            for column in 0..raster.columns {
                let at = (scene.plot.x + (column as f32 + 0.5) * width, scene.plot.y + (row as f32 + 0.5) * height);
                let picked = View::Histogram.pick(trace.clone(), &request, at);
                let is_drawn = raster.strength[(row * raster.columns + column) as usize] > 0;
                assert_eq!(is_drawn, picked.is_some());
                let Some(picked) = picked else { continue };
                let Some(Selection::Span(name)) = picked.select else { panic!("a call") };
                let span = name.find(&store).unwrap();
                let ns = store.spans.end.get(span.0).since(store.spans.start.get(span.0));
                let said: u64 = picked.lines[1].split(' ').next().unwrap().replace(',', "").parse().unwrap();
                let bin = bin_of(ns);
                let of_cell = |other: &&i64| {
                    if bins == "log" {
                        return bin_of(**other) == bin;
                    }

                    let most = bin_of(all_longest(&store, region, window, end));
                    let wide = least_of(most + 1) - least_of(most);
                    **other / wide == ns / wide
                };
                let such: Vec<&i64> = calls.iter().filter(of_cell).collect();
                assert_eq!(said, such.len() as u64, "{bins} {row} {column}");
                assert_eq!(such.iter().max(), Some(&&ns), "the longest is selected");
                seen += said;
            }
            assert_eq!(seen, calls.len() as u64, "no call is lost");
        }
    }
}

#[test]
fn marked_durations_are_the_calls_that_a_scan_finds() {
    let (_directory, store) = halo_store(6);
    let trace = with_profile(&store);
    let end = store.summary().end_ns;
    let region = (0..store.regions.len()).find(|row| store.regions.name.get(*row) == "MPI_Waitall").unwrap() as u32;
    for (bins, time) in [("log", None), ("linear", None), ("log", Some((Ns(end / 3), Ns(end / 2))))] {
        let request = asked(Window { time, ..Window::default() }, &[("function", "MPI_Waitall"), ("bins", bins)]);
        let plot = View::Histogram.scene(trace.clone(), &request).plot;
        let rect = Rect {
            x: plot.x + plot.width * 0.3,
            y: plot.y + plot.height * 1.5 / 6.0,
            width: plot.width * 0.5,
            height: plot.height * 2.0 / 6.0,
        };
        let chosen = View::Histogram.choose(trace.clone(), &request, Pointed::Area(rect), Choosing::Replace);
        let Some(Selection::Calls(range)) = chosen.clone() else { panic!("{chosen:?}") };
        assert_eq!((range.ranks.to_string().as_str(), range.function.as_str()), ("1-3", "MPI_Waitall"));
        let window = request.window.time(&store);
        let all: Vec<i64> = (1..4)
            .flat_map(|row| scan(&store, LocationId(row)))
            .filter(|call| is_in(call, (window.0.0, window.1.0), end) && call.path.last() == Some(&region))
            .map(|call| call.end - call.start)
            .collect();
        let some = all.iter().filter(|ns| (range.lasting.0..range.lasting.1).contains(*ns)).count();
        assert!(some > 0 || bins == "linear", "{bins}");
        let details = calls_told(&trace, &request, &range).unwrap();
        let said = &details.facts[0].text;
        assert!(said.starts_with(&format!("{some}, ")) && said.ends_with(&format!(" of {}", all.len())), "{said}");
        assert_eq!(details.rows, Some(Some((1, 4))));
        // A box in the histogram, frames of the ranks elsewhere.
        let selected = Emphasis { selected: chosen, ..Emphasis::default() };
        for view in [View::Histogram, View::Timeline] {
            let plain = view.scene(trace.clone(), &request).layers.len();
            let scene = view.scene(trace.clone(), &ViewRequest { emphasis: selected.clone(), ..request.clone() });
            assert_eq!(scene.layers.len(), plain + 1, "{view:?}: {:?}", scene.notes);
        }
    }
}

/// The longest call of a function on any rank.
fn all_longest(store: &Store, region: u32, time: (Ns, Ns), end: i64) -> i64 {
    let all = (0..store.locations.len() as u32).flat_map(|location| scan(store, LocationId(location)));
    let some = all.filter(|call| is_in(call, (time.0.0, time.1.0), end) && call.path.last() == Some(&region));
    some.map(|call| call.end - call.start).max().unwrap()
}

#[test]
fn a_row_of_many_ranks_shows_the_largest_of_them() {
    let (_directory, store) = halo_store(64);
    let trace = with_profile(&store);
    let mut request = asked(Window::default(), &[("function", "MPI_Waitall")]);
    request.size.height = 60;
    let scene = View::Histogram.scene(trace.clone(), &request);
    let Some(Layer::Raster(raster)) = scene.layers.last() else { panic!("a raster") };
    assert!(raster.rows < 64);
    assert!(scene.notes.iter().any(|note| note.contains("Each row stands for up to")), "{:?}", scene.notes);
}
