//! What lies beside the spans, by location, with the times of every stretch of it.

use std::ops::Range;

use super::{
    CollectiveEnd, CommId, LocationId, MarkText, MessageEnd, MetricValue, Ns, Point, RecordBlock, RequestId, SpanRow,
    Store, TaskInfo, Window,
};
use crate::Column;

/// Entries that one bound stands for.
const STRETCH: u64 = 1024;

/// Kinds of things, in the order in which they are put where all else is equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum List {
    Tasks,
    Metrics,
    Marks,
    CollectiveBegins,
    Sends,
    Completions,
    Posts,
    Receives,
    Unmatched,
    CollectiveEnds,
}

const LISTS: [List; 10] = [
    List::Tasks,
    List::Metrics,
    List::Marks,
    List::CollectiveBegins,
    List::Sends,
    List::Completions,
    List::Posts,
    List::Receives,
    List::Unmatched,
    List::CollectiveEnds,
];

/// Entries in the order of locations.
#[derive(Default)]
struct LocationOrder {
    /// Where each location's entries begin, and the end.
    first: Vec<u64>,
    /// Rows, where the table itself is not in this order.
    rows: Option<Rows>,
}

/// Row numbers, which nearly always fit four bytes.
enum Rows {
    Short(Vec<u32>),
    Long(Vec<u64>),
}

impl Rows {
    fn zeros(count: u64, table: u64) -> Rows {
        let count = count as usize;
        if u32::try_from(table).is_ok() { Rows::Short(vec![0; count]) } else { Rows::Long(vec![0; count]) }
    }

    fn set(&mut self, at: u64, row: u64) {
        match self {
            Rows::Short(rows) => rows[at as usize] = row as u32,
            Rows::Long(rows) => rows[at as usize] = row,
        }
    }

    fn get(&self, at: u64) -> Option<u64> {
        match self {
            Rows::Short(rows) => rows.get(at as usize).map(|row| u64::from(*row)),
            Rows::Long(rows) => rows.get(at as usize).copied(),
        }
    }
}

/// Memory that all lists of a store will take.
pub(super) fn memory(store: &Store) -> u64 {
    let tables = [store.collective_members.len(), store.marks.len(), store.unmatched.len()];
    let indexed = tables.iter().map(|rows| rows * if u32::try_from(*rows).is_ok() { 4 } else { 8 }).sum::<u64>();
    let bounds =
        (store.messages.len() * 4 + store.metric_values.len() + store.tasks.len() + tables.iter().sum::<u64>() * 2)
            / STRETCH
            * 16;
    indexed + bounds + store.collectives.len() * 4 + store.locations.len() * 8 * 8
}

impl LocationOrder {
    /// Of a table that is in the order of locations.
    fn sorted(store: &Store, locations: impl Iterator<Item = LocationId>) -> LocationOrder {
        let mut first = counts(store, locations);
        let mut sum = 0;
        for entry in &mut first {
            sum += std::mem::replace(entry, sum);
        }
        LocationOrder { first, rows: None }
    }

    /// Of a table in any order; rows without a location are left out.
    fn indexed(store: &Store, locations: &Column<LocationId>) -> LocationOrder {
        let LocationOrder { first, .. } = LocationOrder::sorted(store, locations.iter(0..locations.len()));
        let mut next = first.clone();
        let mut rows = Rows::zeros(first.last().copied().unwrap_or(0), locations.len());
        for (row, location) in (0..).zip(locations.iter(0..locations.len())) {
            if let Some(place) = next.get_mut(location.index()).filter(|_| location.is_some()) {
                rows.set(*place, row);
                *place += 1;
            }
        }
        LocationOrder { first, rows: Some(rows) }
    }

    fn range(&self, location: LocationId) -> Range<u64> {
        let at = location.index();
        let get = |at: usize| self.first.get(at).copied().unwrap_or(0);
        get(at)..get(at + 1).max(get(at))
    }

    fn row(&self, at: u64) -> u64 {
        self.rows.as_ref().map_or(at, |rows| rows.get(at).unwrap_or(u64::MAX))
    }
}

