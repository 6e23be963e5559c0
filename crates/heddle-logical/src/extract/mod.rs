//! From a store to communication events.
//!
//! Messages and collectives say which calls communicate; nothing depends on the names of functions but what runs of
//! non-blocking sends and waiting for all requests mean. Three passes over everything, each over all cores: mark the calls,
//! walk the rows, note what each event is. What that takes is a few bits for a span and a byte for an event; it is a
//! [`Survey`]. Messages and collectives are turned into events for a [`Window`] at a time.

mod clock;
mod fill;
mod index;
mod links;
mod mark;
mod regions;
mod rows;
mod scan;
mod window;

use std::ops::Range;
use std::sync::atomic::AtomicU32;

use heddle_model::{LocationId, Ns, SpanRow};
use heddle_store::table::path_of;
use heddle_store::tables::MessageRows;
use heddle_store::{Progress, Store, StoreError};
use rayon::prelude::*;

use crate::tables::flags;
use crate::{Events, LogicalOptions, work};
use clock::Clock;
use fill::{Fill, JOINED, RowColumns};
use index::SpanIndex;
use mark::Marking;
pub(crate) use regions::Regions;
pub use regions::phase_function;
use rows::Rows;
use scan::{RowsScan, Scan};
pub(crate) use window::{Found, Windows};

/// The events of a store, all at once.
#[derive(Debug)]
pub struct Extracted {
    /// The events.
    pub events: Events,
    /// What else there is to know of each, as [`crate::tables::flags`].
    pub flags: Vec<u8>,
}

/// What is odd about the communication of a trace, as counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oddities {
    /// Sends without a receive.
    pub unmatched_sends: u64,
    /// Receives without a send.
    pub unmatched_receives: u64,
    /// Receives that were posted and never completed.
    pub posted_receives: u64,
    /// Ends of messages and collectives that belong to no call.
    pub without_call: u64,
    /// Ends of messages and collectives on locations that are no rows.
    pub left_out: u64,
    /// Ranks whose row is another location than their main one.
    pub replaced_rows: u64,
    /// Whether rows are locations, as the trace has no ranks.
    pub without_ranks: bool,
}

/// Ends of messages and members of collectives: what the cost of logical time grows with.
pub fn size(store: &Store) -> u64 {
    2 * store.messages.len() + store.collective_members.len() + store.unmatched.len()
}

/// Bytes of memory that computing logical time takes at least, about: bits for each span, a byte for each event, some for
/// each row, and a window.
pub fn memory_needed(store: &Store) -> u64 {
    const WINDOW: u64 = 32 << 20;
    let events = size(store).min(store.spans.len() + size(store) / 8);
    WINDOW + SpanIndex::memory_of(store.spans.len()) + 2 * events + 100 * store.locations.len()
}

/// Finds the communication events of a store.
pub fn extract(store: &Store, options: &LogicalOptions, progress: &dyn Progress) -> Result<Extracted, StoreError> {
    let survey = survey(store, options, progress)?;
    let events = survey.everything(progress)?;
    let flags = survey.marks.iter().map(|mark| mark & !JOINED & !flags::KIND).collect();
    Ok(Extracted { events, flags })
}

/// What is known of the events of a store before they are put together.
#[derive(Debug)]
pub(crate) struct Survey<'a> {
    store: &'a Store,
    rows: Rows,
    regions: Regions,
    index: SpanIndex,
    same_size: bool,
    /// The first event of each row, and behind the last row the number of events.
    pub(crate) first_of_row: Vec<u32>,
    /// What to add to an event's number over all spans to have its number here, by row.
    shift: Vec<u32>,
    /// The messages that each row sent.
    sent: Vec<Range<u64>>,
    /// What each event is: its kind, flags and [`JOINED`].
    marks: Vec<u8>,
    given_phase: Vec<u32>,
    clock: Clock,
    /// What is odd.
    pub(crate) oddities: Oddities,
}

