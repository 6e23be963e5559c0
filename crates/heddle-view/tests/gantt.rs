//! Charts of tasks, and the distribution of tiles, against plain scans of the tasks.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

use std::sync::Arc;

use heddle_model::{
    Definitions, Location, LocationId, LocationKind, Ns, Paradigm, Part, Rank, RecordBlock, Region, RegionId, Role,
    Source, SourceError, SystemNode, SystemNodeId, TaskId, TaskInfo, Warnings, Worker,
};
use heddle_options::Given;
use heddle_store::{ImportOptions, NoProgress, Store, StorePlace, import, store_simulation};
use heddle_tasks::{Overview, ProgressOptions, Progression};
use heddle_testkit::sample_traces;
use heddle_view::{Layer, Rect, Scene, Selection, Size, Trace, View, ViewRequest, Window};
use proptest::prelude::*;

mod common;
use common::{request, within};

/// A run of a task: type, start, end, tile.
#[derive(Clone, Debug)]
struct Run(u32, i64, i64, Option<[u32; 2]>);

/// Nodes with workers of two kinds that run tasks.
struct Tasks {
    definitions: Definitions,
    runs: Vec<Vec<Run>>,
    parts: Vec<Part>,
    warnings: Warnings,
}

const TYPES: [&str; 3] = ["gemm", "trsm", "potrf"];

impl Tasks {
    /// Workers: node, kind, what they run.
    fn new(workers: Vec<(u32, &str, Vec<Run>)>) -> Tasks {
        let location = |(at, (node, kind, _)): (usize, &(u32, &str, Vec<Run>))| Location {
            file_id: at as u64,
            name: format!("{node}_{kind}{at}").into(),
            kind: LocationKind::CpuThread,
            parent: Some(SystemNodeId(0)),
            rank: Rank(*node),
        };
        let definitions = Definitions {
            system_tree: vec![SystemNode { name: "p".into(), class: SystemNode::PROCESS.into(), parent: None }],
            locations: workers.iter().enumerate().map(location).collect(),
            regions: TYPES.iter().map(|name| Region::named(*name, Paradigm::Task, Role::Function)).collect(),
            world: (0..workers.len() as u32).map(LocationId).collect(),
            workers: (0..)
                .zip(&workers)
                .map(|(at, (_, kind, _))| Worker { location: LocationId(at), kind: (*kind).to_owned() })
                .collect(),
            ..Definitions::default()
        };
        let parts = (0..workers.len() as u32).map(|at| Part { location: LocationId(at), index: 0, bytes: 100 });
        let parts = parts.collect();
        Tasks {
            definitions,
            runs: workers.into_iter().map(|(.., runs)| runs).collect(),
            parts,
            warnings: Warnings::default(),
        }
    }

    fn store(&self) -> (tempfile::TempDir, Store) {
        let directory = tempfile::tempdir().unwrap();
        let store = store_simulation(self, "tasks", &directory.path().join("x.heddle"), 1 << 28, &NoProgress).unwrap();
        (directory, store)
    }
}

impl Source for Tasks {
    fn format(&self) -> &'static str {
        "tasks"
    }

    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn read(&self, part: &Part, out: &mut RecordBlock) -> Result<(), SourceError> {
        for (number, Run(of, start, end, tile)) in (0..).zip(&self.runs[part.location.index()]) {
            out.enter(Ns(*start), RegionId(*of));
            let id = TaskId::new(part.location.0, number);
            out.task(Ns(*start), TaskInfo { tile: tile.unwrap_or([TaskInfo::UNKNOWN; 2]), ..TaskInfo::new(id) });
            out.leave(Ns(*end), Some(RegionId(*of)));
            out.last = Some(Ns(*end));
        }
        Ok(())
    }

    fn warnings(&self) -> &Warnings {
        &self.warnings
    }
}

fn analysed(store: &Store) -> Trace<'_> {
    let progression = Progression::open(store, &ProgressOptions::default(), &NoProgress).unwrap();
    let tasks = Overview::open(store, &NoProgress).unwrap();
    Trace { progress: Some(Arc::new(progression)), tasks: Some(Arc::new(tasks)), ..Trace::from(store) }
}

