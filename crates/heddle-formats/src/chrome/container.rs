//! The file around the events: an array, or an object that has one among other keys, in any order.
//!
//! Bytes are taken from the stream in rounds. A round is cut where one event seems to end and another to begin, and its
//! blocks are decoded side by side while the next round is being read. Whether a cut was right shows when the block
//! before it ends: at the cut, or inside an event whose arguments looked like a border. Then what follows is decoded
//! again from there.

use std::io::{self, BufRead, Read};

use heddle_model::{WarningKind, Warnings};
use rayon::prelude::*;

use super::block::{Block, Stop, Where, decode};
use super::scan::{Fault, last_border, next_border, next_key, skip_space, value_end};
use crate::{Input, OpenError};

/// Bytes that one thread decodes at a time.
const BLOCK: usize = 1 << 20;
/// An event, or a key's value that is wanted, may be this long.
const LONGEST: usize = 16 << 20;
/// So often is a file picked up again behind an event without an end.
const MOST_PICKED_UP: u32 = 100;
/// Keys beside the events that are kept; all others may hold private data, and are stepped over.
const WANTED: [&[u8]; 4] = [b"distributedInfo", b"baseTimeNanoseconds", b"traceName", b"schemaVersion"];

/// A value beside the events, as it stands.
pub(super) type Kept = (Vec<u8>, Vec<u8>);

/// A file while it is read.
pub(super) struct Container<'a> {
    input: &'a Input<'a>,
    stream: Box<dyn BufRead + Send + 'a>,
    place: Where<'a>,
    /// Unread bytes; the first of them is at `place.offset`.
    bytes: Vec<u8>,
    ended: bool,
    /// Whether progress is told by bytes; those of a packed file are not known.
    plain: bool,
    picked_up: u32,
    pub(super) warnings: Warnings,
    pub(super) kept: Vec<Kept>,
    pub(super) has_events: bool,
}

