//! Where the lateness of an event arose, and how far it reached.
//!
//! Lateness is handed on: a receive has it from its sender or from what its own row did before; a collective from the
//! member that entered last; what a row does between two events from the event before. Walking back along that gives the
//! place where most of the lateness arose. Walking forward from there gives everything that is late because of it.

use std::collections::BTreeSet;

use heddle_store::Store;
use rustc_hash::FxHashSet;

use crate::{Kind, Logical, measures};

/// Stops of a path, and events that a delay reached, that are looked at: more say nothing new.
const MOST_STOPS: usize = 10_000;
const MOST_EVENTS: usize = 200_000;
/// Members of collectives that are looked at in all.
const MOST_MEMBERS: usize = 2_000_000;
/// Below this share of the whole, lateness is noise.
const NOISE: i64 = 100;

/// An event, or the aggregate before it, on the way of a delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The event.
    pub event: u64,
    /// Whether it is the aggregate before the event: what its row did since the event before.
    pub is_aggregate: bool,
    /// How late it is, compared with all of its step.
    pub lateness: i64,
    /// How much of that arose here: what nothing before it brought along.
    pub own: i64,
}

/// How far a delay reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Events that are late because of it.
    pub events: u64,
    /// Ranks that have some, without the one on which it arose.
    pub ranks: u32,
    /// Steps that have some.
    pub steps: u32,
    /// Messages that handed it on.
    pub messages: u64,
    /// The first step that has some.
    pub first_step: u32,
    /// The last step that has some.
    pub last_step: u32,
    /// There is more than was counted.
    pub is_cut: bool,
}

/// Why an event is late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// From the event back to where nothing of its lateness is left.
    pub path: Vec<Stop>,
    /// Where on the way most of the lateness arose.
    pub origin: usize,
    /// How far the delay that arose there reached.
    pub reach: Reach,
}

impl Cause {
    /// Where most of the lateness arose. If an aggregate: its rank computed longer before the step of its event, by
    /// [`Stop::own`]. If an event: its call took longer.
    pub fn origin(&self) -> Stop {
        self.path[self.origin]
    }
}

/// Why an event is late, if it is.
pub fn cause(store: &Store, logical: &Logical, event: u64) -> Option<Cause> {
    let mut walk = CauseWalk { store, logical, members: 0 };
    let (path, origin) = walk.path(event)?;
    let reach = walk.reach(path[origin]);
    Some(Cause { path, origin, reach })
}

/// An event, or the aggregate before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EventPart {
    event: u64,
    is_aggregate: bool,
}

/// Follows lateness back and forth.
struct CauseWalk<'a> {
    store: &'a Store,
    logical: &'a Logical,
    /// Members of collectives that were looked at.
    members: usize,
}

