//! Which calls are events: a few bits for each span, and how many events lie before it.
//!
//! Spans are many more than events, so nothing here takes a number per span. Of 64 spans there is one block: who sends, who
//! receives, who takes part in a collective, and the number of events before the block. An event's number is that plus the
//! bits before it, all on one cache line.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use heddle_model::SpanRow;

/// A property of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// It sends, and is not a later part of a run of sends.
    Send,
    /// It completes receives.
    Receive,
    /// It completes a collective.
    Collective,
    /// It sends and belongs to the event before it.
    Merged,
    /// It sends several messages.
    SeveralSends,
    /// It completes several receives.
    SeveralReceives,
    /// A message that it sends is received nowhere.
    UnmatchedSend,
    /// A message that it receives was sent nowhere.
    UnmatchedReceive,
}

/// What 64 spans do, and how many events lie before them.
#[derive(Debug, Default)]
struct SpanBits {
    send: AtomicU64,
    receive: AtomicU64,
    collective: AtomicU64,
    before: AtomicU32,
}

/// What is seldom asked for of 64 spans.
#[derive(Debug, Default)]
struct RareBits {
    merged: AtomicU64,
    several: [AtomicU64; 2],
    unmatched: [AtomicU64; 2],
}

/// What a span does.
#[derive(Clone, Copy, Debug)]
pub(super) struct MarkedSpan {
    pub(super) span: u64,
    pub(super) sends: bool,
    pub(super) receives: bool,
    pub(super) collects: bool,
    pub(super) is_merged: bool,
}

/// The bits of all spans of a store.
#[derive(Debug)]
pub(crate) struct SpanIndex {
    blocks: Vec<SpanBits>,
    marks: Vec<RareBits>,
    /// A span for each collective beyond the first that it completes, ascending.
    more: Vec<u64>,
}

impl SpanIndex {
    pub(super) fn new(spans: u64) -> SpanIndex {
        let blocks = spans.div_ceil(64) as usize + 1;
        let mut index = SpanIndex { blocks: Vec::new(), marks: Vec::new(), more: Vec::new() };
        index.blocks.resize_with(blocks, SpanBits::default);
        index.marks.resize_with(blocks, RareBits::default);
        index
    }

    /// Bytes of memory that the bits of so many spans take.
    pub(super) fn memory_of(spans: u64) -> u64 {
        (spans.div_ceil(64) + 1) * (size_of::<SpanBits>() + size_of::<RareBits>()) as u64
    }

    /// Bytes of memory that these take.
    pub(super) fn memory(&self) -> u64 {
        SpanIndex::memory_of(64 * self.blocks.len() as u64) + 8 * self.more.len() as u64
    }

    fn word(&self, mark: Mark, block: usize) -> Option<&AtomicU64> {
        let (bits, marks) = (self.blocks.get(block)?, self.marks.get(block)?);
        Some(match mark {
            Mark::Send => &bits.send,
            Mark::Receive => &bits.receive,
            Mark::Collective => &bits.collective,
            Mark::Merged => &marks.merged,
            Mark::SeveralSends => &marks.several[0],
            Mark::SeveralReceives => &marks.several[1],
            Mark::UnmatchedSend => &marks.unmatched[0],
            Mark::UnmatchedReceive => &marks.unmatched[1],
        })
    }

    /// Marks a span; says whether it was marked already.
    pub(super) fn mark(&self, mark: Mark, span: SpanRow) -> bool {
        let bit = 1 << (span.0 % 64);
        let Some(word) = self.word(mark, (span.0 / 64) as usize) else { return true };
        // Looking first is cheaper: most marks of a call that completes several messages are there already.
        word.load(Relaxed) & bit != 0 || word.fetch_or(bit, Relaxed) & bit != 0
    }

    /// Whether a span is marked.
    pub(super) fn has(&self, mark: Mark, span: u64) -> bool {
        self.word(mark, (span / 64) as usize).is_some_and(|word| word.load(Relaxed) & 1 << (span % 64) != 0)
    }

    /// A span that sends becomes a part of the event before it.
    pub(super) fn merge(&self, span: u64) {
        if let Some(word) = self.word(Mark::Send, (span / 64) as usize) {
            word.fetch_and(!(1 << (span % 64)), Relaxed);
        }
        self.mark(Mark::Merged, SpanRow(span));
    }

    /// Notes the spans that complete more than one collective: once for each beyond the first.
    pub(super) fn set_more(&mut self, mut more: Vec<u64>) {
        more.sort_unstable();
        self.more = more;
    }

    /// How many collectives a span completes that is marked as completing one.
    pub(super) fn collectives(&self, span: u64) -> u32 {
        if self.more.is_empty() {
            return 1;
        }
        1 + (self.more.partition_point(|more| *more <= span) - self.more.partition_point(|more| *more < span)) as u32
    }

