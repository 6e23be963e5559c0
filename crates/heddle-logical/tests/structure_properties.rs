//! Phases and steps of programs made by chance: what must hold for all of them, and a slow way to the same result.

#![allow(clippy::expect_used, reason = "a helper that fails is a test that fails")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::chance::{damaged, valid};
use common::{Program, rows_of, slow};
use heddle_logical::measures::{self, Cell, PhaseMeasures};
use heddle_logical::{Events, Kind, LogicalOptions, Stepping, Structure, structure};
use heddle_model::Ns;
use heddle_store::NoProgress;
use heddle_testkit::Chance;

fn of(events: &Events, options: &LogicalOptions) -> Structure {
    structure(events, options, &NoProgress).expect("nobody cancels")
}

/// Options that decide structure, by chance; half of the time the default.
fn options(seed: u64) -> LogicalOptions {
    let mut chance = Chance(seed ^ 0x5eed);
    let mut options = LogicalOptions::default();
    if chance.is(50) {
        options.leap_merge = chance.is(40);
        options.leap_skip = chance.is(30);
        options.merge_overlapping = chance.is(30);
        options.collective_borders = chance.is(30);
        options.stepping = if chance.is(40) { Stepping::Earliest } else { Stepping::SendsFirst };
    }
    options
}

/// A program by chance: valid or damaged, some with phases given.
fn program(seed: u64) -> Program {
    let mut program = if seed.is_multiple_of(2) { valid(seed) } else { damaged(seed) };
    program.is_given = seed.is_multiple_of(5);
    program
}

#[test]
fn fast_and_slow_agree() {
    for seed in 0..4000 {
        let (events, options) = (program(seed).events(), options(seed));
        assert_eq!(of(&events, &options), slow::structure(&events, &options), "seed {seed}, {options:?}, {events:?}");
    }
}

/// Neighbours on rows.
fn neighbours(events: &Events) -> Vec<(usize, usize)> {
    let rows = rows_of(events);
    (1..rows.len()).filter(|&event| rows[event] == rows[event - 1]).map(|event| (event - 1, event)).collect()
}

fn collectives(events: &Events) -> impl Iterator<Item = &[u32]> {
    events.first_of_collective.windows(2).map(|ends| &events.members[ends[0] as usize..ends[1] as usize])
}

/// Runs `check` on many programs with the same options as elsewhere.
fn for_all(check: impl Fn(u64, &Events, &LogicalOptions, &Structure)) {
    for seed in 0..1200 {
        let (events, options) = (program(seed).events(), options(seed));
        let structure = of(&events, &options);
        check(seed, &events, &options, &structure);
    }
}

#[test]
fn every_event_has_a_phase_and_a_step_and_every_phase_events() {
    for_all(|seed, events, _, structure| {
        assert_eq!(
            (structure.phase.len(), structure.step.len()),
            (events.kind.len(), events.kind.len()),
            "seed {seed}"
        );
        let phases: BTreeSet<u32> = structure.phase.iter().copied().collect();
        assert_eq!(phases, (0..structure.phases.len() as u32).collect(), "seed {seed}");
        assert!(structure.step.iter().all(|&step| step < structure.steps), "seed {seed}");
    });
}

#[test]
fn messages_and_collectives_stay_in_one_phase() {
    for_all(|seed, events, _, structure| {
        for &(send, receive) in &events.messages {
            assert_eq!(structure.phase[send as usize], structure.phase[receive as usize], "seed {seed}");
        }
        for members in collectives(events) {
            let phases: BTreeSet<u32> = members.iter().map(|&member| structure.phase[member as usize]).collect();
            assert!(phases.len() <= 1, "seed {seed}");
        }
    });
}

#[test]
fn phases_follow_each_other_in_the_order_of_their_numbers() {
    for_all(|seed, events, _, structure| {
        for (a, b) in neighbours(events) {
            let (before, behind) = (structure.phase[a], structure.phase[b]);
            assert!(before <= behind, "seed {seed}");
            if before < behind {
                let (before, behind) = (structure.phases[before as usize], structure.phases[behind as usize]);
                assert!(before.last_step < behind.first_step, "seed {seed}");
            }
        }
    });
}

