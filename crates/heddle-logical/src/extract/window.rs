//! Fourth pass: events of a stretch of time, with the messages and collectives between them.
//!
//! A window begins on each row where the one before was cut, and ends with the last event that is entered before a moment.
//! Events that have to do with what comes behind the window are **open**. Whoever decides where to cut may take everything
//! before the cuts as final; the rest is in the next window again.
//!
//! Which receives wait for something behind the window is told by when they end. If clocks or records contradict that,
//! a message turns up later whose other end was taken as final: then there are no windows, but the events all at once.

use std::ops::Range;

use heddle_model::{Ns, WarningKind};
use heddle_store::{Columns, Progress, StoreError, pieces};
use rayon::prelude::*;

use super::fill::JOINED;
use super::links::{EventOfRow, Members, Several};
use super::rows::partition_point_from;
use super::{Survey, rows_at_once};
use crate::Events;
use crate::tables::kind_of;

/// Members of collectives that are looked up together, about.
const MEMBERS_AT_ONCE: u64 = 1 << 18;

/// Events of a stretch of time. They are numbered in the window, from 0.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The events, without their times, and what lies between them.
    pub(crate) events: Events,
    /// Those that have to do with what comes behind the window.
    pub(crate) open: Vec<u32>,
    /// The first event of each row, and behind the last one, among all events.
    pub(crate) from: Vec<u32>,
    to: Vec<u32>,
    /// Whether there is nothing behind it.
    pub(crate) is_last: bool,
    /// Behind the last message of each row that was looked at.
    sent_to: Vec<u64>,
    /// The first collectives of the window, as rows of their table; what comes behind them are lone members.
    collectives: Vec<u64>,
}

/// Where an event is.
enum Place {
    Before,
    In(u32),
    Behind,
}

impl Found {
    fn place(&self, (row, event): EventOfRow) -> Place {
        let row = row as usize;
        if event < self.from[row] {
            Place::Before
        } else if event < self.to[row] {
            Place::In(self.events.first_of_row[row] + (event - self.from[row]))
        } else {
            Place::Behind
        }
    }
}

/// Goes through the events of a store, window by window.
#[derive(Debug)]
pub(crate) struct Windows<'a> {
    survey: &'a Survey<'a>,
    /// The next event of each row.
    from: Vec<u32>,
    /// The first span of each row that no window ended before.
    spans: Vec<u64>,
    /// The first message of each row that may be sent by what comes next.
    sent: Vec<u64>,
    /// Of each communicator the collectives that are not final.
    comms: Vec<Range<u64>>,
    /// Whether each collective is final.
    is_final: Vec<u64>,
    several: Several,
    /// How much earlier than it was sent a message may be received.
    skew: i64,
}

