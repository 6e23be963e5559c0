//! Who is looked at: the locations that stand for ranks, and which of their calls communicate.

use std::ops::Range;
use std::sync::OnceLock;

use heddle_model::{LocationId, Ns, Paradigm, RegionId, Role, SpanRow};
use heddle_store::{Room, Store};

use crate::marks::Marks;
use crate::memory;

/// The locations of the analysis and what it has to know of functions.
#[derive(Debug)]
pub struct Rows<'a> {
    /// The trace.
    pub store: &'a Store,
    /// Main locations of ranks that have calls; without ranks, all locations with calls.
    pub locations: Vec<LocationId>,
    row_of: Vec<u32>,
    regions: Vec<RegionClass>,
    /// Some function waits for messages without receiving them.
    probes: bool,
    /// The first enter and the last moment of any of them.
    pub run: (Ns, Ns),
    /// Messages whose send waited for its receive, once that is known of all of them: few do, and all are asked again and
    /// again, which takes a dozen values from all over the trace each time.
    late_receivers: OnceLock<Marks>,
    /// For what grows with the trace: a quarter of the memory that an analysis may take. The rest is for what is only looked at.
    pub(crate) room: Room,
}

/// What a function is to the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegionClass {
    /// Its calls communicate.
    pub(crate) communicates: bool,
    /// Neither computing nor communication: waiting for work, files, the recorder.
    pub(crate) is_other: bool,
    /// Asks for requests without waiting.
    pub(crate) tests: bool,
    /// Waits for a message that a later call receives.
    pub(crate) probes: bool,
    /// Begins or ends the world.
    pub(crate) ends: WorldEnd,
}

/// Calls in which the world begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorldEnd {
    /// Neither.
    No,
    /// `MPI_Init` and `MPI_Init_thread`.
    Init,
    /// `MPI_Finalize`.
    Finalize,
}

const NO_ROW: u32 = u32::MAX;
/// Calls of rows that are looked at at a time, about: what is found of them is held beside what was found before.
pub(crate) const CALLS_AT_ONCE: u64 = 1 << 23;

