//! Pictures of logical time: boxes, rasters, sums, and what they say under the pointer.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a helper that fails is a test that fails")]

mod common;

use std::sync::Arc;

use common::request;
use heddle_logical::{Kind, Logical, LogicalOptions, Metric, MetricValues, Sum};
use heddle_model::{RegionId, Source};
use heddle_options::Given;
use heddle_simulate::{HaloOptions, Machine, MergeTree, MergeTreeOptions, halo, simulate};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_view::{
    ColourBook, ColourId, Colours, Emphasis, Extent, Framing, Layer, LogicalData, Raster, Rect, RectMark, Rgba, Scene,
    Selection, Size, SpanName, Steps, Theme, Trace, View, ViewRequest, Window, details, largest_in_sight, latest_event,
};

struct Run {
    _directory: tempfile::TempDir,
    store: Store,
    data: LogicalData,
}

impl Run {
    /// A stencil code on a ring of neighbours, one of whose ranks is slow.
    fn new(ranks: u32, iterations: u32, metric: Metric) -> Run {
        let options = HaloOptions { ranks, iterations, allreduce_every: 3, ..HaloOptions::default() };
        let machine = Machine { slow_ranks: vec![ranks / 3], slow_factor: 3.0, ..Machine::default() };
        Run::of(&halo(&options, &machine).unwrap(), &LogicalOptions::default(), metric)
    }

    /// Ranks that gather along a tree and scatter back: at most steps only few of them do anything.
    fn sparse(ranks: u32) -> Run {
        let options = MergeTreeOptions { ranks, ..MergeTreeOptions::default() };
        let simulation = simulate(MergeTree::new(&options).unwrap(), &Machine::default()).unwrap();
        Run::of(&simulation, &LogicalOptions { leap_merge: true, ..LogicalOptions::default() }, Metric::Lateness)
    }

    fn of(source: &dyn Source, options: &LogicalOptions, metric: Metric) -> Run {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.heddle");
        let store = store_simulation(source, "run", &path, 1 << 28, &NoProgress).unwrap();
        let logical = Logical::open(&store, options, &NoProgress).unwrap();
        let values = MetricValues::open(&store, &logical, metric, &NoProgress).unwrap();
        let data = LogicalData::new(Steps::from(logical), Arc::new(values));
        Run { _directory: directory, store, data }
    }

    fn trace(&self) -> Trace<'_> {
        Trace { logical: Some(self.data.clone()), ..Trace::from(&self.store) }
    }

    fn scene(&self, view: View, request: &ViewRequest) -> Scene {
        view.scene(self.trace(), request)
    }
}

/// A question with these options, as in a link.
fn asked(options: &str) -> ViewRequest {
    let pairs = options.split('&').filter_map(|pair| pair.split_once('='));
    let options = Given::by_program(pairs.map(|(name, text)| (name.to_owned(), text.to_owned())));
    ViewRequest { options, framing: Framing::Pane, ..request(Window::default()) }
}

/// The same for a window of steps.
fn steps(from: f64, to: f64, options: &str) -> ViewRequest {
    ViewRequest { window: Window { steps: Some((from, to)), ..Window::default() }, ..asked(options) }
}

fn rects(scene: &Scene) -> Vec<&Vec<RectMark>> {
    scene.layers.iter().filter_map(|layer| if let Layer::Rects(marks) = layer { Some(marks) } else { None }).collect()
}

fn raster(scene: &Scene) -> Option<&Raster> {
    scene.layers.iter().find_map(|layer| if let Layer::Raster(raster) = layer { Some(raster) } else { None })
}