/// How many entries each location has, and a zero more.
fn counts(store: &Store, locations: impl Iterator<Item = LocationId>) -> Vec<u64> {
    let mut counts = vec![0; store.locations.len() as usize + 1];
    for location in locations {
        if location.is_some() && location.index() + 1 < counts.len() {
            counts[location.index()] += 1;
        }
    }
    counts
}

/// All lists.
pub(super) struct Lists {
    messages: LocationOrder,
    receives: LocationOrder,
    members: LocationOrder,
    metrics: LocationOrder,
    marks: LocationOrder,
    tasks: LocationOrder,
    unmatched: LocationOrder,
    /// Of each list: earliest and latest time of every stretch of entries, whatever their location.
    bounds: Vec<Vec<(i64, i64)>>,
    /// The number of each collective on its communicator.
    numbers: Vec<u32>,
}

impl Lists {
    pub(super) fn of(store: &Store) -> Lists {
        let (messages, by_receive) = (&store.messages, &store.messages_by_receive.message);
        let metric_values = &store.metric_values;
        let received = by_receive.iter(0..by_receive.len()).map(|message| messages.recv_location.get(message));
        let runs = store.tasks.span.iter(0..store.tasks.len());
        let ran_on = runs.map(|span| store.locations.of_span(span));
        let mut lists = Lists {
            messages: LocationOrder::sorted(store, messages.send_location.iter(0..messages.len())),
            receives: LocationOrder::sorted(store, received),
            members: LocationOrder::indexed(store, &store.collective_members.location),
            metrics: LocationOrder::sorted(store, metric_values.location.iter(0..metric_values.len())),
            marks: LocationOrder::indexed(store, &store.marks.location),
            tasks: LocationOrder::sorted(store, ran_on),
            unmatched: LocationOrder::indexed(store, &store.unmatched.location),
            bounds: Vec::new(),
            numbers: numbers(store),
        };
        lists.bounds = LISTS.iter().map(|list| lists.bounds_of(store, *list)).collect();
        lists
    }

    /// How many things a location has beside its spans.
    pub(super) fn count(&self, location: LocationId) -> u64 {
        let Lists { messages, receives, members, metrics, marks, tasks, unmatched, .. } = self;
        let all = [messages, receives, members, metrics, marks, tasks, unmatched];
        all.iter().map(|order| order.range(location)).map(|range| range.end - range.start).sum()
    }

    fn order(&self, list: List) -> &LocationOrder {
        match list {
            List::Sends | List::Completions => &self.messages,
            List::Receives | List::Posts => &self.receives,
            List::CollectiveBegins | List::CollectiveEnds => &self.members,
            List::Metrics => &self.metrics,
            List::Marks => &self.marks,
            List::Tasks => &self.tasks,
            List::Unmatched => &self.unmatched,
        }
    }

    fn bounds_of(&self, store: &Store, list: List) -> Vec<(i64, i64)> {
        let count = self.order(list).first.last().copied().unwrap_or(0);
        let bound = |start: u64| {
            let times = self.entries(store, list, start..(start + STRETCH).min(count)).map(|point| point.time.0);
            // A time that is not known bounds nothing.
            times
                .filter(|time| *time != Ns::NONE.0)
                .fold((i64::MAX, i64::MIN), |(first, last), time| (first.min(time), last.max(time)))
        };
        (0..count).step_by(STRETCH as usize).map(bound).collect()
    }

