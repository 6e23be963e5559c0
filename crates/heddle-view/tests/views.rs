//! Views against what a plain scan of the spans says.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use heddle_model::{LocationId, Ns, RegionId, SpanRow};
use heddle_store::{ImportOptions, NoProgress, Store, StorePlace, open_or_import};
use heddle_view::{
    ActivityColumns, ColourBook, Colours, Emphasis, Layer, Scene, Theme, View, ViewRequest, Window, stages,
};
use proptest::prelude::*;

mod common;
use common::{Call, Calls, calls_in, request, within};

/// The innermost MPI region at a moment, by plain recursion.
fn innermost(calls: &[Call], time: i64) -> Option<u32> {
    let Call(region, _, _, inside) = calls.iter().find(|Call(_, start, end, _)| (*start..*end).contains(&time))?;
    innermost(inside, time).or(matches!(region, 1 | 2).then_some(*region))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn activity_is_the_exact_share(
        calls in proptest::collection::vec(calls_in(0, 60, 3), 1..5),
        from in 0i64..40, length in 1i64..40, columns in 1u32..9, some in any::<bool>(),
    ) {
        let (_directory, store) = Calls::new(calls.clone()).store();
        let window = Window {
            time: Some((Ns(from), Ns(from + length))),
            ranks: some.then(|| "0,2-".parse().unwrap()),
            rows: None,
            ..Window::default()
        };
        let chosen: Vec<usize> = window.locations(&store).iter().map(|location| location.index()).collect();
        let found = ActivityColumns::of(&store, &window, columns);
        let edge = |column: u32| from + length * i64::from(column) / i64::from(columns);
        for column in 0..columns {
            for region in [1, 2] {
                let moments = edge(column)..edge(column + 1);
                let expected: usize = chosen
                    .iter()
                    .map(|location| moments.clone().filter(|t| innermost(&calls[*location], *t) == Some(region)).count())
                    .sum();
                let sum = found.regions.iter().find(|(id, _)| id.0 == region).map_or(0, |(_, times)| times[column as usize]);
                // A trace without any MPI call shows all regions; then there is nothing to expect here.
                prop_assert_eq!(sum, expected as u64);
            }
            let all: u64 = found.regions.iter().map(|(_, times)| times[column as usize]).sum();
            prop_assert!(all <= found.available[column as usize]);
        }
    }
}

/// Whether some mark of the span's region covers it.
fn shows(scene: &Scene, store: &Store, span: SpanRow) -> bool {
    let colour = Colours::of(store, &ColourBook::default(), Theme::Light).region(store.spans.region.get(span.0));
    scene.layers.iter().any(|layer| match layer {
        Layer::Rects(rects) => {
            rects.iter().any(|mark| mark.span == span && mark.colour == colour && mark.rect.height >= 1.0)
        }
        _ => false,
    })
}

#[test]
fn a_microsecond_of_a_rare_region_among_ten_million_calls_is_drawn_at_every_zoom() {
    // A thousand ranks make ten thousand calls of a microsecond each; one of rank 333's is a stall instead.
    let call = |at: i64, region: u32| Call(region, at * 2_000, at * 2_000 + 1_000, Vec::new());
    let regular: Arc<Vec<Call>> = Arc::new((0..10_000).map(|at| call(at, 1)).collect());
    let mut ranks = vec![regular; 1_000];
    ranks[333] = Arc::new((0..10_000).map(|at| call(at, if at == 6_789 { 3 } else { 1 })).collect());
    let (_directory, store) = Calls::shared(ranks).store();
    assert_eq!(store.summary().spans, 10_000_000);
    let (_, stall, location) = store.rare.spans().find(|(region, ..)| region.0 == 3).unwrap();
    assert_eq!(location, LocationId(333));
    let middle = store.spans.start.get(stall.0).0 + 500;
    let halves = std::iter::successors(Some(20_000_000i64), |half| (*half > 600).then_some(half / 3));
    for half in halves {
        for rows in [None, Some((0, 500)), Some((300, 400)), Some((330, 340)), Some((333, 334))] {
            let window = Window { rows, ..within((middle - half).max(0), middle + half) };
            let scene = View::Timeline.scene(&store, &request(window));
            assert!(shows(&scene, &store, stall), "hidden in a window of {} ns, rows {rows:?}", 2 * half);
        }
    }
}