impl<'a> Windows<'a> {
    pub(crate) fn new(survey: &'a Survey) -> Windows<'a> {
        let store = survey.store;
        let rows = survey.locations().len();
        let table = &store.collectives;
        let (mut comms, mut at) = (Vec::new(), 0);
        while at < table.len() {
            let comm = table.comm.get(at);
            let end = partition_point_from(&table.comm, at..table.len(), |other| other <= comm);
            comms.push(at..end.max(at + 1));
            at = end.max(at + 1);
        }
        Windows {
            survey,
            from: survey.first_of_row[..rows].to_vec(),
            spans: survey.locations().iter().map(|location| store.spans_of(*location).start).collect(),
            sent: survey.sent.iter().map(|sent| sent.start).collect(),
            comms,
            is_final: vec![0; table.len().div_ceil(64) as usize],
            several: survey.several(),
            skew: skew(survey),
        }
    }

    /// Moments, each with how many events are entered before it.
    pub(crate) fn edges(&self) -> Vec<(Ns, u64)> {
        self.survey.clock.edges()
    }

    /// All that is left. There is nothing behind it. `None` if the records contradict what was taken as final.
    pub(crate) fn rest(&self, progress: &dyn Progress) -> Result<Option<Found>, StoreError> {
        self.found(self.survey.first_of_row[1..].to_vec(), true, progress)
    }

    /// What is entered before a moment. `None` as for [`Windows::rest`].
    pub(crate) fn before(&mut self, end: Ns, progress: &dyn Progress) -> Result<Option<Found>, StoreError> {
        let survey = self.survey;
        let table = &survey.store.spans;
        let rows = survey.locations().par_iter().zip(&self.spans).with_min_len(64);
        self.spans = rows
            .map(|(location, first)| {
                partition_point_from(&table.start, *first..survey.store.spans_of(*location).end, |start| start < end)
            })
            .collect();
        let to: Vec<u32> = (self.spans.par_iter().zip(&survey.shift).zip(&self.from))
            .map(|((span, shift), from)| survey.index.before(*span).wrapping_add(*shift).max(*from))
            .collect();
        let Some(mut found) = self.found(to, false, progress)? else { return Ok(None) };
        let horizon = Ns(end.0.saturating_sub(self.skew));
        let waiting: Vec<Vec<u32>> = (0..self.spans.len())
            .into_par_iter()
            .with_min_len(64)
            .map(|row| self.waiting(&found, row, horizon))
            .collect();
        found.open.extend(waiting.into_iter().flatten());
        Ok(Some(found))
    }

    /// The events of a row that may have to do with what comes behind the window by what the row alone says.
    fn waiting(&self, found: &Found, row: usize, horizon: Ns) -> Vec<u32> {
        let survey = self.survey;
        let local = |event: u32| found.events.first_of_row[row] + (event - found.from[row]);
        let mut waiting = Vec::new();
        let (from, to) = (found.from[row], found.to[row]);
        if from == to {
            return waiting;
        }
        if to < survey.first_of_row[row + 1] && survey.marks[to as usize] & JOINED != 0 {
            waiting.push(local(to - 1));
        }
        let first = survey.locations().get(row).map_or(0, |location| survey.store.spans_of(*location).start);
        for span in survey.index.receives_back(first..self.spans[row]) {
            let event = survey.index.receive_event(span).wrapping_add(survey.shift[row]);
            if event < from || survey.store.spans.end.get(span) < horizon {
                break;
            }
            waiting.push(local(event));
        }
        waiting
    }

    /// The window up to an event of each row.
    fn found(&self, to: Vec<u32>, is_last: bool, progress: &dyn Progress) -> Result<Option<Found>, StoreError> {
        let from = self.from.clone();
        let mut events = Events { first_of_row: Vec::with_capacity(to.len() + 1), ..Events::default() };
        let mut total = 0;
        events.first_of_row.push(0);
        for (from, to) in from.iter().zip(&to) {
            total += to - from;
            events.first_of_row.push(total);
        }
        events.kind.reserve(total as usize);
        events.is_joined.reserve(total as usize);
        for (from, to) in from.iter().zip(&to) {
            let marks = &self.survey.marks[*from as usize..*to as usize];
            events.kind.extend(marks.iter().map(|mark| kind_of(*mark)));
            events.is_joined.extend(marks.iter().map(|mark| mark & JOINED != 0));
        }
        let mut found = Found { events, from, to, is_last, ..Found::default() };
        let consistent = self.messages(&mut found, progress)? && self.collectives(&mut found, progress)?;
        Ok(consistent.then_some(found))
    }

    /// Messages that events of the window send, ascending. False if one of them has a final end.
    fn messages(&self, found: &mut Found, progress: &dyn Progress) -> Result<bool, StoreError> {
        let rows: Vec<usize> = (0..found.from.len()).collect();
        let parts: Vec<Option<SentPart>> = rows
            .par_chunks(rows_at_once(rows.len()))
            .map(|rows| {
                progress.check()?;
                let mut part = SentPart::default();
                let is_consistent = rows.iter().all(|row| self.sent_by(*row, found, &mut part));
                Ok(is_consistent.then_some(part))
            })
            .collect::<Result<_, StoreError>>()?;
        let Some(parts) = parts.into_iter().collect::<Option<Vec<SentPart>>>() else { return Ok(false) };
        let mut messages = Vec::with_capacity(parts.iter().map(|part| part.messages.len()).sum());
        for part in parts {
            messages.extend_from_slice(&part.messages);
            found.open.extend_from_slice(&part.open);
            found.sent_to.extend_from_slice(&part.sent_to);
        }
        found.events.messages = messages;
        Ok(true)
    }

    /// Messages that a row sends in the window.
    fn sent_by(&self, row: usize, found: &Found, part: &mut SentPart) -> bool {
        let survey = self.survey;
        let table = &survey.store.messages;
        let rows = self.sent[row]..survey.sent[row].end;
        let first = part.messages.len();
        let (mut at, mut before, mut is_consistent) = (rows.start, found.from[row], true);
        if found.from[row] == found.to[row] && !found.is_last {
            part.sent_to.push(at);
            return true;
        }
        // A few at a time: where the window ends is seen when it is passed.
        let mut step = 64;
        'window: while at < rows.end && is_consistent {
            let end = rows.end.min(at + step);
            step = (2 * step).min(1 << 14);
            let mut is_behind = false;
            let ends = (&table.send_location, &table.send_span, &table.recv_location, &table.recv_span);
            let mut next = at;
            ends.for_each(at..end, |ends| {
                let message = next;
                next += 1;
                if is_behind {
                    return;
                }
                at = next;
                let Some((send, receive)) = survey.message(message, ends) else { return };
                match (found.place(send), found.place(receive)) {
                    (Place::Behind, _) => {
                        is_behind = true;
                        at = message;
                    }
                    (Place::In(send), Place::In(receive)) => part.messages.push((send, receive)),
                    (Place::In(send), Place::Behind) => part.open.push(send),
                    (Place::Before, _) | (_, Place::Before) => is_consistent = false,
                }
                // If all that is left is looked at, its order does not matter.
                if !is_behind && !found.is_last {
                    is_consistent &= before <= send.1;
                    before = send.1;
                }
            });
            if is_behind {
                break 'window;
            }
        }
        sort_nearly_sorted(&mut part.messages[first..]);
        part.sent_to.push(at);
        is_consistent
    }

