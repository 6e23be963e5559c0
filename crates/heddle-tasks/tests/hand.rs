//! Progression of traces that are written here, task by task.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]
#![allow(clippy::float_cmp, reason = "the end of a line is exactly 1")]

use std::collections::BTreeMap;

use heddle_model::{
    Definitions, Location, LocationId, LocationKind, Ns, Paradigm, Part, Rank, RecordBlock, Region, RegionId, Role,
    TaskId, TaskInfo, Worker,
};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_tasks::{Crew, InFlight, ProgressOptions, Progression, Run, Runs, Weights, WorkKind};
use heddle_testkit::MadeSource;
use proptest::prelude::*;
use tempfile::TempDir;

/// A run of a task.
#[derive(Clone, Debug, Default)]
struct Task {
    of: &'static str,
    id: u64,
    start: i64,
    end: Option<i64>,
    iteration: Option<u32>,
    waits_for: Vec<u64>,
}

fn task(of: &'static str, id: u64, start: i64, end: i64) -> Task {
    Task { of, id, start, end: Some(end), ..Task::default() }
}

/// A worker: its node, kind, and what it ran.
type Hand = (u32, &'static str, Vec<Task>);

fn store(workers: &[Hand]) -> (TempDir, Store) {
    let names: BTreeMap<&str, u32> = {
        let mut names: Vec<&str> = workers.iter().flat_map(|(_, _, tasks)| tasks.iter().map(|task| task.of)).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().zip(0..).collect()
    };
    let locations = workers.iter().enumerate().map(|(at, (node, kind, _))| Location {
        file_id: at as u64,
        name: format!("{node}_{kind}{at}").into(),
        kind: LocationKind::CpuThread,
        parent: None,
        rank: Rank(*node),
    });
    let definitions = Definitions {
        locations: locations.collect(),
        regions: names.keys().map(|name| Region::named(*name, Paradigm::Task, Role::Function)).collect(),
        workers: workers
            .iter()
            .enumerate()
            .map(|(at, (_, kind, _))| Worker { location: LocationId(at as u32), kind: (*kind).to_owned() })
            .collect(),
        ..Definitions::default()
    };
    let parts = MadeSource::part_per_location(&definitions, 64);
    let records = |part: &Part, out: &mut RecordBlock| {
        let (node, _, tasks) = &workers[part.location.index()];
        for task in tasks {
            let region = RegionId(names[task.of]);
            let mut info = TaskInfo::new(TaskId::new(*node, task.id));
            info.iteration = task.iteration.unwrap_or(TaskInfo::UNKNOWN);
            out.enter(Ns(task.start), region);
            out.task(Ns(task.start), info);
            task.waits_for.iter().for_each(|on| out.depends_on(Ns(task.start), TaskId::new(*node, *on)));
            if let Some(end) = task.end {
                out.leave(Ns(end), Some(region));
            }
            out.last = out.last.max(Some(Ns(task.end.unwrap_or(task.start))));
            out.events += 2;
        }
    };
    let directory = tempfile::tempdir().unwrap();
    let source = MadeSource::new(definitions.clone(), parts, records);
    let store = store_simulation(&source, "made", &directory.path().join("made"), 1 << 28, &NoProgress).unwrap();
    (directory, store)
}

fn open(store: &Store, options: &ProgressOptions) -> Progression {
    Progression::open(store, options, &NoProgress).unwrap()
}

fn by(weights: Weights, steps: u32) -> ProgressOptions {
    ProgressOptions { weights, time_steps: heddle_options::Count(steps), ..ProgressOptions::default() }
}

#[track_caller]
fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {expected:?}");
}

/// Two CPUs and a GPU. `a` runs everywhere, `b` on one CPU alone.
fn mixed() -> (TempDir, Store) {
    store(&[
        (0, "CPU", vec![task("a", 1, 0, 40), task("b", 2, 40, 100)]),
        (0, "CPU", vec![task("a", 3, 0, 80)]),
        (0, "CUDA", vec![task("a", 4, 0, 10), task("a", 5, 10, 20), task("a", 6, 20, 30)]),
    ])
}

