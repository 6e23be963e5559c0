//! The call view against a plain scan of the spans, and its two ways of finding calls against each other.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod common;

use std::sync::Arc;

use common::{Call, Calls, calls_in, request, within};
use heddle_model::{Ns, RegionId};
use heddle_options::Words;
use heddle_store::Store;
use heddle_store::index::CallEdge;
use heddle_view::{
    Brush, CallHeight, CallStyle, CallsOptions, Density, Emphasis, Extent, Framing, HeightScale, Layer, RankSet, Scene,
    Spacing, View, ViewRequest, Window, brushed, calls_scene_from,
};
use proptest::prelude::*;

fn densities(scene: &Scene) -> Vec<&Density> {
    let layers = scene.layers.iter();
    layers.filter_map(|layer| if let Layer::Density(density) = layer { Some(density) } else { None }).collect()
}

fn sum(density: &Density) -> u64 {
    density.counts.iter().map(|count| u64::from(*count)).sum()
}

fn styled(window: Window, style: CallStyle) -> ViewRequest {
    ViewRequest { options: (&CallsOptions { style, ..CallsOptions::default() }).into(), ..request(window) }
}

/// Spans of regions 1 and 2, which communicate; where nothing does, all spans.
fn is_call(store: &Store, span: u64) -> bool {
    let communicates = |span| matches!(store.spans.region.get(span), RegionId(1 | 2));
    communicates(span) || !(0..store.spans.len()).any(communicates)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Every call that starts or ends in the window is on the picture, once, in its column.
    #[test]
    fn points_are_where_calls_start_and_end(
        calls in proptest::collection::vec(calls_in(0, 1_000_000, 3), 1..5),
        (a, b) in (0i64..1_000_000, 0i64..1_000_000),
    ) {
        let (_directory, store) = Calls::new(calls).store();
        let (from, to) = (a.min(b), a.max(b) + 1);
        let end = store.summary().end_ns;
        for style in [CallStyle::PointsStart, CallStyle::PointsEnd] {
            let scene = View::Calls.scene(&store, &styled(within(from, to), style));
            let density = densities(&scene)[0];
            let mut columns = vec![0u64; density.columns as usize];
            for span in (0..store.spans.len()).filter(|span| is_call(&store, *span)) {
                let moment = match style {
                    CallStyle::PointsStart => store.spans.start.get(span),
                    _ => store.spans.end.get(span),
                };
                if moment.0 >= from && (moment.0 < to || to >= end) {
                    let share = (moment.0 - from) as f64 * (f64::from(density.columns) / (to - from) as f64);
                    columns[(share as usize).min(density.columns as usize - 1)] += 1;
                }
            }
            let drawn: Vec<u64> = (0..density.columns as usize)
                .map(|column| density.counts.iter().skip(column).step_by(density.columns as usize).map(|c| u64::from(*c)).sum())
                .collect();
            prop_assert_eq!(drawn, columns);
            prop_assert_eq!(density.most, density.counts.iter().copied().max().unwrap());
        }
    }

    /// A line covers the columns from its start to its end.
    #[test]
    fn lines_cover_their_calls(
        calls in proptest::collection::vec(calls_in(0, 1_000_000, 3), 1..5),
        (a, b) in (0i64..1_000_000, 0i64..1_000_000),
    ) {
        let (_directory, store) = Calls::new(calls).store();
        let (from, to) = (a.min(b), a.max(b) + 1);
        let scene = View::Calls.scene(&store, &styled(within(from, to), CallStyle::Lines));
        let density = densities(&scene)[0];
        let mut cells = 0;
        for span in (0..store.spans.len()).filter(|span| is_call(&store, *span)) {
            let (start, stop) = (store.spans.start.get(span).0, store.spans.end.get(span).0);
            if start < to && stop >= from || start >= from && to >= store.summary().end_ns {
                let column = |moment: i64| {
                    let share = (moment - from) as f64 * (f64::from(density.columns) / (to - from) as f64);
                    (share.max(0.0) as u64).min(u64::from(density.columns) - 1)
                };
                cells += column(stop) - column(start) + 1;
            }
        }
        prop_assert_eq!(sum(density), cells);
    }
}

