//! Paraver traces (`.prv` with `.pcf` and `.row`): what Extrae and the tools around Paraver write; read and written.
//!
//! The text is read once, in stretches of lines: stretches are taken apart side by side (`lines`), then every thread
//! walks over its own lines (`thread`), also side by side. `header` has the first line, `labels` the two other files,
//! `names` and `calls` what numbers mean, `lanes` how the pairs of messages are kept, `pieces` how memory stays bounded,
//! `source` how a thread's streams are put together at the end, `define` the places.
//!
//! Followed: the reader of Paraver's own kernel, and what Extrae's merger writes. Where they leave room:
//!
//! * events tell more than states; states are shown for threads that have no calls, and counted otherwise;
//! * functions around a call of MPI, with their lines, become a mark at its beginning: its call site (`callers`);
//! * a counter's values are growth since its last reading;
//! * only the root of a collective says that it is; the k-th collectives of a communicator belong together;
//! * the world is that of the tasks of all applications that use MPI, in the order of the header.

mod callers;
mod calls;
mod define;
mod header;
mod labels;
mod lines;
mod names;
mod pieces;
mod source;
mod thread;
mod write;

use std::io::{BufRead, Read};

use heddle_model::{LocationId, MessageEnd, RequestId, WarningKind, Warnings};
use rayon::prelude::*;

use self::calls::Types;
use self::header::Header;
use self::labels::{Labels, Rows};
use self::lines::{Lines, Message, Parsed};
use self::names::Names;
pub use self::source::Paraver;
use self::thread::{Shared, Thread};
pub use self::write::write;
use crate::lanes::{Ends, Lanes};
use crate::{Input, OpenError, stream};

/// Text that is taken apart by one thread at a time.
const STRETCH: usize = 1 << 20;
/// Stretches that are read before their threads walk: the same on any machine, so that results are.
const STRETCHES: usize = 8;
/// Longer lines are not kept whole.
const LONGEST_LINE: u64 = 1 << 28;

const SECOND_KIND: &str =
    "this is a trace of the second kind (\"new format\"), which cannot be read; save it again with Paraver";

/// Whether a file begins as a Paraver trace does.
pub fn recognise(head: &[u8]) -> bool {
    head.starts_with(b"#Paraver") || head.starts_with(b"new format\n") || head.starts_with(b"new format\r\n")
}

/// Reads a trace.
pub fn open<'a>(input: &Input<'a>) -> Result<Paraver<'a>, OpenError> {
    let name = input.names.first().map_or("", String::as_str);
    let mut text = stream(input.files, name).map_err(OpenError::unreadable(name))?;
    let mut line = Vec::new();
    let read = text.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
    let mut warnings = Warnings::default();
    if let Err(cause) = read {
        // What a cut compressed file still has may be a whole header.
        if line.is_empty() {
            return Err(OpenError::Unreadable { place: name.to_owned(), cause });
        }
    }
    while line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
        line.pop();
    }
    if line == b"new format" {
        return Err(OpenError::Wrong { place: format!("{name} line 1"), what: SECOND_KIND.to_owned() });
    }
    let header = Header::parse(&line, name)?;
    warnings.add_many(
        WarningKind::Corrupt,
        header.left_out,
        || format!("{name} line 1"),
        "the header claims more threads than is plausible; the excess was left out",
    );
    let labels = Labels::parse(&beside(input, name, "pcf", &mut warnings));
    let rows = Rows::parse(&beside(input, name, "row", &mut warnings));
    for (is_empty, ending) in [(labels.is_empty(), "pcf"), (rows.is_empty(), "row")] {
        let file = name_beside(name, ending);
        if is_empty && warnings.count(WarningKind::MissingFile) == 0 {
            let text = "it has no names; numbers are used instead";
            warnings.add(WarningKind::Corrupt, || file, text);
        }
    }
    let mut reader = Reader {
        input,
        name,
        types: Types::of(&labels),
        threads: header.task_of.iter().map(|_| None).collect(),
        header,
        labels,
        rows,
        names: Names::default(),
        lanes: Lanes::new(input.memory / 8),
        messages: 0,
        lines: 1,
        warnings,
    };
    reader.read(&mut *text)?;
    reader.finish()
}