#[test]
fn a_long_rare_span_among_thousands_of_ranks_is_drawn_and_main_is_not() {
    let inside = |rank: u32| {
        let calls = (0..100).map(|t| Call(1, t * 10, t * 10 + 7, Vec::new()));
        if rank == 777 { calls.take(20).chain([Call(3, 300, 900, Vec::new())]).collect() } else { calls.collect() }
    };
    // Nine hundred ranks have a `main`, so it is rare by number; it must not be painted over what it encloses.
    let ranks = (0..2000).map(|rank| if rank < 900 { vec![Call(0, 0, 1000, inside(rank))] } else { inside(rank) });
    let (_directory, store) = Calls::new(ranks.collect()).store();
    let scene = View::Timeline.scene(&store, &request(Window::default()));
    let Some(Layer::Rects(on_top)) = scene.layers.last() else { panic!("rare spans expected") };
    assert!(scene.layers.iter().any(|layer| matches!(layer, Layer::Raster(_))));
    let regions: Vec<u32> = on_top.iter().map(|mark| store.spans.region.get(mark.span.0).0).collect();
    assert!(regions.contains(&3), "the stall on rank 777");
    // The main of rank 777 encloses few calls and may be drawn between them; all others enclose a hundred.
    let mut mains = on_top.iter().filter(|mark| store.spans.region.get(mark.span.0).0 == 0);
    assert!(mains.all(|mark| store.locations.of_span(mark.span) == LocationId(777)), "{regions:?}");
}

#[test]
fn a_rare_span_is_not_painted_over_the_few_calls_inside_it() {
    // A phase of all ranks, and in it two long calls with a pause between; so few calls that they are no crowd.
    let calls = || vec![Call(1, 0, 400, Vec::new()), Call(2, 500, 1000, Vec::new())];
    let (_directory, store) = Calls::new((0..900).map(|_| vec![Call(0, 0, 1000, calls())]).collect()).store();
    let scene = View::Timeline.scene(&store, &request(Window::default()));
    assert!(scene.layers.iter().any(|layer| matches!(layer, Layer::Raster(_))), "900 ranks do not fit 500 pixels");
    let Some(Layer::Rects(on_top)) = scene.layers.last() else { panic!("rare spans expected") };
    let mains: Vec<_> = on_top.iter().filter(|mark| store.spans.region.get(mark.span.0).0 == 0).collect();
    let at = |time: f32| scene.plot.x + scene.plot.width * time / 1000.0;
    assert_eq!(mains.len(), 900);
    for mark in mains {
        let (from, to) = (mark.rect.x, mark.rect.x + mark.rect.width);
        assert!((from - at(400.0)).abs() < 0.1 && (to - at(500.0)).abs() < 0.1, "{from}..{to}");
    }
}

#[test]
fn what_is_summarised_is_said_and_bounded_by_pixels() {
    let many: Vec<Vec<Call>> =
        (0..2000).map(|_| (0..100).map(|t| Call(1, t * 10, t * 10 + 7, Vec::new())).collect()).collect();
    let (_directory, store) = Calls::new(many).store();
    let scene = View::Timeline.scene(&store, &request(Window::default()));
    let raster =
        scene.layers.iter().find_map(|layer| if let Layer::Raster(raster) = layer { Some(raster) } else { None });
    let raster = raster.expect("2,000 ranks do not fit 500 pixels");
    assert!(raster.rows <= 500 && raster.columns <= 1000);
    assert_eq!(raster.colours.len(), (raster.rows * raster.columns) as usize);
    let said = format!("Each row stands for up to {} locations", 2000u32.div_ceil(raster.rows));
    assert!(scene.notes[0].starts_with(&said), "{said}: {:?}", scene.notes);
    // All ranks are in a call for seven of every ten nanoseconds, and in none for the other three.
    let filled = raster.strength.iter().filter(|strength| **strength > 0).count() as f64;
    let share = filled / raster.strength.len() as f64;
    assert!((0.7..0.95).contains(&share), "{share}");
}

