//! How far long work has come, and whether the user still wants it.
//!
//! Each crate names its own work by constants like those below; whoever shows progress needs to know none of them.

use crate::StoreError;

/// A piece of long work: what a progress bar stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    name: &'static str,
    counts_bytes: bool,
}

impl Work {
    /// Work that is counted in whatever it takes; the name stands beside the bar.
    pub const fn new(name: &'static str) -> Work {
        Work { name, counts_bytes: false }
    }

    /// Work that is counted in bytes.
    pub const fn in_bytes(name: &'static str) -> Work {
        Work { name, counts_bytes: true }
    }

    /// What to show beside the bar.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Whether progress is told in bytes.
    pub const fn counts_bytes(self) -> bool {
        self.counts_bytes
    }
}

/// The trace is opened. One in which all locations are mixed is read for that, counted in bytes of its files.
pub const OPENING: Work = Work::in_bytes("opening the trace");
/// Events are decoded and spans written.
pub const READING: Work = Work::in_bytes("reading events");
/// Messages and collectives are matched and the views' indexes built, side by side.
pub const MATCHING: Work = Work::new("matching and indexing");

/// Told about long work as it goes; asked whether to go on.
pub trait Progress: Sync {
    /// Some work begins; `total` is 0 where nobody knows.
    fn begin(&self, work: Work, total: u64);

    /// Some more of its total is done.
    fn advance(&self, done: u64);

    /// Something the user should know before it begins.
    fn note(&self, _text: &str) {}

    /// Somebody else is making the same result; we wait for it.
    fn waiting(&self);

    /// Whether the user wants to stop.
    fn is_cancelled(&self) -> bool;
}

impl dyn Progress + '_ {
    /// An error if the user wants to stop. Called often enough that stopping feels immediate.
    pub fn check(&self) -> Result<(), StoreError> {
        if self.is_cancelled() { Err(StoreError::Cancelled) } else { Ok(()) }
    }
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&self, _work: Work, _total: u64) {}

    fn advance(&self, _done: u64) {}

    fn waiting(&self) {}

    fn is_cancelled(&self) -> bool {
        false
    }
}