/// The name of a file that belongs to a trace.
fn name_beside(name: &str, ending: &str) -> String {
    let packed = [".gz", ".zst", ".xz", ".bz2"];
    let plain = packed.iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(name);
    format!("{}.{ending}", plain.strip_suffix(".prv").unwrap_or(plain))
}

fn beside(input: &Input<'_>, name: &str, ending: &str, warnings: &mut Warnings) -> Vec<u8> {
    let file = name_beside(name, ending);
    let text = "it belongs to the trace, but cannot be read; numbers are shown instead of its names";
    if let Ok(Some(bytes)) = input.files.read_all(&file) {
        return bytes;
    }
    warnings.add(WarningKind::MissingFile, || file, text);
    Vec::new()
}

struct Reader<'a, 'b> {
    input: &'b Input<'a>,
    name: &'b str,
    header: Header,
    types: Types,
    labels: Labels,
    rows: Rows,
    names: Names,
    /// Those that have records.
    threads: Vec<Option<Box<Thread>>>,
    lanes: Lanes,
    messages: u64,
    /// Lines before the stretch.
    lines: u64,
    warnings: Warnings,
}

impl<'a> Reader<'a, '_> {
    fn read(&mut self, text: &mut (dyn BufRead + Send + 'a)) -> Result<(), OpenError> {
        let mut buffer = Vec::new();
        loop {
            let (filled, ended) = self.fill(text, &mut buffer);
            // Up to the last line that is whole; all of it at the end.
            let end = if ended { buffer.len() } else { last_line_end(&buffer).unwrap_or(0) };
            if end == 0 && !ended {
                // One line as long as that: read on, unless it is no line at all.
                if (buffer.len() as u64) < LONGEST_LINE {
                    continue;
                }
                let place = format!("{} line {}", self.name, self.lines + 1);
                self.warnings.add(WarningKind::Corrupt, || place, "a line without an end; the rest was not read");
                return Ok(());
            }
            self.batch(&buffer[..end], ended)?;
            buffer.drain(..end);
            if !(self.input.go_on)(filled as u64) {
                return Err(OpenError::Cancelled);
            }
            if ended {
                return Ok(());
            }
        }
    }

    /// Reads more text; tells how much, and whether that was all.
    fn fill(&mut self, text: &mut (dyn BufRead + Send + 'a), buffer: &mut Vec<u8>) -> (usize, bool) {
        let before = buffer.len();
        let read = text.take((STRETCH * STRETCHES) as u64).read_to_end(buffer);
        let filled = buffer.len() - before;
        match read {
            Ok(_) => (filled, filled < STRETCH * STRETCHES),
            Err(cause) => {
                let text = format!("the file cannot be read to its end ({cause})");
                let place = format!("{} after line {}", self.name, self.lines);
                self.warnings.add(WarningKind::Truncated, || place, &text);
                (filled, true)
            }
        }
    }

    fn batch(&mut self, text: &[u8], is_last: bool) -> Result<(), OpenError> {
        let mut stretches = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let end = match rest.get(..STRETCH).and_then(last_line_end) {
                Some(end) => end,
                None => rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1),
            };
            let (stretch, behind) = rest.split_at(end);
            stretches.push((stretch, is_last && behind.is_empty()));
            rest = behind;
        }
        let (header, types) = (&self.header, &self.types);
        let parsed: Vec<Parsed> =
            stretches.par_iter().map(|(stretch, is_last)| lines::parse(stretch, header, types, *is_last)).collect();
        let mut work: Vec<(Box<Thread>, Vec<Lines>)> = Vec::new();
        let mut place: Vec<u32> = Vec::new();
        for stretch in parsed {
            self.take(stretch, &mut work, &mut place);
        }
        let shared = Shared { header: &self.header, types: &self.types, labels: &self.labels, names: &self.names };
        work.par_iter_mut().for_each(|(thread, lists)| {
            for lines in lists {
                thread.feed(lines, &shared);
            }
        });
        for (thread, lists) in work {
            if let Some(slot) = lists.first().and_then(|lines| self.threads.get_mut(lines.location as usize)) {
                *slot = Some(thread);
            }
        }
        self.settle()
    }

    /// Takes over what a stretch says, in the order of the file; what threads do with it is left for later.
    fn take(&mut self, stretch: Parsed, work: &mut Vec<(Box<Thread>, Vec<Lines>)>, place: &mut Vec<u32>) {
        for odd in &stretch.odd {
            let at = || format!("{} line {}", self.name, self.lines + odd.line + 1);
            self.warnings.add_many(odd.kind, odd.count, at, odd.text);
        }
        for (at, line) in stretch.definitions.iter().enumerate() {
            if self.names.define(line).is_none() {
                let place = format!("{}, communicator line {}", self.name, at + 1);
                self.warnings.add(WarningKind::Corrupt, || place, "a communicator that makes no sense was left out");
            }
        }
        for (kind, value) in &stretch.names {
            self.names.add(*kind, *value, &self.types, &self.labels);
        }
        for (application, number) in &stretch.communicators {
            self.names.add_communicator(*application, *number);
        }
        for message in &stretch.messages {
            self.message(message, work, place);
        }
        for lines in stretch.lists {
            let location = lines.location;
            let at = self.work_of(location, work, place);
            work[at].1.push(lines);
        }
        self.lines += stretch.lines;
    }

    /// Where the work of a location is, taking its thread out of its place if need be.
    fn work_of(&mut self, location: u32, work: &mut Vec<(Box<Thread>, Vec<Lines>)>, place: &mut Vec<u32>) -> usize {
        if place.is_empty() {
            place.resize(self.threads.len(), u32::MAX);
        }
        let at = &mut place[location as usize];
        if *at == u32::MAX {
            *at = work.len() as u32;
            let thread = self.threads[location as usize].take();
            let thread = thread.unwrap_or_else(|| Box::new(Thread::new(location, self.thread_name(location))));
            // An empty list says whose work it is even if there are only messages.
            work.push((thread, vec![Lines { location, pairs: Vec::new(), states: Vec::new() }]));
        }
        *at as usize
    }

    fn message(&mut self, message: &Message, work: &mut Vec<(Box<Thread>, Vec<Lines>)>, place: &mut Vec<u32>) {
        let Message { sender, receiver, sent, received, bytes, tag } = *message;
        let posted = received.0.min(received.1);
        let mains = (self.header.main(sender), self.header.main(receiver));
        let lane = self.lanes.place(&Ends { mains, tag, sender, receiver, sent: sent.0, posted });
        let request = RequestId(self.messages);
        self.messages += 1;
        let comm = heddle_model::CommId(lane);
        let end = |peer: u32, request| MessageEnd { peer: LocationId(peer), comm, tag, bytes, request };
        let from = self.work_of(sender, work, place);
        let thread = &mut work[from].0;
        let block = thread.ends.block();
        if sent.1 > sent.0 {
            block.isend(sent.0, end(mains.1, request));
            block.send_complete(sent.1, request);
        } else {
            block.send(sent.0, end(mains.1, RequestId::NONE));
        }
        let to = self.work_of(receiver, work, place);
        for (at, times) in [(from, sent), (to, received)] {
            let thread = &mut work[at].0;
            thread.uses_mpi = true;
            thread.events += 1;
            thread.note(times.0);
            thread.note(times.1);
        }
        let block = work[to].0.ends.block();
        if posted < received.1 {
            // The same number would meet itself in a message to oneself.
            let request = RequestId(request.0 | 1 << 61);
            block.recv_request(posted, request);
            block.irecv(received.1, end(mains.0, request));
        } else {
            block.recv(received.1, end(mains.0, RequestId::NONE));
        }
    }

    /// Puts pieces aside when they take too much memory.
    fn settle(&mut self) -> Result<(), OpenError> {
        let each = |thread: &Thread| thread.main.bytes() + thread.ends.bytes() + thread.states.bytes();
        let held: usize = self.threads.iter().flatten().map(|thread| each(thread)).sum();
        let close = held as u64 >= (self.input.memory / 2).max(1 << 22);
        if close {
            let scratch = Some(self.input.scratch);
            for thread in self.threads.iter_mut().flatten() {
                for stream in [&mut thread.main, &mut thread.ends, &mut thread.states] {
                    stream.close(scratch).map_err(OpenError::unreadable("scratch space"))?;
                }
            }
        }
        Ok(())
    }
}

/// Just behind the last line that ends.
fn last_line_end(bytes: &[u8]) -> Option<usize> {
    bytes.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1)
}
