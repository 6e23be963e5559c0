//! The first reading: what lines must know before their time comes.
//!
//! Messages and collectives may be more than fits the memory. Their ends are kept as rows that go to the scratch space, and
//! come back sorted: ends of messages by what they are matched by, messages by time, collectives by location.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use heddle_model::{
    CollectiveEnd, CommId, Definitions, Event, LocationId, MarkText, MessageEnd, Ns, Part, RecordBlock, RegionId,
    RequestId, Source,
};

use super::super::calls::COLLECTIVE;
use super::layout::Layout;
use super::rows::{CollectiveCall, MatchedRow, MessageRow};
use super::{Failed, parts_by_location};
use crate::runs::{Row, Runs};
use crate::{Output, Scratch, WriteError};

/// What was found.
pub(super) struct Survey {
    /// By the time of sending.
    pub(super) messages: Runs<MatchedRow>,
    pub(super) collectives: Collectives,
    /// Names of marks, each with its texts and their values.
    pub(super) marks: Vec<(String, FxHashMap<String, i64>)>,
    pub(super) mark_types: FxHashMap<String, u32>,
    pub(super) end: Ns,
    pub(super) records: u64,
    pub(super) left_out: u64,
}

/// What calls of collectives will have done, in the scratch space: by location, in the order they begin.
pub(super) struct Collectives {
    /// Where each location's rows begin, and the end.
    first: Vec<u64>,
    start: u64,
    /// Rows to read at a time.
    at_once: u64,
}

impl Collectives {
    fn sorted(
        mut calls: Runs<CollectiveCall>,
        locations: usize,
        memory: u64,
        scratch: &dyn Scratch,
    ) -> io::Result<Collectives> {
        let mut first = vec![0; locations + 1];
        let mut bytes = Vec::new();
        let mut pieces = Vec::new();
        for call in calls.merged(scratch)? {
            let call = call?;
            first[call.location as usize + 1] += 1;
            bytes.extend_from_slice(call.to_bytes().as_ref());
            if bytes.len() >= 1 << 20 {
                pieces.push(scratch.append(&bytes)?);
                bytes.clear();
            }
        }
        pieces.push(scratch.append(&bytes)?);
        for at in 0..locations {
            first[at + 1] += first[at];
        }
        let at_once = (memory / CollectiveCall::BYTES as u64 / locations.max(1) as u64).clamp(4, 1 << 12);
        // Nobody else writes meanwhile: pieces lie one behind the other.
        Ok(Collectives { first, start: pieces.first().copied().unwrap_or(0), at_once })
    }

    /// Some rows of a location from a row on; none behind the last.
    pub(super) fn read(&self, location: u32, from: u64, scratch: &dyn Scratch) -> io::Result<Vec<CollectiveCall>> {
        let get = |at: usize| self.first.get(at).copied().unwrap_or(0);
        let (start, end) = (get(location as usize) + from, get(location as usize + 1));
        let end = end.min(start + self.at_once);
        if start >= end {
            return Ok(Vec::new());
        }
        let place = |row: u64| self.start + row * CollectiveCall::BYTES as u64;
        let mut bytes = Vec::new();
        scratch.read(place(start)..place(end), &mut bytes)?;
        Ok(bytes.chunks_exact(CollectiveCall::BYTES).map(CollectiveCall::from_bytes).collect())
    }
}

/// What all locations have, as it is found.
struct Gathering<'a> {
    definitions: &'a Definitions,
    scratch: &'a dyn Scratch,
    /// Rows of one kind that may be in memory.
    most: usize,
    /// All kinds under one lock: a run must lie in one piece in the scratch space.
    rows: Mutex<GatheredRows>,
    records: AtomicU64,
}

#[derive(Default)]
struct GatheredRows {
    sends: Runs<MessageRow>,
    receives: Runs<MessageRow>,
    collectives: Runs<CollectiveCall>,
}

/// Takes rows over and puts them aside if there are many.
fn take<T: Row>(rows: &mut Vec<T>, into: &mut Runs<T>, most: usize, scratch: &dyn Scratch) -> io::Result<()> {
    rows.drain(..).for_each(|row| into.push(row));
    into.put_aside_beyond(most, scratch)
}

impl Survey {
    pub(super) fn of(source: &dyn Source, layout: &Layout, to: &Output<'_>) -> Result<Survey, Failed> {
        // A quarter each for three kinds of rows while they are gathered, and for the messages made of them.
        let share = usize::try_from(to.memory / 4).unwrap_or(usize::MAX);
        let gathering = Gathering {
            definitions: source.definitions(),
            scratch: to.scratch,
            most: (share / MessageRow::BYTES).max(1 << 10),
            rows: Mutex::default(),
            records: AtomicU64::new(0),
        };
        let found = parts_by_location(source)
            .into_par_iter()
            .enumerate()
            .map_init(RecordBlock::default, |block, (at, parts)| {
                Walk::new(LocationId(at as u32), layout, &gathering).run(source, parts, block, to)
            });
        let found: Vec<Found> = found.collect::<Result<_, Failed>>()?;
        Survey::put_together(source, found, gathering, to)
    }