#[test]
fn steps_ascend_along_rows_and_messages_and_are_one_for_a_collective() {
    let mut split = 0;
    for seed in 0..3000 {
        let (events, options) = (program(seed).events(), options(seed));
        let structure = of(&events, &options);
        let is_split = |event: u32| structure.phases[structure.phase[event as usize] as usize].is_split;
        split += structure.phases.iter().filter(|phase| phase.is_split).count();
        for (a, b) in neighbours(&events) {
            assert!(structure.step[a] < structure.step[b], "seed {seed}");
        }
        for &(send, receive) in events.messages.iter().filter(|&&(send, _)| !is_split(send)) {
            assert!(structure.step[send as usize] < structure.step[receive as usize], "seed {seed}");
        }
        for members in collectives(&events).filter(|members| members.first().is_some_and(|&first| !is_split(first))) {
            let steps: BTreeSet<u32> = members.iter().map(|&member| structure.step[member as usize]).collect();
            assert_eq!(steps.len(), 1, "seed {seed}");
        }
        if seed.is_multiple_of(2) {
            let unsafe_only = structure.phases.iter().filter(|phase| phase.is_split).count();
            assert!(
                unsafe_only == 0 || !events.members.is_empty(),
                "messages of a program that runs do not contradict"
            );
        }
    }
    assert!(split > 50, "the programs are meant to contradict themselves now and then");
}

#[test]
fn phases_begin_right_behind_the_last_of_their_predecessors() {
    for_all(|seed, events, options, structure| {
        if options.merge_overlapping {
            return; // united phases begin where the first of them does
        }
        let mut first = vec![0; structure.phases.len()];
        for (a, b) in neighbours(events) {
            let (before, behind) = (structure.phase[a] as usize, structure.phase[b] as usize);
            if before != behind {
                first[behind] = first[behind].max(structure.phases[before].last_step + 1);
            }
        }
        let found: Vec<u32> = structure.phases.iter().map(|phase| phase.first_step).collect();
        assert_eq!(found, first, "seed {seed}");
    });
}

#[test]
fn the_steps_of_a_phase_are_dense() {
    for_all(|seed, _, _, structure| {
        let mut steps: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for (&phase, &step) in structure.phase.iter().zip(&structure.step) {
            steps.entry(phase).or_default().insert(step);
        }
        for (phase, steps) in steps {
            let phase = structure.phases[phase as usize];
            assert_eq!(steps, (phase.first_step..=phase.last_step).collect(), "seed {seed}");
        }
    });
}

#[test]
fn a_receive_comes_right_behind_what_it_waits_for() {
    for_all(|seed, events, options, structure| {
        if options.merge_overlapping {
            return; // the first step of the phase it was stepped in is no longer known
        }
        let rows = rows_of(events);
        for event in (0..rows.len()).filter(|&event| events.kind[event] == Kind::Receive) {
            let phase = structure.phases[structure.phase[event] as usize];
            if phase.is_split {
                continue;
            }
            let before = event.checked_sub(1).filter(|&p| rows[p] == rows[event]);
            let before = before.filter(|&p| structure.phase[p] == structure.phase[event]).map(|p| structure.step[p]);
            let senders = events.messages.iter().filter(|message| message.1 as usize == event);
            let senders = senders.map(|message| structure.step[message.0 as usize]);
            let expected = senders.chain(before).max().map_or(phase.first_step, |step| step + 1);
            assert_eq!(structure.step[event], expected, "seed {seed}");
        }
    });
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let pools = [1, 2, 7].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
    for seed in 0..600 {
        let (events, options) = (program(seed).events(), options(seed));
        let [one, two, seven] = pools.each_ref().map(|pool| pool.install(|| of(&events, &options)));
        assert!(one == two && two == seven, "seed {seed}");
    }
}

/// A sum of independent programs is large enough to be shared among threads.
#[test]
fn many_programs_side_by_side_are_what_they_are_alone() {
    let mut all = Program::default();
    for seed in (0..3000).map(|seed| seed * 2) {
        let (mut program, base) = (valid(seed), all.rows.len());
        all.rows.append(&mut program.rows);
        all.messages.extend(program.messages.iter().map(|(s, r)| ((s.0 + base, s.1), (r.0 + base, r.1))));
        let shifted = |members: &Vec<(usize, usize)>| members.iter().map(|at| (at.0 + base, at.1)).collect();
        all.collectives.extend(program.collectives.iter().map(shifted));
    }
    let together = of(&all.events(), &LogicalOptions::default());
    let alone = (0..3000).flat_map(|seed| of(&valid(seed * 2).events(), &LogicalOptions::default()).step);
    assert!(together.step.into_iter().eq(alone));
}