    /// Collectives of the window. False if one of them has a final member without being final.
    fn collectives(&self, found: &mut Found, progress: &dyn Progress) -> Result<bool, StoreError> {
        let parts: Vec<Option<CollectivesPart>> = self
            .comms
            .par_iter()
            .map(|rows| {
                progress.check()?;
                Ok(self.collectives_of(rows.clone(), found))
            })
            .collect::<Result<_, StoreError>>()?;
        let Some(parts) = parts.into_iter().collect::<Option<Vec<CollectivesPart>>>() else { return Ok(false) };
        let mut alone = Vec::new();
        found.events.first_of_collective = vec![0];
        found.events.members = Vec::with_capacity(parts.iter().map(|part| part.members.len()).sum());
        for part in parts {
            let first = found.events.members.len() as u32;
            found.events.members.extend_from_slice(&part.members);
            found.events.first_of_collective.extend(part.ends.iter().map(|end| first + end));
            found.open.extend_from_slice(&part.open);
            found.collectives.extend_from_slice(&part.collectives);
            alone.extend_from_slice(&part.alone);
        }
        for event in alone {
            found.events.members.push(event);
            found.events.first_of_collective.push(found.events.members.len() as u32);
        }
        Ok(true)
    }

    /// Collectives of a communicator. They are looked at in order up to the first that has nothing in the window.
    fn collectives_of(&self, mut rows: Range<u64>, found: &Found) -> Option<CollectivesPart> {
        let mut part = CollectivesPart::default();
        let mut at_once = 1;
        while !rows.is_empty() {
            let first = rows.start;
            let end = rows.end.min(first + at_once);
            rows.start = end;
            let members: Vec<Members> = (first..end)
                .into_par_iter()
                .map(|at| if self.is_final(at) { Members::default() } else { self.survey.members(at, &self.several) })
                .collect();
            let count: usize = members.iter().map(|members| members.events.len()).sum();
            at_once = (2 * at_once).min(1 + MEMBERS_AT_ONCE * at_once / (1 + count as u64));
            for (at, members) in (first..end).zip(members) {
                if self.is_final(at) {
                    continue;
                }
                let (before, mut behind) = (part.members.len(), false);
                for member in &members.events {
                    match found.place(*member) {
                        Place::Before => return None,
                        Place::In(event) => part.members.push(event),
                        Place::Behind => behind = true,
                    }
                }
                for member in &members.alone {
                    if let Place::In(event) = found.place(*member) {
                        part.alone.push(event);
                    }
                }
                let inside = &part.members[before..];
                if inside.is_empty() {
                    if behind {
                        return Some(part);
                    }
                    continue;
                }
                if behind {
                    part.open.extend_from_slice(inside);
                }
                part.ends.push(part.members.len() as u32);
                part.collectives.push(at);
            }
        }
        Some(part)
    }

