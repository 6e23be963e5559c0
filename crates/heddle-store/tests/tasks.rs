//! Tasks, what they wait for, and who runs them: what goes into a store comes out of its tables and of its records.

#![allow(clippy::unwrap_used)] // a test that cannot go on should say so and stop

mod common;

use std::collections::BTreeMap;

use proptest::prelude::*;

use common::{Hand, MAIN, PLENTY, Stored, Timed, WORK, enter, leave, table_differences, world};
use heddle_model::{
    Definitions, Event, LocationId, Ns, RecordBlock, Source, SpanRow, TaskId, TaskInfo, WarningKind, Worker,
};
use heddle_store::StoreSource;

/// A run of a task as a test writes it: location, start, end, region, the task, what it waits for.
type Run = (u32, i64, i64, u32, TaskInfo, Vec<TaskId>);

fn definitions(ranks: u32) -> Definitions {
    let kinds = ["CUDA", "CPU", ""];
    let worker = |rank: u32| Worker { location: LocationId(rank), kind: kinds[rank as usize % 3].to_owned() };
    Definitions { workers: (0..ranks).map(worker).collect(), ..world(ranks) }
}

/// Tasks one after the other on each location, every third inside of another span.
fn tracks(ranks: u32, tasks: &[(u32, i64, TaskInfo, Vec<TaskId>)]) -> (Vec<Vec<Timed>>, Vec<Run>) {
    let mut tracks: Vec<Vec<Timed>> = (0..ranks).map(|_| vec![(0, enter(MAIN))]).collect();
    let (mut runs, mut clocks) = (Vec::new(), vec![0; ranks as usize]);
    for (at, (on, length, task, waits_for)) in tasks.iter().enumerate() {
        let (track, clock) = (&mut tracks[*on as usize], &mut clocks[*on as usize]);
        let (start, end) = (*clock + 1, *clock + 1 + length);
        *clock = end;
        if at % 3 == 0 {
            track.push((start, enter(MAIN)));
        }
        track.push((start, enter(WORK)));
        track.push((start, Event::Task(*task)));
        track.extend(waits_for.iter().map(|on| (start, Event::DependsOn(*on))));
        track.push((end, leave(WORK)));
        if at % 3 == 0 {
            track.push((end, leave(MAIN)));
        }
        runs.push((*on, start, end, WORK, *task, waits_for.clone()));
    }
    for (track, clock) in tracks.iter_mut().zip(&clocks) {
        track.push((*clock, leave(MAIN)));
    }
    runs.sort_by_key(|run| (run.0, run.1));
    (tracks, runs)
}

/// The runs as the tables have them.
fn in_tables(store: &Stored) -> Vec<Run> {
    let (tasks, dependencies) = (&store.tasks, &store.dependencies);
    let mut waits_for: BTreeMap<u64, Vec<TaskId>> = BTreeMap::new();
    for row in 0..dependencies.len() {
        waits_for.entry(dependencies.task.get(row)).or_default().push(dependencies.on.get(row));
    }
    let run = |row| {
        let SpanRow(span) = tasks.span.get(row);
        let task = TaskInfo {
            id: tasks.id.get(row),
            submitted: tasks.submitted.get(row),
            ready: tasks.ready.get(row),
            iteration: tasks.iteration.get(row),
            tile: [tasks.tile_row.get(row), tasks.tile_column.get(row)],
        };
        (
            store.locations.of_span(SpanRow(span)).0,
            store.spans.start.get(span).0,
            store.spans.end.get(span).0,
            store.spans.region.get(span).0,
            task,
            waits_for.remove(&row).unwrap_or_default(),
        )
    };
    (0..tasks.len()).map(run).collect()
}

