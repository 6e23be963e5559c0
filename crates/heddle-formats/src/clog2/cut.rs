//! Cuts a log into stretches of whole records that can be decoded side by side.
//!
//! Records have no length of their own and blocks may be of any size, so the cutter steps from record to record; that
//! costs a few nanoseconds each. Behind damage it goes on with the next block, whose beginning is known.

use std::io::{BufRead, Read};

use heddle_model::{WarningKind, Warnings};

use super::preamble::{PREAMBLE, Preamble};
use super::record::{END_BLOCK, END_LOG};

/// Whole records from somewhere in a file, with what lies between the blocks.
pub(super) struct Stretch {
    /// Where in the file it begins.
    pub(super) offset: u64,
    pub(super) bytes: Vec<u8>,
}

/// What is at a place in a file.
enum Step {
    /// A record of this kind and length.
    Record(i32, usize),
    /// Not enough bytes to tell.
    Short,
    /// Nothing that makes sense.
    Damage,
}

fn step(preamble: &Preamble, bytes: &[u8], offset: u64) -> Step {
    let layout = preamble.layout;
    let room = block_end(preamble, offset) - offset;
    let Some(kind) = layout.kind(bytes) else {
        return if room < layout.header() as u64 { Step::Damage } else { Step::Short };
    };
    match layout.size(kind) {
        Some(size) if size as u64 > room => Step::Damage,
        Some(size) if size > bytes.len() => Step::Short,
        Some(size) => Step::Record(kind, size),
        None => Step::Damage,
    }
}

/// Where the block that holds `offset` ends.
fn block_end(preamble: &Preamble, offset: u64) -> u64 {
    let into = offset.saturating_sub(PREAMBLE as u64);
    PREAMBLE as u64 + (into / preamble.block + 1) * preamble.block
}

impl Stretch {
    /// Calls `each` with place, kind and bytes of every record.
    #[inline]
    pub(super) fn records<'a>(&'a self, preamble: &Preamble, mut each: impl FnMut(u64, i32, &'a [u8])) {
        let mut at = 0usize;
        while at < self.bytes.len() {
            let offset = self.offset + at as u64;
            let to_next_block = || (block_end(preamble, offset) - self.offset) as usize;
            match step(preamble, &self.bytes[at..], offset) {
                Step::Record(END_LOG, _) | Step::Short => return,
                Step::Record(END_BLOCK, _) | Step::Damage => at = to_next_block(),
                Step::Record(kind, size) => {
                    each(offset, kind, &self.bytes[at..at + size]);
                    at += size;
                }
            }
        }
    }
}

/// Reads a log from its first block to its end.
pub(super) struct Cutter<'a> {
    stream: Box<dyn BufRead + Send + 'a>,
    preamble: &'a Preamble,
    file: &'a str,
    /// Bytes of a stretch, about.
    window: usize,
    /// Where the next stretch begins in the file.
    offset: u64,
    /// Bytes that were read but not handed out.
    carried: Vec<u8>,
    /// Memory of stretches that are done with.
    spare: Vec<Vec<u8>>,
    /// Bytes to pass over before the next stretch.
    skip: u64,
    ended: bool,
    /// What was odd about the log's structure.
    pub(super) warnings: Warnings,
}

impl<'a> Cutter<'a> {
    /// `stream` stands behind the preamble.
    pub(super) fn new(
        stream: Box<dyn BufRead + Send + 'a>,
        preamble: &'a Preamble,
        file: &'a str,
        window: usize,
    ) -> Cutter<'a> {
        Cutter {
            stream,
            preamble,
            file,
            window,
            offset: PREAMBLE as u64,
            carried: Vec::new(),
            spare: Vec::new(),
            skip: 0,
            ended: false,
            warnings: Warnings::default(),
        }
    }

    fn odd(&mut self, kind: WarningKind, offset: u64, text: &str) {
        let file = self.file;
        self.warnings.add(kind, || format!("{file} byte {offset}"), text);
    }

    /// Up to `count` stretches; fewer or none at the end.
    pub(super) fn several(&mut self, count: usize) -> Vec<Stretch> {
        std::iter::from_fn(|| self.next()).take(count).collect()
    }

    /// Takes stretches back whose memory can serve again.
    pub(super) fn give_back(&mut self, stretches: Vec<Stretch>) {
        self.spare.extend(stretches.into_iter().map(|stretch| stretch.bytes));
    }

    /// The next stretch.
    fn next(&mut self) -> Option<Stretch> {
        while !self.ended {
            let mut bytes = self.spare.pop().unwrap_or_default();
            bytes.clear();
            bytes.append(&mut self.carried);
            let wanted = (self.window - bytes.len().min(self.window)) as u64;
            bytes.reserve(wanted as usize);
            let read = self.pass_over().and_then(|()| (&mut self.stream).take(wanted).read_to_end(&mut bytes));
            let is_last = match read {
                Ok(count) => (count as u64) < wanted,
                Err(cause) => {
                    let text = format!("the file cannot be read further ({cause}); records after this are missing");
                    self.odd(WarningKind::Truncated, self.offset + bytes.len() as u64, &text);
                    self.ended = true;
                    true
                }
            };
            let end = self.step_through(&bytes, is_last);
            let offset = self.offset;
            self.offset += end as u64;
            self.skip = end.saturating_sub(bytes.len()) as u64;
            if !self.ended {
                self.carried.extend_from_slice(&bytes[end.min(bytes.len())..]);
            }
            bytes.truncate(end);
            if !bytes.is_empty() {
                return Some(Stretch { offset, bytes });
            }
        }
        None
    }

    fn pass_over(&mut self) -> std::io::Result<()> {
        let skipped = std::io::copy(&mut (&mut self.stream).take(self.skip), &mut std::io::sink())?;
        self.skip -= skipped;
        Ok(())
    }

    /// How far whole records reach; beyond the bytes if the next block begins there.
    fn step_through(&mut self, bytes: &[u8], is_last: bool) -> usize {
        let mut at = 0usize;
        loop {
            let offset = self.offset + at as u64;
            let next_block = (block_end(self.preamble, offset) - self.offset) as usize;
            let step = if at < bytes.len() { step(self.preamble, &bytes[at..], offset) } else { Step::Short };
            match step {
                Step::Record(END_LOG, size) => {
                    self.ended = true;
                    return at + size;
                }
                Step::Record(END_BLOCK, _) => at = next_block,
                Step::Record(_, size) => at += size,
                Step::Damage => {
                    let text = "bytes that are not a record; the rest of their block was not read";
                    self.odd(WarningKind::Corrupt, offset, text);
                    at = next_block;
                }
                Step::Short => {
                    if is_last && !self.ended {
                        let text = "the log breaks off before its end; the records before this were kept";
                        let end = self.offset + at.min(bytes.len()) as u64;
                        self.odd(WarningKind::Truncated, end, text);
                        self.ended = true;
                    }
                    return at;
                }
            }
        }
    }
}