/// Ranks in groups that share their calls: many calls in little memory. Waits that end together every so often, receives
/// of all lengths between them.
fn crowd() -> (tempfile::TempDir, Store) {
    let mut random = 7u64;
    let mut chance = |below: i64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below.unsigned_abs()).cast_signed()
    };
    let mut group = || {
        let mut calls = Vec::new();
        let mut now = chance(10_000);
        for round in 1..=40i64 {
            for _ in 0..20 {
                let size = 4 + chance(12);
                let length = 20 + chance(1 << size);
                calls.push(Call(1, now, now + length, Vec::new()));
                now += length + 1 + chance(2_000);
            }
            let together = (round * 1_000_000).max(now + 1);
            calls.push(Call(2, now, together, Vec::new()));
            now = together + chance(3_000);
        }
        Arc::new(calls)
    };
    let groups: Vec<Arc<Vec<Call>>> = (0..16).map(|_| group()).collect();
    let ranks = (0..512).map(|rank| Arc::clone(&groups[rank % groups.len()])).collect();
    Calls::shared(ranks).store()
}

/// With a filter of durations, the index gives what the bins that it names hold.
#[test]
fn tiles_filter_durations_by_bins() {
    let (_directory, store) = crowd();
    for (_, style) in CallStyle::WORDS.iter().copied().take(3) {
        let calls = CallsOptions { style, durations: Some((Ns(3_000), Ns(60_000))), ..CallsOptions::default() };
        let asked = ViewRequest { options: (&calls).into(), ..request(within(4_000_000, 30_000_000)) };
        let tiles = calls_scene_from(&store, &asked, true).unwrap();
        let note = tiles.notes.iter().find(|note| note.contains("keeps the bins")).unwrap();
        let edges = store.calls.durations();
        let kept = |bin: &&[i64]| (3_000..=60_000).contains(&i64::midpoint(bin[0], bin[1] - 1));
        let kept: Vec<&[i64]> = edges.windows(2).filter(kept).collect();
        let exact = (Ns(kept[0][0]), Ns(kept[kept.len() - 1][1] - 1));
        let calls = CallsOptions { durations: Some(exact), ..calls };
        let visited = calls_scene_from(&store, &ViewRequest { options: (&calls).into(), ..asked }, false).unwrap();
        // Calls of bins that the window's own edges cut are visited, and filtered to the nanosecond.
        let [a, b] = [&tiles, &visited].map(|scene| total(scene).replace(',', "").parse::<f64>().unwrap());
        assert!((a - b).abs() <= 0.001 * b && b > 1e4, "{style:?}: {a} {b}; {note}");
    }
}

fn total(scene: &Scene) -> &str {
    scene.notes[0].split(' ').next().unwrap()
}

/// Whether every call of one picture can be paired with one of the other at most a cell away: no square holds more calls
/// than the other picture has in that square and a cell around it.
fn nothing_is_far(a: &Density, b: &Density) -> bool {
    let sums = |density: &Density| {
        let (columns, rows) = (density.columns as usize, density.rows as usize);
        let mut sums = vec![0u64; (columns + 1) * (rows + 1)];
        for row in 0..rows {
            for column in 0..columns {
                let at = (row + 1) * (columns + 1) + column + 1;
                sums[at] = u64::from(density.counts[row * columns + column]) + sums[at - 1] + sums[at - columns - 1]
                    - sums[at - columns - 2];
            }
        }
        sums
    };
    let (columns, rows) = (a.columns as usize, a.rows as usize);
    let (a, b) = (sums(a), sums(b));
    let inside = |sums: &[u64], left: usize, top: usize, right: usize, bottom: usize| {
        let at = |column: usize, row: usize| sums[row * (columns + 1) + column];
        at(right, bottom) + at(left, top) - at(left, bottom) - at(right, top)
    };
    (0..rows).all(|top| {
        (0..columns).all(|left| {
            [1, 2, 5, 20].into_iter().all(|size: usize| {
                let (right, bottom) = ((left + size).min(columns), (top + size).min(rows));
                let around = |sums: &[u64]| {
                    let (left, top) = (left.saturating_sub(1), top.saturating_sub(1));
                    inside(sums, left, top, (right + 1).min(columns), (bottom + 1).min(rows))
                };
                inside(&a, left, top, right, bottom) <= around(&b) && inside(&b, left, top, right, bottom) <= around(&a)
            })
        })
    })
}