/// The runs as the records of the store's source have them.
fn in_records(store: &Stored) -> Vec<Run> {
    let source = StoreSource::new(store, PLENTY);
    let mut runs: Vec<Run> = Vec::new();
    let mut open: BTreeMap<u32, Vec<(u32, i64, Option<usize>)>> = BTreeMap::new();
    for part in source.parts() {
        let mut block = RecordBlock::default();
        source.read(part, &mut block).unwrap();
        let open = open.entry(part.location.0).or_default();
        for (time, event) in block.iter() {
            match event {
                Event::Enter(region) => open.push((region.0, time.0, None)),
                Event::Task(task) => {
                    let (region, start, run) = open.last_mut().unwrap();
                    *run = Some(runs.len());
                    runs.push((part.location.0, *start, *start, *region, task, Vec::new()));
                }
                Event::DependsOn(on) => runs.last_mut().unwrap().5.push(on),
                Event::Leave(_) => {
                    if let (_, _, Some(run)) = open.pop().unwrap() {
                        runs[run].2 = time.0;
                    }
                }
                _ => {}
            }
        }
    }
    runs.sort_by_key(|run| (run.0, run.1));
    runs
}

fn workers(definitions: &Definitions) -> Vec<(LocationId, String)> {
    definitions.workers.iter().map(|worker| (worker.location, worker.kind.clone())).collect()
}

fn a_task() -> impl Strategy<Value = TaskInfo> {
    let time = prop_oneof![Just(Ns::NONE), (0..1_000_000i64).prop_map(Ns)];
    let number = prop_oneof![Just(TaskInfo::UNKNOWN), 0..1_000u32];
    let tile = prop_oneof![Just([TaskInfo::UNKNOWN; 2]), [0..100u32, 0..100u32]];
    (0..4u32, 0..500u64, time.clone(), time, number, tile).prop_map(
        |(process, at, submitted, ready, iteration, tile)| TaskInfo {
            id: TaskId::new(process, at),
            submitted,
            ready,
            iteration,
            tile,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn tasks_come_back_from_tables_and_records(
        tasks in proptest::collection::vec(
            (0..4u32, 0..50i64, a_task(), proptest::collection::vec((0..4u32, 0..900u64), 0..4)), 0..60),
        cut in 1..40usize,
    ) {
        let tasks: Vec<_> = tasks
            .into_iter()
            .map(|(on, length, task, waits)| {
                let waits = waits.into_iter().map(|(process, at)| TaskId::new(process, at)).collect();
                (on, length, task, waits)
            })
            .collect();
        let (tracks, expected) = tracks(4, &tasks);
        let whole = Hand::new(definitions(4), &tracks).store();
        prop_assert_eq!(in_tables(&whole), expected.clone());
        prop_assert_eq!(in_records(&whole), expected);
        let source = StoreSource::new(&whole, PLENTY);
        prop_assert_eq!(workers(source.definitions()), workers(&definitions(4)));
        // Cut between a task and what it waits for, with little memory: the same tables.
        let pieces = Hand::cut(definitions(4), &tracks, 2 << 20, |_| (0..200).step_by(cut).collect()).store_within(4 << 20);
        prop_assert_eq!(table_differences(whole.path(), pieces.path()), Vec::<String>::new());
    }
}

#[test]
fn a_task_without_a_run_is_left_out_and_so_is_what_it_waits_for() {
    let task = TaskInfo::new(TaskId::new(0, 1));
    let track = vec![
        (0, Event::DependsOn(TaskId::new(0, 7))),
        (0, Event::Task(task)),
        (1, enter(WORK)),
        (1, Event::Task(task)),
        (1, Event::DependsOn(TaskId::new(0, 8))),
        (2, leave(WORK)),
    ];
    let store = Hand::new(definitions(1), &[track]).store();
    assert_eq!(in_tables(&store), [(0, 1, 2, WORK, task, vec![TaskId::new(0, 8)])]);
    assert_eq!(store.warned(WarningKind::Corrupt), 0);
}

#[test]
fn numbers_of_tasks_are_written_as_runtimes_write_them() {
    for (process, number) in [(0, 0), (3, 1426), (29, 1), ((1 << 24) - 1, (1 << 40) - 2)] {
        let id = TaskId::new(process, number);
        assert_eq!((id.process(), id.number()), (process, number));
        assert_eq!(id.to_string(), format!("{process}_{number}"));
    }
}
