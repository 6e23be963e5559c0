//! Programs made by chance: what message-passing programs do, and what damaged traces say they did.

use heddle_logical::Kind;
use heddle_testkit::Chance;

use super::{At, Program};

struct Maker {
    chance: Chance,
    program: Program,
    clock: Vec<i64>,
    /// Sent and not yet received: sender's event, receiver's row.
    in_flight: Vec<(At, usize)>,
    phase: Vec<u32>,
}

impl Maker {
    fn add(&mut self, row: usize, kind: Kind) -> At {
        let enter = self.clock[row] + self.chance.below(40) as i64;
        let leave = enter + 1 + self.chance.below(20) as i64;
        self.clock[row] = leave;
        let at = self.program.add(row, kind, enter, leave);
        self.program.rows[at.0][at.1].given_phase = self.phase[row];
        at
    }

    fn receive(&mut self, row: usize, sends: &[At]) {
        let receive = self.add(row, Kind::Receive);
        self.program.messages.extend(sends.iter().map(|&send| (send, receive)));
    }

    fn message(&mut self, from: usize, to: usize) {
        let send = self.add(from, Kind::Send);
        self.receive(to, &[send]);
    }

    fn collective(&mut self, rows: &[usize]) {
        let members = rows.iter().map(|&row| self.add(row, Kind::Collective)).collect();
        self.program.collectives.push(members);
    }

    fn some_rows(&mut self) -> Vec<usize> {
        let rows = self.clock.len();
        let count = 1 + self.chance.below(rows);
        self.chance.order(rows)[..count].to_vec()
    }

    fn two_rows(&mut self) -> (usize, usize) {
        let order = self.chance.order(self.clock.len());
        (order[0], order[1])
    }

    /// One thing that programs do.
    fn act(&mut self) {
        let rows = self.clock.len();
        match self.chance.below(12) {
            0 => {
                // A shift: everybody sends to the right, then receives from the left.
                let sends: Vec<At> = (0..rows).map(|row| self.add(row, Kind::Send)).collect();
                for row in 0..rows {
                    self.receive(row, &[sends[(row + rows - 1) % rows]]);
                }
            }
            1 => {
                // A halo on a line: one event sends to all neighbours, one waits for all.
                let sends: Vec<At> = (0..rows).map(|row| self.add(row, Kind::Send)).collect();
                for row in 0..rows {
                    let near: Vec<At> =
                        [row.wrapping_sub(1), row + 1].iter().filter_map(|&r| sends.get(r).copied()).collect();
                    self.receive(row, &near);
                }
            }
            2 => {
                let (a, b) = self.two_rows();
                self.message(a, b);
            }
            3 => {
                // An exchange of two.
                let (a, b) = self.two_rows();
                let (from_a, from_b) = (self.add(a, Kind::Send), self.add(b, Kind::Send));
                self.receive(a, &[from_b]);
                self.receive(b, &[from_a]);
            }
            4 => {
                // A gather.
                let root = self.chance.below(rows);
                for row in (0..rows).filter(|&row| row != root) {
                    self.message(row, root);
                }
            }
            5 => {
                let all: Vec<usize> = (0..rows).collect();
                self.collective(&all);
            }
            6 => {
                let some = self.some_rows();
                self.collective(&some);
            }
            7 => {
                // Sent now, received some time later, perhaps across collectives.
                let (a, b) = self.two_rows();
                let send = self.add(a, Kind::Send);
                self.in_flight.push((send, b));
            }
            8 if !self.in_flight.is_empty() => {
                // One wait for some of what is in flight to a row.
                let (_, row) = self.in_flight[self.chance.below(self.in_flight.len())];
                self.wait(row);
            }
            9 => {
                // Sends in turns to two that wait for all of theirs.
                let order = self.chance.order(rows);
                let from = order[0];
                let to: Vec<usize> = order[1..].iter().copied().take(2).collect();
                let turns = 1 + self.chance.below(3);
                let mut sends = vec![Vec::new(); to.len()];
                for _ in 0..turns {
                    for sends in &mut sends {
                        sends.push(self.add(from, Kind::Send));
                    }
                }
                for (&to, sends) in to.iter().zip(&sends) {
                    self.receive(to, sends);
                }
            }
            10 => {
                let row = self.chance.below(rows);
                self.phase[row] += 1;
            }
            _ => {
                for phase in &mut self.phase {
                    *phase += 1;
                }
            }
        }
    }

    fn wait(&mut self, row: usize) {
        let mine: Vec<At> = self.in_flight.iter().filter(|&&(_, to)| to == row).map(|&(send, _)| send).collect();
        self.in_flight.retain(|&(_, to)| to != row);
        if !mine.is_empty() {
            self.receive(row, &mine);
        }
    }
}

/// A program that could run.
pub(crate) fn valid(seed: u64) -> Program {
    let mut chance = Chance(seed);
    let rows = 2 + chance.below(5);
    let acts = 1 + chance.below(9);
    let joined = [0, 0, 15, 50][chance.below(4)];
    let mut maker = Maker {
        chance,
        program: Program::new(rows),
        clock: vec![0; rows],
        in_flight: Vec::new(),
        phase: vec![0; rows],
    };
    for _ in 0..acts {
        maker.act();
    }
    for row in 0..rows {
        maker.wait(row);
    }
    let Maker { mut chance, mut program, .. } = maker;
    for event in program.rows.iter_mut().flatten() {
        event.is_joined = chance.is(joined);
    }
    program
}

/// What a damaged trace says: ends without partners, collectives that others passed in another order, messages that were
/// received before they were sent.
pub(crate) fn damaged(seed: u64) -> Program {
    let mut program = valid(seed);
    let mut chance = Chance(!seed);
    let unmatched = chance.below(40);
    program.messages.retain(|_| !chance.is(unmatched));
    let lost = chance.below(40);
    for members in &mut program.collectives {
        members.retain(|_| !chance.is(lost));
    }
    if chance.is(50) {
        // Two collectives that some members passed in the other order.
        let Program { rows, collectives, .. } = &mut program;
        for row in 0..rows.len() {
            let mine: Vec<(usize, usize)> = collectives
                .iter()
                .enumerate()
                .flat_map(|(c, members)| {
                    members.iter().enumerate().filter(|(_, at)| at.0 == row).map(move |(m, _)| (c, m))
                })
                .collect();
            if mine.len() > 1 && chance.is(50) {
                let (a, b) = (mine[chance.below(mine.len())], mine[chance.below(mine.len())]);
                let (at_a, at_b) = (collectives[a.0][a.1], collectives[b.0][b.1]);
                collectives[a.0][a.1] = at_b;
                collectives[b.0][b.1] = at_a;
            }
        }
    }
    if chance.is(50) && program.messages.len() > 1 {
        for _ in 0..=chance.below(4) {
            let (a, b) = (chance.below(program.messages.len()), chance.below(program.messages.len()));
            let receive = program.messages[a].1;
            program.messages[a].1 = program.messages[b].1;
            program.messages[b].1 = receive;
        }
    }
    program
}