impl<'a> Rows<'a> {
    /// The rows of a trace.
    pub fn new(store: &'a Store) -> Rows<'a> {
        let all = || (0..store.locations.len() as u32).map(LocationId);
        let with_calls = |location: &LocationId| store.locations.spans.get(u64::from(location.0)) > 0;
        let is_rank = |location: &LocationId| {
            let row = u64::from(location.0);
            store.locations.is_main.get(row) == 1 && store.locations.rank.get(row).is_some()
        };
        let mut locations: Vec<LocationId> = all().filter(with_calls).filter(is_rank).collect();
        if locations.is_empty() {
            locations = all().filter(with_calls).collect();
        }
        let mut row_of = vec![NO_ROW; store.locations.len() as usize];
        for (row, location) in locations.iter().enumerate() {
            row_of[location.index()] = row as u32;
        }
        let class = |region: u64| {
            let name = store.regions.name.get(region);
            let paradigm = store.regions.paradigm_of(RegionId(region as u32));
            RegionClass {
                communicates: paradigm.is_communication(),
                is_other: matches!(paradigm, Paradigm::Idle | Paradigm::Io | Paradigm::Measurement),
                tests: Role::from_name(store.regions.role.get(region)) == Role::Test,
                probes: matches!(name, "MPI_Probe" | "MPI_Mprobe"),
                ends: match name {
                    "MPI_Init" | "MPI_Init_thread" => WorldEnd::Init,
                    "MPI_Finalize" => WorldEnd::Finalize,
                    _ => WorldEnd::No,
                },
            }
        };
        let regions: Vec<RegionClass> = (0..store.regions.len()).map(class).collect();
        let probes = regions.iter().any(|region| region.probes);
        let first = |location: &LocationId| store.spans.start.get(store.spans_of(*location).start);
        let last = |location: &LocationId| last_of(store, *location);
        let run = (locations.iter().map(first).min(), locations.iter().map(last).max());
        let run = (run.0.unwrap_or(Ns(0)), run.1.unwrap_or(Ns(0)));
        Rows {
            store,
            locations,
            row_of,
            regions,
            probes,
            run,
            late_receivers: OnceLock::new(),
            room: Room::beside(store, memory::in_room(store)),
        }
    }

    /// When the last event of a location was.
    pub(crate) fn last(&self, location: LocationId) -> i64 {
        last_of(self.store, location).0
    }

    /// From now on it is known whose sends waited for their receives: those of the marked messages.
    pub(crate) fn know_late_receivers(&self, marks: Marks) {
        // Who looks a second time finds the same.
        let _ = self.late_receivers.set(marks);
    }

    /// Whether the send of a message may have waited for its receive.
    #[inline]
    pub(crate) fn may_be_late(&self, message: u64) -> bool {
        self.late_receivers.get().is_none_or(|marks| marks.has(message))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.locations.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.locations.is_empty()
    }

    /// Rows in the order of their numbers, some at a time: what is found of them is put together before the next are looked
    /// at, so that nothing is held twice.
    pub(crate) fn batches(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let count = self.len();
        let few = count as u64 * CALLS_AT_ONCE / self.store.spans.len().max(1);
        let at_once = (count / 16).min(few as usize).clamp(2, 4096);
        (0..count).step_by(at_once).map(move |first| first..(first + at_once).min(count))
    }

    /// The row of a location, if it has one.
    #[inline]
    pub fn of(&self, location: LocationId) -> Option<usize> {
        self.row_of.get(location.index()).filter(|row| **row != NO_ROW).map(|row| *row as usize)
    }

    #[inline]
    pub(crate) fn class(&self, region: RegionId) -> RegionClass {
        const UNKNOWN: RegionClass =
            RegionClass { communicates: false, is_other: false, tests: false, probes: false, ends: WorldEnd::No };
        self.regions.get(region.index()).copied().unwrap_or(UNKNOWN)
    }

    /// How many functions there are.
    pub(crate) fn region_count(&self) -> usize {
        self.regions.len()
    }

    /// Whether it is known of anybody whom it communicated with.
    pub fn has_partners(&self) -> bool {
        !self.store.messages.is_empty() || !self.store.collectives.is_empty()
    }

    /// Whether any call that was made communicates.
    pub fn communicates(&self) -> bool {
        let visited = |region: &usize| self.store.regions.count.get(*region as u64) > 0;
        (0..self.regions.len()).filter(visited).any(|region| self.regions[region].communicates)
    }

    /// Enter and leave of a call.
    #[inline]
    pub(crate) fn call(&self, span: SpanRow) -> (i64, i64) {
        (self.store.spans.start.get(span.0).0, self.store.spans.end.get(span.0).0)
    }

    /// When the call was entered that issues a message.
    #[inline]
    pub(crate) fn sent_at(&self, message: u64) -> i64 {
        self.sent_by(self.store.messages.send_span.get(message), message)
    }

    /// The same where the call that sends it is known, if there is one.
    #[inline]
    pub(crate) fn sent_by(&self, send_span: SpanRow, message: u64) -> i64 {
        match send_span.some() {
            Some(span) => self.store.spans.start.get(span.0).0,
            None => self.store.messages.send.get(message).0,
        }
    }

    /// The innermost call that communicates around a moment of a location, which is looked for from a call that is near.
    pub(crate) fn call_around(&self, location: LocationId, time: Ns, near: SpanRow) -> Option<SpanRow> {
        let spans = &self.store.spans;
        let own = self.store.spans_of(location);
        let is_before = |at: u64| spans.start.get(at) <= time;
        let among = around(own.clone(), near.0, is_before);
        let mut at = spans.start.partition_point(among, |start| start <= time);
        // A call may hold others; those that ended before are passed by.
        for _ in 0..MOST_PASSED {
            if at == own.start {
                return None;
            }
            at -= 1;
            if spans.end.get(at) >= time && self.class(spans.region.get(at)).communicates {
                return Some(SpanRow(at));
            }
            if spans.depth.get(at) == 0 && spans.end.get(at) < time {
                return None;
            }
        }
        None
    }

    /// The call that waits for a message which `receive` receives: that, or the probe before it, if that found the message.
    pub(crate) fn asking(&self, location: LocationId, receive: SpanRow, sent: i64) -> SpanRow {
        if !self.probes {
            return receive;
        }
        let spans = &self.store.spans;
        let own = self.store.spans_of(location);
        let before = own.start.max(receive.0.saturating_sub(MOST_PASSED as u64))..receive.0;
        for at in before.rev() {
            let class = self.class(spans.region.get(at));
            if class.probes && spans.end.get(at).0 >= sent {
                return SpanRow(at);
            }
            if class.communicates {
                break;
            }
        }
        receive
    }

    /// The messages that a location sent, as rows of their table.
    pub(crate) fn sent(&self, location: LocationId) -> Range<u64> {
        let messages = &self.store.messages;
        let from = messages.send_location.partition_point(0..messages.len(), |other| other < location);
        let to = messages.send_location.partition_point(from..messages.len(), |other| other <= location);
        from..to
    }

    /// The messages that a location received, as rows of the table in the order of receiving.
    pub(crate) fn received(&self, location: LocationId) -> Range<u64> {
        let (order, messages) = (&self.store.messages_by_receive, &self.store.messages);
        let of = |message: u64| messages.recv_location.get(message);
        let from = order.message.partition_point(0..order.len(), |message| of(message) < location);
        let to = order.message.partition_point(from..order.len(), |message| of(message) <= location);
        from..to
    }
}

/// When the last event of a location was; where a trace does not say, as tables of calls do not, the end of the trace.
pub(crate) fn last_of(store: &Store, location: LocationId) -> Ns {
    let last = store.locations.last.get(u64::from(location.0));
    if last.is_some() { last } else { Ns(store.summary().end_ns) }
}

/// Calls that are passed by on the way to the one around a moment: more are not looked at.
const MOST_PASSED: usize = 64;

/// Which of some ordered rows to look at for the first that is not before something, from a near one: most are so near that a
/// few values tell, and single values of large tables take time.
fn around(rows: Range<u64>, near: u64, is_before: impl Fn(u64) -> bool) -> Range<u64> {
    if !rows.contains(&near) {
        return rows;
    }
    let mut step = 1;
    if is_before(near) {
        let mut from = near + 1;
        while rows.end - from > step {
            let next = from + step;
            if !is_before(next) {
                return from..next;
            }
            (from, step) = (next + 1, 2 * step);
        }
        return from..rows.end;
    }
    let mut to = near;
    while to - rows.start > step {
        let next = to - step;
        if is_before(next) {
            return next + 1..to;
        }
        (to, step) = (next, 2 * step);
    }
    rows.start..to
}

#[cfg(test)]
mod tests {
    use super::around;

    #[test]
    fn what_is_looked_at_holds_the_first_that_is_not_before() {
        for (start, end) in [(0, 0), (5, 6), (3, 40)] {
            for first in start..=end {
                for near in 0..45 {
                    let found = around(start..end, near, |at| {
                        assert!((start..end).contains(&at));
                        at < first
                    });
                    assert!(found.start <= first && first <= found.end, "{found:?} for {first} from {near}");
                    assert!(start <= found.start && found.end <= end, "{found:?}");
                }
            }
        }
    }
}
