//! What the tests of the Paje readers share: a trace read whole, its spans and its messages.

#![allow(dead_code, reason = "each test binary uses a part of this")]
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::collections::{BTreeMap, VecDeque};
use std::ops::Deref;

use heddle_formats::paje::{self, Options, pj_dump};
use heddle_formats::{MemoryFiles, OpenError};
use heddle_model::{Event, LocationId, RecordBlock, TaskInfo};
use heddle_testkit::{ReadTrace, with_input};

/// A trace with what only these tests ask of it.
pub(crate) struct Read(ReadTrace);

impl Deref for Read {
    type Target = ReadTrace;

    fn deref(&self) -> &ReadTrace {
        &self.0
    }
}

/// A matched pair.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Message {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) send: i64,
    pub(crate) recv: i64,
    pub(crate) bytes: u64,
    pub(crate) tag: i32,
}

pub(crate) fn read(bytes: &[u8]) -> Read {
    read_with(bytes, 1 << 30, Options::default()).unwrap()
}

pub(crate) fn read_with(bytes: &[u8], memory: u64, options: Options) -> Result<Read, OpenError> {
    let files = MemoryFiles::default();
    files.insert("t", bytes.to_vec());
    let head = heddle_formats::head(&files, "t", 64 << 10).unwrap();
    let open = if pj_dump::recognise(&head) { pj_dump::open_with } else { paje::open_with };
    with_input(&files, &["t"], memory, |input| open(input, options).map(|source| Read(ReadTrace::of(&source))))
}

impl Read {
    pub(crate) fn location(&self, name: &str) -> usize {
        self.definitions.locations.iter().position(|location| location.name == name).unwrap()
    }

    /// Spans of one location as text: `region start-end`.
    pub(crate) fn spans_of(&self, location: &str) -> Vec<String> {
        let spans = self.spans().into_iter().filter(|span| span.location == location);
        spans.map(|span| format!("{} {}-{}", span.region, span.start, span.end)).collect()
    }

    /// Pairs as the store makes them, then how many sends and receives are left.
    pub(crate) fn messages(&self) -> (Vec<Message>, usize, usize) {
        let main = |location: usize| self.definitions.main_location(LocationId(location as u32));
        let name = |location: usize| self.definitions.locations[location].name.clone();
        let mut queues: BTreeMap<_, VecDeque<(usize, i64)>> = BTreeMap::new();
        let (mut left, mut matched) = (0, Vec::new());
        for (location, block) in self.blocks.iter().enumerate() {
            for (time, event) in block.iter() {
                if let Event::Recv(end) = event {
                    let key = (end.comm, end.peer, main(location), end.tag);
                    queues.entry(key).or_default().push_back((location, time.0));
                    left += 1;
                }
            }
        }
        let mut sends = 0;
        for (location, block) in self.blocks.iter().enumerate() {
            for (time, event) in block.iter() {
                let Event::Send(end) = event else { continue };
                sends += 1;
                let key = (end.comm, main(location), end.peer, end.tag);
                let queue = queues.get_mut(&key).filter(|_| end.peer.is_some());
                if let Some((to, recv)) = queue.and_then(VecDeque::pop_front) {
                    let (bytes, tag) = (end.bytes, end.tag as i32);
                    matched.push(Message {
                        from: name(location).to_string(),
                        to: name(to).to_string(),
                        send: time.0,
                        recv,
                        bytes,
                        tag,
                    });
                }
            }
        }
        let pairs = matched.len();
        (matched, sends - pairs, left - pairs)
    }

    /// Values of a counter on a location.
    pub(crate) fn values(&self, location: &str, metric: &str) -> Vec<(i64, f64)> {
        let values = self.blocks[self.location(location)].iter().filter_map(|(time, event)| match event {
            Event::Metric(value) if self.definitions.metrics[value.metric.index()].name == metric => {
                Some((time.0, value.value))
            }
            _ => None,
        });
        values.collect()
    }

    pub(crate) fn tasks(&self, location: &str) -> Vec<(i64, TaskInfo)> {
        let tasks = self.blocks[self.location(location)].iter().filter_map(|(time, event)| match event {
            Event::Task(task) => Some((time.0, task)),
            _ => None,
        });
        tasks.collect()
    }

    pub(crate) fn marks(&self, location: &str) -> Vec<(i64, String, String)> {
        let marks = self.blocks[self.location(location)].iter().filter_map(|(time, event)| match event {
            Event::Mark(mark) => Some((time.0, mark.name.clone(), mark.text.clone())),
            _ => None,
        });
        marks.collect()
    }

    /// Collectives that a location makes.
    pub(crate) fn collectives(&self) -> usize {
        let ends = |block: &RecordBlock| block.iter().filter(|(_, e)| matches!(e, Event::CollectiveEnd(_))).count();
        self.blocks.iter().map(ends).sum()
    }
}
