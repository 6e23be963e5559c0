//! Which messages somebody needs: only these are remembered while they are under way.

use std::sync::atomic::{AtomicU64, Ordering};

/// A bit per message.
#[derive(Debug)]
pub(super) struct Needs {
    words: Vec<AtomicU64>,
}

impl Needs {
    pub(super) fn new(messages: u64) -> Needs {
        Needs { words: (0..messages.div_ceil(64)).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Somebody needs a message.
    pub(super) fn note(&self, message: u64) {
        if let Some(word) = self.words.get((message / 64) as usize) {
            word.fetch_or(1 << (message % 64), Ordering::Relaxed);
        }
    }

    /// Whether somebody does.
    pub(super) fn has(&self, message: u32) -> bool {
        let word = self.words.get((message / 64) as usize);
        word.is_some_and(|word| word.load(Ordering::Relaxed) >> (message % 64) & 1 == 1)
    }
}
