//! What lies in an area of the timeline, some ranks during a stretch of time: functions by their time and calls inside, the
//! slowest calls, and messages.
//!
//! Exact at any size, and cut at the area's edges: of a call that reaches out of it, only the time inside counts. The area is
//! half open: what begins at its end is outside, and so is what ends at its beginning.

use rayon::prelude::*;

use heddle_model::{LocationId, Ns};
use heddle_store::Store;

use super::brush::{Brushed, BrushedMessages, By, Found, MessageSum};
use crate::lookup::call_regions::call_regions;
use crate::lookup::enclosing::spans_in;
use crate::lookup::messages::{received_by, sent_between};
use crate::request::Emphasis;
use crate::request::window::{RankSet, Window, number_of};

/// Everything in an area, under the filter of ranks and without hidden functions.
pub fn area_told(store: &Store, window: &Window, emphasis: &Emphasis, (time, ranks): ((Ns, Ns), &RankSet)) -> Brushed {
    let mut locations = window.locations(store);
    locations.retain(|location| ranks.contains(number_of(store, *location)));
    let area = Area::new(store, emphasis, time, &locations);
    let found = locations.par_iter().map(|location| area.calls_at(*location)).reduce(Found::default, Found::merge);
    let messages =
        locations.par_iter().map(|location| area.messages_at(*location)).reduce(BrushedMessages::default, sum);
    Brushed { messages: Some(messages), ..found.told(store, locations.len(), By::Own) }
}

/// What is looked at.
struct Area<'a> {
    store: &'a Store,
    emphasis: &'a Emphasis,
    time: (Ns, Ns),
    /// Which locations are in it.
    is_in: Vec<bool>,
    /// Which regions are calls as the call view has them: the slowest of all are the whole program.
    is_call: Vec<bool>,
}

impl<'a> Area<'a> {
    fn new(store: &'a Store, emphasis: &'a Emphasis, time: (Ns, Ns), locations: &[LocationId]) -> Area<'a> {
        let mut is_in = vec![false; store.locations.len() as usize];
        for location in locations {
            is_in[location.index()] = true;
        }
        Area { store, emphasis, time, is_in, is_call: call_regions(store) }
    }

    /// How much of a stretch of time lies in it.
    fn inside(&self, start: Ns, end: Ns) -> u64 {
        end.min(self.time.1).since(start.max(self.time.0)).max(0).unsigned_abs()
    }

    fn calls_at(&self, location: LocationId) -> Found {
        let (mut found, spans) = (Found::default(), &self.store.spans);
        for row in spans_in(self.store, location, self.time).rows() {
            let region = spans.region.get(row);
            if self.emphasis.hides(region) {
                continue;
            }
            let inside = self.inside(spans.start.get(row), spans.end.get(row));
            let sum = found.of(region.index());
            sum.calls += 1;
            sum.total += inside;
            if self.is_call.get(region.index()).is_some_and(|is_call| *is_call) {
                found.add_slow((spans.end.get(row).since(spans.start.get(row)).unsigned_abs(), row));
            }
        }
        let in_sight = spans_in(self.store, location, self.time);
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
        for message in received_by(self.store, location) {
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