impl CauseWalk<'_> {
    /// From an event back to where nothing of its lateness is left, and where on the way most of it arose.
    fn path(&mut self, event: u64) -> Option<(Vec<Stop>, usize)> {
        let logical = self.logical;
        if event >= logical.events.len() || logical.lateness(event) <= 0 {
            return None;
        }
        let whole = logical.lateness(event);
        let (mut path, mut origin, mut most) = (Vec::new(), 0, 0);
        let (mut part, mut left) = (EventPart { event, is_aggregate: false }, whole);
        loop {
            let lateness = self.lateness(part);
            let before = self.before(part);
            let brought = before.map_or(0, |before| self.lateness(before));
            path.push(Stop {
                event: part.event,
                is_aggregate: part.is_aggregate,
                lateness,
                own: measures::aggregate_differential(lateness, Some(brought)),
            });
            // Of the event's lateness, what did not come from further back.
            let arose = left - left.min(brought);
            if arose > most {
                (most, origin) = (arose, path.len() - 1);
            }
            left -= arose;
            match before {
                Some(before) if left > whole / NOISE && path.len() < MOST_STOPS => part = before,
                _ => break,
            }
        }
        Some((path, origin))
    }

    fn lateness(&self, part: EventPart) -> i64 {
        if part.is_aggregate { self.logical.aggregate_lateness(part.event) } else { self.logical.lateness(part.event) }
    }

    fn step(&self, event: u64) -> u32 {
        self.logical.events.step.get(event)
    }

    /// What explains most of its lateness. Always earlier in logical time, so walks end.
    fn before(&mut self, part: EventPart) -> Option<EventPart> {
        let EventPart { event, is_aggregate } = part;
        if is_aggregate {
            let before = (self.logical.events_of(self.logical.row_of(event)).start < event).then(|| event - 1)?;
            let before = EventPart { event: before, is_aggregate: false };
            return (self.lateness(before) > 0).then_some(before);
        }
        let own = EventPart { event, is_aggregate: true };
        let step = self.step(event);
        let best = match self.logical.kind(event) {
            Kind::Send => own,
            Kind::Receive => {
                let senders = self.logical.senders(self.store, event);
                let senders = senders.into_iter().filter(|&sender| self.step(sender) < step);
                let sender = senders.max_by_key(|&sender| (self.logical.lateness(sender), std::cmp::Reverse(sender)));
                let sender = sender.map(|event| EventPart { event, is_aggregate: false });
                sender.filter(|&sender| self.lateness(sender) > self.lateness(own)).unwrap_or(own)
            }
            Kind::Collective => {
                let last = self.last_to_enter(event).filter(|&last| self.step(last) <= step);
                last.map_or(own, |event| EventPart { event, is_aggregate: true })
            }
        };
        (self.lateness(best) > 0).then_some(best)
    }

    /// The members of an event's collective, unless too many were asked for.
    fn members_of(&mut self, event: u64) -> Vec<u64> {
        if self.members > MOST_MEMBERS {
            return vec![event];
        }
        let members = self.logical.members(self.store, event);
        self.members += members.len();
        members
    }

    /// The member of an event's collective that entered last, compared with its step.
    fn last_to_enter(&mut self, event: u64) -> Option<u64> {
        let members = self.members_of(event);
        members.into_iter().max_by_key(|&member| (self.logical.aggregate_lateness(member), std::cmp::Reverse(member)))
    }

    /// Whether it is late because of what is before it: most of its lateness came from there.
    fn is_from(&self, part: EventPart, before: EventPart) -> bool {
        let lateness = self.lateness(part);
        lateness > 0 && self.lateness(before) >= lateness - lateness / 2
    }

    /// Everything that is late because of an origin.
    fn reach(&mut self, origin: Stop) -> Reach {
        let noise = origin.own / NOISE;
        let mut reach = Reach { first_step: u32::MAX, ..Reach::default() };
        let (mut seen, mut rows, mut steps) = (FxHashSet::default(), FxHashSet::default(), BTreeSet::new());
        // What is late and not yet followed, by step.
        let mut open: BTreeSet<(u32, u64)> = BTreeSet::new();
        let mut found = Vec::new();
        if origin.is_aggregate {
            self.events_behind(origin.event, &mut found);
        } else {
            found.push((origin.event, false));
        }
        let home = self.logical.row_of(origin.event);
        loop {
            for (event, by_message) in found.drain(..) {
                if self.logical.lateness(event) <= noise || !seen.insert(event) {
                    continue;
                }
                let step = self.step(event);
                open.insert((step, event));
                steps.insert(step);
                rows.insert(self.logical.row_of(event));
                reach.events += 1;
                reach.messages += u64::from(by_message);
            }
            let Some((_, event)) = open.pop_first() else { break };
            if seen.len() >= MOST_EVENTS || self.members > MOST_MEMBERS {
                reach.is_cut = true;
                break;
            }
            let here = EventPart { event, is_aggregate: false };
            for receiver in self.logical.receivers(self.store, event) {
                let there = EventPart { event: receiver, is_aggregate: false };
                if self.before(there) == Some(here) && self.is_from(there, here) {
                    found.push((receiver, true));
                }
            }
            let next = EventPart { event: event + 1, is_aggregate: true };
            if next.event < self.logical.events_of(self.logical.row_of(event)).end && self.is_from(next, here) {
                self.events_behind(next.event, &mut found);
            }
        }
        rows.remove(&home);
        reach.ranks = rows.len() as u32;
        reach.steps = steps.len() as u32;
        reach.first_step = steps.first().copied().unwrap_or_else(|| self.step(origin.event));
        reach.last_step = steps.last().copied().unwrap_or(reach.first_step);
        reach
    }

    /// The events that are late because of the aggregate before one: itself, or all members of its collective if it was
    /// the last to enter.
    fn events_behind(&mut self, event: u64, found: &mut Vec<(u64, bool)>) {
        let own = EventPart { event, is_aggregate: true };
        if self.logical.kind(event) != Kind::Collective {
            let there = EventPart { event, is_aggregate: false };
            if self.before(there) == Some(own) && self.is_from(there, own) {
                found.push((event, false));
            }
            return;
        }
        if self.last_to_enter(event) == Some(event) {
            let members = self.members_of(event).into_iter().filter(|&member| {
                self.is_from(EventPart { event: member, is_aggregate: false }, own)
                    && self.step(member) >= self.step(event)
            });
            found.extend(members.map(|member| (member, false)));
        }
    }
}
