//! Small programs whose phases, steps and lateness were worked out by hand and with an independent script.

#![allow(clippy::expect_used, reason = "a helper that fails is a test that fails")]

mod common;

use common::{At, Program, rows_of};
use heddle_logical::measures::{self, Cell, StepMeasures};
use heddle_logical::{Events, LogicalOptions, Stepping, Structure, structure};
use heddle_store::NoProgress;

/// Everything that is computed of a program.
struct Result {
    events: Events,
    structure: Structure,
    steps: StepMeasures,
    cells: Vec<Cell>,
}

impl Result {
    fn new(program: &Program, options: &LogicalOptions) -> Result {
        let events = program.events();
        let structure = structure(&events, options, &NoProgress).expect("nobody cancels");
        let placed = (&events, &structure);
        let steps = measures::step_measures(&events.first_of_row, &placed, structure.steps);
        let bands = measures::bands(&events.first_of_row, &placed, &structure.phases, &steps);
        let cells = bands.flat_map(|band| band.cells).collect();
        Result { events, structure, steps, cells }
    }

    fn cell(&self, event: usize) -> Cell {
        let phase = self.structure.phase[event] as usize;
        let before = self.structure.phases[..phase].iter().map(|phase| phase.last_step - phase.first_step + 1);
        let step = self.structure.step[event] - self.structure.phases[phase].first_step;
        self.cells[(before.sum::<u32>() + step) as usize]
    }

    fn late(&self, event: usize) -> i64 {
        self.events.leave[event].0 - self.cell(event).least_leave.0
    }

    fn aggregate(&self, event: usize) -> i64 {
        self.events.enter[event].0 - self.cell(event).least_enter.0
    }

    fn differential(&self, event: usize) -> i64 {
        let senders = self.events.messages.iter().filter(|message| message.1 as usize == event);
        let senders = senders.map(|message| self.late(message.0 as usize));
        measures::differential(self.late(event), self.aggregate(event), senders)
    }

    fn global(&self, event: usize) -> i64 {
        self.events.leave[event].0 - self.steps.least_leave[self.structure.step[event] as usize].0
    }

    fn global_aggregate(&self, event: usize) -> i64 {
        self.events.enter[event].0 - self.steps.least_enter[self.structure.step[event] as usize].0
    }

    /// Lines as in the tables: step (as there, twice ours), phase, rank, enter, then what `values` gives.
    fn lines<const N: usize>(&self, values: [fn(&Result, usize) -> i64; N]) -> Vec<(i64, i64, i64, i64, [i64; N])> {
        let rows = rows_of(&self.events);
        let mut lines: Vec<_> = (0..rows.len())
            .map(|event| {
                let (step, phase) = (i64::from(self.structure.step[event]) * 2, i64::from(self.structure.phase[event]));
                (step, phase, rows[event] as i64, self.events.enter[event].0, values.map(|value| value(self, event)))
            })
            .collect();
        lines.sort_by_key(|line| (line.0, line.2));
        lines
    }

    fn steps(&self) -> Vec<u32> {
        self.structure.step.iter().map(|step| step * 2).collect()
    }
}

fn default(program: &Program) -> Result {
    Result::new(program, &LogicalOptions::default())
}

fn leap_merge(skip: bool) -> LogicalOptions {
    LogicalOptions { leap_merge: true, leap_skip: skip, ..LogicalOptions::default() }
}

const ALL: [fn(&Result, usize) -> i64; 5] =
    [Result::late, Result::aggregate, Result::differential, Result::global, Result::global_aggregate];

fn token() -> Program {
    let mut program = Program::new(4);
    let zero = program.send(0, 10, 14);
    program.receive(1, 5, 20, &[zero]);
    let one = program.send(1, 26, 30);
    program.receive(2, 5, 38, &[one]);
    let two = program.send(2, 40, 44);
    program.receive(3, 5, 52, &[two]);
    let three = program.send(3, 55, 60);
    program.receive(0, 16, 70, &[three]);
    program
}

#[test]
fn a_token_is_one_phase_a_message() {
    let result = default(&token());
    let expected = [
        (0, 0, 0, 10),
        (2, 0, 1, 5),
        (4, 1, 1, 26),
        (6, 1, 2, 5),
        (8, 2, 2, 40),
        (10, 2, 3, 5),
        (12, 3, 3, 55),
        (14, 3, 0, 16),
    ];
    assert_eq!(result.lines([Result::late, Result::global]), expected.map(|(s, p, r, e)| (s, p, r, e, [0, 0])));
}

