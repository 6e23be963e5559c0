//! Runs of tasks at the command line: folders as traces, what `info` says of them, and their tables.
//!
//! `HEDDLE_TRACES` names the folder of the sample traces; without it those tests are skipped.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::fs;

use common::Place;
use heddle_testkit::sample_traces;
use serde_json::json;

/// Two processes; the task of the second waits for that of the first by way of a message.
const TASKS: &str = "Name: potrf\nJobId: 0_1\nWorkerId: 1\nSubmitTime: 1.0\nStartTime: 2.0\nEndTime: 5.0\nIteration: 3\n\
                     Handles: bb\nModes: RW\nMPIRank: 0\n\n\
                     Name: gemm\nJobId: 1_3\nDependsOn: 1_2\nWorkerId: 0\nSubmitTime: 1.5\nStartTime: 6.0\nEndTime: 7.5\nMPIRank: 1\n\n\
                     Name: _starpu_data_acquire_cb\nJobId: 1_2\nMPIRank: 1\n\n\
                     Name: gemm\nJobId: 1_4\nDependsOn: 1_99\nWorkerId: 0\nStartTime: 8.0\nEndTime: 9.0\nMPIRank: 1\n\n";
const GRAPH: &str =
    "digraph G {\n\"task_0_1\"->\"mpi_5_0\"\n\"mpi_5_0\"->\"task_1_2\"\n\"task_1_2\"->\"task_1_3\"\n}\n";
const DATA: &str = "Handle: bb\nMPIRank: 0\nCoordinates: 4 2\n\n";
const ACTIVITY: &str = "name\t0\tCUDA 0\nname\t1\tCPU 0\nname\t0\tCUDA 0\nname\t1\tCPU 0\n";

fn made() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("run")).unwrap();
    for (name, text) in [("tasks.rec", TASKS), ("dag.dot", GRAPH), ("data.rec", DATA), ("activity.data", ACTIVITY)] {
        fs::write(place.path("run").join(name), text).unwrap();
    }
    place
}

#[test]
fn a_folder_of_records_is_a_trace_with_tables_of_tasks() {
    let place = made();
    let info = place.json(&["info", "--json", "run"]);
    assert_eq!((&info["name"], &info["format"]), (&json!("run"), &json!("starpu-tasks")));
    assert_eq!((&info["tasks"], &info["dependencies"]), (&json!(3), &json!(2)));
    assert_eq!(info["workers"], json!({"CPU": 2, "CUDA": 2}));
    let types: Vec<_> = info["task_types"].as_array().unwrap().iter().map(|one| (&one["name"], &one["runs"])).collect();
    assert_eq!(types, [(&json!("potrf"), &json!(1)), (&json!("gemm"), &json!(2))]);
    let told = place.ok(&["info", "run"]);
    assert!(told.contains("3 tasks of 2 types · 2 CPU workers, 2 CUDA workers · 2 dependencies"), "{told}");
    assert_eq!(
        place.ok(&["export", "run", "--table", "tasks"]),
        "task,type,node,worker,kind,submit_ns,ready_ns,start_ns,end_ns,iteration,tile_row,tile_column\n\
         0_1,potrf,0,0_CPU0,CPU,1000000,,2000000,5000000,3,4,2\n\
         1_3,gemm,1,1_CUDA0,CUDA,1500000,5000000,6000000,7500000,,,\n\
         1_4,gemm,1,1_CUDA0,CUDA,,,8000000,9000000,,,\n"
    );
    assert_eq!(place.ok(&["export", "run", "--table", "dependencies"]), "task,on\n1_3,0_1\n1_4,1_99\n");
}

#[test]
fn a_change_beside_the_trace_is_noticed() {
    let place = made();
    assert_eq!(place.json(&["info", "--json", "run"])["workers"], json!({"CPU": 2, "CUDA": 2}));
    fs::write(place.path("run/activity.data"), ACTIVITY.replace("CUDA", "OpenCL")).unwrap();
    assert_eq!(place.json(&["info", "--json", "run"])["workers"], json!({"CPU": 2, "OpenCL": 2}));
    fs::remove_file(place.path("run/activity.data")).unwrap();
    assert_eq!(place.json(&["info", "--json", "run"])["workers"], json!({"": 2}));
}

#[test]
fn a_folder_with_another_trace_is_not_one_run() {
    let place = made();
    fs::write(place.path("run/other.json"), r#"[{"ph":"X","name":"draw","pid":1,"tid":1,"ts":1,"dur":2}]"#).unwrap();
    place.fails(&["info", "run"], 1, &["2 traces", "tasks.rec", "other.json"]);
    assert_eq!(place.json(&["info", "--json", "run/tasks.rec"])["tasks"], 3);
}

#[test]
fn programs_without_tasks_say_nothing_of_them() {
    let place = Place::new();
    place.simulate("ring", &["--ranks", "2", "--iterations", "2"]);
    assert!(place.json(&["info", "--json", "ring.otf2"])["tasks"].is_null());
    assert_eq!(place.ok(&["export", "ring.otf2", "--table", "dependencies"]), "task,on\n");
}

#[test]
fn folders_of_the_samples_are_whole_runs() {
    let Some(traces) = sample_traces("starpu") else { return };
    let place = Place::new();
    for (name, format, tasks, types, workers) in [
        ("lu30_slow0", "paje", 9_455, 4, json!({"CPU": 90, "CUDA": 60})),
        ("lu30_normal", "paje", 9_455, 4, json!({"CPU": 90, "CUDA": 60})),
        ("starvz_qr", "starvz", 4_839, 11, json!({"CPU": 10})),
        ("starvz_lu2", "starvz", 268, 4, json!({"CPU": 38})),
    ] {
        let folder = traces.join(name);
        let info = place.json(&["info", "--json", folder.to_str().unwrap()]);
        assert_eq!((&info["name"], &info["format"]), (&json!(name), &json!(format)));
        assert_eq!((&info["tasks"], &info["workers"]), (&json!(tasks), &workers), "{name}");
        assert_eq!(info["task_types"].as_array().unwrap().len(), types, "{name}");
        assert!(info["dependencies"].as_u64().unwrap() > 100, "{name}");
        let table = place.ok(&["export", folder.to_str().unwrap(), "--table", "tasks"]);
        assert_eq!(table.lines().count(), tasks + 1, "{name}");
    }
}
