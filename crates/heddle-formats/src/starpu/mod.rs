//! What StarPU says about tasks, wherever it says it: in the fields of a Paje trace, in tables made from one, and in the
//! records beside it.

mod activity;
pub(crate) mod beside;
mod dot;
mod graph;
mod jobs;
pub mod processed;
pub mod starvz;
pub mod tasks;
pub(crate) mod text;

use heddle_model::{TaskId, TaskInfo};

use beside::{names_beside, plain_name};

/// The main file of a folder that StarPU's converter wrote.
const MAIN: &str = "paje.trace";

/// Main files of folders that are one run, the one that tells most first.
pub const MAINS: [&str; 4] = [MAIN, starvz::MAIN, processed::MAIN, tasks::MAIN];

/// Names of the files that belong to a trace of StarPU or tables of StarVZ beside its main file, whether they are there or
/// not.
pub fn companions(main: &str) -> Vec<String> {
    let files: &[&str] = match plain_name(main) {
        MAIN => &["tasks.rec", "dag.dot", "data.rec"],
        tasks::MAIN => &["dag.dot", "data.rec", "activity.data"],
        starvz::MAIN => &starvz::TABLES,
        processed::MAIN => &processed::TABLES,
        _ => &[],
    };
    files.iter().flat_map(|file| names_beside(main, file)).collect()
}

/// Whether the records that StarPU's converter writes beside a Paje trace are to be looked for.
pub(crate) fn is_main(name: &str) -> bool {
    plain_name(name) == MAIN
}

/// The field that makes a state the run of a task.
pub(crate) const JOB: &str = "JobId";

/// A job: `3_1426` is number 1426 of process 3. Programs of one process write the number alone.
pub(crate) fn job_id(text: &[u8]) -> Option<TaskId> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let (process, number) = text.split_once('_').unwrap_or(("0", text));
    let process = process.parse().ok().filter(|process| *process < graph::MESSAGES)?;
    Some(TaskId::new(process, number.parse().ok().filter(|number| *number < TaskId::MOST)?))
}

/// States of workers that are the runtime's own, whatever else is written with them. `Executing` is not among them: a task
/// without a name is called so.
const RUNTIME: [&str; 24] = [
    "Initializing",
    "Deinitializing",
    "Idle",
    "Sleeping",
    "Scheduling",
    "FetchingInput",
    "PushingOutput",
    "Callback",
    "Overhead",
    "Progressing",
    "Unpartitioning",
    "Hypervisor",
    "Building task",
    "Submitting task",
    "Submiting task",
    "Throttling task submission",
    "Waiting task",
    "Waiting all tasks",
    "Decoding task for MPI",
    "Preparing task for MPI",
    "Post-processing task for MPI",
    "Nothing",
    "execute_on_all_wrapper",
    "HandleRequests",
];

/// Whether a state is the runtime's own.
pub(crate) fn is_runtime(state: &[u8]) -> bool {
    RUNTIME.iter().any(|name| name.as_bytes() == state) || state.starts_with(b"_starpu_")
}

/// A task by its fields; `None` if they are not those of a task. A job that bears no number is a task all the same.
pub(crate) fn task<'f>(fields: impl Iterator<Item = (&'f str, &'f [u8])>) -> Option<TaskInfo> {
    let mut task = TaskInfo::new(TaskId::NONE);
    let mut is_task = false;
    for (name, value) in fields {
        match name {
            JOB if !value.is_empty() => {
                is_task = true;
                task.id = TaskId::from(job_id(value));
            }
            "Iteration" => task.iteration = natural(value),
            "X" => task.tile[0] = natural(value),
            "Y" => task.tile[1] = natural(value),
            _ => {}
        }
    }
    if task.tile.contains(&TaskInfo::UNKNOWN) {
        task.tile = [TaskInfo::UNKNOWN; 2];
    }
    is_task.then_some(task)
}

/// A number from 0 upwards; StarPU writes -1 for what was not set.
fn natural(text: &[u8]) -> u32 {
    std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(TaskInfo::UNKNOWN)
}

/// A name without the process that stands before it, and that process: `3_CUDA0_0` is `CUDA0_0` of process 3. Programs of
/// one process have no numbers there, and `CUDA0_0` is no process.
pub(crate) fn of_process(name: &str) -> (Option<u32>, &str) {
    let own = name.split_once('_').filter(|(rank, own)| {
        rank.bytes().all(|byte| byte.is_ascii_digit()) && own.starts_with(|first: char| first.is_alphabetic())
    });
    match own.map(|(rank, own)| (rank.parse().ok(), own)) {
        Some((Some(rank), own)) => (Some(rank), own),
        _ => (None, name),
    }
}

/// The kind of resource of a worker of this name: `3_CUDA0_0` and `CUDA0_0` are `CUDA`. Empty if the name does not tell it:
/// `3_w2` is only a number.
pub(crate) fn worker_kind(name: &str) -> String {
    let (_, resource) = of_process(name);
    let kind: String = resource.chars().filter(|letter| letter.is_alphabetic()).collect();
    if kind == UNKNOWN_WORKER { String::new() } else { kind }
}

/// What stands before the number of a worker of which nothing else is known.
pub(crate) const UNKNOWN_WORKER: &str = "w";

/// The type of a container, told by its name, where nothing else tells it.
pub(crate) fn container_type(name: &str) -> &'static str {
    let (_, own) = of_process(name);
    let own = own.trim_end_matches(|last: char| last.is_ascii_digit());
    match own {
        "program" => "Program",
        "mpict" => "MPI Communication Thread",
        "scheduler" => "Scheduler State",
        "MEMNODE" => "Memory Node",
        "MEMMANAGER" => "Memory Manager",
        "UserThread" => "User Thread",
        "T" => "Thread",
        "root" => "MPI Program",
        _ => "Worker",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_and_workers_are_told_by_name() {
        assert_eq!(job_id(b"13_1426"), Some(TaskId::new(13, 1426)));
        assert_eq!(job_id(b"7"), Some(TaskId::new(0, 7)));
        for odd in
            [&b""[..], b"_", b"1_", b"x_1", b"-1_3", b"1_2_3", b"99999999999_1", b"16777215_1", b"1_1099511627776"]
        {
            assert_eq!(job_id(odd), None, "{}", String::from_utf8_lossy(odd));
        }
        for (name, kind) in
            [("0_CPU0", "CPU"), ("CPU12", "CPU"), ("29_CUDA1_0", "CUDA"), ("CUDA0_0", "CUDA"), ("3_w2", "")]
        {
            assert_eq!(worker_kind(name), kind, "{name}");
        }
        assert_eq!(of_process("12_CUDA0_0"), (Some(12), "CUDA0_0"));
        assert_eq!((of_process("CUDA0_0"), of_process("7_0")), ((None, "CUDA0_0"), (None, "7_0")));
        assert_eq!(of_process("99999999999_CPU0"), (None, "99999999999_CPU0"));
        assert_eq!((container_type("3_mpict"), container_type("CPU0")), ("MPI Communication Thread", "Worker"));
        assert!(is_runtime(b"Idle") && is_runtime(b"_starpu_data_acquire_cb_pre") && !is_runtime(b"Executing"));
    }
}