#[test]
fn leap_merge_makes_a_token_one_phase_with_the_same_steps() {
    let result = Result::new(&token(), &leap_merge(false));
    assert_eq!(result.structure.phases.len(), 1);
    assert_eq!(result.steps(), default(&token()).steps());
}

#[test]
fn a_shift_is_one_phase_a_round_and_lateness_resets() {
    let mut program = Program::new(4);
    let round = |program: &mut Program, enters: [i64; 4], receives: [(i64, i64); 4]| {
        let sends: Vec<At> = (0..4).map(|row| program.send(row, enters[row], enters[row] + 6)).collect();
        for row in 0..4 {
            program.receive(row, receives[row].0, receives[row].1, &[sends[(row + 3) % 4]]);
        }
    };
    round(&mut program, [100, 100, 130, 100], [(108, 118), (108, 118), (138, 142), (108, 150)]);
    round(&mut program, [200; 4], [(208, 218); 4]);
    let expected = [
        (0, 0, 0, 100, [0, 0, 0, 0, 0]),
        (0, 0, 1, 100, [0, 0, 0, 0, 0]),
        (0, 0, 2, 130, [30, 30, 0, 30, 30]),
        (0, 0, 3, 100, [0, 0, 0, 0, 0]),
        (2, 0, 0, 108, [0, 0, 0, 0, 0]),
        (2, 0, 1, 108, [0, 0, 0, 0, 0]),
        (2, 0, 2, 138, [24, 30, 0, 24, 30]),
        (2, 0, 3, 108, [32, 0, 2, 32, 0]),
        (4, 1, 0, 200, [0; 5]),
        (4, 1, 1, 200, [0; 5]),
        (4, 1, 2, 200, [0; 5]),
        (4, 1, 3, 200, [0; 5]),
        (6, 1, 0, 208, [0; 5]),
        (6, 1, 1, 208, [0; 5]),
        (6, 1, 2, 208, [0; 5]),
        (6, 1, 3, 208, [0; 5]),
    ];
    assert_eq!(default(&program).lines(ALL), expected);
}

#[test]
fn a_halo_exchange_is_one_phase_a_round() {
    let mut program = Program::new(6);
    let round = |program: &mut Program, start: i64, late: i64, leaves: [i64; 6]| {
        let mut sends = Vec::new();
        for row in 0..6 {
            let enter = start + 10 + if row == 3 { late } else { 0 };
            sends.push(program.send(row, enter, enter + if row == 0 || row == 5 { 3 } else { 7 }));
        }
        for (row, leave) in leaves.into_iter().enumerate() {
            let near: Vec<At> = [row.wrapping_sub(1), row + 1].iter().filter_map(|&r| sends.get(r).copied()).collect();
            program.receive(row, start + 20 + if row == 3 { late } else { 0 }, leave, &near);
        }
    };
    round(&mut program, 100, 40, [160, 162, 175, 178, 176, 163]);
    round(&mut program, 200, 0, [260, 262, 264, 266, 265, 263]);
    let expected = [
        (0, 0, 0, 110, [0, 0, 0]),
        (0, 0, 1, 110, [4, 0, 4]),
        (0, 0, 2, 110, [4, 0, 4]),
        (0, 0, 3, 150, [44, 40, 4]),
        (0, 0, 4, 110, [4, 0, 4]),
        (0, 0, 5, 110, [0, 0, 0]),
        (2, 0, 0, 120, [0, 0, 0]),
        (2, 0, 1, 120, [2, 0, 0]),
        (2, 0, 2, 120, [15, 0, 0]),
        (2, 0, 3, 160, [18, 40, 0]),
        (2, 0, 4, 120, [16, 0, 0]),
        (2, 0, 5, 120, [3, 0, 0]),
        (4, 1, 0, 210, [0, 0, 0]),
        (4, 1, 1, 210, [4, 0, 4]),
        (4, 1, 2, 210, [4, 0, 4]),
        (4, 1, 3, 210, [4, 0, 4]),
        (4, 1, 4, 210, [4, 0, 4]),
        (4, 1, 5, 210, [0, 0, 0]),
        (6, 1, 0, 220, [0, 0, 0]),
        (6, 1, 1, 220, [2, 0, 0]),
        (6, 1, 2, 220, [4, 0, 0]),
        (6, 1, 3, 220, [6, 0, 2]),
        (6, 1, 4, 220, [5, 0, 1]),
        (6, 1, 5, 220, [3, 0, 0]),
    ];
    let result = default(&program);
    assert_eq!(result.lines([Result::late, Result::aggregate, Result::differential]), expected);
    assert!((0..24).all(|event| result.late(event) == result.global(event)));
}

