//! Fourth pass: messages and collectives as events.

use std::ops::Range;

use heddle_model::{LocationId, SpanRow};
use heddle_store::{Columns, Progress, Store, StoreError, pieces};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::index::SpanIndex;
use super::mark::Marking;
use super::rows_at_once;
use crate::Events;

/// Turns ends of messages and members of collectives into events.
pub(super) struct Links<'a> {
    pub(super) marking: &'a Marking<'a>,
    pub(super) index: &'a SpanIndex,
    /// Whether messages whose ends name different lengths join nothing.
    pub(super) same_size: bool,
    /// What to add to an event's number over all spans to have its number here, by row.
    pub(super) shift: &'a [u32],
    /// The messages that each row sent.
    pub(super) sent: &'a [Range<u64>],
}

/// Location and call of the send, then of the receive.
type MessageEnds = (LocationId, SpanRow, LocationId, SpanRow);

impl Links<'_> {
    fn store(&self) -> &Store {
        self.marking.store
    }

    /// The event that sends a message and the one that receives it, if both are there and belong together. A message to
    /// oneself that is received before it is sent, which only damaged traces have, joins nothing.
    #[inline]
    fn message(&self, at: u64, (sender, sent, receiver, received): MessageEnds) -> Option<(u32, u32)> {
        if self.same_size && self.store().length_mismatches.contains(at) {
            return None;
        }
        let table = &self.store().messages;
        let (row, span) = self.marking.call(sender, sent, || table.send.get(at))?;
        let send = self.shift[row as usize].wrapping_add(self.index.send_event(span));
        let (to, span) = self.marking.call(receiver, received, || table.recv.get(at))?;
        let receive = self.shift[to as usize].wrapping_add(self.index.receive_event(span));
        (row != to || send < receive).then_some((send, receive))
    }

    /// All messages, ascending.
    pub(super) fn messages(&self, progress: &dyn Progress) -> Result<Vec<(u32, u32)>, StoreError> {
        let table = &self.store().messages;
        // Nearly always every message is there; memory is taken for that, and what is not there closed up.
        let total: u64 = self.sent.iter().map(|sent| sent.end - sent.start).sum();
        let mut messages = vec![(0u32, 0u32); total as usize];
        let mut rest = messages.as_mut_slice();
        let mut places = Vec::new();
        for sent in self.sent.chunks(rows_at_once(self.sent.len())) {
            let (place, behind) =
                rest.split_at_mut(sent.iter().map(|sent| sent.end - sent.start).sum::<u64>() as usize);
            places.push((sent, place));
            rest = behind;
        }
        let filled: Vec<(usize, usize)> = places
            .into_par_iter()
            .map(|(sent, place)| {
                progress.check()?;
                progress.advance(place.len() as u64);
                let mut filled = 0;
                // What neighbours sent lies side by side.
                for of_rows in sent.chunk_by(|left, right| left.end == right.start) {
                    let rows = of_rows[0].start..of_rows[of_rows.len() - 1].end;
                    let (first, mut at) = (filled, rows.start);
                    let ends = (&table.send_location, &table.send_span, &table.recv_location, &table.recv_span);
                    ends.for_each(rows, |ends| {
                        if let Some(message) = self.message(at, ends) {
                            place[filled] = message;
                            filled += 1;
                        }
                        at += 1;
                    });
                    sort_nearly_sorted(&mut place[first..filled]);
                }
                Ok((filled, place.len()))
            })
            .collect::<Result<_, StoreError>>()?;
        let (mut to, mut from) = (0, 0);
        for (filled, length) in filled {
            if to != from {
                messages.copy_within(from..from + filled, to);
            }
            to += filled;
            from += length;
        }
        messages.truncate(to);
        messages.shrink_to_fit();
        Ok(messages)
    }

    /// All collectives, as in [`Events`].
    pub(super) fn collectives(&self, events: &mut Events, progress: &dyn Progress) -> Result<(), StoreError> {
        let table = &self.store().collectives;
        let several = self.several();
        let parts: Vec<CollectivesPart> = pieces(table.len())
            .into_iter()
            .flat_map(|rows| (rows.start..rows.end).step_by(1 << 12).map(move |at| at..(at + (1 << 12)).min(rows.end)))
            .collect::<Vec<_>>()
            .into_par_iter()
            .map(|rows| {
                progress.check()?;
                let mut part = CollectivesPart::default();
                rows.for_each(|collective| self.collective(collective, &several, &mut part));
                Ok(part)
            })
            .collect::<Result<_, StoreError>>()?;
        let members = parts.iter().map(|part| part.members.len() + part.alone.len()).sum();
        events.members = Vec::with_capacity(members);
        events.first_of_collective = vec![0];
        let mut alone = Vec::new();
        for part in parts {
            events.members.extend_from_slice(&part.members);
            for length in part.lengths {
                let last = events.first_of_collective.last().copied().unwrap_or(0);
                events.first_of_collective.push(last + length);
            }
            alone.extend(part.alone);
        }
        for event in alone {
            events.members.push(event);
            events.first_of_collective.push(events.members.len() as u32);
        }
        Ok(())
    }

    /// Of calls that complete several collectives: which one comes where.
    fn several(&self) -> FxHashMap<(u64, u64), u32> {
        let table = &self.store().collective_members;
        let mut completed: Vec<(u64, i64, u64)> = Vec::new();
        if self.index.has_several() {
            let mut at = 0;
            (&table.location, &table.span).for_each(0..table.len(), |(location, span)| {
                let call = self.marking.call(location, span, || table.end.get(at));
                if let Some((_, span)) = call.filter(|(_, span)| self.index.has_more(*span)) {
                    completed.push((span, table.start.get(at).0, at));
                }
                at += 1;
            });
        }
        completed.sort_unstable();
        let mut order = FxHashMap::default();
        for at_call in completed.chunk_by(|left, right| left.0 == right.0) {
            for (place, (span, _, member)) in at_call.iter().enumerate() {
                order.insert((*span, *member), place as u32);
            }
        }
        order
    }

    fn collective(&self, collective: u64, several: &FxHashMap<(u64, u64), u32>, part: &mut CollectivesPart) {
        let (store, before) = (self.store(), part.members.len());
        let first = store.collectives.first_member.get(collective);
        let members = first..first + u64::from(store.collectives.members.get(collective));
        let table = &store.collective_members;
        let found = &mut part.found;
        found.clear();
        let mut next = members.start;
        (&table.location, &table.span).for_each(members, |(location, span)| {
            let at = next;
            next += 1;
            let Some((row, span)) = self.marking.call(location, span, || table.end.get(at)) else { return };
            let place = several.get(&(span, at)).copied().unwrap_or(0);
            let event = self.shift[row as usize].wrapping_add(self.index.collective_event(span)) + place;
            found.push((row, event));
        });
        if found.is_sorted_by(|left, right| left.0 < right.0) {
            part.members.extend(found.iter().map(|(_, event)| event));
        } else {
            let mut rows = FxHashSet::default();
            for (row, event) in found {
                let is_again = !rows.insert(*row);
                if is_again { part.alone.push(*event) } else { part.members.push(*event) }
            }
        }
        let found = &mut part.members[before..];
        if !found.is_empty() {
            found.sort_unstable();
            part.lengths.push(found.len() as u32);
        }
    }
}

/// Some of the collectives.
#[derive(Default)]
struct CollectivesPart {
    members: Vec<u32>,
    lengths: Vec<u32>,
    /// Events that their collective has no place for: their row is in it already, which only damaged traces have.
    alone: Vec<u32>,
    /// Rows and events of the collective at hand, in the order of the trace.
    found: Vec<(u32, u32)>,
}

/// Sorts messages of neighbouring rows. They come in the order of sending, so only those of one event need it.
fn sort_nearly_sorted(messages: &mut [(u32, u32)]) {
    if !messages.is_sorted_by_key(|message| message.0) {
        messages.sort_unstable();
        return;
    }
    for of_event in messages.chunk_by_mut(|left, right| left.0 == right.0) {
        of_event.sort_unstable();
    }
}
