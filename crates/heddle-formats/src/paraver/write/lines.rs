//! The second reading: records of one location as lines, each with its time.

use std::collections::VecDeque;
use std::io::{self, Write};

use rustc_hash::FxHashMap;

use heddle_model::{Definitions, Event, LocationId, MetricMode, MetricValue, Ns, Part, RecordBlock, RegionId};

use super::super::calls::{COLLECTIVE, COMMUNICATOR, OTHER, RECEIVED, ROOT, SENT, USER_FUNCTION};
use super::layout::{Layout, MARKS, counter, function};
use super::rows::{CollectiveCall, MatchedRow};
use super::survey::Survey;
use crate::Scratch;

/// The lines of one location, made part by part.
pub(super) struct Feed<'a> {
    definitions: &'a Definitions,
    layout: &'a Layout,
    survey: &'a Survey,
    scratch: &'a dyn Scratch,
    location: u32,
    parts: std::slice::Iter<'a, Part>,
    text: Vec<u8>,
    /// Time of each line, and where it ends in the text.
    lines: VecDeque<(Ns, usize)>,
    written: usize,
    /// Open regions with the type they were entered under.
    open: Vec<(RegionId, u32)>,
    /// Calls of collectives so far, those that are known to be next, and how many were read of them.
    calls: u64,
    collectives: VecDeque<CollectiveCall>,
    read: u64,
    counters: FxHashMap<u32, f64>,
    now: Ns,
}

impl<'a> Feed<'a> {
    pub(super) fn new(
        definitions: &'a Definitions,
        layout: &'a Layout,
        survey: &'a Survey,
        scratch: &'a dyn Scratch,
        location: u32,
        parts: &'a [Part],
    ) -> Feed<'a> {
        Feed {
            definitions,
            layout,
            survey,
            scratch,
            location,
            parts: parts.iter(),
            text: Vec::new(),
            lines: VecDeque::new(),
            written: 0,
            open: Vec::new(),
            calls: 0,
            collectives: VecDeque::new(),
            read: 0,
            counters: FxHashMap::default(),
            now: Ns(0),
        }
    }

    pub(super) fn next_part(&mut self) -> Option<Part> {
        self.parts.next().copied()
    }

    /// Time of the line that is next.
    pub(super) fn next_time(&self) -> Option<Ns> {
        self.lines.front().map(|(time, _)| *time)
    }

    /// Writes lines up to a time, one at least; tells how many.
    pub(super) fn write_until(&mut self, until: Ns, out: &mut dyn Write) -> io::Result<u64> {
        let start = self.written;
        let mut count = 0;
        while let Some((time, end)) = self.lines.front().copied() {
            if count > 0 && time > until {
                break;
            }
            self.lines.pop_front();
            self.written = end;
            count += 1;
        }
        out.write_all(&self.text[start..self.written])?;
        Ok(count)
    }

    /// Makes lines of the records of the next part.
    pub(super) fn take(&mut self, block: &RecordBlock) -> io::Result<()> {
        self.text.clear();
        self.written = 0;
        for (time, event) in block.iter() {
            self.now = self.now.max(time);
            self.event(&event)?;
        }
        Ok(())
    }

    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Enter(region) => self.enter(*region)?,
            Event::Leave(region) => {
                let depth = match region {
                    None => self.open.len().checked_sub(1),
                    Some(region) => self.open.iter().rposition(|(open, _)| open == region),
                };
                while depth.is_some_and(|depth| self.open.len() > depth) {
                    if let Some((_, kind)) = self.open.pop() {
                        self.line(&[(kind, 0)]);
                    }
                }
            }
            Event::Metric(value) => self.metric(*value),
            Event::Mark(mark) => {
                let at = self.survey.mark_types.get(&mark.name).copied().unwrap_or(0);
                let texts = self.survey.marks.get(at as usize).and_then(|(_, texts)| texts.get(&mark.text));
                self.line(&[(MARKS + at, texts.copied().unwrap_or(0))]);
            }
            // Both ends of a message are one line, and collectives belong to their calls.
            _ => {}
        }
        Ok(())
    }

    /// What the next call of a collective will have done, if one ends in it.
    fn next_collective(&mut self) -> io::Result<Option<CollectiveCall>> {
        if self.collectives.is_empty() {
            self.collectives = self.survey.collectives.read(self.location, self.read, self.scratch)?.into();
            self.read += self.collectives.len() as u64;
        }
        let order = self.calls;
        self.calls += 1;
        let is_next = self.collectives.front().is_some_and(|call| call.order == order);
        Ok(if is_next { self.collectives.pop_front() } else { None })
    }

    fn enter(&mut self, region: RegionId) -> io::Result<()> {
        let (mut kind, mut value) = self.layout.calls.get(region.index()).copied().unwrap_or((USER_FUNCTION, 1));
        let mut end = None;
        if kind == COLLECTIVE {
            end = self.next_collective()?;
            // Without a collective in it, it must not look like one.
            if end.is_none() {
                kind = OTHER;
            }
        }
        if kind != USER_FUNCTION && self.open.iter().any(|(_, open)| *open == kind) {
            // Calls of one type do not nest in this format; functions do.
            (kind, value, end) = (USER_FUNCTION, function(region.index()), None);
        }
        self.open.push((region, kind));
        let Some(end) = end else {
            self.line(&[(kind, value)]);
            return Ok(());
        };
        let number = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
        let main = self.definitions.main_location(LocationId(self.location));
        let mut pairs = vec![(kind, value), (SENT, number(end.sent)), (RECEIVED, number(end.received))];
        if end.comm.is_some() {
            pairs.push((COMMUNICATOR, i64::from(end.comm.0) + 1));
        }
        if end.root.is_some() && self.definitions.main_location(end.root) == main {
            pairs.push((ROOT, 1));
        }
        self.line(&pairs);
        Ok(())
    }

    /// Values of the format are growth.
    fn metric(&mut self, value: MetricValue) {
        let mode = self.definitions.metrics.get(value.metric.index()).map(|metric| metric.mode);
        let mut growth = value.value;
        if mode == Some(MetricMode::Accumulated) {
            growth -= self.counters.insert(value.metric.0, value.value).unwrap_or(0.0);
        }
        self.line(&[(counter(value.metric.index()), growth.round() as i64)]);
    }

    fn line(&mut self, pairs: &[(u32, i64)]) {
        let (application, task, thread) = self.layout.places.get(self.location as usize).copied().unwrap_or((1, 1, 1));
        // Writing to memory does not fail.
        let _ = write!(self.text, "2:0:{application}:{task}:{thread}:{}", self.now.0.max(0));
        for (kind, value) in pairs {
            let _ = write!(self.text, ":{kind}:{value}");
        }
        self.text.push(b'\n');
        self.lines.push_back((self.now, self.text.len()));
    }
}

/// The line of a message.
pub(super) fn put_message(layout: &Layout, message: &MatchedRow, line: &mut Vec<u8>) {
    let place = |location: LocationId| layout.places.get(location.index()).copied().unwrap_or((1, 1, 1));
    let MatchedRow { send, receive, .. } = message;
    let (from, to, sent, received) = (place(send.location), place(receive.location), send.times, receive.times);
    let (bytes, tag) = (send.bytes, send.tag);
    line.clear();
    let _ = writeln!(
        line,
        "3:0:{}:{}:{}:{}:{}:0:{}:{}:{}:{}:{}:{bytes}:{tag}",
        from.0, from.1, from.2, sent.0.0, sent.1.0, to.0, to.1, to.2, received.0.0, received.1.0
    );
}
