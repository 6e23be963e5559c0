//! What StarPU's and StarVZ's files say about tasks, on runs small enough to write by hand.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

#[path = "common/starpu.rs"]
mod common;

use common::{ACTIVITY, GRAPH, TASKS, counts, files, open, runs, starvz};
use heddle_formats::MemoryFiles;
use heddle_model::{Ns, TaskId, TaskInfo, WarningKind};
use heddle_testkit::ReadTrace;

const PLENTY: u64 = 1 << 28;

fn of(text: &str) -> ReadTrace {
    let files = MemoryFiles::default();
    files.insert("x", text.as_bytes().to_vec());
    open(&files, "x", PLENTY).unwrap()
}

/// The warnings as text.
fn said(read: &ReadTrace) -> String {
    let line = |warning: &heddle_model::Warning| format!("{} × {}: {}", warning.count, warning.place, warning.text);
    read.warnings.to_vec().iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn records_of_tasks_are_a_trace() {
    let read = open(&files(), "tasks.rec", PLENTY).unwrap();
    assert_eq!((read.format, read.definitions.ranks()), ("starpu-tasks", 2));
    let found = runs(&read);
    let short: Vec<_> = found.iter().map(|run| (run.of.as_str(), run.worker.as_str(), run.start, run.end)).collect();
    // The clock's zero is the trace's.
    assert_eq!(
        short,
        [
            ("potrf", "0_CPU0", 2_000_000, 5_000_000),
            ("gemm", "0_CUDA0_0", 6_000_000, 7_500_000),
            ("trsm", "1_CPU0", 9_000_000, 11_000_000)
        ]
    );
    assert_eq!(
        found.iter().map(|run| (run.node, run.kind.as_str())).collect::<Vec<_>>(),
        [(0, "CPU"), (0, "CUDA"), (1, "CPU")]
    );
    assert_eq!(
        found[0].task,
        TaskInfo { id: TaskId::new(0, 1), submitted: Ns(1_000_000), ready: Ns::NONE, iteration: 3, tile: [4, 2] }
    );
    let waits: Vec<_> = found.iter().map(|run| run.waits_for.clone()).collect();
    // Through data and through the message; `1_2` waits for a job that is described nowhere, too.
    assert_eq!(waits, [vec![], vec![TaskId::new(0, 1)], vec![TaskId::new(0, 1), TaskId::new(1, 1)]]);
    let workers: Vec<_> = read.definitions.workers.iter().map(|worker| worker.kind.as_str()).collect();
    assert_eq!(workers, ["CUDA", "CPU", "CUDA", "CPU"], "also one that ran nothing");
    let said = said(&read);
    assert!(said.contains("1 × tasks.rec: tasks wait for jobs that nothing describes"), "{said}");
}

#[test]
fn records_without_anything_beside_them_say_what_is_missing() {
    let read = of(TASKS);
    let found = runs(&read);
    assert_eq!(found.iter().map(|run| run.worker.as_str()).collect::<Vec<_>>(), ["0_w1", "0_w0", "1_w1"]);
    assert!(found.iter().all(|run| run.kind.is_empty()));
    assert_eq!(found[0].task.tile, [TaskInfo::UNKNOWN; 2]);
    assert_eq!(found[2].waits_for, [TaskId::new(1, 1)], "kept, though nothing tells what it is");
    let said = said(&read);
    assert!(said.contains("activity.data") && said.contains("3 × x: what kind of resource"), "{said}");
}

#[test]
fn programs_of_one_process_have_no_numbers_before_their_jobs() {
    let read = of("Name: a\nJobId: 1\nWorkerId: 0\nStartTime: 1.0\nEndTime: 2.0\nMPIRank: -1\n\n\
                   Name: b\nJobId: 2\nDependsOn: 1\nWorkerId: 0\nStartTime: 2.0\nEndTime: 3.0\nMPIRank: -1\n");
    let found = runs(&read);
    assert_eq!(found.iter().map(|run| run.worker.as_str()).collect::<Vec<_>>(), ["w0", "w0"]);
    assert_eq!(found[1].waits_for, [TaskId::new(0, 1)]);
    assert_eq!(read.definitions.world.len(), 0);
}

#[test]
fn one_job_on_several_workers_runs_on_all_of_them() {
    let record =
        |worker: u32| format!("Name: a\nJobId: 0_1\nWorkerId: {worker}\nStartTime: 1\nEndTime: 2\nMPIRank: 0\n\n");
    let found = runs(&of(&(record(0) + &record(1) + &record(1))));
    let short: Vec<_> = found.iter().map(|run| (run.worker.as_str(), run.start, run.end)).collect();
    assert_eq!(short, [("0_w0", 1_000_000, 2_000_000), ("0_w1", 1_000_000, 2_000_000), ("0_w1", 1_000_000, 2_000_000)]);
}

#[test]
fn runs_that_overlap_keep_their_ends() {
    let record = |job: u32, start: u32, end: u32| {
        format!("Name: a\nJobId: 0_{job}\nWorkerId: 0\nStartTime: {start}\nEndTime: {end}\nMPIRank: 0\n\n")
    };
    // The second begins inside of the first and ends after it, the third lies inside of the second.
    let read = of(&[record(3, 15, 18), record(1, 10, 14), record(2, 12, 20), record(4, 30, 28)].concat());
    let times: Vec<_> = runs(&read).iter().map(|run| (run.start / 1_000_000, run.end / 1_000_000)).collect();
    assert_eq!(times, [(10, 14), (14, 20), (15, 18), (30, 30)]);
    assert_eq!(read.warnings.count(WarningKind::CrossingRegions), 2);
    assert!(said(&read).contains("1 × x, line 22: tasks that end before they begin"), "{}", said(&read));
}

#[test]
fn damage_is_named_and_what_is_sound_is_kept() {
    let damaged =
        TASKS.replace("JobId: 0_3", "JobId: 0_x").replace("MemoryNode: 0", "MemoryNode").replace("2.000000\n", "two\n");
    let read = of(&damaged);
    assert_eq!(runs(&read).iter().map(|run| run.of.as_str()).collect::<Vec<_>>(), ["trsm"]);
    let said = said(&read);
    assert!(said.contains("2 × x, line 8: jobs without a number"), "{said}");
    assert!(said.contains("1 × x, line 14: lines that are no field"), "{said}");
    // A file that was cut: what comes before is kept, half a number is not taken for one.
    let cut = of(&TASKS[..TASKS.find("1.000000\nMPIRank: 1\n").unwrap() + 3]);
    assert_eq!(runs(&cut).len(), 2);
    assert_eq!(cut.warnings.count(WarningKind::Truncated), 1);
}

#[test]
fn a_damaged_graph_costs_its_lines() {
    let files = files();
    let damaged =
        GRAPH.replace("\"mpi_7_0\"->\"task_1_2\"", "\"mpi_7_0\"->\"task_1_2") + "\"task_0_3\"->\"task_0_3\"\n";
    files.insert("dag.dot", damaged.into_bytes());
    let read = open(&files, "tasks.rec", PLENTY).unwrap();
    assert_eq!(runs(&read)[2].waits_for, [TaskId::new(1, 1)], "the way through the message is lost");
    let said = said(&read);
    assert!(said.contains("1 × dag.dot, line 13: lines of the graph"), "{said}");
    assert!(said.contains("1 × tasks.rec: tasks wait for themselves"), "{said}");
}

#[test]
fn a_paje_trace_is_completed_by_what_lies_beside_it() {
    let paje = "%EventDef PajeDefineContainerType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n\
        %EventDef PajeDefineStateType 3\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n\
        %EventDef PajeCreateContainer 7\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n\
        %EndEventDef\n%EventDef PajeSetState 10\n% Time date\n% Container string\n% Type string\n% Value string\n\
        %EndEventDef\n%EventDef PajeSetState 20\n% Time date\n% Container string\n% Type string\n% Value string\n\
        % JobId string\n% X string\n% Y string\n% Iteration string\n%EndEventDef\n\
        1 P 0 Program\n1 W P Worker\n3 WS W \"Worker State\"\n7 0.0 p0 P 0 0_program\n7 0.0 p1 P 0 1_program\n\
        7 0.0 0_w1 W p0 0_CPU0\n7 0.0 0_w0 W p0 0_CUDA0_0\n7 0.0 1_w1 W p1 1_CPU0\n\
        20 2.0 0_w1 WS potrf 0_1 0 0 -1\n10 5.0 0_w1 WS Idle\n20 6.0 0_w0 WS gemm 0_3 0 0 -1\n10 7.5 0_w0 WS Idle\n\
        20 8.0 0_w0 WS Idle 0_4 0 0 -1\n20 9.0 1_w1 WS trsm 1_3 0 0 -1\n10 11.0 1_w1 WS Idle\n20 12.0 1_w1 WS gemm 1_8 0 0 -1\n\
        10 13.0 1_w1 WS Idle\n";
    let files = files();
    files.insert("paje.trace", paje.as_bytes().to_vec());
    let read = open(&files, "paje.trace", PLENTY).unwrap();
    let found = runs(&read);
    let alone = runs(&open(&files, "tasks.rec", PLENTY).unwrap());
    let ours: Vec<_> = found.iter().filter(|run| run.task.id != TaskId::new(1, 8)).cloned().collect();
    assert_eq!(ours, alone, "the same table from both; the runtime's own state is no task");
    assert!(said(&read).contains("1 × tasks.rec: tasks of the trace are not described"), "{}", said(&read));
    // Under another name nothing says that the records are of the same run.
    files.insert("other.trace", paje.as_bytes().to_vec());
    let plain = runs(&open(&files, "other.trace", PLENTY).unwrap());
    assert!(plain.iter().all(|run| run.waits_for.is_empty() && run.task.submitted == Ns::NONE));
    assert!(plain.iter().all(|run| run.task.tile == [TaskInfo::UNKNOWN; 2]), "0 and 0 everywhere is not a tile");
    // The graph alone tells dependencies, and by its labels what ran.
    files.remove("tasks.rec");
    let graph = runs(&open(&files, "paje.trace", PLENTY).unwrap());
    assert_eq!(graph[1].waits_for, [TaskId::new(0, 1)]);
}

#[test]
fn a_folder_of_starvz_is_one_trace() {
    let read = open(&starvz(), "paje.worker_state.csv", PLENTY).unwrap();
    assert_eq!((read.format, read.definitions.ranks()), ("starvz", 2));
    let found = runs(&read);
    // Its first row is the trace's zero.
    let short: Vec<_> =
        found.iter().map(|run| (run.of.as_str(), run.node, run.kind.as_str(), run.start, run.end)).collect();
    assert_eq!(short, [("potrf", 0, "CPU", 1_000_000, 4_000_000), ("trsm", 1, "CUDA", 8_000_000, 10_000_000)]);
    assert_eq!(found[1].waits_for, [TaskId::new(0, 1)]);
    assert_eq!((found[0].task.submitted, found[0].task.iteration, found[0].task.tile), (Ns(0), 3, [4, 2]));
    let kinds = counts(read.definitions.workers.iter().map(|worker| worker.kind.as_str()));
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), [("CPU", 2), ("CUDA", 1)], "with the one that did nothing");
    let metrics: Vec<_> = read.definitions.metrics.iter().map(|metric| metric.name.as_str()).collect();
    assert_eq!(metrics, ["Number of Ready Tasks"]);
    let sends = read
        .blocks
        .iter()
        .flat_map(heddle_model::RecordBlock::iter)
        .filter(|(_, event)| matches!(event, heddle_model::Event::Send(_)));
    assert_eq!(sends.count(), 1);
}

