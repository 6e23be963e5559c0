//! What counts as work in programs without tasks.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

use std::sync::Arc;

use heddle_logical::{Logical, LogicalOptions};
use heddle_options::Given;
use heddle_simulate::{HaloOptions, Machine, halo};
use heddle_store::{NoProgress, Store, store_simulation};
use heddle_tasks::{Progression, WorkKind};
use heddle_view::{Analysis, AnalysisKind, Framing, Need, Trace, View, ViewRequest, Window};

mod common;
use common::{Call, Calls, request};

fn need(store: &Store, work: Option<&str>) -> Need {
    let given = Given::by_program(work.map(|work| ("work".to_owned(), work.to_owned())));
    AnalysisKind::Progress.need(store, &given).unwrap()
}

fn open(store: &Store, work: Option<&str>) -> Arc<Progression> {
    let need = need(store, work);
    assert_eq!(need.impossible(store), None);
    match need.open(store, None, &NoProgress).unwrap() {
        Analysis::Progress(progression, _) => progression,
        _ => panic!("something else"),
    }
}

fn simulated() -> (tempfile::TempDir, Store) {
    let options = HaloOptions { ranks: 4, iterations: 12, ..HaloOptions::default() };
    let source = halo(&options, &Machine::default()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let store = store_simulation(&source, "halo", &directory.path().join("halo"), 1 << 28, &NoProgress).unwrap();
    (directory, store)
}

#[test]
fn without_tasks_logical_steps_are_work() {
    let (_directory, store) = simulated();
    assert!(need(&store, None).find(&store, None).is_none());
    let progression = open(&store, None);
    assert_eq!(progression.work, WorkKind::Steps);
    assert_eq!(progression.nodes, [0, 1, 2, 3]);
    let logical = Logical::open(&store, &LogicalOptions::default(), &NoProgress).unwrap();
    assert_eq!(progression.tasks.iter().sum::<u64>(), logical.events.len());
    for (node, row) in (0..4).map(|row| (row as usize, row)) {
        let left = |at: usize| {
            let events = logical.events_of(row);
            let all = events.end - events.start;
            let time = progression.times[at];
            logical.events.leave.iter(events).filter(|leave| *leave <= time).count() as f64 / all as f64
        };
        let expected: Vec<f64> = (0..progression.times.len()).map(left).collect();
        assert_eq!(progression.line(node), expected);
    }
    // Calls that wait say nothing about how fast a machine could be.
    assert!(!progression.bounds.is_known);
    assert!(need(&store, None).find(&store, None).is_some(), "kept");
    assert_eq!(open(&store, Some("steps")).pooled, progression.pooled);
}

#[test]
fn without_tasks_nobody_is_called_idle_and_no_bound_is_explained() {
    let (_directory, store) = simulated();
    let trace = || Trace { progress: Some(open(&store, None)), ..Trace::from(&store) };
    let figure = ViewRequest { framing: Framing::Figure, ..request(Window::default()) };
    let gantt = View::Gantt.scene(trace(), &figure);
    assert!(gantt.notes[0].starts_with("The trace has no tasks"), "{:?}", gantt.notes);
    assert!(gantt.legend.is_empty());
    let progress = View::Progress.scene(trace(), &figure);
    assert!(!progress.labels.iter().any(|label| label.text.contains("bound")));
}

#[test]
fn calls_of_a_function_are_work_in_any_trace() {
    let (_directory, store) = simulated();
    let progression = open(&store, Some("compute"));
    assert_eq!(progression.tasks, [12; 4]);
    assert!(progression.bounds.is_known && progression.bounds.area <= progression.makespan() as f64);
    let why = need(&store, Some("computes")).impossible(&store).unwrap();
    assert_eq!(why, "--work: no function is called computes; did you mean compute?");
}

#[test]
fn a_trace_of_calls_alone_says_how_to_count_them() {
    let (_directory, store) = Calls::new(vec![vec![Call(0, 0, 10, vec![])]]).store();
    let why = need(&store, None).impossible(&store).unwrap();
    assert!(why.contains("neither tasks nor communication") && why.contains("--work NAME"), "{why}");
    assert_eq!(open(&store, Some("main")).tasks, [1]);
}