#[test]
fn equation_1_counts_tasks() {
    let (_directory, store) = mixed();
    let progression = open(&store, &by(Weights::None, 5));
    assert_eq!(progression.times, [0, 20, 40, 60, 80, 100].map(Ns));
    // Ended by then, at the instant itself included: 2, 4, 4, 5, 6 of 6.
    assert_near(progression.line(0), &[0.0, 2.0 / 6.0, 4.0 / 6.0, 4.0 / 6.0, 5.0 / 6.0, 1.0]);
    assert_eq!(progression.tasks, [6]);
}

#[test]
fn equations_2_and_3_weigh_by_kinds_of_workers() {
    let (_directory, store) = mixed();
    let progression = open(&store, &by(Weights::Type, 5));
    // a: two CPUs at a mean of 60 and a GPU at 10. b: two CPUs at 60, though only one of them ran one.
    let (a, b) = (1.0 / (2.0 / 60.0 + 1.0 / 10.0), 60.0 / 2.0);
    let all = 5.0 * a + b;
    assert_near(progression.line(0), &[0.0, 2.0 * a / all, 4.0 * a / all, 4.0 * a / all, 5.0 * a / all, 1.0]);
    assert_eq!(progression.line(0), &progression.pooled[..], "the machine is one node");
}

#[test]
fn equations_2_and_3_weigh_by_workers_as_starvz_does() {
    let (_directory, store) = mixed();
    let progression = open(&store, &by(Weights::Worker, 5));
    // Each worker that ran one counts with its own mean.
    let (a, b) = (1.0 / (1.0 / 40.0 + 1.0 / 80.0 + 1.0 / 10.0), 60.0);
    let all = 5.0 * a + b;
    assert_near(progression.line(0), &[0.0, 2.0 * a / all, 4.0 * a / all, 4.0 * a / all, 5.0 * a / all, 1.0]);
}

#[test]
fn running_tasks_count_in_fractions_if_asked_for() {
    let (_directory, store) = mixed();
    let options = ProgressOptions { in_flight: InFlight::Fraction, ..by(Weights::None, 5) };
    let progression = open(&store, &options);
    let done = [0.0, 2.0 + 0.5 + 0.25, 4.0 + 0.5, 4.0 + 0.75 + 20.0 / 60.0, 5.0 + 40.0 / 60.0, 6.0];
    assert_near(progression.line(0), &done.map(|done| done / 6.0));
}

#[test]
fn each_node_is_measured_by_its_own_work() {
    let (_directory, store) = store(&[
        (0, "CPU", vec![task("a", 1, 0, 50), task("a", 2, 50, 100)]),
        // Half as fast, half as much to do, and a type that the other has not.
        (3, "CPU", vec![task("a", 1, 0, 100)]),
        (3, "CUDA", vec![task("c", 2, 0, 50)]),
        // Nothing to do.
        (7, "CPU", vec![]),
    ]);
    let progression = open(&store, &by(Weights::Type, 2));
    assert_eq!((&progression.nodes[..], &progression.idle[..]), (&[0, 3][..], &[7][..]));
    assert_near(progression.line(0), &[0.0, 0.5, 1.0]);
    assert_near(progression.line(1), &[0.0, 50.0 / 150.0, 1.0]);
    // Its bound is that of its own workers: the CPU needs 100 for its task.
    assert_eq!(progression.bounds.node, [100.0, 100.0]);
    assert_eq!(progression.on_node, [vec![(1, 100), (0, 0)], vec![(1, 100), (1, 50)]]);
    // Pooled: three CPUs, one of them idle.
    assert_eq!(
        progression.kinds.iter().map(|kind| (kind.declared, kind.observed)).collect::<Vec<_>>(),
        [(3, 2), (1, 1)]
    );
    assert_eq!(progression.bounds.workers, [3, 1]);
}