    fn is_final(&self, collective: u64) -> bool {
        self.is_final[collective as usize / 64] >> (collective % 64) & 1 != 0
    }

    /// Takes the events before a cut on each row as final, counted in the window.
    pub(crate) fn close(&mut self, found: &Found, cuts: &[u32]) {
        let survey = self.survey;
        let firsts = &found.events.first_of_row;
        self.from = found.from.iter().zip(cuts).zip(firsts).map(|((from, cut), first)| from + (cut - first)).collect();
        let messages = &survey.store.messages;
        self.sent = (found.sent_to.par_iter().zip(&self.sent).zip(&self.from))
            .map(|((end, first), from)| {
                let is_open = |at: u64| {
                    let send = survey.sender(at, messages.send_location.get(at), messages.send_span.get(at));
                    send.is_none_or(|send| send.1 >= *from)
                };
                (*first..*end).rev().find(|at| !is_open(*at)).map_or(*first, |at| at + 1)
            })
            .collect();
        let ends = &found.events.first_of_collective;
        let row_of = |event: u32| firsts.partition_point(|first| *first <= event) - 1;
        for (place, collective) in found.collectives.iter().enumerate() {
            let first = found.events.members[ends[place] as usize];
            if first < cuts[row_of(first)] {
                self.is_final[*collective as usize / 64] |= 1 << (collective % 64);
            }
        }
        let mut comms = std::mem::take(&mut self.comms);
        comms.par_iter_mut().for_each(|rows| {
            // Some have no members on rows, and are never in a window.
            let is_done = |at| self.is_final(at) || survey.members(at, &self.several).events.is_empty();
            while !rows.is_empty() && is_done(rows.start) {
                rows.start += 1;
            }
        });
        comms.retain(|rows| !rows.is_empty());
        self.comms = comms;
    }
}

/// What some rows send in a window.
#[derive(Default)]
struct SentPart {
    messages: Vec<(u32, u32)>,
    /// Events that send what is received behind the window.
    open: Vec<u32>,
    sent_to: Vec<u64>,
}

/// Collectives of one communicator in a window.
#[derive(Default)]
struct CollectivesPart {
    collectives: Vec<u64>,
    members: Vec<u32>,
    /// Where the members of each end.
    ends: Vec<u32>,
    alone: Vec<u32>,
    open: Vec<u32>,
}

/// Sorts messages of a row. They come in the order of sending, so only those of one event need it.
fn sort_nearly_sorted(messages: &mut [(u32, u32)]) {
    if !messages.is_sorted_by_key(|message| message.0) {
        messages.sort_unstable();
        return;
    }
    for of_event in messages.chunk_by_mut(|left, right| left.0 == right.0) {
        of_event.sort_unstable();
    }
}

/// The most that a message of a store is received before it was sent.
fn skew(survey: &Survey) -> i64 {
    let store = survey.store;
    if !store.warnings().iter().any(|warning| warning.kind == WarningKind::ReceiveBeforeSend) {
        return 0;
    }
    let messages = &store.messages;
    let most = pieces(messages.len()).into_par_iter().map(|rows| {
        let mut most = 0;
        (&messages.send, &messages.recv).for_each(rows, |(send, recv)| most = most.max(send.since(recv)));
        most
    });
    most.max().unwrap_or(0)
}
