//! Pictures of a diagnosis against plain scans of waits and charges: what cells show, what folded rows keep, what the path
//! draws, where higher rows are, what ranks cost.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails is a test that fails")]

mod common;

use std::sync::Arc;

use common::{Call, Calls, request, within};
use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_diagnosis::finding::{Finding, FindingKind};
use heddle_diagnosis::suspect::{Place, Suspect};
use heddle_model::{LocationId, Ns, RegionId};
use heddle_options::Given;
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_view::{ColourId, Diagnosed, Extent, Layer, Raster, Scene, Size, Trace, View, ViewRequest, Window};

/// A halo exchange with a slow rank.
fn run(ranks: u32, iterations: u32, slow: u32) -> (tempfile::TempDir, Store) {
    let options = HaloOptions { ranks, iterations, allreduce_every: 4, ..HaloOptions::default() };
    let machine = Machine { slow_ranks: vec![slow], slow_factor: 1.8, ..Machine::default() };
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("halo.heddle");
    let store = store_simulation(&halo(&options, &machine).unwrap(), "halo", &target, 1 << 28, &NoProgress).unwrap();
    (directory, store)
}

fn diagnosed(store: &Store) -> Diagnosis {
    Diagnosis::new(store, &NoProgress).unwrap()
}

fn trace(store: &Store, diagnosis: Diagnosis) -> Trace<'_> {
    Trace { diagnosis: Some(Arc::new(Diagnosed::from(diagnosis))), ..Trace::from(store) }
}

fn asked(window: Window, size: (u32, u32), options: &[(&str, &str)]) -> ViewRequest {
    let pairs = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let size = Size { width: size.0, height: size.1 };
    ViewRequest { size, options: Given::by_program(pairs), ..request(window) }
}

fn raster(scene: &Scene) -> &Raster {
    let found = scene.layers.iter().find_map(|layer| match layer {
        Layer::Raster(raster) => Some(raster),
        _ => None,
    });
    found.expect("a picture of cells")
}

/// A finding about some ranks, made up.
fn finding(locations: &[u32], since: Ns, until: Ns) -> Finding {
    let suspect = Suspect {
        kind: FindingKind::SlowRanks,
        locations: locations.iter().map(|at| LocationId(*at)).collect(),
        group: None,
        pairs: Vec::new(),
        place: Place { region: RegionId(0), before: None },
        since,
        until,
        is_throughout: true,
        usual: 1.0,
        found: 1.8,
        visits: 10,
        slow_visits: 10,
        z: 9.0,
        period: None,
        cuts: Vec::new(),
    };
    Finding {
        suspect,
        cost_share: 0.1,
        functions: Vec::new(),
        without: None,
        without_dearer: None,
        waiting: 3,
        window: (since, until),
    }
}

/// What a location was in, stretch by stretch, without waiting: the deepest call around each moment.
fn work(store: &Store, diagnosis: &Diagnosis, row: usize, location: LocationId) -> Vec<(RegionId, i64, i64)> {
    let spans = store.spans_of(location);
    let list: Vec<(i64, i64, RegionId)> =
        spans.map(|at| (store.spans.start.get(at).0, store.spans.end.get(at).0, store.spans.region.get(at))).collect();
    let waits = diagnosis.run.waits.of(row);
    let mut edges: Vec<i64> = list.iter().flat_map(|(start, end, _)| [*start, *end]).collect();
    edges.extend(waits.iter().flat_map(|wait| [wait.enter, wait.end()]));
    edges.sort_unstable();
    edges.dedup();
    let of_stretch = |pair: &[i64]| {
        let is_waiting = waits.iter().any(|wait| wait.enter <= pair[0] && pair[1] <= wait.end());
        let around = list.iter().filter(|(start, end, _)| *start <= pair[0] && pair[1] <= *end);
        let region = around
            .max_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)))
            .map_or(RegionId::NONE, |call| call.2);
        (!is_waiting).then_some((region, pair[0], pair[1]))
    };
    edges.windows(2).filter_map(of_stretch).collect()
}