#[test]
fn every_event_in_sight_is_a_box_of_equal_size() {
    let run = Run::new(16, 9, Metric::Lateness);
    let plain = steps(2.0, 8.0, "aggregates=0&messages=0");
    let scene = run.scene(View::Logical, &plain);
    let logical = &run.data.logical;
    let expected: u64 = (0..16).map(|row| logical.events_in(row, 2..8)).map(|events| events.end - events.start).sum();
    // Border, panel and colour of each.
    let boxes = rects(&scene)[1];
    assert_eq!(boxes.len() as u64, 3 * expected);
    let widths: Vec<i32> = boxes.iter().skip(2).step_by(3).map(|mark| mark.rect.width.round() as i32).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "{widths:?}");
    assert_eq!(scene.x_axis.extent, Extent::Steps(2.0, 8.0, logical.steps.len() as u32));
    assert_eq!(scene.y_axis.extent, Extent::Rows(0, 16, 16));
    let labels: Vec<&str> = scene.x_axis.ticks.iter().map(|tick| tick.label.as_str()).collect();
    assert_eq!(labels, ["2", "3", "4", "5", "6", "7"]);
    let bar = scene.colour_bar.as_ref().unwrap();
    assert_eq!((bar.title.as_str(), bar.from.1.as_str()), ("Lateness", "0"));
    assert!(bar.to.0 >= run.data.values.largest(false) * 0.999);
}

#[test]
fn messages_and_collectives_connect_boxes() {
    let run = Run::new(16, 3, Metric::Lateness);
    let scene = run.scene(View::Logical, &steps(0.0, f64::from(run.data.logical.steps.len() as u32), ""));
    let lines =
        scene.layers.iter().find_map(|layer| if let Layer::Segments(lines) = layer { Some(lines) } else { None });
    let logical = &run.data.logical;
    let collectives = (0..logical.events.len()).filter(|event| logical.kind(*event) == Kind::Collective).count();
    let (lines, dots) = (lines.unwrap(), rects(&scene).pop().unwrap());
    let threads = lines.iter().filter(|line| (line.from.0 - line.to.0).abs() < 0.01).count();
    assert_eq!(threads, collectives - collectives / 16, "each member hangs on the one above");
    assert_eq!(lines.len() - threads, run.store.messages.len() as usize);
    assert!(lines.iter().all(|line| line.from.0 <= line.to.0), "messages go forward");
    assert!(dots.len() >= collectives);
    let without = run.scene(View::Logical, &asked("messages=0"));
    assert!(without.layers.iter().all(|layer| !matches!(layer, Layer::Segments(_))));
}

#[test]
fn under_the_pointer_is_the_event_with_all_that_is_known_of_it() {
    let run = Run::new(16, 9, Metric::Lateness);
    let request = steps(0.0, 6.0, "");
    let scene = View::Logical.scene(run.trace(), &request);
    let plot = scene.plot;
    let at = |line: f32, step: f32| (plot.x + step / 6.0 * plot.width, plot.y + (line + 0.5) / 16.0 * plot.height);
    let picked = View::Logical.pick(run.trace(), &request, at(5.0, 0.7)).unwrap();
    assert_eq!(picked.title, "MPI_Isend");
    assert!(picked.lines[0].starts_with("rank 5 · step 0 · phase 0"), "{:?}", picked.lines);
    assert!(picked.lines[1].contains("later than the first of its step"), "rank 5 is slow: {:?}", picked.lines);
    assert!(picked.lines[2].starts_with("sends to rank "), "{:?}", picked.lines);
    assert!(picked.select.is_some());
    let before = View::Logical.pick(run.trace(), &request, at(5.0, 1.2)).unwrap();
    assert_eq!(before.title, "Between communication");
    assert!(before.lines[1].starts_with("before MPI_Waitall"), "{:?}", before.lines);
    assert!(View::Logical.pick(run.trace(), &request, (plot.x - 3.0, plot.y)).is_none());
}

