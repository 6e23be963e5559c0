//! Values of counters, and the histogram of them, against a plain scan of the table of values, whatever the window and the ranks.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

use std::collections::BTreeMap;
use std::sync::Arc;

use heddle_model::{LocationId, MetricId, Ns};
use heddle_options::Given;
use heddle_profile::values::{CounterValues, bin_of};
use heddle_store::{NoProgress, Store};
use heddle_view::{Framing, Layer, Raster, Scene, Selection, Trace, View, ViewRequest, Window};
use proptest::prelude::*;

mod common;
#[path = "common/counted.rs"]
mod counted;
use common::{request, within};
use counted::{END, stored};

const POWER: MetricId = MetricId(0);
const INSTRUCTIONS: MetricId = MetricId(1);

/// How many values there are in each bin, and for how long they hold.
type Found = BTreeMap<u32, (u64, i64)>;

/// What a look at every value of a counter at a location finds.
fn scanned(store: &Store, location: LocationId, metric: MetricId, (from, to): (i64, i64)) -> Found {
    let table = &store.metric_values;
    let is_it = |row: &u64| table.location.get(*row) == location && table.metric.get(*row) == metric;
    let mut samples: Vec<(i64, f64)> =
        (0..table.len()).filter(is_it).map(|row| (table.time.get(row).0, table.value.get(row))).collect();
    let mut steps: Vec<(f64, i64, i64)> = Vec::new();
    if metric == INSTRUCTIONS {
        // It counts: of several values at an instant the last is meant.
        samples.reverse();
        samples.dedup_by_key(|(time, _)| *time);
        samples.reverse();
        let grown = |pair: &[(i64, f64)]| {
            let growth = pair[1].1 - pair[0].1;
            (growth >= 0.0).then(|| (growth * 1e9 / (pair[1].0 - pair[0].0) as f64, pair[0].0, pair[1].0))
        };
        steps.extend(samples.windows(2).filter_map(grown));
    } else {
        let ends = samples.iter().skip(1).map(|(time, _)| *time).chain([END]);
        steps.extend(samples.iter().zip(ends).map(|((time, value), end)| (*value, *time, end)));
    }
    let mut found = Found::new();
    for (value, start, end) in steps {
        let begins_in = start >= from && (start < to || to >= END);
        if begins_in || (start < from && end > from) {
            let sum = found.entry(bin_of(value)).or_default();
            *sum = (sum.0 + 1, sum.1 + (end.min(to) - start.max(from)).max(0));
        }
    }
    found
}

/// Values of a few sizes, so that there are sums to keep.
fn samples(metric: u32, most: usize) -> impl Strategy<Value = Vec<(i64, u32, f64)>> {
    let value = prop_oneof![Just(0.0), (-9i32..90).prop_map(|tens| f64::from(tens) * 10.0)];
    proptest::collection::vec((0..=END, value), 0..most).prop_map(move |values| {
        let mut all: Vec<(i64, u32, f64)> = values.into_iter().map(|(time, value)| (time, metric, value)).collect();
        all.sort_by_key(|(time, ..)| *time);
        all
    })
}

fn merged(all: impl IntoIterator<Item = Vec<(i64, u32, f64)>>) -> Vec<(i64, u32, f64)> {
    let mut merged: Vec<(i64, u32, f64)> = all.into_iter().flatten().collect();
    merged.sort_by_key(|(time, ..)| *time);
    merged
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn numbers_are_those_of_a_scan(
        power in samples(0, 9_500), counts in samples(1, 3_000), few in samples(0, 40), ends in (0..END, 0..END),
    ) {
        let (_directory, store) = stored(&[merged([power, counts]), few, Vec::new()]);
        let values = CounterValues::open(&store, &NoProgress).unwrap();
        let (from, to) = (ends.0.min(ends.1), ends.0.max(ends.1));
        for time in [(0, END), (from, to.max(from + 1)), (from, from + 1), (from, END), (0, to.max(1))] {
            for series in store.counters.series() {
                let mut found = Found::new();
                values.values(&store, &series, (Ns(time.0), Ns(time.1)), |bin| {
                    let sum = found.entry(bin.bin).or_default();
                    *sum = (sum.0 + bin.count, sum.1 + bin.ns);
                });
                let expected = scanned(&store, series.location, series.metric, time);
                prop_assert_eq!(found, expected, "{:?} {:?}", series, time);
            }
        }
        prop_assert!(store.metric_values.is_empty() || CounterValues::find(&store).is_some(), "it is kept");
    }

    #[test]
    fn cells_hold_what_a_scan_finds(
        first in samples(0, 300), second in samples(0, 300), ends in (0..END, 0..END), linear in any::<bool>(), only in any::<bool>(),
    ) {
        let (_directory, store) = stored(&[first, second, Vec::new()]);
        let (from, to) = (ends.0.min(ends.1), ends.0.max(ends.1) + 1);
        let ranks = only.then(|| "1".parse().unwrap());
        let asked = asked(Window { ranks, ..within(from, to) }, &[("bins", if linear { "linear" } else { "log" })]);
        let trace = with_values(&store);
        let scene = View::Histogram.scene(trace.clone(), &asked);
        let rows: Vec<u32> = if only { vec![1] } else { vec![0, 1] };
        let expected: Vec<Found> =
            rows.iter().map(|row| scanned(&store, LocationId(*row), POWER, (from, to))).collect();
        if expected.iter().all(BTreeMap::is_empty) {
            prop_assert_eq!(&scene.notes[0], "None of these ranks has a value of this counter in this window.");
            return Ok(());
        }
        let cells = raster(&scene);
        for (row, expected) in expected.iter().enumerate() {
            let mut seen = 0;
            for column in 0..cells.columns {
                let at = (
                    scene.plot.x + (column as f32 + 0.5) * scene.plot.width / cells.columns as f32,
                    scene.plot.y + (row as f32 + 0.5) * scene.plot.height / rows.len() as f32,
                );
                let picked = View::Histogram.pick(trace.clone(), &asked, at);
                let is_drawn = cells.strength[row * cells.columns as usize + column as usize] > 0;
                prop_assert_eq!(picked.is_some(), is_drawn);
                let Some(picked) = picked else { continue };
                prop_assert_eq!(picked.title, format!("power · rank {}", rows[row]));
                prop_assert_eq!(picked.select, Some(Selection::Ranks(rows[row].to_string().parse().unwrap())));
                let said: u64 = picked.lines[1].split(' ').next().unwrap().replace(',', "").parse().unwrap();
                seen += said;
            }
            prop_assert_eq!(seen, expected.values().map(|(count, _)| count).sum::<u64>(), "no value is lost");
        }
    }
}

