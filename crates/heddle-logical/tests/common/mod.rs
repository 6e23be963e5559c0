//! Programs written down as events, by hand or by chance.

#![allow(dead_code)] // each test file uses its own part

pub(crate) mod chance;
pub(crate) mod ops;
pub(crate) mod slow;
pub(crate) mod stored;

use heddle_logical::{Events, Kind};
use heddle_model::Ns;

/// An event by row and place on the row.
pub(crate) type At = (usize, usize);

/// A program as it is written down: rows of events, then what joins them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) rows: Vec<Vec<Written>>,
    pub(crate) messages: Vec<(At, At)>,
    pub(crate) collectives: Vec<Vec<At>>,
    pub(crate) is_given: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) kind: Kind,
    pub(crate) enter: i64,
    pub(crate) leave: i64,
    pub(crate) is_joined: bool,
    pub(crate) given_phase: u32,
}

impl Program {
    pub(crate) fn new(rows: usize) -> Program {
        Program { rows: vec![Vec::new(); rows], ..Program::default() }
    }

    /// Adds an event to the end of a row.
    pub(crate) fn add(&mut self, row: usize, kind: Kind, enter: i64, leave: i64) -> At {
        self.rows[row].push(Written { kind, enter, leave, is_joined: false, given_phase: 0 });
        (row, self.rows[row].len() - 1)
    }

    pub(crate) fn send(&mut self, row: usize, enter: i64, leave: i64) -> At {
        self.add(row, Kind::Send, enter, leave)
    }

    /// A receive of what was sent at `sends`.
    pub(crate) fn receive(&mut self, row: usize, enter: i64, leave: i64, sends: &[At]) -> At {
        let receive = self.add(row, Kind::Receive, enter, leave);
        self.messages.extend(sends.iter().map(|&send| (send, receive)));
        receive
    }

    /// A collective of all rows, by their times.
    pub(crate) fn collective(&mut self, times: &[(usize, i64, i64)]) {
        let members = times.iter().map(|&(row, enter, leave)| self.add(row, Kind::Collective, enter, leave)).collect();
        self.collectives.push(members);
    }

    pub(crate) fn events(&self) -> Events {
        let mut events = Events::default();
        events.first_of_row.push(0);
        for row in &self.rows {
            for (place, event) in row.iter().enumerate() {
                events.kind.push(event.kind);
                events.enter.push(Ns(event.enter));
                events.leave.push(Ns(event.leave));
                events.is_joined.push(event.is_joined && place > 0);
                if self.is_given {
                    events.given_phase.push(event.given_phase);
                }
            }
            events.first_of_row.push(events.kind.len() as u32);
        }
        let id = |at: &At| events.first_of_row[at.0] + at.1 as u32;
        let mut messages: Vec<(u32, u32)> =
            self.messages.iter().map(|(send, receive)| (id(send), id(receive))).collect();
        messages.sort_unstable();
        let (mut members, mut first_of_collective) = (Vec::new(), vec![0]);
        for collective in &self.collectives {
            let mut ids: Vec<u32> = collective.iter().map(id).collect();
            ids.sort_unstable();
            members.extend(ids);
            first_of_collective.push(members.len() as u32);
        }
        Events { messages, members, first_of_collective, ..events }
    }

    /// The same program with its rows in another order: row `r` becomes row `place[r]`.
    pub(crate) fn permuted(&self, place: &[usize]) -> Program {
        let mut rows = vec![Vec::new(); self.rows.len()];
        for (row, events) in self.rows.iter().enumerate() {
            rows[place[row]].clone_from(events);
        }
        let at = |&(row, event): &At| (place[row], event);
        Program {
            rows,
            messages: self.messages.iter().map(|(send, receive)| (at(send), at(receive))).collect(),
            collectives: self.collectives.iter().map(|members| members.iter().map(at).collect()).collect(),
            is_given: self.is_given,
        }
    }
}

/// The row of each event.
pub(crate) fn rows_of(events: &Events) -> Vec<usize> {
    let rows = events.first_of_row.windows(2).enumerate();
    rows.flat_map(|(row, ends)| std::iter::repeat_n(row, (ends[1] - ends[0]) as usize)).collect()
}