#[test]
fn few_spans_are_drawn_one_by_one_with_their_callers_around() {
    let calls = vec![vec![Call(0, 0, 100, vec![Call(1, 10, 20, Vec::new()), Call(2, 30, 90, Vec::new())])]];
    let (_directory, store) = Calls::new(calls).store();
    let scene = View::Timeline.scene(&store, &request(within(40, 80)));
    let Layer::Rects(rects) = &scene.layers[1] else { panic!("rects expected") };
    let spans: Vec<u64> = rects.iter().map(|mark| mark.span.0).collect();
    assert_eq!(spans, [0, 2], "main and MPI_Waitall reach into the window, MPI_Recv does not");
    assert!(rects[1].rect.y > rects[0].rect.y && rects[1].rect.height < rects[0].rect.height, "the call lies inside");
    assert!((rects[0].rect.x - scene.plot.x).abs() < 0.01 && (rects[0].rect.width - scene.plot.width).abs() < 0.01);
}

#[test]
fn an_empty_trace_has_a_picture_too() {
    let (_directory, store) = Calls::new(vec![Vec::new(), Vec::new()]).store();
    for scene in [
        View::Activity.scene(&store, &request(Window::default())),
        View::Timeline.scene(&store, &request(Window::default())),
    ] {
        assert!(scene.plot.width > 100.0);
        assert!(scene.layers.iter().all(|layer| !matches!(layer, Layer::Segments(_))));
    }
}

#[test]
fn shares_in_the_legend_add_up() {
    let calls = vec![vec![Call(1, 0, 25, Vec::new()), Call(2, 50, 100, Vec::new())], vec![Call(0, 0, 100, Vec::new())]];
    let (_directory, store) = Calls::new(calls).store();
    let scene = View::Activity.scene(&store, &request(Window::default()));
    let legend: Vec<(&str, &str)> =
        scene.legend.iter().map(|entry| (entry.name.as_str(), entry.value.as_str())).collect();
    assert_eq!(legend, [("MPI_Waitall", "25.0 %"), ("MPI_Recv", "12.5 %"), ("computing", "62.5 %")]);
}

#[test]
fn calls_that_touch_are_both_named_and_long_names_are_shortened() {
    // A sibling that begins where the first ends is no call inside it.
    let calls = vec![vec![Call(3, 0, 500, vec![]), Call(2, 500, 900, vec![]), Call(2, 900, 1_000, vec![])]];
    let (_directory, store) = Calls::new(calls).store();
    let scene = View::Timeline.scene(&store, &request(within(0, 1_000)));
    let names: Vec<&str> = scene.labels.iter().map(|label| label.text.as_str()).collect();
    assert_eq!(names, ["stall", "MPI_Waitall", "MPI_…all"]);
}

/// A row of a few pixels in which short calls alternate with long ones: drawn a pixel wide each, the short ones would take a
/// sixth of the picture instead of a hundredth.
#[test]
fn short_calls_on_low_rows_do_not_take_the_place_of_what_takes_the_time() {
    let rank = |_| {
        let calls = (0..110).flat_map(|at| {
            [Call(3, at * 1_000, at * 1_000 + 990, vec![]), Call(1, at * 1_000 + 990, at * 1_000 + 1_000, vec![])]
        });
        calls.collect::<Vec<Call>>()
    };
    let (_directory, store) = Calls::new((0..150).map(rank).collect()).store();
    let scene = View::Timeline.scene(&store, &request(Window::default()));
    let short = Colours::of(&store, &ColourBook::default(), Theme::Light).region(RegionId(1));
    let raster =
        scene.layers.iter().find_map(|layer| if let Layer::Raster(raster) = layer { Some(raster) } else { None });
    let raster = raster.unwrap_or_else(|| panic!("33,000 spans are drawn one by one: {:?}", scene.notes));
    let taken = raster.colours.iter().filter(|colour| **colour == short).count();
    assert!(taken * 50 < raster.colours.len(), "{taken} of {} cells", raster.colours.len());
}

