//! Second pass: each row's calls in order, with a stack of those that are open. Runs of non-blocking sends are merged, and
//! events with one caller found.
//!
//! The caller of an event is the innermost call around it whose function somewhere holds more than one event. Neighbours
//! with the same caller belong together. Whatever call is around both of two neighbours holds more than one event, so they
//! have the same caller unless a function further inside, around only one of them, holds several events somewhere. That is
//! known when all rows were walked: such neighbours are decided then.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use heddle_model::RegionId;
use heddle_store::{Columns, Store};
use rustc_hash::FxHashMap;

use super::index::{MarkedSpan, SpanIndex};
use super::regions::Regions;

/// A growing list of bits.
#[derive(Debug, Default)]
struct BitList {
    words: Vec<u64>,
}

impl BitList {
    fn set(&mut self, at: u32) {
        let word = at as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (at % 64);
    }

    fn get(&self, at: u32) -> bool {
        self.words.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 != 0)
    }
}

/// What a walk over some rows found. Events are counted over these rows: one list for many short rows.
#[derive(Debug, Default)]
pub(super) struct RowsScan {
    rows: Vec<FoundInRow>,
    /// Number of events so far.
    events: u32,
    /// Events that have the same caller as the one before.
    same_caller: BitList,
    /// Events that have, unless a function on the way to the common caller holds several events: event, way.
    undecided: Vec<(u32, u32)>,
    ways: Vec<Vec<RegionId>>,
    /// Events before which all requests were waited for by a call that is no event.
    waited: BitList,
    /// Where the function was entered that begins phases, row by row.
    phase_begins: Vec<u64>,
}

#[derive(Debug)]
struct FoundInRow {
    events: u32,
    phase_begins: usize,
    /// Whether all requests were waited for after the last event.
    waited_at_end: bool,
}

/// What the walk over one of the rows found. Events are counted on the row.
pub(super) struct RowScan<'a> {
    scan: &'a RowsScan,
    first: u32,
    /// How many events there are.
    pub(super) events: u32,
    /// Where the function was entered that begins phases.
    pub(super) phase_begins: &'a [u64],
    /// Whether all requests were waited for after the last event.
    pub(super) waited_at_end: bool,
}

impl RowScan<'_> {
    /// Whether an event has the same caller as the one before.
    pub(super) fn same_caller(&self, event: usize) -> bool {
        self.scan.same_caller.get(self.first + event as u32)
    }

    /// Whether all requests were waited for before an event, by a call that is no event.
    pub(super) fn waited(&self, event: usize) -> bool {
        self.scan.waited.get(self.first + event as u32)
    }
}

impl RowsScan {
    /// Number of events of each row.
    pub(super) fn events_of_rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.rows.iter().map(|row| row.events)
    }

    /// Number of events of all rows.
    pub(super) fn events(&self) -> u32 {
        self.events
    }

    /// The rows, one by one.
    pub(super) fn rows(&self) -> impl Iterator<Item = RowScan<'_>> {
        let (mut first, mut begins) = (0, self.phase_begins.as_slice());
        self.rows.iter().map(move |row| {
            let (phase_begins, behind) = begins.split_at(row.phase_begins);
            begins = behind;
            let events = row.events;
            let scan = RowScan { scan: self, first, events, phase_begins, waited_at_end: row.waited_at_end };
            first += events;
            scan
        })
    }

    /// Decides what was left open, once it is known which functions hold several events.
    pub(super) fn decide(&mut self, most_events: &[AtomicU32]) {
        let holds_several =
            |region: &RegionId| most_events.get(region.index()).is_some_and(|most| most.load(Relaxed) > 1);
        let is_clear: Vec<bool> = self.ways.iter().map(|way| !way.iter().any(holds_several)).collect();
        for (event, way) in std::mem::take(&mut self.undecided) {
            if is_clear.get(way as usize) == Some(&true) {
                self.same_caller.set(event);
            }
        }
        self.ways = Vec::new();
    }
}

/// An open call.
struct OpenCall {
    region: RegionId,
    /// Events inside; a collective counts twice, so that one is several.
    events: u32,
    /// Around (nearly) everything: no caller.
    is_outer: bool,
}

/// How rows are walked.
pub(super) struct Scan<'a> {
    pub(super) store: &'a Store,
    pub(super) index: &'a SpanIndex,
    pub(super) regions: &'a Regions,
    pub(super) coalesce: bool,
    /// For each region the most events inside one call of it.
    pub(super) most_events: &'a [AtomicU32],
}

/// The walk over some rows, one after the other.
struct RowWalk<'a> {
    scan: &'a Scan<'a>,
    out: RowsScan,
    /// The first event of the row.
    first: u32,
    ways: FxHashMap<Vec<RegionId>, u32>,
    /// The way that was looked up last.
    way: Vec<RegionId>,
    /// Calls of the row that hold more than half of its events, outermost first.
    outer: Vec<u64>,
    stack: Vec<OpenCall>,
    /// How many of the open calls were around the last event too.
    common: usize,
    /// Regions of calls around the last event that were left since.
    left: Vec<RegionId>,
    /// The last event is a run of non-blocking sends that may go on.
    run_is_open: bool,
    waited: bool,
}

