//! What tests of diagnosis share.

#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]

#[allow(dead_code, reason = "each test uses some")]
pub(crate) mod looked;
#[allow(dead_code, reason = "each test uses some")]
pub(crate) mod programs;

use heddle_model::Source;
use heddle_store::{NoProgress, Store, store_simulation};
use tempfile::TempDir;

/// A source as a store that goes with the directory.
pub(crate) fn stored(source: &dyn Source) -> (TempDir, Store) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let store = store_simulation(source, "made", &directory.path().join("made.heddle"), 1 << 29, &NoProgress);
    (directory, store.expect("a store"))
}