/// How many ranks wait for a row in each stretch of its work, charge by charge.
fn rates(store: &Store, diagnosis: &Diagnosis, row: usize, location: LocationId) -> Vec<(i64, i64, f64)> {
    let (run, work) = (&diagnosis.run, work(store, diagnosis, row, location));
    let mut found = Vec::new();
    for charge in run.delays.charges_of(row) {
        let (from, to) = (run.delays.since[charge.wait as usize], run.waits.list[charge.wait as usize].arrival);
        let parts: Vec<(i64, i64)> = work
            .iter()
            .filter(|(region, start, end)| *region == charge.region && *start < to && *end > from)
            .map(|(_, start, end)| (*start.max(&from), *end.min(&to)))
            .collect();
        let length: i64 = parts.iter().map(|(from, to)| to - from).sum();
        found.extend(parts.into_iter().map(|(from, to)| (from, to, f64::from(charge.cost) / length as f64)));
    }
    found
}

/// The part of a list of stretches, each with a weight, that lies in a window, per nanosecond of it.
fn mean(stretches: impl Iterator<Item = (i64, i64, f64)>, (from, to): (f64, f64)) -> f64 {
    let inside =
        |(start, end, weight): (i64, i64, f64)| ((end as f64).min(to) - (start as f64).max(from)).max(0.0) * weight;
    stretches.map(inside).sum::<f64>() / (to - from)
}

#[test]
fn cells_show_the_stronger_of_waiting_and_making_others_wait() {
    let (_directory, store) = run(64, 12, 21);
    let diagnosis = diagnosed(&store);
    let waits: Vec<Vec<(i64, i64, f64)>> = (0..64)
        .map(|row| diagnosis.run.waits.of(row).iter().map(|wait| (wait.enter, wait.end(), 1.0)).collect())
        .collect();
    let costs: Vec<Vec<(i64, i64, f64)>> =
        (0..64).map(|row| rates(&store, &diagnosis, row, LocationId(row as u32))).collect();
    let trace = trace(&store, diagnosis);
    for window in [Window::default(), within(3_000_000, 9_000_000)] {
        let size = (360, 200);
        let options = |colour| [("colour", colour), ("magnify", "off")];
        let scene = View::Timeline.scene(trace.clone(), &asked(window.clone(), size, &options("waits")));
        let blue = View::Timeline.scene(trace.clone(), &asked(window.clone(), size, &options("waiting")));
        let (cost_bar, wait_bar) = (scene.colour_bar.clone().unwrap(), blue.colour_bar.unwrap());
        let (Extent::Time(from, to), top) = (scene.x_axis.extent, cost_bar.to.0) else { panic!() };
        let cells = raster(&scene);
        assert_eq!(cells.rows, 64);
        let (mut blues, mut oranges) = (0, 0);
        for (row, (waits, costs)) in waits.iter().zip(&costs).enumerate() {
            for column in 0..cells.columns {
                let edge = |at: u32| from.0 as f64 + to.since(from) as f64 * f64::from(at) / f64::from(cells.columns);
                let here = (edge(column), edge(column + 1));
                let waiting = mean(waits.iter().copied(), here);
                let share = (mean(costs.iter().copied(), here).ln_1p() / top.ln_1p()).min(1.0).powf(1.5);
                let at = row * cells.columns as usize + column as usize;
                if (share - waiting).abs() < 0.02 || waiting.max(share) < 0.02 {
                    continue;
                }
                let (bar, place) = if share > waiting { (&cost_bar, share) } else { (&wait_bar, waiting) };
                let step = place.clamp(0.0, 1.0) * (bar.colours.len() - 1) as f64;
                let is_near = |colour: &ColourId| (f64::from(colour.0 - bar.colours[0].0) - step).abs() <= 1.01;
                assert_eq!(cells.strength[at], 255);
                assert!(
                    bar.colours.contains(&cells.colours[at]) && is_near(&cells.colours[at]),
                    "rank {row} column {column}: waits {waiting}, makes {share}, {:?}",
                    cells.colours[at]
                );
                *(if share > waiting { &mut oranges } else { &mut blues }) += 1;
            }
        }
        assert!(blues > 1_000 && oranges > 50, "{blues} {oranges}");
    }
}