#[test]
fn tiles_tell_what_a_visit_tells() {
    let (_directory, store) = crowd();
    let end = store.summary().end_ns;
    assert!(!store.calls.levels(CallEdge::Start).is_empty());
    let windows = [(0, end), (0, end / 2), (1_234_567, end / 3 * 2 + 77), (end / 3 + 5, end)];
    for (from, to) in windows {
        for style in [CallStyle::PointsStart, CallStyle::PointsEnd, CallStyle::Lines] {
            for scale in [HeightScale::Logarithmic, HeightScale::Linear] {
                let asked = ViewRequest {
                    framing: Framing::Pane,
                    size: heddle_view::Size { width: 600, height: 400 },
                    options: (&CallsOptions { style, scale, ..CallsOptions::default() }).into(),
                    ..request(within(from, to))
                };
                let [tiles, visit] = [true, false].map(|tiles| calls_scene_from(&store, &asked, tiles).unwrap());
                let what = format!("{style:?} {scale:?} {from}:{to}");
                assert_eq!(total(&tiles), total(&visit), "{what}");
                let (tiles, visit) = (densities(&tiles)[0], densities(&visit)[0]);
                if style != CallStyle::Lines {
                    assert_eq!(sum(tiles), sum(visit), "{what}");
                    assert!(nothing_is_far(tiles, visit), "{what}");
                }
                let (got, wanted) = (f64::from(tiles.most), f64::from(visit.most));
                assert!((got - wanted).abs() <= 0.05 * wanted, "{what}: most is {got} instead of {wanted}");
            }
        }
    }
}

/// Cells of one picture without any of the other within so many cells.
fn strays(a: &Density, b: &Density, reach: usize) -> usize {
    let (columns, rows) = (a.columns as usize, a.rows as usize);
    let is_near = |at: usize| {
        let (column, row) = (at % columns, at / columns);
        (row.saturating_sub(reach)..(row + reach + 1).min(rows)).any(|row| {
            let near = column.saturating_sub(reach)..(column + reach + 1).min(columns);
            b.counts[row * columns..][near].iter().any(|count| *count > 0)
        })
    };
    // What is just beyond the edge in one picture may be just within it in the other.
    let is_inside = |at: usize| (reach..columns - reach).contains(&(at % columns));
    (0..a.counts.len()).filter(|at| is_inside(*at) && a.counts[*at] > 0 && !is_near(*at)).count()
}

/// Arches of more calls than can be drawn one by one look as if each had been: from tiles and from visits, in windows
/// whose calls reach far beyond both ends of them.
#[test]
fn dense_arches_are_the_arches_of_their_calls() {
    let (_directory, store) = crowd();
    let end = store.summary().end_ns;
    for (from, to) in [(0, end / 4), (1_234_567, end / 3 + 77), (20_200_000, 20_900_000), (end / 6 * 5 + 5, end)] {
        for scale in [HeightScale::Linear, HeightScale::Logarithmic] {
            let asked = ViewRequest {
                framing: Framing::Pane,
                size: heddle_view::Size { width: 600, height: 400 },
                options: (&CallsOptions { style: CallStyle::Arches, scale, ..CallsOptions::default() }).into(),
                ..request(within(from, to))
            };
            let exact = View::Calls.scene(&store, &asked);
            assert!(exact.notes[0].contains("each an arch") && total(&exact) != "0", "{:?}", exact.notes);
            let one = densities(&exact)[0];
            for tiles in [true, false] {
                let what = format!("{from}:{to} {scale:?}, tiles: {tiles}");
                let dense = calls_scene_from(&store, &asked, tiles).unwrap();
                assert_eq!(total(&dense), total(&exact), "{what}");
                let dense = densities(&dense)[0];
                assert_eq!((strays(one, dense, 2), strays(dense, one, 2)), (0, 0), "{what}");
                let [got, wanted] = [dense, one].map(|density| sum(density) as f64);
                assert!((got - wanted).abs() < 0.03 * wanted, "{what}: {got} instead of {wanted}");
            }
        }
    }
}

/// However many they are, arches stay arches.
#[test]
fn many_arches_are_arches() {
    let (_directory, store) = crowd();
    let scene = View::Calls.scene(&store, &styled(Window::default(), CallStyle::Arches));
    assert!(scene.notes[0].starts_with("430,080 calls in the window, each an arch"), "{:?}", scene.notes);
    let Extent::Scaled(axis) = scene.y_axis.extent else { panic!("no scale") };
    assert_eq!(axis.spacing, Spacing::Linear, "a logarithm distorts arches");
    let lines = View::Calls.scene(&store, &styled(Window::default(), CallStyle::Lines));
    let Extent::Scaled(axis) = lines.y_axis.extent else { panic!("no scale") };
    assert_eq!(axis.spacing, Spacing::Logarithmic);
}

