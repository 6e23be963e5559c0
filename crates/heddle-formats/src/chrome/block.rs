//! A stretch of the array of events, turned into entries. Blocks are decoded side by side, each with tables of its own.

use std::collections::BTreeMap;
use std::hash::Hasher;

use heddle_model::{WarningKind, Warnings};
use rustc_hash::FxHasher;

use super::arguments;
use super::bound::Bound;
use super::category::{Category, Class, category, is_communication_kernel, is_communication_row};
use super::event::{Name, RawEvent, event};
use super::flows::{FlowEnd, is_local};
use super::number;
use super::rows::{CommRow, Entry, Given, Id, Kind, Launch, Part, Tables, TrackKey};
use super::scan::{Fault, members, next_border, skip_space, text, value_end};
use super::stated::{PREFIX, Statement};

/// How the decoding of a block ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// At its end, between two events.
    Done,
    /// At the bracket that ends the array.
    ArrayEnd(usize),
    /// In the event that begins here: the block ends before it does.
    Inside(usize),
}

/// What a block holds.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) tables: Tables,
    pub(super) entries: Vec<(u32, Entry)>,
    pub(super) comms: Vec<CommRow>,
    pub(super) launches: Vec<Launch>,
    pub(super) names: Vec<Given>,
    pub(super) bounds: Vec<(u32, Bound)>,
    pub(super) flow_ends: Vec<FlowEnd>,
    pub(super) statements: Vec<Statement>,
    /// Instants of the whole trace: time and text.
    pub(super) marks: Vec<(i64, u32)>,
    pub(super) events: u64,
    /// Flow events that never leave their process.
    pub(super) flows: u64,
    pub(super) other_phases: BTreeMap<u8, u64>,
    /// Whether a time has decimals.
    pub(super) has_decimals: bool,
    pub(super) warnings: Warnings,
    pub(super) stop: Stop,
}

/// Where a block is: for warnings.
#[derive(Clone, Copy)]
pub(super) struct Where<'a> {
    pub(super) file: &'a str,
    pub(super) number: u32,
    pub(super) offset: u64,
}

/// Decodes the events of `bytes`, which begin between two events.
pub(super) fn decode(bytes: &[u8], place: Where) -> Block {
    let mut decoder = Decoder {
        place,
        at: 0,
        out: Block {
            tables: Tables::default(),
            entries: Vec::with_capacity(bytes.len() / 256),
            comms: Vec::new(),
            launches: Vec::new(),
            names: Vec::new(),
            bounds: Vec::new(),
            flow_ends: Vec::new(),
            statements: Vec::new(),
            marks: Vec::new(),
            events: 0,
            flows: 0,
            other_phases: BTreeMap::new(),
            has_decimals: false,
            warnings: Warnings::default(),
            stop: Stop::Done,
        },
    };
    decoder.run(bytes);
    decoder.out
}

struct Decoder<'a> {
    place: Where<'a>,
    at: usize,
    out: Block,
}