/// Looks at all spans and ends of a store.
pub(crate) fn survey<'a>(
    store: &'a Store,
    options: &LogicalOptions,
    progress: &dyn Progress,
) -> Result<Survey<'a>, StoreError> {
    let phase = options.phase_function.as_deref().map(|name| phase_function(store, name)).transpose()?;
    let is_given = phase.is_some();
    let (messages, members) = (store.messages.len(), store.collective_members.len());
    progress.begin(work::FINDING_EVENTS, messages + members + store.spans.len());
    let regions = Regions::of(store, phase);
    let rows = Rows::of(store);
    let mut index = SpanIndex::new(store.spans.len());
    let marking = Marking { store, rows: &rows, regions: &regions };
    let marked = marking.mark(&mut index, progress)?;
    let scans = scan_rows(&marking, &index, options.coalesce_isends && !is_given, progress)?;
    let total = index.number();
    if total >= u64::from(u32::MAX) {
        return Err(StoreError::Trace(format!("logical time: {total} events are too many; it can handle 4 billion")));
    }
    let mut first_of_row = Vec::with_capacity(rows.locations.len() + 1);
    let mut last = 0;
    first_of_row.push(0);
    first_of_row.extend(scans.iter().flat_map(RowsScan::events_of_rows).map(|events| {
        last += events;
        last
    }));
    let shift: Vec<u32> = rows
        .locations
        .par_iter()
        .zip(&first_of_row)
        .map(|(location, first)| first.wrapping_sub(index.before(store.spans_of(*location).start)))
        .collect();
    let sent = rows.sent(store);
    // Those of a damaged store may lie in any order, and over each other.
    if sent.iter().map(|sent| sent.end - sent.start).sum::<u64>() > messages {
        let path = path_of::<MessageRows>(store.path());
        return Err(StoreError::damaged(&path, "its messages are not in the order of their senders"));
    }
    let clock = Clock::of(store);
    let fill = Fill { store, index: &index, regions: &regions, options, clock: &clock };
    let mut marks = vec![0; last as usize];
    let mut given_phase = if is_given { vec![0; last as usize] } else { Vec::new() };
    let columns = RowColumns { mark: &mut marks, given_phase: &mut given_phase };
    fill_rows(&fill, &rows.locations, &scans, &sent, columns, progress)?;
    drop(scans);
    let oddities = Oddities {
        unmatched_sends: marked.unmatched[0],
        unmatched_receives: marked.unmatched[1],
        posted_receives: marked.posted,
        without_call: marked.loose,
        left_out: rows.left_out,
        replaced_rows: rows.replaced,
        without_ranks: rows.without_ranks,
    };
    let same_size = options.same_size;
    Ok(Survey {
        store,
        rows,
        regions,
        index,
        same_size,
        first_of_row,
        shift,
        sent,
        marks,
        given_phase,
        clock,
        oddities,
    })
}