#[test]
fn a_slow_rank_is_seen_in_rasters_of_logical_time_and_of_time() {
    let run = Run::new(1_024, 6, Metric::Lateness);
    let low = ViewRequest { size: Size { width: 400, height: 140 }, ..asked("") };
    let by_time = ViewRequest { size: Size { width: 400, height: 140 }, ..asked("colour=metric") };
    for (view, request) in [(View::Logical, low), (View::Timeline, by_time)] {
        let scene = view.scene(run.trace(), &request);
        let cells = raster(&scene).unwrap();
        let bar = scene.colour_bar.as_ref().unwrap();
        let hottest = bar.colours[bar.colours.len() * 3 / 4].0;
        let late: Vec<usize> =
            (0..cells.colours.len()).filter(|at| cells.strength[*at] > 0 && cells.colours[*at].0 >= hottest).collect();
        let row = 341 * cells.rows as usize / 1_024;
        assert!(late.iter().any(|at| (at / cells.columns as usize).abs_diff(row) <= 1), "{view:?}");
        assert!(
            cells.strength.iter().all(|strength| *strength == 0 || *strength >= 100),
            "nothing is too faint to see"
        );
        assert!(scene.notes.iter().any(|note| note.contains("largest value")), "{:?}", scene.notes);
    }
}

#[test]
fn sums_of_steps_are_exact_and_heights_are_their_shares() {
    let run = Run::new(16, 9, Metric::Lateness);
    let (logical, sums) = (&run.data.logical, run.data.values.sums());
    for step in 0..sums.len() {
        let events: Vec<u64> = (0..16).filter_map(|row| logical.event_at(row, step)).collect();
        let of_events: i128 = events.iter().map(|event| i128::from(logical.lateness(*event))).sum();
        let of_aggregates: i128 = events.iter().map(|event| i128::from(logical.aggregate_lateness(*event))).sum();
        assert_eq!(sums.of_step(step, false), Sum::Time(of_events));
        assert_eq!(sums.of_step(step, true), Sum::Time(of_events + of_aggregates));
    }
    let scene = run.scene(View::Metric, &asked("aggregates=0"));
    let largest = (0..sums.len()).map(|step| sums.of_step(step, false).as_f64()).fold(0.0, f64::max);
    let bars = rects(&scene)[0];
    let tallest = bars.iter().map(|mark| mark.rect.height).fold(0.0, f32::max);
    assert!((tallest - scene.plot.height).abs() < 0.01);
    for mark in bars {
        let middle = mark.rect.x + mark.rect.width / 2.0 - scene.plot.x;
        let step = (middle / scene.plot.width * sums.len() as f32) as u32;
        let share = sums.of_step(step, false).as_f64() / largest;
        assert!((f64::from(mark.rect.height / scene.plot.height) - share).abs() < 0.01, "step {step}");
    }
    let request = asked("");
    let picked = View::Metric.pick(run.trace(), &request, (scene.plot.x + 1.0, scene.plot.y + 5.0)).unwrap();
    assert_eq!((picked.title.as_str(), picked.lines[1].as_str()), ("Step 0", "16 events"));
}

#[test]
fn what_is_not_selected_is_dimmed_and_hidden_functions_are_not_drawn() {
    let run = Run::new(16, 9, Metric::Lateness);
    let span = run.data.logical.events.span.get(run.data.logical.event_at(5, 0).unwrap());
    let mut request = steps(0.0, 4.0, "messages=0&aggregates=0");
    let opacities = |scene: &Scene| {
        let boxes = rects(scene)[1].iter().skip(2).step_by(3);
        boxes.map(|mark| scene.palette[usize::from(mark.colour.0)].3).filter(|alpha| *alpha == 255).count()
    };
    let all = View::Logical.scene(run.trace(), &request);
    assert_eq!(opacities(&all), 64);
    request.emphasis =
        Emphasis { selected: Some(Selection::Span(SpanName::of(&run.store, span))), ..Emphasis::default() };
    let selected = View::Logical.scene(run.trace(), &request);
    assert!(
        (3..=6).contains(&opacities(&selected)),
        "the event and those who get its messages: {}",
        opacities(&selected)
    );
    request.emphasis = Emphasis { hidden: vec![run.store.spans.region.get(span.0)], ..Emphasis::default() };
    assert!(rects(&View::Logical.scene(run.trace(), &request))[1].len() < 64 * 3);
}

