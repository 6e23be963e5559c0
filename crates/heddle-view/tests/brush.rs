//! What lies in a rectangle of the call view, against a plain scan of all spans.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::collections::{BTreeMap, BTreeSet};

use heddle_model::{CommId, LocationId, Ns, RegionId, SpanRow};
use heddle_profile::bins::bin_of;
use heddle_profile::{CallProfile, Lasting, Within};
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_view::{
    Brush, Brushed, CallHeight, CallStyle, CallsOptions, Emphasis, SpanName, Trace, ViewRequest, Window, brushed,
};
use proptest::prelude::*;

mod common;
#[path = "common/profiles.rs"]
mod profiles;
use common::{Calls, calls_in, request};
use profiles::with_profile;

const STYLES: [CallStyle; 4] = [CallStyle::PointsEnd, CallStyle::PointsStart, CallStyle::Lines, CallStyle::Arches];

/// Rows of the spans in the rectangle, by looking at all of them.
fn scan(store: &Store, request: &ViewRequest, brush: &Brush, is_call: &[bool], bytes: &BTreeMap<u64, u64>) -> Vec<u64> {
    let options: CallsOptions = request.options.checked();
    let locations = request.window.locations(store);
    let is_in = |row: &u64| {
        let (start, end) = (store.spans.start.get(*row), store.spans.end.get(*row));
        let region = store.spans.region.get(*row);
        let location = store.locations.of_span(SpanRow(*row));
        let (from, to) = brush.time;
        let at_time = match options.style {
            CallStyle::PointsEnd => from <= end && end <= to,
            CallStyle::PointsStart => from <= start && start <= to,
            _ => start <= to && from <= end,
        };
        let value = match options.y {
            CallHeight::Duration => end.since(start) as f64,
            CallHeight::Bytes => bytes.get(row).copied().unwrap_or(0) as f64,
            CallHeight::Rank => f64::from(store.locations.rank.get(u64::from(location.0)).0),
            CallHeight::Counter(_) => f64::NAN,
        };
        is_call[region.index()]
            && at_time
            && (brush.values.0..=brush.values.1).contains(&value)
            && locations.contains(&location)
            && !request.emphasis.hidden.contains(&region)
            && options.durations.is_none_or(|(least, most)| (least.0..=most.0).contains(&end.since(start)))
            && (options.communicator.is_none() || bytes.contains_key(row))
            && options.bytes.is_none_or(|(least, most)| (least..=most).contains(&bytes.get(row).copied().unwrap_or(0)))
    };
    (0..store.spans.len()).filter(is_in).collect()
}

/// All numbers of the answer against the rows.
fn compare(store: &Store, request: &ViewRequest, brush: &Brush, rows: &[u64]) {
    let found = brushed(&Trace::from(store), request, brush);
    assert_eq!(found.summed, None);
    compare_found(store, request, &found, rows);
}

