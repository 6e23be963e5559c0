//! Files of StarPU and StarVZ that lie: random damage and absurd claims. Reading them ends, does not panic, and takes no
//! more memory than the bytes that are there can justify.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

#[path = "common/starpu.rs"]
mod common;
#[path = "common/paje_made.rs"]
mod made;
#[path = "common/parquet.rs"]
mod parquet;

use common::{ACTIVITY, DATA, GRAPH, TASKS, open, runs};
use heddle_formats::{MemoryFiles, fuzz};
use heddle_testkit::{Chance, Counting, Measuring};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Damages a container's files, some of it in text: numbers that are too large, lines that come twice.
fn damage(chance: &mut Chance, files: &mut [Vec<u8>]) {
    let at = chance.below(files.len());
    let file = &mut files[at];
    if file.is_empty() {
        return;
    }
    match chance.below(5) {
        0 => file.truncate(chance.below(file.len())),
        1 => {
            let huge: [&[u8]; 6] = [b"99999999999999999999", b"1e308", b"-1", b"4294967295", b"16777214_3", b"mpi_1_2"];
            let at = chance.below(file.len());
            file.splice(at..at, huge[chance.below(huge.len())].iter().copied());
        }
        2 => {
            let mut lines: Vec<Vec<u8>> = file.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
            let (one, other) = (chance.below(lines.len()), chance.below(lines.len()));
            let again = lines[one].clone();
            lines.insert(other, again);
            *file = lines.concat();
        }
        _ => chance.damage(file),
    }
}

fn rounds<const N: usize>(seed: u64, count: usize, files: &[Vec<u8>; N], target: fn(&[u8])) {
    let measuring = Measuring::alone();
    let mut chance = Chance(seed);
    target(&fuzz::container(files.each_ref().map(Vec::as_slice)));
    for round in 0..count {
        let mut damaged = files.clone();
        for _ in 0..=chance.below(4) {
            damage(&mut chance, &mut damaged);
        }
        let bytes = fuzz::container(damaged.each_ref().map(Vec::as_slice));
        let ((), peak) = measuring.peak_of(|| target(&bytes));
        assert!(peak < (48 << 20) + 200 * bytes.len(), "round {round}: {peak} bytes for {}", bytes.len());
    }
}

#[test]
fn damaged_records_end_within_bounds() {
    let trace = made::tasks(3, 8).into_bytes();
    let texts = [TASKS, GRAPH, DATA, ACTIVITY].map(|text| text.as_bytes().to_vec());
    let [tasks, graph, data, activity] = texts;
    rounds(11, 4_000, &[trace, tasks, graph, data, activity], fuzz::starpu);
}

#[test]
fn damaged_tables_end_within_bounds() {
    let files = common::starvz();
    let file = |name: &str| files.get(name).unwrap_or_default();
    let all =
        ["paje.worker_state.csv", "paje.link.csv", "rec.tasks.csv", "dag.csv", "rec.data_handles.csv", "entities.csv"];
    rounds(12, 4_000, &all.map(file), fuzz::starvz);
}

#[test]
fn damaged_parquet_files_end_within_bounds() {
    for (codec, dictionaries, second_version) in
        [(0, false, false), (1, true, false), (2, true, true), (1, false, true)]
    {
        let style = parquet::Style { codec, dictionaries, second_version, group: 2 };
        let file = parquet::application(style);
        rounds(13 + codec as u64, 2_000, &[file.clone(), file.clone(), file.clone(), file], fuzz::starvz_parquet);
    }
}

/// Every byte of a small file in turn is all ones, and every byte is where the file ends.
#[test]
fn no_byte_of_a_parquet_file_is_trusted() {
    let file = parquet::application(parquet::Style { codec: 1, dictionaries: true, second_version: false, group: 3 });
    for at in 0..file.len() {
        let mut changed = file.clone();
        changed[at] ^= 0xff;
        for bytes in [&changed[..], &file[..at]] {
            fuzz::starvz_parquet(&fuzz::container([bytes, bytes, bytes, bytes]));
        }
    }
}

#[test]
fn records_of_tasks_cut_anywhere_keep_what_came_before() {
    let whole = runs(&open(&common::files(), "tasks.rec", 1 << 26).unwrap());
    let files = common::files();
    for end in 0..TASKS.len() {
        let Some(format) = heddle_formats::recognise(&TASKS.as_bytes()[..end]) else { continue };
        assert_eq!(format.name, "starpu-tasks");
        files.insert("tasks.rec", TASKS.as_bytes()[..end].to_vec());
        let found = runs(&open(&files, "tasks.rec", 1 << 26).unwrap());
        let known = whole.iter().filter(|run| found.iter().any(|one| (one.start, one.end) == (run.start, run.end)));
        assert_eq!(known.count(), found.len(), "cut at {end}: no half of a number is taken for one");
    }
}

#[test]
fn many_of_everything_stays_linear() {
    let files = MemoryFiles::default();
    let (mut tasks, mut graph) = (String::new(), String::new());
    for at in 0..30_000u32 {
        // Every job waits for one that no worker ran, and that for every job; and they wait in a ring.
        tasks += &format!(
            "Name: t\nJobId: 0_{at}\nDependsOn: 0_77777 0_{}\nWorkerId: {at}\nStartTime: {at}\nEndTime: {at}\nMPIRank: {}\n\n",
            (at + 1) % 30_000,
            (at * 131) % 16_000_000
        );
        graph += &format!("\"task_0_{at}\"->\"task_0_77777\"\n\"mpi_1_{at}\"->\"task_0_{at}\"\n");
    }
    tasks += "Name: _starpu_sync_task\nJobId: 0_77777\n\n";
    files.insert("tasks.rec", tasks.into_bytes());
    files.insert("dag.dot", graph.into_bytes());
    let (read, peak) = Measuring::alone().peak_of(|| open(&files, "tasks.rec", 64 << 20).unwrap());
    assert_eq!(runs(&read).len(), 30_000);
    assert!(peak < 600 << 20, "{peak}");
}