#[test]
fn tasks_without_duration_weigh_nothing_unless_all_are_so() {
    let (_directory, store) = store(&[
        (0, "CPU", vec![task("zero", 1, 0, 0), task("zero", 2, 0, 0), task("long", 3, 0, 100)]),
        (1, "CPU", vec![task("zero", 1, 25, 25), task("zero", 2, 75, 75)]),
    ]);
    for weights in [Weights::Type, Weights::Worker] {
        let progression = open(&store, &by(weights, 4));
        assert_near(progression.line(0), &[0.0, 0.0, 0.0, 0.0, 1.0]);
        assert_near(progression.line(1), &[0.0, 0.5, 0.5, 1.0, 1.0]);
        // One that begins and ends at the first instant is done at it.
        let none = open(&store, &by(Weights::None, 4));
        assert_near(none.line(0), &[2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 1.0]);
    }
}

#[test]
fn a_task_on_several_workers_is_one_task() {
    let (_directory, store) = store(&[
        (0, "CPU", vec![task("p", 1, 0, 40), task("a", 2, 40, 100)]),
        (0, "CPU", vec![task("p", 1, 0, 60)]),
        // The same number on another node is another task.
        (1, "CPU", vec![task("p", 1, 0, 20), task("p", 3, 20, 100)]),
    ]);
    let progression = open(&store, &by(Weights::None, 5));
    assert_eq!(progression.tasks, [2, 2]);
    assert_near(progression.line(0), &[0.0, 0.0, 0.0, 0.5, 0.5, 1.0]);
    assert_near(progression.line(1), &[0.0, 0.5, 0.5, 0.5, 0.5, 1.0]);
    let runs: u64 = progression.types.iter().flat_map(|of| &of.on_kind).map(|on| on.runs).sum();
    assert_eq!(runs, 5, "each run says how long the type takes");
    assert_eq!(
        progression.notes,
        ["1 task ran on several workers at once; each counts once, when its last run ended."]
    );
}

#[test]
fn a_task_that_is_open_at_the_end_ends_with_its_worker() {
    let mut open_end = task("a", 2, 50, 0);
    open_end.end = None;
    let (_directory, store) =
        store(&[(0, "CPU", vec![task("a", 1, 0, 50), open_end]), (0, "CPU", vec![task("b", 3, 0, 80)])]);
    let progression = open(&store, &by(Weights::None, 8));
    assert_eq!(progression.span.1, Ns(80));
    assert_near(progression.line(0), &[0.0, 0.0, 0.0, 0.0, 0.0, 2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 1.0]);
}

/// Runs that no store could hold: one ends before it begins.
struct Backward(Crew);

impl Runs for Backward {
    fn crew(&self) -> &Crew {
        &self.0
    }

    fn visit(&self, _worker: &heddle_tasks::Worker, mut visit: impl FnMut(Run)) {
        for (start, end) in [(0, 100), (80, 40)] {
            visit(Run { of: 0, start, end, id: TaskId::NONE, iteration: TaskInfo::UNKNOWN });
        }
    }
}

#[test]
fn what_ends_before_it_begins_takes_no_time() {
    let (_directory, store) = store(&[]);
    let runs = Backward(Crew::new(vec![RegionId::NONE], vec![(LocationId(0), 4, "CPU".to_owned())]));
    let work = WorkKind::Calls("f".to_owned());
    let progression = Progression::of(&store, &runs, &work, &by(Weights::Type, 5), &NoProgress).unwrap();
    assert_eq!(progression.nodes, [4]);
    assert_eq!(progression.types[0].on_kind[0].total, 100);
    assert_near(progression.line(0), &[0.0, 0.0, 0.0, 0.0, 0.5, 1.0]);
    let note = "1 task ends before it begins, by the clocks of the trace; such tasks count as taking no time.";
    assert_eq!(progression.notes, [note]);
}

#[test]
fn workers_of_unknown_kind_are_said() {
    let (_directory, store) = store(&[(0, "", vec![task("a", 1, 0, 50)]), (0, "CPU", vec![task("a", 2, 0, 30)])]);
    let progression = open(&store, &ProgressOptions::default());
    assert_eq!(progression.notes, ["1 worker is of unknown kind; they count as a kind of their own."]);
    assert_eq!(progression.kinds.iter().map(|kind| &kind.name[..]).collect::<Vec<_>>(), ["", "CPU"]);
}

