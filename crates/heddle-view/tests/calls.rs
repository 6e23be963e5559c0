//! The call view against a plain scan of the spans, and its two ways of finding calls against each other.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod common;
#[path = "common/densities.rs"]
mod densities;

use std::sync::Arc;

use common::{Call, Calls, calls_in, request, within};
use densities::{densities, nothing_is_far, sum, total};
use heddle_model::{Ns, RegionId};
use heddle_options::{Given, Words};
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::index::CallEdge;
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_view::{
    Brush, CallHeight, CallStyle, CallsOptions, ColourBy, Density, Emphasis, EventOptions, Extent, Framing,
    HeightScale, LegendEntry, RankSet, Scene, Spacing, Trace, View, ViewRequest, Window, brushed, calls_scene_from,
};
use proptest::prelude::*;

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
        let tiles = calls_scene_from(&Trace::from(&store), &asked, true).unwrap();
        let note = tiles.notes.iter().find(|note| note.contains("keeps the bins")).unwrap();
        let edges = store.calls.durations();
        let kept = |bin: &&[i64]| (3_000..=60_000).contains(&i64::midpoint(bin[0], bin[1] - 1));
        let kept: Vec<&[i64]> = edges.windows(2).filter(kept).collect();
        let exact = (Ns(kept[0][0]), Ns(kept[kept.len() - 1][1] - 1));
        let calls = CallsOptions { durations: Some(exact), ..calls };
        let visited =
            calls_scene_from(&Trace::from(&store), &ViewRequest { options: (&calls).into(), ..asked }, false).unwrap();
        // Calls of bins that the window's own edges cut are visited, and filtered to the nanosecond.
        let [a, b] = [&tiles, &visited].map(|scene| total(scene).replace(',', "").parse::<f64>().unwrap());
        assert!((a - b).abs() <= 0.001 * b && b > 1e4, "{style:?}: {a} {b}; {note}");
    }
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
                let [tiles, visit] =
                    [true, false].map(|tiles| calls_scene_from(&Trace::from(&store), &asked, tiles).unwrap());
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
                let dense = calls_scene_from(&Trace::from(&store), &asked, tiles).unwrap();
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

/// A linear axis ends at the longest call in sight: also if that began before the window and ends behind it.
#[test]
fn a_linear_axis_ends_at_the_longest_call_in_sight() {
    let (_directory, store) = crowd();
    let few = vec![vec![Call(1, 100, 300, vec![]), Call(2, 1_000, 9_000, vec![])]];
    let (_other, few) = Calls::new(few).store();
    for (store, windows) in [
        (&store, vec![(20_200_000, 20_900_000), (1_000_000, 1_050_000), (3_999_000, 4_001_000)]),
        (&few, vec![(0, 500), (2_000, 3_000), (0, 20_000)]),
    ] {
        for (from, to) in windows {
            let lengths = (0..store.spans.len()).filter(|span| is_call(store, *span)).filter_map(|span| {
                let (start, end) = (store.spans.start.get(span).0, store.spans.end.get(span).0);
                (start < to && end >= from).then_some(end - start)
            });
            let longest = lengths.max().unwrap() as f64;
            let options = CallsOptions { scale: HeightScale::Linear, ..CallsOptions::default() };
            let asked = ViewRequest { options: (&options).into(), ..request(within(from, to)) };
            let Extent::Scaled(axis) = View::Calls.scene(store, &asked).y_axis.extent else { panic!("no scale") };
            assert!(axis.upper >= longest && axis.upper < 1.1 * longest, "{from}:{to}: {} for {longest}", axis.upper);
        }
    }
}