#[test]
fn one_rank_among_thousands_is_seen_in_folded_rows() {
    let (_directory, store) = run(2_048, 4, 777);
    let diagnosis = diagnosed(&store);
    let trace = trace(&store, diagnosis);
    let scene = View::Timeline.scene(
        trace,
        &asked(Window::default(), (500, 300), &[("colour", "cost"), ("magnify", "off"), ("path", "off")]),
    );
    let (cells, bar) = (raster(&scene), scene.colour_bar.clone().unwrap());
    assert!(cells.rows < 300);
    let strongest = |row: u32| {
        let at = (row * cells.columns) as usize;
        (at..at + cells.columns as usize)
            .filter(|at| cells.strength[*at] > 0)
            .map(|at| bar.colours.iter().position(|colour| *colour == cells.colours[at]).unwrap())
            .map(|place| u64::from(place > 20))
            .sum::<u64>()
    };
    let own = 777 * cells.rows / 2_048;
    let here = strongest(own);
    assert!(here > u64::from(cells.columns) / 4, "{here} of {} columns are strong", cells.columns);
    let others = (0..cells.rows).filter(|row| row.abs_diff(own) > 2).map(strongest).max().unwrap();
    assert!(here > 3 * others, "{here} {others}");
    assert!(scene.notes.iter().any(|note| note.contains("locations")), "{:?}", scene.notes);
}

#[test]
fn the_path_is_drawn_piece_by_piece_and_never_as_a_sea_of_lines() {
    let (_directory, store) = run(16, 10, 5);
    let diagnosis = diagnosed(&store);
    let pieces = diagnosis.run.path.clone();
    let trace = trace(&store, diagnosis);
    let scene = View::Timeline.scene(trace.clone(), &asked(Window::default(), (1400, 700), &[("path", "on")]));
    let lines = |scene: &Scene| -> Vec<heddle_view::SegmentMark> {
        let last = scene.layers.iter().rev().find_map(|layer| match layer {
            Layer::Segments(lines) => Some(lines.clone()),
            _ => None,
        });
        last.unwrap()
    };
    let Extent::Time(from, to) = scene.x_axis.extent else { panic!() };
    let plot = scene.plot;
    let x = |time: Ns| plot.x + (time.since(from) as f64 / to.since(from) as f64 * f64::from(plot.width)) as f32;
    let all = lines(&scene);
    let mut wide = 0;
    for piece in pieces.iter().filter(|piece| x(piece.end) - x(piece.start) >= 1.0) {
        let y = plot.y + (piece.location.0 as f32 + 0.5) * plot.height / 16.0;
        let is_it = |line: &&heddle_view::SegmentMark| {
            (line.from.0 - x(piece.start)).abs() < 0.1
                && (line.to.0 - x(piece.end)).abs() < 0.1
                && (line.from.1 - y).abs() < 0.1
                && (line.to.1 - y).abs() < 0.1
        };
        assert!(all.iter().any(|line| is_it(&line)), "{piece:?}");
        wide += 1;
    }
    assert!(wide > 4, "{wide}");
    let hops = pieces.windows(2).filter(|pair| pair[0].location != pair[1].location).count();
    assert!(scene.notes.iter().any(|note| note.contains(&format!("{hops} hops"))), "{hops}: {:?}", scene.notes);
    let narrow = View::Timeline.scene(trace, &asked(Window::default(), (300, 700), &[("path", "on")]));
    assert!(lines(&narrow).len() as f32 <= 6.0 * narrow.plot.width, "{}", lines(&narrow).len());
}