#[test]
fn the_order_of_ranks_does_not_matter() {
    for seed in 0..1500 {
        let (program, options) = (program(seed), options(seed));
        let place = Chance(seed).order(program.rows.len());
        let permuted = program.permuted(&place);
        let (events, other) = (program.events(), permuted.events());
        let (a, b) = (of(&events, &options), of(&other, &options));
        let id = |row: usize, at: usize| other.first_of_row[place[row]] as usize + at;
        let rows = rows_of(&events);
        let mut phases = BTreeSet::new();
        for (event, &row) in rows.iter().enumerate() {
            let twin = id(row, event - events.first_of_row[row] as usize);
            assert_eq!(a.step[event], b.step[twin], "seed {seed}");
            phases.insert((a.phase[event], b.phase[twin]));
        }
        assert_eq!((phases.len(), phases.len()), (a.phases.len(), b.phases.len()), "seed {seed}: phases one to one");
    }
}

#[test]
fn a_clock_that_is_off_changes_no_phase_and_no_step() {
    for seed in 0..1500 {
        let (mut program, mut options) = (program(seed), options(seed));
        (options.leap_merge, options.leap_skip) = (false, false);
        let before = of(&program.events(), &options);
        let mut chance = Chance(seed);
        for row in &mut program.rows {
            let shift = chance.below(2_000_000) as i64 - 1_000_000;
            for event in row {
                event.enter += shift;
                event.leave += shift;
            }
        }
        assert_eq!(of(&program.events(), &options), before, "seed {seed}");
    }
}

#[test]
fn leap_merge_does_not_ask_for_the_unit_of_time() {
    for seed in 0..1500 {
        let mut program = program(seed);
        let options = LogicalOptions { leap_merge: true, leap_skip: seed.is_multiple_of(3), ..options(seed) };
        let before = of(&program.events(), &options);
        for event in program.rows.iter_mut().flatten() {
            event.enter *= 1000;
            event.leave *= 1000;
        }
        assert_eq!(of(&program.events(), &options), before, "seed {seed}");
    }
}