#[test]
fn an_iteration_is_done_with_its_last_task() {
    let iteration = |number: u32, task: Task| Task { iteration: Some(number), ..task };
    let (_directory, store) = store(&[
        (0, "CPU", vec![iteration(0, task("a", 1, 0, 10)), iteration(1, task("a", 2, 10, 40)), task("a", 3, 40, 100)]),
        (0, "CPU", vec![iteration(0, task("a", 4, 0, 60)), iteration(1, task("a", 5, 60, 80))]),
        (1, "CPU", vec![iteration(0, task("a", 1, 0, 20))]),
    ]);
    let options = ProgressOptions { work: Some("iterations".to_owned()), ..by(Weights::Type, 5) };
    let progression = open(&store, &options);
    assert_eq!(progression.work, WorkKind::Iterations);
    assert_near(progression.line(0), &[0.0, 0.0, 0.0, 0.5, 1.0, 1.0]);
    assert_near(progression.line(1), &[0.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
    assert_near(&progression.pooled, &[0.0, 1.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0, 1.0, 1.0]);
    let tasks = open(&store, &by(Weights::Type, 5));
    assert_eq!(progression.bounds, tasks.bounds, "the machine could be just as fast");

    let (_directory, without) = mixed();
    let why = Progression::impossible(&without, &options).unwrap();
    assert_eq!(why, "The trace does not say which iterations its tasks belong to.");
}

#[test]
fn calls_of_a_function_are_work() {
    let (_directory, store) = mixed();
    let options = ProgressOptions { work: Some("a".to_owned()), ..by(Weights::None, 5) };
    let progression = open(&store, &options);
    assert_eq!(progression.work, WorkKind::Calls("a".to_owned()));
    assert_eq!(progression.tasks, [5]);
    // From the first call to the end of the last.
    assert_eq!(progression.span, (Ns(0), Ns(80)));
    assert_near(progression.line(0), &[0.0, 0.2, 0.6, 0.8, 0.8, 1.0]);
    let unknown = ProgressOptions { work: Some("aa".to_owned()), ..options };
    let why = Progression::impossible(&store, &unknown).unwrap();
    assert_eq!(why, "--work: no function is called aa; did you mean a?");
    assert!(Progression::open(&store, &unknown, &NoProgress).unwrap_err().to_string().contains("did you mean a?"));
}

#[test]
fn a_call_inside_a_call_of_the_same_function_is_part_of_it() {
    let mut outer = task("f", 1, 0, 0);
    outer.end = None;
    let (_directory, store) = store(&[(0, "CPU", vec![outer, task("g", 2, 10, 20), task("f", 3, 20, 90)])]);
    let progression = open(&store, &ProgressOptions { work: Some("f".to_owned()), ..by(Weights::None, 2) });
    assert_eq!(progression.tasks, [1]);
    assert_eq!(progression.types[0].on_kind[0].total, 90);
}

#[test]
fn without_tasks_and_communication_there_is_nothing_to_count() {
    let (_directory, store) = store(&[]);
    let why = Progression::impossible(&store, &ProgressOptions::default()).unwrap();
    assert!(why.starts_with("The trace has neither tasks nor communication"), "{why}");
    for (work, why) in [
        (
            "tasks",
            "The trace has no tasks; --work NAME counts the calls of a function instead, --work steps logical steps.",
        ),
        ("steps", "The trace has no messages and no collectives, so it has no logical steps."),
    ] {
        let options = ProgressOptions { work: Some(work.to_owned()), ..ProgressOptions::default() };
        assert_eq!(Progression::impossible(&store, &options).as_deref(), Some(why));
    }
}

#[test]
fn bounds_count_declared_or_observed_workers() {
    let (_directory, store) =
        store(&[(0, "CPU", vec![task("a", 1, 0, 60), task("a", 2, 60, 120)]), (0, "CPU", vec![])]);
    let bound = |bound_workers| open(&store, &ProgressOptions { bound_workers, ..by(Weights::Type, 2) }).bounds;
    let (declared, observed) =
        (bound(heddle_tasks::BoundWorkers::Declared), bound(heddle_tasks::BoundWorkers::Observed));
    assert_eq!((declared.area, observed.area), (60.0, 120.0));
    assert_near(&declared.steps, &[30.0, 30.0]);
    assert_near(&declared.cumulative(), &[0.0, 30.0, 60.0]);
    assert_eq!((declared.node, observed.node), (vec![60.0], vec![120.0]));
}

#[test]
fn the_longest_chain_takes_each_type_at_its_fastest() {
    let waits = |on: &[u64], task: Task| Task { waits_for: on.to_vec(), ..task };
    // a: 40 on CPUs, 10 on GPUs. b: 30 on CPUs.
    let (_directory, made) = store(&[
        (0, "CPU", vec![task("a", 1, 0, 40), waits(&[1], task("b", 2, 40, 70)), waits(&[2, 4], task("b", 5, 70, 100))]),
        (0, "CUDA", vec![waits(&[99], task("a", 3, 0, 10)), waits(&[3], task("a", 4, 10, 20))]),
    ]);
    let bounds = open(&made, &ProgressOptions::default()).bounds;
    let chain = bounds.dependencies.clone().unwrap();
    assert_eq!((bounds.chain, chain.tasks, chain.cyclic, chain.missing), (Some(10.0 + 30.0 + 30.0), 3, 0, 1));
    assert_eq!(open(&made, &ProgressOptions::default()).notes, ["1 dependency is on tasks that are not in the trace."]);

    let (_directory, cyclic) = store(&[(
        0,
        "CPU",
        vec![waits(&[2], task("a", 1, 0, 10)), waits(&[1], task("a", 2, 10, 20)), waits(&[2], task("a", 3, 20, 30))],
    )]);
    let progression = open(&cyclic, &ProgressOptions::default());
    assert_eq!(progression.bounds.chain, Some(10.0));
    let note = &progression.notes[0];
    assert!(note.starts_with("2 tasks wait for themselves, if only through others, for example 0_"), "{note}");

    let (_directory, without) = mixed();
    assert_eq!(open(&without, &ProgressOptions::default()).bounds.chain, None);
}

#[test]
fn what_is_kept_is_what_was_found() {
    let (_directory, store) = mixed();
    let options = by(Weights::Type, 7);
    assert_eq!(Progression::find(&store, &options), None);
    let progression = open(&store, &options);
    assert_eq!(Progression::find(&store, &options), Some(progression));
    assert_eq!(Progression::find(&store, &by(Weights::None, 7)), None, "options decide");
}

/// Somebody who has had enough.
struct Enough;

impl heddle_store::Progress for Enough {
    fn begin(&self, _work: heddle_store::Work, _total: u64) {}

    fn advance(&self, _done: u64) {}

    fn waiting(&self) {}

    fn is_cancelled(&self) -> bool {
        true
    }
}

#[test]
fn it_can_be_stopped_and_leaves_nothing() {
    let (_directory, store) = mixed();
    let options = ProgressOptions::default();
    let stopped = Progression::open(&store, &options, &Enough);
    assert!(matches!(stopped, Err(heddle_store::StoreError::Cancelled)), "{stopped:?}");
    assert_eq!(Progression::find(&store, &options), None);
}

#[test]
fn threads_change_no_bit() {
    let mut chance = heddle_testkit::Chance(3);
    let work: Vec<Hand> = (0..300)
        .map(|worker| {
            let mut now = 0;
            let tasks = (0..20).map(|id| {
                let (start, length) = (now + chance.below(1000) as i64, chance.below(5000) as i64);
                now = start + length;
                task(["a", "b", "c"][chance.below(3)], 20 * worker + id, start, now)
            });
            (worker as u32 / 2, ["CPU", "CUDA"][worker as usize % 2], tasks.collect())
        })
        .collect();
    let (_directory, store) = store(&work);
    let options = ProgressOptions { in_flight: InFlight::Fraction, ..by(Weights::Worker, 37) };
    let found = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let runs = heddle_tasks::TaskRuns::new(&store, false, &NoProgress).unwrap();
            Progression::of(&store, &runs, &WorkKind::Tasks, &options, &NoProgress).unwrap()
        })
    });
    assert!(found[0] == found[1] && found[0] == found[2]);
}

