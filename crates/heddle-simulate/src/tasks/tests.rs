//! What holds of every run, and some runs worked out by hand.

use std::collections::{BTreeMap, BTreeSet};

use heddle_model::{Event, RecordBlock, Source, TaskId};
use proptest::prelude::*;

use super::cards::Message;
use super::options::KINDS;
use super::schedule::SUBMIT_NS;
use super::*;
use crate::SimulateError;

const MS: i64 = 1_000_000;

/// Stretches of time of which no two overlap.
fn apart(what: &str, mut busy: Vec<(i64, i64)>) {
    busy.sort_unstable();
    for two in busy.windows(2) {
        assert!(two[0].1 <= two[1].0, "{what}: {two:?}");
    }
}

/// Checks all that must hold of a run.
fn check(tasks: &Tasks) {
    let (options, graph, schedule) = tasks.inside();
    let node = |number: u32| schedule.node(graph, graph.task(number));
    let arrived: BTreeMap<(u32, u32), i64> =
        schedule.messages.iter().map(|message| ((message.task, message.to), message.arrived)).collect();
    assert_eq!(arrived.len(), schedule.messages.len(), "a tile goes to a node once");
    let mut needed = BTreeSet::new();
    let mut workers: BTreeMap<(u32, u32), Vec<(i64, i64)>> = BTreeMap::new();
    let mut chain = vec![0; schedule.runs.len()];
    let mut work = 0;
    for (number, run) in (0..).zip(&schedule.runs) {
        let task = graph.task(number);
        let on = options.nodes[node(number) as usize];
        assert!(run.ready >= i64::from(number) * SUBMIT_NS && run.start >= run.ready && run.end > run.start, "{run:?}");
        assert!(run.worker < on.cpus + on.gpus);
        let kind = usize::from(run.worker >= on.cpus);
        assert!(options.times.of(graph.kernel(task), kind).is_some(), "{task:?} on {}", KINDS[kind]);
        workers.entry((node(number), run.worker)).or_default().push((run.start, run.end));
        for dependency in graph.dependencies(task).map(|task| graph.number(task)) {
            let there = if node(dependency) == node(number) {
                schedule.runs[dependency as usize].end
            } else {
                needed.insert((dependency, node(number)));
                arrived[&(dependency, node(number))]
            };
            assert!(run.ready >= there, "{task:?} begins before its data is there");
            chain[number as usize] = chain[number as usize].max(chain[dependency as usize]);
        }
        chain[number as usize] += run.end - run.start;
        work += run.end - run.start;
    }
    assert_eq!(needed.len(), arrived.len(), "nothing is sent that nobody reads");
    for ((node, worker), busy) in workers {
        apart(&format!("worker {worker} of node {node}"), busy);
    }
    let makespan = schedule.runs.iter().map(|run| run.end).max().unwrap_or(0);
    assert!(chain.iter().all(|chain| *chain <= makespan));
    let count: i64 = options.nodes.iter().map(|node| i64::from(node.cpus + node.gpus)).sum();
    assert!(work <= makespan * count, "more work than workers had time for");
    cards(options, &schedule.messages);
}

/// No card has two messages at once, in either direction.
fn cards(options: &TaskOptions, messages: &[Message]) {
    let tile_ns = |node: u32| (options.tile_bytes() as f64 * 8.0 / options.nodes[node as usize].gbit).ceil() as i64;
    let (mut out, mut into) = (BTreeMap::<u32, Vec<_>>::new(), BTreeMap::<u32, Vec<_>>::new());
    for message in messages {
        let Message { from, to, sent, arrived, .. } = *message;
        assert!(from != to && arrived - sent >= options.latency_ns as i64 + tile_ns(from).max(tile_ns(to)));
        out.entry(from).or_default().push((sent, sent + tile_ns(from)));
        into.entry(to).or_default().push((arrived - tile_ns(to), arrived));
    }
    for (what, busy) in [("sends", out), ("takes in", into)] {
        for (node, busy) in busy {
            apart(&format!("node {node} {what}"), busy);
        }
    }
}

