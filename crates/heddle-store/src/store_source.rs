//! A finished store as a [`Source`]: its tables turned back into records, for whoever writes a trace in another format.
//!
//! A part is a stretch of a location's spans in the order they were entered. Entering and leaving follow from the spans
//! and their depths; what lies beside them (ends of messages, collectives, counter values, marks) is found by time: every
//! list of it has the earliest and latest time of each 1,024 entries, so a part looks only at what may be its own. Memory
//! is that of these bounds, of four bytes for each member of a collective, mark and unmatched end, and of one part at a
//! time.

use std::ops::Range;
use std::sync::Arc;

use heddle_model::{
    CollectiveEnd, CommId, Communicator, Definitions, GlobalMark, Location, LocationId, LocationKind, MarkText,
    MessageEnd, MetricDefinition, MetricId, MetricValue, Ns, Part, RecordBlock, Region, RegionId, RequestId, Role,
    Source, SourceError, SpanRow, SystemNode, TaskInfo, Warnings, Worker,
};

use crate::{Cursor, Store};

mod definitions;
mod lists;

use self::lists::{List, Lists};

/// About what the records of a span take, with what lies beside it.
const BYTES_PER_SPAN: u64 = 64;

/// Smaller parts would only take time.
const LEAST_SPANS: u64 = 16;

/// Memory that turning a store into a trace takes: what says which things beside the spans are of which location.
pub fn conversion_memory(store: &Store) -> u64 {
    lists::memory(store)
}

/// A store, to be read as a trace.
pub struct StoreSource<'a> {
    store: &'a Store,
    definitions: Definitions,
    parts: Vec<Part>,
    spans_per_part: u64,
    lists: Lists,
    warnings: Warnings,
}

impl<'a> StoreSource<'a> {
    /// Looks through the tables once, for what lies where. Parts are so small that one of every location fits `memory`, as
    /// long as locations are not too many for that.
    pub fn new(store: &'a Store, memory: u64) -> StoreSource<'a> {
        let definitions = definitions::of(store);
        let lists = Lists::of(store);
        let locations = definitions.locations.len() as u64;
        let spans_per_part = (memory / BYTES_PER_SPAN / locations.max(1)).clamp(LEAST_SPANS, 1 << 16);
        let mut parts = Vec::new();
        for location in (0..locations as u32).map(LocationId) {
            let rows = store.spans_of(location);
            let spans = rows.end - rows.start;
            let beside = lists.count(location);
            if spans == 0 && beside == 0 {
                continue;
            }
            let count = spans.div_ceil(spans_per_part).max(1);
            let bytes = (spans * 32 + beside * 24) / count;
            parts.extend((0..count as u32).map(|index| Part { location, index, bytes }));
        }
        StoreSource { store, definitions, parts, spans_per_part, lists, warnings: Warnings::default() }
    }
}

impl Source for StoreSource<'_> {
    fn format(&self) -> &'static str {
        "store"
    }

    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn read(&self, part: &Part, out: &mut RecordBlock) -> Result<(), SourceError> {
        let all = self.store.spans_of(part.location);
        let first = (all.start + u64::from(part.index) * self.spans_per_part).min(all.end);
        let rows = first..(first + self.spans_per_part).min(all.end);
        let window = Window {
            first: (part.index > 0).then(|| (self.store.spans.start.get(rows.start), rows.start)),
            end: (rows.end < all.end).then(|| (self.store.spans.start.get(rows.end), rows.end)),
        };
        let points = self.lists.points(self.store, part.location, &window);
        let mut walk = PartWalk::new(self, &points, out);
        walk.open_before(all, rows.start);
        walk.run(rows.clone(), window.end.map(|(_, row)| row));
        if window.end.is_none() {
            let last = self.store.locations.last.get(u64::from(part.location.0));
            out.last = out.last.max(last.is_some().then_some(last));
        }
        out.events += out.len() as u64;
        Ok(())
    }

    fn warnings(&self) -> &Warnings {
        &self.warnings
    }
}

/// What a part covers: from the start of its first span to that of the next part's.
struct Window {
    first: Option<(Ns, u64)>,
    end: Option<(Ns, u64)>,
}