impl Decoder<'_> {
    fn run(&mut self, bytes: &[u8]) {
        let mut at = 0;
        // Hostile bytes could be read again and again behind each border; that ends here.
        let mut patience = 16 * bytes.len() + (1 << 20);
        loop {
            at = skip_space(bytes, at);
            self.at = at;
            let read = match bytes.get(at) {
                None => return,
                Some(b',') => {
                    at += 1;
                    continue;
                }
                Some(b']') => {
                    self.out.stop = Stop::ArrayEnd(at);
                    return;
                }
                Some(b'{') => match event(bytes, at) {
                    Ok((event, end)) => {
                        self.out.events += 1;
                        self.event(&event);
                        Ok(end)
                    }
                    Err(fault) => Err(fault),
                },
                Some(_) => value_end(bytes, at).inspect(|_| {
                    self.warn(
                        WarningKind::Corrupt,
                        "values that are not objects are mixed in with the events; they were skipped",
                    );
                }),
            };
            match read {
                Ok(end) => at = end,
                Err(Fault::Ends) => {
                    self.out.stop = Stop::Inside(at);
                    return;
                }
                Err(Fault::Bad) => {
                    self.warn(
                        WarningKind::Corrupt,
                        "events that are not JSON were skipped, up to where another begins",
                    );
                    let next = next_border(bytes, at + 1).unwrap_or(bytes.len());
                    patience = patience.saturating_sub(next - at + 4096);
                    at = if patience == 0 { bytes.len() } else { next };
                }
            }
        }
    }

    fn warn(&mut self, kind: WarningKind, text: &str) {
        let (file, offset) = (self.place.file, self.place.offset + self.at as u64);
        self.out.warnings.add(kind, || format!("{file} byte {offset}"), text);
    }

    fn id(&mut self, name: Name) -> Id {
        match name {
            Name::Number(number) => Id::Number(number),
            Name::Text(text) => Id::Text(self.text(text)),
        }
    }

    fn text(&mut self, content: &[u8]) -> u32 {
        self.out.tables.texts.id(text(content).as_bytes())
    }

    fn track(&mut self, event: &RawEvent, class: Class) -> u32 {
        let pid = self.id(event.pid);
        let tid = match class {
            Class::Async(_) | Class::Counters | Class::Overhead => Id::Number(0),
            _ => self.id(event.tid),
        };
        self.out.tables.track(TrackKey { file: self.place.number, pid, tid, class })
    }

    fn region(&mut self, event: &RawEvent, category: Category) -> u32 {
        if memchr::memchr(b'\\', event.name).is_some() {
            self.out.tables.region(text(event.name).as_bytes(), category)
        } else {
            self.out.tables.region(event.name, category)
        }
    }

    fn push(&mut self, track: u32, entry: Entry) {
        self.out.entries.push((track, entry));
    }

    fn event(&mut self, event: &RawEvent) {
        if event.phase == b'M' {
            self.metadata(event);
            return;
        }
        if matches!(event.phase, b's' | b't' | b'f') && is_local(event.category) {
            self.out.flows += 1;
            return;
        }
        let shown = b"XBEiIRCbneSFstf";
        if !shown.contains(&event.phase) {
            *self.out.other_phases.entry(event.phase).or_insert(0) += 1;
            return;
        }
        let Some(time) = number::nanoseconds(event.time) else {
            self.warn(WarningKind::Corrupt, "events without a time, or with one that is not a number, were left out");
            return;
        };
        self.out.has_decimals |= event.time.contains(&b'.');
        match event.phase {
            b'X' => self.complete(event, time),
            b'B' | b'E' => {
                let category = category(event.category);
                let track = self.track(event, category.class());
                self.edge(event, time, track, category, 0);
            }
            b'b' | b'e' | b'S' | b'F' => self.asynchronous(event, time),
            b'n' => {
                let category = self.text(event.category);
                let track = self.track(event, Class::Async(category));
                self.mark(event, time, track);
            }
            b'C' => self.counter(event, time),
            b's' | b't' | b'f' => {
                let track = self.track(event, Class::Thread);
                self.out.flow_ends.push(arguments::flow(event, time, track, self.place.number));
            }
            _ => self.instant(event, time),
        }
    }

    fn complete(&mut self, event: &RawEvent, start: i64) {
        let category = category(event.category);
        let duration = match number::nanoseconds(event.duration) {
            Some(duration) if duration >= 0 => duration,
            found => {
                let text = if found.is_some() {
                    "rows with a negative duration; it was taken as zero"
                } else {
                    "complete events without a duration; it was taken as zero"
                };
                self.warn(WarningKind::Corrupt, text);
                0
            }
        };
        let end = start.saturating_add(duration);
        if category == Category::Window && matches!(event.pid, Name::Text(_)) {
            // Not of the program: the profiler's own word about its window.
            let name = text(event.name).into_owned();
            for (time, what) in [(start, "begins"), (end, "ends")] {
                let mark = self.out.tables.texts.id(format!("{name} {what}").as_bytes());
                self.out.marks.push((time, mark));
            }
            return;
        }
        let region = self.region(event, category);
        let track = self.track(event, category.class());
        let mut entry = Entry { start, end, id: region, order: category.order(), kind: Kind::Span };
        if let Some(part) = communication(category, event.name) {
            let arguments = arguments::communication(event.arguments, &mut self.out.tables.texts);
            let host = if part == Part::Execution { track } else { self.track(event, Class::Thread) };
            let row = CommRow { part, file: self.place.number, track: host, region, start, end, arguments };
            if part == Part::Execution {
                entry.kind = Kind::Communication;
                entry.id = self.out.comms.len() as u32;
            }
            self.out.comms.push(row);
        } else if category == Category::Other && self.place.number == 0 {
            let bounds = arguments::collective(event.arguments, start, end);
            self.out.bounds.extend(bounds.into_iter().flatten().map(|bound| (track, bound)));
        } else if category == Category::Api
            && memchr::memmem::find(event.name, b"aunch").is_some()
            && let Some(correlation) = arguments::integer_of(event.arguments, b"correlation")
        {
            self.out.launches.push(Launch { correlation, time: start, thread: track });
        }
        self.push(track, entry);
    }

    /// Something begins or ends; `key` tells apart what runs side by side on a track.
    fn edge(&mut self, event: &RawEvent, time: i64, track: u32, category: Category, key: i64) {
        let begins = matches!(event.phase, b'B' | b'b' | b'S');
        let id = if begins { self.region(event, category) } else { 0 };
        let kind = if begins { Kind::Begin } else { Kind::Finish };
        self.push(track, Entry { start: time, end: key, id, order: category.order(), kind });
    }

    fn asynchronous(&mut self, event: &RawEvent, time: i64) {
        let name = self.text(event.category);
        let track = self.track(event, Class::Async(name));
        let mut hash = FxHasher::default();
        for part in [event.category, event.id, event.local_id] {
            hash.write(part);
            hash.write_u8(0xff);
        }
        // The old kind of asynchronous events is told apart by name too.
        if matches!(event.phase, b'S' | b'F') {
            hash.write(event.name);
        }
        self.edge(event, time, track, category(event.category), (hash.finish() >> 1) as i64);
    }

    fn mark(&mut self, event: &RawEvent, time: i64, track: u32) {
        let name = self.titled(event);
        self.push(track, Entry { start: time, end: time, id: name, order: 0, kind: Kind::Mark });
    }

    /// The name of an instant, and behind a zero what it says.
    fn titled(&mut self, event: &RawEvent) -> u32 {
        match members(event.arguments).find(|(key, _)| *key == b"text") {
            None => self.text(event.name),
            Some((_, said)) => {
                let titled = format!("{}\0{}", text(event.name), text(super::scan::content(said)));
                self.out.tables.texts.id(titled.as_bytes())
            }
        }
    }

    fn metric(&mut self, time: i64, track: u32, name: &str, value: f64) {
        let id = self.out.tables.texts.id(name.as_bytes());
        self.push(track, Entry { start: time, end: value.to_bits() as i64, id, order: 0, kind: Kind::Metric });
    }

    fn instant(&mut self, event: &RawEvent, time: i64) {
        if event.reach == b'g' {
            let name = self.titled(event);
            self.out.marks.push((time, name));
            return;
        }
        let track = self.track(event, Class::Thread);
        if event.name != b"[memory]" {
            self.mark(event, time, track);
            return;
        }
        let device = match arguments::integer_of(event.arguments, b"Device Type") {
            Some(0) => "the host".to_owned(),
            _ => format!("device {}", arguments::integer_of(event.arguments, b"Device Id").unwrap_or(0)),
        };
        for (argument, word) in [(&b"Total Allocated"[..], "allocated"), (b"Total Reserved", "reserved")] {
            if let Some(value) = arguments::integer_of(event.arguments, argument) {
                self.metric(time, track, &format!("memory {word} on {device}"), value as f64);
            }
        }
    }

    fn counter(&mut self, event: &RawEvent, time: i64) {
        if event.category == b"heddle" {
            // Of a thread, with a name that needs nothing added.
            let track = self.track(event, Class::Thread);
            let value = members(event.arguments).next().and_then(|(_, value)| number::float(value));
            if let Some(value) = value {
                self.metric(time, track, &text(event.name), value);
            }
            return;
        }
        let track = self.track(event, Class::Counters);
        let mut name = text(event.name).into_owned();
        if !event.id.is_empty() {
            name.push_str(&format!("[{}]", text(super::scan::content(event.id))));
        }
        for (key, value) in members(event.arguments) {
            match number::float(super::scan::content(value)) {
                Some(value) => self.metric(time, track, &format!("{name}: {}", text(key)), value),
                None => self.warn(WarningKind::UnusedRecords, "values of counters that are not numbers were left out"),
            }
        }
    }

    fn metadata(&mut self, event: &RawEvent) {
        if let Some(what) = event.name.strip_prefix(PREFIX) {
            // Several files would contradict each other: the first is heard.
            if self.place.number == 0 {
                let pid = self.id(event.pid);
                let track = if what == b"location" { self.track(event, Class::Thread) } else { 0 };
                self.out.statements.push(Statement {
                    pid,
                    track,
                    what: what.into(),
                    arguments: event.arguments.into(),
                });
            }
            return;
        }
        let of_thread = match event.name {
            b"process_name" => false,
            b"thread_name" => true,
            _ => return,
        };
        let Some((_, name)) = members(event.arguments).find(|(key, _)| *key == b"name") else { return };
        let name = self.text(super::scan::content(name));
        let pid = self.id(event.pid);
        let tid = of_thread.then(|| self.id(event.tid));
        self.out.names.push(Given { pid, tid, name });
    }
}

/// Whether a row belongs to a communication, and as what.
fn communication(category: Category, name: &[u8]) -> Option<Part> {
    match category {
        Category::Kernel => is_communication_kernel(name).then_some(Part::Execution),
        Category::Operator if name == b"record_param_comms" => Some(Part::Parameters),
        Category::Annotation if name.starts_with(b"gloo:") => Some(Part::Execution),
        Category::Operator | Category::Annotation => is_communication_row(name).then_some(Part::Scope),
        _ => None,
    }
}
