//! What lies in an area of the timeline, some ranks during a stretch of time: functions by their time and calls inside, the
//! slowest calls, and messages.
//!
//! Exact at any size, and cut at the area's edges: of a call that reaches out of it, only the time inside counts. The area is
//! half open: what begins at its end is outside, and so is what ends at its beginning.
//!
//! Where the profile and the sums of messages are at hand, they answer, with the same numbers: then a large area costs no more
//! than its edges do. The messages of a small one are looked at one by one all the same, where senders have so many partners
//! that going through those would take longer.

use std::ops::Range;

use rayon::prelude::*;

use heddle_model::{LocationId, Ns, RegionId};
use heddle_profile::messages::{Exchanged, Messages, Parts, Wanted};
use heddle_profile::{CallProfile, Visits};
use heddle_store::{Columns, Store};

use super::brush::{Brushed, BrushedMessages, By, Found, MOST_NAMED, MessageSum};
use crate::analyses::Trace;
use crate::lookup::call_regions::call_regions;
use crate::lookup::enclosing::{SpansInSight, spans_in};
use crate::lookup::messages::{received_in, sent_between};
use crate::request::Emphasis;
use crate::request::window::{RankSet, Window, number_of};

/// A message, or a location whose messages are looked for, takes as long as so many channels of senders.
const CHANNELS: u64 = 16;

/// Everything in an area, under the filter of ranks and without hidden functions.
pub fn area_told(
    trace: &Trace<'_>,
    window: &Window,
    emphasis: &Emphasis,
    (time, ranks): ((Ns, Ns), &RankSet),
) -> Brushed {
    let store = trace.store;
    let mut locations = window.locations(store);
    locations.retain(|location| ranks.contains(number_of(store, *location)));
    let area = Area::new(trace, emphasis, time, &locations);
    let found = locations
        .par_iter()
        .map_init(Visits::default, |visits, location| area.calls_at(*location, visits))
        .reduce(Found::default, Found::merge);
    let found = area.slowest_of_others(found);
    let messages = match trace.messages.as_deref().filter(|sums| area.is_large(sums, &locations)) {
        Some(sums) => {
            let all = (0..store.locations.len() as u32).into_par_iter().map(LocationId);
            all.map(|sender| area.messages_from(sums, sender)).reduce(BrushedMessages::default, sum)
        }
        None => locations.par_iter().map(|location| area.messages_at(*location)).reduce(BrushedMessages::default, sum),
    };
    Brushed { messages: Some(messages), ..found.told(store, locations.len(), By::Own) }
}

/// What is looked at.
struct Area<'a> {
    store: &'a Store,
    profile: Option<&'a CallProfile>,
    emphasis: &'a Emphasis,
    time: (Ns, Ns),
    /// Which locations are in it.
    is_in: Vec<bool>,
    /// Which regions are calls as the call view has them: the slowest of all are the whole program.
    is_call: Vec<bool>,
}

