//! What the tests of StarPU's and StarVZ's files share: runs of tasks as people would list them, and a run written by hand.

#![allow(dead_code, reason = "each test binary uses a part of this")]
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::collections::BTreeMap;

use heddle_formats::{Files, MemoryFiles, OpenError, head, recognise};
use heddle_model::{Event, Rank, TaskId, TaskInfo};
use heddle_testkit::{ReadTrace, with_input};

/// The run of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) of: String,
    pub(crate) node: u32,
    pub(crate) worker: String,
    pub(crate) kind: String,
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) task: TaskInfo,
    pub(crate) waits_for: Vec<TaskId>,
}

/// Opens a file among others by what it begins with.
pub(crate) fn open(files: &dyn Files, name: &str, memory: u64) -> Result<ReadTrace, OpenError> {
    let format = recognise(&head(files, name, heddle_formats::HEAD).unwrap()).unwrap();
    with_input(files, &[name], memory, |input| format.open(input).map(|source| ReadTrace::of(&*source)))
}

/// All runs, by task.
pub(crate) fn runs(read: &ReadTrace) -> Vec<Run> {
    let kinds: BTreeMap<u32, &str> =
        read.definitions.workers.iter().map(|worker| (worker.location.0, worker.kind.as_str())).collect();
    let mut runs: Vec<Run> = Vec::new();
    for (at, block) in read.blocks.iter().enumerate() {
        let location = &read.definitions.locations[at];
        let mut open: Vec<(String, i64, Option<usize>)> = Vec::new();
        for (time, event) in block.iter() {
            match event {
                Event::Enter(region) => {
                    open.push((read.definitions.regions[region.index()].name.clone(), time.0, None));
                }
                Event::Leave(_) => {
                    if let (_, _, Some(run)) = open.pop().unwrap() {
                        runs[run].end = time.0;
                    }
                }
                Event::Task(task) => {
                    let (of, start, run) = open.last_mut().unwrap();
                    *run = Some(runs.len());
                    runs.push(Run {
                        of: of.clone(),
                        node: if location.rank == Rank::NONE { 0 } else { location.rank.0 },
                        worker: location.name.to_string(),
                        kind: (*kinds.get(&(at as u32)).unwrap_or(&"none")).to_owned(),
                        start: *start,
                        end: *start,
                        task,
                        waits_for: Vec::new(),
                    });
                }
                Event::DependsOn(on) => runs.last_mut().unwrap().waits_for.push(on),
                _ => {}
            }
        }
    }
    runs.sort_by_key(|run| (run.task.id, run.start, run.worker.clone()));
    runs
}

/// How often each occurs.
pub(crate) fn counts<T: Ord>(all: impl Iterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    all.for_each(|one| *counts.entry(one).or_default() += 1);
    counts
}

/// Two processes with a GPU and a CPU each. Task 1 of process 0 is awaited, by way of acquired data and a message, by task 3
/// of process 1.
pub(crate) const TASKS: &str = "\
Control: WontUse
JobId: 9
SubmitOrder: 2
SubmitTime: 0.500000
Handles: aa
MPIRank: 0

Name: potrf
Model: potrf
JobId: 0_1
SubmitOrder: 1
Priority: 1
WorkerId: 1
MemoryNode: 0
SubmitTime: 1.000000
StartTime: 2.000000
EndTime: 5.000000
Footprint: cea37d6d
Iteration: 3 1
Handles: aa bb
Modes: R RW
Sizes: 8 8
MPIRank: 0

Name: _starpu_data_acquire_cb_pre
JobId: 0_2
SubmitOrder: 2
DependsOn: 0_1
DepLabels: task
SubmitTime: 1.100000
MPIRank: 0

Name: gemm
JobId: 0_3
SubmitOrder: 3
DependsOn: 0_2 0_1
WorkerId: 0
SubmitTime: 1.200000
StartTime: 6.000000
EndTime: 7.500000
MPIRank: 0

JobId: 1_2
DependsOn: 1_1
MPIRank: 1

Name: trsm
JobId: 1_3
DependsOn: 1_2
WorkerId: 1
SubmitTime: 1.000000
StartTime: 9.000000
EndTime: 11.000000
MPIRank: 1

";

/// The graph of the same.
pub(crate) const GRAPH: &str = "\
digraph G {
	color=white
	rankdir=LR;