    /// Entries of a list: when and in which call. One without a time is not there.
    fn entries<'a>(
        &'a self,
        store: &'a Store,
        list: List,
        entries: Range<u64>,
    ) -> Box<dyn Iterator<Item = Point> + 'a> {
        let (messages, members) = (&store.messages, &store.collective_members);
        let point = move |time, span, row| Point { time, span, row, list };
        let alone = move |(time, row)| point(time, SpanRow::NONE, row);
        let received = store.messages_by_receive.message.iter(entries.clone());
        let rows = entries.clone().map(move |at| self.order(list).row(at));
        match list {
            List::Sends => {
                let calls = messages.send.iter(entries.clone()).zip(messages.send_span.iter(entries.clone()));
                Box::new(calls.zip(entries).map(move |((time, span), row)| point(time, span, row)))
            }
            List::Completions => Box::new(messages.completed.iter(entries.clone()).zip(entries).map(alone)),
            List::Metrics => Box::new(store.metric_values.time.iter(entries.clone()).zip(entries).map(alone)),
            List::Receives => {
                Box::new(received.map(move |at| point(messages.recv.get(at), messages.recv_span.get(at), at)))
            }
            List::Posts => Box::new(received.map(move |at| alone((messages.posted.get(at), at)))),
            List::CollectiveBegins => Box::new(rows.map(move |row| {
                let span = if is_posted(store, row) { SpanRow::NONE } else { members.span.get(row) };
                point(members.start.get(row), span, row)
            })),
            List::CollectiveEnds => {
                Box::new(rows.map(move |row| point(members.end.get(row), members.span.get(row), row)))
            }
            List::Tasks => Box::new(store.tasks.span.iter(entries.clone()).zip(entries).map(move |(span, row)| {
                let time = store.spans.start.get(span.0);
                point(time, span, row)
            })),
            List::Marks => Box::new(rows.map(move |row| alone((store.marks.time.get(row), row)))),
            List::Unmatched => {
                let table = &store.unmatched;
                Box::new(rows.map(move |row| point(table.time.get(row), table.span.get(row), row)))
            }
        }
    }

    /// What a part has beside its spans, in order.
    pub(super) fn points(&self, store: &Store, location: LocationId, window: &Window) -> Vec<Point> {
        let mut points = Vec::new();
        for (list, bounds) in LISTS.iter().zip(&self.bounds) {
            let range = self.order(*list).range(location);
            let mut at = range.start;
            while at < range.end {
                let stretch = at / STRETCH;
                let end = ((stretch + 1) * STRETCH).min(range.end);
                if bounds.get(stretch as usize).is_some_and(|times| window.touches(*times)) {
                    let entries = self.entries(store, *list, at..end);
                    points.extend(entries.filter(|point| point.time.is_some() && window.has(point.time, point.span)));
                }
                at = end;
            }
        }
        // In a call first what began, then what ended; messages of one key stay in the order of their rows.
        points.sort_by_key(|point| (point.time, point.span, point.list, point.row));
        points
    }

    /// The record that a point stands for.
    pub(super) fn put(&self, store: &Store, point: &Point, out: &mut RecordBlock) {
        let Point { time, row, list, .. } = *point;
        match list {
            List::Sends | List::Completions | List::Posts | List::Receives => message(store, point, out),
            List::Unmatched => unmatched(store, row, time, out),
            List::CollectiveBegins if is_posted(store, row) => out.collective_request(time, request(3, row)),
            List::CollectiveBegins => out.collective_begin(time),
            List::CollectiveEnds => {
                let collective = collective_of(store, row);
                let posted = is_posted(store, row);
                let end = CollectiveEnd {
                    op: store.collectives.op.get(collective),
                    comm: store.collectives.comm.get(collective),
                    root: store.collectives.root.get(collective),
                    sent: store.collective_members.sent.get(row),
                    received: store.collective_members.received.get(row),
                    request: if posted { request(3, row) } else { RequestId::NONE },
                    number: self.numbers.get(collective as usize).copied(),
                };
                if posted {
                    out.collective_complete(time, end);
                } else {
                    out.collective_end(time, end);
                }
            }
            List::Metrics => {
                let table = &store.metric_values;
                out.metric(time, MetricValue { metric: table.metric.get(row), value: table.value.get(row) });
            }
            List::Tasks => task(store, row, time, out),
            List::Marks => {
                let (name, text) = (store.marks.name.get(row).to_owned(), store.marks.text.get(row).to_owned());
                out.mark(time, MarkText { name, text });
            }
        }
    }
}