    fn put_together(
        source: &dyn Source,
        found: Vec<Found>,
        gathering: Gathering<'_>,
        to: &Output<'_>,
    ) -> Result<Survey, Failed> {
        let Gathering { rows, most, .. } = gathering;
        let GatheredRows { sends, receives, collectives } = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
        let collectives = Collectives::sorted(collectives, found.len(), to.memory / 4, to.scratch)?;
        let (messages, matched) = pair(sends, receives, most, to.scratch)?;
        let ends: u64 = found.iter().map(|of| of.messages).sum();
        let mut survey = Survey {
            messages,
            collectives,
            marks: Vec::new(),
            mark_types: FxHashMap::default(),
            end: found.iter().filter_map(|of| of.end).max().unwrap_or(Ns(0)).max(Ns(0)),
            records: found.iter().map(|of| of.records).sum(),
            left_out: found.iter().map(|of| of.left_out).sum::<u64>() + ends.saturating_sub(2 * matched),
        };
        for mark in found.into_iter().flat_map(|of| of.marks) {
            survey.mark(&mark.name, &mark.text);
        }
        for mark in &source.definitions().marks {
            survey.mark(&mark.name, &mark.text);
            survey.left_out += 1;
        }
        Ok(survey)
    }

    fn mark(&mut self, name: &str, text: &str) {
        let at = if let Some(at) = self.mark_types.get(name) {
            *at as usize
        } else {
            self.mark_types.insert(name.to_owned(), self.marks.len() as u32);
            self.marks.push((name.to_owned(), FxHashMap::default()));
            self.marks.len() - 1
        };
        let texts = &mut self.marks[at].1;
        let next = texts.len() as i64 + 1;
        texts.entry(text.to_owned()).or_insert(next);
    }
}

/// Pairs sends with receives: within a communicator, sender, receiver and tag the first with the first. Returns the
/// messages by time, and how many there are.
fn pair(
    mut sends: Runs<MessageRow>,
    mut receives: Runs<MessageRow>,
    most: usize,
    scratch: &dyn Scratch,
) -> io::Result<(Runs<MatchedRow>, u64)> {
    let mut messages = Runs::default();
    let mut number = 0;
    let mut receives = receives.merged(scratch)?;
    let mut receive = receives.next().transpose()?;
    for send in sends.merged(scratch)? {
        let send = send?;
        while receive.is_some_and(|receive| receive.channel() < send.channel()) {
            receive = receives.next().transpose()?;
        }
        let Some(found) = receive.filter(|receive| receive.channel() == send.channel()) else { continue };
        receive = receives.next().transpose()?;
        messages.push(MatchedRow { number, send: send.into(), receive: found.into() });
        messages.put_aside_beyond(most / 2, scratch)?;
        number += 1;
    }
    Ok((messages, number))
}

/// What one location has besides rows.
#[derive(Default)]
struct Found {
    /// Each of them once, in the order they came.
    marks: Vec<MarkText>,
    end: Option<Ns>,
    records: u64,
    /// Ends of messages.
    messages: u64,
    left_out: u64,
}

/// The walk over one location.
struct Walk<'a> {
    location: LocationId,
    layout: &'a Layout,
    gathering: &'a Gathering<'a>,
    found: Found,
    seen: FxHashSet<MarkText>,
    /// Open regions, with their place among the calls of collectives if they are one.
    open: Vec<(RegionId, Option<u64>)>,
    begun: Option<u64>,
    calls: u64,
    /// Ends that wait for their completion.
    sends: FxHashMap<RequestId, MessageRow>,
    posts: FxHashMap<RequestId, (u64, Ns)>,
    requests: FxHashMap<RequestId, u64>,
    /// Rows that are whole.
    sent: Vec<MessageRow>,
    received: Vec<MessageRow>,
    ended: Vec<CollectiveCall>,
}

