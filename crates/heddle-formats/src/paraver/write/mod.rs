//! Writes any [`Source`] as a Paraver trace: `NAME.prv`, `NAME.pcf`, `NAME.row`.
//!
//! The source is read twice. The first time for what a line must know beforehand: the partner of a message, what a
//! collective will say when it ends, the texts of marks. The second time lines are made and put into the order of time,
//! a part of every location at once. Messages and collectives that do not fit the memory are put aside; beyond it there is
//! one part for each location.
//!
//! What the format cannot carry: communicators of messages, messages without a partner (their calls remain), fractions of
//! counters. States are not written: the calls say the same.

mod layout;
mod lines;
mod rows;
mod survey;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};

use heddle_model::{Ns, RecordBlock, Source};

use self::layout::Layout;
use self::lines::{Feed, put_message};
use self::rows::MatchedRow;
use self::survey::Survey;
use crate::runs::Runs;
use crate::written::parts_by_location;
use crate::{Output, WriteError, WriteSummary};

/// Writes `source` as the trace `NAME.prv` with its two companions. Records are counted in both readings. What is left out: ends of messages without a partner, and collectives
/// outside of calls.
pub fn write(source: &dyn Source, to: &Output<'_>) -> Result<WriteSummary, WriteError> {
    let layout = Layout::of(source.definitions());
    let name = to.name;
    let mut survey = Survey::of(source, &layout, to).map_err(|failed| match failed {
        Failed::Io(cause) => WriteError::Io { file: "what does not fit the memory".to_owned(), cause },
        Failed::Other(error) => error,
    })?;
    let put = |ending: &str, fill: &mut dyn FnMut(&mut dyn Write) -> Result<(), Failed>| {
        let file = format!("{name}.{ending}");
        let written = to.files.create(&file).map_err(Failed::Io).and_then(|mut out| {
            fill(&mut *out)?;
            out.flush().map_err(Failed::Io)
        });
        written.map_err(|failed| match failed {
            Failed::Io(cause) => WriteError::Io { file, cause },
            Failed::Other(error) => error,
        })
    };
    put("pcf", &mut |out| Ok(layout.write_labels(source.definitions(), &survey, out)?))?;
    put("row", &mut |out| Ok(layout.write_rows(source.definitions(), out)?))?;
    let mut records = 0;
    let mut messages = std::mem::take(&mut survey.messages);
    // The trace itself comes last, so that what was cut short is not taken for a whole one.
    put("prv", &mut |out| {
        layout.write_header(source.definitions(), survey.end, out)?;
        records = write_records(source, &layout, &survey, &mut messages, out, to)?;
        Ok(())
    })?;
    let locations = source.definitions().locations.len() as u64;
    Ok(WriteSummary { locations, events: records, left_out: survey.left_out })
}

enum Failed {
    Io(io::Error),
    Other(WriteError),
}

impl From<io::Error> for Failed {
    fn from(cause: io::Error) -> Failed {
        Failed::Io(cause)
    }
}

/// Writes the lines of all locations and messages in the order of time.
fn write_records(
    source: &dyn Source,
    layout: &Layout,
    survey: &Survey,
    messages: &mut Runs<MatchedRow>,
    out: &mut dyn Write,
    to: &Output<'_>,
) -> Result<u64, Failed> {
    let mut feeds: Vec<Feed<'_>> = Vec::new();
    for (at, parts) in parts_by_location(source).into_iter().enumerate() {
        feeds.push(Feed::new(source.definitions(), layout, survey, to.scratch, at as u32, parts));
    }
    let mut block = RecordBlock::default();
    let mut read = survey.records;
    let mut load = |feed: &mut Feed<'_>| -> Result<Option<Ns>, Failed> {
        loop {
            if let Some(time) = feed.next_time() {
                return Ok(Some(time));
            }
            let Some(part) = feed.next_part() else { return Ok(None) };
            block.clear();
            source.read(&part, &mut block).map_err(|error| Failed::Other(error.into()))?;
            read += block.len() as u64;
            if !(to.go_on)(read) {
                return Err(Failed::Other(WriteError::Cancelled));
            }
            feed.take(&block)?;
        }
    };
    let mut order = BinaryHeap::new();
    for (at, feed) in feeds.iter_mut().enumerate() {
        if let Some(time) = load(feed)? {
            order.push(Reverse((time, at)));
        }
    }
    let mut messages = messages.merged(to.scratch)?;
    let mut message = messages.next().transpose()?;
    let mut records = 0;
    let mut line = Vec::new();
    while let Some(Reverse((time, at))) = order.pop() {
        while let Some(next) = message.filter(|message| message.send.times.1 < time) {
            put_message(layout, &next, &mut line);
            out.write_all(&line)?;
            records += 1;
            message = messages.next().transpose()?;
        }
        // As long as no other location is earlier.
        let until = order.peek().map_or(Ns(i64::MAX), |Reverse((time, _))| *time);
        let until = message.map_or(until, |message| until.min(message.send.times.1));
        records += feeds[at].write_until(until, out)?;
        if let Some(time) = load(&mut feeds[at])? {
            order.push(Reverse((time, at)));
        }
    }
    while let Some(next) = message {
        put_message(layout, &next, &mut line);
        out.write_all(&line)?;
        records += 1;
        message = messages.next().transpose()?;
    }
    Ok(records)
}