impl Survey<'_> {
    /// The location of each row.
    pub(crate) fn locations(&self) -> &[LocationId] {
        &self.rows.locations
    }

    /// How many events there are.
    pub(crate) fn events(&self) -> u32 {
        self.first_of_row.last().copied().unwrap_or(0)
    }

    /// How many messages the store has.
    pub(crate) fn messages(&self) -> u64 {
        self.store.messages.len()
    }

    /// Bytes of memory that it holds.
    pub(crate) fn memory(&self) -> u64 {
        const BYTES_PER_ROW: u64 = 64;
        let rows = BYTES_PER_ROW * self.rows.locations.len() as u64;
        self.index.memory() + rows + (self.marks.len() + 4 * self.given_phase.len()) as u64
    }

    /// Kinds and flags of some events.
    pub(crate) fn kinds(&self, events: Range<u32>) -> impl Iterator<Item = u8> + '_ {
        self.marks[events.start as usize..events.end as usize].iter().map(|mark| mark & !JOINED)
    }

    /// All events at once, with their times.
    pub(crate) fn everything(&self, progress: &dyn Progress) -> Result<Events, StoreError> {
        // Nothing was taken as final that it could contradict.
        let mut events = Windows::new(self).rest(progress)?.unwrap_or_default().events;
        events.given_phase.clone_from(&self.given_phase);
        let locations = self.locations().len();
        let at_once = rows_at_once(locations);
        let rows: Vec<usize> = (0..locations).collect();
        let calls: Vec<Calls> = rows
            .par_chunks(at_once)
            .map(|rows| {
                let mut calls = Calls::default();
                for row in rows {
                    self.calls(*row, self.first_of_row[*row]..self.first_of_row[row + 1], &mut calls);
                }
                calls
            })
            .collect();
        for calls in calls {
            events.enter.extend(calls.enter);
            events.leave.extend(calls.leave);
        }
        Ok(events)
    }

    /// Adds the calls of some events of a row.
    pub(crate) fn calls(&self, row: usize, events: Range<u32>, calls: &mut Calls) {
        let (Some(location), false) = (self.rows.locations.get(row), events.is_empty()) else { return };
        let mut spans = self.store.spans_of(*location);
        let end = calls.span.len() + events.len();
        if events.start > self.first_of_row[row] {
            // Behind the last call before which there are at most so many events.
            let is_before = |span: u64| self.index.before(span).wrapping_add(self.shift[row]) <= events.start;
            let (mut low, mut high) = (spans.start, spans.end);
            while low < high {
                let middle = low + (high - low) / 2;
                if is_before(middle) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            spans.start = low.saturating_sub(1).max(spans.start);
        }
        // Events at one call may lie on both sides of where these begin.
        let mut event = self.index.before(spans.start).wrapping_add(self.shift[row]);
        let (mut starts, mut ends) = (self.store.spans.start.cursor(), self.store.spans.end.cursor());
        for found in self.index.events_in(spans) {
            if found.is_merged && calls.span.len() > end - events.len() {
                if let Some(last) = calls.leave.last_mut() {
                    *last = (*last).max(ends.get(found.span));
                }
                continue;
            }
            if calls.span.len() >= end {
                return;
            }
            let collectives = if found.collects { self.index.collectives(found.span) } else { 0 };
            for _ in 0..u32::from(found.sends) + u32::from(found.receives) + collectives {
                if event >= events.start && calls.span.len() < end {
                    calls.span.push(SpanRow(found.span));
                    calls.enter.push(starts.get(found.span));
                    calls.leave.push(ends.get(found.span));
                }
                event += 1;
            }
        }
    }
}

/// Calls of events: of several the first, when it was entered, and when the last was left.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    pub(crate) span: Vec<SpanRow>,
    pub(crate) enter: Vec<Ns>,
    pub(crate) leave: Vec<Ns>,
}

/// Rows that are taken together: what one costs that has next to nothing to say is more than what it says. A few hundred
/// pieces of work are enough for all cores.
fn rows_at_once(rows: usize) -> usize {
    (rows / 512).clamp(1, 256)
}

fn scan_rows(
    marking: &Marking,
    index: &SpanIndex,
    coalesce: bool,
    progress: &dyn Progress,
) -> Result<Vec<RowsScan>, StoreError> {
    let most_events: Vec<AtomicU32> = (0..marking.regions.len()).map(|_| AtomicU32::new(0)).collect();
    let scan = Scan { store: marking.store, index, regions: marking.regions, coalesce, most_events: &most_events };
    let locations = &marking.rows.locations;
    let mut scans: Vec<RowsScan> = locations
        .par_chunks(rows_at_once(locations.len()))
        .map(|locations| {
            progress.check()?;
            let spans = locations.iter().map(|location| marking.store.spans_of(*location));
            progress.advance(spans.clone().map(|spans| spans.end - spans.start).sum());
            Ok(scan.rows(spans))
        })
        .collect::<Result<_, StoreError>>()?;
    scans.par_iter_mut().for_each(|scan| scan.decide(&most_events));
    Ok(scans)
}

/// Fills the columns.
fn fill_rows(
    fill: &Fill,
    locations: &[LocationId],
    scans: &[RowsScan],
    sent: &[Range<u64>],
    mut rest: RowColumns,
    progress: &dyn Progress,
) -> Result<(), StoreError> {
    let mut places = Vec::with_capacity(scans.len());
    for scan in scans {
        let (place, behind) = rest.split_at(scan.events() as usize);
        places.push(place);
        rest = behind;
    }
    let at_once = rows_at_once(sent.len());
    let rows = locations.par_chunks(at_once).zip(sent.par_chunks(at_once));
    rows.zip(scans).zip(places).try_for_each(|(((locations, sent), scan), place)| {
        progress.check()?;
        fill.rows(locations, sent, scan, place);
        Ok(())
    })
}