#[test]
fn outliers_are_those_of_type_and_kind() {
    let mut tasks: Vec<Task> = (0..20).map(|at| task("a", at, 100 * at as i64, 100 * at as i64 + 40)).collect();
    tasks.push(task("a", 20, 2000, 2095));
    let (_directory, store) = store(&[(0, "CPU", tasks), (0, "CUDA", vec![task("a", 50, 0, 5)])]);
    let types = open(&store, &ProgressOptions::default()).types;
    assert_eq!(types[0].outliers, [1, 0]);
    assert_eq!(types[0].fences[0], Some((39, 41)));
}

/// Random work for three nodes with two workers each.
fn random_work() -> impl Strategy<Value = Vec<Hand>> {
    let kinds = ["a", "b", "c"];
    let tasks = prop::collection::vec((0..3usize, 0..50i64, 0..50i64), 0..12);
    prop::collection::vec(tasks, 6).prop_map(move |workers| {
        let mut id = 0;
        let of_worker = |(at, tasks): (usize, Vec<(usize, i64, i64)>)| {
            let mut now = 0;
            let tasks = tasks.into_iter().map(|(of, gap, length)| {
                (now, id) = (now + gap + length, id + 1);
                task(kinds[of], id, now - length, now)
            });
            (at as u32 / 2, if at % 2 == 0 { "CPU" } else { "CUDA" }, tasks.collect())
        };
        workers.into_iter().enumerate().map(of_worker).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn lines_rise_from_nothing_to_everything(work in random_work(), steps in 1..30u32, is_fraction: bool, by_worker: bool) {
        prop_assume!(work.iter().any(|(_, _, tasks)| !tasks.is_empty()));
        let in_flight = if is_fraction { InFlight::Fraction } else { InFlight::Step };
        let weights = if by_worker { Weights::Worker } else { Weights::Type };
        let (_directory, store) = store(&work);
        let progression = open(&store, &ProgressOptions { in_flight, ..by(weights, steps) });
        prop_assert_eq!(progression.nodes.len() + progression.idle.len(), 3);
        for node in 0..progression.nodes.len() {
            let line = progression.line(node);
            prop_assert!(line.windows(2).all(|pair| pair[0] <= pair[1]), "{:?}", line);
            prop_assert!(line.iter().all(|value| (0.0..=1.0).contains(value)));
            prop_assert_eq!(*line.last().unwrap(), 1.0);
        }
        prop_assert_eq!(*progression.pooled.last().unwrap(), 1.0);
        // The bound is one: no run is faster, and steps take no less than the whole.
        prop_assert!(progression.bounds.area <= progression.makespan() as f64 * (1.0 + 1e-9));
        prop_assert!(progression.bounds.steps.iter().sum::<f64>() >= progression.bounds.area * (1.0 - 1e-9));
    }

    #[test]
    fn scaling_time_changes_no_progress(work in random_work(), factor in 2..50i64) {
        prop_assume!(work.iter().any(|(_, _, tasks)| !tasks.is_empty()));
        let slower: Vec<Hand> = work.iter().map(|(node, kind, tasks)| {
            let slow = |task: &Task| Task { start: task.start * factor, end: task.end.map(|end| end * factor), ..task.clone() };
            (*node, *kind, tasks.iter().map(slow).collect())
        }).collect();
        let (_first, store_one) = store(&work);
        let (_second, store_two) = store(&slower);
        let (one, two) = (open(&store_one, &by(Weights::Type, 10)), open(&store_two, &by(Weights::Type, 10)));
        for node in 0..one.nodes.len() {
            let apart = one.line(node).iter().zip(two.line(node)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            prop_assert!(apart < 1e-12);
        }
        prop_assert!((two.bounds.area - one.bounds.area * factor as f64).abs() <= 1e-9 * two.bounds.area);
    }
}