impl<'a> Area<'a> {
    fn new(trace: &'a Trace<'_>, emphasis: &'a Emphasis, time: (Ns, Ns), locations: &[LocationId]) -> Area<'a> {
        let (store, profile) = (trace.store, trace.profile.as_deref());
        let mut is_in = vec![false; store.locations.len() as usize];
        for location in locations {
            is_in[location.index()] = true;
        }
        Area { store, profile, emphasis, time, is_in, is_call: call_regions(store) }
    }

    /// How much of a stretch of time lies in it.
    fn inside(&self, start: Ns, end: Ns) -> u64 {
        end.min(self.time.1).since(start.max(self.time.0)).max(0).unsigned_abs()
    }

    fn calls_at(&self, location: LocationId, visits: &mut Visits) -> Found {
        let (mut found, spans) = (Found::default(), &self.store.spans);
        if let Some(profile) = self.profile {
            return self.profiled(profile, location, visits);
        }
        let in_sight = spans_in(self.store, location, self.time);
        let mut take = |start: Ns, end: Ns, region: RegionId| {
            if !self.emphasis.hides(region) {
                let sum = found.of(region.index());
                sum.calls += 1;
                sum.total += self.inside(start, end);
            }
        };
        for row in &in_sight.around {
            take(spans.start.get(*row), spans.end.get(*row), spans.region.get(*row));
        }
        (&spans.start, &spans.end, &spans.region)
            .for_each(in_sight.inside.clone(), |(start, end, region)| take(start, end, region));
        self.add_slow(&in_sight, &mut found);
        in_sight.for_each_stretch(
            self.store,
            |_| true,
            |stretch| {
                // The time of what is hidden is nobody else's.
                if !self.emphasis.hides(stretch.region) {
                    found.of(stretch.region.index()).own += self.inside(stretch.start, stretch.end);
                }
            },
        );
        found.at(location)
    }

    /// The same from the profile, without the slowest calls: only how long the slowest one is.
    fn profiled(&self, profile: &CallProfile, location: LocationId, visits: &mut Visits) -> Found {
        let (mut found, spans) = (Found::default(), &self.store.spans);
        profile.visits(self.store, location, self.time, visits);
        let mut longest = 0;
        for (path, visited) in visits.iter() {
            let region = profile.paths().region(path);
            if !self.emphasis.hides(region) {
                let sum = found.of(region.index());
                sum.calls += visited.count;
                sum.total += visited.inclusive.max(0).unsigned_abs();
                sum.own += visited.exclusive.max(0).unsigned_abs();
                if self.is_slow(region) {
                    longest = longest.max(visited.longest.max(0).unsigned_abs());
                }
            }
        }
        // A profile that reaches to the end of the run has what begins there, which here is outside.
        let is_end = self.time.1.0 >= self.store.summary().end_ns;
        let calls = if is_end { self.store.spans_of(location) } else { 0..0 };
        for row in calls.rev().take_while(|row| spans.start.get(*row) >= self.time.1) {
            let region = spans.region.get(row);
            if !self.emphasis.hides(region) {
                let sum = found.of(region.index());
                sum.calls = sum.calls.saturating_sub(1);
            }
        }
        found.others.push((longest, location));
        found.at(location)
    }

    /// Whether calls of a region are among those of which the slowest are named.
    fn is_slow(&self, region: RegionId) -> bool {
        self.is_call.get(region.index()).is_some_and(|is_call| *is_call) && !self.emphasis.hides(region)
    }

    fn add_slow(&self, in_sight: &SpansInSight, found: &mut Found) {
        let spans = &self.store.spans;
        let mut add = |row: u64, start: Ns, end: Ns, region: RegionId| {
            if self.is_slow(region) {
                found.add_slow((end.since(start).unsigned_abs(), row));
            }
        };
        for row in &in_sight.around {
            add(*row, spans.start.get(*row), spans.end.get(*row), spans.region.get(*row));
        }
        let mut row = in_sight.inside.start;
        (&spans.start, &spans.end, &spans.region).for_each(in_sight.inside.clone(), |(start, end, region)| {
            add(row, start, end, region);
            row += 1;
        });
    }

    /// Looks for the slowest calls of those locations that the profile answered for. As many as are named at most lie where
    /// one of the longest calls is, so no others need be looked at.
    fn slowest_of_others(&self, mut found: Found) -> Found {
        let mut others = std::mem::take(&mut found.others);
        others.sort_unstable_by_key(|(longest, location)| (std::cmp::Reverse(*longest), *location));
        others.truncate(MOST_NAMED);
        let slow_of = |(_, location): &(u64, LocationId)| {
            let mut slow = Found::default();
            self.add_slow(&spans_in(self.store, *location, self.time), &mut slow);
            slow
        };
        let slow = others.par_iter().map(slow_of).reduce(Found::default, Found::merge);
        found.merge(slow)
    }

    /// Whether asking all senders for sums takes less time than looking at the messages of its locations.
    fn is_large(&self, sums: &Messages, locations: &[LocationId]) -> bool {
        let all = sums.channels() / CHANNELS;
        let sent = |location: &LocationId| sums.rows_in(self.store, *location, self.time).count() as u64;
        all <= locations.len() as u64 || all <= locations.par_iter().map(sent).sum::<u64>()
    }

    /// What a location sent, and what of it was received: of all locations together the messages of the area.
    fn messages_from(&self, sums: &Messages, sender: LocationId) -> BrushedMessages {
        let mut all = BrushedMessages::default();
        let add = |sum: &mut MessageSum, some: &Exchanged| {
            sum.count += some.messages;
            sum.bytes = sum.bytes.saturating_add(some.bytes);
        };
        let is_in = |location: LocationId| self.is_in.get(location.index()).is_some_and(|is_in| *is_in);
        if !is_in(sender) && !sums.receivers(sender).any(is_in) {
            return all;
        }
        let (store, wanted) = (self.store, Wanted { parts: Parts::Lengths, ..Wanted::default() });
        let (rows, sent) = (sums.rows(sender), sums.rows_in(store, sender, self.time));
        let received = |rows: Range<u64>, sum: &mut MessageSum| {
            sums.of_rows(store, (sender, rows), Some(self.time), &wanted, |receiver, some| {
                if is_in(receiver) {
                    add(sum, some);
                }
            });
        };
        received(sent.clone(), &mut all.received);
        if is_in(sender) {
            all.inside = all.received;
            sums.of_rows(store, (sender, sent.clone()), None, &wanted, |_, some| add(&mut all.sent, some));
        }
        // On their way when the area begins; or when it ends, by clocks that disagree.
        received(rows.start..sent.start, &mut all.received);
        received(sent.end..rows.end, &mut all.received);
        all
    }

    fn has(&self, location: LocationId, at: Ns) -> bool {
        self.is_in.get(location.index()).is_some_and(|is_in| *is_in) && at >= self.time.0 && at < self.time.1
    }

    fn messages_at(&self, location: LocationId) -> BrushedMessages {
        let (messages, mut all) = (&self.store.messages, BrushedMessages::default());
        let add = |sum: &mut MessageSum, message: u64| {
            sum.count += 1;
            sum.bytes = sum.bytes.saturating_add(messages.bytes.get(message));
        };
        for message in sent_between(self.store, location, self.time) {
            // Up to the end, and the end is outside.
            if self.has(location, messages.send.get(message)) {
                add(&mut all.sent, message);
                if self.has(messages.recv_location.get(message), messages.recv.get(message)) {
                    add(&mut all.inside, message);
                }
            }
        }
        for message in received_in(self.store, location, self.time) {
            if self.has(location, messages.recv.get(message)) {
                add(&mut all.received, message);
            }
        }
        all
    }
}

fn sum(a: BrushedMessages, b: BrushedMessages) -> BrushedMessages {
    let both =
        |a: MessageSum, b: MessageSum| MessageSum { count: a.count + b.count, bytes: a.bytes.saturating_add(b.bytes) };
    BrushedMessages {
        sent: both(a.sent, b.sent),
        received: both(a.received, b.received),
        inside: both(a.inside, b.inside),
    }
}
