//! What lies in an area of the timeline, and where calls begin and end near the pointer, against plain scans of the tables.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use heddle_model::{LocationId, Ns, RegionId, SpanRow};
use heddle_profile::CallProfile;
use heddle_profile::messages::Messages;
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_view::{
    Brushed, Choosing, Emphasis, MessageSum, Pointed, RankSet, Rect, Selection, Trace, View, ViewRequest, Window,
    area_told, profile,
};
use proptest::prelude::*;

mod common;
use common::{Calls, calls_in, request};

/// The trace with what answers for large areas.
fn summed(store: &Store) -> Trace<'_> {
    Trace {
        profile: Some(Arc::new(CallProfile::open(store, &NoProgress).unwrap())),
        messages: Some(Arc::new(Messages::open(store, &NoProgress).unwrap())),
        ..Trace::from(store)
    }
}

/// What is told of an area, which does not depend on whether there are sums.
fn told(store: &Store, window: &Window, emphasis: &Emphasis, area: ((Ns, Ns), &RankSet)) -> Brushed {
    let told = area_told(&Trace::from(store), window, emphasis, area);
    assert_eq!(area_told(&summed(store), window, emphasis, area), told);
    told
}

/// The spans of the area by looking at all of them: row, and how much of it is inside.
fn scan(store: &Store, window: &Window, hidden: &[RegionId], time: (Ns, Ns), ranks: &RankSet) -> Vec<(u64, u64)> {
    let shown = window.locations(store);
    let is_in = |row: &u64| {
        let (start, end) = (store.spans.start.get(*row), store.spans.end.get(*row));
        let location = store.locations.of_span(SpanRow(*row));
        let rank = store.locations.rank.get(u64::from(location.0)).0;
        let begins_in = start >= time.0 && start < time.1;
        (begins_in || (start < time.0 && end > time.0))
            && shown.contains(&location)
            && ranks.contains(rank)
            && !hidden.contains(&store.spans.region.get(*row))
    };
    let inside = |row: u64| {
        let (start, end) = (store.spans.start.get(row).max(time.0), store.spans.end.get(row).min(time.1));
        end.since(start).max(0).unsigned_abs()
    };
    (0..store.spans.len()).filter(is_in).map(|row| (row, inside(row))).collect()
}

/// For each region the time in which it is innermost, nanosecond by nanosecond.
fn innermost(store: &Store, location: LocationId, time: (Ns, Ns)) -> BTreeMap<RegionId, u64> {
    let mut times = BTreeMap::new();
    for moment in time.0.0..time.1.0 {
        let is_open = |row: &u64| store.spans.start.get(*row).0 <= moment && store.spans.end.get(*row).0 > moment;
        let top = store.spans_of(location).filter(is_open).max_by_key(|row| store.spans.depth.get(*row));
        if let Some(row) = top {
            *times.entry(store.spans.region.get(row)).or_insert(0) += 1;
        }
    }
    times
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn an_area_holds_what_a_plain_scan_finds(
        calls in proptest::collection::vec(calls_in(0, 80, 3), 1..6),
        from in 0i64..80, length in 1i64..60, first in 0u32..5, more in 0u32..4, some in any::<bool>(), hide in any::<bool>(),
    ) {
        let (_directory, store) = Calls::new(calls).store();
        let window = Window { ranks: some.then(|| "0,2-".parse().unwrap()), ..Window::default() };
        let hidden = if hide { vec![RegionId(2)] } else { Vec::new() };
        let emphasis = Emphasis { hidden: hidden.clone(), ..Emphasis::default() };
        let time = (Ns(from), Ns(from + length));
        let ranks: RankSet = (first..=first + more).collect();
        let told = told(&store, &window, &emphasis, (time, &ranks));

        let rows = scan(&store, &window, &hidden, time, &ranks);
        let location = |row: u64| store.locations.of_span(SpanRow(row));
        let mut own: BTreeMap<RegionId, u64> = BTreeMap::new();
        let chosen: Vec<LocationId> = window
            .locations(&store)
            .into_iter()
            .filter(|at| ranks.contains(store.locations.rank.get(u64::from(at.0)).0))
            .collect();
        for (region, ns) in chosen.iter().flat_map(|at| innermost(&store, *at, time)) {
            *own.entry(region).or_insert(0) += ns;
        }
        own.retain(|region, _| !hidden.contains(region));
        prop_assert_eq!(told.calls, rows.len() as u64);
        prop_assert_eq!(told.total, own.values().sum::<u64>());
        prop_assert_eq!(told.ranks_total, chosen.len());
        prop_assert_eq!(told.ranks, rows.iter().map(|(row, _)| location(*row)).collect::<BTreeSet<_>>().len());
        let regions: BTreeSet<RegionId> = rows.iter().map(|(row, _)| store.spans.region.get(*row)).collect();
        prop_assert_eq!(told.by_function.iter().map(|one| one.region).collect::<BTreeSet<_>>(), regions);
        for function in &told.by_function {
            let of_this: Vec<_> = rows.iter().filter(|(row, _)| store.spans.region.get(*row) == function.region).collect();
            let places: BTreeSet<_> = of_this.iter().map(|(row, _)| location(*row)).collect();
            prop_assert_eq!(function.calls, of_this.len() as u64);
            prop_assert_eq!(function.total, of_this.iter().map(|(_, inside)| inside).sum::<u64>());
            prop_assert_eq!(function.own, Some(own.get(&function.region).copied().unwrap_or(0)));
            prop_assert_eq!(function.ranks, places.len());
        }
        prop_assert!(told.by_function.is_sorted_by_key(|one| std::cmp::Reverse(one.own)));
    }

    #[test]
    fn the_nearest_edge_of_a_row_is_found(
        calls in proptest::collection::vec(calls_in(0, 80, 3), 2..5), x in 0.0f32..1.0, row in 0usize..5, reach in 0u16..20,
    ) {
        let (_directory, store) = Calls::new(calls).store();
        let asked = request(Window { time: Some((Ns(0), Ns(80))), ..Window::default() });
        let plot = View::Timeline.scene(&store, &asked).plot;
        let rows = asked.window.locations(&store);
        prop_assume!(!rows.is_empty());
        let row = row % rows.len();
        let at = (plot.x + x * plot.width, plot.y + (row as f32 + 0.5) / rows.len() as f32 * plot.height);
        let moment = (f64::from(at.0 - plot.x) / f64::from(plot.width) * 80.0) as i64;
        let near = (f64::from(reach) / f64::from(plot.width) * 80.0).ceil().max(1.0) as u64;
        let edges = store.spans_of(rows[row]).flat_map(|row| [store.spans.start.get(row), store.spans.end.get(row)]);
        let expected = edges
            .map(|edge| (edge.0.abs_diff(moment), edge))
            .filter(|(distance, _)| *distance <= near)
            .min();
        prop_assert_eq!(View::Timeline.edge(&store, &asked, at, f32::from(reach)), expected.map(|(_, edge)| edge));
    }
}

