//! Collectives as single points of the order, until they have to be taken apart.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::{Events, Kind};

/// Which members of collectives are ordered as one, by slots: one for each member, then one for each collective event that
/// is nobody's member. The first slot of what is ordered as one stands for it.
pub(super) struct Collectives<'a> {
    events: &'a Events,
    /// Events of collectives that are members of none.
    alone: Vec<u32>,
    /// The slot that stands for each slot.
    stands: Vec<AtomicU32>,
    /// For slots that stand for something: how many predecessors it waits for.
    pub(super) waits: Vec<AtomicU32>,
}

impl<'a> Collectives<'a> {
    /// Every collective as one. Sets `link` of all collective events to their slots.
    pub(super) fn new(events: &'a Events, link: &[AtomicU32]) -> Collectives<'a> {
        const NONE: u32 = u32::MAX;
        let mut stands = Vec::with_capacity(events.members.len());
        for (event, _) in events.kind.iter().enumerate().filter(|&(_, &kind)| kind == Kind::Collective) {
            link[event].store(NONE, Relaxed);
        }
        for collective in events.first_of_collective.windows(2) {
            for slot in collective[0]..collective[1] {
                link[events.members[slot as usize] as usize].store(slot, Relaxed);
                stands.push(AtomicU32::new(collective[0]));
            }
        }
        let mut alone = Vec::new();
        for (event, _) in events.kind.iter().enumerate().filter(|&(_, &kind)| kind == Kind::Collective) {
            if link[event].load(Relaxed) == NONE {
                let slot = stands.len() as u32;
                link[event].store(slot, Relaxed);
                stands.push(AtomicU32::new(slot));
                alone.push(event as u32);
            }
        }
        let waits = (0..stands.len()).map(|_| AtomicU32::new(0)).collect();
        Collectives { events, alone, stands, waits }
    }

    /// The event of a slot.
    pub(super) fn event(&self, slot: u32) -> u32 {
        let members = &self.events.members;
        members.get(slot as usize).copied().unwrap_or_else(|| self.alone[slot as usize - members.len()])
    }

    /// The slot that stands for a slot.
    pub(super) fn standing(&self, slot: u32) -> u32 {
        self.stands[slot as usize].load(Relaxed)
    }

    /// The events that are ordered as one, by the slot that stands for them.
    pub(super) fn members(&self, standing: u32) -> impl Iterator<Item = u32> {
        (standing..self.stands.len() as u32)
            .take_while(move |&slot| self.standing(slot) == standing)
            .map(|slot| self.event(slot))
    }

    /// Takes apart what a slot stands for. Whether there was anything to take apart.
    pub(super) fn split(&self, standing: u32) -> bool {
        let slots = (standing..self.stands.len() as u32).take_while(|&slot| self.standing(slot) == standing).count();
        for slot in standing..standing + slots as u32 {
            self.stands[slot as usize].store(slot, Relaxed);
        }
        slots > 1
    }
}
