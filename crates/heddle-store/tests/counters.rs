//! The index of counters against a plain scan of their values.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

use heddle_model::{Event, LocationId, MetricDefinition, MetricId, MetricMode, MetricValue, Ns};
use heddle_store::Store;
use heddle_store::index::{Counted, MANY_SERIES, Reading};
use proptest::prelude::*;

mod common;
use common::{Hand, PLENTY, Stored, Timed, WORK, enter, leave, world};

const MODES: [MetricMode; 3] = [MetricMode::Accumulated, MetricMode::Absolute, MetricMode::Relative];
const END: i64 = 400;

/// Values of each rank: time, counter, value.
type Recorded = Vec<Vec<(i64, u32, f64)>>;

/// A trace of ranks that do nothing but count.
fn stored(recorded: &Recorded, memory: u64) -> Stored {
    let mut definitions = world(recorded.len() as u32);
    definitions.metrics =
        MODES.map(|mode| MetricDefinition { name: mode.name().to_owned(), unit: "#".to_owned(), mode }).to_vec();
    let tracks: Vec<Vec<Timed>> = recorded
        .iter()
        .map(|values| {
            let metric = |(time, metric, value): &(i64, u32, f64)| {
                (*time, Event::Metric(MetricValue { metric: MetricId(*metric), value: *value }))
            };
            let mut track = vec![(0, enter(WORK))];
            track.extend(values.iter().map(metric));
            track.push((END, leave(WORK)));
            track
        })
        .collect();
    Hand::new(definitions, &tracks).store_within(memory)
}

/// Value, begin and end of every step, straight from the table of values.
fn steps(store: &Store, location: u32, metric: u32, reading: Reading) -> Vec<(f64, i64, i64)> {
    let (table, mode) = (&store.metric_values, MODES[metric as usize]);
    let is_it = |row: &u64| table.location.get(*row).0 == location && table.metric.get(*row).0 == metric;
    let mut samples: Vec<(i64, f64)> = Vec::new();
    for row in (0..table.len()).filter(is_it) {
        let (time, value) = (table.time.get(row).0, table.value.get(row));
        match samples.last_mut() {
            Some(last) if mode == MetricMode::Accumulated && last.0 == time => last.1 = value,
            Some(last) if mode == MetricMode::Relative && last.0 == time => last.1 += value,
            _ => samples.push((time, value)),
        }
    }
    let mut steps: Vec<(f64, i64, i64)> = Vec::new();
    for pair in samples.windows(2) {
        let ((from, before), (to, now)) = (pair[0], pair[1]);
        let value = match (reading, mode) {
            (Reading::Level, _) => before,
            (Reading::Rate, MetricMode::Relative) => now * 1e9 / (to - from) as f64,
            (Reading::Rate, _) if now < before => f64::NAN,
            (Reading::Rate, _) => (now - before) * 1e9 / (to - from) as f64,
        };
        steps.push((value, from, to));
    }
    if let (Reading::Level, Some((time, value))) = (reading, samples.last()) {
        steps.push((*value, *time, END));
    }
    steps
}

/// Least, largest and mean in a stretch, by looking at every step.
fn scanned(steps: &[(f64, i64, i64)], from: i64, to: i64) -> Option<(f64, f64, f64)> {
    let (mut least, mut most, mut area, mut known) = (f64::INFINITY, f64::NEG_INFINITY, 0.0, 0);
    for (value, start, end) in steps.iter().filter(|(value, ..)| value.is_finite()) {
        let length = *end.min(&to) - *start.max(&from);
        if (from..to).contains(start) || length > 0 {
            least = least.min(*value);
            most = most.max(*value);
            area += value * length.max(0) as f64;
            known += length.max(0);
        }
    }
    let mean = if known > 0 { area / known as f64 } else { most };
    least.is_finite().then_some((least, most, mean))
}

fn assert_same(told: Counted, expected: Option<(f64, f64, f64)>, place: &str) {
    assert_eq!(told.is_known(), expected.is_some(), "{place}: {told:?}, not {expected:?}");
    if let (Some(mean), Some((least, most, expected))) = (told.mean(), expected) {
        assert_eq!((told.least, told.most), (least, most), "{place}");
        let close = 1e-9 * least.abs().max(most.abs()).max(1e-300);
        assert!((mean - expected).abs() <= close, "{place}: mean {mean}, not {expected}");
    }
}