fn compare_found(store: &Store, request: &ViewRequest, found: &Brushed, rows: &[u64]) {
    let length = |row: &u64| store.spans.end.get(*row).since(store.spans.start.get(*row)).unsigned_abs();
    let location = |row: &u64| store.locations.of_span(SpanRow(*row));
    assert_eq!(found.calls, rows.len() as u64);
    assert_eq!(found.total, rows.iter().map(length).sum::<u64>());
    let places: BTreeSet<_> = rows.iter().map(location).collect();
    assert_eq!((found.ranks, found.ranks_total), (places.len(), request.window.locations(store).len()));
    let mut by_region: BTreeMap<RegionId, Vec<u64>> = BTreeMap::new();
    for row in rows {
        by_region.entry(store.spans.region.get(*row)).or_default().push(*row);
    }
    assert_eq!(found.by_function.len(), by_region.len());
    for function in &found.by_function {
        let of_this = &by_region[&function.region];
        let ranks: BTreeSet<_> = of_this.iter().map(location).collect();
        let expected = (of_this.len() as u64, of_this.iter().map(length).sum(), ranks.len());
        assert_eq!((function.calls, function.total, function.ranks), expected);
    }
    let mut slowest = rows.to_vec();
    slowest.sort_by_key(|row| (std::cmp::Reverse(length(row)), *row));
    let named = |row: &u64| format!("span:{}", SpanName::of(store, SpanRow(*row)));
    let expected: Vec<String> = slowest.iter().take(10).map(named).collect();
    assert_eq!(found.slowest.iter().map(|call| call.select.to_string()).collect::<Vec<_>>(), expected);
    if let Some(slow) = found.slowest.first() {
        let row = slowest[0];
        assert_eq!(
            (slow.start, slow.end, slow.duration),
            (store.spans.start.get(row), store.spans.end.get(row), length(&row))
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_rectangle_holds_what_a_plain_scan_finds(
        calls in proptest::collection::vec(calls_in(0, 80, 3), 1..6),
        from in 0i64..80, length in 0i64..60, low in 0u32..6, high in 0u32..60,
        style in 0usize..4, by_rank in any::<bool>(), some in any::<bool>(), hide in any::<bool>(), bound in any::<bool>(),
    ) {
        let (_directory, store) = Calls::new(calls).store();
        let window = Window { ranks: some.then(|| "0,2-".parse().unwrap()), ..Window::default() };
        let asked = ViewRequest {
            emphasis: Emphasis { hidden: if hide { vec![RegionId(2)] } else { Vec::new() }, ..Emphasis::default() },
            options: (&CallsOptions {
                style: STYLES[style],
                y: if by_rank { CallHeight::Rank } else { CallHeight::Duration },
                durations: bound.then_some((Ns(3), Ns(20))),
                ..CallsOptions::default()
            })
                .into(),
            ..request(window)
        };
        let brush = Brush { time: (Ns(from), Ns(from + length)), values: (f64::from(low), f64::from(high)) };
        let communicates = (0..store.regions.len()).any(|region| matches!(region, 1 | 2) && store.regions.count.get(region) > 0);
        let is_call = if communicates { [false, true, true, false] } else { [true; 4] };
        let rows = scan(&store, &asked, &brush, &is_call, &BTreeMap::new());
        compare(&store, &asked, &brush, &rows);
    }
}

#[test]
fn bytes_and_communicators_are_those_of_messages_and_collectives() {
    let options = HaloOptions { ranks: 16, iterations: 12, allreduce_every: 3, ..HaloOptions::default() };
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("halo.heddle");
    let store =
        store_simulation(&halo(&options, &Machine::default()).unwrap(), "halo", &target, 1 << 28, &NoProgress).unwrap();
    let is_call: Vec<bool> =
        (0..store.regions.len()).map(|region| store.regions.paradigm.get(region) == "mpi").collect();
    for comm in [None, Some(CommId(0)), Some(CommId(7))] {
        let mut bytes: BTreeMap<u64, u64> = BTreeMap::new();
        let messages = &store.messages;
        for row in (0..messages.len()).filter(|row| comm.is_none_or(|comm| messages.comm.get(*row) == comm)) {
            for span in [messages.send_span.get(row), messages.recv_span.get(row)] {
                *bytes.entry(span.0).or_default() += messages.bytes.get(row);
            }
        }
        let (table, members) = (&store.collectives, &store.collective_members);
        for row in (0..table.len()).filter(|row| comm.is_none_or(|comm| table.comm.get(*row) == comm)) {
            for member in table.first_member.get(row)..table.first_member.get(row) + u64::from(table.members.get(row)) {
                *bytes.entry(members.span.get(member).0).or_default() +=
                    members.sent.get(member) + members.received.get(member);
            }
        }
        for y in [CallHeight::Duration, CallHeight::Bytes] {
            for style in STYLES {
                for values in [(1.0, 100.0), (100.0, 1e6), (0.0, 1e12)] {
                    let bytes_filter = (values.0 < 1.0).then_some((1_000, 9_000));
                    let calls = CallsOptions {
                        y: y.clone(),
                        style,
                        communicator: comm,
                        bytes: bytes_filter,
                        ..CallsOptions::default()
                    };
                    let asked = ViewRequest { options: (&calls).into(), ..request(Window::default()) };
                    let brush = Brush { time: (Ns(2_000_000), Ns(9_000_000)), values };
                    let rows = scan(&store, &asked, &brush, &is_call, &bytes);
                    compare(&store, &asked, &brush, &rows);
                }
            }
        }
    }
}

/// Count and time by function and bin, of one location, by looking at its spans.
fn scan_bins(store: &Store, location: LocationId, asked: &Lasting<'_>) -> BTreeMap<(RegionId, u16), (i64, i64)> {
    let mut sums: BTreeMap<(RegionId, u16), (i64, i64)> = BTreeMap::new();
    for row in store.spans_of(location) {
        let (start, end, region) = (store.spans.start.get(row), store.spans.end.get(row), store.spans.region.get(row));
        let (from, to) = asked.time;
        let is_in = match asked.within {
            Within::Start => from <= start && start <= to,
            Within::End => from <= end && end <= to,
            Within::Any => start <= to && from <= end,
        };
        let bin = bin_of(end.since(start));
        if is_in && asked.is_wanted[region.index()] && (asked.bins.0..=asked.bins.1).contains(&bin) {
            let sum = sums.entry((region, bin)).or_default();
            *sum = (sum.0 + 1, sum.1 + end.since(start));
        }
    }
    sums
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn calls_that_last_so_long_are_those_of_a_plain_scan(
        calls in proptest::collection::vec(calls_in(0, 80, 3), 1..4),
        from in -5i64..85, length in 0i64..90, low in 0u16..20, high in 0u16..90, hide in 0usize..5,
        within in prop_oneof![Just(Within::Start), Just(Within::End), Just(Within::Any)],
    ) {
        let (_directory, store) = Calls::new(calls).store();
        let profile = CallProfile::open(&store, &NoProgress).unwrap();
        let is_wanted: Vec<bool> = (0..store.regions.len() as usize).map(|region| region != hide).collect();
        let asked = Lasting { time: (Ns(from), Ns(from + length)), within, bins: (low, high), is_wanted: &is_wanted };
        for location in (0..store.locations.len() as u32).map(LocationId) {
            let mut sums: BTreeMap<(RegionId, u16), (i64, i64)> = BTreeMap::new();
            profile.lasting(&store, location, &asked, |region, bin, count, ns| {
                let sum = sums.entry((region, bin)).or_default();
                *sum = (sum.0 + count, sum.1 + ns);
                assert!(sum.0 >= 0, "what is taken back was counted before");
            });
            sums.retain(|_, sum| sum.0 != 0);
            prop_assert_eq!(sums, scan_bins(&store, location, &asked));
        }
    }
}

#[test]
fn a_large_rectangle_is_summed_for_the_durations_that_it_tells() {
    let options = HaloOptions { ranks: 8, iterations: 700, ..HaloOptions::default() };
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("halo.heddle");
    let store =
        store_simulation(&halo(&options, &Machine::default()).unwrap(), "halo", &target, 1 << 28, &NoProgress).unwrap();
    let trace = with_profile(&store);
    let is_call: Vec<bool> =
        (0..store.regions.len()).map(|region| store.regions.paradigm.get(region) == "mpi").collect();
    let end = store.summary().end_ns;
    for (y, values) in [
        (CallHeight::Duration, (1_000.0, 100_000.0)),
        (CallHeight::Duration, (0.0, 1e300)),
        (CallHeight::Duration, (433.5, 20_001.0)),
        (CallHeight::Rank, (2.0, 5.0)),
    ] {
        for (style, durations) in STYLES.into_iter().zip([None, Some((Ns(1_001), Ns(70_003))), None, None]) {
            for time in [(0, end), (end / 7, end - end / 9), (end / 3, 2 * end)] {
                let calls = CallsOptions { y: y.clone(), style, durations, ..CallsOptions::default() };
                let asked = ViewRequest { options: (&calls).into(), ..request(Window::default()) };
                let brush = Brush { time: (Ns(time.0), Ns(time.1)), values };
                let found = brushed(&trace, &asked, &brush);
                assert_eq!(found.summed.map_or(0, |summed| summed.unsearched), 0);
                // None of these edges is one of a bin, so whoever sums says so.
                let has_edges = durations.is_some() || (y == CallHeight::Duration && values.1 < 1e9);
                assert_eq!(found.summed.is_some(), has_edges);
                // A plain scan for what the answer says that it is of.
                let moved = CallsOptions {
                    durations: found.summed.map(|summed| (summed.least, summed.most)).or(durations),
                    ..calls
                };
                let (scanned, all) = (ViewRequest { options: (&moved).into(), ..asked.clone() }, (0.0, f64::MAX));
                let is_moved = found.summed.is_some() && y == CallHeight::Duration;
                let brush = Brush { values: if is_moved { all } else { values }, ..brush };
                let rows = scan(&store, &scanned, &brush, &is_call, &BTreeMap::new());
                assert!(!rows.is_empty() || found.calls == 0);
                compare_found(&store, &asked, &found, &rows);
                if let Some(summed) = found.summed {
                    let wanted = durations.unwrap_or((Ns(0), Ns::MAX));
                    assert!(summed.least <= wanted.0.max(Ns(if is_moved { values.0 as i64 } else { 0 })));
                    assert!(summed.most >= wanted.1.min(Ns(if is_moved { values.1 as i64 } else { i64::MAX })));
                }
            }
        }
    }
}