#[test]
fn filters_hold() {
    let calls = |rank: i64| {
        vec![Call(1, 100, 200 + rank, vec![]), Call(2, 1_000, 5_000, vec![]), Call(0, 6_000, 7_000, vec![])]
    };
    let (_directory, store) = Calls::new((0..10).map(calls).collect()).store();
    let count = |asked: &ViewRequest| {
        let scene = View::Calls.scene(&store, asked);
        densities(&scene).iter().map(|density| sum(density)).collect::<Vec<_>>()
    };
    let whole = request(Window::default());
    assert_eq!(count(&whole), [20], "region 0 does not communicate");
    let ranks: RankSet = "2-4".parse().unwrap();
    assert_eq!(count(&request(Window { ranks: Some(ranks), ..Window::default() })), [6]);
    let hidden = Emphasis { hidden: vec![RegionId(1)], ..Emphasis::default() };
    assert_eq!(count(&ViewRequest { emphasis: hidden, ..whole.clone() }), [10]);
    let highlighted = Emphasis { highlighted: vec![RegionId(2)], ..Emphasis::default() };
    assert_eq!(count(&ViewRequest { emphasis: highlighted, ..whole.clone() }), [10, 10], "what stands out is on top");
    let durations = CallsOptions { durations: Some((Ns(103), Ns(105))), ..CallsOptions::default() };
    assert_eq!(count(&ViewRequest { options: (&durations).into(), ..whole }), [3]);
}

#[test]
fn heights_are_what_a_counter_says() {
    let calls =
        |rank: i64| vec![Call(1, 100, 1_100 + rank * 1_000, vec![]), Call(2, 50_000, 51_000 + rank * 9_000, vec![])];
    let (_directory, store) = Calls::new((0..10).map(calls).collect()).counted().store();
    let options = CallsOptions { y: CallHeight::Counter("ticks".to_owned()), ..CallsOptions::default() };
    let unknown = CallsOptions { y: CallHeight::Counter("tocks".to_owned()), ..CallsOptions::default() };
    let refused = View::Calls.needs(&store, &ViewRequest { options: (&unknown).into(), ..request(Window::default()) });
    assert_eq!(refused.unwrap_err().to_string(), "`y` must name a counter of the trace; it has ticks");
    for (_, style) in CallStyle::WORDS.iter().copied() {
        for (_, scale) in HeightScale::WORDS.iter().copied() {
            let asked = ViewRequest {
                options: (&CallsOptions { style, scale, ..options.clone() }).into(),
                ..request(Window::default())
            };
            let scene = View::Calls.scene(&store, &asked);
            assert_eq!((total(&scene), scene.y_axis.title.as_str()), ("18", "ticks"), "{style:?} {scale:?}");
            assert!(scene.notes.iter().any(|note| note.starts_with("2 calls without a value of ticks are not drawn.")));
            let Extent::Scaled(axis) = scene.y_axis.extent else { panic!("no scale") };
            assert!(axis.upper > 82.0 && axis.upper < 100.0 && axis.lower < 2.0, "{axis:?}");
            assert!(scene.y_axis.ticks.iter().any(|tick| matches!(tick.label.as_str(), "20" | "10")), "{scale:?}");
        }
    }
    // Rank 3 adds 4 in its first call and 28 in its second.
    let asked = ViewRequest { options: (&options).into(), ..request(Window::default()) };
    let brush = Brush { time: (Ns(0), Ns(200_000)), values: (3.9, 4.1) };
    let found = brushed(&store, &asked, &brush);
    assert_eq!((found.calls, found.ranks_filter.as_deref()), (1, Some("3")));
}

#[test]
fn the_call_under_the_pointer_is_picked_in_every_style() {
    let calls = vec![vec![Call(1, 100_000, 300_000, vec![])], vec![Call(2, 500_000, 501_000, vec![])]];
    let (_directory, store) = Calls::new(calls).store();
    for (_, style) in CallStyle::WORDS.iter().copied() {
        let asked = styled(within(0, 1_000_000), style);
        let scene = View::Calls.scene(&store, &asked);
        let density = densities(&scene)[0];
        let (across, down) = (scene.plot.width / density.columns as f32, scene.plot.height / density.rows as f32);
        let mut seen = Vec::new();
        for at in (0..density.counts.len()).filter(|at| density.counts[*at] > 0) {
            let (column, row) = (at % density.columns as usize, at / density.columns as usize);
            let place = (scene.plot.x + (column as f32 + 0.5) * across, scene.plot.y + (row as f32 + 0.5) * down);
            let picked = View::Calls.pick(&store, &asked, place);
            let title = picked.unwrap_or_else(|| panic!("{style:?} at {place:?}: nothing")).title;
            if !seen.contains(&title) {
                seen.push(title);
            }
        }
        seen.sort();
        assert_eq!(seen, ["MPI_Recv", "MPI_Waitall"], "{style:?}");
        let empty = (scene.plot.x + scene.plot.width * 0.8, scene.plot.y + scene.plot.height * 0.5);
        assert!(View::Calls.pick(&store, &asked, empty).is_none());
    }
}