fn with_values(store: &Store) -> Trace<'_> {
    Trace { values: Some(Arc::new(CounterValues::open(store, &NoProgress).unwrap())), ..Trace::from(store) }
}

fn asked(window: Window, options: &[(&str, &str)]) -> ViewRequest {
    let options = [&[("counter", "power")], options].concat();
    let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    ViewRequest { framing: Framing::Pane, options: Given::by_program(options), ..request(window) }
}

fn raster(scene: &Scene) -> &Raster {
    let raster =
        scene.layers.iter().find_map(|layer| if let Layer::Raster(raster) = layer { Some(raster) } else { None });
    raster.unwrap()
}

/// Power of two ranks, instructions of one, and what a place of the first one's process counts.
fn some() -> (tempfile::TempDir, Store) {
    let power = |from: f64| (0..10).map(|at| (at * 1000, 0, from + (at % 2) as f64)).collect::<Vec<_>>();
    let counts = (0..10).map(|at| (at * 1000 + 5, 1, (at * at * 1000) as f64)).collect();
    stored(&[merged([power(100.0), counts]), power(200.0), vec![(0, 2, 4096.0), (5000, 2, 8192.0)]])
}

#[test]
fn values_are_told_with_their_units_and_for_how_long_they_hold() {
    let (_directory, store) = some();
    let trace = with_values(&store);
    let told = |counter: &str, across: f32, down: f32| {
        let mut asked = asked(Window::default(), &[("bins", "linear")]);
        asked.options =
            Given::by_program([("counter", counter), ("bins", "linear")].map(|(a, b)| (a.into(), b.into())));
        let scene = View::Histogram.scene(trace.clone(), &asked);
        let at = (scene.plot.x + across * scene.plot.width, scene.plot.y + down * scene.plot.height);
        let picked = View::Histogram.pick(trace.clone(), &asked, at).map(|picked| (picked.title, picked.lines));
        (scene.notes, picked)
    };
    let (notes, picked) = told("power", 0.001, 0.25);
    assert_eq!(notes, ["20 values of power, which hold for 20.00 µs in all, on 2 of 2 ranks."]);
    let (title, lines) = picked.unwrap();
    assert_eq!(title, "power · rank 0");
    assert_eq!(lines, ["100 W to 101 W", "5 values, held for 5.000 µs"].map(str::to_owned));
    // Of a counter that grows, what it grows by per second: between 1,000 and 17,000 in a thousand nanoseconds.
    let (notes, picked) = told("instr", 0.999, 0.25);
    assert!(notes[0].starts_with("9 values of instructions, per second"), "{notes:?}");
    assert!(picked.unwrap().1[0].ends_with("G/s"));
    // What a process counts belongs to its first row.
    let (notes, picked) = told("bytes, sent", 0.999, 0.25);
    assert!(notes[0].ends_with("on 1 of 2 ranks."), "{notes:?}");
    assert!(picked.unwrap().1[0].starts_with("8,192 B to "));
}

#[test]
fn a_counter_is_named_by_a_part_of_its_name_that_only_it_has() {
    let (_directory, store) = some();
    let wrong = |counter: &str| {
        let options = Given::by_program([("counter".to_owned(), counter.to_owned())]);
        View::Histogram.needs(&store, &ViewRequest { options, ..request(Window::default()) }).map(drop)
    };
    assert!(wrong("instr").is_ok());
    let several = wrong("e").unwrap_err().to_string();
    assert!(several.contains("must name one counter") && several.contains("power"), "{several}");
    assert!(wrong("energy").unwrap_err().to_string().contains("power"));
}