    /// Whether any span completes several collectives.
    pub(super) fn has_several(&self) -> bool {
        !self.more.is_empty()
    }

    /// Whether a span completes several collectives.
    pub(super) fn has_more(&self, span: u64) -> bool {
        self.more.binary_search(&span).is_ok()
    }

    /// Counts the events before each block; call once all marks are set. Returns the number of events.
    pub(super) fn number(&mut self) -> u64 {
        let mut total = 0u64;
        for block in &mut self.blocks {
            *block.before.get_mut() = total as u32;
            let bits = |word: &mut AtomicU64| u64::from(word.get_mut().count_ones());
            total += bits(&mut block.send) + bits(&mut block.receive) + bits(&mut block.collective);
        }
        total + self.more.len() as u64
    }

    /// How many events lie before those of a span, over all spans in the order of the table.
    pub(super) fn before(&self, span: u64) -> u32 {
        let Some(block) = self.blocks.get((span / 64) as usize) else { return 0 };
        let below = (1u64 << (span % 64)) - 1;
        let bits = |word: &AtomicU64| (word.load(Relaxed) & below).count_ones();
        let count = block.before.load(Relaxed) + bits(&block.send) + bits(&block.receive) + bits(&block.collective);
        if self.more.is_empty() {
            return count;
        }
        count + self.more.partition_point(|more| *more < span) as u32
    }

    /// The event that sends what a span sends.
    pub(super) fn send_event(&self, span: u64) -> u32 {
        // A merged part has no event of its own; the one before it is the run's.
        self.before(span).wrapping_sub(u32::from(!self.has(Mark::Send, span)))
    }

    /// The event that receives what a span receives.
    pub(super) fn receive_event(&self, span: u64) -> u32 {
        self.before(span) + u32::from(self.has(Mark::Send, span))
    }

    /// The first event of a span that belongs to a collective.
    pub(super) fn collective_event(&self, span: u64) -> u32 {
        self.receive_event(span) + u32::from(self.has(Mark::Receive, span))
    }

    /// How many marks of events there are in a range of spans.
    pub(super) fn count(&self, spans: Range<u64>) -> u64 {
        self.words(spans)
            .map(|(block, mask)| {
                let bits = &self.blocks[block];
                let count = |word: &AtomicU64| u64::from((word.load(Relaxed) & mask).count_ones());
                count(&bits.send) + count(&bits.receive) + count(&bits.collective)
            })
            .sum()
    }

    /// Blocks of a range of spans, each with the bits of the range.
    fn words(&self, spans: Range<u64>) -> impl DoubleEndedIterator<Item = (usize, u64)> + use<> {
        let end = spans.end.min(self.blocks.len() as u64 * 64);
        let blocks = if spans.start < end { spans.start / 64..end.div_ceil(64) } else { 0..0 };
        blocks.map(move |block| {
            let first = block * 64;
            let from = spans.start.saturating_sub(first);
            let to = (end - first).min(64);
            let upto = if to == 64 { u64::MAX } else { (1 << to) - 1 };
            (block as usize, upto & u64::MAX.checked_shl(from as u32).unwrap_or(0))
        })
    }

    /// The spans of a range that complete receives, the last first.
    pub(super) fn receives_back(&self, spans: Range<u64>) -> impl Iterator<Item = u64> + '_ {
        self.words(spans).rev().flat_map(move |(block, mask)| {
            let mut left = self.blocks[block].receive.load(Relaxed) & mask;
            std::iter::from_fn(move || {
                let at = left.checked_ilog2()?;
                left &= !(1 << at);
                Some(block as u64 * 64 + u64::from(at))
            })
        })
    }

    /// The spans of a range that are events or parts of one, in order.
    pub(super) fn events_in(&self, spans: Range<u64>) -> impl Iterator<Item = MarkedSpan> + '_ {
        self.words(spans).flat_map(move |(block, mask)| {
            let (bits, marks) = (&self.blocks[block], &self.marks[block]);
            let load = |word: &AtomicU64| word.load(Relaxed) & mask;
            let words = [load(&bits.send), load(&bits.receive), load(&bits.collective), load(&marks.merged)];
            let mut left = words[0] | words[1] | words[2] | words[3];
            std::iter::from_fn(move || {
                if left == 0 {
                    return None;
                }
                let at = left.trailing_zeros();
                left &= left - 1;
                let is = |word: u64| word >> at & 1 != 0;
                Some(MarkedSpan {
                    span: block as u64 * 64 + u64::from(at),
                    sends: is(words[0]),
                    receives: is(words[1]),
                    collects: is(words[2]),
                    is_merged: is(words[3]),
                })
            })
        })
    }
}
