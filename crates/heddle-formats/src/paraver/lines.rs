//! Records as lines of text, taken apart. A stretch of lines needs nothing of the lines before it, so stretches are
//! parsed side by side; what they mean is told later, thread by thread.

use rustc_hash::{FxHashMap, FxHashSet};

use heddle_model::{Ns, WarningKind};

use super::calls::{COMMUNICATOR, Class, STATE, Types};
use super::header::Header;

/// A type and a value at a time on a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) time: Ns,
    pub(super) value: i64,
    pub(super) kind: u32,
    /// Begins a line: pairs of one line belong together.
    pub(super) first: bool,
}

/// A state of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    pub(super) begin: Ns,
    /// `None` while it is open.
    pub(super) end: Option<Ns>,
    pub(super) number: i64,
}

/// Both ends of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) sender: u32,
    pub(super) receiver: u32,
    /// When the program called, and when data moved.
    pub(super) sent: (Ns, Ns),
    pub(super) received: (Ns, Ns),
    pub(super) bytes: u64,
    pub(super) tag: u32,
}

/// What the lines of a stretch say of one location.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) location: u32,
    pub(super) pairs: Vec<Pair>,
    pub(super) states: Vec<State>,
}

/// Something odd, with the line it was first met in, counted from the stretch's first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Odd {
    pub(super) kind: WarningKind,
    pub(super) text: &'static str,
    pub(super) count: u64,
    pub(super) line: u64,
}

/// A stretch, taken apart.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) lists: Vec<Lines>,
    pub(super) messages: Vec<Message>,
    /// Types and values that need a name, in the order they were met.
    pub(super) names: Vec<(u32, i64)>,
    /// Communicators of collectives: application from 0, number.
    pub(super) communicators: Vec<(u32, i64)>,
    /// Lines that define communicators.
    pub(super) definitions: Vec<Vec<u8>>,
    pub(super) odd: Vec<Odd>,
    pub(super) lines: u64,
}

const BAD_LINE: &str = "lines that are not Paraver records were left out";
const BAD_FIELDS: &str = "records with fields that are missing or not numbers were left out";
const BAD_PLACE: &str = "records of threads that the header does not have were left out";
const BAD_TIME: &str = "records with negative times were left out";
const UNUSED_COLLECTIVES: &str = "records of kind 4 (collectives) are not used: the events say the same";
const UNUSED_EVENTS: &str = "samples, and callers of anything but calls of MPI, are not shown";
const CUT: &str = "the file ends within a record";

/// Takes the lines of a stretch apart. `is_last` says that its last line may be cut.
pub(super) fn parse(bytes: &[u8], header: &Header, types: &Types, is_last: bool) -> Parsed {
    let mut parser = Parser {
        header,
        types,
        out: Parsed::default(),
        lists: FxHashMap::default(),
        last: None,
        seen: FxHashSet::default(),
    };
    let mut rest = bytes;
    while !rest.is_empty() {
        let end = memchr(rest).unwrap_or(rest.len());
        let is_cut = is_last && end == rest.len();
        let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
        parser.line(line, is_cut);
        parser.out.lines += 1;
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    parser.out
}

fn memchr(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == b'\n')
}

struct Parser<'a> {
    header: &'a Header,
    types: &'a Types,
    out: Parsed,
    lists: FxHashMap<u32, usize>,
    /// The location met last and its list: threads often write several lines in a row.
    last: Option<(u32, usize)>,
    seen: FxHashSet<(u32, i64)>,
}

/// Why a line is no record.
type Bad = &'static str;