/// The spans of which something is left after all marks of the layer were painted in order, at so many device pixels per pixel.
fn visible_spans(scene: &Scene, ratio: f32) -> BTreeSet<u64> {
    let Layer::Rects(rects) = &scene.layers[1] else { panic!("spans drawn one by one") };
    let (width, height) = (scene.size.width as f32 * ratio, scene.size.height as f32 * ratio);
    let mut canvas = vec![u64::MAX; width as usize * height as usize];
    for mark in rects {
        let pixels = |from: f32, length: f32| {
            ((from * ratio + 0.5).floor() as usize, ((from + length) * ratio + 0.5).floor() as usize)
        };
        let ((left, right), (top, bottom)) =
            (pixels(mark.rect.x, mark.rect.width), pixels(mark.rect.y, mark.rect.height));
        for y in top..bottom {
            canvas[y * width as usize..][left..right].fill(mark.span.0);
        }
    }
    canvas.into_iter().filter(|span| *span != u64::MAX).collect()
}

/// What the note admits to be missing.
fn said_missing(scene: &Scene) -> usize {
    let note = &scene.notes[0];
    match note.split_once("one by one; ") {
        None => 0,
        Some((_, rest)) if rest.starts_with("one ") => 1,
        Some((_, rest)) => rest.split_once(" are ").unwrap().0.replace(',', "").parse().unwrap(),
    }
}

