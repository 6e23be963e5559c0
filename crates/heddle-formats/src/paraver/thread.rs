//! What the lines of one thread mean: a walk in the order of time, with the calls and functions that are open.
//!
//! A thread has three streams, because only the end of the file tells how they fit together: what happened (calls,
//! functions, counters, marks), the ends of messages, whose lines stand elsewhere than their times say, and states, which
//! are shown only where there are no calls that say the same in more detail.

use rustc_hash::FxHashMap;

use heddle_model::{
    CollectiveEnd, CommId, LocationId, MarkText, MetricValue, Ns, RegionId, RequestId, WarningKind, Warnings,
};

use super::callers::call_site;
use super::calls::{COLLECTIVE, COMMUNICATOR, Class, RECEIVED, ROOT, SENT, STATE, Types};
use super::header::Header;
use super::labels::Labels;
use super::lines::{Lines, Pair, State};
use super::names::Names;
use super::pieces::Stream;

/// What all threads share while a stretch is read.
pub(super) struct Shared<'a> {
    pub(super) header: &'a Header,
    pub(super) types: &'a Types,
    pub(super) labels: &'a Labels,
    pub(super) names: &'a Names,
}

/// Communicators from here on stand for that of all tasks of an application, for collectives that name none.
pub(super) const WHOLE: u32 = u32::MAX / 2;

/// An MPI call that is open.
struct Call {
    kind: u32,
    region: RegionId,
    collective: Option<CollectiveEnd>,
}

/// What a line says of the collective that begins on it.
#[derive(Default)]
struct Attributes {
    are_used: bool,
    communicator: i64,
    is_root: bool,
    sent: u64,
    received: u64,
}

impl Attributes {
    fn of(line: &[Pair]) -> Attributes {
        let mut attributes = Attributes::default();
        for pair in line {
            match pair.kind {
                COLLECTIVE if pair.value != 0 => attributes.are_used = true,
                COMMUNICATOR => attributes.communicator = pair.value,
                ROOT => attributes.is_root = pair.value != 0,
                SENT => attributes.sent = u64::try_from(pair.value).unwrap_or(0),
                RECEIVED => attributes.received = u64::try_from(pair.value).unwrap_or(0),
                _ => {}
            }
        }
        attributes
    }
}

/// A thread.
#[derive(Default)]
pub(super) struct Thread {
    location: u32,
    name: String,
    pub(super) main: Stream,
    pub(super) ends: Stream,
    pub(super) states: Stream,
    pub(super) events: u64,
    pub(super) first: Option<Ns>,
    pub(super) last: Option<Ns>,
    /// Whether it entered anything.
    pub(super) has_spans: bool,
    pub(super) uses_mpi: bool,
    pub(super) state_records: u64,
    /// Collectives that this thread is the root of: communicator, how-manieth of it.
    pub(super) roots: Vec<(CommId, u64)>,
    pub(super) warnings: Warnings,
    calls: Vec<Call>,
    /// Open functions of each type.
    functions: FxHashMap<u32, Vec<RegionId>>,
    made: FxHashMap<CommId, u64>,
    now: Ns,
    state_open: bool,
    state_now: Ns,
}

impl Thread {
    pub(super) fn new(location: u32, name: String) -> Thread {
        Thread { location, name, ..Thread::default() }
    }

    /// Notes that there was something at a time, shown or not.
    pub(super) fn note(&mut self, time: Ns) {
        self.first = Some(self.first.map_or(time, |first| first.min(time)));
        self.last = Some(self.last.map_or(time, |last| last.max(time)));
    }

    fn warn(&mut self, kind: WarningKind, count: u64, text: &str) {
        self.warnings.add_many(kind, count, || self.name.clone(), text);
    }

    /// Walks the next lines.
    pub(super) fn feed(&mut self, lines: &mut Lines, shared: &Shared<'_>) {
        self.feed_states(&mut lines.states, shared);
        // Lines are meant to be in order, but nobody promises it. Pairs of a line have one time and stay together.
        if !lines.pairs.is_sorted_by_key(|pair| pair.time) {
            lines.pairs.sort_by_key(|pair| pair.time);
        }
        self.events += lines.pairs.len() as u64;
        let mut falls = 0;
        for line in lines.pairs.chunk_by(|_, next| !next.first) {
            let time = line[0].time;
            self.note(time);
            if time < self.now {
                falls += 1;
            } else {
                self.now = time;
            }
            self.line(self.now, line, shared);
        }
        let text = "times go backwards within a thread; they were raised to the time before";
        self.warn(WarningKind::TimeFalls, falls, text);
    }

