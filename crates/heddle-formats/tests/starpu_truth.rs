//! Real runs of StarPU: the same tasks from every file that describes them, as many as the makers of the samples say.
//!
//! `HEDDLE_TRACES` names the folder of the traces; without it these tests are skipped.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

#[path = "common/starpu.rs"]
mod common;

use common::{Run, counts, open, runs};
use heddle_formats::MemoryFiles;
use heddle_model::{Event, Ns, TaskInfo};
use heddle_testkit::{Folder, sample_traces};

const PLENTY: u64 = 1 << 30;

fn per_type(runs: &[Run]) -> Vec<usize> {
    counts(runs.iter().map(|run| run.of.clone())).into_values().collect()
}

fn kinds(workers: &[heddle_model::Worker]) -> Vec<(String, usize)> {
    counts(workers.iter().map(|worker| worker.kind.clone())).into_iter().collect()
}

#[test]
fn trace_and_records_of_a_run_have_the_same_tasks() {
    let Some(folder) = sample_traces("starpu") else { return };
    let files = Folder(folder.join("lu30_slow0"));
    let trace = open(&files, "paje.trace.gz", PLENTY).unwrap();
    let records = open(&files, "tasks.rec.gz", PLENTY).unwrap();
    assert_eq!((trace.format, records.format), ("paje", "starpu-tasks"));
    let (of_trace, of_records) = (runs(&trace), runs(&records));
    assert_eq!(per_type(&of_trace), [30, 435, 435, 8_555]);
    assert_eq!(of_trace.len(), of_records.len());
    for (one, other) in of_trace.iter().zip(&of_records) {
        // Six decimals of a millisecond against nine.
        assert!((one.start - other.start).abs() <= 1 && (one.end - other.end).abs() <= 1, "{one:?}\n{other:?}");
        assert_eq!((&one.of, one.node, &one.kind), (&other.of, other.node, &other.kind));
        assert_eq!((one.task, &one.waits_for), (other.task, &other.waits_for));
        assert!(one.task.submitted.is_some() && one.task.submitted <= Ns(one.start), "{one:?}");
        assert!(!one.task.tile.contains(&TaskInfo::UNKNOWN) && one.task.iteration < 30, "{one:?}");
    }
    assert_eq!(kinds(&trace.definitions.workers), [("CPU".to_owned(), 90), ("CUDA".to_owned(), 60)]);
    assert_eq!(kinds(&records.definitions.workers), kinds(&trace.definitions.workers));
}

/// A tiled factorisation: nothing begins before what it waits for is done, and what waits is what the algorithm says.
#[test]
fn dependencies_across_processes_are_those_of_the_factorisation() {
    let Some(folder) = sample_traces("starpu") else { return };
    let found = runs(&open(&Folder(folder.join("lu30_slow0")), "tasks.rec.gz", PLENTY).unwrap());
    let end_of: std::collections::BTreeMap<_, _> = found.iter().map(|run| (run.task.id, run)).collect();
    let (mut across, mut without) = (0, 0);
    for run in &found {
        without += usize::from(run.waits_for.is_empty());
        for on in &run.waits_for {
            let before = end_of[on];
            assert!(before.end <= run.start, "{run:?} begins before {before:?} is done");
            across += usize::from(before.node != run.node);
        }
        // The first update of a tile needs its two panels; every later one the update before as well.
        if run.of.ends_with("_22") {
            let expected = if run.task.iteration == 0 { 2 } else { 3 };
            assert_eq!(run.waits_for.len(), expected, "{run:?}");
        }
    }
    assert_eq!(without, 1, "only the first task waits for none");
    assert!(across > 5_000, "{across}");
}

#[test]
fn runs_whose_records_were_trimmed_have_their_tasks() {
    let Some(folder) = sample_traces("starpu") else { return };
    for name in ["lu30_normal", "lu30_gpu01", "lu30_nogpu01", "lu30_allslow"] {
        let files = Folder(folder.join(name));
        let (trace, records) =
            (open(&files, "paje.trace.gz", PLENTY).unwrap(), open(&files, "tasks.rec.gz", PLENTY).unwrap());
        let (of_trace, of_records) = (runs(&trace), runs(&records));
        assert_eq!(per_type(&of_records), [30, 435, 435, 8_555], "{name}");
        for (one, other) in of_trace.iter().zip(&of_records) {
            assert!((one.start - other.start).abs() <= 1 && (one.end - other.end).abs() <= 1, "{one:?}\n{other:?}");
            assert_eq!((&one.of, one.node, one.task.id), (&other.of, other.node, other.task.id));
        }
        assert!(kinds(&records.definitions.workers).iter().all(|(kind, _)| kind.is_empty()), "{name}");
    }
}

#[test]
fn tables_of_starvz_are_whole_runs() {
    let Some(folder) = sample_traces("starpu") else { return };
    let qr = open(&Folder(folder.join("starvz_qr")), "paje.worker_state.csv.gz", PLENTY).unwrap();
    let found = runs(&qr);
    assert_eq!((found.len(), per_type(&found).len()), (4_839, 11));
    assert_eq!(kinds(&qr.definitions.workers), [("CPU".to_owned(), 10)]);
    assert!(found.iter().all(|run| run.node == 0 && run.task.submitted.is_some()));
    assert!(found.iter().filter(|run| !run.waits_for.is_empty()).count() > 4_000);
    assert!(found.iter().all(|run| run.task.tile == [TaskInfo::UNKNOWN; 2]), "a sparse matrix has none");

    let lu = open(&Folder(folder.join("starvz_lu2")), "paje.worker_state.csv.gz", PLENTY).unwrap();
    let found = runs(&lu);
    assert_eq!((found.len(), per_type(&found)), (268, vec![140, 8, 64, 56]));
    assert_eq!(kinds(&lu.definitions.workers), [("CPU".to_owned(), 38)]);
    assert_eq!(counts(found.iter().map(|run| run.node)).len(), 2);
    let received =
        lu.blocks.iter().flat_map(heddle_model::RecordBlock::iter).filter(|(_, event)| matches!(event, Event::Recv(_)));
    assert_eq!(received.count(), 35);
    let by_id: std::collections::BTreeMap<_, _> = found.iter().map(|run| (run.task.id, run.node)).collect();
    let comes_across = |run: &&Run| run.waits_for.iter().any(|on| by_id.get(on).is_some_and(|node| *node != run.node));
    assert!(found.iter().filter(comes_across).count() >= 35);
}

#[test]
fn a_table_of_starvz_alone_knows_nodes_and_workers() {
    let Some(folder) = sample_traces("starpu") else { return };
    let files = MemoryFiles::default();
    files.insert("t.csv.gz", std::fs::read(folder.join("starvz_lu2/paje.worker_state.csv.gz")).unwrap());
    let read = open(&files, "t.csv.gz", PLENTY).unwrap();
    assert_eq!(read.definitions.ranks(), 2);
    assert_eq!(counts(runs(&read).iter().map(|run| run.node)).len(), 2);
    assert_eq!(kinds(&read.definitions.workers), [("CPU".to_owned(), 38)]);
}
