//! From a store to communication events.
//!
//! Messages and collectives say which calls communicate; nothing depends on the names of functions but what runs of
//! non-blocking sends and waiting for all requests mean. Four passes, each over all cores: mark the calls, walk the rows,
//! fill the columns, turn messages and collectives into events. Of a span only bits are kept, and what is kept of an
//! event is written once.

mod fill;
mod index;
mod links;
mod mark;
mod regions;
mod rows;
mod scan;

use std::ops::Range;
use std::sync::atomic::AtomicU32;

use heddle_model::{LocationId, Ns, SpanRow};
use heddle_store::table::path_of;
use heddle_store::tables::MessageRows;
use heddle_store::{Progress, Store, StoreError};
use rayon::prelude::*;

use crate::{Events, Kind, LogicalOptions, work};
use fill::{Fill, RowColumns};
use index::SpanIndex;
use links::Links;
use mark::Marking;
pub(crate) use regions::Regions;
pub use regions::phase_function;
use rows::Rows;
use scan::{RowsScan, Scan};

/// The events of a store, and what a reader of the result wants to know about them.
#[derive(Debug)]
pub struct Extracted {
    /// The events.
    pub events: Events,
    /// What else there is to know of each, as [`crate::tables::flags`].
    pub flags: Vec<u8>,
    /// What is odd.
    pub oddities: Oddities,
    rows: Rows,
    index: SpanIndex,
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

impl Extracted {
    /// The location of each row.
    pub fn locations(&self) -> &[LocationId] {
        &self.rows.locations
    }

    /// The first call of each event of a row.
    pub(crate) fn spans_of_row(&self, store: &Store, row: usize) -> impl Iterator<Item = SpanRow> + '_ {
        let spans = self.rows.locations.get(row).map_or(0..0, |location| store.spans_of(*location));
        self.index.events_in(spans).filter(|found| !found.is_merged).flat_map(|found| {
            let collectives = if found.collects { self.index.collectives(found.span) as usize } else { 0 };
            let events = usize::from(found.sends) + usize::from(found.receives) + collectives;
            std::iter::repeat_n(SpanRow(found.span), events)
        })
    }
}

/// Ends of messages and members of collectives: what the cost of logical time grows with.
pub fn size(store: &Store) -> u64 {
    2 * store.messages.len() + store.collective_members.len() + store.unmatched.len()
}

/// Bytes of memory that computing logical time takes at most, about: events with their columns, messages, and the working
/// space of phases and steps.
pub fn memory_needed(store: &Store) -> u64 {
    const BYTES_PER_EVENT: u64 = 60;
    BYTES_PER_EVENT * size(store).min(store.spans.len() + size(store) / 8)
        + 8 * store.messages.len()
        + store.spans.len()
}

/// Finds the communication events of a store.
pub fn extract(store: &Store, options: &LogicalOptions, progress: &dyn Progress) -> Result<Extracted, StoreError> {
    let phase = options.phase_function.as_deref().map(|name| phase_function(store, name)).transpose()?;
    let is_given = phase.is_some();
    let (messages, members) = (store.messages.len(), store.collective_members.len());
    progress.begin(work::FINDING_EVENTS, 2 * messages + members + store.spans.len());
    let regions = Regions::of(store, phase);
    let rows = Rows::of(store);
    let marking = Marking { store, rows: &rows, regions: &regions };
    let mut index = SpanIndex::new(store.spans.len());
    let marked = marking.mark(&mut index, progress)?;
    let scans = scan_rows(&marking, &index, options.coalesce_isends && !is_given, progress)?;
    let total = index.number();
    if total >= u64::from(u32::MAX) {
        return Err(StoreError::Trace(format!("logical time: {total} events are too many; it can handle 4 billion")));
    }
    let mut events = Events { first_of_row: Vec::with_capacity(rows.locations.len() + 1), ..Events::default() };
    let mut last = 0;
    events.first_of_row.push(0);
    events.first_of_row.extend(scans.iter().flat_map(RowsScan::events_of_rows).map(|events| {
        last += events;
        last
    }));
    let shift: Vec<u32> = rows
        .locations
        .par_iter()
        .zip(&events.first_of_row)
        .map(|(location, first)| first.wrapping_sub(index.before(store.spans_of(*location).start)))
        .collect();
    let sent = rows.sent(store);
    // Those of a damaged store may lie in any order, and over each other.
    if sent.iter().map(|sent| sent.end - sent.start).sum::<u64>() > messages {
        let path = path_of::<MessageRows>(store.path());
        return Err(StoreError::damaged(&path, "its messages are not in the order of their senders"));
    }
    let flags = fill_rows(&marking, &index, options, &scans, &sent, &mut events, progress)?;
    drop(scans);
    let links = Links { marking: &marking, index: &index, same_size: options.same_size, shift: &shift, sent: &sent };
    links.collectives(&mut events, progress)?;
    events.messages = links.messages(progress)?;
    let oddities = Oddities {
        unmatched_sends: marked.unmatched[0],
        unmatched_receives: marked.unmatched[1],
        posted_receives: marked.posted,
        without_call: marked.loose,
        left_out: rows.left_out,
        replaced_rows: rows.replaced,
        without_ranks: rows.without_ranks,
    };
    Ok(Extracted { events, flags, oddities, rows, index })
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

/// Fills the columns; returns the flags.
fn fill_rows(
    marking: &Marking,
    index: &SpanIndex,
    options: &LogicalOptions,
    scans: &[RowsScan],
    sent: &[Range<u64>],
    events: &mut Events,
    progress: &dyn Progress,
) -> Result<Vec<u8>, StoreError> {
    let total = events.first_of_row.last().copied().unwrap_or(0) as usize;
    events.kind = vec![Kind::Send; total];
    events.enter = vec![Ns(0); total];
    events.leave = vec![Ns(0); total];
    events.is_joined = vec![false; total];
    events.given_phase = if options.phase_function.is_some() { vec![0; total] } else { Vec::new() };
    let mut flags = vec![0u8; total];
    let mut rest = RowColumns {
        kind: &mut events.kind,
        enter: &mut events.enter,
        leave: &mut events.leave,
        is_joined: &mut events.is_joined,
        given_phase: &mut events.given_phase,
        flags: &mut flags,
    };
    let mut places = Vec::with_capacity(scans.len());
    for scan in scans {
        let (place, behind) = rest.split_at(scan.events() as usize);
        places.push(place);
        rest = behind;
    }
    let fill = Fill { store: marking.store, index, regions: marking.regions, options };
    let at_once = rows_at_once(sent.len());
    let rows = marking.rows.locations.par_chunks(at_once).zip(sent.par_chunks(at_once));
    rows.zip(scans).zip(places).try_for_each(|(((locations, sent), scan), place)| {
        progress.check()?;
        fill.rows(locations, sent, scan, place);
        Ok::<(), StoreError>(())
    })?;
    Ok(flags)
}