    fn line(&mut self, time: Ns, line: &[Pair], shared: &Shared<'_>) {
        let attributes = Attributes::of(line);
        let mut makes_call = false;
        for pair in line {
            match shared.types.class(pair.kind) {
                Class::Call => {
                    makes_call |= pair.value != 0;
                    self.call(time, pair, &attributes, shared);
                }
                Class::Function => self.function(time, pair, shared),
                Class::Counter => {
                    if let Some(metric) = shared.names.metric(pair.kind) {
                        self.main.block().metric(time, MetricValue { metric, value: pair.value as f64 });
                    }
                }
                Class::Attribute => {
                    // At the end of a window the cutter sets them to zero, which means nothing.
                    if !attributes.are_used && pair.value != 0 {
                        self.warn(WarningKind::UnusedRecords, 1, "attributes of collectives without a collective");
                    }
                }
                Class::Caller | Class::Unused => {}
                Class::Mark => {
                    let name = shared.labels.type_name(pair.kind);
                    let name = name.map_or_else(|| format!("event {}", pair.kind), str::to_owned);
                    let text = shared.labels.value(pair.kind, pair.value);
                    let text = text.map_or_else(|| pair.value.to_string(), str::to_owned);
                    self.main.block().mark(time, MarkText { name, text });
                }
            }
        }
        if let Some(text) = call_site(line, shared.labels).filter(|_| makes_call) {
            self.main.block().mark(time, MarkText { name: MarkText::CALL_SITE.to_owned(), text });
        }
    }

    fn call(&mut self, time: Ns, pair: &Pair, attributes: &Attributes, shared: &Shared<'_>) {
        self.uses_mpi = true;
        let open = self.calls.iter().rposition(|call| call.kind == pair.kind);
        if pair.value == 0 {
            match open {
                Some(at) => self.end_call(time, at, shared),
                None => {
                    self.warn(WarningKind::StrayLeaves, 1, "calls that end without having begun: the trace was cut");
                }
            }
            return;
        }
        if let Some(at) = open {
            self.warn(WarningKind::OpenRegions, 1, "calls that begin within another of their kind, which ends there");
            self.end_call(time, at, shared);
        }
        let Some(region) = shared.names.region(pair.kind, pair.value) else { return };
        self.has_spans = true;
        self.main.block().enter(time, region);
        let collective = (pair.kind == COLLECTIVE).then(|| self.collective(region, attributes, shared));
        if collective.is_some() {
            self.main.block().collective_begin(time);
        }
        if self.calls.is_empty() {
            self.main.call = Some((region, time));
        }
        self.calls.push(Call { kind: pair.kind, region, collective });
    }

    fn end_call(&mut self, time: Ns, at: usize, shared: &Shared<'_>) {
        let call = self.calls.remove(at);
        if let Some(end) = call.collective {
            self.main.block().collective_end(time, end);
        }
        self.main.block().leave(time, Some(call.region));
        if self.calls.is_empty() {
            self.main.call = None;
        }
        if time == shared.header.duration && time > Ns(0) {
            let text = "calls that end exactly with the trace: their end may have been cut off";
            self.warn(WarningKind::OpenRegions, 1, text);
        }
    }

    fn collective(&mut self, region: RegionId, attributes: &Attributes, shared: &Shared<'_>) -> CollectiveEnd {
        let application = shared.header.task(self.location).map_or(0, |task| task.application);
        let comm = shared.names.communicator(application, attributes.communicator);
        let comm = comm.unwrap_or(CommId(WHOLE + application));
        let made = self.made.entry(comm).or_insert(0);
        *made += 1;
        let number = *made - 1;
        if attributes.is_root {
            self.roots.push((comm, number));
        }
        CollectiveEnd {
            op: shared.names.op(region),
            comm,
            root: LocationId::NONE,
            sent: attributes.sent,
            received: attributes.received,
            // Until the end of the file: which of its communicator's it is, to find its root by.
            request: RequestId(number),
            number: None,
        }
    }

    fn function(&mut self, time: Ns, pair: &Pair, shared: &Shared<'_>) {
        if pair.value != 0 {
            let Some(region) = shared.names.region(pair.kind, pair.value) else { return };
            self.has_spans = true;
            self.main.block().enter(time, region);
            self.functions.entry(pair.kind).or_default().push(region);
            return;
        }
        match self.functions.get_mut(&pair.kind).and_then(Vec::pop) {
            Some(region) => self.main.block().leave(time, Some(region)),
            None => self.warn(WarningKind::StrayLeaves, 1, "functions that end without having begun"),
        }
    }

    fn feed_states(&mut self, states: &mut [State], shared: &Shared<'_>) {
        states.sort_by_key(|state| state.begin);
        self.events += states.len() as u64;
        self.state_records += states.len() as u64;
        let mut overlaps = 0;
        for state in states {
            self.note(state.begin);
            if let Some(end) = state.end {
                self.note(end);
            }
            let Some(region) = shared.names.region(STATE, state.number) else { continue };
            overlaps += u64::from(state.begin < self.state_now);
            let begin = state.begin.max(self.state_now);
            if std::mem::take(&mut self.state_open) {
                self.states.block().leave(begin, None);
            }
            self.states.block().enter(begin, region);
            self.state_now = begin;
            match state.end {
                Some(end) => {
                    self.state_now = end.max(begin);
                    self.states.block().leave(self.state_now, None);
                }
                None => self.state_open = true,
            }
        }
        let text = "states that overlap; the later one begins where the earlier ends";
        self.warn(WarningKind::TimeFalls, overlaps, text);
    }
}
