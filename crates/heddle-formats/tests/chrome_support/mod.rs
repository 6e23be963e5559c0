//! What the tests of the Chrome reader share: whole traces read at once.

#![allow(dead_code, reason = "each test binary uses a part of this")]
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::collections::BTreeMap;
use std::ops::Deref;

use heddle_formats::{MemoryFiles, OpenError, chrome};
use heddle_model::{CollectiveEnd, Event, MessageEnd, RecordBlock};
use heddle_testkit::{ReadTrace, with_input};

/// A trace with what only these tests ask of it.
#[derive(Debug)]
pub(crate) struct Trace(ReadTrace);

impl Deref for Trace {
    type Target = ReadTrace;

    fn deref(&self) -> &ReadTrace {
        &self.0
    }
}

/// A member of a collective: rank, operation, start, end.
pub(crate) type Member = (u32, &'static str, i64, i64);

pub(crate) fn read_files(files: &[(&str, &[u8])], memory: u64) -> Result<Trace, OpenError> {
    let stored = MemoryFiles::default();
    for (name, bytes) in files {
        stored.insert(name, bytes.to_vec());
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    with_input(&stored, &names, memory, |input| chrome::open(input).map(|source| Trace(ReadTrace::of(&source))))
}

pub(crate) fn read(json: &str) -> Trace {
    read_files(&[("t.json", json.as_bytes())], 1 << 30).unwrap()
}

impl Trace {
    pub(crate) fn events(&self) -> u64 {
        self.blocks.iter().map(|block| block.events).sum()
    }

    /// Values of counters: location, counter, time, value.
    pub(crate) fn values(&self) -> Vec<(String, String, i64, f64)> {
        let all = self.blocks.iter().zip(&self.definitions.locations);
        let values = all.flat_map(|(block, location)| block.iter().map(move |(time, event)| (time, event, location)));
        let values = values.filter_map(|(time, event, location)| match event {
            Event::Metric(value) => {
                let metric = self.definitions.metrics[value.metric.index()].name.clone();
                Some((location.name.to_string(), metric, time.0, value.value))
            }
            _ => None,
        });
        values.collect()
    }

    pub(crate) fn marks(&self) -> Vec<String> {
        let own = self.blocks.iter().flat_map(|block| {
            block.iter().filter_map(|(_, event)| match event {
                Event::Mark(mark) => Some(mark.name.clone()),
                _ => None,
            })
        });
        own.chain(self.definitions.marks.iter().map(|mark| mark.name.clone())).collect()
    }

    /// Members of the collectives by communicator and number: rank, operation, start, end.
    pub(crate) fn collectives(&self) -> BTreeMap<(u32, u32), Vec<Member>> {
        let mut found: BTreeMap<(u32, u32), Vec<_>> = BTreeMap::new();
        for (block, location) in self.blocks.iter().zip(&self.definitions.locations) {
            let mut begun = 0;
            for (time, event) in block.iter() {
                match event {
                    Event::CollectiveBegin => begun = time.0,
                    Event::CollectiveEnd(CollectiveEnd { op, comm, number, .. }) => {
                        let member = (location.rank.0, op.name(), begun, time.0);
                        found.entry((comm.0, number.unwrap())).or_default().push(member);
                    }
                    _ => {}
                }
            }
        }
        found
    }

    pub(crate) fn messages(&self) -> (Vec<MessageEnd>, Vec<MessageEnd>) {
        let (mut sent, mut received) = (Vec::new(), Vec::new());
        for (_, event) in self.blocks.iter().flat_map(RecordBlock::iter) {
            match event {
                Event::Send(end) => sent.push(end),
                Event::Recv(end) => received.push(end),
                _ => {}
            }
        }
        (sent, received)
    }
}
