//! Drawables become records in the order of time.
//!
//! A node holds drawables from anywhere in its time span, and a state is one thing with two ends. Nodes are taken by
//! their beginning: whatever starts before the next node begins can be told. States become enters and leaves through a
//! stack for each location.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use heddle_model::{
    CollectiveEnd, CollectiveOp, CommId, LocationId, MarkText, MessageEnd, Ns, RegionId, RequestId, WarningKind,
    Warnings,
};

use crate::Gather;

/// States that are open at once on a location; what is nested deeper is left out. Only broken logs get there.
const DEEPEST: usize = 4096;

/// What happens at a time.
#[derive(Debug)]
pub(super) enum What {
    Enter { region: RegionId, collective: Option<CollectiveOp>, comm: CommId, text: Option<Box<MarkText>> },
    Mark(Box<MarkText>),
    Send(Box<MessageEnd>),
    Receive(Box<MessageEnd>),
}

/// Something that waits for its time.
#[derive(Debug)]
struct Item {
    time: Ns,
    /// Receives are the last thing in their call, sends and marks come after the beginning of theirs.
    class: u8,
    /// Of two states that begin together the longer one is outside.
    end: Reverse<Ns>,
    number: u64,
    location: LocationId,
    what: What,
}

impl Item {
    fn key(&self) -> (Ns, u8, Reverse<Ns>, u64) {
        (self.time, self.class, self.end, self.number)
    }
}

impl PartialEq for Item {
    fn eq(&self, other: &Item) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Item {}

impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Item) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Item {
    fn cmp(&self, other: &Item) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// A state that has begun.
#[derive(Clone, Copy, Debug)]
struct Open {
    region: RegionId,
    end: Ns,
    collective: Option<CollectiveOp>,
    comm: CommId,
}

#[derive(Debug, Default)]
struct Row {
    open: Vec<Open>,
    last: Option<Ns>,
}

/// Sorts what comes and hands it to the gatherer.
pub(super) struct InOrder<'g, 'a> {
    pub(super) gather: &'g mut Gather<'a>,
    waiting: BinaryHeap<Reverse<Item>>,
    rows: Vec<Row>,
    number: u64,
    falls: u64,
    too_deep: u64,
    added: usize,
}

impl<'g, 'a> InOrder<'g, 'a> {
    pub(super) fn new(gather: &'g mut Gather<'a>) -> InOrder<'g, 'a> {
        let waiting = BinaryHeap::new();
        InOrder { gather, waiting, rows: Vec::new(), number: 0, falls: 0, too_deep: 0, added: 0 }
    }

    /// Something that happens at `time`; a state ends at `end`.
    pub(super) fn add(&mut self, location: LocationId, time: Ns, end: Ns, what: What) {
        let class = match what {
            What::Receive(_) => 0,
            What::Enter { .. } => 1,
            What::Send(_) | What::Mark(_) => 2,
        };
        self.number += 1;
        self.waiting.push(Reverse(Item { time, class, end: Reverse(end), number: self.number, location, what }));
    }

    /// Tells everything that happens before `time`.
    pub(super) fn advance(&mut self, time: Ns) -> std::io::Result<()> {
        while self.waiting.peek().is_some_and(|Reverse(item)| item.time < time) {
            let Some(Reverse(item)) = self.waiting.pop() else { break };
            self.tell(item);
        }
        self.gather.settle(std::mem::take(&mut self.added))
    }

    /// Tells the rest and closes what is open.
    pub(super) fn finish(mut self, file: &str, warnings: &mut Warnings) {
        while let Some(Reverse(item)) = self.waiting.pop() {
            self.tell(item);
        }
        for at in 0..self.rows.len() {
            self.close(LocationId(at as u32), Ns(i64::MAX));
        }
        let place = || file.to_owned();
        let text = "times go backwards within a location; they were raised to the time before";
        warnings.add_many(WarningKind::TimeFalls, self.falls, place, text);
        let text = "states nested deeper than 4096 were left out";
        warnings.add_many(WarningKind::Corrupt, self.too_deep, place, text);
    }

    fn row(&mut self, location: LocationId) -> &mut Row {
        if location.index() >= self.rows.len() {
            self.rows.resize_with(location.index() + 1, Row::default);
        }
        &mut self.rows[location.index()]
    }

    /// A time that is not before the last one of its location.
    fn settled(&mut self, location: LocationId, time: Ns) -> Ns {
        let row = self.row(location);
        let settled = row.last.map_or(time, |last| last.max(time));
        row.last = Some(settled);
        self.falls += u64::from(settled != time);
        let block = self.gather.block(location);
        block.last = Some(settled);
        block.events += 1;
        self.added += 16;
        settled
    }

    fn tell(&mut self, item: Item) {
        let location = item.location;
        // A point at the end of a state still is inside; a state that begins there is not.
        let is_state = matches!(item.what, What::Enter { .. });
        self.close(location, if is_state { Ns(item.time.0 + 1) } else { item.time });
        if is_state && self.row(location).open.len() >= DEEPEST {
            self.too_deep += 1;
            return;
        }
        let time = self.settled(location, item.time);
        let block = self.gather.block(location);
        match item.what {
            What::Send(end) => block.send(time, *end),
            What::Receive(end) => block.recv(time, *end),
            What::Mark(text) => block.mark(time, *text),
            What::Enter { region, collective, comm, text } => {
                block.enter(time, region);
                if collective.is_some() {
                    block.collective_begin(time);
                }
                if let Some(text) = text {
                    block.mark(time, *text);
                }
                self.open(location, Open { region, end: item.end.0, collective, comm });
            }
        }
    }

    /// The converter pairs the ends of a state nested in itself first in, first out, so that the inner one seems to end
    /// last. Their ends are exchanged: the program nested them.
    fn open(&mut self, location: LocationId, mut state: Open) {
        let row = self.row(location);
        for around in row.open.iter_mut().filter(|around| around.region == state.region) {
            if around.end < state.end {
                std::mem::swap(&mut around.end, &mut state.end);
            }
        }
        row.open.push(state);
    }

    /// Leaves the states that end before `time`, in the order of their ends.
    fn close(&mut self, location: LocationId, time: Ns) {
        loop {
            let open = &mut self.row(location).open;
            // The innermost of those that end first. States that cross are left to whoever reads the records.
            let first = open.iter().enumerate().rev().min_by_key(|(_, state)| state.end);
            let Some((at, state)) = first.filter(|(_, state)| state.end < time) else { return };
            let state = *state;
            open.remove(at);
            let end = self.settled(location, state.end);
            let block = self.gather.block(location);
            if let Some(op) = state.collective {
                block.collective_end(
                    end,
                    CollectiveEnd {
                        op,
                        comm: state.comm,
                        root: LocationId::NONE,
                        sent: 0,
                        received: 0,
                        request: RequestId::NONE,
                        number: None,
                    },
                );
            }
            block.leave(end, Some(state.region));
        }
    }
}