#[test]
fn workers_of_another_run_are_not_believed() {
    let files = starvz();
    let entities = String::from_utf8(files.get("entities.csv").unwrap()).unwrap();
    files.insert("entities.csv", entities.replace("1_CUDA0_0", "1_CUDA7_0").into_bytes());
    let read = open(&files, "paje.worker_state.csv", PLENTY).unwrap();
    assert_eq!(read.definitions.workers.len(), 2);
    assert!(said(&read).contains("entities.csv, without 1_CUDA0_0"), "{}", said(&read));
}

#[test]
fn damage_in_a_table_of_starvz_is_named() {
    let files = starvz();
    let states = String::from_utf8(files.get("paje.worker_state.csv").unwrap()).unwrap();
    files.insert("paje.worker_state.csv", states.replace("9.000000, 11.000000", "nine, 11.000000").into_bytes());
    files.insert("dag.csv", b"Dependent,JobId\n0_1,0_2\n0_2\n".to_vec());
    files.insert("rec.tasks.csv", b"JobId,Name,SubmitTime\n0_1,potrf,1.0\n0_x,trsm,1.0\n".to_vec());
    let read = open(&files, "paje.worker_state.csv", PLENTY).unwrap();
    assert_eq!(runs(&read).len(), 1);
    let said = said(&read);
    for text in ["paje.worker_state.csv, line 6: rows", "dag.csv, line 3: lines", "rec.tasks.csv, line 3: jobs"] {
        assert!(said.contains(text), "{text}: {said}");
    }
}

#[test]
fn little_memory_changes_nothing_but_what_does_not_fit() {
    let mut text = String::new();
    for at in 0..20_000u32 {
        let (worker, start) = (at % 3, u64::from(at) * 7919 % 20_000);
        text += &format!(
            "Name: t{}\nJobId: {}_{at}\nDependsOn: {}_{}\nWorkerId: {worker}\nStartTime: {start}\nEndTime: {start}.5\nMPIRank: {}\n\n",
            at % 5,
            at % 4,
            at % 4,
            at.saturating_sub(4),
            at % 4
        );
    }
    let files = MemoryFiles::default();
    files.insert("tasks.rec", text.into_bytes());
    let plenty = runs(&open(&files, "tasks.rec", PLENTY).unwrap());
    let little = open(&files, "tasks.rec", 1 << 20).unwrap();
    assert_eq!(plenty.len(), 20_000);
    let times = |runs: &[common::Run]| runs.iter().map(|run| (run.task.id, run.start, run.end)).collect::<Vec<_>>();
    assert_eq!(times(&runs(&little)), times(&plenty));
    assert!(said(&little).contains("allow more with --memory"), "{}", said(&little));
    assert!(ACTIVITY.contains("CUDA"));
}
