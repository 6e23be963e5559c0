//! Profile and histogram against a plain scan of the spans, whatever the window, the ranks and what is hidden.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

use std::collections::BTreeMap;
use std::sync::Arc;

use heddle_model::{LocationId, Ns, RegionId};
use heddle_options::Given;
use heddle_profile::bins::{bin_of, least_of};
use heddle_profile::{CallProfile, Folded, Grouping, RowSums, each, fold};
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_view::{
    Emphasis, Extent, Framing, Layer, Picked, ProfileOptions, Selection, Step, Trace, View, ViewRequest, Window,
};
use proptest::prelude::*;

mod common;
use common::{Call, Calls, request};

/// What a scan finds of a call path: count, inclusive, exclusive, shortest, longest, durations.
type Found = (u64, i64, i64, i64, i64, i64);

/// A call of a scan: rows around it with itself last, start, end.
struct Scanned {
    path: Vec<u32>,
    start: i64,
    end: i64,
    children: Vec<(i64, i64)>,
}

/// All calls of a location, looked at one by one.
fn scan(store: &Store, location: LocationId) -> Vec<Scanned> {
    let mut calls: Vec<Scanned> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for row in store.spans_of(location) {
        let (start, end) = (store.spans.start.get(row).0, store.spans.end.get(row).0);
        open.truncate(usize::from(store.spans.depth.get(row)));
        let mut path: Vec<u32> = open.last().map_or(Vec::new(), |around| calls[*around].path.clone());
        path.push(store.spans.region.get(row).0);
        if let Some(around) = open.last() {
            calls[*around].children.push((start, end));
        }
        open.push(calls.len());
        calls.push(Scanned { path, start, end, children: Vec::new() });
    }
    calls
}

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
            let mut found: BTreeMap<u16, (u64, i64)> = BTreeMap::new();
            profile.durations(store, location, (Ns(time.0), Ns(time.1)), RegionId(region), |bin, calls, ns| {
                let sum = found.entry(bin).or_default();
                *sum = (sum.0 + calls, sum.1 + ns);
            });
            let mut expected: BTreeMap<u16, (u64, i64)> = BTreeMap::new();
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

fn halo_store(ranks: u32) -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let options = HaloOptions { ranks, iterations: 12, ..HaloOptions::default() };
    let simulation = halo(&options, &Machine::default()).unwrap();
    let place = directory.path().join("x.heddle");
    let store = store_simulation(&simulation, "halo", &place, 1 << 28, &NoProgress).unwrap();
    (directory, store)
}

fn with_profile(store: &Store) -> Trace<'_> {
    Trace { profile: Some(Arc::new(CallProfile::open(store, &NoProgress).unwrap())), ..Trace::from(store) }
}