subgraph cluster_0 {
	 \"task_0_1\" [ style=filled, label=\"potrf\", fillcolor=\"#aaaaaa\"]
	 \"task_0_1\"->\"task_0_2\"
	 \"task_0_2\" [ style=filled, label=\"_starpu_data_acquire_cb_pre\", fillcolor=\"#aaaaaa\"]
	 \"task_0_3\" [ style=filled, label=\"gemm\", fillcolor=\"#aaaaaa\"]
	 \"task_0_2\"->\"task_0_3\"
	 \"task_0_1\"->\"task_0_3\"
}
	 \"task_0_2\"->\"mpi_7_0\"
	 \"mpi_7_0\"->\"task_1_2\"
}
";

/// The data of the same.
pub(crate) const DATA: &str = "\
Handle: aa
MPIRank: 0
Coordinates: 9 9

Handle: bb
HomeNode: 0
MPIRank: 0
Size: 8
Coordinates: 4 2
MPIOwner: 0

";

/// The workers of the same.
pub(crate) const ACTIVITY: &str = "\
name\t0\tCUDA 0.0 (Tesla 1.0 GiB)\nname\t1\tCPU 0\ncnt_ready\t1.0\t1\nname\t0\tCUDA 0.0\nname\t1\tCPU 0\n";

/// All of it.
pub(crate) fn files() -> MemoryFiles {
    let files = MemoryFiles::default();
    for (name, text) in [("tasks.rec", TASKS), ("dag.dot", GRAPH), ("data.rec", DATA), ("activity.data", ACTIVITY)] {
        files.insert(name, text.as_bytes().to_vec());
    }
    files
}

/// A folder of StarVZ with two nodes.
pub(crate) fn starvz() -> MemoryFiles {
    let files = MemoryFiles::default();
    for (name, text) in [
        (
            "paje.worker_state.csv",
            "Nature, ResourceId, Type, Start, End, Duration, Depth, Value, Size, Params, Footprint, Tag, JobId, SubmitOrder, \
             GFlop, X, Y, Iteration, Subiteration\n\
             State, 0_CPU0, Worker State, 1.000000, 2.000000, 1.0, 0.000000, Idle\n\
             State, 0_CPU0, Worker State, 2.000000, 2.000000, 0.0, 0.000000, potrf\n\
             State, 0_CPU0, Worker State, 2.000000, 5.000000, 3.0, 0.000000, potrf, 8, P, c, 0, 0_1, 0_1, 0.0, 4, 2, 3, -1\n\
             State, 0_CPU0, Worker State, 5.000000, 6.000000, 1.0, 0.000000, Idle, , , , , 0_9\n\
             State, 1_CUDA0_0, Worker State, 9.000000, 11.000000, 2.0, 0.000000, trsm, 8, P, c, 0, 1_3\n",
        ),
        (
            "rec.tasks.csv",
            "Control,JobId,SubmitTime,MPIRank,Name,WorkerId,StartTime,EndTime,DependsOn\n\
             WontUse,9,0.5,0,,,,,\n,0_1,1.0,0,potrf,0,2.0,5.0,\n,0_2,1.1,0,_starpu_data_acquire,,,,0_1\n\
             ,1_2,,1,,,,,\n,1_3,1.0,1,trsm,0,9.0,11.0,1_2\n",
        ),
        ("dag.csv", "Dependent,JobId\n0_1,0_2\ntag_5,0_1->tag_5[style=dashed]\n0_2,mpi_7_0\nmpi_7_0,1_2\n1_2,1_3\n"),
        (
            "entities.csv",
            "Parent, Name, Type, Nature\n0, 0, 0, Container\n0_T1, 0_CPU0, Worker, Container\n\
             0_T2, 0_CPU1, Worker, Container\n1_T1, 1_CUDA0_0, Worker, Container\n0_CPU0, Worker State, Worker State, State\n",
        ),
        (
            "paje.link.csv",
            "Nature, Container, Type, Start, End, Duration, Size, Origin, Dest, Key, Tag\n\
             Link, root, MPI communication, 5.5, 8.0, 2.5, 800, 0_mpict, 1_mpict, mpicom_0, 7\n",
        ),
        (
            "paje.variable.csv",
            "Nature, ResourceId, Type, Start, End, Duration, Value\n\
             Variable, 0_scheduler, Number of Ready Tasks, 1.0, 4.0, 3.0, 2.000000\n",
        ),
        (
            "paje.other_state.csv",
            "Nature, ResourceId, Type, Start, End, Duration, Depth, Value\n\
             State, 0_CPU0, InCtx1, 2.0, 5.0, 3.0, 0.000000, potrf, 8, P, c, 0, 0_1, 0_1\n",
        ),
    ] {
        files.insert(name, text.as_bytes().to_vec());
    }
    files
}