/// All ways to put `count` things into groups, as the group of each.
fn groupings(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        let longer = |grouping: Vec<usize>| {
            let groups = grouping.iter().max().map_or(0, |most| most + 1);
            (0..=groups).map(move |group| grouping.iter().copied().chain([group]).collect())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

#[test]
fn no_finer_phases_follow_each_other() {
    let (mut tried, options) = (0, LogicalOptions::default());
    for seed in 0..1000 {
        let mut program = program(seed);
        program.is_given = false;
        let events = program.events();
        // What has to be together, by trial: events joined, or by a message, or in a collective.
        let mut part: Vec<usize> = (0..events.kind.len()).collect();
        let joined = (1..part.len()).filter(|&event| events.is_joined[event]).map(|event| (event - 1, event));
        let messages = events.messages.iter().map(|&(s, r)| (s as usize, r as usize));
        let members = collectives(&events).flat_map(|members| members.windows(2));
        let pairs = joined.chain(messages).chain(members.map(|pair| (pair[0] as usize, pair[1] as usize)));
        for (a, b) in pairs {
            let (from, to) = (part[a], part[b]);
            part.iter_mut().filter(|part| **part == from).for_each(|part| *part = to);
        }
        let names: Vec<usize> = part.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        if names.len() > 7 {
            continue;
        }
        tried += 1;
        let structure = of(&events, &options);
        for grouping in groupings(names.len()) {
            let group: Vec<usize> = part.iter().map(|p| grouping[names.binary_search(p).expect("a name")]).collect();
            if !is_acyclic(&events, &group) {
                continue;
            }
            // Whatever is together in our phases is together in any grouping that will do.
            let pairs: BTreeSet<(u32, usize)> = structure.phase.iter().copied().zip(group).collect();
            assert_eq!(pairs.len(), structure.phases.len(), "seed {seed}: {grouping:?} is finer");
        }
    }
    assert!(tried > 200, "small enough to try all: {tried}");
}

fn is_acyclic(events: &Events, group: &[usize]) -> bool {
    let mut edges: BTreeSet<(usize, usize)> = neighbours(events).iter().map(|&(a, b)| (group[a], group[b])).collect();
    edges.retain(|(a, b)| a != b);
    loop {
        let before = edges.len();
        let targets: BTreeSet<usize> = edges.iter().map(|edge| edge.1).collect();
        edges.retain(|edge| targets.contains(&edge.0));
        if edges.len() == before {
            return edges.is_empty();
        }
    }
}

#[test]
fn lateness_is_never_negative_and_someone_is_always_first() {
    for_all(|seed, events, _, structure| {
        let steps = measures::step_measures(&events.first_of_row, &(events, structure), structure.steps);
        let (mut cells, mut phases) = (Vec::<Cell>::new(), Vec::<PhaseMeasures>::new());
        for band in measures::bands(&events.first_of_row, &(events, structure), &structure.phases, &steps) {
            cells.extend(band.cells);
            phases.extend(band.measures);
        }
        let mut first = vec![0];
        for phase in &structure.phases {
            first.push(first[first.len() - 1] + phase.last_step - phase.first_step + 1);
        }
        let count = events.kind.len();
        let cell = |event: usize| {
            let phase = structure.phase[event] as usize;
            (first[phase] + structure.step[event] - structure.phases[phase].first_step) as usize
        };
        let late: Vec<i64> = (0..count).map(|e| events.leave[e].0 - cells[cell(e)].least_leave.0).collect();
        let aggregate: Vec<i64> = (0..count).map(|e| events.enter[e].0 - cells[cell(e)].least_enter.0).collect();
        let duration = |e: usize| events.leave[e].0 - events.enter[e].0;
        assert!((0..count).all(|e| duration(e) >= cells[cell(e)].least_duration), "seed {seed}");
        let shortest: BTreeSet<usize> =
            (0..count).filter(|&e| duration(e) == cells[cell(e)].least_duration).map(cell).collect();
        assert_eq!(shortest.len(), cells.len(), "seed {seed}: each cell has a shortest");
        let global: Vec<i64> =
            (0..count).map(|e| events.leave[e].0 - steps.least_leave[structure.step[e] as usize].0).collect();
        assert!(late.iter().chain(&aggregate).all(|&value| value >= 0), "seed {seed}");
        for values in [&late, &aggregate] {
            let firsts: BTreeSet<usize> = (0..count).filter(|&e| values[e] == 0).map(cell).collect();
            assert_eq!(firsts.len(), cells.len(), "seed {seed}: each cell has a first");
        }
        let firsts: BTreeSet<u32> = (0..count).filter(|&e| global[e] == 0).map(|e| structure.step[e]).collect();
        assert_eq!(firsts.len() as u32, structure.steps, "seed {seed}: each step has a first");
        assert!((0..count).all(|event| global[event] >= late[event]), "seed {seed}");
        for event in 0..count {
            let senders = events.messages.iter().filter(|m| m.1 as usize == event).map(|m| late[m.0 as usize]);
            let differential = measures::differential(late[event], aggregate[event], senders);
            assert!((0..=late[event]).contains(&differential), "seed {seed}");
            let previous = (event > 0 && !events.first_of_row.contains(&(event as u32))).then(|| late[event - 1]);
            let differential = measures::aggregate_differential(aggregate[event], previous);
            assert!((0..=aggregate[event]).contains(&differential), "seed {seed}");
        }
        // Phases: sums and extremes of their events.
        assert_eq!(phases.len(), structure.phases.len());
        for (number, phase) in phases.iter().enumerate() {
            let mine: Vec<usize> = (0..count).filter(|&e| structure.phase[e] as usize == number).collect();
            let rows = rows_of(events);
            assert_eq!(phase.events, mine.len() as u64);
            assert_eq!(phase.rows as usize, mine.iter().map(|&e| rows[e]).collect::<BTreeSet<_>>().len());
            assert_eq!(phase.total_lateness, mine.iter().map(|&e| global[e]).sum::<i64>());
            assert_eq!(Some(phase.max_lateness), mine.iter().map(|&e| global[e]).max());
            assert_eq!(Some(phase.max_phase_lateness), mine.iter().map(|&e| late[e]).max());
            assert_eq!(Some(phase.first_enter), mine.iter().map(|&e| events.enter[e]).min());
            assert_eq!(Some(phase.last_leave), mine.iter().map(|&e| events.leave[e]).max());
        }
    });
}

/// Longest ways to the sends and collectives of each phase, a collective being one point; `None` for receives.
fn strides(events: &Events, structure: &Structure) -> Vec<Option<usize>> {
    let (count, rows) = (events.kind.len(), rows_of(events));
    let mut node: Vec<usize> = (0..count).collect();
    for members in collectives(events) {
        for &member in members {
            node[member as usize] = members[0] as usize;
        }
    }
    let is_node = |event: usize| events.kind[event] != Kind::Receive;
    let behind = |event: usize| {
        let same = |other: &usize| rows[*other] == rows[event] && structure.phase[*other] == structure.phase[event];
        (event + 1..count).take_while(same).find(|&other| is_node(other))
    };
    let mut edges: Vec<(usize, usize)> =
        (0..count).filter(|&e| is_node(e)).filter_map(|e| Some((node[e], node[behind(e)?]))).collect();
    edges.extend(
        events
            .messages
            .iter()
            .filter_map(|&(send, receive)| Some((node[send as usize], node[behind(receive as usize)?]))),
    );
    let mut stride = vec![0; count];
    for _ in 0..count {
        for &(from, to) in &edges {
            stride[to] = stride[to].max(stride[from] + 1);
        }
    }
    (0..count).map(|event| is_node(event).then(|| stride[node[event]])).collect()
}

#[test]
fn what_has_one_stride_has_one_step() {
    for_all(|seed, events, options, structure| {
        if options.stepping == Stepping::Earliest || options.merge_overlapping {
            return;
        }
        let strides = strides(events, structure);
        let mut steps_of: BTreeMap<u32, BTreeSet<(usize, u32)>> = BTreeMap::new();
        for (event, stride) in strides.iter().enumerate() {
            if let Some(stride) = stride {
                steps_of.entry(structure.phase[event]).or_default().insert((*stride, structure.step[event]));
            }
        }
        for (phase, pairs) in steps_of {
            if !structure.phases[phase as usize].is_split {
                // Sorted by stride: dense from 0, one step each, and the steps ascend.
                assert!(pairs.iter().map(|pair| pair.0).eq(0..pairs.len()), "seed {seed}: {pairs:?}");
                assert!(pairs.iter().map(|pair| pair.1).is_sorted_by(|a, b| a < b), "seed {seed}: {pairs:?}");
            }
        }
    });
}

#[test]
fn lateness_asks_neither_for_the_beginning_of_time_nor_for_what_is_alone() {
    for_all(|seed, events, options, structure| {
        let measured = |events: &Events| {
            let steps = measures::step_measures(&events.first_of_row, &(events, structure), structure.steps);
            measures::bands(&events.first_of_row, &(events, structure), &structure.phases, &steps)
                .flat_map(|band| band.measures)
                .collect::<Vec<_>>()
        };
        let later = Events {
            enter: events.enter.iter().map(|time| Ns(time.0 + 1_000_000)).collect(),
            leave: events.leave.iter().map(|time| Ns(time.0 + 1_000_000)).collect(),
            ..events.clone()
        };
        assert_eq!(of(&later, options), *structure, "seed {seed}");
        let lateness = |of: &PhaseMeasures| (of.max_lateness, of.total_lateness, of.max_phase_lateness);
        let (now, then) = (measured(events), measured(&later));
        assert!(now.iter().map(lateness).eq(then.iter().map(lateness)), "seed {seed}");
        for (phase, measures) in structure.phases.iter().zip(&now) {
            if measures.events == u64::from(phase.last_step - phase.first_step + 1) {
                assert_eq!(measures.max_phase_lateness, 0, "seed {seed}: one event a step");
            }
        }
    });
}

#[test]
fn given_phases_are_no_larger_than_they_have_to_be() {
    // Rank 0 sends in its second call what rank 1 receives in its third: rank 0's later events move to the third as well.
    let mut program = Program::new(2);
    let early = program.send(0, 0, 1);
    let send = program.send(0, 2, 3);
    let behind = program.send(0, 4, 5);
    program.receive(1, 0, 2, &[early]);
    program.receive(1, 4, 6, &[send]);
    program.receive(1, 7, 8, &[behind]);
    program.is_given = true;
    for (row, counts) in [(0, [1, 2, 2]), (1, [1, 3, 3])] {
        for (event, count) in counts.into_iter().enumerate() {
            program.rows[row][event].given_phase = count;
        }
    }
    assert_eq!(of(&program.events(), &LogicalOptions::default()).phase, [0, 1, 1, 0, 1, 1]);
}