#[test]
fn short_calls_between_long_ones_are_not_painted_over() {
    // Six calls of a few nanoseconds between long siblings, on every rank at other fractions of a pixel.
    let rank = |rank: i64| -> Vec<Call> {
        let long = |at: i64| 1_000 * at + rank * 37;
        let calls = (0..7).flat_map(|at| {
            let end = long(at + 1) + at * 91;
            [Call(3, long(at) + at * 91 - at.min(1) * 85, end, vec![]), Call(1, end, end + 6, vec![])]
        });
        calls.take(13).collect()
    };
    let (_directory, store) = Calls::new((0..13).map(rank).collect()).store();
    let scene = View::Timeline.scene(&store, &request(within(0, 9_000)));
    assert_eq!(scene.notes[0], "169 spans of 13 locations, each drawn.");
    for ratio in [1.0, 1.25, 1.5, 2.0, 3.0] {
        let visible = visible_spans(&scene, ratio);
        let recv = visible.iter().filter(|span| store.spans.region.get(**span).0 == 1).count();
        assert_eq!((visible.len(), recv), (169, 13 * 6), "at {ratio}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn what_is_drawn_owns_a_pixel_and_the_rest_is_counted(
        calls in proptest::collection::vec(calls_in(0, 400, 4), 1..70), from in 0i64..300, length in 1i64..4_000,
    ) {
        let (_directory, store) = Calls::new(calls).store();
        let scene = View::Timeline.scene(&store, &request(within(from, from + length)));
        let Layer::Rects(rects) = &scene.layers[1] else { return Ok(()) };
        let in_sight = (0..store.spans.len())
            .filter(|span| store.spans.end.get(*span).0 > from && store.spans.start.get(*span).0 < from + length)
            .count();
        for ratio in [1.0, 1.5, 2.0] {
            let missing = in_sight - visible_spans(&scene, ratio).len();
            prop_assert!(missing <= said_missing(&scene), "{missing} at {ratio}: {:?}", scene.notes);
        }
        prop_assert!(rects.iter().all(|mark| mark.rect.width >= 1.0));
        // Nothing is far from where it happened.
        for mark in rects {
            let x = |time: Ns| scene.plot.x + scene.plot.width * (time.0 - from) as f32 / length as f32;
            let (start, end) = (x(store.spans.start.get(mark.span.0)), x(store.spans.end.get(mark.span.0)));
            prop_assert!(mark.rect.x + 1.0 <= end.max(scene.plot.x) + 3.2, "{mark:?} ends at {end}");
            prop_assert!(mark.rect.x >= start.min(scene.plot.x + scene.plot.width) - 1.2, "{mark:?} begins at {start}");
        }
    }
}

fn legend_of(scene: &Scene) -> Vec<(&str, &str)> {
    scene.legend.iter().map(|entry| (entry.name.as_str(), entry.value.as_str())).collect()
}

#[test]
fn a_legend_gives_shares_of_the_window_and_of_the_rows_in_sight() {
    let calls = vec![
        vec![Call(0, 0, 1_000, vec![Call(1, 0, 600, vec![]), Call(2, 700, 750, vec![])])],
        vec![Call(1, 0, 1_000, vec![])],
    ];
    let (_directory, store) = Calls::new(calls).store();
    let window = Window { ranks: Some("0".parse().unwrap()), ..within(600, 800) };
    let scene = View::Timeline.scene(&store, &request(window));
    assert_eq!(legend_of(&scene), [("main", "75.0 %"), ("MPI_Waitall", "25.0 %")], "no MPI_Recv in sight");
    let whole = View::Timeline.scene(&store, &request(Window::default()));
    assert_eq!(legend_of(&whole), [("MPI_Recv", "80.0 %"), ("main", "17.5 %"), ("MPI_Waitall", "2.5 %")]);
}

#[test]
fn what_is_hidden_is_not_called_computing() {
    let calls = vec![vec![Call(1, 0, 25, vec![]), Call(2, 50, 100, vec![])], vec![Call(0, 0, 100, vec![])]];
    let (_directory, store) = Calls::new(calls).store();
    let emphasis = Emphasis { hidden: vec![RegionId(2)], ..Emphasis::default() };
    let asked = ViewRequest { emphasis, ..request(Window::default()) };
    let scene = View::Activity.scene(&store, &asked);
    assert_eq!(legend_of(&scene), [("MPI_Recv", "12.5 %"), ("computing", "62.5 %"), ("hidden", "25.0 %")]);
    let plot = scene.plot;
    let top = View::Activity.pick(&store, &asked, (plot.x + plot.width * 0.75, plot.y + plot.height * 0.1)).unwrap();
    assert_eq!(top.title, "hidden", "the upper half of the second half");
    let scene = View::Timeline.scene(&store, &asked);
    assert!(legend_of(&scene).contains(&("hidden", "25.0 %")), "{:?}", scene.legend);
}

#[test]
fn computing_is_not_said_of_a_trace_without_communication() {
    let calls = vec![vec![Call(0, 0, 100, vec![Call(3, 50, 75, vec![])])], vec![Call(0, 0, 50, vec![])]];
    let (_directory, store) = Calls::new(calls).store();
    let scene = View::Activity.scene(&store, &request(Window::default()));
    assert_eq!(legend_of(&scene), [("main", "62.5 %"), ("stall", "12.5 %"), ("outside any function", "25.0 %")]);
    assert!(scene.notes.iter().all(|note| !note.contains("Efficiency")), "{:?}", scene.notes);
}

#[test]
fn stages_are_called_after_callers_else_after_what_they_mostly_do_and_rounds_are_counted() {
    // First a function of the program that waits for messages most of the time, then fifty equal rounds that mostly compute.
    let rank = |_| {
        let receives = (0..10).map(|at| Call(1, at * 500 + 50, at * 500 + 450, vec![])).collect();
        let mut calls = vec![Call(3, 0, 5_000, receives)];
        calls.extend((0..50).map(|at| Call(2, 5_070 + at * 100, 5_100 + at * 100, vec![])));
        calls
    };
    let (_directory, store) = Calls::new((0..4).map(rank).collect()).store();
    let found = stages(&store, &Window::default());
    let said: Vec<(&str, &str)> = found.iter().map(|stage| (stage.name.as_str(), stage.mostly.as_str())).collect();
    assert_eq!(said, [("stall", "MPI_Recv"), ("computing", "computing")]);
    assert!((found[1].share - 0.7).abs() < 0.03 && found[1].region.is_none(), "{:?}", found[1]);
    assert_eq!(found[1].rounds.map(|rounds| (rounds.count, rounds.each.0)), Some((50, 100)));
}

/// A stage that begins with one function and goes on in another is called after neither, however long the second is.
#[test]
fn a_stage_is_not_called_after_what_it_does_not_begin_with() {
    let regions = |first: u32| {
        move |_| vec![Call(first, 0, 3_000, vec![]), Call(3, 3_000, 10_000, vec![]), Call(1, 10_000, 15_000, vec![])]
    };
    let names = |first: u32| {
        let (_directory, store) = Calls::new((0..4).map(regions(first)).collect()).store();
        stages(&store, &Window::default()).into_iter().map(|stage| stage.name).collect::<Vec<_>>()
    };
    assert_eq!(names(3), ["stall", "MPI_Recv"]);
    assert_eq!(names(0), ["computing", "MPI_Recv"], "first main, then stall");
}

/// Every entry of a timeline's legend and its value.
fn legend(store: &Store, window: Window) -> Vec<(String, String)> {
    let scene = View::Timeline.scene(store, &request(window));
    scene.legend.into_iter().map(|entry| (entry.name, entry.value)).collect()
}

#[test]
fn rows_that_only_annotate_do_not_count_in_the_legend() {
    let own = vec![Call(1, 0, 400, vec![]), Call(0, 400, 800, vec![])];
    let note = vec![Call(3, 0, 1_000, vec![])];
    let trace = || Calls::new(vec![own.clone(), note.clone()]).named(1, "rank 0 · annotations");
    let (_directory, store) = trace().store();
    let said = |text: &[(&str, &str)]| -> Vec<(String, String)> {
        text.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let whole = [("main", "40.0 %"), ("MPI_Recv", "40.0 %"), ("outside any function", "20.0 %")];
    assert_eq!(legend(&store, Window::default()), said(&whole));
    let part = [("main", "66.7 %"), ("outside any function", "33.3 %")];
    assert_eq!(legend(&store, within(400, 1_000)), said(&part));
    // Where there is nothing else, they are what there is.
    let alone = Window { ranks: "1".parse().ok(), ..Window::default() };
    assert_eq!(legend(&store, alone), said(&[("stall", "100.0 %")]));
}

#[test]
fn an_annotation_and_the_kernel_that_it_describes_are_not_both_counted() {
    let Some(root) = std::env::var_os("HEDDLE_TRACES") else {
        println!("HEDDLE_TRACES is not set; no trace of a profiler was looked at");
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let options =
        ImportOptions { place: StorePlace::Under(directory.path().to_owned()), memory: 1 << 28, force: false };
    let path = Path::new(&root).join("kineto/nccl-2ranks-rank0.json.gz");
    let store = open_or_import(&path, &options, &NoProgress).unwrap().store;
    let describes =
        |at: u64| [" · annotations", " · Python"].iter().any(|end| store.locations.name.get(at).ends_with(end));
    let (mut own, mut described) = (BTreeSet::new(), BTreeSet::new());
    for location in 0..store.locations.len() {
        for span in store.spans_of(LocationId(location as u32)) {
            let name = store.regions.name.get(u64::from(store.spans.region.get(span).0)).to_owned();
            if describes(location) {
                described.insert(name)
            } else {
                own.insert(name)
            };
        }
    }
    assert!(described.difference(&own).count() > 0, "the sample has annotations");
    let end = store.summary().end_ns;
    for window in [Window::default(), within(0, end - 1)] {
        let entries = legend(&store, window);
        let only_described = |name: &String| described.contains(name) && !own.contains(name);
        assert!(!entries.iter().any(|(name, _)| only_described(name)), "{entries:?}");
        let share = |value: &str| value.trim_start_matches("≈ ").trim_end_matches(" %").parse::<f64>().unwrap();
        let sum: f64 = entries.iter().map(|(_, value)| share(value)).sum();
        assert!(sum <= 100.5, "{sum}: {entries:?}");
    }
}