/// With very many ranks none of them is visited: the index tells, by whole bins of time at the edges of the window.
#[test]
fn a_crowd_of_ranks_is_not_visited() {
    let calls = |turn: i64| {
        let one = |at: i64| Call(1, at * 20_000 + turn * 7, at * 20_000 + turn * 7 + 3_000 + at * 100, vec![]);
        Arc::new((0..4).map(one).collect::<Vec<Call>>())
    };
    let turns: Vec<Arc<Vec<Call>>> = (0..64).map(calls).collect();
    let (_directory, store) = Calls::shared((0..70_000).map(|rank| Arc::clone(&turns[rank % 64])).collect()).store();
    let level = store.calls.levels(CallEdge::Start)[0];
    let (from, to) = (20_101, 60_303);
    for (_, style) in CallStyle::WORDS.iter().copied() {
        let asked = styled(within(from, to), style);
        let scene = View::Calls.scene(&store, &asked);
        assert!(scene.notes[1].starts_with("From tiles of the index: the count is exact but for"), "{:?}", scene.notes);
        // The window that the bins make: those whose middle is in it.
        let [first, after] = [from, to].map(|edge| (edge - level.bin_ns / 2 + level.bin_ns - 1) / level.bin_ns);
        let bin = |span: u64, is_end: bool| {
            let moment = if is_end { store.spans.end.get(span) } else { store.spans.start.get(span) };
            moment.0 / level.bin_ns
        };
        let is_in = |span: &u64| match style {
            CallStyle::PointsStart => (first..after).contains(&bin(*span, false)),
            CallStyle::PointsEnd => (first..after).contains(&bin(*span, true)),
            CallStyle::Lines | CallStyle::Arches => bin(*span, false) < after && bin(*span, true) >= first,
        };
        let calls = (0..store.spans.len()).filter(is_in).count();
        assert_eq!(total(&scene).replace(',', ""), calls.to_string(), "{style:?}");
    }
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
    let found = brushed(&Trace::from(&store), &asked, &brush);
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

/// Calls made from `stall`, from `main`, from another call of `main`, and from nowhere.
fn called() -> (tempfile::TempDir, Store) {
    let calls = |rank: i64| {
        let at = rank * 10;
        vec![
            Call(
                0,
                at,
                500_000,
                vec![
                    Call(3, 10_000, 200_000, vec![Call(1, 20_000, 190_000, vec![])]),
                    Call(2, 210_000, 400_000, vec![Call(1, 220_000, 390_000, vec![])]),
                ],
            ),
            Call(1, 600_000, 900_000, vec![]),
        ]
    };
    Calls::new((0..20).map(calls).collect()).store()
}

#[test]
fn the_legend_of_a_figure_names_what_is_in_sight() {
    let (_directory, store) = called();
    let end = store.summary().end_ns;
    for (window, framing) in [((0, end), Framing::Figure), ((0, 1), Framing::Figure), ((0, 1), Framing::Pane)] {
        let asked = ViewRequest { framing, ..request(within(window.0, window.1)) };
        let scene = View::Calls.scene(&store, &asked);
        let has_none = |entry: &LegendEntry| entry.value == "0";
        assert_eq!(scene.legend.iter().any(has_none), framing == Framing::Pane, "{window:?}: {:?}", scene.legend);
    }
}

#[test]
fn calls_are_coloured_by_what_called_them() {
    let (_directory, store) = called();
    let end = store.summary().end_ns;
    let asked = |style: CallStyle, (from, to): (i64, i64), y: CallHeight| {
        let options = CallsOptions { style, y, ..CallsOptions::default() };
        let mut given = Given::from(&options);
        given.add(&EventOptions { colour: ColourBy::Caller, ..EventOptions::default() });
        ViewRequest { options: given, ..request(within(from, to)) }
    };
    let whole = (0, end);
    // The second window begins inside of all callers.
    for (style, window) in [
        (CallStyle::PointsEnd, whole),
        (CallStyle::PointsStart, whole),
        (CallStyle::Lines, (100_000, end)),
        (CallStyle::Arches, (100_000, end)),
    ] {
        for y in [CallHeight::Duration, CallHeight::Bytes, CallHeight::Rank] {
            let scene = View::Calls.scene(&store, &asked(style, window, y.clone()));
            let mut legend: Vec<(&str, &str)> =
                scene.legend.iter().map(|entry| (entry.name.as_str(), entry.value.as_str())).collect();
            legend.sort_unstable();
            assert_eq!(legend, [("main", "40"), ("no caller", "20"), ("stall", "20")], "{style:?} {y:?}");
            let mut colours: Vec<_> =
                scene.legend.iter().map(|entry| scene.palette[usize::from(entry.colour.0)]).collect();
            let drawn = densities(&scene);
            for colour in &colours {
                let is_it =
                    |rgb: &[u8; 3]| rgb.iter().zip([colour.0, colour.1, colour.2]).all(|(a, b)| a.abs_diff(b) < 2);
                assert!(drawn[0].colours.iter().any(is_it), "{style:?} {y:?}: {colour:?} is not drawn");
            }
            colours.dedup();
            assert_eq!(colours.len(), 3);
        }
    }
    let scene = View::Calls.scene(&store, &asked(CallStyle::PointsStart, (600_000, 700_000), CallHeight::Duration));
    assert_eq!(scene.legend.len(), 1, "{:?}", scene.legend);
    let wrong = ViewRequest {
        options: (&EventOptions { colour: ColourBy::Phase, ..EventOptions::default() }).into(),
        ..request(Window::default())
    };
    let refused = View::Calls.needs(&store, &wrong).unwrap_err();
    assert_eq!(refused.to_string(), "`colour` must be function or caller in the call view");
}

/// What the pointer and the rectangle say is what the colours say.
#[test]
fn callers_are_picked_and_brushed() {
    let (_directory, store) = called();
    let mut given = Given::from(&CallsOptions::default());
    given.add(&EventOptions { colour: ColourBy::Caller, ..EventOptions::default() });
    let asked = ViewRequest { options: given, ..request(within(0, 1_000_000)) };
    let scene = View::Calls.scene(&store, &asked);
    let Extent::Scaled(axis) = scene.y_axis.extent else { panic!("no scale") };
    let place = |end: f64, duration: f64| {
        let share = (duration / axis.lower).ln() / (axis.upper / axis.lower).ln();
        let y = axis.bottom - (axis.bottom - axis.top) * share as f32;
        (scene.plot.x + scene.plot.width * (end / 1e6) as f32, y)
    };
    for (end, duration, words) in
        [(190e3, 170e3, "called from stall"), (390e3, 170e3, "called from main"), (900e3, 300e3, "no caller")]
    {
        let picked = View::Calls.pick(&store, &asked, place(end, duration)).unwrap();
        assert_eq!(picked.lines.last().unwrap(), words);
        let entry = scene.legend.iter().find(|entry| words.ends_with(&entry.name)).unwrap();
        assert_eq!(picked.colour, scene.palette[usize::from(entry.colour.0)]);
    }
    let brush = Brush { time: (Ns(100_000), Ns(1_000_000)), values: (0.0, 1e9) };
    let found = brushed(&Trace::from(&store), &asked, &brush);
    let by: Vec<(&str, u64)> = found.by_function.iter().map(|one| (one.name.as_str(), one.calls)).collect();
    assert_eq!(by, [("main", 40), ("no caller", 20), ("stall", 20)]);
}

/// Whatever the number of ranks, each has as many rows as every other, and as many rows between them.
#[test]
fn ranks_lie_on_even_rows() {
    for ranks in [4usize, 100, 256, 700, 1_000, 3_000] {
        let calls = Arc::new(vec![Call(1, 100, 200, vec![]), Call(2, 1_000, 5_000, vec![])]);
        let (_directory, store) = Calls::shared((0..ranks).map(|_| Arc::clone(&calls)).collect()).store();
        let options = CallsOptions { y: CallHeight::Rank, ..CallsOptions::default() };
        let asked = ViewRequest { options: (&options).into(), ..request(within(0, 10_000)) };
        let scene = View::Calls.scene(&store, &asked);
        let density = densities(&scene)[0];
        let rows = density.counts.chunks(density.columns as usize).map(|row| row.iter().sum::<u32>());
        let rows: Vec<u32> = rows.skip_while(|calls| *calls == 0).collect();
        let drawn: Vec<u32> = rows.iter().copied().filter(|calls| *calls > 0).collect();
        // The last row may have fewer ranks.
        assert!(drawn[..drawn.len() - 1].iter().all(|calls| *calls == drawn[0]), "{ranks}: {drawn:?}");
        let runs: Vec<usize> = rows.chunk_by(|a, b| (*a == 0) == (*b == 0)).map(<[u32]>::len).collect();
        for every_other in [0, 1] {
            let lengths: Vec<usize> = runs[..runs.len() - 1].iter().copied().skip(every_other).step_by(2).collect();
            assert!(lengths.windows(2).all(|pair| pair[0] == pair[1]), "{ranks}: {lengths:?}");
        }
        // A call fills its row but for what keeps rows apart: with few ranks it is a bar, not a dot.
        assert!(runs.len() < 2 || runs[0] > runs[1], "{ranks}: {runs:?}");
        // What a row is drawn on is what it is picked from, all the way up and down.
        let (across, down) = (scene.plot.width / density.columns as f32, scene.plot.height / density.rows as f32);
        let column = (0..density.columns as usize)
            .find(|at| density.counts.iter().skip(*at).step_by(density.columns as usize).any(|c| *c > 0))
            .unwrap();
        for row in (0..density.rows as usize).filter(|row| density.counts[row * density.columns as usize + column] > 0)
        {
            let at = (scene.plot.x + (column as f32 + 0.5) * across, scene.plot.y + (row as f32 + 0.5) * down);
            assert!(View::Calls.pick(&store, &asked, at).is_some(), "{ranks}: nothing at {at:?}");
        }
        let bars: Vec<_> = scene.beside.iter().filter(|mark| mark.rect.width > 1.0).map(|mark| mark.rect).collect();
        assert!(!bars.is_empty(), "there is room for how many calls each rank has");
        let (top, bottom) = (scene.plot.y, scene.plot.y + scene.plot.height);
        assert!(bars.iter().all(|bar| bar.y >= top && bar.y + bar.height <= bottom + 0.5), "{ranks}: {bars:?}");
    }
}

#[test]
fn no_bytes_are_no_bytes() {
    let (_directory, store) = called();
    let options = CallsOptions { y: CallHeight::Bytes, ..CallsOptions::default() };
    let scene = View::Calls.scene(&store, &ViewRequest { options: (&options).into(), ..request(Window::default()) });
    let texts: Vec<&str> = scene.labels.iter().map(|label| label.text.as_str()).collect();
    let median = texts.iter().position(|text| *text == "median").unwrap();
    assert_eq!(texts[median + 1], "0 B", "{texts:?}");
    assert!(scene.notes.iter().any(|note| note.contains("Calls of 0 B are at the lower edge.")), "{:?}", scene.notes);
    let labels = |scene: &Scene| scene.y_axis.ticks.iter().map(|tick| tick.label.clone()).collect::<Vec<_>>();
    assert_eq!(labels(&scene)[0], "0 B", "where they lie");
    // Of a program that sends some KiB in each call that sends at all.
    let directory = tempfile::tempdir().unwrap();
    let halo = halo(&HaloOptions { ranks: 4, iterations: 3, ..HaloOptions::default() }, &Machine::default()).unwrap();
    let store = store_simulation(&halo, "halo", &directory.path().join("x.heddle"), 1 << 28, &NoProgress).unwrap();
    for (filter, lowest) in [(None, "0 B"), (Some((2, 1 << 20)), "32 B")] {
        let options = CallsOptions { y: CallHeight::Bytes, bytes: filter, ..CallsOptions::default() };
        let asked = ViewRequest { options: (&options).into(), ..request(Window::default()) };
        let labels = labels(&View::Calls.scene(&store, &asked));
        assert!(!labels.contains(&"1 B".to_owned()) && labels[0] == lowest, "{filter:?}: {labels:?}");
    }
}

/// The word below the histogram does not touch the last moment of the axis, wherever that is.
#[test]
fn words_beside_the_plot_are_clear_of_its_axes() {
    let (_directory, store) = called();
    let wide = |text: &str| text.chars().count() as f32 * 11.0 * 0.62;
    for to in [400_000, 401_000, 395_000, 500_000] {
        let scene = View::Calls.scene(&store, &request(within(0, to)));
        let floor = scene.plot.y + scene.plot.height;
        let below = scene.labels.iter().filter(|label| label.at.1 > floor);
        let edges: Vec<f32> = below.map(|label| label.at.0 - wide(&label.text)).collect();
        assert_eq!(edges.len(), 1);
        let last = scene.x_axis.ticks.last().unwrap();
        assert!(last.at + wide(&last.label) / 2.0 + 4.0 < edges[0], "{to}: {last:?} and {edges:?}");
    }
}

#[test]
fn the_fewer_points_the_larger_they_are() {
    let cell = |calls: i64, style: CallStyle| {
        let each = |at: i64| Call(1, at * 1_000, at * 1_000 + 500, Vec::new());
        let (_directory, store) = Calls::new(vec![(0..calls).map(each).collect()]).store();
        let scene = View::Calls.scene(&store, &styled(Window::default(), style));
        let density = densities(&scene)[0];
        assert_eq!(sum(density) > 0, calls > 0);
        (scene.plot.width / density.columns as f32).round() as u32
    };
    assert_eq!([100, 2_000, 40_000].map(|calls| cell(calls, CallStyle::PointsEnd)), [6, 4, 3]);
    assert_eq!([100, 2_000, 40_000].map(|calls| cell(calls, CallStyle::Lines)), [3, 3, 3]);
}
