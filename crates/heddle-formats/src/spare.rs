//! Memory that has served and serves again.
//!
//! The system gives fresh memory page by page, which takes about as long as decoding what goes there. Readers that work block by
//! block therefore use the memory of blocks that are done with.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Memory that nobody uses at the moment.
#[derive(Debug)]
pub(crate) struct Spare<T>(Mutex<Vec<T>>);

impl<T> Default for Spare<T> {
    fn default() -> Spare<T> {
        Spare(Mutex::default())
    }
}

impl<T: Default> Spare<T> {
    /// Some of it, as it was given back; new if there is none.
    pub(crate) fn take(&self) -> T {
        self.lock().pop().unwrap_or_default()
    }

    /// Keeps memory for the next who asks.
    pub(crate) fn give_back(&self, memory: T) {
        self.lock().push(memory);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
