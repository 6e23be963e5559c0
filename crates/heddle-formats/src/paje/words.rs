//! Words of a line, and numbers for those that come again and again.

use std::ops::Range;

use rustc_hash::FxHashMap;

/// A word of a block: position in the block's list.
pub(super) type Word = u32;

/// No such word.
pub(super) const NO_WORD: Word = u32::MAX;

/// A stretch of the block's bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    start: u32,
    end: u32,
}

impl Text {
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Goes along a line.
pub(super) struct Cursor<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) at: usize,
}

/// Bytes that end a bare word.
const STOPS: [bool; 256] = {
    let mut stops = [false; 256];
    stops[b' ' as usize] = true;
    stops[b'\t' as usize] = true;
    stops[b'\r' as usize] = true;
    stops[b'\n' as usize] = true;
    stops
};

impl<'b> Cursor<'b> {
    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The first byte of the line that is not a blank; `None` if there is none, or only a comment.
    #[inline]
    pub(super) fn first(&mut self) -> Option<u8> {
        self.skip_blanks();
        self.peek().filter(|byte| !matches!(byte, b'\n' | b'#'))
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    /// Where the line's end is.
    #[inline]
    pub(super) fn line_end(&self) -> usize {
        let mut at = self.at;
        while self.bytes.get(at).is_some_and(|byte| *byte != b'\n') {
            at += 1;
        }
        at
    }

    #[inline]
    pub(super) fn of(&self, text: Text) -> &'b [u8] {
        &self.bytes[text.range()]
    }

    /// The next word of the line, without its quotes.
    #[inline]
    pub(super) fn token(&mut self) -> Option<Text> {
        self.skip_blanks();
        let first = self.peek()?;
        if first == b'\n' || first == b'#' {
            return None;
        }
        let is_quoted = first == b'"';
        let start = self.at + usize::from(is_quoted);
        let mut end = start;
        if is_quoted {
            while self.bytes.get(end).is_some_and(|byte| !matches!(byte, b'"' | b'\n')) {
                end += 1;
            }
            self.at = end + usize::from(self.bytes.get(end) == Some(&b'"'));
        } else {
            while self.bytes.get(end).is_some_and(|byte| !STOPS[usize::from(*byte)]) {
                end += 1;
            }
            self.at = end;
        }
        Some(Text { start: start as u32, end: end as u32 })
    }
}

/// Numbers for words, in the order of first appearance.
pub(super) struct Words<'b> {
    pub(super) list: Vec<Text>,
    by_text: FxHashMap<&'b [u8], Word>,
    /// Short words that were met lately, by the bits of their bytes: nearly all words are, and this spares the table.
    recent: Vec<(u64, Word)>,
}

/// Places for recent words, as a power of two.
const RECENT_BITS: u32 = 11;

impl<'b> Words<'b> {
    /// No words. `list` is empty; its memory may have served another block.
    pub(super) fn new(list: Vec<Text>) -> Words<'b> {
        Words { list, by_text: FxHashMap::default(), recent: vec![(0, NO_WORD); 1 << RECENT_BITS] }
    }

    #[inline]
    pub(super) fn number(&mut self, cursor: &Cursor<'b>, text: Text) -> Word {
        let Some(bits) = short_word(cursor.bytes, text) else { return self.look_up(cursor, text) };
        let place = (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - RECENT_BITS)) as usize;
        let (known, word) = self.recent[place];
        if known == bits {
            return word;
        }
        let word = self.look_up(cursor, text);
        self.recent[place] = (bits, word);
        word
    }

    fn look_up(&mut self, cursor: &Cursor<'b>, text: Text) -> Word {
        let list = &mut self.list;
        *self.by_text.entry(cursor.of(text)).or_insert_with(|| {
            list.push(text);
            list.len() as Word - 1
        })
    }
}

/// A word of at most seven bytes as one number that no other word has; never zero. `None` for longer ones, and at the
/// end of the block.
#[inline]
fn short_word(bytes: &[u8], text: Text) -> Option<u64> {
    let length = text.end - text.start;
    let eight = bytes.get(text.start as usize..text.start as usize + 8)?;
    if length > 7 {
        return None;
    }
    let bits = u64::from_le_bytes(eight.try_into().ok()?) & ((1 << (8 * length)) - 1);
    Some(bits | u64::from(length + 1) << 56)
}