impl Parser<'_> {
    fn line(&mut self, line: &[u8], is_cut: bool) {
        let known = match line {
            [] | [b'#', ..] => Ok(()),
            [b'1', b':', rest @ ..] => self.state(Fields(rest)),
            [b'2', b':', rest @ ..] => self.event(Fields(rest)),
            [b'3', b':', rest @ ..] => self.message(Fields(rest)),
            [b'4', b':', ..] => {
                self.odd(WarningKind::UnusedRecords, UNUSED_COLLECTIVES, 1);
                Ok(())
            }
            [b'c' | b'C' | b'i' | b'I', b':', ..] => {
                self.out.definitions.push(line.to_vec());
                Ok(())
            }
            _ => Err(BAD_LINE),
        };
        if let Err(text) = known {
            let (kind, text) = match text {
                BAD_FIELDS | BAD_LINE if is_cut => (WarningKind::Truncated, CUT),
                BAD_PLACE => (WarningKind::UndefinedReference, BAD_PLACE),
                text => (WarningKind::Corrupt, text),
            };
            self.odd(kind, text, 1);
        }
    }

    fn odd(&mut self, kind: WarningKind, text: &'static str, count: u64) {
        match self.out.odd.iter_mut().find(|odd| odd.text == text) {
            Some(odd) => odd.count += count,
            None => self.out.odd.push(Odd { kind, text, count, line: self.out.lines }),
        }
    }

    #[inline]
    fn place(&self, fields: &mut Fields<'_>) -> Result<u32, Bad> {
        fields.number()?;
        let (application, task, thread) = (fields.number()?, fields.number()?, fields.number()?);
        self.header.locate(application, task, thread).ok_or(BAD_PLACE)
    }

    #[inline]
    fn time(&self, fields: &mut Fields<'_>) -> Result<Ns, Bad> {
        let time = fields.number()?;
        if time < 0 { Err(BAD_TIME) } else { Ok(self.ns(time)) }
    }

    #[inline]
    fn ns(&self, time: i64) -> Ns {
        Ns(time.saturating_mul(self.header.unit).min(Ns::MAX.0))
    }

    #[inline]
    fn list(&mut self, location: u32) -> usize {
        if let Some((last, at)) = self.last
            && last == location
        {
            return at;
        }
        let next = self.out.lists.len();
        let at = *self.lists.entry(location).or_insert(next);
        if at == next {
            self.out.lists.push(Lines { location, pairs: Vec::new(), states: Vec::new() });
        }
        self.last = Some((location, at));
        at
    }

    #[inline]
    fn name(&mut self, kind: u32, value: i64) {
        if self.seen.insert((kind, value)) {
            self.out.names.push((kind, value));
        }
    }

    fn state(&mut self, mut fields: Fields<'_>) -> Result<(), Bad> {
        let location = self.place(&mut fields)?;
        let begin = self.time(&mut fields)?;
        let (end, number) = (fields.number()?, fields.number()?);
        let end = (end >= 0).then(|| self.ns(end));
        self.name(STATE, number);
        let at = self.list(location);
        self.out.lists[at].states.push(State { begin, end, number });
        Ok(())
    }

    fn event(&mut self, mut fields: Fields<'_>) -> Result<(), Bad> {
        let location = self.place(&mut fields)?;
        let time = self.time(&mut fields)?;
        let at = self.list(location);
        let mut first = true;
        let mut unused = 0;
        let bad = loop {
            if fields.0.is_empty() && !first {
                break None;
            }
            let pair = fields.number().and_then(|kind| Ok((kind, fields.number()?)));
            let Ok((kind, value)) = pair else { break Some(BAD_FIELDS) };
            let Ok(kind) = u32::try_from(kind) else { break Some(BAD_FIELDS) };
            match self.types.class(kind) {
                Class::Call | Class::Function if value != 0 => self.name(kind, value),
                Class::Counter => self.name(kind, 0),
                Class::Attribute if kind == COMMUNICATOR && value != 0 => {
                    let application = self.header.task(location).map_or(0, |task| task.application);
                    // Of one application nearly always; a key beyond all types keeps the applications apart.
                    if self.seen.insert((STATE.wrapping_sub(1 + application), value)) {
                        self.out.communicators.push((application, value));
                    }
                }
                Class::Unused => unused += 1,
                _ => {}
            }
            // Also what is not shown is counted, and begins a line.
            self.out.lists[at].pairs.push(Pair { time, value, kind, first });
            first = false;
        };
        if unused > 0 {
            self.odd(WarningKind::UnusedRecords, UNUSED_EVENTS, unused);
        }
        bad.map_or(Ok(()), Err)
    }

    fn message(&mut self, mut fields: Fields<'_>) -> Result<(), Bad> {
        let sender = self.place(&mut fields)?;
        let sent = (self.time(&mut fields)?, self.time(&mut fields)?);
        let receiver = self.place(&mut fields)?;
        let received = (self.time(&mut fields)?, self.time(&mut fields)?);
        let (bytes, tag) = (fields.number()?, fields.number()?);
        // A physical time of zero is not known.
        let known = |(logical, physical): (Ns, Ns)| (logical, if physical == Ns(0) { logical } else { physical });
        self.out.messages.push(Message {
            sender,
            receiver,
            sent: known(sent),
            received: known(received),
            bytes: u64::try_from(bytes).unwrap_or(0),
            tag: tag as u32,
        });
        Ok(())
    }
}

/// The fields of a line that are still to be read.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    /// The next field; an empty one is zero. Numbers beyond 64 bits stop at the largest.
    #[inline]
    fn number(&mut self) -> Result<i64, Bad> {
        let bytes = self.0;
        if bytes.is_empty() {
            return Err(BAD_FIELDS);
        }
        let negative = bytes[0] == b'-';
        let mut at = usize::from(negative);
        let mut number = 0i64;
        while let Some(byte) = bytes.get(at) {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                if *byte == b':' {
                    break;
                }
                return Err(BAD_FIELDS);
            }
            number = if at < 18 {
                number * 10 + i64::from(digit)
            } else {
                number.saturating_mul(10).saturating_add(i64::from(digit))
            };
            at += 1;
        }
        self.0 = bytes.get(at + 1..).unwrap_or_default();
        Ok(if negative { -number } else { number })
    }
}
