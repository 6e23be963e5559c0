//! How much memory something takes, for tests that bound it.
//!
//! A test program that wants to know makes [`Counting`] its allocator:
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: heddle_testkit::Counting = heddle_testkit::Counting;
//! ```

#![allow(unsafe_code, reason = "an allocator that counts cannot be written without it")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The system's allocator, counting what is live.
#[derive(Clone, Copy, Debug)]
pub struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed to the system's allocator unchanged; only numbers are kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`, which is the same here.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `memory` came from `alloc` above with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// The right to measure: one test of the process has it at a time, because the counters are the process's.
#[derive(Debug)]
pub struct Measuring(#[expect(dead_code, reason = "held, not read")] MutexGuard<'static, ()>);

impl Measuring {
    /// Waits until nobody else measures.
    pub fn alone() -> Measuring {
        static ALONE: Mutex<()> = Mutex::new(());
        // Another test that failed is no reason for this one to.
        Measuring(ALONE.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What `work` gives, and the most bytes that were allocated meanwhile.
    pub fn peak_of<T>(&self, work: impl FnOnce() -> T) -> (T, usize) {
        let before = LIVE.load(Ordering::Relaxed);
        assert!(before > 0, "the test program does not use the allocator that counts");
        PEAK.store(before, Ordering::Relaxed);
        let result = work();
        (result, PEAK.load(Ordering::Relaxed).saturating_sub(before))
    }
}
