//! The file as blocks of whole lines, which can be decoded side by side.

use std::io::{self, Read};

/// Bytes of a block. Large enough to keep a core busy, small enough that several fit any budget.
const BLOCK: usize = 1 << 20;

/// The first block is small: the header is in it, and it is decoded alone.
const FIRST_BLOCK: usize = 64 << 10;

/// A longer line is not one that a tracer wrote. What follows in it is left out.
const LONGEST_LINE: usize = 16 << 20;

/// Some whole lines; the last of a file may lack its end.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub(crate) bytes: Vec<u8>,
    /// Has lines that begin with `%`: definitions of events.
    pub(crate) has_header: bool,
    /// A line was too long and was cut.
    pub(crate) cut: bool,
}

/// Cuts a stream into blocks.
pub(crate) struct Lines<R> {
    stream: R,
    /// The beginning of a line whose end was not yet read.
    rest: Vec<u8>,
    /// Memory of blocks that are done with.
    spare: Vec<Vec<u8>>,
    next_size: usize,
    /// In the middle of a line that was cut.
    skipping: bool,
    done: bool,
    /// Why reading ended before the end.
    pub(crate) failure: Option<io::Error>,
    /// The file does not end with the end of a line.
    pub(crate) unfinished: bool,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(stream: R) -> Lines<R> {
        Lines {
            stream,
            rest: Vec::new(),
            spare: Vec::new(),
            next_size: FIRST_BLOCK,
            skipping: false,
            done: false,
            failure: None,
            unfinished: false,
        }
    }

    /// Takes the bytes of a block back, whose memory can serve again. That of a very long line would only add up.
    pub(crate) fn give_back(&mut self, bytes: Vec<u8>) {
        if bytes.capacity() <= 4 * BLOCK {
            self.spare.push(bytes);
        }
    }

    /// The next block, or `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Block> {
        let mut bytes = self.spare.pop().unwrap_or_default();
        bytes.clear();
        bytes.append(&mut self.rest);
        let mut block = Block::default();
        while !self.done {
            let before = bytes.len();
            bytes.reserve(self.next_size);
            let read = (&mut self.stream).take(self.next_size as u64).read_to_end(&mut bytes);
            self.next_size = BLOCK;
            match read {
                Ok(0) => self.done = true,
                Ok(_) => {}
                Err(cause) => {
                    // What came before the failure is kept.
                    self.failure = Some(cause);
                    self.done = true;
                }
            }
            if self.skipping {
                match bytes.iter().position(|byte| *byte == b'\n') {
                    Some(end) => {
                        bytes.drain(..=end);
                        self.skipping = false;
                    }
                    None => bytes.clear(),
                }
                if bytes.is_empty() {
                    continue;
                }
            }
            let new = before.min(bytes.len());
            if let Some(end) = bytes[new..].iter().rposition(|byte| *byte == b'\n') {
                let end = new + end + 1;
                self.rest.extend_from_slice(&bytes[end..]);
                bytes.truncate(end);
                break;
            }
            if bytes.len() > LONGEST_LINE {
                bytes.truncate(LONGEST_LINE);
                self.skipping = true;
                block.cut = true;
                break;
            }
        }
        if self.done && self.rest.is_empty() && bytes.last().is_some_and(|byte| *byte != b'\n') {
            self.unfinished = true;
        }
        if bytes.is_empty() {
            return None;
        }
        block.has_header = has_header(&bytes);
        block.bytes = bytes;
        Some(block)
    }
}

/// Whether any line begins with `%`, blanks before it or not.
fn has_header(bytes: &[u8]) -> bool {
    // Searching for one byte is much faster than looking at lines, and most blocks have none.
    let mut from = 0;
    while bytes[from..].contains(&b'%') {
        let Some(at) = bytes[from..].iter().position(|byte| *byte == b'%').map(|at| at + from) else { break };
        let before = bytes[..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
        if before.is_none_or(|byte| *byte == b'\n') {
            return true;
        }
        from = at + 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &[u8]) -> (Vec<Block>, bool) {
        let mut lines = Lines::new(text);
        let blocks = std::iter::from_fn(|| lines.next()).collect();
        (blocks, lines.unfinished)
    }

    #[test]
    fn blocks_are_whole_lines_and_nothing_is_lost() {
        let text: Vec<u8> =
            (0..300_000).flat_map(|at| format!("{at} {}\n", "x".repeat(at % 40)).into_bytes()).collect();
        let (found, unfinished) = blocks(&text);
        assert!(found.len() > 3 && !unfinished);
        assert!(found.iter().all(|block| block.bytes.ends_with(b"\n") && !block.has_header));
        assert_eq!(found.iter().flat_map(|block| block.bytes.clone()).collect::<Vec<u8>>(), text);
        assert!(blocks(b"").0.is_empty());
        assert!(blocks(b"1 2\n3").1, "the last line has no end");
    }

    #[test]
    fn a_line_without_end_is_cut_and_the_next_one_read() {
        let mut text = vec![b'x'; LONGEST_LINE + 3 * BLOCK];
        text.extend_from_slice(b"\n7 8\n");
        let (found, _) = blocks(&text);
        assert!(found[0].cut && found[0].bytes.len() == LONGEST_LINE);
        assert_eq!(found.last().unwrap().bytes, b"7 8\n");
    }

    #[test]
    fn header_lines_are_seen_and_percents_in_names_are_not() {
        assert!(has_header(b"1 2\n \t% x\n"));
        assert!(has_header(b"%EventDef"));
        assert!(!has_header(b"1 50%\n2 %\n"));
    }
}