impl Scan<'_> {
    /// Walks the spans of some rows.
    pub(super) fn rows(&self, rows: impl Iterator<Item = Range<u64>>) -> RowsScan {
        let mut walk = RowWalk {
            scan: self,
            out: RowsScan::default(),
            first: 0,
            ways: FxHashMap::default(),
            way: Vec::new(),
            outer: Vec::new(),
            stack: Vec::new(),
            common: 0,
            left: Vec::new(),
            run_is_open: false,
            waited: false,
        };
        rows.for_each(|spans| walk.row(spans));
        let mut ways: Vec<(u32, Vec<RegionId>)> = walk.ways.into_iter().map(|(way, number)| (number, way)).collect();
        ways.sort_unstable();
        walk.out.ways = ways.into_iter().map(|(_, way)| way).collect();
        walk.out
    }

    /// Calls that hold more than half of their row's events, outermost first. `main` is one, and so is what a tracer or a
    /// framework puts around it, or the one call of a solver: as callers they would make one phase of everything.
    fn outer_calls(&self, spans: &Range<u64>, around: &mut Vec<u64>) {
        around.clear();
        let total = self.index.count(spans.clone());
        if total == 0 {
            return;
        }
        // Who holds more than half holds the one in the middle.
        let mut before = 0;
        let middle = self.index.events_in(spans.clone()).find(|found| {
            before += u64::from(found.sends) + u64::from(found.receives) + u64::from(found.collects);
            2 * before > total
        });
        let Some(middle) = middle else { return };
        let depths = &self.store.spans.depth;
        let mut at = middle.span;
        let mut is_outer = false;
        while depths.get(at) > 0 {
            let Some(caller) = self.store.depths.last_at_most(spans.start..at, depths.get(at) - 1, depths) else {
                break;
            };
            at = caller;
            if !is_outer {
                let inside = at + 1..spans.end;
                let end = self.store.depths.first_at_most(inside.clone(), depths.get(at), depths);
                let held = self.index.count(inside.start..end.unwrap_or(inside.end).min(inside.end));
                is_outer = 2 * held > total;
            }
            if is_outer {
                around.push(at);
            }
        }
        around.reverse();
    }
}

impl RowWalk<'_> {
    fn row(&mut self, spans: Range<u64>) {
        let scan = self.scan;
        let mut outer = std::mem::take(&mut self.outer);
        scan.outer_calls(&spans, &mut outer);
        let mut next_outer = outer.iter().copied().peekable();
        self.first = self.out.events;
        (self.common, self.run_is_open, self.waited) = (0, false, false);
        self.left.clear();
        let begins = self.out.phase_begins.len();
        let mut events = scan.index.events_in(spans.clone()).peekable();
        let mut span = spans.start;
        let table = &scan.store.spans;
        (&table.region, &table.depth).for_each(spans, |(region, depth)| {
            while self.stack.len() > usize::from(depth) {
                self.leave();
            }
            if scan.regions.begins_phase(region) {
                self.out.phase_begins.push(span);
            }
            if let Some(found) = events.next_if(|found| found.span == span) {
                self.event(&found, region);
            }
            let is_outer = next_outer.next_if_eq(&span).is_some() || depth == 0;
            self.stack.push(OpenCall { region, events: 0, is_outer });
            span += 1;
        });
        while !self.stack.is_empty() {
            self.leave();
        }
        self.outer = outer;
        self.out.rows.push(FoundInRow {
            events: self.out.events - self.first,
            phase_begins: self.out.phase_begins.len() - begins,
            waited_at_end: self.waited,
        });
    }

    fn leave(&mut self) {
        let Some(open) = self.stack.pop() else { return };
        let regions = self.scan.regions;
        if !regions.is_isend(open.region) {
            self.run_is_open = false;
        }
        if regions.is_wait_all(open.region) {
            self.waited = true;
        }
        if self.stack.len() < self.common {
            self.common = self.stack.len();
            self.left.push(open.region);
        }
        if open.events > 0 {
            if let Some(around) = self.stack.last_mut() {
                around.events = around.events.saturating_add(open.events);
            }
            if let Some(most) = self.scan.most_events.get(open.region.index())
                && most.load(Relaxed) < open.events
            {
                most.fetch_max(open.events, Relaxed);
            }
        }
    }

    fn event(&mut self, found: &MarkedSpan, region: RegionId) {
        let (scan, span) = (self.scan, found.span);
        let is_plain_send = found.sends && !found.receives && !found.collects;
        let may_run = scan.coalesce && is_plain_send && scan.regions.is_isend(region);
        if may_run && self.run_is_open {
            scan.index.merge(span);
            return;
        }
        self.run_is_open = may_run;
        let collectives = if found.collects { scan.index.collectives(span) } else { 0 };
        let first = self.out.events;
        self.out.events += u32::from(found.sends) + u32::from(found.receives) + collectives;
        if std::mem::take(&mut self.waited) {
            self.out.waited.set(first);
        }
        if first > self.first {
            self.compare(first);
        }
        if self.stack.last().is_some_and(|around| !around.is_outer) {
            // What happens at one call has one caller.
            (first + 1..self.out.events).for_each(|event| self.out.same_caller.set(event));
        }
        if let Some(around) = self.stack.last_mut() {
            around.events += u32::from(found.sends) + u32::from(found.receives) + 2 * collectives;
        }
        self.common = self.stack.len();
        self.left.clear();
    }

    /// Whether an event has the caller of the one before.
    fn compare(&mut self, event: u32) {
        let Some(caller) = self.common.checked_sub(1).and_then(|at| self.stack.get(at)) else { return };
        if caller.is_outer {
            return;
        }
        let inside = &self.stack[self.common..];
        if self.left.is_empty() && inside.is_empty() {
            self.out.same_caller.set(event);
            return;
        }
        self.way.clear();
        self.way.extend(self.left.iter().copied().chain(inside.iter().map(|open| open.region)));
        self.way.sort_unstable();
        self.way.dedup();
        // Hardly any way is new.
        let way = self.ways.get(self.way.as_slice()).copied().unwrap_or_else(|| {
            let next = self.ways.len() as u32;
            self.ways.insert(self.way.clone(), next);
            next
        });
        self.out.undecided.push((event, way));
    }
}
