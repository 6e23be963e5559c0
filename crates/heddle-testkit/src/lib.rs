//! What the tests of several crates share, so that none of them writes it again.
//!
//! For `[dev-dependencies]` only. It knows the model and the formats, and no crate behind them: then the tests of a format
//! need not build the store. Helpers panic where a test could not go on; that is a failed test.
//!
//! Unit tests inside `heddle-formats` see that crate twice, once through here. What touches only the model
//! ([`MadeSource`], [`Chance`]) is of use there; what touches `Files` is for the tests in `tests/`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

mod boxfish;
mod chance;
mod folder;
mod hand;
mod made;
mod memory;
mod read;
mod samples;

pub use boxfish::{MadeLink, MadeRun};
pub use chance::Chance;
pub use folder::Folder;
pub use hand::{Act, Call, Hand};
pub use made::MadeSource;
pub use memory::{Counting, Measuring};
pub use read::{ReadTrace, Span, with_input};
pub use samples::sample_traces;
