//! Copies of strings, bounded: a hostile file makes a million names of one long string.

use std::cell::Cell;

/// No file needs more than this for the same text over and over, unless it is large itself.
const ALWAYS_FINE: usize = 8 << 20;
/// What is kept of a text once the budget is spent.
const CUT_CHARACTERS: usize = 64;

/// How many bytes of text may still be copied out of a file.
#[derive(Debug, Default)]
pub(crate) struct TextBudget {
    left: Cell<usize>,
    cut: Cell<bool>,
}

impl TextBudget {
    /// For a file of `bytes` bytes.
    pub(crate) fn of(bytes: usize) -> TextBudget {
        TextBudget { left: Cell::new(ALWAYS_FINE.saturating_add(bytes.saturating_mul(8))), cut: Cell::new(false) }
    }

    /// A copy, cut to its beginning if the budget is spent.
    pub(crate) fn copy<T: for<'t> From<&'t str>>(&self, text: &str) -> T {
        if let Some(left) = self.left.get().checked_sub(text.len()) {
            self.left.set(left);
            T::from(text)
        } else {
            self.cut.set(true);
            T::from(text.char_indices().nth(CUT_CHARACTERS).map_or(text, |(end, _)| &text[..end]))
        }
    }

    /// Whether a text was cut.
    pub(crate) fn was_spent(&self) -> bool {
        self.cut.get()
    }
}