#[test]
fn higher_rows_hold_their_rank_and_labels_stay_apart() {
    let (_directory, store) = run(256, 6, 97);
    let mut diagnosis = diagnosed(&store);
    let end = Ns(store.summary().end_ns);
    diagnosis.findings = vec![
        finding(&[96, 97, 98, 99], Ns(end.0 / 3), end),
        finding(&[100], Ns(0), end),
        finding(&[255], Ns(end.0 / 2), end),
    ];
    let trace = trace(&store, diagnosis);
    let asked = asked(Window::default(), (1200, 500), &[("colour", "waits")]);
    let scene = View::Timeline.scene(trace.clone(), &asked);
    let tick = |label: &str| scene.y_axis.ticks.iter().find(|tick| tick.label == label).map(|tick| tick.at);
    let (first, last) = (tick("96").expect("the first of the higher rows has a tick"), tick("100").unwrap());
    assert!(last - first > 4.0 * 5.0, "{first} {last}");
    for (y, rank) in [(first, "rank 96"), (last, "rank 100"), (tick("255").unwrap(), "rank 255")] {
        let mut names = std::collections::BTreeSet::new();
        for x in (0..100).map(|at| scene.plot.x + scene.plot.width * (at as f32 + 0.5) / 100.0) {
            names.extend(View::Timeline.pick(trace.clone(), &asked, (x, y)).map(|picked| picked.title));
        }
        assert!(names.contains(rank), "{rank}: {names:?}");
        assert!(names.iter().all(|name| !name.starts_with("rank ") || name == rank), "{rank}: {names:?}");
    }
    let numbers: Vec<&heddle_view::Label> =
        scene.labels.iter().filter(|label| ["1", "2", "3"].contains(&label.text.as_str())).collect();
    assert_eq!(numbers.len(), 3);
    for (at, one) in numbers.iter().enumerate() {
        assert!(scene.plot.contains(one.at));
        let is_clear =
            |other: &&&heddle_view::Label| (one.at.1 - other.at.1).abs() > 18.0 || (one.at.0 - other.at.0).abs() > 60.0;
        assert!(numbers[at + 1..].iter().all(|other| is_clear(&other)), "{numbers:?}");
    }
}

#[test]
fn a_wait_says_for_whom_and_a_culprit_how_many() {
    let (_directory, store) = run(16, 6, 5);
    let diagnosis = diagnosed(&store);
    let longest = *diagnosis.run.waits.list.iter().max_by_key(|wait| wait.wait).unwrap();
    let trace = trace(&store, diagnosis);
    let window = within(longest.enter - longest.wait, longest.end() + longest.wait);
    let asked = asked(window, (1200, 700), &[("colour", "waits")]);
    let scene = View::Timeline.scene(trace.clone(), &asked);
    let y = |location: LocationId| scene.plot.y + (location.0 as f32 + 0.5) * scene.plot.height / 16.0;
    let middle = scene.plot.x + scene.plot.width / 2.0;
    let picked = View::Timeline.pick(trace.clone(), &asked, (middle, y(longest.location))).unwrap();
    assert_eq!(picked.title, format!("rank {}", longest.location.0));
    let expected = format!("waits {} for rank {}", heddle_view::duration_text(longest.wait), longest.culprit.0);
    assert!(picked.lines[0].starts_with(&expected), "{} is not {expected}", picked.lines[0]);
    let picked = View::Timeline.pick(trace, &asked, (middle, y(longest.culprit))).unwrap();
    assert!(picked.lines[0].starts_with("makes ") && picked.lines[0].ends_with("together"), "{:?}", picked.lines);
}

/// The costs that a picture of ranks tells, rank by rank, in percent.
fn told_costs(trace: &Trace<'_>, asked: &ViewRequest, ranks: u32) -> Vec<f64> {
    let scene = View::Ranks.scene(trace.clone(), asked);
    let cost = |rank: u32| {
        let x = scene.plot.x + scene.plot.width * (rank as f32 + 0.5) / ranks as f32;
        let picked = View::Ranks.pick(trace.clone(), asked, (x, scene.plot.y + 5.0)).unwrap();
        assert_eq!(picked.title, format!("rank {rank}"));
        let words: Vec<&str> = picked.lines[0].split(' ').collect();
        words[2].parse::<f64>().unwrap()
    };
    (0..ranks).map(cost).collect()
}

