//! Messages and collectives as events.

use heddle_model::{LocationId, SpanRow};
use heddle_store::Columns;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Survey;
use super::mark::Marking;

/// An event, with its row first.
pub(super) type EventOfRow = (u32, u32);

/// Location and call of the send, then of the receive.
pub(super) type MessageEnds = (LocationId, SpanRow, LocationId, SpanRow);

/// Of calls that complete several collectives: which one comes where, by call and member.
pub(super) type Several = FxHashMap<(u64, u64), u32>;

/// The members of a collective.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// At most one of a row, by row.
    pub(super) events: Vec<EventOfRow>,
    /// Events that their collective has no place for: their row is in it already, which only damaged traces have.
    pub(super) alone: Vec<EventOfRow>,
}

impl Survey<'_> {
    pub(super) fn marking(&self) -> Marking<'_> {
        Marking { store: self.store, rows: &self.rows, regions: &self.regions }
    }

    /// The event that sends a message.
    pub(super) fn sender(&self, at: u64, location: LocationId, span: SpanRow) -> Option<EventOfRow> {
        let (row, span) = self.marking().call(location, span, || self.store.messages.send.get(at))?;
        Some((row, self.shift[row as usize].wrapping_add(self.index.send_event(span))))
    }

    /// The event that sends a message and the one that receives it, if both are there and belong together. A message to
    /// oneself that is received before it is sent, which only damaged traces have, joins nothing.
    #[inline]
    pub(super) fn message(&self, at: u64, ends: MessageEnds) -> Option<(EventOfRow, EventOfRow)> {
        if self.same_size && self.store.length_mismatches.contains(at) {
            return None;
        }
        let send = self.sender(at, ends.0, ends.1)?;
        let (row, span) = self.marking().call(ends.2, ends.3, || self.store.messages.recv.get(at))?;
        let receive = self.shift[row as usize].wrapping_add(self.index.receive_event(span));
        (send.0 != row || send.1 < receive).then_some((send, (row, receive)))
    }

    /// Of calls that complete several collectives: which one comes where.
    pub(super) fn several(&self) -> Several {
        let (table, marking) = (&self.store.collective_members, self.marking());
        let mut completed: Vec<(u64, i64, u64)> = Vec::new();
        if self.index.has_several() {
            let mut at = 0;
            (&table.location, &table.span).for_each(0..table.len(), |(location, span)| {
                let call = marking.call(location, span, || table.end.get(at));
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

    /// The members of a collective.
    pub(super) fn members(&self, collective: u64, several: &Several) -> Members {
        let (table, marking) = (&self.store.collective_members, self.marking());
        let first = self.store.collectives.first_member.get(collective);
        let rows = first..first + u64::from(self.store.collectives.members.get(collective));
        let mut members = Members::default();
        let mut next = rows.start;
        (&table.location, &table.span).for_each(rows, |(location, span)| {
            let at = next;
            next += 1;
            let Some((row, span)) = marking.call(location, span, || table.end.get(at)) else { return };
            let place = several.get(&(span, at)).copied().unwrap_or(0);
            let event = self.shift[row as usize].wrapping_add(self.index.collective_event(span)) + place;
            members.events.push((row, event));
        });
        if !members.events.is_sorted_by(|left, right| left.0 < right.0) {
            let mut rows = FxHashSet::default();
            let (first, again) = members.events.into_iter().partition(|(row, _)| rows.insert(*row));
            members = Members { events: first, alone: again };
            members.events.sort_unstable();
        }
        members
    }
}