fn tree() -> Program {
    let mut program = Program::new(8);
    let mut message = |from, enter, leave, to, receive_enter, receive_leave| {
        let send = program.send(from, enter, leave);
        program.receive(to, receive_enter, receive_leave, &[send]);
    };
    message(1, 100, 104, 0, 100, 110);
    message(3, 103, 107, 2, 100, 112);
    message(5, 150, 154, 4, 100, 160);
    message(7, 101, 105, 6, 100, 111);
    message(2, 114, 118, 0, 112, 124);
    message(6, 113, 117, 4, 164, 168);
    message(4, 170, 174, 0, 126, 180);
    program
}

#[test]
fn in_a_tree_only_global_lateness_shows_who_is_late() {
    let expected = [
        (0, 0, 1, 100, [0, 0, 0]),
        (0, 1, 3, 103, [0, 3, 3]),
        (0, 2, 5, 150, [0, 50, 50]),
        (0, 3, 7, 101, [0, 1, 1]),
        (2, 0, 0, 100, [0, 0, 0]),
        (2, 1, 2, 100, [0, 2, 0]),
        (2, 2, 4, 100, [0, 50, 0]),
        (2, 3, 6, 100, [0, 1, 0]),
        (4, 4, 2, 114, [0, 1, 1]),
        (4, 5, 6, 113, [0, 0, 0]),
        (6, 4, 0, 112, [0, 0, 0]),
        (6, 5, 4, 164, [0, 44, 52]),
        (8, 6, 4, 170, [0, 0, 0]),
        (10, 6, 0, 126, [0, 0, 0]),
    ];
    assert_eq!(default(&tree()).lines([Result::late, Result::global, Result::global_aggregate]), expected);
}

#[test]
fn leap_merge_makes_a_tree_one_phase_in_which_phase_lateness_is_lateness() {
    let (plain, merged) = (default(&tree()), Result::new(&tree(), &leap_merge(false)));
    assert_eq!(merged.structure.phases.len(), 1);
    assert_eq!(merged.steps(), plain.steps());
    assert!((0..14).all(|event| merged.late(event) == plain.global(event)));
}

#[test]
fn leap_merge_with_skip_keeps_the_level_that_covers_all_ranks() {
    let (plain, skipped) = (default(&tree()), Result::new(&tree(), &leap_merge(true)));
    let phases: Vec<u32> = plain.structure.phase.iter().map(|&phase| phase.min(4)).collect();
    assert_eq!(skipped.structure.phase, phases);
    assert_eq!(skipped.steps(), plain.steps());
}

#[test]
fn an_allreduce_between_exchanges_is_a_phase_of_its_own() {
    let mut program = Program::new(4);
    let exchange =
        |program: &mut Program, pairs: [(usize, usize); 2], sends: [(i64, i64); 4], receives: [(i64, i64); 4]| {
            let at: Vec<At> = (0..4).map(|row| program.send(row, sends[row].0, sends[row].1)).collect();
            for (a, b) in pairs {
                program.receive(a, receives[a].0, receives[a].1, &[at[b]]);
                program.receive(b, receives[b].0, receives[b].1, &[at[a]]);
            }
        };
    exchange(
        &mut program,
        [(0, 1), (2, 3)],
        [(100, 104), (101, 105), (120, 124), (102, 106)],
        [(106, 112), (107, 113), (126, 134), (108, 132)],
    );
    program.collective(&[(0, 115, 160), (1, 116, 161), (2, 150, 158), (3, 134, 159)]);
    exchange(
        &mut program,
        [(0, 2), (1, 3)],
        [(162, 166), (163, 167), (160, 164), (170, 174)],
        [(168, 176), (169, 177), (166, 172), (176, 184)],
    );
    let expected = [
        (0, 0, 0, 100, [0, 0, 0, 0, 0]),
        (0, 0, 1, 101, [1, 1, 0, 1, 1]),
        (0, 1, 2, 120, [18, 18, 0, 20, 20]),
        (0, 1, 3, 102, [0, 0, 0, 2, 2]),
        (2, 0, 0, 106, [0, 0, 0, 0, 0]),
        (2, 0, 1, 107, [1, 1, 0, 1, 1]),
        (2, 1, 2, 126, [2, 18, 0, 22, 20]),
        (2, 1, 3, 108, [0, 0, 0, 20, 2]),
        (4, 2, 0, 115, [2, 0, 2, 2, 0]),
        (4, 2, 1, 116, [3, 1, 2, 3, 1]),
        (4, 2, 2, 150, [0, 35, 0, 0, 35]),
        (4, 2, 3, 134, [1, 19, 0, 1, 19]),
        (6, 3, 0, 162, [2, 2, 0, 2, 2]),
        (6, 4, 1, 163, [0, 0, 0, 3, 3]),
        (6, 3, 2, 160, [0, 0, 0, 0, 0]),
        (6, 4, 3, 170, [7, 7, 0, 10, 10]),
        (8, 3, 0, 168, [4, 2, 2, 4, 2]),
        (8, 4, 1, 169, [0, 0, 0, 5, 3]),
        (8, 3, 2, 166, [0, 0, 0, 0, 0]),
        (8, 4, 3, 176, [7, 7, 0, 12, 10]),
    ];
    assert_eq!(default(&program).lines(ALL), expected);
}