fn with(window: Window, options: &[(&str, &str)]) -> ViewRequest {
    let given = Given::by_program(options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    ViewRequest { options: given, ..request(window) }
}

/// Runs one after the other on a worker.
fn runs() -> impl Strategy<Value = Vec<Run>> {
    proptest::collection::vec((0u32..3, 0i64..40, 0i64..60), 0..8).prop_map(|pieces| {
        let mut free = 0;
        let mut place = |(of, pause, length): (u32, i64, i64)| {
            let start = free + pause;
            free = start + length;
            Run(of, start, free, None)
        };
        pieces.into_iter().map(&mut place).collect()
    })
}

fn rects(scene: &Scene) -> Vec<Rect> {
    let of = |layer: &Layer| match layer {
        Layer::Rects(rects) => rects.iter().map(|mark| mark.rect).collect(),
        _ => Vec::new(),
    };
    scene.layers.iter().flat_map(of).collect()
}

fn is_inside(rect: &Rect, area: &Rect) -> bool {
    let (right, bottom) = (rect.x + rect.width, rect.y + rect.height);
    rect.x >= area.x - 0.6
        && rect.y >= area.y - 0.6
        && right <= area.x + area.width + 0.6
        && bottom <= area.y + area.height + 0.6
        && rect.width >= 0.0
        && rect.height >= 0.0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn shares_are_those_of_a_plain_scan_and_nothing_leaves_the_plot(
        workers in proptest::collection::vec((0u32..4, any::<bool>(), runs()), 1..9),
        from in 0i64..200, length in 1i64..300,
    ) {
        let mut workers: Vec<(u32, &str, Vec<Run>)> =
            workers.into_iter().map(|(node, is_gpu, runs)| (node, if is_gpu { "CUDA" } else { "CPU" }, runs)).collect();
        workers[0].2.push(Run(0, 600, 640, None));
        workers.sort_by_key(|worker| worker.0);
        let (_directory, store) = Tasks::new(workers.clone()).store();
        let trace = analysed(&store);
        let (start, end) = trace.progress.as_ref().unwrap().span;
        let whole = View::Gantt.scene(trace.clone(), &with(Window::default(), &[]));
        let all = workers.len() as f64 * end.since(start) as f64;
        for (at, name) in TYPES.iter().enumerate() {
            let runs = workers.iter().flat_map(|(.., runs)| runs).filter(|run| run.0 as usize == at);
            let busy: i64 = runs.map(|Run(_, start, end, _)| end - start).sum();
            let entry = whole.legend.iter().find(|entry| entry.name == *name).map(|entry| entry.value.clone());
            let expected = format!("{:.1} %", 100.0 * busy as f64 / all);
            prop_assert_eq!(entry.unwrap_or_else(|| "0.0 %".to_owned()), expected);
        }
        for rows in ["kinds", "workers"] {
            for order in ["number", "group"] {
                let options = [("lanes", rows), ("node-order", order)];
                let mut asked = with(within(from, from + length), &options);
                for size in [(1000, 500), (400, 90), (90, 60)] {
                    asked.size = Size { width: size.0, height: size.1 };
                    let scene = View::Gantt.scene(trace.clone(), &asked);
                    let plot = scene.plot;
                    let outside: Vec<Rect> = rects(&scene).into_iter().filter(|rect| !is_inside(rect, &plot)).collect();
                    prop_assert!(outside.is_empty(), "{:?} outside of {:?}", outside, plot);
                }
            }
        }
    }

    #[test]
    fn a_cell_says_what_a_plain_scan_says(
        workers in proptest::collection::vec(runs(), 1..5), idle in 0usize..3, x in 0.0f32..1.0,
    ) {
        let mut all: Vec<(u32, &str, Vec<Run>)> = workers.iter().map(|runs| (0, "CPU", runs.clone())).collect();
        all.extend((0..idle).map(|_| (0, "CPU", Vec::new())));
        all[0].2.push(Run(1, 700, 800, None));
        let (_directory, store) = Tasks::new(all.clone()).store();
        let trace = analysed(&store);
        let asked = with(Window::default(), &[]);
        let plot = View::Gantt.scene(trace.clone(), &asked).plot;
        let picked = View::Gantt.pick(trace, &asked, (plot.x + x * plot.width, plot.y + 30.0)).unwrap();
        prop_assert_eq!(picked.select.unwrap().to_string(), "ranks:0");
        // The slice is what the box covers: back to times by the axis.
        let area = picked.area.unwrap();
        let end = store.summary().end_ns as f64;
        let time = |x: f32| f64::from(x - plot.x) / f64::from(plot.width) * end;
        let (from, to) = (time(area.x), time(area.x + area.width));
        let runs = all.iter().flat_map(|(.., runs)| runs);
        let busy: f64 = runs.map(|Run(_, start, end, _)| (to.min(*end as f64) - from.max(*start as f64)).max(0.0)).sum();
        let expected = 100.0 * busy / ((to - from) * all.len() as f64);
        let said: f64 = picked.lines[1].split(" %").next().unwrap().parse().unwrap();
        prop_assert!((said - expected).abs() < 1.0 && said <= 100.05, "{} for {}: {:?}", said, expected, picked.lines);
    }
}

/// A worker that always runs the same, `count` times.
fn steady(of: u32, count: i64, length: i64) -> Vec<Run> {
    (0..count).map(|at| Run(of, at * 2 * length, at * 2 * length + length, None)).collect()
}

#[test]
fn tasks_are_picked_with_all_that_is_known_of_them() {
    let workers = vec![(0, "CPU", steady(0, 4, 1000)), (0, "CUDA", steady(1, 4, 500)), (3, "CPU", Vec::new())];
    let (_directory, store) = Tasks::new(workers).store();
    let trace = analysed(&store);
    let asked = with(Window::default(), &[("lanes", "workers")]);
    let scene = View::Gantt.scene(trace.clone(), &asked);
    let (plot, end) = (scene.plot, store.summary().end_ns as f32);
    let at = |time: f32, row: f32| (plot.x + time / end * plot.width, plot.y + (row + 0.5) / 3.0 * plot.height);
    let task = View::Gantt.pick(trace.clone(), &asked, at(2500.0, 0.0)).unwrap();
    assert_eq!((task.title.as_str(), task.select), ("gemm", Some("span:0:1".parse().unwrap())));
    assert_eq!(task.lines, ["0_CPU0 · node 0", "task 0_1", "1.000 µs · 2.000 – 3.000 µs", "mean on CPU: 1.000 µs"]);
    let pause = View::Gantt.pick(trace.clone(), &asked, at(1500.0, 0.0)).unwrap();
    assert_eq!((pause.title.as_str(), pause.lines[1].as_str()), ("no task", "1.000 µs · 1.000 – 2.000 µs"));
    assert_eq!(pause.select, Some("ranks:0".parse().unwrap()));
    let idle = View::Gantt.pick(trace.clone(), &asked, at(2500.0, 2.0)).unwrap();
    assert_eq!((idle.title.as_str(), idle.select), ("no task", Some("ranks:3".parse().unwrap())));
    let name = View::Gantt.pick(trace.clone(), &asked, (plot.x - 20.0, plot.y + plot.height - 10.0)).unwrap();
    assert_eq!(name.select, Some("ranks:3".parse().unwrap()));
    let texts: Vec<&str> = scene.labels.iter().map(|label| label.text.as_str()).collect();
    assert!(texts.contains(&"100.0 % idle") && texts.contains(&"gemm"), "{texts:?}");
    // A selected task is framed in either chart.
    for rows in ["workers", "kinds"] {
        let mut asked = with(Window::default(), &[("lanes", rows)]);
        let before = rects(&View::Gantt.scene(trace.clone(), &asked)).len();
        asked.emphasis.selected = Some("span:0:1".parse().unwrap());
        assert_eq!(rects(&View::Gantt.scene(trace.clone(), &asked)).len(), before + 4, "{rows}");
    }
}

#[test]
fn more_nodes_than_rows_share_them_and_the_note_says_so() {
    // One node of two thousand is busy: its share of the mean is nothing, the most of its row is all.
    let node = |node: u32| (node, "CPU", if node == 777 { steady(2, 1, 100_000) } else { steady(0, 1, 10) });
    let (_directory, store) = Tasks::new((0..2000).map(node).collect()).store();
    let trace = analysed(&store);
    let scene = View::Gantt.scene(trace.clone(), &with(Window::default(), &[]));
    let note = scene.notes.iter().find(|note| note.contains("stands for up to")).unwrap();
    assert!(note.contains("mean") && note.contains("at most 100.0 %"), "{note}");
    let selected = |ranks: &str| {
        let mut asked = with(Window::default(), &[]);
        asked.emphasis.selected = Some(format!("ranks:{ranks}").parse().unwrap());
        View::Gantt.scene(trace.clone(), &asked)
    };
    let texts: Vec<String> = selected("777").labels.into_iter().map(|label| label.text).collect();
    assert!(texts.iter().any(|text| text == "777"), "a chosen node has its own row: {texts:?}");
    let picked = |y: f32| View::Gantt.pick(trace.clone(), &with(Window::default(), &[]), (scene.plot.x + 5.0, y));
    let Some(Selection::Ranks(ranks)) = picked(scene.plot.y + 2.0).unwrap().select else { panic!("ranks expected") };
    assert!(ranks.contains(0) && ranks.contains(5) && !ranks.contains(777));
}

#[test]
fn tiles_lead_to_their_nodes() {
    let tile = |i: u32, j: u32| Run(0, i64::from(i * 8 + j) * 10, i64::from(i * 8 + j) * 10 + 5, Some([i, j]));
    let of = |node: u32| (0..64).map(|at| (at / 8, at % 8)).filter(move |(i, j)| 2 * (i % 2) + j % 2 == node);
    let workers = (0..4).map(|node| (node, "CPU", of(node).map(|(i, j)| tile(i, j)).collect())).collect();
    let (_directory, store) = Tasks::new(workers).store();
    let trace = analysed(&store);
    let asked = with(Window::default(), &[]);
    let scene = View::Distribution.scene(trace.clone(), &asked);
    assert_eq!(scene.notes[0], "2 × 2 cyclic: 64 tiles on 4 nodes.");
    let formula = "Tile (i, j) on node 2 (i mod 2) + j mod 2";
    assert!(scene.labels.iter().any(|label| label.text == formula));
    assert!(
        rects(&scene).iter().chain(scene.beside.iter().map(|mark| &mark.rect)).all(|rect| is_inside(rect, &scene.plot))
    );
    let mut seen = std::collections::BTreeSet::new();
    for y in 0..50u16 {
        for x in 0..50u16 {
            let at = (f32::from(x) * 20.0, f32::from(y) * 10.0);
            let Some(picked) = View::Distribution.pick(trace.clone(), &asked, at) else { continue };
            let numbers: Vec<u32> =
                picked.title.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
            let node = match numbers[..] {
                [i, j] => 2 * (i % 2) + j % 2,
                [node] => node,
                _ => panic!("{}", picked.title),
            };
            assert_eq!(picked.select, Some(format!("ranks:{node}").parse().unwrap()));
            seen.insert(picked.title);
        }
    }
    assert_eq!(seen.iter().filter(|title| title.starts_with("tile")).count(), 64, "{seen:?}");
    assert_eq!(seen.iter().filter(|title| title.starts_with("node")).count(), 4, "{seen:?}");
}

#[test]
fn without_tiles_a_sentence_stands_for_the_picture() {
    let (_directory, store) = Tasks::new(vec![(0, "CPU", steady(0, 3, 10))]).store();
    let scene = View::Distribution.scene(analysed(&store), &with(Window::default(), &[]));
    assert_eq!(scene.notes, ["No task says which tile of a matrix it writes."]);
    assert_eq!(scene.labels[0].text, scene.notes[0]);
    assert!(View::Distribution.pick(analysed(&store), &with(Window::default(), &[]), (300.0, 200.0)).is_none());
}

/// R's type 7.
fn quantile(sorted: &[i64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[place.floor() as usize] as f64, sorted[place.ceil() as usize] as f64);
    low + (high - low) * place.fract()
}

#[test]
fn outliers_of_a_real_run_are_those_of_a_plain_count() {
    let Some(root) = sample_traces("starpu") else { return };
    let directory = tempfile::tempdir().unwrap();
    let options =
        ImportOptions { place: StorePlace::Under(directory.path().to_owned()), memory: 1 << 29, force: false };
    let store = import(&root.join("starvz_qr/paje.worker_state.csv.gz"), &options, &NoProgress).unwrap().store;
    // All workers are processors, so types alone tell them apart.
    let mut of_type: std::collections::BTreeMap<u32, Vec<i64>> = std::collections::BTreeMap::new();
    for task in 0..store.tasks.len() {
        let span = store.tasks.span.get(task).0;
        let duration = store.spans.end.get(span).since(store.spans.start.get(span));
        of_type.entry(store.spans.region.get(span).0).or_default().push(duration);
    }
    let mut expected = 0;
    for durations in of_type.values_mut() {
        durations.sort_unstable();
        let (low, high) = (quantile(durations, 0.25), quantile(durations, 0.75));
        expected += durations.iter().filter(|duration| **duration as f64 > high + 1.5 * (high - low)).count();
    }
    assert!(expected > 50, "{expected}");
    for rows in ["kinds", "workers"] {
        let scene = View::Gantt.scene(analysed(&store), &with(Window::default(), &[("lanes", rows)]));
        let note = format!("Marked dark: {expected} tasks longer than");
        assert!(scene.notes.iter().any(|said| said.contains(&note)), "{rows}: {expected}, {:?}", scene.notes);
    }
    let scene = View::Gantt.scene(analysed(&store), &with(Window::default(), &[("outliers", "0")]));
    assert!(scene.notes.iter().all(|said| !said.contains("Marked dark")));
}