impl Window {
    /// Whether something at a time, in a span if that is known, belongs here.
    fn has(&self, time: Ns, span: SpanRow) -> bool {
        // At the very time of a border, what is in a span entered before it belongs before it.
        let is_before = |(border, row): (Ns, u64)| time < border || (time == border && span.is_some() && span.0 < row);
        !self.first.is_some_and(is_before) && self.end.is_none_or(is_before)
    }

    /// Whether anything in a range of times may belong here.
    fn touches(&self, (first, last): (i64, i64)) -> bool {
        self.first.is_none_or(|(border, _)| last >= border.0) && self.end.is_none_or(|(border, _)| first <= border.0)
    }
}

/// Something at a time.
#[derive(Clone, Copy, Debug)]
struct Point {
    time: Ns,
    /// The call it happened in.
    span: SpanRow,
    /// A row of its table.
    row: u64,
    list: List,
}

/// The walk over a part: spans entered and left in order, with what lies beside them put in between.
struct PartWalk<'a, 'b> {
    source: &'a StoreSource<'b>,
    points: &'a [Point],
    /// Which of them were put before their turn, and the first that may not have been.
    taken: Vec<bool>,
    next: usize,
    /// Rows of spans that are open.
    open: Vec<u64>,
    /// Spans are entered in the order of their rows. They are left in another, but the rows are near.
    starts: Cursor<'b, Ns>,
    ends: Cursor<'b, Ns>,
    regions: Cursor<'b, RegionId>,
    depths: Cursor<'b, u16>,
    out: &'a mut RecordBlock,
}

impl<'a, 'b> PartWalk<'a, 'b> {
    fn new(source: &'a StoreSource<'b>, points: &'a [Point], out: &'a mut RecordBlock) -> PartWalk<'a, 'b> {
        let spans = &source.store.spans;
        PartWalk {
            source,
            points,
            taken: vec![false; points.len()],
            next: 0,
            open: Vec::new(),
            starts: spans.start.cursor(),
            ends: spans.end.cursor(),
            regions: spans.region.cursor(),
            depths: spans.depth.cursor(),
            out,
        }
    }

    /// Finds what is open around the first span.
    fn open_before(&mut self, all: Range<u64>, row: u64) {
        let store = self.source.store;
        let depths = &store.spans.depth;
        let mut depth = if row < all.end { depths.get(row) } else { 0 };
        let mut end = row;
        while depth > 0 {
            let Some(around) = store.depths.last_at_most(all.start..end, depth - 1, depths) else { break };
            self.open.push(around);
            (depth, end) = (depths.get(around), around);
        }
        self.open.reverse();
    }

    fn run(&mut self, rows: Range<u64>, next: Option<u64>) {
        for row in rows {
            let depth = self.depths.get(row);
            self.close_to(usize::from(depth));
            let start = self.starts.get(row);
            self.points_before(start);
            self.out.enter(start, self.regions.get(row));
            self.open.push(row);
        }
        // What is around the next part's first span stays open, and is that part's to close.
        let depth = next.map_or(0, |row| self.depths.get(row));
        self.close_to(usize::from(depth));
        self.points_before(Ns(i64::MAX));
    }

    fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            let Some(row) = self.open.last().copied() else { return };
            let end = self.ends.get(row);
            self.points_before(end);
            self.open.pop();
            self.out.leave(end, Some(self.regions.get(row)));
        }
    }

    /// Puts what comes before a border at a time: earlier things, and those at that time in the innermost open call.
    fn points_before(&mut self, time: Ns) {
        let innermost = self.open.last().map_or(SpanRow::NONE, |row| SpanRow(*row));
        while self.points.get(self.next).is_some_and(|point| point.time < time) {
            self.put(self.next);
            self.next += 1;
        }
        let now = self.points[self.next..].partition_point(|point| (point.time, point.span) < (time, innermost));
        for at in self.next + now..self.points.len() {
            if (self.points[at].time, self.points[at].span) != (time, innermost) {
                break;
            }
            self.put(at);
        }
    }

    fn put(&mut self, at: usize) {
        if !std::mem::replace(&mut self.taken[at], true) {
            self.source.lists.put(self.source.store, &self.points[at], self.out);
        }
    }
}