fn asked(window: Window, options: &[(&str, &str)]) -> ViewRequest {
    let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    ViewRequest { framing: Framing::Pane, options: Given::by_program(options), ..request(window) }
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

/// All lines of a profile that have room, from the first on: what each says, and where it lies.
fn lines(trace: &Trace<'_>, request: &ViewRequest) -> Vec<Picked> {
    let area = View::Profile.scene(trace.clone(), request).plot;
    let at = |line: usize| (area.x + 60.0, area.y + 24.0 + 11.0 + 22.0 * line as f32);
    (0..).map_while(|line| View::Profile.pick(trace.clone(), request, at(line))).collect()
}

fn titles(trace: &Trace<'_>, request: &ViewRequest) -> Vec<String> {
    lines(trace, request).into_iter().map(|line| line.title).collect()
}

/// The request after a click: the options that it sets, beside those that were set.
fn after(request: &ViewRequest, options: &[(&str, &str)], picked: &Picked) -> ViewRequest {
    let sets = picked.sets.clone().unwrap();
    let mut all: BTreeMap<String, String> =
        options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    all.extend(sets.into_iter().map(|(name, value)| (name.to_owned(), value)));
    ViewRequest { options: Given::by_program(all), ..request.clone() }
}

#[test]
fn a_click_on_a_head_sorts_and_another_one_turns_the_order_round() {
    let (_directory, store) = halo_store(8);
    let trace = with_profile(&store);
    let request = asked(Window::default(), &[]);
    let scene = View::Profile.scene(trace.clone(), &request);
    for (title, what) in [("calls", 2usize), ("inclusive", 1), ("exclusive", 0)] {
        let is_it = |text: &str| text.trim_end_matches([' ', '▾', '▴']) == title;
        let head = scene.labels.iter().find(|label| is_it(&label.text)).unwrap();
        let at = (head.at.0 - 4.0, head.at.1);
        let once = after(
            &request,
            &[("sort", "name")],
            &View::Profile.pick(trace.clone(), &asked(Window::default(), &[("sort", "name")]), at).unwrap(),
        );
        let numbers = |request: &ViewRequest| -> Vec<i64> {
            let folded = folded_of(&store, &trace, &titles(&trace, request));
            folded
                .iter()
                .map(|folded| [folded.exclusive.total, folded.inclusive.total, folded.count as i64][what])
                .collect()
        };
        let sorted = numbers(&once);
        assert!(sorted.len() > 3 && sorted.is_sorted_by(|a, b| a >= b), "{title} {sorted:?}");
        let sort = View::Profile.pick(trace.clone(), &once, at).unwrap();
        let twice = after(&once, &[], &sort);
        assert!(numbers(&twice).is_sorted(), "{title}");
    }
}

/// Numbers of functions of all ranks, in an order.
fn folded_of(store: &Store, trace: &Trace<'_>, names: &[String]) -> Vec<Folded> {
    let profile = trace.profile.as_deref().unwrap();
    let by = Grouping::by_function(profile.paths(), |_| false);
    let locations: Vec<LocationId> = (0..store.locations.len() as u32).map(LocationId).collect();
    let all = fold(profile, store, &locations, (Ns(0), Ns(store.summary().end_ns)), &by);
    let of = |name: &String| {
        let is_it = |row: &heddle_profile::Row| store.regions.name.get(u64::from(row.region.0)) == name;
        all[by.rows().iter().position(is_it).unwrap()]
    };
    names.iter().map(of).collect()
}

#[test]
fn paths_are_opened_and_closed_and_stay_so() {
    let (_directory, store) = halo_store(4);
    let trace = with_profile(&store);
    let tree = [("tree", "1")];
    let request = asked(Window::default(), &tree);
    let all = titles(&trace, &asked(Window::default(), &[("tree", "1"), ("branches", "all")]));
    let outer = titles(&trace, &asked(Window::default(), &[("tree", "1"), ("branches", "none")]));
    assert_eq!(titles(&trace, &request), all, "there is room for all");
    assert!(outer.len() < all.len() && outer.iter().all(|title| !title.contains('›')), "{outer:?}");
    // The knob of the first path that calls something.
    let at = all.iter().position(|title| all.iter().any(|other| other.starts_with(&format!("{title} ›")))).unwrap();
    let area = View::Profile.scene(trace.clone(), &request).plot;
    let depth = all[at].matches('›').count() as f32;
    let knob = (area.x + 14.0 * depth + 3.0, area.y + 24.0 + 11.0 + 22.0 * at as f32);
    let picked = View::Profile.pick(trace.clone(), &request, knob).unwrap();
    assert_eq!(picked.select, None, "it is opened or closed, not selected");
    let closed = after(&request, &tree, &picked);
    let inside = format!("{} ›", all[at]);
    let left: Vec<String> = all.iter().filter(|title| !title.starts_with(&inside)).cloned().collect();
    assert_eq!(titles(&trace, &closed), left);
    let half = (Ns(0), Ns(store.summary().end_ns / 2));
    let earlier = ViewRequest { window: Window { time: Some(half), ..Window::default() }, ..closed.clone() };
    assert!(titles(&trace, &earlier).iter().all(|title| !title.starts_with(&inside)), "in another window too");
    let again = View::Profile.pick(trace.clone(), &closed, knob).unwrap();
    assert_eq!(titles(&trace, &after(&closed, &tree, &again)), all);
}

#[test]
fn a_search_leaves_what_it_finds_and_the_way_there() {
    let (_directory, store) = halo_store(4);
    let trace = with_profile(&store);
    let all = titles(&trace, &asked(Window::default(), &[("branches", "all"), ("tree", "1")]));
    let found =
        titles(&trace, &asked(Window::default(), &[("search", "wAiTaLl"), ("tree", "1"), ("branches", "none")]));
    let is_found = |title: &str| title.rsplit(" › ").next().unwrap().contains("Waitall");
    let way = |title: &&String| {
        all.iter().any(|other| is_found(other) && (other == *title || other.starts_with(&format!("{title} ›"))))
    };
    assert_eq!(found.iter().collect::<Vec<_>>(), all.iter().filter(way).collect::<Vec<_>>());
    assert!(found.iter().any(|title| is_found(title)));
    assert_eq!(titles(&trace, &asked(Window::default(), &[("search", "waitall")])), ["MPI_Waitall"]);
    let nothing = View::Profile.scene(trace.clone(), &asked(Window::default(), &[("search", "zzz")]));
    assert!(nothing.notes.iter().any(|note| note.contains("searched for")), "{:?}", nothing.notes);
}

#[test]
fn a_long_list_scrolls_to_its_end_and_no_further() {
    let (_directory, store) = halo_store(64);
    let trace = with_profile(&store);
    let all: Vec<String> = (0..64).map(|rank| format!("rank {rank}")).collect();
    let of = |first: &str| {
        let mut request = asked(Window::default(), &[("by-rank", "1"), ("sort", "name"), ("first-row", first)]);
        request.size.height = 24 + 6 + 22 * 10;
        let scene = View::Profile.scene(trace.clone(), &request);
        (titles(&trace, &request), scene.y_axis.extent)
    };
    assert_eq!(of("0"), (all[..10].to_vec(), Extent::Lines(0, 10, 64)));
    assert_eq!(of("33"), (all[33..43].to_vec(), Extent::Lines(33, 43, 64)));
    assert_eq!(of("1000"), (all[54..].to_vec(), Extent::Lines(54, 64, 64)));
}

#[test]
fn ranks_have_the_numbers_of_the_selected_function_or_of_all() {
    let (_directory, store) = halo_store(8);
    let trace = with_profile(&store);
    let options = [("by-rank", "1"), ("sort", "name")];
    let all = asked(Window::default(), &options);
    let emphasis = Emphasis { selected: Some(Selection::Function("MPI_Waitall".to_owned())), ..Emphasis::default() };
    let one = ViewRequest { emphasis, ..all.clone() };
    let region = (0..store.regions.len() as u32).find(|row| store.regions.name.get(u64::from(*row)) == "MPI_Waitall");
    for (request, own) in [(&all, None), (&one, region)] {
        let lines = lines(&trace, request);
        assert_eq!(lines.len(), 8);
        for (rank, line) in lines.iter().enumerate() {
            let calls = scan(&store, LocationId(rank as u32));
            let count = calls.iter().filter(|call| own.is_none_or(|own| call.path.last() == Some(&own))).count();
            let said = line.lines.iter().find(|line| line.contains(" call")).unwrap();
            assert_eq!(said.split(' ').next().unwrap().replace(',', ""), count.to_string(), "{said}");
            assert_eq!(line.select, Some(Selection::Ranks(rank.to_string().parse().unwrap())));
        }
    }
}

#[test]
fn cells_that_name_a_rank_select_it_or_its_call() {
    let (_directory, store) = halo_store(8);
    let trace = with_profile(&store);
    for tree in ["0", "1"] {
        let mut request = asked(Window::default(), &[("tree", tree)]);
        request.size.width = 2400;
        let scene = View::Profile.scene(trace.clone(), &request);
        let places = lines(&trace, &request).len();
        let cell = |title: &str, line: usize| {
            let head = scene.labels.iter().find(|label| label.text == title).unwrap();
            let at = (head.at.0 - 4.0, scene.plot.y + 24.0 + 11.0 + 22.0 * line as f32);
            let label =
                scene.labels.iter().find(|label| label.at.0 == head.at.0 && (label.at.1 - at.1).abs() < 11.0).unwrap();
            (View::Profile.pick(trace.clone(), &request, at).unwrap().select.unwrap(), label.text.clone())
        };
        for line in 0..places {
            for title in ["most, on rank", "least, on rank"] {
                let (select, text) = cell(title, line);
                let rank = text.rsplit(", ").next().unwrap();
                assert_eq!(select, Selection::Ranks(rank.parse().unwrap()), "{text}");
            }
            for title in ["longest call", "shortest call"] {
                let (select, text) = cell(title, line);
                let Selection::Span(name) = select else { panic!("a call") };
                let span = name.find(&store).unwrap().0;
                let ns = store.spans.end.get(span).since(store.spans.start.get(span));
                assert_eq!(text.split(", ").next().unwrap(), heddle_view::duration_text(ns));
            }
        }
    }
}

#[test]
fn keys_lead_from_line_to_line_and_open_and_close_them() {
    let (_directory, store) = halo_store(4);
    let trace = with_profile(&store);
    let tree = [("tree", "1"), ("branches", "none")];
    let mut request = asked(Window::default(), &tree);
    request.size.height = 24 + 6 + 22 * 3;
    let every = titles(&trace, &asked(Window::default(), &[("tree", "1"), ("branches", "all")]));
    let mut at = String::new();
    let mut options: Vec<(String, String)> = Vec::new();
    let mut press = |step: Step| {
        let picked = View::Profile.step(trace.clone(), &request, step).unwrap();
        options = picked.sets.clone().unwrap().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let mut all: BTreeMap<String, String> = tree.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        all.extend(options.iter().cloned());
        if !all.contains_key("branches") {
            all.insert("branches".to_owned(), "none".to_owned());
        }
        // What was opened stays open.
        let open = request.options.checked::<ProfileOptions>().branches;
        if !options.iter().any(|(name, _)| name == "branches") {
            all.insert("branches".to_owned(), open);
        }
        request.options = Given::by_program(all);
        at.clone_from(&picked.title);
        let seen = titles(&trace, &request);
        assert!(seen.contains(&at), "{at} is in sight: {seen:?}");
        at.clone()
    };
    let first = press(Step::Down);
    assert_eq!(first, every[0]);
    // Every path is reached by opening whatever holds something, line by line.
    let mut met = vec![first];
    for _ in 0..4 * every.len() {
        let here = met.last().unwrap().clone();
        let inner = press(Step::In);
        assert_eq!(inner, here, "it opens, if it holds anything");
        let next = press(Step::Down);
        if next == here {
            break;
        }
        met.push(next);
    }
    assert_eq!(met, every);
    assert_eq!(press(Step::First), every[0]);
    assert_eq!(press(Step::Last), *every.last().unwrap());
    let deepest = every.iter().max_by_key(|title| title.matches('›').count()).unwrap().clone();
    press(Step::First);
    while press(Step::Down) != deepest {}
    assert_eq!(press(Step::Out), deepest.rsplit_once(" › ").unwrap().0, "to its caller");
    let closed = press(Step::Out);
    assert_eq!(press(Step::In), closed, "it was closed, and is opened again");
    assert!(press(Step::In).starts_with(&format!("{closed} ›")));
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