/// Whether a collective was posted before the call that completed it: a non-blocking one.
fn is_posted(store: &Store, row: u64) -> bool {
    let members = &store.collective_members;
    let span = members.span.get(row);
    !span.is_some() || store.spans.start.get(span.0) > members.start.get(row)
}

/// Requests of the four kinds never meet.
fn request(kind: u64, row: u64) -> RequestId {
    RequestId(row << 2 | kind)
}

fn message(store: &Store, point: &Point, out: &mut RecordBlock) {
    let (row, table) = (point.row, &store.messages);
    let main = |location: LocationId| main_of(store, location);
    let end = |peer: LocationId, request: RequestId| MessageEnd {
        peer: main(peer),
        comm: table.comm.get(row),
        tag: table.tag.get(row),
        bytes: table.bytes.get(row),
        request,
    };
    match point.list {
        List::Completions => out.send_complete(point.time, request(0, row)),
        List::Posts => out.recv_request(point.time, request(1, row)),
        List::Sends => {
            let peer = table.recv_location.get(row);
            if table.completed.get(row).is_some() {
                out.isend(point.time, end(peer, request(0, row)));
            } else {
                out.send(point.time, end(peer, RequestId::NONE));
            }
        }
        _ => {
            let peer = table.send_location.get(row);
            if table.posted.get(row).is_some() {
                out.irecv(point.time, end(peer, request(1, row)));
            } else {
                out.recv(point.time, end(peer, RequestId::NONE));
            }
        }
    }
}

/// Messages are addressed to processes: a thread's main location.
fn main_of(store: &Store, location: LocationId) -> LocationId {
    let table = &store.locations;
    let row = u64::from(location.0);
    if !location.is_some() || table.is_main.get(row) == 1 || !table.rank.get(row).is_some() {
        return location;
    }
    // The main location of a process comes with the others of it; most often it is the first.
    let rank = table.rank.get(row);
    let same = |at: &u64| table.rank.get(*at) == rank && table.is_main.get(*at) == 1;
    (0..row).rev().chain(row + 1..table.len()).find(same).map_or(location, |at| LocationId(at as u32))
}

fn task(store: &Store, row: u64, time: Ns, out: &mut RecordBlock) {
    let (table, dependencies) = (&store.tasks, &store.dependencies);
    let info = TaskInfo {
        id: table.id.get(row),
        submitted: table.submitted.get(row),
        ready: table.ready.get(row),
        iteration: table.iteration.get(row),
        tile: [table.tile_row.get(row), table.tile_column.get(row)],
    };
    out.task(time, info);
    let first = dependencies.task.partition_point(0..dependencies.len(), |task| task < row);
    for at in first..dependencies.len() {
        if dependencies.task.get(at) != row {
            break;
        }
        out.depends_on(time, dependencies.on.get(at));
    }
}

fn unmatched(store: &Store, row: u64, time: Ns, out: &mut RecordBlock) {
    let table = &store.unmatched;
    let end = MessageEnd {
        peer: table.peer.get(row),
        comm: table.comm.get(row),
        tag: table.tag.get(row),
        bytes: table.bytes.get(row),
        request: RequestId::NONE,
    };
    match table.kind.get(row) {
        "send" => out.send(time, end),
        "receive" => out.recv(time, end),
        _ => out.recv_request(time, request(2, row)),
    }
}

/// The collective that a row of members belongs to: members lie by collective.
fn collective_of(store: &Store, row: u64) -> u64 {
    let table = &store.collectives;
    table.first_member.partition_point(0..table.len(), |first| first <= row).saturating_sub(1)
}

/// The number of each collective on its communicator: counting would go wrong where members lack some.
fn numbers(store: &Store) -> Vec<u32> {
    let mut counts = rustc_hash::FxHashMap::<CommId, u32>::default();
    let number = |collective| {
        let count = counts.entry(store.collectives.comm.get(collective)).or_default();
        std::mem::replace(count, *count + 1)
    };
    (0..store.collectives.len()).map(number).collect()
}