#[test]
fn the_way_of_a_lateness_leads_to_the_slow_rank_in_both_timelines() {
    let run = Run::new(16, 9, Metric::Lateness);
    let latest = latest_event(&run.data.logical).unwrap();
    let span = run.data.logical.events.span.get(latest);
    let mut request = asked("");
    request.emphasis.selected = Some(Selection::Span(SpanName::of(&run.store, span)));
    for view in [View::Logical, View::Timeline] {
        let scene = view.scene(run.trace(), &request);
        assert!(scene.notes[0].contains("arose on rank 5 before step "), "{:?}", scene.notes);
        let lines =
            scene.layers.iter().filter_map(|layer| if let Layer::Segments(lines) = layer { Some(lines) } else { None });
        assert!(lines.flatten().any(|line| line.width > 1.9), "{view:?}");
        // The box around the origin lies in the row of rank 5.
        let row = scene.plot.y + 5.0 / 16.0 * scene.plot.height..=scene.plot.y + 6.0 / 16.0 * scene.plot.height;
        let boxes =
            scene.layers.iter().filter_map(|layer| if let Layer::Rects(marks) = layer { Some(marks) } else { None });
        let outlines: Vec<_> = boxes.filter(|marks| marks.len() == 4).collect();
        assert!(
            outlines.iter().any(|marks| marks
                .iter()
                .all(|mark| { row.contains(&(mark.rect.y + mark.rect.height / 2.0)) || mark.rect.height < 2.1 })),
            "{view:?}"
        );
    }
    let place = View::Timeline.scene(run.trace(), &request).plot;
    let picked = (0..place.width as u32).find_map(|x| {
        let picked = View::Timeline.pick(run.trace(), &request, (place.x + x as f32, place.y + place.height - 3.0))?;
        picked.lines.last().filter(|line| line.starts_with("step ")).cloned()
    });
    assert!(picked.unwrap().contains(" · phase "));
}

#[test]
fn colours_relative_to_the_step_reach_the_end_of_the_scale_in_every_late_step() {
    let run = Run::new(16, 9, Metric::Lateness);
    let scene = run.scene(View::Logical, &steps(0.0, 12.0, "relative=1&aggregates=0"));
    let last = scene.colour_bar.as_ref().unwrap().colours[63];
    let marks = rects(&scene)[1];
    let sums = run.data.values.sums();
    for step in (0..12).filter(|step| sums.largest_in(*step..step + 1, false) > 0.0) {
        let column = scene.plot.width / 12.0;
        let range = scene.plot.x + step as f32 * column..scene.plot.x + (step + 1) as f32 * column;
        assert!(marks.iter().any(|mark| mark.colour == last && range.contains(&mark.rect.x)), "step {step}");
    }
}

#[test]
fn all_metrics_can_be_opened_and_drawn() {
    for (name, metric) in Metric::WORDS {
        let run = Run::new(8, 4, metric);
        let request = asked(&format!("metric={}", metric.name(&run.store)));
        assert_eq!(Metric::find(&run.store, name).unwrap(), metric);
        for view_of in [View::Logical, View::Metric] {
            assert!(!run.scene(view_of, &request).layers.is_empty());
        }
        // Differential lateness is a part of lateness; no value is negative.
        for event in 0..run.data.logical.events.len() {
            let value = run.data.values.value(&run.data.logical, event);
            assert!(value >= 0.0, "{name}");
            if metric == Metric::Differential {
                assert!(value <= run.data.logical.lateness(event) as f64);
            }
        }
    }
}