/// All records of a trace, counted: tasks, dependencies, sends, receives. Times of a location never fall.
fn counted(tasks: &dyn Source) -> [usize; 4] {
    let mut counts = [0; 4];
    for part in tasks.parts() {
        let mut block = RecordBlock::default();
        tasks.read(part, &mut block).unwrap();
        let times: Vec<i64> = block.iter().map(|(time, _)| time.0).collect();
        assert!(times.is_sorted());
        assert_eq!(block.last.map(|last| last.0), times.last().copied());
        for (_, event) in block.iter() {
            match event {
                Event::Task(_) => counts[0] += 1,
                Event::DependsOn(_) => counts[1] += 1,
                Event::Send(_) => counts[2] += 1,
                Event::Recv(_) => counts[3] += 1,
                _ => {}
            }
        }
    }
    counts
}

fn some_options() -> impl Strategy<Value = TaskOptions> {
    let node = (0_u32..3, 0_u32..3, 0.5..2.0_f64, 0.5..25.0_f64, 0.5..3.0_f64);
    let nodes = (1_u32..4, 1_u32..4).prop_flat_map(move |(rows, columns)| {
        (Just([rows, columns]), prop::collection::vec(node.clone(), (rows * columns) as usize))
    });
    (nodes, any::<(bool, bool, bool)>(), 1_u32..9, 0_usize..3, 0.0..0.3, any::<u64>()).prop_map(
        |((grid, nodes), (is_lu, is_cyclic, moves), tiles, generation, noise, seed)| {
            let factorisation = if is_lu { Factorisation::Lu } else { Factorisation::Cholesky };
            let loads: Vec<f64> = nodes.iter().map(|node| node.4).collect();
            TaskOptions {
                tiles,
                nodes: nodes
                    .iter()
                    .map(|(cpus, gpus, speed, gbit, _)| TaskNode {
                        cpus: 1 + cpus,
                        gpus: *gpus,
                        speed: *speed,
                        gbit: *gbit,
                    })
                    .collect(),
                distribution: if is_cyclic { Distribution::Cyclic } else { Distribution::OneD },
                generation: [Generation::None, Generation::Before, Generation::Beside][generation],
                generation_loads: if moves { loads.iter().rev().copied().collect() } else { Vec::new() },
                loads,
                noise,
                seed,
                ..TaskOptions::on_grid(factorisation, grid)
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn runs_are_possible(options in some_options()) {
        let tasks = Tasks::new(&options).unwrap();
        check(&tasks);
        let (_, graph, schedule) = tasks.inside();
        let dependencies: usize = (0..graph.len()).map(|number| graph.dependencies(graph.task(number)).count()).sum();
        let messages = schedule.messages.len();
        prop_assert_eq!(counted(&tasks), [graph.len() as usize, dependencies, messages, messages]);
        let again = Tasks::new(&options).unwrap();
        prop_assert_eq!(again.inside().2, schedule, "the same again");
    }
}

fn by_hand(grid: [u32; 2]) -> TaskOptions {
    let mut options = TaskOptions { tiles: 2, noise: 0.0, ..TaskOptions::on_grid(Factorisation::Lu, grid) };
    options.nodes.iter_mut().for_each(|node| (node.cpus, node.gpus) = (1, 0));
    options
}

fn ends(options: &TaskOptions) -> Vec<i64> {
    Tasks::new(options).unwrap().inside().2.runs.iter().map(|run| run.end).collect()
}

#[test]
fn one_core_does_one_thing_after_the_other() {
    // Diagonal 20 ms, two panels of 33, an update of 65, the last diagonal.
    assert_eq!(ends(&by_hand([1, 1])), [20, 53, 86, 151, 171].map(|ms| ms * MS));
}

#[test]
fn tiles_travel_between_two_nodes() {
    // Node 1 has the second column; a tile of 960 by 960 numbers takes 2.359296 ms at 25 Gb/s, and 10 us on the wire.
    let way = 2_359_296 + 10_000;
    assert_eq!(ends(&by_hand([1, 2])), [20 * MS, 53 * MS + way, 53 * MS, 118 * MS + way, 138 * MS + way]);
}

#[test]
fn a_slow_card_takes_in_one_tile_after_the_other() {
    let mut options = by_hand([1, 2]);
    options.nodes[1].gbit = 1.0;
    let tile = 58_982_400;
    let first = 20 * MS + 10_000 + tile;
    // The second tile is sent at 53 ms, when the first is still coming in.
    let second = first + tile;
    assert_eq!(ends(&options), [20 * MS, first + 33 * MS, 53 * MS, second + 65 * MS, second + 85 * MS]);
}

#[test]
fn generation_before_holds_everything_back() {
    let mut options = by_hand([1, 1]);
    options.generation = Generation::Before;
    assert_eq!(ends(&options), [40, 80, 120, 160, 180, 213, 246, 311, 331].map(|ms| ms * MS));
    options.generation = Generation::Beside;
    // The last tile can wait: the first diagonal is more urgent.
    assert_eq!(ends(&options), [40, 80, 120, 180, 140, 213, 246, 311, 331].map(|ms| ms * MS));
}

#[test]
fn tasks_are_told_by_node_and_order_of_submission() {
    let tasks = Tasks::new(&by_hand([1, 2])).unwrap();
    assert_eq!(tasks.definitions().workers.len(), 2);
    let mut block = RecordBlock::default();
    tasks.read(tasks.parts().last().unwrap(), &mut block).unwrap();
    let mut read = Vec::new();
    for (_, event) in block.iter() {
        match event {
            Event::Task(task) => read.push((task.id, task.iteration, task.tile, Vec::new())),
            Event::DependsOn(other) => read.last_mut().unwrap().3.push(other),
            _ => {}
        }
    }
    let id = TaskId::new;
    assert_eq!(
        read,
        [
            (id(1, 1), 0, [0, 1], vec![id(0, 0)]),
            (id(1, 3), 0, [1, 1], vec![id(0, 2), id(1, 1)]),
            (id(1, 4), 1, [1, 1], vec![id(1, 3)]),
        ]
    );
}

#[test]
fn noise_changes_times_and_the_seed_changes_noise() {
    let run = |seed, noise| ends(&TaskOptions { noise, seed, ..by_hand([1, 2]) });
    assert!(run(1, 0.1) != run(2, 0.1) && run(1, 0.1) == run(1, 0.1) && run(1, 0.0) == run(2, 0.0));
}

#[test]
fn a_faster_node_is_faster() {
    let mut options = by_hand([1, 1]);
    options.nodes[0].speed = 2.0;
    assert_eq!(ends(&options).last(), Some(&(171 * MS / 2)));
}

#[test]
fn options_without_sense_are_refused_in_words() {
    let refused = |change: &dyn Fn(&mut TaskOptions), words: &str| {
        let mut options = by_hand([1, 2]);
        change(&mut options);
        let error = Tasks::new(&options).unwrap_err();
        assert!(matches!(
            &error,
            SimulateError::None { .. } | SimulateError::OutOfRange { .. } | SimulateError::Options(_)
        ));
        assert!(error.to_string().contains(words), "{error}");
    };
    refused(&|options| options.tiles = 0, "tiles must be at least 1");
    refused(&|options| options.tiles = 100_000, "tiles");
    refused(&|options| options.nodes[1].cpus = 0, "node 1 has no worker for dgetrf");
    refused(&|options| options.nodes[1].gbit = f64::NAN, "bandwidth");
    refused(&|options| options.loads[0] = -1.0, "load");
    refused(&|options| options.grid = [7, 7], "2 nodes for a grid of 49 nodes");
    refused(&|options| options.grid = [u32::MAX, u32::MAX], "nodes");
}

#[test]
fn random_tasks_are_there_when_asked_for() {
    let options = RandomTasksOptions { nodes: 3, cpus: 2, gpus: 1, tasks: 900, seed: 5 };
    let tasks = RandomTasks::new(&options).unwrap();
    assert_eq!((tasks.parts().len(), counted(&tasks)), (9, [900, 0, 0, 0]));
    let ids = |seed| {
        let tasks = RandomTasks::new(&RandomTasksOptions { seed, ..options.clone() }).unwrap();
        let mut block = RecordBlock::default();
        tasks.parts().iter().for_each(|part| tasks.read(part, &mut block).unwrap());
        let ids = block.iter().filter_map(|(time, event)| match event {
            Event::Task(task) => Some((task.id, time)),
            _ => None,
        });
        ids.collect::<Vec<_>>()
    };
    let (one, other) = (ids(1), ids(2));
    assert!(one == ids(1) && one != other);
    let mut names: Vec<TaskId> = one.iter().map(|(id, _)| *id).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 900, "each has a name of its own");
}