impl<'a> Walk<'a> {
    fn new(location: LocationId, layout: &'a Layout, gathering: &'a Gathering<'a>) -> Walk<'a> {
        Walk {
            location,
            layout,
            gathering,
            found: Found::default(),
            seen: FxHashSet::default(),
            open: Vec::new(),
            begun: None,
            calls: 0,
            sends: FxHashMap::default(),
            posts: FxHashMap::default(),
            requests: FxHashMap::default(),
            sent: Vec::new(),
            received: Vec::new(),
            ended: Vec::new(),
        }
    }

    fn run(
        mut self,
        source: &dyn Source,
        parts: &[Part],
        block: &mut RecordBlock,
        to: &Output<'_>,
    ) -> Result<Found, Failed> {
        for part in parts {
            block.clear();
            source.read(part, block).map_err(|error| Failed::Other(error.into()))?;
            self.feed(block);
            self.hand_over()?;
            let count = block.len() as u64;
            if !(to.go_on)(self.gathering.records.fetch_add(count, Ordering::Relaxed) + count) {
                return Err(Failed::Other(WriteError::Cancelled));
            }
        }
        // Sends that never completed were sent all the same.
        self.sent.extend(std::mem::take(&mut self.sends).into_values());
        self.hand_over()?;
        Ok(self.found)
    }

    fn hand_over(&mut self) -> io::Result<()> {
        let Gathering { rows, most, scratch, .. } = self.gathering;
        let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
        take(&mut self.sent, &mut rows.sends, *most, *scratch)?;
        take(&mut self.received, &mut rows.receives, *most, *scratch)?;
        take(&mut self.ended, &mut rows.collectives, *most, *scratch)
    }

    fn feed(&mut self, block: &RecordBlock) {
        self.found.records += block.len() as u64;
        self.found.end = self.found.end.max(block.last);
        for (time, event) in block.iter() {
            self.found.end = self.found.end.max(Some(time));
            self.event(time, &event);
        }
    }

    fn event(&mut self, time: Ns, event: &Event<'_>) {
        match event {
            Event::Enter(region) => {
                let is_collective = self.layout.calls.get(region.index()).is_some_and(|call| call.0 == COLLECTIVE);
                let place = is_collective.then_some(self.calls);
                self.calls += u64::from(is_collective);
                self.open.push((*region, place));
            }
            Event::Leave(None) => _ = self.open.pop(),
            Event::Leave(Some(region)) => {
                if let Some(depth) = self.open.iter().rposition(|(open, _)| open == region) {
                    self.open.truncate(depth);
                }
            }
            Event::Send(end) | Event::Isend(end) => {
                let row = self.row(self.found.messages, end, (time, time), true);
                self.found.messages += 1;
                let before = if end.request.is_some() { self.sends.insert(end.request, row) } else { Some(row) };
                self.sent.extend(before);
            }
            Event::SendComplete(request) => {
                let send = self.sends.remove(request);
                self.sent.extend(send.map(|send| MessageRow { times: (send.times.0, time), ..send }));
            }
            Event::RecvRequest(request) => {
                self.posts.insert(*request, (self.found.messages, time));
                self.found.messages += 1;
            }
            Event::Recv(end) | Event::Irecv(end) => {
                let (order, posted) = self.posts.remove(&end.request).unwrap_or_else(|| {
                    self.found.messages += 1;
                    (self.found.messages - 1, time)
                });
                self.received.push(self.row(order, end, (posted, time), false));
            }
            Event::RequestCancelled(request) => {
                self.posts.remove(request);
                self.requests.remove(request);
            }
            Event::CollectiveBegin => self.begun = self.open.last().and_then(|open| open.1),
            Event::CollectiveRequest(request) => {
                if let Some(place) = self.open.last().and_then(|open| open.1) {
                    self.requests.insert(*request, place);
                }
            }
            Event::CollectiveEnd(end) => {
                let place = self.begun.take();
                self.collective(place, end);
            }
            Event::CollectiveComplete(end) => {
                let place = self.requests.remove(&end.request);
                self.collective(place, end);
            }
            Event::Mark(mark) => {
                if self.seen.insert((*mark).clone()) {
                    self.found.marks.push((*mark).clone());
                }
            }
            Event::Metric(_) | Event::Task(_) | Event::DependsOn(_) => {}
        }
    }

    fn row(&self, order: u64, end: &MessageEnd, times: (Ns, Ns), is_send: bool) -> MessageRow {
        let here = self.gathering.definitions.main_location(self.location);
        let (from, into) = if is_send { (here, end.peer) } else { (end.peer, here) };
        let CommId(comm) = end.comm;
        let (location, bytes) = (self.location.0, end.bytes);
        MessageRow { comm, from: from.0, into: into.0, tag: end.tag, location, order, times, bytes }
    }

    fn collective(&mut self, place: Option<u64>, end: &CollectiveEnd) {
        let Some(order) = place else {
            self.found.left_out += 1;
            return;
        };
        let (comm, root) = (end.comm, end.root);
        self.ended.push(CollectiveCall {
            location: self.location.0,
            order,
            comm,
            root,
            sent: end.sent,
            received: end.received,
        });
    }
}