#[test]
fn ranks_cost_what_they_are_charged_with_in_any_window() {
    let (_directory, store) = run(32, 10, 9);
    let diagnosis = diagnosed(&store);
    let end = store.summary().end_ns;
    let costs: Vec<Vec<(i64, i64, f64)>> =
        (0..32).map(|row| rates(&store, &diagnosis, row, LocationId(row as u32))).collect();
    let mut sums = vec![0.0; 32];
    for (row, _, cost) in &diagnosis.run.delays.costs {
        sums[*row as usize] += cost.total();
    }
    let trace = trace(&store, diagnosis);
    let whole = told_costs(&trace, &asked(Window::default(), (1000, 400), &[]), 32);
    for (rank, told) in whole.iter().enumerate() {
        assert!((told - 100.0 * sums[rank] / (end as f64 * 32.0)).abs() < 0.006, "rank {rank}: {told} {}", sums[rank]);
    }
    assert!(whole.iter().enumerate().all(|(rank, cost)| rank == 9 || *cost < whole[9]), "{whole:?}");
    let part = (end / 3, end / 2);
    let told = told_costs(&trace, &asked(within(part.0, part.1), (1000, 400), &[]), 32);
    for (rank, told) in told.iter().enumerate() {
        let expected = 100.0 / 32.0 * mean(costs[rank].iter().copied(), (part.0 as f64, part.1 as f64));
        assert!((told - expected).abs() < 0.006 + 0.001 * expected, "rank {rank}: {told} {expected}");
    }
}

#[test]
fn close_rows_are_those_of_the_path() {
    let (_directory, store) = run(64, 8, 21);
    let diagnosis = diagnosed(&store);
    let (from, to) = (store.summary().end_ns / 2, store.summary().end_ns * 3 / 4);
    let mut on_path: Vec<u32> = (diagnosis.run.path.iter())
        .filter(|piece| piece.start.0 < to && piece.end.0 > from)
        .map(|piece| piece.location.0)
        .collect();
    on_path.sort_unstable();
    on_path.dedup();
    let trace = trace(&store, diagnosis);
    let scene =
        View::Timeline.scene(trace, &asked(within(from, to), (1200, 600), &[("colour", "waits"), ("fold", "path")]));
    let rows: Vec<u32> = scene.y_axis.ticks.iter().map(|tick| tick.label.parse().unwrap()).collect();
    assert!(rows.is_sorted() && rows.len() < 40, "{rows:?}");
    assert!(on_path.iter().all(|rank| rows.contains(rank)), "{on_path:?} {rows:?}");
    assert!(rows.len() > on_path.len() && rows.len() <= on_path.len() + 5, "{on_path:?} {rows:?}");
}

#[test]
fn without_communication_pictures_say_so() {
    let calls = (0..4).map(|_| vec![Call(0, 0, 1_000, vec![Call(3, 100, 400, Vec::new())])]).collect();
    let (_directory, store) = Calls::new(calls).store();
    let trace = trace(&store, diagnosed(&store));
    for colour in ["waits", "waiting", "cost", "path"] {
        let scene = View::Timeline.scene(trace.clone(), &asked(Window::default(), (800, 400), &[("colour", colour)]));
        assert!(
            scene.notes.iter().any(|note| note.contains("Nothing in the trace communicates")),
            "{colour}: {:?}",
            scene.notes
        );
    }
    for trace in [trace, Trace::from(&store)] {
        let scene = View::Ranks.scene(trace, &asked(Window::default(), (800, 400), &[]));
        assert!(scene.notes.iter().any(|note| note.contains("Nothing in the trace communicates")), "{:?}", scene.notes);
    }
    let scene = View::Timeline.scene(&store, &asked(Window::default(), (800, 400), &[("colour", "waits")]));
    assert!(scene.notes.iter().any(|note| note.contains("Nothing in the trace communicates")), "{:?}", scene.notes);
}
