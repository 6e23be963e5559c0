//! Pictures of logical time: boxes, rasters, sums, and what they say under the pointer.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a helper that fails is a test that fails")]

mod common;

use std::sync::Arc;

use common::request;
use heddle_logical::{Kind, Logical, LogicalOptions, Metric, MetricValues, Sum};
use heddle_options::Given;
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_view::{
    Emphasis, Extent, Framing, Layer, LogicalData, Raster, RectMark, Scene, Selection, Size, SpanName, Steps, Trace,
    View, ViewRequest, Window, latest_event,
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
        let directory = tempfile::tempdir().unwrap();
        let simulation = halo(&options, &machine).unwrap();
        let path = directory.path().join("x.heddle");
        let store = store_simulation(&simulation, "halo", &path, 1 << 28, &NoProgress).unwrap();
        let logical = Logical::open(&store, &LogicalOptions::default(), &NoProgress).unwrap();
        let values = MetricValues::open(&store, &logical, metric, &NoProgress).unwrap();
        let data = LogicalData::new(Steps::from(logical), Arc::new(values));
        Run { _directory: directory, store, data }
    }

    fn trace(&self) -> Trace<'_> {
        Trace { store: &self.store, logical: Some(self.data.clone()) }
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
        assert!(cells.strength.iter().all(|strength| *strength == 0 || *strength >= 89), "nothing is too faint to see");
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
