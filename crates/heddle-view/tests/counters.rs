//! The view of counters against a plain scan of their values.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

use heddle_options::Given;
use heddle_store::Store;
use heddle_view::{Band, Framing, Layer, Scene, View, ViewRequest, Window};
use proptest::prelude::*;

mod common;
#[path = "common/counted.rs"]
mod counted;
use common::{request, within};
use counted::{END, stored};

fn asked(window: Window, options: &[(&str, &str)]) -> ViewRequest {
    let options = Given::by_program(options.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
    ViewRequest { framing: Framing::Pane, options, ..request(window) }
}

/// Area, band and line of each lane.
fn bands(scene: &Scene) -> Vec<[&Band; 3]> {
    let Some(Layer::Bands(bands)) = scene.layers.first() else { panic!("no bands") };
    bands.chunks(3).map(|of_lane| [&of_lane[0], &of_lane[1], &of_lane[2]]).collect()
}

/// Least, largest and mean of power in a stretch, by looking at every nanosecond.
fn scanned(values: &[(i64, u32, f64)], from: i64, to: i64) -> Option<(f64, f64, f64)> {
    let power: Vec<(i64, f64)> = values.iter().filter(|value| value.1 == 0).map(|value| (value.0, value.2)).collect();
    let at = |time: i64| power.iter().rev().find(|(since, _)| *since <= time).map(|(_, value)| *value);
    let held: Vec<f64> = (from..to).filter_map(at).collect();
    let begun = power.iter().filter(|(time, _)| (from..to).contains(time)).map(|(_, value)| *value);
    let all: Vec<f64> = held.iter().copied().chain(begun).collect();
    let (least, most) = (all.iter().copied().reduce(f64::min)?, all.iter().copied().reduce(f64::max)?);
    Some((least, most, held.iter().sum::<f64>() / held.len() as f64))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn columns_show_what_a_scan_finds(
        mut values in proptest::collection::vec((1..END, Just(0u32), (1i32..1000).prop_map(f64::from)), 1..300),
        (a, b) in (0..END, 0..END),
    ) {
        values.sort_by_key(|(time, ..)| *time);
        let (from, to) = (a.min(b), a.max(b) + 1);
        let (_directory, store) = stored(&[values.clone(), Vec::new(), Vec::new()]);
        let asked = asked(within(from, to), &[]);
        let scene = View::Counters.scene(&store, &asked);
        let drawn = bands(&scene);
        let columns = scene.plot.width as i64;
        let edge = |column: i64| from + (to - from) * column / columns;
        let all: Vec<Option<(f64, f64, f64)>> =
            (0..columns).map(|at| scanned(&values, edge(at), edge(at + 1).max(edge(at) + 1))).collect();
        let known: Vec<(f64, f64, f64)> = all.iter().flatten().copied().collect();
        prop_assert_eq!(drawn.len(), usize::from(!known.is_empty()));
        let Some([_, band, line]) = drawn.first() else { return Ok(()) };
        // Two known values fix the scale; every other must lie on it.
        let top = known.iter().map(|value| value.1).fold(f64::MIN, f64::max);
        let (upper, lower) = (scene.plot.y + 15.0, scene.plot.y + scene.plot.height - 3.0);
        let least = known.iter().map(|value| value.0).fold(f64::MAX, f64::min);
        let low = if top > least && top - least < 0.1 * top { least } else { 0.0 };
        let y = |value: f64| lower - ((value - low) / (top - low)) as f32 * (lower - upper);
        for (at, value) in all.iter().enumerate() {
            let Some((least, most, mean)) = value else {
                prop_assert!(band.upper[at].is_nan() && line.upper[at].is_nan(), "{at}");
                continue;
            };
            prop_assert!((band.upper[at] - y(*most)).abs() < 0.01, "largest at {at}");
            prop_assert!((band.lower[at] - y(*least)).abs() < 0.01, "least at {at}");
            prop_assert!((f32::midpoint(line.upper[at], line.lower[at]) - y(*mean)).abs() < 0.01, "mean at {at}");
        }
    }
}

fn some() -> (tempfile::TempDir, Store) {
    let power = |from: f64| (0..10).map(move |at| (at * 1000 + 5, 0, from + at as f64));
    let counted = (0..10).map(|at| (at * 1000 + 5, 1, (at * at * 1000) as f64));
    let mut first: Vec<(i64, u32, f64)> = power(100.0).chain(counted).collect();
    first.sort_by_key(|(time, ..)| *time);
    stored(&[first, power(200.0).collect(), vec![(20, 2, 4096.0), (5000, 2, 8192.0)]])
}

#[test]
fn lanes_are_by_counter_and_location_with_or_without_calls() {
    let (_directory, store) = some();
    let texts = |options: &[(&str, &str)], window: Window| -> Vec<String> {
        let scene = View::Counters.scene(&store, &asked(window, options));
        scene.labels.into_iter().map(|label| label.text).collect()
    };
    let all = texts(&[], Window::default());
    let expected =
        ["power · rank 0 · W", "power · rank 1 · W", "instructions · rank 0 · per second", "bytes, sent · rank 0 · B"];
    assert_eq!(all, expected);
    assert_eq!(texts(&[("metrics", "bytes, sent")], Window::default()).len(), 1, "a name with a comma");
    assert_eq!(texts(&[("metrics", "instr,bytes, sent")], Window::default()).len(), 2, "a part of a name");
    let of_rank_1 = Window { ranks: Some("1".parse().unwrap()), ..Window::default() };
    assert_eq!(texts(&[], of_rank_1), ["power · rank 1 · W"]);
    let as_recorded = texts(&[("metrics", "instructions"), ("rates", "0")], Window::default());
    assert_eq!(as_recorded, ["instructions · rank 0"]);
    let wrong = View::Counters.needs(&store, &asked(Window::default(), &[("metrics", "energy")])).unwrap_err();
    assert!(wrong.to_string().contains("energy") && wrong.to_string().contains("power"), "{wrong}");
}

#[test]
fn what_is_under_the_pointer_is_what_is_drawn_there() {
    let (_directory, store) = some();
    let asked = asked(within(0, 4000), &[("metrics", "instructions")]);
    let scene = View::Counters.scene(&store, &asked);
    // From 1,005 to 2,005 ns it grows by 3,000.
    let x = scene.plot.x + scene.plot.width * 1500.0 / 4000.0;
    let picked = View::Counters.pick(&store, &asked, (x, scene.plot.y + 40.0)).unwrap();
    assert_eq!(picked.title, "instructions");
    assert_eq!(picked.lines[..2], ["rank 0", "3 G/s"]);
    assert_eq!(picked.lines.last().unwrap(), "0 values recorded here");
    assert!(View::Counters.pick(&store, &asked, (1.0, 1.0)).is_none());
}

#[test]
fn many_lanes_become_one_for_each_counter() {
    let (_directory, store) = some();
    let mut low = asked(Window::default(), &[]);
    low.size.height = 32 + 3 * 22;
    let scene = View::Counters.scene(&store, &low);
    assert_eq!(scene.labels.len(), 3, "{:?}", scene.labels);
    assert!(scene.labels[0].text.contains("all 2 locations"));
    assert!(scene.notes.iter().any(|note| note.contains("all locations of a counter together")), "{:?}", scene.notes);
}