#[test]
fn odd_windows_and_traces_without_logical_time_give_a_picture() {
    let run = Run::new(8, 3, Metric::Lateness);
    for window in [(-5.0, 2.0), (1e9, 2e9), (3.0, 3.0), (-1e12, 1e12), (0.25, 0.26)] {
        for (width, height) in [(16, 16), (300, 40), (1_000, 500)] {
            let request = ViewRequest { size: Size { width, height }, ..steps(window.0, window.1, "") };
            for view in [View::Logical, View::Metric, View::Timeline] {
                let scene = view.scene(run.trace(), &request);
                let _ = view.pick(run.trace(), &request, (scene.plot.x + 1.0, scene.plot.y + 1.0));
            }
        }
    }
    for view in [View::Logical, View::Metric] {
        let scene = view.scene(&run.store, &asked(""));
        assert!(scene.notes[0].contains("no logical time"));
    }
}

/// How far two colours are apart, as accessibility guidelines measure it: 1 to 21.
fn contrast(one: Rgba, other: Rgba) -> f32 {
    let linear = |part: u8| {
        let part = f32::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    let light = |colour: Rgba| 0.2126 * linear(colour.0) + 0.7152 * linear(colour.1) + 0.0722 * linear(colour.2) + 0.05;
    let (one, other) = (light(one), light(other));
    one.max(other) / one.min(other)
}

/// What a cell looks like on the panel.
fn over(colour: Rgba, strength: u8, panel: Rgba) -> Rgba {
    let mix =
        |a: u8, b: u8| ((u32::from(a) * u32::from(strength) + u32::from(b) * (255 - u32::from(strength))) / 255) as u8;
    Rgba(mix(colour.0, panel.0), mix(colour.1, panel.1), mix(colour.2, panel.2), 255)
}

#[test]
fn what_is_late_stands_out_of_a_sparse_picture() {
    for ranks in [1_024, 16_384] {
        let run = Run::sparse(ranks);
        for theme in [Theme::Light, Theme::Dark] {
            let request = ViewRequest { theme, size: Size { width: 1_060, height: 420 }, ..asked("") };
            let scene = run.scene(View::Logical, &request);
            let cells = raster(&scene).unwrap();
            let rgba = |colour: ColourId| scene.palette[usize::from(colour.0)];
            let panel = rgba(scene.background);
            let last = *scene.colour_bar.as_ref().unwrap().colours.last().unwrap();
            let filled: Vec<usize> = (0..cells.colours.len()).filter(|at| cells.strength[*at] > 0).collect();
            assert!(filled.len() * 2 < cells.colours.len(), "most of the picture is empty");
            let seen = |at: &usize| contrast(over(rgba(cells.colours[*at]), cells.strength[*at], panel), panel);
            let latest = filled.iter().filter(|at| cells.colours[**at] == last).map(seen).fold(f32::MAX, f32::min);
            let faintest = filled.iter().map(seen).fold(f32::MAX, f32::min);
            println!("{ranks} ranks, {theme:?}: latest {latest:.2}:1, faintest {faintest:.2}:1");
            assert!(latest >= 4.5, "{ranks} ranks, {theme:?}: the latest has {latest:.2}:1");
            assert!(faintest >= 1.25, "{ranks} ranks, {theme:?}: something has {faintest:.2}:1");
        }
    }
}

#[test]
fn messages_go_with_the_calls_at_both_their_ends() {
    let run = Run::new(8, 3, Metric::Lateness);
    let lines = |hidden: &[&str]| {
        let is_hidden = |region: &u64| {
            let name = run.store.regions.name.get(*region);
            hidden.contains(&"all") || hidden.contains(&name)
        };
        let hidden = (0..run.store.regions.len()).filter(is_hidden).map(|region| RegionId(region as u32)).collect();
        let request = ViewRequest { emphasis: Emphasis { hidden, ..Emphasis::default() }, ..asked("") };
        let scene = run.scene(View::Timeline, &request);
        let count = |layer: &Layer| if let Layer::Segments(lines) = layer { lines.len() } else { 0 };
        scene.layers.iter().map(count).sum::<usize>()
    };
    let all = lines(&[]);
    assert!(all > 0);
    assert_eq!(lines(&["MPI_Isend"]), all, "what received them is there");
    assert_eq!(lines(&["MPI_Isend", "MPI_Waitall"]), 0);
    assert_eq!(lines(&["all"]), 0);
}

#[test]
fn boxes_lie_down_however_few_ranks_there_are() {
    for ranks in [2, 4, 16] {
        let run = Run::new(ranks, 9, Metric::Lateness);
        for (window, highest) in [(steps(0.0, 13.0, "messages=0"), 0.7), (asked("messages=0"), 3.0)] {
            let request = ViewRequest { size: Size { width: 1_060, height: 400 }, ..window };
            let scene = run.scene(View::Logical, &request);
            let rect = rects(&scene)[1].last().unwrap().rect;
            assert!(rect.height <= rect.width * highest, "{ranks} ranks: {rect:?}");
            assert!(rect.height >= 12.0, "{ranks} ranks: {rect:?}");
        }
    }
}

#[test]
fn cells_of_a_raster_are_no_higher_than_boxes() {
    for ranks in [2, 4, 16] {
        let run = Run::new(ranks, 60, Metric::Lateness);
        let request = ViewRequest { size: Size { width: 300, height: 400 }, ..asked("") };
        let scene = run.scene(View::Logical, &request);
        let cells = raster(&scene).unwrap();
        let part = scene.plot.height / cells.rows as f32;
        let column = cells.strength.iter().step_by(cells.columns as usize).map(|strength| *strength > 0);
        let filled: Vec<bool> = column.collect();
        let highest = filled.split(|is_filled| !is_filled).map(<[bool]>::len).max().unwrap();
        assert!(highest as f32 * part <= 21.0, "{ranks} ranks: {highest} parts of {part} pixels");
        assert!(highest as f32 * part >= 12.0, "{ranks} ranks: {highest} parts of {part} pixels");
    }
}

#[test]
fn in_time_events_fill_their_row_and_callers_are_a_thin_band() {
    let run = Run::new(16, 9, Metric::Lateness);
    for (height, has_callers) in [(300, true), (130, false)] {
        let request = ViewRequest { size: Size { width: 1_060, height }, ..asked("colour=metric&messages=0") };
        let scene = run.scene(View::Timeline, &request);
        let row = scene.plot.height / 16.0;
        let marks = rects(&scene)[1];
        let is_event = |mark: &&RectMark| !run.data.logical.events_of_span(&run.store, mark.span).is_empty();
        assert!(marks.iter().filter(is_event).count() as u64 >= run.data.logical.events.len() / 2);
        let events: Vec<Rect> = marks.iter().filter(is_event).map(|mark| mark.rect).collect();
        assert!(events.iter().all(|rect| rect.height >= row * 0.6 && rect.width >= 2.0));
        let are_apart = |pair: &[Rect]| (pair[0].y - pair[1].y).abs() > 0.1 || pair[0].x + pair[0].width <= pair[1].x;
        assert!(events.windows(2).all(are_apart), "a short send is not painted over by the wait beside it");
        let callers: Vec<&RectMark> = marks.iter().filter(|mark| !is_event(mark)).collect();
        assert_eq!(!callers.is_empty(), has_callers, "in rows of {row} pixels");
        assert!(callers.iter().all(|mark| mark.rect.height <= row * 0.25), "in rows of {row} pixels");
        // What is under the pointer is what is drawn there.
        let event = marks.iter().filter(is_event).max_by(|a, b| a.rect.width.total_cmp(&b.rect.width)).unwrap();
        let foot = (event.rect.x + event.rect.width / 2.0, event.rect.y + event.rect.height - 1.0);
        let picked = View::Timeline.pick(run.trace(), &request, foot).unwrap();
        assert_eq!(picked.select, Some(Selection::Span(SpanName::of(&run.store, event.span))));
        assert_eq!(picked.area, Some(event.rect));
    }
}

#[test]
fn kinds_of_events_have_colours_and_a_key_and_the_details_say_the_same() {
    let run = Run::new(16, 6, Metric::Lateness);
    let logical = &run.data.logical;
    for view in [View::Logical, View::Timeline] {
        for framing in [Framing::Pane, Framing::Figure] {
            let request = ViewRequest { framing, size: Size { width: 1_060, height: 400 }, ..asked("colour=kind") };
            let scene = run.scene(view, &request);
            assert!(scene.colour_bar.is_none());
            let names: Vec<&str> = scene.legend.iter().map(|entry| entry.name.as_str()).collect();
            assert_eq!(names, ["send", "receive", "wait that receives", "collective", "between events"], "{view:?}");
            let mut seen = std::collections::BTreeSet::new();
            for mark in rects(&scene).into_iter().flatten() {
                let Some(entry) = scene.legend.iter().take(4).find(|entry| entry.colour == mark.colour) else {
                    continue;
                };
                let event = logical.events_of_span(&run.store, mark.span).start;
                let step = logical.events.step.get(event);
                let selected = Selection::Event { rank: logical.row_of(event), step };
                let colours = Colours::of(&run.store, &ColourBook::default(), Theme::Light);
                let said = details(&run.store, Some(&run.data.steps), &Window::default(), &colours, &selected);
                let said = said.unwrap().facts.into_iter().find(|fact| fact.label == "Kind").unwrap();
                assert_eq!(said.text, entry.name, "{view:?}, event {event}");
                seen.insert(entry.name.clone());
            }
            assert_eq!(seen.len(), 3, "a halo exchange sends, waits and reduces: {seen:?}");
        }
    }
}

#[test]
fn the_overview_names_its_ends_and_two_runs_can_share_a_scale() {
    let run = Run::new(16, 9, Metric::Lateness);
    let low = |options: &str| ViewRequest { size: Size { width: 600, height: 80 }, ..asked(options) };
    let scene = run.scene(View::Metric, &low(""));
    let labels: Vec<&str> = scene.y_axis.ticks.iter().map(|tick| tick.label.as_str()).collect();
    assert_eq!((labels.len(), labels[0]), (2, "0"));
    assert!(labels[1].ends_with('s') && labels[1].len() <= 7, "{labels:?}");
    let tallest = |scene: &Scene| rects(scene)[0].iter().map(|mark| mark.rect.height).fold(0.0, f32::max);
    let largest = run.data.values.sums().largest_sum(true).as_f64();
    let shared = run.scene(View::Metric, &low(&format!("sums=0:{}", largest * 4.0)));
    assert!((tallest(&shared) * 4.0 - tallest(&scene)).abs() < 0.5, "a quarter of the height");
    let cut = run.scene(View::Metric, &low(&format!("sums=0:{}", largest / 2.0)));
    assert!(tallest(&cut) <= scene.plot.height + 0.01);
    assert!(cut.notes.iter().any(|note| note.contains("cut off")), "{:?}", cut.notes);
}

#[test]
fn colours_are_fitted_to_the_largest_value_in_sight() {
    let run = Run::new(16, 9, Metric::Lateness);
    let logical = &run.data.logical;
    let window = Window { steps: Some((4.0, 9.0)), rows: Some((2, 5)), ..Window::default() };
    let events = (2..5).flat_map(|row| logical.events_in(row, 4..9));
    let expected = events.map(|event| logical.lateness(event)).max().unwrap();
    assert_eq!(largest_in_sight(&run.store, &run.data, &window, false), Some(expected as f64));
    let all = largest_in_sight(&run.store, &run.data, &Window::default(), true).unwrap();
    assert!((all - run.data.values.largest(true)).abs() < 1.0);
}