fn recorded(ranks: std::ops::Range<usize>, values: usize) -> impl Strategy<Value = Recorded> {
    let value = prop_oneof![8 => (-500i32..500).prop_map(f64::from), 1 => Just(f64::NAN), 1 => Just(f64::INFINITY)];
    let one = proptest::collection::vec((1..END, 0u32..3, value), 0..values).prop_map(|mut values| {
        values.sort_by_key(|(time, ..)| *time);
        values
    });
    proptest::collection::vec(one, ranks)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_stretch_has_what_a_scan_finds(
        recorded in recorded(1..3, 1200),
        mut edges in proptest::collection::vec(0..END + 50, 2..40),
        memory in prop_oneof![Just(PLENTY), Just(1u64 << 12)],
    ) {
        let store = stored(&recorded, memory);
        edges.sort_unstable();
        for (location, metric) in (0..recorded.len() as u32).flat_map(|at| (0..3).map(move |metric| (at, metric))) {
            let series = store.counters.series_of(LocationId(location), MetricId(metric));
            for reading in [Reading::Level, Reading::Rate] {
                if MODES[metric as usize] == MetricMode::Absolute && reading == Reading::Rate {
                    continue;
                }
                let steps = steps(&store, location, metric, reading);
                let Some(series) = series else {
                    prop_assert!(steps.is_empty());
                    continue;
                };
                let times: Vec<Ns> = edges.iter().map(|edge| Ns(*edge)).collect();
                for (pair, told) in edges.windows(2).zip(store.counters.between(&series, reading, &times)) {
                    let to = pair[1].max(pair[0] + 1);
                    let place = format!("{metric} as {reading:?} from {} to {to}", pair[0]);
                    assert_same(told, scanned(&steps, pair[0], to), &place);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn bins_hold_all_locations(recorded in recorded(MANY_SERIES as usize + 20..MANY_SERIES as usize + 30, 40)) {
        let store = stored(&recorded, PLENTY);
        for metric in 0..3 {
            let reading = store.counters.usual_reading(MetricId(metric));
            let all: Vec<(f64, i64, i64)> =
                (0..recorded.len() as u32).flat_map(|location| steps(&store, location, metric, reading)).collect();
            let Some((bin_ns, bins)) = store.counters.of_all(MetricId(metric), reading) else {
                let series = store.counters.series().filter(|series| series.metric.0 == metric).count() as u64;
                prop_assert!(series <= MANY_SERIES);
                continue;
            };
            prop_assert!(bin_ns * bins.len() as i64 > END);
            for (at, told) in bins.into_iter().enumerate() {
                let (from, to) = (at as i64 * bin_ns, (at as i64 + 1) * bin_ns);
                assert_same(told, scanned(&all, from, to), &format!("{metric} from {from} to {to}"));
            }
        }
    }
}

#[test]
fn counters_that_start_again_have_no_rate_where_they_do() {
    let values = [(10, 0.0), (20, 100.0), (30, 40.0), (50, 60.0)].map(|(time, value)| (time, 0, value)).to_vec();
    let store = stored(&vec![values], PLENTY);
    let series = store.counters.series_of(LocationId(0), MetricId(0)).unwrap();
    assert_eq!((series.samples, store.counters.samples_in(&series, (Ns(20), Ns(50)))), (4, 2));
    let edges = [0, 10, 20, 30, 40, 60].map(Ns);
    let rates = store.counters.between(&series, Reading::Rate, &edges);
    let means: Vec<Option<f64>> = rates.iter().map(Counted::mean).collect();
    assert_eq!(means, [None, Some(1e10), None, Some(1e9), Some(1e9)]);
    let whole = store.counters.between(&series, Reading::Rate, &[Ns(0), Ns(END)])[0];
    assert_eq!((whole.known, whole.mean()), (30, Some(120.0 * 1e9 / 30.0)), "120 counted in 30 ns that are known");
}