impl<'a> Container<'a> {
    pub(super) fn new(
        input: &'a Input<'a>,
        file: &'a str,
        number: u32,
        stream: Box<dyn BufRead + Send + 'a>,
        plain: bool,
    ) -> Container<'a> {
        Container {
            input,
            stream,
            place: Where { file, number, offset: 0 },
            bytes: Vec::new(),
            ended: false,
            plain,
            picked_up: 0,
            warnings: Warnings::default(),
            kept: Vec::new(),
            has_events: false,
        }
    }

    /// Reads all of it; blocks are handed over in the order of the file.
    pub(super) fn read(&mut self, take: &mut dyn FnMut(Block) -> io::Result<()>) -> Result<(), OpenError> {
        self.fill(3)?;
        if self.bytes.starts_with(b"\xef\xbb\xbf") {
            self.drop_front(3);
        }
        match self.peek()? {
            Some(b'[') => {
                self.drop_front(1);
                self.events(take)?;
            }
            Some(b'{') => {
                self.drop_front(1);
                while let Some(key) = self.key()? {
                    if key == b"traceEvents" && self.peek()? == Some(b'[') {
                        self.drop_front(1);
                        if !self.events(take)? {
                            break;
                        }
                    } else {
                        self.value(key)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Drops bytes that have been dealt with.
    fn drop_front(&mut self, count: usize) {
        self.bytes.drain(..count);
        self.place.offset += count as u64;
    }

    fn go_on(&self, bytes: usize) -> Result<(), OpenError> {
        let bytes = if self.plain { bytes as u64 } else { 0 };
        if (self.input.go_on)(bytes) { Ok(()) } else { Err(OpenError::Cancelled) }
    }

    /// Makes sure that there are `count` bytes, unless the file ends.
    fn fill(&mut self, count: usize) -> Result<(), OpenError> {
        let missing = count.saturating_sub(self.bytes.len());
        let read = read_more(&mut *self.stream, &mut self.bytes, missing, &mut self.ended);
        self.told(read)
    }

    /// Deals with how reading went: a stream that breaks is a file that ends there.
    fn told(&mut self, read: (usize, Option<io::Error>)) -> Result<(), OpenError> {
        if let Some(cause) = read.1 {
            let place = self.place;
            if place.offset == 0 && self.bytes.is_empty() {
                return Err(OpenError::Unreadable { place: place.file.to_owned(), cause });
            }
            let text = format!("the file cannot be read or unpacked any further ({cause})");
            let end = place.offset + self.bytes.len() as u64;
            self.warnings.add(WarningKind::Truncated, || format!("{} byte {end}", place.file), &text);
        }
        self.go_on(read.0)
    }

    fn warn(&mut self, kind: WarningKind, at: usize, text: &str) {
        let (file, offset) = (self.place.file, self.place.offset + at as u64);
        self.warnings.add(kind, || format!("{file} byte {offset}"), text);
    }

    /// The next byte that is no white space, which is then the first.
    fn peek(&mut self) -> Result<Option<u8>, OpenError> {
        loop {
            let at = skip_space(&self.bytes, 0);
            self.drop_front(at);
            if let Some(byte) = self.bytes.first() {
                return Ok(Some(*byte));
            }
            if self.ended {
                return Ok(None);
            }
            self.fill(1 << 16)?;
        }
    }

    /// The next key of the outer object; the first byte is then that of its value.
    fn key(&mut self) -> Result<Option<Vec<u8>>, OpenError> {
        let mut want = 1 << 12;
        loop {
            self.fill(want)?;
            let mut at = 0;
            let (key, fault) = match next_key(&self.bytes, &mut at) {
                Ok(key) => (key.map(<[u8]>::to_vec), None),
                Err(fault) => (None, Some(fault)),
            };
            match fault {
                None => {
                    self.drop_front(at);
                    return Ok(key);
                }
                Some(Fault::Ends) if !self.ended && want < LONGEST => want *= 4,
                Some(Fault::Ends) => {
                    self.warn(WarningKind::Truncated, 0, "the file ends in the middle of its outermost object");
                    return Ok(None);
                }
                Some(Fault::Bad) => {
                    self.warn(WarningKind::Corrupt, 0, "what follows is not a key of an object; the rest was not read");
                    return Ok(None);
                }
            }
        }
    }

    /// Steps over a value beside the events, or keeps it.
    fn value(&mut self, key: Vec<u8>) -> Result<(), OpenError> {
        let mut want = 1 << 12;
        loop {
            self.fill(want)?;
            match value_end(&self.bytes, 0) {
                Ok(end) => {
                    if WANTED.contains(&key.as_slice()) {
                        self.kept.push((key, self.bytes[..end].to_vec()));
                    }
                    self.drop_front(end);
                    return Ok(());
                }
                Err(Fault::Ends) if !self.ended && want < LONGEST => want *= 4,
                Err(Fault::Ends) if !self.ended => return self.long_value(),
                Err(_) => {
                    // The end of the file, or a word that is none: the next key decides.
                    let kind = if self.ended { WarningKind::Truncated } else { WarningKind::Corrupt };
                    self.warn(kind, 0, "a value beside the events is broken; the rest of the file was not read");
                    self.drop_front(self.bytes.len());
                    self.ended = true;
                    return Ok(());
                }
            }
        }
    }

    /// Steps over a value that does not fit the memory.
    fn long_value(&mut self) -> Result<(), OpenError> {
        let (mut depth, mut inside, mut escaped) = (0usize, false, false);
        loop {
            let mut end = None;
            for (at, byte) in self.bytes.iter().enumerate() {
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' if inside => escaped = true,
                    b'"' => inside = !inside,
                    b'{' | b'[' if !inside => depth += 1,
                    b'}' | b']' if !inside => depth = depth.saturating_sub(1),
                    _ => continue,
                }
                if depth == 0 && !inside {
                    end = Some(at + 1);
                    break;
                }
            }
            self.drop_front(end.unwrap_or(self.bytes.len()));
            if end.is_some() || self.ended {
                return Ok(());
            }
            self.fill(BLOCK)?;
        }
    }

    /// Decodes events up to the bracket that ends them. Whether something may follow.
    fn events(&mut self, take: &mut dyn FnMut(Block) -> io::Result<()>) -> Result<bool, OpenError> {
        self.has_events = true;
        let wave = (rayon::current_num_threads() * 2).clamp(2, 64);
        let round = BLOCK * wave;
        let mut want = round;
        loop {
            self.fill(want)?;
            if self.bytes.is_empty() {
                self.warn(WarningKind::Truncated, 0, "the file ends before its list of events does");
                return Ok(false);
            }
            let cut = if self.ended { Some(self.bytes.len()) } else { last_border(&self.bytes) };
            let Some(cut) = cut else {
                if self.bytes.len() > LONGEST.max(round) {
                    if !self.pick_up(0)? {
                        return Ok(false);
                    }
                } else {
                    want = self.bytes.len() * 2;
                }
                continue;
            };
            let mut next = Vec::with_capacity(round + BLOCK);
            next.extend_from_slice(&self.bytes[cut..]);
            self.bytes.truncate(cut);
            let now = std::mem::replace(&mut self.bytes, next);
            let ends = cuts(&now, if want > round { 1 } else { wave });
            let place = self.place;
            self.place.offset += now.len() as u64;
            let missing = round.saturating_sub(self.bytes.len());
            let (stream, bytes, ended) = (&mut *self.stream, &mut self.bytes, &mut self.ended);
            let (read, blocks) = rayon::join(
                || read_more(stream, bytes, missing, ended),
                || {
                    let decode_one = |(start, end): &(usize, usize)| {
                        let offset = place.offset + *start as u64;
                        decode(&now[*start..*end], Where { offset, ..place })
                    };
                    ends.par_iter().map(decode_one).collect::<Vec<Block>>()
                },
            );
            self.told(read)?;
            want = round;
            let unread = self.bytes.len();
            for (block, (start, end)) in blocks.into_iter().zip(&ends) {
                let stop = block.stop;
                take(block).map_err(OpenError::unreadable(place.file))?;
                let at = match stop {
                    Stop::Done => continue,
                    Stop::ArrayEnd(at) | Stop::Inside(at) => start + at,
                };
                // What follows was decoded from a wrong beginning, if at all.
                self.place.offset = place.offset + at as u64;
                let mut back = now[at..].to_vec();
                back.append(&mut self.bytes);
                self.bytes = back;
                if matches!(stop, Stop::ArrayEnd(_)) {
                    self.drop_front(1);
                    return Ok(true);
                }
                let length = now.len() - at;
                let nothing_helps = (self.ended && unread == 0) || length > LONGEST;
                if *end == now.len() && nothing_helps {
                    if !self.pick_up(1)? {
                        return Ok(false);
                    }
                } else {
                    // The cut was inside an event: take all at once, and more than before.
                    want = (length * 2).max(round + 1);
                }
                break;
            }
        }
    }

    /// Goes on behind an event that has no end, where another one seems to begin. Whether there is one.
    fn pick_up(&mut self, from: usize) -> Result<bool, OpenError> {
        self.picked_up += 1;
        loop {
            let border = next_border(&self.bytes, from).filter(|_| self.picked_up < MOST_PICKED_UP);
            if let Some(border) = border {
                let text = "an event without an end was skipped, up to where another begins";
                self.warn(WarningKind::Corrupt, 0, text);
                self.drop_front(border);
                return Ok(true);
            }
            if self.ended || self.picked_up >= MOST_PICKED_UP {
                let text = "the file ends in the middle of an event; everything before it was kept";
                self.warn(WarningKind::Truncated, 0, text);
                return Ok(false);
            }
            let keep = self.bytes.len().min(256);
            self.drop_front(self.bytes.len() - keep);
            self.fill(BLOCK)?;
        }
    }
}

/// Cuts bytes into up to `most` blocks at what seem to be borders.
fn cuts(bytes: &[u8], most: usize) -> Vec<(usize, usize)> {
    let mut blocks = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let size = (bytes.len() / most).max(BLOCK / 2);
        let end = if bytes.len() - start <= size + size / 2 {
            bytes.len()
        } else {
            next_border(bytes, start + size).unwrap_or(bytes.len())
        };
        blocks.push((start, end));
        start = end;
    }
    blocks
}

/// Appends up to `count` bytes; how many there were, and why no more.
fn read_more(
    stream: &mut dyn BufRead,
    bytes: &mut Vec<u8>,
    count: usize,
    ended: &mut bool,
) -> (usize, Option<io::Error>) {
    if *ended || count == 0 {
        return (0, None);
    }
    match stream.take(count as u64).read_to_end(bytes) {
        Ok(read) => {
            *ended = read < count;
            (read, None)
        }
        Err(cause) => {
            *ended = true;
            (0, Some(cause))
        }
    }
}