fn interleaved() -> Program {
    let mut program = Program::new(3);
    let sends: Vec<At> = [10, 14, 18, 22].iter().map(|&enter| program.send(0, enter, enter + 2)).collect();
    program.receive(1, 9, 31, &[sends[0], sends[2]]);
    program.receive(2, 9, 32, &[sends[1], sends[3]]);
    program
}

#[test]
fn interleaved_receivers_are_one_phase() {
    let result = default(&interleaved());
    assert_eq!(result.structure.phases.len(), 1);
    assert_eq!(result.steps(), [0, 2, 4, 6, 6, 8]);
}

#[test]
fn a_collective_in_a_mixed_phase_has_one_step() {
    let mut program = Program::new(3);
    let first = program.send(0, 10, 14);
    let second = program.send(0, 16, 18);
    program.receive(1, 10, 20, &[first]);
    program.receive(1, 22, 26, &[second]);
    let isend = program.send(2, 10, 12);
    program.collective(&[(0, 30, 50), (1, 30, 50), (2, 20, 50)]);
    program.receive(1, 60, 64, &[isend]);
    let last = program.send(1, 66, 68);
    program.receive(0, 60, 72, &[last]);
    let result = default(&program);
    assert_eq!(result.steps(), [0, 4, 10, 16, 2, 6, 10, 12, 14, 8, 10]);
    assert_eq!(result.structure.phase, [0, 1, 2, 3, 0, 1, 2, 2, 3, 2, 2]);
    assert!(result.structure.phases.iter().all(|phase| !phase.is_split));
}

#[test]
fn earliest_steps_ignore_columns() {
    let earliest = LogicalOptions { stepping: Stepping::Earliest, ..LogicalOptions::default() };
    // Without merging both ways agree on one message a phase.
    assert_eq!(Result::new(&tree(), &earliest).steps(), default(&tree()).steps());
    // Rank 0 sends twice. Its second send shares a column with the send of rank 2, which has to receive before it.
    let mut program = Program::new(4);
    let (a, b, c) = (program.send(0, 0, 1), program.send(0, 2, 3), program.send(3, 0, 1));
    program.receive(2, 0, 2, &[c]);
    let d = program.send(2, 3, 4);
    program.receive(1, 0, 2, &[a]);
    program.receive(1, 3, 4, &[b]);
    program.receive(1, 5, 6, &[d]);
    for event in program.rows.iter_mut().flatten() {
        event.is_joined = true;
    }
    assert_eq!(default(&program).steps(), [0, 4, 2, 6, 8, 2, 4, 0]);
    assert_eq!(Result::new(&program, &earliest).steps(), [0, 2, 2, 4, 6, 2, 4, 0]);
}

#[test]
fn a_collective_that_a_message_passes_both_ways_is_taken_apart() {
    // Rank 1 leaves the collective and sends; rank 0 receives that before it enters.
    let mut program = Program::new(2);
    program.collective(&[(1, 0, 5)]);
    program.collectives.clear();
    let send = program.send(1, 6, 8);
    program.receive(0, 0, 10, &[send]);
    let member = program.add(0, heddle_logical::Kind::Collective, 12, 14);
    program.collectives.push(vec![member, (1, 0)]);
    let result = default(&program);
    assert_eq!(result.structure.phases.len(), 1);
    assert!(result.structure.phases[0].is_split);
    assert_eq!(result.steps(), [4, 6, 0, 2]);
}