fn halo_store(directory: &tempfile::TempDir) -> Store {
    let options = HaloOptions { ranks: 16, iterations: 60, allreduce_every: 3, ..HaloOptions::default() };
    let target = directory.path().join("halo.heddle");
    store_simulation(&halo(&options, &Machine::default()).unwrap(), "halo", &target, 1 << 28, &NoProgress).unwrap()
}

#[test]
fn messages_of_an_area_are_those_of_a_plain_scan() {
    let directory = tempfile::tempdir().unwrap();
    let store = halo_store(&directory);
    let (messages, end) = (&store.messages, store.summary().end_ns);
    // So many messages that sums are asked for, and so few that they are not.
    let cases =
        [((0, end + 1), "0-15"), ((end / 4, end / 2), "0-15"), ((end / 3, end / 3 + 400_000), "2-5,9"), ((0, 1), "3")];
    let mut seen = 0;
    for ((from, to), text) in cases {
        let ranks: RankSet = text.parse().unwrap();
        let told = told(&store, &Window::default(), &Emphasis::default(), ((Ns(from), Ns(to)), &ranks));
        let has = |location: LocationId, at: Ns| {
            ranks.contains(store.locations.rank.get(u64::from(location.0)).0) && at.0 >= from && at.0 < to
        };
        let mut expected = [MessageSum::default(); 3];
        for row in 0..messages.len() {
            let sent = has(messages.send_location.get(row), messages.send.get(row));
            let received = has(messages.recv_location.get(row), messages.recv.get(row));
            for (sum, is_one) in expected.iter_mut().zip([sent, received, sent && received]) {
                sum.count += u64::from(is_one);
                sum.bytes += if is_one { messages.bytes.get(row) } else { 0 };
            }
        }
        let found = told.messages.unwrap();
        assert_eq!([found.sent, found.received, found.inside], expected, "{text} {from}:{to}");
        seen += found.inside.count;
    }
    assert!(seen > messages.len(), "the whole run and more");
}

#[test]
fn own_times_are_those_of_the_profile() {
    let directory = tempfile::tempdir().unwrap();
    let store = halo_store(&directory);
    let time = (Ns(store.summary().end_ns / 3), Ns(store.summary().end_ns / 2));
    let ranks: RankSet = "3-8".parse().unwrap();
    let told = told(&store, &Window::default(), &Emphasis::default(), (time, &ranks));
    let profile = profile(&store, &Window { time: Some(time), ranks: Some(ranks), ..Window::default() });
    for (region, ns) in &profile.regions {
        let own = told.by_function.iter().find(|one| one.region == *region).and_then(|one| one.own);
        assert_eq!(own.unwrap_or(0), *ns, "{}", store.regions.name.get(u64::from(region.0)));
    }
}

#[test]
fn a_rectangle_of_the_timeline_takes_in_the_rows_that_it_touches() {
    let directory = tempfile::tempdir().unwrap();
    let store = halo_store(&directory);
    let asked = request(Window {
        time: Some((Ns(1_000_000), Ns(2_000_000))),
        ranks: Some("2-9,12".parse().unwrap()),
        ..Window::default()
    });
    let plot = View::Timeline.scene(&store, &asked).plot;
    let row = plot.height / 9.0;
    let choose = |asked: &ViewRequest, top: f32, bottom: f32| {
        let rect = Rect {
            x: plot.x + plot.width / 4.0,
            y: plot.y + top * row,
            width: plot.width / 2.0,
            height: (bottom - top) * row,
        };
        View::Timeline.choose(&store, asked, Pointed::Area(rect), Choosing::Replace).map(|one| one.to_string())
    };
    assert_eq!(choose(&asked, 1.5, 3.5).unwrap(), "area:1250000:1750000:3-5");
    assert_eq!(choose(&asked, 0.0, 9.0).unwrap(), "area:1250000:1750000:2-9,12");
    assert_eq!(choose(&asked, 8.2, 8.4).unwrap(), "area:1250000:1750000:12");
    let selected: Selection = choose(&asked, 1.5, 3.5).unwrap().parse().unwrap();
    let emphasis = Emphasis { selected: Some(selected), ..Emphasis::default() };
    let marked = View::Timeline.scene(&store, &ViewRequest { emphasis, ..asked.clone() });
    assert_eq!(marked.layers.len(), View::Timeline.scene(&store, &asked).layers.len() + 1, "a frame is drawn");
}
